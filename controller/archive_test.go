package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
)

// onDisk runs a table whose journal is on the disk and begins a segment between any two hands. Of what happened before, it
// has only so many events in memory.
func onDisk(t *testing.T, dir string, recent int) (d *desk, end func()) {
	t.Helper()
	j, found, err := journal.Open(dir, journal.Options{Table: "demo/t1", SegmentSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{}
	opt := options(t)
	opt.Journal, opt.Records, opt.Archive, opt.Outputs = j, j.Records(found.Start), j, []Output{m}
	table, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	m.table = table
	for table.past.count > recent {
		table.past.count -= len(table.past.Steps[0].Events)
		table.past.Steps = table.past.Steps[1:]
	}
	d = &desk{t: t, memory: m, deck: card.French.Cards(), err: make(chan error, 1)}
	d.ctx, d.stop = context.WithCancel(t.Context())
	go func() { d.err <- table.Run(d.ctx) }()
	synctest.Wait()
	return d, func() {
		d.leave()
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// told is what a player or a console is told of a range, asking as often as it takes.
func (d *desk) told(who Source, first, last uint64) (events []engine.Event) {
	d.t.Helper()
	for next := first; next <= last; next = first + uint64(len(events)) {
		d.table.Ask(d.ctx, Request{From: who, ID: fmt.Sprint("e", next), Verb: VerbEvents, First: next, Last: last})
		synctest.Wait()
		told := d.last().Told
		if len(told) != 1 || told[0].To != who || told[0].ID != fmt.Sprint("e", next) || told[0].Oldest != 1 || len(told[0].Past) == 0 {
			d.t.Fatalf("%v, who asked for %d to %d, is told %+v", who, next, last, told)
		}
		for _, past := range told[0].Past {
			if past.First != first+uint64(len(events)) || past.At.IsZero() {
				d.t.Fatalf("%v is told from %d on at %v, wants %d", who, past.First, past.At, first+uint64(len(events)))
			}
			for _, e := range past.Events {
				events = append(events, engine.Redact(e, past.Viewer(e)))
			}
		}
	}
	return events
}

// What is no longer in memory is told from the journal, over all its segments: to a player with the player's own cards, to a
// console without.
func TestEventsOfOldAreToldFromTheJournal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		var all []engine.Event
		for hand := range 3 {
			d, end := onDisk(t, dir, 20)
			d.playHand()
			for _, c := range card.French.Cards()[:d.dealt()] {
				d.place("muck", c)
			}
			for _, u := range d.updates {
				all = append(all, u.Events...)
			}
			if d.state().Seq != uint64(len(all)) || d.state().Hand != uint64(hand+1) {
				t.Fatalf("%d events of hand %d, want %d of %d", d.state().Seq, d.state().Hand, len(all), hand+1)
			}
			end()
		}
		d, end := onDisk(t, dir, 20)
		defer end()
		if segments, err := d.table.library.archive.Segments(); err != nil || len(segments) < 3 {
			t.Fatalf("segments %d, %v", segments, err)
		}
		last := uint64(len(all))
		for who, seat := range map[Source]engine.Seat{{Player: "alice"}: 1, {Player: "bruno"}: 2, {Console: "d1"}: 0} {
			want := make([]engine.Event, len(all))
			for i, e := range all {
				want[i] = engine.Redact(e, engine.Viewer{Seat: seat})
			}
			if got := d.told(who, 1, last); !reflect.DeepEqual(got, want) {
				t.Errorf("%v is told otherwise", who)
			}
			for _, first := range []uint64{last - 1, last / 2, 2} { // back and forth
				if got := d.told(who, first, first+1); !slices.EqualFunc(got, want[first-1:first+1], func(a, b engine.Event) bool { return reflect.DeepEqual(a, b) }) {
					t.Errorf("%v is told otherwise of event %d", who, first)
				}
			}
		}
	})
}

// One at a time, and not too many: whoever asks more is told to ask again.
func TestTheLibraryIsBounded(t *testing.T) {
	l := &library{queue: make(chan *Request, maxReading), waiting: map[string]bool{}}
	for i := range maxReading {
		r := &Request{From: Source{Player: fmt.Sprint("p", i)}}
		if !l.ask(r) || l.ask(r) {
			t.Fatalf("request %d", i)
		}
	}
	if l.ask(&Request{From: Source{Player: "late"}}) {
		t.Error("there was room for one more")
	}
	table := &Table{library: l}
	table.past.add(Step{Past: Past{First: 100, Events: make([]engine.Event, 1)}})
	if code, _ := reasonOf(table.recall(&Request{From: Source{Player: "late"}, First: 1, Last: 2})); code != CodeBusy {
		t.Errorf("refused as %q", code)
	}
}

// longSegment are the records of a segment of so many steps, of four events each.
func longSegment(t testing.TB, steps int) (records []journal.Entry) {
	t.Helper()
	pack := func(kind journal.Kind, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, journal.Entry{Kind: kind, Payload: b})
	}
	o := options(t)
	pack(kindStart, startRecord{Epoch: 1, setup: setup{Table: o.Name, Rules: o.Rules, Configured: o.Players}})
	for i := range steps {
		bet := engine.Event{Kind: engine.PlayerActed, Seat: 1 + engine.Seat(i%3), Action: engine.Raise, Amount: 20, To: 40}
		pack(kindStep, step{At: time.UnixMilli(1000), By: "player alice", ID: "0123456789abcdef", Seq: uint64(4 * (i + 1)), Events: []engine.Event{bet, bet, bet, bet}})
	}
	return records
}

// shelf is an archive of one segment in memory, which counts the records that are read of it.
type shelf struct {
	records []journal.Entry
	read    int
}

func (s *shelf) Segments() ([]uint64, error) { return []uint64{1}, nil }

func (s *shelf) Records(from uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for i, e := range s.records[from-1:] {
			s.read++
			if !yield(journal.Record{Seq: from + uint64(i), Kind: e.Kind, Payload: e.Payload}, nil) {
				return
			}
		}
	}
}

// catchUp has somebody be told everything there is, as much at a time as is told at a time.
func catchUp(t testing.TB, l *library, last uint64) {
	t.Helper()
	for next := uint64(1); next <= last; {
		if _, err := l.fetch(next); err != nil {
			t.Fatal(err)
		}
		told := l.stretch.tell(&Request{First: next, Last: last})
		if len(told.Past) == 0 || told.Past[0].First != next {
			t.Fatalf("of event %d is told %+v", next, told.Past)
		}
		for _, p := range told.Past {
			next += uint64(len(p.Events))
		}
	}
}

// However long a segment is, who catches up with it has each record of it read once, and once more at most.
func TestALongSegmentIsReadOnce(t *testing.T) {
	const steps = 12_000 // a dozen stretches
	s := &shelf{records: longSegment(t, steps)}
	l := newLibrary(s, slog.New(slog.DiscardHandler))
	catchUp(t, l, 4*steps)
	if s.read > steps+100 {
		t.Errorf("%d records read, there are %d", s.read, steps)
	}
	s.read = 0
	catchUp(t, l, 4*steps)
	if s.read > steps+100 {
		t.Errorf("%d records read the second time, there are %d", s.read, steps)
	}
	for _, event := range []uint64{4 * steps, 1, 30_001, 8_192, 8_193, 2} { // here and there
		s.read = 0
		if _, err := l.fetch(event); err != nil || !l.stretch.has(event) {
			t.Errorf("event %d: %v", event, err)
		}
		if s.read > 2*keptEvents/4+100 {
			t.Errorf("%d records read for event %d", s.read, event)
		}
	}
}

// BenchmarkCatchUp measures how long somebody who missed all of a segment of the usual size waits for the stretch that takes
// longest, and for all of it.
func BenchmarkCatchUp(b *testing.B) {
	j, _, err := journal.Open(filepath.Join(b.TempDir(), "journal"), journal.Options{Table: "demo/t1"})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	const steps = 20_000
	if err := j.Append(longSegment(b, steps)...); err != nil {
		b.Fatal(err)
	}
	if !j.Full() {
		b.Fatal("a segment holds more")
	}
	var longest time.Duration
	for b.Loop() {
		l := newLibrary(j, slog.New(slog.DiscardHandler))
		for next := uint64(1); next <= 4*steps; {
			began := time.Now()
			if _, err := l.fetch(next); err != nil {
				b.Fatal(err)
			}
			longest = max(longest, time.Since(began))
			next = l.stretch.Steps[len(l.stretch.Steps)-1].next()
		}
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
}

// broken is an archive that was damaged after it was opened.
type broken struct{}

func (broken) Segments() ([]uint64, error) { return []uint64{1}, nil }

func (broken) Records(uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) { yield(journal.Record{}, errors.New("damaged")) }
}

// Who asks for what cannot be read is told where to go on.
func TestADamagedArchiveTellsWhereToGoOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLibrary(broken{}, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		got := make(chan Told, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.run(ctx, func(told Told) { got <- told })
		}()
		r := &Request{From: Source{Player: "alice"}, ID: "x", First: 1, Last: 9}
		l.ask(r)
		table := &Table{library: l}
		table.past.add(Step{Past: Past{First: 7, Events: make([]engine.Event, 3)}})
		table.told(<-got)
		told := table.updates[0].Told[0]
		if told.Oldest != 7 || told.ID != "x" || len(told.Past) != 0 || len(l.waiting) != 0 {
			t.Errorf("told %+v", told)
		}
		stop()
		<-done
	})
}
