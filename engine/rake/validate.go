package rake

import (
	"errors"
	"fmt"
	"slices"
)

// MaxAmount is the largest amount a Table may name, as engine.MaxChips.
const MaxAmount int64 = 1e15

// Validate reports every fault of the table: rows that are not well formed, and, of those that are, the smallest pot that
// would pay more than a tenth (TC-01): at least 90 % of every hand goes back to the players, and so of every session.
func (t Table) Validate() error {
	var errs []error
	for i := range t {
		r := &t[i]
		err := r.form()
		if err == nil {
			err = errors.Join(r.tenth(), t[:i].order(r))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("rake row %d (%s): %w", i+1, r.Name, err))
		}
	}
	return errors.Join(errs...)
}

// order reports an earlier row for the same limit that does not come before this one by its stakes.
func (t Table) order(r *Row) error {
	for j := range t {
		for _, limit := range r.Limits {
			if t[j].Stakes >= r.Stakes && slices.Contains(t[j].Limits, limit) {
				return fmt.Errorf("stakes: %d does not come after the %d of row %d, for %s too", r.Stakes, t[j].Stakes, j+1, limit)
			}
		}
	}
	return nil
}

// form reports what is not well formed in the row.
func (r *Row) form() error {
	switch {
	case len(r.Limits) == 0:
		return errors.New("limits: none given")
	case !inRange(r.Stakes):
		return fmt.Errorf("stakes: %d is not within 0 and %d", r.Stakes, MaxAmount)
	case len(r.Steps) == 0:
		return errors.New("steps: none given")
	}
	return errors.Join(r.stepForm(), listForm("caps", r.Caps), listForm("thresholds", r.Thresholds))
}

func (r *Row) stepForm() error {
	from := int64(0)
	for i, s := range r.Steps {
		last := i == len(r.Steps)-1
		switch {
		case s.Per < 1 || s.Per > MaxAmount || s.Take < 0 || s.Take > s.Per:
			return fmt.Errorf("steps[%d]: cannot take %d per %d", i, s.Take, s.Per)
		case last && s.Below != 0:
			return fmt.Errorf("steps[%d]: the last step ends below %d: want 0 for no end", i, s.Below)
		case !last && (s.Below <= from || s.Below > MaxAmount):
			return fmt.Errorf("steps[%d]: ends below %d: want above %d, where it begins", i, s.Below, from)
		}
		from = s.Below
	}
	return nil
}

func listForm(name string, list []ForPlayers) error {
	for i, f := range list {
		switch {
		case i == 0 && f.From != 2:
			return fmt.Errorf("%s[0]: begins at %d players: want 2", name, f.From)
		case i > 0 && f.From <= list[i-1].From:
			return fmt.Errorf("%s[%d]: %d players does not come after %d", name, i, f.From, list[i-1].From)
		case !inRange(f.Amount):
			return fmt.Errorf("%s[%d]: %d is not within 0 and %d", name, i, f.Amount, MaxAmount)
		}
	}
	return nil
}

func inRange(amount int64) bool { return amount >= 0 && amount <= MaxAmount }

// tenth reports the smallest pot that pays more than a tenth of itself. Within a step the rate is highest at the smallest
// pot or at the first full Per, since from one full Per to the next it falls, and at full Pers it never rises: so these
// two pots of each step stand for all, and each number of players at which a list changes for all up to the next.
func (r *Row) tenth() error {
	players := []int{2}
	for _, f := range slices.Concat(r.Caps, r.Thresholds) {
		players = append(players, f.From)
	}
	slices.Sort(players)
	for _, n := range slices.Compact(players) {
		from := max(1, amountFor(r.Thresholds, n, 0))
		for _, s := range r.Steps {
			for _, pot := range []int64{from, (from + s.Per - 1) / s.Per * s.Per} {
				inStep := s.Below == 0 || pot < s.Below
				if take := r.Take(pot, n); inStep && take*10 > pot {
					return fmt.Errorf("a pot of %d with %d players would pay %d, more than a tenth of it (TC-01): "+
						"lower the rate or the cap", pot, n, take)
				}
			}
			from = max(from, s.Below)
		}
	}
	return nil
}
