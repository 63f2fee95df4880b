package history

import (
	"fmt"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// PHH is the hand as a record, with replay.Code for its variant. Played again by the same house it ends with the same
// stacks, whoever the reader was. The error says why there is no record: the hand is still in play, or, wrapping
// ErrUnsupported, what happened in it that the format cannot say: it was called off, some corrections were made, or a seat was
// short of an ante in a hand with dead money.
func (h *Hand) PHH() (phh.Hand, error) {
	if err := h.finished(corrections); err != nil {
		return phh.Hand{}, err
	}
	r := h.Rules
	out := phh.Hand{
		Scale:   1,
		Variant: replay.Code(r.Game, r.Limit),
		Number:  fmt.Sprint(h.Number), Table: h.Table, SeatCount: int64(h.Seats),
		Rake: phh.Amount(h.Rake()), House: r.House.Name, Chip: phh.Amount(r.Stakes.Chip),
	}
	if r.Game.BringIn {
		out.BringIn = phh.Amount(r.Stakes.BringIn)
	}
	switch {
	case r.Game.Banked():
	case r.Limit == engine.FixedLimit:
		out.SmallBet, out.BigBet = phh.Amount(r.Stakes.SmallBet), phh.Amount(r.Stakes.BigBet)
	case r.Limit == engine.SpreadLimit:
		for i, most := range r.Stakes.Spread {
			out.Spread[i] = phh.Amount(most)
		}
		fallthrough
	default:
		if out.MinBet = phh.Amount(r.Stakes.MinBet); out.MinBet == 0 {
			out.MinBet = phh.Amount(max(r.Stakes.BigBlind, r.Stakes.BringIn))
		}
	}
	if n, _ := fmt.Sscanf(h.Start, "%4d-%2d-%2dT%8s", &out.Year, &out.Month, &out.Day, &out.Time); n == 4 {
		out.TimeZone = "UTC"
	}
	for _, p := range h.Players {
		out.Seats = append(out.Seats, int64(p.Seat))
		out.Players = append(out.Players, p.Name)
		out.StartingStacks = append(out.StartingStacks, phh.Amount(p.Start))
		out.FinishingStacks = append(out.FinishingStacks, phh.Amount(p.Finish))
		out.Winnings = append(out.Winnings, phh.Amount(p.Won))
	}
	if err := h.forced(&out); err != nil {
		return phh.Hand{}, err
	}
	w := recorder{hand: h, state: h.before, dealt: make([][]card.Card, len(h.Players))}
	for _, e := range h.record() {
		w.event(e)
	}
	out.Actions, out.Carousel = w.actions, w.state.Powers.Carousel.String()
	if r.Game.Banked() {
		out.Bank = w.state.Seats[0].Hole.Slice()
	}
	return out, nil
}

// forced writes antes, blinds and posts down. An ante is what the seat paid, dead posts among it; a blind is its full size,
// whatever the seat had left.
func (h *Hand) forced(out *phh.Hand) error {
	n := len(h.Players)
	if h.Rules.Game.Banked() {
		for _, p := range h.Players {
			at := &h.before.Seats[p.Seat]
			out.Antes, out.BonusBets = append(out.Antes, phh.Amount(at.Ante)), append(out.BonusBets, phh.Amount(at.Bonus))
		}
		return nil
	}
	antes, blinds := make([]phh.Amount, n), make([]phh.Amount, n)
	own := make([]phh.Amount, n) // antes that are the seat's own bet
	out.AnteTrimming = true
	for _, e := range h.record() {
		i := h.index(e.Seat)
		if n == 2 {
			i = 1 - i // listed the other way round
		}
		switch e.Kind {
		case engine.AntePosted, engine.DeadPosted:
			antes[i] += phh.Amount(e.Amount)
			if e.Dead || e.Kind == engine.DeadPosted {
				out.AnteTrimming = false
			} else {
				own[i] += phh.Amount(e.Amount)
			}
		case engine.BlindPosted:
			blinds[i] = phh.Amount(e.To)
			if e.Live {
				blinds[i] = -blinds[i]
			}
		}
	}
	for _, a := range own {
		if !out.AnteTrimming && a != own[0] {
			return fmt.Errorf("hand %d: a seat was short of its ante beside dead money, which the format has no words for: %w", h.Number, ErrUnsupported)
		}
	}
	out.Antes = antes
	if !h.Rules.Game.BringIn {
		out.Blinds = blinds
	}
	return nil
}

// recorder turns events into the actions of a record.
type recorder struct {
	hand    *Hand
	state   engine.State
	actions []phh.Action
	// dealt and board are cards dealt since the last action. A record tells a street's cards player by player.
	dealt [][]card.Card
	board []card.Card
	// shown are the seats that showed before they had all of their cards. They are written down when they have.
	shown []engine.Seat
}

func (w *recorder) event(e engine.Event) {
	w.state = engine.Replay(w.state, []engine.Event{e})
	switch e.Kind {
	case engine.HoleDealt, engine.HandShown:
		if e.Seat == 0 { // the house's are no player's
			return
		}
	}
	switch e.Kind {
	case engine.HoleDealt:
		i := w.hand.index(e.Seat)
		w.dealt[i] = append(w.dealt[i], e.Card)
	case engine.BoardDealt:
		w.board = append(w.board, e.Card)
	case engine.CardsDiscarded:
		w.act(e, phh.Discard, e.Cards.Slice())
	case engine.PlayerActed:
		kind := map[engine.Action]phh.Kind{
			engine.Fold: phh.Fold, engine.Check: phh.CheckCall, engine.Call: phh.CheckCall, engine.Split: phh.Split,
			engine.Bet: phh.BetRaise, engine.Raise: phh.BetRaise, engine.BringIn: phh.BringIn,
		}[e.Action]
		if at := &w.state; kind == phh.Fold && at.Rules.Game.BringIn && at.Street == 0 && at.Bet == 0 {
			kind = phh.CutOff // nobody else may, who must bring in (NX-13)
		}
		w.act(e, kind, nil)
	case engine.PlayerProtected:
		w.act(e, phh.CutOff, nil)
	case engine.PowerPlayed:
		w.power(e)
	case engine.HandShown:
		if w.moreToCome() {
			w.shown = append(w.shown, e.Seat)
			return
		}
		w.act(e, phh.ShowOrMuck, e.Cards.Slice())
	case engine.HandMucked:
		w.act(e, phh.ShowOrMuck, nil)
	case engine.HandEnded:
		w.flush()
		for _, seat := range w.shown {
			w.act(engine.Event{Seat: seat}, phh.ShowOrMuck, w.state.Seats[seat].Hole.Slice())
		}
	}
}

// moreToCome reports whether a later street changes the hands.
func (w *recorder) moreToCome() bool {
	for _, st := range w.hand.Rules.Game.Streets[w.state.Street+1:] {
		if st.Down+st.Up+st.Draw > 0 {
			return true
		}
	}
	return false
}

func (w *recorder) power(e engine.Event) {
	w.flush()
	a := phh.Action{Player: w.hand.index(e.Seat)}
	switch e.Power {
	case engine.Peek:
		a.Kind, a.Cards = phh.Peek, []card.Card{e.Card}
	case engine.Swap:
		a.Kind, a.Cards = phh.Swap, []card.Card{e.Card}
	case engine.Anchor:
		a.Kind, a.Target = phh.Anchor, w.hand.index(e.Target)
	default:
		a.Kind = phh.Shield
	}
	w.actions = append(w.actions, a)
}

func (w *recorder) act(e engine.Event, kind phh.Kind, cards []card.Card) {
	w.flush()
	a := phh.Action{Kind: kind, Player: w.hand.index(e.Seat), Cards: cards}
	if kind == phh.BetRaise {
		a.Amount = phh.Amount(e.To)
	}
	w.actions = append(w.actions, a)
}

// flush writes down the cards dealt since the last action.
func (w *recorder) flush() {
	for i, cards := range w.dealt {
		if len(cards) > 0 {
			w.actions = append(w.actions, phh.Action{Kind: phh.DealHole, Player: i, Cards: cards})
		}
		w.dealt[i] = nil
	}
	if len(w.board) > 0 {
		w.actions = append(w.actions, phh.Action{Kind: phh.DealBoard, Player: phh.Dealer, Cards: w.board})
	}
	w.board = nil
}
