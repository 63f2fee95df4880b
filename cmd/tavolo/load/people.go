package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// counts are kept by everybody together.
type counts struct {
	answer, player, spectator      histogram
	delivered, refused, unanswered atomic.Uint64
}

// reader keeps which events came to a client.
type reader struct {
	table *table
	times *histogram

	mu            sync.Mutex
	begun         bool
	base, last    uint64 // the last event that does not count, the last one that came
	lost, doubled uint64
}

func (r *reader) begin(base uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.base, r.last = true, base, base
}

func (r *reader) seq() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// take notes an event that has just come.
func (r *reader) take(seq uint64) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.begun || seq <= r.base:
		return
	case seq <= r.last:
		r.doubled++
		return
	}
	r.lost += seq - r.last - 1
	r.last = seq
	r.times.add(now.Sub(r.table.happened(seq)))
	select {
	case r.table.moved <- struct{}{}:
	default:
	}
}

// admit connects everybody at a table. Each is counted as in once the table's status has come.
func (r *run) admit(ctx context.Context, g *tasks.Group, t *table, in *sync.WaitGroup) error {
	for seat := 1; seat <= r.opt.Players; seat++ {
		user := PlayerUser(seat)
		c, err := client.New(client.Options{
			URL: r.url(), Topics: t.topics, Role: mqtt.Player, User: user, Password: r.opt.Password, Key: t.keys[user],
			Log: r.opt.Log,
		})
		if err != nil {
			return err
		}
		p := &player{reader: reader{table: t, times: &r.counts.player}, counts: &r.counts, client: c, think: r.opt.Think, turns: make(chan mqtt.TurnPayload, 1)}
		t.readers = append(t.readers, &p.reader)
		in.Add(1)
		there := sync.OnceFunc(in.Done)
		g.Go(func() error { return c.Run(ctx) })
		g.Go(func() error { defer there(); p.read(ctx, there); return nil })
		g.Go(func() error { p.play(ctx); return nil })
	}
	for n := range r.opt.Spectators {
		link, err := mqtt.NewLink(mqtt.Options{
			URL: r.url(), ClientID: mqtt.ClientID(spectatorUser, fmt.Sprintf("%s-%d", t.topics.Table, n+1)),
			User: spectatorUser, Password: r.opt.Password, Log: r.opt.Log,
			Subscribe: []string{t.topics.Status(), t.topics.State(), t.topics.Events()},
		})
		if err != nil {
			return err
		}
		s := &reader{table: t, times: &r.counts.spectator}
		t.readers = append(t.readers, s)
		in.Add(1)
		there := sync.OnceFunc(in.Done)
		g.Go(func() error { return link.Run(ctx) })
		g.Go(func() error { defer there(); s.watch(ctx, link, &r.counts, there); return nil })
	}
	return nil
}

// watch is a spectator, who reads what comes as it comes.
func (r *reader) watch(ctx context.Context, link *mqtt.Link, c *counts, there func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-link.Messages():
			c.delivered.Add(1)
			switch m.Topic {
			case r.table.topics.Status():
				there()
			case r.table.topics.Events():
				var head mqtt.Head
				if json.Unmarshal(m.Payload, &head) == nil {
					r.take(head.Seq)
				}
			}
		}
	}
}

// player plays a seat: one goroutine reads, another thinks and acts.
type player struct {
	reader
	counts *counts
	client *client.Client
	think  time.Duration
	turns  chan mqtt.TurnPayload // the newest
}

func (p *player) read(ctx context.Context, there func()) {
	for {
		var m any
		select {
		case <-ctx.Done():
			return
		case m = <-p.client.Messages():
		}
		p.counts.delivered.Add(1)
		switch m := m.(type) {
		case client.Connected:
			if m.Up {
				there()
			}
		case mqtt.EventPayload:
			p.take(m.Seq)
		case mqtt.TurnPayload:
			select {
			case <-p.turns:
			default:
			}
			p.turns <- m
		}
	}
}

// answerTime is how long a player waits for the answer to a request, which is repeated meanwhile.
const answerTime = 30 * time.Second

func (p *player) play(ctx context.Context) {
	var done uint64 // the last turn
	for {
		var at mqtt.TurnPayload
		select {
		case <-ctx.Done():
			return
		case at = <-p.turns:
		}
		if at.Turn == done || !tasks.Pause(ctx, p.thinks()) {
			continue
		}
		done = at.Turn
		wait, cancel := context.WithTimeout(ctx, answerTime)
		begun := time.Now()
		err := p.client.Act(wait, choose(&at))
		cancel()
		if ctx.Err() != nil {
			return
		}
		refused, answered := errors.AsType[*client.Refused](err)
		switch {
		case err == nil || answered:
			p.counts.answer.add(time.Since(begun))
			p.counts.delivered.Add(1)
			if refused != nil {
				p.counts.refused.Add(1)
			}
		default:
			p.counts.unanswered.Add(1)
		}
	}
}

// thinks is a time to think, with the mean that is wanted.
func (p *player) thinks() time.Duration {
	if p.think == 0 {
		return 0
	}
	return p.think/2 + rand.N(p.think)
}

// choose is what a player does: something that keeps most hands going to the river.
func choose(at *mqtt.TurnPayload) mqtt.ActionPayload {
	a := mqtt.ActionPayload{Epoch: at.Epoch, Turn: at.Turn}
	if at.Kind == engine.AwaitReveal {
		a.Action = controller.VerbShow
		return a
	}
	switch roll := rand.IntN(100); {
	case at.Legal.Raise && roll < 10:
		a.Action, a.Amount = controller.VerbRaise, at.Legal.MinTo
		if at.Legal.Opens {
			a.Action = controller.VerbBet
		}
	case at.Legal.Check:
		a.Action = controller.VerbCheck
	case roll < 40:
		a.Action = controller.VerbFold
	default:
		a.Action = controller.VerbCall
	}
	return a
}
