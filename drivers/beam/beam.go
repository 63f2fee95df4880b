// Package beam drives a light barrier, such as one along the betting line before a seat, which a hand with chips breaks.
//
// Main path: [New], then [Dev.Run].
//
// # Wiring
//
// The receiver connects its line to ground while it sees the light (an NPN output that is on with light), and the line's
// pull-up makes it high while something is in the way, and where a wire is off or the sender is dark: then the barrier looks
// broken rather than free. Take modulated light, which daylight and the studio's lamps do not blind.
package beam

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
)

// Report is what comes from a barrier: a [Barrier] or a [port.State].
type Report any

// Barrier tells that something is in the way, or no longer: once before the barrier is told to be up, and then whenever it
// changes. What came and went too soon for the kernel to tell is missing.
type Barrier struct {
	Broken bool
	At     time.Time
}

// Options describe a barrier.
type Options struct {
	// Open gives its line alone, active while something is in the way, as [gpiocdev.OpenContacts] does. It is called again
	// whenever that failed.
	Open func() (gpiocdev.Lines, error)
}

// queue is how many reports wait for their taker. Then changes wait in the kernel's buffer.
const queue = 64

// Dev is a light barrier.
type Dev struct {
	o       Options
	reports chan Report

	mu   sync.Mutex
	lost uint64
}

// New describes a barrier. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Open == nil {
		return nil, errors.New("beam: no way to its line")
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

// Run holds the line until ctx ends, through failures, and then returns nil. It is called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	return port.Retry(ctx, func(err error) { d.tell(ctx, port.Now(err)) }, d.work)
}

// work tells how the barrier is, and then how it changes.
func (d *Dev) work(ctx context.Context) error {
	err := gpiocdev.Follow(ctx, d.o.Open, func(broken uint64) {
		d.tell(ctx, Barrier{broken != 0, time.Now()})
		d.tell(ctx, port.Now(nil))
	}, func(e gpiocdev.Edge) {
		d.mu.Lock()
		d.lost += uint64(e.Lost)
		d.mu.Unlock()
		d.tell(ctx, Barrier{e.Active, e.At})
	})
	if err != nil {
		return fmt.Errorf("beam: %w", err)
	}
	return nil
}

func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}
