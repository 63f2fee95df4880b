package pn532

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"tavolo/drivers/framing"
	"tavolo/drivers/framing/framingtest"
)

// Frames worked out by an independent implementation; several are found in public traces of the chip too.
var vectors = map[string]Frame{
	"00 00 ff 00 ff 00":                      {Kind: Ack},
	"00 00 ff ff 00 00":                      {Kind: Nack},
	"00 00 ff 01 ff 7f 81 00":                {Data: []byte{Failed}},
	"00 00 ff 02 fe d4 02 2a 00":             {Data: []byte{FromHost, CmdVersion}},
	"00 00 ff 06 fa d5 03 32 01 06 07 e8 00": {Data: []byte{FromChip, CmdVersion + 1, IC, 1, 6, 7}},
	"00 00 ff 05 fb d4 14 01 14 01 02 00":    {Data: []byte{FromHost, CmdSAM, 1, 20, 1}},
	"00 00 ff 02 fe d5 15 16 00":             {Data: []byte{FromChip, CmdSAM + 1}},
	"00 00 ff 06 fa d4 32 05 ff 01 01 f4 00": {Data: []byte{FromHost, CmdRF, ItemRetries, 0xFF, 1, 1}},
	"00 00 ff 04 fc d4 32 01 00 f9 00":       {Data: []byte{FromHost, CmdRF, ItemField, 0}},
	"00 00 ff 04 fc d4 4a 02 00 e0 00":       {Data: []byte{FromHost, CmdList, 2, BrTyA}},
	"00 00 ff 04 fc d4 4a 01 00 e1 00":       {Data: []byte{FromHost, CmdList, 1, BrTyA}},
	// No tag, and one.
	"00 00 ff 03 fd d5 4b 00 e0 00": {Data: []byte{FromChip, CmdList + 1, 0}},
	"00 00 ff 0f f1 d5 4b 01 01 00 44 00 07 04 0e 3b d2 28 6b 85 5c 00": {
		Data: []byte{FromChip, CmdList + 1, 1, 1, 0, 0x44, 0, 7, 4, 0x0E, 0x3B, 0xD2, 0x28, 0x6B, 0x85},
	},
}

var frames = framingtest.Form[Frame]{Append: Append, Decode: Decode}

func TestVectors(t *testing.T) {
	frames.TestVectors(t, vectors)
	const wake = "55 55 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff 03 fd d4 14 01 17 00"
	if got := Append(uart{}.wake(), Frame{Data: framingtest.Bytes(t, "d4 14 01")}); !bytes.Equal(got, framingtest.Bytes(t, wake)) {
		t.Errorf("wakes with % x, want %s", got, wake)
	}
}

// Public fault 26: "no acknowledgement" though the chip answered. The answer glued to it, junk before it, zeros between
// and a lost zero behind are all no reason not to see either.
func TestAcknowledgementAndAnswerInOnePiece(t *testing.T) {
	const ack, answer = "00 00 ff 00 ff 00", "00 00 ff 02 fe d5 15 16 00"
	want := []Frame{{Kind: Ack}, {Data: []byte{FromChip, CmdSAM + 1}}}
	for name, stream := range map[string]string{
		"glued":              ack + answer,
		"junk before":        "13 37 ff" + ack + answer,
		"zeros between":      ack + "00 00 00" + answer,
		"no preamble":        "00 ff 00 ff 00" + "00 ff 02 fe d5 15 16 00",
		"last zero lost":     ack[:15] + answer,
		"a start in a start": "00 00 ff" + ack + answer,
	} {
		for _, chunk := range []int{1, 2, 100} {
			s := framing.NewScanner(Decode)
			var got []Frame
			for b := range slices.Chunk(framingtest.Bytes(t, stream), chunk) {
				s.Push(b)
				got = append(got, framingtest.All(s)...)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d at a time: %+v, want %+v", name, chunk, got, want)
			}
		}
	}
}

// Answers longer than 255 bytes have a length of two.
func TestLongFrame(t *testing.T) {
	long := Frame{Data: bytes.Repeat([]byte{0xD5, 0x41}, 130)}
	s := framing.NewScanner(Decode)
	s.Push(Append(nil, long))
	if f, ok := s.Next(); !ok || !bytes.Equal(f.Data, long.Data) {
		t.Errorf("read as %d bytes, %v, faults %v", len(f.Data), ok, s.Faults())
	}
}

func TestList(t *testing.T) {
	const one = "01 0044 00 07 040e3bd2286b85"
	for _, c := range []struct {
		data string
		want []string
		bad  bool
	}{
		{"00", nil, false},
		{"01" + one, []string{"040E3BD2286B85"}, false},
		{"02" + one + "02 0004 08 04 a1b2c3d4", []string{"040E3BD2286B85", "A1B2C3D4"}, false},
		{"02" + "01 0344 20 07 040e3bd2286b85 03 7577" + "02 0004 08 04 a1b2c3d4", []string{"040E3BD2286B85", "A1B2C3D4"}, false},
		{"01" + "01 0344 20 07 040e3bd2286b85", []string{"040E3BD2286B85"}, false}, // which was not asked to be selected further
		{"", nil, true},
		{"03" + one, nil, true},
		{"02" + one, nil, true},
		{"01" + one + "00", nil, true},
		{"01 01 0044 00 ff 04", nil, true},
		{"01 01 0344 20 07 040e3bd2286b85 ff 75", nil, true},
		{"01 01 0344 20 07 040e3bd2286b85 00", nil, true}, // an ATS that has not even its length
		{"01 01 0044 00 02 040e", nil, true},
	} {
		got, err := list(framingtest.Bytes(t, c.data))
		if (err != nil) != c.bad || !c.bad && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.data, got, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for wire := range vectors {
		f.Add(framingtest.Bytes(f, wire), 3)
	}
	f.Add([]byte("\x00\x00\xff\xff\xff\x01\x04\xfb\x00\xff\x00\x00\xff"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, chunk int) {
		frames.TestStream(t, stream, chunk, Frame{Data: []byte{FromChip, CmdSAM + 1}})
	})
}

func FuzzList(f *testing.F) {
	f.Add([]byte("\x01\x01\x00\x44\x00\x07\x04\x0e\x3b\xd2\x28\x6b\x85"))
	f.Add([]byte("\x02\x01\x03\x44\x20\x04abcd\x01\x02\x00\x04\x08\x04efgh"))
	f.Fuzz(func(t *testing.T, data []byte) {
		uids, err := list(data)
		if err == nil && len(uids) != int(data[0]) {
			t.Errorf("% x: %d tags listed", data, len(uids))
		}
	})
}

func TestNewRefuses(t *testing.T) {
	one := Options{Path: "p"}
	one.Antennas = []int{1}
	two := one
	two.Antennas = []int{1, 2}
	none := one
	none.Path = ""
	for name, o := range map[string]Options{"two antennas": two, "no way to it": none, "no antenna": {Path: "p"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}
