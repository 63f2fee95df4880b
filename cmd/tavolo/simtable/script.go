package simtable

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// Script is a recorded hand to be played at a simulated table: its cards in the order of the shoe, and what each seat
// does in each of its turns. It may be used by several goroutines.
type Script struct {
	deck   []card.Card
	forced *engine.Forced

	mu      sync.Mutex
	choices [engine.MaxSeats + 1]map[engine.AwaitKind][]choice
	given   [engine.MaxSeats + 1]given
}

// given is what a seat was told for a turn, to be told the same again.
type given struct {
	turn   uint64
	choice choice
}

// NewScript works a recorded hand out. Cards that the record does not tell are such that it does not use and that leave
// everybody's turn where it was.
func NewScript(h *phh.Hand, house *engine.House) (*Script, *replay.Script, error) {
	rs, err := replay.NewScript(h, house)
	if err != nil {
		return nil, nil, err
	}
	for i := range h.Actions {
		switch h.Actions[i].Kind {
		case phh.CutOff, phh.Swap, phh.Anchor, phh.Shield:
			return nil, nil, fmt.Errorf("%w: action %d: nobody at a simulated table is cut off or uses a power as recorded", replay.ErrUnsupported, i+1)
		}
	}
	s := &Script{forced: &rs.Forced}
	state := rs.Start()
	rules := *rs.Rules // at the table
	rules.House = house
	holes := map[engine.Seat][]int{} // where in deck a seat's cards are
	var inputs []engine.Input
	for i := range s.choices {
		s.choices[i] = map[engine.AwaitKind][]choice{}
	}
	_, err = rs.Run(func(in engine.Input) {
		inputs = append(inputs, in)
		a := state.Awaits()
		var ch choice
		switch in.Kind {
		case engine.CardRead:
			if a.Kind == engine.AwaitHole {
				holes[a.Seat] = append(holes[a.Seat], len(s.deck))
			}
			s.deck = append(s.deck, in.Card)
		case engine.Acted:
			ch = choice{verb: controller.Verb(in.Action.String()), amount: in.Amount}
			there := state
			there.Rules = &rules
			if l := there.Awaits().Legal; in.Amount > 0 && l.Raise { // a record may cut a raise to what the other player has
				ch.amount = max(in.Amount, l.MinTo)
			}
		case engine.Discarded:
			ch = choice{verb: controller.VerbStandPat, cards: places(state.Seats[in.Seat].Hole, in.Cards)}
			if ch.cards != 0 {
				ch.verb = controller.VerbDiscard
			}
			for i, n := range ch.cards.List() {
				holes[in.Seat] = slices.Delete(holes[in.Seat], n-1-i, n-i)
			}
		case engine.Mucked:
			ch.verb = controller.VerbMuck
		case engine.Shown:
			ch.verb = controller.VerbShow
			for i, c := range in.Cards.Slice() {
				s.deck[holes[in.Seat][i]] = c
			}
		}
		if ch.verb != "" {
			s.choices[in.Seat][a.Kind] = append(s.choices[in.Seat][a.Kind], ch)
		}
		state, _, _ = engine.Apply(state, in)
	})
	if err != nil {
		return nil, nil, err
	}
	spare := (rs.Rules.Game.Deck &^ card.SetOf(s.deck...)).Cards()
	for i := range max(len(spare), 1) {
		if deck, ok := filled(s.deck, slices.Concat(spare[i:], spare[:i])); ok && goes(rs.Start(), inputs, deck) {
			s.deck = deck
			return s, rs, nil
		}
	}
	return nil, nil, errors.New("no cards in place of those that the record does not tell let the hand go as recorded")
}

// filled is a deck with the spare cards in place of those not known and below the last, false if they are too few.
func filled(dealt, spare []card.Card) (deck []card.Card, ok bool) {
	deck = slices.Clone(dealt)
	for i, c := range deck {
		if c == card.Hidden {
			if len(spare) == 0 {
				return nil, false
			}
			deck[i], spare = spare[0], spare[1:]
		}
	}
	return append(deck, spare...), true
}

// goes reports whether every seat has its turns as recorded when these cards are dealt. Who brings in, and who is first on
// later streets, may hang on cards that lie face up.
func goes(s engine.State, inputs []engine.Input, deck []card.Card) bool {
	for _, in := range inputs {
		if in.Kind == engine.CardRead {
			in.Card, deck = deck[0], deck[1:]
		}
		var err error
		if s, _, err = engine.Apply(s, in); err != nil {
			return in.Kind != engine.Acted // at the end a hand that is known shows itself
		}
	}
	return true
}

// places are those in a hand of the cards thrown away; a card that the record does not tell is any that it does not tell.
func places(hole, thrown engine.Cards) (ps controller.Places) {
	rest := hole.Slice()
	for _, c := range thrown.Slice() {
		i := slices.Index(rest, c)
		if i < 0 {
			i = slices.Index(rest, card.Hidden)
		}
		rest[i] = card.None
		ps |= controller.PlacesOf(i + 1)
	}
	return ps
}

// next is what a seat does in a turn; asked again for the same turn it is the same.
func (s *Script) next(seat engine.Seat, turn uint64, kind engine.AwaitKind) choice {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.given[seat]; g.turn == turn && turn != 0 {
		return g.choice
	}
	ch := choice{verb: controller.VerbFold} // the record may have no more: its hand was over here
	if q := s.choices[seat][kind]; len(q) > 0 {
		ch, s.choices[seat][kind] = q[0], q[1:]
	} else if kind == engine.AwaitReveal {
		ch.verb = controller.VerbShow
	}
	s.given[seat] = given{turn, ch}
	return ch
}
