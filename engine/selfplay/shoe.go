package selfplay

import (
	"tavolo/engine"
	"tavolo/engine/card"
)

// shoe is the cards of a table as they really are, of which the engine may not know all.
type shoe struct {
	// cards are in the shoe; thrown were exchanged or set aside since it was last loaded, early are community cards that came
	// too early.
	cards, thrown, early card.Set
	hole                 [engine.MaxSeats + 1]card.Set
	// dark is whether cards come face down without being read.
	dark bool
	// likes are cards that come first to a seat, and to the board and the burns at 0: so that hands are good, and equal,
	// far more often than they would be.
	likes [engine.MaxSeats + 1]card.Set
}

// next is a card that comes now, or card.Hidden.
func (sh *shoe) next(r random, s *engine.State, a *engine.Await) card.Card {
	if sh.dark && a.Kind != engine.AwaitBoard && !a.Up && r.once(2) {
		return card.Hidden
	}
	seat := engine.Seat(0)
	if a.Kind == engine.AwaitHole {
		seat = a.Seat
	}
	return sh.pick(r, s, seat, s.Gone+1)
}

// at are the cards that can be at a place in the shoe: one that was peeked is at its own, and at no other.
func (sh *shoe) at(s *engine.State, place int8) card.Set {
	ahead := card.SetOf(s.Powers.Ahead) & sh.cards
	if place == s.Powers.AheadAt && ahead != 0 {
		return ahead
	}
	return sh.cards &^ ahead
}

// pick is a card of the shoe for a seat, one that it threw away only if there is no other.
func (sh *shoe) pick(r random, s *engine.State, seat engine.Seat, place int8) card.Card {
	from, thrown := sh.at(s, place), s.Seats[seat].Thrown
	if from&^thrown != 0 {
		from &^= thrown
	}
	if from&sh.likes[seat] != 0 {
		from &= sh.likes[seat]
	}
	return r.card(from)
}

// discards are up to as many cards of a seat's hand as it may exchange, by their faces or, where the engine does not know
// them, without.
func (sh *shoe) discards(r random, s *engine.State, a *engine.Await) (out engine.Cards) {
	hand, known := sh.hole[a.Seat], card.SetOf(s.Seats[a.Seat].Hole[:]...)
	for i := range r.below(uint64(min(int(a.Of), hand.Len()) + 1)) {
		c := r.card(hand)
		hand = hand.Remove(c)
		if !known.Has(c) && r.once(2) {
			c = card.Hidden
		}
		out[i] = c
	}
	return out
}

// follow moves the cards as an event says; of those without a face any that it may be.
func (sh *shoe) follow(r random, s *engine.State, e *engine.Event) {
	switch e.Kind {
	case engine.HandBegan:
		sh.shuffle(r, s.Rules.Game.Deck)
	case engine.CardBurned, engine.BoardDealt:
		sh.take(r, s, 0, e.Card)
	case engine.HoleDealt:
		sh.hole[e.Seat] = sh.hole[e.Seat].Add(sh.take(r, s, e.Seat, e.Card))
	case engine.CardSetAside:
		sh.thrown = sh.thrown.Add(sh.take(r, s, 0, e.Card))
	case engine.CardExposed:
		sh.hole[e.Seat] = sh.hole[e.Seat].Remove(e.Card)
	case engine.CardMissed:
		sh.drop(r, s, e)
	case engine.PowerPlayed:
		if e.Power == engine.Swap {
			sh.drop(r, s, e)
		}
	case engine.BoardRetracted, engine.BoardCorrected:
		for _, c := range append(e.Cards.Slice(), e.Card) {
			if c != card.None {
				sh.take(r, s, 0, c)
			}
		}
		if e.Kind == engine.BoardRetracted {
			sh.early |= card.SetOf(e.Cards[:]...)
		}
	case engine.StubShuffled:
		if e.Amount > 0 {
			sh.cards |= sh.early
			sh.early = 0
		}
	case engine.CardsDiscarded:
		hand, thrown := sh.hole[e.Seat], card.SetOf(e.Cards[:]...)
		for _, c := range e.Cards {
			if c == card.Hidden {
				thrown = thrown.Add(r.card(hand &^ thrown &^ card.SetOf(s.Seats[e.Seat].Hole[:]...)))
			}
		}
		sh.hole[e.Seat] &^= thrown
		sh.thrown |= thrown
	case engine.ShoeReloaded:
		sh.cards |= sh.thrown
		sh.thrown = 0
	}
}

// drop takes a card away from a seat.
func (sh *shoe) drop(r random, s *engine.State, e *engine.Event) {
	c, hand := e.Card, sh.hole[e.Seat]
	if c == card.Hidden {
		c = r.card(hand &^ card.SetOf(s.Seats[e.Seat].Hole[:]...))
	}
	sh.hole[e.Seat] = hand.Remove(c)
}

// take takes a card out of the shoe.
func (sh *shoe) take(r random, s *engine.State, seat engine.Seat, c card.Card) card.Card {
	if c == card.Hidden {
		c = sh.pick(r, s, seat, s.Gone)
	}
	sh.cards = sh.cards.Remove(c)
	return c
}

// shuffle fills the shoe for a hand: every fourth is of few ranks, every fourth of straights of one suit.
func (sh *shoe) shuffle(r random, deck card.Set) {
	*sh = shoe{cards: deck, dark: r.once(4)}
	switch r.below(4) {
	case 0:
		var few card.Set
		for range 3 {
			few |= ofRank(r.card(deck).Rank())
		}
		for i := range sh.likes {
			sh.likes[i] = few
		}
	case 1:
		for i := range sh.likes[1:] {
			sh.likes[1+i] = run(r.card(deck), deck)
		}
	}
}

func ofRank(rank card.Rank) card.Set { return 0xf << (4 * card.Set(rank)) }

// run are five cards of a deck of one suit, a card and the next higher ones; after the ace comes the lowest.
func run(c card.Card, deck card.Set) (five card.Set) {
	for five.Len() < 5 {
		if deck.Has(c) {
			five = five.Add(c)
		}
		if c += 4; !c.Known() {
			c -= card.Count
		}
	}
	return five
}
