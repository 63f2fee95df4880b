package controller

import (
	"slices"
	"time"

	"tavolo/engine"
)

const (
	// keptEvents is how many events are kept in memory for whoever missed some, some fifty hands. A snapshot
	// holds them, so that a restart forgets none.
	keptEvents = 4096
	// maxTold is how many are told at a time: what fits in one message.
	maxTold = 64
)

// Past are events that were published before, or should have been.
type Past struct {
	At time.Time `json:"at"`
	// Hand is the hand that they were in, or the last one; 0 before the first.
	Hand uint64 `json:"hand"`
	// First is the number of the first of Events.
	First  uint64         `json:"first"`
	Events []engine.Event `json:"events"`
	// Viewer is whoever asked for them, as they sat then.
	Viewer engine.Viewer `json:"-"`
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

// Recent are the latest steps of a table.
type Recent struct {
	// Before is the table before the first of Steps.
	Before engine.State `json:"before"`
	Steps  []Step       `json:"steps,omitempty"`
}

// Step is what followed from one input, and who had the seats then.
type Step struct {
	Past
	Players []Player `json:"players"`
}

// past keeps the latest events.
type past struct {
	Recent
	count int // of events
}

// begin makes recent what is kept.
func (p *past) begin(recent Recent) {
	*p = past{Recent: recent}
	for _, s := range p.Steps {
		p.count += len(s.Events)
	}
}

// add keeps a step's events, and lets go of the oldest.
func (p *past) add(k Step) {
	p.Steps = append(p.Steps, k)
	p.count += len(k.Events)
	for p.count > keptEvents {
		p.Before = engine.Replay(p.Before, p.Steps[0].Events)
		p.count -= len(p.Steps[0].Events)
		p.Steps = p.Steps[1:]
	}
}

// tell gives the events asked for.
func (p *past) tell(r *Request) Told {
	told := Told{To: r.From, ID: r.ID}
	if len(p.Steps) > 0 {
		told.Oldest = p.Steps[0].First
	}
	room := maxTold
	for _, k := range p.Steps {
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
func (k *Step) viewer(who Source) engine.Viewer {
	i := slices.IndexFunc(k.Players, func(p Player) bool { return p.Kind == Remote && p.Player != "" && p.Player == who.Player })
	if i < 0 {
		return engine.Viewer{}
	}
	return engine.Viewer{Seat: k.Players[i].Seat}
}
