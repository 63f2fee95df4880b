package feig

import (
	"encoding/binary"

	"tavolo/drivers/crc"
	"tavolo/drivers/framing"
)

// Commands used here, with their arguments and what the answer holds behind its status.
const (
	CmdVersion   = 0x65 // -> software revision in two bytes, development revision, hardware type, reader type, ...
	CmdResetRF   = 0x69 // -> nothing; the field goes off for a moment, so that all tags start over
	CmdOutput    = 0x6A // 0 off, or the number of an antenna -> nothing; one field at most is on
	CmdISO       = 0xB0 // a host command of ISO 15693, of which here:
	CmdInventory = 0x01 // MoreTags or 0 -> number of tags, for each TagISO15693, DSFID, UID high byte first
)

// MoreTags asks for the rest of an inventory whose answer was StatusMore.
const MoreTags = 0x80

// TagISO15693 is the type of such a tag in an inventory.
const TagISO15693 = 0x03

// Status of an answer.
const (
	StatusOK      = 0x00
	StatusNoTag   = 0x01
	StatusRange   = 0x11 // an argument is out of range
	StatusUnknown = 0x80 // no such command
	StatusLength  = 0x81 // a command of the wrong length
	StatusMore    = 0x94 // the buffer was full, more tags are there
)

// AnyReader is the address that every reader answers to. One reader is on one port.
const AnyReader = 0xFF

// Form is the form of a protocol frame. A reader answers in that of the question.
type Form bool

const (
	Standard Form = false // a length of one byte, first of all
	Advanced Form = true  // STX, then a length of two bytes, high byte first
)

// Frame is what a frame holds. In an answer the data begin with the status.
type Frame struct {
	Addr, Cmd byte
	Data      []byte
}

const (
	stx     = 0x02
	crcLen  = 2
	maxSize = 1024 // far above any answer used here; bounds what a damaged length can swallow
)

// Append appends a frame of this form to dst. In the standard form the data have up to 250 bytes.
func (form Form) Append(dst []byte, f Frame) []byte {
	start := len(dst)
	if form == Advanced {
		dst = append(dst, stx)
		dst = binary.BigEndian.AppendUint16(dst, uint16(3+2+len(f.Data)+crcLen))
	} else {
		dst = append(dst, byte(1+2+len(f.Data)+crcLen))
	}
	dst = append(append(dst, f.Addr, f.Cmd), f.Data...)
	return binary.LittleEndian.AppendUint16(dst, crc.MCRF4XX(dst[start:]))
}

// Decode is the [framing.Decode] of frames of this form, questions and answers alike.
func (form Form) Decode(b []byte) (Frame, int, framing.Fault) {
	head, size := 1, int(b[0])
	if form == Advanced {
		head = 3
		if b[0] != stx {
			return Frame{}, 0, framing.Garbage
		}
		if len(b) < head {
			return Frame{}, 0, ""
		}
		size = int(binary.BigEndian.Uint16(b[1:]))
	}
	switch {
	case size < head+2+crcLen || size > maxSize:
		return Frame{}, 0, framing.Length
	case len(b) < size:
		return Frame{}, 0, ""
	case binary.LittleEndian.Uint16(b[size-crcLen:]) != crc.MCRF4XX(b[:size-crcLen]):
		return Frame{}, 0, framing.Checksum
	}
	data := append([]byte(nil), b[head+2:size-crcLen]...)
	return Frame{Addr: b[head], Cmd: b[head+1], Data: data}, size, ""
}
