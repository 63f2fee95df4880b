package contact_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"tavolo/drivers/contact"
	"tavolo/drivers/drivertest"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const gate, lid = 0, 1 // lines

// driver is contacts in the words of the suite.
func driver(t *testing.T, o contact.Options) drivertest.Driver {
	t.Helper()
	dev, err := contact.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return drivertest.Driver{Run: dev.Run, Reports: drivertest.Words(dev.Reports(), func(r contact.Report) drivertest.Report {
		if c, ok := r.(contact.Change); ok {
			return drivertest.Change{Contact: c.Contact, On: c.Open, Lost: c.Lost}
		}
		return r
	})}
}

func TestConformance(t *testing.T) {
	drivertest.TestContacts(t, synctest.Test, func(t *testing.T) drivertest.Contacts {
		lines := sim.NewLines()
		return drivertest.Contacts{
			Driver: driver(t, contact.Options{Contacts: 2, Open: lines.Open}),
			Set: func(contact int, on bool) {
				lines.Set(contact, on)
				synctest.Wait()
			},
			Keeps:  500,
			Lose:   func() { lines.Lose(2); lines.Set(0, true); lines.Set(0, false) },
			Unplug: func() { lines.Cut(errors.New("chip gone")) },
			Plug:   func() { lines.Cut(nil) },
		}
	})
}

// run works contacts in a bubble where time passes only while all wait.
func run(t *testing.T, contacts int, open func(*sim.Lines) (gpiocdev.Lines, error), f func(*sim.Lines, *contact.Dev)) {
	synctest.Test(t, func(t *testing.T) {
		lines := sim.NewLines()
		dev, err := contact.New(contact.Options{Contacts: contacts, Open: func() (gpiocdev.Lines, error) { return open(lines) }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- dev.Run(ctx) }()
		f(lines, dev)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// told takes a report, which is of this contact.
func told(t *testing.T, dev *contact.Dev, want int, open bool) contact.Change {
	t.Helper()
	c, ok := (<-dev.Reports()).(contact.Change)
	if !ok || c.Contact != want || c.Open != open || c.At.IsZero() {
		t.Fatalf("%+v, want that of %d, open %v", c, want, open)
	}
	return c
}

func up(t *testing.T, dev *contact.Dev) {
	t.Helper()
	if s, ok := (<-dev.Reports()).(port.State); !ok || !s.Up {
		t.Fatalf("%+v, want up", s)
	}
}

// How the contacts are is told before they are up: who waits for them knows it then.
func TestContactsAreToldBeforeTheyAreUp(t *testing.T) {
	open := func(lines *sim.Lines) (gpiocdev.Lines, error) {
		lines.Set(lid, true)
		return lines.Open()
	}
	run(t, 2, open, func(_ *sim.Lines, dev *contact.Dev) {
		told(t, dev, gate, false)
		told(t, dev, lid, true)
		up(t, dev)
	})
}

// early are lines of which one changes between their opening and the first look at them.
type early struct{ *sim.Lines }

func (e early) Levels() (uint64, error) {
	e.Set(gate, true)
	return e.Lines.Levels()
}

func TestNoChangeIsToldTwice(t *testing.T) {
	open := func(lines *sim.Lines) (gpiocdev.Lines, error) { return early{lines}, nil }
	run(t, 1, open, func(lines *sim.Lines, dev *contact.Dev) {
		told(t, dev, gate, true)
		up(t, dev)
		synctest.Wait()
		lines.Set(gate, false)
		told(t, dev, gate, false)
	})
}

func TestLostChangesAreCounted(t *testing.T) {
	run(t, 1, (*sim.Lines).Open, func(lines *sim.Lines, dev *contact.Dev) {
		told(t, dev, gate, false)
		up(t, dev)
		lines.Lose(2)
		for _, open := range []bool{true, false, true} {
			lines.Set(gate, open)
		}
		if c := told(t, dev, gate, true); c.Lost != 2 || dev.Lost() != 2 {
			t.Errorf("%d lost before the change, %d in all, want 2", c.Lost, dev.Lost())
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for name, o := range map[string]contact.Options{
		"none":     {Open: sim.NewLines().Open},
		"no lines": {Contacts: 1},
	} {
		if _, err := contact.New(o); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}
