package controller

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"tavolo/controller/journal"
	"tavolo/engine"
)

// twoDecks is a table with the decks red and blue, of which a deck is to be changed after two hands.
func twoDecks(t *testing.T) Options {
	opt := options(t)
	opt.Decks, opt.DeckLife = []string{"red", "blue"}, 2
	return opt
}

// other takes the next card out of the shoe, which is of another deck.
func (d *desk) other(deck string) {
	c := d.deck[0]
	d.deck = d.deck[1:]
	d.table.OtherDeckLeft(d.ctx, deck, c)
	synctest.Wait()
}

// checked plays a hand and has the deck counted.
func (d *desk) checked() {
	d.t.Helper()
	d.playHand()
	for c, z := range maps.Clone(d.table.tracker.lies) {
		d.table.CardGone(d.ctx, z, c)
	}
	if r := d.console(VerbDeckChecked); !r.OK {
		d.t.Fatalf("%+v", r)
	}
	d.deck = options(d.t).Rules.Game.Deck.Cards()
}

// A deck that was dealt for as many hands as it may be is to be changed. The journal knows how many, with a snapshot or
// without (procedures 32).
func TestADeckIsWorn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, twoDecks(t), nil)
		d.checked()
		if got := d.last().Instruction.Text; strings.Contains(got, "change it") {
			t.Fatalf("after a hand the dealer reads %q", got)
		}
		d.checked()
		const worn = "Deck red was dealt for 2 hands: change it. Shuffle, load the shoe, start the next hand"
		if got := d.last().Instruction; got.Kind != "start" || got.Text != worn {
			t.Fatalf("after two hands: %+v", got)
		}
		snap := d.table.snapshot()
		d.leave()
		for _, entries := range [][]journal.Entry{d.entries, {{Kind: journal.Snapshot, Payload: snap}}} {
			d = sit(t, twoDecks(t), entries)
			if got := d.last().Instruction.Text; got != worn {
				t.Errorf("after a restart the dealer reads %q", got)
			}
			d.checked()
			if got := d.last().Instruction.Text; !strings.Contains(got, "for 3 hands") {
				t.Errorf("after another hand the dealer reads %q", got)
			}
			d.leave()
		}
	})
}

// Where the first card of a hand is of another deck a person says whether that is the one in play now. From then on it is,
// over restarts too, and has its own number of hands (procedures 6).
func TestTheDeckIsChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, twoDecks(t), nil)
		d.checked()
		d.start()
		first, second := d.deck[0], d.deck[1]
		d.other("blue")
		d.prompt("other_deck")
		d.other("blue") // before anybody has answered
		d.prompt("other_deck")
		d.leave()

		d = sit(t, twoDecks(t), d.entries)
		if got := d.last().Deck; got != "red" {
			t.Fatalf("deck %s is in play though nobody has said so", got)
		}
		d.choose(d.prompt("other_deck"), changeDeck)
		d.quiet()
		if got := d.last().Deck; got != "blue" {
			t.Fatalf("deck %s is in play", got)
		}
		d.place("seat 3", first)
		d.place("seat 1", second)
		if s := d.state(); s.Seats[3].Hole[0] != first || s.Seats[1].Hole[0] != second {
			t.Errorf("the seats have %v and %v, want %v and %v", s.Seats[3].Hole[0], s.Seats[1].Hole[0], first, second)
		}
		d.leave()
		d = sit(t, twoDecks(t), d.entries)
		if got := d.last().Deck; got != "blue" {
			t.Errorf("after a restart deck %s is in play", got)
		}
		d.leave()
		opt := twoDecks(t)
		opt.Decks = []string{"green"}
		if d = sit(t, opt, d.entries); d.last().Deck != "green" {
			t.Errorf("deck %s is in play, which the table has no more", d.last().Deck)
		}
		d.leave()
	})
}

// A card of another deck among those of the deck in play is foreign. Whoever voids the hand for it has a fouled deck, with
// which no other begins before it was counted or changed (procedures 6).
func TestAFouledDeck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, twoDecks(t), nil)
		d.start()
		d.deal(1)
		d.other("blue")
		if r := d.choose(d.prompt("foreign_card"), "void"); !r.OK || d.state().Phase != engine.Between {
			t.Fatalf("%+v, %v", r, d.state().Phase)
		}
		for c, z := range maps.Clone(d.table.tracker.lies) {
			d.table.CardGone(d.ctx, z, c)
			d.place("muck", c)
		}
		snap := d.table.snapshot()
		d.leave()
		for _, entries := range [][]journal.Entry{d.entries, {{Kind: journal.Snapshot, Payload: snap}}} {
			d = sit(t, twoDecks(t), entries)
			if r := d.console(VerbStartHand); r.Code != CodeNotCollected || !strings.Contains(r.Text, "fouled") {
				t.Fatalf("started with a fouled deck: %+v", r)
			}
			if got := d.last().Instruction; got.Kind != "collect" || !strings.Contains(got.Text, "fouled") {
				t.Errorf("the dealer is told to %+v", got)
			}
			d.console(VerbDeckChecked)
			d.start()
			d.leave()
		}
	})
}
