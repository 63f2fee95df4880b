package replay_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// TestRandomHandsReplay plays random hands by the rules, writes them down as records, and replays the text: it must end with
// the same stacks, though a record tells positions, blinds and hands shown in another way than the table did.
func TestRandomHandsReplay(t *testing.T) {
	codes := map[string]struct {
		game  string
		limit engine.Limit
	}{"NT": {"holdem", engine.NoLimit}, "FT": {"holdem", engine.FixedLimit}, "PO": {"omaha", engine.PotLimit}}
	rapid.Check(t, func(rt *rapid.T) {
		code := rapid.SampledFrom([]string{"NT", "FT", "PO"}).Draw(rt, "variant")
		game, err := engine.GameNamed(codes[code].game)
		if err != nil {
			rt.Fatal(err)
		}
		w := writer{
			state: engine.State{Rules: &engine.Rules{
				Game: game, Limit: codes[code].limit, House: tda(t),
				Stakes: engine.Stakes{SmallBlind: 5, BigBlind: 10, SmallBet: 10, BigBet: 20, Ante: rapid.SampledFrom([]engine.Chips{0, 3}).Draw(rt, "ante")},
			}},
			hand: phh.Hand{Scale: 1, Variant: code, AnteTrimming: true},
		}
		if code == "FT" {
			w.hand.SmallBet, w.hand.BigBet = 10, 20
		} else {
			w.hand.MinBet = 10
		}
		for seat := range engine.Seat(rapid.IntRange(2, engine.MaxSeats).Draw(rt, "players")) {
			w.put(rt, engine.Input{Kind: engine.SeatTaken, Seat: seat + 1, Amount: engine.Chips(rapid.IntRange(1, 300).Draw(rt, "stack"))})
		}
		for w.put(rt, engine.Input{Kind: engine.HandStarted}); w.state.Phase != engine.Between; {
			w.put(rt, randomAnswer(rt, &w.state))
		}
		for _, seat := range w.seats {
			w.hand.FinishingStacks = append(w.hand.FinishingStacks, phh.Amount(w.state.Seats[seat].Stack))
		}
		text := phh.Format(w.hand)
		back := hands(t, "random", text)
		if diffs, err := replay.Play(&back[0], tda(t)); err != nil || len(diffs) > 0 {
			rt.Fatalf("%v, %+v\n%s", err, diffs, text)
		}
	})
}

// writer plays a hand and writes it down.
type writer struct {
	state engine.State
	hand  phh.Hand
	seats []engine.Seat // by player
}

func (w *writer) put(t *rapid.T, in engine.Input) {
	s, events, err := engine.Apply(w.state, in)
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	for _, e := range events {
		w.note(e)
	}
	w.state = s
}

func (w *writer) note(e engine.Event) {
	h := &w.hand
	player := slices.Index(w.seats, e.Seat)
	act := func(kind phh.Kind, cards ...card.Card) {
		h.Actions = append(h.Actions, phh.Action{Kind: kind, Player: player, Cards: cards, Amount: phh.Amount(e.To)})
	}
	switch e.Kind {
	case engine.HandBegan:
		for i := range engine.Seat(engine.MaxSeats) {
			if seat := (e.Button+i)%engine.MaxSeats + 1; e.Dealt.Has(seat) {
				w.seats = append(w.seats, seat)
				h.StartingStacks = append(h.StartingStacks, phh.Amount(w.state.Seats[seat].Stack))
				h.Antes = append(h.Antes, phh.Amount(w.state.Rules.Stakes.Ante))
				h.Blinds = append(h.Blinds, 0)
			}
		}
		h.Blinds[0], h.Blinds[1] = 5, 10 // listed the small one first even where the button has it
	case engine.HoleDealt:
		act(phh.DealHole, e.Card)
	case engine.BoardDealt:
		player = phh.Dealer
		act(phh.DealBoard, e.Card)
	case engine.PlayerActed:
		act(map[engine.Action]phh.Kind{
			engine.Fold: phh.Fold, engine.Check: phh.CheckCall, engine.Call: phh.CheckCall,
			engine.Bet: phh.BetRaise, engine.Raise: phh.BetRaise,
		}[e.Action])
	case engine.HandShown:
		act(phh.ShowOrMuck, e.Cards.Slice()...)
	case engine.HandMucked:
		act(phh.ShowOrMuck)
	}
}

// randomAnswer gives the table what it awaits.
func randomAnswer(t *rapid.T, s *engine.State) engine.Input {
	a := s.Awaits()
	in := engine.Input{Kind: engine.Acted, Seat: a.Seat}
	switch a.Kind {
	case engine.AwaitAction:
	case engine.AwaitReveal:
		in.Kind = engine.Shown
		if a.MayMuck && rapid.Bool().Draw(t, "muck") {
			in.Kind = engine.Mucked
		}
		return in
	case engine.AwaitBurn:
		return engine.Input{Kind: engine.CardRead, Card: card.Hidden}
	default:
		left := (s.Rules.Game.Deck &^ s.Out).Cards()
		return engine.Input{Kind: engine.CardRead, Card: rapid.SampledFrom(left).Draw(t, "card")}
	}
	l := a.Legal
	switch n := rapid.IntRange(0, 9).Draw(t, "action"); {
	case n == 0:
		in.Action = engine.Fold
	case n <= 2 && l.AllIn > 0:
		in.Action = engine.AllIn
	case n <= 5 && l.Raise:
		in.Action = engine.Raise
		if l.Opens {
			in.Action = engine.Bet
		}
		in.Amount = rapid.SampledFrom([]engine.Chips{l.MinTo, l.MaxTo}).Draw(t, "to")
	case l.Check:
		in.Action = engine.Check
	default:
		in.Action = engine.Call
	}
	return in
}
