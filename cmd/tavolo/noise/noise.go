// Package noise deals very many cards at simulated tables under a model of what goes wrong there, the Kinds of model.go. It
// asks: is a wrong card ever taken without the dealer being asked, is a player's key ever lost, or acted on twice, and does the
// table always go on? Tables differ in their readers, shoes and seats, see Layout. Beside them chips are moved on spots with
// readers and scales: is a wrong amount ever told? And bets are sized with the encoder of a panel: is one ever told that the display did
// not show?
//
// What is on trial is all the real thing: the protocol and sessions of the readers' drivers, that of the shoe's contacts, the
// debouncing of calibration.Watch and calibration.Shoe, the bus of the panels, the deal tracker in a controller.Table, the
// rules. Only the air between antennas and tags, the wire's bytes, what the kernel makes of contacts and the people are
// simulated, and time, which passes as fast as the machine computes. Start with Run.
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
	// Layout is what the tables consist of.
	Layout Layout
	// Seed gives the same run again.
	Seed uint64
	// Dealt, if not nil, is told of cards dealt, by one goroutine at a time.
	Dealt func(cards int)
}

// Result is what came of it.
type Result struct {
	// Deals is how many cards left the shoe, Hands how many hands were begun, Void how many of them called off.
	Deals, Hands, Void int
	// Prompts are the prompts to the dealer by their codes. Stuck is how many hands he called off since the table neither went on
	// nor asked anything, Counted how often he counted a deck since it asked for cards that were in the muck.
	Prompts        map[string]int
	Stuck, Counted int
	// Noise is what went wrong.
	Noise Counts
	// Wrong are cards that the table took for another card, or for one in another place, without having asked the dealer about it
	// since that card was dealt, and without his answer to an older prompt about it. Asked are those that it took wrongly after
	// either.
	Wrong, Asked int
	// Keys are those of the panels, Knobs their encoders, Piles those of chips.
	Keys  Keys
	Knobs Knobs
	Piles Piles
	// Latency is how long after a card lay still the table took it, of the cards without a prompt; Debouncing is the part of it
	// since a look at its place first saw the card, which debouncing adds.
	Latency, Debouncing Latencies
	// Shares are the same for the tables that have a part of their layout in common, by its name.
	Shares map[string]Share
}

// Share is what came of some of the tables.
type Share struct {
	Deals, Prompts int
	Latency        Latencies
}

// Latencies are times in order.
type Latencies []time.Duration

// AllPrompts is how many prompts there were.
func (r *Result) AllPrompts() (n int) {
	for _, m := range r.Prompts {
		n += m
	}
	return n
}

// Quantile is the time that a part of the cards kept to, 0 to 1.
func (l Latencies) Quantile(q float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(int(q*float64(len(l))), len(l)-1)]
}

// batch is how many cards are dealt at one table before it is replaced, so that a run's result does not depend on the number
// of processors.
const batch = 250

// Run deals, on all processors. It stops early when ctx ends, with ctx's error.
func Run(ctx context.Context, o Options) (Result, error) {
	if err := o.Layout.Check(); err != nil {
		return Result{}, err
	}
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		all  = Result{Prompts: map[string]int{}, Shares: map[string]Share{}}
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
	slices.Sort(all.Debouncing)
	slices.Sort(all.Piles.Latency)
	for _, s := range all.Shares {
		slices.Sort(s.Latency)
	}
	return all, errs
}

// play deals one batch at a table of its own.
func play(ctx context.Context, o Options, n int, dealt func(int)) (Result, error) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(n)))
	w, err := newWorld(o.Model.at(o.Level), o.Layout.of(n, rng), rng)
	if err != nil {
		return Result{}, err
	}
	t, err := newTable(w)
	if err != nil {
		return Result{}, err
	}
	r, err := t.deal(ctx, min(batch, o.Deals-n*batch), dealt)
	if err != nil {
		return r, err
	}
	p, err := newPiles(o.Model.at(o.Level), rand.New(rand.NewPCG(o.Seed, ^uint64(n))))
	if err != nil {
		return r, err
	}
	if r.Piles, err = p.move(ctx, max(1, r.Deals/dealsPerMove)); err != nil {
		return r, err
	}
	r.Noise, r.Keys, r.Shares = w.count, t.bus.keys, map[string]Share{}
	r.Noise.add(&p.count)
	k, err := newKnob(o.Model.at(o.Level), rand.New(rand.NewPCG(^o.Seed, uint64(n))))
	if err != nil {
		return r, err
	}
	r.Knobs, err = k.size(ctx, max(1, r.Deals/dealsPerBet))
	r.Noise.add(&k.w.count)
	for _, part := range w.parts() {
		r.Shares[part] = Share{r.Deals, r.AllPrompts(), r.Latency}
	}
	return r, err
}

func (r *Result) add(o *Result) {
	r.Deals += o.Deals
	r.Hands += o.Hands
	r.Void += o.Void
	r.Wrong += o.Wrong
	r.Asked += o.Asked
	r.Stuck += o.Stuck
	r.Counted += o.Counted
	r.Keys.Pressed += o.Keys.Pressed
	r.Keys.Gone += o.Keys.Gone
	r.Keys.Lost += o.Keys.Lost
	r.Keys.Invented += o.Keys.Invented
	r.Keys.Doubled += o.Keys.Doubled
	r.Knobs.Sized += o.Knobs.Sized
	r.Knobs.Turned += o.Knobs.Turned
	r.Knobs.Slipped += o.Knobs.Slipped
	r.Knobs.Wrong += o.Knobs.Wrong
	r.Piles.Moved += o.Piles.Moved
	r.Piles.Told += o.Piles.Told
	r.Piles.Unsure += o.Piles.Unsure
	r.Piles.Wrong += o.Piles.Wrong
	r.Piles.Latency = append(r.Piles.Latency, o.Piles.Latency...)
	r.Noise.add(&o.Noise)
	for code, n := range o.Prompts {
		r.Prompts[code] += n
	}
	r.Latency = append(r.Latency, o.Latency...)
	r.Debouncing = append(r.Debouncing, o.Debouncing...)
	for part, of := range o.Shares {
		s := r.Shares[part]
		r.Shares[part] = Share{s.Deals + of.Deals, s.Prompts + of.Prompts, append(s.Latency, of.Latency...)}
	}
}
