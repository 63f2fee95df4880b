package calibration

import (
	"slices"
	"time"

	"tavolo/engine"
)

// PadTest is what the antennas of a table see of cards that lie in one place and nowhere else. It is for one goroutine.
type PadTest struct {
	zone    engine.Zone
	cards   int
	watched []engine.Zone
	seen    map[engine.Zone]*padSeen
}

// padSeen is what one antenna saw.
type padSeen struct {
	looks int
	some  int // looks that saw a tag
	whole int // looks that saw as many tags as there are cards
	gaps  []int64
	last  time.Time // of the last look that saw all of them, or of the first look
	rssi  []int64
}

// NewPadTest begins with so many cards in a zone, of which the antennas of some zones can see something.
func NewPadTest(z engine.Zone, cards int, watched []engine.Zone) *PadTest {
	p := &PadTest{zone: z, cards: cards, watched: watched, seen: map[engine.Zone]*padSeen{}}
	for _, w := range watched {
		p.seen[w] = &padSeen{}
	}
	return p
}

// Look takes one look of the antenna that watches a zone: the tags it saw, how strong they answered by their UIDs, in dBm, nil
// where the reader does not tell, and when it was.
func (p *PadTest) Look(z engine.Zone, tags []string, rssi map[string]int, at time.Time) {
	s := p.seen[z]
	if s == nil {
		return
	}
	if s.looks++; s.looks == 1 {
		s.last = at
	}
	if len(tags) > 0 {
		s.some++
	}
	if len(tags) == p.cards {
		s.whole++
		s.gaps = append(s.gaps, at.Sub(s.last).Milliseconds())
		s.last = at
	}
	for _, tag := range tags {
		if v, told := rssi[tag]; told {
			s.rssi = append(s.rssi, int64(v))
		}
	}
}

// Looks is how many looks the antenna with the fewest has taken.
func (p *PadTest) Looks() int {
	fewest := -1
	for _, s := range p.seen {
		if fewest < 0 || s.looks < fewest {
			fewest = s.looks
		}
	}
	return max(fewest, 0)
}

// PadResult is what a PadTest came to.
type PadResult struct {
	Zone  engine.Zone `json:"zone"`
	Cards int         `json:"cards"`
	// Looks are those of the zone's own antenna; Rate is how many of a hundred saw every card.
	Looks int     `json:"looks"`
	Rate  float64 `json:"rate"`
	// Gaps are the times from one look that saw every card to the next, in ms.
	Gaps Spread `json:"gaps_ms"`
	// RSSI is how strong the tags answered, in dBm; of no samples where the reader does not tell.
	RSSI Spread `json:"rssi_dbm"`
	// Others is how many looks of other antennas saw a card.
	Others int `json:"others"`
	// Best is the zone whose antenna saw the cards most often, the zero zone if none did: another than Zone is an antenna
	// in the wrong place, or wired to the wrong output.
	Best engine.Zone `json:"best"`
}

// Result is what the test has come to so far.
func (p *PadTest) Result() PadResult {
	r := PadResult{Zone: p.zone, Cards: p.cards}
	most := 0
	for _, z := range p.watched {
		s := p.seen[z]
		if z == p.zone {
			r.Looks, r.Gaps, r.RSSI = s.looks, SpreadOf(s.gaps), SpreadOf(s.rssi)
			if s.looks > 0 {
				r.Rate = 100 * float64(s.whole) / float64(s.looks)
			}
		} else {
			r.Others += s.some
		}
		if s.some > most || s.some == most && most > 0 && z == p.zone {
			most, r.Best = s.some, z
		}
	}
	return r
}

// PadMap is which antenna sees the cards of which place, as a technician found out by laying cards there: by the zone that an
// antenna has in the configuration, that which it should have.
type PadMap map[engine.Zone]engine.Zone

// Learn takes what was found with cards in a zone.
func (m PadMap) Learn(r PadResult) {
	if r.Best != (engine.Zone{}) {
		m[r.Best] = r.Zone
	}
}

// Zones are the zones that the antennas of a reader should have, given those they have; those nothing was learned of stay.
// Swapped is whether any changes. Where a zone would be there twice, so that not all of them were found out about, none does.
func (m PadMap) Zones(have []engine.Zone) (want []engine.Zone, swapped bool) {
	want = slices.Clone(have)
	for i, z := range have {
		if learned, ok := m[z]; ok && learned != z {
			want[i], swapped = learned, true
		}
	}
	for i, z := range want {
		if slices.Contains(want[:i], z) {
			return slices.Clone(have), false
		}
	}
	return want, swapped
}
