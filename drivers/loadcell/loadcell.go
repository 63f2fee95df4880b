// Package loadcell reads load cells through the kernel's industrial I/O, of which the driver for the HX711 is one
// (CONFIG_HX711). Start with [New] and [Dev.Run]; samples come out of [Dev.Reports].
//
// The HX711 (data sheet HX711, Avia Semiconductor) takes 24 clocks for a sample and switches itself off if one of them
// lasts for 60 µs, which a program cannot promise: half of its samples would be -1. The kernel's driver holds off
// interrupts meanwhile, and waits until a sample is ready.
//
// # Wiring
//
// E+ and E- to the cell's bridge, A+ and A- to its output, DOUT and PD_SCK to two lines named in the device tree, there
// with compatible = "avia,hx711". Ten samples a second with RATE at ground. The cell needs 400 ms to settle after a change.
package loadcell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tavolo/drivers/port"
)

// Sample is what a converter has read, neither tared nor scaled: 24 bits, from -8388608 to 8388607.
type Sample struct {
	Reading int64
	At      time.Time
}

// Report is what comes from a load cell: a [Sample] or a [port.State].
type Report any

// Options describe a load cell.
type Options struct {
	// Path is the folder of the device, such as /sys/bus/iio/devices/iio:device0, best by a link that udev makes.
	Path string
	// Channel is 0 for inputs A at a gain of 128, which a cell is wired to, 1 for inputs B.
	Channel int
	// Every is how often a sample is taken, 0 for a quarter of a second.
	Every time.Duration
}

const usualEvery = 250 * time.Millisecond

// Dev is a load cell.
type Dev struct {
	opt     Options
	reports chan Report
	state   port.State // told last; of Run's goroutine
}

// New describes a load cell. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Path == "" {
		return nil, errors.New("loadcell: path of the device is missing")
	}
	if o.Channel < 0 || o.Channel > 1 {
		return nil, fmt.Errorf("loadcell: channel %d: want 0 or 1", o.Channel)
	}
	if o.Every < 0 {
		return nil, fmt.Errorf("loadcell: a sample every %v: want a time above 0, or 0 for %v", o.Every, usualEvery)
	}
	if o.Every == 0 {
		o.Every = usualEvery
	}
	return &Dev{opt: o, reports: make(chan Report, 8)}, nil
}

// Reports is where samples and changes of state come out, in order. It is closed when Run returns. While nobody takes
// them no more are read.
func (d *Dev) Reports() <-chan Report { return d.reports }

// Run reads the cell until ctx ends, through failures, and then returns nil. It is called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	return port.Retry(ctx, func(err error) { d.become(ctx, err) }, d.work)
}

func (d *Dev) work(ctx context.Context) error {
	tick := time.NewTicker(d.opt.Every)
	defer tick.Stop()
	for {
		reading, err := d.read()
		if err != nil {
			return fmt.Errorf("loadcell: %w", err)
		}
		d.become(ctx, nil)
		d.tell(ctx, Sample{reading, time.Now()})
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// become tells that the cell is up, or lost, if that is news.
func (d *Dev) become(ctx context.Context, err error) {
	if d.state.Become(err) {
		d.tell(ctx, d.state)
	}
}

func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}

// read takes a sample.
func (d *Dev) read() (int64, error) {
	file := filepath.Join(d.opt.Path, fmt.Sprintf("in_voltage%d_raw", d.opt.Channel))
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, fmt.Errorf("%w; want a kernel with CONFIG_HX711 and the device in the device tree", err)
	case errors.Is(err, os.ErrPermission):
		return 0, fmt.Errorf("%w; let the user's group read it by a rule of udev", err)
	case err != nil:
		return 0, fmt.Errorf("%w; check the wires of DOUT and PD_SCK", err)
	}
	reading, err := parse(string(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return reading, nil
}

// parse reads what the kernel's file says.
func parse(text string) (int64, error) {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || v < 0 || v > 0xFF_FFFF {
		return 0, fmt.Errorf("%.40q: want a number of 24 bits", text)
	}
	return signed(v)
}

// half is the reading of nothing: the kernel's driver turns two's complement into numbers from 0 on.
const half = 0x80_0000

// signed undoes that. The converter's ends stand for whatever is beyond them.
func signed(v int64) (int64, error) {
	switch r := v - half; r {
	case half - 1, -half:
		return r, fmt.Errorf("reading %d: the cell is overloaded, or a wire of its bridge is off; take the load off, check the four wires", r)
	default:
		return r, nil
	}
}
