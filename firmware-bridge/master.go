package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	defaultRound = 10 * time.Millisecond
	defaultReply = 30 * time.Millisecond
	calmInterval = 50 * time.Millisecond // between two visits to the nodes that ask for no decision

	offlineAfter  = 3                      // misses in a row, the last of them
	stallTime     = 150 * time.Millisecond // after the one before: a busy host is kept from running, or hears of bytes it has, no longer
	probeInterval = 500 * time.Millisecond // between two attempts to reach a node that is not online
	clockInterval = 5 * time.Second        // between two looks at a node's clock
	weighInterval = 250 * time.Millisecond // between two looks at a node's scale
	scaleInterval = 5 * time.Second        // between two looks whether it has one
)

// Port is the line to the bus.
type Port interface {
	// Write sends all of p or says why not. Read waits for at least one byte.
	io.ReadWriter
	// SetReadDeadline makes Read return an error that is os.ErrDeadlineExceeded from t on.
	SetReadDeadline(t time.Time) error
}

// Handler is told what happens on the bus. Its methods are called by the goroutine of Run, one at a time and in order.
// While one of them blocks, the bus stands still and key events wait in the nodes, so a slow handler loses none before
// a node's ring is full. It must give up when ctx ends.
type Handler interface {
	// Key reports that a key went down or came up: once for each time it did.
	Key(ctx context.Context, a Addr, e KeyEvent)
	// Weight reports a sample of the scale at a node that has one, four times a second.
	Weight(ctx context.Context, a Addr, w Sample)
	// Node reports that a node's status changed.
	Node(ctx context.Context, a Addr, s Status)
}

// KeyEvent is a key going down or coming up.
type KeyEvent struct {
	Key    Key
	Down   bool
	At     time.Time // when it happened, good to some milliseconds
	Prompt uint8     // of the Ask the player had before them
	Amount uint64    // chips, with KeyBet going down; else 0
	Lost   int       // how many events of this node just before this one are lost, because its ring was full
}

// Sample is what a scale said.
type Sample struct {
	Counts int32     // of the converter: 24 bits, neither tared nor scaled
	Over   bool      // the weight is more, or less, than the converter can tell
	At     time.Time // when it was taken, good to some milliseconds
}

// Status is how a node does.
type Status struct {
	State    State
	Identity Identity // the zero Identity where the node has never answered
	// Epoch counts the node's starts, from 1. With a new one, keys that were down count as up, and events that had not
	// been fetched are gone with the node's memory. What the panel is to show, Run sends again.
	Epoch uint32
	Err   error // why it is not Online
}

// State is whether a node takes part.
type State uint8

const (
	Unknown State = iota // not tried yet
	Online               // greeted, and answers
	Offline              // does not answer; it is asked again twice a second
	Refused              // answers, but speaks another protocol or is no seat; it is asked again twice a second
)

// String gives the state in a word, as logs have it.
func (s State) String() string {
	return [...]string{Unknown: "unknown", Online: "online", Offline: "offline", Refused: "refused"}[s]
}

// Panel is everything a node is to show. The zero Panel is dark.
type Panel struct {
	Lamps Lamps
	Show  Show
	Ask   Ask
}

// parts is the messages a Panel is made of, in the order they are sent: the decision when all that explains it is there.
func (p Panel) parts() [3]any { return [3]any{p.Lamps, p.Show, p.Ask} }

// Config is what a Master needs to know.
type Config struct {
	Nodes []Addr // which addresses have a node, each from FirstAddr to LastAddr
	// Round is how often a node is polled that asks for a decision while nothing happens, 10 ms where it is 0. A key press is
	// heard of half a round later on average, plus the time on the wire. Work to do shortens the pause, a slow line lengthens
	// the round. The others, on which nobody waits, are polled every 50 ms.
	Round time.Duration
	// Reply is how long to wait for a node's reply, 30 ms where it is 0: the longest request and reply take 12 ms at
	// 115200 baud, the node 2 ms, and a USB adapter may hold a reply back for 16 ms.
	Reply   time.Duration
	Handler Handler
	// Now is the time to go by, time.Now where it is nil. A simulation in which it passes faster calls Round instead of Run.
	Now func() time.Time
}

// Stats count what happened on the bus since the start.
type Stats struct {
	Counters
	Echoes uint64        // own frames that came back, as they do on two wires
	Strays uint64        // replies nobody waited for any more
	Misses uint64        // requests without a reply in time
	Round  time.Duration // how long the latest round took, without the pause after it
}

// Master is the host's end of the bus. It alone begins to speak: it asks one node after the other for its key events,
// and tells them what to show.
type Master struct {
	handler Handler
	now     func() time.Time
	round   time.Duration
	schema  uint32
	wake    chan struct{} // holds one token when a Panel has changed

	// Of Run's goroutine:
	wire   wire
	nodes  []*node
	calmAt time.Time // when those on which nobody waits are visited next, all in one round: each start of the processor costs

	mu        sync.Mutex
	panels    map[Addr]Panel // what each configured node is to show
	published Stats
}

// node is what Run knows of one node.
type node struct {
	peer
	status  Status
	greeted bool // it has said who it is and we talk to it
	probeAt time.Time
	againAt time.Time // when it is visited next, after misses

	consumed uint16 // ID of the latest event handed on
	shown    [3]any // the parts of the Panel the node is known to have; nil: not known
	clock    clock
	clockAt  time.Time
	weighAt  time.Time
	pressing bool // is visited in each round: it asks for a decision, has more to say, or did not answer
}

// NewMaster checks cfg and gives a Master that is ready to Run.
func NewMaster(cfg Config) (*Master, error) {
	m := &Master{
		handler: cfg.Handler, now: cfg.Now, round: cfg.Round, wire: wire{reply: cfg.Reply}, schema: SchemaHash(),
		wake: make(chan struct{}, 1), panels: make(map[Addr]Panel),
	}
	if m.now == nil {
		m.now = time.Now
	}
	if m.round == 0 {
		m.round = defaultRound
	}
	if m.wire.reply == 0 {
		m.wire.reply = defaultReply
	}
	for _, a := range cfg.Nodes {
		if a < FirstAddr || a > LastAddr {
			return nil, fmt.Errorf("bridge: node address %d: want %d to %d", a, FirstAddr, LastAddr)
		}
		if _, twice := m.panels[a]; twice {
			return nil, fmt.Errorf("bridge: node address %d is given twice", a)
		}
		m.panels[a] = Panel{}
		m.nodes = append(m.nodes, &node{peer: peer{addr: a}})
	}
	return m, nil
}

// Set makes p what the node at a shows, now or when it can be reached, and again after each of its starts. A Panel
// that was not sent yet is replaced: only the latest counts. Any goroutine may call it; it does not wait. The error
// says that there is no such node, or that the text is too long.
func (m *Master) Set(a Addr, p Panel) error {
	if _, _, err := Encode(p.Show); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.panels[a]; !ok {
		return fmt.Errorf("bridge: no node has address %d", a)
	}
	m.panels[a] = p
	select {
	case m.wake <- struct{}{}:
	default: // it is awake already
	}
	return nil
}

// Stats may be called from any goroutine; it tells the state after the latest round.
func (m *Master) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.published
}

// Run works the bus at port. When ctx ends it darkens the panels and returns nil. When the port fails, every node is
// Offline and Run returns the error; it may be called again with the port reopened, and goes on where it was: presses
// made meanwhile wait in the nodes. One goroutine at a time may call it, and nothing else uses the port meanwhile.
func (m *Master) Run(ctx context.Context, port Port) error {
	m.wire.attach(port)
	for ctx.Err() == nil {
		start := m.now()
		busy, err := m.Round(ctx)
		if err != nil {
			return err
		}
		if !busy {
			m.pause(ctx, max(m.round-m.now().Sub(start), m.calm()))
		}
	}
	m.darken()
	return nil
}

// Attach makes port the one that Round uses, for whoever does not Run.
func (m *Master) Attach(port Port) { m.wire.attach(port) }

// Round visits each node once. It is busy when a node had more to say. The error is the port's, as in Run.
func (m *Master) Round(ctx context.Context) (busy bool, err error) {
	start := m.now()
	busy, err = m.goRound(ctx, start)
	m.publish(m.now().Sub(start))
	if err != nil {
		m.abandon(ctx, err)
	}
	return busy, err
}

// goRound is Round, the end of the port aside.
func (m *Master) goRound(ctx context.Context, now time.Time) (busy bool, _ error) {
	var due *node // of those that are not online the one to be tried: no more than one a round, they cost most
	all := !now.Before(m.calmAt)
	if all {
		m.calmAt = now.Add(calmInterval)
	}
	for _, n := range m.nodes {
		if panel := m.panel(n.addr); n.greeted && !n.againAt.After(now) && (all || n.pressing || n.shown != panel.parts()) {
			more, err := m.visit(ctx, n, panel)
			if err = m.failed(ctx, n, err); err != nil {
				return false, err
			}
			busy = busy || more
		}
		if !n.greeted && !n.probeAt.After(now) && (due == nil || n.probeAt.Before(due.probeAt)) {
			due = n
		}
	}
	if due == nil {
		return busy, nil
	}
	return busy, m.failed(ctx, due, m.greet(ctx, due))
}

// visit brings a node's panel up to date, and takes its weight and its key events. It ends with the first request that fails.
func (m *Master) visit(ctx context.Context, n *node, p Panel) (more bool, _ error) {
	n.pressing = true
	if err := m.update(n, p); err != nil {
		return false, err
	}
	if sent := m.now(); !sent.Before(n.clockAt) {
		r, err := exchange[Time](&m.wire, &n.peer, Clock{})
		if err != nil {
			return false, err
		}
		n.clock.compare(sent, m.now(), r.body.Now)
		n.clockAt = sent.Add(clockInterval)
	}
	if now := m.now(); !now.Before(n.weighAt) {
		r, err := exchange[Weight](&m.wire, &n.peer, Weigh{})
		if err != nil {
			return false, err
		}
		n.weighAt = now.Add(m.weighed(ctx, n, r.body))
	}
	r, err := exchange[Events](&m.wire, &n.peer, Poll{Consumed: n.consumed})
	if err != nil {
		return false, err
	}
	m.hand(ctx, n, r.body)
	n.pressing = p.Ask.Prompt != 0 || r.more
	return r.more, nil
}

// weighed tells the handler a sample, and returns when to ask for the next.
func (m *Master) weighed(ctx context.Context, n *node, w Weight) time.Duration {
	if w.State == ScaleNone {
		return scaleInterval
	}
	over := w.State != ScaleGood || w.Counts < minCounts || w.Counts > maxCounts // or what no converter says
	m.handler.Weight(ctx, n.addr, Sample{Counts: w.Counts, Over: over, At: n.clock.at(w.At)})
	return weighInterval
}

// update sends what n does not show of p.
func (m *Master) update(n *node, p Panel) error {
	for i, part := range p.parts() {
		if n.shown[i] == part {
			continue
		}
		n.shown[i] = nil // until the node has said so: it may have it though its answer is lost
		if _, err := exchange[Ack](&m.wire, &n.peer, part); err != nil {
			return err
		}
		n.shown[i] = part
	}
	return nil
}

// hand gives the handler the events it has not had.
func (m *Master) hand(ctx context.Context, n *node, e Events) {
	for i, r := range e.Events {
		lost := int16(e.First + uint16(i) - n.consumed - 1) // right across the wrap of IDs
		if lost < 0 {
			continue // had before
		}
		n.consumed += uint16(lost) + 1
		m.handler.Key(ctx, n.addr, KeyEvent{
			Key: r.Key, Down: r.Down, At: n.clock.at(r.At), Prompt: r.Prompt, Amount: r.Amount, Lost: int(lost),
		})
	}
}

// greet asks a node who it is, and decides whether to talk to it.
func (m *Master) greet(ctx context.Context, n *node) error {
	n.probeAt = m.now().Add(probeInterval)
	r, err := exchange[Identity](&m.wire, &n.peer, Hello{})
	if err != nil {
		return err
	}
	id := r.body
	s := Status{State: Online, Identity: id, Epoch: n.status.Epoch}
	switch {
	case s.Epoch == 0 || id.Boot != n.status.Identity.Boot: // a start not seen yet
		n.consumed = 0
		if s.Epoch == 0 { // what was pressed before anybody listened is not for us
			n.consumed = id.Last
		}
		s.Epoch++
		n.shown, n.clock, n.clockAt, n.weighAt = [3]any{}, clock{}, time.Time{}, time.Time{}
	case int16(id.Last-n.consumed) < 0: // away for so long that IDs went half round: only the ring is left
		n.consumed = id.Last - ringSize
	}
	s.Identity.Last = 0
	if s.Err = m.accept(id); s.Err != nil {
		s.State = Refused
	}
	n.greeted = s.State == Online
	m.tell(ctx, n, s)
	return nil
}

// accept says why a node cannot be talked to, nil if it can.
func (m *Master) accept(id Identity) error {
	if id.Schema != m.schema {
		return fmt.Errorf("bridge: firmware %d.%d of node %016x was built from message table %08x, this program from %08x: "+
			"install the firmware that belongs to it", id.Version>>8, id.Version&0xFF, id.UID, id.Schema, m.schema)
	}
	if id.Kind != KindSeat {
		return fmt.Errorf("bridge: node %016x is of kind %d, not a seat's panel (%d): check which device has this address",
			id.UID, id.Kind, KindSeat)
	}
	return nil
}

// failed takes note of how a visit ended. What it returns is an error of the port, which ends Run; a request without
// reply is made again in the next round, and the one that decides whether the node is lost a while later.
func (m *Master) failed(ctx context.Context, n *node, err error) error {
	switch {
	case errors.Is(err, errRefusal):
		n.greeted, n.probeAt = false, time.Time{} // it has started over: greet it at once
	case errors.Is(err, errNoReply):
		switch {
		case n.misses >= offlineAfter:
			m.lose(ctx, n, err)
		case n.misses == offlineAfter-1:
			n.againAt = m.now().Add(stallTime)
		}
	default:
		return err
	}
	return nil
}

// abandon takes all nodes for lost, until the next Run.
func (m *Master) abandon(ctx context.Context, err error) {
	for _, n := range m.nodes {
		m.lose(ctx, n, err)
		n.probeAt = time.Time{}
	}
}

func (m *Master) lose(ctx context.Context, n *node, err error) {
	if n.greeted {
		n.greeted, n.probeAt = false, m.now().Add(probeInterval)
	}
	s := n.status
	s.State, s.Err = Offline, err
	m.tell(ctx, n, s)
}

// tell reports a status unless it is the one reported before.
func (m *Master) tell(ctx context.Context, n *node, s Status) {
	old := n.status
	n.status = s
	if s.State != old.State || s.Identity != old.Identity || s.Epoch != old.Epoch {
		m.handler.Node(ctx, n.addr, s)
	}
}

// calm is how long no node needs a visit, unless its Panel changes.
func (m *Master) calm() time.Duration {
	next := m.calmAt
	for _, n := range m.nodes {
		switch {
		case n.greeted && n.pressing:
			return 0
		case !n.greeted && n.probeAt.Before(next):
			next = n.probeAt
		}
	}
	return next.Sub(m.now())
}

// pause waits for the next round or a changed Panel.
func (m *Master) pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-m.wake:
	case <-ctx.Done():
	}
}

// darken leaves the panels inert. A node that misses as many requests as make it offline is left as it is: who ends must
// not wait for one that is in trouble.
func (m *Master) darken() {
	for _, n := range m.nodes {
		n.misses = 0 // what was missed before is of another request
		for n.greeted && n.misses < offlineAfter {
			if err := m.update(n, Panel{}); !errors.Is(err, errNoReply) {
				break
			}
		}
	}
}

func (m *Master) publish(round time.Duration) {
	s := m.wire.stats
	s.Counters, s.Round = m.wire.decoder.Counters, round
	m.mu.Lock()
	defer m.mu.Unlock()
	m.published = s
}

func (m *Master) panel(a Addr) Panel {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.panels[a]
}
