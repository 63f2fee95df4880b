package selfplay

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tavolo/engine"
	"tavolo/engine/ledger"
)

// TestLedger: over random play of every game, limit and house the ledger has after every event what the engine has, and
// between hands the tray what the felt is without; what went to and from the cage, the rake and the floor's corrections is as
// counted here by hand.
func TestLedger(t *testing.T) {
	setups := allSetups(t)
	for _, game := range engine.Games {
		t.Run(game.Name, func(t *testing.T) {
			t.Parallel()
			for i, setup := range setups {
				if setup.Game != game {
					continue
				}
				kept := keeper{books: ledger.Ledger{Felt: engine.Seats(i * 74)}}
				if _, v := play(setup, handsEach/5, rand.NewPCG(uint64(i), 7).Uint64, kept.step); v != nil {
					t.Fatalf("%v: %v", setup, v.Fault)
				}
			}
		})
	}
}

// keeper keeps a ledger beside the engine, and counts the money that comes and goes.
type keeper struct {
	table                                     *engine.State // that is played at; what Probe tries at a copy is not
	books                                     ledger.Ledger
	brought, raked, handRaked, adjusted, felt engine.Chips // felt is what was brought to the seats there
}

func (k *keeper) step(s *engine.State, in engine.Input, events []engine.Event) ([]engine.Event, error) {
	if k.table == nil {
		k.table = s
	}
	now, n := *s, len(events)
	events, err := engine.Step(s, in, events)
	if s != k.table {
		return events, err
	}
	for i := range events[n:] {
		e := &events[n+i]
		now = engine.Replay(now, events[n+i:n+i+1])
		k.count(e)
		if _, err := k.books.Enter(e); err != nil {
			panic(fmt.Errorf("%w, after %+v", err, *e))
		}
		if err := k.check(&now); err != nil {
			panic(fmt.Errorf("%w, after %+v", err, *e))
		}
	}
	return events, err
}

func (k *keeper) count(e *engine.Event) {
	amount := e.Amount
	switch e.Kind {
	case engine.PlayerSat, engine.StackAdded:
		k.brought += e.Amount
	case engine.PlayerLeft:
		k.brought -= e.Amount
		amount = -amount
	case engine.StackAdjusted:
		k.adjusted += e.Amount
	case engine.HandBegan:
		k.handRaked = 0
		return
	case engine.HandRewound:
		k.raked -= k.handRaked
		k.handRaked = 0
		return
	case engine.RakeTaken:
		k.raked += e.Amount
		k.handRaked += e.Amount
		return
	default:
		return
	}
	if k.books.Felt.Has(e.Seat) {
		k.felt += amount
	}
}

func (k *keeper) check(now *engine.State) error {
	for _, want := range []struct {
		account ledger.Account
		amount  engine.Chips
	}{
		{ledger.Cage, -k.brought},
		{ledger.Rake, k.raked},
		{ledger.Adjustments, -k.adjusted},
		{ledger.Exchange, -k.books.Balance(ledger.Tray)},
		{ledger.Jackpot, 0},
		{ledger.JackpotDue, 0},
	} {
		if got := k.books.Balance(want.account); got != want.amount {
			return fmt.Errorf("%v holds %d, want %d", want.account, got, want.amount)
		}
	}
	lies := k.books.Balance(ledger.Tray)
	for _, seat := range k.books.Felt.List() {
		lies += now.Seats[seat].Stack + now.Seats[seat].Put
	}
	if now.Phase == engine.Between && lies != k.felt {
		return fmt.Errorf("%d lie at the felt, %d were brought there", lies, k.felt)
	}
	return k.books.Check(now)
}
