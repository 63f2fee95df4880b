package controller

import (
	"context"
	"fmt"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// What the table hears of a shoe beside the cards that leave it.

// shoeTrouble is what was noticed at the shoe that a person has to look into. It is the code of the Prompt.
type shoeTrouble string

const (
	// unreadCard: a card left the shoe whose tag its reader did not see.
	unreadCard shoeTrouble = "unread_card"
	// twoCards: the two cards that leave next leave together, and which of them is the first is not certain.
	twoCards shoeTrouble = "two_cards"
	// notNext: the card that leaves next is not the one that was seen to wait in front.
	notNext shoeTrouble = "not_next"
	// shoeOpened: the lid of the shoe was opened.
	shoeOpened shoeTrouble = "shoe_opened"
)

// UnreadLeft is the fact that a card passed the mouth of the shoe whose tag was not read.
func (t *Table) UnreadLeft(ctx context.Context) { t.trouble(ctx, unreadCard) }

// TwoLeft is the fact that two cards leave the shoe together. It comes before these are told by CardLeft, for none of them
// may be taken before a person has said which is the next.
func (t *Table) TwoLeft(ctx context.Context) { t.trouble(ctx, twoCards) }

// NotNextLeft is the fact that the card which leaves the shoe is not the one that was seen to wait in front. It comes before
// that card is told by CardLeft.
func (t *Table) NotNextLeft(ctx context.Context) { t.trouble(ctx, notNext) }

// ShoeOpened is the fact that the lid of the shoe was opened. Where that is not to load it, somebody says what was done.
func (t *Table) ShoeOpened(ctx context.Context) { t.trouble(ctx, shoeOpened) }

func (t *Table) trouble(ctx context.Context, what shoeTrouble) {
	t.post(ctx, message{fact: func(t *Table) {
		t.record(kindShoe, shoeRecord{Trouble: what})
		t.tracker.troubled(&t.state, what)
	}})
}

// ShoeEmpty is the fact that no card is in the shoe, or that one is. Until it is told, one is.
func (t *Table) ShoeEmpty(ctx context.Context, empty bool) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.empty = empty }})
}

// Wait is the fact that something at the table has to be put right before it goes on, why, or with no reason that it is
// right. While it is not, the clock stands and no card is taken. A restart forgets it: whoever waits says so again, and is
// among Options.Devices until then. The name is none of these.
func (t *Table) Wait(ctx context.Context, name, why string) {
	t.post(ctx, message{fact: func(t *Table) {
		if why == "" {
			delete(t.holds, name)
		} else {
			t.holds[name] = name + ": " + why
		}
	}})
}

// troubled asks the dealer about trouble at the shoe. Between hands there is none: every hand begins with a whole deck.
func (t *tracker) troubled(s *engine.State, what shoeTrouble) {
	p := Prompt{Code: string(what), Zone: "shoe"}
	switch a := s.Awaits(); {
	case s.Phase == engine.Between:
		return
	case what == unreadCard:
		p.Text = "A card came out of the shoe that its reader did not see. Stop."
		p.offer(s, deed{"set_aside", "It was set aside: deal on", &engine.Input{Kind: engine.SetAside, Card: card.Hidden, Reason: p.Code}})
		p.Choices = append(p.Choices, Choice{"dismiss", "It lies at its place, or there was none: go on"})
	case what != shoeOpened && s.Phase != engine.Dealing && s.Phase != engine.Swapping:
		return // each is asked about as a card that is not due
	case what == notNext:
		p.Text = "The card that came out of the shoe is not the one that was seen to be the next. Stop."
		p.Choices = []Choice{{"dismiss", "It was the next: deal on"}, {"take_back", "It went back: it is dealt again"}}
	case what == twoCards:
		p.Text = "Two cards came out of the shoe together. Which was the first?"
		p.Choices = []Choice{{"take_back", "The second went back: it is dealt again"}, {"keep", "They are in order: the second stays the next card"}}
	case a.Kind == engine.AwaitReload || a.Kind == engine.AwaitShuffle:
		return // which it is opened for
	default:
		p.Text = "The shoe was opened in a hand. Call the floor."
		p.Choices = []Choice{{"dismiss", "Its cards are as they were: deal on"}}
		p.offer(s, deed{"reshuffled", "What was left in it was shuffled: deal on", &engine.Input{Kind: engine.Reshuffled, Reason: p.Code}})
	}
	p.Choices = append(p.Choices, voidHand)
	t.raise(p.Code, p)
}

// loaded is the time that a shoe has to be seen with cards in it, when one is due: an antenna looks at several places.
const loaded = 2 * time.Second

// exhausted finds that a card is due and the shoe is empty, though by the rules it is not. It gives the time until it is to
// look again, 0 for when something changes.
func (t *tracker) exhausted(s *engine.State, now time.Time, found map[string]Prompt) time.Duration {
	if !t.empty || len(t.flight) > 0 || s.Awaits().Zone().Kind == 0 {
		t.drained = time.Time{}
		return 0
	}
	if t.drained.IsZero() {
		t.drained = now
	}
	if left := loaded - now.Sub(t.drained); left > 0 {
		return left
	}
	found["empty"] = Prompt{
		Code: "shoe_empty", Zone: "shoe",
		Text:    fmt.Sprintf("The shoe is empty, and %d cards should be in it. Look for them.", s.Rules.Game.Deck.Len()-int(s.Gone)),
		Choices: []Choice{voidHand},
	}
	return 0
}
