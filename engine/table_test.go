package engine_test

import (
	"encoding/json"
	"slices"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/selfplay"
)

// failer is what a table under test needs of a test: testing's and rapid's have it.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// table is a table under test. Every input goes through apply, which checks afterwards all that must hold at any time.
type table struct {
	t failer
	*selfplay.Table
}

func newTable(t failer, rules *engine.Rules) *table { return &table{t, selfplay.NewTable(rules)} }

// apply puts one input to the engine, with all checks of package selfplay, of which everything is tried that is and that is
// not awaited then. Besides, what is taken must leave a table that reads back from its text and keeps its secrets.
func (tb *table) apply(in engine.Input) ([]engine.Event, error) {
	tb.t.Helper()
	refusal, fault := tb.Apply(in)
	if fault != nil {
		tb.t.Fatalf("%+v: %v", in, fault)
	}
	if refusal != nil {
		return nil, refusal
	}
	events := slices.Clone(tb.Events())
	tb.checkText(events)
	tb.checkSecrets(events)
	if _, _, fault := tb.Probe(); fault != nil {
		tb.t.Fatalf("after %+v: %v", in, fault)
	}
	return events, nil
}

// checkText checks that the journal's text of events and state gives them back.
func (tb *table) checkText(events []engine.Event) {
	tb.t.Helper()
	for _, e := range events {
		again[engine.Event](tb.t, e, nil)
		if e.Kind == engine.BettingOpened || e.Kind == engine.HandEnded { // often enough: it takes long
			again[engine.State](tb.t, tb.State, func(s *engine.State) { s.Rules = tb.State.Rules })
		}
	}
}

func again[T comparable](t failer, v T, mend func(*T)) {
	t.Helper()
	text, err := json.Marshal(v)
	var back T
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if mend != nil {
		mend(&back)
	}
	if err != nil || back != v {
		t.Fatalf("%s does not read back as it was: %v\n%+v\n%+v", text, err, back, v)
	}
}

// checkSecrets checks, letter by letter, that no view or redacted event tells a card that its viewer may not see. Where no
// card has moved, nothing is new.
func (tb *table) checkSecrets(events []engine.Event) {
	tb.t.Helper()
	if !slices.ContainsFunc(events, func(e engine.Event) bool {
		return e.Card != card.None || e.Cards != engine.Cards{} || e.Kind == engine.HandEnded
	}) {
		return
	}
	for seat := engine.Seat(0); seat <= engine.MaxSeats; seat++ {
		if seat > 1 && !tb.State.Seats[seat].Taken {
			continue // sees what the public does
		}
		viewer := engine.Viewer{Seat: seat}
		seen := []any{engine.ViewFor(tb.State, viewer)}
		for _, e := range events {
			seen = append(seen, engine.Redact(e, viewer))
		}
		text, err := json.Marshal(seen)
		if err != nil {
			tb.t.Fatalf("%v", err)
		}
		for _, c := range tb.Secrets(seat).Cards() {
			if strings.Contains(string(text), c.String()) {
				tb.t.Fatalf("a viewer at seat %d sees %v: %s", seat, c, text)
			}
		}
	}
}
