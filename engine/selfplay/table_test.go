package selfplay

import (
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// opened is a table with two seats of 100 and a hand begun.
func opened(t *testing.T, rules *engine.Rules) *Table {
	t.Helper()
	tb := NewTable(rules)
	for seat := engine.Seat(1); seat <= 2; seat++ {
		put(t, tb, engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: 100})
	}
	put(t, tb, engine.Input{Kind: engine.HandStarted})
	return tb
}

func put(t *testing.T, tb *Table, in engine.Input) {
	t.Helper()
	if refusal, fault := tb.Apply(in); refusal != nil || fault != nil {
		t.Fatalf("%+v: %v, %v", in, refusal, fault)
	}
}

func rulesOf(t *testing.T, game, house string, stakes engine.Stakes) *engine.Rules {
	t.Helper()
	setups, err := Setups(game, "no-limit", house)
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Rules{Game: setups[0].Game, House: setups[0].House, Stakes: stakes}
}

// TestTableObjects: whatever is wrong with a state is found when it has come to that.
func TestTableObjects(t *testing.T) {
	for _, c := range []struct {
		name  string
		cards int // dealt before
		spoil func(tb *Table)
		want  string
	}{
		{"a chip comes from nowhere", 0, func(tb *Table) { tb.State.Seats[1].Stack++ }, "chips are on the table"},
		{"a chip moves", 0, func(tb *Table) { tb.State.Seats[1].Stack--; tb.State.Seats[2].Stack++ }, "the books say"},
		{"a stack is below zero", 0, func(tb *Table) { tb.State.Seats[1].Stack -= 200; tb.State.Seats[1].Bet += 200 }, "below zero"},
		{"a hand ends with a pot", 0, func(tb *Table) { tb.State.Phase = engine.Between }, "in the pots after the hand"},
		{"nothing is awaited", 0, func(tb *Table) { tb.State.Phase = engine.Closed }, "nothing is awaited in a hand"},
		{"a reload is awaited", 0, func(tb *Table) { tb.State.Gone = 52 }, "there are no discards"},
		{"the shoe is empty", 0, func(tb *Table) { tb.books.hand.cards = 52 }, "the shoe is empty"},
		{"a seat that is out is to show", 0, func(tb *Table) { tb.State.Phase, tb.State.Turn = engine.Showing, 3 }, "nothing to show"},
		{"a seat that is out is to act", 4, func(tb *Table) { tb.State.Turn = 3 }, "the seat cannot act"},
		{"a seat without chips is to act", 4, func(tb *Table) {
			p := &tb.State.Seats[tb.State.Turn]
			tb.books.stack[tb.State.Turn], p.Stack, p.Aside = p.Stack, 0, p.Stack
		}, "the seat cannot act"},
	} {
		tb := opened(t, rulesOf(t, "holdem", "tda", engine.Stakes{SmallBlind: 1, BigBlind: 2}))
		for n := range c.cards {
			put(t, tb, engine.Input{Kind: engine.CardRead, Card: card.Card(n + 1)})
		}
		c.spoil(tb)
		fault := tb.check()
		if fault == nil || !strings.Contains(fault.Error(), c.want) {
			t.Errorf("%s: %v, want: %s", c.name, fault, c.want)
		}
	}
}

// TestUnreasonable: an offer that makes no sense is found, one that does is not.
func TestUnreasonable(t *testing.T) {
	place := engine.Place{Stack: 100, Bet: 10}
	for _, c := range []struct {
		name string
		bet  engine.Chips
		l    engine.Legal
		ok   bool
	}{
		{"a bet to meet", 20, engine.Legal{ToCall: 10, Raise: true, MinTo: 40, MaxTo: 110, AllIn: 110}, true},
		{"no raise", 20, engine.Legal{ToCall: 10}, true},
		{"nothing to meet", 10, engine.Legal{Check: true, Raise: true, MinTo: 20, MaxTo: 80}, true},
		{"a check for nothing", 20, engine.Legal{Check: true, ToCall: 10}, false},
		{"neither check nor call", 20, engine.Legal{}, false},
		{"a call of more than all", 200, engine.Legal{ToCall: 190}, false},
		{"a raise to less than the bet", 20, engine.Legal{ToCall: 10, Raise: true, MinTo: 20, MaxTo: 110}, false},
		{"a raise of more than all", 20, engine.Legal{ToCall: 10, Raise: true, MinTo: 40, MaxTo: 120}, false},
		{"a raise of sizes in no order", 20, engine.Legal{ToCall: 10, Raise: true, MinTo: 60, MaxTo: 50}, false},
		{"sizes of no raise", 20, engine.Legal{ToCall: 10, MinTo: 40, MaxTo: 110}, false},
		{"a bet on a bet", 20, engine.Legal{ToCall: 10, Raise: true, Opens: true, MinTo: 40, MaxTo: 110}, false},
		{"all-in with less than all", 20, engine.Legal{ToCall: 10, AllIn: 90}, false},
		{"all that is there is not enough to call, and no all-in", 200, engine.Legal{ToCall: 100}, false},
		{"all-in where no raise is", 20, engine.Legal{ToCall: 10, AllIn: 110}, false},
		{"a bring-in and a check", 0, engine.Legal{BringIn: 5, Check: true}, false},
		{"a bring-in after a bet", 20, engine.Legal{BringIn: 5}, false},
		{"a bet below the bring-in", 0, engine.Legal{BringIn: 5, Raise: true, Opens: true, MinTo: 4, MaxTo: 110}, false},
	} {
		if wrong := unreasonable(&c.l, &place, c.bet); (wrong == "") != c.ok {
			t.Errorf("%s: %+v is said to be %q", c.name, c.l, wrong)
		}
	}
}

// TestTelesinaUpset: with two at the showdown the lowest straight flush of spades beats the highest of hearts, with three
// not (NX-93), and the bookkeeper agrees each time.
func TestTelesinaUpset(t *testing.T) {
	hands := [][]card.Card{card.MustParse("AhKhQhJhTh"), card.MustParse("Ts9s8s7sAs"), card.MustParse("KcQdJc9h9d")}
	for players, winner := range map[int]engine.Seat{2: 2, 3: 1} {
		tb := NewTable(rulesOf(t, "telesina", "noxwin", engine.Stakes{Ante: 5, BringIn: 10}))
		for seat := 1; seat <= players; seat++ {
			put(t, tb, engine.Input{Kind: engine.SeatTaken, Seat: engine.Seat(seat), Amount: 30})
		}
		put(t, tb, engine.Input{Kind: engine.HandStarted})
		for tb.State.Phase != engine.Between {
			in := engine.Input{Kind: engine.CardRead, Card: card.MustParse("8d")[0]}
			switch a := tb.State.Awaits(); a.Kind {
			case engine.AwaitHole:
				in.Card = hands[a.Seat-1][tb.State.Seats[a.Seat].HoleLen]
			case engine.AwaitAction:
				in = engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.AllIn}
			}
			put(t, tb, in)
		}
		for _, e := range tb.Events() {
			if e.Kind == engine.PotAwarded && (e.Seat != winner || e.Amount != engine.Chips(30*players)) {
				t.Errorf("%d players: seat %d wins %d", players, e.Seat, e.Amount)
			}
		}
	}
}

func TestSetups(t *testing.T) {
	all, err := Setups("", "", "")
	powers := 0
	for _, s := range all {
		if s.Powers != nil {
			powers++
		}
	}
	if want := ((len(engine.Games)-1)*5 + 1) * len(engine.Houses); err != nil || len(all)-powers != want || powers != 7*5 {
		t.Errorf("%d setups, %d of them with powers, %v, want %d and 35", len(all), powers, err, want+35)
	}
	some, err := Setups("razz", "fixed", "cash")
	if err != nil || len(some) != 1 || some[0].String() != "razz fixed cash" {
		t.Errorf("%v, %v", some, err)
	}
	for _, names := range [][3]string{{"whist", "", ""}, {"", "sky", ""}, {"", "", "empty"}, {"bonus", "pot", ""}} {
		if _, err := Setups(names[0], names[1], names[2]); err == nil {
			t.Errorf("%v are taken", names)
		}
	}
}
