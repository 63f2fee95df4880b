package uhf

import (
	"encoding/binary"

	"tavolo/drivers/framing"
)

// Type is who a frame is from, and why.
type Type byte

const (
	Command  Type = 0x00 // from the host
	Response Type = 0x01 // of the reader, to a command
	Notice   Type = 0x02 // of the reader, by itself: a tag
)

// Commands used here, with their arguments and what the response holds.
const (
	CmdInfo     = 0x03 // InfoHardware, InfoSoftware -> the same, a text
	CmdSelect   = 0x12 // SelectNever -> 00; whether tags are selected before an inventory
	CmdPoll     = 0x22 // -> a Notice for each tag, or an error
	CmdPollMany = 0x27 // PollMany, how many rounds in two bytes -> as CmdPoll, after each round
	CmdStop     = 0x28 // -> 00; the end of CmdPollMany
	CmdSetPower = 0xB6 // 0.01 dBm in two bytes -> 00
	CmdPower    = 0xB7 // -> 0.01 dBm in two bytes
	CmdError    = 0xFF // of a response: the code of an error
)

// Arguments of commands.
const (
	InfoHardware = 0x00
	InfoSoftware = 0x01
	SelectNever  = 0x01
	PollMany     = 0x22
)

// Codes of errors.
const (
	ErrorNoTag   = 0x15 // a round of an inventory without a tag
	ErrorCommand = 0x17 // no such command, or its arguments are wrong
)

// Frame is what a frame holds.
type Frame struct {
	Type Type
	Cmd  byte
	Data []byte
}

const (
	header = 0xBB
	end    = 0x7E
	// headLen is what stands before the data, tailLen what stands behind.
	headLen, tailLen = 5, 2
	maxData          = 255 // far above any frame used here; bounds what a damaged length can swallow
)

// Append appends a frame to dst. Its data have up to 255 bytes.
func Append(dst []byte, f Frame) []byte {
	start := len(dst)
	dst = append(dst, header, byte(f.Type), f.Cmd)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(f.Data)))
	dst = append(dst, f.Data...)
	return append(dst, sum(dst[start+1:]), end)
}

// Decode is the [framing.Decode] of frames. It goes by their length alone: bytes that begin and end frames stand within
// data as well, unescaped.
func Decode(b []byte) (Frame, int, framing.Fault) {
	if b[0] != header {
		return Frame{}, 0, framing.Garbage
	}
	if len(b) < headLen {
		return Frame{}, 0, ""
	}
	size := headLen + int(binary.BigEndian.Uint16(b[3:])) + tailLen
	switch {
	case size > headLen+maxData+tailLen:
		return Frame{}, 0, framing.Length
	case len(b) < size:
		return Frame{}, 0, ""
	case b[size-1] != end:
		return Frame{}, 0, framing.Form
	case b[size-2] != sum(b[1:size-2]):
		return Frame{}, 0, framing.Checksum
	}
	return Frame{Type(b[1]), b[2], append([]byte(nil), b[headLen:size-tailLen]...)}, size, ""
}

// sum is the checksum over all from the type to the data.
func sum(b []byte) (s byte) {
	for _, v := range b {
		s += v
	}
	return s
}
