package equity

import (
	"iter"
	"math/big"
	"math/bits"

	"tavolo/engine/card"
)

// board is the place of the community cards; the place of a hand is its number.
const board = -1

// place is somewhere cards are still to come.
type place struct {
	at, missing int
}

func (d *Deal) places() []place {
	var all []place
	if n := d.BoardCards - d.Board.Len(); n > 0 {
		all = append(all, place{board, n})
	}
	for i, hand := range d.Hands {
		if n := d.HoleCards - hand.Len(); n > 0 {
			all = append(all, place{i, n})
		}
	}
	return all
}

// known is the deal so far.
func (d *Deal) known() Dealt {
	t := Dealt{Board: d.Board}
	copy(t.Hands[:], d.Hands)
	return t
}

func (t *Dealt) put(at int, cards card.Set) {
	if at == board {
		t.Board |= cards
	} else {
		t.Hands[at] |= cards
	}
}

// unseen are the cards that may still come.
func (d *Deal) unseen() card.Set {
	seen := d.Board | d.Dead
	for _, hand := range d.Hands {
		seen |= hand
	}
	return d.Deck &^ seen
}

// Ways is how many deals All gives.
func (d *Deal) Ways() *big.Int {
	ways, left := big.NewInt(1), int64(d.unseen().Len())
	for _, p := range d.places() {
		ways.Mul(ways, new(big.Int).Binomial(left, int64(p.missing)))
		left -= int64(p.missing)
	}
	return ways
}

// All gives every way to deal what is missing, once.
func (d *Deal) All() iter.Seq[Dealt] {
	return func(yield func(Dealt) bool) { fill(d.known(), d.places(), d.unseen(), yield) }
}

// fill deals to the places in every way, and reports whether yield wanted them all.
func fill(t Dealt, places []place, unseen card.Set, yield func(Dealt) bool) bool {
	if len(places) == 0 {
		return yield(t)
	}
	p := places[0]
	return choose(unseen, p.missing, 0, func(cards card.Set) bool {
		next := t
		next.put(p.at, cards)
		return fill(next, places[1:], unseen&^cards, yield)
	})
}

// choose calls yield with chosen and n cards of deck, for every such n, until it has enough. It reports whether it never
// had.
func choose(deck card.Set, n int, chosen card.Set, yield func(card.Set) bool) bool {
	if n == 0 {
		return yield(chosen)
	}
	for ; deck != 0; deck &= deck - 1 {
		if !choose(deck&(deck-1), n-1, chosen|deck&-deck, yield) {
			return false
		}
	}
	return true
}

// Random gives n deals, each of them any of those in All with the same probability. The numbers must be uniform over all
// of uint64; the same numbers make the same deals.
func (d *Deal) Random(n int, number func() uint64) iter.Seq[Dealt] {
	return func(yield func(Dealt) bool) {
		known, places, stub := d.known(), d.places(), d.unseen().Cards()
		for range n {
			t, next := known, 0
			for _, p := range places {
				for range p.missing {
					i := next + below(len(stub)-next, number)
					stub[next], stub[i] = stub[i], stub[next]
					t.put(p.at, card.SetOf(stub[next]))
					next++
				}
			}
			if !yield(t) {
				return
			}
		}
	}
}

// below gives a number from 0 to n-1, each as likely: the upper half of a random number times n, unless the lower half
// says that it is one of those that would come up too often (Lemire, "Fast random integer generation in an interval",
// 2019).
func below(n int, number func() uint64) int {
	for {
		high, low := bits.Mul64(number(), uint64(n))
		if low >= -uint64(n)%uint64(n) {
			return int(high)
		}
	}
}
