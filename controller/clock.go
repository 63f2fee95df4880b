package controller

import (
	"time"

	"tavolo/engine"
)

// clock is the action clock of a table: it runs for the seat that is asked for something, and stands while the table does.
// A decision that a power interrupts goes on with the time it had (NK-23). After a restart a turn has its whole time again,
// that of the seat's bank too; what earlier turns used of the bank stays used.
type clock struct {
	seat     engine.Seat
	turn     uint64
	deadline time.Time
	total    time.Duration
	left     time.Duration // what is left while paused
	paused   bool
	t        *time.Timer

	graced bool                               // the turn has had its grace
	bank   time.Duration                      // what the seat was given of its bank for this turn
	used   [engine.MaxSeats + 1]time.Duration // of their banks, by seat

	waiting decision // for the answer to an anchor
}

// decision is one that is interrupted, with the time it has left.
type decision struct {
	seat engine.Seat
	turn uint64
	left time.Duration
	bank bool // it is of the seat's bank
}

// follow sets the clock to what the table awaits.
func (c *clock) follow(s *engine.State, turn uint64, now time.Time, paused bool, waits *Timing) {
	a := s.Awaits()
	seat := a.Asked()
	if s.Phase == engine.Swapping { // the decision waits for a card
		seat, paused = s.Turn, true
	}
	if seat == 0 {
		c.stop()
		return
	}
	if c.seat != seat || c.turn != turn {
		interrupted := decision{c.seat, c.turn, c.remaining(), c.bank > 0}
		c.settleBank()
		c.graced = c.graced && c.turn == turn
		left := waits.timeFor(a.Kind, s.Rules.Powers)
		c.total = left
		switch {
		case a.Kind == engine.AwaitShield && c.seat == s.Turn && c.turn == turn:
			c.waiting = interrupted
		case c.waiting.seat == seat && c.waiting.turn == turn:
			if left = c.waiting.left; c.waiting.bank {
				c.bank = left
			}
		}
		c.seat, c.turn, c.paused, c.deadline = seat, turn, false, now.Add(left)
		c.arm()
	}
	switch {
	case paused && !c.paused:
		c.left, c.paused = c.remaining(), true
		c.t.Stop()
	case !paused && c.paused:
		c.paused, c.deadline = false, now.Add(c.left)
		c.arm()
	}
}

// remaining is the time that the seat has left.
func (c *clock) remaining() time.Duration {
	if c.paused {
		return c.left
	}
	return max(0, time.Until(c.deadline))
}

func (c *clock) arm() {
	d := max(0, time.Until(c.deadline))
	if c.t == nil {
		c.t = time.NewTimer(d)
		return
	}
	c.t.Reset(d)
}

// grace gives a turn more time, once, and reports whether it did.
func (c *clock) grace(now time.Time, d time.Duration) bool {
	if c.graced || d <= 0 {
		return false
	}
	c.graced, c.deadline = true, now.Add(d)
	c.arm()
	return true
}

// draw gives a turn what is left of the seat's bank, and reports whether that is anything.
func (c *clock) draw(now time.Time, whole time.Duration) bool {
	c.settleBank()
	left := whole - c.used[c.seat]
	if left <= 0 {
		return false
	}
	c.bank, c.deadline = left, now.Add(left)
	c.arm()
	return true
}

// settleBank takes what was used from the bank of a seat whose turn is over, or whose bank is empty.
func (c *clock) settleBank() {
	if c.bank > 0 {
		c.used[c.seat] += c.bank - min(c.bank, c.remaining())
		c.bank = 0
	}
}

// bankFollows follows what happened: each hand that a seat is dealt in to gives back some of its bank, who sits down has a
// whole one, and who takes another seat what is left of his.
func (c *clock) bankFollows(events []engine.Event, refill time.Duration) {
	for _, e := range events {
		switch e.Kind {
		case engine.HandBegan:
			for _, seat := range e.Dealt.List() {
				c.used[seat] = max(0, c.used[seat]-refill)
			}
		case engine.PlayerSat:
			c.used[e.Seat] = 0
		case engine.PlayerMoved:
			c.used[e.Target], c.used[e.Seat] = c.used[e.Seat], 0
		}
	}
}

func (c *clock) stop() {
	c.settleBank()
	c.graced = false
	c.seat, c.turn = 0, 0
	if c.t != nil {
		c.t.Stop()
	}
}

// timer is the channel that tells when to look at the clock, nil before it first runs.
func (c *clock) timer() <-chan time.Time {
	if c.t == nil {
		return nil
	}
	return c.t.C
}

// expired reports whether the time of the clock's seat is over.
func (c *clock) expired(now time.Time) bool {
	return c.seat != 0 && !c.paused && !now.Before(c.deadline)
}

// view is the clock as everybody may see it, of a table whose seats have a bank of so much.
func (c *clock) view(whole time.Duration) Clock {
	if c.seat == 0 {
		return Clock{}
	}
	v := Clock{Seat: c.seat, Total: c.total, Paused: c.paused, Bank: c.bank > 0, Grace: c.graced}
	if !v.Bank {
		v.InBank = max(0, whole-c.used[c.seat])
	}
	if c.paused {
		v.Left = c.left
	} else {
		v.Deadline = c.deadline
	}
	return v
}
