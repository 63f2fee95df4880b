package eval

import (
	"math/rand/v2"
	"testing"

	"tavolo/engine/card"
)

// deal gives n random cards.
func deal(r *rand.Rand, n int) card.Set { return dealOf(r, card.French, n) }

// dealOf gives n random cards of a deck.
func dealOf(r *rand.Rand, deck card.Set, n int) card.Set {
	var s card.Set
	for s.Len() < n {
		s = s.Add(card.Card(1+r.IntN(card.Count))) & deck
	}
	return s
}

// perSecond reports hands a second where an iteration ranks n of them.
func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds()/1e6, "Mhands/s")
}

// BenchmarkSevenRandom ranks a million hands dealt beforehand, in no order.
func BenchmarkSevenRandom(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 7))
	hands := make([]card.Set, 1<<20)
	for i := range hands {
		hands[i] = deal(r, 7)
	}
	var sum Strength
	for b.Loop() {
		for _, h := range hands {
			sum += Standard.Of(h)
		}
	}
	perSecond(b, len(hands))
	_ = sum
}

// BenchmarkSevenBoards ranks two hole cards with every board, as an equity calculation does.
func BenchmarkSevenBoards(b *testing.B) {
	hole := card.SetOf(card.MustParse("Ah8h")...)
	n := 0
	for b.Loop() {
		n = 0
		eachSet(card.French&^hole, 5, func(board card.Set) {
			Standard.Of(hole | board)
			n++
		})
	}
	perSecond(b, n)
}

// BenchmarkOmaha ranks four hole cards on a board of five, 60 hands of five cards each time.
func BenchmarkOmaha(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 7))
	type holding struct{ hole, board card.Set }
	holdings := make([]holding, 1<<12)
	for i := range holdings {
		h := deal(r, 4)
		holdings[i] = holding{h, deal(r, 9) &^ h}
		for holdings[i].board.Len() > 5 {
			holdings[i].board &= holdings[i].board - 1
		}
	}
	for b.Loop() {
		for _, h := range holdings {
			Standard.Strength(TwoAndThree, h.hole, h.board)
		}
	}
	perSecond(b, len(holdings))
}

// BenchmarkTable builds the table, which every start of a program does once.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		newCountTable()
	}
}

// eachSet visits every set of n cards of deck, quickly.
func eachSet(deck card.Set, n int, visit func(card.Set)) {
	var walk func(deck, chosen card.Set, n int)
	walk = func(deck, chosen card.Set, n int) {
		if n == 0 {
			visit(chosen)
			return
		}
		for ; deck != 0; deck &= deck - 1 {
			walk(deck&(deck-1), chosen|deck&-deck, n-1)
		}
	}
	walk(deck, 0, n)
}

// BenchmarkRankings ranks seven cards of the deck by each ranking.
func BenchmarkRankings(b *testing.B) {
	for _, e := range every {
		b.Run(e.ranking.Name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 8))
			hands := make([]card.Set, 1<<10)
			for i := range hands {
				hands[i] = dealOf(r, e.deck, 7)
			}
			for b.Loop() {
				for _, h := range hands {
					e.ranking.Of(h)
				}
			}
			perSecond(b, len(hands))
		})
	}
}
