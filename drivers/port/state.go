package port

import "time"

// State tells that a device works, or why it does not.
type State struct {
	Up  bool
	Err error // why it is not Up
	At  time.Time
}

// Become makes s the state from now on: up, or failed with an error. It is no news where s was so already, for the same
// reason: attempts that fail one like the other are told once. The zero State is that of a device nothing was told of.
func (s *State) Become(err error) (news bool) {
	if s.Up == (err == nil) && !s.At.IsZero() && (err == nil || s.Err.Error() == err.Error()) {
		return false
	}
	*s = State{Up: err == nil, Err: err, At: time.Now()}
	return true
}
