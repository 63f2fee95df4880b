package tasks

import (
	"context"
	"time"
)

// Pause waits for a time, not at all for one that is not above 0, and reports whether ctx still runs.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
