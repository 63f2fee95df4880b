package bridge

import "fmt"

// Addr is a place on the bus, from FirstAddr to LastAddr, or Nameless. The node at the table's seat 3 has address 3.
// Address 0, which a frame can bear as well, is kept for frames to every node; there are none yet.
type Addr uint8

const (
	FirstAddr Addr = 1  // the lowest that a node may be given
	LastAddr  Addr = 14 // the highest
	Nameless  Addr = 15 // of nodes that have been given no address
)

// MaxPayload is how many bytes a frame carries at most.
const MaxPayload = 60

// Over the wire a frame is
//
//	dst|dir  ctl  type  payload  crc-low crc-high      COBS-coded, then 00
//
// where dst|dir is the node's address, with the top bit set on the way to the host, and ctl is the sequence number in
// bits 0 to 2, ack in bit 3, more in bit 4. The other bits of both are zero. The CRC is over all that comes before it.
const (
	addrBits = 15
	dirReply = 1 << 7

	ctlSeq  = 7
	ctlAck  = 1 << 3
	ctlMore = 1 << 4

	headLen   = 3
	crcLen    = 2
	minFrame  = headLen + crcLen
	maxCoded  = minFrame + MaxPayload + 1 // without the delimiter; COBS adds one byte below 254
	delimiter = 0
)

// Frame is one transmission on the bus.
type Frame struct {
	Addr  Addr  // the node it is for, or from
	Reply bool  // from the node to the host
	Seq   uint8 // 0 to 7; a reply bears the number of its request
	Ack   bool  // on a reply: the request was carried out
	More  bool  // on a reply: ask again at once, not everything fitted
	Type  uint8 // message ID, see [Messages]
	// Payload is the coded message, at most MaxPayload bytes.
	Payload []byte
}

// AppendFrame appends f as it goes over the wire, delimiter included. It panics where f cannot be sent, which no
// message of the table can bring about.
func AppendFrame(dst []byte, f Frame) []byte {
	if f.Addr > addrBits || f.Seq > ctlSeq || len(f.Payload) > MaxPayload {
		panic(fmt.Sprintf("bridge: address %d, sequence %d, payload of %d bytes cannot be sent", f.Addr, f.Seq, len(f.Payload)))
	}
	raw := make([]byte, 0, minFrame+MaxPayload)
	raw = append(raw, byte(f.Addr)|flag(f.Reply, dirReply), f.Seq|flag(f.Ack, ctlAck)|flag(f.More, ctlMore), f.Type)
	raw = append(raw, f.Payload...)
	crc := CRC16(raw)
	raw = append(raw, byte(crc), byte(crc>>8))
	return append(appendCOBS(dst, raw), delimiter)
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

// Counters say how well the line carries frames. They only grow.
type Counters struct {
	Frames    uint64 // whole frames with the right checksum
	Checksum  uint64 // frames whose checksum is wrong: noise, two senders at once
	Malformed uint64 // pieces between delimiters that can be no frame: cut off, too long, impossible bits
}

// Decoder finds the frames in a stream of bytes. Noise, cut-off and glued frames cost the frames they touch and no
// other. The zero Decoder is ready. It is for one goroutine.
type Decoder struct {
	Counters
	buf  [maxCoded]byte
	n    int
	long bool // more came than a frame can have; skip to the delimiter
}

// Push takes the next byte and reports the frame it completes, if any. The payload is good until the next Push.
func (d *Decoder) Push(b byte) (Frame, bool) {
	if b != delimiter {
		if d.n == len(d.buf) {
			d.long = true
			return Frame{}, false
		}
		d.buf[d.n] = b
		d.n++
		return Frame{}, false
	}
	coded, long := d.buf[:d.n], d.long
	d.n, d.long = 0, false
	if len(coded) == 0 {
		return Frame{}, false // delimiters in a row are how a sender flushes noise
	}
	raw, err := decodeCOBS(coded)
	if err != nil || long || len(raw) < minFrame {
		d.Malformed++
		return Frame{}, false
	}
	body, sum := raw[:len(raw)-crcLen], raw[len(raw)-crcLen:]
	if CRC16(body) != uint16(sum[0])|uint16(sum[1])<<8 {
		d.Checksum++
		return Frame{}, false
	}
	if body[0]&^(addrBits|dirReply) != 0 || body[1]&^(ctlSeq|ctlAck|ctlMore) != 0 {
		d.Malformed++
		return Frame{}, false
	}
	d.Frames++
	return Frame{
		Addr: Addr(body[0] & addrBits), Reply: body[0]&dirReply != 0,
		Seq: body[1] & ctlSeq, Ack: body[1]&ctlAck != 0, More: body[1]&ctlMore != 0,
		Type: body[2], Payload: body[headLen:],
	}, true
}
