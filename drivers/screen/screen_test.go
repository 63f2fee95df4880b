package screen

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// picture is a black picture with white rectangles.
func picture(size image.Point, white ...image.Rectangle) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(img, img.Rect, image.Black, image.Point{}, draw.Src)
	for _, r := range white {
		draw.Draw(img, r, image.White, image.Point{}, draw.Src)
	}
	return img
}

// Each kind and way round: what the picture is in the memory, from where, in which colours, and in how many bytes.
func TestTFTs(t *testing.T) {
	for name, c := range map[string]struct {
		opt    TFTOptions
		lines  tftLines
		offset image.Point
		access byte // by the data sheet's figures of what is seen
	}{
		"st7789":                {TFTOptions{Size: image.Pt(240, 240)}, tftLines{2, 4}, image.Point{}, 0x00},
		"st7789 flipped":        {TFTOptions{Size: image.Pt(240, 240), Flip: true}, tftLines{2, 4}, image.Pt(0, 80), 0xc0},
		"st7789 lying":          {TFTOptions{Size: image.Pt(320, 240)}, tftLines{2, 4}, image.Point{}, 0x60},
		"ili9341 lying":         {TFTOptions{Kind: ILI9341, Size: image.Pt(320, 240)}, tftLines{2, 4}, image.Point{}, 0x28},
		"ili9341, no RESET":     {TFTOptions{Kind: ILI9341, Size: image.Pt(240, 320)}, tftLines{0, 4}, image.Point{}, 0x48},
		"ili9341 lying flipped": {TFTOptions{Kind: ILI9341, Size: image.Pt(320, 240), Flip: true}, tftLines{2, 4}, image.Point{}, 0xe8},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // controllers want pauses
				var glass sim.TFT
				d, err := newTFT(c.opt, &glass, &glass, c.lines)
				if err != nil {
					t.Fatal(err)
				}
				shows := func(want *image.RGBA) (bytes int) {
					t.Helper()
					got, bytes := glass.Picture(want.Rect.Add(c.offset))
					if got == nil {
						t.Fatal("it shows nothing")
					}
					for y := range want.Rect.Dy() {
						for x := range want.Rect.Dx() {
							if g, w := got.RGBAAt(x, y), want.RGBAAt(x, y); g.R>>3 != w.R>>3 || g.G>>2 != w.G>>2 || g.B>>3 != w.B>>3 {
								t.Fatalf("%d,%d is %v, want %v", x, y, g, w)
							}
						}
					}
					return bytes
				}
				if got, _ := glass.Picture(d.shown.Rect); got != nil {
					t.Error("it is lit before its first picture")
				}
				img := picture(c.opt.Size, image.Rect(10, 10, 50, 30))
				img.SetRGBA(100, 100, color.RGBA{255, 176, 0, 255})
				if err := d.Draw(img); err != nil {
					t.Fatal(err)
				}
				whole := 2 * c.opt.Size.X * c.opt.Size.Y
				if n := shows(img); n != whole || glass.Access() != c.access {
					t.Errorf("%d bytes, want %d; access %02x, want %02x", n, whole, glass.Access(), c.access)
				}
				next := picture(c.opt.Size, image.Rect(10, 10, 50, 30))
				next.SetRGBA(100, 100, color.RGBA{0, 176, 255, 255})
				next.SetRGBA(103, 101, color.RGBA{0, 176, 255, 255})
				if err := errors.Join(d.Draw(next), d.Draw(next)); err != nil {
					t.Fatal(err)
				}
				if n := shows(next); n != whole+2*4*2 {
					t.Errorf("%d bytes more for a change of 4 by 2 pixels", n-whole)
				}
			})
		})
	}
}

func TestRefusals(t *testing.T) {
	bus := sim.NewI2C()
	sim.NewSSD1306(bus, 0x3c)
	oled := func(open func(i2c.Bus, uint16, image.Point) (Display, error), addr uint16, w, h int) error {
		_, err := open(bus, addr, image.Pt(w, h))
		return err
	}
	colour := func(o TFTOptions) error { _, err := TFT(o); return err }
	for want, err := range map[string]error{
		"at 0x3e: want an address of 0x3c or 0x3d":            oled(SSD1306, 0x3e, 128, 64),
		"128 by 60 pixels: want 128 by 64, or 128 by 32":      oled(SSD1306, 0x3c, 128, 60),
		"128 by 32 pixels: want 128 by 64":                    oled(SH1106, 0x3c, 128, 32),
		"at /dev/spidev9.0: the line of DC is missing":        colour(TFTOptions{Path: "/dev/spidev9.0", Size: image.Pt(240, 240)}),
		"240 by 240 pixels: want 240 by 320, or 320 by 240":   colour(TFTOptions{Kind: ILI9341, DC: "DC", Size: image.Pt(240, 240)}),
		"0 by 0 pixels: want 240 by 320, or 320 by 240, or 2": colour(TFTOptions{DC: "DC"}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// slow is a display that takes a second for a picture, and fails when it is told to.
type slow struct {
	mu     sync.Mutex
	shown  []image.Image
	fail   error
	closed bool
}

func (s *slow) Draw(img image.Image) error {
	time.Sleep(time.Second)
	s.do(func() { s.shown = append(s.shown, img) })
	return s.Check()
}

func (s *slow) Check() (err error) {
	s.do(func() { err = s.fail })
	return err
}

func (s *slow) Close() error {
	s.do(func() { s.closed = true })
	return nil
}

func (s *slow) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// drew is what it has shown, and whether it is closed.
func (s *slow) drew() (shown []image.Image, closed bool) {
	s.do(func() { shown, closed = slices.Clone(s.shown), s.closed })
	return shown, closed
}

// A display that is slow is late with nothing that is out of date; one that fails is set up again and shows what is to be
// shown then. Neither holds up who shows it something.
func TestDisplayShowsTheLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var displays []*slow
		d := New(func() (Display, error) {
			displays = append(displays, &slow{})
			return displays[len(displays)-1], nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Run(ctx) }()
		state := func(up bool) {
			t.Helper()
			select {
			case s := <-d.Reports():
				if s.Up != up {
					t.Errorf("%+v, want up: %v", s, up)
				}
			case <-time.After(time.Minute):
				t.Fatal("no report")
			}
		}
		state(true)
		var pictures []image.Image
		began := time.Now()
		for range 10 {
			img := picture(image.Pt(8, 8))
			pictures = append(pictures, img)
			d.Show(img)
			synctest.Wait()
		}
		if since := time.Since(began); since > 0 {
			t.Errorf("showing ten pictures took %v", since)
		}
		time.Sleep(3 * time.Second)
		first := displays[0]
		if shown, _ := first.drew(); !slices.Equal(shown, []image.Image{pictures[0], pictures[9]}) {
			t.Errorf("%d pictures were drawn, want the first and the last", len(shown))
		}
		first.do(func() { first.fail = errors.New("gone") })
		state(false)
		if _, closed := first.drew(); !closed {
			t.Error("the display that is gone was not closed")
		}
		state(true)
		if shown, _ := displays[1].drew(); !slices.Equal(shown, []image.Image{pictures[9]}) {
			t.Errorf("back, it drew %d pictures, want the last", len(shown))
		}
		cancel()
		err := <-done
		if _, closed := displays[1].drew(); err != nil || !closed {
			t.Errorf("ended with %v, closed: %v", err, closed)
		}
	})
}
