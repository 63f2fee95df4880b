package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/cmd/tavolo/noise"
)

// errWrongCard is the failure of a run in which the table took a wrong card and asked nobody.
var errWrongCard = errors.New("wrong cards were taken without a prompt")

// errWrongBet is the failure of a run in which a bet was told that the player had not seen.
var errWrongBet = errors.New("bets were told that the display did not show")

// errStuck is the failure of a run in which a table neither went on nor asked why.
var errStuck = errors.New("tables stood still and asked nobody")

// errWrongKey is the failure of a run in which a key was lost, acted on twice, or never pressed.
var errWrongKey = errors.New("keys were lost, doubled or invented")

// errWrongPile is the failure of a run in which a wrong amount of chips was told.
var errWrongPile = errors.New("wrong amounts of chips were told")

// dealsResult is what simulated deals led to, for programs.
type dealsResult struct {
	Deals   int        `json:"deals"`
	Noise   float64    `json:"noise"`
	Seed    uint64     `json:"seed"`
	Reader  string     `json:"reader,omitempty"` // none for all kinds, and so with the next two
	Shoe    string     `json:"shoe,omitempty"`
	Seats   int        `json:"seats,omitempty"`
	Hands   int        `json:"hands"`
	Void    int        `json:"void"`
	Per     float64    `json:"prompts_per_thousand"`
	Stuck   int        `json:"stuck"`
	Counted int        `json:"decks_counted"` // since cards in the muck were not seen there
	Wrong   int        `json:"wrong_without_prompt"`
	Asked   int        `json:"wrong_after_prompt"`
	Keys    int        `json:"keys_pressed"`
	Gone    int        `json:"keys_gone_with_power"`
	KeysBad int        `json:"keys_lost_doubled_or_invented"`
	Knobs   dealsKnobs `json:"encoders"`
	Median  int64      `json:"latency_median_ms"` // from a card's lying still to the table's taking it
	P99     int64      `json:"latency_p99_ms"`
	Added   int64      `json:"debouncing_median_ms"` // of that, from the first look that saw it
	Added99 int64      `json:"debouncing_p99_ms"`
	Piles   dealsPiles `json:"chips"`
	// Prompts are the numbers of prompts by their codes, Occurred how often each kind of noise happened.
	Prompts  map[string]int `json:"prompts"`
	Occurred map[string]int `json:"occurred"`
	// Shares are of the tables that have a part of their layout in common, by its name.
	Shares map[string]dealsShare `json:"shares"`
}

// dealsShare is what simulated deals at some of the tables led to.
type dealsShare struct {
	Deals  int     `json:"deals"`
	Per    float64 `json:"prompts_per_thousand"`
	Median int64   `json:"latency_median_ms"`
	P99    int64   `json:"latency_p99_ms"`
}

// dealsKnobs is what became of bets that were sized with encoders.
type dealsKnobs struct {
	Sized   int `json:"sized"`
	Turned  int `json:"detents"`
	Slipped int `json:"slipped"`
	Wrong   int `json:"wrong"`
}

// dealsPiles is what became of chips that were moved.
type dealsPiles struct {
	Moved  int   `json:"moved"`
	Told   int   `json:"told"`
	Unsure int   `json:"unsure"`
	Wrong  int   `json:"wrong"`
	Median int64 `json:"latency_median_ms"`
	P99    int64 `json:"latency_p99_ms"`
}

// String is the result for people.
func (r dealsResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "deals: %d, hands: %d, called off: %d, noise: %v, seed: %d\n", r.Deals, r.Hands, r.Void, r.Noise, r.Seed)
	fmt.Fprintf(&b, "what went wrong:\n%s", listed(r.Occurred))
	fmt.Fprintf(&b, "prompts per thousand deals: %.2f\n%s", r.Per, listed(r.Prompts))
	fmt.Fprintf(&b, "by what a table consists of:\n  %-20s %8s  %20s  %17s\n", "", "deals", "prompts per thousand", "ms median 99th")
	for _, part := range slices.SortedFunc(maps.Keys(r.Shares), byPart) {
		s := r.Shares[part]
		fmt.Fprintf(&b, "  %-20s %8d  %20.2f  %8d %8d\n", part, s.Deals, s.Per, s.Median, s.P99)
	}
	fmt.Fprintf(&b, "stuck without a prompt: %d, decks counted: %d\n", r.Stuck, r.Counted)
	fmt.Fprintf(&b, "cards taken wrongly without a prompt: %d, after one: %d\n", r.Wrong, r.Asked)
	fmt.Fprintf(&b, "keys pressed: %d, gone with their panel's power: %d, lost, doubled or invented: %d\n", r.Keys, r.Gone, r.KeysBad)
	k := r.Knobs
	fmt.Fprintf(&b, "bets sized with an encoder: %d, by %d detents, turns that the display showed otherwise: %d, bets told that it did not show: %d\n",
		k.Sized, k.Turned, k.Slipped, k.Wrong)
	p := r.Piles
	fmt.Fprintf(&b, "chips moved: %d, told: %d, after median %d ms, 99th percentile %d ms, said to be unsure: %d, wrong amounts told: %d\n",
		p.Moved, p.Told, p.Median, p.P99, p.Unsure, p.Wrong)
	fmt.Fprintf(&b, "from lying still to being taken: median %d ms, 99th percentile %d ms; of that added by debouncing, since a look first saw it: median %d ms, 99th percentile %d ms",
		r.Median, r.P99, r.Added, r.Added99)
	return b.String()
}

// byPart orders the names of parts by what they are of, and numbers by their size.
func byPart(a, b string) int {
	of, which, _ := strings.Cut(a, " ")
	of2, which2, _ := strings.Cut(b, " ")
	n, _ := strconv.Atoi(which) // 0 for what is no number
	n2, _ := strconv.Atoi(which2)
	return cmp.Or(strings.Compare(of, of2), n-n2, strings.Compare(which, which2))
}

// listed is a line for each count, the most frequent first.
func listed(counts map[string]int) string {
	var b strings.Builder
	order := func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(counts), order) {
		fmt.Fprintf(&b, "  %-18s %d\n", name, counts[name])
	}
	return b.String()
}

// checkNoise says what is wrong with a level of noise.
func checkNoise(level float64) error {
	if level >= 0 && level <= 1000 {
		return nil
	}
	return usageError{fmt.Errorf("--noise %v: want 0 to 1000, 1 for the usual", level)}
}

// simulateDeals deals so many cards at a simulated table and tells what came of it.
func simulateDeals(cmd *cobra.Command, deals int, level float64, seed uint64, layout noise.Layout) error {
	if deals < 1 {
		return usageError{fmt.Errorf("--deals %d: want 1 or more", deals)}
	}
	if err := checkNoise(level); err != nil {
		return err
	}
	if err := layout.Check(); err != nil {
		return usageError{err}
	}
	bar := newProgress(cmd, deals, "cards")
	r, err := noise.Run(cmd.Context(), noise.Options{
		Deals: deals, Level: level, Model: noise.Default, Seed: seed, Layout: layout,
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
		Deals: r.Deals, Noise: level, Seed: seed, Reader: layout.Reader, Shoe: layout.Shoe, Seats: layout.Seats, Hands: r.Hands, Void: r.Void,
		Prompts: r.Prompts, Occurred: r.Noise.ByName(),
		Per:   1000 * float64(r.AllPrompts()) / float64(r.Deals),
		Stuck: r.Stuck, Counted: r.Counted, Wrong: r.Wrong, Asked: r.Asked, Keys: r.Keys.Pressed, Gone: r.Keys.Gone, KeysBad: r.Keys.Wrong(), Knobs: dealsKnobs(r.Knobs),
		Median: r.Latency.Quantile(0.5).Milliseconds(), P99: r.Latency.Quantile(0.99).Milliseconds(),
		Added: r.Debouncing.Quantile(0.5).Milliseconds(), Added99: r.Debouncing.Quantile(0.99).Milliseconds(),
		Shares: map[string]dealsShare{},
		Piles: dealsPiles{
			r.Piles.Moved, r.Piles.Told, r.Piles.Unsure, r.Piles.Wrong,
			r.Piles.Latency.Quantile(0.5).Milliseconds(), r.Piles.Latency.Quantile(0.99).Milliseconds(),
		},
	}
	for part, s := range r.Shares {
		result.Shares[part] = dealsShare{s.Deals, 1000 * float64(s.Prompts) / float64(s.Deals), s.Latency.Quantile(0.5).Milliseconds(), s.Latency.Quantile(0.99).Milliseconds()}
	}
	out.print(result, result.String())
	if err := out.Flush(); err != nil {
		return err
	}
	again := fmt.Sprintf("repeat with --deals %d --noise %v --seed %d --reader %q --shoe %q --seats %d", deals, level, seed, layout.Reader, layout.Shoe, layout.Seats)
	if r.Wrong > 0 {
		return fmt.Errorf("%d %w: %s", r.Wrong, errWrongCard, again)
	}
	if r.Stuck > 0 {
		return fmt.Errorf("%d %w: %s", r.Stuck, errStuck, again)
	}
	if r.Piles.Wrong > 0 {
		return fmt.Errorf("%d %w: %s", r.Piles.Wrong, errWrongPile, again)
	}
	if r.Knobs.Wrong > 0 {
		return fmt.Errorf("%d %w: %s", r.Knobs.Wrong, errWrongBet, again)
	}
	if r.Keys.Wrong() > 0 {
		return fmt.Errorf("%d %w: %s", r.Keys.Wrong(), errWrongKey, again)
	}
	return nil
}
