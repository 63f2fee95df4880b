package noise

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"tavolo/drivers/feig"
	"tavolo/drivers/framing"
	"tavolo/drivers/mfrc522"
	"tavolo/drivers/pepper"
	"tavolo/drivers/pn5180"
	"tavolo/drivers/pn532"
	"tavolo/drivers/rfid"
	"tavolo/drivers/sim"
	"tavolo/drivers/uhf"
)

// readerKind is a kind of reader that can be tried.
type readerKind struct {
	// antennas is how many places one reader watches.
	antennas int
	// beside is another kind for the places where more cards lie than this one tells: all but the players' own; "" for none.
	beside string
	// typeA is whether its tags are those of ISO 14443 rather than of ISO 15693.
	typeA bool
	// look is how long a look takes, tag how much longer for each tag; 0 where the driver itself lets the time pass.
	look, tag time.Duration
	// answers is how many answers there are in a look, about.
	answers int
	// fit puts a reader at the end of a wire; mouth does so with the one in the shoe, nil where that is as the others.
	fit, mouth func(*wire, rfid.Options) (*rfid.Dev, device, error)
}

// device is a simulated reader.
type device interface {
	// Lay has just these tags at an antenna.
	Lay(antenna int, uids []string)
	// Restart is what it does when its power comes back.
	Restart()
}

// untilSilent is how long a driver waits for bytes that are not there, in a time that does not pass.
const untilSilent = time.Minute

// readerKinds are the readers that can be tried, by their names in a configuration. Times are as in sim.RealTiming.
func readerKinds() map[string]readerKind {
	return map[string]readerKind{
		"feig": {
			antennas: feig.MaxAntennas, look: 27 * time.Millisecond, tag: 6 * time.Millisecond, answers: 3,
			fit: func(w *wire, o rfid.Options) (*rfid.Dev, device, error) {
				r := sim.NewFeig(nil, sim.FeigOptions{})
				w.answer = r.Answer
				d, err := feig.New(feig.Options{Line: w, ReplyTimeout: untilSilent, Options: o})
				return d, r, err
			},
		},
		"pepper-c1-mux": {
			antennas: pepper.MaxAntennas, look: 27 * time.Millisecond, tag: 6 * time.Millisecond, answers: 3,
			fit:   func(w *wire, o rfid.Options) (*rfid.Dev, device, error) { return fitPepper(w, o, false) },
			mouth: func(w *wire, o rfid.Options) (*rfid.Dev, device, error) { return fitPepper(w, o, true) },
		},
		"pn532": {
			antennas: 1, beside: "mfrc522", typeA: true, look: 27 * time.Millisecond, tag: 6 * time.Millisecond, answers: 2,
			fit: func(w *wire, o rfid.Options) (*rfid.Dev, device, error) {
				r := sim.NewPN532(nil, sim.Timing{})
				w.answer = r.Answer
				d, err := pn532.New(pn532.Options{Line: w, ReplyTimeout: untilSilent, Options: o})
				return d, r, err
			},
		},
		"pn5180": {
			antennas: 1, answers: 100,
			fit: func(w *wire, o rfid.Options) (*rfid.Dev, device, error) {
				r := sim.NewPN5180()
				d, err := pn5180.New(pn5180.Options{Open: func() (pn5180.Conn, error) { return onSPI{r, w, r.Busy}, nil }, Options: o})
				return d, r, err
			},
		},
		"mfrc522": {
			antennas: 1, typeA: true, answers: 50,
			fit: func(w *wire, o rfid.Options) (*rfid.Dev, device, error) {
				r := sim.NewMFRC522()
				d, err := mfrc522.New(mfrc522.Options{Open: func() (mfrc522.Conn, error) { return onSPI{r, w, nil}, nil }, Options: o})
				return d, r, err
			},
		},
	}
}

// fitPepper fits a MUX, or a Pepper C1 that reports cards by itself as they pass.
func fitPepper(w *wire, o rfid.Options, passing bool) (*rfid.Dev, device, error) {
	r := sim.NewPepper(nil, sim.PepperOptions{})
	w.answer = r.Answer
	if passing {
		w.says = r.Says
	}
	d, err := pepper.New(pepper.Options{Line: w, Passing: passing, ReplyTimeout: untilSilent, Options: o})
	return d, r, err
}

// chipReader is a reader of the tags of chips.
func chipReader() readerKind {
	return readerKind{
		antennas: 1, look: 30 * time.Millisecond, tag: 5 * time.Millisecond, answers: 8,
		fit: func(w *wire, o rfid.Options) (*rfid.Dev, device, error) {
			r := sim.NewUHF(nil, sim.UHFOptions{})
			w.answer = r.Answer
			w.goesOn = func() []byte { // each round misses other chips
				r.Lay(1, slices.DeleteFunc(slices.Clone(w.field), func(string) bool { return w.w.happens(ChipMissed) }))
				return r.Says()
			}
			d, err := uhf.New(uhf.Options{Line: w, ReplyTimeout: untilSilent, Options: o})
			return d, r, err
		},
	}
}

// reader is a simulated reader, the wire to it, and the driver's session with it.
type reader struct {
	name string
	kind readerKind
	dev  device
	wire *wire

	driver  rfid.Driver
	session rfid.Session // nil while the reader is lost
	silence time.Duration
	spoilt  map[int]int   // how many looks in a row were, by antenna
	again   time.Time     // not to be opened before
	wait    time.Duration // until the next try after this one
}

// How long a lost reader is left alone, as by port.Retry, and how long until an answer is given up, at the shoe too.
const (
	firstWait, longWait  = 100 * time.Millisecond, 2 * time.Second
	silence, shoeSilence = 500 * time.Millisecond, 100 * time.Millisecond
)

func newReader(w *world, name string, kind readerKind, silence time.Duration) (*reader, error) {
	r := &reader{name: name, kind: kind, wire: &wire{w: w}, silence: silence, spoilt: map[int]int{}}
	d, dev, err := kind.fit(r.wire, rfid.Options{Antennas: []int{1}, Clock: w})
	if err != nil {
		return nil, err
	}
	r.dev, r.driver = dev, d.Driver()
	return r, nil
}

// lost is whether nothing is known of what the reader watches.
func (r *reader) lost() bool { return r.session == nil }

// look has the reader look at an antenna where it can see these tags, in the time that takes, and does about failures what
// an rfid.Dev does.
func (w *world) look(ctx context.Context, r *reader, antenna int, tags []string) (uids []string, partial, ok bool) {
	r.disturb(w)
	if r.lost() && !w.open(ctx, r) {
		return nil, false, false
	}
	r.wire.field = tags
	r.dev.Lay(antenna, tags)
	if l := r.wire; l.says != nil && !l.out && !l.dead() {
		l.carry(l.says())
	}
	scan, err := r.session.Look(ctx, antenna)
	w.Sleep(r.kind.look + time.Duration(len(tags))*r.kind.tag)
	if errors.Is(err, framing.ErrSilent) {
		w.Sleep(r.silence)
		if err = rfid.Insist(rfid.Misses-1, func() error { return w.check(ctx, r) }); err == nil {
			err = rfid.ErrSpoilt
		}
	}
	switch {
	case err == nil:
		r.spoilt[antenna] = 0
		return scan.UIDs, scan.Partial, true
	case errors.Is(err, rfid.ErrSpoilt) && r.spoilt[antenna]+1 < rfid.MaxSpoilt:
		r.spoilt[antenna]++
	default:
		_ = r.session.Close() // there is nothing to close
		r.session, r.wait = nil, firstWait
		r.again = w.now.Add(r.wait)
	}
	return nil, false, false
}

// check asks a reader whether it is still there, in the time that takes.
func (w *world) check(ctx context.Context, r *reader) error {
	err := r.session.Check(ctx)
	if errors.Is(err, framing.ErrSilent) {
		w.Sleep(r.silence)
	}
	return err
}

// open tries to have a session with a reader that is lost, now and then.
func (w *world) open(ctx context.Context, r *reader) bool {
	w.Sleep(lostTime)
	if w.now.Before(r.again) {
		return false
	}
	s, _, err := r.driver.Open(ctx)
	if err != nil {
		w.Sleep(r.silence)
		r.wait = min(2*r.wait, longWait)
		r.again = w.now.Add(r.wait)
		return false
	}
	r.session = s
	clear(r.spoilt)
	return true
}

// disturb has a reader or its wire fail from now on, or an answer to come.
func (r *reader) disturb(w *world) {
	l := r.wire
	if l.out && !w.now.Before(l.until) {
		l.out = false
		r.dev.Restart()
	}
	if !w.now.Before(l.until) {
		for _, k := range []Kind{ReaderHung, ReaderUnplugged} {
			if w.happens(k) {
				l.until = w.now.Add(w.upTo(hungFor))
				l.out = k == ReaderUnplugged
			}
		}
	}
	l.fault = kinds
	for _, k := range []Kind{ReaderLost, ReaderCut, ReaderGarbage, ReaderBit} {
		if w.chance(w.m[k]) {
			l.fault, l.after = k, w.rng.IntN(r.kind.answers)
		}
	}
}

// wire carries bytes between driver and reader, and damages some. Time does not pass on it: what is not there does not come.
type wire struct {
	w      *world
	answer func([]byte) []byte // of a reader on a serial line
	says   func() []byte       // by itself, nil for nothing
	goesOn func() []byte       // while nothing else is heard, nil for nothing
	field  []string            // tags that it can see
	buf    []byte

	until time.Time // the reader hangs until then
	out   bool      // rather, its cable is out
	fault Kind      // what happens to an answer, kinds for nothing
	after int       // that comes after so many others
}

var errUnplugged = errors.New("the cable is out")

func (l *wire) dead() bool { return l.w.now.Before(l.until) }

// due is what happens to the answer that is sent now, kinds for nothing.
func (l *wire) due() Kind {
	k := l.fault
	if l.after--; k == kinds || l.after >= 0 {
		return kinds
	}
	l.fault = kinds
	l.w.count[k]++
	return k
}

func (l *wire) Write(b []byte) (int, error) {
	if l.out {
		return 0, errUnplugged
	}
	if l.dead() {
		return len(b), nil
	}
	l.carry(l.answer(b))
	return len(b), nil
}

// carry brings to the driver what the reader says.
func (l *wire) carry(out []byte) {
	if len(out) == 0 {
		return
	}
	l.buf = append(l.buf, l.w.damaged(out, l.due())...)
}

func (l *wire) Read(b []byte) (int, error) {
	if l.out {
		l.buf = nil
		return 0, errUnplugged
	}
	if len(l.buf) == 0 && l.goesOn != nil && !l.dead() {
		l.carry(l.goesOn())
	}
	return take(&l.buf, b)
}

// take reads what is there. What is not there does not come.
func take(from *[]byte, b []byte) (int, error) {
	if len(*from) == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(b, *from)
	*from = (*from)[n:]
	return n, nil
}

func (l *wire) SetReadDeadline(time.Time) error { return nil }

// pins is the wiring of a simulated chip.
type pins interface {
	Tx(w, r []byte) error
	Reset(hold bool) error
	Close() error
}

// onSPI is a reader on SPI at the end of a wire. It is a pn5180.Conn and a mfrc522.Conn.
type onSPI struct {
	pins
	wire *wire
	busy func() (bool, error) // nil in a MFRC522
}

// Tx exchanges bytes. Nothing on this bus has a checksum: what is wrong is what is read. A chip without a cable reads as ones,
// one that hangs as zeros.
func (c onSPI) Tx(w, r []byte) error {
	l := c.wire
	if l.dead() {
		for i := range r {
			r[i] = 0
			if l.out {
				r[i] = 0xFF
			}
		}
		return nil
	}
	err := c.pins.Tx(w, r)
	if len(r) == 0 {
		return err
	}
	switch l.due() {
	case ReaderLost:
		clear(r)
	case ReaderCut:
		clear(r[l.w.rng.IntN(len(r)):])
	case ReaderGarbage:
		for i := range r {
			r[i] = byte(l.w.rng.Uint32())
		}
	case ReaderBit:
		r[l.w.rng.IntN(len(r))] ^= 1 << l.w.rng.IntN(8)
	}
	return err
}

// Busy is the line of a PN5180 that is busy for ever where it hangs, and never where its cable is out.
func (c onSPI) Busy() (bool, error) {
	if c.wire.dead() {
		return !c.wire.out, nil
	}
	return c.busy()
}
