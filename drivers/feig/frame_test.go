package feig

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

// Frames worked out by an independent implementation; the first is found in public code too.
var vectors = []struct {
	name  string
	form  Form
	frame Frame
	wire  string
}{
	{"advanced inventory", Advanced, Frame{0xFF, CmdISO, []byte{1, 0}}, "02 00 09 ff b0 01 00 18 43"},
	{"inventory", Standard, Frame{0xFF, CmdISO, []byte{1, 0}}, "07 ff b0 01 00 1c 56"},
	{
		"one tag", Standard,
		Frame{0, CmdISO, []byte{0, 1, 3, 0, 0xE0, 4, 1, 0x50, 0x12, 0x34, 0x56, 0x78}},
		"11 00 b0 00 01 03 00 e0 04 01 50 12 34 56 78 ba 40",
	},
	{"no tag", Standard, Frame{0, CmdISO, []byte{1}}, "06 00 b0 01 5c 63"},
	{"version", Standard, Frame{0xFF, CmdVersion, nil}, "05 ff 65 e5 cb"},
	{"RF reset", Standard, Frame{0xFF, CmdResetRF, nil}, "05 ff 69 89 01"},
	{"RF off", Standard, Frame{0xFF, CmdOutput, []byte{0}}, "06 ff 6a 00 6d 16"},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		wire := unhex(t, v.wire)
		if got := v.form.Append(nil, v.frame); !bytes.Equal(got, wire) {
			t.Errorf("%s: framed as % x, want % x", v.name, got, wire)
		}
		f, size, fault := v.form.Decode(wire)
		if fault != "" || size != len(wire) || f.Addr != v.frame.Addr || f.Cmd != v.frame.Cmd || !bytes.Equal(f.Data, v.frame.Data) {
			t.Errorf("%s: decoded as %+v, %d bytes, %q", v.name, f, size, fault)
		}
	}
}

func TestInventory(t *testing.T) {
	const one, two = "0300e004015012345678", "0300e0040150aabbccdd"
	for _, c := range []struct {
		data string
		want []string
	}{
		{"01" + one, []string{"E004015012345678"}},
		{"02" + one + two, []string{"E004015012345678", "E0040150AABBCCDD"}},
		{"", nil},
		{"02" + one, nil},
		{"01" + one + "00", nil},
		{"01" + one[:18], nil},
		{"01" + "04" + one[2:], nil}, // a tag of another kind
	} {
		got, err := inventory(unhex(t, c.data))
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v, %v; want %v", c.data, got, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		f.Add(unhex(f, v.wire), bool(v.form), 3)
	}
	f.Add([]byte("\x02\x02\x00\x09\x07\x07\xff"), true, 1)
	f.Fuzz(func(t *testing.T, stream []byte, advanced bool, chunk int) {
		form := Form(advanced)
		whole, parts := framing.NewScanner(form.Decode), framing.NewScanner(form.Decode)
		whole.Push(stream)
		want := drain(form, whole)
		var got []string
		for b := range slices.Chunk(stream, min(max(chunk, 1), 64)) {
			parts.Push(b)
			got = append(got, drain(form, parts)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in parts %q, at once %q", got, want)
		}
		// Whatever came before, once the line has been idle a whole frame is heard, and nothing else.
		whole.Expire()
		drain(form, whole)
		next := form.Append(nil, Frame{0, CmdVersion, []byte{0}})
		whole.Push(next)
		if after := drain(form, whole); !slices.Equal(after, []string{string(next)}) {
			t.Errorf("after the noise heard %q", after)
		}
	})
}

// drain takes all frames, framed again.
func drain(form Form, s *framing.Scanner[Frame]) (out []string) {
	for f, ok := s.Next(); ok; f, ok = s.Next() {
		out = append(out, string(form.Append(nil, f)))
	}
	return out
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no path":           func(o *Options) { o.Path = "" },
		"no antenna":        func(o *Options) { o.Antennas = nil },
		"antenna 0":         func(o *Options) { o.Antennas = []int{0} },
		"antenna 9":         func(o *Options) { o.Antennas = []int{9} },
		"one antenna twice": func(o *Options) { o.Antennas = []int{1, 2, 1} },
	} {
		o := Options{Path: "p"}
		o.Antennas = []int{1}
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}
