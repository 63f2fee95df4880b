package controller

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tavolo/engine"
	"tavolo/engine/card"
)

// at asks for a correction at one of two consoles.
func (d *desk) at(console string, r Request) *Reply {
	r.From = Source{Console: console}
	return d.ask(r)
}

func (d *desk) ruled(r Request) {
	d.t.Helper()
	r.Reason = "because"
	if reply := d.at("d1", r); !reply.OK {
		d.t.Fatalf("%s: %+v", r.Verb, reply)
	}
}

func (d *desk) has(kind engine.EventKind) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.updates {
		if slices.ContainsFunc(u.Events, func(e engine.Event) bool { return e.Kind == kind }) {
			return true
		}
	}
	return false
}

// A correction of money, a card by hand and a hand taken back wait for a second person (procedures 26, 27 and 31).
func TestTwoPersons(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		ask := Request{Verb: VerbCorrectStack, ID: "1", Seat: 2, Amount: 50, Reason: "found on the floor"}
		if reply := d.at("d1", ask); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		if got := d.state().Seats[2].Stack; got != 200 {
			t.Fatalf("seat 2 has %d before anybody confirmed", got)
		}
		p := d.prompt("confirm")
		confirm := Request{Verb: VerbChoose, Prompt: p.ID, Choice: "confirm"}
		if reply := d.at("d1", confirm); reply.Code != CodeSecondPerson {
			t.Errorf("who asked confirms: %+v", reply)
		}
		if reply := d.at("floor", confirm); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		if got := d.state().Seats[2].Stack; got != 250 {
			t.Errorf("seat 2 has %d, want 250", got)
		}
		d.quiet()

		ask.ID = "2"
		d.at("d1", ask)
		if reply := d.at("d1", Request{Verb: VerbChoose, Prompt: d.prompt("confirm").ID, Choice: "refuse"}); !reply.OK {
			t.Errorf("%+v", reply)
		}
		d.quiet()
		ask.ID, ask.Amount = "3", -1000
		if reply := d.at("d1", ask); reply.Code != string(engine.CodeBadAmount) {
			t.Errorf("what the rules refuse waits for a second person: %+v", reply)
		}
	})
}

// What waits for a second person waits for one still after a restart, and is asked for once (procedures 26).
func TestARestartForgetsNoConfirmation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		ask := Request{Verb: VerbCorrectStack, ID: "1", Seat: 2, Amount: 50, Reason: "found on the floor"}
		d.at("d1", ask)
		text := d.prompt("confirm").Text
		d.leave()
		d = sit(t, options(t), d.entries)
		if reply := d.at("d1", ask); !reply.OK {
			t.Errorf("asked again: %+v", reply)
		}
		p := d.prompt("confirm")
		if p.Text != text {
			t.Errorf("the dealer reads %q, want %q", p.Text, text)
		}
		confirm := Request{Verb: VerbChoose, ID: "2", Prompt: p.ID, Choice: "confirm"}
		if reply := d.at("d1", confirm); reply.Code != CodeSecondPerson {
			t.Errorf("who asked confirms: %+v", reply)
		}
		if reply := d.at("floor", confirm); !reply.OK || d.state().Seats[2].Stack != 250 {
			t.Fatalf("%+v, seat 2 has %d", reply, d.state().Seats[2].Stack)
		}
		d.leave()
		d = sit(t, options(t), d.entries)
		defer d.leave()
		d.quiet()
		if got := d.state().Seats[2].Stack; got != 250 {
			t.Errorf("seat 2 has %d after another restart", got)
		}
	})
}

// A flop that came too early goes back, its burn stays, and it is dealt again without another one (procedures 13).
func TestAnEarlyFlopGoesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		burn := d.draw()
		d.place("burn", burn)
		var flop []card.Card
		for range 3 {
			c := d.draw()
			d.place("board", c)
			flop = append(flop, c)
		}
		p := d.last().Prompts[0]
		if p.Code != "early_card" {
			t.Fatalf("prompts %+v", d.last().Prompts)
		}
		if reply := d.choose(p, string(VerbDealtEarly)); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		for _, c := range flop {
			d.table.CardGone(d.ctx, zone("board"), c)
		}
		synctest.Wait()
		d.quiet()
		for range 3 {
			if v := VerbCall; d.state().Awaits().Legal.Check {
				d.act(VerbCheck, 0)
			} else {
				d.act(v, 0)
			}
		}
		if in := d.last().Instruction; in.Kind != "shuffle" {
			t.Fatalf("the dealer is told to %s: %s", in.Kind, in.Text)
		}
		d.ruled(Request{Verb: VerbReshuffled})
		d.deck = append(d.deck, flop...)
		if a := d.state().Awaits(); a.Kind != engine.AwaitBoard {
			t.Fatalf("awaited: %v, want a community card and no burn", a.Kind)
		}
		d.deal(3)
		if got := d.state().BoardLen; got != 3 {
			t.Errorf("%d community cards", got)
		}
	})
}

// A burn that was forgotten, and a second one, are the dealer's to say (procedures 17 and 18).
func TestBurnsThatWereNotOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		for d.state().Phase == engine.Betting {
			v := VerbCall
			if d.state().Awaits().Legal.Check {
				v = VerbCheck
			}
			d.act(v, 0)
		}
		d.place("board", d.draw())
		d.choose(d.prompt("wrong_place"), "skip_burn")
		d.deal(2)
		if got := d.state().BoardLen; got != 3 {
			t.Fatalf("%d community cards", got)
		}
		for d.state().Phase == engine.Betting {
			d.act(VerbCheck, 0)
		}
		d.deal(1) // the burn of the turn
		second := d.draw()
		d.place("burn", second)
		d.choose(d.prompt("wrong_place"), "second_burn")
		d.quiet()
		d.deal(1)
		if s := d.state(); s.BoardLen != 4 || !s.Out.Has(second) {
			t.Errorf("%d community cards, %v out: %v", s.BoardLen, second, s.Out.Has(second))
		}
	})
}

// A third card at a seat after the deal is a misdeal, or once there has been substantial action the hand is dead and the others
// play on: what the rules prefer comes first (procedures 3 and 4).
func TestAHandWithTooManyCards(t *testing.T) {
	for first, acts := range map[string][]Verb{voidHand.ID: nil, string(VerbKillHand): {VerbCall, VerbCall}} {
		t.Run(first, func(t *testing.T) { bubble(t, func(t *testing.T) { tooManyCards(t, first, acts) }) })
	}
}

func tooManyCards(t *testing.T, first string, acts []Verb) {
	d := sit(t, options(t), nil)
	defer d.leave()
	d.start()
	d.deal(6)
	for _, v := range acts {
		d.act(v, 0)
	}
	extra := d.draw()
	d.place("seat 2", extra)
	for _, p := range d.last().Prompts {
		if p.Code == "early_card" {
			d.choose(p, "keep")
		}
	}
	p := d.prompt("wrong_place")
	if p.Zone != "seat 2" || len(p.Choices) != 2 || p.Choices[0].ID != first {
		t.Errorf("%+v, want %s first", p, first)
	}
	if reply := d.choose(p, first); !reply.OK {
		t.Fatalf("%+v", reply)
	}
	s := d.state()
	if acts == nil && (s.Phase != engine.Between || s.Seats[3].Stack != 200) {
		t.Errorf("phase %v, seat 3 has %d", s.Phase, s.Seats[3].Stack)
	}
	if acts != nil && (s.Live.Has(2) || s.Phase != engine.Betting) {
		t.Errorf("seat 2 is in: %v, phase %v", s.Live.Has(2), s.Phase)
	}
}

// The first card goes to the wrong seat: the dealer calls the hand off, at the prompt or at the console, the bets go back, and
// the same hand is dealt again with the button where it was (procedures 1).
func TestAMisdealIsDealtAgain(t *testing.T) {
	for name, void := range map[string]func(d *desk) *Reply{
		"at the prompt":  func(d *desk) *Reply { return d.choose(d.prompt("wrong_place"), voidHand.ID) },
		"at the console": func(d *desk) *Reply { return d.at("d1", Request{Verb: VerbVoidHand, Reason: "misdeal"}) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				defer d.leave()
				d.start()
				before := *d.state()
				c := d.draw()
				d.place("seat 1", c)
				if reply := void(d); !reply.OK {
					t.Fatalf("%+v", reply)
				}
				d.table.CardGone(d.ctx, zone("seat 1"), c)
				d.place("muck", c)
				d.deck = card.French.Cards()
				d.start()
				s := d.state()
				if s.Hand != before.Hand+1 || s.Button != before.Button || s.Seats[3].Bet != 2 || s.Seats[3].Stack != 198 || s.Chips() != 600 {
					t.Errorf("hand %d, button %d, seat 3 has %d behind %d", s.Hand, s.Button, s.Seats[3].Stack, s.Seats[3].Bet)
				}
				d.deal(6)
				d.quiet()
			})
		})
	}
}

// A seat that sits out gets a card, and so the one that it was for gets none (procedures 2).
func TestACardForASeatThatSitsOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		opt.Players = append(opt.Players, Player{Seat: 4, Player: "dario", Kind: Remote, Stack: 200, Out: true})
		opt.Zones = append(opt.Zones, zone("seat 4"))
		d := sit(t, opt, nil)
		defer d.leave()
		d.start()
		d.deal(2)
		c := d.draw()
		d.place("seat 4", c)
		if p := d.prompt("wrong_place"); p.Zone != "seat 4" || p.Choices[len(p.Choices)-1] != voidHand {
			t.Errorf("%+v", p)
		}
		if d.dealt() != 2 {
			t.Error("the card was taken")
		}
	})
}

// early deals a burn and a community card before the betting is over, and has the dealer say so.
func (d *desk) early() card.Card {
	d.t.Helper()
	d.place("burn", d.draw())
	c := d.draw()
	d.place("board", c)
	d.choose(d.asked("early_card"), string(VerbDealtEarly))
	d.table.CardGone(d.ctx, zone("board"), c)
	synctest.Wait()
	d.quiet()
	return c
}

// A turn that came too early lies aside: what was to be the river is the turn, and the river comes from the stub with it. An
// early river goes into the stub at once. Neither has another burn (procedures 14 and 15).
func TestAnEarlyTurnAndRiver(t *testing.T) {
	for name, streets := range map[string]int{"turn": 1, "river": 2} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				defer d.leave()
				d.start()
				d.deal(6)
				d.betweenRounds()
				d.deal(4)
				if streets == 2 {
					d.betweenRounds()
					d.deal(2)
				}
				early := d.early()
				d.betweenRounds()
				if streets == 1 { // the turn is dealt as it would have been, with its burn
					d.deal(2)
					if s := d.state(); s.BoardLen != 4 || s.Board[3] == early {
						t.Fatalf("the board is %v", s.Board[:s.BoardLen])
					}
					d.betweenRounds()
				}
				if in := d.last().Instruction; in.Kind != "shuffle" {
					t.Fatalf("the dealer is told to %s: %s", in.Kind, in.Text)
				}
				d.ruled(Request{Verb: VerbReshuffled})
				d.deck = append([]card.Card{early}, d.deck...)
				if a := d.state().Awaits(); a.Kind != engine.AwaitBoard {
					t.Fatalf("awaited: %v, want the river and no burn", a.Kind)
				}
				d.deal(1)
				d.quiet()
				if s := d.state(); s.BoardLen != 5 || s.Board[4] != early {
					t.Errorf("the board is %v, want %v last", s.Board[:s.BoardLen], early)
				}
			})
		})
	}
}

// A stub that was dropped is shuffled, and the hand goes on with it (procedures 30).
func TestADroppedStub(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		if reply := d.at("d1", Request{Verb: VerbReshuffled}); reply.OK {
			t.Error("a stub is shuffled without a reason")
		}
		d.ruled(Request{Verb: VerbReshuffled})
		slices.Reverse(d.deck)
		d.betweenRounds()
		d.deal(4)
		d.quiet()
		if s := d.state(); s.BoardLen != 3 || !d.has(engine.StubShuffled) {
			t.Errorf("%d community cards", s.BoardLen)
		}
	})
}

// The other corrections reach the rules, with their reason, and leave their trace (procedures 10, 28 and 31).
func TestRulingsAtTheConsole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		if reply := d.at("d1", Request{Verb: VerbRule}); reply.OK || !strings.Contains(reply.Text, "reason") {
			t.Errorf("a ruling without a reason: %+v", reply)
		}
		d.ruled(Request{Verb: VerbSetButton, Seat: 2})
		d.start()
		if got := d.state().Button; got != 2 {
			t.Errorf("the button is at seat %d", got)
		}
		d.deal(6)
		open := d.state().Seats[1].Hole[1]
		d.ruled(Request{Verb: VerbExposed, Seat: 1, Cards: PlacesOf(2)})
		d.place("burn", open) // it is the next burn
		d.deal(1)
		if got := d.state().Seats[1].Hole[1]; got == open || d.state().Phase != engine.Betting {
			t.Errorf("seat 1 has %v still, in phase %v", got, d.state().Phase)
		}
		d.ruled(Request{Verb: VerbRule, Seat: 1})
		d.ruled(Request{Verb: VerbSuspend})
		if reply := d.act(VerbCall, 0); reply.Code != string(engine.CodeSuspended) {
			t.Errorf("a call while play is suspended: %+v", reply)
		}
		if reply := d.console(VerbResume); !reply.OK {
			t.Errorf("%+v", reply)
		}
		for _, kind := range []engine.EventKind{engine.ButtonMoved, engine.CardExposed, engine.RulingMade, engine.PlaySuspended, engine.PlayResumed} {
			if !d.has(kind) {
				t.Errorf("no %v", kind)
			}
		}
	})
}

// A hand is taken back, step by step, when two persons say so.
func TestAHandIsTakenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		before := *d.state()
		turn := before.Turn
		d.act(VerbRaise, 20)
		d.act(VerbFold, 0)
		d.at("d1", Request{Verb: VerbRewind, ID: "1", Steps: 2, Reason: "acted out of turn"})
		d.at("floor", Request{Verb: VerbChoose, Prompt: d.prompt("confirm").ID, Choice: "confirm"})
		s := d.state()
		if s.Turn != turn || s.Bet != before.Bet || s.Chips() != before.Chips() || !d.has(engine.HandRewound) {
			t.Errorf("seat %d is to act on %d, want seat %d on %d", s.Turn, s.Bet, turn, before.Bet)
		}
		if reply := d.act(VerbCall, 0); !reply.OK {
			t.Errorf("the hand does not go on: %+v", reply)
		}
	})
}

// asked gives the prompt of a kind, of which there must be one; others may stand beside it.
func (d *desk) asked(code string) Prompt {
	d.t.Helper()
	i := slices.IndexFunc(d.last().Prompts, func(p Prompt) bool { return p.Code == code })
	if i < 0 {
		d.t.Fatalf("prompts %+v, want one of %s", d.last().Prompts, code)
	}
	return d.last().Prompts[i]
}

// betweenRounds plays a round of betting in which everybody calls or checks.
func (d *desk) betweenRounds() {
	d.t.Helper()
	for d.state().Phase == engine.Betting {
		v := VerbCall
		if d.state().Awaits().Legal.Check {
			v = VerbCheck
		}
		if reply := d.act(v, 0); !reply.OK {
			d.t.Fatalf("%s: %+v", v, reply)
		}
	}
}

// Four cards are turned for the flop: the one that the floor lays at the burns is the next burn (procedures 16).
func TestAFlopOfFour(t *testing.T) {
	for name, choose := range map[string]bool{"at the prompt": true, "at the console": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				defer d.leave()
				d.start()
				d.deal(6)
				d.betweenRounds()
				d.deal(4)
				flop := d.state().Board
				fourth := d.draw()
				d.place("board", fourth)
				d.asked("early_card")
				if reply := d.at("d1", Request{Verb: VerbOverdealt, Reason: "four"}); reply.Code != CodeNothingThere {
					t.Errorf("before the floor has picked one: %+v", reply)
				}
				picked := flop[0] // of the four, face down and scrambled
				d.table.CardGone(d.ctx, zone("board"), picked)
				d.place("burn", picked)
				if choose {
					d.choose(d.asked("early_card"), string(VerbOverdealt))
				} else {
					d.ruled(Request{Verb: VerbOverdealt})
				}
				d.quiet()
				s := d.state()
				if want := card.SetOf(flop[1], flop[2], fourth); s.BoardLen != 3 || card.SetOf(s.Board[:3]...) != want {
					t.Errorf("the flop is %v, want %v", s.Board[:s.BoardLen], want)
				}
				d.betweenRounds()
				if a := d.state().Awaits(); a.Kind != engine.AwaitBoard {
					t.Errorf("awaited: %v, want the turn and no other burn", a.Kind)
				}
			})
		})
	}
}

// boxed has a card leave the shoe that lies the wrong way up.
func (d *desk) boxed() *Reply {
	d.t.Helper()
	c := d.draw()
	reply := d.at("d1", Request{Verb: VerbBoxed, Reason: "boxed"})
	d.place("muck", c)
	return reply
}

// A boxed card is set aside and the next one dealt in its place. A second one in the deal is a misdeal; those of a later
// street the floor judges (procedures 12).
func TestBoxedCards(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(1)
		if reply := d.boxed(); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		d.quiet()
		d.deal(1)
		if s := d.state(); s.Seats[3].HoleLen != 1 || s.Boxed != 1 {
			t.Fatalf("seat 3 has %d cards, %d are boxed", s.Seats[3].HoleLen, s.Boxed)
		}
		if reply := d.boxed(); reply.Code != string(engine.CodeMisdeal) {
			t.Fatalf("a second boxed card: %+v", reply)
		}
		if reply := d.choose(d.prompt("misdeal"), "void"); !reply.OK || d.state().Phase != engine.Between {
			t.Fatalf("%+v", reply)
		}
	})
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.betweenRounds()
		for range 2 {
			if reply := d.boxed(); !reply.OK {
				t.Fatalf("%+v", reply)
			}
		}
		d.choose(d.prompt("boxed_cards"), "go_on")
		d.quiet()
		d.deal(4)
		if got := d.state().BoardLen; got != 3 {
			t.Errorf("%d community cards", got)
		}
	})
}

// One of the first two cards that lies open, or a second one, is a misdeal: the dealer is asked, and a restart does not forget
// it (procedures 9 and 11).
func TestExposedCardsThatAreAMisdeal(t *testing.T) {
	for name, exposed := range map[string][]Request{
		"one of the first two": {{Seat: 2, Cards: PlacesOf(1)}},
		"a second one":         {{Seat: 1, Cards: PlacesOf(1)}, {Seat: 3, Cards: PlacesOf(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				d.start()
				d.deal(6)
				var reply *Reply
				for _, r := range exposed {
					r.Verb, r.Reason = VerbExposed, "it was turned"
					reply = d.at("d1", r)
				}
				if reply.Code != string(engine.CodeMisdeal) {
					t.Fatalf("%+v", reply)
				}
				d.leave()
				again := sit(t, options(t), d.entries)
				defer again.leave()
				button := again.state().Button
				again.choose(again.prompt("misdeal"), "void")
				if s := again.state(); s.Phase != engine.Between || s.Seats[2].Stack != 200 || s.Seats[3].Stack != 200 {
					t.Fatalf("%v, stacks %d and %d", s.Phase, s.Seats[2].Stack, s.Seats[3].Stack)
				}
				again.console(VerbDeckChecked)
				again.start()
				if got := again.state().Button; got != button {
					t.Errorf("the button is at seat %d, want the same hand again with %d", got, button)
				}
			})
		})
	}
}

// The button got a card too few and has not acted: it gets the next one, and the betting goes on where it was; for anybody
// else it is too late (procedures 5).
func TestTheButtonIsDealtACardMore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		missed := d.state().Seats[1].Hole[0] // in truth it is not there
		d.table.CardGone(d.ctx, zone("seat 1"), missed)
		d.place("muck", missed)
		if reply := d.at("d1", Request{Verb: VerbDealCorrection, Seat: 3, Reason: "one short"}); reply.Code != string(engine.CodeMisdeal) {
			t.Errorf("seat 3: %+v", reply)
		}
		d.ruled(Request{Verb: VerbDealCorrection, Seat: 1})
		in := d.last().Instruction
		if in.Text != "Deal a card to seat 1, slot 1" {
			t.Errorf("the dealer reads %q", in.Text)
		}
		c := d.draw()
		d.place("seat 1", c)
		d.quiet()
		s := d.state()
		if s.Turn != 1 || s.Phase != engine.Betting || !slices.Contains(s.Seats[1].Hole[:2], c) || slices.Contains(s.Seats[1].Hole[:2], missed) {
			t.Errorf("%v, the turn of seat %d, seat 1 has %v", s.Phase, s.Turn, s.Seats[1].Hole)
		}
		d.act(VerbCall, 0)
		if reply := d.at("d1", Request{Verb: VerbDealCorrection, Seat: 1, Reason: "again"}); reply.Code != string(engine.CodeTooLate) {
			t.Errorf("after it has acted: %+v", reply)
		}
	})
}

// The first button goes to the highest card drawn (procedures 28, BR-08).
func TestTheButtonIsDrawnFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		drawn := [engine.MaxSeats + 1]card.Card{1: card.New(card.Nine, card.Clubs), 2: card.New(card.Two, card.Clubs), 3: card.New(card.Ace, card.Spades)}
		if reply := d.at("d1", Request{Verb: VerbDrawButton, Drawn: &drawn}); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		d.start()
		if got := d.state().Button; got != 3 {
			t.Errorf("the button is at seat %d, want 3", got)
		}
	})
}

// A pot that was paid to the wrong seat goes to the right one, when two persons say so (procedures 27).
func TestAnAwardIsReversed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.act(VerbFold, 0)
		d.act(VerbFold, 0) // the big blind's, seat 3, and of it the small blind is won
		before := *d.state()
		won := before.Seats[3].Won
		ask := Request{Verb: VerbReverseAward, ID: "1", Seat: 3, To: 2, Amount: won, Reason: "seat 2 had not folded"}
		if reply := d.at("d1", ask); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		if reply := d.at("floor", Request{Verb: VerbChoose, Prompt: d.prompt("confirm").ID, Choice: "confirm"}); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		s := d.state()
		if s.Seats[3].Stack != before.Seats[3].Stack-won || s.Seats[2].Stack != before.Seats[2].Stack+won || s.Chips() != before.Chips() {
			t.Errorf("the stacks are %d and %d of %d, they were %d and %d of %d", s.Seats[2].Stack, s.Seats[3].Stack, s.Chips(),
				before.Seats[2].Stack, before.Seats[3].Stack, before.Chips())
		}
		ask.ID = "2"
		if reply := d.at("d1", ask); reply.OK {
			t.Error("more is given back than was won")
		}
	})
}

// A hand that was folded by mistake is given back, when two persons say so (procedures 20).
func TestAHandIsGivenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.act(VerbFold, 0)
		if s := d.state(); s.Live.Has(1) {
			t.Fatal("seat 1 has not folded")
		}
		if reply := d.at("d1", Request{Verb: VerbRetrieve, Seat: 2, Reason: "because"}); reply.Code != string(engine.CodeNoHand) {
			t.Errorf("a hand that was not given up: %+v", reply)
		}
		d.ruled(Request{Verb: VerbRetrieve, Seat: 1})
		d.at("floor", Request{Verb: VerbChoose, Prompt: d.prompt("confirm").ID, Choice: "confirm"})
		if s := d.state(); !s.Live.Has(1) || !d.has(engine.HandRetrieved) {
			t.Errorf("seat 1 is in: %v", s.Live.Has(1))
		}
	})
}
