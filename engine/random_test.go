package engine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
)

// maxInputs is more than any hand of randomPlay takes, maxPassive more than one takes in which nobody bets any more: the
// cards of ten seats and a board with burns, four decisions and a reveal a seat.
const (
	maxInputs  = 2000
	maxPassive = 48 + 4*engine.MaxSeats + engine.MaxSeats
)

// TestRandomPlay plays hands in a row at random tables, with legal and illegal inputs, short stacks, cards nobody knows,
// and seats that come, go, sit out and come back. What must hold is checked by table.apply after every input.
func TestRandomPlay(t *testing.T) { rapid.Check(t, randomPlay) }

// FuzzPlay is TestRandomPlay driven by a fuzzer's bytes.
func FuzzPlay(f *testing.F) { f.Fuzz(rapid.MakeFuzz(randomPlay)) }

func randomPlay(rt *rapid.T) {
	rules := randomRules(rt)
	if err := rules.Validate(); err != nil {
		rt.Fatalf("%+v: %v", rules, err)
	}
	tb := newTable(rt, rules)
	for range rapid.IntRange(2, engine.MaxSeats).Draw(rt, "seats") {
		tb.apply(randomArrival(rt, rules))
	}
	for range rapid.IntRange(1, 5).Draw(rt, "hands") {
		for range rapid.IntRange(0, 4).Draw(rt, "changes") {
			tb.apply(randomChange(rt, rules))
		}
		tb.apply(randomStart(rt, tb))
		for n := 0; tb.state.Phase != engine.Between; n++ {
			if n > maxInputs {
				rt.Fatalf("the hand does not end")
			}
			if rapid.IntRange(0, 99).Draw(rt, "everybody leaves") == 0 {
				runDown(rt, tb)
				break
			}
			if rapid.IntRange(0, 9).Draw(rt, "stray") == 0 {
				tb.apply(randomInput(rt))
			} else {
				tb.apply(randomAnswer(rt, tb))
			}
		}
	}
}

// runDown ends a hand without anybody deciding anything.
func runDown(t *rapid.T, tb *table) {
	for n := 0; tb.state.Phase != engine.Between; n++ {
		if n > maxPassive {
			t.Fatalf("the hand does not end when all let their time run out")
		}
		in := randomAnswer(t, tb)
		if a := tb.state.Awaits(); a.Kind == engine.AwaitAction {
			in = engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
		}
		if _, err := tb.apply(in); err != nil {
			t.Fatalf("%+v is awaited, but %+v is refused: %v", tb.state.Awaits(), in, err)
		}
	}
}

// TestBlindsGoRound lets seats come and go between hands: nobody who plays on is passed by or has the big blind twice
// running, nobody has more big blinds than another, and button and blinds sit in order (TD-01, TC-16, NX-40).
func TestBlindsGoRound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rules := &engine.Rules{
			Game: gameNamed(t, "holdem"), House: houseNamed(t, "tda"),
			Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2},
		}
		s := engine.State{Rules: rules}
		had := map[engine.Seat]int{} // big blinds since all who play on came in
		var last engine.Event
		for range 30 {
			if rapid.IntRange(0, 2).Draw(rt, "change") > 0 {
				in := randomChange(rt, rules)
				in.Amount = 1000
				if in.Kind != engine.ButtonSet {
					s, _, _ = engine.Apply(s, in)
				}
			}
			next, events, err := engine.Apply(s, engine.Input{Kind: engine.HandStarted})
			if err != nil {
				continue
			}
			now := events[0]
			checkPositions(rt, last, now)
			if stayed := last.Dealt & now.Dealt; stayed != last.Dealt || stayed != now.Dealt {
				clear(had)
			}
			had[now.BigBlind]++
			for _, a := range now.Dealt.List() {
				for _, b := range now.Dealt.List() {
					if had[a] > had[b]+1 {
						rt.Fatalf("seat %d has had %d big blinds, seat %d %d: %+v", a, had[a], b, had[b], now)
					}
				}
			}
			last = now
			for s = next; s.Phase != engine.Between; {
				in := engine.Input{Kind: engine.CardRead, Card: card.Hidden}
				if a := s.Awaits(); a.Kind == engine.AwaitAction {
					in = engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.Fold}
				}
				s, _, _ = engine.Apply(s, in)
			}
		}
	})
}

func checkPositions(t *rapid.T, last, now engine.Event) {
	between := func(a, b engine.Seat) (seats []engine.Seat) {
		for a = a%engine.MaxSeats + 1; a != b; a = a%engine.MaxSeats + 1 {
			seats = append(seats, a)
		}
		return seats
	}
	if last.BigBlind != 0 {
		if now.BigBlind == last.BigBlind {
			t.Fatalf("seat %d has the big blind twice running", now.BigBlind)
		}
		for _, seat := range between(last.BigBlind, now.BigBlind) {
			if now.Dealt.Has(seat) {
				t.Fatalf("the big blind goes from %d to %d, past seat %d", last.BigBlind, now.BigBlind, seat)
			}
		}
	}
	switch {
	case now.Dealt.Len() == 2 && (now.Button != now.SmallBlind || now.SmallBlind == now.BigBlind):
		t.Fatalf("two play: %+v", now)
	case now.Dealt.Len() > 2 && (now.SmallBlind == now.Button || !slices.Contains(between(now.Button, now.BigBlind), now.SmallBlind)):
		t.Fatalf("button and blinds are not in order: %+v", now)
	}
}

func randomRules(t *rapid.T) *engine.Rules {
	house := *engine.Houses[0]
	house.Burn = rapid.Bool().Draw(t, "burn")
	house.RaiseCap = rapid.SampledFrom([]int{0, 3, 4}).Draw(t, "raise cap")
	house.HeadsUpUncapped = rapid.Bool().Draw(t, "heads-up uncapped")
	house.ClippedRaises = rapid.IntRange(0, 4).Draw(t, "clipped raises") == 0
	house.AntesInPot = rapid.Bool().Draw(t, "antes in pot")
	house.HiddenAllIn = rapid.IntRange(0, 4).Draw(t, "hidden all-in") == 0
	big := rapid.SampledFrom([]engine.Chips{2, 10, 25}).Draw(t, "big blind")
	r := &engine.Rules{
		Game:  rapid.SampledFrom([]*engine.Game{engine.Games[0], engine.Games[1]}).Draw(t, "game"),
		Limit: rapid.SampledFrom([]engine.Limit{engine.NoLimit, engine.PotLimit, engine.FixedLimit}).Draw(t, "limit"),
		House: &house,
		Stakes: engine.Stakes{
			SmallBlind: rapid.SampledFrom([]engine.Chips{0, 1, big / 2, big}).Draw(t, "small blind"), BigBlind: big,
			Ante:         rapid.SampledFrom([]engine.Chips{0, 0, 1, 3}).Draw(t, "ante"),
			BigBlindAnte: rapid.SampledFrom([]engine.Chips{0, 0, big}).Draw(t, "big blind ante"),
			Chip:         rapid.SampledFrom([]engine.Chips{0, 1, 5}).Draw(t, "chip"),
			MinBet:       rapid.SampledFrom([]engine.Chips{0, 0, 2 * big}).Draw(t, "minimum bet"),
		},
	}
	if r.Limit == engine.FixedLimit {
		r.Stakes.SmallBet = rapid.SampledFrom([]engine.Chips{big, 2 * big}).Draw(t, "small bet")
		r.Stakes.BigBet = 2 * r.Stakes.SmallBet
	}
	return r
}

// randomStack is a stack from less than a blind to many.
func randomStack(t *rapid.T, rules *engine.Rules) engine.Chips {
	big := int(rules.Stakes.BigBlind)
	most := rapid.SampledFrom([]int{2, big, 4 * big, 20 * big}).Draw(t, "depth")
	return engine.Chips(rapid.IntRange(1, most).Draw(t, "stack"))
}

func randomSeat(t *rapid.T) engine.Seat {
	return engine.Seat(rapid.IntRange(1, engine.MaxSeats).Draw(t, "seat"))
}

func randomArrival(t *rapid.T, rules *engine.Rules) engine.Input {
	return engine.Input{Kind: engine.SeatTaken, Seat: randomSeat(t), Amount: randomStack(t, rules)}
}

// randomChange is something that happens at a table between hands.
func randomChange(t *rapid.T, rules *engine.Rules) engine.Input {
	in := engine.Input{Seat: randomSeat(t), Amount: randomStack(t, rules)}
	in.Kind = rapid.SampledFrom([]engine.InputKind{
		engine.SeatTaken, engine.SeatTaken, engine.ChipsAdded, engine.ChipsAdded, engine.SatOut, engine.SatIn, engine.SatIn,
		engine.BlindAwaited, engine.SeatLeft, engine.ButtonSet,
	}).Draw(t, "change")
	return in
}

// randomStart begins a hand by the rules, or now and then with the forced bets of a record.
func randomStart(t *rapid.T, tb *table) engine.Input {
	in := engine.Input{Kind: engine.HandStarted}
	if rapid.IntRange(0, 9).Draw(t, "recorded") > 0 {
		return in
	}
	f := &engine.Forced{Button: randomSeat(t), DeadAntes: rapid.Bool().Draw(t, "dead antes")}
	f.Rake = rapid.SampledFrom([]engine.Chips{0, 1, 1000}).Draw(t, "rake")
	for seat := range f.Blinds {
		if tb.state.Seats[seat].Taken {
			f.Antes[seat] = rapid.SampledFrom([]engine.Chips{0, 0, 3}).Draw(t, "ante of a seat")
			f.Blinds[seat] = rapid.SampledFrom([]engine.Chips{0, 0, 5, 10, -10}).Draw(t, "blind of a seat")
		}
	}
	in.Forced = f
	return in
}

// randomAnswer gives the table what it awaits.
func randomAnswer(t *rapid.T, tb *table) engine.Input {
	a := tb.state.Awaits()
	if rapid.IntRange(0, 199).Draw(t, "void") == 0 {
		return engine.Input{Kind: engine.HandVoided, Reason: "misdeal"}
	}
	switch a.Kind {
	case engine.AwaitAction:
		return randomAction(t, a)
	case engine.AwaitReveal:
		return randomReveal(t, tb, a)
	}
	if a.Kind != engine.AwaitBoard && rapid.IntRange(0, 3).Draw(t, "hidden") == 0 {
		return engine.Input{Kind: engine.CardRead, Card: card.Hidden}
	}
	return engine.Input{Kind: engine.CardRead, Card: freeCards(t, tb, 1)[0]}
}

// freeCards draws different cards that the table has not seen.
func freeCards(t *rapid.T, tb *table, n int) []card.Card {
	left := (tb.state.Rules.Game.Deck &^ tb.state.Out).Cards()
	return rapid.Permutation(left).Draw(t, "cards")[:n]
}

func randomAction(t *rapid.T, a engine.Await) engine.Input {
	in := engine.Input{Kind: engine.Acted, Seat: a.Seat}
	l := a.Legal
	switch n := rapid.IntRange(0, 19).Draw(t, "action"); {
	case n == 0:
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case n <= 2:
		in.Action = engine.Fold
	case n <= 4 && l.AllIn > 0:
		in.Action = engine.AllIn
	case n <= 10 && l.Raise:
		in.Action = engine.Raise
		if l.Opens {
			in.Action = engine.Bet
		}
		in.Amount = rapid.SampledFrom([]engine.Chips{l.MinTo, l.MinTo, l.MaxTo, (l.MinTo + l.MaxTo) / 2}).Draw(t, "to")
	case l.Check:
		in.Action = engine.Check
	default:
		in.Action = engine.Call
	}
	return in
}

// randomReveal shows a hand, with faces for its unknown cards, or mucks it.
func randomReveal(t *rapid.T, tb *table, a engine.Await) engine.Input {
	p := &tb.state.Seats[a.Seat]
	switch {
	case a.MayMuck && rapid.IntRange(0, 3).Draw(t, "muck") == 0:
		return engine.Input{Kind: engine.Mucked, Seat: a.Seat}
	case p.Known() && rapid.Bool().Draw(t, "leave it to the house"):
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case p.Known():
		return engine.Input{Kind: engine.Shown, Seat: a.Seat}
	}
	cards := p.Hole
	free := freeCards(t, tb, int(p.HoleLen))
	for i := range p.HoleLen {
		if !cards[i].Known() {
			cards[i] = free[i]
		}
	}
	return engine.Input{Kind: engine.Shown, Seat: a.Seat, Cards: cards}
}

// randomInput is anything at all, most of it nonsense.
func randomInput(t *rapid.T) engine.Input {
	return engine.Input{
		Kind:   engine.InputKind(rapid.IntRange(0, 20).Draw(t, "kind")),
		Seat:   engine.Seat(rapid.IntRange(-1, engine.MaxSeats+1).Draw(t, "seat")),
		Card:   card.Card(rapid.IntRange(0, 60).Draw(t, "card")),
		Cards:  engine.CardsOf(card.Card(rapid.IntRange(0, 60).Draw(t, "first")), card.Card(rapid.IntRange(0, 60).Draw(t, "second"))),
		Action: engine.Action(rapid.IntRange(0, int(engine.AllIn)).Draw(t, "action")),
		Amount: engine.Chips(rapid.OneOf(rapid.Int64Range(-1, 60), rapid.Int64()).Draw(t, "amount")),
	}
}
