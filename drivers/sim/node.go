package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	bridge "tavolo/firmware-bridge"
)

// Bus is a two-wire bus with seat nodes on it, at the far end of a cable. What the nodes send passes through the
// faults of [PTY.Inject], and so does an echo; what they get, through those of [Bus.Inject]. All methods may be called
// from any goroutine.
type Bus struct {
	pty *PTY

	mu    sync.Mutex
	nodes []*Node
	added uint64 // nodes so far
	echo  bool
	fault Fault
	left  int // frames fault still applies to; negative: until replaced
}

// NewBus gives an empty bus at p. Run brings it to life.
func NewBus(p *PTY) *Bus { return &Bus{pty: p} }

// Run carries frames until ctx ends, then closes the cable and returns nil.
func (b *Bus) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = b.pty.Close() }) // its error would be of a terminal nobody needs
	defer stop()
	buf := make([]byte, 1024)
	for {
		n, err := b.pty.Read(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("sim: bus: %w", err)
		}
		for _, frame := range b.receive(buf[:n]) {
			if _, err := b.pty.Write(frame); err != nil && ctx.Err() == nil {
				return fmt.Errorf("sim: bus: %w", err)
			}
		}
	}
}

// receive brings what the host sent to all nodes, and gives what the host hears: its echo and the reply.
func (b *Bus) receive(frame []byte) (heard [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.echo {
		heard = append(heard, frame)
	}
	if b.fault != nil {
		frame = b.fault(frame)
		if b.left--; b.left == 0 {
			b.fault = nil
		}
	}
	var reply []byte
	for _, n := range b.nodes {
		if !n.silent {
			n.change(func() { reply = collide(reply, n.receive(frame)) })
		}
	}
	if reply != nil {
		heard = append(heard, reply)
	}
	return heard
}

// collide is what is heard of two senders at once: where one pulls the line low, it is low.
func collide(a, b []byte) []byte {
	if len(a) < len(b) {
		a, b = b, a
	}
	for i := range b {
		a[i] &= b[i]
	}
	return a
}

// Inject subjects the next so many frames on their way to the nodes to f, as [PTY.Inject] does on their way back.
func (b *Bus) Inject(frames int, f Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault, b.left = f, frames
}

// Echo makes the host hear what it sends, as an adapter does that keeps its receiver on.
func (b *Bus) Echo(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.echo = on
}

// Node is a seat's panel on a [Bus]. All methods may be called from any goroutine.
type Node struct {
	bus *Bus

	addr    bridge.Addr // with what follows, guarded by bus.mu
	id      bridge.Identity
	node    *bridge.Node
	since   time.Time
	silent  bool
	changed chan struct{} // closed when the display changes
}

// Add puts a node on the bus that has just been switched on, in place of one with the same address unless that is
// [bridge.Nameless].
func (b *Bus) Add(addr bridge.Addr) *Node {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.added++
	n := &Node{bus: b, addr: addr, changed: make(chan struct{}), id: bridge.Identity{
		UID:     0x7AB1_0000_0000_0000 | b.added,
		Boot:    rand.Uint32(), // else a host that is still running took it for the node of an earlier simulation
		Schema:  bridge.SchemaHash(),
		Version: 0x0100, Kind: bridge.KindSeat,
	}}
	n.start()
	b.nodes = slices.DeleteFunc(b.nodes, func(o *Node) bool { return addr != bridge.Nameless && o.addr == addr })
	b.nodes = append(b.nodes, n)
	return n
}

// start switches the node on. The caller holds bus.mu.
func (n *Node) start() {
	n.id.Boot++
	n.node, n.since = bridge.NewNode(n.addr, n.id), time.Now()
}

// receive gives the node's reply to a frame. The caller holds bus.mu.
func (n *Node) receive(frame []byte) []byte {
	reply := n.node.Receive(n.now(), frame)
	n.addr = n.node.Addr()
	if image, err := bridge.ParseImage(n.node.Installed()); err == nil { // the firmware it starts with is the image's
		n.id.Version, n.id.Schema = image.Version, image.Schema
		n.start()
	}
	return reply
}

func (n *Node) now() uint64 { return uint64(time.Since(n.since).Microseconds()) }

// do lets f work the node, as its player or its builder.
func (n *Node) do(f func()) {
	n.bus.mu.Lock()
	defer n.bus.mu.Unlock()
	n.change(f)
}

// change runs f and wakes Await if the display is another afterwards. The caller holds bus.mu.
func (n *Node) change(f func()) {
	before := n.display()
	f()
	if n.display() != before {
		close(n.changed)
		n.changed = make(chan struct{})
	}
}

// Press presses a key and lets it go. For [bridge.KeyBet] an amount above 0 is typed first; else it is 0.
func (n *Node) Press(k bridge.Key, amount int64) { n.do(func() { n.press(k, amount) }) }

// Answer is Press for the decision with that number; where the panel asks for another by now, nothing is pressed.
func (n *Node) Answer(prompt uint8, k bridge.Key, amount int64) {
	n.do(func() {
		if ask, _ := n.node.Asked(); ask.Prompt == prompt {
			n.press(k, amount)
		}
	})
}

func (n *Node) press(k bridge.Key, amount int64) {
	if amount > 0 {
		n.node.Clear()
		for _, d := range strconv.FormatInt(amount, 10) {
			n.node.Digit(uint8(d - '0'))
		}
	}
	n.node.Press(n.now(), k)
	n.node.Release(n.now(), k)
}

// Hold presses a key and keeps it down, LetGo lets it go.
func (n *Node) Hold(k bridge.Key) { n.do(func() { n.node.Press(n.now(), k) }) }

// LetGo ends Hold.
func (n *Node) LetGo(k bridge.Key) { n.do(func() { n.node.Release(n.now(), k) }) }

// Weigh lays on the scale what makes its converter count so many. Before the first time the node has no scale.
func (n *Node) Weigh(counts int32) { n.do(func() { n.node.Weigh(n.now(), counts) }) }

// Turn turns the encoder by that many steps.
func (n *Node) Turn(steps int) { n.do(func() { n.node.Turn(steps) }) }

// Display is what a player sees of a panel.
type Display struct {
	Text   string // lines parted by newlines
	Lamps  bridge.Lamps
	Ask    bridge.Ask // the decision asked for
	Amount uint64     // prepared for the bet key, in chips
}

// Display tells what the panel shows now.
func (n *Node) Display() Display {
	n.bus.mu.Lock()
	defer n.bus.mu.Unlock()
	return n.display()
}

func (n *Node) display() Display {
	ask, amount := n.node.Asked()
	return Display{Text: n.node.Text(), Lamps: n.node.Lamps(), Ask: ask, Amount: amount}
}

// Await waits, as a player does, until the panel shows what is wanted. The error is ctx's.
func (n *Node) Await(ctx context.Context, wanted func(Display) bool) (Display, error) {
	for {
		n.bus.mu.Lock()
		d, changed := n.display(), n.changed
		n.bus.mu.Unlock()
		if wanted(d) {
			return d, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// Reset switches the node off and on: it forgets everything, keys the host has not fetched too.
func (n *Node) Reset() { n.do(n.start) }

// Identity is what the node says of itself.
func (n *Node) Identity() (id bridge.Identity) {
	n.do(func() { id = n.id })
	return id
}

// Addr is the address the node has.
func (n *Node) Addr() (addr bridge.Addr) {
	n.do(func() { addr = n.addr })
	return addr
}

// Flash installs firmware that was built from the message table with the given hash, and starts it.
func (n *Node) Flash(schema uint32) {
	n.do(func() {
		n.id.Schema = schema
		n.start()
	})
}

// Silence cuts the node's wires to the bus, or mends them. The node goes on.
func (n *Node) Silence(on bool) { n.do(func() { n.silent = on }) }
