package panel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/mcp23017"
	"tavolo/drivers/panel"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
	bridge "tavolo/firmware-bridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wires are a panel's wires in the hands of a test: keys fold, call and bet at 0 to 2, the encoder at 3 and 4, lamps of fold
// and the seat. A new one is made at each opening.
type wires struct {
	mu     sync.Mutex
	levels uint64
	lit    uint64
	edges  chan gpiocdev.Edge
	broken chan error
	closed bool
}

func (w *wires) Levels() (uint64, error) { return w.levels, nil }

func (w *wires) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		select {
		case e := <-w.edges:
			tell(e)
		case err := <-w.broken:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *wires) Light(on uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lit = on
	return nil
}

func (w *wires) Close() error {
	w.closed = true
	return w.Light(0)
}

func (w *wires) lamps() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lit
}

// onLines are a panel's wires on lines of no board.
type onLines struct {
	gpiocdev.Lines
	lit *atomic.Uint64
}

func (w onLines) Light(on uint64) error {
	_, err := w.Levels() // they are gone with the lines
	if err == nil {
		w.lit.Store(on)
	}
	return err
}

func (w onLines) Close() error {
	w.lit.Store(0)
	return nil
}

// driver is a panel in the words of the suites: its contacts are its keys fold and call, its lamps those of the same.
func driver(t *testing.T, open func() (panel.Wires, error), lit func() uint64) (drivertest.Driver, *panel.Dev) {
	t.Helper()
	keys := []bridge.Key{bridge.KeyFold, bridge.KeyCall}
	dev, err := panel.New(panel.Options{
		Open: open, Keys: map[int]bridge.Key{0: keys[0], 1: keys[1]}, Lamps: []uint16{bridge.LampOf(keys[0]), bridge.LampOf(keys[1])},
	})
	if err != nil {
		t.Fatal(err)
	}
	return drivertest.Driver{
		Run: dev.Run,
		Reports: drivertest.Words(dev.Reports(), func(r panel.Report) drivertest.Report {
			if k, ok := r.(panel.Key); ok {
				return drivertest.Change{Contact: slices.Index(keys, k.KeyEvent.Key), On: k.Down, Lost: k.Lost}
			}
			return r
		}),
		Rest: func() error {
			if on := lit(); on != 0 {
				return fmt.Errorf("lamps %b are lit", on)
			}
			return nil
		},
	}, dev
}

// expander is a panel on a chip, with its interrupt or asked now and then.
func expander(interrupt bool) (*sim.I2C, *sim.MCP23017, func() (panel.Wires, error)) {
	bus := sim.NewI2C()
	chip := sim.NewMCP23017(bus, 0x20)
	o := mcp23017.Options{Addr: 0x20, Inputs: 3, Outputs: 0x60}
	if interrupt {
		o.Interrupt = chip.Interrupt()
	}
	return bus, chip, func() (panel.Wires, error) { return panel.Expander(bus, o, []int{5, 6}, nil) }
}

// board is a panel on lines of no board.
func board() (*sim.Lines, *atomic.Uint64, func() (panel.Wires, error)) {
	lines, lit := sim.NewLines(), new(atomic.Uint64)
	return lines, lit, func() (panel.Wires, error) {
		in, err := lines.Open()
		return onLines{in, lit}, err
	}
}

// lamps are a panel's.
func lamps(d drivertest.Driver, dev *panel.Dev, lit func() uint64) drivertest.Lamps {
	return drivertest.Lamps{Driver: d, N: 2, Lit: lit, Set: func(on, blink uint64) {
		dev.Set(bridge.Lamps{On: uint16(on << bridge.KeyFold), Blink: uint16(blink << bridge.KeyFold)}, bridge.Ask{})
	}}
}

func TestConformance(t *testing.T) {
	t.Run("lamps on lines", func(t *testing.T) {
		drivertest.TestLamps(t, synctest.Test, func(t *testing.T) drivertest.Lamps {
			lines, lit, open := board()
			d, dev := driver(t, open, lit.Load)
			l := lamps(d, dev, lit.Load)
			l.Unplug, l.Plug = func() { lines.Cut(errors.New("chip gone")) }, func() { lines.Cut(nil) }
			return l
		})
	})
	t.Run("lamps on an expander", func(t *testing.T) {
		drivertest.TestLamps(t, synctest.Test, func(t *testing.T) drivertest.Lamps {
			bus, chip, open := expander(true)
			lit := func() uint64 { return uint64(chip.Lit() >> 5) }
			d, dev := driver(t, open, lit)
			l := lamps(d, dev, lit)
			l.Reset, l.Unplug, l.Plug = chip.Reset, func() { bus.Cut(0x20, true) }, func() { bus.Cut(0x20, false) }
			return l
		})
	})
	t.Run("lines", func(t *testing.T) {
		drivertest.TestContacts(t, synctest.Test, func(t *testing.T) drivertest.Contacts {
			lines, lit, open := board()
			d, _ := driver(t, open, lit.Load)
			return drivertest.Contacts{
				Driver: d,
				Set: func(contact int, on bool) {
					lines.Set(contact, on)
					synctest.Wait()
				},
				Keeps:  500,
				Lose:   func() { lines.Lose(1); lines.Set(0, true); lines.Set(0, false) }, // a whole press
				Unplug: func() { lines.Cut(errors.New("chip gone")) },
				Plug:   func() { lines.Cut(nil) },
			}
		})
	})
	for name, interrupt := range map[string]bool{"expander": true, "expander without interrupt": false} {
		t.Run(name, func(t *testing.T) {
			drivertest.TestContacts(t, synctest.Test, func(t *testing.T) drivertest.Contacts {
				bus, chip, open := expander(interrupt)
				d, _ := driver(t, open, func() uint64 { return uint64(chip.Lit()) })
				closed := uint16(0)
				return drivertest.Contacts{
					Driver: d,
					Set: func(contact int, on bool) {
						closed &^= 1 << contact
						if on {
							closed |= 1 << contact
						}
						chip.Contacts(closed)
						time.Sleep(20 * time.Millisecond)
					},
					Keeps:  60, // in the driver's queue: the chip has no room
					Unplug: func() { bus.Cut(0x20, true) },
					Plug:   func() { bus.Cut(0x20, false) },
				}
			})
		})
	}
}

type rig struct {
	t   *testing.T
	dev *panel.Dev
	now *wires // those of the last opening
}

// run works a panel in a bubble where time passes only while all wait. levels are the contacts at each opening.
func run(t *testing.T, levels *uint64, f func(*rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t}
		dev, err := panel.New(panel.Options{
			Open: func() (panel.Wires, error) {
				r.now = &wires{levels: *levels, edges: make(chan gpiocdev.Edge), broken: make(chan error)}
				return r.now, nil
			},
			Keys:    map[int]bridge.Key{0: bridge.KeyFold, 1: bridge.KeyCall, 2: bridge.KeyBet},
			Encoder: []int{3, 4},
			Lamps:   []uint16{bridge.LampOf(bridge.KeyFold), bridge.SeatLamp},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.dev = dev
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- dev.Run(ctx) }()
		if s, ok := r.next().(port.State); !ok || !s.Up {
			t.Fatalf("began with %+v", s)
		}
		f(r)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if !r.now.closed || r.now.lamps() != 0 {
			t.Error("the wires were not given back dark")
		}
		if rep, open := <-dev.Reports(); open {
			t.Errorf("left over: %+v", rep)
		}
	})
}

func (r *rig) next() panel.Report {
	r.t.Helper()
	select {
	case rep := <-r.dev.Reports():
		return rep
	case <-time.After(time.Minute):
		r.t.Fatal("no report")
		return nil
	}
}

func (r *rig) edge(line int, active bool, lost int) {
	r.now.edges <- gpiocdev.Edge{Line: line, Active: active, At: time.Now(), Lost: lost}
}

func (r *rig) key(want bridge.KeyEvent) {
	r.t.Helper()
	got := r.next()
	k, ok := got.(panel.Key)
	want.At = k.At
	if !ok || k.KeyEvent != want {
		r.t.Errorf("report %+v, want %+v", got, want)
	}
}

// turn turns the encoder by a detent, clockwise or back.
func (r *rig) turn(clockwise bool) {
	a, b := 4, 3
	if !clockwise {
		a, b = b, a
	}
	for _, s := range []struct {
		line   int
		active bool
	}{{a, true}, {b, true}, {a, false}, {b, false}} {
		r.edge(s.line, s.active, 0)
	}
}

func TestKeys(t *testing.T) {
	run(t, new(uint64), func(r *rig) {
		r.dev.Set(bridge.Lamps{}, bridge.Ask{Prompt: 7, Start: 40, Min: 40, Max: 200, Step: 20})
		r.edge(1, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyCall, Down: true, Prompt: 7})
		r.edge(1, false, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyCall, Prompt: 7})
		r.edge(2, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyBet, Down: true, Prompt: 7, Amount: 40})
	})
}

// The amount goes with the press of the bet key, and nowhere before but to the panel's own display.
func TestAmountIsPreparedAtThePanel(t *testing.T) {
	run(t, new(uint64), func(r *rig) {
		ask := bridge.Ask{Prompt: 1, Start: 40, Min: 40, Max: 90, Step: 20}
		r.dev.Set(bridge.Lamps{}, ask)
		for _, c := range []struct {
			clockwise bool
			want      int64
		}{{true, 60}, {true, 80}, {true, 90}, {true, 90}, {false, 70}} {
			r.turn(c.clockwise)
			if got := r.next(); got != (panel.Prepared{Amount: c.want}) {
				t.Errorf("report %+v, want %d", got, c.want)
			}
		}
		if got := r.dev.Set(bridge.Lamps{}, ask); got != 70 {
			t.Errorf("the same decision again leaves %d prepared", got)
		}
		r.edge(2, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyBet, Down: true, Prompt: 1, Amount: 70})
		if got := r.dev.Set(bridge.Lamps{}, bridge.Ask{Prompt: 2, Start: 30, Min: 30, Max: 90, Step: 10}); got != 30 {
			t.Errorf("a new decision begins with %d", got)
		}
		r.dev.Set(bridge.Lamps{}, bridge.Ask{})
		r.edge(2, false, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyBet})
		r.edge(2, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyBet, Down: true}) // of nothing
	})
}

// Fault 29: a key that is down when the panel comes up was pressed for something that is over; it is told when it is
// pressed anew.
func TestKeyHeldAtStartIsNotTold(t *testing.T) {
	run(t, new(uint64(1)), func(r *rig) {
		r.edge(0, false, 0)
		r.edge(0, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyFold, Down: true})
	})
}

// Where edges were lost, a key that comes down twice came up between, and says that something is missing.
func TestLostEdges(t *testing.T) {
	run(t, new(uint64), func(r *rig) {
		r.edge(0, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyFold, Down: true})
		r.edge(0, true, 3)
		r.key(bridge.KeyEvent{Key: bridge.KeyFold, Lost: 3})
		r.key(bridge.KeyEvent{Key: bridge.KeyFold, Down: true})
		r.edge(3, true, 0)
		r.edge(3, true, 0) // and the encoder's both contacts, one unseen
		r.edge(4, true, 0)
		synctest.Wait()
		if s := r.dev.Stats(); s.Lost != 3 || s.Jumps != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A key that comes up while the panel is lost has come up, once; one that is still down comes up later.
func TestKeysComeUpUnseen(t *testing.T) {
	levels := uint64(0)
	run(t, &levels, func(r *rig) {
		r.edge(0, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyFold, Down: true})
		r.edge(1, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyCall, Down: true})
		levels = 1 << 1
		r.now.broken <- errors.New("gone")
		r.next() // lost
		r.key(bridge.KeyEvent{Key: bridge.KeyFold})
		r.next() // back
		r.edge(1, false, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyCall})
		r.edge(0, true, 0)
		r.key(bridge.KeyEvent{Key: bridge.KeyFold, Down: true})
	})
}

// The same panel on the pins of an MCP23017: a press, an amount and a lamp go the whole way to its registers.
func TestPanelOnAnExpander(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := sim.NewI2C()
		chip := sim.NewMCP23017(bus, 0x20)
		dev, err := panel.New(panel.Options{
			Open: func() (panel.Wires, error) {
				o := mcp23017.Options{Addr: 0x20, Inputs: 0x0607, Outputs: 0x80, Quick: 0x0600}
				return panel.Expander(bus, o, []int{7}, nil)
			},
			Keys:    map[int]bridge.Key{0: bridge.KeyFold, 1: bridge.KeyCall, 2: bridge.KeyBet},
			Encoder: []int{9, 10}, Lamps: []uint16{bridge.SeatLamp},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- dev.Run(ctx) }()
		r := &rig{t: t, dev: dev}
		r.next() // up
		dev.Set(bridge.Lamps{On: bridge.SeatLamp}, bridge.Ask{Prompt: 3, Start: 10, Min: 10, Max: 50, Step: 5})
		for _, contacts := range []uint16{0x400, 0x600, 0x200, 0, 4} {
			chip.Contacts(contacts)
			time.Sleep(20 * time.Millisecond)
		}
		if got := r.next(); got != (panel.Prepared{Amount: 15}) {
			t.Errorf("report %+v", got)
		}
		r.key(bridge.KeyEvent{Key: bridge.KeyBet, Down: true, Prompt: 3, Amount: 15})
		if chip.Lit() != 0x80 {
			t.Errorf("lit %x", chip.Lit())
		}
		cancel()
		if err := <-done; err != nil || chip.Lit() != 0 {
			t.Errorf("ended with %v, lit %x", err, chip.Lit())
		}
	})
}

// An encoder that turns to and fro, bouncing at every contact, is where it was turned to.
func TestEncoderFollowsItsTurns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		turns := rapid.SliceOfN(rapid.IntRange(-3, 3), 1, 20).Draw(rt, "turns")
		bounces := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 50).Draw(rt, "bounces")
		const start = 1000
		position := start
		run(t, new(uint64), func(r *rig) {
			r.dev.Set(bridge.Lamps{}, bridge.Ask{Start: start, Min: 1, Max: 2000, Step: 1})
			n := 0
			move := func(line int, active bool) {
				for range bounces[n%len(bounces)] {
					r.edge(line, active, 0)
					r.edge(line, !active, 0)
				}
				n++
				r.edge(line, active, 0)
			}
			reports := make(chan int)
			ctx, stop := context.WithCancel(context.Background())
			go func() {
				n := 0
				for {
					select {
					case <-r.dev.Reports():
						n++
					case <-ctx.Done():
						reports <- n
						return
					}
				}
			}()
			for _, turn := range turns {
				a, b := 4, 3
				if turn < 0 {
					a, b = b, a
				}
				for range max(turn, -turn) {
					move(a, true)
					move(b, true)
					move(a, false)
					move(b, false)
				}
				position += turn
			}
			synctest.Wait()
			stop()
			<-reports
			if got := r.dev.Set(bridge.Lamps{}, bridge.Ask{Start: start, Min: 1, Max: 2000, Step: 1}); got != int64(position) {
				rt.Errorf("%v ends at %d, want %d", turns, got, position)
			}
		})
	})
}

func TestRefusals(t *testing.T) {
	open := func() (panel.Wires, error) { return nil, nil }
	for i, o := range []panel.Options{
		{}, {Open: open, Encoder: []int{1}}, {Open: open, Detent: -1}, {Open: open, Lamps: make([]uint16, 65)},
	} {
		if _, err := panel.New(o); err == nil {
			t.Errorf("%d: %s passes", i, fmt.Sprint(o))
		}
	}
}
