package phh

import (
	"fmt"
	"slices"

	"tavolo/engine/card"
)

// cards follows which card lies where, so that none lies in two places. It holds a hand against itself, not against the
// rules: how many cards a game deals is not its business.
type cards struct {
	deck   card.Set
	redeal bool // a card of the muck may be dealt again
	keep   bool // who folds keeps the cards, which may be shown yet
	hole   [][]card.Card
	board  card.Set
	muck   card.Set
}

func newCards(v variant, players int) *cards {
	deck := v.deck
	if deck == 0 {
		deck = card.French
	}
	return &cards{deck: deck, redeal: v.draw, keep: v.banked, hole: make([][]card.Card, players)}
}

// move does what an action does with cards. After an error the cards are in disorder.
func (c *cards) move(a Action) error {
	switch {
	case a.Kind == DealHole:
		return c.deal(a.Player, a.Cards)
	case a.Kind == DealBoard:
		return c.dealBoard(a.Cards)
	case a.Kind == Discard, a.Kind == Swap:
		return c.discard(a.Player, a.Cards)
	case a.Kind == ShowOrMuck && len(a.Cards) > 0:
		return c.show(a.Player, a.Cards)
	case a.Kind == Fold && c.keep:
	case a.Kind == Fold, a.Kind == ShowOrMuck:
		for _, x := range c.hole[a.Player] {
			c.muck = c.muck.Add(x)
		}
		c.hole[a.Player] = nil
	}
	return nil
}

func (c *cards) deal(player int, dealt []card.Card) error {
	for _, x := range dealt {
		if err := c.take(x); err != nil {
			return err
		}
		c.hole[player] = append(c.hole[player], x)
	}
	return nil
}

// dealBank has the house's cards lie where no other can.
func (c *cards) dealBank(dealt []card.Card) error {
	for _, x := range dealt {
		if err := c.take(x); err != nil {
			return err
		}
		c.muck = c.muck.Add(x)
	}
	return nil
}

func (c *cards) dealBoard(dealt []card.Card) error {
	for _, x := range dealt {
		if err := c.take(x); err != nil {
			return err
		}
		c.board = c.board.Add(x)
	}
	return nil
}

func (c *cards) discard(player int, gone []card.Card) error {
	hole := c.hole[player]
	for _, x := range gone {
		i, err := c.find(player, hole, x)
		if err != nil {
			return err
		}
		hole = slices.Delete(hole, i, i+1)
		c.hole[player] = hole
		c.muck = c.muck.Add(x)
	}
	return nil
}

// show turns hidden cards of the player into the ones shown. A hidden card among those shown may be any of his.
func (c *cards) show(player int, shown []card.Card) error {
	rest := slices.Clone(c.hole[player])
	if len(shown) > len(rest) {
		return fmt.Errorf("p%d shows %d cards but has %d", player+1, len(shown), len(rest))
	}
	for _, x := range shown {
		if !x.Known() {
			continue
		}
		i, err := c.find(player, rest, x)
		if err != nil {
			return err
		}
		if rest[i] == card.Hidden {
			c.hole[player][slices.Index(c.hole[player], card.Hidden)] = x
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return nil
}

// shown gives all cards of a player, which must be known.
func (c *cards) shown(player int) ([]card.Card, error) {
	hole := c.hole[player]
	if len(hole) == 0 || slices.Contains(hole, card.Hidden) {
		return nil, fmt.Errorf("- stands for cards that are known, and those of p%d are not", player+1)
	}
	return slices.Clone(hole), nil
}

// find is where x is among the player's cards in hole. A hidden card there may turn out to be x.
func (c *cards) find(player int, hole []card.Card, x card.Card) (int, error) {
	if i := slices.Index(hole, x); i >= 0 {
		return i, nil
	}
	i := slices.Index(hole, card.Hidden)
	if i < 0 {
		return 0, fmt.Errorf("p%d does not have %v", player+1, x)
	}
	return i, c.take(x)
}

// take has a card come from the stub. A hidden one always may.
func (c *cards) take(x card.Card) error {
	if !x.Known() {
		return nil
	}
	if !c.deck.Has(x) {
		return fmt.Errorf("%v is not in the deck of this game", x)
	}
	for p, hole := range c.hole {
		if slices.Contains(hole, x) {
			return fmt.Errorf("duplicate card: p%d has %v", p+1, x)
		}
	}
	if c.board.Has(x) {
		return fmt.Errorf("duplicate card: %v is on the board", x)
	}
	if c.muck.Has(x) && !c.redeal {
		return fmt.Errorf("duplicate card: %v is in the muck", x)
	}
	c.muck = c.muck.Remove(x)
	return nil
}
