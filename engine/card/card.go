// Package card holds the cards of the felt: ranks, suits, cards, sets of cards and the decks they come from.
//
// Text is the rule catalogue's: rank 2..9TJQKA, suit c d h s, so Td is the ten of diamonds; ?? is a card whose face is
// not known to the reader. Start at Card and Set.
package card

import (
	"fmt"
	"math/bits"
	"strings"
)

// Rank is a card's rank, Two (0) to Ace (12).
type Rank uint8

// The ranks, low to high.
const (
	Two Rank = iota
	Three
	Four
	Five
	Six
	Seven
	Eight
	Nine
	Ten
	Jack
	Queen
	King
	Ace
)

// Suit is a card's suit, Clubs (0) to Spades (3), in the order of text. Which suit is higher is a matter of the game.
type Suit uint8

// The suits.
const (
	Clubs Suit = iota
	Diamonds
	Hearts
	Spades
)

// Card is one card, or a hidden one. Its number is 1 + 4 × rank + suit: 2c is 1, As is 52.
type Card uint8

const (
	// None is no card: the zero value.
	None Card = 0
	// Hidden is a card whose face is not known, ?? in text.
	Hidden Card = 53
	// Count is the number of different faces.
	Count = 52
)

const (
	rankText = "23456789TJQKA"
	suitText = "cdhs"
)

// New gives the card of that rank and suit.
func New(r Rank, s Suit) Card { return Card(1 + 4*uint8(r) + uint8(s)) }

// Known reports whether c has a face.
func (c Card) Known() bool { return c >= 1 && c <= Count }

// Rank is the rank of a known card.
func (c Card) Rank() Rank { return Rank((c - 1) / 4) }

// Suit is the suit of a known card.
func (c Card) Suit() Suit { return Suit((c - 1) % 4) }

// String is the card in text: Td, ??, or -- for no card.
func (c Card) String() string {
	switch {
	case c == None:
		return "--"
	case !c.Known():
		return "??"
	}
	return string([]byte{rankText[c.Rank()], suitText[c.Suit()]})
}

// MarshalText writes the card as String does.
func (c Card) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Card) UnmarshalText(b []byte) error {
	if string(b) == "--" {
		*c = None
		return nil
	}
	v, err := Parse(string(b))
	if err == nil {
		*c = v
	}
	return err
}

// Parse reads one card: Td, or ?? for a hidden one.
func Parse(s string) (Card, error) {
	if s == "??" {
		return Hidden, nil
	}
	if len(s) == 2 {
		r, u := strings.IndexByte(rankText, s[0]), strings.IndexByte(suitText, s[1])
		if r >= 0 && u >= 0 {
			return New(Rank(r), Suit(u)), nil
		}
	}
	return None, fmt.Errorf("%q is no card: want a rank of %s and a suit of %s, as in Td, or ??", s, rankText, suitText)
}

// ParseAll reads cards written one after another, with or without spaces: AhKd or "Ah Kd".
func ParseAll(s string) ([]Card, error) {
	s = strings.ReplaceAll(s, " ", "")
	if len(s)%2 != 0 {
		return nil, fmt.Errorf("%q: half a card at the end", s)
	}
	cards := make([]Card, 0, len(s)/2)
	for i := 0; i < len(s); i += 2 {
		c, err := Parse(s[i : i+2])
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// MustParse is ParseAll for literals in tables and tests. It panics on bad text.
func MustParse(s string) []Card {
	cards, err := ParseAll(s)
	if err != nil {
		panic(err)
	}
	return cards
}

// Text writes cards one after another, as hand histories do: AhKd.
func Text(cards []Card) string {
	var b strings.Builder
	for _, c := range cards {
		b.WriteString(c.String())
	}
	return b.String()
}

// Set is a set of known cards, one bit a face: bit number 4 × rank + suit. The zero value is empty.
type Set uint64

// SetOf gathers cards; hidden ones and None are left out.
func SetOf(cards ...Card) Set {
	var s Set
	for _, c := range cards {
		s = s.Add(c)
	}
	return s
}

// Add gives s with c in it. A card without a face changes nothing.
func (s Set) Add(c Card) Set {
	if c.Known() {
		s |= 1 << (c - 1)
	}
	return s
}

// Remove gives s without c.
func (s Set) Remove(c Card) Set {
	if c.Known() {
		s &^= 1 << (c - 1)
	}
	return s
}

// Has reports whether c is in s.
func (s Set) Has(c Card) bool { return c.Known() && s&(1<<(c-1)) != 0 }

// Len is the number of cards in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Cards lists s from the lowest face to the highest.
func (s Set) Cards() []Card {
	out := make([]Card, 0, s.Len())
	for ; s != 0; s &= s - 1 {
		out = append(out, Card(1+bits.TrailingZeros64(uint64(s))))
	}
	return out
}

// String lists the set's cards as Text does.
func (s Set) String() string { return Text(s.Cards()) }

// The decks games are played with.
const (
	// French is the full deck of 52.
	French Set = 1<<52 - 1
	// Stripped32 is seven to ace, 32 cards.
	Stripped32 Set = French &^ (1<<(4*uint(Seven)) - 1)
	// Short36 is six to ace, 36 cards.
	Short36 Set = French &^ (1<<(4*uint(Six)) - 1)
)
