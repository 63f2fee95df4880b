package port

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rs485 is struct serial_rs485 of linux/serial.h.
type rs485 struct {
	flags         uint32
	before, after uint32 // ms that the line is held before the first and after the last bit
	_             [5]uint32
}

const (
	rs485Enabled   = 1 << 0
	rs485RTSOnSend = 1 << 1 // RTS is active while sending, and not after
	rs485RTSAfter  = 1 << 2
)

// direction has the kernel, or the UART itself, switch the transceiver by RTS: from user space it would be a tenth of a
// millisecond late, and cut the last byte of a request or the first of its reply. Or it has them leave RTS alone, which
// they do not by themselves where whoever had the port before wanted it.
func (p *Port) direction(by485 bool) error {
	if by485 {
		if err := p.switching(rs485Enabled | rs485RTSOnSend); err != nil {
			return refused485(err)
		}
		return nil
	}
	var now rs485
	if err := p.ioctl485(unix.TIOCGRS485, &now); err != nil || now.flags&rs485Enabled == 0 {
		return nil // its driver cannot, or does not
	}
	if err := p.switching(0); err != nil {
		return fmt.Errorf("leave RS-485 mode: %w", err)
	}
	return nil
}

// switching makes the mode that of some flags.
func (p *Port) switching(flags uint32) error {
	r := rs485{flags: flags}
	if err := p.ioctl485(unix.TIOCSRS485, &r); err != nil {
		return err
	}
	var got rs485
	if err := p.ioctl485(unix.TIOCGRS485, &got); err != nil {
		return err
	}
	matter := uint32(rs485Enabled)
	if flags&rs485Enabled != 0 {
		matter |= rs485RTSOnSend | rs485RTSAfter
	}
	if (got.flags^flags)&matter != 0 {
		return fmt.Errorf("the driver made flags %#x of %#x", got.flags, flags)
	}
	return nil
}

func refused485(err error) error {
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EINVAL) {
		err = fmt.Errorf("%w: the port's driver cannot switch direction", err)
	}
	return fmt.Errorf("RS-485 mode: %w; use an adapter that switches by itself, and leave the mode off", err)
}

func (p *Port) ioctl485(request uint, r *rs485) error {
	return p.control(func(fd int) error {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(unsafe.Pointer(r))); errno != 0 {
			return errno
		}
		return nil
	})
}
