// Package tasks runs goroutines that are waited for together, and stops them all when one fails; and it pauses one no longer
// than its context runs. Start at Group.
package tasks

import (
	"context"
	"errors"
	"sync"
)

// Group is some goroutines that end together. The zero value is ready to use; it must not be copied once it is used.
type Group struct {
	// Stop, if not nil, is called when a task fails: it ends the context that the tasks run under.
	Stop context.CancelFunc

	wg  sync.WaitGroup
	mu  sync.Mutex
	err error // of the tasks that failed, joined
}

// Go starts a task. It may be called from a task of the group, but not once Wait may have returned.
func (g *Group) Go(task func() error) {
	g.wg.Go(func() {
		err := task()
		if err == nil {
			return
		}
		g.mu.Lock()
		g.err = errors.Join(g.err, err)
		g.mu.Unlock()
		if g.Stop != nil {
			g.Stop()
		}
	})
}

// Wait waits until every task has ended, and joins the errors of those that failed.
func (g *Group) Wait() error {
	g.wg.Wait()
	return g.err
}
