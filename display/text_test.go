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
	b, err := os.ReadFile("text/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var text map[string]string
	if err := json.Unmarshal(b, &text); err != nil {
		t.Fatal(err)
	}
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
