package engine

import (
	"fmt"
	"sort"
	"strings"

	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/rake"
)

// Games are the games there are, one literal each. A new game is a new row.
var Games = []*Game{
	// NX-41, TC-19..21, NK-02.
	{Name: "holdem", Title: "Texas Hold'em", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Streets: flop(2)},
	// NX-42: exactly two of the hole cards with exactly three of the board.
	{Name: "omaha", Title: "Omaha", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Use: eval.TwoAndThree, Streets: flop(4)},
	{Name: "omaha5", Title: "Five-card Omaha", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Use: eval.TwoAndThree, Streets: flop(5)},
	{Name: "omaha6", Title: "Six-card Omaha", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Use: eval.TwoAndThree, Streets: flop(6)},
	// NX-44.
	{
		Name: "omaha8", Title: "Omaha hi/lo", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Low: eval.EightOrBetter,
		Use: eval.TwoAndThree, Streets: flop(4),
	},
	{
		Name: "omaha5-8", Title: "Five-card Omaha hi/lo", Raked: rake.Flop, Deck: card.French, High: eval.Standard, Low: eval.EightOrBetter,
		Use: eval.TwoAndThree, Streets: flop(5),
	},
	{Name: "shortdeck", Title: "Short deck hold'em", Raked: rake.Flop, Deck: card.Short36, High: eval.ShortDeck, Streets: flop(2)},

	// NX-60..64.
	{Name: "stud", Title: "Seven-card stud", Raked: rake.FourthCard, Seats: 8, BringIn: true, Deck: card.French, High: eval.Standard, Streets: openPair(seventh(LowCard))},
	// NX-65.
	{
		Name: "stud8", Title: "Seven-card stud hi/lo", Raked: rake.FourthCard, Seats: 8, BringIn: true, Deck: card.French, High: eval.Standard,
		Low: eval.EightOrBetter, Streets: seventh(LowCard),
	},
	{
		Name: "razz", Title: "Razz", Raked: rake.FourthCard, Seats: 8, BringIn: true, AceLow: true, Deck: card.French, High: eval.LowAceFive,
		Streets: seventh(HighCard),
	},
	// NX-50..56.
	{
		Name: "soko", Title: "Soko", Raked: rake.ThirdCard, Seats: 8, BringIn: true, Deck: card.French, High: eval.Soko,
		Streets: fifth(LowCard),
	},
	// The option of NX-55.
	{
		Name: "soko-one-ended", Title: "Soko with one-ended four-straights", Raked: rake.ThirdCard, Seats: 8, BringIn: true, Deck: card.French,
		High: eval.SokoOneEnded, Streets: fifth(LowCard),
	},
	// NX-80..83.
	{
		Name: "americana", Title: "Americana", Raked: rake.ThirdCard, Seats: 6, BringIn: true, Deck: card.Stripped32, High: eval.Stripped,
		Streets: fifth(HighCard),
	},
	// NX-90..9A: the last card is the Vela, common to all.
	{
		Name: "telesina", Title: "Telesina", Raked: rake.ThirdCard, Seats: 6, BringIn: true, Suits: HeartsHigh, Deck: card.Stripped32,
		High:    eval.Telesina,
		Streets: append(fifth(HighCard), Street{Name: "vela", Board: 1, Opener: BestShowing, Big: true}),
	},

	// NX-70..74.
	{Name: "draw5", Title: "Five-card draw", Raked: rake.Exchange, Seats: 6, Deck: card.French, High: eval.Standard, Streets: draws(5, 5, 1)},
	{Name: "deuce7", Title: "2-7 single draw", Raked: rake.Exchange, Seats: 6, Deck: card.French, High: eval.DeuceSeven, Streets: draws(5, 5, 1)},
	{
		Name: "deuce7td", Title: "2-7 triple draw", Raked: rake.Exchange, Seats: 6, Deck: card.French, High: eval.DeuceSeven,
		OwnDiscardsOneDraw: true, Streets: draws(5, 5, 3),
	},
	{
		Name: "badugi", Title: "Badugi", Raked: rake.Exchange, Seats: 8, Deck: card.French, High: eval.Badugi,
		OwnDiscardsOneDraw: true, Streets: draws(4, 4, 3),
	},
	// NX-A0..A6.
	{
		Name: "draw32", Title: "32-card draw", Raked: rake.Exchange, Seats: 5, Deck: card.Stripped32, High: eval.Draw32,
		Streets: []Street{
			{Name: "predraw", Down: 5, Opener: LeftOfBlinds},
			{Name: "draw", Burn: true, Draw: 4, Split: true, Opener: LeftOfBigBlind, Big: true},
		},
	},

	// BP-01..09: against the house.
	{
		Name: "bonus", Title: "Texas Hold'em Bonus Poker", Deck: card.French, High: eval.Standard, Settle: bonus.Settle,
		Streets: []Street{
			{Name: "preflop", Down: 2, Wager: 2, OrFold: true, Opener: LeftOfDealer},
			{Name: "flop", Burn: true, Board: 3, Wager: 1, Opener: LeftOfDealer},
			{Name: "turn", Burn: true, Board: 1, Wager: 1, Opener: LeftOfDealer},
			{Name: "river", Burn: true, Board: 1, Opener: LeftOfDealer},
		},
	},
}

// flop are the streets of the games with a board, for that many hole cards.
func flop(hole int) []Street {
	return []Street{
		{Name: "preflop", Down: hole, Opener: LeftOfBlinds},
		{Name: "flop", Burn: true, Board: 3, Opener: LeftOfButton},
		{Name: "turn", Burn: true, Board: 1, Opener: LeftOfButton, Big: true},
		{Name: "river", Burn: true, Board: 1, Opener: LeftOfButton, Big: true},
	}
}

// seventh are the streets of seven-card stud; first says who brings in.
func seventh(first Opener) []Street {
	return []Street{
		{Name: "third street", Down: 2, Up: 1, Opener: first},
		{Name: "fourth street", Burn: true, Up: 1, Opener: BestShowing},
		{Name: "fifth street", Burn: true, Up: 1, Opener: BestShowing, Big: true},
		{Name: "sixth street", Burn: true, Up: 1, Opener: BestShowing, Big: true},
		{Name: "seventh street", Burn: true, Down: 1, Shared: true, Opener: BestShowing, Big: true},
	}
}

// openPair are those streets with the upper size open on the second of them to who sees a pair (NX-62).
func openPair(streets []Street) []Street {
	streets[1].BigOnPair = true
	return streets
}

// fifth are the streets of the games of one card down and four up; first says who brings in. Nothing is burnt: in the
// games of 32 cards the deck would not last.
func fifth(first Opener) []Street {
	return []Street{
		{Name: "second street", Down: 1, Up: 1, Opener: first},
		{Name: "third street", Up: 1, Opener: BestShowing},
		{Name: "fourth street", Up: 1, Opener: BestShowing, Big: true},
		{Name: "fifth street", Up: 1, Opener: BestShowing, Big: true},
	}
}

// draws are the streets of the draw games: that many cards down, of which so many may be exchanged in each of some draws.
// The bets are of the upper size in the later half of the rounds (NX-21).
func draws(cards, exchange, times int) []Street {
	streets := []Street{{Name: "predraw", Down: cards, Opener: LeftOfBlinds}}
	for n := 1; n <= times; n++ {
		name := "draw"
		if times > 1 {
			name = [...]string{"first draw", "second draw", "third draw"}[n-1]
		}
		streets = append(streets, Street{Name: name, Burn: true, Draw: exchange, Opener: LeftOfButton, Big: 2*n > times})
	}
	return streets
}

// Houses are the houses there are, one value each. A new house is a new row.
var Houses = []*House{
	// TD-01..07: what a card room expects where no other house is chosen.
	{
		Name: "tda", MinSeats: 2, MaxSeats: 10, Burn: true, RaiseCap: 3, HeadsUpUncapped: true, HighCardOddChip: true,
	},
	// NX-01..B7. No rule on burns: on at a physical table.
	{
		Name: "noxwin", MinSeats: 2, MaxSeats: 8, Burn: true, RaiseCap: 3, ShortRaise: FullOnly, LateDrawCannotRaise: true,
		Protection: ProtectSmall, CrashVoids: true,
	},
	// TC-01..33.
	{
		Name: "cash", MinSeats: 2, MaxSeats: 10, Sizes: []int{2, 5, 10}, Burn: true, RaiseCap: 3, ShortRaise: MoreThanHalf,
		TimeoutSitsOut: true,
	},
	// NK-01..35.
	{Name: "naiko", MinSeats: 2, MaxSeats: 9, RaiseCap: 3, ShortRaise: FullOnly, AllShow: true},
	// BR-01..70. No rule on burns: on at a physical table.
	{
		Name: "betrebels", MinSeats: 2, MaxSeats: 10, Burn: true, ShortRaise: FullOnly, PotBeforeCall: true,
		BigTwiceSmall: true, HeadsUpButtonBig: true, BigBlindOpens: true, TimeoutFolds: true, Protection: ProtectAll, CrashVoids: true,
	},
	// BP-01..09: a table against the house, which one player is enough for.
	{Name: "bonus", MinSeats: 1, MaxSeats: 10, Burn: true},
}

// GameNamed finds a game by its short name.
func GameNamed(name string) (*Game, error) {
	for _, g := range Games {
		if g.Name == name {
			return g, nil
		}
	}
	return nil, unknown("game", name, Games, func(g *Game) string { return g.Name })
}

// HouseNamed finds a house by its profile's name.
func HouseNamed(name string) (*House, error) {
	for _, h := range Houses {
		if h.Name == name {
			return h, nil
		}
	}
	return nil, unknown("house", name, Houses, func(h *House) string { return h.Name })
}

func unknown[T any](what, name string, all []T, nameOf func(T) string) error {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = nameOf(v)
	}
	sort.Strings(names)
	return fmt.Errorf("unknown %s %q: want one of %s", what, name, strings.Join(names, ", "))
}
