package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/sim"
	"tavolo/engine"
)

// These tests run where the daemon has real lines, buses and UARTs: on the virtual board of "make test-board".

// buses are the board's, with no chips yet; the test skips elsewhere.
func buses(t *testing.T) *sim.Buses {
	t.Helper()
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	b, err := sim.NewBuses()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// uarts gives the devices of a configuration the board's UARTs instead of pseudo-terminals, in their order.
func uarts(devices ...string) func(string) string {
	return func(text string) string {
		for i, name := range devices {
			text = strings.Replace(text, fmt.Sprintf("path = \"dev/%s\"", name), fmt.Sprintf("path = \"/dev/near/%d\"", i), 1)
		}
		return text
	}
}

// atFarEnds has the simulated devices at the other ends of the UARTs, and leaves out those on buses.
func atFarEnds(o *simtable.Options) {
	o.Devices = slices.DeleteFunc(o.Devices, func(d simtable.Device) bool { return strings.HasPrefix(d.Path, "/dev/i2c") })
	for i, d := range o.Devices {
		o.Devices[i].Far = strings.Replace(d.Path, "near", "far", 1)
	}
}

// contacts are the lines of the table's GPIO chip, all contacts open.
func contacts(t *testing.T, lines ...string) *sim.GPIO {
	t.Helper()
	chip, err := sim.NewGPIO("table", lines...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chip.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range lines {
		if err := chip.Pull(i, true); err != nil {
			t.Fatal(err)
		}
	}
	return chip
}

// A hand is played with the readers and the panel of seat 3 on UARTs, the panel of seat 1 on lines of the board, that of
// seat 2 on an expander whose interrupt is wired to a line, and with lamps of their own on the same bus.
func TestOnTheBoardAHand(t *testing.T) {
	b := buses(t)
	const (
		fold, foldLamp, interrupt = 0, 1, 2
	)
	chip := contacts(t, "SEAT1_FOLD", "SEAT1_FOLD_LAMP", "SEAT2_INT")
	expander := sim.NewMCP23017(b.I2C[1], 0x20)
	driver := sim.NewPCA9685(b.I2C[1], 0x40)
	background(t, b.Run)
	background(t, func(ctx context.Context) error {
		return expander.Interrupt().Watch(ctx, func(e gpiocdev.Edge) {
			if err := chip.Pull(interrupt, !e.Active); err != nil {
				t.Error(err)
			}
		})
	})
	r := scripted(t, "straddle.phh", 3, uarts("shoe", "pads-a", "panels"), func(text string) string {
		for seat := 1; seat <= 2; seat++ {
			text = strings.Replace(text, fmt.Sprintf("\nnode = %d\n", seat), "\n", 1)
		}
		return text + `
[[devices]]
name = "panel-1"
kind = "gpio-panel"
seat = 1
keys = { fold = "SEAT1_FOLD" }
lamps = { fold = "SEAT1_FOLD_LAMP" }

[[devices]]
name = "panel-2"
kind = "mcp23017-panel"
path = "/dev/i2c-1"
address = 0x20
seat = 2
interrupt = "SEAT2_INT"
keys = { fold = "A0", call = "A1" }
lamps = { call = "A7" }

[[devices]]
name = "lamps"
kind = "pca9685"
path = "/dev/i2c-1"
address = 0x40
lamps = ["seat 2 fold"]
`
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		atFarEnds(o)
		playing("carla", "dario")(o)
	})

	// turn waits until a seat is to act, and returns how many events there were before.
	turn := func(seat engine.Seat) (seq uint64) {
		t.Helper()
		w.await(fmt.Sprintf("seat %d is to act", seat), func(s *seen) bool {
			v := s.state().View
			seq = s.state().Seq
			return v.Awaits.Kind == engine.AwaitAction && v.Awaits.Seat == seat
		})
		return seq
	}
	acted := func(seat engine.Seat, seq uint64) {
		t.Helper()
		w.await(fmt.Sprintf("seat %d has acted", seat), func(s *seen) bool {
			a := s.state().View.Awaits
			return s.state().Seq > seq && (a.Seat != seat || a.Kind != engine.AwaitAction)
		})
	}
	lit := func(what string, is func() bool) {
		t.Helper()
		for late := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) { // a lamp does not say when it changes
			if time.Now().After(late) {
				t.Fatalf("%s stays dark", what)
			}
		}
	}

	seq := turn(1)
	lit("the lamp of seat 1's fold key", func() bool { on, err := chip.High(foldLamp); return on && err == nil })
	if err := chip.Pull(fold, false); err != nil {
		t.Fatal(err)
	}
	acted(1, seq)
	if err := chip.Pull(fold, true); err != nil {
		t.Fatal(err)
	}
	const foldPin, callPin, callLamp = 1 << 0, 1 << 1, 1 << 7
	for _, key := range []uint16{callPin, callPin, callPin, foldPin} {
		seq := turn(2)
		lit("the lamp of seat 2's call key", func() bool { return expander.Lit()&callLamp != 0 })
		lit("the lamp of its own", func() bool { return driver.Lit()&1 != 0 })
		expander.Contacts(key)
		acted(2, seq)
		expander.Contacts(0)
	}
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}
