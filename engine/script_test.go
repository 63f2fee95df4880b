package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/rake"
)

var update = flag.Bool("update", false, "rewrite testdata/*/*.hand with what the engine says now")

// TestHands plays the scripts testdata/<game or house>/<rule>.hand: a line with > is one or more inputs with commas between them,
// the lines below it are what the engine said. The first line of each tells which rule the hand shows.
func TestHands(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.hand")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".hand")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, filepath.Dir(name), string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want) {
				t.Errorf("the engine says something else now (go test ./engine -update rewrites the scripts):\n%s", firstDifference(got, string(want)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n\t%s\nand was\n\t%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, and there were %d", len(g), len(w))
}

// play runs a script and writes it again with what the engine says now.
func play(t *testing.T, folder, text string) string {
	sc := script{t: t, rules: rulesOf(t, folder)}
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		inputs, isInput := strings.CutPrefix(line, "> ")
		if !isInput {
			if line == "" || line[0] == '#' {
				fmt.Fprintln(&out, line)
			}
			continue
		}
		fmt.Fprintln(&out, line)
		sc.said = nil
		for in := range strings.SplitSeq(inputs, ", ") {
			sc.do(strings.Fields(in))
		}
		for _, said := range append(sc.said, sc.awaited()...) {
			fmt.Fprintln(&out, said)
		}
	}
	return out.String()
}

// rulesOf are the rules of the scripts in a folder: its game in the house of that name, tda where there is none; or hold'em
// in the house it is named after.
func rulesOf(t *testing.T, folder string) engine.Rules {
	house, err := engine.HouseNamed(folder)
	switch {
	case err != nil:
		return engine.Rules{Game: gameNamed(t, folder), House: houseNamed(t, "tda")}
	case folder == "bonus":
		return engine.Rules{Game: gameNamed(t, folder), House: house}
	}
	return engine.Rules{Game: gameNamed(t, "holdem"), House: house}
}

// script is a hand being played from a file.
type script struct {
	t     *testing.T
	rules engine.Rules
	*table
	said  []string
	steps [][]engine.Event // of the hand in play
}

// do carries out one input: words like "seat 3 raises to 40".
func (sc *script) do(words []string) {
	st := &sc.rules.Stakes
	switch words[0] {
	case "house":
		sc.rules.House = houseNamed(sc.t, words[1])
	case "no-limit", "pot", "half-pot", "fixed", "spread":
		limit, err := engine.LimitNamed(words[0])
		sc.must(err)
		sc.rules.Limit = limit
	case "blinds":
		st.SmallBlind, st.BigBlind = sc.pair(words[1], "/")
	case "bets":
		st.SmallBet, st.BigBet = sc.pair(words[1], "/")
	case "ante":
		st.Ante = sc.chips(words[1])
	case "big-blind-ante":
		st.BigBlindAnte = sc.chips(words[1])
	case "bring-in":
		st.BringIn = sc.chips(words[1])
	case "maxima":
		for i, most := range strings.Split(words[1], "/") {
			st.Spread[i] = sc.chips(most)
		}
	case "antes":
		st.MinAnte, st.MaxAnte = sc.pair(words[1], "-")
	case "bonus-bets":
		st.MinBonus, st.MaxBonus = sc.pair(words[1], "-")
	case "cap":
		st.Cap = sc.chips(words[1])
	case "rake":
		sc.rules.Rake = sc.rake(words[1:])
	case "min-bet":
		st.MinBet = sc.chips(words[1])
	case "hidden-all-in":
		house := *sc.rules.House
		house.HiddenAllIn = true
		sc.rules.House = &house
	case "chip":
		st.Chip = sc.chips(words[1])
	case "seats":
		sc.must(sc.rules.Validate())
		sc.table = newTable(sc.t, &sc.rules)
		for _, w := range words[1:] {
			seat, stack := sc.pair(w, ":")
			sc.put(engine.Input{Kind: engine.SeatTaken, Seat: engine.Seat(seat), Amount: stack})
		}
	case "button":
		sc.put(engine.Input{Kind: engine.ButtonSet, Seat: sc.seat(words[1])})
	case "game":
		sc.rules.Game = gameNamed(sc.t, words[1])
	case "powers":
		sc.rules.Powers = engine.Naiko
	case "sparks":
		sc.said = append(sc.said, sc.sparks())
	case "start":
		sc.put(engine.Input{Kind: engine.HandStarted, Carousel: sc.powers(words[1:])})
	case "recorded":
		sc.put(engine.Input{Kind: engine.HandStarted, Forced: sc.forced(words[1:])})
	case "card":
		sc.put(engine.Input{Kind: engine.CardRead, Card: sc.cards(words[1])[0]})
	case "deal":
		sc.deal(words[1:])
	case "show-all":
		for a := sc.State.Awaits(); a.Kind == engine.AwaitReveal; a = sc.State.Awaits() {
			sc.put(engine.Input{Kind: engine.Shown, Seat: a.Seat})
		}
	case "check-down":
		sc.checkDown(words[1:])
	case "reload":
		sc.put(engine.Input{Kind: engine.Reloaded})
	case "house-shows":
		sc.put(engine.Input{Kind: engine.Shown, Cards: engine.CardsOf(sc.cards(words[1])...)})
	case "bank":
		sc.said = append(sc.said, fmt.Sprintf("the house has %d more", sc.State.Bank))
	case "boxed":
		sc.put(engine.Input{Kind: engine.SetAside, Boxed: true, Card: sc.cards(words[1])[0], Reason: "boxed"})
	case "short":
		sc.put(engine.Input{Kind: engine.DealtShort, Seat: sc.seat(words[1]), Card: sc.cards(words[2])[0], Reason: strings.Join(words[3:], " ")})
	case "set-aside":
		sc.put(engine.Input{Kind: engine.SetAside, Card: sc.cards(words[1])[0], Reason: strings.Join(words[2:], " ")})
	case "manual":
		sc.put(engine.Input{Kind: engine.CardRead, Manual: true, Card: sc.cards(words[1])[0], Reason: strings.Join(words[2:], " ")})
	case "exposed":
		sc.put(engine.Input{Kind: engine.Exposed, Seat: sc.seat(words[1]), Card: sc.cards(words[2])[0], Reason: strings.Join(words[3:], " ")})
	case "early", "overdealt": // the burn, the community cards
		in := engine.Input{Kind: engine.DealtEarly, Reason: strings.Join(words[3:], " ")}
		if words[0] == "overdealt" {
			in.Kind = engine.Overdealt
		}
		if words[1] != "-" {
			in.Card = sc.cards(words[1])[0]
		}
		if words[2] != "-" {
			in.Cards = engine.CardsOf(sc.cards(words[2])...)
		}
		sc.put(in)
	case "skip-burn":
		sc.put(engine.Input{Kind: engine.BurnSkipped, Reason: strings.Join(words[1:], " ")})
	case "reshuffle":
		sc.put(engine.Input{Kind: engine.Reshuffled, Reason: strings.Join(words[1:], " ")})
	case "retrieve":
		sc.put(engine.Input{Kind: engine.Retrieved, Seat: sc.seat(words[1]), Reason: strings.Join(words[2:], " ")})
	case "reverse": // from, to, amount
		sc.put(engine.Input{
			Kind: engine.AwardReversed, Seat: sc.seat(words[1]), Target: sc.seat(words[2]), Amount: sc.chips(words[3]),
			Reason: strings.Join(words[4:], " "),
		})
	case "suspend":
		sc.put(engine.Input{Kind: engine.Suspended, Reason: strings.Join(words[1:], " ")})
	case "resume":
		sc.put(engine.Input{Kind: engine.Resumed})
	case "rewind": // by so many inputs that were taken
		keep := len(sc.steps) - int(sc.chips(words[1]))
		sc.put(engine.Input{Kind: engine.Rewound, Rewind: &engine.Rewind{Keep: keep, Steps: sc.steps}, Reason: strings.Join(words[2:], " ")})
	case "drawn":
		var cards [engine.MaxSeats + 1]card.Card
		for _, w := range words[1:] {
			seat, c, _ := strings.Cut(w, ":")
			cards[sc.seat(seat)] = sc.cards(c)[0]
		}
		sc.put(engine.Input{Kind: engine.ButtonDrawn, Drawn: &cards})
	case "kill":
		sc.put(engine.Input{Kind: engine.HandKilled, Seat: sc.seat(words[1]), Reason: strings.Join(words[2:], " ")})
	case "correct":
		sc.put(engine.Input{Kind: engine.StackCorrected, Seat: sc.seat(words[1]), Amount: sc.chips(words[2]), Reason: strings.Join(words[3:], " ")})
	case "ruling":
		sc.put(engine.Input{Kind: engine.Ruled, Reason: strings.Join(words[1:], " ")})
	case "void":
		sc.put(engine.Input{Kind: engine.HandVoided, Reason: strings.Join(words[1:], " ")})
	case "seat":
		sc.put(sc.seatInput(sc.seat(words[1]), words[2:]))
	default:
		sc.t.Fatalf("no such input: %q", words)
	}
}

// forced are the forced bets of a record: button 3 blinds 1:5 2:10 antes 2:10 rake 7; antes are dead, or own-antes not.
func (sc *script) forced(words []string) *engine.Forced {
	f := &engine.Forced{}
	what := ""
	for _, w := range words {
		switch {
		case !strings.ContainsAny(w, "0123456789"):
			what = w
		case what == "button":
			f.Button = sc.seat(w)
		case what == "rake":
			f.Rake = sc.chips(w)
		case what == "antes", what == "own-antes":
			seat, ante := sc.pair(w, ":")
			f.Antes[seat], f.DeadAntes = ante, what == "antes"
		case what == "blinds":
			seat, blind := sc.pair(w, ":")
			f.Blinds[seat] = blind
		}
	}
	return f
}

// rake is none, a row of the house noxwin by its name, or so many of each so many with a cap: 1/10 5.
func (sc *script) rake(words []string) rake.Row {
	for _, row := range rake.Noxwin {
		if row.Name == words[0] {
			return row
		}
	}
	if words[0] == "none" {
		return rake.Row{}
	}
	take, per := sc.pair(words[0], "/")
	return rake.Row{
		Name: words[0], Limits: []string{sc.rules.Limit.String()}, Steps: []rake.Step{{Take: int64(take), Per: int64(per)}},
		Caps: []rake.ForPlayers{{From: 2, Amount: int64(sc.chips(words[1]))}},
	}
}

// seatInput is what a seat does: "raises to 40", "sits out".
func (sc *script) seatInput(seat engine.Seat, words []string) engine.Input {
	in := engine.Input{Seat: seat}
	if used, ok := sc.powerInput(seat, words); ok {
		return used
	}
	if words[0] == "stakes" { // 10, or 10+5 with a bonus bet
		in.Kind, in.Amount = engine.Staked, 0
		ante, extra, both := strings.Cut(words[1], "+")
		if in.Amount = sc.chips(ante); both {
			in.Bonus = sc.chips(extra)
		}
		return in
	}
	last := words[len(words)-1]
	switch verb := strings.TrimSuffix(strings.Join(words, " "), " "+last); verb {
	case "sits with":
		in.Kind, in.Amount = engine.SeatTaken, sc.chips(last)
	case "adds":
		in.Kind, in.Amount = engine.ChipsAdded, sc.chips(last)
	case "moves to":
		in.Kind, in.Target = engine.SeatMoved, sc.seat(last)
	case "bets":
		in.Kind, in.Action, in.Amount = engine.Acted, engine.Bet, sc.chips(last)
	case "raises to":
		in.Kind, in.Action, in.Amount = engine.Acted, engine.Raise, sc.chips(last)
	case "discards":
		in.Kind, in.Cards = engine.Discarded, engine.CardsOf(sc.cards(last)...)
	case "shows":
		in.Kind = engine.Shown
		if last != "shows" {
			in.Cards = engine.CardsOf(sc.cards(last)...)
		}
	default:
		plain, ok := map[string]engine.Input{
			"folds":            {Kind: engine.Acted, Action: engine.Fold},
			"checks":           {Kind: engine.Acted, Action: engine.Check},
			"calls":            {Kind: engine.Acted, Action: engine.Call},
			"all-in":           {Kind: engine.Acted, Action: engine.AllIn},
			"brings in":        {Kind: engine.Acted, Action: engine.BringIn},
			"would split":      {Kind: engine.Acted, Action: engine.Split},
			"stands pat":       {Kind: engine.Discarded},
			"is cut off":       {Kind: engine.Disconnected},
			"mucks":            {Kind: engine.Mucked},
			"runs out of time": {Kind: engine.ClockRanOut},
			"leaves":           {Kind: engine.SeatLeft},
			"sits out":         {Kind: engine.SatOut},
			"sits in":          {Kind: engine.SatIn},
			"waits":            {Kind: engine.BlindAwaited},
		}[strings.Join(words, " ")]
		if !ok {
			sc.t.Fatalf("no such input of a seat: %q", words)
		}
		plain.Seat = seat
		return plain
	}
	return in
}

// deal gives the table every card it awaits now: the cards named for a seat (2:AsAd), the house (0:7c2d) or the board (Kh7d2c), elsewhere an
// unknown one, or where one must be known the lowest that is left and not named.
func (sc *script) deal(words []string) {
	named := map[engine.Seat][]card.Card{}
	var all card.Set
	for _, w := range words {
		seat, cards, ok := strings.Cut(w, ":")
		if !ok {
			seat, cards = "0", w
		}
		named[sc.seat(seat)] = sc.cards(cards)
		all |= card.SetOf(sc.cards(cards)...)
	}
	for {
		a := sc.State.Awaits()
		c := card.Hidden
		switch a.Kind {
		case engine.AwaitBurn:
		case engine.AwaitHole, engine.AwaitBoard:
			if mine := named[a.Seat]; len(mine) > 0 {
				c, named[a.Seat] = mine[0], mine[1:]
			} else if a.Kind == engine.AwaitBoard || a.Up {
				c = (sc.rules.Game.Deck &^ sc.State.Out &^ all).Cards()[0]
			}
		default:
			return
		}
		if !sc.put(engine.Input{Kind: engine.CardRead, Card: c}) {
			return
		}
	}
}

// checkDown has everybody check, or call, to the showdown, with these cards for the board; where seats get cards of their
// own, to the end of the round.
func (sc *script) checkDown(words []string) {
	board := sc.cards(strings.Join(words, ""))
	for {
		switch a := sc.State.Awaits(); a.Kind {
		case engine.AwaitAction:
			in := engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.Call}
			switch {
			case a.Legal.BringIn > 0:
				in.Action = engine.BringIn
			case a.Legal.Check:
				in.Action = engine.Check
			}
			sc.put(in)
		case engine.AwaitBurn:
			sc.put(engine.Input{Kind: engine.CardRead, Card: card.Hidden})
		case engine.AwaitBoard:
			if len(board) == 0 {
				return
			}
			sc.put(engine.Input{Kind: engine.CardRead, Card: board[0]})
			board = board[1:]
		default:
			return
		}
	}
}

// put gives one input to the engine and writes down what it says.
func (sc *script) put(in engine.Input) (taken bool) {
	events, err := sc.apply(in)
	var rule *engine.RuleError
	if errors.As(err, &rule) {
		sc.said = append(sc.said, fmt.Sprintf("refused, %s: %v", rule.Code, rule))
	}
	for i := range events {
		sc.say(&events[i])
	}
	if len(events) > 0 && events[0].Kind == engine.HandBegan {
		sc.steps = nil
	}
	if len(events) > 0 {
		sc.steps = append(sc.steps, events)
	}
	return err == nil
}

func (sc *script) say(e *engine.Event) {
	text := words(e) + powerWords(e)
	if e.Kind == engine.HandEnded {
		text = "stacks"
		for i, p := range sc.State.Seats {
			if p.Taken {
				text += fmt.Sprintf(" %d:%d", i, p.Stack)
			}
		}
	}
	if text == "" {
		return
	}
	if n := len(sc.said); n > 0 { // cards of one kind share a line
		for _, start := range []string{"dealt ", "board "} {
			if rest, ok := strings.CutPrefix(text, start); ok && strings.HasPrefix(sc.said[n-1], start) {
				sc.said[n-1] += " " + rest
				return
			}
		}
	}
	sc.said = append(sc.said, text)
}

// words is an event in plain words, "" for one that says nothing a reader misses.
func words(e *engine.Event) string {
	who := fmt.Sprintf("seat %d", e.Seat)
	if e.Seat == 0 {
		who = "the house"
	}
	end := ""
	if e.AllIn {
		end = ", all-in"
	}
	if e.Auto {
		end += ", out of time"
	}
	switch e.Kind {
	case engine.PlayerSat:
		if e.Live {
			return who + " is to post a big blind"
		}
	case engine.StackAdded:
		return fmt.Sprintf("%s adds %d", who, e.Amount)
	case engine.PlayerSatOut:
		return who + " sits out"
	case engine.PlayerWaiting:
		return who + " waits for the big blind"
	case engine.PlayerSatIn:
		return who + " sits in"
	case engine.HandBegan:
		if e.Button == 0 {
			return fmt.Sprintf("hand %d", e.Hand)
		}
		parts := []string{fmt.Sprintf("hand %d: button %d, small blind %d, big blind %d", e.Hand, e.Button, e.SmallBlind, e.BigBlind)}
		for _, seat := range e.Missed.List() {
			parts = append(parts, fmt.Sprintf("seat %d misses the big blind", seat))
		}
		for _, seat := range e.MissedSmall.List() {
			parts = append(parts, fmt.Sprintf("seat %d misses the small blind", seat))
		}
		return strings.Join(parts, "; ")
	case engine.AntePosted:
		if e.Dead {
			return fmt.Sprintf("%s antes %d for the table%s", who, e.Amount, end)
		}
		return fmt.Sprintf("%s antes %d%s", who, e.Amount, end)
	case engine.BlindPosted:
		text := fmt.Sprintf("%s posts %d", who, e.Amount)
		if e.Amount < e.To {
			text += fmt.Sprintf(" of %d", e.To)
		}
		if e.Live {
			text += " live"
		}
		return text + end
	case engine.DeadPosted:
		return fmt.Sprintf("%s posts %d dead%s", who, e.Amount, end)
	case engine.CardBurned:
		return fmt.Sprintf("burnt %v", e.Card) + byHand(e)
	case engine.HoleDealt:
		if e.Manual {
			return fmt.Sprintf("by hand %d:%v: %s", e.Seat, e.Card, e.Reason)
		}
		if e.Up {
			return fmt.Sprintf("dealt %d:[%v]", e.Seat, e.Card)
		}
		return fmt.Sprintf("dealt %d:%v", e.Seat, e.Card)
	case engine.BoardDealt:
		return fmt.Sprintf("board %v", e.Card) + byHand(e)
	case engine.PlayerMoved:
		if e.Live {
			return fmt.Sprintf("%s moves to seat %d and is to post a big blind", who, e.Target)
		}
		return fmt.Sprintf("%s moves to seat %d", who, e.Target)
	case engine.CardDrawn:
		return fmt.Sprintf("%s draws %v", who, e.Card)
	case engine.ButtonMoved:
		if e.BigBlind != 0 {
			return fmt.Sprintf("the hand begins anew: button %d, small blind %d, big blind %d", e.Button, e.SmallBlind, e.BigBlind)
		}
	case engine.CardExposed:
		return fmt.Sprintf("%v of seat %d is exposed, and the next burn: %s", e.Card, e.Seat, e.Reason)
	case engine.CardTurned:
		return fmt.Sprintf("%v of seat %d stays face up: %s", e.Card, e.Seat, e.Reason)
	case engine.CardMissed:
		return fmt.Sprintf("%s did not get %v: %s", who, e.Card, e.Reason)
	case engine.BoardRetracted:
		return fmt.Sprintf("%v is taken back until street %d, burnt %v: %s", e.Cards, e.Street+1, e.Card, e.Reason)
	case engine.BoardCorrected:
		return fmt.Sprintf("of the street %v stays, %v is the next burn: %s", e.Cards, e.Card, e.Reason)
	case engine.BurnLeftOut:
		return "no card is burnt: " + e.Reason
	case engine.StubShuffled:
		return strings.TrimSuffix(fmt.Sprintf("the stub is shuffled with %d cards: %s", e.Amount, e.Reason), ": ")
	case engine.HandRetrieved:
		return who + "'s hand is in play again: " + e.Reason
	case engine.AwardMoved:
		return fmt.Sprintf("%d of what %s won is seat %d's: %s", e.Amount, who, e.Target, e.Reason)
	case engine.PlaySuspended:
		return "play is suspended: " + e.Reason
	case engine.PlayResumed:
		return "play goes on"
	case engine.HandRewound:
		return fmt.Sprintf("the hand is taken back to event %d: %s", e.Stands, e.Reason)
	case engine.PlayerActed:
		return who + map[engine.Action]string{
			engine.Fold:  " folds",
			engine.Check: " checks",
			engine.Call:  fmt.Sprintf(" calls %d", e.Amount),
			engine.Bet:   fmt.Sprintf(" bets %d", e.To),
			engine.Raise: fmt.Sprintf(" raises to %d", e.To),

			engine.BringIn: fmt.Sprintf(" brings in with %d", e.Amount),
			engine.Split:   " would split the pot",
		}[e.Action] + end
	case engine.CardsDiscarded:
		if e.Amount == 0 {
			return who + " stands pat" + end
		}
		return fmt.Sprintf("%s discards %v", who, e.Cards)
	case engine.ShoeReloaded:
		return fmt.Sprintf("%d cards go back into the shoe", e.Amount)
	case engine.PlayerProtected:
		return fmt.Sprintf("%s counts as all-in, %d stay out of the hand", who, e.Amount)
	case engine.HandDeclaredDead:
		return who + "'s hand is dead: " + e.Reason
	case engine.CardSetAside:
		return fmt.Sprintf("%v is set aside: %s", e.Card, e.Reason)
	case engine.StackAdjusted:
		return fmt.Sprintf("%s's stack is corrected by %+d: %s", who, e.Amount, e.Reason)
	case engine.RulingMade:
		return "ruling: " + e.Reason
	case engine.UncalledReturned, engine.BetRefunded:
		return fmt.Sprintf("%d goes back to %s", e.Amount, who)
	case engine.BetsCollected:
		return fmt.Sprintf("pot %d", e.Amount)
	case engine.ShowdownOpened:
		if e.AllIn {
			return "all hands face up"
		}
		return "showdown"
	case engine.HandShown:
		return who + " shows " + e.Cards.String() + end
	case engine.HandMucked:
		return who + " mucks" + end
	case engine.RakeTaken:
		return fmt.Sprintf("the house takes %d", e.Amount)
	case engine.PotAwarded:
		text := fmt.Sprintf("%s wins %d", who, e.Amount)
		if e.Low {
			text += " for the low"
		}
		if e.Pot > 0 {
			text += fmt.Sprintf(" of side pot %d", e.Pot)
		}
		return text
	case engine.StakePlaced:
		if e.Amount == 0 {
			return who + " takes its bets back"
		}
		if e.Bonus > 0 {
			return fmt.Sprintf("%s puts down %d, and %d on the bonus", who, e.Amount, e.Bonus)
		}
		return fmt.Sprintf("%s puts down %d", who, e.Amount)
	case engine.BoxSettled:
		if e.Bonus > 0 {
			return fmt.Sprintf("%s is handed %d, and %d for the bonus bet", who, e.Amount, e.Bonus)
		}
		return fmt.Sprintf("%s is handed %d", who, e.Amount)
	case engine.HandCalledOff:
		return "hand called off: " + e.Reason
	}
	return ""
}

// byHand is what is to be said of a card that a person entered.
func byHand(e *engine.Event) string {
	if e.Manual {
		return ", by hand: " + e.Reason
	}
	return ""
}

// awaited is the line that ends an answer: what the table waits for.
func (sc *script) awaited() []string {
	if sc.table == nil {
		return nil
	}
	a := sc.State.Awaits()
	switch a.Kind {
	case engine.AwaitBurn:
		return []string{"a card to burn is next"}
	case engine.AwaitHole:
		if a.Up {
			return []string{fmt.Sprintf("card %d of %d to seat %d is next, face up", a.Number, a.Of, a.Seat)}
		}
		if a.Seat == 0 {
			return []string{fmt.Sprintf("card %d of %d to the house is next", a.Number, a.Of)}
		}
		return []string{fmt.Sprintf("card %d of %d to seat %d is next", a.Number, a.Of, a.Seat)}
	case engine.AwaitDiscard:
		return []string{fmt.Sprintf("seat %d may exchange %d", a.Seat, a.Of)}
	case engine.AwaitShuffle:
		return []string{"the stub is to be shuffled"}
	case engine.AwaitResume:
		return []string{"play is suspended"}
	case engine.AwaitReload:
		return []string{"the discards are to be shuffled into the shoe"}
	case engine.AwaitBoard:
		return []string{fmt.Sprintf("board card %d of %d is next", a.Number, a.Of)}
	case engine.AwaitAction:
		return []string{fmt.Sprintf("seat %d may %s", a.Seat, strings.Join(choices(a.Legal), ", "))}
	case engine.AwaitShield:
		return []string{fmt.Sprintf("seat %d may shield, accept", a.Seat)}
	case engine.AwaitReveal:
		if a.MayMuck {
			return []string{fmt.Sprintf("seat %d may show, muck", a.Seat)}
		}
		if a.Seat == 0 {
			return []string{"the house is to show"}
		}
		return []string{fmt.Sprintf("seat %d is to show", a.Seat)}
	}
	return nil
}

func choices(l engine.Legal) []string {
	var may []string
	switch {
	case l.BringIn > 0:
		may = append(may, fmt.Sprintf("bring in %d", l.BringIn))
	case l.Check:
		may = append(may, "check")
	case l.ToCall > 0:
		may = append(may, fmt.Sprintf("call %d", l.ToCall))
	}
	if l.Raise {
		verb := "raise to"
		if l.Opens {
			verb = "bet"
		}
		size := fmt.Sprint(l.MinTo)
		switch {
		case l.TwoSizes:
			size = fmt.Sprintf("%d or %d", l.MinTo, l.MaxTo)
		case l.MaxTo > l.MinTo:
			size = fmt.Sprintf("%d-%d", l.MinTo, l.MaxTo)
		}
		may = append(may, verb+" "+size)
	}
	if l.Split {
		may = append(may, "split")
	}
	if l.BringIn > 0 || l.NoFold {
		return may
	}
	return append(append(may, "fold"), powerChoices(l)...)
}

func (sc *script) must(err error) {
	if err != nil {
		sc.t.Fatal(err)
	}
}

func (sc *script) chips(word string) engine.Chips {
	n, err := strconv.ParseInt(word, 10, 64)
	sc.must(err)
	return engine.Chips(n)
}

func (sc *script) seat(word string) engine.Seat { return engine.Seat(sc.chips(word)) }

func (sc *script) pair(word, sep string) (a, b engine.Chips) {
	left, right, ok := strings.Cut(word, sep)
	if !ok {
		sc.t.Fatalf("%q: want two numbers with %q between them", word, sep)
	}
	return sc.chips(left), sc.chips(right)
}

func (sc *script) cards(word string) []card.Card {
	cards, err := card.ParseAll(word)
	sc.must(err)
	return slices.Clip(cards)
}

func gameNamed(t testing.TB, name string) *engine.Game {
	g, err := engine.GameNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func houseNamed(t testing.TB, name string) *engine.House {
	h, err := engine.HouseNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
