package uhf_test

import (
	"testing"
	"time"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/rfid/rfidtest"
	"tavolo/drivers/sim"
	"tavolo/drivers/uhf"
)

// The reader is on a UART of the virtual board, and the simulated one at the other end of its cable, which hangs nobody up when
// it is pulled: the reader is silent from then on.
func TestOnTheBoardConformance(t *testing.T) {
	cable := drivertest.Cables(t)
	rfidtest.Run(t, func(t *testing.T) rfidtest.Rig {
		near, far := cable(t)
		o := uhf.Options{Path: near, ReplyTimeout: time.Second}
		o.Antennas, o.Round = []int{1}, time.Millisecond
		dev, err := uhf.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return rfidtest.Rig{
			Reader: dev, Far: sim.NewUHF(far, sim.UHFOptions{}), Antennas: o.Antennas, Disturb: far.Disturb,
			Tags: []string{"30751FEB705C5904E3D50D70", "BB0222001100BB7E7EBB7E00"},
		}
	})
}
