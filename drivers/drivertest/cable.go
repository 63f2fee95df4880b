package drivertest

import (
	"fmt"
	"testing"

	"tavolo/drivers/sim"
)

// Cable takes a cable between two UARTs of the virtual board until the test ends: near is the path of the driver's end, and at
// the far end is what it talks to. Pulling it hangs nobody up. Elsewhere the test is skipped.
func Cable(t *testing.T) (near string, far *sim.PTY) {
	t.Helper()
	cables := sim.Cables()
	if cap(cables) == 0 {
		t.Skip("not on the virtual board: make test-board")
	}
	n := <-cables
	t.Cleanup(func() { cables <- n })
	far, err := sim.NewUART(fmt.Sprint("/dev/far/", n))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint("/dev/near/", n), far
}
