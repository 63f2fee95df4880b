package sim

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tavolo/drivers/port"
)

// host opens the host's end of p with a deadline, so that a fault in the test shows as an error and not as a hang.
func host(t *testing.T, p *PTY) *os.File {
	t.Helper()
	f, err := os.OpenFile(p.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return f
}

func newPTY(t *testing.T) *PTY {
	t.Helper()
	p, err := NewPTY(filepath.Join(t.TempDir(), "dev", "shoe"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	b := make([]byte, len(want))
	if n, err := io.ReadFull(r, b); err != nil || string(b) != want {
		t.Fatalf("read %q, %v; want %q", b[:n], err, want)
	}
}

// Raw means no echo, no line discipline: every byte value passes both ways unchanged.
func TestPTYIsTransparent(t *testing.T) {
	p := newPTY(t)
	h := host(t, p)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if _, err := h.Write(all); err != nil {
		t.Fatal(err)
	}
	expect(t, p, string(all))
	if _, err := p.Write(all); err != nil {
		t.Fatal(err)
	}
	expect(t, h, string(all))
}

func TestPTYUnplugAndPlug(t *testing.T) {
	p := newPTY(t)
	old := host(t, p)
	read := make(chan string)
	go func() {
		b := make([]byte, 5)
		n, _ := p.Read(b) // waits through the whole unplugged time
		read <- string(b[:n])
	}()

	if err := errors.Join(p.Unplug(), p.Unplug()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link outlived the cable: %v", err)
	}
	if n, err := old.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("old end read %d bytes, %v; want a hang-up", n, err)
	}
	if n, err := p.Write([]byte("lost")); n != 4 || err != nil {
		t.Errorf("write into the air: %d, %v", n, err)
	}

	if err := errors.Join(p.Plug(), p.Plug()); err != nil {
		t.Fatal(err)
	}
	h := host(t, p)
	if _, err := h.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "hello" {
		t.Errorf("device read %q", got)
	}
	if _, err := p.Write([]byte("world")); err != nil {
		t.Fatal(err)
	}
	expect(t, h, "world") // and nothing of what was lost before
}

func TestPTYCloseEndsRead(t *testing.T) {
	for _, plugged := range []bool{true, false} {
		p := newPTY(t)
		if !plugged {
			if err := p.Unplug(); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error)
		go func() {
			_, err := p.Read(make([]byte, 1))
			done <- err
		}()
		if err := errors.Join(p.Close(), p.Close()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, io.EOF) {
			t.Errorf("plugged %v: read returned %v, want io.EOF", plugged, err)
		}
		if _, err := p.Write([]byte{1}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("write after close: %v", err)
		}
		if err := p.Plug(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("plug after close: %v", err)
		}
	}
}

// A device keeps running when nobody listens; a UART does not wait either.
func TestPTYNeverBlocksTheDevice(t *testing.T) {
	p := newPTY(t)
	host(t, p) // opened, never read
	chunk := make([]byte, 64<<10)
	for range 3 {
		if n, err := p.Write(chunk); n != len(chunk) || err != nil {
			t.Fatalf("write %d, %v", n, err)
		}
	}
}

func TestPTYReplacesAStaleLinkOnly(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale")
	if err := os.Symlink("/nowhere", stale); err != nil {
		t.Fatal(err)
	}
	p, err := NewPTY(stale)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewPTY(file); err == nil {
		t.Error("a file that is no link was replaced")
	}
}

func TestFaults(t *testing.T) {
	p := newPTY(t)
	h := host(t, p)
	send := func(frames ...string) {
		t.Helper()
		for _, f := range frames {
			if n, err := p.Write([]byte(f)); n != len(f) || err != nil {
				t.Fatalf("write %q: %d, %v", f, n, err)
			}
		}
	}
	p.Inject(1, Cut(2))
	send("abcd", "|")
	expect(t, h, "ab|")
	p.Inject(2, Corrupt(1))
	send("abc", "a", "|")
	expect(t, h, "a\x9dc\x9e|")
	p.Inject(1, Garbage([]byte("##")))
	send("abc", "|")
	expect(t, h, "##abc|")
	p.Inject(1, Mute())
	send("abc", "|")
	expect(t, h, "|")
	p.Inject(4, Glue(2))
	send("a", "b", "c", "d", "|")
	expect(t, h, "abcd|")
	p.Inject(0, Mute())
	send("a", "b", "c")
	p.Inject(0, nil)
	send("|")
	expect(t, h, "|")
}

// A device that keeps to a speed understands a host at that speed alone, and is understood by no other.
func TestRateOfAPTY(t *testing.T) {
	cable, err := NewPTY(filepath.Join(t.TempDir(), "port"))
	if err != nil {
		t.Fatal(err)
	}
	defer cable.Close()
	cable.Rate(38400)
	for _, tt := range []struct {
		baud  int
		clear bool
	}{{38400, true}, {9600, false}, {38400, true}} {
		host, err := port.Open(port.Options{Path: cable.Path(), Baud: tt.baud})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 16)
		if _, err := host.Write([]byte("question")); err != nil {
			t.Fatal(err)
		}
		n, err := cable.Read(buf)
		if heard := string(buf[:n]); err != nil || (heard == "question") != tt.clear {
			t.Errorf("at %d baud the device hears %q, %v", tt.baud, heard, err)
		}
		if _, err := cable.Write([]byte("answer")); err != nil {
			t.Fatal(err)
		}
		n, err = host.Read(buf)
		if heard := string(buf[:n]); err != nil || (heard == "answer") != tt.clear {
			t.Errorf("at %d baud the host hears %q, %v", tt.baud, heard, err)
		}
		if err := host.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
