package tournament_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/card"
	"tavolo/engine/tournament"
)

// faulty is a test of a Validate: what it reports, "" for nothing.
type faulty struct {
	name string
	err  error
	want string
}

func checkFaults(t *testing.T, tests []faulty) {
	t.Helper()
	for _, tt := range tests {
		if tt.want == "" && tt.err != nil || tt.want != "" && (tt.err == nil || !strings.Contains(tt.err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
}

var schedule = tournament.Schedule{
	{SmallBlind: 10, BigBlind: 20, Seconds: 300},
	{SmallBlind: 15, BigBlind: 30, Seconds: 240},
	{SmallBlind: 25, BigBlind: 50, BigBlindAnte: 50},
}

// TestNK32Levels: blinds rise by levels (NK-32, NK-34).
func TestNK32Levels(t *testing.T) {
	for _, tt := range []struct {
		seconds int64
		number  int
		left    int64
		big     int64
	}{
		{0, 1, 300, 20},
		{299, 1, 1, 20},
		{300, 2, 240, 30},
		{539, 2, 1, 30},
		{540, 3, 0, 50},
		{1e9, 3, 0, 50},
	} {
		number, left := schedule.At(tt.seconds)
		if number != tt.number || left != tt.left || schedule.Level(number).BigBlind != tt.big {
			t.Errorf("after %d s: level %d, %d s left, big blind %d; want %d, %d, %d",
				tt.seconds, number, left, schedule.Level(number).BigBlind, tt.number, tt.left, tt.big)
		}
	}
	if got := schedule.Level(9); got != schedule[2] {
		t.Errorf("the level after the last is %+v", got)
	}
}

// TestNK32LevelsGoOn: as time passes a level's seconds run down one by one, and no level comes back.
func TestNK32LevelsGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, 600).Draw(t, "at")
		number, left := schedule.At(at)
		later, laterLeft := schedule.At(at + 1)
		switch {
		case left == 0 && (number != len(schedule) || later != number || laterLeft != 0),
			left == 1 && later != number+1,
			left > 1 && (later != number || laterLeft != left-1):
			t.Fatalf("at %d level %d with %d left, then %d with %d", at, number, left, later, laterLeft)
		}
	})
}

func TestScheduleFaults(t *testing.T) {
	type levels = tournament.Schedule
	checkFaults(t, []faulty{
		{"as it should be", schedule.Validate(), ""},
		{"empty", levels{}.Validate(), "none given"},
		{"no big blind", levels{{Ante: 5}}.Validate(), "level 1: blinds of 0 and 0"},
		{"small above big", levels{{SmallBlind: 5, BigBlind: 4}}.Validate(), "level 1: blinds of 5 and 4"},
		{"falling", levels{{BigBlind: 4, Seconds: 1}, {BigBlind: 3}}.Validate(), "level 2: the big blind falls from 4 to 3"},
		{"no time", levels{{BigBlind: 4}, {BigBlind: 4}}.Validate(), "level 1: lasts 0 seconds"},
		{"negative ante", levels{{BigBlind: 4, Ante: -1}}.Validate(), "antes of -1 and 0"},
	})
}

// TestR26Entry: 80 % of an entry goes to the prizes, and the law may set a limit.
func TestR26Entry(t *testing.T) {
	checkFaults(t, []faulty{
		{"200 and 50", tournament.Entry{Prize: 200_00, Fee: 50_00}.Validate(250_00), ""},
		{"free", tournament.Entry{}.Validate(250_00), ""},
		{"no limit", tournament.Entry{Prize: 1000_00, Fee: 100_00}.Validate(0), ""},
		{"above the limit", tournament.Entry{Prize: 200_01, Fee: 50_00}.Validate(250_00), "25001 is above the limit of 25000"},
		{"a large fee", tournament.Entry{Prize: 8_00, Fee: 2_01}.Validate(0), "of 1001 only 800 goes to the prizes"},
		{"below nothing", tournament.Entry{Prize: 100, Fee: -1}.Validate(0), "none may be below 0"},
	})
}

// TestBR08FirstButton: the highest card has the first button, equal ranks by spades, hearts, diamonds, clubs.
func TestBR08FirstButton(t *testing.T) {
	for _, tt := range []struct {
		cards string
		want  int
	}{
		{"2c", 0},
		{"KsAc2d", 1},
		{"9cTc9sTd", 3},
		{"AdAhAc", 1},
		{"AdAhAcAs", 3},
	} {
		if got := tournament.FirstButton(card.MustParse(tt.cards)); got != tt.want {
			t.Errorf("%s: player %d, want %d", tt.cards, got, tt.want)
		}
	}
}

var prizes = tournament.PrizeTable{
	{From: 2, Parts: []int64{10_000}},
	{From: 6, Parts: []int64{6500, 3500}},
	{From: 9, Parts: []int64{5000, 3000, 2000}},
}

// TestNK32Prizes: worked examples of the published table (NK-32, NK-34).
func TestNK32Prizes(t *testing.T) {
	for _, tt := range []struct {
		field      int
		pool, unit int64
		want       []int64
	}{
		{2, 100, 1, []int64{100}},
		{5, 100, 1, []int64{100}},
		{6, 1000, 1, []int64{650, 350}},
		{9, 1000, 1, []int64{500, 300, 200}},
		{100, 1003, 1, []int64{503, 300, 200}},        // 501.5, 300.9 and 200.6
		{9, 99_99, 100, []int64{51_99, 29_00, 19_00}}, // in whole euros: 49.995, 29.997 and 19.998
		{9, 99, 100, []int64{99, 0, 0}},
		{9, 0, 1, []int64{0, 0, 0}},
	} {
		got, err := prizes.Prizes(tt.field, tt.pool, tt.unit)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%d of %d players in units of %d: %v, %v; want %v", tt.pool, tt.field, tt.unit, got, err, tt.want)
		}
	}
	if _, err := prizes.Prizes(1, 100, 1); err == nil {
		t.Error("a field of one was given prizes")
	}
}

// TestPrizesConserve: the prizes are the pool, a better place never gets less, and more money makes no prize smaller but
// that of the first, which gets what rounding leaves.
func TestPrizesConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.IntRange(2, 20).Draw(t, "field")
		pool := rapid.Int64Range(0, 1e15).Draw(t, "pool")
		unit := rapid.Int64Range(1, 1000).Draw(t, "unit")
		got, err := prizes.Prizes(field, pool, unit)
		if err != nil {
			t.Fatal(err)
		}
		more, _ := prizes.Prizes(field, pool+rapid.Int64Range(0, 1e6).Draw(t, "more"), unit)
		var sum int64
		for i, p := range got {
			sum += p
			if p < 0 || i > 0 && (p > got[i-1] || p%unit != 0 || more[i] < p) {
				t.Fatalf("%v of %d", got, pool)
			}
		}
		if sum != pool {
			t.Fatalf("%v of %d", got, pool)
		}
	})
}

func TestPrizeFaults(t *testing.T) {
	type table = tournament.PrizeTable
	row := func(from int, parts ...int64) tournament.PrizeRow {
		return tournament.PrizeRow{From: from, Parts: parts}
	}
	checkFaults(t, []faulty{
		{"as it should be", prizes.Validate(), ""},
		{"empty", table{}.Validate(), "no rows"},
		{"no prizes", table{row(2)}.Validate(), "row 1: 0 prizes"},
		{"more prizes than players", table{row(2, 5000, 3000, 2000)}.Validate(), "row 1: 3 prizes for 2 players"},
		{"not the whole", table{row(2, 5000, 4000)}.Validate(), "row 1: parts [5000 4000]"},
		{"below nothing", table{row(3, 9000, 2000, -1000)}.Validate(), "row 1: parts"},
		{"a sum that overflows", table{row(5, 1<<62, 1<<62, 1<<62, 1<<62, 10_000)}.Validate(), "row 1: parts"},
		{"the second gets more", table{row(2, 4000, 6000)}.Validate(), "row 1: place 2 gets more"},
		{"out of order", table{row(3, 10_000), row(3, 10_000)}.Validate(), "row 2: a field of 3 does not come after 3"},
	})
}

// TestFinish: who goes out in one hand places by what he had when it began (NK-32, NK-34).
func TestFinish(t *testing.T) {
	type places = []tournament.Finished
	event := []int64{500, 301, 200}
	for _, tt := range []struct {
		name   string
		left   int
		stacks []int64
		want   places
	}{
		{"one, out of the money", 5, []int64{100}, places{{6, 0}}},
		{"one, in the money", 2, []int64{100}, places{{3, 200}}},
		{"two: the larger stack is higher", 1, []int64{100, 250}, places{{3, 200}, {2, 301}}},
		{"two on the bubble", 2, []int64{100, 250}, places{{4, 0}, {3, 200}}},
		{"equal stacks share", 1, []int64{100, 100}, places{{2, 251}, {2, 250}}},
		{"equal on the bubble", 2, []int64{100, 100}, places{{3, 100}, {3, 100}}},
		{"two equal above one", 1, []int64{80, 100, 100}, places{{4, 0}, {2, 251}, {2, 250}}},
		{"nobody", 3, nil, places{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tournament.Finish(event, tt.left, tt.stacks); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestFinishConserves: the prizes of the places that fall free are paid, whoever gets them; a larger stack never places lower
// or gets less; and chips count by their order alone (NK-35).
func TestFinishConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		event := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 10).Draw(t, "prizes")
		slices.SortFunc(event, func(a, b int64) int { return int(b - a) })
		left := rapid.IntRange(1, 8).Draw(t, "left")
		stacks := rapid.SliceOfN(rapid.Int64Range(1, 5), 1, 9).Draw(t, "stacks")
		got := tournament.Finish(event, left, stacks)
		var paid, want int64
		for place := left + 1; place <= left+len(stacks) && place <= len(event); place++ {
			want += event[place-1]
		}
		larger := make([]int64, len(stacks))
		for i, g := range got {
			paid += g.Prize
			larger[i] = stacks[i] * 1000
			for j, h := range got {
				if stacks[i] > stacks[j] && (g.Place >= h.Place || g.Prize < h.Prize) || (stacks[i] == stacks[j]) != (g.Place == h.Place) {
					t.Fatalf("%v for %v", got, stacks)
				}
			}
		}
		if paid != want {
			t.Fatalf("paid %d of %d", paid, want)
		}
		if again := tournament.Finish(event, left, larger); !slices.Equal(got, again) {
			t.Fatalf("%v, and %v with a thousand times the chips", got, again)
		}
	})
}

var spin = tournament.Spin{
	{Times: 2, Odds: 700, Parts: []int64{10_000}},
	{Times: 5, Odds: 299, Parts: []int64{10_000}},
	{Times: 1000, Odds: 1, Parts: []int64{8000, 1200, 800}},
}

// TestNK33Spin: the table that is shown is the one that is drawn from.
func TestNK33Spin(t *testing.T) {
	if err := spin.Validate(); err != nil {
		t.Fatal(err)
	}
	drawn := map[int64]int64{}
	for n := range spin.Total() {
		drawn[spin.Draw(n).Times]++
	}
	for _, m := range spin {
		if drawn[m.Times] != m.Odds {
			t.Errorf("%d times comes in %d of %d, want %d", m.Times, drawn[m.Times], spin.Total(), m.Odds)
		}
	}
	for number, want := range map[int64]int64{0: 2, 699: 2, 700: 5, 998: 5, 999: 1000} {
		if got := spin.Draw(number).Times; got != want {
			t.Errorf("%d draws %d times, want %d", number, got, want)
		}
	}
	for number, want := range map[int64][]int64{0: {3_02}, 999: {1208_00, 181_20, 120_80}} {
		if got := spin.Draw(number).Prizes(tournament.Entry{Prize: 1_40, Fee: 11}); !slices.Equal(got, want) {
			t.Errorf("%d: prizes %v, want %v", number, got, want)
		}
	}
	for _, number := range []int64{-1, spin.Total()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d was drawn", number)
				}
			}()
			spin.Draw(number)
		}()
	}
}

func TestSpinFaults(t *testing.T) {
	all := []int64{10_000}
	row := func(times, odds int64, parts []int64) error {
		return tournament.Spin{{Times: times, Odds: odds, Parts: parts}}.Validate()
	}
	checkFaults(t, []faulty{
		{"empty", tournament.Spin{}.Validate(), "no multipliers"},
		{"no odds", row(2, 0, all), "row 1: 2 times with odds of 0"},
		{"no multiplier", row(0, 1, all), "row 1: 0 times"},
		{"too large", row(1e6+1, 1, all), "row 1: 1000001 times"},
		{"too likely", row(2, 1e12+1, all), "odds of 1000000000001"},
		{"four prizes", row(2, 1, []int64{2500, 2500, 2500, 2500}), "4 prizes for 3 players"},
	})
}
