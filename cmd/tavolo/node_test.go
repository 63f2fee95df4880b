package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tavolo/drivers/sim"
	bridge "tavolo/firmware-bridge"
)

// nodeRig is a table with two felt seats, and its bus with no nodes yet.
type nodeRig struct {
	*rig
	bus *sim.Bus
}

func newNodeRig(t *testing.T) *nodeRig {
	t.Helper()
	r := newRig(t, demoOptions{seats: 4, felt: 2})
	cable, err := sim.NewPTY(filepath.Join(filepath.Dir(r.file), "dev", "panels"))
	if err != nil {
		t.Fatal(err)
	}
	bus := sim.NewBus(cable)
	background(t, bus.Run)
	return &nodeRig{r, bus}
}

// run runs tavolo node, and returns its exit status, what it printed and what it complained of.
func (r *nodeRig) run(args ...string) (status int, stdout, stderr string) {
	r.t.Helper()
	var out, faults bytes.Buffer
	status = run(r.t.Context(), append([]string{"node", args[0], "-c", r.file}, args[1:]...), &out, &faults)
	return status, out.String(), faults.String()
}

func (r *nodeRig) image(edit func([]byte)) string {
	r.t.Helper()
	data := make([]byte, 1000)
	copy(data[28:], "TVLN\x01\x00\x07\x03")
	binary.LittleEndian.PutUint32(data[36:], bridge.SchemaHash())
	binary.LittleEndian.PutUint32(data[40:], uint32(len(data)))
	edit(data)
	file := filepath.Join(r.t.TempDir(), "node.bin")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
	return file
}

func uid(n *sim.Node) string { return fmt.Sprintf("%016x", n.Identity().UID) }

func TestNodeListAndMove(t *testing.T) {
	t.Parallel()
	r := newNodeRig(t)
	if status, _, stderr := r.run("list"); status != 1 || !strings.Contains(stderr, "no node answers") {
		t.Errorf("an empty bus: %d, %s", status, stderr)
	}
	one, two, fresh := r.bus.Add(1), r.bus.Add(2), r.bus.Add(bridge.Nameless)
	status, stdout, _ := r.run("list")
	table := fmt.Sprintf("%08x", bridge.SchemaHash())
	want := uid(one) + "  seat 1      firmware 1.0    table " + table + "  ok\n" +
		uid(two) + "  seat 2      firmware 1.0    table " + table + "  ok\n" +
		uid(fresh) + "  no seat     firmware 1.0    table " + table + "  seatless\n"
	if status != 0 || stdout != want {
		t.Errorf("list: %d\n%swant\n%s", status, stdout, want)
	}

	// Seat 2's panel is exchanged.
	if status, _, stderr := r.run("move", uid(fresh), "2"); status != 1 || !strings.Contains(stderr, "taken by node "+uid(two)) {
		t.Errorf("a seat that has a node: %d, %s", status, stderr)
	}
	if status, stdout, stderr := r.run("move", uid(two), "none"); status != 0 || two.Addr() != bridge.Nameless {
		t.Errorf("take the seat away: %d, %s%s", status, stdout, stderr)
	}
	for range 2 { // the second time it is there
		status, stdout, stderr := r.run("move", uid(fresh), "2", "--json")
		want := fmt.Sprintf(`{"uid":"%s","address":2,"seat":2,"version":"1.0","schema":"%08x","result":"ok"}`+"\n", uid(fresh), bridge.SchemaHash())
		if status != 0 || stdout != want || fresh.Addr() != 2 {
			t.Errorf("give a seat: %d, %s%s", status, stdout, stderr)
		}
	}

	for _, args := range [][]string{{"move", "xyz", "2"}, {"move", uid(one), "3"}, {"move", uid(one), "9"}, {"move", uid(one)}} {
		if status, _, _ := r.run(args...); status != 2 {
			t.Errorf("%q: exit status %d, want 2", args, status)
		}
	}
	if status, _, stderr := r.run("move", "abc", "1"); status != 1 || !strings.Contains(stderr, "no node 0000000000000abc") {
		t.Errorf("no such node: %d, %s", status, stderr)
	}

	two.Flash(0xBAD)
	if status, stdout, _ := r.run("list"); status != 1 || !strings.Contains(stdout, "table 00000bad  foreign") {
		t.Errorf("foreign firmware: %d, %s", status, stdout)
	}
}

func TestNodeUpdate(t *testing.T) {
	t.Parallel()
	r := newNodeRig(t)
	one := r.bus.Add(1)
	good := r.image(func([]byte) {})
	status, stdout, stderr := r.run("update", "--image", good)
	if status != 1 || !strings.Contains(stdout, "seat 1: node "+uid(one)+" runs firmware 3.7\n") || !strings.Contains(stdout, "seat 2: ") || stderr != "" {
		t.Errorf("one node of two is there: %d\n%s%s", status, stdout, stderr)
	}
	one.Flash(0xBAD) // a node that this program does not talk to is the one that needs it
	if status, stdout, _ := r.run("update", "--image", good, "--json", "1"); status != 0 || !strings.Contains(stdout, `{"seat":1,"result":"ok","uid":"`+uid(one)) {
		t.Errorf("an old node: %d, %s", status, stdout)
	}
	if id := one.Identity(); id.Version != 0x0307 || id.Schema != bridge.SchemaHash() {
		t.Errorf("the node runs %+v", id)
	}
	for name, file := range map[string]string{
		"mark is missing":       r.image(func(b []byte) { b[28] = 0 }),
		"cut off or padded":     r.image(func(b []byte) { b[40]++ }),
		"would be refused":      r.image(func(b []byte) { b[36]++ }),
		"no such file":          filepath.Join(t.TempDir(), "none"),
		`seat "12" has no node`: good,
	} {
		args := []string{"update", "--image", file}
		if file == good {
			args = append(args, "12")
		}
		if status, _, stderr := r.run(args...); status == 0 || !strings.Contains(stderr, name) {
			t.Errorf("%s: %d, %s", name, status, stderr)
		}
	}
}

func TestNodeBusInUse(t *testing.T) {
	t.Parallel()
	r := newNodeRig(t)
	r.bus.Add(1)
	d := r.daemon()
	w := r.watch(d.brokerURL())
	w.await("the bus is held", func(s *seen) bool { return s.devices["panels"].State != "" })
	if status, _, stderr := r.run("list"); status != 1 || !strings.Contains(stderr, "in use by another program") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}
