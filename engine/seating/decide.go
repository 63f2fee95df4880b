package seating

import (
	"fmt"
	"slices"

	"tavolo/engine"
)

// Codes of refusals, besides those of package engine.
const (
	// CodeSeated: the player has a seat at the table already.
	CodeSeated engine.Code = "already_seated"
	// CodeListFirst: those on the waiting list come first.
	CodeListFirst engine.Code = "list_first"
	// CodeReEntry: the player comes back with what he left with.
	CodeReEntry engine.Code = "re_entry"
	// CodeSessionCap: the player may not bring that much in a session.
	CodeSessionCap engine.Code = "session_cap"
	// CodeAtMaximum: the stack is at the table's maximum.
	CodeAtMaximum engine.Code = "at_maximum"
	// CodeLeaving: the player leaves at the hand's end.
	CodeLeaving engine.Code = "leaving"
	// CodeOwesBlind: the seat owes a small blind.
	CodeOwesBlind engine.Code = "owes_blind"
	// CodeSeatFree: there is a seat to take, and so nothing to wait for.
	CodeSeatFree engine.Code = "seat_free"
	// CodeListed: the player is on the waiting list already.
	CodeListed engine.Code = "already_listed"
	// CodeNotListed: the player is not on the waiting list.
	CodeNotListed engine.Code = "not_listed"
	// CodeListFull: the waiting list takes no more.
	CodeListFull engine.Code = "list_full"
)

// maxList bounds the waiting list.
const maxList = 100

// work is one input being worked on: both states as they have become, and the events so far.
type work struct {
	s      State
	table  engine.State
	now    int64
	events []Event
}

// emit has an event happen, in both states.
func (w *work) emit(e Event) error {
	for _, in := range e.Inputs(w.table) {
		var err error
		if w.table, _, err = engine.Apply(w.table, in); err != nil {
			return err
		}
	}
	evolve(&w.s, e)
	w.events = append(w.events, e)
	return nil
}

func (w *work) between() bool { return w.table.Phase == engine.Between }

// decide holds every rule of what may be asked.
func (w *work) decide(in Input) error {
	if in.Seat < 0 || in.Seat > engine.MaxSeats || in.To < 0 || in.To > engine.MaxSeats {
		return refuse(engine.CodeBadSeat, 0, "", "there is no such seat")
	}
	switch in.Kind {
	case SeatGiven:
		return w.emit(Event{Kind: PlayerSat, Seat: in.Seat, Player: in.Player, Amount: in.Amount, Fresh: in.Amount})
	case SeatAsked:
		return w.seatAsked(in)
	case LeaveAsked:
		return w.leaveAsked(in)
	case ChipsAsked:
		return w.chipsAsked(in)
	case MoveAsked:
		return w.moveAsked(in)
	case ListAsked:
		return w.listAsked(in)
	case ListDeclined:
		if w.s.listed(in.Player) < 0 {
			return refuse(CodeNotListed, 0, "TC-12", "%s is not on the waiting list", in.Player)
		}
		return w.emit(Event{Kind: ListLeft, Player: in.Player})
	case TimePassed:
		return w.timePassed()
	case Resumed:
		return w.resumed()
	}
	return refuse(engine.CodeBadInput, 0, "", "%q is no input", in.Kind)
}

func (w *work) seatAsked(in Input) error {
	players := 0
	for i := range w.s.Seats {
		if w.s.Seats[i].Taken {
			players++
		}
	}
	switch most := w.table.Rules.Game.MaxPlayers(); {
	case in.Seat == 0:
		return refuse(engine.CodeBadSeat, 0, "TC-10", "no seat was named")
	case !w.s.isFree(in.Seat):
		return refuse(engine.CodeSeatTaken, in.Seat, "TC-10", "the seat is taken")
	case w.s.SeatOf(in.Player) != 0 && !w.table.Rules.Game.Banked(): // where a player may have several boxes (BP-09)
		return refuse(CodeSeated, w.s.SeatOf(in.Player), "TC-10", "%s has a seat already", in.Player)
	case players >= most:
		return refuse(engine.CodeTableFull, in.Seat, "", "%s is for %d players at most", w.table.Rules.Game.Name, most)
	case w.s.Rules.Open.Has(in.Seat) && !w.mayTake(in.Player):
		return refuse(CodeListFirst, in.Seat, "TC-12", "the seat is for those on the waiting list: join it")
	}
	fresh, err := w.buyIn(in)
	if err != nil {
		return err
	}
	e := Event{Kind: PlayerSat, Seat: in.Seat, Player: in.Player, Amount: in.Amount, Fresh: fresh}
	if !w.between() {
		e.Kind = SeatKept
	}
	return w.emit(e)
}

// mayTake reports whether a player may take an open seat: one who was told, or anybody if there are more seats than that.
func (w *work) mayTake(player string) bool {
	if i := w.s.listed(player); i >= 0 && w.s.List[i].Until > 0 {
		return true
	}
	return w.spare() > 0
}

// spare is how many seats are free beyond those that the waiting list was told of.
func (w *work) spare() int { return w.s.Free().Len() - w.s.told() }

// buyIn checks what a player sits down with, and says how much money from outside his session has then.
func (w *work) buyIn(in Input) (fresh engine.Chips, err error) {
	r, least, most := w.s.Rules, w.s.Rules.MinBuyIn, w.s.Rules.most()
	if err := w.amount(in); err != nil {
		return 0, err
	}
	a := w.absent(in.Player)
	switch back := atMost(a.Stack, most); {
	case a.ahead() && in.Amount != back:
		return 0, refuse(CodeReEntry, in.Seat, "TC-11", "%s left ahead and comes back with %d", in.Player, back)
	case a.ahead():
	case in.Amount < least:
		return 0, refuse(engine.CodeTooLittle, in.Seat, r.BuyInRule, "%d is below the smallest buy-in of %d", in.Amount, least)
	case in.Amount > atMost(in.Amount, r.MaxBuyIn):
		return 0, refuse(engine.CodeTooMuch, in.Seat, r.BuyInRule, "%d is above the largest buy-in of %d", in.Amount, r.MaxBuyIn)
	}
	fresh = a.Fresh + max(0, in.Amount-a.Stack)
	return fresh, w.underCap(in.Seat, max(fresh, in.Amount))
}

// amount checks that an amount can be one at all.
func (w *work) amount(in Input) error {
	room := engine.MaxChips - w.table.Chips()
	for i := range w.s.Seats {
		room -= w.s.Seats[i].Adding
	}
	if in.Amount <= 0 || in.Amount > room {
		return refuse(engine.CodeBadAmount, in.Seat, "", "%d chips: want more than none, and at most %d", in.Amount, max(0, room))
	}
	return nil
}

// underCap checks what a seat would have brought against the session cap.
func (w *work) underCap(seat engine.Seat, brought engine.Chips) error {
	if most := w.s.Rules.SessionCap; most > 0 && brought > most {
		return refuse(CodeSessionCap, seat, "TC-07", "%d would be brought in this session: %d at most", brought, most)
	}
	return nil
}

// atMost is an amount, or a bound on it if that is lower; 0 is no bound.
func atMost(amount, most engine.Chips) engine.Chips {
	if most > 0 {
		return min(amount, most)
	}
	return amount
}

// absent is a player who left the table and whose session goes on; the zero Absent if there is none.
func (w *work) absent(player string) Absent {
	for _, a := range w.s.Absent {
		if a.Player == player && w.now < a.At+w.s.Rules.ReEntry {
			return a
		}
	}
	return Absent{}
}

// seated is the place of somebody who sits at a seat, and does not leave yet.
func (w *work) seated(seat engine.Seat) (*Place, error) {
	p := &w.s.Seats[seat]
	switch {
	case seat == 0 || !p.Taken || p.Coming:
		return nil, refuse(engine.CodeSeatEmpty, seat, "", "nobody sits there")
	case p.Leaving:
		return nil, refuse(CodeLeaving, seat, "TC-10", "the player leaves at the end of the hand")
	}
	return p, nil
}

func (w *work) leaveAsked(in Input) error {
	p := &w.s.Seats[in.Seat]
	switch {
	case !p.Taken:
		return refuse(engine.CodeSeatEmpty, in.Seat, "", "nobody sits there")
	case p.Coming:
		return w.emit(Event{Kind: SeatReleased, Seat: in.Seat})
	case p.Leaving:
		return nil
	}
	return w.emit(Event{Kind: LeavePlanned, Seat: in.Seat})
}

func (w *work) chipsAsked(in Input) error {
	p, err := w.seated(in.Seat)
	if err != nil {
		return err
	}
	if err := w.amount(in); err != nil {
		return err
	}
	if err := w.underCap(in.Seat, max(p.Fresh, p.Sitting)+in.Amount); err != nil {
		return err
	}
	most := w.s.Rules.most()
	if !w.between() {
		if in.Amount > atMost(in.Amount, most) {
			return refuse(engine.CodeTooMuch, in.Seat, "TC-33", "%d is above the largest stack to add chips to: %d", in.Amount, most)
		}
		return w.emit(Event{Kind: ChipsPlanned, Seat: in.Seat, Amount: in.Amount})
	}
	stack := w.table.Seats[in.Seat].Stack
	switch least := w.s.Rules.MinBuyIn; {
	case most > 0 && stack >= most:
		return refuse(CodeAtMaximum, in.Seat, "TC-33", "the stack of %d is not below the maximum of %d", stack, most)
	case most > 0 && in.Amount > most-stack:
		return refuse(engine.CodeTooMuch, in.Seat, "TC-33", "%d is too much to add: %d at most", in.Amount, most-stack)
	case stack == 0 && in.Amount < least:
		return refuse(engine.CodeTooLittle, in.Seat, w.s.Rules.BuyInRule, "%d is below the smallest buy-in of %d", in.Amount, least)
	}
	return w.emit(Event{Kind: ChipsAdded, Seat: in.Seat, Amount: in.Amount})
}

func (w *work) moveAsked(in Input) error {
	if _, err := w.seated(in.Seat); err != nil {
		return err
	}
	open := w.s.Rules.Open
	swap := w.between() && open.Has(in.Seat) // leaves as many seats as it takes, and at once
	switch {
	case in.To == 0:
		return refuse(engine.CodeBadSeat, in.Seat, "", "no seat to move to was named")
	case !w.s.isFree(in.To):
		return refuse(engine.CodeSeatTaken, in.Seat, "TC-10", "seat %d is taken", in.To)
	case w.table.Seats[in.Seat].OwesSmall:
		return refuse(CodeOwesBlind, in.Seat, "NX-06", "the seat owes a small blind: post it before moving")
	case w.table.Seats[in.Seat].Stack == 0 && w.between():
		return refuse(engine.CodeBadAmount, in.Seat, "", "there are no chips to move with")
	case open.Has(in.To) && !swap && w.spare() <= 0:
		return refuse(CodeListFirst, in.Seat, "TC-12", "seat %d is for those on the waiting list", in.To)
	}
	return w.emit(Event{Kind: MovePlanned, Seat: in.Seat, To: in.To})
}

func (w *work) listAsked(in Input) error {
	switch {
	case w.s.SeatOf(in.Player) != 0:
		return refuse(CodeSeated, w.s.SeatOf(in.Player), "TC-12", "%s has a seat already", in.Player)
	case w.s.listed(in.Player) >= 0:
		return refuse(CodeListed, 0, "TC-12", "%s is on the waiting list already", in.Player)
	case w.spare() > 0:
		return refuse(CodeSeatFree, 0, "TC-12", "a seat is free: take it")
	case len(w.s.List) >= maxList:
		return refuse(CodeListFull, 0, "TC-12", "the waiting list takes %d players", maxList)
	}
	return w.emit(Event{Kind: ListJoined, Player: in.Player})
}

// timePassed ends offers that were not taken (TC-12), and plans that who has sat out too long leaves (TC-14).
func (w *work) timePassed() error {
	for _, e := range slices.Clone(w.s.List) {
		if e.Until > 0 && e.Until <= w.now {
			if err := w.emit(Event{Kind: OfferLapsed, Player: e.Player}); err != nil {
				return err
			}
		}
	}
	for i := range w.s.Seats {
		if until := w.s.removed(engine.Seat(i)); until > 0 && until <= w.now && w.away(engine.Seat(i)) {
			if err := w.emit(Event{Kind: LeavePlanned, Seat: engine.Seat(i)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// resumed gives who was told of a free seat the whole time again.
func (w *work) resumed() error {
	for _, e := range slices.Clone(w.s.List) {
		if e.Until > 0 {
			if err := w.emit(Event{Kind: SeatOffered, Player: e.Player, At: w.now + w.s.Rules.Offer}); err != nil {
				return err
			}
		}
	}
	return nil
}

// away reports whether who sits at a seat sits out, or has no chips and is not in the hand.
func (w *work) away(seat engine.Seat) bool {
	p := &w.table.Seats[seat]
	return p.Out || p.Stack == 0 && (w.between() || !p.Dealt)
}

// next is what follows by itself, the zero Event for nothing: what was planned is done between hands, who leaves first and
// who comes last, and the first on the waiting list is told of a free seat.
func (w *work) next() Event {
	for _, a := range w.s.Absent {
		if w.now >= a.At+w.s.Rules.ReEntry {
			return Event{Kind: Forgotten, Player: a.Player}
		}
	}
	if w.between() {
		for _, due := range []func(engine.Seat, *Place) Event{w.leaves, w.moves, w.adds, w.comes} {
			for i := range w.s.Seats {
				if e := due(engine.Seat(i), &w.s.Seats[i]); e != (Event{}) {
					return e
				}
			}
		}
	}
	for i, p := range w.s.Seats {
		switch away := p.Taken && !p.Coming && w.away(engine.Seat(i)); {
		case away && p.OutSince == 0:
			return Event{Kind: WentOut, Seat: engine.Seat(i), At: w.now}
		case !away && p.OutSince != 0:
			return Event{Kind: CameBack, Seat: engine.Seat(i)}
		}
	}
	if w.spare() > 0 {
		for _, e := range w.s.List {
			if e.Until == 0 {
				return Event{Kind: SeatOffered, Player: e.Player, At: w.now + w.s.Rules.Offer}
			}
		}
	}
	return Event{}
}

func (w *work) leaves(seat engine.Seat, p *Place) Event {
	if !p.Leaving {
		return Event{}
	}
	return Event{Kind: PlayerLeft, Seat: seat, Player: p.Player, Amount: owned(&w.table.Seats[seat]), Fresh: p.Fresh, At: w.now}
}

func (w *work) moves(seat engine.Seat, p *Place) Event {
	at := &w.table.Seats[seat]
	switch {
	case p.To == 0:
		return Event{}
	case at.Stack == 0 || at.OwesSmall:
		return Event{Kind: MoveDropped, Seat: seat}
	}
	return Event{Kind: PlayerMoved, Seat: seat, To: p.To, Amount: owned(at), Out: at.Out, Waits: at.Waits}
}

// owned is what a player takes along from a seat between hands: the stack, and the stake put down for the next hand.
func owned(at *engine.Place) engine.Chips { return at.Stack + at.Put }

func (w *work) adds(seat engine.Seat, p *Place) Event {
	if p.Adding == 0 || p.Coming {
		return Event{}
	}
	stack, amount := w.table.Seats[seat].Stack, p.Adding
	if most := w.s.Rules.most(); most > 0 {
		amount = min(amount, most-stack)
	}
	if amount <= 0 || stack == 0 && amount < w.s.Rules.MinBuyIn {
		return Event{Kind: ChipsDropped, Seat: seat}
	}
	return Event{Kind: ChipsAdded, Seat: seat, Amount: amount}
}

func (w *work) comes(seat engine.Seat, p *Place) Event {
	if !p.Coming {
		return Event{}
	}
	return Event{Kind: PlayerSat, Seat: seat, Player: p.Player, Amount: p.Adding, Fresh: p.Fresh}
}

func refuse(code engine.Code, seat engine.Seat, rule, format string, args ...any) error {
	return &engine.RuleError{Code: code, Seat: seat, Rule: rule, Text: fmt.Sprintf(format, args...)}
}
