package noise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"tavolo/engine/card"
)

// How long things take.
const (
	lostTime    = 20 * time.Millisecond  // that a reader which is lost costs the others
	linger      = 300 * time.Millisecond // in which a tag that was taken away may still be seen
	hungFor     = 4 * time.Second        // that a reader hangs or is unplugged, at most
	timePerCard = 900 * time.Millisecond
	apart       = 300 * time.Millisecond // that two cards leave the shoe in at least
)

// world is a table as it really is, and what readers make of it. It is an rfid.Clock.
type world struct {
	layout
	dice
	now  time.Time
	told atomic.Int64 // the time that the table's goroutine is told
	tags map[card.Card]string

	shoe   []card.Card   // next first
	lies   [][]card.Card // by zone
	buried card.Set      // that no antenna sees, for the cards on them
	gone   []trace

	pads     []pad // by zone
	mouth    *reader
	nextCard *reader // nil where none looks ahead
	next     int     // the zone that is looked at next
}

// pad is one antenna of a reader.
type pad struct {
	reader  *reader
	antenna int
}

// trace is a card that was taken away from a zone.
type trace struct {
	zone  int
	card  card.Card
	until time.Time
}

func newWorld(m Model, l layout, rng *rand.Rand) (*world, error) {
	w := &world{layout: l, dice: dice{m: m, rng: rng}, tags: map[card.Card]string{}, lies: make([][]card.Card, len(l.zones))}
	w.now = time.Now() // the table has real timers, which may not fire before
	w.tell()
	form := "E004015000%06X"
	if l.pads.typeA {
		form = "0451%010X"
	}
	for i, c := range card.French.Cards() {
		w.tags[c] = fmt.Sprintf(form, 0x1000+i*37)
	}
	for z := 0; z < len(l.zones); {
		k := l.pads
		if z >= l.Seats {
			k = l.shared
		}
		r, err := newReader(w, fmt.Sprintf("pads-%d", z+1), k, silence)
		if err != nil {
			return nil, err
		}
		for a := 1; a <= k.antennas && z < len(l.zones); a, z = a+1, z+1 {
			w.pads = append(w.pads, pad{r, a})
		}
	}
	if l.ahead {
		var err error
		if w.nextCard, err = newReader(w, "shoe-next", l.next, silence); err != nil {
			return nil, err
		}
	}
	mouth := l.mouth
	if mouth.mouth != nil {
		mouth.fit = mouth.mouth
	}
	var err error
	w.mouth, err = newReader(w, "shoe", mouth, shoeSilence)
	return w, err
}

// Now is the time in the world, in which Sleep takes none.
func (w *world) Now() time.Time { return w.now }

// Sleep lets time pass.
func (w *world) Sleep(d time.Duration) { w.now = w.now.Add(d) }

// tell tells the table's goroutine the time.
func (w *world) tell() { w.told.Store(w.now.UnixNano()) }

// beside does something that takes its time while other things go on.
func (w *world) beside(do func()) {
	began := w.now
	do()
	w.now = began
}

// seen are the tags that the antenna of a zone can read now.
func (w *world) seen(zone int) []string {
	var lies, beside, gone []string
	for _, c := range w.lies[zone] {
		if !w.buried.Has(c) {
			lies = append(lies, w.tags[c])
		}
	}
	for _, near := range []int{zone - 1, zone + 1} {
		if near < 0 || near >= len(w.zones) {
			continue
		}
		for _, c := range w.lies[near] {
			beside = append(beside, w.tags[c])
		}
	}
	w.gone = slices.DeleteFunc(w.gone, func(t trace) bool { return w.now.After(t.until) })
	for _, t := range w.gone {
		if t.zone == zone {
			gone = append(gone, w.tags[t.card])
		}
	}
	return w.field(len(w.lies[zone]), lies, beside, gone)
}

// read is the number that is read of a card's tag.
func (w *world) read(c card.Card) string { return w.number(w.tags[c]) }

// lift takes a card away from where it lies.
func (w *world) lift(c card.Card, from int) {
	w.lies[from] = slices.DeleteFunc(w.lies[from], func(o card.Card) bool { return o == c })
	w.buried &^= card.SetOf(c)
	w.gone = append(w.gone, trace{from, c, w.now.Add(linger)})
}

// move lays a card in a zone, away from where it was, from below 0 for the shoe.
func (w *world) move(c card.Card, from, to int) {
	if from >= 0 {
		w.lift(c, from)
	}
	w.lies[to] = append(w.lies[to], c)
	w.buried &^= card.SetOf(c)
	if n := len(w.lies[to]); n >= 3 && to != w.muck() && w.happens(Stacked) {
		w.buried = w.buried.Add(w.lies[to][n-1-w.rng.IntN(3)])
	}
}

// spread lays cards that lie on one another side by side.
func (w *world) spread() { w.buried = 0 }

// drop drops the stub: some of its cards fall on the felt for a while, and come back in another order.
func (w *world) drop(meanwhile func() error) error {
	to := w.rng.IntN(len(w.zones))
	fallen := slices.Clone(w.shoe[:min(len(w.shoe), 1+w.rng.IntN(5))])
	for _, c := range fallen {
		w.move(c, -1, to)
	}
	err := meanwhile()
	for _, c := range fallen {
		w.lift(c, to)
	}
	w.rng.Shuffle(len(w.shoe), func(i, j int) { w.shoe[i], w.shoe[j] = w.shoe[j], w.shoe[i] })
	return err
}

// load collects every card, shuffles and loads the shoe.
func (w *world) load() {
	for z := range w.lies {
		w.lies[z] = nil
	}
	w.gone, w.buried = nil, 0
	w.shoe = card.French.Cards()
	w.rng.Shuffle(len(w.shoe), func(i, j int) { w.shoe[i], w.shoe[j] = w.shoe[j], w.shoe[i] })
}
