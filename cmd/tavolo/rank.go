package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

func rankCommand() *cobra.Command {
	var game, house, board string
	c := &cobra.Command{
		Use:   "rank --game G [--house H] [--board CARDS] HAND...",
		Short: "Rank hands from the best to the worst",
		Long: `Rank hands from the best to the worst.

Prints a line for each hand: its position, which equal hands share, what it is, the five cards that count, and the
hole cards it was given by. Where low hands win half of the pot, the position, the words and the cards of the low hand stand
before the hole cards, dashes for none. Cards are written AhKd, hands that share cards may be compared. Two hands are ranked
as those of the only players left, which matters in Telesina (NX-93).`,
		Example: `  tavolo rank --game holdem --board QsJsTs2d2c AsKs 2h2s QhQd
  tavolo rank --game omaha8 --board 3s4d8hKhTc AsAdKcKd Ah2hQcQd`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, hands []string) error {
			g, err := engine.GameNamed(game)
			if err != nil {
				return usageError{err}
			}
			if _, err := engine.HouseNamed(house); err != nil { // so far all houses rank alike
				return usageError{err}
			}
			ranked, err := rankHands(g, board, hands)
			if err != nil {
				return usageError{err}
			}
			return printRanked(outputOf(cmd), g, ranked)
		},
	}
	c.Flags().StringVar(&game, "game", "", "game by whose rules hands rank")
	c.Flags().StringVar(&house, "house", "tda", "house where it is played")
	c.Flags().StringVar(&board, "board", "", "community cards")
	if err := c.MarkFlagRequired("game"); err != nil {
		panic(err) // the flag was made above
	}
	return c
}

// rankedHand is one hand and how it compares.
type rankedHand struct {
	rankedHalf
	Hand []card.Card `json:"hand"`          // the hole cards
	Low  *rankedHalf `json:"low,omitempty"` // the low hand, where there is one
}

// rankedHalf is what a hand is worth for the pot, or for one half of it.
type rankedHalf struct {
	Position int         `json:"position"` // 1 for the best; equal hands share it
	Category string      `json:"category"` // full house
	Text     string      `json:"text"`     // full house, aces over kings
	Cards    []card.Card `json:"cards"`    // that count, up to five

	strength eval.Strength
}

func newRankedHalf(by eval.Ranking, use eval.Selection, hole, board card.Set) rankedHalf {
	strength, cards := by.Best(use, hole, board)
	return rankedHalf{Category: strength.Category().String(), Text: strength.String(), Cards: cards, strength: strength}
}

// rankHands ranks hands, given by their hole cards, from the best to the worst; equal ones stay in their order.
func rankHands(g *engine.Game, boardText string, hands []string) ([]rankedHand, error) {
	holeCards, boardCards := fullHand(g)
	board, err := parseFaces(g, boardText, 0)
	if err != nil {
		return nil, fmt.Errorf("board: %w", err)
	}
	if len(board) > boardCards {
		return nil, fmt.Errorf("board: %d cards, %s has no more than %d", len(board), g.Name, boardCards)
	}
	ranked := make([]rankedHand, len(hands))
	var high, low []*rankedHalf
	for i, text := range hands {
		hole, err := parseFaces(g, text, card.SetOf(board...))
		if err != nil {
			return nil, fmt.Errorf("hand %d: %w", i+1, err)
		}
		if len(hole) > holeCards || boardCards > 0 && len(hole) < holeCards {
			return nil, fmt.Errorf("hand %d: %d cards, a seat has %d in %s", i+1, len(hole), holeCards, g.Name)
		}
		h := &ranked[i]
		h.Hand, h.rankedHalf = hole, newRankedHalf(g.High, g.Use, card.SetOf(hole...), card.SetOf(board...))
		if h.strength == 0 {
			return nil, fmt.Errorf("hand %d: no hand of %s with a board of %d cards", i+1, g.Name, len(board))
		}
		high = append(high, &h.rankedHalf)
		if g.Low.Of == nil {
			continue
		}
		if half := newRankedHalf(g.Low, g.Use, card.SetOf(hole...), card.SetOf(board...)); half.strength > 0 {
			h.Low = &half
			low = append(low, h.Low)
		}
	}
	place(g.High, high, len(hands))
	place(g.Low, low, len(hands))
	slices.SortStableFunc(ranked, func(a, b rankedHand) int { return cmp.Compare(a.Position, b.Position) })
	return ranked, nil
}

// place sets the positions of hands that so many players have.
func place(by eval.Ranking, halves []*rankedHalf, players int) {
	for _, h := range halves {
		h.Position = 1
		for _, other := range halves {
			if by.Compare(other.strength, h.strength, players) > 0 {
				h.Position++
			}
		}
	}
}

// fullHand is how many hole cards a seat and how many cards the board have in a game when all are dealt.
func fullHand(g *engine.Game) (hole, board int) {
	for _, st := range g.Streets {
		hole += st.Down + st.Up
		board += st.Board
	}
	return hole, board
}

// parseFaces is parseCards for cards that must be known.
func parseFaces(g *engine.Game, text string, taken card.Set) ([]card.Card, error) {
	cards, err := parseCards(g, text, taken)
	if err == nil && slices.Contains(cards, card.Hidden) {
		return nil, fmt.Errorf("%s: a hidden card cannot be ranked", text)
	}
	return cards, err
}

// parseCards reads different cards of a game's deck, none of them among those that are taken. Some may be hidden.
func parseCards(g *engine.Game, text string, taken card.Set) ([]card.Card, error) {
	cards, err := card.ParseAll(text)
	if err != nil {
		return nil, err
	}
	for _, c := range cards {
		switch {
		case c == card.Hidden:
		case !g.Deck.Has(c):
			return nil, fmt.Errorf("%s: %v is not in the deck of %s", text, c, g.Name)
		case taken.Has(c):
			return nil, fmt.Errorf("%s: %v is there twice", text, c)
		}
		taken = taken.Add(c)
	}
	return cards, nil
}

func printRanked(out output, g *engine.Game, ranked []rankedHand) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range ranked {
		if out.json {
			out.print(h, "")
			continue
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t", h.Position, h.Text, card.Text(h.Cards))
		switch {
		case h.Low != nil:
			fmt.Fprintf(table, "%d\t%s\t%s\t", h.Low.Position, h.Low.Text, card.Text(h.Low.Cards))
		case g.Low.Of != nil:
			fmt.Fprint(table, "-\t-\t-\t")
		}
		fmt.Fprintln(table, card.Text(h.Hand))
	}
	return errors.Join(table.Flush(), out.Flush())
}
