package ledger_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/ledger"
)

func sat(seat engine.Seat, amount engine.Chips) engine.Event {
	return engine.Event{Kind: engine.PlayerSat, Seat: seat, Amount: amount}
}

func began(seats ...engine.Seat) engine.Event {
	var dealt engine.Seats
	for _, s := range seats {
		dealt = dealt.With(s)
	}
	return engine.Event{Kind: engine.HandBegan, Hand: 1, Dealt: dealt}
}

func blind(seat engine.Seat, amount engine.Chips) engine.Event {
	return engine.Event{Kind: engine.BlindPosted, Seat: seat, Amount: amount, To: amount}
}

func acted(seat engine.Seat, action engine.Action, amount, to engine.Chips) engine.Event {
	return engine.Event{Kind: engine.PlayerActed, Seat: seat, Action: action, Amount: amount, To: to}
}

func about(kind engine.EventKind, seat engine.Seat, amount engine.Chips) engine.Event {
	return engine.Event{Kind: kind, Seat: seat, Amount: amount}
}

// enter takes events that must balance, and gives the books and what the last event moved.
func enter(t *testing.T, l ledger.Ledger, events ...engine.Event) (ledger.Ledger, []ledger.Posting) {
	t.Helper()
	var last []ledger.Posting
	for i := range events {
		var err error
		if last, err = l.Enter(&events[i]); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	return l, last
}

// balances are those of the accounts that are not empty.
func balances(l *ledger.Ledger) map[string]engine.Chips {
	all := map[string]engine.Chips{}
	for _, a := range ledger.Accounts() {
		if b := l.Balance(a); b != 0 {
			all[a.String()] = b
		}
	}
	return all
}

func wantBalances(t *testing.T, l *ledger.Ledger, want map[string]engine.Chips) {
	t.Helper()
	if got := balances(l); !maps.Equal(got, want) {
		t.Errorf("the books hold\n%v, want\n%v", got, want)
	}
}

// hand is a hand of three in which seat 3 wins 340: 120 from seat 1, who folded, and what seat 2 called; 20 are raked.
var hand = []engine.Event{
	sat(1, 500), sat(2, 500), sat(3, 400),
	began(1, 2, 3),
	about(engine.AntePosted, 1, 20), blind(2, 50), blind(3, 100),
	acted(1, engine.Call, 100, 100), acted(2, engine.Raise, 120, 170), acted(3, engine.Call, 40, 140), acted(1, engine.Fold, 0, 100),
	about(engine.UncalledReturned, 2, 30), about(engine.BetsCollected, 0, 400),
	about(engine.RakeTaken, 0, 20), about(engine.PotAwarded, 3, 340), about(engine.PotAwarded, 2, 40),
	about(engine.HandEnded, 0, 0),
}

// TestHand follows the money of a hand, from one account to the next.
func TestHand(t *testing.T) {
	l, _ := enter(t, ledger.Ledger{}, hand[:12]...)
	wantBalances(t, &l, map[string]engine.Chips{
		"cage": -1400, "stack 1": 380, "bet 1": 100, "stack 2": 360, "bet 2": 140, "stack 3": 260, "bet 3": 140, "pots": 20,
	})
	l, collected := enter(t, l, hand[12])
	if want := []ledger.Posting{
		{From: ledger.BetOf(1), To: ledger.Pots, Amount: 100},
		{From: ledger.BetOf(2), To: ledger.Pots, Amount: 140},
		{From: ledger.BetOf(3), To: ledger.Pots, Amount: 140},
	}; !slices.Equal(collected, want) {
		t.Errorf("collecting the bets moved %v, want %v", collected, want)
	}
	l, _ = enter(t, l, hand[13:]...)
	wantBalances(t, &l, map[string]engine.Chips{"cage": -1400, "stack 1": 380, "stack 2": 400, "stack 3": 600, "rake": 20})

	// What players take away they give back to the cage, and the rake is left.
	l, _ = enter(t, l, about(engine.PlayerLeft, 1, 380), about(engine.PlayerLeft, 2, 400), about(engine.PlayerLeft, 3, 600))
	wantBalances(t, &l, map[string]engine.Chips{"cage": -20, "rake": 20})
}

// TestTray: what a player at the felt wins of others elsewhere the tray pays, and it takes what he loses to them and what the
// house takes; only when the hand is over. It pays nothing among those at the felt.
func TestTray(t *testing.T) {
	for _, test := range []struct {
		name string
		felt []engine.Seat
		want engine.Chips // that the tray has more
	}{
		{"nobody at the felt", nil, 0},
		{"the winner", []engine.Seat{3}, -200},
		{"who folded", []engine.Seat{1}, 120},
		{"all but the winner", []engine.Seat{1, 2}, 220},
		{"everybody", []engine.Seat{1, 2, 3}, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l ledger.Ledger
			for _, seat := range test.felt {
				l.Felt = l.Felt.With(seat)
			}
			if err := l.Transfer(ledger.Cage, ledger.Tray, 1000); err != nil {
				t.Fatal(err)
			}
			l, _ = enter(t, l, hand[:len(hand)-1]...)
			if got := l.Balance(ledger.Tray); got != 1000 {
				t.Errorf("in the hand the tray holds %d", got)
			}
			l, _ = enter(t, l, hand[len(hand)-1])
			if tray, exchange := l.Balance(ledger.Tray), l.Balance(ledger.Exchange); tray != 1000+test.want || exchange != -test.want {
				t.Errorf("the tray holds %d, the exchange %d, want %d more and less", tray, exchange, test.want)
			}
		})
	}
}

// TestTrayBetweenHands: an award that moves, and a player who moves, from the felt to elsewhere leave their chips in the tray.
func TestTrayBetweenHands(t *testing.T) {
	felt := ledger.Ledger{Felt: engine.Seats(0).With(3).With(4)}
	l, _ := enter(t, felt, hand...)
	before := l.Balance(ledger.Tray)
	l, _ = enter(t, l, engine.Event{Kind: engine.AwardMoved, Seat: 3, Target: 2, Amount: 100})
	if got := l.Balance(ledger.Tray) - before; got != 100 {
		t.Errorf("the tray has %d more by an award that moved", got)
	}
	l, _ = enter(t, l, engine.Event{Kind: engine.PlayerMoved, Seat: 3, Target: 4})
	l, _ = enter(t, l, engine.Event{Kind: engine.PlayerMoved, Seat: 4, Target: 5})
	if got := l.Balance(ledger.Tray) - before; got != 600 {
		t.Errorf("the tray has %d more, want the whole stack of who moved away", got)
	}
	wantBalances(t, &l, map[string]engine.Chips{
		"cage": -1400, "stack 1": 380, "stack 2": 500, "stack 5": 500, "rake": 20, "tray": 400, "exchange": -400,
	})
}

// TestTakenBack: a hand that is void or taken back leaves what was there before it, and nothing is struck out for that.
func TestTakenBack(t *testing.T) {
	before, _ := enter(t, ledger.Ledger{}, hand[:3]...)
	inPots, _ := enter(t, ledger.Ledger{}, hand[:13]...)
	inFront, _ := enter(t, ledger.Ledger{}, hand[:12]...)
	for name, l := range map[string]ledger.Ledger{"collected": inPots, "in front": inFront} {
		void, _ := enter(t, l,
			about(engine.HandCalledOff, 0, 0), about(engine.BetRefunded, 1, 120), about(engine.BetRefunded, 2, 140),
			about(engine.BetRefunded, 3, 140), about(engine.HandEnded, 0, 0))
		wantBalances(t, &void, balances(&before))

		back := began(1, 2, 3)
		back.Kind = engine.HandRewound
		again, moved := enter(t, l, back)
		wantBalances(t, &again, balances(&before))
		if len(moved) == 0 {
			t.Errorf("%s: the hand is taken back without a posting", name)
		}
		again, _ = enter(t, again, hand[4:]...)
		whole, _ := enter(t, ledger.Ledger{}, hand...)
		wantBalances(t, &again, balances(&whole))
	}
}

// TestAgainstTheHouse: stakes and bets lie before the boxes until the bank takes them and pays.
func TestAgainstTheHouse(t *testing.T) {
	l, _ := enter(t, ledger.Ledger{Felt: engine.Seats(0).With(1)},
		sat(1, 100), sat(2, 100),
		engine.Event{Kind: engine.StakePlaced, Seat: 1, Amount: 5, Bonus: 1},
		engine.Event{Kind: engine.StakePlaced, Seat: 1, Amount: 10, Bonus: 2},
		engine.Event{Kind: engine.StakePlaced, Seat: 2, Amount: 10},
		began(1, 2),
		acted(1, engine.Bet, 20, 20), acted(2, engine.Fold, 0, 0), about(engine.BetsCollected, 0, 42))
	wantBalances(t, &l, map[string]engine.Chips{"cage": -200, "stack 1": 68, "bet 1": 32, "stack 2": 90, "bet 2": 10})
	l, _ = enter(t, l,
		engine.Event{Kind: engine.BoxSettled, Seat: 1, Amount: 50, Bonus: 8}, about(engine.BoxSettled, 2, 0), about(engine.HandEnded, 0, 0))
	wantBalances(t, &l, map[string]engine.Chips{
		"cage": -200, "stack 1": 126, "stack 2": 90, "bank": -16, "tray": -26, "exchange": 26,
	})
}

// TestJackpot: a part of the rake goes to the pool, a bad beat is taken out of it, and each payment is due until it is made.
func TestJackpot(t *testing.T) {
	l, _ := enter(t, ledger.Ledger{}, hand...)
	for _, to := range []struct {
		from, to ledger.Account
		amount   engine.Chips
	}{
		{ledger.Cage, ledger.Jackpot, 1000},
		{ledger.Rake, ledger.Jackpot, 5},
		{ledger.Jackpot, ledger.JackpotDue, 600},
		{ledger.JackpotDue, ledger.StackOf(1), 400},
	} {
		if err := l.Transfer(to.from, to.to, to.amount); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]engine.Chips{
		"cage": -2400, "stack 1": 780, "stack 2": 400, "stack 3": 600, "rake": 15, "jackpot": 405, "jackpot due": 200,
	}
	wantBalances(t, &l, want)
	for _, amount := range []engine.Chips{-1, 201} {
		if err := l.Transfer(ledger.JackpotDue, ledger.StackOf(1), amount); err == nil {
			t.Errorf("%d of 200 are paid", amount)
		}
	}
	wantBalances(t, &l, want)
}

// TestFaults: what does not balance is refused by the name of its event, and the books are as they were.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		after  int // so many events of the hand
		event  engine.Event
		reason string
	}{
		{"a seat is taken twice", 3, sat(1, 100), "player_sat of seat 1: stack 1: 500, not 0"},
		{"a player leaves with too much", 3, about(engine.PlayerLeft, 3, 401), "player_left of seat 3: stack 3: 400, not 401"},
		{"a correction of too much", 3, about(engine.StackAdjusted, 3, -401), "stack_adjusted of seat 3: stack 3: 1 too little"},
		{"a move onto chips", 3, engine.Event{Kind: engine.PlayerMoved, Seat: 1, Target: 2}, "stack 2: 500, not 0"},
		{"more than a stack", 4, acted(3, engine.Bet, 401, 401), "player_acted of seat 3: stack 3: 1 too little"},
		{"a bet that is another", 7, acted(1, engine.Call, 100, 120), "bet 1: 100, not 120"},
		{"an amount below zero", 4, about(engine.AntePosted, 1, -5), "an amount is below zero"},
		{"a seat that is none", 4, about(engine.AntePosted, 11, 5), "there are no seats"},
		{"more goes back than was bet", 11, about(engine.UncalledReturned, 2, 171), "bet 2: 1 too little"},
		{"pots that hold more", 12, about(engine.BetsCollected, 0, 401), "bets_collected: pots: 400, not 401"},
		{"more refunded than there is", 13, about(engine.BetRefunded, 1, 401), "bet_refunded of seat 1: pots: 1 too little"},
		{"more raked than there is", 13, about(engine.RakeTaken, 0, 401), "rake_taken: pots: 1 too little"},
		{"more won than there is", 15, about(engine.PotAwarded, 2, 41), "pot_awarded of seat 2: pots: 1 too little"},
		{"a hand that leaves chips", 15, about(engine.HandEnded, 0, 0), "hand_ended: pots: 40, not 0"},
		{"a hand that leaves bets", 8, about(engine.HandEnded, 0, 0), "bet 1: 100, not 0"},
		{"a hand begins on chips", 13, began(1, 2), "hand_began: pots: 400, not 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, _ := enter(t, ledger.Ledger{}, hand[:test.after]...)
			before := l
			_, err := l.Enter(&test.event)
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("%v, want %q in it", err, test.reason)
			}
			if l != before {
				t.Error("the books have changed")
			}
		})
	}
}

// TestJSON: books between hands are read back, and books that do not add up are not.
func TestJSON(t *testing.T) {
	l, _ := enter(t, ledger.Ledger{Felt: engine.Seats(0).With(1)}, hand...)
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	again := ledger.Ledger{Felt: l.Felt}
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	wantBalances(t, &again, balances(&l))
	for text, why := range map[string]string{
		`{"cage":-5,"rake":4}`: "all balances together are -1",
		`{"purse":0}`:          `no account "purse"`,
		`[]`:                   "cannot unmarshal",
	} {
		if err := json.Unmarshal([]byte(text), &again); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q in it", text, err, why)
		}
	}
}
