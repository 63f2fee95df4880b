package engine_test

import (
	"testing"

	"tavolo/engine"
	"tavolo/engine/rake"
)

// TestNX30HowFarAGameMustCome: every game is raked from where the catalogue says, or as the game it is a kind of.
func TestNX30HowFarAGameMustCome(t *testing.T) {
	want := map[string]rake.Progress{
		"holdem": rake.Flop, "omaha": rake.Flop, "omaha8": rake.Flop, "omaha5": rake.Flop, "omaha6": rake.Flop, "omaha5-8": rake.Flop,
		"shortdeck": rake.Flop, "soko": rake.ThirdCard, "americana": rake.ThirdCard, "telesina": rake.ThirdCard,
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
