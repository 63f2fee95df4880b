package sim

import (
	"context"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
)

// Lines are lines of no board, for where there is none: their levels are set by whoever holds them. They are a
// [gpiocdev.Edges]. Any goroutine may call the methods, but one Watch is under way at a time.
type Lines struct {
	failed chan error

	mu     sync.Mutex
	levels uint64
	edges  []gpiocdev.Edge // nobody has been told of yet
	news   chan struct{}   // has room for one
}

// NewLines makes lines that are inactive.
func NewLines() *Lines {
	return &Lines{failed: make(chan error), news: make(chan struct{}, 1)}
}

// Open gives the lines to a program, which is told of edges from here on.
func (l *Lines) Open() *Lines {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edges = nil
	return l
}

// Set makes a line active or inactive, if it is not.
func (l *Lines) Set(line int, active bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if active == (l.levels>>line&1 != 0) {
		return
	}
	l.levels ^= 1 << line
	l.edges = append(l.edges, gpiocdev.Edge{Line: line, Active: active, At: time.Now()})
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// Fail ends the Watch under way, or the next one, with an error.
func (l *Lines) Fail(err error) { l.failed <- err }

// Levels gives which lines are active, bit i for line i.
func (l *Lines) Levels() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.levels, nil
}

// Watch tells each edge until ctx ends or the lines fail.
func (l *Lines) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		l.mu.Lock()
		edges := l.edges
		l.edges = nil
		l.mu.Unlock()
		for _, e := range edges {
			tell(e)
		}
		select {
		case <-l.news:
		case err := <-l.failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// Close does nothing: the lines stay as they are, to be opened again.
func (l *Lines) Close() error { return nil }
