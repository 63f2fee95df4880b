package pn5180_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/framing"
	"tavolo/drivers/pn5180"
	"tavolo/drivers/rfid"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tags have their low nibbles in common, so that they collide.
var tags = []string{"E004015000000118", "E004015000000218", "E004015000000328"}

func rig(t *testing.T) (*rfid.Dev, *sim.PN5180) {
	t.Helper()
	chip := sim.NewPN5180()
	o := pn5180.Options{Open: chip.Open}
	o.Antennas, o.Round = []int{1}, time.Millisecond
	dev, err := pn5180.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return dev, chip
}

func TestConformance(t *testing.T) {
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		dev, chip := rig(t)
		return rfidtest.Rig{Reader: dev, Far: chip, Antennas: []int{1}, Tags: tags, Disturb: chip.Disturb}
	})
}

// Public fault 23: tags with equal low nibbles are all found, on the chip's registers too.
func TestTagsThatCollideAreAllFound(t *testing.T) {
	dev, chip := rig(t)
	for _, uid := range append([]string{"04A1B2C3D4E5F6"}, tags...) { // of another standard, and so unheard
		if err := chip.Place(1, uid); err != nil {
			t.Fatal(err)
		}
	}
	rfidtest.Take(t, dev, func(r rfid.Report) bool {
		s, ok := r.(rfid.Scan)
		if ok && (!slices.Equal(s.UIDs, tags) || s.Partial) {
			t.Errorf("scan %+v, want %v", s, tags)
		}
		return ok
	})
}

// watched is a chip that notes frames which the host sends before it has seen BUSY rise and fall.
type watched struct {
	*sim.PN5180
	sent, rose, fell bool
	early            int
}

func (w *watched) Busy() (bool, error) {
	busy, err := w.PN5180.Busy()
	w.fell = w.rose && !busy
	w.rose = w.rose || busy
	return busy, err
}

func (w *watched) Tx(out, in []byte) error {
	if w.sent && !w.fell {
		w.early++
	}
	w.sent, w.rose, w.fell = true, false, false
	return w.PN5180.Tx(out, in)
}

// The chip raises BUSY a moment after a frame. A BUSY that is still low lets no frame through.
func TestNoFrameBeforeBusyHasRisenAndFallen(t *testing.T) {
	chip := &watched{PN5180: sim.NewPN5180()}
	o := pn5180.Options{Open: func() (pn5180.Conn, error) { return chip, nil }}
	o.Antennas, o.Round = []int{1}, time.Millisecond
	dev, err := pn5180.New(o)
	if err != nil {
		t.Fatal(err)
	}
	rfidtest.Take(t, dev, func(r rfid.Report) bool {
		s, isState := r.(rfid.State)
		_, isScan := r.(rfid.Scan)
		return isScan || isState && !s.Up
	})
	if chip.early != 0 {
		t.Errorf("%d frames were sent too early", chip.early)
	}
}

// A line that is stuck low reads as a chip that hears nothing. That is silence, never an empty pad. Public fault 24.
func TestAStuckLineIsNoEmptyPad(t *testing.T) {
	for name, level := range map[string]byte{"low": 0x00, "high": 0xFF} {
		t.Run(name, func(t *testing.T) {
			dev, chip := rig(t)
			if err := chip.Place(1, tags[0]); err != nil {
				t.Fatal(err)
			}
			stuck := false
			rfidtest.Take(t, dev, func(r rfid.Report) bool {
				switch r := r.(type) {
				case rfid.Scan:
					if len(r.UIDs) != 1 {
						t.Errorf("scan %+v", r)
					}
					if !stuck {
						stuck = true
						chip.Inject(0, func(b []byte) []byte { return slices.Repeat([]byte{level}, len(b)) })
					}
				case rfid.State:
					if !r.Up {
						if !errors.Is(r.Err, framing.ErrSilent) {
							t.Errorf("lost for %v, want ErrSilent", r.Err)
						}
						return true
					}
				}
				return false
			})
		})
	}
}

// A chip that starts over in the middle of a look, for want of power, hears nothing from there on: the look is spoilt.
func TestABrownoutSpoilsTheLook(t *testing.T) {
	dev, chip := rig(t)
	if err := chip.Place(1, tags[0]); err != nil {
		t.Fatal(err)
	}
	scans := 0
	rfidtest.Take(t, dev, func(r rfid.Report) bool {
		s, ok := r.(rfid.Scan)
		if !ok {
			return false
		}
		if !slices.Equal(s.UIDs, tags[:1]) {
			t.Errorf("scan %+v", s)
		}
		scans++
		chip.Brownout(5 * scans) // in one place of the look after another
		return scans == 30
	})
	if n := dev.Counters()["spoilt_looks"]; n == 0 {
		t.Error("no look was spoilt")
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := pn5180.New(pn5180.Options{}); err == nil {
		t.Error("no wiring was accepted")
	}
	if _, err := pn5180.New(pn5180.Options{Open: sim.NewPN5180().Open, Options: rfid.Options{Antennas: []int{2}}}); err == nil {
		t.Error("a second antenna was accepted")
	}
}
