package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/seating"
)

// Archive is what a table's journal holds; it is read while the table runs. *journal.Journal is one.
type Archive interface {
	// Segments are the numbers of the records that the segments begin with, oldest first.
	Segments() ([]uint64, error)
	// Records yields the records from a number on.
	Records(from uint64) iter.Seq2[journal.Record, error]
}

const (
	// maxReading is how many wait to be told from the archive, each for one request; one more has to ask again.
	maxReading = 64
	// readRest is how many times the time that a look into the archive took nobody looks into it: so whoever asks for it
	// here and there takes a quarter of one processor at most.
	readRest = 3
)

// library tells events that are no longer kept in memory, from the archive. Its goroutine is run's; what the table asks of
// it are oldest and ask, from the table's own.
type library struct {
	archive Archive
	log     *slog.Logger
	// oldest is the number of the oldest event in the archive.
	oldest  uint64
	queue   chan *Request
	waiting map[string]bool // those in the queue, by their sources; of the table's goroutine

	// Of run.
	firsts  map[uint64]uint64 // the first event of each segment that was looked at
	stretch past              // what was read last: whoever catches up asks for what follows
	segment uint64            // the one it was read from
	marks   []mark            // places in that segment from which it can be read on, in order
}

// mark is a place in a segment: the record to go on from, the first event that it or one behind it can hold, and what the
// records before it say of the table.
type mark struct {
	record, event uint64
	at            stepReader
}

// newLibrary opens an archive. One that cannot be read is none: the table goes on from its newest segment.
func newLibrary(archive Archive, log *slog.Logger) *library {
	l := &library{
		archive: archive, log: log, queue: make(chan *Request, maxReading), waiting: map[string]bool{}, firsts: map[uint64]uint64{},
	}
	segments, err := archive.Segments()
	if err == nil {
		l.oldest, err = l.first(segments[0])
	}
	if err != nil {
		log.Error("events before those in memory cannot be told", "err", err)
		return nil
	}
	return l
}

// ask queues a request, unless its source has one in the queue or there is no room.
func (l *library) ask(r *Request) (ok bool) {
	from := r.From.String()
	if l.waiting[from] {
		return false
	}
	select {
	case l.queue <- r:
		l.waiting[from] = true
		return true
	default:
		return false
	}
}

// run answers what is asked, until ctx ends. Where the archive cannot be read, the answer holds nothing and no Oldest.
func (l *library) run(ctx context.Context, answer func(Told)) {
	for {
		var r *Request
		select {
		case r = <-l.queue:
		case <-ctx.Done():
			return
		}
		began := time.Now()
		looked, err := l.fetch(r.First)
		told := l.stretch.tell(r)
		if told.Oldest = l.oldest; err != nil {
			told = Told{To: r.From, ID: r.ID}
			l.log.Error("events cannot be told from the journal", "first", r.First, "last", r.Last, "err", err)
		}
		answer(told)
		if !looked {
			continue
		}
		select {
		case <-time.After(readRest * time.Since(began)):
		case <-ctx.Done():
		}
	}
}

// fetch makes the stretch hold an event, and reports whether that took a look into the archive.
func (l *library) fetch(event uint64) (looked bool, err error) {
	if n := len(l.stretch.Steps); n > 0 && l.stretch.has(event) && event < l.stretch.Steps[n-1].next() {
		return false, nil
	}
	l.stretch = past{}
	segments, err := l.archive.Segments()
	if err != nil {
		return true, err
	}
	at, found := slices.BinarySearchFunc(segments, event, func(segment, event uint64) int {
		first, e := l.first(segment)
		err = cmp.Or(err, e)
		return cmp.Compare(first, event)
	})
	if !found {
		at--
	}
	if err != nil || at < 0 {
		return true, err
	}
	return true, l.read(segments[at], event)
}

// first is the number of the first event of the segment that begins with a record.
func (l *library) first(segment uint64) (uint64, error) {
	if segment == 1 {
		return 1, nil
	}
	if first := l.firsts[segment]; first != 0 {
		return first, nil
	}
	for rec, err := range l.archive.Records(segment) {
		if err != nil {
			return 0, err
		}
		var s struct {
			State engine.State `json:"state"`
		}
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			return 0, fmt.Errorf("journal: %s, record %d: %w", rec.File, rec.Seq, err)
		}
		l.firsts[segment] = s.State.Seq + 1
		return s.State.Seq + 1, nil
	}
	return 0, fmt.Errorf("journal: no record %d", segment)
}

// read makes the stretch the steps from the one that holds an event on, as many as are kept in memory. It goes on from a mark,
// and leaves one where it ends and each time it has passed so many events: so a segment is worked through once, however often
// parts of it are asked for.
func (l *library) read(segment, event uint64) error {
	if l.segment != segment {
		l.segment, l.marks = segment, []mark{{record: segment}}
	}
	n := len(l.marks) - 1
	for l.marks[n].event > event {
		n--
	}
	from := l.marks[n]
	passed := 0
	for rec, err := range l.archive.Records(from.record) {
		if err != nil {
			return err
		}
		s, err := from.at.fold(rec)
		if err != nil {
			return fmt.Errorf("journal: %s, record %d: %w", rec.File, rec.Seq, err)
		}
		if len(s.Events) == 0 {
			continue
		}
		if s.next() > event {
			l.stretch.Steps = append(l.stretch.Steps, s)
			l.stretch.count += len(s.Events)
		}
		if passed += len(s.Events); passed >= keptEvents || l.stretch.count >= keptEvents {
			passed = 0
			if l.marks[len(l.marks)-1].event < s.next() {
				l.marks = append(l.marks, mark{rec.Seq + 1, s.next(), from.at})
			}
		}
		if l.stretch.count >= keptEvents {
			return nil
		}
	}
	return nil
}

// stepReader follows the steps of a table through its records, and who had the seats.
type stepReader struct {
	setup
	seating seating.State
	hand    uint64
}

// fold takes a record, and gives the step that it is: one without events if it is none that had any.
func (r *stepReader) fold(rec journal.Record) (Step, error) {
	switch rec.Kind {
	case journal.Snapshot:
		var s snapshot
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			return Step{}, err
		}
		r.setup, r.seating, r.hand = s.setup, s.Seating, s.State.Hand
	case kindStart:
		var s startRecord
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			return Step{}, err
		}
		r.setup = s.setup
	case kindStep:
		var s step
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			return Step{}, err
		}
		r.seating = seating.Replay(r.seating, s.Seating)
		for i := range s.Events {
			if s.Events[i].Kind == engine.HandBegan {
				r.hand = s.Events[i].Hand
			}
		}
		first := s.Seq - uint64(len(s.Events)) + 1
		return Step{Past{At: s.At, Hand: r.hand, First: first, Events: s.Events}, present(r.Configured, &r.seating)}, nil
	}
	return Step{}, nil
}
