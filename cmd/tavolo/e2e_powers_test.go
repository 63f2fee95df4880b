package main

import (
	"strings"
	"testing"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/engine"
)

// Naiko mode over the real way of a card, with a shoe that reads ahead: one card, and two where one is burnt first. Powers
// are used and answered, no hand is called off, and nobody but the player sees what was peeked or swapped.
func TestPowersAtATable(t *testing.T) {
	const hands = 6
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
			_, ended := r.sim(url, func(o *simtable.Options) { o.Hands, o.Rebuy, o.Seed = hands, 200, 5 })
			<-ended
			w.await("the last hand is over", func(s *seen) bool { return s.state().View.Hand == hands && s.over() })
			r.agrees(w)
			h := r.read(r.cfg.Journal)
			used, held := map[engine.Power]int{}, 0
			for _, e := range h.events {
				switch e.Kind {
				case engine.PowerPlayed:
					used[e.Power]++
				case engine.AnchorHeld:
					held++
				case engine.HandCalledOff:
					t.Errorf("hand called off: %s", e.Reason)
				}
			}
			if len(used) != 4 || held == 0 {
				t.Errorf("these hands prove little: powers %v, %d anchors held", used, held)
			}
			knows := whoKnows(h)
			for _, s := range snoops {
				if n := r.discreet(s, knows); n < hands {
					t.Errorf("%s got only %d messages with cards in %d hands", s.name, n, hands)
				}
			}
		})
	}
}
