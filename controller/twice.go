package controller

import (
	"fmt"

	"tavolo/engine"
	"tavolo/engine/card"
)

// twice is a card or a chip that two antennas see for longer than a move takes: their fields overlap, or it lies between them; or a
// card that one sees for so long, but not surely, and second is the zero Zone. Where it lies only a person can say, and nothing is
// taken for where it should lie meanwhile.
type twice struct {
	card          card.Card // none for a chip
	first, second engine.Zone
}

// twoPlaces is the kind of prompt about one, seenBadly that about one that one antenna sees, but not surely.
const twoPlaces, seenBadly = "two_places", "seen_badly"

// atTwo takes note of what two antennas see, or no longer do.
func (t *tracker) atTwo(tag string, c card.Card, first, second engine.Zone) {
	if first.Kind == 0 {
		delete(t.twice, tag)
		return
	}
	t.twice[tag] = twice{c, first, second}
}

// isTwice is whether two antennas see a card.
func (t *tracker) isTwice(c card.Card) bool {
	for _, at := range t.twice {
		if at.card == c {
			return true
		}
	}
	return false
}

// The choices of where it lies, which are those of the zones.
const atFirst, atSecond = "at_first", "at_second"

// idle is whether it is of no matter that a card is not seen surely: no hand is played, or the hand has it and it lies there.
func (at twice) idle(s *engine.State) bool {
	return at.second.Kind == 0 && (s.Phase == engine.Between || homeOf(s, at.card) == at.first)
}

// prompt asks where it lies.
func (at twice) prompt(s *engine.State) Prompt {
	if at.second.Kind == 0 {
		return Prompt{
			Code: seenBadly, Zone: at.first.String(), card: at.card,
			Text:    fmt.Sprintf("A card is seen at %v, but not surely. Lay it flat on its place, away from others, or say that it lies there.", at.first),
			Choices: []Choice{{atFirst, fmt.Sprintf("It lies at %v", at.first)}, voidHand},
		}
	}
	p := Prompt{
		Code: twoPlaces, Zone: at.first.String(), card: at.card,
		Text: fmt.Sprintf("One card is seen at %v and at %v. Lay it where it belongs, away from the other, or say where it lies.", at.first, at.second),
		Choices: []Choice{
			{atFirst, fmt.Sprintf("It lies at %v", at.first)}, {atSecond, fmt.Sprintf("It lies at %v", at.second)},
		},
	}
	if at.card == card.None {
		p.Text = fmt.Sprintf("One chip is seen at %v and at %v. Lay it where it belongs, away from the other, or say where it lies.", at.first, at.second)
	}
	if s.Phase != engine.Between {
		p.Choices = append(p.Choices, voidHand)
	}
	return p
}

// liesAt has the readers take a person's word for where lies what two antennas see.
func (t *Table) liesAt(tag, choice string) error {
	at := t.tracker.twice[tag]
	z := at.first
	if choice == atSecond {
		z = at.second
	}
	switch {
	case t.opt.Lies == nil:
		return refuse(CodeNothingThere, "no reader takes anybody's word for it: lay it away from the other place")
	case !t.opt.Lies(tag, z):
		return refuse(CodeBusy, "the readers have too much to tell: ask again")
	}
	delete(t.tracker.twice, tag)
	return nil
}
