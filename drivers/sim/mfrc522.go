package sim

import (
	"context"
	"slices"

	"tavolo/drivers/iso14443"
	"tavolo/drivers/mfrc522"
)

// MFRC522 is an MFRC522 at the level of its registers, and the wiring to it: a [mfrc522.Conn]. The tags in its field are in
// the states that the standard gives them, so one that was halted has to be woken again.
type MFRC522 struct {
	*coils
	faulty
	regs     [0x40]byte
	fifo     []byte
	tags     TypeA
	absent   bool
	reset    bool // RST is held low
	brownout int  // transfers until then
}

// NewMFRC522 makes a chip.
func NewMFRC522() *MFRC522 {
	m := &MFRC522{coils: newCoils()}
	m.boot()
	return m
}

func (m *MFRC522) boot() {
	m.regs = [0x40]byte{mfrc522.RegVersion: 0x92, mfrc522.RegTxControl: 0x80}
	m.fifo = nil
	m.field(false)
}

func (m *MFRC522) field(on bool) {
	if !on {
		m.tags.Off()
		m.light(0)
		return
	}
	if m.lit == 0 {
		m.light(1)
		m.tags.Put(slices.DeleteFunc(m.look(), func(uid string) bool { return !typeA(uid) })...)
	}
}

// Open is what the host opens the wiring by.
func (m *MFRC522) Open() (mfrc522.Conn, error) { return m, nil }

// Run waits for ctx; the host does the talking.
func (m *MFRC522) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Unplug takes the chip off its lines, which float high then.
func (m *MFRC522) Unplug() error { return m.plugged(false) }

// Plug puts it back; it has forgotten everything.
func (m *MFRC522) Plug() error { return m.plugged(true) }

func (m *MFRC522) plugged(in bool) error {
	m.coils.mu.Lock()
	defer m.coils.mu.Unlock()
	m.absent = !in
	m.boot()
	return nil
}

// Restart is what the chip does when its power comes back.
func (m *MFRC522) Restart() { _ = m.plugged(true) } // which cannot fail

// Brownout makes the chip start over by itself after so many transfers more.
func (m *MFRC522) Brownout(transfers int) {
	m.coils.mu.Lock()
	defer m.coils.mu.Unlock()
	m.brownout = transfers
}

// Reset restarts the chip when RST is let go.
func (m *MFRC522) Reset(hold bool) error {
	m.coils.mu.Lock()
	defer m.coils.mu.Unlock()
	m.reset = hold
	m.boot()
	return nil
}

// Close leaves the wiring to be opened again.
func (m *MFRC522) Close() error { return nil }

// Tx writes registers or reads them. A chip that hangs reads as zeros.
func (m *MFRC522) Tx(w, r []byte) error {
	m.coils.mu.Lock()
	defer m.coils.mu.Unlock()
	if m.brownout--; m.brownout == 0 {
		m.boot()
	}
	clear(r)
	switch {
	case m.absent:
		for i := range r {
			r[i] = 0xFF
		}
	case m.hung || m.reset:
	case w[0]&0x80 != 0:
		for i, a := range w[:len(w)-1] {
			r[i+1] = m.read(a >> 1 & 0x3F)
		}
		out := m.carry(r[1:])
		clear(r[1+copy(r[1:], out):])
	default:
		for _, v := range w[1:] {
			m.write(w[0]>>1&0x3F, v)
		}
	}
	return nil
}

func (m *MFRC522) read(reg byte) byte {
	switch {
	case reg == mfrc522.RegFIFOLevel:
		return byte(len(m.fifo))
	case reg == mfrc522.RegFIFOData && len(m.fifo) > 0:
		v := m.fifo[0]
		m.fifo = m.fifo[1:]
		return v
	}
	return m.regs[reg]
}

func (m *MFRC522) write(reg, v byte) {
	switch reg {
	case mfrc522.RegFIFOData:
		m.fifo = append(m.fifo, v)
		return
	case mfrc522.RegFIFOLevel:
		if v&mfrc522.FIFOFlush != 0 {
			m.fifo = nil
		}
		return
	case mfrc522.RegComIrq: // a 1 clears, unless the highest bit is one
		if v&0x80 == 0 {
			m.regs[reg] &^= v
			return
		}
	case mfrc522.RegCommand:
		if v == mfrc522.CmdSoftReset {
			m.boot()
			return
		}
	case mfrc522.RegTxControl:
		m.field(v&mfrc522.AntennaOn == mfrc522.AntennaOn)
	}
	m.regs[reg] = v
	if reg == mfrc522.RegBitFraming && v&mfrc522.StartSend != 0 && m.regs[mfrc522.RegCommand] == mfrc522.CmdTransceive {
		m.transceive()
	}
}

// transceive sends what is in the FIFO and puts the answer there.
func (m *MFRC522) transceive() {
	framing := m.regs[mfrc522.RegBitFraming]
	frame := iso14443.Frame{Data: m.fifo, Bits: int(framing & 7), Align: int(framing >> 4 & 7)}
	m.fifo = nil
	m.regs[mfrc522.RegError], m.regs[mfrc522.RegColl] = 0, mfrc522.CollInvalid
	if m.lit == 0 || m.regs[mfrc522.RegTxASK] == 0 {
		m.regs[mfrc522.RegComIrq] |= mfrc522.IrqTimer
		return
	}
	a, err := m.tags.Exchange(context.Background(), frame)
	if err != nil {
		m.regs[mfrc522.RegComIrq] |= mfrc522.IrqTimer
		return
	}
	m.fifo = a.Data
	m.regs[mfrc522.RegComIrq] |= mfrc522.IrqReceived
	if a.Collision > 0 {
		m.regs[mfrc522.RegError] = mfrc522.ErrorCollision
		m.regs[mfrc522.RegColl] = byte(a.Collision) & 0x1F
		if a.Collision > 32 {
			m.regs[mfrc522.RegColl] = mfrc522.CollInvalid
		}
	}
}
