package port

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// The layout is that of linux/serial.h, as a C compiler sees it.
func TestRS485Layout(t *testing.T) {
	var r rs485
	if unsafe.Sizeof(r) != 32 || unsafe.Offsetof(r.before) != 4 || unsafe.Offsetof(r.after) != 8 {
		t.Errorf("%d bytes, delays at %d and %d", unsafe.Sizeof(r), unsafe.Offsetof(r.before), unsafe.Offsetof(r.after))
	}
	if unix.TIOCGRS485 != 0x542E || unix.TIOCSRS485 != 0x542F {
		t.Errorf("requests %#x and %#x", unix.TIOCGRS485, unix.TIOCSRS485)
	}
}

// Fault 16: a direction that is switched too late, from here, cuts bytes off. A port whose driver cannot switch it is not
// opened, and the error says what to do. A pseudo-terminal's cannot.
func TestRS485Refused(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	_, err = Open(Options{Path: slave.Name(), RS485: true})
	if err == nil || !strings.Contains(err.Error(), "RS-485 mode") || !strings.Contains(err.Error(), "switches by itself") {
		t.Errorf("opened with %v", err)
	}
	p, err := Open(Options{Path: slave.Name()}) // the refused one let go of it
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// Fault 34: an adapter that holds answers back is found out.
func TestAdvice(t *testing.T) {
	dir := t.TempDir()
	node, link := filepath.Join(dir, "ttyUSB7"), filepath.Join(dir, "by-id")
	timer := filepath.Join(dir, "devices", "ttyUSB7", "latency_timer")
	if err := os.MkdirAll(filepath.Dir(timer), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(node, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(node, link); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "", "16\n": "16 ms: write 1 to " + timer, "1\n": "", "much": ""} {
		if err := os.WriteFile(timer, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := advice(filepath.Join(dir, "devices"), link); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Advice(filepath.Join(dir, "nothing")); got != "" {
		t.Errorf("of no port: %q", got)
	}
}
