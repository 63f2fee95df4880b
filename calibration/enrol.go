package calibration

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
)

// NewDeckOrder are the cards of a set as they lie in a deck that was just unwrapped, face up from the top: ace to king of
// spades, ace to king of diamonds, king to ace of clubs, king to ace of hearts.
func NewDeckOrder(set card.Set) (order []card.Card) {
	up := []card.Rank{card.Ace}
	for r := card.Two; r <= card.King; r++ {
		up = append(up, r)
	}
	down := slices.Clone(up)
	slices.Reverse(down)
	for _, half := range []struct {
		suits []card.Suit
		ranks []card.Rank
	}{{[]card.Suit{card.Spades, card.Diamonds}, up}, {[]card.Suit{card.Clubs, card.Hearts}, down}} {
		for _, s := range half.suits {
			for _, r := range half.ranks {
				if c := card.New(r, s); set.Has(c) {
					order = append(order, c)
				}
			}
		}
	}
	return order
}

// TakenError says that a tag stands for something already, which it may not do twice.
type TakenError struct {
	Tag string
	// Deck is the name of the deck it is of, and Card which of its cards; Retired is whether that card is out of use.
	Deck    string
	Card    card.Card
	Retired bool
}

// Error tells what the tag is of, and what to do.
func (e *TakenError) Error() string {
	if e.Retired {
		return fmt.Sprintf("tag %s was %v of deck %q, and is out of use: take another card", e.Tag, e.Card, e.Deck)
	}
	return fmt.Sprintf("tag %s is %v of deck %q already", e.Tag, e.Card, e.Deck)
}

// DeckEnrolment registers the cards of a deck one by one, in an order. It is for one goroutine.
type DeckEnrolment struct {
	deck   *Deck
	others []*Deck
	asked  []card.Card
	taken  []string // the tags of the first of asked
}

// NewDeckEnrolment begins a deck with a name, whose cards will be shown in an order. Others are the decks that no tag of it
// may be of. Tags that old, a deck that the new one takes the place of, has out of use stay so; it may be nil.
func NewDeckEnrolment(name string, order []card.Card, old *Deck, others ...*Deck) *DeckEnrolment {
	d := &Deck{name: name, cards: map[string]card.Card{}, retired: map[string]card.Card{}}
	if old != nil {
		maps.Copy(d.retired, old.retired)
	}
	return &DeckEnrolment{deck: d, asked: slices.Clone(order), others: slices.Clone(others)}
}

// ReplaceCard begins a deck as an old one is, but for one card, whose tag is put out of use.
func ReplaceCard(old *Deck, c card.Card, others ...*Deck) (*DeckEnrolment, error) {
	tag, ok := old.Tags()[c]
	if !ok {
		return nil, fmt.Errorf("deck %q has no %v that could be replaced", old.name, c)
	}
	e := NewDeckEnrolment(old.name, []card.Card{c}, old, others...)
	maps.Copy(e.deck.cards, old.cards)
	delete(e.deck.cards, tag)
	e.deck.retired[tag] = c
	return e, nil
}

// Next is the card to be shown next, and false once all were.
func (e *DeckEnrolment) Next() (card.Card, bool) {
	if len(e.taken) == len(e.asked) {
		return card.None, false
	}
	return e.asked[len(e.taken)], true
}

// Asked are all the cards that are asked for, in their order.
func (e *DeckEnrolment) Asked() []card.Card { return slices.Clone(e.asked) }

// Done is how many of how many cards were shown.
func (e *DeckEnrolment) Done() (done, of int) { return len(e.taken), len(e.asked) }

// Take takes the tag of the next card. The error, a *TakenError or one that says what is wrong with the tag, leaves everything
// as it was.
func (e *DeckEnrolment) Take(tag string) error {
	c, more := e.Next()
	if !more {
		return errors.New("every card has its tag already")
	}
	tag = strings.ToUpper(tag)
	if err := checkUID(tag); err != nil {
		return fmt.Errorf("%s: %w", tag, err)
	}
	for _, d := range append([]*Deck{e.deck}, e.others...) {
		if c, ok := d.Card(tag); ok {
			return &TakenError{tag, d.name, c, false}
		}
		if c, ok := d.Retired(tag); ok {
			return &TakenError{tag, d.name, c, true}
		}
	}
	e.deck.cards[tag] = c
	e.taken = append(e.taken, tag)
	return nil
}

// Back takes the tag of the last card back, and gives that card; false if none has one.
func (e *DeckEnrolment) Back() (card.Card, bool) {
	n := len(e.taken)
	if n == 0 {
		return card.None, false
	}
	delete(e.deck.cards, e.taken[n-1])
	e.taken = e.taken[:n-1]
	return e.asked[n-1], true
}

// Deck is the deck, once every card was shown. It is to be changed no more.
func (e *DeckEnrolment) Deck() *Deck { return e.deck }

// ChipEnrolment registers the chips of a set, worth by worth. It is for one goroutine.
type ChipEnrolment struct {
	set *ChipSet
}

// NewChipEnrolment begins a set of chips with a name.
func NewChipEnrolment(name string) *ChipEnrolment {
	return &ChipEnrolment{set: &ChipSet{name: name, values: map[string]engine.Chips{}}}
}

// Take takes the tags of chips worth so much each, and gives how many of them are new. A tag that is worth something else
// already is not taken, and told in the error with all others of that kind.
func (e *ChipEnrolment) Take(worth engine.Chips, tags []string) (fresh int, err error) {
	var errs []error
	for _, tag := range tags {
		tag = strings.ToUpper(tag)
		v, known := e.set.values[tag]
		switch bad := checkUID(tag); {
		case bad != nil:
			errs = append(errs, fmt.Errorf("%s: %w", tag, bad))
		case !known:
			e.set.values[tag] = worth
			fresh++
		case v != worth:
			errs = append(errs, fmt.Errorf("tag %s is worth %d already", tag, v))
		}
	}
	return fresh, errors.Join(errs...)
}

// Drop takes every chip of a worth back.
func (e *ChipEnrolment) Drop(worth engine.Chips) {
	maps.DeleteFunc(e.set.values, func(_ string, v engine.Chips) bool { return v == worth })
}

// Set is the set. It is to be changed no more.
func (e *ChipEnrolment) Set() *ChipSet { return e.set }

// Picker tells cards apart that are shown to one antenna one after the other. The zero value is not ready: see Looks.
type Picker struct {
	// Looks is how many in a row must see a tag and nothing else before it is told.
	Looks int

	tag   string // that the last looks saw
	times int    // how many of them did
	empty int    // looks in a row that saw nothing
	told  string // the last that was told, "" once it is gone
}

// gone is how many looks in a row must see nothing before a tag is told again.
const gone = 2

// Look takes what one look saw. It gives a tag that is to be told, else "". What lies there for longer is told once.
func (p *Picker) Look(tags []string) (tag string) {
	switch len(tags) {
	case 0:
		if p.empty++; p.empty >= gone {
			p.tag, p.told = "", ""
		}
		p.times = 0
		return ""
	case 1:
		p.empty = 0
	default:
		p.empty, p.times, p.tag = 0, 0, ""
		return ""
	}
	if tags[0] != p.tag {
		p.tag, p.times = tags[0], 0
	}
	if p.times++; p.times < p.Looks || p.tag == p.told {
		return ""
	}
	p.told = p.tag
	return p.tag
}
