package pepper_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/framing"
	"tavolo/drivers/pepper"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

// These tests run the driver against the simulated reader over a real pseudo-terminal, as the daemon does.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a test that waits for what does not come; nothing passes by waiting that long.
const patience = time.Minute

const (
	tenOfHearts = "E004015012345678"
	aceOfSpades = "E0040150AABBCCDD"
	oldTag      = "04A1B2C3D4E5F6"
)

type rig struct {
	t     testing.TB
	cable *sim.PTY
	board *sim.Pepper
	dev   *rfid.Dev
}

// mux are the options of a reader with so many antennas, passing of one in a shoe.
func mux(antennas ...int) pepper.Options {
	return pepper.Options{Options: rfid.Options{Antennas: antennas, Round: time.Millisecond}}
}

func passing() pepper.Options {
	o := mux(1)
	o.Passing = true
	return o
}

// start puts a driver and a simulated reader at the two ends of a cable and waits until the reader is up.
func start(t testing.TB, o pepper.Options, so sim.PepperOptions) *rig {
	t.Helper()
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "reader"))
	if err != nil {
		t.Fatal(err)
	}
	o.Path = cable.Path()
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = patience // a busy machine must not pass for a silent reader
	}
	dev, err := pepper.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t, cable, sim.NewPepper(cable, so), dev}
	simCtx, stopSim := context.WithCancel(context.Background())
	devCtx, stopDev := context.WithCancel(context.Background())
	simDone, devDone := make(chan error, 1), make(chan error, 1)
	go func() { simDone <- r.board.Run(simCtx) }()
	go func() { devDone <- dev.Run(devCtx) }()
	t.Cleanup(func() {
		stopDev()
		for range dev.Reports() {
		}
		if err := <-devDone; err != nil {
			t.Errorf("driver ended with %v", err)
		}
		stopSim()
		if err := <-simDone; err != nil {
			t.Errorf("simulated reader ended with %v", err)
		}
	})
	await(r, func(s rfid.State) bool { return s.Up })
	return r
}

// await takes reports until one of type R satisfies ok. Every report on the way passes the checks.
func await[R rfid.Report](r *rig, ok func(R) bool, checks ...func(rfid.Report)) R {
	r.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case report, open := <-r.dev.Reports():
			if !open {
				r.t.Fatal("reports ended")
			}
			for _, check := range checks {
				check(report)
			}
			if got, is := report.(R); is && ok(got) {
				return got
			}
		case <-limit:
			var want R
			r.t.Fatalf("no %T as wanted; stats %+v", want, r.dev.Counters())
		}
	}
}

func (r *rig) do(errs ...error) {
	r.t.Helper()
	if err := errors.Join(errs...); err != nil {
		r.t.Fatal(err)
	}
}

// What every reader must pass.
func TestConformance(t *testing.T) {
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "reader"))
		if err != nil {
			t.Fatal(err)
		}
		antennas := []int{1, 3}
		o := mux(antennas...)
		o.Path, o.ReplyTimeout = cable.Path(), rfidtest.ReplyTimeout
		dev, err := pepper.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return rfidtest.Rig{
			Reader: dev, Far: sim.NewPepper(cable, sim.PepperOptions{}), Antennas: antennas,
			Tags:    []string{tenOfHearts, aceOfSpades, oldTag},
			Disturb: func(n int) bool { return cable.Disturb(n) },
		}
	})
}

// polling waits until the driver has told the reader to report by itself.
func (r *rig) polling() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.do(r.board.AwaitPolling(ctx))
}

// pass slides cards past the mouth, and expects them to be reported once each, in that order.
func (r *rig) pass(uids ...string) {
	r.t.Helper()
	for _, uid := range uids {
		r.do(r.board.Pass(uid))
	}
	for _, uid := range uids {
		if got := await(r, func(s rfid.Scan) bool { return len(s.UIDs) > 0 }); !slices.Equal(got.UIDs, []string{uid}) {
			r.t.Fatalf("read %s, want %s", got.UIDs, uid)
		}
	}
}

func down(s rfid.State) bool { return !s.Up }
func up(s rfid.State) bool   { return s.Up }

func sees(antenna int, uids ...string) func(rfid.Scan) bool {
	return func(s rfid.Scan) bool { return s.Antenna == antenna && slices.Equal(s.UIDs, uids) }
}

func TestShoe(t *testing.T) {
	for _, json := range []bool{false, true} {
		t.Run(fmt.Sprintf("json=%v", json), func(t *testing.T) {
			r := start(t, passing(), sim.PepperOptions{Antennas: 1, JSON: json})
			r.polling()
			r.pass(tenOfHearts, oldTag, aceOfSpades)
			if st := r.dev.Counters(); len(st) > 0 {
				t.Errorf("stats %+v", st)
			}
		})
	}
}

func TestMux(t *testing.T) {
	r := start(t, mux(1, 2, 5), sim.PepperOptions{})
	await(r, sees(5))
	r.do(r.board.Place(2, tenOfHearts), r.board.Place(2, oldTag), r.board.Place(5, aceOfSpades))
	await(r, sees(2, oldTag, tenOfHearts))
	await(r, sees(5, aceOfSpades))
	r.board.Remove(2, tenOfHearts)
	await(r, sees(2, oldTag))

	var stack []string
	for i := range 52 { // a whole deck in the muck
		stack = append(stack, fmt.Sprintf("E0040150000000%02X", i))
		r.do(r.board.Place(1, stack[i]))
	}
	if s := await(r, sees(1, stack...)); s.Partial {
		t.Error("a whole inventory is called partial")
	}
	if st := r.dev.Counters(); len(st) > 0 {
		t.Errorf("stats %+v", st)
	}
}

// onlyWith fails the test on a scan that does not see exactly these tags. With a tag that never moves, an empty scan
// is a lie, whatever happens on the wire.
func onlyWith(t *testing.T, uids ...string) func(rfid.Report) {
	return func(report rfid.Report) {
		t.Helper()
		if s, ok := report.(rfid.Scan); ok && !slices.Equal(s.UIDs, uids) {
			t.Errorf("scan %+v, want %v", s, uids)
		}
	}
}

func TestFaultsOnTheWireNeverHideATag(t *testing.T) {
	for name, c := range map[string]struct {
		frames int
		fault  sim.Fault
		seen   func(map[string]uint64) bool
	}{
		"garbage":          {40, sim.Garbage([]byte("\x00\xf5{noise\xff\xf5\x03")), func(s map[string]uint64) bool { return s["garbage_bytes"] > 0 }},
		"cut frame":        {1, sim.Cut(4), func(s map[string]uint64) bool { return s["cut"] >= 1 && s["timeouts"] >= 1 }},
		"lost frame":       {1, sim.Mute(), func(s map[string]uint64) bool { return s["timeouts"] >= 1 }},
		"damaged length":   {1, sim.Corrupt(1), func(s map[string]uint64) bool { return s["bad_length"] > 0 && s["timeouts"] >= 1 }},
		"damaged payload":  {1, sim.Corrupt(6), func(s map[string]uint64) bool { return s["bad_checksum"] == 1 && s["timeouts"] >= 1 }},
		"damaged checksum": {1, sim.Corrupt(99), func(s map[string]uint64) bool { return s["bad_checksum"] == 1 && s["timeouts"] >= 1 }},
		"late and glued":   {2, sim.Glue(2), func(s map[string]uint64) bool { return s["timeouts"] >= 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := mux(1)
			o.ReplyTimeout = rfidtest.ReplyTimeout
			r := start(t, o, sim.PepperOptions{})
			r.do(r.board.Place(1, tenOfHearts))
			await(r, sees(1, tenOfHearts))
			r.cable.Inject(c.frames, c.fault)
			honest := onlyWith(t, tenOfHearts)
			await(r, func(rfid.Scan) bool { return c.seen(r.dev.Counters()) }, honest)
			for range 10 {
				await(r, func(rfid.Scan) bool { return true }, honest)
			}
			if st := r.dev.Counters(); st["losses"] != 0 {
				t.Errorf("the reader was lost over one fault: %+v", st)
			}
		})
	}
}

func TestGluedAndCutEvents(t *testing.T) {
	r := start(t, passing(), sim.PepperOptions{Antennas: 1})
	r.polling()
	r.cable.Inject(3, sim.Glue(3))
	r.pass(tenOfHearts, oldTag, aceOfSpades)
	r.cable.Inject(0, func(frame []byte) []byte {
		if frame[payload] != pepper.Event { // an answer, which has its turn from time to time
			return frame
		}
		return sim.Cut(9)(frame)
	})
	r.do(r.board.Pass("E004015000000001")) // lost, and counted
	limit := time.After(patience)
	for r.dev.Counters()["garbage_bytes"] == 0 {
		select {
		case <-time.After(time.Millisecond):
		case <-limit:
			t.Fatalf("a cut event is not counted: %+v", r.dev.Counters())
		}
	}
	r.cable.Inject(0, nil)
	r.pass("E004015000000002")
}

// payload is where that of a frame begins.
const payload = 5

func TestUnplug(t *testing.T) {
	r := start(t, mux(1), sim.PepperOptions{})
	r.do(r.board.Place(1, tenOfHearts))
	await(r, sees(1, tenOfHearts))
	honest := onlyWith(t, tenOfHearts)
	for range 2 {
		r.do(r.board.Unplug())
		if s := await(r, down, honest); !errors.Is(s.Err, port.ErrGone) {
			t.Errorf("lost for %v, want ErrGone", s.Err)
		}
		if s := await(r, down, honest); !errors.Is(s.Err, os.ErrNotExist) {
			t.Errorf("then lost for %v, want that the port is absent", s.Err)
		}
		r.do(r.board.Plug())
		if s := await(r, up, honest); s.Firmware == "" {
			t.Errorf("up as %+v", s)
		}
		await(r, sees(1, tenOfHearts), honest)
	}
	if st := r.dev.Counters(); st["losses"] != 2 {
		t.Errorf("stats %+v", st)
	}
}

// The shoe comes back as it was: polling.
func TestUnplugShoe(t *testing.T) {
	r := start(t, passing(), sim.PepperOptions{Antennas: 1})
	r.polling()
	r.pass(tenOfHearts)
	r.do(r.board.Unplug())
	await(r, down)
	r.do(r.board.Plug())
	await(r, up)
	r.polling()
	r.pass(aceOfSpades)
}

func TestHang(t *testing.T) {
	for _, o := range []pepper.Options{passing(), mux(1)} {
		o.ReplyTimeout = 100 * time.Millisecond
		r := start(t, o, sim.PepperOptions{})
		r.board.Hang(true)
		if s := await(r, down); !errors.Is(s.Err, framing.ErrSilent) {
			t.Errorf("passing %v: lost for %v, want ErrSilent", o.Passing, s.Err)
		}
		r.board.Hang(false)
		await(r, up)
	}
}

// A restart makes the reader deaf for a while: it is lost, never empty, and comes back.
func TestReboot(t *testing.T) {
	o := mux(1)
	o.ReplyTimeout = 100 * time.Millisecond
	r := start(t, o, sim.PepperOptions{})
	r.do(r.board.Place(1, tenOfHearts))
	await(r, sees(1, tenOfHearts))
	honest := onlyWith(t, tenOfHearts)
	r.board.Hang(true)
	r.board.Restart()
	if s := await(r, down, honest); !errors.Is(s.Err, framing.ErrSilent) {
		t.Errorf("lost for %v, want ErrSilent", s.Err)
	}
	r.board.Hang(false)
	await(r, up, honest)
	await(r, sees(1, tenOfHearts), honest)
}

// A restart too short to be noticed must not leave the shoe blind.
func TestRebootUnnoticed(t *testing.T) {
	r := start(t, passing(), sim.PepperOptions{Antennas: 1})
	r.polling()
	r.board.Restart()
	r.polling()
	r.pass(tenOfHearts)
	if st := r.dev.Counters(); st["losses"] != 0 {
		t.Errorf("stats %+v", st)
	}
}

func TestRestsAfterwards(t *testing.T) {
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "shoe"))
	if err != nil {
		t.Fatal(err)
	}
	board := sim.NewPepper(cable, sim.PepperOptions{Antennas: 1})
	o := passing()
	o.Path = cable.Path()
	dev, err := pepper.New(o)
	if err != nil {
		t.Fatal(err)
	}
	simCtx, stopSim := context.WithCancel(t.Context())
	devCtx, stopDev := context.WithCancel(t.Context())
	simDone, devDone := make(chan error, 1), make(chan error, 1)
	go func() { simDone <- board.Run(simCtx) }()
	go func() { devDone <- dev.Run(devCtx) }()
	r := &rig{t, cable, board, dev}
	r.polling()
	stopDev()
	if err := <-devDone; err != nil {
		t.Error(err)
	}
	limit := time.After(patience)
	for board.Polling() { // it may not have carried out yet what it was told last
		select {
		case <-time.After(time.Millisecond):
		case <-limit:
			t.Fatal("the reader was left polling")
		}
	}
	stopSim()
	if err := <-simDone; err != nil {
		t.Error(err)
	}
}

func TestSecondDaemonIsRefused(t *testing.T) {
	r := start(t, mux(1), sim.PepperOptions{})
	o := mux(1)
	o.Path = r.cable.Path()
	second, err := pepper.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- second.Run(ctx) }()
	if s := await(&rig{t, r.cable, r.board, second}, down); !errors.Is(s.Err, port.ErrInUse) {
		t.Errorf("second daemon: %v, want ErrInUse", s.Err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// BenchmarkPassToScan measures the way of a card's UID from the reader's UART to the taker of reports.
func BenchmarkPassToScan(b *testing.B) {
	r := start(b, passing(), sim.PepperOptions{Antennas: 1})
	r.polling()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		uid := fmt.Sprintf("E00401%010X", i)
		began := time.Now()
		r.do(r.board.Pass(uid))
		await(r, func(s rfid.Scan) bool { return slices.Contains(s.UIDs, uid) })
		took = append(took, time.Since(began))
	}
	percentiles(b, took)
}

// BenchmarkRound measures one round over the eight antennas of a MUX, two cards on each, at a real reader's pace.
func BenchmarkRound(b *testing.B) {
	r := start(b, mux(1, 2, 3, 4, 5, 6, 7, 8), sim.PepperOptions{Timing: sim.RealTiming()})
	for a := 1; a <= 8; a++ {
		r.do(r.board.Place(a, fmt.Sprintf("E00401500000%02X01", a)), r.board.Place(a, fmt.Sprintf("E00401500000%02X02", a)))
	}
	last := func(s rfid.Scan) bool { return s.Antenna == 8 && len(s.UIDs) == 2 }
	began := await(r, last).At
	var took []time.Duration
	for b.Loop() {
		at := await(r, last).At
		took = append(took, at.Sub(began))
		began = at
	}
	percentiles(b, took)
}

func percentiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
}
