package controller

import (
	"context"
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// decks is what the table knows of the decks that it is played with.
type decks struct {
	now    string         // the one in play, "" where no reader tells
	hands  map[string]int // that each was dealt for
	life   int            // hands after which a deck is to be changed, 0 for no such number
	fouled bool           // a card too many was found in it, or one of another: a person has to count or to change it
	others []card.Card    // cards of the deck that may be in play instead, in the order in which they left the shoe
}

func newDecks(opt *Options) decks {
	d := decks{hands: map[string]int{}, life: opt.DeckLife}
	if len(opt.Decks) > 0 {
		d.now = opt.Decks[0]
	}
	return d
}

// OtherDeckLeft is the fact that a card of another of the table's decks passed the mouth of the shoe.
func (t *Table) OtherDeckLeft(ctx context.Context, deck string, c card.Card) {
	t.post(ctx, message{fact: func(t *Table) {
		t.record(kindShoe, shoeRecord{Card: c, Deck: deck})
		t.tracker.leftOther(&t.state, deck, c)
	}})
}

// changeDeck is the choice by which the deck of the first card of a hand is the one in play.
const changeDeck = "change_deck"

// leftOther takes note of a card of another deck that passed the mouth of the shoe. Where it is the first of a hand the deck
// was changed, most likely; anywhere else it does not belong there.
func (t *tracker) leftOther(s *engine.State, deck string, c card.Card) {
	switch asked := t.raised["deck "+deck]; {
	case asked != nil:
	case s.Phase == engine.Dealing && s.Gone == 0 && len(t.flight)+len(t.decks.others) == 0:
		t.raise("deck "+deck, Prompt{
			Code: "other_deck", Zone: "shoe",
			Text:    fmt.Sprintf("The first card is one of deck %s. Was the deck changed?", deck),
			Choices: []Choice{{changeDeck, "It was: play with that one"}, voidHand},
		})
	default:
		t.leftUnknown(c.String() + " of deck " + deck)
		return
	}
	t.decks.others = append(t.decks.others, c)
}

// changed takes another deck into play, of which some cards have left the shoe.
func (t *tracker) changed(deck string) {
	t.flight = append(t.flight, t.decks.others...)
	t.decks.now, t.decks.fouled, t.decks.others = deck, false, nil
}

// follow takes note of an input that the rules have taken.
func (d *decks) follow(in *engine.Input) {
	switch in.Kind {
	case engine.HandStarted:
		d.others = nil
		if d.now != "" {
			d.hands[d.now]++
		}
	case engine.HandVoided:
		d.fouled = d.fouled || slices.Contains([]string{"foreign_card", "duplicate_card"}, in.Reason)
	}
}

// worn says that the deck in play has been dealt for as many hands as it may be, "" while it has not.
func (d *decks) worn() string {
	if n := d.hands[d.now]; d.life > 0 && n >= d.life {
		return fmt.Sprintf("Deck %s was dealt for %d hands: change it", d.now, n)
	}
	return ""
}
