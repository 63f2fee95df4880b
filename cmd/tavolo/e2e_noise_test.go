package main

import (
	"sync"
	"testing"
	"time"

	"tavolo/cmd/tavolo/noise"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/engine"
	"tavolo/engine/card"
)

// lain is a card in a place.
type lain struct {
	card card.Card
	zone engine.Zone
}

// Hands are played to the end at a table where antennas, cables and panels do what they should not. The daemon takes no card for
// another one, or for one in another place, than the dealer has really dealt.
func TestHandsUnderNoise(t *testing.T) {
	t.Parallel()
	m := noise.Default
	m[noise.ShoeMissed], m[noise.Shifted], m[noise.KeyBounced] = 0.05, 0.002, 0.2
	m[noise.ReaderHung], m[noise.ReaderUnplugged], m[noise.BusUnplugged], m[noise.NodeReset] = 0.0003, 0.0003, 0.0002, 0.0002
	faults := noise.NewFaults(m, 3, 7)
	late := time.Now().Add(patience)
	enough := func() bool { // a table of two hands on a quiet machine has seen all of it; else there are more
		seen := faults.Counts()
		for _, k := range []noise.Kind{
			noise.Missed, noise.Ghost, noise.Shifted, noise.ShoeMissed, noise.ReaderLost, noise.ReaderCut, noise.ReaderBit, noise.ReaderHung,
			noise.ReaderUnplugged, noise.BusLost, noise.BusBit, noise.BusUnplugged, noise.NodeReset, noise.KeyBounced,
		} {
			if seen[k] == 0 {
				return time.Now().After(late)
			}
		}
		return true
	}
	var mu sync.Mutex
	dealt := map[uint64][]lain{}
	r := newRig(t, demoOptions{seats: 4, felt: 2})
	d := r.daemon()
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		o.Noise, o.Hands, o.Enough, o.Pace, o.Rebuy = faults, 2, enough, simtable.RealPace(20), 200
		o.Dealt = func(hand uint64, c card.Card, z engine.Zone) {
			mu.Lock()
			defer mu.Unlock()
			dealt[hand] = append(dealt[hand], lain{c, z})
		}
	})
	select {
	case <-ended:
	case <-time.After(4 * patience):
		t.Fatalf("the hands are not over after %v", 4*patience)
	}
	seen := faults.Counts()
	t.Logf("what happened: %v", seen.ByName())
	took := map[uint64][]lain{}
	hand := uint64(0)
	for _, e := range r.read(r.cfg.Journal).events {
		z := engine.Zone{}
		switch e.Kind {
		case engine.HandBegan:
			hand = e.Hand
		case engine.HoleDealt:
			z = engine.ZoneOf(e.Seat)
		case engine.BoardDealt:
			z = engine.Zone{Kind: engine.ZoneBoard}
		case engine.CardBurned:
			z = engine.Zone{Kind: engine.ZoneBurn}
		}
		if z.Kind != 0 {
			took[hand] = append(took[hand], lain{e.Card, z})
		}
	}
	if len(took) < 2 {
		t.Fatalf("cards of %d hands were taken, want 2 at least", len(took))
	}
	for hand, cards := range took {
		for i, got := range cards {
			if want := dealt[hand]; i >= len(want) || got != want[i] {
				t.Errorf("hand %d, card %d: the table took %v, dealt were %v", hand, i+1, got, want)
			}
		}
	}
}
