package controller

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/jackpot"
	"tavolo/engine/ledger"
	"tavolo/engine/rake"
)

// beatCards are the cards in which queens lose to kings, as they come.
var beatCards = card.MustParse("QhKh2cQsKs2d" + "3cQcQdKc" + "3dKd" + "3h4h")

// badBeatHand plays the hand of TestABadBeatIsPaid at a table with a tray, and gives its journal.
func badBeatHand(t *testing.T) (entries []journal.Entry, table *Table) {
	t.Helper()
	opt := options(t)
	rules := *opt.Rules
	rules.Stakes = engine.Stakes{SmallBlind: 10, BigBlind: 20}
	rules.Rake = rake.Row{Limits: []string{"no-limit"}, Steps: []rake.Step{{Take: 1, Per: 10}}}
	opt.Rules, opt.Tray = &rules, 5000
	rule, err := jackpot.Table{Game: "holdem", Seats: 3}.Rule()
	if err != nil {
		t.Fatal(err)
	}
	opt.Jackpot = &Jackpot{Rule: rule, Part: 50, Start: 1000}
	d := sit(t, opt, nil)
	d.deck = beatCards
	d.playHand()
	d.leave()
	return d.entries, d.table
}

func pages(t *testing.T, entries []journal.Entry) (all []BookPage) {
	t.Helper()
	for p, err := range ReadBooks(records(entries)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestReadBooks: the journal alone tells what everybody brought, what the hand moved, and what the jackpot paid after it.
func TestReadBooks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		entries, table := badBeatHand(t)
		all := pages(t, entries)
		if len(all) != 3 || !all[0].After || all[0].Hand != 0 || all[1].After || all[1].Hand != 1 || !all[2].After || all[2].Hand != 1 {
			t.Fatalf("%d pages: %+v", len(all), all)
		}
		for i, want := range []map[ledger.Account]engine.Chips{
			{ledger.StackOf(1): 200, ledger.StackOf(2): 200, ledger.StackOf(3): 200, ledger.Tray: 5000, ledger.Jackpot: 1000, ledger.Cage: -6600},
			{ledger.StackOf(1): -20, ledger.StackOf(2): -20, ledger.StackOf(3): 34, ledger.Rake: 6},
			{ledger.StackOf(1): 66, ledger.StackOf(2): 467, ledger.StackOf(3): 266, ledger.Rake: -3, ledger.Jackpot: 3 - 799},
		} {
			for _, a := range ledger.Accounts() {
				if got := all[i].Then.Balance(a) - all[i].Before.Balance(a); got != want[a] {
					t.Errorf("page %d: %v changes by %d, want %d", i, a, got, want[a])
				}
			}
			if all[i].Began.IsZero() || len(all[i].Players) != 3 || all[i].Players[1].Player != "bruno" {
				t.Errorf("page %d: %v, %+v", i, all[i].Began, all[i].Players)
			}
		}
		if got := all[2].Then; got != table.books.Ledger {
			t.Errorf("the table kept\n%+v, its journal says\n%+v", table.books.Ledger, got)
		}
	})
}

// TestBooksGoOn: a restart and a new segment keep the books, and a journal whose old segments are gone begins with what the
// snapshot kept.
func TestBooksGoOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		entries, table := badBeatHand(t)
		segment := journal.Entry{Kind: journal.Snapshot, Payload: table.snapshot()}
		opt := table.opt
		opt.Tray, opt.Players[0].Stack = 1, 1 // which concern new tables only
		for _, before := range [][]journal.Entry{entries, {segment}, append(slices.Clip(entries), segment)} {
			d := sit(t, opt, before)
			for _, c := range beatCards {
				d.place("muck", c)
			}
			d.playHand()
			d.leave()
			all := pages(t, d.entries)
			if got := all[len(all)-1].Then; got != d.table.books.Ledger || got.Balance(ledger.Cage) != -6600 || got.Balance(ledger.Tray) != 5000 {
				t.Errorf("the table kept\n%+v, its journal says\n%+v", d.table.books.Ledger, got)
			}
		}
	})
}

// TestBooksThatDoNotBalance: a journal whose records say what cannot be is found out, by the record and the event.
func TestBooksThatDoNotBalance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		entries, table := badBeatHand(t)
		with := func(kind journal.Kind, old, text string) []journal.Entry {
			out := slices.Clone(entries)
			for i, e := range out {
				if e.Kind == kind && strings.Contains(string(e.Payload), old) {
					out[i].Payload = []byte(strings.Replace(string(e.Payload), old, text, 1))
					return out
				}
			}
			t.Fatalf("no record says %s", old)
			return nil
		}
		var kept map[string]any
		if err := json.Unmarshal(table.snapshot(), &kept); err != nil {
			t.Fatal(err)
		}
		const awarded = `"event":"pot_awarded","seat":3,"cards":"KsKhKdKcQc","amount":`
		kept["books"] = json.RawMessage(`{"tray":5,"cage":-5}`)
		for name, c := range map[string]struct {
			entries []journal.Entry
			want    string
		}{
			"a pot that pays too much":   {with(kindStep, awarded+`54`, awarded+`55`), "pot_awarded of seat 3: pots: 1 too little"},
			"a pot that pays too little": {with(kindStep, awarded+`54`, awarded+`53`), "hand_ended: pots: 1, not 0"},
			"a rake that was not taken":  {with(kindJackpot, `"growth":3`, `"growth":7`), "7 from rake to jackpot: rake: 1 too little"},
			"a pool that pays less":      {with(kindJackpot, `"paid":799`, `"paid":798`), "jackpot due: 1 too little"},
			"other books in a snapshot":  {append(slices.Clip(entries), entry(journal.Snapshot, kept)), "other books than its records make"},
			"a step without a table":     {entries[1:], "before the table was set up"},
			"no record":                  {[]journal.Entry{{Kind: kindStart, Payload: []byte("{")}}, "record 1: unexpected end"},
		} {
			var last error
			for _, err := range ReadBooks(records(c.entries)) {
				if last != nil {
					t.Errorf("%s: more after %v", name, last)
				}
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, last, c.want)
			}
		}
		for _, err := range ReadBooks(followedBy(records(entries), &journal.Fault{Torn: true})) {
			if err != nil {
				t.Errorf("a torn record: %v", err)
			}
		}
		damage := errors.New("damaged")
		for _, err := range ReadBooks(followedBy(records(nil), damage)) {
			if !errors.Is(err, damage) {
				t.Errorf("damage: %v", err)
			}
		}
	})
}

// TestATableWhoseBooksDoNotBalanceStandsStill: no further hand is dealt there, and the dealer reads why.
func TestATableWhoseBooksDoNotBalanceStandsStill(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.table.books.Ledger = ledger.Ledger{} // what the program has lost by a fault of its own
		d.start()
		d.deal(1)
		if a := d.state().Awaits(); a.Kind != engine.AwaitHole || a.Number != 1 {
			t.Errorf("the table deals on: %+v", a)
		}
		if holds := d.last().Holds; len(holds) != 1 || !strings.Contains(holds[0], "the books do not balance in hand 1, call the floor: event ") {
			t.Errorf("holds %q", holds)
		}
		d.stop()
		if err := <-d.err; err != nil {
			t.Error(err)
		}
	})
}
