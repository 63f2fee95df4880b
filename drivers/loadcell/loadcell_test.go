package loadcell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/port"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The vectors "HX711 raw": what the converter sends, and what it stands for. The kernel gives it with the first bit turned.
func TestHX711Vectors(t *testing.T) {
	for raw, want := range map[int64]int64{0x000000: 0, 0x7fffff: 8388607, 0x800000: -8388608, 0xffffff: -1, 0x012345: 74565} {
		got, err := signed(raw ^ 0x800000)
		if end := want == 8388607 || want == -8388608; got != want || (err != nil) != end {
			t.Errorf("%06x: %d, %v; want %d", raw, got, err, want)
		}
	}
}

// Fault 6: the cell is read from the kernel's files, not by clocking lines. It comes back by itself when it was gone.
func TestSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "in_voltage0_raw")
		put := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		put("8463173\n")
		d, err := New(Options{Path: dir})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Run(ctx) }()
		state := func(up bool, why string) {
			t.Helper()
			for r := range d.Reports() {
				if s, ok := r.(port.State); ok {
					if s.Up != up || !strings.Contains(fmt.Sprint(s.Err), why) {
						t.Errorf("%+v, want up: %v, %q", s, up, why)
					}
					return
				}
			}
		}
		sample := func(want int64) {
			t.Helper()
			if s, ok := (<-d.Reports()).(Sample); !ok || s.Reading != want {
				t.Errorf("%+v, want %d", s, want)
			}
		}
		state(true, "")
		began := time.Now()
		for range 5 {
			sample(74565)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("five samples took %v", took)
		}
		put("16777215")
		state(false, "overloaded")
		put("many")
		state(false, "24 bits")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		state(false, "CONFIG_HX711")
		put("8388607")
		state(true, "")
		sample(-1)
		cancel()
		for range d.Reports() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestRefusals(t *testing.T) {
	for _, o := range []Options{{}, {Path: "/sys", Channel: 2}, {Path: "/sys", Channel: -1}, {Path: "/sys", Every: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v passes", o)
		}
	}
}
