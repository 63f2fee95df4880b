// Package contact drives contacts on lines of the board, each of which is closed or open: those at the gate and the lid of a
// dealing shoe, or the light barrier along the betting line before a seat, which a hand with chips breaks. What they mean
// together with the readers beside them is worked out by those who take the reports.
//
// Main path: [New], then [Dev.Run].
//
// # Wiring
//
// Each contact connects its line to ground while it is closed, and the line's pull-up makes it high while it is open: a
// wire that breaks is an open contact, and the dealing stops rather than go on unwatched.
//
// Shoe: the gate is a flap or a light barrier that a card holds open for as long as it is in the mouth, and that closes
// between two cards; the lid is open while cards can be put in and taken out. The antenna at the mouth must see a card only
// while it is on its way out: a coil no larger than half a card, screened towards the cards that wait.
//
// Light barrier: an NPN output that is on while the receiver sees the light, so that it is open while something is in the
// way, and where the sender is dark. Take modulated light, which daylight and the studio's lamps do not blind.
package contact

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
)

// Report is what comes from the contacts: a [Change] or a [port.State].
type Report any

// Change tells that a contact is open or closed: of each of them before they are told to be up, and then whenever it
// changes. What came and went too soon for the kernel to tell is missing.
type Change struct {
	Contact int // by its place in Options
	Open    bool
	At      time.Time
	Lost    int // changes just before this one that were lost
}

// Options describe contacts that belong together.
type Options struct {
	// Open gives their lines, active while a contact is open, as [gpiocdev.OpenContacts] does. It is called again whenever
	// they failed.
	Open func() (gpiocdev.Lines, error)
	// Contacts is how many there are.
	Contacts int
}

// queue is how many reports wait for their taker. Then changes wait in the kernel's buffer.
const queue = 64

// Dev is contacts that belong together.
type Dev struct {
	o       Options
	reports chan Report
	state   port.State // told last; of Run's goroutine

	mu   sync.Mutex
	lost uint64
}

// New describes contacts. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Open == nil || o.Contacts < 1 {
		return nil, errors.New("contact: there are none: want one at least, and the way to its line")
	}
	return &Dev{o: o, reports: make(chan Report, queue)}, nil
}

// Reports is where the reports come out, in order. It is closed when Run returns. None is dropped.
func (d *Dev) Reports() <-chan Report { return d.reports }

// Lost is how many changes were lost since the start, because the kernel could not keep them. Any goroutine may call it.
func (d *Dev) Lost() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// Run holds the lines until ctx ends, through failures, and then returns nil. It is called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	return port.Retry(ctx, func(err error) { d.become(ctx, err) }, d.work)
}

// work tells how the contacts are, and then how they change.
func (d *Dev) work(ctx context.Context) error {
	err := gpiocdev.Follow(ctx, d.o.Open, func(open uint64) {
		for i := range d.o.Contacts {
			d.tell(ctx, Change{Contact: i, Open: open>>i&1 != 0, At: time.Now()})
		}
		d.become(ctx, nil)
	}, func(e gpiocdev.Edge) {
		d.mu.Lock()
		d.lost += uint64(e.Lost)
		d.mu.Unlock()
		d.tell(ctx, Change{Contact: e.Line, Open: e.Active, At: e.At, Lost: e.Lost})
	})
	if err != nil {
		return fmt.Errorf("contact: %w", err)
	}
	return nil
}

// become tells that the contacts are up, or lost, if that is news.
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
