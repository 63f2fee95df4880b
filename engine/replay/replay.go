// Package replay plays recorded hands through the engine and compares the stacks they end with.
//
// A Script is the middle of it: it knows from a record every card and every decision of a hand, and Answer gives the one
// that a state of the engine awaits. Play puts the two together; a simulated table uses a Script to deal the same cards
// from a shoe and press the same buttons. Nothing here holds state between hands.
package replay

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/phh"
)

// ErrUnsupported is wrapped by the error for a record that this package cannot play: a game it does not know yet, or
// more players than a table has seats.
var ErrUnsupported = errors.ErrUnsupported

// Script is one recorded hand as answers to what the engine awaits. Player n of the record, counted from 0, has seat n+1;
// the last has the button.
type Script struct {
	// Rules are what the hand was played by.
	Rules *engine.Rules
	// Stacks are the chips each seat began with.
	Stacks [engine.MaxSeats + 1]engine.Chips
	// Forced are the hand's forced bets.
	Forced engine.Forced

	hand  *phh.Hand
	power engine.PowerSet // what the hand is played with beside the cards
	bank  int             // how many of hand.Bank were dealt
	uses  []use           // of each of hand.Actions
	first int             // the first of them that was not used
}

// use is how far an action of the record was used.
type use struct {
	taken bool
	cards uint8 // how many of its cards were
}

// NewScript prepares a hand, to be played by a house; raises may be clipped, hands stay down all-in, and antes count in
// the pot, as they do in records, whatever the house says. The error wraps ErrUnsupported, or says which part of the rules
// the record's head breaks.
func NewScript(h *phh.Hand, house *engine.House) (*Script, error) {
	game, limit, ok := variantNamed(h.Variant)
	if !ok {
		return nil, fmt.Errorf("%w: variant %s", ErrUnsupported, h.Variant)
	}
	n := len(h.StartingStacks)
	if n > engine.MaxSeats {
		return nil, fmt.Errorf("%w: %d players, a table has %d seats", ErrUnsupported, n, engine.MaxSeats)
	}
	recorded := *house
	recorded.ClippedRaises, recorded.HiddenAllIn, recorded.AntesInPot, recorded.UnknownUpCards = true, true, true, true
	sc := &Script{
		Rules:  &engine.Rules{Game: game, Limit: limit, House: &recorded},
		hand:   h,
		uses:   make([]use, len(h.Actions)),
		Forced: engine.Forced{Button: engine.Seat(n), DeadAntes: !h.AnteTrimming, Rake: engine.Chips(h.Rake)},
	}
	if h.Carousel != "" { // what powers cost was paid at the table
		if err := sc.power.UnmarshalText([]byte(h.Carousel)); err != nil {
			return nil, fmt.Errorf("carousel: %w", err)
		}
		sc.Rules.Powers = &engine.Powers{PerRound: math.MaxInt8, Carousels: []engine.PowerSet{sc.power}}
	}
	var total engine.Chips
	st := &sc.Rules.Stakes
	st.BringIn = engine.Chips(h.BringIn)
	st.SmallBet, st.BigBet, st.MinBet = engine.Chips(h.SmallBet), engine.Chips(h.BigBet), engine.Chips(h.MinBet)
	st.Chip = engine.Chips(h.Chip)
	for i := range h.Spread {
		st.Spread[i] = engine.Chips(h.Spread[i])
	}
	for i := range h.StartingStacks {
		seat := engine.Seat(i + 1)
		sc.Stacks[seat] = engine.Chips(h.StartingStacks[i])
		total += sc.Stacks[seat]
		if n == 2 && !game.Banked() {
			i = 1 - i // heads-up records list the button's blind first
		}
		sc.Forced.Antes[seat] = at(h.Antes, i)
		sc.Forced.Blinds[seat] = at(h.Blinds, i)
		st.BigBlind = max(st.BigBlind, sc.Forced.Blinds[seat])
		if game.Banked() { // the record tells no limits, so the stakes are their own
			st.MinAnte, st.MaxAnte = 1, max(st.MaxAnte, sc.Forced.Antes[seat])
			st.MinBonus, st.MaxBonus = 1, max(st.MaxBonus, at(h.BonusBets, i))
		}
	}
	if total > engine.MaxChips {
		return nil, fmt.Errorf("%w: %d chips in the finest unit, a table holds %d", ErrUnsupported, total, engine.MaxChips)
	}
	if err := sc.Rules.Validate(); err != nil {
		return nil, err
	}
	return sc, nil
}

func at(list []phh.Amount, i int) engine.Chips {
	if i < len(list) {
		return engine.Chips(list[i])
	}
	return 0
}

// Start is the table with the record's players seated, before the hand begins. Against the house they have their stakes
// down, but for those that the rules refuse, without which the hand cannot be the record's.
func (sc *Script) Start() engine.State {
	s := engine.State{Rules: sc.Rules}
	var buf [1]engine.Event
	for seat, chips := range sc.Stacks {
		if chips > 0 {
			_, _ = engine.Step(&s, engine.Input{Kind: engine.SeatTaken, Seat: engine.Seat(seat), Amount: chips}, buf[:0])
		}
		if sc.Rules.Game.Banked() && chips > 0 {
			_, _ = engine.Step(&s, engine.Input{
				Kind: engine.Staked, Seat: engine.Seat(seat), Amount: sc.Forced.Antes[seat], Bonus: at(sc.hand.BonusBets, seat-1),
			}, buf[:0])
		}
	}
	return s
}

// Begin is the input that starts the hand.
func (sc *Script) Begin() engine.Input {
	if sc.Rules.Game.Banked() {
		return engine.Input{Kind: engine.HandStarted}
	}
	return engine.Input{Kind: engine.HandStarted, Forced: &sc.Forced, Carousel: sc.power}
}

// Answer gives the record's input for what the state awaits, each once. A card that the record does not tell is
// card.Hidden. The error says what the record lacks, and is a *Fault where one of its actions does not fit the hand.
func (sc *Script) Answer(s *engine.State) (engine.Input, error) {
	switch a := s.Awaits(); a.Kind {
	case engine.AwaitBurn:
		return engine.Input{Kind: engine.CardRead, Card: card.Hidden}, nil
	case engine.AwaitHole:
		if a.Seat == 0 {
			return sc.dealtBank(), nil
		}
		in, ok := sc.dealt(phh.DealHole, int(a.Seat)-1)
		if !ok {
			return in, fmt.Errorf("the record has no card for player %d", a.Seat)
		}
		return in, nil
	case engine.AwaitBoard:
		in, ok := sc.dealt(phh.DealBoard, phh.Dealer)
		if !ok {
			return in, fmt.Errorf("the record has no card %d of the %s", a.Number, s.Rules.Game.Streets[s.Street].Name)
		}
		return in, nil
	case engine.AwaitAction:
		return sc.decision(a)
	case engine.AwaitReveal:
		if a.Seat == 0 {
			return engine.Input{Kind: engine.Shown, Cards: engine.CardsOf(sc.hand.Bank...)}, nil
		}
		in := sc.reveal(a.Seat, s.Seats[a.Seat].Known())
		if in.Kind == engine.Mucked && !a.MayMuck { // it wins whether it is seen or not
			in.Kind = engine.ClockRanOut
		}
		return in, nil
	case engine.AwaitDiscard:
		return sc.discard(a.Seat)
	case engine.AwaitShield:
		return sc.shield(a.Seat), nil
	case engine.AwaitReload:
		return engine.Input{Kind: engine.Reloaded}, nil
	}
	return engine.Input{}, errors.New("the table awaits nothing")
}

// dealtBank is the next card of the house.
func (sc *Script) dealtBank() engine.Input {
	in := engine.Input{Kind: engine.CardRead, Card: card.Hidden}
	if sc.bank < len(sc.hand.Bank) {
		in.Card = sc.hand.Bank[sc.bank]
		sc.bank++
	}
	return in
}

// dealt takes the next unused card of that kind and player, which must come before the next decision.
func (sc *Script) dealt(kind phh.Kind, player int) (in engine.Input, ok bool) {
	for i, a := range sc.unused() {
		if isDecision(a.Kind) {
			break
		}
		if a.Kind != kind || a.Player != player {
			continue
		}
		u := &sc.uses[i]
		c := a.Cards[u.cards]
		u.cards++
		u.taken = int(u.cards) == len(a.Cards)
		return engine.Input{Kind: engine.CardRead, Card: c}, true
	}
	return engine.Input{}, false
}

// unused yields the record's actions that were not used yet, with their numbers from 0.
func (sc *Script) unused() iter.Seq2[int, *phh.Action] {
	for sc.first < len(sc.uses) && sc.uses[sc.first].taken {
		sc.first++
	}
	return func(yield func(int, *phh.Action) bool) {
		for i := sc.first; i < len(sc.uses); i++ {
			if !sc.uses[i].taken && !yield(i, &sc.hand.Actions[i]) {
				return
			}
		}
	}
}

// decision takes the next unused decision, which must be the awaited seat's.
func (sc *Script) decision(await engine.Await) (engine.Input, error) {
	for i, a := range sc.unused() {
		if !isDecision(a.Kind) {
			continue
		}
		if a.Player != int(await.Seat)-1 {
			return engine.Input{}, sc.fault(i, fmt.Sprintf("player %d acts, but it is player %d's turn", a.Player+1, await.Seat))
		}
		sc.uses[i].taken = true
		in := engine.Input{Kind: engine.Acted, Seat: await.Seat}
		switch {
		case a.Kind == phh.Fold:
			in.Action = engine.Fold
		case a.Kind == phh.BringIn:
			in.Action = engine.BringIn
		case a.Kind == phh.Split:
			in.Action = engine.Split
		case a.Kind == phh.CutOff:
			in.Kind = engine.Disconnected
		case a.Kind == phh.Swap:
			in.Kind, in.Power, in.Card = engine.PowerUsed, engine.Swap, a.Cards[0]
		case a.Kind == phh.Anchor:
			in.Kind, in.Power, in.Target = engine.PowerUsed, engine.Anchor, engine.Seat(a.Target+1)
		case a.Kind == phh.Shield:
			return engine.Input{}, sc.fault(i, "there is no anchor to answer")
		case a.Kind == phh.CheckCall && await.Legal.Check:
			in.Action = engine.Check
		case a.Kind == phh.CheckCall:
			in.Action = engine.Call
		case await.Legal.Opens:
			in.Action, in.Amount = engine.Bet, engine.Chips(a.Amount)
		default:
			in.Action, in.Amount = engine.Raise, engine.Chips(a.Amount)
		}
		return in, nil
	}
	return engine.Input{}, fmt.Errorf("the record ends while player %d is to act", await.Seat)
}

func isDecision(k phh.Kind) bool {
	switch k {
	case phh.Fold, phh.CheckCall, phh.BetRaise, phh.BringIn, phh.Split, phh.CutOff, phh.Swap, phh.Anchor, phh.Shield:
		return true
	}
	return false
}

// shield answers an anchor as the record says: where a shield is not the next that it tells, the anchor holds.
func (sc *Script) shield(seat engine.Seat) engine.Input {
	for i, a := range sc.unused() {
		if a.Kind == phh.Shield && a.Player == int(seat)-1 {
			sc.uses[i].taken = true
			return engine.Input{Kind: engine.PowerUsed, Seat: seat, Power: engine.Shield}
		}
		if isDecision(a.Kind) {
			break
		}
	}
	return engine.Input{Kind: engine.AnchorAccepted, Seat: seat}
}

// discard takes the next unused draw, which must be the awaited seat's.
func (sc *Script) discard(seat engine.Seat) (engine.Input, error) {
	for i, a := range sc.unused() {
		if a.Kind != phh.Discard {
			continue
		}
		if a.Player != int(seat)-1 {
			return engine.Input{}, sc.fault(i, fmt.Sprintf("player %d draws, but it is player %d's turn", a.Player+1, seat))
		}
		sc.uses[i].taken = true
		return engine.Input{Kind: engine.Discarded, Seat: seat, Cards: engine.CardsOf(a.Cards...)}, nil
	}
	return engine.Input{}, fmt.Errorf("the record ends while player %d is to draw", seat)
}

// reveal shows or mucks as the record says, by the last it says of the seat. Where it says nothing a hand it knows is left
// to the house, and one it does not know was not shown.
func (sc *Script) reveal(seat engine.Seat, known bool) engine.Input {
	in := engine.Input{Kind: engine.ClockRanOut, Seat: seat}
	if !known {
		in.Kind = engine.Mucked
	}
	for i, a := range sc.unused() {
		if a.Kind != phh.ShowOrMuck || a.Player != int(seat)-1 {
			continue
		}
		sc.uses[i].taken = true
		in = engine.Input{Kind: engine.Mucked, Seat: seat}
		if len(a.Cards) > 0 {
			in.Kind, in.Cards = engine.Shown, engine.CardsOf(a.Cards...)
		}
	}
	return in
}

// fault is an error about action number i, counted from 0.
func (sc *Script) fault(i int, reason string) error {
	return &Fault{Line: sc.hand.Actions[i].Line, Action: i + 1, Reason: reason}
}

// Left gives the fault of the first action that a finished hand did not use, nil if there is none. Hands shown after the
// end do not count, nor cards seen ahead, which decide nothing.
func (sc *Script) Left() error {
	for i, a := range sc.unused() {
		if a.Kind != phh.Remark && a.Kind != phh.ShowOrMuck && a.Kind != phh.Peek {
			return sc.fault(i, fmt.Sprintf("%q, but the hand is over", a.Text(sc.hand.Scale)))
		}
	}
	return nil
}

// last is the number of the last action used, from 1, with its line; 0 before the first.
func (sc *Script) last() (action, line int) {
	for i := range sc.uses {
		if sc.uses[i].taken {
			action, line = i+1, sc.hand.Actions[i].Line
		}
	}
	return action, line
}

// Fault is a record that does not fit the rules.
type Fault struct {
	// Line is where the action stands in the file, Action its number from 1; 0 where the fault is in none.
	Line, Action int
	Reason       string
}

// Error is the fault with the action's number.
func (f *Fault) Error() string {
	if f.Action == 0 {
		return f.Reason
	}
	return fmt.Sprintf("action %d: %s", f.Action, f.Reason)
}

// Difference is one player whose stack did not end as recorded.
type Difference struct {
	// Player counts from 1.
	Player    int
	Got, Want engine.Chips
}

// Play plays a hand through the engine and gives what differs from the recorded finishing stacks, nothing if they agree
// or were not recorded. The error wraps ErrUnsupported, or is a *Fault.
func Play(h *phh.Hand, house *engine.House) ([]Difference, error) {
	sc, err := NewScript(h, house)
	if err != nil {
		return nil, err
	}
	end, err := sc.Run(func(engine.Input) {})
	if err != nil {
		return nil, err
	}
	return Compare(h, &end), nil
}

// Run plays the hand from its start to its end and gives the table as it is then. Each input is shown to saw once the
// engine has taken it.
func (sc *Script) Run(saw func(engine.Input)) (engine.State, error) {
	s := sc.Start()
	in := sc.Begin()
	var buf [32]engine.Event
	events := buf[:0]
	for {
		var err error
		if events, err = engine.Step(&s, in, events[:0]); err != nil {
			return s, sc.atLast(err)
		}
		saw(in)
		if s.Phase == engine.Between {
			return s, sc.Left()
		}
		if in, err = sc.Answer(&s); err != nil {
			return s, sc.atLast(err)
		}
	}
}

// Compare gives the players whose stacks differ from the recorded finishing stacks.
func Compare(h *phh.Hand, s *engine.State) []Difference {
	var diffs []Difference
	for i, want := range h.FinishingStacks {
		if got := s.Seats[i+1].Stack; got != engine.Chips(want) {
			diffs = append(diffs, Difference{Player: i + 1, Got: got, Want: engine.Chips(want)})
		}
	}
	return diffs
}

// atLast puts an error down to the last action used.
func (sc *Script) atLast(err error) error {
	var f *Fault
	if errors.As(err, &f) {
		return err
	}
	action, line := sc.last()
	return &Fault{Line: line, Action: action, Reason: err.Error()}
}
