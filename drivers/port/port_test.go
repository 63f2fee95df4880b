package port_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func cable(t *testing.T) *sim.PTY {
	t.Helper()
	c, err := sim.NewPTY(filepath.Join(t.TempDir(), "reader"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func open(t *testing.T, path string) *port.Port {
	t.Helper()
	p, err := port.Open(port.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// The deadline of a read that should succeed; generous, since the machine may be busy.
func soon() time.Time { return time.Now().Add(10 * time.Second) }

func TestBytesPassUnchanged(t *testing.T) {
	c := cable(t)
	p := open(t, c.Path())
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	got := make([]byte, len(all))

	if n, err := p.Write(all); n != len(all) || err != nil {
		t.Fatalf("write %d, %v", n, err)
	}
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, all) {
		t.Errorf("device read % x, %v", got, err)
	}
	if _, err := c.Write(all); err != nil {
		t.Fatal(err)
	}
	if err := p.SetReadDeadline(soon()); err != nil {
		t.Fatal(err)
	}
	clear(got)
	if _, err := io.ReadFull(p, got); err != nil || !bytes.Equal(got, all) {
		t.Errorf("host read % x, %v", got, err)
	}
}

// Trap: the library's timeout is (0, nil), which sends io.ReadFull into an endless loop.
func TestReadDeadlineIsAnError(t *testing.T) {
	p := open(t, cable(t).Path())
	if err := p.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := io.ReadFull(p, make([]byte, 4)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d, %v; want a deadline error", n, err)
	}
}

// A program that did not run until a deadline was over takes what came meanwhile, and not that for silence.
func TestWhatCameIsReadBeyondTheDeadline(t *testing.T) {
	c := cable(t)
	p := open(t, c.Path())
	if err := p.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	limit := soon()
	var got []byte
	for b := make([]byte, 8); len(got) < 4 && time.Now().Before(limit); { // the kernel takes its time as well
		n, err := p.Read(b)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		got = append(got, b[:n]...)
	}
	if string(got) != "late" {
		t.Errorf("read %q", got)
	}
}

// Faults 12 and 13: a program that treats the end of a device as an empty read spins, or waits for ever; one that trusts a
// length below nothing panics.
func TestUnplugIsGone(t *testing.T) {
	c := cable(t)
	p := open(t, c.Path())
	result := make(chan error, 1)
	go func() {
		_, err := p.Read(make([]byte, 1))
		result <- err
	}()
	if err := c.Unplug(); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, port.ErrGone) {
		t.Errorf("waiting read: %v, want ErrGone", err)
	}
	if n, err := p.Read(make([]byte, 1)); n != 0 || !errors.Is(err, port.ErrGone) {
		t.Errorf("read after: %d, %v, want ErrGone", n, err)
	}
	if _, err := p.Write([]byte{1}); !errors.Is(err, port.ErrGone) {
		t.Errorf("write after: %v, want ErrGone", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("close after: %v", err)
	}
}

// Trap: the library's Write has no deadline and blocks for ever when the peer stops reading. Fault 11: Close must not wait
// for the unsent bytes either.
func TestWriteToADeafDevice(t *testing.T) {
	c := cable(t) // nobody reads the other end
	p, err := port.Open(port.Options{Path: c.Path(), Baud: 4_000_000})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Write(make([]byte, 64<<10)) // far over what the kernel buffers
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("write: %v, want a deadline error", err)
	}
	began := time.Now()
	if err := p.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("close took %v with bytes unsent", took)
	}
}

// Trap: the library's Write after Close goes into whichever file was given the number of the closed descriptor.
func TestWriteAfterCloseHitsNoOtherFile(t *testing.T) {
	p := open(t, cable(t).Path())
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var files []*os.File // some of which take over the freed numbers
	for range 8 {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	if n, err := p.Write([]byte("STRAY")); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("write after close: %d, %v", n, err)
	}
	for _, f := range files {
		if fi, err := f.Stat(); err != nil || fi.Size() != 0 {
			t.Errorf("%s holds %d bytes, %v", f.Name(), fi.Size(), err)
		}
	}
	if err := p.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
}

// Trap: the library frees the descriptor while a reader still waits on it.
func TestCloseEndsAWaitingRead(t *testing.T) {
	p := open(t, cable(t).Path())
	result := make(chan error, 1)
	go func() {
		_, err := p.Read(make([]byte, 1))
		result <- err
	}()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, os.ErrClosed) {
		t.Errorf("waiting read: %v, want os.ErrClosed", err)
	}
}

// Fault 10: the library waits with select, which has room for 1024 descriptors and panics beyond.
func TestHighDescriptor(t *testing.T) {
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil || lim.Cur < 1200 {
		t.Skipf("only %d descriptors allowed, %v", lim.Cur, err)
	}
	c := cable(t)
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Fd() > 1100 {
			break
		}
	}
	p := open(t, c.Path())
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := p.SetReadDeadline(soon()); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
}

// Fault 15: root passes TIOCEXCL, so that a second daemon steals every other byte. A second name for the same device must
// not help either.
func TestSecondOpenIsRefused(t *testing.T) {
	c := cable(t)
	p := open(t, c.Path())
	alias := filepath.Join(t.TempDir(), "by-path")
	if err := os.Symlink(c.Path(), alias); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{c.Path(), alias} {
		if _, err := port.Open(port.Options{Path: path}); !errors.Is(err, port.ErrInUse) {
			t.Errorf("second open of %s: %v, want ErrInUse", path, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, alias)
}

func TestOpenFailures(t *testing.T) {
	dir := t.TempDir()
	if _, err := port.Open(port.Options{Path: filepath.Join(dir, "absent")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := port.Open(port.Options{Path: plain}); err == nil {
		t.Error("a plain file was opened as a serial port")
	}
}

// Bytes from before the open belong to another conversation.
func TestOpenStartsEmpty(t *testing.T) {
	c := cable(t)
	if _, err := c.Write([]byte("stale")); err != nil {
		t.Fatal(err)
	}
	p := open(t, c.Path())
	if _, err := c.Write([]byte("fresh")); err != nil {
		t.Fatal(err)
	}
	if err := p.SetReadDeadline(soon()); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(p, b); err != nil || string(b) != "fresh" {
		t.Errorf("read %q, %v", b, err)
	}
}

// Any rate goes, named in the kernel's table or not.
func TestOddSpeed(t *testing.T) {
	p, err := port.Open(port.Options{Path: cable(t).Path(), Baud: 250000})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// Fault 14: the device comes back as another node while the old descriptor is still open. Keep must report the loss, close
// at once, and find the device again under the same path.
func TestKeepReopens(t *testing.T) {
	c := cable(t)
	ctx, cancel := context.WithCancel(t.Context())
	lost, up, got := make(chan error, 16), make(chan struct{}), make(chan string)
	done := make(chan error)
	go func() {
		done <- port.Keep(ctx, port.Options{Path: c.Path(), Lost: func(err error) { lost <- err }},
			func(ctx context.Context, p *port.Port) error {
				stop := context.AfterFunc(ctx, func() { p.SetReadDeadline(time.Now()) })
				defer stop()
				up <- struct{}{}
				b := make([]byte, 1)
				for {
					n, err := p.Read(b)
					if err != nil {
						return err
					}
					got <- string(b[:n])
				}
			})
	}()
	for _, word := range []string{"a", "b"} {
		<-up
		if _, err := c.Write([]byte(word)); err != nil {
			t.Fatal(err)
		}
		if s := <-got; s != word {
			t.Errorf("read %q, want %q", s, word)
		}
		if err := c.Unplug(); err != nil {
			t.Fatal(err)
		}
		if err := <-lost; !errors.Is(err, port.ErrGone) {
			t.Errorf("lost for %v, want ErrGone", err)
		}
		if err := <-lost; !errors.Is(err, os.ErrNotExist) {
			t.Errorf("then lost for %v, want that the device is absent", err)
		}
		if err := c.Plug(); err != nil {
			t.Fatal(err)
		}
	}
	<-up
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Keep returned %v", err)
	}
}

func TestKeepEndsWithUse(t *testing.T) {
	err := port.Keep(t.Context(), port.Options{Path: cable(t).Path()},
		func(context.Context, *port.Port) error { return nil })
	if err != nil {
		t.Error(err)
	}
}
