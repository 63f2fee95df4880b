package calibration

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"tavolo/engine"
	"tavolo/engine/card"
)

// ChipSet is the registry of the chips with tags that are played with at a table. It never changes, so any goroutine may
// read it.
type ChipSet struct {
	name   string
	values map[string]engine.Chips // by tag, in upper case
}

// maxValue bounds what a chip is worth.
const maxValue = 1_000_000_000

// Name is what people call the set: cash 2.
func (s *ChipSet) Name() string { return s.name }

// Value is what the chip with a tag is worth, and whether the tag is of this set at all. The tag is given as for
// [Deck.Card].
func (s *ChipSet) Value(uid string) (engine.Chips, bool) {
	v, ok := s.values[strings.ToUpper(uid)]
	return v, ok
}

// LoadChipSet reads the registry of a set of chips, a TOML file with a name and a table of tags with what each chip is
// worth, in the smallest unit of the table's currency:
//
//	name = "cash 2"
//	[tags]
//	E280116060000205A1B2C3D4 = 25
//
// No tag may be there twice. The name of the file is only used in errors. An error joins every fault of the file, each a
// *Fault.
func LoadChipSet(file string, data []byte) (*ChipSet, error) {
	s := &ChipSet{values: map[string]engine.Chips{}}
	var err error
	g := registry{file: file, data: data, what: "the chips", entry: "chip, such as E280116060000205A1B2C3D4 = 25"}
	s.name, err = g.read(func(e entry) error {
		n, err := strconv.ParseInt(strings.ReplaceAll(string(e.value.Data), "_", ""), 0, 64)
		if e.value.Kind != unstable.Integer || err != nil || n < 1 || n > maxValue {
			return fmt.Errorf("want what the chip is worth, a whole number from 1 to %d", maxValue)
		}
		s.values[e.tag] = engine.Chips(n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Pieces are how many chips of each worth the set has.
func (s *ChipSet) Pieces() map[engine.Chips]int {
	out := map[engine.Chips]int{}
	for _, v := range s.values {
		out[v]++
	}
	return out
}

// Tags are those of the chips that are worth so much, in their order.
func (s *ChipSet) Tags(worth engine.Chips) (tags []string) {
	for tag, v := range s.values {
		if v == worth {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return tags
}

// Total is what all chips of the set are worth.
func (s *ChipSet) Total() (total engine.Chips) {
	for _, v := range s.values {
		total += v
	}
	return total
}

// Text is the registry of the set, as LoadChipSet reads it: the chips by what they are worth.
func (s *ChipSet) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# The tags of a set of chips and what each is worth, as tavolo calibrate chips has read them.\n")
	b.Write(nameText(s.name))
	b.WriteString("\n[tags]\n")
	byWorth := func(a, b string) int { return cmp.Or(cmp.Compare(s.values[a], s.values[b]), strings.Compare(a, b)) }
	for _, tag := range slices.SortedFunc(maps.Keys(s.values), byWorth) {
		fmt.Fprintf(&b, "%s = %d\n", tag, s.values[tag])
	}
	return b.Bytes()
}

// restless is after how many scans in a row in which chips come and go it is said that their pile cannot be told.
const restless = 16

// ChipWatch turns what readers see of chips with tags into facts about piles: debounced in time, and each chip in one pile at
// most. A pile is told of while none of its chips comes or goes, so that what is moved by one motion is told as one. A tag
// that is no chip makes its pile unsure: it may be one that nobody has registered. Its methods must be called by one
// goroutine.
type ChipWatch struct {
	set   *ChipSet
	facts PileFacts
	lying
	piles map[engine.Zone]*watched
}

// watched is a pile below which an antenna is.
type watched struct {
	scans int // since the reader came up
	moved int // scans in a row in which something came or went
	teller
}

// NewChipWatch makes a ChipWatch for the chips of a set.
func NewChipWatch(set *ChipSet, facts PileFacts, by Debounce) *ChipWatch {
	return &ChipWatch{set: set, facts: facts, lying: newLying(by), piles: map[engine.Zone]*watched{}}
}

func (w *ChipWatch) pile(z engine.Zone) *watched {
	p := w.piles[z]
	if p == nil {
		p = &watched{teller: teller{zone: z, facts: w.facts}}
		w.piles[z] = p
	}
	return p
}

// Scanned takes one scan of the antenna that watches a zone: the tags it saw, which are all there are unless the scan is
// partial.
func (w *ChipWatch) Scanned(ctx context.Context, z engine.Zone, tags []string, partial bool) {
	w.scanned(z, tags, partial)
	p := w.pile(z)
	if p.scans++; p.scans < w.by.Seen {
		return
	}
	moving := w.moving(z)
	if len(moving) == 0 {
		p.moved = 0
		p.tell(ctx, w.count(z))
	} else if p.moved++; p.moved == restless { // once, or each scan would be news
		p.tell(ctx, pile{why: "it is not seen clearly: " + w.names(moving) + " come and go"})
	}
	w.tellTwo(ctx)
}

// tellTwo says which chips are seen at two places now, and which no longer.
func (w *ChipWatch) tellTwo(ctx context.Context) {
	for _, t := range w.twice() {
		if _, ok := w.set.Value(t.tag); ok {
			w.facts.AtTwo(ctx, t.tag, card.None, t.at[0], t.at[1])
		}
	}
}

// Lies takes a person's word that a chip that is seen at two places lies in this one. What lies in both is told with the next scans.
func (w *ChipWatch) Lies(ctx context.Context, tag string, z engine.Zone) {
	w.lies(tag, z)
	w.tellTwo(ctx)
}

// Lost takes note that nothing is seen of a zone any more, and why: its reader is lost.
func (w *ChipWatch) Lost(ctx context.Context, z engine.Zone, why string) {
	w.forget(z)
	p := w.pile(z)
	p.scans, p.moved = 0, 0
	p.tell(ctx, pile{why: why})
	w.tellTwo(ctx)
}

// moving are the tags that may have come to a zone or left it, or be a neighbour's.
func (w *ChipWatch) moving(z engine.Zone) (tags []string) {
	for tag, s := range w.tags {
		if s.missed > 0 && s.zone == z || s.recent[z] != 0 && s.zone != z && (s.zone == engine.Zone{} || s.missed > 0) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// count is what lies in a zone.
func (w *ChipWatch) count(z engine.Zone) pile {
	now := pile{known: true}
	var strange []string
	for tag, s := range w.tags {
		if s.zone != z {
			continue
		}
		if v, ok := w.set.Value(tag); ok {
			now.amount += v
			now.pieces++
		} else {
			strange = append(strange, tag)
		}
	}
	if len(strange) > 0 {
		return pile{why: fmt.Sprintf("no chips of %q: %s, beside %d in %d chips", w.set.name, w.names(strange), now.amount, now.pieces)}
	}
	return now
}

// most is how many tags are named.
const most = 3

// names names some of the tags, and what they are worth if they are chips.
func (w *ChipWatch) names(tags []string) string {
	slices.Sort(tags)
	var out []string
	for _, tag := range tags[:min(len(tags), most)] {
		if v, ok := w.set.Value(tag); ok {
			tag += fmt.Sprintf(" (%d)", v)
		}
		out = append(out, tag)
	}
	if more := len(tags) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}
