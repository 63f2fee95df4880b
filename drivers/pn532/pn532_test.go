package pn532_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/pn532"
	"tavolo/drivers/rfid"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// These tests run the driver against the simulated chip: over a real pseudo-terminal, as the daemon does, and over a bus.

var tags = []string{"040E3BD2286B85", "A1B2C3D4"}

func options(timeout time.Duration) pn532.Options {
	o := pn532.Options{ReplyTimeout: timeout}
	o.Antennas, o.Round = []int{1}, time.Millisecond
	return o
}

func onUART(t *testing.T, timeout time.Duration) (*rfid.Dev, *sim.PN532, *sim.PTY) {
	t.Helper()
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "reader"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(timeout)
	o.Path = cable.Path()
	dev, err := pn532.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return dev, sim.NewPN532(cable, sim.Timing{}), cable
}

func onBus(t *testing.T, timeout time.Duration) (*rfid.Dev, *sim.PN532I2C) {
	t.Helper()
	bus, o := sim.NewI2C(), options(timeout)
	chip := sim.NewPN532I2C(bus)
	o.Bus = bus
	dev, err := pn532.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return dev, chip
}

func TestConformanceUART(t *testing.T) {
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		dev, chip, cable := onUART(t, rfidtest.ReplyTimeout)
		return rfidtest.Rig{Reader: dev, Far: chip, Antennas: []int{1}, Tags: tags, Disturb: cable.Disturb}
	})
}

func TestConformanceI2C(t *testing.T) {
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		dev, chip := onBus(t, rfidtest.ReplyTimeout)
		return rfidtest.Rig{Reader: dev, Far: chip, Antennas: []int{1}, Tags: tags, Disturb: chip.Disturb}
	})
}

// first runs a reader over a bus and gives its first scan.
func first(t *testing.T, place ...string) rfid.Scan {
	t.Helper()
	dev, chip := onBus(t, 20*time.Second)
	for _, uid := range place {
		if err := chip.Place(1, uid); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- dev.Run(ctx) }()
	var scan *rfid.Scan
	for r := range dev.Reports() {
		if s, ok := r.(rfid.Scan); ok && scan == nil {
			scan = &s
			cancel()
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if scan == nil {
		t.Fatal("no scan")
	}
	return *scan
}

// The chip lists two tags and says nothing of a third: such a scan is partial, and one with fewer is not.
func TestTwoTagsMayBeMore(t *testing.T) {
	for _, c := range []struct {
		place   []string
		want    int
		partial bool
	}{
		{nil, 0, false},
		{tags[:1], 1, false},
		{tags, 2, true},
		{append([]string{"04A1B2C3D4E5F6"}, tags...), 2, true},
		{[]string{"E004015012345678"}, 0, false}, // of another standard
	} {
		if s := first(t, c.place...); len(s.UIDs) != c.want || s.Partial != c.partial {
			t.Errorf("with %v: %+v", c.place, s)
		}
	}
}

// Public faults 24 and "4A never answers": without a bound on its tries, the chip looks for a tag until one comes. An
// empty pad is seen to be empty at once.
func TestAnEmptyPadIsAnswered(t *testing.T) {
	if s := first(t); len(s.UIDs) != 0 || s.Partial {
		t.Errorf("scan %+v", s)
	}
}

// Public fault 19: a card left on the reader is seen in each look, not only in the first.
func TestACardThatStaysIsSeenAgainAndAgain(t *testing.T) {
	dev, chip, _ := onUART(t, 20*time.Second)
	if err := chip.Place(1, tags[0]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	devCtx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 2)
	go func() { done <- chip.Run(ctx) }()
	devDone := make(chan error, 1)
	go func() { devDone <- dev.Run(devCtx) }()
	n := 0
	for r := range dev.Reports() {
		if s, ok := r.(rfid.Scan); ok {
			if n++; !slices.Equal(s.UIDs, tags[:1]) {
				t.Errorf("scan %d: %+v", n, s)
			}
			if n == 10 {
				stop()
			}
		}
	}
	if err := <-devDone; err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
