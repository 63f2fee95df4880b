package controller

import (
	"testing"
	"time"

	"tavolo/engine"
)

// steps are kept steps of three events each, the first with number 1; alice sits at seat 1 and then at seat 2.
func steps(n int) (p past) {
	players := [2][]Player{{{Seat: 1, Player: "alice", Kind: Remote}, {Seat: 2, Player: "bob", Kind: Remote}}, {{Seat: 2, Player: "alice", Kind: Remote}}}
	for i := range n {
		events := make([]engine.Event, 3)
		p.add(Step{Past{At: time.UnixMilli(int64(i)), Hand: 1, First: uint64(3*i + 1), Events: events}, players[min(i, 1)]})
	}
	return p
}

func TestMissedEventsAreToldByRange(t *testing.T) {
	p := steps(4)
	for _, c := range []struct{ first, last, from, n uint64 }{
		{1, 12, 1, 12}, {2, 3, 2, 2}, {3, 4, 3, 2}, {11, 99, 11, 2}, {13, 20, 0, 0}, {5, 4, 0, 0}, {0, 0, 0, 0}, {0, 1, 1, 1},
	} {
		told := p.tell(&Request{From: Source{Player: "alice"}, ID: "x", First: c.first, Last: c.last})
		next := c.from
		for _, past := range told.Past {
			if past.First != next {
				t.Errorf("%d to %d: an event %d, want %d", c.first, c.last, past.First, next)
			}
			next += uint64(len(past.Events))
		}
		if next-c.from != c.n || told.ID != "x" {
			t.Errorf("%d to %d: %+v", c.first, c.last, told)
		}
	}
}

// A player sees own cards, of the seat that was the player's when they were dealt; nobody else does.
func TestMissedEventsAreToldAsTheAskerSatThen(t *testing.T) {
	p := steps(2)
	for who, want := range map[Source][2]engine.Seat{{Player: "alice"}: {1, 2}, {Player: "bob"}: {2, 0}, {Console: "d1"}: {0, 0}, {Player: "zoe"}: {}} {
		told := p.tell(&Request{From: who, First: 1, Last: 6})
		for i, past := range told.Past {
			for seat := engine.Seat(0); seat <= 3; seat++ {
				own := seat != 0 && seat == want[i]
				if v := past.Viewer(engine.Event{Seat: seat}); v.All || (v.Seat == seat && seat != 0) != own {
					t.Errorf("%v is told of seat %d in step %d as %+v, want seats %v", who, seat, i, v, want)
				}
			}
		}
	}
}

// Who plays several boxes sees the cards of each, and of no other.
func TestMissedEventsOfSeveralBoxes(t *testing.T) {
	var p past
	p.add(Step{Past{First: 1, Events: make([]engine.Event, 1)}, []Player{
		{Seat: 1, Player: "alice", Kind: Remote}, {Seat: 2, Player: "bob", Kind: Remote}, {Seat: 3, Player: "alice", Kind: Remote},
	}})
	told := p.tell(&Request{From: Source{Player: "alice"}, First: 1, Last: 1})
	for seat, want := range []engine.Seat{0, 1, 0, 3} {
		if v := told.Past[0].Viewer(engine.Event{Seat: engine.Seat(seat)}); v.Seat != want || v.All {
			t.Errorf("seat %d is told as %+v", seat, v)
		}
	}
}

func TestWhatIsToldIsBounded(t *testing.T) {
	p := steps(keptEvents)
	told := p.tell(&Request{First: 0, Last: 1 << 63})
	n := 0
	for _, past := range told.Past {
		n += len(past.Events)
	}
	if n != maxTold || p.count > keptEvents || p.oldest() != uint64(3*keptEvents-p.count+1) {
		t.Errorf("%d events told of %d kept, the oldest %d", n, p.count, p.oldest())
	}
	if huge := p.tell(&Request{First: 12200, Last: 1<<64 - 1}); len(huge.Past) == 0 {
		t.Errorf("to the end of numbers: nothing")
	}
}
