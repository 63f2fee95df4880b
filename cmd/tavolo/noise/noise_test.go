package noise

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

func run(t *testing.T, o Options) Result {
	t.Helper()
	o.Model = Default
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Deals < o.Deals || r.Hands == 0 {
		t.Errorf("%d cards of %d hands were dealt, want %d cards", r.Deals, r.Hands, o.Deals)
	}
	return r
}

// Where nothing goes wrong nobody is asked anything, and no hand is called off.
func TestSilence(t *testing.T) {
	r := run(t, Options{Deals: 300, Seed: 5})
	if r.AllPrompts() > 0 || r.Void > 0 || r.Wrong+r.Asked > 0 {
		t.Errorf("prompts %v, %d called off, %d and %d wrong", r.Prompts, r.Void, r.Wrong, r.Asked)
	}
	if r.Quantile(0.5) <= 0 || r.Quantile(1) > 2*time.Second {
		t.Errorf("latencies from %v to %v", r.Quantile(0), r.Quantile(1))
	}
}

// However loud it is, no wrong card is taken without the dealer being asked; and the noise is there.
func TestNoWrongCardIsTakenSilently(t *testing.T) {
	for level, deals := range map[float64]int{1: 800, 10: 800, 30: 400} {
		r := run(t, Options{Deals: deals, Level: level, Seed: 5})
		if r.Wrong > 0 {
			t.Errorf("level %v: %d wrong cards", level, r.Wrong)
		}
		if level > 1 && r.AllPrompts() == 0 {
			t.Errorf("level %v: nothing went wrong", level)
		}
	}
}

func TestASeedGivesTheSameRun(t *testing.T) {
	o := Options{Deals: 200, Level: 10, Seed: 9}
	if a, b := run(t, o), run(t, o); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\nand then\n%+v", a, b)
	}
}

// The judge must be able to find fault.
func TestAWrongCardIsCounted(t *testing.T) {
	w := newWorld(Default, rand.New(rand.NewPCG(1, 1)))
	tab, err := newTable(w)
	if err != nil {
		t.Fatal(err)
	}
	aces := card.MustParse("AsAhAdAc")
	for i := range 4 {
		tab.dealt = append(tab.dealt, dealt{card: aces[i], zone: i, at: w.now, asked: i == 3})
	}
	tab.took(aces[0], zones[0])
	tab.took(aces[0], zones[1])
	tab.took(aces[2], zones[3])
	tab.took(aces[2], zones[3])
	tab.took(aces[2], engine.Zone{Kind: engine.ZoneBoard})
	if r := tab.result; len(r.Latency) != 1 || r.Wrong != 3 || r.Asked != 1 {
		t.Errorf("%d right, %d wrong, %d wrong after a prompt; want 1, 3 and 1", len(r.Latency), r.Wrong, r.Asked)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, Options{Deals: 1 << 30, Level: 1, Model: Default, Dealt: func(int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
