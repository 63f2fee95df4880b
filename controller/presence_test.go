package controller

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
)

// atTurn is a running table at the first turn of a hand, of seat 1.
func atTurn(t *testing.T, change func(*Options)) *desk {
	t.Helper()
	opt := options(t)
	opt.Presence, opt.Grace = true, 20*time.Second
	change(&opt)
	d := sit(t, opt, nil)
	for _, p := range opt.Players {
		d.table.Presence(d.ctx, p.Player, true)
	}
	d.start()
	d.deal(6)
	if got := d.last().State.Turn; got != 1 {
		t.Fatalf("the turn of seat %d", got)
	}
	return d
}

// after lets time pass and gives the state.
func (d *desk) after(wait time.Duration) *engine.State {
	time.Sleep(wait)
	synctest.Wait()
	s := d.last().State
	return &s
}

// Who is cut off has the normal clock and then some time to come back; then the house acts, and the seat sits out.
func TestWhoIsCutOffHasTimeToComeBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTurn(t, func(*Options) {})
		defer d.leave()
		d.table.Presence(d.ctx, "alice", false)
		if s := d.after(19 * time.Second); s.Turn != 1 || d.last().Players[0].Connected {
			t.Fatalf("turn of seat %d, players %+v", s.Turn, d.last().Players)
		}
		if s := d.after(2 * time.Second); s.Turn != 1 || !d.last().Clock.Grace {
			t.Fatalf("after the normal clock: turn of seat %d, clock %+v", s.Turn, d.last().Clock)
		}
		if s := d.after(20 * time.Second); s.Turn == 1 || s.Live.Has(1) || !s.Seats[1].Out {
			t.Errorf("after the grace: turn of seat %d, seat %+v", s.Turn, s.Seats[1])
		}
		if s := d.after(21 * time.Second); s.Live.Has(2) || s.Seats[2].Out { // bruno, who is there, has no grace and does not sit out
			t.Errorf("bruno's seat: %+v", s.Seats[2])
		}
	})
}

// TestTimingOfTheHouses: who is cut off, and who is there and silent, has the time that the house's text gives, or the usual:
// TC-15 and NK-0A give the turn's alone, others 20 seconds to come back; where a text says what follows when the time is out,
// there is no bank. In house betrebels
// who is covered without a chip in the pot folds at once (BR-40).
func TestTimingOfTheHouses(t *testing.T) {
	for name, want := range map[string]struct{ grace, bank time.Duration }{
		"tda": {20 * time.Second, 30 * time.Second}, "noxwin": {20 * time.Second, 0}, "cash": {}, "naiko": {}, "betrebels": {},
	} {
		house, err := engine.HouseNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, here := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", here), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					d := atTurn(t, func(o *Options) { o.Rules.House, o.Timing = house, TimingOf(house) })
					defer d.leave()
					seat := d.last().State.Turn
					d.table.Presence(d.ctx, d.last().Players[seat-1].Player, here)
					whole := 20*time.Second + want.grace
					if here {
						whole = 20*time.Second + want.bank
					}
					if s := d.after(whole - time.Second); s.Turn != seat {
						t.Fatalf("the turn is over in less than %v", whole)
					}
					if s := d.after(2 * time.Second); s.Turn == seat || s.Live.Has(seat) {
						t.Errorf("the turn goes on after %v: of seat %d, live %v", whole, s.Turn, s.Live)
					}
				})
			})
		}
	}
}

// TestABankComesBackHandByHand: each hand dealt gives some of a bank back, and never more than was used.
func TestABankComesBackHandByHand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTurn(t, func(o *Options) { o.TimeBank, o.BankRefill = 30*time.Second, 7*time.Second })
		defer d.leave()
		if got := d.last().Clock.InBank; got != 30*time.Second {
			t.Errorf("%v in a whole bank", got)
		}
		d.after(30 * time.Second)
		d.ask(Request{From: Source{Player: "alice"}, ID: "c", Turn: d.last().Turn, Verb: VerbFold})
		for hand, used := range []time.Duration{10 * time.Second, 3 * time.Second, 0, 0} {
			if hand > 0 {
				for c := range maps.Clone(d.table.tracker.lies) {
					d.move(c, "muck")
				}
				d.start()
			}
			if got := d.table.clock.used[1]; got != used {
				t.Errorf("after %d more hands %v are used, want %v", hand, got, used)
			}
			d.void()
		}
	})
}

// A bank is for who is there; it runs when the clock has, and what is left of it is for the next turn.
func TestTimeBank(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTurn(t, func(o *Options) { o.TimeBank = 30 * time.Second })
		defer d.leave()
		if s := d.after(30 * time.Second); s.Turn != 1 || !d.last().Clock.Bank {
			t.Fatalf("turn of seat %d, clock %+v", s.Turn, d.last().Clock)
		}
		call := Request{From: Source{Player: "alice"}, ID: "c", Turn: d.last().Turn, Verb: VerbCall}
		if r := d.ask(call); !r.OK {
			t.Fatalf("%+v", r)
		}
		if used := d.table.clock.used[1]; used != 10*time.Second {
			t.Errorf("%v of the bank are used, want 10s", used)
		}
	})
}

// What is used of a bank stays used over a restart, and goes with the player to another seat.
func TestARestartFillsNoTimeBank(t *testing.T) {
	bubble(t, func(t *testing.T) {
		banked := func(o *Options) { o.TimeBank = 30 * time.Second }
		d := atTurn(t, banked)
		d.after(30 * time.Second)
		d.ask(Request{From: Source{Player: "alice"}, ID: "c", Turn: d.last().Turn, Verb: VerbFold})
		opt := options(t)
		banked(&opt)
		opt.Players = append(opt.Players, Player{Seat: 5, Kind: Remote})
		d = d.again(opt)
		if used := d.table.clock.used[1]; used != 10*time.Second {
			t.Errorf("after a restart %v of the bank are used, want 10s", used)
		}
		d.act(VerbFold, 0)
		d.ask(Request{From: Source{Player: "alice"}, ID: "m", Verb: VerbMove, Seat: 5})
		snapshot := d.table.snapshot()
		d.leave()
		d = sit(t, opt, []journal.Entry{{Kind: journal.Snapshot, Payload: snapshot}})
		defer d.leave()
		if used := d.table.clock.used; used[5] != 10*time.Second || used[1] != 0 {
			t.Errorf("after the move and another restart %v are used", used)
		}
	})
}

// A lost connection counts as all-in where the house does that, and not more often than it grants (BR-40, BR-42); who is
// connected and lets the time run out folds (BR-41). The uses survive a restart.
func TestCover(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rebels := func(o *Options) {
			house, err := engine.HouseNamed("betrebels")
			if err != nil {
				t.Fatal(err)
			}
			o.Rules.House, o.Cover = house, Cover{Uses: 1, Window: 7 * 24 * time.Hour}
		}
		d := atTurn(t, rebels)
		s := d.last().State
		if r := d.ask(Request{From: Source{Player: "alice"}, ID: "c", Turn: d.last().Turn, Verb: VerbCall}); !r.OK {
			t.Fatalf("%+v", r)
		}
		cut := d.last().State.Turn
		player := []string{"", "alice", "bruno", "carla"}[cut]
		d.table.Presence(d.ctx, player, false)
		if s = *d.after(21 * time.Second); !s.Live.Has(cut) || s.Turn == cut {
			t.Fatalf("seat %d, cut off: %+v", cut, s.Seats[cut])
		}
		if uses := d.table.covered[player]; len(uses) != 1 {
			t.Errorf("uses %v", uses)
		}
		entries := d.entries
		d.leave()
		opt := options(t)
		rebels(&opt)
		opt.Journal, opt.Records = &memory{}, records(entries)
		again, err := New(opt)
		if err != nil {
			t.Fatal(err)
		}
		if uses := again.covered[player]; len(uses) != 1 {
			t.Errorf("after a restart: uses %v", uses)
		}
		again.now = time.Now()
		again.players = []Player{{Seat: again.state.Turn, Player: player, Kind: Remote}}
		if again.cover(again.state.Turn) {
			t.Error("covered once more than the house grants")
		}
		floor := Request{From: Source{Console: "floor"}, Verb: VerbResetCover, Seat: again.state.Turn}
		if err := again.resetCover(&floor); err == nil {
			t.Error("a reset that the house does not grant")
		}
		again.opt.Cover.Resets = 1
		if err := again.resetCover(&floor); err != nil {
			t.Errorf("the reset: %v", err)
		}
		again.now = again.now.Add(time.Second)
		if !again.cover(again.state.Turn) {
			t.Error("not covered after a reset")
		}
		if err := again.resetCover(&floor); err == nil {
			t.Error("one reset more than the house grants")
		}
	})
}

// A request is in time by when it came in, though it waited for the table.
func TestInTimeByArrival(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTurn(t, func(o *Options) {})
		defer d.leave()
		turn, arrived := d.last().Turn, time.Now().Add(20*time.Second-time.Millisecond)
		block := make(chan struct{})
		d.table.post(d.ctx, message{fact: func(*Table) { <-block }})
		time.Sleep(25 * time.Second)
		d.table.Ask(d.ctx, Request{From: Source{Player: "alice"}, At: arrived, ID: "c", Turn: turn, Verb: VerbCall})
		close(block)
		synctest.Wait()
		if s := d.last().State; !s.Live.Has(1) || s.Turn == 1 {
			t.Errorf("seat 1: %+v, turn of seat %d", s.Seats[1], s.Turn)
		}
		turn = d.last().Turn
		seat := d.last().State.Turn
		late := Request{
			From: Source{Player: []string{"", "alice", "bruno", "carla"}[seat]}, At: time.Now().Add(20*time.Second + time.Millisecond),
			ID: "l", Turn: turn, Verb: VerbCall,
		}
		if r := d.ask(late); r.OK {
			t.Error("a call that came too late")
		}
	})
}
