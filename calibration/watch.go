package calibration

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// Facts hears what readings mean. *controller.Table is one. A call may wait until there is room for the fact.
type Facts interface {
	// CardLeft: a card of the deck passed the mouth of the shoe. StrangerLeft: a tag that is no card of the deck did.
	// OtherDeckLeft: a card of a deck that the table has beside did.
	CardLeft(ctx context.Context, c card.Card)
	StrangerLeft(ctx context.Context, tag string)
	OtherDeckLeft(ctx context.Context, deck string, c card.Card)
	// CardPlaced: a card of the deck lies in a zone now. CardGone: it does no longer. The others are the same for a tag
	// that is no card of the deck.
	CardPlaced(ctx context.Context, z engine.Zone, c card.Card)
	CardGone(ctx context.Context, z engine.Zone, c card.Card)
	StrangerPlaced(ctx context.Context, z engine.Zone, tag string)
	StrangerGone(ctx context.Context, z engine.Zone, tag string)
	// AtTwo: two antennas see a card at the same time, for longer than a move takes. First is where it counts as lying, if it does
	// anywhere. Second is the zero Zone for a card that lies nowhere, for it is not seen well enough, or others see it now and
	// then, but where it would lie is first. Both are the zero Zone when that is over.
	AtTwo(ctx context.Context, tag string, c card.Card, first, second engine.Zone)
}

// Debounce says when readings are believed. The zero value stands for Debounce{Seen: 3, Of: 4, Both: 12, Missed: 2, Rearm: 300 ms}.
type Debounce struct {
	// Seen scans of the last Of, up to 64, must have seen a tag before it lies in a zone: a reading may be a neighbour's ghost. No
	// other may have seen it in its own last Of, if it has had so many since, or while others saw it twice so often, for its
	// reader may be lost or list only some of the tags.
	// With two of three, 30 of a million simulated cards at ten times the usual noise were taken for one in the place beside
	// theirs, and nobody was asked (tavolo sim --deals 1000000 --noise 10); with three of four none.
	Seen, Of int
	// Both is how many scans two zones must have had, together, while each of them saw a tag, or the one that sees best a tag that
	// lies nowhere, until that is no move any more but for a person to say where it lies; 0 for never.
	Both int
	// Missed scans in a row must have missed it before it is gone: two full cycles at least.
	Missed int
	// Rearm is how long a tag must be out of the shoe's field before reading it again is another pass.
	Rearm time.Duration
}

// Watch turns the readings of a table's card readers into facts about cards: debounced in time, and each tag in one zone
// at most. Its methods must be called by one goroutine.
type Watch struct {
	deck  *Deck // in play
	decks []*Deck
	facts Facts
	lying
	shoe map[string]time.Time // when the shoe last read a tag
}

// NewWatch makes a Watch for the tags of a deck, and of others that may be taken into play instead.
func NewWatch(deck *Deck, facts Facts, by Debounce, others ...*Deck) *Watch {
	w := &Watch{deck: deck, decks: append(others, deck), facts: facts, lying: newLying(by), shoe: map[string]time.Time{}}
	w.alone = true
	return w
}

// knows is whether a tag is one of the decks'.
func (w *Watch) knows(tag string) bool {
	return slices.ContainsFunc(w.decks, func(d *Deck) bool {
		_, ok := d.Card(tag)
		return ok
	})
}

// Passed takes a reading of the shoe: a tag is in the field at its mouth.
func (w *Watch) Passed(ctx context.Context, tag string, at time.Time) {
	last, before := w.shoe[tag]
	w.shoe[tag] = at
	if before && at.Sub(last) < w.by.Rearm {
		return
	}
	if c, ok := w.deck.Card(tag); ok {
		w.facts.CardLeft(ctx, c)
		return
	}
	for _, d := range w.decks {
		if c, ok := d.Card(tag); ok {
			w.facts.OtherDeckLeft(ctx, d.Name(), c)
			return
		}
	}
	w.facts.StrangerLeft(ctx, tag)
}

// Change takes another of its decks into play, by the name: what lies somewhere is told anew, as cards of that one. A name of
// none changes nothing.
func (w *Watch) Change(ctx context.Context, name string) {
	i := slices.IndexFunc(w.decks, func(d *Deck) bool { return d.Name() == name })
	if i < 0 || w.decks[i] == w.deck {
		return
	}
	for _, came := range []bool{false, true} {
		for _, tag := range slices.Sorted(maps.Keys(w.tags)) {
			if z := w.tags[tag].zone; z != (engine.Zone{}) {
				w.tell(ctx, z, move{tag, came})
			}
		}
		w.deck = w.decks[i]
	}
}

// Scanned takes one scan of the antenna that watches a zone: the tags it saw, which are all there are unless the scan is
// partial.
func (w *Watch) Scanned(ctx context.Context, z engine.Zone, tags []string, partial bool) {
	for _, m := range w.scanned(z, tags, partial) {
		w.tell(ctx, z, m)
	}
	w.tellTwo(ctx)
}

// tellTwo says which cards are seen at two places now, and which no longer.
func (w *Watch) tellTwo(ctx context.Context) {
	for _, t := range w.twice() {
		if c, ok := w.deck.Card(t.tag); ok {
			w.facts.AtTwo(ctx, t.tag, c, t.at[0], t.at[1])
		}
	}
}

// Lies takes a person's word that a card that is seen at two places, or at one but not surely, lies in this one. If it is not seen there
// any more, what it is seen at is told again.
func (w *Watch) Lies(ctx context.Context, tag string, z engine.Zone) {
	if from, ok := w.lies(tag, z); ok && from != z {
		if from.Kind != 0 {
			w.tell(ctx, from, move{tag, false})
		}
		w.tell(ctx, z, move{tag, true})
	}
	w.tellTwo(ctx)
}

// Forget has the tags that a zone holds, or has seen of late, be gone, to be seen anew by the scans to come: those of every
// zone for the zero Zone. It is for a person who does not believe what the antennas say.
func (w *Watch) Forget(ctx context.Context, z engine.Zone) {
	for _, tag := range slices.Sorted(maps.Keys(w.tags)) {
		s := w.tags[tag]
		if z.Kind != 0 && s.zone != z && s.recent[z] == 0 {
			continue
		}
		delete(w.tags, tag)
		if s.zone.Kind != 0 {
			w.tell(ctx, s.zone, move{tag, false})
		}
	}
	w.tellTwo(ctx)
}

// tell says that a tag has come to a zone, or gone from it.
func (w *Watch) tell(ctx context.Context, z engine.Zone, m move) {
	c, ok := w.deck.Card(m.tag)
	switch {
	case ok && m.came:
		w.facts.CardPlaced(ctx, z, c)
	case ok:
		w.facts.CardGone(ctx, z, c)
	case m.came:
		w.facts.StrangerPlaced(ctx, z, m.tag)
	default:
		w.facts.StrangerGone(ctx, z, m.tag)
	}
}

// lying is where tags lie, by the scans of antennas that watch zones.
type lying struct {
	by   Debounce
	tags map[string]*sighting // that lie somewhere or were seen in one of the last scans
	told map[string]twoZones  // of which it is told that two zones see them
	// alone is whether it is told too of those that lie nowhere though one zone sees them. Of chips that come and go their pile tells.
	alone bool
}

// twoZones are those that see a tag at once, the one in which it lies first; the second is the zero Zone where one sees it, but not
// surely.
type twoZones [2]engine.Zone

// atTwo is a tag and what is new of it: the two zones that see it, the one that does not see it surely, or none any more.
type atTwo struct {
	tag string
	at  twoZones
}

// sighting is what is known of one tag.
type sighting struct {
	zone   engine.Zone            // where it lies, the zero Zone if nowhere
	missed int                    // scans of zone in a row that did not see it
	recent map[engine.Zone]uint64 // a bit for each of the last scans, the last one lowest; none where none saw it
	others map[engine.Zone]int    // how often others saw it since a zone of recent did
	both   int                    // scans of the zones by which it is unsure where it lies, since it is
	said   engine.Zone            // where a person has said that it lies, the zero Zone if nobody has
}

// drop forgets that a zone has seen a tag.
func (s *sighting) drop(z engine.Zone) {
	delete(s.recent, z)
	delete(s.others, z)
}

// seenAt takes note that a zone has seen a tag. Of the others, those drop out, but that in which it lies, which have not for so many
// sightings.
func (s *sighting) seenAt(z engine.Zone, longest int) {
	s.others[z] = 0
	for other := range s.recent {
		if other == z {
			continue
		}
		if s.others[other]++; s.others[other] >= longest && other != s.zone {
			s.drop(other)
		}
	}
}

// move is a tag that has come to a zone, or gone from it.
type move struct {
	tag  string
	came bool
}

func newLying(by Debounce) lying {
	if by == (Debounce{}) {
		by = Debounce{Seen: 3, Of: 4, Both: 12, Missed: 2, Rearm: 300 * time.Millisecond}
	}
	return lying{by: by, tags: map[string]*sighting{}, told: map[string]twoZones{}}
}

// scanned folds one scan of a zone into what is known, and gives what has moved by it, in the order of the tags.
func (l *lying) scanned(z engine.Zone, tags []string, partial bool) (moved []move) {
	for _, tag := range tags {
		if l.tags[tag] == nil {
			l.tags[tag] = &sighting{recent: map[engine.Zone]uint64{}, others: map[engine.Zone]int{}}
		}
	}
	for tag, s := range l.tags {
		seen := slices.Contains(tags, tag)
		if !seen && (partial || s.zone != z && s.recent[z] == 0) {
			continue
		}
		before := s.zone
		if after := l.see(z, tag, seen); after != before {
			moved = append(moved, move{tag, after == z})
		}
	}
	slices.SortFunc(moved, func(a, b move) int { return strings.Compare(a.tag, b.tag) })
	return moved
}

// see folds one scan of a zone into what is known of a tag, and gives where it lies then. Of two zones that see it, the one it
// lies in keeps it; and it lies in none while any other has seen it in its last scans: else a neighbour's ghosts could be
// there first.
func (l *lying) see(z engine.Zone, tag string, seen bool) engine.Zone {
	s := l.tags[tag]
	before, recent := s.zone, s.recent[z]<<1
	if seen {
		recent |= 1
		s.seenAt(z, 2*l.by.Of)
	}
	if recent &= 1<<l.by.Of - 1; recent != 0 {
		s.recent[z] = recent
	} else if s.drop(z); len(s.recent) == 0 && s.zone == (engine.Zone{}) {
		delete(l.tags, tag)
	}
	if s.zone == z {
		s.missed++
		if seen {
			s.missed = 0
		}
		if s.missed >= l.by.Missed {
			s.zone, s.missed = engine.Zone{}, 0
		}
	} else if s.zone == (engine.Zone{}) && bits.OnesCount64(recent) >= l.by.Seen && len(s.recent) == 1 {
		s.zone, s.missed = z, 0
	}
	if s.zone != s.said {
		s.said = engine.Zone{}
	}
	switch at := l.unsure(s); {
	case at == twoZones{}, s.zone != before:
		s.both = 0
	case z == at[0], z == at[1]:
		s.both++
	}
	return s.zone
}

// unsure are the zones by which it is unsure where a tag lies, no zones where it is sure.
func (l *lying) unsure(s *sighting) (at twoZones) {
	zones := l.seeing(s)
	switch {
	case len(zones) > 1:
		return twoZones(zones[:2])
	case s.zone != engine.Zone{} || !l.alone:
		return at
	}
	best := uint64(0)
	for z, recent := range s.recent {
		if z.InShoe() || z.Kind == engine.ZoneMuck { // where cards lie close and nobody lays one flat
			continue
		}
		if n := bits.OnesCount64(recent); n > bits.OnesCount64(best) || n == bits.OnesCount64(best) && z.String() < at[0].String() {
			best, at[0] = recent, z
		}
	}
	return at
}

// seeing are the zones that see a tag, but those in the shoe, where cards lie close: the one in which it lies first.
func (l *lying) seeing(s *sighting) (zones []engine.Zone) {
	for z, recent := range s.recent {
		if bits.OnesCount64(recent) >= l.by.Seen && !z.InShoe() {
			zones = append(zones, z)
		}
	}
	slices.SortFunc(zones, func(a, b engine.Zone) int {
		switch s.zone {
		case a:
			return -1
		case b:
			return 1
		}
		return strings.Compare(a.String(), b.String())
	})
	return zones
}

// twice is what is new of tags of which it is unsure for longer than a move takes where they lie, in the order of the tags.
func (l *lying) twice() (news []atTwo) {
	now := map[string]twoZones{}
	for tag, s := range l.tags {
		if at := l.unsure(s); l.by.Both > 0 && s.both >= l.by.Both && at != (twoZones{}) && s.said == (engine.Zone{}) {
			now[tag] = at
		}
	}
	for tag, at := range now {
		if l.told[tag] != at {
			news = append(news, atTwo{tag, at})
		}
	}
	for tag := range l.told {
		if _, still := now[tag]; !still {
			news = append(news, atTwo{tag: tag})
		}
	}
	l.told = now
	slices.SortFunc(news, func(a, b atTwo) int { return strings.Compare(a.tag, b.tag) })
	return news
}

// lies has a tag lie in a zone that sees it, and gives where it lay; false where the zone does not see it.
func (l *lying) lies(tag string, z engine.Zone) (from engine.Zone, ok bool) {
	s := l.tags[tag]
	if s == nil || z == (engine.Zone{}) {
		return from, false
	}
	if at := l.unsure(s); z != at[0] && z != at[1] {
		delete(l.told, tag)
		return from, false
	}
	from = s.zone
	s.zone, s.said, s.missed = z, z, 0
	return from, true
}

// forget drops what is known of a zone.
func (l *lying) forget(z engine.Zone) {
	for tag, s := range l.tags {
		s.drop(z)
		if s.zone == z {
			s.zone, s.missed = engine.Zone{}, 0
		}
		if len(s.recent) == 0 && s.zone == (engine.Zone{}) {
			delete(l.tags, tag)
		}
	}
}
