// Package seating is a cash table between its hands: who sits where and with what money, who comes, goes, moves or waits
// for a seat. It is pure, as package engine is: no clock, no chance, and time comes in with each Input.
//
// The main path is Apply. It takes what somebody asks for, or that time has passed, holds it against the table as the engine
// has it, and gives Events. What is asked in a hand is planned and done at the hand's end (TC-33), when Apply is called
// again, for instance with TimePassed. Event.Inputs says what an event means to the engine: whoever keeps both states gives
// these to the engine in order, and keeps both in one record. Folding the events again gives back the state (Replay).
//
// What depends on house and limit is data: see For. Sitting out and waiting for the big blind (TC-13, NX-05) are the
// engine's own, with what they cost (engine.SatOut, SatIn, BlindAwaited); a first button drawn by card (BR-08) is
// tournament.FirstButton, since at a cash table players sit down one after another and the first has it.
//
// Decisions where the catalogue leaves room:
//   - A player's session at a table lasts from sitting down until the re-entry time has passed since leaving, so that
//     standing up does not begin a new one. Against the cap (TC-07) count both what came from outside in the session and,
//     since money won and carried back in is a stake too, what was sat down with and added since.
//   - Who asks for more chips than the maximum leaves room for at the hand's end gets what there is room for (TC-33). Who
//     has lost all needs the minimum again.
//   - Who has no chips counts as sitting out, and is removed when that has lasted too long (TC-14).
//   - A player whose time to take the seat is over is off the waiting list (TC-12). As many are told as there are seats, and
//     whoever was not told may take a seat only beyond those.
//   - A move is a new place: at a running table it costs the big blind, or waiting for it, as sitting down does (TC-13).
//     Who owes a small blind posts it before moving, so that moving pays no debt (NX-06).
package seating

import (
	"slices"

	"tavolo/engine"
)

// State is what is known of a table's players beyond their chips and cards, which engine.State has. It is a value: Apply
// never changes a state that it was given. The zero value with Rules set is an empty table.
type State struct {
	// Rules is what the table goes by. It is never changed once a State points to it.
	Rules *Rules `json:"-"`
	// Seats are the places, by seat.
	Seats [engine.MaxSeats + 1]Place `json:"seats"`
	// Absent are those who left and whose session goes on, in the order in which they left.
	Absent []Absent `json:"absent,omitempty"`
	// List is the waiting list, first come first.
	List []Waiting `json:"list,omitempty"`
}

// Place is who has a seat.
type Place struct {
	// Taken is whether somebody has the seat, Player who: "" for a person at the felt whom nobody named, and whose session
	// ends with leaving.
	Taken  bool   `json:"taken,omitempty"`
	Player string `json:"player,omitempty"`
	// Fresh is the money brought from outside in the session, Sitting that brought to the seat since sitting down.
	Fresh   engine.Chips `json:"fresh,omitempty"`
	Sitting engine.Chips `json:"sitting,omitempty"`
	// Coming is whether the player sits down at the hand's end with the chips of Adding; Adding is otherwise what is added
	// then.
	Coming bool         `json:"coming,omitempty"`
	Adding engine.Chips `json:"adding,omitempty"`
	// Leaving is whether the player leaves at the hand's end, To where he moves then, 0 for nowhere.
	Leaving bool        `json:"leaving,omitempty"`
	To      engine.Seat `json:"to,omitempty"`
	// OutSince is when the player sat out or lost all, 0 if neither.
	OutSince int64 `json:"out_since,omitempty"`
}

// Absent is a player who left the table.
type Absent struct {
	Player string `json:"player"`
	// Stack is what he left with, Fresh the money brought from outside in the session.
	Stack engine.Chips `json:"stack"`
	Fresh engine.Chips `json:"fresh"`
	// At is when he left.
	At int64 `json:"at"`
}

// ahead reports whether the player left with more than he brought.
func (a Absent) ahead() bool { return a.Stack > a.Fresh }

// Waiting is one entry of the waiting list.
type Waiting struct {
	Player string `json:"player"`
	// Until is the time to which the player, told that a seat is free, may take it; 0 while he has not been told.
	Until int64 `json:"until,omitempty"`
}

// Input is what somebody asks for, or what else happened. Kind says which of the other fields have a meaning.
type Input struct {
	Kind InputKind `json:"kind"`
	// Now is the time in milliseconds since any fixed moment, above 0. Where it goes back, what is timed only takes longer.
	Now    int64        `json:"now"`
	Seat   engine.Seat  `json:"seat,omitempty"`
	To     engine.Seat  `json:"to,omitempty"`
	Player string       `json:"player,omitempty"`
	Amount engine.Chips `json:"amount,omitempty"`
}

// InputKind names an Input.
type InputKind string

// The kinds of inputs.
const (
	// SeatAsked: Player, or a person without a name, asks for Seat with Amount chips.
	SeatAsked InputKind = "seat_asked"
	// SeatGiven: Player has Seat with Amount chips by the table's configuration, which no bounds apply to.
	SeatGiven InputKind = "seat_given"
	// LeaveAsked: Seat asks to leave.
	LeaveAsked InputKind = "leave_asked"
	// ChipsAsked: Seat asks for Amount more chips. Asked again in a hand, the new amount replaces the old.
	ChipsAsked InputKind = "chips_asked"
	// MoveAsked: Seat asks to move to To.
	MoveAsked InputKind = "move_asked"
	// ListAsked: Player asks to be put on the waiting list.
	ListAsked InputKind = "list_asked"
	// ListDeclined: Player no longer wants to wait.
	ListDeclined InputKind = "list_declined"
	// TimePassed: it is Now; a hand may have ended too.
	TimePassed InputKind = "time_passed"
	// Resumed: the table could not be reached for a while; who was told of a free seat has the whole time again.
	Resumed InputKind = "resumed"
)

// Event is what followed. Kind says which of the other fields have a meaning; the rest are zero.
type Event struct {
	Kind   EventKind    `json:"event"`
	Seat   engine.Seat  `json:"seat,omitempty"`
	To     engine.Seat  `json:"to,omitempty"`
	Player string       `json:"player,omitempty"`
	Amount engine.Chips `json:"amount,omitempty"`
	// Fresh is the money from outside in the player's session so far.
	Fresh engine.Chips `json:"fresh,omitempty"`
	// At is when it happened; for a SeatOffered, until when the offer stands.
	At int64 `json:"at,omitempty"`
	// Out and Waits are how a player who moved was, and stays.
	Out   bool `json:"out,omitempty"`
	Waits bool `json:"waits,omitempty"`
}

// EventKind names an Event.
type EventKind string

// The kinds of events.
const (
	// SeatKept: Player has Seat from the hand's end on, with Amount chips.
	SeatKept EventKind = "seat_kept"
	// SeatReleased: the player for whom Seat was kept does not come.
	SeatReleased EventKind = "seat_released"
	// PlayerSat: Player sits at Seat with Amount chips.
	PlayerSat EventKind = "player_sat"
	// LeavePlanned: Seat is left at the hand's end.
	LeavePlanned EventKind = "leave_planned"
	// PlayerLeft: Player left Seat with Amount chips.
	PlayerLeft EventKind = "player_left"
	// ChipsPlanned: Amount chips are added to Seat at the hand's end.
	ChipsPlanned EventKind = "chips_planned"
	// ChipsAdded: Amount chips were added to Seat.
	ChipsAdded EventKind = "chips_added"
	// ChipsDropped: the chips asked for at Seat were not added, since the stack is no longer one to add them to.
	ChipsDropped EventKind = "chips_dropped"
	// MovePlanned: Seat moves to To at the hand's end.
	MovePlanned EventKind = "move_planned"
	// PlayerMoved: the player at Seat sits at To now, with Amount chips.
	PlayerMoved EventKind = "player_moved"
	// MoveDropped: Seat did not move, since it lost all or owes a small blind now.
	MoveDropped EventKind = "move_dropped"
	// ListJoined: Player waits for a seat.
	ListJoined EventKind = "list_joined"
	// ListLeft: Player no longer waits.
	ListLeft EventKind = "list_left"
	// SeatOffered: Player was told that a seat is free, and has until At to take it.
	SeatOffered EventKind = "seat_offered"
	// OfferLapsed: Player did not take a seat in time, and is off the list.
	OfferLapsed EventKind = "offer_lapsed"
	// WentOut: Seat sits out, or has no chips, since At.
	WentOut EventKind = "went_out"
	// CameBack: Seat does so no more.
	CameBack EventKind = "came_back"
	// Forgotten: the session of Player, who left, is over.
	Forgotten EventKind = "forgotten"
)

// Apply puts one input to a table. It gives the next state and what followed, in order; or the state unchanged, no events,
// and an *engine.RuleError that says which rule forbids the input. The table is as the engine has it.
func Apply(s State, table engine.State, in Input) (State, []Event, error) {
	w := work{s: s, table: table, now: in.Now}
	w.s.Absent, w.s.List = slices.Clone(s.Absent), slices.Clone(s.List)
	if err := w.decide(in); err != nil {
		return s, nil, err
	}
	for {
		e := w.next()
		if e == (Event{}) {
			return w.s, w.events, nil
		}
		if err := w.emit(e); err != nil {
			return s, nil, err
		}
	}
}

// Replay folds events, as Apply gave them, into a state: the same state that Apply gave.
func Replay(s State, events []Event) State {
	s.Absent, s.List = slices.Clone(s.Absent), slices.Clone(s.List)
	for _, e := range events {
		evolve(&s, e)
	}
	return s
}

// Inputs are what the event means to the engine at a table, which is as it was before the event. The first to sit down at a
// new table has the button (BR-08).
func (e Event) Inputs(table engine.State) []engine.Input {
	switch e.Kind {
	case PlayerSat:
		ins := []engine.Input{{Kind: engine.SeatTaken, Seat: e.Seat, Amount: e.Amount}}
		if table.Hand == 0 && table.Button == 0 && table.Rules.Game.Blinds() && isEmpty(&table) {
			ins = append(ins, engine.Input{Kind: engine.ButtonSet, Seat: e.Seat})
		}
		return ins
	case PlayerLeft:
		return []engine.Input{{Kind: engine.SeatLeft, Seat: e.Seat}}
	case ChipsAdded:
		return []engine.Input{{Kind: engine.ChipsAdded, Seat: e.Seat, Amount: e.Amount}}
	case PlayerMoved:
		return []engine.Input{{Kind: engine.SeatMoved, Seat: e.Seat, Target: e.To}}
	}
	return nil
}

func isEmpty(table *engine.State) bool {
	for i := range table.Seats {
		if table.Seats[i].Taken {
			return false
		}
	}
	return true
}

// SeatOf is the seat that a player has, or is to have at the hand's end; 0 for none, and for no name.
func (s *State) SeatOf(player string) engine.Seat {
	if player == "" {
		return 0
	}
	for i := range s.Seats {
		if s.Seats[i].Player == player {
			return engine.Seat(i)
		}
	}
	return 0
}

// Free are the seats that anybody may take, or who was told on the waiting list.
func (s *State) Free() engine.Seats {
	var free engine.Seats
	for _, seat := range s.Rules.Open.List() {
		if s.isFree(seat) {
			free = free.With(seat)
		}
	}
	return free
}

// isFree reports whether nobody has the seat or is to move there.
func (s *State) isFree(seat engine.Seat) bool {
	return !s.Seats[seat].Taken && !slices.ContainsFunc(s.Seats[:], func(p Place) bool { return p.To == seat })
}

// Deadline is the time at which something happens by itself, and TimePassed is to be put; 0 for none.
func (s *State) Deadline() int64 {
	first := int64(0)
	add := func(at int64) {
		if first == 0 || at < first {
			first = at
		}
	}
	for _, w := range s.List {
		if w.Until > 0 {
			add(w.Until)
		}
	}
	for i := range s.Seats {
		if until := s.removed(engine.Seat(i)); until > 0 {
			add(until)
		}
	}
	return first
}

// removed is when who sits out at a seat is removed, 0 for nobody and never.
func (s *State) removed(seat engine.Seat) int64 {
	p := &s.Seats[seat]
	if s.Rules.SitOut == 0 || s.Rules.Felt.Has(seat) || p.OutSince == 0 || p.Leaving {
		return 0
	}
	return p.OutSince + s.Rules.SitOut
}

// evolve folds in one event. It forbids nothing.
func evolve(s *State, e Event) {
	p := &s.Seats[e.Seat]
	switch e.Kind {
	case SeatKept:
		*p = Place{Taken: true, Player: e.Player, Coming: true, Adding: e.Amount, Fresh: e.Fresh}
		s.unlist(e.Player)
	case SeatReleased:
		*p = Place{}
	case PlayerSat:
		*p = Place{Taken: true, Player: e.Player, Fresh: e.Fresh, Sitting: e.Amount}
		s.unlist(e.Player)
		s.forget(e.Player)
	case LeavePlanned:
		p.Leaving, p.To, p.Adding = true, 0, 0
	case PlayerLeft:
		*p = Place{}
		if e.Player != "" {
			s.Absent = append(s.Absent, Absent{Player: e.Player, Stack: e.Amount, Fresh: e.Fresh, At: e.At})
		}
	case ChipsPlanned:
		p.Adding = e.Amount
	case ChipsAdded:
		p.Adding = 0
		p.Fresh += e.Amount
		p.Sitting += e.Amount
	case ChipsDropped:
		p.Adding = 0
	case MovePlanned:
		p.To = e.To
	case PlayerMoved:
		s.Seats[e.To], *p = *p, Place{}
		s.Seats[e.To].To = 0
	case MoveDropped:
		p.To = 0
	case ListJoined:
		s.List = append(s.List, Waiting{Player: e.Player})
	case ListLeft, OfferLapsed:
		s.unlist(e.Player)
	case SeatOffered:
		s.List[s.listed(e.Player)].Until = e.At
	case WentOut:
		p.OutSince = e.At
	case CameBack:
		p.OutSince = 0
	case Forgotten:
		s.forget(e.Player)
	}
}

// listed is where a player stands on the waiting list, from 0; -1 for nowhere.
func (s *State) listed(player string) int {
	return slices.IndexFunc(s.List, func(w Waiting) bool { return w.Player == player })
}

func (s *State) unlist(player string) {
	s.List = slices.DeleteFunc(s.List, func(w Waiting) bool { return w.Player == player })
}

func (s *State) forget(player string) {
	s.Absent = slices.DeleteFunc(s.Absent, func(a Absent) bool { return a.Player == player })
}

// told is how many on the waiting list were told that a seat is free.
func (s *State) told() (n int) {
	for _, w := range s.List {
		if w.Until > 0 {
			n++
		}
	}
	return n
}
