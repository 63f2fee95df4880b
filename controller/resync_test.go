package controller

import (
	"testing"
	"testing/synctest"
	"time"
)

// anew is how often a player was told anew.
func (d *desk) anew(player string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.updates {
		for _, s := range u.Resync {
			if s.Player == player {
				n++
			}
		}
	}
	return n
}

// TestResyncsArePaced: who asks fifty times a second to be told anew is, four times at once and then once a second, the last time
// after all that was asked; others are at once.
func TestResyncsArePaced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		for range 500 {
			if r := d.ask(Request{From: Source{Player: "alice"}, ID: "a", Verb: VerbResync}); !r.OK {
				t.Fatalf("%+v", r)
			}
			time.Sleep(20 * time.Millisecond)
		}
		before := d.anew("alice")
		if before < 12 || before > 14 {
			t.Errorf("told %d times in 10 s", before)
		}
		d.ask(Request{From: Source{Player: "bruno"}, ID: "b", Verb: VerbResync})
		if got := d.anew("bruno"); got != 1 {
			t.Errorf("another was told %d times", got)
		}
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		if got := d.anew("alice"); got != before+1 {
			t.Errorf("told %d times after that, want once", got-before)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := d.anew("alice"); got != before+1 {
			t.Errorf("told %d times more when nothing was asked", got-before-1)
		}
		for range 5 {
			d.ask(Request{From: Source{Player: "alice"}, ID: "c", Verb: VerbResync})
		}
		if got := d.anew("alice"); got != before+5 {
			t.Errorf("told %d times at once after a pause, want 4", got-before-1)
		}
	})
}
