// Package ledger keeps the money of a table by double entry: every chip that moves leaves one named account and arrives in
// another, so that all balances together are zero at any moment, and where each chip is can be read off the books alone.
//
// The main path is Enter, which turns one event of the engine into Postings and refuses an event that the books cannot
// follow: one that pays more than there is, or says that something holds what it does not. What no event tells, such as the
// part of the rake that goes to a jackpot, is a Transfer. The books hear of nothing else and know no rule of the game: what they
// say is their own, and Check holds it against the engine's state. A Ledger is a value that belongs to whoever has it: copies
// are independent, and one of them is not to be used from two goroutines at once.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"

	"tavolo/engine"
)

// Posting is one movement of money between two accounts.
type Posting struct {
	From   Account      `json:"from"`
	To     Account      `json:"to"`
	Amount engine.Chips `json:"amount"` // above 0
}

// Ledger is the books of one table. The zero value is that of a new table, where nobody has brought anything.
type Ledger struct {
	// Felt are the seats where people handle chips. What they win of others, or lose to them, goes through the tray when no
	// hand is in play; set it before the first event.
	Felt engine.Seats

	balances [accounts]engine.Chips
	// hand is what the events of the hand in play have moved, for a hand that is taken back.
	hand [accounts]engine.Chips
	// playing is whether a hand is in play, banked whether it is one against the house.
	playing, banked bool
	// owed is what the tray is yet to take of the seats at the felt, or below 0 to give to them.
	owed engine.Chips
}

// Balance is what an account holds: below 0 for one that has given more than it got.
func (l *Ledger) Balance(a Account) engine.Chips { return l.balances[a] }

// Check holds the books against a table: each seat has behind and in front what its accounts say, and the pots and the bank hold
// what they should. It is for any time after an event and before the next; while bets go back it knows only their sum.
func (l *Ledger) Check(s *engine.State) error {
	sum, inHand := engine.Chips(0), l.Balance(Pots)
	for _, b := range l.balances {
		sum += b
	}
	if sum != 0 {
		return fmt.Errorf("ledger: all balances together are %d, not 0", sum)
	}
	for seat := range s.Seats {
		p := &s.Seats[seat]
		stack := StackOf(engine.Seat(seat))
		if got, want := l.Balance(stack), p.Stack+p.Aside; got != want {
			return fmt.Errorf("ledger: %v: %d, at the table it is %d", stack, got, want)
		}
		bet, want := BetOf(engine.Seat(seat)), p.Bet
		if s.Rules.Game.Banked() {
			want += p.Put
		}
		if got := l.Balance(bet); got != want && s.Paid == 0 {
			return fmt.Errorf("ledger: %v: %d, at the table it is %d", bet, got, want)
		}
		inHand += l.Balance(bet)
	}
	if want := s.Total(); inHand != want {
		return fmt.Errorf("ledger: bets and pots hold %d, at the table they are %d", inHand, want)
	}
	if got := l.Balance(Bank); s.Rules.Game.Banked() && got != s.Bank {
		return fmt.Errorf("ledger: the bank holds %d, at the table it is %d", got, s.Bank)
	}
	return nil
}

// Transfer moves an amount, of 0 or more, between two accounts for a reason that no event tells. An error says which account
// has less than that; nothing has moved then.
func (l *Ledger) Transfer(from, to Account, amount engine.Chips) error {
	if amount < 0 {
		return fmt.Errorf("ledger: %d from %v to %v: the amount is below zero", amount, from, to)
	}
	e := entry{Ledger: *l}
	e.move(from, to, amount)
	if err := e.overdrawn(); err != nil {
		return fmt.Errorf("ledger: %d from %v to %v: %w", amount, from, to, err)
	}
	*l = e.Ledger
	return nil
}

// Enter takes one event into the books, and gives what it moved; nothing for an event that is not about money. The error says
// why the books do not balance by it; they are then as they were.
func (l *Ledger) Enter(ev *engine.Event) ([]Posting, error) {
	if !moves(ev.Kind) {
		return nil, nil
	}
	e := entry{Ledger: *l}
	err := errors.Join(e.enter(ev), e.overdrawn())
	if err != nil {
		who := ""
		if ev.Seat != 0 {
			who = fmt.Sprintf(" of seat %d", ev.Seat)
		}
		return nil, fmt.Errorf("ledger: %v%s: %w", ev.Kind, who, err)
	}
	*l = e.Ledger
	return e.postings, nil
}

// MarshalJSON writes the balances of books between hands, those that are not 0 by the names of the accounts.
func (l Ledger) MarshalJSON() ([]byte, error) {
	kept := map[Account]engine.Chips{}
	for a, b := range l.balances {
		if b != 0 {
			kept[Account(a)] = b
		}
	}
	return json.Marshal(kept)
}

// UnmarshalJSON reads what MarshalJSON writes; Felt stays.
func (l *Ledger) UnmarshalJSON(data []byte) error {
	var kept map[Account]engine.Chips
	if err := json.Unmarshal(data, &kept); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	*l = Ledger{Felt: l.Felt}
	sum := engine.Chips(0)
	for a, b := range kept {
		l.balances[a] = b
		sum += b
	}
	if sum != 0 {
		return fmt.Errorf("ledger: all balances together are %d, not 0", sum)
	}
	return nil
}

// moves reports whether an event may be about money.
func moves(k engine.EventKind) bool {
	switch k {
	case engine.PlayerSat, engine.StackAdded, engine.StackAdjusted, engine.PlayerLeft, engine.PlayerMoved, engine.AwardMoved,
		engine.HandBegan, engine.HandRewound, engine.HandEnded, engine.AntePosted, engine.DeadPosted, engine.BlindPosted,
		engine.PlayerActed, engine.UncalledReturned, engine.BetsCollected, engine.BetRefunded, engine.RakeTaken, engine.PotAwarded,
		engine.StakePlaced, engine.BoxSettled:
		return true
	}
	return false
}

// entry is one entry being made, in books of its own.
type entry struct {
	Ledger
	postings []Posting
}

// enter makes the postings of an event.
func (e *entry) enter(ev *engine.Event) error {
	stack, bet := StackOf(ev.Seat), BetOf(ev.Seat)
	if ev.Seat < 0 || ev.Seat > engine.MaxSeats || ev.Target < 0 || ev.Target > engine.MaxSeats {
		return fmt.Errorf("there are no seats %d and %d", ev.Seat, ev.Target)
	}
	if ev.Amount < 0 && ev.Kind != engine.StackAdjusted || ev.Bonus < 0 {
		return fmt.Errorf("%d and %d: an amount is below zero", ev.Amount, ev.Bonus)
	}
	var err error
	switch ev.Kind {
	case engine.PlayerSat:
		err = e.holds(stack, 0)
		e.move(Cage, stack, ev.Amount)
	case engine.StackAdded:
		e.move(Cage, stack, ev.Amount)
	case engine.StackAdjusted:
		e.move(Adjustments, stack, ev.Amount)
	case engine.PlayerLeft:
		err = e.holds(stack, ev.Amount)
		e.move(stack, Cage, ev.Amount)
	case engine.PlayerMoved:
		err = e.holds(StackOf(ev.Target), 0)
		e.move(stack, StackOf(ev.Target), e.Balance(stack))
	case engine.AwardMoved:
		e.move(stack, StackOf(ev.Target), ev.Amount)

	case engine.HandBegan:
		err = e.begin()
	case engine.HandRewound:
		e.takeBack()
	case engine.HandEnded:
		err = e.end()

	case engine.AntePosted, engine.DeadPosted:
		e.move(stack, Pots, ev.Amount)
	case engine.BlindPosted:
		e.move(stack, bet, ev.Amount)
	case engine.PlayerActed:
		e.move(stack, bet, ev.Amount)
		if !e.banked {
			err = e.holds(bet, ev.To)
		}
	case engine.UncalledReturned:
		e.move(bet, stack, ev.Amount)
	case engine.BetsCollected:
		err = e.collect(ev.Amount)
	case engine.BetRefunded:
		before := min(ev.Amount, e.Balance(bet)) // the rest is in the pots already
		e.move(bet, stack, before)
		e.move(Pots, stack, ev.Amount-before)
	case engine.RakeTaken:
		e.move(Pots, Rake, ev.Amount)
	case engine.PotAwarded:
		e.move(Pots, stack, ev.Amount)

	case engine.StakePlaced:
		e.move(stack, bet, ev.Amount+ev.Bonus-e.Balance(bet))
	case engine.BoxSettled:
		e.move(bet, Bank, e.Balance(bet))
		e.move(Bank, stack, ev.Amount+ev.Bonus)
	}
	if !e.playing {
		e.move(Exchange, Tray, e.owed)
		e.owed = 0
	}
	return err
}

// begin begins a hand. Only boxes against the house have chips before them by then.
func (e *entry) begin() error {
	e.playing, e.banked, e.hand = true, false, [accounts]engine.Chips{}
	for seat := range engine.Seat(engine.MaxSeats + 1) {
		e.banked = e.banked || e.Balance(BetOf(seat)) > 0
	}
	return e.holds(Pots, 0)
}

// end ends a hand, in which every chip must have been given to somebody.
func (e *entry) end() error {
	err := e.holds(Pots, 0)
	for seat := range engine.Seat(engine.MaxSeats + 1) {
		err = errors.Join(err, e.holds(BetOf(seat), 0))
	}
	e.playing, e.banked, e.hand = false, false, [accounts]engine.Chips{}
	return err
}

// collect moves the bets into the pots, which hold an amount then. Bets against the house lie where they are until they are
// settled.
func (e *entry) collect(amount engine.Chips) error {
	sum := engine.Chips(0)
	for seat := range engine.Seat(engine.MaxSeats + 1) {
		sum += e.Balance(BetOf(seat))
		if !e.banked {
			e.move(BetOf(seat), Pots, e.Balance(BetOf(seat)))
		}
	}
	if e.banked && sum != amount {
		return fmt.Errorf("the bets are %d, not %d", sum, amount)
	} else if e.banked {
		return nil
	}
	return e.holds(Pots, amount)
}

// takeBack undoes what the hand has moved, by postings through the pots: nothing in the books is ever struck out.
func (e *entry) takeBack() {
	for i, moved := range e.hand {
		if a := Account(i); a != Pots {
			e.move(a, Pots, moved)
		}
	}
}

// holds checks what an account holds by what the event says.
func (e *entry) holds(a Account, want engine.Chips) error {
	if got := e.Balance(a); got != want {
		return fmt.Errorf("%v: %d, not %d", a, got, want)
	}
	return nil
}

// move posts an amount, from To to From if it is below 0.
func (e *entry) move(from, to Account, amount engine.Chips) {
	if amount < 0 {
		from, to, amount = to, from, -amount
	}
	if amount == 0 {
		return
	}
	e.postings = append(e.postings, Posting{from, to, amount})
	e.book(from, -amount)
	e.book(to, amount)
	if e.atFelt(from) && e.beside(to) {
		e.owed += amount
	}
	if e.atFelt(to) && e.beside(from) {
		e.owed -= amount
	}
}

func (e *entry) book(a Account, amount engine.Chips) {
	e.balances[a] += amount
	if e.playing {
		e.hand[a] += amount
	}
}

// atFelt reports whether what an account holds lies before a seat at the felt.
func (l *Ledger) atFelt(a Account) bool { return l.Felt.Has(a.Seat()) }

// beside reports whether an account is of those that play with the felt and have no chips there.
func (l *Ledger) beside(a Account) bool {
	return a == Pots || a == Bank || a.Seat() != 0 && !l.atFelt(a)
}

// overdrawn says which account has given more than it had.
func (e *entry) overdrawn() error {
	for _, p := range e.postings {
		if b := e.Balance(p.From); b < 0 && !p.From.mayOwe() {
			return fmt.Errorf("%v: %d too little", p.From, -b)
		}
	}
	return nil
}
