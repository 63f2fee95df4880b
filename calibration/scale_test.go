package calibration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
)

// tens is a scale with chips of 11.5 g worth 10 each, give or take 0.15 g.
func tens() Scale {
	return Scale{
		Zone: engine.Zone{Kind: engine.ZoneSpot, Seat: 3}, Zero: 8000, Mark: 108000, Known: 500_000, Noise: 500,
		Kinds: []ChipKind{{Value: 10, Weight: 11_500, Tolerance: 150}},
	}
}

func TestCount(t *testing.T) {
	mixed := tens()
	mixed.Kinds = []ChipKind{{5, 10_000, 50}, {25, 13_000, 50}}
	alike := tens()
	alike.Kinds = []ChipKind{{5, 10_000, 50}, {10, 20_000, 50}}
	for _, c := range []struct {
		name   string
		scale  Scale
		weight int64
		want   engine.Chips
		pieces int
		fault  string
	}{
		{"nothing", tens(), 300, 0, 0, ""},
		{"a tare that drifted below", tens(), -400, 0, 0, ""},
		{"one", tens(), 11_600, 10, 1, ""},
		{"thirty", tens(), 345_000, 300, 30, ""},
		{"too many to be told apart", tens(), 466_000, 0, 0, "466.0 g may be chips worth 400 or 410"},
		{"half a chip", tens(), 6_000, 0, 0, "no chips weigh 6.0 g"},
		{"a hand that lifts", tens(), -9_000, 0, 0, "no chips weigh -9.0 g"},
		{"two kinds", mixed, 2*10_000 + 13_000, 35, 3, ""},
		{"two kinds in doubt", mixed, 130_000, 0, 0, "130.0 g may be chips worth 65 or 120 or 195 or 250"},
		{"one amount, two numbers", alike, 20_000, 10, 0, ""},
	} {
		got, pieces, err := c.scale.Count(c.weight)
		var ambiguous *AmbiguousError
		if got != c.want || pieces != c.pieces || (err == nil) != (c.fault == "") || err != nil && (!errors.As(err, &ambiguous) || err.Error() != c.fault) {
			t.Errorf("%s: %d in %d pieces, %v; want %d in %d, %q", c.name, got, pieces, err, c.want, c.pieces, c.fault)
		}
	}
}

// Whatever lies on a scale, as long as every chip keeps to its tolerance and the scale to its noise, the count is right or
// says that it is not sure.
func TestCountIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := tens()
		s.Kinds = nil
		weight, worth, pieces := int64(0), engine.Chips(0), 0
		for range rapid.IntRange(1, 3).Draw(t, "kinds") {
			k := ChipKind{
				Value: engine.Chips(rapid.IntRange(1, 100).Draw(t, "value")), Weight: rapid.Int64Range(8_000, 15_000).Draw(t, "weight"),
				Tolerance: rapid.Int64Range(0, 300).Draw(t, "tolerance"),
			}
			s.Kinds = append(s.Kinds, k)
			for range rapid.IntRange(0, 12).Draw(t, "chips") {
				weight += k.Weight + rapid.Int64Range(-k.Tolerance, k.Tolerance).Draw(t, "off")
				worth += k.Value
				pieces++
			}
		}
		weight += rapid.Int64Range(-s.Noise, s.Noise).Draw(t, "noise")
		got, n, err := s.Count(weight)
		var ambiguous *AmbiguousError
		switch {
		case err == nil && (got != worth || n != 0 && n != pieces):
			t.Fatalf("%d in %d pieces, want %d in %d", got, n, worth, pieces)
		case errors.As(err, &ambiguous) && len(ambiguous.Fits) < 2:
			t.Fatalf("%v, though chips worth %d lie there", err, worth)
		}
	})
}

// BenchmarkCount is a full pile of three kinds.
func BenchmarkCount(b *testing.B) {
	s := tens()
	s.Kinds = []ChipKind{{5, 10_000, 20}, {25, 11_500, 20}, {100, 13_000, 20}}
	for b.Loop() {
		_, _, _ = s.Count(600_100)
	}
}

// told takes down facts.
type told []string

func (f *told) ChipsLie(_ context.Context, z engine.Zone, amount engine.Chips, pieces int) {
	*f = append(*f, fmt.Sprintf("%v: %d in %d", z, amount, pieces))
}

func (f *told) ChipsUnsure(_ context.Context, z engine.Zone, why string, _ ...engine.Chips) {
	*f = append(*f, fmt.Sprintf("%v: %s", z, why))
}

func (f *told) AtTwo(_ context.Context, tag string, _ card.Card, first, second engine.Zone) {
	if first.Kind == 0 {
		*f = append(*f, tag+" at one place")
		return
	}
	*f = append(*f, fmt.Sprintf("%s at %v and %v", tag, first, second))
}

// A pile is told once it lies still, and told again when it is another or the scale fails.
func TestWeigher(t *testing.T) {
	var facts told
	w := NewWeigher(tens(), &facts)
	read := func(mg ...int64) {
		for _, v := range mg {
			w.Read(t.Context(), 8000+v*100_000/500_000)
		}
	}
	read(0, 0)
	if len(facts) > 0 {
		t.Errorf("told after two readings: %v", facts)
	}
	read(0, 0, 0, 0, 0)
	read(4_000, 16_000, 23_400) // being put down
	read(23_000, 23_100, 23_000, 22_900, 23_000, 23_000, 23_000, 23_000, 23_000)
	read(466_000, 466_000, 466_000, 466_000)
	w.Fail(t.Context(), "over")
	w.Fail(t.Context(), "over")
	read(23_000, 23_000, 23_000)
	want := told{
		"spot 3: 0 in 0", "spot 3: 20 in 2", "spot 3: 466.0 g may be chips worth 400 or 410", "spot 3: over", "spot 3: 20 in 2",
	}
	if !slices.Equal(facts, want) {
		t.Errorf("told %q, want %q", facts, want)
	}
}

// bathroom is a weigher of tens with what it has told, and a way to read weights in mg.
func bathroom(t *testing.T) (facts *told, read func(mg ...int64)) {
	t.Helper()
	facts = &told{}
	w := NewWeigher(tens(), facts)
	return facts, func(mg ...int64) {
		for _, v := range mg {
			w.Read(t.Context(), 8000+v*100_000/500_000)
		}
	}
}

// A hand that lies still for a moment may weigh as much as chips do. In a million simulated deals at ten times the usual noise
// such an amount stood until the hand was gone.
func TestAnAmountThatDoesNotLastIsTakenBack(t *testing.T) {
	facts, read := bathroom(t)
	read(0, 0, 0)
	read(60_000, 23_000, 23_000, 23_000, 68_000, 55_000, 61_000)
	read(23_000, 23_000, 23_000, 23_000, 23_000, 23_000, 23_000, 23_000, 23_000)
	read(60_000, 70_000, 60_000) // what has lain still stands while chips are added
	for range restless {
		read(60_000, 70_000)
	}
	want := told{
		"spot 3: 0 in 0", "spot 3: 20 in 2", "spot 3: its weight does not settle", "spot 3: 20 in 2", "spot 3: its weight does not settle",
	}
	if !slices.Equal(*facts, want) {
		t.Errorf("told %q, want %q", *facts, want)
	}
}

// A scale that drifts while nothing lies on it goes on counting right.
func TestZeroFollows(t *testing.T) {
	facts, read := bathroom(t)
	for off := range int64(60) {
		read(off * 100) // half a chip in the end
	}
	read(15_000, 29_000, 29_000, 29_000, 29_000)
	if want := (told{"spot 3: 0 in 0", "spot 3: 20 in 2"}); !slices.Equal(*facts, want) {
		t.Errorf("told %q, want %q", *facts, want)
	}
}

// A weight that is ambiguous is told of once, though it is never quite the same: what a person counts holds as long.
func TestAnAmbiguousWeightFlickers(t *testing.T) {
	facts, read := bathroom(t)
	read(466_000, 466_000, 466_000, 466_400, 465_700, 466_300, 465_800, 466_200, 466_000)
	if len(*facts) != 1 {
		t.Errorf("told %q, want one of them", *facts)
	}
}

func TestScaleFaults(t *testing.T) {
	for want, spoil := range map[string]func(*Scale){
		"mark: ":                             func(s *Scale) { s.Mark = s.Zero },
		"known: ":                            func(s *Scale) { s.Known = 0 },
		"kinds: ":                            func(s *Scale) { s.Kinds = nil },
		"kinds[0]: want value":               func(s *Scale) { s.Kinds[0].Value = 0 },
		"kinds[0]: a chip of 11350 mg is no": func(s *Scale) { s.Noise = 6000 },
	} {
		s := tens()
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Up to so many chips a pile is counted as what it is, however light or heavy each chip is: with one more there is a pile that
// may be another.
func TestSurePieces(t *testing.T) {
	scale := Scale{Zero: 0, Mark: 1000, Known: 1000, Noise: 100}
	for _, tt := range []struct {
		kinds []ChipKind
		want  int
	}{
		{[]ChipKind{{1, 10_000, 0}}, 12},
		{[]ChipKind{{1, 10_000, 500}}, 9},                // ten of 10.5 g weigh as much as 105 g, and eleven of 9.5 g 104.5 g
		{[]ChipKind{{1, 10_000, 0}, {5, 10_000, 0}}, 0},  // nothing tells them apart
		{[]ChipKind{{1, 10_000, 0}, {5, 10_150, 0}}, 0},  // less than the noise does
		{[]ChipKind{{1, 10_000, 0}, {5, 12_000, 0}}, 4},  // five of the second are six of the first
		{[]ChipKind{{1, 8_000, 10}, {5, 10_300, 10}}, 6}, // seven of the second are nine of the first, by 0.1 g
	} {
		scale.Kinds = tt.kinds
		got := scale.SurePieces(12)
		if got != tt.want {
			t.Errorf("%v: %d chips, want %d", tt.kinds, got, tt.want)
		}
		scale.piles(t, got)
	}
}

// piles wants that every pile of so many chips at most is counted, at the ends of all tolerances.
func (s *Scale) piles(t *testing.T, most int) {
	t.Helper()
	for _, off := range []int64{-1, 0, 1} {
		for a := range int64(most) + 1 {
			for b := range int64(most) - a + 1 {
				k := append(slices.Clone(s.Kinds), ChipKind{})
				if len(s.Kinds) == 1 && b > 0 || a+b == 0 {
					continue
				}
				weight := a*(k[0].Weight+off*k[0].Tolerance) + b*(k[1].Weight+off*k[1].Tolerance) + off*s.Noise
				want := engine.Chips(a)*k[0].Value + engine.Chips(b)*k[1].Value
				if got, _, err := s.Count(weight); err != nil || got != want {
					t.Errorf("%d and %d chips that weigh %d: %d, %v, want %d", a, b, weight, got, err, want)
				}
			}
		}
	}
}

func TestWeighing(t *testing.T) {
	w := NewWeighing(200)
	for _, tt := range []struct {
		weight int64
		fault  string
	}{
		{10_200, ""},
		{30_200, "one chip at a time"},
		{13_000, "one chip at a time"},
		{20_300, ""},
		{9_000, "were taken off"},
		{20_300, "were taken off"}, // nothing is more than there was
		{30_250, ""},
	} {
		err := w.Take(tt.weight)
		if (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%d: %v, want %q", tt.weight, err, tt.fault)
		}
	}
	if got := w.Weights(); !slices.Equal(got, []int64{10_000, 10_100, 9_950}) {
		t.Errorf("weights %v", got)
	}
	if k := w.Kind(5); k != (ChipKind{5, 10_017, 83}) {
		t.Errorf("kind %+v", k)
	}
}
