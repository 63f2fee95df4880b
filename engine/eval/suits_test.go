package eval

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tavolo/engine/card"
)

// The oracles of the two rankings with suits compare hands in pairs, rule by rule, as the rules are written.

// suitValue is a suit's place among hearts, diamonds, clubs, spades (NX-91, NX-A3).
func suitValue(c card.Card) int { return strings.IndexByte("scdh", c.String()[1]) }

func rankValue(c card.Card) int { return strings.IndexByte("..23456789TJQKA", c.String()[0]) }

// downwards lists a hand from its highest card down, cards that are there more often first, in a straight with the ace
// below seven the ace last; of the same rank the higher suit first.
func downwards(cards []card.Card, category Category) []card.Card {
	copies := map[card.Rank]int{}
	for _, c := range cards {
		copies[c.Rank()]++
	}
	aceLow := (category == Straight || category == StraightFlush) && copies[card.Seven] == 1 && copies[card.Ace] == 1
	value := func(c card.Card) int {
		if aceLow && c.Rank() == card.Ace {
			return 6
		}
		return rankValue(c)
	}
	out := slices.Clone(cards)
	slices.SortFunc(out, func(a, b card.Card) int {
		return cmp.Or(copies[b.Rank()]-copies[a.Rank()], value(b)-value(a), suitValue(b)-suitValue(a))
	})
	return out
}

// byRanks compares the ranks of hands laid out, card by card.
func byRanks(a, b []card.Card) int {
	return slices.CompareFunc(a, b, func(a, b card.Card) int { return rankValue(a) - rankValue(b) })
}

// sorted gives both hands laid out and their category, or who wins by the category.
func sorted(a, b []card.Card) (c Category, x, y []card.Card, won int) {
	ja, jb := strippedBook.judge(a), strippedBook.judge(b)
	won = slices.Index(strippedBook.order, ja.category) - slices.Index(strippedBook.order, jb.category)
	return ja.category, downwards(a, ja.category), downwards(b, jb.category), won
}

// draw32Oracle compares two hands that share no card by NX-A2 and NX-A3.
func draw32Oracle(a, b []card.Card) int {
	category, a, b, won := sorted(a, b)
	if won != 0 {
		return won
	}
	suitOf := func(i int) int { return suitValue(a[i]) - suitValue(b[i]) }
	switch category {
	case StraightFlush, Straight:
		return cmp.Or(byRanks(a[:1], b[:1]), suitOf(0))
	case Quads, FullHouse, Trips:
		return byRanks(a[:1], b[:1])
	case Flush:
		return cmp.Or(byRanks(a, b), suitOf(0))
	case TwoPair:
		return cmp.Or(byRanks(a, b), suitOf(4))
	case Pair:
		return cmp.Or(byRanks(a, b), suitOf(2))
	}
	return cmp.Or(byRanks(a, b), suitOf(0))
}

// telesinaOracle compares two hands of five that share at most the Vela, by NX-92 to NX-99, with more than two players.
func telesinaOracle(a, b []card.Card, vela card.Card) int {
	category, a, b, won := sorted(a, b)
	if won != 0 {
		return won
	}
	shared := func(i int) bool { return a[i] == vela && b[i] == vela }
	suitOf := func(i int) int { return suitValue(a[i]) - suitValue(b[i]) }
	switch category {
	case StraightFlush: // NX-93
		return cmp.Or(byRanks(a[:1], b[:1]), suitOf(0))
	case Quads, FullHouse, Trips: // NX-94
		return byRanks(a[:1], b[:1])
	case Flush: // NX-95
		return suitOf(0)
	case Straight: // NX-96
		if shared(0) {
			return suitOf(1)
		}
		return cmp.Or(byRanks(a[:1], b[:1]), suitOf(0))
	case TwoPair: // NX-97
		if shared(4) {
			return cmp.Or(byRanks(a[:4], b[:4]), suitOf(0))
		}
		return cmp.Or(byRanks(a, b), suitOf(4))
	case Pair: // NX-98
		if shared(2) {
			return cmp.Or(byRanks(a[:1], b[:1]), suitOf(0))
		}
		return cmp.Or(byRanks(a[:3], b[:3]), suitOf(2))
	}
	if shared(0) { // NX-99
		a, b = a[1:], b[1:]
	}
	return cmp.Or(byRanks(a[:1], b[:1]), suitOf(0))
}

// telesinaOfSix compares the hands that two seats would choose: one wins if a choice of its beats all of the other's.
func telesinaOfSix(a, b card.Set, vela card.Card) int {
	best := -1
	for fiveA := range choose(a.Add(vela), 5) {
		worst := 1
		for fiveB := range choose(b.Add(vela), 5) {
			worst = min(worst, cmp.Compare(telesinaOracle(fiveA.Cards(), fiveB.Cards(), vela), 0))
		}
		best = max(best, worst)
	}
	return best
}

func TestTelesinaSuits(t *testing.T) {
	for _, c := range []struct {
		rule                string
		both                Category // that both hands are, 0 if they differ
		better, worse, vela string
	}{
		{"NX-92 a flush beats a full house", 0, "Kh9h8h7h7c", "AcAdKcKdQs", "Ah"},
		{"NX-92 four of a kind beats a flush", 0, "7c7d7s8c9c", "AhKhQh9h8h", "7h"},
		{"NX-92 T-9-8-7-A is a straight", 0, "Ac9s8h7c8d", "KhKdKcQs9d", "Td"},
		{"NX-92 T-9-8-7-A is the lowest straight", Straight, "8cJd9cTc7h", "Ac9s8h7cQh", "Td"},
		{"NX-93 the higher top card", StraightFlush, "Js9s8s7sTs", "ThTc9h8h7h", "Ah"},
		{"NX-93 the higher suit", StraightFlush, "KdQdJdTd9d", "KsQsJsTs9s", "7h"},
		{"NX-94 four of a kind by rank", Quads, "8c8d8h8s9c", "7c7d7h7sAh", "Ac"},
		{"NX-94 a full house by its three", FullHouse, "9c9d9h7c7d", "8c8d8hAhKd", "As"},
		{"NX-94 three of a kind by rank", Trips, "9c9d9h7cQd", "8c8hQhKdJs", "8s"},
		{"NX-95 the suit, whatever the ranks", Flush, "KhTh9h7hAs", "AdKdQdJd9d", "8h"},
		{"NX-95 hearts, diamonds, clubs, spades", Flush, "KcTc9c8cAh", "AsKsQsJs9s", "7c"},
		{"NX-96 the higher top card", Straight, "KsQsJhTd8s", "QhJdTh8h7h", "9c"},
		{"NX-96 the suit of the top card", Straight, "KdQsJsTs7c", "KcQhJhTh7d", "9c"},
		{"NX-96 T-9-8-7-A: the suit of the ten", Straight, "Td8s7s9cKc", "Tc9h8h7hKd", "As"},
		{"NX-96 the top card is the Vela: the next", Straight, "QdJsTs9s7c", "QcJhTh9h7d", "Kh"},
		{"NX-96 the Vela is no top card where a seat has a better", Straight, "KhQsJsTs9s", "QhJdTd9d7c", "Kd"},
		{"NX-96 the Vela is the next card, the top decides", Straight, "KdJsTs9s7c", "KcJhTh9h7d", "Qh"},
		{"NX-97 the higher pair", TwoPair, "AcAs8h7c7d", "KhKdQhQdJs", "9c"},
		{"NX-97 the second pair", TwoPair, "KcKsQs9h9d", "KhKd8h8d7d", "Jc"},
		{"NX-97 the fifth card by rank", TwoPair, "KcKsQcQsJs", "KhKdQhQdTh", "7c"},
		{"NX-97 the fifth card by suit", TwoPair, "KcKsQcQsJd", "KhKdQhQdJc", "7c"},
		{"NX-97 the Vela against a card of its rank", TwoPair, "KcKsQcQsJh", "KhKdQhQd9h", "Jd"},
		{"NX-97 the Vela is the fifth card: the higher pair", TwoPair, "KhKsQcQs9c", "KdKcQhQdTh", "Ac"},
		{"NX-98 the higher pair", Pair, "AcAsJs9c7c", "KhKdQh9h8h", "Tc"},
		{"NX-98 the highest kicker by rank", Pair, "KcKsAs9c7c", "KhKdQh9h8h", "Jc"},
		{"NX-98 the highest kicker by suit, not the next kicker", Pair, "KcKsAd9c7c", "KhKdAcQhJh", "8c"},
		{"NX-98 the Vela is the highest kicker: the pair", Pair, "KhKs9c8c7d", "KdKcQcJc9d", "Ac"},
		{"NX-98 the Vela is in both pairs: the kicker", Pair, "KcAh9c8c7d", "KhAdQcJc9d", "Ks"},
		{"NX-99 the highest card by rank", HighCard, "AsQcJs8c7d", "KhQhJd8h7h", "9c"},
		{"NX-99 Ah with Qc beats Ad with Kc", HighCard, "AhQcJs8c7d", "AdKcJd8h7h", "9s"},
		{"NX-99 the highest card is the Vela: the next by rank", HighCard, "KcJs9c8c7d", "QhJh9d8d7h", "As"},
		{"NX-99 the highest card is the Vela: the next by suit", HighCard, "KhJs9c8c7d", "KdQhJd8h7h", "As"},
	} {
		a, b, vela := hand(c.better), hand(c.worse), hand(c.vela)
		if (a | b | vela).Len() != 11 {
			t.Errorf("%s: not eleven different cards", c.rule)
		}
		better, worse := Telesina.Strength(Free, a, vela), Telesina.Strength(Free, b, vela)
		if Telesina.Compare(better, worse, 3) <= 0 || Telesina.Compare(worse, better, 3) >= 0 {
			t.Errorf("%s: %s (%v) does not beat %s (%v) with %s", c.rule, c.better, better, c.worse, worse, c.vela)
		}
		if c.both != 0 && (better.Category() != c.both || worse.Category() != c.both) {
			t.Errorf("%s: %v and %v are not alike", c.rule, better, worse)
		}
		if telesinaOfSix(a, b, vela.Cards()[0]) <= 0 {
			t.Errorf("%s: the oracle disagrees", c.rule)
		}
	}
}

// NX-92 to NX-99: of random deals those count in which suits may have to decide, until each category came up often.
func TestTelesinaAgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	missing := map[Category]int{
		HighCard: 300, Pair: 1000, TwoPair: 500, Trips: 20, Straight: 150, FullHouse: 10, Flush: 3,
	}
	for len(missing) > 0 {
		eleven := dealOf(r, card.Stripped32, 11).Cards()
		r.Shuffle(len(eleven), func(i, j int) { eleven[i], eleven[j] = eleven[j], eleven[i] })
		a, b, vela := card.SetOf(eleven[:5]...), card.SetOf(eleven[5:10]...), eleven[10]
		x, y := Telesina.Of(a.Add(vela)), Telesina.Of(b.Add(vela))
		c := x.Category()
		switch c {
		case HighCard, Pair, TwoPair, Straight:
			if x.Ranks()[0] != y.Ranks()[0] {
				continue
			}
		}
		if missing[c] == 0 || y.Category() != c {
			continue
		}
		if missing[c]--; missing[c] == 0 {
			delete(missing, c)
		}
		if got, want := cmp.Compare(x, y), telesinaOfSix(a, b, vela); got != want {
			t.Fatalf("%v (%v) against %v (%v) with %v: %d, the oracle says %d", a, x, b, y, vela, got, want)
		}
	}
}

// noTies fails the test if two hands of n cards tie that share no more cards than some.
func noTies(t *testing.T, r Ranking, n, shared int) {
	equal := map[Strength][]card.Set{}
	eachSet(card.Stripped32, n, func(cards card.Set) {
		s := r.Of(cards)
		equal[s] = append(equal[s], cards)
	})
	for s, hands := range equal {
		for i, a := range hands {
			for _, b := range hands[i+1:] {
				if (a & b).Len() <= shared {
					t.Fatalf("%v ties with %v: %v", a, b, s)
				}
			}
		}
	}
}

// NX-92 to NX-99: nothing is left undecided between two seats whose six cards have the Vela in common.
func TestTelesinaNeverTies(t *testing.T) {
	if raceEnabled {
		t.Skip("906,192 hands, 177,877,910 pairs")
	}
	noTies(t, Telesina, 6, 1)
}

// NX-A3: there is never a tie.
func TestDraw32NeverTies(t *testing.T) { noTies(t, Draw32, 5, 0) }

// The numbers make the order total and transitive; here they agree with the rules for all pairs of a large sample, of
// which hands that may meet share no card.
func TestDraw32AgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	byCategory := map[Category][]card.Set{}
	for range 200_000 {
		cards := dealOf(r, card.Stripped32, 5)
		if c := Draw32.Of(cards).Category(); len(byCategory[c]) < 70 {
			byCategory[c] = append(byCategory[c], cards)
		}
	}
	for c := HighCard; c <= StraightFlush; c++ {
		hands := byCategory[c]
		if len(hands) < 10 {
			t.Errorf("only %d hands that are a %v", len(hands), c)
		}
		hands = append(hands, byCategory[c%StraightFlush+1]...)
		for i, a := range hands {
			for _, b := range hands[i+1:] {
				if a&b != 0 {
					continue
				}
				got, want := cmp.Compare(Draw32.Of(a), Draw32.Of(b)), draw32Oracle(a.Cards(), b.Cards())
				if got != cmp.Compare(want, 0) {
					t.Fatalf("%v (%v) against %v (%v): %d, the oracle says %d", a, Draw32.Of(a), b, Draw32.Of(b), got, want)
				}
			}
		}
	}
}

func TestDraw32Suits(t *testing.T) {
	for _, c := range []struct{ rule, better, worse string }{
		{"NX-A2 a flush beats a full house", "Kh9h8h7hJh", "AcAdAsKcKd"},
		{"NX-A2 a full house beats a straight", "7c7d7h8c8d", "AcKdQhJsTc"},
		{"NX-A2 A-7-8-9-T is the lowest straight", "7c8d9hTsJc", "Ac7d8h9sTc"},
		{"NX-A2 A-7-8-9-T is a straight", "Ac7d8h9sTc", "AdAhAsKcQd"},
		{"NX-A2 A-7-8-9-T is the lowest straight flush", "7s8s9sTsJs", "Ah7h8h9hTh"},
		{"NX-A3 royal flush: the suit", "AhKhQhJhTh", "AdKdQdJdTd"},
		{"NX-A3 straight flush: the top card, then the suit", "QsJsTs9s8s", "JhTh9h8h7h"},
		{"NX-A3 hearts, diamonds", "JhTh9h8h7h", "JdTd9d8d7d"},
		{"NX-A3 diamonds, clubs", "JdTd9d8d7d", "JcTc9c8c7c"},
		{"NX-A3 clubs, spades", "JcTc9c8c7c", "JsTs9s8s7s"},
		{"NX-A3 flush: all five ranks before the suit", "AsKsJs9s8s", "AhKhJh9h7h"},
		{"NX-A3 flush: the suit", "AhKhJh9h8h", "AdKdJd9d8d"},
		{"NX-A3 straight: the suit of its top card", "KhQsJsTs9s", "KdQhJhTh9c"},
		{"NX-A3 straight to the ten: the suit of the ten", "Th9s8s7sAs", "Td9h8h7hAh"},
		{"NX-A3 two pair: the fifth card", "AcAs9c9sJs", "AhAd9h9dTh"},
		{"NX-A3 two pair: the suit of the fifth card", "AcAs9c9sJh", "AhAd9h9dJd"},
		{"NX-A3 pair: three kickers before suits", "AcAsKsJs9s", "AhAdKhJh8h"},
		{"NX-A3 pair: the suit of the highest kicker", "AcAsKhJs9s", "AhAdKdJh9h"},
		{"NX-A3 high card: all ranks before suits", "AsKsQcJs9d", "AhKhQhJh8c"},
		{"NX-A3 high card: the suit of the highest card", "AhKsQsJs9s", "AdKhQhJh9h"},
	} {
		if better, worse := Draw32.Of(hand(c.better)), Draw32.Of(hand(c.worse)); better <= worse {
			t.Errorf("%s: %s (%v) does not beat %s (%v)", c.rule, c.better, better, c.worse, worse)
		}
	}
}

// P7: between two players the highest straight flush loses to the lowest, and to that one alone.
func TestP7BetweenTwoPlayersOfNX93(t *testing.T) {
	royal, low := hand("AhKhQhJhTh"), hand("Ts9s8s7sAs")
	var flushes []card.Set
	eachSet(card.Stripped32, 5, func(cards card.Set) {
		if Telesina.Of(cards).Category() == StraightFlush {
			flushes = append(flushes, cards)
		}
	})
	for _, a := range flushes {
		for _, b := range flushes {
			x, y := Telesina.Of(a), Telesina.Of(b)
			want := cmp.Compare(x, y)
			if got := Telesina.Compare(x, y, 3); got != want {
				t.Errorf("%v against %v with a third player: %d, want %d", a, b, got, want)
			}
			switch {
			case a == royal && b == low:
				want = -1
			case a == low && b == royal:
				want = 1
			}
			if got := Telesina.Compare(x, y, 2); got != want {
				t.Errorf("%v against %v: %d, want %d", a, b, got, want)
			}
		}
	}
	if s := Telesina.Strength(Free, hand("AhKhQhJh7c"), hand("Th")); Telesina.Compare(s, Telesina.Of(low), 2) >= 0 {
		t.Errorf("%v with the Vela's help wins between two", s)
	}
	if Standard.Compare(Standard.Of(royal), Standard.Of(low), 2) <= 0 || Standard.Compare(0, 0, 2) != 0 {
		t.Error("the rule holds in Telesina only")
	}
}
