package beam_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"tavolo/drivers/beam"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A barrier is told before it is up, and told when it changes; when its line fails that is told, and it is opened again and
// told anew, whatever has happened meanwhile.
func TestABarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := sim.NewLines()
		dev, err := beam.New(beam.Options{Open: func() (gpiocdev.Lines, error) { return lines.Open(), nil }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- dev.Run(ctx) }()
		barrier := func(broken bool) {
			t.Helper()
			if b, ok := (<-dev.Reports()).(beam.Barrier); !ok || b.Broken != broken || b.At.IsZero() {
				t.Fatalf("%+v, want one that is broken: %v", b, broken)
			}
		}
		state := func(want error) {
			t.Helper()
			if s, ok := (<-dev.Reports()).(port.State); !ok || s.Up != (want == nil) || !errors.Is(s.Err, want) {
				t.Fatalf("%+v, want %v", s, want)
			}
		}
		barrier(false)
		state(nil)
		lines.Set(0, true)
		barrier(true)
		lines.Set(0, false)
		barrier(false)
		gone := errors.New("the chip was pulled out")
		lines.Fail(gone)
		state(gone)
		lines.Set(0, true)
		barrier(true)
		state(nil)
		stop()
		for range dev.Reports() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := dev.Lost(); n != 0 {
			t.Errorf("%d changes were lost", n)
		}
	})
}

func TestABarrierOfNoLine(t *testing.T) {
	if _, err := beam.New(beam.Options{}); err == nil {
		t.Error("a barrier without a line is made")
	}
}
