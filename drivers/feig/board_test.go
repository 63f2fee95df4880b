package feig_test

import (
	"fmt"
	"testing"
	"time"

	"tavolo/drivers/feig"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

// The reader is on a UART of the virtual board, and the simulated one at the other end of its cable, which hangs nobody up when
// it is pulled: the reader is silent from then on.
func TestOnTheBoardConformance(t *testing.T) {
	cables := sim.Cables()
	if cap(cables) == 0 {
		t.Skip("not on the virtual board: make test-board")
	}
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		n := <-cables
		t.Cleanup(func() { cables <- n })
		cable, err := sim.NewUART(fmt.Sprint("/dev/far/", n))
		if err != nil {
			t.Fatal(err)
		}
		o := feig.Options{Path: fmt.Sprint("/dev/near/", n), ReplyTimeout: time.Second}
		o.Antennas, o.Round = []int{1, 4}, time.Millisecond
		dev, err := feig.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return rfidtest.Rig{
			Reader: dev, Far: sim.NewFeig(cable, sim.FeigOptions{}), Antennas: o.Antennas, Disturb: cable.Disturb,
			Tags: []string{"E004015012345678", "E0040150AABBCCDD", "E004015000000001"},
		}
	})
}
