package port_test

import (
	"errors"
	"testing"

	"tavolo/drivers/port"
)

func TestStateIsNewsWhenItChanges(t *testing.T) {
	gone, deaf := errors.New("gone"), errors.New("deaf")
	var s port.State
	for i, c := range []struct {
		err  error
		news bool
	}{{gone, true}, {errors.New("gone"), false}, {deaf, true}, {gone, true}, {nil, true}, {nil, false}, {gone, true}} {
		if news := s.Become(c.err); news != c.news {
			t.Errorf("%d: becoming %v is news: %v", i, c.err, news)
		}
		if s.Up != (c.err == nil) || s.At.IsZero() || c.news && !errors.Is(s.Err, c.err) {
			t.Errorf("%d: %+v after %v", i, s, c.err)
		}
	}
}
