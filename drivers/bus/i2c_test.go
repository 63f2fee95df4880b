package bus

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"periph.io/x/conn/v3/i2c"

	"tavolo/drivers/sim"
)

// memory is a chip that gives back the byte it was last given.
type memory struct{ b byte }

func (m *memory) Write(b []byte) { m.b = b[len(b)-1] }
func (m *memory) Read(b []byte)  { b[0] = m.b }

type file struct {
	*sim.I2C
	closed bool
}

func (f *file) Close() error { f.closed = true; return nil }

func over(t *testing.T, wire *sim.I2C) (*I2C, *[]*file) {
	b := NewI2C(filepath.Join(t.TempDir(), "i2c-1"))
	if err := os.WriteFile(b.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var files []*file
	b.open = func(string) (i2c.BusCloser, error) {
		f := &file{I2C: wire}
		files = append(files, f)
		return f, nil
	}
	return b, &files
}

func TestOverAnOpenBus(t *testing.T) {
	wire := sim.NewI2C()
	wire.Add(0x20, &memory{7})
	b := Over(wire)
	var got [1]byte
	if err := errors.Join(b.Tx(0x20, nil, got[:]), b.Close()); err != nil || got[0] != 7 {
		t.Errorf("read %d, %v", got[0], err)
	}
}

// Displays with one address hang behind the channels of two multiplexers; each gets what is meant for it, from any number
// of goroutines.
func TestMultiplexers(t *testing.T) {
	wire := sim.NewI2C()
	b, _ := over(t, wire)
	var chips [2][8]memory
	for m := range chips {
		mux := sim.NewTCA9548A(wire, uint16(0x70+m))
		for c := range chips[m] {
			mux.Channel(c).Add(0x3c, &chips[m][c])
		}
	}
	var wg sync.WaitGroup
	for m := range chips {
		for c := range chips[m] {
			ch, err := b.Channel(uint16(0x70+m), c)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				for i := range 20 {
					want := byte(i ^ m<<7 ^ c<<4)
					var got [1]byte
					if err := ch.Tx(0x3c, []byte{want}, nil); err != nil {
						t.Error(err)
					}
					if err := ch.Tx(0x3c, nil, got[:]); err != nil || got[0] != want {
						t.Errorf("%s: read %x, %v; want %x", ch, got[0], err, want)
					}
				}
			})
		}
	}
	wg.Wait()
}

// A multiplexer that has lost its supply keeps nobody from what is behind another, and nothing of its own is open when it is
// back.
func TestLostMultiplexerIsAlone(t *testing.T) {
	wire := sim.NewI2C()
	b, _ := over(t, wire)
	var chips [2]memory
	var behind [2]i2c.Bus
	for m := range chips {
		mux := uint16(0x70 + m)
		sim.NewTCA9548A(wire, mux).Channel(0).Add(0x3c, &chips[m])
		var err error
		if behind[m], err = b.Channel(mux, 0); err != nil {
			t.Fatal(err)
		}
		if err := behind[m].Tx(0x3c, []byte{1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	wire.Cut(0x71, true)
	if err := behind[0].Tx(0x3c, []byte{2}, nil); err != nil || chips != [2]memory{{2}, {1}} {
		t.Errorf("beside a lost one: %v, %v", chips, err)
	}
	if err := behind[1].Tx(0x3c, []byte{3}, nil); err == nil {
		t.Error("behind a lost one something answers")
	}
	wire.Cut(0x71, false)
	for m := range behind {
		if err := behind[m].Tx(0x3c, []byte{4}, nil); err != nil {
			t.Error(err)
		}
	}
	if chips != [2]memory{{4}, {4}} {
		t.Errorf("back: %v", chips)
	}
}

func TestLostMultiplexerIsNamed(t *testing.T) {
	b, _ := over(t, sim.NewI2C())
	ch, err := b.Channel(0x71, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.Tx(0x3c, []byte{1}, nil); err == nil || !strings.Contains(err.Error(), "select channel 2") || !strings.Contains(err.Error(), "0x71") || !strings.Contains(err.Error(), "; check its address") {
		t.Errorf("no multiplexer: %v", err)
	}
	for _, c := range [][2]int{{0x6f, 0}, {0x78, 0}, {0x70, 8}, {0x70, -1}} {
		if _, err := b.Channel(uint16(c[0]), c[1]); err == nil {
			t.Errorf("multiplexer 0x%x, channel %d passes", c[0], c[1])
		}
	}
}

// A bus whose adapter was unplugged is opened again; one with a device that does not answer is not.
func TestBusIsOpenedAgain(t *testing.T) {
	wire := sim.NewI2C()
	b, files := over(t, wire)
	if err := b.Tx(0x20, []byte{1}, nil); err == nil || len(*files) != 1 || (*files)[0].closed {
		t.Fatalf("no device: %v, %d files", err, len(*files))
	}
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	if err := b.Tx(0x20, []byte{1}, nil); err == nil || !(*files)[0].closed {
		t.Errorf("unplugged: %v", err)
	}
	wire.Add(0x20, &memory{})
	if err := b.Tx(0x20, []byte{1}, nil); err != nil || len(*files) != 2 {
		t.Errorf("back: %v, %d files", err, len(*files))
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil || !(*files)[1].closed {
		t.Errorf("close: %v", err)
	}
}

// Fault 14: a bus named by a link, whose adapter comes back as another device before it is missed, is that one from then on.
func TestBusFollowsItsLink(t *testing.T) {
	wire := sim.NewI2C()
	b, files := over(t, wire)
	link := b.path + "-by-path"
	if err := os.Symlink(b.path, link); err != nil {
		t.Fatal(err)
	}
	first := b.path
	b.path = link
	if err := b.Tx(0x20, []byte{1}, nil); err == nil || len(*files) != 1 || (*files)[0].closed {
		t.Fatalf("no device: %v, %d files", err, len(*files))
	}
	again := first + "1"
	if err := errors.Join(os.Rename(first, again), os.Remove(link), os.Symlink(again, link)); err != nil {
		t.Fatal(err)
	}
	if err := b.Tx(0x20, []byte{1}, nil); err == nil || !(*files)[0].closed {
		t.Errorf("its adapter is another: %v", err)
	}
	wire.Add(0x20, &memory{})
	if err := b.Tx(0x20, []byte{1}, nil); err != nil || len(*files) != 2 {
		t.Errorf("back: %v, %d files", err, len(*files))
	}
}

func TestPathsOfBuses(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"i2c-7", "spidev1.2", "ttyS0"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("spidev1.2", filepath.Join(dir, "display")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, pattern string
		want          [2]int
		fault         string
	}{
		{"i2c-7", "i2c-%d", [2]int{7}, ""},
		{"display", "spidev%d.%d", [2]int{1, 2}, ""},
		{"i2c-9", "i2c-%d", [2]int{}, "switch the bus on"},
		{"ttyS0", "spidev%d.%d", [2]int{}, "/dev/spidev1.0"},
	} {
		n, err := number(filepath.Join(dir, c.name), c.pattern)
		if n != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, %v", c.name, n, err)
		}
	}
	if _, err := OpenSPI(filepath.Join(dir, "nothing"), 0, 0); err == nil {
		t.Error("a bus that is not there opens")
	}
}
