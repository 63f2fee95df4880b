package sim

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
	"periph.io/x/conn/v3/physic"
)

// I2C is an I²C bus with simulated chips. It is a periph i2c.BusCloser; any goroutine may use it.
type I2C struct {
	mu    *sync.Mutex // shared with what is behind multiplexers
	chips map[uint16]Chip
	cut   map[uint16]bool
	count int
}

// Chip is a chip on an [I2C] bus, as its pins see it.
type Chip interface {
	// Write takes the bytes of one message.
	Write(b []byte)
	// Read gives the bytes of one message.
	Read(b []byte)
}

// NewI2C gives an empty bus.
func NewI2C() *I2C { return newI2C(new(sync.Mutex)) }

func newI2C(mu *sync.Mutex) *I2C {
	return &I2C{mu: mu, chips: map[uint16]Chip{}, cut: map[uint16]bool{}}
}

// Add puts a chip on the bus.
func (b *I2C) Add(addr uint16, c Chip) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.chips[addr] = c
}

// Cut cuts the wires to a chip, or mends them.
func (b *I2C) Cut(addr uint16, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut[addr] = on
}

// Transfers tells how many transfers there have been.
func (b *I2C) Transfers() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}

// Tx writes w to the chip with an address and then reads r from it. Without such a chip it fails as the kernel does.
func (b *I2C) Tx(addr uint16, w, r []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	c, err := b.find(addr)
	if err != nil {
		return err
	}
	if len(w) > 0 {
		c.Write(w)
	}
	if len(r) > 0 {
		c.Read(r)
	}
	return nil
}

// find gives the chip that answers to an address.
func (b *I2C) find(addr uint16) (Chip, error) {
	switch found := b.answering(addr); len(found) {
	case 0:
		return nil, unix.ENXIO
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("sim: %d chips answer to 0x%02x at once", len(found), addr)
	}
}

// answering are the chips with an address, on the bus and behind multiplexers whose channel is open.
func (b *I2C) answering(addr uint16) (found []Chip) {
	for at, c := range b.chips {
		if b.cut[at] {
			continue
		}
		if at == addr {
			found = append(found, c)
		}
		if mux, ok := c.(*TCA9548A); ok {
			for i, behind := range mux.channels {
				if mux.open&(1<<i) != 0 {
					found = append(found, behind.answering(addr)...)
				}
			}
		}
	}
	return found
}

// SetSpeed does nothing.
func (b *I2C) SetSpeed(physic.Frequency) error { return nil }

// Close does nothing.
func (b *I2C) Close() error { return nil }

func (b *I2C) String() string { return "sim" }

// do runs f while no transfer is under way.
func (b *I2C) do(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// TCA9548A is a multiplexer with eight channels.
type TCA9548A struct {
	open     byte
	channels [8]*I2C
}

// NewTCA9548A puts a multiplexer on a bus, with nothing behind it.
func NewTCA9548A(bus *I2C, addr uint16) *TCA9548A {
	m := &TCA9548A{}
	for i := range m.channels {
		m.channels[i] = newI2C(bus.mu)
	}
	bus.Add(addr, m)
	return m
}

// Channel is the bus behind a channel, to put chips on. It is reached through the multiplexer's bus.
func (m *TCA9548A) Channel(i int) *I2C { return m.channels[i] }

func (m *TCA9548A) Write(b []byte) { m.open = b[len(b)-1] }

func (m *TCA9548A) Read(b []byte) {
	for i := range b {
		b[i] = m.open
	}
}

// registers are the registers of a chip that has a pointer to one of them, which a write sets and every byte moves on.
type registers struct {
	reg     [256]byte
	pointer byte
	wrote   func(reg, v byte) // after a register has been written
	reads   func(reg byte)    // before a register is read
}

func (r *registers) Write(b []byte) {
	r.pointer = b[0]
	for _, v := range b[1:] {
		r.reg[r.pointer] = v
		if r.wrote != nil {
			r.wrote(r.pointer, v)
		}
		r.pointer++
	}
}

func (r *registers) Read(b []byte) {
	for i := range b {
		if r.reads != nil {
			r.reads(r.pointer)
		}
		b[i] = r.reg[r.pointer]
		r.pointer++
	}
}
