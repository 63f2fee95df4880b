package pepper

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"tavolo/drivers/framing"
	"tavolo/drivers/framing/framingtest"
	"tavolo/drivers/rfid"
)

// Frames worked out by an independent implementation; the first four are found in public code for the reader too.
var vectors = map[string]Message{
	"f5 03 00 fc ff 01 d1 f1":          {Payload: []byte{CmdDummy}},
	"f5 03 00 fc ff 02 b2 c1":          {Payload: []byte{CmdTagCount}},
	"f5 04 00 fb ff 03 00 5c 48":       {Payload: []byte{CmdUID, 0}},
	"f5 04 00 fb ff 03 01 7d 58":       {Payload: []byte{CmdUID, 1}},
	"f5 04 00 fb ff 06 01 88 a7":       {Payload: []byte{CmdPolling, 1}},
	"f5 03 00 fc ff 0b 9b 50":          {Payload: []byte{CmdVersion}},
	"f5 04 00 fb ff 0f 03 52 3d":       {Payload: []byte{CmdAntenna, 3}},
	"f5 04 00 fb ff 90 00 e4 05":       {Payload: []byte{CmdInventoryStart, 0}},
	"f5 04 00 fb ff 91 00 d5 36":       {Payload: []byte{CmdInventoryNext, 0}},
	"f5 05 00 fa ff 00 02 02 bc 8a":    {Payload: []byte{Ack, CmdTagCount, 2}},
	"f5 06 00 f9 ff ff 01 02 01 10 8e": {Payload: []byte{Nak, CmdDummy, 2, 1}},
}

var frames = framingtest.Form[Message]{
	Append: func(dst []byte, m Message) []byte { return AppendFrame(dst, m.Payload) },
	Decode: Decode,
}

func TestVectors(t *testing.T) { frames.TestVectors(t, vectors) }

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
	frame := func(payload string) string { return string(AppendFrame(nil, framingtest.Bytes(t, payload))) }
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
	for wire := range vectors {
		f.Add(framingtest.Bytes(f, wire), 3)
	}
	f.Add([]byte(`{"type":"uid","uid":"E004015012345678","antenna":2}`+"\r\n"), 1)
	f.Add([]byte("\xf5\xf5\x05\x00\xfa\xff{\"a\":\"\\\xf5"), 2)
	f.Fuzz(func(t *testing.T, stream []byte, chunk int) {
		frames.TestStream(t, stream, chunk, Message{Payload: []byte{Ack, CmdDummy}})
	})
}

func TestReported(t *testing.T) {
	object := func(s string) Message { return Message{JSON: []byte(s)} }
	for _, c := range []struct {
		m    Message
		want string
	}{
		{Message{Payload: framingtest.Bytes(t, "fe 03 10 00 e004015012345678")}, "E004015012345678"},
		{Message{Payload: framingtest.Bytes(t, "fe 00 01 08 04a1b2c3")}, "04A1B2C3"},
		{Message{Payload: framingtest.Bytes(t, "fe 00 01 08 04a1b2")}, ""},
		{Message{Payload: framingtest.Bytes(t, "fe 00 01")}, ""},
		{Message{Payload: framingtest.Bytes(t, "fe")}, ""},
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

// Whatever the reader reports, as a frame or as an object, it is a tag with a UID, or an error.
func FuzzReported(f *testing.F) {
	f.Add(false, []byte("\xfe\x03\x10\x00\xe0\x04\x01\x50\x12\x34\x56\x78"))
	f.Add(true, []byte(`{"type":"uid","uid":"e004015012345678","antenna":2,"tag_index":0,"uptime_ms":5120,"known_tag":false}`))
	f.Add(true, []byte(`{"type":"uid","uid":null}`))
	f.Fuzz(func(t *testing.T, object bool, said []byte) {
		m := Message{Payload: said}
		if object {
			m = Message{JSON: said}
		}
		uid, err := reported(m)
		if raw, bad := hex.DecodeString(uid); err == nil && (bad != nil || len(raw) < rfid.MinUID || len(raw) > rfid.MaxUID) {
			t.Errorf("%q is tag %q", said, uid)
		}
	})
}
