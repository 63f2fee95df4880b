package sim

import (
	"context"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
)

// Lines are lines of no board, for where there is none: their levels are set by whoever holds them. They are
// [gpiocdev.Lines]. Any goroutine may call the methods, but one Watch is under way at a time.
type Lines struct {
	mu     sync.Mutex
	levels uint64
	edges  []gpiocdev.Edge // nobody has been told of yet
	gone   error           // why the lines are, nil while they are there
	lose   int             // how many edges are to be lost
	lost   map[int]int     // by line, since its last one
	news   chan struct{}   // has room for one
}

// NewLines makes lines that are inactive.
func NewLines() *Lines {
	return &Lines{news: make(chan struct{}, 1), lost: map[int]int{}}
}

// Open gives the lines to a program, which is told of edges from here on. It fails while they are gone.
func (l *Lines) Open() (gpiocdev.Lines, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edges = nil
	if l.gone != nil {
		return nil, l.gone
	}
	return l, nil
}

// Set makes a line active or inactive, if it is not.
func (l *Lines) Set(line int, active bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if active == (l.levels>>line&1 != 0) {
		return
	}
	l.levels ^= 1 << line
	if l.lose > 0 {
		l.lose--
		l.lost[line]++
		return
	}
	l.edges = append(l.edges, gpiocdev.Edge{Line: line, Active: active, At: time.Now(), Lost: l.lost[line]})
	delete(l.lost, line)
	l.wake()
}

// Lose loses the next so many edges, as a kernel does whose buffer is full. The next one of the same line says so.
func (l *Lines) Lose(edges int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = edges
}

// Cut takes the lines away, for a reason, or gives them back, for nil. A Watch ends with the reason.
func (l *Lines) Cut(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = reason
	l.wake()
}

// wake has Watch look again. The caller holds mu.
func (l *Lines) wake() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// Levels gives which lines are active, bit i for line i.
func (l *Lines) Levels() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.levels, l.gone
}

// Watch tells each edge until ctx ends or the lines are gone.
func (l *Lines) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		l.mu.Lock()
		edges, gone := l.edges, l.gone
		l.edges = nil
		l.mu.Unlock()
		if gone != nil {
			return gone
		}
		for _, e := range edges {
			tell(e)
		}
		select {
		case <-l.news:
		case <-ctx.Done():
			return nil
		}
	}
}

// Close does nothing: the lines stay as they are, to be opened again.
func (l *Lines) Close() error { return nil }
