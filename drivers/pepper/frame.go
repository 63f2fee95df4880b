package pepper

import (
	"bytes"
	"encoding/binary"
	"encoding/json"

	"tavolo/drivers/framing"
	bridge "tavolo/firmware-bridge"
)

// First bytes of what the reader sends.
const (
	Ack   = 0x00 // then the command's code and data
	Event = 0xFE // then a byte, tag type, tag parameter, UID
	Nak   = 0xFF // then the command's code, layer, error code
)

// Codes of the commands used here, with their arguments and what the Ack holds.
const (
	CmdDummy          = 0x01 // -> nothing; only shows that the reader listens
	CmdTagCount       = 0x02 // -> number of tags; looks at the selected antenna and lists at most MaxListed
	CmdUID            = 0x03 // index in that list -> tag type, tag parameter, UID
	CmdHalt           = 0x05 // -> nothing; field off
	CmdPolling        = 0x06 // 1 on, 0 off -> nothing; the reader looks for tags by itself and sends events
	CmdReboot         = 0x0A // -> nothing; deaf for a second
	CmdVersion        = 0x0B // -> ASCII text, which may end in NUL
	CmdAntenna        = 0x0F // antenna, from 1 -> nothing; MUX only
	CmdInventoryStart = 0x90 // AFI, 0 for any -> UID, low byte first, DSFID, 1 if there are more; ISO 15693 only
	CmdInventoryNext  = 0x91 // the same
)

// MaxListed is how many tags the reader lists after CmdTagCount, however many there are.
const MaxListed = 5

const (
	stx        = 0xF5
	headLen    = 5
	crcLen     = 2
	maxPayload = 255 // far above any answer used here; bounds what a damaged length can swallow
	maxJSON    = 512
)

// AppendFrame appends payload, framed, to dst. A payload has 1 to 255 bytes.
func AppendFrame(dst, payload []byte) []byte {
	size := uint16(len(payload) + crcLen)
	dst = append(dst, stx)
	dst = binary.LittleEndian.AppendUint16(dst, size)
	dst = binary.LittleEndian.AppendUint16(dst, ^size)
	dst = append(dst, payload...)
	return binary.LittleEndian.AppendUint16(dst, bridge.CRC16(payload))
}

// Message is one thing heard on the wire: either the payload of a frame whose checksum is right, or a JSON object.
type Message struct {
	Payload []byte
	JSON    []byte
}

// event is whether the reader said it by itself. A payload is never empty.
func (m Message) event() bool { return m.JSON != nil || m.Payload[0] == Event }

// BadJSON is an object that is damaged or too long.
const BadJSON framing.Fault = "bad_json"

// Decode is the [framing.Decode] of frames and of the objects between them. Blanks between those are no fault.
func Decode(b []byte) (Message, int, framing.Fault) {
	switch b[0] {
	case stx:
		return frame(b)
	case '{':
		return object(b)
	case ' ', '\t', '\r', '\n':
		return Message{}, 0, framing.Blank
	}
	return Message{}, 0, framing.Garbage
}

// frame decodes what starts with stx.
func frame(b []byte) (Message, int, framing.Fault) {
	if len(b) < headLen {
		return Message{}, 0, ""
	}
	size := binary.LittleEndian.Uint16(b[1:])
	if binary.LittleEndian.Uint16(b[3:]) != ^size || size <= crcLen || size > maxPayload+crcLen {
		return Message{}, 0, framing.Length
	}
	end := headLen + int(size)
	if len(b) < end {
		return Message{}, 0, ""
	}
	payload := b[headLen : end-crcLen]
	if binary.LittleEndian.Uint16(b[end-crcLen:]) != bridge.CRC16(payload) {
		return Message{}, 0, framing.Checksum
	}
	return Message{Payload: bytes.Clone(payload)}, end, ""
}

// object decodes what starts with a brace. A control character ends it, and so does the start byte of a frame, which UTF-8
// text cannot hold.
func object(b []byte) (Message, int, framing.Fault) {
	depth, quoted, escaped := 0, false, false
	for i, c := range b[:min(len(b), maxJSON)] {
		switch {
		case c == stx, c < ' ' && c != '\t' && c != '\r' && c != '\n':
			return Message{}, 0, BadJSON
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if depth > 0 {
			continue
		}
		if !json.Valid(b[:i+1]) {
			return Message{}, 0, BadJSON
		}
		return Message{JSON: bytes.Clone(b[:i+1])}, i + 1, ""
	}
	if len(b) >= maxJSON {
		return Message{}, 0, BadJSON
	}
	return Message{}, 0, ""
}
