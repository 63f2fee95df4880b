package jackpot_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/jackpot"
)

// ruleOf finds a game's rule at a table that may have the jackpot.
func ruleOf(t *testing.T, game string) jackpot.Rule {
	t.Helper()
	r, err := jackpot.Table{Game: game, Seats: 8}.Rule()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func strength(hand string) uint64 {
	return uint64(eval.Standard.Of(card.SetOf(card.MustParse(hand)...)))
}

// shown is a hand at the showdown, by its five cards.
func shown(seat jackpot.Seat, hand string, won bool) jackpot.Shown {
	return jackpot.Shown{Seat: seat, Strength: strength(hand), BothHoleCards: true, WonMain: won}
}

// seats are the seats from 1 to n.
func seats(n int) (out []jackpot.Seat) {
	for i := range n {
		out = append(out, jackpot.Seat(i+1))
	}
	return out
}

// TestNXB4Thresholds: of each game ranked in the standard way, the worst hand that qualifies and the best that does not.
func TestNXB4Thresholds(t *testing.T) {
	for _, tt := range []struct{ game, least, below string }{
		{"holdem", "QcQdQhQs2h", "JcJdJhJsAh"},
		{"omaha", "6h7h8h9hTh", "5h6h7h8h9h"},
		{"omaha8", "6h7h8h9hTh", "5h6h7h8h9h"},
		{"stud", "Ah2h3h4h5h", "AcAdAhAsKc"},
		{"stud8", "Ah2h3h4h5h", "AcAdAhAsKc"},
		{"draw5", "AcAdAhAs2h", "KcKdKhKsAh"},
	} {
		r := ruleOf(t, tt.game)
		least := uint64(eval.Standard.Of(r.Least))
		for hand, want := range map[string]bool{tt.least: true, tt.below: false} {
			_, got := r.Judge(least, jackpot.Hand{Dealt: seats(3), Showdown: []jackpot.Shown{shown(1, "AsKsQsJsTs", true), shown(2, hand, false)}})
			if got != want {
				t.Errorf("%s: losing with %s is a bad beat: %v, want %v", tt.game, hand, got, want)
			}
		}
	}
	if got := ruleOf(t, "soko").Least.String(); got != "2c2dKcKdKh" { // Soko's ranking is not the standard one
		t.Errorf("soko: %s, want kings full of twos", got)
	}
}

// TestNXB2TablesWithout: no jackpot at these tables, and the error says why.
func TestNXB2TablesWithout(t *testing.T) {
	for _, tt := range []struct {
		table jackpot.Table
		want  string
	}{
		{jackpot.Table{Game: "holdem", Seats: 8, PlayMoney: true}, "play-money"},
		{jackpot.Table{Game: "holdem", Seats: 8, Tournament: true}, "tournaments"},
		{jackpot.Table{Game: "holdem", Seats: 2}, "2 seats"},
		{jackpot.Table{Game: "deuce7td", Seats: 6}, "deuce7td"},
		{jackpot.Table{Game: "americana", Seats: 6}, "americana"},
		{jackpot.Table{Game: "telesina", Seats: 6}, "telesina"},
		{jackpot.Table{Game: "draw32", Seats: 5}, "draw32"},
		{jackpot.Table{Game: "bonus", Seats: 6}, "bonus"},
	} {
		if _, err := tt.table.Rule(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt.table, err)
		}
	}
}

// TestJudge: who lost and who won, or that nobody did: NX-B1, NX-B2, NX-B3, NX-B4, NX-B5.
func TestJudge(t *testing.T) {
	const (
		royal  = "AsKsQsJsTs"
		lower  = "9s8s7s6s5s"
		kings  = "KcKdKhKsAh"
		queens = "QcQdQhQsAh"
		aces   = "AcAdAhKsKh"
	)
	oneHoleCard := func(s jackpot.Shown) jackpot.Shown {
		s.BothHoleCards = false
		return s
	}
	for _, tt := range []struct {
		name            string
		game            string
		dealt           int
		showdown        []jackpot.Shown
		losers, winners []jackpot.Seat
	}{
		{
			"NX-B0 one loser, one winner", "holdem", 6,
			[]jackpot.Shown{shown(4, queens, false), shown(2, kings, true)},
			[]jackpot.Seat{4},
			[]jackpot.Seat{2},
		},
		{
			"NX-B1 three qualify: the two highest", "holdem", 6,
			[]jackpot.Shown{shown(4, queens, false), shown(2, royal, true), shown(5, kings, false)},
			[]jackpot.Seat{5},
			[]jackpot.Seat{2},
		},
		{
			"NX-B2 only two dealt in", "holdem", 2,
			[]jackpot.Shown{shown(1, queens, false), shown(2, kings, true)},
			nil, nil,
		},
		{
			"NX-B3 the loser's hand is not good enough", "holdem", 6,
			[]jackpot.Shown{shown(1, aces, false), shown(2, kings, true)},
			nil, nil,
		},
		{
			"NX-B3 the pot was split: nobody lost", "holdem", 6,
			[]jackpot.Shown{shown(1, queens, true), shown(2, queens, true)},
			nil, nil,
		},
		{
			"NX-B3 a better hand lost without both hole cards", "holdem", 6,
			[]jackpot.Shown{shown(1, royal, true), oneHoleCard(shown(2, kings, false)), shown(3, queens, false)},
			nil, nil,
		},
		{
			"NX-B3 no showdown", "holdem", 6,
			[]jackpot.Shown{shown(1, royal, true)},
			nil, nil,
		},
		{
			"NX-B3 everyone folded", "holdem", 6, nil, nil, nil,
		},
		{
			"NX-B3 the better hand was mucked and lost to a worse", "holdem", 6,
			[]jackpot.Shown{shown(1, queens, true), shown(2, kings, false)},
			nil, nil,
		},
		{
			"NX-B3 an equal hand was mucked and lost", "holdem", 6,
			[]jackpot.Shown{shown(1, queens, true), shown(2, queens, false)},
			nil, nil,
		},
		{
			"NX-B3 hi/lo: the loser of the high half won the low half", "omaha8", 6,
			[]jackpot.Shown{shown(1, royal, true), shown(2, "6h7h8h9hTh", false)},
			[]jackpot.Seat{2},
			[]jackpot.Seat{1},
		},
		{
			"NX-B4 one hole card", "holdem", 6,
			[]jackpot.Shown{shown(1, kings, true), oneHoleCard(shown(2, queens, false))},
			nil, nil,
		},
		{
			"NX-B4 the winner may use one hole card", "holdem", 6,
			[]jackpot.Shown{oneHoleCard(shown(1, kings, true)), shown(2, queens, false)},
			[]jackpot.Seat{2},
			[]jackpot.Seat{1},
		},
		{
			"NX-B4 other games do not ask for hole cards", "stud", 6,
			[]jackpot.Shown{shown(1, royal, true), oneHoleCard(shown(2, lower, false))},
			[]jackpot.Seat{2},
			[]jackpot.Seat{1},
		},
		{
			"NX-B4 a nine-high straight flush is too little in omaha", "omaha", 6,
			[]jackpot.Shown{shown(1, royal, true), shown(2, lower, false)},
			nil, nil,
		},
		{
			"NX-B5 several winners and equal losers", "stud", 6,
			[]jackpot.Shown{shown(1, royal, true), shown(2, lower, false), shown(3, royal, true), shown(5, lower, false), shown(6, aces, false)},
			[]jackpot.Seat{2, 5},
			[]jackpot.Seat{1, 3},
		},
		{
			"NX-B5 of equal losers only who qualifies", "holdem", 6,
			[]jackpot.Shown{shown(1, royal, true), shown(2, kings, false), oneHoleCard(shown(3, kings, false))},
			[]jackpot.Seat{2},
			[]jackpot.Seat{1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ruleOf(t, tt.game)
			beat, ok := r.Judge(uint64(eval.Standard.Of(r.Least)), jackpot.Hand{Dealt: seats(tt.dealt), Showdown: tt.showdown})
			if ok != (tt.losers != nil) || !slices.Equal(beat.Losers, tt.losers) || !slices.Equal(beat.Winners, tt.winners) {
				t.Fatalf("%+v, %v; want losers %v, winners %v", beat, ok, tt.losers, tt.winners)
			}
			if ok && !slices.Equal(beat.Dealt, seats(tt.dealt)) {
				t.Errorf("dealt in: %v", beat.Dealt)
			}
		})
	}
}

// TestNXB0Split: worked examples of the shares.
func TestNXB0Split(t *testing.T) {
	const losers, winners, dealt = jackpot.LosersPart, jackpot.WinnersPart, jackpot.DealtPart
	for _, tt := range []struct {
		name string
		pool int64
		beat jackpot.Beat
		want []jackpot.Payment
		left int64
	}{
		{
			"1000.00, four dealt in", 100_000,
			jackpot.Beat{Losers: []jackpot.Seat{3}, Winners: []jackpot.Seat{1}, Dealt: seats(4)},
			[]jackpot.Payment{{3, losers, 40_000}, {1, winners, 20_000}, {1, dealt, 5000}, {2, dealt, 5000}, {3, dealt, 5000}, {4, dealt, 5000}},
			20_000,
		},
		{
			"remainders stay in the pool", 103, // 41.2, 20.6 and 20.6
			jackpot.Beat{Losers: []jackpot.Seat{3}, Winners: []jackpot.Seat{1}, Dealt: seats(3)},
			[]jackpot.Payment{{3, losers, 41}, {1, winners, 20}, {1, dealt, 6}, {2, dealt, 6}, {3, dealt, 6}},
			24,
		},
		{
			"NX-B5 two losers and three winners", 1000,
			jackpot.Beat{Losers: []jackpot.Seat{2, 4}, Winners: []jackpot.Seat{1, 3, 5}, Dealt: seats(5)},
			[]jackpot.Payment{
				{2, losers, 200},
				{4, losers, 200},
				{1, winners, 66},
				{3, winners, 66},
				{5, winners, 66},
				{1, dealt, 40},
				{2, dealt, 40},
				{3, dealt, 40},
				{4, dealt, 40},
				{5, dealt, 40},
			},
			202,
		},
		{"nothing in it", 0, jackpot.Beat{Losers: []jackpot.Seat{3}, Winners: []jackpot.Seat{1}, Dealt: seats(4)}, nil, 0},
		{"too little for all", 4, jackpot.Beat{Losers: []jackpot.Seat{3}, Winners: []jackpot.Seat{1}, Dealt: seats(4)}, []jackpot.Payment{{3, losers, 1}}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := jackpot.Split(tt.pool, tt.beat); !slices.Equal(got.Payments, tt.want) || got.Left != tt.left {
				t.Errorf("%+v, want %v and %d left", got, tt.want, tt.left)
			}
		})
	}
}

// TestNXB0SplitConserves: payments and what is left make up the pool; a fifth or more of it is left; no part pays more than
// its percentage, and those in one part get the same.
func TestNXB0SplitConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.Int64Range(0, 1e18).Draw(t, "pool")
		some := func(name string) []jackpot.Seat { return seats(rapid.IntRange(1, 10).Draw(t, name)) }
		beat := jackpot.Beat{Losers: some("losers"), Winners: some("winners"), Dealt: some("dealt")}
		payout := jackpot.Split(pool, beat)
		sum := payout.Left
		parts, shares := map[jackpot.Part]int64{}, map[jackpot.Part]int64{}
		for _, p := range payout.Payments {
			sum += p.Amount
			parts[p.Part] += p.Amount
			if s, ok := shares[p.Part]; ok && s != p.Amount {
				t.Fatalf("%v: shares of %d and %d", p.Part, s, p.Amount)
			}
			shares[p.Part] = p.Amount
		}
		if sum != pool || payout.Left < pool/5 {
			t.Fatalf("%+v of %d", payout, pool)
		}
		for part, most := range map[jackpot.Part]int64{jackpot.LosersPart: 2, jackpot.WinnersPart: 1, jackpot.DealtPart: 1} {
			if got := parts[part]; got > pool/5*most+most*(pool%5)/5 || got < pool/5*most-9 {
				t.Fatalf("%v gets %d of %d", part, got, pool)
			}
		}
	})
}

// TestNXB6Growth: the part of the rake that goes to the pool, hand by hand.
func TestNXB6Growth(t *testing.T) {
	for _, tt := range []struct{ raked, rake, part, want int64 }{
		{0, 300, 10, 30},
		{0, 0, 10, 0},
		{0, 300, 0, 0},
		{0, 300, 100, 300},
		{0, 9, 10, 0}, // nine tenths of a cent
		{9, 9, 10, 1}, // with them 1.8 cents
		{18, 9, 10, 1},
	} {
		if got := jackpot.Growth(tt.raked, tt.rake, tt.part); got != tt.want {
			t.Errorf("%d %% of %d after %d: %d, want %d", tt.part, tt.rake, tt.raked, got, tt.want)
		}
	}
}

// TestNXB6GrowthAddsUp: over any row of hands the pool gets its part of the whole rake, and of no hand more than its rake.
func TestNXB6GrowthAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Int64Range(0, 100).Draw(t, "part")
		var raked, grown int64
		for _, rake := range rapid.SliceOf(rapid.Int64Range(0, 300)).Draw(t, "rakes") {
			g := jackpot.Growth(raked, rake, part)
			if g < 0 || g > rake {
				t.Fatalf("%d of a rake of %d", g, rake)
			}
			grown += g
			raked += rake
		}
		if want := raked * part / 100; grown != want {
			t.Fatalf("%d of %d, want %d", grown, raked, want)
		}
	})
}

// TestPartNames: for people.
func TestPartNames(t *testing.T) {
	for part, want := range map[jackpot.Part]string{
		jackpot.LosersPart: "losing hand", jackpot.WinnersPart: "winning hand", jackpot.DealtPart: "dealt in",
	} {
		if part.String() != want {
			t.Errorf("%q, want %q", part, want)
		}
	}
}
