package rake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/rake"
)

// row finds a row of Noxwin's table.
func row(t *testing.T, limit string, stakes int64) *rake.Row {
	t.Helper()
	r, err := rake.Noxwin.Row(limit, stakes)
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

// TestNoxwinTables holds the published tables against worked examples: NX-31, NX-32, NX-33, NX-34.
func TestNoxwinTables(t *testing.T) {
	for _, tt := range []struct {
		limit   string
		stakes  int64
		rule    string
		pot     int64
		players int
		want    int64
	}{
		{"no-limit", 100, "NX-31", 0, 2, 0},
		{"no-limit", 100, "NX-31", 19, 2, 0},
		{"no-limit", 100, "NX-31", 20, 2, 1},
		{"no-limit", 100, "NX-31", 399, 2, 19},
		{"no-limit", 100, "NX-31", 400, 2, 20},
		{"no-limit", 100, "NX-31", 499, 2, 20},
		{"no-limit", 100, "NX-31", 500, 2, 25},
		{"no-limit", 100, "NX-31", 1499, 2, 70},
		{"no-limit", 100, "NX-31", 1500, 2, 75},
		{"no-limit", 100, "NX-31", 1600, 2, 75},
		{"pot", 100, "NX-31", 1600, 3, 80},
		{"pot", 100, "NX-31", 1e6, 3, 200},
		{"pot", 100, "NX-31", 1e6, 4, 200},
		{"half-pot", 100, "NX-31", 5900, 5, 295},
		{"half-pot", 100, "NX-31", 1e6, 5, 300},
		{"half-pot", 100, "NX-31", 1e6, 10, 300},

		{"fixed", 2, "NX-32", 199, 2, 9},
		{"fixed", 2, "NX-32", 200, 2, 10},
		{"fixed", 2, "NX-32", 299, 2, 10},
		{"fixed", 50, "NX-32", 1e6, 2, 75},
		{"spread", 50, "NX-32", 1e6, 3, 75},
		{"spread", 50, "NX-32", 1900, 4, 95},
		{"spread", 50, "NX-32", 1e6, 4, 100},
		{"fixed", 50, "NX-32", 1e6, 10, 100},

		{"fixed", 100, "NX-33", 499, 4, 0},
		{"fixed", 100, "NX-33", 500, 4, 25},
		{"fixed", 100, "NX-33", 1999, 4, 75},
		{"spread", 100, "NX-33", 1e6, 3, 75},
		{"spread", 100, "NX-33", 1e6, 4, 200},

		{"fixed", 200, "NX-34", 999, 8, 0},
		{"fixed", 200, "NX-34", 1000, 8, 50},
		{"fixed", 200, "NX-34", 1e6, 3, 75},
		{"fixed", 5000, "NX-34", 1e6, 4, 200},
	} {
		r := row(t, tt.limit, tt.stakes)
		if r.Name != tt.rule {
			t.Errorf("%s with stakes of %d uses %s, want %s", tt.limit, tt.stakes, r.Name, tt.rule)
		}
		if got := r.Take(tt.pot, tt.players); got != tt.want {
			t.Errorf("%s: a pot of %d with %d players pays %d, want %d", tt.rule, tt.pot, tt.players, got, tt.want)
		}
	}
}

// TestNX35StakesBetweenRows: stakes between two rows use the lower, below the lowest that one.
func TestNX35StakesBetweenRows(t *testing.T) {
	for stakes, want := range map[int64]string{
		1: "NX-32", 2: "NX-32", 75: "NX-32", 99: "NX-32", 100: "NX-33", 150: "NX-33", 199: "NX-33", 200: "NX-34", 1e6: "NX-34",
	} {
		if got := row(t, "fixed", stakes).Name; got != want {
			t.Errorf("stakes of %d use %s, want %s", stakes, got, want)
		}
	}
	if _, err := rake.Noxwin.Row("auction", 100); err == nil || !strings.Contains(err.Error(), "auction") {
		t.Errorf("a limit without a row: %v", err)
	}
}

// TestNX35MainPotFirst: the rake comes from the main pot, then from side pots in order of creation.
func TestNX35MainPotFirst(t *testing.T) {
	for _, tt := range []struct {
		rake int64
		pots []int64
		want []int64
	}{
		{0, []int64{50}, []int64{0}},
		{10, []int64{100, 40}, []int64{10, 0}},
		{75, []int64{50, 20, 1000}, []int64{50, 20, 5}},
		{70, []int64{50, 20}, []int64{50, 20}},
	} {
		if got := rake.Spread(tt.rake, tt.pots); !slices.Equal(got, tt.want) {
			t.Errorf("%d from %v: %v, want %v", tt.rake, tt.pots, got, tt.want)
		}
	}
}

// TestP4CapPerHand: three all-in for 30, 100 and 100, rake of 10 % capped at 5: 5 for the hand, not for each pot.
func TestP4CapPerHand(t *testing.T) {
	r := rake.Row{
		Limits: []string{"no-limit"}, Steps: []rake.Step{{Take: 1, Per: 10}}, Caps: []rake.ForPlayers{{From: 2, Amount: 5}},
	}
	pots := []int64{90, 140}
	take := r.Take(pots[0]+pots[1], 3)
	if paid := rake.Spread(take, pots); take != 5 || !slices.Equal(paid, []int64{5, 0}) {
		t.Errorf("takes %d, %v of the pots", take, paid)
	}
}

// TestP3RakeOfTwoEuros: the case's pot of 2.00 pays 0.10.
func TestP3RakeOfTwoEuros(t *testing.T) {
	for _, limit := range []string{"no-limit", "fixed"} {
		if got := row(t, limit, 10).Take(200, 4); got != 10 {
			t.Errorf("%s: pays %d, want 10", limit, got)
		}
	}
}

// TestP5UncalledIsNotRaked: a bet of 2.54 called for 2.20 makes a pot of 4.40, since 0.34 went back first (NX-35).
func TestP5UncalledIsNotRaked(t *testing.T) {
	if got := row(t, "no-limit", 10).Take(254+220-34, 2); got != 20 {
		t.Errorf("pays %d, want 20", got)
	}
}

// TestNX30PlayMoney: the empty table takes nothing, whatever the limit.
func TestNX30PlayMoney(t *testing.T) {
	r, err := rake.Table{}.Row("no-limit", 100)
	if err != nil || r.Take(1e9, 9) != 0 {
		t.Errorf("takes %d, %v", r.Take(1e9, 9), err)
	}
}

// TestNX30Timing: what must have been dealt or exchanged before a hand is raked.
func TestNX30Timing(t *testing.T) {
	for _, tt := range []struct {
		hand string
		at   rake.Progress
		need rake.Progress
		want bool
	}{
		{"holdem before the flop", rake.Progress{Cards: 2}, rake.Flop, false},
		{"holdem on the flop", rake.Progress{Cards: 2, Board: 3}, rake.Flop, true},
		{"omaha before the flop", rake.Progress{Cards: 4}, rake.Flop, false},
		{"soko, two cards", rake.Progress{Cards: 2}, rake.ThirdCard, false},
		{"americana, third card", rake.Progress{Cards: 3}, rake.ThirdCard, true},
		{"telesina with the Vela", rake.Progress{Cards: 5, Board: 1}, rake.ThirdCard, true},
		{"stud, three cards", rake.Progress{Cards: 3}, rake.FourthCard, false},
		{"stud, fourth card", rake.Progress{Cards: 4}, rake.FourthCard, true},
		{"draw5 before the draw", rake.Progress{Cards: 5}, rake.Exchange, false},
		{"draw5, one card exchanged", rake.Progress{Cards: 5, Exchanged: 1}, rake.Exchange, true},
		{"a game that asks for nothing", rake.Progress{}, rake.Progress{}, true},
	} {
		if got := tt.at.Reached(tt.need); got != tt.want {
			t.Errorf("%s: raked is %v, want %v", tt.hand, got, tt.want)
		}
	}
}

// configured is a table with thresholds, as a house like betrebels brings by configuration.
var configured = rake.Table{{
	Name: "hold'em", Limits: []string{"no-limit"}, Steps: []rake.Step{{Take: 5, Per: 100}},
	Caps:       []rake.ForPlayers{{From: 2, Amount: 100}, {From: 4, Amount: 300}},
	Thresholds: []rake.ForPlayers{{From: 2, Amount: 100}, {From: 4, Amount: 250}},
}}

// TestBR60Threshold: no rake below the pot that is configured for the number of players.
func TestBR60Threshold(t *testing.T) {
	r, err := configured.Row("no-limit", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pot     int64
		players int
		want    int64
	}{
		{99, 2, 0},
		{100, 2, 5},
		{249, 3, 10},
		{249, 4, 0},
		{250, 4, 10},
		{1e6, 3, 100},
		{1e6, 9, 300},
	} {
		if got := r.Take(tt.pot, tt.players); got != tt.want {
			t.Errorf("a pot of %d with %d players pays %d, want %d", tt.pot, tt.players, got, tt.want)
		}
	}
}

// TestBR60FoldedBeforeFlop: when everyone folds to a raise before the flop nothing is taken, however big the pot.
func TestBR60FoldedBeforeFlop(t *testing.T) {
	folded := rake.Progress{Cards: 2}
	if folded.Reached(rake.Flop) {
		t.Error("a hand without a flop is raked")
	}
}

// TestBR60Active: who generated at least one cent of the rake is active.
func TestBR60Active(t *testing.T) {
	for _, tt := range []struct {
		rake int64
		put  []int64
		want []int64
	}{
		{20, []int64{200, 200, 0}, []int64{10, 10, 0}},
		{20, []int64{195, 195, 10}, []int64{9, 9, 0}}, // the small blind generated half a cent
		{20, []int64{190, 190, 20}, []int64{9, 9, 1}},
		{0, []int64{5, 5}, []int64{0, 0}},
		{0, []int64{0, 0}, []int64{0, 0}},
		{3e12, []int64{1e15, 2e15}, []int64{1e12, 2e12}},
	} {
		if got := rake.Generated(tt.rake, tt.put); !slices.Equal(got, tt.want) {
			t.Errorf("%d from %v: %v, want %v", tt.rake, tt.put, got, tt.want)
		}
	}
}

// TestTC01PublishedTablesPass: the tables of the catalogue give back 90 %, and so does the empty one.
func TestTC01PublishedTablesPass(t *testing.T) {
	for _, table := range []rake.Table{{}, rake.Noxwin, configured} {
		if err := table.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// TestTC01Refused: a table that could take more than a tenth of some pot is refused with the row and the pot (R26), and one
// that is not well formed with what is wrong.
func TestTC01Refused(t *testing.T) {
	tenPercent := []rake.Step{{Take: 10, Per: 100}}
	for _, tt := range []struct {
		name  string
		table rake.Table
		want  string
	}{
		{
			"11 %",
			rake.Table{{Name: "high", Limits: []string{"pot"}, Steps: []rake.Step{{Take: 11, Per: 100}}}},
			"rake row 1 (high): a pot of 100 with 2 players would pay 11, more than a tenth",
		},
		{
			"small pots only",
			rake.Table{{Limits: []string{"pot"}, Steps: []rake.Step{{Below: 60, Take: 3, Per: 20}, {Take: 5, Per: 100}}}},
			"a pot of 20 with 2 players would pay 3",
		},
		{
			"saved by the threshold, but not for six players",
			rake.Table{{
				Limits: []string{"pot"}, Steps: []rake.Step{{Take: 20, Per: 100}}, Caps: []rake.ForPlayers{{From: 2, Amount: 40}},
				Thresholds: []rake.ForPlayers{{From: 2, Amount: 400}, {From: 6, Amount: 300}},
			}},
			"a pot of 300 with 6 players would pay 40",
		},
		{
			"cap too high for three players",
			rake.Table{
				{Limits: []string{"pot"}, Steps: tenPercent},
				{Name: "b", Limits: []string{"fixed"}, Steps: []rake.Step{{Take: 50, Per: 100}}, Caps: []rake.ForPlayers{{From: 2, Amount: 10}, {From: 3, Amount: 11}}},
			},
			"rake row 2 (b): a pot of 100 with 3 players would pay 11",
		},
		{"no limits", rake.Table{{Steps: tenPercent}}, "limits: none given"},
		{"no steps", rake.Table{{Limits: []string{"pot"}}}, "steps: none given"},
		{"negative stakes", rake.Table{{Limits: []string{"pot"}, Stakes: -1, Steps: tenPercent}}, "stakes: -1"},
		{"per nothing", rake.Table{{Limits: []string{"pot"}, Steps: []rake.Step{{Take: 0}}}}, "steps[0]: cannot take 0 per 0"},
		{"more than all", rake.Table{{Limits: []string{"pot"}, Steps: []rake.Step{{Take: 2, Per: 1}}}}, "steps[0]: cannot take 2 per 1"},
		{"an end to the last step", rake.Table{{Limits: []string{"pot"}, Steps: []rake.Step{{Below: 9, Take: 1, Per: 10}}}}, "steps[0]: the last step"},
		{
			"steps out of order",
			rake.Table{{Limits: []string{"pot"}, Steps: []rake.Step{{Below: 9, Per: 10}, {Below: 9, Per: 10}, {Per: 10}}}},
			"steps[1]: ends below 9",
		},
		{
			"caps from three players on",
			rake.Table{{Limits: []string{"pot"}, Steps: tenPercent, Caps: []rake.ForPlayers{{From: 3, Amount: 1}}}},
			"caps[0]: begins at 3",
		},
		{
			"thresholds out of order",
			rake.Table{{Limits: []string{"pot"}, Steps: tenPercent, Thresholds: []rake.ForPlayers{{From: 2}, {From: 2}}}},
			"thresholds[1]: 2 players does not come after 2",
		},
		{
			"a negative cap",
			rake.Table{{Limits: []string{"pot"}, Steps: tenPercent, Caps: []rake.ForPlayers{{From: 2, Amount: -1}}}},
			"caps[0]: -1",
		},
		{
			"two rows for the same stakes",
			rake.Table{
				{Limits: []string{"pot", "fixed"}, Stakes: 5, Steps: tenPercent},
				{Limits: []string{"fixed"}, Stakes: 5, Steps: tenPercent},
			},
			"rake row 2 (): stakes: 5 does not come after the 5 of row 1, for fixed too",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.table.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestEveryFaultIsReported: one load of a configuration shows all of them.
func TestEveryFaultIsReported(t *testing.T) {
	err := rake.Table{{Name: "a"}, {Name: "b", Limits: []string{"pot"}}}.Validate()
	if err == nil || !strings.Contains(err.Error(), "row 1 (a)") || !strings.Contains(err.Error(), "row 2 (b)") {
		t.Error(err)
	}
}

// anyRow draws a well formed row of small numbers, so that every pot of interest can be tried.
func anyRow(t *rapid.T) rake.Row {
	list := func(name string) []rake.ForPlayers {
		var out []rake.ForPlayers
		for from := 2; from <= 10 && rapid.Bool().Draw(t, name); from += rapid.IntRange(1, 4).Draw(t, name+" players") {
			out = append(out, rake.ForPlayers{From: from, Amount: rapid.Int64Range(0, 60).Draw(t, name+" amount")})
		}
		return out
	}
	step := func(below int64) rake.Step {
		per := rapid.Int64Range(1, 40).Draw(t, "per")
		return rake.Step{Below: below, Per: per, Take: rapid.Int64Range(0, (per+6)/7).Draw(t, "take")}
	}
	r := rake.Row{Limits: []string{"pot"}, Caps: list("caps"), Thresholds: list("thresholds")}
	for below := int64(0); len(r.Steps) < 3 && rapid.Bool().Draw(t, "another step"); {
		below += rapid.Int64Range(1, 80).Draw(t, "length")
		r.Steps = append(r.Steps, step(below))
	}
	r.Steps = append(r.Steps, step(0))
	return r
}

// TestTC01AgainstEveryPot: Validate refuses exactly the rows of which some pot, tried one by one, would pay more than a
// tenth, and the pot it names is one.
func TestTC01AgainstEveryPot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRow(t)
		err := rake.Table{r}.Validate()
		unfair := false
		for players := 2; players <= 11 && !unfair; players++ {
			for pot := int64(0); pot <= 400 && !unfair; pot++ {
				unfair = r.Take(pot, players)*10 > pot
			}
		}
		if unfair != (err != nil) {
			t.Fatalf("some pot pays too much is %v, Validate says: %v", unfair, err)
		}
		if err == nil {
			return
		}
		var pot, take int64
		var players int
		text := err.Error()
		format := "a pot of %d with %d players would pay %d,"
		if _, err := fmt.Sscanf(text[strings.Index(text, "a pot"):], format, &pot, &players, &take); err != nil {
			t.Fatal(err)
		}
		if r.Take(pot, players) != take || take*10 <= pot {
			t.Fatalf("%s: it pays %d", text, r.Take(pot, players))
		}
	})
}

// TestNoxwinIsMonotone: a larger pot never pays less, nor more than its row's cap; more players never pay less.
func TestNoxwinIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(rake.Noxwin).Draw(t, "row")
		pot := rapid.Int64Range(0, 10_000).Draw(t, "pot")
		more := pot + rapid.Int64Range(0, 1000).Draw(t, "more")
		players := rapid.IntRange(2, 10).Draw(t, "players")
		take := r.Take(pot, players)
		if take > r.Take(more, players) || take > r.Take(pot, players+1) || take > r.Caps[len(r.Caps)-1].Amount || take*20 > pot {
			t.Fatalf("a pot of %d with %d players pays %d", pot, players, take)
		}
	})
}

// TestSpreadConserves: the pots together pay the rake, none more than it holds, and none before one that has some left.
func TestSpreadConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pots := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 10).Draw(t, "pots")
		var sum, total int64
		for _, p := range pots {
			total += p
		}
		take := rapid.Int64Range(0, total).Draw(t, "rake")
		open := false
		for i, p := range rake.Spread(take, pots) {
			if p < 0 || p > pots[i] || open && p > 0 {
				t.Fatalf("pot %d of %v pays %d of a rake of %d", i, pots, p, take)
			}
			open = open || p < pots[i]
			sum += p
		}
		if sum != take {
			t.Fatalf("the pots pay %d of a rake of %d", sum, take)
		}
	})
}

// TestBR60GeneratedNeverMore: what players generated is never more than the rake, and never less by as many cents as there
// are players.
func TestBR60GeneratedNeverMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		put := rapid.SliceOfN(rapid.Int64Range(0, 1e15), 1, 10).Draw(t, "put")
		var sum, pot int64
		for _, p := range put {
			pot += p
		}
		take := rapid.Int64Range(0, pot/10).Draw(t, "rake")
		for _, g := range rake.Generated(take, put) {
			sum += g
		}
		if sum > take || take-sum >= int64(len(put)) {
			t.Fatalf("%d generated of a rake of %d", sum, take)
		}
	})
}
