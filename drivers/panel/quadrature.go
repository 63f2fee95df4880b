package panel

import (
	"time"

	"tavolo/drivers/gpiocdev"
)

// quadrature follows a rotary encoder by the levels of its two contacts, A in bit 0 and B in bit 1. Bounce of a contact
// moves it to and fro and cancels out, so it needs no debouncing.
type quadrature struct {
	detent int   // counts from one to the next
	rest   uint8 // the levels at a detent
	levels uint8
	counts int // since the last detent

	// The last change: when, from which levels, and how far it went.
	at    time.Time
	from  uint8
	moved int
}

// newQuadrature follows an encoder that stands at a detent.
func newQuadrature(levels uint8, detent int) quadrature {
	return quadrature{detent: detent, rest: levels & 3, levels: levels & 3}
}

// moves is how far an encoder went, by its levels before and after, (before<<2 | after). Both contacts changing at once
// tell no direction.
var moves = [16]int{0, -1, 1, 0, 1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0}

// cycle is the counts after which the levels are the same again.
const cycle = 4

// step takes the levels after an edge and gives the detents passed, clockwise above 0. A jump is both contacts changing at
// once: what was between is lost. The next time that the encoder rests makes up for it. An edge before which others were lost moves
// nothing: it may be found out long after the player has looked at the amount, which must not change then.
func (q *quadrature) step(levels uint8, e gpiocdev.Edge) (steps int, jump bool) {
	if e.Together && e.At.Equal(q.at) { // the two told no direction, and the first was taken for one
		q.levels = q.from
		q.counts -= q.moved
	}
	q.from, q.at = q.levels, e.At
	q.levels = levels & 3
	if e.Lost > 0 {
		q.moved, q.counts = 0, 0
		if q.detent > 1 {
			q.counts = moves[q.rest<<2|q.levels] // how far it is from the detent it is nearest to
		}
		return 0, q.from != q.levels
	}
	q.moved = moves[q.from<<2|q.levels]
	q.counts += q.moved
	if half := q.counts % cycle; half != 0 && q.levels == q.rest && q.detent%cycle == 0 {
		q.counts += half // it went on the way it was going
	}
	steps = q.counts / q.detent
	q.counts -= steps * q.detent
	return steps, q.from^q.levels == 3
}
