package seating_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/seating"
)

// Whatever is asked in whatever order: what a player brought, won and took away adds up; nobody brings more than the cap in
// a session, nor in a sitting (TC-07, R26); nobody sits twice or waits while seated (TC-10); no more are told than there
// are seats (TC-12); no chip comes or goes while a hand is played (TC-33, BR-31); both states agree on who has a seat.
func TestRandomEvenings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := evening{room: open(rt, func(r *seating.Rules) {
			r.SessionCap = engine.Chips(rapid.SampledFrom([]int{0, 250, 400}).Draw(rt, "cap"))
		}), rt: rt, purse: map[string]engine.Chips{}, session: map[string]engine.Chips{}, left: map[string]int64{}, carried: map[string]engine.Chips{}}
		for range rapid.IntRange(1, 80).Draw(rt, "steps") {
			e.step()
		}
	})
}

// evening is a room with books of its own on every player's money.
type evening struct {
	*room
	rt      *rapid.T
	purse   map[string]engine.Chips // brought and won less taken away: what must lie on the table
	session map[string]engine.Chips // brought from outside in the session
	left    map[string]int64        // when the player left last
	carried map[string]engine.Chips // what he took away then
}

func (e *evening) step() {
	rt := e.rt
	seat := engine.Seat(rapid.IntRange(0, 5).Draw(rt, "seat"))
	to := engine.Seat(rapid.IntRange(0, 5).Draw(rt, "to"))
	player := fmt.Sprint("p", rapid.IntRange(1, 7).Draw(rt, "player"))
	amount := engine.Chips(rapid.SampledFrom([]int{-1, 0, 1, 10, 20, 30, 100, 150, 200, 201}).Draw(rt, "amount"))
	chips, between := e.table.Chips(), e.table.Phase == engine.Between
	var in seating.Input
	switch what := rapid.IntRange(0, 13).Draw(rt, "what"); what {
	case 0, 1, 2:
		in = sit(seat, player, amount)
		for _, a := range e.s.Absent {
			if a.Player == player && what == 0 {
				in.Amount = min(a.Stack, 200)
			}
		}
	case 3:
		in = leave(seat)
	case 4, 5:
		in = add(seat, amount)
	case 6:
		in = move(seat, to)
	case 7:
		in = list(player)
	case 8:
		in = seating.Input{Kind: seating.ListDeclined, Player: player}
	case 9:
		e.now += rapid.SampledFrom([]int64{1, minute / 2, 15 * minute, 6 * 60 * minute}).Draw(rt, "time")
		in = passed
	case 10:
		kind := rapid.SampledFrom([]engine.InputKind{engine.SatOut, engine.SatIn, engine.BlindAwaited}).Draw(rt, "kind")
		if e.table.Seats[seat].Taken {
			e.engine(engine.Input{Kind: kind, Seat: seat})
		}
		in = passed
	case 11:
		if table, _, err := engine.Apply(e.table, engine.Input{Kind: engine.HandStarted}); err == nil {
			e.table = table
		}
		in = passed
	case 12, 13:
		if e.table.Phase != engine.Between {
			e.engine(engine.Input{Kind: engine.HandVoided})
			e.win(seat, to)
			chips, between = e.table.Chips(), true
		}
		in = passed
	}
	events, err := e.put(in)
	if err == nil {
		e.count(events)
	}
	if !between && e.table.Chips() != chips {
		rt.Fatalf("%+v moved chips in a hand", in)
	}
	e.check()
}

// win has a seat win the stack of another, or part of it.
func (e *evening) win(winner, loser engine.Seat) {
	if winner == loser || !e.table.Seats[winner].Taken || !e.table.Seats[loser].Taken {
		return
	}
	n := engine.Chips(rapid.IntRange(0, int(e.table.Seats[loser].Stack)).Draw(e.rt, "won"))
	e.wins(winner, loser, n)
	e.purse[e.s.Seats[winner].Player] += n
	e.purse[e.s.Seats[loser].Player] -= n
}

// count books what came and went.
func (e *evening) count(events []seating.Event) {
	for _, ev := range events {
		switch ev.Kind {
		case seating.PlayerSat:
			if e.left[ev.Player] == 0 || e.now >= e.left[ev.Player]+e.s.Rules.ReEntry {
				e.session[ev.Player] = 0
				e.carried[ev.Player] = 0
			}
			e.purse[ev.Player] += ev.Amount
			e.session[ev.Player] += max(0, ev.Amount-e.carried[ev.Player])
		case seating.ChipsAdded:
			player := e.s.Seats[ev.Seat].Player // nobody changes seats after chips were added
			e.purse[player] += ev.Amount
			e.session[player] += ev.Amount
		case seating.PlayerLeft:
			e.purse[ev.Player] -= ev.Amount
			e.left[ev.Player] = e.now
			e.carried[ev.Player] = ev.Amount
		}
	}
}

func (e *evening) check() {
	rt, seen := e.rt, map[string]bool{}
	onTable := map[string]engine.Chips{}
	for i, p := range e.s.Seats {
		at := e.table.Seats[i]
		if at.Taken != (p.Taken && !p.Coming) {
			rt.Fatalf("seat %d: taken %v at the table, here %+v", i, at.Taken, p)
		}
		if !p.Taken {
			if p != (seating.Place{}) {
				rt.Fatalf("seat %d is free and not empty: %+v", i, p)
			}
			continue
		}
		if seen[p.Player] {
			rt.Fatalf("%s sits twice", p.Player)
		}
		seen[p.Player] = true
		onTable[p.Player] = at.Stack + at.Bet + at.Put
		if most := e.s.Rules.SessionCap; most > 0 && (e.session[p.Player] > most || p.Sitting > most || p.Fresh > most) {
			rt.Fatalf("%s brought %d in the session, the cap is %d: %+v", p.Player, e.session[p.Player], most, p)
		}
		if !p.Coming && p.Fresh != e.session[p.Player] {
			rt.Fatalf("%s brought %d, booked are %d", p.Player, e.session[p.Player], p.Fresh)
		}
	}
	for player, n := range e.purse {
		if onTable[player] != n {
			rt.Fatalf("%s has %d on the table, booked are %d", player, onTable[player], n)
		}
	}
	for _, w := range e.s.List {
		if seen[w.Player] {
			rt.Fatalf("%s waits twice, or sits", w.Player)
		}
		seen[w.Player] = true
	}
	told := 0
	for _, w := range e.s.List {
		if w.Until > 0 {
			told++
		}
	}
	if free := e.s.Free().Len(); told > free {
		rt.Fatalf("%d were told of %d seats", told, free)
	}
}
