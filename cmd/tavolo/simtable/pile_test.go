package simtable

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tavolo/calibration"
	"tavolo/engine"
)

// cageOf has so many chips with tags of each of some kinds.
func cageOf(t *testing.T, n int, kinds ...int) *cage {
	t.Helper()
	var text strings.Builder
	text.WriteString("name = \"cash\"\n[tags]\n")
	for _, v := range kinds {
		for i := range n {
			fmt.Fprintf(&text, "E004015000C1%02X%02X = %d\n", v, i, v)
		}
	}
	set, err := calibration.LoadChipSet("chips.toml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return newCage(set, nil)
}

// Whatever is moved, no chip is in two places, none gets lost, and a pile of few kinds stays small.
func TestChipsAreChangedAndKept(t *testing.T) {
	c := cageOf(t, 60, 1, 5, 25, 100)
	r := &rail{cage: c, lies: map[engine.Zone]pile{}}
	rng := rand.New(rand.NewPCG(1, 1))
	places := []engine.Zone{potZone, trayZone, stackOf(1), spotOf(1), stackOf(2)}
	for _, z := range places {
		if err := r.bring(z, 333); err != nil {
			t.Fatal(err)
		}
	}
	for range 2000 {
		from, to := places[rng.IntN(len(places))], places[rng.IntN(len(places))]
		n := engine.Chips(rng.IntN(200))
		had := r.lies[from].worth()
		r.move(from, to, n)
		if left := r.lies[from].worth(); from != to && left != max(0, had-n) {
			t.Fatalf("%d left of %d where %d were moved", left, had, n)
		}
		p := r.lies[to]
		c.colourUp(&p)
		r.lies[to] = p
		var tags []string
		total := engine.Chips(0)
		for _, p := range r.lies {
			tags, total = append(tags, p.tags()...), total+p.worth()
		}
		for _, own := range c.tags {
			tags = append(tags, own...)
		}
		if total != 5*333 {
			t.Fatalf("%d in all", total)
		}
		slices.Sort(tags)
		if len(slices.Compact(tags)) != 240 {
			t.Fatalf("%d different tags", len(tags))
		}
	}
}

// What no chips make up is refused, with the place.
func TestNoChipsMakeItUp(t *testing.T) {
	r := &rail{cage: cageOf(t, 3, 5, 25), lies: map[engine.Zone]pile{}}
	if err := r.bring(potZone, 12); err == nil || !strings.Contains(err.Error(), "at pot: no chips of [25 5] make up 12") {
		t.Errorf("%v", err)
	}
}
