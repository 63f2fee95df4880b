package gpiocdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// devices is where the kernel's chips are.
const devices = "/dev"

// ErrBusy says that a line is held by another program, or by a driver in the kernel.
var ErrBusy = errors.New("line is in use")

// chip is a chip that is open.
type chip struct {
	*os.File
	info chipInfo
	err  error // why it is not open: it may be another program's, and not the one that is asked for
}

// openChips opens every chip there is, as far as it may be. Links to chips are passed over.
func openChips(dir string) (_ []chip, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var chips []chip
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "gpiochip") || e.Type() == os.ModeSymlink {
			continue
		}
		c := chip{}
		if c.File, c.err = os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0); c.err == nil {
			if c.err = ioctl(c.File, ioctlChipInfo, &c.info); c.err != nil {
				c.err = fmt.Errorf("%s is no GPIO chip: %w", c.Name(), c.err)
			}
		}
		if errors.Is(c.err, os.ErrPermission) {
			c.err = fmt.Errorf("%w; add the user to the group gpio", c.err)
		}
		chips = append(chips, c)
	}
	if len(chips) == 0 {
		return nil, fmt.Errorf("no GPIO chip in %s: want a kernel with CONFIG_GPIO_CDEV and the driver of this board's chip", dir)
	}
	return chips, nil
}

func closeAll(chips []chip) error {
	var errs []error
	for _, c := range chips {
		if c.File != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// choose gives the place of the chip with a name, or where there is none of the only one that has all the lines. Chips that
// could not be opened are told of if none of the others fits.
func choose(chips []chip, name string, lines []string) (int, error) {
	var all, fit []string
	var shut error
	at := -1
	for i, c := range chips {
		if c.err != nil {
			shut = errors.Join(shut, c.err)
			continue
		}
		all = append(all, c.String())
		ok := c.is(name)
		if name == "" {
			_, err := c.offsets(lines)
			ok = err == nil
		}
		if ok {
			at = i
			fit = append(fit, c.String())
		}
	}
	switch {
	case len(fit) > 1:
		return 0, fmt.Errorf("%s fit: want the path of the chip", strings.Join(fit, " and "))
	case at >= 0:
		return at, nil
	case len(all) == 0:
		return 0, shut
	case name == "":
		err := fmt.Errorf("no chip has the lines %s: want names as gpioinfo lists them; the chips are %s",
			strings.Join(lines, ", "), strings.Join(all, ", "))
		return 0, errors.Join(err, shut)
	}
	return 0, errors.Join(fmt.Errorf("no chip %q: want the label of one of %s", name, strings.Join(all, ", ")), shut)
}

// is whether the chip goes by a name: its label, its kernel name, its path or a link to that.
func (c *chip) is(name string) bool {
	if name == text(c.info.label) || name == text(c.info.name) || name == c.Name() {
		return name != ""
	}
	path, err := filepath.EvalSymlinks(name)
	return err == nil && path == c.Name()
}

func (c *chip) String() string {
	return fmt.Sprintf("%s [%s]", text(c.info.name), text(c.info.label))
}

// offsets are the numbers of lines on the chip.
func (c *chip) offsets(lines []string) ([]uint32, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	out := make([]uint32, len(lines))
	for i, line := range lines {
		at, err := strconv.ParseUint(line, 10, 32)
		if err != nil {
			at = uint64(slices.Index(names, line)) // very large for none
		}
		if line == "" || at >= uint64(len(names)) {
			return nil, fmt.Errorf("no line %q: want a name as gpioinfo lists them, or 0 to %d", line, len(names)-1)
		}
		out[i] = uint32(at)
		if slices.Contains(out[:i], out[i]) {
			return nil, fmt.Errorf("line %q is asked for twice", line)
		}
	}
	return out, nil
}

// names are the names of the chip's lines, "" for those that have none.
func (c *chip) names() ([]string, error) {
	names := make([]string, c.info.lines)
	for i := range names {
		info := lineInfo{offset: uint32(i)}
		if err := ioctl(c.File, ioctlLineInfo, &info); err != nil {
			return nil, fmt.Errorf("line %d: %w", i, err)
		}
		names[i] = text(info.name)
	}
	return names, nil
}

// request takes lines of the chip of a name from the kernel. r says how; its lines are filled in.
func request(name string, lines []string, consumer string, r *lineRequest) (*os.File, error) {
	f, err := take(name, lines, consumer, r)
	if err != nil {
		return nil, fmt.Errorf("gpiocdev: %w", err)
	}
	return f, nil
}

func take(name string, lines []string, consumer string, r *lineRequest) (_ *os.File, err error) {
	if len(lines) == 0 || len(lines) > maxLines {
		return nil, fmt.Errorf("%d lines: want 1 to %d", len(lines), maxLines)
	}
	chips, err := openChips(devices)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeAll(chips)) }()
	i, err := choose(chips, name, lines)
	if err != nil {
		return nil, err
	}
	c := &chips[i]
	at, err := c.offsets(lines)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	copy(r.offsets[:], at)
	r.linesN = uint32(len(at))
	if consumer == "" {
		consumer = "tavolo"
	}
	copy(r.consumer[:nameSize-1], consumer)
	if err := ioctl(c.File, ioctlGetLine, r); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c, strings.Join(lines, ", "), c.refused(lines, at, err))
	}
	if err := unix.SetNonblock(int(r.fd), true); err != nil {
		return nil, errors.Join(err, unix.Close(int(r.fd)))
	}
	return os.NewFile(uintptr(r.fd), "lines of "+c.String()), nil
}

// refused says why the kernel did not give lines.
func (c *chip) refused(lines []string, at []uint32, err error) error {
	switch {
	case errors.Is(err, unix.ENOTTY), errors.Is(err, unix.EINVAL):
		return fmt.Errorf("%w; want a kernel from 5.10 on, and a chip that can do what is asked for", err)
	case !errors.Is(err, unix.EBUSY):
		return err
	}
	var held []string
	for i, offset := range at {
		info := lineInfo{offset: offset}
		if ioctl(c.File, ioctlLineInfo, &info) == nil && info.flags&flagUsed != 0 {
			held = append(held, fmt.Sprintf("%s by %q", lines[i], text(info.consumer)))
		}
	}
	return fmt.Errorf("%w: %s; stop it or choose another line", ErrBusy, strings.Join(held, ", "))
}
