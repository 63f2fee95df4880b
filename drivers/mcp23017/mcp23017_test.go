package mcp23017_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/mcp23017"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const addr = 0x21

// rig is a driver on a simulated chip, inside a bubble where time passes only while all wait.
type rig struct {
	t    *testing.T
	bus  *sim.I2C
	chip *sim.MCP23017
	dev  *mcp23017.Dev
	told chan gpiocdev.Edge
	done chan error
}

// run has f work a chip with contacts at GPA0, GPA1 and GPB0, the last a quick one, and a lamp at GPB7.
func run(t *testing.T, interrupt bool, before, f func(*rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, bus: sim.NewI2C(), done: make(chan error, 1), told: make(chan gpiocdev.Edge, 100)}
		r.chip = sim.NewMCP23017(r.bus, addr)
		if before != nil {
			before(r)
		}
		o := mcp23017.Options{Addr: addr, Inputs: 0x0103, Outputs: 0x8000, Quick: 0x0100}
		if interrupt {
			o.Interrupt = r.chip.Interrupt()
		}
		var err error
		if r.dev, err = mcp23017.New(r.bus, o); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { r.done <- r.dev.Watch(ctx, func(e gpiocdev.Edge) { r.told <- e }) }()
		time.Sleep(1010 * time.Millisecond) // not when it is asked
		f(r)
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

// edges checks what was told since the last call.
func (r *rig) edges(want ...gpiocdev.Edge) {
	r.t.Helper()
	synctest.Wait()
	var got []gpiocdev.Edge
	for len(r.told) > 0 {
		e := <-r.told
		e.At = time.Time{}
		got = append(got, e)
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("edges %+v, want %+v", got, want)
	}
}

func TestContacts(t *testing.T) {
	for name, interrupt := range map[string]bool{"with an interrupt": true, "polled": false} {
		t.Run(name, func(t *testing.T) {
			run(t, interrupt, nil, func(r *rig) {
				r.edges()
				r.chip.Contacts(0x0002)
				time.Sleep(10 * time.Millisecond)
				r.edges(gpiocdev.Edge{Line: 1, Active: true})
				r.chip.Contacts(0x0101)
				time.Sleep(10 * time.Millisecond)
				r.edges(gpiocdev.Edge{Line: 0, Active: true}, gpiocdev.Edge{Line: 1, Together: true}, gpiocdev.Edge{Line: 8, Active: true, Together: true})
				if levels, err := r.dev.Levels(); levels != 0x0101 || err != nil {
					t.Errorf("levels %x, %v", levels, err)
				}
			})
		})
	}
}

// A press shorter than it takes to read the chip is in what the chip captured.
func TestShortPressIsCaptured(t *testing.T) {
	run(t, false, nil, func(r *rig) {
		r.chip.Contacts(1)
		r.chip.Contacts(0)
		time.Sleep(20 * time.Millisecond)
		r.edges(gpiocdev.Edge{Line: 0, Active: true}, gpiocdev.Edge{Line: 0})
	})
}

// Fault 7: a bouncing contact is one edge; an encoder's is not debounced.
func TestBounce(t *testing.T) {
	run(t, true, nil, func(r *rig) {
		for range 4 {
			r.chip.Contacts(1)
			synctest.Wait()
			r.chip.Contacts(0)
			synctest.Wait()
		}
		r.chip.Contacts(1)
		time.Sleep(10 * time.Millisecond)
		r.edges(gpiocdev.Edge{Line: 0, Active: true})
		for i := range 4 {
			r.chip.Contacts(uint16(1 + 0x0100*((i+1)%2)))
			synctest.Wait()
		}
		on, off := gpiocdev.Edge{Line: 8, Active: true}, gpiocdev.Edge{Line: 8}
		r.edges(on, off, on, off)
	})
}

// Fault 28: the interrupt latches; one whose edge was missed is found by asking, and the next one comes through again.
func TestLatchedInterruptIsFreed(t *testing.T) {
	run(t, true, nil, func(r *rig) {
		r.chip.Interrupt().Swallow(1)
		r.chip.Contacts(1)
		time.Sleep(10 * time.Millisecond)
		r.edges() // nobody heard it
		time.Sleep(200 * time.Millisecond)
		r.edges(gpiocdev.Edge{Line: 0, Active: true})
		r.chip.Contacts(0)
		time.Sleep(time.Millisecond)
		r.edges(gpiocdev.Edge{Line: 0})
	})
}

// Fault 29: what happened before the start is not told, whatever the interrupt says.
func TestStaleInterruptIsNoPress(t *testing.T) {
	run(t, true, func(r *rig) {
		// A program that has died left the chip set up, and nobody took its last interrupt.
		if _, err := mcp23017.New(r.bus, mcp23017.Options{Addr: addr, Inputs: 1}); err != nil {
			t.Fatal(err)
		}
		r.chip.Contacts(1)
		if active, _ := r.chip.Interrupt().Levels(); active == 0 {
			t.Fatal("the interrupt is not asserted")
		}
	}, func(r *rig) {
		r.edges()
		if levels, err := r.dev.Levels(); levels != 1 || err != nil {
			t.Errorf("levels %x, %v", levels, err)
		}
		r.chip.Contacts(0)
		time.Sleep(time.Millisecond)
		r.edges(gpiocdev.Edge{Line: 0})
	})
}

func TestLamps(t *testing.T) {
	run(t, true, nil, func(r *rig) {
		if err := r.dev.Light(0xffff); err != nil || r.chip.Lit() != 0x8000 {
			t.Errorf("lit %x, %v", r.chip.Lit(), err)
		}
		if err := r.dev.Close(); err != nil || r.chip.Lit() != 0 {
			t.Errorf("closed: lit %x, %v", r.chip.Lit(), err)
		}
	})
}

func TestLostChip(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(*rig)
		want string
	}{
		"cut off": {func(r *rig) { r.bus.Cut(addr, true) }, "no such device"},
		"reset":   {func(r *rig) { r.chip.Reset() }, "reset"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, true, nil, func(r *rig) {
				c.lose(r)
				err := <-r.done
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "0x21") {
					t.Errorf("ended with %v", err)
				}
				r.done <- nil
			})
		})
	}
}

// A chip without lamps has after a reset the directions it had before; it has forgotten its pull-ups and interrupts all the
// same.
func TestResetOfAChipWithoutLamps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := sim.NewI2C()
		chip := sim.NewMCP23017(bus, addr)
		dev, err := mcp23017.New(bus, mcp23017.Options{Addr: addr, Inputs: 3, Interrupt: chip.Interrupt()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		time.AfterFunc(time.Second, chip.Reset)
		if err := dev.Watch(ctx, func(e gpiocdev.Edge) { t.Errorf("%+v", e) }); err == nil || !strings.Contains(err.Error(), "reset") {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestRefusals(t *testing.T) {
	bus := sim.NewI2C()
	sim.NewMCP23017(bus, addr)
	for want, o := range map[string]mcp23017.Options{
		"0x20 to 0x27":     {Addr: 0x30},
		"GPA7 GPB7":        {Addr: addr, Inputs: 0x8080},
		"GPB0] are inputs": {Addr: addr, Inputs: 0x100, Outputs: 0x100},
		"no such device":   {Addr: 0x20},
	} {
		if _, err := mcp23017.New(bus, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}
