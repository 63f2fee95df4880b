package sim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// NewUART lays the device's end of a cable to a UART of this machine whose other end is a UART of this machine too, as on
// the virtual board. The host opens that one. When the cable is pulled the host hears nothing, as is the way of UARTs.
func NewUART(far string) (*PTY, error) {
	p := &PTY{far: far, changed: make(chan struct{})}
	if err := p.Plug(); err != nil {
		return nil, err
	}
	return p, nil
}

// plugUART is Plug. The caller holds mu.
func (p *PTY) plugUART() error {
	f, err := os.OpenFile(p.far, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("sim: plug: %w", err)
	}
	if err := rawUART(f); err != nil {
		return errors.Join(fmt.Errorf("sim: plug %s: %w", p.far, err), f.Close())
	}
	p.master = f
	p.wake()
	return nil
}

// rawUART makes a UART carry bytes as they are, at 115200 baud 8N1.
func rawUART(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = conn.Control(func(fd uintptr) {
		raw := unix.Termios{Cflag: unix.B115200 | unix.CS8 | unix.CLOCAL | unix.CREAD}
		raw.Cc[unix.VMIN] = 1
		if inner = unix.IoctlSetTermios(int(fd), unix.TCSETS, &raw); inner == nil {
			inner = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIOFLUSH)
		}
	})
	return errors.Join(err, inner)
}

// Cables are the numbers of the cables between the virtual board's UARTs, from /dev/near/0 to /dev/far/0 on, for tests that
// run beside each other: each takes one and gives it back. None where there are no UARTs.
func Cables() chan int {
	ends, _ := filepath.Glob("/dev/far/*") // the pattern is a constant
	free := make(chan int, len(ends))
	for i := range ends {
		free <- i
	}
	return free
}
