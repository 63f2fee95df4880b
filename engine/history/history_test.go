package history_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/history"
	"tavolo/engine/phh"
	"tavolo/engine/rake"
	"tavolo/engine/replay"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var details = history.Details{
	Table: "riga/t7", Start: "2026-11-30T21:04:05Z", Seats: engine.MaxSeats,
	Names: [engine.MaxSeats + 1]string{1: "Alice", 2: "Bruno", 3: "Carla", 4: "Dario"},
}

// TestGoldenHands plays the records in testdata and compares what is written of them; -update writes it anew.
func TestGoldenHands(t *testing.T) {
	files, err := filepath.Glob("testdata/*.phh")
	if err != nil || len(files) == 0 {
		t.Fatalf("no hands: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		record := parse(t, data)
		before, events := play(t, record)
		for _, c := range []struct {
			suffix string
			viewer engine.Viewer
			write  func(*history.Hand) ([]byte, error)
		}{
			{".all.phh.txt", engine.Viewer{All: true}, writePHH},
			{".public.phh.txt", engine.Viewer{}, writePHH},
			{".ohh.json", engine.Viewer{All: true}, (*history.Hand).OHH},
			{".en.txt", engine.Viewer{All: true}, func(h *history.Hand) ([]byte, error) { return []byte(h.Text("en")), nil }},
			{".it.txt", engine.Viewer{}, func(h *history.Hand) ([]byte, error) { return []byte(h.Text("it")), nil }},
		} {
			d := details
			d.Viewer = c.viewer
			h, err := history.New(before, events, d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.write(&h)
			if err != nil {
				got = []byte(err.Error() + "\n")
			}
			compare(t, strings.TrimSuffix(file, ".phh")+c.suffix, got)
			if strings.HasSuffix(c.suffix, ".phh.txt") {
				replays(t, parse(t, got), h.Rules.House)
			}
		}
	}
}

// TestUnfinishedHandHidesItsCards cuts hands short everywhere: whoever reads them sees no face that is not on the table.
func TestUnfinishedHandHidesItsCards(t *testing.T) {
	data, err := os.ReadFile("testdata/soko.phh")
	if err != nil {
		t.Fatal(err)
	}
	before, events := play(t, parse(t, data))
	start := slices.IndexFunc(events, func(e engine.Event) bool { return e.Kind == engine.HandBegan })
	d := details
	d.Viewer = engine.Viewer{All: true}
	for n := start + 1; n < len(events); n++ {
		h, err := history.New(before, events[start:n], d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range h.Events {
			if e.Kind == engine.HoleDealt && !e.Up && e.Card.Known() && !slices.ContainsFunc(h.Players, func(p history.Player) bool { return p.Seat == e.Seat && p.Shown }) {
				t.Fatalf("after %d events %v is told", n, e.Card)
			}
		}
		if text := h.Text("it"); !strings.Contains(text, "La mano è in corso") {
			t.Fatalf("after %d events:\n%s", n, text)
		}
		if _, err := h.PHH(); err == nil {
			t.Fatalf("a record after %d events", n)
		}
		if _, err := h.OHH(); err == nil {
			t.Fatalf("Open Hand History after %d events", n)
		}
	}
}

func TestEventsOfOtherRulesAreRefused(t *testing.T) {
	before, events := engine.State{Rules: &engine.Rules{Game: engine.Games[0], House: engine.Houses[0]}}, []engine.Event{{Kind: engine.HandBegan, Hand: 7, Dealt: 2}}
	americana, err := engine.GameNamed("americana")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		game *engine.Game
		more engine.Event
		want string
	}{
		{engine.Games[0], engine.Event{Kind: engine.StreetOpened, Street: 4}, "hand 7: holdem has no street number 5: the hand was played by other rules"},
		{engine.Games[0], engine.Event{Kind: engine.BettingOpened}, "hand 7: seat 1 has 0 cards, in holdem it would have 2: the hand was played by other rules"},
		{americana, engine.Event{Kind: engine.HoleDealt, Seat: 1, Card: card.MustParse("2c")[0]}, "hand 7: 2c is no card of americana: the hand was played by other rules"},
	} {
		before.Rules = &engine.Rules{Game: c.game, House: engine.Houses[0]}
		if _, err := history.New(before, append(events, c.more), details); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := history.New(before, nil, details); err == nil {
		t.Error("no events are a hand")
	}
}

func writePHH(h *history.Hand) ([]byte, error) {
	out, err := h.PHH()
	return phh.Format(out), err
}

func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: written now:\n%s", file, got)
	}
}

func parse(t *testing.T, data []byte) *phh.Hand {
	t.Helper()
	for h, err := range phh.Parse("hand", data) {
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		return &h
	}
	panic("a file has a hand or an error")
}

// play is what the engine says of a recorded hand.
func play(t *testing.T, record *phh.Hand) (engine.State, []engine.Event) {
	t.Helper()
	sc, err := replay.NewScript(record, houseNamed(t, cmp.Or(record.House, "tda")))
	if err != nil {
		t.Fatal(err)
	}
	before := sc.Start()
	s := before
	var events []engine.Event // from HandBegan on: Start has seated the players
	if _, err := sc.Run(func(in engine.Input) { events, err = engine.Step(&s, in, events) }); err != nil {
		t.Fatal(err)
	}
	return before, events
}

// replays checks that a hand written down ends with the same stacks.
func replays(t interface{ Fatalf(string, ...any) }, record *phh.Hand, house *engine.House) {
	if diffs, err := replay.Play(record, house); err != nil || len(diffs) > 0 {
		t.Fatalf("%v, %+v\n%s", err, diffs, phh.Format(*record))
	}
}

func houseNamed(t interface{ Fatal(...any) }, name string) *engine.House {
	h, err := engine.HouseNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestRandomHands plays hands of every game and limit and writes them in every format, as everybody and as the public may
// read them.
func TestRandomHands(t *testing.T) {
	for _, game := range engine.Games {
		t.Run(game.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				rules := randomRules(rt, game)
				if err := rules.Validate(); err != nil {
					rt.Fatal(err)
				}
				s := randomTable(rt, rules)
				for range rapid.IntRange(1, 2).Draw(rt, "hands") {
					var before engine.State
					events := randomHand(rt, &before, &s)
					if events == nil {
						return
					}
					check(rt, before, events, s)
				}
			})
		})
	}
}

// check holds everything that is written of a hand against the table as it is after it.
func check(t *rapid.T, before engine.State, events []engine.Event, after engine.State) {
	for _, viewer := range []engine.Viewer{{All: true}, {}} {
		d := details
		d.Viewer = viewer
		h, err := history.New(before, events, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range h.Players {
			if got := after.Seats[p.Seat].Stack - before.Seats[p.Seat].Stack - before.Seats[p.Seat].Put; got != p.Finish-p.Start {
				t.Fatalf("seat %d: %d in the end, %d in the beginning, but the stack changed by %d", p.Seat, p.Finish, p.Start, got)
			}
		}
		checkPHH(t, &h)
		checkOHH(t, &h)
		for _, lang := range []string{"en", "it"} {
			if text := h.Text(lang); strings.ContainsAny(text, "{}") {
				t.Fatalf("a placeholder is left over in\n%s", text)
			}
		}
		if viewer == (engine.Viewer{}) {
			checkHidden(t, &h, before, events)
		}
	}
}

// checkPHH writes the record, reads it back and replays it.
func checkPHH(t *rapid.T, h *history.Hand) {
	record, err := h.PHH()
	if err != nil {
		if h.Void || errors.Is(err, history.ErrUnsupported) && (strings.Contains(err.Error(), "dead money") || beyondWords(h.Events)) {
			return
		}
		t.Fatal(err)
	}
	if h.Void {
		t.Fatal("a hand called off was written as a record")
	}
	text := phh.Format(record)
	for back, err := range phh.Parse("random", text) {
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		replays(t, &back, h.Rules.House)
	}
}

// playedLast are the events after the hand was last taken back, all of them if it never was.
func playedLast(events []engine.Event) []engine.Event {
	for i, e := range slices.Backward(events) {
		if e.Kind == engine.HandRewound {
			return events[i+1:]
		}
	}
	return events
}

// beyondWords reports whether something happened that a record cannot say.
func beyondWords(events []engine.Event) bool {
	for _, e := range playedLast(events) {
		switch e.Kind {
		case engine.HandDeclaredDead, engine.HandRetrieved, engine.CardExposed, engine.CardTurned, engine.CardMissed,
			engine.BoardCorrected, engine.ButtonMoved:
			return true
		}
	}
	return false
}

// checkOHH adds up what the JSON says.
func checkOHH(t *rapid.T, h *history.Hand) {
	data, err := h.OHH()
	if errors.Is(err, history.ErrUnsupported) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Hand struct {
			Players []struct {
				ID    int   `json:"id"`
				Stack int64 `json:"starting_stack"`
			} `json:"players"`
			Rounds []struct {
				ID      int    `json:"id"`
				Street  string `json:"street"`
				Actions []struct {
					Number int    `json:"action_number"`
					Player int    `json:"player_id"`
					Action string `json:"action"`
					Amount int64  `json:"amount"`
					AllIn  bool   `json:"is_allin"`
				} `json:"actions"`
			} `json:"rounds"`
			Pots []struct {
				Number int   `json:"number"`
				Amount int64 `json:"amount"`
				Rake   int64 `json:"rake"`
				Wins   []struct {
					Player int   `json:"player_id"`
					Amount int64 `json:"win_amount"`
				} `json:"player_wins"`
			} `json:"pots"`
		} `json:"ohh"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	left, put := map[int]int64{}, map[int]int64{}
	for _, p := range doc.Hand.Players {
		left[p.ID] = p.Stack
	}
	var in, pots int64
	for i, r := range doc.Hand.Rounds {
		if r.ID != i || slices.Index([]string{"Preflop", "Flop", "Turn", "River", "Showdown"}, r.Street) < i {
			t.Fatalf("round %d: id %d, %s\n%s", i, r.ID, r.Street, data)
		}
		for n, a := range r.Actions {
			if a.Number != n || a.Action == "" || i == 0 && a.Action == "Bet" {
				t.Fatalf("round %d, action %d: %+v\n%s", i, n, a, data)
			}
			left[a.Player] -= a.Amount
			put[a.Player] += a.Amount
			in += a.Amount
			if left[a.Player] < 0 || a.AllIn && left[a.Player] != 0 {
				t.Fatalf("%+v leaves %d\n%s", a, left[a.Player], data)
			}
		}
	}
	for _, p := range doc.Hand.Pots {
		pots += p.Amount
		sum := p.Rake
		for _, w := range p.Wins {
			sum += w.Amount
			left[w.Player] += w.Amount
		}
		if sum != p.Amount {
			t.Fatalf("pot %d holds %d and pays %d\n%s", p.Number, p.Amount, sum, data)
		}
	}
	for _, e := range playedLast(h.Events) { // the format does not tell what nobody called
		if e.Kind == engine.UncalledReturned {
			in -= int64(e.Amount)
			left[int(e.Seat)] += int64(e.Amount)
		}
	}
	if in != pots {
		t.Fatalf("%d went in, %d are in the pots\n%s", in, pots, data)
	}
	for _, p := range h.Players {
		if left[int(p.Seat)] != int64(p.Finish) {
			t.Fatalf("seat %d ends with %d by the actions, %d in truth\n%s", p.Seat, left[int(p.Seat)], p.Finish, data)
		}
	}
}

// checkHidden looks for faces that the public did not see: those dealt face down to seats that never showed, and burns.
func checkHidden(t *rapid.T, h *history.Hand, before engine.State, events []engine.Event) {
	seen, secret := card.Set(0), card.Set(0)
	end := engine.Replay(before, events)
	for _, e := range events {
		switch {
		case e.Kind == engine.HandShown:
			seen |= card.SetOf(e.Cards.Slice()...)
		case e.Kind == engine.BoardRetracted, e.Kind == engine.BoardCorrected:
			seen |= card.SetOf(e.Cards.Slice()...)
		case e.Kind == engine.BoardDealt, e.Kind == engine.CardExposed, e.Kind == engine.CardTurned, e.Kind == engine.HoleDealt && (e.Up || end.Seats[e.Seat].Shown):
			seen = seen.Add(e.Card)
		case e.Kind == engine.HoleDealt, e.Kind == engine.CardBurned:
			secret = secret.Add(e.Card)
		}
	}
	told := card.Set(0)
	for _, e := range h.Events {
		told |= card.SetOf(append(e.Cards.Slice(), e.Card)...)
	}
	for _, p := range h.Players {
		told |= card.SetOf(p.Cards.Slice()...)
	}
	for word := range strings.FieldsSeq(h.Text("en")) {
		if c, err := card.Parse(word); err == nil {
			told = told.Add(c)
		}
	}
	if record, err := h.PHH(); err == nil {
		told |= card.SetOf(record.Bank...)
		for _, a := range record.Actions {
			told |= card.SetOf(a.Cards...)
		}
	}
	if leak := told & secret &^ seen; leak != 0 {
		t.Fatalf("%v was not shown, but is told in %+v\n%s", leak, h, h.Text("en"))
	}
}

func randomRules(t *rapid.T, game *engine.Game) *engine.Rules {
	house := rapid.SampledFrom(engine.Houses).Draw(t, "house")
	limits := []engine.Limit{engine.NoLimit, engine.PotLimit, engine.FixedLimit, engine.HalfPot, engine.SpreadLimit}
	r := &engine.Rules{
		Game: game, House: house, Limit: rapid.SampledFrom(limits).Draw(t, "limit"),
		Stakes: engine.Stakes{
			Ante: rapid.SampledFrom([]engine.Chips{0, 1, 3}).Draw(t, "ante"),
			Chip: rapid.SampledFrom([]engine.Chips{0, 1, 5}).Draw(t, "chip"),
		},
	}
	if game.Banked() {
		r.Limit = engine.FixedLimit
		r.Stakes = engine.Stakes{MinAnte: 2, MaxAnte: 100, MinBonus: 1, MaxBonus: 25}
		return r
	}
	if game.BringIn {
		r.Stakes.BringIn = 4
	} else {
		r.Stakes.SmallBlind, r.Stakes.BigBlind = 5, 10
		r.Stakes.BigBlindAnte = rapid.SampledFrom([]engine.Chips{0, 0, 10}).Draw(t, "big blind ante")
	}
	switch r.Limit {
	case engine.FixedLimit:
		r.Stakes.SmallBet, r.Stakes.BigBet = 10, 20
	case engine.SpreadLimit:
		r.Stakes.Spread = [3]engine.Chips{10, 20, 30}
	case engine.PotLimit:
		r.Powers = rapid.SampledFrom([]*engine.Powers{nil, engine.Naiko}).Draw(t, "powers")
		if r.Validate() != nil {
			r.Powers = nil
		}
	case engine.NoLimit:
		r.Rake, _ = rake.Noxwin.Row(r.Limit.String(), 10)
		r.Stakes.Cap = rapid.SampledFrom([]engine.Chips{0, 0, 60}).Draw(t, "cap")
	}
	return r
}

// randomTable seats players, somewhere, with stacks from short to deep.
func randomTable(t *rapid.T, rules *engine.Rules) engine.State {
	s := engine.State{Rules: rules}
	most := 5
	if rules.Game.Deck.Len() == card.French.Len() {
		most = 7
	}
	seats := rapid.Permutation([]engine.Seat{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).Draw(t, "seats")
	for _, seat := range seats[:rapid.IntRange(2, most).Draw(t, "players")] {
		stack := engine.Chips(rapid.SampledFrom([]int{1, 7, 12, 40, 100, 300, 1000}).Draw(t, "stack"))
		s, _, _ = engine.Apply(s, engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: stack})
		s.Seats[seat].Sparks = rapid.Int8Range(0, 3).Draw(t, "sparks") // as if hands had been played before
	}
	return s
}

// randomHand plays a hand, and tells how the table was before it; nil if there are too few players for one.
func randomHand(t *rapid.T, before, s *engine.State) []engine.Event {
	for _, seat := range rapid.SliceOfN(rapid.IntRange(1, engine.MaxSeats), 0, 2).Draw(t, "coming and going") {
		in := engine.Input{Kind: engine.SatOut, Seat: engine.Seat(seat)}
		if s.Seats[seat].Out {
			in.Kind = engine.SatIn
		}
		*s, _, _ = engine.Apply(*s, in)
	}
	for seat := range s.Seats {
		if s.Rules.Game.Banked() && seat > 0 {
			ante := rapid.SampledFrom([]engine.Chips{0, 2, 5, 40}).Draw(t, "ante")
			bonus := rapid.SampledFrom([]engine.Chips{0, 1, 25}).Draw(t, "bonus bet")
			*s, _, _ = engine.Apply(*s, engine.Input{Kind: engine.Staked, Seat: engine.Seat(seat), Amount: ante, Bonus: bonus})
		}
	}
	*before = *s
	start := engine.Input{Kind: engine.HandStarted}
	if pw := s.Rules.Powers; pw != nil {
		start.Carousel = rapid.SampledFrom(pw.Carousels).Draw(t, "carousel")
	}
	events, err := engine.Step(s, start, nil)
	if err != nil {
		return nil
	}
	steps := [][]engine.Event{slices.Clone(events)}
	for s.Phase != engine.Between {
		if rapid.IntRange(0, 39).Draw(t, "ruling") == 0 {
			n := len(events)
			if events, err = engine.Step(s, randomRuling(t, s, steps), events); err == nil && len(events) > n {
				steps = append(steps, slices.Clone(events[n:]))
			}
			continue
		}
		in, n := randomAnswer(t, s), len(events)
		if events, err = engine.Step(s, in, events); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		steps = append(steps, slices.Clone(events[n:]))
	}
	return events
}

// randomRuling is something beside the play of a hand, whether it may happen or not.
func randomRuling(t *rapid.T, s *engine.State, steps [][]engine.Event) engine.Input {
	a := s.Awaits()
	seat := engine.Seat(rapid.IntRange(1, engine.MaxSeats).Draw(t, "seat"))
	free := (s.Rules.Game.Deck &^ s.Out).Cards()
	in := engine.Input{Seat: seat, Target: seat%engine.MaxSeats + 1, Reason: "the floor says so"}
	in.Kind = rapid.SampledFrom([]engine.InputKind{
		engine.HandKilled, engine.Retrieved, engine.Exposed, engine.SetAside, engine.DealtEarly, engine.Overdealt, engine.DealtShort, engine.BurnSkipped,
		engine.Reshuffled, engine.Suspended, engine.Rewound, engine.ButtonSet, engine.Ruled, engine.Disconnected, engine.Acted,
		engine.PowerUsed,
	}).Draw(t, "what")
	switch in.Kind {
	case engine.Exposed:
		in.Card = s.Seats[seat].Hole[0]
	case engine.DealtShort:
		in.Seat = s.Button
		in.Card = s.Seats[s.Button].Hole[0]
	case engine.SetAside:
		in.Card = free[0]
	case engine.DealtEarly:
		in.Cards = engine.CardsOf(free[0])
	case engine.Overdealt:
		in.Card, in.Cards = free[0], engine.CardsOf(s.Board[:min(s.BoardLen, 3)]...)
	case engine.Rewound:
		in.Rewind = &engine.Rewind{Keep: rapid.IntRange(1, len(steps)).Draw(t, "keep"), Steps: steps}
	case engine.Disconnected, engine.Acted, engine.PowerUsed:
		in.Seat, in.Action, in.Reason = a.Seat, engine.Split, ""
		in.Power = rapid.SampledFrom([]engine.Power{engine.Peek, engine.Swap, engine.Anchor}).Draw(t, "power")
		if in.Card = free[0]; in.Power == engine.Swap {
			in.Card = s.Seats[a.Seat].Hole[0]
		}
	}
	return in
}

// randomAnswer gives the table what it awaits.
func randomAnswer(t *rapid.T, s *engine.State) engine.Input {
	a := s.Awaits()
	p := &s.Seats[a.Seat]
	if rapid.IntRange(0, 299).Draw(t, "void") == 0 {
		return engine.Input{Kind: engine.HandVoided, Reason: "a card on the floor"}
	}
	switch a.Kind {
	case engine.AwaitAction:
		for _, in := range randomExtras(t, s, a) {
			if _, _, err := engine.Apply(*s, in); err == nil {
				return in
			}
		}
		return randomAction(t, a)
	case engine.AwaitReveal:
		in := engine.Input{Kind: engine.Shown, Seat: a.Seat}
		if a.MayMuck && rapid.Bool().Draw(t, "muck") {
			in.Kind = engine.Mucked
		}
		return in
	case engine.AwaitDiscard:
		n := rapid.IntRange(0, int(a.Of)).Draw(t, "discards")
		return engine.Input{Kind: engine.Discarded, Seat: a.Seat, Cards: engine.CardsOf(p.Hole.Slice()[:min(n, int(p.HoleLen))]...)}
	case engine.AwaitReload:
		return engine.Input{Kind: engine.Reloaded}
	case engine.AwaitShuffle:
		return engine.Input{Kind: engine.Reshuffled}
	case engine.AwaitResume:
		return engine.Input{Kind: engine.Resumed}
	case engine.AwaitShield:
		if rapid.Bool().Draw(t, "shield") {
			return engine.Input{Kind: engine.PowerUsed, Seat: a.Seat, Power: engine.Shield}
		}
		return engine.Input{Kind: engine.AnchorAccepted, Seat: a.Seat}
	}
	free := (s.Rules.Game.Deck &^ s.Out)
	if a.Kind == engine.AwaitHole && free&^p.Thrown != 0 {
		free &^= p.Thrown
	}
	if pw := &s.Powers; pw.AheadAt == s.Gone+1 {
		free = card.SetOf(pw.Ahead)
	} else if pw.AheadAt > s.Gone {
		free = free.Remove(pw.Ahead)
	}
	return engine.Input{Kind: engine.CardRead, Card: rapid.SampledFrom(free.Cards()).Draw(t, "card")}
}

// randomExtras are things to try in a seat's turn that records have words of our own for: a split, a lost connection, a power.
func randomExtras(t *rapid.T, s *engine.State, a engine.Await) []engine.Input {
	in := engine.Input{Seat: a.Seat}
	switch n := rapid.IntRange(0, 15).Draw(t, "extra"); {
	case n == 0:
		in.Kind = engine.Disconnected
	case n < 8 && a.Legal.Split:
		in.Kind, in.Action = engine.Acted, engine.Split
	case n < 8 && a.Legal.Powers != 0:
		in.Kind, in.Power = engine.PowerUsed, rapid.SampledFrom(a.Legal.Powers.List()).Draw(t, "power")
		switch in.Power {
		case engine.Peek: // what was peeked before, or any other
			seen := in
			seen.Card, in.Card = s.Powers.Ahead, rapid.SampledFrom((s.Rules.Game.Deck&^s.Out).Cards()).Draw(t, "card ahead")
			return []engine.Input{seen, in}
		case engine.Swap:
			in.Card = s.Seats[a.Seat].Hole[0]
		case engine.Anchor:
			in.Target = rapid.SampledFrom(a.Legal.Targets.List()).Draw(t, "target")
		}
	default:
		return nil
	}
	return []engine.Input{in}
}

func randomAction(t *rapid.T, a engine.Await) engine.Input {
	in, l := engine.Input{Kind: engine.Acted, Seat: a.Seat}, a.Legal
	switch n := rapid.IntRange(0, 19).Draw(t, "action"); {
	case n == 0:
		return engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
	case n <= 6 && l.Raise:
		in.Action = engine.Raise
		if l.Opens {
			in.Action = engine.Bet
		}
		in.Amount = rapid.SampledFrom([]engine.Chips{l.MinTo, l.MinTo, l.MaxTo}).Draw(t, "to")
	case n <= 8 && l.AllIn > 0:
		in.Action = engine.AllIn
	case l.BringIn > 0:
		in.Action = engine.BringIn
	case n <= 10 && !l.NoFold:
		in.Action = engine.Fold
	case l.Check:
		in.Action = engine.Check
	case l.ToCall == 0:
		in.Action = engine.Fold
	default:
		in.Action = engine.Call
	}
	return in
}
