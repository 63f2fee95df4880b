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
	"tavolo/controller/mqtt"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/sim"
	"tavolo/engine/card"
)

// The lines of a shoe's contacts.
const (
	gateLine = iota
	lidLine
)

// passage is a card on its way out of the shoe, which waits until out is told whether it got there.
type passage struct {
	card card.Card
	read func(card.Card) error
	out  chan error
}

// passages has every card wait for the test before it leaves the shoe.
func passages(t *testing.T) (<-chan passage, simtable.Mouth) {
	c := make(chan passage)
	return c, func(next card.Card, read func(card.Card) error) error {
		p := passage{next, read, make(chan error, 1)}
		select {
		case c <- p:
		case <-t.Context().Done():
			return nil
		}
		select {
		case err := <-p.out:
			return err
		case <-t.Context().Done():
			return nil
		}
	}
}

// troubleAtTheShoe plays a hand from a shoe with gate, lid and an antenna at the next card, which set opens and closes. In the
// deal a card is stuck and leaves unread, the lid is opened, two cards leave at once, and the shoe is empty: each time the
// table stops and says so, and goes on when the dealer has put it right. The hand ends as if nothing had been.
func troubleAtTheShoe(t *testing.T, set func(line int, open bool), wired ...func(*daemon)) {
	const nextAntenna = 1
	r := scripted(t, "straddle.phh", 0, func(text string) string {
		text = strings.Replace(text, `zones = ["board", `, `zones = ["next", "board", `, 1)
		return text + "[[devices]]\nname = \"shoe-contacts\"\nkind = \"gpio-shoe\"\ngate = \"SHOE_GATE\"\nlid = \"SHOE_LID\"\njam = \"1s\"\n"
	})
	d := r.daemon(wired...)
	w := r.watch(d.brokerURL())
	cards, mouth := passages(t)
	var pads *sim.Pepper
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		o.Mouth = mouth
		o.Pace.Deal = 600 * time.Millisecond // the gate is open for no time: a late reading is still nearest to its own card
		i := slices.IndexFunc(o.Devices, func(d simtable.Device) bool { return filepath.Base(d.Path) == "pads-a" })
		pty, err := sim.NewPTY(o.Devices[i].Path)
		if err != nil {
			t.Fatal(err)
		}
		pads = sim.NewPepper(pty, sim.PepperOptions{})
		o.Devices[i].Reader = pads
	})
	held := func(why string) {
		t.Helper()
		w.await("the table waits: "+why, func(s *seen) bool {
			return slices.Equal(s.state().Holds, []string{"the shoe: " + why}) && s.prompt.Instruction.Kind != "hole"
		})
	}
	asked := func(code string) {
		t.Helper()
		w.await("the dealer is asked: "+code, func(s *seen) bool {
			is := func(p controller.Prompt) bool { return p.Code == code }
			return slices.ContainsFunc(s.prompt.Prompts, is) && s.prompt.Instruction.Kind == "settle"
		})
	}
	freed := func() {
		t.Helper()
		w.await("nothing is to be waited for", func(s *seen) bool { return len(s.state().Holds) == 0 })
	}
	leaves := func(p passage, others ...card.Card) {
		t.Helper()
		set(gateLine, true)
		for _, c := range append([]card.Card{p.card}, others...) {
			if err := p.read(c); err != nil {
				t.Fatal(err)
			}
		}
		set(gateLine, false)
		if len(others) > 0 {
			asked("two_cards")
		}
		p.out <- nil
	}
	next := func() passage {
		t.Helper()
		select {
		case p := <-cards:
			return p
		case <-ended:
			t.Fatal("the hand is over")
		case <-time.After(patience):
			w.await("a card is to be dealt", func(*seen) bool { return false })
		}
		return passage{}
	}

	w.await("the contacts are watched", func(s *seen) bool { return s.devices["shoe-contacts"].State == mqtt.StateUp })
	set(gateLine, false)
	set(lidLine, false)
	leaves(next())

	p := next()
	set(gateLine, true)
	held("a card is jammed in the mouth")
	set(gateLine, false)
	asked("unread_card")
	leaves(p)

	p = next()
	set(lidLine, true)
	held("the lid is open")
	asked("shoe_opened")
	set(lidLine, false)
	freed()
	leaves(p)

	leaves(next(), card.MustParse("Qd")...)

	p = next()
	tag := r.cfg.Deck.Tags()[p.card]
	pads.Remove(nextAntenna, tag)
	asked("shoe_empty")
	if err := pads.Place(nextAntenna, tag); err != nil {
		t.Fatal(err)
	}
	w.await("the dealer is asked nothing", func(s *seen) bool { return len(s.prompt.Prompts) == 0 })
	leaves(p)

	for over := false; !over; {
		select {
		case p := <-cards:
			leaves(p)
		case <-ended:
			over = true
		}
	}
	r.endsAsRecorded(w)
	r.agrees(w)
}

func TestTroubleAtTheShoe(t *testing.T) {
	t.Parallel()
	lines := sim.NewLines()
	troubleAtTheShoe(t, lines.Set, func(d *daemon) {
		d.lines = func(_ string, names []string) (gpiocdev.Lines, error) {
			if !slices.Equal(names, []string{"SHOE_GATE", "SHOE_LID"}) {
				return nil, fmt.Errorf("no lines %v", names)
			}
			return lines.Open()
		}
	})
}

// A hand is dealt from another of the table's decks than the one it knows to be in play: the dealer is asked once, and it is
// the one in play.
func TestTheDeckWasChanged(t *testing.T) {
	t.Parallel()
	spare := strings.NewReplacer("demo deck", "spare deck", "E004015000DE", "E004015000DF").Replace(demoDeck())
	file := filepath.Join(t.TempDir(), "spare.toml")
	if err := os.WriteFile(file, []byte(spare), 0o600); err != nil {
		t.Fatal(err)
	}
	r := scripted(t, "straddle.phh", 0, func(text string) string {
		return strings.Replace(text, "[deck]", fmt.Sprintf("[deck]\nspares = [%q]", file), 1)
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) { o.Tags = r.cfg.Spares[0].Tags() })
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
	w.look(func(s *seen) {
		asked := map[int]bool{}
		for _, p := range on[mqtt.PromptPayload](t, s, r.cfg.Topics.Prompt("dealer")) {
			for _, prompt := range p.Prompts {
				if prompt.Code == "other_deck" {
					asked[prompt.ID] = true
				}
			}
		}
		if len(asked) != 1 {
			t.Errorf("the dealer was asked %d times", len(asked))
		}
	})
}
