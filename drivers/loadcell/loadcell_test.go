package loadcell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/port"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The vectors "HX711 raw": what the converter sends, and what it stands for. The kernel gives it with the first bit turned.
func TestHX711Vectors(t *testing.T) {
	for raw, want := range map[int64]int64{0x000000: 0, 0x7fffff: 8388607, 0x800000: -8388608, 0xffffff: -1, 0x012345: 74565} {
		got, err := parse(fmt.Sprintln(raw^0x800000), hx711Zero)
		if end := want == 8388607 || want == -8388608; got != want || (err != nil) != end {
			t.Errorf("%06x: %d, %v; want %d", raw, got, err, want)
		}
	}
}

// device is the folder of a converter, as the kernel's driver for it makes it.
type device struct {
	t    *testing.T
	path string
	zero int64
}

// newHX711 and newNAU7802 are the folders of these two.
func newHX711(t *testing.T) device {
	d := device{t, t.TempDir(), hx711Zero}
	d.put("name", "hx711\n")
	return d
}

func newNAU7802(t *testing.T) device {
	d := device{t, filepath.Join(t.TempDir(), "iio:device7"), 0}
	if err := os.Mkdir(d.path, 0o755); err != nil {
		t.Fatal(err)
	}
	d.put("name", "1-002a\n")
	d.put("in_voltage_scale_available", "0.000393390 0.000196695 0.000003073\n")
	d.put("in_voltage_scale", "0.000393390\n")
	return d
}

// put has a file say something, or removes it. Nobody reads half of it.
func (d device) put(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.path, name)
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

const raw = "in_voltage0_raw"

func (d device) lay(reading int64) { d.put(raw, fmt.Sprintln(reading+d.zero)) }

// words are the driver's reports in those of the suite.
func words(d *Dev) drivertest.Reports {
	return drivertest.Words(d.Reports(), func(r Report) drivertest.Report {
		if s, ok := r.(Sample); ok {
			return drivertest.Weight{Reading: s.Reading}
		}
		return r
	})
}

func TestConformance(t *testing.T) {
	for name, plug := range map[string]func(*testing.T) device{"hx711": newHX711, "nau7802": newNAU7802} {
		t.Run(name, func(t *testing.T) {
			drivertest.TestScale(t, synctest.Test, func(t *testing.T) drivertest.Scale {
				far := plug(t)
				far.lay(0)
				dev, err := New(Options{Path: far.path})
				if err != nil {
					t.Fatal(err)
				}
				lies, plugged := int64(0), true
				return drivertest.Scale{
					Driver: drivertest.Driver{Run: dev.Run, Reports: words(dev)},
					Lay: func(reading int64) {
						lies = reading
						if plugged {
							far.lay(reading)
						}
					},
					Overload: func() { far.lay(half - 1) },
					Unplug:   func() { plugged = false; far.put(raw, "") },
					Plug:     func() { plugged = true; far.lay(lies) },
				}
			})
		})
	}
}

// heard are the driver's reports, and what they should be.
type heard struct {
	t *testing.T
	*Dev
}

// start runs a driver; the function ends it.
func start(t *testing.T, path string) (heard, func()) {
	t.Helper()
	d, err := New(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	return heard{t, d}, func() {
		cancel()
		for range d.Reports() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// state passes over samples until the cell is up, or lost for a reason.
func (h heard) state(up bool, why string) {
	h.t.Helper()
	for r := range h.Reports() {
		if s, ok := r.(port.State); ok {
			if s.Up != up || !strings.Contains(fmt.Sprint(s.Err), why) {
				h.t.Errorf("%+v, want up: %v, %q", s, up, why)
			}
			return
		}
	}
}

func (h heard) sample(want int64) {
	h.t.Helper()
	if s, ok := (<-h.Reports()).(Sample); !ok || s.Reading != want {
		h.t.Errorf("%+v, want %d", s, want)
	}
}

// Fault 6: the cell is read from the kernel's files, not by clocking lines. It comes back by itself when it was gone.
func TestSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newHX711(t)
		far.put(raw, "8463173\n")
		h, end := start(t, far.path)
		h.state(true, "")
		began := time.Now()
		for range 5 {
			h.sample(74565)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("five samples took %v", took)
		}
		far.put(raw, "16777215")
		h.state(false, "overloaded")
		far.put(raw, "many")
		h.state(false, "24 bits")
		far.put(raw, "")
		h.state(false, "CONFIG_HX711")
		far.put(raw, "8388607")
		h.state(true, "")
		h.sample(-1)
		end()
	})
}

// An NAU7802 is found in the folder of its place on the bus, and read at the highest gain. One whose gain falls back has lost
// its supply, and its driver does not notice: what is read of it is nothing until it is another device.
func TestGain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newNAU7802(t)
		far.lay(-74565)
		h, end := start(t, filepath.Dir(far.path))
		h.state(true, "")
		h.sample(-74565)
		gain, err := os.ReadFile(filepath.Join(far.path, "in_voltage_scale"))
		if err != nil || string(gain) != "0.000003073" {
			t.Errorf("the scale is %q, %v", gain, err)
		}
		far.lay(5)
		far.put("in_voltage_scale", "0.000393390\n")
		h.state(false, "unbind")
		if err := os.Rename(far.path, filepath.Join(filepath.Dir(far.path), "gone")); err != nil {
			t.Fatal(err)
		}
		again := newNAU7802(t)
		again.put("in_voltage_scale_available", "0.000000000 0.000000000\n")
		again.lay(6)
		if err := os.Rename(again.path, far.path); err != nil {
			t.Fatal(err)
		}
		h.state(false, "nuvoton,vldo")
		far.put("in_voltage_scale_available", "0.000393390 0.000003073\n")
		h.state(true, "")
		h.sample(6)
		end()
	})
}

// The kernel does not answer, and the driver can be ended all the same.
func TestKernelWaits(t *testing.T) {
	far := newHX711(t)
	fifo := filepath.Join(far.path, raw)
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	_, end := start(t, far.path)
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // when it reads
	if err != nil {
		t.Fatal(err)
	}
	end()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Whatever stands in the file, it is a reading that the converter can have, the same that is written there, or an error that
// is not longer than a line.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"8463173\n", "0", "16777215", "8388608", "", "-1\n", " 12 ", "1e3", "0x10", "99999999999999999999"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, fromZero bool) {
		zero := int64(0)
		if fromZero {
			zero = hx711Zero
		}
		r, err := parse(text, zero)
		written, wrong := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		switch {
		case err != nil && len(err.Error()) > 400:
			t.Errorf("an error of %d bytes", len(err.Error()))
		case err != nil:
		case r <= -half || r >= half-1:
			t.Errorf("%q is %d, which is more than it can read", text, r)
		case wrong != nil || written != r+zero:
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
