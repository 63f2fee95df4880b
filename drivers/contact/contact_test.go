package contact_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"tavolo/drivers/contact"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const gate, lid = 0, 1 // lines

var errAbsent = errors.New("no such line")

// rig is two contacts on simulated lines, which may be absent.
type rig struct {
	t      *testing.T
	dev    *contact.Dev
	lines  *sim.Lines
	absent atomic.Bool
}

// run works contacts in a bubble where time passes only while all wait.
func run(t *testing.T, f func(*rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, lines: sim.NewLines()}
		var err error
		r.dev, err = contact.New(contact.Options{Contacts: 2, Open: func() (gpiocdev.Lines, error) {
			if r.absent.Load() {
				return nil, errAbsent
			}
			return r.lines.Open(), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.lines.Set(lid, true)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.dev.Run(ctx) }()
		f(r)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func (r *rig) contact(want int, open bool) contact.Change {
	r.t.Helper()
	c, ok := (<-r.dev.Reports()).(contact.Change)
	if !ok || c.Contact != want || c.Open != open || c.At.IsZero() {
		r.t.Fatalf("%+v, want that of %d, open %v", c, want, open)
	}
	return c
}

func (r *rig) state(want error) {
	r.t.Helper()
	s, ok := (<-r.dev.Reports()).(port.State)
	if !ok || s.Up != (want == nil) || !errors.Is(s.Err, want) {
		r.t.Fatalf("%+v, want %v", s, want)
	}
}

// How the contacts are is told before they are up: who waits for them knows it then.
func TestContactsAreToldAndTheirChanges(t *testing.T) {
	run(t, func(r *rig) {
		r.contact(gate, false)
		r.contact(lid, true)
		r.state(nil)
		synctest.Wait()
		r.lines.Set(gate, true)
		r.lines.Set(gate, false)
		r.lines.Set(lid, false)
		r.contact(gate, true)
		r.contact(gate, false)
		r.contact(lid, false)
	})
}

func TestContactsAreLostAndComeBack(t *testing.T) {
	run(t, func(r *rig) {
		r.contact(gate, false)
		r.contact(lid, true)
		r.state(nil)
		gone := errors.New("chip gone")
		r.absent.Store(true)
		r.lines.Fail(gone)
		r.state(gone)
		r.state(errAbsent)
		r.lines.Set(gate, true)
		r.absent.Store(false)
		r.contact(gate, true)
		r.contact(lid, true)
		r.state(nil)
	})
}

// early are lines of which one changes between their opening and the first look at them.
type early struct{ *sim.Lines }

func (e early) Levels() (uint64, error) {
	e.Set(gate, true)
	return e.Lines.Levels()
}

func TestNoChangeIsToldTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := sim.NewLines()
		dev, err := contact.New(contact.Options{Contacts: 1, Open: func() (gpiocdev.Lines, error) { return early{lines.Open()}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- dev.Run(ctx) }()
		r := &rig{t: t, dev: dev}
		r.contact(gate, true)
		r.state(nil)
		synctest.Wait()
		lines.Set(gate, false)
		r.contact(gate, false)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// few are lines that lose edges, as a kernel's may.
type few struct{ *sim.Lines }

func (f few) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	return f.Lines.Watch(ctx, func(e gpiocdev.Edge) {
		e.Lost = 2
		tell(e)
	})
}

func TestLostChangesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := sim.NewLines()
		dev, err := contact.New(contact.Options{Contacts: 1, Open: func() (gpiocdev.Lines, error) { return few{lines}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- dev.Run(ctx) }()
		r := &rig{t: t, dev: dev}
		r.contact(0, false)
		r.state(nil)
		lines.Set(0, true)
		if c := r.contact(0, true); c.Lost != 2 || dev.Lost() != 2 {
			t.Errorf("%d lost before the change, %d in all, want 2", c.Lost, dev.Lost())
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	open := func() (gpiocdev.Lines, error) { return sim.NewLines().Open(), nil }
	for name, o := range map[string]contact.Options{
		"none":     {Open: open},
		"no lines": {Contacts: 1},
	} {
		if _, err := contact.New(o); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}
