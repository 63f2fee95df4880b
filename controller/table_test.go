package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/ledger"
)

// memory is a journal that keeps its entries, and the outputs' spy: nothing may be published before it is kept.
type memory struct {
	entries []journal.Entry
	states  []engine.State // the table's state after each Append, by number of entries
	sizes   []int
	table   *Table
	err     error
	full    bool // it is time for a new segment
	rotated int

	mu      sync.Mutex
	updates []*Update
}

func (m *memory) Append(es ...journal.Entry) error {
	if m.err != nil {
		return m.err
	}
	m.entries = append(m.entries, es...)
	m.states, m.sizes = append(m.states, m.table.state), append(m.sizes, len(m.entries))
	return nil
}

func (m *memory) Full() bool { return m.full }

func (m *memory) Rotate([]byte) error {
	m.rotated++
	return nil
}

func (m *memory) Checkpoint() ([]byte, error) {
	note := fmt.Appendf(nil, "signs %d", len(m.entries))
	return note, m.Append(journal.Entry{Kind: journal.Checkpoint, Payload: note})
}

func (m *memory) Publish(u *Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.updates = append(m.updates, u)
}

func (m *memory) last() *Update {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.updates[len(m.updates)-1]
}

func records(entries []journal.Entry) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for i, e := range entries {
			if !yield(journal.Record{Seq: uint64(i + 1), Kind: e.Kind, Payload: e.Payload, File: "test"}, nil) {
				return
			}
		}
	}
}

func zone(text string) engine.Zone {
	z, err := engine.ParseZone(text)
	if err != nil {
		panic(err)
	}
	return z
}

func options(t testing.TB) Options {
	t.Helper()
	game, err := engine.GameNamed("holdem")
	if err != nil {
		t.Fatal(err)
	}
	house, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{
		Name:   "demo/t1",
		Rules:  &engine.Rules{Game: game, House: house, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2}},
		Timing: Timing{ActionClock: 20 * time.Second, ShowClock: 5 * time.Second}, Button: 1, Log: slog.New(slog.DiscardHandler),
	}
	for _, z := range []string{"shoe", "board", "burn", "muck", "seat 1", "seat 2", "seat 3"} {
		opt.Zones = append(opt.Zones, zone(z))
	}
	for i, name := range []string{"alice", "bruno", "carla"} {
		opt.Players = append(opt.Players, Player{Seat: engine.Seat(i + 1), Player: name, Kind: Remote, Stack: 200})
	}
	return opt
}

// desk is a running table and the hands at it.
type desk struct {
	t    *testing.T
	ctx  context.Context
	stop context.CancelFunc
	*memory
	deck []card.Card
	err  chan error
}

// sit runs a table in a synctest bubble, recovered from entries.
func sit(t *testing.T, opt Options, entries []journal.Entry) *desk {
	t.Helper()
	m := &memory{entries: slices.Clone(entries)}
	opt.Journal, opt.Records, opt.Outputs = m, records(entries), []Output{m}
	table, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	m.table = table
	d := &desk{t: t, memory: m, deck: card.French.Cards(), err: make(chan error, 1)}
	d.ctx, d.stop = context.WithCancel(t.Context())
	go func() { d.err <- table.Run(d.ctx) }()
	synctest.Wait()
	return d
}

// leave ends the run.
func (d *desk) leave() {
	d.t.Helper()
	d.stop()
	if err := <-d.err; err != nil {
		d.t.Errorf("the table ended: %v", err)
	}
	for _, err := range ReadBooks(records(d.entries)) {
		if err != nil {
			d.t.Errorf("the books made of the journal do not balance: %v", err)
		}
	}
	if got, want := d.table.books.Balance(ledger.Tray), d.table.till.tray; got != want {
		d.t.Errorf("the tray holds %d by the books, %d by what the dealer was told", got, want)
	}
}

func (d *desk) ask(r Request) *Reply {
	d.t.Helper()
	d.table.Ask(d.ctx, r)
	synctest.Wait()
	if r := d.last().Reply; r != nil {
		return r
	}
	d.t.Fatalf("no reply to %+v", r)
	return nil
}

func (d *desk) console(v Verb) *Reply { return d.ask(Request{From: Source{Console: "d1"}, Verb: v}) }

func (d *desk) start() {
	d.t.Helper()
	if r := d.console(VerbStartHand); !r.OK {
		d.t.Fatalf("the hand does not start: %+v", r)
	}
}

// state is the table as it was last published.
func (d *desk) state() *engine.State { return &d.last().State }

// draw takes the next card out of the shoe.
func (d *desk) draw() card.Card {
	c := d.deck[0]
	d.deck = d.deck[1:]
	d.table.CardLeft(d.ctx, c)
	synctest.Wait()
	return c
}

func (d *desk) place(z string, c card.Card) {
	d.table.CardPlaced(d.ctx, zone(z), c)
	synctest.Wait()
}

// deal deals cards where they are awaited, until none is or n are dealt.
func (d *desk) deal(n int) {
	d.t.Helper()
	for range n {
		z := d.state().Awaits().Zone()
		if z.Kind == 0 {
			return
		}
		d.place(z.String(), d.draw())
	}
}

// act has the player whose turn it is ask for something.
func (d *desk) act(v Verb, amount engine.Chips) *Reply {
	d.t.Helper()
	u := d.last()
	return d.ask(Request{From: d.player(u.State.Turn), Verb: v, Amount: amount, Turn: u.Turn})
}

func (d *desk) player(seat engine.Seat) Source {
	if d.table.opt.Players[seat-1].Kind == Felt {
		return Source{Panel: seat}
	}
	return Source{Player: d.table.opt.Players[seat-1].Player}
}

// prompt checks that exactly one prompt stands, with that code, and that no card is taken meanwhile.
func (d *desk) prompt(code string) Prompt {
	d.t.Helper()
	ps := d.last().Prompts
	if len(ps) != 1 || ps[0].Code != code {
		d.t.Fatalf("prompts %+v, want one of %s", ps, code)
	}
	return ps[0]
}

func (d *desk) choose(p Prompt, choice string) *Reply {
	d.t.Helper()
	return d.ask(Request{From: Source{Console: "d1"}, Verb: VerbChoose, Prompt: p.ID, Choice: choice})
}

func (d *desk) quiet() {
	d.t.Helper()
	if ps := d.last().Prompts; len(ps) > 0 {
		d.t.Fatalf("prompts stand: %+v", ps)
	}
}

func (d *desk) dealt() int { return d.table.dealt }

func bubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// playHand plays a hand in which everybody calls, checks and shows.
func (d *desk) playHand() {
	d.t.Helper()
	d.start()
	for range 200 {
		switch a := d.state().Awaits(); a.Kind {
		case engine.AwaitNothing:
			return
		case engine.AwaitAction:
			v := VerbCall
			if a.Legal.Check {
				v = VerbCheck
			}
			if r := d.act(v, 0); !r.OK {
				d.t.Fatalf("%s refused: %+v", v, r)
			}
		case engine.AwaitReveal:
			d.act(VerbShow, 0)
		default:
			d.deal(1)
		}
	}
	d.t.Fatal("the hand does not end")
}

func TestACleanDealNeedsNoDealer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.playHand()
		d.quiet()
		s := d.state()
		if s.Hand != 1 || s.Chips() != 600 || s.BoardLen != 5 {
			t.Errorf("hand %d, %d chips, %d community cards", s.Hand, s.Chips(), s.BoardLen)
		}
		if got := d.last().Instruction.Kind; got != "collect" {
			t.Errorf("the dealer is told to %s, want collect", got)
		}
	})
}

// Every card of a hand is seen again before the next one begins (procedures 8).
func TestTheNextHandWaitsForEveryCard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.playHand()
		if r := d.console(VerbStartHand); r.Code != CodeNotCollected {
			t.Fatalf("started with cards on the felt: %+v", r)
		}
		out := d.state().Out.Cards()
		for c, z := range maps.Clone(d.table.tracker.lies) {
			d.table.CardGone(d.ctx, z, c)
		}
		for _, c := range out[1:] {
			d.place("muck", c)
		}
		if r := d.console(VerbStartHand); r.Code != CodeNotCollected || !strings.Contains(r.Text, out[0].String()) {
			t.Fatalf("started though %v was not seen again: %+v", out[0], r)
		}
		d.place("muck", out[0])
		d.start()
		if d.state().Hand != 2 {
			t.Errorf("hand %d", d.state().Hand)
		}
		if r := d.console(VerbDeckChecked); r.Code != string(engine.CodeHandInPlay) {
			t.Errorf("a deck was counted in a hand: %+v", r)
		}
	})
}

// The dealer collects cards that nobody has seen the faces of: those stay hidden.
func TestCollectingNamesNoHiddenCard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.playHand()
		s := d.state()
		public := card.SetOf(s.Board[:s.BoardLen]...)
		for i := range s.Seats {
			public |= card.SetOf(s.Seats[i].Hole[:s.Seats[i].HoleLen]...) // all are shown
		}
		for c, z := range maps.Clone(d.table.tracker.lies) {
			d.table.CardGone(d.ctx, z, c)
		}
		synctest.Wait()
		want := fmt.Sprintf("14 cards of the last hand were not seen in the muck: %v??????. Check rail and floor, or count the deck", public)
		if got := d.last().Instruction.Text; got != want {
			t.Errorf("the dealer reads %q, want %q", got, want)
		}
	})
}

// Who has counted the deck, or changed it, says so, and a restart does not forget it (procedures 8 and 32).
func TestACountedDeckIsWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.playHand()
		for c, z := range maps.Clone(d.table.tracker.lies) {
			d.table.CardGone(d.ctx, z, c)
		}
		if r := d.console(VerbStartHand); r.Code != CodeNotCollected {
			t.Fatalf("started with a deck that nobody has seen again: %+v", r)
		}
		if r := d.console(VerbDeckChecked); !r.OK {
			t.Fatalf("%+v", r)
		}
		d.leave()
		again := sit(t, options(t), d.entries) // and the daemon is started anew
		defer again.leave()
		again.start()
	})
}

// What lies on the felt and what the hand knows must be the same (procedures 6 and 7).
func TestFeltAndRulesMustAgree(t *testing.T) {
	cases := []struct {
		name, code string
		trouble    func(d *desk)
		mend       func(d *desk, p Prompt)
	}{
		{
			"a foreign card on a pad", "foreign_card",
			func(d *desk) { d.table.StrangerPlaced(d.ctx, zone("seat 3"), "E0040150DEADBEEF") },
			func(d *desk, _ Prompt) { d.table.StrangerGone(d.ctx, zone("seat 3"), "E0040150DEADBEEF") },
		},
		{
			"a foreign card from the shoe", "foreign_card",
			func(d *desk) { d.table.StrangerLeft(d.ctx, "E0040150DEADBEEF") },
			func(d *desk, p Prompt) { d.choose(p, "set_aside") },
		},
		{
			"a card twice from the shoe", "duplicate_card",
			func(d *desk) { d.table.CardLeft(d.ctx, d.state().Out.Cards()[0]) },
			func(d *desk, p Prompt) { d.choose(p, "dismiss") },
		},
		{
			"a card of the hand on another pad", "wrong_place",
			func(d *desk) { d.table.CardPlaced(d.ctx, zone("board"), d.state().Seats[2].Hole[0]) },
			func(d *desk, _ Prompt) { d.table.CardPlaced(d.ctx, zone("seat 2"), d.state().Seats[2].Hole[0]) },
		},
		{
			"a card that the shoe did not read", "not_from_shoe",
			func(d *desk) { d.table.CardPlaced(d.ctx, zone("seat 1"), d.deck[len(d.deck)-1]) },
			func(d *desk, _ Prompt) { d.table.CardGone(d.ctx, zone("seat 1"), d.deck[len(d.deck)-1]) },
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				defer d.leave()
				d.start()
				d.deal(2) // to seats 2 and 3
				tc.trouble(d)
				synctest.Wait()
				p := d.prompt(tc.code)
				before := *d.state()
				c := d.draw()
				d.place(before.Awaits().Zone().String(), c)
				if *d.state() != before {
					t.Fatal("a card was taken while the prompt stood")
				}
				tc.mend(d, p)
				synctest.Wait()
				d.quiet()
				if got := d.dealt(); got != 3 {
					t.Fatalf("%d cards dealt after all is well, want 3", got)
				}
				if d.state().Seats[1].Hole[0] != c {
					t.Errorf("seat 1 got %v, want %v", d.state().Seats[1].Hole[0], c)
				}
			})
		})
	}
}

// TestACardThatTheGameLacks: a two in short deck, from a deck of 52.
func TestACardThatTheGameLacks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		game, err := engine.GameNamed("shortdeck")
		if err != nil {
			t.Fatal(err)
		}
		opt.Rules.Game = game
		var log bytes.Buffer
		opt.Log = slog.New(slog.NewTextHandler(&log, nil))
		d := sit(t, opt, nil)
		d.start()
		two := card.New(card.Two, card.Spades)
		d.table.CardLeft(d.ctx, two)
		synctest.Wait()
		p := d.prompt("foreign_card")
		d.place("seat 2", two)
		if n := len(d.last().Prompts); n != 2 {
			t.Fatalf("%d prompts for the shoe and the pad, want 2", n)
		}
		d.choose(p, "set_aside")
		d.table.CardGone(d.ctx, zone("seat 2"), two)
		synctest.Wait()
		d.quiet()
		d.deck = card.Short36.Cards()
		d.deal(1)
		if d.dealt() != 1 {
			t.Errorf("%d cards dealt once the stranger was gone, want 1", d.dealt())
		}
		d.leave()
		if strings.Contains(log.String(), two.String()) {
			t.Errorf("a card is in the log:\n%s", &log)
		}
	})
}

// The next card lies at another seat: no card is taken until it is put right (procedures 1 and 2).
func TestTheNextCardAtTheWrongPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		c := d.draw()
		d.place("seat 3", c) // belongs to seat 2
		d.prompt("wrong_place")
		if d.dealt() != 0 {
			t.Fatal("the card was taken")
		}
		d.table.CardGone(d.ctx, zone("seat 3"), c)
		d.place("seat 2", c)
		d.quiet()
		if d.state().Seats[2].Hole[0] != c {
			t.Error("the card was not taken once it lay where it belongs")
		}
	})
}

func TestAntennasMaySeeCardsOutOfOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		first, second := d.draw(), d.draw()
		d.place("seat 3", second)
		d.quiet()
		if d.dealt() != 0 {
			t.Fatal("the second card was taken before the first")
		}
		d.place("seat 2", first)
		d.quiet()
		if s := d.state(); s.Seats[2].Hole[0] != first || s.Seats[3].Hole[0] != second {
			t.Errorf("seats hold %v and %v", s.Seats[2].Hole, s.Seats[3].Hole)
		}
	})
}

func TestACardTheShoeMissedIsAcceptedByThePerson(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.place("seat 2", card.New(card.Ace, card.Spades))
		p := d.prompt("not_from_shoe")
		if r := d.choose(p, "accept"); !r.OK {
			t.Fatalf("%+v", r)
		}
		d.quiet()
		if d.state().Seats[2].HoleLen != 1 {
			t.Error("the card was not taken")
		}
		if r := d.choose(p, "accept"); r.Code != CodeNoPrompt {
			t.Errorf("a prompt that is gone was answered: %+v", r)
		}
	})
}

// A card that fell where the next one is due is not it once that one, which came through the shoe, lies there too.
func TestACardBesideTheNextIsNotTheNext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		fell := card.New(card.Ace, card.Spades)
		d.place("seat 2", fell)
		d.prompt("not_from_shoe")
		next := d.draw()
		d.place("seat 2", next)
		p := d.prompt("not_from_shoe")
		if r := d.choose(p, "accept"); r.OK || d.state().Seats[2].HoleLen != 0 {
			t.Errorf("the card that fell was taken: %+v", r)
		}
		d.table.CardGone(d.ctx, zone("seat 2"), fell)
		synctest.Wait()
		d.quiet()
		if s := d.state(); s.Seats[2].HoleLen != 1 || s.Seats[2].Hole[0] != next {
			t.Errorf("seat 2 holds %v, want %v", s.Seats[2].Hole[:s.Seats[2].HoleLen], next)
		}
	})
}

func TestACardBeforeItsTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		c := d.draw() // the betting has only begun
		p := d.prompt("early_card")
		if c := d.last().Clock; !c.Paused {
			t.Errorf("the clock runs on: %+v", c)
		}
		if r := d.choose(p, "take_back"); !r.OK {
			t.Fatalf("%+v", r)
		}
		d.quiet()
		if len(d.table.tracker.flight) != 0 || d.state().Out.Has(c) {
			t.Error("the card is still out")
		}
	})
}

func TestVoidingGivesEveryBetBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(3)
		d.table.StrangerPlaced(d.ctx, zone("board"), "AA")
		synctest.Wait()
		if r := d.choose(d.prompt("foreign_card"), "void"); !r.OK {
			t.Fatalf("%+v", r)
		}
		s := d.state()
		if s.Phase != engine.Between || s.Seats[2].Stack != 200 || s.Seats[3].Stack != 200 {
			t.Errorf("%v, stacks %d and %d", s.Phase, s.Seats[2].Stack, s.Seats[3].Stack)
		}
	})
}

// While a reader is lost the table stands still (procedures 31).
func TestALostReaderStopsTheTable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(5)
		d.table.Device(d.ctx, "pads-a", false, "device is gone")
		c := d.draw()
		d.place("seat 1", c)
		if d.dealt() != 5 {
			t.Fatal("a card was taken from a reader that is lost")
		}
		if u := d.last(); len(u.Holds) != 1 || u.Instruction.Kind != "wait" {
			t.Fatalf("holds %v, instruction %+v", u.Holds, u.Instruction)
		}
		d.table.Device(d.ctx, "pads-a", true, "")
		synctest.Wait()
		if d.dealt() != 6 || d.last().Clock.Seat == 0 {
			t.Fatalf("%d cards dealt, clock %+v", d.dealt(), d.last().Clock)
		}

		time.Sleep(15 * time.Second)
		d.table.Device(d.ctx, "pads-a", false, "device is gone")
		synctest.Wait()
		if c := d.last().Clock; !c.Paused || c.Left != 5*time.Second {
			t.Fatalf("clock %+v, want it paused with 5 s left", c)
		}
		time.Sleep(time.Hour)
		turn := d.state().Turn
		d.table.Device(d.ctx, "pads-a", true, "")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if d.state().Turn != turn {
			t.Fatal("the clock ran on while the reader was lost")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if d.state().Turn == turn {
			t.Fatal("the clock does not run out any more")
		}
	})
}

func TestTheClockActs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		if s := d.state(); s.Turn != 1 {
			t.Fatalf("turn of seat %d", s.Turn)
		}
		time.Sleep(20*time.Second + time.Millisecond)
		synctest.Wait()
		if s := d.state(); s.Live.Has(1) || s.Turn != 2 {
			t.Errorf("seat 1 live %v, turn of seat %d: want it folded", s.Live.Has(1), s.Turn)
		}
		d.act(VerbCall, 0)
		time.Sleep(21 * time.Second) // the big blind may check (B15)
		synctest.Wait()
		if s := d.state(); !s.Live.Has(3) || s.Phase != engine.Dealing {
			t.Errorf("seat 3 live %v, %v: want it checked", s.Live.Has(3), s.Phase)
		}
	})
}

func TestIllegalRequestsChangeNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		u := d.last()
		alice := d.player(1)
		for _, tc := range []struct {
			name string
			r    Request
			code string
		}{
			{"out of turn", Request{From: d.player(2), Verb: VerbCall, Turn: u.Turn}, string(engine.CodeOutOfTurn)},
			{"too little", Request{From: alice, Verb: VerbRaise, Amount: 3, Turn: u.Turn}, string(engine.CodeTooLittle)},
			{"too much", Request{From: alice, Verb: VerbRaise, Amount: 201, Turn: u.Turn}, string(engine.CodeTooMuch)},
			{"below zero", Request{From: alice, Verb: VerbRaise, Amount: -5, Turn: u.Turn}, string(engine.CodeTooLittle)},
			{"a check against a bet", Request{From: alice, Verb: VerbCheck, Turn: u.Turn}, string(engine.CodeCannotCheck)},
			{"an old turn", Request{From: alice, Verb: VerbCall, Turn: u.Turn - 1}, CodeStaleTurn},
			{"no turn", Request{From: alice, Verb: VerbCall}, CodeStaleTurn},
			{"an old run", Request{From: alice, Verb: VerbCall, Turn: u.Turn, Epoch: u.Epoch + 1}, CodeOldEpoch},
			{"a stranger", Request{From: Source{Player: "mallory"}, Verb: VerbCall, Turn: u.Turn}, CodeUnknownPlayer},
			{"nonsense", Request{From: alice, Verb: "dance", Turn: u.Turn}, CodeUnknownVerb},
			{"a dealer's command", Request{From: alice, Verb: VerbVoidHand, Turn: u.Turn}, CodeUnknownVerb},
			{"a show in the betting", Request{From: alice, Verb: VerbShow, Turn: u.Turn}, string(engine.CodeNotAwaited)},
			{"an old run's prompt", Request{From: Source{Console: "d1"}, Verb: VerbChoose, Prompt: 1, Choice: "accept", Epoch: u.Epoch - 1}, CodeOldEpoch},
			{"a hand in a hand", Request{From: Source{Console: "d1"}, Verb: VerbStartHand}, string(engine.CodeHandInPlay)},
		} {
			before := *d.state()
			n := len(d.entries)
			r := d.ask(tc.r)
			if r.OK || r.Code != tc.code || r.Text == "" {
				t.Errorf("%s: reply %+v, want code %s", tc.name, r, tc.code)
			}
			if *d.state() != before || len(d.entries) != n {
				t.Errorf("%s: the table changed", tc.name)
			}
		}
	})
}

func TestARepeatedRequestIsDoneOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.start()
		d.deal(6)
		r := Request{From: d.player(1), ID: "x1", Verb: VerbRaise, Amount: 6, Turn: d.last().Turn}
		if got := d.ask(r); !got.OK {
			t.Fatalf("%+v", got)
		}
		after := *d.state()
		if got := d.ask(r); !got.OK || got.ID != "x1" {
			t.Errorf("repeated: %+v", got)
		}
		if *d.state() != after {
			t.Error("the request was done twice")
		}
		d.leave()

		// The daemon was killed before the reply went out: the player asks again.
		again := sit(t, options(t), d.entries)
		defer again.leave()
		if got := again.ask(r); !got.OK {
			t.Errorf("repeated after a restart: %+v", got)
		}
		if *again.state() != rebased(after, again.state()) {
			t.Error("the request was done twice after a restart")
		}
	})
}

// rebased gives a state with the rules of another, which are equal but live elsewhere.
func rebased(s engine.State, like *engine.State) engine.State {
	s.Rules = like.Rules
	return s
}

func TestAPowerCutAnywhereForgetsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.playHand()
		first := d.last().Epoch
		d.leave()
		for i, n := range d.sizes {
			again := sit(t, options(t), d.entries[:n])
			u := again.last()
			if want := rebased(d.states[i], &u.State); u.State != want {
				t.Fatalf("after %d records the table came back as\n%+v\nwant\n%+v", n, u.State, want)
			}
			if u.State.Chips() != 600 {
				t.Fatalf("after %d records there are %d chips", n, u.State.Chips())
			}
			if !u.Opened || u.Epoch <= first {
				t.Fatalf("after %d records: opened %v, epoch %d after %d", n, u.Opened, u.Epoch, first)
			}
			again.leave()
		}
	})
}

// TestSomeHousesVoidAHandThatACrashInterrupted: NX-14, BR-50.
func TestSomeHousesVoidAHandThatACrashInterrupted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		for _, name := range []string{"noxwin", "betrebels"} {
			house, err := engine.HouseNamed(name)
			if err != nil {
				t.Fatal(err)
			}
			opt.Rules.House = house
			d := sit(t, opt, nil)
			d.start()
			d.deal(6)
			d.act(VerbCall, 0)
			d.leave()
			again := sit(t, opt, d.entries)
			s := again.state()
			if s.Phase != engine.Between || s.Seats[1].Stack != 200 || s.Seats[2].Stack != 200 || s.Seats[3].Stack != 200 {
				t.Errorf("%s: %v, stacks %d, %d and %d", name, s.Phase, s.Seats[1].Stack, s.Seats[2].Stack, s.Seats[3].Stack)
			}
			again.leave()
		}
	})
}

func TestACardInFlightSurvivesAPowerCut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.start()
		c := d.draw()
		d.leave()
		again := sit(t, options(t), d.entries)
		defer again.leave()
		again.place("seat 2", c)
		again.quiet()
		if again.state().Seats[2].Hole[0] != c {
			t.Error("the card was forgotten")
		}
	})
}

func TestASnapshotIsTheTable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.playHand()
		snap := d.table.snapshot()
		state := *d.state()
		d.leave()
		again := sit(t, options(t), []journal.Entry{{Kind: journal.Snapshot, Payload: snap}})
		defer again.leave()
		if got := *again.state(); got != rebased(state, &got) {
			t.Errorf("the table came back as\n%+v\nwant\n%+v", got, state)
		}
		if again.last().Epoch <= d.last().Epoch {
			t.Errorf("epoch %d after %d", again.last().Epoch, d.last().Epoch)
		}
	})
}

func TestAPromptIsAnsweredBeforeASnapshotForgetsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.table.StrangerLeft(d.ctx, "AA")
		synctest.Wait()
		d.full = true
		d.table.Device(d.ctx, "shoe", true, "")
		synctest.Wait()
		if d.rotated > 0 {
			t.Fatal("a new segment began while a prompt stood")
		}
		if r := d.choose(d.prompt("foreign_card"), "set_aside"); !r.OK {
			t.Fatalf("%+v", r)
		}
		if d.rotated == 0 {
			t.Error("no new segment began when the prompt was answered")
		}
	})
}

func TestTheDealerIsToldWhichWayUpACardLies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		var err error
		if opt.Rules.Game, err = engine.GameNamed("stud"); err != nil {
			t.Fatal(err)
		}
		opt.Rules.Limit, opt.Rules.Stakes = engine.FixedLimit, engine.Stakes{Ante: 1, BringIn: 2, SmallBet: 4, BigBet: 8}
		d := sit(t, opt, nil)
		defer d.leave()
		d.start()
		var got []string
		for range 9 {
			got = append(got, d.last().Instruction.Text)
			d.deal(1)
		}
		if want := "Deal card 1 of 3 to seat 1"; got[0] != want {
			t.Errorf("first %q, want %q", got[0], want)
		}
		if want := "Deal card 3 of 3 to seat 3, face up"; got[8] != want {
			t.Errorf("last %q, want %q", got[8], want)
		}
	})
}

func TestNobodyHearsWhatTheJournalDidNotKeep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.start()
		d.deal(6)
		told := len(d.updates)
		d.memory.err = errors.New("disk full")
		d.table.Ask(d.ctx, Request{From: d.player(1), Verb: VerbCall, Turn: d.last().Turn})
		err := <-d.err
		if err == nil || !errors.Is(err, d.memory.err) {
			t.Errorf("the table ended with %v", err)
		}
		if len(d.updates) != told {
			t.Error("an update went out that is not in the journal")
		}
	})
}

// A seat that the configuration has from a later run on is taken then, once.
func TestASeatIsAddedLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		d := sit(t, opt, nil)
		d.playHand()
		d.leave()
		opt.Players = append(opt.Players, Player{Seat: 5, Player: "dario", Kind: Remote, Stack: 70})
		for range 2 {
			d = sit(t, opt, d.entries)
			if s := d.state(); s.Seats[5].Stack != 70 || s.Chips() != 670 {
				t.Errorf("seat 5 has %d, the table %d", s.Seats[5].Stack, s.Chips())
			}
			d.leave()
		}
	})
}

// A hand that ended just before a new segment began is told again after a restart: whoever missed it must not miss it for good.
func TestASnapshotHasTheLastHand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.playHand()
		last := d.state().Seq
		snapshot := d.table.snapshot()
		d.leave()
		d = sit(t, options(t), []journal.Entry{{Kind: journal.Snapshot, Payload: snapshot}})
		defer d.leave()
		again := d.updates[0].Again
		if len(again) == 0 || again[0].Events[0].Kind != engine.HandBegan {
			t.Fatalf("%d steps are told again", len(again))
		}
		end := again[len(again)-1]
		if got := end.First + uint64(len(end.Events)) - 1; got != last {
			t.Errorf("what is told again ends with event %d, want %d", got, last)
		}
	})
}

// A card that left the shoe and is seen nowhere is asked about when it had the time to lie still: until it is seen, or two
// persons enter it by hand. So it is with one that two antennas see, of which neither can say that it lies there (procedures 7
// and 31).
func TestACardNobodySees(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		first := d.draw()
		time.Sleep(cardLate / 2)
		synctest.Wait()
		d.quiet()
		time.Sleep(cardLate)
		synctest.Wait()
		d.prompt("unseen")
		d.place("seat 2", first)
		d.quiet()

		second := d.draw()
		time.Sleep(2 * cardLate)
		synctest.Wait()
		d.prompt("unseen")
		d.at("d1", Request{Verb: VerbManualCard, ID: "1", Card: second, Reason: "its tag is dead"})
		i := slices.IndexFunc(d.last().Prompts, func(p Prompt) bool { return p.Code == "confirm" })
		d.at("floor", Request{Verb: VerbChoose, Prompt: d.last().Prompts[i].ID, Choice: "confirm"})
		if s := d.state(); s.Seats[2].Hole[0] != first || s.Seats[3].Hole[0] != second {
			t.Errorf("the seats have %v and %v, want %v and %v", s.Seats[2].Hole[0], s.Seats[3].Hole[0], first, second)
		}
		d.quiet()
	})
}

// A card or a chip that two antennas see at once is nowhere until it is laid apart, or a person says where it lies: no card is taken
// meanwhile (procedures 7).
func TestOneThingAtTwoPlaces(t *testing.T) {
	for name, is := range map[string]struct {
		card  bool
		zones [2]string
		what  string
	}{
		"a card": {true, [2]string{"seat 3", "board"}, "card"},
		"a chip": {false, [2]string{"spot 1", "spot 2"}, "chip"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var said []string
				free := false
				opt := options(t)
				opt.Lies = func(tag string, z engine.Zone) bool {
					said = append(said, tag+" at "+z.String())
					return free
				}
				d := sit(t, opt, nil)
				defer d.leave()
				d.start()
				d.deal(1)
				c := card.None
				if is.card {
					c = d.deck[0]
				}
				first, second := zone(is.zones[0]), zone(is.zones[1])
				sees := func() Prompt {
					t.Helper()
					d.table.AtTwo(d.ctx, "E0AA", c, first, second)
					synctest.Wait()
					return d.prompt("two_places")
				}
				p := sees()
				want := fmt.Sprintf("One %s is seen at %v and at %v. Lay it where it belongs, away from the other, or say where it lies.", is.what, first, second)
				if p.Text != want || p.Zone != is.zones[0] {
					t.Errorf("the dealer reads %q at %s, want %q", p.Text, p.Zone, want)
				}
				due := d.state().Awaits().Zone()
				d.place(due.String(), d.draw())
				time.Sleep(time.Minute)
				synctest.Wait()
				if d.dealt() != 1 {
					t.Errorf("%d cards were taken", d.dealt())
				}
				d.table.AtTwo(d.ctx, "E0AA", c, engine.Zone{}, engine.Zone{}) // laid apart
				synctest.Wait()
				d.quiet()
				if d.dealt() != 2 {
					t.Errorf("%d cards were taken, want 2", d.dealt())
				}
				if reply := d.choose(sees(), "at_second"); reply.Code != CodeBusy {
					t.Errorf("readers that hear nobody: %+v", reply)
				}
				free = true
				if reply := d.choose(d.prompt("two_places"), "at_second"); !reply.OK {
					t.Errorf("%+v", reply)
				}
				d.quiet()
				if at := "E0AA at " + is.zones[1]; len(said) != 2 || said[1] != at {
					t.Errorf("the readers are told %q, want %q", said, at)
				}
			})
		})
	}
}

// A card that one antenna sees, but not surely, is asked about while the hand does not have it there (procedures 7).
func TestACardThatIsNotSeenSurely(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		var said []string
		opt.Lies = func(tag string, z engine.Zone) bool {
			said = append(said, tag+" at "+z.String())
			return true
		}
		d := sit(t, opt, nil)
		defer d.leave()
		sees := func(c card.Card, zone engine.Zone) {
			d.table.AtTwo(d.ctx, "E0"+c.String(), c, zone, engine.Zone{})
			synctest.Wait()
		}
		sees(card.New(card.Ace, card.Spades), zone("board")) // nobody has collected it yet
		d.quiet()
		d.table.AtTwo(d.ctx, "E0As", card.None, engine.Zone{}, engine.Zone{})
		d.start()
		due := d.state().Awaits().Zone()
		c := d.draw()
		sees(c, due)
		p := d.prompt("seen_badly")
		if want := fmt.Sprintf("A card is seen at %v, but not surely. Lay it flat on its place, away from others, or say that it lies there.", due); p.Text != want || p.Zone != due.String() {
			t.Errorf("the dealer reads %q at %s, want %q", p.Text, p.Zone, want)
		}
		if reply := d.choose(p, "at_first"); !reply.OK {
			t.Errorf("%+v", reply)
		}
		if want := []string{fmt.Sprintf("E0%v at %v", c, due)}; !slices.Equal(said, want) {
			t.Errorf("the readers are told %q, want %q", said, want)
		}
		d.place(due.String(), c)
		d.quiet()
		if d.dealt() != 1 {
			t.Errorf("%d cards were taken, want 1", d.dealt())
		}
		sees(c, due) // it is known to lie there
		d.quiet()
	})
}

// The dealer has a place read anew, at the prompt about it or by a command (procedures 7).
func TestAPlaceIsReadAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		var read []engine.Zone
		busy := false
		opt.Rescan = func(z engine.Zone) bool {
			if !busy {
				read = append(read, z)
			}
			return !busy
		}
		d := sit(t, opt, nil)
		defer d.leave()
		d.start()
		c := d.draw()
		time.Sleep(2 * cardLate)
		synctest.Wait()
		if reply := d.choose(d.prompt("unseen"), string(VerbRescan)); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		d.prompt("unseen") // stands until the readers have seen it
		d.place("seat 2", c)
		d.quiet()
		d.place("seat 3", card.New(card.Ace, card.Spades)) // fell there and was taken away, which the reader does not notice
		if reply := d.choose(d.prompt("not_from_shoe"), string(VerbRescan)); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		d.table.CardGone(d.ctx, zone("seat 3"), card.New(card.Ace, card.Spades))
		synctest.Wait()
		d.quiet()
		for _, z := range []engine.Zone{{}, zone("board")} {
			if reply := d.at("d1", Request{Verb: VerbRescan, Zone: z}); !reply.OK {
				t.Errorf("%v: %+v", z, reply)
			}
		}
		if want := []engine.Zone{zone("seat 2"), zone("seat 3"), {}, zone("board")}; !slices.Equal(read, want) {
			t.Errorf("read anew: %v, want %v", read, want)
		}
		if reply := d.at("d1", Request{Verb: VerbRescan, Zone: zone("seat 9")}); reply.Code != CodeNothingThere {
			t.Errorf("a place that nobody watches: %+v", reply)
		}
		busy = true
		if reply := d.at("d1", Request{Verb: VerbRescan}); reply.Code != CodeBusy {
			t.Errorf("readers that are busy: %+v", reply)
		}
	})
}

// The shoe's reader saw the card that stayed in before the one that left: the one that lies there is the next.
func TestTheShoeTookTwoInTheWrongOrder(t *testing.T) {
	for _, seen := range []bool{false, true} { // whether a look ahead sees the one that stayed in the shoe
		bubble(t, func(t *testing.T) {
			opt := options(t)
			opt.Zones = append(opt.Zones, zone("next"))
			d := sit(t, opt, nil)
			defer d.leave()
			d.start()
			stayed := d.draw()
			left := d.draw()
			d.place("seat 2", left)
			if seen {
				d.place("next", stayed)
			}
			d.quiet()
			time.Sleep(cardLate + time.Millisecond)
			synctest.Wait()
			d.choose(d.prompt("wrong_order"), "next")
			if got := d.state().Seats[2].Hole[0]; got != left {
				t.Fatalf("seat 2 has %v, want %v", got, left)
			}
			d.place("seat 3", stayed)
			if got := d.state().Seats[3].Hole[0]; got != stayed {
				t.Errorf("seat 3 has %v, want %v", got, stayed)
			}
		})
	}
}
