package main

import (
	"context"
	"time"

	"tavolo/calibration"
	"tavolo/controller/mqtt"
	"tavolo/drivers/contact"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/engine"
)

// shoeContacts is the kind of device that the contacts at the gate and the lid of the shoe are.
const shoeContacts = "gpio-shoe"

// usualJam is how long a card may be in the mouth of the shoe where the configuration does not say.
const usualJam = 3 * time.Second

// usualApart is how far apart in time cards leave the shoe at least where the configuration does not say.
const usualApart = 300 * time.Millisecond

// shoeOptions read the lines of a shoe's contacts.
func shoeOptions(s *section, c *DeviceConfig) {
	w := &c.Wiring
	w.Chip = s.text("chip", "")
	w.Gate = parsed(s, "gate", "", parseLine)
	w.Lid = parsed(s, "lid", "", parseLine)
	w.Jam = s.duration("jam", usualJam, 100*time.Millisecond, time.Minute)
	if w.Gate == "" {
		s.forbid("no gate: it would be how long that is open", "jam")
		if w.Lid == "" && !s.doc.faulty(s.at("gate")) && !s.doc.faulty(s.at("lid")) {
			s.fault("gate", "missing: want the line of the contact there, or that of the lid, or both")
		}
	}
	lines := map[string]string{}
	once(s.doc, lines, s.at("gate"), w.Gate)
	once(s.doc, lines, s.at("lid"), w.Lid)
}

// checkShoe reports contacts of no shoe, and of more than one.
func (r *configReader) checkShoe(path string, d DeviceConfig, kinds map[string]string) {
	if d.Kind != shoeContacts {
		return
	}
	once(r.doc, kinds, path+".kind", d.Kind)
	if !r.watches(engine.ZoneShoe) {
		r.doc.fault(path+".kind", "no antenna watches the shoe: want the zone %q at a card reader's", engine.Zone{Kind: engine.ZoneShoe})
	}
}

// newShoe is the shoe of a configuration, whose cards are those of a watch.
func (d *daemon) newShoe(w *calibration.Watch) *calibration.Shoe {
	o := calibration.ShoeOptions{Ahead: d.cfg.watches(engine.ZoneNext)}
	for _, c := range d.cfg.Devices {
		switch {
		case c.Kind == shoeContacts:
			o.Gate, o.Jam = c.Wiring.Gate != "", c.Wiring.Jam
		case c.shoe():
			o.Apart = c.Apart
		}
	}
	return calibration.NewShoe(w, d.table, o)
}

// shoePart is a part of a shoe that may have a contact.
type shoePart uint8

const (
	shoeGate shoePart = iota // open while a card is in the mouth
	shoeLid                  // open while cards can be put in and taken out
)

func (p shoePart) String() string { return [...]string{"gate", "lid"}[p] }

// shoeParts are the contacts of a shoe.
type shoeParts struct {
	health
	dev    *contact.Dev
	parts  []shoePart // with a contact, in the order of the driver's
	unseen bool       // what happened at the shoe since the last report
}

func openShoeContacts(c DeviceConfig, d *daemon, _ *panels) (device, error) {
	var parts []shoePart
	var lines []string
	for part, line := range []string{shoeGate: c.Wiring.Gate, shoeLid: c.Wiring.Lid} {
		if line != "" {
			parts, lines = append(parts, shoePart(part)), append(lines, line)
		}
	}
	dev, err := contact.New(contact.Options{Contacts: len(parts), Open: func() (gpiocdev.Lines, error) { return d.lines(c.Wiring.Chip, lines) }})
	return &shoeParts{health: newHealth(d, c), dev: dev, parts: parts}, err
}

func (c *shoeParts) run(ctx context.Context) error {
	return attend(ctx, c.dev.Run, c.dev.Reports(), func(rep contact.Report) { c.take(ctx, rep) }, c.count)
}

func (c *shoeParts) take(ctx context.Context, report contact.Report) {
	switch rep := report.(type) {
	case contact.Change:
		lost := rep.Lost > 0 || c.unseen
		if c.parts[rep.Contact] == shoeLid {
			e := mqtt.DeviceEventPayload{Happened: mqtt.EventLidClosed, Time: rep.At.UnixMilli()}
			if rep.Open {
				e.Happened = mqtt.EventLidOpened
			}
			c.happened(e)
		}
		c.hand(ctx, func(ctx context.Context, s senses) {
			if c.parts[rep.Contact] == shoeGate {
				s.shoe.Gate(ctx, rep.Open, lost, rep.At)
			} else {
				s.shoe.Lid(ctx, rep.Open, lost, rep.At)
			}
		})
	case port.State:
		c.state(rep)
		c.unseen = !rep.Up
		// In the queue of readings, so that the table hears how the contacts are before it hears that they are known.
		c.hand(ctx, func(ctx context.Context, _ senses) { c.table.Device(ctx, c.told.Device, rep.Up, c.told.Text) })
	}
}

func (c *shoeParts) count() { c.counted(map[string]uint64{"lost_edges": c.dev.Lost()}) }
