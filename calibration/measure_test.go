package calibration

import (
	"math"
	"strings"
	"testing"
)

func TestSpread(t *testing.T) {
	if s := SpreadOf(nil); s != (Spread{}) {
		t.Errorf("of nothing: %+v", s)
	}
	samples := []int64{7, 1, 3, 5, 9}
	s := SpreadOf(samples)
	want := Spread{Samples: 5, Min: 1, Max: 9, Mean: 5, Median: 5, P95: 9, Sigma: math.Sqrt(8)}
	if math.Abs(s.Mean-want.Mean) > 1e-9 || math.Abs(s.Sigma-want.Sigma) > 1e-9 {
		t.Errorf("%+v, want %+v", s, want)
	}
	s.Mean, s.Sigma = want.Mean, want.Sigma
	if s != want || s.Range() != 8 || samples[0] != 7 {
		t.Errorf("%+v, want %+v", s, want)
	}
	var hundred []int64
	for i := range 100 {
		hundred = append(hundred, int64(100-i))
	}
	if s := SpreadOf(hundred); s.P95 != 95 || s.Median != 51 {
		t.Errorf("of 1 to 100: %+v", s)
	}
	if text := SpreadOf([]int64{1000, 1500}).Text(1000, "g"); !strings.Contains(text, "1.000 to 1.500 g, range 0.500, mean 1.250, σ 0.250") {
		t.Error(text)
	}
}
