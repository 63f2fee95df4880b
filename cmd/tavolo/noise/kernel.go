package noise

import (
	"slices"
	"time"

	"tavolo/drivers/gpiocdev"
)

const (
	settled     = 5 * time.Millisecond    // that a contact keeps its level, or the kernel tells of no change
	bounceTime  = 30 * time.Millisecond   // from there to the end of a bounce, at most
	chatter     = 3 * time.Millisecond    // the same for the contacts of an encoder, for which the kernel does not wait
	lookedAgain = 1500 * time.Millisecond // after which the levels of lines are compared with what was told, or a little later
)

// kernel is what the board's kernel makes of contacts on its lines, and package gpiocdev of that.
type kernel struct {
	w     *world
	due   []change // in the order of their times
	lines []line
}

// change is a line's becoming active or not.
type change struct {
	at     time.Time
	line   int
	active bool
}

// line is what is made of a contact.
type line struct {
	// The kinds of what goes wrong at it, the time for which the kernel waits before it tells of a change, and how long beyond that it
	// may bounce.
	bounced, lost, missed Kind
	quiet, bounce         time.Duration

	active, told bool      // how it is, and how the driver was told it is
	since        time.Time // it is not as told
	gone         int       // changes that were lost since one was told, as far as the kernel knows
}

// turn has a line become active or not at a time. It may bounce for so long that the kernel tells of that.
func (k *kernel) turn(at time.Time, line int, active bool) {
	k.due = append(k.due, change{at, line, active})
	if l := &k.lines[line]; k.w.happens(l.bounced) {
		for _, active := range []bool{!active, active} {
			at = at.Add(l.quiet + k.w.upTo(l.bounce))
			k.due = append(k.due, change{at, line, active})
		}
	}
	slices.SortStableFunc(k.due, func(a, b change) int { return a.at.Compare(b.at) })
}

// until has happen what is due until a time, and tells the edges that are seen of it.
func (k *kernel) until(now time.Time, tell func(gpiocdev.Edge)) {
	for len(k.due) > 0 && !k.due[0].at.After(now) {
		d := k.due[0]
		k.due = k.due[1:]
		l := &k.lines[d.line]
		if d.active == l.active {
			continue
		}
		l.active = d.active
		switch {
		case k.w.happens(l.lost):
			l.gone, l.since = l.gone+1, d.at
		case k.w.happens(l.missed):
			l.since = d.at
		default:
			if l.active == l.told {
				l.gone = max(l.gone, 1)
			}
			k.edge(d.line, d.at, tell)
			l.gone = 0
		}
	}
	for i := range k.lines {
		if l := &k.lines[i]; l.active != l.told && now.Sub(l.since) > lookedAgain {
			l.gone = max(l.gone, 1)
			k.edge(i, now, tell)
		}
	}
}

// edge tells of a line.
func (k *kernel) edge(line int, at time.Time, tell func(gpiocdev.Edge)) {
	l := &k.lines[line]
	l.told = l.active
	tell(gpiocdev.Edge{Line: line, Active: l.active, At: at, Lost: l.gone})
}
