package mqtt

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func newOutbox() *outbox { return &outbox{states: map[string]*message{}} }

func (o *outbox) drain() (all []string) {
	for m := o.take(); m != nil; m = o.take() {
		all = append(all, m.topic+" "+string(m.payload))
		o.done(m)
	}
	return all
}

func TestOutboxKeepsOrderAndMergesState(t *testing.T) {
	o := newOutbox()
	o.push(event, "ev", []byte("1"))
	o.push(state, "st", []byte("a"))
	o.push(send, "hole", []byte("x"))
	o.push(event, "ev", []byte("2"))
	o.push(state, "st", []byte("b"))
	if got, want := o.drain(), []string{"ev 1", "st b", "hole x", "ev 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.push(event, "ev", []byte("3"))
	o.push(state, "other", []byte("c"))
	o.refresh() // a new connection: all state first, then what waited
	if got, want := o.drain(), []string{"st b", "ev 3", "other c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutboxRestores(t *testing.T) {
	o := newOutbox()
	o.push(event, "ev", []byte("1"))
	o.push(event, "ev", []byte("2"))
	m := o.take()
	o.restore(m)
	if got, want := o.drain(), []string{"ev 1", "ev 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.push(state, "st", []byte("old"))
	m = o.take()
	o.push(state, "st", []byte("new"))
	o.restore(m)
	if got, want := o.drain(), []string{"st new"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutboxForgetsStateTakenAway(t *testing.T) {
	o := newOutbox()
	o.push(state, "st", []byte("a"))
	o.push(state, "st", nil)
	if got, want := o.drain(), []string{"st "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.refresh()
	if got := o.drain(); got != nil {
		t.Errorf("sent again: %q", got)
	}
	// Taken away and set again while the first is under way.
	o.push(state, "st", nil)
	m := o.take()
	o.push(state, "st", []byte("b"))
	o.done(m)
	o.refresh()
	if got, want := o.drain(), []string{"st b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutboxBounds(t *testing.T) {
	o := newOutbox()
	first := make([]*message, 0, 1)
	for i := range MaxEvents + 10 {
		o.push(event, "ev", fmt.Append(nil, i))
		if i == 0 {
			first = append(first, o.take()) // under way all the time
		}
	}
	for i := range MaxSends + 5 {
		o.push(send, "hole", fmt.Append(nil, i))
	}
	for i := range MaxStates + 3 {
		o.push(state, fmt.Sprint("st", i), []byte("x"))
	}
	o.push(event, "ev", make([]byte, MaxPayload+1))
	o.restore(first[0])
	o.push(event, "ev", []byte("last"))
	if want := [kinds]uint64{event: 9 + 1 + 2, send: 5, state: 3}; o.dropped != want {
		t.Errorf("dropped %v, want %v", o.dropped, want)
	}
	got := o.drain()
	if n := MaxEvents + MaxSends + MaxStates; len(got) != n {
		t.Errorf("%d wait, want %d", len(got), n)
	}
	if got[0] != "ev 11" || got[MaxEvents-1] != "hole 5" || got[len(got)-1] != "ev last" {
		t.Errorf("first %q, hole %q, last %q", got[0], got[MaxEvents-1], got[len(got)-1])
	}
}

// TestOutboxAgainstModel does random things to an outbox and to a slow model of it.
func TestOutboxAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOutbox()
		var model []string            // what waits, "kind topic payload"
		newest := map[string]string{} // by state topic
		var order []string            // of state topics, as they came
		var flying *message           // taken and not settled
		taken, serial := "", 0
		at := func(topic string) int {
			return slices.IndexFunc(model, func(s string) bool { return len(s) > 2 && s[:4] == "s "+topic })
		}
		t.Repeat(map[string]func(*rapid.T){
			"event": func(*rapid.T) {
				serial++
				o.push(event, "ev", fmt.Append(nil, serial))
				model = append(model, fmt.Sprint("e ev ", serial))
			},
			"state": func(t *rapid.T) {
				topic := rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(t, "topic")
				payload := ""
				if rapid.Bool().Draw(t, "keep") {
					serial++
					payload = fmt.Sprint(serial)
				}
				o.push(state, topic, []byte(payload))
				if _, known := newest[topic]; !known {
					order = append(order, topic)
				}
				newest[topic] = payload
				line := "s " + topic + " " + payload
				if i := at(topic); i >= 0 {
					model[i] = line
				} else {
					model = append(model, line)
				}
			},
			"take": func(t *rapid.T) {
				if flying != nil {
					t.Skip("one at a time")
				}
				flying, taken = o.take(), ""
				if len(model) > 0 {
					taken, model = model[0], model[1:]
				}
				got := ""
				if flying != nil {
					got = fmt.Sprintf("%c %s %s", "eps"[flying.kind], flying.topic, flying.payload)
				}
				if got != taken {
					t.Fatalf("took %q, want %q", got, taken)
				}
			},
			"done": func(t *rapid.T) {
				if flying == nil {
					t.Skip("nothing")
				}
				o.done(flying)
				topic := flying.topic
				if flying.kind == state && len(flying.payload) == 0 && at(topic) < 0 {
					delete(newest, topic)
					order = slices.DeleteFunc(order, func(s string) bool { return s == topic })
				}
				flying = nil
			},
			"lost": func(*rapid.T) {
				if flying != nil {
					o.restore(flying)
					if flying.kind != state || at(flying.topic) < 0 {
						model = slices.Insert(model, 0, taken)
					}
					flying = nil
				}
				o.refresh()
				for _, topic := range slices.Backward(order) {
					if at(topic) < 0 {
						model = slices.Insert(model, 0, "s "+topic+" "+newest[topic])
					}
				}
			},
			"": func(t *rapid.T) {
				if len(o.waiting) != len(model) || o.count[event]+o.count[state] != len(model) {
					t.Fatalf("%d wait (%v), want %q", len(o.waiting), o.count, model)
				}
			},
		})
	})
}
