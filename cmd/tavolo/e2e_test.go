package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// The tests in the e2e files run whole tables: the daemon as it is wired for a studio, its journal on the disk, its broker
// on a port, and simulated hardware on pseudo-terminals. This file holds what they share.

// patience bounds every wait. It is long for the sake of a slow machine under the race detector.
const patience = 3 * time.Minute

// rig is a table of its own, in a folder of the test.
type rig struct {
	t      testing.TB
	file   string // the configuration
	cfg    *Config
	hand   *phh.Hand // of a table with a script
	script *simtable.Script
}

// newRig writes a demo's configuration, with clocks that run out for nobody on a slow machine. Each edit changes its text.
func newRig(t testing.TB, o demoOptions, edits ...func(string) string) *rig {
	t.Helper()
	r := &rig{t: t}
	o.dir, o.house = t.TempDir(), "tda"
	o.game, o.mqtt = cmp.Or(o.game, "holdem"), cmp.Or(o.mqtt, "127.0.0.1:0")
	table := demoTable{demoOptions: o}
	var err error
	if o.script != "" {
		if r.hand, err = readHand(o.script); err == nil {
			r.script, err = table.record(r.hand)
		}
	} else {
		err = table.fresh()
	}
	if err == nil {
		r.file, err = table.write()
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(r.file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "action_clock = \"20s\"\nshow_clock = \"5s\"", "action_clock = \"10m\"\nshow_clock = \"1m\"", 1)
	for _, edit := range edits {
		text = edit(text)
	}
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r.cfg, err = LoadConfig(r.file); err != nil {
		t.Fatal(err)
	}
	return r
}

// scripted is a table that plays one of this package's recorded hands.
func scripted(t *testing.T, hand string, felt int, edits ...func(string) string) *rig {
	t.Helper()
	return newRig(t, demoOptions{script: filepath.Join("testdata", "hands", hand), felt: felt}, edits...)
}

// without takes sections out of a configuration: those that hold a line.
func without(line string) func(string) string {
	return func(text string) string {
		sections := strings.Split(text, "\n[")
		sections = slices.DeleteFunc(sections, func(s string) bool { return strings.Contains(s, line) })
		return strings.Join(sections, "\n[")
	}
}

func (r *rig) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(r.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// daemon runs the daemon in this process, until the test ends.
func (r *rig) daemon(outputs ...func(*daemon)) *daemon {
	r.t.Helper()
	d, err := newDaemon(r.cfg, r.log())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range outputs {
		f(d)
	}
	background(r.t, d.run)
	return d
}

// sim runs simulated hardware and people, until the test ends or the people have done what they were to do.
func (r *rig) sim(url string, change func(*simtable.Options)) (sim *simtable.Table, ended <-chan struct{}) {
	r.t.Helper()
	opt := simOptions(r.cfg, url, demoPassword, r.log())
	opt.Script = r.script
	if change != nil {
		change(&opt)
	}
	sim, err := simtable.New(opt)
	if err != nil {
		r.t.Fatal(err)
	}
	background(r.t, sim.Run)
	return sim, background(r.t, sim.Play)
}

// background runs f until it returns or the test ends, which it must not do with an error.
func background(t testing.TB, f func(context.Context) error) (ended <-chan struct{}) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f(ctx); err != nil {
			t.Errorf("ended: %v", err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return done
}

// seen is what a user of the broker was told.
type seen struct {
	status   mqtt.StatusPayload
	states   []mqtt.StatePayload // all, the newest last
	events   []mqtt.EventPayload // all
	prompt   mqtt.PromptPayload
	devices  map[string]mqtt.DevicePayload
	happened []mqtt.DeviceEventPayload
	raw      []mqtt.Message // all of it
}

// state is the newest; the zero one before the first.
func (s *seen) state() mqtt.StatePayload {
	if len(s.states) == 0 {
		return mqtt.StatePayload{}
	}
	return s.states[len(s.states)-1]
}

// stacks are those of the newest state.
func (s *seen) stacks() (out [engine.MaxSeats + 1]engine.Chips) {
	for _, v := range s.state().View.Seats {
		out[v.Seat] = v.Stack
	}
	return out
}

// over is whether a hand has been played and is over.
func (s *seen) over() bool {
	v := s.state().View
	return v.Hand > 0 && v.Phase == engine.Between
}

// kinds are how many events of each kind there were.
func (s *seen) kinds() map[engine.EventKind]int {
	count := map[engine.EventKind]int{}
	for _, e := range s.events {
		count[e.Event.Kind]++
	}
	return count
}

// on gives the payloads on a topic, in the order they came.
func on[T any](t testing.TB, s *seen, topic string) (out []T) {
	for _, m := range s.raw {
		if m.Topic != topic {
			continue
		}
		var v T
		if err := json.Unmarshal(m.Payload, &v); err != nil {
			t.Errorf("%s: %v: %s", m.Topic, err, m.Payload)
		}
		out = append(out, v)
	}
	return out
}

// watcher is a connection of a user whose messages are kept.
type watcher struct {
	t    testing.TB
	link *mqtt.Link

	mu      sync.Mutex
	end     *seal.Player // nil for who is no player
	seen    seen
	changed chan struct{}
}

// watch connects the floor manager, who sees everything but cards and requests.
func (r *rig) watch(url string) *watcher {
	at := r.cfg.Topics
	return r.join(url, "floor", at.Status(), at.State(), at.Events(), at.Prompt("dealer"), at.Device("+"), at.DeviceEvents("+"), at.Checkpoint())
}

// join connects a user, and returns when the connection is up if the broker is.
func (r *rig) join(url, user string, filters ...string) *watcher {
	return join(r.t, url, user, nil, filters...)
}

// join connects a user, with the player's end of what is sealed for one who is a player.
func join(t testing.TB, url, user string, end *seal.Player, filters ...string) *watcher {
	t.Helper()
	link, err := mqtt.NewLink(mqtt.Options{
		URL: url, ClientID: mqtt.ClientID(user, "test"), User: user, Password: demoPassword, Subscribe: filters,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{t: t, link: link, end: end, changed: make(chan struct{})}
	w.seen.devices = map[string]mqtt.DevicePayload{}
	background(t, link.Run)
	background(t, func(ctx context.Context) error {
		for {
			select {
			case m := <-link.Messages():
				w.take(m)
			case <-ctx.Done():
				return nil
			}
		}
	})
	return w
}

func (w *watcher) take(m mqtt.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &w.seen
	var sealed seal.Message
	if w.end != nil && json.Unmarshal(m.Payload, &sealed) == nil && sealed.Login == w.end.Login() {
		var err error
		if m.Payload, err = w.end.Open(path.Base(m.Topic), sealed); err != nil {
			w.t.Errorf("%s: %v", m.Topic, err)
		}
	}
	s.raw = append(s.raw, m)
	into := func(v any) {
		if err := json.Unmarshal(m.Payload, v); err != nil {
			w.t.Errorf("%s: %v: %s", m.Topic, err, m.Payload)
		}
	}
	_, at, _ := strings.Cut(strings.TrimPrefix(m.Topic, "tavolo/v1/"), "/")
	_, at, _ = strings.Cut(at, "/")
	switch {
	case at == "status":
		into(&s.status)
	case at == "pub/state":
		s.states = append(s.states, mqtt.StatePayload{})
		into(&s.states[len(s.states)-1])
	case at == "pub/ev":
		s.events = append(s.events, mqtt.EventPayload{})
		into(&s.events[len(s.events)-1])
	case strings.HasSuffix(at, "/prompt"):
		s.prompt = mqtt.PromptPayload{}
		into(&s.prompt)
	case strings.HasPrefix(at, "hw/") && strings.HasSuffix(at, "/ev"):
		s.happened = append(s.happened, mqtt.DeviceEventPayload{})
		into(&s.happened[len(s.happened)-1])
	case strings.HasPrefix(at, "hw/"):
		var p mqtt.DevicePayload
		into(&p)
		s.devices[p.Device] = p
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// await waits until something is so.
func (w *watcher) await(what string, so func(*seen) bool) {
	w.t.Helper()
	late := time.After(patience)
	for {
		w.mu.Lock()
		is, changed := so(&w.seen), w.changed
		w.mu.Unlock()
		if is {
			return
		}
		select {
		case <-changed:
		case <-late:
			w.mu.Lock()
			defer w.mu.Unlock()
			state := w.seen.state()
			w.t.Fatalf("%s: not so for %v. Status %+v, holds %q, instruction %+v, prompts %+v, view %+v, devices %+v", what, patience,
				w.seen.status, state.Holds, w.seen.prompt.Instruction, w.seen.prompt.Prompts, state.View, w.seen.devices)
		}
	}
}

// enough has a table be played until something is so, or for so long that it never will be, after which whoever misses it finds
// out.
func (w *watcher) enough(so func(*seen) bool) func() bool {
	late := time.Now().Add(4 * patience)
	return func() (is bool) {
		w.look(func(s *seen) { is = so(s) })
		return is || time.Now().After(late)
	}
}

// eventually waits until something is so that nobody tells of.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	look, late := time.NewTicker(10*time.Millisecond), time.After(patience)
	defer look.Stop()
	for !so() {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("%s: not so for %v", what, patience)
		}
	}
}

// turn waits until a seat is to act, and returns how many events there were before.
func (w *watcher) turn(seat engine.Seat) (seq uint64) {
	w.t.Helper()
	w.await(fmt.Sprintf("seat %d is to act", seat), func(s *seen) bool {
		seq = s.state().Seq
		a := s.state().View.Awaits
		return a.Kind == engine.AwaitAction && a.Seat == seat
	})
	return seq
}

// acted waits until a seat has done what it was to do after so many events.
func (w *watcher) acted(seat engine.Seat, seq uint64) {
	w.t.Helper()
	w.await(fmt.Sprintf("seat %d has acted", seat), func(s *seen) bool {
		a := s.state().View.Awaits
		return s.state().Seq > seq && (a.Seat != seat || a.Kind != engine.AwaitAction)
	})
}

// look lets f see what was told so far.
func (w *watcher) look(f func(*seen)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.seen)
}

// played waits for the end of the last hand, which everybody is told of then, and gives the journal of them all.
func (r *rig) played(w *watcher, ended <-chan struct{}) journalled {
	r.t.Helper()
	<-ended
	h := r.read(r.cfg.Journal)
	w.await("the end of the last hand", func(s *seen) bool { return s.state().Seq >= uint64(len(h.events)) })
	return h
}

// endsAsRecorded waits for the end of the script's hand and compares the stacks, as MQTT tells them, with the record.
func (r *rig) endsAsRecorded(w *watcher) {
	r.t.Helper()
	w.await("the hand is over", (*seen).over)
	w.look(func(s *seen) {
		var state engine.State
		for seat, stack := range s.stacks() {
			state.Seats[seat].Stack = stack
		}
		for _, d := range replay.Compare(r.hand, &state) {
			r.t.Errorf("player %d ends with %d, recorded %d", d.Player, d.Got, d.Want)
		}
	})
}

// step is what the journal keeps of an input.
type step struct {
	Input  engine.Input   `json:"input"`
	Events []engine.Event `json:"events"`
	Seq    uint64         `json:"seq"`
}

// stepKind is the kind of the journal's records that hold a step.
const stepKind = 2

// journalled is what a journal tells: every event, the first with number 1, and the state after any of them.
type journalled struct {
	rules  *engine.Rules
	events []engine.Event
	steps  []step
}

// read reads a journal that has no snapshots yet, as no table of a test plays for so long. The end may be torn.
func (r *rig) read(dir string) journalled {
	r.t.Helper()
	h := journalled{rules: &r.cfg.Rules}
	for rec, err := range journal.Read(dir, 0) {
		if fault, ok := err.(*journal.Fault); ok && fault.Torn {
			break
		}
		if err != nil {
			r.t.Fatal(err)
		}
		if rec.Kind != stepKind {
			continue
		}
		var s step
		if err := json.Unmarshal(rec.Payload, &s); err != nil {
			r.t.Fatal(err)
		}
		h.steps, h.events = append(h.steps, s), append(h.events, s.Events...)
		if s.Seq != uint64(len(h.events)) {
			r.t.Fatalf("%s: record %d ends with event %d, want %d", dir, rec.Seq, s.Seq, len(h.events))
		}
	}
	return h
}

// at is the state after event number seq.
func (h *journalled) at(seq uint64) engine.State {
	return engine.Replay(engine.State{Rules: h.rules}, h.events[:seq])
}

// agrees checks that every state and event that anybody was told is the journal's: that nothing which was told was
// forgotten, whenever the daemon died.
func (r *rig) agrees(w *watcher) {
	r.t.Helper()
	w.look(func(s *seen) {
		h := r.read(r.cfg.Journal) // after all that has been told
		for _, e := range s.events {
			if e.Seq > uint64(len(h.events)) || !reflect.DeepEqual(e.Event, engine.Redact(h.events[e.Seq-1], engine.Viewer{})) {
				r.t.Fatalf("event %d of run %d is not the journal's: %+v", e.Seq, e.Epoch, e.Event)
			}
		}
		for _, p := range s.states {
			if p.Seq > uint64(len(h.events)) {
				r.t.Fatalf("state %d of run %d is ahead of the journal, which ends at %d", p.Seq, p.Epoch, len(h.events))
			}
			told, err := json.Marshal(p.View)
			if err != nil {
				r.t.Fatal(err)
			}
			kept, err := json.Marshal(engine.ViewFor(h.at(p.Seq), engine.Viewer{}))
			if err != nil {
				r.t.Fatal(err)
			}
			if !bytes.Equal(told, kept) {
				r.t.Fatalf("state %d of run %d\n%s\nis not the journal's\n%s", p.Seq, p.Epoch, told, kept)
			}
		}
	})
}

// playing leaves only the simulated players with these names.
func playing(names ...string) func(*simtable.Options) {
	return func(o *simtable.Options) {
		o.Players = slices.DeleteFunc(o.Players, func(p simtable.Player) bool { return !slices.Contains(names, p.Name) })
	}
}
