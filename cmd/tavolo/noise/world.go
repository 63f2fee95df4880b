package noise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// seats is how many players the table has: with board, burns and muck as many zones as a reader has antennas.
const seats = 5

// muck is the place of the muck among zones.
const muck = seats + 2

// zones are what the antennas of the reader under the felt watch, in their order: next to each other are neighbours.
var zones = func() (zs [seats + 3]engine.Zone) {
	for i := range seats {
		zs[i] = engine.Zone{Kind: engine.ZoneSeat, Seat: engine.Seat(i + 1)}
	}
	for i, k := range []engine.ZoneKind{engine.ZoneBoard, engine.ZoneBurn, engine.ZoneMuck} {
		zs[seats+i] = engine.Zone{Kind: k}
	}
	return zs
}()

// How long things take.
const (
	lostTime    = 20 * time.Millisecond  // that a reader which is lost costs the others
	linger      = 300 * time.Millisecond // in which a tag that was taken away may still be seen
	hungFor     = 4 * time.Second        // that a reader hangs or is unplugged, at most
	passTime    = 120 * time.Millisecond // that a card takes to slide past the mouth of the shoe
	timePerCard = 900 * time.Millisecond
	apart       = 300 * time.Millisecond // that two cards leave the shoe in at least
)

// world is the table as it really is, and what readers make of it. It is an rfid.Clock.
type world struct {
	m     Model
	count Counts
	rng   *rand.Rand
	now   time.Time
	told  atomic.Int64 // now, for the table's goroutine
	tags  map[card.Card]string

	shoe   []card.Card // next first
	lies   [len(zones)][]card.Card
	buried card.Set // that no antenna sees, for the cards on them
	gone   []trace

	pads  [len(zones)]pad
	mouth *reader
	next  int // the place that is looked at next
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

func newWorld(m Model, kind readerKind, rng *rand.Rand) (*world, error) {
	w := &world{m: m, rng: rng, tags: map[card.Card]string{}}
	w.passTo(time.Now()) // the table has real timers, which may not fire before
	form := "E004015000%06X"
	if kind.typeA {
		form = "0451%010X"
	}
	for i, c := range card.French.Cards() {
		w.tags[c] = fmt.Sprintf(form, 0x1000+i*37)
	}
	for z := 0; z < len(zones); {
		k := kind
		if kind.beside != "" && z >= seats {
			k = readerKinds()[kind.beside]
		}
		r, err := newReader(w, fmt.Sprintf("pads-%d", z+1), k, silence)
		if err != nil {
			return nil, err
		}
		for a := 1; a <= k.antennas && z < len(zones); a, z = a+1, z+1 {
			w.pads[z] = pad{r, a}
		}
	}
	var err error
	if kind.mouth != nil {
		kind.fit = kind.mouth
	}
	w.mouth, err = newReader(w, "shoe", kind, shoeSilence)
	return w, err
}

// passTo lets time pass.
func (w *world) passTo(t time.Time) {
	w.now = t
	w.told.Store(t.UnixNano())
}

// Now is the time in the world, in which Sleep takes none.
func (w *world) Now() time.Time { return w.now }

// Sleep lets time pass.
func (w *world) Sleep(d time.Duration) { w.passTo(w.now.Add(d)) }

func (w *world) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }

// happens is whether something goes wrong that can, and counts it.
func (w *world) happens(k Kind) bool {
	yes := w.chance(w.m[k])
	if yes {
		w.count[k]++
	}
	return yes
}

// seen are the tags that the antenna of a zone can read now.
func (w *world) seen(zone int) []string {
	var out []string
	miss := Missed
	if len(w.lies[zone]) >= 3 {
		miss = Crowded
	}
	for _, c := range w.lies[zone] {
		if !w.buried.Has(c) && !w.happens(miss) {
			out = append(out, w.read(c))
		}
	}
	for _, near := range []int{zone - 1, zone + 1} {
		if near < 0 || near >= len(zones) {
			continue
		}
		for _, c := range w.lies[near] {
			if w.happens(Ghost) {
				out = append(out, w.read(c))
			}
		}
	}
	w.gone = slices.DeleteFunc(w.gone, func(t trace) bool { return w.now.After(t.until) })
	for _, t := range w.gone {
		if t.zone == zone && w.happens(Lingered) {
			out = append(out, w.read(t.card))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// read is the number that is read of a card's tag.
func (w *world) read(c card.Card) string {
	uid := w.tags[c]
	if w.happens(Shifted) {
		const fixed = 6 // what all tags of a maker begin with
		return uid[:fixed] + uid[fixed+1:] + string("0123456789ABCDEF"[w.rng.IntN(16)])
	}
	return uid
}

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
	if n := len(w.lies[to]); n >= 3 && to != muck && w.happens(Stacked) {
		w.buried = w.buried.Add(w.lies[to][n-1-w.rng.IntN(3)])
	}
}

// spread lays cards that lie on one another side by side.
func (w *world) spread() { w.buried = 0 }

// drop drops the stub: some of its cards fall on the felt for a while, and come back in another order.
func (w *world) drop(meanwhile func() error) error {
	to := w.rng.IntN(len(zones))
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

// pass takes the next card out of the shoe. It gives what a look at the mouth can read when the card has been sliding past for
// a time, which is over after passTime.
func (w *world) pass() (c card.Card, at func(time.Duration) []string) {
	c, w.shoe = w.shoe[0], w.shoe[1:]
	missed, two := w.happens(ShoeMissed), len(w.shoe) > 0 && w.happens(ShoeTwo)
	first := w.chance(0.5) // of two, the one behind is seen first
	return c, func(t time.Duration) (tags []string) {
		late := t > passTime/2
		if !missed && !(two && first && !late) && !w.happens(MissedPassing) {
			tags = append(tags, w.read(c))
		}
		if two && (first || late) && !w.happens(MissedPassing) {
			tags = append(tags, w.read(w.shoe[0]))
		}
		return tags
	}
}

// zoneIndex is the number of a zone among zones.
func zoneIndex(z engine.Zone) int { return slices.Index(zones[:], z) }
