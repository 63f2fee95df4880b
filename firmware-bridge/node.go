package bridge

import "crypto/sha256"

// ringSize is how many key events a node remembers for the host. It divides 65536, so that an ID finds its place across
// the wrap.
const ringSize = 32

// eventsPerFrame is how many KeyRecords fit beside First: 19 bytes each.
const eventsPerFrame = (MaxPayload - 2) / 19

// Node is the node's end of the bus: everything a node does between its UART and its keys, without the UART and the
// keys. It holds no clock; every now is in µs since the node started, which is when it was made. The simulator runs it;
// the firmware in folder node does the same in C, and a test holds the two against each other. It is for one goroutine.
type Node struct {
	addr    Addr
	id      Identity
	decoder Decoder

	greeted bool

	lamps Lamps
	text  string
	Entry // of the amount for KeyBet

	ring [ringSize]KeyRecord // the event with ID i is in ring[i % ringSize]
	last uint16              // ID of the latest event

	weight Weight

	image imageSlot
}

// NewNode gives a node that has just started, at the address it was given last, or Nameless. The Boot of id must not be the
// one of an earlier start; its Last is ignored.
func NewNode(addr Addr, id Identity) *Node { return &Node{addr: addr, id: id} }

// Receive takes bytes from the bus, in pieces of any size, and returns what the node sends in reply, nil for nothing.
func (n *Node) Receive(now uint64, p []byte) (reply []byte) {
	for _, b := range p {
		f, ok := n.decoder.Push(b)
		if ok && f.Addr == n.addr && !f.Reply && !n.image.taken() { // a reply would be the echo of our own
			reply = n.answer(reply, now, f)
		}
	}
	return reply
}

// Press tells the node that a key went down, Release that it came up. Contact bounce is removed before.
func (n *Node) Press(now uint64, k Key) {
	r := KeyRecord{At: now, Key: k, Down: true, Prompt: n.ask.Prompt}
	if k == KeyBet && n.ask.Max > 0 {
		r.Amount = n.amount
	}
	n.remember(r)
}

// Release tells the node that a key came up.
func (n *Node) Release(now uint64, k Key) {
	n.remember(KeyRecord{At: now, Key: k, Prompt: n.ask.Prompt})
}

// The converter's counts have 24 bits; at either end it may have seen more.
const minCounts, maxCounts = -1 << 23, 1<<23 - 1

// Weigh tells the node a sample of its scale. What has more than 24 bits counts as the nearest that has not.
func (n *Node) Weigh(now uint64, counts int32) {
	n.weight = Weight{At: now, Counts: max(minCounts, min(counts, maxCounts)), State: ScaleGood}
	if counts <= minCounts || counts >= maxCounts {
		n.weight.State = ScaleOver
	}
}

// Addr is the node's address. The node starts with it the next time.
func (n *Node) Addr() Addr { return n.addr }

// Installed is the firmware image the node was told to start over with, nil as long as it was not. It answers nothing
// from then on.
func (n *Node) Installed() []byte {
	if !n.image.taken() {
		return nil
	}
	return n.image.data
}

// Text is what the display shows.
func (n *Node) Text() string { return n.text }

// Lamps is which lamps are lit.
func (n *Node) Lamps() Lamps { return n.lamps }

func (n *Node) remember(r KeyRecord) {
	n.last++
	n.ring[n.last%ringSize] = r
}

// answer appends the reply to a request, if there is one.
func (n *Node) answer(dst []byte, now uint64, req Frame) []byte {
	from := n.addr // before the request gives it another
	msg, err := Decode(ToNode, req.Type, req.Payload)
	if _, hello := msg.(Hello); hello {
		n.greeted = true
	}
	var body any = Ack{}
	var more, ok bool
	switch msg := msg.(type) {
	case Who:
		if !n.meant(msg) {
			return dst
		}
		body, ok = n.identity(), true
	case Move:
		if msg.UID != n.id.UID {
			return dst
		}
		if ok = FirstAddr <= msg.Addr && msg.Addr <= Nameless; ok {
			n.addr = msg.Addr
		}
	default:
		if ok = err == nil && n.greeted; ok {
			body, more = n.carryOut(now, msg)
		}
	}
	id, payload, err := Encode(body)
	if err != nil {
		panic(err) // replies have no text to be too long
	}
	return AppendFrame(dst, Frame{Addr: from, Reply: true, Seq: req.Seq, Ack: ok, More: more, Type: id, Payload: payload})
}

// meant is whether the node is among those looked for.
func (n *Node) meant(w Who) bool {
	return w.Bits <= 64 && w.Except != n.id.UID && (n.id.UID^w.Tail)<<(64-w.Bits) == 0
}

func (n *Node) identity() Identity {
	id := n.id
	id.Last = n.last
	return id
}

// carryOut does what a request to a greeted node says, and gives the reply.
func (n *Node) carryOut(now uint64, request any) (reply any, more bool) {
	switch msg := request.(type) {
	case Hello:
		return n.identity(), false
	case Offer:
		return n.image.offer(msg), false
	case Chunk:
		return n.image.chunk(msg, n.id.Kind), false
	case Install:
		return n.image.install(msg), false
	case Poll:
		return n.after(msg.Consumed)
	case Clock:
		return Time{Now: now}, false
	case Weigh:
		return n.weight, false
	case Lamps:
		n.lamps = msg
	case Show:
		n.text = msg.Text
	case Ask:
		n.Put(msg)
	}
	return Ack{}, false
}

// after gives the oldest events the host does not have, and whether there are more than fit.
func (n *Node) after(consumed uint16) (_ Events, more bool) {
	waiting := min(n.last-consumed, ringSize) // right across the wrap of IDs
	e := Events{First: n.last - waiting + 1}
	for i := range min(waiting, eventsPerFrame) {
		e.Events = append(e.Events, n.ring[(e.First+i)%ringSize])
	}
	return e, waiting > eventsPerFrame
}

// imageSlot is where a node keeps the firmware image it is sent.
type imageSlot struct {
	want  Offer
	data  []byte
	state ImageState
}

func (s *imageSlot) taken() bool { return s.state == ImageTaken }

func (s *imageSlot) progress() Progress { return Progress{Have: uint32(len(s.data)), State: s.state} }

// offer makes room for an image, unless it is the one that is there.
func (s *imageSlot) offer(o Offer) Progress {
	if o != s.want || s.state == ImageNone || s.state == ImageSpoilt {
		*s = imageSlot{want: o, state: ImagePartial}
		if o.Size > MaxImage || o.Size < imageCode {
			s.state = ImageUnfit
		}
	}
	return s.progress()
}

// chunk takes a piece that goes on from what is there, and judges the image when it is the last.
func (s *imageSlot) chunk(c Chunk, kind Kind) Progress {
	have := uint32(len(s.data))
	if s.state != ImagePartial || c.At != have || uint32(len(c.Data)) > s.want.Size-have {
		return s.progress()
	}
	s.data = append(s.data, c.Data...)
	if uint32(len(s.data)) < s.want.Size {
		return s.progress()
	}
	s.state = ImageReady
	if sha256.Sum256(s.data) != s.want.Digest {
		s.data, s.state = nil, ImageSpoilt
	} else if image, err := ParseImage(s.data); err != nil || image.Kind != kind {
		s.data, s.state = nil, ImageUnfit
	}
	return s.progress()
}

// install takes the image for the node's next start.
func (s *imageSlot) install(i Install) Progress {
	if s.state == ImageReady && i.Digest == s.want.Digest {
		s.state = ImageTaken
	}
	return s.progress()
}
