package engine

// start decides the positions and the forced bets of the next hand.
func start(s *State, in Input, events []Event) ([]Event, error) {
	if s.Phase != Between {
		return events, refuse(CodeHandInPlay, 0, "", "hand %d is in play", s.Hand)
	}
	if n := s.count(isReady); n < 2 {
		return events, refuse(CodeTooFew, 0, "TC-10", "%d seats are ready to play, two are needed", n)
	}
	began := Event{Kind: HandBegan, Hand: s.Hand + 1}
	for i := range s.Seats {
		if s.Seats[i].ready() {
			began.Dealt = began.Dealt.With(Seat(i))
		}
	}
	poster := poster{dealt: began.Dealt}
	for i := range s.Seats {
		poster.stack[i] = s.Seats[i].Stack
	}
	if in.Forced != nil {
		if err := s.recorded(&began, in.Forced); err != nil {
			return events, err
		}
		events = append(events, began)
		return poster.recorded(in.Forced, events), nil
	}
	s.position(&began)
	events = append(events, began)
	return poster.stakes(s, &began, events), nil
}

// position finds button and blinds: the big blind moves one seat, small blind and button follow it, onto an empty seat if
// need be (TD-01, T2); with two players the button has the small blind (T1). The first hand, and the first after a
// ButtonSet, starts from the button.
func (s *State) position(e *Event) {
	heads := s.count(isReady) == 2
	switch {
	case s.BigBlind == 0:
		e.Button = s.Button
		if e.Button == 0 || !s.Seats[e.Button].ready() {
			e.Button = s.after(s.Button, isReady)
		}
		e.SmallBlind = s.after(e.Button, isReady)
		e.BigBlind = s.after(e.SmallBlind, isReady)
		if heads {
			e.SmallBlind, e.BigBlind = e.Button, e.SmallBlind
		}
	case heads:
		e.BigBlind = s.after(s.BigBlind, isReady)
		e.SmallBlind = s.after(e.BigBlind, isReady)
		e.Button = e.SmallBlind
	default:
		e.BigBlind = s.after(s.BigBlind, isReady)
		e.SmallBlind, e.Button = s.BigBlind, s.SmallBlind
		if !inOrder(e.Button, e.SmallBlind, e.BigBlind) {
			e.Button = s.before(e.SmallBlind)
		}
	}
	e.Seat = e.BigBlind
	if s.BigBlind == 0 {
		return
	}
	for seat := left(s.BigBlind); seat != e.BigBlind; seat = left(seat) {
		if p := &s.Seats[seat]; p.Taken && p.Out {
			e.Missed = e.Missed.With(seat)
		}
	}
	if p := &s.Seats[e.SmallBlind]; p.Taken && p.Out {
		e.MissedSmall = e.MissedSmall.With(e.SmallBlind)
	}
}

// inOrder reports whether b lies clockwise between a and c, all three different.
func inOrder(a, b, c Seat) bool {
	ab := (b - a + MaxSeats) % MaxSeats
	ac := (c - a + MaxSeats) % MaxSeats
	return 0 < ab && ab < ac
}

// before finds the first ready seat counter-clockwise from a seat.
func (s *State) before(seat Seat) Seat {
	for {
		seat = (seat+MaxSeats-2)%MaxSeats + 1
		if s.Seats[seat].ready() {
			return seat
		}
	}
}

// recorded checks the forced bets of a record and takes over its positions.
func (s *State) recorded(e *Event, f *Forced) error {
	if f.Button < 1 || f.Button > MaxSeats || !e.Dealt.Has(f.Button) {
		return refuse(CodeBadSeat, f.Button, "", "the button must be before a seat in the hand")
	}
	for i := range f.Antes {
		seat := Seat(i)
		switch {
		case f.Antes[i] < 0:
			return refuse(CodeBadAmount, seat, "", "an ante of %d", f.Antes[i])
		case (f.Antes[i] != 0 || f.Blinds[i] != 0) && !e.Dealt.Has(seat):
			return refuse(CodeBadSeat, seat, "", "a forced bet of a seat that is not in the hand")
		}
	}
	if f.Rake < 0 {
		return refuse(CodeBadAmount, 0, "", "a rake of %d", f.Rake)
	}
	e.Button, e.Amount = f.Button, f.Rake
	largest := Chips(-1)
	for i, seat := 0, f.Button; i < MaxSeats; i++ {
		seat = left(seat)
		if e.Dealt.Has(seat) && f.Blinds[seat] >= largest {
			e.Seat, largest = seat, f.Blinds[seat]
		}
	}
	e.BigBlind = e.Seat
	return nil
}

// poster makes the events of forced bets, taking each from what a seat has left.
type poster struct {
	dealt Seats
	stack [MaxSeats + 1]Chips
}

func (p *poster) post(e Event, events []Event) []Event {
	e.Amount = min(e.Amount, p.stack[e.Seat])
	if e.Amount <= 0 || !p.dealt.Has(e.Seat) {
		return events
	}
	p.stack[e.Seat] -= e.Amount
	e.AllIn = p.stack[e.Seat] == 0
	return append(events, e)
}

// blind posts a blind of that size; a seat with less posts what it has, and the others owe the full blind (TD-04).
func (p *poster) blind(seat Seat, size Chips, isLive bool, events []Event) []Event {
	return p.post(Event{Kind: BlindPosted, Seat: seat, Amount: size, To: size, Live: isLive}, events)
}

// recorded posts what a record says: antes, then blinds, straddles and live posts clockwise from the button.
func (p *poster) recorded(f *Forced, events []Event) []Event {
	for i, seat := 0, f.Button; i < MaxSeats; i++ {
		seat = left(seat)
		events = p.post(Event{Kind: AntePosted, Seat: seat, Amount: f.Antes[seat], Dead: f.DeadAntes}, events)
	}
	for i, seat := 0, f.Button; i < MaxSeats; i++ {
		seat = left(seat)
		size := f.Blinds[seat]
		events = p.blind(seat, max(size, -size), size < 0, events)
	}
	return events
}

// stakes posts what the rules say: antes from everyone, then the blinds (TC-17), then what returning seats owe (NX-06),
// then the big blind's ante for the table.
func (p *poster) stakes(s *State, began *Event, events []Event) []Event {
	st := &s.Rules.Stakes
	for i, seat := 0, began.Button; i < MaxSeats; i++ {
		seat = left(seat)
		events = p.post(Event{Kind: AntePosted, Seat: seat, Amount: st.Ante}, events)
	}
	events = p.blind(began.SmallBlind, st.SmallBlind, false, events)
	events = p.blind(began.BigBlind, st.BigBlind, false, events)
	for i, seat := 0, began.BigBlind; i < MaxSeats; i++ {
		seat = left(seat)
		owes := &s.Seats[seat]
		if seat == began.BigBlind || seat == began.SmallBlind {
			continue
		}
		if owes.OwesSmall {
			events = p.post(Event{Kind: DeadPosted, Seat: seat, Amount: st.SmallBlind, Dead: true}, events)
		}
		if owes.OwesBig {
			events = p.blind(seat, st.BigBlind, true, events)
		}
	}
	return p.post(Event{Kind: AntePosted, Seat: began.BigBlind, Amount: st.BigBlindAnte, Dead: true}, events)
}
