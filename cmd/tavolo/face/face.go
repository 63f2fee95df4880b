// Package face is what the panel of a seat shows, and what its keys ask of the table, wherever the panel hangs.
//
// [Of] makes a seat's face of what the table says; [Face.Request] makes a request of a key that was pressed before it.
package face

import (
	"strings"

	"tavolo/controller"
	"tavolo/display"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// Face is what a seat's panel shows.
type Face struct {
	seatnode.Panel
	// Turn is the token of what the panel asks for; it is nobody's where the panel asks for nothing.
	Turn uint64
	// Prepared is the amount that a panel which is wired to the board has prepared. Of leaves it to whoever knows.
	Prepared int64
}

// Ask is the decision that the panel asks for.
func (f *Face) Ask() bridge.Ask {
	b := f.Bet
	return bridge.Ask{Prompt: f.Prompt, Start: uint64(b.Start), Min: uint64(b.Min), Max: uint64(b.Max), Step: uint64(b.Step)}
}

// Of is the face of a seat after an update, whose view is that of everybody.
func Of(u *controller.Update, view engine.View, seat engine.Seat, note display.SeatNote) *Face {
	f := &Face{Turn: u.Turn}
	copy(f.Lines[:], strings.Split(display.SeatText(view, seat, note), "\n"))
	a := u.State.Awaits()
	f.Lit = bridge.LampOf(bridge.KeySit)
	if a.Asked() == seat {
		offer(&f.Panel, &a, u.State.Rules.Stakes.BigBlind)
		f.Prompt = PromptOf(u.Turn)
	}
	if least, most := stakes(&u.State, seat); most > 0 {
		f.Turn = controller.StakeTurn(u.Turn)
		f.Lit |= bridge.LampOf(bridge.KeyBet)
		f.Bet = seatnode.Bet{Start: int64(least), Min: int64(least), Max: int64(most), Step: int64(least)}
		f.Prompt = PromptOf(f.Turn)
	}
	return f
}

// verbs are what the keys of a panel ask for.
var verbs = map[bridge.Key]controller.Verb{
	bridge.KeyFold: controller.VerbFold, bridge.KeyCall: controller.VerbCheckCall, bridge.KeyBet: controller.VerbBetRaise,
	bridge.KeyAllIn: controller.VerbAllIn, bridge.KeySit: controller.VerbToggleSit, bridge.KeyShow: controller.VerbShowSplit,
	bridge.KeyMuck: controller.VerbMuck,
}

// Press is a key that went down or came up at a seat.
type Press struct {
	Key    bridge.Key
	Down   bool
	Prompt uint8
	Amount int64
}

// Request is what a key press at a seat asks for, false if for nothing. A press that answered an earlier turn than that of
// the face, which is nil before there was one, carries no token, and is refused.
func (f *Face) Request(seat engine.Seat, k Press) (controller.Request, bool) {
	verb := verbs[k.Key]
	if !k.Down || verb == "" {
		return controller.Request{}, false
	}
	r := controller.Request{From: controller.Source{Panel: seat}, Verb: verb, Amount: engine.Chips(k.Amount)}
	if f != nil && k.Prompt == PromptOf(f.Turn) {
		r.Turn = f.Turn
	}
	return r, true
}

// sizes are the amounts that the encoder goes through. Every one of them is legal: of two sizes both, else whole chips from the first that
// is no less than the least raise, up to the last that is no more than the most. Where there are none between these, as after an odd
// all-in, they are the two. All-in has a key of its own.
func sizes(l *engine.Legal, step engine.Chips) seatnode.Bet {
	least, most := l.MinTo, l.MaxTo
	if chip := max(l.Chip, 1); !l.TwoSizes {
		step += (chip - step%chip) % chip
		least, most = least+(chip-least%chip)%chip, most-most%chip
	}
	if l.TwoSizes || least > most {
		least, most, step = l.MinTo, l.MaxTo, l.MaxTo-l.MinTo
	}
	return seatnode.Bet{Start: int64(least), Min: int64(least), Max: int64(most), Step: int64(max(step, 1))}
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

// PromptOf numbers a turn on a panel: 1 to 255, another one for the next turn.
func PromptOf(turn uint64) uint8 { return uint8(turn%255) + 1 }

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
		show.Lit |= bridge.LampOf(bridge.KeyBet)
		show.Bet = sizes(l, step)
	}
	if l.AllIn > 0 {
		show.Lit |= bridge.LampOf(bridge.KeyAllIn)
	}
}
