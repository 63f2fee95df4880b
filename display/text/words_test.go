package text

import (
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// words are those of a language that there must be.
func words(t testing.TB, language string) *Words {
	t.Helper()
	w, err := New(language)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestLanguages(t *testing.T) {
	if got := strings.Join(Languages(), " "); got != "en it" {
		t.Errorf("languages %q", got)
	}
	if _, err := New("xx"); err == nil || err.Error() != `no language "xx": want one of en, it` {
		t.Errorf("another language: %v", err)
	}
	for want, list := range map[string][]string{"it": {"de-CH", "it_CH.UTF-8", "en"}, "en": {"", "C", "fr"}} {
		if got := Preferred(list...); got != want {
			t.Errorf("of %q %s is preferred, want %s", list, got, want)
		}
	}
}

func TestSay(t *testing.T) {
	w := words(t, "it")
	for want, got := range map[string]string{
		"Posto 4": w.Say("seat", V{"seat": "4"}), "Posto ": w.Say("seat"), "no.such": w.Say("no.such"),
		"Telesina": w.Named("game", "telesina"), "crazy pineapple": w.Named("game", "crazy pineapple"),
		"dieci di quadri, asso di picche, carta coperta": w.Cards(card.MustParse("Td As ??")),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		language, currency string
		bigBlind           engine.Chips
		chips              engine.Chips
		want               string
	}{
		{"en", "", 0, 1234567, "1,234,567"},
		{"it", "", 0, 1234567, "1.234.567"},
		{"en", "", 0, -1234, "-1,234"},
		{"en", "EUR", 0, 123450, "€1,234.50"},
		{"en", "EUR", 0, 123400, "€1,234"},
		{"en", "EUR", 0, -5, "-€0.05"},
		{"it", "EUR", 0, 123450, "1.234,50\u00a0€"},
		{"en", "JPY", 0, 1234, "¥1,234"},
		{"en", "no currency", 0, 1234, "1,234"},
		{"en", "EUR", 200, 2500, "12.5 BB"},
		{"it", "EUR", 200, 2499, "12,5 BB"},
		{"en", "", 200, 199, "1 BB"},
	} {
		w := words(t, c.language).Of(c.currency, c.bigBlind)
		if got := w.Money(c.chips); got != c.want {
			t.Errorf("%d of %q in %s: %q, want %q", c.chips, c.currency, c.language, got, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		language, currency string
		bigBlind           engine.Chips
		text               string
		want               engine.Chips
	}{
		{"en", "", 0, "1,234", 1234},
		{"it", "", 0, "1.234,4", 1234},
		{"it", "EUR", 0, "12,5 €", 1250},
		{"en", "EUR", 0, ".5", 50},
		{"en", "EUR", 0, "0.005", 1},
		{"en", "EUR", 200, "12.5", 2500},
		{"en", "", 0, "9223372036854775807", -1},
		{"en", "EUR", 0, "922337203685477580", -1},
		{"en", "", 0, "99999999999999999999", -1},
		{"en", "EUR", 0, "1.2.3", -1},
		{"en", "", 0, "", -1},
		{"en", "", 0, "all", -1},
	} {
		got, ok := words(t, c.language).Of(c.currency, c.bigBlind).Read(c.text)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%q of %q in %s: %d, want %d", c.text, c.currency, c.language, got, c.want)
		}
	}
}

// FuzzRead: an amount that was written is read as what it was.
func FuzzRead(f *testing.F) {
	f.Add(int64(123450), "EUR", "12.5")
	f.Add(int64(0), "", "")
	f.Add(int64(123306), "RUR", "0") // whose sign has a point
	en, it := words(f, "en"), words(f, "it")
	f.Fuzz(func(t *testing.T, chips int64, currency, typed string) {
		chips &= 1<<50 - 1
		for _, w := range []*Words{en.Of(currency, 0), it.Of(currency, 0)} {
			written := w.Money(engine.Chips(chips))
			if got, ok := w.Read(written); !ok || got != engine.Chips(chips) {
				t.Errorf("%d is written %q and read %d", chips, written, got)
			}
			if got, ok := w.Read(typed); ok && got < 0 {
				t.Errorf("%q is read %d", typed, got)
			}
		}
	})
}

func TestHolds(t *testing.T) {
	en, it := words(t, "en"), words(t, "it")
	for said, want := range map[string]string{
		"royal flush":                    "scala reale massima",
		"king-high straight flush":       "scala colore, carta alta re",
		"full house, aces over kings":    "full, assi su re",
		"flush of clubs":                 "colore di fiori",
		"pair of aces; seven-five low":   "coppia di assi; basso sette-cinque",
		"badugi, ten-five-four-ace":      "badugi, dieci-cinque-quattro-asso",
		"two pair, queens and twos":      "doppia coppia, donne e due",
		"something that is not yet said": "something that is not yet said",
		"":                               "",
	} {
		if got := it.Holds(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
		if got := en.Holds(said); got != said {
			t.Errorf("%q: %q in English", said, got)
		}
	}
}

func TestTold(t *testing.T) {
	en, it := words(t, "en"), words(t, "it")
	for said, want := range map[string]string{
		"Deal card 2 of 7 to seat 4, face up":        "Date la carta 2 di 7 al posto 4, scoperta",
		"Deal card 1 of 3 of the flop":               "Date la carta 1 di 3: flop",
		"Seat 3: slots 1, 2 and 4 to the muck":       "Posto 3: caselle 1, 2 e 4 agli scarti",
		"Wait: antennas-a is lost: no answer":        "Aspettate: antennas-a è perso: no answer",
		"A card lies at burn that is not due there.": "Le bruciate: c'è una carta che lì non è dovuta.",
		"Wait: the shoe: the lid is open":            "Aspettate: il sabot: il coperchio è aperto",
		"the shoe: the lid is open":                  "il sabot: il coperchio è aperto",
		"A sentence of another version":              "A sentence of another version",
		"Void the hand: every bet goes back":         "Mano nulla: ogni puntata torna indietro",
		"floor asks to change the stack of seat 2 by -150: counted again. A second person confirms.": "floor chiede di cambiare lo stack del posto 2 di −1,50\u00a0€: ricontato. Conferma una seconda persona.",
		"Move chips: from the pot 12050 to the tray, 340 to seat 2. Shuffle, load the shoe, start the next hand": "Spostate le fiches: il piatto → il vassoio: 120,50\u00a0€, 3,40\u00a0€ → posto 2. " +
			"Mescolate, caricate il sabot, iniziate la mano",
	} {
		if got := it.Of("EUR", 0).Told(said); got != want {
			t.Errorf("%q:\n%q, want\n%q", said, got, want)
		}
	}
	change := "Give seat 3 7500 back (1 × 5000, 5 × 500)"
	if got, want := en.Of("EUR", 0).Told(change), "Give seat 3 €75 back (1 × €50, 5 × €5)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := en.Of("EUR", 0).Told("Seat 3 is short 50"); got != "Seat 3 is short €0.50" {
		t.Error(got)
	}
}

func TestRefusalsAndReasons(t *testing.T) {
	it := words(t, "it")
	for _, c := range [][2]string{
		{it.Refusal("too_little", "seat 1: 3 is too little"), it.Say("refused.too_little")},
		{it.Refusal("on_hold", "the shoe: the lid is open"), "il sabot: il coperchio è aperto"},
		{it.Reason("misdeal"), it.Say("reason.misdeal")},
		{it.Reason("counted again"), "ricontato"},
		{it.Reason("a card fell off"), "a card fell off"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
