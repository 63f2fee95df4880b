// Package noise deals very many cards at a simulated table under a model of what goes wrong there, the Kinds of model.go. It asks: is a wrong card ever taken without
// the dealer being asked, is a player's key ever lost, or acted on twice, and does the table always go on?
//
// What is on trial is all the real thing: the protocol and sessions of the readers' drivers, the debouncing of
// calibration.Watch and calibration.Shoe, the bus of the panels, the deal tracker in a controller.Table, the rules. Only the air between antennas and tags, the wire's bytes and the people
// are simulated, and time, which passes as fast as the machine computes. Start with Run.
package noise

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Options say how much is dealt and under which noise.
type Options struct {
	// Deals is how many cards leave the shoe at least.
	Deals int
	// Level multiplies the Model: 0 for no noise, 1 for the model as it is.
	Level float64
	Model Model
	// Reader is the kind of the readers, one of Readers, or "" for all: each table has others.
	Reader string
	// Seed gives the same run again.
	Seed uint64
	// Dealt, if not nil, is told of cards dealt, by one goroutine at a time.
	Dealt func(cards int)
}

// Result is what came of it.
type Result struct {
	// Deals is how many cards left the shoe, Hands how many hands were begun, Void how many of them called off.
	Deals, Hands, Void int
	// Prompts are the prompts to the dealer by their codes.
	Prompts map[string]int
	// Noise is what went wrong.
	Noise Counts
	// Wrong are cards that the table took for another card, or for one in another place, without having asked the dealer since
	// that card was dealt. Asked are those that it took wrongly after it had asked.
	Wrong, Asked int
	// Keys are those of the panels.
	Keys Keys
	// Latency is how long after a card lay still the table took it: sorted, of the cards without a prompt.
	Latency []time.Duration
}

// AllPrompts is how many prompts there were.
func (r *Result) AllPrompts() (n int) {
	for _, m := range r.Prompts {
		n += m
	}
	return n
}

// Quantile is the latency that a share of the cards kept to.
func (r *Result) Quantile(q float64) time.Duration {
	if len(r.Latency) == 0 {
		return 0
	}
	return r.Latency[min(int(q*float64(len(r.Latency))), len(r.Latency)-1)]
}

// batch is how many cards are dealt at one table before it is replaced, so that a run's result does not depend on the number
// of processors.
const batch = 1000

// Run deals, on all processors. It stops early when ctx ends, with ctx's error.
func Run(ctx context.Context, o Options) (Result, error) {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		all  = Result{Prompts: map[string]int{}}
		errs error
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := range batches {
				r, err := play(ctx, o, n, func(cards int) {
					mu.Lock()
					defer mu.Unlock()
					if o.Dealt != nil {
						o.Dealt(cards)
					}
				})
				mu.Lock()
				all.add(&r)
				if err != nil {
					errs = errors.Join(errs, err)
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	for n := 0; n*batch < o.Deals && ctx.Err() == nil; n++ {
		select {
		case batches <- n:
		case <-ctx.Done():
		}
	}
	close(batches)
	wg.Wait()
	slices.Sort(all.Latency)
	return all, errs
}

// play deals one batch at a table of its own.
func play(ctx context.Context, o Options, n int, dealt func(int)) (Result, error) {
	kind, err := kindOf(o.Reader, n)
	if err != nil {
		return Result{}, err
	}
	w, err := newWorld(o.Model.at(o.Level), kind, rand.New(rand.NewPCG(o.Seed, uint64(n))))
	if err != nil {
		return Result{}, err
	}
	t, err := newTable(w)
	if err != nil {
		return Result{}, err
	}
	r, err := t.deal(ctx, min(batch, o.Deals-n*batch), dealt)
	r.Noise, r.Keys = w.count, t.bus.keys
	return r, err
}

func (r *Result) add(o *Result) {
	r.Deals += o.Deals
	r.Hands += o.Hands
	r.Void += o.Void
	r.Wrong += o.Wrong
	r.Asked += o.Asked
	r.Keys.Pressed += o.Keys.Pressed
	r.Keys.Gone += o.Keys.Gone
	r.Keys.Lost += o.Keys.Lost
	r.Keys.Invented += o.Keys.Invented
	r.Keys.Doubled += o.Keys.Doubled
	for k, n := range o.Noise {
		r.Noise[k] += n
	}
	for code, n := range o.Prompts {
		r.Prompts[code] += n
	}
	r.Latency = append(r.Latency, o.Latency...)
}
