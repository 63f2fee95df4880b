package display

import (
	"fmt"
	"strconv"

	"tavolo/engine"
)

// What a seat's display has room for: the link to the seat carries 40 bytes, the display shows four lines of twenty.
const (
	maxText  = 40
	maxLines = 4
)

// SeatNote is what a seat's display says that is in no view.
type SeatNote struct {
	// Won is what the seat was awarded in the hand that has just ended, 0 for nothing.
	Won engine.Chips
	// Thrown is how many cards the seat, whose turn it is to draw, is seen to have thrown away.
	Thrown int
	// Units is the number of chips in one of the table's currency: with 100, 1250 chips read 12.50. 0 or 1 counts chips.
	Units engine.Chips
}

// SeatText is what the small display at a seat says to who sits there: lines of ASCII parted by newlines, at most 4 of at
// most 20 characters and 40 bytes in all, the most important first. It never shows a card, whatever the view shows, since
// neighbours read the display too.
func SeatText(v engine.View, seat engine.Seat, note SeatNote) string {
	for i := range v.Seats {
		if v.Seats[i].Seat == seat {
			return fit(lines(v, &v.Seats[i], note))
		}
	}
	return fit([]string{fmt.Sprintf("SEAT %d", seat), "FREE"})
}

// lines are what there is to say, the most important first.
func lines(v engine.View, s *engine.SeatView, note SeatNote) []string {
	say := func(word string, n engine.Chips) string { return word + " " + amount(n, note.Units) }
	stack, pot := say("STACK", s.Stack), say("POT", v.Total)
	if v.Bank != nil { // against the house the box's own bets are what there is to win with
		pot = ""
		if b := s.Box; b != nil {
			pot = say("BETS", b.Ante+b.Bonus+b.Flop+b.Turn+b.River)
		}
	}
	switch a := v.Awaits; {
	case v.Bank != nil && v.Phase == engine.Between && !s.Out && s.Box != nil:
		return []string{pot, stack}
	case v.Bank != nil && v.Phase == engine.Between && !s.Out && note.Won == 0:
		return []string{"PLACE YOUR BET", stack}
	case v.Phase == engine.Between && note.Won > 0:
		return []string{say("WON", note.Won), stack}
	case s.Out && (!s.Live || v.Phase == engine.Between):
		return []string{"SIT OUT", stack}
	case v.Phase == engine.Between:
		return []string{stack}
	case !s.Dealt:
		return []string{"NEXT HAND", stack}
	case s.Mucked:
		return []string{"MUCKED", stack}
	case !s.Live:
		return []string{"FOLDED", stack, pot}
	case a.Seat == s.Seat && a.Kind == engine.AwaitReveal && a.MayMuck:
		return []string{"SHOW OR MUCK", pot}
	case a.Seat == s.Seat && a.Kind == engine.AwaitReveal:
		return []string{"SHOW YOUR HAND", pot}
	case a.Seat == s.Seat && a.Kind == engine.AwaitDiscard && note.Thrown == 0:
		return []string{fmt.Sprintf("THROW UP TO %d", a.Of), "OR STAND PAT: CALL"}
	case a.Seat == s.Seat && a.Kind == engine.AwaitDiscard:
		return []string{fmt.Sprintf("THROWN %d OF %d", note.Thrown, a.Of), "THEN PRESS CALL"}
	case a.Seat == s.Seat && a.Legal != nil:
		return append(turn(s, a.Legal, say), stack, pot)
	case s.AllIn:
		return []string{"ALL IN", pot}
	case s.Bet > 0:
		return []string{stack, say("BET", s.Bet), pot}
	}
	return []string{stack, pot}
}

// turn says what the seat whose turn it is may do. MIN and MAX are the whole bet, as on the panel.
func turn(s *engine.SeatView, l *engine.Legal, say func(string, engine.Chips) string) []string {
	var out []string
	switch {
	case l.BringIn > 0:
		out = append(out, say("BRING IN", l.BringIn))
	case l.Check && l.Split:
		out = append(out, "CHECK", "SPLIT: PRESS SHOW")
	case l.Check:
		out = append(out, "CHECK")
	case l.ToCall == s.Stack:
		out = append(out, say("CALL", l.ToCall)+" ALL IN")
	case l.ToCall > 0:
		out = append(out, say("CALL", l.ToCall))
	}
	switch {
	case !l.Raise:
	case l.TwoSizes:
		out = append(out, say("TO", l.MinTo)+say(" OR", l.MaxTo))
	case l.MinTo < l.MaxTo:
		out = append(out, say("MIN", l.MinTo))
		if l.MaxTo < s.Bet+s.Stack {
			out = append(out, say("MAX", l.MaxTo))
		}
	case l.Opens:
		out = append(out, say("BET", l.MinTo))
	default:
		out = append(out, say("RAISE TO", l.MinTo))
	}
	return out
}

// fit joins lines as far as there is room for them.
func fit(lines []string) string {
	out := ""
	for i, l := range lines {
		if l == "" {
			continue
		}
		if out != "" {
			l = "\n" + l
		}
		if i == maxLines || len(out)+len(l) > maxText {
			break
		}
		out += l
	}
	return out
}

// maxAmount is the length of the longest amount: it leaves room for the words beside it.
const maxAmount = 8

// amount writes chips in units, as exactly as maxAmount characters allow and never more than there is: 12.50, 9000000,
// 12.3M.
func amount(n, units engine.Chips) string {
	units = max(units, 1)
	whole, part := n/units, n%units
	if part > 0 {
		digits := len(strconv.FormatInt(int64(units-1), 10))
		if s := fmt.Sprintf("%d.%0*d", whole, digits, part); len(s) <= maxAmount {
			return s
		}
	}
	s := strconv.FormatInt(int64(whole), 10)
	for _, suffix := range "KMGTP" {
		if len(s) <= maxAmount {
			break
		}
		s = fmt.Sprintf("%d.%d%c", whole/1000, whole%1000/100, suffix)
		whole /= 1000
	}
	return s
}
