// Package rake says what the house takes from a hand of a cash table.
//
// A Table is a house's published rake as data. At a table's start Table.Row finds the row for its limit and stakes, once.
// At the end of a hand ask Progress.Reached whether the hand is raked at all, Row.Take for the rake of the whole hand, and
// Spread for what each pot pays of it. Table.Validate refuses, when a configuration is loaded, what could take more than
// a tenth of any pot.
//
// All amounts are in the smallest unit of the table's currency: cents in Noxwin. Everything here is a pure function of its
// arguments and may be called from any goroutine.
package rake

import (
	"fmt"
	"math/bits"
	"slices"
)

// Table is a published rake table; the rows for one limit are in the order of their stakes. The empty Table takes nothing:
// it is that of play-money tables (NX-30).
type Table []Row

// Row is what is taken at the tables of some limits from some stakes on. The zero Row takes nothing.
type Row struct {
	// Name is what messages call the row: NX-31.
	Name string
	// Limits are the limits the row is for, by their names in the rule catalogue: pot, half-pot.
	Limits []string
	// Stakes is the least the row is for, up to the Stakes of the next row of the limit: the lower limit of a fixed or
	// spread game, the big blind of any other.
	Stakes int64
	// Steps are the rates by size of the pot, small pots first.
	Steps []Step
	// Caps are the most that a hand pays, by number of players; none for no cap.
	Caps []ForPlayers
	// Thresholds are the smallest pots that pay anything, by number of players (BR-60); none where every pot does.
	Thresholds []ForPlayers
}

// Step is the rate of pots of one size: Take for each full Per. The whole pot pays by the step it falls in.
type Step struct {
	// Below is where the next step begins; 0 for no end, which the last step has.
	Below int64
	// Take for each full Per.
	Take, Per int64
}

// ForPlayers is an amount for hands that From or more players were dealt into, up to the From of the next in the list.
type ForPlayers struct {
	From   int
	Amount int64
}

// Noxwin is the table of the house noxwin, in cents.
var Noxwin = Table{
	{
		Name: "NX-31", Limits: []string{"no-limit", "pot", "half-pot"},
		Steps: []Step{{Below: 400, Take: 1, Per: 20}, {Take: 5, Per: 100}},
		Caps:  []ForPlayers{{From: 2, Amount: 75}, {From: 3, Amount: 200}, {From: 5, Amount: 300}},
	},
	{
		Name: "NX-32", Limits: []string{"fixed", "spread"}, Stakes: 2,
		Steps: []Step{{Below: 200, Take: 1, Per: 20}, {Take: 5, Per: 100}},
		Caps:  []ForPlayers{{From: 2, Amount: 75}, {From: 4, Amount: 100}},
	},
	{
		Name: "NX-33", Limits: []string{"fixed", "spread"}, Stakes: 100,
		Steps: []Step{{Take: 25, Per: 500}},
		Caps:  []ForPlayers{{From: 2, Amount: 75}, {From: 4, Amount: 200}},
	},
	{
		Name: "NX-34", Limits: []string{"fixed", "spread"}, Stakes: 200,
		Steps: []Step{{Take: 50, Per: 1000}},
		Caps:  []ForPlayers{{From: 2, Amount: 75}, {From: 4, Amount: 200}},
	},
}

// Row finds the row of a table with that limit and stakes. Stakes between two rows use the lower (NX-35). Decision: stakes
// below the lowest row use that one. The empty Table gives the zero Row; another one without a row for the limit gives an
// error, and the table of cards must not be opened.
func (t Table) Row(limit string, stakes int64) (Row, error) {
	if len(t) == 0 {
		return Row{}, nil
	}
	found := -1
	for i, r := range t {
		if slices.Contains(r.Limits, limit) && (found < 0 || r.Stakes <= stakes) {
			found = i
		}
	}
	if found < 0 {
		return Row{}, fmt.Errorf("rake: no row for limit %q: add one", limit)
	}
	return t[found], nil
}

// Take is the rake of a whole hand, all pots together: the cap is per hand, not per pot. pot is everything in the pots
// after what found no caller went back, which is not raked (NX-35); players is how many were dealt in (NX-30). The row
// must be of a Table that Validate passed. Decision: the rake is not rounded to the chips in play, only by the steps.
func (r *Row) Take(pot int64, players int) int64 {
	if pot < amountFor(r.Thresholds, players, 0) {
		return 0
	}
	for _, s := range r.Steps {
		if s.Below == 0 || pot < s.Below {
			return min(pot/s.Per*s.Take, amountFor(r.Caps, players, pot))
		}
	}
	return 0
}

// amountFor finds what a list says for a number of players, none if the list is empty.
func amountFor(list []ForPlayers, players int, none int64) int64 {
	amount := none
	for i, f := range list {
		if i == 0 || f.From <= players {
			amount = f.Amount
		}
	}
	return amount
}

// Spread says what each pot pays of a hand's rake: the main pot first, then the side pots in the order they were created,
// which is that of pots (NX-35). The rake must not be more than the pots hold.
func Spread(rake int64, pots []int64) []int64 {
	paid := make([]int64, len(pots))
	for i, pot := range pots {
		paid[i] = min(rake, pot)
		rake -= paid[i]
	}
	return paid
}

// Generated says what each player has generated of a hand's rake, from what each put into the pots; one who generated at
// least 0.01, one cent, counts as active in the hand (BR-60). Decision: players generate rake in proportion to what they
// put in, rounded down, so the sum may be less than the rake.
func Generated(rake int64, put []int64) []int64 {
	var pot int64
	for _, p := range put {
		pot += p
	}
	out := make([]int64, len(put))
	for i, p := range put {
		if p > 0 {
			hi, lo := bits.Mul64(uint64(rake), uint64(p))
			share, _ := bits.Div64(hi, lo, uint64(pot))
			out[i] = int64(share)
		}
	}
	return out
}

// Progress is how far a hand came, or has to come before it is raked. The zero Progress is the start of the hand: a game
// that asks for no more is always raked. Each game names the one it asks for.
//
// Decision on BR-60, "never when everyone folds to a raise before the flop": that is Flop too. In hold'em a hand has a flop
// unless everyone folded before it, since an all-in that is called has one dealt. So a blind that everyone folds to is not
// raked either: nobody called.
type Progress struct {
	// Board is the number of community cards dealt.
	Board int
	// Cards is the number of cards the players still in were dealt, without exchanges.
	Cards int
	// Exchanged is the number of cards all players exchanged, in all draws.
	Exchanged int
}

// What games ask for before they are raked (NX-30).
var (
	// Flop: holdem, omaha, omaha8 and other games with a flop.
	Flop = Progress{Board: 3}
	// ThirdCard: soko and, decision of the catalogue, americana and telesina.
	ThirdCard = Progress{Cards: 3}
	// FourthCard: stud, stud8 and, decision, razz.
	FourthCard = Progress{Cards: 4}
	// Exchange: draw5, deuce7td and, decision of the catalogue, draw32; decision: other games with a draw too. The first
	// draw was reached and a card exchanged, in that draw or a later one.
	Exchange = Progress{Exchanged: 1}
)

// Reached reports whether a hand came as far as a game asks for, so that it is raked. A void hand never is.
func (p Progress) Reached(need Progress) bool {
	return p.Board >= need.Board && p.Cards >= need.Cards && p.Exchanged >= need.Exchanged
}
