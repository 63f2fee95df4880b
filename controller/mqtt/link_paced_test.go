package mqtt

import (
	"fmt"
	"testing"
	"time"
)

// One topic's flood is cut to its pace and leaves the others alone, and however many topics there are, little is kept.
func TestPace(t *testing.T) {
	l := &Link{due: map[string]time.Time{}}
	now, taken := time.Unix(1000, 0), 0
	for range 1000 {
		if !l.floods("act/mallory", now) {
			taken++
		}
	}
	if taken != 101 {
		t.Errorf("%d taken at once, want the burst and one", taken)
	}
	if l.floods("act/alice", now) {
		t.Error("another's message is held for the flood")
	}
	for range 50 {
		now = now.Add(messageEvery)
		if l.floods("act/mallory", now) {
			t.Error("refused at its pace")
		}
	}
	for i := range 3 * maxPaced {
		l.floods(fmt.Sprint(i), now)
	}
	if len(l.due) > maxPaced {
		t.Errorf("%d topics kept", len(l.due))
	}
}
