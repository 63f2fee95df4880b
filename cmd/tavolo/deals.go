package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/cmd/tavolo/noise"
)

// errWrongCard is the failure of a run in which the table took a wrong card and asked nobody.
var errWrongCard = errors.New("wrong cards were taken without a prompt")

// dealsResult is what simulated deals led to, for programs.
type dealsResult struct {
	Deals  int     `json:"deals"`
	Noise  float64 `json:"noise"`
	Seed   uint64  `json:"seed"`
	Hands  int     `json:"hands"`
	Void   int     `json:"void"`
	Per    float64 `json:"prompts_per_thousand"`
	Wrong  int     `json:"wrong_without_prompt"`
	Asked  int     `json:"wrong_after_prompt"`
	Median int64   `json:"latency_median_ms"` // from a card's lying still to the table's taking it
	P99    int64   `json:"latency_p99_ms"`
	// Prompts are the numbers of prompts by their codes.
	Prompts map[string]int `json:"prompts"`
}

// String is the result for people.
func (r dealsResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "deals: %d, hands: %d, called off: %d, noise: %v, seed: %d\n", r.Deals, r.Hands, r.Void, r.Noise, r.Seed)
	fmt.Fprintf(&b, "prompts per thousand deals: %.2f\n", r.Per)
	for _, code := range slices.SortedFunc(maps.Keys(r.Prompts), func(a, b string) int { return r.Prompts[b] - r.Prompts[a] }) {
		fmt.Fprintf(&b, "  %-16s %d\n", code, r.Prompts[code])
	}
	fmt.Fprintf(&b, "cards taken wrongly without a prompt: %d, after one: %d\n", r.Wrong, r.Asked)
	fmt.Fprintf(&b, "from lying still to being taken, by antenna round and debouncing: median %d ms, 99th percentile %d ms", r.Median, r.P99)
	return b.String()
}

// simulateDeals deals so many cards at a simulated table and tells what came of it.
func simulateDeals(cmd *cobra.Command, deals int, level float64, seed uint64) error {
	if deals < 1 {
		return usageError{fmt.Errorf("--deals %d: want 1 or more", deals)}
	}
	if level < 0 || level > 1000 {
		return usageError{fmt.Errorf("--noise %v: want 0 to 1000, 1 for the usual", level)}
	}
	bar := newProgress(cmd, deals, "cards")
	r, err := noise.Run(cmd.Context(), noise.Options{
		Deals: deals, Level: level, Model: noise.Default, Seed: seed,
		Dealt: func(cards int) {
			for range cards {
				bar.step()
			}
		},
	})
	bar.clear()
	if err != nil {
		return err
	}
	out := outputOf(cmd)
	result := dealsResult{
		Deals: r.Deals, Noise: level, Seed: seed, Hands: r.Hands, Void: r.Void, Prompts: r.Prompts,
		Per:   1000 * float64(r.AllPrompts()) / float64(r.Deals),
		Wrong: r.Wrong, Asked: r.Asked, Median: r.Quantile(0.5).Milliseconds(), P99: r.Quantile(0.99).Milliseconds(),
	}
	out.print(result, result.String())
	if err := out.Flush(); err != nil {
		return err
	}
	if r.Wrong > 0 {
		return fmt.Errorf("%d %w: repeat with --deals %d --noise %v --seed %d", r.Wrong, errWrongCard, deals, level, seed)
	}
	return nil
}
