package feig

import (
	"slices"
	"testing"

	"tavolo/drivers/framing/framingtest"
)

// Frames worked out by an independent implementation; the first is found in public code too.
var vectors = map[Form]map[string]Frame{
	Advanced: {"02 00 09 ff b0 01 00 18 43": {0xFF, CmdISO, []byte{CmdInventory, 0}}},
	Standard: {
		"07 ff b0 01 00 1c 56": {0xFF, CmdISO, []byte{CmdInventory, 0}},
		// One tag, and none.
		"11 00 b0 00 01 03 00 e0 04 01 50 12 34 56 78 ba 40": {
			0, CmdISO, []byte{StatusOK, 1, TagISO15693, 0, 0xE0, 4, 1, 0x50, 0x12, 0x34, 0x56, 0x78},
		},
		"06 00 b0 01 5c 63": {0, CmdISO, []byte{StatusNoTag}},
		"05 ff 65 e5 cb":    {0xFF, CmdVersion, nil},
		"05 ff 69 89 01":    {0xFF, CmdResetRF, nil},
		"06 ff 6a 00 6d 16": {0xFF, CmdOutput, []byte{0}},
	},
}

func frames(form Form) framingtest.Form[Frame] {
	return framingtest.Form[Frame]{Append: form.Append, Decode: form.Decode}
}

func TestVectors(t *testing.T) {
	for form, v := range vectors {
		frames(form).TestVectors(t, v)
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
		got, err := inventory(framingtest.Bytes(t, c.data))
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v, %v; want %v", c.data, got, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for form, v := range vectors {
		for wire := range v {
			f.Add(framingtest.Bytes(f, wire), bool(form), 3)
		}
	}
	f.Add([]byte("\x02\x02\x00\x09\x07\x07\xff"), true, 1)
	f.Fuzz(func(t *testing.T, stream []byte, advanced bool, chunk int) {
		frames(Form(advanced)).TestStream(t, stream, chunk, Frame{0, CmdVersion, []byte{0}})
	})
}

func FuzzInventory(f *testing.F) {
	f.Add([]byte("\x00"))
	f.Add([]byte("\x01\x03\x00\xe0\x04\x01\x50\x12\x34\x56\x78"))
	f.Add([]byte("\x02\x03\x00\xe0\x04\x01\x50\x12\x34\x56\x78\x03\x00\x78\x56\x34\x12\x50\x01\x04\xe0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		uids, err := inventory(data)
		if err == nil && len(uids) != int(data[0]) {
			t.Errorf("% x: %d tags", data, len(uids))
		}
		for _, uid := range uids {
			if len(uid) != 16 {
				t.Errorf("% x: tag %s", data, uid)
			}
		}
	})
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
