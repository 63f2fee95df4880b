package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller"
	"tavolo/engine"
)

// kinds makes the devices of a configuration other kinds, by their kinds before.
func kinds(before ...string) func(string) string {
	return func(text string) string { return strings.NewReplacer(before...).Replace(text) }
}

// A hand is played with FEIG readers in the shoe and under the felt, the shoe's neighbour to the pads, so that they take
// turns.
func TestHandWithFeigReaders(t *testing.T) {
	t.Parallel()
	const feig = "kind = \"feig\"\nair = [\"table\"]\n"
	r := scripted(t, "omaha.phh", 1, kinds("kind = \"pepper-c1\"\n", feig, "kind = \"pepper-c1-mux\"\n", feig+"advanced = true\n"))
	for _, d := range r.cfg.Devices[:2] {
		if d.Kind != "feig" || len(d.Air) != 1 {
			t.Fatalf("device %+v", d)
		}
	}
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), nil)
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// typeADeck gives the cards ISO 14443 tags, of type A with 7 bytes.
func typeADeck(t *testing.T) func(string) string {
	t.Helper()
	deck := filepath.Join(t.TempDir(), "deck.toml")
	tags := strings.ReplaceAll(demoDeck(), "E004015000DE", "04A1B2C3DE")
	if err := os.WriteFile(deck, []byte(tags), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(text string) string {
		return strings.Replace(text, "file = \"deck.toml\"", fmt.Sprintf("file = %q", deck), 1)
	}
}

// A hand is played with a PN532 in the shoe and one below each seat's pad, and cards with ISO 14443 tags.
func TestHandWithPN532Readers(t *testing.T) {
	t.Parallel()
	r := scripted(t, "straddle.phh", 1, without("name = \"pads-a\""), typeADeck(t), func(text string) string {
		text = strings.Replace(text, "kind = \"pepper-c1\"", "kind = \"pn532\"", 1)
		for seat := 1; seat <= 4; seat++ {
			text += fmt.Sprintf("\n[[devices]]\nname = \"pad-%[1]d\"\nkind = \"pn532\"\npath = \"dev/pad-%[1]d\"\nzones = [\"seat %[1]d\"]\n", seat)
		}
		return text
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), nil)
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// The dealer button lies at another seat than the hand is played from: that stops the hand, until it is moved to the right one. It is
// no foreign card anywhere (procedures 28).
func TestTheButtonLiesAtAnotherSeat(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "marker.toml")
	const tag = "E0040150B0770001"
	if err := os.WriteFile(marker, fmt.Appendf(nil, "name = \"button 1\"\n[tags]\n%s = \"button\"\n", tag), 0o600); err != nil {
		t.Fatal(err)
	}
	r := scripted(t, "straddle.phh", 1, func(text string) string { return fmt.Sprintf("%s\n[marker]\nfile = %q\n", text, marker) })
	d := r.daemon()
	w := r.watch(d.brokerURL())
	table, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		o.Pace.Deal = 600 * time.Millisecond // there is time to be asked before there has been substantial action
	})
	button := engine.Seat(0)
	w.await("the hand has a button", func(s *seen) bool {
		button = s.state().View.Button
		return s.state().View.Phase != engine.Between
	})
	other := button%4 + 1
	lay := func(seat engine.Seat, tags ...string) {
		t.Helper()
		if err := table.Lay(engine.ZoneOf(seat), tags...); err != nil {
			t.Fatal(err)
		}
	}
	lay(other, tag)
	w.await("the marker is asked about", func(s *seen) bool {
		return slices.ContainsFunc(s.prompt.Prompts, func(p controller.Prompt) bool { return p.Code == "button_at" })
	})
	lay(other)
	lay(button, tag)
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// Every place is read anew in the middle of a hand: the readers tell once more what lies there, and the hand goes on.
func TestPlacesAreReadAnewInAHand(t *testing.T) {
	t.Parallel()
	r := scripted(t, "straddle.phh", 1)
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), nil)
	w.await("the board has cards", func(s *seen) bool { return len(s.state().View.Board) > 0 })
	eventually(t, "the readings that wait leave room", func() bool { return d.rescan(engine.Zone{}) })
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}
