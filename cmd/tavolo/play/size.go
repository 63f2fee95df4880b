package play

import "tavolo/engine"

// sizing is a bet in preparation: the amount that the player is choosing. It never leaves the program before the player
// sends it.
type sizing struct {
	legal engine.Legal
	// bet is the bet to meet, pot the pot once it is met: what the parts of the pot are counted by.
	bet, pot engine.Chips
	// step is what + and - change.
	step engine.Chips
	// amount is the whole bet of the round; 0 while nothing is typed.
	amount engine.Chips
	typed  bool        // by digits, to which more may follow
	behind engine.Seat // the box that the stake is put behind, 0 for one's own
	bonus  bool        // it is the bonus bet against the house
}

// mostTyped bounds what digits can make, far above any stack.
const mostTyped engine.Chips = 1e15

// newSizing begins with the least that is legal.
func newSizing(v *engine.View, l engine.Legal) *sizing {
	s := &sizing{
		legal: l, bet: v.Bet, pot: v.Total + l.ToCall, step: max(v.Stakes.BigBlind, 1), amount: l.MinTo,
	}
	if l.TwoSizes {
		s.step = l.MaxTo - l.MinTo
	}
	return s
}

// set takes an amount for the one in preparation, moved into what is legal.
func (s *sizing) set(c engine.Chips) {
	s.amount, s.typed = min(max(c, s.legal.MinTo), s.legal.MaxTo), false
}

// part is the bet that raises by quarters of the pot, moved into what is legal.
func (s *sizing) part(quarters engine.Chips) engine.Chips {
	if s.legal.TwoSizes {
		return s.legal.MinTo
	}
	return min(max(s.bet+s.pot*quarters/4, s.legal.MinTo), s.legal.MaxTo)
}

// press changes the amount by a key, if the key is one that does.
func (s *sizing) press(key string) {
	switch key {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if !s.typed {
			s.amount, s.typed = 0, true
		}
		if s.amount < mostTyped {
			s.amount = 10*s.amount + engine.Chips(key[0]-'0')
		}
	case "backspace":
		s.amount, s.typed = s.amount/10, true
	case "+", "=", "up":
		s.set(s.amount + s.step)
	case "-", "down":
		s.set(s.amount - s.step)
	case "pgup":
		s.set(s.amount + 10*s.step)
	case "pgdown":
		s.set(s.amount - 10*s.step)
	case "h":
		s.set(s.part(2))
	case "t":
		s.set(s.part(3))
	case "p":
		s.set(s.part(4))
	case "m":
		s.set(s.legal.MinTo)
	case "a":
		s.set(s.legal.MaxTo)
	}
}

// fault says why the amount cannot be sent, "" if it can.
func (s *sizing) fault() string {
	switch {
	case s.amount < s.legal.MinTo:
		return amount(s.legal.MinTo) + " at least."
	case s.amount > s.legal.MaxTo:
		return amount(s.legal.MaxTo) + " at most."
	case s.legal.TwoSizes && s.amount != s.legal.MinTo && s.amount != s.legal.MaxTo:
		return amount(s.legal.MinTo) + " or " + amount(s.legal.MaxTo) + "."
	}
	return ""
}
