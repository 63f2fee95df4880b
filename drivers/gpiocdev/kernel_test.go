package gpiocdev_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/sim"
)

// These tests run where the kernel can simulate a chip: on the virtual board of "make test-board".

// patience ends a test that waits for what does not come; nothing passes by waiting that long.
const patience = time.Minute

func chip(t *testing.T, label string, lines ...string) *sim.GPIO {
	t.Helper()
	if !sim.HasGPIO() {
		t.Skip("this machine's kernel has no gpio-sim")
	}
	g, err := sim.NewGPIO(label, lines...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// inputs opens lines that are active at 0 V, with the contacts open.
func inputs(t *testing.T, g *sim.GPIO, name string, o gpiocdev.InputOptions, lines ...string) *gpiocdev.Inputs {
	t.Helper()
	for i := range lines {
		pull(t, g, i, true)
	}
	o.ActiveLow, o.Bias = true, gpiocdev.PullUp
	in, err := gpiocdev.OpenInputs(name, lines, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

func pull(t *testing.T, g *sim.GPIO, line int, up bool) {
	t.Helper()
	if err := g.Pull(line, up); err != nil {
		t.Fatal(err)
	}
}

// watch takes edges until one satisfies enough.
func watch(t *testing.T, in *gpiocdev.Inputs, enough func(gpiocdev.Edge) bool) []gpiocdev.Edge {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var got []gpiocdev.Edge
	found := false
	err := in.Watch(ctx, func(e gpiocdev.Edge) {
		got = append(got, e)
		if found = found || enough(e); found {
			cancel()
		}
	})
	if err != nil || !found {
		t.Fatalf("%v; edges: %+v", err, got)
	}
	return got
}

func TestContactOnTheKernelsLine(t *testing.T) {
	g := chip(t, "table-contacts", "SHOE_GATE", "SHOE_LID")
	in := inputs(t, g, "table-contacts", gpiocdev.InputOptions{}, "SHOE_GATE", "SHOE_LID")
	before := time.Now()
	for _, step := range []struct {
		line   int
		active bool
	}{{1, true}, {0, true}, {1, false}} {
		pull(t, g, step.line, !step.active)
		got := watch(t, in, func(gpiocdev.Edge) bool { return true })
		if e := got[0]; len(got) != 1 || e.Line != step.line || e.Active != step.active || e.Lost != 0 {
			t.Errorf("edges %+v, want %+v", got, step)
		}
		if d := got[0].At.Sub(before); d < -time.Second || d > patience {
			t.Errorf("it happened %v after the test began", d)
		}
	}
	if active, err := in.Levels(); active != 1 || err != nil {
		t.Errorf("levels %b, %v", active, err)
	}
}

// A line is found by its name alone as well, while one chip has it; two chips that have it are an error.
func TestLineByItsNameAlone(t *testing.T) {
	chip(t, "table-one", "ONLY_HERE", "TWICE")
	chip(t, "table-two", "TWICE")
	in, err := gpiocdev.OpenInputs("", []string{"ONLY_HERE"}, gpiocdev.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if _, err = gpiocdev.OpenInputs("", []string{"TWICE"}, gpiocdev.InputOptions{}); err == nil || !strings.Contains(err.Error(), "table-two") {
		t.Errorf("a name that two chips have: %v", err)
	}
	if _, err = gpiocdev.OpenInputs("table-one", []string{"NOWHERE"}, gpiocdev.InputOptions{}); err == nil || !strings.Contains(err.Error(), `"NOWHERE"`) {
		t.Errorf("a name that no line has: %v", err)
	}
}

// Fault 7: a bouncing contact is one edge, by the kernel's debounce. What a slow machine makes of it may be no bounce: then it
// bounces again.
func TestBounceIsOneEdge(t *testing.T) {
	const debounce = 200 * time.Millisecond
	g := chip(t, "table-bounce", "SEAT_FOLD")
	for late := time.Now().Add(patience); ; {
		in := inputs(t, g, "table-bounce", gpiocdev.InputOptions{Debounce: debounce}, "SEAT_FOLD")
		longest, last := time.Duration(0), time.Now()
		for i := range 61 { // ends down
			pull(t, g, 0, i%2 == 1)
			longest, last = max(longest, time.Since(last)), time.Now()
		}
		got := watch(t, in, func(e gpiocdev.Edge) bool { return e.Active })
		if len(got) == 1 && got[0].Lost == 0 {
			return
		}
		if longest < debounce/2 || time.Now().After(late) {
			t.Fatalf("edges %+v of a contact that was still for %v at most", got, longest)
		}
		in.Close()
	}
}

// Fault 8: more edges than the kernel keeps; the last level is right, and the loss is told.
func TestKernelOverflowIsTold(t *testing.T) {
	g := chip(t, "table-overflow", "BEAM", "GATE")
	in := inputs(t, g, "table-overflow", gpiocdev.InputOptions{Buffer: 4}, "BEAM", "GATE")
	pull(t, g, 1, false) // dropped, as the oldest
	for i := range 61 {
		pull(t, g, 0, i%2 == 1)
		time.Sleep(5 * time.Millisecond) // faster edges the kernel takes for one, and nothing overflows
	}
	lost := 0
	got := watch(t, in, func(e gpiocdev.Edge) bool { lost += e.Lost; return e.Line == 1 })
	if lost == 0 {
		t.Errorf("nothing lost: %+v", got)
	}
	last := got[len(got)-1]
	if !last.Active || last.Lost == 0 {
		t.Errorf("the gate ended as %+v", last)
	}
	beam := slices.DeleteFunc(got, func(e gpiocdev.Edge) bool { return e.Line != 0 })
	if e := beam[len(beam)-1]; !e.Active {
		t.Errorf("the beam ended as %+v", e)
	}
}

func TestHeldLineNamesItsHolder(t *testing.T) {
	g := chip(t, "table-held", "SEAT_CALL")
	inputs(t, g, "table-held", gpiocdev.InputOptions{Consumer: "another table"}, "SEAT_CALL")
	_, err := gpiocdev.OpenInputs("table-held", []string{"SEAT_CALL"}, gpiocdev.InputOptions{})
	if !errors.Is(err, gpiocdev.ErrBusy) || !strings.Contains(err.Error(), `SEAT_CALL by "another table"`) {
		t.Errorf("second request: %v", err)
	}
}

// The line comes up at the level that was asked for. That nothing shows between is the kernel's, which takes direction
// and value in one call; general libraries make two of it.
func TestOutputsComeUpAsAsked(t *testing.T) {
	g := chip(t, "table-lamps", "LAMP_FOLD", "LAMP_CALL", "RESET_N")
	out, err := gpiocdev.OpenOutputs("table-lamps", []string{"LAMP_FOLD", "LAMP_CALL"}, gpiocdev.OutputOptions{Initial: 1})
	if err != nil {
		t.Fatal(err)
	}
	levels := func(want ...bool) {
		t.Helper()
		for i, w := range want {
			if high, err := g.High(i); high != w || err != nil {
				t.Errorf("line %d is %v, %v", i, high, err)
			}
		}
	}
	levels(true, false)
	if err := out.Set(3, 2); err != nil {
		t.Error(err)
	}
	levels(false, true)
	if err := out.Set(1, 3); err != nil {
		t.Error(err)
	}
	levels(true, true)
	reset, err := gpiocdev.OpenOutputs("table-lamps", []string{"RESET_N"}, gpiocdev.OutputOptions{ActiveLow: true})
	if err != nil {
		t.Fatal(err)
	}
	levels(true, true, true) // not in reset
	if err := errors.Join(out.Close(), reset.Close()); err != nil {
		t.Error(err)
	}
	levels(false, false)
}

// The Raspberry Pi 5 has a link beside its chip; the chip must not be there twice.
func TestLinkToAChipIsNoSecondChip(t *testing.T) {
	chip(t, "table-pi5", "PI5_LINE")
	const link = "/dev/gpiochip99"
	if err := os.Symlink("gpiochip0", link); err != nil {
		t.Skip(err)
	}
	defer os.Remove(link)
	in, err := gpiocdev.OpenInputs("", []string{"PI5_LINE"}, gpiocdev.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
}

// A chip that is pulled out ends the wait with an error, not in a busy loop.
func TestChipPulledOut(t *testing.T) {
	g := chip(t, "table-pulled", "LINE")
	in := inputs(t, g, "table-pulled", gpiocdev.InputOptions{}, "LINE")
	done := make(chan error, 1)
	go func() { done <- in.Watch(context.Background(), func(gpiocdev.Edge) {}) }()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err == nil {
			t.Error("ended with no error")
		}
	case <-time.After(patience):
		in.Close()
		t.Errorf("still waiting; closed it: %v", <-done)
	}
}
