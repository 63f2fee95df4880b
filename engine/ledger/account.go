package ledger

import (
	"fmt"

	"tavolo/engine"
)

// Account names one account of a table: one of the constants, or of a seat StackOf or BetOf. The zero value is none.
type Account uint8

const (
	// Cage is all that is not at the table: what players bring they bring from here, below 0 for what is out at the table.
	Cage Account = 1 + iota
	// Pots are the pots of the hand in play.
	Pots
	// Rake is what the house took of pots and has not passed on.
	Rake
	// Jackpot is the pool of the bad beat jackpot, JackpotDue what is taken out of it and not yet paid to a seat.
	Jackpot
	JackpotDue
	// Bank is what the house won from boxes in a game against it, Rail what it won from players behind them; below 0 where it
	// lost.
	Bank
	Rail
	// Adjustments are what the floor took from stacks, below 0 where it gave more.
	Adjustments
	// Tray are the chips in the dealer's tray. Exchange is what players elsewhere, the rake and the bank gave for chips that
	// the tray handed out, below 0 where they got the worth of chips that it took in; both together are what the tray began with.
	Tray
	Exchange

	stacks
	bets     = stacks + engine.MaxSeats + 1
	accounts = bets + engine.MaxSeats + 1
)

// StackOf is what a seat has behind, also what is kept out of the hand.
func StackOf(seat engine.Seat) Account { return stacks + Account(seat) }

// BetOf is what a seat has in front: its bets of the round, or its stake and bets against the house.
func BetOf(seat engine.Seat) Account { return bets + Account(seat) }

// Accounts are all there are, in the order in which books list them.
func Accounts() []Account {
	all := make([]Account, 0, accounts)
	for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
		all = append(all, StackOf(seat), BetOf(seat))
	}
	for a := Pots; a < stacks; a++ {
		all = append(all, a)
	}
	return append(all, Cage)
}

// Seat is the seat whose account it is, 0 for none.
func (a Account) Seat() engine.Seat {
	switch {
	case a >= bets:
		return engine.Seat(a - bets)
	case a >= stacks:
		return engine.Seat(a - stacks)
	}
	return 0
}

var accountNames = [...]string{
	Cage: "cage", Pots: "pots", Rake: "rake", Jackpot: "jackpot", JackpotDue: "jackpot due", Bank: "bank", Rail: "rail",
	Adjustments: "adjustments", Tray: "tray", Exchange: "exchange",
}

// String is the account's name: rake, or stack 3.
func (a Account) String() string {
	switch {
	case a >= bets && a < accounts:
		return fmt.Sprintf("bet %d", a.Seat())
	case a >= stacks && a < accounts:
		return fmt.Sprintf("stack %d", a.Seat())
	case a > 0 && a < stacks:
		return accountNames[a]
	}
	return fmt.Sprintf("account %d", uint8(a))
}

// MarshalText writes the account's name.
func (a Account) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Account) UnmarshalText(b []byte) error {
	for other := Account(1); other < accounts; other++ {
		if other.String() == string(b) {
			*a = other
			return nil
		}
	}
	return fmt.Errorf("there is no account %q", b)
}

// mayOwe reports whether the account may give more than it got.
func (a Account) mayOwe() bool {
	switch a {
	case Cage, Bank, Rail, Adjustments, Tray, Exchange:
		return true
	}
	return false
}
