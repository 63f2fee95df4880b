// Package uhf drives UHF RFID readers that speak the protocol of the YRM100: modules with a M100 or QM100 chip, sold as
// YRM100, JRD-4035 and others, for EPC Gen2 tags (ISO/IEC 18000-63), such as those in chips. Main path: [New], then Run of
// the [rfid.Dev] it gives.
//
// # Wiring
//
// 5 V, which must bear the half ampere that sending takes, ground, and a UART of 3.3 V (or the USB adapter that many boards
// have) at 115200 baud, 8N1. EN is high. One antenna. A UHF field reaches far: with the usual 26 dBm that antenna sees the
// neighbour's chips too. Take a near-field antenna under the felt, and lower the power until it sees its own spot alone.
//
// # Protocol
//
// A frame is BB, a type, a command, the length of its data in two bytes, high byte first, the data, the low byte of the sum
// of all from the type on, and 7E. The bytes BB and 7E stand within data as well. An inventory is a number of rounds; in
// each the reader tells of every tag that answers, with the strength of its signal, or that none did. It does not say when a
// round ends, and one that is told to stop says so after all that it has told of. Source: Magicrf M100 and QM100, firmware
// command manual.
//
// A look lasts until some rounds have brought no tag that was not known: a tag that misses one of them is still found.
package uhf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tavolo/drivers/crc"
	"tavolo/drivers/framing"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

// DefaultBaud is the modules' speed unless they were set to another.
const DefaultBaud = 115200

// MaxPower is the most power that any module of the kind sends with, in dBm.
const MaxPower = 30

const (
	// gap is the longest silence within a frame. A byte takes 0.1 ms; USB adapters add up to 16 ms between packets.
	gap = 50 * time.Millisecond
	// wakeUps is how many questions a reader may miss at first, because it starts up.
	wakeUps = 4
	// settled is how many rounds without a new tag end a look.
	settled = 3
	// lookTime is how long a look may last. A round over forty tags takes some 300 ms.
	lookTime = 5 * time.Second
	// rounds is how many are asked for: more than there are in a look.
	rounds = 10000
)

// Options describe one reader.
type Options struct {
	// Path of its serial port, see [port.Options], and Baud, in bits a second; zero means DefaultBaud.
	Path string
	Baud int
	// Line is a line that is open already, and stays so, instead of the port; nil for the port.
	Line framing.Conn
	// Power is what it sends with, in dBm up to MaxPower; zero leaves it as the reader was set.
	Power int
	// ReplyTimeout is how long an answer may take, and a round without tags; zero means 500 ms.
	ReplyTimeout time.Duration
	rfid.Options
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*rfid.Dev, error) {
	if o.Path == "" && o.Line == nil {
		return nil, errors.New("uhf: path of the serial port is missing")
	}
	if o.Power < 0 || o.Power > MaxPower {
		return nil, fmt.Errorf("uhf: power of %d dBm: want 0 to %d", o.Power, MaxPower)
	}
	if err := o.Check(1); err != nil {
		return nil, fmt.Errorf("uhf: %w", err)
	}
	if o.Baud == 0 {
		o.Baud = DefaultBaud
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
	s := &session{o: d.o, inv: newInventory()}
	line := d.o.Line
	if line == nil {
		var err error
		if s.port, err = port.Open(port.Options{Path: d.o.Path, Baud: d.o.Baud}); err != nil {
			return nil, "", fmt.Errorf("uhf: %w", err)
		}
		line = s.port
	}
	s.line = framing.NewLine(line, d.scan, gap)
	firmware, err := s.meet(ctx)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("uhf: %s: %w", d.o.Path, err), s.Close())
	}
	return s, firmware, nil
}

type session struct {
	port *port.Port // nil on a line that is open already
	line *framing.Line[Frame]
	o    Options
	inv  inventory // under way, or the last one
}

// meet finds out who the reader is, a few times, for it may be starting up, and sets what looks depend on.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	for range wakeUps {
		if firmware, err = s.version(ctx); !errors.Is(err, framing.ErrSilent) {
			break
		}
	}
	switch {
	case errors.Is(err, framing.ErrSilent):
		return "", fmt.Errorf("%w; check power, EN, wiring (RX and TX crossed), that this port is a reader with the protocol of the YRM100, and its speed, %d baud 8N1",
			err, s.o.Baud)
	case err != nil:
		return "", err
	}
	// A selection that an earlier program left in the reader would hide tags.
	if err := s.command(ctx, CmdSelect, SelectNever); err != nil {
		return "", err
	}
	if s.o.Power > 0 {
		if err := s.command(ctx, CmdSetPower, binary.BigEndian.AppendUint16(nil, uint16(100*s.o.Power))...); err != nil {
			return "", fmt.Errorf("power of %d dBm: %w; want what the module is made for", s.o.Power, err)
		}
	}
	power, err := s.ask(ctx, CmdPower)
	switch {
	case err != nil:
		return "", err
	case len(power) != 2:
		return "", fmt.Errorf("power: % x", power)
	}
	p := binary.BigEndian.Uint16(power)
	return fmt.Sprintf("%s, sends with %d.%02d dBm", firmware, p/100, p%100), nil
}

// version ends what the reader may be at and asks for its name. Answers come in the order of the questions: once this one
// is there, none to an earlier command can follow.
func (s *session) version(ctx context.Context) (string, error) {
	if err := s.Halt(ctx); err != nil {
		return "", err
	}
	data, err := s.ask(ctx, CmdInfo, InfoHardware)
	if err != nil {
		return "", err
	}
	text := string(data)
	if len(data) < 2 || data[0] != InfoHardware || strings.ContainsFunc(text[1:], func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("version: %q; check which device is on this port", text)
	}
	return strings.TrimSpace(text[1:]), nil
}

// Look takes an inventory until some rounds in a row have brought no new tag.
func (s *session) Look(ctx context.Context, _ int) (rfid.Scan, error) {
	if err := s.line.Send(Append(nil, Frame{Command, CmdPollMany, binary.BigEndian.AppendUint16([]byte{PollMany}, rounds)})); err != nil {
		return rfid.Scan{}, err
	}
	s.inv = newInventory()
	for until := time.Now().Add(lookTime); !s.inv.complete() && time.Now().Before(until); {
		f, err := s.line.Receive(ctx, s.o.ReplyTimeout)
		if err != nil {
			return rfid.Scan{}, fmt.Errorf("inventory: %w", err)
		}
		s.inv.take(f)
	}
	partial := !s.inv.complete()
	if err := s.Halt(ctx); err != nil { // what is told until then counts as well
		return rfid.Scan{}, err
	}
	return rfid.Scan{UIDs: slices.Collect(maps.Keys(s.inv.seen)), RSSI: s.inv.rssi, Partial: partial}, s.inv.err
}

// inventory is what an inventory has told of so far.
type inventory struct {
	seen  map[string]int // how often each tag was told of since the last new one: once a round at most
	rssi  map[string]int // the best of each tag, in dBm
	empty int            // rounds without a tag since then
	err   error          // what spoilt it
}

func newInventory() inventory { return inventory{seen: map[string]int{}, rssi: map[string]int{}} }

// take takes in what the reader says.
func (inv *inventory) take(f Frame) {
	switch {
	case f.Type == Notice && f.Cmd == CmdPoll:
		uid, rssi, err := tag(f.Data)
		if err != nil {
			inv.err = err
			return
		}
		if best, known := inv.rssi[uid]; !known || rssi > best {
			inv.rssi[uid] = rssi
		}
		if n, known := inv.seen[uid]; known {
			inv.seen[uid] = n + 1
			return
		}
		for other := range inv.seen {
			inv.seen[other] = 0
		}
		inv.seen[uid], inv.empty = 0, 0
	case f.Type != Response || f.Cmd != CmdError || len(f.Data) == 0: // answers an earlier question
	case f.Data[0] == ErrorNoTag:
		inv.empty++
	default:
		inv.err = refusal(CmdPollMany, f.Data[0])
	}
}

// complete is whether enough rounds have gone by without a new tag, or something has spoilt it.
func (inv *inventory) complete() bool {
	most := 0
	for _, n := range inv.seen {
		most = max(most, n)
	}
	return most+inv.empty >= settled || inv.err != nil
}

// tag reads the data of a notice: the strength of the signal in dBm, a signed byte, the tag's PC, EPC and checksum. The first
// five bits of the PC are the length of the EPC in words.
func tag(data []byte) (uid string, rssi int, err error) {
	const before, after = 3, 2
	if len(data) < before+after {
		return "", 0, rfid.Spoilt("a tag of %d bytes", len(data))
	}
	pc, epc, sum := data[1:before], data[before:len(data)-after], data[len(data)-after:]
	switch {
	case len(epc) != 2*int(pc[0]>>3):
		return "", 0, rfid.Spoilt("an EPC of %d bytes whose PC says %d", len(epc), 2*int(pc[0]>>3))
	case binary.BigEndian.Uint16(sum) != crc.EPC(data[1:len(data)-after]):
		return "", 0, rfid.Spoilt("a tag with a wrong checksum")
	}
	if uid, err = rfid.FormatUID(epc); err != nil {
		return "", 0, rfid.Spoilt("%w", err)
	}
	return uid, int(int8(data[0])), nil
}

// Check is as in [rfid.Session].
func (s *session) Check(ctx context.Context) error {
	if _, err := s.version(ctx); err != nil {
		return fmt.Errorf("uhf: %s: %w", s.o.Path, err)
	}
	return nil
}

// Halt ends an inventory. The reader sends during one only.
func (s *session) Halt(ctx context.Context) error { return s.command(ctx, CmdStop) }

func (s *session) Close() error {
	if s.port == nil {
		return nil
	}
	return s.port.Close()
}

// command asks for something to be done.
func (s *session) command(ctx context.Context, cmd byte, args ...byte) error {
	data, err := s.ask(ctx, cmd, args...)
	if err == nil && !bytes.Equal(data, []byte{0}) {
		return rfid.Spoilt("command %02x answered by % x", cmd, data)
	}
	return err
}

// ask sends a command and waits for its answer. What comes before that is of an inventory.
func (s *session) ask(ctx context.Context, cmd byte, args ...byte) ([]byte, error) {
	if err := s.line.Send(Append(nil, Frame{Command, cmd, args})); err != nil {
		return nil, err
	}
	for end := time.Now().Add(s.o.ReplyTimeout); ; {
		f, err := s.line.Receive(ctx, time.Until(end))
		switch {
		case err != nil:
			return nil, fmt.Errorf("command %02x: %w", cmd, err)
		case f.Type == Response && f.Cmd == cmd:
			return f.Data, nil
		case f.Type == Response && f.Cmd == CmdError && len(f.Data) > 0 && f.Data[0] != ErrorNoTag:
			return nil, refusal(cmd, f.Data[0])
		}
		s.inv.take(f)
	}
}

func refusal(cmd, code byte) error { return rfid.Spoilt("command %02x refused: error %02x", cmd, code) }
