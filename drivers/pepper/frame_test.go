package pepper

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"tavolo/drivers/framing"
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
		p := framing.NewScanner(Decode)
		p.Push(frame)
		m, ok := p.Next()
		if !ok || !bytes.Equal(m.Payload, payload) || p.Unfinished() || len(p.Faults()) > 0 {
			t.Errorf("%s: parsed as % x, %v, faults %v", v.name, m.Payload, ok, p.Faults())
		}
	}
}

// drain takes all messages as text: payloads in hexadecimal, objects as they are.
func drain(p *framing.Scanner[Message]) []string {
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

func TestDecode(t *testing.T) {
	frame := func(payload string) string { return string(AppendFrame(nil, unhex(t, payload))) }
	damaged := func(payload string, at int) string {
		b := []byte(frame(payload))
		b[at] ^= 0x40
		return string(b)
	}
	type faults = map[framing.Fault]uint64
	const object = `{"type":"uid","uid":"E004","note":"a } \" { b"}`
	ack, uid := frame("0006"), frame("000310 00e004010203040506")
	for _, c := range []struct {
		name, stream string
		want         []string
		faults       faults
	}{
		{"glued", ack + uid + ack, []string{"0006", "00031000e004010203040506", "0006"}, nil},
		{"noise before and between", "xyz" + ack + "\x00\xff" + ack, []string{"0006", "0006"}, faults{framing.Garbage: 5}},
		{"start byte in the noise", "\xf5" + ack, []string{"0006"}, faults{framing.Garbage: 1, framing.Length: 1}},
		{"json between frames", ack + object + "\r\n" + ack, []string{"0006", object, "0006"}, nil},
		{"two objects", object + object, []string{object, object}, nil},
		{"damaged payload", damaged("0006", 5) + ack, []string{"0006"}, faults{framing.Garbage: 9, framing.Checksum: 1}},
		{"damaged length", damaged("0006", 1) + ack, []string{"0006"}, faults{framing.Garbage: 9, framing.Length: 1}},
		{"damaged start", damaged("0006", 0) + ack, []string{"0006"}, faults{framing.Garbage: 9}},
		{"cut by the next frame", uid[:9] + uid + ack, []string{"00031000e004010203040506", "0006"}, faults{framing.Garbage: 9, framing.Checksum: 1}},
		{"cut at the end", ack + uid[:12], []string{"0006"}, faults{framing.Garbage: 12, framing.Cut: 1}},
		{"frame behind a cut one", uid[:6] + ack, []string{"0006"}, faults{framing.Garbage: 6, framing.Cut: 1}},
		{"object cut by a frame", object[:20] + ack, []string{"0006"}, faults{framing.Garbage: 20, BadJSON: 1}},
		{"object cut by an object", object[:9] + object, []string{object}, faults{framing.Garbage: 9, BadJSON: 1}},
		{"object that is no json", `{"a":}` + ack, []string{"0006"}, faults{framing.Garbage: 6, BadJSON: 1}},
		{"endless object", "{" + strings.Repeat(" ", maxJSON) + ack, []string{"0006"}, faults{framing.Garbage: 1, BadJSON: 1}},
		{"empty frame", "\xf5\x02\x00\xfd\xff\xff\xff" + ack, []string{"0006"}, faults{framing.Garbage: 7, framing.Length: 1}},
		{"longer than any answer", "\xf5\x02\x01\xfd\xfe" + ack, []string{"0006"}, faults{framing.Garbage: 5, framing.Length: 1}},
	} {
		for _, chunk := range []int{1, 2, 7, len(c.stream)} {
			p := framing.NewScanner(Decode)
			var got []string
			for b := range slices.Chunk([]byte(c.stream), chunk) {
				p.Push(b)
				got = append(got, drain(p)...)
			}
			p.Expire()
			got = append(got, drain(p)...)
			counted := faults{}
			for name, n := range p.Faults() {
				counted[framing.Fault(name)] = n
			}
			if !slices.Equal(got, c.want) || !maps.Equal(counted, c.faults) || p.Unfinished() {
				t.Errorf("%s, %d bytes at a time: %q, faults %v; want %q, %v", c.name, chunk, got, counted, c.want, c.faults)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		f.Add(unhex(f, v.frame), 3)
	}
	f.Add([]byte(`{"type":"uid","uid":"E004015012345678","antenna":2}`+"\r\n"), 1)
	f.Add([]byte("\xf5\xf5\x05\x00\xfa\xff{\"a\":\"\\\xf5"), 2)
	f.Fuzz(func(t *testing.T, stream []byte, chunk int) {
		whole, parts := framing.NewScanner(Decode), framing.NewScanner(Decode)
		whole.Push(stream)
		want := drain(whole)

		var got []string
		for b := range slices.Chunk(stream, min(max(chunk, 1), 64)) {
			parts.Push(b)
			got = append(got, drain(parts)...)
		}
		if !slices.Equal(got, want) || !maps.Equal(whole.Faults(), parts.Faults()) {
			t.Errorf("in parts %q %v, at once %q %v", got, parts.Faults(), want, whole.Faults())
		}
		if n := whole.Faults()[string(framing.Garbage)]; n > uint64(len(stream)) {
			t.Errorf("%d bytes of garbage in %d", n, len(stream))
		}

		// Whatever came before, once the line has been idle a whole frame is heard, and nothing else.
		whole.Expire()
		drain(whole)
		whole.Push(AppendFrame(nil, []byte{Ack, CmdDummy}))
		if after := drain(whole); !slices.Equal(after, []string{"0001"}) {
			t.Errorf("after the noise heard %q", after)
		}
	})
}

func TestReported(t *testing.T) {
	object := func(s string) Message { return Message{JSON: []byte(s)} }
	for _, c := range []struct {
		m    Message
		want string
	}{
		{Message{Payload: unhex(t, "fe 03 10 00 e004015012345678")}, "E004015012345678"},
		{Message{Payload: unhex(t, "fe 00 01 08 04a1b2c3")}, "04A1B2C3"},
		{Message{Payload: unhex(t, "fe 00 01 08 04a1b2")}, ""},
		{Message{Payload: unhex(t, "fe 00 01")}, ""},
		{Message{Payload: unhex(t, "fe")}, ""},
		{
			object(`{"type":"uid","uid":"e004015012345678","antenna":2,"tag_index":0,"uptime_ms":5120,"known_tag":false}`),
			"E004015012345678",
		},
		{object(`{"type":"uid","uid":"04A1B2C3"}`), "04A1B2C3"},
		{object(`{"type":"boot","uptime_ms":3}`), ""},
		{object(`{"type":"uid","uid":"04 A1"}`), ""},
		{object(`{"type":"uid","uid":7}`), ""},
	} {
		got, err := reported(c.m)
		if (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("% x%s: %q, %v; want %q", c.m.Payload, c.m.JSON, got, err, c.want)
		}
	}
}
