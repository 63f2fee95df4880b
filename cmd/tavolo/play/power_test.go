package play

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/bonus"
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
		{"p", mqtt.ActionPayload{Action: controller.VerbPeek}},
		{"w 2", mqtt.ActionPayload{Action: controller.VerbSwap, Cards: controller.PlacesOf(2)}},
		{"n 3", mqtt.ActionPayload{Action: controller.VerbAnchor, Target: 3}},
		{"n 0", mqtt.ActionPayload{Action: controller.VerbAnchor, Target: 10}},
	} {
		s := newSeat(t, four...)
		powered(s)
		s.press(c.keys)
		c.want.Epoch, c.want.Turn = s.m.turn.Epoch, s.m.turn.Turn
		if len(s.sent) != 1 || s.sent[0] != c.want {
			t.Errorf("%s: asks for %+v, want %+v", c.keys, s.sent, c.want)
		}
		s.update(answer{})
		if s.m.turn == nil {
			t.Errorf("%s: the turn is over", c.keys)
		}
	}
	s := newSeat(t, four...)
	powered(s)
	s.press("w 3 esc")
	s.press("n 2 esc")
	s.press("n esc")
	if len(s.sent) != 0 {
		t.Errorf("asks for %+v", s.sent)
	}
	s.press("w")
	if got := s.m.status(80); !strings.Contains(got, "Which card goes?") {
		t.Errorf("the status is %q", got)
	}
	s.update(heard{mqtt.HolePayload{
		Head: s.m.holes[1].Head, Hand: s.m.holes[1].Hand, Seat: 1, Cards: s.m.cards(), Peeked: card.French.Cards()[0],
	}, s.at()})
	if got := strings.Join(s.m.prompt(80), "\n"); !strings.Contains(got, "Next on the board") {
		t.Errorf("what she peeked at is not shown: %q", got)
	}
}

func TestNK23ShieldWindow(t *testing.T) {
	for key, want := range map[string]controller.Verb{"s": controller.VerbShield, "c": controller.VerbAcceptAnchor} {
		s := newSeat(t, four...)
		facing(s)
		turn := *s.m.turn
		turn.Kind, turn.Legal, turn.By, turn.Turn = engine.AwaitShield, nil, 2, turn.Turn+1
		s.update(heard{turn, s.at()})
		if got := strings.Join(s.m.prompt(80), " "); !strings.Contains(got, "Shield") || !strings.Contains(got, "Bruno drops an anchor") {
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
	s.press("right right left right 1 a a enter")
	if len(s.sent) != 1 || s.sent[0] != (mqtt.ActionPayload{Action: controller.VerbBack, Seat: 3, Amount: 2}) {
		t.Errorf("asks for %+v", s.sent)
	}
	s.update(answer{})
	s.update(heard{mqtt.BehindPayload{
		Head: mqtt.Head{Epoch: s.epoch}, Open: []mqtt.BehindStake{{Seat: 3, Stake: bonus.Stake{Ante: 2}}},
		InPlay:  []mqtt.BehindStake{{Seat: 2, Stake: bonus.Stake{Ante: 5, Bonus: 1}}},
		Settled: []mqtt.BehindSettled{{BehindStake: mqtt.BehindStake{Seat: 4}, Back: bonus.Bets{Ante: 10, Bonus: 2}}},
	}, s.at()})
	for _, want := range []string{"Behind Carla: ante 2, bonus 0.", "In play behind Bruno: ante 5, bonus 1.", "Behind Dario: 12 came back."} {
		if got := s.m.screen(); !strings.Contains(got, want) {
			t.Errorf("the screen does not say %q:\n%s", want, ansi.Strip(got))
		}
	}
	s.press("right right .")
	if len(s.sent) != 2 || s.sent[1] != (mqtt.ActionPayload{Action: controller.VerbBack, Seat: 3}) {
		t.Errorf("takes back by %+v", s.sent[1:])
	}
}
