package port

import "time"

// State tells that a device works, or why it does not.
type State struct {
	Up  bool
	Err error // why it is not Up
	At  time.Time
}

// Now is the state of a device from now on: up, or failed with an error.
func Now(err error) State { return State{Up: err == nil, Err: err, At: time.Now()} }
