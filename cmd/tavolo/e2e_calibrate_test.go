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
	"tavolo/engine"
	"tavolo/engine/card"
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
