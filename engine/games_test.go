package engine_test

import (
	"errors"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/rake"
)

// TestNX30HowFarAGameMustCome: every game is raked from where the catalogue says, or as the game it is a kind of.
func TestNX30HowFarAGameMustCome(t *testing.T) {
	want := map[string]rake.Progress{
		"holdem": rake.Flop, "omaha": rake.Flop, "omaha8": rake.Flop, "omaha5": rake.Flop, "omaha6": rake.Flop, "omaha5-8": rake.Flop,
		"shortdeck": rake.Flop, "soko": rake.ThirdCard, "soko-one-ended": rake.ThirdCard, "americana": rake.ThirdCard, "telesina": rake.ThirdCard,
		"stud": rake.FourthCard, "stud8": rake.FourthCard, "razz": rake.FourthCard,
		"draw5": rake.Exchange, "deuce7": rake.Exchange, "deuce7td": rake.Exchange, "badugi": rake.Exchange, "draw32": rake.Exchange,
		"bonus": {},
	}
	for _, g := range engine.Games {
		if w, known := want[g.Name]; !known || g.Raked != w {
			t.Errorf("%s is raked from %+v on, want %+v", g.Name, g.Raked, w)
		}
	}
}

// TestTC02TableSizes: house cash has tables of 2, 5 and 10 seats, every other house any number within its bounds.
func TestTC02TableSizes(t *testing.T) {
	for _, h := range engine.Houses {
		for n := 0; n <= engine.MaxSeats+1; n++ {
			want := n >= h.MinSeats && n <= h.MaxSeats
			if h.Name == "cash" {
				want = n == 2 || n == 5 || n == 10
			}
			if h.Seats(n) != want {
				t.Errorf("house %s, %d seats: %v, want %v", h.Name, n, h.Seats(n), want)
			}
		}
	}
}

// TestNX73OwnDiscardsComeLast: of a deck so small that a seat would be short of cards, what it threw away comes back to it, but
// not before every other card has.
func TestNX73OwnDiscardsComeLast(t *testing.T) {
	game := *gameNamed(t, "draw5")
	game.Deck = card.SetOf(card.MustParse("2c3c4c5c6c 2d3d4d5d6d 7h8h9hTh")...)
	tb := newTable(t, &engine.Rules{
		Game: &game, House: houseNamed(t, "noxwin"), Limit: engine.FixedLimit,
		Stakes: engine.Stakes{SmallBlind: 5, BigBlind: 10, SmallBet: 10, BigBet: 20},
	})
	put := func(in engine.Input) {
		t.Helper()
		if _, err := tb.apply(in); err != nil {
			t.Fatal(err)
		}
	}
	read := func(cards string) {
		t.Helper()
		for _, c := range card.MustParse(cards) {
			put(engine.Input{Kind: engine.CardRead, Card: c})
		}
	}
	refused := func(cards string) {
		t.Helper()
		for _, c := range card.MustParse(cards) {
			_, err := tb.apply(engine.Input{Kind: engine.CardRead, Card: c})
			var rule *engine.RuleError
			if !errors.As(err, &rule) || rule.Code != engine.CodeOwnDiscard || rule.Rule != "NX-73" {
				t.Fatalf("%v: %v", c, err)
			}
		}
	}
	for seat := engine.Seat(1); seat <= 2; seat++ {
		put(engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: 200})
	}
	put(engine.Input{Kind: engine.ButtonSet, Seat: 1})
	put(engine.Input{Kind: engine.HandStarted})
	read("2c2d 3c3d 4c4d 5c5d 6c6d")
	put(engine.Input{Kind: engine.Acted, Seat: 1, Action: engine.Call})
	put(engine.Input{Kind: engine.Acted, Seat: 2, Action: engine.Check})
	put(engine.Input{Kind: engine.Discarded, Seat: 2, Cards: engine.CardsOf(card.MustParse("2c3c4c5c6c")...)})
	put(engine.Input{Kind: engine.Discarded, Seat: 1, Cards: engine.CardsOf(card.MustParse("2d")...)})
	read("7h 8h9hTh") // the burn, and all that the shoe has
	put(engine.Input{Kind: engine.Reloaded})
	refused("2c3c4c5c6c") // while the other's is in the shoe
	read("2d")
	read("4c") // now there is nothing else
	if a := tb.State.Awaits(); a.Kind != engine.AwaitHole || a.Seat != 1 {
		t.Fatalf("awaits %+v", a)
	}
	read("5c")
	if a := tb.State.Awaits(); a.Kind != engine.AwaitAction {
		t.Fatalf("awaits %+v", a)
	}
}
