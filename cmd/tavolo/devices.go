package main

import (
	"context"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"time"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/face"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller/mqtt"
	"tavolo/drivers/feig"
	"tavolo/drivers/pepper"
	"tavolo/drivers/rfid"
	"tavolo/drivers/screen"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// deviceKind is a kind of device: a reader of tags, or what open makes.
type deviceKind struct {
	// antennas is how many a reader of tags may have, and atOnce how many tags it tells apart at one of them, 0 for as many as
	// lie there. One for chips reads no cards. reader makes one with its part in the table's air. It touches no hardware.
	antennas int
	atOnce   int
	forChips bool
	reader   func(DeviceConfig, *rfid.Field, *daemon) (rfid.Reader, error)
	// panel is whether it is the panel of one seat, wired to the board. Pathless devices say in other keys where they are.
	panel, pathless bool
	// open makes another device of a configuration for a daemon. It touches no hardware.
	open func(DeviceConfig, *daemon, *panels) (device, error)
	// options reads the keys that only this kind has, and checks the others, if need be.
	options func(*section, *DeviceConfig)
}

// device is a device at work. It is either run or tried, and that once.
type device interface {
	// run works it until ctx ends.
	run(ctx context.Context) error
	// try finds out whether it works, for a technician: see doctor_devices.go.
	try(ctx context.Context) []finding
}

// seatBus is the kind of device that the panels of all seats hang on.
const seatBus = "seat-bus"

// deviceKinds are the kinds of device there are, by their names in the configuration. A new kind is a new row.
func deviceKinds() map[string]deviceKind {
	return map[string]deviceKind{
		"feig":           {antennas: feig.MaxAntennas, reader: openFeig, options: feigOptions},
		"pepper-c1":      {antennas: 1, reader: openPepper, options: pepperOptions},
		"pepper-c1-mux":  {antennas: pepper.MaxAntennas, reader: openPepper, options: pepperOptions},
		"mfrc522":        {antennas: 1, atOnce: 2, reader: openMFRC522, options: mfrc522Options},
		"pn5180":         {antennas: 1, reader: openPN5180, options: pn5180Options},
		"pn532":          {antennas: 1, atOnce: 2, reader: openPN532},
		"pn532-i2c":      {antennas: 1, atOnce: 2, reader: openPN532Bus, options: pn532Options},
		"uhf":            {antennas: 1, forChips: true, reader: openUHF, options: uhfOptions},
		seatBus:          {open: openSeatBus, options: busOptions},
		"gpio-panel":     {open: openGPIOPanel, options: gpioPanelOptions, panel: true, pathless: true},
		"mcp23017-panel": {open: openExpander, options: expanderOptions, panel: true},
		"pca9685":        {open: openPCA, options: pcaOptions},
		"ws2812":         {open: openStrip, options: stripOptions},
		"ssd1306":        {open: openOLED(screen.SSD1306), options: oledOptions(64, 32)},
		"sh1106":         {open: openOLED(screen.SH1106), options: oledOptions(64)},
		"st7789":         {open: openTFT(screen.ST7789), options: tftOptions(image.Pt(240, 240), image.Pt(240, 320), image.Pt(320, 240))},
		loadCell:         {open: openLoadCell},
		lightBarrier:     {open: openBarrier, options: barrierOptions, pathless: true},
		shoeContacts:     {open: openShoeContacts, options: shoeOptions, pathless: true},
		"ili9341":        {open: openTFT(screen.ILI9341), options: tftOptions(image.Pt(320, 240), image.Pt(240, 320))},
	}
}

// openDevice makes a device. It touches no hardware.
func openDevice(cfg DeviceConfig, d *daemon, p *panels) (device, error) {
	kind := deviceKinds()[cfg.Kind]
	if kind.reader == nil {
		return kind.open(cfg, d, p)
	}
	var field *rfid.Field
	if len(cfg.Air) > 0 {
		field = d.air.Field(cfg.Air...)
	}
	dev, err := kind.reader(cfg, field, d)
	return &reader{newHealth(d, cfg), cfg.Zones, dev}, err
}

// statsEvery is how often it is looked whether a device has counted new faults.
const statsEvery = time.Second

// attend runs a device and takes its reports, one after the other, until it ends. Now and then it counts the faults.
func attend[R any](ctx context.Context, run func(context.Context) error, reports <-chan R, take func(R), count func()) error {
	var t tasks.Group
	t.Go(func() error { return run(ctx) })
	tick := time.NewTicker(statsEvery)
	defer tick.Stop()
	for {
		select {
		case r, open := <-reports:
			if !open {
				return t.Wait()
			}
			take(r)
		case <-tick.C:
			count()
		}
	}
}

// health is what everybody is told of a device. It is of the goroutine that takes the device's reports.
type health struct {
	*daemon
	place  string // where the device hangs, "" if on lines of the board
	told   mqtt.DevicePayload
	due    time.Time // when the next event would be told at an even pace
	missed uint64    // events not told since the last one that was
}

// The pace of a device's events: so many at once, and then one every so often. A line that comes and goes all night must not
// push what happens at the table out of the queue of a link that is down.
const (
	eventEvery = 10 * time.Second
	eventBurst = 8 * eventEvery
)

func newHealth(d *daemon, cfg DeviceConfig) health {
	told := mqtt.DevicePayload{V: mqtt.Version, Device: cfg.Name, Kind: cfg.Kind}
	return health{daemon: d, place: cfg.place(), told: told}
}

// is says that the device is up, or why it is not.
func (h *health) is(up bool, why string, at time.Time) {
	state := mqtt.StateUp
	if !up {
		state = mqtt.StateDown
	}
	changed := state != h.told.State
	if changed {
		h.told.Since = at.UnixMilli()
	}
	h.told.State, h.told.Text = state, why
	h.tell()
	if changed {
		h.happened(mqtt.DeviceEventPayload{Happened: state, Text: why, Time: at.UnixMilli()})
	}
	if up {
		h.log.Info("device up", "device", h.told.Device)
	} else {
		h.log.Warn("device lost", "device", h.told.Device, "why", why)
	}
}

// counted says how many faults the device has met with, if there are new ones. Those that are 0 are left out.
func (h *health) counted(faults map[string]uint64) {
	maps.DeleteFunc(faults, func(_ string, n uint64) bool { return n == 0 })
	if h.told.State == "" || maps.Equal(faults, h.told.Counters) {
		return
	}
	more := map[string]uint64{}
	for kind, n := range faults {
		if before := h.told.Counters[kind]; n > before {
			more[kind] = n - before
		}
	}
	h.told.Counters = faults
	h.tell()
	h.happened(mqtt.DeviceEventPayload{Happened: mqtt.EventFaults, Faults: more, Time: time.Now().UnixMilli()})
}

func (h *health) tell() { h.link.State(h.cfg.Topics.Device(h.told.Device), mqtt.Pack(h.told)) }

// happened tells an event, unless there are too many.
func (h *health) happened(e mqtt.DeviceEventPayload) {
	now := time.Now()
	if h.due.Sub(now) > eventBurst-eventEvery {
		h.missed++
		return
	}
	if h.due.Before(now) {
		h.due = now
	}
	h.due = h.due.Add(eventEvery)
	e.V, e.Device, e.Kind, e.Missed = mqtt.Version, h.told.Device, h.told.Kind, h.missed
	h.missed = 0
	h.link.Event(h.cfg.Topics.DeviceEvents(e.Device), mqtt.Pack(e))
}

// reader is a reader of tags whose readings become facts.
type reader struct {
	health
	zones []engine.Zone
	dev   rfid.Reader
}

func (r *reader) run(ctx context.Context) error {
	return attend(ctx, r.dev.Run, r.dev.Reports(), func(rep rfid.Report) { r.take(ctx, rep) }, r.count)
}

func (r *reader) take(ctx context.Context, report rfid.Report) {
	switch rep := report.(type) {
	case rfid.Scan:
		z := r.zones[rep.Antenna-1]
		r.hand(ctx, func(ctx context.Context, s senses) {
			tags := s.marker.Scanned(ctx, z, rep.UIDs, rep.Partial)
			switch {
			case z.Kind == engine.ZoneShoe: // what is at the mouth is on its way out
				s.shoe.Mouth(ctx, tags, rep.At)
			case z.Chips():
				s.chips.Scanned(ctx, z, tags, rep.Partial)
			default:
				s.watch.Scanned(ctx, z, tags, rep.Partial)
				if z.Kind == engine.ZoneNext {
					s.shoe.Ahead(ctx, tags, rep.Partial, rep.At)
				}
			}
		})
	case rfid.State:
		why := ""
		if rep.Err != nil {
			why = rep.Err.Error()
		}
		r.is(rep.Up, why, rep.At)
		if hasCards(r.zones) { // without chips a hand goes on, by what people say
			r.table.Device(ctx, r.told.Device, rep.Up, why)
		}
		if rep.Up {
			return
		}
		for _, z := range r.zones {
			r.hand(ctx, func(ctx context.Context, s senses) {
				s.marker.Lost(ctx, z)
				if z.Chips() {
					s.chips.Lost(ctx, z, why)
				}
			})
		}
	}
}

func (r *reader) count() { r.counted(r.dev.Counters()) }

// hand passes a reading on, waiting while there are too many.
func (d *daemon) hand(ctx context.Context, f func(context.Context, senses)) {
	select {
	case d.readings <- f:
	case <-ctx.Done():
	}
}

// panelBus is the seats' panels.
type panelBus struct {
	health
	dev    *seatnode.Dev
	panels *panels

	weighers map[engine.Seat]*calibration.Weigher // of the nodes' scales
	tried    map[engine.Seat]bool                 // whose panels have been asked
	down     map[engine.Seat]string               // why, by the seats whose panels are
}

func busOptions(s *section, c *DeviceConfig) {
	speed(s, c)
	c.RS485 = s.flag("rs485")
	c.Reply = s.duration("reply", 30*time.Millisecond, 10*time.Millisecond, time.Second)
}

func openSeatBus(cfg DeviceConfig, d *daemon, p *panels) (device, error) {
	opt := seatnode.Options{Path: cfg.Path, Baud: cfg.Baud, RS485: cfg.RS485, Reply: cfg.Reply}
	for node := range p.nodes {
		opt.Seats = append(opt.Seats, node)
	}
	b := &panelBus{health: newHealth(d, cfg), panels: p, tried: map[engine.Seat]bool{}, down: map[engine.Seat]string{}, weighers: map[engine.Seat]*calibration.Weigher{}}
	var err error
	b.dev, err = seatnode.New(opt)
	for _, seat := range p.nodes {
		p.add(seat, b)
		if w := d.weigher(func(s ScaleConfig) bool { return s.Device == "" && s.Zone.Seat == seat }); w != nil {
			b.weighers[seat] = w
		}
	}
	return b, err
}

func (b *panelBus) run(ctx context.Context) error {
	return attend(ctx, b.dev.Run, b.dev.Reports(), func(rep seatnode.Report) { b.take(ctx, rep) }, b.count)
}

func (b *panelBus) take(ctx context.Context, report seatnode.Report) {
	switch rep := report.(type) {
	case seatnode.Key:
		k := face.Press{Key: rep.Key, Down: rep.Down, Prompt: rep.Prompt, Amount: rep.Amount}
		if r, ok := b.panels.request(b.panels.nodes[rep.Seat], k); ok {
			b.table.Ask(ctx, r)
		}
	case seatnode.Weight:
		b.weighed(ctx, b.panels.nodes[rep.Seat], rep.Sample)
	case seatnode.Status:
		b.status(ctx, rep)
	}
}

// show shows a seat's face on its node.
func (b *panelBus) show(seat engine.Seat, f *face.Face) {
	for node, s := range b.panels.nodes {
		if s != seat {
			continue
		}
		// SeatText keeps to what a panel can show, so Set has nothing to refuse but a bet of no size, and that is shown dark.
		if err := b.dev.Set(node, f.Panel); err != nil {
			f.Bet = seatnode.Bet{}
			_ = b.dev.Set(node, f.Panel)
		}
	}
}

// status tells the table of one panel, and everybody of the bus once all are known.
func (b *panelBus) status(ctx context.Context, s seatnode.Status) {
	seat, why := b.panels.nodes[s.Seat], ""
	b.tried[seat] = true
	delete(b.down, seat)
	if s.State != bridge.Online {
		why = s.State.String()
		if s.Err != nil {
			why = s.Err.Error()
		}
		b.down[seat] = why
	}
	var text []string
	for _, seat := range slices.Sorted(maps.Keys(b.down)) {
		text = append(text, panelName(seat)+": "+b.down[seat])
	}
	if len(b.tried) == len(b.panels.nodes) {
		b.is(len(text) == 0, strings.Join(text, "; "), time.Now())
	}
	if w := b.weighers[seat]; w != nil && why != "" {
		w.Fail(ctx, why)
	}
	b.table.Device(ctx, panelName(seat), s.State == bridge.Online, why)
}

// panelName is what the table calls the panel of a seat.
func panelName(seat engine.Seat) string { return fmt.Sprintf("panel of seat %d", seat) }

func (b *panelBus) count() {
	s := b.dev.Stats()
	b.counted(map[string]uint64{"bad_checksum": s.Checksum, "malformed": s.Malformed, "strays": s.Strays, "misses": s.Misses})
}
