package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tavolo/engine/card"
)

func hand(s string) card.Set { return card.SetOf(card.MustParse(s)...) }

// agree fails the test unless the ranking and the oracle say the same of cards.
func agree(t *testing.T, cards card.Set) {
	t.Helper()
	got, want := seen(Standard.Of(cards)), standardBook.best(cards.Cards())
	if standardBook.compare(got, want) != 0 {
		t.Fatalf("%v is %v %v, the oracle says %v %v", cards, got.category, got.ranks, want.category, want.ranks)
	}
}

func TestEverySevenCardHand(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("133,784,560 hands")
	}
	want := map[Category]int{
		StraightFlush: 41_584, Quads: 224_848, FullHouse: 3_473_184, Flush: 4_047_644, Straight: 6_180_020,
		Trips: 6_461_620, TwoPair: 31_433_400, Pair: 58_627_800, HighCard: 23_294_460,
	}
	if got := countCategories(Standard, card.French, 7); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Every entry of the table without flushes is read once: each combination of up to four cards a rank and seven in all,
// in suits that make no flush. This also proves that no two combinations share a place.
func TestEveryCombinationOfRanksAgainstTheOracle(t *testing.T) {
	entries := 0
	var walk func(r card.Rank, left, dealt int, cards card.Set)
	walk = func(r card.Rank, left, dealt int, cards card.Set) {
		if r > card.Ace {
			if dealt > 0 {
				entries++
				agree(t, cards)
			}
			return
		}
		walk(r+1, left, dealt, cards)
		for n := range min(4, left) {
			// The next suit each time, so that no suit gets more than two of seven cards.
			cards = cards.Add(card.New(r, card.Suit((dealt+n)%4)))
			walk(r+1, left-n-1, dealt+n+1, cards)
		}
	}
	walk(card.Two, 7, 0, 0)
	if entries != 76_154 {
		t.Errorf("%d combinations of one to seven cards, want 76,154", entries)
	}
}

// Every set of five to seven suited ranks, in every suit, with any other cards.
func TestEveryFlushAgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for suit := card.Clubs; suit <= card.Spades; suit++ {
		var ofSuit card.Set
		for rank := card.Two; rank <= card.Ace; rank++ {
			ofSuit = ofSuit.Add(card.New(rank, suit))
		}
		for n := 5; n <= 7; n++ {
			for cards := range choose(ofSuit, n) {
				agree(t, cards)
				for cards.Len() < 7 {
					cards = cards.Add(card.Card(1 + r.IntN(card.Count)))
				}
				agree(t, cards)
			}
		}
	}
}

func TestRandomHandsAgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for range 20_000 {
		for n := 5; n <= 7; n++ {
			agree(t, deal(r, n))
		}
	}
}

// The four examples of the rule: equal category, then the higher cards, then kickers.
func TestH9ExamplesOfNX02(t *testing.T) {
	for _, c := range []struct{ better, worse string }{
		{"QcQdQh6c6d", "QcQdQh5c5d"},
		{"Kh7h5h3h2h", "QsJsTs8s6s"},
		{"AcAdKcTc6d", "AcAdQcJc5d"},
		{"JcJdJhAcQd", "JcJdJhAc9d"},
	} {
		if better, worse := Standard.Of(hand(c.better)), Standard.Of(hand(c.worse)); better <= worse {
			t.Errorf("%s (%v) does not beat %s (%v)", c.better, better, c.worse, worse)
		}
	}
}

func TestH1AceLowStraight(t *testing.T) {
	straight := Standard.Of(hand("Ac2d 3h4s5c 9d9h"))
	if straight.String() != "five-high straight" || straight >= Standard.Of(hand("2c3d4h5s6c")) {
		t.Errorf("A-2-3-4-5 is a %v", straight)
	}
	suited := Standard.Of(hand("Ah2h 3h4h5h KsQs"))
	if suited.String() != "five-high straight flush" {
		t.Errorf("A-2-3-4-5 of hearts is a %v", suited)
	}
	if suited <= Standard.Of(hand("AcAdAhAsKc")) || suited >= Standard.Of(hand("2h3h4h5h6h")) {
		t.Error("A-2-3-4-5 of hearts is not the lowest straight flush")
	}
	if s := Standard.Of(hand("QcKdAh2s3c")); s.Category() != HighCard {
		t.Errorf("Q-K-A-2-3 is a %v", s)
	}
}

func TestH2StraightOnTheBoardTies(t *testing.T) {
	board := hand("4c5d6h7s8c")
	want := Standard.Strength(Free, hand("AhKh"), board)
	for hole := range choose(card.French&^board, 2) {
		got := Standard.Strength(Free, hole, board)
		if ranks := hole.String(); ranks[0] != '9' && ranks[2] != '9' && got != want {
			t.Fatalf("%v on %v: %v, want a tie with A-K", hole, board, got)
		}
	}
}

func TestH3TwoPairOutOfThree(t *testing.T) {
	s, cards := Standard.Best(Free, hand("7c5s"), hand("4d8s4h7d8c"))
	if s.String() != "two pair, eights and sevens" || card.Text(cards) != "8s8c7d7c5s" {
		t.Errorf("%v, %s", s, card.Text(cards))
	}
}
