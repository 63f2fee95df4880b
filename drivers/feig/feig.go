// Package feig drives RFID readers of the FEIG OBID family (OBID classic-pro and i-scan: mid-range and long-range
// readers for ISO 15693 tags) through their ISO host commands. A reader with several antenna outputs energises one at a
// time. Main path: [New], then Run of the [rfid.Dev] it gives.
//
// # Wiring
//
// RS-232 or USB with a virtual serial port, at 38400 baud, 8E1, the readers' default. The reader must be in host mode
// ("ISO host mode", CFG1), not in scan or notification mode, and configured for ISO 15693 transponders alone. The antenna
// has to be tuned in place: metal near it, a table's frame, shifts it. One reader a port; it is addressed as any.
//
// # Protocol
//
// The host asks, the reader answers; it never speaks by itself in host mode. A standard frame is its own length in one
// byte, address, command, in answers a status, data, and CRC-16/MCRF4XX over all that, low byte first; an advanced frame
// begins with 02 and has a length of two bytes, high byte first. An inventory of many tags is given in parts: as long as
// the status is 94 hex there are more. Source: FEIG electronic, OBID i-scan system manuals (ISO host commands).
//
// A reader may have been configured to report only new tags: a tag that was read then keeps quiet until the field was
// off. The driver resets the field before each inventory (15 ms at most), so that a tag that lies still is seen each time.
package feig

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

// MaxAntennas is how many antenna outputs a reader has at most.
const MaxAntennas = 8

// DefaultBaud is the readers' speed unless they were set to another.
const DefaultBaud = 38400

// gap is the longest silence within a frame. A byte takes 0.3 ms; USB adapters add up to 16 ms between packets.
const gap = 50 * time.Millisecond

// wakeUps is how many questions a reader may miss at first, because it starts up.
const wakeUps = 4

// maxParts bounds an inventory: a part has a tag at least.
const maxParts = 256

// Options describe one reader.
type Options struct {
	// Path of its serial port, see [port.Options], and Baud, in bits a second; zero means DefaultBaud.
	Path string
	Baud int
	// Line is a line that is open already, and stays so, instead of the port; nil for the port.
	Line framing.Conn
	// Form of the frames; Standard by default, which all readers know.
	Form Form
	// ReplyTimeout is how long an answer may take; zero means 500 ms. An inventory of 50 tags takes 300 ms.
	ReplyTimeout time.Duration
	rfid.Options
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*rfid.Dev, error) {
	if o.Path == "" && o.Line == nil {
		return nil, errors.New("feig: path of the serial port is missing")
	}
	if err := o.Check(MaxAntennas); err != nil {
		return nil, fmt.Errorf("feig: %w", err)
	}
	if o.Baud == 0 {
		o.Baud = DefaultBaud
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 500 * time.Millisecond
	}
	return rfid.New(&driver{o, framing.NewScanner(o.Form.Decode)}, o.Options), nil
}

type driver struct {
	o    Options
	scan *framing.Scanner[Frame]
}

func (d *driver) Counters() map[string]uint64 { return d.scan.Faults() }

func (d *driver) Open(ctx context.Context) (rfid.Session, string, error) {
	s := &session{o: d.o}
	line := d.o.Line
	if line == nil {
		var err error
		if s.port, err = port.Open(port.Options{Path: d.o.Path, Baud: d.o.Baud, Even: true}); err != nil {
			return nil, "", fmt.Errorf("feig: %w", err)
		}
		line = s.port
	}
	s.line = framing.NewLine(line, d.scan, gap)
	firmware, err := s.meet(ctx)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("feig: %s: %w", d.o.Path, err), s.Close())
	}
	return s, firmware, nil
}

type session struct {
	port *port.Port // nil where the line is somebody else's
	line *framing.Line[Frame]
	o    Options
	open bool // the answer to the last question has not been waited for
}

// meet asks who the reader is, a few times, for it may be starting up.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	for range wakeUps {
		if firmware, err = s.version(ctx); !errors.Is(err, framing.ErrSilent) {
			return firmware, err
		}
	}
	return "", fmt.Errorf("%w; check power, wiring (RX and TX crossed), that this port is a FEIG reader in host mode, and its speed, %d baud 8E1",
		err, s.o.Baud)
}

func (s *session) version(ctx context.Context) (string, error) {
	status, data, err := s.ask(ctx, CmdVersion)
	switch {
	case err != nil:
		return "", err
	case status != StatusOK || len(data) < 5:
		return "", fmt.Errorf("version: status %02x, % x; check which device is on this port", status, data)
	}
	return fmt.Sprintf("%d.%d type %02x", data[0], data[1], data[4]), nil
}

// Look switches to an antenna, lets all tags there start over, and takes an inventory.
func (s *session) Look(ctx context.Context, antenna int) (rfid.Scan, error) {
	if err := s.command(ctx, CmdOutput, byte(antenna)); err != nil {
		return rfid.Scan{}, err
	}
	if err := s.command(ctx, CmdResetRF); err != nil {
		return rfid.Scan{}, err
	}
	var scan rfid.Scan
	mode := byte(0)
	for range maxParts {
		status, data, err := s.ask(ctx, CmdISO, CmdInventory, mode)
		if err != nil {
			return rfid.Scan{}, err
		}
		switch {
		case status == StatusNoTag && mode == 0 && len(data) == 0:
			return rfid.Scan{}, nil
		case status != StatusOK && status != StatusMore:
			return rfid.Scan{}, refusal(CmdISO, status)
		}
		part, err := inventory(data)
		if err != nil {
			return rfid.Scan{}, err
		}
		scan.UIDs = append(scan.UIDs, part...)
		if status == StatusOK {
			return scan, nil
		}
		mode = MoreTags
	}
	return rfid.Scan{}, rfid.Spoilt("an inventory without end")
}

// inventory reads the data of an inventory's answer.
func inventory(data []byte) ([]string, error) {
	const record = 10
	if len(data) == 0 || len(data) != 1+record*int(data[0]) {
		return nil, rfid.Spoilt("inventory of %d bytes", len(data))
	}
	var out []string
	for r := data[1:]; len(r) > 0; r = r[record:] {
		if r[0] != TagISO15693 {
			return nil, rfid.Spoilt("tag of type %02x; configure the reader for ISO 15693 (type %02x) alone", r[0], TagISO15693)
		}
		uid, err := rfid.FormatUID(r[2:record])
		if err != nil {
			return nil, rfid.Spoilt("%w", err)
		}
		out = append(out, uid)
	}
	return out, nil
}

// Check asks for the version. Answers come in the order of the questions: once this one is answered, none to an earlier
// command can follow.
func (s *session) Check(ctx context.Context) error {
	_, err := s.version(ctx)
	if err != nil {
		return fmt.Errorf("feig: %s: %w", s.o.Path, err)
	}
	return nil
}

// Halt puts the field off. Where the end of a context cut a question short, it first lets the answer to that go by, which
// may look like its own.
func (s *session) Halt(ctx context.Context) error {
	if s.open {
		if err := s.Check(ctx); err != nil {
			return err
		}
	}
	return s.command(ctx, CmdOutput, 0)
}

func (s *session) Close() error {
	if s.port == nil {
		return nil
	}
	return s.port.Close()
}

// command asks for something to be done.
func (s *session) command(ctx context.Context, cmd byte, args ...byte) error {
	status, _, err := s.ask(ctx, cmd, args...)
	if err == nil && status != StatusOK {
		return refusal(cmd, status)
	}
	return err
}

func refusal(cmd, status byte) error {
	return rfid.Spoilt("command %02x refused: status %02x", cmd, status)
}

// ask sends a command and waits for its answer.
func (s *session) ask(ctx context.Context, cmd byte, args ...byte) (status byte, data []byte, err error) {
	if err := s.line.Send(s.o.Form.Append(nil, Frame{AnyReader, cmd, args})); err != nil {
		return 0, nil, err
	}
	s.open = true
	for end := time.Now().Add(s.o.ReplyTimeout); ; {
		f, err := s.line.Receive(ctx, time.Until(end))
		if err != nil {
			return 0, nil, fmt.Errorf("command %02x: %w", cmd, err)
		}
		if f.Cmd == cmd && len(f.Data) > 0 { // any other answers an earlier question
			s.open = false
			return f.Data[0], f.Data[1:], nil
		}
	}
}
