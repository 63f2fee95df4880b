package tournament_test

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/tournament"
)

// taken is a set of seats.
func taken(seats ...int) (set uint16) {
	for _, s := range seats {
		set |= 1 << s
	}
	return set
}

// last draws the last of several.
func last(n int) int { return n - 1 }

// TestNK34Rebalance: worked examples of tables that are balanced and broken.
func TestNK34Rebalance(t *testing.T) {
	type tables = []tournament.Table
	type moves = []tournament.Move
	move := func(fromTable, fromSeat, toTable, toSeat int) tournament.Move {
		return tournament.Move{From: tournament.Place{Table: fromTable, Seat: fromSeat}, To: tournament.Place{Table: toTable, Seat: toSeat}}
	}
	for _, tt := range []struct {
		name   string
		seats  int
		tables tables
		want   moves
	}{
		{"nobody", 6, tables{{}, {}}, nil},
		{"one table", 6, tables{{Taken: taken(1, 2)}}, nil},
		{"one player more is balanced", 6, tables{{Taken: taken(1, 2, 3, 4)}, {Taken: taken(1, 2, 3, 4, 5)}}, nil},
		{
			"the next big blind moves to where it is the big blind soonest", 6,
			tables{{Taken: taken(1, 3, 5), BigBlind: 3}, {Taken: taken(1, 2, 3, 5, 6), BigBlind: 3}},
			moves{move(1, 5, 0, 4)},
		},
		{
			"the big blind goes round the table", 6,
			tables{{Taken: taken(1, 5, 6), BigBlind: 6}, {Taken: taken(1, 2, 3, 4, 5), BigBlind: 5}},
			moves{move(1, 1, 0, 2)},
		},
		{
			"before the first hand", 6,
			tables{{Taken: taken(1, 2, 3)}, {Taken: taken(2, 3, 4, 5, 6)}},
			moves{move(1, 2, 0, 4)},
		},
		{
			"two leave the longest table, one after the other, and between equal tables is drawn", 8,
			tables{{Taken: taken(1, 2, 3, 4, 5)}, {Taken: taken(1, 2, 3, 4, 5, 6, 7, 8), BigBlind: 8}, {Taken: taken(1, 2, 3, 4), BigBlind: 3}},
			moves{move(1, 1, 2, 5), move(1, 2, 2, 6)},
		},
		{
			"the shortest table breaks, and its players draw places at the shortest of the others", 4,
			tables{{Taken: taken(2)}, {Taken: taken(1, 2, 3)}, {Taken: taken(1, 2, 4)}},
			moves{move(0, 2, 2, 3)},
		},
		{
			"of equal tables the last breaks", 6,
			tables{{Taken: taken(1, 2)}, {Taken: taken(3, 4)}},
			moves{move(1, 3, 0, 6), move(1, 4, 0, 5)},
		},
		{
			"two tables break at once, and nobody moves twice", 6,
			tables{{Taken: taken(1, 2)}, {Taken: taken(5)}, {Taken: taken(6), BigBlind: 6}},
			moves{move(2, 6, 0, 6), move(1, 5, 0, 5)},
		},
		{
			"a broken table does not do: balance too", 4,
			tables{{Taken: taken(1, 2, 3, 4), BigBlind: 1}, {Taken: taken(2)}, {Taken: taken(3)}},
			moves{move(2, 3, 1, 4), move(0, 2, 1, 1)},
		},
		{"a closed table stays closed", 4, tables{{}, {Taken: taken(1, 2, 3, 4)}, {Taken: taken(1, 2, 3)}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tournament.Rebalance(tt.seats, tt.tables, last)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

// TestRebalanceFaults: seats that a table does not have.
func TestRebalanceFaults(t *testing.T) {
	for _, table := range []tournament.Table{{Taken: taken(7)}, {Taken: 1}, {BigBlind: 7}, {BigBlind: -1}} {
		if got, err := tournament.Rebalance(6, []tournament.Table{{}, table}, last); err == nil {
			t.Errorf("%+v: %v", table, got)
		}
	}
}

// TestNK34RebalanceIsFairAndMinimal: afterwards as few tables as hold everyone differ by at most one player; each move was
// from a taken seat to a free one, nobody moved twice, the tables given are unchanged, and no other choice of tables and
// sizes needs fewer moves. Players of tables that stay move only when they are next to have the big blind.
func TestNK34RebalanceIsFairAndMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seats := rapid.IntRange(2, 10).Draw(t, "seats")
		tables := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tournament.Table {
			return tournament.Table{
				Taken:    rapid.Uint16Range(0, 1<<seats-1).Draw(t, "taken") << 1,
				BigBlind: rapid.IntRange(0, seats).Draw(t, "big blind"),
			}
		}), 0, 6).Draw(t, "tables")
		given := slices.Clone(tables)
		moves, err := tournament.Rebalance(seats, tables, func(n int) int {
			if n < 2 {
				t.Fatalf("asked to draw one of %d", n)
			}
			return rapid.IntRange(0, n-1).Draw(t, "draw")
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tables, given) {
			t.Fatal("the tables given have changed")
		}
		arrived := map[tournament.Place]bool{}
		for _, m := range moves {
			if tables[m.From.Table].Taken&(1<<m.From.Seat) == 0 || tables[m.To.Table].Taken&(1<<m.To.Seat) != 0 || arrived[m.From] {
				t.Fatalf("%v of %v", m, moves)
			}
			arrived[m.To] = true
			tables[m.From.Table].Taken &^= 1 << m.From.Seat
			tables[m.To.Table].Taken |= 1 << m.To.Seat
		}
		for _, m := range moves {
			if tables[m.From.Table].Taken == 0 {
				continue
			}
			for seat := given[m.From.Table].BigBlind%seats + 1; seat != m.From.Seat; seat = seat%seats + 1 {
				if tables[m.From.Table].Taken&(1<<seat) != 0 {
					t.Fatalf("%v has moved, and seat %d is nearer to the big blind", m, seat)
				}
			}
		}
		checkSizes(t, seats, given, tables, len(moves))
	})
}

// checkSizes checks the sizes of tables, and tries every choice of tables that stay for the fewest moves to fair sizes.
func checkSizes(t *rapid.T, seats int, before, after []tournament.Table, moves int) {
	players, open, smallest, largest := 0, 0, seats, 0
	for _, table := range after {
		if n := bits.OnesCount16(table.Taken); n > 0 {
			players += n
			open++
			smallest, largest = min(smallest, n), max(largest, n)
		}
	}
	if players == 0 {
		return
	}
	if open != (players+seats-1)/seats || largest-smallest > 1 {
		t.Fatalf("%d players at %d tables, from %d to %d", players, open, smallest, largest)
	}
	fewest := players
	for stay := range uint(1 << len(before)) {
		if bits.OnesCount(stay) != open {
			continue
		}
		longer := players % open // tables that may have one more, which those do best that have it already
		leave := 0
		for i, table := range before {
			n, fair := bits.OnesCount16(table.Taken), players/open
			switch {
			case stay&(1<<i) == 0:
				leave += n
			case n > fair && longer > 0:
				longer--
				leave += n - fair - 1
			case n > fair:
				leave += n - fair
			}
		}
		fewest = min(fewest, leave)
	}
	if moves != fewest {
		t.Fatalf("%d moves, %d would do", moves, fewest)
	}
}
