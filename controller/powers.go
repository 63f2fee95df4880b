package controller

import (
	"crypto/rand"
	"math/big"

	"tavolo/engine"
	"tavolo/engine/card"
)

// carousel draws the powers of a hand, each set as likely as the others (NK-11). The journal keeps it with the hand's start.
func (t *Table) carousel() engine.PowerSet {
	powers := t.opt.Rules.Powers
	if powers == nil {
		return 0
	}
	draw := t.opt.Random
	if draw == nil {
		draw = random
	}
	return powers.Carousels[draw(len(powers.Carousels))]
}

// random gives one of the numbers below n, from the system's source of chance.
func random(n int) int {
	i, _ := rand.Int(rand.Reader, big.NewInt(int64(n))) // the reader never fails
	return int(i.Int64())
}

// powerInput turns a player's request about powers into what the engine takes.
func (t *Table) powerInput(r *Request, seat engine.Seat) (in engine.Input, err error) {
	in = engine.Input{Kind: engine.PowerUsed, Seat: seat}
	switch r.Verb {
	case VerbPeek:
		in.Power, in.Card = engine.Peek, t.tracker.ahead(&t.state)
	case VerbSwap:
		var cards engine.Cards
		cards, err = t.named(seat, r.Cards)
		if n := len(cards.Slice()); n > 1 {
			err = refuse(CodeNoSuchCard, "one card is swapped, not %d", n)
		}
		in.Power, in.Card = engine.Swap, cards[0]
	case VerbAnchor:
		in.Power, in.Target = engine.Anchor, r.To
	case VerbShield:
		in.Power = engine.Shield
	case VerbAcceptAnchor:
		in.Kind = engine.AnchorAccepted
	default:
		err = refuse(CodeUnknownVerb, "%q is nothing a player can do", r.Verb)
	}
	return in, err
}

// ahead is the card in the shoe that a peek sees: the next one, or where one is burnt before it the one after that. It is
// card.None while the shoe has not read so far, as just after a card was drawn.
func (t *tracker) ahead(s *engine.State) (seen card.Card) {
	for _, kind := range []engine.ZoneKind{engine.ZoneNext, engine.ZoneFollowing}[:s.Rules.LooksAhead()] {
		if seen = t.only(s, engine.Zone{Kind: kind}); seen == card.None {
			return card.None
		}
	}
	return seen
}

// only is the one card in a zone that has not left the shoe, card.None if there is none, or more.
func (t *tracker) only(s *engine.State, z engine.Zone) card.Card {
	fresh := t.freshIn(s, z)
	if len(t.flight) > 0 || len(fresh) != 1 {
		return card.None
	}
	return fresh[0]
}
