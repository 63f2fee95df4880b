package rfid

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/port"
)

// Driver is what a Dev needs to know of a kind of reader.
type Driver interface {
	// Open finds the reader, makes sure that it is of this kind and makes it ready to look, within a few seconds. The
	// error says what to check. The text is the reader's firmware, or the version of its chip.
	Open(ctx context.Context) (Session, string, error)
	// Counters are the driver's own, of all its sessions. Any goroutine may call it.
	Counters() map[string]uint64
}

// Session is one time a reader is up. Its methods are called by one goroutine; each has a bound on how long it takes,
// and returns soon after its ctx ends.
type Session interface {
	// Look lists the tags at one antenna, their UIDs in any order; partial if the reader may not have listed all. What else
	// a Scan says is filled in by the Dev, the signal's strength aside. It puts the field on if need be. An error that is
	// [ErrSpoilt] or [framing.ErrSilent] costs the look, any other the session.
	Look(ctx context.Context, antenna int) (Scan, error)
	// Check makes sure that the reader still answers, and that no late answer can be taken for that to a later command.
	// It is called after an ErrSilent, and again where it gives one itself, until there were [Misses] in a row, which cost
	// the session, as any other error does at once.
	Check(ctx context.Context) error
	// Halt puts all fields off. The next look puts them on again. It is called again as Check is.
	Halt(ctx context.Context) error
	// Close frees the port or bus.
	Close() error
}

// ErrSpoilt says that a look failed and that the next one may not: the answer was damaged or made no sense.
var ErrSpoilt = errors.New("look spoilt")

// Spoilt makes an ErrSpoilt that says why.
func Spoilt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrSpoilt, fmt.Errorf(format, args...))
}

// Misses is how many commands in a row a reader leaves unanswered before it is lost. An answer is lost to noise now and
// then, or comes too late because the host is busy, and the one to the command that asks after it with bad luck as well.
const Misses = 3

// Clock is the time that a driver goes by, and how it waits. Simulations, in which hours pass in seconds, have one of their own.
type Clock interface {
	Now() time.Time
	Sleep(time.Duration)
}

// RealTime is everybody else's Clock.
type RealTime struct{}

// Now is that of package time, as is Sleep.
func (RealTime) Now() time.Time { return time.Now() }

// Sleep is as in [Clock].
func (RealTime) Sleep(d time.Duration) { time.Sleep(d) }

// MaxSpoilt is how many looks in a row at one antenna may be spoilt. Then the reader is lost, for whoever goes by its
// scans would take the last one for the present.
const MaxSpoilt = 10

// restTime is how long it may take to put a reader to rest.
const restTime = 2 * time.Second

// Options say how a Dev goes about its looks.
type Options struct {
	// Antennas to look at, in this order, one after the other.
	Antennas []int
	// Round is the shortest time from one round over the antennas to the next; zero means 50 ms, which gives tags a rest.
	Round time.Duration
	// Field is the reader's part in the air it shares with others: it then looks only in its turn and puts its fields
	// off after each look. Nil if no other reader is near; then fields stay on.
	Field *Field
	// Clock is what the sessions of drivers that wait by themselves go by; nil means [RealTime].
	Clock Clock
}

// Check says what is wrong with the antennas, of which a reader has so many.
func (o Options) Check(antennas int) error {
	if len(o.Antennas) == 0 {
		return fmt.Errorf("antennas: none is named, want some of 1 to %d", antennas)
	}
	for i, a := range o.Antennas {
		if a < 1 || a > antennas {
			return fmt.Errorf("antennas[%d]: %d is not an antenna, want 1 to %d", i, a, antennas)
		}
		if slices.Contains(o.Antennas[:i], a) {
			return fmt.Errorf("antennas[%d]: %d is named twice", i, a)
		}
	}
	return nil
}

// queue is how many reports wait for their taker before the reader waits too.
const queue = 64

// Dev runs a reader that is asked look by look. It is a [Reader].
type Dev struct {
	driver  Driver
	o       Options
	reports chan Report

	mu       sync.Mutex
	counters map[string]uint64

	reads, missed uint64 // of tags that lay still

	state  State               // last told; used by Run's goroutine only, as are
	spoilt map[int]int         // how many looks in a row were, by antenna
	recent map[int][2][]string // what the last look and the one before saw, by antenna
}

// New makes a Dev. It touches no hardware; Run does.
func New(d Driver, o Options) *Dev {
	o.Antennas = slices.Clone(o.Antennas)
	if o.Round == 0 {
		o.Round = 50 * time.Millisecond
	}
	return &Dev{driver: d, o: o, reports: make(chan Report, queue), counters: map[string]uint64{}, spoilt: map[int]int{}, recent: map[int][2][]string{}}
}

// Driver is the driver that the Dev runs, for whoever runs its sessions in a time of his own instead.
func (d *Dev) Driver() Driver { return d.driver }

// Reports is as in [Reader].
func (d *Dev) Reports() <-chan Report { return d.reports }

// Counters are those of the driver and, for all: losses of a reader that was up, looks that were spoilt, commands not
// answered in time; and how many looks in a thousand missed a tag that the looks before and after saw. An antenna that misses
// more in its place than on the bench is too near to metal, to the board, or to its neighbour.
func (d *Dev) Counters() map[string]uint64 {
	out := d.driver.Counters()
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(out, d.counters)
	if d.missed > 0 {
		out["missed_per_thousand"] = 1000 * d.missed / (d.reads + d.missed)
	}
	return out
}

// Run is as in [Reader].
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.reports)
	return port.Retry(ctx, func(err error) { d.lost(ctx, err) }, d.session)
}

// session runs the reader until something fails.
func (d *Dev) session(ctx context.Context) (err error) {
	s, firmware, err := d.open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		times := Misses
		if ctx.Err() == nil {
			d.lost(ctx, err)
			times = 1 // most likely of no use
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restTime)
		defer cancel()
		_ = d.dark(ctx, s, times)
		err = errors.Join(err, s.Close())
	}()
	clear(d.spoilt)
	clear(d.recent)
	d.state = State{Up: true, Firmware: firmware, At: time.Now()}
	d.tell(ctx, d.state)
	for {
		if err := d.round(ctx, s); err != nil {
			return err
		}
	}
}

// open starts a session, in the reader's turn, since some readers come up with their fields on.
func (d *Dev) open(ctx context.Context) (Session, string, error) {
	if err := d.o.Field.Enter(ctx); err != nil {
		return nil, "", err
	}
	defer d.o.Field.Leave()
	s, firmware, err := d.driver.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	if d.o.Field != nil {
		if err := d.dark(ctx, s, Misses); err != nil {
			return nil, "", errors.Join(err, s.Close())
		}
	}
	return s, firmware, nil
}

// round looks at each antenna once.
func (d *Dev) round(ctx context.Context, s Session) error {
	began := time.Now()
	for _, a := range d.o.Antennas {
		scan, err := d.look(ctx, s, a)
		switch {
		case err == nil:
			d.spoilt[a] = 0
			d.rate(scan)
			d.tell(ctx, scan)
		case errors.Is(err, ErrSpoilt) && d.spoilt[a]+1 < MaxSpoilt:
			d.spoilt[a]++
			d.count("spoilt_looks")
		default:
			return fmt.Errorf("antenna %d: %w", a, err)
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.o.Round - time.Since(began)):
		return nil
	}
}

// rate counts the tags of a scan that are read, and those that the scan before it missed.
func (d *Dev) rate(s Scan) {
	if s.Partial {
		delete(d.recent, s.Antenna)
		return
	}
	was := d.recent[s.Antenna]
	d.recent[s.Antenna] = [2][]string{s.UIDs, was[0]}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, uid := range s.UIDs {
		d.reads++
		if slices.Contains(was[1], uid) && !slices.Contains(was[0], uid) {
			d.missed++
		}
	}
}

// look looks at one antenna, in the reader's turn.
func (d *Dev) look(ctx context.Context, s Session, antenna int) (Scan, error) {
	if err := d.o.Field.Enter(ctx); err != nil {
		return Scan{}, err
	}
	defer d.o.Field.Leave()
	scan, err := s.Look(ctx, antenna)
	if errors.Is(err, framing.ErrSilent) {
		d.count("timeouts")
		if lost := Insist(Misses-1, d.watch(ctx, s.Check)); lost != nil {
			return Scan{}, lost
		}
		err = Spoilt("%w", err)
	}
	if d.o.Field != nil {
		if dark := d.dark(ctx, s, Misses); dark != nil {
			return Scan{}, fmt.Errorf("put the field off: %w", dark)
		}
	}
	slices.Sort(scan.UIDs)
	scan.Antenna, scan.UIDs, scan.At = antenna, slices.Compact(scan.UIDs), time.Now()
	return scan, err
}

// dark puts all fields off, and tells the reader so many times to while it does not answer.
func (d *Dev) dark(ctx context.Context, s Session, times int) error {
	return Insist(times, d.watch(ctx, s.Halt))
}

// watch is ask, which counts when it is not answered.
func (d *Dev) watch(ctx context.Context, ask func(context.Context) error) func() error {
	return func() error {
		err := ask(ctx)
		if errors.Is(err, framing.ErrSilent) {
			d.count("timeouts")
		}
		return err
	}
}

// Insist asks a reader for something, so many times while it does not answer.
func Insist(times int, ask func() error) error {
	for {
		err := ask()
		if times--; times <= 0 || !errors.Is(err, framing.ErrSilent) {
			return err
		}
	}
}

func (d *Dev) lost(ctx context.Context, err error) {
	if d.state.Up {
		d.count("losses")
	}
	if d.state.Err != nil && d.state.Err.Error() == err.Error() {
		return
	}
	d.state = State{Err: err, At: time.Now()}
	d.tell(ctx, d.state)
}

// tell delivers a report, unless ctx ends first.
func (d *Dev) tell(ctx context.Context, r Report) {
	select {
	case d.reports <- r:
	case <-ctx.Done():
	}
}

func (d *Dev) count(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counters[what]++
}
