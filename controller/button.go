package controller

import (
	"context"
	"fmt"
	"time"

	"tavolo/engine"
)

// marker is the dealer button on the felt, by the tag in it. It says nothing of the rules' button: that is for a person to say.
type marker struct {
	seat engine.Seat // at which it lies, 0 where nobody knows
	odd  time.Time   // since when that is another than the button's, the zero time while it is not
	back engine.Seat // from which it goes back, as a person has said in this hand
}

// markerLate is for how long the marker may lie at another seat than the button's once a hand has begun: the dealer has two hands.
const markerLate = 2 * time.Second

// buttonAt is the kind of prompt about a marker that lies at another seat, moveBack the choice that it goes to the button's.
const buttonAt, moveBack = "button_at", "move_back"

// MarkerLies is the fact that the marker of the button lies at a seat now, or for 0 at none, or nobody knows at which.
func (t *Table) MarkerLies(ctx context.Context, seat engine.Seat) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.marker.seat = seat }})
}

// astray finds that the marker lies at another seat than the button of the hand (procedures 28). Once there has been substantial
// action that is no longer asked: the button stays where it is for the hand (TDA 34). It gives the time until it is to look
// again, 0 for when something changes.
func (m *marker) astray(s *engine.State, now time.Time, found map[string]Prompt) time.Duration {
	if m.seat == 0 || m.seat == s.Button || m.seat == m.back || !s.Rules.Game.Blinds() || s.Phase == engine.Between || s.SubstantialAction() {
		m.odd = time.Time{}
		return 0
	}
	if m.odd.IsZero() {
		m.odd = now
	}
	if left := markerLate - now.Sub(m.odd); left > 0 {
		return left
	}
	p := Prompt{
		Code: buttonAt, Zone: engine.ZoneOf(m.seat).String(),
		Text: fmt.Sprintf("Button at %d. This hand is played with it at %d.", m.seat, s.Button),
	}
	p.offer(s, deed{string(VerbSetButton), fmt.Sprintf("It is right at %d: bets go back, and blinds are posted from there", m.seat), &engine.Input{
		Kind: engine.ButtonSet, Seat: m.seat, Reason: p.Code,
	}})
	p.Choices = append(p.Choices, Choice{moveBack, fmt.Sprintf("It goes back to %d", s.Button)})
	found[fmt.Sprintf("%s %d", p.Code, m.seat)] = p
	return 0
}
