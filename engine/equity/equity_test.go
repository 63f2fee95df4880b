package equity

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

func cards(s string) card.Set { return card.SetOf(card.MustParse(s)...) }

func holdem(board string, hands ...string) *Deal {
	return deal(Deal{Deck: card.French, High: eval.Standard, HoleCards: 2, BoardCards: 5}, board, hands)
}

func omaha8(board string, hands ...string) *Deal {
	return deal(Deal{
		Deck: card.French, High: eval.Standard, Low: eval.EightOrBetter, Use: eval.TwoAndThree, HoleCards: 4, BoardCards: 5,
	}, board, hands)
}

func deal(d Deal, board string, hands []string) *Deal {
	d.Board = cards(board)
	for _, h := range hands {
		d.Hands = append(d.Hands, cards(h))
	}
	return &d
}

// Equities that can be counted on the fingers.
func TestExact(t *testing.T) {
	dead := holdem("Qh7h3s9c", "AhKh", "2c2d")
	dead.Dead = cards("Ad")
	telesina := deal(Deal{Deck: card.Stripped32, High: eval.Telesina, HoleCards: 5, BoardCards: 1}, "8c",
		[]string{"AhKhQhJhTh", "Ts9s8s7sAs"})
	small := deal(Deal{Deck: cards("2c3c4c5c"), High: eval.Standard, HoleCards: 1}, "", []string{"4c", ""})

	for _, c := range []struct {
		what string
		deal *Deal
		want string // the share of each hand
		wins []int64
	}{
		{"nine hearts, three aces and three kings of 44 cards", holdem("Qh7h3s9c", "AhKh", "2c2d"), "15/44 29/44", []int64{15, 29}},
		{"an ace is dead", dead, "14/43 29/43", []int64{14, 29}},
		{"nothing to come", holdem("Qh7h3s9c2h", "AhKh", "2c2d"), "1 0", []int64{1, 0}},
		{"the board plays for all", holdem("AsKsQsJsTs", "AhKh", "2c2d", "7c2h"), "1/3 1/3 1/3", []int64{0, 0, 0}},
		{"a tie for two of three", holdem("AsKsQsJs2c", "ThTd", "TcKc", "7c2h"), "1/2 1/2 0", []int64{0, 0, 0}},
		{"two of the hand, three of the board", omaha8("Kh9h5h2hQc", "AhAsAdQd", "JhTh7s6d"), "0 1", []int64{0, 1}},
		{"the low half is quartered", omaha8("3c4d8hKsKd", "Ac2cKcQd", "Ad2dJhTh"), "3/4 1/4", []int64{0, 0}},
		{"no low: high takes all", omaha8("3c4dThKsKd", "Ac2cKcQd", "Ad2dJh9h"), "1 0", []int64{1, 0}},
		{"one takes both halves", omaha8("3c4d8hKsKd", "Ac2cKcQd", "JdJcTdTh"), "1 0", []int64{1, 0}},
		{"the least royal flush beats the highest between two", telesina, "0 1", []int64{0, 1}},
		{"a four against a two, a three or a five", small, "2/3 1/3", []int64{2, 1}},
	} {
		if err := c.deal.Check(); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		r := c.deal.Count(c.deal.All())
		if ways := c.deal.Ways(); !ways.IsInt64() || ways.Int64() != r.Deals {
			t.Errorf("%s: %d deals, Ways says %v", c.what, r.Deals, ways)
		}
		var got []string
		for i := range c.deal.Hands {
			got = append(got, r.Equity(i).RatString())
			if r.Hands[i].Wins != c.wins[i] {
				t.Errorf("%s: hand %d wins %d, want %d", c.what, i+1, r.Hands[i].Wins, c.wins[i])
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.what, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	dead := func(d *Deal, s string) *Deal {
		d.Dead = cards(s)
		return d
	}
	short := holdem("", "AhKh", "QhQd")
	short.Deck = cards("AhKhQhQd2c3c4c5c")
	foreign := holdem("", "AhKh", "2c2d")
	foreign.Deck = card.Stripped32
	for _, c := range []struct {
		deal *Deal
		want string
	}{
		{holdem("", "AhKh", "QhQd"), ""},
		{holdem("", "AhKh", "Qh"), ""}, // one card is unknown
		{holdem("", "AhKh"), "want 2 to 10 hands, not 1"},
		{holdem("", make([]string, 11)...), "want 2 to 10 hands, not 11"},
		{holdem("2c3c4c5c6c7c", "AhKh", "QhQd"), "board: 6 cards, want 5 at most"},
		{holdem("", "AhKh", "QhQdQs"), "hand 2: 3 cards, want 2 at most"},
		{holdem("Qd2c3c", "AhKh", "QhQd"), "hand 2: Qd is elsewhere too"},
		{holdem("", "AhKh", "AhQd"), "hand 2: Ah is elsewhere too"},
		{dead(holdem("", "AhKh", "QhQd"), "Kh"), "hand 1: Kh is elsewhere too"},
		{dead(holdem("2c3c4c", "AhKh", "QhQd"), "4c"), "dead cards: 4c on the board too"},
		{foreign, "2c2d: not in the deck"},
		{short, "5 cards are missing, there are only 4"},
	} {
		err := c.deal.Check()
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%v: %q, want %q", c.deal.Hands, got, c.want)
		}
	}
}

// some draws a deal of Hold'em or Omaha hi/lo with two or three cards to come, on the board or in a hand.
func some(t *rapid.T) *Deal {
	d := rapid.SampledFrom([]*Deal{holdem(""), omaha8("")}).Draw(t, "game")
	n := rapid.IntRange(2, 4).Draw(t, "hands")
	stub := rapid.Permutation(card.French.Cards()).Draw(t, "cards")
	take := func(n int) card.Set {
		taken := card.SetOf(stub[:n]...)
		stub = stub[n:]
		return taken
	}
	d.Board = take(rapid.IntRange(3, 4).Draw(t, "board"))
	for i := range n {
		known := d.HoleCards
		if i == 0 {
			known -= rapid.IntRange(0, 1).Draw(t, "unknown")
		}
		d.Hands = append(d.Hands, take(known))
	}
	d.Dead = take(len(stub) - rapid.IntRange(4, 8).Draw(t, "unseen"))
	return d
}

// All and Count against cards dealt one by one in every order, and pots split in fractions.
func TestAllAgainstDealing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := some(t)
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		won, deals := map[int]*big.Rat{}, int64(0)
		eachOrder(d, d.known(), func(dealt *Dealt) {
			deals++
			half := big.NewRat(1, 2)
			if !split(d, d.Low, dealt, half, won) {
				half = big.NewRat(1, 1)
			}
			split(d, d.High, dealt, half, won)
		})
		got := d.Count(d.All())
		for i := range d.Hands {
			want := new(big.Rat)
			if won[i] != nil {
				want.Quo(won[i], big.NewRat(deals, 1))
			}
			if got.Equity(i).Cmp(want) != 0 {
				t.Errorf("hand %d: %v, want %v", i+1, got.Equity(i), want)
			}
		}
	})
}

// eachOrder deals one card after another, to the hands and then to the board.
func eachOrder(d *Deal, t Dealt, do func(*Dealt)) {
	to, want := &t.Board, d.BoardCards
	seen := d.Dead | t.Board
	for i := range d.Hands {
		seen |= t.Hands[i]
		if t.Hands[i].Len() < d.HoleCards {
			to, want = &t.Hands[i], d.HoleCards
		}
	}
	before := *to
	if before.Len() == want {
		do(&t)
		return
	}
	for _, c := range (d.Deck &^ seen).Cards() {
		*to = before.Add(c)
		eachOrder(d, t, do)
	}
}

// split gives a part of the pot to the hands that are best by a ranking, and reports whether there are any.
func split(d *Deal, by eval.Ranking, t *Dealt, pot *big.Rat, won map[int]*big.Rat) bool {
	if by.Of == nil {
		return false
	}
	var winners []int
	best := eval.Strength(1)
	for i := range d.Hands {
		s := by.Strength(d.Use, t.Hands[i], t.Board)
		if s > best {
			best, winners = s, nil
		}
		if s == best {
			winners = append(winners, i)
		}
	}
	for _, i := range winners {
		if won[i] == nil {
			won[i] = new(big.Rat)
		}
		won[i].Add(won[i], new(big.Rat).Quo(pot, big.NewRat(int64(len(winners)), 1)))
	}
	return len(winners) > 0
}

// Every deal there is comes up as often as another.
func TestRandomIsUniform(t *testing.T) {
	d := deal(Deal{Deck: cards("2c3c4c5c6c"), High: eval.Standard, HoleCards: 1, BoardCards: 2}, "2c", []string{"", ""})
	all, seen := map[Dealt]int{}, map[Dealt]int{}
	for dealt := range d.All() {
		all[dealt]++
	}
	const each = 1000
	for dealt := range d.Random(24*each, rand.New(rand.NewPCG(1, 2)).Uint64) {
		seen[dealt]++
	}
	if len(all) != 24 || len(seen) != 24 {
		t.Fatalf("%d deals, of which %d came up, want 24", len(all), len(seen))
	}
	for dealt, n := range seen {
		if all[dealt] != 1 || n < each-5*32 || n > each+5*32 { // five standard deviations
			t.Errorf("%v: %d times in All, %d in Random, want 1 and about %d", dealt, all[dealt], n, each)
		}
	}
}

func TestRandomAgreesWithAll(t *testing.T) {
	d := holdem("QhJh2c", "AhKh", "QcQd")
	exact, sampled := d.Count(d.All()), d.Count(d.Random(100_000, rand.New(rand.NewPCG(3, 4)).Uint64))
	if exact.Deals != 990 || sampled.Deals != 100_000 {
		t.Fatalf("%d deals, %d sampled", exact.Deals, sampled.Deals)
	}
	for i := range d.Hands {
		diff := new(big.Rat).Sub(exact.Equity(i), sampled.Equity(i))
		if diff.Abs(diff).Cmp(big.NewRat(8, 1000)) > 0 { // five standard deviations
			t.Errorf("hand %d: %s, sampled %s", i+1, exact.Equity(i).FloatString(4), sampled.Equity(i).FloatString(4))
		}
	}
}

// A number that would make small results likelier is not used.
func TestBelowDiscards(t *testing.T) {
	numbers := []uint64{0, 1 << 63}
	got := below(3, func() uint64 {
		n := numbers[0]
		numbers = numbers[1:]
		return n
	})
	if got != 1 || len(numbers) != 0 {
		t.Errorf("%d, numbers left %v, want 1 from the second", got, numbers)
	}
}

func BenchmarkHoldem(b *testing.B) { benchmark(b, holdem("", "AhKh", "QcQd")) }
func BenchmarkOmaha8(b *testing.B) { benchmark(b, omaha8("2c7d", "AhKhQs3c", "TcTd9h8h")) }

// benchmark counts all deals again and again.
func benchmark(b *testing.B, d *Deal) {
	var deals int64
	for b.Loop() {
		deals = d.Count(d.All()).Deals
	}
	b.ReportMetric(float64(deals)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mdeals/s")
}
