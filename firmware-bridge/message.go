package bridge

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"strconv"
	"strings"
)

// Messages is everything host and node can say to each other. Code for either end is derived from this table, and
// [Schema] spells it out. Hello and Identity are frozen, number and fields: they are how two ends that were built from
// different tables find out.
//
// Every request may be repeated without harm, so a lost answer is cured by asking again.
var Messages = []Message{
	{ID: 1, Name: "hello", Dir: ToNode, Body: Hello{}},
	{ID: 2, Name: "identity", Dir: ToHost, Body: Identity{}},
	{ID: 3, Name: "ack", Dir: ToHost, Body: Ack{}},
	{ID: 4, Name: "poll", Dir: ToNode, Body: Poll{}},
	{ID: 5, Name: "events", Dir: ToHost, Body: Events{}},
	{ID: 6, Name: "clock", Dir: ToNode, Body: Clock{}},
	{ID: 7, Name: "time", Dir: ToHost, Body: Time{}},
	{ID: 8, Name: "lamps", Dir: ToNode, Body: Lamps{}},
	{ID: 9, Name: "show", Dir: ToNode, Body: Show{}},
	{ID: 10, Name: "ask", Dir: ToNode, Body: Ask{}},
}

// Message is a row of the table.
type Message struct {
	ID   uint8
	Name string
	Dir  Dir
	// Body is a zero value of the message's type. Its fields go over the wire in their order, numbers little-endian in
	// the width of their type, a bool as a byte 0 or 1. The last field may be a string, which fills the rest of the
	// payload up to the length in its max tag, or a slice of structs, as many as there are.
	Body any
}

// Dir is which way a message goes.
type Dir uint8

const (
	ToNode Dir = iota // from the host
	ToHost            // from a node, as the reply to a request
)

func (d Dir) String() string {
	if d == ToHost {
		return "to host"
	}
	return "to node"
}

// Hello asks a node who it is. A node answers it with Identity, and until it has been greeted since it started it
// refuses every other message, so that a node which started over cannot be mistaken for the one before.
type Hello struct{}

// Identity says who a node is.
type Identity struct {
	UID     uint64 // serial number of the chip
	Boot    uint32 // chosen at random at each start: another number is another start
	Schema  uint32 // SchemaHash of the table the firmware was built from
	Version uint16 // of the firmware, major in the high byte
	Kind    Kind
	Last    uint16 // ID of the latest key event, 0 where there was none yet
}

// Ack answers the requests that ask for no data. On a frame without the ack bit it is a refusal: the node has not been
// greeted, or does not know the message.
type Ack struct{}

// Poll asks for key events. The host has every event up to ID Consumed.
type Poll struct{ Consumed uint16 }

// Events answers Poll with the events after Consumed, oldest first. Their IDs are First and following. Where First is
// not the one after Consumed, the ring was full and the events between were overwritten.
type Events struct {
	First  uint16
	Events []KeyRecord
}

// KeyRecord is one key going down or up, as the node remembers it.
type KeyRecord struct {
	At     uint64 // µs since the node started
	Key    Key
	Down   bool
	Prompt uint8  // of the Ask in force when it happened
	Amount uint64 // chips, with KeyBet going down; else 0
}

// Clock asks for the node's time.
type Clock struct{}

// Time answers Clock.
type Time struct {
	Now uint64 // µs since the node started
}

// Lamps sets the lamps of a panel, see [LampOf]. A lamp in Blink blinks, be it in On or not.
type Lamps struct{ On, Blink uint16 }

// Show sets the text of the display: lines of UTF-8 parted by newlines. What the display has no room or no shape for,
// the firmware leaves out.
type Show struct {
	Text string `max:"40"`
}

// Ask puts a decision to the player. It is sent after the lamps and text that go with it. The amount for KeyBet is
// prepared in the node and nobody sees it before the key is pressed: it begins at Start; the encoder moves it by Step
// between Min and Max; digits may set any amount. With Max 0 there is no amount to choose.
type Ask struct {
	Prompt                uint8 // comes back with every event; 0: nothing is asked
	Start, Min, Max, Step uint64
}

// Kind is what a node is.
type Kind uint8

// KindSeat is a player's panel.
const KindSeat Kind = 1

// Schema is the table as text, one line for each message and key. Its checksum is SchemaHash.
func Schema() string {
	var b strings.Builder
	for _, m := range Messages {
		fmt.Fprintf(&b, "message %d %s %s%s\n", m.ID, m.Name, m.Dir, fields(reflect.TypeOf(m.Body)))
	}
	for k, name := range keyNames {
		if name != "" {
			fmt.Fprintf(&b, "key %d %s\n", k, name)
		}
	}
	return b.String()
}

func fields(t reflect.Type) string {
	var b strings.Builder
	for f := range t.Fields() {
		fmt.Fprintf(&b, " %s:", strings.ToLower(f.Name))
		switch f.Type.Kind() {
		case reflect.Slice:
			fmt.Fprintf(&b, "[%s]", strings.TrimSpace(fields(f.Type.Elem())))
		case reflect.String:
			b.WriteString("text" + f.Tag.Get("max"))
		default:
			b.WriteString(f.Type.Kind().String())
		}
	}
	return b.String()
}

// SchemaHash is what host and node must agree on: the CRC-32 (IEEE 802.3) of Schema.
func SchemaHash() uint32 { return crc32.ChecksumIEEE([]byte(Schema())) }

// Encode gives a message as it stands in a frame. body is one of the types in Messages; another is a mistake in the
// program and panics. A text that is too long is an error.
func Encode(body any) (id uint8, payload []byte, err error) {
	v := reflect.ValueOf(body)
	for _, m := range Messages {
		if reflect.TypeOf(m.Body) != v.Type() {
			continue
		}
		if payload, err = put(nil, v); err == nil && len(payload) > MaxPayload {
			err = fmt.Errorf("%d bytes, at most %d fit into a frame", len(payload), MaxPayload)
		}
		if err != nil {
			return 0, nil, fmt.Errorf("bridge: encode %s: %w", m.Name, err)
		}
		return m.ID, payload, nil
	}
	panic(fmt.Sprintf("bridge: %T is no message", body))
}

// Decode undoes Encode for a message that went the way dir. The result is a value of the type in Messages. What is not
// exactly one message is an error.
func Decode(dir Dir, id uint8, payload []byte) (any, error) {
	for _, m := range Messages {
		if m.ID != id || m.Dir != dir {
			continue
		}
		v := reflect.New(reflect.TypeOf(m.Body)).Elem()
		rest, err := take(v, payload)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d bytes too many", len(rest))
		}
		if err != nil {
			return nil, fmt.Errorf("bridge: decode %s: %w", m.Name, err)
		}
		return v.Interface(), nil
	}
	return nil, fmt.Errorf("bridge: decode: no message %d %s", id, dir)
}

func put(p []byte, v reflect.Value) (_ []byte, err error) {
	for f, v := range v.Fields() {
		switch v.Kind() {
		case reflect.Slice:
			for i := 0; i < v.Len() && err == nil; i++ {
				p, err = put(p, v.Index(i))
			}
		case reflect.String:
			if limit := maxLen(f); v.Len() > limit {
				err = fmt.Errorf("%s has %d bytes, at most %d are allowed", strings.ToLower(f.Name), v.Len(), limit)
			}
			p = append(p, v.String()...)
		case reflect.Bool:
			p = append(p, flag(v.Bool(), 1))
		default:
			var le [8]byte
			binary.LittleEndian.PutUint64(le[:], v.Uint())
			p = append(p, le[:v.Type().Size()]...)
		}
	}
	return p, err
}

func take(v reflect.Value, p []byte) (_ []byte, err error) {
	for f, v := range v.Fields() {
		switch size := int(v.Type().Size()); {
		case v.Kind() == reflect.Slice:
			for i := 0; len(p) > 0 && err == nil; i++ {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
				p, err = take(v.Index(i), p)
			}
		case v.Kind() == reflect.String:
			if limit := maxLen(f); len(p) > limit {
				err = fmt.Errorf("%s has %d bytes, at most %d are allowed", strings.ToLower(f.Name), len(p), limit)
			}
			v.SetString(string(p))
			p = nil
		case len(p) < size:
			err = fmt.Errorf("%s is cut off", strings.ToLower(f.Name))
		case v.Kind() == reflect.Bool:
			if p[0] > 1 {
				err = fmt.Errorf("%s is %d, want 0 or 1", strings.ToLower(f.Name), p[0])
			}
			v.SetBool(p[0] != 0)
			p = p[1:]
		default:
			var le [8]byte
			copy(le[:], p[:size])
			v.SetUint(binary.LittleEndian.Uint64(le[:]))
			p = p[size:]
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// maxLen is the longest a text may be. A tag that is no number is a mistake in the table.
func maxLen(f reflect.StructField) int {
	n, err := strconv.Atoi(f.Tag.Get("max"))
	if err != nil {
		panic(fmt.Sprintf("bridge: max tag of %s: %v", f.Name, err))
	}
	return n
}
