package framing

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// word is a frame of these tests: a letter from a to i, its number of stars, a point. Blanks may stand between.
func word(b []byte) (string, int, Fault) {
	switch {
	case b[0] == ' ':
		return "", 0, Blank
	case b[0] < 'a' || b[0] > 'i':
		return "", 0, Garbage
	}
	n := int(b[0]-'a') + 2
	if len(b) < n {
		if strings.Trim(string(b[1:]), "*") != "" {
			return "", 0, Form
		}
		return "", 0, ""
	}
	if strings.Trim(string(b[1:n-1]), "*") != "" || b[n-1] != '.' {
		return "", 0, Form
	}
	return string(b[:n]), n, ""
}

func all(s *Scanner[string]) (out []string) {
	for m, ok := s.Next(); ok; m, ok = s.Next() {
		out = append(out, m)
	}
	return out
}

func TestScanner(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		want         []string
		faults       map[string]uint64
	}{
		{"glued", "b*.a.c**.", []string{"b*.", "a.", "c**."}, nil},
		{"blanks", " a.  b*. ", []string{"a.", "b*."}, nil},
		{"noise", "xya.z", []string{"a."}, map[string]uint64{"garbage_bytes": 3}},
		{"damaged", "c*!.a.", []string{"a."}, map[string]uint64{"garbage_bytes": 4, "bad_form": 1}},
		{"a start in the noise", "da.", []string{"a."}, map[string]uint64{"garbage_bytes": 1, "bad_form": 1}},
		{"cut", "a.d**", []string{"a."}, map[string]uint64{"garbage_bytes": 3, "cut": 1}},
	} {
		for _, chunk := range []int{1, 2, len(c.stream)} {
			s := NewScanner(word)
			var got []string
			for b := range slices.Chunk([]byte(c.stream), chunk) {
				s.Push(b)
				got = append(got, all(s)...)
			}
			s.Expire()
			got = append(got, all(s)...)
			if !slices.Equal(got, c.want) || !maps.Equal(s.Faults(), c.faults) || s.Unfinished() {
				t.Errorf("%s, %d at a time: %q, faults %v; want %q, %v", c.name, chunk, got, s.Faults(), c.want, c.faults)
			}
		}
	}
}

// A line gives what comes in time, goes on behind a cut message, and notices both silence and the end of its context.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		l := NewLine(near, NewScanner(word), 100*time.Millisecond)
		defer near.Close()
		defer far.Close()
		go func() {
			_, _ = far.Write([]byte("a.b*.d*"))
			time.Sleep(200 * time.Millisecond)
			_, _ = far.Write([]byte("a."))
		}()
		for _, want := range []string{"a.", "b*.", "a."} {
			if got, err := l.Receive(t.Context(), time.Second); err != nil || got != want {
				t.Fatalf("received %q, %v; want %q", got, err, want)
			}
		}
		began := time.Now()
		if _, err := l.Receive(t.Context(), time.Second); !errors.Is(err, ErrSilent) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v, want ErrSilent after a second", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Receive(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("at the end of its context: %v", err)
		}
		far.Close()
		if _, err := l.Receive(t.Context(), time.Second); err == nil || errors.Is(err, ErrSilent) {
			t.Errorf("of a line that is gone: %v", err)
		}
	})
}
