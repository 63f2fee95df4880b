package tournament

import (
	"errors"
	"fmt"
)

// SpinPlayers is the number of players of a Spin (NK-33).
const SpinPlayers = 3

// Spin is the multiplier table of a Spin, which players are shown with its odds (NK-33).
type Spin []Multiplier

// Multiplier is one row: what the prizes may be, and how often they are.
type Multiplier struct {
	// Times is how many times what one player pays is played for.
	Times int64
	// Odds is in how many of Spin.Total draws the row comes.
	Odds int64
	// Parts are each place's part of the prizes, first place first, in hundredths of a percent; together Whole.
	Parts []int64
}

// Total is the sum of all odds.
func (s Spin) Total() (total int64) {
	for _, m := range s {
		total += m.Odds
	}
	return total
}

// Draw gives the multiplier for a number below Total, from 0 on, that the caller has from the table's recorded random source
// before the start, each equally likely. The rows take up the numbers in order. Another number makes it panic.
func (s Spin) Draw(number int64) Multiplier {
	if number >= 0 {
		for _, m := range s {
			if number < m.Odds {
				return m
			}
			number -= m.Odds
		}
	}
	panic(fmt.Sprintf("tournament: a spin drew %d, which is not below %d", number, s.Total()))
}

// Prizes are the prizes of a Spin into which each player paid an entry. Decision: the multiplier is of all that one player
// pays, the house's fee too, and cents that cannot be shared go to the first place.
func (m Multiplier) Prizes(e Entry) []int64 { return share(m.Times*e.Total(), m.Parts, 1) }

// maxOdds and maxTimes keep sums of a table of any sane length in range.
const (
	maxOdds  = 1e12
	maxTimes = 1e6
)

// Validate reports every fault of the table.
func (s Spin) Validate() error {
	if len(s) == 0 {
		return errors.New("spin: no multipliers given")
	}
	var errs []error
	for i, m := range s {
		err := partsFault(m.Parts, SpinPlayers)
		if m.Times < 1 || m.Times > maxTimes || m.Odds < 1 || m.Odds > maxOdds {
			err = errors.Join(err, fmt.Errorf("%d times with odds of %d: want both above 0, and not above %d and %d",
				m.Times, m.Odds, int64(maxTimes), int64(maxOdds)))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("spin row %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}
