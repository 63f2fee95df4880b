package bonus

import (
	"cmp"
	"slices"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// texture is all of a board of five cards that decides how hole cards stand on it: how many cards it has of each rank, and
// which cards of a suit in which a flush is possible. The 1,176 boards that a flop can become have some 300 textures.
type texture struct {
	counts uint64   // a nibble a rank
	suited card.Set // three or more cards of one suit, if there are
}

func textureOf(board card.Set) texture {
	var tx texture
	var bySuit [4]card.Set
	for _, c := range board.Cards() {
		tx.counts += 1 << (4 * c.Rank())
		of := &bySuit[c.Suit()]
		if *of = of.Add(c); of.Len() >= 3 {
			tx.suited = *of
		}
	}
	return tx
}

// Hole cards of one kind are equally good: kinds 0 to 12 are the ranks, 13 to 25 the ranks of the suit of the flush.
const (
	kinds   = 2 * ranks
	onBoard = kinds // a card that nobody can hold
)

func (tx texture) kind(c card.Card) uint8 {
	if anyOf(c.Suit())&tx.suited != 0 {
		return ranks + uint8(c.Rank())
	}
	return uint8(c.Rank())
}

// anyOf is all cards of a suit.
func anyOf(s card.Suit) card.Set { return card.French / 0b1111 << s }

// standing tells how two hole cards of two kinds stand on a board, against the 990 hands that the house may have. It is
// zero for a card on the board.
type standing [kinds + 1][kinds + 1]tally

// holding is every two hole cards of two kinds: all are equally strong.
type holding struct {
	strength eval.Strength
	a, b     uint8
}

// standingOn ranks all that can be held on a board, and holds each against what does not share a card with it: all weaker
// hands, less those that have one of its two cards.
func standingOn(board card.Set, tx texture) *standing {
	var left [kinds]card.Set // cards of each kind
	for _, c := range (card.French &^ board).Cards() {
		left[tx.kind(c)] |= card.SetOf(c)
	}
	st := new(standing)
	var hands int32       // in the groups of equal hands done so far
	var with [kinds]int32 // of these, those with a certain card of a kind
	for holdings := holdingsOn(board, &left); len(holdings) > 0; {
		n := 1
		for n < len(holdings) && holdings[n].strength == holdings[0].strength {
			n++
		}
		group := holdings[:n]
		holdings = holdings[n:]
		for _, h := range group {
			st[h.a][h.b].lead = hands - with[h.a] - with[h.b]
		}
		for _, h := range group {
			ofA, ofB := int32(left[h.a].Len()), int32(left[h.b].Len())
			if h.a == h.b {
				hands += ofA * (ofA - 1) / 2
				with[h.a] += ofA - 1
			} else {
				hands += ofA * ofB
				with[h.a] += ofB
				with[h.b] += ofA
			}
		}
		for _, h := range group {
			won := st[h.a][h.b].lead
			notLost := hands - with[h.a] - with[h.b] + 1 // one hand has both cards and was taken away twice
			t := tally{lead: won + notLost - against, ante: notLost - against}
			if h.strength >= paysAnte {
				t.ante += won
			}
			st[h.a][h.b], st[h.b][h.a] = t, t
		}
	}
	return st
}

// holdingsOn lists what can be held on a board, of the cards left of each kind, the weakest first.
func holdingsOn(board card.Set, left *[kinds]card.Set) []holding {
	all := make([]holding, 0, kinds*(kinds+1)/2)
	for a := range left {
		for b := range left[:a+1] {
			one := lowest(left[a])
			other := lowest(left[b] &^ one)
			if one != 0 && other != 0 {
				all = append(all, holding{eval.Standard.Of(board | one | other), uint8(a), uint8(b)})
			}
		}
	}
	slices.SortFunc(all, func(x, y holding) int { return cmp.Compare(x.strength, y.strength) })
	return all
}

// lowest is the lowest card of a set, alone.
func lowest(s card.Set) card.Set { return s & -s }
