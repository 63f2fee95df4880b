package sim

// PCA9685 is that chip with a lamp at each output. All methods may be called from any goroutine.
type PCA9685 struct {
	registers
	bus *I2C
}

// NewPCA9685 puts a chip that has just got its supply on a bus.
func NewPCA9685(bus *I2C, addr uint16) *PCA9685 {
	p := &PCA9685{bus: bus}
	p.wrote = p.all
	p.reset()
	bus.Add(addr, p)
	return p
}

func (p *PCA9685) reset() {
	p.reg = [256]byte{0: 0x11, 1: 0x04, 0xfe: 0x1e}
	for i := range 16 {
		p.reg[0x09+4*i] = 0x10 // full off
	}
}

// all is what a write to ALL_LED does.
func (p *PCA9685) all(reg, v byte) {
	if reg >= 0xfa && reg <= 0xfd {
		for i := range 16 {
			p.reg[0x06+4*i+int(reg-0xfa)] = v
		}
	}
}

// Reset takes the chip's supply away for a moment.
func (p *PCA9685) Reset() { p.bus.do(p.reset) }

// Lit gives the outputs that are fully on, and those whose times to go on and off are the same, which may be.
func (p *PCA9685) Lit() (on uint64) {
	p.bus.do(func() {
		for i := range 16 {
			asleep, times := p.reg[0]&0x10 != 0, p.reg[0x06+4*i:][:4]
			full, equal := times[1]&0x10 != 0, times[0] == times[2] && times[1] == times[3]
			if off := times[3]&0x10 != 0; !asleep && !off && (full || equal) {
				on |= 1 << i
			}
		}
	})
	return on
}
