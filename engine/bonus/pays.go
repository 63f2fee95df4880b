package bonus

import (
	"math/big"
	"slices"

	"tavolo/engine/card"
)

// BonusPay is a row of the bonus bet's pay table: these starting hands pay so much to one.
type BonusPay struct {
	Pays  int64
	Hands []Start
	// House is whether the house must hold one of them too.
	House bool
}

// BonusTable is the pay table of the bonus bet (BP-06). The first row that fits pays; all other hands lose.
var BonusTable = []BonusPay{
	{Pays: 1000, Hands: starts("AA"), House: true},
	{Pays: 30, Hands: starts("AA")},
	{Pays: 25, Hands: starts("AKs")},
	{Pays: 20, Hands: starts("AQs", "AJs")},
	{Pays: 15, Hands: starts("AKo")},
	{Pays: 10, Hands: starts("KK", "QQ", "JJ")},
	{Pays: 5, Hands: starts("AQo", "AJo")},
	{Pays: 3, Hands: starts("TT", "99", "88", "77", "66", "55", "44", "33", "22")},
}

// BonusPays tells what a bonus bet pays to one for the two cards of a box and the two of the house; 0 if it loses.
func BonusPays(box, house card.Set) int64 {
	for _, row := range BonusTable {
		if slices.Contains(row.Hands, StartOf(box)) && (!row.House || slices.Contains(row.Hands, StartOf(house))) {
			return row.Pays
		}
	}
	return 0
}

// BonusEdge is what the house wins of a bonus bet on average.
func BonusEdge() *big.Rat {
	var won, deals int64
	for box := range pairs(card.French) {
		for house := range pairs(card.French &^ box) {
			deals++
			if pays := BonusPays(box, house); pays > 0 {
				won += pays
			} else {
				won--
			}
		}
	}
	return big.NewRat(-won, deals)
}
