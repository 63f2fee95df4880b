package seatnode_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/port"
	"tavolo/drivers/seatnode"
	"tavolo/drivers/sim"
	bridge "tavolo/firmware-bridge"
)

// far is a bus with one simulated node, on a real pseudo-terminal.
type far struct {
	t     *testing.T
	cable *sim.PTY
	node  *sim.Node
	keys  []bridge.Key
}

// start gives a bus, and its driver in the words of the suites.
func start(t *testing.T) (*far, drivertest.Driver) {
	t.Helper()
	cable, err := sim.NewPTY(filepath.Join(t.TempDir(), "seats"))
	if err != nil {
		t.Fatal(err)
	}
	bus := sim.NewBus(cable)
	f := &far{t, cable, bus.Add(1), []bridge.Key{bridge.KeyFold, bridge.KeyCall}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bus.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	// Time enough for a reply on a machine that has other things to do: a node that misses it is offline, which is told.
	dev, err := seatnode.New(seatnode.Options{Path: cable.Path(), Seats: []bridge.Addr{1}, Reply: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return f, drivertest.Driver{Run: dev.Run, Reports: drivertest.Words(dev.Reports(), f.word), Rest: f.rest}
}

// word is a report in the words of the suites.
func (f *far) word(r seatnode.Report) drivertest.Report {
	switch r := r.(type) {
	case seatnode.Key:
		return drivertest.Change{Contact: slices.Index(f.keys, r.Key), On: r.Down, Lost: r.Lost}
	case seatnode.Weight:
		if r.Over {
			return drivertest.Overload{}
		}
		return drivertest.Weight{Reading: int64(r.Counts)}
	case seatnode.Status:
		return port.State{Up: r.State == bridge.Online, Err: r.Err, At: time.Now()}
	}
	return nil
}

// rest says what the panel still shows. One that is unplugged cannot be told.
func (f *far) rest() error {
	if d := f.node.Display(); d != (sim.Display{}) {
		return fmt.Errorf("the panel shows %+v", d)
	}
	return nil
}

func (f *far) unplug() { f.do(f.cable.Unplug()) }

func (f *far) plug() { f.do(f.cable.Plug()) }

func (f *far) do(err error) {
	if err != nil {
		f.t.Error(err)
	}
}

func (f *far) set(contact int, on bool) {
	if on {
		f.node.Hold(f.keys[contact])
	} else {
		f.node.LetGo(f.keys[contact])
	}
}

func TestConformance(t *testing.T) {
	t.Run("keys", func(t *testing.T) {
		drivertest.TestContacts(t, drivertest.RealTime, func(t *testing.T) drivertest.Contacts {
			f, d := start(t)
			return drivertest.Contacts{
				Driver: d, Set: f.set, Unplug: f.unplug, Plug: f.plug,
				Keeps: 30, // of 32 in the node
				Lose: func() {
					f.node.Silence(true)
					for range 17 { // so that two are pushed out of its ring
						f.set(0, true)
						f.set(0, false)
					}
					f.node.Silence(false)
				},
			}
		})
	})
	t.Run("scale", func(t *testing.T) {
		drivertest.TestScale(t, drivertest.RealTime, func(t *testing.T) drivertest.Scale {
			f, d := start(t)
			f.node.Weigh(0)
			return drivertest.Scale{
				Driver: d, Unplug: f.unplug, Plug: f.plug,
				Lay:      func(reading int64) { f.node.Weigh(int32(reading)) },
				Overload: func() { f.node.Weigh(1 << 23) },
			}
		})
	})
}
