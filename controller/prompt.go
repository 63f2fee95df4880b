package controller

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
)

// Prompt asks the dealer to put something right at the table, or to choose. Until it is gone no card is taken.
type Prompt struct {
	// ID is the prompt's number, for the answer.
	ID int `json:"id"`
	// Code names the kind. Of cards: foreign_card, duplicate_card, wrong_place, not_from_shoe, early_card, unseen, wrong_order,
	// kept_card, taken_from_muck, folded, card_gone, returned, misdeal, boxed_cards, two_places (a chip too), seen_badly, or, for one that the rules refuse, the rule's code. Of the shoe:
	// unread_card, two_cards, not_next, shoe_opened, shoe_empty, other_deck. Of the dealer button: button_at. Of chips: chips_short, give_back, not_collected, out_of_turn, action_changed, two_motions,
	// undercall, short_raise, over_call, over_chip, over_limit, unannounced, in_pot, change, pot_differs, chips_unsure,
	// chips_astray, confirm_bet, chips_differ. confirm is a request that waits for a second person.
	Code string `json:"code"`
	// Zone is where the trouble is.
	Zone string `json:"zone,omitempty"`
	// Text is what the dealer reads. It names no card.
	Text    string   `json:"text"`
	Choices []Choice `json:"choices"` // the answers there are
	// By is the console that asked for what a second person is to confirm, which may not do so itself.
	By string `json:"by,omitempty"`

	key   string
	card  card.Card
	acts  map[string]*engine.Input // what choices put to the rules
	finds map[string]engine.Chips  // what lies in the zone, by choices that say so
}

// Choice is one answer to a Prompt.
type Choice struct {
	ID   string `json:"id"`   // what the answer says
	Text string `json:"text"` // what the dealer reads
}

var voidHand = Choice{"void", "Void the hand: every bet goes back"}

func (p Prompt) equal(o Prompt) bool {
	return p.ID == o.ID && p.Code == o.Code && p.Text == o.Text && slices.Equal(p.Choices, o.Choices)
}

// Instruction is what the dealer does next.
type Instruction struct {
	// Kind is start, burn, hole, board, discard, reload, shuffle, wait, reveal, count, push, collect or settle.
	Kind string      `json:"kind"`
	Seat engine.Seat `json:"seat,omitempty"` // that it is about
	// Slots are those of the seat's pad whose cards go to the muck, or the one that the next card of a draw goes into. They
	// are numbered from 1, in the order of the deal.
	Slots Places `json:"slots,omitzero"`
	// Number and Of count the card to be dealt.
	Number int8 `json:"number,omitempty"`
	Of     int8 `json:"of,omitempty"`
	// Card is the number of the card to be dealt among all of the hand, from 1.
	Card int    `json:"card,omitempty"`
	Text string `json:"text"` // what the dealer reads
}

// instruction says what the dealer does next.
func (t *Table) instruction() Instruction {
	s := &t.state
	a := s.Awaits()
	in := Instruction{Kind: a.Kind.String(), Seat: a.Seat, Number: a.Number, Of: a.Of}
	if a.Zone().Kind != 0 {
		in.Card = t.dealt + 1
	}
	thrown := t.tracker.toMuck(s)
	switch {
	case len(t.tracker.current) > 0:
		return Instruction{Kind: "settle", Text: t.tracker.current[0].Text}
	case len(t.holds) > 0:
		return Instruction{Kind: "wait", Text: "Wait: " + t.holdReasons()[0]}
	case len(thrown) > 0:
		return toMuck(thrown)
	case a.Kind == engine.AwaitReload:
		in.Text = fmt.Sprintf("Shuffle the %d discards, no folded hands, and load them into the shoe", s.Discarded.Len())
		if n := t.tracker.unshuffled(s); n > 0 {
			in.Text += fmt.Sprintf(": %d still lie on the felt", n)
		}
	case a.Kind == engine.AwaitResume:
		in.Kind, in.Text = "wait", "Play is suspended: wait for the floor"
	case a.Kind == engine.AwaitShuffle:
		in.Text = "Shuffle the stub with the community cards that came too early, cut, and load the shoe"
	case a.Kind == engine.AwaitBurn:
		in.Text = "Burn a card"
	case a.Kind == engine.AwaitHole:
		in.Text = fmt.Sprintf("Deal card %d of %d to %s", a.Number, a.Of, holder(a.Seat))
		if free := t.tracker.slots[a.Seat].of(card.None); s.Rules.Game.Streets[s.Street].Draw > 0 || s.Phase == engine.Swapping {
			in.Slots = PlacesOf(free)
			in.Text = fmt.Sprintf("Deal a card to seat %d, slot %d", a.Seat, free)
		}
		if a.Up {
			in.Text += ", face up"
		}
	case a.Kind == engine.AwaitBoard && s.Shared:
		in.Text = "Deal one card face up in the middle: it is everybody's, and there is no more betting"
	case a.Kind == engine.AwaitBoard:
		in.Text = fmt.Sprintf("Deal card %d of %d of the %s", a.Number, a.Of, s.Rules.Game.Streets[s.Street].Name)
	case a.Kind == engine.AwaitAction:
		in.Kind, in.Text = "wait", fmt.Sprintf("Seat %d is to act", a.Seat)
		switch l := a.Legal; {
		case l.BringIn > 0:
			in.Text = fmt.Sprintf("Seat %d brings in with %d at least", a.Seat, l.BringIn)
		case l.Split && s.Split != 0:
			in.Text += ": split the pot, or play on"
		case l.TwoSizes:
			in.Text += fmt.Sprintf(": to %d or to %d", l.MinTo, l.MaxTo)
		}
	case a.Kind == engine.AwaitDiscard:
		in.Kind, in.Text = "wait", fmt.Sprintf("Seat %d is to draw", a.Seat)
	case a.Kind == engine.AwaitShield:
		in.Kind, in.Text = "wait", fmt.Sprintf("Seat %d may answer the anchor of seat %d", a.Seat, s.Turn)
	case a.Kind == engine.AwaitReveal && a.MayMuck:
		in.Text = fmt.Sprintf("Seat %d shows or mucks", a.Seat)
	case a.Kind == engine.AwaitReveal && a.Seat == 0:
		in.Text = "Turn the house's hand"
	case a.Kind == engine.AwaitReveal:
		in.Text = fmt.Sprintf("Seat %d shows", a.Seat)
	case t.tracker.uncollected(s) != "":
		in.Kind, in.Text = "collect", t.tracker.uncollected(s)
	case t.stakes() && !anyStake(s):
		in.Kind, in.Text = "wait", "Bets are open: no box has one yet"
	case t.stakes():
		in.Kind, in.Text = "start", "Shuffle, load the shoe, close the bets and start the next hand"
	default:
		in.Kind, in.Text = "start", "Shuffle, load the shoe, start the next hand"
	}
	if worn := t.tracker.decks.worn(); in.Kind == "start" && worn != "" {
		in.Text = worn + ". " + in.Text
	}
	if s.Phase == engine.Between && len(t.tracker.current)+len(t.holds) == 0 {
		doubt := t.till.doubt(s)
		switch due, seen := t.till.due(s); {
		case doubt != "":
			in.Kind, in.Text = "count", capital(doubt)
		case due == "":
		case seen:
			in.Kind, in.Text = "push", "Move chips: "+due
		default: // nobody can tell when it is done
			in.Text = "Move chips: " + due + ". " + in.Text
		}
	}
	return in
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// holder is whose hand it is, in words.
func holder(seat engine.Seat) string {
	if seat == 0 {
		return "the house"
	}
	return fmt.Sprintf("seat %d", seat)
}

// anyStake reports whether a box has a stake for the next hand.
func anyStake(s *engine.State) bool {
	return slices.ContainsFunc(s.Seats[:], func(p engine.Place) bool { return p.Ante > 0 })
}

// toMuck tells the dealer the slots of the first seat whose discards are to go.
func toMuck(thrown []slot) Instruction {
	in := Instruction{Kind: "discard", Seat: thrown[0].seat}
	var numbers []string
	for _, at := range thrown {
		if at.seat == in.Seat {
			in.Slots |= PlacesOf(at.number)
			numbers = append(numbers, strconv.Itoa(at.number))
		}
	}
	n := len(numbers) - 1
	list := numbers[n]
	if n > 0 {
		list = strings.Join(numbers[:n], ", ") + " and " + list
	}
	in.Text = fmt.Sprintf("Seat %d: slots %s to the muck", in.Seat, list)
	if n == 0 {
		in.Text = fmt.Sprintf("Seat %d: slot %s to the muck", in.Seat, list)
	}
	return in
}
