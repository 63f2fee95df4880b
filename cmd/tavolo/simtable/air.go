package simtable

import (
	"context"
	"slices"
	"sync"
	"time"

	"tavolo/cmd/tavolo/noise"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/drivers/sim"
	"tavolo/engine"
)

// air is what lies between the devices of a table and what they see and say, with the faults there, if any. Places whose cards
// antennas see are beside each other in the order of their zones: a seat and the next, then board, burns and muck. A reader asks it
// while it looks, so nothing here may call one that does not ask.
type air struct {
	faults *noise.Faults // nil for none
	order  []engine.Zone // the places of cards that are beside each other
	// troubles are to be run beside the hardware.
	troubles []func(context.Context) error

	mu   sync.Mutex
	lies map[engine.Zone][]string // tags
	gone []trace
}

// trace is a tag that was taken away.
type trace struct {
	zone engine.Zone
	tag  string
	at   time.Time
}

func newAir(opt Options) *air {
	a := &air{faults: opt.Noise, lies: map[engine.Zone][]string{}}
	for _, d := range opt.Devices {
		for _, z := range d.Zones {
			if !z.Chips() && !z.InShoe() {
				a.order = append(a.order, z)
			}
		}
	}
	slices.SortFunc(a.order, func(x, y engine.Zone) int {
		if x.Kind != y.Kind {
			return int(x.Kind) - int(y.Kind)
		}
		return int(x.Seat) - int(y.Seat)
	})
	return a
}

// put takes note of a tag that lies in a zone, remove of one that does no longer.
func (a *air) put(z engine.Zone, tag string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.lies[z], tag) {
		a.lies[z] = append(a.lies[z], tag)
	}
}

func (a *air) remove(z engine.Zone, tag string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lies[z] = slices.DeleteFunc(a.lies[z], func(t string) bool { return t == tag })
	a.gone = append(slices.DeleteFunc(a.gone, late), trace{z, tag, time.Now()})
}

// late is whether nothing is seen any more of what was taken away.
func late(t trace) bool { return time.Since(t.at) > noise.Linger }

// over has a reader see through the air, and hang.
func (a *air) over(d Device, r sim.Reader) {
	if a.faults == nil {
		return
	}
	hang := func(hung bool) func() error { return func() error { r.Hang(hung); return nil } }
	a.happens(noise.LookTime, noise.ReaderHung, hang(true), hang(false))
	r.See(func(antenna int, there []string) []string {
		if antenna < 1 || antenna > len(d.Zones) {
			return nil
		}
		return a.look(d.Zones[antenna-1], there)
	})
}

// look is what a look into a zone sees of what lies there.
func (a *air) look(z engine.Zone, there []string) []string {
	var beside, gone []string
	a.mu.Lock()
	if i := slices.Index(a.order, z); i >= 0 {
		for _, near := range a.order[max(0, i-1):min(len(a.order), i+2)] {
			if near != z {
				beside = append(beside, a.lies[near]...)
			}
		}
		a.gone = slices.DeleteFunc(a.gone, late)
		for _, t := range a.gone {
			if t.zone == z {
				gone = append(gone, t.tag)
			}
		}
	}
	a.mu.Unlock()
	if z.Chips() {
		return slices.DeleteFunc(slices.Clone(there), func(string) bool { return a.faults.Happens(noise.ChipMissed) })
	}
	return a.faults.Look(there, beside, gone)
}

// pass is what the reader at the mouth of the shoe reads of a tag that slides past, false if it does not see it.
func (a *air) pass(tag string) (uid string, seen bool) {
	if a.faults == nil {
		return tag, true
	}
	return a.faults.Pass(tag)
}

// wired damages what a reader says at the end of a cable, and pulls that.
func (a *air) wired(c Cable) {
	if a.faults == nil {
		return
	}
	c.Inject(0, a.faults.Answer)
	a.happens(noise.LookTime, noise.ReaderUnplugged, c.Unplug, c.Plug)
}

// along damages what goes over a bus of panels, either way, pulls its cable and has panels lose their power.
func (a *air) along(bus *sim.Bus, c Cable, nodes []*sim.Node) {
	if a.faults == nil {
		return
	}
	bus.Inject(0, a.faults.Frame)
	c.Inject(0, a.faults.Frame)
	a.happens(noise.BusTime, noise.BusUnplugged, c.Unplug, c.Plug)
	for _, n := range nodes {
		a.happens(noise.BusTime, noise.NodeReset, func() error { n.Reset(); return nil }, func() error { return nil })
	}
}

// happens has something begin now and then and end after a while, asked for once in a time, while the hardware runs.
func (a *air) happens(every time.Duration, k noise.Kind, begin, end func() error) {
	a.troubles = append(a.troubles, func(ctx context.Context) error {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			lasts, yes := a.faults.Lasts(k)
			if !yes {
				continue
			}
			if err := begin(); err != nil {
				return err
			}
			if !tasks.Pause(ctx, lasts) {
				return nil
			}
			if err := end(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	})
}
