package sim

import (
	"context"
	"sync"

	"tavolo/drivers/gpiocdev"
)

// MCP23017 is that chip with contacts to ground, its registers with BANK clear. All methods may be called from any goroutine.
type MCP23017 struct {
	registers
	bus    *I2C
	closed uint16 // contacts
	int    *Line  // INTA
}

// NewMCP23017 puts a chip that has just got its supply on a bus.
func NewMCP23017(bus *I2C, addr uint16) *MCP23017 {
	m := &MCP23017{bus: bus, int: NewLine()}
	m.reads = m.read
	m.reset()
	bus.Add(addr, m)
	return m
}

func (m *MCP23017) reset() {
	m.reg = [256]byte{0: 0xff, 1: 0xff}
	m.int.Set(false)
	m.ports()
}

// Reset takes the chip's supply away for a moment.
func (m *MCP23017) Reset() { m.bus.do(m.reset) }

// Interrupt is the line at INTA, active when the chip pulls it.
func (m *MCP23017) Interrupt() *Line { return m.int }

// Contacts closes contacts, and opens all others.
func (m *MCP23017) Contacts(closed uint16) {
	m.bus.do(func() {
		before := m.ports()
		m.closed = closed
		changed := before ^ m.ports()
		for side := range 2 {
			flags := byte(changed>>(8*side)) & m.reg[0x04+side]
			if flags != 0 && m.reg[0x0e+side] == 0 { // the first change is captured
				m.reg[0x0e+side] = flags
				m.reg[0x10+side] = m.reg[0x12+side]
			}
		}
		m.int.Set(m.reg[0x0e]|m.reg[0x0f] != 0)
	})
}

// Lit gives the outputs that are high.
func (m *MCP23017) Lit() (on uint16) {
	m.bus.do(func() {
		on = (uint16(m.reg[0x14]) | uint16(m.reg[0x15])<<8) &^ (uint16(m.reg[0]) | uint16(m.reg[1])<<8)
	})
	return on
}

// ports brings the GPIO registers up to date and gives both.
func (m *MCP23017) ports() (v uint16) {
	for side := range 2 {
		level := m.reg[0x0c+side] &^ byte(m.closed>>(8*side)) // pulled up and not to ground
		m.reg[0x12+side] = level ^ m.reg[0x02+side]
		v |= uint16(m.reg[0x12+side]) << (8 * side)
	}
	return v
}

// read is what reading INTCAP or GPIO of a side does: it ends its interrupt.
func (m *MCP23017) read(reg byte) {
	m.ports()
	if reg >= 0x10 && reg <= 0x13 {
		m.reg[0x0e+reg&1] = 0
		m.int.Set(m.reg[0x0e]|m.reg[0x0f] != 0)
	}
}

// Line is a line of the board that a simulated device drives. It is a gpiocdev.Edges.
type Line struct {
	mu      sync.Mutex
	active  bool
	edges   []gpiocdev.Edge
	swallow int
	changed chan struct{} // closed with each edge
}

var _ gpiocdev.Edges = (*Line)(nil)

// NewLine gives a line that is inactive.
func NewLine() *Line { return &Line{changed: make(chan struct{})} }

// Set makes the line active or not.
func (l *Line) Set(active bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if active == l.active {
		return
	}
	l.active = active
	if l.swallow > 0 {
		l.swallow--
		return
	}
	l.edges = append(l.edges, gpiocdev.Edge{Active: active})
	close(l.changed)
	l.changed = make(chan struct{})
}

// Swallow loses the next so many edges on their way to Watch.
func (l *Line) Swallow(edges int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.swallow = edges
}

// Levels has bit 0 set while the line is active.
func (l *Line) Levels() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active {
		return 1, nil
	}
	return 0, nil
}

// Watch tells each edge until ctx ends.
func (l *Line) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		l.mu.Lock()
		edges, changed := l.edges, l.changed
		l.edges = nil
		l.mu.Unlock()
		for _, e := range edges {
			tell(e)
		}
		if len(edges) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
