package calibration

import (
	"context"
	"slices"
	"time"
)

// ShoeFacts hears what happens at a shoe, beside the facts of its Watch. *controller.Table is one. A call may wait until
// there is room for the fact.
type ShoeFacts interface {
	// UnreadLeft: a card left the shoe that the reader did not see. TwoLeft: the cards told next leave together. ShoeOpened:
	// its lid was opened.
	UnreadLeft(ctx context.Context)
	TwoLeft(ctx context.Context)
	ShoeOpened(ctx context.Context)
	// ShoeEmpty: there is no card in it now, or there is one.
	ShoeEmpty(ctx context.Context, empty bool)
	// Wait: no card may be taken from it, and why, or with no reason that one may.
	Wait(ctx context.Context, name, why string)
}

// ShoeName is what ShoeFacts are told is to be waited for. No device has that name.
const ShoeName = "the shoe"

// Why a shoe is waited for.
const (
	lidIsOpen = "the lid is open"
	jammed    = "a card is jammed in the mouth"
)

// ShoeOptions describe a shoe.
type ShoeOptions struct {
	// Gate is whether it has a contact there, Ahead whether an antenna sees the card that is next.
	Gate, Ahead bool
	// Jam is how long a card may be in the mouth; 0 for 3 s.
	Jam time.Duration
}

// Shoe turns what is seen at a shoe into facts: which cards left, by its Watch; whether it is empty, jammed or open. A shoe
// with a gate notices cards that left unread, or two at a time; one without notices two only where one look sees both for
// the first time. One that does not look ahead is never known to be empty. Its methods are called by the goroutine of the
// Watch.
type Shoe struct {
	watch *Watch
	facts ShoeFacts
	o     ShoeOptions

	mouth    map[string]*inMouth
	coming   []group // read, and not yet told
	passedAt time.Time
	gateOpen bool
	gateAt   time.Time // when it opened last
	opened   int       // times that it did
	read     int       // those of them whose card was read, or told to have left unread
	closed   []closing // that are to be looked into
	lidOpen  bool
	next     []string // seen ahead
	nothing  int      // looks ahead in a row that saw nothing
	wait     string   // as told
	empty    bool     // as told
}

// inMouth is a tag in the field at the mouth.
type inMouth struct{ first, last time.Time }

// group is the tags that one look saw for the first time, and whether a card was on its way out then.
type group struct {
	tags   []string
	at     time.Time
	behind bool
}

// closing is when the gate closed, after it had opened so many times.
type closing struct {
	opened int
	at     time.Time
}

// late is how long a reading may be on its way after the gate closed, and a change of the gate after a reading.
const late = 300 * time.Millisecond

// emptyLooks is how many looks ahead in a row must see nothing.
const emptyLooks = 3

// NewShoe makes a Shoe whose cards are those of a Watch.
func NewShoe(w *Watch, facts ShoeFacts, o ShoeOptions) *Shoe {
	if o.Jam == 0 {
		o.Jam = 3 * time.Second
	}
	return &Shoe{watch: w, facts: facts, o: o, mouth: map[string]*inMouth{}}
}

// Mouth takes a look at the mouth.
func (s *Shoe) Mouth(ctx context.Context, tags []string, at time.Time) {
	s.clear(at)
	var fresh []string
	for _, tag := range tags {
		if in := s.mouth[tag]; in != nil {
			in.last = at
			if !s.isComing(tag) {
				s.watch.Passed(ctx, tag, at) // is still there
			}
			continue
		}
		s.mouth[tag] = &inMouth{at, at}
		fresh = append(fresh, tag)
	}
	if len(fresh) > 0 {
		// The one that was seen waiting in front left first; of the others the order cannot be known.
		slices.SortStableFunc(fresh, func(a, b string) int { return s.place(a) - s.place(b) })
		s.coming = append(s.coming, group{fresh, at, s.gateOpen || len(s.closed) > 0 || at.Sub(s.passedAt) < late})
		s.passedAt = at
	}
	s.update(ctx, at)
}

// place orders tags that were seen ahead before others.
func (s *Shoe) place(tag string) int {
	if slices.Contains(s.next, tag) {
		return 0
	}
	return 1
}

func (s *Shoe) isComing(tag string) bool {
	return slices.ContainsFunc(s.coming, func(g group) bool { return slices.Contains(g.tags, tag) })
}

// tell tells the cards that were read. With a gate each waits until that has opened for it, or if it does not is the second
// of two.
func (s *Shoe) tell(ctx context.Context, at time.Time) {
	for len(s.coming) > 0 {
		g := s.coming[0]
		passed := !s.o.Gate || s.read < s.opened
		if !passed && at.Sub(g.at) < late {
			return
		}
		if s.o.Gate && passed {
			s.read++
		}
		if len(g.tags) > 1 || !passed && g.behind {
			s.facts.TwoLeft(ctx)
		}
		for _, tag := range g.tags {
			s.watch.Passed(ctx, tag, at)
		}
		s.coming = s.coming[1:]
	}
}

// clear forgets tags that have left the mouth's field.
func (s *Shoe) clear(at time.Time) {
	for tag, in := range s.mouth {
		if at.Sub(in.last) >= s.watch.by.Rearm {
			delete(s.mouth, tag)
		}
	}
}

// Ahead takes a look at where the next card waits; partial if other tags may be there.
func (s *Shoe) Ahead(ctx context.Context, tags []string, partial bool, at time.Time) {
	switch {
	case len(tags) > 0:
		s.next, s.nothing = slices.Clone(tags), 0
	case !partial:
		s.nothing++
	}
	s.update(ctx, at)
}

// Gate takes a change of the gate's contact; lost is whether others just before it were lost.
func (s *Shoe) Gate(ctx context.Context, open, lost bool, at time.Time) {
	if lost { // it was the other way meanwhile
		s.turn(!s.gateOpen, at)
		s.turn(!s.gateOpen, at)
	}
	s.turn(open, at)
	s.update(ctx, at)
}

func (s *Shoe) turn(open bool, at time.Time) {
	switch {
	case open == s.gateOpen:
	case open:
		s.opened, s.gateAt = s.opened+1, at
	default:
		s.closed = append(s.closed, closing{s.opened, at})
	}
	s.gateOpen = open
}

// unread tells of cards for which the gate opened and no tag was read.
func (s *Shoe) unread(ctx context.Context, at time.Time) {
	for len(s.closed) > 0 && at.Sub(s.closed[0].at) >= late {
		for ; s.read < s.closed[0].opened; s.read++ {
			s.facts.UnreadLeft(ctx)
		}
		s.closed = s.closed[1:]
	}
}

// Lid takes a change of the lid's contact; lost is whether others just before it were lost.
func (s *Shoe) Lid(ctx context.Context, open, lost bool, at time.Time) {
	if open && !s.lidOpen || lost {
		s.facts.ShoeOpened(ctx)
	}
	s.lidOpen = open
	s.update(ctx, at)
}

// Tick says that time has passed. It is called a few times a second.
func (s *Shoe) Tick(ctx context.Context, at time.Time) { s.update(ctx, at) }

// update tells how the shoe is, if that has changed.
func (s *Shoe) update(ctx context.Context, at time.Time) {
	s.clear(at)
	s.tell(ctx, at)
	s.unread(ctx, at)
	if why := s.waits(at); why != s.wait {
		s.wait = why
		s.facts.Wait(ctx, ShoeName, why)
	}
	if empty := s.o.Ahead && s.nothing >= emptyLooks && len(s.mouth) == 0 && !s.gateOpen; empty != s.empty {
		s.empty = empty
		s.facts.ShoeEmpty(ctx, empty)
	}
}

// waits says why no card may be taken, "" where one may.
func (s *Shoe) waits(at time.Time) string {
	switch {
	case s.lidOpen:
		return lidIsOpen
	case s.jam(at):
		return jammed
	}
	return ""
}

// jam is whether a card has been in the mouth for too long: by the gate, or where there is none by its tag.
func (s *Shoe) jam(at time.Time) bool {
	if s.o.Gate {
		return s.gateOpen && at.Sub(s.gateAt) >= s.o.Jam
	}
	for _, in := range s.mouth {
		if at.Sub(in.first) >= s.o.Jam {
			return true
		}
	}
	return false
}
