package bridge

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bus is a Port with nodes on it, in memory, for use in a synctest bubble. It takes the time a line at 115200 baud
// takes.
type bus struct {
	inbox    []byte // of the goroutine that reads and writes, like deadline
	deadline time.Time

	mu     sync.Mutex
	nodes  map[Addr]*Node // by the address they had first
	since  map[Addr]time.Time
	heard  map[Addr]int // requests to each address
	echo   bool
	drowns bool                                   // of replies that collide the first is heard, as if there were no other
	dead   bool                                   // the port is unplugged
	fault  func(toHost bool, frame []byte) []byte // what arrives of a frame at the other end
}

var errUnplugged = errors.New("unplugged")

const byteTime = 86800 * time.Nanosecond

// testIdentity is what a good node of firmware 1.2 says at its first start.
func testIdentity(a Addr) Identity {
	return Identity{UID: 0xAB00 + uint64(a), Boot: 1, Schema: SchemaHash(), Version: 0x0102, Kind: KindSeat}
}

func newBus(addrs ...Addr) *bus {
	b := &bus{nodes: make(map[Addr]*Node), since: make(map[Addr]time.Time), heard: make(map[Addr]int)}
	for _, a := range addrs {
		b.start(a, testIdentity(a))
	}
	return b
}

// start switches a node on, in place of the one before.
func (b *bus) start(a Addr, id Identity) {
	b.change(func() { b.nodes[a], b.since[a] = NewNode(a, id), time.Now() })
}

func (b *bus) change(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do()
}

// with gives do the node at a, and its time.
func (b *bus) with(a Addr, do func(n *Node, now uint64)) {
	b.change(func() { do(b.nodes[a], b.now(a)) })
}

func (b *bus) now(a Addr) uint64 { return uint64(time.Since(b.since[a]).Microseconds()) }

func (b *bus) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(len(p)) * byteTime)
	replies, err := b.request(p)
	if err != nil {
		return 0, err
	}
	if len(replies) > 0 {
		time.Sleep(200*time.Microsecond + time.Duration(len(replies))*byteTime)
		b.inbox = append(b.inbox, replies...)
	}
	return len(p), nil
}

// request brings p to all nodes, and what they say and the echo back.
func (b *bus) request(p []byte) (back []byte, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead {
		return nil, errUnplugged
	}
	for _, f := range decode(new(Decoder), p) {
		b.heard[f.Addr]++
	}
	arrived := b.carry(false, p)
	if b.echo {
		back = arrived
	}
	var replies [][]byte
	for _, a := range slices.Sorted(maps.Keys(b.nodes)) {
		n := b.nodes[a]
		if reply := n.Receive(b.now(a), arrived); reply != nil {
			replies = append(replies, b.carry(true, reply))
		}
		if image, err := ParseImage(n.Installed()); err == nil {
			id := n.id
			id.Boot, id.Version, id.Schema = id.Boot+1, image.Version, image.Schema
			b.nodes[a], b.since[a] = NewNode(n.Addr(), id), time.Now()
		}
	}
	if b.drowns && len(replies) > 1 {
		replies = replies[:1]
	}
	return append(back, collide(replies)...), nil
}

// collide is what is heard of replies that are sent at the same time: where one sender pulls the line low, it is low.
func collide(replies [][]byte) (heard []byte) {
	for _, r := range replies {
		for i, b := range r {
			if i == len(heard) {
				heard = append(heard, b)
			}
			heard[i] &= b
		}
	}
	return heard
}

func (b *bus) carry(toHost bool, frame []byte) []byte {
	if b.fault != nil {
		return b.fault(toHost, frame)
	}
	return frame
}

func (b *bus) SetReadDeadline(t time.Time) error {
	b.deadline = t
	return nil
}

func (b *bus) Read(p []byte) (int, error) {
	if len(b.inbox) == 0 {
		time.Sleep(time.Until(b.deadline))
	}
	if !time.Now().Before(b.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(p, b.inbox)
	b.inbox = b.inbox[n:]
	return n, nil
}

// record is a Handler that writes down what it is told.
type record struct {
	mu      sync.Mutex
	keys    map[Addr][]KeyEvent
	status  map[Addr][]Status
	samples map[Addr][]Sample
	hold    chan struct{} // while not nil, Key waits for it
}

func (r *record) Key(ctx context.Context, a Addr, e KeyEvent) {
	if r.hold != nil {
		select {
		case <-r.hold:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[a] = append(r.keys[a], e)
}

func (r *record) Weight(_ context.Context, a Addr, s Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples[a] = append(r.samples[a], s)
}

func (r *record) Node(_ context.Context, a Addr, s Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status[a] = append(r.status[a], s)
}

func newRecord() *record {
	return &record{keys: make(map[Addr][]KeyEvent), status: make(map[Addr][]Status), samples: make(map[Addr][]Sample)}
}

func (r *record) keysOf(a Addr) []KeyEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys[a]
}

func (r *record) statusOf(a Addr) []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status[a]
}

// table is a bus with a running Master.
type table struct {
	*testing.T
	*bus
	*record
	master *Master
	stop   func() // ends Run and waits for it
}

// inBubble runs f in a synctest bubble with a Master for the given nodes on b, all greeted.
func inBubble(t *testing.T, addrs []Addr, f func(*table)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tb := newTable(t, newBus(addrs...), addrs, 0)
		f(tb)
		tb.stop()
	})
}

func newTable(t *testing.T, b *bus, addrs []Addr, reply time.Duration) *table {
	t.Helper()
	tb := &table{T: t, bus: b, record: newRecord()}
	var err error
	if tb.master, err = NewMaster(Config{Nodes: addrs, Reply: reply, Handler: tb.record}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		for {
			err := tb.master.Run(ctx, b)
			if err == nil {
				close(done)
				return
			}
			if !errors.Is(err, errUnplugged) {
				t.Error(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	tb.stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	time.Sleep(time.Second)
	return tb
}
