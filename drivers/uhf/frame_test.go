package uhf

import (
	"bytes"
	"encoding/hex"
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

// Frames worked out by an independent implementation; most are found in public code too.
var vectors = []struct {
	name  string
	frame Frame
	wire  string
}{
	{"hw version", Frame{Command, CmdInfo, []byte{InfoHardware}}, "bb 00 03 00 01 00 04 7e"},
	{"sw version", Frame{Command, CmdInfo, []byte{InfoSoftware}}, "bb 00 03 00 01 01 05 7e"},
	{"single poll", Frame{Command, CmdPoll, nil}, "bb 00 22 00 00 22 7e"},
	{"multi poll 10000", Frame{Command, CmdPollMany, []byte{PollMany, 0x27, 0x10}}, "bb 00 27 00 03 22 27 10 83 7e"},
	{"stop multi", Frame{Command, CmdStop, nil}, "bb 00 28 00 00 28 7e"},
	{"get power", Frame{Command, CmdPower, nil}, "bb 00 b7 00 00 b7 7e"},
	{"set power 20 dBm", Frame{Command, CmdSetPower, []byte{0x07, 0xD0}}, "bb 00 b6 00 02 07 d0 8f 7e"},
	{"err no tag", Frame{Response, CmdError, []byte{ErrorNoTag}}, "bb 01 ff 00 01 15 16 7e"},
	{
		"notify EPC",
		Frame{Notice, CmdPoll, []byte{0xC9, 0x30, 0, 0x30, 0x75, 0x1F, 0xEB, 0x70, 0x5C, 0x59, 4, 0xE3, 0xD5, 0x0D, 0x70, 0xC7, 0xD3}},
		"bb 02 22 00 11 c9 30 00 30 75 1f eb 70 5c 59 04 e3 d5 0d 70 c7 d3 d5 7e",
	},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		wire := unhex(t, v.wire)
		if got := Append(nil, v.frame); !bytes.Equal(got, wire) {
			t.Errorf("%s: framed as % x, want % x", v.name, got, wire)
		}
		f, size, fault := Decode(wire)
		if fault != "" || size != len(wire) || f.Type != v.frame.Type || f.Cmd != v.frame.Cmd || !bytes.Equal(f.Data, v.frame.Data) {
			t.Errorf("%s: decoded as %+v, %d bytes, %q", v.name, f, size, fault)
		}
	}
}

func TestTag(t *testing.T) {
	for _, c := range []struct{ what, data, want string }{
		{"the tag of the vectors", "c9 3000 30751feb705c5904e3d50d70 c7d3", "30751FEB705C5904E3D50D70"},
		{"the same with another bit in its PC", "c9 3400 30751feb705c5904e3d50d70 3a76", "30751FEB705C5904E3D50D70"},
		{"a wrong checksum", "c9 3000 30751feb705c5904e3d50d70 c7d4", ""},
		{"a PC of another length", "c9 2800 30751feb705c5904e3d50d70 c7d3", ""},
		{"no EPC", "c9 0000 e2f0", ""},
		{"too short", "c9 0000 e2", ""},
		{"nothing", "", ""},
	} {
		uid, rssi, err := tag(unhex(t, c.data))
		if uid != c.want || (err == nil) != (c.want != "") || err == nil && rssi != -55 {
			t.Errorf("%s: %q with %d dBm, %v; want %q with -55 dBm", c.what, uid, rssi, err, c.want)
		}
	}
}

// Public fault 33: a parser that searches for the bytes that begin and end a frame mixes tags whose codes hold them. This
// one goes by the length.
func TestCodesHoldBytesThatEndFrames(t *testing.T) {
	epcs := []string{"BB0222001100BB7E7EBB7E00", "7E7EBB022200117EBB7EBB7E"}
	s := framing.NewScanner(Decode)
	for _, epc := range epcs {
		data := append([]byte{0xC9, 0x30, 0}, unhex(t, epc)...)
		s.Push(Append(nil, Frame{Notice, CmdPoll, data}))
	}
	for _, epc := range epcs {
		if f, ok := s.Next(); !ok || !bytes.Equal(f.Data[3:], unhex(t, epc)) {
			t.Errorf("% x, want %s", f.Data, epc)
		}
	}
	if f := s.Faults(); len(f) > 0 {
		t.Errorf("counted %v", f)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		f.Add(unhex(f, v.wire), 3)
	}
	f.Add([]byte("\xbb\x02\x22\x00\x11\xc9\xbb\x00\x28\x00\x00\x28\x7e"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, chunk int) {
		whole, parts := framing.NewScanner(Decode), framing.NewScanner(Decode)
		whole.Push(stream)
		want := drain(whole)
		var got []string
		for b := range slices.Chunk(stream, min(max(chunk, 1), 64)) {
			parts.Push(b)
			got = append(got, drain(parts)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in parts %q, at once %q", got, want)
		}
		// Whatever came before, once the line has been idle a whole frame is heard, and nothing else.
		whole.Expire()
		drain(whole)
		next := Append(nil, Frame{Response, CmdStop, []byte{0}})
		whole.Push(next)
		if after := drain(whole); !slices.Equal(after, []string{string(next)}) {
			t.Errorf("after the noise heard %q", after)
		}
	})
}

func FuzzTag(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.frame.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if uid, _, err := tag(data); err == nil && 2*(len(data)-5) != len(uid) {
			t.Errorf("% x is tag %s", data, uid)
		}
	})
}

// drain takes all frames, framed again.
func drain(s *framing.Scanner[Frame]) (out []string) {
	for f, ok := s.Next(); ok; f, ok = s.Next() {
		out = append(out, string(Append(nil, f)))
	}
	return out
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no path":        func(o *Options) { o.Path = "" },
		"no antenna":     func(o *Options) { o.Antennas = nil },
		"antenna 2":      func(o *Options) { o.Antennas = []int{2} },
		"power 31 dBm":   func(o *Options) { o.Power = 31 },
		"negative power": func(o *Options) { o.Power = -1 },
	} {
		o := Options{Path: "p"}
		o.Antennas = []int{1}
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}
