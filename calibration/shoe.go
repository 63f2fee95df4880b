package calibration

import (
	"context"
	"slices"
	"time"
)

// Condition is how a shoe is.
type Condition uint8

// The conditions. Of several that hold, the first counts.
const (
	ShoeReady     Condition = iota
	ShoeLidOpen             // cards can be put in and taken out
	ShoeJammed              // a card has been in the mouth for too long
	ShoeTwoAtOnce           // two cards left together, and the mouth is not clear yet
	ShoeReloaded            // it was opened and closed with cards in it: what is in it now is not known
	ShoeEmpty
)

func (c Condition) String() string {
	return [...]string{
		"ready", "the lid is open", "a card is jammed in the mouth", "two cards left at once",
		"it was opened with cards in it: empty it and load it anew", "empty",
	}[c]
}

// Holds reports whether no card may be taken from a shoe in this condition.
func (c Condition) Holds() bool { return c != ShoeReady && c != ShoeEmpty }

// ShoeFacts hears how a shoe is. A call may wait until there is room for the fact.
type ShoeFacts interface {
	// ShoeIs tells how the shoe is now, and how many cards have left it since it was loaded, -1 where that is not known. It
	// is called when either changes.
	ShoeIs(ctx context.Context, c Condition, left int)
	// UnreadLeft: a card left the shoe that the reader did not see.
	UnreadLeft(ctx context.Context)
}

// ShoeOptions describe a shoe.
type ShoeOptions struct {
	// Cards is how many it holds when it is full. A shoe that does not look ahead is empty when so many have left.
	Cards int
	// Gate, Lid and Ahead say whether it has these contacts, and an antenna that sees the card that is next.
	Gate, Lid, Ahead bool
	// Jam is how long a card may be in the mouth; 0 for 3 s.
	Jam time.Duration
}

// Shoe turns what is seen at a shoe into facts: which cards left, by its Watch; whether it is empty, jammed, open, or was
// reloaded with cards in it. A shoe with a gate notices cards that left unread, or two at a time; one without notices two
// only where one look sees both for the first time. Its methods are called by the goroutine of the Watch.
type Shoe struct {
	watch *Watch
	facts ShoeFacts
	o     ShoeOptions

	mouth    map[string]*inMouth
	together bool // two left at once, and the mouth has not been clear since
	gateOpen bool
	gateAt   time.Time // when it opened
	closedAt time.Time // when it closed; zero once that was looked into
	passes   int       // tags read since the gate was last looked into
	lidOpen  bool
	emptied  bool // since the lid was opened, or before
	reloaded bool
	next     []string // seen ahead
	nothing  int      // looks ahead in a row that saw nothing
	left     int      // cards, since it was loaded
	unknown  bool     // how many
	told     Condition
	toldLeft int
	toldOnce bool
}

// inMouth is a tag in the field at the mouth.
type inMouth struct{ first, last time.Time }

// settle is how long after the gate closed a reading may still be on its way from the reader.
const settle = 300 * time.Millisecond

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
			continue
		}
		s.mouth[tag] = &inMouth{at, at}
		fresh = append(fresh, tag)
	}
	if len(fresh) > 1 {
		s.together = true
		// The one that was seen waiting in front left first; of the others the order cannot be known.
		slices.SortStableFunc(fresh, func(a, b string) int { return s.place(a) - s.place(b) })
	}
	for _, tag := range fresh {
		s.left++
		s.passes++
		s.watch.Passed(ctx, tag, at)
	}
	for _, tag := range tags {
		if !slices.Contains(fresh, tag) {
			s.watch.Passed(ctx, tag, at) // is still there
		}
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

// clear forgets tags that have left the mouth's field.
func (s *Shoe) clear(at time.Time) {
	for tag, in := range s.mouth {
		if at.Sub(in.last) >= s.watch.by.Rearm {
			delete(s.mouth, tag)
		}
	}
}

// Ahead takes a look at where the next card waits; whole if no other tag is there.
func (s *Shoe) Ahead(ctx context.Context, tags []string, whole bool, at time.Time) {
	switch {
	case len(tags) > 0:
		s.next, s.nothing = slices.Clone(tags), 0
	case whole:
		s.nothing++
	}
	s.update(ctx, at)
}

// Gate takes a change of the gate's contact.
func (s *Shoe) Gate(ctx context.Context, open bool, at time.Time) {
	switch {
	case open && !s.gateOpen:
		s.settleGate(ctx)
		s.gateAt = at
	case !open && s.gateOpen:
		s.closedAt = at
	}
	s.gateOpen = open
	s.update(ctx, at)
}

// settleGate looks into what passed while the gate was open last.
func (s *Shoe) settleGate(ctx context.Context) {
	if s.closedAt.IsZero() {
		return
	}
	s.closedAt = time.Time{}
	switch {
	case s.passes == 0:
		s.left++
		s.facts.UnreadLeft(ctx)
	case s.passes > 1:
		s.together = true
	}
	s.passes = 0
}

// Lid takes a change of the lid's contact.
func (s *Shoe) Lid(ctx context.Context, open bool, at time.Time) {
	switch {
	case open && !s.lidOpen:
		s.emptied = s.empty()
	case !open && s.lidOpen:
		s.reloaded = s.o.Ahead && !s.emptied
		s.left, s.unknown = 0, s.reloaded
	}
	s.lidOpen = open
	s.update(ctx, at)
}

// Tick says that time has passed. It is called a few times a second.
func (s *Shoe) Tick(ctx context.Context, at time.Time) { s.update(ctx, at) }

func (s *Shoe) empty() bool {
	if s.o.Ahead {
		return s.nothing >= emptyLooks && len(s.mouth) == 0 && !s.gateOpen
	}
	return !s.unknown && s.left >= s.o.Cards
}

// update tells how the shoe is, if that has changed.
func (s *Shoe) update(ctx context.Context, at time.Time) {
	s.clear(at)
	if !s.gateOpen && !s.closedAt.IsZero() && at.Sub(s.closedAt) >= settle {
		s.settleGate(ctx)
	}
	if s.lidOpen && s.o.Ahead && s.nothing >= emptyLooks {
		s.emptied = true
	}
	if len(s.mouth) == 0 && !s.gateOpen {
		s.together = false
	}
	c, left := s.condition(at), s.left
	if s.unknown {
		left = -1
	}
	if s.toldOnce && c == s.told && left == s.toldLeft {
		return
	}
	s.toldOnce, s.told, s.toldLeft = true, c, left
	s.facts.ShoeIs(ctx, c, left)
}

func (s *Shoe) condition(at time.Time) Condition {
	switch {
	case s.lidOpen:
		return ShoeLidOpen
	case s.jam(at):
		return ShoeJammed
	case s.together:
		return ShoeTwoAtOnce
	case s.reloaded:
		return ShoeReloaded
	case s.empty():
		return ShoeEmpty
	}
	return ShoeReady
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
