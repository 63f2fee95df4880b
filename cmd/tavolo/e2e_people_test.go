package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// sitter plays a seat over MQTT and keeps all that it is told. What it does depends on the turn alone, so hands that are
// dealt the same are played the same.
type sitter struct {
	t      testing.TB
	name   string
	seat   engine.Seat
	client *client.Client

	turns chan mqtt.TurnPayload // the newest
	out   chan struct{}         // has room for one: she sits out

	mu      sync.Mutex
	state   mqtt.StatePayload   // the newest
	events  []mqtt.EventPayload // of all runs of the daemon
	answers []time.Duration     // how long each took
	refused []string
	changed chan struct{} // has room for one
}

// sits has a player of the configuration sit down and play, until the test ends.
func (r *rig) sits(url, name string) *sitter {
	r.t.Helper()
	c, err := client.New(client.Options{
		URL: url, Topics: r.cfg.Topics, Role: mqtt.Player, User: name, Password: demoPassword, Key: r.cfg.Keys[name], Log: r.log(),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	s := &sitter{t: r.t, name: name, client: c, turns: make(chan mqtt.TurnPayload, 1), out: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
	for _, at := range r.cfg.Seats {
		if at.Player == name {
			s.seat = at.Seat
		}
	}
	background(r.t, c.Run)
	background(r.t, s.read)
	background(r.t, s.play)
	return s
}

func (s *sitter) read(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-s.client.Messages():
			s.hear(m)
		}
	}
}

func (s *sitter) hear(m any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case mqtt.StatePayload:
		s.state = m
		for _, at := range m.View.Seats {
			if at.Seat == s.seat && at.Out && len(s.out) == 0 {
				s.out <- struct{}{}
			}
		}
	case mqtt.EventPayload:
		s.events = append(s.events, m)
	case mqtt.TurnPayload:
		select {
		case <-s.turns:
		default:
		}
		s.turns <- m
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// play answers each turn once, and again if the table did not take it, and sits in again when it was sat out.
func (s *sitter) play(ctx context.Context) error {
	var done uint64
	for {
		var at mqtt.TurnPayload
		select {
		case <-ctx.Done():
			return nil
		case at = <-s.turns:
		case <-s.out:
			wait, cancel := context.WithTimeout(ctx, patience)
			_ = s.client.Act(wait, mqtt.ActionPayload{Action: controller.VerbSitIn}) // asked again if it was not done
			cancel()
			continue
		}
		if at.Turn == done {
			continue
		}
		wait, cancel := context.WithTimeout(ctx, outage()+patience)
		begun := time.Now()
		err := s.client.Act(wait, s.choose(&at))
		took := time.Since(begun)
		cancel()
		s.mu.Lock()
		refused, isRefused := errors.AsType[*client.Refused](err)
		switch {
		case isRefused:
			s.refused = append(s.refused, refused.Code)
		case err == nil:
			s.answers = append(s.answers, took)
			done = at.Turn
		case ctx.Err() == nil:
			s.t.Errorf("%s, turn %d: %v", s.name, at.Turn, err)
		}
		s.mu.Unlock()
	}
}

// choose is something that keeps most hands going to the river.
func (s *sitter) choose(at *mqtt.TurnPayload) mqtt.ActionPayload {
	a := mqtt.ActionPayload{Epoch: at.Epoch, Turn: at.Turn, Action: controller.VerbShow}
	if at.Kind != engine.AwaitAction {
		return a
	}
	switch roll := rand.New(rand.NewPCG(uint64(s.seat), at.Turn)).IntN(100); {
	case at.Legal.Raise && roll < 10:
		a.Action, a.Amount = controller.VerbRaise, at.Legal.MinTo
		if at.Legal.Opens {
			a.Action = controller.VerbBet
		}
	case at.Legal.Check:
		a.Action = controller.VerbCheck
	case roll < 30:
		a.Action = controller.VerbFold
	default:
		a.Action = controller.VerbCall
	}
	return a
}

// hand is the hand in play, as the player is told.
func (s *sitter) hand() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.View.Hand
}

// await waits until something is so of what the player was told.
func (s *sitter) await(what string, so func(*sitter) bool) {
	s.t.Helper()
	late := time.After(2 * patience)
	for {
		s.mu.Lock()
		is, state, n := so(s), s.state, len(s.events)
		s.mu.Unlock()
		if is {
			return
		}
		select {
		case <-s.changed:
		case <-late:
			s.t.Fatalf("%s: %s: not so for %v. Told of %d events, health %+v, holds %q, view %+v", s.name, what, 2*patience, n,
				s.client.Health(), state.Holds, state.View)
		}
	}
}

// endsLike waits until a player has heard of everything in a journal and holds what the player was told against it: the
// last state is the journal's, and so are the events, each once and none left out since the first that was told.
func (s *sitter) endsLike(h *journalled) {
	s.t.Helper()
	end := uint64(len(h.events))
	s.await("the end is told", func(s *sitter) bool {
		n := len(s.events)
		return s.state.Seq >= end && n > 0 && s.events[n-1].Seq >= end
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if want := engine.ViewFor(h.at(end), engine.Viewer{}); string(mqtt.Pack(s.state.View)) != string(mqtt.Pack(want)) {
		s.t.Errorf("%s ends with the state\n%s\nwant that of the journal\n%s", s.name, mqtt.Pack(s.state.View), mqtt.Pack(want))
	}
	for i, e := range s.events {
		if want := s.events[0].Seq + uint64(i); e.Seq != want {
			s.t.Fatalf("%s was told event %d after %d", s.name, e.Seq, want-1)
		}
	}
	for _, e := range s.events {
		if e.Seq > end {
			s.t.Fatalf("%s was told event %d, the journal ends with %d", s.name, e.Seq, end)
		}
		public := engine.Redact(h.events[e.Seq-1], engine.Viewer{})
		own := engine.Redact(h.events[e.Seq-1], engine.Viewer{Seat: s.seat}) // of those that were asked for
		if !reflect.DeepEqual(e.Event, public) && !reflect.DeepEqual(e.Event, own) {
			s.t.Fatalf("%s was told event %d of run %d as\n%+v\nin the journal it is\n%+v", s.name, e.Seq, e.Epoch, e.Event, public)
		}
	}
}

// sitting are the players of a table that needs no hardware.
var sitting = []string{"alice", "bruno", "carla", "dario"}

// virtual writes a table of four remote players whose cards a load.Dealer tells.
func virtual(t testing.TB, edits ...func(string) string) *rig {
	t.Helper()
	return virtualDemo(t, demoOptions{seats: len(sitting)}, edits...)
}

// virtualDemo is such a table of another demo.
func virtualDemo(t testing.TB, o demoOptions, edits ...func(string) string) *rig {
	t.Helper()
	return newRig(t, o, append([]func(string) string{without("[devices]"), without("[deck]")}, edits...)...)
}

// deals has hands dealt at a daemon's table, the same in every run, until more says no.
func (r *rig) deals(d *daemon, dealer *load.Dealer, more func(hands uint64) bool) (ended <-chan struct{}) {
	return background(r.t, func(ctx context.Context) error {
		dealer.Deal(ctx, d.table, 6, more)
		return nil
	})
}

// told is how long answers took: their number, the median and the 99th percentile.
func (s *sitter) took() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers)
}

// figures are the median and the 99th percentile of some times.
func figures(times []time.Duration) string {
	slices.Sort(times)
	at := func(percent int) time.Duration { return times[(len(times)-1)*percent/100].Round(10 * time.Microsecond) }
	return fmt.Sprintf("%d answers, median %v, 99th percentile %v", len(times), at(50), at(99))
}
