package controller

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

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
