package noise

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"time"
)

// dice decide what goes wrong, and count it.
type dice struct {
	m     Model
	rng   *rand.Rand
	count Counts
}

func (d *dice) chance(p float64) bool { return p > 0 && d.rng.Float64() < p }

// happens is whether something goes wrong that can, and counts it.
func (d *dice) happens(k Kind) bool {
	yes := d.chance(d.m[k])
	if yes {
		d.count[k]++
	}
	return yes
}

// upTo is any time up to a longest.
func (d *dice) upTo(longest time.Duration) time.Duration {
	return time.Duration(d.rng.Int64N(int64(longest)))
}

// field are the tags that a look at an antenna reads, of those that lie there, with how many there are in all; of those at
// the antennas beside; and of those that were taken away a moment ago.
func (d *dice) field(crowd int, lies, beside, gone []string) (out []string) {
	miss := Missed
	if crowd >= 3 {
		miss = Crowded
	}
	for _, tag := range lies {
		if !d.happens(miss) {
			out = append(out, d.number(tag))
		}
	}
	for _, tag := range beside {
		if d.happens(Ghost) {
			out = append(out, d.number(tag))
		}
	}
	for _, tag := range gone {
		if d.happens(Lingered) {
			out = append(out, d.number(tag))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// number is the number that is read of a tag.
func (d *dice) number(tag string) string {
	if !d.happens(Shifted) {
		return tag
	}
	const fixed = 6 // what all tags of a maker begin with
	return tag[:fixed] + tag[fixed+1:] + string("0123456789ABCDEF"[d.rng.IntN(16)])
}

// damaged is what arrives of a frame, which is not empty, that something happens to, kinds for nothing.
func (d *dice) damaged(frame []byte, k Kind) []byte {
	switch k {
	case ReaderLost, BusLost:
		return nil
	case ReaderCut, BusCut:
		return frame[:d.rng.IntN(len(frame))]
	case ReaderGarbage:
		return append([]byte{byte(d.rng.Uint32()), byte(d.rng.Uint32())}, frame...)
	case ReaderBit, BusBit:
		frame = bytes.Clone(frame)
		frame[d.rng.IntN(len(frame))] ^= 1 << d.rng.IntN(8)
	}
	return frame
}
