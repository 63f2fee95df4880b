package noise

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"tavolo/drivers/feig"
	"tavolo/drivers/framing"
	"tavolo/drivers/rfid"
	"tavolo/drivers/sim"
	"tavolo/engine"
	"tavolo/engine/card"
)

// seats is how many players the table has: with board, burns and muck as many zones as a reader has antennas.
const seats = 5

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

// How long the readers take, as in sim.RealTiming.
const (
	lookTime    = 27 * time.Millisecond  // a look at one antenna, the switch to it included
	tagTime     = 6 * time.Millisecond   // more for each tag
	silence     = 500 * time.Millisecond // until an answer is given up
	shoeSilence = 100 * time.Millisecond // at the shoe
	passLook    = 10 * time.Millisecond  // from one look at the mouth of the shoe to the next
	passTime    = 120 * time.Millisecond // that a card takes to slide past
	passMiss    = 0.3                    // that one of those misses it, whatever the level
	timePerCard = 900 * time.Millisecond
)

// world is the table as it really is, and what readers make of it.
type world struct {
	m    Model
	rng  *rand.Rand
	now  time.Time
	told atomic.Int64 // now, for the table's goroutine
	tags map[card.Card]string

	shoe []card.Card // next first
	lies [len(zones)][]card.Card
	gone []trace

	felt, mouth reader
	next        int // the zone that felt looks at next
}

// trace is a card that was taken away from a zone.
type trace struct {
	zone  int
	card  card.Card
	until time.Time
}

// reader is a simulated reader, the wire to it and the driver's session with it.
type reader struct {
	dev     *sim.Feig
	wire    *wire
	session rfid.Session
	silence time.Duration
	hung    time.Time // until then
	lost    bool
}

func newReader(w *world, silence time.Duration) reader {
	r := reader{dev: sim.NewFeig(nil, sim.FeigOptions{}), silence: silence}
	r.wire = &wire{w: w, dev: r.dev}
	r.session = feig.Over(r.wire, feig.Options{ReplyTimeout: time.Minute}) // of which nothing passes
	return r
}

func newWorld(m Model, rng *rand.Rand) *world {
	w := &world{m: m, rng: rng, tags: map[card.Card]string{}}
	w.passTo(time.Now())
	for i, c := range card.French.Cards() {
		w.tags[c] = fmt.Sprintf("E004015000%06X", 0x1000+i*37)
	}
	w.felt, w.mouth = newReader(w, silence), newReader(w, shoeSilence)
	return w
}

// passTo lets time pass.
func (w *world) passTo(t time.Time) {
	w.now = t
	w.told.Store(t.UnixNano())
}

func (w *world) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }

// wire carries bytes between driver and reader, and damages some. Time does not pass on it: what is not there does not come.
type wire struct {
	w   *world
	dev *sim.Feig
	buf []byte
	off bool // nothing answers
}

func (l *wire) Write(b []byte) (int, error) {
	if l.off {
		return len(b), nil
	}
	out := l.dev.Answer(b)
	if l.w.chance(l.w.m.Damage) {
		switch l.w.rng.IntN(4) {
		case 0:
			out = nil
		case 1:
			out = out[:l.w.rng.IntN(len(out))]
		case 2:
			out = slices.Insert(slices.Clone(out), 0, byte(l.w.rng.Uint32()), byte(l.w.rng.Uint32()))
		default:
			out[l.w.rng.IntN(len(out))] ^= 1 << l.w.rng.IntN(8)
		}
	}
	l.buf = append(l.buf, out...)
	return len(b), nil
}

func (l *wire) Read(b []byte) (int, error) {
	if len(l.buf) == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(b, l.buf)
	l.buf = l.buf[n:]
	return n, nil
}

func (l *wire) SetReadDeadline(time.Time) error { return nil }

// look has a reader look at an antenna where it can see these tags, which takes a time. It tells whether the look succeeded,
// and whether the reader is lost is known after it.
func (w *world) look(ctx context.Context, r *reader, antenna int, tags []string, took time.Duration) (uids []string, partial, ok bool) {
	if w.chance(w.m.Hang) && w.now.After(r.hung) {
		r.hung = w.now.Add(time.Duration(w.rng.Int64N(int64(w.m.Hung))))
	}
	r.wire.off = w.now.Before(r.hung)
	r.dev.Lay(antenna, tags)
	uids, partial, err := r.session.Look(ctx, antenna)
	w.passTo(w.now.Add(took))
	switch {
	case err == nil:
		r.lost = false
		return uids, partial, true
	case errors.Is(err, framing.ErrSilent):
		w.passTo(w.now.Add(r.silence))
		r.lost = r.session.Check(ctx) != nil
	}
	return nil, false, false
}

// seen are the tags that the antenna of a zone can read now.
func (w *world) seen(zone int) []string {
	var out []string
	miss := w.m.Miss
	if len(w.lies[zone]) >= 3 {
		miss = w.m.Stacked
	}
	for _, c := range w.lies[zone] {
		if !w.chance(miss) {
			out = append(out, w.read(c))
		}
	}
	for _, near := range []int{zone - 1, zone + 1} {
		if near < 0 || near >= len(zones) {
			continue
		}
		for _, c := range w.lies[near] {
			if w.chance(w.m.Ghost) {
				out = append(out, w.read(c))
			}
		}
	}
	w.gone = slices.DeleteFunc(w.gone, func(t trace) bool { return w.now.After(t.until) })
	for _, t := range w.gone {
		if t.zone == zone && w.chance(w.m.Slow) {
			out = append(out, w.read(t.card))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// read is the number that is read of a card's tag.
func (w *world) read(c card.Card) string {
	uid := w.tags[c]
	if w.chance(w.m.Shift) {
		const fixed = 6 // what all tags of a maker begin with
		return uid[:fixed] + uid[fixed+1:] + string("0123456789ABCDEF"[w.rng.IntN(16)])
	}
	return uid
}

// move lays a card in a zone, away from where it was, from below 0 for the shoe.
func (w *world) move(c card.Card, from, to int) {
	if from >= 0 {
		w.lies[from] = slices.DeleteFunc(w.lies[from], func(o card.Card) bool { return o == c })
		w.gone = append(w.gone, trace{from, c, w.now.Add(w.m.Linger)})
	}
	w.lies[to] = append(w.lies[to], c)
}

// load collects every card, shuffles and loads the shoe.
func (w *world) load() {
	for z := range w.lies {
		w.lies[z] = nil
	}
	w.gone = nil
	w.shoe = card.French.Cards()
	w.rng.Shuffle(len(w.shoe), func(i, j int) { w.shoe[i], w.shoe[j] = w.shoe[j], w.shoe[i] })
}

// pass takes the next card out of the shoe. It gives what a look at the mouth can read when the card has been sliding past for
// a time, which is over after passTime.
func (w *world) pass() (c card.Card, at func(time.Duration) []string) {
	c, w.shoe = w.shoe[0], w.shoe[1:]
	missed, two := w.chance(w.m.ShoeMiss), len(w.shoe) > 0 && w.chance(w.m.ShoeTwo)
	first := w.chance(0.5) // of two, the one behind is seen first
	return c, func(t time.Duration) (tags []string) {
		late := t > passTime/2
		if !missed && !(two && first && !late) && !w.chance(passMiss) {
			tags = append(tags, w.read(c))
		}
		if two && (first || late) && !w.chance(passMiss) {
			tags = append(tags, w.read(w.shoe[0]))
		}
		return tags
	}
}

// zoneIndex is the number of a zone among zones.
func zoneIndex(z engine.Zone) int { return slices.Index(zones[:], z) }
