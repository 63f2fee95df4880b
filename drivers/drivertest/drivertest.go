// Package drivertest holds what every driver of a kind must pass, whatever it drives and however that is wired: [TestContacts]
// of shoes and panels, [TestDisplay], [TestLamps] and [TestScale]. Readers of tags have theirs in package rfidtest.
//
// A suite runs a driver against a far end that behaves as its hardware does: what happens there is reported, in order and
// once; a device that is gone is told to be, once, and comes back by itself; and when the driver has ended all is at rest.
package drivertest

import (
	"context"
	"testing"
	"time"

	"tavolo/drivers/port"
)

// patience ends a test that waits for what does not come; nothing passes by waiting that long.
const patience = time.Minute

// In is where the tests of a suite run: [testing/synctest.Test] for a device in memory, or [RealTime] for one behind a kernel.
type In func(t *testing.T, test func(*testing.T))

// RealTime is time as it is.
func RealTime(t *testing.T, test func(*testing.T)) { test(t) }

// Driver is a driver under test.
type Driver struct {
	// Run is the driver's.
	Run func(context.Context) error
	// Reports are the driver's, in the words of this package.
	Reports Reports
	// Rest says what is not at rest once Run has ended: still lit, still held. Nil where that cannot be.
	Rest func() error
}

// Report is what a driver reports, in words that all have in common: a [port.State], or a word of the suite.
type Report any

// Reports waits for the next report, no longer than until limit: false then. Nil is the end of all reports.
type Reports func(limit <-chan time.Time) (Report, bool)

// Words are a driver's reports in the words that word finds for them, nil for one that is of no concern.
func Words[R any](reports <-chan R, word func(R) Report) Reports {
	return func(limit <-chan time.Time) (Report, bool) {
		for {
			select {
			case r, open := <-reports:
				if !open {
					return nil, true
				}
				if w := word(r); w != nil {
					return w, true
				}
			case <-limit:
				return nil, false
			}
		}
	}
}

// a test of a suite, by its name.
type test[R any] struct {
	name string
	run  func(*bench, R)
}

// each runs tests, each with a driver of its own.
func each[R any](t *testing.T, in In, start func(*testing.T) R, driver func(R) Driver, tests []test[R]) {
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				rig := start(t)
				b := &bench{t: t, Driver: driver(rig)}
				defer b.end()
				c.run(b, rig)
			})
		})
	}
}

// bench is a driver at work.
type bench struct {
	Driver
	t    *testing.T
	told port.State // last
	stop func()     // nil while it does not run
}

// run starts the driver.
func (b *bench) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	b.stop = func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				b.t.Errorf("it ended with %v", err)
			}
		case <-time.After(patience):
			b.t.Error("it does not end")
		}
	}
}

// end stops the driver while nobody takes its reports. Then they are closed, and all is at rest.
func (b *bench) end() {
	if b.stop == nil {
		return
	}
	b.stop()
	limit := time.After(patience)
	for {
		if r, ok := b.Reports(limit); !ok {
			b.t.Error("it has ended, and its reports have not")
		} else if r != nil {
			continue
		}
		break
	}
	if b.Rest == nil {
		return
	}
	if err := b.Rest(); err != nil {
		b.t.Errorf("it was not put to rest: %v", err)
	}
}

// next gives the next report.
func (b *bench) next() Report {
	b.t.Helper()
	r, ok := b.Reports(time.After(patience))
	switch {
	case !ok:
		b.t.Fatalf("nothing is reported any more; the last state is %+v", b.told)
	case r == nil:
		b.t.Fatal("the reports have ended")
	}
	b.judge(r)
	return r
}

// judge sees to it that a state says why, and is told once.
func (b *bench) judge(r Report) {
	b.t.Helper()
	s, ok := r.(port.State)
	if !ok {
		return
	}
	was := b.told
	b.told = s
	switch {
	case s.Up != (s.Err == nil) || s.At.IsZero():
		b.t.Errorf("state %+v says too little", s)
	case s.Up == was.Up && !was.At.IsZero() && (s.Up || s.Err.Error() == was.Err.Error()):
		b.t.Errorf("state %+v was told before", s)
	}
}

// state passes over reports until the device is up, or lost. Each goes to the checks first.
func (b *bench) state(up bool, checks ...func(Report)) {
	b.t.Helper()
	for {
		r := b.next()
		for _, check := range checks {
			check(r)
		}
		if s, ok := r.(port.State); ok && s.Up == up {
			return
		}
	}
}

// eventually passes over reports until something is so.
func (b *bench) eventually(what string, so func() bool) {
	b.t.Helper()
	pause := time.Millisecond
	for limit := time.Now().Add(patience); !so(); pause = min(2*pause, patience/256) {
		if r, ok := b.Reports(time.After(pause)); ok && r == nil {
			b.t.Fatalf("%s: not so, and the reports have ended", what)
		} else if ok {
			b.judge(r)
		}
		if time.Now().After(limit) {
			b.t.Fatalf("%s: not so; the last state is %+v", what, b.told)
		}
	}
}
