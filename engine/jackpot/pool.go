package jackpot

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// HandID names a hand among all of a studio.
type HandID struct {
	// Table is the table's name, Hand the number of the hand there.
	Table string
	Hand  uint64
}

// Pool is the studio's jackpot pool, an account of its own, which its tables share (NX-B7). A table that does not know
// whether it was heard asks again: to each hand there is one addition and one payout, and the second time changes nothing.
// A table adds a hand's growth before it asks for the payout of the same hand. A Pool that several tables use is safe for
// any goroutine.
type Pool interface {
	// Add puts a hand's growth, 0 or more, into the pool.
	Add(hand HandID, growth int64) error
	// Pay takes out what Split gives of the pool at this moment, in one step, so that what another table adds meanwhile is
	// either shared or still there afterwards. The second time it gives the first payout again.
	Pay(hand HandID, beat Beat) (Payout, error)
	// Level is what the pool holds, to be published all the time (NX-B6).
	Level() int64
}

// ErrOtherwise is wrapped by errors about a hand that is in the books already, but otherwise: the table is in error, and
// nothing has changed.
var ErrOtherwise = errors.New("jackpot: the hand is in the books with other content")

// Fund is the books of a Pool, in memory. It knows every hand it heard of; the same calls in the same order give the same
// fund again, so a lasting Pool journals them. It belongs to one goroutine: a Pool made of it takes one call at a time.
type Fund struct {
	level int64
	added map[HandID]int64
	paid  map[HandID]award
}

// award is what was asked and answered for a hand.
type award struct {
	beat   Beat
	payout Payout
}

func (b Beat) equal(c Beat) bool {
	return slices.Equal(b.Losers, c.Losers) && slices.Equal(b.Winners, c.Winners) && slices.Equal(b.Dealt, c.Dealt)
}

func (b Beat) clone() Beat {
	return Beat{Losers: slices.Clone(b.Losers), Winners: slices.Clone(b.Winners), Dealt: slices.Clone(b.Dealt)}
}

func (p Payout) clone() Payout { return Payout{Payments: slices.Clone(p.Payments), Left: p.Left} }

// NewFund opens a fund that holds a starting amount of 0 or more.
func NewFund(level int64) *Fund {
	return &Fund{level: level, added: map[HandID]int64{}, paid: map[HandID]award{}}
}

// Add is Pool.Add. It refuses growth below 0, more than the pool can count, and another growth for a hand it knows.
func (f *Fund) Add(hand HandID, growth int64) error {
	before, known := f.added[hand]
	switch {
	case known && before != growth:
		return fmt.Errorf("%w: %v added %d, now %d", ErrOtherwise, hand, before, growth)
	case known:
		return nil
	case growth < 0 || growth > math.MaxInt64-f.level:
		return fmt.Errorf("jackpot: %v cannot add %d to a pool of %d", hand, growth, f.level)
	}
	f.added[hand] = growth
	f.level += growth
	return nil
}

// Pay is Pool.Pay. It refuses another beat for a hand it has paid.
func (f *Fund) Pay(hand HandID, beat Beat) (Payout, error) {
	if before, known := f.paid[hand]; known {
		if !before.beat.equal(beat) {
			return Payout{}, fmt.Errorf("%w: %v was paid for %v, now %v", ErrOtherwise, hand, before.beat, beat)
		}
		return before.payout.clone(), nil
	}
	payout := Split(f.level, beat)
	f.paid[hand] = award{beat.clone(), payout.clone()}
	f.level = payout.Left
	return payout, nil
}

// Level is Pool.Level.
func (f *Fund) Level() int64 { return f.level }
