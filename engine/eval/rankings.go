package eval

import (
	"math/bits"

	"tavolo/engine/card"
)

// The rankings beside Standard.
var (
	// Soko has four-flushes and four-straights between two pair and pair (NX-54). A four-straight is open at both ends,
	// 2-3-4-5 to T-J-Q-K (NX-55).
	Soko = (&rules{order: foursOverPair, wheel: aceBelow(card.Two), fours: span(2, 10)}).ranked("soko")
	// SokoOneEnded takes A-2-3-4, as four-high, and J-Q-K-A for four-straights as well, an option of NX-55.
	SokoOneEnded = (&rules{order: foursOverPair, wheel: aceBelow(card.Two), fours: span(1, 11)}).ranked("soko one-ended")

	// Stripped is Americana's ranking, for 32 cards: a flush beats a full house, A-7-8-9-T is the lowest straight (NX-81).
	Stripped = (&rules{order: flushOverFull, wheel: aceBelow(card.Seven)}).ranked("stripped")
	// ShortDeck is for 36 cards: a flush beats a full house, A-6-7-8-9 is the lowest straight.
	ShortDeck = (&rules{order: flushOverFull, wheel: aceBelow(card.Six)}).ranked("short deck")
	// Draw32 is Stripped with suits to decide what the ranks leave equal (NX-A2, NX-A3): hands that share no card never
	// tie.
	Draw32 = draw32.ranked("32-card draw")
	// Telesina is Stripped with suits, which often decide before lower ranks do (NX-92). The Vela is ranked with a seat's
	// own cards. NX-96 to NX-99 pass over a card that two seats share; so does comparing suits in turn, since a shared
	// card leaves both equal, and nobody need say which card the Vela is. Hands that share no other card never tie. Two
	// players have a rule of their own (NX-93): see Compare.
	Telesina = Ranking{Name: "telesina", Of: telesina.of, upset: upset{
		higher: telesina.of(card.SetOf(card.MustParse("AhKhQhJhTh")...)),
		lower:  telesina.of(card.SetOf(card.MustParse("Ts9s8s7sAs")...)),
	}}

	// LowAceFive is razz: the lowest hand wins, aces are low, and straights and flushes are nothing special.
	LowAceFive = lowAceFive.ranked("ace-to-five low")
	// EightOrBetter is the low half of hi/lo games, LowAceFive for five different ranks none of which is above eight
	// (NX-44). All else is no low, the zero Strength.
	EightOrBetter = Ranking{Name: "eight or better", Of: eightOrBetter}
	// DeuceSeven is 2-7: the lowest hand wins, aces are high, straights and flushes count against a hand (NX-72).
	DeuceSeven = (&rules{order: deuceSevenOrder, low: true}).ranked("deuce-to-seven low")
	// Badugi wants cards of different ranks and suits, the more the better, then the lower; aces are low. Of four or more
	// cards it takes the best one to four.
	Badugi = Ranking{Name: "badugi", Of: badugi}
)

// The kinds of hands in order, the lowest first.
var (
	standardOrder   = []Category{HighCard, Pair, TwoPair, Trips, Straight, Flush, FullHouse, Quads, StraightFlush}
	flushOverFull   = []Category{HighCard, Pair, TwoPair, Trips, Straight, FullHouse, Flush, Quads, StraightFlush}
	foursOverPair   = append([]Category{HighCard, Pair, FourStraight, FourFlush}, standardOrder[2:]...)
	deuceSevenOrder = []Category{StraightFlush, Quads, FullHouse, Flush, Straight, Trips, TwoPair, Pair, Low}
)

var draw32 = &rules{order: flushOverFull, wheel: aceBelow(card.Seven), compare: comparison{
	HighCard:      "12345a",
	Pair:          "1234b",
	TwoPair:       "123c",
	Straight:      "12345a",
	Flush:         "12345a",
	StraightFlush: "12345a",
}}

var telesina = &rules{order: flushOverFull, wheel: aceBelow(card.Seven), compare: comparison{
	HighCard:      "1a2b345", // NX-99
	Pair:          "12ba34",  // NX-98
	TwoPair:       "123ca",   // NX-97
	Straight:      "12345ab", // NX-96
	Flush:         "a12345",  // NX-95
	StraightFlush: "12345a",  // NX-93
}}

var lowAceFive = &rules{order: []Category{Quads, FullHouse, Trips, TwoPair, Pair, Low}, low: true, aceLow: true}

// eights holds the low of every set of ranks from ace, bit 0, to eight. 2 KB.
var eights = newEightTable()

func newEightTable() *[1 << 8]Strength {
	t := new([1 << 8]Strength)
	for ranks := range t {
		if n := bits.OnesCount(uint(ranks)); n >= 5 {
			p := pips(ranks << 1)
			t[ranks] = lowAceFive.strength(made{category: Low, first: p &^ highest(p, n-5)}, 0)
		}
	}
	return t
}

func eightOrBetter(cards card.Set) Strength {
	atMostSeven(cards)
	return eights[ranksIn(cards).withLowAce()>>1&0xff]
}

var badugiRules = &rules{order: []Category{OneCard, TwoCards, ThreeCards, FourCards}, low: true}

func badugi(cards card.Set) (best Strength) {
	atMostSeven(cards)
	for i, category := range badugiRules.order {
		for some := range choose(cards, i+1) {
			if allDiffer(some) {
				best = max(best, badugiRules.strength(made{category: category, first: ranksIn(some).aceLow()}, 0))
			}
		}
	}
	return best
}

// allDiffer reports whether no two of the cards share a rank or a suit.
func allDiffer(cards card.Set) bool {
	suits := uint64(cards)
	for shift := 32; shift >= 4; shift /= 2 {
		suits |= suits >> shift
	}
	n := cards.Len()
	return bits.OnesCount64(suits&0b1111) == n && bits.OnesCount16(uint16(ranksIn(cards))) == n
}
