package pepper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

// ErrUnknown says that what answers is no Pepper C1.
var ErrUnknown = errors.New("not a Pepper C1")

// MaxAntennas is how many antennas a MUX board has.
const MaxAntennas = 8

const (
	// gap is the longest silence within a message. A byte takes 87 µs; USB adapters add up to 16 ms between packets.
	gap = 100 * time.Millisecond
	// wakeUps is how many dummy commands a reader may miss at first, because it starts up.
	wakeUps = 4
)

// Options describe one reader.
type Options struct {
	// Path of its serial port, see [port.Options].
	Path string
	// Line is a line that is open already, and stays so, instead of the port; nil for the port.
	Line framing.Conn
	// Passing is for a reader with one antenna at the mouth of a shoe, number 1 of the Antennas: it reports cards by itself as
	// they slide past. It is never dark, so that it can take no turns with others.
	Passing bool
	// ReplyTimeout is how long an answer may take; zero means 500 ms.
	ReplyTimeout time.Duration
	rfid.Options
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*rfid.Dev, error) {
	antennas := MaxAntennas
	if o.Passing {
		antennas = 1
	}
	if o.Path == "" && o.Line == nil {
		return nil, errors.New("pepper: path of the serial port is missing")
	}
	if err := o.Check(antennas); err != nil {
		return nil, fmt.Errorf("pepper: %w", err)
	}
	if o.Passing && o.Field != nil {
		return nil, errors.New("pepper: a reader that reports cards by itself cannot take turns with others; use another kind in the shoe, or keep its neighbours away")
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 500 * time.Millisecond
	}
	return rfid.New(&driver{o, framing.NewScanner(Decode)}, o.Options), nil
}

type driver struct {
	o    Options
	scan *framing.Scanner[Message]
}

func (d *driver) Counters() map[string]uint64 { return d.scan.Faults() }

func (d *driver) Open(ctx context.Context) (rfid.Session, string, error) {
	s := &session{o: d.o, clock: cmp.Or[rfid.Clock](d.o.Clock, rfid.RealTime{})}
	line := d.o.Line
	if line == nil {
		var err error
		if s.port, err = port.Open(port.Options{Path: d.o.Path}); err != nil {
			return nil, "", fmt.Errorf("pepper: %w", err)
		}
		line = s.port
	}
	s.line = framing.NewLine(line, d.scan, gap)
	firmware, err := s.meet(ctx)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("pepper: %s: %w", d.o.Path, err), s.Close())
	}
	return s, firmware, nil
}
