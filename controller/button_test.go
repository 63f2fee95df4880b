package controller

import (
	"slices"
	"testing"
	"time"

	"tavolo/engine"
)

// markerAsked is when it is asked about, and the timer has rung.
const markerAsked = markerLate + 10*time.Millisecond

// marked has a hand begun with the button at seat 1, and the marker at another seat for long enough to be asked about.
func marked(t *testing.T, seat engine.Seat) *desk {
	t.Helper()
	d := sit(t, options(t), nil)
	d.start()
	d.marker(seat)
	d.sleep(markerAsked)
	if got := d.state().Button; got != 1 {
		t.Fatalf("the button is at seat %d, want 1", got)
	}
	return d
}

func (d *desk) marker(seat engine.Seat) {
	d.t.Helper()
	d.table.MarkerLies(d.ctx, seat)
	d.sleep(time.Millisecond)
}

// offers are the choices of a prompt.
func offers(p Prompt) (ids []string) {
	for _, c := range p.Choices {
		ids = append(ids, c.ID)
	}
	return ids
}

// The marker of the button lies at another seat when a hand has begun: no card is taken until the button is set to it, or it is
// moved (procedures 28).
func TestTheMarkerIsAtAnotherSeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := marked(t, 3)
		defer d.leave()
		p := d.prompt("button_at")
		if want := []string{"set_button", "move_back"}; !slices.Equal(offers(p), want) || p.Zone != "seat 3" {
			t.Errorf("at %s %q is offered, want %q", p.Zone, offers(p), want)
		}
		c := d.draw()
		d.place("seat 2", c)
		if d.dealt() != 0 {
			t.Fatal("a card was taken while the button was in doubt")
		}
		d.table.CardGone(d.ctx, zone("seat 2"), c)
		if reply := d.choose(p, "set_button"); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		if s := d.state(); s.Button != 3 || s.SmallBlind != 1 || s.BigBlind != 2 || s.Seats[3].Bet != 0 {
			t.Errorf("the button is at seat %d, blinds at %d and %d, and seat 3 has bet %d", s.Button, s.SmallBlind, s.BigBlind, s.Seats[3].Bet)
		}
		d.place("seat 1", c) // where the deal begins now
		d.quiet()
		if d.dealt() != 1 {
			t.Error("the deal does not go on")
		}
	})
}

// The marker goes back, as the dealer says or as is seen, and is not asked about again but at a third seat or in the next hand.
func TestTheMarkerGoesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := marked(t, 3)
		if reply := d.choose(d.prompt("button_at"), "move_back"); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		d.sleep(time.Minute)
		d.quiet()
		d.marker(2)
		d.sleep(markerAsked)
		d.prompt("button_at")
		d.marker(0) // in a hand
		d.quiet()
		d.marker(1)
		d.sleep(markerAsked)
		d.quiet()
		d.marker(3)
		d = d.again(options(t))
		defer d.leave()
		d.marker(3)
		d.sleep(markerAsked)
		d.quiet() // the restart has not forgotten what was said
		d.void()
		d.console(VerbDeckChecked)
		d.sleep(markerAsked)
		d.quiet() // between hands it is moved
		d.start()
		d.sleep(markerAsked)
		d.prompt("button_at")
	})
}

// A marker that is moved early, or stays where it was for a moment, is asked about neither then nor in a game without a button.
func TestTheMarkerIsNotAskedAbout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		d.start()
		d.marker(3)
		d.sleep(markerLate / 2)
		d.marker(1)
		d.sleep(markerAsked)
		d.quiet()
		d.deal(6)
		d.act(VerbRaise, 6)
		d.act(VerbCall, 0)
		d.marker(2)
		d.sleep(markerAsked)
		d.quiet() // there has been substantial action
		d.leave()

		opt := options(t)
		game, err := engine.GameNamed("stud")
		if err != nil {
			t.Fatal(err)
		}
		opt.Rules.Game, opt.Rules.Limit = game, engine.FixedLimit
		opt.Rules.Stakes = engine.Stakes{Ante: 1, BringIn: 2, SmallBet: 4, BigBet: 8}
		d = sit(t, opt, nil)
		defer d.leave()
		d.start()
		d.marker(3)
		d.sleep(markerAsked)
		d.quiet()
	})
}

// Once a hand was given up the button can no longer be set: the marker is only moved back.
func TestTheMarkerCanOnlyGoBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.act(VerbFold, 0)
		d.marker(3)
		d.sleep(markerAsked)
		p := d.prompt("button_at")
		if got := offers(p); !slices.Equal(got, []string{"move_back"}) {
			t.Errorf("%q is offered", got)
		}
		d.marker(1)
		d.quiet()
		if reply := d.act(VerbCall, 0); !reply.OK {
			t.Errorf("the hand does not go on: %+v", reply)
		}
	})
}
