package seatnode_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/seatnode"
	"tavolo/drivers/sim"
	bridge "tavolo/firmware-bridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a test that waits for what does not come.
const patience = 3 * time.Minute

// table is a bus of simulated nodes on a real pseudo-terminal, with a driver that runs.
type table struct {
	testing.TB
	ctx   context.Context // ends when the test has taken too long
	cable *sim.PTY
	bus   *sim.Bus
	nodes map[bridge.Addr]*sim.Node
	dev   *seatnode.Dev
	stop  func() // ends the driver, not the nodes

	status map[bridge.Addr]seatnode.Status // the latest
	keys   []seatnode.Key                  // not taken yet
}

// newTable gives a table with that many seats. Unless unplugged all of them are online.
func newTable(t testing.TB, seats int, unplugged bool) *table {
	t.Helper()
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "seats"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	tb := &table{
		TB: t, ctx: ctx, cable: cable, bus: sim.NewBus(cable), nodes: make(map[bridge.Addr]*sim.Node),
		status: make(map[bridge.Addr]seatnode.Status),
	}
	var addrs []bridge.Addr
	for a := bridge.FirstAddr; a < bridge.FirstAddr+bridge.Addr(seats); a++ {
		addrs = append(addrs, a)
		tb.nodes[a] = tb.bus.Add(a)
	}
	if unplugged {
		tb.try(cable.Unplug())
	}
	if tb.dev, err = seatnode.New(seatnode.Options{Path: cable.Path(), Seats: addrs}); err != nil {
		t.Fatal(err)
	}
	busDone := tb.run(ctx, tb.bus.Run)
	devCtx, stop := context.WithCancel(ctx)
	devDone := tb.run(devCtx, tb.dev.Run)
	tb.stop = func() {
		stop()
		<-devDone
	}
	t.Cleanup(func() {
		tb.stop()
		cancel()
		<-busDone
	})
	if !unplugged {
		for _, a := range addrs {
			tb.is(a, bridge.Online)
		}
	}
	return tb
}

func (tb *table) run(ctx context.Context, f func(context.Context) error) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		if err := f(ctx); err != nil {
			tb.Error(err)
		}
	}()
	return done
}

func (tb *table) try(err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (tb *table) next() seatnode.Report {
	tb.Helper()
	select {
	case r := <-tb.dev.Reports():
		return r
	case <-tb.ctx.Done():
		tb.Fatalf("nothing is reported any more; %+v", tb.dev.Stats())
		return nil
	}
}

// wait takes reports until done. A busy machine may make a node miss its time and go offline for a while, so tests ask
// where things end, not for every step.
func (tb *table) wait(done func() bool) {
	tb.Helper()
	for !done() {
		switch r := tb.next().(type) {
		case seatnode.Key:
			tb.keys = append(tb.keys, r)
		case seatnode.Status:
			tb.status[r.Seat] = r
		}
	}
}

// is waits until a seat is in the given state.
func (tb *table) is(seat bridge.Addr, want bridge.State) seatnode.Status {
	tb.Helper()
	tb.wait(func() bool { return tb.status[seat].State == want })
	return tb.status[seat]
}

// take waits for that many keys.
func (tb *table) take(n int) []seatnode.Key {
	tb.Helper()
	tb.wait(func() bool { return len(tb.keys) >= n })
	keys := tb.keys[:n]
	tb.keys = tb.keys[n:]
	return keys
}

func (tb *table) await(seat bridge.Addr, wanted func(sim.Display) bool) {
	tb.Helper()
	if d, err := tb.nodes[seat].Await(tb.ctx, wanted); err != nil {
		tb.Fatalf("seat %d shows %+v", seat, d)
	}
}

func TestDecision(t *testing.T) {
	tb := newTable(t, 10, false)
	tb.try(tb.dev.Set(7, seatnode.Panel{
		Lines: [4]string{"to call 150", "pot 1,200"}, Lit: bridge.LampOf(bridge.KeyFold, bridge.KeyBet), Blink: bridge.SeatLamp,
		Prompt: 9, Bet: seatnode.Bet{Start: 300, Min: 300, Max: 5000, Step: 50},
	}))
	want := sim.Display{
		Text: "to call 150\npot 1,200", Lamps: bridge.Lamps{On: 1<<1 | 1<<3, Blink: 1},
		Ask: bridge.Ask{Prompt: 9, Start: 300, Min: 300, Max: 5000, Step: 50}, Amount: 300,
	}
	tb.await(7, func(d sim.Display) bool { return d == want })

	before := time.Now()
	tb.nodes[7].Turn(2)
	tb.nodes[7].Press(bridge.KeyBet, 0)
	tb.nodes[7].Press(bridge.KeyBet, 1250)
	tb.nodes[7].Hold(bridge.KeyShow)
	keys := tb.take(5)
	tb.nodes[7].LetGo(bridge.KeyShow)
	keys = append(keys, tb.take(1)...)
	for i := range keys {
		if at := keys[i].At; at.Before(before.Add(-10*time.Second)) || at.After(time.Now().Add(10*time.Second)) {
			t.Errorf("key %d went at %v, which is not now", i, at)
		}
		keys[i].At = time.Time{}
	}
	bet := func(down bool, amount int64) seatnode.Key {
		return seatnode.Key{Seat: 7, Key: bridge.KeyBet, Down: down, Prompt: 9, Amount: amount}
	}
	show := func(down bool) seatnode.Key { return seatnode.Key{Seat: 7, Key: bridge.KeyShow, Down: down, Prompt: 9} }
	if want := []seatnode.Key{bet(true, 400), bet(false, 0), bet(true, 1250), bet(false, 0), show(true), show(false)}; !slices.Equal(keys, want) {
		t.Errorf("reported %+v\nwant     %+v", keys, want)
	}
}

func TestPanelsAreDarkAfterwards(t *testing.T) {
	tb := newTable(t, 2, false)
	for a := range tb.nodes {
		tb.try(tb.dev.Set(a, seatnode.Panel{Lines: [4]string{"x"}, Lit: 1, Prompt: 1}))
		tb.await(a, func(d sim.Display) bool { return d.Ask.Prompt == 1 })
	}
	tb.stop()
	for a := range tb.nodes {
		tb.await(a, func(d sim.Display) bool { return d == sim.Display{} })
	}
	if r, open := <-tb.dev.Reports(); open {
		t.Errorf("reported %+v after the end", r)
	}
}

func TestSilentSeatDoesNotStopTheOthers(t *testing.T) {
	tb := newTable(t, 10, false)
	tb.nodes[4].Silence(true)
	if s := tb.is(4, bridge.Offline); s.Err == nil {
		t.Errorf("reported %+v", s)
	}
	for i := range 50 {
		seat := bridge.Addr(5 + i%6)
		tb.nodes[seat].Press(bridge.KeyFold, 0)
		if k := tb.take(2); k[0].Seat != seat {
			t.Errorf("seat %d pressed, reported %+v", seat, k)
		}
	}
	tb.nodes[4].Press(bridge.KeyCall, 0) // by a player who does not know
	tb.nodes[4].Silence(false)
	if s := tb.is(4, bridge.Online); s.Epoch != 1 {
		t.Errorf("reported %+v, want the same start", s)
	}
	if k := tb.take(2); k[0].Seat != 4 || k[0].Key != bridge.KeyCall {
		t.Errorf("reported %+v", k)
	}
}

func TestEchoIsSwallowed(t *testing.T) {
	tb := newTable(t, 3, false)
	tb.bus.Echo(true)
	for range 50 {
		tb.nodes[2].Press(bridge.KeyCall, 0)
		tb.take(2)
	}
	if s := tb.dev.Stats(); s.Echoes == 0 || !clean(s) {
		t.Errorf("%+v", s)
	}
}

// clean is whether nothing was damaged on a line without faults. A frame that is still coming when its time is over is
// taken for two pieces.
func clean(s bridge.Stats) bool { return s.Checksum+s.Malformed <= 2*s.Misses }

func TestOtherFirmwareIsRefused(t *testing.T) {
	tb := newTable(t, 2, false)
	tb.nodes[1].Flash(0xBAD)
	s := tb.is(1, bridge.Refused)
	if !strings.Contains(s.Err.Error(), "message table 00000bad") {
		t.Errorf("reported %+v", s)
	}
	tb.nodes[1].Press(bridge.KeyFold, 0) // not heard
	tb.nodes[2].Press(bridge.KeyCall, 0)
	if k := tb.take(2); k[0].Seat != 2 {
		t.Errorf("reported %+v", k)
	}
	tb.nodes[1].Flash(bridge.SchemaHash())
	if s := tb.is(1, bridge.Online); s.Epoch != 3 || s.Err != nil {
		t.Errorf("reported %+v", s)
	}
}

func TestUnpluggingKeepsPressesAndPanels(t *testing.T) {
	tb := newTable(t, 2, false)
	for range 3 {
		tb.try(tb.cable.Unplug())
		tb.is(1, bridge.Offline)
		tb.is(2, bridge.Offline)
		text := fmt.Sprint(rand.Uint32())
		tb.try(tb.dev.Set(1, seatnode.Panel{Lines: [4]string{text}}))
		tb.nodes[1].Press(bridge.KeyMuck, 0)
		tb.try(tb.cable.Plug())
		tb.is(1, bridge.Online)
		tb.is(2, bridge.Online)
		if k := tb.take(2); k[0].Key != bridge.KeyMuck || k[0].Lost != 0 {
			t.Errorf("reported %+v", k)
		}
		tb.await(1, func(d sim.Display) bool { return d.Text == text })
	}
}

func TestPortThatComesLate(t *testing.T) {
	tb := newTable(t, 1, true)
	if s := tb.is(1, bridge.Offline); !errors.Is(s.Err, fs.ErrNotExist) || s.Epoch != 0 {
		t.Errorf("reported %+v", s)
	}
	tb.try(tb.cable.Plug())
	if s := tb.is(1, bridge.Online); s.Epoch != 1 {
		t.Errorf("reported %+v", s)
	}
}

func TestSetChecks(t *testing.T) {
	dev, err := seatnode.New(seatnode.Options{Path: "/dev/null", Seats: []bridge.Addr{1}})
	if err != nil {
		t.Fatal(err)
	}
	full := seatnode.Panel{
		Lines: [4]string{strings.Repeat("à", 12), "b", "", strings.Repeat("c", 12)},
		Bet:   seatnode.Bet{Min: 0, Start: 5, Max: 5, Step: 1},
	}
	if err := dev.Set(1, full); err != nil {
		t.Error(err)
	}
	for name, p := range map[string]seatnode.Panel{
		"line too long":     {Lines: [4]string{strings.Repeat("x", 21)}},
		"text too long":     {Lines: [4]string{strings.Repeat("à", 12), "b", "", strings.Repeat("c", 13)}},
		"newline in a line": {Lines: [4]string{"a\nb"}},
		"not UTF-8 text":    {Lines: [4]string{"a\x1bb"}},
		"negative":          {Bet: seatnode.Bet{Min: -1, Max: 5, Step: 1}},
		"limits crossed":    {Bet: seatnode.Bet{Min: 6, Start: 6, Max: 5, Step: 1}},
		"start outside":     {Bet: seatnode.Bet{Min: 2, Start: 1, Max: 5, Step: 1}},
		"no step":           {Bet: seatnode.Bet{Min: 2, Start: 2, Max: 5}},
		"no maximum":        {Bet: seatnode.Bet{Step: 1}},
	} {
		if dev.Set(1, p) == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if dev.Set(2, seatnode.Panel{}) == nil {
		t.Error("a panel for a seat without node was taken")
	}
}

func TestNewChecks(t *testing.T) {
	for name, o := range map[string]seatnode.Options{
		"no path":      {Seats: []bridge.Addr{1}},
		"seat 0":       {Path: "/dev/null", Seats: []bridge.Addr{0}},
		"seat 15":      {Path: "/dev/null", Seats: []bridge.Addr{15}},
		"a seat twice": {Path: "/dev/null", Seats: []bridge.Addr{2, 2}},
	} {
		if _, err := seatnode.New(o); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// On a line that loses and spoils frames both ways, with nodes that start over and a cable that is pulled, all from a
// seed, each press is told once and in order. The exception are presses a node still held when it started over.
func TestFaultyLine(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { faultyLine(t, seed) })
	}
}

func faultyLine(t *testing.T, seed uint64) {
	tb := newTable(t, 3, false)
	tb.bus.Echo(seed%2 == 1)
	tb.bus.Inject(0, noise(seed, 1))
	tb.cable.Inject(0, noise(seed, 2))
	rnd := rand.New(rand.NewPCG(seed, 0))

	// No more than six presses of a node are on their way at a time. So with seven keys taken in turn, each report
	// says which press it is of.
	const onTheWay = 6
	key := func(i int) bridge.Key { return bridge.Key(i%7 + 1) }
	type seat struct {
		made, told int // presses; told counts those that are lost as well
		start      int // the first press of the node's present start
	}
	seats := map[bridge.Addr]*seat{1: {}, 2: {}, 3: {}}
	take := func() {
		k, ok := tb.next().(seatnode.Key)
		if !ok || !k.Down {
			return
		}
		s := seats[k.Seat]
		for s.told < s.start && key(s.told) != k.Key {
			s.told++ // lost when the node started over
		}
		if s.told == s.made || key(s.told) != k.Key || k.Lost > 0 {
			t.Fatalf("seat %d: reported %+v, want press %d of %d, %v", k.Seat, k, s.told, s.made, key(s.told))
		}
		s.told++
	}
	for range 120 {
		a := bridge.Addr(1 + rnd.IntN(3))
		s := seats[a]
		switch r := rnd.IntN(100); {
		case r < 5 && s.told >= s.start: // else more than six could be lost in a row
			tb.nodes[a].Reset()
			s.start = s.made
		case r == 5:
			tb.try(tb.cable.Unplug())
			tb.try(tb.cable.Plug())
		default:
			for s.made-max(s.told, s.start) == onTheWay {
				take()
			}
			tb.nodes[a].Press(key(s.made), 0)
			s.made++
		}
	}
	for a, s := range seats {
		for s.told < s.made && s.start < s.made {
			take()
		}
		text := fmt.Sprint("end ", a)
		tb.try(tb.dev.Set(a, seatnode.Panel{Lines: [4]string{text}}))
		tb.await(a, func(d sim.Display) bool { return d.Text == text })
	}
	t.Logf("%+v", tb.dev.Stats())
}

// noise is a line that spoils one frame in ten, from a seed.
func noise(seed, stream uint64) sim.Fault {
	rnd := rand.New(rand.NewPCG(seed, stream))
	return func(frame []byte) []byte {
		n := rnd.IntN(len(frame))
		switch rnd.IntN(30) {
		case 0:
			return nil
		case 1:
			return sim.Cut(n)(frame)
		case 2:
			return sim.Corrupt(n)(frame)
		}
		return frame
	}
}

// BenchmarkPress measures from a press at any time to its report, with ten idle seats on a pseudo-terminal, which takes
// no time for the bytes. At 115200 baud a round of ten seats takes up to 20 ms, instead of the pause of 10 ms.
func BenchmarkPress(b *testing.B) {
	tb := newTable(b, 10, false)
	var took []time.Duration
	for b.Loop() {
		time.Sleep(rand.N(20 * time.Millisecond))
		start := time.Now()
		tb.nodes[5].Press(bridge.KeyCall, 0)
		tb.take(1)
		took = append(took, time.Since(start))
		tb.take(1)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(tb.dev.Stats().Round.Microseconds()), "round-µs")
	b.ReportMetric(0, "ns/op")
}

// A panel whose answer is lost may have taken what it was sent. It is shown what it should show all the same when that is
// what it showed before.
func TestALostAnswerLeavesNoPanelWrong(t *testing.T) {
	tb := newTable(t, 1, false)
	tb.is(1, bridge.Online)
	lit := func(k bridge.Key) func(sim.Display) bool {
		return func(d sim.Display) bool { return d.Lamps.On == bridge.LampOf(k) }
	}
	show := func(k bridge.Key) { tb.try(tb.dev.Set(1, seatnode.Panel{Lit: bridge.LampOf(k)})) }
	show(bridge.KeyCall)
	tb.await(1, lit(bridge.KeyCall))
	for range 40 {
		show(bridge.KeyFold)
		tb.cable.Inject(1, sim.Mute())
		tb.await(1, lit(bridge.KeyFold))
		show(bridge.KeyCall)
		tb.await(1, lit(bridge.KeyCall))
	}
}
