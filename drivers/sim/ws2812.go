package sim

import (
	"image/color"
	"slices"
	"sync"
)

// WS2812 is a strip of lamps whose data line is MOSI of an SPI bus at 2.4 MHz, where three bits of the bus make one of the
// strip's. All methods may be called from any goroutine.
type WS2812 struct {
	mu      sync.Mutex
	lamps   []color.NRGBA
	garbled int
}

// NewWS2812 gives a strip of n lamps, all of them dark.
func NewWS2812(n int) *WS2812 { return &WS2812{lamps: make([]color.NRGBA, n)} }

// ws2812Latch is how many bits of low the lamps want before they show what they got: 280 µs.
const ws2812Latch = 672

// Tx takes a transfer. Before and after it the line rests, so that what does not end in a latch by itself was cut in two.
func (s *WS2812) Tx(w, _ []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	bits, rest, ok := ws2812Bits(w)
	if !ok || len(bits)%24 != 0 || rest < ws2812Latch {
		s.garbled++
		return nil
	}
	for i := range min(len(s.lamps), len(bits)/24) {
		var v uint32
		for _, one := range bits[24*i : 24*(i+1)] {
			v <<= 1
			if one {
				v |= 1
			}
		}
		s.lamps[i] = color.NRGBA{R: byte(v >> 8), G: byte(v >> 16), B: byte(v), A: 0xff}
	}
	return nil
}

// ws2812Bits reads the wire: 110 is a one, 100 a zero, and 0 for ever is the rest.
func ws2812Bits(w []byte) (bits []bool, rest int, ok bool) {
	level := func(at int) byte { return w[at/8] >> (7 - at%8) & 1 }
	at, end := 0, 8*len(w)
	for ; at+3 <= end && level(at) == 1; at += 3 {
		if level(at+2) == 1 {
			return nil, 0, false
		}
		bits = append(bits, level(at+1) == 1)
	}
	for rest = 0; at < end; at, rest = at+1, rest+1 {
		if level(at) == 1 {
			return nil, 0, false
		}
	}
	return bits, rest, true
}

// Lamps are the colours the lamps show.
func (s *WS2812) Lamps() []color.NRGBA {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lamps)
}

// Reset takes the strip's supply away for a moment.
func (s *WS2812) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.lamps)
}

// Garbled is how many transfers were none that the strip understands.
func (s *WS2812) Garbled() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.garbled
}
