package rfid

import (
	"context"
	"slices"
	"sync"
)

// Air is the air over a table, which readers share. Two antennas close to each other must never be energised together:
// tags between them then answer both, or neither. An Air gives readers their turns. Fields that have a zone in common
// take turns in the order in which they asked; fields that have none may be on at the same time.
type Air struct {
	mu    sync.Mutex
	on    []*Field
	queue []*waiter // in the order they asked
}

type waiter struct {
	field *Field
	turn  chan struct{} // closed when it has come
}

// Field is one reader's part in an Air. Its methods may be called on nil, for a reader that is far from all others: its
// turn is always. It is used by one goroutine.
type Field struct {
	air   *Air
	zones []string
}

// Field gives a reader its part: the zones its antennas reach into, by any names. In none it disturbs nobody.
func (a *Air) Field(zones ...string) *Field {
	return &Field{air: a, zones: slices.Clone(zones)}
}

// Enter waits for the reader's turn, or for the end of ctx, whose error it returns then. Nobody who asked earlier is
// overtaken by a field it shares a zone with, so every turn comes.
func (f *Field) Enter(ctx context.Context) error {
	if f == nil {
		return ctx.Err()
	}
	w := &waiter{f, make(chan struct{})}
	f.air.mu.Lock()
	f.air.queue = append(f.air.queue, w)
	f.air.grant()
	f.air.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	f.air.mu.Lock()
	defer f.air.mu.Unlock()
	select {
	case <-w.turn:
		return nil // after all; Leave is to be called
	default:
	}
	f.air.queue = slices.DeleteFunc(f.air.queue, func(o *waiter) bool { return o == w })
	f.air.grant()
	return ctx.Err()
}

// Leave ends the reader's turn. Its fields are off.
func (f *Field) Leave() {
	if f == nil {
		return
	}
	f.air.mu.Lock()
	defer f.air.mu.Unlock()
	f.air.on = slices.DeleteFunc(f.air.on, func(o *Field) bool { return o == f })
	f.air.grant()
}

// grant gives a turn to everybody who shares no zone with a field that is on or with a waiter before him. The caller
// holds mu.
func (a *Air) grant() {
	var waiting []*waiter
	for _, w := range a.queue {
		blocked := slices.ContainsFunc(a.on, w.field.disturbs) ||
			slices.ContainsFunc(waiting, func(o *waiter) bool { return w.field.disturbs(o.field) })
		if blocked {
			waiting = append(waiting, w)
			continue
		}
		a.on = append(a.on, w.field)
		close(w.turn)
	}
	a.queue = waiting
}

func (f *Field) disturbs(o *Field) bool {
	return slices.ContainsFunc(f.zones, func(z string) bool { return slices.Contains(o.zones, z) })
}
