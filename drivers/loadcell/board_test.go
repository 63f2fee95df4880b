package loadcell

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/sim"
)

// The kernel is told of this converter by its module hwsim.
const (
	name  = "0-002a"
	wired = "/sys/bus/i2c/devices/" + name
)

// soldered is a converter on the board's bus and the kernel's driver, which is bound to it until the test ends.
type soldered struct {
	*sim.NAU7802
	t   *testing.T
	bus *sim.I2C
}

func solder(t *testing.T) soldered {
	t.Helper()
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	b, err := sim.NewBuses()
	if err != nil {
		t.Fatal(err)
	}
	s := soldered{sim.NewNAU7802(b.I2C[0]), t, b.I2C[0]}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- b.Run(ctx) }()
	s.say("bind")
	t.Cleanup(func() {
		s.say("unbind")
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// say tells the kernel's driver to bind to the converter, or to let it go.
func (s soldered) say(what string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join("/sys/bus/i2c/drivers/nau7802", what), []byte(name), 0); err != nil {
		s.t.Fatal(err)
	}
}

func (s soldered) cut(on bool) { s.bus.Cut(0x2a, on) }

// rebind is what brings back a converter that lost its supply.
func (s soldered) rebind() {
	s.say("unbind")
	s.say("bind")
}

func TestOnTheBoardNAU7802(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	drivertest.TestScale(t, drivertest.RealTime, func(t *testing.T) drivertest.Scale {
		far := solder(t)
		dev, err := New(Options{Path: wired})
		if err != nil {
			t.Fatal(err)
		}
		return drivertest.Scale{
			Driver:   drivertest.Driver{Run: dev.Run, Reports: words(dev)},
			Lay:      func(reading int64) { far.Lay(0, reading) },
			Overload: func() { far.Lay(0, half) },
			Unplug:   func() { far.cut(true); far.Reset() },
			Plug:     func() { far.cut(false); far.rebind() },
		}
	})
}

func TestOnTheBoardHX711(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	drivertest.TestScale(t, drivertest.RealTime, func(t *testing.T) drivertest.Scale {
		var far sim.HX711
		lies, plugged := int64(0), true
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(far.Lay(lies))
		dev, err := New(Options{Path: sim.HX711Device})
		must(err)
		return drivertest.Scale{
			Driver: drivertest.Driver{Run: dev.Run, Reports: words(dev)},
			Lay: func(reading int64) {
				if lies = reading; plugged {
					must(far.Lay(lies))
				}
			},
			Overload: func() { must(far.Lay(half)) },
			Unplug:   func() { plugged = false; must(far.Unplug()) },
			Plug:     func() { plugged = true; must(far.Lay(lies)) },
		}
	})
}

// The converter loses its supply for a moment, and its wires for another: the first takes somebody to bind the kernel's
// driver again, and the driver says so.
func TestOnTheBoardSupplyAndWires(t *testing.T) {
	far := solder(t)
	far.Lay(0, 1000)
	h, end := start(t, wired)
	h.state(true, "")
	far.cut(true)
	h.state(false, "SDA and SCL")
	far.cut(false)
	h.state(true, "")
	far.Reset()
	h.state(false, "unbind")
	far.Lay(0, 2000)
	far.rebind()
	h.state(true, "")
	h.sample(2000)
	end()
}

// The converter's clock stops. The kernel's driver waits for it for ever, and nothing ends that while the chip answers.
func TestOnTheBoardConverterStops(t *testing.T) {
	far := solder(t)
	h, end := start(t, wired)
	h.state(true, "")
	far.Stop()
	h.state(false, "no sample for")
	far.cut(true) // which the kernel's driver notices
	h.state(false, "SDA and SCL")
	far.cut(false)
	far.rebind()
	h.state(true, "")
	end()
}
