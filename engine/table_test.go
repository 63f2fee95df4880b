package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
)

// failer is what a table under test needs of a test: testing's and rapid's have it.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// table is a table under test. Every input goes through apply, which checks afterwards all that must hold at any time.
type table struct {
	t      failer
	state  engine.State
	shadow engine.State // the same, folded from the events
	books  *books
}

func newTable(t failer, rules *engine.Rules) *table {
	s := engine.State{Rules: rules}
	return &table{t: t, state: s, shadow: s, books: newBooks(rules)}
}

// apply puts one input to the engine. A refusal must be a *RuleError and leave everything as it was; what is accepted must
// leave a table in which chips and cards add up, that replays, keeps its secrets, and awaits exactly one thing.
func (tb *table) apply(in engine.Input) ([]engine.Event, error) {
	tb.t.Helper()
	after, events, err := engine.Apply(tb.state, in)
	if err != nil {
		tb.refused(in, after, events, err)
		return nil, err
	}
	tb.state = after
	for i := range events {
		if wrong := tb.books.enter(&events[i]); wrong != "" {
			tb.t.Fatalf("%s\nafter %+v, by %v", wrong, in, texts(events))
		}
		tb.shadow = engine.Replay(tb.shadow, events[i:i+1])
		if got, want := tb.shadow.Chips(), tb.books.brought; got != want {
			tb.t.Fatalf("%d chips are on the table, %d were brought, after event %d of %v", got, want, i+1, texts(events))
		}
	}
	if tb.shadow != after {
		tb.t.Fatalf("the events do not give back the state\nafter %+v: %v\n%+v\n%+v", in, texts(events), tb.shadow, after)
	}
	tb.checkChips(in)
	tb.checkText(events)
	tb.checkSecrets(events)
	tb.checkAwaited(in)
	return events, nil
}

// refused checks that a refusal was a proper one.
func (tb *table) refused(in engine.Input, after engine.State, events []engine.Event, err error) {
	var rule *engine.RuleError
	switch {
	case !errors.As(err, &rule):
		tb.t.Fatalf("%+v: refused with %T, not with a *RuleError: %v", in, err, err)
	case rule.Code == "" || rule.Text == "":
		tb.t.Fatalf("%+v: refused without code or text: %+v", in, rule)
	case after != tb.state || events != nil:
		tb.t.Fatalf("%+v: refused (%v), and yet something changed: %v", in, err, texts(events))
	}
}

func (tb *table) checkChips(in engine.Input) {
	tb.t.Helper()
	if got, want := tb.state.Chips(), tb.books.brought; got != want {
		tb.t.Fatalf("%d chips are on the table, %d were brought, after %+v", got, want, in)
	}
	pots, n := tb.state.Pots()
	var sum engine.Chips
	for _, p := range pots[:n] {
		sum += p.Amount
	}
	for i, p := range tb.state.Seats {
		sum += p.Bet
		switch {
		case p.Stack < 0 || p.Bet < 0 || p.Put < 0:
			tb.t.Fatalf("seat %d has chips below zero after %+v: %+v", i, in, p)
		case p.Stack+p.Aside != tb.books.stack[engine.Seat(i)]:
			tb.t.Fatalf("seat %d has %d, the books say %d, after %+v", i, p.Stack+p.Aside, tb.books.stack[engine.Seat(i)], in)
		}
	}
	if total := tb.state.Total(); sum != total {
		tb.t.Fatalf("pots and bets are %d, the total is %d, after %+v", sum, total, in)
	}
}

// checkText checks that the journal's text of events and state gives them back.
func (tb *table) checkText(events []engine.Event) {
	tb.t.Helper()
	for _, e := range events {
		again[engine.Event](tb.t, e, nil)
		if e.Kind == engine.BettingOpened || e.Kind == engine.HandEnded { // often enough: it takes long
			again[engine.State](tb.t, tb.state, func(s *engine.State) { s.Rules = tb.state.Rules })
		}
	}
}

func again[T comparable](t failer, v T, mend func(*T)) {
	t.Helper()
	text, err := json.Marshal(v)
	var back T
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if mend != nil {
		mend(&back)
	}
	if err != nil || back != v {
		t.Fatalf("%s does not read back as it was: %v\n%+v\n%+v", text, err, back, v)
	}
}

// checkSecrets checks, letter by letter, that no view or redacted event tells a card that its viewer may not see. Where no
// card has moved, nothing is new.
func (tb *table) checkSecrets(events []engine.Event) {
	tb.t.Helper()
	if !slices.ContainsFunc(events, func(e engine.Event) bool {
		return e.Card != card.None || e.Cards != engine.Cards{} || e.Kind == engine.HandEnded
	}) {
		return
	}
	for seat := engine.Seat(0); seat <= engine.MaxSeats; seat++ {
		if seat > 1 && !tb.state.Seats[seat].Taken {
			continue // sees what the public does
		}
		viewer := engine.Viewer{Seat: seat}
		seen := []any{engine.ViewFor(tb.state, viewer)}
		for _, e := range events {
			seen = append(seen, engine.Redact(e, viewer))
		}
		text, err := json.Marshal(seen)
		if err != nil {
			tb.t.Fatalf("%v", err)
		}
		for _, c := range tb.books.secret(seat) {
			if strings.Contains(string(text), c.String()) {
				tb.t.Fatalf("a viewer at seat %d sees %v: %s", seat, c, text)
			}
		}
	}
}

// checkAwaited checks that exactly one thing is awaited, by trying everything: what Awaits says is taken, at both ends of
// every range, and nothing else is.
func (tb *table) checkAwaited(in engine.Input) {
	tb.t.Helper()
	a := tb.state.Awaits()
	var legal, illegal []engine.Input
	try := func(ok bool, in engine.Input) {
		if ok {
			legal = append(legal, in)
		} else {
			illegal = append(illegal, in)
		}
	}
	dealing := a.Kind == engine.AwaitBurn || a.Kind == engine.AwaitHole || a.Kind == engine.AwaitBoard
	for _, c := range toCome(&tb.state).Cards() {
		if own := a.Kind == engine.AwaitHole && tb.books.threwAway(a.Seat, c); own || len(legal) == 0 {
			try(dealing && (!own || tb.books.nothingElse(a.Seat)), engine.Input{Kind: engine.CardRead, Card: c})
		}
	}
	faceless := a.Kind != engine.AwaitBoard && (!a.Up || tb.state.Rules.House.UnknownUpCards)
	try(dealing && faceless, engine.Input{Kind: engine.CardRead, Card: card.Hidden})
	if tb.state.Out != 0 {
		try(false, engine.Input{Kind: engine.CardRead, Card: tb.state.Out.Cards()[0]})
	}
	if foreign := card.French &^ tb.state.Rules.Game.Deck; foreign != 0 {
		try(false, engine.Input{Kind: engine.CardRead, Card: foreign.Cards()[0]})
	}
	if a.Kind != engine.AwaitNothing {
		try(false, engine.Input{Kind: engine.HandStarted})
	}
	try(a.Kind != engine.AwaitNothing, engine.Input{Kind: engine.HandVoided})
	try(a.Kind == engine.AwaitReload, engine.Input{Kind: engine.Reloaded})
	try(dealing, engine.Input{Kind: engine.SetAside, Card: card.Hidden, Reason: "boxed"})
	try(false, engine.Input{Kind: engine.SetAside, Card: card.Hidden})
	for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
		p := &tb.state.Seats[seat]
		acts := a.Kind == engine.AwaitAction && seat == a.Seat
		shows := a.Kind == engine.AwaitReveal && seat == a.Seat
		draws := a.Kind == engine.AwaitDiscard && seat == a.Seat
		try(acts && a.Legal.BringIn == 0, engine.Input{Kind: engine.Acted, Seat: seat, Action: engine.Fold})
		try(acts && a.Legal.BringIn > 0, engine.Input{Kind: engine.Acted, Seat: seat, Action: engine.BringIn})
		answers := a.Kind == engine.AwaitShield && seat == a.Seat
		try(acts || draws || answers || shows && p.Known(), engine.Input{Kind: engine.ClockRanOut, Seat: seat})
		try(acts && tb.covered(), engine.Input{Kind: engine.Disconnected, Seat: seat})
		try(shows && p.Known(), engine.Input{Kind: engine.Shown, Seat: seat})
		try(shows && a.MayMuck, engine.Input{Kind: engine.Mucked, Seat: seat})
		try(p.Live && !p.Mucked && a.Kind != engine.AwaitNothing && tb.books.in() > 1, engine.Input{Kind: engine.HandKilled, Seat: seat, Reason: "two cards short"})
		try(a.Kind == engine.AwaitNothing && p.Taken, engine.Input{Kind: engine.StackCorrected, Seat: seat, Amount: -p.Stack, Reason: "miscounted"})
		try(false, engine.Input{Kind: engine.StackCorrected, Seat: seat, Amount: -p.Stack - 1, Reason: "miscounted"})
		try(draws, engine.Input{Kind: engine.Discarded, Seat: seat})
		if n := min(a.Of, p.HoleLen); draws {
			try(true, engine.Input{Kind: engine.Discarded, Seat: seat, Cards: engine.CardsOf(p.Hole[:n]...)})
		}
		try(a.Kind == engine.AwaitNothing && p.Taken, engine.Input{Kind: engine.SeatLeft, Seat: seat})
		try(p.Taken, engine.Input{Kind: engine.SatOut, Seat: seat})
	}
	if a.Kind == engine.AwaitDiscard {
		for _, in := range tb.badDiscards(a) {
			try(false, in)
		}
	}
	if a.Kind == engine.AwaitAction {
		l, p := a.Legal, &tb.state.Seats[a.Seat]
		act := func(action engine.Action, amount engine.Chips) engine.Input {
			return engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: action, Amount: amount}
		}
		if wrong := inconsistent(l, p, tb.state.Bet); wrong != "" {
			tb.t.Fatalf("%s: %+v, with %d and %d in front, after %+v", wrong, l, p.Stack, p.Bet, in)
		}
		right, other := engine.Raise, engine.Bet
		if l.Opens {
			right, other = engine.Bet, engine.Raise
		}
		try(l.Check, act(engine.Check, 0))
		try(l.ToCall > 0, act(engine.Call, 0))
		try(l.AllIn > 0, act(engine.AllIn, 0))
		try(l.Split, act(engine.Split, 0))
		try(l.Raise, act(right, l.MinTo))
		try(l.Raise, act(right, l.MaxTo))
		middle := l.MinTo + (l.MaxTo-l.MinTo)/2
		try(l.Raise && (!l.TwoSizes || middle == l.MinTo), act(right, middle))
		try(false, act(right, l.MinTo-1))
		try(false, act(right, l.MaxTo+1))
		try(false, act(other, l.MinTo))
		try(false, act(0, 0))
	}
	for _, in := range legal {
		if _, _, err := engine.Apply(tb.state, in); err != nil {
			tb.t.Fatalf("%+v is awaited, but %+v is refused: %v", a, in, err)
		}
	}
	for _, in := range illegal {
		after, events, err := engine.Apply(tb.state, in)
		if err == nil {
			tb.t.Fatalf("%+v is awaited, but %+v is taken: %v", a, in, texts(events))
		}
		tb.refused(in, after, events, err)
	}
}

// covered reports whether the house covers lost connections: noxwin where decisions cost little, betrebels everywhere.
func (tb *table) covered() bool {
	limit := tb.state.Rules.Limit
	switch tb.state.Rules.House.Name {
	case "noxwin":
		return limit == engine.FixedLimit || limit == engine.SpreadLimit
	case "betrebels":
		return true
	}
	return false
}

// badDiscards are discards that the seat to draw cannot make: too many, one twice, and one it does not hold.
func (tb *table) badDiscards(a engine.Await) (out []engine.Input) {
	p := &tb.state.Seats[a.Seat]
	bad := func(cards ...card.Card) {
		out = append(out, engine.Input{Kind: engine.Discarded, Seat: a.Seat, Cards: engine.CardsOf(cards...)})
	}
	bad(slices.Repeat([]card.Card{card.Hidden}, int(a.Of)+1)...)
	if p.Hole[0].Known() {
		bad(p.Hole[0], p.Hole[0])
	}
	if p.Known() {
		bad(card.Hidden)
		bad((tb.state.Rules.Game.Deck &^ card.SetOf(p.Hole[:p.HoleLen]...)).Cards()[0])
	}
	if foreign := card.French &^ tb.state.Rules.Game.Deck; foreign != 0 {
		bad(foreign.Cards()[0])
	}
	if elsewhere := tb.state.Out &^ card.SetOf(p.Hole[:p.HoleLen]...); elsewhere != 0 {
		bad(elsewhere.Cards()[0])
	}
	return out
}

// inconsistent says what is wrong with a Legal by itself, "" if nothing is.
func inconsistent(l engine.Legal, p *engine.Place, bet engine.Chips) string {
	all := p.Bet + p.Stack
	switch {
	case l.BringIn > 0 && (l.Check || l.ToCall > 0 || l.BringIn > p.Stack || bet > 0):
		return "who brings in has nothing else to do, or to bet"
	case l.BringIn == 0 && l.Check != (l.ToCall == 0):
		return "a seat may check when there is nothing to call, and only then"
	case l.ToCall > p.Stack:
		return "a seat may not call more than it has"
	case l.Raise && (l.MinTo <= bet || l.MaxTo < l.MinTo || l.MaxTo > all):
		return "the sizes of a raise are above the bet, in order, and within the stack"
	case !l.Raise && (l.MinTo != 0 || l.MaxTo != 0 || l.Opens):
		return "no raise, no sizes"
	case l.Opens && bet != 0:
		return "a bet opens only where there is none"
	case l.AllIn != 0 && l.AllIn != all:
		return "all-in is all"
	case l.AllIn == 0 && p.Stack > 0 && (all <= bet || all == l.BringIn):
		return "a seat may always put in all it has to meet the bet"
	case l.AllIn > max(bet, l.BringIn) && (!l.Raise || l.MaxTo != all):
		return "all-in above the bet is a raise, and the largest"
	}
	return ""
}

func texts(events []engine.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "\n\t%+v", e)
	}
	return b.String()
}
