package sim

import (
	"image"
	"image/color"
)

// OLED is a display of one colour on an [I2C] bus, its controller an SSD1306 or an SH1106. All methods may be called from
// any goroutine.
type OLED struct {
	bus    *I2C
	sh1106 bool
	ram    [8][132]byte
	on     bool
	bytes  int // of pictures, so far

	mode                                   byte // of addressing: 0 horizontal, 2 by pages
	page, col                              int
	firstCol, lastCol, firstPage, lastPage int
	command                                []byte // not complete yet
}

// NewSSD1306 puts a display that has just got its supply on a bus.
func NewSSD1306(bus *I2C, addr uint16) *OLED { return newOLED(bus, addr, false) }

// NewSH1106 puts a display that has just got its supply on a bus.
func NewSH1106(bus *I2C, addr uint16) *OLED { return newOLED(bus, addr, true) }

func newOLED(bus *I2C, addr uint16, sh1106 bool) *OLED {
	o := &OLED{bus: bus, sh1106: sh1106}
	o.reset()
	bus.Add(addr, o)
	return o
}

func (o *OLED) reset() {
	*o = OLED{bus: o.bus, sh1106: o.sh1106, mode: 2, lastCol: 127, lastPage: 7}
	for p := range o.ram {
		for c := range o.ram[p] {
			o.ram[p][c] = byte(p*31 + c*17) // what is in memory then
		}
	}
}

// Reset takes the display's supply away for a moment.
func (o *OLED) Reset() { o.bus.do(o.reset) }

// Picture is what shows, nil while the display is off, and how many bytes of pictures it has got so far.
func (o *OLED) Picture(size image.Point) (img *image.Gray, bytes int) {
	o.bus.do(func() {
		bytes = o.bytes
		if !o.on {
			return
		}
		first := 0
		if o.sh1106 {
			first = 2
		}
		img = image.NewGray(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				if o.ram[y/8][first+x]>>(y%8)&1 != 0 {
					img.SetGray(x, y, color.Gray{255})
				}
			}
		}
	})
	return img, bytes
}

// Write takes a message: a control byte, then commands or data.
func (o *OLED) Write(b []byte) {
	for _, v := range b[1:] {
		if b[0] == 0x40 {
			o.data(v)
		} else {
			o.command = append(o.command, v)
			if len(o.command) == o.length(o.command[0]) {
				o.do(o.command)
				o.command = o.command[:0]
			}
		}
	}
}

// length is how many bytes a command has.
func (o *OLED) length(c byte) int {
	switch c {
	case 0x21, 0x22:
		return 3
	case 0x20, 0x81, 0x8d, 0xa8, 0xad, 0xd3, 0xd5, 0xd9, 0xda, 0xdb:
		return 2
	}
	return 1
}

func (o *OLED) do(c []byte) {
	switch {
	case c[0] <= 0x0f:
		o.col = o.col&0xf0 | int(c[0])
	case c[0] <= 0x1f:
		o.col = o.col&0x0f | int(c[0]&0x0f)<<4
	case c[0] == 0x20 && !o.sh1106:
		o.mode = c[1]
	case c[0] == 0x21 && !o.sh1106:
		o.firstCol, o.lastCol, o.col = int(c[1]), int(c[2]), int(c[1])
	case c[0] == 0x22 && !o.sh1106:
		o.firstPage, o.lastPage, o.page = int(c[1]), int(c[2]), int(c[1])
	case c[0]&0xf8 == 0xb0:
		o.page = int(c[0] & 7)
	case c[0]&0xfe == 0xae:
		o.on = c[0] == 0xaf
	}
}

func (o *OLED) data(v byte) {
	o.bytes++
	if o.col < len(o.ram[0]) {
		o.ram[o.page][o.col] = v
	}
	o.col++
	if o.mode == 0 && o.col > o.lastCol {
		o.col = o.firstCol
		if o.page++; o.page > o.lastPage {
			o.page = o.firstPage
		}
	}
}

// Read gives the status.
func (o *OLED) Read(b []byte) {
	for i := range b {
		b[i] = 0
		if !o.on {
			b[i] = 1 << 6
		}
	}
}
