package controller

import (
	"cmp"
	"slices"
	"time"

	"tavolo/engine"
	"tavolo/engine/seating"
)

// The codes of refusals that have to do with seats.
const (
	// CodeNoSuchSeat: the table has no such seat.
	CodeNoSuchSeat = string(engine.CodeBadSeat)
	// CodeNotYours: the seat is kept for somebody else.
	CodeNotYours = "not_your_seat"
	// CodeWrongKind: who is elsewhere asks for a seat at the felt, or the dealer for one of those who are elsewhere.
	CodeWrongKind = "wrong_kind_of_seat"
)

// open are the seats that any player may take.
func open(players []Player) (ss engine.Seats) {
	for _, p := range players {
		if p.Kind == Remote && p.Player == "" {
			ss = ss.With(p.Seat)
		}
	}
	return ss
}

// remote are the seats whose players are elsewhere.
func remote(players []Player) (ss engine.Seats) {
	for _, p := range players {
		if p.Kind == Remote {
			ss = ss.With(p.Seat)
		}
	}
	return ss
}

// configuredSeat is a seat of the table, from the configuration; false if there is none.
func (t *Table) configuredSeat(seat engine.Seat) (Player, bool) {
	i := slices.IndexFunc(t.opt.Players, func(p Player) bool { return p.Seat == seat })
	if i < 0 {
		return Player{}, false
	}
	return t.opt.Players[i], true
}

// seatOf finds the seat a request is for: where the player sits, or else the seat kept for him. Of several boxes it is the one
// named, or the one whose turn the request answers.
func (t *Table) seatOf(r *Request) (engine.Seat, error) {
	switch {
	case r.From.Panel != 0:
		return r.From.Panel, nil
	case r.From.Console != "":
		return r.Seat, nil
	}
	var first engine.Seat
	var all engine.Seats
	for _, p := range t.players {
		if p.Player == r.From.Player && p.Kind == Remote {
			first, all = cmp.Or(first, p.Seat), all.With(p.Seat)
		}
	}
	asks := r.Verb == VerbSit || r.Verb == VerbMove // for another seat
	switch {
	case first == 0:
		return 0, refuse(CodeUnknownPlayer, "%s has no seat at this table", r.From.Player)
	case r.Seat != 0 && !asks && (r.Seat > engine.MaxSeats || !all.Has(r.Seat)):
		return 0, refuse(CodeNotYours, "seat %d is not %s's", r.Seat, r.From.Player)
	case r.Seat != 0 && !asks:
		return r.Seat, nil
	case r.Turn != 0 && all.Has(t.state.Turn):
		return t.state.Turn, nil
	}
	return first, nil
}

// who are the players now.
func (t *Table) who() []Player {
	players := present(t.opt.Players, &t.seating)
	for i := range players {
		players[i].Connected = players[i].Kind == Remote && t.here[players[i].Player]
	}
	return players
}

// present are the players of a table: those who sit there, and in empty remote seats those for whom they are kept.
func present(configured []Player, seats *seating.State) []Player {
	players := slices.Clone(configured)
	for i := range players {
		p, at := &players[i], &seats.Seats[players[i].Seat]
		kept := p.Kind == Remote && seats.SeatOf(p.Player) == 0
		if at.Player == p.Player || !at.Taken && kept {
			continue
		}
		p.Player, p.Name, p.Bot = at.Player, at.Player, false
		if k := slices.IndexFunc(configured, func(o Player) bool { return o.Player == at.Player }); k >= 0 && at.Taken {
			p.Name, p.Bot = configured[k].Name, configured[k].Bot
		}
	}
	return players
}

// seatInput turns a request about seats into what package seating takes; false for a request about something else.
func (t *Table) seatInput(r *Request) (in seating.Input, ok bool, err error) {
	in.Amount = r.Amount
	if r.From.Console != "" {
		in.Seat, in.To, in.Player = r.Seat, r.To, r.Player
		switch r.Verb {
		case VerbSit:
			in.Kind = seating.SeatAsked
			return in, true, t.maySit(r.Seat, Felt, r.Player)
		case VerbLeave:
			in.Kind = seating.LeaveAsked
		case VerbAddChips:
			in.Kind = seating.ChipsAsked
		case VerbMove:
			in.Kind = seating.MoveAsked
			err = t.mayMove(r.Seat, r.To)
		default:
			return in, false, nil
		}
		return in, true, err
	}
	switch r.Verb { // of those who may have no seat yet
	case VerbSit:
		in.Kind, in.Seat, in.Player = seating.SeatAsked, r.Seat, r.From.Player
		return in, true, t.maySit(r.Seat, Remote, r.From.Player)
	case VerbJoinList:
		return seating.Input{Kind: seating.ListAsked, Player: r.From.Player}, true, nil
	case VerbLeaveList:
		return seating.Input{Kind: seating.ListDeclined, Player: r.From.Player}, true, nil
	case VerbLeave:
		in.Kind = seating.LeaveAsked
	case VerbTopUp:
		in.Kind = seating.ChipsAsked
	case VerbMove:
		in.Kind, in.To = seating.MoveAsked, r.Seat
	default:
		return in, false, nil
	}
	if in.Seat, err = t.seatOf(r); err == nil && in.Kind == seating.MoveAsked {
		err = t.mayMove(in.Seat, in.To)
	}
	return in, true, err
}

// maySit says why somebody may not have a seat, from where it is and for whom it is kept; who is there now is another matter.
func (t *Table) maySit(seat engine.Seat, kind Kind, player string) error {
	p, ok := t.configuredSeat(seat)
	switch {
	case !ok:
		return refuse(CodeNoSuchSeat, "there is no seat %d", seat)
	case p.Kind != kind:
		return refuse(CodeWrongKind, "seat %d is a %s seat", seat, p.Kind)
	case kind == Remote && p.Player != "" && p.Player != player:
		return refuse(CodeNotYours, "seat %d is kept for somebody else", seat)
	}
	return nil
}

// mayMove says why who sits at a seat may not have another.
func (t *Table) mayMove(seat, to engine.Seat) error {
	p, ok := t.configuredSeat(seat)
	if !ok {
		return refuse(CodeNoSuchSeat, "there is no seat %d", seat)
	}
	return t.maySit(to, p.Kind, t.seating.Seats[seat].Player)
}

// seat puts an input to package seating, and what follows from it to the engine, and records both as one step. A refused
// input changes nothing.
func (t *Table) seat(by, id string, in seating.Input) error {
	in.Now = t.now.UnixMilli()
	_, changes, err := seating.Apply(t.seating, t.state, in)
	if err != nil || len(changes) == 0 {
		return err
	}
	s := step{At: t.now, By: by, ID: id, Asked: in, Seating: changes}
	after := t.state
	for _, e := range changes {
		for _, in := range e.Inputs(after) {
			var events []engine.Event
			if after, events, err = engine.Apply(after, in); err != nil {
				return err
			}
			s.Events = append(s.Events, events...)
		}
	}
	s.Seq = after.Seq
	t.commit(s)
	return nil
}

// seats does what is due at the seats: what was asked in the hand that has ended, and what comes with time. While the table
// stands still nobody's time runs out, and those who have one have all of it again afterwards.
func (t *Table) seats() {
	held := t.held
	if t.held = len(t.holds) > 0; t.held {
		t.wake.stop()
		return
	}
	due := []seating.InputKind{seating.TimePassed}
	if held {
		due = []seating.InputKind{seating.Resumed, seating.TimePassed}
	}
	for _, kind := range due {
		if err := t.seat("table", "", seating.Input{Kind: kind}); err != nil {
			t.opt.Log.Error("the rules refuse what is due at the seats", "hand", t.state.Hand, "err", err)
		}
	}
	t.wake.at(t.seating.Deadline())
}

// alarm is a timer for a time of package seating. The zero value is one that does not run.
type alarm struct{ t *time.Timer }

// at sets the alarm, and stops it for 0.
func (a *alarm) at(ms int64) {
	switch d := time.Until(time.UnixMilli(ms)); {
	case ms == 0:
		a.stop()
	case a.t == nil:
		a.t = time.NewTimer(d)
	default:
		a.t.Reset(d)
	}
}

func (a *alarm) stop() {
	if a.t != nil {
		a.t.Stop()
	}
}

// rings is the channel that tells when the time has come, nil before the alarm is first set.
func (a *alarm) rings() <-chan time.Time {
	if a.t == nil {
		return nil
	}
	return a.t.C
}
