package bridge

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

var sampleMessages = []any{
	Hello{},
	Identity{UID: 0x0102030405060708, Boot: 9, Schema: 10, Version: 0x0102, Kind: KindSeat, Last: 65535},
	Ack{},
	Poll{Consumed: 0x1234},
	Events{First: 7},
	Events{First: 65535, Events: []KeyRecord{
		{At: 1 << 40, Key: KeyBet, Down: true, Prompt: 3, Amount: 5_000_000_000_000}, {Key: KeyFold}, {Key: 200},
	}},
	Clock{},
	Time{Now: 1 << 63},
	Lamps{On: 1, Blink: 1 << 15},
	Show{},
	Show{Text: "to call 150\npot 1,250"},
	Ask{Prompt: 255, Start: 1, Min: 2, Max: 3, Step: 4},
	Who{Tail: 0xAB, Bits: 8, Except: 7},
	Move{UID: 7, Addr: 14},
	Offer{Size: 70_000, Digest: [32]byte{1, 31: 2}},
	Chunk{At: 48, Data: []byte{0, 1, 0}},
	Install{Digest: [32]byte{1, 31: 2}},
	Progress{Have: 48, State: ImagePartial},
	Weigh{},
	Weight{At: 5, Counts: -1 << 23, State: ScaleOver},
}

func TestMessages(t *testing.T) {
	for _, want := range sampleMessages {
		id, payload, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		dir := ToNode
		for _, m := range Messages {
			if m.ID == id {
				dir = m.Dir
			}
		}
		got, err := Decode(dir, id, payload)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
		if _, err := Decode(1-dir, id, payload); err == nil {
			t.Errorf("%T was taken the wrong way", want)
		}
	}
}

func TestMessageOnTheWire(t *testing.T) {
	for _, c := range []struct {
		msg  any
		id   uint8
		want string
	}{
		{Poll{Consumed: 0x1234}, 16, "\x34\x12"},
		{Chunk{At: 0x0102, Data: []byte{9, 0}}, 7, "\x02\x01\x00\x00\x09\x00"},
		{Weight{At: 1, Counts: -2, State: ScaleGood}, 24, "\x01\x00\x00\x00\x00\x00\x00\x00\xFE\xFF\xFF\xFF\x01"},
		{Install{Digest: [32]byte{0: 1, 31: 2}}, 8, "\x01" + strings.Repeat("\x00", 30) + "\x02"},
		{Lamps{On: 0x0102, Blink: 0x8000}, 20, "\x02\x01\x00\x80"},
		{Show{Text: "a\nb"}, 21, "a\nb"},
		{
			Identity{UID: 0x0807060504030201, Boot: 0x0C0B0A09, Schema: 0x100F0E0D, Version: 0x1211, Kind: 0x13, Last: 0x1514},
			2,
			"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15",
		},
		{
			Events{First: 1, Events: []KeyRecord{{At: 2, Key: 3, Down: true, Prompt: 4, Amount: 5}}},
			17,
			"\x01\x00" + "\x02\x00\x00\x00\x00\x00\x00\x00" + "\x03" + "\x01" + "\x04" + "\x05\x00\x00\x00\x00\x00\x00\x00",
		},
	} {
		if id, got, err := Encode(c.msg); id != c.id || string(got) != c.want || err != nil {
			t.Errorf("%T: %d % x, %v; want %d % x", c.msg, id, got, err, c.id, c.want)
		}
	}
}

func TestEncodeRefusesWhatIsTooLong(t *testing.T) {
	if _, _, err := Encode(Show{Text: strings.Repeat("x", 41)}); err == nil {
		t.Error("41 bytes of text were taken")
	}
	if _, _, err := Encode(Chunk{Data: make([]byte, 49)}); err == nil {
		t.Error("49 bytes of an image were taken")
	}
	if _, payload, err := Encode(Events{Events: make([]KeyRecord, eventsPerFrame)}); err != nil {
		t.Errorf("%d events are %d bytes: %v", eventsPerFrame, len(payload), err)
	}
	if _, _, err := Encode(Events{Events: make([]KeyRecord, eventsPerFrame+1)}); err == nil {
		t.Errorf("%d events fit, so eventsPerFrame is too small", eventsPerFrame+1)
	}
}

func TestDecodeRefusesWhatIsNoMessage(t *testing.T) {
	for name, c := range map[string]struct {
		dir     Dir
		id      uint8
		payload string
	}{
		"unknown":           {ToNode, 99, ""},
		"cut off":           {ToNode, 16, "\x01"},
		"too long":          {ToNode, 16, "\x01\x02\x03"},
		"bytes too long":    {ToNode, 7, strings.Repeat("x", 4+49)},
		"array cut off":     {ToNode, 8, strings.Repeat("x", 31)},
		"text too long":     {ToNode, 21, strings.Repeat("x", 41)},
		"half an event":     {ToHost, 17, "\x01\x00\x02\x00\x00"},
		"bool neither 0, 1": {ToHost, 17, "\x01\x00" + "\x02\x00\x00\x00\x00\x00\x00\x00" + "\x03\x02\x04" + "\x05\x00\x00\x00\x00\x00\x00\x00"},
	} {
		if msg, err := Decode(c.dir, c.id, []byte(c.payload)); err == nil {
			t.Errorf("%s: taken as %+v", name, msg)
		}
	}
}

// A changed table is another protocol: nodes must be flashed anew. This is where one sees that it has changed.
func TestSchema(t *testing.T) {
	want, err := os.ReadFile("testdata/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := Schema(); got != string(want) {
		t.Errorf("the table and testdata/schema.txt differ; all firmware in the field is refused by this program. Now:\n%s", got)
	}
	if got, want := SchemaHash(), uint32(0xe0406bfd); got != want {
		t.Errorf("hash %08x, want %08x", got, want)
	}
}

func TestMessageTable(t *testing.T) {
	names, ids := map[string]bool{}, map[uint8]bool{}
	for _, m := range Messages {
		if names[m.Name] || ids[m.ID] {
			t.Errorf("message %d %s is there twice", m.ID, m.Name)
		}
		names[m.Name], ids[m.ID] = true, true
	}
}

func FuzzDecode(f *testing.F) {
	for _, msg := range sampleMessages {
		id, payload, _ := Encode(msg)
		f.Add(id, payload)
	}
	f.Fuzz(func(t *testing.T, id uint8, payload []byte) {
		if len(payload) > MaxPayload {
			return
		}
		for _, dir := range []Dir{ToNode, ToHost} {
			msg, err := Decode(dir, id, payload)
			if err != nil {
				continue
			}
			if _, again, err := Encode(msg); err != nil || !bytes.Equal(again, payload) {
				t.Fatalf("% x is %+v is % x, %v", payload, msg, again, err)
			}
		}
	})
}
