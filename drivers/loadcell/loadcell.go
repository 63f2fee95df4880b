// Package loadcell reads load cells through the kernel's industrial I/O, which has drivers for two converters made for them.
// Start with [New] and [Dev.Run]; samples come out of [Dev.Reports].
//
// The HX711 (data sheet HX711, Avia Semiconductor; CONFIG_HX711) takes 24 clocks for a sample and switches itself off if one
// of them lasts for 60 µs, which a program cannot promise: half of its samples would be -1. The kernel's driver holds off
// interrupts meanwhile, and waits until a sample is ready.
//
// The NAU7802 (data sheet NAU7802, Nuvoton, revision 1.7; CONFIG_NAU7802) is on I²C, always at 0x2a: several are behind a
// multiplexer, for which the kernel has a driver too. The kernel starts it at a gain of 1, where a cell would fill a
// hundredth of its range, so this package sets it to 128.
//
// # Wiring
//
// E+ and E- to the cell's bridge, A+ and A- (VIN1P and VIN1N) to its output. Of an HX711, DOUT and PD_SCK go to two lines
// named in the device tree, there with compatible = "avia,hx711"; RATE is at ground for ten samples a second. Of an NAU7802,
// E+ is AVDD, whose voltage the device tree gives beside compatible = "nuvoton,nau7802" as nuvoton,vldo = <3300>; DRDY best
// goes to a line that is its interrupt there: without one, the kernel's driver keeps a core busy for each conversion, and
// for ever if the converter stops. The cell needs 400 ms to settle after a change.
//
// Whoever runs the daemon needs to write in_voltage_scale of an NAU7802: a rule of udev gives it to a group.
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
	// Path is the folder of the device, such as /sys/bus/iio/devices/iio:device0, whose number goes by the order in which
	// the kernel found them. Better is the one it lies in, which says where it is wired: /sys/bus/i2c/devices/1-002a, or
	// /sys/devices/platform/ and the name of the HX711 in the device tree.
	Path string
	// Channel is 0 for inputs A or VIN1, which a cell is wired to, 1 for inputs B, which an HX711 reads at a gain of 32, or
	// VIN2.
	Channel int
	// Every is how often a sample is taken, 0 for a quarter of a second.
	Every time.Duration
}

const (
	usualEvery = 250 * time.Millisecond
	// patience is how long the kernel may take for a sample. That for the HX711 looks for two seconds for one that is gone.
	patience = 5 * time.Second
)

// Dev is a load cell.
type Dev struct {
	opt     Options
	reports chan Report

	// Of Run's goroutine:
	state port.State    // told last
	set   os.FileInfo   // the folder of the device whose gain was set last
	late  <-chan answer // of the kernel, which was not waited for any longer
}

// answer is what the kernel's file says.
type answer struct {
	text []byte
	err  error
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

// Run reads the cell until ctx ends, through failures, and then returns nil, also while the kernel does not answer. It is
// called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	return port.Retry(ctx, func(err error) { d.become(ctx, err) }, d.work)
}

func (d *Dev) work(ctx context.Context) error {
	c, err := d.open()
	if err != nil {
		return fmt.Errorf("loadcell: %w", err)
	}
	tick := time.NewTicker(d.opt.Every)
	defer tick.Stop()
	for {
		reading, err := d.read(ctx, c)
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

// converter is a device as it was found.
type converter struct {
	folder string
	zero   int64  // what the file says for a reading of nothing
	scale  string // what the kernel says of the gain that was set, "" where that is the only one
}

// hx711Zero is what the file says for a reading of nothing of an HX711, whose driver turns two's complement into numbers
// from 0 on. That for the NAU7802 does not.
const hx711Zero = half

// open finds the device, which has another number each time it comes back, and sets its gain.
func (d *Dev) open() (converter, error) {
	c := converter{folder: d.opt.Path}
	if found, err := filepath.Glob(filepath.Join(c.folder, "iio:device*")); err == nil && len(found) == 1 {
		c.folder = found[0]
	}
	name, err := c.attribute("name")
	if err != nil {
		return c, err
	}
	if name == "hx711" {
		c.zero = hx711Zero
		return c, nil
	}
	available, err := c.attribute("in_voltage_scale_available")
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	// All have as many digits, so the first of them by the alphabet is the smallest step, which is the highest gain.
	for scale := range strings.FieldsSeq(available) {
		if c.scale == "" || scale < c.scale {
			c.scale = scale
		}
	}
	if strings.Trim(c.scale, "0.") == "" {
		return c, fmt.Errorf("%s: its gains are %.80q; give the converter's nuvoton,vldo in the device tree", c.folder, available)
	}
	return c, d.setGain(c)
}

// setGain sets the highest gain. A device that had it set before, and is the same, was reset behind the back of the
// kernel's driver, which would wait for ever for a sample of it.
func (d *Dev) setGain(c converter) error {
	folder, err := os.Stat(c.folder)
	if err != nil {
		return explained(err)
	}
	is, err := c.attribute("in_voltage_scale")
	if err != nil {
		return err
	}
	if is != c.scale && os.SameFile(folder, d.set) {
		return fmt.Errorf("%s: the gain is not what was set: the converter lost its supply; check that, and write its name to unbind and bind of its driver in /sys/bus/i2c/drivers", c.folder)
	}
	if is != c.scale {
		if err := os.WriteFile(filepath.Join(c.folder, "in_voltage_scale"), []byte(c.scale), 0); err != nil {
			return explained(err)
		}
	}
	d.set = folder
	return nil
}

// attribute reads a file of the device that says a word or a line.
func (c converter) attribute(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(c.folder, name))
	if err != nil {
		return "", explained(err)
	}
	return strings.TrimSpace(string(text)), nil
}

const lookAtWires = "check the converter's supply and its wires: DOUT and PD_SCK, or SDA and SCL"

// explained says what to do about an error of the kernel's files.
func explained(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w; want a kernel with CONFIG_HX711 or CONFIG_NAU7802 and the device in the device tree", err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w; let the user's group at it by a rule of udev", err)
	default:
		return fmt.Errorf("%w; %s", err, lookAtWires)
	}
}

// read takes a sample, if the gain is still what was set.
func (d *Dev) read(ctx context.Context, c converter) (int64, error) {
	if c.scale != "" {
		if err := d.setGain(c); err != nil {
			return 0, err
		}
	}
	file := filepath.Join(c.folder, fmt.Sprintf("in_voltage%d_raw", d.opt.Channel))
	text, err := d.ask(ctx, file)
	if err != nil {
		return 0, err
	}
	reading, err := parse(text, c.zero)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return reading, nil
}

// ask reads a file that the kernel may take long over, or for ever: nothing ends a program's wait for it, so a goroutine
// waits, one at a time, and is left to it.
func (d *Dev) ask(ctx context.Context, file string) (string, error) {
	limit := time.After(patience)
	for {
		asked, late := d.late, d.late != nil
		if !late {
			answers := make(chan answer, 1)
			go func() {
				text, err := os.ReadFile(file)
				answers <- answer{text, err}
			}()
			asked = answers
		}
		select {
		case a := <-asked:
			d.late = nil
			if late {
				continue // it is old
			}
			if a.err != nil {
				return "", explained(a.err)
			}
			return string(a.text), nil
		case <-ctx.Done():
			d.late = asked
			return "", ctx.Err()
		case <-limit:
			d.late = asked
			return "", fmt.Errorf("read %s: no sample for %v; %s", file, patience, lookAtWires)
		}
	}
}

// half is half of the converter's range.
const half = 0x80_0000

// parse reads what the kernel's file says, which is so much for a reading of nothing. The converter's ends stand for
// whatever is beyond them.
func parse(text string, zero int64) (int64, error) {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || v < zero-half || v >= zero+half {
		return 0, fmt.Errorf("%.40q: want a number of 24 bits", text)
	}
	r := v - zero
	if r == half-1 || r == -half {
		return r, fmt.Errorf("reading %d: the cell is overloaded, or a wire of its bridge is off; take the load off, check the four wires", r)
	}
	return r, nil
}
