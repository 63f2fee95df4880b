package controller

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/engine"
)

// Trouble at the shoe stops the deal until a person has answered, over a restart too.
func TestTroubleAtTheShoe(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		trouble    func(d *desk)
		choice     string
		gone       int8 // cards out of the shoe once the next is dealt
	}{
		{"a card that left unread is set aside", "unread_card", func(d *desk) { d.table.UnreadLeft(d.ctx) }, "set_aside", 4},
		{"a card that left unread was none", "unread_card", func(d *desk) { d.table.UnreadLeft(d.ctx) }, "dismiss", 3},
		{"a card that was not the next was", "not_next", func(d *desk) { d.table.NotNextLeft(d.ctx) }, "dismiss", 3},
		{"opened, and its cards are as they were", "shoe_opened", func(d *desk) { d.table.ShoeOpened(d.ctx) }, "dismiss", 3},
		{"opened, and the stub was shuffled", "shoe_opened", func(d *desk) { d.table.ShoeOpened(d.ctx) }, "reshuffled", 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := sit(t, options(t), nil)
				d.start()
				d.deal(2)
				tc.trouble(d)
				synctest.Wait()
				d.prompt(tc.code)
				before := *d.state()
				d.leave()

				again := sit(t, options(t), d.entries)
				defer again.leave()
				again.deck = d.deck
				if got := *again.state(); got != rebased(before, &got) {
					t.Fatalf("the table came back as\n%+v\nwant\n%+v", got, before)
				}
				p := again.prompt(tc.code)
				c := again.draw()
				again.place("seat 1", c)
				if got := again.dealt(); got != 2 {
					t.Fatalf("%d cards were taken while the prompt stood", got-2)
				}
				if r := again.choose(p, tc.choice); !r.OK {
					t.Fatalf("%+v", r)
				}
				again.quiet()
				if s := again.state(); s.Seats[1].Hole[0] != c || s.Gone != tc.gone {
					t.Errorf("seat 1 has %v, want %v; %d cards are out, want %d", s.Seats[1].Hole[0], c, s.Gone, tc.gone)
				}
			})
		})
	}
}

// Where no antenna sees which of two cards is dealt first, a person says so.
func TestTwoCardsLeaveTogether(t *testing.T) {
	for _, choice := range []string{"keep", "take_back"} {
		t.Run(choice, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				opt := options(t)
				opt.Zones = []engine.Zone{zone("shoe")}
				d := sit(t, opt, nil)
				defer d.leave()
				d.start()
				d.table.TwoLeft(d.ctx)
				first, second := d.draw(), d.draw()
				p := d.prompt("two_cards")
				if d.dealt() != 0 {
					t.Fatal("a card was taken though it is not certain that it is the next")
				}
				d.choose(p, choice)
				if choice == "take_back" {
					if d.dealt() != 1 {
						t.Fatalf("%d cards dealt, want the first", d.dealt())
					}
					d.table.CardLeft(d.ctx, second)
					synctest.Wait()
				}
				d.quiet()
				if s := d.state(); s.Seats[2].Hole[0] != first || s.Seats[3].Hole[0] != second {
					t.Errorf("the seats have %v and %v, want %v and %v", s.Seats[2].Hole[0], s.Seats[3].Hole[0], first, second)
				}
			})
		})
	}
}

// Where antennas watch the places, the one of two that went back is the one that is not seen, in whatever order the shoe's reader
// told them.
func TestTheOneOfTwoThatWentBack(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			before := sit(t, options(t), nil)
			before.start()
			before.table.TwoLeft(before.ctx)
			first, second := before.draw(), before.draw()
			before.choose(before.prompt("two_cards"), "take_back")
			before.leave()

			d := sit(t, options(t), before.entries)
			defer d.leave()
			lies, back := first, second
			if reversed {
				lies, back = second, first
			}
			d.table.CardPlaced(d.ctx, zone("seat 2"), lies)
			synctest.Wait()
			d.quiet()
			d.table.CardLeft(d.ctx, back)
			d.table.CardPlaced(d.ctx, zone("seat 3"), back)
			synctest.Wait()
			d.quiet()
			if s := d.state(); s.Seats[2].Hole[0] != lies || s.Seats[3].Hole[0] != back {
				t.Errorf("the seats have %v and %v, want %v and %v", s.Seats[2].Hole[0], s.Seats[3].Hole[0], lies, back)
			}
		})
	}
}

// Two cards that are not due are asked about one by one.
func TestTwoCardsBeforeTheirTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.start()
		d.deal(6)
		d.table.TwoLeft(d.ctx)
		d.draw()
		d.draw()
		for range 2 {
			d.choose(Prompt{ID: d.last().Prompts[0].ID}, "take_back")
		}
		d.quiet()
		if n := len(d.table.tracker.flight); n != 0 {
			t.Errorf("%d cards are out still", n)
		}
	})
}

// While something has to be put right the clock stands and no card is taken. The card that came meanwhile is not forgotten,
// by a restart either; which stands still until the shoe has said how it is.
func TestTheTableWaitsForTheShoe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opt := options(t)
		opt.Devices = []string{"shoe-contacts"}
		d := sit(t, opt, nil)
		d.table.Device(d.ctx, "shoe-contacts", true, "")
		d.start()
		d.deal(5)
		const jammed = "the shoe: a card is jammed in the mouth"
		d.table.Wait(d.ctx, "the shoe", "a card is jammed in the mouth")
		c := d.draw()
		d.place("seat 1", c)
		if got := d.last(); got.Instruction.Kind != "wait" || !strings.Contains(got.Instruction.Text, jammed) || d.dealt() != 5 {
			t.Fatalf("%+v, %d cards dealt", got.Instruction, d.dealt())
		}
		before, flight := *d.state(), d.table.tracker.flight
		d.leave()

		again := sit(t, opt, d.entries)
		defer again.leave()
		if got := *again.state(); got != rebased(before, &got) {
			t.Fatalf("the table came back as\n%+v\nwant\n%+v", got, before)
		}
		if got := again.table.tracker.flight; !reflect.DeepEqual(got, flight) {
			t.Fatalf("in flight are %v, want %v", got, flight)
		}
		again.place("seat 1", c)
		again.table.Wait(again.ctx, "the shoe", "a card is jammed in the mouth")
		again.table.Device(again.ctx, "shoe-contacts", true, "")
		synctest.Wait()
		if again.dealt() != 5 || len(again.last().Holds) != 1 || again.last().Holds[0] != jammed {
			t.Fatalf("%d cards dealt, holds %q", again.dealt(), again.last().Holds)
		}
		again.table.Wait(again.ctx, "the shoe", "")
		synctest.Wait()
		if s := again.state(); again.dealt() != 6 || s.Seats[1].Hole[1] != c {
			t.Errorf("%d cards dealt, seat 1 has %v, want %v", again.dealt(), s.Seats[1].Hole, c)
		}
		if c := again.last().Clock; c.Seat == 0 || c.Paused {
			t.Errorf("the clock stands: %+v", c)
		}
	})
}

// A shoe that is empty too early is asked about until it gives a card (procedures 29).
func TestTheShoeIsEmptyTooEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.table.ShoeEmpty(d.ctx, true)
		synctest.Wait()
		d.quiet() // it is yet to be loaded
		d.start()
		d.quiet() // it may yet be seen that it was
		time.Sleep(loaded + time.Millisecond)
		synctest.Wait()
		if p := d.prompt("shoe_empty"); !strings.Contains(p.Text, "52 cards") {
			t.Errorf("the dealer reads %q", p.Text)
		}
		d.table.ShoeEmpty(d.ctx, false)
		synctest.Wait()
		d.quiet()
		d.deal(5)
		last := d.draw()
		d.table.ShoeEmpty(d.ctx, true)
		synctest.Wait()
		d.quiet() // the last is on its way
		d.place("seat 1", last)
		d.quiet() // and none is due
		if d.dealt() != 6 {
			t.Errorf("%d cards dealt", d.dealt())
		}
	})
}

// A shoe is opened to be loaded: between hands, and in a hand when the discards are shuffled into it.
func TestAShoeIsOpenedToBeLoaded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sit(t, options(t), nil)
		defer d.leave()
		d.table.ShoeOpened(d.ctx)
		d.table.UnreadLeft(d.ctx)
		synctest.Wait()
		d.quiet()
	})
	bubble(t, func(t *testing.T) {
		d := sit(t, shortDeck(t), nil)
		defer d.leave()
		d.toTheDraw()
		d.exhaust()
		d.table.ShoeOpened(d.ctx)
		synctest.Wait()
		d.quiet()
	})
}
