package calibration_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"tavolo/calibration"
	"tavolo/engine/card"
)

// deckFile is a registry of a set of cards, with tags E004015000000001 and so on in the order of Set.Cards.
func deckFile(set card.Set) string {
	var b strings.Builder
	b.WriteString("# written at the shoe\nname = \"red 7\"\n\n[tags]\n")
	for i, c := range set.Cards() {
		fmt.Fprintf(&b, "E0040150%08X = %q\n", i+1, c)
	}
	return b.String()
}

func TestDeck(t *testing.T) {
	d, err := calibration.LoadDeck("deck.toml", []byte(deckFile(card.French)))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "red 7" {
		t.Errorf("the deck is called %q", d.Name())
	}
	for i, want := range card.French.Cards() {
		for _, uid := range []string{fmt.Sprintf("E0040150%08X", i+1), fmt.Sprintf("e0040150%08x", i+1)} {
			if c, ok := d.Card(uid); c != want || !ok {
				t.Errorf("tag %s is %v, %v, want %v", uid, c, ok, want)
			}
		}
	}
	for _, uid := range []string{"", "E004015000000000", "E00401500000001", " E004015000000001"} {
		if c, ok := d.Card(uid); c != card.None || ok {
			t.Errorf("foreign tag %q is %v, %v", uid, c, ok)
		}
	}
}

func TestDeckCovers(t *testing.T) {
	full := load(t, deckFile(card.French))
	short := load(t, deckFile(card.Short36.Remove(card.New(card.Ace, card.Spades))))
	for _, c := range []struct {
		deck *calibration.Deck
		set  card.Set
		want string
	}{
		{full, card.French, ""},
		{full, card.Short36, ""}, // the cards below six may stay in the box
		{full, 0, ""},
		{short, card.SetOf(card.MustParse("6cKh")...), ""},
		{short, card.Short36, `deck "red 7" has no tag for As`},
		{short, card.SetOf(card.MustParse("As5h6c2d")...), `deck "red 7" has no tag for 2d5hAs`},
	} {
		got := ""
		if err := c.deck.Covers(c.set); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("covers %v: %q, want %q", c.set, got, c.want)
		}
	}
}

func load(t *testing.T, text string) *calibration.Deck {
	t.Helper()
	d, err := calibration.LoadDeck("deck.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeckFaults(t *testing.T) {
	const name = "name = \"red 7\"\n"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "1: name: missing: want what people call the deck"},
		{"no tags", name, `1: tags: missing: want a line for each card, such as E004015012345678 = "Ah"`},
		{"no name", "[tags]\nE0040150 = \"Ah\"", "1: name: missing: want what people call the deck"},
		{"empty name", "name = \"\"\n[tags]\nE0040150 = \"Ah\"", "1: name: want text in quotes"},
		{"not TOML", name + "[tags\n", "2: toml: expected ']' to close table name"},
		{"not UTF-8", name + "# \xff\n", "2: toml: invalid UTF-8 character in comment"},
		{"key twice", name + "[tags]\nE0040150 = \"Ah\"\nE0040150 = \"Kh\"", "4: toml: key E0040150 is already defined"},
		{"unknown key", name + "colour = \"red\"", "2: colour: unknown key: want name and a table [tags]"},
		{"unknown table", name + "[cards]", "2: cards: unknown table: want [tags]"},
		{"many tables", name + "[[tags]]", "2: tags: unknown table: want [tags]"},
		{"table below", name + "[tags.E0040150]", "2: tags.E0040150: unknown table: want [tags]"},
		{"inline table", name + "tags = {}", "2: tags: unknown key: want name and a table [tags]"},
		{"retired alone", name + "[retired]\nE0040150 = \"Ah\"", `1: tags: missing: want a line for each card, such as E004015012345678 = "Ah"`},
		{"retired and in use", name + "[tags]\nE0040150 = \"Ah\"\n[retired]\ne0040150 = \"Kh\"", "5: retired.e0040150: this tag is on line 3 too"},
		{"retired no card", name + "[tags]\nE0040150 = \"Ah\"\n[retired]\nE0040151 = \"\"", "5: retired.E0040151: want text in quotes"},
		{"number", name + "[tags]\nE0040150 = 7", "3: tags.E0040150: want text in quotes"},
		{
			"no UID", name + "[tags]\nE00401 = \"Ah\"\nE0040150123 = \"Ah\"\n\"E004 0150\" = \"Ah\"\n",
			"3: tags.E00401: no tag: want the UID of 4 to 16 bytes in hexadecimal\n" +
				"4: tags.E0040150123: no tag: want the UID of 4 to 16 bytes in hexadecimal\n" +
				"5: tags.E004 0150: no tag: want the UID of 4 to 16 bytes in hexadecimal",
		},
		{
			"tag twice", name + "[tags]\nE0040150 = \"Ah\"\n\ne0040150 = \"Kh\"",
			"5: tags.e0040150: this tag is on line 3 too",
		},
		{
			"card twice", name + "tags.E0040150 = \"Ah\"\ntags.E0040151 = \"Ah\"",
			"3: tags.E0040151: Ah is on line 2 too",
		},
		{
			"no card", name + "[tags]\nE0040150 = \"10h\"\nE0040151 = \"??\"\nE0040152 = \"AH\"",
			"3: tags.E0040150: \"10h\" is no card: want a rank and a suit, as in Td\n" +
				"4: tags.E0040151: \"??\" is no card: want a rank and a suit, as in Td\n" +
				"5: tags.E0040152: \"AH\" is no card: want a rank and a suit, as in Td",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := calibration.LoadDeck("deck.toml", []byte(c.file))
			if err == nil {
				t.Fatalf("loaded %v", d)
			}
			want := "deck.toml:" + strings.ReplaceAll(c.want, "\n", "\ndeck.toml:")
			if err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// FuzzLoadDeck checks that whatever is loaded is a deck: no more cards than there are, each found by its tag alone.
func FuzzLoadDeck(f *testing.F) {
	f.Add([]byte(deckFile(card.SetOf(card.MustParse("AhKdQc")...))))
	f.Add([]byte("name = 'x'\ntags.E0040150 = \"Ah\"\ntags.e0040150 = \"Kh\""))
	f.Add([]byte("name = \"\\u0000\"\n[tags]\nE0040150 = \"Ah\"\n[retired]\nE0040151 = \"Ah\""))
	f.Add([]byte("[[tags]]\nname = {}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := calibration.LoadDeck("deck.toml", data)
		if err != nil {
			if d != nil || !strings.HasPrefix(err.Error(), "deck.toml:") {
				t.Errorf("deck %v with error %v", d, err)
			}
			return
		}
		left := 0
		for _, c := range card.French.Cards() {
			if d.Covers(card.SetOf(c)) == nil {
				left++
			}
		}
		if d.Name() == "" || left == 0 {
			t.Errorf("%d cards, name %q", left, d.Name())
		}
		again, err := calibration.LoadDeck("deck.toml", d.Text())
		if err != nil || again.Name() != d.Name() || !maps.Equal(again.Tags(), d.Tags()) || !bytes.Equal(again.Text(), d.Text()) {
			t.Errorf("written and read again: %v, %v:\n%s", again, err, d.Text())
		}
	})
}
