package pepper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/rfid"
)

const (
	// gap is the longest silence within a message. A byte takes 87 µs; USB adapters add up to 16 ms between packets.
	gap = 100 * time.Millisecond
	// probe is how often a reader that reports by itself is asked whether it still does.
	probe = time.Second
	// stay is how long after its last event a tag counts as still in the field.
	stay = time.Second
	// restTime is how long it may take to put a reader to rest.
	restTime = 2 * time.Second
	// wakeUps is how many dummy commands a reader may miss at first, because it starts up.
	wakeUps = 4
	// noCommand is no command's code, so that no answer fits it.
	noCommand = 0x00
	// maxInventory bounds one ISO 15693 inventory: a deck and a few strangers.
	maxInventory = 64
)

// link is what a session needs of a port.
type link interface {
	io.ReadWriter
	SetReadDeadline(time.Time) error
}

// session is one time the reader is up, from opening its port to its loss.
type session struct {
	*Dev
	link  link
	heard chan heard
	err   error // why heard was closed; to be read after that
	seen  map[tag]time.Time
}

type heard struct {
	Message
	at time.Time
}

type tag struct {
	antenna int
	uid     string
}

// use runs one session. It returns when the reader is lost or ctx has ended.
func (d *Dev) use(ctx context.Context, l link) error {
	s := &session{Dev: d, link: l, heard: make(chan heard, queue), seen: map[tag]time.Time{}}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		s.listen(stop)
	}()
	defer func() {
		close(stop)
		_ = l.SetReadDeadline(time.Unix(1, 0)) // only fails on a port that ends reads anyway
		<-stopped
	}()

	err := s.run(ctx)
	if ctx.Err() != nil {
		s.rest(ctx)
		return nil
	}
	return fmt.Errorf("pepper: %s: %w", d.o.Path, err)
}

// listen turns bytes into messages until the port fails or stop is closed.
func (s *session) listen(stop <-chan struct{}) {
	defer close(s.heard)
	parser := Parser{Faults: s.Stats().Faults}
	buf := make([]byte, 512)
	for {
		var until time.Time
		if parser.Unfinished() {
			until = time.Now().Add(gap)
		}
		if s.err = s.link.SetReadDeadline(until); s.err != nil {
			return
		}
		select {
		case <-stop: // whose deadline may just have been overwritten
			return
		default:
		}
		n, err := s.link.Read(buf)
		at := time.Now()
		switch {
		case err == nil:
			parser.Push(buf[:n])
		case errors.Is(err, os.ErrDeadlineExceeded):
			parser.Expire()
		default:
			s.err = err
			return
		}
		for m, ok := parser.Next(); ok; m, ok = parser.Next() {
			s.count(func(st *Stats) { st.Faults = parser.Faults })
			select {
			case s.heard <- heard{m, at}:
			case <-stop:
				return
			}
		}
		s.count(func(st *Stats) { st.Faults = parser.Faults })
	}
}

// run makes sure of the reader and then works with it until something fails.
func (s *session) run(ctx context.Context) error {
	firmware, err := s.meet(ctx)
	if err != nil {
		return err
	}
	s.up(ctx, firmware)
	for {
		if len(s.o.Antennas) == 0 {
			err = s.watch(ctx)
		} else {
			err = s.round(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// meet wakes the reader, asks who it is, and stops whatever an earlier program left it doing.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	for range wakeUps {
		if _, err = s.ask(ctx, CmdDummy); !errors.Is(err, framing.ErrSilent) {
			break
		}
	}
	if errors.Is(err, framing.ErrSilent) {
		return "", fmt.Errorf("%w; check power, wiring (RX and TX crossed) and that this port is a Pepper C1 at 115200 baud", err)
	}
	if err != nil {
		return "", err
	}
	version, err := s.ask(ctx, CmdVersion)
	if err != nil {
		return "", fmt.Errorf("version: %w", err)
	}
	firmware = strings.TrimRight(string(version), "\x00")
	if firmware == "" || strings.ContainsFunc(firmware, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("%w: its version is %q; check which device is on this port", ErrUnknown, version)
	}
	_, err = s.ask(ctx, CmdPolling, 0)
	return firmware, err
}

// watch lets the reader report by itself for a while. Asking again and again for what it already does shows that it is
// alive, and brings a reader back to work that restarted unnoticed.
func (s *session) watch(ctx context.Context) error {
	_, err := s.ask(ctx, CmdPolling, 1)
	if errors.Is(err, framing.ErrSilent) {
		err = s.alive(ctx)
	}
	if err != nil {
		return err
	}
	return s.hear(ctx, probe)
}

// round looks at each antenna once.
func (s *session) round(ctx context.Context) error {
	began := time.Now()
	for _, a := range s.o.Antennas {
		scan, err := s.turn(ctx, a)
		var refused *ReplyError
		switch {
		case err == nil:
			s.count(func(st *Stats) { st.Scans++ })
			s.tell(ctx, scan)
		case errors.Is(err, framing.ErrSilent):
			if err := s.alive(ctx); err != nil {
				return err
			}
		case errors.Is(err, errUnreadable), errors.As(err, &refused) && refused.Cmd != CmdAntenna:
			// A spoilt look is no look. The antenna's turn comes again in the next round.
		default:
			return fmt.Errorf("antenna %d: %w", a, err)
		}
	}
	return s.hear(ctx, s.o.Round-time.Since(began))
}

// alive makes sure that the reader answers, after it did not. Answers come in the order of the commands: once this one is
// answered, none can be taken for another's.
func (s *session) alive(ctx context.Context) error {
	return s.insist(ctx, rfid.Misses-1, CmdDummy)
}

// insist sends a command, so many times while it is not answered.
func (s *session) insist(ctx context.Context, times int, cmd byte, args ...byte) error {
	return rfid.Insist(times, func() error {
		_, err := s.ask(ctx, cmd, args...)
		return err
	})
}

// turn looks at one antenna in the reader's turn, and leaves no field on that others are to wait for.
func (s *session) turn(ctx context.Context, antenna int) (rfid.Scan, error) {
	if err := s.o.Field.Enter(ctx); err != nil {
		return rfid.Scan{}, err
	}
	defer s.o.Field.Leave()
	scan, err := s.scan(ctx, antenna)
	if s.o.Field != nil {
		dark := s.insist(ctx, rfid.Misses, CmdHalt)
		if dark != nil {
			return rfid.Scan{}, fmt.Errorf("put the field off: %w", dark)
		}
	}
	return scan, err
}

// errUnreadable says that an answer has not the form it should have.
var errUnreadable = errors.New("unreadable answer")

// scan looks at one antenna. Any fault on the way spoils the whole look.
func (s *session) scan(ctx context.Context, antenna int) (rfid.Scan, error) {
	if _, err := s.ask(ctx, CmdAntenna, byte(antenna)); err != nil {
		return rfid.Scan{}, err
	}
	count, err := s.ask(ctx, CmdTagCount)
	if err != nil {
		return rfid.Scan{}, err
	}
	if len(count) != 1 || count[0] > MaxListed {
		return rfid.Scan{}, s.unreadable()
	}
	scan := rfid.Scan{Antenna: antenna}
	for i := range count[0] {
		data, err := s.ask(ctx, CmdUID, i)
		if err != nil {
			return rfid.Scan{}, err
		}
		uid, err := tagData(data)
		if err != nil {
			return rfid.Scan{}, s.unreadable()
		}
		scan.UIDs = append(scan.UIDs, uid)
	}
	if len(scan.UIDs) == MaxListed {
		if err := s.more(ctx, &scan); err != nil {
			return rfid.Scan{}, err
		}
	}
	slices.Sort(scan.UIDs)
	scan.UIDs = slices.Compact(scan.UIDs)
	scan.At = time.Now()
	return scan, nil
}

// more completes a scan whose list is full with an ISO 15693 inventory, which has no such limit. Where the inventory
// misses a tag of the list, tags of another kind lie there, and how many the list left out cannot be known.
func (s *session) more(ctx context.Context, scan *rfid.Scan) error {
	listed := slices.Clone(scan.UIDs)
	scan.Partial = true
	cmd := byte(CmdInventoryStart)
	for range maxInventory {
		data, err := s.ask(ctx, cmd, 0)
		var refused *ReplyError
		if errors.As(err, &refused) {
			return nil // no such tags
		}
		if err != nil {
			return err
		}
		if len(data) != icodeUID+2 {
			return s.unreadable()
		}
		uid, err := rfid.FormatUID(data[:icodeUID])
		if err != nil {
			return s.unreadable()
		}
		listed = slices.DeleteFunc(listed, func(l string) bool { return l == uid })
		scan.UIDs = append(scan.UIDs, uid)
		if data[icodeUID+1] == 0 {
			scan.Partial = len(listed) > 0
			return nil
		}
		cmd = CmdInventoryNext
	}
	return nil
}

func (s *session) unreadable() error {
	s.count(func(st *Stats) { st.Unreadable++ })
	return errUnreadable
}

// ask sends a command and waits for its answer. Events that come meanwhile are passed on.
func (s *session) ask(ctx context.Context, cmd byte, args ...byte) ([]byte, error) {
	if _, err := s.link.Write(AppendFrame(nil, append([]byte{cmd}, args...))); err != nil {
		return nil, err
	}
	timer := time.NewTimer(s.o.ReplyTimeout)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case h, open := <-s.heard:
			if !open {
				return nil, s.err
			}
			if data, mine, err := s.answer(ctx, h, cmd); mine {
				return data, err
			}
		case <-timer.C:
			if len(s.heard) == 0 {
				s.count(func(st *Stats) { st.Timeouts++ })
				return nil, fmt.Errorf("command %02x: %w", cmd, framing.ErrSilent)
			}
			timer.Reset(0) // passing events on took its time; the answer may have come
		}
	}
}

// answer tells whether h is the answer to cmd, and what it says. Anything else it deals with.
func (s *session) answer(ctx context.Context, h heard, cmd byte) (data []byte, mine bool, err error) {
	p := h.Payload
	switch {
	case (h.JSON != nil || p[0] == Event) && s.state.Up:
		s.event(ctx, h)
	case len(p) >= 2 && p[0] == Ack && p[1] == cmd:
		return p[2:], true, nil
	case len(p) >= 4 && p[0] == Nak && p[1] == cmd:
		s.count(func(st *Stats) { st.Refusals++ })
		return nil, true, &ReplyError{Cmd: p[1], Layer: p[2], Code: p[3]}
	default:
		s.count(func(st *Stats) { st.Strays++ })
	}
	return nil, false, nil
}

// hear passes on what the reader sends by itself during d.
func (s *session) hear(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case h, open := <-s.heard:
			if !open {
				return s.err
			}
			s.answer(ctx, h, noCommand)
		case <-timer.C:
			return nil
		}
	}
}

// event passes a tag on, unless it has been there all the time.
func (s *session) event(ctx context.Context, h heard) {
	r, err := reading(h.Message)
	if err != nil {
		s.count(func(st *Stats) { st.Unreadable++ })
		return
	}
	r.At = h.at
	t := tag{r.Antenna, r.UID}
	for other, last := range s.seen {
		if h.at.Sub(last) > stay {
			delete(s.seen, other)
		}
	}
	_, here := s.seen[t]
	s.seen[t] = h.at
	if here {
		s.count(func(st *Stats) { st.Repeats++ })
		return
	}
	s.count(func(st *Stats) { st.Readings++ })
	s.tell(ctx, r)
}

// rest leaves the reader without polling and without a field, if it still answers; nothing can be done if not.
func (s *session) rest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restTime)
	defer cancel()
	if err := s.insist(ctx, rfid.Misses, CmdPolling, 0); err == nil {
		_ = s.insist(ctx, rfid.Misses, CmdHalt)
	}
}
