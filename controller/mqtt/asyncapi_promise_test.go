package mqtt

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// promises is what later documents are held against: what programs can rely on in the newest, without examples and sentences.
const promises = "testdata/asyncapi.json"

func read(t *testing.T, b []byte) (doc object) {
	t.Helper()
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// promiseOf is what a document promises: all of it but what is for people, and the examples. What is one schema, with a sentence
// of its own, is that schema.
func promiseOf(doc object) object {
	if all, ok := doc["allOf"].([]any); ok && len(all) == 1 {
		return all[0].(object)
	}
	out := object{}
	for key, v := range doc {
		switch key {
		case "description", "summary", "title", "x-go", "examples", "x-opened-examples":
			if _, text := v.(object); !text { // a field may be called so
				continue
			}
		}
		if o, ok := v.(object); ok {
			v = promiseOf(o)
		}
		out[key] = v
	}
	return out
}

// renewal says why a contract may not take the place of the one promised: it breaks it within a version, or it adds to it and
// is called the same.
func renewal(promised, contract object) error {
	was, is := revision(promised), revision(contract)
	same := maps.Clone(contract)
	same["info"] = promised["info"]
	switch faults := broken(promised, contract); {
	case was.version == is.version && len(faults) > 0:
		return fmt.Errorf("readers cannot live with this, keep what was or raise Version:\n%s", strings.Join(faults, "\n"))
	case was.version > is.version || was.version == is.version && was.revision > is.revision:
		return fmt.Errorf("the version went back from %v to %v", was, is)
	case was == is && !reflect.DeepEqual(promised, same):
		return errors.New("something was added to the contract: raise Revision, and go test ./controller/mqtt -run AsyncAPI -update")
	}
	return nil
}

// number is the version of a document.
type number struct{ version, revision int }

func revision(doc object) (n number) {
	text := at(doc, "info")["version"]
	if _, err := fmt.Sscanf(fmt.Sprint(text), "%d.%d.0", &n.version, &n.revision); err != nil {
		panic(fmt.Sprintf("version %v: %v", text, err))
	}
	return n
}

// at follows keys into a document, nil where one is missing.
func at(doc object, keys ...string) object {
	for _, key := range keys {
		doc, _ = doc[key].(object)
	}
	return doc
}

func schema(doc object, name string) object { return at(doc, "components", "schemas", name) }

// comparison looks for what a reader or a sender that knows one document cannot live with in another.
type comparison struct {
	was, is object
	seen    map[string]bool // schemas that were compared, and how
	faults  []string
}

func broken(promised, now object) []string {
	c := comparison{was: promised, is: now, seen: map[string]bool{}}
	for name := range at(promised, "channels") {
		c.channel(name)
	}
	slices.Sort(c.faults)
	return c.faults
}

func (c *comparison) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// same wants something to be as it was.
func (c *comparison) same(where string, was, is any) {
	if !reflect.DeepEqual(was, is) {
		c.fault("%s was %v, is %v", where, was, is)
	}
}

// kept wants all of a list to be there still.
func (c *comparison) kept(where string, was, is any) {
	list, _ := is.([]any)
	if was, ok := was.([]any); ok {
		for _, v := range was {
			if !slices.Contains(list, v) {
				c.fault("%s has no %v any more", where, v)
			}
		}
	}
}

// channel compares a topic: where it is, who may use it, how it is sent, what is on it and how that is answered.
func (c *comparison) channel(name string) {
	was, is := at(c.was, "channels", name), at(c.is, "channels", name)
	if is == nil {
		c.fault("channel %s is gone", name)
		return
	}
	where := "channel " + name
	c.same(where+": address", was["address"], is["address"])
	c.kept(where+": x-publish", was["x-publish"], is["x-publish"])
	c.kept(where+": x-subscribe", was["x-subscribe"], is["x-subscribe"])
	c.same(where+": messages", was["messages"], is["messages"])
	op, now := at(c.was, "operations", name), at(c.is, "operations", name)
	for key, v := range op {
		c.same(where+": "+key, v, now[key])
	}
	message, present := at(c.was, "components", "messages", name), at(c.is, "components", "messages", name)
	c.kept(where+": x-codes", message["x-codes"], present["x-codes"])
	c.same(where+": contentType", message["contentType"], present["contentType"])
	for _, text := range []string{"payload", "x-opened"} {
		c.schema(where+": "+text, at(message, text), at(present, text), op["action"] == "receive")
	}
}

// resolved gives the schema that another refers to, and by what name: which is no matter on the wire.
func resolved(doc, s object) (object, string) {
	ref, ok := s["$ref"].(string)
	if !ok {
		return s, ""
	}
	name := strings.TrimPrefix(ref, "#/components/schemas/")
	return schema(doc, name), name
}

// schema compares what a message may be. What the table asks for (asks) may become less, and it may take more; of what it tells it
// is the other way round.
func (c *comparison) schema(where string, was, is object, asks bool) {
	was, from := resolved(c.was, was)
	is, to := resolved(c.is, is)
	if from != "" {
		pair := fmt.Sprint(from, to, asks)
		if c.seen[pair] {
			return
		}
		c.seen[pair], where = true, from
	}
	more, less := is, was // what binds the one who writes it may grow, what the one who reads it relies on may not shrink
	if asks {
		more, less = was, is
	}
	c.kept(where+": required", less["required"], more["required"])
	for key := range less {
		switch key {
		case "properties", "required", "items", "additionalProperties", "enum":
			continue
		}
		c.same(where+": "+key, was[key], is[key])
	}
	if less["enum"] != nil {
		if more["enum"] == nil {
			c.fault("%s: enum was %v, is %v", where, was["enum"], is["enum"])
		}
		c.kept(where+": enum", was["enum"], is["enum"])
	}
	for field, s := range at(was, "properties") {
		if now := at(is, "properties", field); now == nil {
			c.fault("%s.%s is gone", where, field)
		} else {
			c.schema(where+"."+field, s.(object), now, asks)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if _, ok := was[key]; ok {
			c.schema(where+": "+key, at(was, key), at(is, key), asks)
		}
	}
}

// Whatever readers or senders cannot live with is found, and what they can live with is none of it.
func TestBrokenPromisesAreFound(t *testing.T) {
	field := func(d object, of, name string) object { return at(schema(d, of), "properties", name) }
	without := func(o object, key string, v any) {
		list := o[key].([]any)
		o[key] = slices.DeleteFunc(slices.Clone(list), func(x any) bool { return x == v })
		if len(o[key].([]any)) == len(list) {
			t.Fatalf("no %v in %v", v, list)
		}
	}
	with := func(o object, key string, v any) {
		list, _ := o[key].([]any)
		o[key] = append(slices.Clone(list), v)
	}
	message := func(d object, name string) object { return at(d, "components", "messages", name) }
	ref := func(name string) object { return object{"$ref": "#/components/schemas/" + name} }
	breaks := map[string]func(d object){
		"a topic gone":                   func(d object) { delete(at(d, "channels"), "turn") },
		"a topic elsewhere":              func(d object) { at(d, "channels", "state")["address"] = "elsewhere" },
		"another payload":                func(d object) { message(d, "state")["payload"] = ref("HolePayload") },
		"sealed what was not":            func(d object) { message(d, "prompt")["payload"] = ref("Message") },
		"another message once opened":    func(d object) { message(d, "reply")["x-opened"] = ref("HolePayload") },
		"not sealed any more":            func(d object) { delete(message(d, "reply"), "x-opened") },
		"not retained":                   func(d object) { at(d, "operations", "state", "bindings", "mqtt")["retain"] = false },
		"sent with less care":            func(d object) { at(d, "operations", "state", "bindings", "mqtt")["qos"] = 0.0 },
		"read by the table":              func(d object) { at(d, "operations", "state")["action"] = "receive" },
		"players may not read":           func(d object) { without(at(d, "channels", "state"), "x-subscribe", "player") },
		"players may not write":          func(d object) { without(at(d, "channels", "action"), "x-publish", "player") },
		"all codes gone":                 func(d object) { delete(message(d, "reply"), "x-codes") },
		"a code gone":                    func(d object) { without(message(d, "commandReply"), "x-codes", "too_little") },
		"no reply":                       func(d object) { delete(at(d, "operations", "action"), "reply") },
		"a field gone":                   func(d object) { delete(at(schema(d, "StatePayload"), "properties"), "view") },
		"a field deep inside gone":       func(d object) { delete(at(schema(d, "Legal"), "properties"), "max_to") },
		"a field of another type":        func(d object) { field(d, "HolePayload", "seat")["type"] = "string" },
		"a list of others":               func(d object) { at(field(d, "StatePayload", "players"), "items")["$ref"] = "#/components/schemas/Head" },
		"a map of others":                func(d object) { at(field(d, "StatePayload", "powers"), "additionalProperties")["type"] = "string" },
		"a field not always there":       func(d object) { without(schema(d, "EventPayload"), "required", "event") },
		"a bound of what is told gone":   func(d object) { delete(field(d, "EventPayload", "seq"), "minimum") },
		"a request's field gone":         func(d object) { delete(at(schema(d, "ActionPayload"), "properties"), "amount") },
		"a request's field wanted":       func(d object) { with(schema(d, "ActionPayload"), "required", "seat") },
		"a bound of what is asked":       func(d object) { field(d, "ActionPayload", "amount")["maximum"] = 100.0 },
		"a choice of what is asked":      func(d object) { field(d, "ActionPayload", "id")["enum"] = []any{"a"} },
		"a value that is told gone":      func(d object) { without(field(d, "Told", "kind"), "enum", "a") },
		"a value that is asked gone":     func(d object) { without(field(d, "Asked", "kind"), "enum", "a") },
		"any value told":                 func(d object) { delete(field(d, "Told", "kind"), "enum") },
		"a value that both may say gone": func(d object) { without(field(d, "Both", "kind"), "enum", "a") },
	}
	keeps := map[string]func(d object){
		"another topic":                 func(d object) { at(d, "channels")["more"] = object{"address": "more"} },
		"another field":                 func(d object) { at(schema(d, "StatePayload"), "properties")["more"] = object{"type": "string"} },
		"another field of a request":    func(d object) { at(schema(d, "ActionPayload"), "properties")["more"] = object{"type": "string"} },
		"another role":                  func(d object) { with(at(d, "channels", "state"), "x-subscribe", "guest") },
		"another code":                  func(d object) { with(message(d, "reply"), "x-codes", "more") },
		"another value told":            func(d object) { with(field(d, "Told", "kind"), "enum", "c") },
		"another value asked":           func(d object) { with(field(d, "Asked", "kind"), "enum", "c") },
		"any value asked":               func(d object) { delete(field(d, "Asked", "kind"), "enum") },
		"a choice of what is told":      func(d object) { field(d, "ReplyPayload", "text")["enum"] = []any{"a"} },
		"a field that is always there":  func(d object) { with(schema(d, "StatePayload"), "required", "jackpot") },
		"a request's field left out":    func(d object) { without(schema(d, "ActionPayload"), "required", "id") },
		"a bound of what is asked gone": func(d object) { delete(field(d, "ActionPayload", "turn"), "minimum") },
	}
	// fresh is the document with enums told, asked and both.
	fresh := func() object {
		d := promiseOf(read(t, AsyncAPI))
		for _, name := range []string{"Told", "Asked", "Both"} {
			at(d, "components", "schemas")[name] = object{
				"type": "object", "required": []any{"kind"}, "properties": object{"kind": object{"type": "string", "enum": []any{"a", "b"}}},
			}
		}
		for of, names := range map[string][]string{"StatePayload": {"Told", "Both"}, "ActionPayload": {"Asked", "Both"}} {
			for _, name := range names {
				at(schema(d, of), "properties")[name] = ref(name)
			}
		}
		return d
	}
	if faults := broken(fresh(), fresh()); len(faults) > 0 {
		t.Errorf("a document breaks its own promises: %q", faults)
	}
	for name, spoil := range breaks {
		d := fresh()
		if spoil(d); len(broken(fresh(), d)) == 0 {
			t.Errorf("%s breaks no promise", name)
		}
	}
	for name, change := range keeps {
		d := fresh()
		if change(d); len(broken(fresh(), d)) > 0 {
			t.Errorf("%s breaks promises: %q", name, broken(fresh(), d))
		}
	}
}

// Nothing is added to the contract under the same revision, nothing taken away under the same version.
func TestTheContractIsRenewedByItsVersion(t *testing.T) {
	promised := promiseOf(read(t, AsyncAPI))
	v := revision(promised)
	for _, c := range []struct {
		name              string
		version, revision int
		change            func(d object)
		ok                bool
	}{
		{"nothing new", 0, 0, func(object) {}, true},
		{"a field under the same revision", 0, 0, func(d object) { at(schema(d, "StatePayload"), "properties")["more"] = object{} }, false},
		{"a field under a new revision", 0, 1, func(d object) { at(schema(d, "StatePayload"), "properties")["more"] = object{} }, true},
		{"a field gone under a new revision", 0, 1, func(d object) { delete(at(schema(d, "StatePayload"), "properties"), "view") }, false},
		{"a field gone under a new version", 1, 0, func(d object) { delete(at(schema(d, "StatePayload"), "properties"), "view") }, true},
		{"a revision back", 0, -1, func(object) {}, false},
	} {
		d := promiseOf(read(t, AsyncAPI))
		c.change(d)
		d["info"] = object{"version": fmt.Sprintf("%d.%d.0", v.version+c.version, v.revision+c.revision)}
		if err := renewal(promised, d); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
