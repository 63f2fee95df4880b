// Package phh reads and writes hands in the Poker Hand History format, version 0.0.1 of the specification at
// https://phh.readthedocs.io: a .phh file is one hand in TOML, a .phhs file many, each in a numbered table.
//
// The package knows the notation and the cards, not the rules: it says that a card is dealt twice or that the ninth
// player of six acts, and leaves it to whoever replays the hand to say that a raise is too small. Start at Parse, which
// turns a file into Hands, and Format, which turns Hands into a file. Nothing here holds state; everything may be called
// from several goroutines at once.
package phh

import (
	"errors"
	"fmt"
	"strconv"

	"tavolo/engine/card"
)

// MaxPlayers is the largest number of players a hand may have.
const MaxPlayers = 20

// Hand is one recorded hand. Everything that belongs to a player is in the order of the file: the first player is the
// first to be dealt to, the last has the button or, in a game without one, is last to be dealt to. Antes and Blinds are
// an exception where there are two players: the format lists them the other way round, so that Blinds begins with the
// small blind all the same, which the second player posts from the button.
//
// A field that the file leaves out has its zero value, and Format leaves a zero value out.
type Hand struct {
	// Line is where the hand begins in its file, 0 if it comes from none.
	Line int
	// Scale is how many of the units that amounts are counted in make one chip of the file, a power of ten. Parse chooses
	// the smallest that makes every amount of the hand whole: 100 where the finest is 1259450.25.
	Scale int64

	// Variant is the code of the game: NT, FO/8, _P5D and so on.
	Variant string
	// AnteTrimming says that who cannot pay the whole ante competes for as much of the others' antes as he paid.
	AnteTrimming bool
	// Antes has one entry a player.
	Antes []Amount
	// Blinds has one entry a player, except in stud games and against the house, where there are none. A negative entry is a live post by a new or
	// returning player: a bet of that size which does not move who acts first.
	Blinds []Amount
	// BringIn is set in stud games only.
	BringIn Amount
	// SmallBet and BigBet are set in fixed-limit games, MinBet in all others, none of them against the house.
	SmallBet, BigBet, MinBet Amount
	// StartingStacks has one positive entry a player, before antes and blinds. Its length is the number of players.
	StartingStacks []Amount
	// Actions is what happened. The number of an action, as errors give it, is its index plus one.
	Actions []Action

	// FinishingStacks is what each player had in the end, rake taken; nil if it was not recorded.
	FinishingStacks []Amount
	// Winnings is what each player collected, rake taken; nil if it was not recorded.
	Winnings []Amount
	// Rake is what the house took from the whole hand, the field _rake.
	Rake Amount
	// House names whose rules were played by, the field _house; "" if it was not recorded.
	House string
	// Chip is the smallest chip in play, by which odd chips go, the field _chip.
	Chip Amount
	// Spread are the largest bets of spread limit, in all rounds but the last two, in the one before the last and in the
	// last, the field _spread; set in that limit only.
	Spread [3]Amount

	// BonusBets has one entry a player in a game against the house, 0 for one without that bet, the field _bonus_bets; Antes
	// are the stakes beside it, and listed in order of the players whatever their number.
	BonusBets []Amount
	// Bank is the hand of the house in such a game, the field _bank.
	Bank []card.Card
	// Carousel names the powers of a hand that was played with them, the field _carousel: peek swap anchor (NK-11).
	Carousel string

	// Players are the names, "" for one that is not known; nil if none was recorded.
	Players []string
	// Seats are the seat numbers, nil if they were not recorded.
	Seats []int64
	// SeatCount is how many seats the table has, taken or not.
	SeatCount int64
	// Number and Table tell the hand and the table, by number or name.
	Number, Table string
	// Level is the level of the tournament.
	Level int64

	// Author wrote the hand down.
	Author string
	// Event, URL, Venue, Address, City, Region, PostalCode and Country tell where it was played.
	Event, URL, Venue, Address, City, Region, PostalCode, Country string
	// Time is when the hand began, as 15:04:05, in the zone TimeZone (an IANA name) or TimeZoneAbbreviation.
	Time, TimeZone, TimeZoneAbbreviation string
	// Day (1 to 31), Month (1 to 12) and Year are when it was played.
	Day, Month, Year int64
	// Currency is an ISO 4217 code, CurrencySymbol a sign such as $.
	Currency, CurrencySymbol string
	// TimeLimit is what a player has for one decision and TimeBanks what each had beside it, in seconds written as a
	// decimal number, or inf.
	TimeLimit string
	TimeBanks []string
}

// Amount is a number of chips in units of 1/Hand.Scale. No amount that Parse gives is beyond ±2^60, nor is the sum of
// any list of them, so that the arithmetic of a pot does not overflow.
type Amount int64

const maxAmount Amount = 1 << 60

// Text is the amount as a file writes it: 300, 2.50. A scale of 0 counts as 1.
func (a Amount) Text(scale int64) string {
	unit := Amount(max(scale, 1))
	whole, part := a/unit, a%unit
	if part == 0 {
		return strconv.FormatInt(int64(whole), 10)
	}
	sign := ""
	if a < 0 {
		sign, whole, part = "-", -whole, -part
	}
	places := len(strconv.FormatInt(int64(unit), 10)) - 1
	return fmt.Sprintf("%s%d.%0*d", sign, whole, places, part)
}

// Kind is what an action does.
type Kind uint8

// The kinds of action. The comment gives the verb of the notation and which fields of Action are set besides Player.
const (
	Remark     Kind = iota // nothing happens: an empty entry, or commentary alone
	DealHole               // dh: Cards to Player, up or down as the game says
	DealBoard              // db: Cards
	BringIn                // pb
	BetRaise               // cbr: completes, bets or raises to Amount in this round
	CheckCall              // cc
	Fold                   // f
	Discard                // sd: Cards go; none means the player stands pat
	ShowOrMuck             // sm: Cards are shown; none means the player mucks

	// Of our own, marked by an underscore as the format's users mark fields.
	Split  // _split: offers to divide the pots, or takes the offer (NX-A6)
	CutOff // _cut: a lost connection keeps the player from acting, who counts as all-in or folds (NX-13, BR-40)
	Peek   // _peek: saw Cards, the next one of the board, ahead (NK-20)
	Swap   // _swap: throws Cards, one of his own, away for the next of the shoe (NK-21)
	Anchor // _anchor: holds the raises of the player Target to the pot (NK-22)
	Shield // _shield: answers an anchor, which is cancelled (NK-23)
)

var verbs = [...]string{
	DealHole: "dh", DealBoard: "db", BringIn: "pb", BetRaise: "cbr", CheckCall: "cc", Fold: "f", Discard: "sd",
	ShowOrMuck: "sm",
	Split:      "_split", CutOff: "_cut", Peek: "_peek", Swap: "_swap", Anchor: "_anchor", Shield: "_shield",
}

// Dealer is the Player of an action that is no player's.
const Dealer = -1

// Action is one entry of a hand's actions.
type Action struct {
	// Line is where the action stands in its file, 0 if it comes from none.
	Line int
	Kind Kind
	// Player counts from 0: it is the one who acts or is dealt to, and Dealer for DealBoard and Remark.
	Player int
	// Cards may be hidden ones.
	Cards []card.Card
	// Amount is in the units of the hand's Scale.
	Amount Amount
	// Target counts from 0, as Player: whom an Anchor is on.
	Target int
	// Note is the commentary after #, without the space around it.
	Note string
}

// Text is the action as a file writes it: "p3 cbr 300".
func (a Action) Text(scale int64) string {
	var s string
	switch a.Kind {
	case Remark:
	case DealBoard:
		s = "d db " + card.Text(a.Cards)
	case DealHole:
		s = fmt.Sprintf("d dh p%d %s", a.Player+1, card.Text(a.Cards))
	default:
		s = fmt.Sprintf("p%d %s", a.Player+1, verbs[a.Kind])
		switch {
		case a.Kind == BetRaise:
			s += " " + a.Amount.Text(scale)
		case a.Kind == Anchor:
			s += fmt.Sprintf(" p%d", a.Target+1)
		case len(a.Cards) > 0:
			s += " " + card.Text(a.Cards)
		}
	}
	if a.Note == "" {
		return s
	}
	if s != "" {
		s += " "
	}
	return s + "# " + a.Note
}

// Error is a fault in a file. errors.Is(err, errors.ErrUnsupported) holds where the file may be sound but tells of
// something this package does not know: another variant, or a stack of unknown size.
type Error struct {
	// File is the name given to Parse.
	File string
	// Line counts from 1.
	Line int
	// Action is the number of the action, from 1, or 0 where the fault is in none.
	Action int
	// Reason says what is wrong.
	Reason string

	unsupported bool
}

// Error gives the fault as file:line: action 3: reason.
func (e *Error) Error() string {
	if e.Action == 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s:%d: action %d: %s", e.File, e.Line, e.Action, e.Reason)
}

// Is reports whether target is errors.ErrUnsupported and the fault is of that sort.
func (e *Error) Is(target error) bool { return e.unsupported && target == errors.ErrUnsupported }
