package phh

import "tavolo/engine/card"

// variant is what the notation depends on: which fields a hand has and which cards it may name.
type variant struct {
	fixed bool     // small_bet and big_bet, no min_bet
	stud  bool     // bring_in, no blinds_or_straddles
	draw  bool     // the muck is shuffled into a new stub when the stub runs out
	deck  card.Set // zero is all 52 cards
}

// variants has the eleven of the specification and those which files mark as their own by an underscore.
var variants = map[string]variant{
	"FT":    {fixed: true},
	"NT":    {},
	"NS":    {deck: card.Short36},
	"PO":    {},
	"FO/8":  {fixed: true},
	"F7S":   {fixed: true, stud: true},
	"F7S/8": {fixed: true, stud: true},
	"FR":    {fixed: true, stud: true},
	"N2L1D": {draw: true},
	"F2L3D": {fixed: true, draw: true},
	"FB":    {fixed: true, draw: true},

	"_F5D":   {fixed: true, draw: true}, // five-card draw
	"_P5D":   {draw: true},
	"_N5D":   {draw: true},
	"_NO8":   {}, // Omaha hi/lo
	"_PO8":   {},
	"_PO5":   {}, // Omaha with five or six hole cards
	"_PO6":   {},
	"_PO5/8": {},
}
