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
	kinds     = 2 * ranks
	kindPairs = kinds * (kinds + 1) / 2
	onBoard   = kinds // a card that nobody can hold
)

func (tx texture) kind(c card.Card) uint8 {
	if anyOf(c.Suit())&tx.suited != 0 {
		return ranks + uint8(c.Rank())
	}
	return uint8(c.Rank())
}

// anyOf is all cards of a suit.
func anyOf(s card.Suit) card.Set { return card.French / 0b1111 << s }

// flush is whether two cards of these kinds make a flush.
func (tx texture) flush(a, b uint8) bool { return tx.suited.Len()+int(a/ranks+b/ranks) >= 5 }

// standing tells how two hole cards of two kinds stand on a board, against the 990 hands that the house may have. It is
// zero for a card on the board.
type standing [kinds + 1][kinds + 1]tally

// holding is every two hole cards of two kinds: all are equally strong.
type holding struct {
	strength eval.Strength
	a, b     uint8
}

// on makes st the standing on a board. It holds all that can be held against what does not share a card with it: all
// weaker hands, less those that have one of its two cards. Plain is what plainOn gives for the board's ranks.
func (st *standing) on(board card.Set, tx texture, plain []holding) {
	*st = standing{}
	var cards [kinds]card.Set // of each kind, not on the board
	for _, c := range (card.French &^ board).Cards() {
		cards[tx.kind(c)] |= card.SetOf(c)
	}
	var left [kinds]int32 // how many
	for k, of := range cards {
		left[k] = int32(of.Len())
	}
	others, flushes := plain, []holding(nil)
	if tx.suited != 0 {
		var space [2][kindPairs]holding // kept off the heap, which would take a quarter of the time
		others = tx.appendOthers(space[0][:0], plain, &left)
		flushes = tx.appendFlushes(space[1][:0], board, &cards)
	}
	var hands int32       // in the groups of equal hands done so far
	var with [kinds]int32 // of these, those with a certain card of a kind
	for len(others)+len(flushes) > 0 {
		from := &others
		if len(others) == 0 || len(flushes) > 0 && flushes[0].strength < others[0].strength {
			from = &flushes
		}
		group := equal(*from)
		*from = (*from)[len(group):]
		for _, h := range group {
			st[h.a][h.b] = tallyOf(hands-with[h.a]-with[h.b], 0)
		}
		for _, h := range group {
			if a, b := left[h.a], left[h.b]; h.a == h.b {
				hands += a * (a - 1) / 2
				with[h.a] += a - 1
			} else {
				hands += a * b
				with[h.a] += b
				with[h.b] += a
			}
		}
		for _, h := range group {
			won := st[h.a][h.b].lead()
			lost := against - (hands - with[h.a] - with[h.b] + 1) // one hand has both cards and was taken away twice
			ante := -lost
			if h.strength >= paysAnte {
				ante += won
			}
			t := tallyOf(won-lost, ante)
			st[h.a][h.b], st[h.b][h.a] = t, t
		}
	}
}

// equal gives the first holdings, as far as they are equally strong.
func equal(holdings []holding) []holding {
	n := 1
	for n < len(holdings) && holdings[n].strength == holdings[0].strength {
		n++
	}
	return holdings[:n]
}

// appendOthers adds the holdings without a flush, the weakest first, on a board where some have one: they are as strong
// as the same ranks without suits.
func (tx texture) appendOthers(to, plain []holding, left *[kinds]int32) []holding {
	for _, h := range plain {
		for a := h.a; a < kinds; a += ranks {
			for b := h.b; b < kinds; b += ranks {
				switch {
				case left[a] == 0, left[b] == 0, a == b && left[a] == 1: // not there
				case h.a == h.b && a < b: // the same as b and a
				case !tx.flush(a, b):
					to = append(to, holding{h.strength, a, b})
				}
			}
		}
	}
	return to
}

// appendFlushes adds the holdings with a flush, the weakest first.
func (tx texture) appendFlushes(to []holding, board card.Set, cards *[kinds]card.Set) []holding {
	for a := range uint8(kinds) {
		for b := range a + 1 {
			if !tx.flush(a, b) {
				continue
			}
			one := lowest(cards[a])
			other := lowest(cards[b] &^ one)
			if one != 0 && other != 0 {
				to = append(to, holding{eval.Standard.Of(board | one | other), a, b})
			}
		}
	}
	weakestFirst(to)
	return to
}

// lowest is the lowest card of a set, alone.
func lowest(s card.Set) card.Set { return s & -s }

// plainOn lists the pairs of ranks that can be held with a board of these ranks, a nibble a rank, as if there were no
// flushes, the weakest first. On a board without a flush these are the holdings.
func plainOn(counts uint64) []holding {
	all := make([]holding, 0, ranks*(ranks+1)/2)
	for a := range uint8(ranks) {
		for b := range a + 1 {
			both := counts + 1<<(4*a) + 1<<(4*b)
			if both>>(4*a)&0xf <= 4 && both>>(4*b)&0xf <= 4 {
				all = append(all, holding{eval.Standard.Of(offsuit(both)), a, b})
			}
		}
	}
	weakestFirst(all)
	return all
}

// offsuit gives seven cards of these ranks, a nibble a rank, without a flush.
func offsuit(counts uint64) card.Set {
	var cards card.Set
	next := card.Clubs
	for r := card.Two; r <= card.Ace; r++ {
		for range counts >> (4 * r) & 0xf {
			cards = cards.Add(card.New(r, next))
			next = (next + 1) % 4
		}
	}
	return cards
}

func weakestFirst(holdings []holding) {
	slices.SortFunc(holdings, func(x, y holding) int { return cmp.Compare(x.strength, y.strength) })
}
