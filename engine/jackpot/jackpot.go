// Package jackpot is the bad beat jackpot: a pool that grows with the rake and is shared out when a very good hand loses.
//
// When a table opens, Table.Rule says whether it may have the jackpot and what the losing hand must be. At the end of a hand
// Rule.Judge finds out from a description of the showdown whether there was a bad beat; Split says who gets what of the
// pool. The pool belongs to the studio and is shared by its tables: see Pool, and Fund for the books of one.
//
// All amounts are in the smallest unit of the currency. But for a Fund, everything here is a pure function of its arguments
// and may be called from any goroutine.
package jackpot

import (
	"errors"
	"fmt"
	"slices"

	"tavolo/engine/card"
)

// Seat is a place at the table, numbered as engine.Seat.
type Seat int8

// Rule is what a game asks of the hand that loses.
type Rule struct {
	// Game is the game's short name in the rule catalogue.
	Game string
	// Least is the worst hand that qualifies, to be ranked by the game's own ranking for high hands. Where the catalogue
	// leaves a card open it is the lowest.
	Least card.Set
	// BothHoleCards is whether the hand must use both hole cards.
	BothHoleCards bool
}

// Rules are the games with a jackpot (NX-B4). A game without a row has none (NX-B2).
var Rules = []Rule{
	{Game: "holdem", Least: least("QcQdQhQs2c"), BothHoleCards: true},
	{Game: "omaha", Least: least("6c7c8c9cTc")},
	{Game: "omaha8", Least: least("6c7c8c9cTc")},
	{Game: "soko", Least: least("KcKdKh2c2d")},
	{Game: "soko-one-ended", Least: least("KcKdKh2c2d")},
	{Game: "stud", Least: least("Ac2c3c4c5c")},
	{Game: "stud8", Least: least("Ac2c3c4c5c")},
	{Game: "draw5", Least: least("AcAdAhAs2c")},
}

func least(cards string) card.Set { return card.SetOf(card.MustParse(cards)...) }

// minDealt is the number of players who must be dealt into a hand, and of seats a table must have (NX-B2).
const minDealt = 3

// Table is what decides whether a table may have the jackpot.
type Table struct {
	// Game is the game's short name in the rule catalogue.
	Game string
	// Seats is the number of seats the table has, taken or not.
	Seats      int
	PlayMoney  bool
	Tournament bool
}

// Rule gives the rule of the table's game, or an error that says why the table cannot have the jackpot (NX-B2).
func (t Table) Rule() (Rule, error) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Game == t.Game })
	switch {
	case t.PlayMoney:
		return Rule{}, errors.New("jackpot: not at play-money tables (NX-B2)")
	case t.Tournament:
		return Rule{}, errors.New("jackpot: not in tournaments (NX-B2)")
	case t.Seats < minDealt:
		return Rule{}, fmt.Errorf("jackpot: not at a table with %d seats, it needs %d (NX-B2)", t.Seats, minDealt)
	case i < 0:
		return Rule{}, fmt.Errorf("jackpot: not in %s, for which no losing hand is laid down (NX-B2)", t.Game)
	}
	return Rules[i], nil
}

// Hand is what a jackpot asks of a finished hand. A void hand has none.
type Hand struct {
	// Dealt are all seats dealt into the hand, whatever became of them.
	Dealt []Seat
	// Showdown are the hands that were in to the showdown. Decision: those that were mucked there count as those that
	// were shown, where the table knows their faces, since NX-B3 asks no more than to stay.
	Showdown []Shown
}

// Shown is one hand at the showdown, and what came of it in the main pot. Of a hi/lo game only the high hand and the high
// half of the main pot matter (NX-B3, NX-B5); side pots never do.
type Shown struct {
	Seat Seat
	// Strength is how good the hand is, higher for better, on the scale of the strength given to Rule.Judge.
	Strength uint64
	// BothHoleCards is whether the hand uses both hole cards. Decision: it does if one of its best fives has both in it,
	// that is if it is as good with exactly two hole cards as with any number.
	BothHoleCards bool
	// WonMain is whether the hand won a share of the main pot.
	WonMain bool
}

// Beat is a bad beat. All seats are in the order of the Hand.
type Beat struct {
	// Losers lost with the best losing hand: one, or several with equal hands.
	Losers []Seat
	// Winners won the main pot.
	Winners []Seat
	// Dealt are all who were dealt in, losers and winners too.
	Dealt []Seat
}

// Judge reports whether a hand was a bad beat, and whose. least is the strength of the rule's Least hand.
//
// The best hand that won no part of the main pot is the loser's (NX-B1, NX-B3), and must qualify itself: if it does not,
// because it leaves a hole card out, a worse one that does has lost the main pot with a better one beside it. Decision:
// the winners must all have a better hand than the loser, so that nobody makes a jackpot by mucking what would win.
func (r Rule) Judge(least uint64, h Hand) (Beat, bool) {
	var best uint64
	for _, s := range h.Showdown {
		if !s.WonMain {
			best = max(best, s.Strength)
		}
	}
	beat := Beat{Dealt: h.Dealt}
	for _, s := range h.Showdown {
		switch {
		case s.WonMain && s.Strength <= best:
			return Beat{}, false
		case s.WonMain:
			beat.Winners = append(beat.Winners, s.Seat)
		case s.Strength == best && (s.BothHoleCards || !r.BothHoleCards):
			beat.Losers = append(beat.Losers, s.Seat)
		}
	}
	if best < least || len(h.Dealt) < minDealt || len(beat.Losers) == 0 || len(beat.Winners) == 0 {
		return Beat{}, false
	}
	return beat, true
}

// Part is one of the parts a pool is paid out in.
type Part uint8

// The parts (NX-B0). What is left, 20 % and all remainders, is the next pool.
const (
	// LosersPart is the 40 % of the losing hand.
	LosersPart Part = iota + 1
	// WinnersPart is the 20 % of the winning hand.
	WinnersPart
	// DealtPart is the 20 % of everyone dealt in.
	DealtPart
)

// String is the part's name for people.
func (p Part) String() string {
	return [...]string{LosersPart: "losing hand", WinnersPart: "winning hand", DealtPart: "dealt in"}[p]
}

// Payment is what one seat gets for one reason. Its amount is above 0.
type Payment struct {
	Seat   Seat
	Part   Part
	Amount int64
}

// Payout is how a pool was shared.
type Payout struct {
	// Payments are in the order losers, winners, everyone dealt in.
	Payments []Payment
	// Left stays in the pool. With the payments it makes up the pool as it was.
	Left int64
}

// Split shares a pool of 0 or more: 40 % to the losers, 20 % to the winners, 20 % to everyone dealt in (NX-B0). Several in
// one part share it equally (NX-B5). Parts and shares are rounded down.
func Split(pool int64, b Beat) Payout {
	out := Payout{Left: pool}
	for _, part := range []struct {
		part    Part
		percent int64
		seats   []Seat
	}{
		{LosersPart, 40, b.Losers},
		{WinnersPart, 20, b.Winners},
		{DealtPart, 20, b.Dealt},
	} {
		for _, seat := range part.seats {
			if share := percent(pool, part.percent) / int64(len(part.seats)); share > 0 {
				out.Payments = append(out.Payments, Payment{Seat: seat, Part: part.part, Amount: share})
				out.Left -= share
			}
		}
	}
	return out
}

// Growth is what a hand's rake adds to the pool, where part percent of the rake, 0 to 100, go there (NX-B6); raked is all the rake the
// table took before. It comes out of the rake, not of the pot again. Decision: the part is of all the table's rake, rounded
// down, and the hand adds what that grew by, so that the small rakes of small tables add up without a loss.
func Growth(raked, rake, part int64) int64 {
	return percent(raked+rake, part) - percent(raked, part)
}

// percent is a part of an amount, rounded down.
func percent(amount, part int64) int64 { return amount/100*part + amount%100*part/100 }
