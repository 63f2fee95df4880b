package controller

import (
	"time"

	"tavolo/engine"
)

// clock is the action clock of a table: it runs for the seat whose turn it is, and stands while the table does. After a
// restart a turn has its whole time again.
type clock struct {
	seat     engine.Seat
	turn     uint64
	deadline time.Time
	total    time.Duration
	left     time.Duration // what is left while paused
	paused   bool
	t        *time.Timer
}

// follow sets the clock to what the table awaits.
func (c *clock) follow(s *engine.State, turn uint64, now time.Time, paused bool, opt Options) {
	a := s.Awaits()
	switch a.Kind {
	case engine.AwaitAction, engine.AwaitReveal:
	default:
		c.stop()
		return
	}
	if c.seat != a.Seat || c.turn != turn {
		c.total = opt.ActionClock
		if a.Kind == engine.AwaitReveal {
			c.total = opt.ShowClock
		}
		c.seat, c.turn, c.paused, c.deadline = a.Seat, turn, false, now.Add(c.total)
		c.arm()
	}
	switch {
	case paused && !c.paused:
		c.paused, c.left = true, max(0, time.Until(c.deadline))
		c.t.Stop()
	case !paused && c.paused:
		c.paused, c.deadline = false, now.Add(c.left)
		c.arm()
	}
}

func (c *clock) arm() {
	d := max(0, time.Until(c.deadline))
	if c.t == nil {
		c.t = time.NewTimer(d)
		return
	}
	c.t.Reset(d)
}

func (c *clock) stop() {
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

func (c *clock) view() Clock {
	if c.seat == 0 {
		return Clock{}
	}
	v := Clock{Seat: c.seat, Total: c.total, Paused: c.paused}
	if c.paused {
		v.Left = c.left
	} else {
		v.Deadline = c.deadline
	}
	return v
}
