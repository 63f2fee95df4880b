package controller

import (
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// Prompt asks the dealer to put something right at the table, or to choose. Until it is gone no card is taken.
type Prompt struct {
	// ID is the prompt's number, for the answer.
	ID int `json:"id"`
	// Code names the kind: foreign_card, duplicate_card, wrong_place, not_from_shoe, early_card.
	Code string `json:"code"`
	// Zone is where the trouble is.
	Zone string `json:"zone,omitempty"`
	// Text is what the dealer reads. It names no card.
	Text    string   `json:"text"`
	Choices []Choice `json:"choices"`

	key  string
	card card.Card
	acts map[string]*engine.Input // what choices put to the rules
}

// Choice is one answer to a Prompt.
type Choice struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

var voidHand = Choice{"void", "Void the hand: every bet goes back"}

func (p Prompt) equal(o Prompt) bool {
	return p.ID == o.ID && p.Code == o.Code && p.Text == o.Text && slices.Equal(p.Choices, o.Choices)
}

// Instruction is what the dealer does next.
type Instruction struct {
	// Kind is start, burn, hole, board, wait, reveal, push, collect or settle.
	Kind string      `json:"kind"`
	Seat engine.Seat `json:"seat,omitempty"`
	// Number and Of count the card to be dealt.
	Number int8 `json:"number,omitempty"`
	Of     int8 `json:"of,omitempty"`
	// Card is the number of the card to be dealt among all of the hand, from 1.
	Card int    `json:"card,omitempty"`
	Text string `json:"text"`
}

// instruction says what the dealer does next.
func (t *Table) instruction() Instruction {
	s := &t.state
	a := s.Awaits()
	in := Instruction{Kind: a.Kind.String(), Seat: a.Seat, Number: a.Number, Of: a.Of}
	if a.Zone().Kind != 0 {
		in.Card = dealtSoFar(s) + 1
	}
	switch {
	case len(t.tracker.current) > 0:
		return Instruction{Kind: "settle", Text: t.tracker.current[0].Text}
	case len(t.holds) > 0:
		return Instruction{Kind: "wait", Text: "Wait: " + t.holdReasons()[0]}
	case a.Kind == engine.AwaitBurn:
		in.Text = "Burn a card"
	case a.Kind == engine.AwaitHole:
		in.Text = fmt.Sprintf("Deal card %d of %d to seat %d", a.Number, a.Of, a.Seat)
		if a.Up {
			in.Text += ", face up"
		}
	case a.Kind == engine.AwaitBoard:
		in.Text = fmt.Sprintf("Deal card %d of %d of the %s", a.Number, a.Of, s.Rules.Game.Streets[s.Street].Name)
	case a.Kind == engine.AwaitAction:
		in.Kind, in.Text = "wait", fmt.Sprintf("Seat %d is to act", a.Seat)
	case a.Kind == engine.AwaitReveal && a.MayMuck:
		in.Text = fmt.Sprintf("Seat %d shows or mucks", a.Seat)
	case a.Kind == engine.AwaitReveal:
		in.Text = fmt.Sprintf("Seat %d shows", a.Seat)
	case t.tracker.uncollected(s) != "":
		in.Kind, in.Text = "collect", t.tracker.uncollected(s)
	default:
		in.Kind, in.Text = "start", "Shuffle, load the shoe, start the next hand"
	}
	if s.Phase == engine.Between && len(t.tracker.current)+len(t.holds) == 0 {
		switch due, seen := t.till.due(s); {
		case due == "":
		case seen:
			in.Kind, in.Text = "push", "Move chips: "+due
		default: // nobody can tell when it is done
			in.Text = "Move chips: " + due + ". " + in.Text
		}
	}
	return in
}

// dealtSoFar counts the cards that the hand has taken.
func dealtSoFar(s *engine.State) int {
	n := int(s.BoardLen)
	for i := range s.Seats {
		n += int(s.Seats[i].HoleLen)
	}
	for i, street := range s.Rules.Game.Streets[:s.Street+1] {
		if street.Burn && s.Rules.House.Burn && (i < int(s.Street) || s.Burnt) {
			n++
		}
	}
	return n
}
