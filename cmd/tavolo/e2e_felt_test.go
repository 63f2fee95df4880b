package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller"
	"tavolo/engine"
)

// felts hears what the table says of the chips.
type felts struct {
	mu     sync.Mutex
	codes  []string // of prompts
	kinds  []string // of instructions
	bets   int      // of seats 1 and 2, and what they bought in for again
	bought engine.Chips
	state  engine.State
}

// enough is whether there was a bet at the felt and a pot to push.
func (f *felts) enough() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bets > 0 && slices.Contains(f.kinds, "push")
}

func (f *felts) Publish(u *controller.Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range u.Prompts {
		f.codes = append(f.codes, p.Code)
	}
	f.kinds = append(f.kinds, u.Instruction.Kind)
	for _, e := range u.Events {
		switch {
		case e.Seat > 2:
		case e.Kind == engine.StackAdded:
			f.bought += e.Amount
		case e.Kind == engine.PlayerActed && (e.Action == engine.Call || e.Action == engine.Bet || e.Action == engine.Raise):
			f.bets++
		}
	}
	f.state = u.State
}

// Players at the felt bet with chips that scales feel, the dealer pushes pots and settles with the tray for the one who is
// elsewhere, and at the end every chip lies where the table says. Nobody is asked anything.
func TestPlayersMoveChips(t *testing.T) {
	t.Parallel()
	cells := []string{"pot", "tray", "stack 1", "stack 2"}
	r := newRig(t, demoOptions{seats: 3, felt: 2}, func(text string) string {
		text = strings.Replace(text, "name = \"t1\"\n", "name = \"t1\"\ntray = 1000\n", 1)
		scale := func(zone string) {
			text += fmt.Sprintf("\n[[scales]]\nzone = %q\nzero = 0\nmark = 100000\nknown = 1000000\n", zone)
			if slices.Contains(cells, zone) {
				text += fmt.Sprintf("device = %q\n", strings.ReplaceAll(zone, " ", "-"))
			}
			text += "[[scales.chips]]\nvalue = 1\nweight = 10000\n"
		}
		for _, zone := range cells {
			name := strings.ReplaceAll(zone, " ", "-")
			text += fmt.Sprintf("\n[[devices]]\nname = %q\nkind = \"load-cell\"\npath = \"dev/%[1]s\"\n", name)
			scale(zone)
		}
		scale("spot 1")
		scale("spot 2")
		return text
	})
	heard := &felts{}
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, heard) })
	table, ended := r.sim(d.brokerURL(), func(o *simtable.Options) { o.Hands, o.Rebuy, o.Enough = 3, 200, heard.enough })
	<-ended
	heard.mu.Lock()
	defer heard.mu.Unlock()
	lying, bets := table.Chips()
	if bets == 0 {
		t.Error("nobody bet with chips")
	}
	if !slices.Contains(heard.kinds, "push") {
		t.Error("no pot was pushed")
	}
	if len(heard.codes) > 0 {
		t.Errorf("the dealer was asked: %v", heard.codes)
	}
	total := engine.Chips(0)
	for z, n := range lying {
		total += n
		if z.Kind == engine.ZoneStack && heard.state.Seats[z.Seat].Stack != n {
			t.Errorf("%d lie at %v, the table has %d", n, z, heard.state.Seats[z.Seat].Stack)
		}
	}
	if total != 1400+heard.bought {
		t.Errorf("%d chips lie at the felt, 1400 and %d were brought: %v", total, heard.bought, lying)
	}
}
