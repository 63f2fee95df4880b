// Package pn5180 drives the NXP PN5180, a reader front end with enough power for a stack of ISO 15693 tags, over SPI. The
// host does the protocol: an inventory of 16 slots, slot by slot, and its walk are in package iso15693. Main path: [New],
// then Run of the [rfid.Dev] it gives. It lists whatever is in the field; some ten tags are what a module's own coil
// powers.
//
// # Wiring
//
// SPI mode 0, up to 7 MHz, chip select driven by the kernel; BUSY to an input, RESET to an output of the board; supply
// 5 V for the transmitter besides 3.3 V. The coil wants 2 cm to metal, or a ferrite sheet.
//
// # Protocol
//
// Each command is one SPI frame; while the chip works on it BUSY is high, and the answer is read by a second frame once
// BUSY is low. The data sheet has the host hold chip select until BUSY has risen. The kernel lets it go with the last
// byte, so that the driver may look at BUSY before it has risen, or only after it has fallen again: one that is low counts
// once it is still low after some looks more. A frame that comes too early is lost, and what it reads is FF. Registers have 32 bits, low byte first. For ISO 15693 the chip adds and checks the checksums itself. A slot
// of an inventory is ended by the host: with the transmitter's start and data switched off, sending nothing sends the end
// of frame alone. Source: NXP, PN5180 data sheet, AN12650 (PN5180 host interface), UM10954.
//
// Every wait has an end: a flag that never comes, as after a frame was lost, ends the look and not the program.
package pn5180

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/iso15693"
	"tavolo/drivers/rfid"
)

// Commands to the chip.
const (
	CmdWriteRegister = 0x00 // register, value
	CmdOrMask        = 0x01
	CmdAndMask       = 0x02
	CmdReadRegister  = 0x04 // register -> value
	CmdReadEEPROM    = 0x07 // address, length -> bytes
	CmdSendData      = 0x09 // valid bits of the last byte, 0 for all; bytes
	CmdReadData      = 0x0A // 0 -> bytes received
	CmdLoadRFConfig  = 0x11 // transmitter, receiver
	CmdRFOn          = 0x16 // 0
	CmdRFOff         = 0x17 // 0
)

// Registers.
const (
	RegSystemConfig = 0x00 // bits 0 to 2: what the chip does
	RegIRQEnable    = 0x01
	RegIRQStatus    = 0x02
	RegIRQClear     = 0x03
	RegRXStatus     = 0x13
	RegTXConfig     = 0x18
)

// Values of the registers used here.
const (
	Idle       = 0 // of RegSystemConfig
	Transceive = 3
	doMask     = 7

	IRQReceived = 1 << 0  // of RegIRQStatus: an answer ended
	IRQStart    = 1 << 14 // an answer began
	IRQAll      = 1<<20 - 1

	RXLength    = 1<<9 - 1 // of RegRXStatus: bytes received
	RXIntegrity = 1 << 16  // wrong checksum
	RXProtocol  = 1 << 17
	RXCollision = 1 << 18

	// TXEndOnly leaves of RegTXConfig what makes a frame without start and data.
	TXEndOnly = 0xFFFFFB3F
)

// ISO15693 is the configuration of transmitter and receiver for 26 kbit/s, and the deeper modulation of two.
const (
	TXISO15693 = 0x0D
	RXISO15693 = 0x8D
)

// EEPROM addresses: the versions of product, firmware and EEPROM, two bytes each, low byte first.
const versions = 0x10

// How long things take at most, with room for a host that is busy.
const (
	busyWait  = 50 * time.Millisecond // for BUSY to fall
	startWait = 2 * time.Millisecond  // from the end of a request to the start of an answer: 0.32 ms
	frameWait = 20 * time.Millisecond // for an answer of 12 bytes: 4 ms
	resetTime = 5 * time.Millisecond  // RESET low, and from there until the chip listens
	poll      = 200 * time.Microsecond
	fieldTime = 5 * time.Millisecond // until tags are powered, and until they have forgotten everything
)

// How often the chip is asked at least before it counts as silent, or a flag as not set: a host that is busy asks but once
// in any time, and nothing on this bus has a checksum, so that one answer proves nothing.
const (
	checkTries = 5
	flagTries  = 3
)

// riseLooks is how often BUSY must be low, where it was not seen high, before the chip counts as done with a frame. Each
// look is a system call or more, of some µs; the line rises with the last byte.
const riseLooks = 5

// Conn is the board's side of the wiring.
type Conn interface {
	// Tx sends w while it reads r, of the same length, with chip select active throughout.
	Tx(w, r []byte) error
	// Busy is the level of BUSY.
	Busy() (bool, error)
	// Reset holds RESET low, or lets it go.
	Reset(hold bool) error
	// Close gives the lines back.
	Close() error
}

// Options describe one chip.
type Options struct {
	// Open opens its wiring, for as long as it is up.
	Open func() (Conn, error)
	// Family asks only tags of one application family, [iso15693.Gaming] for one; 0 asks all.
	Family byte
	rfid.Options
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*rfid.Dev, error) {
	if o.Open == nil {
		return nil, errors.New("pn5180: no way to its wiring")
	}
	if err := o.Check(1); err != nil {
		return nil, fmt.Errorf("pn5180: %w", err)
	}
	return rfid.New(&driver{o}, o.Options), nil
}

type driver struct{ o Options }

// Counters are none: a damaged transfer shows as an answer that makes no sense, and so as a spoilt look.
func (d *driver) Counters() map[string]uint64 { return map[string]uint64{} }

func (d *driver) Open(ctx context.Context) (rfid.Session, string, error) {
	c, err := d.o.Open()
	if err != nil {
		return nil, "", fmt.Errorf("pn5180: %w", err)
	}
	s := &session{conn: c, clock: cmp.Or[rfid.Clock](d.o.Clock, rfid.RealTime{}), family: d.o.Family}
	firmware, err := s.meet(ctx)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("pn5180: %w", err), c.Close())
	}
	return s, firmware, nil
}

type session struct {
	conn   Conn
	clock  rfid.Clock
	family byte
	err    error // what failed first since it was asked for

	out, in []byte // what the present transfer sends and brings; there are hundreds in a look
}

// meet resets the chip and asks its version.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	if err := s.conn.Reset(true); err != nil {
		return "", fmt.Errorf("RESET: %w", err)
	}
	s.pause(ctx, resetTime)
	if err := s.conn.Reset(false); err != nil {
		return "", fmt.Errorf("RESET: %w", err)
	}
	s.pause(ctx, resetTime)
	return s.version()
}

func (s *session) version() (string, error) {
	v := s.ask(6, CmdReadEEPROM, versions, 6)
	if err := s.fault(); err != nil {
		return "", err
	}
	if v[1] == 0 || v[1] == 0xFF { // a line that floats
		return "", fmt.Errorf("%w: version % x; check supply, SPI wiring and RESET", framing.ErrSilent, v)
	}
	return fmt.Sprintf("PN5180 %d.%d firmware %d.%d", v[1], v[0], v[3], v[2]), nil
}

// Look puts the field off and on, so that every tag starts over, and takes an inventory.
func (s *session) Look(ctx context.Context, _ int) (rfid.Scan, error) {
	s.command(CmdRFOff, 0)
	s.write(CmdWriteRegister, RegIRQEnable, mark)
	s.command(CmdLoadRFConfig, TXISO15693, RXISO15693)
	s.pause(ctx, fieldTime)
	s.command(CmdRFOn, 0)
	s.pause(ctx, fieldTime)
	if err := s.fault(); err != nil {
		return rfid.Scan{}, err
	}
	found, partial, err := iso15693.Walk(ctx, s.round)
	if err != nil && !errors.Is(err, iso15693.ErrAnswer) {
		return rfid.Scan{}, err
	}
	if err := s.alive(); err != nil {
		return rfid.Scan{}, err
	}
	if err != nil {
		return rfid.Scan{}, rfid.Spoilt("%w", err)
	}
	scan := rfid.Scan{Partial: partial}
	for _, u := range found {
		scan.UIDs = append(scan.UIDs, u.String())
	}
	return scan, nil
}

// mark is what a look leaves in a register that nothing else uses, the IRQ line being free: a chip that starts over has
// forgotten it.
const mark = IRQStart | IRQReceived

// alive makes sure that the chip was there through all of a look: one that is dead, or has started over, hears no tags.
func (s *session) alive() error {
	if _, err := s.version(); err != nil {
		return err
	}
	found := s.read(RegIRQEnable)
	if err := s.fault(); err != nil {
		return err
	}
	if found != mark {
		return rfid.Spoilt("the chip has started over")
	}
	return nil
}

// round takes one inventory of 16 slots.
func (s *session) round(ctx context.Context, m iso15693.Mask) (slots [iso15693.Slots]iso15693.Slot, err error) {
	// The configuration is loaded anew, for the slots of the last round cut the transmitter's start.
	s.command(CmdLoadRFConfig, TXISO15693, RXISO15693)
	s.transceive()
	s.command(CmdSendData, append([]byte{0}, iso15693.Inventory(s.family, m)...)...)
	for i := range slots {
		if i > 0 { // the end of frame alone begins the next slot
			s.write(CmdAndMask, RegTXConfig, TXEndOnly)
			s.transceive()
			s.command(CmdSendData, 0)
		}
		slots[i] = s.slot()
		if s.err == nil {
			s.err = ctx.Err()
		}
		if s.err != nil {
			break
		}
	}
	return slots, s.fault()
}

// transceive makes the chip ready to send and then to receive.
func (s *session) transceive() {
	s.write(CmdAndMask, RegSystemConfig, ^uint32(doMask))
	s.write(CmdWriteRegister, RegIRQClear, IRQAll)
	s.write(CmdOrMask, RegSystemConfig, Transceive)
}

// slot hears one time slot. Something that began and did not end in time counts as a collision.
func (s *session) slot() iso15693.Slot {
	if !s.flag(IRQStart, startWait) {
		return iso15693.Slot{}
	}
	if !s.flag(IRQReceived, frameWait) {
		return iso15693.Slot{Collision: true}
	}
	status := s.read(RegRXStatus)
	n := int(status & RXLength)
	if status&(RXIntegrity|RXProtocol|RXCollision) != 0 || n == 0 {
		return iso15693.Slot{Collision: true}
	}
	return iso15693.Slot{Answer: slices.Clone(s.ask(n, CmdReadData, 0))}
}

// flag waits for a flag, which is read again each time, for no longer than d and at least once after d.
func (s *session) flag(flag uint32, d time.Duration) bool {
	end := s.clock.Now().Add(d)
	for tries := 1; s.err == nil; tries++ {
		late := tries >= flagTries && s.clock.Now().After(end)
		if s.read(RegIRQStatus)&flag != 0 {
			return s.err == nil
		}
		if late {
			break
		}
		s.clock.Sleep(poll)
	}
	return false
}

// Check only asks whether the chip still is what it was.
func (s *session) Check(ctx context.Context) error {
	for tries := 1; ; tries++ {
		_, err := s.version()
		switch {
		case err == nil:
			return nil
		case tries == checkTries || !errors.Is(err, framing.ErrSilent):
			return fmt.Errorf("pn5180: %w", err)
		}
		s.pause(ctx, poll)
	}
}

func (s *session) Halt(context.Context) error {
	s.command(CmdRFOff, 0)
	return s.fault()
}

func (s *session) Close() error { return s.conn.Close() }

// What follows does nothing once something has failed; fault tells what it was.

// fault gives what has failed since the last call.
func (s *session) fault() error {
	err := s.err
	s.err = nil
	return err
}

func (s *session) read(reg byte) uint32 {
	return binary.LittleEndian.Uint32(s.ask(4, CmdReadRegister, reg))
}

func (s *session) write(cmd, reg byte, value uint32) {
	s.command(cmd, reg, byte(value), byte(value>>8), byte(value>>16), byte(value>>24))
}

// ask sends a command and reads its answer of n bytes, which are 0 where that failed. They hold until the next transfer.
func (s *session) ask(n int, cmd byte, args ...byte) []byte {
	s.command(cmd, args...)
	s.out = s.out[:0]
	for range n {
		s.out = append(s.out, 0xFF)
	}
	return s.tx()
}

func (s *session) command(cmd byte, args ...byte) {
	s.out = append(append(s.out[:0], cmd), args...)
	s.tx()
}

// tx exchanges the frame in out for one as long, once the chip is done with the one before.
func (s *session) tx() []byte {
	s.in = slices.Grow(s.in[:0], len(s.out))[:len(s.out)]
	clear(s.in)
	end, risen := s.clock.Now().Add(busyWait), false
	for looks := 1; s.err == nil; looks++ {
		late := s.clock.Now().After(end)
		busy, err := s.conn.Busy()
		risen = risen || busy
		switch {
		case err != nil:
			s.err = fmt.Errorf("BUSY: %w", err)
		case !busy && (risen || looks >= riseLooks):
			s.err = s.conn.Tx(s.out, s.in)
			return s.in
		case busy && late:
			s.err = fmt.Errorf("%w: BUSY does not fall", framing.ErrSilent)
		case looks >= riseLooks:
			s.clock.Sleep(poll)
		}
	}
	return s.in
}

func (s *session) pause(ctx context.Context, d time.Duration) {
	if s.err == nil {
		s.clock.Sleep(d)
		s.err = ctx.Err()
	}
}
