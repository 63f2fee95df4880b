package eval

import (
	"iter"
	"slices"

	"tavolo/engine/card"
)

// Selection says which of a seat's cards may be in its hand.
type Selection uint8

const (
	// Free takes any of the hole cards with any of the board (NX-41), and games without a board.
	Free Selection = iota
	// TwoAndThree takes exactly two of the hole cards with exactly three of the board (NX-42).
	TwoAndThree
)

// Strength gives the strength of the best hand that sel allows with these hole cards and this board, which share no
// card: seven in all for Free, any number of hole cards and a board of five for TwoAndThree, or fewer. It is zero where
// there are too few cards for a hand, as with TwoAndThree before the flop.
func (r Ranking) Strength(sel Selection, hole, board card.Set) Strength {
	if sel == Free {
		return r.Of(hole | board)
	}
	var threes [10]card.Set
	n := 0
	for three := range choose(board, 3) {
		threes[n] = three
		n++
	}
	var best Strength
	for two := range choose(hole, 2) {
		for _, three := range threes[:n] {
			best = max(best, r.Of(two|three))
		}
	}
	return best
}

// Best gives what Strength gives, and the cards of that hand in the order one lays them out: the full house's three
// first, kickers last. They are five, or all there are where Free has fewer, in badugi those that count, and none where
// there is no hand. Of hands equally strong it takes one with the most hole cards in it. Far slower than Strength: for
// showing a hand, not for comparing millions.
func (r Ranking) Best(sel Selection, hole, board card.Set) (Strength, []card.Card) {
	best := r.Strength(sel, hole, board)
	if best == 0 {
		return 0, nil
	}
	var cards card.Set
	for c := range sel.hands(hole, board) {
		if r.Of(c) == best && (cards == 0 || (c&hole).Len() > (cards&hole).Len()) {
			cards = c
		}
	}
	return best, r.laidOut(cards)
}

// laidOut lists the cards of a hand by the place of their rank in its strength, within a rank from spades to clubs, and
// leaves out any that add nothing to it. The card beside a four-flush or four-straight comes last.
func (r Ranking) laidOut(cards card.Set) []card.Card {
	s := r.Of(cards)
	for _, c := range cards.Cards() {
		if without := cards.Remove(c); r.Of(without) == s {
			cards = without
		}
	}
	ranks := s.Ranks()
	out := cards.Cards()
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b card.Card) int {
		return slices.Index(ranks, a.Rank()) - slices.Index(ranks, b.Rank())
	})
	for i, c := range slices.Backward(out) {
		if r.Of(cards.Remove(c)).Category() == s.Category() {
			return append(slices.Delete(out, i, i+1), c)
		}
	}
	return out
}

// hands yields every set of cards that sel lets a seat call its hand.
func (sel Selection) hands(hole, board card.Set) iter.Seq[card.Set] {
	if sel == Free {
		all := hole | board
		return choose(all, min(5, all.Len()))
	}
	return func(yield func(card.Set) bool) {
		for two := range choose(hole, 2) {
			for three := range choose(board, 3) {
				if !yield(two | three) {
					return
				}
			}
		}
	}
}

// choose yields every subset of s with n cards; none if s has fewer.
func choose(s card.Set, n int) iter.Seq[card.Set] {
	return func(yield func(card.Set) bool) {
		if n > s.Len() {
			return
		}
		for sub := lowest(s, n); yield(sub); {
			// Count upwards within s: add one at the lowest card and let the carry run through the gaps. The lowest run
			// of cards becomes the one above it; the rest of the run starts again at the bottom.
			up := (sub | ^s) + sub&-sub
			up &= s
			if up == 0 {
				return
			}
			sub = up | lowest(s, n-up.Len())
		}
	}
}

// lowest gives the n lowest cards of s.
func lowest(s card.Set, n int) card.Set {
	rest := s
	for range n {
		rest &= rest - 1
	}
	return s &^ rest
}
