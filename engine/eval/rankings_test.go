package eval

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tavolo/engine/card"
)

// entry is a ranking to be tested.
type entry struct {
	ranking Ranking
	deck    card.Set // it is for
	oracle  oracle   // nil where suits decide
	low     bool     // whether the lower hand wins
}

var every = []entry{
	{Standard, card.French, standardBook.oracle, false},
	{Soko, card.French, sokoOracle(false), false},
	{SokoOneEnded, card.French, sokoOracle(true), false},
	{Stripped, card.Stripped32, strippedBook.oracle, false},
	{ShortDeck, card.Short36, shortBook.oracle, false},
	{Draw32, card.Stripped32, nil, false},
	{Telesina, card.Stripped32, nil, false},
	{LowAceFive, card.French, razzOracle, true},
	{EightOrBetter, card.French, eightOracle, true},
	{DeuceSeven, card.French, deuceSevenOracle, true},
	{Badugi, card.French, badugiOracle, false},
}

// shows is the number of cards in a complete hand of strength s.
func (e entry) shows(s Strength) int {
	switch c := s.Category(); {
	case s == 0:
		return 0
	case c >= OneCard:
		return int(c-OneCard) + 1
	}
	return 5
}

// countCategories ranks every hand of n cards of a deck.
func countCategories(r Ranking, deck card.Set, n int) map[Category]int {
	var counts [FourCards + 1]int
	eachSet(deck, n, func(s card.Set) { counts[r.Of(s).Category()]++ })
	m := map[Category]int{}
	for c, n := range counts {
		if n > 0 {
			m[Category(c)] = n
		}
	}
	return m
}

func TestCountsOfEveryHand(t *testing.T) {
	for _, c := range []struct {
		why     string
		ranking Ranking
		deck    card.Set
		cards   int
		want    map[Category]int
	}{
		{"five of 52", Standard, card.French, 5, map[Category]int{
			StraightFlush: 40, Quads: 624, FullHouse: 3_744, Flush: 5_108, Straight: 10_200, Trips: 54_912,
			TwoPair: 123_552, Pair: 1_098_240, HighCard: 1_302_540,
		}},
		{"NX-54, NX-55: four-straights open at both ends", Soko, card.French, 5, map[Category]int{
			StraightFlush: 40, Quads: 624, FullHouse: 3_744, Flush: 5_108, Straight: 10_200, Trips: 54_912,
			TwoPair: 123_552, FourFlush: 110_940, FourStraight: 73_872, Pair: 1_050_528, HighCard: 1_165_440,
		}},
		{"NX-55: the option", SokoOneEnded, card.French, 5, map[Category]int{
			StraightFlush: 40, Quads: 624, FullHouse: 3_744, Flush: 5_108, Straight: 10_200, Trips: 54_912,
			TwoPair: 123_552, FourFlush: 110_940, FourStraight: 92_208, Pair: 1_047_552, HighCard: 1_150_080,
		}},
		{"NX-81: five of 32", Stripped, card.Stripped32, 5, map[Category]int{
			StraightFlush: 20, Quads: 224, Flush: 204, FullHouse: 1_344, Straight: 5_100, Trips: 10_752,
			TwoPair: 24_192, Pair: 107_520, HighCard: 52_020,
		}},
		{"NX-A2: five of 32", Draw32, card.Stripped32, 5, map[Category]int{
			StraightFlush: 20, Quads: 224, Flush: 204, FullHouse: 1_344, Straight: 5_100, Trips: 10_752,
			TwoPair: 24_192, Pair: 107_520, HighCard: 52_020,
		}},
		{"NX-92: the best five of six of 32", Telesina, card.Stripped32, 6, map[Category]int{
			StraightFlush: 524, Quads: 3_024, Flush: 4_964, FullHouse: 32_704, Straight: 82_320, Trips: 71_680,
			TwoPair: 254_016, Pair: 388_620, HighCard: 68_340,
		}},
		{"five of 36: six straights, 1,020 ways each without a flush", ShortDeck, card.Short36, 5, map[Category]int{
			StraightFlush: 24, Quads: 288, Flush: 480, FullHouse: 1_728, Straight: 6_120, Trips: 16_128,
			TwoPair: 36_288, Pair: 193_536, HighCard: 122_400,
		}},
		{"razz: 1,287 sets of five ranks, 1,024 ways each", LowAceFive, card.French, 5, map[Category]int{
			Low: 1_317_888, Pair: 1_098_240, TwoPair: 123_552, Trips: 54_912, FullHouse: 3_744, Quads: 624,
		}},
		{"NX-72: without A-2-3-4-5 among the straights", DeuceSeven, card.French, 5, map[Category]int{
			Low: 1_303_560, Pair: 1_098_240, TwoPair: 123_552, Trips: 54_912, Straight: 9_180, Flush: 5_112,
			FullHouse: 3_744, Quads: 624, StraightFlush: 36,
		}},
		{"NX-44: 56 sets of ranks, 1,024 ways each", EightOrBetter, card.French, 5, map[Category]int{
			Low: 57_344, 0: 2_598_960 - 57_344,
		}},
		{"badugi: one card counts where all are of one suit or rank", Badugi, card.French, 4, map[Category]int{
			FourCards: 13 * 12 * 11 * 10, ThreeCards: 154_440, TwoCards: 96_252, OneCard: 4*715 + 13,
		}},
	} {
		t.Run(c.ranking.Name, func(t *testing.T) {
			if raceEnabled && c.deck == card.French {
				t.Skip("slow")
			}
			if got := countCategories(c.ranking, c.deck, c.cards); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s:\ngot  %v\nwant %v", c.why, got, c.want)
			}
		})
	}
}

// The strengths of five cards, one hand of every kind there is, rise as the oracle sorts them.
func TestStrengthsRiseAsTheOracleSorts(t *testing.T) {
	kinds := map[string]int{
		"standard": 7462, "ace-to-five low": 6175, "deuce-to-seven low": 7462, "eight or better": 56 + 1,
	}
	for _, e := range every {
		if e.oracle == nil {
			continue
		}
		t.Run(e.ranking.Name, func(t *testing.T) {
			if raceEnabled && e.deck == card.French {
				t.Skip("slow")
			}
			hands := map[Strength][]card.Card{}
			eachSet(e.deck, 5, func(cards card.Set) {
				s := e.ranking.Of(cards)
				if _, ok := hands[s]; !ok {
					hands[s] = cards.Cards()
				}
			})
			strengths := make([]Strength, 0, len(hands))
			for s := range hands {
				strengths = append(strengths, s)
			}
			slices.Sort(strengths)
			for i, s := range strengths[1:] {
				if worse := strengths[i]; e.oracle(hands[worse], hands[s]) >= 0 {
					t.Fatalf("%v (%v) beats %v (%v), not so for the oracle", hands[s], s, hands[worse], worse)
				}
			}
			if want, ok := kinds[e.ranking.Name]; ok && len(hands) != want {
				t.Errorf("%d kinds of hands, want %d", len(hands), want)
			}
		})
	}
}

// Two random hands, most of them of one card's difference, compare as the oracle has it.
func TestRandomHandsAgainstTheOracles(t *testing.T) {
	for _, e := range every {
		if e.oracle == nil {
			continue
		}
		t.Run(e.ranking.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, 6))
			for range 600 {
				for n := 1; n <= 7; n++ {
					a, b := dealOf(r, e.deck, n), dealOf(r, e.deck, n)
					if r.IntN(4) > 0 { // change a card or none
						b = a & (a - 1)
						for b.Len() < n {
							b |= dealOf(r, e.deck, 1)
						}
					}
					got := cmp.Compare(e.ranking.Of(a), e.ranking.Of(b))
					if want := cmp.Compare(e.oracle(a.Cards(), b.Cards()), 0); got != want {
						t.Fatalf("%v (%v) and %v (%v): %d, the oracle says %d", a, e.ranking.Of(a), b, e.ranking.Of(b), got, want)
					}
				}
			}
		})
	}
}

// H4, and what else NX-72 says.
func TestH4DeuceToSeven(t *testing.T) {
	for i, hands := 1, []string{
		"2c3d4h5s7c", "2c3d4h6s7c", "2c3d4h5s8c", "Kc5d4h3s2c", "Ac2d3h4s5c", "AcKdQhJs9c", "2c2d3h4s5c", "AcAd2h3s4c",
		"2c2d2h3s4c", "2c3d4h5s6c", "AcKdQhJsTc", "2c3c4c5c7c", "Ac2c3c4c5c", "2c2d2h3s3c", "2c2d2h2s3c", "2c3c4c5c6c",
	}; i < len(hands); i++ {
		if better, worse := DeuceSeven.Of(hand(hands[i-1])), DeuceSeven.Of(hand(hands[i])); better <= worse {
			t.Errorf("%s (%v) does not beat %s (%v)", hands[i-1], better, hands[i], worse)
		}
	}
	if s := DeuceSeven.Of(hand("Ac2d3h4s5c")); s.String() != "ace-five low" {
		t.Errorf("A-2-3-4-5 is a %v", s)
	}
}

func TestH5AcesAreLowInPairsToo(t *testing.T) {
	first, _ := LowAceFive.Best(Free, hand("4d4c2h7d7cJs2c"), 0)
	second, cards := LowAceFive.Best(Free, hand("7hAhAc8hAs4h8s"), 0)
	if second <= first {
		t.Errorf("%v does not beat %v", second, first)
	}
	if first.String() != "pair of twos" || second.String() != "pair of aces" || card.Text(cards) != "AhAc8h7h4h" {
		t.Errorf("%v against %v, %s", first, second, card.Text(cards))
	}
}

func TestH6TwoCardBadugis(t *testing.T) {
	first, jack := Badugi.Best(Free, hand("6h4h7hJd"), 0)
	second, ten := Badugi.Best(Free, hand("JsTc5c5s"), 0)
	if second <= first {
		t.Errorf("%v does not beat %v", second, first)
	}
	if card.Text(jack) != "Jd4h" || card.Text(ten) != "Tc5s" {
		t.Errorf("%v of %s against %v of %s", first, card.Text(jack), second, card.Text(ten))
	}
}

func TestH7ShortDeck(t *testing.T) {
	wheel := ShortDeck.Of(hand("Ac6d7h8s9c"))
	if wheel.String() != "nine-high straight" || wheel >= ShortDeck.Of(hand("6d7h8s9cTc")) {
		t.Errorf("A-6-7-8-9 is a %v", wheel)
	}
	if flush, full := ShortDeck.Of(hand("6c8c9cTcJc")), ShortDeck.Of(hand("AcAdAhKsKc")); flush <= full {
		t.Errorf("%v does not beat %v", flush, full)
	}
}

// P6, NX-44: with one card below nine on the board nothing makes a low.
func TestP6NoLowPossible(t *testing.T) {
	board := hand("9c9dKh8sJc")
	eachSet(card.French&^board, 4, func(hole card.Set) {
		if s := EightOrBetter.Strength(TwoAndThree, hole, board); s != 0 {
			t.Fatalf("%v has a %v", hole, s)
		}
	})
	if s, cards := EightOrBetter.Best(TwoAndThree, hand("Ac2d3h4s"), board); s != 0 || cards != nil {
		t.Errorf("%v, %s: want none", s, card.Text(cards))
	}
}

// Each list goes from the best hand down.
func TestShowingCards(t *testing.T) {
	for _, c := range []struct {
		why     string
		ranking Ranking
		hands   []string
	}{
		{"NX-53: Soko's own ranking", Soko, []string{
			"2c2d2h2s", "2c2d2hAs", "3c3d2h2s", "AhKhQh2h", "9h7h5h2h", "KhQsJsTs", "9c8d7h6s", "5c4d3h2s",
			"AcAdKhQs", "2c2d3h4s", "AcKdQhJs", "AhKhQh9c", "Ac4d3h2s", "Kc9d7h5s",
		}},
		{"NX-53: two and three cards", Soko, []string{"2c2d2h", "AcAd", "2c2d", "AhKhQh", "AcKd", "5d4d3d"}},
		{"NX-55: the option", SokoOneEnded, []string{"AhKsQsJs", "KhQsJsTs", "5c4d3h2s", "Ac4d3h2s", "AcAdKhQs"}},
		{"NX-61: no flushes and straights", Standard, []string{"2c2d2h", "AcAd", "2c2d4h3s", "AhKhQhJh", "AhKdQcTh", "Ah"}},
		{"NX-82: Americana", Stripped, []string{"7c7d7h", "8c8d7h7s", "AcAd", "AhKhQhJh", "AcTd9h8s"}},
		{"NX-91: the suit of the highest card", Telesina, []string{
			"KhKc", "KdKs", "AhQc", "AdKc", "Ac", "As", "KsQh", "QhJc", "QhTs", "QdJs",
		}},
		{"NX-91: pairs with a kicker", Telesina, []string{"KcKsAd", "KhKdAc", "KhKdQh", "QcQsAd"}},
		{"razz: the lowest board", LowAceFive, []string{
			"4c3d2h", "5cAd2h", "KcQdJh", "AcAd2h", "AcAdKh", "2c2dAh", "AcAdAh",
		}},
	} {
		for i, worse := range c.hands[1:] {
			if a, b := c.ranking.Of(hand(c.hands[i])), c.ranking.Of(hand(worse)); a <= b {
				t.Errorf("%s: %s (%v) does not beat %s (%v)", c.why, c.hands[i], a, worse, b)
			}
		}
	}
	if Stripped.Of(hand("KhKc")) != Stripped.Of(hand("KdKs")) {
		t.Error("suits decide in Americana")
	}
}

// NX-55: four-flushes compare their four cards, then the fifth; four-straights the top card, then the fifth.
func TestSokoKickers(t *testing.T) {
	hands := []string{
		"2c2d3h3s4c", // two pair beats a four-flush
		"AhKhQh2hJc", "AhKhQh2h3c", "KhQhJhTh2c", "Kh9h5h2hAc", "Kh9h5h2hKc", "Kh9h5h2h3c", "Kh8h7h6hAc",
		"KhQsJsTs8c", "QhJsTs9sAc", "QhJsTs9sQc", "QhJsTs9s9c", "QhJsTs9s2c", "5c4d3h2sKc",
		"AcAdKhQs9c", "Ac4d3h2s9c", "Ac4d3h2s8c",
	}
	for i, worse := range hands[1:] {
		if a, b := Soko.Of(hand(hands[i])), Soko.Of(hand(worse)); a <= b {
			t.Errorf("%s (%v) does not beat %s (%v)", hands[i], a, worse, b)
		}
	}
	if s := Soko.Of(hand("KhQhJhTh9c")); s.Category() != Straight {
		t.Errorf("five in a row are a %v", s)
	}
	if s := SokoOneEnded.Of(hand("Ac4d3h2s9c")); s.String() != "four-straight, four high" {
		t.Errorf("A-2-3-4 is a %v", s)
	}
}
