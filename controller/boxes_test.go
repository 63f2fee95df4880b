package controller

import (
	"crypto/rand"
	"reflect"
	"slices"
	"testing"

	"tavolo/engine"
	"tavolo/engine/bonus"
)

// boxes are the options of a table against the house: alice has boxes 1 and 2, bruno box 3, and box 4 is at the felt.
func boxes(t *testing.T) Options {
	t.Helper()
	opt := options(t)
	game, err := engine.GameNamed("bonus")
	if err != nil {
		t.Fatal(err)
	}
	house, err := engine.HouseNamed("bonus")
	if err != nil {
		t.Fatal(err)
	}
	opt.Rules = &engine.Rules{
		Game: game, House: house, Limit: engine.FixedLimit,
		Stakes: engine.Stakes{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25},
	}
	opt.Button = 0
	opt.Players[1].Player, opt.Players[2].Player = "alice", "bruno"
	opt.Players = append(opt.Players, Player{Seat: 4, Player: "carla", Kind: Felt, Stack: 200})
	opt.Zones = append(opt.Zones, zone("seat 4"), zone("house"))
	return opt
}

// A player has any number of boxes, one deal serves them all and the house, and the bank is part of what adds up (BP-02..09).
func TestBP09BoxesAgainstTheHouse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, boxes(t), nil)
		defer d.leave()
		alice, bruno, panel := Source{Player: "alice"}, Source{Player: "bruno"}, Source{Panel: 4}
		if in := d.last().Instruction; in.Kind != "wait" {
			t.Errorf("before any bet the dealer is told %+v", in)
		}
		if r := d.console(VerbStartHand); r.Code != string(engine.CodeTooFew) {
			t.Errorf("a hand without a bet: %+v", r)
		}
		for _, c := range []struct {
			ask  Request
			code string
		}{
			{Request{From: alice, Verb: VerbStake, Amount: 1}, ""}, // raised to the least, on her first box
			{Request{From: alice, Verb: VerbStake, Seat: 2, Amount: 10, Bonus: 5}, ""},
			{Request{From: alice, Verb: VerbStake, Seat: 3, Amount: 10}, CodeNotYours},
			{Request{From: alice, Verb: VerbStake, Seat: 99, Amount: 10}, CodeNotYours},
			{Request{From: bruno, Verb: VerbStake, Amount: 2000}, string(engine.CodeTooMuch)},
			{Request{From: bruno, Verb: VerbStake, Amount: 20}, ""},
			{Request{From: bruno, Verb: VerbStake}, ""}, // taken back
			{Request{From: panel, Verb: VerbBetRaise, Amount: 6}, CodeStaleTurn},
			{Request{From: panel, Verb: VerbBetRaise, Amount: 6, Turn: StakeTurn(d.last().Turn)}, ""},
			{Request{From: Source{Console: "d1"}, Verb: VerbStake, Seat: 4, Amount: 8, Bonus: 1}, ""},
			{Request{From: Source{Console: "d1"}, Verb: VerbStake, Seat: 3, Amount: 8}, CodeWrongKind},
		} {
			if r := d.ask(c.ask); r.Code != c.code {
				t.Errorf("%+v: %+v, want %q", c.ask, r, c.code)
			}
		}
		d.start()
		for _, at := range []struct {
			seat engine.Seat
			want engine.Chips
		}{{1, 198}, {2, 185}, {3, 200}, {4, 191}} {
			if got := d.state().Seats[at.seat].Stack; got != at.want {
				t.Errorf("seat %d has %d left, want %d", at.seat, got, at.want)
			}
		}
		if in := d.last().Instruction; in.Kind != "hole" || in.Seat != 1 {
			t.Errorf("the dealer is told %+v", in)
		}
		d.deal(8) // two to each of three boxes and to the house
		if in := d.last().Instruction; in.Kind != "wait" {
			t.Errorf("when all have their cards the dealer is told %+v", in)
		}
		turn := func(from Source, v Verb, amount engine.Chips) {
			t.Helper()
			if r := d.ask(Request{From: from, Verb: v, Amount: amount, Turn: d.last().Turn}); !r.OK {
				t.Errorf("%v of %v: %+v", v, from, r)
			}
		}
		turn(alice, VerbFold, 0)
		turn(alice, VerbBet, 20) // the other box, whose turn it is now
		turn(panel, VerbCheckCall, 0)
		if bets := d.state().Seats[4].Wagers; bets != 1 {
			t.Errorf("the call key before the flop: bets %b", bets)
		}
		d.deal(4)
		turn(alice, VerbCheck, 0)
		turn(panel, VerbBetRaise, 8)
		d.deal(2)
		turn(alice, VerbBet, 10)
		turn(panel, VerbCheckCall, 0)
		d.deal(2)
		s := d.state()
		if s.Phase != engine.Between || !s.Seats[0].Shown {
			t.Fatalf("phase %v, the house's hand is shown: %v", s.Phase, s.Seats[0].Shown)
		}
		if got := s.Chips() + s.Bank; got != 800 || s.Bank == 0 {
			t.Errorf("%d on the table and %d in the bank, 800 were brought", s.Chips(), s.Bank)
		}
		if len(d.last().Prompts) > 0 {
			t.Errorf("prompts %+v", d.last().Prompts)
		}
	})
}

// TestBP02APowerCutKeepsStakes: what lies on the boxes is there after a restart.
func TestBP02APowerCutKeepsStakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, boxes(t), nil)
		if r := d.ask(Request{From: Source{Player: "bruno"}, ID: "1", Verb: VerbStake, Amount: 20, Bonus: 5}); !r.OK {
			t.Fatal(r)
		}
		d.leave()
		again := sit(t, boxes(t), slices.Clone(d.entries))
		defer again.leave()
		if p := again.state().Seats[3]; p.Ante != 20 || p.Bonus != 5 || p.Stack != 175 {
			t.Errorf("after the restart the box is %+v", p)
		}
		if r := again.ask(Request{From: Source{Player: "bruno"}, Verb: VerbLeave}); !r.OK {
			t.Fatal(r)
		}
		if got := again.state().Chips(); got != 600 {
			t.Errorf("%d chips are left when bruno has taken his 200", got)
		}
	})
}

// TestBP09PlayersBehindABox: they put their own money behind anybody's box, over the network; it follows what the box decides,
// and a power cut anywhere forgets none of it.
func TestBP09PlayersBehindABox(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, boxes(t), nil)
		emma, bruno := Source{Player: "emma"}, Source{Player: "bruno"}
		back := func(from Source, seat engine.Seat, ante, extra engine.Chips) string {
			t.Helper()
			return d.ask(Request{From: from, ID: rand.Text(), Verb: VerbBack, Seat: seat, Amount: ante, Bonus: extra}).Code
		}
		for _, c := range []struct {
			from        Source
			seat        engine.Seat
			ante, extra engine.Chips
			code        string
		}{
			{emma, 1, 10, 5, ""},
			{emma, 3, 1, 0, ""},
			{emma, 2, 10, 0, ""}, // a box that nobody will play
			{bruno, 1, 40, 0, ""},
			{bruno, 1, 0, 0, ""}, // taken back
			{bruno, 1, 1001, 0, string(engine.CodeTooMuch)},
			{bruno, 9, 10, 0, string(engine.CodeSeatEmpty)},
			{Source{Panel: 4}, 1, 10, 0, CodeUnknownVerb},
		} {
			if code := back(c.from, c.seat, c.ante, c.extra); code != c.code {
				t.Errorf("%+v: %q", c, code)
			}
		}
		for _, stake := range []Request{{From: Source{Player: "alice"}, Amount: 4}, {From: bruno, Amount: 2}} {
			stake.Verb = VerbStake
			d.ask(stake)
		}
		d.start()
		if code := back(emma, 1, 10, 0); code != string(engine.CodeHandInPlay) {
			t.Errorf("a stake after the deal: %q", code)
		}
		if u := d.last(); len(u.Rail.InPlay) != 2 || len(u.Rail.Open) != 0 {
			t.Errorf("in play %+v", u.Rail)
		}
		d.deal(6)
		for d.state().Phase != engine.Between {
			u := d.last()
			switch a := u.State.Awaits(); {
			case a.Kind != engine.AwaitAction:
				d.deal(1)
			case a.Seat == 3:
				d.ask(Request{From: bruno, Verb: VerbFold, Turn: u.Turn})
			default:
				d.ask(Request{From: Source{Player: "alice"}, Verb: VerbBet, Amount: a.Legal.MinTo, Turn: u.Turn})
			}
		}
		rail := d.last().Rail
		if len(rail.Settled) != 2 || rail.Settled[0].Bets.Total() != 10+5+20+10+10 || rail.Settled[1].Bets.Total() != 2 {
			t.Fatalf("settled %+v", rail.Settled)
		}
		if got := rail.Settled[1].Back.Total(); got != 0 {
			t.Errorf("behind the box that folded: %d back", got)
		}
		line, cards := d.state().Outcome(1)
		if want := bonus.Settle(bonus.Stake{Ante: 10, Bonus: 5}, line, cards); rail.Settled[0].Back != want {
			t.Errorf("handed back %+v, want %+v", rail.Settled[0].Back, want)
		}
		d.leave()
		for _, n := range d.sizes {
			again := sit(t, boxes(t), slices.Clone(d.entries[:n]))
			if n == len(d.entries) && !reflect.DeepEqual(again.last().Rail, rail) {
				t.Errorf("after a restart %+v, want %+v", again.last().Rail, rail)
			}
			again.leave()
		}
	})
}
