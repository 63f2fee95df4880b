package mqtt

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func newOutbox() *outbox { return &outbox{states: map[string]*message{}} }

func (o *outbox) drain() (all []string) {
	for batch := o.batch(); batch != nil; batch = o.batch() {
		for _, m := range batch {
			all = append(all, m.topic+" "+string(m.payload))
			o.done(m)
		}
	}
	return all
}

// restoreAll puts a batch back.
func (o *outbox) restoreAll(batch []*message) {
	for _, m := range slices.Backward(batch) {
		o.restore(m)
	}
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
	o.restoreAll(o.batch())
	if got, want := o.drain(), []string{"ev 1", "ev 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.push(state, "st", []byte("old"))
	batch := o.batch()
	o.push(state, "st", []byte("new"))
	o.restoreAll(batch)
	if got, want := o.drain(), []string{"st new"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// Those on which the broker hung up go alone.
	for i := range 4 {
		o.push(event, "ev", fmt.Append(nil, i))
		o.waiting[i].suspect = i == 1 || i == 2
	}
	for i, want := range []int{1, 1, 1, 1} {
		if got := len(o.batch()); got != want {
			t.Errorf("batch %d is of %d, want %d", i, got, want)
		}
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
	m := o.batch()[0]
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
			first = o.batch() // under way all the time
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
		var flying []*message         // taken and not settled
		var taken []string
		serial := 0
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
				n := min(len(model), batchSize)
				taken, model = slices.Clone(model[:n]), model[n:]
				var got []string
				flying = o.batch()
				for _, m := range flying {
					got = append(got, fmt.Sprintf("%c %s %s", "eps"[m.kind], m.topic, m.payload))
				}
				if !slices.Equal(got, taken) {
					t.Fatalf("took %q, want %q", got, taken)
				}
			},
			"done": func(t *rapid.T) {
				if flying == nil {
					t.Skip("nothing")
				}
				for _, m := range flying {
					o.done(m)
					if m.kind == state && len(m.payload) == 0 && at(m.topic) < 0 {
						delete(newest, m.topic)
						order = slices.DeleteFunc(order, func(s string) bool { return s == m.topic })
					}
				}
				flying = nil
			},
			"lost": func(*rapid.T) {
				o.restoreAll(flying)
				for i, m := range slices.Backward(flying) {
					if m.kind != state || at(m.topic) < 0 {
						model = slices.Insert(model, 0, taken[i])
					}
				}
				flying = nil
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
