package controller

import (
	"time"

	"tavolo/engine"
)

// Timing is how long a table waits for its players. A seat that is out of time checks, or folds where it cannot, as the house
// has it (engine.ClockRanOut).
type Timing struct {
	// ActionClock is the time to act, DrawClock the time to say what to exchange in a draw, ShowClock the time to show or
	// muck.
	ActionClock, DrawClock, ShowClock time.Duration
	// TimeBank is the time that a seat has beside its action clocks, in all, and BankRefill what comes back of it with each
	// hand that the seat was dealt in to. Who sits down has all of it.
	TimeBank, BankRefill time.Duration
	// Grace is the further time that a turn has, once, when its clock has run out and its player is cut off; at its end the
	// house acts, and the seat sits out from the next hand on. Cover is how often that counts as all-in instead.
	Grace time.Duration
	Cover Cover
}

// Cover bounds how often the house lets a player's lost connection count as all-in: Uses in any Window. None for 0. The floor
// may forgive those so far, Resets times in any Window (BR-42).
type Cover struct {
	Uses, Resets int
	Window       time.Duration
}

const (
	action, draw, show = 20 * time.Second, 30 * time.Second, 5 * time.Second
	bank, refill       = 30 * time.Second, 5 * time.Second
	grace              = 20 * time.Second
)

// usual is what a table waits whose house's text says nothing. Decisions: 20 seconds to act, and 20 more for who is cut off,
// the least that card rooms on the net give (others 30 or 75); 30 to draw, as NX-71 has it; 5 to show; a bank of 30 seconds.
var usual = Timing{ActionClock: action, DrawClock: draw, ShowClock: show, TimeBank: bank, BankRefill: refill, Grace: grace}

// timings are those of the houses whose texts say something. Where a text says what follows when a turn's time is out there is
// no bank, and where it gives nobody more for having lost the connection, no grace.
var timings = [...]struct {
	house string
	Timing
}{
	// NX-71, NX-A0: 30 seconds to draw, then what is out of time. NX-13 leaves the uses in 24 hours to the table: three, here.
	{"noxwin", Timing{ActionClock: action, DrawClock: draw, ShowClock: show, Grace: grace, Cover: Cover{Uses: 3, Window: 24 * time.Hour}}},
	// TC-15: each turn has the table's time.
	{"cash", Timing{ActionClock: action, DrawClock: draw, ShowClock: show}},
	// NK-0A: losing the connection does not restart the timer.
	{"naiko", Timing{ActionClock: action, DrawClock: draw, ShowClock: show}},
	// BR-41: who lets the time run out folds. BR-42: eight uses in seven days, and three resets.
	{"betrebels", Timing{
		ActionClock: action, DrawClock: draw, ShowClock: show, Grace: grace, Cover: Cover{Uses: 8, Resets: 3, Window: 7 * 24 * time.Hour},
	}},
	// BP-07: who is out of time folds before the flop, and checks later.
	{"bonus", Timing{ActionClock: action, DrawClock: draw, ShowClock: show, Grace: grace}},
}

// TimingOf is how long a table of a house waits where nothing else is configured. How long one may sit out is among the rules
// between hands, see seating.For.
func TimingOf(h *engine.House) Timing {
	for _, row := range timings {
		if row.house == h.Name {
			return row.Timing
		}
	}
	return usual
}

// timeFor is the time there is for what a seat is asked.
func (w *Timing) timeFor(kind engine.AwaitKind, powers *engine.Powers) time.Duration {
	switch kind {
	case engine.AwaitDiscard:
		return w.DrawClock
	case engine.AwaitReveal:
		return w.ShowClock
	case engine.AwaitShield:
		return time.Duration(powers.AnswerSeconds) * time.Second
	}
	return w.ActionClock
}
