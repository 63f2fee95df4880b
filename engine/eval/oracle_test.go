package eval

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"tavolo/engine/card"
)

// The oracles rank hands as a person with the rules in hand would: they lay out the cards, sort them, and look. They
// share nothing with what they judge but the names of the categories.

// judged is a hand as the oracle sees it: its category, and its ranks (2 to 14, a low ace 1) as they are compared.
type judged struct {
	category Category
	ranks    []int
}

// book is the part of a rule book that an oracle needs.
type book struct {
	// order are the categories, the lowest first.
	order []Category
	// wheel is the straight with the ace low, as its ranks are before that is noticed.
	wheel []int
}

var (
	standardBook = book{
		order: []Category{HighCard, Pair, TwoPair, Trips, Straight, Flush, FullHouse, Quads, StraightFlush},
		wheel: []int{14, 5, 4, 3, 2},
	}
	strippedBook = book{
		order: []Category{HighCard, Pair, TwoPair, Trips, Straight, FullHouse, Flush, Quads, StraightFlush},
		wheel: []int{14, 10, 9, 8, 7},
	}
	shortBook = book{order: strippedBook.order, wheel: []int{14, 9, 8, 7, 6}}
)

// compare is negative if x loses to y, 0 if they tie, positive if x wins (NX-02).
func (b book) compare(x, y judged) int {
	return cmp.Or(
		slices.Index(b.order, x.category)-slices.Index(b.order, y.category),
		slices.Compare(x.ranks, y.ranks),
	)
}

// best gives the best five-card combination of up to seven cards (NX-01), or judges all of them if they are fewer.
func (b book) best(cards []card.Card) judged { return b.bestOf(fives(cards)) }

// bestOf gives the best of several hands.
func (b book) bestOf(hands [][]card.Card) judged {
	var best judged
	for _, five := range hands {
		if j := b.judge(five); b.compare(j, best) > 0 {
			best = j
		}
	}
	return best
}

// fives are all ways to leave out cards until five are left. Many come up more than once.
func fives(cards []card.Card) (all [][]card.Card) {
	if len(cards) <= 5 {
		return [][]card.Card{cards}
	}
	for i := range cards {
		all = append(all, fives(slices.Delete(slices.Clone(cards), i, i+1))...)
	}
	return all
}

// twosAndThrees are all ways to take two hole cards and three of the board (NX-42).
func twosAndThrees(hole, board []card.Card) (all [][]card.Card) {
	for i, a := range hole {
		for _, b := range hole[i+1:] {
			for x, c := range board {
				for y, d := range board[x+1:] {
					for _, e := range board[x+1:][y+1:] {
						all = append(all, []card.Card{a, b, c, d, e})
					}
				}
			}
		}
	}
	return all
}

// judge judges five cards or fewer.
func (b book) judge(cards []card.Card) judged {
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
	if slices.Equal(ranks, b.wheel) {
		ranks, inARow = append(slices.Clone(b.wheel[1:]), 1), true
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

// oracle compares two hands as Ranking.Of does their strengths: negative if a loses to b, 0 if they tie.
type oracle func(a, b []card.Card) int

// oracle compares the best hands by the book.
func (b book) oracle(x, y []card.Card) int { return b.compare(b.best(x), b.best(y)) }

// sokoOracle compares by NX-54 and NX-55.
func sokoOracle(oneEnded bool) oracle {
	b := standardBook
	b.order = []Category{
		HighCard, Pair, FourStraight, FourFlush, TwoPair, Trips, Straight, Flush, FullHouse, Quads, StraightFlush,
	}
	judge := func(cards []card.Card) judged {
		best := b.judge(cards)
		for i := range cards {
			four := slices.Delete(slices.Clone(cards), i, i+1)
			fifth := []int{int(cards[i].Rank()) + 2}
			if len(cards) == 4 {
				four, fifth = cards, nil
			}
			for _, ace := range []int{1, 14} {
				j := judged{category: fourOf(four, ace, oneEnded)}
				for _, c := range four {
					r := int(c.Rank()) + 2
					if j.category == FourStraight && r == 14 {
						r = ace
					}
					j.ranks = append(j.ranks, r)
				}
				slices.SortFunc(j.ranks, func(a, b int) int { return b - a })
				j.ranks = append(j.ranks, fifth...)
				if b.compare(j, best) > 0 {
					best = j
				}
			}
		}
		return best
	}
	best := func(cards []card.Card) (best judged) {
		for _, five := range fives(cards) {
			if j := judge(five); b.compare(j, best) > 0 {
				best = j
			}
		}
		return best
	}
	return func(x, y []card.Card) int { return b.compare(best(x), best(y)) }
}

// fourOf says what four cards are in Soko with an ace that counts so much, 0 if nothing.
func fourOf(cards []card.Card, ace int, oneEnded bool) Category {
	if len(cards) != 4 {
		return 0
	}
	text := card.Text(cards)
	if text[1] == text[3] && text[3] == text[5] && text[5] == text[7] {
		return FourFlush
	}
	var ranks []int
	for _, c := range cards {
		r := int(c.Rank()) + 2
		if r == 14 {
			r = ace
		}
		ranks = append(ranks, r)
	}
	slices.Sort(ranks)
	top := ranks[3]
	if !slices.Equal(ranks, []int{top - 3, top - 2, top - 1, top}) || !oneEnded && (top == 4 || top == 14) {
		return 0
	}
	return FourStraight
}

// deuceSevenOracle compares by NX-72: the highest hand loses, the ace is only high.
func deuceSevenOracle(x, y []card.Card) int {
	b := book{order: standardBook.order}
	lowest := func(cards []card.Card) judged {
		return b.judge(slices.MinFunc(fives(cards), func(x, y []card.Card) int { return b.compare(b.judge(x), b.judge(y)) }))
	}
	return b.compare(lowest(y), lowest(x))
}

// razzOracle compares by how many cards of a rank there are, the fewer the better, then by the ranks, aces low.
func razzOracle(x, y []card.Card) int { return slices.Compare(razz(y), razz(x)) }

// razz gives the lowest hand: how many cards there are of each rank, the most first, and those ranks.
func razz(cards []card.Card) []int {
	var all [][]int
	for _, five := range fives(cards) {
		var copies [14]int
		for _, c := range five {
			copies[(int(c.Rank())+1)%13+1]++
		}
		var ranks []int
		for r, n := range copies {
			if n > 0 {
				ranks = append(ranks, r)
			}
		}
		slices.SortFunc(ranks, func(a, b int) int { return cmp.Or(copies[b]-copies[a], b-a) })
		var hand []int
		for _, r := range ranks {
			hand = append(hand, copies[r])
		}
		all = append(all, append(hand, ranks...))
	}
	return slices.MinFunc(all, slices.Compare)
}

// eightOracle compares by NX-44 the lowest of five cards: five different ranks, none above eight, or no hand at all.
func eightOracle(x, y []card.Card) int { return compareEights(eight(fives(x)), eight(fives(y))) }

// eight gives the ranks of the best low among several hands of five cards, nil if none is a low.
func eight(hands [][]card.Card) (best []int) {
	for _, five := range hands {
		if low := razz(five); len(low) == 10 && low[5] <= 8 && (best == nil || slices.Compare(low[5:], best) < 0) {
			best = low[5:]
		}
	}
	return best
}

func compareEights(x, y []int) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return -1
	case y == nil:
		return 1
	}
	return slices.Compare(y, x)
}

// badugiOracle compares the best choice of cards that differ in rank and suit: more cards win, then lower ones.
func badugiOracle(x, y []card.Card) int {
	a, b := badugiRanks(x), badugiRanks(y)
	return cmp.Or(len(a)-len(b), slices.Compare(b, a))
}

func badugiRanks(cards []card.Card) (best []int) {
	for mask := range 1 << len(cards) {
		ranks, suits := map[int]bool{}, map[card.Suit]bool{}
		for i, c := range cards {
			if mask>>i&1 == 1 {
				ranks[(int(c.Rank())+1)%13+1] = true
				suits[c.Suit()] = true
			}
		}
		n := bits.OnesCount(uint(mask))
		if len(ranks) < n || len(suits) < n {
			continue
		}
		list := slices.Sorted(maps.Keys(ranks))
		slices.Reverse(list)
		if n > len(best) || n == len(best) && slices.Compare(list, best) < 0 {
			best = list
		}
	}
	return best
}
