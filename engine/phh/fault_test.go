package phh

import (
	"errors"
	"strings"
	"testing"
)

// sound is a hand the tests below break in one place.
const sound = `variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 200]
actions = [
  'd dh p1 AhKh',
  'd dh p2 ????',
  'p2 cbr 6',
  'p1 cc',
  'd db 2c3d4h',
  'p1 cc',
  'p2 f',
]
players = ['Ada', 'Bruno']
`

// swap gives the sound hand with one thing in another's place.
func swap(t *testing.T, old, new string) string {
	t.Helper()
	if strings.Count(sound, old) != 1 {
		t.Fatalf("%q is not once in the sound hand", old)
	}
	return strings.Replace(sound, old, new, 1)
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		old, new     string
		line, action int
		reason       string
	}{
		// TOML
		{"[0, 0]", "[0, 0", 3, 0, "expected ',' or ']'"},
		{"'Bruno'", "'Bruno", 15, 0, "new lines"},
		{"min_bet = 2", "min_bet", 4, 0, "expected '='"},
		{"min_bet = 2", "min_bet = 2\nmin_bet = 2", 5, 0, "field min_bet is there twice"},
		{"'Ada'", "'\xff'", 15, 0, "UTF"},

		// Fields
		{"min_bet = 2", "big_blind = 2", 4, 0, "unknown field big_blind"},
		{"min_bet = 2", "min_bet.old = 2", 4, 0, "unknown field min_bet.old"},
		{"variant = 'NT'", "", 2, 0, "field variant is missing"},
		{"'NT'", "'XX'", 1, 0, `unknown variant "XX"`},
		{"'NT'", "7", 1, 0, "variant: want a string, not an integer"},
		{"antes = [0, 0]", "", 1, 0, "field antes is missing"},
		{"blinds_or_straddles = [1, 2]", "", 1, 0, "field blinds_or_straddles is missing"},
		{"min_bet = 2", "", 1, 0, "field min_bet is missing"},
		{"starting_stacks = [200, 200]", "", 1, 0, "field starting_stacks is missing"},
		{"actions = [", "_actions = [", 1, 0, "field actions is missing"},
		{"'NT'", "'FT'", 1, 0, "field small_bet is missing"},
		{"min_bet = 2", "min_bet = 2\nsmall_bet = 2", 5, 0, "field small_bet does not belong to a hand of NT"},
		{"min_bet = 2", "min_bet = 2\nbring_in = 2", 5, 0, "field bring_in does not belong to a hand of NT"},
		{"[0, 0]", "0", 2, 0, "antes: want an array, not an integer"},
		{"[0, 0]", "[0,\n'0']", 3, 0, "antes: want a number, not a string"},
		{"[0, 0]", "[[0], 0]", 2, 0, "antes: want a number, not an array"},
		{"'Bruno'", "2", 15, 0, "players: want a string, not an integer"},
		{"min_bet = 2", "min_bet = 2\ntime = 25:00:00", 5, 0, "time: hour"},
		{"min_bet = 2", "min_bet = 2\ntime = '10:00:00'", 5, 0, "time: want a time, not a string"},
		{"min_bet = 2", "min_bet = 2\ntime_limit = -1", 5, 0, "time_limit: \"-1\" is no number of seconds"},
		{"min_bet = 2", "min_bet = 2\ntime_banks = [1, nan]", 5, 0, "time_banks: \"nan\" is no number of seconds"},
		{"min_bet = 2", "min_bet = 2\nday = 32", 5, 0, "day: 32 is out of range"},
		{"min_bet = 2", "min_bet = 2\nmonth = 0", 5, 0, "month: 0 is out of range"},
		{"min_bet = 2", "min_bet = 2\nyear = 2024.5", 5, 0, "year: want an integer, not a float"},
		{"min_bet = 2", "min_bet = 2\nseats = [1, -2]", 5, 0, "seats: -2 is out of range"},
		{"min_bet = 2", "min_bet = 2\nhand = 1.5", 5, 0, "hand: want a string or an integer, not a float"},
		{"min_bet = 2", "min_bet = 2\nhand = 9223372036854775808", 5, 0, "hand: 9223372036854775808 is too large"},
		{"min_bet = 2", "min_bet = 2\nante_trimming_status = 1", 5, 0, "want true or false, not an integer"},

		// Lengths
		{"[0, 0]", "[0, 0, 0]", 2, 0, "antes has 3 entries for 2 players"},
		{"[1, 2]", "[1]", 3, 0, "blinds_or_straddles has 1 entries for 2 players"},
		{"['Ada', 'Bruno']", "[]", 15, 0, "players has 0 entries for 2 players"},
		{"min_bet = 2", "min_bet = 2\nfinishing_stacks = [400]", 5, 0, "finishing_stacks has 1 entries for 2 players"},
		{"min_bet = 2", "min_bet = 2\nseats = [4]", 5, 0, "seats has 1 entries for 2 players"},
		{"[200, 200]", "[200]", 5, 0, "starting_stacks has 1 players: want 2 to 20"},
		{"[200, 200]", "[" + strings.Repeat("9, ", 21) + "]", 5, 0, "starting_stacks has 21 players: want 2 to 20"},

		// Amounts
		{"[0, 0]", "[0, -1]", 2, 0, "antes: -1 is negative"},
		{"min_bet = 2", "min_bet = 0", 4, 0, "min_bet: 0 is not more than 0"},
		{"min_bet = 2", "min_bet = nan", 4, 0, `min_bet: "nan" is no amount`},
		{"min_bet = 2", "min_bet = -inf", 4, 0, `min_bet: "-inf" is no amount`},
		{"[200, 200]", "[200,\ninf]", 6, 0, "a stack of unknown size (inf) cannot be played"},
		{"[200, 200]", "[200, 0.0]", 5, 0, "starting_stacks: 0.0 is not more than 0"},
		{"[200, 200]", "[200, 9223372036854775808]", 5, 0, "amount 9223372036854775808 is too large"},
		{"[200, 200]", "[200, 1e30]", 5, 0, "amount 1e30 is too large"},
		{"[200, 200]", "[200, 1e99999]", 5, 0, "bad exponent"},
		{"[200, 200]", "[200, 0xffffffffffffffff]", 5, 0, "0xffffffffffffffff is too large"},
		{"[200, 200]", "[200, 1e-19]", 5, 0, "more than 18 decimal places"},
		{"[200, 200]", "[200, 1152921504606846977]", 5, 0, "the amount is more than 2^60 units of 1"},
		{"[200, 200]", "[1152921504606846976, 1]", 5, 0, "starting_stacks is too large in all"},
		{"[200, 200]", "[2000, 0.000000000000001]", 5, 0, "the amount is more than 2^60 units of 0.000000000000001"},
		{"min_bet = 2", "min_bet = 2\n_rake = -0.5", 5, 0, "_rake: -0.5 is negative"},

		// Actions
		{"'p1 cc',\n  'd db", "1,\n  'd db", 10, 0, "actions: want a string, not an integer"},
		{"'p2 cbr 6'", "'p2 raises 6'", 9, 3, `"p2 raises 6": unknown verb "raises"`},
		{"'p2 cbr 6'", "'p2 dh AhKh'", 9, 3, `unknown verb "dh"`},
		{"'p2 cbr 6'", "'p2'", 9, 3, "the verb is missing"},
		{"'p2 cbr 6'", "'p3 cc'", 9, 3, "there is no p3: the players are p1 to p2"},
		{"'p2 cbr 6'", "'p0 cc'", 9, 3, "there is no p0"},
		{"'p2 cbr 6'", "'p02 cc'", 9, 3, `unknown actor "p02"`},
		{"'p2 cbr 6'", "'2 cc'", 9, 3, `unknown actor "2"`},
		{"'p2 cbr 6'", "'Q2 cc'", 9, 3, `unknown actor "Q2"`},
		{"'p2 cbr 6'", "'p2 cbr'", 9, 3, "cbr wants one amount"},
		{"'p2 cbr 6'", "'p2 cbr 6 7'", 9, 3, "cbr wants one amount"},
		{"'p2 cbr 6'", "'p2 cbr six'", 9, 3, `"six" is no amount`},
		{"'p2 cbr 6'", "'p2 cbr .5'", 9, 3, `".5" is no amount`},
		{"'p2 cbr 6'", "'p2 cbr 5.'", 9, 3, `"5." is no amount`},
		{"'p2 cbr 6'", "'p2 cbr --5'", 9, 3, `"--5" is no amount`},
		{"'p2 cbr 6'", "'p2 cbr 0'", 9, 3, "bet of 0: the amount must be more than 0"},
		{"'p2 cbr 6'", "'p2 cbr -6'", 9, 3, "bet of -6: the amount must be more than 0"},
		{"'p2 cbr 6'", "'p2 cbr 2000000000000000000'", 9, 3, "the amount is more than 2^60 units of 1"},
		{"'p2 cbr 6'", "'p2 f 6'", 9, 3, `unexpected "6" after f`},
		{"'p2 cbr 6'", "'p2 cc Ah'", 9, 3, `unexpected "Ah" after cc`},
		{"'p2 cbr 6'", "'p2 sm Ac Ad'", 9, 3, `unexpected "Ad" after sm`},
		{"'d dh p2 ????'", "'d dh ????'", 8, 2, "the dealer's actions are"},
		{"'d dh p2 ????'", "'d'", 8, 2, "the dealer's actions are"},
		{"'d dh p2 ????'", "'d dh p9 ????'", 8, 2, "there is no p9"},
		{"'d db 2c3d4h'", "'d db'", 11, 5, "the dealer's actions are"},
		{"'d db 2c3d4h'", "'d db 2c 3d 4h'", 11, 5, "the dealer's actions are"},

		// Cards
		{"'d db 2c3d4h'", "'d db 2c3d4'", 11, 5, "half a card"},
		{"'d db 2c3d4h'", "'d db 2c3d4x'", 11, 5, `"4x" is no card`},
		{"'d db 2c3d4h'", "'d db 2c3d?h'", 11, 5, `"?h" is no card`},
		{"'d db 2c3d4h'", "'d db 2c3d2c'", 11, 5, "duplicate card: 2c twice"},
		{"'d db 2c3d4h'", "'d db 2c3dAh'", 11, 5, "duplicate card: p1 has Ah"},
		{"'d dh p2 ????'", "'d dh p2 Ah??'", 8, 2, "duplicate card: p1 has Ah"},
		{"'p2 f'", "'d db 2c'", 13, 7, "duplicate card: 2c is on the board"},
		{"'p1 cc',\n  'p2 f'", "'p1 f',\n'd db Ah'", 13, 7, "duplicate card: Ah is in the muck"},
		{"'p1 cc',\n  'p2 f'", "'p1 sm',\n'd db Ah'", 13, 7, "duplicate card: Ah is in the muck"},
		{"'p2 f'", "'p2 sm Ah??'", 13, 7, "duplicate card: p1 has Ah"},
		{"'p2 f'", "'p2 sm AcAc'", 13, 7, "duplicate card: Ac twice"},
		{"'p2 f'", "'p2 sm AcAdAs'", 13, 7, "p2 shows 3 cards but has 2"},
		{"'p2 f'", "'p2 sm -'", 13, 7, "those of p2 are not"},
		{"'p2 f'", "'p1 sm AsKh'", 13, 7, "p1 does not have As"},
		{"'p2 f'", "'p1 sd ??'", 13, 7, "p1 does not have ??"},
		{"'p2 f'", "'p2 sd ??????'", 13, 7, "p2 does not have ??"},
		{"'NT'", "'NS'", 11, 5, "2c is not in the deck of this game"},
	} {
		data := swap(t, c.old, c.new)
		hands, faults := parse([]byte(data))
		if len(hands) != 0 || len(faults) != 1 {
			t.Errorf("%q for %q: %d hands, faults %v", c.new, c.old, len(hands), faults)
			continue
		}
		got := faults[0]
		if got.File != "f" || got.Line != c.line || got.Action != c.action || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%q for %q: got %v, want line %d, action %d: %s", c.new, c.old, got, c.line, c.action, c.reason)
		}
	}
}

// What an annotator adds under a name of his own is no fault, nor is any way of writing that TOML allows.
func TestNoFaults(t *testing.T) {
	for _, c := range [][2]string{
		{"min_bet = 2", "min_bet = 2\n_mine = [1, {a = inf}]"},
		{"min_bet = 2", "min_bet = 2\n_mine.a = 1\n_mine.b = 1979-05-27"},
		{"min_bet = 2", `"min_bet" = 2`},
		{"min_bet = 2", "min_bet = 2\ntime_limit = inf"},
		{"'Bruno'", `"tab\t, quote ', \" and \\ and \u007F"`},
		{"variant =", "_source = 'a book'\n_mine.a = 1\nvariant ="},
		{"'Bruno']\n", "'''Bruno''']\n[_mine]\nvariant = 7\n[[_mine.list]]\n"},
		{"'p2 cbr 6'", "'  p2   cbr\t6.0  # and # again '"},
		{"'p2 f'", "'p2 sm AcAd', 'p1 sm -', 'd db 5c', 'd db 6c', 'p2 sm ????'"},
		{"'p2 f'", "'p2 sm ??Ad', 'p2 sm AcAd'"},
		{"[1, 2]", "[1, -2.5]"},
	} {
		hands, faults := parse([]byte(swap(t, c[0], c[1])))
		if len(hands) != 1 || len(faults) != 0 {
			t.Errorf("%q for %q: %d hands, faults %v", c[1], c[0], len(hands), faults)
			continue
		}
		checkRoundTrip(t, hands)
	}
	if _, faults := parse([]byte(strings.ReplaceAll(sound, "\n", "\r\n"))); len(faults) != 0 {
		t.Errorf("lines ending in CR LF: %v", faults)
	}
}

func TestFaultsOfFiles(t *testing.T) {
	for _, c := range []struct {
		name, data string
		hands      int
		line       int
		reason     string
	}{
		{"empty", "", 0, 1, "the file has no hand"},
		{"only remarks", "# nothing\n\n[_x]\ny = 1\n", 0, 1, "the file has no hand"},
		{"own fields before tables", "_source = 'a book'\n[1]\n" + sound + "[2]\n", 1, 18, "field variant is missing"},
		{"empty hand", "\n[1]\n", 0, 2, "field variant is missing"},
		{"named table", "[one]\n" + sound, 0, 1, "table [one] is no hand"},
		{"array of tables", "[[1]]\n" + sound, 0, 1, "table [1] is no hand"},
		{"table in a hand", "[1]\n" + sound + "[1.extra]\na = 1\n", 1, 17, "table [1.extra] is no hand"},
		{"hand and tables", sound + "[2]\n" + sound, 1, 16, "table [2] after fields outside a table"},
		{"number twice", "[1]\n" + sound + "[1]\n" + sound, 1, 17, "table [1] is there twice"},
		{"broken off", "[1]\n" + sound + "[2]\nvariant = 'NT\n", 1, 18, "new lines"},
		{"broken header", "[1]\n" + sound + "[2\n" + sound, 0, 17, "expected ']'"},
	} {
		hands, faults := parse([]byte(c.data))
		if len(hands) != c.hands || len(faults) != 1 || faults[0].Line != c.line || !strings.Contains(faults[0].Reason, c.reason) {
			t.Errorf("%s: %d hands, faults %v", c.name, len(hands), faults)
		}
	}
}

func TestUnsupportedIsNotBroken(t *testing.T) {
	for _, c := range []struct {
		old, new    string
		unsupported bool
	}{
		{"'NT'", "'_PT'", true},
		{"[200, 200]", "[200, inf]", true},
		{"[200, 200]", "[200, nan]", false},
		{"'p2 f'", "'p2 x'", false},
	} {
		_, faults := parse([]byte(swap(t, c.old, c.new)))
		if len(faults) != 1 || errors.Is(faults[0], errors.ErrUnsupported) != c.unsupported {
			t.Errorf("%s: %v", c.new, faults)
		}
	}
}
