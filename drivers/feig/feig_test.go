package feig_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/feig"
	"tavolo/drivers/rfid"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// These tests run the driver against the simulated reader over a real pseudo-terminal, as the daemon does.

func rig(t *testing.T, o feig.Options, so sim.FeigOptions) (*rfid.Dev, *sim.Feig, *sim.PTY) {
	t.Helper()
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "reader"))
	if err != nil {
		t.Fatal(err)
	}
	o.Path, o.Round = cable.Path(), time.Millisecond
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 2 * time.Second // a busy machine must not pass for a silent reader
	}
	dev, err := feig.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return dev, sim.NewFeig(cable, so), cable
}

func options(antennas ...int) (o feig.Options) {
	o.Antennas = antennas
	return o
}

func TestConformance(t *testing.T) {
	for _, form := range []feig.Form{feig.Standard, feig.Advanced} {
		t.Run(fmt.Sprintf("advanced=%v", form), func(t *testing.T) {
			rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
				o := options(1, 4)
				o.Form, o.ReplyTimeout = form, rfidtest.ReplyTimeout
				dev, reader, cable := rig(t, o, sim.FeigOptions{})
				return rfidtest.Rig{
					Reader: dev, Far: reader, Antennas: o.Antennas, Disturb: cable.Disturb,
					Tags: []string{"E004015012345678", "E0040150AABBCCDD", "E004015000000001"},
				}
			})
		})
	}
}

// scans runs a reader and gives its scans to take, until that is content.
func scans(t *testing.T, dev *rfid.Dev, reader *sim.Feig, take func(rfid.Scan) (content bool)) {
	t.Helper()
	simCtx, stopSim := context.WithCancel(context.Background())
	devCtx, stopDev := context.WithCancel(context.Background())
	simDone, devDone := make(chan error, 1), make(chan error, 1)
	go func() { simDone <- reader.Run(simCtx) }()
	go func() { devDone <- dev.Run(devCtx) }()
	limit := time.After(20 * time.Second)
	for content := false; !content; {
		select {
		case r := <-dev.Reports():
			if s, ok := r.(rfid.Scan); ok {
				content = take(s)
			}
		case <-limit:
			t.Error("no such scan")
			content = true
		}
	}
	stopDev()
	for range dev.Reports() {
	}
	if err := <-devDone; err != nil {
		t.Error(err)
	}
	stopSim()
	if err := <-simDone; err != nil {
		t.Error(err)
	}
}

// A whole deck in the muck comes in several parts, status 94, and none of them is lost.
func TestAWholeDeckInParts(t *testing.T) {
	dev, reader, _ := rig(t, options(2), sim.FeigOptions{})
	var deck []string
	for i := range 52 {
		deck = append(deck, fmt.Sprintf("E0040150000000%02X", i))
		if err := reader.Place(2, deck[i]); err != nil {
			t.Fatal(err)
		}
	}
	scans(t, dev, reader, func(s rfid.Scan) bool {
		if !slices.Equal(s.UIDs, deck) || s.Partial {
			t.Errorf("scan %+v", s)
		}
		return true
	})
}

// A reader set to report only new tags has each tag seen in each scan all the same.
func TestAReaderThatReportsOnlyNewTagsHidesNone(t *testing.T) {
	dev, reader, _ := rig(t, options(1), sim.FeigOptions{OnlyNew: true})
	const tag = "E004015012345678"
	if err := reader.Place(1, tag); err != nil {
		t.Fatal(err)
	}
	n := 0
	scans(t, dev, reader, func(s rfid.Scan) bool {
		if !slices.Equal(s.UIDs, []string{tag}) {
			t.Errorf("scan %d is %+v", n, s)
		}
		n++
		return n == 5
	})
}

// An antenna that is not there is told: the reader is lost, with its number, and not taken for empty.
func TestAntennaThatIsNotThere(t *testing.T) {
	dev, reader, _ := rig(t, options(3), sim.FeigOptions{Antennas: 2})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go reader.Run(ctx)
	done := make(chan error, 1)
	go func() { done <- dev.Run(ctx) }()
	want := "antenna 3: look spoilt: command 6a refused: status 11"
	for r := range dev.Reports() {
		switch r := r.(type) {
		case rfid.Scan:
			t.Errorf("scan %+v", r)
		case rfid.State:
			if !r.Up && r.Err.Error() == want {
				cancel()
			} else if !r.Up {
				t.Errorf("lost for %v, want %s", r.Err, want)
			}
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := dev.Counters()["spoilt_looks"]; n == 0 {
		t.Error("no spoilt look was counted")
	}
}

// Two readers that are neighbours take turns, so that their fields are never on together. Public fault 22.
func TestNeighboursTakeTurns(t *testing.T) {
	var air rfid.Air
	var ether sim.Ether
	var readers []*sim.Feig
	var devs []*rfid.Dev
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 {
		o := options(1)
		o.Field = air.Field("between seats 1 and 2")
		dev, reader, _ := rig(t, o, sim.FeigOptions{})
		reader.Share(&ether)
		readers, devs = append(readers, reader), append(devs, dev)
	}
	done := make(chan error, 4)
	for i := range readers {
		go func() { done <- readers[i].Run(ctx) }()
		go func() { done <- devs[i].Run(ctx) }()
	}
	for range 40 {
		<-devs[0].Reports()
		<-devs[1].Reports()
	}
	cancel()
	for _, dev := range devs {
		for range dev.Reports() {
		}
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := ether.Together(); n != 1 {
		t.Errorf("%d fields were on at a time, want 1", n)
	}
}
