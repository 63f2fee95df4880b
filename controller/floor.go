package controller

import (
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
)

// The floor's corrections, asked for at a console. Each wants a reason. Those that move money outside the rules of a hand,
// name a card that no reader saw, give a hand back or take one back are done only when a second person at another console
// confirms.
const (
	// VerbExposed says that the card of a seat at one of its places lay open in the deal.
	VerbExposed Verb = "exposed"
	// VerbBoxed sets the card aside that has just left the shoe: it was boxed, or is not to be dealt for another reason.
	VerbBoxed Verb = "boxed"
	// VerbDealCorrection says that the button, which has not acted, got a card too few: it gets the next one (TDA 37).
	VerbDealCorrection Verb = "deal_correction"
	// VerbDealtEarly says that the community cards on the board came before the betting was over, VerbOverdealt that there is
	// one too many of them: the one that lies at the burns is the next burn.
	VerbDealtEarly Verb = "dealt_early"
	VerbOverdealt  Verb = "overdealt"
	// VerbSkipBurn lets a burn go that was forgotten; VerbReshuffled says that the stub was shuffled.
	VerbSkipBurn   Verb = "skip_burn"
	VerbReshuffled Verb = "reshuffled"
	// VerbRescan has the readers tell anew what lies in a Zone, or in all: no reading is changed by it.
	VerbRescan Verb = "rescan"
	// VerbManualCard enters the card awaited by hand, unknown cards too. It takes two persons.
	VerbManualCard Verb = "manual_card"
	// VerbKillHand declares a hand dead. VerbRetrieve gives one back that was given up or killed by mistake; it takes two
	// persons.
	VerbKillHand Verb = "kill_hand"
	VerbRetrieve Verb = "retrieve"
	// VerbSetButton puts the button before a seat; VerbDrawButton gives the first button to the highest of the cards drawn.
	VerbSetButton  Verb = "set_button"
	VerbDrawButton Verb = "draw_button"
	// VerbCorrectStack changes a stack, VerbReverseAward gives what one seat was paid to another. Both take two persons.
	VerbCorrectStack Verb = "correct_stack"
	VerbReverseAward Verb = "reverse_award"
	// VerbSuspend stops play, VerbResume lets it go on; VerbRule keeps a ruling that moves nothing.
	VerbSuspend Verb = "suspend"
	VerbResume  Verb = "resume"
	VerbRule    Verb = "rule"
	// VerbRewind takes back the last Steps steps of the hand. It takes two persons.
	VerbRewind Verb = "rewind"
)

// CodeSecondPerson is the refusal of a confirmation by who asked for what is to be confirmed.
const CodeSecondPerson = "second_person"

// CodeNothingThere is the refusal of a correction of cards that no reader sees.
const CodeNothingThere = "nothing_there"

// ruling turns a console's request for a correction into what the engine takes; false if it is none. A nil input with no
// error waits for a second person.
func (t *Table) ruling(r *Request) (in *engine.Input, ok bool, err error) {
	in = &engine.Input{Seat: r.Seat, Reason: r.Reason}
	two := ""
	switch r.Verb {
	case VerbExposed:
		in.Kind = engine.Exposed
		var cards engine.Cards
		if cards, err = t.named(r.Seat, r.Cards); err == nil && cards[0] == card.Hidden {
			cards[0] = r.Card
		}
		in.Card = cards[0]
	case VerbBoxed:
		in.Kind, in.Seat, in.Card, in.Boxed = engine.SetAside, 0, card.Hidden, true
		if len(t.tracker.flight) > 0 {
			in.Card = t.tracker.flight[0]
		}
	case VerbDealCorrection:
		in.Kind, in.Card = engine.DealtShort, t.tracker.missing(&t.state, r.Seat)
	case VerbDealtEarly:
		in, err = t.dealtEarly(r.Reason)
	case VerbOverdealt:
		in, err = t.overdealt(r.Card, r.Reason)
	case VerbSkipBurn:
		in.Kind = engine.BurnSkipped
	case VerbReshuffled:
		in.Kind = engine.Reshuffled
	case VerbManualCard:
		in.Kind, in.Seat, in.Card, in.Manual = engine.CardRead, 0, r.Card, true
		two = fmt.Sprintf("enter a card by hand for %v", t.state.Awaits().Zone())
	case VerbKillHand:
		in.Kind = engine.HandKilled
	case VerbRetrieve:
		in.Kind = engine.Retrieved
		two = givesBack(r.Seat)
	case VerbSetButton:
		in.Kind = engine.ButtonSet
	case VerbDrawButton:
		in.Kind, in.Drawn = engine.ButtonDrawn, r.Drawn
	case VerbCorrectStack:
		in.Kind, in.Amount = engine.StackCorrected, r.Amount
		two = fmt.Sprintf("change the stack of seat %d by %d", r.Seat, r.Amount)
	case VerbReverseAward:
		in.Kind, in.Target, in.Amount = engine.AwardReversed, r.To, r.Amount
		two = fmt.Sprintf("give %d that seat %d was paid to seat %d", r.Amount, r.Seat, r.To)
	case VerbSuspend:
		in.Kind = engine.Suspended
	case VerbResume:
		in = &engine.Input{Kind: engine.Resumed}
	case VerbRule:
		in.Kind = engine.Ruled
	case VerbRewind:
		in, err = t.rewinding(r.Steps, r.Reason)
		two = fmt.Sprintf("take back the last %d steps of the hand", r.Steps)
	default:
		return nil, false, nil
	}
	switch {
	case err != nil:
		return in, true, err
	case two != "":
		return nil, true, t.confirm(r, two, in)
	case r.Verb == VerbExposed || r.Verb == VerbBoxed:
		return in, true, t.misdealt(in)
	}
	return in, true, nil
}

// confirm asks for a second person. What the rules refuse anyway is refused at once.
func (t *Table) confirm(r *Request, what string, in *engine.Input) error {
	if _, _, err := engine.Apply(t.state, *in); err != nil {
		return err
	}
	t.raise(raisedRecord{
		By: r.From.String(), ID: r.ID, Key: fmt.Sprintf("confirm %s %s", r.From.Console, r.ID),
		Prompt: Prompt{
			Code:    "confirm",
			Text:    fmt.Sprintf("%s asks to %s: %s. A second person confirms.", r.From.Console, what, r.Reason),
			Choices: []Choice{{"confirm", "Confirm"}, {"refuse", "Refuse"}},
			By:      r.From.Console,
		},
		Acts: map[string]*engine.Input{"confirm": in},
	})
	return nil
}

// givesBack is what a person asks for who would have a hand retrieved.
func givesBack(seat engine.Seat) string { return fmt.Sprintf("give seat %d its hand back", seat) }

// misdealt asks what to do about what the rules call a misdeal, and gives their refusal; nil where they do not.
func (t *Table) misdealt(in *engine.Input) error {
	_, _, err := engine.Apply(t.state, *in)
	code, _ := reasonOf(err)
	if code != string(engine.CodeMisdeal) {
		return nil // what else is wrong with it is told when it is put to the rules
	}
	t.raise(raisedRecord{Key: code, Prompt: Prompt{
		Code: code, Text: "That is a misdeal: cards come back and the same hand is dealt again.",
		Choices: []Choice{voidHand, {"go_on", "The floor lets the hand go on"}},
	}})
	return err
}

// raise keeps a prompt that comes of a person's request until it is answered.
func (t *Table) raise(r raisedRecord) {
	r.At = t.now
	t.tracker.asked(r)
	t.record(kindRaised, r)
}

// asked keeps such a prompt, when it comes up and when it is read back.
func (t *tracker) asked(r raisedRecord) {
	r.Prompt.acts = r.Acts
	t.raise(r.Key, r.Prompt)
}

// rescan has the readers tell anew what lies in a zone, or in all for the zero Zone.
func (t *Table) rescan(z engine.Zone) error {
	switch {
	case t.opt.Rescan == nil || z.Kind != 0 && !t.tracker.watched[z]:
		return refuse(CodeNothingThere, "no reader that could look once more watches that place")
	case !t.opt.Rescan(z):
		return refuse(CodeBusy, "the readers have too much to tell: ask again")
	}
	return nil
}

// dealtEarly are the community cards that came too early, as the readers see them: those on the board that the hand does
// not have, and the one among the burns.
func (t *Table) dealtEarly(reason string) (*engine.Input, error) {
	in := &engine.Input{Kind: engine.DealtEarly, Reason: reason}
	var cards []card.Card
	for _, c := range t.tracker.flight {
		switch z := t.tracker.lies[c]; {
		case z.Kind == engine.ZoneBurn && in.Card == card.None && len(cards) == 0:
			in.Card = c
		case z.Kind == engine.ZoneBoard || !t.tracker.watched[engine.Zone{Kind: engine.ZoneBoard}]:
			cards = append(cards, c)
		}
	}
	if len(cards) == 0 {
		return nil, refuse(CodeNothingThere, "no community card is seen that came too early: lay it on the board")
	}
	in.Cards = engine.CardsOf(cards...)
	return in, nil
}

// overdealt is a street with one community card too many: the burn is the one that lies there, or the one given.
func (t *Table) overdealt(burn card.Card, reason string) (*engine.Input, error) {
	in := &engine.Input{Kind: engine.Overdealt, Card: burn, Reason: reason}
	s, board := &t.state, engine.Zone{Kind: engine.ZoneBoard}
	before := 0
	for _, st := range s.Rules.Game.Streets[:s.Street] {
		before += st.Board
	}
	now := slices.Clone(s.Board[min(before, int(s.BoardLen)):s.BoardLen])
	for _, c := range t.tracker.flight {
		if z := t.tracker.lies[c]; z == board || z.Kind == engine.ZoneBurn {
			now = append(now, c)
		}
	}
	for _, c := range now {
		if in.Card == card.None && t.tracker.lies[c].Kind == engine.ZoneBurn {
			in.Card = c
		}
	}
	stay := slices.DeleteFunc(now, func(c card.Card) bool { return c == in.Card })
	if in.Card == card.None || len(stay) > engine.MaxHole {
		return nil, refuse(CodeNothingThere, "no card of the street is seen among the burns: scramble them face down, and lay the one that the floor picks there")
	}
	in.Cards = engine.CardsOf(stay...)
	return in, nil
}

// rewinding takes the last steps of the hand back.
func (t *Table) rewinding(back int, reason string) (*engine.Input, error) {
	var steps [][]engine.Event
	for _, s := range t.hand {
		if len(s.Events) > 0 {
			steps = append(steps, s.Events)
		}
	}
	if back < 1 || back >= len(steps) {
		return nil, refuse(string(engine.CodeBadAmount), "the hand has %d steps: want 1 to %d to take back", len(steps), len(steps)-1)
	}
	return &engine.Input{Kind: engine.Rewound, Rewind: &engine.Rewind{Keep: len(steps) - back, Steps: steps}, Reason: reason}, nil
}
