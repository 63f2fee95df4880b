package mqtt

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

func TestUserTimeoutIsSet(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	u, err := parseURL("tcp://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := dial(t.Context(), t.Context(), u, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if ms, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT); err != nil || ms != 8000 {
			t.Errorf("TCP_USER_TIMEOUT is %d ms, %v; want 8000", ms, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
