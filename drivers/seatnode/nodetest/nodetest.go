// Package nodetest runs the firmware of seat nodes, bit for bit: built for a Cortex-M3, in emulated microcontrollers whose
// UARTs are terminals of this machine. The test is the player at their keys, and sees what they show.
//
// [Build] the firmware, [Start] a node with it, and give a driver [Node.Path], or put several nodes on one [Bus].
package nodetest

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
	bridge "tavolo/firmware-bridge"
)

// patience ends a node for which nobody has waited so long.
const patience = 3 * time.Minute

// Reply is how long to wait for the answer of an emulated node, which shares a machine with others.
const Reply = 300 * time.Millisecond

// Firmware is a build of the firmware.
type Firmware struct{ dir string }

// Build builds the firmware with a version, whose major is in the high byte. It skips the test where the tools are missing.
func Build(t testing.TB, version uint16) Firmware {
	t.Helper()
	for _, tool := range []string{"make", "arm-none-eabi-gcc", "qemu-system-arm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed, see .ci/tools", tool)
		}
	}
	f := Firmware{t.TempDir()}
	cmd := exec.Command("make", "-C", source(t), "OUT="+f.dir, fmt.Sprintf("VERSION=%#04x", version))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return f
}

// source is the folder of the firmware in the module whose test this is.
func source(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "firmware-bridge", "node")
}

// Image is the firmware as it is sent over the bus.
func (f Firmware) Image(t testing.TB) []byte {
	t.Helper()
	image, err := os.ReadFile(filepath.Join(f.dir, "node.bin"))
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// Node is an emulated node. Its methods are for the goroutine of the test.
type Node struct {
	UID uint64

	t     testing.TB
	ctx   context.Context
	path  string // of the terminal
	front io.Writer
	shown chan string // what changes on display and lamps
}

// Start switches on a node that has just been made and has no address, until the test ends.
func Start(t testing.TB, f Firmware, uid uint64) *Node {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	cmd := exec.CommandContext(
		ctx, "qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none", "-serial", "pty", "-serial", "stdio",
		"-kernel", filepath.Join(f.dir, "boot.elf"), "-device", "loader,file="+filepath.Join(f.dir, "node.elf"),
		"-device", fmt.Sprintf("loader,addr=0x3FFFF0,data=%#x,data-len=8", uid),
	)
	n := &Node{UID: uid, t: t, ctx: ctx, shown: make(chan string, 1000)}
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, t.Output()
	front, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	n.front = front
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := make(chan string, 1)
	go n.read(out, path)
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it is killed
		in.Close()
		for range n.shown { // until read has ended
		}
	})
	select {
	case n.path = <-path:
	case <-ctx.Done():
		t.Fatal("the emulator does not name its terminal")
	}
	return n
}

// read takes what the emulator says first, the name of a terminal, and what the node shows after that.
func (n *Node) read(out io.Reader, path chan<- string) {
	defer close(n.shown)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if name := regexp.MustCompile(`/dev/pts/\d+`).FindString(lines.Text()); name != "" {
			path <- name
			continue
		}
		select {
		case n.shown <- lines.Text():
		default: // nobody has looked for minutes
		}
	}
}

// Path is the terminal of the node's UART. The emulator notices only once a second that it has been opened, and nothing is
// heard before.
func (n *Node) Path() string { return n.path }

// Do does something at the node's keys, encoder, scale or reset button: orders as mps2/board.c of the firmware has them.
func (n *Node) Do(orders ...string) {
	n.t.Helper()
	if _, err := io.WriteString(n.front, strings.Join(orders, "\n")+"\n"); err != nil {
		n.t.Fatal(err)
	}
}

// Press presses a key and lets it go.
func (n *Node) Press(k bridge.Key) {
	n.t.Helper()
	const samples = 5 // alike, and it is no bounce
	n.Do(strings.Repeat(fmt.Sprintf("K%x\n", 1<<k), samples) + strings.TrimSuffix(strings.Repeat("K0\n", samples), "\n"))
}

// Shows waits until the node shows something: T and the lines of its display, parted by bars, L and its lamps, or A and the
// amount prepared.
func (n *Node) Shows(want string) {
	n.t.Helper()
	var had []string
	for {
		select {
		case got, open := <-n.shown:
			if got == want {
				return
			}
			had = append(had, got)
			if !open {
				n.t.Fatalf("node %016x: the emulator ended, wanted %s, had %q", n.UID, want, had)
			}
		case <-n.ctx.Done():
			n.t.Fatalf("node %016x does not show %s, but %q", n.UID, want, had)
		}
	}
}

// OnLine has a technician work at a bus as soon as nodes answer at an address there, and gives him those that do.
func OnLine(t testing.TB, path string, at bridge.Addr, work func(*bridge.Line, []bridge.Identity)) {
	t.Helper()
	technician(t, path, func(p *port.Port) { work(heard(t, p, at)) })
}

// Place has a technician give a node that has no address one, on a bus that is at path.
func (n *Node) Place(path string, at bridge.Addr) {
	n.t.Helper()
	technician(n.t, path, func(p *port.Port) {
		line := newLine(p)
		for err := line.Move(n.ctx, n.UID, bridge.Nameless, at); err != nil; {
			if n.ctx.Err() != nil || errors.Is(err, port.ErrGone) {
				n.t.Fatal(err)
			}
			err = line.Move(n.ctx, n.UID, bridge.Nameless, at) // an answer came so late that it was taken for another's
		}
	})
}

// technician lets work have the port of a bus.
func technician(t testing.TB, path string, work func(*port.Port)) {
	t.Helper()
	p, err := port.Open(port.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	work(p)
}

// newLine is a line on which a question that nobody answers, put ten times, takes a second.
func newLine(p *port.Port) *bridge.Line { return bridge.NewLine(p, Reply/3) }

// heard waits until nodes answer at an address.
func heard(t testing.TB, p *port.Port, at bridge.Addr) (*bridge.Line, []bridge.Identity) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	line := newLine(p)
	for {
		found, err := line.Find(ctx, at)
		if err == nil && len(found) > 0 {
			return line, found
		}
		if ctx.Err() != nil || errors.Is(err, port.ErrGone) {
			t.Fatalf("no node is heard at address %d: %v", at, err)
		}
	}
}
