package selfplay

import (
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// trial is an input to try, and whether it is legal.
type trial struct {
	engine.Input
	legal bool
}

// Probe tries the table as it is: all kinds of what it awaits, at both ends of every range, which it must take, and all
// kinds of what it does not await, which it must refuse. It changes nothing. It returns how many inputs it tried and how
// many of them were refused; and what is wrong with the engine, nil if nothing is.
func (t *Table) Probe() (tried, refusals int, fault error) {
	defer recovered(&fault)
	a := t.State.Awaits()
	t.trials = t.trials[:0]
	t.tryCards(&a)
	t.trySeats(&a)
	t.tryStakes(&a)
	t.tryActions(&a)
	t.tryDiscards(&a)
	t.tryPowers()
	for i := range t.trials {
		try := &t.trials[i]
		t.after = t.State
		events, err := t.step(&t.after, try.Input, t.scratch[:0])
		t.scratch = events
		switch {
		case try.legal && err == nil:
			continue
		case try.legal:
			return i, refusals, fmt.Errorf("%+v is awaited, but %+v is refused: %w", a, try.Input, err)
		case err == nil:
			return i, refusals, fmt.Errorf("%+v is awaited, but %+v is taken: %+v", a, try.Input, events)
		case t.after != t.State:
			return i, refusals, fmt.Errorf("%+v is refused (%w), and yet the state is another", try.Input, err)
		}
		if _, err := refused(err, events); err != nil {
			return i, refusals, fmt.Errorf("%+v: %w", try.Input, err)
		}
		refusals++
	}
	return len(t.trials), refusals, nil
}

func (t *Table) try(legal bool, in engine.Input) { t.trials = append(t.trials, trial{in, legal}) }

// tryCards tries cards that may come, are out already, are of another deck, and have no face.
func (t *Table) tryCards(a *engine.Await) {
	s := &t.State
	deck := s.Rules.Game.Deck
	dealing := a.Kind == engine.AwaitBurn || a.Kind == engine.AwaitHole || a.Kind == engine.AwaitBoard
	read := func(legal bool, c card.Card) { t.try(legal, engine.Input{Kind: engine.CardRead, Card: c}) }
	free := toCome(s)
	if thrown := s.Seats[a.Seat].Thrown; a.Kind == engine.AwaitHole && free&^thrown != 0 {
		if own := free & thrown; own != 0 && t.books.hand.cards == s.Out.Len() { // nobody can tell if a card has no face
			read(false, own.Cards()[0])
		}
		free &^= thrown
	}
	if free != 0 {
		read(dealing, free.Cards()[0])
	}
	if s.Out != 0 {
		read(false, s.Out.Cards()[0])
	}
	if foreign := card.French &^ deck; foreign != 0 {
		read(false, foreign.Cards()[0])
	}
	read(false, card.None)
	read(dealing && a.Kind != engine.AwaitBoard && (!a.Up || s.Rules.House.UnknownUpCards), card.Hidden)
	if free != 0 {
		t.try(dealing, engine.Input{Kind: engine.SetAside, Card: free.Cards()[0], Reason: "boxed"})
		inDeal := s.Street == 0 && s.Phase == engine.Dealing
		t.try(dealing && (!inDeal || s.Boxed == 0), engine.Input{Kind: engine.SetAside, Card: free.Cards()[0], Boxed: true, Reason: "boxed"})
		t.try(false, engine.Input{Kind: engine.SetAside, Card: free.Cards()[0]})
	}
	t.try(a.Kind == engine.AwaitReload, engine.Input{Kind: engine.Reloaded})
}

// toCome are the cards that may come out of the shoe next, as far as the table knows: the one that was peeked in its place,
// and nowhere else.
func toCome(s *engine.State) card.Set {
	left, peeked := s.Rules.Game.Deck&^s.Out, card.SetOf(s.Powers.Ahead)
	switch pw := &s.Powers; {
	case pw.AheadAt <= s.Gone:
		return left
	case pw.AheadAt == s.Gone+1:
		return peeked
	}
	return left &^ peeked
}

// trySeats tries what belongs between hands, what any seat may do at the showdown or when its time is over, and rulings.
func (t *Table) trySeats(a *engine.Await) {
	s := &t.State
	between := s.Phase == engine.Between
	if !between || s.Suspended {
		t.try(false, engine.Input{Kind: engine.HandStarted})
	}
	t.try(!s.Suspended, engine.Input{Kind: engine.Suspended, Reason: "a fire alarm"})
	t.try(s.Suspended, engine.Input{Kind: engine.Resumed})
	t.try(a.Kind == engine.AwaitBurn, engine.Input{Kind: engine.BurnSkipped, Reason: "forgotten"})
	t.try(!between && !s.Suspended, engine.Input{Kind: engine.Reshuffled, Reason: "dropped"})
	t.try(a.Kind == engine.AwaitShuffle, engine.Input{Kind: engine.Reshuffled})
	t.try(false, engine.Input{Kind: engine.Rewound, Reason: "nothing to go by", Rewind: &engine.Rewind{}})
	t.try(!between, engine.Input{Kind: engine.HandVoided})
	t.try(true, engine.Input{Kind: engine.Ruled, Reason: "a ruling"})
	t.try(false, engine.Input{Kind: engine.Ruled})
	for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
		p := &t.State.Seats[seat]
		turn := a.Seat == seat
		shows := turn && a.Kind == engine.AwaitReveal
		t.try(shows && p.Known(), engine.Input{Kind: engine.Shown, Seat: seat})
		t.try(shows && a.MayMuck, engine.Input{Kind: engine.Mucked, Seat: seat})
		clock := turn && (a.Kind == engine.AwaitAction || a.Kind == engine.AwaitDiscard || a.Kind == engine.AwaitShield)
		clock = clock || shows && p.Known()
		t.try(clock, engine.Input{Kind: engine.ClockRanOut, Seat: seat})
		acts := turn && a.Kind == engine.AwaitAction
		t.try(acts && covered(t.State.Rules), engine.Input{Kind: engine.Disconnected, Seat: seat})
		t.try(!between && t.killable(seat), engine.Input{Kind: engine.HandKilled, Seat: seat, Reason: "too many cards"})
		t.try(between && p.Taken, engine.Input{Kind: engine.StackCorrected, Seat: seat, Amount: -p.Stack, Reason: "miscounted"})
		t.try(false, engine.Input{Kind: engine.StackCorrected, Seat: seat, Amount: -p.Stack - 1, Reason: "miscounted"})
		t.try(between && p.Taken, engine.Input{Kind: engine.SeatLeft, Seat: seat})
		t.try(false, engine.Input{Kind: engine.AwardReversed, Seat: seat, Target: seat, Amount: 1, Reason: "pushed wrong"})
		t.try(false, engine.Input{Kind: engine.AwardReversed, Seat: seat, Target: next(seat), Amount: p.Won + 1, Reason: "pushed wrong"})
		to := &s.Seats[next(seat)]
		won := min(p.Won, p.Stack)
		t.try(between && won > 0 && to.Taken && to.Dealt, engine.Input{Kind: engine.AwardReversed, Seat: seat, Target: next(seat), Amount: won, Reason: "pushed wrong"})
		mayMove := between && p.Taken && !to.Taken && int(next(seat)) <= s.Rules.House.MaxSeats
		t.try(mayMove, engine.Input{Kind: engine.SeatMoved, Seat: seat, Target: next(seat)})
		if given := p.Dealt && (!s.Live.Has(seat) || p.Mucked); !given || s.Phase != engine.Betting && s.Phase != engine.Showing {
			t.try(false, engine.Input{Kind: engine.Retrieved, Seat: seat, Reason: "not given up"})
		}
		t.try(p.Taken, engine.Input{Kind: engine.SatOut, Seat: seat})
		if !turn || a.Kind != engine.AwaitAction {
			t.try(false, engine.Input{Kind: engine.Acted, Seat: seat, Action: engine.Fold})
		}
		if !turn || a.Kind != engine.AwaitDiscard {
			t.try(false, engine.Input{Kind: engine.Discarded, Seat: seat})
		}
	}
}

// killable reports whether the floor may declare a seat's hand dead: it is not the last one in.
func (t *Table) killable(seat engine.Seat) bool {
	claims := t.State.Live
	for i, p := range t.State.Seats {
		if p.Mucked {
			claims = claims.Without(engine.Seat(i))
		}
	}
	return claims.Has(seat) && claims.Len() > 1
}

// next is the seat to the left of another.
func next(seat engine.Seat) engine.Seat { return seat%engine.MaxSeats + 1 }

// covered reports whether a seat whose connection is lost counts as all-in (NX-13, BR-40).
func covered(r *engine.Rules) bool {
	small := r.Limit == engine.FixedLimit || r.Limit == engine.SpreadLimit
	if r.Game.Banked() {
		return false // BP-07
	}
	return r.House.Protection == engine.ProtectAll || r.House.Protection == engine.ProtectSmall && small
}

// tryActions tries every action of the seat whose turn it is, and amounts at the ends of what it may bet and beyond.
func (t *Table) tryActions(a *engine.Await) {
	if a.Kind != engine.AwaitAction {
		return
	}
	act := func(legal bool, action engine.Action, amount engine.Chips) {
		t.try(legal, engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: action, Amount: amount})
	}
	l := &a.Legal
	raise, other := engine.Raise, engine.Bet
	if l.Opens {
		raise, other = other, raise
	}
	act(l.BringIn == 0 && !l.NoFold, engine.Fold, 0)
	act(l.BringIn > 0, engine.BringIn, 0)
	act(l.Check, engine.Check, 0)
	act(l.ToCall > 0, engine.Call, 0)
	act(l.AllIn > 0, engine.AllIn, 0)
	act(l.Split, engine.Split, 0)
	act(l.Raise, raise, l.MinTo)
	act(l.Raise, raise, l.MaxTo)
	middle := l.MinTo + (l.MaxTo-l.MinTo)/2
	whole := t.books.rules.House.ClippedRaises || middle%max(t.books.rules.Stakes.Chip, 1) == 0
	act(l.Raise && (!l.TwoSizes && whole || middle == l.MinTo), raise, middle)
	act(false, raise, l.MinTo-1)
	act(false, raise, l.MaxTo+1)
	act(false, raise, -l.MinTo)
	act(false, raise, 1<<62)
	act(false, other, l.MinTo)
	act(false, 0, 0)
}

// tryDiscards tries to exchange nothing and as much as the seat may, and what it cannot: too many cards, one twice, one
// that it does not hold.
func (t *Table) tryDiscards(a *engine.Await) {
	if a.Kind != engine.AwaitDiscard {
		return
	}
	p := &t.State.Seats[a.Seat]
	hole := p.Hole[:p.HoleLen]
	throw := func(legal bool, cards ...card.Card) {
		t.try(legal, engine.Input{Kind: engine.Discarded, Seat: a.Seat, Cards: engine.CardsOf(cards...)})
	}
	throw(true)
	throw(true, hole[:min(int(a.Of), len(hole))]...)
	throw(false, slices.Repeat([]card.Card{card.Hidden}, int(a.Of)+1)...)
	if hole[0].Known() {
		throw(false, hole[0], hole[0])
	}
	if p.Known() {
		throw(false, card.Hidden)
	}
	if elsewhere := t.State.Out &^ card.SetOf(hole...); elsewhere != 0 {
		throw(false, elsewhere.Cards()[0])
	}
	if foreign := card.French &^ t.State.Rules.Game.Deck; foreign != 0 {
		throw(false, foreign.Cards()[0])
	}
}
