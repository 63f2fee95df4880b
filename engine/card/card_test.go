package card

import "testing"

func TestEveryCardReadsBack(t *testing.T) {
	for c := Card(1); c <= Count; c++ {
		got, err := Parse(c.String())
		if err != nil || got != c {
			t.Errorf("%v read back as %v, %v", c, got, err)
		}
		if New(c.Rank(), c.Suit()) != c {
			t.Errorf("%v: rank and suit make another card", c)
		}
	}
	if c, err := Parse("??"); err != nil || c != Hidden {
		t.Errorf("?? read as %v, %v", c, err)
	}
}

func TestBadTextIsRefused(t *testing.T) {
	for _, s := range []string{"", "A", "Ax", "1d", "dT", "Tdd", "td", "?d"} {
		if c, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, c)
		}
	}
	if _, err := ParseAll("AhK"); err == nil {
		t.Error("half a card was taken")
	}
}

func TestSets(t *testing.T) {
	s := SetOf(MustParse("As2cTd??")...)
	if s.Len() != 3 || s.String() != "2cTdAs" || s.Has(Hidden) || !s.Has(New(Ten, Diamonds)) {
		t.Errorf("set is %v", s)
	}
	if s.Remove(New(Ten, Diamonds)).String() != "2cAs" {
		t.Error("Remove left the ten of diamonds")
	}
	if French.Len() != 52 || Stripped32.Len() != 32 || Short36.Len() != 36 {
		t.Errorf("decks of %d, %d and %d cards", French.Len(), Stripped32.Len(), Short36.Len())
	}
	if lowest := Stripped32.Cards()[0]; lowest != New(Seven, Clubs) {
		t.Errorf("the 32-card deck starts at %v", lowest)
	}
}
