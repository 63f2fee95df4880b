package eval

import (
	"fmt"
	"math/bits"
	"slices"

	"tavolo/engine/card"
)

// rules are what a ranking of five cards is made of.
type rules struct {
	// order are the kinds of hands there are, the lowest first. Without straights in it five cards in a row, or of one
	// suit, are nothing special.
	order []Category
	// wheel is the straight in which the ace is low, none where there is no such straight.
	wheel pips
	// fours are the lowest cards that a four-straight may have.
	fours pips
	// compare says what is compared in turn between two hands of a category. Where it says nothing the ranks are.
	compare comparison
	// low is whether the lower rank is better, aceLow whether the ace is the lowest.
	low, aceLow bool
}

// comparison has a text for each category. In it 1 to 5 stand for the ranks of the hand in the order of made, a to e
// for the suits of those ranks, the higher one if there are two cards: "12ba" is the pair, its kicker, the suit of the
// kicker, the higher suit of the pair. No text means "12345".
type comparison [FourCards + 1]string

// made is what a hand is made of: the ranks that count are those of first from the highest down, then those of rest,
// five at most.
type made struct {
	category    Category
	first, rest pips
}

// pips is a set of ranks by the number printed on the card: bit 2 is a two, bit 14 an ace, bit 1 an ace counted low.
type pips uint16

// ranked makes a Ranking of these rules.
func (r *rules) ranked(name string) Ranking { return Ranking{Name: name, Of: r.of} }

// of gives the best strength that five of the cards have, or all where they are fewer.
func (r *rules) of(cards card.Set) (best Strength) {
	atMostSeven(cards)
	for five := range Free.hands(cards, 0) {
		best = max(best, r.five(five))
	}
	return best
}

// atMostSeven panics on more cards than a hand may be chosen from.
func atMostSeven(cards card.Set) {
	if cards.Len() > 7 {
		panic(tooMany(cards))
	}
}

type tooMany card.Set

func (t tooMany) Error() string {
	return fmt.Sprintf("eval: %d cards in a hand, want seven at most: %v", card.Set(t).Len(), card.Set(t))
}

// five ranks five cards, or fewer.
func (r *rules) five(cards card.Set) Strength {
	have := copies(counts(uint64(cards)))
	if r.aceLow {
		for n, ranks := range have {
			have[n] = ranks.aceLow()
		}
	}
	run, sameSuit := pips(0), false
	if slices.Contains(r.order, Straight) {
		run, sameSuit = straight(have[1], r.wheel), anySuited(uint64(cards))
	}
	m := ofCounts(have, run)
	switch {
	case sameSuit && run != 0:
		m.category = StraightFlush
	case sameSuit:
		m.category = Flush
	case r.fours != 0 && (m.category == Pair || m.category == HighCard):
		m = r.four(cards, have, m)
	case r.low && m.category == HighCard:
		m.category = Low
	}
	return r.strength(m, cards)
}

// strength is what m is worth when it is made of these cards.
func (r *rules) strength(m made, cards card.Set) Strength {
	if m.category == 0 {
		return 0
	}
	var ranks [5]int
	n := 0
	for _, group := range [...]pips{m.first, m.rest} {
		for ; group != 0; n++ {
			ranks[n] = bits.Len16(uint16(group)) - 1
			group &^= 1 << ranks[n]
		}
	}
	compare := r.compare[m.category]
	if compare == "" {
		compare = "12345"
	}
	s := Strength(1+slices.Index(r.order, m.category))<<placeShift | Strength(m.category)
	for i := range len(compare) {
		var d digit
		switch c := compare[i]; {
		case c >= 'a' && ranks[c-'a'] != 0:
			d = suitIn(cards, rankOf(ranks[c-'a']))
		case c < 'a' && ranks[c-'1'] != 0:
			d = digit(ranks[c-'1'])
			if r.low {
				d = ofLow - d
			}
		}
		s |= Strength(d) << (firstDigit - digitBits*i)
	}
	return s
}

// suitIn is the highest suit of a rank in cards.
func suitIn(cards card.Set, r card.Rank) digit {
	for i, s := range slices.Backward(bySuit[:]) {
		if cards.Has(card.New(r, s)) {
			return ofSuit + digit(i)
		}
	}
	return 0
}

// ofCounts gives the hand in cards without a flush: have[n] are the ranks of which there are n or more, run those of a
// straight if they make one.
func ofCounts(have [5]pips, run pips) made {
	ranks, paired := have[1], have[2]
	pair, three, four := highest(paired, 1), highest(have[3], 1), highest(have[4], 1)
	switch {
	case ranks == 0:
		return made{}
	case four != 0:
		return made{Quads, four, highest(ranks&^four, 1)}
	case three != 0 && paired != three:
		return made{FullHouse, three, highest(paired&^three, 1)}
	case run != 0:
		return made{Straight, run, 0}
	case three != 0:
		return made{Trips, three, highest(ranks&^three, 2)}
	case paired != pair:
		pairs := highest(paired, 2)
		return made{TwoPair, pairs, highest(ranks&^pairs, 1)}
	case pair != 0:
		return made{Pair, pair, highest(ranks&^pair, 3)}
	}
	return made{HighCard, highest(ranks, 5), 0}
}

// four gives the four-flush or four-straight in five cards or fewer with a pair at most, or m if there is none (NX-54).
func (r *rules) four(cards card.Set, have [5]pips, m made) made {
	for suit := range card.Set(4) {
		four := everyFourth << suit & cards
		if four.Len() == 4 {
			return made{FourFlush, ranksIn(four), ranksIn(cards &^ four)}
		}
	}
	if run := inRow(have[1].withLowAce(), 4, r.fours); run != 0 {
		fifth := have[1] &^ (run | run<<13)
		if fifth == 0 {
			fifth = have[2]
		}
		return made{FourStraight, run, fifth}
	}
	return m
}

// straight gives the highest straight in p, or nothing. Its five ranks are in a row, or those of the wheel.
func straight(p, wheel pips) pips {
	if run := inRow(p, 5, ^pips(0)); run != 0 {
		return run
	}
	if wheel&^p.withLowAce() == 0 {
		return wheel
	}
	return 0
}

// inRow gives the highest n ranks in a row in p of which the lowest is one of bottoms, or nothing.
func inRow(p pips, n int, bottoms pips) pips {
	for i := range n {
		bottoms &= p >> i
	}
	return highest(bottoms, 1) * (1<<n - 1)
}

// withLowAce is p with an ace counted low if it has an ace.
func (p pips) withLowAce() pips { return p | p>>13&0b10 }

// aceLow is p with its ace, if any, counted low only.
func (p pips) aceLow() pips { return p.withLowAce() &^ (1 << 14) }

// span is the pips from low to high.
func span(low, high int) pips { return 1<<(high+1) - 1<<low }

// aceBelow is the straight in which the ace stands below the lowest rank of a deck.
func aceBelow(lowest card.Rank) pips { return 1<<1 | span(int(lowest)+2, int(lowest)+5) }

// highest gives the n highest ranks of p, or all where it has fewer.
func highest(p pips, n int) pips {
	rest := p
	for range n {
		rest &^= 1 << bits.Len16(uint16(rest)) >> 1
	}
	return p &^ rest
}

// copies gives the ranks of which there are n or more, for each n, out of how many there are of each.
func copies(counts uint64) (have [5]pips) {
	ones, twos, four := counts, counts>>1, counts>>2
	for n, ranks := range [...]uint64{1: ones | twos | four, 2: twos | four, 3: ones&twos | four, 4: four} {
		have[n] = pips(ranksOf(ranks)) << 2
	}
	return have
}

// ranksIn gives the ranks in cards.
func ranksIn(cards card.Set) pips {
	x := uint64(cards)
	return pips(ranksOf(x|x>>1|x>>2|x>>3)) << 2
}
