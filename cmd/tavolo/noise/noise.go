// Package noise deals very many cards at a simulated table under a model of what goes wrong there: reads that are missed,
// ghosts and shifted tags from neighbouring antennas, cards that seem to lie where they no longer do, damaged frames, readers
// that hang, two cards at the mouth of the shoe, cards dealt to the wrong place. It asks one question: is a wrong card ever
// taken without the dealer being asked?
//
// What is on trial is all the real thing: the protocol and session of the FEIG driver, the debouncing of calibration.Watch,
// the deal tracker in a controller.Table, the rules. Only the air between antennas and tags, the wire's bytes and the people
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

// Model is how likely things go wrong at level 1. All but the times are probabilities; a level multiplies them, up to a half.
type Model struct {
	// Miss is that a look at an antenna misses a tag, Stacked that it misses one of three or more on one another.
	Miss, Stacked float64
	// Ghost is that a look sees a tag that lies at a neighbouring antenna.
	Ghost float64
	// Shift is that a tag's number is read wrong though its checksum is right.
	Shift float64
	// Slow is that a look sees a tag that was taken away no longer than Linger ago.
	Slow   float64
	Linger time.Duration
	// Damage is that an answer's bytes are damaged, cut or lost on the wire.
	Damage float64
	// Hang is that a reader falls silent at a look, for up to Hung.
	Hang float64
	Hung time.Duration
	// ShoeMiss is that no look at the mouth of the shoe sees a card that leaves it, ShoeTwo that the one behind it is seen too.
	ShoeMiss, ShoeTwo float64
	// WrongPlace is that the dealer deals a card to a place next to the right one.
	WrongPlace float64
	// Dropped is that the dealer drops the stub in a hand and puts it back in another order.
	Dropped float64
}

// Default are assumed, on the careful side, for a table that is well set up: what is published says how long readers take and
// that two cards on one another are what they read reliably, but not how often a look fails.
var Default = Model{
	Miss: 0.02, Stacked: 0.10, Ghost: 0.004, Shift: 0.0004,
	Slow: 0.3, Linger: 300 * time.Millisecond,
	Damage: 0.002, Hang: 0.000002, Hung: 4 * time.Second,
	ShoeMiss: 0.001, ShoeTwo: 0.001,
	WrongPlace: 0.0005, Dropped: 0.0005,
}

// at is the model at a level.
func (m Model) at(level float64) Model {
	for _, p := range []*float64{
		&m.Miss, &m.Stacked, &m.Ghost, &m.Shift, &m.Slow, &m.Damage, &m.Hang, &m.ShoeMiss, &m.ShoeTwo, &m.WrongPlace, &m.Dropped,
	} {
		*p = min(*p*level, 0.5)
	}
	return m
}

// Options say how much is dealt and under which noise.
type Options struct {
	// Deals is how many cards leave the shoe at least.
	Deals int
	// Level multiplies the Model: 0 for no noise, 1 for the model as it is.
	Level float64
	Model Model
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
	// Wrong are cards that the table took for another card, or for one in another place, without having asked the dealer since
	// that card was dealt. Asked are those that it took wrongly after it had asked.
	Wrong, Asked int
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
const batch = 5000

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
	w := newWorld(o.Model.at(o.Level), rand.New(rand.NewPCG(o.Seed, uint64(n))))
	t, err := newTable(w)
	if err != nil {
		return Result{}, err
	}
	return t.deal(ctx, min(batch, o.Deals-n*batch), dealt)
}

func (r *Result) add(o *Result) {
	r.Deals += o.Deals
	r.Hands += o.Hands
	r.Void += o.Void
	r.Wrong += o.Wrong
	r.Asked += o.Asked
	for code, n := range o.Prompts {
		r.Prompts[code] += n
	}
	r.Latency = append(r.Latency, o.Latency...)
}
