package calibration

import (
	"slices"
	"testing"
	"time"

	"tavolo/engine"
)

// A test of a pad counts what its antenna saw, how long it went without, and what others saw of the same cards.
func TestPadTest(t *testing.T) {
	z := zones(t, "seat 1", "seat 2", "board")
	p := NewPadTest(z[0], 2, z)
	at := time.Unix(0, 0)
	look := func(zone engine.Zone, rssi map[string]int, tags ...string) {
		at = at.Add(10 * time.Millisecond)
		p.Look(zone, tags, rssi, at)
	}
	for i := range 10 {
		tags := []string{"A", "B"}
		if i == 4 {
			tags = tags[:1]
		}
		look(z[0], map[string]int{"A": -50, "B": -60}, tags...)
		look(z[1], nil)
	}
	if p.Looks() != 0 {
		t.Errorf("%d looks of an antenna that took none", p.Looks())
	}
	look(z[2], nil, "A")
	look(zones(t, "muck")[0], nil, "A", "B") // which is not watched
	r := p.Result()
	if p.Looks() != 1 || r.Looks != 10 || r.Rate != 90 || r.Others != 1 || r.Best != z[0] {
		t.Errorf("%+v", r)
	}
	if r.Gaps.Max != 40 || r.Gaps.Median != 20 || r.Gaps.Samples != 9 || r.RSSI.Min != -60 || r.RSSI.Max != -50 || r.RSSI.Samples != 19 {
		t.Errorf("gaps %+v, RSSI %+v", r.Gaps, r.RSSI)
	}
}

// Antennas that were swapped are found, and what the configuration should say; what was not tried stays.
func TestPadMap(t *testing.T) {
	z := zones(t, "seat 1", "seat 2", "seat 3", "board")
	m := PadMap{}
	for i, sees := range []engine.Zone{z[1], z[0], z[2]} {
		p := NewPadTest(z[i], 1, z)
		p.Look(sees, []string{"A"}, nil, time.Unix(0, 0))
		m.Learn(p.Result())
	}
	m.Learn(NewPadTest(z[3], 1, z).Result()) // nobody saw it
	want, swapped := m.Zones(z)
	if !swapped || !slices.Equal(want, []engine.Zone{z[1], z[0], z[2], z[3]}) {
		t.Errorf("%v, %v", want, swapped)
	}
	if want, swapped := (PadMap{z[1]: z[0]}).Zones(z); swapped || !slices.Equal(want, z) {
		t.Errorf("of half a swap it makes %v, %v", want, swapped)
	}
	if want, swapped := m.Zones(z[2:]); swapped || !slices.Equal(want, z[2:]) {
		t.Errorf("%v, %v", want, swapped)
	}
}
