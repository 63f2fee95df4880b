package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/equity"
)

func equityCommand() *cobra.Command {
	var game, board, dead string
	var samples int
	var seed uint64
	c := &cobra.Command{
		Use:   "equity --game G [--board CARDS] [--dead CARDS] [--samples N] HAND...",
		Short: "The share of the pot each hand wins on average",
		Long: `Find the share of the pot that each hand wins on average if all stay to the showdown.

Every way to deal the cards that are still to come is played, or with --samples that many of them by chance. Cards are
written AhKd; '??' is one that is not known, '????' any hand of Hold'em. Dead cards cannot come any more. Nobody draws.
Prints a line for each hand: its share of the pots, and how often it wins the pot and a part of it.`,
		Example: "  tavolo equity --game holdem --board QsJs2d AsKs 2h2c '????'",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, hands []string) error {
			g, err := engine.GameNamed(game)
			if err != nil {
				return usageError{err}
			}
			d, err := parseDeal(g, board, dead, hands)
			if err != nil {
				return usageError{err}
			}
			deals, err := dealsOf(d, samples, seed)
			if err != nil {
				return usageError{err}
			}
			result := d.Count(untilDone(cmd.Context(), deals))
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			return printEquities(outputOf(cmd), hands, &result, samples > 0)
		},
	}
	f := c.Flags()
	f.StringVar(&game, "game", "", "game by whose rules hands rank")
	f.StringVar(&board, "board", "", "community cards")
	f.StringVar(&dead, "dead", "", "cards known to be out of play")
	f.IntVar(&samples, "samples", 0, "number of deals to play, 0 for all there are")
	f.Uint64Var(&seed, "seed", 1, "seed of the samples")
	if err := c.MarkFlagRequired("game"); err != nil {
		panic(err) // the flag was made above
	}
	return c
}

// parseDeal reads what is known of a deal. A hand has the cards of the first street at least, or ?? for them.
func parseDeal(g *engine.Game, boardText, deadText string, handTexts []string) (*equity.Deal, error) {
	hole, board := fullHand(g)
	d := &equity.Deal{Deck: g.Deck, High: g.High, Low: g.Low, Use: g.Use, HoleCards: hole, BoardCards: board}
	first := g.Streets[0].Down + g.Streets[0].Up
	taken := card.Set(0)
	for _, part := range []struct {
		name, text string
		set        *card.Set
	}{{"board", boardText, &d.Board}, {"dead cards", deadText, &d.Dead}} {
		cards, err := parseFaces(g, part.text, taken)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		*part.set = card.SetOf(cards...)
		taken |= *part.set
	}
	for i, text := range handTexts {
		cards, err := parseCards(g, text, taken)
		if err != nil {
			return nil, fmt.Errorf("hand %d: %w", i+1, err)
		}
		switch n := len(cards); {
		case n < first:
			return nil, fmt.Errorf("hand %d: %d cards, want %d at least in %s", i+1, n, first, g.Name)
		case n > hole:
			return nil, fmt.Errorf("hand %d: %d cards, want %d at most in %s", i+1, n, hole, g.Name)
		}
		known := card.SetOf(cards...)
		d.Hands = append(d.Hands, known)
		taken |= known
	}
	return d, d.Check()
}

// mostDeals is how many deals are played one by one without --samples: some minutes' worth.
const mostDeals = 1_000_000_000

// dealsOf gives the deals to play.
func dealsOf(d *equity.Deal, samples int, seed uint64) (iter.Seq[equity.Dealt], error) {
	if samples < 0 {
		return nil, fmt.Errorf("--samples %d: want a positive number, or 0 for all deals", samples)
	}
	if samples > 0 {
		return d.Random(samples, rand.New(rand.NewPCG(seed, 0)).Uint64), nil
	}
	if ways := d.Ways(); ways.Cmp(big.NewInt(mostDeals)) > 0 {
		return nil, fmt.Errorf("there are %v ways to deal the other cards, too many to play all: use --samples", ways)
	}
	return d.All(), nil
}

// untilDone gives what seq gives until ctx ends, looking at it now and then.
func untilDone[T any](ctx context.Context, seq iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		n := 0
		for v := range seq {
			if n++; n%1024 == 0 && ctx.Err() != nil || !yield(v) {
				return
			}
		}
	}
}

// handEquity is what one hand wins.
type handEquity struct {
	Hand   string      `json:"hand"`
	Equity json.Number `json:"equity_percent"`
	Exact  *big.Rat    `json:"equity,omitempty"`        // the same as a fraction, if all deals were played
	Error  json.Number `json:"error_percent,omitempty"` // standard error of an equity that is sampled
	Wins   int64       `json:"wins"`                    // deals in which it takes the whole pot
	Ties   int64       `json:"ties"`                    // and a part of it
	Deals  int64       `json:"deals"`                   // of so many
}

func printEquities(out output, hands []string, r *equity.Result, sampled bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	how := "all there are"
	if sampled {
		how = "sampled"
	}
	for i, hand := range hands {
		share, won := r.Equity(i), r.Hands[i]
		h := handEquity{Hand: hand, Equity: percent(share), Wins: won.Wins, Ties: won.Ties, Deals: r.Deals}
		precision := ""
		if sampled {
			h.Error = standardError(share, r.Deals)
			precision = fmt.Sprintf(" ± %s %%", h.Error)
		} else {
			h.Exact = share
		}
		if out.json {
			out.print(h, "")
		} else {
			fmt.Fprintf(table, "%s\t%s %%%s\twins %d\tties %d\n", hand, h.Equity, precision, h.Wins, h.Ties)
		}
	}
	if !out.json {
		fmt.Fprintf(table, "%d deals, %s\n", r.Deals, how)
	}
	return errors.Join(table.Flush(), out.Flush())
}

// standardError is how far off, in percent, a share found by so many samples is likely to be. It is a little less than
// this where pots are split.
func standardError(share *big.Rat, samples int64) json.Number {
	p, _ := share.Float64()
	return json.Number(strconv.FormatFloat(100*math.Sqrt(p*(1-p)/float64(samples)), 'f', 6, 64))
}
