package display_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tavolo/engine"
)

// TestEveryEventHasWords: whatever the engine can say happened, the page's log can tell, or leaves out on purpose.
func TestEveryEventHasWords(t *testing.T) {
	text := english(t)
	otherwise := map[engine.EventKind]string{ // the key it is told by; none where the picture says enough
		engine.AntePosted: "antes", engine.BlindPosted: "big_blind", engine.PlayerActed: "fold", engine.BoardDealt: "board",
		engine.StreetOpened: "", engine.CardBurned: "", engine.HoleDealt: "", engine.BettingOpened: "", engine.TurnPassed: "",
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
