package replay

import (
	"strings"

	"tavolo/engine"
)

// variant is a game and a limit that a code of the format names.
type variant struct {
	code, game string
	limit      engine.Limit
}

// variants are the codes that the format or public collections have. Every other game and limit has a code of our own: see
// Code.
var variants = []variant{
	{"NT", "holdem", engine.NoLimit},
	{"FT", "holdem", engine.FixedLimit},
	{"NS", "shortdeck", engine.NoLimit},
	{"PO", "omaha", engine.PotLimit},
	{"_PO5", "omaha5", engine.PotLimit},
	{"_PO6", "omaha6", engine.PotLimit},
	{"FO/8", "omaha8", engine.FixedLimit},
	{"_NO8", "omaha8", engine.NoLimit},
	{"_PO8", "omaha8", engine.PotLimit},
	{"_PO5/8", "omaha5-8", engine.PotLimit},
	{"F7S", "stud", engine.FixedLimit},
	{"F7S/8", "stud8", engine.FixedLimit},
	{"FR", "razz", engine.FixedLimit},
	{"N2L1D", "deuce7", engine.NoLimit},
	{"F2L3D", "deuce7td", engine.FixedLimit},
	{"FB", "badugi", engine.FixedLimit},
	{"_F5D", "draw5", engine.FixedLimit},
	{"_P5D", "draw5", engine.PotLimit},
	{"_N5D", "draw5", engine.NoLimit},
}

// limitLetters are the limits in codes.
var limitLetters = map[engine.Limit]string{
	engine.FixedLimit: "F", engine.NoLimit: "N", engine.PotLimit: "P", engine.HalfPot: "H", engine.SpreadLimit: "S",
}

// Code is the variant of a game and limit in a record: NT, FO/8. Where neither the format nor the public collections have
// one it is a code of our own, an underscore, the limit's letter (F fixed, N no limit, P pot, H half-pot, S spread) and the
// game's short name in capitals: _FSOKO, _PTELESINA.
func Code(g *engine.Game, l engine.Limit) string {
	for _, v := range variants {
		if v.game == g.Name && v.limit == l {
			return v.code
		}
	}
	return "_" + limitLetters[l] + strings.ToUpper(g.Name)
}

// variantNamed is what a code stands for.
func variantNamed(code string) (*engine.Game, engine.Limit, bool) {
	for _, v := range variants {
		if v.code == code {
			g, err := engine.GameNamed(v.game)
			return g, v.limit, err == nil
		}
	}
	for l, letter := range limitLetters {
		name, ok := strings.CutPrefix(code, "_"+letter)
		if !ok {
			continue
		}
		g, err := engine.GameNamed(strings.ToLower(name))
		return g, l, err == nil && Code(g, l) == code
	}
	return nil, 0, false
}
