package face

import (
	"math/rand/v2"
	"testing"

	"tavolo/controller"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

func TestKeysAreRequests(t *testing.T) {
	const turn = 1000
	f := &Face{Turn: turn}
	now := PromptOf(turn)
	seat := controller.Source{Panel: 7}
	for _, c := range []struct {
		name string
		key  Press
		want controller.Request // the zero one for none
	}{
		{"fold", Press{Key: bridge.KeyFold, Down: true, Prompt: now}, controller.Request{From: seat, Verb: controller.VerbFold, Turn: turn}},
		{
			"a bet",
			Press{Key: bridge.KeyBet, Down: true, Prompt: now, Amount: 30},
			controller.Request{From: seat, Verb: controller.VerbBetRaise, Turn: turn, Amount: 30},
		},
		{"meant for the turn before", Press{Key: bridge.KeyCall, Down: true, Prompt: PromptOf(turn - 1)}, controller.Request{From: seat, Verb: controller.VerbCheckCall}},
		{"nothing was asked", Press{Key: bridge.KeyCall, Down: true}, controller.Request{From: seat, Verb: controller.VerbCheckCall}},
		{"sit out", Press{Key: bridge.KeySit, Down: true}, controller.Request{From: seat, Verb: controller.VerbToggleSit}},
		{"let go", Press{Key: bridge.KeyFold, Prompt: now}, controller.Request{}},
		{"no such key", Press{Key: 200, Down: true, Prompt: now}, controller.Request{}},
	} {
		got, ok := f.Request(7, c.key)
		if got != c.want || ok != (c.want != controller.Request{}) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, ok, c.want)
		}
	}
}

// Every amount that the encoder goes through, up from the least and down from the most, is one that the rules take.
func TestTheEncoderGoesThroughWhatIsLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		l := engine.Legal{Raise: true, MinTo: 1 + engine.Chips(rng.IntN(400)), Chip: []engine.Chips{0, 2, 5, 25, 100}[rng.IntN(5)]}
		l.MaxTo = l.MinTo + engine.Chips(rng.IntN(2000))
		l.TwoSizes = l.MaxTo > l.MinTo && rng.IntN(8) == 0
		b := sizes(&l, 1+engine.Chips(rng.IntN(60)))
		var e bridge.Entry
		e.Put(bridge.Ask{Prompt: 1, Start: uint64(b.Start), Min: uint64(b.Min), Max: uint64(b.Max), Step: uint64(b.Step)})
		for _, way := range []int{0, 1, 3, 1, 3000, -1, -2, 1, -3000} {
			e.Turn(way)
			if _, amount := e.Asked(); engine.Chips(amount) != l.Within(engine.Chips(amount)) {
				t.Fatalf("%+v, %+v: the encoder comes to %d", l, b, amount)
			}
		}
	}
}

// A panel tells one turn from the next by their numbers, and never takes a turn for none.
func TestPromptsDiffer(t *testing.T) {
	for turn := range uint64(1000) {
		if a, b := PromptOf(turn), PromptOf(turn+1); a == 0 || a == b {
			t.Errorf("turns %d and %d are prompts %d and %d", turn, turn+1, a, b)
		}
	}
}

func TestPanelOffersWhatIsLegal(t *testing.T) {
	fold, call, bet, all := bridge.KeyFold, bridge.KeyCall, bridge.KeyBet, bridge.KeyAllIn
	for _, c := range []struct {
		name string
		a    engine.Await
		lit  uint16
		bet  seatnode.Bet
	}{
		{"a call for less", engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{ToCall: 5}}, bridge.LampOf(fold, call), seatnode.Bet{}},
		{
			"a raise",
			engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{ToCall: 5, Raise: true, MinTo: 10, MaxTo: 90, AllIn: 90}},
			bridge.LampOf(fold, call, bet, all),
			seatnode.Bet{Start: 10, Min: 10, Max: 90, Step: 2},
		},
		{
			"one of two sizes",
			engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{Check: true, Raise: true, Opens: true, MinTo: 4, MaxTo: 8, TwoSizes: true}},
			bridge.LampOf(fold, call, bet),
			seatnode.Bet{Start: 4, Min: 4, Max: 8, Step: 4},
		},
		{
			"whole chips after an odd all-in",
			engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{ToCall: 137, Raise: true, MinTo: 237, MaxTo: 1037, AllIn: 1037, Chip: 25}},
			bridge.LampOf(fold, call, bet, all),
			seatnode.Bet{Start: 250, Min: 250, Max: 1025, Step: 25},
		},
		{
			"no whole chips between the least and the most",
			engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{ToCall: 137, Raise: true, MinTo: 237, MaxTo: 245, AllIn: 245, Chip: 25}},
			bridge.LampOf(fold, call, bet, all),
			seatnode.Bet{Start: 237, Min: 237, Max: 245, Step: 8},
		},
		{"a split", engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{Check: true, Split: true}}, bridge.LampOf(fold, call, bridge.KeyShow), seatnode.Bet{}},
		{"a bring-in", engine.Await{Kind: engine.AwaitAction, Legal: engine.Legal{BringIn: 2}}, bridge.LampOf(call), seatnode.Bet{}},
		{"a draw", engine.Await{Kind: engine.AwaitDiscard, Of: 5}, bridge.LampOf(call), seatnode.Bet{}},
		{"must show", engine.Await{Kind: engine.AwaitReveal}, bridge.LampOf(bridge.KeyShow), seatnode.Bet{}},
		{"may muck", engine.Await{Kind: engine.AwaitReveal, MayMuck: true}, bridge.LampOf(bridge.KeyShow, bridge.KeyMuck), seatnode.Bet{}},
	} {
		var p seatnode.Panel
		if offer(&p, &c.a, 2); p.Lit != c.lit || p.Bet != c.bet || p.Blink != bridge.SeatLamp {
			t.Errorf("%s: lit %b, bet %+v, blinking %b, want %b and %+v", c.name, p.Lit, p.Bet, p.Blink, c.lit, c.bet)
		}
	}
}
