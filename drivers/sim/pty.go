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
	path string // of the host's end; "" where the cable lies between two UARTs
	far  string // the UART at our end; "" for a pseudo-terminal

	faulty

	mu      sync.Mutex
	baud    int      // of the device, 0 where it hears the host at any speed
	master  *os.File // nil while unplugged
	slave   *os.File // held open so that the host's closing of its end is not an error at ours; nil for a UART
	changed chan struct{}
	closed  bool
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
	if p.far != "" {
		return p.plugUART()
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

// Rate has the device keep to a speed, in bits a second: what the host sends at another is noise to it, and the other way
// round. The cable of a device that never had one carries every speed.
func (p *PTY) Rate(baud int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.baud = baud
}

// distort makes noise of bytes that were sent at one speed and are received at another. The caller holds mu.
func (p *PTY) distort(b []byte) {
	if p.baud == 0 || p.slave == nil {
		return
	}
	set, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS2)
	if err == nil && int(set.Ospeed) == p.baud {
		return
	}
	for i := range b {
		b[i] = b[i]<<3 ^ 0x96
	}
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
			p.mu.Lock()
			p.distort(b[:n])
			p.mu.Unlock()
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
	out := bytes.Clone(p.carry(frame))
	if p.master == nil {
		return len(frame), nil
	}
	p.distort(out)
	if err := p.master.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, fmt.Errorf("sim: write %s: %w", p.path, err)
	}
	if _, err := p.master.Write(out); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, fmt.Errorf("sim: write %s: %w", p.path, err)
	}
	return len(frame), nil
}

func (p *PTY) unplug() error {
	if p.master == nil {
		return nil
	}
	err := p.master.Close()
	if p.slave != nil {
		err = errors.Join(err, os.Remove(p.path), p.slave.Close())
	}
	p.master, p.slave = nil, nil
	p.wake()
	if err != nil {
		return fmt.Errorf("sim: unplug %s: %w", p.path+p.far, err)
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
