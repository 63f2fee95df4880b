package main

import (
	"context"
	"slices"

	"tavolo/drivers/contact"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/engine"
)

// lightBarrier is the kind of device that a light barrier along a betting line is.
const lightBarrier = "gpio-beam"

// barrierOptions read where a barrier is.
func barrierOptions(s *section, c *DeviceConfig) {
	c.Wiring.seatKey(s)
	c.Wiring.Chip = s.text("chip", "")
	c.Wiring.Line = required(s, "line", parseLine)
}

// checkBarrier reports a barrier that is of no use, and the second one of a seat.
func (r *configReader) checkBarrier(path string, d DeviceConfig, seats map[engine.Seat]string) {
	if d.Kind != lightBarrier || d.Wiring.Seat == 0 {
		return
	}
	once(r.doc, seats, path+".seat", d.Wiring.Seat)
	if spot := (engine.Zone{Kind: engine.ZoneSpot, Seat: d.Wiring.Seat}); !slices.Contains(r.zones(), spot) {
		r.doc.fault(path+".seat", "nothing sees the chips that cross the line: want a reader or a scale at zone %q", spot)
	}
}

// barrier is a light barrier along the betting line of a seat.
type barrier struct {
	health
	dev *contact.Dev
	w   Wiring
}

func openBarrier(c DeviceConfig, d *daemon, _ *panels) (device, error) {
	dev, err := contact.New(contact.Options{Contacts: 1, Open: func() (gpiocdev.Lines, error) { return d.lines(c.Wiring.Chip, []string{c.Wiring.Line}) }})
	return &barrier{newHealth(d, c), dev, c.Wiring}, err
}

func (b *barrier) run(ctx context.Context) error {
	return attend(ctx, b.dev.Run, b.dev.Reports(), func(r contact.Report) { b.take(ctx, r) }, b.count)
}

func (b *barrier) take(ctx context.Context, report contact.Report) {
	switch rep := report.(type) {
	case contact.Change:
		b.table.HandOver(ctx, b.w.Seat, rep.Open)
	case port.State:
		b.state(rep)
		if !rep.Up {
			b.table.LineUnwatched(ctx, b.w.Seat)
		}
	}
}

func (b *barrier) count() { b.counted(map[string]uint64{"lost_edges": b.dev.Lost()}) }
