package sim

import "time"

// NAU7802 is that converter with a load cell at each input. Registers are those of its data sheet that the kernel's driver
// uses; what it converts lies in the registers when it is due at the rate that is set. All methods may be called from any
// goroutine.
type NAU7802 struct {
	registers
	bus  *I2C
	lies [2]int64  // at the full gain, by input
	due  time.Time // the next conversion
}

// nau7802Addr is the address of every NAU7802.
const nau7802Addr = 0x2a

// NewNAU7802 puts a converter that has just got its supply on a bus.
func NewNAU7802(bus *I2C) *NAU7802 {
	n := &NAU7802{bus: bus}
	n.wrote = n.written
	n.reads = n.read
	n.reset()
	bus.Add(nau7802Addr, n)
	return n
}

// Registers, and what of them has a meaning here.
const (
	nauControl  = 0x00
	nauReset    = 1 << 0
	nauDigital  = 1 << 1 // powered up
	nauAnalog   = 1 << 2 // powered up
	nauPowered  = 1 << 3 // read only
	nauConverts = 1 << 4
	nauReady    = 1 << 5 // read only
	nauGain     = 0x01   // bits 0 to 2: the power of 2
	nauRate     = 0x02   // bits 4 to 6; bit 7 chooses the input
	nauResult   = 0x12   // three bytes, the highest first
	nauRevision = 0x1f

	nauFullGain = 7
)

func (n *NAU7802) reset() { n.reg = [256]byte{nauRevision: 0x0f} }

// Reset takes the converter's supply away for a moment: it does not convert until it is set up again.
func (n *NAU7802) Reset() { n.bus.do(n.reset) }

// Lay has an input, 0 or 1, read so much at a gain of 128; what does not fit in 24 bits overloads it.
func (n *NAU7802) Lay(input int, reading int64) { n.bus.do(func() { n.lies[input] = reading }) }

// Stop has the converter stop to convert, and go on when it is set up again: its clock fails.
func (n *NAU7802) Stop() { n.bus.do(func() { n.reg[nauControl] &^= nauAnalog }) }

// period is how long a conversion takes.
func (n *NAU7802) period() time.Duration {
	rate := [8]time.Duration{10, 20, 40, 80, 10, 10, 10, 320}[n.reg[nauRate]>>4&7]
	return time.Second / rate
}

func (n *NAU7802) written(reg, v byte) {
	switch reg {
	case nauControl:
		if v&nauReset != 0 {
			n.reset()
			n.reg[nauControl] = nauReset
			return
		}
		n.reg[nauControl] = v &^ (nauPowered | nauReady)
		if v&nauDigital != 0 {
			n.reg[nauControl] |= nauPowered
		}
		n.due = time.Now().Add(n.period())
	case nauGain, nauRate:
		n.reg[nauControl] &^= nauReady
		n.due = time.Now().Add(n.period())
	}
}

// read is what reading a register does: control tells whether a conversion is there, the last byte of it takes it.
func (n *NAU7802) read(reg byte) {
	const works = nauDigital | nauAnalog | nauConverts
	if n.reg[nauControl]&works == works && !time.Now().Before(n.due) && reg == nauControl {
		n.convert()
	}
	if reg == nauResult+2 {
		n.reg[nauControl] &^= nauReady
	}
}

func (n *NAU7802) convert() {
	const most = 1<<23 - 1
	v := n.lies[n.reg[nauRate]>>7] >> (nauFullGain - n.reg[nauGain]&7)
	v = max(-most-1, min(most, v))
	n.reg[nauResult], n.reg[nauResult+1], n.reg[nauResult+2] = byte(v>>16), byte(v>>8), byte(v)
	n.reg[nauControl] |= nauReady
	n.due = time.Now().Add(n.period())
}
