package eval

import (
	"math/rand/v2"
	"testing"

	"tavolo/engine/card"
)

func TestOmahaTakesTwoAndThree(t *testing.T) {
	for _, c := range []struct {
		why         string
		hole, board string
		text, cards string
	}{
		{"four aces in hand are a pair", "AcAdAhAs", "2c3d7h9sTd", "pair of aces", "AdAcTd9s7h"},
		{"one spade makes no flush of four", "As2c3d4h", "KsQs9s5s8d", "ace high", "AsKsQs9s4h"},
		{"trips on the board, a pair in hand", "9c9dKhQs", "7c7d7h2s3s", "full house, sevens over nines", "7h7d7c9d9c"},
		{"a full house on the board takes two hole cards", "AcKdQh2s", "8c8d8hJcJd", "three of a kind, eights", "8h8d8cAcKd"},
		{"three of the flop, no more to choose from", "AhKh2c3d", "QhJhTh", "royal flush", "AhKhQhJhTh"},
		{"nothing before the flop", "AhKhQhJh", "", "no hand", ""},
		{"nothing with one hole card", "Ah", "KhQhJhTh9h", "no hand", ""},
	} {
		s, cards := Standard.Best(TwoAndThree, hand(c.hole), hand(c.board))
		if s.String() != c.text || card.Text(cards) != c.cards {
			t.Errorf("%s: %v, %s; want %s, %s", c.why, s, card.Text(cards), c.text, c.cards)
		}
	}
}

// NX-42 with four to six hole cards, high, and NX-44, low.
func TestOmahaAgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	lows := 0
	for range 2_000 {
		for n := 4; n <= 6; n++ {
			hole := deal(r, n)
			board := deal(r, 5+n) &^ hole
			for board.Len() > 3+r.IntN(3) {
				board &= board - 1
			}
			choices := twosAndThrees(hole.Cards(), board.Cards())

			got := seen(Standard.Strength(TwoAndThree, hole, board))
			if want := standardBook.bestOf(choices); standardBook.compare(got, want) != 0 {
				t.Fatalf("%v on %v is %v, the oracle says %v", hole, board, got, want)
			}

			low := EightOrBetter.Strength(TwoAndThree, hole, board)
			want := eight(choices)
			if (low != 0) != (want != nil) {
				t.Fatalf("%v on %v is %v, the oracle says %v", hole, board, low, want)
			}
			for i, rank := range low.Ranks() {
				lows++
				if (int(rank)+1)%13+1 != want[i] {
					t.Fatalf("%v on %v is %v, the oracle says %v", hole, board, low.Ranks(), want)
				}
			}
		}
	}
	if lows == 0 {
		t.Error("no low came up")
	}
}

func TestBestLaysTheCardsOut(t *testing.T) {
	for _, c := range []struct{ hole, board, cards string }{
		{"", "", ""},
		{"7h", "", "7h"},
		{"2c2h", "", "2h2c"},
		{"KdAs", "AhKcKh", "KhKdKcAsAh"},
		{"4c2s", "3h5dAcKd", "5d4c3h2sAc"},
		{"QdQs", "QhQc9sJd2c", "QsQhQdQcJd"},
		{"AhKc", "AdKs7c7d2h", "AhAdKsKc7c"},
		{"Ac2c", "KcQc9c8c4h", "AcKcQc9c8c"},
		{"Ks2c", "KdQhJsTc9c", "KsQhJsTc9c"}, // either king will do: the seat's own
	} {
		if _, cards := Standard.Best(Free, hand(c.hole), hand(c.board)); card.Text(cards) != c.cards {
			t.Errorf("%s and %s: shows %s, want %s", c.hole, c.board, card.Text(cards), c.cards)
		}
	}
}

func TestBestOfOtherRankings(t *testing.T) {
	for _, c := range []struct {
		ranking            Ranking
		hole, board, cards string
	}{
		{Soko, "9c9h5h2hKh", "", "Kh9h5h2h9c"}, // the card beside a four-flush last
		{Soko, "9h9c5c2cKc", "", "Kc9c5c2c9h"}, // of whichever suit
		{Soko, "8s8c7d6h5c", "", "8s7d6h5c8c"}, // and beside a four-straight
		{Soko, "Kc8c7d6h5c", "", "8c7d6h5cKc"}, // also if it is the highest
		{SokoOneEnded, "KcAd2h3s4c", "", "4c3s2hAdKc"},
		{Stripped, "Ac7d8h9sTc", "", "Tc9s8h7dAc"},
		{Telesina, "KhKd8s9cJc", "Ad", "KhKdAdJc9c"}, // the highest kickers, though the first decides
		{Telesina, "AcQdTs9h7c", "Kh", "AcKhQdTs9h"},
		{Telesina, "AhTh9h7h8c", "Jh", "AhJhTh9h7h"},
		{LowAceFive, "AcAd7h", "5c4d3h2s", "5c4d3h2sAc"},
		{EightOrBetter, "AcKd7h", "8c4d3hKs", "8c7h4d3hAc"},
		{EightOrBetter, "AcAd7h", "9c4d3hKs", ""},
		{DeuceSeven, "7c5d4h3s2c", "", "7c5d4h3s2c"},
		{DeuceSeven, "4c4d7h3s2c", "", "4d4c7h3s2c"},
		{Badugi, "Tc5d4hAs", "", "Tc5d4hAs"},
		{Badugi, "2c2d2h2s", "", "2s"},
	} {
		if _, cards := c.ranking.Best(Free, hand(c.hole), hand(c.board)); card.Text(cards) != c.cards {
			t.Errorf("%s: %s and %s: shows %s, want %s", c.ranking.Name, c.hole, c.board, card.Text(cards), c.cards)
		}
	}
}

func TestChooseYieldsEverySubsetOnce(t *testing.T) {
	s := hand("2c3d7h9sTdQcAs")
	for n, want := range []int{1, 7, 21, 35, 35, 21, 7, 1, 0} {
		subsets := map[card.Set]bool{}
		for sub := range choose(s, n) {
			if sub.Len() != n || sub&^s != 0 || subsets[sub] {
				t.Errorf("%v chosen as %d of %v, or chosen twice", sub, n, s)
			}
			subsets[sub] = true
		}
		if len(subsets) != want {
			t.Errorf("%d subsets of %d cards, want %d", len(subsets), n, want)
		}
	}
}
