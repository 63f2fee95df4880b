package controller

import (
	"time"

	"tavolo/engine"
)

const (
	// keptEvents is how many events are kept in memory for whoever missed some, some fifty hands; those before are told from
	// the archive. A snapshot holds them, so that a restart forgets none.
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
	// Own are the seats that were those of whoever asked.
	Own engine.Seats `json:"-"`
}

// Viewer is how whoever asked sees an event: of several seats, as the one that it is about.
func (p *Past) Viewer(e engine.Event) engine.Viewer {
	if p.Own.Has(e.Seat) {
		return engine.Viewer{Seat: e.Seat}
	}
	return engine.Viewer{}
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

// next is the number of the event after the step.
func (k *Step) next() uint64 { return k.First + uint64(len(k.Events)) }

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

// oldest is the number of the oldest event that is kept, 0 for none.
func (p *past) oldest() uint64 {
	if len(p.Steps) == 0 {
		return 0
	}
	return p.Steps[0].First
}

// has reports whether all events from a number on are kept.
func (p *past) has(first uint64) bool { return first >= p.oldest() }

// tell gives the events asked for, the first of them that there is room for. Oldest is left to whoever knows it.
func (p *past) tell(r *Request) Told {
	told := Told{To: r.From, ID: r.ID}
	room := maxTold
	for _, k := range p.Steps {
		from, to := max(k.First, r.First), min(k.next()-1, r.Last)+1
		if from >= to || room == 0 {
			continue
		}
		events := k.Events[from-k.First : to-k.First]
		events = events[:min(len(events), room)]
		room -= len(events)
		k.First, k.Events, k.Own = from, events, k.seatsOf(r.From)
		told.Past = append(told.Past, k.Past)
	}
	return told
}

// seatsOf are the seats that were those of a remote player in the step: one who plays several boxes has several.
func (k *Step) seatsOf(who Source) (seats engine.Seats) {
	for _, p := range k.Players {
		if p.Kind == Remote && p.Player != "" && p.Player == who.Player {
			seats = seats.With(p.Seat)
		}
	}
	return seats
}

// recall answers a VerbEvents: from memory at once, from the archive when that was read.
func (t *Table) recall(r *Request) error {
	r.First = max(r.First, 1)
	switch {
	case t.library == nil || t.past.has(r.First):
		told := t.past.tell(r)
		if told.Oldest = t.past.oldest(); t.library != nil {
			told.Oldest = t.library.oldest
		}
		t.update().Told = append(t.update().Told, told)
	case !t.library.ask(r):
		return refuse(CodeBusy, "you are being told of other events, or too many others are: ask again")
	}
	return nil
}

// told tells what the library found; what it could not read is gone for whoever asked, who has to go on from memory.
func (t *Table) told(told Told) {
	delete(t.library.waiting, told.To.String())
	if told.Oldest == 0 {
		told.Oldest = t.past.oldest()
	}
	t.update().Told = append(t.update().Told, told)
}
