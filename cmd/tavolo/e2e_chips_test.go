package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/sim"
	"tavolo/engine"
)

// A player at the felt bets with chips alone, which a UHF reader below the spot reads by their tags: the straddle, a raise
// and a bet, which the dealer confirms: the reader may miss one, and none watches the stack. A tag that is no chip is asked about while it lies there, and so is a spot whose reader is
// lost. A light barrier along the betting line sees the hand that bets.
func TestBetsByChips(t *testing.T) {
	t.Parallel()
	chips := filepath.Join(t.TempDir(), "chips.toml")
	text, tags := "name = \"cash\"\n[tags]\n", map[engine.Chips][]string{}
	for _, v := range []engine.Chips{1, 5} {
		for i := range 8 {
			tag := fmt.Sprintf("E2801160%08X7E7EBB%02X", v, i)
			text += fmt.Sprintf("%s = %d\n", tag, v)
			tags[v] = append(tags[v], tag)
		}
	}
	if err := os.WriteFile(chips, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := scripted(t, "straddle.phh", 3, func(text string) string {
		return text + fmt.Sprintf("\n[chips]\nfile = %q\n[[devices]]\nname = \"bet-3\"\nkind = \"uhf\"\npath = \"dev/bet-3\"\nzones = [\"spot 3\"]\n"+
			"[[devices]]\nname = \"line-3\"\nkind = \"gpio-beam\"\nseat = 3\nline = \"SEAT3_LINE\"\n", chips)
	})
	lines := sim.NewLines()
	d := r.daemon(func(d *daemon) {
		d.lines = func(string, []string) (gpiocdev.Lines, error) { return lines.Open() }
	})
	w := r.watch(d.brokerURL())
	table, ended := r.sim(d.brokerURL(), playing("alice", "bruno", "dario"))
	lay := func(tags ...string) {
		t.Helper()
		if err := table.Lay(engine.Zone{Kind: engine.ZoneSpot, Seat: 3}, tags...); err != nil {
			t.Fatal(err)
		}
	}
	asks := func(code string) func(*seen) bool {
		return func(s *seen) bool {
			return slices.ContainsFunc(s.prompt.Prompts, func(p controller.Prompt) bool { return p.Code == code })
		}
	}
	turn := func(board int) func(*seen) bool {
		return func(s *seen) bool {
			v := s.state().View
			return v.Awaits.Kind == engine.AwaitAction && v.Awaits.Seat == 3 && len(v.Board) == board
		}
	}
	acted := func(action engine.Action, to engine.Chips) func(*seen) bool {
		return func(s *seen) bool {
			return slices.ContainsFunc(s.events, func(p mqtt.EventPayload) bool {
				e := p.Event
				return e.Kind == engine.PlayerActed && e.Seat == 3 && e.Action == action && e.To == to
			})
		}
	}
	confirms := func(choice string) {
		t.Helper()
		w.await("the dealer is asked whether that is all", asks("confirm_bet"))
		w.look(func(s *seen) {
			p := s.prompt.Prompts[slices.IndexFunc(s.prompt.Prompts, func(p controller.Prompt) bool { return p.Code == "confirm_bet" })]
			w.link.Send(r.cfg.Topics.Command("floor"), mqtt.Pack(mqtt.CommandPayload{
				V: mqtt.Version, ID: fmt.Sprintf("confirm-%d", p.ID), Epoch: s.prompt.Epoch, Command: controller.VerbChoose, Prompt: p.ID, Choice: choice,
			}))
		})
	}
	ones, fives := tags[1], tags[5]

	w.await("the straddle is asked for", asks("chips_short"))
	lay(ones[:4]...)
	w.await("it is seat 3's turn", turn(0))
	lay(append(ones[:4:4], "E2000000000000000000BEEF")...)
	w.await("the strange tag is asked about", asks("chips_unsure"))
	lay(append(ones[:7:7], fives[0])...)
	confirms("raise")
	w.await("the raise", acted(engine.Raise, 12))
	w.await("seat 2 has called", func(s *seen) bool {
		v := s.state().View
		return v.Awaits.Kind != engine.AwaitAction || len(v.Board) > 0
	})
	lay() // the dealer takes the bets in
	w.await("it is seat 3's turn on the flop", turn(3))
	cable := table.Cables()[r.cfg.Devices[len(r.cfg.Devices)-2].Path]
	if err := cable.Unplug(); err != nil {
		t.Fatal(err)
	}
	w.await("the spot without a reader is asked about, and nothing is held up", func(s *seen) bool {
		return asks("chips_unsure")(s) && len(s.state().Holds) == 0
	})
	if err := cable.Plug(); err != nil {
		t.Fatal(err)
	}
	lines.Set(0, true) // a hand comes
	lay(fives[:4]...)
	lines.Set(0, false)
	confirms("raise")
	w.await("the bet", acted(engine.Bet, 20))
	w.await("what nobody called goes back", func(s *seen) bool { return s.prompt.Instruction.Text == "Move chips: 20 from the spot of seat 3" })
	lay()
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}
