package load

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"time"
)

// Latency is how long something took, over many times. Values are exact to 3 %.
type Latency struct {
	Count  uint64  `json:"count"`
	Median float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	Max    float64 `json:"max_ms"`
}

// String is the latency for people.
func (l Latency) String() string {
	if l.Count == 0 {
		return "none"
	}
	return fmt.Sprintf("median %.2f ms, 99 %% within %.2f ms, most %.1f ms (of %d)", l.Median, l.P99, l.Max, l.Count)
}

// steps is how many buckets of a histogram there are for each power of two.
const steps = 32

// histogram counts times in buckets, in microseconds, so that very many take little room. It may be used from many
// goroutines.
type histogram struct {
	buckets [48 * steps]atomic.Uint64
	most    atomic.Int64 // microseconds
}

// add counts a time. One that is negative, for clocks are what they are, counts as none.
func (h *histogram) add(d time.Duration) {
	us := max(d.Microseconds(), 0)
	h.buckets[bucket(uint64(us))].Add(1)
	for was := h.most.Load(); us > was && !h.most.CompareAndSwap(was, us); was = h.most.Load() {
	}
}

// bucket is where a value is counted: below steps each has its own, above it steps share each power of two.
func bucket(v uint64) int {
	if v < steps {
		return int(v)
	}
	shift := bits.Len64(v) - bits.Len64(steps)
	return min(shift*steps+int(v>>shift), 48*steps-1)
}

// value is the largest one in a bucket.
func value(bucket int) uint64 {
	if bucket < 2*steps {
		return uint64(bucket)
	}
	shift := bucket/steps - 1
	return (uint64(bucket%steps+steps)+1)<<shift - 1
}

func (h *histogram) count() (n uint64) {
	for i := range h.buckets {
		n += h.buckets[i].Load()
	}
	return n
}

// at is the value in milliseconds that a part of all does not exceed.
func (h *histogram) at(percent uint64) float64 {
	want, seen := (h.count()*percent+99)/100, uint64(0)
	for i := range h.buckets {
		if seen += h.buckets[i].Load(); seen >= want {
			return min(float64(value(i)), float64(h.most.Load())) / 1000
		}
	}
	return 0
}

func (h *histogram) latency() Latency {
	return Latency{Count: h.count(), Median: h.at(50), P99: h.at(99), Max: float64(h.most.Load()) / 1000}
}
