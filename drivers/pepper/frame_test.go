package pepper

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"tavolo/drivers/rfid"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Frames worked out by an independent implementation; the first four are found in public code for the reader too.
var vectors = []struct{ name, payload, frame string }{
	{"dummy", "01", "f5 03 00 fc ff 01 d1 f1"},
	{"tag count", "02", "f5 03 00 fc ff 02 b2 c1"},
	{"uid 0", "03 00", "f5 04 00 fb ff 03 00 5c 48"},
	{"uid 1", "03 01", "f5 04 00 fb ff 03 01 7d 58"},
	{"polling on", "06 01", "f5 04 00 fb ff 06 01 88 a7"},
	{"version", "0b", "f5 03 00 fc ff 0b 9b 50"},
	{"antenna 3", "0f 03", "f5 04 00 fb ff 0f 03 52 3d"},
	{"inventory start", "90 00", "f5 04 00 fb ff 90 00 e4 05"},
	{"inventory next", "91 00", "f5 04 00 fb ff 91 00 d5 36"},
	{"two tags", "00 02 02", "f5 05 00 fa ff 00 02 02 bc 8a"},
	{"refusal", "ff 01 02 01", "f5 06 00 f9 ff ff 01 02 01 10 8e"},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		payload, frame := unhex(t, v.payload), unhex(t, v.frame)
		if got := AppendFrame(nil, payload); !bytes.Equal(got, frame) {
			t.Errorf("%s: framed as % x, want % x", v.name, got, frame)
		}
		var p Parser
		p.Push(frame)
		m, ok := p.Next()
		if !ok || !bytes.Equal(m.Payload, payload) || p.Unfinished() || p.Faults != (Faults{}) {
			t.Errorf("%s: parsed as % x, %v, faults %+v", v.name, m.Payload, ok, p.Faults)
		}
	}
}

// drain takes all messages as text: payloads in hexadecimal, objects as they are.
func drain(p *Parser) []string {
	var got []string
	for m, ok := p.Next(); ok; m, ok = p.Next() {
		if m.JSON != nil {
			got = append(got, string(m.JSON))
		} else {
			got = append(got, hex.EncodeToString(m.Payload))
		}
	}
	return got
}

func TestParser(t *testing.T) {
	frame := func(payload string) string { return string(AppendFrame(nil, unhex(t, payload))) }
	damaged := func(payload string, at int) string {
		b := []byte(frame(payload))
		b[at] ^= 0x40
		return string(b)
	}
	const object = `{"type":"uid","uid":"E004","note":"a } \" { b"}`
	ack, uid := frame("0006"), frame("000310 00e004010203040506")
	for _, c := range []struct {
		name, stream string
		want         []string
		faults       Faults
	}{
		{"glued", ack + uid + ack, []string{"0006", "00031000e004010203040506", "0006"}, Faults{}},
		{"noise before and between", "xyz" + ack + "\x00\xff" + ack, []string{"0006", "0006"}, Faults{Garbage: 5}},
		{"start byte in the noise", "\xf5" + ack, []string{"0006"}, Faults{Garbage: 1, Length: 1}},
		{"json between frames", ack + object + "\r\n" + ack, []string{"0006", object, "0006"}, Faults{}},
		{"two objects", object + object, []string{object, object}, Faults{}},
		{"damaged payload", damaged("0006", 5) + ack, []string{"0006"}, Faults{Garbage: 9, Checksum: 1}},
		{"damaged length", damaged("0006", 1) + ack, []string{"0006"}, Faults{Garbage: 9, Length: 1}},
		{"damaged start", damaged("0006", 0) + ack, []string{"0006"}, Faults{Garbage: 9}},
		{"cut by the next frame", uid[:9] + uid + ack, []string{"00031000e004010203040506", "0006"}, Faults{Garbage: 9, Checksum: 1}},
		{"cut at the end", ack + uid[:12], []string{"0006"}, Faults{Garbage: 12, Cut: 1}},
		{"frame behind a cut one", uid[:6] + ack, []string{"0006"}, Faults{Garbage: 6, Cut: 1}},
		{"object cut by a frame", object[:20] + ack, []string{"0006"}, Faults{Garbage: 20, JSON: 1}},
		{"object cut by an object", object[:9] + object, []string{object}, Faults{Garbage: 9, JSON: 1}},
		{"object that is no json", `{"a":}` + ack, []string{"0006"}, Faults{Garbage: 6, JSON: 1}},
		{"endless object", "{" + strings.Repeat(" ", maxJSON) + ack, []string{"0006"}, Faults{Garbage: 1, JSON: 1}},
		{"empty frame", "\xf5\x02\x00\xfd\xff\xff\xff" + ack, []string{"0006"}, Faults{Garbage: 7, Length: 1}},
		{"longer than any answer", "\xf5\x02\x01\xfd\xfe" + ack, []string{"0006"}, Faults{Garbage: 5, Length: 1}},
	} {
		for _, chunk := range []int{1, 2, 7, len(c.stream)} {
			var p Parser
			var got []string
			for b := range slices.Chunk([]byte(c.stream), chunk) {
				p.Push(b)
				got = append(got, drain(&p)...)
			}
			p.Expire()
			got = append(got, drain(&p)...)
			if !slices.Equal(got, c.want) || p.Faults != c.faults || p.Unfinished() {
				t.Errorf("%s, %d bytes at a time: %q, faults %+v; want %q, %+v", c.name, chunk, got, p.Faults, c.want, c.faults)
			}
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, v := range vectors {
		f.Add(unhex(f, v.frame), 3)
	}
	f.Add([]byte(`{"type":"uid","uid":"E004015012345678","antenna":2}`+"\r\n"), 1)
	f.Add([]byte("\xf5\xf5\x05\x00\xfa\xff{\"a\":\"\\\xf5"), 2)
	f.Fuzz(func(t *testing.T, stream []byte, chunk int) {
		var whole, parts Parser
		whole.Push(stream)
		want := drain(&whole)

		var got []string
		for b := range slices.Chunk(stream, min(max(chunk, 1), 64)) {
			parts.Push(b)
			got = append(got, drain(&parts)...)
			if len(parts.buf) > headLen+maxPayload+crcLen && len(parts.buf) > maxJSON {
				t.Fatalf("%d bytes kept", len(parts.buf))
			}
		}
		if !slices.Equal(got, want) || whole.Faults != parts.Faults {
			t.Errorf("in parts %q %+v, at once %q %+v", got, parts.Faults, want, whole.Faults)
		}
		if whole.Faults.Garbage > uint64(len(stream)) {
			t.Errorf("%d bytes of garbage in %d", whole.Faults.Garbage, len(stream))
		}

		// Whatever came before, once the line has been idle a whole frame is heard, and nothing else.
		whole.Expire()
		drain(&whole)
		whole.Push(AppendFrame(nil, []byte{Ack, CmdDummy}))
		if after := drain(&whole); !slices.Equal(after, []string{"0001"}) {
			t.Errorf("after the noise heard %q", after)
		}
	})
}

func TestReading(t *testing.T) {
	object := func(s string) Message { return Message{JSON: []byte(s)} }
	for _, c := range []struct {
		m    Message
		want rfid.Reading
	}{
		{Message{Payload: unhex(t, "fe 03 10 00 e004015012345678")}, rfid.Reading{UID: "E004015012345678"}},
		{Message{Payload: unhex(t, "fe 00 01 08 04a1b2c3")}, rfid.Reading{UID: "04A1B2C3"}},
		{Message{Payload: unhex(t, "fe 00 01 08 04a1b2")}, rfid.Reading{}},
		{Message{Payload: unhex(t, "fe 00 01")}, rfid.Reading{}},
		{Message{Payload: unhex(t, "fe")}, rfid.Reading{}},
		{
			object(`{"type":"uid","uid":"e004015012345678","antenna":2,"tag_index":0,"uptime_ms":5120,"known_tag":false}`),
			rfid.Reading{Antenna: 2, UID: "E004015012345678"},
		},
		{object(`{"type":"uid","uid":"04A1B2C3"}`), rfid.Reading{UID: "04A1B2C3"}},
		{object(`{"type":"boot","uptime_ms":3}`), rfid.Reading{}},
		{object(`{"type":"uid","uid":"04 A1"}`), rfid.Reading{}},
		{object(`{"type":"uid","uid":7}`), rfid.Reading{}},
	} {
		got, err := reading(c.m)
		if (err == nil) != (c.want != rfid.Reading{}) || err == nil && got != c.want {
			t.Errorf("% x%s: %+v, %v; want %+v", c.m.Payload, c.m.JSON, got, err, c.want)
		}
	}
}
