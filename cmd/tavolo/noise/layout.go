package noise

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"tavolo/engine"
)

// Layout is what a table consists of. What is zero is different from table to table.
type Layout struct {
	// Seats is how many players there are, MinSeats to MaxSeats.
	Seats int
	// Reader is the kind of all readers of cards, one of Readers.
	Reader string
	// Shoe is what there is at the shoe beside the reader at its mouth, one of Shoes.
	Shoe string
}

// MinSeats and MaxSeats bound the seats of a Layout.
const MinSeats, MaxSeats = 2, engine.MaxSeats

// Readers are the kinds of readers that can be tried.
func Readers() []string { return slices.Sorted(maps.Keys(readerKinds())) }

// Shoes are the kinds of shoes that can be tried: with the reader alone; with contacts at gate and lid; with an antenna where
// the next card waits; with both.
func Shoes() []string { return []string{"mouth", "gate", "ahead", "gate-ahead"} }

// Check says what is wrong with a Layout.
func (l Layout) Check() error {
	if l.Seats != 0 && (l.Seats < MinSeats || l.Seats > MaxSeats) {
		return fmt.Errorf("%d seats: want %d to %d", l.Seats, MinSeats, MaxSeats)
	}
	if l.Reader != "" && !slices.Contains(Readers(), l.Reader) {
		return fmt.Errorf("reader %q: want one of %s", l.Reader, strings.Join(Readers(), ", "))
	}
	if l.Shoe != "" && !slices.Contains(Shoes(), l.Shoe) {
		return fmt.Errorf("shoe %q: want one of %s", l.Shoe, strings.Join(Shoes(), ", "))
	}
	return nil
}

// layout is what one table consists of.
type layout struct {
	Layout
	// felt is how many players sit at the table: those of the first seats, with a panel each on one bus. The others are remote.
	felt int
	// zones are what antennas under the felt watch, in their order: next to each other are neighbours. They are the places of
	// the seats, the board, the burns and the muck.
	zones []engine.Zone
	// pads is the reader below the seats, shared that below the other zones, mouth and next those of the shoe.
	pads, shared, mouth, next readerKind
	// gate is whether the shoe has contacts at gate and lid, ahead whether an antenna sees the next card.
	gate, ahead bool
}

// mostFelt bounds how many players sit at the table: their bus takes time.
const mostFelt = 4

// of is the layout of the table of a turn, in which all kinds of readers and shoes have theirs.
func (l Layout) of(turn int, rng *rand.Rand) layout {
	kinds, one := readerKinds(), l.Reader != ""
	if !one {
		l.Reader = Readers()[turn%len(kinds)]
	}
	if l.Shoe == "" {
		l.Shoe = Shoes()[turn%len(Shoes())] // their numbers have no divisor in common
	}
	if l.Seats == 0 {
		l.Seats = MinSeats + rng.IntN(MaxSeats-MinSeats+1)
	}
	pads := kinds[l.Reader]
	shoe := func() readerKind { // any, if it reads the same tags
		k := pads
		for names := Readers(); !one; {
			if k = kinds[names[rng.IntN(len(names))]]; k.typeA == pads.typeA {
				break
			}
		}
		return k
	}
	t := layout{
		Layout: l, felt: 1 + rng.IntN(min(mostFelt, l.Seats)),
		pads: pads, shared: pads, mouth: shoe(), next: shoe(),
		gate: strings.HasPrefix(l.Shoe, "gate"), ahead: strings.HasSuffix(l.Shoe, "ahead"),
	}
	if pads.beside != "" {
		t.shared = kinds[pads.beside]
	}
	for i := range l.Seats {
		t.zones = append(t.zones, engine.Zone{Kind: engine.ZoneSeat, Seat: engine.Seat(i + 1)})
	}
	for _, k := range []engine.ZoneKind{engine.ZoneBoard, engine.ZoneBurn, engine.ZoneMuck} {
		t.zones = append(t.zones, engine.Zone{Kind: k})
	}
	return t
}

// parts name what a table consists of, one thing each.
func (l *layout) parts() []string {
	return []string{"reader " + l.Reader, "shoe " + l.Shoe, fmt.Sprintf("seats %d", l.Seats)}
}

// muck is the place of the muck among zones.
func (l *layout) muck() int { return len(l.zones) - 1 }

// zoneIndex is the place of a zone among zones, below 0 for one that is not there.
func (l *layout) zoneIndex(z engine.Zone) int { return slices.Index(l.zones, z) }
