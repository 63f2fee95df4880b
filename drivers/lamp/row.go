package lamp

import (
	"context"
	"sync"
	"time"
)

// Most is how many lamps a row may have.
const Most = 64

const (
	// blinkHalf is half the time of a blink: twice a second is seen from the corner of an eye and troubles nobody.
	blinkHalf = 250 * time.Millisecond
	// repeatAfter is when a state is sent again that has not changed: lamps that lost their supply for a moment come back,
	// and a chip that is gone is found out.
	repeatAfter = 2 * time.Second
)

// Row says which lamps of a row are lit and which blink. Only the latest counts. The zero Row is dark and ready to use.
type Row struct {
	mu        sync.Mutex
	on, blink uint64
	changed   chan struct{} // holds one token when on or blink has changed; made by Run
}

// Set makes the row show on and blink, bit i for lamp i. A lamp in blink need not be in on. Any goroutine may call it; it
// does not wait.
func (r *Row) Set(on, blink uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on == r.on && blink == r.blink {
		return
	}
	r.on, r.blink = on, blink
	select {
	case r.changes() <- struct{}{}:
	default: // a token waits already
	}
}

// changes is the channel of tokens. The caller holds mu.
func (r *Row) changes() chan struct{} {
	if r.changed == nil {
		r.changed = make(chan struct{}, 1)
	}
	return r.changed
}

// Run has light show what the row shows until ctx ends, and then returns nil, or until light fails. light gets the lamps
// to be lit at the moment.
func (r *Row) Run(ctx context.Context, light func(on uint64) error) error {
	r.mu.Lock()
	changed := r.changes()
	r.mu.Unlock()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for began := time.Now(); ; {
		r.mu.Lock()
		on, blink := r.on, r.blink
		r.mu.Unlock()
		wait := repeatAfter
		if blink != 0 {
			phase := time.Since(began) / blinkHalf
			wait = blinkHalf - time.Since(began)%blinkHalf
			on &^= blink
			if phase%2 == 0 {
				on |= blink
			}
		}
		if err := light(on); err != nil {
			return err
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-timer.C:
		}
	}
}
