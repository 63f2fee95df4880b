// Package seatnode drives the players' panels: keys, lamps and a small display at each seat, run by a microcontroller,
// all on one two-wire bus behind one serial adapter. Package bridge holds the protocol; this package puts it on a
// serial port and speaks in seats, chips and lines of text.
//
// A panel has keys to fold, check or call, bet or raise, go all-in, sit out or in, show and muck; a keypad and an
// encoder for the amount of a bet; a lamp in each key and one for the seat; a display of four lines; and perhaps a scale
// under the player's chips. The amount is prepared inside the panel and reaches the host only with the press of the bet
// key, so nothing tells that a player toys with a raise.
//
// Start with [New] and [Dev.Run]; [Dev.Set] says what a panel shows, [Dev.Reports] what its player did.
//
// # Wiring
//
// RS-485, 8N1, at 115200 baud or what all nodes are set to. The adapter must switch direction by itself, or the UART by its
// hardware, with Options.RS485. Adapters that hear their own sending are fine. Terminate both ends with 120 Ω. A new
// node has no address; it is given one, 1 to 14, over the bus and keeps it ([bridge.Line.Move], "tavolo node move"). Behind
// an FTDI adapter set latency_timer to 1, see package port.
package seatnode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tavolo/drivers/port"
	bridge "tavolo/firmware-bridge"
)

// The display of a panel.
const (
	Lines    = 4
	LineLen  = 20 // characters
	TextSize = 40 // bytes in UTF-8 that all lines may have together, one more for each line but the last
)

// Report is what comes from the panels: a [Key], a [Weight] or a [Status].
type Report interface{ report() }

// Key is a key that went down or came up, told once for each time it did.
type Key struct {
	Seat   bridge.Addr
	Key    bridge.Key
	Down   bool
	At     time.Time // when it happened, which after an outage may be long ago
	Prompt uint8     // of the decision the panel asked for then, see [Panel]; 0: none
	Amount int64     // chips prepared, with [bridge.KeyBet] going down; else 0
	Lost   int       // events just before this one that are lost, because the panel was cut off for too many
}

// Weight is a sample of the scale under a player's chips, told four times a second where a seat has one.
type Weight struct {
	Seat bridge.Addr
	bridge.Sample
}

// Status tells that a seat's node came, went, or started over. With a new Epoch it started over: its keys count as up,
// and presses not told so far are gone.
type Status struct {
	Seat bridge.Addr
	bridge.Status
}

func (Key) report()    {}
func (Weight) report() {}
func (Status) report() {}

// Panel is what a seat's panel shows. The zero Panel is dark.
type Panel struct {
	Lines [Lines]string
	// Lit and Blink are lamps by [bridge.LampOf], and [bridge.SeatLamp]. A lamp in Blink need not be in Lit.
	Lit, Blink uint16
	// Prompt numbers the decision the player is asked for, 0 for none. A new decision takes a new number, or the panel
	// keeps what was typed for the old one. It comes back with each key, and tells a press that answers this decision
	// from one that was meant for an earlier.
	Prompt uint8
	Bet    Bet
}

// Bet is the amount a player may choose, in chips. In the zero Bet there is none to choose.
type Bet struct {
	Start    int64 // what the panel offers first
	Min, Max int64 // how far the encoder goes; digits may say anything, and it is for the host to refuse it
	Step     int64 // of the encoder
}

// Options describe a bus.
type Options struct {
	Path  string        // of the serial port, see [port.Options]
	Baud  int           // 0 for 115200
	RS485 bool          // whether the UART switches the transceiver, see [port.Options]; off for an adapter that does it itself
	Seats []bridge.Addr // that have a node
	Reply time.Duration // how long an answer may take, 0 for 30 ms; longer behind an adapter that is slow
}

// queue is how many reports wait for their taker. Then the bus waits as well, and keys stay in the nodes, which hold 32
// events each: a taker that comes back within some presses of a player has lost nothing.
const queue = 64

// Dev is a bus with its panels.
type Dev struct {
	options port.Options
	master  *bridge.Master
	reports chan Report
	seats   map[bridge.Addr]bridge.State // last told; of Run's goroutine
}

// New describes a bus. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Path == "" {
		return nil, errors.New("seatnode: path of the serial port is missing")
	}
	d := &Dev{
		options: port.Options{Path: o.Path, Baud: o.Baud, RS485: o.RS485},
		reports: make(chan Report, queue),
		seats:   make(map[bridge.Addr]bridge.State),
	}
	for _, s := range o.Seats {
		d.seats[s] = bridge.Unknown
	}
	var err error
	if d.master, err = bridge.NewMaster(bridge.Config{Nodes: o.Seats, Reply: o.Reply, Handler: handler{d}}); err != nil {
		return nil, fmt.Errorf("seatnode: %w", err)
	}
	return d, nil
}

// Reports is where keys and changes of status come out, in order for each seat. It is closed when Run returns.
func (d *Dev) Reports() <-chan Report { return d.reports }

// Stats tell how well the bus carries. Any goroutine may call it.
func (d *Dev) Stats() bridge.Stats { return d.master.Stats() }

// Run works the bus until ctx ends, through faults and unplugging, then darkens the panels and returns nil. It is
// called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	o := d.options
	o.Lost = func(err error) { d.noPort(ctx, err) }
	return port.Keep(ctx, o, func(ctx context.Context, p *port.Port) error { return d.master.Run(ctx, p) })
}

// Set makes p what the seat's panel shows, at once or as soon as it can be reached, and again whenever its node starts
// over; only the latest counts. Any goroutine may call it; it does not wait. The error says what of p cannot be shown.
func (d *Dev) Set(seat bridge.Addr, p Panel) error {
	text, err := p.text()
	if err == nil {
		err = p.Bet.check()
	}
	if err == nil {
		err = d.master.Set(seat, bridge.Panel{
			Lamps: bridge.Lamps{On: p.Lit, Blink: p.Blink},
			Show:  bridge.Show{Text: text},
			Ask: bridge.Ask{
				Prompt: p.Prompt,
				Start:  uint64(p.Bet.Start), Min: uint64(p.Bet.Min), Max: uint64(p.Bet.Max), Step: uint64(p.Bet.Step),
			},
		})
	}
	if err != nil {
		return fmt.Errorf("seatnode: panel of seat %d: %w", seat, err)
	}
	return nil
}

func (p Panel) text() (string, error) {
	for i, line := range p.Lines {
		if n := utf8.RuneCountInString(line); n > LineLen {
			return "", fmt.Errorf("line %d has %d characters, at most %d fit", i+1, n, LineLen)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return "", fmt.Errorf("line %d has characters that cannot be shown: %q", i+1, line)
		}
	}
	text := strings.TrimRight(strings.Join(p.Lines[:], "\n"), "\n")
	if len(text) > TextSize {
		return "", fmt.Errorf("the lines have %d bytes together, at most %d fit", len(text), TextSize)
	}
	return text, nil
}

func (b Bet) check() error {
	if b == (Bet{}) || 0 <= b.Min && b.Min <= b.Start && b.Start <= b.Max && b.Max > 0 && b.Step > 0 {
		return nil
	}
	return fmt.Errorf("bet %+v: want 0 <= Min <= Start <= Max, Max and Step above 0", b)
}

// noPort tells of each seat nothing was told of yet that there is no way to it. The others are told by the Master.
func (d *Dev) noPort(ctx context.Context, err error) {
	for seat, state := range d.seats {
		if state == bridge.Unknown {
			handler{d}.Node(ctx, seat, bridge.Status{State: bridge.Offline, Err: err})
		}
	}
}

func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}

// handler is a Dev as its Master sees it.
type handler struct{ *Dev }

func (h handler) Key(ctx context.Context, seat bridge.Addr, e bridge.KeyEvent) {
	h.tell(ctx, Key{
		Seat: seat, Key: e.Key, Down: e.Down, At: e.At, Prompt: e.Prompt, Lost: e.Lost,
		Amount: int64(min(e.Amount, math.MaxInt64)),
	})
}

func (h handler) Weight(ctx context.Context, seat bridge.Addr, s bridge.Sample) {
	h.tell(ctx, Weight{Seat: seat, Sample: s})
}

func (h handler) Node(ctx context.Context, seat bridge.Addr, s bridge.Status) {
	h.seats[seat] = s.State
	h.tell(ctx, Status{Seat: seat, Status: s})
}
