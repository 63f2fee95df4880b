package engine

import "tavolo/engine/card"

// next appends what follows by itself from the state: the turn passes, bets are collected, a street opens, hands are
// shown, pots are paid. It appends nothing when the table waits for something.
func next(s *State, events []Event) []Event {
	if inRound := Drawing <= s.Phase && s.Phase <= Betting; inRound && !s.Rules.Game.Banked() && s.Live.Len() == 1 {
		return closeRound(s, events) // the others folded, or their hands were declared dead
	}
	switch s.Phase {
	case Drawing:
		switch seat := s.nextToDraw(); seat {
		case 0:
			return append(events, Event{Kind: DrawClosed})
		case s.Turn:
			return events
		default:
			return append(events, Event{Kind: TurnPassed, Seat: seat})
		}
	case Dealing:
		if s.nextCard().kind != AwaitNothing {
			return events
		}
		if seat := s.firstToAct(); seat != 0 {
			return append(events, Event{Kind: BettingOpened, Street: s.Street}, Event{Kind: TurnPassed, Seat: seat})
		}
		return closeRound(s, events)
	case Betting:
		if asked := s.Live &^ s.Split &^ s.Refused; s.Split != 0 && asked != 0 { // the offer goes round (NX-A6)
			if asked.Has(s.Turn) {
				return events
			}
			return append(events, Event{Kind: TurnPassed, Seat: asked.after(s.Turn)})
		}
		if s.agreed() {
			return closeRound(s, events)
		}
		switch toAct := s.toAct(); {
		case toAct == 0:
			return closeRound(s, events)
		case !toAct.Has(s.Turn):
			return append(events, Event{Kind: TurnPassed, Seat: toAct.after(s.Turn)})
		}
	case Answering:
		if target := s.Powers.Target; s.usable(target, Shield) != nil {
			return append(events, Event{Kind: AnchorHeld, Seat: target})
		}
	case Closed:
		return afterRound(s, events)
	case Showing:
		if s.Rules.Game.Banked() {
			return showBanked(s, events)
		}
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
	if top > second && s.Live.Has(seat) && !s.Rules.Game.Banked() {
		events = append(events, Event{Kind: UncalledReturned, Seat: seat, Amount: top - second})
		return append(events, Event{Kind: BetsCollected, Amount: s.Total() - (top - second)})
	}
	return append(events, Event{Kind: BetsCollected, Amount: s.Total()})
}

// afterRound goes on to the next street, to the showdown, or ends a hand that one seat is left in.
func afterRound(s *State, events []Event) []Event {
	if s.Rules.Game.Banked() {
		return afterWagers(s, events)
	}
	switch {
	case s.Live.Len() == 1, s.shares(s.Live):
		return award(s, events)
	case !s.FaceUp && !s.Rules.House.HiddenAllIn && s.canBet().Len() <= 1 && !s.lastStreet() && s.handsComplete():
		return append(events, Event{Kind: ShowdownOpened, AllIn: true})
	case !s.lastStreet():
		return append(events, s.nextStreet())
	case s.FaceUp:
		return award(s, events)
	}
	house := s.Rules.House
	allIn := s.canBet().Len() < s.Live.Len() && !house.HiddenAllIn
	return append(events, Event{Kind: ShowdownOpened, AllIn: allIn || house.AllShow || s.agreed()})
}

// nextStreet is the event that opens the next street. Where the shoe cannot give each seat its card, and the game says so,
// one in the middle is everybody's (NX-63).
func (s *State) nextStreet() Event {
	e := Event{Kind: StreetOpened, Street: s.Street + 1}
	st := &s.Rules.Game.Streets[e.Street]
	if st.Shared {
		need := s.Live.Len() * (st.Down + st.Up)
		if s.burns(int(e.Street)) {
			need++
		}
		e.Shared = need > s.inShoe()
	}
	return e
}

// inShoe is the number of cards that have not left the shoe.
func (s *State) inShoe() int { return s.Rules.Game.Deck.Len() - int(s.Gone) }

// handsComplete reports whether the streets to come deal to the board alone, so that hands may lie face up already.
func (s *State) handsComplete() bool {
	for _, st := range s.Rules.Game.Streets[s.Street+1:] {
		if st.Down+st.Up+st.Draw > 0 {
			return false
		}
	}
	return true
}

// nextToDraw is the seat that says next what it exchanges, 0 when all have.
func (s *State) nextToDraw() Seat {
	return s.among(s.Live, func(p *Place) bool { return !p.Drew }).after(s.Button)
}

// firstToShow is who shows first where nobody bet in the last round: who would have opened it, but for houses where the
// big blind would (BR-14).
func (s *State) firstToShow() Seat {
	last := &s.Rules.Game.Streets[len(s.Rules.Game.Streets)-1]
	if last.Opener == LeftOfButton {
		return s.toShow().after(s.Button)
	}
	return s.opener(last.Opener, s.toShow())
}

func (s *State) lastStreet() bool { return int(s.Street) == len(s.Rules.Game.Streets)-1 }

// show takes the showdown one step on (TD-06): the last aggressor first, else the left of the button, then clockwise.
// Once betting has ended with a seat all-in, known hands go face up by themselves.
func show(s *State, events []Event) []Event {
	if s.toShow().Len() == 0 || s.claims().Len() == 1 {
		if s.FaceUp && !s.lastStreet() {
			return append(events, s.nextStreet())
		}
		return award(s, events)
	}
	seat := s.Turn
	switch {
	case seat != 0 && s.toShow().Has(seat):
		// it is still this seat's turn to show
	case seat == 0 && s.Aggressor != 0 && s.toShow().Has(s.Aggressor):
		seat = s.Aggressor
	case seat == 0:
		seat = s.firstToShow()
	default:
		seat = s.toShow().after(seat)
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
	// AwaitHole: a card to Seat, face down or Up; to the house where Seat is 0.
	AwaitHole
	// AwaitBoard: a community card.
	AwaitBoard
	// AwaitAction: Seat's decision, within Legal.
	AwaitAction
	// AwaitReveal: Seat shows or mucks; MayMuck says whether it has the choice. The house shows where Seat is 0.
	AwaitReveal
	// AwaitDiscard: Seat says which cards it exchanges, at most Of.
	AwaitDiscard
	// AwaitReload: the discards are to be shuffled into the shoe, which has too few cards.
	AwaitReload
	// AwaitShield: Seat answers an anchor with a shield, or lets it hold.
	AwaitShield
	// AwaitShuffle: what is left in the shoe is to be shuffled, with the community cards that came too early.
	AwaitShuffle
	// AwaitResume: play is suspended.
	AwaitResume
)

var awaitNames = names[AwaitKind]{
	"nothing", "burn", "hole", "board", "action", "reveal", "discard", "reload", "shield", "shuffle", "resume",
}

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
	// Up is whether the card awaited lies face up.
	Up      bool
	Legal   Legal
	MayMuck bool
}

// Asked is the seat whose player must answer, 0 where the table waits for a card, a reload or the next hand.
func (a Await) Asked() Seat {
	switch a.Kind {
	case AwaitAction, AwaitReveal, AwaitDiscard, AwaitShield:
		return a.Seat
	}
	return 0
}

// Awaits says what the table waits for: exactly one thing, at any time.
func (s *State) Awaits() Await {
	if s.Suspended {
		return Await{Kind: AwaitResume}
	}
	switch s.Phase {
	case Drawing:
		return Await{Kind: AwaitDiscard, Seat: s.Turn, Of: int8(s.street().Draw)}
	case Dealing, Swapping:
		return s.nextCard().await()
	case Betting:
		a := Await{Kind: AwaitAction, Seat: s.Turn, Legal: s.legal(s.Turn)}
		s.offers(&a.Legal)
		return a
	case Answering:
		return Await{Kind: AwaitShield, Seat: s.Powers.Target}
	case Showing:
		return Await{Kind: AwaitReveal, Seat: s.Turn, MayMuck: !s.Rules.Game.Banked() && !s.FaceUp && !s.lastClaim(s.Turn)}
	}
	return Await{}
}

// slot is where the next card goes: what of an Await concerns cards, small enough to be asked for at every card.
type slot struct {
	kind       AwaitKind
	seat       Seat
	number, of int8
	up         bool
}

func (c slot) await() Await {
	return Await{Kind: c.kind, Seat: c.seat, Number: c.number, Of: c.of, Up: c.up}
}

// nextCard is the next card of the street, AwaitNothing when all are dealt or none may come. Hole cards go one at a time
// from the left of the button (TC-19), face down before face up; in a draw a seat gets all of its cards before the next.
func (s *State) nextCard() slot {
	st := s.street()
	switch {
	case s.Phase == Swapping:
		return s.nextHole(st)
	case s.Phase != Dealing:
		return slot{}
	case s.Shuffle == s.Street && s.Early != 0:
		return slot{kind: AwaitShuffle}
	}
	next := s.nextHole(st)
	burn := s.burns(int(s.Street)) && !s.Burnt
	if s.Shared && s.inShoe() < 2 { // the last card is everybody's
		burn = false
	}
	switch {
	case burn && (st.Draw == 0 || next.kind == AwaitHole): // nobody draws, nothing is burnt
		next = slot{kind: AwaitBurn, number: 1, of: 1}
	case next.kind == AwaitNothing && s.BoardLen < s.boardWanted():
		of := int8(max(st.Board, 1))
		next = slot{kind: AwaitBoard, number: of - s.boardWanted() + s.BoardLen + 1, of: of}
	}
	if next.kind != AwaitNothing && s.inShoe() == 0 {
		return slot{kind: AwaitReload}
	}
	return next
}

// nextHole is the next hole card of the street; one in place of a card that lay open comes last.
func (s *State) nextHole(st *Street) slot {
	want := s.holeWanted()
	fewest := want
	var next, again Seats
	for i := range s.Live.all() {
		p := &s.Seats[i]
		switch had := s.had(p); {
		case had >= want:
			if p.Exposed {
				again = again.With(i)
			}
		case had == fewest || st.Draw > 0:
			next = next.With(i)
		case had < fewest:
			next, fewest = Seats(0).With(i), had
		}
	}
	if house := s.Seats[0].HoleLen; s.Rules.Game.Banked() && house < fewest { // last in each round
		return slot{kind: AwaitHole, number: house + 1, of: want}
	}
	seat := next.after(s.Button)
	has := s.had(&s.Seats[seat])
	if seat == 0 {
		if seat = again.after(s.Button); seat == 0 {
			return slot{}
		}
		has = s.Seats[seat].HoleLen
	}
	of := int8(st.Down + st.Up)
	if st.Draw > 0 {
		of = want
	}
	up := s.Rules.Game.facesUp(has) && !(s.Rules.Game.dealsUp() && s.Seats[seat].Exposed)
	return slot{kind: AwaitHole, seat: seat, number: of - want + has + 1, of: of, up: up}
}

// mayBeat reports whether seat i's hand beats or ties the best hand shown so far in a pot it claims, high or low (TC-31).
func (s *State) mayBeat(i Seat) bool {
	high, low := s.strength(i), s.lowStrength(i)
	mayHigh, mayLow := true, low > 0
	for j := range s.Live.Without(i).all() {
		if o := &s.Seats[j]; o.Shown && o.Put >= s.Seats[i].Put {
			mayHigh = mayHigh && s.Rules.Game.High.Compare(high, s.strength(j), s.Live.Len()) >= 0
			mayLow = mayLow && s.lowStrength(j) <= low
		}
	}
	return mayHigh || mayLow
}

// dealable says why a card cannot be the one awaited, nil if it can. Nobody gets a card back that he threw away, unless
// there is no other (NX-73, NX-A5).
func (s *State) dealable(to slot, c card.Card) *RuleError {
	switch {
	case c == card.Hidden:
		return nil
	case !c.Known():
		return refuse(CodeBadInput, 0, "", "no card was named")
	case !s.Rules.Game.Deck.Has(c):
		return refuse(CodeForeign, 0, "TD-07", "%v is no card of the deck of %s", c, s.Rules.Game.Name)
	case s.Out.Has(c):
		return refuse(CodeDuplicate, 0, "TD-07", "%v is out of the shoe already", c)
	case !s.fitsAhead(c, s.Gone+1):
		return refuse(CodeNotPeeked, 0, "NK-20", "the shoe told another order of cards when it was read ahead")
	case to.kind == AwaitHole && s.Seats[to.seat].Thrown.Has(c) && s.inShoe() > (s.Seats[to.seat].Thrown&^s.Out).Len():
		return refuse(CodeOwnDiscard, to.seat, "NX-73", "%v was thrown away by this seat: it goes back, the next card is dealt", c)
	}
	return nil
}
