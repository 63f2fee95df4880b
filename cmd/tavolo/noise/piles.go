package noise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tavolo/calibration"
	"tavolo/engine"
	"tavolo/engine/card"
	bridge "tavolo/firmware-bridge"
)

// Piles are what became of chips that were moved to and from spots under which there are readers or scales.
type Piles struct {
	// Moved is how often some were, Told how often the right amount was told before they were moved again, Unsure how often it
	// was told that nobody can know.
	Moved, Told, Unsure int
	// Wrong is how often a wrong amount was told for as long as chips must lie still to be believed. There must be none.
	Wrong int
	// Latency is how long after chips lay still the right amount was told.
	Latency Latencies
}

const (
	// spotsOfEach is how many spots have readers, and how many scales.
	spotsOfEach = 3
	// dealsPerMove is how many cards are dealt for each time that chips are moved, movesPerHand after how many a spot is cleared.
	dealsPerMove, movesPerHand = 25, 6
	// believed is how long a wrong amount must be told to count, lag how long one that was right a moment ago.
	believed, lag = 1500 * time.Millisecond, 5 * time.Second
)

// How chips are moved.
const (
	mostChips  = 6                     // at a time
	chipTime   = 80 * time.Millisecond // from one to the next
	leastStill = 3 * time.Second       // that they lie after that, and
	stillTime  = 5 * time.Second       // beyond that, at most
)

// piles is a world of chips, with what is told of them. It is a calibration.PileFacts.
type piles struct {
	*world
	spots  []*spot // those with readers first
	watch  *calibration.ChipWatch
	bus    *bus // of the panels that the scales hang on
	next   int  // the spot that is looked at next
	result Piles
}

// spot is a place where chips lie, with a reader or a scale under it.
type spot struct {
	zone   engine.Zone
	reader *reader
	scale  *scale

	chips []chip
	still time.Time // since when they lie still
	was   []past    // what they were worth before
	told  struct {
		known, heard bool // an amount was; the right one was since they lie still, or they do not
		amount       engine.Chips
		wrong        time.Time // since when that is not right, the zero time if it is
		counted      bool      // as wrong
	}
}

// chip is one chip.
type chip struct {
	tag    string
	worth  engine.Chips
	weight int64 // mg
}

// past is what lay somewhere until a time.
type past struct {
	amount engine.Chips
	until  time.Time
}

func newPiles(m Model, rng *rand.Rand) (*piles, error) {
	w := &world{layout: layout{felt: spotsOfEach}, dice: dice{m: m, rng: rng}, now: time.Now()}
	p := &piles{world: w}
	set := []byte("name = \"noise\"\n[tags]\n")
	for _, c := range allChips() {
		set = fmt.Appendf(set, "%s = %d\n", c.tag, c.worth)
	}
	chips, err := calibration.LoadChipSet("noise", set)
	if err != nil {
		return nil, err
	}
	p.watch = calibration.NewChipWatch(chips, p, calibration.Debounce{})
	for i := range 2 * spotsOfEach {
		s := &spot{zone: engine.Zone{Kind: engine.ZoneSpot, Seat: engine.Seat(i + 1)}}
		s.told.heard = true // nothing was moved
		p.spots = append(p.spots, s)
		if i < spotsOfEach {
			if s.reader, err = newReader(w, s.zone.String(), chipReader(), silence); err != nil {
				return nil, err
			}
		}
	}
	if p.bus, err = newBus(w); err != nil {
		return nil, err
	}
	for i, s := range p.spots[spotsOfEach:] {
		s.scale = newScale(w, s.zone, &p.bus.nodes[i], p)
	}
	p.bus.weight = func(a bridge.Addr, sample bridge.Sample) { p.spots[spotsOfEach+int(a)-1].scale.heard(sample) }
	return p, nil
}

// worths are what chips are worth.
var worths = [...]engine.Chips{1, 5, 25, 100}

// allChips are those with tags.
func allChips() (out []chip) {
	for i, worth := range worths {
		for n := range 50 {
			out = append(out, chip{tag: fmt.Sprintf("30751FEB705C59%04X%06X", i, n*977), worth: worth})
		}
	}
	return out
}

// ChipsLie takes note of what is told of a spot.
func (p *piles) ChipsLie(_ context.Context, z engine.Zone, amount engine.Chips, _ int) {
	s := p.spots[z.Seat-1]
	s.told.known, s.told.amount, s.told.wrong, s.told.counted = true, amount, time.Time{}, false
}

// ChipsUnsure is ChipsLie where nobody can know.
func (p *piles) ChipsUnsure(_ context.Context, z engine.Zone, _ string, _ ...engine.Chips) {
	p.result.Unsure++
	p.spots[z.Seat-1].told.known = false
}

// AtTwo is for a dealer, and there is none: what is told of the spots is told with it.
func (p *piles) AtTwo(context.Context, string, card.Card, engine.Zone, engine.Zone) {}

// worth is what really lies at a spot.
func (s *spot) worth() (sum engine.Chips) {
	for _, c := range s.chips {
		sum += c.worth
	}
	return sum
}

// right is whether what was told lies there, or did until a moment ago.
func (s *spot) right(now time.Time) bool {
	s.was = slices.DeleteFunc(s.was, func(p past) bool { return now.Sub(p.until) > lag })
	return s.worth() == s.told.amount || slices.ContainsFunc(s.was, func(p past) bool { return p.amount == s.told.amount })
}

// judge judges what is told of the spots now.
func (p *piles) judge() {
	for _, s := range p.spots {
		t := &s.told
		if t.known && !t.heard && s.worth() == t.amount {
			t.heard = true
			p.result.Told++
			p.result.Latency = append(p.result.Latency, p.now.Sub(s.still))
		}
		switch {
		case !t.known || s.right(p.now):
			t.wrong, t.counted = time.Time{}, false
		case t.wrong.IsZero():
			t.wrong = p.now
		case p.now.Sub(t.wrong) >= believed && !t.counted:
			t.counted = true
			p.result.Wrong++
		}
	}
}

// move has chips moved so often, and gives what became of that.
func (p *piles) move(ctx context.Context, times int) (Piles, error) {
	chips := allChips()
	p.rng.Shuffle(len(chips), func(i, j int) { chips[i], chips[j] = chips[j], chips[i] })
	for n := range times {
		s := p.spots[p.rng.IntN(len(p.spots))]
		put := len(s.chips) == 0 || p.chance(0.7)
		count := 1 + p.rng.IntN(mostChips)
		if !put {
			count = min(count, len(s.chips))
		}
		if n%movesPerHand == movesPerHand-1 && len(s.chips) > 0 {
			put, count = false, len(s.chips)
		}
		for range count {
			s.was, s.told.heard = append(s.was, past{s.worth(), p.now}), true
			switch {
			case put && s.scale != nil:
				s.chips = append(s.chips, s.scale.chip())
			case put:
				s.chips, chips = append(s.chips, chips[0]), chips[1:]
			default:
				last := len(s.chips) - 1
				if s.scale == nil {
					chips = append(chips, s.chips[last])
				}
				s.chips = s.chips[:last]
			}
			p.pass(ctx, chipTime)
		}
		p.result.Moved++
		s.still, s.told.heard = p.now, false
		if s.scale != nil && p.happens(Palm) {
			s.scale.lean()
		}
		p.pass(ctx, leastStill+p.upTo(stillTime))
		if err := ctx.Err(); err != nil {
			return p.result, err
		}
	}
	return p.result, nil
}

// pass lets time pass in which readers and scales work.
func (p *piles) pass(ctx context.Context, d time.Duration) {
	for until := p.now.Add(d); p.now.Before(until); {
		p.look(ctx)
		for _, s := range p.spots[spotsOfEach:] {
			s.scale.feel(s.chips)
		}
		p.bus.round(ctx, 0)
		for _, t := range p.bus.told {
			if t.State != bridge.Online {
				p.spots[spotsOfEach+int(t.seat)-1].scale.weigher.Fail(ctx, t.State.String())
			}
		}
		p.bus.told = nil
		p.Sleep(busRound)
		p.judge()
	}
}

// look looks at the next spot that has a reader.
func (p *piles) look(ctx context.Context) {
	i := p.next
	p.next = (p.next + 1) % spotsOfEach
	s := p.spots[i]
	var tags []string
	for _, c := range s.chips {
		tags = append(tags, c.tag)
	}
	for _, near := range []int{i - 1, i + 1} {
		if near < 0 || near >= spotsOfEach {
			continue
		}
		for _, c := range p.spots[near].chips {
			if p.happens(ChipGhost) {
				tags = append(tags, c.tag)
			}
		}
	}
	lost := s.reader.lost()
	uids, partial, ok := p.world.look(ctx, s.reader, 1, tags)
	switch {
	case ok:
		p.watch.Scanned(ctx, s.zone, uids, partial)
	case s.reader.lost() && !lost:
		p.watch.Lost(ctx, s.zone, "no answer")
	}
}
