package selfplay

import (
	"errors"
	"fmt"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/ledger"
)

// Table is a table under check: every input goes through Apply, which looks afterwards at all that must hold at any time.
// The zero value is none, see NewTable.
type Table struct {
	// State is the table as the engine has it: to read, not to change.
	State engine.State

	shadow engine.State // the same, folded from the events
	books  books
	ledger ledger.Ledger
	events []engine.Event
	step   step

	// of Probe: what to try, and what comes of one
	trials  []trial
	after   engine.State
	scratch []engine.Event
}

// NewTable opens an empty table. The rules must be valid and must not change any more.
func NewTable(rules *engine.Rules) *Table {
	s := engine.State{Rules: rules}
	return &Table{State: s, shadow: s, books: books{rules: rules}, step: engine.Step}
}

// Events are what followed from the input that the engine took last. They are good until the next input.
func (t *Table) Events() []engine.Event { return t.events }

// Secrets are the faces that whoever looks from a seat, 0 for the public, must not be told, as far as the bookkeeper knows
// faces at all.
func (t *Table) Secrets(seat engine.Seat) card.Set {
	faces := t.books.hand.secrets(seat)
	if k := &t.books.powers; k.at > t.books.hand.cards && t.books.peeked(seat) == card.None {
		faces = faces.Add(k.ahead)
	}
	return faces
}

// Peeked is the next community card where a seat has peeked it, else card.None.
func (t *Table) Peeked(seat engine.Seat) card.Card { return t.books.peeked(seat) }

// Apply puts one input to the engine. It returns the engine's refusal, nil if it took the input; and what is wrong with the
// engine, nil if nothing is: a refusal must be a *RuleError and leave everything as it was, what is taken must leave a
// table in which chips and cards add up, whose events give back the state, and which awaits one thing that makes sense.
func (t *Table) Apply(in engine.Input) (refusal *engine.RuleError, fault error) {
	defer recovered(&fault)
	may := in.Kind == engine.PowerUsed && !t.State.Suspended && t.books.mayUse(&in)
	events, err := t.step(&t.State, in, t.events[:0])
	if err != nil {
		refusal, fault = refused(err, events)
		if may {
			return nil, fmt.Errorf("%+v may be used, and yet it is refused: %w", in, err)
		}
		if fault == nil && t.State != t.shadow {
			fault = fmt.Errorf("refused (%w), and yet the state is another", err)
		}
		return refusal, fault
	}
	t.events = events
	collected := false
	for i := range events {
		if err := t.books.enter(&events[i]); err != nil {
			return nil, err
		}
		if _, err := t.ledger.Enter(&events[i]); err != nil {
			return nil, fmt.Errorf("%w, after %+v", err, events[i])
		}
		t.shadow = engine.Replay(t.shadow, events[i:i+1])
		if err := t.ledger.Check(&t.shadow); err != nil {
			return nil, fmt.Errorf("%w, after %+v", err, events[i])
		}
		if got, want := t.shadow.Chips(), t.books.brought; got != want {
			return nil, fmt.Errorf("%d chips are on the table, %d were brought, after %+v", got, want, events[i])
		}
		collected = collected || events[i].Kind == engine.BetsCollected
	}
	if t.shadow != t.State {
		return nil, fmt.Errorf("the events do not give back the state:\n%+v\n%+v", t.shadow, t.State)
	}
	if collected {
		if err := t.checkPots(); err != nil {
			return nil, err
		}
	}
	return nil, t.check()
}

// check checks what must hold of the state at any time.
func (t *Table) check() error {
	if err := t.checkChips(); err != nil {
		return err
	}
	if err := t.checkPowers(); err != nil {
		return err
	}
	return t.checkAwait()
}

// recovered turns a panic into a fault.
func recovered(fault *error) {
	if r := recover(); r != nil {
		*fault = fmt.Errorf("panic: %v", r)
	}
}

// refused checks that a refusal is a proper one, as far as it says itself.
func refused(err error, events []engine.Event) (*engine.RuleError, error) {
	rule, ok := errors.AsType[*engine.RuleError](err)
	switch {
	case !ok:
		return nil, fmt.Errorf("refused with %T, not with a *RuleError: %w", err, err)
	case rule.Code == "" || rule.Text == "":
		return nil, fmt.Errorf("refused without code or text: %+v", *rule)
	case len(events) > 0:
		return nil, fmt.Errorf("refused (%w), and yet something followed: %+v", err, events)
	}
	return rule, nil
}

// checkChips checks that no chip came or went but those that were brought, and that each is where the books have it.
func (t *Table) checkChips() error {
	s := &t.State
	if got, want := s.Chips(), t.books.brought; got != want {
		return fmt.Errorf("%d chips are on the table, %d were brought", got, want)
	}
	if s.Bank != t.books.bank.won {
		return fmt.Errorf("the house has won %d, the books say %d", s.Bank, t.books.bank.won)
	}
	for i := range s.Seats {
		p := &s.Seats[i]
		switch {
		case p.Stack < 0 || p.Bet < 0 || p.Put < 0 || p.Aside < 0:
			return fmt.Errorf("seat %d has chips below zero: %+v", i, *p)
		case p.Stack+p.Aside != t.books.stack[i]:
			return fmt.Errorf("seat %d has %d, the books say %d", i, p.Stack+p.Aside, t.books.stack[i])
		}
	}
	if total := s.Total(); s.Phase == engine.Between && total != t.books.bank.staked() {
		return fmt.Errorf("%d chips are in the pots after the hand, %d are bets for the next", total, t.books.bank.staked())
	}
	return nil
}

// checkPots checks the pots that people are shown against those of the books.
func (t *Table) checkPots() error {
	if t.State.Phase == engine.Between || t.State.Rules.Game.Banked() {
		return nil
	}
	pots, n := t.State.Pots()
	i := 0
	for _, l := range t.books.hand.layers(t.books.hand.mucked) {
		for i < n && pots[i].Amount == 0 {
			i++
		}
		switch {
		case l.amount == 0:
			continue
		case i == n || pots[i] != engine.Pot{Amount: l.amount, Seats: l.seats}:
			return fmt.Errorf("the pots are %v, the books have one of %d for seats %v", pots[:n], l.amount, l.seats.List())
		}
		i++
	}
	return nil
}

// checkAwait checks that what is awaited can come.
func (t *Table) checkAwait() error {
	s := &t.State
	a := s.Awaits()
	p, live := &s.Seats[a.Seat], s.Live.Has(a.Seat)
	wrong := ""
	switch a.Kind {
	case engine.AwaitNothing:
		if s.Phase == engine.Between {
			return nil
		}
		wrong = "nothing is awaited in a hand"
	case engine.AwaitBurn, engine.AwaitBoard, engine.AwaitHole:
		switch {
		case t.books.hand.cards == s.Rules.Game.Deck.Len():
			wrong = "the shoe is empty"
		case a.Number < 1 || a.Number > a.Of:
			wrong = "that is no card of its street"
		case a.Kind == engine.AwaitHole && !live && !t.house(a):
			wrong = "the seat is not in the hand"
		}
	case engine.AwaitAction:
		switch {
		case !live:
			wrong = "the seat cannot act"
		case s.Rules.Game.Banked():
			wrong = unreasonableWager(&a.Legal, p)
		default:
			wrong = unreasonable(&a.Legal, p, s.Bet)
		}
	case engine.AwaitReveal:
		if p.Shown || p.Mucked || !live && p.Bonus == 0 && !t.house(a) {
			wrong = "the seat has nothing to show"
		}
	case engine.AwaitDiscard:
		if !live || p.Drew {
			wrong = "the seat has nothing to exchange"
		}
	case engine.AwaitReload:
		if t.books.hand.discards == 0 {
			wrong = "there are no discards"
		}
	case engine.AwaitShuffle:
		if t.books.hand.early == 0 {
			wrong = "no community card came too early"
		}
	case engine.AwaitResume:
		if !s.Suspended {
			wrong = "play is not suspended"
		}
	}
	if s.Phase == engine.Between && a.Kind != engine.AwaitResume {
		wrong = "no hand is in play"
	}
	if wrong != "" {
		return fmt.Errorf("%s: %+v, seat %+v", wrong, a, *p)
	}
	return nil
}

// unreasonable says what is wrong with a Legal by itself, "" if nothing is.
func unreasonable(l *engine.Legal, p *engine.Place, bet engine.Chips) string {
	all := p.Bet + p.Stack
	switch {
	case p.Stack == 0 && !l.Split:
		return "the seat cannot act"
	case l.BringIn > 0 && (l.Check || l.ToCall > 0 || l.BringIn > p.Stack || bet > 0):
		return "who brings in has nothing else to do, or to bet"
	case l.BringIn == 0 && l.Check != (l.ToCall == 0):
		return "a seat may check when there is nothing to call, and only then"
	case l.ToCall > p.Stack:
		return "a seat may not call more than it has"
	case l.Raise && (l.MinTo <= bet || l.MinTo < l.BringIn || l.MaxTo < l.MinTo || l.MaxTo > all):
		return "the sizes of a raise are above the bet, in order, and within the stack"
	case !l.Raise && (l.MinTo != 0 || l.MaxTo != 0 || l.Opens):
		return "no raise, no sizes"
	case l.Opens && bet != 0:
		return "a bet opens only where there is none"
	case l.AllIn != 0 && l.AllIn != all:
		return "all-in is all"
	case l.AllIn == 0 && p.Stack > 0 && all <= max(bet, l.BringIn):
		return "a seat that has no more than it must put in may put in all"
	case l.AllIn > max(bet, l.BringIn) && (!l.Raise || l.MaxTo != all):
		return "all-in above the bet is a raise, and the largest"
	}
	return ""
}

// step puts an input to an engine, as engine.Step does.
type step func(*engine.State, engine.Input, []engine.Event) ([]engine.Event, error)
