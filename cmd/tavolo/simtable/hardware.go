package simtable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tavolo/cmd/tavolo/tasks"
	"tavolo/drivers/sim"
	"tavolo/engine"
	"tavolo/engine/card"
	bridge "tavolo/firmware-bridge"
)

// hardware is the devices of a table, and the cards that lie on it.
type hardware struct {
	cables map[string]Cable
	runs   []runner
	shoe   sim.Reader
	mouth  Mouth
	air    *air
	pads   map[engine.Zone]pad
	nodes  map[int]*sim.Node
	tags   map[card.Card]string

	mu        sync.Mutex
	lies      map[engine.Zone][]laid    // in the order they were laid
	shoeAhead map[engine.Zone]card.Card // what a shoe that reads ahead sees
	chips     map[engine.Zone][]string  // tags
}

// laid is a card that lies in a slot of a zone, numbered from 1.
type laid struct {
	card card.Card
	slot int
}

// pad is one antenna of one reader.
type pad struct {
	reader  sim.Reader
	antenna int
}

type runner interface {
	Run(ctx context.Context) error
}

func newHardware(opt Options) (_ *hardware, err error) {
	h := &hardware{
		cables: map[string]Cable{}, pads: map[engine.Zone]pad{}, nodes: map[int]*sim.Node{},
		mouth: opt.Mouth, tags: opt.Tags, air: newAir(opt), lies: map[engine.Zone][]laid{}, shoeAhead: map[engine.Zone]card.Card{}, chips: map[engine.Zone][]string{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	timing := sim.Timing{}
	if opt.Pace != (Pace{}) {
		timing = sim.RealTiming()
	}
	for _, d := range opt.Devices {
		if d.Reader != nil {
			h.reader(d, d.Reader)
			continue
		}
		pty, err := d.cable()
		if err != nil {
			return nil, fmt.Errorf("simulated %s at %s: %w", d.Kind, d.Path, err)
		}
		if d.Kind == seatBus {
			h.bus(d, pty)
			continue
		}
		reader := serialReaders()[d.Kind]
		if reader == nil {
			return nil, errors.Join(fmt.Errorf("simulated %s at %s: this kind of device is not simulated", d.Kind, d.Path), pty.Close())
		}
		h.powered(d, pty, reader(pty, timing))
	}
	return h, nil
}

// seatBus is the kind of the bus that panels hang on.
const seatBus = "seat-bus"

// serialReaders make the readers at the end of a cable, by their kinds.
func serialReaders() map[string]func(*sim.PTY, sim.Timing) sim.Reader {
	return map[string]func(*sim.PTY, sim.Timing) sim.Reader{
		"pepper-c1": func(p *sim.PTY, t sim.Timing) sim.Reader {
			return sim.NewPepper(p, sim.PepperOptions{Timing: t, Antennas: 1})
		},
		"pepper-c1-mux": func(p *sim.PTY, t sim.Timing) sim.Reader { return sim.NewPepper(p, sim.PepperOptions{Timing: t}) },
		"feig":          func(p *sim.PTY, t sim.Timing) sim.Reader { return sim.NewFeig(p, sim.FeigOptions{Timing: t}) },
		"uhf":           func(p *sim.PTY, t sim.Timing) sim.Reader { return sim.NewUHF(p, sim.UHFOptions{Timing: t}) },
		"pn532":         func(p *sim.PTY, t sim.Timing) sim.Reader { return sim.NewPN532(p, t) },
	}
}

// Simulates is whether a device of a kind can be simulated on any machine: those at the end of a serial cable can. What is
// wired to GPIO lines, I²C or SPI needs a board that has them, which the virtual board is (cmd/board).
// Load cells are files to a program anyway.
func Simulates(kind string) bool {
	return kind == seatBus || kind == "load-cell" || serialReaders()[kind] != nil
}

// cable lays the cable to a device.
func (d Device) cable() (*sim.PTY, error) {
	if d.Far != "" {
		return sim.NewUART(d.Far)
	}
	return sim.NewPTY(d.Path)
}

// powered is reader, for one that its cable powers.
func (h *hardware) powered(d Device, pty *sim.PTY, reader sim.Reader) {
	cable := Cable{pty, reader}
	h.cables[d.Path] = cable
	h.air.wired(cable)
	h.reader(d, reader)
}

func (h *hardware) reader(d Device, reader sim.Reader) {
	h.air.over(d, reader)
	for i, z := range d.Zones {
		if z.Kind == engine.ZoneShoe {
			h.shoe = reader
			continue
		}
		h.pads[z] = pad{reader, i + 1}
	}
	h.runs = append(h.runs, reader)
}

func (h *hardware) bus(d Device, pty *sim.PTY) {
	bus := sim.NewBus(pty)
	var nodes []*sim.Node
	for _, addr := range d.Nodes {
		n := bus.Add(bridge.Addr(addr))
		h.nodes[addr], nodes = n, append(nodes, n)
	}
	cable := Cable{pty, nil}
	h.runs, h.cables[d.Path] = append(h.runs, bus), cable
	h.air.along(bus, cable, nodes)
}

// close takes the devices away that were never run.
func (h *hardware) close() error {
	var errs []error
	for _, c := range h.cables {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (h *hardware) run(ctx context.Context, g *tasks.Group) {
	for _, r := range h.runs {
		g.Go(func() error { return r.Run(ctx) })
	}
	for _, trouble := range h.air.troubles {
		g.Go(func() error { return trouble(ctx) })
	}
}

// pass draws a card out of the shoe.
func (h *hardware) pass(c card.Card) error {
	if h.mouth != nil {
		return h.mouth(c, h.read)
	}
	return h.read(c)
}

// watches is whether an antenna sees what lies in a zone.
func (h *hardware) watches(z engine.Zone) bool {
	_, ok := h.pads[z]
	return ok
}

// read slides a card past the reader of the shoe, if it has one.
func (h *hardware) read(c card.Card) error {
	if h.shoe == nil {
		return nil
	}
	uid, seen := h.air.pass(h.tags[c])
	if !seen {
		return nil
	}
	return h.shoe.Pass(uid)
}

// load has a shoe that reads ahead see the first of the cards in it.
func (h *hardware) load(deck []card.Card) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, kind := range []engine.ZoneKind{engine.ZoneNext, engine.ZoneFollowing} {
		z := engine.Zone{Kind: kind}
		if _, ok := h.pads[z]; !ok {
			continue
		}
		if old := h.shoeAhead[z]; old != card.None {
			h.remove(z, h.tags[old])
			delete(h.shoeAhead, z)
		}
		if i < len(deck) {
			h.shoeAhead[z] = deck[i]
			if err := h.put(z, h.tags[deck[i]]); err != nil {
				return err
			}
		}
	}
	return nil
}

// place lays a card in the first free slot of a zone.
func (h *hardware) place(z engine.Zone, c card.Card) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	slot := 1
	for h.at(z, slot) != card.None {
		slot++
	}
	h.lies[z] = append(h.lies[z], laid{c, slot})
	return h.put(z, h.tags[c])
}

// put has a tag lie where a reader watches a zone, remove has it lie there no longer; neither does anything where none does. The
// caller holds mu.
func (h *hardware) put(z engine.Zone, tag string) error {
	p, ok := h.pads[z]
	if !ok {
		return nil
	}
	h.air.put(z, tag)
	return p.reader.Place(p.antenna, tag)
}

func (h *hardware) remove(z engine.Zone, tag string) {
	if p, ok := h.pads[z]; ok {
		h.air.remove(z, tag)
		p.reader.Remove(p.antenna, tag)
	}
}

// lay has just these chips lie in a zone, by their tags.
func (h *hardware) lay(z engine.Zone, tags []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.pads[z]; !ok {
		return fmt.Errorf("no reader watches zone %v", z)
	}
	for _, tag := range h.chips[z] {
		if !slices.Contains(tags, tag) {
			h.remove(z, tag)
		}
	}
	h.chips[z] = slices.Clone(tags)
	for _, tag := range tags {
		if err := h.put(z, tag); err != nil {
			return err
		}
	}
	return nil
}

// take takes a card off a zone.
func (h *hardware) take(z engine.Zone, c card.Card) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lies[z] = slices.DeleteFunc(h.lies[z], func(l laid) bool { return l.card == c })
	h.remove(z, h.tags[c])
}

var muckZone = engine.Zone{Kind: engine.ZoneMuck}

// gather moves every card that lies anywhere else to the muck.
func (h *hardware) gather() error {
	for z, cards := range h.lying() {
		if z == muckZone {
			continue
		}
		for _, c := range cards {
			if err := h.muck(z, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// muck moves a card of a zone to the muck.
func (h *hardware) muck(z engine.Zone, c card.Card) error {
	h.take(z, c)
	return h.place(muckZone, c)
}

// muckSlot moves the card in a slot of a zone, numbered from 1, to the muck, if one lies there.
func (h *hardware) muckSlot(z engine.Zone, slot int) error {
	h.mu.Lock()
	c := h.at(z, slot)
	h.mu.Unlock()
	if c == card.None {
		return nil
	}
	return h.muck(z, c)
}

// at is the card in a slot, card.None if there is none. The caller holds mu.
func (h *hardware) at(z engine.Zone, slot int) card.Card {
	if i := slices.IndexFunc(h.lies[z], func(l laid) bool { return l.slot == slot }); i >= 0 {
		return h.lies[z][i].card
	}
	return card.None
}

// clear takes every card off the table, into the shuffle.
func (h *hardware) clear() {
	for z, cards := range h.lying() {
		for _, c := range cards {
			h.take(z, c)
		}
	}
}

// lying are the cards on the table by zones, in the order they were laid.
func (h *hardware) lying() map[engine.Zone][]card.Card {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[engine.Zone][]card.Card{}
	for z, cards := range h.lies {
		for _, l := range cards {
			out[z] = append(out[z], l.card)
		}
	}
	return out
}
