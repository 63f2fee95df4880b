package sim

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"tavolo/drivers/framing"
)

// Reader is a simulated reader of tags, of whatever kind. Its methods may be called from any goroutine. An antenna is
// named by its number from 1.
type Reader interface {
	// Run answers the host until ctx ends, and returns nil then.
	Run(ctx context.Context) error
	// Place lays a tag on an antenna, Remove takes it off.
	Place(antenna int, uid string) error
	Remove(antenna int, uid string)
	// Pass slides a card past the first antenna, the mouth of a shoe.
	Pass(uid string) error
	// See has every look see what a Sight makes of the tags that lie at its antenna, nil for all of them. It must be called
	// before Run.
	See(Sight)
	// Hang makes the reader deaf and dumb, or brings it back as it was.
	Hang(hung bool)
	// Plug puts the reader's cable back in; it starts up.
	Plug() error
}

// A Sight is what a look sees at an antenna of the tags that lie there, which it must not change. It must not call the reader.
type Sight func(antenna int, there []string) []string

// of is a look at an antenna where tags lie.
func (s Sight) of(antenna int, there []string) []string {
	if s == nil {
		return slices.Clone(there)
	}
	return s(antenna, there)
}

// passLooks is how many looks see a card that slides past.
const passLooks = 3

// Ether is the air that simulated readers share. It notices when several are energised together. Any goroutine may use it.
type Ether struct {
	mu       sync.Mutex
	on, most int
}

// Together is how many readers were energised at the same time at most.
func (e *Ether) Together() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.most
}

func (e *Ether) change(by int) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.on += by
	e.most = max(e.most, e.on)
}

// coils are the antennas of a reader that is asked look by look, and the tags in their fields.
type coils struct {
	mu      sync.Mutex
	tags    map[int][]string // by antenna, in the order they were placed
	passing []string         // past the first antenna, one after the other
	looks   int              // that have seen the first of passing
	hung    bool
	lit     int // the antenna that is energised, 0 for none
	ether   *Ether
	sight   Sight
}

func newCoils() *coils { return &coils{tags: map[int][]string{}} }

// Place lays a tag on an antenna.
func (c *coils) Place(antenna int, uid string) error {
	uid, err := canonical(uid)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.tags[antenna], uid) {
		c.tags[antenna] = append(c.tags[antenna], uid)
	}
	return nil
}

// Remove takes a tag off an antenna.
func (c *coils) Remove(antenna int, uid string) {
	uid, _ = canonical(uid) // a UID that is none lies nowhere
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tags[antenna] = slices.DeleteFunc(c.tags[antenna], func(t string) bool { return t == uid })
}

// Lay has just these tags on an antenna, named as rfid.FormatUID does.
func (c *coils) Lay(antenna int, uids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tags[antenna] = append(c.tags[antenna][:0], uids...)
}

// Pass slides a card past the first antenna. It is there for a few looks, after the cards that were passed before it.
func (c *coils) Pass(uid string) error {
	uid, err := canonical(uid)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passing = append(c.passing, uid)
	return nil
}

// Hang makes the reader deaf and dumb, or brings it back as it was.
func (c *coils) Hang(hung bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hung = hung
}

// See has every look see what a Sight makes of what lies there.
func (c *coils) See(s Sight) { c.sight = s }

// Dark tells whether no antenna is energised.
func (c *coils) Dark() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lit == 0
}

// Share puts the reader into an ether, before it runs.
func (c *coils) Share(e *Ether) { c.ether = e }

// light energises an antenna, 0 for none, instead of the one before. The caller holds mu.
func (c *coils) light(antenna int) {
	switch {
	case c.lit == 0 && antenna != 0:
		c.ether.change(1)
	case c.lit != 0 && antenna == 0:
		c.ether.change(-1)
	}
	c.lit = antenna
}

// look gives the tags in the field that is on, and lets what passes the mouth move on. The caller holds mu.
func (c *coils) look() []string {
	out := c.sight.of(c.lit, c.tags[c.lit])
	if c.lit == 1 && len(c.passing) > 0 {
		out = append(out, c.passing[0])
		if c.looks++; c.looks == passLooks {
			c.passing, c.looks = c.passing[1:], 0
		}
	}
	return out
}

// serve hands what the host sends to take until ctx ends, then closes the cable and returns nil.
func serve(ctx context.Context, cable *PTY, take func([]byte) error) error {
	defer context.AfterFunc(ctx, func() { cable.Close() })()
	buf := make([]byte, 512)
	for {
		n, err := cable.Read(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(buf[:n]); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// reply sends a frame to the host after a time.
func reply(ctx context.Context, cable *PTY, frame []byte, took time.Duration) error {
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	_, err := cable.Write(frame)
	return err
}

// forgetAfter is how long readers wait for the rest of a question. Without an end to that, half a question from before a
// cable was pulled would swallow those that come when it is back.
const forgetAfter = 200 * time.Millisecond

// questions hands the questions that the host sends to take, as serve does bytes.
func questions[M any](ctx context.Context, cable *PTY, decode framing.Decode[M], take func(M) error) error {
	scan := framing.NewScanner(decode)
	drain := func() error {
		for m, ok := scan.Next(); ok; m, ok = scan.Next() {
			if err := take(m); err != nil {
				return err
			}
		}
		return nil
	}
	last := time.Now()
	return serve(ctx, cable, func(b []byte) error {
		if time.Since(last) > forgetAfter {
			scan.Expire()
			if err := drain(); err != nil {
				return err
			}
		}
		scan.Push(b)
		last = time.Now()
		return drain()
	})
}
