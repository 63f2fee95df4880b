package main

import (
	"path/filepath"
	"strings"
	"testing"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/mqtt"
	"tavolo/drivers/sim"
	"tavolo/engine"
)

// cable is the cable of a device of the configuration.
func (r *rig) cable(t *simtable.Table, device string) simtable.Cable {
	r.t.Helper()
	c, ok := t.Cables()[filepath.Join(filepath.Dir(r.file), "dev", device)]
	if !ok {
		r.t.Fatalf("no device %s among %v", device, t.Cables())
	}
	return c
}

// The cable of each device is pulled in the deal and in a player's turn. Each time the table stands still, says so to
// everybody, and goes on when the cable is back.
func TestCablePulled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ device, hold string }{
		{"shoe", "shoe is lost: "}, {"pads-a", "pads-a is lost: "}, {"panels", "panel of seat 1 is lost: "},
	} {
		t.Run(c.device, func(t *testing.T) {
			t.Parallel()
			r := scripted(t, "omaha.phh", 1)
			d := r.daemon()
			w := r.watch(d.brokerURL())
			table, ended := r.sim(d.brokerURL(), playing("alice", "bruno"))
			cable := r.cable(table, c.device)
			pulled := func() (held mqtt.StatePayload) {
				t.Helper()
				if err := cable.Unplug(); err != nil {
					t.Fatal(err)
				}
				w.await("the table stands still and says so", func(s *seen) bool {
					held = s.state()
					dev := s.devices[c.device]
					return len(held.Holds) == 1 && strings.HasPrefix(held.Holds[0], c.hold) &&
						dev.State == mqtt.StateDown && dev.Text != "" && s.prompt.Instruction.Kind == "wait" &&
						strings.HasPrefix(s.prompt.Instruction.Text, "Wait: "+c.hold)
				})
				return held
			}
			back := func() {
				t.Helper()
				if err := cable.Plug(); err != nil {
					t.Fatal(err)
				}
				w.await("the table goes on", func(s *seen) bool {
					return len(s.state().Holds) == 0 && s.devices[c.device].State == mqtt.StateUp && s.devices[c.device].Text == ""
				})
			}

			w.await("the deal is under way", func(s *seen) bool { return s.state().View.Awaits.Number >= 3 })
			held := pulled()
			if held.View.Phase != engine.Dealing || held.Clock != nil {
				t.Errorf("pulled in the deal: %+v", held)
			}
			back()

			w.await("it is seat 3's turn", func(s *seen) bool { return s.state().Clock != nil && s.state().Clock.Seat == 3 })
			held = pulled()
			if k := held.Clock; k == nil || !k.Paused || k.LeftMS <= 0 || k.LeftMS > k.TotalMS || k.Deadline != 0 {
				t.Errorf("the clock of a turn with no %s: %+v", c.device, k)
			}
			back()
			w.look(func(s *seen) {
				var told []string
				for _, e := range s.happened {
					if e.Device == c.device && e.Happened != mqtt.EventFaults {
						told = append(told, e.Happened)
					}
				}
				if got := strings.Join(told, " "); !strings.HasSuffix(got, "down up down up") {
					t.Errorf("of %s was told: %s", c.device, got)
				}
				if k := s.state().Clock; k == nil || k.Paused || k.Seat != 3 || s.state().Seq != held.Seq {
					t.Errorf("the clock when the %s is back: %+v", c.device, k)
				}
			})

			r.sim(d.brokerURL(), func(o *simtable.Options) {
				playing("carla")(o)
				o.Devices, o.Dealer = nil, ""
			})
			<-ended
			r.endsAsRecorded(w)
			r.agrees(w)
		})
	}
}

// wireNoise is a fault that spoils one frame in so many, each in another way, and lets the others through.
func wireNoise(each int) sim.Fault {
	var held []byte // a frame that comes together with the next
	n := 0
	return func(frame []byte) []byte {
		n++
		frame, held = append(held, frame...), nil
		if n%each != 0 {
			return frame
		}
		switch n / each % 5 {
		case 0:
			return sim.Garbage([]byte{0xF5, 0x00, 0xFF, '{', '"', 0x0A, 0x00, 0xF5})(frame)
		case 1:
			return sim.Cut(3)(frame)
		case 2:
			return sim.Corrupt(len(frame) - 1)(frame)
		case 3:
			return nil
		}
		held = frame
		return nil
	}
}

// A hand is played over lines that garble. Faults are counted and told, none ends the daemon, and the stacks are right.
func TestNoiseOnTheWires(t *testing.T) {
	t.Parallel()
	r := scripted(t, "omaha.phh", 2)
	d := r.daemon()
	w := r.watch(d.brokerURL())
	table, ended := r.sim(d.brokerURL(), nil)
	// A card reader answers a spoilt frame with half a second of silence, so its line is not the worst.
	for device, each := range map[string]int{"shoe": 3, "pads-a": 100, "panels": 7} {
		r.cable(table, device).Inject(0, wireNoise(each))
	}
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
	w.await("faults of every kind are told", func(s *seen) bool {
		pads, panels := s.devices["pads-a"].Counters, s.devices["panels"].Counters
		return len(s.devices["shoe"].Counters) > 0 &&
			pads["garbage_bytes"] > 0 && pads["bad_checksum"] > 0 && pads["cut"] > 0 && pads["timeouts"] > 0 &&
			panels["bad_checksum"]+panels["malformed"] > 0 && panels["misses"] > 0
	})
}
