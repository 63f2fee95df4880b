package load

import (
	"context"
	"math/rand/v2"
	"time"

	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/card"
)

// Dealer deals without hardware: it tells a table the facts that readers would have led to. It is a controller.Output; make
// one with NewDealer.
type Dealer struct {
	// Card, if not nil, is how long the dealer takes for a card, and Console is the name by which it asks.
	Card    func() time.Duration
	Console string
	// Rebuy is what a player without chips is given before the next hand.
	Rebuy engine.Chips

	updates chan controller.Update // the newest, until it is looked at
}

// NewDealer makes a dealer who asks as a console.
func NewDealer(console string, rebuy engine.Chips) *Dealer {
	return &Dealer{Console: console, Rebuy: rebuy, updates: make(chan controller.Update, 1)}
}

// Publish puts an update where Deal finds it, in place of an older one.
func (d *Dealer) Publish(u *controller.Update) {
	select {
	case <-d.updates:
	default:
	}
	d.updates <- *u
}

// Deal deals one hand after the other while more says so, given how many there were, and returns between two hands, or when
// ctx ends.
func (d *Dealer) Deal(ctx context.Context, table *controller.Table, rng *rand.Rand, more func(hands uint64) bool) {
	var deck []card.Card
	lying := map[card.Card]engine.Zone{}
	asked, dealt := uint64(0), int8(0) // the hand started, and how many of its cards were dealt
	for {
		var u controller.Update
		select {
		case u = <-d.updates:
		case <-ctx.Done():
			return
		}
		s := &u.State
		z := s.Awaits().Zone()
		switch {
		case len(u.Holds) > 0:
		case z.Kind != 0 && s.Gone == dealt: // else something else happened before the table saw the last card
			if d.Card != nil && !tasks.Pause(ctx, d.Card()) {
				return
			}
			dealt++
			lying[deck[0]] = z
			table.CardPlaced(ctx, z, deck[0])
			deck = deck[1:]
		case s.Phase == engine.Between && s.Hand == asked:
			if !more(s.Hand) {
				return
			}
			asked, dealt = asked+1, 0
			for c, z := range lying {
				table.CardGone(ctx, z, c)
				delete(lying, c)
			}
			deck = s.Rules.Game.Deck.Cards()
			rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
			console := controller.Source{Console: d.Console}
			for i := range s.Seats {
				if p := &s.Seats[i]; p.Taken && p.Stack == 0 {
					table.Ask(ctx, controller.Request{From: console, Verb: controller.VerbAddChips, Seat: engine.Seat(i), Amount: d.Rebuy})
				}
			}
			table.Ask(ctx, controller.Request{From: console, Verb: controller.VerbStartHand})
		}
	}
}
