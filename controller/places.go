package controller

import (
	"encoding/json"
	"fmt"

	"tavolo/engine"
)

// Places are places of cards, in a hand or on a seat's pad, numbered from 1: bit n for place n. In JSON they are a list.
type Places uint8

// PlacesOf gathers places, each within 1 and engine.MaxHole.
func PlacesOf(places ...int) (ps Places) {
	for _, n := range places {
		ps |= 1 << n
	}
	return ps
}

// List gives the places in order.
func (ps Places) List() []int {
	out := []int{}
	for n := 1; n <= engine.MaxHole; n++ {
		if ps&(1<<n) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// MarshalJSON writes the places as a list.
func (ps Places) MarshalJSON() ([]byte, error) { return json.Marshal(ps.List()) }

// UnmarshalJSON reads what MarshalJSON writes, in any order.
func (ps *Places) UnmarshalJSON(b []byte) error {
	var list []int
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("want a list of places of cards: %w", err)
	}
	*ps = 0
	for _, n := range list {
		if n < 1 || n > engine.MaxHole || *ps&(1<<n) != 0 {
			return fmt.Errorf("place %d of a card: want each once, from 1 to %d", n, engine.MaxHole)
		}
		*ps |= 1 << n
	}
	return nil
}
