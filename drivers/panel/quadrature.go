package panel

// quadrature follows a rotary encoder by the levels of its two contacts, A in bit 0 and B in bit 1. Bounce of a contact
// moves it to and fro and cancels out, so it needs no debouncing.
type quadrature struct {
	levels uint8
	counts int // since the last detent
}

// moves is how far an encoder went, by its levels before and after, (before<<2 | after). Both contacts changing at once
// tell no direction.
var moves = [16]int{0, -1, 1, 0, 1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0}

// step takes the levels now and gives the detents passed, clockwise above 0, of which an encoder has one every so many
// counts. A jump is both contacts changing at once: what was between is lost.
func (q *quadrature) step(levels uint8, detent int) (steps int, jump bool) {
	levels &= 3
	jump = q.levels^levels == 3
	q.counts += moves[q.levels<<2|levels]
	q.levels = levels
	steps = q.counts / detent
	q.counts -= steps * detent
	return steps, jump
}
