package seatnode_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tavolo/drivers/port"
	"tavolo/drivers/seatnode"
	bridge "tavolo/firmware-bridge"
)

// These tests run the firmware itself: built for a Cortex-M3, in an emulated microcontroller whose UART is a terminal.

const boardUID = 0x7AB1_0000_0000_CAFE

// board is an emulated node.
type board struct {
	testing.TB
	ctx   context.Context
	path  string // of the bus
	front io.Writer
	shown chan string // what changes on display and lamps
}

// firmware builds the firmware with a version, and returns the folder it is in.
func firmware(t testing.TB, version string) string {
	t.Helper()
	for _, tool := range []string{"make", "arm-none-eabi-gcc", "qemu-system-arm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed, see .ci/tools", tool)
		}
	}
	dir := t.TempDir()
	cmd := exec.Command("make", "-C", "../../firmware-bridge/node", "OUT="+dir, "VERSION="+version)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return dir
}

// newBoard switches on a node that has just been made.
func newBoard(t testing.TB, dir string) *board {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	cmd := exec.CommandContext(
		ctx, "qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none", "-serial", "pty", "-serial", "stdio",
		"-kernel", filepath.Join(dir, "boot.elf"), "-device", "loader,file="+filepath.Join(dir, "node.elf"),
		"-device", fmt.Sprintf("loader,addr=0x3FFFF0,data=%#x,data-len=8", uint64(boardUID)),
	)
	b := &board{TB: t, ctx: ctx, shown: make(chan string, 1000)}
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, t.Output()
	front, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	b.front = front
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := make(chan string, 1)
	go b.read(out, path)
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it is killed
		in.Close()
		for range b.shown { // until read has ended
		}
	})
	select {
	case b.path = <-path:
	case <-ctx.Done():
		t.Fatal("the emulator does not name its terminal")
	}
	return b
}

// read takes what the emulator says first, the name of a terminal, and what the node shows after that.
func (b *board) read(out io.Reader, path chan<- string) {
	defer close(b.shown)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if name := regexp.MustCompile(`/dev/pts/\d+`).FindString(lines.Text()); name != "" {
			path <- name
			continue
		}
		select {
		case b.shown <- lines.Text():
		default: // nobody has looked for minutes
		}
	}
}

// player does something at the node, see mps2/board.c.
func (b *board) player(orders ...string) {
	b.Helper()
	if _, err := io.WriteString(b.front, strings.Join(orders, "\n")+"\n"); err != nil {
		b.Fatal(err)
	}
}

// shows waits until the node shows something.
func (b *board) shows(want string) {
	b.Helper()
	for {
		select {
		case got, open := <-b.shown:
			if got == want {
				return
			}
			if !open {
				b.Fatalf("the emulator ended, wanted %s", want)
			}
		case <-b.ctx.Done():
			b.Fatalf("does not show %s", want)
		}
	}
}

// line lets a technician work at the bus. The emulator notices only once a second that its terminal has been opened, and
// nothing is heard before.
func (b *board) line(work func(*bridge.Line)) {
	b.Helper()
	p, err := port.Open(port.Options{Path: b.path})
	if err != nil {
		b.Fatal(err)
	}
	l := bridge.NewLine(p, 200*time.Millisecond)
	for {
		var found int
		for _, at := range []bridge.Addr{bridge.Nameless, 3} {
			nodes, err := l.Find(b.ctx, at)
			if err != nil {
				b.Fatal(err)
			}
			found += len(nodes)
		}
		if found > 0 {
			break
		}
	}
	work(l)
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
}

// place gives the node the address of seat 3.
func (b *board) place() {
	b.Helper()
	b.line(func(l *bridge.Line) {
		found, err := l.Find(b.ctx, bridge.Nameless)
		if err != nil || len(found) != 1 || found[0].UID != boardUID || found[0].Version != 0x0100 ||
			found[0].Schema != bridge.SchemaHash() || found[0].Kind != bridge.KindSeat {
			b.Fatalf("found %+v, %v", found, err)
		}
		if err := l.Move(b.ctx, boardUID, bridge.Nameless, 3); err != nil {
			b.Fatal(err)
		}
	})
}

// drive runs the driver on the bus while work does.
func (b *board) drive(work func(dev *seatnode.Dev, next func() seatnode.Report)) {
	b.Helper()
	dev, err := seatnode.New(seatnode.Options{Path: b.path, Seats: []bridge.Addr{3}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.ctx)
	done := make(chan error, 1)
	go func() { done <- dev.Run(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}()
	work(dev, func() seatnode.Report {
		b.Helper()
		select {
		case r := <-dev.Reports():
			return r
		case <-b.ctx.Done():
			b.Fatalf("nothing is reported any more; %+v", dev.Stats())
			return nil
		}
	})
}

func TestFirmwareAtATable(t *testing.T) {
	t.Parallel()
	b := newBoard(t, firmware(t, "0x0100"))
	b.place()
	b.drive(func(dev *seatnode.Dev, next func() seatnode.Report) {
		// key gives the next key event, and passes over the rest.
		key := func(k bridge.Key, down bool, amount int64) {
			t.Helper()
			for {
				r, ok := next().(seatnode.Key)
				if !ok {
					continue
				}
				if r.Key != k || r.Down != down || r.Amount != amount || r.Prompt != 9 || r.Lost != 0 {
					t.Fatalf("reported %+v, want %v down %v, amount %d", r, k, down, amount)
				}
				return
			}
		}
		err := dev.Set(3, seatnode.Panel{
			Lines: [4]string{"to call 150", "pot 1,200"}, Lit: bridge.LampOf(bridge.KeyFold, bridge.KeyBet),
			Prompt: 9, Bet: seatnode.Bet{Start: 300, Min: 300, Max: 5000, Step: 50},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.shows("L000a")
		b.shows("Tto call 150|pot 1,200")
		if err := dev.Set(3, seatnode.Panel{Prompt: 9, Bet: seatnode.Bet{Start: 300, Min: 300, Max: 5000, Step: 50}, Blink: 1}); err != nil {
			t.Fatal(err)
		}
		for _, lit := range []string{"L0001", "L0000", "L0001"} {
			b.shows(lit)
		}
		b.player("K8", "K0", "K8", "K0", "K0", "K8") // bounces
		key(bridge.KeyBet, true, 300)
		b.player("K0", "K8", "K0")
		key(bridge.KeyBet, false, 0)
		b.player("E1", "E3", "E2", "E0", "E1", "E3", "E2", "E0") // two steps of the encoder
		b.player("K8")
		key(bridge.KeyBet, true, 400)
		b.player("K2000008") // a digit while it is down
		b.player("K8", "K0")
		key(bridge.KeyBet, false, 0)
		for i := range 40 { // more than the ring holds, taken as they come
			k := []bridge.Key{bridge.KeyFold, bridge.KeyCall, bridge.KeyAllIn}[i%3]
			b.player(fmt.Sprintf("K%x", 1<<k))
			key(k, true, 0)
			b.player("K0")
			key(k, false, 0)
		}
		b.player("Wfffffe")
		for {
			if w, ok := next().(seatnode.Weight); ok && w.Seat == 3 && w.Counts == -2 && !w.Over {
				break
			}
		}
		if s := dev.Stats(); !clean(s) {
			t.Errorf("%+v", s)
		}
	})
}

func TestFirmwareIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	b := newBoard(t, firmware(t, "0x0100"))
	image, err := os.ReadFile(filepath.Join(firmware(t, "0x0203"), "node.bin"))
	if err != nil {
		t.Fatal(err)
	}
	b.place()
	b.line(func(l *bridge.Line) {
		ctx, stop := context.WithCancel(b.ctx)
		_, err := l.Update(ctx, 3, image, func(have int) {
			if have > len(image)/2 {
				stop()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
	})
	b.line(func(l *bridge.Line) {
		first := 0
		id, err := l.Update(b.ctx, 3, image, func(have int) {
			if first == 0 {
				first = have
			}
		})
		if err != nil || id.Version != 0x0203 || first <= len(image)/2 {
			t.Fatalf("went on at byte %d of %d: %+v, %v", first, len(image), id, err)
		}
		// It can be done again, from the new firmware.
		if id, err := l.Update(b.ctx, 3, image, func(int) {}); err != nil || id.Version != 0x0203 {
			t.Fatalf("once more: %+v, %v", id, err)
		}
	})
	b.drive(func(_ *seatnode.Dev, next func() seatnode.Report) {
		for {
			if s, ok := next().(seatnode.Status); ok && s.State == bridge.Online && s.Identity.Version == 0x0203 {
				return
			}
		}
	})
}
