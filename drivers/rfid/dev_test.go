package rfid

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/drivers/framing"
)

// script is a reader that leaves unanswered, of its looks, checks and halts together, those whose numbers are so in mute.
type script struct {
	mute func(asked int) bool
	n    int
	open int
}

func (s *script) Open(context.Context) (Session, string, error) {
	s.open++
	return s, "1", nil
}

func (s *script) Counters() map[string]uint64 { return map[string]uint64{} }

func (s *script) ask() error {
	time.Sleep(10 * time.Millisecond)
	if s.n++; s.mute(s.n) {
		return framing.ErrSilent
	}
	return nil
}

func (s *script) Look(context.Context, int) (Scan, error) {
	return Scan{UIDs: []string{"04A1B2C3"}}, s.ask()
}
func (s *script) Check(context.Context) error { return s.ask() }
func (s *script) Halt(context.Context) error  { return s.ask() }
func (s *script) Close() error                { return nil }

// shy is a reader that one of its two tags answers in four looks of five only.
type shy struct{ script }

func (s *shy) Open(context.Context) (Session, string, error) { return s, "1", nil }

func (s *shy) Look(context.Context, int) (Scan, error) {
	if err := s.ask(); s.n%5 == 0 {
		return Scan{UIDs: []string{"04A1B2C3"}}, err
	}
	return Scan{UIDs: []string{"04A1B2C3", "04A1B2C4"}}, nil
}

// Public fault 31: a reader that works on the bench misses tags in the box. How many is told, and nothing else is: neither
// those that come and go nor a loss.
func TestMissedReadsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(&shy{script{mute: func(int) bool { return false }}}, Options{Antennas: []int{1}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Run(ctx) }()
		for range 1 + 101 { // a state and scans, in 20 of which the last is read again after a miss
			<-d.Reports()
		}
		synctest.Wait()
		got := d.Counters()
		cancel()
		for range d.Reports() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := got["missed_per_thousand"]; n < 95 || n > 105 || len(got) != 1 { // a tenth of the reads of both
			t.Errorf("counted %v, want 100 missed reads in a thousand", got)
		}
	})
}

// Answers are lost, one or two in a row, whatever they answer: looks are lost with them and the reader is not. Three in a
// row, and it is.
func TestMissesInARow(t *testing.T) {
	for _, c := range []struct {
		name   string
		mute   func(int) bool
		shared bool
		losses uint64
	}{
		{"one of three", func(n int) bool { return n%3 == 0 }, false, 0},
		{"one of three, in turns", func(n int) bool { return n%3 == 0 }, true, 0},
		{"two of five", func(n int) bool { return n%5 == 0 || n%5 == 4 }, false, 0},
		{"two of five, in turns", func(n int) bool { return n%5 == 0 || n%5 == 4 }, true, 0},
		{"three in a row", func(n int) bool { return n > 30 && n <= 33 }, false, 1},
		{"three in a row, in turns", func(n int) bool { return n > 30 && n <= 33 }, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Options{Antennas: []int{1}}
				if c.shared {
					var air Air
					o.Field = air.Field("pad")
				}
				s := &script{mute: c.mute}
				d := New(s, o)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				done := make(chan error, 1)
				go func() { done <- d.Run(ctx) }()
				scans := 0
				for r := range d.Reports() {
					switch r := r.(type) {
					case Scan:
						scans++
					case State:
						if !r.Up && !errors.Is(r.Err, framing.ErrSilent) {
							t.Errorf("lost for %v", r.Err)
						}
					}
				}
				if err := <-done; err != nil {
					t.Error(err)
				}
				if n := d.Counters()["losses"]; n != c.losses || s.open != int(1+c.losses) || scans == 0 {
					t.Errorf("%d losses, opened %d times, %d scans; want %d losses", n, s.open, scans, c.losses)
				}
			})
		})
	}
}
