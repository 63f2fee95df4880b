package bridge

// ringSize is how many key events a node remembers for the host. It divides 65536, so that an ID finds its place across
// the wrap.
const ringSize = 32

// eventsPerFrame is how many KeyRecords fit beside First: 19 bytes each.
const eventsPerFrame = (MaxPayload - 2) / 19

// maxAmount is the greatest amount digits can prepare: 18 digits, which fit the host's int64.
const maxAmount = 999_999_999_999_999_999

// Node is the node's end of the bus: everything a node does between its UART and its keys, without the UART and the
// keys. It holds no clock; every now is in µs since the node started, which is when it was made. The simulator runs it,
// and firmware for a microcontroller does the same in the same order. It is for one goroutine.
type Node struct {
	addr    Addr
	id      Identity
	decoder Decoder

	greeted bool

	lamps  Lamps
	text   string
	ask    Ask
	amount uint64 // prepared for KeyBet
	typed  bool   // digits go behind the amount; else they begin a new one

	ring [ringSize]KeyRecord // the event with ID i is in ring[i % ringSize]
	last uint16              // ID of the latest event
}

// NewNode gives a node that has just started, at an address from FirstAddr to LastAddr. The Boot of id must not be the
// one of an earlier start; its Last is ignored.
func NewNode(addr Addr, id Identity) *Node { return &Node{addr: addr, id: id} }

// Receive takes bytes from the bus, in pieces of any size, and returns what the node sends in reply, nil for nothing.
func (n *Node) Receive(now uint64, p []byte) (reply []byte) {
	for _, b := range p {
		f, ok := n.decoder.Push(b)
		if ok && f.Addr == n.addr && !f.Reply { // a reply would be the echo of our own
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

// Digit is a key 0 to 9 of the keypad. The first one begins a new amount.
func (n *Node) Digit(d uint8) {
	if n.ask.Max == 0 {
		return
	}
	if !n.typed {
		n.amount, n.typed = 0, true
	}
	if next := n.amount*10 + uint64(d); next <= maxAmount {
		n.amount = next
	}
}

// Turn is the encoder, or the keys plus and minus: the amount moves by that many steps, no further than its limits.
func (n *Node) Turn(steps int) {
	n.typed = false
	for ; steps > 0 && n.amount < n.ask.Max; steps-- {
		n.amount += min(n.ask.Step, n.ask.Max-n.amount)
	}
	for ; steps < 0 && n.amount > n.ask.Min; steps++ {
		n.amount -= min(n.ask.Step, n.amount-n.ask.Min)
	}
	n.amount = max(n.ask.Min, min(n.amount, n.ask.Max))
}

// Clear goes back to the amount the decision began with.
func (n *Node) Clear() { n.amount, n.typed = n.ask.Start, false }

// Text is what the display shows.
func (n *Node) Text() string { return n.text }

// Lamps is which lamps are lit.
func (n *Node) Lamps() Lamps { return n.lamps }

// Ask is the decision the player is asked for, and the amount prepared for it so far.
func (n *Node) Ask() (_ Ask, amount uint64) { return n.ask, n.amount }

func (n *Node) remember(r KeyRecord) {
	n.last++
	n.ring[n.last%ringSize] = r
}

// answer appends the reply to a request.
func (n *Node) answer(dst []byte, now uint64, req Frame) []byte {
	body, more, ok := n.carryOut(now, req)
	if !ok {
		body = Ack{}
	}
	id, payload, err := Encode(body)
	if err != nil {
		panic(err) // replies have no text to be too long
	}
	return AppendFrame(dst, Frame{Addr: n.addr, Reply: true, Seq: req.Seq, Ack: ok, More: more, Type: id, Payload: payload})
}

// carryOut does what a request says and gives the reply. It is not ok with one it does not know, nor with any before
// the first Hello.
func (n *Node) carryOut(now uint64, req Frame) (reply any, more, ok bool) {
	msg, err := Decode(ToNode, req.Type, req.Payload)
	if _, hello := msg.(Hello); hello {
		n.greeted = true
	}
	if err != nil || !n.greeted {
		return nil, false, false
	}
	switch msg := msg.(type) {
	case Hello:
		id := n.id
		id.Last = n.last
		return id, false, true
	case Poll:
		events, more := n.after(msg.Consumed)
		return events, more, true
	case Clock:
		return Time{Now: now}, false, true
	case Lamps:
		n.lamps = msg
	case Show:
		n.text = msg.Text
	case Ask:
		if msg != n.ask { // a repetition must not undo what was typed since
			n.ask = msg
			n.Clear()
		}
	}
	return Ack{}, false, true
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
