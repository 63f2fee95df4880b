package screen

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/devices/v3/ssd1306"
	"periph.io/x/devices/v3/ssd1306/image1bit"
)

// SSD1306 sets up an OLED with that controller (data sheet SSD1306, Solomon Systech), 128 by 64 or 128 by 32 pixels, on a
// bus at 0x3C or 0x3D. What is half as bright as white or more is lit.
//
// Wiring: SDA, SCL, 3.3 V, ground; the address by a solder bridge. More than two go behind a multiplexer, see package bus.
func SSD1306(bus i2c.Bus, addr uint16, size image.Point) (Display, error) {
	if err := fits(addr, size, image.Pt(128, 64), image.Pt(128, 32)); err != nil {
		return nil, fmt.Errorf("ssd1306 at 0x%02x: %w", addr, err)
	}
	at := fixed{bus, addr}
	dev, err := ssd1306.NewI2C(at, &ssd1306.Opts{W: size.X, H: size.Y, Sequential: size.Y == 32})
	if err != nil {
		return nil, fmt.Errorf("ssd1306 at 0x%02x: %w", addr, err)
	}
	return &oled{at, size, "ssd1306", dev.Draw, dev.Halt}, nil
}

// SH1106 sets up an OLED with that controller (data sheet SH1106, Sino Wealth), 128 by 64 pixels, on a bus at 0x3C or 0x3D.
// Its memory is 132 pixels wide, of which the display shows those from the third on, and is written page by page.
func SH1106(bus i2c.Bus, addr uint16, size image.Point) (Display, error) {
	if err := fits(addr, size, image.Pt(128, 64)); err != nil {
		return nil, fmt.Errorf("sh1106 at 0x%02x: %w", addr, err)
	}
	at := fixed{bus, addr}
	d := &sh1106{bus: at, shown: image1bit.NewVerticalLSB(image.Rectangle{Max: size}), fresh: true}
	if err := d.setUp(); err != nil {
		return nil, fmt.Errorf("sh1106 at 0x%02x: %w", addr, err)
	}
	return &oled{at, size, "sh1106", d.draw, func() error { return d.command(oledOff) }}, nil
}

// fits says why there is no such OLED, nil if there is.
func fits(addr uint16, size image.Point, sizes ...image.Point) error {
	if addr != 0x3C && addr != 0x3D {
		return errors.New("want an address of 0x3c or 0x3d")
	}
	return known(size, sizes...)
}

// oled is a display of one colour on an I²C bus.
type oled struct {
	bus  fixed
	size image.Point
	name string
	draw func(r image.Rectangle, src image.Image, from image.Point) error
	halt func() error
}

func (o *oled) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s at 0x%02x: %w", o.name, o.bus.addr, err)
}

func (o *oled) Draw(img image.Image) error {
	bits := image1bit.NewVerticalLSB(image.Rectangle{Max: o.size})
	draw.Draw(bits, bits.Rect, img, img.Bounds().Min, draw.Src)
	return o.fault(o.draw(bits.Rect, bits, image.Point{}))
}

// isOff is the bit of the status that a controller has while it shows nothing, as after a reset.
const isOff = 1 << 6

// Check reads the status, which a display that is gone does not answer.
func (o *oled) Check() error {
	var status [1]byte
	err := o.bus.Tx(o.bus.addr, nil, status[:])
	if err == nil && status[0]&isOff != 0 {
		err = errors.New("it was reset; check its supply")
	}
	return o.fault(err)
}

func (o *oled) Close() error { return o.fault(o.halt()) }

// fixed is a bus where every transfer goes to one device: the driver of the SSD1306 knows only 0x3C.
type fixed struct {
	i2c.Bus
	addr uint16
}

func (f fixed) Tx(_ uint16, w, r []byte) error { return f.Bus.Tx(f.addr, w, r) }

// sh1106 is a controller SH1106.
type sh1106 struct {
	bus   fixed
	shown *image1bit.VerticalLSB
	fresh bool // nothing is shown yet, whatever shown says
}

// The control byte says what follows; the commands are those of the data sheet, section "Commands".
const (
	oledCommands = 0x00
	oledData     = 0x40
	oledOff      = 0xAE
	sh1106Offset = 2 // of the first column that is shown
)

func (d *sh1106) setUp() error {
	h := byte(d.shown.Rect.Dy())
	return d.command(
		oledOff,
		0xD5, 0x80, // clock
		0xA8, h-1, // rows
		0xD3, 0x00, // first row
		0x40,       // first line of memory
		0xAD, 0x8B, // charge pump on
		0xA1, 0xC8, // as seen from the front, connector above
		0xDA, 0x12, // rows by turns
		0x81, 0x80, // contrast
		0xD9, 0x1F, // pre-charge
		0xDB, 0x40, // level of the deselected
		0xA4, 0xA6, // what is in memory, lit where set
	)
}

func (d *sh1106) command(c ...byte) error {
	return d.bus.Tx(d.bus.addr, append([]byte{oledCommands}, c...), nil)
}

// draw sends the pages that changed, from the first to the last byte that did.
func (d *sh1106) draw(_ image.Rectangle, src image.Image, _ image.Point) error {
	next := src.(*image1bit.VerticalLSB) // of oled.Draw
	w := next.Rect.Dx()
	for page := range next.Rect.Dy() / 8 {
		was, is := d.shown.Pix[page*w:(page+1)*w], next.Pix[page*w:(page+1)*w]
		from, to := 0, w
		if !d.fresh {
			if bytes.Equal(was, is) {
				continue
			}
			for was[from] == is[from] {
				from++
			}
			for was[to-1] == is[to-1] {
				to--
			}
		}
		col := byte(from + sh1106Offset)
		if err := d.command(0xB0+byte(page), col&0x0F, 0x10|col>>4); err != nil {
			return err
		}
		if err := d.bus.Tx(d.bus.addr, append([]byte{oledData}, is[from:to]...), nil); err != nil {
			return err
		}
		copy(was[from:to], is[from:to])
	}
	if d.fresh {
		d.fresh = false
		return d.command(0xAF) // on, now that there is something to show
	}
	return nil
}
