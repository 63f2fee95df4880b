package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tavolo/calibration"
	"tavolo/drivers/loadcell"
	"tavolo/drivers/port"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// loadCell is the kind of device that a scale may hang on; others hang on the seats' nodes.
const loadCell = "load-cell"

// ScaleConfig is a scale under chips.
type ScaleConfig struct {
	calibration.Scale
	// Device is the load cell it hangs on, "" for the one of the zone's seat's node.
	Device string
	// File is where what was measured of it is, "" for the configuration itself.
	File string
}

// maxWeight bounds every weight, in mg.
const maxWeight = 50_000_000

// maxReading and minReading bound what a converter says.
const maxReading, minReading = 1<<23 - 1, -1 << 23

func (r *configReader) scale(s *section) {
	defer s.close()
	c := ScaleConfig{
		Scale:  calibration.Scale{Zone: required(s, "zone", engine.ParseZone)},
		Device: s.text("device", ""),
		File:   r.path(s.text("file", "")),
	}
	if z := c.Zone; z != (engine.Zone{}) && !z.Chips() {
		s.fault("zone", "in %s lie cards: want a stack, a spot, the pot or the tray", z)
	}
	if c.File == "" {
		r.measured(s, &c.Scale)
	} else {
		s.forbid("it is in the file", "zero", "mark", "known", "noise", "chips")
		r.scaleFile(s, &c)
	}
	r.Scales = append(r.Scales, c)
}

// scaleFile reads what is known of a scale from the file that a section names.
func (r *configReader) scaleFile(s *section, c *ScaleConfig) {
	data, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		r.lacks(s.at("file"), "%v", err)
		return
	}
	if err != nil {
		s.fault("file", "%v", err)
		return
	}
	read, err := loadScale(c.File, data)
	r.tagsErr = errors.Join(r.tagsErr, err)
	read.Zone = c.Zone
	c.Scale = read
}

// loadScale reads the file of a scale, which Scale.Text writes. The error joins every fault of it.
func loadScale(file string, data []byte) (c calibration.Scale, err error) {
	top, err := parseDocument(file, data)
	if err != nil {
		return c, err
	}
	r := configReader{doc: top.doc}
	r.measured(top, &c)
	top.close()
	return c, top.doc.err()
}

// measured reads what technicians measured of a scale.
func (r *configReader) measured(s *section, c *calibration.Scale) {
	before := len(s.doc.faults)
	c.Zero = s.requiredNumber("zero", minReading, maxReading)
	c.Mark = s.requiredNumber("mark", minReading, maxReading)
	c.Known = s.requiredNumber("known", 1, maxWeight)
	c.Noise = s.number("noise", 500, 0, maxWeight)
	for _, k := range s.tables("chips") {
		c.Kinds = append(c.Kinds, calibration.ChipKind{
			Value:     engine.Chips(k.requiredNumber("value", 1, maxChips)),
			Weight:    k.requiredNumber("weight", 1, maxWeight),
			Tolerance: k.number("tolerance", 0, 0, maxWeight),
		})
		k.close()
	}
	if len(s.doc.faults) > before {
		return // what is missing is told already
	}
	if err := c.Validate(); err != nil {
		for _, err := range split(err) { // kinds[0]: what is wrong
			key, reason, _ := strings.Cut(err.Error(), ": ")
			s.fault(strings.Replace(key, "kinds", "chips", 1), "%s", reason)
		}
	}
}

// checkScales reports scales that hang on nothing, load cells that no scale hangs on, and two sensors at one place.
func (r *configReader) checkScales(zones map[engine.Zone]string) {
	cells, nodes := map[string]string{}, map[engine.Seat]string{}
	for i, c := range r.Scales {
		path := fmt.Sprintf("scales[%d]", i)
		once(r.doc, zones, path+".zone", c.Zone)
		once(r.doc, cells, path+".device", c.Device)
		if c.Device == "" {
			once(r.doc, nodes, path+".zone", c.Zone.Seat) // a node has one scale
		}
		node := slices.ContainsFunc(r.Seats, func(s SeatConfig) bool { return s.Seat == c.Zone.Seat && s.Node != 0 })
		cell := slices.ContainsFunc(r.Devices, func(d DeviceConfig) bool { return d.Name == c.Device && d.Kind == loadCell })
		r.checkPile(path+".zone", c.Zone)
		switch {
		case c.Device != "" && !cell:
			r.doc.fault(path+".device", "no device %q: want one in [[devices]] of kind %s", c.Device, loadCell)
		case c.Device == "" && !node:
			r.doc.fault(path+".device", "missing: want a device of kind %s, or a zone of a seat with a node, which has a scale", loadCell)
		}
	}
	for i, d := range r.Devices {
		if d.Kind == loadCell && cells[d.Name] == "" {
			r.doc.fault(fmt.Sprintf("devices[%d].name", i), "no scale hangs on it: want one in [[scales]] with device = %q", d.Name)
		}
	}
}

// weigher makes the weigher of the scale that ok is true for, nil if there is none.
func (d *daemon) weigher(ok func(ScaleConfig) bool) *calibration.Weigher {
	i := slices.IndexFunc(d.cfg.Scales, ok)
	if i < 0 {
		return nil
	}
	return calibration.NewWeigher(d.cfg.Scales[i].Scale, d.table)
}

// cell is a load cell under chips.
type cell struct {
	health
	dev     *loadcell.Dev
	weigher *calibration.Weigher
}

func openLoadCell(c DeviceConfig, d *daemon, _ *panels) (device, error) {
	dev, err := loadcell.New(loadcell.Options{Path: c.Path})
	w := d.weigher(func(s ScaleConfig) bool { return s.Device == c.Name })
	return &cell{newHealth(d, c), dev, w}, err
}

func (c *cell) run(ctx context.Context) error {
	return attend(ctx, c.dev.Run, c.dev.Reports(), func(r loadcell.Report) { c.take(ctx, r) }, func() {})
}

func (c *cell) take(ctx context.Context, report loadcell.Report) {
	switch r := report.(type) {
	case loadcell.Sample:
		c.weigher.Read(ctx, r.Reading)
	case port.State:
		c.state(r)
		if !r.Up {
			c.weigher.Fail(ctx, c.told.Text)
		}
	}
}

// weighed takes what the scale of a seat's node says.
func (b *panelBus) weighed(ctx context.Context, seat engine.Seat, s bridge.Sample) {
	w := b.weighers[seat]
	switch {
	case w == nil:
	case s.Over:
		w.Fail(ctx, "the scale is overloaded")
	default:
		w.Read(ctx, int64(s.Counts))
	}
}
