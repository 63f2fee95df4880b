package simtable

import (
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
	acts    [engine.MaxSeats + 1][]engine.Input
	reveals [engine.MaxSeats + 1][]engine.Input
	given   [engine.MaxSeats + 1]given
}

// given is what a seat was told for a turn, to be told the same again.
type given struct {
	turn   uint64
	choice choice
}

// NewScript works a recorded hand out. Cards that the record does not tell are any that it does not use.
func NewScript(h *phh.Hand, house *engine.House) (*Script, *replay.Script, error) {
	rs, err := replay.NewScript(h, house)
	if err != nil {
		return nil, nil, err
	}
	s := &Script{forced: &rs.Forced}
	state := rs.Start()
	holes := map[engine.Seat][]int{} // where in deck a seat's cards are
	_, err = rs.Run(func(in engine.Input) {
		switch in.Kind {
		case engine.CardRead:
			if a := state.Awaits(); a.Kind == engine.AwaitHole {
				holes[a.Seat] = append(holes[a.Seat], len(s.deck))
			}
			s.deck = append(s.deck, in.Card)
		case engine.Acted:
			s.acts[in.Seat] = append(s.acts[in.Seat], in)
		case engine.Shown, engine.Mucked:
			s.reveals[in.Seat] = append(s.reveals[in.Seat], in)
			for i, c := range in.Cards.Slice() {
				s.deck[holes[in.Seat][i]] = c
			}
		}
		state, _, _ = engine.Apply(state, in)
	})
	if err != nil {
		return nil, nil, err
	}
	spare := (rs.Rules.Game.Deck &^ card.SetOf(s.deck...)).Cards()
	for i, c := range s.deck {
		if c == card.Hidden {
			if len(spare) == 0 {
				return nil, nil, fmt.Errorf("the deck has too few cards for the hand")
			}
			s.deck[i], spare = spare[0], spare[1:]
		}
	}
	s.deck = append(s.deck, spare...)
	return s, rs, nil
}

// next is what a seat does in a turn; asked again for the same turn it is the same.
func (s *Script) next(seat engine.Seat, turn uint64, legal *engine.Legal) choice {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.given[seat]; g.turn == turn && turn != 0 {
		return g.choice
	}
	var ch choice
	if legal == nil {
		ch.verb = controller.VerbShow
		if q := s.reveals[seat]; len(q) > 0 {
			if q[0].Kind == engine.Mucked {
				ch.verb = controller.VerbMuck
			}
			s.reveals[seat] = slices.Delete(q, 0, 1)
		}
	} else if q := s.acts[seat]; len(q) > 0 {
		ch = choice{verb: controller.Verb(q[0].Action.String()), amount: q[0].Amount}
		s.acts[seat] = slices.Delete(q, 0, 1)
	} else {
		ch.verb = controller.VerbFold // the record has no more: its hand was over here
	}
	s.given[seat] = given{turn, ch}
	return ch
}
