package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/display"
	"tavolo/drivers/panel"
	"tavolo/drivers/port"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

func calibratePanelCommand() *cobra.Command {
	var f wizardFlags
	var o panelStep
	var seats []int
	c := &cobra.Command{
		Use:   "panel -c FILE",
		Short: "Have each panel and display show its seat, and each key pressed",
		Long: `Have each panel and display show its seat and light its lamps, which a person says yes or no to, and have each key pressed when
it is asked for: whether it is the right one, how long it is down, whether it bounces, whether it comes up again.

skip leaves a key out that a panel does not have. Nothing is written but the certificate.`,
		Example: `  tavolo calibrate panel -c table.toml --seat 3`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, n := range seats {
				if n < 1 || n > engine.MaxSeats {
					return usageError{fmt.Errorf("--seat %d: want 1 to %d", n, engine.MaxSeats)}
				}
				o.seats = append(o.seats, engine.Seat(n))
			}
			return f.lead(cmd, "panel", o.test)
		},
	}
	f.add(c)
	c.Flags().IntSliceVar(&seats, "seat", nil, "seats to be tried (default: all that have a panel or a display)")
	return c
}

// panelStep is the test of the panels.
type panelStep struct {
	seats []engine.Seat // none for all
}

// keyPress is a key of a seat that went down or came up.
type keyPress struct {
	seat engine.Seat
	key  bridge.Key
	down bool
	at   time.Time
}

// panelBench is the panels and displays of all seats at work.
type panelBench struct {
	w       *wizard
	presses chan keyPress
	show    map[engine.Seat][]func(seatnode.Panel)
	keys    map[engine.Seat][]bridge.Key
	stop    func() error
}

// panels sets all panels and displays to work.
func (w *wizard) panels() (*panelBench, error) {
	ctx, cancel := context.WithCancel(w.ctx)
	var g tasks.Group
	b := &panelBench{
		w: w, presses: make(chan keyPress), show: map[engine.Seat][]func(seatnode.Panel){}, keys: map[engine.Seat][]bridge.Key{},
		stop: func() error { cancel(); return g.Wait() },
	}
	all := newPanels(w.cfg)
	for _, c := range w.cfg.Devices {
		dev, err := openDevice(c, w.d, all)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("device %s: %w", c.Name, err), b.stop())
		}
		if run := b.join(ctx, dev, c); run != nil {
			w.cert.Devices = append(w.cert.Devices, calibration.DeviceState{Name: c.Name, Kind: c.Kind, Place: c.place()})
			g.Go(run)
		}
	}
	if len(b.show) == 0 {
		return nil, errors.Join(errors.New("no seat has a panel or a display: want one in [[devices]]"), b.stop())
	}
	return b, nil
}

// join takes a device in that belongs to seats, and gives what runs it; nil for any other.
func (b *panelBench) join(ctx context.Context, dev device, c DeviceConfig) func() error {
	tell := func(p keyPress) {
		select {
		case b.presses <- p:
		case <-ctx.Done():
		}
	}
	switch d := dev.(type) {
	case *panelBus:
		for node, seat := range d.panels.nodes {
			b.keys[seat] = panelKeys()
			b.show[seat] = append(b.show[seat], func(p seatnode.Panel) { _ = d.dev.Set(node, p) }) // it is short enough
		}
		return func() error {
			return attend(ctx, d.dev.Run, d.dev.Reports(), func(report seatnode.Report) {
				if k, ok := report.(seatnode.Key); ok {
					tell(keyPress{d.panels.nodes[k.Seat], k.Key, k.Down, k.At})
				}
			}, func() {})
		}
	case *boardPanel:
		for _, k := range c.Wiring.Keys {
			b.keys[d.seat] = append(b.keys[d.seat], k.Key)
		}
		b.show[d.seat] = append(b.show[d.seat], func(p seatnode.Panel) { d.dev.Set(bridge.Lamps{On: p.Lit, Blink: p.Blink}, bridge.Ask{}) })
		return func() error {
			return attend(ctx, d.dev.Run, d.dev.Reports(), func(report panel.Report) {
				if k, ok := report.(panel.Key); ok {
					tell(keyPress{d.seat, k.KeyEvent.Key, k.Down, k.At})
				}
			}, func() {})
		}
	case *seatScreen:
		b.show[d.seat] = append(b.show[d.seat], func(p seatnode.Panel) {
			d.dev.Show(display.Picture(d.size, display.Face{Lines: slices.Clone(p.Lines[:]), Turn: p.Lit != 0}))
		})
		return func() error { return attend(ctx, d.dev.Run, d.dev.Reports(), func(port.State) {}, func() {}) }
	}
	return nil
}

// test leads through the test.
func (o *panelStep) test(w *wizard) error {
	b, err := w.panels()
	if err != nil {
		return err
	}
	return w.measure("panels", func() error { return o.all(b) }, b.stop)
}

func (o *panelStep) all(b *panelBench) error {
	seats := o.seats
	if len(seats) == 0 {
		for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
			if b.show[seat] != nil {
				seats = append(seats, seat)
			}
		}
	}
	for _, seat := range seats {
		if b.show[seat] == nil {
			return fmt.Errorf("seat %d has neither panel nor display", seat)
		}
		if err := b.looks(seat); err != nil {
			return err
		}
		for _, key := range b.keys[seat] {
			if err := b.key(seat, key); err != nil {
				return err
			}
		}
		b.shows(seat, seatnode.Panel{})
	}
	return nil
}

// shows has all that is at a seat show something.
func (b *panelBench) shows(seat engine.Seat, p seatnode.Panel) {
	for _, show := range b.show[seat] {
		show(p)
	}
}

// looks has a person look at what a seat shows.
func (b *panelBench) looks(seat engine.Seat) error {
	b.shows(seat, seatFace(seat))
	if err := b.w.heading(fmt.Sprintf("Seat %d", seat), fmt.Sprintf("What stands at seat %d shows \"Seat %d\" with no dot missing, and every lamp is lit.", seat, seat)); err != nil {
		return err
	}
	answer, err := b.w.answer("Is that so?", "yes", "no")
	if err != nil {
		return err
	}
	v := calibration.NewValue(fmt.Sprintf("seat %d shows its number and lights its lamps", seat), 1, "")
	if answer == "no" {
		v.Value = 0
	}
	b.w.cert.Add(v.Exactly(1))
	return nil
}

const (
	// bounceTime is how long after a key came up it is watched whether it goes down again: nobody presses twice as fast.
	bounceTime = 150 * time.Millisecond
	// stuckTime is how long a person holds a key at most.
	stuckTime = 5 * time.Second
)

// key has a key pressed.
func (b *panelBench) key(seat engine.Seat, key bridge.Key) error {
	p := seatnode.Panel{Blink: bridge.LampOf(key)}
	p.Lines[0], p.Lines[1] = fmt.Sprintf("Seat %d", seat), fmt.Sprintf("press %v", key)
	b.shows(seat, p)
	if err := b.w.heading(fmt.Sprintf("Seat %d, key %v", seat, key), "Press it once, and let it go. skip if the panel has none."); err != nil {
		return err
	}
	down, err := b.pressed(seat, key)
	if err != nil || down.at.IsZero() {
		return err
	}
	if err := b.w.note("  it is down"); err != nil {
		return err
	}
	held, downs, err := b.released(down)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("seat %d, key %v: ", seat, key)
	values := []calibration.Value{
		calibration.NewValue(what+"times it went down", float64(downs), "").Exactly(1),
		calibration.NewValue(what+"held for", float64(held.Milliseconds()), "ms").AtMost(float64(stuckTime.Milliseconds())),
	}
	b.w.cert.Add(values...)
	for _, v := range values {
		if err := b.w.tell(v, valueText(v)); err != nil {
			return err
		}
	}
	return nil
}

// pressed waits until a key goes down, and tells of others; the zero keyPress is that it was skipped.
func (b *panelBench) pressed(seat engine.Seat, key bridge.Key) (keyPress, error) {
	for {
		select {
		case p := <-b.presses:
			switch {
			case p.down && p.seat == seat && p.key == key:
				return p, nil
			case p.down:
				b.w.cert.Add(calibration.NewValue(fmt.Sprintf("seat %d, key %v: another key went down", seat, key), 1, "").Exactly(0).Noting(fmt.Sprintf("%v of seat %d", p.key, p.seat)))
				if err := b.w.note("  !!  that was %v of seat %d", p.key, p.seat); err != nil {
					return p, err
				}
			}
		case line, more := <-b.w.lines:
			switch {
			case !more || line == "abort":
				return keyPress{}, errAborted
			case line == "":
				continue
			case line == "skip":
				b.w.cert.Add(calibration.NewValue(fmt.Sprintf("seat %d, key %v: left out", seat, key), 0, ""))
				return keyPress{}, nil
			}
			if err := b.w.note("%q: want skip or abort, or the key", line); err != nil {
				return keyPress{}, err
			}
		case <-b.w.ctx.Done():
			return keyPress{}, errAborted
		}
	}
}

// released waits until a key that went down has come up, and for a while more. It tells how long it was down until it came up
// for good, or was watched where it never did, and how often it went down.
func (b *panelBench) released(p keyPress) (held time.Duration, downs int, err error) {
	downs, last := 1, p
	wait := time.NewTimer(stuckTime + bounceTime)
	defer wait.Stop()
	for {
		select {
		case q := <-b.presses:
			if q.seat != p.seat || q.key != p.key {
				continue
			}
			last = q
			if q.down {
				downs++
				wait.Reset(stuckTime + bounceTime)
			} else {
				wait.Reset(bounceTime)
			}
		case <-wait.C:
			if last.down {
				return time.Since(p.at), downs, nil
			}
			return last.at.Sub(p.at), downs, nil
		case <-b.w.ctx.Done():
			return 0, 0, errAborted
		}
	}
}
