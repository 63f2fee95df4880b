package controller

import (
	"fmt"
	"time"

	"tavolo/engine"
)

// What the deal tracker knows of hands in play while there is betting, when no card is due at a seat: cards that leave it,
// and cards that come back.

// handAway is how long all cards of a player at the felt may be off the pad before the dealer is asked whether that is a fold:
// people lift them to look.
const handAway = 10 * time.Second

// lifted finds hands in play whose cards are not before their seat (procedures 19). At the felt that may be a fold, or a
// player who holds them; cards of a player elsewhere have to be put back. It gives the time until it is to look again, 0 for
// when something changes.
func (t *tracker) lifted(s *engine.State, now time.Time, found map[string]Prompt) (again time.Duration) {
	for i := range t.liftedAt {
		seat := engine.Seat(i)
		thrown, away := t.offPad(s, seat)
		if s.Phase != engine.Betting || !s.Live.Has(seat) || !thrown && !away {
			t.liftedAt[i] = time.Time{}
			continue
		}
		if t.liftedAt[i].IsZero() {
			t.liftedAt[i] = now
		}
		p, patience := Prompt{Code: "folded", Zone: engine.ZoneOf(seat).String()}, handAway
		switch {
		case t.remote.Has(seat):
			p.Code, patience = "card_gone", cardLate
			p.Text = fmt.Sprintf("A card of seat %d is not before it. Put it back.", seat)
			p.offer(s, deed{string(VerbDealCorrection), "The button never got it: it gets the next card", &engine.Input{
				Kind: engine.DealtShort, Seat: seat, Card: t.missing(s, seat), Reason: p.Code,
			}})
			p.offer(s, deed{string(VerbKillHand), fmt.Sprintf("The hand of seat %d is dead", seat), &engine.Input{
				Kind: engine.HandKilled, Seat: seat, Reason: p.Code,
			}})
			p.Choices = append(p.Choices, voidHand)
		case thrown:
			p.Text = fmt.Sprintf("Cards of seat %d lie in the muck. Did it fold?", seat)
			p.offer(s, fold(s, seat))
			p.Choices = append(p.Choices, voidHand)
		default:
			p.Text = fmt.Sprintf("The cards of seat %d are not before it. Did it fold?", seat)
			p.offer(s, fold(s, seat))
			p.Choices = append(p.Choices, Choice{"holds", "The player holds them: go on"})
		}
		p.key = fmt.Sprintf("%s %d", p.Code, seat)
		if thrown {
			patience = 0
		}
		switch left := patience - now.Sub(t.liftedAt[i]); {
		case t.held.Has(seat) && !thrown: // as a person has said
		case left <= 0:
			found[p.key] = p
		case again == 0 || left < again:
			again = left
		}
	}
	return again
}

// offPad reports whether cards of a seat lie in the muck, and whether they are seen nowhere: one of them is enough where
// nobody but the dealer touches them, at the felt it takes all.
func (t *tracker) offPad(s *engine.State, seat engine.Seat) (thrown, away bool) {
	p, pad := &s.Seats[seat], engine.ZoneOf(seat)
	gone := 0
	for _, c := range p.Hole[:p.HoleLen] {
		z, lies := t.lies[c]
		thrown = thrown || z == muck
		if !lies && t.watched[pad] && t.onPad.Has(c) {
			gone++
		}
	}
	return thrown, gone > 0 && (gone == int(p.HoleLen) || t.remote.Has(seat))
}

// fold is that a seat gave its hand up: in its turn it folds, and out of turn its hand is dead all the same.
func fold(s *engine.State, seat engine.Seat) deed {
	in := &engine.Input{Kind: engine.Acted, Seat: seat, Action: engine.Fold}
	if s.Turn != seat {
		in = &engine.Input{Kind: engine.HandKilled, Seat: seat, Reason: "folded out of turn"}
	}
	return deed{string(VerbFold), fmt.Sprintf("Seat %d folds", seat), in}
}

// returned finds hands that were given up, and are before their seat again though they were in the muck, or where no antenna
// watches that, away for long (procedures 20). Only the floor gives one back.
func (t *tracker) returned(s *engine.State, found map[string]Prompt) {
	if s.Phase != engine.Betting && s.Phase != engine.Showing {
		return
	}
	for i := range s.Seats {
		p, seat := &s.Seats[i], engine.Seat(i)
		if !p.Dealt || s.Live.Has(seat) && !p.Mucked {
			continue
		}
		for _, c := range p.Hole[:p.HoleLen] {
			_, left := t.departed[c]
			if t.lies[c] != engine.ZoneOf(seat) || !t.mucked.Has(c) && (!left || t.watched[muck]) {
				continue
			}
			back := Prompt{
				Code: "returned", Zone: engine.ZoneOf(seat).String(), card: c,
				Text: fmt.Sprintf("Cards of seat %d, which is out of the hand, lie before it again. Call the floor, or take them away.", seat),
			}
			back.offer(s, deed{string(VerbRetrieve), fmt.Sprintf("The floor gives seat %d its hand back", seat), &engine.Input{
				Kind: engine.Retrieved, Seat: seat, Reason: back.Code,
			}})
			back.Choices = append(back.Choices, voidHand)
			found[fmt.Sprintf("%s %d", back.Code, seat)] = back
			break
		}
	}
}

// gaveUp is told that a seat is out of the hand: from then on its cards leave.
func (t *tracker) gaveUp(p *engine.Place) {
	for _, c := range p.Hole[:p.HoleLen] {
		delete(t.departed, c)
	}
}
