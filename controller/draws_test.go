package controller

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// drawing are the options of a game with draws, for remote players at three seats.
func drawing(t *testing.T, game string) Options {
	t.Helper()
	opt := options(t)
	var err error
	if opt.Rules.Game, err = engine.GameNamed(game); err != nil {
		t.Fatal(err)
	}
	opt.Button = 2
	opt.DrawClock = 30 * time.Second
	return opt
}

// toTheDraw plays a hand up to its first draw; everybody stays in.
func (d *desk) toTheDraw() {
	d.t.Helper()
	d.deck = d.state().Rules.Game.Deck.Cards()
	d.start()
	for d.state().Phase != engine.Drawing {
		d.step()
	}
}

// step deals a card, or has the player whose turn it is check, call, stand pat or show.
func (d *desk) step() {
	d.t.Helper()
	v := VerbCall
	switch a := d.state().Awaits(); {
	case a.Kind == engine.AwaitNothing:
		d.t.Fatal("the hand is over")
	case a.Asked() == 0:
		d.deal(1)
		return
	case a.Kind == engine.AwaitDiscard:
		v = VerbStandPat
	case a.Kind == engine.AwaitReveal:
		v = VerbShow
	case a.Legal.Check:
		v = VerbCheck
	}
	if r := d.act(v, 0); !r.OK {
		d.t.Fatalf("%s refused: %+v", v, r)
	}
}

// discard has the player whose turn it is throw cards away.
func (d *desk) discard(places ...int) *Reply {
	d.t.Helper()
	u := d.last()
	r := Request{From: d.player(u.State.Turn), Verb: VerbDiscard, Turn: u.Turn, Cards: PlacesOf(places...)}
	if len(places) == 0 {
		r.Verb = VerbStandPat
	}
	return d.ask(r)
}

// move takes a card from where it lies to another zone, "" for nowhere.
func (d *desk) move(c card.Card, z string) {
	d.t.Helper()
	if from, lies := d.table.tracker.lies[c]; lies {
		d.table.CardGone(d.ctx, from, c)
		synctest.Wait()
	}
	if z != "" {
		d.place(z, c)
	}
}

func (d *desk) hole(seat engine.Seat) []card.Card {
	p := &d.state().Seats[seat]
	return slices.Clone(p.Hole[:p.HoleLen])
}

// instructed checks what the dealer reads.
func (d *desk) instructed(kind, text string) Instruction {
	d.t.Helper()
	in := d.last().Instruction
	if in.Kind != kind || in.Text != text {
		d.t.Fatalf("the dealer is told %q, %q, want %q, %q", in.Kind, in.Text, kind, text)
	}
	return in
}

// A remote player names cards; the dealer reads slots; no card is taken before exactly those have left.
func TestDiscardsLeaveBySlots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, drawing(t, "draw5"), nil)
		defer d.leave()
		d.toTheDraw()
		d.instructed("wait", "Seat 3 is to draw")
		old := d.hole(3)
		if r := d.discard(1, 3); !r.OK {
			t.Fatalf("%+v", r)
		}
		if in := d.instructed("discard", "Seat 3: slots 1 and 3 to the muck"); in.Seat != 3 || in.Slots != PlacesOf(1, 3) {
			t.Errorf("%+v", in)
		}
		d.discard(5)
		d.discard() // seat 2 stands pat
		d.instructed("discard", "Seat 1: slot 5 to the muck")
		d.move(d.thrownBy(1)[0], "muck")
		d.move(old[0], "muck")
		d.instructed("discard", "Seat 3: slot 3 to the muck")
		if a := d.state().Awaits(); a.Kind != engine.AwaitBurn {
			t.Fatalf("awaits %v", a.Kind)
		}
		burn := d.draw()
		d.place("burn", burn)
		if d.state().Burnt {
			t.Fatal("a card was taken though a discard lies at its seat")
		}
		d.move(old[2], "muck")
		if d.quiet(); !d.state().Burnt {
			t.Fatal("the burn was not taken when all discards had left")
		}
		if in := d.instructed("hole", "Deal a card to seat 3, slot 1"); in.Slots != PlacesOf(1) {
			t.Errorf("slots %v", in.Slots.List())
		}
		d.deal(1)
		d.instructed("hole", "Deal a card to seat 3, slot 3")
		d.deal(1)
		d.instructed("hole", "Deal a card to seat 1, slot 5")
		d.deal(1)
		d.quiet()
		// The player is told the cards he kept first; the dealer knows where each lies.
		if got := d.hole(3); !slices.Equal(got[:3], []card.Card{old[1], old[3], old[4]}) || len(got) != 5 {
			t.Errorf("seat 3 holds %v after %v", got, old)
		}
		if got, now := d.table.tracker.slots[3], d.hole(3); got[0] != now[3] || got[1] != old[1] || got[2] != now[4] {
			t.Errorf("slots %v, hand %v", got, now)
		}
	})
}

// thrownBy are the cards that a seat threw away, in order of their faces.
func (d *desk) thrownBy(seat engine.Seat) (cards []card.Card) {
	for c, from := range d.table.tracker.thrown {
		if from.seat == seat {
			cards = append(cards, c)
		}
	}
	slices.Sort(cards)
	return cards
}

func TestAKeptCardThatLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, drawing(t, "draw5"), nil)
		defer d.leave()
		d.toTheDraw()
		hand := d.hole(3)
		d.discard(1, 3)
		d.move(hand[1], "")
		if p := d.prompt("kept_card"); p.Zone != "seat 3" || !strings.Contains(p.Text, "slot 2") || strings.Contains(p.Text, hand[1].String()) {
			t.Errorf("%+v", p)
		}
		d.place("muck", hand[1])
		d.prompt("kept_card")
		d.move(hand[1], "seat 3")
		d.quiet()
		d.instructed("discard", "Seat 3: slots 1 and 3 to the muck")
	})
}

// A player at the felt throws his cards himself and says that he has: the tags tell which they were.
func TestAFeltPlayerThrowsByHand(t *testing.T) {
	for _, mucks := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			opt := drawing(t, "draw5")
			opt.Players[2].Kind = Felt
			gone := "muck"
			if !mucks {
				opt.Zones, gone = slices.DeleteFunc(opt.Zones, func(z engine.Zone) bool { return z == muck }), ""
			}
			d := sit(t, opt, nil)
			defer d.leave()
			d.toTheDraw()
			hand := d.hole(3)
			done := func() *Reply {
				return d.ask(Request{From: Source{Panel: 3}, Verb: VerbCheckCall, Turn: d.last().Turn})
			}
			d.move(hand[1], gone)
			d.move(hand[4], gone)
			if mucks {
				d.move(hand[0], "") // in his hand
			}
			if n := d.last().Thrown; n != 2 {
				t.Fatalf("%d cards are seen to be thrown away, want 2", n)
			}
			d.quiet()
			if r := done(); !r.OK {
				t.Fatalf("%+v", r)
			}
			if got, want := d.hole(3), []card.Card{hand[0], hand[2], hand[3]}; !slices.Equal(got, want) {
				t.Fatalf("the seat holds %v, want %v", got, want)
			}
			d.instructed("wait", "Seat 1 is to draw")
			if mucks { // one more than he said
				d.move(hand[2], "muck")
				d.prompt("kept_card")
				d.move(hand[2], "seat 3")
				d.quiet()
			}
		})
	}
}

// People at the felt and elsewhere draw in one hand: who is at the felt throws by hand, whose cards lie for them have theirs
// thrown by slots, the new cards go into the gaps, and every card is seen again before the next hand (procedures 8).
func TestFeltAndElsewhereDrawInOneHand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := drawing(t, "draw5")
		opt.Players[2].Kind = Felt
		d := sit(t, opt, nil)
		defer d.leave()
		d.toTheDraw()
		mine := d.hole(3)
		d.move(mine[1], "muck")
		d.move(mine[4], "muck")
		d.ask(Request{From: Source{Panel: 3}, Verb: VerbCheckCall, Turn: d.last().Turn})
		theirs := d.hole(1)
		d.discard(1, 3)
		d.instructed("discard", "Seat 1: slots 1 and 3 to the muck")
		d.discard()
		d.move(theirs[0], "muck")
		d.move(theirs[2], "muck")
		d.deal(1) // the burn
		for _, where := range []string{"seat 3, slot 2", "seat 3, slot 5", "seat 1, slot 1", "seat 1, slot 3"} {
			d.instructed("hole", "Deal a card to "+where)
			d.deal(1)
		}
		d.quiet()
		if felt, remote := d.table.tracker.slots[3], d.table.tracker.slots[1]; felt[0] != mine[0] || remote[1] != theirs[1] {
			t.Errorf("what they kept lies in other slots: %v and %v", felt, remote)
		}
		for d.state().Phase != engine.Between {
			if a := d.state().Awaits(); a.Seat == 3 && a.Kind == engine.AwaitReveal {
				d.ask(Request{From: Source{Panel: 3}, Verb: VerbShow, Turn: d.last().Turn})
			} else {
				d.step()
			}
		}
		out := d.state().Out.Cards()
		for _, c := range out[1:] {
			d.move(c, "muck")
		}
		if reply := d.console(VerbStartHand); reply.Code != CodeNotCollected {
			t.Errorf("a hand starts though a card is not seen again: %+v", reply)
		}
		d.move(out[0], "muck")
		d.start()
	})
}

// NX-71: who does not draw in time stands pat.
func TestTheClockOfADraw(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, drawing(t, "draw5"), nil)
		defer d.leave()
		d.toTheDraw()
		if c := d.last().Clock; c.Seat != 3 || c.Total != 30*time.Second {
			t.Fatalf("clock %+v", c)
		}
		time.Sleep(30*time.Second + time.Millisecond)
		synctest.Wait()
		s := d.state()
		if p := &s.Seats[3]; p.HoleLen != 5 || !p.Late || s.Turn != 1 {
			t.Errorf("seat 3 has %d cards, late %v; the turn is seat %d's", p.HoleLen, p.Late, s.Turn)
		}
	})
}

func TestRequestsOfADraw(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, drawing(t, "draw32"), nil)
		defer d.leave()
		d.toTheDraw()
		u := d.last()
		for _, c := range []struct {
			name string
			r    Request
			want string
		}{
			{"no cards", Request{Verb: VerbDiscard, Turn: u.Turn}, CodeNoSuchCard},
			{"a sixth card", Request{Verb: VerbDiscard, Turn: u.Turn, Cards: PlacesOf(6)}, CodeNoSuchCard},
			{"five cards", Request{Verb: VerbDiscard, Turn: u.Turn, Cards: PlacesOf(1, 2, 3, 4, 5)}, string(engine.CodeTooMuch)},
			{"an old turn", Request{Verb: VerbStandPat, Turn: u.Turn - 1}, CodeStaleTurn},
			{"an action", Request{Verb: VerbCheck, Turn: u.Turn}, string(engine.CodeNotAwaited)},
			{"another's turn", Request{From: d.player(1), Verb: VerbStandPat, Turn: u.Turn}, string(engine.CodeOutOfTurn)},
		} {
			if c.r.From == (Source{}) {
				c.r.From = d.player(3)
			}
			if r := d.ask(c.r); r.Code != c.want {
				t.Errorf("%s: %+v, want %s", c.name, r, c.want)
			}
		}
		if *d.state() != u.State {
			t.Error("a refused request changed the table")
		}
	})
}

// exhaust plays a hand until the shoe is empty and the discards are due in it.
func (d *desk) exhaust() {
	d.t.Helper()
	for d.state().Phase == engine.Drawing {
		d.discard(1, 2, 3)
	}
	d.clearPads()
	for d.state().Awaits().Kind != engine.AwaitReload {
		d.deal(1)
	}
}

// clearPads moves all discards to the muck, as the dealer is told.
func (d *desk) clearPads() {
	for c := range d.table.tracker.thrown {
		d.move(c, "muck")
	}
}

// shortDeck makes a hand of draw32 one whose shoe runs out: 32 cards less 15, a burn, and what is set aside.
func shortDeck(t *testing.T) Options {
	opt := drawing(t, "draw32")
	for i, name := range []string{"dario", "elena"} {
		seat := engine.Seat(4 + i)
		opt.Players = append(opt.Players, Player{Seat: seat, Player: name, Kind: Remote, Stack: 200})
		opt.Zones = append(opt.Zones, engine.Zone{Kind: engine.ZoneSeat, Seat: seat})
	}
	return opt
}

// A shoe that is empty while cards are due is loaded with the discards, and with nothing else (procedures 29).
func TestDiscardsAreShuffledIntoTheShoe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, shortDeck(t), nil)
		defer d.leave()
		d.toTheDraw()
		d.exhaust()
		discards := d.state().Discarded
		d.instructed("reload", "Shuffle the 15 discards, no folded hands, and load them into the shoe: 15 still lie on the felt")
		if r := d.console(VerbReload); r.Code != CodeNotReloaded {
			t.Fatalf("reloaded while the discards lie in the muck: %+v", r)
		}
		for _, c := range discards.Cards() {
			d.move(c, "")
		}
		d.instructed("reload", "Shuffle the 15 discards, no folded hands, and load them into the shoe")
		if r := d.console(VerbReload); !r.OK {
			t.Fatalf("%+v", r)
		}
		if s := d.state(); s.Out&discards != 0 || s.Awaits().Kind != engine.AwaitHole {
			t.Errorf("out %v, awaits %v", s.Out&discards, s.Awaits().Kind)
		}
		// The seat's own discard goes aside (NX-73, NX-A5).
		seat := d.state().Awaits().Seat
		own := d.state().Seats[seat].Thrown.Cards()[0]
		zone := d.state().Awaits().Zone().String()
		d.deck = append([]card.Card{own}, (discards &^ d.state().Seats[seat].Thrown).Cards()...)
		d.place(zone, d.draw())
		p := d.prompt("own_discard")
		if strings.Contains(p.Text, own.String()) {
			t.Errorf("the prompt names the card: %s", p.Text)
		}
		if r := d.choose(p, "set_aside"); !r.OK {
			t.Fatalf("%+v", r)
		}
		d.quiet()
		if in := d.last().Instruction; in.Kind != "discard" || in.Seat != seat {
			t.Errorf("the dealer is told %+v", in)
		}
		d.move(own, "muck")
		dealt := d.table.dealt
		d.deal(1)
		d.quiet()
		if d.table.dealt != dealt+1 || !d.state().Out.Has(own) {
			t.Errorf("%d cards dealt after %d", d.table.dealt, dealt)
		}
	})
}

// The first discard that leaves the shoe tells that they are in it, if none is seen anywhere else.
func TestTheShoeTellsThatItIsReloaded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, shortDeck(t), nil)
		defer d.leave()
		d.toTheDraw()
		d.exhaust()
		s := *d.state()
		for _, c := range s.Discarded.Cards() {
			d.move(c, "")
		}
		first := engine.Seat(5) // the button is seat 2, and seats 3 and 4 have their cards
		if s.Seats[4].HoleLen != 5 || s.Seats[first].HoleLen == 5 {
			t.Fatalf("seat 4 has %d cards, seat 5 %d", s.Seats[4].HoleLen, s.Seats[first].HoleLen)
		}
		d.deck = (s.Discarded &^ s.Seats[first].Thrown).Cards()
		c := d.draw()
		if d.quiet(); d.state().Awaits().Kind != engine.AwaitHole {
			t.Fatalf("awaits %v", d.state().Awaits().Kind)
		}
		d.place(d.state().Awaits().Zone().String(), c)
		d.quiet()
		if !d.state().Out.Has(c) {
			t.Error("the card was not taken")
		}
	})
}

// A folded hand that is taken up with the discards would come into play again.
func TestFoldedHandsStayInTheMuck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, shortDeck(t), nil)
		defer d.leave()
		d.deck = d.state().Rules.Game.Deck.Cards()
		d.start()
		d.deal(25)
		folded := d.hole(d.state().Turn)
		d.act(VerbFold, 0)
		for _, c := range folded {
			d.move(c, "muck")
		}
		for d.state().Phase == engine.Betting {
			d.step()
		}
		d.exhaust()
		d.quiet()
		d.move(folded[0], "")
		d.prompt("taken_from_muck")
		if r := d.console(VerbReload); r.OK {
			t.Error("a folded hand was shuffled into the shoe")
		}
		d.place("muck", folded[0])
		d.quiet()
	})
}

// Nothing that a draw leads to is forgotten: the cards, their slots, and those that are yet to leave.
func TestAPowerCutAnywhereInADraw(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := shortDeck(t)
		d := sit(t, opt, nil)
		d.toTheDraw()
		type moment struct {
			records int
			slots   [engine.MaxSeats + 1]slots
			thrown  int
		}
		var moments []moment
		note := func() {
			tr := d.table.tracker
			moments = append(moments, moment{len(d.entries), tr.slots, len(tr.thrown)})
		}
		for d.state().Phase == engine.Drawing {
			d.discard(2, 4)
			note()
		}
		d.clearPads()
		for d.state().Phase == engine.Dealing {
			if d.state().Awaits().Kind == engine.AwaitReload {
				discards := d.state().Discarded.Cards()
				for _, c := range discards {
					d.move(c, "")
				}
				d.console(VerbReload)
				d.deck = discards
			}
			d.deal(1)
			for _, p := range d.last().Prompts {
				d.choose(p, "set_aside")
				d.clearPads()
			}
			note()
		}
		d.leave()
		if len(moments) < 15 {
			t.Fatalf("%d moments prove little", len(moments))
		}
		for _, m := range moments {
			again := sit(t, opt, d.entries[:m.records])
			if tr := again.table.tracker; tr.slots != m.slots || len(tr.thrown) != m.thrown {
				t.Errorf("after %d records: slots %v and %d thrown, want %v and %d", m.records, tr.slots, len(tr.thrown), m.slots, m.thrown)
			}
			again.leave()
		}
	})
}

// NX-A6: the offer to split goes round, and the dealer reads that it does.
func TestTheSplitGoesRound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, drawing(t, "draw32"), nil)
		defer d.leave()
		d.toTheDraw()
		for d.state().Phase == engine.Drawing {
			d.discard()
		}
		for i := range 3 {
			if !d.state().Awaits().Legal.Split {
				t.Fatalf("seat %d may not split", d.state().Turn)
			}
			if i > 0 && !strings.Contains(d.last().Instruction.Text, "split the pot, or play on") {
				t.Errorf("the dealer reads %q", d.last().Instruction.Text)
			}
			v := VerbSplit
			if i == 1 {
				v = VerbShowSplit // the key of a panel
			}
			if r := d.act(v, 0); !r.OK {
				t.Fatalf("%+v", r)
			}
		}
		s := d.state()
		if s.Phase != engine.Between || s.Seats[1].Stack != 200 || s.Seats[2].Stack != 200 || s.Seats[3].Stack != 200 {
			t.Errorf("%v, stacks %d, %d and %d", s.Phase, s.Seats[1].Stack, s.Seats[2].Stack, s.Seats[3].Stack)
		}
	})
}
