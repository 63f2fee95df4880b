package rfid

import (
	"encoding/hex"
	"testing"
)

func TestFormatUID(t *testing.T) {
	for _, c := range []struct{ read, want string }{
		{"04a1b2c3", "04A1B2C3"},
		{"040e3bd2286b85", "040E3BD2286B85"},
		{"e004015012345678", "E004015012345678"},
		{"78563412500104e0", "E004015012345678"}, // as on the air
		{"e0563412500104e0", "E0563412500104E0"}, // could be either; stays
		{"563412500104e0", "563412500104E0"},     // seven bytes are no ISO 15693
		{"a1b2c3", ""},
		{"30751feb705c5904e3d50d70", "30751FEB705C5904E3D50D70"}, // an EPC
		{"000102030405060708090a0b0c0d0e0f10", ""},
	} {
		uid, err := hex.DecodeString(c.read)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FormatUID(uid)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", c.read, got, err, c.want)
		}
	}
}
