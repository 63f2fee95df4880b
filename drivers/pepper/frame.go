package pepper

import (
	"bytes"
	"encoding/binary"
	"encoding/json"

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

// Faults counts what was wrong on the wire since the start.
type Faults struct {
	Garbage  uint64 // bytes that belong to no message
	Length   uint64 // frame starts whose length does not match its complement or is out of range
	Checksum uint64 // frames whose checksum is wrong
	JSON     uint64 // JSON objects that are damaged or too long
	Cut      uint64 // messages whose rest never came
}

// Parser finds messages in a stream of bytes that may start anywhere and hold noise, cut messages, and several
// messages at once. After each fault it looks for a start right behind the last one, so that no whole message is lost
// because of what stands before it. The zero Parser is ready to use, by one goroutine.
type Parser struct {
	Faults Faults

	buf  []byte
	idle bool
}

// Push adds bytes received. Call Next until it finds nothing more; then at most one unfinished message is kept.
func (p *Parser) Push(b []byte) {
	p.buf = append(p.buf, b...)
	p.idle = false
}

// Unfinished tells whether bytes are kept that may be the beginning of a message.
func (p *Parser) Unfinished() bool { return len(p.buf) > 0 }

// Expire says that the line has been silent for longer than a gap within a message can be: what is unfinished will
// stay so. Call Next after it, for messages may stand behind the one that was cut.
func (p *Parser) Expire() { p.idle = true }

// Next gives the next message, or false if there is none yet.
func (p *Parser) Next() (Message, bool) {
	for {
		p.skip()
		if len(p.buf) == 0 {
			return Message{}, false
		}
		look := p.object
		if p.buf[0] == stx {
			look = p.frame
		}
		m, size, fault := look(p.buf)
		if fault == nil && size == 0 {
			if !p.idle {
				return Message{}, false
			}
			fault = &p.Faults.Cut
		}
		if fault == nil {
			p.buf = p.buf[size:]
			return m, true
		}
		*fault++
		p.Faults.Garbage++
		p.buf = p.buf[1:]
	}
}

// skip drops what cannot be the start of a message. Blanks between JSON objects are no fault.
func (p *Parser) skip() {
	for len(p.buf) > 0 && p.buf[0] != stx && p.buf[0] != '{' {
		if !bytes.Contains([]byte(" \t\r\n"), p.buf[:1]) {
			p.Faults.Garbage++
		}
		p.buf = p.buf[1:]
	}
}

// frame looks at b, which starts with stx. It returns the message and the bytes it takes, or the fault to count, or
// neither while the frame is unfinished.
func (p *Parser) frame(b []byte) (Message, int, *uint64) {
	if len(b) < headLen {
		return Message{}, 0, nil
	}
	size := binary.LittleEndian.Uint16(b[1:])
	if binary.LittleEndian.Uint16(b[3:]) != ^size || size <= crcLen || size > maxPayload+crcLen {
		return Message{}, 0, &p.Faults.Length
	}
	end := headLen + int(size)
	if len(b) < end {
		return Message{}, 0, nil
	}
	payload := b[headLen : end-crcLen]
	if binary.LittleEndian.Uint16(b[end-crcLen:]) != bridge.CRC16(payload) {
		return Message{}, 0, &p.Faults.Checksum
	}
	return Message{Payload: bytes.Clone(payload)}, end, nil
}

// object looks at b, which starts with a brace, as frame does. A control character ends it, and so does the start byte
// of a frame, which UTF-8 text cannot hold.
func (p *Parser) object(b []byte) (Message, int, *uint64) {
	depth, quoted, escaped := 0, false, false
	for i, c := range b[:min(len(b), maxJSON)] {
		switch {
		case c == stx, c < ' ' && c != '\t' && c != '\r' && c != '\n':
			return Message{}, 0, &p.Faults.JSON
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
			return Message{}, 0, &p.Faults.JSON
		}
		return Message{JSON: bytes.Clone(b[:i+1])}, i + 1, nil
	}
	if len(b) >= maxJSON {
		return Message{}, 0, &p.Faults.JSON
	}
	return Message{}, 0, nil
}
