package bonus

import (
	"fmt"
	"math/big"
)

// Odds is what perfect play comes to, exactly. Amounts are in antes.
type Odds struct {
	// Edge is what the house wins of a hand on average.
	Edge *big.Rat
	// Wager is what a player bets in a hand on average, the ante included.
	Wager *big.Rat
	// Starts are the starting hands, each at its number.
	Starts [Starts]StartOdds
}

// StartOdds is what a starting hand comes to if it is played. To fold is worth -1.
type StartOdds struct {
	Start Start
	// Value is what it wins on average.
	Value *big.Rat
	// Turn and River are how often it bets before these cards.
	Turn, River *big.Rat
}

// Folds is whether a perfect player folds the hand.
func (o StartOdds) Folds() bool { return o.Value.Cmp(big.NewRat(-1, 1)) < 0 }

// Odds draws the result. It panics unless every one of Flops was enumerated and added, once.
func (s *Sums) Odds() Odds {
	o := Odds{Edge: new(big.Rat), Wager: new(big.Rat)}
	for i := range s {
		start, sum := Start(i), &s[i]
		if want := int64(start.Combos()) * flops; sum.flops != want {
			panic(fmt.Sprintf("bonus: %v was enumerated on %d flops, want %d", start, sum.flops, want))
		}
		so := StartOdds{
			Start: start,
			Value: big.NewRat(sum.ante+2*sum.lead+sum.turn+sum.river, sum.flops*turns*rivers*against),
			Turn:  big.NewRat(sum.turnBets, sum.flops),
			River: big.NewRat(sum.riverBets, sum.flops*turns),
		}
		value, wager := big.NewRat(-1, 1), big.NewRat(1, 1)
		if !so.Folds() {
			value = so.Value
			wager = new(big.Rat).Add(big.NewRat(3, 1), new(big.Rat).Add(so.Turn, so.River))
		}
		share := big.NewRat(int64(start.Combos()), 52*51/2)
		o.Edge.Sub(o.Edge, new(big.Rat).Mul(share, value))
		o.Wager.Add(o.Wager, new(big.Rat).Mul(share, wager))
		o.Starts[i] = so
	}
	return o
}
