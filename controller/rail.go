package controller

import (
	"slices"

	"tavolo/engine"
	"tavolo/engine/bonus"
)

// railRecord is a stake that was put behind a box, or taken back from there. What becomes of it follows from the hand.
type railRecord struct {
	ID string `json:"id,omitempty"`
	bonus.Behind
}

// back puts a player's stake behind a box for the next hand, whoever's box it is (BP-09).
func (t *Table) back(r *Request) error {
	s := &t.state
	switch {
	case r.From.Player == "":
		return refuse(CodeUnknownVerb, "who plays behind a box does it over the network")
	case !s.Rules.Game.Banked():
		return refuse(CodeUnknownVerb, "%s is not played against the house", s.Rules.Game.Name)
	case r.Seat < 1 || r.Seat > engine.MaxSeats || !s.Seats[r.Seat].Taken:
		return refuse(string(engine.CodeSeatEmpty), "there is no box to play behind at seat %d", r.Seat)
	case !t.stakes():
		return refuse(string(engine.CodeHandInPlay), "bets are placed before the deal")
	}
	var stake bonus.Stake
	if r.Amount != 0 || r.Bonus != 0 {
		var err error
		if stake, err = s.Rules.Stake(r.Seat, r.Amount, r.Bonus); err != nil {
			return err
		}
	}
	rec := railRecord{ID: r.ID, Behind: bonus.Behind{Player: r.From.Player, Box: int(r.Seat), Stake: stake}}
	rail, err := t.rail.Put(rec.Behind)
	if err != nil {
		return refuse(CodeRailFull, "%v", err)
	}
	t.rail = rail
	t.record(kindRail, rec)
	t.update().Backers = append(t.update().Backers, r.From.Player)
	return nil
}

// followRail has the stakes behind the boxes go the way of the hand, after some events of it, and gives the players whom it
// concerns.
func followRail(rail bonus.Rail, after *engine.State, events []engine.Event) (then bonus.Rail, players []string) {
	for i := range events {
		before := rail
		switch e := &events[i]; e.Kind {
		case engine.HandBegan:
			rail = before.Deal(func(box int) bool { return e.Dealt.Has(engine.Seat(box)) })
			players = append(players, names(before.Open)...)
		case engine.HandCalledOff:
			rail = before.CallOff()
			players = append(players, names(before.InPlay)...)
		case engine.HandEnded:
			rail = before.Settle(func(box int) (bonus.Line, bonus.Cards) { return after.Outcome(engine.Seat(box)) })
			players = append(players, names(before.InPlay)...)
		}
	}
	return rail, players
}

// names are the players of some stakes.
func names(stakes []bonus.Behind) (out []string) {
	for _, b := range stakes {
		if !slices.Contains(out, b.Player) {
			out = append(out, b.Player)
		}
	}
	return out
}
