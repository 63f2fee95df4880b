// Package mfrc522 drives the NXP MFRC522 and its clones, a small reader chip for ISO 14443 type A tags, over SPI. How tags
// are told apart is in package iso14443. Main path: [New], then Run of the [rfid.Dev] it gives. Its range is 10 to 30 mm;
// two cards on top of each other are what its field powers.
//
// # Wiring
//
// SPI mode 0, up to 10 MHz, supply 3.3 V; RST, low in rest, to an output of the board, or to 3.3 V: then a chip that hangs
// so that it no longer takes commands has to be unplugged.
//
// # Protocol
//
// A transfer is an address byte, the register's number times two, with the highest bit to read, and the value; a read
// answers one byte later. Tags are spoken to through a FIFO: fill it, start the command transceive, wait for the flag of
// an answer or of the timer that was set up to start when the sending ends. Source: NXP, MFRC522 data sheet.
//
// The chip is known to hang after hours or weeks. Each look begins and ends with asking its version and a register that
// only this driver sets: a chip that hangs, or that started over, reads like one without tags. It is reset then, set up
// again, and the loss counted.
//
// # Why not another's driver
//
// That of periph.io selects one tag a call and takes two that answer at once for an error, so that it lists no two cards on
// top of each other; it waits for an IRQ pin, and takes a chip that hangs for one without tags. TinyGo has none.
package mfrc522

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/iso14443"
	"tavolo/drivers/rfid"
)

// Registers.
const (
	RegCommand    = 0x01
	RegComIrq     = 0x04
	RegError      = 0x06
	RegFIFOData   = 0x09
	RegFIFOLevel  = 0x0A
	RegControl    = 0x0C
	RegBitFraming = 0x0D
	RegColl       = 0x0E
	RegMode       = 0x11
	RegTxControl  = 0x14
	RegTxASK      = 0x15
	RegRFCfg      = 0x26
	RegTMode      = 0x2A
	RegTPrescaler = 0x2B
	RegTReloadHi  = 0x2C
	RegTReloadLo  = 0x2D
	RegVersion    = 0x37
)

// Commands of the chip.
const (
	CmdIdle       = 0x00
	CmdTransceive = 0x0C
	CmdSoftReset  = 0x0F
)

// Bits of the registers used here.
const (
	IrqTimer    = 0x01 // of RegComIrq: nothing came in time
	IrqReceived = 0x20
	IrqAll      = 0x7F

	ErrorCollision = 0x08 // of RegError
	ErrorOthers    = 0x17 // protocol, parity, checksum, overflow

	FIFOFlush   = 0x80 // of RegFIFOLevel
	StartSend   = 0x80 // of RegBitFraming
	AntennaOn   = 0x03 // of RegTxControl, both pins
	CollInvalid = 0x20 // of RegColl: the place of the collision is not known
)

// setup is what the registers are set to after a reset: tags are to answer within 10 ms, 400 ticks of 25 µs; the carrier is
// modulated fully; the receiver has its highest gain. TxASK is 0 after a reset, and so tells that one happened.
var setup = [...][2]byte{
	{RegTMode, 0x80},
	{RegTPrescaler, 0xA9},
	{RegTReloadHi, 0x01},
	{RegTReloadLo, 0x90},
	{RegTxASK, txASK},
	{RegMode, 0x3D},
	{RegRFCfg, 0x70},
}

const txASK = 0x40

// How long things take.
const (
	poll      = 200 * time.Microsecond
	resetTime = 5 * time.Millisecond // RST low, and from there until the oscillator runs
	fieldTime = 5 * time.Millisecond // until tags are powered, and until they have forgotten everything
)

// How often the chip is asked before it counts as silent. Times are not the measure: a host that is busy asks but once or
// twice in any, and nothing on this bus has a checksum, so that one answer proves nothing.
const (
	flagTries  = 250 // 50 ms at least, for it to say that an answer came, or none
	checkTries = 20
)

// Conn is the board's side of the wiring.
type Conn interface {
	// Tx sends w while it reads r, of the same length, with chip select active throughout.
	Tx(w, r []byte) error
	// Reset holds RST low, or lets it go. It does nothing where RST is not wired to the board.
	Reset(hold bool) error
	// Close gives the lines back.
	Close() error
}

// Options describe one chip.
type Options struct {
	// Open opens its wiring, for as long as it is up.
	Open func() (Conn, error)
	rfid.Options
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*rfid.Dev, error) {
	if o.Open == nil {
		return nil, errors.New("mfrc522: no way to its wiring")
	}
	if err := o.Check(1); err != nil {
		return nil, fmt.Errorf("mfrc522: %w", err)
	}
	return rfid.New(&driver{o}, o.Options), nil
}

type driver struct{ o Options }

// Counters are none: a damaged transfer shows as an answer that makes no sense, and so as a spoilt look.
func (d *driver) Counters() map[string]uint64 { return map[string]uint64{} }

func (d *driver) Open(ctx context.Context) (rfid.Session, string, error) {
	c, err := d.o.Open()
	if err != nil {
		return nil, "", fmt.Errorf("mfrc522: %w", err)
	}
	s := &session{conn: c, clock: cmp.Or[rfid.Clock](d.o.Clock, rfid.RealTime{})}
	firmware, err := s.meet(ctx)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("mfrc522: %w", err), c.Close())
	}
	return s, firmware, nil
}

type session struct {
	conn    Conn
	clock   rfid.Clock
	version byte
	err     error // what failed first since it was asked for

	out, in []byte // what the present transfer sends and brings; there are a hundred in a look
}

// versions are those of the chip and of clones that are known to work.
var versions = []byte{0x88, 0x90, 0x91, 0x92, 0xB2}

// meet resets the chip, asks what it is and sets it up.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	if err := s.conn.Reset(true); err != nil {
		return "", fmt.Errorf("RST: %w", err)
	}
	s.pause(ctx, resetTime)
	if err := s.conn.Reset(false); err != nil {
		return "", fmt.Errorf("RST: %w", err)
	}
	s.pause(ctx, resetTime)
	s.write(RegCommand, CmdSoftReset)
	s.pause(ctx, resetTime)
	s.version = s.read(RegVersion)
	for _, r := range setup {
		s.write(r[0], r[1])
	}
	if err := s.fault(); err != nil {
		return "", err
	}
	if !slices.Contains(versions, s.version) {
		return "", fmt.Errorf("%w: version %02x; check supply and SPI wiring", framing.ErrSilent, s.version)
	}
	return fmt.Sprintf("MFRC522 version %02x", s.version), s.Check(ctx)
}

// Check makes sure that the chip is there and is as it was set up.
func (s *session) Check(ctx context.Context) error {
	for tries := 1; ; tries++ {
		err := s.alive()
		if tries == checkTries || !errors.Is(err, framing.ErrSilent) {
			return err
		}
		s.pause(ctx, poll)
	}
}

// alive asks the chip once.
func (s *session) alive() error {
	version, mark := s.read(RegVersion), s.read(RegTxASK)
	err := s.fault()
	switch {
	case err != nil:
		return fmt.Errorf("mfrc522: %w", err)
	case version != s.version:
		return fmt.Errorf("mfrc522: %w: version %02x, was %02x", framing.ErrSilent, version, s.version)
	case mark != txASK:
		return fmt.Errorf("mfrc522: %w: the chip has started over", framing.ErrSilent)
	}
	return nil
}

// Look puts the field off and on, so that every tag starts over, halted ones too, and lists them.
func (s *session) Look(ctx context.Context, _ int) (rfid.Scan, error) {
	s.write(RegTxControl, 0x80)
	s.pause(ctx, fieldTime)
	s.write(RegTxControl, 0x80|AntennaOn)
	s.pause(ctx, fieldTime)
	if err := s.fault(); err != nil {
		return rfid.Scan{}, err
	}
	found, partial, failed := iso14443.List(ctx, s)
	if failed != nil && !errors.Is(failed, iso14443.ErrAnswer) {
		return rfid.Scan{}, failed
	}
	if err := s.alive(); err != nil { // whatever was heard is worth nothing
		return rfid.Scan{}, err
	}
	if failed != nil {
		return rfid.Scan{}, rfid.Spoilt("%w", failed)
	}
	scan := rfid.Scan{Partial: partial}
	for _, u := range found {
		uid, err := rfid.FormatUID(u)
		if err != nil {
			return rfid.Scan{}, rfid.Spoilt("%w", err)
		}
		scan.UIDs = append(scan.UIDs, uid)
	}
	return scan, nil
}

// Exchange sends a frame to the tags and hears their answer. It is what makes the chip an [iso14443.Chip].
func (s *session) Exchange(ctx context.Context, f iso14443.Frame) (iso14443.Answer, error) {
	s.write(RegCommand, CmdIdle)
	s.write(RegComIrq, IrqAll)
	s.write(RegFIFOLevel, FIFOFlush)
	s.write(RegColl, 0) // what is behind a collision is cleared
	s.write(RegFIFOData, f.Data...)
	framing := byte(f.Align<<4 | f.Bits)
	s.write(RegBitFraming, framing)
	s.write(RegCommand, CmdTransceive)
	s.write(RegBitFraming, StartSend|framing)
	irq := s.flags(IrqReceived | IrqTimer)
	s.write(RegBitFraming, 0)
	if s.err == nil {
		s.err = ctx.Err()
	}
	if err := s.fault(); err != nil {
		return iso14443.Answer{}, err
	}
	if irq&IrqReceived == 0 {
		return iso14443.Answer{}, iso14443.ErrNone
	}
	return s.answer()
}

// answer reads what was received.
func (s *session) answer() (a iso14443.Answer, err error) {
	faults, coll := s.read(RegError), s.read(RegColl)
	a.Data = s.readFIFO(int(s.read(RegFIFOLevel)))
	if err := s.fault(); err != nil {
		return iso14443.Answer{}, err
	}
	if faults&ErrorCollision != 0 {
		a.Collision = int(coll & 0x1F)
		if a.Collision == 0 {
			a.Collision = 32
		}
	}
	if faults&ErrorOthers&^ErrorCollision != 0 && a.Collision == 0 || a.Collision != 0 && coll&CollInvalid != 0 {
		return iso14443.Answer{}, fmt.Errorf("%w: errors %02x, collision %02x", iso14443.ErrAnswer, faults, coll)
	}
	return a, nil
}

// flags waits for one of some flags, which are read again each time, until they were read twice: nothing on this bus has a
// checksum, and one bit that is wrong here would make a tag vanish.
func (s *session) flags(want byte) byte {
	for range flagTries {
		if irq := s.read(RegComIrq) & want; irq != 0 && irq == s.read(RegComIrq)&want {
			return irq
		}
		if s.err != nil {
			return 0
		}
		s.clock.Sleep(poll)
	}
	s.err = fmt.Errorf("%w: neither an answer nor the end of the time for one", framing.ErrSilent)
	return 0
}

// Halt puts the field off.
func (s *session) Halt(context.Context) error {
	s.write(RegTxControl, 0x80)
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

func (s *session) write(reg byte, values ...byte) {
	s.out = append(append(s.out[:0], reg<<1), values...)
	s.tx()
}

func (s *session) read(reg byte) byte {
	s.out = append(s.out[:0], 0x80|reg<<1, 0)
	return s.tx()[1]
}

// fifoSize is how many bytes the FIFO holds.
const fifoSize = 64

// readFIFO takes n bytes, naming the register for each.
func (s *session) readFIFO(n int) []byte {
	n = min(n, fifoSize)
	if n == 0 {
		return nil
	}
	s.out = s.out[:0]
	for range n {
		s.out = append(s.out, 0x80|RegFIFOData<<1)
	}
	s.out = append(s.out, 0)
	return slices.Clone(s.tx()[1:])
}

// tx exchanges the frame in out for one as long, zeros where that failed, which holds until the next one.
func (s *session) tx() []byte {
	s.in = slices.Grow(s.in[:0], len(s.out))[:len(s.out)]
	clear(s.in)
	if s.err == nil {
		s.err = s.conn.Tx(s.out, s.in)
	}
	return s.in
}

func (s *session) pause(ctx context.Context, d time.Duration) {
	if s.err == nil {
		s.clock.Sleep(d)
		s.err = ctx.Err()
	}
}
