// Package tournament is what happens around the hands of a tournament, as far as it needs no clock: blind levels, prizes,
// places, the Spin multiplier, the first button, balancing and breaking tables, and payouts of a cancelled event.
//
// A Schedule, a PrizeTable and a Spin are data that a configuration brings and players are shown; each has a Validate for
// the time it is loaded. The rest are functions: FirstButton when all sit down, Rebalance after each hand, Finish when
// players go out, CancelSitAndGo and CancelTournament when an event cannot go on.
//
// Money is in the smallest unit of the currency, chips in tournament chips. Chips are of no use outside their tournament
// (NK-35): nothing here turns them into money but as shares of a whole. Both stay below 10^15, as engine.MaxChips. Everything
// is a pure function of its arguments and may be called from any goroutine; chance comes in as an argument.
package tournament

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"tavolo/engine/card"
)

// Entry is what it costs to play in a tournament.
type Entry struct {
	// Prize is the part that goes to the prizes, Fee what the house keeps.
	Prize, Fee int64
}

// Total is what a player pays.
func (e Entry) Total() int64 { return e.Prize + e.Fee }

// Validate reports an entry above the limit that the law sets, 0 for none, or of which less than 80 % goes to the prizes;
// in Italy the limit is 250.00 (D.D. 5 February 2010).
func (e Entry) Validate(limit int64) error {
	switch {
	case e.Prize < 0 || e.Fee < 0:
		return fmt.Errorf("entry: %d for the prizes and %d for the house: none may be below 0", e.Prize, e.Fee)
	case limit > 0 && e.Total() > limit:
		return fmt.Errorf("entry: %d is above the limit of %d", e.Total(), limit)
	case e.Fee*4 > e.Prize:
		return fmt.Errorf("entry: of %d only %d goes to the prizes: want 80 %%", e.Total(), e.Prize)
	}
	return nil
}

// Level is one level of blinds, in chips.
type Level struct {
	SmallBlind, BigBlind int64
	// Ante is paid by everyone, BigBlindAnte by the big blind for the table; 0 for none.
	Ante, BigBlindAnte int64
	// Seconds is how long the level lasts. That of the last level does not count: it lasts to the end.
	Seconds int64
}

// Schedule is the levels of a tournament in order, one or more; level 1 is the first.
type Schedule []Level

// At says which level has come after a time of play, and how many seconds of it are left, 0 in the last one. Decision: a
// hand is played at the level at which it began, so ask at the beginning of each; breaks are no time of play.
func (s Schedule) At(seconds int64) (number int, left int64) {
	for i, l := range s[:len(s)-1] {
		if seconds < l.Seconds {
			return i + 1, l.Seconds - seconds
		}
		seconds -= l.Seconds
	}
	return len(s), 0
}

// Level gives a level by its number from 1 on; after the last comes the last again.
func (s Schedule) Level(number int) Level { return s[min(number, len(s))-1] }

// Validate reports every fault of the schedule.
func (s Schedule) Validate() error {
	if len(s) == 0 {
		return errors.New("blind levels: none given")
	}
	var errs []error
	for i, l := range s {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("blind level %d: %w", i+1, fmt.Errorf(format, args...)))
		}
		if l.SmallBlind < 0 || l.Ante < 0 || l.BigBlindAnte < 0 || l.BigBlind < 1 || l.BigBlind < l.SmallBlind {
			bad("blinds of %d and %d, antes of %d and %d: want a big blind above 0, not below the small one, and nothing below 0",
				l.SmallBlind, l.BigBlind, l.Ante, l.BigBlindAnte)
		}
		if i > 0 && l.BigBlind < s[i-1].BigBlind {
			bad("the big blind falls from %d to %d", s[i-1].BigBlind, l.BigBlind)
		}
		if i < len(s)-1 && l.Seconds < 1 {
			bad("lasts %d seconds: want at least 1", l.Seconds)
		}
	}
	return errors.Join(errs...)
}

// FirstButton says who has the first button where all sit down together: each is dealt one card, and the highest wins, by
// rank, then spades, hearts, diamonds, clubs (BR-08). It gives an index into the cards, which are known and differ; there
// is at least one.
func FirstButton(cards []card.Card) int {
	return slices.Index(cards, slices.Max(cards)) // cards are numbered by rank, then suit, clubs lowest
}

// scale is amount × part ÷ whole, rounded down, for 0 ≤ part ≤ whole.
func scale(amount, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(amount), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

func sum(amounts []int64) (total int64) {
	for _, a := range amounts {
		total += a
	}
	return total
}
