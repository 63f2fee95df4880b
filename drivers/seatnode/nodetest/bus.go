package nodetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"tavolo/drivers/port"
	"tavolo/drivers/sim"
	bridge "tavolo/firmware-bridge"
)

// Bus is a pair of wires with nodes on it, and at one end the host's adapter, which keeps its receiver on. What anybody
// sends is heard by all, the sender too, and what several send at once is heard mixed up. Its methods may be called from
// any goroutine.
type Bus struct {
	host *sim.PTY

	mu       sync.Mutex // held while bytes go over the wires
	taps     []*tap
	requests map[bridge.Addr]int
	decoder  bridge.Decoder
}

// tap is where a node hangs on the wires.
type tap struct {
	*port.Port
	uid uint64
	cut bool
}

// NewBus gives a bus with nodes that have no address yet, until the test ends. The host's end is at path.
func NewBus(t testing.TB, path string, nodes ...*Node) *Bus {
	t.Helper()
	host, err := sim.NewPTY(path)
	if err != nil {
		t.Fatal(err)
	}
	b := &Bus{host: host, requests: map[bridge.Addr]int{}}
	var ends sync.WaitGroup
	t.Cleanup(func() {
		err := host.Close()
		for _, n := range b.taps {
			err = errors.Join(err, n.Close())
		}
		if err != nil {
			t.Error(err)
		}
		ends.Wait()
	})
	for _, n := range nodes {
		p, err := port.Open(port.Options{Path: n.Path()})
		if err != nil {
			t.Fatal(err)
		}
		b.taps = append(b.taps, &tap{Port: p, uid: n.UID})
		heard(t, p, bridge.Nameless) // or it answered later what all were asked meanwhile
		if err := p.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	carry := func(from io.Reader, send func([]byte) error) {
		ends.Go(func() {
			if err := listen(from, send); err != nil {
				t.Error(err)
			}
		})
	}
	carry(host, b.ask)
	for _, n := range b.taps {
		carry(n, func(p []byte) error { return b.reply(n, p) })
	}
	return b
}

// listen gives send what comes from one end, until that is closed.
func listen(from io.Reader, send func([]byte) error) error {
	buf := make([]byte, 256)
	for {
		n, err := from.Read(buf)
		if err == nil {
			err = send(buf[:n])
		}
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("nodetest: bus: %w", err)
		}
	}
}

// ask carries what the host sends.
func (b *Bus) ask(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range p {
		if f, ok := b.decoder.Push(c); ok {
			b.requests[f.Addr]++
		}
	}
	return b.send(p)
}

// reply carries what a node sends.
func (b *Bus) reply(from *tap, p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if from.cut {
		return nil
	}
	return b.send(p)
}

// send brings bytes to all ends. The caller holds mu.
func (b *Bus) send(p []byte) error {
	_, err := b.host.Write(p)
	for _, n := range b.taps {
		if !n.cut {
			_, late := n.Write(p)
			err = errors.Join(err, late)
		}
	}
	return err
}

// Cut cuts a node's wires, or mends them. The node goes on.
func (b *Bus) Cut(n *Node, cut bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range b.taps {
		if at.uid == n.UID {
			at.cut = cut
		}
	}
}

// Requests is how many requests the host has made of an address.
func (b *Bus) Requests(at bridge.Addr) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests[at]
}
