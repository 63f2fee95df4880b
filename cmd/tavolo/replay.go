package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"tavolo/engine"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

func replayCommand() *cobra.Command {
	var house string
	c := &cobra.Command{
		Use:   "replay [--house H] PATH...",
		Short: "Play recorded hands (.phh, .phhs) and compare the stacks they end with",
		Long: `Play recorded hands through the engine and compare the stacks they end with.

A path is a file of hands, or a folder: then every .phh and .phhs file below it is played, in the order of their names.

Prints a line for each hand: ok, differs, unsupported or error, then how many there were of each. A hand of a file
with several is named by the line on which it begins. The exit status is 1 if any hand differs or has an error.

Hands are played by the rules of the house given, or of the one that their field _house names, or of tda.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			var h *engine.House
			if house != "" {
				var err error
				if h, err = engine.HouseNamed(house); err != nil {
					return usageError{err}
				}
			}
			return replayFiles(cmd, recordedIn(paths), h)
		},
	}
	c.Flags().StringVar(&house, "house", "", "house whose rules the hands were played by (default: as recorded, or tda)")
	return c
}

// manyFiles is from how many on they take long enough for a line that says how far it is.
const manyFiles = 200

// recording is a file of recorded hands, or with err set a path where none are to be had.
type recording struct {
	file string
	err  error
}

// recordedIn finds the files of hands that paths name: themselves, or of a folder those below it, in the order of their names.
func recordedIn(paths []string) (files []recording) {
	for _, root := range paths {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			files = append(files, recording{file: root}) // whoever opens it says what is wrong
			continue
		}
		before := len(files)
		_ = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
			ext := path.Ext(name)
			if err != nil || !entry.IsDir() && (ext == ".phh" || ext == ".phhs") {
				files = append(files, recording{filepath.Join(root, name), err})
			}
			return nil // a folder that cannot be read does not hide the others
		})
		if len(files) == before {
			files = append(files, recording{root, errors.New("no .phh or .phhs file is in this folder or below it")})
		}
	}
	return files
}

// replayFiles plays files by the rules of a house, nil for the one recorded, on all processors and prints their results in
// their order.
func replayFiles(cmd *cobra.Command, files []recording, house *engine.House) error {
	out, sum := outputOf(cmd), totals{}
	var bar *progress // of many files, if their results go elsewhere
	if len(files) >= manyFiles && !isTerminal(cmd.OutOrStdout()) {
		bar = newProgress(cmd, len(files), "files")
	}
	err := eachInOrder(cmd.Context(), files, func(r recording) []outcome { return playFile(r, house) },
		func(hands []outcome) {
			for _, o := range hands {
				out.print(o, o.String())
				sum.count(o)
			}
			_ = out.Flush() // an error comes again at the end
			bar.step()
		})
	bar.clear()
	if err != nil {
		return err
	}
	out.print(sum, sum.String())
	if err := out.Flush(); err != nil {
		return err
	}
	if sum.Differs+sum.Errors > 0 {
		return errReported
	}
	return nil
}

// eachInOrder calls do for every item on as many goroutines as there are processors, and use for every result, in the
// order of the items, on its own. It returns when all that is done or ctx has ended, with the error of ctx.
func eachInOrder[T, R any](ctx context.Context, items []T, do func(T) R, use func(R)) error {
	results := make([]chan R, len(items)) // each takes its one result without waiting
	for i := range results {
		results[i] = make(chan R, 1)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	defer workers.Wait()
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				results[i] <- do(items[i])
			}
		})
	}
	for _, result := range results {
		select {
		case r := <-result:
			use(r)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// outcome is what became of one hand, or of a file that could not be read.
type outcome struct {
	File        string       `json:"file"`
	Line        int          `json:"line,omitempty"` // where the hand begins, or where its fault is
	Action      int          `json:"action,omitempty"`
	Result      string       `json:"result"` // ok, differs, unsupported or error
	Reason      string       `json:"reason,omitempty"`
	Differences []difference `json:"differences,omitempty"`

	name string // the file, and the line where the hand begins if it is not the only one
}

// difference is a player whose stack did not end as recorded, in the notation of the file.
type difference struct {
	Player   int    `json:"player"`
	Has      string `json:"has"`
	Recorded string `json:"recorded"`
}

// String is the difference for people.
func (d difference) String() string {
	return fmt.Sprintf("player %d has %s, recorded %s", d.Player, d.Has, d.Recorded)
}

// differencesIn gives differences in the notation of the hand's file.
func differencesIn(h *phh.Hand, found []replay.Difference) []difference {
	var out []difference
	for _, d := range found {
		out = append(out, difference{d.Player, phh.Amount(d.Got).Text(h.Scale), phh.Amount(d.Want).Text(h.Scale)})
	}
	return out
}

// String is the outcome as a line for people.
func (o outcome) String() string {
	line := o.name + ": " + o.Result
	switch {
	case o.Result == "error" && o.Action > 0:
		return fmt.Sprintf("%s: %s:%d: action %d: %s", line, o.File, o.Line, o.Action, o.Reason)
	case o.Result == "error" && o.Line > 0:
		return fmt.Sprintf("%s: %s:%d: %s", line, o.File, o.Line, o.Reason)
	case o.Reason != "":
		return line + ": " + o.Reason
	case len(o.Differences) == 0:
		return line
	}
	diffs := make([]string, len(o.Differences))
	for i, d := range o.Differences {
		diffs[i] = d.String()
	}
	return line + ": " + strings.Join(diffs, "; ")
}

// playFile plays every hand of a file.
func playFile(r recording, house *engine.House) []outcome {
	file, err := r.file, r.err
	var data []byte
	if err == nil {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return []outcome{{File: file, Result: "error", Reason: err.Error(), name: file}}
	}
	var hands []outcome
	for h, err := range phh.Parse(file, data) {
		o := outcome{File: file, Line: h.Line}
		var diffs []replay.Difference
		if err == nil {
			diffs, err = playHand(&h, house)
		}
		o.Differences = differencesIn(&h, diffs)
		hands = append(hands, o.judged(h.Line, err))
	}
	if len(hands) == 1 {
		hands[0].name = file
	}
	return hands
}

// playHand plays a hand by the rules of a house, nil for the one recorded.
func playHand(h *phh.Hand, house *engine.House) ([]replay.Difference, error) {
	if house == nil {
		var err error
		if house, err = engine.HouseNamed(cmp.Or(h.House, "tda")); err != nil {
			return nil, fmt.Errorf("%w: %w", replay.ErrUnsupported, err)
		}
	}
	return replay.Play(h, house)
}

// judged completes an outcome by the line where its hand begins, if that is known, and the error of reading or playing
// it.
func (o outcome) judged(begin int, err error) outcome {
	switch {
	case err == nil && len(o.Differences) == 0:
		o.Result = "ok"
	case err == nil:
		o.Result = "differs"
	case errors.Is(err, errors.ErrUnsupported):
		o.Result = "unsupported"
		o.Reason = strings.TrimPrefix(err.Error(), replay.ErrUnsupported.Error()+": ")
	default:
		o.Result = "error"
		o.Reason = err.Error()
	}
	if e, ok := errors.AsType[*phh.Error](err); ok {
		o.Line, o.Action, o.Reason = e.Line, e.Action, e.Reason
	} else if e, ok := errors.AsType[*replay.Fault](err); ok {
		o.Action, o.Reason = e.Action, e.Reason
		if e.Line > 0 {
			o.Line = e.Line
		}
	}
	if begin == 0 {
		begin = o.Line
	}
	o.name = fmt.Sprintf("%s:%d", o.File, begin)
	return o
}

// totals counts outcomes.
type totals struct {
	Hands       int `json:"hands"`
	OK          int `json:"ok"`
	Differs     int `json:"differs"`
	Unsupported int `json:"unsupported"`
	Errors      int `json:"errors"`
}

func (t *totals) count(o outcome) {
	t.Hands++
	switch o.Result {
	case "ok":
		t.OK++
	case "differs":
		t.Differs++
	case "unsupported":
		t.Unsupported++
	default:
		t.Errors++
	}
}

// String is the totals as a line for people.
func (t totals) String() string {
	return fmt.Sprintf("hands: %d, ok: %d, differs: %d, unsupported: %d, errors: %d",
		t.Hands, t.OK, t.Differs, t.Unsupported, t.Errors)
}
