package screen

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"testing"
	"time"

	"tavolo/drivers/bus"
	"tavolo/drivers/drivertest"
	"tavolo/drivers/sim"
)

// Displays on the kernel's SPI, with DC, RESET and the backlight on lines of its GPIO: what the glass shows is the picture,
// dot for dot, and once closed it is dark and the lines are let go.
func TestOnTheBoardTFTs(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	for _, c := range []struct {
		name string
		kind TFTKind
		size image.Point
	}{{"st7789", ST7789, image.Pt(240, 240)}, {"ili9341", ILI9341, image.Pt(320, 240)}} {
		t.Run(c.name, func(t *testing.T) {
			b, err := sim.NewBuses()
			if err != nil {
				t.Fatal(err)
			}
			chip, err := sim.NewGPIO("glass", "DC", "RESET", "LIGHT")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := chip.Close(); err != nil {
					t.Error(err)
				}
			})
			var glass sim.TFT
			b.SPI[1] = glass.OnBus(func() (uint64, error) { return chip.Levels(0, 3) })
			background(t, b.Run)

			o := TFTOptions{Kind: c.kind, Path: "/dev/spidev0.1", Chip: "glass", DC: "DC", Reset: "RESET", Light: "LIGHT", Size: c.size}
			d, err := TFT(o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := TFT(o); err == nil {
				t.Error("the lines were given away twice")
			}
			img := colourful(c.size)
			same := func(what string) {
				t.Helper()
				got, _ := glass.Picture(img.Rect)
				if got == nil {
					t.Fatalf("%s: it is dark", what)
				}
				for y := range c.size.Y {
					for x := range c.size.X {
						if g, w := got.RGBAAt(x, y), img.RGBAAt(x, y); g.R>>3 != w.R>>3 || g.G>>2 != w.G>>2 || g.B>>3 != w.B>>3 {
							t.Fatalf("%s: %d,%d is %v, want %v", what, x, y, g, w)
						}
					}
				}
			}
			if err := d.Draw(img); err != nil {
				t.Fatal(err)
			}
			same("the first picture")
			for y := range 20 {
				img.SetRGBA(100, 50+y, color.RGBA{A: 255})
			}
			if err := d.Draw(img); err != nil {
				t.Fatal(err)
			}
			same("a stroke more")
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if got, _ := glass.Picture(img.Rect); got != nil {
				t.Error("closed, it still shows something")
			}
			if levels, err := chip.Levels(2, 1); err != nil || levels != 0 {
				t.Errorf("closed, its light is %b, %v", levels, err)
			}
			seesReset(t, chip, o)
		})
	}
}

// seesReset sets the display up again until RESET is seen to fall and rise, for it is low for a moment only.
func seesReset(t *testing.T, chip *sim.GPIO, o TFTOptions) {
	t.Helper()
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		ctx, stop := context.WithCancel(t.Context())
		seen := make(chan bool, 1)
		go func() { seen <- pulse(ctx, chip) }()
		d, err := TFT(o)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if <-seen {
			return
		}
	}
	t.Error("RESET was not pulled")
}

// pulse is whether RESET, once high, fell and rose again before ctx ended.
func pulse(ctx context.Context, chip *sim.GPIO) bool {
	levels := []uint64{1, 0, 1} // that are to come
	for ctx.Err() == nil {
		now, err := chip.Levels(1, 1)
		if err != nil {
			return false
		}
		if now == levels[0] {
			levels = levels[1:]
		}
		if len(levels) == 0 {
			return true
		}
	}
	return false
}

// colourful is a picture in which no two dots beside each other are alike.
func colourful(size image.Point) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			img.SetRGBA(x, y, color.RGBA{R: uint8(8 * x), G: uint8(4 * y), B: uint8(8 * (x + y)), A: 255})
		}
	}
	return img
}

// background runs f until the test ends.
func background(t *testing.T, f func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(fmt.Errorf("the far end: %w", err))
		}
	})
}

// An OLED on the kernel's I2C.
func TestOnTheBoardOLED(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	drivertest.TestDisplay(t, drivertest.RealTime, func(t *testing.T) drivertest.Display {
		b, err := sim.NewBuses()
		if err != nil {
			t.Fatal(err)
		}
		background(t, b.Run)
		wire := bus.NewI2C("/dev/i2c-1")
		t.Cleanup(func() {
			if err := wire.Close(); err != nil {
				t.Error(err)
			}
		})
		return onI2C(t, "sh1106", wire, b.I2C[1])
	})
}
