package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/drivers/seatnode/nodetest"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// A hand is played at panels that run the firmware itself, in emulated microcontrollers on one pair of wires. A technician
// gives them their seats as at a real table. In the hand one of them starts over, and one is cut off for a while.
func TestFirmwareInAHand(t *testing.T) {
	t.Parallel()
	fw := nodetest.Build(t, 0x0100)
	nodes := [...]*nodetest.Node{1: nodetest.Start(t, fw, 0xA1), 2: nodetest.Start(t, fw, 0xA2)}
	r := scripted(t, "straddle.phh", 2, func(text string) string {
		return strings.Replace(text, "kind = \"seat-bus\"\n", fmt.Sprintf("kind = \"seat-bus\"\nreply = %q\n", nodetest.Reply), 1)
	})
	path := filepath.Join(filepath.Dir(r.file), "dev", "panels")
	bus := nodetest.NewBus(t, path, nodes[1:]...)
	for seat := 1; seat <= 2; seat++ {
		nodes[seat].Place(path, bridge.Addr(seat))
	}

	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		o.Devices = slices.DeleteFunc(o.Devices, func(d simtable.Device) bool { return d.Kind == seatBus })
		playing("carla", "dario")(o)
	})
	// says waits for what a display shows, and for the decision behind it: the least that the seat may raise to.
	says := func(seat engine.Seat, raise int, lines ...string) {
		t.Helper()
		nodes[seat].Shows("T" + strings.Join(lines, "|"))
		nodes[seat].Shows(fmt.Sprint("A", raise))
	}
	acts := func(seat engine.Seat, k bridge.Key) {
		t.Helper()
		seq := w.turn(seat)
		nodes[seat].Press(k)
		w.acted(seat, seq)
	}
	says(1, 8, "CALL 3", "MIN 8", "STACK 198", "POT 15")
	acts(1, bridge.KeyFold)
	says(1, 0, "FOLDED", "STACK 198", "POT 15")
	says(2, 8, "CALL 2", "MIN 8", "STACK 197", "POT 15")
	acts(2, bridge.KeyCall)

	says(2, 20, "CALL 8", "MIN 20", "STACK 195", "POT 25")
	nodes[2].Do("R")
	says(2, 20, "CALL 8", "MIN 20", "STACK 195", "POT 25")
	acts(2, bridge.KeyCall)

	says(2, 2, "CHECK", "MIN 2", "STACK 187", "POT 33")
	seq := w.turn(2)
	bus.Cut(nodes[2], true)
	w.await("the table stands still", func(s *seen) bool {
		return len(s.state().Holds) == 1 && strings.HasPrefix(s.state().Holds[0], "panel of seat 2 is lost: ")
	})
	nodes[2].Press(bridge.KeyCall) // by a player who does not know
	bus.Cut(nodes[2], false)
	w.acted(2, seq)
	says(2, 40, "CALL 20", "MIN 40", "STACK 187", "POT 53")
	acts(2, bridge.KeyFold)
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}
