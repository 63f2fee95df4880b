package tournament

import (
	"fmt"
	"math/bits"
	"slices"
)

// Table is who sits at one table of a tournament between two hands.
type Table struct {
	// Taken are the seats taken, bit n for seat n, as engine.Seats.
	Taken uint16
	// BigBlind is the seat that had the big blind last, 0 before the first hand.
	BigBlind int
}

// Place is a seat at a table, by the table's index among those given.
type Place struct{ Table, Seat int }

// Move is a player who changes seats.
type Move struct{ From, To Place }

// Rebalance says who moves where, so that a tournament's players sit at as few tables as hold them, and no two of these
// differ by more than one player (NK-34). No move could be spared, nobody moves twice, and moves are to be carried out in
// order, each player's before his next hand. seats is the number of seats that every table has. Tables without players are
// closed and stay so. It is an error if a table has a seat taken that it does not have.
//
// Decisions, as the text says no more than that tables are balanced and broken:
//   - a table breaks as soon as the others have room; that with the fewest players, of equal ones the last given;
//   - who comes from a broken table draws his place: a table among the shortest, a free seat there (random seating);
//   - to balance, the player who would have the next big blind leaves the longest table, for the free seat of the shortest
//     that gets the big blind soonest, so that nobody escapes a blind by moving; equal tables are drawn.
//
// draw(n) is a number from 0 to n-1, each equally likely, from the tournament's recorded random source; it is asked only
// where there is a choice, n above 1.
func Rebalance(seats int, tables []Table, draw func(n int) int) ([]Move, error) {
	for i, t := range tables {
		if t.Taken&^(1<<(seats+1)-2) != 0 || t.BigBlind < 0 || t.BigBlind > seats {
			return nil, fmt.Errorf("table %d: seats %#b taken, big blind in seat %d: there are seats 1 to %d", i, t.Taken, t.BigBlind, seats)
		}
	}
	r := room{seats: seats, tables: slices.Clone(tables), draw: draw}
	r.breakTables()
	r.balance()
	return r.moves, nil
}

// room is a tournament's tables while players move.
type room struct {
	seats  int
	tables []Table
	open   []int // tables that stay, in the order given
	draw   func(n int) int
	moves  []Move
}

// breakTables keeps the longest tables, as many as hold everyone, and seats the players of the others there.
func (r *room) breakTables() {
	players := 0
	order := make([]int, len(r.tables))
	for i := range r.tables {
		players += r.size(i)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.size(b) - r.size(a) })
	keep := (players + r.seats - 1) / r.seats
	r.open = slices.Sorted(slices.Values(order[:keep]))
	for _, broken := range slices.Backward(order[keep:]) {
		for _, seat := range r.list(broken, true) {
			to := r.pick(r.shortest())
			r.move(Place{broken, seat}, Place{to, r.pick(r.list(to, false))})
		}
	}
}

// balance moves players from the longest table to the shortest until they differ by no more than one.
func (r *room) balance() {
	for len(r.open) > 0 {
		short, long := r.shortest(), r.longest()
		if r.size(long[0])-r.size(short[0]) <= 1 {
			return
		}
		from, to := r.pick(long), r.pick(short)
		r.move(Place{from, r.list(from, true)[0]}, Place{to, r.list(to, false)[0]})
	}
}

func (r *room) move(from, to Place) {
	r.tables[from.Table].Taken &^= 1 << from.Seat
	r.tables[to.Table].Taken |= 1 << to.Seat
	r.moves = append(r.moves, Move{from, to})
}

// pick chooses one of several.
func (r *room) pick(from []int) int {
	if len(from) == 1 {
		return from[0]
	}
	return from[r.draw(len(from))]
}

func (r *room) size(table int) int { return bits.OnesCount16(r.tables[table].Taken) }

// shortest and longest are the open tables with the fewest and with the most players.
func (r *room) shortest() []int { return r.extreme(func(a, b int) bool { return a < b }) }
func (r *room) longest() []int  { return r.extreme(func(a, b int) bool { return a > b }) }

func (r *room) extreme(beats func(a, b int) bool) (tables []int) {
	for _, t := range r.open {
		switch {
		case len(tables) == 0 || beats(r.size(t), r.size(tables[0])):
			tables = []int{t}
		case r.size(t) == r.size(tables[0]):
			tables = append(tables, t)
		}
	}
	return tables
}

// list are the seats of a table that are taken, or free, that which gets the big blind soonest first.
func (r *room) list(table int, taken bool) (seats []int) {
	t := r.tables[table]
	for i := range r.seats {
		if seat := (t.BigBlind+i)%r.seats + 1; t.Taken&(1<<seat) != 0 == taken {
			seats = append(seats, seat)
		}
	}
	return seats
}
