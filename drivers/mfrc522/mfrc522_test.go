package mfrc522_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/framing"
	"tavolo/drivers/mfrc522"
	"tavolo/drivers/rfid"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var tags = []string{"040E3BD2286B04", "040E3BD2286B85", "A1B2C3D4"}

func rig(t *testing.T) (*rfid.Dev, *sim.MFRC522) {
	t.Helper()
	chip := sim.NewMFRC522()
	o := mfrc522.Options{Open: chip.Open}
	o.Antennas, o.Round = []int{1}, time.Millisecond
	dev, err := mfrc522.New(o)
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

// Public fault 19: a card left on the reader is never read again, because it is halted. Three that stay are seen in each
// look.
func TestCardsThatStayAreSeenAgainAndAgain(t *testing.T) {
	dev, chip := rig(t)
	for _, uid := range append([]string{"E004015012345678"}, tags...) { // of another standard, and so unheard
		if err := chip.Place(1, uid); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	rfidtest.Take(t, dev, func(r rfid.Report) bool {
		s, ok := r.(rfid.Scan)
		if ok && (!slices.Equal(s.UIDs, tags) || s.Partial) {
			t.Errorf("scan %+v", s)
		}
		if ok {
			n++
		}
		return n == 10
	})
}

// Public fault 18: the chip is silent after hours. It is noticed, reset, set up again, and counted; what it did not see
// meanwhile is no empty pad.
func TestAChipThatHangsIsResetAndCounted(t *testing.T) {
	dev, chip := rig(t)
	if err := chip.Place(1, tags[0]); err != nil {
		t.Fatal(err)
	}
	ups := 0
	rfidtest.Take(t, dev, func(r rfid.Report) bool {
		switch r := r.(type) {
		case rfid.Scan:
			if !slices.Equal(r.UIDs, tags[:1]) {
				t.Errorf("scan %+v", r)
			}
			chip.Hang(ups < 3)
		case rfid.State:
			if r.Up {
				ups++
			} else if !errors.Is(r.Err, framing.ErrSilent) {
				t.Errorf("lost for %v, want ErrSilent", r.Err)
			}
			chip.Hang(false)
		}
		return ups == 3
	})
	if n := dev.Counters()["losses"]; n != 2 {
		t.Errorf("%d losses counted, want 2", n)
	}
}

// A chip that starts over by itself, wherever in a look that happens, is never taken for one that sees nothing.
func TestABrownoutIsNoEmptyPad(t *testing.T) {
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
			t.Errorf("scan %+v after %d", s, scans)
		}
		scans++
		if scans%2 == 1 {
			chip.Brownout(9 * scans)
		}
		return scans == 10
	})
	if n := dev.Counters()["timeouts"]; n == 0 {
		t.Errorf("counted %v, want timeouts", dev.Counters())
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := mfrc522.New(mfrc522.Options{}); err == nil {
		t.Error("no wiring was accepted")
	}
	if _, err := mfrc522.New(mfrc522.Options{Open: sim.NewMFRC522().Open, Options: rfid.Options{Antennas: []int{2}}}); err == nil {
		t.Error("a second antenna was accepted")
	}
}
