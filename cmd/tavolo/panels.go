package main

import (
	"slices"
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
	nodes map[bridge.Addr]engine.Seat // of the seat bus
	units engine.Chips                // chips in one of the currency

	won [engine.MaxSeats + 1]engine.Chips // in the hand in play or the last one; of the table's goroutine

	mu    sync.Mutex // over what the parts are told, too
	parts map[engine.Seat][]part
	faces map[engine.Seat]*face
}

// part is something that shows players what concerns a seat.
type part interface {
	// show shows a seat's face, and fills in what it alone knows of it. It does not wait. One goroutine calls it at a time.
	show(engine.Seat, *face)
}

// face is what a seat's panel shows.
type face struct {
	seatnode.Panel
	turn   uint64 // by its token
	amount int64  // prepared at a panel that is wired to the board
}

// ask is the decision that the panel asks for.
func (f *face) ask() bridge.Ask {
	b := f.Bet
	return bridge.Ask{Prompt: f.Prompt, Start: uint64(b.Start), Min: uint64(b.Min), Max: uint64(b.Max), Step: uint64(b.Step)}
}

func newPanels(cfg *Config) *panels {
	p := &panels{nodes: map[bridge.Addr]engine.Seat{}, parts: map[engine.Seat][]part{}, faces: map[engine.Seat]*face{}, units: cfg.units()}
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
		f := &face{turn: u.Turn}
		text := display.SeatText(view, seat, display.SeatNote{Won: p.won[seat], Units: p.units, Thrown: u.Thrown})
		copy(f.Lines[:], strings.Split(text, "\n"))
		a := u.State.Awaits()
		f.Lit = bridge.LampOf(bridge.KeySit)
		if a.Asked() == seat {
			offer(&f.Panel, &a, u.State.Rules.Stakes.BigBlind)
			f.Prompt = promptOf(u.Turn)
		}
		if least, most := stakes(&u.State, seat); most > 0 {
			f.turn = controller.StakeTurn(u.Turn)
			f.Lit |= bridge.LampOf(bridge.KeyBet)
			f.Bet = seatnode.Bet{Start: int64(least), Min: int64(least), Max: int64(most), Step: int64(least)}
			f.Prompt = promptOf(f.turn)
		}
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

// stakes are the least and the most that a seat which has none may put down now against the house; 0 where it may not.
func stakes(s *engine.State, seat engine.Seat) (least, most engine.Chips) {
	p, st := &s.Seats[seat], &s.Rules.Stakes
	if !s.Rules.Game.Banked() || s.Phase != engine.Between || !p.Taken || p.Out || p.Ante > 0 {
		return 0, 0
	}
	if most = min(st.MaxAnte, p.Stack/engine.Chips(1+s.Rules.Game.Streets[0].Wager)); most < st.MinAnte {
		return 0, 0
	}
	return st.MinAnte, most
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
	if l.BringIn == 0 && !l.NoFold {
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

// press is a key that went down or came up at a seat.
type press struct {
	Key    bridge.Key
	Down   bool
	Prompt uint8
	Amount int64
}

// request is what a key press asks for. A press that answered an earlier turn carries no token, and is refused.
func (p *panels) request(seat engine.Seat, k press) (controller.Request, bool) {
	verb := verbs[k.Key]
	if !k.Down || verb == "" {
		return controller.Request{}, false
	}
	r := controller.Request{From: controller.Source{Panel: seat}, Verb: verb, Amount: engine.Chips(k.Amount)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.faces[seat]; f != nil && k.Prompt == promptOf(f.turn) {
		r.Turn = f.turn
	}
	return r, true
}
