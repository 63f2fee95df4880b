package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Zone is a part of the table where cards or chips may lie: what a sensor watches, and where the dealer is told to put
// something. It is a value that compares; the zero Zone is nowhere.
type Zone struct {
	Kind ZoneKind
	// Seat is whose it is, 0 where it is the table's.
	Seat Seat
}

// ZoneKind is a kind of Zone.
type ZoneKind uint8

const (
	// ZoneShoe is the mouth of the shoe.
	ZoneShoe ZoneKind = iota + 1
	// ZoneSeat is a seat's pad for cards.
	ZoneSeat
	// ZoneBoard is where community cards lie.
	ZoneBoard
	// ZoneBurn is where burnt cards lie.
	ZoneBurn
	// ZoneMuck is where cards out of play go.
	ZoneMuck
	// ZoneNext is the place of the next card in a shoe that reads ahead, ZoneFollowing that of the one after it.
	ZoneNext
	ZoneFollowing
	// ZoneHouse is where the house's own hand lies, in a game against it.
	ZoneHouse
	// ZoneStack is where a seat's chips are.
	ZoneStack
	// ZoneSpot is where a seat bets.
	ZoneSpot
	// ZonePot is where the bets that were collected lie.
	ZonePot
	// ZoneTray is the dealer's chips, between the felt and the players elsewhere.
	ZoneTray
)

var zoneNames = names[ZoneKind]{"", "shoe", "seat", "board", "burn", "muck", "next", "following", "house", "stack", "spot", "pot", "tray"}

// String is the kind's name.
func (k ZoneKind) String() string { return zoneNames.text(k) }

// OfSeat reports whether each seat has its own zone of the kind.
func (k ZoneKind) OfSeat() bool { return k == ZoneSeat || k == ZoneStack || k == ZoneSpot }

// Chips reports whether chips lie in the zone, and no cards.
func (z Zone) Chips() bool { return z.Kind >= ZoneStack }

// InShoe reports whether what lies in the zone has not left the shoe.
func (z Zone) InShoe() bool { return z.Kind == ZoneNext || z.Kind == ZoneFollowing }

// ZoneOf is where the hand of a seat lies, or for seat 0 that of the house.
func ZoneOf(seat Seat) Zone {
	if seat == 0 {
		return Zone{Kind: ZoneHouse}
	}
	return Zone{Kind: ZoneSeat, Seat: seat}
}

// String names the zone as prompts and configuration do: seat 3, board.
func (z Zone) String() string {
	if z.Kind.OfSeat() {
		return fmt.Sprintf("%v %d", z.Kind, z.Seat)
	}
	return z.Kind.String()
}

// ParseZone reads what String writes.
func ParseZone(text string) (Zone, error) {
	name, number, numbered := strings.Cut(text, " ")
	z := Zone{Kind: ZoneKind(max(0, slices.Index(zoneNames, name)))}
	if numbered {
		_, _ = fmt.Sscanf(number, "%d", &z.Seat) // what is not read is not written again below
	}
	if z.Kind == 0 || z.Seat > MaxSeats || z.Kind.OfSeat() != (z.Seat > 0) || z.String() != text {
		return Zone{}, fmt.Errorf("unknown zone %q: want shoe, board, burn, muck, next, following, house, pot, tray, or seat, stack or spot with 1 to %d", text, MaxSeats)
	}
	return z, nil
}

// Zone is where the card awaited belongs, the zero Zone when no card is awaited.
func (a Await) Zone() Zone {
	switch a.Kind {
	case AwaitBurn:
		return Zone{Kind: ZoneBurn}
	case AwaitHole:
		return ZoneOf(a.Seat)
	case AwaitBoard:
		return Zone{Kind: ZoneBoard}
	}
	return Zone{}
}
