// Package pn532 drives the NXP PN532, a reader chip for ISO 14443 tags with one antenna, as found on small modules, over
// UART or I²C. Main path: [New], then Run of the [rfid.Dev] it gives.
//
// The chip lists two tags at most. A scan with two is therefore partial: a third may lie there. That is enough for a hole
// pad of two cards and for the mouth of a shoe, not for a board or a muck. Its range is 10 to 50 mm.
//
// # Wiring
//
// The module's switches choose the interface. UART (HSU): 115200 baud, 8N1, TX and RX crossed, 3.3 V. I²C: address 24
// hex, SDA and SCL with pull-ups to 3.3 V, 100 kHz; the chip stretches the clock, which the first boards of some
// single-board computers get wrong: use their software bus then. Keep 2 cm or a ferrite sheet between antenna and metal.
//
// # Protocol
//
// A frame is 00 00 FF, length and its complement, data, complement of the sum of the data, 00. The chip acknowledges a
// command within 15 ms and answers when it is done; both often come in one piece. The host takes back a command by
// sending an acknowledgement. Over UART the chip sleeps at first: 55 55 and a row of zeros wake it, and the first command
// must be SAMConfiguration. Over I²C each read begins with a byte whose lowest bit says that the frame behind it is
// complete. Unless told how often to try, the chip looks for a tag until it finds one and never answers.
// Source: NXP, PN532/C1 data sheet, PN532 User Manual (UM0701-02).
package pn532

import (
	"context"
	"errors"
	"fmt"
	"time"

	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/framing"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

// gap is the longest silence within a frame. A byte takes 87 µs; USB adapters add up to 16 ms between packets.
const gap = 50 * time.Millisecond

// wakeUps is how often a chip that does not answer is woken at first.
const wakeUps = 3

// Options describe one chip, on a serial port or on a bus.
type Options struct {
	// Path of its serial port, see [port.Options]; empty for a chip on a bus.
	Path string
	// Bus is that of a chip on I²C, which it may share with other devices; nil for one on a serial port.
	Bus i2c.Bus
	// Line is a serial line that is open already, and stays so, instead of a port or a bus; nil for those.
	Line framing.Conn
	// ReplyTimeout is how long an answer may take; zero means 500 ms. A look takes 30 to 60 ms.
	ReplyTimeout time.Duration
	rfid.Options
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*rfid.Dev, error) {
	if o.Line == nil && (o.Path == "") == (o.Bus == nil) {
		return nil, errors.New("pn532: want the path of a serial port or a bus, one of them")
	}
	if err := o.Check(1); err != nil {
		return nil, fmt.Errorf("pn532: %w", err)
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 500 * time.Millisecond
	}
	return rfid.New(&driver{o, framing.NewScanner(Decode)}, o.Options), nil
}

type driver struct {
	o    Options
	scan *framing.Scanner[Frame]
}

func (d *driver) Counters() map[string]uint64 { return d.scan.Faults() }

func (d *driver) Open(ctx context.Context) (rfid.Session, string, error) {
	conn, err := d.connect()
	if err != nil {
		return nil, "", fmt.Errorf("pn532: %w", err)
	}
	s := &session{conn: conn, line: framing.NewLine[Frame](conn, d.scan, gap), timeout: d.o.ReplyTimeout}
	firmware, err := s.meet(ctx)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("pn532: %v: %w", conn, err), conn.Close())
	}
	return s, firmware, nil
}

// conn is the way to the chip.
type conn interface {
	framing.Conn
	fmt.Stringer
	Close() error
	// wake is what wakes a chip that sleeps, before a frame.
	wake() []byte
}

func (d *driver) connect() (conn, error) {
	switch {
	case d.o.Line != nil:
		return uart{d.o.Line, nil, "line"}, nil
	case d.o.Bus != nil:
		return &twoWire{bus: d.o.Bus}, nil
	}
	p, err := port.Open(port.Options{Path: d.o.Path})
	return uart{p, p, d.o.Path}, err
}

type uart struct {
	framing.Conn
	port *port.Port // nil where the line is somebody else's
	name string
}

func (u uart) String() string { return u.name }

func (u uart) Close() error {
	if u.port == nil {
		return nil
	}
	return u.port.Close()
}

func (uart) wake() []byte { return append([]byte{0x55, 0x55}, make([]byte, 14)...) }

type session struct {
	conn    conn
	line    *framing.Line[Frame]
	timeout time.Duration
	open    bool // the answer to the last command has not been waited for
}

// meet wakes the chip, asks what it is, and has it give up looking when it finds no tag.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	for range wakeUps {
		if err = s.line.Send(s.conn.wake()); err == nil {
			_, err = s.ask(ctx, CmdSAM, 1, 20, 1)
		}
		if !errors.Is(err, framing.ErrSilent) {
			break
		}
	}
	if errors.Is(err, framing.ErrSilent) {
		return "", fmt.Errorf("%w; check power, wiring (UART: RX and TX crossed) and the module's switches for its interface", err)
	}
	if err != nil {
		return "", fmt.Errorf("wake the chip: %w", err)
	}
	version, err := s.ask(ctx, CmdVersion)
	if err != nil {
		return "", err
	}
	if len(version) != 4 || version[0] != IC {
		return "", fmt.Errorf("version % x: not a PN532; check which device is there", version)
	}
	if _, err := s.ask(ctx, CmdRF, ItemRetries, 0xFF, 1, 1); err != nil {
		return "", err
	}
	return fmt.Sprintf("PN5%02x %d.%d", version[0], version[1], version[2]), nil
}

// Look lists the tags, and puts the field off, so that the next look finds them as they are at first.
func (s *session) Look(ctx context.Context, _ int) (rfid.Scan, error) {
	data, err := s.ask(ctx, CmdList, MaxTags, BrTyA)
	if err != nil {
		return rfid.Scan{}, err
	}
	uids, err := list(data)
	if err != nil {
		return rfid.Scan{}, err
	}
	return rfid.Scan{UIDs: uids, Partial: len(uids) == MaxTags}, s.Halt(ctx)
}

// list reads the data of an answer to CmdList.
func list(data []byte) ([]string, error) {
	const head = 5 // number, SENS_RES, SEL_RES, length of the UID
	if len(data) == 0 || data[0] > MaxTags {
		return nil, rfid.Spoilt("list % x", data)
	}
	var uids []string
	rest := data[1:]
	for range data[0] {
		if len(rest) < head || len(rest) < head+int(rest[4]) {
			return nil, rfid.Spoilt("list cut: % x", data)
		}
		end := head + int(rest[4])
		uid, err := rfid.FormatUID(rest[head:end])
		if err != nil {
			return nil, rfid.Spoilt("%w", err)
		}
		uids = append(uids, uid)
		if more := rest[3]&0x20 != 0; more && len(rest) > end { // an ATS, whose length counts itself
			end += int(rest[end])
		}
		if len(rest) < end {
			return nil, rfid.Spoilt("list cut: % x", data)
		}
		rest = rest[end:]
	}
	if len(rest) > 0 {
		return nil, rfid.Spoilt("list with more than it should have: % x", data)
	}
	return uids, nil
}

// Check takes back what may be under way and asks for the version. Answers come in the order of the commands: once this
// one is answered, none to an earlier command can follow.
func (s *session) Check(ctx context.Context) error {
	if err := s.line.Send(Append(nil, Frame{Kind: Ack})); err != nil {
		return err
	}
	_, err := s.ask(ctx, CmdVersion)
	if err != nil {
		return fmt.Errorf("pn532: %v: %w", s.conn, err)
	}
	return nil
}

// Halt puts the field off. Where the end of a context cut a command short, it first lets the answer to that go by.
func (s *session) Halt(ctx context.Context) error {
	if s.open {
		if err := s.Check(ctx); err != nil {
			return err
		}
	}
	_, err := s.ask(ctx, CmdRF, ItemField, 0)
	return err
}

func (s *session) Close() error { return s.conn.Close() }

// ask sends a command and waits for its answer. An answer whose acknowledgement was lost is an answer all the same.
func (s *session) ask(ctx context.Context, cmd byte, args ...byte) ([]byte, error) {
	if err := s.line.Send(Append(nil, Frame{Data: append([]byte{FromHost, cmd}, args...)})); err != nil {
		return nil, err
	}
	s.open = true
	for end := time.Now().Add(s.timeout); ; {
		f, err := s.line.Receive(ctx, time.Until(end))
		switch {
		case err != nil:
			return nil, fmt.Errorf("command %02x: %w", cmd, err)
		case f.Kind == Nack || f.Kind == Data && f.Data[0] == Failed:
			s.open = false
			return nil, rfid.Spoilt("command %02x refused", cmd)
		case f.Kind == Data && len(f.Data) >= 2 && f.Data[0] == FromChip && f.Data[1] == cmd+1:
			s.open = false
			return f.Data[2:], nil
		}
	}
}
