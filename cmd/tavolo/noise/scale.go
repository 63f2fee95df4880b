package noise

import (
	"context"
	"time"

	"tavolo/calibration"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// What scales are like. Weights are in mg, and the most that there is.
const (
	sampleTime = 100 * time.Millisecond // from one sample to the next
	settling   = 0.7                    // of the way to a new weight that a cell goes from one sample to the next
	gain       = 5                      // mg to one of what a converter counts
	jitter     = 200                    // that a sample is off
	drift      = 30                     // that its zero moves at a time
	spike      = 50_000                 // that a disturbed sample is off
	palm       = 300_000                // of a hand that lies on chips
	tremble    = 10_000                 // that this is lighter or heavier from sample to sample
	palmTime   = 3 * time.Second        // that it lies there
)

// scale is a load cell under a spot, on a panel's node, and what is made of its samples.
type scale struct {
	calibration.Scale
	w       *world
	node    *node
	weigher *calibration.Weigher
	next    time.Time // when it takes a sample
	feels   float64   // mg
	off     int64     // mg, by which its zero has moved
	palm    time.Time // a hand lies on it until then
	heavy   int64     // mg of it
}

// newScale gives a scale under any chips that it is fit for.
func newScale(w *world, z engine.Zone, n *node, facts calibration.PileFacts) *scale {
	s := &scale{w: w, node: n, Scale: calibration.Scale{Zone: z, Zero: 8000, Mark: 8000 + 1_000_000/gain, Known: 1_000_000, Noise: 500}}
	weight := 8000 + w.rng.Int64N(4000)
	for i := range 1 + w.rng.IntN(2) {
		s.Kinds = append(s.Kinds, calibration.ChipKind{Value: worths[2*i], Weight: weight, Tolerance: 20 + w.rng.Int64N(80)})
		weight += 2000 + w.rng.Int64N(3000)
	}
	s.weigher = calibration.NewWeigher(s.Scale, facts)
	return s
}

// chip is a chip that may lie on the scale.
func (s *scale) chip() chip {
	k := s.Kinds[s.w.rng.IntN(len(s.Kinds))]
	return chip{worth: k.Value, weight: s.w.about(k.Weight, k.Tolerance)}
}

// lean has a hand lie on the chips for a while.
func (s *scale) lean() {
	s.palm, s.heavy = s.w.now.Add(s.w.upTo(palmTime)), s.w.rng.Int64N(palm)
}

// about is a number that is off another by so much at most.
func (w *world) about(n, off int64) int64 { return n - off + w.rng.Int64N(2*off+1) }

// feel takes a sample of the weight of chips, if it is time for one.
func (s *scale) feel(chips []chip) {
	if s.w.now.Before(s.next) {
		return
	}
	s.next = s.w.now.Add(sampleTime)
	weight := int64(0)
	for _, c := range chips {
		weight += c.weight
	}
	if s.w.now.Before(s.palm) {
		weight += s.heavy + s.w.about(0, tremble)
	}
	if s.w.happens(ScaleDrift) {
		s.off += s.w.about(0, drift)
	}
	s.feels += settling * (float64(weight) - s.feels)
	shown := int64(s.feels) + s.off + s.w.about(0, jitter)
	if s.w.happens(ScaleSpike) {
		shown += s.w.about(0, spike)
	}
	s.node.Weigh(uint64(s.w.now.Sub(s.node.since).Microseconds()), int32(s.Zero+shown/gain))
}

// heard takes a sample that has come over the bus.
func (s *scale) heard(sample bridge.Sample) {
	if sample.Over {
		s.weigher.Fail(context.Background(), "the scale is overloaded")
		return
	}
	s.weigher.Read(context.Background(), int64(sample.Counts))
}
