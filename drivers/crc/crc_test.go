package crc

import "testing"

func TestCheckValues(t *testing.T) {
	for name, c := range map[string]struct {
		sum  func([]byte) uint16
		want uint16
	}{
		"MCRF4XX": {MCRF4XX, 0x6F91}, "X25": {X25, 0x906E}, "ISO14443A": {ISO14443A, 0xBF05}, "EPC": {EPC, 0xD64E},
	} {
		if got := c.sum([]byte("123456789")); got != c.want {
			t.Errorf("%s: %04X, want %04X", name, got, c.want)
		}
	}
}
