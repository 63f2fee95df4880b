package engine

import "tavolo/engine/card"

// Event is one thing that followed, by the rules, from an Input: the only thing the engine gives. Kind says which of the
// other fields have a meaning; the rest are zero. Events carry every face the engine knows: Redact before showing one.
type Event struct {
	Kind EventKind `json:"event"`
	// Seat is whom the event is about; 0 is the house for a HoleDealt and a HandShown.
	Seat Seat `json:"seat,omitempty"`
	// Card is the card dealt, burnt, set aside, exposed, missed or drawn, seen by a Peek or thrown away in a Swap.
	Card card.Card `json:"card,omitzero"`
	// Up is set for a card dealt face up.
	Up bool `json:"up,omitempty"`
	// Cards are the hand of a HandShown, the cards of a CardsDiscarded, the community cards of a BoardRetracted or
	// BoardCorrected, and those that make what a seat that has shown its hand won a PotAwarded with, in the order one lays
	// them out.
	Cards Cards `json:"cards,omitzero"`
	// Action is what a seat did, in the words of the rules: an all-in is the Call, Bet or Raise it made.
	Action Action `json:"action,omitzero"`
	// Amount is the chips that moved; for a HandBegan the rake of a recorded hand, to be taken at its end.
	Amount Chips `json:"amount,omitempty"`
	// Bonus is the bonus bet of a StakePlaced, and what the house hands back for it in a BoxSettled.
	Bonus Chips `json:"bonus,omitempty"`
	// To is the seat's whole bet of the round after a PlayerActed, and the full size owed of a BlindPosted.
	To Chips `json:"to,omitempty"`
	// AllIn is set when the chips that moved were the seat's last.
	AllIn bool `json:"all_in,omitempty"`
	// Auto is set when a seat's time ran out and the house acted for it.
	Auto bool `json:"auto,omitempty"`
	// Dead is set for a post that is nobody's bet.
	Dead bool `json:"dead,omitempty"`
	// Live is set for a BlindPosted by a seat that comes in, which does not move who acts first, and for a PlayerSat or
	// PlayerMoved that is to make one.
	Live bool `json:"live,omitempty"`
	// Pot is the number of a pot, 0 for the main pot; Low is set for the share of a PotAwarded that the best low hand wins.
	Pot int8 `json:"pot,omitempty"`
	Low bool `json:"low,omitempty"`
	// Street is the number of the street that opens, 0 for the first, or that is dealt from the stub once the cards of a
	// BoardRetracted are shuffled into it; Shared is set if its card is to lie in the middle.
	Street int8 `json:"street,omitempty"`
	Shared bool `json:"shared,omitempty"`
	// Hand is the number of a hand that starts.
	Hand uint64 `json:"hand,omitempty"`
	// Dealt are the seats a hand starts with, Button, SmallBlind and BigBlind its positions; SmallBlind is a position even
	// where nobody sits to post it.
	Dealt      Seats `json:"dealt,omitempty"`
	Button     Seat  `json:"button,omitempty"`
	SmallBlind Seat  `json:"small_blind,omitempty"`
	BigBlind   Seat  `json:"big_blind,omitempty"`
	// Missed are the seats that the big blind passed by on its way to this hand's, MissedSmall those that the small blind
	// passed by.
	Missed      Seats `json:"missed,omitempty"`
	MissedSmall Seats `json:"missed_small,omitempty"`
	// Power is what a seat used in a PowerPlayed, Target whom an Anchor is on, Sparks what was paid. Target is also where a
	// PlayerMoved sits now, and who got the chips of an AwardMoved.
	Power  Power `json:"power,omitzero"`
	Target Seat  `json:"target,omitempty"`
	Sparks int8  `json:"sparks,omitempty"`
	// Carousel are the powers of a hand that starts.
	Carousel PowerSet `json:"carousel,omitzero"`
	// Manual is set for a card that a person entered, for a Reason, since no reader could.
	Manual bool `json:"manual,omitempty"`
	// Boxed is set for a CardSetAside that lay the wrong way up in the deck.
	Boxed bool `json:"boxed,omitempty"`
	// Stands is the number of the last event that stands after a HandRewound.
	Stands uint64 `json:"stands,omitempty"`
	// Reason is a person's words for a ruling of the floor.
	Reason string `json:"reason,omitempty"`
}

// EventKind names what followed.
type EventKind uint8

const (
	// PlayerSat: Seat is taken with a stack of Amount.
	PlayerSat EventKind = iota + 1
	// StackAdded: Amount chips joined Seat's stack.
	StackAdded
	// PlayerSatOut: Seat is out from the next hand on.
	PlayerSatOut
	// PlayerSatIn: Seat is in from the next hand on.
	PlayerSatIn
	// PlayerWaiting: Seat is in from the hand on in which it has the big blind.
	PlayerWaiting
	// PlayerLeft: Seat is free; its stack of Amount left with the player.
	PlayerLeft
	// ButtonMoved: the next hand's button is Button. In a hand, whose posts have gone back, SmallBlind and BigBlind are the
	// other positions and Seat the last blind, and the hand's first round begins anew.
	ButtonMoved
	// HandBegan: hand number Hand begins with the seats Dealt; Seat is the last blind or straddle, whose left acts first.
	HandBegan
	// AntePosted: Seat paid an ante of Amount, Dead or not.
	AntePosted
	// BlindPosted: Seat put in Amount as a blind, straddle or post of size To.
	BlindPosted
	// DeadPosted: Seat paid Amount into the pot for a small blind it missed.
	DeadPosted
	// StreetOpened: the cards of Street are to be dealt.
	StreetOpened
	// CardBurned: one card went to the burns.
	CardBurned
	// HoleDealt: Seat got a card, face down or Up.
	HoleDealt
	// CardsDiscarded: Seat threw Cards away, Amount of them; none is standing pat.
	CardsDiscarded
	// DrawClosed: every seat has said what it exchanges; the new cards come.
	DrawClosed
	// ShoeReloaded: the discards of the hand, Amount of them, are in the shoe again.
	ShoeReloaded
	// BoardDealt: a community card came.
	BoardDealt
	// BettingOpened: a round of betting begins.
	BettingOpened
	// TurnPassed: it is Seat's turn to act, or to show.
	TurnPassed
	// PlayerActed: Seat did Action, Amount chips moved, its bet is now To.
	PlayerActed
	// PlayerProtected: Seat counts as all-in; the Amount it has left stays out of the hand.
	PlayerProtected
	// UncalledReturned: Amount of Seat's bet found no caller and went back.
	UncalledReturned
	// BetsCollected: the bets went to the pots, which hold Amount now.
	BetsCollected
	// ShowdownOpened: hands are to be shown; AllIn when betting is over early and every live hand must be.
	ShowdownOpened
	// HandShown: Seat's hand is face up: Cards.
	HandShown
	// HandMucked: Seat gave its hand up unseen.
	HandMucked
	// RakeTaken: the house took Amount from pot Pot.
	RakeTaken
	// PotAwarded: Seat won Amount of pot Pot.
	PotAwarded
	// HandDeclaredDead: Seat's hand is dead.
	HandDeclaredDead
	// CardSetAside: the card is out of play.
	CardSetAside
	// StackAdjusted: Seat's stack was wrong by Amount, which may be below zero.
	StackAdjusted
	// RulingMade: the floor ruled on something.
	RulingMade
	// HandCalledOff: the hand is void.
	HandCalledOff
	// BetRefunded: Amount went back to Seat, in a void hand or before posts are made again.
	BetRefunded
	// HandEnded: the hand is over.
	HandEnded
	// PowerPlayed: Seat used Power, and paid Sparks for it.
	PowerPlayed
	// AnchorHeld: the anchor on Seat is not answered, and holds to the end of the round.
	AnchorHeld
	// StakePlaced: Seat has an ante of Amount and a bonus bet of Bonus before it for the next hand, or no longer any.
	StakePlaced
	// BoxSettled: the house handed Amount back to Seat for ante and bets, bets that were not lost included, and Bonus for the
	// bonus bet; the rest of what the seat put in is the house's.
	BoxSettled
	// PlayerMoved: the player of Seat sits at Target now.
	PlayerMoved
	// CardDrawn: Seat drew Card for the first button.
	CardDrawn
	// CardExposed: Card of Seat lay open; it is the next burn, and the seat gets another when the deal is done.
	CardExposed
	// CardTurned: Card of Seat, which was to come face down, lay open in the deal and stays so; in its place the card that was
	// to come face up comes face down.
	CardTurned
	// BoardRetracted: the community cards Cards came too early and are out of play until Street, when they are shuffled into
	// the stub; Card was burnt before them.
	BoardRetracted
	// BoardCorrected: the community cards of the street are Cards, Card is the next burn.
	BoardCorrected
	// CardMissed: Seat did not get Card in the deal, which is out of play; the next one is its.
	CardMissed
	// BurnLeftOut: the street has no burn.
	BurnLeftOut
	// StubShuffled: what is left in the shoe was shuffled, with Amount community cards that had come too early.
	StubShuffled
	// HandRetrieved: Seat's hand is in play again.
	HandRetrieved
	// AwardMoved: Amount that Seat had won is Target's.
	AwardMoved
	// PlaySuspended: play stands still.
	PlaySuspended
	// PlayResumed: play goes on.
	PlayResumed
	// HandRewound: the hand is back where HandBegan left it, by the same fields; what stands of its events, up to number
	// Stands, follows once more.
	HandRewound
)

var eventNames = names[EventKind]{
	"", "player_sat", "stack_added", "player_sat_out", "player_sat_in", "player_waiting", "player_left", "button_moved", "hand_began",
	"ante_posted", "blind_posted", "dead_posted", "street_opened", "card_burned", "hole_dealt", "cards_discarded", "draw_closed", "shoe_reloaded", "board_dealt",
	"betting_opened", "turn_passed", "player_acted", "player_protected", "uncalled_returned", "bets_collected", "showdown_opened",
	"hand_shown", "hand_mucked", "rake_taken", "pot_awarded", "hand_declared_dead", "card_set_aside", "stack_adjusted", "ruling_made", "hand_called_off", "bet_refunded", "hand_ended",
	"power_played", "anchor_held", "stake_placed", "box_settled", "player_moved", "card_drawn", "card_exposed", "card_turned", "board_retracted",
	"board_corrected", "card_missed", "burn_left_out", "stub_shuffled", "hand_retrieved", "award_moved", "play_suspended", "play_resumed",
	"hand_rewound",
}

// String is the kind's name over MQTT and in the journal.
func (k EventKind) String() string { return eventNames.text(k) }

// MarshalText writes the kind's name.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *EventKind) UnmarshalText(b []byte) (err error) {
	*k, err = eventNames.parse("event", b)
	return err
}
