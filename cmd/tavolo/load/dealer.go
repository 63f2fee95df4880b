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
// ctx ends. The order of a hand's cards follows from the seed and its number; so a hand that a table was in when it was
// stopped goes on.
func (d *Dealer) Deal(ctx context.Context, table *controller.Table, seed uint64, more func(hands uint64) bool) {
	var deck []card.Card
	lying := map[card.Card]engine.Zone{}
	asked, dealt, met := uint64(0), int8(0), false // the hand started, how many of its cards were dealt, whether the table was seen
	for {
		var u controller.Update
		select {
		case u = <-d.updates:
		case <-ctx.Done():
			return
		}
		s := &u.State
		z := s.Awaits().Zone()
		if !met {
			met, asked = true, s.Hand
			if s.Phase != engine.Between {
				deck, dealt = shuffled(s.Rules.Game.Deck, seed, s.Hand)[s.Gone:], s.Gone
			}
		}
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
			deck = shuffled(s.Rules.Game.Deck, seed, asked)
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

// shuffled are the cards of a hand in the order in which they are dealt.
func shuffled(deck card.Set, seed, hand uint64) []card.Card {
	cards := deck.Cards()
	rng := rand.New(rand.NewPCG(seed, hand))
	rng.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}
