// Package engine is the rules of the table: a deterministic state machine that asks for cards and decisions and is told
// which came. It holds no deck, clock, lock or random number, reads and writes nothing, and may be called from any
// goroutine, since everything it works on is a value.
//
// The main path is Apply. Ask State.Awaits what the table waits for, answer with an Input, and Apply gives the next State
// and the Events that followed, or a *RuleError and the State as it was. Inside, three jobs stay apart: decide says what an
// input leads to, or which rule forbids it, and changes nothing; evolve folds in one event and asks no questions; next says
// what follows by itself. So folding the events again gives back the state (Replay), and a power cut is a replay.
//
// Games, limits and houses are data: see Games, Houses and Rules. View and Redact alone decide who may see a card.
package engine

// Apply puts one input to a table. It gives the table's next state and what followed, in order; or the state unchanged,
// no events, and a *RuleError that says which rule forbids the input.
func Apply(s State, in Input) (State, []Event, error) {
	events, err := Step(&s, in, nil)
	return s, events, err
}

// Step is Apply in place: it changes *s, and appends the events to a slice the caller may use again. It is for callers
// who play many hands; on an error *s and the slice are as they were.
func Step(s *State, in Input, events []Event) ([]Event, error) {
	n := len(events)
	events, err := decide(s, &in, events)
	if err != nil {
		return events, err
	}
	for {
		for ; n < len(events); n++ {
			evolve(s, &events[n])
		}
		if events = next(s, events); n == len(events) {
			return events, nil
		}
	}
}

// Replay folds events, as Apply gave them, into a state: the same state that Apply gave.
func Replay(s State, events []Event) State {
	for i := range events {
		evolve(&s, &events[i])
	}
	return s
}
