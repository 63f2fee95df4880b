package uhf

import (
	"bytes"
	"testing"

	"tavolo/drivers/framing"
	"tavolo/drivers/framing/framingtest"
)

// Frames worked out by an independent implementation; most are found in public code too.
var vectors = map[string]Frame{
	"bb 00 03 00 01 00 04 7e":       {Command, CmdInfo, []byte{InfoHardware}},
	"bb 00 03 00 01 01 05 7e":       {Command, CmdInfo, []byte{InfoSoftware}},
	"bb 00 22 00 00 22 7e":          {Command, CmdPoll, nil},
	"bb 00 27 00 03 22 27 10 83 7e": {Command, CmdPollMany, []byte{PollMany, 0x27, 0x10}},
	"bb 00 28 00 00 28 7e":          {Command, CmdStop, nil},
	"bb 00 b7 00 00 b7 7e":          {Command, CmdPower, nil},
	"bb 00 b6 00 02 07 d0 8f 7e":    {Command, CmdSetPower, []byte{0x07, 0xD0}},
	"bb 01 ff 00 01 15 16 7e":       {Response, CmdError, []byte{ErrorNoTag}},
	"bb 02 22 00 11 c9 30 00 30 75 1f eb 70 5c 59 04 e3 d5 0d 70 c7 d3 d5 7e": {Notice, CmdPoll, []byte{0xC9, 0x30, 0, 0x30, 0x75, 0x1F, 0xEB, 0x70, 0x5C, 0x59, 4, 0xE3, 0xD5, 0x0D, 0x70, 0xC7, 0xD3}},
}

var frames = framingtest.Form[Frame]{Append: Append, Decode: Decode}

func TestVectors(t *testing.T) { frames.TestVectors(t, vectors) }

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
		uid, rssi, err := tag(framingtest.Bytes(t, c.data))
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
		data := append([]byte{0xC9, 0x30, 0}, framingtest.Bytes(t, epc)...)
		s.Push(Append(nil, Frame{Notice, CmdPoll, data}))
	}
	for _, epc := range epcs {
		if f, ok := s.Next(); !ok || !bytes.Equal(f.Data[3:], framingtest.Bytes(t, epc)) {
			t.Errorf("% x, want %s", f.Data, epc)
		}
	}
	if f := s.Faults(); len(f) > 0 {
		t.Errorf("counted %v", f)
	}
}

func FuzzDecode(f *testing.F) {
	for wire := range vectors {
		f.Add(framingtest.Bytes(f, wire), 3)
	}
	f.Add([]byte("\xbb\x02\x22\x00\x11\xc9\xbb\x00\x28\x00\x00\x28\x7e"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, chunk int) {
		frames.TestStream(t, stream, chunk, Frame{Response, CmdStop, []byte{0}})
	})
}

func FuzzTag(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if uid, _, err := tag(data); err == nil && 2*(len(data)-5) != len(uid) {
			t.Errorf("% x is tag %s", data, uid)
		}
	})
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
