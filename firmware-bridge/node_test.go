package bridge

import (
	"bytes"
	"reflect"
	"testing"
)

var seatIdentity = Identity{UID: 0xE1, Boot: 1000, Schema: SchemaHash(), Version: 0x0100, Kind: KindSeat}

// tester speaks to a node as a host would.
type tester struct {
	*testing.T
	node *Node
	seq  uint8
}

func newTester(t *testing.T) *tester {
	te := &tester{T: t, node: NewNode(3, seatIdentity)}
	te.ask(Hello{}, seatIdentity)
	return te
}

// raw sends a request and gives the one frame that comes back.
func (te *tester) raw(request any) Frame {
	te.Helper()
	te.seq = (te.seq + 1) & ctlSeq
	id, payload, err := Encode(request)
	if err != nil {
		te.Fatal(err)
	}
	out := te.node.Receive(77, AppendFrame(nil, Frame{Addr: 3, Seq: te.seq, Type: id, Payload: payload}))
	frames := decode(new(Decoder), out)
	if len(frames) != 1 {
		te.Fatalf("%T: %d frames in reply", request, len(frames))
	}
	if f := frames[0]; f.Addr != 3 || !f.Reply || f.Seq != te.seq {
		te.Fatalf("%T: reply %+v does not belong to request %d", request, f, te.seq)
	}
	return frames[0]
}

// ask sends a request and checks the message that comes back.
func (te *tester) ask(request, want any) (more bool) {
	te.Helper()
	f := te.raw(request)
	got, err := Decode(ToHost, f.Type, f.Payload)
	if err != nil || !f.Ack || !reflect.DeepEqual(got, want) {
		te.Fatalf("%+v: reply %+v (ack %v), %v; want %+v", request, got, f.Ack, err, want)
	}
	return f.More
}

func TestNodeWantsToBeGreeted(t *testing.T) {
	te := &tester{T: t, node: NewNode(3, seatIdentity)}
	for _, request := range []any{Poll{}, Clock{}, Show{Text: "x"}} {
		if f := te.raw(request); f.Ack {
			t.Errorf("%T was carried out before the greeting", request)
		}
	}
	te.ask(Hello{}, seatIdentity)
	te.ask(Show{Text: "x"}, Ack{})
	if te.node.Text() != "x" {
		t.Errorf("shows %q", te.node.Text())
	}
}

func TestNodeSpeaksOnlyWhenAsked(t *testing.T) {
	te := newTester(t)
	for name, in := range map[string][]byte{
		"nothing":          nil,
		"noise":            {0, 1, 2, 3, 0, 0xFF, 0},
		"another's":        AppendFrame(nil, Frame{Addr: 4, Type: 1}),
		"another's reply":  AppendFrame(nil, Frame{Addr: 4, Reply: true, Type: 2}),
		"its own echo":     AppendFrame(nil, Frame{Addr: 3, Reply: true, Type: 3}),
		"to every node":    AppendFrame(nil, Frame{Addr: 0, Type: 1}),
		"to the nameless":  AppendFrame(nil, Frame{Addr: 15, Type: 1}),
		"half a request":   AppendFrame(nil, Frame{Addr: 3, Type: 1})[:4],
		"the rest, broken": {9, 9, 9, 0},
	} {
		if out := te.node.Receive(0, in); out != nil {
			t.Errorf("%s: % x in reply", name, out)
		}
	}
}

func TestNodeTakesBytesInAnyPieces(t *testing.T) {
	te := newTester(t)
	request := AppendFrame(nil, Frame{Addr: 3, Seq: 1, Type: 1})
	whole := te.node.Receive(0, request)
	var out []byte
	for _, b := range request {
		out = append(out, te.node.Receive(0, []byte{b})...)
	}
	if len(whole) == 0 || !bytes.Equal(out, whole) {
		t.Errorf("byte by byte % x, in one % x", out, whole)
	}
}

func TestNodeRefusesWhatItDoesNotKnow(t *testing.T) {
	te := newTester(t)
	out := te.node.Receive(0, AppendFrame(nil, Frame{Addr: 3, Seq: 6, Type: 200}))
	f := decode(new(Decoder), out)
	if len(f) != 1 || f[0].Ack || f[0].Seq != 6 || f[0].Type != 3 {
		t.Errorf("reply %+v, want a refusal", f)
	}
}

func TestNodeRepeatsEventsUntilTheHostHasThem(t *testing.T) {
	te := newTester(t)
	te.node.Press(10, KeyCall)
	te.node.Release(20, KeyCall)
	down, up := KeyRecord{At: 10, Key: KeyCall, Down: true}, KeyRecord{At: 20, Key: KeyCall}
	for range 2 {
		te.ask(Poll{Consumed: 0}, Events{First: 1, Events: []KeyRecord{down, up}})
	}
	te.ask(Poll{Consumed: 1}, Events{First: 2, Events: []KeyRecord{up}})
	te.ask(Poll{Consumed: 2}, Events{First: 3})
	id := seatIdentity
	id.Last = 2
	te.ask(Hello{}, id)
	te.ask(Clock{}, Time{Now: 77})
}

func TestNodeGivesEventsInFramefuls(t *testing.T) {
	te := newTester(t)
	for i := range uint64(eventsPerFrame + 1) {
		te.node.Press(i, KeyFold)
	}
	want := Events{First: 1}
	for i := range uint64(eventsPerFrame) {
		want.Events = append(want.Events, KeyRecord{At: i, Key: KeyFold, Down: true})
	}
	if more := te.ask(Poll{}, want); !more {
		t.Error("nothing is said of the rest")
	}
	rest := Events{First: eventsPerFrame + 1, Events: []KeyRecord{{At: eventsPerFrame, Key: KeyFold, Down: true}}}
	if more := te.ask(Poll{Consumed: eventsPerFrame}, rest); more {
		t.Error("more is promised than there is")
	}
}

// A full ring keeps the latest events, and the gap in their numbers tells how many are lost; across the wrap as well.
func TestNodeRingOverflow(t *testing.T) {
	for _, consumed := range []uint16{0, 65535, 65530, 40000} {
		te := newTester(t)
		te.node.last = consumed
		for i := range uint64(ringSize + 5) {
			te.node.Press(i, KeyFold)
		}
		f := te.raw(Poll{Consumed: consumed})
		got, err := Decode(ToHost, f.Type, f.Payload)
		if err != nil {
			t.Fatal(err)
		}
		e := got.(Events)
		if e.First != consumed+1+5 || len(e.Events) != eventsPerFrame || e.Events[0].At != 5 || !f.More {
			t.Errorf("after %d: first %d at %d, want 5 lost", consumed, e.First, e.Events[0].At)
		}
	}
}

func TestNodePreparesTheAmount(t *testing.T) {
	ask := Ask{Prompt: 9, Start: 200, Min: 200, Max: 1050, Step: 100}
	digits := func(s string) func(*Node) {
		return func(n *Node) {
			for _, d := range s {
				n.Digit(uint8(d - '0'))
			}
		}
	}
	turn := func(steps int) func(*Node) { return func(n *Node) { n.Turn(steps) } }
	for _, c := range []struct {
		name string
		do   []func(*Node)
		want uint64
	}{
		{"start", nil, 200},
		{"encoder", []func(*Node){turn(3), turn(-1)}, 400},
		{"encoder stops at the maximum", []func(*Node){turn(20)}, 1050},
		{"and comes back in whole steps", []func(*Node){turn(20), turn(-1)}, 950},
		{"encoder stops at the minimum", []func(*Node){turn(2), turn(-9)}, 200},
		{"digits begin anew", []func(*Node){turn(1), digits("750")}, 750},
		{"digits may leave the limits, the host judges", []func(*Node){digits("99999")}, 99999},
		{"digits beyond any amount are not taken", []func(*Node){digits("1234567890123456789")}, 123456789012345678},
		{"encoder brings a typed amount into the limits", []func(*Node){digits("7"), turn(0)}, 200},
		{"digits after the encoder begin anew", []func(*Node){digits("7"), turn(1), digits("8")}, 8},
		{"clear", []func(*Node){digits("750"), (*Node).Clear}, 200},
		{"digits after clear begin anew", []func(*Node){digits("750"), (*Node).Clear, digits("6")}, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			te := newTester(t)
			te.ask(ask, Ack{})
			for _, do := range c.do {
				do(te.node)
			}
			// Of the preparation nothing is heard.
			te.ask(Poll{}, Events{First: 1})
			te.ask(ask, Ack{}) // a repeated request must not undo it
			te.node.Press(1, KeyBet)
			te.node.Press(2, KeyCall)
			te.ask(Poll{}, Events{First: 1, Events: []KeyRecord{
				{At: 1, Key: KeyBet, Down: true, Prompt: 9, Amount: c.want},
				{At: 2, Key: KeyCall, Down: true, Prompt: 9},
			}})
		})
	}
}

func TestNodeHasNoAmountToChoose(t *testing.T) {
	te := newTester(t)
	te.ask(Ask{Prompt: 4}, Ack{})
	te.node.Digit(5)
	te.node.Turn(3)
	te.node.Press(1, KeyBet)
	te.ask(Poll{}, Events{First: 1, Events: []KeyRecord{{At: 1, Key: KeyBet, Down: true, Prompt: 4}}})
}

// Whatever request a greeted node gets, it gives one whole reply, unless it looks for another, and goes on working.
func FuzzNode(f *testing.F) {
	for _, msg := range sampleMessages {
		id, payload, _ := Encode(msg)
		f.Add(id, payload)
	}
	f.Fuzz(func(t *testing.T, id uint8, payload []byte) {
		if len(payload) > MaxPayload {
			return
		}
		te := newTester(t)
		out := te.node.Receive(1, AppendFrame(nil, Frame{Addr: 3, Seq: 4, Type: id, Payload: payload}))
		reply := decode(new(Decoder), out)
		if len(reply) == 0 && (id == 4 || id == 5) { // who and move, meant for another
			return
		}
		if len(reply) != 1 || reply[0].Seq != 4 {
			t.Fatalf("message %d % x: reply %+v", id, payload, reply)
		}
		if _, err := Decode(ToHost, reply[0].Type, reply[0].Payload); err != nil {
			t.Fatalf("message %d % x: %v", id, payload, err)
		}
		te.node.Digit(9)
		te.node.Turn(2)
		if te.node.Addr() == 3 {
			te.ask(Lamps{On: 3}, Ack{})
		}
	})
}
