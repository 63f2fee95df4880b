package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/display"
	"tavolo/drivers/contact"
	"tavolo/drivers/loadcell"
	"tavolo/drivers/panel"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// The methods below try the devices of a table, each alone, by what its driver reports. The driver is run as the daemon does.

const (
	// trialLimit ends a trial, whatever was seen.
	trialLimit = 20 * time.Second
	// trialMends is how long a device may take to come up after it failed: it may be starting.
	trialMends = 3 * time.Second
	// trialWatch is how long a device is watched at least once it is up.
	trialWatch = time.Second
	// trialPoll is how often it is looked whether enough was seen.
	trialPoll = 20 * time.Millisecond
)

// trial is how a device on trial does.
type trial struct {
	*health
	began, up time.Time // zero for up while it is not
	took      time.Duration
	down      error // why it was not up last, nil if nobody has said
	losses    int
}

func newTrial(h *health) *trial { return &trial{health: h, began: time.Now()} }

// state takes note that the device came up, or failed.
func (t *trial) state(up bool, err error) {
	switch {
	case up && t.up.IsZero():
		t.up = time.Now()
		if t.took == 0 {
			t.took = t.up.Sub(t.began)
		}
	case !up:
		if !t.up.IsZero() {
			t.losses++
		}
		t.up, t.down = time.Time{}, err
	}
}

// over is whether enough was seen of the device, if enough says so of what is not its state.
func (t *trial) over(enough bool) bool {
	switch {
	case !t.up.IsZero():
		return enough && time.Since(t.up) >= trialWatch
	case t.down != nil:
		return time.Since(t.began) >= trialMends
	}
	return false
}

// attempt runs a driver until its trial is over, or for [trialLimit], and takes its reports.
func attempt[R any](ctx context.Context, t *trial, run func(context.Context) error, reports <-chan R, take func(R), enough func() bool) {
	ctx, stop := context.WithTimeout(ctx, trialLimit)
	defer stop()
	var g tasks.Group
	g.Go(func() error { return run(ctx) })
	look := time.NewTicker(trialPoll)
	defer look.Stop()
	for {
		select {
		case r, open := <-reports:
			if !open {
				if err := g.Wait(); err != nil {
					t.state(false, err)
				}
				return
			}
			if ctx.Err() == nil { // what comes now is the farewell
				take(r)
			}
		case <-look.C:
			if t.over(enough()) {
				stop()
			}
		}
	}
}

// always is for what has nothing to say but its state.
func always() bool { return true }

// finding is what the trial came to, and what was seen beside.
func (t *trial) finding(seen string) finding {
	f := finding{Part: t.told.Device, Kind: t.told.Kind, Result: partFault, Seen: t.told.Kind, Do: "check its power and its cable"}
	if t.place != "" {
		f.Seen += " at " + t.place
	}
	switch {
	case t.losses > 0:
		f.Seen += fmt.Sprintf(" comes up and is lost again: %v", t.down)
	case t.up.IsZero() && t.down != nil:
		f = failed(f.Part, f.Kind, t.down)
	case t.up.IsZero():
		f.Seen += fmt.Sprintf(": nothing was heard of it for %v", trialLimit)
	default:
		f.Result, f.Do = partOK, ""
		f.Seen += fmt.Sprintf(", up after %v", t.took.Round(time.Millisecond))
		if seen != "" {
			f.Seen += ", " + seen
		}
		if advice := port.Advice(t.place); advice != "" {
			f.Result, f.Do = partWarn, advice
		}
	}
	return f
}

// try looks at every antenna of a reader for a while.
func (r *reader) try(ctx context.Context) []finding {
	t := newTrial(&r.health)
	var firmware string
	looks := map[int]int{} // by antenna
	lies := map[int]int{}  // tags that the last look saw, by antenna
	var rounds []int64     // µs
	var last time.Time     // look at the first antenna
	var heard []int64      // how strongly tags were, dBm
	take := func(report rfid.Report) {
		switch rep := report.(type) {
		case rfid.State:
			t.state(rep.Up, rep.Err)
			firmware = rep.Firmware
		case rfid.Scan:
			looks[rep.Antenna]++
			lies[rep.Antenna] = len(rep.UIDs)
			for _, dBm := range rep.RSSI {
				heard = append(heard, int64(dBm))
			}
			if rep.Antenna == 1 {
				if !last.IsZero() {
					rounds = append(rounds, rep.At.Sub(last).Microseconds())
				}
				last = rep.At
			}
		}
	}
	asked := len(r.zones) > 1 || r.zones[0].Kind != engine.ZoneShoe // else it may report a card alone
	attempt(ctx, t, r.dev.Run, r.dev.Reports(), take, func() bool { return !asked || len(looks) == len(r.zones) && len(rounds) > 0 })
	seen := []string{"firmware " + firmware}
	if len(rounds) > 0 {
		s := calibration.SpreadOf(rounds)
		seen = append(seen, fmt.Sprintf("each antenna looked at every %v (95 %% within %v)", us(s.Median), us(s.P95)))
	}
	for i, z := range r.zones {
		if n := lies[i+1]; n > 0 {
			seen = append(seen, fmt.Sprintf("%d tags at %v", n, z))
		}
	}
	if len(heard) > 0 {
		seen = append(seen, fmt.Sprintf("tags heard at %d to %d dBm", slices.Min(heard), slices.Max(heard)))
	}
	f := t.finding(strings.Join(seen, ", "))
	if f.Result == partOK && asked && len(looks) < len(r.zones) {
		f.Result, f.Do = partFault, "no look at one of the antennas succeeded: check that it is connected, and its tuning"
	}
	if faults := countedText(r.dev.Counters()); faults != "" && f.Result == partOK {
		f.Seen += ", " + faults
		f.Result, f.Do = partWarn, "check cable, shield and the antenna's tuning"
	}
	return []finding{f}
}

// us is a time of so many µs, for people.
func us(n int64) time.Duration {
	return (time.Duration(n) * time.Microsecond).Round(100 * time.Microsecond)
}

// countedText tells of the counters of faults that are not 0. An answer that nobody waits for is none where a device starts.
func countedText(counters map[string]uint64) string {
	var text []string
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		if n := counters[name]; n > 0 && name != "strays" {
			text = append(text, fmt.Sprintf("%s %d", strings.ReplaceAll(name, "_", " "), n))
		}
	}
	return strings.Join(text, ", ")
}

// scaleSamples is how many readings of a scale are looked at.
const scaleSamples = 8

// try asks every panel of the bus who it is, has it show its seat, and reads its scale if it has one.
func (b *panelBus) try(ctx context.Context) []finding {
	t := newTrial(&b.health)
	told := map[bridge.Addr]bridge.Status{}
	readings := map[bridge.Addr][]int64{}
	over := map[bridge.Addr]bool{}
	for node, seat := range b.panels.nodes {
		_ = b.dev.Set(node, seatFace(seat)) // it is short enough
	}
	take := func(report seatnode.Report) {
		switch rep := report.(type) {
		case seatnode.Status:
			told[rep.Seat] = rep.Status
			if up := rep.State == bridge.Online; up || t.up.IsZero() {
				t.state(up, rep.Err)
			}
		case seatnode.Weight:
			over[rep.Seat] = over[rep.Seat] || rep.Over
			readings[rep.Seat] = append(readings[rep.Seat], int64(rep.Counts))
		}
	}
	weighed := func() bool {
		for node, seat := range b.panels.nodes {
			if told[node].State == bridge.Online && b.weighers[seat] != nil && len(readings[node]) < scaleSamples {
				return false
			}
		}
		return len(told) == len(b.panels.nodes)
	}
	attempt(ctx, t, b.dev.Run, b.dev.Reports(), take, weighed)
	s := b.dev.Stats()
	f := t.finding(fmt.Sprintf("%d panels", len(b.panels.nodes)))
	if faults := countedText(map[string]uint64{"bad checksum": s.Checksum, "malformed": s.Malformed}); faults != "" && f.Result == partOK {
		f.Seen += ", " + faults
		f.Result, f.Do = partWarn, "check the bus: a terminator of 120 Ω at both ends, no stubs, common ground"
	}
	found := []finding{f}
	if f.Result == partFault && s.Misses == 0 { // nobody could be asked
		return found
	}
	for _, node := range slices.Sorted(maps.Keys(b.panels.nodes)) {
		seat := b.panels.nodes[node]
		found = append(found, panelFinding(seat, node, told[node]))
		for _, c := range b.cfg.Scales {
			if c.Device == "" && c.Zone.Seat == seat && told[node].State == bridge.Online {
				found = append(found, scaleFinding(c, readings[node], over[node]))
			}
		}
	}
	return found
}

// seatFace is what a panel shows by which one finds it: its seat, and all its lamps.
func seatFace(seat engine.Seat) seatnode.Panel {
	p := seatnode.Panel{Lit: bridge.SeatLamp | bridge.LampOf(panelKeys()...)}
	p.Lines[0] = fmt.Sprintf("Seat %d", seat)
	return p
}

// panelFinding says how a node does.
func panelFinding(seat engine.Seat, node bridge.Addr, s bridge.Status) finding {
	f := finding{Part: panelName(seat), Kind: "node", Result: partOK}
	id := s.Identity
	who := fmt.Sprintf("node %016x at address %d, firmware %d.%d", id.UID, node, id.Version>>8, id.Version&0xff)
	switch s.State {
	case bridge.Online:
		f.Seen = who
	case bridge.Refused:
		f.Result, f.Seen, f.Do = partFault, fmt.Sprintf("%s: %v", who, s.Err), "give it the firmware of this program: tavolo node update"
	default:
		f.Result, f.Seen = partFault, fmt.Sprintf("nobody answers at address %d", node)
		f.Do = "check its power and the bus; tavolo node list shows who is there, tavolo node move gives a node its seat"
		if s.Err != nil {
			f.Seen += fmt.Sprintf(": %v", s.Err)
		}
	}
	return f
}

// scaleFinding says how a scale does, by readings of what lies still on it.
func scaleFinding(c ScaleConfig, readings []int64, over bool) finding {
	f := finding{Part: "scale of " + c.Zone.String(), Kind: "scale", Result: partOK}
	switch {
	case over:
		f.Result, f.Seen, f.Do = partFault, "the converter is at its end", "take the load off; check the cell's four wires"
		return f
	case len(readings) == 0:
		f.Result, f.Seen, f.Do = partFault, "no reading", "check that the node has a scale, and its wires"
		return f
	case c.Mark == c.Zero: // not calibrated
		s := calibration.SpreadOf(readings)
		f.Seen = fmt.Sprintf("%d readings from %d to %d", s.Samples, s.Min, s.Max)
		return f
	}
	weights := make([]int64, len(readings))
	for i, r := range readings {
		weights[i] = c.Weight(r)
	}
	s := calibration.SpreadOf(weights)
	f.Seen = s.Text(1000, "g")
	if s.Range() > 2*c.Noise {
		f.Result = partWarn
		f.Do = fmt.Sprintf("the range is above twice the noise of %.1f g: keep the table still, or calibrate it: tavolo calibrate scale", float64(c.Noise)/1000)
	}
	return f
}

// try reads a load cell for a while.
func (c *cell) try(ctx context.Context) []finding {
	t := newTrial(&c.health)
	var readings []int64
	attempt(ctx, t, c.dev.Run, c.dev.Reports(), func(report loadcell.Report) {
		switch r := report.(type) {
		case port.State:
			t.state(r.Up, r.Err)
		case loadcell.Sample:
			readings = append(readings, r.Reading)
		}
	}, func() bool { return len(readings) >= scaleSamples })
	found := []finding{t.finding("")}
	for _, s := range c.cfg.Scales {
		if s.Device == t.told.Device && found[0].Result != partFault {
			found = append(found, scaleFinding(s, readings, false))
		}
	}
	return found
}

// try reads the contacts of a shoe.
func (c *shoeParts) try(ctx context.Context) []finding {
	t := newTrial(&c.health)
	is := map[shoePart]string{}
	attempt(ctx, t, c.dev.Run, c.dev.Reports(), func(report contact.Report) {
		switch r := report.(type) {
		case port.State:
			t.state(r.Up, r.Err)
		case contact.Change:
			part := c.parts[r.Contact]
			is[part] = "closed"
			if r.Open {
				is[part] = "open"
			}
		}
	}, always)
	var parts []string
	for _, p := range slices.Sorted(maps.Keys(is)) {
		parts = append(parts, fmt.Sprintf("%v %s", p, is[p]))
	}
	f := t.finding(strings.Join(parts, ", "))
	if f.Result == partOK && is[shoeGate] == "open" {
		f.Result, f.Do = partWarn, "with no card in the mouth the gate is closed: take the card out, or check the contact's wire"
	}
	return []finding{f}
}

// try reads a light barrier.
func (b *barrier) try(ctx context.Context) []finding {
	t := newTrial(&b.health)
	seen, broken := "lit", false
	attempt(ctx, t, b.dev.Run, b.dev.Reports(), func(report contact.Report) {
		switch r := report.(type) {
		case port.State:
			t.state(r.Up, r.Err)
		case contact.Change:
			broken = r.Open
		}
	}, always)
	if broken {
		seen = "broken"
	}
	f := t.finding(seen)
	if f.Result == partOK && broken {
		f.Result, f.Do = partWarn, "nothing should be in the beam now: check its alignment, and the wires"
	}
	return []finding{f}
}

// try lights all lamps of a panel and hears its keys.
func (b *boardPanel) try(ctx context.Context) []finding {
	t := newTrial(&b.health)
	b.dev.Set(bridge.Lamps{On: seatFace(b.seat).Lit}, bridge.Ask{})
	pressed := map[bridge.Key]bool{}
	attempt(ctx, t, b.dev.Run, b.dev.Reports(), func(report panel.Report) {
		switch r := report.(type) {
		case port.State:
			t.state(r.Up, r.Err)
		case panel.Key:
			pressed[r.KeyEvent.Key] = true
		}
	}, always)
	var seen []string
	for _, k := range slices.Sorted(maps.Keys(pressed)) {
		seen = append(seen, fmt.Sprintf("%v was pressed", k))
	}
	return []finding{t.finding(strings.Join(seen, ", "))}
}

// try lights all lamps.
func (l *lamps) try(ctx context.Context) []finding {
	t := newTrial(&l.health)
	l.dev.Set(^uint64(0), 0)
	attempt(ctx, t, l.dev.Run, l.dev.Reports(), func(s port.State) { t.state(s.Up, s.Err) }, always)
	return []finding{t.finding(fmt.Sprintf("%d lamps are lit", len(l.wires)))}
}

// try shows the seat's number.
func (s *seatScreen) try(ctx context.Context) []finding {
	t := newTrial(&s.health)
	s.dev.Show(display.Picture(s.size, display.Face{Lines: []string{fmt.Sprintf("Seat %d", s.seat)}, Turn: true}))
	attempt(ctx, t, s.dev.Run, s.dev.Reports(), func(st port.State) { t.state(st.Up, st.Err) }, always)
	return []finding{t.finding(fmt.Sprintf("shows Seat %d on %d by %d pixels", s.seat, s.size.X, s.size.Y))}
}
