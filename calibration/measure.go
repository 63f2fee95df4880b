package calibration

import (
	"fmt"
	"math"
	"slices"
)

// Spread is how far samples of one and the same thing are apart, in the unit of the samples. The zero value is that of none.
type Spread struct {
	Samples int     `json:"samples"`
	Min     int64   `json:"min"`
	Max     int64   `json:"max"`
	Mean    float64 `json:"mean"`
	Median  int64   `json:"median"`
	P95     int64   `json:"p95"` // 95 % of the samples are no more
	Sigma   float64 `json:"sigma"`
}

// SpreadOf measures samples, whose order does not matter.
func SpreadOf(samples []int64) Spread {
	if len(samples) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	s := Spread{Samples: n, Min: sorted[0], Max: sorted[n-1], Median: sorted[n/2], P95: sorted[(95*n+99)/100-1]}
	for _, v := range sorted {
		s.Mean += float64(v) / float64(n)
	}
	squares := 0.0
	for _, v := range sorted {
		squares += (float64(v) - s.Mean) * (float64(v) - s.Mean)
	}
	s.Sigma = math.Sqrt(squares / float64(n))
	return s
}

// Range is how far the samples are apart at most.
func (s Spread) Range() int64 { return s.Max - s.Min }

// Text is the spread for people, in a unit of which one is so many of the samples': SpreadOf(mg).Text(1000, "g").
func (s Spread) Text(per float64, unit string) string {
	at := func(v float64) float64 { return v / per }
	return fmt.Sprintf("%d samples, %.3f to %.3f %s, range %.3f, mean %.3f, σ %.3f", s.Samples,
		at(float64(s.Min)), at(float64(s.Max)), unit, at(float64(s.Range())), at(s.Mean), at(s.Sigma))
}
