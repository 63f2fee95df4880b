package gpiocdev

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is the kernel's end of some lines: a pipe that its events come out of, and the levels there are.
type fake struct {
	t      *testing.T
	in     *Inputs
	kernel *os.File
	active uint64
	seqno  uint32
	lines  map[uint32]uint32 // sequence numbers of the lines
	looks  int               // how often the levels were read
	queue  bytes.Buffer
}

// newFake gives the lines 4 and 9 of a chip, both inactive.
func newFake(t *testing.T) *fake {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, kernel: os.NewFile(uintptr(fds[1]), "kernel"), lines: map[uint32]uint32{}}
	var err error
	f.in, err = newInputs(os.NewFile(uintptr(fds[0]), "lines"), []uint32{4, 9}, func() (uint64, error) {
		f.looks++
		return f.active, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.looks = 0
	t.Cleanup(func() { f.kernel.Close(); f.in.Close() })
	return f
}

// event queues an edge; lose counts one that the kernel has dropped.
func (f *fake) event(offset, id uint32, at time.Duration) {
	f.lose(offset)
	e := lineEvent{At: uint64(at), ID: id, Offset: offset, Seqno: f.seqno, LineSeq: f.lines[offset]}
	if err := binary.Write(&f.queue, binary.NativeEndian, &e); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) lose(offset uint32) {
	f.seqno++
	f.lines[offset]++
}

// edges are what Watch tells of the queued events, without times.
func (f *fake) edges() []Edge {
	f.t.Helper()
	if _, err := f.kernel.Write(f.queue.Bytes()); err != nil {
		f.t.Fatal(err)
	}
	f.kernel.Close()
	var got []Edge
	err := f.in.Watch(context.Background(), func(e Edge) {
		if d := time.Since(e.At); d < 0 || d > time.Minute {
			f.t.Errorf("edge %+v is from %v ago", e, d)
		}
		e.At = time.Time{}
		got = append(got, e)
	})
	if err == nil || !strings.Contains(err.Error(), "EOF") { // the pipe has ended
		f.t.Fatal(err)
	}
	return got
}

func check(t *testing.T, got []Edge, want ...Edge) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("edge %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestEdgesAreTold(t *testing.T) {
	f := newFake(t)
	at := monotonic()
	f.event(4, eventRising, at)
	f.event(9, eventRising, at+1)
	f.event(4, eventFalling, at+2)
	check(t, f.edges(), Edge{Line: 0, Active: true}, Edge{Line: 1, Active: true}, Edge{Line: 0})
	if f.looks != 0 {
		t.Errorf("levels read %d times with no gap", f.looks)
	}
}

// Fault 8: the kernel's buffer overflows and drops the oldest edges, of this line and of another that then has none left.
func TestOverflowIsSeenAndLevelsReadAgain(t *testing.T) {
	f := newFake(t)
	at := monotonic()
	f.event(4, eventRising, at)
	f.lose(9) // it went active, and no event says so
	f.lose(4)
	f.lose(4)
	f.event(4, eventFalling, at+4)
	f.active = 1 << 1
	check(t, f.edges(), Edge{Line: 0, Active: true}, Edge{Line: 0, Lost: 2}, Edge{Line: 1, Active: true, Lost: 1})
	if f.looks != 1 {
		t.Errorf("levels read %d times", f.looks)
	}
}

// An edge that was still in the buffer when the levels were read again is not told twice.
func TestEdgeBehindTheLookIsOld(t *testing.T) {
	f := newFake(t)
	f.lose(4)
	f.lose(4)
	f.event(4, eventRising, monotonic())
	f.active = 1
	var got []Edge
	tell := func(e Edge) { e.At = time.Time{}; got = append(got, e) }
	if err := f.in.take(f.queue.Bytes(), tell); err != nil {
		t.Fatal(err)
	}
	f.active = 1 | 1<<1 // line 9 changed meanwhile, and its event is on its way
	at := monotonic()
	if err := f.in.lookAgain(tell); err != nil {
		t.Fatal(err)
	}
	f.queue.Reset()
	f.event(9, eventRising, at)
	f.event(9, eventFalling, monotonic())
	if err := f.in.take(f.queue.Bytes(), tell); err != nil {
		t.Fatal(err)
	}
	check(t, got, Edge{Line: 0, Active: true, Lost: 2}, Edge{Line: 1, Active: true, Lost: 1}, Edge{Line: 1})
}

// Faults 8 and 9: rising edges in a row, with no gap in the numbers. What was between them is lost, and said to be.
func TestEdgesLostWithoutATrace(t *testing.T) {
	f := newFake(t)
	f.event(4, eventRising, monotonic())
	f.event(4, eventRising, monotonic())
	check(t, f.edges(), Edge{Line: 0, Active: true}, Edge{Line: 0, Active: true, Lost: 1})
}

// Faults 1 and 3: a wait for an edge ends with its context, before it begins or while it lasts, and costs no time.
func TestWatchEndsWithItsContext(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	edge := make(chan Edge, 1)
	go func() { done <- f.in.Watch(ctx, func(e Edge) { edge <- e }) }()
	f.event(4, eventRising, monotonic())
	if _, err := f.kernel.Write(f.queue.Bytes()); err != nil {
		t.Fatal(err)
	}
	<-edge // it waits now
	cancel()
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
	if err := f.in.Watch(ctx, func(Edge) { t.Error("an edge") }); err != nil {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// Fault 4: an edge that waited in the buffer has the time it happened, not the time it was read.
func TestEdgeKeepsItsTime(t *testing.T) {
	f := newFake(t)
	const ago = 3 * time.Second
	f.event(4, eventRising, monotonic()-ago)
	var got Edge
	if err := f.in.take(f.queue.Bytes(), func(e Edge) { got = e }); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(got.At); d < ago || d > ago+time.Minute {
		t.Errorf("happened %v ago, want %v", d, ago)
	}
}

func TestCloseEndsWatch(t *testing.T) {
	f := newFake(t)
	done := make(chan error, 1)
	go func() { done <- f.in.Watch(context.Background(), func(Edge) {}) }()
	if err := f.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

// Fault 9: an edge that the kernel lost without a trace comes out all the same, when the levels are looked at.
func TestLevelIsLookedAt(t *testing.T) {
	f := newFake(t)
	f.active = 1 << 1
	var got []Edge
	tell := func(e Edge) { e.At = time.Time{}; got = append(got, e) }
	for range 3 {
		if err := f.in.look(tell); err != nil {
			t.Fatal(err)
		}
	}
	check(t, got, Edge{Line: 1, Active: true, Lost: 1})
}

func TestForeignEventIsAnError(t *testing.T) {
	for name, e := range map[string]lineEvent{"line": {ID: eventRising, Offset: 5}, "kind": {ID: 3, Offset: 4}} {
		f := newFake(t)
		f.event(e.Offset, e.ID, 0)
		if err := f.in.take(f.queue.Bytes(), func(Edge) { t.Errorf("%s: told", name) }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Faults 2 and 5: chips are told apart by label, name and path, never by their order; links to chips are no chips.
func TestChoosingAChip(t *testing.T) {
	dir := t.TempDir()
	open := func(name, label string) chip {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		c := chip{File: f}
		copy(c.info.name[:], name)
		copy(c.info.label[:], label)
		return c
	}
	chips := []chip{open("gpiochip0", "pinctrl-rp1"), open("gpiochip10", "brcmstb"), open("gpiochip11", "brcmstb")}
	if err := os.Symlink("gpiochip0", filepath.Join(dir, "gpiochip4")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"pinctrl-rp1": 0, "gpiochip10": 1, chips[2].Name(): 2, filepath.Join(dir, "gpiochip4"): 0,
		"brcmstb": -1, "gpiochip4": -1, "": -1,
	} {
		got, err := choose(chips, name, []string{"SHOE"})
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q is chip %d, %v; want %d", name, got, err, want)
		}
	}
	if _, err := choose(chips, "brcmstb", nil); err == nil || !strings.Contains(err.Error(), "gpiochip10 [brcmstb] and gpiochip11 [brcmstb]") {
		t.Errorf("two chips of a label: %v", err)
	}

	// One that may not be opened keeps nobody from the others, and is told of where none of them fits.
	chips[1].err = os.ErrPermission
	if got, err := choose(chips, "brcmstb", nil); got != 2 || err != nil {
		t.Errorf("beside a chip that is shut: %d, %v", got, err)
	}
	if _, err := choose(chips, "gpiochip10", nil); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "one of gpiochip0 [pinctrl-rp1], gpiochip11 [brcmstb]") {
		t.Errorf("the chip that is shut: %v", err)
	}
}

func TestNoChipIsAClearError(t *testing.T) {
	if _, err := openChips(t.TempDir()); err == nil || !strings.Contains(err.Error(), "CONFIG_GPIO_CDEV") {
		t.Errorf("no chips: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gpiochip0"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	chips, err := openChips(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := choose(chips, "gpiochip0", nil); err == nil || !strings.Contains(err.Error(), "gpiochip0 is no GPIO chip: inappropriate ioctl") {
		t.Errorf("a file passes for a chip: %v", err)
	}
	if err := closeAll(chips); err != nil {
		t.Error(err)
	}
	if _, err := OpenInputs("", nil, InputOptions{}); err == nil || !strings.Contains(err.Error(), "1 to 64") {
		t.Errorf("no lines: %v", err)
	}
}
