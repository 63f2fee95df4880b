package sim

import (
	"context"
	"encoding/binary"
	"slices"

	"tavolo/drivers/iso15693"
	"tavolo/drivers/pn5180"
)

// PN5180 is a PN5180 at the level of its registers, and the wiring to it: a [pn5180.Conn]. What it is told is carried out
// as the data sheet says, no less and no more: a flag that is not cleared stays, and a chip that was not made ready again
// sends nothing. After each frame it works for a moment, which passes with the looks at BUSY: the line has not risen yet at
// the first, and is high at the second. A frame that comes before it has fallen is lost, and reads as FF.
type PN5180 struct {
	*coils
	faulty
	regs   [256]uint32
	answer []byte  // to be read by the next frame
	word   [4]byte // where an answer of one register is
	heard  []byte  // from the tags
	ready  bool    // to send, since it was put from idle to transceive
	config bool    // for ISO 15693
	walk   iso15693.Mask
	field  []string // tags that the inventory under way sees
	slot   int      // of the inventory under way; 16 for none
	absent bool
	reset  bool // RESET is held low
	looks  int  // at BUSY since the last frame, up to those that its work takes

	brownout int // frames until then
}

// The looks at BUSY that a frame's work takes: from riseLooks on the line is high, after fallLooks it is low.
const (
	riseLooks = 2
	fallLooks = 3
)

// NewPN5180 makes a chip.
func NewPN5180() *PN5180 {
	p := &PN5180{coils: newCoils()}
	p.boot()
	return p
}

func (p *PN5180) boot() {
	p.regs = [256]uint32{pn5180.RegTXConfig: 0xFFFFFFFF}
	p.answer, p.heard, p.ready, p.config, p.slot = nil, nil, false, false, iso15693.Slots
	p.looks = fallLooks
	p.light(0)
}

// Open is what the host opens the wiring by.
func (p *PN5180) Open() (pn5180.Conn, error) { return p, nil }

// Run waits for ctx; the host does the talking.
func (p *PN5180) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Unplug takes the chip off its lines, which float high then; BUSY is pulled down.
func (p *PN5180) Unplug() error { return p.plugged(false) }

// Plug puts it back; it has forgotten everything.
func (p *PN5180) Plug() error { return p.plugged(true) }

func (p *PN5180) plugged(in bool) error {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.absent = !in
	p.boot()
	return nil
}

// Restart is what the chip does when its power comes back.
func (p *PN5180) Restart() { _ = p.plugged(true) } // which cannot fail

// Brownout makes the chip start over by itself after so many frames more.
func (p *PN5180) Brownout(frames int) {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.brownout = frames
}

// Busy is high while the chip works, and for ever in one that hangs.
func (p *PN5180) Busy() (bool, error) {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	working := p.looks < fallLooks
	if working {
		p.looks++
	}
	return !p.absent && (p.hung || working && p.looks >= riseLooks), nil
}

// Reset restarts the chip when RESET is let go.
func (p *PN5180) Reset(hold bool) error {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.reset = hold
	p.boot()
	return nil
}

// Close leaves the wiring to be opened again.
func (p *PN5180) Close() error { return nil }

// Tx takes a command, or gives the answer to the one before.
func (p *PN5180) Tx(w, r []byte) error {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	if p.brownout--; p.brownout == 0 {
		p.boot()
	}
	for i := range r {
		r[i] = 0xFF
	}
	if p.absent || p.reset || p.hung || p.looks < fallLooks {
		return nil
	}
	p.looks = 0
	if p.answer != nil {
		clear(r)
		copy(r, p.carry(p.answer))
		p.answer = nil
		return nil
	}
	p.obey(w[0], w[1:])
	return nil
}

func (p *PN5180) obey(cmd byte, args []byte) {
	value := func() uint32 { return binary.LittleEndian.Uint32(args[1:]) }
	switch {
	case cmd == pn5180.CmdWriteRegister && len(args) == 5:
		p.set(args[0], value())
	case cmd == pn5180.CmdOrMask && len(args) == 5:
		p.set(args[0], p.regs[args[0]]|value())
	case cmd == pn5180.CmdAndMask && len(args) == 5:
		p.set(args[0], p.regs[args[0]]&value())
	case cmd == pn5180.CmdReadRegister && len(args) == 1:
		p.answer = binary.LittleEndian.AppendUint32(p.word[:0], p.regs[args[0]])
	case cmd == pn5180.CmdReadEEPROM && len(args) == 2:
		p.answer = append([]byte{5, 3, 0, 4, 1, 0x99}, make([]byte, 255)...)[:args[1]]
	case cmd == pn5180.CmdReadData:
		p.answer = append(slices.Clone(p.heard), 0)[:max(len(p.heard), 1)]
	case cmd == pn5180.CmdLoadRFConfig && len(args) == 2:
		p.config = args[0] == pn5180.TXISO15693 && args[1] == pn5180.RXISO15693
		p.regs[pn5180.RegTXConfig] = 0xFFFFFFFF
	case cmd == pn5180.CmdRFOn:
		p.light(1)
	case cmd == pn5180.CmdRFOff:
		p.light(0)
	case cmd == pn5180.CmdSendData && len(args) >= 1:
		p.send(args[1:])
	}
}

func (p *PN5180) set(reg byte, v uint32) {
	switch reg {
	case pn5180.RegIRQClear:
		p.regs[pn5180.RegIRQStatus] &^= v
		return
	case pn5180.RegSystemConfig:
		p.ready = p.ready && v&7 == pn5180.Transceive || p.regs[reg]&7 == pn5180.Idle && v&7 == pn5180.Transceive
	}
	p.regs[reg] = v
}

// send puts a request on the air: an inventory, or, where the transmitter sends nothing but the end of a frame, that,
// which begins the next time slot.
func (p *PN5180) send(request []byte) {
	if !p.ready || !p.config || p.lit == 0 {
		return
	}
	p.ready = false
	if p.regs[pn5180.RegTXConfig]&^uint32(pn5180.TXEndOnly) == 0 {
		if len(request) == 0 {
			p.slot++
			p.hear()
		}
		return
	}
	if len(request) < 3 || request[0] != iso15693.HighRate|iso15693.IsScan || request[1] != iso15693.CmdInventory {
		return
	}
	p.walk, p.slot = iso15693.Mask{Bits: int(request[2])}, 0
	for i, b := range request[3:] {
		p.walk.Value |= uint64(b) << (8 * i)
	}
	if p.walk.Bits == 0 {
		p.field = p.look() // what passes moves on once a look, not once a round
	}
	p.hear()
}

// hear takes in what the tags say in the present slot.
func (p *PN5180) hear() {
	var heard [][]byte
	for _, uid := range p.field {
		if !icode(uid) {
			continue
		}
		low := raw(uid)
		slices.Reverse(low)
		u := binary.LittleEndian.Uint64(low)
		if u&(1<<p.walk.Bits-1) == p.walk.Value && int(u>>p.walk.Bits&15) == p.slot {
			heard = append(heard, append([]byte{0, 0}, low...))
		}
	}
	if len(heard) == 0 {
		return
	}
	p.heard = heard[0]
	status := uint32(len(p.heard))
	if len(heard) > 1 {
		status |= pn5180.RXCollision
	}
	p.regs[pn5180.RegRXStatus] = status
	p.regs[pn5180.RegIRQStatus] |= pn5180.IRQStart | pn5180.IRQReceived
}
