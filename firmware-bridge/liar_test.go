package bridge

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// liar is a node that answers every request with a message of its own choice, in good form: what it says is a type, a length
// and as many bytes, again and again. An odd length, for which nothing is said, is a refusal, and at the end it is silent.
type liar struct {
	says    []byte
	decoder Decoder
	reply   []byte
	silent  bool
}

func (l *liar) Write(p []byte) (int, error) {
	for _, b := range p {
		req, ok := l.decoder.Push(b)
		if !ok {
			continue
		}
		if len(l.says) < 2 {
			l.silent = true
			continue
		}
		kind, n := l.says[0], int(l.says[1])
		l.says = l.says[2:]
		more := n&0x40 != 0
		n = min(n&0x3f, MaxPayload, len(l.says))
		l.reply = AppendFrame(l.reply, Frame{Addr: req.Addr, Reply: true, Seq: req.Seq, Ack: kind&0x80 == 0, More: more, Type: kind & 0x7f, Payload: l.says[:n]})
		l.says = l.says[n:]
	}
	return len(p), nil
}

func (l *liar) Read(p []byte) (int, error) {
	n := copy(p, l.reply)
	l.reply = l.reply[n:]
	if n == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return n, nil
}

func (l *liar) SetReadDeadline(time.Time) error { return nil }

// hearsay is a Handler that wants what it hears to make sense.
type hearsay struct{ t *testing.T }

func (h hearsay) Key(_ context.Context, a Addr, e KeyEvent) {
	if e.Lost < 0 || a != 1 { // a key that there is none of is told by its number
		h.t.Errorf("heard of node %d: %+v", a, e)
	}
}

func (h hearsay) Weight(_ context.Context, _ Addr, s Sample) {
	if !s.Over && (s.Counts < minCounts || s.Counts > maxCounts) {
		h.t.Errorf("heard %+v", s)
	}
}

func (h hearsay) Node(_ context.Context, _ Addr, s Status) {
	if (s.State == Online) != (s.Err == nil) {
		h.t.Errorf("heard %+v", s)
	}
}

// FuzzLiar: whatever a node says, the host goes on, hears nothing that cannot be, and ends what it was asked for.
func FuzzLiar(f *testing.F) {
	say := func(messages ...any) (out []byte) {
		for _, m := range messages {
			id, payload, err := Encode(m)
			if err != nil {
				f.Fatal(err)
			}
			out = append(append(out, id, byte(len(payload))), payload...)
		}
		return out
	}
	id := Identity{UID: 7, Boot: 1, Schema: SchemaHash(), Kind: KindSeat, Last: 3}
	f.Add(say(id, Ack{}, Ack{}, Ack{}, Time{Now: 5}, Weight{Counts: 12, State: ScaleGood}, Events{First: 4, Events: []KeyRecord{{Key: KeyBet, Down: true, Amount: 50}, {Key: KeyBet}}}))
	f.Add(say(id, Ack{}, Ack{}, Ack{}, Time{}, Weight{}, Events{First: 4, Events: []KeyRecord{{Key: 99, Down: true}}}))
	f.Add(say(id, Ack{}, Ack{}, Ack{}, Time{}, Weight{}, Events{First: 40000, Events: []KeyRecord{{Key: KeyFold, Down: true}}}))
	f.Add(say(id, Progress{Have: 20, State: ImagePartial}, Progress{Have: 1 << 31, State: ImagePartial}))
	f.Add(say(id, Progress{State: ImageReady}, Progress{State: ImageTaken}, Identity{Boot: 2}))
	f.Add(say(id, Ack{}, Ack{}, Ack{}, Time{}, Weight{Counts: 1 << 30, State: ScaleGood}, Events{}, Weight{State: 9}))
	f.Add(bytes.Repeat([]byte{0x83, 0}, 40))
	image := testImage(200, KindSeat)
	f.Fuzz(func(t *testing.T, says []byte) {
		says = says[:min(len(says), 1<<12)]
		now := time.Unix(0, 0)
		l := &liar{says: says}
		m, err := NewMaster(Config{Nodes: []Addr{1}, Handler: hearsay{t}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		m.Attach(l)
		for !l.silent {
			now = now.Add(time.Second)
			if _, err := m.Round(t.Context()); err != nil {
				t.Fatalf("the line is in order: %v", err)
			}
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond) // of the seconds that it may take to start
		defer stop()
		running, err := NewLine(&liar{says: says}, 0).Update(ctx, 1, image, func(have int) {
			if have > len(image) {
				t.Errorf("it has %d of %d bytes", have, len(image))
			}
		})
		if err == nil && running.Schema != SchemaHash() {
			t.Errorf("updated to %+v", running)
		}
		if _, err := NewLine(&liar{says: says}, 0).Find(ctx, 1); err != nil && ctx.Err() == nil && !errors.Is(err, errRefusal) && len(says) < 40 {
			t.Errorf("% x: %v", says, err)
		}
	})
}
