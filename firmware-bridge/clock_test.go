package bridge

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	var c clock
	// The node's clock began 10 s before start and is exact; replies take 1 ms there and 19 ms back.
	c.compare(at(0), at(20*time.Millisecond), 10_001_000)
	if got := c.at(10_000_000).Sub(start); got != 9*time.Millisecond {
		t.Errorf("error %v, want half of 18 ms", got)
	}
	c.compare(at(time.Second), at(time.Second+2*time.Millisecond), 11_001_000)
	if got := c.at(10_000_000).Sub(start); got != 0 {
		t.Errorf("error %v after an exact comparison", got)
	}
	c.compare(at(2*time.Second), at(2*time.Second+20*time.Millisecond), 12_001_000)
	if got := c.at(10_000_000).Sub(start); got != 0 {
		t.Errorf("a slow round trip took the place of a fast one: error %v", got)
	}
	// 90 s later the node's clock may be wrong by more than the slow round trip, and is.
	c.compare(at(92*time.Second), at(92*time.Second+18*time.Millisecond), 102_021_000)
	if got := c.at(102_021_000).Sub(start); got != 92*time.Second+9*time.Millisecond {
		t.Errorf("an old comparison was kept: %v", got)
	}
}
