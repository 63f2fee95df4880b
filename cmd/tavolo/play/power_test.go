package play

import (
	"strings"
	"testing"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// powered brings alice before a raise, with powers to use.
func powered(s *seat) {
	facing(s)
	turn := *s.m.turn
	l := *turn.Legal
	l.Powers, l.Targets = engine.PowersOf(engine.Peek, engine.Swap, engine.Anchor), engine.Seats(0).With(3).With(10)
	turn.Legal = &l
	s.update(heard{turn, s.at()})
}

func TestNK20Powers(t *testing.T) {
	for _, c := range []struct {
		keys string
		want mqtt.ActionPayload
	}{
		{"v", mqtt.ActionPayload{Action: controller.VerbPeek}},
		{"w 2", mqtt.ActionPayload{Action: controller.VerbSwap, Cards: controller.PlacesOf(2)}},
		{"z 3", mqtt.ActionPayload{Action: controller.VerbAnchor, Target: 3}},
		{"z 0", mqtt.ActionPayload{Action: controller.VerbAnchor, Target: 10}},
	} {
		s := newSeat(t, four...)
		powered(s)
		s.press(c.keys)
		c.want.Epoch, c.want.Turn = s.m.turn.Epoch, s.m.turn.Turn
		if len(s.sent) != 1 || s.sent[0] != c.want {
			t.Errorf("%s: asks for %+v, want %+v", c.keys, s.sent, c.want)
		}
		s.update(answer{0, nil})
		if s.m.turn == nil {
			t.Errorf("%s: the turn is over", c.keys)
		}
	}
	s := newSeat(t, four...)
	powered(s)
	s.press("w 3")
	s.press("z 2")
	s.press("z esc")
	if len(s.sent) != 0 {
		t.Errorf("asks for %+v", s.sent)
	}
	s.press("w")
	if got := s.m.status(); !strings.Contains(got, "Swap which card, 1 to 2?") {
		t.Errorf("the status is %q", got)
	}
	s.update(heard{mqtt.HolePayload{
		Head: s.m.hole.Head, Hand: s.m.hole.Hand, Seat: 1, Cards: s.m.hole.Cards, Peeked: card.French.Cards()[0],
	}, s.at()})
	if got := strings.Join(s.m.prompt(80), "\n"); !strings.Contains(got, "next") {
		t.Errorf("what she peeked at is not shown: %q", got)
	}
}

func TestNK23ShieldWindow(t *testing.T) {
	for key, want := range map[string]controller.Verb{"s": controller.VerbShield, "a": controller.VerbAcceptAnchor} {
		s := newSeat(t, four...)
		facing(s)
		turn := *s.m.turn
		turn.Kind, turn.Legal, turn.By, turn.Turn = engine.AwaitShield, nil, 2, turn.Turn+1
		s.update(heard{turn, s.at()})
		if got := strings.Join(s.m.keys(), " "); !strings.Contains(got, "shield") || !strings.Contains(got, "anchor of ") {
			t.Errorf("the keys are %q", got)
		}
		s.press("f")
		s.press(key)
		if len(s.sent) != 1 || s.sent[0].Action != want || s.sent[0].Turn != turn.Turn {
			t.Errorf("%s: asks for %+v, want %s", key, s.sent, want)
		}
	}
}

func TestBP09BehindABox(t *testing.T) {
	s := newSeat(t, four...)
	boxing(s)
	s.press("k 1") // her own
	s.press("k 9")
	s.press("k 3 m enter")
	if len(s.sent) != 1 || s.sent[0] != (mqtt.ActionPayload{Action: controller.VerbBack, Seat: 3, Amount: 2}) {
		t.Errorf("asks for %+v", s.sent)
	}
}
