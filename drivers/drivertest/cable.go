package drivertest

import (
	"fmt"
	"testing"

	"tavolo/drivers/sim"
)

// Cables gives what takes one of the cables between the UARTs of the virtual board until a test ends, for tests that run beside
// each other: near is the path of the driver's end, and at the far end is what it talks to. Pulling it hangs nobody up. It is
// called once for all of them, and skips them elsewhere.
func Cables(t *testing.T) func(t *testing.T) (near string, far *sim.PTY) {
	t.Helper()
	free := sim.Cables()
	if cap(free) == 0 {
		t.Skip("not on the virtual board: make test-board")
	}
	return func(t *testing.T) (string, *sim.PTY) {
		t.Helper()
		n := <-free
		t.Cleanup(func() { free <- n })
		far, err := sim.NewUART(fmt.Sprint("/dev/far/", n))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint("/dev/near/", n), far
	}
}
