package selfplay

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// A broken engine is the right one with something wrong. It is to be found out.
var broken = []struct {
	name string
	step step
	want string // in the fault
}{
	{
		name: "panics",
		step: before(func(s *engine.State, in engine.Input) {
			if s.Hand == 3 && in.Kind == engine.Acted {
				panic("all is lost")
			}
		}),
		want: "panic: all is lost",
	},
	{
		name: "refuses with another error",
		step: refusing(func(*engine.State, *engine.RuleError) error { return errors.New("no") }),
		want: "not with a *RuleError",
	},
	{
		name: "refuses without words",
		step: refusing(func(_ *engine.State, e *engine.RuleError) error { return &engine.RuleError{Code: e.Code} }),
		want: "refused without code or text",
	},
	{
		name: "refuses and changes the state",
		step: refusing(func(s *engine.State, e *engine.RuleError) error {
			s.Seats[3].Waits = !s.Seats[3].Waits
			return e
		}),
		want: "the state is another",
	},
	{
		name: "refuses and tells events",
		step: func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
			events, err := engine.Step(s, in, events)
			if err != nil {
				events = append(events, engine.Event{Kind: engine.HandEnded})
			}
			return events, err
		},
		want: "something followed",
	},
	{
		name: "refuses what is awaited",
		step: func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
			if l := s.Awaits().Legal; in.Action == engine.Raise && in.Amount == l.MaxTo {
				return events, &engine.RuleError{Code: engine.CodeTooMuch, Text: "too much"}
			}
			return engine.Step(s, in, events)
		},
		want: "too much",
	},
	{
		name: "takes what is not awaited",
		step: func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
			if in.Kind == engine.Acted && s.Phase == engine.Betting {
				in.Seat = s.Turn
			}
			return engine.Step(s, in, events)
		},
		want: "is taken",
	},
	{
		name: "keeps an event to itself",
		step: telling(func(e *engine.Event) bool { return e.Kind != engine.TurnPassed }),
		want: "the events do not give back the state",
	},
	{
		name: "never ends a hand",
		step: func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
			next := *s
			after, err := engine.Step(&next, in, events)
			if err == nil && in.Kind == engine.CardRead {
				return events, nil
			}
			*s = next
			return after, err
		},
		want: "the hand does not end",
	},
}

func before(do func(*engine.State, engine.Input)) step {
	return func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
		do(s, in)
		return engine.Step(s, in, events)
	}
}

func refusing(as func(*engine.State, *engine.RuleError) error) step {
	return func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
		events, err := engine.Step(s, in, events)
		if e, ok := errors.AsType[*engine.RuleError](err); ok {
			err = as(s, e)
		}
		return events, err
	}
}

func telling(tell func(*engine.Event) bool) step {
	return func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
		all, err := engine.Step(s, in, events)
		var told []engine.Event
		for _, e := range all {
			if tell(&e) {
				told = append(told, e)
			}
		}
		return told, err
	}
}

// TestBrokenEngines: a check that cannot fail is none.
func TestBrokenEngines(t *testing.T) {
	setups, err := Setups("holdem", "no-limit", "tda")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			for seed := range uint64(20) {
				_, v := play(setups[0], handsEach, rand.NewPCG(seed, 0).Uint64, b.step)
				if v == nil {
					continue
				}
				if got := v.Fault.Error(); !strings.Contains(got, b.want) {
					t.Errorf("%s, want: %s", got, b.want)
				}
				return
			}
			t.Error("not found out")
		})
	}
}

// TestShrunk: what is left of a long story is what shows the fault.
func TestShrunk(t *testing.T) {
	setups, err := Setups("holdem", "no-limit", "tda")
	if err != nil {
		t.Fatal(err)
	}
	button := before(func(_ *engine.State, in engine.Input) {
		if in.Kind == engine.ButtonSet {
			panic("no button")
		}
	})
	_, v := play(setups[0], 10*handsEach, rand.NewPCG(1, 0).Uint64, button)
	if v == nil || len(v.Inputs) < 2 {
		t.Fatalf("nothing to shrink: %+v", v)
	}
	if got := v.Shrunk(); len(got) != 1 || got[0].Kind != engine.ButtonSet {
		t.Errorf("%d inputs of %d left:\n%s", len(got), len(v.Inputs), texts(got))
	}
}

// recorded plays hands of a few setups of each game and gives every table's events.
func recorded(t *testing.T) (rules []*engine.Rules, tables [][]engine.Event) {
	t.Helper()
	for i, setup := range allSetups(t) {
		if i%23 != 0 && !setup.Game.Banked() && (setup.Powers == nil || setup.Game.Name != "holdem") {
			continue
		}
		var events []engine.Event
		var table *engine.State // the first to be put an input; others are those that Probe tries things on
		record := func(s *engine.State, in engine.Input, to []engine.Event) ([]engine.Event, error) {
			if table == nil {
				table = s
			}
			to, err := engine.Step(s, in, to)
			if s == table {
				events = append(events, to...)
			}
			return to, err
		}
		if _, v := play(setup, handsEach, rand.NewPCG(uint64(i), 1).Uint64, record); v != nil {
			t.Fatal(v.Fault)
		}
		rules, tables = append(rules, table.Rules), append(tables, events)
	}
	return rules, tables
}

// wrongs are ways to tell events wrongly. Each changes the first of those that follow in a hand, or reports that it cannot;
// it sees what was told of the hand before.
var wrongs = []struct {
	name string
	do   func(before, follow []engine.Event) bool
}{
	{"a chip too much is awarded", amount(engine.PotAwarded, 1)},
	{"a chip too little is awarded", amount(engine.PotAwarded, -1)},
	{"the wrong seat is awarded", func(_, follow []engine.Event) bool {
		follow[0].Seat = follow[0].Seat%engine.MaxSeats + 1
		return follow[0].Kind == engine.PotAwarded
	}},
	{"an odd chip goes to another winner", func(_, follow []engine.Event) bool {
		e, next := &follow[0], &follow[min(1, len(follow)-1)]
		e.Amount--
		next.Amount++
		return e.Kind == engine.PotAwarded && next.Kind == engine.PotAwarded && e.Seat != next.Seat
	}},
	{"an award is left out", omit(engine.PotAwarded)},
	{"the best hand is mucked by the house", func(_, follow []engine.Event) bool {
		e := &follow[0]
		wins := slices.ContainsFunc(follow, func(o engine.Event) bool { return o.Kind == engine.PotAwarded && o.Seat == e.Seat })
		dead := slices.ContainsFunc(follow, func(o engine.Event) bool {
			return o.Kind == engine.HandDeclaredDead || o.Kind == engine.HandRetrieved || o.Kind == engine.HandRewound
		})
		shown := e.Kind == engine.HandShown
		*e = engine.Event{Kind: engine.HandMucked, Seat: e.Seat, Auto: true}
		return shown && wins && !dead // to a hand that is declared dead later it may lose, or it may be taken back
	}},
	{"too much rake is taken", amount(engine.RakeTaken, 1)},
	{"the rake is left out", omit(engine.RakeTaken)},
	{"too little is refunded", amount(engine.BetRefunded, -1)},
	{"what nobody called stays in", omit(engine.UncalledReturned)},
	{"too much of what nobody called goes back", amount(engine.UncalledReturned, 1)},
	{"the pots hold more", amount(engine.BetsCollected, 1)},
	{"a player leaves with more", amount(engine.PlayerLeft, 1)},
	{"chips below zero join a stack", amount(engine.StackAdded, -engine.MaxChips)},
	{"a bet is of another size", func(_, follow []engine.Event) bool {
		follow[0].To++
		return follow[0].Kind == engine.PlayerActed
	}},
	{"an all-in is none", func(_, follow []engine.Event) bool {
		is := follow[0].AllIn && follow[0].Amount > 0
		follow[0].AllIn = false
		return is
	}},
	{"a stack is corrected by more", amount(engine.StackAdjusted, -engine.MaxChips)},
	{"nobody posts a blind", func(_, follow []engine.Event) bool {
		follow[0].Seat = 0
		return follow[0].Kind == engine.BlindPosted
	}},
	{"a card of the board is there twice", twice(engine.BoardDealt)},
	{"a hole card is there twice", twice(engine.HoleDealt)},
	{"a burnt card is there twice", twice(engine.CardBurned)},
	{"a card is none", func(_, follow []engine.Event) bool {
		follow[0].Card = card.None
		return follow[0].Kind == engine.HoleDealt
	}},
	{"another seat opens a round", func(before, follow []engine.Event) bool {
		e := &follow[0]
		e.Seat = e.Seat%engine.MaxSeats + 1
		opens := len(before) > 0 && before[len(before)-1].Kind == engine.BettingOpened
		return opens && e.Kind == engine.TurnPassed && before[0].BigBlind == 0 && before[0].Button == 0
	}},
	{"fewer cards are shown", func(_, follow []engine.Event) bool {
		cards := follow[0].Cards.Slice()
		follow[0].Cards = engine.CardsOf(cards[:max(0, len(cards)-1)]...)
		return follow[0].Kind == engine.HandShown
	}},
	{"more cards are exchanged", amount(engine.CardsDiscarded, 1)},
	{"more cards come back to the shoe", amount(engine.ShoeReloaded, 1)},
	{"a power costs a spark less", func(_, follow []engine.Event) bool {
		follow[0].Sparks--
		return follow[0].Kind == engine.PowerPlayed
	}},
	{"a power is used out of turn", func(_, follow []engine.Event) bool {
		follow[0].Seat = follow[0].Seat%engine.MaxSeats + 1
		return follow[0].Kind == engine.PowerPlayed
	}},
	{"a power is used twice", func(before, follow []engine.Event) bool {
		if len(before) == 0 {
			return false
		}
		last := before[len(before)-1]
		follow[0] = last
		return last.Kind == engine.PowerPlayed
	}},
	{"a power is used that is not in the carousel", func(before, follow []engine.Event) bool {
		for p := engine.Peek; p <= engine.Shield && len(before) > 0; p++ {
			if !before[0].Carousel.Has(p) {
				follow[0].Power, follow[0].Sparks = p, engine.Naiko.Cost[p]
			}
		}
		return follow[0].Kind == engine.PowerPlayed
	}},
	{"a seat anchors itself", func(_, follow []engine.Event) bool {
		follow[0].Target = follow[0].Seat
		return follow[0].Kind == engine.PowerPlayed && follow[0].Power == engine.Anchor
	}},
	{"a seat swaps no card", func(_, follow []engine.Event) bool {
		follow[0].Card = card.None
		return follow[0].Kind == engine.PowerPlayed && follow[0].Power == engine.Swap
	}},
	{"a box is handed a chip more", amount(engine.BoxSettled, 1)},
	{"a box is handed nothing", func(_, follow []engine.Event) bool {
		had := follow[0].Amount
		follow[0].Amount = 0
		return follow[0].Kind == engine.BoxSettled && had > 0
	}},
	{"a bonus bet is paid too well", func(_, follow []engine.Event) bool {
		follow[0].Bonus *= 2
		return follow[0].Kind == engine.BoxSettled && follow[0].Bonus > 0
	}},
	{"a bonus bet is not paid", func(_, follow []engine.Event) bool {
		had := follow[0].Bonus
		follow[0].Bonus = 0
		return follow[0].Kind == engine.BoxSettled && had > 0
	}},
	{"a box is not settled", omit(engine.BoxSettled)},
	{"a stake is above the limits", amount(engine.StakePlaced, 1<<20)},
	{"a box without a stake is dealt in", func(_, follow []engine.Event) bool {
		all := engine.Seats(1<<(engine.MaxSeats+1) - 2)
		some := follow[0].Kind == engine.HandBegan && follow[0].Dealt != all
		follow[0].Dealt = all
		return some && slices.ContainsFunc(follow, func(e engine.Event) bool { return e.Kind == engine.BoxSettled })
	}},
}

func amount(kind engine.EventKind, by engine.Chips) func(_, _ []engine.Event) bool {
	return func(_, follow []engine.Event) bool {
		follow[0].Amount += by
		return follow[0].Kind == kind
	}
}

func omit(kind engine.EventKind) func(_, _ []engine.Event) bool {
	return func(_, follow []engine.Event) bool {
		is := follow[0].Kind == kind
		follow[0].Kind = 0
		return is
	}
}

// twice deals the last known card that was dealt once more.
func twice(kind engine.EventKind) func(_, _ []engine.Event) bool {
	return func(before, follow []engine.Event) bool {
		for _, e := range slices.Backward(before) {
			switch e.Kind {
			case engine.ShoeReloaded, engine.CardsDiscarded, engine.StubShuffled, engine.HandRewound, engine.PowerPlayed:
				return false // it may be in the shoe
			}
			if e.Card.Known() {
				follow[0].Card = e.Card
				return follow[0].Kind == kind
			}
		}
		return false
	}
}

// TestBooksObject: the bookkeeper finds everything that is told wrongly, wherever in a hand it is.
func TestBooksObject(t *testing.T) {
	rules, tables := recorded(t)
	found := make([]int, len(wrongs))
	for i, events := range tables {
		b := books{rules: rules[i]}
		begin := 0
		for n, e := range events {
			if e.Kind == engine.HandBegan {
				begin = n
			}
			end := n + 1
			for begin > 0 && end < len(events) && events[end-1].Kind != engine.HandEnded {
				end++
			}
			for w, wrong := range wrongs {
				follow := slices.Clone(events[n:end])
				if !wrong.do(events[begin:n], follow) {
					continue
				}
				found[w]++
				if told := b; !objects(&told, follow) {
					t.Errorf("%s, and the bookkeeper does not object:\n%s", wrong.name, texts(follow))
				}
			}
			if err := b.enter(&e); err != nil {
				t.Fatalf("the bookkeeper objects to %+v: %v", e, err)
			}
		}
	}
	for w, wrong := range wrongs {
		if found[w] == 0 {
			t.Errorf("never tried: %s", wrong.name)
		}
	}
}

func objects(b *books, events []engine.Event) bool {
	return slices.ContainsFunc(events, func(e engine.Event) bool { return b.enter(&e) != nil })
}
