package eval

import (
	"fmt"

	"tavolo/engine/card"
)

var categoryText = [...]string{
	0:             "no hand",
	HighCard:      "high card",
	Pair:          "pair",
	TwoPair:       "two pair",
	Trips:         "three of a kind",
	Straight:      "straight",
	Flush:         "flush",
	FullHouse:     "full house",
	Quads:         "four of a kind",
	StraightFlush: "straight flush",
}

// String is the category in English: full house.
func (c Category) String() string {
	if int(c) < len(categoryText) {
		return categoryText[c]
	}
	return fmt.Sprintf("category %d", uint8(c))
}

var rankText = [...]string{
	"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
}

func plural(r card.Rank) string {
	if r == card.Six {
		return "sixes"
	}
	return rankText[r] + "s"
}

// String says in English what the hand is, without its kickers: full house, aces over kings.
func (s Strength) String() string {
	c, ranks := s.Category(), s.Ranks()
	switch c {
	case HighCard:
		return rankText[ranks[0]] + " high"
	case Pair:
		return "pair of " + plural(ranks[0])
	case TwoPair:
		return fmt.Sprintf("two pair, %s and %s", plural(ranks[0]), plural(ranks[1]))
	case FullHouse:
		return fmt.Sprintf("full house, %s over %s", plural(ranks[0]), plural(ranks[1]))
	case Trips, Quads:
		return fmt.Sprintf("%v, %s", c, plural(ranks[0]))
	case StraightFlush:
		if ranks[0] == card.Ace {
			return "royal flush"
		}
		fallthrough
	case Straight, Flush:
		return fmt.Sprintf("%s-high %v", rankText[ranks[0]], c)
	}
	return c.String()
}
