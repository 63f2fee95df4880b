package gpiocdev

import (
	"context"
	"errors"
	"time"
)

// Lines are lines that are read until they are given back.
type Lines interface {
	Edges
	Close() error
}

// contactTime is how long a contact must keep its level. Cards and hands take 100 ms and more to pass one.
const contactTime = 5 * time.Millisecond

// OpenContacts takes lines of a chip of the board, "" for the chip that has them, for contacts and light barriers that
// connect them to ground: pulled up, so that one is active while its contact is open, and where its wire is broken.
func OpenContacts(chip string, lines []string) (Lines, error) {
	in, err := OpenInputs(chip, lines, InputOptions{Bias: PullUp, Debounce: contactTime})
	if err != nil {
		return nil, err
	}
	return in, nil
}

// Follow opens lines, tells which are active, and then each edge, until ctx ends; it returns nil then. An edge from before
// the levels were taken, which they have in them, is not told again. Both functions are called from the goroutine that calls
// Follow.
func Follow(ctx context.Context, open func() (Lines, error), levels func(uint64), edge func(Edge)) (err error) {
	lines, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	active, err := lines.Levels()
	if err != nil {
		return err
	}
	levels(active)
	return lines.Watch(ctx, func(e Edge) {
		if e.Lost == 0 && e.Active == (active&(1<<e.Line) != 0) {
			return
		}
		active = active&^(1<<e.Line) | b2u(e.Active)<<e.Line
		edge(e)
	})
}
