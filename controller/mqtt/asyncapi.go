package mqtt

import (
	"bytes"
	_ "embed" // the document
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"tavolo/controller"
	"tavolo/controller/seal"
	"tavolo/engine"
)

// Revision counts what was added to the contract since Version was raised: topics, fields, values, roles. The version of the
// document is Version.Revision.0, and its test wants a new one for whatever is added, and a new Version for whatever is taken away.
const Revision = 3

// AsyncAPI is the description of this contract for programs, in AsyncAPI 3.0 with JSON Schemas. It is made from the types of
// this package by its test, which also puts in examples from a run and compares it with what was promised before.
//
//go:embed asyncapi.json
var AsyncAPI []byte

// channel is a topic of the tree, for the document.
type channel struct {
	name, address string
	about         string
	payload       any  // an example of its type
	retained      bool // state rather than an event
	sealed        bool // see package seal
	asks          bool // people write here, the table reads
}

// channels are the topics that are used, those for everybody first.
func channels() []channel {
	t := Topics{"{studio}", "{table}"}
	return []channel{
		{"status", t.Status(), "whether the table is there", StatusPayload{}, true, false, false},
		{"state", t.State(), "the public snapshot", StatePayload{}, true, false, false},
		{"events", t.Events(), "the public events, numbered without a gap", EventPayload{}, false, false, false},
		{"hole", t.Hole("{player}"), "a player's own cards", HolePayload{}, false, true, false},
		{"turn", t.Turn("{player}"), "a player's turn, and the token of its answer", TurnPayload{}, false, true, false},
		{"offer", t.Offer("{player}"), "a seat for the first on the waiting list", OfferPayload{}, false, true, false},
		{"behind", t.Behind("{player}"), "how a player's stakes behind boxes stand, and what became of them", BehindPayload{}, false, true, false},
		{"plan", t.Plan("{player}"), "what a player has decided ahead", PlanPayload{}, false, true, false},
		{"pong", t.Pong("{player}"), "the answer to a player's ping", PongPayload{}, false, true, false},
		{"past", t.Past("{player}"), "events that a player missed", PastPayload{}, false, true, false},
		{"reply", t.Reply("{player}"), "the answer to a player's request", ReplyPayload{}, false, true, false},
		{"action", t.Action("{player}"), "a player's request", ActionPayload{}, false, true, true},
		{"farewell", t.Action("{player}"), "a player's last will", GonePayload{}, false, false, true},
		{"command", t.Command("{console}"), "a console's command", CommandPayload{}, false, false, true},
		{"prompt", t.Prompt("{console}"), "what a console shows its dealer", PromptPayload{}, true, false, false},
		{"commandPast", t.CommandPast("{console}"), "events that a console missed", PastPayload{}, false, false, false},
		{"commandReply", t.CommandReply("{console}"), "the answer to a console's command", ReplyPayload{}, false, false, false},
		{"device", t.Device("{device}"), "how a device does", DevicePayload{}, true, false, false},
		{"deviceEvents", t.DeviceEvents("{device}"), "what happened to a device", DeviceEventPayload{}, false, false, false},
		{"checkpoint", t.Checkpoint(), "what the journal has signed, for others to keep", CheckpointPayload{}, true, false, false},
		{"delayedState", t.DelayedState(), "the snapshot for those who see the table later", StatePayload{}, true, false, false},
		{"delayedEvents", t.DelayedEvents(), "the events for those who see the table later", EventPayload{}, false, false, false},
	}
}

// answers are the channels on which requests are answered, both by their names.
var answers = map[string]string{"action": "reply", "command": "commandReply"}

// aboutDocument says to programs what no schema does. Why a command is not sealed is a decision: a player's key is there for cards that
// the broker's operator must not see, and for a person elsewhere who has nothing but the broker between him and the table. A
// console stands at the table and is shown no card; what it asks for is seen to be done there, is in the journal by its
// name, and the gravest of it takes a second person. Who holds its password could as well take its key.
const aboutDocument = "A table over MQTT 3.1.1. In each payload v is the version of the contract, the first number of this document's. Operations are the table's: it sends what others read. Subscribe at QoS 0. What waits is " +
	"published together: the last of it, and what is retained, at QoS 1, the rest at QoS 0. After a broken connection all of it may " +
	"come again, in order: pass over what was told before. " +
	"What is private to a player, and what a player asks, is sealed between the two. A console's commands and what everybody may " +
	"read are not: that they are the console's and the table's own is for the broker to see to, by its access rules and, over TLS, by " +
	"client certificates. A command that is sent again is done once where its id is among the last 64 of its console, and refused " +
	"where its epoch is not that of the run or what it answers is settled. At each channel x-publish and x-subscribe are the roles that " +
	"the broker lets use it, under their own name where it has a player's or a console's; whatever is not there is forbidden. At each " +
	"reply x-codes are the codes of a refusal. " +
	"What is added within a version, be it a topic, a field, a value or a code, is to be passed over by who does not know it. Events are numbered without a gap over all runs of a " +
	"table. Whoever misses some asks for them by their numbers, with events, again after 1, 2, 4 ... 16 s until told, and no more " +
	"often than every 25 ms; the answer holds 64 at most, and the number of the oldest that can be told, before which there is but the state. " +
	"Of each player and console a table hears 50 messages a second, after 100 at once; a resync is done once a second, after four at " +
	"once, and one that comes sooner when its time has come, without being asked again. The broker built in holds as many clients as " +
	"its configuration says, of all and of one user, and refuses one more with CONNACK code 3: try again later."

// object is a JSON object; its keys come out in order.
type object = map[string]any

// example is a message of a run, as it was sent, and opened where it is sealed.
type example struct{ sent, opened json.RawMessage }

// describe makes the document, with examples by the names of channels, of what the program's text says of the types.
func describe(examples map[string][]example, from source) object {
	types := schemas{from, object{}}
	messages, chans, operations := object{}, object{}, object{}
	ref := func(path string) object { return object{"$ref": "#/" + path} }
	for _, c := range channels() {
		opened := types.of(reflect.TypeOf(c.payload))
		m := object{"name": c.name, "summary": c.about, "contentType": "application/json", "payload": opened}
		if c.sealed {
			var envelope any = seal.Message{}
			if c.asks {
				envelope = seal.Request{}
			}
			m["payload"] = types.of(reflect.TypeOf(envelope))
			m["description"] = "Sealed as package controller/seal says. Opened it is as x-opened, and the examples, in their order, are x-opened-examples."
		}
		var sent []object
		var texts []json.RawMessage
		for _, e := range examples[c.name] {
			sent, texts = append(sent, object{"payload": e.sent}), append(texts, e.opened)
		}
		m["examples"] = sent
		if c.sealed {
			m["x-opened"], m["x-opened-examples"] = opened, texts
		}
		if _, ok := c.payload.(ReplyPayload); ok {
			m["x-codes"] = from.values["mqtt.ReplyPayload.Code"]
		}
		messages[c.name] = m
		parameters := object{}
		for level := range strings.SplitSeq(c.address, "/") {
			if name, ok := strings.CutPrefix(level, "{"); ok {
				parameters[strings.TrimSuffix(name, "}")] = object{"description": "1 to 32 of a-z 0-9 -"}
			}
		}
		chans[c.name] = object{
			"address": c.address, "description": c.about, "parameters": parameters, "x-publish": roles(c, Grants.MayPublish),
			"x-subscribe": roles(c, Grants.MaySubscribe),
			"messages":    object{c.name: ref("components/messages/" + c.name)},
		}
		action, qos := "send", 0 // what not every message has is no promise
		if c.asks {
			action = "receive"
		}
		if c.asks || c.retained {
			qos = 1
		}
		operation := object{
			"action": action, "channel": ref("channels/" + c.name),
			"bindings": object{"mqtt": object{"qos": qos, "retain": c.retained, "bindingVersion": "0.2.0"}},
		}
		if to, ok := answers[c.name]; ok {
			operation["reply"] = object{
				"channel": ref("channels/" + to), "messages": []object{ref("channels/" + to + "/messages/" + to)},
			}
		}
		operations[c.name] = operation
	}
	return object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": "Tavolo", "version": fmt.Sprintf("%d.%d.0", Version, Revision),
			"description": aboutDocument,
		},
		"defaultContentType": "application/json",
		"channels":           chans, "operations": operations,
		"components": object{"messages": messages, "schemas": types.named},
	}
}

// roles are those that the broker lets do something at a topic, with their own name where the topic has one.
func roles(c channel, may func(g Grants, topic string) bool) []Role {
	const user = "me"
	topic := strings.NewReplacer("{studio}", "s", "{table}", "t", "{player}", user, "{console}", user, "{device}", "d").Replace(c.address)
	can := []Role{}
	for _, r := range rules {
		if may(r.Role.Grants(user), topic) {
			can = append(can, r.Role)
		}
	}
	return can
}

// source is what the program's text says of the types, which a schema repeats: comments, by type or by type and field, and the
// values that a field or type may have.
type source struct {
	about  map[string]string   // by mqtt.Head or mqtt.Head.Epoch
	values map[string][]string // by the same
}

// schemas makes the JSON Schemas of types.
type schemas struct {
	source
	named object // by the names of types
}

// of gives the schema of a type. Structs and types that write themselves go to named.
func (s *schemas) of(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		return s.of(t.Elem())
	}
	if m := s.textual(t); m != nil {
		return s.name(t, func() object { return m })
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		if values := s.values[t.String()]; values != nil {
			return s.name(t, func() object { return object{"type": "string", "enum": values} })
		}
		return object{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Slice, reflect.Array:
		return object{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.name(t, func() object {
			properties, required := object{}, []string{}
			s.fields(t, t, properties, &required)
			return object{"type": "object", "properties": properties, "required": required}
		})
	}
	panic("mqtt: no schema for " + t.String()) // a payload with a field of another kind is a mistake in the program
}

// name puts the schema of a type among those with names, and refers to it.
func (s *schemas) name(t reflect.Type, schema func() object) object {
	known, ok := s.named[t.Name()].(object)
	switch {
	case !ok:
		known = object{"x-go": t.String()}
		s.named[t.Name()] = known // before its fields, which may lead back to it
		maps.Copy(known, schema())
		if about := s.about[t.String()]; about != "" {
			known["description"] = about
		}
	case known["x-go"] != t.String():
		panic(fmt.Sprintf("mqtt: %v and %v have one name in the document", known["x-go"], t))
	}
	return object{"$ref": "#/components/schemas/" + t.Name()}
}

// fields adds the fields of a struct that is part of another or is that itself, those of embedded structs among them.
func (s *schemas) fields(t, in reflect.Type, properties object, required *[]string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			s.fields(f.Type, in, properties, required)
		case name == "-" || !f.IsExported():
		default:
			at := t.String() + "." + f.Name
			schema := s.of(f.Type)
			if values := s.values[at]; values != nil {
				schema = object{"type": "string", "enum": values}
			}
			if about := s.about[at]; about != "" {
				if _, ref := schema["$ref"]; ref { // beside which nothing counts
					schema = object{"allOf": []any{schema}}
				}
				schema["description"] = about
			}
			properties[name] = schema
			if !strings.Contains(options, "omit") {
				*required = append(*required, name)
			}
		}
	}
}

// textual is the schema of a type that writes itself, nil for one that does not.
func (s *schemas) textual(t reflect.Type) object {
	switch reflect.New(t).Interface().(type) {
	case json.Marshaler:
		if t == reflect.TypeFor[controller.Places]() {
			return object{"type": "array", "uniqueItems": true, "items": object{"type": "integer", "minimum": 1, "maximum": engine.MaxHole}}
		}
		panic("mqtt: no schema for " + t.String()) // which writes itself as only it knows
	case encoding.TextMarshaler:
		if values := named(t); values != nil {
			return object{"type": "string", "enum": values}
		}
		return object{"type": "string"}
	}
	return nil
}

// named are the texts of the values of a small type that has a word for each, nil for any other.
func named(t reflect.Type) (values []string) {
	if t.Kind() != reflect.Uint8 {
		return nil
	}
	for i := range 1 << 8 {
		v, back := reflect.New(t), reflect.New(t)
		v.Elem().SetUint(uint64(i))
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil || len(text) == 0 || back.Interface().(encoding.TextUnmarshaler).UnmarshalText(text) != nil || back.Elem().Uint() != uint64(i) {
			continue
		}
		if bytes.ContainsRune(text, ' ') { // words of a set
			return nil
		}
		values = append(values, string(text))
	}
	return values
}
