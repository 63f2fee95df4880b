package engine_test

import (
	"flag"
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/rake"
)

// TestMain has random play run often enough for a test one waits for, unless -rapid.checks says how often. RAPID_CHECKS, whose
// usual number is 100, makes it so many times more or less.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	checks := 40
	if raceEnabled { // which makes it ten times as slow, and there is nothing to find for it
		checks = 10
	}
	if of100, err := strconv.Atoi(os.Getenv("RAPID_CHECKS")); err == nil {
		checks = max(1, checks*of100/100)
	}
	if !given {
		if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// maxInputs is more than any hand of randomPlay takes, maxPassive more than one takes in which nobody bets any more: every
// card of a deck and those of three draws, five decisions and three draws and a reveal a seat.
const (
	maxInputs  = 2000
	maxPassive = 52 + 3*5*engine.MaxSeats + (5+3+1)*engine.MaxSeats
)

// TestRandomPlay plays hands in a row at random tables of every game, with legal and illegal inputs, short stacks, cards
// nobody knows, and seats that come, go, sit out and come back. What must hold is checked by table.apply after every input.
func TestRandomPlay(t *testing.T) {
	for _, game := range engine.Games {
		t.Run(game.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { randomPlay(rt, game) })
		})
	}
}

// FuzzPlay is TestRandomPlay driven by a fuzzer's bytes.
func FuzzPlay(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(rt *rapid.T) {
		randomPlay(rt, pick(rt, "game", engine.Games))
	}))
}

func randomPlay(rt *rapid.T, game *engine.Game) {
	rules := randomRules(rt, game)
	if err := rules.Validate(); err != nil {
		rt.Fatalf("%+v: %v", rules, err)
	}
	tb := newTable(rt, rules)
	for range 2 + dice(rt, "seats", engine.MaxSeats-1) {
		tb.apply(randomArrival(rt, rules))
	}
	for range 1 + dice(rt, "hands", 3) {
		for range dice(rt, "changes", 5) {
			tb.apply(randomChange(rt, rules))
		}
		for range dice(rt, "stakes", 8) {
			in := engine.Input{Kind: engine.Staked, Seat: randomSeat(rt), Amount: randomStack(rt, rules) / 3, Bonus: pick(rt, "bonus bet", []engine.Chips{0, 5})}
			tb.apply(in)
		}
		tb.apply(randomStart(rt, tb))
		for n := 0; tb.State.Phase != engine.Between; n++ {
			if n > maxInputs {
				rt.Fatalf("the hand does not end")
			}
			if dice(rt, "everybody leaves", 400) == 1 {
				runDown(rt, tb)
				break
			}
			switch dice(rt, "what comes", 60) {
			case 1, 2, 3, 4, 5:
				tb.apply(randomInput(rt))
			case 6:
				tb.apply(randomRuling(rt, tb))
			default:
				tb.apply(randomAnswer(rt, tb))
			}
		}
	}
}

// runDown ends a hand without anybody deciding anything.
func runDown(t *rapid.T, tb *table) {
	for n := 0; tb.State.Phase != engine.Between; n++ {
		if n > maxPassive {
			t.Fatalf("the hand does not end when all let their time run out")
		}
		in := randomAnswer(t, tb)
		if a := tb.State.Awaits(); a.Kind == engine.AwaitAction {
			in = engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
		}
		if _, err := tb.apply(in); err != nil {
			t.Fatalf("%+v is awaited, but %+v is refused: %v", tb.State.Awaits(), in, err)
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
			if dice(rt, "change", 3) > 0 {
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

// dice gives a number below sides, each as likely as another. (What rapid draws by itself is a small number more often than
// not, which makes for short hands.) It shrinks to 0, so let 0 be the plainest choice.
func dice(t *rapid.T, what string, sides int) int {
	return rapid.Custom(func(t *rapid.T) int {
		n := 0
		for bit := 1; bit < 8*sides; bit *= 2 {
			if rapid.Bool().Draw(t, "") {
				n += bit
			}
		}
		return n % sides
	}).Draw(t, what)
}

// pick gives one of a list, each as likely as another, and shrinks to the first.
func pick[T any](t *rapid.T, what string, list []T) T { return list[dice(t, what, len(list))] }

// randomRules are rules of some game: any limit, any house with some of its policies changed, any stakes.
func randomRules(t *rapid.T, game *engine.Game) *engine.Rules {
	house := *pick(t, "house", engine.Houses)
	if rapid.Bool().Draw(t, "own policies") {
		house.Burn = rapid.Bool().Draw(t, "burn")
		house.ShortRaise = pick(t, "short raise", []engine.ShortRaise{engine.HalfOrSum, engine.MoreThanHalf, engine.FullOnly})
		house.RaiseCap = pick(t, "raise cap", []int{0, 3, 4})
		house.HeadsUpUncapped = rapid.Bool().Draw(t, "heads-up uncapped")
		house.ClippedRaises = dice(t, "clipped raises", 5) == 1
		house.AntesInPot = rapid.Bool().Draw(t, "antes in pot")
		house.HiddenAllIn = dice(t, "hidden all-in", 5) == 1
		house.LateDrawCannotRaise = rapid.Bool().Draw(t, "late draw cannot raise")
		house.HighCardOddChip = rapid.Bool().Draw(t, "odd chip to the high card")
		house.UnknownUpCards = dice(t, "unknown up cards", 5) == 1
	}
	big := pick(t, "big blind", []engine.Chips{2, 10, 25})
	r := &engine.Rules{
		Game:  game,
		Limit: pick(t, "limit", []engine.Limit{engine.NoLimit, engine.PotLimit, engine.FixedLimit, engine.HalfPot, engine.SpreadLimit}),
		House: &house,
		Stakes: engine.Stakes{
			SmallBlind: pick(t, "small blind", []engine.Chips{0, 1, big / 2, big}), BigBlind: big,
			Ante:         pick(t, "ante", []engine.Chips{0, 0, 1, 3}),
			BigBlindAnte: pick(t, "big blind ante", []engine.Chips{0, 0, big}),
			Chip:         pick(t, "chip", []engine.Chips{0, 1, 5}),
			MinBet:       pick(t, "minimum bet", []engine.Chips{0, 0, 2 * big}),
		},
		Rake: randomRake(t),
	}
	st := &r.Stakes
	if game.Banked() {
		r.Limit, r.Rake = engine.FixedLimit, rake.Row{}
		r.Stakes = engine.Stakes{MinAnte: 2, MaxAnte: pick(t, "most", []engine.Chips{2, 10, 1000}), MinBonus: 1, MaxBonus: pick(t, "most bonus", []engine.Chips{0, 25})}
		return r
	}
	if game.BringIn {
		st.BringIn = pick(t, "bring-in", []engine.Chips{1, big / 2, big})
		if rapid.Bool().Draw(t, "no blinds") {
			st.SmallBlind, st.BigBlind = 0, 0
		}
	}
	switch r.Limit {
	case engine.FixedLimit:
		st.SmallBet = pick(t, "small bet", []engine.Chips{big, 2 * big})
		st.BigBet = 2 * st.SmallBet
	case engine.SpreadLimit:
		most := pick(t, "spread", []engine.Chips{2 * big, 5 * big})
		st.Spread = [3]engine.Chips{most, most + big, 3 * most}
	case engine.NoLimit, engine.PotLimit:
		st.Cap = pick(t, "cap", []engine.Chips{0, 0, 2 * big, 7*big + 1})
	}
	return r
}

// randomRake is nothing, a row of the house noxwin, or one that takes what the law lets it.
func randomRake(t *rapid.T) rake.Row {
	greedy := rake.Row{
		Name: "a tenth", Limits: []string{"fixed"}, Steps: []rake.Step{{Take: 1, Per: 10}},
		Thresholds: []rake.ForPlayers{{From: 2, Amount: 20}, {From: 4, Amount: 50}},
	}
	return pick(t, "rake of the house", append([]rake.Row{{}, greedy}, rake.Noxwin...))
}

// randomStack is a stack from less than a blind to many.
func randomStack(t *rapid.T, rules *engine.Rules) engine.Chips {
	big := int(max(rules.Stakes.BigBlind, rules.Stakes.BringIn, rules.Stakes.MinAnte))
	most := pick(t, "depth", []int{2, big, 4 * big, 20 * big})
	return engine.Chips(1 + dice(t, "stack", most))
}

func randomSeat(t *rapid.T) engine.Seat {
	return engine.Seat(1 + dice(t, "seat", engine.MaxSeats))
}

func randomArrival(t *rapid.T, rules *engine.Rules) engine.Input {
	return engine.Input{Kind: engine.SeatTaken, Seat: randomSeat(t), Amount: randomStack(t, rules)}
}

// randomChange is something that happens at a table between hands.
func randomChange(t *rapid.T, rules *engine.Rules) engine.Input {
	in := engine.Input{Seat: randomSeat(t), Amount: randomStack(t, rules)}
	in.Kind = pick(t, "change", []engine.InputKind{
		engine.SeatTaken, engine.SeatTaken, engine.ChipsAdded, engine.ChipsAdded, engine.SatOut, engine.SatIn, engine.SatIn,
		engine.BlindAwaited, engine.SeatLeft, engine.ButtonSet, engine.StackCorrected, engine.Staked,
	})
	if in.Kind == engine.Staked {
		in.Bonus = pick(t, "bonus bet", []engine.Chips{0, 1, 25, 26})
	}
	in.Reason = "the floor says so"
	return in
}

// randomStart begins a hand by the rules, or now and then with the forced bets of a record.
func randomStart(t *rapid.T, tb *table) engine.Input {
	in := engine.Input{Kind: engine.HandStarted}
	if dice(t, "recorded", 10) != 1 {
		return in
	}
	f := &engine.Forced{Button: randomSeat(t), DeadAntes: rapid.Bool().Draw(t, "dead antes")}
	f.Rake = pick(t, "rake", []engine.Chips{0, 1, 1000})
	for seat := range f.Blinds {
		if tb.State.Seats[seat].Taken {
			f.Antes[seat] = pick(t, "ante of a seat", []engine.Chips{0, 0, 3})
			f.Blinds[seat] = pick(t, "blind of a seat", []engine.Chips{0, 0, 5, 10, -10})
		}
	}
	in.Forced = f
	return in
}

// randomAnswer gives the table what it awaits.
func randomAnswer(t *rapid.T, tb *table) engine.Input {
	a := tb.State.Awaits()
	if dice(t, "void", 400) == 1 {
		return engine.Input{Kind: engine.HandVoided, Reason: "misdeal"}
	}
	switch a.Kind {
	case engine.AwaitAction:
		return randomAction(t, a)
	case engine.AwaitReveal:
		return randomReveal(t, tb, a)
	case engine.AwaitDiscard:
		return randomDiscard(t, tb, a)
	case engine.AwaitReload:
		return engine.Input{Kind: engine.Reloaded}
	}
	if a.Kind != engine.AwaitBoard && !a.Up && dice(t, "hidden", 4) == 1 {
		return engine.Input{Kind: engine.CardRead, Card: card.Hidden}
	}
	free := freeCards(t, tb)
	thrown := tb.State.Seats[a.Seat].Thrown
	own := (thrown &^ tb.State.Out).Len()
	for _, c := range free {
		if a.Kind != engine.AwaitHole || !thrown.Has(c) || tb.State.Rules.Game.Deck.Len()-int(tb.State.Gone) <= own {
			return engine.Input{Kind: engine.CardRead, Card: c}
		}
	}
	return engine.Input{Kind: engine.CardRead, Card: card.Hidden} // the shoe has only cards that nobody knows
}

// randomRuling is a ruling of the floor in a hand.
func randomRuling(t *rapid.T, tb *table) engine.Input {
	kind := pick(t, "ruling", []engine.InputKind{engine.HandKilled, engine.SetAside, engine.Ruled})
	return engine.Input{Kind: kind, Seat: randomSeat(t), Card: append(freeCards(t, tb), card.Hidden)[0], Reason: "the floor says so"}
}

// randomDiscard stands pat, lets the time run out or throws some cards away; for one that nobody knows it may name a face.
func randomDiscard(t *rapid.T, tb *table, a engine.Await) engine.Input {
	p := &tb.State.Seats[a.Seat]
	if dice(t, "no discard in time", 10) == 1 {
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	}
	n := dice(t, "discards", int(a.Of)+1)
	cards := rotated(p.Hole[:p.HoleLen], dice(t, "first to go", int(p.HoleLen)))[:n]
	free := freeCards(t, tb)
	for i := range cards {
		if cards[i] == card.Hidden && rapid.Bool().Draw(t, "name it") {
			cards[i], free = free[0], free[1:]
		}
	}
	return engine.Input{Kind: engine.Discarded, Seat: a.Seat, Cards: engine.CardsOf(cards...)}
}

// freeCards are the cards that the table has not seen, from any one on.
func freeCards(t *rapid.T, tb *table) []card.Card {
	free := (tb.State.Rules.Game.Deck &^ tb.State.Out).Cards()
	return rotated(free, dice(t, "card", max(1, len(free))))
}

func rotated(cards []card.Card, by int) []card.Card {
	return slices.Concat(cards[by:], cards[:by])
}

func randomAction(t *rapid.T, a engine.Await) engine.Input {
	in := engine.Input{Kind: engine.Acted, Seat: a.Seat}
	l := a.Legal
	switch n := dice(t, "action", 20); {
	case n == 19:
		kind := pick(t, "why no action", []engine.InputKind{engine.ClockRanOut, engine.ClockRanOut, engine.Disconnected})
		return engine.Input{Kind: kind, Seat: a.Seat}
	case n >= 17 && l.BringIn == 0:
		in.Action = engine.Fold
	case n >= 15 && l.AllIn > 0:
		in.Action = engine.AllIn
	case n >= 9 && l.Raise:
		in.Action = engine.Raise
		if l.Opens {
			in.Action = engine.Bet
		}
		in.Amount = pick(t, "to", []engine.Chips{l.MinTo, l.MinTo, l.MaxTo, l.Within((l.MinTo + l.MaxTo) / 2)})
	case l.Split && n < 6:
		in.Action = engine.Split
	case l.BringIn > 0:
		in.Action = engine.BringIn
	case l.Check:
		in.Action = engine.Check
	default:
		in.Action = engine.Call
	}
	return in
}

// randomReveal shows a hand, with faces for its unknown cards, or mucks it.
func randomReveal(t *rapid.T, tb *table, a engine.Await) engine.Input {
	p := &tb.State.Seats[a.Seat]
	switch {
	case a.MayMuck && dice(t, "muck", 4) == 1:
		return engine.Input{Kind: engine.Mucked, Seat: a.Seat}
	case p.Known() && rapid.Bool().Draw(t, "leave it to the house"):
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case p.Known():
		return engine.Input{Kind: engine.Shown, Seat: a.Seat}
	}
	cards := p.Hole
	free := freeCards(t, tb)
	for i := range p.HoleLen {
		if !cards[i].Known() {
			cards[i], free = free[0], free[1:]
		}
	}
	return engine.Input{Kind: engine.Shown, Seat: a.Seat, Cards: cards}
}

// randomInput is anything at all, most of it nonsense.
func randomInput(t *rapid.T) engine.Input {
	return engine.Input{
		Kind:   engine.InputKind(rapid.IntRange(0, int(engine.Staked)).Draw(t, "kind")),
		Seat:   engine.Seat(rapid.IntRange(-1, engine.MaxSeats+1).Draw(t, "seat")),
		Card:   card.Card(rapid.IntRange(0, 60).Draw(t, "card")),
		Cards:  engine.CardsOf(card.Card(rapid.IntRange(0, 60).Draw(t, "first")), card.Card(rapid.IntRange(0, 60).Draw(t, "second"))),
		Action: engine.Action(rapid.IntRange(0, int(engine.Split)).Draw(t, "action")),
		Amount: engine.Chips(rapid.OneOf(rapid.Int64Range(-1, 60), rapid.Int64()).Draw(t, "amount")),
	}
}
