package bonus

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxBehind is how many stakes may be behind the boxes of a table at once.
const MaxBehind = 10_000

// Behind is the stake of a player behind somebody else's box (BP-09). The money is his own and comes from outside the table:
// once the box is settled he owes his bets, and is owed what the house hands back.
type Behind struct {
	Player string `json:"player"`
	// Box is the box's number: its seat, from 1.
	Box int `json:"box"`
	Stake
}

// Settled is what became of a stake behind a box.
type Settled struct {
	Behind
	// Bets are those that the box's decisions made of the stake, Back is what the house hands back for each.
	Bets Bets `json:"bets"`
	Back Bets `json:"back"`
}

// Rail is who plays behind the boxes of a table: any number of players behind any number of boxes. It is a value that is never
// changed: each method gives another. The zero value is that of a new table.
type Rail struct {
	// Open are the stakes put down for the next deal, InPlay those of the deal in play, by box and player. They are to read.
	Open   []Behind `json:"open,omitempty"`
	InPlay []Behind `json:"in_play,omitempty"`
	// Settled is what became of those of the last deal, until the next.
	Settled []Settled `json:"settled,omitempty"`
	// Won is what the house has won from them since the table was opened, less what it paid.
	Won int64 `json:"won,omitempty"`
}

// Put puts a stake behind a box for the next deal, in place of the one that the player has there; the zero Stake takes it
// back. Limits.Stake says what a stake may be. The error is that there are too many.
func (r Rail) Put(b Behind) (Rail, error) {
	i, found := slices.BinarySearchFunc(r.Open, b, byBox)
	open := slices.Clone(r.Open)
	switch {
	case found && b.Stake == Stake{}:
		open = slices.Delete(open, i, i+1)
	case found:
		open[i] = b
	case b.Stake == Stake{}:
	case len(open) >= MaxBehind:
		return r, fmt.Errorf("%d stakes are behind the boxes: there is room for no more", len(open))
	default:
		open = slices.Insert(open, i, b)
	}
	r.Open = open
	return r, nil
}

func byBox(a, b Behind) int {
	return cmp.Or(cmp.Compare(a.Box, b.Box), cmp.Compare(a.Player, b.Player))
}

// Deal has a deal begin: the stakes behind boxes that are dealt to are in play, the others go back.
func (r Rail) Deal(dealt func(box int) bool) Rail {
	r.InPlay = slices.DeleteFunc(slices.Clone(r.Open), func(b Behind) bool { return !dealt(b.Box) })
	r.Open, r.Settled = nil, nil
	return r
}

// CallOff ends a deal that was called off: the stakes go back.
func (r Rail) CallOff() Rail {
	r.InPlay = nil
	return r
}

// Settle ends a deal: each stake follows its box, of which outcome tells the decisions and cards. A bonus bet behind a box
// that folded with cards nobody has seen goes back.
func (r Rail) Settle(outcome func(box int) (Line, Cards)) Rail {
	r.Settled = make([]Settled, len(r.InPlay))
	for i, b := range r.InPlay {
		line, cards := outcome(b.Box)
		s := Settled{Behind: b, Bets: b.Stake.Bets(line)}
		stake := b.Stake
		if unseen := cards.Box.Len() != 2 || cards.House.Len() != 2; unseen && !line.Play {
			stake.Bonus = 0
			s.Back.Bonus = s.Bets.Bonus
		}
		back := Settle(stake, line, cards)
		back.Bonus += s.Back.Bonus
		s.Back = back
		r.Won += s.Bets.Total() - s.Back.Total()
		r.Settled[i] = s
	}
	r.InPlay = nil
	return r
}
