package controller

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
)

// followedBy yields records and then an error.
func followedBy(rs iter.Seq2[journal.Record, error], err error) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for r, err := range rs {
			if !yield(r, err) {
				return
			}
		}
		yield(journal.Record{}, err)
	}
}

// twoHands are the entries of a hand, of a new segment, and of a hand that is still in play.
func twoHands(t *testing.T) (entries []journal.Entry, first engine.State) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.playHand()
		first = *d.state()
		for _, c := range card.French.Cards()[:d.dealt()] {
			d.place("muck", c)
		}
		segment := []journal.Entry{{Kind: journal.Snapshot, Payload: d.table.snapshot()}}
		d.leave()
		again := sit(t, options(t), segment)
		again.playHand()
		again.leave()
		entries = append(d.entries, again.entries...)
	})
	last := 0
	for i, e := range entries {
		if strings.Contains(string(e.Payload), `"hand_began"`) {
			last = i
		}
	}
	return entries[:last+4], first
}

func TestReadHands(t *testing.T) {
	entries, first := twoHands(t)
	torn := followedBy(records(entries), &journal.Fault{Torn: true})
	var hands []PlayedHand
	for h, err := range ReadHands(torn) {
		if err != nil {
			t.Fatal(err)
		}
		hands = append(hands, h)
	}
	if len(hands) != 2 {
		t.Fatalf("%d hands, want 2", len(hands))
	}
	for i, h := range hands {
		if h.Table != "demo/t1" || len(h.Players) != 3 || h.Players[2].Seat != 3 || h.Players[2].Player != "carla" {
			t.Errorf("hand %d: at %s with %+v", i+1, h.Table, h.Players)
		}
		if h.Before.Rules.Stakes != options(t).Rules.Stakes {
			t.Errorf("hand %d: played by %+v", i+1, h.Before.Rules.Stakes)
		}
		if h.Events[0].Kind != engine.HandBegan || h.Events[0].Hand != uint64(i+1) || h.Began.IsZero() || h.Before.Hand != uint64(i) {
			t.Errorf("hand %d: begins with %+v at %v, after hand %d", i+1, h.Events[0], h.Began, h.Before.Hand)
		}
	}
	if end := engine.Replay(hands[0].Before, hands[0].Events); end != rebased(first, &end) {
		t.Errorf("the first hand ends as\n%+v\nwant\n%+v", end, first)
	}
	if last := hands[1].Events[len(hands[1].Events)-1]; last.Kind == engine.HandEnded {
		t.Error("the second hand has ended")
	}
}

func TestReadHandsStops(t *testing.T) {
	entries, _ := twoHands(t)
	for range ReadHands(records(entries)) {
		break
	}
	damaged := errors.New("damaged")
	wrong := slices.Clone(entries)
	wrong[len(wrong)-1] = entry(kindStep, step{Input: engine.Input{Kind: engine.SatIn}, Seq: 1})
	for name, c := range map[string]struct {
		records iter.Seq2[journal.Record, error]
		want    string
	}{
		"damage":          {followedBy(records(entries), damaged), "damaged"},
		"an event missed": {records(wrong), "want 1"},
		"no record":       {records([]journal.Entry{{Kind: kindStep, Payload: []byte("{")}}), "journal: test, record 1: unexpected end"},
		"no snapshot":     {records([]journal.Entry{{Kind: journal.Snapshot, Payload: []byte("{")}}), "record 1: unexpected end"},
		"another game":    {records([]journal.Entry{{Kind: kindStart, Payload: []byte(`{"rules":{"game":"snap"}}`)}}), `record 1: unknown game "snap"`},
		"no setup":        {records(entries[1:]), "record 1: something happened before the table was set up"},
	} {
		var last error
		for _, err := range ReadHands(c.records) {
			if last != nil {
				t.Errorf("%s: more after %v", name, last)
			}
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, last, c.want)
		}
	}
}
