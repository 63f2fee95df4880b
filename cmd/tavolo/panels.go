package main

import (
	"strings"
	"sync"

	"tavolo/controller"
	"tavolo/display"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// panels shows felt players the table, and turns their keys into requests. It is a controller.Output.
type panels struct {
	seats map[bridge.Addr]engine.Seat // by the address of the node
	bus   *seatnode.Dev               // nil if there are no panels
	units engine.Chips                // chips in one of the currency

	won [engine.MaxSeats + 1]engine.Chips // in the hand in play or the last one; of the table's goroutine

	mu    sync.Mutex
	turns map[bridge.Addr]uint64 // the turn that each panel shows, by its token
}

func newPanels(cfg *Config) *panels {
	p := &panels{seats: map[bridge.Addr]engine.Seat{}, turns: map[bridge.Addr]uint64{}, units: cfg.units()}
	for _, s := range cfg.Seats {
		if s.Node != 0 {
			p.seats[bridge.Addr(s.Node)] = s.Seat
		}
	}
	return p
}

// Publish shows each panel what concerns its seat.
func (p *panels) Publish(u *controller.Update) {
	if p.bus == nil {
		return
	}
	for _, past := range u.Again {
		p.count(past.Events)
	}
	p.count(u.Events)
	view := engine.ViewFor(u.State, engine.Viewer{})
	for node, seat := range p.seats {
		var show seatnode.Panel
		text := display.SeatText(view, seat, display.SeatNote{Won: p.won[seat], Units: p.units, Thrown: u.Thrown})
		copy(show.Lines[:], strings.Split(text, "\n"))
		a := u.State.Awaits()
		show.Lit = bridge.LampOf(bridge.KeySit)
		if a.Asked() == seat {
			offer(&show, &a, u.State.Rules.Stakes.BigBlind)
			show.Prompt = promptOf(u.Turn)
		}
		p.mu.Lock()
		p.turns[node] = u.Turn
		p.mu.Unlock()
		// SeatText keeps to what a panel can show, so Set has nothing to refuse but a bet of no size, and that is shown dark.
		if err := p.bus.Set(node, show); err != nil {
			show.Bet = seatnode.Bet{}
			_ = p.bus.Set(node, show)
		}
	}
}

// count keeps what each seat won.
func (p *panels) count(events []engine.Event) {
	for _, e := range events {
		switch e.Kind {
		case engine.HandBegan:
			p.won = [engine.MaxSeats + 1]engine.Chips{}
		case engine.PotAwarded:
			p.won[e.Seat] += e.Amount
		}
	}
}

// promptOf numbers a turn on a panel: 1 to 255, another one for the next turn.
func promptOf(turn uint64) uint8 { return uint8(turn%255) + 1 }

// offer lights the keys of what the seat may do.
func offer(show *seatnode.Panel, a *engine.Await, step engine.Chips) {
	show.Blink = bridge.SeatLamp
	if a.Kind == engine.AwaitReveal {
		show.Lit |= bridge.LampOf(bridge.KeyShow)
		if a.MayMuck {
			show.Lit |= bridge.LampOf(bridge.KeyMuck)
		}
		return
	}
	show.Lit |= bridge.LampOf(bridge.KeyCall)
	if a.Kind == engine.AwaitDiscard {
		return
	}
	l := &a.Legal
	if l.BringIn == 0 {
		show.Lit |= bridge.LampOf(bridge.KeyFold)
	}
	if l.Split {
		show.Lit |= bridge.LampOf(bridge.KeyShow)
	}
	if l.Raise {
		if l.TwoSizes {
			step = l.MaxTo - l.MinTo
		}
		show.Lit |= bridge.LampOf(bridge.KeyBet)
		show.Bet = seatnode.Bet{Start: int64(l.MinTo), Min: int64(l.MinTo), Max: int64(l.MaxTo), Step: int64(max(step, 1))}
	}
	if l.AllIn > 0 {
		show.Lit |= bridge.LampOf(bridge.KeyAllIn)
	}
}

// verbs are what the keys of a panel ask for.
var verbs = map[bridge.Key]controller.Verb{
	bridge.KeyFold: controller.VerbFold, bridge.KeyCall: controller.VerbCheckCall, bridge.KeyBet: controller.VerbBetRaise,
	bridge.KeyAllIn: controller.VerbAllIn, bridge.KeySit: controller.VerbToggleSit, bridge.KeyShow: controller.VerbShowSplit,
	bridge.KeyMuck: controller.VerbMuck,
}

// request is what a key press asks for. A press that answered an earlier turn carries no token, and is refused.
func (p *panels) request(k seatnode.Key) (controller.Request, bool) {
	seat, ok := p.seats[k.Seat]
	verb := verbs[k.Key]
	if !ok || !k.Down || verb == "" {
		return controller.Request{}, false
	}
	r := controller.Request{From: controller.Source{Panel: seat}, Verb: verb, Amount: engine.Chips(k.Amount)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if turn := p.turns[k.Seat]; k.Prompt == promptOf(turn) {
		r.Turn = turn
	}
	return r, true
}
