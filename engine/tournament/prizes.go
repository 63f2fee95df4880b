package tournament

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Whole is the sum of the Parts of a prize pool: they are in hundredths of a percent.
const Whole = 10_000

// PrizeTable is the published table of prizes (NK-32, NK-34), a row for each size of the field, small fields first.
type PrizeTable []PrizeRow

// PrizeRow is the prizes of a field of From or more players, up to the From of the next row.
type PrizeRow struct {
	From int
	// Parts are each place's part of the prize pool, first place first, in hundredths of a percent; together Whole.
	Parts []int64
}

// Prizes shares a prize pool: the prize of each paid place, first place first. Decision on rounding: each prize is rounded
// down to a multiple of unit, 1 or more, and what remains goes to the first place. A field smaller than the table has a row
// for gets an error.
func (t PrizeTable) Prizes(field int, pool, unit int64) ([]int64, error) {
	for _, row := range slices.Backward(t) {
		if row.From <= field {
			return share(pool, row.Parts, unit), nil
		}
	}
	return nil, fmt.Errorf("prizes: no row for a field of %d: the tournament cannot be played", field)
}

func share(pool int64, parts []int64, unit int64) []int64 {
	out := make([]int64, len(parts))
	for i, part := range parts {
		out[i] = scale(pool, part, Whole) / unit * unit
	}
	out[0] += pool - sum(out)
	return out
}

// Validate reports every fault of the table.
func (t PrizeTable) Validate() error {
	if len(t) == 0 {
		return errors.New("prizes: no rows given")
	}
	var errs []error
	for i, row := range t {
		err := partsFault(row.Parts, row.From)
		if i > 0 && row.From <= t[i-1].From {
			err = errors.Join(err, fmt.Errorf("a field of %d does not come after %d", row.From, t[i-1].From))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("prizes row %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

// partsFault reports parts that cannot be paid to a number of players, or pay a worse place more than a better one.
func partsFault(parts []int64, players int) error {
	switch {
	case len(parts) == 0 || len(parts) > players:
		return fmt.Errorf("%d prizes for %d players", len(parts), players)
	case slices.Min(parts) < 0 || slices.Max(parts) > Whole || sum(parts) != Whole:
		return fmt.Errorf("parts %v: want none below 0 and %d together", parts, Whole)
	}
	for i := range parts[1:] {
		if parts[i+1] > parts[i] {
			return fmt.Errorf("place %d gets more than place %d", i+2, i+1)
		}
	}
	return nil
}

// Finished is where a player finished, and the prize for it, 0 for none. Players who share places have the best of them.
type Finished struct {
	Place int
	Prize int64
}

// Finish places the players who went out in one hand, of which left are still in. stacks are what they began the hand with:
// who had more places higher. Decision: equal stacks share their places, the prizes of these are put together and shared
// equally, and the odd cents go one each in the order of stacks, for which the caller takes that of the seats from the left
// of the button. prizes are those of the event, first place first. The answer is in the order of stacks.
func Finish(prizes []int64, left int, stacks []int64) []Finished {
	out := make([]Finished, len(stacks))
	place := left + 1
	for order := bySize(stacks); len(order) > 0; {
		tied := 1
		for tied < len(order) && stacks[order[tied]] == stacks[order[0]] {
			tied++
		}
		var together int64
		for p := place; p < place+tied && p <= len(prizes); p++ {
			together += prizes[p-1]
		}
		for i, player := range order[:tied] {
			out[player] = Finished{Place: place, Prize: equalShare(together, tied, i)}
		}
		place += tied
		order = order[tied:]
	}
	return out
}

// bySize lists the indices of stacks, larger ones first, equal ones as they come.
func bySize(stacks []int64) []int {
	order := make([]int, len(stacks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(stacks[b], stacks[a]) })
	return order
}

// equalShare is share number i, from 0, of an amount in n equal shares, of which the first take the odd cents.
func equalShare(amount int64, n, i int) int64 {
	share := amount / int64(n)
	if int64(i) < amount%int64(n) {
		share++
	}
	return share
}
