package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
)

// PlayedHand is one hand as a journal has it.
type PlayedHand struct {
	// Began is when the hand was started.
	Began time.Time
	// Before is the table before it, Events all that followed. A hand that the journal ends in has no HandEnded.
	Before engine.State
	Events []engine.Event
}

// ReadHands yields the hands in the records of a table's journal, oldest first. A journal does not say by which rules its
// hands were played, so they are given: those of the table's configuration. The first error is yielded last. A record that
// a power cut has torn, or that a running table is about to finish, ends the journal and is no error.
func ReadHands(rules *engine.Rules, records iter.Seq2[journal.Record, error]) iter.Seq2[PlayedHand, error] {
	return func(yield func(PlayedHand, error) bool) {
		r := handReader{state: engine.State{Rules: rules}}
		for rec, err := range records {
			if fault, ok := errors.AsType[*journal.Fault](err); ok && fault.Torn {
				break
			}
			if err == nil {
				if err = r.fold(rec); err != nil {
					err = fmt.Errorf("journal: %s, record %d: %w", rec.File, rec.Seq, err)
				}
			}
			if err != nil {
				yield(PlayedHand{}, err)
				return
			}
			for _, h := range r.over {
				if !yield(h, nil) {
					return
				}
			}
			r.over = nil
		}
		if r.hand.Events != nil {
			yield(r.hand, nil)
		}
	}
}

// handReader follows a table through its records.
type handReader struct {
	state engine.State
	hand  PlayedHand   // the one in play, no events between hands
	over  []PlayedHand // those that the last record ended
}

func (r *handReader) fold(rec journal.Record) error {
	switch rec.Kind {
	case journal.Snapshot:
		var s snapshot
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			return err
		}
		s.State.Rules = r.state.Rules
		r.state = s.State
	case kindStep:
		var s step
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			return err
		}
		return r.step(s)
	}
	return nil
}

func (r *handReader) step(s step) error {
	for i, e := range s.Events {
		if int(e.Street) >= len(r.state.Rules.Game.Streets) {
			return fmt.Errorf("the hand is not of %s: read it with the configuration it was played by", r.state.Rules.Game.Name)
		}
		if e.Kind == engine.HandBegan {
			r.hand = PlayedHand{Began: s.At, Before: r.state}
		}
		if e.Kind == engine.HandBegan || r.hand.Events != nil {
			r.hand.Events = append(r.hand.Events, e)
		}
		if e.Kind == engine.HandEnded {
			r.over, r.hand = append(r.over, r.hand), PlayedHand{}
		}
		r.state = engine.Replay(r.state, s.Events[i:i+1])
	}
	if r.state.Seq != s.Seq {
		return fmt.Errorf("event %d follows, want %d", r.state.Seq, s.Seq)
	}
	return nil
}
