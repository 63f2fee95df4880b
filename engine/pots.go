package engine

import (
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// Pot is one pot: the main pot, or a side pot.
type Pot struct {
	Amount Chips
	// Seats may win it.
	Seats Seats
}

// Pots are the pots of the hand as far as bets are collected, the main pot first. Each seat can win from each other no
// more than it put in itself (NX-10); a pot has the seats still claiming it that paid its full share.
func (s *State) Pots() (pots [MaxSeats]Pot, n int) {
	var below Chips
	for {
		level := Chips(-1)
		for i := range s.Seats {
			if p := &s.Seats[i]; claims(p) && p.Put > below && (level < 0 || p.Put < level) {
				level = p.Put
			}
		}
		if level < 0 {
			break
		}
		for i := range s.Seats {
			p := &s.Seats[i]
			pots[n].Amount += min(p.Put, level) - min(p.Put, below)
			if claims(p) && p.Put >= level {
				pots[n].Seats = pots[n].Seats.With(Seat(i))
			}
		}
		below, n = level, n+1
	}
	if n == 0 { // only dead money so far
		for i := range s.Seats {
			if claims(&s.Seats[i]) {
				pots[0].Seats = pots[0].Seats.With(Seat(i))
			}
		}
		n = 1
	}
	pots[0].Amount += s.Dead
	for i := range s.Seats { // what a seat that gave up had put in above all others
		if p := &s.Seats[i]; p.Put > below {
			pots[n-1].Amount += p.Put - below
		}
	}
	return pots, n
}

// award pays the pots out, the rake first (NX-35), and ends the hand.
func award(s *State, events []Event) []Event {
	pots, n := s.Pots()
	rake := s.Rake
	for i := range n {
		if take := min(rake, pots[i].Amount); take > 0 {
			events = append(events, Event{Kind: RakeTaken, Pot: int8(i), Amount: take})
			pots[i].Amount -= take
			rake -= take
		}
	}
	var strength [MaxSeats + 1]eval.Strength
	if s.count(claims) > 1 {
		for i := range s.Seats {
			if claims(&s.Seats[i]) {
				strength[i] = s.strength(Seat(i))
			}
		}
	}
	for i := range n {
		events = s.split(int8(i), pots[i], &strength, events)
	}
	return append(events, Event{Kind: HandEnded})
}

// split shares one pot among its best hands, odd chips one each from the left of the button (TD-05, P2, P3).
func (s *State) split(number int8, pot Pot, strength *[MaxSeats + 1]eval.Strength, events []Event) []Event {
	var winners [MaxSeats]Seat
	n := 0
	for i, seat := 0, s.Button; i < MaxSeats; i++ {
		seat = left(seat)
		switch {
		case !pot.Seats.Has(seat):
		case n == 0 || strength[seat] > strength[winners[0]]:
			winners[0], n = seat, 1
		case strength[seat] == strength[winners[0]]:
			winners[n] = seat
			n++
		}
	}
	chip := s.Rules.Stakes.chip()
	units, loose := pot.Amount/chip, pot.Amount%chip
	for i, seat := range winners[:n] {
		share := units / Chips(n) * chip
		if Chips(i) < units%Chips(n) {
			share += chip
		}
		if i == 0 {
			share += loose
		}
		if share > 0 {
			events = append(events, Event{Kind: PotAwarded, Seat: seat, Pot: number, Amount: share})
		}
	}
	return events
}

// strength ranks a seat's hand with the board as it is.
func (s *State) strength(i Seat) eval.Strength {
	p := &s.Seats[i]
	return s.Rules.Game.High.Strength(s.Rules.Game.Use, card.SetOf(p.Hole[:p.HoleLen]...), card.SetOf(s.Board[:s.BoardLen]...))
}
