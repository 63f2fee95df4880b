// Package eval tells which hand is better.
//
// A Ranking turns a set of cards into a Strength, a number that is higher for the better hand and equal for a tie; what
// it says in words is in the number too. A Selection says which of a seat's cards may be in the hand: any, or exactly
// two with three of the board. A game's row names one of each, so start at Ranking.Strength, and at Ranking.Best for
// the five cards to show.
//
// Everything here is a pure function over tables built when the program starts and never changed, and may be called
// from any goroutine.
package eval

import (
	"math/bits"
	"slices"

	"tavolo/engine/card"
)

// Ranking is one way of telling which of two hands is better. The zero value is none: a game without a low half has the
// zero Ranking for it.
type Ranking struct {
	// Name is the ranking's name in rules and messages.
	Name string
	// Of gives the strength of the best hand in cards. Only strengths of the same ranking compare. It takes one to seven
	// cards and panics on more; no cards give the zero Strength.
	Of func(cards card.Set) Strength
}

// Category is the kind of a hand. Its number says nothing about which kind is better: that is its ranking's affair.
type Category uint8

// The categories. The zero value is no hand.
const (
	HighCard Category = 1 + iota
	Pair
	TwoPair
	Trips
	Straight
	Flush
	FullHouse
	Quads
	StraightFlush
)

// Strength is how good a hand is: within one ranking the higher wins and equal ones tie. The zero value is no hand.
//
//	bits 28-31  place of the category in its ranking, 1 the lowest
//	bits 8-27   five slots for the ranks in the order they are compared: 2 to 14, 1 for an ace counted low, 0 for none
//	bits 4-7    zero, kept for rankings in which suits break ties
//	bits 0-3    category, which follows from the place and so never decides
type Strength uint32

const (
	placeShift = 28
	topSlot    = 24
	lastSlot   = 8
	slotBits   = 4
	slotMask   = 1<<slotBits - 1
)

// pips is a set of ranks by the number printed on the card: bit 2 is a two, bit 14 an ace, bit 1 an ace counted low.
type pips uint16

// made is what a hand is made of: the ranks that count are those of first from the highest down, then those of rest,
// five at most.
type made struct {
	category    Category
	first, rest pips
}

// at gives the strength of m in a ranking that has its category at that place.
func (m made) at(place int) Strength {
	s := Strength(place)<<placeShift | Strength(m.category)
	slot := topSlot
	for _, group := range [...]pips{m.first, m.rest} {
		for ; group != 0; slot -= slotBits {
			top := bits.Len16(uint16(group)) - 1
			s |= Strength(top) << slot
			group &^= 1 << top
		}
	}
	return s
}

// Category is the kind of hand.
func (s Strength) Category() Category { return Category(s & slotMask) }

// Ranks lists the ranks that count, each once, in the order they are compared: aces and kings for a full house, five
// four three two ace for the lowest straight. Where fewer than five cards were ranked it may be short of kickers.
func (s Strength) Ranks() []card.Rank {
	var ranks []card.Rank
	for slot := topSlot; slot >= lastSlot; slot -= slotBits {
		switch pip := s >> slot & slotMask; pip {
		case 0:
			return ranks
		case 1:
			ranks = append(ranks, card.Ace)
		default:
			ranks = append(ranks, card.Rank(pip-2))
		}
	}
	return ranks
}

// inOrder lists cards as one lays them out: by the place of their rank in s, within a rank from spades to clubs.
func (s Strength) inOrder(cards card.Set) []card.Card {
	ranks := s.Ranks()
	out := cards.Cards()
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b card.Card) int {
		return slices.Index(ranks, a.Rank()) - slices.Index(ranks, b.Rank())
	})
	return out
}
