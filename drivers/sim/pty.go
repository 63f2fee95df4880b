// Package sim holds simulated hardware: devices that speak their real wire protocol, byte for byte, on a real
// pseudo-terminal. A daemon is pointed at the path of such a terminal exactly as it would be at a serial port, so
// what is tested is the whole way from the kernel's tty layer upwards, unplugged cables and line noise included.
//
// Start with [NewPTY], the far end of a cable, then with a device that sits on it, such as [Pepper].
//
// Nothing here rolls dice: every fault is one the caller asked for, so that a failing run can be repeated.
package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// writeTimeout is how long the wire waits for the host to make room before bytes are lost, as on a UART nobody reads.
const writeTimeout = 200 * time.Millisecond

// PTY is the device's end of a serial cable that can be pulled out and put back. The host's end is a terminal in raw
// mode, found under a stable path the way udev's by-id links are: the link exists while the cable is plugged in and
// points at a new terminal each time. All methods may be called from any goroutine.
type PTY struct {
	path string

	mu      sync.Mutex
	master  *os.File // nil while unplugged
	slave   *os.File // held open so that the host's closing of its end is not an error at ours
	changed chan struct{}
	closed  bool
	fault   Fault
	left    int // frames fault still applies to; negative: until replaced
}

// NewPTY lays a cable to path, which must not exist yet or be a link left by an earlier run, and plugs it in. Missing
// directories are made.
func NewPTY(path string) (*PTY, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if fi, err := os.Lstat(path); err == nil && fi.Mode().Type() != os.ModeSymlink {
		return nil, fmt.Errorf("sim: %s exists and is no link; remove it or choose another path", path)
	}
	p := &PTY{path: path, changed: make(chan struct{})}
	if err := p.Plug(); err != nil {
		return nil, err
	}
	return p, nil
}

// Path is what the host opens.
func (p *PTY) Path() string { return p.path }

// Plug puts the cable in: a new terminal, and the link moved onto it in one step. It does nothing on a plugged cable.
func (p *PTY) Plug() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("sim: plug %s: %w", p.path, os.ErrClosed)
	}
	if p.master != nil {
		return nil
	}
	master, slave, err := open()
	if err != nil {
		return fmt.Errorf("sim: open a pseudo-terminal: %w", err)
	}
	if _, err = term.MakeRaw(int(slave.Fd())); err == nil {
		err = link(slave.Name(), p.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("sim: plug %s: %w", p.path, err), master.Close(), slave.Close())
	}
	p.master, p.slave = master, slave
	p.wake()
	return nil
}

// Unplug pulls the cable: the link goes, the host sees a hang-up, and bytes on the way are lost. It does nothing on an
// unplugged cable.
func (p *PTY) Unplug() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unplug()
}

// Close unplugs for good; Read then returns io.EOF. Twice is fine.
func (p *PTY) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.wake()
	return p.unplug()
}

// Read gives bytes the host has sent. It waits for them, through times with the cable out as well, until Close.
func (p *PTY) Read(b []byte) (int, error) {
	for {
		p.mu.Lock()
		master, changed, closed := p.master, p.changed, p.closed
		p.mu.Unlock()
		if closed {
			return 0, io.EOF
		}
		if master == nil {
			<-changed
			continue
		}
		n, err := master.Read(b)
		if n > 0 {
			return n, nil
		}
		if err != nil && !errors.Is(err, os.ErrClosed) {
			return 0, fmt.Errorf("sim: read %s: %w", p.path, err)
		}
	}
}

// Write sends one frame to the host, subject to the fault injected. Like a wire it reports success for bytes that
// get lost, because the cable is out or the host lets its buffer run full. It fails only after Close.
func (p *PTY) Write(frame []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, fmt.Errorf("sim: write %s: %w", p.path, os.ErrClosed)
	}
	out := frame
	if p.fault != nil {
		out = p.fault(frame)
		if p.left--; p.left == 0 {
			p.fault = nil
		}
	}
	if p.master == nil {
		return len(frame), nil
	}
	if err := p.master.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, fmt.Errorf("sim: write %s: %w", p.path, err)
	}
	if _, err := p.master.Write(out); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, fmt.Errorf("sim: write %s: %w", p.path, err)
	}
	return len(frame), nil
}

// A Fault is what the wire does to one frame on its way to the host: it returns the bytes that arrive, and must not
// keep or change its argument.
type Fault func(frame []byte) []byte

// Inject subjects the next so many frames to f, replacing any fault before it; with frames 0, all of them until the
// next Inject. A nil f heals the wire.
func (p *PTY) Inject(frames int, f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.left = f, frames
}

// Disturb injects one of the ways in which a wire goes wrong, numbered from 0, into frames to come; it tells whether there
// is such a way. A number goes through all of them in a test.
func (p *PTY) Disturb(n int) bool {
	ways := []struct {
		frames int
		fault  Fault
	}{
		{20, Garbage([]byte("\x00\xf5{noise\xff\xf5\x03\x00\x00\xff\x05"))},
		{1, Cut(4)},
		{1, Mute()},
		{1, Corrupt(0)},
		{1, Corrupt(1)},
		{1, Corrupt(6)},
		{1, Corrupt(1 << 20)},
		{2, Glue(2)},
		{1, Twice()},
	}
	if n >= len(ways) {
		return false
	}
	p.Inject(ways[n].frames, ways[n].fault)
	return true
}

// Twice repeats the frame.
func Twice() Fault { return func(frame []byte) []byte { return append(bytes.Clone(frame), frame...) } }

// Mute loses the frame: the device seems to hang.
func Mute() Fault { return func([]byte) []byte { return nil } }

// Cut lets only the first n bytes through.
func Cut(n int) Fault { return func(frame []byte) []byte { return frame[:min(n, len(frame))] } }

// Corrupt inverts every bit of byte i, or of the last byte where the frame is shorter.
func Corrupt(i int) Fault {
	return func(frame []byte) []byte {
		out := bytes.Clone(frame)
		if len(out) > 0 {
			out[min(i, len(out)-1)] ^= 0xff
		}
		return out
	}
}

// Garbage puts noise in front of the frame.
func Garbage(noise []byte) Fault {
	return func(frame []byte) []byte { return append(bytes.Clone(noise), frame...) }
}

// Glue holds frames back until there are n, which then arrive as one.
func Glue(n int) Fault {
	var held []byte
	count := 0
	return func(frame []byte) []byte {
		held = append(held, frame...)
		if count++; count < n {
			return nil
		}
		out := held
		held, count = nil, 0
		return out
	}
}

func (p *PTY) unplug() error {
	if p.master == nil {
		return nil
	}
	err := errors.Join(os.Remove(p.path), p.master.Close(), p.slave.Close())
	p.master, p.slave = nil, nil
	p.wake()
	if err != nil {
		return fmt.Errorf("sim: unplug %s: %w", p.path, err)
	}
	return nil
}

// wake tells a waiting Read to look again. The caller holds mu.
func (p *PTY) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// open is pty.Open with a master end that Close and deadlines can interrupt, which pty leaves in blocking mode.
func open() (master, slave *os.File, err error) {
	blocking, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
		master = os.NewFile(uintptr(fd), blocking.Name())
	}
	if err = errors.Join(err, blocking.Close()); err != nil {
		return nil, nil, errors.Join(err, master.Close(), slave.Close())
	}
	return master, slave, nil
}

// link points path at target, replacing an older link in one step.
func link(target, path string) error {
	tmp := path + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
