// Package selfplay plays the engine against itself: random hands of every game, limit and house, with legal and illegal
// inputs, and a check of everything that must hold after each of them.
//
// The main path is Play, which plays hands in a row at one table. A Table is what it checks with, and serves any test that
// puts inputs to an engine: it holds the engine's state against what the events say, what an independent bookkeeper makes
// of them, and what is awaited. Chance comes in from outside as a function that gives random numbers; equal ones give equal
// hands. Nothing here may be used from two goroutines at once, but any number of Plays may run beside each other.
package selfplay

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// mostInputs is more than any hand takes: it ends, whatever is done.
const mostInputs = 4000

// Count is how much was played.
type Count struct {
	// Hands are those that ended, some of them called off.
	Hands int `json:"hands"`
	// Inputs were put to the engine, of which it refused Refusals.
	Inputs   int `json:"inputs"`
	Refusals int `json:"refusals"`
}

// Add adds another count.
func (c *Count) Add(o Count) {
	c.Hands += o.Hands
	c.Inputs += o.Inputs
	c.Refusals += o.Refusals
}

// Violation is something that does not hold.
type Violation struct {
	// Rules are those of the table.
	Rules *engine.Rules
	// Hand is the number of the hand at the table, from 1.
	Hand int
	// Inputs are all that the table took since it was opened; after the last of them something is wrong.
	Inputs []engine.Input
	// Fault says what.
	Fault error

	step step // of the engine, where it is another
}

// Play opens a table and plays so many hands at it. It ends early with the first Violation.
func Play(setup Setup, hands int, random func() uint64) (Count, *Violation) {
	return play(setup, hands, random, engine.Step)
}

func play(setup Setup, hands int, random random, step step) (Count, *Violation) {
	rules := setup.rules(random)
	p := &player{random: random, table: NewTable(rules), seats: setup.seats()}
	p.table.step = step
	fault := rules.Validate()
	for fault == nil && p.count.Hands < hands {
		if fault = p.hand(); fault == nil {
			p.count.Hands++
		}
	}
	if fault == nil {
		return p.count, nil
	}
	return p.count, &Violation{Rules: rules, Hand: p.count.Hands + 1, Inputs: p.inputs, Fault: fault, step: step}
}

// Shrunk are fewer of the Inputs that still show that something is wrong: the last hand alone if that will do, less what it
// can do without. They are all of the Inputs where it shows by chance alone.
func (v *Violation) Shrunk() []engine.Input {
	inputs := v.lastHand()
	if !v.shows(inputs) {
		inputs = v.Inputs
	}
	for n := len(inputs) / 2; n > 0; n /= 2 {
		for from := 0; from+n <= len(inputs); {
			if fewer := slices.Concat(inputs[:from], inputs[from+n:]); v.shows(fewer) {
				inputs = fewer
			} else {
				from += n
			}
		}
	}
	return inputs
}

// lastHand are the inputs of the last hand for a table where it is the first, with the same stacks.
func (v *Violation) lastHand() (inputs []engine.Input) {
	t := v.table()
	for _, in := range v.Inputs {
		before := t.State
		_, fault := t.Apply(in)
		if in.Kind == engine.HandStarted && fault == nil {
			inputs = nil
			for seat, p := range t.State.Seats {
				if p.Dealt {
					had := &before.Seats[seat]
					inputs = append(inputs, engine.Input{Kind: engine.SeatTaken, Seat: engine.Seat(seat), Amount: had.Stack + had.Put})
					if had.Put > 0 {
						inputs = append(inputs, engine.Input{Kind: engine.Staked, Seat: engine.Seat(seat), Amount: had.Ante, Bonus: had.Bonus})
					}
				}
			}
			inputs = append(inputs, engine.Input{Kind: engine.ButtonSet, Seat: max(t.State.Button, 1)})
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// table is a new one like that of the violation.
func (v *Violation) table() *Table {
	t := NewTable(v.Rules)
	if v.step != nil {
		t.step = v.step
	}
	return t
}

// shows reports whether something is wrong at a new table after some inputs.
func (v *Violation) shows(inputs []engine.Input) bool {
	t := v.table()
	for _, in := range inputs {
		if _, fault := t.Apply(in); fault != nil {
			return true
		}
	}
	_, _, fault := t.Probe()
	return fault != nil
}

// random gives random numbers.
type random func() uint64

// below gives a number from 0 up to n, without n.
func (r random) below(n uint64) uint64 {
	high, _ := bits.Mul64(r(), n)
	return high
}

// once is true one time in n.
func (r random) once(n uint64) bool { return r.below(n) == 0 }

// pick gives one of several.
func pick[T any](r random, of ...T) T { return of[r.below(uint64(len(of)))] }

// card gives one of a set that is not empty.
func (r random) card(of card.Set) card.Card {
	for range r.below(uint64(of.Len())) {
		of &= of - 1
	}
	return card.Card(bits.TrailingZeros64(uint64(of)) + 1)
}

// player is all who sit at a table, and its dealer.
type player struct {
	random
	table  *Table
	seats  int
	inputs []engine.Input // that the table took
	count  Count
	shoe   shoe
	// steps are the events of the hand in play, by input, shoes how the shoe was after each.
	steps [][]engine.Event
	shoes []shoe
	keep  int // of the steps, where the hand is taken back
}

// put puts an input to the table, which may refuse it.
func (p *player) put(in engine.Input) (refusal *engine.RuleError, fault error) {
	refusal, fault = p.table.Apply(in)
	p.count.Inputs++
	if refusal != nil {
		p.count.Refusals++
	}
	if refusal == nil || fault != nil {
		p.inputs = append(p.inputs, in)
	}
	if refusal == nil && fault == nil {
		p.follow()
	}
	return refusal, fault
}

// follow keeps the shoe with what has happened. Of a hand that is taken back it is as it was then: what happens once more
// moves no card.
func (p *player) follow() {
	events := p.table.events
	if len(events) == 0 {
		return
	}
	switch e := &events[0]; e.Kind {
	case engine.HandBegan:
		p.steps, p.shoes = p.steps[:0], p.shoes[:0]
	case engine.HandRewound:
		p.shoe = p.shoes[p.keep-1]
		events = nil
	}
	for i := range events {
		p.shoe.follow(p.random, &p.table.State, &events[i])
	}
	p.steps, p.shoes = append(p.steps, slices.Clone(p.table.events)), append(p.shoes, p.shoe)
}

// must puts an input that the table must take.
func (p *player) must(in engine.Input) error {
	awaits := p.table.State.Awaits()
	refusal, fault := p.put(in)
	if fault == nil && refusal != nil {
		p.inputs = append(p.inputs, in)
		return fmt.Errorf("%+v is awaited, but %+v is refused: %w", awaits, in, refusal)
	}
	return fault
}

// hand plays one hand, and what goes on before it.
func (p *player) hand() error {
	if err := p.gather(); err != nil {
		return err
	}
	if p.table.State.Phase == engine.Between { // else a stray input has started it
		if err := p.must(p.start()); err != nil {
			return err
		}
	}
	calledOff := p.below(16 * 50) // so many inputs on, if the hand lasts so long
	for n := range uint64(mostInputs) {
		if n < mostInputs/8 && p.once(8) { // later on the hand must end by itself
			if _, err := p.put(p.nonsense()); err != nil {
				return err
			}
		}
		if p.once(64) {
			if err := p.probe(); err != nil {
				return err
			}
		}
		if p.table.State.Phase == engine.Between {
			return nil
		}
		if n < mostInputs/8 && p.once(16) {
			if _, err := p.put(p.ruling()); err != nil {
				return err
			}
			continue
		}
		if p.table.State.Powers.Carousel != 0 && p.once(2) {
			if _, err := p.put(p.power()); err != nil {
				return err
			}
			continue
		}
		in := p.answer()
		if n == calledOff {
			in = engine.Input{Kind: engine.HandVoided, Reason: "misdeal"}
		}
		if err := p.must(in); err != nil {
			return err
		}
	}
	return errors.New("the hand does not end")
}

func (p *player) probe() error {
	tried, refusals, fault := p.table.Probe()
	p.count.Inputs += tried
	p.count.Refusals += refusals
	return fault
}

// gather lets seats come and go between hands, and sees to it that two or more can play.
func (p *player) gather() error {
	for p.once(2) {
		in := engine.Input{Seat: p.seat(), Target: p.seat(), Amount: p.stack(), Reason: "a ruling"}
		in.Kind = pick(p.random, engine.SeatTaken, engine.ChipsAdded, engine.ChipsAdded, engine.SatOut, engine.SatIn, engine.SatIn,
			engine.BlindAwaited, engine.SeatLeft, engine.SeatMoved, engine.ButtonSet, engine.ButtonDrawn, engine.StackCorrected,
			engine.AwardReversed)
		switch in.Kind {
		case engine.ButtonDrawn:
			in.Drawn = p.drawn()
		case engine.AwardReversed:
			in.Amount = max(1, p.table.State.Seats[in.Seat].Won/2)
		}
		if p.once(4) {
			in = p.nonsense()
		}
		if _, err := p.put(in); err != nil {
			return err
		}
	}
	if p.table.State.Suspended {
		if err := p.must(engine.Input{Kind: engine.Resumed}); err != nil {
			return err
		}
	}
	if p.table.State.Rules.Game.Banked() {
		return p.stake()
	}
	ready := p.ready()
	if ready.Len() >= 2 || p.table.State.Phase != engine.Between {
		return nil
	}
	for want := 2 + int(p.below(uint64(p.seats-1))); ready.Len() < want; ready = p.ready() {
		in := engine.Input{Kind: engine.SeatTaken, Seat: p.seat(), Amount: p.stack()}
		switch place := &p.table.State.Seats[in.Seat]; {
		case int(in.Seat) > p.table.State.Rules.House.MaxSeats, ready.Has(in.Seat), !place.Taken && p.taken() == p.seats:
			continue
		case place.Taken && place.Stack == 0:
			in.Kind = engine.ChipsAdded
		case place.Taken:
			in.Kind = engine.SatIn
		}
		if err := p.must(in); err != nil {
			return err
		}
	}
	return nil
}

// ready are the seats that can be dealt in.
func (p *player) ready() (seats engine.Seats) {
	for seat, place := range p.table.State.Seats {
		if place.Taken && !place.Out && !place.Waits && place.Stack > 0 {
			seats = seats.With(engine.Seat(seat))
		}
	}
	return seats
}

// taken is the number of seats that are.
func (p *player) taken() (n int) {
	for _, place := range p.table.State.Seats {
		if place.Taken {
			n++
		}
	}
	return n
}

func (p *player) seat() engine.Seat { return 1 + engine.Seat(p.below(engine.MaxSeats)) }

// stack is from less than a blind to many.
func (p *player) stack() engine.Chips {
	st := &p.table.State.Rules.Stakes
	unit := uint64(max(st.BigBlind, st.BringIn, st.MinAnte))
	return 1 + engine.Chips(p.below(pick(p.random, 2, unit, 5*unit, 20*unit, 100*unit)))
}

// start begins a hand by the rules, or now and then with the forced bets of a record.
func (p *player) start() engine.Input {
	in := engine.Input{Kind: engine.HandStarted}
	if pw := p.table.State.Rules.Powers; pw != nil {
		in.Carousel = pick(p.random, pw.Carousels...)
	}
	if p.table.State.Rules.Game.Banked() || !p.once(16) {
		return in
	}
	st := &p.table.State.Rules.Stakes
	f := &engine.Forced{Button: p.seat(), DeadAntes: p.once(2), Rake: pick[engine.Chips](p.random, 0, 1, 1000)}
	for seat := range each(p.ready()) {
		f.Antes[seat] = pick(p.random, 0, 0, st.Ante, 3)
		if !p.table.State.Rules.Game.BringIn {
			f.Blinds[seat] = pick(p.random, 0, 0, st.SmallBlind, st.BigBlind, -st.BigBlind)
		}
	}
	in.Forced = f
	return in
}

// answer gives the table what it awaits.
func (p *player) answer() engine.Input {
	a := p.table.State.Awaits()
	switch a.Kind {
	case engine.AwaitBurn, engine.AwaitHole, engine.AwaitBoard:
		in := engine.Input{Kind: engine.CardRead, Card: p.shoe.next(p.random, &p.table.State, &a)}
		if p.once(64) {
			in.Kind, in.Reason, in.Boxed = engine.SetAside, "boxed", p.table.State.Boxed == 0
		}
		return in
	case engine.AwaitAction:
		return p.action(&a)
	case engine.AwaitReveal:
		return p.reveal(&a)
	case engine.AwaitDiscard:
		if p.once(8) {
			return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
		}
		return engine.Input{Kind: engine.Discarded, Seat: a.Seat, Cards: p.shoe.discards(p.random, &p.table.State, &a)}
	case engine.AwaitReload:
		return engine.Input{Kind: engine.Reloaded}
	case engine.AwaitShuffle:
		return engine.Input{Kind: engine.Reshuffled}
	case engine.AwaitResume:
		return engine.Input{Kind: engine.Resumed}
	case engine.AwaitShield:
		return engine.Input{Kind: pick(p.random, engine.ClockRanOut, engine.AnchorAccepted), Seat: a.Seat}
	}
	return engine.Input{} // is refused
}

func (p *player) action(a *engine.Await) engine.Input {
	in := engine.Input{Kind: engine.Acted, Seat: a.Seat}
	l := &a.Legal
	switch n := p.below(24); {
	case n == 0:
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case n == 20 && covered(p.table.State.Rules):
		return engine.Input{Kind: engine.Disconnected, Seat: a.Seat}
	case n <= 2 && l.BringIn == 0 && !l.NoFold:
		in.Action = engine.Fold
	case n == 3 && l.AllIn > 0:
		in.Action = engine.AllIn
	case n >= 12 && l.Split:
		in.Action = engine.Split
	case n <= 9 && l.Raise:
		in.Action = engine.Raise
		if l.Opens {
			in.Action = engine.Bet
		}
		in.Amount = pick(p.random, l.MinTo, l.MinTo, l.MaxTo, l.Within(l.MinTo+engine.Chips(p.below(uint64(l.MaxTo-l.MinTo+1)))))
	case l.BringIn > 0:
		in.Action = engine.BringIn
	case l.Check:
		in.Action = engine.Check
	case l.ToCall == 0: // against the house, where there is nothing to call
		in.Action = engine.Fold
	default:
		in.Action = engine.Call
	}
	return in
}

// reveal shows a hand, with the faces that the engine does not know, leaves it to the house, or mucks it; or the floor
// declares one dead.
func (p *player) reveal(a *engine.Await) engine.Input {
	known := p.table.State.Seats[a.Seat].Known()
	if seat := p.seat(); p.once(8) && p.table.killable(seat) {
		return engine.Input{Kind: engine.HandKilled, Seat: seat, Reason: "fouled"}
	}
	known = known && a.Seat != 0 // the house has no clock
	switch n := p.below(4); {
	case n == 0 && a.MayMuck:
		return engine.Input{Kind: engine.Mucked, Seat: a.Seat}
	case n <= 1 && known:
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case n == 2 && known:
		return engine.Input{Kind: engine.Shown, Seat: a.Seat}
	}
	return engine.Input{Kind: engine.Shown, Seat: a.Seat, Cards: engine.CardsOf(p.shoe.hole[a.Seat].Cards()...)}
}

// nonsense is anything at all. What cannot be true and yet cannot be known to be false is left out: a card named that
// nobody has seen and that is not where it is said to be.
func (p *player) nonsense() engine.Input {
	in := engine.Input{
		Kind:   engine.InputKind(p.below(uint64(engine.Rewound) + 2)),
		Seat:   engine.Seat(p.below(engine.MaxSeats+3)) - 1,
		Target: engine.Seat(p.below(engine.MaxSeats+3)) - 1,
		Power:  engine.Power(p.below(uint64(engine.Shield) + 2)),
		Card:   card.Card(p.below(64)),
		Cards:  engine.CardsOf(card.Card(p.below(64)), card.Card(p.below(64))),
		Action: engine.Action(p.below(uint64(engine.Split) + 2)),
		Bonus:  pick[engine.Chips](p.random, 0, 0, -1, 5, math.MaxInt64),
		Amount: pick(p.random, -1, 0, p.stack(), 1<<40, engine.MaxChips+1, math.MinInt64, math.MaxInt64),
		Reason: pick(p.random, "", "a ruling"),
	}
	s := &p.table.State
	unseen := s.Rules.Game.Deck &^ s.Out
	if dealt := in.Kind == engine.CardRead || in.Kind == engine.SetAside; unseen.Has(in.Card) && (!dealt || !p.shoe.cards.Has(in.Card)) {
		in.Card = card.Hidden
	}
	for i, c := range in.Cards {
		if unseen.Has(c) {
			in.Cards[i] = card.Hidden
		}
	}
	if p.once(16) {
		in.Kind = engine.Staked
	}
	if in.Kind == engine.HandVoided && s.Phase != engine.Between {
		in.Kind = engine.HandStarted // or few hands would end by themselves
	}
	return in
}
