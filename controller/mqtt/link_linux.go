package mqtt

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// control has the kernel give up a connection on which sent bytes are not acknowledged for userTimeout, where it
// would try for a quarter of an hour. It is what notices a stuck peer when the socket's buffer is full.
func control(_, _ string, c syscall.RawConn) error {
	var err error
	if e := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(userTimeout.Milliseconds()))
	}); e != nil {
		return e
	}
	return err
}
