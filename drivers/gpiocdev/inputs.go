package gpiocdev

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Bias is what holds a line that nothing drives.
type Bias uint8

const (
	AsIs     Bias = iota // what firmware or another program set up
	PullUp               // high where nothing drives it, as for a contact to ground
	PullDown             // low where nothing drives it
	NoPull               // it floats, unless the board has a resistor
)

// defaultBuffer is how many edges the kernel keeps by default; its own default is 16, one bouncing contact.
const defaultBuffer = 1024

// InputOptions say how lines are read.
type InputOptions struct {
	// Consumer is what gpioinfo shows as the user of the lines; "tavolo" by default.
	Consumer string
	// ActiveLow lines are active at 0 V, as contacts to ground are.
	ActiveLow bool
	Bias      Bias
	// Debounce is how long a level must last before it counts, in steps of 1 µs; 0 for no debounce. Edges shorter than
	// that are not told. It is done in the kernel, or by the chip where it can.
	Debounce time.Duration
	// Quick are the lines that are not debounced all the same, bit i for line i: an encoder's.
	Quick uint64
	// Buffer is how many edges the kernel keeps while nobody reads, 0 for 1024.
	Buffer int
}

// Edge is a line that became active or inactive.
type Edge struct {
	// Line is its place in the list of lines that were opened.
	Line int
	// Active is what it became.
	Active bool
	// At is when the kernel saw it; for an edge that was lost, when that was found out.
	At time.Time
	// Lost is not 0 where edges of this line before this one were lost, because the kernel's buffer was full or it could
	// not follow: their number, or 1 where it is not known. From here on the level is right again.
	Lost int
	// Together is whether another edge, told before, was found by the same look at the lines, with the same At: nobody knows
	// which of the two was first.
	Together bool
}

// Edges is where edges come from: [Inputs], or a simulation. What needs edges takes this.
type Edges interface {
	// Levels gives which lines are active now, bit i for line i.
	Levels() (uint64, error)
	// Watch tells each edge until ctx ends, and then returns nil. It is called from one goroutine at a time, and so is
	// tell, from the same.
	Watch(ctx context.Context, tell func(Edge)) error
}

// Inputs are lines that this program reads.
type Inputs struct {
	file   *os.File
	levels func() (uint64, error)
	places map[uint32]int // of the lines, by their numbers on the chip

	// Of the goroutine of Watch:
	told   uint64        // which lines were told to be active
	read   time.Duration // when told was last taken from the levels
	seqno  uint32        // of the last event
	seqnos []uint32      // of the last event of each line
	gap    bool          // events were lost, and the levels were not looked at since
	doubt  bool          // the levels were not as told when they were looked at last
}

var _ Edges = (*Inputs)(nil)

// OpenInputs takes lines of one chip for reading. Edges count from here on, and what happens before Watch is called waits
// in the kernel's buffer. It fails with [ErrBusy] where a line is taken. At most 64 lines fit.
func OpenInputs(chip string, lines []string, o InputOptions) (*Inputs, error) {
	r := lineRequest{flags: flagInput | flagEdgeRising | flagEdgeFalling, buffer: uint32(o.Buffer)}
	if o.Buffer <= 0 {
		r.buffer = defaultBuffer
	}
	r.flags |= [...]uint64{PullUp: flagBiasPullUp, PullDown: flagBiasPullDown, NoPull: flagBiasDisabled}[o.Bias]
	if o.ActiveLow {
		r.flags |= flagActiveLow
	}
	if slow := lineMask(len(lines)) &^ o.Quick; o.Debounce > 0 && slow != 0 {
		us := uint64(min(o.Debounce.Microseconds(), 1<<32-1))
		r.attrs[0], r.attrsN = configAttribute{lineAttribute{id: attrDebounce, value: us}, slow}, 1
	}
	f, err := request(chip, lines, o.Consumer, &r)
	if err != nil {
		return nil, err
	}
	in, err := newInputs(f, r.offsets[:len(lines)], func() (uint64, error) {
		v := lineValues{mask: lineMask(len(lines))}
		err := ioctl(f, ioctlGetValues, &v)
		return v.bits, err
	})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return in, nil
}

func newInputs(f *os.File, offsets []uint32, levels func() (uint64, error)) (*Inputs, error) {
	in := &Inputs{file: f, levels: levels, places: map[uint32]int{}, seqnos: make([]uint32, len(offsets))}
	for i, offset := range offsets {
		in.places[offset] = i
	}
	var err error
	in.told, err = in.Levels()
	in.read = monotonic()
	return in, err
}

// Levels gives which lines are active now, after debouncing; bit i is line i. Any goroutine may call it.
func (in *Inputs) Levels() (uint64, error) {
	active, err := in.levels()
	if err != nil {
		return 0, fmt.Errorf("gpiocdev: levels of %s: %w", in.file.Name(), err)
	}
	return active, nil
}

// Close gives the lines back; a Watch under way ends with [os.ErrClosed].
func (in *Inputs) Close() error {
	if err := in.file.Close(); err != nil {
		return fmt.Errorf("gpiocdev: close: %w", err)
	}
	return nil
}

const (
	// eventsRead is how many events one read takes.
	eventsRead = 64
	// lookEvery is how often the levels are looked at while no edge comes: a kernel may lose an edge without a trace, and
	// before 6.6 it does not end the wait when a chip is gone.
	lookEvery = time.Second
)

// Watch tells each edge since the lines were opened or an earlier Watch ended, in their order, until ctx ends; then it
// returns nil. It must not be called twice at a time. While tell works, edges wait in the kernel's buffer.
//
// Where the numbers of the edges show a gap, the levels are read again, and a line that is not at the level told last is
// told with [Edge.Lost]. Two edges the same way with no gap between, as an interrupt too fast to follow leaves them, are
// told with Lost as well. So is a line that for a second or two is at another level than told with no edge to show for it.
func (in *Inputs) Watch(ctx context.Context, tell func(Edge)) error {
	stop := context.AfterFunc(ctx, func() { _ = in.file.SetReadDeadline(time.Unix(1, 0)) }) // fails only once closed
	defer stop()
	buf := make([]byte, eventsRead*eventSize)
	for {
		if err := in.file.SetReadDeadline(time.Now().Add(lookEvery)); errors.Is(err, os.ErrNoDeadline) {
			return fmt.Errorf("gpiocdev: watch %s: %w", in.file.Name(), err) // or nothing could end it
		}
		if ctx.Err() != nil {
			return nil
		}
		n, err := in.file.Read(buf)
		switch {
		case n > 0:
			err = in.take(buf[:n], tell)
			if in.gap && n < len(buf) { // else more events wait
				err = errors.Join(err, in.lookAgain(tell))
			}
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = in.look(tell)
		}
		if err != nil {
			return fmt.Errorf("gpiocdev: watch %s: %w", in.file.Name(), err)
		}
	}
}

// take tells the edges in what the kernel gave.
func (in *Inputs) take(b []byte, tell func(Edge)) error {
	now, mono := time.Now(), monotonic()
	for ; len(b) >= eventSize; b = b[eventSize:] {
		var e lineEvent
		if _, err := binary.Decode(b[:eventSize], binary.NativeEndian, &e); err != nil {
			return err
		}
		i, known := in.places[e.Offset]
		if !known || e.ID != eventRising && e.ID != eventFalling {
			return fmt.Errorf("the kernel tells of line %d, kind %d, which was not asked for", e.Offset, e.ID)
		}
		in.gap = in.gap || e.Seqno != in.seqno+1
		in.seqno, in.doubt = e.Seqno, false
		if edge, news := in.edge(i, &e); news {
			edge.At = now.Add(time.Duration(e.At) - mono)
			tell(edge)
		}
	}
	return nil
}

// edge makes an edge of an event. It is no news if the level was read, and told, since it happened.
func (in *Inputs) edge(i int, e *lineEvent) (_ Edge, news bool) {
	edge := Edge{Line: i, Active: e.ID == eventRising, Lost: int(e.LineSeq - in.seqnos[i] - 1)}
	in.seqnos[i] = e.LineSeq
	if edge.Active == in.active(i) {
		if time.Duration(e.At) < in.read {
			return edge, false
		}
		edge.Lost = max(edge.Lost, 1)
	}
	in.told = in.told&^(1<<i) | b2u(edge.Active)<<i
	return edge, true
}

func (in *Inputs) active(i int) bool { return in.told&(1<<i) != 0 }

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// look looks whether the lines are there, and as they were told to be. Once, they may differ because an edge has just come.
func (in *Inputs) look(tell func(Edge)) error {
	if in.doubt {
		return in.lookAgain(tell)
	}
	active, err := in.levels()
	in.doubt = active != in.told
	return err
}

// lookAgain tells the lines that are not as they were told to be. An edge that still waits in the kernel's buffer is told
// here, and not again when it is read.
func (in *Inputs) lookAgain(tell func(Edge)) error {
	active, err := in.levels()
	if err != nil {
		return err
	}
	differ := active ^ in.told
	in.told, in.read, in.gap, in.doubt = active, monotonic(), false, false
	now := time.Now()
	for left := differ; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		tell(Edge{Line: i, Active: in.active(i), At: now, Lost: 1, Together: left != differ})
	}
	return nil
}

// monotonic is the clock of the events.
func monotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // every Linux has it
	}
	return time.Duration(ts.Nano())
}
