package phh

import (
	"strings"

	"tavolo/engine/card"
)

// variant is what the notation depends on: which fields a hand has and which cards it may name.
type variant struct {
	fixed  bool     // small_bet and big_bet, no min_bet
	spread bool     // _spread beside min_bet
	stud   bool     // bring_in, no blinds_or_straddles
	banked bool     // antes, _bonus_bets and _bank, and no other bets; one player will do
	draw   bool     // the muck is shuffled into a new stub when the stub runs out
	deck   card.Set // zero is all 52 cards
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

// games are those that a code of our own names: an underscore, the letter of a limit (F fixed, N no limit, P pot, H
// half-pot, S spread) and the game, as in _FSOKO. So every game can be written under every limit.
var games = map[string]variant{
	"HOLDEM":    {},
	"SHORTDECK": {deck: card.Short36},
	"OMAHA":     {},
	"OMAHA5":    {},
	"OMAHA6":    {},
	"OMAHA8":    {},
	"OMAHA5-8":  {},
	"STUD":      {stud: true},
	"STUD8":     {stud: true},
	"RAZZ":      {stud: true},
	"SOKO":      {stud: true},

	"SOKO-ONE-ENDED": {stud: true},

	"AMERICANA": {stud: true, deck: card.Stripped32},
	"TELESINA":  {stud: true, deck: card.Stripped32},
	"DRAW5":     {draw: true},
	"DEUCE7":    {draw: true},
	"DEUCE7TD":  {draw: true},
	"BADUGI":    {draw: true},
	"DRAW32":    {draw: true, deck: card.Stripped32},
	"BONUS":     {banked: true},
}

// variantOf is what the notation of a code depends on.
func variantOf(code string) (variant, bool) {
	if v, ok := variants[code]; ok {
		return v, true
	}
	if len(code) < 3 || code[0] != '_' || !strings.ContainsRune("FNPHS", rune(code[1])) {
		return variant{}, false
	}
	v, ok := games[code[2:]]
	v.fixed, v.spread = code[1] == 'F' && !v.banked, code[1] == 'S'
	return v, ok && (!v.banked || code[1] == 'F')
}
