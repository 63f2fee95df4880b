package port

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The UART at /dev/near/3 of the virtual board switches by RTS, the others do not, as the kernel's driver tells.
func TestOnTheBoardRS485(t *testing.T) {
	if _, err := os.Stat("/dev/near/3"); err != nil {
		t.Skip("not on the virtual board: make test-board")
	}
	if _, err := Open(Options{Path: "/dev/near/0", RS485: true}); !errors.Is(err, unix.ENOTTY) ||
		!strings.Contains(err.Error(), "/dev/near/0: RS-485 mode: ") || !strings.Contains(err.Error(), "use an adapter that switches by itself") {
		t.Errorf("a UART that does not switch: %v", err)
	}
	carries(t, 0, Options{}, false) // the refused one let go of it
	carries(t, 3, Options{RS485: true}, true)
	carries(t, 3, Options{}, false) // who wants it no more is rid of it
}

// carries checks that a cable carries bytes both ways, and whether the kernel switches direction meanwhile.
func carries(t *testing.T, cable byte, o Options, switches bool) {
	t.Helper()
	end := string('0' + cable)
	far, err := Open(Options{Path: "/dev/far/" + end})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	o.Path = "/dev/near/" + end
	near, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	var mode rs485
	if err := near.ioctl485(unix.TIOCGRS485, &mode); err != nil || (mode.flags&rs485Enabled != 0) != switches {
		t.Errorf("%+v: mode %#x, %v", o, mode.flags, err)
	}
	late := time.Now().Add(time.Minute)
	if err := errors.Join(near.SetReadDeadline(late), far.SetReadDeadline(late)); err != nil {
		t.Fatal(err)
	}
	type way struct {
		from io.Writer
		to   io.Reader
	}
	ways := []way{{near, far}, {far, near}}
	for _, way := range ways { // what others have left in the cable comes before
		begin := []byte("begin")
		if _, err := way.from.Write(begin); err != nil {
			t.Fatal(err)
		}
		for came := []byte{}; !bytes.HasSuffix(came, begin); {
			var b [1]byte
			if _, err := io.ReadFull(way.to, b[:]); err != nil {
				t.Fatalf("%+v: % x, %v", o, came, err)
			}
			came = append(came, b[0])
		}
	}
	sent := bytes.Repeat([]byte{0, 0xFF, 0x55, 1}, 20)
	got := make([]byte, len(sent))
	for range 3 { // requests and replies, by turns
		for _, way := range ways {
			clear(got)
			if _, err := way.from.Write(sent); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(way.to, got); err != nil || !bytes.Equal(got, sent) {
				t.Errorf("%+v: % x, %v", o, got, err)
			}
		}
	}
}
