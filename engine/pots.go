package engine

import (
	"cmp"
	"slices"

	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/rake"
)

// Pot is one pot: the main pot, or a side pot.
type Pot struct {
	Amount Chips
	// Seats may win it.
	Seats Seats
}

// Pots are the pots of the hand as far as bets are collected, the main pot first; there is always one. Each seat can win
// from each other no more than it put in itself (NX-10), so there is a pot for every height at which a live seat stopped,
// less those that the same seats may win. Money that is nobody's bet is the lowest.
func (s *State) Pots() (pots [MaxSeats]Pot, n int) {
	add := func(amount Chips, seats Seats) {
		if n > 0 && pots[n-1].Seats == seats {
			n--
		}
		pots[n].Amount += amount
		pots[n].Seats = seats
		n++
	}
	if s.Dead > 0 {
		add(s.Dead, s.claimants(0))
	}
	below := Chips(0)
	for level := s.nextLevel(0); level > 0; level = s.nextLevel(below) {
		add(s.putBetween(below, level), s.claimants(level))
		below = level
	}
	if n == 0 {
		add(0, s.claimants(0))
	}
	pots[n-1].Amount += s.putBetween(below, MaxChips) // by seats that folded, above all who are still in
	return pots, n
}

// putBetween is what all seats put in above one height and up to another.
func (s *State) putBetween(low, high Chips) (sum Chips) {
	for i := range s.Seats {
		sum += max(0, min(s.Seats[i].Put, high)-low)
	}
	return sum
}

// nextLevel is the least that a live seat put in above an amount, 0 if none did.
func (s *State) nextLevel(below Chips) (level Chips) {
	for i := range s.Live.all() {
		if put := s.Seats[i].Put; put > below && (level == 0 || put < level) {
			level = put
		}
	}
	return level
}

// claimants are the seats that may win what was put in up to a level. A seat that mucked keeps what nobody else can win.
func (s *State) claimants(level Chips) Seats {
	in := s.among(s.Live, func(p *Place) bool { return p.Put >= level })
	if claim := in & s.claims(); claim != 0 {
		return claim
	}
	return in
}

// lastClaim reports whether seat i is the last hand not mucked of several that a pot is between.
func (s *State) lastClaim(i Seat) bool {
	var others Chips
	for j := range s.Live.Without(i).all() {
		others = max(others, s.Seats[j].Put)
	}
	return s.claimants(min(others, s.Seats[i].Put)) == Seats(0).With(i)
}

// award pays the pots out, the rake first (NX-35), from the last pot created back to the main pot (TC-30), and ends the hand.
func award(s *State, events []Event) []Event {
	pots, n := s.Pots()
	rake := s.Rake + s.rake()
	for i := range n {
		if take := min(rake, pots[i].Amount); take > 0 {
			events = append(events, Event{Kind: RakeTaken, Pot: int8(i), Amount: take})
			pots[i].Amount -= take
			rake -= take
		}
	}
	var high, low, none [MaxSeats + 1]eval.Strength
	contested := s.claims().Len() > 1
	for i := range s.claims().all() {
		switch {
		case s.shares(s.Live):
		case contested:
			high[i], low[i] = s.strength(i), s.lowStrength(i)
		case s.Seats[i].Shown: // which the others saw, and mucked
			high[i] = s.strength(i)
		}
	}
	for i := n - 1; i >= 0; i-- {
		share := Event{Kind: PotAwarded, Pot: int8(i), Amount: pots[i].Amount}
		if s.shares(pots[i].Seats) {
			events = s.split(share, pots[i].Seats, s.Rules.Game.High, &none, events)
			continue
		}
		lows := pots[i].Seats & seatsWith(&low)
		if lows != 0 { // the odd chip of the halving goes to the high hand (NX-44)
			share.Amount = s.inChips(pots[i].Amount / 2)
			share.Low = true
			events = s.split(share, lows, s.Rules.Game.Low, &low, events)
			share.Amount, share.Low = pots[i].Amount-share.Amount, false
		}
		events = s.split(share, pots[i].Seats, s.Rules.Game.High, &high, events)
	}
	return append(events, Event{Kind: HandEnded})
}

// rake is what the house takes of the hand, nothing if it did not come far enough (NX-30).
func (s *State) rake() Chips {
	came := rake.Progress{Board: int(s.BoardLen)}
	for i := range s.Seats {
		p := &s.Seats[i]
		came.Exchanged += int(p.Exchanged)
		if s.Live.Has(Seat(i)) {
			came.Cards = max(came.Cards, int(p.HoleLen))
		}
	}
	if !came.Reached(s.Rules.Game.Raked) {
		return 0
	}
	return Chips(s.Rules.Rake.Take(int64(s.Total()), s.count(wasDealt)))
}

// seatsWith are the seats that have a hand at all.
func seatsWith(strength *[MaxSeats + 1]eval.Strength) (ss Seats) {
	for i, st := range strength {
		if st > 0 {
			ss = ss.With(Seat(i))
		}
	}
	return ss
}

// inChips is as much of an amount as can be paid in the chips in play.
func (s *State) inChips(amount Chips) Chips { return amount - amount%s.Rules.Stakes.chip() }

// split shares a pot, or one half of it, among the best hands of some seats, odd chips one each from the left of the
// button (TD-05, P2, P3).
func (s *State) split(share Event, among Seats, ranking eval.Ranking, strength *[MaxSeats + 1]eval.Strength, events []Event) []Event {
	var winners [MaxSeats]Seat
	n, players := 0, s.Live.Len() // who mucked was at the showdown too (NX-93)
	for seat := range clockwise(s.Button) {
		if !among.Has(seat) {
			continue
		}
		better := 1
		if n > 0 {
			better = ranking.Compare(strength[seat], strength[winners[0]], players)
		}
		switch {
		case better > 0:
			winners[0], n = seat, 1
		case better == 0:
			winners[n] = seat
			n++
		}
	}
	if s.Rules.House.HighCardOddChip && s.Rules.Game.BringIn {
		slices.SortStableFunc(winners[:n], func(a, b Seat) int { return cmp.Compare(s.highCard(b), s.highCard(a)) })
	}
	chip := s.Rules.Stakes.chip()
	units, loose := share.Amount/chip, share.Amount%chip
	for i, seat := range winners[:n] {
		share.Seat, share.Amount, share.Cards = seat, units/Chips(n)*chip, Cards{}
		if s.Seats[seat].Shown && strength[seat] > 0 {
			share.Cards = CardsOf(s.laidOut(seat, ranking)...)
		}
		if Chips(i) < units%Chips(n) {
			share.Amount += chip
		}
		if i == 0 {
			share.Amount += loose
		}
		if share.Amount > 0 {
			events = append(events, share)
		}
	}
	return events
}

// highCard is the seat's highest card by rank and suit, for odd chips.
func (s *State) highCard(i Seat) (order int) {
	for _, c := range s.Seats[i].Hole.Slice() {
		order = max(order, s.Rules.Game.cardOrder(c))
	}
	return order
}

// strength ranks a seat's hand with the board as it is.
func (s *State) strength(i Seat) eval.Strength {
	p := &s.Seats[i]
	return s.Rules.Game.High.Strength(s.Rules.Game.Use, card.SetOf(p.Hole[:p.HoleLen]...), card.SetOf(s.Board[:s.BoardLen]...))
}

// best are the cards that make a seat's hand, and those that make its low hand.
func (s *State) best(i Seat) (high, low []card.Card) {
	high = s.laidOut(i, s.Rules.Game.High)
	if s.Rules.Game.Low.Of != nil {
		low = s.laidOut(i, s.Rules.Game.Low)
	}
	return high, low
}

// laidOut are the cards that make a seat's hand in a ranking.
func (s *State) laidOut(i Seat, ranking eval.Ranking) []card.Card {
	p := &s.Seats[i]
	_, cards := ranking.Best(s.Rules.Game.Use, card.SetOf(p.Hole[:p.HoleLen]...), card.SetOf(s.Board[:s.BoardLen]...))
	return cards
}

// lowStrength ranks a seat's low hand, 0 where it has none or the game knows none.
func (s *State) lowStrength(i Seat) eval.Strength {
	if s.Rules.Game.Low.Of == nil {
		return 0
	}
	p := &s.Seats[i]
	return s.Rules.Game.Low.Strength(s.Rules.Game.Use, card.SetOf(p.Hole[:p.HoleLen]...), card.SetOf(s.Board[:s.BoardLen]...))
}
