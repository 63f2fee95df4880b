package selfplay

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
)

// TestPlay plays some tables of every game, limit and house; with TAVOLO_LONG a million hands in all.
func TestPlay(t *testing.T) {
	setups := allSetups(t)
	tables := 1
	if os.Getenv("TAVOLO_LONG") != "" {
		tables = 1_000_000/handsEach/len(setups) + 1
	}
	for _, game := range engine.Games {
		t.Run(game.Name, func(t *testing.T) {
			t.Parallel()
			for i, setup := range setups {
				for table := range tables {
					if setup.Game == game {
						playSeed(t, setup, uint64(i), uint64(table))
					}
				}
			}
		})
	}
}

// handsEach is the number of hands at a table.
const handsEach = 20

func allSetups(t *testing.T) []Setup {
	t.Helper()
	setups, err := Setups("", "", "")
	if err != nil || len(setups) < 400 {
		t.Fatalf("%d setups, %v", len(setups), err)
	}
	return setups
}

func playSeed(t *testing.T, setup Setup, seed, table uint64) {
	t.Helper()
	count, v := Play(setup, handsEach, rand.NewPCG(seed, table).Uint64)
	switch {
	case v != nil:
		t.Errorf("%v, seed %d %d, hand %d: %v\n%+v, rake %s\n%s", setup, seed, table, v.Hand, v.Fault, v.Rules.Stakes, v.Rules.Rake.Name, texts(v.Shrunk()))
	case count.Hands != handsEach || count.Refusals == 0 || count.Refusals >= count.Inputs:
		t.Errorf("%v: %+v", setup, count)
	}
}

func texts[T any](list []T) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "\t%+v\n", v)
	}
	return b.String()
}

// TestPlayIsRepeatable: equal random numbers give equal hands, others give others.
func TestPlayIsRepeatable(t *testing.T) {
	setup := allSetups(t)[0]
	first, _ := Play(setup, 100, rand.NewPCG(1, 2).Uint64)
	again, _ := Play(setup, 100, rand.NewPCG(1, 2).Uint64)
	other, _ := Play(setup, 100, rand.NewPCG(1, 3).Uint64)
	if first != again || first == other {
		t.Errorf("%+v, %+v again, %+v with other random numbers", first, again, other)
	}
}

// TestPlayReaches: random play comes to everything that can happen, or it proves nothing.
func TestPlayReaches(t *testing.T) {
	reached := map[any]bool{}
	watched := func(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
		reached[s.Awaits().Kind] = true
		n := len(events)
		events, err := engine.Step(s, in, events)
		if err != nil {
			reached[err.(*engine.RuleError).Code] = true
			return events, err
		}
		reached[in.Kind] = true
		for _, e := range events[n:] {
			reached[e.Kind] = true
			reached[sight(&e)] = true
		}
		return events, nil
	}
	want := []any{
		engine.Fold, engine.Check, engine.Call, engine.Bet, engine.Raise, engine.BringIn, engine.Split,
		lowHalf, sidePot, fourthPot, commonCard, shortBlind, houseMucks, houseShows, allFaceUp,
		engine.CodeDuplicate, engine.CodeForeign, engine.CodeOwnDiscard, engine.CodeBringIn, engine.CodeMustShow,
		engine.CodeUnknownCards, engine.CodeTooLittle, engine.CodeTooMuch, engine.CodeCannotRaise, engine.CodeOutOfTurn,
		engine.CodeMisdeal, engine.CodeSuspended, engine.CodeTooLate, engine.CodeNotPeeked, engine.CodeTooFewSparks, engine.CodePowerUsed,
		engine.Peek, engine.Swap, engine.Anchor, engine.Shield,
		engine.CodeTableFull, engine.CodeHandInPlay, engine.CodeCannotCheck, engine.CodeNothingToDo, engine.CodeBadSeat, engine.CodeNotCovered,
		engine.StakePlaced, engine.BoxSettled, engine.Staked, bonusBetWon,
	}
	for k := engine.PlayerSat; k <= engine.HandRewound; k++ {
		want = append(want, k)
	}
	for k := engine.SeatTaken; k <= engine.Rewound; k++ {
		want = append(want, k)
	}
	for k := engine.AwaitNothing; k <= engine.AwaitResume; k++ {
		want = append(want, k)
	}
	setups := allSetups(t)
	missing := func(w any) bool { return !reached[w] }
	for i := 0; i < len(setups) && slices.ContainsFunc(want, missing); i++ {
		setup := setups[i*151%len(setups)] // of all games soon
		if _, v := play(setup, handsEach, rand.NewPCG(uint64(i), 0).Uint64, watched); v != nil {
			t.Fatal(v.Fault)
		}
	}
	for _, w := range want {
		if missing(w) {
			t.Errorf("never reached: %T %v", w, w)
		}
	}
}

// What is worth seeing in an event beside its kind.
const (
	lowHalf     = "a low half"
	sidePot     = "a side pot"
	fourthPot   = "a fourth pot"
	commonCard  = "a common seventh card"
	shortBlind  = "a blind that is short"
	houseMucks  = "a hand mucked by the house"
	houseShows  = "a hand shown by the house"
	allFaceUp   = "all face up early"
	bonusBetWon = "a bonus bet that won"
)

func sight(e *engine.Event) any {
	switch {
	case e.Kind == engine.PlayerActed:
		return e.Action
	case e.Kind == engine.PowerPlayed:
		return e.Power
	case e.Kind == engine.PotAwarded && e.Low:
		return lowHalf
	case e.Kind == engine.PotAwarded && e.Pot == 1:
		return sidePot
	case e.Kind == engine.PotAwarded && e.Pot == 3:
		return fourthPot
	case e.Kind == engine.StreetOpened && e.Shared:
		return commonCard
	case e.Kind == engine.BlindPosted && e.Amount < e.To:
		return shortBlind
	case e.Kind == engine.HandMucked && e.Auto:
		return houseMucks
	case e.Kind == engine.HandShown && e.Auto:
		return houseShows
	case e.Kind == engine.ShowdownOpened && e.AllIn:
		return allFaceUp
	case e.Kind == engine.BoxSettled && e.Bonus > 0:
		return bonusBetWon
	}
	return nil
}
