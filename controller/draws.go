package controller

import (
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// What the deal tracker knows of draws: cards that go back. A seat's pad has a slot for each card, and a card keeps its
// slot: what is thrown away leaves a gap, which the next card fills. So the dealer is told slots, never cards.

// slots are the cards of one seat by their slots, card.None where a slot is free.
type slots [engine.MaxHole]card.Card

// slot is a place on a seat's pad, numbered from 1.
type slot struct {
	seat   engine.Seat
	number int
}

func (s slot) zone() engine.Zone { return engine.Zone{Kind: engine.ZoneSeat, Seat: s.seat} }

// of is the number of the slot in which a card lies, 0 for none.
func (ss *slots) of(c card.Card) int { return slices.Index(ss[:], c) + 1 }

// happened follows cards through an event that comes after s: to a seat, away from it, back into the shoe.
func (t *tracker) happened(s *engine.State, e *engine.Event) {
	switch e.Kind {
	case engine.HoleDealt:
		ss := &t.slots[e.Seat]
		if free := ss.of(card.None); free > 0 {
			ss[free-1] = e.Card
		}
		delete(t.thrown, e.Card)
	case engine.PlayerActed:
		if e.Action == engine.Fold {
			t.gaveUp(&s.Seats[e.Seat])
		}
	case engine.HandDeclaredDead, engine.HandMucked:
		t.gaveUp(&s.Seats[e.Seat])
	case engine.CardExposed, engine.CardMissed:
		ss := &t.slots[e.Seat]
		if n := ss.of(e.Card); n > 0 {
			ss[n-1] = card.None
		}
	case engine.CardsDiscarded:
		for _, c := range e.Cards.Slice() {
			t.throw(e.Seat, c)
		}
	case engine.PowerPlayed:
		if e.Power == engine.Swap {
			t.throw(e.Seat, e.Card)
		}
	case engine.CardSetAside:
		if a := s.Awaits(); a.Kind == engine.AwaitHole {
			t.thrown[e.Card] = slot{a.Seat, t.slots[a.Seat].of(card.None)}
		}
		if e.Boxed && s.Boxed > 0 {
			t.raise(boxedCards, Prompt{
				Code: boxedCards, Text: fmt.Sprintf("%d cards of the hand lay the wrong way up in the deck. Call the floor.", s.Boxed+1),
				Choices: []Choice{{"go_on", "The floor lets the hand go on"}, voidHand},
			})
		}
	case engine.BoardRetracted, engine.BoardCorrected:
		for _, c := range append(e.Cards.Slice(), e.Card) {
			t.took(c)
			delete(t.raised, "early "+c.String())
		}
	case engine.ShoeReloaded:
		t.mucked &^= s.Discarded
		clear(t.thrown)
	case engine.HandEnded:
		delete(t.raised, string(engine.CodeMisdeal))
		delete(t.raised, boxedCards)
	}
}

// boxedCards is the prompt about several cards that lay the wrong way up in the deck.
const boxedCards = "boxed_cards"

func (t *tracker) throw(seat engine.Seat, c card.Card) {
	ss := &t.slots[seat]
	if n := ss.of(c); n > 0 {
		t.thrown[c], ss[n-1] = slot{seat, n}, card.None
	}
}

// toMuck are the slots whose cards were thrown away and are yet to be seen leaving, in order. Where no antenna watches
// the pads, the muck says that a card has left.
func (t *tracker) toMuck(s *engine.State) (out []slot) {
	for c, from := range t.thrown {
		lies := t.lies[c] == from.zone()
		if !t.watched[from.zone()] {
			lies = t.watched[muck] && !t.mucked.Has(c)
		}
		if lies && s.Phase != engine.Between {
			out = append(out, from)
		}
	}
	slices.SortFunc(out, func(a, b slot) int { return int(a.seat-b.seat)*engine.MaxHole + a.number - b.number })
	return out
}

// handed are the cards that a player at the felt has thrown away by hand: those of his that lie in the muck, or, where no
// antenna watches that, that do not lie before him.
func (t *tracker) handed(s *engine.State, seat engine.Seat) (cards engine.Cards) {
	p, pad := &s.Seats[seat], engine.Zone{Kind: engine.ZoneSeat, Seat: seat}
	n := 0
	for _, c := range p.Hole[:p.HoleLen] {
		if z := t.lies[c]; z == muck || !t.watched[muck] && t.watched[pad] && z != pad {
			cards[n], n = c, n+1
		}
	}
	return cards
}

// strayed finds cards that left a hand in a draw though the player keeps them. At the felt a card may be in the player's
// hand; that it is in the muck after he has said what he draws is wrong.
func (t *tracker) strayed(s *engine.State, found map[string]Prompt) {
	draws := s.Phase == engine.Dealing && s.Rules.Game.Streets[s.Street].Draw > 0
	if !draws && s.Phase != engine.Drawing && s.Phase != engine.Swapping {
		return
	}
	for i := range s.Seats {
		p, seat := &s.Seats[i], engine.Seat(i)
		if !s.Live.Has(seat) || !p.Drew && !t.remote.Has(seat) {
			continue
		}
		for _, c := range p.Hole[:p.HoleLen] {
			z, lies := t.lies[c]
			if z != muck && (lies || !t.remote.Has(seat) || !t.onPad.Has(c)) {
				continue
			}
			n := t.slots[seat].of(c)
			found[fmt.Sprintf("kept_card %d %d", seat, n)] = Prompt{
				Code: "kept_card", Zone: slot{seat, n}.zone().String(), card: c,
				Text:    fmt.Sprintf("A card that seat %d keeps has left it. Put it back into slot %d.", seat, n),
				Choices: []Choice{voidHand},
			}
		}
	}
}

// taken finds cards that were taken up from the muck with the discards, but are not to be shuffled into the shoe.
func (t *tracker) taken(s *engine.State, found map[string]Prompt) {
	n := 0
	for _, c := range (t.mucked &^ s.Discarded).Cards() {
		if t.lies[c] != muck {
			n++
		}
	}
	if n > 0 && awaitsReload(s) {
		found["taken"] = Prompt{
			Code: "taken_from_muck", Zone: muck.String(),
			Text:    fmt.Sprintf("%d cards were taken from the muck that are no discards. Put them back.", n),
			Choices: []Choice{voidHand},
		}
	}
}

func awaitsReload(s *engine.State) bool { return s.Awaits().Kind == engine.AwaitReload }

// unshuffled is the number of discards that are seen to lie somewhere still, instead of in the shoe.
func (t *tracker) unshuffled(s *engine.State) (n int) {
	for _, c := range s.Discarded.Cards() {
		if z, lies := t.lies[c]; lies && !z.InShoe() {
			n++
		}
	}
	return n
}

// reloads reports whether a card at the mouth of the shoe tells that the discards awaited are in it: it is one of them,
// and none lies anywhere else.
func (t *tracker) reloads(s *engine.State, c card.Card) bool {
	return awaitsReload(s) && s.Discarded.Has(c) && len(t.current) == 0 && t.unshuffled(s) == 0
}

var muck = engine.Zone{Kind: engine.ZoneMuck}
