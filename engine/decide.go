package engine

import (
	"slices"

	"tavolo/engine/card"
)

// decide holds every rule: it says what follows at once from an input, or why the input is refused. It changes nothing.
func decide(s *State, in *Input, events []Event) ([]Event, error) {
	if in.Seat < 0 || in.Seat > MaxSeats {
		return events, refuse(CodeBadSeat, 0, "", "there is no seat %d", in.Seat)
	}
	if s.Suspended && !in.Kind.goesOn() {
		return events, refuse(CodeSuspended, in.Seat, "TD-07", "play is suspended")
	}
	switch in.Kind {
	case SeatTaken, ChipsAdded, SatOut, SatIn, BlindAwaited, SeatLeft, SeatMoved:
		return seatChange(s, in, events)
	case ButtonSet:
		return buttonSet(s, in, events)
	case ButtonDrawn:
		return buttonDrawn(s, in, events)
	case HandStarted:
		return start(s, in, events)
	case CardRead:
		return cardRead(s, in, events)
	case Acted:
		return acted(s, in, events)
	case Discarded:
		return discarded(s, in, events)
	case Reloaded:
		return reloaded(s, events)
	case Shown, Mucked:
		return revealed(s, in, events)
	case ClockRanOut:
		return ranOut(s, in, events)
	case Disconnected:
		return disconnected(s, in, events)
	case HandKilled, Retrieved, SetAside, Exposed, DealtEarly, Overdealt, DealtShort, BurnSkipped, Reshuffled, StackCorrected, AwardReversed,
		Ruled, Suspended, Rewound:
		return ruled(s, in, events)
	case Resumed:
		return resumed(s, events)
	case HandVoided:
		return voided(s, in, events)
	case PowerUsed:
		return powerUsed(s, in, events)
	case AnchorAccepted:
		return anchorAccepted(s, in, events)
	case Staked:
		return staked(s, in, events)
	}
	return events, refuse(CodeBadInput, in.Seat, "", "%v is no input", in.Kind)
}

// seatChange decides what happens to seats between hands.
func seatChange(s *State, in *Input, events []Event) ([]Event, error) {
	p := &s.Seats[in.Seat]
	anyTime := in.Kind == SatOut || in.Kind == SatIn || in.Kind == BlindAwaited
	brings := in.Kind == SeatTaken || in.Kind == ChipsAdded
	switch {
	case in.Seat == 0:
		return events, refuse(CodeBadSeat, 0, "", "no seat was named")
	case in.Kind == SeatTaken && p.Taken:
		return events, refuse(CodeSeatTaken, in.Seat, "", "the seat is taken")
	case in.Kind == SeatTaken && !s.hasSeat(in.Seat), in.Kind == SeatMoved && !s.hasSeat(in.Target):
		return events, refuse(CodeBadSeat, in.Seat, "", "the house %s has tables of %d seats", s.Rules.House.Name, s.Rules.House.MaxSeats)
	case in.Kind == SeatMoved && s.Seats[in.Target].Taken:
		return events, refuse(CodeSeatTaken, in.Seat, "", "seat %d is taken", in.Target)
	case in.Kind != SeatTaken && !p.Taken:
		return events, refuse(CodeSeatEmpty, in.Seat, "", "nobody sits there")
	case in.Kind == SeatTaken && s.count(isTaken) >= s.Rules.Game.MaxPlayers():
		return events, refuse(CodeTableFull, in.Seat, "", "%s is for %d players at most", s.Rules.Game.Name, s.Rules.Game.MaxPlayers())
	case in.Kind == BlindAwaited && !s.Rules.Game.Blinds():
		return events, refuse(CodeBadInput, in.Seat, "NX-05", "%s has no blinds to wait for", s.Rules.Game.Name)
	case !anyTime && s.Phase != Between:
		return events, refuse(CodeHandInPlay, in.Seat, "TC-33", "that waits for the end of the hand")
	case brings && in.Amount <= 0:
		return events, refuse(CodeBadAmount, in.Seat, "", "%d chips: want more than none", in.Amount)
	case brings && in.Amount > MaxChips-s.Chips():
		return events, refuse(CodeBadAmount, in.Seat, "", "%d chips: a table may hold %d in all", in.Amount, MaxChips)
	}
	switch in.Kind {
	case SeatTaken: // at a running table that costs a big blind (NX-05, TC-13)
		return append(events, Event{Kind: PlayerSat, Seat: in.Seat, Amount: in.Amount, Live: s.running()}), nil
	case SeatMoved: // so does another seat, and what was owed is owed there (NX-06)
		return append(s.takeBack(in.Seat, events), Event{Kind: PlayerMoved, Seat: in.Seat, Target: in.Target, Live: s.running()}), nil
	case ChipsAdded:
		return append(events, Event{Kind: StackAdded, Seat: in.Seat, Amount: in.Amount}), nil
	case SatOut:
		if p.Out {
			return events, nil
		}
		return append(s.takeBack(in.Seat, events), Event{Kind: PlayerSatOut, Seat: in.Seat}), nil
	case SatIn:
		if !p.Out && !p.Waits {
			return events, nil
		}
		return append(events, Event{Kind: PlayerSatIn, Seat: in.Seat}), nil
	case BlindAwaited:
		if p.Waits {
			return events, nil
		}
		return append(events, Event{Kind: PlayerWaiting, Seat: in.Seat}), nil
	default:
		return append(s.takeBack(in.Seat, events), Event{Kind: PlayerLeft, Seat: in.Seat, Amount: p.Stack + p.Put}), nil
	}
}

// hasSeat reports whether tables of the house have a seat of that number.
func (s *State) hasSeat(seat Seat) bool { return seat >= 1 && int(seat) <= s.Rules.House.MaxSeats }

// running reports whether hands are being played for blinds, which a newcomer joins.
func (s *State) running() bool { return s.Hand > 0 && s.count(isReady) >= 2 && s.Rules.Game.Blinds() }

// cardRead decides where the card goes that came out of the shoe.
func cardRead(s *State, in *Input, events []Event) ([]Event, error) {
	to := s.nextCard()
	switch to.kind {
	case AwaitBurn, AwaitHole, AwaitBoard:
	default:
		return events, refuse(CodeNotAwaited, 0, "TD-07", "no card is awaited")
	}
	if err := s.dealable(to, in.Card); err != nil {
		return events, err
	}
	if in.Manual != (in.Reason != "") {
		return events, refuse(CodeBadInput, 0, "TD-07", "a card entered by hand needs a reason, and no other has one")
	}
	e := Event{Kind: BoardDealt, Card: in.Card, Manual: in.Manual, Reason: in.Reason}
	switch to.kind {
	case AwaitBurn:
		e.Kind = CardBurned
	case AwaitHole:
		e.Kind, e.Seat, e.Up = HoleDealt, to.seat, to.up
	default:
		if in.Card == card.Hidden {
			return events, refuse(CodeUnknownCards, 0, "", "a community card must be known")
		}
	}
	if e.Up && in.Card == card.Hidden && !s.Rules.House.UnknownUpCards {
		return events, refuse(CodeUnknownCards, e.Seat, "", "a card dealt face up must be known")
	}
	return append(events, e), nil
}

// discarded decides what a seat exchanges in a draw.
func discarded(s *State, in *Input, events []Event) ([]Event, error) {
	if s.Phase != Drawing {
		return events, refuse(CodeNotAwaited, in.Seat, "", "nobody draws now")
	}
	if in.Seat != s.Turn {
		return events, refuse(CodeOutOfTurn, in.Seat, "", "it is seat %d's turn to draw", s.Turn)
	}
	p, cards := &s.Seats[in.Seat], CardsOf(in.Cards.Slice()...)
	if n, most := len(cards.Slice()), s.street().Draw; n > most {
		return events, refuse(CodeTooMuch, in.Seat, "NX-71", "%d cards thrown away: %d at most", n, most)
	}
	unknown := 0
	for _, c := range p.Hole[:p.HoleLen] {
		if c == card.Hidden {
			unknown++
		}
	}
	for i, c := range cards.Slice() {
		held := slices.Contains(p.Hole[:p.HoleLen], c) && c != card.Hidden
		switch {
		case c != card.Hidden && !s.Rules.Game.Deck.Has(c):
			return events, refuse(CodeForeign, in.Seat, "TD-07", "%v is no card of the deck of %s", c, s.Rules.Game.Name)
		case c != card.Hidden && slices.Contains(cards[:i], c):
			return events, refuse(CodeDuplicate, in.Seat, "", "%v thrown away twice", c)
		case !held && unknown == 0, !held && s.Out.Has(c):
			return events, refuse(CodeUnknownCards, in.Seat, "", "%v is not among the seat's cards", c)
		case !held:
			unknown--
		}
	}
	return append(events, discards(in.Seat, cards, false)...), nil
}

// discards is what follows when a seat has said what it exchanges.
func discards(seat Seat, cards Cards, auto bool) []Event {
	return []Event{{Kind: CardsDiscarded, Seat: seat, Cards: cards, Amount: Chips(len(cards.Slice())), Auto: auto}}
}

// reloaded decides that the discards are in the shoe again.
func reloaded(s *State, events []Event) ([]Event, error) {
	if s.Awaits().Kind != AwaitReload {
		return events, refuse(CodeNotAwaited, 0, "NX-73", "the shoe has cards: the discards stay out of it")
	}
	n := int(s.Removed)
	for i := range s.Seats {
		n += int(s.Seats[i].Discards)
	}
	if n == 0 {
		return events, refuse(CodeTooFew, 0, "NX-73", "there are no discards to shuffle into the shoe")
	}
	return append(events, Event{Kind: ShoeReloaded, Amount: Chips(n)}), nil
}

// acted decides a seat's action in its turn.
func acted(s *State, in *Input, events []Event) ([]Event, error) {
	if s.Phase != Betting {
		return events, refuse(CodeNotAwaited, in.Seat, "", "no decision is awaited")
	}
	if in.Seat != s.Turn {
		return events, refuse(CodeOutOfTurn, in.Seat, "", "it is seat %d's turn", s.Turn)
	}
	e, err := s.action(in)
	if err != nil {
		return events, err
	}
	return append(events, e), nil
}

// action makes the event of an action of the seat whose turn it is, or says which rule forbids it.
func (s *State) action(in *Input) (Event, error) {
	seat, p := in.Seat, &s.Seats[in.Seat]
	l := s.legal(seat)
	e := Event{Kind: PlayerActed, Seat: seat, Action: in.Action, To: p.Bet}
	if l.BringIn > 0 && in.Action != BringIn && in.Action != Bet && in.Action != Raise && in.Action != AllIn {
		return Event{}, refuse(CodeBringIn, seat, "NX-52", "the seat must bring in with %d at least", l.BringIn)
	}
	switch in.Action {
	case Fold:
		if l.NoFold {
			return Event{}, refuse(CodeNotAwaited, seat, "BP-04", "the seat plays on: it may check or bet")
		}
		return e, nil
	case BringIn:
		if l.BringIn == 0 {
			return Event{}, refuse(CodeNotAwaited, seat, "", "there is nothing to bring in")
		}
		e.Amount = l.BringIn
	case Split:
		if !l.Split {
			return Event{}, refuse(CodeNotAwaited, seat, "NX-A6", "the pot cannot be split now")
		}
		return e, nil
	case Check:
		if !l.Check && s.Rules.Game.Banked() {
			return Event{}, refuse(CodeCannotCheck, seat, "BP-03", "the seat bets %d or folds", s.wager(p))
		}
		if !l.Check {
			return Event{}, refuse(CodeCannotCheck, seat, "", "there is a bet of %d to meet: %d to call", s.Bet, l.ToCall)
		}
		return e, nil
	case Call:
		if l.ToCall == 0 {
			return Event{}, refuse(CodeNothingToDo, seat, "", "there is nothing to call")
		}
		e.Amount = l.ToCall
	case Bet, Raise:
		if err := s.raisable(seat, l, in); err != nil {
			return Event{}, err
		}
		e.Amount = in.Amount - p.Bet
	case AllIn:
		switch {
		case l.AllIn == 0 && l.Raise:
			return Event{}, refuse(CodeTooMuch, seat, s.mostRule(p), "the limit allows a bet of %d at most, all-in would make %d", l.MaxTo, p.Bet+p.Stack)
		case l.AllIn == 0:
			rule, why := s.barred(seat)
			return Event{}, refuse(CodeCannotRaise, seat, rule, "no raise: %s", why)
		case l.BringIn == p.Stack:
			e.Action, e.Amount = BringIn, p.Stack
		case l.AllIn <= s.Bet:
			e.Action, e.Amount = Call, p.Stack
		case l.Opens:
			e.Action, e.Amount = Bet, p.Stack
		default:
			e.Action, e.Amount = Raise, p.Stack
		}
	default:
		return Event{}, refuse(CodeBadInput, seat, "", "no action was named")
	}
	e.To = p.Bet + e.Amount
	e.AllIn = e.Amount == p.Stack
	return e, nil
}

// raisable says why a bet or raise to in.Amount is not legal, nil if it is.
func (s *State) raisable(seat Seat, l Legal, in *Input) error {
	p := &s.Seats[seat]
	all := p.Bet + p.Stack
	switch {
	case !l.Raise:
		rule, why := s.barred(seat)
		return refuse(CodeCannotRaise, seat, rule, "no raise: %s", why)
	case in.Action == Bet && !l.Opens:
		return refuse(CodeCannotRaise, seat, "", "there is a bet of %d already: raise it", s.Bet)
	case in.Action == Raise && l.Opens:
		return refuse(CodeCannotRaise, seat, "", "there is no bet to raise: bet")
	case in.Amount > all:
		return refuse(CodeTooMuch, seat, "", "%d is more than the seat has: %d at most", in.Amount, all)
	case in.Amount > l.MaxTo:
		return refuse(CodeTooMuch, seat, s.mostRule(p), "%d is over the limit: %d at most", in.Amount, l.MaxTo)
	case l.TwoSizes && in.Amount > l.MinTo && in.Amount < l.MaxTo:
		return refuse(CodeBadAmount, seat, "NX-62", "%d is neither %d nor %d", in.Amount, l.MinTo, l.MaxTo)
	case in.Amount < l.MinTo:
		return refuse(CodeTooLittle, seat, s.leastRule(), "%d is too little: %d at least", in.Amount, l.MinTo)
	case in.Amount != l.Within(in.Amount):
		return refuse(CodeNotInChips, seat, "", "%d is no whole number of chips of %d", in.Amount, l.Chip)
	}
	return nil
}

// revealed decides a hand shown or mucked at the showdown.
func revealed(s *State, in *Input, events []Event) ([]Event, error) {
	a := s.Awaits()
	p := &s.Seats[in.Seat]
	switch {
	case a.Kind != AwaitReveal:
		return events, refuse(CodeNotAwaited, in.Seat, "", "no hand is to be shown now")
	case in.Seat != a.Seat && a.Seat == 0:
		return events, refuse(CodeOutOfTurn, in.Seat, "BP-05", "the house shows first")
	case in.Seat != a.Seat:
		return events, refuse(CodeOutOfTurn, in.Seat, "TD-06", "seat %d shows first", a.Seat)
	case in.Kind == Mucked && s.Rules.Game.Banked():
		return events, refuse(CodeMustShow, in.Seat, "BP-05", "against the house every hand that has a bet is shown")
	case in.Kind == Mucked && s.FaceUp:
		return events, refuse(CodeMustShow, in.Seat, "TD-06", "betting ended all-in: the hand must be shown")
	case in.Kind == Mucked && !a.MayMuck:
		return events, refuse(CodeMustShow, in.Seat, "TD-06", "the hand is the last one in for a pot: it must be shown")
	case in.Kind == Mucked:
		return append(events, Event{Kind: HandMucked, Seat: in.Seat}), nil
	}
	cards := p.Hole
	if named := CardsOf(in.Cards.Slice()...); named != (Cards{}) {
		if err := s.showable(in.Seat, named); err != nil {
			return events, err
		}
		cards = named
	} else if !p.Known() {
		return events, refuse(CodeUnknownCards, in.Seat, "", "the hand is not known: say what it holds")
	}
	return append(events, Event{Kind: HandShown, Seat: in.Seat, Cards: cards}), nil
}

// showable says why the cards named cannot be seat i's hand, nil if they can.
func (s *State) showable(i Seat, cards Cards) error {
	p := &s.Seats[i]
	named := cards.Slice()
	if len(named) != int(p.HoleLen) {
		return refuse(CodeUnknownCards, i, "", "%d of the %d cards were shown", len(named), p.HoleLen)
	}
	mine := card.SetOf(p.Hole[:p.HoleLen]...)
	if mine&^card.SetOf(named...) != 0 {
		return refuse(CodeUnknownCards, i, "", "%v is not the hand that was dealt", cards)
	}
	others := s.Out &^ mine
	for _, c := range named {
		if !c.Known() {
			return refuse(CodeUnknownCards, i, "", "a card shown must have a face")
		}
		if !s.Rules.Game.Deck.Has(c) {
			return refuse(CodeForeign, i, "TD-07", "%v is no card of the deck of %s", c, s.Rules.Game.Name)
		}
		if others.Has(c) || s.isAhead(c) {
			return refuse(CodeDuplicate, i, "TD-07", "%v is somewhere else already", c)
		}
		others = others.Add(c)
	}
	return nil
}

// ranOut decides for a seat that let its time pass: check if that is legal, else fold; at the showdown, show a hand that
// may win and muck one that cannot (TC-31).
func ranOut(s *State, in *Input, events []Event) ([]Event, error) {
	a := s.Awaits()
	if a.Kind == AwaitShield {
		return anchorAccepted(s, in, events)
	}
	if a.Kind != AwaitAction && a.Kind != AwaitReveal && a.Kind != AwaitDiscard {
		return events, refuse(CodeNotAwaited, in.Seat, "", "no clock is running")
	}
	if in.Seat != a.Seat {
		return events, refuse(CodeOutOfTurn, in.Seat, "", "the clock runs for seat %d", a.Seat)
	}
	p := &s.Seats[in.Seat]
	switch a.Kind {
	case AwaitDiscard: // stands pat (NX-71)
		return append(events, discards(in.Seat, Cards{}, true)...), nil
	case AwaitAction:
		e := Event{Kind: PlayerActed, Seat: in.Seat, Action: Fold, To: p.Bet, Auto: true}
		switch {
		case a.Legal.BringIn > 0:
			e.Action, e.Amount, e.To, e.AllIn = BringIn, a.Legal.BringIn, a.Legal.BringIn, a.Legal.BringIn == p.Stack
		case a.Legal.Check && (!s.Rules.House.TimeoutFolds || p.Stack == 0 || a.Legal.NoFold): // BP-07
			e.Action = Check
		}
		events = append(events, e)
		if s.Rules.House.TimeoutSitsOut && !p.Out {
			events = append(events, Event{Kind: PlayerSatOut, Seat: in.Seat, Auto: true})
		}
		return events, nil
	}
	if !p.Known() {
		return events, refuse(CodeUnknownCards, in.Seat, "", "the hand is not known: somebody must say what it holds")
	}
	if a.MayMuck && !s.mayBeat(in.Seat) {
		return append(events, Event{Kind: HandMucked, Seat: in.Seat, Auto: true}), nil
	}
	return append(events, Event{Kind: HandShown, Seat: in.Seat, Cards: p.Hole, Auto: true}), nil
}

// disconnected decides for a seat that cannot act and is covered by the house: it counts as all-in, or folds what cost it
// nothing (NX-13, BR-40).
func disconnected(s *State, in *Input, events []Event) ([]Event, error) {
	house, small := s.Rules.House, s.Rules.Limit == FixedLimit || s.Rules.Limit == SpreadLimit
	p := &s.Seats[in.Seat]
	switch {
	case s.Rules.Game.Banked():
		return events, refuse(CodeNotCovered, in.Seat, "BP-07", "against the house a lost connection is time that runs out")
	case house.Protection == NoProtection || house.Protection == ProtectSmall && !small:
		return events, refuse(CodeNotCovered, in.Seat, "NX-13", "the house %s does not cover lost connections at %v tables", house.Name, s.Rules.Limit)
	case s.Phase != Betting:
		return events, refuse(CodeNotAwaited, in.Seat, "", "no decision is awaited")
	case in.Seat != s.Turn:
		return events, refuse(CodeOutOfTurn, in.Seat, "", "it is seat %d's turn", s.Turn)
	case p.Stack == 0: // it is asked to split the pots, and does not
		return append(events, Event{Kind: PlayerActed, Seat: in.Seat, Action: Check, To: p.Bet, Auto: true}), nil
	case p.Start == p.Stack+p.Aside: // it has put in nothing, and can win as much
		return append(events, Event{Kind: PlayerActed, Seat: in.Seat, Action: Fold, To: p.Bet, Auto: true}), nil
	}
	return append(events, Event{Kind: PlayerProtected, Seat: in.Seat, Amount: p.Stack}), nil
}

// voided gives every chip of the hand back to who put it in (NX-14).
func voided(s *State, in *Input, events []Event) ([]Event, error) {
	if s.Phase == Between {
		return events, refuse(CodeNoHand, 0, "", "no hand is in play")
	}
	events = append(events, Event{Kind: HandCalledOff, Reason: in.Reason})
	for i := range s.Seats {
		if p := &s.Seats[i]; p.Dealt && p.Start > p.Stack+p.Aside {
			events = append(events, Event{Kind: BetRefunded, Seat: Seat(i), Amount: p.Start - p.Stack - p.Aside})
		}
	}
	return append(events, Event{Kind: HandEnded}), nil
}
