package calibration

import (
	"context"
	"slices"
	"time"
)

// ShoeFacts hears what happens at a shoe, beside the facts of its Watch. *controller.Table is one. A call may wait until
// there is room for the fact.
type ShoeFacts interface {
	// UnreadLeft: a card left the shoe that the reader did not see. TwoLeft: the cards told next leave together. NotNextLeft:
	// the card told next is none that was seen to wait in front. ShoeOpened: its lid was opened.
	UnreadLeft(ctx context.Context)
	TwoLeft(ctx context.Context)
	NotNextLeft(ctx context.Context)
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
	// Apart is how far apart in time cards leave at least; 0 for no bound. Two that are sooner leave together, where no gate says
	// that they do not.
	Apart time.Duration
}

// Shoe turns what is seen at a shoe into facts: which cards left, by its Watch; whether it is empty, jammed or open. A shoe
// with a gate notices cards that left unread, or two at a time; one without notices two where one look sees both for the
// first time, or where no dealer is so fast. One that looks ahead notices a card that was not the next; one that does not is
// never known to be empty. Its methods are called by the goroutine of the Watch.
type Shoe struct {
	watch *Watch
	facts ShoeFacts
	o     ShoeOptions

	mouth    map[string]*inMouth
	coming   []group   // read, and not yet told
	passedAt time.Time // when something was read last
	cardAt   time.Time // when it was a card
	gateOpen bool
	openings []opening // of the gate, that are to be looked into
	lidOpen  bool
	outAt    time.Time // when a card was on its way out last
	last     []string  // tags that were read then
	next     []string  // seen ahead since
	nextAt   time.Time // when
	looks    int       // whole looks ahead since then that saw something
	nothing  int       // looks ahead in a row that saw nothing
	wait     string    // as told
	empty    bool      // as told
}

// inMouth is a tag in the field at the mouth.
type inMouth struct{ first, last time.Time }

// group is the tags that one look saw for the first time, whether a card was on its way out then, and whether another one
// was seen to wait in front.
type group struct {
	tags         []string
	at, before   time.Time // when, and when a card of a deck was read before; the zero time where none of these is one
	behind, stop bool
}

// opening is one of the gate, for a card.
type opening struct {
	at, closed time.Time // zero while it is open
	read       bool      // or told to have left unread
}

// during is whether something happened while it was open.
func (o *opening) during(at time.Time) bool {
	return !at.Before(o.at) && (o.closed.IsZero() || at.Before(o.closed))
}

// far is how long before it was opened or after it was closed something happened that did not happen while it was open.
func (o *opening) far(at time.Time) time.Duration {
	if at.Before(o.at) {
		return o.at.Sub(at)
	}
	return at.Sub(o.closed)
}

// late is how long a reading may be on its way after the gate closed, and a change of the gate after a reading.
const late = 300 * time.Millisecond

// sureLooks is how many looks ahead must have missed a card that leaves, where they saw another: one look may miss it.
const sureLooks = 2

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
		behind := len(fresh) > 1 || s.gateOpen || len(s.openings) > 0 || at.Sub(s.passedAt) < late
		g := group{tags: fresh, at: at, behind: behind, stop: s.notNext(fresh)}
		if slices.ContainsFunc(fresh, s.watch.knows) { // a tag that is read wrong is no second card
			g.before, s.cardAt = s.cardAt, at
		}
		s.coming = append(s.coming, g)
		s.passedAt, s.outAt, s.last = at, at, fresh
	}
	s.update(ctx, at)
}

// notNext is whether others were seen to wait in front since a card left last, and none of these.
func (s *Shoe) notNext(tags []string) bool {
	if s.looks < sureLooks || !s.nextAt.After(s.outAt) {
		return false
	}
	waiting := slices.ContainsFunc(s.next, func(tag string) bool { return !slices.Contains(s.last, tag) }) // the last was still there
	return waiting && !slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(s.next, tag) })
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

// tell tells the cards that were read. With a gate each belongs to an opening of it, or is the second of two.
func (s *Shoe) tell(ctx context.Context, at time.Time) {
	for len(s.coming) > 0 {
		g := s.coming[0]
		second := g.at.Sub(g.before) < s.o.Apart
		if s.o.Gate {
			var wait bool
			if second, wait = s.passes(ctx, g, at); wait {
				return
			}
		}
		switch {
		case len(g.tags) > 1 || second:
			s.facts.TwoLeft(ctx)
		case g.stop:
			s.facts.NotNextLeft(ctx)
		}
		for _, tag := range g.tags {
			s.watch.Passed(ctx, tag, at)
		}
		s.coming = s.coming[1:]
	}
}

// passes finds the opening of the gate that a group belongs to: the one in which it was read, or else the nearest that nothing
// else was read in, or if none is near one whose reading was on its way. What the gate opened for before has left unread then;
// a group that none is left for is the second of two. It waits while a nearer one may come.
func (s *Shoe) passes(ctx context.Context, g group, at time.Time) (second, wait bool) {
	its := slices.IndexFunc(s.openings, func(o opening) bool { return o.during(g.at) })
	if its >= 0 && s.openings[its].read {
		return true, false
	}
	if its < 0 {
		near := late
		for i := range s.openings {
			if o := &s.openings[i]; !o.read && o.far(g.at) < near {
				its, near = i, o.far(g.at)
			}
		}
		if at.Sub(g.at) < near && (its < 0 || s.openings[its].at.Before(g.at)) {
			return false, true
		}
	}
	if its < 0 {
		its = slices.IndexFunc(s.openings, func(o opening) bool { return o.at.Before(g.at) && !o.read })
	}
	if its < 0 {
		return g.behind, false
	}
	for i := range s.openings[:its] {
		s.isUnread(ctx, &s.openings[i])
	}
	s.openings[its].read = true
	return false, false
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
	if len(tags) > 0 {
		if !s.nextAt.After(s.outAt) {
			s.next, s.looks = nil, 0
		}
		s.next, s.nextAt, s.nothing = append(s.next, tags...), at, 0
		slices.Sort(s.next)
		s.next = slices.Compact(s.next)
	}
	switch {
	case partial:
	case len(tags) > 0:
		s.looks++
	default:
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
		s.openings = append(s.openings, opening{at: at})
	default:
		s.openings[len(s.openings)-1].closed = at
		s.outAt = at
	}
	s.gateOpen = open
}

// unread tells of cards for which the gate opened and no tag was read, and forgets openings that are over.
func (s *Shoe) unread(ctx context.Context, at time.Time) {
	for len(s.openings) > 0 && len(s.coming) == 0 {
		o := &s.openings[0]
		if o.closed.IsZero() || at.Sub(o.closed) < late {
			return
		}
		s.isUnread(ctx, o)
		s.openings = s.openings[1:]
	}
}

// isUnread tells that nothing was read of what the gate opened for, unless something was.
func (s *Shoe) isUnread(ctx context.Context, o *opening) {
	if !o.read {
		o.read = true
		s.facts.UnreadLeft(ctx)
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
		return s.gateOpen && at.Sub(s.openings[len(s.openings)-1].at) >= s.o.Jam
	}
	for _, in := range s.mouth {
		if at.Sub(in.first) >= s.o.Jam {
			return true
		}
	}
	return false
}
