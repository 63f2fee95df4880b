package selfplay

import (
	"fmt"

	"tavolo/engine"
	"tavolo/engine/rake"
)

// Setup is a game under a limit and a house.
type Setup struct {
	Game  *engine.Game
	Limit engine.Limit
	House *engine.House
	// Powers are played with, nil for none.
	Powers *engine.Powers
}

// String names the three as the command line does, and says where there are powers: holdem no-limit naiko powers.
func (s Setup) String() string {
	text := fmt.Sprintf("%s %v %s", s.Game.Name, s.Limit, s.House.Name)
	if s.Powers != nil {
		text += " powers"
	}
	return text
}

// Setups are all there are of the game, limit and house with those names, of every one where the name is empty; where the
// house plays with powers, without them and with them. A game against the house has one limit only.
func Setups(game, limit, house string) ([]Setup, error) {
	games, houses := engine.Games, engine.Houses
	least, most := engine.NoLimit, engine.SpreadLimit
	if game != "" {
		g, err := engine.GameNamed(game)
		if err != nil {
			return nil, err
		}
		games = []*engine.Game{g}
	}
	if limit != "" {
		l, err := engine.LimitNamed(limit)
		if err != nil {
			return nil, err
		}
		least, most = l, l
	}
	if house != "" {
		h, err := engine.HouseNamed(house)
		if err != nil {
			return nil, err
		}
		houses = []*engine.House{h}
	}
	var all []Setup
	for _, g := range games {
		for l := least; l <= most; l++ {
			if g.Banked() && l != engine.FixedLimit {
				continue
			}
			for _, h := range houses {
				all = append(all, Setup{g, l, h, nil})
				if naiko := (Setup{g, l, h, engine.Naiko}); h.Name == "naiko" && naiko.rules(first).Validate() == nil {
					all = append(all, naiko)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s is not played under %s: want fixed", game, limit)
	}
	return all, nil
}

// first is chance that always gives the first of several.
func first() uint64 { return 0 }

// seats is how many a table of the setup has.
func (s Setup) seats() int { return min(s.House.MaxSeats, s.Game.MaxPlayers()) }

// rules are those of one table, with stakes of any kind and a rake at every other.
func (s Setup) rules(r random) *engine.Rules {
	rules := &engine.Rules{Game: s.Game, Limit: s.Limit, House: s.House, Powers: s.Powers}
	st := &rules.Stakes
	if s.Game.Banked() {
		st.MinAnte, st.MaxAnte = pick[engine.Chips](r, 1, 2, 10), pick[engine.Chips](r, 10, 100, 1000)
		st.MinBonus, st.MaxBonus = 1, pick[engine.Chips](r, 0, 25, 25, 500)
		return rules
	}
	unit := pick[engine.Chips](r, 2, 10, 25, 100) // the big blind, or the bring-in
	st.Chip = pick[engine.Chips](r, 0, 1, 5)
	if s.Game.BringIn {
		st.Ante = max(unit/2, 1)
		st.BringIn = unit
	} else {
		st.SmallBlind, st.BigBlind = pick(r, 0, 1, unit/2, unit/2, unit/2, unit), unit
		st.Ante = pick(r, 0, 0, 0, 1, unit/2)
		st.BigBlindAnte = pick(r, 0, 0, 0, unit)
	}
	switch s.Limit {
	case engine.FixedLimit:
		st.SmallBet = unit * pick[engine.Chips](r, 1, 2)
		st.BigBet = st.SmallBet * 2
	case engine.SpreadLimit:
		st.Spread = [3]engine.Chips{unit, unit * pick[engine.Chips](r, 1, 2), unit * pick[engine.Chips](r, 2, 3)}
	case engine.NoLimit, engine.PotLimit:
		st.Cap = pick(r, 0, 0, 0, 2*unit, 10*unit+3)
	}
	if s.Limit != engine.SpreadLimit && s.Limit != engine.FixedLimit {
		st.MinBet = pick(r, 0, 0, 2*unit)
		if st.Cap > 0 {
			st.MinBet = 0
		}
	}
	if row, err := rake.Noxwin.Row(s.Limit.String(), int64(unit)); err == nil && r.once(2) {
		rules.Rake = row
	}
	return rules
}
