package sim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// GPIO is a chip of the kernel's module gpio-sim: its lines are real to every program, and what is wired to them is up
// to the owner of the GPIO. Making one needs root, the module, and configfs at /sys/kernel/config.
type GPIO struct {
	config string // folder of the chip in configfs
	lines  string // folder of its lines in sysfs
}

const gpioSim = "/sys/kernel/config/gpio-sim"

// HasGPIO is whether this machine can simulate chips.
func HasGPIO() bool {
	_, err := os.Stat(gpioSim)
	return err == nil
}

// NewGPIO makes a chip with a label and lines of the given names, "" for a line without one.
func NewGPIO(label string, lines ...string) (*GPIO, error) {
	g := &GPIO{config: filepath.Join(gpioSim, label)}
	if err := g.make(label, lines); err != nil {
		return nil, errors.Join(fmt.Errorf("sim: GPIO chip %s: %w", label, err), g.Close())
	}
	return g, nil
}

func (g *GPIO) make(label string, lines []string) error {
	bank := filepath.Join(g.config, "bank0")
	if err := os.MkdirAll(bank, 0o755); err != nil {
		return err
	}
	attributes := [][2]string{{"num_lines", strconv.Itoa(len(lines))}, {"label", label}}
	for i, name := range lines {
		if name == "" {
			continue
		}
		line := "line" + strconv.Itoa(i)
		if err := os.Mkdir(filepath.Join(bank, line), 0o755); err != nil {
			return err
		}
		attributes = append(attributes, [2]string{line + "/name", name})
	}
	attributes = append(attributes, [2]string{"../live", "1"})
	for _, a := range attributes {
		if err := os.WriteFile(filepath.Join(bank, a[0]), []byte(a[1]), 0o600); err != nil {
			return err
		}
	}
	device, err := os.ReadFile(filepath.Join(g.config, "dev_name"))
	if err != nil {
		return err
	}
	chip, err := os.ReadFile(filepath.Join(bank, "chip_name"))
	if err != nil {
		return err
	}
	g.lines = filepath.Join("/sys/devices/platform", strings.TrimSpace(string(device)), strings.TrimSpace(string(chip)))
	return nil
}

// Pull pulls a line up or down from outside, as a contact does, whoever reads it.
func (g *GPIO) Pull(line int, up bool) error {
	how := "pull-down"
	if up {
		how = "pull-up"
	}
	return os.WriteFile(g.attribute(line, "pull"), []byte(how), 0o600)
}

// High is whether a line is high on the wire, whoever drives it.
func (g *GPIO) High(line int) (bool, error) {
	b, err := os.ReadFile(g.attribute(line, "value"))
	return strings.TrimSpace(string(b)) == "1", err
}

// Levels are those of the lines from the first on, as many as asked for, bit i for line first+i.
func (g *GPIO) Levels(first, n int) (levels uint64, _ error) {
	for i := range n {
		high, err := g.High(first + i)
		if err != nil {
			return 0, err
		}
		if high {
			levels |= 1 << i
		}
	}
	return levels, nil
}

func (g *GPIO) attribute(line int, name string) string {
	return filepath.Join(g.lines, "sim_gpio"+strconv.Itoa(line), name)
}

// Close takes the chip away, as if its board were pulled out.
func (g *GPIO) Close() error {
	live := filepath.Join(g.config, "live")
	if _, err := os.Stat(live); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	err := os.WriteFile(live, []byte("0"), 0o600)
	named, _ := filepath.Glob(filepath.Join(g.config, "bank0", "line*")) // the pattern is a constant
	for _, folder := range append(named, filepath.Join(g.config, "bank0"), g.config) {
		err = errors.Join(err, os.Remove(folder))
	}
	return err
}
