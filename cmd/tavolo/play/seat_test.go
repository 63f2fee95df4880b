package play

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/seating"
)

// unseated has the one who looks be somebody without a seat, at a table whose seats 5 and 8 are free.
func unseated(s *seat) {
	s.m.me = "zoe"
	s.players = append(s.players, controller.Player{Seat: 5, Kind: controller.Remote}, controller.Player{Seat: 8, Kind: controller.Remote})
	s.seating.Rules = &seating.Rules{Open: engine.Seats(0).With(5).With(8), MinBuyIn: 40, MaxBuyIn: 150}
	s.publish(s.state, nil)
}

func TestTheSeatByKeys(t *testing.T) {
	out := func(s *seat) {
		s.do(engine.Input{Kind: engine.SatOut, Seat: 1})
		s.deal("9h 7d Kh 9d 7h Kd")
	}
	waiting := func(s *seat) {
		out(s)
		s.acts("ff")
		s.do(engine.Input{Kind: engine.BlindAwaited, Seat: 1})
	}
	full := func(s *seat) {
		unseated(s)
		s.players, s.seating.Rules.Open = s.players[:4], 0
		s.publish(s.state, nil)
	}
	free := func(s *seat) {
		s.seating.Rules.Open = engine.Seats(0).With(6).With(8)
		s.publish(s.state, nil)
	}
	kept := func(s *seat) {
		s.players = append(s.players, controller.Player{Seat: 7, Player: "zoe", Name: "Zoe", Kind: controller.Remote})
		unseated(s)
	}
	for _, c := range []struct {
		name string
		do   func(*seat)
		keys string
		want mqtt.ActionPayload
	}{
		{"sit out", func(*seat) {}, "o", mqtt.ActionPayload{Action: controller.VerbSitOut}},
		{"come back", out, "o", mqtt.ActionPayload{Action: controller.VerbSitIn}},
		{"wait for the big blind", out, "w", mqtt.ActionPayload{Action: controller.VerbWaitBlind}},
		{"post instead", waiting, "w", mqtt.ActionPayload{Action: controller.VerbSitIn}},
		{"nothing to wait for", func(*seat) {}, "w", mqtt.ActionPayload{}},
		{"a big blind more", func(*seat) {}, "k enter", mqtt.ActionPayload{Action: controller.VerbTopUp, Amount: 2}},
		{"fifty more", func(*seat) {}, "k 5 9 backspace 0 enter", mqtt.ActionPayload{Action: controller.VerbTopUp, Amount: 50}},
		{"in a hand", facing, "k 5 0 enter", mqtt.ActionPayload{Action: controller.VerbTopUp, Amount: 50}},
		{"what is no amount", func(*seat) {}, "k . enter", mqtt.ActionPayload{}},
		{"nothing after all", func(*seat) {}, "k 5 0 esc", mqtt.ActionPayload{}},
		{"leave", func(*seat) {}, "k l", mqtt.ActionPayload{Action: controller.VerbLeave}},
		{"move", free, "k m", mqtt.ActionPayload{Action: controller.VerbMove, Seat: 6}},
		{"move further", free, "k right m", mqtt.ActionPayload{Action: controller.VerbMove, Seat: 8}},
		{"move nowhere", func(*seat) {}, "k m", mqtt.ActionPayload{}},
		{"sit down", unseated, "k enter", mqtt.ActionPayload{Action: controller.VerbSit, Seat: 5, Amount: 150}},
		{"with less, elsewhere", unseated, "k left 4 0 enter", mqtt.ActionPayload{Action: controller.VerbSit, Seat: 8, Amount: 40}},
		{"the seat that is kept", kept, "k enter", mqtt.ActionPayload{Action: controller.VerbSit, Seat: 7, Amount: 150}},
		{"join the list", full, "k j", mqtt.ActionPayload{Action: controller.VerbJoinList}},
		{"leave the list", full, "k l", mqtt.ActionPayload{Action: controller.VerbLeaveList}},
		{"no seat to sit out", unseated, "o", mqtt.ActionPayload{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSeat(t, four...)
			c.do(s)
			s.press(c.keys)
			var want []mqtt.ActionPayload
			if c.want.Action != "" {
				want = append(want, c.want)
			}
			if len(s.sent) != len(want) || len(want) > 0 && s.sent[0] != want[0] {
				t.Errorf("asks for %+v, want %+v:\n%s", s.sent, want, ansi.Strip(s.screen()))
			}
			if len(want) == 0 {
				return
			}
			if s.update(answer{}); s.m.pane != nil {
				t.Error("it is done, and still asked for")
			}
			later := strings.Contains(ansi.Strip(s.screen()), "They come when the hand is over.")
			if want := c.want.Amount > 0 && s.state.Phase != engine.Between; later != want {
				t.Errorf("told that chips come later: %v, want %v", later, want)
			}
		})
	}
}

func TestARefusedSeatIsAskedForAgain(t *testing.T) {
	s := newSeat(t, four...)
	unseated(s)
	s.press("k 9 enter")
	s.update(answer{&client.Refused{Code: "seat_taken", Text: "somebody sits there"}})
	if got := ansi.Strip(s.screen()); s.m.pane == nil || !strings.Contains(got, "The seat is taken.") || !strings.Contains(got, "From 40 to 150") {
		t.Errorf("after a refusal:\n%s", got)
	}
}

func TestAnOfferedSeatIsTold(t *testing.T) {
	s := newSeat(t, four...)
	unseated(s)
	s.players, s.seating.Rules.Open = s.players[:4], 0 // none is free for anybody
	s.publish(s.state, nil)
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "You have no seat.") {
		t.Errorf("without a seat:\n%s", got)
	}
	s.update(heard{mqtt.OfferPayload{Head: mqtt.Head{Epoch: s.epoch}, Free: []engine.Seat{6}, Until: noon.Add(30 * time.Second).UnixMilli()}, s.at()})
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "A seat is kept for you until 08:00:30: seat 6.") {
		t.Errorf("the offer is not told:\n%s", got)
	}
	s.press("k enter")
	if want := (mqtt.ActionPayload{Action: controller.VerbSit, Seat: 6, Amount: 150}); len(s.sent) != 1 || s.sent[0] != want {
		t.Errorf("asks for %+v, want %+v", s.sent, want)
	}
	s.press("esc")
	s.pass(time.Minute)
	s.publish(s.state, nil)
	if got := ansi.Strip(s.screen()); strings.Contains(got, "A seat is kept") {
		t.Errorf("the offer is over, and still told:\n%s", got)
	}
}
