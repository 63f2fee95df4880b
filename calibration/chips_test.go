package calibration

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
)

const chipFile = `name = "cash"
[tags]
E280116060000205A1B2C301 = 5
e280116060000205a1b2c302 = 5
E280116060000205A1B2C303 = 2_5
E004015000000005 = 100
`

const (
	five1     = "E280116060000205A1B2C301"
	five2     = "E280116060000205A1B2C302"
	twentyTag = "E280116060000205A1B2C303"
	hundred   = "E004015000000005"
	stranger  = "E2000000000000000000BEEF"
)

// chipWatch tells of the chips of chipFile by three scans of four.
func chipWatch(t *testing.T) (*ChipWatch, *told) {
	t.Helper()
	set, err := LoadChipSet("chips.toml", []byte(chipFile))
	if err != nil {
		t.Fatal(err)
	}
	var facts told
	return NewChipWatch(set, &facts, Debounce{}), &facts
}

func expectTold(t *testing.T, facts *told, want ...string) {
	t.Helper()
	if !slices.Equal(*facts, want) {
		t.Fatalf("told %q, want %q", *facts, want)
	}
	*facts = nil
}

func TestChipSet(t *testing.T) {
	set, err := LoadChipSet("chips.toml", []byte(chipFile))
	if err != nil {
		t.Fatal(err)
	}
	if set.Name() != "cash" {
		t.Errorf("the set is called %q", set.Name())
	}
	for tag, want := range map[string]engine.Chips{five1: 5, strings.ToLower(five2): 5, twentyTag: 25, hundred: 100, stranger: 0, "": 0} {
		if v, ok := set.Value(tag); v != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v; want %d", tag, v, ok, want)
		}
	}
}

func TestChipSetFaults(t *testing.T) {
	const want = "want what the chip is worth, a whole number from 1 to 1000000000"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "chips.toml:1: name: missing: want what people call the chips"},
		{"no tags", "name = \"a\"", "chips.toml:1: tags: missing: want a line for each chip, such as E280116060000205A1B2C3D4 = 25"},
		{
			"values", "name = \"a\"\n[tags]\nE0040150 = \"5\"\nE0040151 = 0\nE0040152 = 2.5\nE0040153 = 1_000_000_001\n",
			"chips.toml:3: tags.E0040150: " + want + "\nchips.toml:4: tags.E0040151: " + want +
				"\nchips.toml:5: tags.E0040152: " + want + "\nchips.toml:6: tags.E0040153: " + want,
		},
		{"twice", "name = \"a\"\n[tags]\nE004015a = 5\nE004015A = 5", "chips.toml:4: tags.E004015A: this tag is on line 3 too"},
		{"no tag", "name = \"a\"\n[tags]\nE00 = 5", "chips.toml:3: tags.E00: no tag: want the UID of 4 to 16 bytes in hexadecimal"},
		{"no TOML", "name", "chips.toml:1: toml: expected '=' after key"},
	} {
		if _, err := LoadChipSet("chips.toml", []byte(c.file)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
}

func FuzzLoadChipSet(f *testing.F) {
	f.Add([]byte(chipFile))
	f.Add([]byte("name = \"a\"\n[tags]\nE0040150 = 0x7\nE0040150 = -5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := LoadChipSet("f", data)
		if err != nil {
			return
		}
		for tag, v := range set.values {
			if v < 1 || v > maxValue || tag != strings.ToUpper(tag) {
				t.Errorf("%s is worth %d", tag, v)
			}
		}
		again, err := LoadChipSet("f", set.Text())
		if err != nil || again.name != set.name || !maps.Equal(again.values, set.values) {
			t.Errorf("written and read again: %v, %v:\n%s", again, err, set.Text())
		}
	})
}

// Chips that come down by one motion are told of as one pile, though not every look sees each; and so are those that are
// taken away.
func TestAPileIsToldWhenItIsStill(t *testing.T) {
	w, facts := chipWatch(t)
	spot := zones(t, "spot 2")[0]
	scan := func(tags ...string) { w.Scanned(t.Context(), spot, tags, false) }
	scan()
	scan()
	expectTold(t, facts)
	scan()
	expectTold(t, facts, "spot 2: 0 in 0")
	scan(five1)
	scan(five1, twentyTag)
	scan(five1, five2)
	scan(five1, five2, twentyTag)
	expectTold(t, facts) // five1 is believed, the others are not yet
	scan(five1, five2, twentyTag)
	expectTold(t, facts, "spot 2: 35 in 3")
	scan(five1, five2) // missed once
	scan(five1, five2, twentyTag)
	w.Scanned(t.Context(), spot, nil, true) // a list that is not whole takes nothing away
	expectTold(t, facts)
	for range 5 {
		scan(five2)
	}
	expectTold(t, facts, "spot 2: 5 in 1")
}

// A tag that is no chip of the set is named, and nothing is guessed. What lies beside it is told too, so that a change is.
func TestATagThatIsNoChip(t *testing.T) {
	w, facts := chipWatch(t)
	spot := zones(t, "spot 2")[0]
	scan := func(tags ...string) {
		for range 6 {
			w.Scanned(t.Context(), spot, tags, false)
		}
	}
	scan(five1, stranger)
	scan(five1, stranger, hundred)
	scan(five1, hundred)
	expectTold(t, facts,
		`spot 2: no chips of "cash": E2000000000000000000BEEF, beside 5 in 1 chips`,
		`spot 2: no chips of "cash": E2000000000000000000BEEF, beside 105 in 2 chips`,
		`spot 2: 105 in 2`)
}

// A chip that a neighbour's antenna sees now and then stays in its pile, and the neighbour's is told of all the same.
// Public fault 20.
func TestAChipIsInOnePile(t *testing.T) {
	w, facts := chipWatch(t)
	at := zones(t, "spot 2", "spot 3")
	scan := func(here, there []string) {
		w.Scanned(t.Context(), at[0], here, false)
		w.Scanned(t.Context(), at[1], there, false)
	}
	for range 5 {
		scan([]string{hundred}, nil)
	}
	expectTold(t, facts, "spot 2: 100 in 1", "spot 3: 0 in 0")
	for range 5 {
		scan([]string{hundred}, []string{hundred, five1})
		scan([]string{hundred}, []string{five1})
	}
	expectTold(t, facts, "spot 3: 5 in 1")
	for range 6 {
		scan(nil, []string{hundred, five1}) // pushed over to the neighbour
	}
	expectTold(t, facts, "spot 2: 0 in 0", "spot 3: 105 in 2")
}

// Chips that both of two neighbours see are in neither pile, and that is said, once, beside which they are.
func TestChipsThatComeAndGo(t *testing.T) {
	w, facts := chipWatch(t)
	at := zones(t, "spot 2", "spot 3")
	for range 100 {
		w.Scanned(t.Context(), at[0], []string{hundred, stranger, five1, twentyTag}, false)
		w.Scanned(t.Context(), at[1], []string{hundred, stranger, five1, twentyTag}, false)
	}
	const why = ": it is not seen clearly: " + hundred + " (100), " + stranger + ", " + five1 + " (5), 1 more come and go"
	expectTold(t, facts, hundred+" at spot 2 and spot 3", five1+" at spot 2 and spot 3", twentyTag+" at spot 2 and spot 3", "spot 2"+why, "spot 3"+why)
	for range 5 {
		w.Scanned(t.Context(), at[0], nil, false)
		w.Scanned(t.Context(), at[1], nil, false)
	}
	expectTold(t, facts, hundred+" at one place", five1+" at one place", twentyTag+" at one place", "spot 2: 0 in 0", "spot 3: 0 in 0")
}

// While a reader is lost nothing is known of its piles; afterwards they are seen anew.
func TestALostReaderMakesPilesUnsure(t *testing.T) {
	w, facts := chipWatch(t)
	spot := zones(t, "spot 2")[0]
	for range 4 {
		w.Scanned(t.Context(), spot, []string{five1, five2}, false)
	}
	w.Lost(t.Context(), spot, "unplugged")
	w.Lost(t.Context(), spot, "unplugged")
	for range 2 {
		w.Scanned(t.Context(), spot, []string{five2}, false)
	}
	expectTold(t, facts, "spot 2: 10 in 2", "spot 2: unplugged")
	w.Scanned(t.Context(), spot, []string{five2}, false)
	expectTold(t, facts, "spot 2: 5 in 1")
}

// A chip that two antennas see from the first on is asked about, and lies where a person says.
func TestAChipAtTwoPlaces(t *testing.T) {
	w, facts := chipWatch(t)
	z := zones(t, "spot 1", "spot 2")
	scan := func(n int) {
		for range n {
			for _, z := range z {
				w.Scanned(t.Context(), z, []string{five1}, false)
			}
		}
	}
	scan(10)
	expectTold(t, facts, five1+" at spot 1 and spot 2")
	w.Lies(t.Context(), five1, z[1])
	expectTold(t, facts, five1+" at one place")
	scan(4)
	expectTold(t, facts, "spot 1: 0 in 0", "spot 2: 5 in 1")
	w.Lost(t.Context(), z[0], "the reader is lost")
	expectTold(t, facts, "spot 1: the reader is lost")
}
