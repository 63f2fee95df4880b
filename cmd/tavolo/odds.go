package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/engine/bonus"
)

func oddsCommand() *cobra.Command {
	c := &cobra.Command{Use: "odds", Short: "Find the house edge of a game by playing every hand there is"}
	c.AddCommand(&cobra.Command{
		Use:   "bonus",
		Short: "The house edge of Bonus Poker, and what each starting hand is worth",
		Long: `Find the house edge of Bonus Poker by playing every hand there is, which takes some seconds.

Prints a line for each starting hand, from the best to the worst: what it wins on average if it is played, in antes, and
how often it bets before the turn and the river; to fold is worth -1. Then what perfect play comes to. All figures are
exact, rounded in their last digit.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printBonusOdds(cmd) },
	})
	return c
}

func printBonusOdds(cmd *cobra.Command) error {
	flops, sums := bonus.Flops(), new(bonus.Sums)
	bar := newProgress(cmd, len(flops), "flops")
	err := eachInOrder(cmd.Context(), flops, bonus.Enumerate, func(s *bonus.Sums) {
		sums.Add(s)
		bar.step()
	})
	bar.clear()
	if err != nil {
		return err
	}
	out, odds := outputOf(cmd), sums.Odds()
	starts := odds.Starts[:]
	slices.SortStableFunc(starts, func(a, b bonus.StartOdds) int { return b.Value.Cmp(a.Value) })
	var folded []string
	for _, s := range starts {
		if s.Folds() {
			folded = append(folded, s.Start.String())
		}
		line := startLine{
			Hand: s.Start.String(), Value: decimal(s.Value), Folds: s.Folds(), Turn: percent(s.Turn), River: percent(s.River),
		}
		out.print(line, line.String())
	}
	total := bonusLine{
		Edge: percent(odds.Edge), ExactEdge: odds.Edge, Wager: decimal(odds.Wager), Folded: folded,
		BonusEdge: percent(bonus.BonusEdge()), ExactBonusEdge: bonus.BonusEdge(),
	}
	out.print(total, total.String())
	return out.Flush()
}

// startLine is what one starting hand is worth.
type startLine struct {
	Hand  string      `json:"hand"`
	Value json.Number `json:"value"` // of playing it, in antes
	Folds bool        `json:"folds"`
	Turn  json.Number `json:"turn_percent"` // how often it bets if it is played
	River json.Number `json:"river_percent"`
}

func (l startLine) String() string {
	if l.Folds {
		return fmt.Sprintf("%-3s  %9s  fold", l.Hand, l.Value)
	}
	return fmt.Sprintf("%-3s  %9s  turn %10s %%  river %10s %%", l.Hand, l.Value, l.Turn, l.River)
}

// bonusLine is what perfect play comes to. The percentages are of an ante, and of a bonus bet.
type bonusLine struct {
	Edge           json.Number `json:"edge_percent"`
	ExactEdge      *big.Rat    `json:"edge"`
	Wager          json.Number `json:"wager"` // average of all bets, in antes
	Folded         []string    `json:"folded"`
	BonusEdge      json.Number `json:"bonus_bet_edge_percent"`
	ExactBonusEdge *big.Rat    `json:"bonus_bet_edge"`
}

func (l bonusLine) String() string {
	return fmt.Sprintf(`
house edge           %s %% of the ante
average total wager  %s antes
hands folded         %s
bonus bet            %s %% = %v`, l.Edge, l.Wager, strings.Join(l.Folded, " "), l.BonusEdge, l.ExactBonusEdge)
}

// decimal is a number to six digits after the point.
func decimal(r *big.Rat) json.Number { return json.Number(r.FloatString(6)) }

func percent(r *big.Rat) json.Number { return decimal(new(big.Rat).Mul(r, big.NewRat(100, 1))) }
