package controller

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
)

// feltOptions are those of a table where alice is elsewhere and bruno and carla sit at the felt, with every chip watched.
func feltOptions(t *testing.T) Options {
	opt := options(t)
	opt.Players[1].Kind, opt.Players[2].Kind = Felt, Felt
	opt.Tray = 1000
	for _, z := range []string{"stack 2", "stack 3", "spot 2", "spot 3", "pot", "tray"} {
		opt.Zones = append(opt.Zones, zone(z))
	}
	return opt
}

// rail are the chips at the felt, moved as people move them.
type rail struct {
	*desk
	lies map[string]engine.Chips
}

// feltDesk sits people down with their chips: 200 each and 1000 in the tray.
func feltDesk(t *testing.T) *rail { return feltDeskBy(t, feltOptions(t)) }

func feltDeskBy(t *testing.T, opt Options) *rail {
	r := &rail{desk: sit(t, opt, nil), lies: map[string]engine.Chips{}}
	for z, n := range map[string]engine.Chips{"stack 2": 200, "stack 3": 200, "spot 2": 0, "spot 3": 0, "pot": 0, "tray": 1000} {
		r.put(z, n, 1)
	}
	return r
}

func (r *rail) put(z string, n engine.Chips, pieces int) {
	r.lies[z] += n
	r.table.ChipsLie(r.ctx, zone(z), r.lies[z], pieces)
	synctest.Wait()
}

// move moves chips from one zone to another, in so many pieces, and lets them lie.
func (r *rail) move(from, to string, n engine.Chips, pieces int) {
	r.put(from, -n, 9)
	r.put(to, n, pieces)
	time.Sleep(oneMotion + 10*time.Millisecond)
	synctest.Wait()
}

// player is the panel of a seat at the felt.
func (r *rail) press(seat engine.Seat, v Verb) {
	r.t.Helper()
	if reply := r.ask(Request{From: Source{Panel: seat}, Verb: v, Turn: r.last().Turn}); !reply.OK {
		r.t.Fatalf("seat %d, %s: %+v", seat, v, reply)
	}
}

// toTheFlop has both at the felt in for 2 with alice, and everything collected. The button is alice's, bruno's the small blind.
func (r *rail) toPreflop() {
	r.t.Helper()
	r.start()
	r.move("stack 2", "spot 2", 1, 1)
	r.move("stack 3", "spot 3", 2, 1)
	r.deal(6)
	if got := r.state().Turn; got != 1 {
		r.t.Fatalf("seat %d is to act, want 1", got)
	}
	r.act(VerbCall, 0)
}

// muck collects every card.
func (r *rail) muck() {
	for c, z := range maps.Clone(r.table.tracker.lies) {
		r.table.CardGone(r.ctx, z, c)
	}
	for _, c := range r.state().Out.Cards() {
		r.place("muck", c)
	}
}

func (r *rail) acted(seat engine.Seat, bet engine.Chips) {
	r.t.Helper()
	if got := r.state().Seats[seat].Bet; got != bet || r.state().Turn == seat {
		r.t.Fatalf("seat %d has bet %d and seat %d is to act, want a bet of %d; prompts %+v", seat, got, r.state().Turn, bet, r.last().Prompts)
	}
	r.quiet()
}

// Chips put in on one's turn are a call if they are just that, and a raise if they are a legal one in several chips (TD-16).
func TestChipsAreTheAction(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 1, 2)
		r.acted(2, 2)
		r.move("stack 3", "spot 3", 6, 3)
		r.acted(3, 8)
	})
}

// Chips are believed when they have lain still: a hand that is still counting out has not acted.
func TestChipsAreNoActionWhileTheyMove(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.put("stack 2", -1, 9)
		r.put("spot 2", 1, 2)
		time.Sleep(oneMotion / 2)
		r.put("stack 2", -6, 9)
		r.put("spot 2", 6, 5)
		time.Sleep(oneMotion / 2)
		synctest.Wait()
		if s := r.state(); s.Turn != 2 || s.Seats[2].Bet != 1 {
			t.Fatalf("seat %d is to act, bet %d", s.Turn, s.Seats[2].Bet)
		}
		time.Sleep(oneMotion)
		synctest.Wait()
		r.acted(2, 8)
	})
}

// Where tags are heard before the seats and the stacks are not known, a chip that is never heard makes a bet too small: the dealer counts
// what would be an action, and the panel says what it is if it is more. Of all that a seat has there is no more (procedures 21).
func TestABetThatNothingProves(t *testing.T) {
	spots := func(t *testing.T) Options {
		opt := feltOptions(t)
		opt.Tagged = []engine.Zone{zone("spot 2"), zone("spot 3")}
		opt.Zones = slices.DeleteFunc(opt.Zones, func(z engine.Zone) bool { return z.Kind == engine.ZoneStack })
		return opt
	}
	// bets has seat 2 put chips in, of which so much is heard, and gives the prompt.
	bets := func(r *rail, heard engine.Chips) Prompt {
		r.toPreflop()
		r.move("stack 2", "spot 2", heard, 3)
		return r.reads("confirm_bet", "spot 2", fmt.Sprintf("Seat 2 put in %d, as far as tags are heard. Count it, and enter the bet at its panel if it is more.", heard))
	}
	bubble(t, func(t *testing.T) {
		r := feltDeskBy(t, spots(t))
		defer r.leave()
		p := bets(r, 9)
		if got := r.state(); got.Turn != 2 || got.Seats[2].Bet != 1 {
			t.Fatalf("seat %d is to act, seat 2 has bet %d", got.Turn, got.Seats[2].Bet)
		}
		if reply := r.choose(p, "raise"); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		r.acted(2, 10)
	})
	bubble(t, func(t *testing.T) { // a call by what is heard, and a raise
		r := feltDeskBy(t, spots(t))
		defer r.leave()
		if got := bets(r, 1).Choices; len(got) != 1 || got[0].ID != "call" {
			t.Errorf("choices %+v", got)
		}
		if reply := r.ask(Request{From: Source{Panel: 2}, Verb: VerbRaise, Amount: 6, Turn: r.last().Turn}); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		r.sleep(chipsLate + time.Second)
		r.choose(r.reads("chips_short", "spot 2", "Seat 2 is short 4"), "counted")
		r.acted(2, 6)
	})
	bubble(t, func(t *testing.T) { // all-in
		r := feltDeskBy(t, spots(t))
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 199, 9)
		r.acted(2, 200)
	})
	bubble(t, func(t *testing.T) { // what is weighed is all of it
		opt := spots(t)
		opt.Tagged = nil
		r := feltDeskBy(t, opt)
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 9, 3)
		r.acted(2, 10)
	})
	bubble(t, func(t *testing.T) { // a stack with a chip that is not heard proves nothing either, once that was counted
		opt := feltOptions(t)
		opt.Tagged = []engine.Zone{zone("spot 2"), zone("spot 3"), zone("stack 2"), zone("stack 3")}
		r := feltDeskBy(t, opt)
		defer r.leave()
		r.put("stack 2", -5, 9)
		if reply := r.console(VerbChipsCounted); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		r.toPreflop()
		r.move("stack 2", "spot 2", 9, 3)
		r.sleep(chipsLate)
		r.reads("confirm_bet", "spot 2", "Seat 2 put in 9, as far as tags are heard. Count it, and enter the bet at its panel if it is more.")
	})
}

// Chips are no action where more or less of them lie before a seat than its stack lost: a chip fell elsewhere, or a reader missed it.
// The dealer says what they are (procedures 26).
func TestChipsThatDoNotAddUp(t *testing.T) {
	for name, c := range map[string]struct {
		left, lie engine.Chips
		choices   string
		choose    string
		bet       engine.Chips
	}{
		"one is missed, and it is what lies there":      {19, 9, "Raise to 10; All that left its stack: Raise to 20", "raise", 10},
		"one is missed, and it is all that left":        {19, 9, "Raise to 10; All that left its stack: Raise to 20", "left", 20},
		"one is missed, and a call would lie there":     {19, 1, "Call 1; All that left its stack: Raise to 20", "left", 20},
		"one is one too many":                           {1, 9, "Raise to 10; All that left its stack: Call 1", "left", 2},
		"one is one too many, of half a raise":          {2, 9, "Raise to 10; All that left its stack: Complete to 4", "left", 4},
		"nothing left the stack":                        {0, 9, "Raise to 10", "raise", 10},
		"the sensor of the stack is the slower of both": {19, 19, "", "", 20},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.put("spot 2", c.lie, 4)
				time.Sleep(oneMotion + time.Second)
				synctest.Wait()
				if got := r.state(); got.Turn != 2 || len(r.last().Prompts) > 0 {
					t.Fatalf("seat %d is to act, prompts %+v", got.Turn, r.last().Prompts)
				}
				r.put("stack 2", -c.left, 9)
				if c.choices == "" {
					r.acted(2, c.bet)
					return
				}
				time.Sleep(chipsLate)
				synctest.Wait()
				p := r.reads("chips_astray", "spot 2", fmt.Sprintf("Seat 2 put in %d, and its stack is less by %d. Count what it put in.", c.lie, c.left))
				var texts []string
				for _, ch := range p.Choices {
					texts = append(texts, ch.Text)
				}
				if got := strings.Join(texts, "; "); got != c.choices {
					t.Errorf("choices %s, want %s", got, c.choices)
				}
				if reply := r.choose(p, c.choose); !reply.OK {
					t.Fatalf("%+v", reply)
				}
				if got := r.state(); got.Seats[2].Bet != c.bet || got.Turn == 2 {
					t.Errorf("a bet of %d and seat %d is to act, want a bet of %d", got.Seats[2].Bet, got.Turn, c.bet)
				}
			})
		})
	}
}

// What chips leave in doubt is the dealer's to say, with the answer of the rules first (procedures 21 to 24).
func TestDoubtfulChips(t *testing.T) {
	for name, c := range map[string]struct {
		chips   engine.Chips
		pieces  int
		code    string
		choices string
		choose  string
		bet     engine.Chips
	}{
		"TD-17 one chip too large is a call":      {49, 2, "over_chip", "call raise", "call", 2},
		"TD-17 unless a raise was announced":      {49, 2, "over_chip", "call raise", "raise", 50},
		"TD-17 one chip of half a raise is one":   {2, 2, "over_chip", "call raise", "call", 2},
		"TD-18 half a raise completes":            {2, 3, "short_raise", "raise call", "raise", 4},
		"weighed chips do not tell who announced": {9, 0, "unannounced", "raise call", "raise", 10},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.move("stack 2", "spot 2", c.chips, c.pieces)
				p := r.prompt(c.code)
				var ids []string
				for _, ch := range p.Choices {
					ids = append(ids, ch.ID)
				}
				if got := strings.Join(ids, " "); got != c.choices {
					t.Errorf("choices %s, want %s", got, c.choices)
				}
				if reply := r.choose(p, c.choose); !reply.OK {
					t.Fatalf("%+v", reply)
				}
				if got := r.state().Seats[2].Bet; got != c.bet {
					t.Errorf("a bet of %d, want %d", got, c.bet)
				}
				// What was put in and is not bet goes back, and what is bet and not yet there is asked for.
				time.Sleep(chipsLate + time.Second)
				synctest.Wait()
				switch {
				case c.bet < 1+c.chips:
					r.prompt("give_back")
					r.move("spot 2", "stack 2", 1+c.chips-c.bet, 2)
				case c.bet > 1+c.chips:
					r.prompt("chips_short")
					r.move("stack 2", "spot 2", c.bet-1-c.chips, 2)
				}
				r.quiet()
			})
		})
	}
}

// Two motions: the first counts (TDA 56), unless all was announced (procedures 24).
func TestTwoMotions(t *testing.T) {
	for choice, bet := range map[string]engine.Chips{"first": 20, "all": 60} {
		t.Run(choice, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.move("stack 2", "spot 2", 19, 0) // weighed, so the dealer is asked
				r.prompt("unannounced")
				r.move("stack 2", "spot 2", 40, 0)
				p := r.prompt("two_motions")
				if reply := r.choose(p, choice); !reply.OK {
					t.Fatalf("%+v", reply)
				}
				if got := r.state().Seats[2].Bet; got != bet {
					t.Errorf("a bet of %d, want %d", got, bet)
				}
			})
		})
	}
}

// Chips are believed when the hand that put them there has left, and what one hand counts out while it stays is one motion,
// however long that takes (TD-16).
func TestAHandOverTheLine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		over := func(is bool) {
			r.table.HandOver(r.ctx, 2, is)
			synctest.Wait()
		}
		waits := func(what string) {
			t.Helper()
			if s := r.state(); s.Turn != 2 {
				t.Fatalf("%s: seat %d is to act", what, s.Turn)
			}
			r.quiet()
		}
		over(false)
		over(true)
		r.move("stack 2", "spot 2", 1, 1)
		waits("a call, and the hand is still there")
		r.move("stack 2", "spot 2", 8, 3)
		waits("a raise, and the hand is still there")
		over(false)
		waits("the hand has just left")
		time.Sleep(oneMotion + time.Millisecond)
		synctest.Wait()
		r.acted(2, 10)
	})
}

// A hand that comes back has made a second motion (TD-16).
func TestAHandThatComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		for _, n := range []engine.Chips{19, 40} {
			r.table.HandOver(r.ctx, 2, true)
			r.put("stack 2", -n, 9)
			r.put("spot 2", n, 0)
			r.table.HandOver(r.ctx, 2, false)
			time.Sleep(2 * oneMotion)
			synctest.Wait()
		}
		r.prompt("two_motions")
	})
}

// Something that lies in the light is no hand: after a while chips count as they do without a barrier.
func TestALineThatIsBlocked(t *testing.T) {
	for name, free := range map[string]func(*rail){
		"for long":           func(*rail) { time.Sleep(handLate) },
		"its barrier is off": func(r *rail) { r.table.LineUnwatched(r.ctx, 2); time.Sleep(oneMotion) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.table.HandOver(r.ctx, 2, true)
				r.move("stack 2", "spot 2", 1, 1)
				if s := r.state(); s.Turn != 2 {
					t.Fatalf("seat %d is to act", s.Turn)
				}
				free(r)
				synctest.Wait()
				r.acted(2, 2)
			})
		})
	}
}

// An undercall of an opening bet must be completed, and heads-up that of any bet; of a raise with others in the floor may also
// say that it is a fold (procedures 21).
func TestUndercall(t *testing.T) {
	for name, c := range map[string]struct {
		alice   Verb // the first to act, elsewhere
		to      engine.Chips
		choices string
	}{
		"of a raise":          {VerbRaise, 40, "call fold"},
		"of the opening bet":  {VerbCall, 0, "call"},
		"of a raise heads-up": {VerbFold, 0, "call"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				opt := feltOptions(t)
				opt.Rules.Stakes = engine.Stakes{SmallBlind: 2, BigBlind: 20}
				r := feltDeskBy(t, opt)
				defer r.leave()
				r.start()
				r.move("stack 2", "spot 2", 2, 1)
				r.move("stack 3", "spot 3", 20, 1)
				r.deal(6)
				r.act(c.alice, c.to)
				short, bet := engine.Seat(2), engine.Chips(20)
				switch c.alice {
				case VerbRaise:
					bet = 40
				case VerbFold: // seat 2 raises, and it is seat 3 that puts in too little
					r.move("stack 2", "spot 2", 58, 3)
					short, bet = 3, 60
				}
				r.move(fmt.Sprintf("stack %d", short), fmt.Sprintf("spot %d", short), 10, 3)
				p := r.prompt("undercall")
				var ids []string
				for _, ch := range p.Choices {
					ids = append(ids, ch.ID)
				}
				if got := strings.Join(ids, " "); got != c.choices {
					t.Errorf("choices %s, want %s", got, c.choices)
				}
				r.choose(p, "call")
				if s := r.state(); s.Seats[short].Bet != bet && s.Seats[short].Put != bet {
					t.Fatalf("a bet of %d, want %d", s.Seats[short].Bet, bet)
				}
				time.Sleep(chipsLate + time.Second)
				synctest.Wait()
				if r.state().Phase == engine.Betting {
					r.prompt("chips_short")
				}
			})
		})
	}
}

// More than a call and less than half a raise is a call, whatever was meant (TD-18, procedures 22).
func TestMoreThanACall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.start()
		r.move("stack 2", "spot 2", 1, 1)
		r.move("stack 3", "spot 3", 2, 1)
		r.deal(6)
		r.act(VerbRaise, 40)
		r.move("stack 2", "spot 2", 49, 3)
		p := r.prompt("over_call")
		if got := p.Choices[0]; got.ID != "call" {
			t.Errorf("the first choice is %+v", got)
		}
		r.choose(p, "call")
		if got := r.state().Seats[2].Bet; got != 40 {
			t.Fatalf("a bet of %d", got)
		}
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		r.prompt("give_back")
		r.move("spot 2", "stack 2", 10, 2)
		r.quiet()
	})
}

// More than the limit allows is the most that it does, unless the dealer says that it is a call (procedures 22).
func TestMoreThanTheLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := feltOptions(t)
		opt.Rules.Limit = engine.PotLimit
		r := feltDeskBy(t, opt)
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 29, 3)
		p := r.prompt("over_limit")
		r.choose(p, "raise")
		if got := r.state().Seats[2].Bet; got != 8 { // the bet of 2 and a pot of 6
			t.Fatalf("a bet of %d", got)
		}
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		r.prompt("give_back")
		r.move("spot 2", "stack 2", 22, 2)
		r.quiet()
	})
}

// Bets of the last round that still lie before a seat are taken in before they can be taken for an action (procedures 26).
func TestBetsThatAreNotCollected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 1, 2)
		r.press(3, VerbCheckCall)
		r.move("spot 3", "pot", 2, 4)
		r.deal(4)
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		p := r.prompt("not_collected")
		if s := r.state(); s.Turn != 2 || s.Seats[2].Bet != 0 {
			t.Fatalf("seat %d is to act, seat 2 has bet %d: what lay there was its action", s.Turn, s.Seats[2].Bet)
		}
		if p.Zone != "spot 2" || !strings.Contains(p.Text, "Take in the 2") {
			t.Errorf("the dealer reads %q at %s", p.Text, p.Zone)
		}
		r.move("spot 2", "pot", 2, 2)
		r.quiet()
	})
}

// A restart in the middle of a round has the dealer asked what he is asked without one: of chips of this round, of those of the round
// before, and of what was put in while nobody looked (procedures 21 to 26).
func TestARestartInARound(t *testing.T) {
	for _, c := range []struct {
		name  string
		play  func(r *rail) // up to the restart
		later engine.Chips  // what seat 2 puts in during it
		code  string
		text  string
	}{
		{
			name: "one chip beside the blind", play: func(r *rail) { r.toPreflop(); r.move("stack 2", "spot 2", 25, 2) },
			code: "over_chip", text: "Seat 2 put in one chip larger than the call: a call, unless a raise was announced. Change: 24",
		},
		{
			name: "one chip during it", play: func(r *rail) { r.toPreflop() }, later: 25,
			code: "over_chip", text: "Seat 2 put in one chip larger than the call: a call, unless a raise was announced. Change: 24",
		},
		{
			name: "two motions", play: func(r *rail) {
				r.toPreflop()
				r.move("stack 2", "spot 2", 2, 3)
				r.move("stack 2", "spot 2", 5, 5)
			},
			code: "two_motions", text: "Seat 2 put chips in by two motions, 3 and then up to 8. The first counts unless all was announced.",
		},
		{
			name: "the second of two motions during it", play: func(r *rail) { r.toPreflop(); r.move("stack 2", "spot 2", 2, 3) }, later: 5,
			code: "two_motions", text: "Seat 2 put chips in by two motions, 3 and then up to 8. The first counts unless all was announced.",
		},
		{
			name: "out of turn", play: func(r *rail) { r.toPreflop(); r.move("stack 3", "spot 3", 8, 4) },
			code: "out_of_turn", text: "Seat 3 put 8 in out of turn",
		},
		{
			name: "of the round before", play: func(r *rail) {
				r.toPreflop()
				r.move("stack 2", "spot 2", 1, 2)
				r.press(3, VerbCheckCall)
				r.move("spot 3", "pot", 2, 4)
				r.deal(4)
			},
			code: "not_collected", text: "Take in the 2 that lie before seat 2",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				c.play(r)
				pieces := map[string]int{}
				for z, p := range r.table.till.piles {
					pieces[z.String()] = p.pieces
				}
				if c.later == 0 {
					r.sleep(chipsLate)
					if p := r.prompt(c.code); p.Text != c.text {
						t.Errorf("before the restart the dealer reads %q, want %q", p.Text, c.text)
					}
				}
				bets := r.state().Seats
				again := &rail{desk: r.again(feltOptions(t)), lies: r.lies}
				defer again.leave()
				again.lies["stack 2"] -= c.later
				again.lies["spot 2"] += c.later
				if c.later > 0 {
					pieces["spot 2"]++
				}
				for z, n := range pieces {
					again.put(z, 0, n)
				}
				s := again.state()
				for z, c := range r.table.tracker.lies {
					again.table.CardPlaced(again.ctx, c, z)
				}
				again.sleep(oneMotion + chipsLate)
				if p := again.prompt(c.code); p.Text != c.text || s.Seats != bets {
					t.Errorf("after the restart the dealer reads %q, want %q", p.Text, c.text)
				}
			})
		})
	}
}

// Chips out of turn lie there until their turn comes, and are the action then (procedures 25).
func TestChipsOutOfTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.move("stack 3", "spot 3", 8, 4) // it is seat 2's turn
		time.Sleep(chipsLate)
		synctest.Wait()
		r.choose(r.prompt("out_of_turn"), "hold")
		r.quiet()
		r.move("stack 2", "spot 2", 1, 2)
		time.Sleep(oneMotion)
		synctest.Wait()
		r.acted(3, 10)
	})
}

// Chips out of turn bind nobody once the bet has changed: all choices are open, and they may be taken back (TDA 40, procedures 25).
func TestChipsOutOfTurnBeforeARaise(t *testing.T) {
	for _, choice := range []string{"call", "fold_back", ""} {
		t.Run(choice, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.move("stack 3", "spot 3", 8, 4) // it is seat 2's turn
				time.Sleep(chipsLate)
				synctest.Wait()
				r.choose(r.prompt("out_of_turn"), "hold")
				r.move("stack 2", "spot 2", 19, 5)
				time.Sleep(oneMotion + chipsLate)
				synctest.Wait()
				p := r.prompt("action_changed")
				if want := "Seat 3 put 8 in out of turn, and the bet has changed since. It may take that back: all choices are open."; p.Text != want {
					t.Errorf("the dealer reads %q, want %q", p.Text, want)
				}
				if choice != "" {
					if reply := r.choose(p, choice); !reply.OK {
						t.Errorf("%+v", reply)
					}
					return
				}
				r.move("spot 3", "stack 3", 8, 4)
				time.Sleep(oneMotion + chipsLate)
				synctest.Wait()
				for _, p := range r.last().Prompts {
					if p.Zone == "spot 3" {
						t.Errorf("after they are taken back the dealer is asked %q", p.Text)
					}
				}
				if s := r.state(); s.Turn != 3 {
					t.Errorf("it is the turn of seat %d", s.Turn)
				}
			})
		})
	}
}

// At the end the dealer is told every transfer, and no hand starts before they are made (procedures 26 and 27). Alice, who
// is elsewhere, wins the chips of both at the felt for the ledger: they go to the tray.
func TestThePotGoesToTheTray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 1, 2)
		r.press(3, VerbCheckCall)
		r.move("spot 2", "pot", 2, 2)
		r.move("spot 3", "pot", 2, 4)
		r.deal(4) // burn and flop
		r.press(2, VerbCheckCall)
		r.press(3, VerbCheckCall)
		r.act(VerbBet, 10)
		r.press(2, VerbFold)
		r.press(3, VerbFold)
		in := r.last().Instruction
		if in.Kind != "push" || in.Text != "Move chips: from the pot 4 to the tray" {
			t.Errorf("the dealer is told to %s: %s", in.Kind, in.Text)
		}
		r.muck()
		if reply := r.console(VerbStartHand); reply.Code != CodeChipsDiffer || !strings.Contains(reply.Text, "from the pot 4 to the tray") {
			t.Errorf("a hand starts: %+v", reply)
		}
		r.move("pot", "stack 2", 4, 9) // pushed to the wrong seat
		if in := r.last().Instruction; in.Text != "Move chips: from seat 2 4 to the tray" {
			t.Errorf("the dealer is told to %s: %s", in.Kind, in.Text)
		}
		r.move("stack 2", "tray", 4, 9)
		r.start()
	})
}

// A winner at the felt gets what came from elsewhere out of the tray.
func TestTheTrayPaysTheFelt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.press(2, VerbFold)
		r.move("stack 3", "spot 3", 8, 4)
		r.act(VerbFold, 0)
		// Bruno's small blind and alice's call are carla's, and her own bet goes back.
		in := r.last().Instruction
		if want := "Move chips: from the spot of seat 2 1 to seat 3, from the spot of seat 3 10 to seat 3, from the tray 2 to seat 3"; in.Text != want {
			t.Errorf("the dealer is told: %s, want %s", in.Text, want)
		}
		if got := r.state().Seats[3].Stack; got != 203 {
			t.Errorf("seat 3 has %d", got)
		}
	})
}

// Chips that come from nowhere keep the pot from being pushed until they are counted (procedures 26).
func TestTheGate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.put("tray", 25, 9)
		r.press(2, VerbFold)
		r.press(3, VerbCheckCall)
		r.quiet() // it may be that sensors have yet to tell
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		i := slices.IndexFunc(r.last().Prompts, func(p Prompt) bool { return p.Code == CodeChipsDiffer })
		if i < 0 {
			t.Fatalf("prompts %v", r.last().Prompts)
		}
		p := r.last().Prompts[i]
		if !strings.Contains(p.Text, "25 more") {
			t.Errorf("the dealer reads %q", p.Text)
		}
		r.choose(p, "counted")
		r.quiet()
	})
}

// What a person counted is not forgotten by a restart, nor what lies out of turn with the dealer's knowledge: nobody is asked
// again, and a sensor that says too much still does. What it could not tell has to be counted anew once it says something else.
func TestARestartForgetsNoCount(t *testing.T) {
	for _, rotated := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			r := feltDesk(t)
			r.put("tray", 25, 9)
			r.table.ChipsUnsure(r.ctx, zone("stack 3"), "E2BEEF is no chip")
			synctest.Wait()
			if reply := r.console(VerbChipsCounted); !reply.OK {
				t.Fatalf("%+v", reply)
			}
			entries := func() []journal.Entry {
				if rotated {
					return []journal.Entry{{Kind: journal.Snapshot, Payload: r.table.snapshot()}}
				}
				return r.entries
			}
			r.leave()

			again := &rail{desk: sit(t, feltOptions(t), entries()), lies: map[string]engine.Chips{}}
			defer again.leave()
			for z, n := range r.lies {
				if z != "stack 3" {
					again.put(z, n, 1)
				}
			}
			again.table.ChipsUnsure(again.ctx, zone("stack 3"), "E2BEEF is no chip")
			time.Sleep(chipsLate + time.Second)
			synctest.Wait()
			again.quiet()
			again.table.ChipsUnsure(again.ctx, zone("stack 3"), "its reader is lost")
			synctest.Wait()
			if reply := again.console(VerbStartHand); reply.Code != CodeChipsDiffer {
				t.Errorf("a hand starts over what nobody has counted: %+v", reply)
			}
			again.put("stack 3", 200, 9)
			again.start()
		})
	}
}

// Between hands they keep the next one from starting, until two persons have corrected a stack (procedures 26).
func TestTheGateBeforeTheNextDeal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.put("stack 2", 25, 9)
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		p := r.prompt(CodeChipsDiffer)
		if reply := r.console(VerbStartHand); reply.Code != CodeOnHold {
			t.Errorf("a hand starts: %+v", reply)
		}
		if !strings.Contains(p.Text, "25 more") {
			t.Errorf("the dealer reads %q", p.Text)
		}
		if reply := r.at("d1", Request{Verb: VerbCorrectStack, ID: "1", Seat: 2, Amount: 25, Reason: "found"}); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		if reply := r.at("floor", Request{Verb: VerbChoose, Prompt: r.asked("confirm").ID, Choice: "confirm"}); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		r.quiet()
		r.start()
		if got := r.state().Chips(); got != 625 {
			t.Errorf("%d chips at the table", got)
		}
	})
}

// What a sensor cannot tell is counted by hand, once (procedures 26).
func TestUnsureChips(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.table.ChipsUnsure(r.ctx, zone("stack 2"), "37 or 38 chips")
		synctest.Wait()
		if reply := r.console(VerbStartHand); reply.Code != CodeChipsDiffer || !strings.Contains(reply.Text, "stack 2 is not certain (37 or 38 chips)") {
			t.Fatalf("a hand starts: %+v", reply)
		}
		if reply := r.console(VerbChipsCounted); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		r.start()
	})
}

// A stack of which the weight may be several amounts is asked about once before the next hand, with these as choices, and what the dealer
// says is held against all that lies at the felt: chips that are missing there are not passed over (procedures 26).
func TestAnAmbiguousStack(t *testing.T) {
	const why = "400.0 g may be chips worth 190 or 200"
	asks := func(r *rail) Prompt {
		t.Helper()
		r.table.ChipsUnsure(r.ctx, zone("stack 2"), why, 190, 200)
		r.sleep(chipsLate - time.Millisecond)
		r.quiet()
		r.sleep(time.Second)
		p := r.reads("chips_unsure", "stack 2", "What lies at stack 2 is not certain ("+why+"): count it")
		if got := offers(p); !slices.Equal(got, []string{"is_190", "counted"}) {
			t.Errorf("choices %q", got)
		}
		if reply := r.console(VerbStartHand); reply.OK {
			t.Error("a hand starts all the same")
		}
		return p
	}
	bubble(t, func(t *testing.T) { // all of it lies there
		r := feltDesk(t)
		defer r.leave()
		r.choose(asks(r), "counted")
		r.sleep(time.Minute)
		r.quiet()
		r.put("pot", 5, 1) // now that is known, what is too much elsewhere is seen
		r.sleep(chipsLate + time.Second)
		r.prompt(CodeChipsDiffer)
		r.put("pot", -5, 0)
		r.start()
	})
	bubble(t, func(t *testing.T) { // some is missing
		r := feltDesk(t)
		r.choose(asks(r), "is_190")
		r.sleep(chipsLate + time.Second)
		p := r.reads(CodeChipsDiffer, "pot", "The chips at the felt are 10 less than they should be. Count before the pot is pushed.")
		if reply := r.console(VerbStartHand); reply.OK {
			t.Error("a hand starts without them")
		}
		r.choose(p, "counted")
		again := &rail{desk: r.again(feltOptions(t)), lies: r.lies}
		defer again.leave()
		for z, n := range again.lies {
			if z != "stack 2" {
				again.put(z, 0, int(min(n, 1)))
			}
		}
		again.table.ChipsUnsure(again.ctx, zone("stack 2"), why, 190, 200)
		again.sleep(time.Minute)
		again.quiet()
		again.start()
	})
}

// A stack of which the weight may be several amounts proves a bet by one of them, and contradicts one that is none of them.
func TestAnAmbiguousStackAndABet(t *testing.T) {
	for _, c := range []struct {
		fits  []engine.Chips
		left  engine.Chips // what the dealer reads, 0 where the bet is taken
		first string
	}{
		{[]engine.Chips{185, 190}, 0, ""},
		{[]engine.Chips{170, 180}, 19, "Raise to 10; All that left its stack: Raise to 20"},
	} {
		bubble(t, func(t *testing.T) {
			r := feltDesk(t)
			defer r.leave()
			r.toPreflop()
			r.table.ChipsUnsure(r.ctx, zone("stack 2"), "it may be several", c.fits...)
			r.put("spot 2", 9, 4)
			r.sleep(chipsLate + time.Second)
			if c.left == 0 {
				r.acted(2, 10)
				return
			}
			p := r.reads("chips_astray", "spot 2", fmt.Sprintf("Seat 2 put in 9, and its stack is less by %d. Count what it put in.", c.left))
			if got := p.Choices[0].Text + "; " + p.Choices[1].Text; got != c.first {
				t.Errorf("choices %s, want %s", got, c.first)
			}
			r.choose(p, "left")
			if got := r.state().Seats[2].Bet; got != 20 {
				t.Errorf("a bet of %d, want 20", got)
			}
		})
	}
}

// A tag that is no chip, or an ambiguous weight, on the spot of the seat in turn is asked about and not guessed. What the sensor
// says once it is certain is held against what was counted.
func TestUnsureBet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.table.ChipsUnsure(r.ctx, zone("spot 2"), "E2BEEF is no chip")
		r.table.ChipsUnsure(r.ctx, zone("spot 3"), "its reader is lost")
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		p := r.prompt("chips_unsure")
		if p.Zone != "spot 2" || !strings.Contains(p.Text, "seat 2 is not certain (E2BEEF is no chip)") {
			t.Errorf("the dealer reads %q at %s", p.Text, p.Zone)
		}
		if s := r.state(); s.Turn != 2 {
			t.Fatalf("seat %d is to act", s.Turn)
		}
		r.choose(p, "counted")
		time.Sleep(time.Minute / 6)
		synctest.Wait()
		r.quiet()
		r.move("stack 2", "spot 2", 9, 3)
		if got := r.state().Seats[2].Bet; got != 10 {
			t.Errorf("a bet of %d, want 10", got)
		}
		if p := r.prompt("chips_unsure"); p.Zone != "spot 3" {
			t.Errorf("it is seat 3's turn, and the dealer reads %q", p.Text)
		}
	})
}

// A weight that may be one of several amounts is asked about with those as choices, and what the dealer counts is the bet: known
// to the rules, over a restart, and until the scale says something else (procedures 21, 24 and 26).
func TestAmbiguousBet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		r.toPreflop()
		const why = "50.0 g may be chips worth 1 or 2 or 10"
		doubt := func(r *rail) Prompt {
			t.Helper()
			r.table.ChipsUnsure(r.ctx, zone("spot 2"), why, 1, 2, 10)
			time.Sleep(chipsLate + time.Second)
			synctest.Wait()
			return r.prompt("chips_unsure")
		}
		p := doubt(r)
		var ids []string
		for _, c := range p.Choices {
			ids = append(ids, c.ID+": "+c.Text)
		}
		want := "is_2: Counted by hand: it is 2; is_10: Counted by hand: it is 10; counted: Counted by hand: it is right"
		if got := strings.Join(ids, "; "); got != want {
			t.Errorf("choices %s, want %s", got, want)
		}
		if reply := r.choose(p, "is_10"); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		time.Sleep(oneMotion)
		synctest.Wait()
		ask := r.prompt("unannounced")
		if s := r.state(); s.Turn != 2 || s.Seats[2].Bet != 1 {
			t.Fatalf("seat %d is to act, bet %d", s.Turn, s.Seats[2].Bet)
		}
		entries := slices.Clone(r.entries)
		r.choose(ask, "raise")
		if got := r.state().Seats[2].Bet; got != 10 {
			t.Errorf("a bet of %d, want 10", got)
		}
		r.table.ChipsUnsure(r.ctx, zone("spot 2"), "60.0 g may be chips worth 11 or 12", 11, 12)
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		r.choose(r.prompt("chips_unsure"), "is_12") // though it is not seat 2's turn
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		if p := r.prompt("give_back"); p.Text != "Give seat 2 2 back" {
			t.Errorf("the dealer reads %q", p.Text)
		}
		r.leave()

		again := &rail{desk: sit(t, feltOptions(t), entries), lies: map[string]engine.Chips{}}
		defer again.leave()
		again.table.ChipsUnsure(again.ctx, zone("spot 2"), why, 1, 2, 10)
		time.Sleep(chipsLate + time.Second)
		synctest.Wait()
		if p := again.prompt("unannounced"); p.Text != ask.Text {
			t.Errorf("after a restart the dealer reads %q, want %q", p.Text, ask.Text)
		}
	})
}

// The change that one large chip leads to is told, where they are known in which chips; also when it is to be given (procedures
// 23).
func TestChangeIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		chips []engine.Chips
		want  string
	}{
		"nobody knows the chips":    {nil, "48"},
		"in chips":                  {[]engine.Chips{1, 25, 5}, "48 (1 × 25, 4 × 5, 3 × 1)"},
		"no chips make the rest up": {[]engine.Chips{5, 25}, "48"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				opt := feltOptions(t)
				opt.Chips = c.chips
				r := feltDeskBy(t, opt)
				defer r.leave()
				r.toPreflop()
				r.move("stack 2", "spot 2", 49, 2)
				p := r.prompt("over_chip")
				if !strings.HasSuffix(p.Text, "a call, unless a raise was announced. Change: "+c.want) {
					t.Errorf("the dealer reads %q", p.Text)
				}
				r.choose(p, "call")
				time.Sleep(chipsLate + time.Second)
				synctest.Wait()
				if got, want := r.prompt("give_back").Text, "Give seat 2 "+strings.Replace(c.want, "48", "48 back", 1); got != want {
					t.Errorf("the dealer reads %q, want %q", got, want)
				}
			})
		})
	}
}

// late has chips lie wrong for as long as people are given to put them right.
func (r *rail) late() {
	time.Sleep(chipsLate + time.Second)
	synctest.Wait()
}

// reads is the prompt at which the dealer reads just that.
func (r *rail) reads(code, zone, text string) Prompt {
	r.t.Helper()
	p := r.prompt(code)
	if p.Zone != zone || p.Text != text {
		r.t.Fatalf("the dealer reads %q at %s, want %q at %s", p.Text, p.Zone, text, zone)
	}
	return p
}

// Chips that a player puts straight into the pot are no bet until the dealer says so, and then lie before the player (procedures
// 26).
func TestChipsInThePot(t *testing.T) {
	t.Run("in turn", func(t *testing.T) {
		for choice, bet := range map[string]engine.Chips{"raise": 10, "call": 2} {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.move("stack 2", "pot", 9, 3)
				r.quiet()
				r.late()
				r.choose(r.reads("in_pot", "pot", "Seat 2 put 9 into the pot and not before it. What was announced?"), choice)
				if got := r.state().Seats[2].Bet; got != bet {
					t.Fatalf("%s: a bet of %d, want %d", choice, got, bet)
				}
				r.late()
				r.reads("in_pot", "spot 2", fmt.Sprintf("%d that seat 2 bet lie in the pot. Lay them before it.", bet-1))
				r.move("pot", "spot 2", bet-1, 3)
				r.move("pot", "stack 2", 10-bet, 3)
				r.quiet()
			})
		}
	})
	t.Run("declared", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := feltDesk(t)
			defer r.leave()
			r.toPreflop()
			r.press(2, VerbCheckCall)
			r.move("stack 2", "pot", 1, 1)
			r.late()
			r.reads("in_pot", "spot 2", "1 that seat 2 bet lie in the pot. Lay them before it.")
			r.move("pot", "spot 2", 1, 1)
			r.quiet()
		})
	})
	t.Run("a call", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := feltDesk(t)
			defer r.leave()
			r.toPreflop()
			r.move("stack 2", "pot", 1, 1)
			r.late()
			p := r.prompt("in_pot")
			if got := fmt.Sprint(p.Choices); got != "[{call Call 1} {counted Counted by hand: it is right}]" {
				t.Errorf("choices %s", got)
			}
			r.choose(p, "call")
			if got := r.state().Turn; got != 3 {
				t.Errorf("seat %d is to act", got)
			}
		})
	})
	t.Run("out of turn", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := feltDesk(t)
			defer r.leave()
			r.toPreflop()
			r.move("stack 3", "pot", 9, 3)
			r.late()
			r.reads("in_pot", "pot", "Seat 3 put 9 into the pot out of turn. Give it back.")
			r.move("pot", "stack 3", 9, 3)
			r.quiet()
		})
	})
	t.Run("nobody's", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := feltDesk(t)
			defer r.leave()
			r.toPreflop()
			r.put("pot", 25, 1)
			r.late()
			r.choose(r.reads("pot_differs", "pot", "The pot holds 25 more than it should"), "counted")
			r.quiet()
		})
	})
}

// Change that a player takes out of the pot, or gets from the tray, is no chips of the seat's to be given back: its bet has to go
// there (procedures 23 and 26).
func TestChangeIsATransfer(t *testing.T) {
	for _, zone := range []string{"pot", "tray"} {
		t.Run(zone, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := feltDesk(t)
				defer r.leave()
				r.toPreflop()
				r.move("stack 2", "spot 2", 1, 2)
				r.press(3, VerbCheckCall)
				r.move("spot 2", "pot", 2, 2)
				r.move("spot 3", "pot", 2, 4)
				r.deal(4) // burn and flop
				r.press(2, VerbCheckCall)
				r.press(3, VerbCheckCall)
				r.act(VerbBet, 10)
				r.move("stack 2", "spot 2", 12, 10) // one more than the nine that the rail says are there
				r.choose(r.prompt("over_chip"), "call")
				r.move(zone, "stack 2", 2, 2)
				r.late()
				r.reads("change", "spot 2", fmt.Sprintf("Change for seat 2 came out of the %s. Move 2 from before it there.", zone))
				r.move("spot 2", zone, 2, 0)
				r.acted(2, 10)
			})
		})
	}
}

// A pot from which somebody took chips says so, and who has them (procedures 26).
func TestAPotThatIsShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := feltDesk(t)
		defer r.leave()
		r.toPreflop()
		r.move("stack 2", "spot 2", 1, 2)
		r.press(3, VerbCheckCall)
		r.move("spot 2", "pot", 2, 2)
		r.move("spot 3", "pot", 2, 4)
		r.move("pot", "stack 3", 3, 4)
		r.late()
		r.reads("pot_differs", "pot", "The pot holds 3 less than it should: from seat 3 3 to the pot")
		dealt := r.dealt()
		r.draw()
		if r.dealt() != dealt {
			t.Error("a card was taken")
		}
	})
}

// Where pot and tray have no sensors the dealer is told what the hand led to, and nothing waits for it.
func TestTransfersWithoutSensors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		opt.Players[1].Kind, opt.Players[2].Kind = Felt, Felt
		r := &rail{desk: sit(t, opt, nil)}
		defer r.leave()
		r.start()
		r.deal(6)
		r.act(VerbRaise, 10)
		r.press(2, VerbFold)
		r.press(3, VerbFold)
		in := r.last().Instruction
		if in.Kind != "collect" || !strings.HasPrefix(in.Text, "Move chips: from the pot 3 to the tray. ") {
			t.Errorf("the dealer is told to %s: %s", in.Kind, in.Text)
		}
	})
}

// A seat at the felt that the configuration gives to somebody elsewhere, and back: its chips go to the tray, and come from it.
func TestAChangeOfKindMovesChips(t *testing.T) {
	bubble(t, func(t *testing.T) {
		kinds := func(kind Kind) Options {
			opt := options(t)
			opt.Tray, opt.Players[1].Kind, opt.Players[2].Kind = 1000, kind, Felt
			return opt
		}
		d := sit(t, kinds(Felt), nil)
		d.leave()
		for _, c := range []struct {
			kind Kind
			tray engine.Chips
			told string
		}{
			{Remote, 1200, "Move chips: from seat 2 200 to the tray. "},
			{Remote, 1200, "Move chips: from seat 2 200 to the tray. "}, // until the next hand
			{Felt, 1000, "Move chips: from seat 2 200 to the tray, from the tray 200 to seat 2. "},
		} {
			d = sit(t, kinds(c.kind), d.entries)
			if in := d.last().Instruction; !strings.HasPrefix(in.Text, c.told) || d.table.till.tray != c.tray {
				t.Errorf("%s: the tray has %d, want %d; the dealer is told to %s", c.kind, d.table.till.tray, c.tray, in.Text)
			}
			d.leave()
		}
		d = sit(t, kinds(Felt), d.entries)
		d.start()
		if in := d.last().Instruction; strings.Contains(in.Text, "Move chips") {
			t.Errorf("in a hand the dealer is told to %s", in.Text)
		}
		d.leave()
		opt := kinds(Remote)
		opt.Journal, opt.Records = &memory{}, records(d.entries)
		if _, err := New(opt); err == nil || !strings.Contains(err.Error(), "seat 2 is at the felt for the journal or for the configuration and not for both") {
			t.Errorf("in the middle of a hand: %v", err)
		}
	})
}
