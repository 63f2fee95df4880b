package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/seating"
)

// PlayedHand is one hand as a journal has it.
type PlayedHand struct {
	// Table is the table's name, as in Options.
	Table string
	// Began is when the hand was started.
	Began time.Time
	// Players are the table's seats and who had them.
	Players []Player
	// Before is the table before it, Events all that followed. A hand that the journal ends in has no HandEnded.
	Before engine.State
	Events []engine.Event
}

// ReadHands yields the hands in the records of a table's journal, oldest first, each with the rules it was played by. The
// first error is yielded last. A record that a power cut has torn, or that a running table is about to finish, ends the
// journal and is no error.
func ReadHands(records iter.Seq2[journal.Record, error]) iter.Seq2[PlayedHand, error] {
	return func(yield func(PlayedHand, error) bool) { follow(records, &handReader{}, yield) }
}

// follower makes things of the records of a journal, read one after another.
type follower[T any] interface {
	fold(rec journal.Record) error
	// done are the things that the last record completed.
	done() []T
	// rest is the thing that is not complete, if there is one.
	rest() (thing T, any bool)
}

// follow yields what a follower makes of records, and at the end what is not complete. The first error is yielded last, with
// the thing it is in. A record that a power cut has torn, or that a running table is about to finish, ends the journal and is
// no error.
func follow[T any](records iter.Seq2[journal.Record, error], f follower[T], yield func(T, error) bool) {
	for rec, err := range records {
		if fault, ok := errors.AsType[*journal.Fault](err); ok && fault.Torn {
			break
		}
		if err == nil {
			if err = f.fold(rec); err != nil {
				err = fmt.Errorf("journal: %s, record %d: %w", rec.File, rec.Seq, err)
			}
		}
		if err != nil {
			thing, _ := f.rest()
			yield(thing, err)
			return
		}
		for _, thing := range f.done() {
			if !yield(thing, nil) {
				return
			}
		}
	}
	if thing, ok := f.rest(); ok {
		yield(thing, nil)
	}
}

// read gives what a record holds.
func read[T any](rec journal.Record) (v T, err error) {
	return v, json.Unmarshal(rec.Payload, &v)
}

// handReader follows a table through its records.
type handReader struct {
	setup
	state   engine.State
	seating seating.State
	hand    PlayedHand   // the one in play, no events between hands
	over    []PlayedHand // those that the last record ended
}

func (r *handReader) done() []PlayedHand {
	over := r.over
	r.over = nil
	return over
}

func (r *handReader) rest() (PlayedHand, bool) { return r.hand, r.hand.Events != nil }

func (r *handReader) fold(rec journal.Record) error {
	switch rec.Kind {
	case journal.Snapshot:
		s, err := read[snapshot](rec)
		if err != nil {
			return err
		}
		s.State.Rules = s.Rules
		r.setup, r.state, r.seating = s.setup, s.State, s.Seating
	case kindStart:
		s, err := read[startRecord](rec)
		if err != nil {
			return err
		}
		r.setup, r.state.Rules = s.setup, s.Rules
	case kindStep:
		s, err := read[step](rec)
		if err != nil {
			return err
		}
		return r.step(s)
	}
	return nil
}

func (r *handReader) step(s step) error {
	if r.state.Rules == nil {
		return errors.New("something happened before the table was set up")
	}
	r.seating = seating.Replay(r.seating, s.Seating)
	for i, e := range s.Events {
		if e.Kind == engine.HandBegan {
			r.hand = PlayedHand{Table: r.Table, Began: s.At, Before: r.state, Players: present(r.Configured, &r.seating)}
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
