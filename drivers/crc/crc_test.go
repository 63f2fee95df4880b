package crc

import (
	"bytes"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// model is a checksum as catalogues describe it, worked out bit by bit: what is slow and plain enough to be believed.
type model struct {
	poly, start, final uint16
	turned             bool // bits from the low one up
}

func (m model) sum(p []byte) uint16 {
	crc := m.start
	for _, b := range p {
		if m.turned {
			b = bits.Reverse8(b)
		}
		for i := 7; i >= 0; i-- {
			top := crc>>15&1 != uint16(b>>i&1)
			crc <<= 1
			if top {
				crc ^= m.poly
			}
		}
	}
	if m.turned {
		crc = bits.Reverse16(crc)
	}
	return crc ^ m.final
}

// The check values of all checksums that such devices have, by the model, which that of Modbus shows to be one; ours agree
// with it on anything.
func TestModel(t *testing.T) {
	modbus := model{0x8005, 0xFFFF, 0, true}
	ours := []struct {
		model
		check uint16
		sum   func([]byte) uint16
	}{
		{model{0x1021, 0xFFFF, 0, true}, 0x6F91, MCRF4XX},
		{model{0x1021, 0xFFFF, 0xFFFF, true}, 0x906E, X25},
		{model{0x1021, 0xC6C6, 0, true}, 0xBF05, ISO14443A},
		{model{0x1021, 0xFFFF, 0xFFFF, false}, 0xD64E, EPC},
	}
	for _, c := range ours {
		if got := c.model.sum([]byte("123456789")); got != c.check {
			t.Errorf("%+v: %04X, want %04X", c.model, got, c.check)
		}
	}
	if got := modbus.sum([]byte("123456789")); got != 0x4B37 {
		t.Errorf("Modbus: %04X", got)
	}
	if frame := []byte("\x01\x03\x00\x00\x00\x0a\xc5\xcd"); modbus.sum(frame) != 0 { // a checksum after what it is of
		t.Error("Modbus: reading 10 registers has another checksum")
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")
		for _, c := range ours {
			if got, want := c.sum(p), c.model.sum(p); got != want {
				rt.Errorf("%+v: %04X, want %04X", c.model, got, want)
			}
		}
	})
}

// Klipper's frames have the checksum of FEIG readers, high byte first.
func TestKlipperFrames(t *testing.T) {
	for _, frame := range []string{"\x05\x10\x9e\x81\x7e", "\x08\x11\x01\x00\x28\x42\x24\x7e"} {
		head, tail := []byte(frame[:len(frame)-3]), []byte(frame[len(frame)-3:])
		if sum := MCRF4XX(head); !bytes.Equal(tail, []byte{byte(sum >> 8), byte(sum), 0x7E}) {
			t.Errorf("% x: %04X", frame, sum)
		}
	}
}

func TestCheckValues(t *testing.T) {
	for name, c := range map[string]struct {
		sum  func([]byte) uint16
		want uint16
	}{
		"MCRF4XX": {MCRF4XX, 0x6F91}, "X25": {X25, 0x906E}, "ISO14443A": {ISO14443A, 0xBF05}, "EPC": {EPC, 0xD64E},
	} {
		if got := c.sum([]byte("123456789")); got != c.want {
			t.Errorf("%s: %04X, want %04X", name, got, c.want)
		}
	}
}
