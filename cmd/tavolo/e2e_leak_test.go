package main

import (
	"bytes"
	"context"
	"io"
	"testing"

	"go.uber.org/goleak"
)

// A demo that is stopped while it plays, and one that plays to its end, leave no goroutine behind. It runs alone,
// since other tests' goroutines come and go.
func TestNothingIsLeftBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	args := []string{"demo", "--speed", "max", "--seats", "3", "--mqtt", "127.0.0.1:0", "--listen", "127.0.0.1:0"}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs bytes.Buffer
	stopper := writer(func(p []byte) (int, error) {
		if bytes.HasPrefix(p, []byte("hand 2 ")) {
			stop()
		}
		return out.Write(p)
	})
	if code := run(ctx, args, stopper, &errs); code != 0 || ctx.Err() == nil {
		t.Errorf("stopped: exit status %d\n%s%s", code, &out, &errs)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	if code := run(t.Context(), append(args, "--hands", "1"), io.Discard, &errs); code != 0 {
		t.Errorf("ended: exit status %d\n%s", code, &errs)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// writer is a function as an io.Writer.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
