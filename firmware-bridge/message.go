package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"strconv"
	"strings"
)

// Messages is everything host and node can say to each other. Code for either end is derived from this table, and
// [Schema] spells it out. Those up to progress are frozen, number and fields: they are how two ends that were built from
// different tables find out, and how the node is given firmware that was built from the host's.
//
// Every request may be repeated without harm, so a lost answer is cured by asking again.
var Messages = []Message{
	{ID: 1, Name: "hello", Dir: ToNode, Body: Hello{}},
	{ID: 2, Name: "identity", Dir: ToHost, Body: Identity{}},
	{ID: 3, Name: "ack", Dir: ToHost, Body: Ack{}},
	{ID: 4, Name: "who", Dir: ToNode, Body: Who{}},
	{ID: 5, Name: "move", Dir: ToNode, Body: Move{}},
	{ID: 6, Name: "offer", Dir: ToNode, Body: Offer{}},
	{ID: 7, Name: "chunk", Dir: ToNode, Body: Chunk{}},
	{ID: 8, Name: "install", Dir: ToNode, Body: Install{}},
	{ID: 9, Name: "progress", Dir: ToHost, Body: Progress{}},

	{ID: 16, Name: "poll", Dir: ToNode, Body: Poll{}},
	{ID: 17, Name: "events", Dir: ToHost, Body: Events{}},
	{ID: 18, Name: "clock", Dir: ToNode, Body: Clock{}},
	{ID: 19, Name: "time", Dir: ToHost, Body: Time{}},
	{ID: 20, Name: "lamps", Dir: ToNode, Body: Lamps{}},
	{ID: 21, Name: "show", Dir: ToNode, Body: Show{}},
	{ID: 22, Name: "ask", Dir: ToNode, Body: Ask{}},
	{ID: 23, Name: "weigh", Dir: ToNode, Body: Weigh{}},
	{ID: 24, Name: "weight", Dir: ToHost, Body: Weight{}},
}

// Message is a row of the table.
type Message struct {
	ID   uint8
	Name string
	Dir  Dir
	// Body is a zero value of the message's type. Its fields go over the wire in their order, numbers little-endian in
	// the width of their type, negative ones in two's complement, a bool as a byte 0 or 1, an array of bytes as it is. The last field may be a string or a
	// slice of bytes, which fill the rest of the payload up to the length in their max tag, or a slice of structs, as many
	// as there are.
	Body any
}

// Dir is which way a message goes.
type Dir uint8

const (
	ToNode Dir = iota // from the host
	ToHost            // from a node, as the reply to a request
)

// String names the direction as tables of messages have it.
func (d Dir) String() string {
	if d == ToHost {
		return "to host"
	}
	return "to node"
}

// Hello asks a node who it is. A node answers it with Identity, and until it has been greeted since it started it
// refuses every other message but Who and Move, so that a node which started over cannot be mistaken for the one before.
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

// Who looks for nodes at an address, Nameless among them. Each whose UID ends with the lowest Bits bits of Tail, and is
// not Except, answers with Identity; the others are silent. Where several answer at once nobody is understood, and the
// host asks again for one bit more.
type Who struct {
	Tail   uint64
	Bits   uint8 // 0 to 64
	Except uint64
}

// Move gives the node with that UID, and no other at its address, another address, which it keeps over a restart. It
// answers with Ack from the address it had. Nameless takes its address away.
type Move struct {
	UID  uint64
	Addr Addr
}

// Offer begins the transfer of a firmware image, see [Image], or goes on with the one that was broken off, if that had
// this size and digest. What the node has of another is forgotten. It answers with Progress.
type Offer struct {
	Size   uint32
	Digest [32]byte // SHA-256
}

// Chunk is a piece of the image offered. A node takes it where it goes on from what the node has, and answers with
// Progress in any case.
type Chunk struct {
	At   uint32
	Data []byte `max:"48"`
}

// Install makes the node start over with the image that was offered, if it has all of it. The digest is named once more
// so that no other image is installed. It answers with Progress.
type Install struct{ Digest [32]byte }

// Progress says how far the transfer of an image is.
type Progress struct {
	Have  uint32 // bytes, from the beginning
	State ImageState
}

// ImageState is what a node thinks of the image it is being sent.
type ImageState uint8

const (
	ImageNone    ImageState = iota // none was offered, or another
	ImagePartial                   // there are bytes to come
	ImageReady                     // complete, and its digest is right
	ImageSpoilt                    // its digest was wrong; it is forgotten
	ImageUnfit                     // too large, or not for this kind of node; it is forgotten
	ImageTaken                     // the node is about to start with it
)

// String gives the state in words.
func (s ImageState) String() string {
	names := [...]string{
		ImageNone: "not offered", ImagePartial: "incomplete", ImageReady: "complete", ImageSpoilt: "digest does not match",
		ImageUnfit: "too large, or not for this kind of node", ImageTaken: "installed",
	}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

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

// Weigh asks for the latest sample of the scale under the player's chips.
type Weigh struct{}

// Weight answers Weigh.
type Weight struct {
	At     uint64 // µs since the node started
	Counts int32  // of the converter: 24 bits, neither tared nor scaled
	State  ScaleState
}

// ScaleState is what a sample of the scale is worth.
type ScaleState uint8

const (
	ScaleNone ScaleState = iota // the node has no scale, or none that has given a sample yet
	ScaleGood                   // counts are the weight
	ScaleOver                   // more, or less, than the converter can tell
)

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
			if bytesOf(f.Type) {
				b.WriteString("bytes" + f.Tag.Get("max"))
				break
			}
			fmt.Fprintf(&b, "[%s]", strings.TrimSpace(fields(f.Type.Elem())))
		case reflect.Array:
			fmt.Fprintf(&b, "uint8x%d", f.Type.Len())
		case reflect.String:
			b.WriteString("text" + f.Tag.Get("max"))
		default:
			b.WriteString(f.Type.Kind().String())
		}
	}
	return b.String()
}

// bytesOf is whether t, a slice, is one of bytes.
func bytesOf(t reflect.Type) bool { return t.Elem().Kind() == reflect.Uint8 }

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
			if bytesOf(v.Type()) {
				err = fits(f, v.Len())
				p = append(p, v.Bytes()...)
				break
			}
			for i := 0; i < v.Len() && err == nil; i++ {
				p, err = put(p, v.Index(i))
			}
		case reflect.Array:
			for _, b := range v.Seq2() {
				p = append(p, byte(b.Uint()))
			}
		case reflect.String:
			err = fits(f, v.Len())
			p = append(p, v.String()...)
		case reflect.Bool:
			p = append(p, flag(v.Bool(), 1))
		case reflect.Int32:
			p = binary.LittleEndian.AppendUint32(p, uint32(v.Int()))
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
		case v.Kind() == reflect.Slice && bytesOf(v.Type()):
			err = fits(f, len(p))
			v.SetBytes(bytes.Clone(p))
			p = nil
		case v.Kind() == reflect.Slice:
			for i := 0; len(p) > 0 && err == nil; i++ {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
				p, err = take(v.Index(i), p)
			}
		case v.Kind() == reflect.String:
			err = fits(f, len(p))
			v.SetString(string(p))
			p = nil
		case len(p) < size:
			err = fmt.Errorf("%s is cut off", strings.ToLower(f.Name))
		case v.Kind() == reflect.Array:
			reflect.Copy(v, reflect.ValueOf(p[:size]))
			p = p[size:]
		case v.Kind() == reflect.Bool:
			if p[0] > 1 {
				err = fmt.Errorf("%s is %d, want 0 or 1", strings.ToLower(f.Name), p[0])
			}
			v.SetBool(p[0] != 0)
			p = p[1:]
		case v.Kind() == reflect.Int32:
			v.SetInt(int64(int32(binary.LittleEndian.Uint32(p))))
			p = p[size:]
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

// fits checks the length of a text, or of bytes, against its max tag. A tag that is no number is a mistake in the table.
func fits(f reflect.StructField, n int) error {
	limit, err := strconv.Atoi(f.Tag.Get("max"))
	if err != nil {
		panic(fmt.Sprintf("bridge: max tag of %s: %v", f.Name, err))
	}
	if n > limit {
		return fmt.Errorf("%s has %d bytes, at most %d are allowed", strings.ToLower(f.Name), n, limit)
	}
	return nil
}
