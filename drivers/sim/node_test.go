package sim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	bridge "tavolo/firmware-bridge"
)

// busHost is a bus with a node at address 3 and the host's end of its cable.
type busHost struct {
	*testing.T
	port *os.File
	bus  *Bus
	node *Node
}

func newBusHost(t *testing.T) *busHost {
	t.Helper()
	p := newPTY(t)
	h := &busHost{T: t, port: host(t, p), bus: NewBus(p)}
	h.node = h.bus.Add(3)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- h.bus.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *busHost) send(addr bridge.Addr, request any) (frame []byte) {
	h.Helper()
	id, payload, err := bridge.Encode(request)
	if err != nil {
		h.Fatal(err)
	}
	frame = bridge.AppendFrame(nil, bridge.Frame{Addr: addr, Type: id, Payload: payload})
	if _, err := h.port.Write(frame); err != nil {
		h.Fatal(err)
	}
	return frame
}

// hear gives the message in the next reply.
func (h *busHost) hear() any {
	h.Helper()
	var d bridge.Decoder
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(h.port, b); err != nil {
			h.Fatal(err)
		}
		if f, ok := d.Push(b[0]); ok && f.Reply {
			body, err := bridge.Decode(bridge.ToHost, f.Type, f.Payload)
			if err != nil {
				h.Fatal(err)
			}
			return body
		}
	}
}

func (h *busHost) greet() bridge.Identity {
	h.Helper()
	h.send(3, bridge.Hello{})
	return h.hear().(bridge.Identity)
}

func TestBusNode(t *testing.T) {
	h := newBusHost(t)
	first := h.greet()
	h.send(3, bridge.Ask{Prompt: 5, Max: 900})
	h.hear()
	h.node.Answer(4, bridge.KeyFold, 0) // which is over
	h.node.Answer(5, bridge.KeyBet, 250)
	h.send(3, bridge.Poll{})
	down := h.hear().(bridge.Events).Events[0]
	if down.Key != bridge.KeyBet || !down.Down || down.Amount != 250 || down.Prompt != 5 {
		t.Errorf("pressed: %+v", down)
	}

	h.node.Reset()
	if d := h.node.Display(); d != (Display{}) {
		t.Errorf("after a reset the panel shows %+v", d)
	}
	if again := h.greet(); again.Boot == first.Boot || again.UID != first.UID || again.Last != 0 {
		t.Errorf("before the reset %+v, after it %+v", first, again)
	}
	h.node.Flash(0xABCD)
	if id := h.greet(); id.Schema != 0xABCD {
		t.Errorf("flashed: %+v", id)
	}
}

func TestBusAwait(t *testing.T) {
	h := newBusHost(t)
	h.greet()
	shown := make(chan Display)
	go func() {
		d, _ := h.node.Await(t.Context(), func(d Display) bool { return d.Ask.Prompt == 2 })
		shown <- d
	}()
	for _, msg := range []any{bridge.Show{Text: "your turn"}, bridge.Ask{Prompt: 1}, bridge.Ask{Prompt: 2}} {
		h.send(3, msg)
		h.hear()
	}
	if d := <-shown; d.Text != "your turn" || d.Ask.Prompt != 2 {
		t.Errorf("awaited %+v", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.node.Await(ctx, func(Display) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("await after the end: %v", err)
	}
}

func TestBusFaults(t *testing.T) {
	h := newBusHost(t)
	other := h.bus.Add(4)
	h.bus.Echo(true)
	ask := func(addr bridge.Addr) {
		t.Helper()
		want := h.send(addr, bridge.Hello{})
		got := make([]byte, len(want))
		if _, err := io.ReadFull(h.port, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("echo % x, %v; want % x", got, err, want)
		}
	}
	// Two requests get lost, and a silent node does not answer: the first reply is to the last request.
	h.bus.Inject(2, Mute())
	ask(3)
	ask(3)
	h.node.Silence(true)
	ask(3)
	ask(4)
	if id := h.hear().(bridge.Identity); id.UID != other.Identity().UID {
		t.Errorf("%x answers", id.UID)
	}
	h.node.Silence(false)
	ask(3)
	if id := h.hear().(bridge.Identity); id.UID != h.node.Identity().UID {
		t.Errorf("%x answers", id.UID)
	}
}

// A technician finds nodes that have no address, gives them one and new firmware, over a real terminal.
func TestBusLine(t *testing.T) {
	h := newBusHost(t)
	new1, new2 := h.bus.Add(bridge.Nameless), h.bus.Add(bridge.Nameless)
	ctx, line := t.Context(), bridge.NewLine(h.port, 0)
	found, err := line.Find(ctx, bridge.Nameless)
	if err != nil || len(found) != 2 || found[0].UID != new1.Identity().UID || found[1].UID != new2.Identity().UID {
		t.Fatalf("found %+v, %v", found, err)
	}
	if err := line.Move(ctx, new2.Identity().UID, bridge.Nameless, 5); err != nil || new2.Addr() != 5 {
		t.Fatalf("moved to %d, %v", new2.Addr(), err)
	}
	image := make([]byte, 500)
	copy(image[28:], "TVLN\x01\x00\x03\x02\xEF\xBE\xAD\xDE\xF4\x01\x00\x00")
	before := new2.Identity()
	if _, err := line.Update(ctx, 5, image, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if id := new2.Identity(); id.Version != 0x0203 || id.Schema != 0xDEADBEEF || id.Boot == before.Boot || new2.Addr() != 5 {
		t.Errorf("before %+v, after %+v at %d", before, id, new2.Addr())
	}
}
