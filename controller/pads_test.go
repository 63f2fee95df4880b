package controller

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/engine"
)

// atTheFelt is a table at the first turn of a hand, of seat 1, where bruno at seat 2 sits at the felt.
func atTheFelt(t *testing.T) *desk {
	t.Helper()
	opt := options(t)
	opt.Players[1].Kind, opt.ActionClock = Felt, time.Hour
	d := sit(t, opt, nil)
	d.start()
	d.deal(6)
	return d
}

// lift takes a seat's cards off its pad: the first n of them.
func (d *desk) lift(seat engine.Seat, n int) {
	p := d.state().Seats[seat]
	for _, c := range p.Hole[:n] {
		d.table.CardGone(d.ctx, engine.ZoneOf(seat), c)
	}
	synctest.Wait()
}

// lay lays a seat's cards somewhere.
func (d *desk) lay(seat engine.Seat, z string) {
	p := d.state().Seats[seat]
	for _, c := range p.Hole[:p.HoleLen] {
		d.place(z, c)
	}
}

func (d *desk) sleep(wait time.Duration) {
	time.Sleep(wait)
	synctest.Wait()
}

// Who lifts his cards to look at them is not asked; who lifts all of them for long is asked whether he folds, and has not
// until the dealer says so (procedures 19).
func TestLiftedCardsAreNoFold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTheFelt(t)
		defer d.leave()
		d.lift(2, 1)
		d.sleep(2 * handAway)
		d.quiet()
		d.lay(2, "seat 2")
		d.lift(2, 2)
		d.sleep(handAway / 2)
		d.quiet()
		d.lay(2, "seat 2")
		d.lift(2, 2)
		d.sleep(handAway - time.Second)
		d.quiet()
		d.sleep(2 * time.Second)
		p := d.prompt("folded")
		if s := d.state(); !s.Live.Has(2) || !d.last().Clock.Paused {
			t.Fatalf("seat 2 is in: %v, the clock %+v", s.Live.Has(2), d.last().Clock)
		}
		d.choose(p, "holds")
		d.quiet()
		d.sleep(time.Second)
		d.lay(2, "seat 2")
		d.lift(2, 2)
		d.sleep(handAway + time.Second)
		if reply := d.choose(d.prompt("folded"), "fold"); !reply.OK { // seat 1 is to act
			t.Fatalf("%+v", reply)
		}
		if s := d.state(); s.Live.Has(2) || s.Turn != 1 || !d.has(engine.HandDeclaredDead) {
			t.Errorf("seat 2 is in: %v, the turn of seat %d", s.Live.Has(2), s.Turn)
		}
		d.quiet()
	})
}

// Cards of a hand in play that lie in the muck are asked about at once; in the seat's turn that may be its fold (procedures 19).
func TestCardsInTheMuckAreAskedAbout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTheFelt(t)
		defer d.leave()
		d.act(VerbCall, 0)
		d.lift(2, 2)
		d.lay(2, "muck")
		d.prompt("folded")
		d.lay(2, "seat 2") // it was not meant
		d.quiet()
		d.lift(2, 2)
		d.lay(2, "muck")
		p := d.prompt("folded")
		if len(p.Choices) != 2 {
			t.Errorf("choices %+v: nobody holds what lies in the muck", p.Choices)
		}
		d.choose(p, "fold")
		if s := d.state(); s.Live.Has(2) || s.Turn != 3 || d.has(engine.HandDeclaredDead) {
			t.Errorf("seat 2 is in: %v, the turn of seat %d", s.Live.Has(2), s.Turn)
		}
		d.quiet()
	})
}

// The dealer folds for nobody who is elsewhere: a card that is gone is put back, or the hand is dead; that of the button, which
// has not acted, may never have come (procedures 5 and 19).
func TestCardsOfWhoIsElsewhereArePutBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTheFelt(t)
		defer d.leave()
		missed := d.state().Seats[1].Hole[0]
		d.lift(1, 1)
		d.sleep(cardLate / 2)
		d.quiet()
		d.sleep(cardLate)
		d.prompt("card_gone")
		d.place("seat 1", missed)
		d.quiet()
		d.lift(1, 1)
		d.sleep(cardLate + time.Second)
		p := d.prompt("card_gone")
		if p.Choices[0].ID != string(VerbDealCorrection) {
			t.Fatalf("choices %+v", p.Choices)
		}
		d.choose(p, string(VerbDealCorrection))
		c := d.draw()
		d.place("seat 1", c)
		d.quiet()
		if s := d.state(); s.Turn != 1 || s.Seats[1].HoleLen != 2 {
			t.Fatalf("the turn of seat %d, seat 1 has %d cards", s.Turn, s.Seats[1].HoleLen)
		}
		d.lift(3, 2)
		d.sleep(cardLate + time.Second)
		if p = d.prompt("card_gone"); p.Choices[0].ID != string(VerbKillHand) {
			t.Fatalf("choices %+v", p.Choices)
		}
		d.choose(p, string(VerbKillHand))
		d.quiet()
		if s := d.state(); s.Live.Has(3) {
			t.Error("seat 3 is in still")
		}
	})
}

// A folded hand that is back before its seat is for the floor: it is taken away, or given back by two persons (procedures 20).
func TestAFoldedHandComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := atTheFelt(t)
		defer d.leave()
		d.act(VerbFold, 0)
		d.quiet() // the cards have not been taken in yet
		d.lift(1, 2)
		d.lay(1, "muck")
		d.quiet()
		d.lay(1, "seat 1")
		d.prompt("returned")
		d.lay(1, "muck")
		d.quiet()
		d.lay(1, "seat 1")
		p := d.prompt("returned")
		if reply := d.choose(p, string(VerbRetrieve)); !reply.OK || d.state().Live.Has(1) {
			t.Fatalf("%+v, seat 1 is in: %v", reply, d.state().Live.Has(1))
		}
		confirm := Request{Verb: VerbChoose, Prompt: d.asked("confirm").ID, Choice: "confirm"}
		if reply := d.at("d1", confirm); reply.Code != CodeSecondPerson {
			t.Errorf("who asked confirms: %+v", reply)
		}
		if reply := d.at("floor", confirm); !reply.OK || !d.state().Live.Has(1) {
			t.Fatalf("%+v, seat 1 is in: %v", reply, d.state().Live.Has(1))
		}
		d.quiet()
	})
}

// Where no antenna watches the muck, a folded hand was away if it was so for long, and not because it was missed by a scan
// (procedures 20).
func TestAFoldedHandComesBackFromNobodyKnowsWhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		opt.ActionClock = time.Hour
		opt.Zones = slices.DeleteFunc(opt.Zones, func(z engine.Zone) bool { return z == muck })
		d := sit(t, opt, nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.act(VerbFold, 0)
		d.lift(1, 2)
		d.sleep(cardLate / 2)
		d.lay(1, "seat 1")
		d.quiet()
		d.lift(1, 2)
		d.sleep(2 * cardLate)
		d.lay(1, "seat 1")
		d.prompt("returned")
	})
}
