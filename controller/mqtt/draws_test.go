package mqtt

import (
	"encoding/json"
	"testing"

	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/card"
)

func TestRequestsOfDrawsAndPowers(t *testing.T) {
	for text, want := range map[string]controller.Request{
		`{"v":1,"id":"a","turn":5,"action":"discard","cards":[3,1]}`: {Verb: controller.VerbDiscard, Cards: controller.PlacesOf(1, 3)},
		`{"v":1,"id":"a","turn":5,"action":"stand_pat"}`:             {Verb: controller.VerbStandPat},
		`{"v":1,"id":"a","turn":5,"action":"split"}`:                 {Verb: controller.VerbSplit},
		`{"v":1,"id":"a","turn":5,"action":"peek"}`:                  {Verb: controller.VerbPeek},
		`{"v":1,"id":"a","turn":5,"action":"swap","cards":[2]}`:      {Verb: controller.VerbSwap, Cards: controller.PlacesOf(2)},
		`{"v":1,"id":"a","turn":5,"action":"anchor","target":4}`:     {Verb: controller.VerbAnchor, To: 4},
		`{"v":1,"id":"a","turn":5,"action":"shield"}`:                {Verb: controller.VerbShield},
		`{"v":1,"id":"a","turn":5,"action":"accept_anchor"}`:         {Verb: controller.VerbAcceptAnchor},
	} {
		want.ID, want.From, want.Turn = "a", controller.Source{Player: "dora"}, 5
		if got, err := ParseRequest(Sender{Role: Player, Name: "dora"}, []byte(text)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		`{"v":1,"id":"a","action":"discard","cards":[1,1]}`,
		`{"v":1,"id":"a","action":"discard","cards":[0]}`,
		`{"v":1,"id":"a","action":"discard","cards":[8]}`,
		`{"v":1,"id":"a","action":"discard","cards":["Ah"]}`,
		`{"v":1,"id":"a","action":"discard","cards":3}`,
		`{"v":1,"id":"a","action":"fold","cards":[1]}`,
		`{"v":1,"id":"a","action":"peek","target":3}`,
	} {
		if r, err := ParseRequest(Sender{Role: Player, Name: "dora"}, []byte(text)); err == nil || r.ID != "a" {
			t.Errorf("%s was taken as %+v, error %v", text, r, err)
		}
	}
	if r, err := ParseRequest(Sender{Role: Dealer, Name: "d1"}, []byte(`{"v":1,"id":"a","epoch":7,"cmd":"reload"}`)); err != nil || r.Verb != controller.VerbReload {
		t.Errorf("%+v, %v", r, err)
	}
}

// last is the last message on a topic.
func last[T any](t *testing.T, s *stage, topic string) (v T) {
	t.Helper()
	all := s.on(topic)
	if len(all) == 0 {
		t.Fatalf("nothing on %s", topic)
	}
	if err := json.Unmarshal([]byte(all[len(all)-1]), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// A player is told that it is his turn to draw, and the hand that he keeps, also where that is none.
func TestADrawIsTold(t *testing.T) {
	s := newStage(t)
	rules := *s.state.Rules
	var err error
	if rules.Game, err = engine.GameNamed("draw5"); err != nil {
		t.Fatal(err)
	}
	s.state.Rules = &rules
	s.deal()
	for s.state.Phase == engine.Betting {
		in := engine.Input{Kind: engine.Acted, Seat: s.state.Turn, Action: engine.Call}
		if s.state.Awaits().Legal.Check {
			in.Action = engine.Check
		}
		s.do(in)
	}
	seat := s.state.Turn
	who := s.players[seat-1].Player
	turn := last[TurnPayload](t, s, s.pub.Topics.Turn(who))
	if turn.Kind != engine.AwaitDiscard || turn.Most != 5 || turn.Turn != s.turn || turn.Legal != nil {
		t.Errorf("%s is told %+v", who, turn)
	}
	s.clear()
	s.do(engine.Input{Kind: engine.Discarded, Seat: seat, Cards: s.state.Seats[seat].Hole})
	hole := last[HolePayload](t, s, s.pub.Topics.Hole(who))
	if hole.Cards == nil || len(hole.Cards) != 0 {
		t.Errorf("%s is told %+v", who, hole)
	}
	for _, m := range s.on(s.pub.Topics.Events()) {
		var e EventPayload
		if err := json.Unmarshal([]byte(m), &e); err != nil {
			t.Fatal(err)
		}
		if e.Event.Kind == engine.CardsDiscarded && (e.Event.Amount != 5 || e.Event.Cards != engine.CardsOf(card.Hidden, card.Hidden, card.Hidden, card.Hidden, card.Hidden)) {
			t.Errorf("everybody is told %+v", e.Event)
		}
	}
}

// What was peeked is told to the player alone, until a swap changes the order; after a power the turn is told again.
func TestPowersAreTold(t *testing.T) {
	s := newStage(t)
	rules := *s.state.Rules
	powers := *engine.Naiko
	powers.Gain = 3
	rules.Powers = &powers
	var err error
	if rules.House, err = engine.HouseNamed("naiko"); err != nil {
		t.Fatal(err)
	}
	s.state.Rules = &rules
	s.do(engine.Input{Kind: engine.HandStarted, Carousel: engine.PowersOf(engine.Peek, engine.Swap, engine.Anchor)})
	for c := card.Card(1); s.state.Phase == engine.Dealing; c++ {
		s.do(engine.Input{Kind: engine.CardRead, Card: c})
	}
	first := s.state.Turn
	who := s.players[first-1].Player
	s.clear()
	next := card.MustParse("Ah")[0]
	s.do(engine.Input{Kind: engine.PowerUsed, Seat: first, Power: engine.Peek, Card: next})
	if hole := last[HolePayload](t, s, s.pub.Topics.Hole(who)); hole.Peeked != next || len(hole.Cards) != 2 {
		t.Errorf("%s is told %+v, want %v", who, hole, next)
	}
	if turn := last[TurnPayload](t, s, s.pub.Topics.Turn(who)); turn.Legal == nil || turn.Legal.Powers != 0 || turn.Turn != s.turn {
		t.Errorf("after the power %s is told %+v", who, turn)
	}
	for _, m := range s.on(s.pub.Topics.Events()) {
		var e EventPayload
		if err := json.Unmarshal([]byte(m), &e); err != nil || e.Event.Card != card.Hidden {
			t.Errorf("everybody is told %s", m)
		}
	}
	s.do(engine.Input{Kind: engine.Acted, Seat: first, Action: engine.Call})
	s.clear()
	second := s.state.Turn
	s.do(engine.Input{Kind: engine.PowerUsed, Seat: second, Power: engine.Swap, Card: s.state.Seats[second].Hole[0]})
	if hole := last[HolePayload](t, s, s.pub.Topics.Hole(who)); hole.Peeked != card.None {
		t.Errorf("after a swap %s is told %+v", who, hole)
	}
	if hole := last[HolePayload](t, s, s.pub.Topics.Hole(s.players[second-1].Player)); len(hole.Cards) != 1 {
		t.Errorf("who swapped is told %+v", hole)
	}
}

// An anchor asks the player it is on, and says whose it is.
func TestAnAnchorIsTold(t *testing.T) {
	s := newStage(t)
	rules := *s.state.Rules
	powers := *engine.Naiko
	powers.Gain = 3
	rules.Powers = &powers
	s.state.Rules = &rules
	s.do(engine.Input{Kind: engine.HandStarted, Carousel: engine.PowersOf(engine.Swap, engine.Anchor, engine.Shield)})
	for c := card.Card(1); s.state.Phase == engine.Dealing; c++ {
		s.do(engine.Input{Kind: engine.CardRead, Card: c})
	}
	by := s.state.Turn
	target := s.state.Awaits().Legal.Targets.List()[0]
	s.clear()
	s.do(engine.Input{Kind: engine.PowerUsed, Seat: by, Power: engine.Anchor, Target: target})
	who := s.players[target-1].Player
	if turn := last[TurnPayload](t, s, s.pub.Topics.Turn(who)); turn.Kind != engine.AwaitShield || turn.By != by || turn.Turn != s.turn {
		t.Errorf("%s is told %+v", who, turn)
	}
	s.clear()
	s.do(engine.Input{Kind: engine.AnchorAccepted, Seat: target})
	if turn := last[TurnPayload](t, s, s.pub.Topics.Turn(s.players[by-1].Player)); turn.Kind != engine.AwaitAction {
		t.Errorf("the other is told %+v", turn)
	}
}
