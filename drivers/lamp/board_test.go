package lamp

import (
	"context"
	"image/color"
	"testing"
	"time"

	"tavolo/drivers/bus"
	"tavolo/drivers/drivertest"
	"tavolo/drivers/sim"
)

// The strip is lit through the kernel's SPI: the far end reads the bits off the wire. It starts dark, and is dark again when
// the driver has ended, whatever it showed.
func TestOnTheBoardAStrip(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	b, err := sim.NewBuses()
	if err != nil {
		t.Fatal(err)
	}
	const most = 445 // that go in one transfer of the kernel's
	strip := sim.NewWS2812(most)
	b.SPI[3] = strip
	background(t, b.Run)

	dark := color.NRGBA{A: 0xff}
	d := New(func() (Bank, error) { return WS2812("/dev/spidev0.3", most, amber) })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	if s := <-d.Reports(); !s.Up {
		t.Fatal(s.Err)
	}
	// shows waits until the first lamps show what they should, and looks whether all others are dark.
	shows := func(on uint64) {
		t.Helper()
		late := time.After(time.Minute)
		for {
			wrong := -1
			for i, c := range strip.Lamps() {
				want := dark
				if i < Most && on&(1<<i) != 0 {
					want = amber
				}
				if c != want {
					wrong = i
				}
			}
			if wrong < 0 {
				return
			}
			select {
			case <-time.After(time.Millisecond):
			case <-late:
				t.Fatalf("%064b: lamp %d shows %v", on, wrong, strip.Lamps()[wrong])
			}
		}
	}
	shows(0)
	for _, on := range []uint64{1, 1 << 63, 0xAAAA_5555_0F0F_3333} {
		d.Set(on, 0)
		shows(on)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	shows(0)
	if n := strip.Garbled(); n != 0 {
		t.Errorf("%d transfers were garbled", n)
	}
	if _, err := WS2812("/dev/spidev0.3", most+1, amber); err == nil {
		t.Error("a strip was opened that does not go in one transfer")
	}
}

// background runs f until the test ends.
func background(t *testing.T, f func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The lamps of a PCA9685 on the kernel's I2C.
func TestOnTheBoardPCA9685(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	drivertest.TestLamps(t, drivertest.RealTime, func(t *testing.T) drivertest.Lamps {
		b, err := sim.NewBuses()
		if err != nil {
			t.Fatal(err)
		}
		background(t, b.Run)
		wire := bus.NewI2C("/dev/i2c-0")
		t.Cleanup(func() {
			if err := wire.Close(); err != nil {
				t.Error(err)
			}
		})
		return onI2C(wire, b.I2C[0])
	})
}
