package bonus

import (
	"cmp"
	"slices"

	"tavolo/engine/card"
)

// How many ways there are to go on, from the flop and from a starting hand.
const (
	unseen  = 52 - 3                    // cards that are not on the flop
	holes   = unseen * (unseen - 1) / 2 // starting hands of them
	turns   = unseen - 2                // turn cards for a starting hand
	rivers  = turns - 1                 // river cards after one
	against = 45 * 44 / 2               // hands the house may hold then
	flops   = 50 * 49 * 48 / 6          // flops for a starting hand
)

// Sums counts what every starting hand wins and bets on the flops that were enumerated. The zero value is that of none.
type Sums [Starts]sum

// sum is the part of one starting hand, over all ways to deal it, the flop, the turn, the river and the hand of the house.
// A bet that pays one to one wins its lead: the number of deals in which the box is ahead, less those in which it is
// behind.
type sum struct {
	flops      int64 // the flop dealt to each two cards of the kind
	lead, ante int64 // of a bet made on every deal; what the ante wins

	turn, river         int64 // lead of the turn bets and river bets a perfect player makes
	turnBets, riverBets int64 // on how many flops, and turn cards after them, he makes them
}

// tally counts deals: lead as in sum, ante those in which the ante is won less those in which it is lost. The two are one
// number, ante in its upper 32 bits, so that adding both takes one addition: it is done five billion times.
type tally int64

func tallyOf(lead, ante int32) tally { return tally(ante)<<32 + tally(lead) }

// lead and ante are within 47 × 46 × 990.
func (t tally) lead() int32 { return int32(t) }
func (t tally) ante() int32 { return int32((t - tally(t.lead())) >> 32) }

// Add adds what was counted on other flops.
func (s *Sums) Add(other *Sums) {
	for i := range s {
		a, b := &s[i], &other[i]
		a.flops += b.flops
		a.lead += b.lead
		a.ante += b.ante
		a.turn += b.turn
		a.river += b.river
		a.turnBets += b.turnBets
		a.riverBets += b.riverBets
	}
}

// Enumerate plays every hand with a flop, as often as the flop's weight says: all starting hands, turns and rivers
// against all hands of the house. It takes some milliseconds.
//
// A perfect player makes a bet if it is ahead on average, by the cards that are known when it is made. So what counts is
// each starting hand's lead after each turn card, summed over the rivers; and the sum of those, its lead on the flop.
func Enumerate(f Flop) *Sums {
	rest := (card.French &^ f.Cards).Cards()
	after := new([unseen][holes]tally) // by turn card, and starting hand in the order of pairs
	var plain []holding
	var st standing
	var last texture
	for _, b := range boardsOn(f, rest) {
		if b.counts != last.counts {
			plain = plainOn(b.counts)
		}
		if b.texture != last {
			st.on(b.cards, b.texture, plain)
		}
		last = b.texture
		var kinds [unseen]uint8
		for k, c := range rest {
			kinds[k] = b.kind(c)
		}
		kinds[b.turn], kinds[b.river] = onBoard, onBoard
		st.addTo(&after[b.turn], &after[b.river], &kinds)
	}
	sums, hole := new(Sums), 0
	for cards := range pairs(card.French &^ f.Cards) {
		sums[StartOf(cards)].decide(f.Weight, after, hole)
		hole++
	}
	return sums
}

// board is a flop with two more cards of those that are left, by their places among them; either may be the turn.
type board struct {
	texture
	cards       card.Set
	turn, river int
}

// boardsOn lists what a flop can become, boards of a texture together, and textures of the same ranks.
func boardsOn(f Flop, rest []card.Card) []board {
	boards := make([]board, 0, unseen*(unseen-1)/2)
	for i, turn := range rest {
		for j, river := range rest[:i] {
			cards := f.Cards.Add(turn).Add(river)
			boards = append(boards, board{textureOf(cards), cards, i, j})
		}
	}
	slices.SortFunc(boards, func(a, b board) int {
		return cmp.Or(cmp.Compare(a.counts, b.counts), cmp.Compare(a.suited, b.suited))
	})
	return boards
}

// addTo adds how each starting hand stands to its tallies after two turn cards; kinds are those of the unseen cards.
func (st *standing) addTo(a, b *[holes]tally, kinds *[unseen]uint8) {
	hole := 0
	for i, kind := range kinds {
		others := kinds[i+1:]
		a, b := a[hole:][:len(others)], b[hole:][:len(others)]
		for k, other := range others {
			t := st[kind][other]
			a[k] += t
			b[k] += t
		}
		hole += len(others)
	}
}

// decide adds one starting hand on a flop, where it bets what a perfect player does.
func (s *sum) decide(weight int64, after *[unseen][holes]tally, hole int) {
	var flop tally
	for i := range after {
		turn := after[i][hole] // zero for a card of the hand
		flop += turn
		if turn.lead() > 0 {
			s.river += weight * int64(turn.lead())
			s.riverBets += weight
		}
	}
	if flop.lead() > 0 {
		s.turn += weight * int64(flop.lead())
		s.turnBets += weight
	}
	s.flops += weight
	s.lead += weight * int64(flop.lead())
	s.ante += weight * int64(flop.ante())
}
