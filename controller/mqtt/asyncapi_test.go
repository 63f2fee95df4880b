package mqtt

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"tavolo/controller"
	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/seating"
)

var updateAPI = flag.Bool("update", false, "write asyncapi.json anew, and what it promises, unless that breaks an older promise")

// captured are messages of a run by channel: of each up to three that differ in their fields. The run is the same each time.
func captured(t *testing.T) (examples map[string][]example) {
	cryptotest.SetGlobalRandom(t, 7) // keys and what is sealed with them
	synctest.Test(t, func(t *testing.T) { examples = examplesOf(t, played(t)) })
	return examples
}

// played is everything that goes over the wire in a run in which everything is said that there is to say.
func played(t *testing.T) []wired {
	s := newStage(t)
	feed := NewFeed(FeedOptions{Topics: testTopics, Title: s.pub.Title, Sink: s, Recent: controller.Recent{Before: s.state}, Epoch: 7})
	s.also = append(s.also, feed)
	publish := func(u controller.Update) {
		u.State, u.Before, u.Epoch, u.Players, u.Turn, u.Seating, u.Time = s.state, s.state, 7, s.players, s.turn, s.seating, time.UnixMilli(1000)
		s.pub.Publish(&u)
	}
	hears := func(topic string, sent, opened []byte) {
		s.wire = append(s.wire, wired{topic, example{sent, opened}})
		s.pub.hear(t.Context(), Message{Topic: topic, Payload: sent}, &desk{}, slog.New(slog.DiscardHandler))
	}
	asks := func(player, text string) {
		hears(testTopics.Action(player), Pack(s.sunk.players[player].Seal(7, []byte(text))), []byte(text))
	}
	commands := func(text string) { hears(testTopics.Command("d1"), []byte(text), nil) }
	alice, console := controller.Source{Player: "alice"}, controller.Source{Console: "d1"}

	s.State(testTopics.Status(), NewStatus(testTopics, 7, "1.0.0").Online)
	s.State(testTopics.Device("shoe"), Pack(DevicePayload{V: 1, Device: "shoe", Kind: "pepper-c1", State: StateUp, Since: 1000}))
	s.Event(testTopics.DeviceEvents("shoe"), Pack(DeviceEventPayload{V: 1, Device: "shoe", Kind: "pepper-c1", Time: 1000, Happened: StateUp}))
	s.Event(testTopics.DeviceEvents("shoe"), Pack(DeviceEventPayload{V: 1, Device: "shoe", Kind: "pepper-c1", Time: 1000, Happened: EventFaults, Faults: map[string]uint64{"bad_checksum": 2}}))
	commands(`{"v":1,"id":"c1","cmd":"resync"}`)
	publish(controller.Update{Resync: []controller.Source{console}, Reply: &controller.Reply{To: console, ID: "c1", OK: true}})
	asks("alice", `{"v":1,"id":"r1","action":"ping"}`)
	commands(`{"v":1,"id":"c2","epoch":7,"cmd":"start_hand"}`)
	s.deal()
	asks("alice", fmt.Sprintf(`{"v":1,"id":"r2","epoch":7,"turn":%d,"action":"raise","amount":3}`, s.turn))
	publish(controller.Update{
		Reply: &controller.Reply{To: alice, ID: "r2", Code: "too_little", Text: "raise to 4 at least"},
		Clock: controller.Clock{Seat: 1, Total: 20 * time.Second, Deadline: time.UnixMilli(21000)},
	})
	asks("bruno", `{"v":1,"id":"r3","action":"plan_check_fold","hand":1,"street":"preflop"}`)
	planned := controller.Update{}
	planned.Plans[2] = controller.Plan{Verb: controller.VerbPlanCheckFold}
	publish(planned)
	asks("alice", `{"v":1,"id":"r4","action":"events","first":9,"last":9}`)
	past := controller.Past{At: time.UnixMilli(1000), Hand: 1, First: 9, Events: []engine.Event{{Kind: engine.HoleDealt, Seat: 1, Card: s.state.Seats[1].Hole[0]}}}
	own := past
	own.Own = own.Own.With(1)
	publish(controller.Update{Told: []controller.Told{
		{To: alice, ID: "r4", Oldest: 1, Past: []controller.Past{own}},
		{To: console, ID: "c3", Oldest: 1, Past: []controller.Past{past}},
	}})
	for s.state.Phase != engine.Between {
		s.do(engine.Input{Kind: engine.Acted, Seat: s.state.Turn, Action: engine.Fold})
	}
	feed.tell()
	s.seating.Rules = &seating.Rules{Open: engine.Seats(0).With(4), MinBuyIn: 20, MaxBuyIn: 200}
	s.seating.List = []seating.Waiting{{Player: "dora", Until: 61000}}
	publish(controller.Update{
		Changes: []seating.Event{{Kind: seating.SeatOffered, Player: "dora", At: 61000}},
		Rail:    bonus.Rail{Open: []bonus.Behind{{Player: "emma", Box: 2, Stake: bonus.Stake{Ante: 10, Bonus: 5}}}}, Backers: []string{"emma"},
	})
	s.pub.Checkpoint(time.UnixMilli(1000), signed(t))
	hears(testTopics.Action("alice"), farewell(s.sunk.players["alice"]), nil)
	return s.wire
}

// signed is a checkpoint of a journal.
func signed(t *testing.T) []byte {
	j, _, err := journal.Open(t.TempDir(), journal.Options{Table: testTopics.Studio + "/" + testTopics.Table})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(journal.Entry{Kind: 1, Payload: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	note, err := j.Checkpoint()
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	return note
}

// examplesOf sorts messages by the channels that they are on. A farewell alone is on the topic of another, which is sealed.
func examplesOf(t *testing.T, wire []wired) map[string][]example {
	out := map[string][]example{}
	for _, c := range channels() {
		filter := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(c.address, "+")
		shapes := map[string]bool{}
		for _, m := range wire {
			text := m.sent
			if c.sealed {
				text = m.opened
			}
			if !Matches(filter, m.topic) || bytes.Contains(m.sent, []byte(`"gone"`)) != (c.name == "farewell") {
				continue
			}
			if shape := shapeOf(t, text); !shapes[shape] && len(shapes) < 3 {
				shapes[shape] = true
				out[c.name] = append(out[c.name], m.example)
			}
		}
	}
	return out
}

// shapeOf is which fields a message has, and of what kind an event is.
func shapeOf(t *testing.T, text []byte) string {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	shape := strings.Join(slices.Sorted(maps.Keys(m)), " ")
	if e, ok := m["event"]; ok {
		var kind struct{ Event string }
		if err := json.Unmarshal(e, &kind); err != nil {
			t.Fatal(err)
		}
		shape += " " + kind.Event
	}
	return shape
}

// The document is that of the types as they are, with examples from a run; and what it promises is written down, and keeps what
// was promised before.
func TestAsyncAPIIsCurrent(t *testing.T) {
	document := indented(t, describe(captured(t), sourceOf(t)))
	promised, err := os.ReadFile(promises)
	if err != nil {
		t.Fatal(err)
	}
	contract := promiseOf(read(t, document))
	if err := renewal(read(t, promised), contract); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]byte{"asyncapi.json": document, promises: indented(t, contract)} {
		if *updateAPI {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the types say: go test ./controller/mqtt -run AsyncAPI -update", file)
		}
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// Every message of the document has an example, and one that is sealed has it opened as well.
func TestAsyncAPIHasAnExampleOfEveryMessage(t *testing.T) {
	var doc struct {
		Components struct {
			Messages map[string]struct {
				Opened   json.RawMessage                    `json:"x-opened"`
				Examples []struct{ Payload map[string]any } `json:"examples"`
				Texts    []map[string]any                   `json:"x-opened-examples"`
			} `json:"messages"`
		} `json:"components"`
	}
	if err := json.Unmarshal(AsyncAPI, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range channels() {
		m := doc.Components.Messages[c.name]
		for _, e := range m.Examples {
			if e.Payload["v"] != 1.0 {
				t.Errorf("%s: example %v", c.name, e.Payload)
			}
		}
		if len(m.Examples) == 0 || c.sealed != (len(m.Texts) > 0) || c.sealed && len(m.Texts) != len(m.Examples) {
			t.Errorf("%s has %d examples, %d of them opened", c.name, len(m.Examples), len(m.Texts))
		}
	}
}

// Every topic is in the document, but for filters.
func TestAsyncAPIHasEveryTopic(t *testing.T) {
	topics, known := reflect.TypeFor[Topics](), map[string]bool{}
	for _, c := range channels() {
		known[regexp.MustCompile(`\{\w+\}`).ReplaceAllString(c.address, "x")] = true
	}
	for method := range topics.Methods() {
		signature := method.Type
		if signature.NumOut() != 1 || signature.Out(0) != reflect.TypeFor[string]() {
			continue
		}
		in := []reflect.Value{reflect.ValueOf(Topics{"x", "x"}), reflect.ValueOf("x")}
		topic := method.Func.Call(in[:signature.NumIn()])[0].String()
		if !strings.ContainsAny(topic, "+#") && !known[topic] {
			t.Errorf("%s, %s, is in no channel", method.Name, topic)
		}
	}
}
