// Package panel drives a player's panel that is wired to the board itself: keys, an encoder for the amount of a bet, and
// lamps. It speaks the words of the seat nodes' panels, of package bridge, so that a table cannot tell one from the other.
// The contacts are lines of the board ([GPIO]) or pins of an MCP23017 ([Expander]).
//
// Start with [New] and [Dev.Run]; [Dev.Set] says what the panel shows and asks, [Dev.Reports] what its player did. As in a
// seat node, an amount is prepared with the encoder, and goes no further than the panel's own display, see [Prepared],
// before the bet key is pressed.
//
// # Wiring
//
// A key is a contact between its line and ground. An encoder has two, A and B, with its common pin at ground; if it turns
// the wrong way, exchange them. The packages gpiocdev and mcp23017 say how lines and pins are wired.
package panel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/lamp"
	"tavolo/drivers/port"
	bridge "tavolo/firmware-bridge"
)

// Wires are the contacts and lamps of a panel.
type Wires interface {
	// Contacts are active while they are closed.
	gpiocdev.Edges
	// Light lights the lamps whose bits are set, and darkens the others.
	Light(on uint64) error
	// Close darkens the lamps and gives everything back.
	Close() error
}

// Report is what comes from a panel: a [Key], a [Prepared] or a [port.State].
type Report any

// Key is a key that went down or came up, told once for each time it did.
type Key struct{ bridge.KeyEvent }

// Prepared tells what amount is prepared for the bet key, in chips. It concerns nobody but who sits at the panel.
type Prepared struct{ Amount int64 }

// Options describe a panel.
type Options struct {
	// Open gives the wires. It is called again whenever they failed.
	Open func() (Wires, error)
	// Keys are the keys, by their lines among the wires.
	Keys map[int]bridge.Key
	// Encoder are the lines of contacts A and B, nil for none. Detent is how many counts it has from one detent to the
	// next, 0 for 4.
	Encoder []int
	Detent  int
	// Lamps are the lamps in the order of the wires: for each the bit of [bridge.LampOf] or [bridge.SeatLamp].
	Lamps []uint16
}

// Stats count what happened at a panel since the start.
type Stats struct {
	// Lost are edges of keys that the kernel could not keep; Jumps are moves of the encoder that tell no direction.
	Lost, Jumps uint64
}

// queue is how many reports wait for their taker. Then keys wait in the kernel's buffer.
const queue = 64

// Dev is a panel.
type Dev struct {
	opt     Options
	lamps   lamp.Row
	reports chan Report

	mu    sync.Mutex
	entry bridge.Entry
	stats Stats

	// Of Run's goroutine:
	state   port.State          // told last
	down    map[bridge.Key]bool // keys told to be down
	lost    int                 // edges of keys that nobody was told of yet
	encoder quadrature
}

// New describes a panel. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Detent == 0 {
		o.Detent = 4
	}
	switch n := len(o.Encoder); {
	case o.Open == nil:
		return nil, errors.New("panel: no wires")
	case n != 0 && n != 2:
		return nil, fmt.Errorf("panel: %d contacts of the encoder: want 2", n)
	case o.Detent < 0:
		return nil, fmt.Errorf("panel: %d counts a detent: want more than 0", o.Detent)
	case len(o.Lamps) > lamp.Most:
		return nil, fmt.Errorf("panel: %d lamps: want at most %d", len(o.Lamps), lamp.Most)
	}
	return &Dev{opt: o, reports: make(chan Report, queue), down: map[bridge.Key]bool{}}, nil
}

// Reports is where keys, amounts and changes of state come out, in order. It is closed when Run returns.
func (d *Dev) Reports() <-chan Report { return d.reports }

// Stats tell how well the panel is heard. Any goroutine may call it.
func (d *Dev) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

// Set makes lamps and ask what the panel shows and asks, at once or as soon as it works; only the latest counts. Any
// goroutine may call it; it does not wait. It gives the amount that is prepared then.
func (d *Dev) Set(lamps bridge.Lamps, ask bridge.Ask) int64 {
	var on, blink uint64
	for i, bit := range d.opt.Lamps {
		if lamps.On&bit != 0 {
			on |= 1 << i
		}
		if lamps.Blink&bit != 0 {
			blink |= 1 << i
		}
	}
	d.lamps.Set(on, blink)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entry.Put(ask)
	_, amount := d.entry.Asked()
	return chips(amount)
}

func chips(amount uint64) int64 { return int64(min(amount, math.MaxInt64)) }

// Run works the panel until ctx ends, through failures of its wires, then darkens it and returns nil. It is called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	return port.Retry(ctx, func(err error) { d.become(ctx, err) }, d.work)
}

// work works the wires until they fail.
func (d *Dev) work(ctx context.Context) (err error) {
	w, err := d.opt.Open()
	if err != nil {
		return fmt.Errorf("panel: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	levels, err := w.Levels()
	if err != nil {
		return fmt.Errorf("panel: %w", err)
	}
	d.start(ctx, levels)
	d.become(ctx, nil)

	ctx, stop := context.WithCancel(ctx)
	lamps := make(chan error, 1)
	go func() {
		defer stop()
		lamps <- d.lamps.Run(ctx, w.Light)
	}()
	err = w.Watch(ctx, func(e gpiocdev.Edge) { d.edge(ctx, e, &levels) })
	stop()
	return errors.Join(err, <-lamps)
}

// start takes the contacts as they are. A key that is down already is not told: it was pressed for something that is over. One
// that was told to be down when the panel was lost, and is not any more, has come up.
func (d *Dev) start(ctx context.Context, levels uint64) {
	d.encoder = newQuadrature(d.contacts(levels), d.opt.Detent)
	for _, line := range slices.Sorted(maps.Keys(d.opt.Keys)) {
		if k := d.opt.Keys[line]; d.down[k] && levels>>line&1 == 0 {
			d.key(ctx, k, gpiocdev.Edge{Line: line, At: time.Now()})
		}
	}
}

// contacts are the levels of the encoder's contacts.
func (d *Dev) contacts(levels uint64) (ab uint8) {
	for i, line := range d.opt.Encoder {
		ab |= uint8(levels>>line&1) << i
	}
	return ab
}

func (d *Dev) edge(ctx context.Context, e gpiocdev.Edge, levels *uint64) {
	*levels &^= 1 << e.Line
	if e.Active {
		*levels |= 1 << e.Line
	}
	if k, ok := d.opt.Keys[e.Line]; ok {
		d.key(ctx, k, e)
		return
	}
	steps, jump := d.encoder.step(d.contacts(*levels), e)
	d.mu.Lock()
	if jump {
		d.stats.Jumps++
	}
	if steps != 0 {
		d.entry.Turn(steps)
	}
	_, amount := d.entry.Asked()
	d.mu.Unlock()
	if steps != 0 {
		d.tell(ctx, Prepared{chips(amount)})
	}
}

// key tells of a key that changed. Where edges were lost it may come down twice in a row, then the coming up between is
// made up; it comes up only after it went down. What was lost is told with the next key that is told.
func (d *Dev) key(ctx context.Context, k bridge.Key, e gpiocdev.Edge) {
	d.mu.Lock()
	ask, amount := d.entry.Asked()
	d.stats.Lost += uint64(e.Lost)
	d.mu.Unlock()
	d.lost += e.Lost
	tell := func(down bool, amount uint64) {
		d.tell(ctx, Key{bridge.KeyEvent{Key: k, Down: down, At: e.At, Prompt: ask.Prompt, Amount: amount, Lost: d.lost}})
		d.lost = 0
	}
	if d.down[k] {
		tell(false, 0)
	}
	d.down[k] = e.Active
	if !e.Active {
		return
	}
	if k != bridge.KeyBet || ask.Max == 0 {
		amount = 0
	}
	tell(true, amount)
}

// become tells that the panel is up, or lost, if that is news.
func (d *Dev) become(ctx context.Context, err error) {
	if d.state.Become(err) {
		d.tell(ctx, d.state)
	}
}

func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}
