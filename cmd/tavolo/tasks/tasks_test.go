package tasks

import (
	"context"
	"errors"
	"testing"
)

// The first to fail stops the others, and what went wrong while they stopped is told too.
func TestGroupStopsWhenOneFails(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	broken, late := errors.New("broken"), errors.New("late")
	g := Group{Stop: stop}
	g.Go(func() error { return nil }) // one that is done stops nobody
	g.Go(func() error {
		<-ctx.Done()
		return late
	})
	g.Go(func() error { return broken })
	if err := g.Wait(); !errors.Is(err, broken) || !errors.Is(err, late) {
		t.Errorf("got %v, want both errors", err)
	}
}

func TestZeroGroup(t *testing.T) {
	var g Group
	if err := g.Wait(); err != nil {
		t.Errorf("nobody failed: %v", err)
	}
	broken := errors.New("broken")
	g.Go(func() error { return broken })
	if err := g.Wait(); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
