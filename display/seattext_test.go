package display_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/display"
	"tavolo/engine"
	"tavolo/engine/card"
)

func TestSeatText(t *testing.T) {
	player := engine.SeatView{Seat: 4, Stack: 5000, Dealt: true, Live: true, Cards: card.MustParse("AhKd"), Holds: "ace high"}
	acts := func(l engine.Legal) engine.AwaitView {
		return engine.AwaitView{Kind: engine.AwaitAction, Seat: 4, Legal: &l}
	}
	for _, tt := range []struct {
		name   string
		phase  engine.Phase
		awaits engine.AwaitView
		seat   func(*engine.SeatView)
		note   display.SeatNote
		want   string
	}{
		{name: "before the hand", phase: engine.Between, want: "STACK 5000"},
		{name: "sits out", phase: engine.Between, seat: func(s *engine.SeatView) { s.Out = true }, want: "SIT OUT/STACK 5000"},
		{name: "won", phase: engine.Between, note: display.SeatNote{Won: 1200}, want: "WON 1200/STACK 5000"},
		{name: "not in this hand", phase: engine.Dealing, seat: func(s *engine.SeatView) { s.Dealt, s.Live = false, false }, want: "NEXT HAND/STACK 5000"},
		{name: "out of this hand", phase: engine.Dealing, seat: func(s *engine.SeatView) { s.Out, s.Dealt, s.Live = true, false, false }, want: "SIT OUT/STACK 5000"},
		{name: "goes out after this hand", phase: engine.Dealing, seat: func(s *engine.SeatView) { s.Out = true }, want: "STACK 5000/POT 1800"},
		{name: "folded", phase: engine.Betting, seat: func(s *engine.SeatView) { s.Live = false }, want: "FOLDED/STACK 5000/POT 1800"},
		{name: "all-in", phase: engine.Dealing, seat: func(s *engine.SeatView) { s.Stack, s.AllIn = 0, true }, want: "ALL IN/POT 1800"},
		{name: "has bet", phase: engine.Betting, seat: func(s *engine.SeatView) { s.Bet = 300 }, want: "STACK 5000/BET 300/POT 1800"},
		{
			name: "to call", phase: engine.Betting, want: "CALL 300/MIN 600/STACK 5000/POT 1800",
			awaits: acts(engine.Legal{ToCall: 300, Raise: true, MinTo: 600, MaxTo: 5000, AllIn: 5000}),
		},
		{
			name: "to bet", phase: engine.Betting, want: "CHECK/MIN 100/STACK 5000/POT 1800",
			awaits: acts(engine.Legal{Check: true, Raise: true, Opens: true, MinTo: 100, MaxTo: 5000, AllIn: 5000}),
		},
		{
			name: "pot limit", phase: engine.Betting, want: "CALL 300/MIN 600/MAX 2400/STACK 5000",
			awaits: acts(engine.Legal{ToCall: 300, Raise: true, MinTo: 600, MaxTo: 2400}),
		},
		{
			name: "fixed limit", phase: engine.Betting, want: "CALL 200/RAISE TO 400/STACK 5000",
			awaits: acts(engine.Legal{ToCall: 200, Raise: true, MinTo: 400, MaxTo: 400}),
		},
		{
			name: "fixed limit, first", phase: engine.Betting, want: "CHECK/BET 200/STACK 5000/POT 1800",
			awaits: acts(engine.Legal{Check: true, Raise: true, Opens: true, MinTo: 200, MaxTo: 200}),
		},
		{
			name: "two sizes", phase: engine.Betting, want: "CHECK/TO 200 OR 400/STACK 5000/POT 1800",
			awaits: acts(engine.Legal{Check: true, Raise: true, Opens: true, MinTo: 200, MaxTo: 400, TwoSizes: true}),
		},
		{
			name: "may split", phase: engine.Betting, want: "CHECK/SPLIT: PRESS SHOW/STACK 5000",
			awaits: acts(engine.Legal{Check: true, Split: true}),
		},
		{
			name: "brings in", phase: engine.Betting, want: "BRING IN 100/RAISE TO 400/STACK 5000",
			awaits: acts(engine.Legal{BringIn: 100, Raise: true, MinTo: 400, MaxTo: 400}),
		},
		{name: "draws", phase: engine.Drawing, want: "THROW UP TO 4/OR STAND PAT: CALL", awaits: engine.AwaitView{Kind: engine.AwaitDiscard, Seat: 4, Of: 4}},
		{
			name: "has thrown", phase: engine.Drawing, want: "THROWN 2 OF 4/THEN PRESS CALL",
			awaits: engine.AwaitView{Kind: engine.AwaitDiscard, Seat: 4, Of: 4}, note: display.SeatNote{Thrown: 2},
		},
		{name: "somebody else draws", phase: engine.Drawing, want: "STACK 5000/POT 1800", awaits: engine.AwaitView{Kind: engine.AwaitDiscard, Seat: 5, Of: 4}},
		{name: "may only call", phase: engine.Betting, awaits: acts(engine.Legal{ToCall: 700}), want: "CALL 700/STACK 5000/POT 1800"},
		{name: "calls with all", phase: engine.Betting, awaits: acts(engine.Legal{ToCall: 5000, AllIn: 5000}), want: "CALL 5000 ALL IN/STACK 5000/POT 1800"},
		{
			name: "somebody else's turn", phase: engine.Betting, want: "STACK 5000/POT 1800",
			awaits: engine.AwaitView{Kind: engine.AwaitAction, Seat: 5, Legal: &engine.Legal{ToCall: 300}},
		},
		{name: "may muck", phase: engine.Showing, awaits: engine.AwaitView{Kind: engine.AwaitReveal, Seat: 4, MayMuck: true}, want: "SHOW OR MUCK/POT 1800"},
		{name: "must show", phase: engine.Showing, awaits: engine.AwaitView{Kind: engine.AwaitReveal, Seat: 4}, want: "SHOW YOUR HAND/POT 1800"},
		{name: "mucked", phase: engine.Showing, seat: func(s *engine.SeatView) { s.Mucked = true }, want: "MUCKED/STACK 5000"},
		{name: "in euros", phase: engine.Betting, note: display.SeatNote{Units: 100}, want: "STACK 50/POT 18"},
		{name: "in euros and cents", phase: engine.Between, note: display.SeatNote{Won: 1205, Units: 100}, want: "WON 12.05/STACK 50"},
		{name: "much", phase: engine.Between, seat: func(s *engine.SeatView) { s.Stack = 12_999_999_999 }, want: "STACK 12999.9M"},
		{name: "as much as fits", phase: engine.Between, seat: func(s *engine.SeatView) { s.Stack = 99_999_999 }, want: "STACK 99999999"},
		{name: "more than fits", phase: engine.Between, seat: func(s *engine.SeatView) { s.Stack = 109_999_999 }, want: "STACK 109.9M"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := player
			if tt.seat != nil {
				tt.seat(&s)
			}
			v := engine.View{Phase: tt.phase, Total: 1800, Awaits: tt.awaits, Seats: []engine.SeatView{{Seat: 2, Stack: 1}, s}}
			if got := display.SeatText(v, 4, tt.note); got != strings.ReplaceAll(tt.want, "/", "\n") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := display.SeatText(engine.View{}, 7, display.SeatNote{}); got != "SEAT 7\nFREE" {
		t.Errorf("free seat: %q", got)
	}
}

// TestSeatTextFits: whatever the view, the display has room for the text, and no card is in it.
func TestSeatTextFits(t *testing.T) {
	chips := rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(n int64) engine.Chips { return engine.Chips(n) })
	some := rapid.OneOf(chips, rapid.Map(rapid.Int64Range(0, 100_000_000), func(n int64) engine.Chips { return engine.Chips(n) }))
	rapid.Check(t, func(t *rapid.T) {
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		n := func(name string) engine.Chips { return some.Draw(t, name) }
		v := engine.View{
			Phase: rapid.SampledFrom([]engine.Phase{engine.Between, engine.Dealing, engine.Betting, engine.Showing}).Draw(t, "phase"),
			Total: n("total"),
			Seats: []engine.SeatView{{
				Seat: 1, Stack: n("stack"), Bet: n("bet"), Out: flag("out"), Dealt: flag("dealt"), Live: flag("live"),
				AllIn: flag("all-in"), Mucked: flag("mucked"), Cards: card.MustParse("AhKd"), Holds: "ace high",
			}},
		}
		if v.Phase == engine.Betting {
			v.Awaits = engine.AwaitView{Kind: engine.AwaitAction, Seat: 1, Legal: &engine.Legal{
				Check: flag("check"), ToCall: n("to call"), Raise: flag("raise"), Opens: flag("opens"), MinTo: n("min"), MaxTo: n("max"),
			}}
			if flag("calls with all") {
				v.Awaits.Legal.ToCall = v.Seats[0].Stack
			}
		}
		note := display.SeatNote{Won: n("won"), Units: rapid.SampledFrom([]engine.Chips{0, 1, 100, 1000}).Draw(t, "units")}
		text := display.SeatText(v, rapid.SampledFrom([]engine.Seat{1, 2}).Draw(t, "seat"), note)
		lines := strings.Split(text, "\n")
		if text == "" || len(text) > 40 || len(lines) > 4 {
			t.Fatalf("%q does not fit", text)
		}
		for _, l := range lines {
			if l == "" || len(l) > 20 || strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Fatalf("line %q of %q", l, text)
			}
		}
		for _, secret := range []string{"Ah", "Kd", "ace"} {
			if strings.Contains(text, secret) {
				t.Fatalf("%q shows the hand", text)
			}
		}
	})
}

// Against the house a display says when to bet, and what the box has bet, instead of a pot.
func TestSeatTextOfABox(t *testing.T) {
	bets := &engine.BoxView{Ante: 10, Bonus: 5, Flop: 20}
	for _, tt := range []struct {
		name  string
		phase engine.Phase
		legal *engine.Legal
		box   *engine.BoxView
		won   engine.Chips
		want  string
	}{
		{name: "bets are open", phase: engine.Between, want: "PLACE YOUR BET\nSTACK 500"},
		{name: "has bet", phase: engine.Between, box: &engine.BoxView{Ante: 10, Bonus: 5}, want: "BETS 15\nSTACK 500"},
		{name: "has won", phase: engine.Between, won: 70, want: "WON 70\nSTACK 500"},
		{name: "plays or folds", phase: engine.Betting, box: bets, legal: &engine.Legal{Raise: true, Opens: true, MinTo: 20, MaxTo: 20}, want: "BET 20\nSTACK 500\nBETS 35"},
		{name: "checks or bets", phase: engine.Betting, box: bets, legal: &engine.Legal{Check: true, NoFold: true, Raise: true, Opens: true, MinTo: 10, MaxTo: 10}, want: "CHECK\nBET 10\nSTACK 500\nBETS 35"},
		{name: "waits", phase: engine.Dealing, box: bets, want: "STACK 500\nBETS 35"},
	} {
		v := engine.View{
			Phase: tt.phase, Total: 900, Bank: &engine.BankView{},
			Seats: []engine.SeatView{{Seat: 4, Stack: 500, Dealt: true, Live: true, Box: tt.box}},
		}
		if tt.legal != nil {
			v.Awaits = engine.AwaitView{Kind: engine.AwaitAction, Seat: 4, Legal: tt.legal}
		}
		if got := display.SeatText(v, 4, display.SeatNote{Won: tt.won}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
