package mqtt

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/controller"
	"tavolo/engine"
)

var (
	updateAPI = flag.Bool("update", false, "write asyncapi.json anew")
	release   = flag.Bool("release", false, "promise asyncapi.json to readers: testdata/asyncapi.json is what later ones are held against")
)

// captured are messages of a run, opened, by channel: of each up to three that differ in their fields.
func captured(t *testing.T) map[string][]json.RawMessage {
	t.Helper()
	s := newStage(t)
	status := NewStatus(testTopics, 7, "1.0.0")
	s.State(status.Topic, status.Online)
	again := func(u controller.Update) {
		u.State, u.Before, u.Epoch, u.Players, u.Turn, u.Seating, u.Time = s.state, s.state, 7, s.players, s.turn, s.seating, time.UnixMilli(1000)
		s.pub.Publish(&u)
	}
	again(controller.Update{Resync: []controller.Source{{Console: "d1"}}})
	s.deal()
	again(controller.Update{
		Reply: &controller.Reply{To: controller.Source{Player: "alice"}, ID: "r1", Code: "too_little", Text: "raise to 4 at least"},
		Clock: controller.Clock{Seat: 1, Total: 20 * time.Second, Deadline: time.UnixMilli(21000)},
		Told: []controller.Told{{To: controller.Source{Player: "alice"}, ID: "m1", Oldest: 1, Past: []controller.Past{
			{At: time.UnixMilli(1000), Hand: 1, First: 4, Events: []engine.Event{{Kind: engine.HoleDealt, Seat: 1, Card: 9}}, Own: engine.Seats(0).With(1)},
		}}},
	})
	again(controller.Update{Reply: &controller.Reply{To: controller.Source{Console: "d1"}, ID: "c1", OK: true}})
	s.State(testTopics.Device("shoe"), Pack(DevicePayload{V: 1, Device: "shoe", Kind: "pepper-c1", State: StateUp, Since: 1000}))
	for s.state.Phase != engine.Between {
		s.do(engine.Input{Kind: engine.Acted, Seat: s.state.Turn, Action: engine.Fold})
	}
	s.Send(testTopics.Command("d1"), []byte(`{"v":1,"id":"c1","epoch":7,"cmd":"start_hand"}`))
	out := map[string][]json.RawMessage{"action": {[]byte(`{"v":1,"id":"a1","epoch":7,"turn":12,"action":"raise","amount":6}`)}}
	for _, c := range channels() {
		shapes := map[string]bool{}
		for _, m := range s.messages {
			address := strings.NewReplacer("{studio}", "st", "{table}", "t1", "{player}", "alice", "{console}", "d1", "{device}", "shoe").Replace(c.address)
			var shape map[string]json.RawMessage
			if m.Topic != address || c.asks && c.sealed {
				continue
			}
			if err := json.Unmarshal(m.Payload, &shape); err != nil {
				t.Fatal(err)
			}
			var keys strings.Builder
			for _, k := range sortedKeys(shape) {
				keys.WriteString(k + " ")
			}
			if e, ok := shape["event"]; ok {
				var kind struct{ Event string }
				if err := json.Unmarshal(e, &kind); err != nil {
					t.Fatal(err)
				}
				keys.WriteString(kind.Event)
			}
			if !shapes[keys.String()] && len(shapes) < 3 {
				shapes[keys.String()] = true
				out[c.name] = append(out[c.name], m.Payload)
			}
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// refusals are the codes that a request is refused with, wherever they are declared.
func refusals(t *testing.T) (codes []string) {
	declared := regexp.MustCompile(`(?m)^(?:const)?\s+Code[A-Z]\w*.*= "(\w+)"`)
	for _, pattern := range []string{"../../engine/*.go", "../../engine/seating/*.go", "../*.go", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declared.FindAllStringSubmatch(string(b), -1) {
				codes = append(codes, m[1])
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// The document is that of the types as they are, with examples from a run.
func TestAsyncAPIIsCurrent(t *testing.T) {
	examples := captured(t)
	for _, name := range []string{"status", "state", "events", "hole", "turn", "reply", "past", "prompt", "command", "commandReply", "device", "action"} {
		if len(examples[name]) == 0 {
			t.Errorf("no example of %s", name)
		}
	}
	b, err := json.MarshalIndent(describe(examples, refusals(t)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	if *updateAPI {
		if err := os.WriteFile("asyncapi.json", b, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(b, AsyncAPI) {
		t.Error("asyncapi.json is not what the types say: go test ./controller/mqtt -run AsyncAPI -update")
	}
	if *release {
		if err := os.WriteFile("testdata/asyncapi.json", b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What was promised to readers still holds, or Version has to be raised.
func TestAsyncAPIKeepsItsPromises(t *testing.T) {
	read := func(b []byte) (doc object) {
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	promised, err := os.ReadFile("testdata/asyncapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range broken(read(promised), read(AsyncAPI)) {
		t.Error(fault)
	}
	// That the comparison finds what it should.
	for name, spoil := range map[string]func(doc object){
		"a field gone":      func(d object) { delete(schema(d, "StatePayload")["properties"].(object), "view") },
		"a field retyped":   func(d object) { schema(d, "HolePayload")["properties"].(object)["seat"] = object{"type": "string"} },
		"a field left out":  func(d object) { schema(d, "EventPayload")["required"] = []any{"v"} },
		"a request's field": func(d object) { s := schema(d, "ActionPayload"); s["required"] = append(s["required"].([]any), "seat") },
		"a topic moved":     func(d object) { d["channels"].(object)["state"].(object)["address"] = "elsewhere" },
		"a topic gone":      func(d object) { delete(d["channels"].(object), "turn") },
	} {
		doc := read(promised)
		spoil(doc)
		if len(broken(read(promised), doc)) == 0 {
			t.Errorf("%s breaks no promise", name)
		}
	}
}

func schema(doc object, name string) object {
	s, _ := doc["components"].(object)["schemas"].(object)[name].(object)
	return s
}

// broken lists what a reader or a sender that knows the promised document cannot live with in the present one.
func broken(promised, now object) (faults []string) {
	for name, c := range promised["channels"].(object) {
		got, _ := now["channels"].(object)[name].(object)
		if got == nil || got["address"] != c.(object)["address"] {
			faults = append(faults, fmt.Sprintf("channel %s is gone or elsewhere", name))
		}
	}
	asked := []string{"ActionPayload", "CommandPayload", "GonePayload", "Request"}
	for name, s := range promised["components"].(object)["schemas"].(object) {
		was, is := s.(object), schema(now, name)
		if is == nil {
			faults = append(faults, name+" is gone")
			continue
		}
		for field, was := range was["properties"].(object) {
			is, ok := is["properties"].(object)[field]
			if !ok || fmt.Sprint(is) != fmt.Sprint(was) {
				faults = append(faults, fmt.Sprintf("%s.%s was %v, is %v", name, field, was, is))
			}
		}
		old, required := was["required"].([]any), is["required"].([]any)
		from, to, what := old, required, "is no longer always there"
		if slices.Contains(asked, name) {
			from, to, what = required, old, "is wanted now"
		}
		for _, field := range from {
			if !slices.Contains(to, field) {
				faults = append(faults, fmt.Sprintf("%s.%v %s", name, field, what))
			}
		}
	}
	return faults
}
