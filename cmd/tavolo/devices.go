package main

import (
	"context"
	"time"

	"tavolo/calibration"
	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/drivers/pepper"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// deviceKind is a kind of device.
type deviceKind struct {
	// antennas is how many a card reader may have, 0 for what is no card reader.
	antennas int
	// open makes the device of a configuration for a daemon. It touches no hardware.
	open func(DeviceConfig, *daemon, *panels) (device, error)
}

// device is a device at work until ctx ends.
type device interface {
	run(ctx context.Context) error
}

// seatBus is the kind of device that the panels of all seats hang on.
const seatBus = "seat-bus"

// deviceKinds are the kinds of device there are, by their names in the configuration. A new kind is a new row.
func deviceKinds() map[string]deviceKind {
	return map[string]deviceKind{
		"pepper-c1":     {antennas: 1, open: openReader},
		"pepper-c1-mux": {antennas: pepper.MaxAntennas, open: openReader},
		seatBus:         {open: openSeatBus},
	}
}

// reader is a card reader whose readings become facts.
type reader struct {
	*daemon
	cfg DeviceConfig
	dev *pepper.Dev
}

func openReader(cfg DeviceConfig, d *daemon, _ *panels) (device, error) {
	opt := pepper.Options{Path: cfg.Path}
	if len(cfg.Zones) != 1 || cfg.Zones[0].Kind != engine.ZoneShoe {
		for i := range cfg.Zones {
			opt.Antennas = append(opt.Antennas, i+1)
		}
	}
	dev, err := pepper.New(opt)
	return &reader{d, cfg, dev}, err
}

func (r *reader) run(ctx context.Context) error {
	var t tasks
	t.run(func() error { return r.dev.Run(ctx) })
	for report := range r.dev.Reports() {
		switch rep := report.(type) {
		case pepper.Reading:
			r.hand(ctx, func(ctx context.Context, w *calibration.Watch) { w.Passed(ctx, rep.UID, rep.At) })
		case pepper.Scan:
			z := r.cfg.Zones[rep.Antenna-1]
			r.hand(ctx, func(ctx context.Context, w *calibration.Watch) { w.Scanned(ctx, z, rep.UIDs, rep.Partial) })
		case pepper.State:
			r.state(ctx, r.cfg, rep.Up, rep.Err, rep.At)
		}
	}
	return t.wait()
}

// hand passes a reading on, waiting while there are too many.
func (d *daemon) hand(ctx context.Context, f func(context.Context, *calibration.Watch)) {
	select {
	case d.watch <- f:
	case <-ctx.Done():
	}
}

// state tells the table, and everybody, how a device does.
func (d *daemon) state(ctx context.Context, cfg DeviceConfig, up bool, why error, at time.Time) {
	p := mqtt.DevicePayload{V: mqtt.Version, Device: cfg.Name, Kind: cfg.Kind, State: "up", Since: at.UnixMilli()}
	if !up {
		p.State, p.Text = "down", why.Error()
		d.log.Warn("device lost", "device", cfg.Name, "err", why)
	} else {
		d.log.Info("device up", "device", cfg.Name)
	}
	d.link.State(d.cfg.Topics.Device(cfg.Name), mqtt.Pack(p))
	d.table.Device(ctx, cfg.Name, up, p.Text)
}

// bus is the seats' panels.
type bus struct {
	*daemon
	cfg    DeviceConfig
	dev    *seatnode.Dev
	panels *panels
	down   map[bridge.Addr]error
}

func openSeatBus(cfg DeviceConfig, d *daemon, p *panels) (device, error) {
	opt := seatnode.Options{Path: cfg.Path}
	for node := range p.seats {
		opt.Seats = append(opt.Seats, node)
	}
	dev, err := seatnode.New(opt)
	p.bus = dev
	return &bus{daemon: d, cfg: cfg, dev: dev, panels: p, down: map[bridge.Addr]error{}}, err
}

func (b *bus) run(ctx context.Context) error {
	var t tasks
	t.run(func() error { return b.dev.Run(ctx) })
	for report := range b.dev.Reports() {
		switch rep := report.(type) {
		case seatnode.Key:
			if r, ok := b.panels.request(rep); ok {
				b.table.Ask(ctx, r)
			}
		case seatnode.Status:
			b.status(ctx, rep)
		}
	}
	return t.wait()
}

// status tells the table of one panel, and everybody of the bus.
func (b *bus) status(ctx context.Context, s seatnode.Status) {
	name := "panel of " + engine.Zone{Kind: engine.ZoneSeat, Seat: b.panels.seats[s.Seat]}.String()
	up := s.State == bridge.Online
	why := s.State.String()
	if s.Err != nil {
		why = s.Err.Error()
	}
	b.table.Device(ctx, name, up, why)
	b.log.Info("panel", "seat", b.panels.seats[s.Seat], "state", s.State.String(), "err", s.Err)
	if up {
		delete(b.down, s.Seat)
	} else {
		b.down[s.Seat] = s.Err
	}
	p := mqtt.DevicePayload{V: mqtt.Version, Device: b.cfg.Name, Kind: b.cfg.Kind, State: "up", Since: time.Now().UnixMilli()}
	if len(b.down) > 0 {
		p.State, p.Text = "down", name+": "+why
	}
	b.link.State(b.daemon.cfg.Topics.Device(b.cfg.Name), mqtt.Pack(p))
}

// verbs are what the keys of a panel ask for.
var verbs = map[bridge.Key]controller.Verb{
	bridge.KeyFold: controller.VerbFold, bridge.KeyCall: controller.VerbCheckCall, bridge.KeyBet: controller.VerbBetRaise,
	bridge.KeyAllIn: controller.VerbAllIn, bridge.KeySit: controller.VerbToggleSit, bridge.KeyShow: controller.VerbShow,
	bridge.KeyMuck: controller.VerbMuck,
}
