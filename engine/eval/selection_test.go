package eval

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

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

func TestOmahaAgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 2_000 {
		for n := 4; n <= 6; n++ {
			hole := deal(r, n)
			board := deal(r, 5+n) &^ hole
			for board.Len() > 3+r.IntN(3) {
				board &= board - 1
			}
			got, want := seen(Standard.Strength(TwoAndThree, hole, board)), oracleOmaha(hole.Cards(), board.Cards())
			if got.compare(want) != 0 {
				t.Fatalf("%v on %v is %v, the oracle says %v", hole, board, got, want)
			}
		}
	}
}

// What Best shows is what Strength counted, cards the seat may use, and as many of its own as possible.
func TestBestShowsTheHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sel := rapid.SampledFrom([]Selection{Free, TwoAndThree}).Draw(t, "selection")
		holes := map[Selection]int{Free: 2, TwoAndThree: rapid.IntRange(4, 6).Draw(t, "hole cards")}[sel]
		all := cardsOf(t, holes+rapid.IntRange(3, 5).Draw(t, "board cards"))
		hole, board := card.SetOf(all[:holes]...), card.SetOf(all[holes:]...)

		s, cards := Standard.Best(sel, hole, board)
		five := card.SetOf(cards...)
		if s != Standard.Strength(sel, hole, board) || s != Standard.Of(five) {
			t.Fatalf("%v with %v, Strength says %v", five, s, Standard.Strength(sel, hole, board))
		}
		if len(cards) != 5 || five.Len() != 5 || five&^(hole|board) != 0 {
			t.Fatalf("shows %s of %v and %v", card.Text(cards), hole, board)
		}
		own := (five & hole).Len()
		if sel == TwoAndThree && own != 2 {
			t.Fatalf("%v uses %d of %v", five, own, hole)
		}
		for other := range sel.hands(hole, board) {
			if Standard.Of(other) == s && (other&hole).Len() > own {
				t.Fatalf("%v was shown, %v has more of %v", five, other, hole)
			}
		}
	})
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
