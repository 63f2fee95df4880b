package screen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"time"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"

	"tavolo/drivers/bus"
	"tavolo/drivers/gpiocdev"
)

// TFTKind is the controller of a colour display.
type TFTKind uint8

const (
	ST7789  TFTKind = iota // Sitronix, 240 by 240 or 240 by 320 pixels
	ILI9341                // Ilitek, 240 by 320 pixels
)

// TFTOptions describe a colour display.
type TFTOptions struct {
	Kind TFTKind
	// Path is the SPI device, such as /dev/spidev0.0.
	Path string
	// Chip is where the lines are, see package gpiocdev. DC says whether a byte is a command or data; Reset resets the
	// display while it is low, Light switches its backlight: "" where they are not wired.
	Chip, DC, Reset, Light string
	// Size is that of the picture. A wide one is turned by a quarter; 240 by 240 is the upper part of the memory.
	Size image.Point
	// Flip turns the picture by half.
	Flip bool
}

// check says what is wrong with the options.
func (o TFTOptions) check() error {
	if o.DC == "" {
		return errors.New("the line of DC is missing")
	}
	sizes := []image.Point{{X: tftShort, Y: tftLong}, {X: tftLong, Y: tftShort}}
	if o.Kind == ST7789 {
		sizes = append(sizes, image.Pt(tftShort, tftShort))
	}
	return known(o.Size, sizes...)
}

// tftSpeed is what both controllers take, though the data sheet of the ILI9341 says 10 MHz.
const tftSpeed = 32 * physic.MegaHertz

// TFT sets up a colour display, dark until its first picture.
//
// Wiring: SCK, MOSI and CS to the bus, DC and RESET to lines of the board, 3.3 V. A frame of 320 by 240 pixels is 153,600
// bytes, sent in pieces of 4096 unless the kernel was started with a larger spidev.bufsiz: 40 ms and more. At a seat little
// of it changes at a time.
func TFT(o TFTOptions) (Display, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("display at %s: %w", o.Path, err)
	}
	wire, err := bus.OpenSPI(o.Path, tftSpeed, spi.Mode0)
	if err != nil {
		return nil, err
	}
	names, lines := []string{o.DC}, tftLines{}
	if o.Reset != "" {
		lines.reset = 1 << len(names)
		names = append(names, o.Reset)
	}
	if o.Light != "" {
		lines.light = 1 << len(names)
		names = append(names, o.Light)
	}
	out, err := gpiocdev.OpenOutputs(o.Chip, names, gpiocdev.OutputOptions{Initial: lines.reset})
	if err != nil {
		return nil, errors.Join(err, wire.Close())
	}
	d, err := newTFT(o, wire, out, lines)
	if err != nil {
		return nil, errors.Join(err, out.Close(), wire.Close())
	}
	return d, nil
}

// tftLines are the bits of the lines; that of DC is 1.
type tftLines struct{ reset, light uint64 }

const tftDC uint64 = 1

// outputs are a display's lines, wire is its bus.
type outputs interface {
	Set(mask, active uint64) error
	Close() error
}

type wire interface {
	Write(b []byte) (int, error)
	Close() error
}

type tft struct {
	opt    TFTOptions
	wire   wire
	out    outputs
	lines  tftLines
	offset image.Point // of the picture in the controller's memory
	shown  *image.RGBA
	fresh  bool // nothing is shown yet, whatever shown says
}

// The commands, the same in both data sheets.
const (
	tftReset    = 0x01
	tftSleepOut = 0x11
	tftInvert   = 0x21
	tftOff      = 0x28
	tftOn       = 0x29
	tftColumns  = 0x2A
	tftRows     = 0x2B
	tftWrite    = 0x2C
	tftAccess   = 0x36
	tftFormat   = 0x3A
)

// The bits of tftAccess.
const (
	accessRowsUp    = 0x80
	accessColsUp    = 0x40
	accessExchanged = 0x20
	accessBGR       = 0x08
)

// The sides of both controllers' memory.
const tftLong, tftShort = 320, 240

func newTFT(o TFTOptions, w wire, out outputs, lines tftLines) (*tft, error) {
	d := &tft{opt: o, wire: w, out: out, lines: lines, shown: image.NewRGBA(image.Rectangle{Max: o.Size})}
	if err := d.reset(); err != nil {
		return nil, d.fault(err)
	}
	return d, nil
}

func (d *tft) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("display at %s: %w", d.opt.Path, err)
}

// reset brings the display to where it needs no earlier state, and waits as the data sheets ask for.
func (d *tft) reset() error {
	if d.lines.reset != 0 {
		if err := d.out.Set(d.lines.reset, 0); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
		if err := d.out.Set(d.lines.reset, d.lines.reset); err != nil {
			return err
		}
	} else if err := d.command(tftReset); err != nil {
		return err
	}
	time.Sleep(150 * time.Millisecond)
	if err := d.command(tftSleepOut); err != nil {
		return err
	}
	time.Sleep(120 * time.Millisecond)
	d.fresh = true
	return d.setUp()
}

// setUp says how pictures come. It may be repeated while one is shown.
func (d *tft) setUp() error {
	access, lies := byte(0), d.opt.Size.X > d.opt.Size.Y
	if lies {
		access = accessExchanged | accessColsUp
	}
	if d.opt.Flip {
		access ^= accessRowsUp | accessColsUp
	}
	// A picture shorter than the memory is at its start, which is at the far end where rows count up from below.
	if short := tftLong - max(d.opt.Size.X, d.opt.Size.Y); d.opt.Flip {
		d.offset = image.Pt(0, short)
		if lies {
			d.offset = image.Pt(short, 0)
		}
	}
	if d.opt.Kind == ILI9341 {
		access ^= accessBGR | accessColsUp // its columns are mirrored
	}
	err := d.command(tftAccess, access)
	if err == nil {
		err = d.command(tftFormat, 0x55) // 16 bits a pixel
	}
	if err == nil && d.opt.Kind == ST7789 {
		err = d.command(tftInvert) // its glass is the other way round
	}
	return err
}

// command sends a command and its data.
func (d *tft) command(c byte, data ...byte) error {
	if err := d.send(0, []byte{c}); err != nil || len(data) == 0 {
		return err
	}
	return d.send(tftDC, data)
}

func (d *tft) send(dc uint64, b []byte) error {
	if err := d.out.Set(tftDC, dc); err != nil {
		return err
	}
	_, err := d.wire.Write(b)
	return err
}

func (d *tft) Draw(img image.Image) error {
	next := image.NewRGBA(d.shown.Rect)
	draw.Draw(next, next.Rect, img, img.Bounds().Min, draw.Src)
	r := next.Rect
	if !d.fresh {
		r = changed(d.shown, next)
	}
	if r.Empty() {
		return nil
	}
	if err := d.window(next, r); err != nil {
		return d.fault(err)
	}
	d.shown = next
	if !d.fresh {
		return nil
	}
	d.fresh = false
	return d.fault(errors.Join(d.command(tftOn), d.out.Set(d.lines.light, d.lines.light)))
}

// window sends a part of a picture.
func (d *tft) window(img *image.RGBA, r image.Rectangle) error {
	pixels := make([]byte, 0, 2*r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := img.RGBAAt(x, y)
			pixels = binary.BigEndian.AppendUint16(pixels, uint16(c.R)>>3<<11|uint16(c.G)>>2<<5|uint16(c.B)>>3)
		}
	}
	at := r.Add(d.offset)
	err := d.command(tftColumns, span(at.Min.X, at.Max.X)...)
	if err == nil {
		err = d.command(tftRows, span(at.Min.Y, at.Max.Y)...)
	}
	if err == nil {
		err = d.command(tftWrite, pixels...)
	}
	return err
}

// span is the first and the last of a range, as the controllers take them.
func span(from, to int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(from)), uint16(to-1))
}

// changed is the smallest rectangle that holds all pixels that differ.
func changed(a, b *image.RGBA) (r image.Rectangle) {
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		for x := a.Rect.Min.X; x < a.Rect.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// Check sends everything again: the bus has no way back, and a display that lost its supply for a moment tells nobody.
func (d *tft) Check() error {
	if d.fresh {
		return nil
	}
	err := d.command(tftSleepOut)
	if err == nil {
		err = d.setUp()
	}
	if err == nil {
		err = d.window(d.shown, d.shown.Rect)
	}
	if err == nil {
		err = d.command(tftOn)
	}
	return d.fault(err)
}

func (d *tft) Close() error {
	return d.fault(errors.Join(d.command(tftOff), d.out.Set(d.lines.light, 0), d.out.Close(), d.wire.Close()))
}
