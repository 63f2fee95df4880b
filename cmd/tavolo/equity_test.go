package main

import (
	"context"
	"testing"
)

// Without end, until the context ends.
func TestUntilDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	forever := func(yield func(int) bool) {
		for n := 1; yield(n); n++ {
		}
	}
	last := 0
	for n := range untilDone(ctx, forever) {
		if last = n; n == 5000 {
			cancel()
		}
	}
	if last < 5000 || last > 5000+1024 {
		t.Errorf("the last is %d, want soon after 5000", last)
	}
	for range untilDone(t.Context(), forever) {
		break // or the loop has no end
	}
}
