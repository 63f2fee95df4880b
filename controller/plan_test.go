package controller

import (
	"testing"

	"tavolo/controller/journal"
	"tavolo/engine"
)

// plan asks for what a player decides ahead in the hand, facing a bet.
func (d *desk) plan(seat engine.Seat, v Verb, bet engine.Chips) *Reply {
	d.t.Helper()
	return d.ask(Request{From: d.player(seat), Verb: v, Hand: d.state().Hand, Amount: bet})
}

// A plan is carried out when the turn comes, if the bet is still the one it was made for.
func TestPlans(t *testing.T) {
	for name, c := range map[string]struct {
		verb Verb
		bet  engine.Chips
		one  Verb // what seat 1 does meanwhile
		to   engine.Chips
		act  engine.Action // what seat 2 does by itself, 0 for nothing
	}{
		"call":                    {VerbPlanCall, 2, VerbCall, 0, engine.Call},
		"fold":                    {VerbPlanCheckFold, 2, VerbCall, 0, engine.Fold},
		"call, a raise":           {VerbPlanCall, 2, VerbRaise, 6, 0},
		"fold, a raise":           {VerbPlanCheckFold, 2, VerbRaise, 6, 0},
		"call any, a raise":       {VerbPlanCallAny, 2, VerbRaise, 6, engine.Call},
		"check, where it may not": {VerbPlanCheck, 2, VerbCall, 0, 0},
		"taken back":              {VerbPlanNone, 2, VerbCall, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				defer d.leave()
				d.start()
				d.deal(6)
				if r := d.plan(2, c.verb, c.bet); !r.OK {
					t.Fatalf("%+v", r)
				}
				if got := d.last().Plans[2].Verb; c.verb != VerbPlanNone && got != c.verb {
					t.Errorf("seat 2 is told of %q", got)
				}
				if r := d.act(c.one, c.to); !r.OK {
					t.Fatalf("%+v", r)
				}
				var did engine.Action
				for _, e := range d.last().Events {
					if e.Kind == engine.PlayerActed && e.Seat == 2 {
						did = e.Action
					}
				}
				if did != c.act || (c.act == 0) != (d.state().Turn == 2) {
					t.Errorf("seat 2 did %v, the turn of seat %d", did, d.state().Turn)
				}
				if d.last().Plans[2].Verb != "" {
					t.Errorf("a plan is left: %+v", d.last().Plans)
				}
			})
		})
	}
}

func TestPlansThatAreNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		if r := d.plan(2, VerbPlanCall, 0); r.OK {
			t.Error("a plan between hands")
		}
		d.start()
		d.deal(6)
		if r := d.plan(1, VerbPlanCall, 2); r.Code != CodeStaleTurn {
			t.Errorf("in the player's own turn: %+v", r)
		}
		if r := d.plan(2, VerbPlanCall, 1); r.Code != CodeChanged {
			t.Errorf("for another bet: %+v", r)
		}
		old := Request{From: d.player(2), ID: "old", Verb: VerbPlanCheckFold, Hand: d.state().Hand - 1, Amount: 2}
		if r := d.ask(old); r.Code != CodeChanged {
			t.Errorf("for another hand: %+v", r)
		}
		late := Request{From: d.player(2), ID: "late", Verb: VerbPlanCheckFold, Hand: d.state().Hand, Amount: 2, Street: "flop"}
		if r := d.ask(late); r.Code != CodeChanged || d.last().Plans[2].Verb != "" {
			t.Errorf("for another street: %+v", r)
		}
		late.ID, late.Street = "now", "preflop"
		if r := d.ask(late); !r.OK || d.last().Plans[2].Verb != VerbPlanCheckFold {
			t.Errorf("for this street: %+v", r)
		}
		if r := d.ask(Request{From: Source{Player: "zoe"}, ID: "z", Verb: VerbPlanCall}); r.Code != CodeUnknownPlayer {
			t.Errorf("of nobody: %+v", r)
		}
	})
}

// again starts the daemon anew, with what the journal has.
func (d *desk) again(opt Options) *desk {
	d.t.Helper()
	d.leave()
	return sit(d.t, opt, d.entries)
}

// A plan outlives a restart until it is carried out, and no longer.
func TestARestartForgetsNoPlan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.start()
		d.deal(6)
		d.plan(2, VerbPlanCallAny, 2)
		d = d.again(options(t))
		if got := d.last().Plans[2].Verb; got != VerbPlanCallAny {
			t.Fatalf("after a restart seat 2 is told of %q", got)
		}
		d.act(VerbRaise, 6) // seat 1, and seat 2 calls
		if s := d.state(); s.Turn != 3 || s.Seats[2].Bet != 6 {
			t.Fatalf("the turn of seat %d, seat 2 has bet %d", s.Turn, s.Seats[2].Bet)
		}
		d = d.again(options(t))
		d.act(VerbRaise, 20)
		d.act(VerbCall, 0)
		if s := d.state(); s.Turn != 2 || s.Seats[2].Bet != 6 {
			t.Errorf("what was planned once is done twice: the turn of seat %d, seat 2 has bet %d", s.Turn, s.Seats[2].Bet)
		}
		d.plan(3, VerbPlanNone, 0)
		d.leave()
	})
}

// Who mucks without being asked does so after a restart too, from the records and from a snapshot.
func TestARestartForgetsNoAutoMuck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.ask(Request{From: d.player(1), ID: "m", Verb: VerbAutoMuck})
		d.ask(Request{From: d.player(2), ID: "m", Verb: VerbAutoMuck})
		d = d.again(options(t))
		d.ask(Request{From: d.player(2), ID: "n", Verb: VerbAskMuck})
		snapshot := d.table.snapshot()
		d.leave()
		d = sit(t, options(t), []journal.Entry{{Kind: journal.Snapshot, Payload: snapshot}})
		defer d.leave()
		if p := d.last().Plans; !p[1].AutoMuck || p[2].AutoMuck || p[3].AutoMuck {
			t.Errorf("after restarts: %+v", p[1:4])
		}
	})
}

// A plan names its street, so no game has two of one name.
func TestStreetsAreNamedApart(t *testing.T) {
	for _, g := range engine.Games {
		named := map[string]bool{}
		for _, s := range g.Streets {
			if s.Name == "" || named[s.Name] {
				t.Errorf("%s has a street %q too many", g.Name, s.Name)
			}
			named[s.Name] = true
		}
	}
}
