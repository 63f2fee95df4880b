package calibration

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"tavolo/engine"
)

const markerFile = `name = "button 1"
[tags]
E0040150B0770001 = "button"
e28011606000020500000001 = "button"
`

const (
	markerHF  = "E0040150B0770001"
	markerUHF = "E28011606000020500000001"
)

func TestMarker(t *testing.T) {
	m, err := LoadMarker("marker.toml", []byte(markerFile))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name() != "button 1" || !m.Has("e0040150b0770001") || !m.Has(markerUHF) || m.Has(stranger) || (*Marker)(nil).Has(markerHF) {
		t.Errorf("%q has %q", m.Name(), m.Tags())
	}
	made, err := NewMarker("button 1", m.Tags()...)
	if err != nil {
		t.Fatal(err)
	}
	back, err := LoadMarker("marker.toml", made.Text())
	if err != nil || !slices.Equal(back.Tags(), m.Tags()) || back.Name() != m.Name() {
		t.Errorf("read back: %v, %v", back, err)
	}
	if _, err := NewMarker("button 1", "E0"); err == nil || err.Error() != "E0: no tag: want the UID of 4 to 16 bytes in hexadecimal" {
		t.Errorf("half a tag: %v", err)
	}
}

func TestMarkerFaults(t *testing.T) {
	const want = `want "button", which is all that the tag of a marker stands for`
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "m.toml:1: name: missing: want what people call the marker"},
		{"no tags", "name = \"a\"", "m.toml:1: tags: missing: want a line for each tag of it, such as E0040150A1B2C3D4 = \"button\""},
		{"values", "name = \"a\"\n[tags]\nE0040150 = \"Ah\"\nE0040151 = 5\n", "m.toml:3: tags.E0040150: " + want + "\nm.toml:4: tags.E0040151: " + want},
		{"twice", "name = \"a\"\n[tags]\nE004015a = \"button\"\nE004015A = \"button\"", "m.toml:4: tags.E004015A: this tag is on line 3 too"},
	} {
		if _, err := LoadMarker("m.toml", []byte(c.file)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
}

// markerTold takes down what is told of a marker.
type markerTold []string

func (m *markerTold) MarkerLies(_ context.Context, seat engine.Seat) {
	*m = append(*m, fmt.Sprintf("seat %d", seat))
}

// markerLooks has a watch take scans that see some tags, and wants some facts and the other tags.
type markerLooks struct {
	t     *testing.T
	watch *MarkerWatch
	told  markerTold
}

func newMarkerLooks(t *testing.T) *markerLooks {
	t.Helper()
	m, err := LoadMarker("marker.toml", []byte(markerFile))
	if err != nil {
		t.Fatal(err)
	}
	l := &markerLooks{t: t}
	l.watch = NewMarkerWatch(m, &l.told, Debounce{})
	return l
}

// look is a scan of one zone.
type look struct {
	zone string
	tags []string
}

// see is n rounds of scans.
func (l *markerLooks) see(n int, round ...look) {
	l.t.Helper()
	for range n {
		for _, at := range round {
			z, err := engine.ParseZone(at.zone)
			if err != nil {
				l.t.Fatal(err)
			}
			for _, tag := range l.watch.Scanned(l.t.Context(), z, at.tags, false) {
				if tag == markerHF || tag == markerUHF {
					l.t.Errorf("the marker at %v is given on as %s", z, tag)
				}
			}
		}
	}
}

func (l *markerLooks) want(facts ...string) {
	l.t.Helper()
	if !slices.Equal(l.told, facts) {
		l.t.Errorf("told %q, want %q", l.told, facts)
	}
	l.told = nil
}

// A marker lies at one seat at most, from the third look on, and is away when two have missed it.
func TestMarkerLiesAtOneSeat(t *testing.T) {
	l := newMarkerLooks(t)
	here := []string{stranger, markerHF}
	l.see(2, look{"seat 3", here})
	l.want()
	l.see(2, look{"seat 3", here})
	l.want("seat 3")
	l.see(1, look{"seat 3", nil}, look{"seat 4", here})
	l.want()
	l.see(8, look{"seat 3", here}, look{"seat 4", here}) // the one it lies at keeps it
	l.want()
	l.see(8, look{"seat 3", nil}, look{"seat 4", here})
	l.want("seat 4")
	l.see(2, look{"seat 4", nil})
	l.want("seat 0")
	l.see(8, look{"board", here}) // at no seat
	l.want()
}

// Pad and spot of a seat may both see it, by one tag or by one each.
func TestMarkerBetweenPadAndSpot(t *testing.T) {
	for _, spot := range []string{markerHF, markerUHF} {
		l := newMarkerLooks(t)
		l.see(8, look{"seat 3", []string{markerHF}}, look{"spot 3", []string{spot}})
		l.want("seat 3")
		l.see(8, look{"seat 3", []string{markerHF}}, look{"spot 3", nil})
		l.want()
		l.watch.Lost(t.Context(), engine.ZoneOf(3))
		l.want("seat 0")
	}
}

// Two seats at once say nothing.
func TestMarkerAtTwoSeats(t *testing.T) {
	for _, other := range []string{markerHF, markerUHF} {
		l := newMarkerLooks(t)
		l.see(8, look{"seat 3", []string{markerHF}}, look{"spot 4", []string{other}})
		l.want("seat 3", "seat 0") // the first look that is enough comes before the other's
	}
}

// Without a marker, every tag is somebody else's.
func TestNoMarker(t *testing.T) {
	var told markerTold
	w := NewMarkerWatch(nil, &told, Debounce{})
	for range 8 {
		if got := w.Scanned(t.Context(), engine.ZoneOf(3), []string{markerHF}, false); !slices.Equal(got, []string{markerHF}) {
			t.Fatalf("given on: %q", got)
		}
	}
	if told != nil {
		t.Errorf("told %q", told)
	}
}
