package lamp

import (
	"context"
	"encoding/hex"
	"errors"
	"image/color"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The vectors WS2812/SPI3: one byte of a lamp as three of the wire.
func TestWS2812Vectors(t *testing.T) {
	for in, want := range map[byte]string{0x00: "924924", 0xff: "db6db6", 0xaa: "d34d34", 0x01: "924926"} {
		if got := hex.EncodeToString(appendSymbols(nil, in)); got != want {
			t.Errorf("%02x: %s, want %s", in, got, want)
		}
	}
}

// strip is the far end of a strip's wire.
type strip struct {
	writes [][]byte
	err    error
	closed bool
}

func (s *strip) Write(b []byte) (int, error) {
	s.writes = append(s.writes, append([]byte(nil), b...))
	return len(b), s.err
}

func (s *strip) Close() error { s.closed = true; return nil }

// Fault 30: a pause within a strip shows as a half-set one, so that it goes in one transfer, latch included.
func TestWS2812StripGoesInOneTransfer(t *testing.T) {
	var s strip
	w := &ws2812{wire: &s, n: 3, color: color.NRGBA{R: 0xaa, G: 0xff, B: 0x01}}
	if err := errors.Join(w.Light(0b010), w.Close()); err != nil {
		t.Fatal(err)
	}
	dark := strings.Repeat("924924", 3)
	for i, want := range []string{dark + "db6db6" + "d34d34" + "924926" + dark, dark + dark + dark} {
		want += strings.Repeat("00", ws2812Latch)
		if got := hex.EncodeToString(s.writes[i]); got != want {
			t.Errorf("transfer %d is %s, want %s", i, got, want)
		}
	}
	if len(s.writes) != 2 || !s.closed {
		t.Errorf("%d transfers, closed: %v", len(s.writes), s.closed)
	}
}

// Fault 30: more lamps than go in one transfer are refused, with what to do.
func TestWS2812Limit(t *testing.T) {
	for n, want := range map[int]string{445: "", 446: "spidev.bufsiz=4098", 0: "want 1", -1: "want 1"} {
		_, err := newWS2812(&strip{}, 4096, n, color.NRGBA{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d lamps: %v, want %q", n, err, want)
		}
	}
}

func TestPCA9685(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the chip wants pauses
		bus := sim.NewI2C()
		chip := sim.NewPCA9685(bus, 0x41)
		b, err := PCA9685(bus, 0x41)
		if err != nil || chip.Lit() != 0 {
			t.Fatalf("set up: lit %x, %v", chip.Lit(), err)
		}
		for _, on := range []uint64{0x8001, 0x8003, 0xffff, 0} {
			if err := b.Light(on); err != nil || chip.Lit() != on {
				t.Errorf("lit %x, %v; want %x", chip.Lit(), err, on)
			}
		}
		chip.Reset()
		if err := b.Light(1); err == nil || !strings.Contains(err.Error(), "reset") {
			t.Errorf("after a reset: %v", err)
		}
		for addr, want := range map[uint16]string{0x42: "0x42", 0x3f: "0x40 to 0x7f", 0x70: "but not 0x70", 0x80: "0x40 to 0x7f"} {
			if _, err := PCA9685(bus, addr); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("at %02x: %v, want %q", addr, err, want)
			}
		}
	})
}

// What is shown is sent again now and then, so that a lamp that missed it shows it.
func TestRowRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Row
		r.Set(1, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		sent := 0
		if err := r.Run(ctx, func(on uint64) error { sent++; return nil }); err != nil || sent < 20 || sent > 61 {
			t.Errorf("sent %d times in a minute, %v", sent, err)
		}
		broken := errors.New("broken")
		if err := r.Run(t.Context(), func(uint64) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("ended with %v", err)
		}
	})
}
