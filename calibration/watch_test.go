package calibration

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tavolo/engine"
	"tavolo/engine/card"
)

// heard notes facts as words.
type heard struct{ facts []string }

func (h *heard) say(format string, args ...any) {
	h.facts = append(h.facts, fmt.Sprintf(format, args...))
}

func (h *heard) CardLeft(_ context.Context, c card.Card)    { h.say("%v left", c) }
func (h *heard) StrangerLeft(_ context.Context, tag string) { h.say("%s left", tag) }
func (h *heard) OtherDeckLeft(_ context.Context, deck string, c card.Card) {
	h.say("%v of %s left", c, deck)
}

func (h *heard) CardPlaced(_ context.Context, z engine.Zone, c card.Card) { h.say("%v at %v", c, z) }

func (h *heard) CardGone(_ context.Context, z engine.Zone, c card.Card) { h.say("%v off %v", c, z) }

func (h *heard) StrangerPlaced(_ context.Context, z engine.Zone, tag string) {
	h.say("%s at %v", tag, z)
}

func (h *heard) StrangerGone(_ context.Context, z engine.Zone, tag string) {
	h.say("%s off %v", tag, z)
}

func (h *heard) AtTwo(_ context.Context, _ string, c card.Card, first, second engine.Zone) {
	if first.Kind == 0 {
		h.say("%v at one place", c)
		return
	}
	h.say("%v at %v and %v", c, first, second)
}

// since gives what was heard since the last call.
func (h *heard) since() []string {
	out := h.facts
	h.facts = nil
	return out
}

func zones(t *testing.T, names ...string) []engine.Zone {
	t.Helper()
	var out []engine.Zone
	for _, n := range names {
		z, err := engine.ParseZone(n)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, z)
	}
	return out
}

const (
	aceTag   = "E004015000000001"
	kingTag  = "E004015000000002"
	ghostTag = "E004015000FFFFFF"
)

func watch(t *testing.T) (*Watch, *heard) {
	t.Helper()
	deck, err := LoadDeck("deck.toml", []byte("name = \"two\"\n[tags]\n"+aceTag+" = \"As\"\n"+kingTag+" = \"Kd\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	h := &heard{}
	return NewWatch(deck, h, Debounce{Seen: 2, Of: 3, Missed: 2, Rearm: 300 * time.Millisecond}), h
}

func expect(t *testing.T, h *heard, want ...string) {
	t.Helper()
	if got := h.since(); !slices.Equal(got, want) {
		t.Fatalf("heard %q, want %q", got, want)
	}
}

func TestATagLiesWhereItIsSeenTwice(t *testing.T) {
	w, h := watch(t)
	z := zones(t, "seat 3")[0]
	w.Scanned(t.Context(), z, []string{aceTag}, false)
	expect(t, h) // once may be a ghost
	w.Scanned(t.Context(), z, nil, false)
	w.Scanned(t.Context(), z, []string{aceTag}, false)
	expect(t, h, "As at seat 3") // two of three
	w.Scanned(t.Context(), z, []string{aceTag, ghostTag}, false)
	w.Scanned(t.Context(), z, []string{aceTag, ghostTag}, false)
	expect(t, h, ghostTag+" at seat 3")
}

func TestOneMissIsNoDeparture(t *testing.T) {
	w, h := watch(t)
	z := zones(t, "board")[0]
	for range 2 {
		w.Scanned(t.Context(), z, []string{aceTag}, false)
	}
	expect(t, h, "As at board")
	for range 5 {
		w.Scanned(t.Context(), z, nil, false)
		w.Scanned(t.Context(), z, []string{aceTag}, false)
	}
	w.Scanned(t.Context(), z, nil, true) // a partial scan says nothing of what it lacks
	w.Scanned(t.Context(), z, nil, true)
	expect(t, h)
	w.Scanned(t.Context(), z, nil, false)
	w.Scanned(t.Context(), z, nil, false)
	expect(t, h, "As off board")
}

func TestANeighbourDoesNotStealACard(t *testing.T) {
	w, h := watch(t)
	z := zones(t, "seat 1", "seat 2")
	for range 2 {
		w.Scanned(t.Context(), z[0], []string{aceTag}, false)
	}
	expect(t, h, "As at seat 1")
	for range 5 {
		w.Scanned(t.Context(), z[0], []string{aceTag}, false)
		w.Scanned(t.Context(), z[1], []string{aceTag}, false)
	}
	expect(t, h)
	for range 3 { // the card is moved over
		w.Scanned(t.Context(), z[0], nil, false)
		w.Scanned(t.Context(), z[1], []string{aceTag}, false)
	}
	expect(t, h, "As off seat 1", "As at seat 2")
}

func TestAPassOfTheShoeIsOne(t *testing.T) {
	w, h := watch(t)
	now := time.Date(2026, 1, 1, 20, 0, 0, 0, time.UTC)
	for _, ms := range []int{0, 100, 350, 600} { // never out of the field for 300 ms
		w.Passed(t.Context(), aceTag, now.Add(time.Duration(ms)*time.Millisecond))
	}
	w.Passed(t.Context(), kingTag, now)
	w.Passed(t.Context(), ghostTag, now)
	expect(t, h, "As left", "Kd left", ghostTag+" left")
	w.Passed(t.Context(), aceTag, now.Add(901*time.Millisecond))
	expect(t, h, "As left")
}

// Fault 21: whatever the antennas see, a tag is placed and gone in turn, in one zone at a time.
func TestATagIsInOnePlace(t *testing.T) {
	all := zones(t, "seat 1", "seat 2", "board")
	rapid.Check(t, func(rt *rapid.T) {
		w, h := watch(t)
		at := ""
		for range rapid.IntRange(1, 200).Draw(rt, "scans") {
			z := rapid.SampledFrom(all).Draw(rt, "zone")
			var seen []string
			if rapid.Bool().Draw(rt, "seen") {
				seen = []string{aceTag}
			}
			w.Scanned(t.Context(), z, seen, false)
			for _, fact := range h.since() {
				if fact == "As at "+z.String() && at == "" {
					at = z.String()
				} else if fact == "As off "+at && at == z.String() {
					at = ""
				} else {
					rt.Fatalf("%q while the ace lies at %q", fact, at)
				}
			}
		}
	})
}

// Fault 25: however a card was seen before, it is told to be gone by the second scan of its place that does not see it, and
// by the first that does not only if there was one before.
func TestRemovalIsToldAfterTwoScans(t *testing.T) {
	at := zones(t, "seat 1")[0]
	rapid.Check(t, func(rt *rapid.T) {
		w, h := watch(t)
		var lies, missed bool
		scan := func(seen bool) {
			var tags []string
			if seen {
				tags = []string{aceTag}
			}
			w.Scanned(t.Context(), at, tags, false)
			for _, fact := range h.since() {
				gone := fact == "As off seat 1"
				if gone && (seen || !missed) {
					rt.Fatal("gone after one scan that did not see it")
				}
				lies = !gone
			}
			missed = !seen
		}
		for range rapid.IntRange(0, 50).Draw(rt, "scans before") {
			scan(rapid.Bool().Draw(rt, "seen"))
		}
		scan(false)
		scan(false)
		if lies {
			rt.Fatal("not gone after two scans that did not see it")
		}
	})
}

// Fault 20: a card that lies next to a zone is not in it, though its antenna sees it twice in three scans: the antenna where it lies
// sees it too.
func TestGhostsDoNotComeFirst(t *testing.T) {
	w, h := watch(t)
	z := zones(t, "seat 1", "seat 2")
	round := func(ghost bool) {
		var tags []string
		if ghost {
			tags = []string{aceTag}
		}
		w.Scanned(t.Context(), z[1], tags, false)
		w.Scanned(t.Context(), z[0], []string{aceTag}, false)
	}
	for _, ghost := range []bool{true, true, false, false} {
		round(ghost)
		expect(t, h) // nobody knows yet
	}
	round(false)
	expect(t, h, "As at seat 1")
}

// Tags that were read wrong are forgotten, or a long night would fill the memory with them.
func TestStrangersAreForgotten(t *testing.T) {
	w, h := watch(t)
	z := zones(t, "board")[0]
	for i := range 1000 {
		w.Scanned(t.Context(), z, []string{fmt.Sprintf("E0040150%08X", i)}, false)
	}
	if n := len(w.tags); n > 3 {
		t.Errorf("%d tags are remembered", n)
	}
	expect(t, h)
}

// A card that two antennas see on and on is asked about; one that is moved, or a ghost now and then, is not. What a person says of
// it counts for as long as it lies there.
func TestACardAtTwoPlaces(t *testing.T) {
	w, h := watch(t)
	w.by = newLying(Debounce{}).by
	z := zones(t, "seat 1", "seat 2")
	scan := func(n int, first, second bool) {
		for range n {
			for i, seen := range []bool{first, second} {
				var tags []string
				if seen {
					tags = []string{aceTag}
				}
				w.Scanned(t.Context(), z[i], tags, false)
			}
		}
	}
	scan(3, true, false)
	expect(t, h, "As at seat 1")
	for range 20 { // a ghost
		scan(2, true, true)
		scan(2, true, false)
	}
	scan(5, false, true) // a move
	expect(t, h, "As off seat 1", "As at seat 2")
	scan(5, true, false)
	expect(t, h, "As off seat 2", "As at seat 1")
	scan(8, true, true)
	expect(t, h)
	scan(5, true, true)
	expect(t, h, "As at seat 1 and seat 2")
	scan(3, true, false)
	expect(t, h, "As at one place")
	scan(20, true, true)
	expect(t, h, "As at seat 1 and seat 2")
	w.Lies(t.Context(), aceTag, z[1])
	expect(t, h, "As off seat 1", "As at seat 2", "As at one place")
	scan(20, true, true)
	expect(t, h)
	scan(3, true, false) // it lies there no longer
	scan(3, true, false)
	expect(t, h, "As off seat 2", "As at seat 1")
	scan(20, true, true)
	expect(t, h, "As at seat 1 and seat 2")
	w.Forget(t.Context(), z[1])
	expect(t, h, "As off seat 1", "As at one place")
	scan(20, true, true) // from the first on: it lies at neither
	expect(t, h, "As at seat 1 and seat 2")
	w.Lies(t.Context(), aceTag, z[0])
	expect(t, h, "As at seat 1", "As at one place")
	w.Lies(t.Context(), kingTag, z[0]) // which nobody sees
	expect(t, h)
}

// A card is not kept from its place by a neighbour whose reader was lost, or cannot list all that lies there, since it saw it.
func TestANeighbourThatSaysNothingMoreGivesWay(t *testing.T) {
	for name, silent := range map[string]func(*Watch, engine.Zone){
		"lost":    func(*Watch, engine.Zone) {},
		"partial": func(w *Watch, z engine.Zone) { w.Scanned(t.Context(), z, nil, true) },
	} {
		t.Run(name, func(t *testing.T) {
			w, h := watch(t)
			w.by = newLying(Debounce{}).by
			z := zones(t, "seat 1", "seat 2")
			w.Scanned(t.Context(), z[1], []string{aceTag}, false)
			for range 2 * w.by.Of {
				expect(t, h)
				w.Scanned(t.Context(), z[0], []string{aceTag}, false)
				silent(w, z[1])
			}
			expect(t, h, "As at seat 1")
		})
	}
}

// A card that lies nowhere, since one antenna sees it too rarely, or a neighbour sees it again and again, is asked about after some
// scans, and goes where a person says that it lies; chips that come and go are for their pile to tell of.
func TestACardThatIsNotSeenSurely(t *testing.T) {
	for name, scan := range map[string]func(w *Watch, z []engine.Zone, i int){
		"too rarely": func(w *Watch, z []engine.Zone, i int) {
			w.Scanned(t.Context(), z[0], [][]string{{aceTag}, nil}[i%2], false)
		},
		"by others too": func(w *Watch, z []engine.Zone, i int) {
			w.Scanned(t.Context(), z[1], [][]string{{aceTag}, nil, nil}[i%3], false)
			w.Scanned(t.Context(), z[0], []string{aceTag}, false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, h := watch(t)
			w.by = newLying(Debounce{}).by
			z := zones(t, "seat 1", "seat 2")
			n := 0
			for len(h.facts) == 0 && n < 20 {
				scan(w, z, n)
				n++
			}
			if expect(t, h, "As at seat 1 and "); n < w.by.Both/2 {
				t.Errorf("asked about after %d scans", n)
			}
			w.Lies(t.Context(), aceTag, engine.Zone{Kind: engine.ZoneBoard})
			expect(t, h, "As at seat 1 and ") // still
			w.Lies(t.Context(), aceTag, z[0])
			expect(t, h, "As at seat 1", "As at one place")
		})
	}
}

// What a zone is said to hold is forgotten, and told anew when it is seen; other zones keep theirs. A tag that two zones
// see lies in none, until it is away from one of them and that has been forgotten.
func TestForget(t *testing.T) {
	w, h := watch(t)
	z := zones(t, "seat 3", "seat 4")
	both := func(of3, of4 []string) {
		w.Scanned(t.Context(), z[0], of3, false)
		w.Scanned(t.Context(), z[1], of4, false)
	}
	for range 2 {
		both([]string{aceTag}, []string{kingTag})
	}
	expect(t, h, "As at seat 3", "Kd at seat 4")
	w.Forget(t.Context(), z[0])
	expect(t, h, "As off seat 3")
	both([]string{aceTag}, []string{kingTag})
	expect(t, h)
	both([]string{aceTag}, []string{kingTag})
	expect(t, h, "As at seat 3")
	w.Forget(t.Context(), engine.Zone{})
	expect(t, h, "As off seat 3", "Kd off seat 4")

	for range 4 {
		both([]string{aceTag}, []string{aceTag})
	}
	expect(t, h)
	w.Forget(t.Context(), z[1])
	for range 2 {
		both([]string{aceTag}, nil)
	}
	expect(t, h, "As at seat 3")
}

// Another deck is known by its tags, and taken into play by its name: the cards that lie there are then strangers.
func TestAnotherDeckIsTakenIntoPlay(t *testing.T) {
	_, h := watch(t)
	decks := make([]*Deck, 2)
	for i, text := range []string{"name = \"red\"\n[tags]\n" + aceTag + " = \"As\"\n", "name = \"blue\"\n[tags]\n" + kingTag + " = \"As\"\n"} {
		var err error
		if decks[i], err = LoadDeck("deck.toml", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	w := NewWatch(decks[0], h, Debounce{Seen: 1, Of: 1, Missed: 1}, decks[1])
	ctx, zone := t.Context(), zones(t, "board", "muck")
	w.Passed(ctx, kingTag, time.Now())
	w.Scanned(ctx, zone[0], []string{kingTag}, false)
	w.Scanned(ctx, zone[1], []string{aceTag}, false)
	expect(t, h, "As of blue left", kingTag+" at board", "As at muck")
	w.Change(ctx, "green")
	w.Change(ctx, "red")
	expect(t, h)
	w.Change(ctx, "blue")
	expect(t, h, "As off muck", kingTag+" off board", aceTag+" at muck", "As at board")
	w.Passed(ctx, aceTag, time.Now())
	expect(t, h, "As of red left")
	w.Change(ctx, "red")
	expect(t, h, aceTag+" off muck", "As off board", "As at muck", kingTag+" at board")
}
