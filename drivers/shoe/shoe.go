// Package shoe drives the contacts of a dealing shoe, at its gate and its lid. The card reader at its mouth, and one that
// sees the card which waits behind it, are readers like any other; what all of these see together is worked out by those
// who take the reports.
//
// Main path: [New], then [Dev.Run].
//
// # Wiring
//
// Each contact connects its line to ground while its part is closed, and the line's pull-up makes it high while that is
// open: a wire that breaks is an open shoe, and the dealing stops. The gate is a flap or a light barrier that a card holds
// open for as long as it is in the mouth, and that closes between two cards; the lid is open while cards can be put in and
// taken out. The antenna at the mouth must see a card only while it is on its way out: a coil no larger than half a card,
// screened towards the cards that wait.
package shoe

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
)

// Part is a part of the shoe with a contact.
type Part uint8

// The parts.
const (
	Gate Part = iota // open while a card is in the mouth
	Lid              // open while cards can be put in and taken out
)

func (p Part) String() string { return [...]string{"gate", "lid"}[p] }

// Report is what comes from the contacts: a [Contact] or a [port.State].
type Report any

// Contact tells that a part is open or closed: of each part before the contacts are told to be up, and whenever it changes.
type Contact struct {
	Part Part
	Open bool
	At   time.Time
	Lost int // changes just before this one that were lost
}

// Options describe the contacts of a shoe.
type Options struct {
	// Open gives the lines of Parts, in this order, active while a part is open, as [gpiocdev.OpenContacts] does. It is called
	// again whenever they failed.
	Open  func() (gpiocdev.Lines, error)
	Parts []Part
}

// queue is how many reports wait for their taker. Then changes wait in the kernel's buffer.
const queue = 64

// Dev is the contacts of one shoe.
type Dev struct {
	o       Options
	reports chan Report

	mu   sync.Mutex
	lost uint64
}

// New describes contacts. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if n := len(o.Parts); o.Open == nil || n == 0 || n > 2 || n == 2 && o.Parts[0] == o.Parts[1] {
		return nil, fmt.Errorf("shoe: contacts of %v: want gate, lid or both, each once, and their lines", o.Parts)
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
	return port.Retry(ctx, func(err error) { d.tell(ctx, port.Now(err)) }, d.work)
}

// work tells how the contacts are, and then how they change.
func (d *Dev) work(ctx context.Context) error {
	err := gpiocdev.Follow(ctx, d.o.Open, func(open uint64) {
		for i, part := range d.o.Parts {
			d.tell(ctx, Contact{Part: part, Open: open>>i&1 != 0, At: time.Now()})
		}
		d.tell(ctx, port.Now(nil))
	}, func(e gpiocdev.Edge) {
		d.mu.Lock()
		d.lost += uint64(e.Lost)
		d.mu.Unlock()
		d.tell(ctx, Contact{Part: d.o.Parts[e.Line], Open: e.Active, At: e.At, Lost: e.Lost})
	})
	if err != nil {
		return fmt.Errorf("shoe: %w", err)
	}
	return nil
}

func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}
