package main

import (
	"testing"

	"tavolo/engine"
)

// What a seat won is shown until the next hand, whatever is told meanwhile.
func TestWinningsStay(t *testing.T) {
	var p panels
	p.count([]engine.Event{{Kind: engine.HandBegan}, {Kind: engine.PotAwarded, Seat: 3, Amount: 20}, {Kind: engine.PotAwarded, Seat: 3, Amount: 5}})
	p.count(nil)
	p.count([]engine.Event{{Kind: engine.PlayerSatOut, Seat: 3}})
	if p.won[3] != 25 {
		t.Errorf("seat 3 won %d", p.won[3])
	}
	if p.count([]engine.Event{{Kind: engine.HandBegan}}); p.won[3] != 0 {
		t.Errorf("seat 3 won %d in a new hand", p.won[3])
	}
}
