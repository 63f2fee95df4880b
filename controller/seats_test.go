package controller

import (
	"bytes"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/seating"
)

// openTable is a table with two configured players elsewhere, two open seats and one at the felt.
func openTable(t *testing.T) Options {
	opt := options(t)
	opt.Players = []Player{
		{Seat: 1, Player: "alice", Name: "Alice", Kind: Remote, Stack: 200, Bot: true},
		{Seat: 2, Player: "bruno", Name: "Bruno", Kind: Remote, Stack: 200},
		{Seat: 3, Kind: Remote},
		{Seat: 4, Kind: Remote},
		{Seat: 5, Name: "Carla", Player: "Carla", Kind: Felt, Stack: 200},
		{Seat: 6, Kind: Felt},
	}
	rules := seating.For(opt.Rules)
	rules.MinBuyIn, rules.MaxBuyIn, rules.SessionCap, rules.SitOut = 20, 200, 1000, (15 * time.Minute).Milliseconds()
	opt.Seating = &rules
	opt.Zones = nil
	return opt
}

// from asks as a remote player.
func (d *desk) from(player string, v Verb, seat engine.Seat, amount engine.Chips) *Reply {
	d.t.Helper()
	return d.ask(Request{From: Source{Player: player}, Verb: v, Seat: seat, Amount: amount})
}

// dealer asks as the dealer.
func (d *desk) dealer(r Request) *Reply {
	d.t.Helper()
	r.From = Source{Console: "d1"}
	return d.ask(r)
}

// fine asks for something that must be granted.
func (d *desk) fine(r *Reply) {
	d.t.Helper()
	if !r.OK {
		d.t.Fatalf("refused: %+v", r)
	}
}

func (d *desk) stack(seat engine.Seat) engine.Chips { return d.state().Seats[seat].Stack }

// sitting is who sits at a seat, by the players that are told to everybody; "" for nobody.
func (d *desk) sitting(seat engine.Seat) string {
	if !d.state().Seats[seat].Taken {
		return ""
	}
	i := slices.IndexFunc(d.last().Players, func(p Player) bool { return p.Seat == seat })
	return d.last().Players[i].Player
}

// void ends the hand.
func (d *desk) void() {
	d.t.Helper()
	d.fine(d.console(VerbVoidHand))
}

// TC-10: an open seat is anybody's, one with a player's name is his, and the felt is the dealer's.
func TestTC10WhoMaySitWhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		defer d.leave()
		for _, tc := range []struct {
			name  string
			reply *Reply
			code  string
		}{
			{"a taken seat", d.from("dora", VerbSit, 1, 100), CodeNotYours},
			{"no such seat", d.from("dora", VerbSit, 9, 100), CodeNoSuchSeat},
			{"a seat at the felt", d.from("dora", VerbSit, 6, 100), CodeWrongKind},
			{"a second seat", d.from("alice", VerbSit, 3, 100), string(seating.CodeSeated)},
			{"too little", d.from("dora", VerbSit, 3, 19), string(engine.CodeTooLittle)},
			{"leaving without a seat", d.from("dora", VerbLeave, 0, 0), CodeUnknownPlayer},
			{"adding without a seat", d.from("dora", VerbTopUp, 0, 10), CodeUnknownPlayer},
			{"moving without a seat", d.from("dora", VerbMove, 4, 0), CodeUnknownPlayer},
			{"waiting without a seat", d.from("dora", VerbWaitBlind, 0, 0), CodeUnknownPlayer},
			{"the dealer, elsewhere", d.dealer(Request{Verb: VerbSit, Seat: 3, Amount: 100}), CodeWrongKind},
			{"the dealer, to elsewhere", d.dealer(Request{Verb: VerbMove, Seat: 5, To: 3}), CodeWrongKind},
			{"the dealer, from nowhere", d.dealer(Request{Verb: VerbMove, Seat: 9, To: 3}), CodeNoSuchSeat},
			{"a seat kept for another", d.from("alice", VerbMove, 2, 0), CodeNotYours},
		} {
			if tc.reply.OK || tc.reply.Code != tc.code || tc.reply.Text == "" {
				t.Errorf("%s: %+v, want %s", tc.name, tc.reply, tc.code)
			}
		}
		d.fine(d.from("dora", VerbSit, 3, 100))
		d.fine(d.dealer(Request{Verb: VerbSit, Seat: 6, Amount: 150, Player: "Emma"}))
		if d.sitting(3) != "dora" || d.stack(3) != 100 || d.sitting(6) != "Emma" || d.stack(6) != 150 {
			t.Errorf("players %+v", d.last().Players)
		}
		d.fine(d.from("alice", VerbLeave, 0, 0))
		if r := d.from("fay", VerbSit, 1, 100); r.Code != CodeNotYours {
			t.Errorf("a seat kept for alice: %+v", r)
		}
		d.fine(d.from("alice", VerbSit, 1, 200))
		if p := d.last().Players[0]; p.Player != "alice" || p.Name != "Alice" || !p.Bot {
			t.Errorf("back in her seat: %+v", p)
		}
		d.fine(d.from("alice", VerbMove, 4, 0))
		if p := d.last().Players[3]; p.Player != "alice" || p.Name != "Alice" || !p.Bot {
			t.Errorf("in another seat: %+v", p) // NK-0B: a bot stays one
		}
		if p := d.last().Players[0]; p.Player != "" || p.Bot {
			t.Errorf("the seat she left: %+v", p)
		}
		d.fine(d.dealer(Request{Verb: VerbLeave, Seat: 5}))
		if d.sitting(5) != "" || d.last().Players[4].Name != "" {
			t.Errorf("seat 5: %+v", d.last().Players[4])
		}
		d.fine(d.dealer(Request{Verb: VerbMove, Seat: 6, To: 5}))
		if d.sitting(5) != "Emma" {
			t.Errorf("players %+v", d.last().Players)
		}
	})
}

// A player at a felt seat is no user of the broker, whatever the dealer calls him.
func TestANameAtTheFeltIsNoLogin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		defer d.leave()
		d.fine(d.dealer(Request{Verb: VerbSit, Seat: 6, Amount: 100, Player: "dora"}))
		if r := d.from("dora", VerbLeave, 0, 0); r.Code != CodeUnknownPlayer {
			t.Errorf("%+v", r)
		}
	})
}

// TC-33, TC-10: what is asked in a hand is done at its end.
func TestTC33AskedInAHandDoneAtItsEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		defer d.leave()
		d.fine(d.from("dora", VerbSit, 3, 100))
		d.start()
		d.fine(d.from("dora", VerbTopUp, 0, 60))
		d.fine(d.from("alice", VerbTopUp, 0, 50))
		d.fine(d.from("bruno", VerbLeave, 0, 0))
		d.fine(d.from("emma", VerbSit, 4, 50))
		d.fine(d.dealer(Request{Verb: VerbSit, Seat: 6, Amount: 20}))
		if d.state().Chips() != 700 || !d.state().Seats[2].Taken || d.state().Seats[4].Taken {
			t.Fatalf("seats changed in the hand: %+v", d.state().Seats)
		}
		d.void()
		if d.stack(3) != 160 || d.stack(1) != 200 || d.state().Seats[2].Taken || d.stack(4) != 50 || d.stack(6) != 20 {
			t.Errorf("after the hand: %+v", d.state().Seats)
		}
		d.fine(d.dealer(Request{Verb: VerbAddChips, Seat: 6, Amount: 30}))
		if d.stack(6) != 50 {
			t.Errorf("seat 6 has %d", d.stack(6))
		}
	})
}

// TC-13, NX-05: who sat down at a running table may wait for the big blind instead of posting one.
func TestTC13WaitingForTheBigBlind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		defer d.leave()
		d.start()
		d.fine(d.from("dora", VerbSit, 4, 100))
		d.fine(d.dealer(Request{Verb: VerbSit, Seat: 6, Amount: 100}))
		d.void()
		d.fine(d.from("dora", VerbWaitBlind, 0, 0))
		d.fine(d.dealer(Request{Verb: VerbWaitBlind, Seat: 6}))
		if s := d.state(); !s.Seats[4].Waits || !s.Seats[6].Waits || !s.Seats[4].OwesBig {
			t.Errorf("seats %+v and %+v", s.Seats[4], s.Seats[6])
		}
	})
}

// TC-07: the cap goes for players, and for what the dealer adds.
func TestTC07TheCapIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := openTable(t)
		opt.Seating.SessionCap = 200
		d := sit(t, opt, nil)
		defer d.leave()
		d.start()
		for _, r := range []*Reply{d.from("alice", VerbTopUp, 0, 1), d.dealer(Request{Verb: VerbAddChips, Seat: 5, Amount: 1})} {
			if r.Code != string(seating.CodeSessionCap) {
				t.Errorf("%+v", r)
			}
		}
	})
}

// TC-12: the first on the list has his time, which stands while the table cannot be reached.
func TestTC12TheListMovesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		defer d.leave()
		d.fine(d.from("dora", VerbSit, 3, 100))
		d.fine(d.from("emma", VerbSit, 4, 100))
		d.fine(d.from("fay", VerbJoinList, 0, 0))
		d.fine(d.from("gina", VerbJoinList, 0, 0))
		d.fine(d.from("hope", VerbJoinList, 0, 0))
		d.fine(d.from("hope", VerbLeaveList, 0, 0))
		d.fine(d.from("dora", VerbLeave, 0, 0))
		told := func(want string) {
			t.Helper()
			synctest.Wait()
			list := d.last().Seating.List
			if len(list) == 0 || list[0].Player != want || list[0].Until == 0 {
				t.Errorf("on the list are %+v, want %s told", list, want)
			}
		}
		told("fay")
		if r := d.from("gina", VerbSit, 3, 100); r.Code != string(seating.CodeListFirst) {
			t.Errorf("%+v", r)
		}
		time.Sleep(59 * time.Second)
		told("fay")
		d.table.Device(d.ctx, "the broker", false, "gone")
		time.Sleep(time.Hour)
		told("fay")
		d.table.Device(d.ctx, "the broker", true, "")
		time.Sleep(59 * time.Second)
		told("fay")
		time.Sleep(2 * time.Second)
		told("gina")
		d.fine(d.from("gina", VerbSit, 3, 100))
	})
}

// TC-14: who sits out too long is removed by himself, in a hand at its end.
func TestTC14SittingOutEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		defer d.leave()
		d.fine(d.from("dora", VerbSit, 3, 100))
		d.fine(d.from("dora", VerbSitOut, 0, 0))
		d.fine(d.from("alice", VerbSitOut, 0, 0))
		time.Sleep(14 * time.Minute)
		d.fine(d.from("alice", VerbSitIn, 0, 0))
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if d.sitting(3) != "" || d.sitting(1) != "alice" {
			t.Errorf("seat 3 is %q's, seat 1 %q's", d.sitting(3), d.sitting(1))
		}
		d.fine(d.from("alice", VerbSitOut, 0, 0))
		d.start()
		time.Sleep(16 * time.Minute)
		synctest.Wait()
		if d.sitting(1) != "alice" {
			t.Error("removed in a hand")
		}
		d.void()
		if d.sitting(1) != "" {
			t.Error("not removed after the hand")
		}
	})
}

// evening has every kind of change at the seats happen, in and between hands.
func (d *desk) evening() {
	d.t.Helper()
	d.fine(d.from("dora", VerbSit, 3, 100))
	d.fine(d.from("emma", VerbSit, 4, 100))
	d.fine(d.from("fay", VerbJoinList, 0, 0))
	d.fine(d.from("gina", VerbJoinList, 0, 0))
	d.start()
	d.fine(d.from("dora", VerbTopUp, 0, 50))
	d.fine(d.from("emma", VerbLeave, 0, 0))
	d.fine(d.dealer(Request{Verb: VerbSit, Seat: 6, Amount: 100, Player: "Ida"}))
	d.void()
	d.fine(d.from("fay", VerbSit, 4, 120))
	d.fine(d.from("bruno", VerbSitOut, 0, 0))
	d.fine(d.dealer(Request{Verb: VerbLeave, Seat: 5}))
	d.fine(d.dealer(Request{Verb: VerbMove, Seat: 6, To: 5}))
	d.fine(d.from("dora", VerbLeave, 0, 0))
	time.Sleep(61 * time.Second)
	synctest.Wait()
	d.fine(d.from("alice", VerbMove, 3, 0))
}

// Whatever record the power fails after, the table comes back as it was or goes on with what was due.
func TestAPowerCutAnywhereForgetsNoSeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		d.evening()
		whole := d.last()
		d.leave()
		for n := 1; n <= len(d.entries); n++ {
			first, err := New(withRecords(openTable(t), d.entries[:n]))
			if err != nil {
				t.Fatal(err)
			}
			checkSeats(t, n, &first.state, &first.seating)
			again := sit(t, openTable(t), d.entries[:n])
			u := again.last()
			checkSeats(t, n, &u.State, &u.Seating)
			if n == len(d.entries) && (u.State != rebased(whole.State, &u.State) || !sameSeats(u.Seating, whole.Seating)) {
				t.Errorf("the table came back as\n%+v\nwant\n%+v", u.Seating, whole.Seating)
			}
			again.leave()
		}
	})
}

// A hand ended, and the power failed before what was due then was done.
func TestWhatWasDueIsDoneAfterAPowerCut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		d.start()
		d.fine(d.from("dora", VerbSit, 3, 100))
		d.fine(d.from("bruno", VerbLeave, 0, 0))
		d.void()
		d.leave()
		last := len(d.entries) - 1
		for d.entries[last].Kind != kindStep {
			last--
		}
		again := sit(t, openTable(t), d.entries[:last]) // without the step of the seats
		defer again.leave()
		if again.sitting(3) != "dora" || again.sitting(2) != "" {
			t.Errorf("seat 3 is %q's, seat 2 %q's", again.sitting(3), again.sitting(2))
		}
	})
}

// checkSeats checks that seating and engine agree, and that no chip was lost or made: who sits has what he brought.
func checkSeats(t *testing.T, n int, s *engine.State, seats *seating.State) {
	t.Helper()
	seen := map[string]bool{}
	for i := range s.Seats {
		p, at := seats.Seats[i], &s.Seats[i]
		if at.Taken != (p.Taken && !p.Coming) {
			t.Fatalf("after %d records seat %d: taken %v in the engine, %+v", n, i, at.Taken, p)
		}
		if at.Taken && at.Stack+at.Bet+at.Put != p.Sitting {
			t.Fatalf("after %d records seat %d has %d chips, %d were brought", n, i, at.Stack, p.Sitting)
		}
		if p.Taken && seen[p.Player] {
			t.Fatalf("after %d records %s sits twice", n, p.Player)
		}
		seen[p.Player] = p.Taken
	}
}

func sameSeats(a, b seating.State) bool {
	return bytes.Equal(entry(0, a).Payload, entry(0, b).Payload)
}

func withRecords(opt Options, entries []journal.Entry) Options {
	opt.Records = records(entries)
	return opt
}

func TestASnapshotHasTheSeats(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		d.evening()
		snap := d.table.snapshot()
		want := d.last().Seating
		d.leave()
		again := sit(t, openTable(t), []journal.Entry{{Kind: journal.Snapshot, Payload: snap}})
		defer again.leave()
		if got := again.last().Seating; !sameSeats(got, want) {
			t.Errorf("the seats came back as\n%+v\nwant\n%+v", got, want)
		}
		if again.sitting(3) != "alice" {
			t.Errorf("players %+v", again.last().Players)
		}
	})
}

// TC-11: who left ahead is remembered over a restart, and for no longer than without one.
func TestTC11IsRememberedOverARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		d.fine(d.from("dora", VerbSit, 3, 100))
		d.fine(d.at("d1", Request{Verb: VerbCorrectStack, Seat: 3, Amount: 50, Reason: "won at cards"}))
		d.fine(d.at("floor", Request{Verb: VerbChoose, Prompt: d.prompt("confirm").ID, Choice: "confirm"}))
		if d.stack(3) != 150 {
			t.Fatalf("seat 3 has %d", d.stack(3))
		}
		d.fine(d.from("dora", VerbLeave, 0, 0))
		d.leave()
		time.Sleep(5 * time.Hour)
		again := sit(t, openTable(t), d.entries)
		defer again.leave()
		if r := again.from("dora", VerbSit, 4, 100); r.Code != string(seating.CodeReEntry) {
			t.Errorf("after five hours, with less than she left with: %+v", r)
		}
		time.Sleep(time.Hour)
		again.fine(again.from("dora", VerbSit, 4, 100))
	})
}

// A seat asked for twice with one identifier, the second time after a restart, is taken once.
func TestARepeatedSeatIsTakenOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, openTable(t), nil)
		r := Request{From: Source{Player: "dora"}, ID: "x1", Verb: VerbSit, Seat: 3, Amount: 100}
		d.fine(d.ask(r))
		d.fine(d.ask(r))
		d.leave()
		again := sit(t, openTable(t), d.entries)
		defer again.leave()
		again.fine(again.ask(r))
		if again.stack(3) != 100 {
			t.Errorf("seat 3 has %d", again.stack(3))
		}
	})
}
