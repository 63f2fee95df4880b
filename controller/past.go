package controller

import (
	"slices"
	"time"

	"tavolo/engine"
)

const (
	// keptEvents is how many events are kept in memory for whoever missed some, some fifty hands. After a start they are
	// those that the journal has since its last snapshot.
	keptEvents = 4096
	// maxTold is how many are told at a time: what fits in one message.
	maxTold = 64
)

// Past are events that were published before, or should have been.
type Past struct {
	At time.Time
	// Hand is the hand that they were in, or the last one; 0 before the first.
	Hand uint64
	// First is the number of the first of Events.
	First  uint64
	Events []engine.Event
	// Viewer is whoever asked for them, as they sat then.
	Viewer engine.Viewer
}

// Told answers a VerbEvents. It is not journalled, and told as often as it is asked for.
type Told struct {
	To Source
	ID string
	// Oldest is the number of the oldest event that can be told, Past what was asked for and can be, without a gap: the rest
	// is to be asked for once more.
	Oldest uint64
	Past   []Past
}

// past keeps the latest events.
type past struct {
	kept  []keptStep
	count int // of events
}

// keptStep is a step's events, and who sat where.
type keptStep struct {
	Past
	players []Player
}

// add keeps a step's events, and lets go of the oldest.
func (p *past) add(k keptStep) {
	p.kept = append(p.kept, k)
	p.count += len(k.Events)
	for p.count > keptEvents {
		p.count -= len(p.kept[0].Events)
		p.kept = p.kept[1:]
	}
}

// tell gives the events asked for.
func (p *past) tell(r *Request) Told {
	told := Told{To: r.From, ID: r.ID}
	if len(p.kept) > 0 {
		told.Oldest = p.kept[0].First
	}
	room := maxTold
	for _, k := range p.kept {
		end := k.First + uint64(len(k.Events)) // the number after its last
		from, to := max(k.First, r.First), min(end-1, r.Last)+1
		if from >= to || room == 0 {
			continue
		}
		events := k.Events[from-k.First : to-k.First]
		events = events[:min(len(events), room)]
		room -= len(events)
		k.First, k.Events, k.Viewer = from, events, k.viewer(r.From)
		told.Past = append(told.Past, k.Past)
	}
	return told
}

// viewer is how whoever asks sees the step: a remote player as the seat that was the player's then.
func (k *keptStep) viewer(who Source) engine.Viewer {
	i := slices.IndexFunc(k.players, func(p Player) bool { return p.Kind == Remote && p.Player != "" && p.Player == who.Player })
	if i < 0 {
		return engine.Viewer{}
	}
	return engine.Viewer{Seat: k.players[i].Seat}
}
