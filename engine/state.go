package engine

import (
	"fmt"

	"tavolo/engine/card"
)

// State is a table: its seats between hands and the hand in play. It is a value: assignment copies it, == compares it,
// and two equal states answer equal inputs equally. Only Apply and Replay make a new one from an old one; read its
// fields, do not set them. The zero value with Rules set is an empty table before its first hand.
type State struct {
	// Rules is what the table plays by.
	Rules *Rules `json:"-"`
	// Seq is the number of events so far, over all hands; the last event's number.
	Seq uint64
	// Hand is the number of the hand in play, or of the last one.
	Hand  uint64
	Phase Phase
	// Street is the number of the street in play, 0 for the first.
	Street int8
	// Button, SmallBlind and BigBlind are the positions of the hand. Nobody may sit at a dead button or small blind.
	Button, SmallBlind, BigBlind Seat
	// Opener is the seat of the last blind or straddle, whose left opens the first street.
	Opener Seat
	// Live are the seats that are still in the hand.
	Live Seats
	// Turn is the seat that is to act or to show, 0 for none.
	Turn Seat
	// Aggressor is the last seat to bet or raise in the round, who shows first.
	Aggressor Seat
	// CalledOff is whether the last hand was called off: the next one is the same again.
	CalledOff bool
	// Burnt is whether the street's burn has been made, Shared whether its card lies in the middle as everybody's.
	Burnt, Shared bool
	// MaySplit is whether an offer to split the pots may still be made or taken, Split are the seats that made or took it,
	// Refused those, all-in, that keep it from the pots they are in.
	MaySplit       bool
	Split, Refused Seats
	// Gone is the number of cards, known or not, that left the shoe since it was last loaded.
	Gone int8
	// Exposures is the number of cards that were exposed in the deal of this street.
	Exposures int8
	// Boxed is the number of cards of the hand that lay the wrong way up in the deck.
	Boxed int8
	// NoBurn are the streets that need no burn, since there is one already or none is due, bit n for street n.
	NoBurn uint8
	// Early are community cards that came too early. They lie aside until street Shuffle, when they go back into the stub; 0
	// for none.
	Early   card.Set
	Shuffle int8
	// Suspended is whether the floor has stopped play.
	Suspended bool
	// FaceUp is whether betting ended early and every live hand is shown.
	FaceUp bool
	// Raises is the number of raises after the bet in a fixed-limit round, RoundSeats the seats live when it began.
	Raises, RoundSeats int
	// BoardLen is the number of cards on Board.
	BoardLen int8
	Board    [MaxBoard]card.Card
	// Bet is the bet to meet in this round, MinRaise what a raise must add at least, FullBet the bet after the last full bet
	// or raise, without shorter all-ins.
	Bet, MinRaise, FullBet Chips
	// Dead is the money in the main pot that is nobody's bet.
	Dead Chips
	// Paid is what has left the pots while they are awarded.
	Paid Chips
	// Rake is what is yet to be taken of a recorded hand.
	Rake Chips
	// Bank is what the house has won from the boxes of a game against it since the table was opened, less what it paid them.
	Bank Chips
	// Removed is how many cards were set aside since the shoe was last loaded.
	Removed int8
	// Out are the known cards that left the shoe in this hand, Discarded those of them that were thrown away or set
	// aside since it was last loaded.
	Out, Discarded card.Set
	// Powers is how powers stand in this hand.
	Powers PowersInPlay
	// Seats are the seats from 1; Seats[0] has the house's hand in a game against it.
	Seats [MaxSeats + 1]Place
}

// Phase is where a table is in a hand.
type Phase uint8

const (
	// Between hands: seats come and go, a hand may start.
	Between Phase = iota
	// Drawing: seats say which cards they exchange.
	Drawing
	// Dealing: cards are awaited.
	Dealing
	// Swapping: a card is awaited in the betting, for the seat whose turn it is in place of one it threw away, or for the
	// button that was dealt one too few.
	Swapping
	// Answering: a seat may answer an anchor.
	Answering
	// Betting: a decision is awaited.
	Betting
	// Closed: a round of betting is over; passed through, never waited in.
	Closed
	// Showing: hands are being shown.
	Showing
)

var phaseNames = names[Phase]{"between", "drawing", "dealing", "swapping", "answering", "betting", "closed", "showing"}

// String is the phase's name.
func (p Phase) String() string { return phaseNames.text(p) }

// MarshalText writes the phase's name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Phase) UnmarshalText(b []byte) (err error) {
	*p, err = phaseNames.parse("phase", b)
	return err
}

// Place is one seat of a State: who sits there, with what, and how the hand goes for it.
type Place struct {
	// Stack is behind, Bet in front in this round, Put collected into the pots in this hand as the seat's own.
	Stack, Bet, Put Chips
	// ActedAt is the bet to meet just after the seat acted in this round.
	ActedAt Chips
	// Ante and Bonus are the stake of a box in a game against the house, from when it is put down, and part of Put.
	Ante, Bonus Chips
	// Short is what a blind posted all-in lacks of its full size, Start the stack at the start of the hand.
	Short, Start Chips
	// Aside is what a cap or a lost connection keeps out of the hand.
	Aside Chips
	// Won is what the seat was paid of the pots of the last hand.
	Won Chips
	// Thrown are the known cards it threw away that may not come back to it.
	Thrown card.Set
	// Discards is how many cards it threw away since the shoe was last loaded, Exchanged how many in the hand.
	Discards, Exchanged int8
	HoleLen             int8
	Hole                Cards
	// Up are the cards of Hole that lie face up, bit n for card n.
	Up uint8
	// Wagers are the streets on which a box in a game against the house bet, bit n for street n.
	Wagers uint8
	// Taken is whether a player has the seat, Out whether that player sits out, Waits whether for the big blind to come.
	Taken, Out, Waits bool
	// OwesBig and OwesSmall are the blinds to post when next dealt in elsewhere than on the big blind.
	OwesBig, OwesSmall bool
	// Dealt is whether the seat began the hand.
	Dealt bool
	// Acted is whether the seat has acted in this round.
	Acted bool
	// Shown and Mucked say what became of the hand at the showdown.
	Shown, Mucked bool
	// Exposed is whether the seat is to get another card for one that lay open in the deal, or in a game that deals cards face
	// up one less of those.
	Exposed bool
	// Drew is whether the seat has said in this draw what it exchanges, Late whether its time ran out over it.
	Drew, Late bool
	// Aimed is whether the seat has been the target of an anchor in this round, Anchored whether that holds.
	Aimed, Anchored bool
	// Sparks are what the seat pays for powers with, Used the powers it has used in this hand.
	Sparks int8
	Used   PowerSet
}

// Cards are the cards of one seat in the order they came, card.None behind the last.
type Cards [MaxHole]card.Card

// CardsOf gathers up to MaxHole cards.
func CardsOf(cards ...card.Card) (cs Cards) {
	copy(cs[:], cards)
	return cs
}

// Slice lists the cards there are.
func (cs Cards) Slice() []card.Card {
	n := 0
	for n < len(cs) && cs[n] != card.None {
		n++
	}
	return cs[:n:n]
}

// String writes the cards one after another: AhKd.
func (cs Cards) String() string { return card.Text(cs.Slice()) }

// MarshalText writes the cards as String does.
func (cs Cards) MarshalText() ([]byte, error) { return []byte(cs.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (cs *Cards) UnmarshalText(b []byte) error {
	list, err := card.ParseAll(string(b))
	if err != nil {
		return err
	}
	if len(list) > MaxHole {
		return fmt.Errorf("%s: more than %d cards", b, MaxHole)
	}
	*cs = CardsOf(list...)
	return nil
}

// Known reports whether every card of the seat's hand has a face.
func (p *Place) Known() bool {
	for _, c := range p.Hole[:p.HoleLen] {
		if !c.Known() {
			return false
		}
	}
	return true
}

// What a seat can be asked, for State.seats.
func isTaken(p *Place) bool   { return p.Taken }
func isReady(p *Place) bool   { return p.Taken && !p.Out && !p.Waits && p.Stack > 0 }
func isWaiting(p *Place) bool { return p.Taken && !p.Out && p.Waits && p.Stack > 0 }
func wasDealt(p *Place) bool  { return p.Dealt }

// seats are those that ok accepts.
func (s *State) seats(ok func(*Place) bool) Seats { return s.among(1<<len(s.Seats)-1, ok) }

// among are those of some seats that ok accepts.
func (s *State) among(ss Seats, ok func(*Place) bool) (chosen Seats) {
	for ; ss != 0; ss &= ss - 1 {
		if i := ss.first(); ok(&s.Seats[i]) {
			chosen = chosen.With(i)
		}
	}
	return chosen
}

func (s *State) count(ok func(*Place) bool) int { return s.seats(ok).Len() }

// canBet are the live seats that have chips to bet with, toShow those that have neither shown nor mucked, claims those that
// have not mucked.
func (s *State) canBet() Seats { return s.among(s.Live, func(p *Place) bool { return p.Stack > 0 }) }

func (s *State) toShow() Seats {
	return s.among(s.Live, func(p *Place) bool { return !p.Shown && !p.Mucked })
}
func (s *State) claims() Seats { return s.among(s.Live, func(p *Place) bool { return !p.Mucked }) }

// agreed reports whether everybody still in has said whether the pots are split, and nobody who could bet is against it.
func (s *State) agreed() bool { return s.Split != 0 && s.Live&^s.Split&^s.Refused == 0 }

// shares reports whether a pot is divided equally among those who may win it, since all of them have agreed (NX-A6).
func (s *State) shares(seats Seats) bool { return s.agreed() && seats&^s.Split == 0 }

// splittable reports whether there is a pot between several seats of which none has refused to split it.
func (s *State) splittable() bool {
	pots, n := s.Pots()
	for _, p := range pots[:n] {
		if p.Amount > 0 && p.Seats.Len() > 1 && p.Seats&s.Refused == 0 {
			return true
		}
	}
	return false
}

// street is the row of the street in play.
func (s *State) street() *Street { return &s.Rules.Game.Streets[s.Street] }

// holeWanted is the number of hole cards a live seat has when the street in play is dealt.
func (s *State) holeWanted() int8 {
	n := 0
	for _, st := range s.Rules.Game.Streets[:s.Street+1] {
		n += st.Down + st.Up
	}
	if s.Shared {
		n -= s.street().Down + s.street().Up
	}
	return int8(n)
}

// facesUp reports whether hole card number n, from 0, is dealt face up.
func (g *Game) facesUp(n int8) bool {
	for _, st := range g.Streets {
		if n < int8(st.Down) {
			return false
		}
		if n -= int8(st.Down); n < int8(st.Up) {
			return true
		}
		n -= int8(st.Up)
	}
	return false
}

// Showing are the cards of the seat that lie face up.
func (p *Place) Showing() card.Set {
	var set card.Set
	for i, c := range p.Hole[:p.HoleLen] {
		if p.Up&(1<<i) != 0 {
			set = set.Add(c)
		}
	}
	return set
}

// protected reports whether a lost connection keeps chips of the seat out of the hand, beyond what a cap does.
func (s *State) protected(p *Place) bool {
	byCap := Chips(0)
	if most := s.Rules.Stakes.Cap; most > 0 {
		byCap = max(0, p.Start-most)
	}
	return p.Aside > byCap
}

// dealsUp reports whether the game deals cards face up from the first street on. One that lay open by mistake then takes the
// place of one of those, instead of being replaced.
func (g *Game) dealsUp() bool { return g.Streets[0].Up > 0 }

// had is the number of hole cards the seat was dealt, an exposed one among them that is yet to be replaced.
func (s *State) had(p *Place) int8 {
	if p.Exposed && !s.Rules.Game.dealsUp() {
		return p.HoleLen + 1
	}
	return p.HoleLen
}

// burns reports whether a card is burnt before a street.
func (s *State) burns(street int) bool {
	return s.Rules.Game.Streets[street].Burn && s.Rules.House.Burn && s.NoBurn&(1<<street) == 0
}

// toDeal is the number of community cards and burns of a street.
func (s *State) toDeal(street int) int {
	n := s.Rules.Game.Streets[street].Board
	if s.burns(street) {
		n++
	}
	return n
}

// boardToCome is the number of cards that the streets to come take from the shoe, burns included.
func (s *State) boardToCome() (n int) {
	for street := int(s.Street) + 1; street < len(s.Rules.Game.Streets); street++ {
		n += s.toDeal(street)
	}
	return n
}

// boardBefore is the number of community cards of the streets before the one in play.
func (s *State) boardBefore() (n int8) {
	for _, st := range s.Rules.Game.Streets[:s.Street] {
		n += int8(st.Board)
	}
	return n
}

// spareBurn makes a card that is out the burn of the next street that has one.
func (s *State) spareBurn() {
	for street := int(s.Street) + 1; street < len(s.Rules.Game.Streets); street++ {
		if s.burns(street) {
			s.NoBurn |= 1 << street
			return
		}
	}
}

// boardWanted is the number of community cards when the street in play is dealt.
func (s *State) boardWanted() int8 {
	n := 0
	for _, st := range s.Rules.Game.Streets[:s.Street+1] {
		n += st.Board
	}
	if s.Shared {
		n++
	}
	return int8(n)
}

// Total is all the money in the hand, in the pots and in front.
func (s *State) Total() Chips {
	sum := s.Dead - s.Paid
	for i := range s.Seats {
		sum += s.Seats[i].Put + s.Seats[i].Bet
	}
	return sum
}

// Chips is all the money on the table. No input but SeatTaken, ChipsAdded, SeatLeft, StackCorrected and a rake changes it,
// or in a game against the house the sum of it and Bank.
func (s *State) Chips() Chips {
	sum := s.Total()
	for i := range s.Seats {
		sum += s.Seats[i].Stack + s.Seats[i].Aside
	}
	return sum
}
