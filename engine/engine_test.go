package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/rake"
)

func TestValidateNamesEveryFault(t *testing.T) {
	rules := engine.Rules{
		Game: gameNamed(t, "holdem"), House: houseNamed(t, "tda"), Limit: engine.FixedLimit,
		Stakes: engine.Stakes{SmallBlind: 20, BigBlind: 10, Ante: -1, SmallBet: 10, BigBet: 5, Chip: engine.MaxChips + 1},
	}
	err := rules.Validate()
	for _, want := range []string{"stakes.small_blind", "stakes.ante", "big_bet", "stakes.chip"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate does not tell of %s: %v", want, err)
		}
	}
	rules = engine.Rules{
		Game: gameNamed(t, "stud"), House: houseNamed(t, "tda"), Limit: engine.SpreadLimit,
		Stakes: engine.Stakes{MinBet: 10, Cap: 5, Spread: [3]engine.Chips{5, 4, 3}},
	}
	err = rules.Validate()
	for _, want := range []string{"stakes.bring_in: stud needs", "stakes.cap: a cap is for", "stakes.spread"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate does not tell of %s: %v", want, err)
		}
	}
	if err := (engine.Rules{}).Validate(); err == nil || !strings.Contains(err.Error(), "game") || !strings.Contains(err.Error(), "house") {
		t.Errorf("Validate of nothing: %v", err)
	}
	for _, g := range engine.Games {
		for limit := engine.NoLimit; limit <= engine.SpreadLimit; limit++ {
			if g.Banked() && limit != engine.FixedLimit {
				continue // its bets have one size
			}
			rules := engine.Rules{Game: g, House: houseNamed(t, "tda"), Limit: limit, Stakes: engine.Stakes{
				SmallBlind: 1, BigBlind: 2, BringIn: 1, SmallBet: 2, BigBet: 4, Spread: [3]engine.Chips{2, 4, 6},
				MinAnte: 2, MaxAnte: 1000,
			}}
			if err := rules.Validate(); err != nil {
				t.Errorf("%s, %v: %v", g.Name, limit, err)
			}
		}
	}
}

// TestStakesThatDoNotFitAreRefused: each fault by itself; TC-01 among them, a rake above a tenth of the pot.
func TestStakesThatDoNotFitAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(*engine.Rules){
		"stakes.bring_in: stud needs":       func(r *engine.Rules) { r.Stakes.BringIn = 0 },
		"stakes.bring_in: 11 is above":      func(r *engine.Rules) { r.Stakes.BringIn = 11 },
		"stakes.cap: a cap is for no limit": func(r *engine.Rules) { r.Stakes.Cap = 100 },
		"stakes.cap: 4 is below":            func(r *engine.Rules) { r.Limit, r.Stakes.Cap = engine.PotLimit, 4 },
		"stakes.spread":                     func(r *engine.Rules) { r.Limit, r.Stakes.Spread = engine.SpreadLimit, [3]engine.Chips{5, 4, 6} },
		"needs a big_blind, a bring_in":     func(r *engine.Rules) { *r = engine.Rules{Game: engine.Games[0], House: r.House, Limit: engine.HalfPot} },
		"TC-01": func(r *engine.Rules) {
			r.Rake = rake.Row{Limits: []string{"fixed"}, Steps: []rake.Step{{Take: 11, Per: 100}}}
		},
	} {
		rules := engine.Rules{
			Game: gameNamed(t, "stud"), House: houseNamed(t, "noxwin"), Limit: engine.FixedLimit, Rake: rake.Noxwin[1],
			Stakes: engine.Stakes{Ante: 1, BringIn: 5, SmallBet: 10, BigBet: 20},
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

func TestAGameThatCannotBeDealtIsRefused(t *testing.T) {
	good := *gameNamed(t, "holdem")
	for what, spoil := range map[string]func(*engine.Game){
		"no streets":         func(g *engine.Game) { g.Streets = nil },
		"no ranking":         func(g *engine.Game) { g.High.Of = nil },
		"0 hole cards":       func(g *engine.Game) { g.Streets = g.Streets[1:] },
		"15 community cards": func(g *engine.Game) { g.Streets = append([]engine.Street{{Down: 1, Board: 10}}, g.Streets[1:]...) },
		"deck":               func(g *engine.Game) { g.Deck = card.SetOf(card.MustParse("AsKs")...) },
	} {
		g := good
		spoil(&g)
		if err := g.Validate(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestANewGameIsARow plays a game that the engine has no row for and that needs no line of it: Courchevel, five-card Omaha
// hi/lo whose first board card lies open before the first bets.
func TestANewGameIsARow(t *testing.T) {
	courchevel := &engine.Game{
		Name: "courchevel", Title: "Courchevel hi/lo", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Low: eval.EightOrBetter,
		Use: eval.TwoAndThree, Streets: []engine.Street{
			{Name: "preflop", Down: 5, Board: 1, Opener: engine.LeftOfBlinds},
			{Name: "flop", Burn: true, Board: 2},
			{Name: "turn", Burn: true, Board: 1, Big: true},
			{Name: "river", Burn: true, Board: 1, Big: true},
		},
	}
	if err := courchevel.Validate(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) { randomPlay(rt, courchevel) })
}

func TestNamesAreFoundOrListed(t *testing.T) {
	if _, err := engine.GameNamed("bridge"); err == nil || !strings.Contains(err.Error(), "holdem, omaha") {
		t.Errorf("GameNamed: %v", err)
	}
	if _, err := engine.HouseNamed("ours"); err == nil || !strings.Contains(err.Error(), "tda") {
		t.Errorf("HouseNamed: %v", err)
	}
	for limit := engine.NoLimit; limit <= engine.SpreadLimit; limit++ {
		if l, err := engine.LimitNamed(limit.String()); err != nil || l != limit {
			t.Errorf("LimitNamed(%q) = %v, %v", limit, l, err)
		}
	}
	if _, err := engine.LimitNamed("kitty"); err == nil {
		t.Error("LimitNamed finds a limit that is none")
	}
}

func TestARuleErrorSaysWhoWhatAndWhy(t *testing.T) {
	s := facingABet(t)
	_, _, err := engine.Apply(s, engine.Input{Kind: engine.Acted, Seat: s.Turn, Action: engine.Raise, Amount: 11})
	var rule *engine.RuleError
	if !errors.As(err, &rule) || rule.Code != engine.CodeTooLittle || rule.Seat != s.Turn || rule.Rule != "TD-02" {
		t.Fatalf("got %+v", err)
	}
	if got, want := err.Error(), "seat 4: 11 is too little: 20 at least (TD-02)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestATableHoldsNoMoreThanMaxChips(t *testing.T) {
	s := facingABet(t)
	s, _, _ = engine.Apply(s, engine.Input{Kind: engine.HandVoided})
	for _, amount := range []engine.Chips{engine.MaxChips - s.Chips() + 1, 1<<63 - 1} {
		if _, _, err := engine.Apply(s, engine.Input{Kind: engine.SeatTaken, Seat: 10, Amount: amount}); err == nil {
			t.Errorf("%d chips joined %d", amount, s.Chips())
		}
	}
	if _, _, err := engine.Apply(s, engine.Input{Kind: engine.ChipsAdded, Seat: 1, Amount: engine.MaxChips - s.Chips()}); err != nil {
		t.Errorf("a table of MaxChips: %v", err)
	}
}

func TestInputsReadBackFromTheirText(t *testing.T) {
	for _, in := range []engine.Input{
		{Kind: engine.SeatTaken, Seat: 3, Amount: 200},
		{Kind: engine.CardRead, Card: card.MustParse("Td")[0]},
		{Kind: engine.CardRead, Card: card.Hidden},
		{Kind: engine.Acted, Seat: 10, Action: engine.AllIn},
		{Kind: engine.Shown, Seat: 1, Cards: engine.CardsOf(card.MustParse("AsKd")...)},
		{Kind: engine.HandVoided, Reason: `a "boxed" card`},
	} {
		again(t, in, nil)
	}
	forced := engine.Input{Kind: engine.HandStarted, Forced: &engine.Forced{Button: 2, Rake: 7}}
	forced.Forced.Blinds[3] = -10
	text, err := json.Marshal(forced)
	var back engine.Input
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || back.Forced == nil || *back.Forced != *forced.Forced {
		t.Errorf("%s: %v, %+v", text, err, back.Forced)
	}
	for _, text := range []string{`{"kind":"sneezed"}`, `{"kind":""}`, `{"action":"flop"}`, `{"cards":"AsKsQsJsTs9s8s7s"}`, `{"cards":"As1"}`, `{"card":"1s"}`} {
		if err := json.Unmarshal([]byte(text), new(engine.Input)); err == nil {
			t.Errorf("%s was read as an input", text)
		}
	}
}

func TestZonesReadBackFromTheirNames(t *testing.T) {
	for _, z := range []engine.Zone{
		{Kind: engine.ZoneShoe},
		{Kind: engine.ZoneBoard},
		{Kind: engine.ZoneBurn},
		{Kind: engine.ZoneMuck},
		{Kind: engine.ZoneSeat, Seat: 1},
		{Kind: engine.ZoneSeat, Seat: engine.MaxSeats},
		{Kind: engine.ZoneStack, Seat: 2},
		{Kind: engine.ZoneSpot, Seat: 2},
		{Kind: engine.ZonePot},
		{Kind: engine.ZoneTray},
	} {
		if back, err := engine.ParseZone(z.String()); err != nil || back != z {
			t.Errorf("ParseZone(%q) = %v, %v", z, back, err)
		}
	}
	for _, text := range []string{"", "seat", "seat 0", "seat 11", "seat 3x", "seat 03", "seat -1", "stack", "pot 2", "floor"} {
		if z, err := engine.ParseZone(text); err == nil {
			t.Errorf("ParseZone(%q) = %v", text, z)
		}
	}
}

func TestACardAwaitedBelongsToAZone(t *testing.T) {
	s := facingABet(t)
	s, _, _ = engine.Apply(s, engine.Input{Kind: engine.HandVoided})
	s, _, _ = engine.Apply(s, engine.Input{Kind: engine.HandStarted})
	seen := map[engine.Zone]int{}
	for s.Phase != engine.Between {
		a := s.Awaits()
		seen[a.Zone()]++
		in := engine.Input{Kind: engine.CardRead, Card: (s.Rules.Game.Deck &^ s.Out).Cards()[0]}
		if a.Kind == engine.AwaitAction || a.Kind == engine.AwaitReveal {
			in = engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
		}
		if a.Kind == engine.AwaitAction && !a.Legal.Check {
			in = engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.Call}
		}
		s, _, _ = engine.Apply(s, in)
	}
	for zone, want := range map[engine.Zone]int{
		{Kind: engine.ZoneSeat, Seat: 3}: 2, {Kind: engine.ZoneSeat, Seat: 10}: 0,
		{Kind: engine.ZoneBurn}: 3, {Kind: engine.ZoneBoard}: 5, {}: 9*4 + 9,
	} {
		if seen[zone] != want {
			t.Errorf("%d things were awaited in zone %q, want %d", seen[zone], zone, want)
		}
	}
}

// What a viewer may see, event by event; that views and events keep their secrets in play is checked by table.apply.
func TestRedact(t *testing.T) {
	ace := card.MustParse("As")[0]
	dealt := engine.Event{Kind: engine.HoleDealt, Seat: 3, Card: ace}
	burnt := engine.Event{Kind: engine.CardBurned, Card: ace}
	board := engine.Event{Kind: engine.BoardDealt, Card: ace}
	shown := engine.Event{Kind: engine.HandShown, Seat: 3, Cards: engine.CardsOf(card.MustParse("AsAd")...)}
	for _, c := range []struct {
		who  string
		v    engine.Viewer
		e    engine.Event
		sees bool
	}{
		{"the public", engine.Viewer{}, dealt, false},
		{"the owner", engine.Viewer{Seat: 3}, dealt, true},
		{"another seat", engine.Viewer{Seat: 2}, dealt, false},
		{"an auditor", engine.Viewer{All: true}, dealt, true},
		{"the public", engine.Viewer{}, burnt, false},
		{"a seat", engine.Viewer{Seat: 3}, burnt, false},
		{"an auditor", engine.Viewer{All: true}, burnt, true},
		{"the public", engine.Viewer{}, board, true},
		{"the public", engine.Viewer{}, shown, true},
	} {
		got := engine.Redact(c.e, c.v)
		if sees := got == c.e; sees != c.sees {
			t.Errorf("%s sees %v of %v", c.who, got, c.e)
		}
		got.Card = c.e.Card
		if got != c.e {
			t.Errorf("%s: more than the face is gone of %v", c.who, c.e)
		}
	}
}

func TestViewTellsTheTable(t *testing.T) {
	s := facingABet(t)
	public, mine := engine.ViewFor(s, engine.Viewer{}), engine.ViewFor(s, engine.Viewer{Seat: 4})
	if public.Street != "preflop" || public.Total != 15 || public.Awaits.Seat != 4 || public.Awaits.Legal == nil || public.Awaits.Legal.ToCall != 10 {
		t.Errorf("the public view: %+v", public)
	}
	if public.Seats[3].Holds != "" || public.Seats[3].Cards[0] != card.Hidden {
		t.Errorf("the public sees seat 4: %+v", public.Seats[3])
	}
	if mine.Seats[3].Holds == "" || !mine.Seats[3].Cards[0].Known() {
		t.Errorf("seat 4 does not see itself: %+v", mine.Seats[3])
	}
}

// A hand that was shown is told with the cards that make it, and those that make its low hand; one that was not, without.
func TestViewTellsWhatMakesAHand(t *testing.T) {
	for _, tt := range []struct{ game, hole, board, best, low string }{
		{"holdem", "AhKd", "AsKcKh7d2c", "KhKdKcAsAh", ""},
		{"holdem", "2h3d", "AsKsQsJsTs", "AsKsQsJsTs", ""},
		{"omaha8", "AhAd2c9d", "As8c4h3dKc", "AsAhAdKc8c", "8c4h3d2cAd"},
		{"omaha8", "AhAd2c9d", "AsKcKh7d2s", "AsAhAdKhKc", ""},
		{"badugi", "Ah2d3d9c", "", "9c2dAh", ""},
		{"omaha", "AhAd2c9d", "", "", ""},
	} {
		s := engine.State{Rules: &engine.Rules{Game: gameNamed(t, tt.game), House: houseNamed(t, "tda")}}
		p := &s.Seats[4]
		p.Taken, p.Dealt, p.Shown, p.HoleLen = true, true, true, int8(copy(p.Hole[:], card.MustParse(tt.hole)))
		s.BoardLen = int8(copy(s.Board[:], card.MustParse(tt.board)))
		if got := engine.ViewFor(s, engine.Viewer{}).Seats[0]; card.Text(got.Best) != tt.best || card.Text(got.BestLow) != tt.low {
			t.Errorf("%s, %s on %s: %s and %s, want %s and %s", tt.game, tt.hole, tt.board, card.Text(got.Best), card.Text(got.BestLow), tt.best, tt.low)
		}
		p.Shown = false
		if got := engine.ViewFor(s, engine.Viewer{Seat: 4}).Seats[0]; len(got.Best)+len(got.BestLow) > 0 {
			t.Errorf("%s not shown: %v, %v", tt.hole, got.Best, got.BestLow)
		}
	}
}

// A pot is told with the cards it was won with: of each half its own, and of a hand that nobody had to beat none.
func TestAwardTellsWhatItWasWonWith(t *testing.T) {
	for _, tt := range []struct {
		name, does string
		want       []string
	}{
		{"a half each", "", []string{"1 low 8c4h3d2cAd", "2 KhKdKcAs8c"}},
		{"uncontested", "fold", []string{"1 "}},
		{"the other mucks", "muck", []string{"2 KhKdKcAs8c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := engine.State{Rules: &engine.Rules{
				Game: gameNamed(t, "omaha8"), House: houseNamed(t, "tda"), Limit: engine.PotLimit, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2},
			}}
			var awards []string
			do := func(in engine.Input) {
				t.Helper()
				next, events, err := engine.Apply(s, in)
				if err != nil {
					t.Fatal(err)
				}
				s = next
				for _, e := range events {
					if low := map[bool]string{true: "low "}[e.Low]; e.Kind == engine.PotAwarded {
						awards = append(awards, fmt.Sprintf("%d %s%s", e.Seat, low, card.Text(e.Cards.Slice())))
					}
				}
			}
			hole := map[engine.Seat][]card.Card{1: card.MustParse("QhAd2c9d"), 2: card.MustParse("KhKdAcJd")}
			board := card.MustParse("As8c4h3dKc")
			burns := card.MustParse("2d2h2s")
			do(engine.Input{Kind: engine.SeatTaken, Seat: 1, Amount: 200})
			do(engine.Input{Kind: engine.SeatTaken, Seat: 2, Amount: 200})
			do(engine.Input{Kind: engine.HandStarted})
			for s.Phase != engine.Between {
				in := engine.Input{Kind: engine.CardRead}
				take := func(from *[]card.Card) { in.Card, *from = (*from)[0], (*from)[1:] }
				switch a := s.Awaits(); a.Kind {
				case engine.AwaitBurn:
					take(&burns)
				case engine.AwaitHole:
					in.Card = hole[a.Seat][a.Number-1]
				case engine.AwaitBoard:
					take(&board)
				case engine.AwaitAction:
					in = engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.Call}
					if a.Legal.Check {
						in.Action = engine.Check
					}
					if tt.does == "fold" && a.Seat == 2 {
						in.Action = engine.Fold
					}
				case engine.AwaitReveal:
					if in = (engine.Input{Kind: engine.Shown, Seat: a.Seat}); tt.does == "muck" && s.Seats[3-a.Seat].Shown {
						in.Kind = engine.Mucked
					}
				}
				do(in)
			}
			if !slices.Equal(awards, tt.want) {
				t.Errorf("awarded %q, want %q", awards, tt.want)
			}
		})
	}
}
