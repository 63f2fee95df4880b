package controller

import (
	"testing"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/jackpot"
	"tavolo/engine/rake"
)

// NX-B0, NX-B1, NX-B6: four queens lose to four kings, and the pool, grown by its part of the rake, is shared: 40 % to the
// queens, 20 % to the kings, 20 % to all three. A restart knows what is left, from the records and from a snapshot.
func TestABadBeatIsPaid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		rules := *opt.Rules
		rules.Stakes = engine.Stakes{SmallBlind: 10, BigBlind: 20}
		rules.Rake = rake.Row{Limits: []string{"no-limit"}, Steps: []rake.Step{{Take: 1, Per: 10}}}
		opt.Rules = &rules
		rule, err := jackpot.Table{Game: "holdem", Seats: 3}.Rule()
		if err != nil {
			t.Fatal(err)
		}
		opt.Jackpot = &Jackpot{Rule: rule, Part: 50, Start: 1000}
		d := sit(t, opt, nil)
		d.deck = card.MustParse("QhKh2cQsKs2d" + "3cQcQdKc" + "3dKd" + "3h4h")
		d.playHand()
		d.leave()

		const rake, growth = 6, 3 // of a pot of 60
		const loser, winner, each = 401, 200, 66
		s := d.state()
		for seat, want := range map[engine.Seat]engine.Chips{1: 180 + each, 2: 180 + loser + each, 3: 240 - rake + winner + each} {
			if got := s.Seats[seat].Stack; got != want {
				t.Errorf("seat %d has %d, want %d", seat, got, want)
			}
		}
		const left = 1000 + growth - loser - winner - 3*each
		if got := d.last().Jackpot; got != left {
			t.Errorf("%d are left in the pool, want %d", got, left)
		}

		again := sit(t, opt, d.entries)
		if got := again.last().Jackpot; got != left {
			t.Errorf("%d are in the pool after a restart, want %d", got, left)
		}
		snapshot := again.table.snapshot()
		again.leave()
		if again = sit(t, opt, []journal.Entry{{Kind: journal.Snapshot, Payload: snapshot}}); again.last().Jackpot != left {
			t.Errorf("%d are in the pool of a snapshot, want %d", again.last().Jackpot, left)
		}
		again.leave()
	})
}

// A hand that is no bad beat only feeds the pool; one that is not raked leaves it as it is.
func TestTheJackpotGrowsWithTheRake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		rules := *opt.Rules
		rules.Stakes = engine.Stakes{SmallBlind: 10, BigBlind: 20}
		rules.Rake = rake.Row{Limits: []string{"no-limit"}, Steps: []rake.Step{{Take: 1, Per: 10}}}
		opt.Rules = &rules
		opt.Jackpot = &Jackpot{Rule: jackpot.Rules[0], Part: 50, Start: 7}
		d := sit(t, opt, nil)
		defer d.leave()
		d.deck = card.MustParse("QhKh2cJs9s2d" + "3cQcQdKc" + "3d8d" + "3h4h")
		d.playHand()
		if got, want := d.last().Jackpot, engine.Chips(7+3); got != want {
			t.Errorf("the pool holds %d, want %d", got, want)
		}
		if got := d.state().Chips(); got != 600-6 {
			t.Errorf("%d chips at the table, want all but the rake", got)
		}
	})
}
