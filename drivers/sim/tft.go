package sim

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"sync"
)

// TFT is a colour display, its controller an ST7789 or ILI9341: the wires of its bus (Write) and of its lines (Set), bit 0
// for DC, 1 for RESET and 2 for the backlight. All methods may be called from any goroutine.
type TFT struct {
	mu      sync.Mutex
	lines   uint64
	ram     [320][320]uint16 // by the row and column that commands name, whatever the glass shows
	awake   bool
	on      bool
	access  byte
	command byte
	params  []byte
	r       image.Rectangle
	at      image.Point
	half    []byte
	bytes   int
	gone    bool

	levels func() (uint64, error) // nil where they are Set; not changed while the bus works
}

// errCut is what the wires say once they are cut.
var errCut = errors.New("sim: the wires are cut")

// Set makes lines high or low.
func (d *TFT) Set(mask, active uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return errCut
	}
	d.lines = d.lines&^mask | active&mask
	if mask&2 != 0 && active&2 == 0 {
		d.reset()
	}
	return nil
}

func (d *TFT) reset() {
	d.awake, d.on, d.access, d.params = false, false, 0, nil
	for y := range d.ram {
		for x := range d.ram[y] {
			d.ram[y][x] = uint16(x * y)
		}
	}
}

// Reset takes the display's supply away for a moment.
func (d *TFT) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reset()
}

// Cut cuts the wires, or mends them.
func (d *TFT) Cut(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = on
}

// Write takes bytes, commands or data by DC.
func (d *TFT) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return 0, errCut
	}
	for _, v := range b {
		if d.lines&1 == 0 {
			d.begin(v)
		} else {
			d.data(v)
		}
	}
	return len(b), nil
}

func (d *TFT) begin(c byte) {
	d.command, d.params, d.half = c, nil, nil
	switch c {
	case 0x01:
		d.reset()
	case 0x11:
		d.awake = true
	case 0x28, 0x29:
		d.on = c == 0x29
	case 0x2c:
		d.at = d.r.Min
	}
}

func (d *TFT) data(v byte) {
	if d.command == 0x2c {
		d.pixel(v)
		return
	}
	d.params = append(d.params, v)
	switch {
	case d.command == 0x36:
		d.access = v
	case d.command == 0x2a && len(d.params) == 4:
		d.r.Min.X, d.r.Max.X = int(binary.BigEndian.Uint16(d.params)), int(binary.BigEndian.Uint16(d.params[2:]))+1
	case d.command == 0x2b && len(d.params) == 4:
		d.r.Min.Y, d.r.Max.Y = int(binary.BigEndian.Uint16(d.params)), int(binary.BigEndian.Uint16(d.params[2:]))+1
	}
}

func (d *TFT) pixel(v byte) {
	d.bytes++
	if d.half = append(d.half, v); len(d.half) < 2 {
		return
	}
	if d.at.Y < len(d.ram) && d.at.X < len(d.ram[0]) {
		d.ram[d.at.Y][d.at.X] = binary.BigEndian.Uint16(d.half)
	}
	d.half = nil
	if d.at.X++; d.at.X == d.r.Max.X {
		d.at.X = d.r.Min.X
		if d.at.Y++; d.at.Y == d.r.Max.Y {
			d.at.Y = d.r.Min.Y
		}
	}
}

// OnBus is the display as a chip on an SPI bus. levels tells those of its lines, as Set takes them, which whoever drives the
// lines sets before a transfer and after it.
func (d *TFT) OnBus(levels func() (uint64, error)) SPIChip {
	d.levels = levels
	return tftOnBus{d}
}

type tftOnBus struct{ *TFT }

// Tx takes a transfer.
func (d tftOnBus) Tx(w, _ []byte) error {
	err := d.look()
	if err == nil {
		_, err = d.Write(w)
	}
	return err
}

// look brings the display to the levels of its lines, if they are not Set.
func (d *TFT) look() error {
	if d.levels == nil {
		return nil
	}
	levels, err := d.levels()
	if err != nil {
		return err
	}
	return d.Set(7, levels)
}

// Close does nothing.
func (d *TFT) Close() error { return nil }

// Access is the last value of MADCTL.
func (d *TFT) Access() byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.access
}

// Picture is what shows in a part of the memory, nil while the display or its light is off, and how many bytes of pictures
// it has got so far.
func (d *TFT) Picture(r image.Rectangle) (*image.RGBA, int) {
	err := d.look()
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil || !d.on || !d.awake || d.lines&4 == 0 {
		return nil, d.bytes
	}
	img := image.NewRGBA(image.Rectangle{Max: r.Size()})
	for y := range r.Dy() {
		for x := range r.Dx() {
			v := d.ram[r.Min.Y+y][r.Min.X+x]
			img.SetRGBA(x, y, color.RGBA{uint8(v >> 11 << 3), uint8(v >> 5 << 2), uint8(v << 3), 255})
		}
	}
	return img, d.bytes
}
