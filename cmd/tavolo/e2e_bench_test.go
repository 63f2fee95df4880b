package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/panel"
	"tavolo/drivers/pepper"
	"tavolo/drivers/sim"
	"tavolo/engine"
	"tavolo/engine/card"
	bridge "tavolo/firmware-bridge"
)

// BenchmarkPressToMQTT measures the way of a key press: from the key going down on a panel, over the seat bus, through the
// rules, the journal and its sync, and the broker, to a subscriber that has the event; "table" ends where the table has handed
// the event to all its outputs. Two players raise each other by the least, over and over, each press at a moment of its own. -benchtime 1000x gives the percentiles over a thousand presses. On the
// virtual board the seat bus is between UARTs, elsewhere it is a pseudo-terminal.
func BenchmarkPressToMQTT(b *testing.B) {
	wired, atFarEnd := onUARTs(b, "shoe", "pads-a", "panels")
	r := newRig(b, demoOptions{seats: 2, felt: 2}, wired, without("[deck]"), without("pepper-c1"), without("player = \"guest\""),
		without("name = \"guest\""), func(text string) string {
			return strings.ReplaceAll(text, "stack = 200", "stack = 1000000000")
		})
	dealer := load.NewDealer("dealer", 200)
	at := make(chan time.Time, 1) // when the table has told its outputs, the journal synced
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer, actsAt(at)) })
	table, _ := r.sim(d.brokerURL(), func(o *simtable.Options) {
		atFarEnd(o)
		o.Players, o.Dealer = nil, ""
	})
	w := r.join(d.brokerURL(), "viewer", r.cfg.Topics.Events())
	background(b, func(ctx context.Context) error {
		dealer.Deal(ctx, d.table, 8, func(dealt uint64) bool { return dealt < 2 })
		return nil
	})

	ctx, cancel := context.WithTimeout(b.Context(), patience+time.Duration(b.N)*time.Second)
	defer cancel()
	nodes := []*sim.Node{table.Panel(1), table.Panel(2)}
	was := map[*sim.Node]uint8{} // what it was asked last, which it may still show
	asked := func(d sim.Display) bool { return d.Ask.Prompt != 0 && d.Ask.Prompt != was[nodes[0]] }
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
		was[nodes[0]] = shows.Ask.Prompt
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
	percentiles(b, "table", told)
	percentiles(b, "mqtt", took)
}

// onUARTs gives devices UARTs, and what is at their far ends, where there are such.
func onUARTs(b *testing.B, devices ...string) (wired func(string) string, atFarEnd func(*simtable.Options)) {
	if !sim.HasBuses() {
		b.Log("no UARTs here: pseudo-terminals")
		return func(text string) string { return text }, func(*simtable.Options) {}
	}
	b.Log("UARTs")
	return uarts(devices...), func(o *simtable.Options) { atFarEnds(o, nil) }
}

// percentiles reports the median and the 99th percentile.
func percentiles(b *testing.B, name string, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), name+"-p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), name+"-p99-ms")
}

// actsAt is told when the table has acted for a player. It is a controller.Output.
type actsAt chan time.Time

// Publish does not wait: there is one action at a time.
func (a actsAt) Publish(u *controller.Update) {
	if slices.ContainsFunc(u.Events, func(e engine.Event) bool { return e.Kind == engine.PlayerActed }) {
		a <- time.Now()
	}
}

// BenchmarkEdgeToInput measures the way of an edge at a line of the board: from a panel's key that closes its contact, through
// the rules, the journal and its sync, to where the table tells its outputs what the player did. Where the kernel has the
// module gpio-sim, as on the virtual board, the line is one of a GPIO chip, and 5 ms of the way are the kernel's debouncing;
// elsewhere the edge is handed to the driver as the kernel would hand it over.
func BenchmarkEdgeToInput(b *testing.B) {
	var press func(seat engine.Seat, closed bool)
	var wired func(*daemon)
	if sim.HasGPIO() {
		b.Log("lines of gpio-sim")
		chip, err := sim.NewGPIO("bench", "SEAT1_BET", "SEAT2_BET")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := chip.Close(); err != nil {
				b.Error(err)
			}
		})
		press = func(seat engine.Seat, closed bool) {
			if err := chip.Pull(int(seat)-1, !closed); err != nil {
				b.Fatal(err)
			}
		}
		press(1, false)
		press(2, false)
		wired = func(*daemon) {}
	} else {
		b.Log("no gpio-sim here: lines in memory")
		lines := map[string]*sim.Lines{"SEAT1_BET": sim.NewLines(), "SEAT2_BET": sim.NewLines()}
		press = func(seat engine.Seat, closed bool) { lines[fmt.Sprintf("SEAT%d_BET", seat)].Set(0, closed) }
		wired = func(d *daemon) {
			d.wires = func(l panel.Lines) (panel.Wires, error) {
				in, err := lines[l.Contacts[0]].Open()
				return unlit{in}, err
			}
		}
	}
	r := newRig(b, demoOptions{seats: 2, felt: 2}, without("[deck]"), without("pepper-c1"), without("player = \"guest\""),
		without("name = \"guest\""), without("kind = \"seat-bus\""), func(text string) string {
			text = strings.ReplaceAll(text, "stack = 200", "stack = 1000000000")
			for seat := 1; seat <= 2; seat++ {
				text = strings.Replace(text, fmt.Sprintf("\nnode = %d\n", seat), "\n", 1)
				text += fmt.Sprintf("\n[[devices]]\nname = \"panel-%d\"\nkind = \"gpio-panel\"\nseat = %d\nkeys = { bet = \"SEAT%d_BET\" }\n", seat, seat, seat)
			}
			return text
		})
	dealer := load.NewDealer("dealer", 200)
	at := make(chan time.Time, 1)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer, actsAt(at)) }, wired)
	w := r.join(d.brokerURL(), "viewer", r.cfg.Topics.Events())
	background(b, func(ctx context.Context) error {
		dealer.Deal(ctx, d.table, 8, func(dealt uint64) bool { return dealt < 2 })
		return nil
	})
	var seat engine.Seat // whose turn it is; from the first on they go back and forth
	w.await("the first turn", func(s *seen) bool {
		i := slices.IndexFunc(s.events, func(e mqtt.EventPayload) bool { return e.Event.Kind == engine.TurnPassed })
		if i >= 0 {
			seat = s.events[i].Event.Seat
		}
		return i >= 0
	})
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		<-time.After(20*time.Millisecond + rand.N(20*time.Millisecond)) // until the key last pressed has stopped bouncing
		pressed := time.Now()
		press(seat, true)
		select {
		case told := <-at:
			took = append(took, told.Sub(pressed))
		case <-time.After(patience):
			b.Fatal("the key does nothing")
		}
		press(seat, false)
		seat = 3 - seat
	}
	percentiles(b, "input", took)
}

// unlit are a panel's contacts without lamps.
type unlit struct{ gpiocdev.Lines }

func (unlit) Light(uint64) error { return nil }

// BenchmarkCardToInput measures the way of a card that comes to lie on its place, under readers that take the time of real
// ones. "frame" is from the last byte on the wire of the look that decides it, through debouncing, deal tracker, rules, the
// journal and its sync, to where the table tells its outputs; "debounce" is from the last byte of the first look that sees the
// card to that of the one that decides it. On the virtual board the wires are between UARTs, elsewhere pseudo-terminals.
func BenchmarkCardToInput(b *testing.B) {
	wired, atFarEnd := onUARTs(b, "shoe", "pads-a", "panels")
	r := newRig(b, demoOptions{seats: 3}, wired)
	looks := looksAt{tags: r.cfg.Deck.Tags(), seen: map[string][]time.Time{}, took: make(chan taken, 1024)}
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, &looks) })
	r.sim(d.brokerURL(), func(o *simtable.Options) {
		atFarEnd(o)
		o.Rebuy = 200
		for i, dev := range o.Devices {
			if dev.Kind != "pepper-c1-mux" {
				continue
			}
			open, end := sim.NewPTY, dev.Path
			if dev.Far != "" {
				open, end = sim.NewUART, dev.Far
			}
			wire, err := open(end)
			if err != nil {
				b.Fatal(err)
			}
			wire.Inject(0, looks.frames())
			o.Devices[i].Reader = sim.NewPepper(wire, sim.PepperOptions{Timing: sim.RealTiming()})
		}
	})
	var frame, debounce []time.Duration
	for b.Loop() {
		select {
		case t := <-looks.took:
			frame, debounce = append(frame, t.frame), append(debounce, t.debounce)
		case <-time.After(patience):
			b.Fatal("no card is dealt")
		}
	}
	percentiles(b, "frame", frame)
	percentiles(b, "debounce", debounce)
}

// taken is how long a card took that the table has taken.
type taken struct{ frame, debounce time.Duration }

// looksAt keeps when the looks ended that saw each card in its place. It is a controller.Output.
type looksAt struct {
	tags map[card.Card]string
	took chan taken

	mu   sync.Mutex
	seen map[string][]time.Time // by tag
}

// frames hears what a reader says to the daemon: of each look how many tags there are, then each of them.
func (l *looksAt) frames() sim.Fault {
	const head, crc = 5, 2
	var left byte
	var tags []string
	return func(frame []byte) []byte {
		p := frame[head : len(frame)-crc]
		switch {
		case p[0] == pepper.Ack && p[1] == pepper.CmdTagCount:
			left, tags = p[2], nil
		case p[0] == pepper.Ack && p[1] == pepper.CmdUID && left > 0:
			tags = append(tags, strings.ToUpper(hex.EncodeToString(p[4:])))
			if left--; left == 0 {
				l.mu.Lock()
				defer l.mu.Unlock()
				for _, tag := range tags {
					l.seen[tag] = append(l.seen[tag], time.Now())
				}
			}
		}
		return frame
	}
}

// Publish tells of the cards that the table has taken.
func (l *looksAt) Publish(u *controller.Update) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range u.Events {
		switch e.Kind {
		case engine.HandBegan:
			clear(l.seen)
		case engine.HoleDealt, engine.BoardDealt, engine.CardBurned:
			if at := l.seen[l.tags[e.Card]]; len(at) > 0 {
				l.took <- taken{now.Sub(at[len(at)-1]), at[len(at)-1].Sub(at[0])}
			}
		}
	}
}
