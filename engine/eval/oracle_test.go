package eval

import (
	"cmp"
	"slices"

	"tavolo/engine/card"
)

// The oracle ranks hands as a person with the rules in hand would: it lays out the cards, sorts them, and looks. It
// shares nothing with the tables but the names of the categories.

// judged is a hand as the oracle sees it: its category, and its ranks (2 to 14, a low ace 1) as they are compared.
type judged struct {
	category Category
	ranks    []int
}

// oracleOrder is the standard order of the categories, the lowest first.
var oracleOrder = []Category{HighCard, Pair, TwoPair, Trips, Straight, Flush, FullHouse, Quads, StraightFlush}

// compare is negative if a loses to b, 0 if they tie, positive if a wins (NX-02).
func (a judged) compare(b judged) int {
	return cmp.Or(
		slices.Index(oracleOrder, a.category)-slices.Index(oracleOrder, b.category),
		slices.Compare(a.ranks, b.ranks),
	)
}

// oracle gives the best five-card combination of up to seven cards (NX-01), or judges all of them if they are fewer.
func oracle(cards []card.Card) judged {
	if len(cards) <= 5 {
		return judge(cards)
	}
	var best judged
	for i := range cards {
		rest := slices.Delete(slices.Clone(cards), i, i+1)
		if j := oracle(rest); j.compare(best) > 0 {
			best = j
		}
	}
	return best
}

// oracleOmaha gives the best of two hole cards with three of the board (NX-42).
func oracleOmaha(hole, board []card.Card) judged {
	var best judged
	for i, a := range hole {
		for _, b := range hole[i+1:] {
			for x, c := range board {
				for y, d := range board[x+1:] {
					for _, e := range board[x+1:][y+1:] {
						if j := judge([]card.Card{a, b, c, d, e}); j.compare(best) > 0 {
							best = j
						}
					}
				}
			}
		}
	}
	return best
}

// judge judges five cards or fewer.
func judge(cards []card.Card) judged {
	ranks := make([]int, len(cards))
	var copies [15]int
	sameSuit := true
	for i, c := range cards {
		ranks[i] = int(c.Rank()) + 2
		copies[ranks[i]]++
		sameSuit = sameSuit && c.Suit() == cards[0].Suit()
	}
	// Each rank once, pairs before single cards, and high before low.
	slices.SortFunc(ranks, func(a, b int) int { return cmp.Or(copies[b]-copies[a], b-a) })
	ranks = slices.Compact(ranks)
	most, next := copies[ranks[0]], 0
	if len(ranks) > 1 {
		next = copies[ranks[1]]
	}

	flush := sameSuit && len(cards) == 5
	inARow := len(ranks) == 5 && ranks[0]-ranks[4] == 4
	if slices.Equal(ranks, []int{14, 5, 4, 3, 2}) {
		ranks, inARow = []int{5, 4, 3, 2, 1}, true
	}

	j := judged{HighCard, ranks}
	switch {
	case inARow && flush:
		j.category = StraightFlush
	case most == 4:
		j.category = Quads
	case most == 3 && next == 2:
		j.category = FullHouse
	case flush:
		j.category = Flush
	case inARow:
		j.category = Straight
	case most == 3:
		j.category = Trips
	case most == 2 && next == 2:
		j.category = TwoPair
	case most == 2:
		j.category = Pair
	}
	return j
}

// seen is a strength as the oracle would put it.
func seen(s Strength) judged {
	j := judged{category: s.Category()}
	for _, r := range s.Ranks() {
		j.ranks = append(j.ranks, int(r)+2)
	}
	if n := len(j.ranks); (j.category == Straight || j.category == StraightFlush) && j.ranks[n-1] == 14 {
		j.ranks[n-1] = 1
	}
	return j
}
