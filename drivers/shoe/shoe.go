// Package shoe drives a dealing shoe: a card reader of any make at its mouth, if it has one a second antenna a card's
// width behind, and contacts at the gate and the lid. It brings what these see into one order and says no more than that;
// which card left, whether the shoe is empty or jammed, is worked out by those who take the reports.
//
// Main path: [New], then [Dev.Run].
//
// # Wiring
//
// The antenna at the mouth must see a card only while it is on its way out: a coil no larger than a card's half, screened
// towards the cards that wait. The look-ahead antenna sees the card that is next and none behind it. Contacts close to
// ground, on lines of the board: the gate's is held open by a card in the mouth, the lid's by the lid being off. A shoe
// without contacts, or without a look-ahead antenna, serves as well, and less is known of it.
package shoe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

// Report is what a shoe has to say: a [Seen], a [Contact] or a [State].
type Report interface{ report() }

// Place is an antenna's.
type Place uint8

// The places. The zero value is the mouth.
const (
	Mouth Place = iota
	Ahead       // where the next card waits
)

// Seen is what the reader saw at a place.
type Seen struct {
	Place Place
	UIDs  []string
	// Whole is whether no other tag is there: false for a reader that tells single cards by itself, or lists only so many.
	Whole bool
	At    time.Time
}

// Part is a part of the shoe with a contact.
type Part uint8

// The parts.
const (
	Gate Part = iota // open while a card is in the mouth
	Lid              // open while cards can be put in and taken out
)

func (p Part) String() string { return [...]string{"gate", "lid"}[p] }

// Contact tells that a part is open or closed: once when contacts are read first, and whenever it changes.
type Contact struct {
	Part Part
	Open bool
	At   time.Time
	Lost int // changes just before this one that were lost
}

// State tells that the reader, or the contacts, came up or were lost. While they are lost nothing is known from them.
type State struct {
	Contacts bool // it is these, not the reader
	rfid.State
}

func (Seen) report()    {}
func (Contact) report() {}
func (State) report()   {}

// Contacts are lines of the board that are active while a part is open; gpiocdev.Inputs are some.
type Contacts interface {
	gpiocdev.Edges
	Close() error
}

// Options describe a shoe.
type Options struct {
	// Reader is at the mouth, with AheadAntenna behind; 0 for none there. Any other antenna, and a tag told by itself, is
	// the mouth's.
	Reader       rfid.Reader
	AheadAntenna int
	// Contacts opens the lines of Parts, in this order, again whenever they failed. Nil for a shoe without contacts.
	Contacts func() (Contacts, error)
	Parts    []Part
}

// queue is how many reports wait for their taker before reader and contacts wait too.
const queue = 64

// Dev is one shoe.
type Dev struct {
	o       Options
	reports chan Report

	mu   sync.Mutex
	lost uint64 // changes of contacts

	why string // the contacts were lost for; of their goroutine only
}

// New describes a shoe. It touches no hardware; Run does.
func New(o Options) (*Dev, error) {
	if o.Reader == nil {
		return nil, errors.New("shoe: a card reader is missing")
	}
	if (o.Contacts == nil) != (len(o.Parts) == 0) || len(o.Parts) > 2 || len(o.Parts) == 2 && o.Parts[0] == o.Parts[1] {
		return nil, fmt.Errorf("shoe: contacts of %v: want each part once, and lines for them", o.Parts)
	}
	return &Dev{o: o, reports: make(chan Report, queue)}, nil
}

// Reports is where the reports come out: those of the reader in their order, those of the contacts in theirs. It is
// closed when Run returns. The shoe waits for a taker and drops none.
func (d *Dev) Reports() <-chan Report { return d.reports }

// Counters are the reader's, and changes of contacts that were lost. Any goroutine may call it.
func (d *Dev) Counters() map[string]uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]uint64{"contacts_lost": d.lost}
	maps.Copy(out, d.o.Reader.Counters())
	return out
}

// Run holds reader and contacts until ctx ends, then puts the reader to rest and returns nil. It may be called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	var all sync.WaitGroup
	errs := make([]error, 2)
	all.Go(func() { errs[0] = d.o.Reader.Run(ctx) })
	if d.o.Contacts != nil {
		all.Go(func() { errs[1] = port.Retry(ctx, func(err error) { d.noContacts(ctx, err) }, d.contacts) })
	}
	for r := range d.o.Reader.Reports() {
		d.read(ctx, r)
	}
	all.Wait()
	return errors.Join(errs...)
}

// read passes on what the reader says.
func (d *Dev) read(ctx context.Context, report rfid.Report) {
	switch r := report.(type) {
	case rfid.Reading:
		d.tell(ctx, Seen{Place: d.place(r.Antenna), UIDs: []string{r.UID}, At: r.At})
	case rfid.Scan:
		d.tell(ctx, Seen{Place: d.place(r.Antenna), UIDs: r.UIDs, Whole: !r.Partial, At: r.At})
	case rfid.State:
		d.tell(ctx, State{State: r})
	}
}

func (d *Dev) place(antenna int) Place {
	if antenna != 0 && antenna == d.o.AheadAntenna {
		return Ahead
	}
	return Mouth
}

// contacts opens the lines, tells how they are, and then how they change.
func (d *Dev) contacts(ctx context.Context) (err error) {
	lines, err := d.o.Contacts()
	if err != nil {
		return fmt.Errorf("shoe: contacts: %w", err)
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	open, err := lines.Levels()
	if err != nil {
		return fmt.Errorf("shoe: contacts: %w", err)
	}
	now := time.Now()
	d.why = ""
	d.tell(ctx, State{Contacts: true, State: rfid.State{Up: true, At: now}})
	for i, part := range d.o.Parts {
		d.tell(ctx, Contact{Part: part, Open: open>>i&1 != 0, At: now})
	}
	err = lines.Watch(ctx, func(e gpiocdev.Edge) {
		if e.Lost > 0 {
			d.mu.Lock()
			d.lost += uint64(e.Lost)
			d.mu.Unlock()
		}
		d.tell(ctx, Contact{Part: d.o.Parts[e.Line], Open: e.Active, At: e.At, Lost: e.Lost})
	})
	if err != nil {
		return fmt.Errorf("shoe: contacts: %w", err)
	}
	return nil
}

// noContacts tells once for each reason that the contacts are lost.
func (d *Dev) noContacts(ctx context.Context, err error) {
	if err.Error() == d.why {
		return
	}
	d.why = err.Error()
	d.tell(ctx, State{Contacts: true, State: rfid.State{Err: err, At: time.Now()}})
}

func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}
