package controller

import (
	"testing"
	"testing/synctest"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// powered are the options of a table of Naiko mode at which everybody can pay for any power, in the first of the carousels:
// peek, swap, anchor; or in the last: swap, anchor, shield.
func powered(t *testing.T, carousel int) Options {
	t.Helper()
	opt := options(t)
	var err error
	if opt.Rules.House, err = engine.HouseNamed("naiko"); err != nil {
		t.Fatal(err)
	}
	powers := *engine.Naiko
	powers.Gain = 3
	opt.Rules.Powers = &powers
	opt.Random = func(n int) int { return min(carousel, n-1) }
	opt.Zones = append(opt.Zones, zone("next"))
	return opt
}

// power has a player ask for something about powers.
func (d *desk) power(seat engine.Seat, v Verb, r Request) *Reply {
	d.t.Helper()
	r.From, r.Verb, r.Turn = d.player(seat), v, d.last().Turn
	return d.ask(r)
}

func (d *desk) powered(seat engine.Seat, v Verb, r Request) {
	d.t.Helper()
	if got := d.power(seat, v, r); !got.OK {
		d.t.Fatalf("seat %d, %s: %+v", seat, v, got)
	}
}

func (d *desk) wait(t time.Duration) {
	time.Sleep(t)
	synctest.Wait()
}

// NK-11: the carousel is drawn when a hand starts, and recorded with it.
func TestTheCarouselIsDrawn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := powered(t, 0)
		opt.Random = nil
		seen := map[engine.PowerSet]bool{}
		d := sit(t, opt, nil)
		for range 60 {
			d.start()
			seen[d.state().Powers.Carousel] = true
			d.ask(Request{From: Source{Console: "d1"}, Verb: VerbVoidHand})
		}
		last := d.state().Powers.Carousel
		d.leave()
		if len(seen) != len(engine.Naiko.Carousels) {
			t.Errorf("%d carousels in 60 hands", len(seen))
		}
		again := sit(t, opt, d.entries)
		defer again.leave()
		if got := again.state().Powers.Carousel; got != last {
			t.Errorf("%v after a restart, want %v", got, last)
		}
	})
}

// NK-20, NK-25: a peek sees the card that the shoe reads ahead, and that card comes.
func TestAPeekReadsAhead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, powered(t, 0), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		seat := d.state().Turn
		if r := d.power(seat, VerbPeek, Request{}); r.Code != string(engine.CodeUnknownCards) {
			t.Errorf("a shoe that has not read ahead: %+v", r)
		}
		d.place("next", d.deck[0])
		d.quiet()
		d.powered(seat, VerbPeek, Request{})
		if pw := d.state().Powers; pw.Ahead != d.deck[0] || !pw.Peekers.Has(seat) {
			t.Errorf("%+v, want %v", pw, d.deck[0])
		}
		for d.state().Phase == engine.Betting {
			d.step()
		}
		d.table.CardGone(d.ctx, zone("next"), d.deck[0])
		d.deal(1)
		d.quiet()
		if s := d.state(); s.BoardLen != 1 {
			t.Errorf("%d community cards", s.BoardLen)
		}
	})
}

func TestAnotherCardThanTheOneReadAhead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, powered(t, 0), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.place("next", d.deck[0])
		d.powered(d.state().Turn, VerbPeek, Request{})
		for d.state().Phase == engine.Betting {
			d.step()
		}
		d.deck = d.deck[1:]
		d.deal(1)
		if p := d.prompt(string(engine.CodeNotPeeked)); p.Zone != "board" {
			t.Errorf("%+v", p)
		}
	})
}

// NK-21: the card thrown away leaves by its slot, the next one of the shoe comes into it; meanwhile the clock stands.
func TestASwapAtTheTable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, powered(t, 0), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		seat := d.state().Turn
		hand := d.hole(seat)
		for _, c := range []struct {
			name   string
			places Places
		}{{"none", 0}, {"both", PlacesOf(1, 2)}, {"a third", PlacesOf(3)}} {
			if r := d.power(seat, VerbSwap, Request{Cards: c.places}); r.Code != CodeNoSuchCard {
				t.Errorf("swap of %s: %+v", c.name, r)
			}
		}
		d.wait(5 * time.Second)
		d.powered(seat, VerbSwap, Request{Cards: PlacesOf(2)})
		if c := d.last().Clock; c.Seat != seat || !c.Paused || c.Left != 15*time.Second {
			t.Errorf("clock %+v", c)
		}
		d.instructed("discard", "Seat 1: slot 2 to the muck")
		next := d.draw()
		d.place("seat 1", next)
		if d.state().Phase != engine.Swapping {
			t.Fatal("the card was taken before the old one had left")
		}
		d.move(hand[1], "muck")
		d.quiet()
		if got := d.hole(seat); len(got) != 2 || got[0] != hand[0] || got[1] != next {
			t.Errorf("the seat holds %v", got)
		}
		if c := d.last().Clock; c.Seat != seat || c.Paused || time.Until(c.Deadline) != 15*time.Second {
			t.Errorf("clock %+v", c)
		}
		d.act(VerbCall, 0)
		d.playOn()
		if r := d.console(VerbStartHand); r.Code != CodeNotCollected {
			t.Errorf("started with cards on the felt: %+v", r)
		}
	})
}

// playOn plays the hand to its end.
func (d *desk) playOn() {
	d.t.Helper()
	for d.state().Phase != engine.Between {
		d.step()
	}
}

// NK-22, NK-23: the one anchored has 8 seconds to answer, while the clock of the decision stands.
func TestAnAnchorIsAnswered(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(*desk, engine.Seat)
		held   bool
	}{
		{"a shield", func(d *desk, target engine.Seat) { d.powered(target, VerbShield, Request{}) }, false},
		{"none", func(d *desk, target engine.Seat) { d.powered(target, VerbAcceptAnchor, Request{}) }, true},
		{"too late", func(d *desk, _ engine.Seat) { d.wait(8*time.Second - 3*time.Second + time.Millisecond) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, powered(t, 2), nil)
				defer d.leave()
				d.start()
				d.deal(6)
				d.wait(6 * time.Second)
				seat, target := d.state().Turn, engine.Seat(3)
				if r := d.power(seat, VerbAnchor, Request{To: seat}); r.Code != string(engine.CodeBadTarget) {
					t.Errorf("anchors itself: %+v", r)
				}
				d.powered(seat, VerbAnchor, Request{To: target})
				if in := d.last().Instruction; in.Kind != "wait" || in.Seat != target {
					t.Errorf("the dealer is told %+v", in)
				}
				if cl := d.last().Clock; cl.Seat != target || cl.Total != 8*time.Second {
					t.Errorf("clock %+v", cl)
				}
				if r := d.ask(Request{From: d.player(target), Verb: VerbShield, Turn: d.last().Turn - 1}); r.Code != CodeStaleTurn {
					t.Errorf("a shield for another anchor: %+v", r)
				}
				d.wait(3 * time.Second)
				c.answer(d, target)
				if p := d.state().Seats[target]; p.Anchored != c.held || d.state().Phase != engine.Betting {
					t.Errorf("anchored %v, %v", p.Anchored, d.state().Phase)
				}
				if cl := d.last().Clock; cl.Seat != seat || cl.Total != 20*time.Second || time.Until(cl.Deadline) > 14*time.Second || time.Until(cl.Deadline) < 14*time.Second-2*time.Millisecond {
					t.Errorf("clock %+v, %v left, want 14 s", cl, time.Until(cl.Deadline))
				}
				d.playOn()
			})
		})
	}
}

// Nothing of a hand with powers is forgotten, wherever the power goes.
func TestAPowerCutAnywhereAmongPowers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := powered(t, 0)
		d := sit(t, opt, nil)
		d.start()
		d.deal(6)
		seat := d.state().Turn
		hand := d.hole(seat)
		d.powered(seat, VerbSwap, Request{Cards: PlacesOf(1)})
		d.move(hand[0], "muck")
		d.deal(1)
		d.act(VerbCall, 0)
		d.powered(d.state().Turn, VerbAnchor, Request{To: 3})
		d.act(VerbCall, 0)
		d.place("next", d.deck[0])
		d.powered(3, VerbPeek, Request{})
		d.playOn()
		d.leave()
		for i, n := range d.sizes {
			again := sit(t, opt, d.entries[:n])
			if u := again.last(); u.State != rebased(d.states[i], &u.State) {
				t.Fatalf("after %d records the table came back as\n%+v\nwant\n%+v", n, u.State, d.states[i])
			}
			again.leave()
		}
	})
}

// Without powers nobody has any.
func TestNoPowersWithoutThem(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		for _, v := range []Verb{VerbPeek, VerbAnchor} {
			if r := d.power(1, v, Request{To: 2}); r.Code != string(engine.CodeNoPower) {
				t.Errorf("%s: %+v", v, r)
			}
		}
		if c := d.table.tracker.ahead(d.state()); c != card.None {
			t.Errorf("%v lies ahead", c)
		}
	})
}
