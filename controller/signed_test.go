package controller

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/journal"
)

// TestTheJournalIsSigned: when a run begins, when a hand has ended, and a minute after anything else; not while nothing happens.
// What others are told is in the journal, and the table comes back from it.
func TestTheJournalIsSigned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt, begun := options(t), time.Now()
		var mu sync.Mutex
		var times []time.Duration
		var told []string
		opt.Signed = func(at time.Time, note []byte) {
			mu.Lock()
			defer mu.Unlock()
			times, told = append(times, at.Sub(begun)), append(told, string(note))
		}
		d := sit(t, opt, nil)
		want := func(about string, want ...time.Duration) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(times, want) {
				t.Fatalf("%s: signed at %v, want %v", about, times, want)
			}
		}
		want("a run begins", 0)
		time.Sleep(time.Hour)
		want("nothing happens", 0)
		d.fine(d.from("alice", VerbSitOut, 0, 0))
		time.Sleep(59 * time.Second)
		d.fine(d.from("alice", VerbSitIn, 0, 0))
		want("not for a minute", 0)
		time.Sleep(time.Second)
		want("a minute after the first of both", 0, time.Hour+time.Minute)
		time.Sleep(time.Hour)
		want("nothing happens", 0, time.Hour+time.Minute)
		d.start()
		d.void()
		want("a hand has ended", 0, time.Hour+time.Minute, 2*time.Hour+time.Minute)
		time.Sleep(time.Hour)
		want("nothing happens", 0, time.Hour+time.Minute, 2*time.Hour+time.Minute)

		var kept []string
		for _, e := range d.entries {
			if e.Kind == journal.Checkpoint {
				kept = append(kept, string(e.Payload))
			}
		}
		if !slices.Equal(kept, told) {
			t.Errorf("told %q, the journal has %q", told, kept)
		}
		before := *d.state()
		d = d.again(opt)
		defer d.leave()
		if after := *d.state(); after != before {
			t.Errorf("after a restart: %+v, want %+v", after, before)
		}
	})
}
