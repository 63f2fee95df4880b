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

	"tavolo/drivers/drivertest"
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

// device is the folder of a converter, as the kernel's drivers make it.
type device struct {
	t    *testing.T
	path string
}

// put has the file of its channel say something, or removes it. Nobody reads half of it.
func (d device) put(text string) {
	d.t.Helper()
	file := filepath.Join(d.path, "in_voltage0_raw")
	var err error
	if text == "" {
		err = os.Remove(file)
	} else if err = os.WriteFile(file+".new", []byte(text), 0o600); err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d device) lay(reading int64) { d.put(fmt.Sprintln(reading + half)) }

func TestConformance(t *testing.T) {
	drivertest.TestScale(t, synctest.Test, func(t *testing.T) drivertest.Scale {
		far := device{t, t.TempDir()}
		far.lay(0)
		dev, err := New(Options{Path: far.path})
		if err != nil {
			t.Fatal(err)
		}
		lies, plugged := int64(0), true
		return drivertest.Scale{
			Driver: drivertest.Driver{Run: dev.Run, Reports: drivertest.Words(dev.Reports(), func(r Report) drivertest.Report {
				if s, ok := r.(Sample); ok {
					return drivertest.Weight{Reading: s.Reading}
				}
				return r
			})},
			Lay: func(reading int64) {
				lies = reading
				if plugged {
					far.lay(reading)
				}
			},
			Overload: func() { far.lay(half - 1) },
			Unplug:   func() { plugged = false; far.put("") },
			Plug:     func() { plugged = true; far.lay(lies) },
		}
	})
}

// Fault 6: the cell is read from the kernel's files, not by clocking lines. It comes back by itself when it was gone.
func TestSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := device{t, t.TempDir()}
		far.put("8463173\n")
		d, err := New(Options{Path: far.path})
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
		far.put("16777215")
		state(false, "overloaded")
		far.put("many")
		state(false, "24 bits")
		far.put("")
		state(false, "CONFIG_HX711")
		far.put("8388607")
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

// Whatever stands in the file, it is a reading that the converter can have, the same that is written there, or an error that
// is not longer than a line.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"8463173\n", "0", "16777215", "8388608", "", "-1\n", " 12 ", "1e3", "0x10", "99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parse(text)
		switch {
		case err != nil && len(err.Error()) > 400:
			t.Errorf("an error of %d bytes", len(err.Error()))
		case err != nil:
		case r <= -half || r >= half-1:
			t.Errorf("%q is %d, which is more than it can read", text, r)
		case strings.TrimLeft(strings.TrimLeft(strings.TrimSpace(text), "+"), "0") != strings.TrimLeft(fmt.Sprint(r+half), "0"):
			t.Errorf("%q is %d", text, r)
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
