// Package hands makes the hands that were played out of a row of events, such as client.Client.Past tells, and a picture of
// the table at each step of a hand: for whoever shows hands of old.
//
// Of is where it starts. What it keeps are books: of the rules it knows how bets make pots, and no other.
package hands

import (
	"iter"
	"maps"
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
// taken back. Whose seats they were then is not known; the players are those of now.
func Of(events []mqtt.EventPayload, now mqtt.StatePayload) (all []Hand) {
	stacks := map[engine.Seat]engine.Chips{}
	for _, p := range now.View.Seats {
		stacks[p.Seat] = p.Stack
	}
	staked := map[engine.Seat]bool{} // who put something down for the hand that follows: the last stake counts
	undone := false                  // before a hand was taken back: its bets went back, and those that stand follow
	end := 0                         // the hand's last event, plus one
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i].Event
		if counts := e.Kind != engine.StakePlaced || !staked[e.Seat]; counts && !(undone && isBet(e)) {
			stacks[e.Seat] -= moved(e)
		}
		switch e.Kind {
		case engine.AwardMoved:
			stacks[e.Target] -= e.Amount
		case engine.HandRewound:
			undone = true
		case engine.StakePlaced:
			staked[e.Seat] = true
		case engine.HandEnded:
			end = i + 1
		case engine.HandBegan:
			clear(staked)
			undone = false
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
	case engine.PlayerLeft, engine.AntePosted, engine.BlindPosted, engine.DeadPosted, engine.PlayerActed, engine.StakePlaced,
		engine.AwardMoved:
		return -e.Amount - e.Bonus
	}
	return 0
}

// isBet is whether what an event moved goes back when a hand is taken back.
func isBet(e *engine.Event) bool {
	switch e.Kind {
	case engine.AntePosted, engine.BlindPosted, engine.DeadPosted, engine.PlayerActed, engine.UncalledReturned, engine.BetRefunded:
		return true
	}
	return false
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
	there := map[engine.Seat]bool{}
	for _, p := range v.Seats {
		there[p.Seat] = true
	}
	for _, seat := range began.Event.Dealt.List() {
		there[seat] = true // and may have left since
	}
	v.Seats = nil
	for _, seat := range slices.Sorted(maps.Keys(there)) {
		v.Seats = append(v.Seats, engine.SeatView{Seat: seat, Stack: stacks[seat], Out: !began.Event.Dealt.Has(seat)})
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
		s, in := h.Before, put{}
		for _, e := range h.Events {
			s.Head, s.Time = e.Head, e.Time
			if e.Event.Kind == engine.HandRewound {
				s.View = h.Before.View
			}
			s.View.Seats = slices.Clone(s.View.Seats)
			in.fold(&s.View, &e.Event)
			fold(&s.View, &e.Event)
			s.View.Pots = in.pots(&s.View)
			if s.View.Seq = e.Seq; !yield(e, s) {
				return
			}
		}
	}
}

// put is what is collected: what each seat put in, and what is nobody's bet.
type put struct {
	by   [engine.MaxSeats + 1]engine.Chips
	dead engine.Chips
}

// fold takes in an event at a table that looks so before it.
func (in *put) fold(v *engine.View, e *engine.Event) {
	switch e.Kind {
	case engine.HandBegan, engine.HandRewound, engine.HandEnded:
		*in = put{}
	case engine.DeadPosted:
		in.dead += e.Amount
	case engine.AntePosted:
		if e.Dead {
			in.dead += e.Amount
		} else {
			in.by[e.Seat] += e.Amount
		}
	case engine.BetsCollected:
		for _, p := range v.Seats {
			in.by[p.Seat] += p.Bet
		}
	}
}

// pots are the main pot and the side pots: a seat wins from each other no more than it put in itself, so there is one for every
// height at which somebody stopped who is still in.
func (in *put) pots(v *engine.View) (pots []engine.PotView) {
	heights := []engine.Chips{0}
	for _, p := range v.Seats {
		if p.Live {
			heights = append(heights, in.by[p.Seat])
		}
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	below := engine.Chips(0)
	for i, height := range heights {
		pot := engine.PotView{Seats: in.claim(v, height)}
		if i == 0 {
			pot.Amount = in.dead
		}
		if height == heights[len(heights)-1] {
			height = engine.MaxChips // and what was put in above it by seats that folded
		}
		for _, n := range in.by {
			pot.Amount += max(0, min(n, height)-below)
		}
		below = height
		if last := len(pots) - 1; last >= 0 && slices.Equal(pots[last].Seats, pot.Seats) {
			pots[last].Amount += pot.Amount
		} else if pot.Amount > 0 {
			pots = append(pots, pot)
		}
	}
	return pots
}

// claim are the seats that may win what was put in up to a height. A hand that was mucked wins what nobody else can.
func (in *put) claim(v *engine.View, height engine.Chips) []engine.Seat {
	all, shown := []engine.Seat{}, []engine.Seat{}
	for _, p := range v.Seats {
		if p.Live && in.by[p.Seat] >= height {
			if all = append(all, p.Seat); !p.Mucked {
				shown = append(shown, p.Seat)
			}
		}
	}
	if len(shown) == 0 {
		return all
	}
	return shown
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
	case engine.HandBegan, engine.HandRewound:
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
	case engine.HandRetrieved:
		at.Live, at.Mucked = true, false
	case engine.PotAwarded:
		if e.Low {
			at.BestLow = e.Cards.Slice()
		} else {
			at.Best = e.Cards.Slice()
		}
	case engine.AwardMoved:
		for i := range v.Seats {
			if v.Seats[i].Seat == e.Target {
				v.Seats[i].Stack += e.Amount
			}
		}
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
