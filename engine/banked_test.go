package engine_test

import (
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// TestBP02RulesAgainstTheHouse: what keeps such a table from being opened, each by itself.
func TestBP02RulesAgainstTheHouse(t *testing.T) {
	for want, spoil := range map[string]func(*engine.Rules){
		"limit: bonus has bets of fixed sizes": func(r *engine.Rules) { r.Limit = engine.NoLimit },
		"min_ante above 0":                     func(r *engine.Rules) { r.Stakes.MinAnte = 0 },
		"max_ante not below it":                func(r *engine.Rules) { r.Stakes.MaxAnte = 1 },
		"min_bonus above 0":                    func(r *engine.Rules) { r.Stakes.MinBonus = 0 },
		"max_bonus not below it":               func(r *engine.Rules) { r.Stakes.MinBonus = 30 },
		"at most 10000000000":                  func(r *engine.Rules) { r.Stakes.MaxAnte = engine.MaxChips },
		"stakes.max_bonus: -1":                 func(r *engine.Rules) { r.Stakes.MaxBonus = -1 },
		"no pot to take it of":                 func(r *engine.Rules) { r.Rake.Steps = append(r.Rake.Steps, struct{ Below, Take, Per int64 }{0, 1, 20}) },
		"powers":                               func(r *engine.Rules) { r.Powers = engine.Naiko },
	} {
		rules := engine.Rules{
			Game: gameNamed(t, "bonus"), House: houseNamed(t, "bonus"), Limit: engine.FixedLimit,
			Stakes: engine.Stakes{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25},
		}
		if err := rules.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&rules)
		if err := rules.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestBP09OneDealServesEveryBox: the house's two cards are nobody's to see before it shows them, and one seat is enough.
func TestBP09OneDealServesEveryBox(t *testing.T) {
	rules := &engine.Rules{
		Game: gameNamed(t, "bonus"), House: houseNamed(t, "bonus"), Limit: engine.FixedLimit,
		Stakes: engine.Stakes{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25},
	}
	tb := newTable(t, rules)
	put := func(in engine.Input) {
		t.Helper()
		if _, err := tb.apply(in); err != nil {
			t.Fatal(err)
		}
	}
	put(engine.Input{Kind: engine.SeatTaken, Seat: 4, Amount: 100})
	put(engine.Input{Kind: engine.Staked, Seat: 4, Amount: 10, Bonus: 5})
	if got := engine.ViewFor(tb.State, engine.Viewer{}).Seats[0].Box; got == nil || *got != (engine.BoxView{Ante: 10, Bonus: 5}) {
		t.Errorf("before the deal the box has %+v", got)
	}
	put(engine.Input{Kind: engine.HandStarted})
	for _, c := range card.MustParse("AhKdAsQd") { // one after another, the house last
		put(engine.Input{Kind: engine.CardRead, Card: c})
	}
	for _, viewer := range []engine.Viewer{{}, {Seat: 4}} {
		view := engine.ViewFor(tb.State, viewer)
		if got := card.Text(view.Bank.Cards); got != "????" || view.Bank.Holds != "" {
			t.Errorf("viewer %+v sees the house hold %s, %q", viewer, got, view.Bank.Holds)
		}
	}
	put(engine.Input{Kind: engine.Acted, Seat: 4, Action: engine.Bet, Amount: 20})
	view := engine.ViewFor(tb.State, engine.Viewer{Seat: 4})
	if got := view.Seats[0]; card.Text(got.Cards) != "AhAs" || *got.Box != (engine.BoxView{Ante: 10, Bonus: 5, Flop: 20}) {
		t.Errorf("the box is %+v, %+v", got, got.Box)
	}
	if all := engine.ViewFor(tb.State, engine.Viewer{All: true}); card.Text(all.Bank.Cards) != "KdQd" {
		t.Errorf("the auditor sees %v", all.Bank.Cards)
	}
	put(engine.Input{Kind: engine.HandVoided})
	put(engine.Input{Kind: engine.Staked, Seat: 4, Amount: 8})
	if got := engine.ViewFor(tb.State, engine.Viewer{}).Seats[0].Box; got == nil || *got != (engine.BoxView{Ante: 8}) {
		t.Errorf("before the next deal the box has %+v", got)
	}
}

// TestOutcomeOutlivesTheHand: what a box decided is there for those behind it when the hand is over, and no part of its next
// stake (BP-09).
func TestOutcomeOutlivesTheHand(t *testing.T) {
	rules := &engine.Rules{
		Game: gameNamed(t, "bonus"), House: houseNamed(t, "bonus"), Limit: engine.FixedLimit,
		Stakes: engine.Stakes{MinAnte: 2, MaxAnte: 1000},
	}
	tb := newTable(t, rules)
	put := func(in engine.Input) {
		t.Helper()
		if _, err := tb.apply(in); err != nil {
			t.Fatal(err)
		}
	}
	put(engine.Input{Kind: engine.SeatTaken, Seat: 4, Amount: 100})
	put(engine.Input{Kind: engine.Staked, Seat: 4, Amount: 10})
	put(engine.Input{Kind: engine.HandStarted})
	deck := card.MustParse("AhKdAsQd 2c3c4d9h 5cTs 6cJc")
	for tb.State.Phase != engine.Between {
		if a := tb.State.Awaits(); a.Kind == engine.AwaitAction {
			put(engine.Input{Kind: engine.Acted, Seat: 4, Action: engine.Bet, Amount: a.Legal.MinTo})
			continue
		}
		put(engine.Input{Kind: engine.CardRead, Card: deck[0]})
		deck = deck[1:]
	}
	line, cards := tb.State.Outcome(4)
	if !line.Play || !line.Turn || !line.River || cards.Box.Len() != 2 || cards.House.Len() != 2 || cards.Board.Len() != 5 {
		t.Errorf("after the hand: %+v, %+v", line, cards)
	}
	put(engine.Input{Kind: engine.Staked, Seat: 4, Amount: 10})
	if got := engine.ViewFor(tb.State, engine.Viewer{}).Seats[0].Box; *got != (engine.BoxView{Ante: 10}) {
		t.Errorf("the next stake: %+v", got)
	}
}
