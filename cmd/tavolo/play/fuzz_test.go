package play

import (
	"encoding/json"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tavolo/controller/mqtt"
)

// FuzzHear: whatever comes from the broker, the screen can be drawn, and stays within the window.
func FuzzHear(f *testing.F) {
	for kind, seed := range []string{
		`{"v":1,"epoch":3,"seq":9,"time":1,"name":"T","view":{"hand":1,"game":"holdem","phase":"betting","button":1,` +
			`"board":["Kh","7d"],"pots":[{"amount":3,"seats":[1]}],"total":5,"awaits":{"kind":"action","seat":1},` +
			`"seats":[{"seat":1,"stack":5,"bet":2,"dealt":true,"live":true,"cards":["??","??"]},{"seat":10,"stack":5}]},` +
			`"players":[{"seat":1,"player":"alice","name":"Alice","kind":"remote"}],"clock":{"seat":1,"deadline":9,"total_ms":20000}}`,
		`{"v":1,"epoch":3,"seq":10,"hand":1,"time":1,"event":{"event":"player_acted","seat":1,"action":"raise","amount":4,"to":6}}`,
		`{"v":1,"epoch":3,"seq":10,"hand":1,"seat":1,"cards":["Ah","Kd"],"holds":"ace high"}`,
		`{"v":1,"epoch":3,"seq":10,"hand":1,"seat":1,"turn":900,"kind":"action","legal":{"to_call":2,"raise":true,"min_to":4,"max_to":9,"all_in":9}}`,
	} {
		f.Add(uint8(kind), []byte(seed))
	}
	f.Add(uint8(3), []byte(`{"v":1,"epoch":3,"seq":10,"hand":1,"seat":1,"turn":900,"kind":"discard"}`)) // known to newer tables only
	f.Add(uint8(4), []byte(`{"v":1,"epoch":3,"seq":10,"hand":1,"seat":1,"plan":"plan_call","auto_muck":true}`))
	f.Add(uint8(5), []byte(`{"v":1,"epoch":3,"seq":10,"free":[2,99],"until":9}`))
	f.Add(uint8(6), []byte(`{"v":1,"epoch":3,"seq":10,"hand":1,"open":[{"seat":3,"ante":10}],"in_play":[],"settled":[{"seat":3,"ante":1,"back":{"ante":2}}]}`))
	f.Fuzz(func(t *testing.T, kind uint8, payload []byte) {
		s := newSeat(t, four...)
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		var err error
		switch kind % 7 {
		case 0:
			err = hearJSON[mqtt.StatePayload](s, payload)
		case 1:
			err = hearJSON[mqtt.EventPayload](s, payload)
		case 2:
			err = hearJSON[mqtt.HolePayload](s, payload)
		case 3:
			err = hearJSON[mqtt.TurnPayload](s, payload)
		case 4:
			err = hearJSON[mqtt.PlanPayload](s, payload)
		case 5:
			err = hearJSON[mqtt.OfferPayload](s, payload)
		default:
			err = hearJSON[mqtt.BehindPayload](s, payload)
		}
		if err != nil {
			t.Skip()
		}
		s.press("e 9 enter f y a n o k 5 esc h esc , 1 2 esc ?")
		for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 40, Height: 10}, {Width: 1, Height: 1}} {
			s.update(size)
			lines := strings.Split(s.m.View().Content, "\n")
			if len(lines) > size.Height {
				t.Fatalf("%d lines in a window of %d", len(lines), size.Height)
			}
			for _, l := range lines {
				if ansi.StringWidth(l) > size.Width {
					t.Fatalf("line wider than %d: %q", size.Width, l)
				}
			}
		}
	})
}

func hearJSON[T any](s *seat, payload []byte) error {
	var v T
	err := json.Unmarshal(payload, &v)
	if err == nil {
		s.hear(v)
	}
	return err
}

// FuzzParse: a command is understood or refused, and what is understood asks for a positive amount where it needs one; a
// stake may be of nothing.
func FuzzParse(f *testing.F) {
	for _, c := range commands {
		f.Add(c.name)
		f.Add(c.name + " 300")
		f.Add(c.name + " 3 10 5")
	}
	f.Add("raise 1,200")
	f.Fuzz(func(t *testing.T, line string) {
		var tb table
		a, err := tb.parse(line)
		if err != nil {
			return
		}
		c := named(line)
		if c == nil || a.Action != c.verb || a.Amount < 0 || a.Bonus < 0 || c.takes == nil && a != (mqtt.ActionPayload{Action: c.verb}) {
			t.Errorf("%q: %+v", line, a)
		}
	})
}
