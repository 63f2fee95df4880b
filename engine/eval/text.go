package eval

import (
	"fmt"
	"strings"

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
	FourStraight:  "four-straight",
	FourFlush:     "four-flush",
	Low:           "low",
	OneCard:       "one card",
	TwoCards:      "two cards",
	ThreeCards:    "three cards",
	FourCards:     "badugi",
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

var suitText = [...]string{"clubs", "diamonds", "hearts", "spades"}

func plural(r card.Rank) string {
	if r == card.Six {
		return "sixes"
	}
	return rankText[r] + "s"
}

// String says in English what the hand is, without its kickers: full house, aces over kings; of a low the two highest
// ranks: seven-five low.
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
	case FourStraight, FourFlush:
		return fmt.Sprintf("%v, %s high", c, rankText[ranks[0]])
	case Low:
		return joined(ranks[:min(2, len(ranks))]) + " low"
	case OneCard, TwoCards, ThreeCards, FourCards:
		return fmt.Sprintf("%v, %s", c, joined(ranks))
	case StraightFlush:
		if ranks[0] == card.Ace {
			return "royal flush"
		}
		fallthrough
	case Straight, Flush:
		if suit, ok := s.digit(firstDigit).suit(); ok { // in Telesina, whatever the ranks
			return "flush of " + suitText[suit]
		}
		return fmt.Sprintf("%s-high %v", rankText[ranks[0]], c)
	}
	return c.String()
}

// joined is ranks in a row: seven-five.
func joined(ranks []card.Rank) string {
	words := make([]string, len(ranks))
	for i, r := range ranks {
		words[i] = rankText[r]
	}
	return strings.Join(words, "-")
}
