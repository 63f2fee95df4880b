package main

import (
	"fmt"
	"os"
	"path/filepath"
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
	asked  bool     // the dealer was, about anything
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

// slipped is enough, and that the dealer was asked.
func (f *felts) slipped() bool {
	f.mu.Lock()
	asked := f.asked
	f.mu.Unlock()
	return asked && f.enough()
}

func (f *felts) Publish(u *controller.Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = f.asked || len(u.Prompts) > 0
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

// onScales has chips worth 1 lie on a scale in every place at the felt of seats 1 and 2.
func onScales(t *testing.T, text string) string {
	cells := []string{"pot", "tray", "stack 1", "stack 2"}
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
}

// withTags has chips with tags of 1, 5, 25 and 100 in every place at the felt of seats 1 and 2, read by one reader of ISO 15693 tags
// or a UHF reader at each.
func withTags(kind string) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		set := &strings.Builder{}
		set.WriteString("name = \"cash\"\n[tags]\n")
		for _, v := range []int{1, 5, 25, 100} {
			for i := range 60 {
				if kind == "uhf" {
					fmt.Fprintf(set, "E2801160%08X7E7EBB%02X = %d\n", v, i, v)
				} else {
					fmt.Fprintf(set, "E004015000C1%02X%02X = %d\n", v, i, v)
				}
			}
		}
		chips := filepath.Join(t.TempDir(), "chips.toml")
		if err := os.WriteFile(chips, []byte(set.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("\n[chips]\nfile = %q\n", chips)
		zones := []string{"pot", "tray", "stack 1", "stack 2", "spot 1", "spot 2"}
		if kind != "uhf" {
			return text + fmt.Sprintf("[[devices]]\nname = \"chips\"\nkind = %q\npath = \"dev/chips\"\nzones = [\"%s\"]\n", kind, strings.Join(zones, `", "`))
		}
		for _, zone := range zones {
			text += fmt.Sprintf("[[devices]]\nname = %q\nkind = %q\npath = \"dev/%[1]s\"\nzones = [%[3]q]\n", strings.ReplaceAll(zone, " ", "-"), kind, zone)
		}
		return text
	}
}

// Players at the felt bet with chips that scales feel or readers see, the dealer pushes pots and settles with the tray for the one
// who is elsewhere, and at the end every chip lies where the table says. On a machine that is late he is asked about chips that are
// on their way, too.
func TestPlayersMoveChips(t *testing.T) {
	t.Parallel()
	for name, chips := range map[string]func(*testing.T, string) string{"scales": onScales, "ISO 15693": withTags("feig")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, demoOptions{seats: 3, felt: 2}, func(text string) string {
				return chips(t, strings.Replace(text, "name = \"t1\"\n", "name = \"t1\"\ntray = 1000\n", 1))
			})
			heard := &felts{}
			d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, heard) })
			table, ended := r.sim(d.brokerURL(), func(o *simtable.Options) { o.Hands, o.Rebuy, o.Enough = 3, 200, heard.enough })
			<-ended
			heard.agrees(t, table)
		})
	}
}

// Players at the felt who make mistakes with their chips are put right by the dealer, as the console says, and every chip ends where
// the table says.
func TestPlayersWhoSlip(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 3, felt: 2}, func(text string) string {
		return withTags("feig")(t, strings.Replace(text, "name = \"t1\"\n", "name = \"t1\"\ntray = 1000\n", 1))
	})
	heard := &felts{}
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, heard) })
	table, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		o.Hands, o.Rebuy, o.Slips, o.Enough = 1, 200, 50, heard.slipped
	})
	<-ended
	heard.agrees(t, table)
	t.Logf("slips: %v", table.Slips())
}

// agrees holds the chips that lie at the felt against the table's.
func (f *felts) agrees(t *testing.T, table *simtable.Table) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	lying, bets := table.Chips()
	if bets == 0 {
		t.Error("nobody bet with chips")
	}
	if !slices.Contains(f.kinds, "push") {
		t.Error("no pot was pushed")
	}
	total := engine.Chips(0)
	for z, n := range lying {
		total += n
		if z.Kind == engine.ZoneStack && f.state.Seats[z.Seat].Stack != n {
			t.Errorf("%d lie at %v, the table has %d", n, z, f.state.Seats[z.Seat].Stack)
		}
	}
	if total != 1400+f.bought {
		t.Errorf("%d chips lie at the felt, 1400 and %d were brought: %v", total, f.bought, lying)
	}
}

// A recorded hand goes as recorded where UHF readers see the chips that players bet with.
func TestARecordedHandWithTaggedChips(t *testing.T) {
	t.Parallel()
	r := scripted(t, "straddle.phh", 2, func(text string) string {
		return withTags("uhf")(t, strings.Replace(text, "name = \"t1\"\n", "name = \"t1\"\ntray = 300\n", 1))
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	table, ended := r.sim(d.brokerURL(), nil)
	<-ended
	r.endsAsRecorded(w)
	if _, bets := table.Chips(); bets == 0 {
		t.Error("nobody bet with chips")
	}
}
