package sim

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/pn532"
)

// PN532 is the device side of a PN532 on a serial port.
type PN532 struct {
	*coils
	chip  pn532Chip
	cable *PTY
}

// NewPN532 puts a chip at the end of a cable. Run makes it work.
func NewPN532(cable *PTY, t Timing) *PN532 {
	c := newCoils()
	return &PN532{coils: c, chip: newPN532Chip(c, t), cable: cable}
}

// Run answers the host until ctx ends, then closes the cable and returns nil.
func (p *PN532) Run(ctx context.Context) error {
	return serve(ctx, p.cable, func(b []byte) error {
		p.mu.Lock()
		answers := p.chip.hear(b)
		p.mu.Unlock()
		for _, a := range answers {
			if err := reply(ctx, p.cable, a.frame, a.after); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unplug pulls the chip's cable, which is also its power.
func (p *PN532) Unplug() error { return p.cable.Unplug() }

// Plug puts the cable back; the chip starts up.
func (p *PN532) Plug() error {
	p.Restart()
	return p.cable.Plug()
}

// Restart is what the chip does when its power comes back: it sleeps, and has forgotten everything.
func (p *PN532) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chip.reset()
}

// Answer gives the bytes that answer what the host sends, at once: for a chip without a cable.
func (p *PN532) Answer(b []byte) (out []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.chip.hear(b) {
		out = append(out, a.frame...)
	}
	return out
}

// PN532I2C is the device side of a PN532 on an I²C bus. It is a [Chip].
type PN532I2C struct {
	*coils
	faulty
	chip pn532Chip
	bus  *I2C
	said [][]byte // what the host has yet to read
}

// NewPN532I2C puts a chip on a bus.
func NewPN532I2C(bus *I2C) *PN532I2C {
	c := newCoils()
	p := &PN532I2C{coils: c, chip: newPN532Chip(c, Timing{}), bus: bus}
	p.chip.awake = true // being spoken to wakes it
	bus.Add(pn532.Address, p)
	return p
}

// Run waits for ctx; the host does the talking.
func (p *PN532I2C) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Unplug takes the chip off the bus.
func (p *PN532I2C) Unplug() error {
	p.bus.Cut(pn532.Address, true)
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.light(0)
	return nil
}

// Plug puts it back; it has forgotten everything.
func (p *PN532I2C) Plug() error {
	p.coils.mu.Lock()
	p.chip.reset()
	p.chip.awake, p.said = true, nil
	p.coils.mu.Unlock()
	p.bus.Cut(pn532.Address, false)
	return nil
}

// Write takes a frame, and drops what the host has not read of the answer to an earlier one.
func (p *PN532I2C) Write(b []byte) {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.said = nil
	for _, a := range p.chip.hear(b) {
		if frame := p.carry(a.frame); len(frame) > 0 {
			p.said = append(p.said, frame)
		}
	}
}

// Read gives whether a frame is there, the frame, and what the chip fills up with.
func (p *PN532I2C) Read(b []byte) {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	for i := range b {
		b[i] = 0x80
	}
	b[0] = 0
	if p.hung || len(p.said) == 0 {
		return
	}
	b[0] = 1
	if len(b) > 1 {
		copy(b[1:], p.said[0])
		p.said = p.said[1:]
	}
}

// pn532Chip is the chip itself. Its methods are called with the coils' lock held.
type pn532Chip struct {
	*coils
	t       Timing
	scan    *framing.Scanner[pn532.Frame]
	awake   bool // has been woken
	ready   bool // has been told its mode after that
	bounded bool // gives up looking for a tag
}

func newPN532Chip(c *coils, t Timing) pn532Chip {
	chip := pn532Chip{coils: c, t: t}
	chip.reset()
	return chip
}

func (p *pn532Chip) reset() {
	p.scan = framing.NewScanner(pn532.Decode)
	p.awake, p.ready, p.bounded = false, false, false
	p.light(0)
}

// pn532Answer is a frame that the chip sends after a time.
type pn532Answer struct {
	frame []byte
	after time.Duration
}

// hear takes what the host sends and gives what the chip says to it.
func (p *pn532Chip) hear(b []byte) (out []pn532Answer) {
	if !p.awake {
		at := bytes.IndexByte(b, 0x55)
		if at < 0 {
			return nil
		}
		p.awake, b = true, b[at:]
	}
	p.scan.Push(b)
	for f, ok := p.scan.Next(); ok; f, ok = p.scan.Next() {
		if p.hung || f.Kind != pn532.Data || len(f.Data) < 2 || f.Data[0] != pn532.FromHost {
			continue
		}
		data, took, ok := p.obey(f.Data[1], f.Data[2:])
		out = append(out, pn532Answer{pn532.Append(nil, pn532.Frame{Kind: pn532.Ack}), p.t.Command})
		if !ok {
			continue
		}
		answer := pn532.Frame{Data: append([]byte{pn532.FromChip, f.Data[1] + 1}, data...)}
		if data == nil {
			answer.Data = []byte{pn532.Failed}
		}
		frame := pn532.Append(nil, answer)
		out = append(out, pn532Answer{frame, took + time.Duration(len(frame))*p.t.Byte})
	}
	return out
}

// obey does what a command asks. There is no answer at all where it is not ok; nil data are a refusal.
func (p *pn532Chip) obey(cmd byte, args []byte) (data []byte, took time.Duration, ok bool) {
	if cmd == pn532.CmdSAM {
		p.ready = true
		return []byte{}, 0, true
	}
	if !p.ready {
		return nil, 0, false
	}
	switch {
	case cmd == pn532.CmdVersion:
		return []byte{pn532.IC, 1, 6, 7}, 0, true
	case cmd == pn532.CmdRF && bytes.Equal(args, []byte{pn532.ItemField, 0}):
		p.light(0)
		return []byte{}, 0, true
	case cmd == pn532.CmdRF && len(args) == 4 && args[0] == pn532.ItemRetries:
		p.bounded = args[3] != 0xFF
		return []byte{}, 0, true
	case cmd == pn532.CmdList && len(args) == 2 && args[1] == pn532.BrTyA && args[0] >= 1 && args[0] <= pn532.MaxTags:
		return p.list(int(args[0]))
	}
	return nil, 0, true
}

func (p *pn532Chip) list(most int) (data []byte, took time.Duration, ok bool) {
	p.light(1)
	tags := slices.DeleteFunc(p.look(), func(uid string) bool { return !typeA(uid) })
	tags = tags[:min(len(tags), most)]
	data = []byte{byte(len(tags))}
	for i, uid := range tags {
		data = append(data, byte(i+1), 0x00, 0x44, 0x00, byte(len(uid)/2))
		data = append(data, raw(uid)...)
	}
	return data, p.t.Look + time.Duration(len(tags))*p.t.Tag, len(tags) > 0 || p.bounded
}

// typeA tells ISO 14443 type A tags from others by the length of their UIDs.
func typeA(uid string) bool { return slices.Contains([]int{4, 7, 10}, hex.DecodedLen(len(uid))) }
