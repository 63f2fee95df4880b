package phh

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tavolo/engine/card"
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

const alone = `variant = '_FBONUS'
ante_trimming_status = false
antes = [10]
starting_stacks = [100]
actions = [
  'd dh p1 AcAd',
  'p1 f',
  'p1 sm AcAd',
]
_bonus_bets = [5]
_bank = 'KcKd'
`

// TestAgainstTheHouse: one player is enough for a hand against the house, whose cards are nobody else's, and who folds may
// show the cards that stay for the bonus bet.
func TestAgainstTheHouse(t *testing.T) {
	h := parseOne(t, []byte(alone))
	if card.Text(h.Bank) != "KcKd" || !slices.Equal(h.BonusBets, []Amount{5}) {
		t.Errorf("bank %v, bonus bets %v", h.Bank, h.BonusBets)
	}
	if again := parseOne(t, Format(h)); !reflect.DeepEqual(withoutLines(again), withoutLines(h)) {
		t.Errorf("written and read again it is\n%+v, not\n%+v", again, h)
	}
	for _, c := range []struct{ old, new, want string }{
		{"_bank = 'KcKd'\n", "", "field _bank is missing"},
		{"_bonus_bets = [5]\n", "", "field _bonus_bets is missing"},
		{"'KcKd'", "'KcXd'", "_bank: "},
		{"'KcKd'", "'AcKd'", "duplicate card"},
		{"'KcKd'", "'KcKc'", "_bank: duplicate card"},
		{"[5]", "[5, 5]", "_bonus_bets has 2 entries for 1 players"},
		{"'_FBONUS'", "'_NBONUS'", "unknown variant"},
		{"antes = [10]\n", "antes = [10]\nsmall_bet = 2\n", "field small_bet does not belong"},
	} {
		_, faults := parse([]byte(strings.Replace(alone, c.old, c.new, 1)))
		if len(faults) == 0 || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%q for %q: %v, want %s", c.new, c.old, faults, c.want)
		}
	}
}

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

const powers = `variant = 'NT'
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 100]
actions = [
  'd dh p1 AcAd',
  'd dh p2 ????',
  'p2 _peek 7c',
  'p2 cc',
  'p1 _swap Ad',
  'd dh p1 Ah',
  'p1 cc',
  'd db 7c8c9c',
  'p1 _anchor p2',
  'p2 _shield',
  'p1 _split',
  'p2 _cut',
]
_carousel = 'peek swap anchor'
`

// TestOwnVerbs reads and writes the verbs of our own.
func TestOwnVerbs(t *testing.T) {
	h := parseOne(t, []byte(powers))
	kinds := []Kind{DealHole, DealHole, Peek, CheckCall, Swap, DealHole, CheckCall, DealBoard, Anchor, Shield, Split, CutOff}
	for i, a := range h.Actions {
		if a.Kind != kinds[i] {
			t.Errorf("action %d is of kind %d, want %d", i+1, a.Kind, kinds[i])
		}
	}
	if a := h.Actions[8]; a.Player != 0 || a.Target != 1 {
		t.Errorf("the anchor of player %d is on %d", a.Player, a.Target)
	}
	if h.Carousel != "peek swap anchor" || string(Format(h)) != powers {
		t.Errorf("written again it is\n%s", Format(h))
	}
	for _, c := range []struct{ old, new, want string }{
		{"_peek 7c", "_peek", "f:10: action 3: \"p2 _peek\": _peek wants one card"},
		{"_peek 7c", "_peek 7c8c", "f:10: action 3: \"p2 _peek 7c8c\": _peek wants one card"},
		{"_swap Ad", "_swap Kd", "f:12: action 5: \"p1 _swap Kd\": p1 does not have Kd"},
		{"'d dh p1 Ah'", "'d dh p1 Ad'", "f:13: action 6: \"d dh p1 Ad\": duplicate card: Ad is in the muck"},
		{"_anchor p2", "_anchor", "f:16: action 9: \"p1 _anchor\": _anchor wants one player"},
		{"_anchor p2", "_anchor p3", "f:16: action 9: \"p1 _anchor p3\": there is no p3: the players are p1 to p2"},
		{"_split", "_split 5", "f:18: action 11: \"p1 _split 5\": unexpected \"5\" after _split"},
		{"_cut", "_cuts", "f:19: action 12: \"p2 _cuts\": unknown verb \"_cuts\": want f, cc, cbr, pb, sd or sm"},
	} {
		_, faults := parse([]byte(strings.Replace(powers, c.old, c.new, 1)))
		if len(faults) == 0 || faults[0].Error() != c.want {
			t.Errorf("%q for %q: %v, want %s", c.new, c.old, faults, c.want)
		}
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
