package selfplay

import (
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// ruling is something that the floor does in a hand, whether it may or not. The cards it names are where they are said to be.
func (p *player) ruling() engine.Input {
	s := &p.table.State
	in := engine.Input{Seat: p.seat(), Reason: "a ruling"}
	in.Kind = pick(p.random, engine.Exposed, engine.DealtEarly, engine.Overdealt, engine.DealtShort, engine.BurnSkipped, engine.Reshuffled,
		engine.Retrieved, engine.Suspended, engine.Rewound, engine.ButtonSet, engine.Ruled)
	switch in.Kind {
	case engine.Exposed:
		if hand := p.shoe.hole[in.Seat]; hand != 0 {
			in.Card = p.card(hand)
		}
	case engine.DealtShort:
		if !p.once(4) {
			in.Seat = s.Button
		}
		in.Card = pick(p.random, s.Seats[in.Seat].Hole[:max(1, s.Seats[in.Seat].HoleLen)]...)
	case engine.DealtEarly:
		in.Card, in.Cards = p.early()
	case engine.Overdealt:
		if in.Cards = engine.CardsOf(s.Board[:s.BoardLen]...); s.BoardLen == 3 && p.shoe.at(s, 0) != 0 {
			in.Card = p.card(p.shoe.at(s, 0))
			if swap := p.below(4); swap < 3 {
				in.Card, in.Cards[swap] = in.Cards[swap], in.Card
			}
		}
	case engine.Rewound:
		in.Rewind = p.rewind()
	}
	return in
}

// early are a burn and the community cards of the next street, as they would come now; sometimes a burn where none is due.
func (p *player) early() (burn card.Card, cards engine.Cards) {
	s, left := &p.table.State, p.shoe.cards
	at := s.Gone
	take := func() (c card.Card) {
		at++
		if from := p.shoe.at(s, at) & left; from != 0 {
			c = p.card(from)
			left = left.Remove(c)
		}
		return c
	}
	if s.Phase == engine.Between || int(s.Street)+1 >= len(s.Rules.Game.Streets) {
		return burn, cards
	}
	st := &s.Rules.Game.Streets[s.Street+1]
	if burnt := s.NoBurn&(1<<(s.Street+1)) != 0; st.Burn && s.Rules.House.Burn && !burnt || p.once(4) {
		burn = take()
	}
	for i := range min(st.Board, 1+int(p.below(3))) {
		cards[i] = take()
	}
	return burn, cards
}

// rewind goes back in the hand, mostly a little.
func (p *player) rewind() *engine.Rewind {
	if n := uint64(len(p.steps)); n > 1 {
		p.keep = int(n - 1 - p.below(pick(p.random, n-1, min(n-1, 4))))
	}
	return &engine.Rewind{Keep: p.keep, Steps: slices.Clone(p.steps)}
}

// drawn is a card for every seat that is taken.
func (p *player) drawn() *[engine.MaxSeats + 1]card.Card {
	var cards [engine.MaxSeats + 1]card.Card
	left := p.table.State.Rules.Game.Deck
	for i := range cards {
		if p.table.State.Seats[i].Taken {
			cards[i] = p.card(left)
			left = left.Remove(cards[i])
		}
	}
	return &cards
}

// power is a power that the seat whose turn it is, or that is anchored, would use, whether it may or not.
func (p *player) power() engine.Input {
	s := &p.table.State
	a := s.Awaits()
	in := engine.Input{Kind: engine.PowerUsed, Seat: a.Seat, Power: engine.Peek + engine.Power(p.below(uint64(engine.Shield))), Target: p.seat()}
	switch hand := p.shoe.hole[a.Seat]; {
	case in.Power == engine.Peek:
		if in.Card = s.Powers.Ahead; s.Powers.AheadAt <= s.Gone || p.once(8) {
			in.Card = p.card(p.shoe.at(s, 0))
		}
	case in.Power == engine.Swap && hand != 0:
		in.Card = p.card(hand)
	}
	return in
}
