package engine

import (
	"slices"

	"tavolo/engine/card"
	"tavolo/engine/tournament"
)

// start decides the positions and the forced bets of the next hand.
func start(s *State, in *Input, events []Event) ([]Event, error) {
	if s.Phase != Between {
		return events, refuse(CodeHandInPlay, 0, "", "hand %d is in play", s.Hand)
	}
	if err := s.checkCarousel(in.Carousel); err != nil {
		return events, err
	}
	if s.Rules.Game.Banked() {
		return startBanked(s, in, events)
	}
	began := Event{Kind: HandBegan, Hand: s.Hand + 1, Dealt: s.seats(isReady), Carousel: in.Carousel}
	if n := began.Dealt.Len(); n < 2 {
		return events, refuse(CodeTooFew, 0, "TC-10", "%d seats are ready to play, two are needed", n)
	}
	if in.Forced != nil {
		if err := in.Forced.validate(began.Dealt); err != nil {
			return events, err
		}
		in.Forced.position(&began, s.Rules.House.HeadsUpButtonBig)
		p := newPoster(s, &began)
		return p.recorded(in.Forced, append(events, began)), nil
	}
	if !s.Rules.Game.BringIn {
		s.position(&began)
	} else if again := s.again(began.Dealt); again != 0 {
		began.Dealt = again
	}
	p := newPoster(s, &began)
	return p.stakes(s, append(events, began)), nil
}

// again are those of some seats that play a hand again which was called off, 0 if there is none to play again (TDA 35-C).
func (s *State) again(dealt Seats) Seats {
	if dealt &= s.seats(wasDealt); s.CalledOff && dealt.Len() >= 2 {
		return dealt
	}
	return 0
}

// position finds button and blinds: the big blind moves one seat, small blind and button follow it, onto an empty seat if
// need be (TD-01, T2); with two players the button has the small blind (T1), or in some houses the big one (BR-10). The
// first hand, and the first after a ButtonSet, starts from the button. A hand that was called off is played again by those
// who were in it, in the same positions (TDA 35-C).
func (s *State) position(e *Event) {
	button, small := s.SmallBlind, s.BigBlind
	again := s.again(e.Dealt)
	switch {
	case s.BigBlind == 0:
		button = e.Dealt.after(right(max(s.Button, 1)))
		small = e.Dealt.after(button)
		e.BigBlind = small
		switch {
		case e.Dealt.Len() > 2:
			e.BigBlind = e.Dealt.after(small)
		case s.Rules.House.HeadsUpButtonBig:
			e.BigBlind = button
		}
	case again != 0:
		button, small = s.Button, s.SmallBlind
		e.Dealt = again
		e.BigBlind = e.Dealt.after(right(s.BigBlind))
	default:
		e.BigBlind = (e.Dealt | s.seats(isWaiting)).after(s.BigBlind)
		e.Dealt = e.Dealt.With(e.BigBlind)
		s.missed(e)
	}
	if e.Dealt.Len() == 2 {
		small = e.Dealt.after(e.BigBlind)
		button = small
		if s.Rules.House.HeadsUpButtonBig {
			button = e.BigBlind
		}
	} else if button == 0 || small != 0 && !inOrder(button, small, e.BigBlind) { // when two become three, for one
		button = e.Dealt.before(small)
	}
	e.Button, e.SmallBlind, e.Seat = button, small, e.BigBlind
}

// missed notes who sits at the table, is not dealt in, and lets a blind pass by: the big blind on its way to its new seat,
// the small blind on its way to where the big blind was (NX-06, T3).
func (s *State) missed(e *Event) {
	absent := s.seats(func(p *Place) bool { return p.Taken && !p.Waits }) &^ e.Dealt
	e.Missed = absent & arc(s.BigBlind, e.BigBlind)
	if s.SmallBlind != 0 {
		e.MissedSmall = absent & arc(s.SmallBlind, s.BigBlind)
	}
}

// buttonSet puts the button before a seat: between hands, or in the first round of a hand before there has been substantial
// action in it (TDA 34). Then every chip goes back, the posts are made again from there, and the round begins anew.
func buttonSet(s *State, in *Input, events []Event) ([]Event, error) {
	if !s.hasSeat(in.Seat) {
		return events, refuse(CodeBadSeat, in.Seat, "", "the house %s has tables of %d seats", s.Rules.House.Name, s.Rules.House.MaxSeats)
	}
	moved := Event{Kind: ButtonMoved, Button: in.Seat}
	if s.Phase == Between {
		return append(events, moved), nil
	}
	switch {
	case !s.Rules.Game.Blinds():
		return events, refuse(CodeBadInput, in.Seat, "TD-07", "%s has no button", s.Rules.Game.Name)
	case s.SubstantialAction():
		return events, refuse(CodeTooLate, in.Seat, "TD-07", "there has been substantial action: the button stays for this hand")
	case s.Live.Len() < s.count(wasDealt):
		return events, refuse(CodeTooLate, in.Seat, "TD-07", "a hand has been given up: call the hand off")
	}
	again := *s
	n := len(events)
	for seat := range clockwise(0) {
		if p := &s.Seats[seat]; p.Dealt && p.Start > p.Stack+p.Aside {
			events = append(events, Event{Kind: BetRefunded, Seat: seat, Amount: p.Start - p.Stack - p.Aside})
		}
	}
	again.Button, again.SmallBlind, again.BigBlind = in.Seat, 0, 0
	moved.Dealt = s.seats(wasDealt)
	again.position(&moved)
	events = append(events, moved)
	for i := range events[n:] {
		evolve(&again, &events[n+i])
	}
	p := newPoster(&again, &moved)
	return p.stakes(&again, events), nil
}

// SubstantialAction reports whether there has been substantial action in the hand in play: two seats acted and one of them
// put chips in, or three did, or the first round is over (TDA 36).
func (s *State) SubstantialAction() bool {
	acted := s.count(func(p *Place) bool { return p.Acted })
	chips := s.count(func(p *Place) bool { return p.Acted && p.Bet > 0 }) > 0
	return s.Street > 0 || s.Phase != Dealing && s.Phase != Betting || acted > 2 || acted == 2 && chips ||
		s.Powers.Used > 0 || s.count(func(p *Place) bool { return s.protected(p) }) > 0
}

// buttonDrawn gives the first button to the highest card (BR-08).
func buttonDrawn(s *State, in *Input, events []Event) ([]Event, error) {
	switch {
	case s.Phase != Between:
		return events, refuse(CodeHandInPlay, 0, "BR-08", "that waits for the end of the hand")
	case !s.Rules.Game.Blinds():
		return events, refuse(CodeBadInput, 0, "BR-08", "%s has no button", s.Rules.Game.Name)
	case in.Drawn == nil || s.count(isTaken) == 0:
		return events, refuse(CodeBadInput, 0, "BR-08", "no cards were drawn")
	}
	var drawn []Event
	var cards []card.Card
	for i, c := range in.Drawn {
		seat := Seat(i)
		switch {
		case s.Seats[i].Taken != (c != card.None):
			return events, refuse(CodeBadInput, seat, "BR-08", "every seat taken draws one card, and no other")
		case c == card.None:
			continue
		case !s.Rules.Game.Deck.Has(c):
			return events, refuse(CodeForeign, seat, "BR-08", "%v is no card of the deck of %s", c, s.Rules.Game.Name)
		case slices.Contains(cards, c):
			return events, refuse(CodeDuplicate, seat, "BR-08", "%v was drawn twice", c)
		}
		cards = append(cards, c)
		drawn = append(drawn, Event{Kind: CardDrawn, Seat: seat, Card: c})
	}
	first := drawn[tournament.FirstButton(cards)].Seat
	return append(append(events, drawn...), Event{Kind: ButtonMoved, Button: first}), nil
}

// inOrder reports whether b lies clockwise between a and c, all three different.
func inOrder(a, b, c Seat) bool { return a != c && b != c && arc(a, c).Has(b) }

// validate says why these cannot be the forced bets of a hand with those seats, nil if they can.
func (f *Forced) validate(dealt Seats) error {
	if f.Button < 1 || f.Button > MaxSeats {
		return refuse(CodeBadSeat, 0, "", "there is no seat %d for the button", f.Button)
	}
	if f.Rake < 0 || f.Rake > MaxChips {
		return refuse(CodeBadAmount, 0, "", "a rake of %d", f.Rake)
	}
	for i := range f.Antes {
		seat, ante, blind := Seat(i), f.Antes[i], f.Blinds[i]
		switch {
		case ante < 0 || ante > MaxChips:
			return refuse(CodeBadAmount, seat, "", "an ante of %d", ante)
		case blind < -MaxChips || blind > MaxChips:
			return refuse(CodeBadAmount, seat, "", "a blind of %d", blind)
		case (ante != 0 || blind != 0) && !dealt.Has(seat):
			return refuse(CodeBadSeat, seat, "", "a forced bet of a seat that is not in the hand")
		}
	}
	return nil
}

// position reads button and blinds off the bets: the first two seats with a blind are the small and the big one, and the
// first to act sits left of the last of the largest. Where two play, the button has the small one, or the big one.
func (f *Forced) position(e *Event, buttonBig bool) {
	e.Button, e.Seat, e.Amount = f.Button, f.Button, f.Rake
	var largest Chips
	for seat := range clockwise(f.Button) {
		blind := f.Blinds[seat]
		switch {
		case blind <= 0:
			continue
		case e.BigBlind == 0:
			e.BigBlind = seat
		case e.SmallBlind == 0:
			e.SmallBlind, e.BigBlind = e.BigBlind, seat
		}
		if blind >= largest {
			e.Seat, largest = seat, blind
		}
	}
	if e.Dealt.Len() == 2 && e.SmallBlind != 0 && !buttonBig {
		e.SmallBlind, e.BigBlind = e.BigBlind, e.SmallBlind
	}
}

// poster makes the events of forced bets, taking each from what a seat has left.
type poster struct {
	began *Event
	stack [MaxSeats + 1]Chips
}

func newPoster(s *State, began *Event) poster {
	p := poster{began: began}
	for i := range s.Seats {
		p.stack[i] = s.Seats[i].Stack
		if most := s.Rules.Stakes.Cap; most > 0 {
			p.stack[i] = min(p.stack[i], most)
		}
	}
	return p
}

// post takes a forced bet, or what the seat has if that is less. A blind is posted even with nothing left, after an ante
// say, since the others owe it in full all the same (TD-04).
func (p *poster) post(e Event, events []Event) []Event {
	if e.Amount <= 0 || !p.began.Dealt.Has(e.Seat) || p.stack[e.Seat] == 0 && e.Kind != BlindPosted {
		return events
	}
	e.Amount = min(e.Amount, p.stack[e.Seat])
	p.stack[e.Seat] -= e.Amount
	e.AllIn = p.stack[e.Seat] == 0
	return append(events, e)
}

func (p *poster) blind(seat Seat, size Chips, isLive bool, events []Event) []Event {
	return p.post(Event{Kind: BlindPosted, Seat: seat, Amount: size, To: size, Live: isLive}, events)
}

// recorded posts what a record says: antes, then blinds, straddles and live posts clockwise from the button.
func (p *poster) recorded(f *Forced, events []Event) []Event {
	for seat := range clockwise(f.Button) {
		events = p.post(Event{Kind: AntePosted, Seat: seat, Amount: f.Antes[seat], Dead: f.DeadAntes}, events)
	}
	for seat := range clockwise(f.Button) {
		size := f.Blinds[seat]
		events = p.blind(seat, max(size, -size), size < 0, events)
	}
	return events
}

// stakes posts what the rules say: antes from everyone, then the blinds (TC-17), then what returning seats owe, the live
// bet before the dead one (NX-05, NX-06, T4), then the big blind's ante for the table. Who owes a big blind and gets the
// small blind's place posts the big one there (TC-13).
func (p *poster) stakes(s *State, events []Event) []Event {
	st := &s.Rules.Stakes
	small, big := p.began.SmallBlind, p.began.BigBlind
	for seat := range clockwise(p.began.Button) {
		events = p.post(Event{Kind: AntePosted, Seat: seat, Amount: st.Ante}, events)
	}
	if s.Seats[small].OwesBig {
		events = p.blind(small, st.BigBlind, true, events)
	} else {
		events = p.blind(small, st.SmallBlind, false, events)
	}
	events = p.blind(big, st.BigBlind, false, events)
	for seat := range clockwise(big) {
		if seat == big || seat == small {
			continue
		}
		if s.Seats[seat].OwesBig {
			events = p.blind(seat, st.BigBlind, true, events)
		}
		if s.Seats[seat].OwesSmall {
			events = p.post(Event{Kind: DeadPosted, Seat: seat, Amount: st.SmallBlind, Dead: true}, events)
		}
	}
	return p.post(Event{Kind: AntePosted, Seat: big, Amount: st.BigBlindAnte, Dead: true}, events)
}
