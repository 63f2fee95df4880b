package pn532

import (
	"encoding/binary"

	"tavolo/drivers/framing"
)

// Commands used here, with their arguments and what the answer holds. The code of an answer is one higher.
const (
	CmdVersion = 0x02 // -> IC, version, revision, support
	CmdSAM     = 0x14 // 1 normal mode, timeout in 50 ms, 1 use the IRQ pin -> nothing
	CmdRF      = 0x32 // item, values -> nothing
	CmdList    = 0x4A // most tags, BrTyA -> number of tags, for each: number, SENS_RES (2), SEL_RES, length of the UID, UID, and ATS where SEL_RES says so
)

// Items of CmdRF.
const (
	ItemField   = 0x01 // 0 off, 1 on
	ItemRetries = 0x05 // how often to try again: ATR_REQ, PSL_REQ, passive activation
)

// BrTyA is ISO 14443 type A at 106 kbit/s.
const BrTyA = 0x00

// MaxTags is how many tags the chip can list.
const MaxTags = 2

// IC is what the chip says it is.
const IC = 0x32

// First bytes of the data of a frame.
const (
	FromHost = 0xD4
	FromChip = 0xD5
	Failed   = 0x7F // alone: the chip refused the frame before it
)

// Kind is what kind of frame it is.
type Kind byte

// The kinds of frame.
const (
	Data Kind = iota
	Ack       // a frame was taken; from the host: what is under way shall end
	Nack      // a frame was damaged; say it again
)

// Frame is one frame. Data are those of a Data frame, FromHost, FromChip or Failed first.
type Frame struct {
	Kind Kind
	Data []byte
}

// Append appends a frame to dst, with the bytes before and behind that the chip expects.
func Append(dst []byte, f Frame) []byte {
	dst = append(dst, 0x00, 0x00, 0xFF)
	switch n := len(f.Data); {
	case f.Kind == Ack:
		return append(dst, 0x00, 0xFF, 0x00)
	case f.Kind == Nack:
		return append(dst, 0xFF, 0x00, 0x00)
	case n > 0xFF:
		hi, lo := byte(n>>8), byte(n)
		dst = append(dst, 0xFF, 0xFF, hi, lo, -(hi + lo))
	default:
		dst = append(dst, byte(n), -byte(n))
	}
	return append(append(dst, f.Data...), -sum(f.Data), 0x00)
}

func sum(b []byte) (s byte) {
	for _, v := range b {
		s += v
	}
	return s
}

// maxData is the longest data of a frame, as the chip's manual says.
const maxData = 264

// Decode is the [framing.Decode] of frames, from either end. A frame starts with 00 FF; zeros before and behind are
// blanks, of which the one behind is taken with the frame.
func Decode(b []byte) (Frame, int, framing.Fault) {
	switch {
	case b[0] != 0x00:
		return Frame{}, 0, framing.Garbage
	case len(b) == 1:
		return Frame{}, 0, ""
	case b[1] != 0xFF:
		return Frame{}, 0, framing.Blank
	case len(b) < 4:
		return Frame{}, 0, ""
	case b[2] == 0x00 && b[3] == 0xFF:
		return closed(b, 4, Frame{Kind: Ack})
	case b[2] == 0xFF && b[3] == 0x00:
		return closed(b, 4, Frame{Kind: Nack})
	}
	head, n := 4, int(b[2])
	check := b[2] + b[3]
	if b[2] == 0xFF && b[3] == 0xFF {
		if len(b) < 7 {
			return Frame{}, 0, ""
		}
		head, n, check = 7, int(binary.BigEndian.Uint16(b[4:])), b[4]+b[5]+b[6]
	}
	switch end := head + n; {
	case check != 0 || n == 0 || n > maxData:
		return Frame{}, 0, framing.Length
	case len(b) <= end:
		return Frame{}, 0, ""
	case sum(b[head:end+1]) != 0:
		return Frame{}, 0, framing.Checksum
	default:
		return closed(b, end+1, Frame{Data: append([]byte(nil), b[head:end]...)})
	}
}

// closed gives a frame whose last byte but one is before end. Where the zero behind it was lost the frame is good all the
// same.
func closed(b []byte, end int, f Frame) (Frame, int, framing.Fault) {
	switch {
	case len(b) == end:
		return Frame{}, 0, ""
	case b[end] == 0x00:
		return f, end + 1, ""
	}
	return f, end, ""
}
