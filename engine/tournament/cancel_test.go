package tournament_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/tournament"
)

// TestBR51CancelledSitAndGo: worked examples.
func TestBR51CancelledSitAndGo(t *testing.T) {
	entry := tournament.Entry{Prize: 10_00, Fee: 1_00}
	for _, tt := range []struct {
		name   string
		entry  tournament.Entry
		out    int
		stacks []int64
		want   []int64
	}{
		{"nobody out: entries back", entry, 0, []int64{700, 1500, 800}, []int64{11_00, 11_00, 11_00}},
		{"one left of three", entry, 2, []int64{4500}, []int64{33_00}},
		{"by chips", entry, 3, []int64{1500, 3000, 4500}, []int64{11_00 + 5_50, 11_00 + 11_00, 11_00 + 16_50}},
		// 11.00 by 1:1:1 is 3.66 each, and two cents to the larger stacks: equal, so to the first two
		{"cents, equal stacks", entry, 1, []int64{1500, 1500, 1500}, []int64{14_67, 14_67, 14_66}},
		// 0.01 × 2 by 3:2:2 is nothing each, and two cents to the larger stacks
		{"cents, larger stacks first", tournament.Entry{Prize: 1}, 2, []int64{200, 300, 200}, []int64{2, 2, 1}},
		{"virtual chips without a fee", tournament.Entry{Prize: 500}, 6, []int64{1, 5}, []int64{1000, 3000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tournament.CancelSitAndGo(tt.entry, tt.out, tt.stacks)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

// TestBR52CancelledTournament: worked examples.
func TestBR52CancelledTournament(t *testing.T) {
	entry := tournament.Entry{Prize: 10_00, Fee: 1_00}
	event := []int64{500_00, 300_00, 200_00}
	for _, tt := range []struct {
		name   string
		entry  tournament.Entry
		prizes []int64
		money  int64
		stacks []int64
		want   []int64
	}{
		// the next out is third: 200.00 each; of 400.00, 66.67 each and by chips 100.00, 60.00 and 40.00, 1.00 each
		{
			"three left", entry, event, 1000_00,
			[]int64{5000, 3000, 2000},
			[]int64{200_00 + 66_67 + 100_00 + 1_00, 200_00 + 66_67 + 60_00 + 1_00, 200_00 + 66_66 + 40_00 + 1_00},
		},
		// 300.00 each; of 200.00, 50.00 each and by chips 25.00 and 75.00
		{"two left", entry, event, 800_00, []int64{1000, 3000}, []int64{376_00, 426_00}},
		{"one left", entry, event, 500_00, []int64{9}, []int64{501_00}},
		// before the money: nothing for the next place; of 1000.00, 125.00 each and by chips 250.00, 125.00, 124.87 and 0.12, and the cent left
		{
			"before the money", entry, event, 1000_00,
			[]int64{2000, 1000, 999, 1},
			[]int64{376_01, 251_00, 250_87, 126_12},
		},
		// 101 in halves of 50 and 51: 25 each; 17 and 34
		{"the odd cent is in the half by chips", tournament.Entry{}, nil, 101, []int64{1, 2}, []int64{42, 59}},
		// 11 in halves of 5 and 6: equally 2, 2 and 1 with the odd ones to the larger stacks; by chips 2.4, 2.4 and 1.2
		{"cents to the larger stacks", tournament.Entry{}, nil, 11, []int64{1, 2, 2}, []int64{2, 5, 4}},
		{"too little for the first part: equally", entry, event, 500_01, []int64{5000, 7000, 2000}, []int64{167_67, 167_67, 167_67}},
		{"too little, and cents", tournament.Entry{}, event, 500_00, []int64{5000, 7000, 2000}, []int64{166_67, 166_67, 166_66}},
		{"just enough", tournament.Entry{}, event, 600_00, []int64{5000, 7000, 2000}, []int64{200_00, 200_00, 200_00}},
		{"nothing left to pay", entry, nil, 0, []int64{1, 1}, []int64{1_00, 1_00}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tournament.CancelTournament(tt.entry, tt.prizes, tt.money, tt.stacks)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

// TestCancelledWithoutChips: a player without chips is out, and somebody must be in.
func TestCancelledWithoutChips(t *testing.T) {
	for _, stacks := range [][]int64{nil, {5, 0}, {-1}} {
		if got, err := tournament.CancelSitAndGo(tournament.Entry{}, 1, stacks); err == nil {
			t.Errorf("Sit & Go, %v: %v", stacks, got)
		}
		if got, err := tournament.CancelTournament(tournament.Entry{}, nil, 1, stacks); err == nil {
			t.Errorf("tournament, %v: %v", stacks, got)
		}
	}
}

// checkCancelled checks what holds of every cancelled event: the money is conserved to the cent, and whoever has more chips
// gets no less. scaled is what is paid when everyone has the same multiple of his chips (NK-35).
func checkCancelled(t *rapid.T, pay, scaled, stacks []int64, want int64) {
	var total int64
	for i, p := range pay {
		total += p
		for j, q := range pay {
			if stacks[i] > stacks[j] && p < q {
				t.Fatalf("%v for %v", pay, stacks)
			}
		}
	}
	if total != want {
		t.Fatalf("%v is %d, want %d", pay, total, want)
	}
	if !slices.Equal(pay, scaled) {
		t.Fatalf("%v, and %v with a multiple of the chips", pay, scaled)
	}
}

func times(stacks []int64, n int64) []int64 {
	out := make([]int64, len(stacks))
	for i, s := range stacks {
		out[i] = s * n
	}
	return out
}

// TestBR51Conserves: a cancelled Sit & Go gives back every cent that came in; NK-35: chips count as shares alone.
func TestBR51Conserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := tournament.Entry{Prize: rapid.Int64Range(0, 1e6).Draw(t, "prize"), Fee: rapid.Int64Range(0, 1e6).Draw(t, "fee")}
		out := rapid.IntRange(0, 9).Draw(t, "out")
		stacks := rapid.SliceOfN(rapid.Int64Range(1, 1e9), 1, 10).Draw(t, "stacks")
		pay, err := tournament.CancelSitAndGo(entry, out, stacks)
		scaled, errScaled := tournament.CancelSitAndGo(entry, out, times(stacks, 1000))
		if err != nil || errScaled != nil {
			t.Fatal(err, errScaled)
		}
		checkCancelled(t, pay, scaled, stacks, int64(out+len(stacks))*entry.Total())
	})
}

// TestBR52Conserves: a cancelled tournament pays out the money that was left and the fees of those left, to the cent, and
// to everyone no less than the next place; NK-35: chips count as shares alone.
func TestBR52Conserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := tournament.Entry{Fee: rapid.Int64Range(0, 1e6).Draw(t, "fee")}
		stacks := rapid.SliceOfN(rapid.Int64Range(1, 1e9), 1, 30).Draw(t, "stacks")
		event := rapid.SliceOfN(rapid.Int64Range(0, 1e6), 0, 30).Draw(t, "prizes")
		slices.SortFunc(event, func(a, b int64) int { return int(b - a) })
		n := int64(len(stacks))
		var money, next int64
		for _, p := range event[:min(len(stacks), len(event))] {
			money += p
		}
		if len(stacks) <= len(event) {
			next = event[n-1]
		}
		if rapid.Bool().Draw(t, "short") {
			money = rapid.Int64Range(0, money).Draw(t, "money")
			next = 0
		}
		pay, err := tournament.CancelTournament(entry, event, money, stacks)
		scaled, errScaled := tournament.CancelTournament(entry, event, money, times(stacks, 1000))
		if err != nil || errScaled != nil {
			t.Fatal(err, errScaled)
		}
		checkCancelled(t, pay, scaled, stacks, money+n*entry.Fee)
		if least := slices.Min(pay); least < next+entry.Fee {
			t.Fatalf("%v: the next place pays %d", pay, next)
		}
	})
}
