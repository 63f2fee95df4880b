package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/drivers/sim"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// BenchmarkPressToMQTT measures the way of a key press: from the key going down on a panel, over the seat bus, through the
// rules, the journal and its sync, and the broker, to a subscriber that has the event; "table" ends where the table has handed
// the event to all its outputs. Two players raise each other by the
// least, over and over, each press at a moment of its own. -benchtime 1000x gives the percentiles over a thousand presses.
func BenchmarkPressToMQTT(b *testing.B) {
	r := newRig(b, demoOptions{seats: 2, felt: 2}, without("[deck]"), without("pepper-c1"), without("player = \"guest\""),
		without("name = \"guest\""), func(text string) string {
			return strings.ReplaceAll(text, "stack = 200", "stack = 1000000000")
		})
	dealer := load.NewDealer("dealer", 200)
	at := make(chan time.Time, 1) // when the table has told its outputs, the journal synced
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer, actsAt(at)) })
	table, _ := r.sim(d.brokerURL(), func(o *simtable.Options) { o.Players, o.Dealer = nil, "" })
	w := r.join(d.brokerURL(), "viewer", r.cfg.Topics.Events())
	rng := rand.New(rand.NewPCG(8, 8))
	background(b, func(ctx context.Context) error {
		dealer.Deal(ctx, d.table, rng, func(dealt uint64) bool { return dealt < 2 })
		return nil
	})

	ctx, cancel := context.WithTimeout(b.Context(), patience+time.Duration(b.N)*time.Second)
	defer cancel()
	asked := func(d sim.Display) bool { return d.Ask.Prompt != 0 }
	nodes := []*sim.Node{table.Panel(1), table.Panel(2)}
	w.await("the first turn", func(s *seen) bool {
		i := slices.IndexFunc(s.events, func(e mqtt.EventPayload) bool { return e.Event.Kind == engine.TurnPassed })
		if i >= 0 && s.events[i].Event.Seat == 2 { // from here on the turns go back and forth
			slices.Reverse(nodes)
		}
		return i >= 0
	})
	acted := 0 // events looked at
	took, told := make([]time.Duration, 0, b.N), make([]time.Duration, 0, b.N)
	for b.Loop() {
		shows, err := nodes[0].Await(ctx, asked)
		if err != nil {
			b.Fatal(err)
		}
		<-time.After(rand.N(20 * time.Millisecond)) // nobody keeps time with the bus
		pressed := time.Now()
		nodes[0].Press(bridge.KeyBet, int64(shows.Ask.Min))
		w.await("the raise is told", func(s *seen) bool {
			for acted < len(s.events) {
				if acted++; s.events[acted-1].Event.Kind == engine.PlayerActed {
					return true
				}
			}
			return false
		})
		took = append(took, time.Since(pressed))
		told = append(told, (<-at).Sub(pressed))
		slices.Reverse(nodes)
	}
	for name, took := range map[string][]time.Duration{"table": told, "mqtt": took} {
		slices.Sort(took)
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		b.ReportMetric(ms(took[len(took)/2]), name+"-p50-ms")
		b.ReportMetric(ms(took[len(took)*99/100]), name+"-p99-ms")
	}
}

// actsAt is told when the table has acted for a player. It is a controller.Output.
type actsAt chan time.Time

// Publish does not wait: there is one action at a time.
func (a actsAt) Publish(u *controller.Update) {
	if slices.ContainsFunc(u.Events, func(e engine.Event) bool { return e.Kind == engine.PlayerActed }) {
		a <- time.Now()
	}
}
