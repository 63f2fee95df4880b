package engine_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/rake"
)

// Rules that were written are the same when they are read, whatever the game and house.
func TestRulesAreReadBack(t *testing.T) {
	row, err := rake.Noxwin.Row("fixed", 200)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, g := range engine.Games {
		for _, h := range engine.Houses {
			r := engine.Rules{Game: g, House: h, Limit: engine.FixedLimit, Rake: row, Stakes: engine.Stakes{
				SmallBlind: 1, BigBlind: 2, BringIn: 1, Ante: 1, SmallBet: 2, BigBet: 4, Chip: 1,
			}}
			if err := r.Validate(); err != nil {
				continue // not every game is for every house
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			read++
			var back engine.Rules
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if back.Game != r.Game || back.House != r.House || !reflect.DeepEqual(back, r) {
				t.Errorf("%s, %s: %s is read as %+v", g.Name, h.Name, text, back)
			}
		}
	}
	if read < len(engine.Games) {
		t.Errorf("only %d of %d games can be played by these stakes", read, len(engine.Games))
	}
}

func TestRulesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                              "cannot unmarshal",
		`{"game":"snap"}`:                 `unknown game "snap"`,
		`{"game":"holdem","limit":"sky"}`: `unknown limit "sky"`,
		`{"game":"holdem","limit":"pot","house":"ours"}`:                         `unknown house "ours"`,
		`{"game":"holdem","limit":"pot","house":"tda","stakes":{"BigBlind":-2}}`: "stakes.big_blind: -2",
	} {
		var r engine.Rules
		if err := json.Unmarshal([]byte(text), &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if r.Game != nil {
			t.Errorf("%s: set %+v", text, r)
		}
	}
}
