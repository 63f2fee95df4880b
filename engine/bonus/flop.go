package bonus

import (
	"slices"

	"tavolo/engine/card"
)

// Flop is three cards that stand for all flops which differ from them by the names of the suits alone.
type Flop struct {
	Cards card.Set
	// Weight is how many flops it stands for, itself included: 4, 12 or 24.
	Weight int64
}

// Flops lists the 1,755 different flops. Their weights make up all 22,100.
func Flops() []Flop {
	var all []Flop
	place := map[[4]uint16]int{}
	for two := range pairs(card.French) {
		for third := two & -two >> 1; third != 0; third >>= 1 { // one card below both
			cards := two | third
			p, known := place[suitless(cards)]
			if !known {
				p = len(all)
				place[suitless(cards)] = p
				all = append(all, Flop{Cards: cards})
			}
			all[p].Weight++
		}
	}
	return all
}

// suitless gives the ranks of each suit, in an order that does not depend on which suit has them.
func suitless(cards card.Set) [4]uint16 {
	var ranks [4]uint16
	for _, c := range cards.Cards() {
		ranks[c.Suit()] |= 1 << c.Rank()
	}
	slices.Sort(ranks[:])
	return ranks
}
