package lamp

import (
	"fmt"
	"image/color"
	"testing"
	"testing/synctest"

	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

// rig is a bank in the words of the suite.
func rig(open func() (Bank, error), n int, lit func() uint64) drivertest.Lamps {
	dev := New(open)
	return drivertest.Lamps{
		Driver: drivertest.Driver{
			Run:     dev.Run,
			Reports: drivertest.Words(dev.Reports(), func(s port.State) drivertest.Report { return s }),
			Rest: func() error {
				if on := lit(); on != 0 {
					return fmt.Errorf("lamps %b are lit", on)
				}
				return nil
			},
		},
		Set: dev.Set, N: n, Lit: lit,
	}
}

// onI2C is a PCA9685 at 41 of a bus, whose wires are those of the simulated one.
func onI2C(bus i2c.Bus, wires *sim.I2C) drivertest.Lamps {
	chip := sim.NewPCA9685(wires, 0x41)
	l := rig(func() (Bank, error) { return PCA9685(bus, 0x41) }, pca9685Lamps, chip.Lit)
	l.Reset, l.Unplug, l.Plug = chip.Reset, func() { wires.Cut(0x41, true) }, func() { wires.Cut(0x41, false) }
	return l
}

// ends is a strip as its wire sees it.
type ends struct{ *sim.WS2812 }

func (e ends) Write(b []byte) (int, error) { return len(b), e.Tx(b, nil) }

func (e ends) Close() error { return nil }

var amber = color.NRGBA{R: 0xff, G: 0x80, B: 0x01, A: 0xff}

// litOf are the lamps of a strip that are amber; those that are neither that nor dark count as the highest.
func litOf(s *sim.WS2812) func() uint64 {
	return func() (on uint64) {
		for i, c := range s.Lamps() {
			switch c {
			case amber:
				on |= 1 << i
			case color.NRGBA{}, color.NRGBA{A: 0xff}:
			default:
				on |= 1 << 63
			}
		}
		return on
	}
}

func TestConformance(t *testing.T) {
	t.Run("pca9685", func(t *testing.T) {
		drivertest.TestLamps(t, synctest.Test, func(*testing.T) drivertest.Lamps {
			wires := sim.NewI2C()
			return onI2C(wires, wires)
		})
	})
	t.Run("ws2812", func(t *testing.T) {
		drivertest.TestLamps(t, synctest.Test, func(*testing.T) drivertest.Lamps {
			const n = 12
			strip := sim.NewWS2812(n)
			l := rig(func() (Bank, error) { return newWS2812(ends{strip}, 4096, n, amber) }, n, litOf(strip))
			l.Reset = strip.Reset
			return l
		})
	})
}
