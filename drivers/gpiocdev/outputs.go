package gpiocdev

import (
	"fmt"
	"os"
)

// OutputOptions say how lines are driven.
type OutputOptions struct {
	// Consumer is what gpioinfo shows as the user of the lines; "tavolo" by default.
	Consumer string
	// ActiveLow lines are at 0 V when they are active.
	ActiveLow bool
	// OpenDrain lines are pulled down and let go, never driven up.
	OpenDrain bool
	// Initial are the lines that are active from the first moment on, bit i for line i.
	Initial uint64
}

// Outputs are lines that this program drives. Any goroutine may call its methods.
type Outputs struct {
	file  *os.File
	lines uint64 // a bit for each
}

// OpenOutputs takes lines of one chip and drives them at once to Initial: no level between that and what the line was
// before shows on the wire. It fails with [ErrBusy] where a line is taken. At most 64 lines fit.
func OpenOutputs(chip string, lines []string, o OutputOptions) (*Outputs, error) {
	r := lineRequest{flags: flagOutput}
	if o.ActiveLow {
		r.flags |= flagActiveLow
	}
	if o.OpenDrain {
		r.flags |= flagOpenDrain
	}
	all := lineMask(len(lines))
	r.attrs[0], r.attrsN = configAttribute{lineAttribute{id: attrOutputValues, value: o.Initial & all}, all}, 1
	f, err := request(chip, lines, o.Consumer, &r)
	if err != nil {
		return nil, err
	}
	return &Outputs{f, all}, nil
}

// Set makes the lines of mask active where active has their bit, and inactive where not, all at once. Bit i is line i.
func (o *Outputs) Set(mask, active uint64) error {
	if err := ioctl(o.file, ioctlSetValues, &lineValues{active, mask & o.lines}); err != nil {
		return fmt.Errorf("gpiocdev: set %s: %w", o.file.Name(), err)
	}
	return nil
}

// Close makes every line inactive and gives the lines back.
func (o *Outputs) Close() error {
	err := o.Set(o.lines, 0)
	if err := o.file.Close(); err != nil {
		return fmt.Errorf("gpiocdev: close: %w", err)
	}
	return err
}

func lineMask(n int) uint64 { return 1<<n - 1 } // a shift by 64 gives 0, and so all bits
