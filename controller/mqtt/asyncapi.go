package mqtt

import (
	_ "embed" // the document
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"tavolo/controller/seal"
)

// Revision counts what was added to the contract since Version was raised: topics, fields, values, roles. The version of the
// document is Version.Revision.0, and its test wants a new one for whatever is added, and a new Version for whatever is taken away.
const Revision = 1

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
const aboutDocument = "A table over MQTT 3.1.1. Operations are the table's: it sends what others read. Subscribe at QoS 0. What waits is " +
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

// describe makes the document, with examples by the names of channels, and the codes that a request is refused with.
func describe(examples map[string][]example, codes []string) object {
	schemas, messages, chans, operations := object{}, object{}, object{}, object{}
	ref := func(path string) object { return object{"$ref": "#/" + path} }
	for _, c := range channels() {
		opened := schemaOf(reflect.TypeOf(c.payload), schemas)
		m := object{"name": c.name, "summary": c.about, "contentType": "application/json", "payload": opened}
		if c.sealed {
			var envelope any = seal.Message{}
			if c.asks {
				envelope = seal.Request{}
			}
			m["payload"] = schemaOf(reflect.TypeOf(envelope), schemas)
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
			m["x-codes"] = codes
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
		"components": object{"messages": messages, "schemas": schemas},
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

// schemaOf gives the JSON Schema of a type. Structs go to schemas, by their names.
func schemaOf(t reflect.Type, schemas object) object {
	if t.Kind() == reflect.Pointer {
		return schemaOf(t.Elem(), schemas)
	}
	if s := textual(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Slice, reflect.Array:
		return object{"type": []string{"array", "null"}, "items": schemaOf(t.Elem(), schemas)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem(), schemas)}
	case reflect.Struct:
		name := t.Name()
		if _, known := schemas[name]; !known {
			s := object{"type": "object"}
			schemas[name] = s // before its fields, which may lead back to it
			properties, required := object{}, []string{}
			fields(t, schemas, properties, &required)
			s["properties"], s["required"] = properties, required
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	panic("mqtt: no schema for " + t.String()) // a payload with a field of another kind is a mistake in the program
}

// fields adds a struct's fields, those of embedded structs among them.
func fields(t reflect.Type, schemas, properties object, required *[]string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields(f.Type, schemas, properties, required)
		case name == "-" || !f.IsExported():
		default:
			properties[name] = schemaOf(f.Type, schemas)
			if !strings.Contains(options, "omit") {
				*required = append(*required, name)
			}
		}
	}
}

// textual is the schema of a type that writes itself, nil for one that does not.
func textual(t reflect.Type) object {
	switch reflect.New(t).Interface().(type) {
	case json.Marshaler:
		b, err := json.Marshal(reflect.Zero(t).Interface())
		if err == nil && len(b) > 0 && b[0] == '[' {
			return object{"type": "array", "items": object{}}
		}
		return object{"type": []string{"string", "integer", "array"}}
	case encoding.TextMarshaler:
		return object{"type": "string"}
	}
	return nil
}
