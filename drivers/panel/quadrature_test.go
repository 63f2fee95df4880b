package panel

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tavolo/drivers/gpiocdev"
)

// What is found out later, when the player has looked at the amount, moves nothing; the next detent counts as one.
func TestEncoderAfterALoss(t *testing.T) {
	for _, detents := range []int{1, -1, 3} {
		q := newQuadrature(0, 4)
		at := time.Unix(0, 0)
		edge := func(levels uint8, lost int) (steps int) {
			at = at.Add(time.Millisecond)
			steps, _ = q.step(levels, gpiocdev.Edge{At: at, Lost: lost})
			return steps
		}
		turn := func(detents, edges int) (steps int) {
			way := []uint8{2, 3, 1, 0} // clockwise
			if detents < 0 {
				way, detents = []uint8{1, 3, 2, 0}, -detents
			}
			for range detents {
				for _, levels := range way[:edges] {
					steps += edge(levels, 0)
				}
			}
			return steps
		}
		if got := turn(1, 3); got != 0 {
			t.Fatalf("%d detents by three edges of four", got)
		}
		if got := edge(0, 1); got != 0 {
			t.Errorf("%d detents by an edge that was found out later", got)
		}
		if got := turn(detents, 4); got != detents {
			t.Errorf("then %d detents, want %d", got, detents)
		}
	}
}

// An encoder whose contacts are looked at now and then, as those on an expander are, so that two of its changes may be seen
// at once and told in any order, has been turned by as many detents as it really was whenever it rests.
func TestEncoderThatIsLookedAtTooSeldom(t *testing.T) {
	gray := [4]uint8{0, 1, 3, 2} // anticlockwise, by moves
	rapid.Check(t, func(rt *rapid.T) {
		rest := rapid.IntRange(0, 3).Draw(rt, "rest")
		turns := rapid.SliceOfN(rapid.IntRange(-5, 5), 1, 20).Draw(rt, "turns")
		q := newQuadrature(gray[rest], 4)
		position, seen, told, want := 4000+rest, 4000+rest, 0, 0
		var at time.Time
		look := func() {
			before, after := gray[seen%4], gray[position%4]
			together := false
			at = at.Add(time.Millisecond)
			for line := range 2 {
				if bit := uint8(1) << line; (before^after)&bit != 0 {
					before ^= bit
					steps, _ := q.step(before, gpiocdev.Edge{Line: line, At: at, Together: together})
					told -= steps
					together = true
				}
			}
			seen = position
		}
		for _, turn := range turns {
			dir := 1
			if turn < 0 {
				dir = -1
			}
			missed := 0
			for n := range 4 * max(turn, -turn) {
				if n%4 == 0 { // one at most of a detent's, for of two nobody knows the way
					missed = rapid.IntRange(0, 3).Draw(rt, "missed")
				}
				if position += dir; n%4 != missed || missed == 3 {
					look()
				}
			}
			if want += turn; told != want {
				rt.Fatalf("%d detents, want %d", told, want)
			}
		}
	})
}
