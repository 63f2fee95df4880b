package pepper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

// ErrUnknown says that what answers is no Pepper C1.
var ErrUnknown = errors.New("not a Pepper C1")

// ReplyError is the reader's refusal of a command.
type ReplyError struct{ Cmd, Layer, Code byte }

func (e *ReplyError) Error() string {
	return fmt.Sprintf("command %02x refused: layer %02x, error %02x", e.Cmd, e.Layer, e.Code)
}

// MaxAntennas is how many antennas a MUX board has.
const MaxAntennas = 8

// Options describe one reader.
type Options struct {
	// Path of its serial port, see [port.Options].
	Path string
	// Antennas of a MUX to look at, in this order, by the numbers 1 to 8 printed on the board. Empty for a reader with
	// one antenna that reports cards as they pass, the shoe's.
	Antennas []int
	// Round is the shortest time from one round over the antennas to the next. Zero means 50 ms, which gives tags a
	// rest; a board with eight antennas takes 250 ms and more in any case.
	Round time.Duration
	// Field is the MUX's part in the air it shares with other readers: it then looks only in its turn and puts its field off
	// after each look. Nil if no other reader is near. A reader that reports by itself is never dark and can have none.
	Field *rfid.Field
	// ReplyTimeout is how long an answer may take; zero means 500 ms. A reader that leaves [rfid.Misses] commands in a row
	// unanswered is lost.
	ReplyTimeout time.Duration
}

// Stats counts what happened since New. Reports and faults are never lost silently: what is not delivered is here.
type Stats struct {
	Faults            // on the wire
	Readings   uint64 // delivered
	Scans      uint64 // delivered
	Repeats    uint64 // readings of a tag that had not left, not delivered
	Timeouts   uint64 // commands not answered in time
	Refusals   uint64 // commands refused by the reader
	Strays     uint64 // answers to no question, as after a timeout, and events before the reader was up
	Unreadable uint64 // answers and events that say nothing usable
	Losses     uint64 // times the reader was lost after it had been up
}

// queue is how many reports wait for their taker before the driver waits too. What the reader sends meanwhile stays in
// the driver's and the kernel's buffers, and, these full, is lost; a taker has to keep up.
const queue = 64

// Dev is one reader.
type Dev struct {
	o       Options
	reports chan rfid.Report

	mu    sync.Mutex
	stats Stats

	state rfid.State // last told; used by Run's goroutine only
}

// New describes a reader. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Path == "" {
		return nil, errors.New("pepper: path of the serial port is missing")
	}
	for i, a := range o.Antennas {
		if a < 1 || a > MaxAntennas {
			return nil, fmt.Errorf("pepper: antennas[%d]: %d is not an antenna, want 1 to %d", i, a, MaxAntennas)
		}
		if slices.Contains(o.Antennas[:i], a) {
			return nil, fmt.Errorf("pepper: antennas[%d]: %d is named twice", i, a)
		}
	}
	if len(o.Antennas) == 0 && o.Field != nil {
		return nil, errors.New("pepper: a reader that reports cards by itself cannot take turns with others; use another kind in the shoe, or keep its neighbours away")
	}
	o.Antennas = slices.Clone(o.Antennas)
	if o.Round == 0 {
		o.Round = 50 * time.Millisecond
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 500 * time.Millisecond
	}
	return &Dev{o: o, reports: make(chan rfid.Report, queue)}, nil
}

// Reports is where the reader's reports come out, in the order they happened. It is closed when Run returns. The
// driver waits for a taker and drops none.
func (d *Dev) Reports() <-chan rfid.Report { return d.reports }

// Stats may be called from any goroutine, at any time.
func (d *Dev) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

// Counters are those of Stats that count faults, by their names. Any goroutine may call it.
func (d *Dev) Counters() map[string]uint64 {
	s := d.Stats()
	return map[string]uint64{
		"garbage_bytes": s.Garbage, "bad_length": s.Length, "bad_checksum": s.Checksum, "bad_json": s.JSON, "cut": s.Cut,
		"timeouts": s.Timeouts, "refusals": s.Refusals, "strays": s.Strays, "unreadable": s.Unreadable, "losses": s.Losses,
	}
}

// Run holds the reader until ctx ends, through hangs, restarts and unplugging, then puts it to rest and returns nil.
// It may be called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	o := port.Options{Path: d.o.Path, Lost: func(err error) { d.lost(ctx, err) }}
	return port.Keep(ctx, o, func(ctx context.Context, p *port.Port) error { return d.use(ctx, p) })
}

func (d *Dev) up(ctx context.Context, firmware string) {
	d.state = rfid.State{Up: true, Firmware: firmware, At: time.Now()}
	d.tell(ctx, d.state)
}

func (d *Dev) lost(ctx context.Context, err error) {
	if d.state.Up {
		d.count(func(s *Stats) { s.Losses++ })
	}
	if d.state.Err != nil && d.state.Err.Error() == err.Error() {
		return
	}
	d.state = rfid.State{Err: err, At: time.Now()}
	d.tell(ctx, d.state)
}

// tell delivers a report, unless ctx ends first.
func (d *Dev) tell(ctx context.Context, r rfid.Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}

func (d *Dev) count(f func(*Stats)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.stats)
}
