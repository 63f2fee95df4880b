package main

import (
	"strings"
	"testing"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/engine"
)

// Naiko mode over the real way of a card, with a shoe that reads ahead: one card, and two where one is burnt first. Each power
// is used, an anchor is let hold, no hand is called off, and nobody but the player sees what was peeked or swapped.
func TestPowersAtATable(t *testing.T) {
	t.Parallel()
	for _, house := range []string{"naiko", "tda"} {
		t.Run(house, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, demoOptions{seats: 4, powers: true}, func(text string) string {
				text = strings.Replace(text, `house = "tda"`, `house = "`+house+`"`, 1)
				return strings.Replace(text, "[powers]", "[powers]\ngain = 3", 1) // for whatever they like
			})
			d := r.daemon()
			url := d.brokerURL()
			snoops := []*snoop{r.spy(url, "carla"), r.spy(url, "viewer"), r.spy(url, "floor"), r.spy(url, "dealer")}
			w := r.watch(url)
			_, ended := r.sim(url, func(o *simtable.Options) {
				o.Hands, o.Rebuy, o.Seed = 3, 200, 5
				o.Enough = w.enough(func(s *seen) bool { return len(s.powers()) == 5 })
			})
			h := r.played(w, ended)
			r.agrees(w)
			for _, e := range h.events {
				if e.Kind == engine.HandCalledOff {
					t.Errorf("hand called off: %s", e.Reason)
				}
			}
			w.look(func(s *seen) {
				if used := s.powers(); len(used) != 5 {
					t.Errorf("used were only %v", used)
				}
			})
			r.discreet(3, snoops...)
		})
	}
}
