// Package eval tells which hand is better.
//
// A Ranking turns a set of cards into a Strength, a number that is higher for the better hand and equal for a tie; what
// it says in words is in the number too. A Selection says which of a seat's cards may be in the hand: any, or exactly
// two with three of the board. A game's row names one of each, so start at Ranking.Strength, and at Ranking.Best for
// the cards to show.
//
// The rankings are Standard and those of rankings.go, a row of data each: which kinds of hands there are, in what
// order, and what is compared between two of a kind. A new ranking is a new row. Standard has tables besides, because
// equities rank hands by the hundred million.
//
// Everything here is a pure function over tables built when the program starts and never changed, and may be called
// from any goroutine.
package eval

import (
	"cmp"

	"tavolo/engine/card"
)

// Ranking is one way of telling which of two hands is better. The zero value is none: a game without a low half has the
// zero Ranking for it.
type Ranking struct {
	// Name is the ranking's name in rules and messages.
	Name string
	// Of gives the strength of the best hand in cards. Only strengths of the same ranking compare. It takes one to seven
	// cards and panics on more; no cards give the zero Strength. Fewer cards than a hand has are ranked by the same order,
	// which is how the cards that players show are compared (NX-53, NX-61, NX-91).
	Of func(cards card.Set) Strength

	upset upset
}

// upset is the pair of hands whose order is turned round when no others are at the showdown; zero for none.
type upset struct{ higher, lower Strength }

// Compare is negative if a loses to b, zero if they tie and positive if a wins, with that many players left at the
// showdown. It is the order of the numbers, but for one pair of hands in Telesina between two players (NX-93).
func (r Ranking) Compare(a, b Strength, players int) int {
	if players == 2 && (upset{max(a, b), min(a, b)}) == r.upset {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
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

	// FourStraight and FourFlush are four cards in a row and four of one suit, in Soko.
	FourStraight
	FourFlush

	// Low is a hand without a pair where the lower hand wins.
	Low

	// OneCard to FourCards are hands of that many cards of different ranks and suits, the last a badugi.
	OneCard
	TwoCards
	ThreeCards
	FourCards
)

// Strength is how good a hand is: within one ranking the higher wins and equal ones tie (Compare has an exception). The
// zero value is no hand.
//
//	bits 60-63  place of the category in its ranking, 1 the lowest
//	bits 6-59   nine digits, in the order in which they are compared
//	bits 0-5    category, which follows from the place and so never decides
type Strength uint64

const (
	placeShift = 60
	firstDigit = 54
	lastDigit  = 6
	digitBits  = 6
	digitMask  = 1<<digitBits - 1
)

// digit is one thing that is compared between two hands of a category:
//
//	0         nothing
//	1 to 14   a rank by its pip, 1 an ace counted low
//	16 to 19  a suit, by its place in bySuit
//	49 to 62  a rank of which the lower is better: 63 less its pip
type digit uint8

const (
	ofSuit digit = 16
	ofLow  digit = 63
)

// bySuit are the suits where they decide, the lowest first (NX-91, NX-A3).
var bySuit = [...]card.Suit{card.Spades, card.Clubs, card.Diamonds, card.Hearts}

func (s Strength) digit(shift int) digit { return digit(s >> shift & digitMask) }

// rank is the rank the digit stands for, if it does.
func (d digit) rank() (r card.Rank, ok bool) {
	switch {
	case d >= ofSuit+4:
		d = ofLow - d
	case d == 0 || d >= ofSuit:
		return 0, false
	}
	return rankOf(int(d)), true
}

// suit is the suit the digit stands for, if it does.
func (d digit) suit() (s card.Suit, ok bool) {
	if d < ofSuit || d >= ofSuit+4 {
		return 0, false
	}
	return bySuit[d-ofSuit], true
}

// rankOf is the rank of the card with that pip, 1 to 14.
func rankOf(pip int) card.Rank {
	if pip == 1 {
		return card.Ace
	}
	return card.Rank(pip - 2)
}

// Category is the kind of hand.
func (s Strength) Category() Category { return Category(s & digitMask) }

// Ranks lists the ranks that count in the order they are laid out: aces and kings for a full house, five four three two
// ace for the lowest straight. A rank is named once, and again only if the card beside a four-flush or four-straight
// pairs it. Where fewer than five cards were ranked it may be short of kickers.
func (s Strength) Ranks() []card.Rank {
	var ranks []card.Rank
	for shift := firstDigit; shift >= lastDigit; shift -= digitBits {
		if r, ok := s.digit(shift).rank(); ok {
			ranks = append(ranks, r)
		}
	}
	return ranks
}
