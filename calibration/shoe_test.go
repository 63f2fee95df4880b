package calibration

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// shoeHeard notes what a shoe tells, beside the facts of its watch.
type shoeHeard struct{ *heard }

func (h shoeHeard) UnreadLeft(context.Context)  { h.say("unread left") }
func (h shoeHeard) TwoLeft(context.Context)     { h.say("two leave") }
func (h shoeHeard) NotNextLeft(context.Context) { h.say("not the next") }
func (h shoeHeard) ShoeOpened(context.Context)  { h.say("opened") }

func (h shoeHeard) ShoeEmpty(_ context.Context, empty bool) {
	h.say("%s", map[bool]string{true: "empty", false: "not empty"}[empty])
}

func (h shoeHeard) Wait(_ context.Context, name, why string) {
	if why == "" {
		h.say("go on with %s", name)
	} else {
		h.say("wait for %s: %s", name, why)
	}
}

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

// sees sees tags at the mouth for so many milliseconds, every 10.
func (b *bench) sees(ms int, tags ...string) {
	for ; ms > 0; ms -= 10 {
		b.Mouth(b.t.Context(), tags, b.now)
		b.now = b.now.Add(10 * time.Millisecond)
	}
}

func (b *bench) ahead(looks int, tags ...string) {
	for range looks {
		b.Ahead(b.t.Context(), tags, false, b.now)
	}
}

func (b *bench) gate(open bool) {
	if b.o.Gate {
		b.Gate(b.t.Context(), open, false, b.now)
	}
}

func (b *bench) lid(open bool) { b.Lid(b.t.Context(), open, false, b.now) }

func (b *bench) expect(want ...string) {
	b.t.Helper()
	expect(b.t, b.h, want...)
}

func TestCardsLeaveAShoe(t *testing.T) {
	for _, gate := range []bool{true, false} {
		b := newBench(t, ShoeOptions{Gate: gate})
		for _, tag := range []string{aceTag, kingTag, aceTag} {
			b.gate(true)
			b.sees(50, tag)
			b.sees(10) // is not seen once
			b.sees(50, tag)
			b.gate(false)
			b.sees(350)
		}
		b.expect("As left", "Kd left", "As left")
	}
}

// A card on the heels of another is one card all the same, whichever comes first, its tag or the gate.
func TestCardsInARow(t *testing.T) {
	b := newBench(t, ShoeOptions{Gate: true})
	b.gate(true)
	b.sees(80, aceTag)
	b.gate(false)
	b.sees(30)
	b.gate(true)
	b.sees(80, kingTag)
	b.gate(false)
	b.sees(400)
	b.expect("As left", "Kd left")
	b.sees(80, aceTag) // told before the gate's changes
	b.gate(true)
	b.gate(false)
	b.expect("As left")
	b.sees(80, kingTag)
	b.expect() // it may be the second of two
	b.gate(true)
	b.gate(false)
	b.sees(400)
	b.expect("Kd left")
}

// A card that left unread is missed though the next one was read.
func TestAnUnreadCardAmongOthers(t *testing.T) {
	b := newBench(t, ShoeOptions{Gate: true})
	b.gate(true)
	b.gate(false)
	b.gate(true)
	b.sees(80, aceTag)
	b.gate(false)
	b.sees(400)
	b.expect("unread left", "As left")
}

// Nor is it made up for by the second of two that leave right after it, whether they are read before the gate opens for them
// or while it is open.
func TestAnUnreadCardBeforeTwo(t *testing.T) {
	for _, early := range []bool{true, false} {
		b := newBench(t, ShoeOptions{Gate: true})
		b.gate(true)
		b.sees(50)
		b.gate(false)
		b.sees(50)
		if early {
			b.sees(20, aceTag)
		}
		b.gate(true)
		b.sees(50, aceTag)
		b.sees(50, kingTag)
		b.gate(false)
		b.sees(700)
		b.expect("unread left", "As left", "two leave", "Kd left")
	}
}

// A card is held against what waited in front: by two looks, for one may miss it, that were taken since a card left last, for
// before another one was in front.
func TestTheCardThatWasNext(t *testing.T) {
	for _, gate := range []bool{true, false} {
		b := newBench(t, ShoeOptions{Gate: gate, Ahead: true})
		pass := func(tag string, want ...string) {
			t.Helper()
			b.gate(true)
			b.sees(50, tag)
			b.gate(false)
			b.sees(400)
			b.expect(append(want, map[string]string{aceTag: "As left", kingTag: "Kd left"}[tag])...)
		}
		b.ahead(2, aceTag)
		pass(aceTag)
		pass(aceTag) // nobody has looked since
		b.ahead(2, aceTag)
		pass(kingTag) // the ace has left, and is seen for the last time
		b.ahead(1, aceTag)
		pass(kingTag) // one look
		b.ahead(1, aceTag)
		b.ahead(1, kingTag)
		pass(kingTag) // both wait
		b.ahead(2, aceTag)
		pass(kingTag, "not the next")
		b.Ahead(t.Context(), []string{aceTag}, true, b.now)
		b.ahead(1, aceTag)
		pass(kingTag) // not all was seen
	}
}

func TestShoeIsJammed(t *testing.T) {
	for _, gate := range []bool{true, false} {
		b := newBench(t, ShoeOptions{Gate: gate, Jam: 2 * time.Second})
		b.gate(true)
		b.sees(1900, aceTag)
		b.expect("As left")
		b.sees(500, aceTag)
		b.expect("wait for the shoe: a card is jammed in the mouth")
		b.gate(false)
		b.sees(400)
		b.expect("go on with the shoe")
	}
}

// A card that is stuck without its tag being read is jammed too, and once it is free it has left unread.
func TestShoeIsJammedUnread(t *testing.T) {
	b := newBench(t, ShoeOptions{Gate: true})
	b.gate(true)
	b.Tick(t.Context(), b.now.Add(4*time.Second))
	b.expect("wait for the shoe: a card is jammed in the mouth")
	b.now = b.now.Add(5 * time.Second)
	b.gate(false)
	b.expect("go on with the shoe")
	b.sees(500)
	b.expect("unread left")
}

// That two leave is told before either of them where one look sees both for the first time.
func TestTwoCardsAtOnce(t *testing.T) {
	b := newBench(t, ShoeOptions{Ahead: true})
	b.ahead(1, kingTag)
	b.sees(50, aceTag, kingTag)
	b.expect("two leave", "Kd left", "As left") // the king waited in front
}

// Where there is no gate, no dealer is so fast that two cards follow each other that soon.
func TestTwoCardsTooSoon(t *testing.T) {
	b := newBench(t, ShoeOptions{Apart: 300 * time.Millisecond})
	b.sees(50, aceTag)
	b.sees(50, aceTag, kingTag)
	b.sees(400)
	b.sees(50, aceTag)
	b.expect("As left", "two leave", "Kd left", "As left")
	b.sees(400)
	b.sees(20, "E004FFFF")
	b.sees(50, kingTag)
	b.expect("E004FFFF left", "Kd left") // read wrong at first, most likely
}

// A reading that was on its way when the gate closed is that of the card that left, though the gate opens for the next one
// soon after.
func TestALateReadingBeforeTheNextCard(t *testing.T) {
	b := newBench(t, ShoeOptions{Gate: true})
	b.gate(true)
	b.sees(50)
	b.gate(false)
	b.sees(30)
	b.sees(30, aceTag)
	b.sees(60)
	b.gate(true)
	b.expect("As left")
	b.sees(50)
	b.gate(false)
	b.sees(30)
	b.sees(30, kingTag)
	b.sees(700)
	b.expect("Kd left")
}

// Two that the reader tells apart are two all the same if the gate was open once.
func TestTwoCardsThroughTheGate(t *testing.T) {
	for _, between := range []bool{true, false} {
		b := newBench(t, ShoeOptions{Gate: true})
		b.gate(true)
		b.sees(100, aceTag)
		if between {
			b.gate(false)
		}
		b.sees(100, kingTag) // by a reading that was on its way
		b.gate(false)
		b.sees(400)
		b.expect("As left", "two leave", "Kd left")
	}
}

// A tag that is read while nothing passes the gate is not counted with the next.
func TestATagThatNeverLeaves(t *testing.T) {
	b := newBench(t, ShoeOptions{Gate: true})
	b.sees(10, aceTag)
	b.sees(400)
	b.gate(true)
	b.sees(100, kingTag)
	b.gate(false)
	b.sees(400)
	b.expect("As left", "Kd left")
}

// While the lid is open no card is taken, and that it was is told once, though it is closed again before anybody looks.
func TestTheLid(t *testing.T) {
	b := newBench(t, ShoeOptions{})
	b.lid(false)
	b.sees(20)
	b.expect()
	b.lid(true)
	b.lid(true)
	b.expect("opened", "wait for the shoe: the lid is open")
	b.lid(false)
	b.expect("go on with the shoe")
	b.Lid(t.Context(), false, true, b.now)
	b.expect("opened")
}

// A gate whose opening was lost has let something pass.
func TestALostPassage(t *testing.T) {
	b := newBench(t, ShoeOptions{Gate: true})
	b.gate(false)
	b.sees(400)
	b.expect()
	b.Gate(t.Context(), false, true, b.now)
	b.sees(400)
	b.expect("unread left")
}

// A shoe is empty when some looks in a row see nothing. One that is not whole says nothing of what it lacks.
func TestShoeIsEmpty(t *testing.T) {
	b := newBench(t, ShoeOptions{Ahead: true, Gate: true})
	b.ahead(1, aceTag)
	for range 5 {
		b.ahead(emptyLooks - 1)
		b.ahead(1, aceTag)
		for range 5 {
			b.Ahead(t.Context(), nil, true, b.now)
		}
	}
	b.expect()
	b.gate(true)
	b.ahead(emptyLooks)
	b.expect() // the last card is in the mouth
	b.sees(50, aceTag)
	b.gate(false)
	b.sees(400)
	b.expect("As left", "empty")
	b.ahead(1, kingTag)
	b.expect("not empty")
}

// Whatever order things come in, a shoe tells only changes, and each card once: read, or unread where the gate was open and
// nothing was read.
func TestShoeTellsChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, ShoeOptions{Gate: true, Ahead: rapid.Bool().Draw(rt, "ahead")})
		closings := 0
		gate := false
		for range rapid.IntRange(1, 100).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				open := rapid.Bool().Draw(rt, "gate open")
				if gate && !open {
					closings++
				}
				gate = open
				b.gate(open)
			case 1:
				b.lid(rapid.Bool().Draw(rt, "lid open"))
			case 2:
				b.ahead(1, rapid.SampledFrom([][]string{nil, {aceTag}, {kingTag}}).Draw(rt, "ahead sees")...)
			default:
				b.sees(rapid.IntRange(1, 50).Draw(rt, "looks")*10, rapid.SampledFrom([][]string{nil, {aceTag}, {kingTag}, {aceTag, kingTag}}).Draw(rt, "mouth sees")...)
			}
		}
		unread, wait, empty := 0, "go on with the shoe", "not empty"
		for _, fact := range b.h.since() {
			switch {
			case fact == "unread left":
				unread++
			case strings.Contains(fact, "the shoe"):
				if fact == wait {
					rt.Fatalf("told %q twice", fact)
				}
				wait = fact
			case strings.HasSuffix(fact, "empty"):
				if fact == empty {
					rt.Fatalf("told %q twice", fact)
				}
				empty = fact
			}
		}
		if unread > closings {
			rt.Fatalf("%d cards left unread, and the gate closed %d times", unread, closings)
		}
	})
}
