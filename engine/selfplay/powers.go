package selfplay

import (
	"fmt"

	"tavolo/engine"
	"tavolo/engine/card"
)

// powers is what the bookkeeper keeps of a table that is played with powers, by the rules NK-10 to NK-23 in its own words.
type powers struct {
	sparks [engine.MaxSeats + 1]int8
	// of the hand
	carousel engine.PowerSet
	used     [engine.MaxSeats + 1]engine.PowerSet
	// acted and aimed are the seats that have acted in the round, and those that were anchored or blocked it; ordinary is how
	// many powers were used in it, answers apart.
	acted, aimed engine.Seats
	ordinary     int
	// betting is whether a round of betting is open. It is the turn of turn, which has used a power in it if inTurn is set;
	// asked may answer an anchor, swapping is yet to get a card.
	betting, inTurn       bool
	turn, asked, swapping engine.Seat
	// ahead is the last card that was peeked, at its place in the shoe; peekers know it as the next community card.
	ahead   card.Card
	at      int
	peekers engine.Seats
}

// sparkCost is what each power costs.
var sparkCost = map[engine.Power]int8{engine.Peek: 1, engine.Swap: 2, engine.Anchor: 2, engine.Shield: 1}

// powered enters an event as far as it means something for powers.
func (b *books) powered(e *engine.Event) error {
	k := &b.powers
	switch e.Kind {
	case engine.PlayerSat, engine.PlayerLeft:
		k.sparks[e.Seat] = 0
	case engine.PlayerMoved:
		k.sparks[e.Seat], k.sparks[e.Target] = 0, 0 // they stay while he keeps his seat (NK-10)
	case engine.HandBegan, engine.HandRewound:
		b.carousel(e)
	case engine.BettingOpened:
		k.betting = true
	case engine.TurnPassed:
		k.turn, k.inTurn = e.Seat, false
	case engine.PlayerActed:
		k.acted = k.acted.With(e.Seat)
	case engine.HandRetrieved:
		k.acted = k.acted.Without(e.Seat)
	case engine.ButtonMoved, engine.CardExposed: // the round, if it is open, opens once more
		k.betting, k.acted = false, 0
	case engine.CardMissed:
		if k.betting {
			k.swapping = e.Seat
		}
	case engine.BetsCollected, engine.HandCalledOff:
		k.betting, k.acted, k.aimed, k.ordinary = false, 0, 0, 0
		k.asked, k.swapping = 0, 0
	case engine.HandDeclaredDead:
		if k.swapping == e.Seat {
			k.swapping = 0
		}
		if k.asked == e.Seat || k.turn == e.Seat {
			k.asked = 0
		}
	case engine.AnchorHeld:
		k.asked = 0
	case engine.HoleDealt:
		k.swapping = 0
	case engine.CardSetAside, engine.BoardRetracted, engine.BoardCorrected:
		k.peekers = 0
	case engine.BoardDealt:
		if k.peekers != 0 && b.hand.cards == k.at && e.Card != k.ahead {
			return fmt.Errorf("%v was peeked, %v came", k.ahead, e.Card)
		}
	case engine.StubShuffled, engine.ShoeReloaded, engine.HandEnded:
		k.ahead, k.at, k.peekers = card.None, 0, 0
	case engine.PowerPlayed:
		return b.play(e)
	}
	return nil
}

// carousel begins a hand, or takes it back: who was dealt in has a spark more by it, and what was paid in it comes back.
func (b *books) carousel(e *engine.Event) {
	k := &b.powers
	sparks := k.sparks
	for seat := range each(e.Dealt) {
		if e.Kind == engine.HandBegan && b.rules.Powers != nil {
			sparks[seat] = min(3, sparks[seat]+1)
		}
	}
	if e.Kind == engine.HandRewound {
		for seat, used := range k.used {
			for _, p := range used.List() {
				sparks[seat] += sparkCost[p]
			}
		}
	}
	*k = powers{sparks: sparks, carousel: e.Carousel}
}

// play enters a power that was used.
func (b *books) play(e *engine.Event) error {
	k := &b.powers
	in := engine.Input{Seat: e.Seat, Power: e.Power, Card: e.Card, Target: e.Target}
	if !b.mayUse(&in) || e.Sparks != sparkCost[e.Power] {
		return fmt.Errorf("seat %d may not use a power, or not for %d sparks: %+v, %+v", e.Seat, e.Sparks, *e, *k)
	}
	k.used[e.Seat] = k.used[e.Seat].With(e.Power)
	k.sparks[e.Seat] -= e.Sparks
	if e.Power == engine.Shield {
		k.asked = 0
		return nil
	}
	k.ordinary, k.inTurn = k.ordinary+1, true
	switch e.Power {
	case engine.Peek:
		if at := b.nextBoard(); at != k.at {
			k.ahead, k.at, k.peekers = e.Card, at, 0
		}
		k.peekers = k.peekers.With(e.Seat)
	case engine.Swap:
		k.swapping, k.peekers = e.Seat, 0
		return b.swapped(e)
	case engine.Anchor:
		k.asked, k.aimed = e.Target, k.aimed.With(e.Target)
	}
	return nil
}

// mayUse says whether a seat may use a power as an input says.
func (b *books) mayUse(in *engine.Input) bool {
	if in.Seat < 1 || in.Seat > engine.MaxSeats || !b.mayUseSome(in.Seat, in.Power) {
		return false
	}
	switch in.Power {
	case engine.Peek:
		return b.mayBe(in.Card, b.nextBoard())
	case engine.Swap:
		return b.mayThrow(in.Seat, in.Card)
	case engine.Anchor:
		return b.targets(in.Seat).Has(in.Target)
	}
	return true
}

// mayUseSome says whether a seat may use a power, on what it is used apart.
func (b *books) mayUseSome(seat engine.Seat, power engine.Power) bool {
	k := &b.powers
	cost := sparkCost[power]
	switch {
	case cost == 0 || !k.carousel.Has(power) || k.used[seat].Has(power) || k.sparks[seat] < cost:
		return false
	case power == engine.Shield:
		return k.asked == seat
	case !k.betting || k.turn != seat || k.inTurn || k.ordinary >= 3 || k.asked != 0 || k.swapping != 0:
		return false
	}
	switch power {
	case engine.Peek:
		return b.toCome() > 0
	case engine.Swap:
		return b.hand.street == 0 && !k.acted.Has(seat) && b.rules.Game.Deck.Len()-b.hand.cards > b.toCome()
	}
	return b.targets(seat) != 0
}

// toCome is how many cards the board is yet to get, burns included.
func (b *books) toCome() (n int) {
	for _, st := range b.rules.Game.Streets[b.hand.street+1:] {
		n += st.Board
		if st.Burn && b.rules.House.Burn {
			n++
		}
	}
	return n
}

// nextBoard is the place of the next community card in the shoe.
func (b *books) nextBoard() int {
	if b.rules.House.Burn {
		return b.hand.cards + 2
	}
	return b.hand.cards + 1
}

// mayBe says whether a card can be at a place in the shoe: one that was peeked is where it was seen.
func (b *books) mayBe(c card.Card, place int) bool {
	if !c.Known() || !b.rules.Game.Deck.Has(c) || b.hand.out.Has(c) {
		return false
	}
	k := &b.powers
	return k.at <= b.hand.cards || (c == k.ahead) == (place == k.at)
}

// mayThrow says whether a seat may have a card to throw away; of those that nobody has seen it may be any that is not elsewhere.
func (b *books) mayThrow(seat engine.Seat, c card.Card) bool {
	unseen := b.hand.held[seat] > b.hand.hole[seat].Len()
	switch {
	case !c.Known():
		return c == card.Hidden && unseen
	case b.hand.hole[seat].Has(c):
		return true
	}
	return unseen && b.mayBe(c, 0)
}

// targets are the seats that one may anchor: others that can act, have not in this round, and were not aimed at in it.
func (b *books) targets(seat engine.Seat) (targets engine.Seats) {
	for target := range each(b.hand.left().Without(seat) &^ b.powers.acted &^ b.powers.aimed) {
		if !b.broke(target) {
			targets = targets.With(target)
		}
	}
	return targets
}

// peeked is the next community card as a seat knows it, card.None if it does not.
func (b *books) peeked(seat engine.Seat) card.Card {
	if k := &b.powers; k.peekers.Has(seat) && k.at > b.hand.cards {
		return k.ahead
	}
	return card.None
}

// checkPowers checks sparks, and what a panel says may be used.
func (t *Table) checkPowers() error {
	a, b := t.State.Awaits(), &t.books
	for seat, sparks := range b.powers.sparks {
		if got := t.State.Seats[seat].Sparks; got != sparks {
			return fmt.Errorf("seat %d has %d sparks, the books say %d", seat, got, sparks)
		}
	}
	if a.Kind != engine.AwaitAction {
		return nil
	}
	var may engine.PowerSet
	for power := engine.Peek; power <= engine.Anchor; power++ {
		if b.mayUseSome(a.Seat, power) {
			may = may.With(power)
		}
	}
	var targets engine.Seats
	if may.Has(engine.Anchor) {
		targets = b.targets(a.Seat)
	}
	if a.Legal.Powers != may || a.Legal.Targets != targets {
		return fmt.Errorf("seat %d is offered %v on %v, may use %v on %v", a.Seat, a.Legal.Powers, a.Legal.Targets.List(), may, targets.List())
	}
	return nil
}

// tryPowers tries every power of every seat, each as it may be used and as it may not.
func (t *Table) tryPowers() {
	if t.State.Rules.Powers == nil {
		t.try(false, engine.Input{Kind: engine.PowerUsed, Seat: 1, Power: engine.Peek})
		return
	}
	free := (t.State.Rules.Game.Deck &^ t.State.Out).Cards()
	for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
		use := func(in engine.Input) {
			in.Kind, in.Seat = engine.PowerUsed, seat
			t.try(!t.State.Suspended && t.books.mayUse(&in), in)
		}
		use(engine.Input{Power: engine.Peek, Card: t.books.powers.ahead})
		use(engine.Input{Power: engine.Swap, Card: t.State.Seats[seat].Hole[0]})
		use(engine.Input{Power: engine.Anchor, Target: next(seat)})
		use(engine.Input{Power: engine.Shield})
		if seat == t.State.Turn {
			for target := range each(t.State.Live) {
				use(engine.Input{Power: engine.Anchor, Target: target})
			}
			use(engine.Input{Power: engine.Swap, Card: card.Hidden})
			use(engine.Input{})
		}
		if len(free) > 0 {
			use(engine.Input{Power: engine.Peek, Card: free[0]})
			use(engine.Input{Power: engine.Swap, Card: free[0]})
		}
		t.try(t.books.powers.asked == seat && !t.State.Suspended, engine.Input{Kind: engine.AnchorAccepted, Seat: seat})
	}
}
