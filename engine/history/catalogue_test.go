package history

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
)

// TestLanguagesSayTheSame holds every language against English: the same keys, the same placeholders.
func TestLanguagesSayTheSame(t *testing.T) {
	placeholder := regexp.MustCompile(`\{[a-z_]+\}`)
	in := func(text string) []string {
		list := placeholder.FindAllString(text, -1)
		slices.Sort(list)
		return list
	}
	for lang, words := range catalogue {
		for key, text := range words {
			if strings.HasPrefix(key, "game.") || strings.HasPrefix(key, "street.") {
				continue
			}
			english, ok := catalogue["en"][key]
			if !ok || !slices.Equal(in(english), in(text)) {
				t.Errorf("%s, %s: %q, in English %q", lang, key, text, english)
			}
		}
		for key := range catalogue["en"] {
			if words[key] == "" {
				t.Errorf("%s has no %s", lang, key)
			}
		}
	}
}

// TestKeysNameWhatThereIs finds a game or street that was renamed and left its text behind.
func TestKeysNameWhatThereIs(t *testing.T) {
	names := map[string]bool{}
	for _, g := range engine.Games {
		names["game."+g.Name] = true
		for _, st := range g.Streets {
			names["street."+st.Name] = true
		}
	}
	for key := range catalogue["it"] {
		if (strings.HasPrefix(key, "game.") || strings.HasPrefix(key, "street.")) && !names[key] {
			t.Errorf("%s names nothing", key)
		}
	}
}

func TestUnknownLanguageIsEnglish(t *testing.T) {
	h := Hand{Rules: &engine.Rules{Game: engine.Games[0], House: engine.Houses[0]}}
	if got := h.Text("tlh"); got != h.Text("en") || !strings.HasPrefix(got, "Hand 0: Texas Hold'em, no limit") {
		t.Error(got)
	}
}
