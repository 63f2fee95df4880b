package phh

import (
	"reflect"
	"strings"
	"testing"
)

const spreadSoko = `variant = '_SSOKO'
ante_trimming_status = true
antes = [1, 1]
bring_in = 2
min_bet = 2
starting_stacks = [100, 100]
actions = [
  'd dh p1 ??Ah',
]
_house = 'noxwin'
_chip = 5
_spread = [4, 4, 8]
`

// TestOwnFields reads and writes a code and fields of our own.
func TestOwnFields(t *testing.T) {
	h := parseOne(t, []byte(spreadSoko))
	if h.House != "noxwin" || h.Chip != 5 || h.Spread != [3]Amount{4, 4, 8} {
		t.Errorf("house %q, chip %d, spread %v", h.House, h.Chip, h.Spread)
	}
	if again := parseOne(t, Format(h)); !reflect.DeepEqual(withoutLines(again), withoutLines(h)) {
		t.Errorf("written and read again it is\n%+v, not\n%+v", again, h)
	}
}

func TestOwnFieldsAreChecked(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"_spread = [4, 4, 8]\n", "", "own.phh:1: field _spread is missing"},
		{"[4, 4, 8]", "[4, 8]", "own.phh:12: _spread: want 3 amounts, not 2"},
		{"'_SSOKO'", "'_NSOKO'", "own.phh:12: field _spread does not belong to a hand of _NSOKO"},
		{"'_SSOKO'", "'_SCHESS'", `own.phh:1: unknown variant "_SCHESS"`},
		{"'_SSOKO'", "'_XSOKO'", `own.phh:1: unknown variant "_XSOKO"`},
		{"'_SSOKO'", "'_STELESINA'", ""},
		{"??Ah", "??2h", ""},
		{"_chip = 5", "_chip = -5", "own.phh:11: _chip: -5 is negative"},
	} {
		got := ""
		for _, err := range Parse("own.phh", []byte(strings.Replace(spreadSoko, c.old, c.new, 1))) {
			if err != nil {
				got = err.Error()
			}
		}
		if got != c.want {
			t.Errorf("with %q: %q, want %q", c.new, got, c.want)
		}
	}
}
