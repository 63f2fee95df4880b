// Package mcp23017 drives the MCP23017, a chip with 16 pins on an I²C bus (data sheet DS20001952): contacts of a panel's
// keys and encoder, and lamps. Start with [New]; [Dev.Watch] tells of contacts, [Dev.Light] sets lamps.
//
// # Wiring
//
// Address 0x20 to 0x27 by the pins A0 to A2; RESET to 3.3 V. A contact goes between its pin and ground: the chip pulls the
// pin up, and a closed contact counts as active. GPA7 and GPB7 can only be outputs (data sheet, section 1.3). A lamp goes
// between pin and ground with a resistor, 25 mA at most. INTA, which speaks for both sides and is open drain, goes to a
// line of the board with a pull-up, opened active low; without it the chip is asked every 10 ms.
//
// # Why not another's driver
//
// Those of periph.io and TinyGo read levels alone: they leave out the chip's interrupt and what it captures, without which a
// short press between two reads is lost, and they do not notice a chip that was reset and hears nothing any more.
//
// # Interrupts
//
// INT is a level: it stays until the captured state has been read, and a chip that nobody reads never pulls it again. So
// the chip is read until the line is free, once at the start, and now and then whatever the line says.
package mcp23017

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/gpiocdev"
)

// Registers with IOCON.BANK clear, as it is after a reset (table 3-1). Each is followed by the one of side B.
const (
	regIODIR   = 0x00
	regIPOL    = 0x02
	regGPINTEN = 0x04
	regINTCON  = 0x08
	regIOCON   = 0x0A
	regGPPU    = 0x0C
	regINTF    = 0x0E
	regOLAT    = 0x14
)

// configuration has INTA speak for both sides, open drain.
const configuration = 0x40 | 0x04

// outputsOnly are GPA7 and GPB7.
const outputsOnly = 1<<7 | 1<<15

const (
	debounce     = 5 * time.Millisecond
	pollAlone    = 10 * time.Millisecond  // without an interrupt
	pollBackstop = 200 * time.Millisecond // with one
	mostReads    = 16                     // until the interrupt should be free
)

// Options describe what is at the pins, GPA0 to GPA7 in the low byte, GPB0 to GPB7 in the high one.
type Options struct {
	// Addr is the chip's address, 0x20 to 0x27.
	Addr uint16
	// Inputs are the pins with a contact, Outputs those with a lamp.
	Inputs, Outputs uint16
	// Quick are the inputs that are not debounced, an encoder's.
	Quick uint16
	// Debounce is how long a pin is not heard after it has changed, 0 for 5 ms.
	Debounce time.Duration
	// Interrupt is the line that INTA is wired to, active when the chip pulls it; nil if there is none.
	Interrupt gpiocdev.Edges
}

// Dev is a chip at work. Its methods may be called from any goroutine, but Watch only from one at a time.
type Dev struct {
	bus i2c.Bus
	opt Options

	mu   sync.Mutex
	told uint16 // contacts told to be closed

	quiet [16]time.Time // until when a pin is not heard; of Watch's goroutine
}

var _ gpiocdev.Edges = (*Dev)(nil)

// New sets a chip up, with all lamps dark. What happened before is forgotten. It fails where there is no such chip.
func New(bus i2c.Bus, o Options) (*Dev, error) {
	d := &Dev{bus: bus, opt: o}
	if o.Debounce == 0 {
		d.opt.Debounce = debounce
	}
	var err error
	switch {
	case o.Debounce < 0:
		err = fmt.Errorf("debounce of %v: want a time above 0, or 0 for %v", o.Debounce, debounce)

	case o.Addr < 0x20 || o.Addr > 0x27:
		err = errors.New("want an address from 0x20 to 0x27")
	case o.Inputs&o.Outputs != 0:
		err = fmt.Errorf("pins %v are inputs and outputs", pins(o.Inputs&o.Outputs))
	case o.Inputs&outputsOnly != 0:
		err = fmt.Errorf("pins %v can only be outputs", pins(o.Inputs&outputsOnly))
	default:
		err = d.setUp()
	}
	if err != nil {
		return nil, d.fault(err)
	}
	return d, nil
}

func (d *Dev) fault(err error) error { return fmt.Errorf("mcp23017 at 0x%02x: %w", d.opt.Addr, err) }

func (d *Dev) setUp() error {
	in := d.opt.Inputs
	for _, w := range []struct {
		reg   byte
		value uint16
	}{
		{regIOCON, configuration | configuration<<8},
		{regGPINTEN, 0},
		{regOLAT, 0}, // quiet and dark while the rest changes
		{regIODIR, ^d.opt.Outputs},
		{regIPOL, in},
		{regGPPU, in},
		{regINTCON, 0}, // on every change; compared with DEFVAL, INT would stay as long as a key is down
		{regGPINTEN, in},
	} {
		if err := d.write(w.reg, w.value); err != nil {
			return err
		}
	}
	if err := d.check(); err != nil {
		return err
	}
	now, err := d.read()
	d.told = now.level
	return err
}

// check sees to it that the chip is one, and still set up: its configuration, one register at two addresses, is 0 after a
// reset, whatever is at the pins.
func (d *Dev) check() error {
	var got [2]byte
	if err := d.bus.Tx(d.opt.Addr, []byte{regIOCON}, got[:]); err != nil {
		return err
	}
	if got != [2]byte{configuration, configuration} {
		return fmt.Errorf("configuration reads % x, want %02x twice: no MCP23017, or it was reset; check its supply and RESET", got, configuration)
	}
	return nil
}

func (d *Dev) write(reg byte, v uint16) error {
	return d.bus.Tx(d.opt.Addr, []byte{reg, byte(v), byte(v >> 8)}, nil)
}

// snapshot is what one read gives, for the inputs.
type snapshot struct {
	changed  uint16 // since the last read
	captured uint16 // the levels at the first change
	level    uint16 // now
}

// read takes what the chip has captured, and so frees its interrupt.
func (d *Dev) read() (snapshot, error) {
	var b [6]byte
	if err := d.bus.Tx(d.opt.Addr, []byte{regINTF}, b[:]); err != nil {
		return snapshot{}, err
	}
	pair := func(i int) uint16 { return (uint16(b[i]) | uint16(b[i+1])<<8) & d.opt.Inputs }
	return snapshot{pair(0), pair(2), pair(4)}, nil
}

// Levels gives which contacts are closed, as they were told last; bit i is pin i.
func (d *Dev) Levels() (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return uint64(d.told), nil
}

// Light lights the outputs whose bits are set, and darkens the others.
func (d *Dev) Light(on uint64) error {
	if err := d.write(regOLAT, uint16(on)&d.opt.Outputs); err != nil {
		return d.fault(err)
	}
	return nil
}

// Close darkens the lamps. The chip stays set up.
func (d *Dev) Close() error { return d.Light(0) }

// Watch tells of each contact that closes or opens until ctx ends, and then returns nil. The error is the chip's: it no
// longer answers, or was reset.
func (d *Dev) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	err := d.watch(ctx, tell)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return d.fault(err)
}

func (d *Dev) watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	ctx, stop := context.WithCancel(ctx)
	interrupt, ended := make(chan struct{}, 1), make(chan error, 1)
	poll := pollAlone
	if line := d.opt.Interrupt; line != nil {
		poll = pollBackstop
		go func() {
			ended <- line.Watch(ctx, func(e gpiocdev.Edge) {
				select {
				case interrupt <- struct{}{}:
				default: // one is as good as many
				}
			})
		}()
		defer func() { <-ended }()
	}
	defer stop()
	timer := time.NewTimer(0) // stale interrupts of before are taken at once
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended <- err
			return fmt.Errorf("interrupt line: %w", err)
		case <-interrupt:
		case <-timer.C:
			if err := d.check(); err != nil {
				return err
			}
		}
		if err := d.serve(tell); err != nil {
			return err
		}
		timer.Reset(d.pause(poll))
	}
}

// pause is how long until the chip is read with no interrupt: when a pin that was not heard is to be heard again, or poll.
func (d *Dev) pause(poll time.Duration) time.Duration {
	for _, until := range d.quiet {
		if left := time.Until(until); left > 0 {
			poll = min(poll, left)
		}
	}
	return poll
}

// serve reads the chip until its interrupt is free.
func (d *Dev) serve(tell func(gpiocdev.Edge)) error {
	for range mostReads {
		s, err := d.read()
		if err != nil {
			return err
		}
		now := time.Now()
		d.take(d.told&^s.changed|s.captured&s.changed, now, tell)
		d.take(s.level, now, tell)
		if d.opt.Interrupt == nil {
			return nil
		}
		if active, err := d.opt.Interrupt.Levels(); err != nil || active&1 == 0 {
			return err
		}
	}
	return nil // something else holds the line, or a pin flutters: the chip is read again when it is time
}

// take tells of the contacts that are not as told, unless they are not heard.
func (d *Dev) take(level uint16, now time.Time, tell func(gpiocdev.Edge)) {
	together := false
	for left := level ^ d.told; left != 0; left &= left - 1 {
		pin := bits.TrailingZeros16(left)
		bit := uint16(1) << pin
		if d.opt.Quick&bit == 0 {
			if now.Before(d.quiet[pin]) {
				continue
			}
			d.quiet[pin] = now.Add(d.opt.Debounce)
		}
		d.mu.Lock()
		d.told ^= bit
		d.mu.Unlock()
		tell(gpiocdev.Edge{Line: pin, Active: level&bit != 0, At: now, Together: together})
		together = true
	}
}

// pins names pins as the data sheet does.
func pins(set uint16) (names []string) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros16(set)
		names = append(names, fmt.Sprintf("GP%c%d", 'A'+i/8, i%8))
	}
	return names
}
