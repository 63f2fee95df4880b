package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/drivers/sim"
	"tavolo/engine"
	"tavolo/engine/card"
	bridge "tavolo/firmware-bridge"
)

// session is a technician at a step of calibration, which runs as a program of its own.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // that it prints
	said  strings.Builder
	errs  bytes.Buffer
}

// calibrate begins a step of calibration.
func (r *rig) calibrate(t *testing.T, args ...string) *session {
	t.Helper()
	args = append([]string{"calibrate", args[0], "-c", r.file, "--by", "tester"}, args[1:]...)
	s := &session{t: t, cmd: exec.Command("tavolo", args...), lines: make(chan string, 1024)}
	s.cmd.Stderr = &s.errs
	s.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.in, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.lines)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			s.lines <- sc.Text()
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // unless it has ended
		for range s.lines {
		}
		_ = s.cmd.Wait()
	})
	return s
}

// await waits for a line with a text.
func (s *session) await(text string) string {
	s.t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, more := <-s.lines:
			if !more {
				s.t.Fatalf("ended without %q:\n%s\n%s", text, &s.said, &s.errs)
			}
			s.said.WriteString(line + "\n")
			if strings.Contains(line, text) {
				return line
			}
		case <-late:
			s.t.Fatalf("%q is not said for %v:\n%s", text, patience, &s.said)
		}
	}
}

// say types a line.
func (s *session) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end with an exit status.
func (s *session) ends(status int) {
	s.t.Helper()
	for line := range s.lines {
		s.said.WriteString(line + "\n")
	}
	_ = s.cmd.Wait() // its exit status says it
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Fatalf("exit status %d, want %d:\n%s\n%s", got, status, &s.said, &s.errs)
	}
}

// certificate reads the only certificate of a step.
func (r *rig) certificate(step string) (c calibration.Certificate) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(r.file), "certificates", step+"-*.json"))
	if err != nil || len(files) != 1 {
		r.t.Fatalf("certificates of %s: %v, %v, want one", step, files, err)
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.Remove(files[0]); err != nil { // so that the next is the only one, too
		r.t.Fatal(err)
	}
	return c
}

// freshTag is the tag of a card of a deck that nobody has registered yet.
func freshTag(deck byte, c card.Card) string {
	return fmt.Sprintf("E0040150%02X00%04X", deck, uint8(c))
}

// pass draws a card with a tag out of the shoe.
func (s *session) pass(table *simtable.Table, tag string) {
	s.t.Helper()
	if err := table.Slide(s.t.Context(), tag); err != nil {
		s.t.Fatal(err)
	}
}

// On the first day there is no deck. One is registered through the shoe, with a card shown twice and one taken back; what was
// registered is what the daemon reads then.
func TestDeckIsRegisteredThroughTheShoe(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 0}, kinds("kind = \"pepper-c1\"", "kind = \"feig\""))
	file := r.cfg.DeckFiles[0]
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	table := r.hardware()
	s := r.calibrate(t, "deck", "--deck", "red 7")
	s.await("Draw the cards out of the shoe")
	order := calibration.NewDeckOrder(card.French)
	for i, c := range order {
		s.pass(table, freshTag(1, c))
		s.await(fmt.Sprintf("%d of 52  %v", i+1, c))
		if i == 3 {
			s.say("back")
			s.pass(table, freshTag(1, order[0]))
			s.await("not taken for 4s: tag E004015001000034 is As of deck \"red 7\" already")
			s.pass(table, freshTag(9, c)) // once more, another one
			s.await("4 of 52  4s")
		}
	}
	s.await("Once more")
	s.pass(table, freshTag(9, card.MustParse("4s")[0]))
	s.await("1 of 52  4s again")
	s.pass(table, freshTag(1, card.MustParse("4s")[0]))
	s.await("no card of the deck")
	for _, c := range card.French.Cards() {
		if c.String() != "4s" {
			s.pass(table, freshTag(1, c))
		}
	}
	s.await("52 of 52")
	s.await("[save, abort]")
	if _, err := os.Stat(file); err == nil {
		t.Error("the deck is written before save is said")
	}
	s.say("save")
	s.await("read back")
	s.ends(0)
	cfg, err := LoadConfig(r.file)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := cfg.Deck.Card(freshTag(9, card.MustParse("4s")[0])); !ok || c.String() != "4s" || cfg.Deck.Name() != "red 7" {
		t.Errorf("the tag is %v, %v of %q", c, ok, cfg.Deck.Name())
	}
	cert := r.certificate("deck")
	if cert.Verdict != calibration.Pass || cert.By != "tester" || cert.Subject != "red 7" || len(cert.Devices) != 1 || cert.Written == nil || cert.Kept != "" {
		t.Errorf("certificate %+v", cert)
	}
}

// A worn card is replaced: its tag is refused from then on, and what the deck was before is kept.
func TestCardOfADeckIsReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 0})
	ah := card.MustParse("Ah")[0]
	before, err := os.ReadFile(r.cfg.DeckFiles[0])
	if err != nil {
		t.Fatal(err)
	}
	old := r.cfg.Deck.Tags()[ah]
	table := r.hardware()
	s := r.calibrate(t, "deck", "--deck", "demo deck", "--replace", "Ah")
	s.await("1 cards")
	s.pass(table, old)
	s.await("is out of use")
	s.pass(table, freshTag(2, ah))
	s.await("1 of 1  Ah")
	s.say("skip") // it takes a second until the reader tells of a tag again
	s.await("[save, abort]")
	s.say("save")
	s.ends(0)
	cert := r.certificate("deck")
	if kept, err := os.ReadFile(cert.Kept); err != nil || !bytes.Equal(kept, before) {
		t.Errorf("what was there before is not kept in %s: %v", cert.Kept, err)
	}
	cfg, err := LoadConfig(r.file)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cfg.Deck.Card(old); ok {
		t.Error("the old tag still stands for the ace of hearts")
	}
	if c, ok := cfg.Deck.Retired(old); !ok || c != ah {
		t.Errorf("the old tag is not out of use: %v, %v", c, ok)
	}
}

// Cards that are laid on a pad are registered as well, one at a time; two at once are no card. What is aborted, or ends
// without an answer, leaves the deck as it was. A tag of another deck is refused.
func TestDeckIsRegisteredOnAPad(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 0})
	file := r.cfg.DeckFiles[0]
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.file)
	if err == nil {
		err = os.WriteFile(r.file, bytes.Replace(text, []byte("file = \"deck.toml\""), []byte("file = \"deck.toml\"\nspares = [\"blue.toml\"]"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	table := r.hardware()
	board := engine.Zone{Kind: engine.ZoneBoard}
	s := r.calibrate(t, "deck", "--deck", "blue 1", "--zone", "board")
	s.await("on board")
	show := func(tags ...string) {
		t.Helper()
		if err := table.Lay(board, tags...); err != nil {
			t.Fatal(err)
		}
	}
	order := calibration.NewDeckOrder(card.French)
	show("E004015000DE0001")
	s.await("is 2c of deck \"demo deck\" already")
	show(freshTag(3, order[0]), freshTag(3, order[1]))
	show(freshTag(3, order[0]))
	s.await("1 of 52  As")
	show()
	show(freshTag(3, order[1]))
	s.await("2 of 52  2s")
	s.say("abort")
	s.ends(1)
	if !strings.Contains(s.errs.String(), "nothing was saved") {
		t.Errorf("it says %q", &s.errs)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "blue.toml")); err == nil {
		t.Error("a deck was written all the same")
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the other deck changed: %v", err)
	}
}

// A set of chips is registered worth by worth: a chip of another worth is refused, and a worth of which some are missing is not
// done. What was written is what the daemon reads.
func TestChipsAreRegistered(t *testing.T) {
	t.Parallel()
	r := newDraft(t, func(text string) string {
		return text + "\n[chips]\nfile = \"chips.toml\"\n[[devices]]\nname = \"bet-1\"\nkind = \"uhf\"\npath = \"dev/bet-1\"\nzones = [\"spot 1\"]\n"
	})
	table := r.hardware()
	chip := func(n int) string { return fmt.Sprintf("E280116060000205A1B2C3%02X", n) }
	lay := func(tags ...string) {
		t.Helper()
		if err := table.Lay(engine.Zone{Kind: engine.ZoneSpot, Seat: 1}, tags...); err != nil {
			t.Fatal(err)
		}
	}
	s := r.calibrate(t, "chips", "--set", "cash 2", "--worth", "1=4,25")
	s.await("Lay them on spot 1")
	lay(chip(1), chip(2), chip(3))
	s.await("   3  worth 1")
	s.say("")
	s.await("3 were read, and there are 4")
	lay(chip(4))
	s.await("   4  worth 1")
	lay()
	s.say("")
	s.await("Chips worth 25")
	lay(chip(4))
	s.await("!!  tag " + chip(4) + " is worth 1 already")
	lay(chip(5))
	s.await("   1  worth 25  " + chip(5))
	s.say("")
	s.await("[save, abort]")
	s.say("save")
	s.ends(0)
	cfg, err := LoadConfig(r.file)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := cfg.Chips.Value(chip(5)); !ok || v != 25 || cfg.Chips.Total() != 29 {
		t.Errorf("the chip is worth %d, %v, the set %d", v, ok, cfg.Chips.Total())
	}
	if cert := r.certificate("chips"); cert.Verdict != calibration.Pass || cert.Subject != "cash 2" {
		t.Errorf("certificate %+v", cert)
	}
}

// The dealer button is registered, with a tag for the readers of cards and one for those of chips: the tag of a card is refused, and
// what was written is what the daemon reads.
func TestTheButtonIsRegistered(t *testing.T) {
	t.Parallel()
	r := newDraft(t, func(text string) string {
		return text + "\n[chips]\nfile = \"chips.toml\"\n[marker]\nfile = \"marker.toml\"\n" +
			"[[devices]]\nname = \"bet-1\"\nkind = \"uhf\"\npath = \"dev/bet-1\"\nzones = [\"spot 1\"]\n"
	})
	table := r.hardware()
	const pad, spot = "E0040150B0770001", "E28011606000020500000001"
	lay := func(z engine.Zone, tags ...string) {
		t.Helper()
		if err := table.Lay(z, tags...); err != nil {
			t.Fatal(err)
		}
	}
	s := r.calibrate(t, "marker", "--marker", "button 1", "--zone", "seat 2", "--zone", "spot 1")
	s.await("Lay it on seat 2")
	ah := r.cfg.Deck.Tags()[card.MustParse("Ah")[0]]
	lay(engine.ZoneOf(2), ah)
	s.await("!!  tag " + ah + " is of deck")
	lay(engine.ZoneOf(2), pad)
	s.await("   1  " + pad)
	lay(engine.ZoneOf(2))
	s.say("")
	s.await("Lay it on spot 1")
	lay(engine.Zone{Kind: engine.ZoneSpot, Seat: 1}, spot)
	s.await("   1  " + spot)
	s.say("")
	s.await("[save, abort]")
	s.say("save")
	s.ends(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(r.file), "marker.toml"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := calibration.LoadMarker("marker.toml", data)
	if err != nil || m.Name() != "button 1" || !m.Has(pad) || !m.Has(spot) || m.Has(ah) {
		t.Errorf("registered: %s (%v)", data, err)
	}
	if cert := r.certificate("marker"); cert.Verdict != calibration.Pass || cert.Subject != "button 1" || len(cert.Devices) != 2 {
		t.Errorf("certificate %+v", cert)
	}
}

// newDraft is newRig for a table at which something is still to be registered.
func newDraft(t *testing.T, edits ...func(string) string) *rig {
	t.Helper()
	r := newRig(t, demoOptions{seats: 3, felt: 2})
	data, err := os.ReadFile(r.file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, edit := range edits {
		text = edit(text)
	}
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, missing, err := LoadDraft(r.file)
	if err != nil || len(missing) == 0 {
		t.Fatalf("%v, %d things to be registered, want some", err, len(missing))
	}
	r.cfg = cfg
	return r
}

// unmeasured is a table with a load cell at a spot and a scale in a seat's node that nobody has calibrated.
func unmeasured(t *testing.T) *rig {
	cell := t.TempDir()
	return newDraft(t, func(text string) string {
		return text + fmt.Sprintf("\n[[devices]]\nname = \"cell\"\nkind = \"load-cell\"\npath = %q\n", cell) +
			"[[scales]]\nzone = \"spot 1\"\ndevice = \"cell\"\nfile = \"spot-1.toml\"\n[[scales]]\nzone = \"stack 2\"\nfile = \"stack-2.toml\"\n"
	})
}

// A scale that nobody has calibrated is: zero, span, drift, and chips of two kinds, two of which are laid on at once. Then it
// tells piles of them.
func TestScaleIsCalibrated(t *testing.T) {
	t.Parallel()
	for _, zone := range []engine.Zone{{Kind: engine.ZoneSpot, Seat: 1}, {Kind: engine.ZoneStack, Seat: 2}} {
		t.Run(zone.String(), func(t *testing.T) {
			t.Parallel()
			r := unmeasured(t)
			table := r.hardware()
			lay := func(mg int64) {
				t.Helper()
				if err := table.Weigh(zone, mg); err != nil {
					t.Fatal(err)
				}
			}
			lay(0)
			s := r.calibrate(t, "scale", "--zone", zone.String(), "--mass", "500", "--worth", "1=3,25=2", "--pieces", "5")
			for _, mg := range []int64{0, 500_000, 0} {
				s.await("Is it done?")
				lay(mg)
				s.say("")
				s.await("Is that still enough?")
				s.say("")
			}
			on := func(mg int64, said string) {
				t.Helper()
				lay(mg)
				s.await(said)
			}
			s.await("Is it done?")
			s.say("")
			s.await("Now lay 3 chips worth 1")
			on(10_000, "1 of 3  10.000 g")
			on(29_950, "want one chip at a time")
			on(19_950, "2 of 3  9.950 g")
			on(0, "19.9 g were taken off")
			on(30_000, "3 of 3  10.050 g")
			s.say("")
			lay(0)
			s.await("Is it done?")
			s.say("")
			s.await("Now lay 2 chips worth 25")
			on(13_500, "1 of 2")
			on(27_000, "2 of 2  13.500 g")
			s.say("")
			s.await("[save, abort]")
			s.say("save")
			s.ends(0)
			r.counts(t, zone)
		})
	}
}

// counts wants that what was calibrated tells chips.
func (r *rig) counts(t *testing.T, zone engine.Zone) {
	t.Helper()
	cfg, _, err := LoadDraft(r.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cfg.Scales {
		if c.Zone != zone {
			continue
		}
		if amount, pieces, err := c.Count(c.Weight(84_000 + (30_000+27_000)*2/5)); err != nil || amount != 53 || pieces != 5 {
			t.Errorf("3 chips worth 1 and 2 worth 25 are %d in %d, %v", amount, pieces, err)
		}
		if c.Zero != 84_000 || c.Mark != 284_000 || c.Known != 500_000 || c.Kinds[0].Weight != 10_000 || c.Kinds[0].Tolerance != 50 {
			t.Errorf("it was measured as %+v", c.Scale)
		}
	}
	if cert := r.certificate("scale"); cert.Verdict != calibration.Pass {
		t.Errorf("certificate %+v", cert)
	}
}

// A scale on which the known mass was never laid is not calibrated, and neither is one that cannot tell the chips apart.
func TestScaleThatCannotBeCalibrated(t *testing.T) {
	t.Parallel()
	r := unmeasured(t)
	table := r.hardware()
	zone := engine.Zone{Kind: engine.ZoneSpot, Seat: 1}
	lay := func(mg int64) {
		t.Helper()
		if err := table.Weigh(zone, mg); err != nil {
			t.Fatal(err)
		}
	}
	lay(0)
	s := r.calibrate(t, "scale", "--zone", "spot 1", "--mass", "500", "--worth", "1")
	for range 2 {
		s.await("Is it done?")
		s.say("")
		s.await("Is that still enough?")
		s.say("")
	}
	s.ends(1)
	if !strings.Contains(s.errs.String(), "was it laid on") {
		t.Errorf("it says %s", &s.errs)
	}
	s = r.calibrate(t, "scale", "--zone", "spot 1", "--mass", "500", "--worth", "1=1,5=1")
	for _, mg := range []int64{0, 500_000, 0} {
		s.await("Is it done?")
		lay(mg)
		s.say("")
		s.await("Is that still enough?")
		s.say("")
	}
	for range 2 {
		lay(0)
		s.await("Is it done?")
		s.say("")
		s.await("Now lay")
		lay(10_000)
		s.await("1 of 1")
		s.say("")
	}
	s.await("fail  chips that are told in any mix")
	s.ends(1)
	if _, err := os.Stat(filepath.Join(filepath.Dir(r.file), "spot-1.toml")); err == nil {
		t.Error("it was written all the same")
	}
}

// Two pads whose antennas are swapped, and a neighbour that sees a card, are found by laying a card on each place; and the
// certificate fails. Put right, everything passes, cards at rest too.
func TestPadsAreTested(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 0})
	table := r.hardware()
	lay := func(zone string, tags ...string) {
		t.Helper()
		z, err := engine.ParseZone(zone)
		if err == nil {
			err = table.Lay(z, tags...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	a, b := freshTag(4, 1), freshTag(4, 2)
	s := r.calibrate(t, "pads", "--zone", "seat 1", "--zone", "seat 2", "--zone", "board", "--looks", "3", "--stack", "1", "--dwell", "0s")
	s.await("Lay 1 card on seat 1")
	lay("seat 2", a)
	s.say("")
	s.await("seen best by the antenna that the configuration has for seat 2")
	s.say("")
	s.await("Lay 1 card on seat 2")
	lay("seat 2")
	lay("seat 1", a)
	s.say("")
	s.await("seen best by the antenna that the configuration has for seat 1")
	s.say("")
	s.await("Lay 1 card on board")
	lay("seat 1")
	lay("board", a)
	lay("burn", a) // whose antenna sees it, too
	s.say("")
	if said := s.await("RSSI"); !strings.Contains(said, "100 % of ") || !strings.Contains(said, "RSSI not told by this reader") {
		t.Errorf("it says %s", said)
	}
	s.say("")
	s.await(`zones = ["board", "burn", "muck", "seat 2", "seat 1", "seat 3"]`)
	s.await("fail  board, 1 card: looks of other antennas")
	s.ends(1)
	if cert := r.certificate("pads"); cert.Verdict != calibration.Fail {
		t.Errorf("certificate %+v", cert)
	}
	lay("board")
	lay("burn")
	s = r.calibrate(t, "pads", "--zone", "seat 1", "--zone", "seat 2", "--looks", "3", "--dwell", "100ms")
	for _, zone := range []string{"seat 1", "seat 2"} {
		s.await("Lay 1 card on " + zone)
		lay(zone, a)
		s.say("")
		s.await("100 % of ")
		s.say("")
		s.await("Lay 2 cards on top of each other on " + zone)
		lay(zone, a, b)
		s.say("")
		s.await("100 % of ")
		s.say("")
		lay(zone)
	}
	s.await("Lay one card on each of: seat 1, seat 2")
	lay("seat 1", a)
	lay("seat 2", b)
	s.say("")
	s.ends(0)
	if cert := r.certificate("pads"); cert.Verdict != calibration.Pass {
		t.Errorf("certificate %+v", cert)
	}
}

// Every key of a panel is pressed: one is another than was asked for, and one bounces. A panel whose display a person finds
// fault with does not pass.
func TestPanelsAreTested(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 2})
	table := r.hardware()
	s := r.calibrate(t, "panel", "--seat", "2")
	node := table.Panel(2)
	shows := func(text string) {
		t.Helper()
		if _, err := node.Await(t.Context(), func(d sim.Display) bool { return strings.Contains(d.Text, text) }); err != nil {
			t.Fatal(err)
		}
	}
	s.await("Is that so?")
	shows("Seat 2")
	s.say("yes")
	press := func(k bridge.Key) { node.Hold(k); node.LetGo(k) }
	for _, k := range panelKeys() {
		s.await("Press it once")
		shows("press " + k.String())
		switch k {
		case bridge.KeyMuck:
			s.say("skip")
			continue
		case bridge.KeyBet:
			press(bridge.KeyFold)
			s.await("that was fold of seat 2")
		case bridge.KeyShow:
			press(k)
		}
		press(k)
		s.await("key " + k.String() + ": times it went down")
	}
	s.ends(1)
	failed := map[string]bool{}
	for _, v := range r.certificate("panel").Values {
		if v.Verdict == calibration.Fail {
			failed[v.What] = true
		}
	}
	if len(failed) != 2 || !failed["seat 2, key bet: another key went down"] || !failed["seat 2, key show: times it went down"] {
		t.Errorf("failed: %v", failed)
	}
}
