package sim

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"

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

// Plug puts the cable back; the chip sleeps.
func (p *PN532) Plug() error {
	p.mu.Lock()
	p.chip.reset()
	p.mu.Unlock()
	return p.cable.Plug()
}

// PN532Bus is the device side of a PN532 on I²C, and the bus. It is an i2c.BusCloser.
type PN532Bus struct {
	*coils
	faulty
	chip   pn532Chip
	said   [][]byte // what the host has yet to read
	absent bool
}

// NewPN532Bus makes a bus with a chip.
func NewPN532Bus() *PN532Bus {
	c := newCoils()
	p := &PN532Bus{coils: c, chip: newPN532Chip(c, Timing{})}
	p.chip.awake = true // being spoken to wakes it
	return p
}

// Open is what the host opens the bus by.
func (p *PN532Bus) Open() (i2c.BusCloser, error) { return p, nil }

// Run waits for ctx; the host does the talking.
func (p *PN532Bus) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Unplug takes the chip off the bus.
func (p *PN532Bus) Unplug() error {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.absent = true
	p.light(0)
	return nil
}

// Plug puts it back; it has forgotten everything.
func (p *PN532Bus) Plug() error {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	p.chip.reset()
	p.chip.awake, p.absent, p.said = true, false, nil
	return nil
}

// Tx is one write, or one read, which begins with whether there is something to read.
func (p *PN532Bus) Tx(addr uint16, w, r []byte) error {
	p.coils.mu.Lock()
	defer p.coils.mu.Unlock()
	if p.absent || addr != 0x24 {
		return errors.New("sysfs-i2c: no such device or address")
	}
	if len(w) > 0 {
		p.said = nil
		for _, a := range p.chip.hear(w) {
			if frame := p.carry(a.frame); len(frame) > 0 {
				p.said = append(p.said, frame)
			}
		}
	}
	if len(r) == 0 {
		return nil
	}
	for i := range r {
		r[i] = 0x80 // filling
	}
	r[0] = 0
	if p.hung || len(p.said) == 0 {
		return nil
	}
	r[0] = 1
	if len(r) > 1 {
		copy(r[1:], p.said[0])
		p.said = p.said[1:]
	}
	return nil
}

// SetSpeed is as on a bus that takes any.
func (p *PN532Bus) SetSpeed(physic.Frequency) error { return nil }

// Close leaves the bus to be opened again.
func (p *PN532Bus) Close() error { return nil }

func (p *PN532Bus) String() string { return "I2C-sim" }

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
