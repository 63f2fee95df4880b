// Package bus opens the I²C and SPI buses of the board, through the kernel's /dev/i2c-* and /dev/spidev*.
//
// Transfers are those of periph.io's package sysfs, which is opened by number here: its host.Init, which would look for
// everything a board may have, is never called. On a Raspberry Pi 5 it closes file descriptor 0, and the next file to be
// opened gets that number.
//
// The user needs the groups i2c and spi. Speed is the kernel's: 100 kHz on most boards; on a Raspberry Pi,
// dtparam=i2c_arm_baudrate=400000 makes displays four times as fast.
package bus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/host/v3/sysfs"
)

// I2C is an I²C bus, opened when it is first used, and opened again after it failed. Devices that share a bus share its
// I2C, because a multiplexer's channel must stay open for the whole of a transfer. It is a periph i2c.Bus; any goroutine
// may use it.
type I2C struct {
	path string
	open func(path string) (i2c.BusCloser, error)

	mu   sync.Mutex
	file i2c.BusCloser   // nil while it is not open
	real string          // the device that path led to when it was opened
	used map[uint16]bool // multiplexers that may have a channel open
}

// NewI2C names the bus at a path such as /dev/i2c-1. It touches no hardware.
func NewI2C(path string) *I2C {
	return &I2C{path: path, open: openI2C, used: map[uint16]bool{}}
}

// Over is an I2C on a bus that is open already, such as a simulated one.
func Over(b i2c.BusCloser) *I2C {
	return &I2C{path: b.String(), open: func(string) (i2c.BusCloser, error) { return b, nil }, used: map[uint16]bool{}}
}

func openI2C(path string) (i2c.BusCloser, error) {
	n, err := number(path, "i2c-%d")
	if err != nil {
		return nil, err
	}
	return sysfs.NewI2C(n[0])
}

// number gives the numbers in the name of a device, which a path may be a link to.
func number(path, pattern string) (n [2]int, err error) {
	real, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return n, fmt.Errorf("%w; switch the bus on in the board's configuration", err)
	case err != nil:
		return n, err
	}
	f, err := os.OpenFile(real, os.O_RDWR, 0)
	if errors.Is(err, os.ErrPermission) {
		return n, fmt.Errorf("%w; add the user to the device's group, i2c or spi", err)
	}
	if err != nil {
		return n, err
	}
	if err := f.Close(); err != nil {
		return n, err
	}
	if got, _ := fmt.Sscanf(filepath.Base(real), pattern, &n[0], &n[1]); got == 0 {
		return n, fmt.Errorf("%s: want a device such as /dev/"+pattern, path, 1, 0)
	}
	return n, nil
}

// Tx writes w to the device with an address, then reads r from it, as one transfer.
func (b *I2C) Tx(addr uint16, w, r []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tx(addr, w, r)
}

// tx is Tx. The caller holds mu.
func (b *I2C) tx(addr uint16, w, r []byte) error {
	if b.file == nil {
		file, err := b.open(b.path)
		if err != nil {
			return fmt.Errorf("bus: %w", err)
		}
		b.file = file
		b.real, _ = filepath.EvalSymlinks(b.path) // "" for one that has just gone
	}
	err := b.file.Tx(addr, w, r)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("bus: %s, device 0x%02x: %w; check its address, its supply, and the wires SDA and SCL", b.path, addr, err)
	// An adapter that was unplugged comes back as another device, while this one is held; a link leads to that.
	if real, gone := filepath.EvalSymlinks(b.path); gone != nil || real != b.real {
		err = errors.Join(err, b.file.Close())
		b.file = nil
	}
	return err
}

// SetSpeed is refused: the kernel's configuration sets it.
func (b *I2C) SetSpeed(physic.Frequency) error {
	return errors.New("bus: the speed is set in the board's configuration")
}

// String gives the path of the bus.
func (b *I2C) String() string { return b.path }

// Close closes the bus until it is used again.
func (b *I2C) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	b.file = nil
	return err
}

// Channel gives the bus behind a channel, 0 to 7, of a multiplexer TCA9548A with an address, 0x70 to 0x77 (data sheet
// SCPS207). The channel is selected before each transfer, so that a multiplexer that lost its supply needs no care, and
// those of other multiplexers are closed, so that two devices with one address never answer together. One that does not
// answer, though it is asked three times, has no supply, and so none open: it keeps nobody from the others.
func (b *I2C) Channel(mux uint16, channel int) (i2c.Bus, error) {
	if mux < 0x70 || mux > 0x77 || channel < 0 || channel > 7 {
		return nil, fmt.Errorf("bus: multiplexer 0x%02x, channel %d: want 0x70 to 0x77, and 0 to 7", mux, channel)
	}
	return &channelBus{b, mux, channel}, nil
}

type channelBus struct {
	bus     *I2C
	mux     uint16
	channel int
}

func (c *channelBus) Tx(addr uint16, w, r []byte) error {
	b := c.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	for mux := range b.used {
		if mux != c.mux && b.shut(mux) {
			delete(b.used, mux)
		}
	}
	b.used[c.mux] = true
	if err := b.tx(c.mux, []byte{1 << c.channel}, nil); err != nil {
		return fmt.Errorf("select channel %d: %w", c.channel, err)
	}
	return b.tx(addr, w, r)
}

// shutTries is how often a multiplexer is told to close its channels, before it counts as gone.
const shutTries = 3

// shut closes the channels of a multiplexer; false for one that is gone. The caller holds mu.
func (b *I2C) shut(mux uint16) bool {
	for range shutTries {
		if b.tx(mux, []byte{0}, nil) == nil {
			return true
		}
	}
	return false
}

func (c *channelBus) SetSpeed(f physic.Frequency) error { return c.bus.SetSpeed(f) }

func (c *channelBus) String() string {
	return fmt.Sprintf("%s behind 0x%02x, channel %d", c.bus, c.mux, c.channel)
}
