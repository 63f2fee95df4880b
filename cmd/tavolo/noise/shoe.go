package noise

import (
	"context"
	"slices"
	"time"

	"tavolo/drivers/contact"
	"tavolo/drivers/gpiocdev"
	"tavolo/engine"
	"tavolo/engine/card"
)

// The contacts of a shoe, by their lines.
const (
	gate = iota // open while a card is in the mouth
	lid         // open while cards can be put in and taken out
	parts
)

// What happens at a shoe, and how long it takes.
const (
	passTime   = 120 * time.Millisecond // that a card takes to slide past the mouth
	gateSlack  = 15 * time.Millisecond  // between gate and antenna, at most
	jamTime    = 10 * time.Second       // that a card is jammed, at most
	openTime   = 100 * time.Millisecond // that gate or lid are open without a card, at least: for longer than they bounce
	fingerTime = 400 * time.Millisecond // that the gate is open without a card beyond that, at most
	lidTime    = 4 * time.Second        // the same for the lid
)

// pass takes the next card out of the shoe, or the one behind it. It gives what a look at the mouth can read while a card
// slides past, in the first half of the time that takes or in the second.
func (w *world) pass() (c card.Card, at func(late bool) []string) {
	if len(w.shoe) > 1 && w.happens(NotNext) {
		w.shoe[0], w.shoe[1] = w.shoe[1], w.shoe[0]
	}
	c, w.shoe = w.shoe[0], w.shoe[1:]
	missed, two := w.happens(ShoeMissed), len(w.shoe) > 0 && w.happens(ShoeTwo)
	first := w.chance(0.5) // of two, the one behind is seen first
	return c, func(late bool) (tags []string) {
		if !missed && !(two && first && !late) && !w.happens(MissedPassing) {
			tags = append(tags, w.read(c))
		}
		if two && (first || late) && !w.happens(MissedPassing) {
			tags = append(tags, w.read(w.shoe[0]))
		}
		return tags
	}
}

// waiting is what a look ahead can read: the next card, or the one that slides out as long as it is there, and perhaps the one
// behind.
func (w *world) waiting(out ...card.Card) (tags []string) {
	for i, c := range append(out, w.shoe...) {
		if i == 0 && !w.happens(Missed) || i == 1 && w.happens(AheadTwo) {
			tags = append(tags, w.read(c))
		}
		if i == 1 {
			break
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// slide has a card slide out of the shoe. It gives the card.
func (t *table) slide(ctx context.Context) card.Card {
	takes := passTime
	if t.happens(Jammed) {
		takes += time.Duration(t.rng.Int64N(int64(jamTime)))
	}
	began := t.now
	if t.contacts != nil {
		t.contacts.turn(began.Add(t.upTo(gateSlack)), gate, true)
		t.contacts.turn(began.Add(takes-t.upTo(gateSlack)), gate, false)
	}
	next := t.shoe[0]
	c, readable := t.pass()
	for t.now.Sub(began) < takes {
		late := t.now.Sub(began) > takes/2
		if t.ahead && t.chance(0.5) {
			if late || c != next {
				t.lookAhead(ctx)
			} else {
				t.lookAhead(ctx, c)
			}
		}
		uids, _, _ := t.watchful(ctx, t.mouth, 1, readable(late))
		t.atShoe(ctx, func() { t.leaving.Mouth(ctx, uids, t.now) })
	}
	return c
}

// lookAhead looks at where the next card waits, beside all else.
func (t *table) lookAhead(ctx context.Context, out ...card.Card) {
	t.beside(func() {
		uids, partial, ok := t.watchful(ctx, t.nextCard, 1, t.waiting(out...))
		if !ok {
			return
		}
		t.atShoe(ctx, func() {
			t.watch.Scanned(ctx, engine.Zone{Kind: engine.ZoneNext}, uids, partial)
			t.leaving.Ahead(ctx, uids, partial, t.now)
		})
	})
}

// meddle has somebody open the gate or the lid, in the time until the next card.
func (t *table) meddle() {
	if t.contacts == nil {
		return
	}
	for _, m := range []struct {
		kind    Kind
		contact int
		atMost  time.Duration
	}{{GateOpened, gate, fingerTime}, {LidOpened, lid, lidTime}} {
		if t.happens(m.kind) {
			at := t.now.Add(t.upTo(timePerCard))
			t.contacts.turn(at, m.contact, true)
			t.contacts.turn(at.Add(openTime+t.upTo(m.atMost)), m.contact, false)
		}
	}
}

// atShoe tells the shoe what a look has seen, and what its contacts did until then: either may be on its way for longer.
func (t *table) atShoe(ctx context.Context, seen func()) {
	if t.contacts == nil {
		seen()
		return
	}
	sooner := t.chance(0.5)
	if sooner {
		seen()
	}
	t.contacts.until(t.now, func(c contact.Change) {
		lost := c.Lost > 0
		if c.Contact == gate {
			t.leaving.Gate(ctx, c.Open, lost, c.At)
		} else {
			t.leaving.Lid(ctx, c.Open, lost, c.At)
		}
	})
	if !sooner {
		seen()
	}
}

// contacts are those of a shoe on lines of a board, which they are a simulation of, and their driver.
type contacts struct {
	kernel
	dev   *contact.Dev
	edges chan gpiocdev.Edge
}

// newContacts makes contacts that are closed. Their driver is yet to run.
func newContacts(w *world) (*contacts, error) {
	c := &contacts{edges: make(chan gpiocdev.Edge)}
	c.kernel = kernel{w: w, lines: make([]line, parts)}
	for i := range c.lines {
		c.lines[i] = line{bounced: ContactBounced, lost: ContactLost, missed: ContactMissed, quiet: settled, bounce: bounceTime}
	}
	var err error
	c.dev, err = contact.New(contact.Options{Contacts: parts, Open: func() (gpiocdev.Lines, error) { return c, nil }})
	return c, err
}

// up waits until the driver has told that they are there.
func (c *contacts) up() {
	for range parts + 1 { // each of them, and then that
		<-c.dev.Reports()
	}
}

// Levels says that all are closed: they are while the driver starts.
func (c *contacts) Levels() (uint64, error) { return 0, nil }

// Watch tells what the kernel notices.
func (c *contacts) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		select {
		case e := <-c.edges:
			tell(e)
		case <-ctx.Done():
			return nil
		}
	}
}

// Close does nothing: there are no lines to be given back.
func (c *contacts) Close() error { return nil }

// until has happen what is due until a time, and gives what the driver makes of it.
func (c *contacts) until(now time.Time, tell func(contact.Change)) {
	c.kernel.until(now, func(e gpiocdev.Edge) {
		c.edges <- e
		if report, ok := (<-c.dev.Reports()).(contact.Change); ok {
			tell(report)
		}
	})
}
