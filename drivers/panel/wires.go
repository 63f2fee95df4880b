package panel

import (
	"errors"
	"time"

	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/mcp23017"
)

// debounce is how long a key's level must last before it counts.
const debounce = 5 * time.Millisecond

// Lines are the lines of a board that a panel hangs on.
type Lines struct {
	// Chip is where they are, see package gpiocdev.
	Chip string
	// Contacts are the lines of the contacts, active low, in the order of [Options].
	Contacts []string
	// Quick are the contacts of the encoder, bit i for contact i.
	Quick uint64
	// Lamps are the lines of the lamps, lit when high.
	Lamps []string
}

// GPIO takes the lines.
func GPIO(l Lines) (Wires, error) {
	in, err := gpiocdev.OpenInputs(l.Chip, l.Contacts, gpiocdev.InputOptions{
		ActiveLow: true, Bias: gpiocdev.PullUp, Debounce: debounce, Quick: l.Quick,
	})
	if err != nil || len(l.Lamps) == 0 {
		return board{Inputs: in}, err
	}
	out, err := gpiocdev.OpenOutputs(l.Chip, l.Lamps, gpiocdev.OutputOptions{})
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return board{in, out}, nil
}

// board is a panel's lines. out is nil if there are no lamps.
type board struct {
	*gpiocdev.Inputs
	out *gpiocdev.Outputs
}

func (b board) Light(on uint64) error {
	if b.out == nil {
		return nil
	}
	return b.out.Set(^uint64(0), on)
}

func (b board) Close() error {
	if b.out == nil {
		return b.Inputs.Close()
	}
	return errors.Join(b.Inputs.Close(), b.out.Close())
}

// Expander sets an MCP23017 up. Its contacts are the lines 0 to 15, its lamps at the given pins, which are its outputs.
// interrupt gives the line that INTA is wired to; it is nil if there is none.
func Expander(bus i2c.Bus, o mcp23017.Options, lamps []int, interrupt func() (*gpiocdev.Inputs, error)) (Wires, error) {
	e := expander{lamps: lamps}
	var err error
	if interrupt != nil {
		if e.interrupt, err = interrupt(); err != nil {
			return nil, err
		}
		o.Interrupt = e.interrupt
	}
	if e.Dev, err = mcp23017.New(bus, o); err != nil {
		return nil, errors.Join(err, e.free())
	}
	return e, nil
}

// expander is a panel's chip. interrupt is nil if it is polled.
type expander struct {
	*mcp23017.Dev
	lamps     []int
	interrupt *gpiocdev.Inputs
}

func (e expander) Light(on uint64) error {
	var pins uint64
	for i, pin := range e.lamps {
		pins |= on >> i & 1 << pin
	}
	return e.Dev.Light(pins)
}

func (e expander) Close() error { return errors.Join(e.Dev.Close(), e.free()) }

func (e expander) free() error {
	if e.interrupt == nil {
		return nil
	}
	return e.interrupt.Close()
}
