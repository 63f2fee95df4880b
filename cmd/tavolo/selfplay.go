package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tavolo/engine"
	"tavolo/engine/selfplay"
)

func selfplayCommand() *cobra.Command {
	var game, limit, house string
	var o selfplayOptions
	c := &cobra.Command{
		Use:   "selfplay [--game G] [--limit L] [--house H] [--hands N] [--seed S]",
		Short: "Play hands at random through the engine and check everything that must hold",
		Long: `Play hands at random through the engine, with legal and illegal inputs, and check after each of them everything that
must hold: no chip is lost and no card in two places, one thing is awaited and what is awaited is taken, an illegal input
is refused and changes nothing, the events give back the state, every hand ends, and an independent bookkeeper agrees with
every pot and every payment.

The hands are shared out over all games, limits and houses, or those of the names given. Prints a line for each of these:
hands, inputs, inputs refused and violations, then the same in all and hands a second. Equal seeds give equal hands. The
first violation of each line is told with the hand, how to play it again, and inputs that show it. The exit status is 1 if
there is any.`,
		Example: "  tavolo selfplay --game omaha8 --hands 1000000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			setups, err := selfplay.Setups(game, limit, house)
			if err != nil {
				return usageError{err}
			}
			if o.hands < 1 {
				return usageError{fmt.Errorf("--hands %d: want 1 or more", o.hands)}
			}
			o.setups, o.play = setups, selfplay.Play
			return playAlone(cmd, &o)
		},
	}
	f := c.Flags()
	f.StringVar(&game, "game", "", "game to play, all if not given")
	f.StringVar(&limit, "limit", "", "limit to play under, all if not given")
	f.StringVar(&house, "house", "", "house whose rules to play by, all if not given")
	f.IntVar(&o.hands, "hands", 100_000, "number of hands in all")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the hands")
	return c
}

type selfplayOptions struct {
	setups []selfplay.Setup
	hands  int
	seed   uint64
	play   func(selfplay.Setup, int, func() uint64) (selfplay.Count, *selfplay.Violation)
}

// Each table plays so many hands and is cleared then; so many go to a processor at a time. Both are part of what a seed
// means, so that the first hands of a setup are the same however many follow.
const (
	handsOfTable   = 20
	handsOfStretch = 50 * handsOfTable
)

// stretch are some hands of one setup, by their numbers from 0.
type stretch struct {
	setup    int
	from, to int
}

// stretches shares the hands out over the setups.
func (o *selfplayOptions) stretches() (all []stretch) {
	for i := range o.setups {
		hands := o.hands / len(o.setups)
		if i < o.hands%len(o.setups) {
			hands++
		}
		for from := 0; from < hands; from += handsOfStretch {
			all = append(all, stretch{i, from, min(from+handsOfStretch, hands)})
		}
	}
	return all
}

// played is what came of some hands.
type played struct {
	selfplay.Count
	Violations int `json:"violations"`

	first     *selfplay.Violation
	firstHand int // its number, from 1
}

func (p *played) add(o played) {
	p.Count.Add(o.Count)
	p.Violations += o.Violations
	if p.first == nil {
		p.first, p.firstHand = o.first, o.firstHand
	}
}

func (p played) String() string {
	return fmt.Sprintf("hands: %d, inputs: %d, refusals: %d, violations: %d", p.Hands, p.Inputs, p.Refusals, p.Violations)
}

// playStretch plays table after table.
func (o *selfplayOptions) playStretch(s stretch) (sum played) {
	setup := o.setups[s.setup]
	for from := s.from; from < s.to; from += handsOfTable {
		name := fnv.New64a()
		fmt.Fprintf(name, "%v %d", setup, from/handsOfTable)
		random := rand.NewPCG(o.seed, name.Sum64())
		p := played{}
		p.Count, p.first = o.play(setup, min(handsOfTable, s.to-from), random.Uint64)
		if p.first != nil {
			p.Violations, p.firstHand = 1, from+p.first.Hand
		}
		sum.add(p)
	}
	return sum
}

// playAlone plays on all processors and prints what came of it.
func playAlone(cmd *cobra.Command, o *selfplayOptions) error {
	begin := time.Now()
	stretches, done := o.stretches(), 0
	sums, total := make([]played, len(o.setups)), played{}
	bar := newProgress(cmd, o.hands, "hands")
	err := eachInOrder(cmd.Context(), stretches, o.playStretch, func(p played) {
		sums[stretches[done].setup].add(p)
		total.add(p)
		done++
		for range p.Hands {
			bar.step()
		}
	})
	bar.clear()
	if err != nil {
		return err
	}
	rate := int(float64(total.Hands) / time.Since(begin).Seconds())
	out := outputOf(cmd)
	for i, sum := range sums[:min(o.hands, len(sums))] {
		s := o.setups[i]
		out.print(setupLine{s.Game.Name, s.Limit.String(), s.House.Name, s.Powers != nil, sum}, fmt.Sprintf("%v: %v", s, sum))
		if sum.first != nil {
			line := violationOf(s, o.seed, &sum)
			out.print(line, line.String())
		}
	}
	out.print(totalLine{total, rate}, fmt.Sprintf("%v, hands a second: %d", total, rate))
	if err := out.Flush(); err != nil {
		return err
	}
	if total.Violations > 0 {
		return errReported
	}
	return nil
}

// setupLine is what came of the hands of one setup.
type setupLine struct {
	Game  string `json:"game"`
	Limit string `json:"limit"`
	House string `json:"house"`
	// Powers is whether the hands are played with powers.
	Powers bool `json:"powers,omitempty"`
	played
}

// totalLine is what came of all.
type totalLine struct {
	played
	Rate int `json:"hands_per_second"`
}

// violationLine is something that does not hold.
type violationLine struct {
	Violation string         `json:"violation"`
	Hand      int            `json:"hand"`
	Again     string         `json:"again"` // the command that comes to it
	Stakes    string         `json:"stakes"`
	Inputs    []engine.Input `json:"inputs"` // show it at a new table with these stakes
}

func violationOf(s selfplay.Setup, seed uint64, p *played) violationLine {
	sharing, _ := selfplay.Setups(s.Game.Name, s.Limit.String(), s.House.Name) // with powers and without
	return violationLine{
		Violation: p.first.Fault.Error(),
		Hand:      p.firstHand,
		Again: fmt.Sprintf("tavolo selfplay --game %s --limit %v --house %s --hands %d --seed %d",
			s.Game.Name, s.Limit, s.House.Name, p.firstHand*len(sharing), seed),
		Stakes: fmt.Sprintf("%+v, rake %s", p.first.Rules.Stakes, p.first.Rules.Rake.Name),
		Inputs: p.first.Shrunk(),
	}
}

func (l violationLine) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  hand %d: %s\n  again: %s\n  stakes: %s\n  inputs:", l.Hand, l.Violation, l.Again, l.Stakes)
	for _, in := range l.Inputs {
		text, err := json.Marshal(in)
		if err != nil {
			panic(err) // every input has a text
		}
		fmt.Fprintf(&b, "\n    %s", text)
	}
	return b.String()
}
