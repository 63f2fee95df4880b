package engine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
)

// TestRandomPlayWithPowers plays hands with powers, legal and not, from a shoe that can be read ahead. What must hold is
// checked by table.apply after every input.
func TestRandomPlayWithPowers(t *testing.T) { rapid.Check(t, playWithPowers) }

// FuzzPowers is TestRandomPlayWithPowers driven by a fuzzer's bytes.
func FuzzPowers(f *testing.F) { f.Fuzz(rapid.MakeFuzz(playWithPowers)) }

func playWithPowers(t *rapid.T) {
	rules := &engine.Rules{
		Limit:  rapid.SampledFrom([]engine.Limit{engine.NoLimit, engine.PotLimit, engine.FixedLimit}).Draw(t, "limit"),
		House:  rapid.SampledFrom(engine.Houses).Draw(t, "house"),
		Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2, SmallBet: 2, BigBet: 4},
		Powers: engine.Naiko,
	}
	rules.Game = rapid.SampledFrom(gamesWithPowers(*rules)).Draw(t, "game")
	pt := &powerTable{table: newTable(t, rules), t: t}
	most := (rules.Game.Deck.Len() - 8) / rules.Game.Streets[0].Down // so that board and burns are left
	seats := rapid.IntRange(2, min(9, most)).Draw(t, "seats")
	for seat := range engine.Seat(seats) {
		pt.take(engine.Input{Kind: engine.SeatTaken, Seat: seat + 1, Amount: engine.Chips(rapid.IntRange(1, 400).Draw(t, "stack"))})
	}
	for range rapid.IntRange(1, 6).Draw(t, "hands") {
		pt.playHand(rapid.Bool().Draw(t, "faces unknown"))
		seat := engine.Seat(rapid.IntRange(1, seats).Draw(t, "changes"))
		pt.take(engine.Input{Kind: engine.SeatLeft, Seat: seat})
		pt.take(engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: 100})
	}
}

// gamesWithPowers are the games that rules with powers may be for.
func gamesWithPowers(rules engine.Rules) (games []*engine.Game) {
	for _, g := range engine.Games {
		if rules.Game = g; rules.Validate() == nil {
			games = append(games, g)
		}
	}
	return games
}

// powerTable is a table played with powers, and its shoe, which can be read ahead.
type powerTable struct {
	*table
	t    *rapid.T
	shoe []card.Card // the next card first
	hole map[engine.Seat][]card.Card
}

// playHand plays one hand to its end.
func (pt *powerTable) playHand(faceless bool) {
	t := pt.t
	pt.shoe = rapid.Permutation(pt.State.Rules.Game.Deck.Cards()).Draw(t, "shoe")
	carousel := rapid.SampledFrom(engine.Naiko.Carousels).Draw(t, "carousel")
	if !pt.take(engine.Input{Kind: engine.HandStarted, Carousel: carousel}) {
		return
	}
	for n := 0; pt.State.Phase != engine.Between; n++ {
		if n > maxInputs {
			t.Fatalf("the hand does not end")
		}
		switch dice := rapid.IntRange(0, 19).Draw(t, "what"); {
		case dice == 19:
			pt.take(pt.anyInput())
		case dice >= 12:
			pt.take(pt.anyPower())
		case dice == 11 && rapid.IntRange(0, 3).Draw(t, "ruling") == 3:
			pt.take(pt.anyRuling())
		default:
			if in := pt.answer(faceless); !pt.take(in) {
				t.Fatalf("%+v is awaited, but %+v is refused", pt.State.Awaits(), in)
			}
		}
	}
}

// answer gives the table what it awaits.
func (pt *powerTable) answer(faceless bool) engine.Input {
	t, a := pt.t, pt.State.Awaits()
	switch a.Kind {
	case engine.AwaitAction:
		in := engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.Check}
		dice := rapid.IntRange(0, 9).Draw(t, "action")
		switch {
		case dice == 9 && !a.Legal.Check:
			in.Action = engine.Fold
		case dice == 8:
			return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
		case dice >= 6 && a.Legal.Raise:
			in.Action, in.Amount = engine.Raise, rapid.SampledFrom([]engine.Chips{a.Legal.MinTo, a.Legal.MaxTo}).Draw(t, "to")
			if a.Legal.Opens {
				in.Action = engine.Bet
			}
		case !a.Legal.Check:
			in.Action = engine.Call
		}
		return in
	case engine.AwaitShield:
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case engine.AwaitReveal:
		in := engine.Input{Kind: engine.Shown, Seat: a.Seat}
		if !pt.State.Seats[a.Seat].Known() {
			in.Cards = engine.CardsOf(pt.hole[a.Seat]...)
		}
		return in
	}
	c := pt.shoe[0]
	if faceless && a.Kind != engine.AwaitBoard && rapid.Bool().Draw(t, "hidden") {
		c = card.Hidden
	}
	return engine.Input{Kind: engine.CardRead, Card: c}
}

// nextBoard is the next community card, as a shoe that reads ahead tells it; unread where the shoe has none left.
func (pt *powerTable) nextBoard() card.Card {
	next := 0
	if pt.State.Rules.House.Burn {
		next = 1
	}
	if next >= len(pt.shoe) {
		return card.Hidden
	}
	return pt.shoe[next]
}

// anyPower tries a power, mostly of a seat that might.
func (pt *powerTable) anyPower() engine.Input {
	t := pt.t
	seat := engine.Seat(rapid.IntRange(1, 9).Draw(t, "seat"))
	if a := pt.State.Awaits(); a.Seat != 0 && rapid.IntRange(0, 4).Draw(t, "in turn") > 0 {
		seat = a.Seat
	}
	in := engine.Input{Kind: engine.PowerUsed, Seat: seat, Power: rapid.SampledFrom([]engine.Power{
		engine.Peek, engine.Swap, engine.Anchor, engine.Shield, 0, engine.Shield + 1,
	}).Draw(t, "power")}
	switch in.Power {
	case engine.Peek:
		in.Card = pt.nextBoard()
	case engine.Swap:
		if hole := pt.hole[seat]; len(hole) > 0 {
			in.Card = rapid.SampledFrom(hole).Draw(t, "thrown away")
		}
	case engine.Anchor:
		in.Target = engine.Seat(rapid.IntRange(-1, engine.MaxSeats+1).Draw(t, "target"))
	case engine.Shield:
		if rapid.Bool().Draw(t, "accept") {
			return engine.Input{Kind: engine.AnchorAccepted, Seat: seat}
		}
	}
	return in
}

// anyRuling is one of the floor's: a hand called off or declared dead, or a card set aside, as long as there are enough.
func (pt *powerTable) anyRuling() engine.Input {
	in := engine.Input{Kind: engine.HandKilled, Reason: "boxed"}
	switch dice := rapid.IntRange(0, 9).Draw(pt.t, "which"); {
	case dice == 9:
		in.Kind = engine.HandVoided
	case dice >= 6 && len(pt.shoe) > 8:
		in.Kind, in.Card = engine.SetAside, pt.shoe[0]
	default:
		in.Seat = engine.Seat(rapid.IntRange(1, 9).Draw(pt.t, "seat"))
	}
	return in
}

// anyInput is nonsense, or close to it; nothing that a shoe or a dealer does.
func (pt *powerTable) anyInput() engine.Input {
	t := pt.t
	return engine.Input{
		Kind: rapid.SampledFrom([]engine.InputKind{
			engine.PowerUsed, engine.AnchorAccepted, engine.Acted, engine.ClockRanOut, engine.HandStarted,
		}).Draw(t, "kind"),
		Seat:     engine.Seat(rapid.IntRange(-1, engine.MaxSeats+1).Draw(t, "seat")),
		Power:    engine.Power(rapid.IntRange(0, int(engine.Shield)).Draw(t, "power")),
		Target:   engine.Seat(rapid.IntRange(-1, engine.MaxSeats+1).Draw(t, "target")),
		Carousel: engine.PowerSet(2 * rapid.IntRange(0, 15).Draw(t, "carousel")),
		Amount:   engine.Chips(rapid.IntRange(0, 500).Draw(t, "amount")),
		Action:   engine.Action(rapid.IntRange(0, int(engine.AllIn)).Draw(t, "action")),
	}
}

// take puts an input to the table, which checks it, moves the cards of the shoe as its events say, and reports whether it was
// taken.
func (pt *powerTable) take(in engine.Input) bool {
	events, err := pt.apply(in)
	if err != nil {
		return false
	}
	if in.Kind == engine.PowerUsed || in.Kind == engine.HandStarted {
		again[engine.Input](pt.t, in, nil)
	}
	for i := range events {
		pt.follow(&events[i])
	}
	pt.checkPeeked()
	return true
}

// follow takes the next card out of the shoe, or one away from a seat.
func (pt *powerTable) follow(e *engine.Event) {
	switch e.Kind {
	case engine.HandBegan:
		pt.hole = map[engine.Seat][]card.Card{}
	case engine.PowerPlayed:
		if i := slices.Index(pt.hole[e.Seat], e.Card); e.Power == engine.Swap {
			pt.hole[e.Seat] = slices.Delete(pt.hole[e.Seat], i, i+1)
		}
	case engine.HoleDealt, engine.CardBurned, engine.BoardDealt, engine.CardSetAside:
		if e.Kind == engine.HoleDealt {
			pt.hole[e.Seat] = append(pt.hole[e.Seat], pt.shoe[0])
		}
		pt.shoe = pt.shoe[1:]
	}
}

// checkPeeked checks that whoever has peeked the next community card, and nobody else, is told of it, as long as it is to come.
func (pt *powerTable) checkPeeked() {
	for viewer := engine.Seat(0); viewer <= engine.MaxSeats; viewer++ {
		want := pt.Peeked(viewer)
		told := card.None
		for _, seat := range engine.ViewFor(pt.State, engine.Viewer{Seat: viewer}).Seats {
			told = max(told, seat.Peeked)
		}
		if told != want {
			pt.t.Fatalf("seat %d is told that %v comes next, it has peeked %v", viewer, told, want)
		}
		next := pt.nextBoard()
		if pt.State.Awaits().Kind == engine.AwaitBoard { // the burn is made
			next = pt.shoe[0]
		}
		if want != card.None && want != next {
			pt.t.Fatalf("seat %d has peeked %v, %v comes next", viewer, want, next)
		}
	}
}
