// Package framing finds messages in what a serial line carries, and asks questions over it. It knows no protocol: a
// driver gives a [Decode], which looks at the bytes before it and says what they are; what stands before, between and
// behind messages, such as noise, cut messages, several at once, is dealt with here, once for all drivers.
//
// [Scanner] turns bytes into messages. [Line] is the line to a device that speaks only when it is asked.
package framing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"
	"time"
)

// Fault is why bytes are no message. Its text is a counter's name.
type Fault string

// The faults on a line. A driver counts those that its frames can have.
const (
	Garbage  Fault = "garbage_bytes" // a byte that belongs to no message; every byte passed over counts as well
	Length   Fault = "bad_length"    // a length that no message has, or that its own check contradicts
	Checksum Fault = "bad_checksum"
	Form     Fault = "bad_form" // whole, but of no known form
	Cut      Fault = "cut"      // a message whose rest never came
	Blank    Fault = "blank"    // no fault: a byte that may stand between messages; not counted
)

// Decode looks at b, which is never empty. It gives a message that starts at b[0] and how many bytes it takes; or no
// size and no fault, if b may be the beginning of one; or the fault that keeps b[0] from being its start. A message must
// not keep b, and what is found must not depend on the bytes behind it.
type Decode[M any] func(b []byte) (m M, size int, fault Fault)

// Scanner finds messages in a stream of bytes. After a fault it looks for a start right behind the last one, so that no
// whole message is lost because of what stands before it. It is used by one goroutine; Faults may be called by any.
type Scanner[M any] struct {
	decode Decode[M]
	buf    []byte
	idle   bool

	mu     sync.Mutex
	faults map[string]uint64
}

// NewScanner makes a Scanner for the messages that decode knows.
func NewScanner[M any](decode Decode[M]) *Scanner[M] {
	return &Scanner[M]{decode: decode, faults: map[string]uint64{}}
}

// Faults counts what was wrong on the line so far, by the names of the faults.
func (s *Scanner[M]) Faults() map[string]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.faults)
}

// Push adds bytes received. Call Next until it finds nothing more; then at most one unfinished message is kept.
func (s *Scanner[M]) Push(b []byte) {
	s.buf = append(s.buf, b...)
	s.idle = false
}

// Unfinished tells whether bytes are kept that may be the beginning of a message.
func (s *Scanner[M]) Unfinished() bool { return len(s.buf) > 0 }

// Expire says that the line has been silent for longer than a gap within a message can be: what is unfinished will stay
// so. Call Next after it, for messages may stand behind the one that was cut.
func (s *Scanner[M]) Expire() { s.idle = true }

// Next gives the next message, or false if there is none yet.
func (s *Scanner[M]) Next() (M, bool) {
	for len(s.buf) > 0 {
		m, size, fault := s.decode(s.buf)
		if size > 0 {
			s.buf = s.buf[size:]
			return m, true
		}
		if fault == "" {
			if !s.idle {
				break
			}
			fault = Cut
		}
		s.count(fault)
		s.buf = s.buf[1:]
	}
	var none M
	return none, false
}

func (s *Scanner[M]) count(f Fault) {
	if f == Blank {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[string(Garbage)]++
	if f != Garbage {
		s.faults[string(f)]++
	}
}

// ErrSilent says that a device does not answer: it hangs, is starting up, or has no power.
var ErrSilent = errors.New("no answer")

// Conn is what a Line needs of a port; *port.Port is one. A Read past its deadline gives [os.ErrDeadlineExceeded].
type Conn interface {
	io.ReadWriter
	SetReadDeadline(time.Time) error
}

// Line is the line to a device that speaks only when asked. It is used by one goroutine.
type Line[M any] struct {
	conn Conn
	scan *Scanner[M]
	gap  time.Duration
	buf  [512]byte
}

// NewLine makes a Line. The gap is the longest silence within a message.
func NewLine[M any](conn Conn, scan *Scanner[M], gap time.Duration) *Line[M] {
	return &Line[M]{conn: conn, scan: scan, gap: gap}
}

// Send writes a frame.
func (l *Line[M]) Send(frame []byte) error {
	_, err := l.conn.Write(frame)
	return err
}

// Receive gives the next message, within a time: else the error is ErrSilent. It returns soon after ctx ends.
func (l *Line[M]) Receive(ctx context.Context, within time.Duration) (m M, err error) {
	end := time.Now().Add(within)
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = l.conn.SetReadDeadline(time.Unix(1, 0)) // only fails on a port that ends reads anyway
	})
	defer func() {
		if !stop() {
			<-woken // or the deadline would end a later read
		}
	}()
	for {
		if m, ok := l.scan.Next(); ok {
			return m, nil
		}
		if err := l.fill(ctx, end); err != nil {
			return m, err
		}
	}
}

// fill reads once, no longer than until end, or for a gap where a message is unfinished.
func (l *Line[M]) fill(ctx context.Context, end time.Time) error {
	until := end
	if pause := time.Now().Add(l.gap); l.scan.Unfinished() && pause.Before(end) {
		until = pause
	}
	if err := l.conn.SetReadDeadline(until); err != nil {
		return err
	}
	if ctx.Err() != nil { // whose deadline may just have been overwritten
		return ctx.Err()
	}
	n, err := l.conn.Read(l.buf[:])
	l.scan.Push(l.buf[:n])
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded) && n == 0 && until == end:
		l.scan.Expire()
		return fmt.Errorf("%w within its time", ErrSilent)
	case errors.Is(err, os.ErrDeadlineExceeded) && n == 0:
		l.scan.Expire()
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil
	}
	return err
}
