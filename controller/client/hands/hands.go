// Package hands makes the hands that were played out of a row of events, such as client.Client.Past tells, and a picture of
// the table at each step of a hand: for whoever shows hands of old.
//
// Of is where it starts. It keeps books and knows no rule: side pots, which follow from one, it does not draw.
package hands

import (
	"iter"
	"slices"

	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// Hand is a hand that has ended.
type Hand struct {
	// Before is the table just before it.
	Before mqtt.StatePayload
	// Events are all of its events, from HandBegan to HandEnded.
	Events []mqtt.EventPayload
}

// Of gives the hands that begin and end among events, the oldest first. The events follow each other without a gap, up to a
// state of now that includes the last, from which follows what was on the table before each hand: what has moved since is
// taken back. Who sat where then is not known; the players are those of now.
func Of(events []mqtt.EventPayload, now mqtt.StatePayload) (all []Hand) {
	stacks := map[engine.Seat]engine.Chips{}
	for _, p := range now.View.Seats {
		stacks[p.Seat] = p.Stack
	}
	staked := map[engine.Seat]bool{} // who put something down for the hand that follows: the last stake counts
	end := 0                         // the hand's last event, plus one
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i].Event
		if counts := e.Kind != engine.StakePlaced || !staked[e.Seat]; counts {
			stacks[e.Seat] -= moved(e)
		}
		switch e.Kind {
		case engine.StakePlaced:
			staked[e.Seat] = true
		case engine.HandEnded:
			end = i + 1
		case engine.HandBegan:
			clear(staked)
			if end > 0 {
				all = append(all, Hand{before(now, stacks, &events[i]), events[i:end:end]})
			}
			end = 0
		}
	}
	slices.Reverse(all)
	return all
}

// moved is what an event adds to the stack of its seat.
func moved(e *engine.Event) engine.Chips {
	switch e.Kind {
	case engine.PlayerSat, engine.StackAdded, engine.StackAdjusted, engine.UncalledReturned, engine.PotAwarded, engine.BetRefunded,
		engine.BoxSettled:
		return e.Amount + e.Bonus
	case engine.PlayerLeft, engine.AntePosted, engine.BlindPosted, engine.DeadPosted, engine.PlayerActed, engine.StakePlaced:
		return -e.Amount - e.Bonus
	}
	return 0
}

// before is the table just before a hand began.
func before(now mqtt.StatePayload, stacks map[engine.Seat]engine.Chips, began *mqtt.EventPayload) mqtt.StatePayload {
	s := now
	s.Head, s.Time = began.Head, began.Time
	s.Seq--
	s.Clock, s.Holds, s.Behind = nil, nil, nil
	v := &s.View
	v.Seq, v.Hand, v.Phase, v.Street = s.Seq, began.Hand, engine.Between, ""
	v.Button, v.SmallBlind, v.BigBlind = 0, 0, 0
	v.Board, v.Pots, v.Total, v.Bet, v.Carousel, v.Awaits = nil, nil, 0, 0, 0, engine.AwaitView{}
	if v.Bank != nil {
		v.Bank = &engine.BankView{}
	}
	v.Seats = slices.Clone(v.Seats)
	for i, p := range v.Seats {
		v.Seats[i] = engine.SeatView{Seat: p.Seat, Stack: stacks[p.Seat], Out: !began.Event.Dealt.Has(p.Seat)}
	}
	return s
}

// Number is that of the hand at its table.
func (h *Hand) Number() uint64 { return h.Events[0].Hand }

// Won is what each seat was paid.
func (h *Hand) Won() (won [engine.MaxSeats + 1]engine.Chips) {
	for i := range h.Events {
		if e := &h.Events[i].Event; e.Kind == engine.PotAwarded || e.Kind == engine.BoxSettled {
			won[e.Seat] += e.Amount + e.Bonus
		}
	}
	return won
}

// Steps are the events of the hand, each with the table as it was after it.
func (h *Hand) Steps() iter.Seq2[mqtt.EventPayload, mqtt.StatePayload] {
	return func(yield func(mqtt.EventPayload, mqtt.StatePayload) bool) {
		s := h.Before
		for _, e := range h.Events {
			s.Head, s.Time = e.Head, e.Time
			s.View.Seats = slices.Clone(s.View.Seats)
			fold(&s.View, &e.Event)
			if s.View.Seq = e.Seq; !yield(e, s) {
				return
			}
		}
	}
}

// fold takes an event into a view, whose seats are its own.
func fold(v *engine.View, e *engine.Event) {
	at := &engine.SeatView{} // of no seat: nobody sees what is written there
	for i := range v.Seats {
		if v.Seats[i].Seat == e.Seat {
			at = &v.Seats[i]
		}
	}
	at.Stack += moved(e)
	switch e.Kind {
	case engine.HandBegan:
		began(v, e)
	case engine.AntePosted, engine.DeadPosted:
		v.Total, at.AllIn = v.Total+e.Amount, e.AllIn
	case engine.BlindPosted:
		v.Total, at.Bet, at.AllIn = v.Total+e.Amount, at.Bet+e.Amount, e.AllIn
	case engine.StreetOpened:
		v.Street = street(v.Game, e.Street)
	case engine.PlayerActed:
		v.Phase = engine.Betting
		if e.Action == engine.Fold {
			at.Live, at.Cards = false, nil
			return
		}
		v.Total, at.Bet, at.AllIn = v.Total+e.Amount, at.Bet+e.Amount, e.AllIn
	case engine.HoleDealt:
		if e.Seat == 0 {
			v.Bank = &engine.BankView{Cards: add(bankCards(v), e.Card)}
		}
		at.Cards = add(at.Cards, e.Card)
	case engine.CardsDiscarded:
		at.Cards = without(at.Cards, e.Cards.Slice(), int(e.Amount))
	case engine.PowerPlayed:
		if e.Power == engine.Swap {
			at.Cards = without(at.Cards, []card.Card{e.Card}, 1)
		}
	case engine.BoardDealt:
		v.Board = add(v.Board, e.Card)
	case engine.UncalledReturned:
		v.Total, at.Bet = v.Total-e.Amount, at.Bet-e.Amount
	case engine.BetsCollected:
		for i := range v.Seats {
			v.Seats[i].Bet = 0
		}
	case engine.ShowdownOpened:
		v.Phase = engine.Showing
	case engine.HandShown:
		if e.Seat == 0 {
			v.Bank = &engine.BankView{Cards: e.Cards.Slice(), Shown: true}
		}
		at.Cards, at.Shown = e.Cards.Slice(), true
	case engine.HandMucked:
		at.Mucked = true
	case engine.HandDeclaredDead:
		at.Live = false
	case engine.HandEnded:
		v.Phase, v.Total = engine.Between, 0
	}
}

// began sets the table for a hand.
func began(v *engine.View, e *engine.Event) {
	v.Hand, v.Phase = e.Hand, engine.Dealing // without its powers: what each seat has for them is not told
	v.Street = street(v.Game, 0)
	v.Button, v.SmallBlind, v.BigBlind = e.Button, e.SmallBlind, e.BigBlind
	for i := range v.Seats {
		p := &v.Seats[i]
		p.Dealt, p.Live = e.Dealt.Has(p.Seat), e.Dealt.Has(p.Seat)
	}
}

// street is the name of a street of a game, "" where that is not known here.
func street(game string, n int8) string {
	g, err := engine.GameNamed(game)
	if err != nil || n < 0 || int(n) >= len(g.Streets) {
		return ""
	}
	return g.Streets[n].Name
}

func bankCards(v *engine.View) []card.Card {
	if v.Bank == nil {
		return nil
	}
	return v.Bank.Cards
}

// add gives cards with one more, and leaves those of other steps alone. A card that is not told is one face down.
func add(cards []card.Card, c card.Card) []card.Card {
	if c == card.None {
		c = card.Hidden
	}
	return append(slices.Clone(cards), c)
}

// without takes thrown cards out of a hand: those known by their faces, of the others as many as there were.
func without(cards, gone []card.Card, n int) []card.Card {
	left := slices.DeleteFunc(slices.Clone(cards), func(c card.Card) bool { return c.Known() && slices.Contains(gone, c) })
	return left[:max(0, min(len(left), len(cards)-n))]
}
