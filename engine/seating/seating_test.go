package seating_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/seating"
)

// room is a table with both of its states, kept as a controller keeps them.
type room struct {
	t     rapid.TB
	s     seating.State
	table engine.State
	now   int64
}

const minute = int64(time.Minute / time.Millisecond)

// open is a table of hold'em with blinds of 1 and 2, three open seats of five, and buy-ins from 20 to 200.
func open(t rapid.TB, change func(*seating.Rules)) *room {
	t.Helper()
	game, err := engine.GameNamed("holdem")
	if err != nil {
		t.Fatal(err)
	}
	rules := engine.Rules{Game: game, House: house(t, "tda"), Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2}}
	between := seating.For(&rules)
	between.MinBuyIn, between.MaxBuyIn, between.SitOut, between.BuyInRule = 20, 200, 15*minute, "TC-07"
	between.Open = engine.Seats(0).With(1).With(2).With(3)
	if change != nil {
		change(&between)
	}
	return &room{t: t, s: seating.State{Rules: &between}, table: engine.State{Rules: &rules}, now: 1}
}

func house(t rapid.TB, name string) *engine.House {
	t.Helper()
	h, err := engine.HouseNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// put puts an input to the table, and checks what must hold of every one.
func (r *room) put(in seating.Input) ([]seating.Event, error) {
	r.t.Helper()
	in.Now = r.now
	before := seating.Replay(r.s, nil)
	s, events, err := seating.Apply(r.s, r.table, in)
	if !same(r.s, before) {
		r.t.Fatalf("%+v changed the state it was given", in)
	}
	if err != nil {
		if len(events) > 0 || !same(s, before) {
			r.t.Fatalf("%+v was refused and changed the state", in)
		}
		return nil, err
	}
	if again := seating.Replay(r.s, events); !same(again, s) {
		r.t.Fatalf("replayed after %+v:\n%+v\nwant\n%+v", in, again, s)
	}
	for _, e := range events {
		for _, in := range e.Inputs(r.table) {
			if r.table, _, err = engine.Apply(r.table, in); err != nil {
				r.t.Fatalf("the engine refuses what %+v means: %v", e, err)
			}
		}
	}
	r.s = s
	return events, nil
}

func same(a, b seating.State) bool {
	return reflect.DeepEqual(seating.Replay(a, nil), seating.Replay(b, nil))
}

// ok puts an input that must be taken, and gives the events in short.
func (r *room) ok(in seating.Input) string {
	r.t.Helper()
	events, err := r.put(in)
	if err != nil {
		r.t.Fatalf("%+v refused: %v", in, err)
	}
	return short(events)
}

// no puts an input that must be refused with a code and a rule.
func (r *room) no(in seating.Input, code engine.Code, rule string) {
	r.t.Helper()
	_, err := r.put(in)
	refusal, ok := errors.AsType[*engine.RuleError](err)
	if !ok || refusal.Code != code || refusal.Rule != rule || refusal.Text == "" {
		r.t.Errorf("%+v: %#v, want %s by %s", in, err, code, rule)
	}
}

func (r *room) want(got, want string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("got %q, want %q", got, want)
	}
}

func short(events []seating.Event) string {
	var out []string
	for _, e := range events {
		text := string(e.Kind)
		if e.Seat != 0 {
			text += fmt.Sprint(" ", e.Seat)
		}
		if e.To != 0 {
			text += fmt.Sprint(" to ", e.To)
		}
		if e.Player != "" {
			text += " " + e.Player
		}
		if e.Amount != 0 {
			text += fmt.Sprint(" ", e.Amount)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func sit(seat engine.Seat, player string, amount engine.Chips) seating.Input {
	return seating.Input{Kind: seating.SeatAsked, Seat: seat, Player: player, Amount: amount}
}

func add(seat engine.Seat, amount engine.Chips) seating.Input {
	return seating.Input{Kind: seating.ChipsAsked, Seat: seat, Amount: amount}
}

func leave(seat engine.Seat) seating.Input {
	return seating.Input{Kind: seating.LeaveAsked, Seat: seat}
}

func move(seat, to engine.Seat) seating.Input {
	return seating.Input{Kind: seating.MoveAsked, Seat: seat, To: to}
}

func list(player string) seating.Input {
	return seating.Input{Kind: seating.ListAsked, Player: player}
}

var passed = seating.Input{Kind: seating.TimePassed}

// hand begins a hand, over ends it and lets what follows happen.
func (r *room) hand() {
	r.t.Helper()
	r.engine(engine.Input{Kind: engine.HandStarted})
}

func (r *room) over() string {
	r.t.Helper()
	r.engine(engine.Input{Kind: engine.HandVoided})
	return r.ok(passed)
}

func (r *room) engine(in engine.Input) {
	r.t.Helper()
	var err error
	if r.table, _, err = engine.Apply(r.table, in); err != nil {
		r.t.Fatal(err)
	}
}

// wins moves chips from one stack to another, as a hand does.
func (r *room) wins(winner, loser engine.Seat, amount engine.Chips) {
	r.table.Seats[winner].Stack += amount
	r.table.Seats[loser].Stack -= amount
}

func TestBuyInsByHouse(t *testing.T) {
	fixed := func(small, big engine.Chips) engine.Stakes {
		return engine.Stakes{SmallBlind: small / 2, BigBlind: small, SmallBet: small, BigBet: big}
	}
	blinds := func(small, big engine.Chips) engine.Stakes { return engine.Stakes{SmallBlind: small, BigBlind: big} }
	for _, tc := range []struct {
		rule, house      string
		limit            engine.Limit
		stakes           engine.Stakes
		least, most, cap engine.Chips
	}{
		{"NX-04", "noxwin", engine.FixedLimit, fixed(25, 50), 300, 0, 0},
		{"NX-04", "noxwin", engine.FixedLimit, fixed(100, 200), 1000, 0, 0},
		{"NX-04", "noxwin", engine.FixedLimit, fixed(200, 400), 2000, 0, 0},
		{"NX-04", "noxwin", engine.FixedLimit, fixed(300, 600), 3000, 0, 0},
		{"NX-04", "noxwin", engine.FixedLimit, fixed(500, 1000), 5000, 0, 0},
		{"NX-04", "noxwin", engine.FixedLimit, fixed(1000, 2000), 10000, 0, 0},
		{"NX-04", "noxwin", engine.FixedLimit, engine.Stakes{BringIn: 50, SmallBet: 100, BigBet: 200}, 1000, 0, 0},
		{"NX-04", "noxwin", engine.NoLimit, blinds(50, 100), 1000, 10000, 0},
		{"BR-30", "betrebels", engine.FixedLimit, fixed(100, 200), 1000, 0, 0},
		{"BR-30", "betrebels", engine.NoLimit, blinds(100, 200), 2000, 20000, 0},
		{"BR-30", "betrebels", engine.PotLimit, blinds(1, 2), 20, 200, 0},
		{"BR-30", "betrebels", engine.PotLimit, blinds(5, 10), 100, 1000, 0},
		{"TC-07", "cash", engine.NoLimit, blinds(50, 100), 1000, 10000, 1000_00},
		{"", "tda", engine.NoLimit, blinds(50, 100), 0, 0, 0},
	} {
		t.Run(fmt.Sprint(tc.rule, " ", tc.house, " ", tc.limit, tc.stakes), func(t *testing.T) {
			got := seating.For(&engine.Rules{House: house(t, tc.house), Limit: tc.limit, Stakes: tc.stakes})
			if got.MinBuyIn != tc.least || got.MaxBuyIn != tc.most || got.SessionCap != tc.cap || got.BuyInRule != tc.rule {
				t.Errorf("got %+v", got)
			}
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
			if got.ReEntry != 6*60*minute || got.Offer != minute {
				t.Errorf("remembered for %d ms, offers for %d ms", got.ReEntry, got.Offer)
			}
		})
	}
}

// NX-04, BR-30, TC-07: who sits down brings what the table allows.
func TestNX04BuyInsAreBounded(t *testing.T) {
	for _, rule := range []string{"NX-04", "BR-30", "TC-07"} {
		t.Run(rule, func(t *testing.T) {
			r := open(t, func(r *seating.Rules) { r.BuyInRule = rule })
			r.no(sit(1, "ada", 19), engine.CodeTooLittle, rule)
			r.no(sit(1, "ada", 201), engine.CodeTooMuch, rule)
			r.no(sit(1, "ada", 0), engine.CodeBadAmount, "")
			r.no(sit(1, "ada", engine.MaxChips+1), engine.CodeBadAmount, "")
			r.want(r.ok(sit(1, "ada", 20)), "player_sat 1 ada 20")
			r.want(r.ok(sit(2, "bea", 200)), "player_sat 2 bea 200")
		})
	}
}

// TC-07, R26: buy-in and additions of a session stay within the cap, also for who stands up in between.
func TestTC07SessionCap(t *testing.T) {
	r := open(t, func(r *seating.Rules) { r.SessionCap = 300 })
	r.ok(sit(1, "ada", 200))
	r.ok(sit(2, "bea", 100))
	r.wins(2, 1, 200)
	r.no(add(1, 101), seating.CodeSessionCap, "TC-07")
	r.hand2(3, 4)
	r.no(add(1, 101), seating.CodeSessionCap, "TC-07")
	r.want(r.over(), "")
	r.want(r.ok(add(1, 60)), "chips_added 1 60, came_back 1")
	r.wins(2, 1, 30)
	r.want(r.ok(leave(1)), "leave_planned 1, player_left 1 ada 30")
	r.no(sit(1, "ada", 71), seating.CodeSessionCap, "TC-07") // 260 brought, 30 of it taken away: 41 more
	r.want(r.ok(sit(1, "ada", 70)), "player_sat 1 ada 70")
	r.no(add(1, 1), seating.CodeSessionCap, "TC-07")
	r.ok(leave(1))
	r.now += 6 * 60 * minute
	r.want(r.ok(sit(1, "ada", 200)), "player_sat 1 ada 200")
}

// hand2 begins a hand of two more players.
func (r *room) hand2(a, b engine.Seat) {
	r.t.Helper()
	r.ok(sit(a, fmt.Sprint("p", a), 100))
	r.ok(sit(b, fmt.Sprint("p", b), 100))
	r.hand()
}

// Won money that is carried back in is a stake too.
func TestTC07WonMoneyCounts(t *testing.T) {
	r := open(t, func(r *seating.Rules) { r.SessionCap, r.MaxBuyIn = 250, 0 })
	r.ok(sit(1, "ada", 100))
	r.ok(sit(2, "bea", 200))
	r.wins(1, 2, 130)
	r.ok(leave(1))
	r.ok(sit(1, "ada", 230))
	r.no(add(1, 21), seating.CodeSessionCap, "TC-07")
	r.want(r.ok(add(1, 20)), "chips_added 1 20")
}

// TC-33, BR-31: what is asked in a hand is done at its end, if the stack is below the maximum then.
func TestTC33TopUps(t *testing.T) {
	for _, rule := range []string{"TC-33", "BR-31"} {
		t.Run(rule, func(t *testing.T) {
			r := open(t, nil)
			r.ok(sit(1, "ada", 150))
			r.ok(sit(2, "bea", 200))
			r.no(add(1, 51), engine.CodeTooMuch, "TC-33")
			r.no(add(2, 1), seating.CodeAtMaximum, "TC-33")
			r.no(add(3, 1), engine.CodeSeatEmpty, "")
			r.no(add(1, 0), engine.CodeBadAmount, "")
			r.want(r.ok(add(1, 10)), "chips_added 1 10")
			r.hand()
			r.no(add(1, 201), engine.CodeTooMuch, "TC-33")
			r.want(r.ok(add(1, 10)), "chips_planned 1 10")
			r.want(r.ok(add(1, 90)), "chips_planned 1 90")
			r.want(r.ok(add(2, 20)), "chips_planned 2 20")
			chips := r.table.Chips()
			r.want(r.ok(passed), "")
			if r.table.Chips() != chips {
				t.Errorf("%d chips in the hand, want %d", r.table.Chips(), chips)
			}
			r.want(r.over(), "chips_added 1 40, chips_dropped 2")
			if r.table.Seats[1].Stack != 200 || r.table.Seats[2].Stack != 200 {
				t.Errorf("stacks %d and %d", r.table.Seats[1].Stack, r.table.Seats[2].Stack)
			}
		})
	}
}

// TC-33: who lost all buys in again, for the minimum at least.
func TestTC33ReBuys(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(1, "ada", 50))
	r.ok(sit(2, "bea", 100))
	r.hand2(3, 4)
	r.ok(add(1, 10))
	r.engine(engine.Input{Kind: engine.HandVoided})
	r.wins(2, 1, 50)
	r.want(r.ok(passed), "chips_dropped 1, went_out 1")
	r.no(add(1, 19), engine.CodeTooLittle, "TC-07")
	r.want(r.ok(add(1, 20)), "chips_added 1 20, came_back 1")
}

// TC-10: any free seat, and who leaves in a hand does so at its end.
func TestTC10SeatsAreTakenAndLeft(t *testing.T) {
	r := open(t, nil)
	r.no(sit(0, "ada", 100), engine.CodeBadSeat, "TC-10")
	r.no(sit(11, "ada", 100), engine.CodeBadSeat, "")
	r.want(r.ok(sit(2, "ada", 100)), "player_sat 2 ada 100")
	r.no(sit(2, "bea", 100), engine.CodeSeatTaken, "TC-10")
	r.no(sit(3, "ada", 100), seating.CodeSeated, "TC-10")
	r.ok(sit(1, "bea", 100))
	r.hand()
	r.want(r.ok(sit(3, "cleo", 100)), "seat_kept 3 cleo 100")
	r.no(sit(3, "dora", 100), engine.CodeSeatTaken, "TC-10")
	r.no(sit(4, "cleo", 100), seating.CodeSeated, "TC-10")
	r.no(add(3, 10), engine.CodeSeatEmpty, "")
	r.want(r.ok(sit(4, "dora", 100)), "seat_kept 4 dora 100")
	r.want(r.ok(leave(4)), "seat_released 4")
	r.want(r.ok(leave(1)), "leave_planned 1")
	r.want(r.ok(leave(1)), "")
	r.no(add(1, 10), seating.CodeLeaving, "TC-10")
	r.no(leave(5), engine.CodeSeatEmpty, "")
	if !r.table.Seats[1].Taken || r.table.Seats[3].Taken {
		t.Error("seats changed in a hand")
	}
	r.want(r.over(), "player_left 1 bea 100, player_sat 3 cleo 100")
	if r.table.Seats[1].Taken || !r.table.Seats[3].Taken {
		t.Error("seats did not change at the hand's end")
	}
}

// TC-10: a game seats no more than it has cards for.
func TestTC10NoMorePlayersThanTheGameTakes(t *testing.T) {
	r := open(t, nil)
	game, err := engine.GameNamed("draw5")
	if err != nil {
		t.Fatal(err)
	}
	rules := *r.table.Rules
	rules.Game = game
	r.table.Rules = &rules
	for seat := engine.Seat(1); int(seat) <= game.MaxPlayers(); seat++ {
		r.ok(sit(seat, fmt.Sprint("p", seat), 100))
	}
	r.no(sit(engine.Seat(game.MaxPlayers()+1), "late", 100), engine.CodeTableFull, "")
}

// TC-11: who left ahead comes back with what he left with, until 6 hours have passed.
func TestTC11ReEntry(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(1, "ada", 50))
	r.ok(sit(2, "bea", 200))
	r.wins(1, 2, 60)
	r.want(r.ok(leave(1)), "leave_planned 1, player_left 1 ada 110")
	r.now += 6*60*minute - 1
	for _, amount := range []engine.Chips{50, 109, 111, 200} {
		r.no(sit(1, "ada", amount), seating.CodeReEntry, "TC-11")
	}
	r.want(r.ok(sit(3, "ada", 110)), "player_sat 3 ada 110")
	r.wins(3, 2, 120)
	r.ok(leave(3)) // with 230, above the table's maximum
	r.no(sit(1, "ada", 230), seating.CodeReEntry, "TC-11")
	r.want(r.ok(sit(1, "ada", 200)), "player_sat 1 ada 200")
	r.wins(2, 1, 180)
	r.ok(leave(1)) // with 20, not ahead
	r.want(r.ok(sit(1, "ada", 30)), "player_sat 1 ada 30")
	r.wins(1, 2, 100)
	r.ok(leave(1))
	r.now += 6 * 60 * minute
	r.want(r.ok(sit(1, "ada", 20)), "player_sat 1 ada 20")
}

// TC-12: the first is told of a free seat and has 60 seconds, then the next.
func TestTC12WaitingList(t *testing.T) {
	r := open(t, nil)
	r.no(list("dora"), seating.CodeSeatFree, "TC-12")
	for seat, player := range []string{1: "ada", 2: "bea", 3: "cleo"} {
		if player != "" {
			r.ok(sit(engine.Seat(seat), player, 100))
		}
	}
	r.want(r.ok(list("dora")), "list_joined dora")
	r.ok(list("emma"))
	r.ok(list("fay"))
	r.no(list("dora"), seating.CodeListed, "TC-12")
	r.no(list("ada"), seating.CodeSeated, "TC-12")
	if r.s.Deadline() != 0 {
		t.Error("somebody's time runs while no seat is free")
	}
	r.want(r.ok(leave(2)), "leave_planned 2, player_left 2 bea 100, seat_offered dora")
	for _, early := range []string{"emma", "bea", "gina"} {
		r.no(sit(2, early, 100), seating.CodeListFirst, "TC-12")
	}
	r.want(r.ok(move(1, 2)), "move_planned 1 to 2, player_moved 1 to 2 100") // which leaves as many seats free
	if r.s.Deadline() != r.now+minute {
		t.Errorf("deadline %d, want %d", r.s.Deadline(), r.now+minute)
	}
	r.now += minute - 1
	r.want(r.ok(passed), "")
	r.now++
	r.want(r.ok(passed), "offer_lapsed dora, seat_offered emma")
	r.no(sit(1, "dora", 100), seating.CodeListFirst, "TC-12")
	r.now += minute - 1
	r.want(r.ok(sit(1, "emma", 100)), "player_sat 1 emma 100")
	r.want(r.ok(seating.Input{Kind: seating.ListDeclined, Player: "fay"}), "list_left fay")
	r.no(seating.Input{Kind: seating.ListDeclined, Player: "fay"}, seating.CodeNotListed, "TC-12")
	if r.s.Deadline() != 0 {
		t.Error("a time runs with nobody on the list")
	}
}

// TC-12: as many are told as there are seats, and one who is told no more makes room for the next.
func TestTC12SeveralSeats(t *testing.T) {
	r := open(t, nil)
	for seat, player := range []string{1: "ada", 2: "bea", 3: "cleo"} {
		if player != "" {
			r.ok(sit(engine.Seat(seat), player, 100))
		}
	}
	r.ok(list("dora"))
	r.ok(list("emma"))
	r.ok(list("fay"))
	r.hand()
	r.ok(leave(1))
	r.ok(leave(2))
	r.want(r.ok(passed), "")
	r.want(r.over(), "player_left 1 ada 100, player_left 2 bea 100, seat_offered dora, seat_offered emma")
	r.want(r.ok(seating.Input{Kind: seating.ListDeclined, Player: "dora"}), "list_left dora, seat_offered fay")
	r.now += minute / 2
	r.want(r.ok(seating.Input{Kind: seating.Resumed}), "seat_offered emma, seat_offered fay")
	r.now += minute / 2
	r.want(r.ok(passed), "") // the whole time again
	r.now += minute / 2
	r.want(r.ok(passed), "offer_lapsed emma, offer_lapsed fay")
	r.want(r.ok(sit(1, "gina", 100)), "player_sat 1 gina 100")
}

// TC-12: the list has an end.
func TestTC12ListIsBounded(t *testing.T) {
	r := open(t, func(r *seating.Rules) { r.Open = 0 })
	for i := range 100 {
		r.ok(list(fmt.Sprint("p", i)))
	}
	r.no(list("late"), seating.CodeListFull, "TC-12")
}

// TC-13, NX-05, BR-20: who sits down at a running table owes the big blind, or waits for it.
func TestTC13ANewPlayerOwesTheBigBlind(t *testing.T) {
	for _, rule := range []string{"TC-13", "NX-05", "BR-20"} {
		t.Run(rule, func(t *testing.T) {
			r := open(t, nil)
			r.ok(sit(1, "ada", 100))
			r.ok(sit(2, "bea", 100))
			r.hand()
			r.ok(sit(3, "cleo", 100))
			r.over()
			if p := r.table.Seats[3]; !p.OwesBig || p.Waits {
				t.Errorf("seat 3 owes %v, waits %v", p.OwesBig, p.Waits)
			}
			if p := r.table.Seats[1]; p.OwesBig {
				t.Error("who sat down before the first hand owes a blind")
			}
			r.engine(engine.Input{Kind: engine.BlindAwaited, Seat: 3})
			r.want(r.ok(passed), "")
			if !r.table.Seats[3].Waits {
				t.Error("seat 3 does not wait")
			}
		})
	}
}

// TC-14: who sits out too long is removed, in a hand at its end; so is who has no chips. Who comes back in time stays.
func TestTC14SittingOut(t *testing.T) {
	r := open(t, nil)
	for seat, player := range []string{1: "ada", 2: "bea", 3: "cleo"} {
		if player != "" {
			r.ok(sit(engine.Seat(seat), player, 100))
		}
	}
	r.engine(engine.Input{Kind: engine.SatOut, Seat: 3})
	r.want(r.ok(passed), "went_out 3")
	r.now += 15*minute - 1
	r.want(r.ok(passed), "")
	r.engine(engine.Input{Kind: engine.SatIn, Seat: 3})
	r.now++
	r.want(r.ok(passed), "came_back 3")
	r.engine(engine.Input{Kind: engine.SatOut, Seat: 3})
	r.wins(1, 2, 100)
	r.want(r.ok(passed), "went_out 2, went_out 3")
	r.want(r.ok(add(2, 100)), "chips_added 2 100, came_back 2")
	r.hand()
	r.now += 15 * minute
	if r.s.Deadline() != r.now {
		t.Errorf("deadline %d, want %d", r.s.Deadline(), r.now)
	}
	r.want(r.ok(passed), "leave_planned 3")
	if r.s.Deadline() != 0 {
		t.Error("the time of who is removed at the hand's end still runs")
	}
	r.want(r.over(), "player_left 3 cleo 100")
}

// TC-14: who sits at the felt is not removed, the others by the usual time or the house's.
func TestTC14WhoIsRemoved(t *testing.T) {
	for name, want := range map[string]int64{"tda": 10, "noxwin": 10, "cash": 15, "naiko": 10, "betrebels": 10} {
		if got := seating.For(&engine.Rules{House: house(t, name)}).SitOut; got != want*minute {
			t.Errorf("house %s removes after %d ms, want %d min", name, got, want)
		}
	}
	r := open(t, func(r *seating.Rules) { r.Felt = r.Felt.With(4) })
	r.ok(sit(1, "ada", 100))
	r.ok(sit(4, "dora", 100))
	r.engine(engine.Input{Kind: engine.SatOut, Seat: 1})
	r.engine(engine.Input{Kind: engine.SatOut, Seat: 4})
	r.ok(passed)
	r.now += 15 * minute
	r.want(r.ok(passed), "leave_planned 1, player_left 1 ada 100")
	if r.s.Deadline() != 0 {
		t.Error("a time runs for who sits at the felt")
	}
}

// TC-14: a table may let everybody sit out as long as he likes.
func TestTC14NoLimit(t *testing.T) {
	r := open(t, func(r *seating.Rules) { r.SitOut = 0 })
	r.ok(sit(1, "ada", 100))
	r.engine(engine.Input{Kind: engine.SatOut, Seat: 1})
	r.ok(passed)
	r.now += 1000 * minute
	r.want(r.ok(passed), "")
	if r.s.Deadline() != 0 {
		t.Error("a time runs")
	}
}

// TC-10, TC-13: a player moves to another free seat, which is as sitting down there; NX-06: not with a small blind to post.
func TestTC13Moves(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(1, "ada", 100))
	r.ok(sit(2, "bea", 100))
	r.ok(sit(4, "dora", 100))
	r.engine(engine.Input{Kind: engine.SatOut, Seat: 1})
	r.ok(passed)
	out := r.s.Seats[1].OutSince
	r.now += minute
	r.no(move(1, 0), engine.CodeBadSeat, "")
	r.no(move(1, 2), engine.CodeSeatTaken, "TC-10")
	r.no(move(1, 1), engine.CodeSeatTaken, "TC-10")
	r.no(move(3, 1), engine.CodeSeatEmpty, "")
	r.want(r.ok(move(1, 3)), "move_planned 1 to 3, player_moved 1 to 3 100")
	if p := r.table.Seats[3]; !p.Out || p.OwesBig || r.s.Seats[3].OutSince != out || r.s.Seats[3].Player != "ada" {
		t.Errorf("moved, the seat is %+v, %+v", p, r.s.Seats[3])
	}
	r.hand()
	r.want(r.ok(move(4, 1)), "move_planned 4 to 1")
	r.no(move(2, 1), engine.CodeSeatTaken, "TC-10")
	r.no(sit(1, "fay", 100), engine.CodeSeatTaken, "TC-10")
	r.ok(sit(5, "emma", 100))
	r.want(r.over(), "player_moved 4 to 1 100, player_sat 5 emma 100")
	if p := r.table.Seats[5]; !p.OwesBig {
		t.Errorf("after the first hand who comes owes %v", p.OwesBig)
	}
	r.table.Seats[2].OwesSmall = true
	r.no(move(2, 4), seating.CodeOwesBlind, "NX-06")
	r.table.Seats[2].OwesSmall = false
	r.engine(engine.Input{Kind: engine.BlindAwaited, Seat: 5})
	r.ok(move(5, 4))
	if p := r.table.Seats[4]; !p.Waits {
		t.Errorf("who waits for the big blind does so at his new seat: %+v", p)
	}
	r.table.Seats[2].Stack = 0
	r.no(move(2, 5), engine.CodeBadAmount, "")
}

// NX-06: a move planned in a hand is dropped if there is a small blind to post at its end, or nothing to move with.
func TestNX06MovesAreDropped(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(1, "ada", 100))
	r.ok(sit(2, "bea", 100))
	r.hand2(4, 5)
	r.ok(move(4, 3))
	r.ok(move(5, 6))
	r.engine(engine.Input{Kind: engine.HandVoided})
	r.table.Seats[4].OwesSmall = true
	r.wins(1, 5, 100)
	r.want(r.ok(passed), "move_dropped 4, move_dropped 5, went_out 5")
	r.want(r.ok(sit(3, "fay", 100)), "player_sat 3 fay 100")
}

// TC-12: a move in a hand, or from a seat that is not open, takes no seat that was promised.
func TestTC12MovesKeepPromises(t *testing.T) {
	r := open(t, nil)
	for seat, player := range []string{1: "ada", 2: "bea", 3: "cleo", 4: "dora"} {
		if player != "" {
			r.ok(sit(engine.Seat(seat), player, 100))
		}
	}
	r.ok(list("emma"))
	r.ok(leave(3))
	r.no(move(4, 3), seating.CodeListFirst, "TC-12")
	r.hand()
	r.no(move(1, 3), seating.CodeListFirst, "TC-12")
	r.want(r.ok(sit(3, "emma", 100)), "seat_kept 3 emma 100")
}

// BR-08: the first to sit down has the first button.
func TestBR08FirstToSitHasTheButton(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(3, "ada", 100))
	r.ok(sit(1, "bea", 100))
	r.ok(sit(2, "cleo", 100))
	r.hand()
	if r.table.Button != 3 || r.table.SmallBlind != 1 || r.table.BigBlind != 2 {
		t.Errorf("button %d, blinds %d and %d", r.table.Button, r.table.SmallBlind, r.table.BigBlind)
	}
}

// A person at the felt whom nobody named has no session beyond the seat, and there may be several.
func TestPeopleWithoutAName(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(4, "", 100))
	r.ok(sit(5, "", 100))
	r.wins(4, 5, 50)
	r.want(r.ok(leave(4)), "leave_planned 4, player_left 4 150")
	r.want(r.ok(sit(4, "", 20)), "player_sat 4 20")
	if len(r.s.Absent) != 0 {
		t.Errorf("remembered: %+v", r.s.Absent)
	}
}

// TC-11: nobody is remembered for longer than that.
func TestTC11PlayersAreForgotten(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(1, "ada", 50))
	r.ok(leave(1))
	r.now += 6*60*minute - 1
	r.want(r.ok(passed), "")
	r.now++
	r.want(r.ok(passed), "forgotten ada")
	if len(r.s.Absent) != 0 {
		t.Errorf("remembered: %+v", r.s.Absent)
	}
}

func TestASeatGivenIsNotBounded(t *testing.T) {
	r := open(t, func(r *seating.Rules) { r.SessionCap = 300 })
	r.want(r.ok(seating.Input{Kind: seating.SeatGiven, Seat: 1, Player: "ada", Amount: 5000}), "player_sat 1 ada 5000")
	r.no(add(1, 1), seating.CodeSessionCap, "TC-07")
}

func TestNonsenseIsRefused(t *testing.T) {
	r := open(t, nil)
	r.no(seating.Input{Kind: "dance"}, engine.CodeBadInput, "")
	r.no(seating.Input{Kind: seating.SeatGiven, Seat: 0, Amount: 10}, engine.CodeBadSeat, "")
}

func TestRulesAreValidated(t *testing.T) {
	good := seating.Rules{MinBuyIn: 20, MaxBuyIn: 200, SessionCap: 1000, ReEntry: 1, Offer: 1}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		change func(*seating.Rules)
		want   string
	}{
		{func(r *seating.Rules) { r.MinBuyIn = -1 }, "min_buy_in: -1 is not within"},
		{func(r *seating.Rules) { r.MaxBuyIn = engine.MaxChips + 1 }, "max_buy_in: "},
		{func(r *seating.Rules) { r.MaxBuyIn = 19 }, "max_buy_in: 19 is below"},
		{func(r *seating.Rules) { r.SessionCap = 19 }, "session_cap: 19 is below"},
		{func(r *seating.Rules) { r.ReEntry = 0 }, "re_entry: 0 ms"},
		{func(r *seating.Rules) { r.SitOut = -1 }, "sit_out_limit: -1 ms"},
		{func(r *seating.Rules) { r.Offer = 0 }, "seat_offer: 0 ms"},
	} {
		r := good
		tc.change(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %s", r, err, tc.want)
		}
	}
}

func TestAStateIsText(t *testing.T) {
	r := open(t, nil)
	r.ok(sit(1, "ada", 50))
	r.ok(sit(2, "bea", 100))
	r.ok(sit(3, "cleo", 100))
	r.ok(list("dora"))
	r.ok(leave(3))
	r.hand()
	r.ok(add(1, 10))
	b, err := json.Marshal(r.s)
	if err != nil {
		t.Fatal(err)
	}
	back := seating.State{Rules: r.s.Rules}
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, r.s) {
		t.Errorf("%s came back as %+v, %v, want %+v", b, back, err, r.s)
	}
}
