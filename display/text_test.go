package display_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tavolo/engine"
)

// TestEveryEventHasWords: whatever the engine can say happened, the page's log can tell, or leaves out on purpose.
func TestEveryEventHasWords(t *testing.T) {
	text := english(t)
	otherwise := map[engine.EventKind]string{ // the key it is told by; none where the picture says enough
		engine.AntePosted: "antes", engine.BlindPosted: "big_blind", engine.PlayerActed: "fold", engine.BoardDealt: "board",
		engine.StreetOpened: "", engine.CardBurned: "", engine.BettingOpened: "", engine.TurnPassed: "",
		engine.BetsCollected: "", engine.DrawClosed: "", engine.HandEnded: "", engine.PowerPlayed: "peek",
	}
	for kind := engine.EventKind(1); !strings.Contains(kind.String(), "("); kind++ {
		key, ok := otherwise[kind]
		if !ok {
			key = kind.String()
		}
		if key != "" && text["log."+key] == "" {
			t.Errorf("%v: text/en.json has no log.%s", kind, key)
		}
	}
}

// The page says what a table awaits, whatever it is: a text that is not there would stop the page.
func TestWhatIsAwaitedHasWords(t *testing.T) {
	text := english(t)
	for kind := engine.AwaitNothing; !strings.Contains(kind.String(), "("); kind++ {
		key := "await." + kind.String()
		if kind == engine.AwaitAction {
			key += ".call"
		}
		if text[key] == "" {
			t.Errorf("%v: text/en.json has no %s", kind, key)
		}
	}
}

// TestGamesHaveWords: the page names every game there is, its streets and its limits.
func TestGamesHaveWords(t *testing.T) {
	text := english(t)
	want := func(key string) {
		if text[key] == "" {
			t.Errorf("text/en.json has no %s", key)
		}
	}
	for _, g := range engine.Games {
		want("game." + g.Name)
		for _, st := range g.Streets {
			want("street." + st.Name)
		}
	}
	for _, limit := range []engine.Limit{engine.NoLimit, engine.PotLimit, engine.HalfPot, engine.FixedLimit, engine.SpreadLimit} {
		want("limit." + limit.String())
	}
}

// TestRefusalsHaveWords: a refusal is told in the reader's language by its code, of those that the contract lists, except those
// whose sentence tells what is to be done first.
func TestRefusalsHaveWords(t *testing.T) {
	text := english(t)
	sentences := []string{"on_hold", "not_collected", "not_reloaded", "chips_differ"}
	b, err := os.ReadFile("../controller/mqtt/asyncapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Components struct {
			Messages struct {
				Reply struct {
					Codes []string `json:"x-codes"`
				} `json:"reply"`
			} `json:"messages"`
		} `json:"components"`
	}
	if err := json.Unmarshal(b, &contract); err != nil {
		t.Fatal(err)
	}
	codes := contract.Components.Messages.Reply.Codes
	for _, code := range codes {
		if text["refused."+code] == "" && !slices.Contains(sentences, code) {
			t.Errorf("text/en.json has no refused.%s", code)
		}
	}
	if len(codes) < 50 {
		t.Errorf("only %d codes found", len(codes))
	}
}

// TestWhatDealersAreToldHasWords: the page translates the sentences that the controller tells dealers, by their English ones.
func TestWhatDealersAreToldHasWords(t *testing.T) {
	place := regexp.MustCompile(`\{\w+\}|%[dsvq]`)
	known := map[string]bool{}
	for key, sentence := range english(t) {
		if strings.HasPrefix(key, "told.") {
			known[place.ReplaceAllString(sentence, "*")] = true
		}
	}
	composed := []string{ // of parts that are looked up by themselves
		"Wait: ", "Move chips: ", "The first counts: ", "Deal card * of * to *", "* asks to *: *. A second person confirms.",
		"The chips at the felt are * than they should be. Count before the pot is pushed.", "* to the most, *",
		"collect", "count", // kinds, whose sentence is worked out
	}
	sentence := regexp.MustCompile(`(?:\bText:\s+|\.Text = (?:"\w+", )?|(?:Choice|deed|oice)\{"\w+", )(?:fmt\.Sprintf\()?"([^"]*)"`)
	files, err := filepath.Glob("../controller/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range sentence.FindAllStringSubmatch(string(b), -1) {
			found++
			if s := place.ReplaceAllString(m[1], "*"); !known[s] && !slices.Contains(composed, s) {
				t.Errorf("%s: text/en.json has no told.… for %q", file, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d sentences found", found)
	}
}

// TestWordsStandOnce: a catalogue has each key once, since only the last would be heard, and a dealer's sentence one key, since
// only one would be looked up.
func TestWordsStandOnce(t *testing.T) {
	line := regexp.MustCompile(`(?m)^\s*"([^"]+)":\s*"(.*)",?$`)
	files, err := filepath.Glob("text/*.json")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		keys, told := map[string]bool{}, map[string]string{}
		for _, m := range line.FindAllStringSubmatch(string(b), -1) {
			key, sentence := m[1], m[2]
			if keys[key] {
				t.Errorf("%s: %s stands twice", file, key)
			}
			keys[key] = true
			if !strings.HasPrefix(key, "told.") || file != filepath.Join("text", "en.json") {
				continue
			}
			if other, ok := told[sentence]; ok && other != key {
				t.Errorf("%s: %s and %s say the same", file, other, key)
			}
			told[sentence] = key
		}
	}
}

// english is the catalogue in English; another test holds the other languages to its keys.
func english(t *testing.T) (text map[string]string) {
	t.Helper()
	b, err := os.ReadFile("text/en.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &text); err != nil {
		t.Fatal(err)
	}
	return text
}
