package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progress is a line on the terminal that says how far something long is. On a nil progress nothing happens.
type progress struct {
	w        io.Writer
	what     string
	done, of int
	shown    time.Time
}

// newProgress is for a command that does so many of what, in the plural. It is nil if standard error is no terminal.
func newProgress(cmd *cobra.Command, of int, what string) *progress {
	if !isTerminal(cmd.ErrOrStderr()) {
		return nil
	}
	return &progress{w: cmd.ErrOrStderr(), what: what, of: of}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// barWidth is the width of the bar in characters.
const barWidth = 30

// step counts one more.
func (p *progress) step() {
	if p != nil {
		p.to(p.done + 1)
	}
}

// to says how many are done. The line is written ten times a second at most.
func (p *progress) to(done int) {
	if p == nil {
		return
	}
	p.done = done
	now := time.Now()
	if now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	bar := strings.Repeat("#", barWidth*p.done/p.of)
	fmt.Fprintf(p.w, "\r[%-*s] %d of %d %s", barWidth, bar, p.done, p.of, p.what)
}

// clear wipes the line.
func (p *progress) clear() {
	if p != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
