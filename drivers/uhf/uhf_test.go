package uhf_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/rfid"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
	"tavolo/drivers/uhf"
)

// These tests run the driver against the simulated reader over a real pseudo-terminal, as the daemon does.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func rig(t *testing.T, o uhf.Options, so sim.UHFOptions) (*rfid.Dev, *sim.UHF, *sim.PTY) {
	t.Helper()
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "reader"))
	if err != nil {
		t.Fatal(err)
	}
	o.Path, o.Antennas, o.Round = cable.Path(), []int{1}, time.Millisecond
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 2 * time.Second // a busy machine must not pass for a silent reader
	}
	dev, err := uhf.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return dev, sim.NewUHF(cable, so), cable
}

func TestConformance(t *testing.T) {
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		dev, reader, cable := rig(t, uhf.Options{ReplyTimeout: rfidtest.ReplyTimeout}, sim.UHFOptions{})
		return rfidtest.Rig{
			Reader: dev, Far: reader, Antennas: []int{1}, Disturb: cable.Disturb,
			Tags: []string{"30751FEB705C5904E3D50D70", "BB0222001100BB7E7EBB7E00", "E2801160600002054CC2BB7E"},
		}
	})
}

// take runs the reader and its far end until take is content with a report.
func take(t *testing.T, dev *rfid.Dev, reader *sim.UHF, content func(rfid.Report) bool) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- reader.Run(ctx) }()
	rfidtest.Take(t, dev, content)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A stack of forty chips is read whole, though the host hears of each in a frame of its own and of no end.
func TestAStackOfChips(t *testing.T) {
	dev, reader, _ := rig(t, uhf.Options{}, sim.UHFOptions{})
	var stack []string
	for i := range 40 {
		stack = append(stack, fmt.Sprintf("E280116060000205000000%02X", i))
		if err := reader.Place(1, stack[i]); err != nil {
			t.Fatal(err)
		}
	}
	take(t, dev, reader, func(r rfid.Report) bool {
		s, ok := r.(rfid.Scan)
		if ok && (!slices.Equal(s.UIDs, stack) || s.Partial) {
			t.Errorf("scan %+v", s)
		}
		if first, last := s.RSSI[stack[0]], s.RSSI[stack[39]]; ok && (len(s.RSSI) != 40 || first != -45 || last != -84) {
			t.Errorf("the first is heard with %d dBm and the last with %d, of %d; want -45, -84 and 40", first, last, len(s.RSSI))
		}
		return ok
	})
}

// A selection that the reader was left with hides no tag, and it sends with the power that is wanted.
func TestTheReaderIsSet(t *testing.T) {
	dev, reader, _ := rig(t, uhf.Options{Power: 15}, sim.UHFOptions{Selects: true})
	const tag = "30751FEB705C5904E3D50D70"
	if err := reader.Place(1, tag); err != nil {
		t.Fatal(err)
	}
	take(t, dev, reader, func(r rfid.Report) bool {
		switch r := r.(type) {
		case rfid.State:
			if want := "M100 26dBm V1.0, sends with 15.00 dBm"; r.Firmware != want {
				t.Errorf("%+v, want %s", r, want)
			}
		case rfid.Scan:
			if !slices.Equal(r.UIDs, []string{tag}) {
				t.Errorf("scan %+v", r)
			}
			return true
		}
		return false
	})
}

// More power than the module has is refused, and told with what was asked for.
func TestTooMuchPower(t *testing.T) {
	dev, reader, _ := rig(t, uhf.Options{Power: 30}, sim.UHFOptions{})
	take(t, dev, reader, func(r rfid.Report) bool {
		s, ok := r.(rfid.State)
		if !ok || s.Up || !strings.Contains(s.Err.Error(), "power of 30 dBm: ") {
			t.Errorf("%+v", r)
		}
		return true
	})
}
