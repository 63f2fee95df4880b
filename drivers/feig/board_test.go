package feig_test

import (
	"testing"
	"time"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/feig"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
)

// The reader is on a UART of the virtual board, and the simulated one at the other end of its cable, which hangs nobody up when
// it is pulled: the reader is silent from then on.
func TestOnTheBoardConformance(t *testing.T) {
	cable := drivertest.Cables(t)
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		near, far := cable(t)
		o := feig.Options{Path: near, ReplyTimeout: time.Second}
		o.Antennas, o.Round = []int{1, 4}, time.Millisecond
		dev, err := feig.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return rfidtest.Rig{
			Reader: dev, Far: sim.NewFeig(far, sim.FeigOptions{}), Antennas: o.Antennas, Disturb: far.Disturb,
			Tags: []string{"E004015012345678", "E0040150AABBCCDD", "E004015000000001"},
		}
	})
}
