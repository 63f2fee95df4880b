package play

import (
	"strings"
	"testing"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

const dropped = "The bet has changed"

// decide has the table keep what alice decides ahead, or drop it.
func (s *seat) decide(plan controller.Verb) {
	s.plans[1].Verb = plan
	s.publish(s.state, nil)
}

// before brings alice to where bruno has to act first, after a bet of carla's.
func before(s *seat) {
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.acts("ccck")
	s.deal("?? Ks 7s 2d")
	s.acts("k")
	s.act(engine.Bet, 6)
}

func (s *seat) screen() string { return s.m.screen() }

func TestWhatIsDecidedAheadIsShownAndTakenBack(t *testing.T) {
	s := newSeat(t, four...)
	before(s)
	s.press("c")
	want := mqtt.ActionPayload{Action: controller.VerbPlanCall, Hand: 1, Street: s.m.state.View.Street, Amount: 6}
	if len(s.sent) != 1 || s.sent[0] != want {
		t.Fatalf("asks for %+v, want %+v", s.sent, want)
	}
	s.update(answer{})
	s.decide(controller.VerbPlanCall)
	if !strings.Contains(s.screen(), "✓") {
		t.Errorf("the choice is not shown:\n%s", s.screen())
	}
	s.press("a") // another one in its place
	if want := (mqtt.ActionPayload{Action: controller.VerbPlanCallAny, Hand: 1, Street: s.m.state.View.Street, Amount: 6}); s.sent[1] != want {
		t.Errorf("asks for %+v, want %+v", s.sent[1], want)
	}
	s.update(answer{})
	s.decide(controller.VerbPlanCallAny)
	s.press("a")
	if want := (mqtt.ActionPayload{Action: controller.VerbPlanNone}); s.sent[2] != want {
		t.Errorf("asks for %+v, want %+v", s.sent[2], want)
	}
	s.update(answer{})
	s.decide("")
	if got := s.screen(); strings.Contains(got, "✓") || strings.Contains(got, dropped) {
		t.Errorf("what was taken back is still told:\n%s", got)
	}
}

func TestWhatTheTableDroppedIsTold(t *testing.T) {
	s := newSeat(t, four...)
	before(s)
	s.decide(controller.VerbPlanCall)
	s.act(engine.Raise, 20)
	s.decide("")
	if !strings.Contains(s.screen(), dropped) {
		t.Errorf("not told:\n%s", s.screen())
	}
	s.decide(controller.VerbPlanCall)
	if strings.Contains(s.screen(), dropped) {
		t.Errorf("told still, though there is another plan:\n%s", s.screen())
	}
}

// What was done is not what was dropped, also where another raises later.
func TestAPlanThatWasCarriedOutIsNotDropped(t *testing.T) {
	s := newSeat(t, four...)
	before(s)
	s.decide(controller.VerbPlanCall)
	s.acts("f") // dario
	s.plans[1].Verb = ""
	s.acts("c") // alice, by her plan
	s.act(engine.Raise, 20)
	if strings.Contains(s.screen(), dropped) {
		t.Errorf("told as dropped:\n%s", s.screen())
	}
}

// A player who is all in, or has folded, has nothing to decide.
func TestNothingIsDecidedAheadOfNothing(t *testing.T) {
	s := newSeat(t, four...)
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.acts("cf")
	s.press("f c a")
	if len(s.sent) > 0 || !strings.Contains(s.screen(), "You have folded.") {
		t.Errorf("asks for %+v:\n%s", s.sent, s.screen())
	}
}
