package engine

import "fmt"

// RuleError says why an input is refused: the table did something illegal, which is expected, shown to the dealer or the
// player, and leaves the state as it was. Codes are stable, they go out over MQTT.
type RuleError struct {
	// Code names the kind of fault, in words joined by underscores.
	Code Code
	// Seat is whose fault it is, 0 for the table's.
	Seat Seat
	// Rule is the id in the rule catalogue, where one says it.
	Rule string
	// Text is one sentence for a person.
	Text string
}

// Code is a RuleError's kind.
type Code string

// The codes.
const (
	CodeNoHand       Code = "no_hand"
	CodeHandInPlay   Code = "hand_in_play"
	CodeTooFew       Code = "too_few_players"
	CodeBadSeat      Code = "bad_seat"
	CodeSeatTaken    Code = "seat_taken"
	CodeSeatEmpty    Code = "seat_empty"
	CodeTableFull    Code = "table_full"
	CodeBadAmount    Code = "bad_amount"
	CodeNotAwaited   Code = "not_awaited"
	CodeNotCovered   Code = "not_covered"
	CodeOutOfTurn    Code = "out_of_turn"
	CodeCannotCheck  Code = "cannot_check"
	CodeNothingToDo  Code = "nothing_to_call"
	CodeCannotRaise  Code = "cannot_raise"
	CodeTooLittle    Code = "too_little"
	CodeTooMuch      Code = "too_much"
	CodeNotInChips   Code = "not_in_chips"
	CodeDuplicate    Code = "duplicate_card"
	CodeForeign      Code = "foreign_card"
	CodeMustShow     Code = "must_show"
	CodeUnknownCards Code = "unknown_cards"
	CodeOwnDiscard   Code = "own_discard"
	CodeBringIn      Code = "must_bring_in"
	CodeBadInput     Code = "bad_input"
	CodeNoPower      Code = "no_power"
	CodePowerUsed    Code = "power_used"
	CodeTooFewSparks Code = "too_few_sparks"
	CodeTooLate      Code = "too_late"
	CodeBadTarget    Code = "bad_target"
	CodeNotPeeked    Code = "not_peeked"
	CodeMisdeal      Code = "misdeal"
	CodeSuspended    Code = "suspended"
)

// Error is the sentence, with the seat, the code and the rule.
func (e *RuleError) Error() string {
	s := e.Text
	if e.Seat != 0 {
		s = fmt.Sprintf("seat %d: %s", e.Seat, s)
	}
	if e.Rule != "" {
		s += " (" + e.Rule + ")"
	}
	return s
}

func refuse(code Code, seat Seat, rule, format string, args ...any) *RuleError {
	return &RuleError{Code: code, Seat: seat, Rule: rule, Text: fmt.Sprintf(format, args...)}
}
