package lamp

import (
	"errors"
	"fmt"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/devices/v3/pca9685"
)

// pca9685Lamps is how many outputs the chip has.
const pca9685Lamps = 16

// PCA9685 sets that chip up (data sheet PCA9685, NXP), with all lamps dark. Wiring: address 0x40 to 0x7F by six pins, OE to
// ground, a lamp of 25 mA between an output and ground with its resistor, or the gate of a transistor for more.
func PCA9685(bus i2c.Bus, addr uint16) (Bank, error) {
	dev, err := pca9685.NewI2C(bus, addr)
	if err != nil {
		return nil, fmt.Errorf("pca9685 at 0x%02x: %w", addr, err)
	}
	return &pca{bus: bus, addr: addr, dev: dev}, nil
}

type pca struct {
	bus  i2c.Bus
	addr uint16
	dev  *pca9685.Dev
	lit  uint64
}

// asleep is the bit of register MODE1 that a chip has after a reset, its outputs off.
const asleep = 1 << 4

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
