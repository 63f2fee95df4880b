package bridge

import "testing"

func TestCRC16(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint16
	}{
		{"123456789", 0x29B1},
		{"", 0xFFFF},
		{"\x00", 0xE1F0},
		{"\x01", 0xF1D1},         // reader command "dummy", sent as d1 f1
		{"\x00\x02\x02", 0x8ABC}, // reader reply "two tags", sent as bc 8a
	} {
		if got := CRC16([]byte(c.in)); got != c.want {
			t.Errorf("CRC16(%q) = %04x, want %04x", c.in, got, c.want)
		}
	}
}
