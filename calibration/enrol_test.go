package calibration

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

func TestNewDeckOrder(t *testing.T) {
	order := NewDeckOrder(card.French)
	text := card.Text(order)
	if len(order) != 52 || card.SetOf(order...) != card.French || !strings.HasPrefix(text, "As2s3s") || !strings.HasSuffix(text, "3h2hAh") {
		t.Errorf("%d cards: %s", len(order), text)
	}
	if i := slices.Index(order, card.MustParse("Kd")[0]); order[i+1] != card.MustParse("Kc")[0] {
		t.Errorf("after the king of diamonds comes %v", order[i+1])
	}
	if n := len(NewDeckOrder(card.Stripped32)); n != 32 {
		t.Errorf("%d cards of 32", n)
	}
}

// enrolled is a deck of all cards with tags that begin with a byte.
func enrolled(t *testing.T, name string, first byte, others ...*Deck) *Deck {
	t.Helper()
	e := NewDeckEnrolment(name, NewDeckOrder(card.French), nil, others...)
	for {
		c, more := e.Next()
		if !more {
			return e.Deck()
		}
		if err := e.Take(uid(first, c)); err != nil {
			t.Fatal(err)
		}
	}
}

func uid(first byte, c card.Card) string { return fmt.Sprintf("E00401%02X000000%02X", first, uint8(c)) }

func mustLoad(t *testing.T, d *Deck) *Deck {
	t.Helper()
	out, err := LoadDeck("deck.toml", d.Text())
	if err != nil {
		t.Fatalf("%v:\n%s", err, d.Text())
	}
	return out
}

// A deck that was registered reads back as it was, whatever its name.
func TestDeckEnrolment(t *testing.T) {
	for _, name := range []string{"red 7", `a "quoted" \name`, "mazzo n° 3 'blu'"} {
		d := mustLoad(t, enrolled(t, name, 1))
		if err := d.Covers(card.French); err != nil || d.Name() != name || len(d.Tags()) != 52 {
			t.Errorf("%q, %d tags, %v", d.Name(), len(d.Tags()), err)
		}
	}
	other := enrolled(t, "blue", 2)
	ace := card.MustParse("As")[0]
	e := NewDeckEnrolment("red", NewDeckOrder(card.French), nil, other)
	refused := func(tag string, want TakenError) {
		t.Helper()
		err := e.Take(tag)
		taken, ok := errors.AsType[*TakenError](err)
		if !ok || *taken != want {
			t.Errorf("%s: %v, want %v", tag, err, &want)
		}
	}
	if err := e.Take(uid(1, ace)); err != nil {
		t.Fatal(err)
	}
	refused(strings.ToLower(uid(1, ace)), TakenError{uid(1, ace), "red", ace, false})
	refused(uid(2, ace), TakenError{uid(2, ace), "blue", ace, false})
	if err := e.Take("E0"); err == nil || !strings.Contains(err.Error(), "hexadecimal") {
		t.Errorf("half a tag: %v", err)
	}
	if done, of := e.Done(); done != 1 || of != 52 {
		t.Errorf("%d of %d", done, of)
	}
	if c, ok := e.Back(); !ok || c != ace {
		t.Errorf("back: %v, %v", c, ok)
	}
	if _, ok := e.Back(); ok {
		t.Error("more was taken back than there was")
	}
	if err := e.Take(uid(1, ace)); err != nil {
		t.Errorf("a tag that was taken back: %v", err)
	}
}

// A card is replaced: the deck reads the new tag, the old one is out of use for good, in other decks too.
func TestReplaceCard(t *testing.T) {
	ah, kh := card.MustParse("Ah")[0], card.MustParse("Kh")[0]
	deck := mustLoad(t, enrolled(t, "red", 1))
	for i, first := range []byte{3, 4} {
		e, err := ReplaceCard(deck, ah)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := errors.AsType[*TakenError](e.Take(uid(1, ah))); !ok {
			t.Error("the old tag was taken again")
		}
		if err := e.Take(uid(first, ah)); err != nil {
			t.Fatal(err)
		}
		if err := e.Take(uid(5, kh)); err == nil {
			t.Error("another card was taken")
		}
		deck = mustLoad(t, e.Deck())
		if c, ok := deck.Card(uid(first, ah)); !ok || c != ah || deck.Covers(card.French) != nil {
			t.Errorf("replacement %d: %v, %v", i, c, ok)
		}
	}
	for _, first := range []byte{1, 3} {
		if c, ok := deck.Retired(uid(first, ah)); !ok || c != ah {
			t.Errorf("tag %s is in use: %v, %v", uid(first, ah), c, ok)
		}
		if _, ok := deck.Card(uid(first, ah)); ok {
			t.Errorf("tag %s is a card", uid(first, ah))
		}
	}
	blue := NewDeckEnrolment("blue", []card.Card{ah}, nil, deck)
	if taken, ok := errors.AsType[*TakenError](blue.Take(uid(1, ah))); !ok || !taken.Retired {
		t.Error("a tag that is out of use was taken for another deck")
	}
	again := NewDeckEnrolment("red", []card.Card{ah}, deck)
	if taken, ok := errors.AsType[*TakenError](again.Take(uid(3, ah))); !ok || !taken.Retired {
		t.Error("a tag that is out of use was taken when the deck was registered anew")
	}
	if _, err := ReplaceCard(&Deck{name: "empty"}, ah); err == nil {
		t.Error("a card that is not there was replaced")
	}
}

func TestChipEnrolment(t *testing.T) {
	e := NewChipEnrolment("cash 2")
	take := func(worth engine.Chips, fresh int, fault string, tags ...string) {
		t.Helper()
		n, err := e.Take(worth, tags)
		if n != fresh || (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%v: %d new, %v, want %d and %q", tags, n, err, fresh, fault)
		}
	}
	take(1, 2, "", "E280116060000205A1B2C301", "e280116060000205a1b2c302")
	take(1, 1, "", "E280116060000205A1B2C302", "E280116060000205A1B2C303")
	take(5, 1, "is worth 1 already", "E280116060000205A1B2C301", "E280116060000205A1B2C304")
	take(5, 0, "hexadecimal", "chip")
	e.Drop(1)
	take(25, 1, "", "E280116060000205A1B2C301")
	set, err := LoadChipSet("chips.toml", e.Set().Text())
	if err != nil || set.Name() != "cash 2" || set.Total() != 30 {
		t.Fatalf("%v: %v", set, err)
	}
	if p := set.Pieces(); p[1] != 0 || p[5] != 1 || p[25] != 1 {
		t.Errorf("pieces %v", p)
	}
}

// A tag is told when enough looks in a row saw it alone, once while it lies there, and again when it has come back.
func TestPicker(t *testing.T) {
	for _, tt := range []struct {
		name  string
		looks int
		seen  string // what each look saw, - for nothing
		want  string // what was told
	}{
		{"three looks", 3, "A A A A A", "A"},
		{"too few", 3, "A A - A A", ""},
		{"one missed look is no leaving", 3, "A A A - A A A A", "A"},
		{"it comes back", 3, "A A A - - A A A", "A A"},
		{"another without a pause", 3, "A A A B B B", "A B"},
		{"two at once are none", 2, "AB AB AB B B", "B"},
		{"another on top, and off again", 2, "A A AB AB A A A", "A"},
		{"in the shoe", 1, "A A A - B B C", "A B C"},
		{"twice in the shoe", 1, "A - - A", "A A"},
	} {
		p := Picker{Looks: tt.looks}
		var told []string
		for seen := range strings.FieldsSeq(tt.seen) {
			if tag := p.Look(strings.Split(strings.Trim(seen, "-"), "")); tag != "" {
				told = append(told, tag)
			}
		}
		if got := strings.Join(told, " "); got != tt.want {
			t.Errorf("%s: %s is told as %q, want %q", tt.name, tt.seen, got, tt.want)
		}
	}
}

func TestCertificateComesToWhatItsValuesDo(t *testing.T) {
	var c Certificate
	c.Add(NewValue("noted", 3, ""), NewValue("small", 1, "g").AtMost(1), NewValue("large", 2, "").AtLeast(2), NewValue("exact", 0, "").Exactly(0))
	if c.Verdict != Pass {
		t.Errorf("%+v", c)
	}
	for _, bad := range []Value{NewValue("a", 1.1, "").AtMost(1), NewValue("b", 1, "").AtLeast(2), NewValue("c", 1, "").Exactly(0), NewValue("d", -1, "").Exactly(0)} {
		c := c
		c.Add(bad)
		if c.Verdict != Fail || bad.Verdict != Fail {
			t.Errorf("%+v passes", bad)
		}
	}
}
