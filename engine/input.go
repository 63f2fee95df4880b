package engine

import (
	"fmt"

	"tavolo/engine/card"
)

// Input is one fact or request in the words of the rules: the only thing the engine takes. Kind says which of the other
// fields have a meaning; the rest are zero.
type Input struct {
	Kind InputKind `json:"kind"`
	Seat Seat      `json:"seat,omitempty"`
	// Card is what CardRead or SetAside saw, card.Hidden when the face is not known; what was Exposed, or found missing by a
	// DealtShort; and the burn that a DealtEarly or Overdealt names.
	Card card.Card `json:"card,omitzero"`
	// Cards are the faces that a Shown names, where the engine does not know them, and the community cards of a DealtEarly or
	// Overdealt.
	Cards  Cards  `json:"cards,omitzero"`
	Action Action `json:"action,omitzero"`
	// Amount is the seat's whole bet of the round for a Bet or Raise, the chips brought for SeatTaken and ChipsAdded,
	// and the ante of a Staked.
	Amount Chips `json:"amount,omitempty"`
	// Bonus is the bonus bet of a Staked, whose ante is Amount.
	Bonus Chips `json:"bonus,omitempty"`
	// Forced replaces the forced bets of the rules in a HandStarted, for a recorded hand; nil elsewhere.
	Forced *Forced `json:"forced,omitempty"`
	// Power is what a PowerUsed uses; an Anchor on Target, which is also where a SeatMoved leads to and who gets the chips of an
	// AwardReversed. Card is then the next community card of a Peek, as a shoe that
	// reads ahead tells it, and the card that a Swap throws away, card.Hidden where the engine does not know it.
	Power  Power `json:"power,omitzero"`
	Target Seat  `json:"target,omitempty"`
	// Carousel are the powers of the hand in a HandStarted at a table that plays with powers.
	Carousel PowerSet `json:"carousel,omitzero"`
	// Manual is set for a CardRead that a person entered, for a reason, since no reader could.
	Manual bool `json:"manual,omitempty"`
	// Boxed is set for a SetAside of a card that lay the wrong way up in the deck.
	Boxed bool `json:"boxed,omitempty"`
	// Drawn are the cards of a ButtonDrawn by seat, nil elsewhere.
	Drawn *[MaxSeats + 1]card.Card `json:"drawn,omitempty"`
	// Rewind is how far a Rewound goes back, nil elsewhere.
	Rewind *Rewind `json:"rewind,omitempty"`
	// Reason is a person's words for a ruling of the floor, or for a card entered by hand.
	Reason string `json:"reason,omitempty"`
}

// InputKind names what the table did.
type InputKind uint8

const (
	// SeatTaken: a player sits down at Seat with Amount chips.
	SeatTaken InputKind = iota + 1
	// ChipsAdded: Amount chips are added to Seat's stack, between hands.
	ChipsAdded
	// SatOut: Seat is not dealt in from the next hand on.
	SatOut
	// SatIn: Seat is dealt in again from the next hand on.
	SatIn
	// BlindAwaited: Seat is dealt in again when the big blind comes round to it, and so posts nothing else.
	BlindAwaited
	// SeatLeft: Seat leaves the table with its stack, between hands.
	SeatLeft
	// ButtonSet: the floor puts the button before Seat, between hands or before there has been substantial action in one;
	// positions start afresh from it, and the posts of the hand are made again.
	ButtonSet
	// HandStarted: the dealer begins the next hand.
	HandStarted
	// CardRead: the card the engine awaits has come.
	CardRead
	// Acted: Seat takes Action, with Amount for a Bet or Raise.
	Acted
	// ClockRanOut: Seat did not act, show, or answer in time.
	ClockRanOut
	// Disconnected: Seat, whose turn it is, cannot act, and the house covers it: it counts as all-in for what it has put in.
	// Whether a seat has uses left is for the caller to know.
	Disconnected
	// Discarded: Seat throws Cards away to get as many others; none of them is standing pat. A card that the engine does
	// not know is card.Hidden.
	Discarded
	// Reloaded: the discards were shuffled into the shoe.
	Reloaded
	// Shown: Seat turns its hand face up, with Cards where they were not known.
	Shown
	// Mucked: Seat gives its hand up unseen at the showdown.
	Mucked
	// HandKilled: the floor declares Seat's hand dead, for a wrong number of cards, say; the hand goes on without it.
	HandKilled
	// SetAside: the card that came out of the shoe is not to be dealt, being boxed or exposed; the next one is. The floor
	// says why.
	SetAside
	// StackCorrected: the floor corrects Seat's stack by Amount, which may be below zero, between hands.
	StackCorrected
	// Ruled: the floor made a ruling that moves nothing.
	Ruled
	// HandVoided: the floor calls the hand off; every chip goes back to who put it in.
	HandVoided
	// PowerUsed: Seat uses Power.
	PowerUsed
	// AnchorAccepted: Seat lets an anchor on it hold, without a shield.
	AnchorAccepted
	// Staked: Seat puts Amount down as its ante and Bonus as its bonus bet for the next hand against the house, in place of
	// what it put down before; nothing of both takes that back.
	Staked
	// SeatMoved: the player at Seat moves to Target, between hands.
	SeatMoved
	// ButtonDrawn: every seat taken was dealt one of the cards Drawn for the first button, between hands; the highest has it.
	ButtonDrawn
	// Exposed: Card, dealt face down to Seat, lay open in the deal.
	Exposed
	// DealtEarly: community cards, Cards, came before the betting was over, and before them the burn Card; card.None if there
	// was none.
	DealtEarly
	// Overdealt: the street got a community card too many. Card, which the floor picked, is the next burn, Cards stay.
	Overdealt
	// DealtShort: Seat, which has the button and has not acted, lacks Card, which was taken for its, or any card that is not
	// known for card.Hidden.
	DealtShort
	// BurnSkipped: the floor lets a street go without the burn that was forgotten.
	BurnSkipped
	// Reshuffled: what is left in the shoe was shuffled: because the table awaits it, or because the floor says so.
	Reshuffled
	// Retrieved: the floor gives Seat back a hand that it gave up, or that was declared dead, by mistake.
	Retrieved
	// AwardReversed: Amount that Seat was paid is Target's, before the next hand begins.
	AwardReversed
	// Suspended: the floor stops play; only rulings, and what concerns no hand in play, are taken until it is Resumed.
	Suspended
	// Resumed: play goes on.
	Resumed
	// Rewound: the floor takes the hand back to an earlier step, as Rewind says.
	Rewound
)

var inputNames = names[InputKind]{
	"", "seat_taken", "chips_added", "sat_out", "sat_in", "blind_awaited", "seat_left", "button_set", "hand_started", "card_read", "acted",
	"clock_ran_out", "disconnected", "discarded", "reloaded", "shown", "mucked", "hand_killed", "set_aside", "stack_corrected",
	"ruled", "hand_voided", "power_used", "anchor_accepted", "staked", "seat_moved", "button_drawn", "exposed", "dealt_early",
	"overdealt", "dealt_short", "burn_skipped", "reshuffled", "retrieved", "award_reversed", "suspended", "resumed", "rewound",
}

// String is the kind's name in the journal.
func (k InputKind) String() string { return inputNames.text(k) }

// MarshalText writes the kind's name.
func (k InputKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *InputKind) UnmarshalText(b []byte) (err error) {
	*k, err = inputNames.parse("input", b)
	return err
}

// Action is what a seat does in its turn.
type Action uint8

const (
	// Fold gives up the hand.
	Fold Action = iota + 1
	// Check passes without a bet to meet.
	Check
	// Call meets the bet, with the whole stack if that is less.
	Call
	// Bet opens the betting of a round to an amount.
	Bet
	// Raise lifts the bet to an amount.
	Raise
	// AllIn puts in the whole stack: a call, a bet or a raise, whichever that makes.
	AllIn
	// BringIn puts in the bring-in, which the first to act must do at least.
	BringIn
	// Split offers to divide the pots equally, or takes that offer.
	Split
)

var actionNames = names[Action]{"", "fold", "check", "call", "bet", "raise", "all-in", "bring-in", "split"}

// String is the action's name on panels and over MQTT.
func (a Action) String() string { return actionNames.text(a) }

// MarshalText writes the action's name.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Action) UnmarshalText(b []byte) (err error) {
	*a, err = actionNames.parse("action", b)
	return err
}

// Forced are the forced bets of a recorded hand, by seat, in place of those of the rules.
type Forced struct {
	// Button is the seat of the button.
	Button Seat `json:"button"`
	// Antes are paid first. DeadAntes puts them in the pot as nobody's bet; otherwise a seat can win no more of each
	// other's ante than it paid itself.
	Antes     [MaxSeats + 1]Chips `json:"antes"`
	DeadAntes bool                `json:"dead_antes,omitempty"`
	// Blinds are blinds and straddles; the first to act sits left of the largest. A negative amount is a live post, which
	// counts as the seat's bet and does not move who acts first.
	Blinds [MaxSeats + 1]Chips `json:"blinds"`
	// Rake is what the house took in all.
	Rake Chips `json:"rake,omitempty"`
}

// names are the texts of a small enumeration, its zero value first.
type names[T ~uint8] []string

func (ns names[T]) text(v T) string {
	if int(v) < len(ns) {
		return ns[v]
	}
	return fmt.Sprintf("%T(%d)", v, uint8(v))
}

func (ns names[T]) parse(what string, b []byte) (T, error) {
	for i, n := range ns {
		if n != "" && n == string(b) {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q", what, b)
}
