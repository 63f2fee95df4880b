package engine

import (
	"slices"

	"tavolo/engine/card"
)

// Rewind says how far to take a hand back, and shows the engine the hand as it was.
type Rewind struct {
	// Keep is how many of the Steps stand: at least the first, which began the hand.
	Keep int `json:"keep"`
	// Steps are the events of the hand so far, as the engine gave them for one input after another since HandStarted.
	Steps [][]Event `json:"steps"`
}

// ruled decides on the floor's corrections (TD-07). Each needs a reason, which its event keeps.
func ruled(s *State, in *Input, events []Event) ([]Event, error) {
	if in.Reason == "" && (in.Kind != Reshuffled || s.Awaits().Kind != AwaitShuffle) {
		return events, refuse(CodeBadInput, in.Seat, "TD-07", "a ruling needs a reason")
	}
	var e Event
	var err *RuleError
	switch in.Kind {
	case HandKilled:
		e, err = s.killed(in)
	case Retrieved:
		e, err = s.retrieved(in)
	case SetAside:
		e, err = s.setAside(in)
	case Exposed:
		e, err = s.exposed(in)
	case DealtEarly:
		e, err = s.dealtEarly(in)
	case Overdealt:
		e, err = s.overdealt(in)
	case DealtShort:
		e, err = s.dealtShort(in)
	case BurnSkipped:
		e, err = s.burnSkipped()
	case Reshuffled:
		e, err = s.reshuffled()
	case StackCorrected:
		e, err = s.stackCorrected(in)
	case AwardReversed:
		e, err = s.awardReversed(in)
	case Suspended:
		e, err = s.suspended()
	case Rewound:
		return s.rewound(in, events)
	default:
		e = Event{Kind: RulingMade, Seat: in.Seat}
	}
	if err != nil {
		return events, err
	}
	e.Reason = in.Reason
	return append(events, e), nil
}

func (s *State) killed(in *Input) (Event, *RuleError) {
	switch {
	case s.Phase == Between || !s.claims().Has(in.Seat):
		return Event{}, refuse(CodeNoHand, in.Seat, "TD-07", "the seat has no hand that could be dead")
	case s.claims().Len() == 1:
		return Event{}, refuse(CodeTooFew, in.Seat, "TD-07", "the hand is the last one in: call the hand off")
	}
	return Event{Kind: HandDeclaredDead, Seat: in.Seat}, nil
}

// retrieved brings a hand back that was given up or declared dead by mistake, as long as nothing has happened since that it
// would have had to answer.
func (s *State) retrieved(in *Input) (Event, *RuleError) {
	p := &s.Seats[in.Seat]
	var most Chips
	for i := range s.Live.all() {
		most = max(most, s.Seats[i].Put)
	}
	switch {
	case s.Rules.Game.Banked() || s.Phase != Betting && s.Phase != Showing:
		return Event{}, refuse(CodeNotAwaited, in.Seat, "TD-07", "a hand comes back while there is betting or hands are shown")
	case !p.Dealt || s.claims().Has(in.Seat):
		return Event{}, refuse(CodeNoHand, in.Seat, "TD-07", "the seat has given up no hand")
	case p.HoleLen != s.holeWanted() || p.Put < most && p.Stack > 0:
		return Event{}, refuse(CodeTooLate, in.Seat, "TD-07", "the hand has gone on since: %d went into the pots, the seat has put in %d", most, p.Put)
	}
	return Event{Kind: HandRetrieved, Seat: in.Seat}, nil
}

func (s *State) setAside(in *Input) (Event, *RuleError) {
	a := s.Awaits()
	if a.Kind != AwaitBurn && a.Kind != AwaitHole && a.Kind != AwaitBoard {
		return Event{}, refuse(CodeNotAwaited, 0, "TD-07", "no card is awaited")
	}
	if in.Boxed && s.Boxed > 0 && s.Street == 0 && s.Phase == Dealing {
		return Event{}, refuse(CodeMisdeal, 0, "TD-07", "a second card of the deal lay the wrong way up in the deck, which is a misdeal: call the hand off")
	}
	return Event{Kind: CardSetAside, Card: in.Card, Boxed: in.Boxed}, s.dealable(slot{}, in.Card)
}

// exposed replaces a hole card that lay open in the deal: it is the next burn, and the seat gets another card once the deal
// is done. In a game that deals cards face up it stays, and the seat's card that was to come face up comes face down. The first
// two cards of a hand, or a second one, are no such thing but a misdeal (TDA 35).
func (s *State) exposed(in *Input) (Event, *RuleError) {
	p := &s.Seats[in.Seat]
	hole := p.Hole[:p.HoleLen]
	at := slices.Index(hole, in.Card)
	for i, c := range hole {
		if at < 0 && c == card.Hidden && s.unseen(in.Card) {
			at = i
		}
	}
	up := s.Rules.Game.dealsUp()
	switch st := s.street(); {
	case s.Phase != Dealing && (s.Phase != Betting || s.roundBegun()):
		return Event{}, refuse(CodeNotAwaited, in.Seat, "TD-07", "a card is replaced in the deal, before anybody acts")
	case s.Rules.Game.Banked() || st.Down+st.Draw == 0:
		return Event{}, refuse(CodeNotAwaited, in.Seat, "TD-07", "no card of this street of %s is replaced", s.Rules.Game.Name)
	case up && s.Street > 0:
		return Event{}, refuse(CodeNotAwaited, in.Seat, "TD-07", "a card of a later street of %s stays as it lies", s.Rules.Game.Name)
	case !in.Card.Known() || !s.Live.Has(in.Seat) || at < 0 || p.Up&(1<<at) != 0:
		return Event{}, refuse(CodeUnknownCards, in.Seat, "TD-07", "%v is not among the seat's cards", in.Card)
	case s.Street == 0 && (s.Exposures > 0 || at == 0 && s.firstTwo().Has(in.Seat)):
		return Event{}, refuse(CodeMisdeal, in.Seat, "TD-07", "one of the first two cards or a second one is exposed, which is a misdeal: call the hand off")
	case up && int(p.HoleLen) > st.Down:
		return Event{}, refuse(CodeMisdeal, in.Seat, "TD-07", "the seat's card face up has come as well, which is a misdeal: call the hand off")
	case up:
		return Event{Kind: CardTurned, Seat: in.Seat, Card: in.Card}, nil
	case s.inShoe() <= s.holeToCome()+s.boardToCome():
		return Event{}, refuse(CodeTooFew, in.Seat, "TD-07", "the shoe has no card to spare: call the hand off")
	}
	return Event{Kind: CardExposed, Seat: in.Seat, Card: in.Card}, nil
}

// dealtShort completes the hand of the button, which got a card too few, as long as it has not acted (TDA 37). Another seat's
// is a misdeal, or dead once there has been substantial action.
func (s *State) dealtShort(in *Input) (Event, *RuleError) {
	p := &s.Seats[in.Seat]
	switch {
	case s.Street > 0 || s.Phase != Dealing && s.Phase != Betting || p.Acted:
		return Event{}, refuse(CodeTooLate, in.Seat, "TD-07", "a hand is completed in the deal, and before the seat acts")
	case s.Rules.Game.Banked() || s.Rules.Game.Streets[0].Up > 0:
		return Event{}, refuse(CodeNotAwaited, in.Seat, "TD-07", "no card of this street of %s is replaced", s.Rules.Game.Name)
	case in.Seat != s.Button:
		return Event{}, refuse(CodeMisdeal, in.Seat, "TD-07", "only the hand of the button is completed: call the hand off, or declare this one dead once there has been substantial action")
	case !s.Live.Has(in.Seat) || !slices.Contains(p.Hole[:p.HoleLen], in.Card):
		return Event{}, refuse(CodeUnknownCards, in.Seat, "TD-07", "%v is not among the seat's cards", in.Card)
	case s.inShoe() <= s.holeToCome()+s.boardToCome():
		return Event{}, refuse(CodeTooFew, in.Seat, "TD-07", "the shoe has no card to spare: call the hand off")
	}
	return Event{Kind: CardMissed, Seat: in.Seat, Card: in.Card}, nil
}

// firstTwo are the seats that are dealt to first.
func (s *State) firstTwo() Seats {
	dealt := s.seats(wasDealt)
	first := dealt.after(s.Button)
	return Seats(0).With(first).With(dealt.after(first))
}

// unseen reports whether a card may be one that the engine does not know the place of.
func (s *State) unseen(c card.Card) bool {
	return c.Known() && s.Rules.Game.Deck.Has(c) && !s.Out.Has(c) && !s.isAhead(c)
}

// roundBegun reports whether anybody has done anything in this round of betting.
func (s *State) roundBegun() bool {
	return s.count(func(p *Place) bool { return p.Acted }) > 0 || s.Split != 0 || s.Powers.Used > 0
}

// holeToCome is the number of cards that seats still get on this street.
func (s *State) holeToCome() (n int) {
	want := s.holeWanted()
	for i := range s.Live.all() {
		n += int(want - s.Seats[i].HoleLen)
	}
	return n
}

// dealtEarly takes community cards back that came before the betting was over. They are shuffled into the stub, and the
// street is dealt from it without another burn; but where the next street is one of as many cards, it takes their place, so
// that what was to be the river is the turn, and the river comes from the stub with them in it (TDA RP-5).
func (s *State) dealtEarly(in *Input) (Event, *RuleError) {
	if s.Phase != Betting || s.lastStreet() || s.Rules.Game.Streets[s.Street+1].Board == 0 {
		return Event{}, refuse(CodeNotAwaited, 0, "TD-07", "no community card is to come after this round of betting")
	}
	streets, cards := s.Rules.Game.Streets, in.Cards.Slice()
	e := Event{Kind: BoardRetracted, Card: in.Card, Cards: CardsOf(cards...), Street: s.Street + 1}
	need := len(cards)
	if in.Card != card.None {
		cards = append([]card.Card{in.Card}, cards...)
		need++
	}
	if after := int(s.Street) + 2; after < len(streets) && streets[after].Board == streets[e.Street].Board {
		need += s.toDeal(int(e.Street))
		e.Street++
	}
	switch most := streets[s.Street+1].Board; {
	case in.Card != card.None && !s.burns(int(s.Street)+1):
		return Event{}, refuse(CodeBadInput, 0, "TD-07", "no card is burnt before these")
	case len(e.Cards.Slice()) < 1 || len(e.Cards.Slice()) > most:
		return Event{}, refuse(CodeBadAmount, 0, "TD-07", "%d community cards came too early: want 1 to %d", len(e.Cards.Slice()), most)
	case s.inShoe() < need:
		return Event{}, refuse(CodeTooFew, 0, "TD-07", "the shoe has too few cards to put that right: call the hand off")
	}
	for i, c := range cards {
		switch {
		case c == card.Hidden && i == 0 && in.Card == card.Hidden:
		case !s.Rules.Game.Deck.Has(c):
			return Event{}, refuse(CodeForeign, 0, "TD-07", "%v is no card of the deck of %s", c, s.Rules.Game.Name)
		case s.Out.Has(c) || slices.Contains(cards[:i], c):
			return Event{}, refuse(CodeDuplicate, 0, "TD-07", "%v is out of the shoe already", c)
		case !s.fitsAhead(c, s.Gone+1+int8(i)):
			return Event{}, refuse(CodeNotPeeked, 0, "NK-20", "the shoe told another order of cards when it was read ahead")
		}
	}
	return e, nil
}

// overdealt sorts out a street that got one community card too many: of all of them, scrambled face down, the floor picks
// the next burn (TDA RP-5).
func (s *State) overdealt(in *Input) (Event, *RuleError) {
	st := s.street()
	stay := in.Cards.Slice()
	now := card.SetOf(append([]card.Card{in.Card}, stay...)...)
	dealt := card.SetOf(s.Board[s.boardBefore():s.BoardLen]...)
	switch {
	case s.Phase != Dealing && (s.Phase != Betting || s.roundBegun()) || st.Board < 2 || dealt == 0:
		return Event{}, refuse(CodeNotAwaited, 0, "TD-07", "there are no community cards of this street, or there was betting on them")
	case len(stay) != st.Board || now.Len() != st.Board+1 || dealt&^now != 0:
		return Event{}, refuse(CodeBadAmount, 0, "TD-07", "want %d community cards and one to burn, and %v among them", st.Board, dealt)
	case now&^s.Rules.Game.Deck != 0:
		return Event{}, refuse(CodeForeign, 0, "TD-07", "%v is no card of the deck of %s", now&^s.Rules.Game.Deck, s.Rules.Game.Name)
	case now&s.Out != dealt || s.isAhead(in.Card):
		return Event{}, refuse(CodeDuplicate, 0, "TD-07", "%v is out of the shoe already", now&s.Out&^dealt)
	case s.inShoe() < (now&^dealt).Len()+s.boardToCome():
		return Event{}, refuse(CodeTooFew, 0, "TD-07", "the shoe has too few cards to put that right: call the hand off")
	}
	return Event{Kind: BoardCorrected, Card: in.Card, Cards: CardsOf(stay...)}, nil
}

// burnSkipped lets a street go without the burn that the dealer forgot.
func (s *State) burnSkipped() (Event, *RuleError) {
	if s.Awaits().Kind != AwaitBurn {
		return Event{}, refuse(CodeNotAwaited, 0, "TD-07", "no card is to be burnt")
	}
	return Event{Kind: BurnLeftOut}, nil
}

// reshuffled shuffles what is left in the shoe, with the community cards that came too early where it is their turn.
func (s *State) reshuffled() (Event, *RuleError) {
	switch {
	case s.Phase == Between:
		return Event{}, refuse(CodeNoHand, 0, "TD-07", "no hand is in play")
	case s.Awaits().Kind == AwaitShuffle:
		return Event{Kind: StubShuffled, Amount: Chips(s.Early.Len())}, nil
	}
	return Event{Kind: StubShuffled}, nil
}

func (s *State) stackCorrected(in *Input) (Event, *RuleError) {
	p := &s.Seats[in.Seat]
	switch {
	case s.Phase != Between:
		return Event{}, refuse(CodeHandInPlay, in.Seat, "TD-07", "that waits for the end of the hand")
	case !p.Taken:
		return Event{}, refuse(CodeSeatEmpty, in.Seat, "", "nobody sits there")
	case in.Amount < -p.Stack || in.Amount > MaxChips-s.Chips():
		return Event{}, refuse(CodeBadAmount, in.Seat, "", "a correction by %d of a stack of %d", in.Amount, p.Stack)
	}
	return Event{Kind: StackAdjusted, Seat: in.Seat, Amount: in.Amount}, nil
}

// awardReversed gives what a seat was wrongly paid to another that was in the hand, until the next hand begins (TDA 22).
func (s *State) awardReversed(in *Input) (Event, *RuleError) {
	p := &s.Seats[in.Seat]
	switch {
	case s.Phase != Between || s.Hand == 0:
		return Event{}, refuse(CodeTooLate, in.Seat, "TD-07", "an award is put right after its hand and before the next one")
	case in.Target < 1 || in.Target > MaxSeats || in.Target == in.Seat || !s.Seats[in.Target].Taken || !s.Seats[in.Target].Dealt:
		return Event{}, refuse(CodeBadTarget, in.Seat, "TD-07", "seat %d was not in the hand beside this one", in.Target)
	case in.Amount <= 0 || in.Amount > p.Won || in.Amount > p.Stack:
		return Event{}, refuse(CodeBadAmount, in.Seat, "TD-07", "%d to give back: the seat won %d and has %d", in.Amount, p.Won, p.Stack)
	}
	return Event{Kind: AwardMoved, Seat: in.Seat, Target: in.Target, Amount: in.Amount}, nil
}

func (s *State) suspended() (Event, *RuleError) {
	if s.Suspended {
		return Event{}, refuse(CodeSuspended, 0, "TD-07", "play is suspended already")
	}
	return Event{Kind: PlaySuspended}, nil
}

// resumed lets play go on.
func resumed(s *State, events []Event) ([]Event, error) {
	if !s.Suspended {
		return events, refuse(CodeNotAwaited, 0, "TD-07", "play is not suspended")
	}
	return append(events, Event{Kind: PlayResumed}), nil
}

// goesOn reports whether an input is taken while play is suspended: rulings that move no card out of the shoe, and what
// concerns no hand in play.
func (k InputKind) goesOn() bool {
	switch k {
	case HandStarted, CardRead, Acted, ClockRanOut, Disconnected, Discarded, Reloaded, Shown, Mucked, PowerUsed, AnchorAccepted,
		SetAside, Exposed, DealtShort, BurnSkipped, Reshuffled:
		return false
	}
	return true
}

// rewound takes the hand back to an earlier step. The engine remembers no past; it believes the one it is shown if that
// leads to where the hand is now. The hand then begins anew, and what stands of its events happens again, word for word. What
// people asked for their seats since, and what the floor said, stays said and is not repeated.
func (s *State) rewound(in *Input, events []Event) ([]Event, error) {
	r := in.Rewind
	if s.Phase == Between {
		return events, refuse(CodeNoHand, 0, "TD-07", "no hand is in play: with its end the right to dispute how a hand was played is over (TDA 35-E), and until the next begins an award may be reversed (TDA 22)")
	}
	if r == nil {
		return events, refuse(CodeBadInput, 0, "TD-07", "nothing is said of how far the hand goes back")
	}
	hand := slices.Concat(r.Steps...)
	switch {
	case len(hand) == 0 || hand[0].Kind != HandBegan || !s.cameBy(hand):
		return events, refuse(CodeBadInput, 0, "TD-07", "these are not the events of the hand in play")
	case r.Keep < 1 || r.Keep >= len(r.Steps):
		return events, refuse(CodeBadAmount, 0, "TD-07", "%d steps of the hand stand: want 1 to %d", r.Keep, len(r.Steps)-1)
	}
	stands := slices.Concat(r.Steps[:r.Keep]...)
	back := beginning(hand)
	back.Stands, back.Reason = s.Seq-uint64(len(hand)-len(stands)), in.Reason
	stands = stands[1:]
	for i, e := range slices.Backward(stands) {
		if e.Kind == HandRewound { // what came before it counts no more
			stands = stands[i+1:]
			break
		}
	}
	events = append(events, back)
	for _, e := range stands {
		if !e.Kind.stays() {
			events = append(events, e)
		}
	}
	return events, nil
}

// stays reports whether what happened is not undone when the hand is taken back.
func (k EventKind) stays() bool {
	switch k {
	case PlayerSatOut, PlayerSatIn, PlayerWaiting, RulingMade, PlaySuspended, PlayResumed:
		return true
	}
	return false
}

// beginning is the event that takes a hand back to where it began, from its events.
func beginning(events []Event) Event {
	back := events[0]
	back.Kind = HandRewound
	return back
}

// cameBy reports whether the hand in play came to where it is by these events, from its beginning on.
func (s *State) cameBy(events []Event) (did bool) {
	defer func() { did = recover() == nil && did }() // evolve takes what happened, and may panic at what never can
	then, back := *s, beginning(events)
	evolve(&then, &back)
	for i := range events[1:] {
		evolve(&then, &events[1+i])
	}
	then.Seq = s.Seq
	return then == *s
}

// rewind takes the hand in play back to where it has just begun. Stacks are what they were then, and sparks; who sits out or
// waits does so still.
func (s *State) rewind(e *Event) {
	now := *s
	for i := range s.Seats {
		p := &s.Seats[i]
		p.Put, p.Aside = p.Ante+p.Bonus, 0
		p.Stack = p.Start - p.Put
	}
	s.begin(e)
	s.Suspended = now.Suspended
	for i := range s.Seats {
		p, was := &s.Seats[i], &now.Seats[i]
		p.Waits, p.Sparks = was.Waits, was.Sparks
		for _, power := range was.Used.List() {
			p.Sparks += s.Rules.Powers.Cost[power]
		}
	}
}
