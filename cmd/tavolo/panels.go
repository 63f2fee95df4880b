package main

import (
	"slices"
	"sync"

	"tavolo/cmd/tavolo/face"
	"tavolo/controller"
	"tavolo/display"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// panels shows felt players the table, and turns their keys into requests. It is a controller.Output.
type panels struct {
	nodes map[bridge.Addr]engine.Seat // of the seat bus
	units engine.Chips                // chips in one of the currency

	won [engine.MaxSeats + 1]engine.Chips // in the hand in play or the last one; of the table's goroutine

	mu    sync.Mutex // over what the parts are told, too
	parts map[engine.Seat][]part
	faces map[engine.Seat]*face.Face
}

// part is something that shows players what concerns a seat.
type part interface {
	// show shows a seat's face, and fills in what it alone knows of it. It does not wait. One goroutine calls it at a time.
	show(engine.Seat, *face.Face)
}

func newPanels(cfg *Config) *panels {
	p := &panels{nodes: map[bridge.Addr]engine.Seat{}, parts: map[engine.Seat][]part{}, faces: map[engine.Seat]*face.Face{}, units: cfg.units()}
	for _, s := range cfg.Seats {
		if s.Node != 0 {
			p.nodes[bridge.Addr(s.Node)] = s.Seat
		}
	}
	return p
}

// add has a part show a seat, before the table runs. A panel with keys comes before what shows its amount.
func (p *panels) add(seat engine.Seat, q part) {
	if _, keys := q.(*boardPanel); keys {
		p.parts[seat] = slices.Insert(p.parts[seat], 0, q)
	} else {
		p.parts[seat] = append(p.parts[seat], q)
	}
}

// Publish shows each seat what concerns it.
func (p *panels) Publish(u *controller.Update) {
	if len(p.parts) == 0 {
		return
	}
	for _, past := range u.Again {
		p.count(past.Events)
	}
	p.count(u.Events)
	view := engine.ViewFor(u.State, engine.Viewer{})
	for seat := range p.parts {
		f := face.Of(u, view, seat, display.SeatNote{Won: p.won[seat], Units: p.units, Thrown: u.Thrown})
		p.mu.Lock()
		p.faces[seat] = f
		p.show(seat)
		p.mu.Unlock()
	}
}

// again shows a seat once more, because what is prepared there has changed.
func (p *panels) again(seat engine.Seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faces[seat] != nil {
		p.show(seat)
	}
}

// show has the parts of a seat show its face. The caller holds mu.
func (p *panels) show(seat engine.Seat) {
	for _, q := range p.parts[seat] {
		q.show(seat, p.faces[seat])
	}
}

// count keeps what each seat won.
func (p *panels) count(events []engine.Event) {
	for _, e := range events {
		switch e.Kind {
		case engine.HandBegan:
			p.won = [engine.MaxSeats + 1]engine.Chips{}
		case engine.PotAwarded, engine.BoxSettled:
			p.won[e.Seat] += e.Amount + e.Bonus
		}
	}
}

// request is what a key press asks for, false if for nothing.
func (p *panels) request(seat engine.Seat, k face.Press) (controller.Request, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faces[seat].Request(seat, k)
}
