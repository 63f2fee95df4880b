package bridge

import (
	"bytes"
	"testing"
)

func TestCOBS(t *testing.T) {
	nonzero := bytes.Repeat([]byte{7}, 300)
	for _, c := range []struct{ plain, coded string }{
		{"", "\x01"},
		{"\x00", "\x01\x01"},
		{"\x00\x00", "\x01\x01\x01"},
		{"\x11\x22\x00\x33", "\x03\x11\x22\x02\x33"},
		{"\x11\x22\x33\x44", "\x05\x11\x22\x33\x44"},
		{"\x11\x00\x00\x00", "\x02\x11\x01\x01\x01"},
		{string(nonzero[:254]), "\xff" + string(nonzero[:254])},
		{string(nonzero[:255]), "\xff" + string(nonzero[:254]) + "\x02\x07"},
		{string(nonzero[:254]) + "\x00", "\xff" + string(nonzero[:254]) + "\x01\x01"},
	} {
		coded := appendCOBS(nil, []byte(c.plain))
		if string(coded) != c.coded {
			t.Errorf("appendCOBS(% x) = % x, want % x", c.plain, coded, c.coded)
		}
		if plain, err := decodeCOBS(coded); err != nil || string(plain) != c.plain {
			t.Errorf("decodeCOBS(% x) = % x, %v, want % x", c.coded, plain, err, c.plain)
		}
	}
	for _, bad := range []string{"\x00", "\x02", "\x05\x11\x22", "\x03\x11\x00", "\x01\x00"} {
		if plain, err := decodeCOBS([]byte(bad)); err == nil {
			t.Errorf("decodeCOBS(% x) = % x, want an error", bad, plain)
		}
	}
}

func FuzzCOBS(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x11, 0x22, 0, 0x33})
	f.Add(bytes.Repeat([]byte{1}, 255))
	f.Fuzz(func(t *testing.T, p []byte) {
		coded := appendCOBS(nil, p)
		if bytes.IndexByte(coded, 0) >= 0 {
			t.Fatalf("% x is coded with a zero: % x", p, coded)
		}
		if max := len(p) + 1 + len(p)/254; len(coded) > max {
			t.Fatalf("%d bytes became %d, at most %d are allowed", len(p), len(coded), max)
		}
		if back, err := decodeCOBS(bytes.Clone(coded)); err != nil || !bytes.Equal(back, p) {
			t.Fatalf("% x came back as % x, %v", p, back, err)
		}
		_, _ = decodeCOBS(bytes.Clone(p)) // anything may arrive; it must not panic
	})
}
