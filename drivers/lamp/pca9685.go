package lamp

import (
	"errors"
	"fmt"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/devices/v3/pca9685"
)

// pca9685Lamps is how many outputs the chip has.
const pca9685Lamps = 16

// PCA9685 sets that chip up (data sheet PCA9685, NXP), with all lamps dark. Wiring: address 0x40 to 0x7F by six pins, but not
// 0x70, at which every such chip hears; OE to ground, a lamp of 25 mA between an output and ground with its resistor, or the
// gate of a transistor for more.
func PCA9685(bus i2c.Bus, addr uint16) (Bank, error) {
	p := &pca{bus: bus, addr: addr}
	err := p.setUp()
	if err != nil {
		return nil, fmt.Errorf("pca9685 at 0x%02x: %w", addr, err)
	}
	return p, nil
}

type pca struct {
	bus  i2c.Bus
	addr uint16
	dev  *pca9685.Dev
	lit  uint64
}

const (
	// asleep is the bit of register MODE1 that a chip has after a reset, its outputs off.
	asleep = 1 << 4
	// allOff is register ALL_LED_OFF_H, and fully its bit that has all outputs off whatever else they are told.
	allOff, fully = 0xFD, 1 << 4
	// allCall is the address of all chips.
	allCall = 0x70
)

func (p *pca) setUp() (err error) {
	if p.addr < 0x40 || p.addr > 0x7F || p.addr == allCall {
		return fmt.Errorf("want an address from 0x40 to 0x7f, but not 0x%02x", allCall)
	}
	if p.dev, err = pca9685.NewI2C(p.bus, p.addr); err != nil {
		return err
	}
	// It leaves outputs whose times to go on and off are equal, which they never should be (section 7.3.4).
	return p.bus.Tx(p.addr, []byte{allOff, fully}, nil)
}

func (p *pca) Light(on uint64) error {
	if err := p.light(on); err != nil {
		return fmt.Errorf("pca9685 at 0x%02x: %w", p.addr, err)
	}
	return nil
}

func (p *pca) light(on uint64) error {
	var mode [1]byte
	if err := p.bus.Tx(p.addr, []byte{0}, mode[:]); err != nil {
		return err
	}
	if mode[0]&asleep != 0 {
		return errors.New("it was reset; check its supply")
	}
	for i := range pca9685Lamps {
		bit := uint64(1) << i
		if (on^p.lit)&bit == 0 {
			continue
		}
		set := p.dev.SetFullOff
		if on&bit != 0 {
			set = p.dev.SetFullOn
		}
		if err := set(i); err != nil {
			return err
		}
		p.lit ^= bit
	}
	return nil
}

func (p *pca) Close() error { return p.Light(0) }
