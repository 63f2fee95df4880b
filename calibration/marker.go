package calibration

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"tavolo/engine"
)

// Marker is the dealer button of a table, a disc with one tag or several, such as one for the readers of cards and one for
// those of chips. It never changes, so any goroutine may read it.
type Marker struct {
	name string
	tags map[string]bool // in upper case
}

// markerValue is what the tags of a marker stand for in its file.
const markerValue = "button"

// Name is what people call the marker: button 1.
func (m *Marker) Name() string { return m.name }

// Has reports whether a tag is the marker's, which no tag is of a nil Marker. It is given as for [Deck.Card].
func (m *Marker) Has(uid string) bool { return m != nil && m.tags[strings.ToUpper(uid)] }

// Tags are those of the marker, in their order.
func (m *Marker) Tags() []string { return slices.Sorted(maps.Keys(m.tags)) }

// NewMarker is a marker with a name and tags. The error says which of these is none.
func NewMarker(name string, tags ...string) (*Marker, error) {
	m := &Marker{name: name, tags: map[string]bool{}}
	for _, tag := range tags {
		tag = strings.ToUpper(tag)
		if err := checkUID(tag); err != nil {
			return nil, fmt.Errorf("%s: %w", tag, err)
		}
		m.tags[tag] = true
	}
	return m, nil
}

// LoadMarker reads the registry of a marker, a TOML file with a name and a table of its tags:
//
//	name = "button 1"
//	[tags]
//	E0040150A1B2C3D4 = "button"
//
// The name of the file is only used in errors. An error joins every fault of the file, each a *Fault.
func LoadMarker(file string, data []byte) (*Marker, error) {
	m := &Marker{tags: map[string]bool{}}
	var err error
	g := registry{file: file, data: data, what: "the marker", entry: "tag of it, such as E0040150A1B2C3D4 = \"button\""}
	m.name, err = g.read(func(e entry) error {
		if e.value.Kind != unstable.String || string(e.value.Data) != markerValue {
			return fmt.Errorf("want %q, which is all that the tag of a marker stands for", markerValue)
		}
		m.tags[e.tag] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Text is the registry of the marker, as LoadMarker reads it.
func (m *Marker) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# The tags of a table's dealer button, as tavolo calibrate marker has read them.\n")
	b.Write(nameText(m.name))
	b.WriteString("\n[tags]\n")
	for _, tag := range m.Tags() {
		fmt.Fprintf(&b, "%s = %q\n", tag, markerValue)
	}
	return b.Bytes()
}

// MarkerFacts hears where the marker of the button lies. *controller.Table is one. A call may wait until there is room for the
// fact.
type MarkerFacts interface {
	// MarkerLies: the marker lies at a seat now, 0 where it is at none, or nobody knows at which.
	MarkerLies(ctx context.Context, seat engine.Seat)
}

// MarkerWatch finds the marker among what readers of cards and of chips see, debounced in time: it lies at one seat at most, on
// whichever of its places. Its methods must be called by one goroutine.
type MarkerWatch struct {
	marker *Marker
	facts  MarkerFacts
	lying
	seat engine.Seat // that was told
}

// NewMarkerWatch makes a MarkerWatch for a marker, nil for a table that has none with a tag.
func NewMarkerWatch(marker *Marker, facts MarkerFacts, by Debounce) *MarkerWatch {
	return &MarkerWatch{marker: marker, facts: facts, lying: newLying(by)}
}

// Scanned takes one scan of the antenna that watches a zone, as [Watch.Scanned], and gives the other tags of it: the marker is no
// card and no chip.
func (w *MarkerWatch) Scanned(ctx context.Context, z engine.Zone, tags []string, partial bool) (others []string) {
	if w.marker == nil {
		return tags
	}
	var own []string
	for _, tag := range tags {
		if w.marker.Has(tag) {
			own = append(own, strings.ToUpper(tag))
		} else {
			others = append(others, tag)
		}
	}
	w.scanned(z, own, partial)
	w.tell(ctx)
	return others
}

// Lost takes note that nothing is seen of a zone any more: its reader is lost.
func (w *MarkerWatch) Lost(ctx context.Context, z engine.Zone) {
	w.forget(z)
	w.tell(ctx)
}

// tell says where the marker lies if that is news.
func (w *MarkerWatch) tell(ctx context.Context) {
	if seat := w.at(); seat != w.seat {
		w.seat = seat
		w.facts.MarkerLies(ctx, seat)
	}
}

// at is the seat at which the marker lies: that of the zone which has it, or of all that see it, such as the pad and the spot of one
// seat. It is 0 where they are of several.
func (w *MarkerWatch) at() (seat engine.Seat) {
	for _, s := range w.tags {
		zones := []engine.Zone{s.zone}
		if s.zone.Kind == 0 {
			zones = w.seeing(s)
		}
		for _, z := range zones {
			if seat != 0 && z.Seat != seat {
				return 0
			}
			seat = z.Seat
		}
	}
	return seat
}
