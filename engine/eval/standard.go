package eval

import (
	"slices"

	"tavolo/engine/card"
)

// Standard is the ranking of most games (NX-01, NX-02), from high card to straight flush, with the ace low in the
// straight to the five. Fewer than five cards make no straight or flush, which is how the cards a stud player shows are
// compared (NX-61).
var Standard = Ranking{Name: "standard", Of: standard}

var standardRules = &rules{order: standardOrder, wheel: aceBelow(card.Two)}

// everyFourth has the lowest bit of each nibble. A nibble of a card.Set is a rank, a bit in it a suit.
const everyFourth = 0x1111_1111_1111_1111

func standard(cards card.Set) Strength {
	atMostSeven(cards)
	x := uint64(cards)
	if anySuited(x) {
		return flush(x)
	}
	return unsuited.of(counts(x))
}

// suited is not zero if five or more of the cards in x, twelve at most, are of the lowest suit. The product sums the
// nibbles into the topmost one; with three added, its highest bit is set from five on.
func suited(x uint64) uint64 { return ((x&everyFourth)*everyFourth + 3<<60) & (1 << 63) }

// anySuited reports whether five or more of up to twelve cards are of one suit.
func anySuited(x uint64) bool { return (suited(x) | suited(x>>1) | suited(x>>2) | suited(x>>3)) != 0 }

// counts gives how many cards there are of each rank, a nibble a rank.
func counts(x uint64) uint64 {
	x -= x >> 1 & 0x5555_5555_5555_5555
	return x&0x3333_3333_3333_3333 + x>>2&0x3333_3333_3333_3333
}

// flush ranks up to seven cards of which at least five are of one suit. The other two can make neither four of a kind
// nor a full house.
func flush(x uint64) Strength {
	for suited(x) == 0 {
		x >>= 1
	}
	return flushes[ranksOf(x)]
}

// ranksOf gathers the ranks of the lowest suit, a bit of every nibble, into bits 0 to 12.
func ranksOf(x uint64) uint64 {
	x &= everyFourth
	x = (x | x>>3) & 0x0303_0303_0303_0303
	x = (x | x>>6) & 0x000f_000f_000f_000f
	x = (x | x>>12) & 0x0000_00ff_0000_00ff
	return (x | x>>24) % (1 << 13)
}

// flushes holds the strength of every set of suited ranks, as ranksOf gives it, with at least five in it. 64 KB.
var flushes = newFlushTable()

func newFlushTable() *[1 << 13]Strength {
	t := new([1 << 13]Strength)
	for ranks := range t {
		suited := pips(ranks << 2)
		m := made{category: Flush, first: highest(suited, 5)}
		if run := straight(suited, standardRules.wheel); run != 0 {
			m = made{category: StraightFlush, first: run}
		}
		t[ranks] = standardRules.strength(m, 0)
	}
	return t
}

// countTable holds the strength of every combination of rank counts with up to seven cards, found by perfect hashing:
// the counts times a constant give a row and a column, and each row is shifted so far that no two of the 76,155
// combinations fall on one place (Tarjan and Yao, "Storing a sparse table", 1979). 350 KB, built in about 13 ms.
type countTable struct {
	shift    [1 << rowBits]uint16
	class    [1 << columnBits]uint16
	strength []Strength // by class
}

const (
	rowBits    = 13
	columnBits = 17
	// spread was found by trial: it puts no two combinations on one row and column, and leaves rows that fit into each
	// other with small shifts. A test reads every combination back.
	spread = 0x0684_414d_0381
)

var unsuited = newCountTable()

func (t *countTable) of(counts uint64) Strength {
	h := counts * spread
	return t.strength[t.class[column(h, t.shift[row(h)])]]
}

func row(h uint64) uint64 { return h >> (64 - rowBits) }

func column(h uint64, shift uint16) uint64 {
	return (h>>(64-rowBits-columnBits) + uint64(shift)) % (1 << columnBits)
}

func newCountTable() *countTable {
	t := &countTable{strength: make([]Strength, 1, 9000)} // class 0 is an empty place
	classOf := make(map[Strength]uint16, cap(t.strength))
	type entry struct {
		hash  uint64
		class uint16
	}
	rows := make([][]entry, 1<<rowBits)
	eachCount(func(counts uint64, s Strength) {
		class, known := classOf[s]
		if !known {
			class = uint16(len(t.strength))
			classOf[s] = class
			t.strength = append(t.strength, s)
		}
		h := counts * spread
		rows[row(h)] = append(rows[row(h)], entry{h, class})
	})
	slices.SortFunc(rows, func(a, b []entry) int { return len(b) - len(a) })
	for _, r := range rows {
		if len(r) == 0 {
			break
		}
		var shift uint16
		for slices.ContainsFunc(r, func(e entry) bool { return t.class[column(e.hash, shift)] != 0 }) {
			shift++
		}
		t.shift[row(r[0].hash)] = shift
		for _, e := range r {
			t.class[column(e.hash, shift)] = e.class
		}
	}
	return t
}

// eachCount visits every combination of rank counts with up to seven cards, a nibble a rank, and its strength.
func eachCount(visit func(counts uint64, s Strength)) {
	var walk func(rank, left int, counts uint64, have [5]pips)
	walk = func(rank, left int, counts uint64, have [5]pips) {
		if rank > int(card.Ace) {
			visit(counts, standardRules.strength(ofCounts(have, straight(have[1], standardRules.wheel)), 0))
			return
		}
		for n := 0; n <= min(4, left); n++ {
			if n > 0 {
				have[n] |= 1 << (rank + 2)
			}
			walk(rank+1, left-n, counts|uint64(n)<<(4*rank), have)
		}
	}
	walk(0, 7, 0, [5]pips{})
}
