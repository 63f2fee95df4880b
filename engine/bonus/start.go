package bonus

import (
	"fmt"
	"iter"

	"tavolo/engine/card"
)

// Start is one of the 169 kinds of starting hand, 0 to 168: two cards with suits left out except for whether they are
// the same. Its number is the place in the square that players draw, from deuces to aces, suited hands on one side.
type Start uint8

// Starts is the number of different starting hands.
const Starts = ranks * ranks

const ranks = 13

// StartOf gives the kind of two cards. It panics if there are not two.
func StartOf(hole card.Set) Start {
	if hole.Len() != 2 {
		panic(fmt.Sprintf("bonus: starting hand %v, want two cards", hole))
	}
	cards := hole.Cards()
	low, high := cards[0], cards[1]
	if low.Suit() == high.Suit() {
		return ranks*Start(high.Rank()) + Start(low.Rank())
	}
	return ranks*Start(low.Rank()) + Start(high.Rank())
}

// starts finds starting hands by their names, for tables. It panics on a name that is none.
func starts(names ...string) []Start {
	found := make([]Start, len(names))
	for i, name := range names {
		s := Start(0)
		for s.String() != name {
			if s++; s == Starts {
				panic(fmt.Sprintf("bonus: %q is no starting hand", name))
			}
		}
		found[i] = s
	}
	return found
}

// String names the hand as players do: AA, AKs for suited, AKo for offsuit.
func (s Start) String() string {
	row, column := card.Rank(s/ranks), card.Rank(s%ranks)
	text := func(high, low card.Rank) string {
		return string([]byte{card.New(high, 0).String()[0], card.New(low, 0).String()[0]})
	}
	switch {
	case row > column:
		return text(row, column) + "s"
	case row < column:
		return text(column, row) + "o"
	}
	return text(row, row)
}

// Combos is how many pairs of cards are of this kind: 6 for a pair, 4 suited, 12 offsuit. All make 1,326.
func (s Start) Combos() int {
	switch row, column := s/ranks, s%ranks; {
	case row > column:
		return 4
	case row < column:
		return 12
	}
	return 6
}

// pairs yields every two cards of deck.
func pairs(deck card.Set) iter.Seq[card.Set] {
	return func(yield func(card.Set) bool) {
		for ; deck != 0; deck &= deck - 1 {
			for rest := deck & (deck - 1); rest != 0; rest &= rest - 1 {
				if !yield(deck&-deck | rest&-rest) {
					return
				}
			}
		}
	}
}
