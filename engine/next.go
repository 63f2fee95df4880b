package engine

import "tavolo/engine/card"

// next appends what follows by itself from the state: the turn passes, bets are collected, a street opens, hands are
// shown, pots are paid. It appends nothing when the table waits for something.
func next(s *State, events []Event) []Event {
	switch s.Phase {
	case Dealing:
		if s.awaitsCard().Kind != AwaitNothing {
			return events
		}
		if seat := s.firstToAct(); seat != 0 {
			return append(events, Event{Kind: BettingOpened, Street: s.Street}, Event{Kind: TurnPassed, Seat: seat})
		}
		return closeRound(s, events)
	case Betting:
		if s.count(live) > 1 {
			if s.needs(s.Turn) {
				return events
			}
			if seat := s.nextToAct(s.Turn); seat != 0 {
				return append(events, Event{Kind: TurnPassed, Seat: seat})
			}
		}
		return closeRound(s, events)
	case Closed:
		return afterRound(s, events)
	case Showing:
		return show(s, events)
	}
	return events
}

// closeRound gives back what nobody called (NK-07) and collects the bets. A seat that folded gets nothing back.
func closeRound(s *State, events []Event) []Event {
	var top, second Chips
	var seat Seat
	for i := range s.Seats {
		switch p := &s.Seats[i]; {
		case p.Bet > top:
			top, second, seat = p.Bet, top, Seat(i)
		case p.Bet > second:
			second = p.Bet
		}
	}
	if top > second && s.Seats[seat].Live {
		events = append(events, Event{Kind: UncalledReturned, Seat: seat, Amount: top - second})
		return append(events, Event{Kind: BetsCollected, Amount: s.Total() - (top - second)})
	}
	return append(events, Event{Kind: BetsCollected, Amount: s.Total()})
}

// afterRound goes on to the next street, to the showdown, or ends a hand that one seat is left in.
func afterRound(s *State, events []Event) []Event {
	switch {
	case s.count(live) == 1:
		return award(s, events)
	case !s.FaceUp && !s.Rules.House.HiddenAllIn && s.count(canBet) <= 1 && !s.lastStreet():
		return append(events, Event{Kind: ShowdownOpened, AllIn: true})
	case !s.lastStreet():
		return append(events, Event{Kind: StreetOpened, Street: s.Street + 1})
	case s.FaceUp:
		return award(s, events)
	}
	allIn := s.count(canBet) < s.count(live) && !s.Rules.House.HiddenAllIn
	return append(events, Event{Kind: ShowdownOpened, AllIn: allIn})
}

func (s *State) lastStreet() bool { return int(s.Street) == len(s.Rules.Game.Streets)-1 }

// show takes the showdown one step on (TD-06): the last aggressor first, else the left of the button, then clockwise.
// Once betting has ended with a seat all-in, known hands go face up by themselves.
func show(s *State, events []Event) []Event {
	if s.count(unseen) == 0 || s.count(claims) == 1 {
		if s.FaceUp && !s.lastStreet() {
			return append(events, Event{Kind: StreetOpened, Street: s.Street + 1})
		}
		return award(s, events)
	}
	seat := s.Turn
	switch {
	case seat != 0 && unseen(&s.Seats[seat]):
		// it is still this seat's turn to show
	case seat == 0 && s.Aggressor != 0 && unseen(&s.Seats[s.Aggressor]):
		seat = s.Aggressor
	case seat == 0:
		seat = s.seats(unseen).after(s.Button)
	default:
		seat = s.seats(unseen).after(seat)
	}
	if seat != s.Turn {
		events = append(events, Event{Kind: TurnPassed, Seat: seat})
	}
	if p := &s.Seats[seat]; s.FaceUp && p.Known() {
		events = append(events, Event{Kind: HandShown, Seat: seat, Cards: p.Hole})
	}
	return events
}

// AwaitKind names what a table waits for.
type AwaitKind uint8

const (
	// AwaitNothing: the table is between hands; the next may start.
	AwaitNothing AwaitKind = iota
	// AwaitBurn: a card to the burns.
	AwaitBurn
	// AwaitHole: a card face down to Seat.
	AwaitHole
	// AwaitBoard: a community card.
	AwaitBoard
	// AwaitAction: Seat's decision, within Legal.
	AwaitAction
	// AwaitReveal: Seat shows or mucks; MayMuck says whether it has the choice.
	AwaitReveal
)

var awaitNames = names[AwaitKind]{"nothing", "burn", "hole", "board", "action", "reveal"}

// String is the kind's name over MQTT.
func (k AwaitKind) String() string { return awaitNames.text(k) }

// MarshalText writes the kind's name.
func (k AwaitKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *AwaitKind) UnmarshalText(b []byte) (err error) {
	*k, err = awaitNames.parse("await", b)
	return err
}

// Await is the one thing a table waits for.
type Await struct {
	Kind AwaitKind
	Seat Seat
	// Number and Of count the card awaited among those of its seat or street, from 1: board card 2 of 3.
	Number, Of int8
	Legal      Legal
	MayMuck    bool
}

// Awaits says what the table waits for: exactly one thing, at any time.
func (s *State) Awaits() Await {
	switch s.Phase {
	case Dealing:
		return s.awaitsCard()
	case Betting:
		return Await{Kind: AwaitAction, Seat: s.Turn, Legal: s.legal(s.Turn)}
	case Showing:
		return Await{Kind: AwaitReveal, Seat: s.Turn, MayMuck: !s.FaceUp && !s.lastClaim(s.Turn)}
	}
	return Await{}
}

// awaitsCard is the next card of the street, AwaitNothing when all are dealt. Hole cards go one at a time from the left
// of the button (TC-19).
func (s *State) awaitsCard() Await {
	st := s.street()
	if st.Burn && s.Rules.House.Burn && !s.Burnt {
		return Await{Kind: AwaitBurn, Number: 1, Of: 1}
	}
	if st.Down > 0 {
		want := s.holeWanted()
		fewest := want
		for i := range s.Seats {
			if p := &s.Seats[i]; p.Live {
				fewest = min(fewest, p.HoleLen)
			}
		}
		if fewest < want {
			seat := s.seats(func(p *Place) bool { return p.Live && p.HoleLen == fewest }).after(s.Button)
			return Await{Kind: AwaitHole, Seat: seat, Number: int8(st.Down) - want + fewest + 1, Of: int8(st.Down)}
		}
	}
	if want := s.boardWanted(); s.BoardLen < want {
		return Await{Kind: AwaitBoard, Number: int8(st.Board) - want + s.BoardLen + 1, Of: int8(st.Board)}
	}
	return Await{}
}

// mayBeat reports whether seat i's hand beats or ties the best hand shown so far in a pot it claims (TC-31).
func (s *State) mayBeat(i Seat) bool {
	mine := s.strength(i)
	for j := range s.Seats {
		if o := &s.Seats[j]; Seat(j) != i && o.Shown && !o.Mucked && o.Put >= s.Seats[i].Put && s.strength(Seat(j)) > mine {
			return false
		}
	}
	return true
}

// dealable says why a card cannot be the one awaited, nil if it can.
func (s *State) dealable(c card.Card) *RuleError {
	switch {
	case c == card.Hidden:
		return nil
	case !c.Known():
		return refuse(CodeBadInput, 0, "", "no card was named")
	case !s.Rules.Game.Deck.Has(c):
		return refuse(CodeForeign, 0, "TD-07", "%v is no card of the deck of %s", c, s.Rules.Game.Name)
	case s.Out.Has(c):
		return refuse(CodeDuplicate, 0, "TD-07", "%v is out of the shoe already", c)
	}
	return nil
}
