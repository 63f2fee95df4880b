package play

import (
	"strings"
	"unicode/utf8"

	"tavolo/display/text"
	"tavolo/engine"
)

// sizing is a bet in preparation: the amount that the player is choosing. It never leaves the program before the player
// sends it.
type sizing struct {
	legal engine.Legal
	// to is the whole bet of the round, 0 for what is no amount.
	to engine.Chips
	// typed is what was typed of it, while typing.
	typing bool
	typed  string
}

// newSizing begins with the least that is legal.
func newSizing(l *engine.Legal) *sizing { return &sizing{legal: *l, to: l.MinTo} }

// preset is an amount that has a key of its own.
type preset struct {
	name string // of its text
	to   engine.Chips
}

// presets are the least, parts of the pot as it is after a call, and the most. The view may be newer than the turn.
func (s *sizing) presets(v *engine.View) []preset {
	least, most := preset{"min", s.legal.MinTo}, preset{"max", s.legal.MaxTo}
	if s.legal.TwoSizes {
		return []preset{least, most}
	}
	part := func(quarters engine.Chips) engine.Chips {
		return s.within(v.Bet + ((v.Total+s.legal.ToCall)*quarters+2)/4)
	}
	return []preset{least, {"half", part(2)}, {"three_quarters", part(3)}, {"pot", part(4)}, most}
}

// within moves an amount into what is legal.
func (s *sizing) within(to engine.Chips) engine.Chips { return s.legal.Within(to) }

// fits reports whether the amount is legal.
func (s *sizing) fits() bool { return s.to == s.within(s.to) }

// set takes an amount, moved into what is legal.
func (s *sizing) set(to engine.Chips) { s.to = s.within(to) }

// stepped is the amount a step up or down, on whole steps where there is room.
func (s *sizing) stepped(way, step engine.Chips) engine.Chips {
	to := s.within(s.to)
	if s.legal.TwoSizes {
		return s.within(to + way*s.legal.MaxTo)
	}
	if way < 0 {
		to += step - 1 // down from what lies between two steps is to the lower one
	}
	return s.within((to/step + way) * step)
}

// read takes the amount that was typed.
func (s *sizing) read(w *text.Words) {
	s.to, _ = w.Read(s.typed)
}

// longestTyped is as many figures as an amount may have.
const longestTyped = 16

// typed adds a figure to what was typed.
func typed(was, key string) string {
	if len(was) >= longestTyped {
		return was
	}
	return was + key
}

// rubbed takes the last figure off.
func rubbed(was string) string {
	_, n := utf8.DecodeLastRuneInString(was)
	return strings.TrimSuffix(was, was[len(was)-n:])
}
