// Package bonus is Texas Hold'em Bonus Poker: a hand of Hold'em against the house, by the Atlantic City rules (BP-01 to
// BP-09). One deal serves every box at the table and any number of players behind each box.
//
// The money is here: a Limits makes a Stake of what a player puts down, the decisions of the box are a Line, and Settle
// says what comes back. Who gets which card when is the affair of the table, which is package engine's, as for every other
// game. A Rail keeps the stakes of those who play on somebody else's box. The other half is mathematics: Flops, Enumerate
// and Sums.Odds find the house edge by playing every hand there is.
//
// Amounts are in the smallest unit of the table's currency, as everywhere.
//
// Everything here is a pure function and may be called from any goroutine.
package bonus

import (
	"fmt"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// Limits are how much a player may put on a box.
type Limits struct {
	MinAnte, MaxAnte   int64
	MinBonus, MaxBonus int64
}

// DefaultLimits are those of BP-02, for a table that plays in whole units of its currency.
var DefaultLimits = Limits{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25}

// Stake is what a player puts on a box before the deal. Bonus is 0 if he does without that bet.
type Stake struct {
	Ante  int64 `json:"ante"`            // in Chips
	Bonus int64 `json:"bonus,omitempty"` // in Chips
}

// Stake accepts an ante and a bonus bet, which may be 0. An ante below the minimum is raised to it; everything else that
// is out of bounds is an *OutOfLimits (BP-02).
func (l Limits) Stake(ante, bonus int64) (Stake, error) {
	refuse := func(above bool, format string, args ...any) (Stake, error) {
		return Stake{}, &OutOfLimits{above, fmt.Sprintf(format, args...)}
	}
	switch {
	case ante <= 0:
		return refuse(false, "an ante of %d: want %d to %d", ante, l.MinAnte, l.MaxAnte)
	case ante > l.MaxAnte:
		return refuse(true, "an ante of %d: want %d to %d", ante, l.MinAnte, l.MaxAnte)
	case bonus != 0 && bonus < l.MinBonus:
		return refuse(false, "a bonus bet of %d: want %d to %d, or none", bonus, l.MinBonus, l.MaxBonus)
	case bonus > l.MaxBonus:
		return refuse(true, "a bonus bet of %d: want %d to %d, or none", bonus, l.MinBonus, l.MaxBonus)
	}
	return Stake{Ante: max(ante, l.MinAnte), Bonus: bonus}, nil
}

// OutOfLimits says why a stake is refused.
type OutOfLimits struct {
	// Above is whether it is too much, otherwise it is too little.
	Above bool
	// Text is one sentence for a person.
	Text string
}

// Error is the sentence.
func (o *OutOfLimits) Error() string { return o.Text }

// Line is what a box decided, for itself and for every player behind it (BP-09). The zero value is what a box does that
// is out of time: it folds before the flop and checks later (BP-07).
type Line struct {
	// Play is whether it made the flop bet; otherwise it folded, and there is no turn and no river for it.
	Play bool `json:"play,omitempty"`
	// Turn and River are whether it bet before that card.
	Turn  bool `json:"turn,omitempty"`
	River bool `json:"river,omitempty"`
}

// Bets are the five bets of a player, or what becomes of them: Ante, Bonus, Flop, Turn and River.
type Bets struct {
	Ante  int64 `json:"ante,omitempty"`
	Bonus int64 `json:"bonus,omitempty"`
	Flop  int64 `json:"flop,omitempty"`
	Turn  int64 `json:"turn,omitempty"`
	River int64 `json:"river,omitempty"`
}

// Total is the sum of the five.
func (b Bets) Total() int64 { return b.Ante + b.Bonus + b.Flop + b.Turn + b.River }

// Bets are the bets that a player with this stake has made at the end of a line: the flop bet is twice the ante, those
// for turn and river are an ante each (BP-03, BP-04).
func (s Stake) Bets(l Line) Bets {
	b := Bets{Ante: s.Ante, Bonus: s.Bonus}
	if !l.Play {
		return b
	}
	b.Flop = 2 * s.Ante
	if l.Turn {
		b.Turn = s.Ante
	}
	if l.River {
		b.River = s.Ante
	}
	return b
}

// Cards are the cards that settle a box: two of its own, two of the house, five on the board. The board may be missing
// if the box folded, and the cards of the house too if nobody behind it has a bonus bet.
type Cards struct {
	Box, House, Board card.Set
}

// Settle gives what the house hands back for each bet: nothing for a lost one, the bet for a push, the bet and its
// winnings for a won one (BP-05, BP-06). It panics if a box that played lacks cards.
func Settle(s Stake, l Line, c Cards) Bets {
	bets := s.Bets(l)
	var back Bets
	if bets.Bonus > 0 {
		back.Bonus = win(bets.Bonus, BonusPays(c.Box, c.House))
	}
	if !l.Play {
		return back
	}
	if c.Box.Len() != 2 || c.House.Len() != 2 || c.Board.Len() != 5 {
		panic(fmt.Sprintf("bonus: box %v, house %v, board %v: want two, two and five cards", c.Box, c.House, c.Board))
	}
	box := eval.Standard.Strength(eval.Free, c.Box, c.Board)
	house := eval.Standard.Strength(eval.Free, c.House, c.Board)
	switch {
	case box < house:
		return back
	case box == house:
		back.Ante, back.Flop, back.Turn, back.River = bets.Ante, bets.Flop, bets.Turn, bets.River
		return back
	}
	back.Ante = bets.Ante
	if box >= paysAnte {
		back.Ante = win(bets.Ante, 1)
	}
	back.Flop, back.Turn, back.River = win(bets.Flop, 1), win(bets.Turn, 1), win(bets.River, 1)
	return back
}

// paysAnte is the lowest hand that wins on the ante too: the straight to the five (BP-05).
var paysAnte = eval.Standard.Of(card.SetOf(card.MustParse("Ac2d3h4s5c")...))

// win gives a bet back with its winnings at so much to one; a bet that pays 0 to 1 is lost.
func win(bet, pays int64) int64 {
	if pays == 0 {
		return 0
	}
	return bet + bet*pays
}
