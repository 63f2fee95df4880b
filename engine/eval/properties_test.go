package eval

import (
	"cmp"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/card"
)

// cardsOf draws n different cards of a deck.
func cardsOf(t *rapid.T, deck card.Set, n int) []card.Card {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(deck.Cards()), n, n, rapid.ID).Draw(t, "cards")
}

// eachRanking checks a property of every ranking.
func eachRanking(t *testing.T, check func(t *rapid.T, e entry)) {
	for _, e := range every {
		t.Run(e.ranking.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { check(t, e) })
		})
	}
}

// A low hand is only ranked so from five cards on: before, another card is another to be high.
func TestAnotherCardNeverLowersAHand(t *testing.T) {
	eachRanking(t, func(t *rapid.T, e entry) {
		var held card.Set
		var before Strength
		for _, c := range cardsOf(t, e.deck, 7) {
			held = held.Add(c)
			now := e.ranking.Of(held)
			if now < before && (!e.low || held.Len() > 5) {
				t.Fatalf("%v lowers %v to %v (%v)", c, before, now, held)
			}
			before = now
		}
	})
}

func TestSuitsDoNotMatter(t *testing.T) {
	eachRanking(t, func(t *rapid.T, e entry) {
		cards := cardsOf(t, e.deck, rapid.IntRange(1, 7).Draw(t, "n"))
		suits := rapid.Permutation([]card.Suit{card.Clubs, card.Diamonds, card.Hearts, card.Spades}).Draw(t, "suits")
		var other card.Set
		for _, c := range cards {
			other = other.Add(card.New(c.Rank(), suits[c.Suit()]))
		}
		a, b := e.ranking.Of(card.SetOf(cards...)), e.ranking.Of(other)
		if e.oracle == nil { // suits decide, but only within a category
			a, b = Strength(a.Category()), Strength(b.Category())
		}
		if a != b {
			t.Fatalf("%s is %v, %v is %v", card.Text(cards), a, other, b)
		}
	})
}

// Suits decide in 32-card draw where Americana would split, and nowhere else (NX-A3).
func TestDraw32OrdersAsStrippedDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cards := cardsOf(t, card.Stripped32, 10)
		a, b := card.SetOf(cards[:5]...), card.SetOf(cards[5:]...)
		byRank, bySuit := cmp.Compare(Stripped.Of(a), Stripped.Of(b)), cmp.Compare(Draw32.Of(a), Draw32.Of(b))
		if bySuit == 0 || byRank != 0 && bySuit != byRank {
			t.Fatalf("%v and %v: %d by the ranks, %d with suits", a, b, byRank, bySuit)
		}
	})
}

// What Best shows is what Strength counted, cards the seat may use, and as many of its own as possible.
func TestBestShowsTheHand(t *testing.T) {
	eachRanking(t, func(t *rapid.T, e entry) {
		sel := rapid.SampledFrom([]Selection{Free, TwoAndThree}).Draw(t, "selection")
		holes := map[Selection]int{Free: 2, TwoAndThree: rapid.IntRange(4, 6).Draw(t, "hole cards")}[sel]
		all := cardsOf(t, e.deck, holes+rapid.IntRange(3, 5).Draw(t, "board cards"))
		hole, board := card.SetOf(all[:holes]...), card.SetOf(all[holes:]...)

		s, cards := e.ranking.Best(sel, hole, board)
		shown := card.SetOf(cards...)
		if s != e.ranking.Strength(sel, hole, board) || s != e.ranking.Of(shown) {
			t.Fatalf("%v with %v, Strength says %v", shown, s, e.ranking.Strength(sel, hole, board))
		}
		if shown.Len() != len(cards) || shown&^(hole|board) != 0 {
			t.Fatalf("shows %s of %v and %v", card.Text(cards), hole, board)
		}
		if want := e.shows(s); len(cards) != want {
			t.Fatalf("shows %s for %v, want %d cards", card.Text(cards), s, want)
		}
		if len(cards) < 5 {
			return
		}
		own := (shown & hole).Len()
		if sel == TwoAndThree && own != 2 {
			t.Fatalf("%v uses %d of %v", shown, own, hole)
		}
		for other := range sel.hands(hole, board) {
			if e.ranking.Of(other) == s && (other&hole).Len() > own {
				t.Fatalf("%v was shown, %v has more of %v", shown, other, hole)
			}
		}
	})
}

func TestMoreThanSevenCardsPanic(t *testing.T) {
	for _, e := range every {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: eight cards were ranked", e.ranking.Name)
				}
			}()
			e.ranking.Of(hand("7c8c9cTcJcQcKcAc"))
		}()
	}
}
