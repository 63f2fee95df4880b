package engine

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/rake"
)

// MaxSeats is the number of seats a table may have; seats are numbered from 1 clockwise from the dealer's left.
const MaxSeats = 10

// MaxHole is the number of cards a seat may hold at once: seven, in seven-card stud.
const MaxHole = 7

// MaxBoard is the number of community cards a game may deal.
const MaxBoard = 5

// Chips is an amount of money in the smallest unit of the table's currency (one cent, or one chip).
type Chips int64

// MaxChips is the most money a table may hold, and the largest stake. It is well below what Chips can count, so that no
// sum or bet overflows, and below 2^53, so that a reader of JSON to whom every number is a float sees it exactly.
const MaxChips Chips = 1e15

// Seat is a place at the table, 1 to MaxSeats; 0 is no seat.
type Seat int8

// Seats is a set of seats, bit n for seat n.
type Seats uint16

// Has reports whether seat s is in the set.
func (ss Seats) Has(s Seat) bool { return ss&(1<<uint(s)) != 0 }

// Without gives the set without seat s.
func (ss Seats) Without(s Seat) Seats { return ss &^ (1 << uint(s)) }

// first is the lowest seat of a set that has one.
func (ss Seats) first() Seat { return Seat(bits.TrailingZeros16(uint16(ss))) }

// all yields the seats of the set in order.
func (ss Seats) all() iter.Seq[Seat] {
	return func(yield func(Seat) bool) {
		for ; ss != 0; ss &= ss - 1 {
			if !yield(ss.first()) {
				return
			}
		}
	}
}

// With gives the set with seat s in it.
func (ss Seats) With(s Seat) Seats { return ss | 1<<uint(s) }

// Len is the number of seats in the set.
func (ss Seats) Len() int { return bits.OnesCount16(uint16(ss)) }

// List gives the seats in the set in order.
func (ss Seats) List() []Seat {
	out := []Seat{}
	for seat := Seat(1); seat <= MaxSeats; seat++ {
		if ss.Has(seat) {
			out = append(out, seat)
		}
	}
	return out
}

// after finds the first seat of the set clockwise from a seat, that one last; 0 if the set is empty.
func (ss Seats) after(from Seat) Seat {
	ss &^= 1 // the house has no place in the round
	if ss == 0 {
		return 0
	}
	if left := ss >> (from + 1) << (from + 1); left != 0 {
		ss = left
	}
	return ss.first()
}

// before finds the last seat of the set clockwise from a seat, that one first; 0 if the set is empty.
func (ss Seats) before(from Seat) (last Seat) {
	for seat := range clockwise(from) {
		if ss.Has(seat) && seat != from {
			last = seat
		}
	}
	return last
}

// clockwise yields every place at the table once, from the left of a seat round to it; from seat 1 for seat 0.
func clockwise(from Seat) iter.Seq[Seat] {
	return func(yield func(Seat) bool) {
		for i, seat := 0, from; i < MaxSeats; i++ {
			if seat = left(seat); !yield(seat) {
				return
			}
		}
	}
}

// arc gives the places clockwise from a seat, without it, up to another.
func arc(from, to Seat) (ss Seats) {
	for seat := range clockwise(from) {
		if ss = ss.With(seat); seat == to {
			break
		}
	}
	return ss
}

// left gives the seat one place clockwise, right the one counter-clockwise.
func left(s Seat) Seat  { return s%MaxSeats + 1 }
func right(s Seat) Seat { return (s+MaxSeats-2)%MaxSeats + 1 }

// Rules is all a table plays by: game, limit, house and stakes, three independent choices and their sizes. A Rules is
// never changed once a State points to it.
type Rules struct {
	Game   *Game
	Limit  Limit
	House  *House
	Stakes Stakes
	// Rake is what the house takes, the zero Row for nothing.
	Rake rake.Row
	// Powers are played with beside the cards, nil for none.
	Powers *Powers
}

// Game says which cards are dealt, in what order, who opens each round and how hands rank. A game is one literal; see
// Games for those there are.
type Game struct {
	// Name is the short name of the rule catalogue: holdem.
	Name string
	// Title is the name people read: Texas Hold'em.
	Title string
	// Deck is the set of cards the game is dealt from.
	Deck card.Set
	// Seats is the most that may play, 0 for as many as the deck has cards for.
	Seats int
	// BringIn makes the game one of antes and a bring-in, without button and blinds.
	BringIn bool
	// Suits is how suits rank where a single card decides who brings in.
	Suits SuitOrder
	// AceLow makes the ace the lowest card where a single card decides who brings in.
	AceLow bool
	// Streets are the rounds in order, each a deal and a round of betting.
	Streets []Street
	// High is how hands rank, Use which of a seat's cards may be in one.
	High eval.Ranking
	Use  eval.Selection
	// Low is how low hands rank that win half of each pot, the zero Ranking where the best hand takes all (NX-44).
	Low eval.Ranking
	// Raked is how far a hand must come to be raked (NX-30).
	Raked rake.Progress
	// Settle is how the house pays in a game that is played against it, nil where players play for pots. Each seat is then a
	// box with a stake of its own, in place of blinds and antes, Seats[0] of a State is the house's hand, and what is bet and
	// won is the house's to take and to pay (BP-01..09).
	Settle func(bonus.Stake, bonus.Line, bonus.Cards) bonus.Bets
	// OwnDiscardsOneDraw lets a card come back to who threw it away in an earlier draw; otherwise not in the hand (NX-73).
	OwnDiscardsOneDraw bool
}

// Banked reports whether the game is played against the house.
func (g *Game) Banked() bool { return g.Settle != nil }

// Blinds reports whether the game has a button and blinds.
func (g *Game) Blinds() bool { return !g.BringIn && !g.Banked() }

// SuitOrder is how the suits rank.
type SuitOrder uint8

const (
	// SpadesHigh: spades, hearts, diamonds, clubs, from high to low (NX-52).
	SpadesHigh SuitOrder = iota
	// HeartsHigh: hearts, diamonds, clubs, spades, from high to low (NX-91).
	HeartsHigh
)

// place is where a suit stands in the order, higher is better.
func (o SuitOrder) place(s card.Suit) int {
	if o == HeartsHigh {
		return int(s+1) % 4
	}
	return int(s)
}

// Street is one row of a Game: what is dealt, who opens the betting and at which size.
type Street struct {
	// Name is the felt's word: preflop, flop.
	Name string
	// Burn is whether one card is burnt first, in houses that burn.
	Burn bool
	// Down is the number of cards each live seat gets face down, one at a time, Up the number it then gets face up.
	Down, Up int
	// Board is the number of community cards.
	Board int
	// Draw is the number of its cards that each live seat may exchange before the betting.
	Draw int
	// Shared puts one card in the middle as everybody's, without betting, when the shoe cannot give each seat its own
	// (NX-63).
	Shared bool
	// Wager is the one bet that each seat may make in a game against the house, in antes; OrFold has who does not make it
	// fold, instead of check (BP-03, BP-04).
	Wager  int
	OrFold bool
	// Split lets the first to act offer to split the pot (NX-A6).
	Split bool
	// Opener says who acts first.
	Opener Opener
	// Big is whether fixed-limit bets are of the upper size.
	Big bool
	// BigOnPair lets them be of the upper size too once a pair shows (NX-62).
	BigOnPair bool
}

// Opener is the rule by which the first to act on a street is found.
type Opener uint8

const (
	// LeftOfButton: the first live seat clockwise from the button.
	LeftOfButton Opener = iota
	// LeftOfBlinds: the first live seat clockwise from the last blind or straddle.
	LeftOfBlinds
	// LowCard and HighCard: the lowest or highest card showing, which brings in; suits decide between equal ranks.
	LowCard
	HighCard
	// BestShowing: the cards showing that rank highest, of equal ones the nearest to the left of the button.
	BestShowing
	// LeftOfBigBlind: the first live seat clockwise from the big blind (NX-A1).
	LeftOfBigBlind
	// LeftOfDealer: the first live seat clockwise from the dealer's left, which is seat 1 (BP-04).
	LeftOfDealer
)

// Limit is the betting structure.
type Limit uint8

const (
	// NoLimit: any amount from the minimum up to the stack.
	NoLimit Limit = iota
	// PotLimit: at most the pot, by the house's formula.
	PotLimit
	// FixedLimit: exactly the street's size, and a limited number of raises.
	FixedLimit
	// HalfPot: as PotLimit with half of that pot, rounded down to the chip (NX-25).
	HalfPot
	// SpreadLimit: a bet of any amount up to the round's maximum, raises of the size of the bet before, three times the
	// maximum in all (NX-22).
	SpreadLimit
)

var limitNames = [...]string{NoLimit: "no-limit", PotLimit: "pot", FixedLimit: "fixed", HalfPot: "half-pot", SpreadLimit: "spread"}

// String is the limit's name in the rule catalogue.
func (l Limit) String() string { return limitNames[l] }

// leastRule and mostRule are the ids of the rules that say how little and how much may be bet.
func (l Limit) leastRule() string {
	return [...]string{NoLimit: "TD-02", PotLimit: "TD-02", FixedLimit: "NX-21", HalfPot: "TD-02", SpreadLimit: "NX-22"}[l]
}

func (l Limit) mostRule() string {
	return [...]string{NoLimit: "NX-23", PotLimit: "NX-24", FixedLimit: "NX-21", HalfPot: "NX-25", SpreadLimit: "NX-22"}[l]
}

// LimitNamed finds a limit by its name in the rule catalogue.
func LimitNamed(name string) (Limit, error) {
	for l, n := range limitNames {
		if n == name {
			return Limit(l), nil
		}
	}
	return 0, fmt.Errorf("unknown limit %q: want no-limit, pot, half-pot, fixed or spread", name)
}

// Stakes are the sizes of a table's forced bets and limits, in Chips.
type Stakes struct {
	SmallBlind, BigBlind Chips
	// Ante is paid by every seat before the blinds; 0 for none.
	Ante Chips
	// BigBlindAnte is paid by the big blind for the whole table, after the blind, as dead money; 0 for none.
	BigBlindAnte Chips
	// BringIn is what the seat that opens a game without blinds puts in at least.
	BringIn Chips
	// SmallBet and BigBet are the sizes of fixed limit; 0 elsewhere.
	SmallBet, BigBet Chips
	// Spread are the most that a bet may be in spread limit: in all rounds but the last two, in the one before the last,
	// and in the last; 0 elsewhere.
	Spread [3]Chips
	// Cap is the most that a seat may put in during one hand; 0 for no cap (TC-06).
	Cap Chips
	// MinBet is the smallest opening bet and first raise of no and pot limit; 0 means the big blind, or the bring-in.
	MinBet Chips
	// MinAnte and MaxAnte bound the ante of a game against the house, MinBonus and MaxBonus the bonus bet beside it; without a
	// MaxBonus there is none (BP-02).
	MinAnte, MaxAnte, MinBonus, MaxBonus Chips
	// Chip is the smallest chip in play, the unit in which odd chips are handed out; 0 means 1.
	Chip Chips
}

// House is every policy on which card rooms differ. A house is a value; see Houses for those there are.
type House struct {
	// Name is the profile's name in the rule catalogue: tda.
	Name string
	// MinSeats and MaxSeats bound the number of seats at a table.
	MinSeats, MaxSeats int
	// Sizes are the numbers of seats within these bounds that a table may have, nil for all of them (TC-02).
	Sizes []int
	// Burn is whether a card is burnt before each street that says so.
	Burn bool
	// ShortRaise says when an all-in that is less than a full raise opens the betting again to who has acted.
	ShortRaise ShortRaise
	// PotBeforeCall limits a pot-limit raise by the pot before the call that goes with it, instead of after (BR-06).
	PotBeforeCall bool
	// HeadsUpButtonBig has the button post the big blind where two play, instead of the small one (BR-10).
	HeadsUpButtonBig bool
	// BigTwiceSmall is whether the big blind must be exactly twice the small one, for whoever configures a table (BR-09).
	BigTwiceSmall bool
	// BigBlindOpens has the big blind act first on the later streets, or who is next to its left (BR-13).
	BigBlindOpens bool
	// TimeoutFolds folds a hand whose time runs out even where it could check (BR-41).
	TimeoutFolds bool
	// TimeoutSitsOut has the seat sit out from then on (TC-15).
	TimeoutSitsOut bool
	// Protection says where a seat that lost its connection counts as all-in.
	Protection Protection
	// AllShow has every live hand shown at the showdown.
	AllShow bool
	// HighCardOddChip gives odd chips in games without a button to the highest card by suit, instead of to the nearest seat
	// (TD-05).
	HighCardOddChip bool
	// CrashVoids has a hand that a crash interrupted called off, instead of resumed (NX-14, BR-50).
	CrashVoids bool
	// RaiseCap is the number of raises after the bet that a fixed-limit round allows; 0 for no cap.
	RaiseCap int
	// HeadsUpUncapped lifts RaiseCap when a round begins with two seats in the hand.
	HeadsUpUncapped bool
	// LateDrawCannotRaise bars a seat whose time ran out over a draw from betting and raising on the round that follows.
	LateDrawCannotRaise bool
	// ClippedRaises takes a raise below the minimum when no live opponent could match more, as some recorded hands write
	// a raise that puts the last opponent all-in.
	ClippedRaises bool
	// UnknownUpCards takes cards dealt face up that nobody tells, as records leave them out for who folds soon. Such a seat
	// never opens a round.
	UnknownUpCards bool
	// AntesInPot counts the big blind's ante in a pot-limit raise of the first street too.
	AntesInPot bool
	// HiddenAllIn lets hands stay down when betting ends with a seat all-in; otherwise every live hand is shown.
	HiddenAllIn bool
}

// Seats reports whether the house has tables of n seats. Whoever sets up a table asks; the engine plays with the seats that
// are taken.
func (h *House) Seats(n int) bool {
	return n >= h.MinSeats && n <= h.MaxSeats && (h.Sizes == nil || slices.Contains(h.Sizes, n))
}

// ShortRaise is a policy on all-ins that are less than a full raise.
type ShortRaise uint8

const (
	// HalfOrSum: in fixed limit one of half a bet or more counts, elsewhere several that together make a full raise
	// (TD-02, TD-03).
	HalfOrSum ShortRaise = iota
	// MoreThanHalf: in fixed limit one of more than half counts, elsewhere none (TC-03).
	MoreThanHalf
	// FullOnly: none counts (NX-20, NK-05).
	FullOnly
)

// Protection is a policy on seats that lost their connection.
type Protection uint8

const (
	// NoProtection: they have the time that everybody has.
	NoProtection Protection = iota
	// ProtectSmall: where a decision costs little, in fixed and spread limit; who has put nothing in folds (NX-13).
	ProtectSmall
	// ProtectAll: in every limit (BR-40).
	ProtectAll
)

// Validate reports every reason why these rules cannot be played, nil when they can.
func (r Rules) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if r.Game == nil {
		bad("game: none given")
	} else if err := r.Game.Validate(); err != nil {
		errs = append(errs, err)
	}
	switch {
	case r.House == nil:
		bad("house: none given")
	case r.House.MinSeats < 1 || r.House.MaxSeats < r.House.MinSeats || r.House.MaxSeats > MaxSeats:
		bad("house: %s has tables of %d to %d seats, want 1 to %d", r.House.Name, r.House.MinSeats, r.House.MaxSeats, MaxSeats)
	}
	if r.Powers != nil && r.Game != nil {
		if err := r.Game.validatePowers(); err != nil {
			errs = append(errs, err)
		}
	}
	st := r.Stakes
	for _, a := range []struct {
		name string
		v    Chips
	}{
		{"small_blind", st.SmallBlind},
		{"big_blind", st.BigBlind},
		{"ante", st.Ante},
		{"big_blind_ante", st.BigBlindAnte},
		{"bring_in", st.BringIn},
		{"small_bet", st.SmallBet},
		{"big_bet", st.BigBet},
		{"min_bet", st.MinBet},
		{"chip", st.Chip},
		{"cap", st.Cap},
		{"min_ante", st.MinAnte},
		{"max_ante", st.MaxAnte},
		{"min_bonus", st.MinBonus},
		{"max_bonus", st.MaxBonus},
	} {
		if a.v < 0 || a.v > MaxChips {
			bad("stakes.%s: %d is not within 0 and %d", a.name, a.v, MaxChips)
		}
	}
	if r.Game != nil && r.Game.Banked() {
		errs = append(errs, r.validateBanked())
	} else {
		r.validateBets(bad)
	}
	if st.SmallBlind > st.BigBlind {
		bad("stakes.small_blind: %d is above the big blind of %d", st.SmallBlind, st.BigBlind)
	}
	if len(r.Rake.Steps) > 0 { // TC-01
		errs = append(errs, rake.Table{r.Rake}.Validate())
	}
	return errors.Join(errs...)
}

// validateBets reports what is wrong with the sizes of bets between players. What a bet is measured by comes first: where there
// is no smallest bet, nothing is said of what would have to be as large.
func (r Rules) validateBets(bad func(format string, args ...any)) {
	st, least := r.Stakes, r.Stakes.minBet()
	brings := r.Game != nil && r.Game.BringIn
	if brings && st.BringIn <= 0 {
		bad("stakes.bring_in: %s needs one above 0", r.Game.Name)
	}
	if st.Cap > 0 && r.Limit != NoLimit && r.Limit != PotLimit {
		bad("stakes.cap: a cap is for no limit and pot limit, not for %v", r.Limit)
	}
	if r.Limit == FixedLimit {
		switch {
		case st.SmallBet <= 0 || st.BigBet < st.SmallBet:
			bad("stakes: fixed limit needs small_bet above 0 and big_bet not below it, have %d and %d", st.SmallBet, st.BigBet)
		case brings && st.BringIn > st.SmallBet:
			bad("stakes.bring_in: %d is above the small_bet of %d", st.BringIn, st.SmallBet)
		}
		return
	}
	if least <= 0 {
		bad("stakes: %v needs a big_blind, a bring_in or a min_bet above 0", r.Limit)
		return
	}
	if r.Limit == SpreadLimit && (st.Spread[0] < least || st.Spread[1] < st.Spread[0] || st.Spread[2] < st.Spread[1]) {
		bad("stakes.spread: want three maxima, none below the one before or the smallest bet of %d, have %d", least, st.Spread)
	}
	if (r.Limit == NoLimit || r.Limit == PotLimit) && st.Cap > 0 && st.Cap < least {
		bad("stakes.cap: %d is below the smallest bet of %d", st.Cap, least)
	}
}

// Validate reports why the game cannot be dealt, nil when it can.
func (g *Game) Validate() error {
	hole, board := 0, 0
	for i, st := range g.Streets {
		hole += st.Down + st.Up
		board += st.Board
		if st.Shared {
			board++
		}
		if st.Split && i < len(g.Streets)-1 {
			return fmt.Errorf("game %s: the pots are split on %s, want the last street", g.Name, st.Name)
		}
	}
	switch {
	case len(g.Streets) == 0:
		return fmt.Errorf("game %s: no streets", g.Name)
	case g.High.Of == nil:
		return fmt.Errorf("game %s: no ranking", g.Name)
	case hole < 1 || hole > MaxHole:
		return fmt.Errorf("game %s: %d hole cards, want 1 to %d", g.Name, hole, MaxHole)
	case board > MaxBoard:
		return fmt.Errorf("game %s: %d community cards, want at most %d", g.Name, board, MaxBoard)
	case 2*hole+board > g.Deck.Len():
		return fmt.Errorf("game %s: a deck of %d cards does not deal two hands", g.Name, g.Deck.Len())
	}
	return nil
}

// MaxPlayers is the most that may play the game at one table: as its row says, else as many as there are cards for.
func (g *Game) MaxPlayers() int {
	if g.Seats > 0 {
		return g.Seats
	}
	hole, rest := 0, 0
	for _, st := range g.Streets {
		hole += st.Down + st.Up
		rest += st.Board
		if st.Burn {
			rest++
		}
	}
	if g.Banked() {
		rest += hole
	}
	return min(MaxSeats, (g.Deck.Len()-rest)/hole)
}

func (st Stakes) minBet() Chips {
	if st.MinBet > 0 {
		return st.MinBet
	}
	return max(st.BigBlind, st.BringIn)
}

// Level is what a table's stakes are named and raked by: the lower limit of a fixed or spread game, the big blind of any
// other, or the bring-in where there are no blinds.
func (r *Rules) Level() Chips {
	if r.Limit == FixedLimit {
		return r.Stakes.SmallBet
	}
	return r.Stakes.minBet()
}

func (st Stakes) chip() Chips { return max(st.Chip, 1) }

// betSize is the fixed-limit size of a street.
func (r *Rules) betSize(street int) Chips {
	if r.Game.Streets[street].Big {
		return r.Stakes.BigBet
	}
	return r.Stakes.SmallBet
}
