// Package history tells a hand that was played: as a record that other programs read, or as text for people.
//
// New gathers a Hand from the events of the engine and hides the faces that its reader may not see. Hand.PHH writes it in
// the Poker Hand History format, which replays to the same stacks, Hand.OHH as Open Hand History, Hand.Text in English or
// Italian; encoding/json writes everything there is. Nothing here holds state; everything may be called from several
// goroutines at once.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// ErrUnsupported is wrapped by the error for a hand that a format has no words for.
var ErrUnsupported = errors.ErrUnsupported

// Details are what the events do not tell. Every field may be left out.
type Details struct {
	// Table names the table, studio first: riga/t7.
	Table string
	// Start is when the hand began, in UTC: 2026-11-30T21:04:05Z.
	Start string
	// Names are the players, by seat.
	Names [engine.MaxSeats + 1]string
	// Seats is how many seats the table has, taken or not; 0 for as many as a table may have.
	Seats int
	// Viewer is who reads the hand; the zero value is the public, which sees the cards that were shown.
	Viewer engine.Viewer
}

// Hand is one hand, or as much of it as has happened.
type Hand struct {
	Number uint64 `json:"hand"`
	Table  string `json:"table,omitempty"`
	Start  string `json:"start,omitempty"`
	// Rules are what it was played by.
	Rules *engine.Rules `json:"-"`
	// Seats is how many seats the table has.
	Seats int `json:"seats"`
	// Button, SmallBlind and BigBlind are 0 in games without; nobody may sit at the first two.
	Button     engine.Seat `json:"button"`
	SmallBlind engine.Seat `json:"small_blind"`
	BigBlind   engine.Seat `json:"big_blind"`
	// Players are those who were dealt in, from the left of the button round to it.
	Players []Player    `json:"players"`
	Board   []card.Card `json:"board"`
	// Pots are what was awarded, the main pot first.
	Pots []Pot `json:"pots"`
	// Over is whether the hand has ended, Void whether it was called off, for Reason.
	Over   bool   `json:"over"`
	Void   bool   `json:"void,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Events are what happened, from HandBegan on, with the faces that the reader may see.
	Events []engine.Event `json:"events"`

	before engine.State
}

// Player is one player of a hand.
type Player struct {
	Seat engine.Seat `json:"seat"`
	// Name is "seat 3" for one that is not known.
	Name string `json:"name"`
	// Start and Finish are the chips in play before and after; what lies beyond a cap is not in play.
	Start  engine.Chips `json:"start"`
	Finish engine.Chips `json:"finish"`
	// Won is what the player was awarded, or against the house was handed back.
	Won engine.Chips `json:"won,omitempty"`
	// Cards are the last ones held.
	Cards  engine.Cards `json:"cards,omitzero"`
	Folded bool         `json:"folded,omitempty"`
	Shown  bool         `json:"shown,omitempty"`
}

// Pot is one pot as it was awarded.
type Pot struct {
	// Amount is all that was in it, Rake what the house took of that.
	Amount engine.Chips `json:"amount"`
	Rake   engine.Chips `json:"rake,omitempty"`
	Wins   []Win        `json:"wins"`
}

// Win is a share of a pot; Low is set for one of the low half.
type Win struct {
	Seat   engine.Seat  `json:"seat"`
	Amount engine.Chips `json:"amount"`
	Low    bool         `json:"low,omitempty"`
}

// New gathers a hand from the table as it was before and the events from HandBegan on. Faces are hidden from a reader who
// may not see them; in a hand that is still in play they are from everybody. The error says why these events are no hand by
// the rules of the table, whose State must have Rules.
func New(before engine.State, events []engine.Event, d Details) (Hand, error) {
	if len(events) == 0 || events[0].Kind != engine.HandBegan {
		return Hand{}, errors.New("a hand starts with its beginning")
	}
	h := Hand{
		Number: events[0].Hand, Table: d.Table, Start: d.Start, Rules: before.Rules, Seats: d.Seats,
		Button: events[0].Button, SmallBlind: events[0].SmallBlind, BigBlind: events[0].BigBlind,
		Over: events[len(events)-1].Kind == engine.HandEnded, Pots: []Pot{}, before: before,
	}
	if h.Seats == 0 {
		h.Seats = engine.MaxSeats
	}
	if !h.Over {
		d.Viewer = engine.Viewer{}
	}
	s := before
	for _, e := range events {
		if err := fits(&s, e); err != nil {
			return Hand{}, fmt.Errorf("hand %d: %w", h.Number, err)
		}
		if e.Seat == 0 || !s.Seats[e.Seat].Shown { // of who showed all-in, everybody sees the cards that follow
			e = engine.Redact(e, d.Viewer)
		}
		s = engine.Replay(s, []engine.Event{e})
		h.Events = append(h.Events, e)
		h.note(&s, e, d)
	}
	for i := range h.Players {
		p, at := &h.Players[i], &s.Seats[h.Players[i].Seat]
		p.Cards, p.Folded, p.Shown = at.Hole, !s.Live.Has(h.Players[i].Seat), at.Shown
		p.Finish += at.Stack
		if !h.Over {
			p.Finish += at.Aside
		}
	}
	h.Board = s.Board[:s.BoardLen:s.BoardLen]
	return h, nil
}

// fits says why an event cannot be one of a hand by the rules of the table.
func fits(s *engine.State, e engine.Event) error {
	switch {
	case int(e.Street) >= len(s.Rules.Game.Streets):
		return fmt.Errorf("%s has no street number %d: the hand was played by other rules", s.Rules.Game.Name, e.Street+1)
	case e.Card.Known() && !s.Rules.Game.Deck.Has(e.Card):
		return fmt.Errorf("%v is no card of %s: the hand was played by other rules", e.Card, s.Rules.Game.Name)
	case e.Kind != engine.BettingOpened:
		return nil
	}
	cards := 0
	for _, st := range s.Rules.Game.Streets[:e.Street+1] {
		cards += st.Down + st.Up
	}
	for i := range s.Seats {
		if p := &s.Seats[i]; s.Live.Has(engine.Seat(i)) && int(p.HoleLen) != cards {
			return fmt.Errorf("seat %d has %d cards, in %s it would have %d: the hand was played by other rules", i, p.HoleLen, s.Rules.Game.Name, cards)
		}
	}
	return nil
}

// note takes down what an event, already in the state, says of the hand as a whole.
func (h *Hand) note(s *engine.State, e engine.Event, d Details) {
	switch e.Kind {
	case engine.HandBegan:
		for i := range engine.Seat(engine.MaxSeats) {
			seat := (e.Button+i)%engine.MaxSeats + 1
			if !e.Dealt.Has(seat) {
				continue
			}
			aside := s.Seats[seat].Aside // by a cap: not in the hand, and not in its record
			p := Player{Seat: seat, Name: d.Names[seat], Start: s.Seats[seat].Start - aside, Finish: -aside}
			if p.Name == "" {
				p.Name = fmt.Sprintf("seat %d", seat)
			}
			h.Players = append(h.Players, p)
		}
	case engine.RakeTaken:
		p := h.pot(e)
		p.Amount += e.Amount
		p.Rake += e.Amount
	case engine.PotAwarded:
		p := h.pot(e)
		p.Amount += e.Amount
		p.Wins = append(p.Wins, Win{e.Seat, e.Amount, e.Low})
		h.player(e.Seat).Won += e.Amount
	case engine.BoxSettled:
		h.player(e.Seat).Won += e.Amount + e.Bonus
	case engine.HandCalledOff:
		h.Void, h.Reason = true, e.Reason
	}
}

// pot is the one that an event is about.
func (h *Hand) pot(e engine.Event) *Pot {
	for len(h.Pots) <= int(e.Pot) {
		h.Pots = append(h.Pots, Pot{Wins: []Win{}})
	}
	return &h.Pots[e.Pot]
}

// index is where a seat is among the players, -1 if it is not.
func (h *Hand) index(seat engine.Seat) int {
	return slices.IndexFunc(h.Players, func(p Player) bool { return p.Seat == seat })
}

func (h *Hand) player(seat engine.Seat) *Player { return &h.Players[h.index(seat)] }

// Pot is all that was awarded, the rake included.
func (h *Hand) Pot() (sum engine.Chips) {
	for _, p := range h.Pots {
		sum += p.Amount
	}
	return sum
}

// Rake is what the house took of all pots.
func (h *Hand) Rake() (sum engine.Chips) {
	for _, p := range h.Pots {
		sum += p.Rake
	}
	return sum
}

// finished says why the hand cannot be written as a record, nil if it can. What a format has no words for is given by event.
func (h *Hand) finished(untold ...map[engine.EventKind]string) error {
	switch {
	case !h.Over:
		return fmt.Errorf("hand %d is still in play", h.Number)
	case h.Void:
		return fmt.Errorf("hand %d was called off, which the format has no words for: %w", h.Number, ErrUnsupported)
	}
	for _, e := range h.record() {
		for _, words := range untold {
			if what, unknown := words[e.Kind]; unknown {
				return fmt.Errorf("hand %d: %s, which the format has no words for: %w", h.Number, what, ErrUnsupported)
			}
		}
	}
	return nil
}

// corrections are rulings of the floor for which formats of other programs have no words.
var corrections = map[engine.EventKind]string{
	engine.HandDeclaredDead: "a hand was declared dead",
	engine.HandRetrieved:    "a hand came back",
	engine.CardExposed:      "a card was exposed and replaced",
	engine.CardTurned:       "a card to come face down came face up",
	engine.CardMissed:       "a card was missing and replaced",
	engine.BoardCorrected:   "the board was put right",
	engine.ButtonMoved:      "the button was put right",
}

// record are the events of the hand as it was played in the end: where it was taken back, from its beginning and then what
// stood and followed.
func (h *Hand) record() []engine.Event {
	for i, e := range slices.Backward(h.Events) {
		if e.Kind == engine.HandRewound {
			return slices.Concat(h.Events[:1], h.Events[i+1:])
		}
	}
	return h.Events
}

// stakes are engine.Stakes with names for JSON.
type stakes struct {
	SmallBlind   engine.Chips    `json:"small_blind,omitempty"`
	BigBlind     engine.Chips    `json:"big_blind,omitempty"`
	Ante         engine.Chips    `json:"ante,omitempty"`
	BigBlindAnte engine.Chips    `json:"big_blind_ante,omitempty"`
	BringIn      engine.Chips    `json:"bring_in,omitempty"`
	SmallBet     engine.Chips    `json:"small_bet,omitempty"`
	BigBet       engine.Chips    `json:"big_bet,omitempty"`
	Spread       [3]engine.Chips `json:"spread,omitzero"`
	Cap          engine.Chips    `json:"cap,omitempty"`
	MinBet       engine.Chips    `json:"min_bet,omitempty"`
	MinAnte      engine.Chips    `json:"min_ante,omitempty"`
	MaxAnte      engine.Chips    `json:"max_ante,omitempty"`
	MinBonus     engine.Chips    `json:"min_bonus,omitempty"`
	MaxBonus     engine.Chips    `json:"max_bonus,omitempty"`
	Chip         engine.Chips    `json:"chip,omitempty"`
}

// MarshalJSON writes all fields, and the rules by their names.
func (h Hand) MarshalJSON() ([]byte, error) {
	type fields Hand
	st := h.Rules.Stakes
	return json.Marshal(struct {
		Game   string `json:"game"`
		Limit  string `json:"limit"`
		House  string `json:"house"`
		Stakes stakes `json:"stakes"`
		fields
	}{h.Rules.Game.Name, h.Rules.Limit.String(), h.Rules.House.Name, stakes{
		st.SmallBlind, st.BigBlind, st.Ante, st.BigBlindAnte, st.BringIn, st.SmallBet, st.BigBet, st.Spread, st.Cap, st.MinBet,
		st.MinAnte, st.MaxAnte, st.MinBonus, st.MaxBonus, st.Chip,
	}, fields(h)})
}
