package simtable

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tavolo/controller"
	"tavolo/engine"
)

// slips are the wrong motions with chips that players make, now and then and by a seed, and the dealer's part in putting them right:
// a player who has made one leaves the chips as they lie until the dealer is told to ask.
type slips struct {
	percent int // of bets, and of bets that are taken in
	rng     *rand.Rand
	spoken  bool // what a player means by two motions was always announced

	made      map[string]int
	wrong     engine.Seats                      // where chips lie wrong
	coming    [engine.MaxSeats + 1]engine.Chips // that a player is yet to put in by a second motion
	announced engine.Seats                      // who said all of it before
}

func newSlips(opt Options) slips {
	return slips{
		percent: opt.Slips, rng: rand.New(rand.NewPCG(opt.Seed, chipSlips)), spoken: opt.Script != nil, made: map[string]int{},
	}
}

// chipSlips is the stream of random numbers that slips have; the players have those of their seats.
const chipSlips = 100

// betweenMotions is how long a player waits before the second motion, and stillTime for how long chips must have lain still before
// the dealer says that they are counted.
const betweenMotions, stillTime = 3 * time.Second, 8 * time.Second

// roll is whether something goes wrong.
func (r *rail) roll() bool { return r.rng.IntN(100) < r.percent }

// mistake puts chips down wrongly for a bet of so much more, and gives what the player does with it, false if nothing goes wrong.
func (r *rail) mistake(seat engine.Seat, more engine.Chips, raise bool) (m motion, made bool) {
	if !r.roll() {
		return said, false
	}
	kinds := []func(engine.Seat, engine.Chips) (string, motion){r.overChip, r.ownChange, r.undercall, r.early}
	if raise {
		kinds = []func(engine.Seat, engine.Chips) (string, motion){r.twoMotions, r.shortRaise, r.early}
	}
	for _, i := range r.rng.Perm(len(kinds)) {
		if name, m := kinds[i](seat, more); name != "" {
			r.made[name]++
			r.wrong = r.wrong.With(seat)
			return m, true
		}
	}
	return said, false
}

// silently is whether the player says nothing.
func (r *rail) silently() motion { return []motion{said, put}[r.rng.IntN(2)] }

// overChip: one chip larger than the call, and no word.
func (r *rail) overChip(seat engine.Seat, more engine.Chips) (string, motion) {
	stack := r.lies[stackOf(seat)]
	large, ok := stack.takeOne(more + 1)
	r.lies[stackOf(seat)] = stack
	switch {
	case !ok:
		return "", said
	case len(stack) == 0: // all-in
		r.lay(stackOf(seat), pile{large})
		return "", said
	}
	r.lay(spotOf(seat), pile{large})
	return "over-chip", put
}

// ownChange: the same, and the player takes the change out of the pot.
func (r *rail) ownChange(seat engine.Seat, more engine.Chips) (string, motion) {
	if !r.watched(potZone) {
		return "", said
	}
	if name, m := r.overChip(seat, more); name == "" {
		return name, m
	}
	change := r.lies[spotOf(seat)].last() - more
	if r.lies[potZone].worth() < change {
		return "over-chip", put
	}
	r.move(potZone, stackOf(seat), change)
	return "own change", r.silently()
}

// undercall: fewer chips than the call.
func (r *rail) undercall(seat engine.Seat, more engine.Chips) (string, motion) {
	return r.part("undercall", put, seat, more)
}

// shortRaise: a raise is announced, and fewer chips are put in.
func (r *rail) shortRaise(seat engine.Seat, more engine.Chips) (string, motion) {
	return r.part("short raise", said, seat, more)
}

// twoMotions: some chips, and then the rest. Of the first ones the table is to ask what they are, if all was announced.
func (r *rail) twoMotions(seat engine.Seat, more engine.Chips) (string, motion) {
	legal := r.view.Awaits.Legal
	if legal == nil {
		return "", said
	}
	first := cmp.Or(legal.ToCall, legal.MinTo)
	name, m := r.part("two motions", begun, seat, first)
	if name == "" {
		return name, m
	}
	r.coming[seat] = more - first/2
	r.announced = r.announced.Without(seat)
	if r.spoken || r.rng.IntN(2) == 0 {
		r.announced = r.announced.With(seat)
	}
	return name, m
}

// early: the chips go into the pot instead of before the player.
func (r *rail) early(seat engine.Seat, more engine.Chips) (string, motion) {
	if !r.watched(potZone) {
		return "", said
	}
	r.move(stackOf(seat), potZone, more)
	return "early into the pot", r.silently()
}

// part puts half of some chips in.
func (r *rail) part(name string, m motion, seat engine.Seat, n engine.Chips) (string, motion) {
	chips := r.take(stackOf(seat), n/2)
	if chips.worth() != n/2 || n/2 == 0 {
		r.lay(stackOf(seat), chips)
		return "", said
	}
	r.lay(spotOf(seat), chips)
	return name, m
}

// again is the second motion of a seat.
func (r *rail) again(seat engine.Seat) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.coming[seat]
	r.coming[seat] = 0
	if r.wrong.Has(seat) {
		r.move(stackOf(seat), spotOf(seat), n)
	}
	return r.show()
}

// slip leaves a chip of a bet that is taken in where it lies, now and then, and forgets what is right again.
func (r *rail) slip() {
	for _, p := range r.view.Seats {
		stack, spot := r.lies[stackOf(p.Seat)], r.lies[spotOf(p.Seat)]
		switch {
		case !r.felt.Has(p.Seat) || r.coming[p.Seat] != 0:
		case r.wrong.Has(p.Seat):
			if stack.worth() == p.Stack && spot.worth() == p.Bet {
				r.wrong = r.wrong.Without(p.Seat)
			}
		case p.Bet == 0 && r.put[p.Seat] == 0 && len(spot) > 0 && r.watched(spotOf(p.Seat)) && r.roll():
			r.move(spotOf(p.Seat), potZone, spot.worth()-spot.last())
			r.made["left on the spot"]++
			r.wrong = r.wrong.With(p.Seat)
		}
	}
}

// right puts right what has gone wrong at a seat, or at all of them for seat 0, and reports whether anything had.
func (r *rail) right(seat engine.Seat) (moved bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wrong := r.wrong
	if seat != 0 {
		wrong = r.wrong & engine.Seats(0).With(seat)
	}
	if r.busy(wrong) || wrong == 0 {
		return false, nil
	}
	r.wrong &^= wrong
	return true, errors.Join(r.arrange(), r.show())
}

// busy is whether one of some seats has yet to make a second motion.
func (r *rail) busy(seats engine.Seats) bool {
	return slices.ContainsFunc(seats.List(), func(s engine.Seat) bool { return r.coming[s] != 0 })
}

// still is how long chips have yet to lie still, and right, before anybody can say that they were counted.
func (r *rail) still() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wrong != 0 || r.others {
		return stillTime
	}
	return max(0, stillTime-time.Since(r.moved))
}

// answer is what the dealer says at a prompt about chips, by the rules and by what the player has announced; "" if that is for later,
// or is done by moving chips.
func (r *rail) answer(p *controller.Prompt) (choice string, err error) {
	z, _ := engine.ParseZone(p.Zone)
	offers := func(id string) bool {
		return slices.ContainsFunc(p.Choices, func(c controller.Choice) bool { return c.ID == id })
	}
	r.mu.Lock()
	busy, lies, announced := r.busy(engine.Seats(0).With(z.Seat)), r.lies[z].worth(), r.announced.Has(z.Seat)
	r.mu.Unlock()
	found := fmt.Sprintf("is_%d", lies)
	switch {
	case busy || !slices.Contains(r.places(), z):
		return "", nil
	case p.Code == "two_motions" && announced && offers("all"):
		return "all", nil
	case p.Code == "chips_unsure" && offers(found):
		return found, nil
	case p.Code != "chips_unsure" && len(p.Choices) > 0 && p.Choices[0].ID != "counted" && p.Choices[0].ID != "hold":
		return p.Choices[0].ID, nil
	}
	if moved, err := r.right(z.Seat); moved || err != nil {
		return "", err
	}
	if r.still() == 0 && offers("counted") {
		return "counted", nil
	}
	return "", nil
}
