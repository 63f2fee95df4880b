// Package port is the serial port under every driver: one owner, deadlines on every wait, and a plain answer when the
// cable is pulled. Open gives a port; [Keep] holds one for as long as the program runs, through unplugging too.
//
// go.bug.st/serial sets speed and framing, which it does well for any rate a driver offers. Bytes do not pass through
// it: its reads time out as (0, nil), so that io.ReadFull spins; its writes have no timeout; its Close frees the file
// descriptor before the reader has left it, so that a late Write goes into whatever file got the number next; and its
// reads panic on descriptors from 1024 up. An [os.File] in non-blocking mode has none of these faults: the runtime's
// poller gives deadlines, and Close waits for reads and writes to leave. port_test.go holds one test for each.
//
// Name a port by its link in /dev/serial/by-id, or by-path where two adapters have no serial number of their own:
// a device that comes back as ttyUSB1 is then found again. Users need the group dialout. Behind an FTDI adapter set
// latency_timer to 1 (/sys/bus/usb-serial/devices/*/latency_timer), its default costs 16 ms an answer; [Advice] finds it.
package port

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"go.bug.st/serial"
	"golang.org/x/sys/unix"
)

// ErrGone says that the device behind the port is no longer there: unplugged, hung up, or its driver failed. The port
// is useless then; close it and open it again.
var ErrGone = errors.New("device is gone")

// ErrInUse says that another program, or another part of this one, has the port open.
var ErrInUse = errors.New("port is in use by another program; stop it or choose another port")

// DefaultBaud is the speed where Options name none.
const DefaultBaud = 115200

// Options name a port. Framing is 8N1 unless they say otherwise, without flow control.
type Options struct {
	// Path of the device, best a link below /dev/serial that survives replugging. A pseudo-terminal serves as well.
	Path string
	// Baud is the speed in bits a second; zero means DefaultBaud.
	Baud int
	// Even adds an even parity bit: 8E1.
	Even bool
	// RS485 has the UART switch a transceiver by RTS: active while it sends. An adapter that switches by itself needs it off.
	RS485 bool
	// Lost, if set, is told by Keep why the port could not be opened or kept, after each attempt. It is called from
	// Keep's goroutine and must not block for long.
	Lost func(error)
}

// Port is an open serial port. Its methods may be called from any goroutine, but since bytes have no owner, one
// goroutine should do the reading. After Close they return [os.ErrClosed].
type Port struct {
	file   *os.File
	baud   int
	closed atomic.Bool
}

// Open opens a port, with nothing in its buffers. The port is locked with flock on the device itself, which holds
// against root, frees itself when a process dies, and is respected by pyserial, picocom and tio; no two ports can be
// open on one device, whatever links they were opened by. It fails with [ErrInUse] where the port is taken and with
// an error that says what to do where it is absent or not allowed.
func Open(o Options) (*Port, error) {
	if o.Baud == 0 {
		o.Baud = DefaultBaud
	}
	// O_NONBLOCK keeps open from waiting for a modem's carrier and gives reads and writes to the runtime's poller.
	file, err := os.OpenFile(o.Path, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, openError(err)
	}
	p := &Port{file: file, baud: o.Baud}
	if err := p.setUp(o); err != nil {
		return nil, errors.Join(fmt.Errorf("port: open %s: %w", o.Path, err), file.Close())
	}
	return p, nil
}

func openError(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("port: %w; check that the device is plugged in and powered", err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("port: %w; add the user to the group dialout", err)
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("port: %w: %w", err, ErrInUse)
	}
	return fmt.Errorf("port: %w", err)
}

func (p *Port) setUp(o Options) error {
	err := p.control(func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	// The settings stay with the device when the library's own descriptor closes, because ours is open. Modem lines
	// are left alone: pseudo-terminals have none, and toggling DTR resets some boards.
	mode := serial.Mode{BaudRate: o.Baud}
	if o.Even {
		mode.Parity = serial.EvenParity
	}
	conf, err := serial.Open(o.Path, &mode)
	if err != nil {
		return fmt.Errorf("set %d baud: %w", o.Baud, err)
	}
	if err := conf.Close(); err != nil {
		return err
	}
	if err := p.direction(o.RS485); err != nil {
		return err
	}
	return errors.Join(p.control(func(fd int) error { return unix.IoctlSetInt(fd, unix.TIOCEXCL, 0) }), p.Flush())
}

// Read waits for bytes and gives what is there. It returns [os.ErrDeadlineExceeded] when the read deadline has passed and
// nothing is there, and [ErrGone] when the device is no longer there; never zero bytes without an error.
func (p *Port) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// A read that begins past its deadline does not look at all: a program that was kept from running for a while
		// would take an answer that came meanwhile for none.
		_ = p.control(func(fd int) error {
			if got, late := unix.Read(fd, b); late == nil && got > 0 {
				n, err = got, nil
			}
			return nil
		})
	}
	return n, p.fault(err)
}

// SetReadDeadline ends reads, one that waits now included, at t; the zero time means never.
func (p *Port) SetReadDeadline(t time.Time) error { return p.fault(p.file.SetReadDeadline(t)) }

// txBuffer is how many bytes the kernel keeps of what was written before, at most; late is how long a program may be kept from
// running on a busy board between here and the system call, which by itself takes what there is room for at once.
const (
	txBuffer = 4096
	late     = time.Second
)

// Write sends all of b, or returns an error: [os.ErrDeadlineExceeded] if the device has not taken it in the time that it and
// what may be before it need on the wire, and a second more, [ErrGone] if the device is no longer there.
func (p *Port) Write(b []byte) (int, error) {
	wire := time.Duration(10*(txBuffer+len(b))) * time.Second / time.Duration(p.baud)
	if err := p.file.SetWriteDeadline(time.Now().Add(wire + late)); err != nil {
		return 0, p.fault(err)
	}
	n, err := p.file.Write(b)
	return n, p.fault(err)
}

// Flush throws away bytes received but not read, and bytes written but not sent.
func (p *Port) Flush() error {
	return p.fault(p.control(func(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIOFLUSH) }))
}

// Close ends reads and writes under way and frees the port. Unsent bytes are thrown away, since the kernel would wait
// up to 30 s for a device that no longer takes them.
func (p *Port) Close() error {
	flushed := p.Flush()
	if p.closed.Swap(true) {
		return fmt.Errorf("port: close: %w", os.ErrClosed)
	}
	if errors.Is(flushed, ErrGone) {
		flushed = nil
	}
	return errors.Join(flushed, p.file.Close())
}

func (p *Port) control(f func(fd int) error) error {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	return errors.Join(conn.Control(func(fd uintptr) { inner = f(int(fd)) }), inner)
}

// fault turns what the kernel says of a device that left, end of file or any errno, into ErrGone.
func (p *Port) fault(err error) error {
	switch {
	case err == nil:
		return nil
	case p.closed.Load():
		return fmt.Errorf("port: %w", os.ErrClosed)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("port: %w", err)
	}
	return fmt.Errorf("port: %w: %w", ErrGone, err)
}

// Keep opens the port, hands it to use, and when use fails closes it and starts over, as [Retry] does. The old port is
// closed before anything else, so that the device can come back under its name. Keep returns nil once ctx has ended or
// use returned nil; use must return soon after its ctx ends.
func Keep(ctx context.Context, o Options, use func(context.Context, *Port) error) error {
	return Retry(ctx, o.Lost, func(ctx context.Context) error {
		p, err := Open(o)
		if err != nil {
			return err
		}
		return errors.Join(use(ctx, p), p.Close())
	})
}

// How long Retry waits before it tries again: at first, and at most after repeated failures.
const (
	firstWait = 100 * time.Millisecond
	longWait  = 2 * time.Second
)

// Retry does something with a device again and again until it returns nil or ctx has ended, and returns nil then. After
// each failure it tells lost, unless that is nil, and makes a pause that grows from a tenth of a second to two seconds
// while attempts keep failing. It is Keep for devices on other buses than a serial port.
func Retry(ctx context.Context, lost func(error), attempt func(context.Context) error) error {
	wait := firstWait
	for {
		began := time.Now()
		err := attempt(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if lost != nil {
			lost(err)
		}
		if time.Since(began) > longWait {
			wait = firstWait
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, longWait)
	}
}
