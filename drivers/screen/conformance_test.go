package screen

import (
	"errors"
	"image"
	"testing"
	"testing/synctest"

	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

// oleds are those there are, with their far ends.
var oleds = map[string]struct {
	open func(i2c.Bus, uint16, image.Point) (Display, error)
	make func(*sim.I2C, uint16) *sim.OLED
	size image.Point
}{
	"ssd1306":         {SSD1306, sim.NewSSD1306, image.Pt(128, 64)},
	"ssd1306, 32 low": {SSD1306, sim.NewSSD1306, image.Pt(128, 32)},
	"sh1106":          {SH1106, sim.NewSH1106, image.Pt(128, 64)},
}

// rig is a display in the words of the suite, but for who looks at it.
func rig(open func() (Display, error), dark func() bool) drivertest.Display {
	dev := New(open)
	return drivertest.Display{
		Driver: drivertest.Driver{
			Run:     dev.Run,
			Reports: drivertest.Words(dev.Reports(), func(s port.State) drivertest.Report { return s }),
			Rest: func() error {
				if !dark() {
					return errors.New("it still shows something")
				}
				return nil
			},
		},
		Show: dev.Show,
		Open: func() (drivertest.Screen, error) { return open() },
	}
}

// onI2C is an OLED at 3d of a bus, whose wires are those of the simulated one.
func onI2C(t *testing.T, name string, bus i2c.Bus, wires *sim.I2C) drivertest.Display {
	o := oleds[name]
	glass := o.make(wires, 0x3d)
	shows := func() image.Image {
		if img, _ := glass.Picture(o.size); img != nil {
			return img
		}
		return nil
	}
	d := rig(func() (Display, error) { return o.open(bus, 0x3d, o.size) }, func() bool { return shows() == nil })
	d.Size, d.Place, d.Shows = o.size, "0x3d", shows
	d.Sent = func() int { _, n := glass.Picture(o.size); return n }
	d.Reset, d.Unplug, d.Plug = glass.Reset, func() { wires.Cut(0x3d, true) }, func() { wires.Cut(0x3d, false) }
	return d
}

func TestConformance(t *testing.T) {
	for name := range oleds {
		t.Run(name, func(t *testing.T) {
			drivertest.TestDisplay(t, synctest.Test, func(t *testing.T) drivertest.Display {
				wires := sim.NewI2C()
				return onI2C(t, name, wires, wires)
			})
		})
	}
	for name, o := range map[string]TFTOptions{
		"st7789":  {Size: image.Pt(240, 240), Path: "/dev/spidev0.1"},
		"ili9341": {Size: image.Pt(320, 240), Path: "/dev/spidev0.1", Kind: ILI9341},
	} {
		t.Run(name, func(t *testing.T) {
			drivertest.TestDisplay(t, synctest.Test, func(t *testing.T) drivertest.Display {
				var glass sim.TFT
				shows := func() image.Image {
					if img, _ := glass.Picture(image.Rectangle{Max: o.Size}); img != nil {
						return img
					}
					return nil
				}
				d := rig(func() (Display, error) {
					d, err := newTFT(o, &glass, &glass, tftLines{2, 4})
					if err != nil {
						return nil, err
					}
					return d, nil
				}, func() bool { return shows() == nil })
				d.Size, d.Place, d.Shows = o.Size, o.Path, shows
				d.Sent = func() int { _, n := glass.Picture(image.Rectangle{Max: o.Size}); return n }
				d.Reset, d.Unplug, d.Plug = glass.Reset, func() { glass.Cut(true) }, func() { glass.Cut(false) }
				return d
			})
		})
	}
}
