package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
)

// TestRandomPlayWithPowers plays hands with powers, legal and not, from a shoe that can be read ahead. What must hold is
// checked by powerTable.apply after every input.
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
	pt := &powerTable{t: t, state: engine.State{Rules: rules}, shadow: engine.State{Rules: rules}, sparks: map[engine.Seat]int{}}
	most := (rules.Game.Deck.Len() - 8) / rules.Game.Streets[0].Down // so that board and burns are left
	seats := rapid.IntRange(2, min(9, most)).Draw(t, "seats")
	for seat := range engine.Seat(seats) {
		pt.apply(engine.Input{Kind: engine.SeatTaken, Seat: seat + 1, Amount: engine.Chips(rapid.IntRange(1, 400).Draw(t, "stack"))})
	}
	for range rapid.IntRange(1, 6).Draw(t, "hands") {
		pt.playHand(rapid.Bool().Draw(t, "faces unknown"))
		seat := engine.Seat(rapid.IntRange(1, seats).Draw(t, "changes"))
		pt.apply(engine.Input{Kind: engine.SeatLeft, Seat: seat})
		pt.apply(engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: 100})
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

// powerTable is a table played with powers: the engine, a shoe, and a bookkeeper that knows the rules of powers in its own
// words.
type powerTable struct {
	t      *rapid.T
	state  engine.State
	shadow engine.State // the same, folded from the events
	shoe   []card.Card  // the next card first
	sparks map[engine.Seat]int

	// of the hand in play
	carousel engine.PowerSet
	used     map[engine.Seat]engine.PowerSet
	acted    engine.Seats // in this round
	aimed    engine.Seats // in this round
	ordinary int          // powers in this round
	inTurn   bool
	turn     engine.Seat
	asked    engine.Seat // who may answer an anchor
	board    int
	hole     map[engine.Seat][]card.Card
	thrown   map[engine.Seat][]card.Card
	ahead    card.Card    // the next community card, where somebody knows it
	peekers  engine.Seats // who does
	shown    engine.Seats
}

// playHand plays one hand to its end.
func (pt *powerTable) playHand(faceless bool) {
	t := pt.t
	pt.shoe = rapid.Permutation(pt.state.Rules.Game.Deck.Cards()).Draw(t, "shoe")
	carousel := rapid.SampledFrom(engine.Naiko.Carousels).Draw(t, "carousel")
	if !pt.apply(engine.Input{Kind: engine.HandStarted, Carousel: carousel}) {
		return
	}
	for n := 0; pt.state.Phase != engine.Between; n++ {
		if n > maxInputs {
			t.Fatalf("the hand does not end")
		}
		switch dice := rapid.IntRange(0, 19).Draw(t, "what"); {
		case dice == 19:
			pt.apply(pt.anyInput())
		case dice >= 12:
			pt.apply(pt.anyPower())
		case dice == 11 && rapid.IntRange(0, 3).Draw(t, "ruling") == 3:
			pt.apply(pt.anyRuling())
		default:
			if in := pt.answer(faceless); !pt.apply(in) {
				t.Fatalf("%+v is awaited, but %+v is refused", pt.state.Awaits(), in)
			}
		}
	}
}

// answer gives the table what it awaits.
func (pt *powerTable) answer(faceless bool) engine.Input {
	t, a := pt.t, pt.state.Awaits()
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
		if !pt.state.Seats[a.Seat].Known() {
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
	if pt.state.Rules.House.Burn {
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
	if a := pt.state.Awaits(); a.Seat != 0 && rapid.IntRange(0, 4).Draw(t, "in turn") > 0 {
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

// apply puts an input to the engine and checks what must hold, and that it was refused if the bookkeeper would refuse it.
func (pt *powerTable) apply(in engine.Input) bool {
	before := pt.state
	after, events, err := engine.Apply(pt.state, in)
	if in.Kind == engine.PowerUsed {
		if may := pt.mayUse(in); may != (err == nil) {
			pt.t.Fatalf("%+v: the bookkeeper says %v, the engine %v\n%+v", in, may, err, before)
		}
		pt.checkOffer(in, err == nil)
	}
	if err != nil {
		var rule *engine.RuleError
		if !errors.As(err, &rule) || rule.Code == "" || after != before || events != nil {
			pt.t.Fatalf("%+v: refused with %#v, and the state is the same: %v", in, err, after == before)
		}
		return false
	}
	pt.state = after
	if pt.shadow = engine.Replay(pt.shadow, events); pt.shadow != after {
		pt.t.Fatalf("the events do not give back the state\nafter %+v: %+v\n%+v\n%+v", in, events, pt.shadow, after)
	}
	for _, e := range events {
		pt.enter(&e)
		again[engine.Event](pt.t, e, nil)
	}
	if in.Kind == engine.PowerUsed || in.Kind == engine.HandStarted {
		again[engine.Input](pt.t, in, nil)
		again[engine.State](pt.t, after, func(s *engine.State) { s.Rules = after.Rules })
	}
	if in.Kind != engine.SeatTaken && in.Kind != engine.SeatLeft && after.Chips() != before.Chips() {
		pt.t.Fatalf("%d chips became %d by %+v", before.Chips(), after.Chips(), in)
	}
	for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
		if got, want := int(after.Seats[seat].Sparks), pt.sparks[seat]; got != want || got < 0 || got > 3 {
			pt.t.Fatalf("seat %d has %d sparks, the books say %d, after %+v", seat, got, want, in)
		}
	}
	pt.checkSecrets(events)
	return true
}

// mayUse says whether a power may be used now, by the rules NK-10 to NK-23.
func (pt *powerTable) mayUse(in engine.Input) bool {
	cost := map[engine.Power]int{engine.Peek: 1, engine.Swap: 2, engine.Anchor: 2, engine.Shield: 1}[in.Power]
	phase := pt.state.Phase
	switch {
	case cost == 0 || in.Seat < 1 || in.Seat > engine.MaxSeats || !pt.carousel.Has(in.Power):
		return false
	case pt.sparks[in.Seat] < cost || pt.used[in.Seat].Has(in.Power):
		return false
	case in.Power == engine.Shield:
		return phase == engine.Answering && pt.asked == in.Seat
	case phase != engine.Betting || pt.turn != in.Seat || pt.inTurn || pt.ordinary >= 3:
		return false
	}
	switch in.Power {
	case engine.Peek:
		return pt.board < 5 && in.Card == pt.nextBoard()
	case engine.Swap:
		burns := 0
		if pt.state.Rules.House.Burn {
			burns = 3
		}
		return pt.board == 0 && !pt.acted.Has(in.Seat) && slices.Contains(pt.hole[in.Seat], in.Card) && len(pt.shoe) > 5+burns
	}
	if in.Target < 1 || in.Target > engine.MaxSeats || in.Target == in.Seat {
		return false
	}
	p := pt.state.Seats[in.Target]
	return pt.state.Live.Has(in.Target) && p.Stack > 0 && !pt.acted.Has(in.Target) && !pt.aimed.Has(in.Target)
}

// checkOffer checks that the panel of the seat to act says what was taken, and nothing that was not.
func (pt *powerTable) checkOffer(in engine.Input, taken bool) {
	if in.Card == card.None && (in.Power == engine.Peek || in.Power == engine.Swap) {
		return // that needs a card
	}
	a := pt.state.Awaits()
	offered := a.Kind == engine.AwaitAction && a.Seat == in.Seat && a.Legal.Powers.Has(in.Power)
	switch in.Power {
	case engine.Anchor:
		offered = offered && in.Target > 0 && in.Target <= engine.MaxSeats && a.Legal.Targets.Has(in.Target)
	case engine.Shield:
		offered = a.Kind == engine.AwaitShield && a.Seat == in.Seat
	}
	if taken != offered {
		pt.t.Fatalf("%+v: taken %v, offered %v: %+v", in, taken, offered, a)
	}
}

// enter takes one event into the books.
func (pt *powerTable) enter(e *engine.Event) {
	switch e.Kind {
	case engine.PlayerSat, engine.PlayerLeft:
		pt.sparks[e.Seat] = 0
	case engine.HandBegan:
		for _, seat := range e.Dealt.List() {
			pt.sparks[seat] = min(3, pt.sparks[seat]+1)
		}
		pt.carousel, pt.used = e.Carousel, map[engine.Seat]engine.PowerSet{}
		pt.hole, pt.thrown = map[engine.Seat][]card.Card{}, map[engine.Seat][]card.Card{}
		pt.board, pt.ahead, pt.peekers, pt.shown = 0, card.None, 0, 0
	case engine.HoleDealt, engine.CardBurned, engine.BoardDealt, engine.CardSetAside:
		pt.draw(e)
	case engine.BettingOpened:
		pt.acted, pt.aimed, pt.ordinary = 0, 0, 0
	case engine.TurnPassed:
		pt.turn, pt.inTurn = e.Seat, false
	case engine.PlayerActed:
		pt.acted = pt.acted.With(e.Seat)
	case engine.HandShown:
		pt.shown = pt.shown.With(e.Seat)
	case engine.AnchorHeld:
		pt.asked = 0
	case engine.PowerPlayed:
		pt.used[e.Seat] = pt.used[e.Seat].With(e.Power)
		pt.sparks[e.Seat] -= int(e.Sparks)
		pt.play(e)
	}
}

// draw takes the next card out of the shoe.
func (pt *powerTable) draw(e *engine.Event) {
	c := pt.shoe[0]
	pt.shoe = pt.shoe[1:]
	if e.Card != c && e.Card != card.Hidden {
		pt.t.Fatalf("%v came out of a shoe with %v on top", e.Card, c)
	}
	switch e.Kind {
	case engine.CardSetAside:
		pt.ahead, pt.peekers = card.None, 0
	case engine.HoleDealt:
		pt.hole[e.Seat] = append(pt.hole[e.Seat], c)
	case engine.BoardDealt:
		pt.board++
		if c == pt.ahead {
			pt.ahead, pt.peekers = card.None, 0
		} else if pt.ahead != card.None {
			pt.t.Fatalf("%v was peeked, %v came", pt.ahead, c)
		}
	}
}

// play enters a power that was used.
func (pt *powerTable) play(e *engine.Event) {
	if e.Power == engine.Shield {
		pt.asked = 0
		return
	}
	pt.ordinary, pt.inTurn = pt.ordinary+1, true
	switch e.Power {
	case engine.Peek:
		pt.ahead, pt.peekers = e.Card, pt.peekers.With(e.Seat)
	case engine.Swap:
		i := slices.Index(pt.hole[e.Seat], e.Card)
		pt.hole[e.Seat] = slices.Delete(pt.hole[e.Seat], i, i+1)
		pt.thrown[e.Seat] = append(pt.thrown[e.Seat], e.Card)
		pt.ahead, pt.peekers = card.None, 0
	case engine.Anchor:
		pt.asked, pt.aimed = e.Target, pt.aimed.With(e.Target)
	}
}

// checkSecrets checks, letter by letter, that nobody is told a card that was peeked by others, thrown away by others or
// dealt to others. Where no card has moved, nothing is new.
func (pt *powerTable) checkSecrets(events []engine.Event) {
	if !slices.ContainsFunc(events, func(e engine.Event) bool { return e.Card != card.None }) {
		return
	}
	for viewer := engine.Seat(0); viewer <= engine.MaxSeats; viewer++ {
		if viewer > 1 && !pt.state.Seats[viewer].Taken {
			continue // sees what the public does
		}
		v := engine.Viewer{Seat: viewer}
		seen := []any{engine.ViewFor(pt.state, v)}
		for _, e := range events {
			seen = append(seen, engine.Redact(e, v))
		}
		text, err := json.Marshal(seen)
		if err != nil {
			pt.t.Fatalf("%v", err)
		}
		var secret []card.Card
		for seat := engine.Seat(1); seat <= 9; seat++ {
			if seat == viewer {
				continue
			}
			secret = append(secret, pt.thrown[seat]...)
			if !pt.shown.Has(seat) {
				secret = append(secret, pt.hole[seat]...)
			}
		}
		if pt.ahead != card.None && !pt.peekers.Has(viewer) {
			secret = append(secret, pt.ahead)
		}
		for _, c := range secret {
			if strings.Contains(string(text), `"`+c.String()) {
				pt.t.Fatalf("a viewer at seat %d sees %v: %s", viewer, c, text)
			}
		}
		knows := pt.ahead != card.None && pt.peekers.Has(viewer) && pt.state.Phase != engine.Between
		if told := strings.Contains(string(text), `"peeked":"`); told != knows {
			pt.t.Fatalf("seat %d is told %v of the next community card, %v: %s", viewer, told, pt.ahead, text)
		}
	}
}
