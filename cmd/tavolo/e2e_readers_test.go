package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
