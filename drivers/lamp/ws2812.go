package lamp

import (
	"errors"
	"fmt"
	"image/color"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"

	"tavolo/drivers/bus"
)

const (
	// ws2812Speed sends a bit of a lamp in three of the wire: 1.25 µs, as the data sheet has it.
	ws2812Speed = 2400 * physic.KiloHertz
	// ws2812Latch is how many zero bytes have the lamps show what they got: 280 µs of low.
	ws2812Latch = 84
	// ws2812Bytes is what a lamp takes on the wire.
	ws2812Bytes = 9
)

// WS2812 opens a strip of n lamps (data sheet WS2812B), one at least, at a path such as /dev/spidev0.0, with all lamps dark.
// Lit ones have the colour c, whose alpha is ignored; lamps behind the Most first ones stay dark. The strip has no way back,
// so that nobody learns that it lost its supply: it shows what it should when that is sent again.
//
// Wiring: MOSI to DIN of the first lamp through a level shifter to 5 V, with 300 Ω before it; clock and chip select stay
// free; ground of both supplies together. The speed of the bus must be true: on a Raspberry Pi set core_freq_min=500. A
// pause between two transfers would show as a half-set strip, so that all lamps must go in one: 445 with the kernel's
// buffer of 4096 bytes, more with spidev.bufsiz.
func WS2812(path string, n int, c color.NRGBA) (Bank, error) {
	s, err := bus.OpenSPI(path, ws2812Speed, spi.Mode0)
	if err != nil {
		return nil, err
	}
	w, err := newWS2812(s, s.Limit(), n, c)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ws2812 at %s: %w", path, err), s.Close())
	}
	return w, nil
}

// newWS2812 is WS2812 on a wire that takes so many bytes in one transfer.
func newWS2812(on wire, limit, n int, c color.NRGBA) (*ws2812, error) {
	w := &ws2812{wire: on, n: n, color: c}
	err := w.fits(limit)
	if err == nil {
		err = w.Light(0)
	}
	return w, err
}

// wire is what a strip hangs on.
type wire interface {
	Write(b []byte) (int, error)
	Close() error
}

type ws2812 struct {
	wire  wire
	n     int
	color color.NRGBA
}

func (w *ws2812) fits(limit int) error {
	if w.n < 1 {
		return fmt.Errorf("a strip of %d lamps: want 1 at least", w.n)
	}
	if need := w.n*ws2812Bytes + ws2812Latch; need > limit {
		return fmt.Errorf("%d lamps take %d bytes in one transfer, the kernel takes %d: want spidev.bufsiz=%d on its command line", w.n, need, limit, need)
	}
	return nil
}

func (w *ws2812) Light(on uint64) error {
	out := make([]byte, 0, w.n*ws2812Bytes+ws2812Latch)
	for i := range w.n {
		var c color.NRGBA
		if on&(1<<i) != 0 {
			c = w.color
		}
		for _, v := range [...]byte{c.G, c.R, c.B} {
			out = appendSymbols(out, v)
		}
	}
	_, err := w.wire.Write(out[:cap(out)]) // the latch is zeros
	return err
}

func (w *ws2812) Close() error { return errors.Join(w.Light(0), w.wire.Close()) }

// appendSymbols appends a byte as the wire has it, from the highest bit on: 110 for a one, 100 for a zero.
func appendSymbols(dst []byte, v byte) []byte {
	var out uint32
	for i := 7; i >= 0; i-- {
		out = out<<3 | 0b100 | uint32(v>>i&1)<<1
	}
	return append(dst, byte(out>>16), byte(out>>8), byte(out))
}
