package engine

import "fmt"

// Zone is a part of the felt where cards may lie: what an antenna watches, and where the dealer is told to put a card.
// It is a value that compares; the zero Zone is nowhere.
type Zone struct {
	Kind ZoneKind
	// Seat is whose pad it is, 0 but for ZoneSeat.
	Seat Seat
}

// ZoneKind is a kind of Zone.
type ZoneKind uint8

const (
	// ZoneShoe is the mouth of the shoe.
	ZoneShoe ZoneKind = iota + 1
	// ZoneSeat is a seat's pad.
	ZoneSeat
	// ZoneBoard is where community cards lie.
	ZoneBoard
	// ZoneBurn is where burnt cards lie.
	ZoneBurn
	// ZoneMuck is where cards out of play go.
	ZoneMuck
)

var zoneNames = names[ZoneKind]{"", "shoe", "seat", "board", "burn", "muck"}

// String names the zone as prompts and configuration do: seat 3, board.
func (z Zone) String() string {
	if z.Kind == ZoneSeat {
		return fmt.Sprintf("seat %d", z.Seat)
	}
	return zoneNames.text(z.Kind)
}

// ParseZone reads what String writes.
func ParseZone(text string) (Zone, error) {
	var z Zone
	if n, _ := fmt.Sscanf(text, "seat %d", &z.Seat); n == 1 && z.Seat >= 1 && z.Seat <= MaxSeats && text == fmt.Sprintf("seat %d", z.Seat) {
		z.Kind = ZoneSeat
		return z, nil
	}
	kind, err := zoneNames.parse("zone", []byte(text))
	if err != nil || kind == ZoneSeat {
		return Zone{}, fmt.Errorf("unknown zone %q: want shoe, board, burn, muck or seat 1 to seat %d", text, MaxSeats)
	}
	return Zone{Kind: kind}, nil
}

// Zone is where the card awaited belongs, the zero Zone when no card is awaited.
func (a Await) Zone() Zone {
	switch a.Kind {
	case AwaitBurn:
		return Zone{Kind: ZoneBurn}
	case AwaitHole:
		return Zone{Kind: ZoneSeat, Seat: a.Seat}
	case AwaitBoard:
		return Zone{Kind: ZoneBoard}
	}
	return Zone{}
}
