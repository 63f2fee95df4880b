package calibration

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// shoeHeard notes what a shoe tells, beside the facts of its watch.
type shoeHeard struct{ *heard }

func (h shoeHeard) ShoeIs(_ context.Context, c Condition, left int) { h.say("%d left, %v", left, c) }
func (h shoeHeard) UnreadLeft(context.Context)                      { h.say("unread left") }

// bench is a shoe with a clock.
type bench struct {
	*Shoe
	t   *testing.T
	h   *heard
	now time.Time
}

func newBench(t *testing.T, o ShoeOptions) *bench {
	t.Helper()
	w, h := watch(t)
	return &bench{NewShoe(w, shoeHeard{h}, o), t, h, time.Date(2026, 1, 1, 20, 0, 0, 0, time.UTC)}
}

// mouth sees tags at the mouth for so many milliseconds, every 10.
func (b *bench) sees(ms int, tags ...string) {
	for ; ms > 0; ms -= 10 {
		b.Mouth(b.t.Context(), tags, b.now)
		b.now = b.now.Add(10 * time.Millisecond)
	}
}

func (b *bench) ahead(looks int, tags ...string) {
	for range looks {
		b.Ahead(b.t.Context(), tags, true, b.now)
	}
}

func (b *bench) gate(open bool) { b.Gate(b.t.Context(), open, b.now) }
func (b *bench) lid(open bool)  { b.Lid(b.t.Context(), open, b.now) }

func (b *bench) expect(want ...string) {
	b.t.Helper()
	expect(b.t, b.h, want...)
}

func TestShoeCountsCards(t *testing.T) {
	b := newBench(t, ShoeOptions{Cards: 2})
	b.sees(50)
	b.expect("0 left, ready")
	b.sees(100, aceTag)
	b.sees(400)
	b.expect("As left", "1 left, ready")
	b.sees(100, kingTag)
	b.sees(10) // is not seen once
	b.sees(100, kingTag)
	b.sees(400)
	b.expect("Kd left", "2 left, empty")
}

func TestShoeIsJammed(t *testing.T) {
	for _, gate := range []bool{true, false} {
		b := newBench(t, ShoeOptions{Cards: 52, Gate: gate, Jam: 2 * time.Second})
		b.gate(true)
		b.sees(1900, aceTag)
		b.expect("0 left, ready", "As left", "1 left, ready")
		b.sees(500, aceTag)
		b.expect("1 left, a card is jammed in the mouth")
		b.gate(false)
		b.sees(400)
		b.expect("1 left, ready")
	}
}

// A card that is stuck without its tag being read is jammed too, and once it is free it has left unread.
func TestShoeIsJammedUnread(t *testing.T) {
	b := newBench(t, ShoeOptions{Cards: 52, Gate: true})
	b.sees(10)
	b.expect("0 left, ready")
	b.gate(true)
	b.Tick(t.Context(), b.now.Add(4*time.Second))
	b.expect("0 left, a card is jammed in the mouth")
	b.now = b.now.Add(5 * time.Second)
	b.gate(false)
	b.expect("0 left, ready")
	b.sees(500)
	b.expect("unread left", "1 left, ready")
}

func TestTwoCardsAtOnce(t *testing.T) {
	b := newBench(t, ShoeOptions{Cards: 52, Ahead: true})
	b.ahead(1, kingTag)
	b.expect("0 left, ready")
	b.sees(50, aceTag, kingTag)
	b.expect("Kd left", "As left", "2 left, two cards left at once") // the king waited in front
	b.sees(400)
	b.expect("2 left, ready")
}

// Two that the reader tells apart are two all the same if the gate was open once.
func TestTwoCardsThroughTheGate(t *testing.T) {
	b := newBench(t, ShoeOptions{Cards: 52, Gate: true})
	b.gate(true)
	b.sees(100, aceTag)
	b.sees(100, kingTag)
	b.gate(false)
	b.expect("0 left, ready", "As left", "1 left, ready", "Kd left", "2 left, ready")
	b.sees(310, kingTag) // has left the gate, and lies before the mouth
	b.expect("2 left, two cards left at once")
	b.sees(400)
	b.expect("2 left, ready")
}

func TestShoeIsLoaded(t *testing.T) {
	b := newBench(t, ShoeOptions{Cards: 52, Lid: true, Ahead: true})
	b.lid(false)
	b.ahead(1, aceTag)
	b.sees(50, aceTag)
	b.expect("0 left, ready", "As left", "1 left, ready")
	b.ahead(1, kingTag)
	b.sees(400)

	b.lid(true) // with a card in it
	b.expect("1 left, the lid is open")
	b.lid(false)
	b.expect("-1 left, it was opened with cards in it: empty it and load it anew")
	b.lid(true)
	b.expect("-1 left, the lid is open")
	b.ahead(emptyLooks) // is emptied
	b.ahead(1, aceTag)
	b.lid(false)
	b.expect("0 left, ready")

	b.ahead(emptyLooks)
	b.expect("0 left, empty")
	b.lid(true) // with none in it
	b.ahead(1, aceTag)
	b.lid(false)
	b.expect("0 left, the lid is open", "0 left, ready")
}

// A look ahead that is not whole says nothing of what it lacks, and one that misses a card no more.
func TestShoeIsNotEmptyOverAMiss(t *testing.T) {
	b := newBench(t, ShoeOptions{Cards: 52, Ahead: true})
	b.ahead(1, aceTag)
	b.expect("0 left, ready")
	for range 5 {
		b.ahead(emptyLooks - 1)
		b.ahead(1, aceTag)
		for range 5 {
			b.Ahead(t.Context(), nil, false, b.now)
		}
	}
	b.expect()
}

// Whatever order things come in, a shoe tells only changes, and as many cards left as it read or missed.
func TestShoeTellsChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, ShoeOptions{Cards: 52, Gate: true, Lid: rapid.Bool().Draw(rt, "lid"), Ahead: rapid.Bool().Draw(rt, "ahead")})
		last, left, lid := "", 0, false
		for range rapid.IntRange(1, 100).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				b.gate(rapid.Bool().Draw(rt, "gate open"))
			case 1:
				open := rapid.Bool().Draw(rt, "lid open")
				if lid && !open {
					left = 0
				}
				lid = open
				b.lid(open)
			case 2:
				b.ahead(1, rapid.SampledFrom([][]string{nil, {aceTag}, {kingTag}}).Draw(rt, "ahead sees")...)
			default:
				b.sees(rapid.IntRange(1, 50).Draw(rt, "looks")*10, rapid.SampledFrom([][]string{nil, {aceTag}, {kingTag}, {aceTag, kingTag}}).Draw(rt, "mouth sees")...)
			}
			for _, fact := range b.h.since() {
				var n int
				if _, err := fmt.Sscanf(fact, "%d left, ", &n); err != nil { // a card
					left++
					continue
				}
				if fact == last {
					rt.Fatalf("told %q twice", fact)
				}
				if n != left && n != -1 {
					rt.Fatalf("told %q after %d cards", fact, left)
				}
				last = fact
			}
		}
	})
}
