package engine

import (
	"fmt"
	"sort"
	"strings"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// Games are the games there are, one literal each. A new game is a new row.
var Games = []*Game{
	// NX-41, TC-19..21, NK-02.
	{Name: "holdem", Title: "Texas Hold'em", Deck: card.French, High: eval.Standard, Streets: boardStreets(2)},
	// NX-42: exactly two of the hole cards with exactly three of the board.
	{Name: "omaha", Title: "Omaha", Deck: card.French, High: eval.Standard, Use: eval.TwoAndThree, Streets: boardStreets(4)},
}

// boardStreets are the four streets of the games with a flop, for that many hole cards.
func boardStreets(hole int) []Street {
	return []Street{
		{Name: "preflop", Down: hole, Opener: LeftOfBlinds},
		{Name: "flop", Burn: true, Board: 3, Opener: LeftOfButton},
		{Name: "turn", Burn: true, Board: 1, Opener: LeftOfButton, Big: true},
		{Name: "river", Burn: true, Board: 1, Opener: LeftOfButton, Big: true},
	}
}

// Houses are the houses there are, one value each. A new house is a new row.
var Houses = []*House{
	// TD-01..07: what a card room expects where no other house is chosen.
	{Name: "tda", MinSeats: 2, MaxSeats: 10, Burn: true, RaiseCap: 3, HeadsUpUncapped: true},
}

// GameNamed finds a game by its short name.
func GameNamed(name string) (*Game, error) {
	for _, g := range Games {
		if g.Name == name {
			return g, nil
		}
	}
	return nil, unknown("game", name, Games, func(g *Game) string { return g.Name })
}

// HouseNamed finds a house by its profile's name.
func HouseNamed(name string) (*House, error) {
	for _, h := range Houses {
		if h.Name == name {
			return h, nil
		}
	}
	return nil, unknown("house", name, Houses, func(h *House) string { return h.Name })
}

func unknown[T any](what, name string, all []T, nameOf func(T) string) error {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = nameOf(v)
	}
	sort.Strings(names)
	return fmt.Errorf("unknown %s %q: want one of %s", what, name, strings.Join(names, ", "))
}
