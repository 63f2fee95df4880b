package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
)

// raw is a player's connection that says what it likes.
type raw struct {
	*watcher
	topics mqtt.Topics
	name   string
}

func (r *rig) player(url, name string) *raw {
	r.t.Helper()
	end := seal.NewPlayer(r.cfg.Keys[name], r.cfg.Topics.Channel(name))
	w := join(r.t, url, name, end, r.cfg.Topics.Status(), r.cfg.Topics.Seat(name))
	p := &raw{w, r.cfg.Topics, name}
	if reply := p.say(`{"v":1,"id":"login","action":"resync"}`); !reply.OK {
		r.t.Fatalf("the login of %s: %+v", name, reply)
	}
	return p
}

// sealed seals a request for the run of the table that is up.
func (p *raw) sealed(text string) (sealed []byte) {
	p.t.Helper()
	p.await("the table is up", func(s *seen) bool { return s.status.State == mqtt.StateOnline })
	p.look(func(s *seen) { sealed = mqtt.Pack(p.end.Seal(s.status.Epoch, []byte(text))) })
	return sealed
}

// say sends a request in so many words, and gives the reply: the next one on the player's topic.
func (p *raw) say(text string) (reply mqtt.ReplyPayload) {
	p.t.Helper()
	replies := func(s *seen) (all []mqtt.ReplyPayload) { return on[mqtt.ReplyPayload](p.t, s, p.topics.Reply(p.name)) }
	before := 0
	p.look(func(s *seen) { before = len(replies(s)) })
	p.link.Send(p.topics.Action(p.name), p.sealed(text))
	p.await("a reply to "+text[:min(len(text), 200)], func(s *seen) bool {
		all := replies(s)
		if len(all) > before {
			reply = all[before]
		}
		return len(all) > before
	})
	return reply
}

// turn waits for the player's next turn.
func (p *raw) turn(after uint64) (turn mqtt.TurnPayload) {
	p.t.Helper()
	p.await("the turn of "+p.name, func(s *seen) bool {
		for _, turn = range on[mqtt.TurnPayload](p.t, s, p.topics.Turn(p.name)) {
		}
		return turn.Turn > after
	})
	return turn
}

// What a player may not do is refused with a code and a sentence, and changes nothing.
func TestIllegalRequests(t *testing.T) {
	t.Parallel()
	r := scripted(t, "omaha.phh", 1)
	d := r.daemon()
	url := d.brokerURL()
	w := r.watch(url)
	bruno, carla := r.player(url, "bruno"), r.player(url, "carla")
	r.sim(url, playing("alice"))
	turn := carla.turn(0)
	if l := turn.Legal; l == nil || l.MinTo != 4 || l.MaxTo != 7 || l.ToCall != 2 {
		t.Fatalf("carla's turn: %+v", turn)
	}
	w.await("the state of the turn", func(s *seen) bool { return s.state().Seq == turn.Seq && s.state().Clock != nil })
	var before mqtt.StatePayload
	w.look(func(s *seen) { before = s.state() })

	n := 0
	request := func(rest string) string {
		n++
		return fmt.Sprintf(`{"v":1,"id":"r%d","epoch":%d,"turn":%d,%s}`, n, turn.Epoch, turn.Turn, rest)
	}
	for _, c := range []struct {
		who        *raw
		text, code string
	}{
		{bruno, request(`"action":"fold"`), "out_of_turn"},
		{bruno, request(`"action":"raise","amount":7`), "out_of_turn"},
		{bruno, request(`"action":"show"`), "not_awaited"},
		{carla, request(`"action":"check"`), "cannot_check"},
		{carla, request(`"action":"bet","amount":7`), "cannot_raise"},
		{carla, request(`"action":"raise","amount":3`), "too_little"},
		{carla, request(`"action":"raise","amount":2`), "too_little"},
		{carla, request(`"action":"raise"`), "too_little"},
		{carla, request(`"action":"raise","amount":-7`), "too_little"},
		{carla, request(`"action":"raise","amount":8`), "too_much"},
		{carla, request(`"action":"raise","amount":9223372036854775807`), "too_much"},
		{carla, request(`"action":"all-in"`), "too_much"},
		{carla, request(`"action":"show"`), "not_awaited"},
		{carla, request(`"action":"muck"`), "not_awaited"},
		// What is no request.
		{carla, request(`"action":"raise","amount":9223372036854775808`), "malformed"},
		{carla, request(`"action":"raise","amount":7.5`), "malformed"},
		{carla, request(`"action":"raise","amount":"7"`), "malformed"},
		{carla, request(`"action":"raise","amount":[7]`), "malformed"},
		{carla, request(`"action":7`), "malformed"},
		{carla, request(`"action":"FOLD"`), "malformed"},
		{carla, request(`"action":"sing"`), "malformed"},
		{carla, request(`"action":"start_hand"`), "malformed"},
		{carla, request(`"action":"fold","seat":2`), "not_your_seat"},
		{carla, request(`"action":"fold","player":"bruno"`), "malformed"},
		{carla, request(`"action":"fold"`) + `{}`, "malformed"},
		{carla, ``, "malformed"},
		{carla, `null`, "malformed"},
		{carla, `[]`, "malformed"},
		{carla, `{`, "malformed"},
		{carla, "\xff\x00", "malformed"},
		{carla, strings.Repeat("[", 20000), "malformed"},
		{carla, `{"v":1,"id":"` + strings.Repeat("9", 30000) + `","action":"fold"}`, "malformed"},
		{carla, `{"v":1,"id":7,"action":"fold"}`, "malformed"},
		{carla, `{"v":1,"action":"fold"}`, "malformed"},
		{carla, `{"v":2,"id":"v","action":"fold"}`, "malformed"},
		{carla, `{"id":"no v","action":"fold"}`, "malformed"},
		// What answers another turn.
		{carla, `{"v":1,"id":"no turn","action":"fold"}`, "stale_turn"},
		{carla, fmt.Sprintf(`{"v":1,"id":"before","turn":%d,"action":"fold"}`, turn.Turn-1), "stale_turn"},
		{carla, fmt.Sprintf(`{"v":1,"id":"after","turn":%d,"action":"fold"}`, turn.Turn+1), "stale_turn"},
		{carla, `{"v":1,"id":"huge","turn":18446744073709551615,"action":"fold"}`, "stale_turn"},
		{carla, `{"v":1,"id":"negative","turn":-1,"action":"fold"}`, "malformed"},
		{carla, fmt.Sprintf(`{"v":1,"id":"old","epoch":%d,"turn":%d,"action":"fold"}`, turn.Epoch+1, turn.Turn), "old_epoch"},
	} {
		reply := c.who.say(c.text)
		if reply.OK || reply.Code != c.code || len(reply.Text) < 10 {
			t.Errorf("%s: %s: %+v, want code %q", c.who.name, c.text[:min(len(c.text), 200)], reply, c.code)
		}
		if reply.Epoch != turn.Epoch || reply.Seq != before.Seq || len(reply.ID) > 64 {
			t.Errorf("%s: the reply is of event %d in run %d, with id %.70q", c.text[:min(len(c.text), 200)], reply.Seq, reply.Epoch, reply.ID)
		}
	}
	unchanged := func(after string) {
		t.Helper()
		w.look(func(s *seen) {
			if got := s.state(); !reflect.DeepEqual(got.View, before.View) || !reflect.DeepEqual(got.Clock, before.Clock) {
				t.Errorf("%s the state is another:\n%+v\n%+v", after, got, before)
			}
		})
	}
	unchanged("after refusals")

	// What the broker keeps from the table: on others' topics, retained, in the table's own name.
	denied := d.broker.Stats().Denied
	fold := func() []byte { return []byte(request(`"action":"fold"`)) }
	at := r.cfg.Topics
	bruno.link.Send(at.Action("carla"), fold())
	bruno.link.State(at.Action("bruno"), fold())
	bruno.link.Send(at.Command("dealer"), []byte(`{"v":1,"id":"d","cmd":"void_hand"}`))
	bruno.link.Send(at.Reply("carla"), fold())
	bruno.link.Send(at.Turn("carla"), fold())
	bruno.link.Event(at.Events(), fold())
	bruno.link.State(at.State(), fold())
	bruno.link.State(at.Status(), []byte(`{"v":1,"state":"stopped"}`))
	w.link.Send(at.Action("carla"), fold()) // the floor manager is no player
	if reply := bruno.say(request(`"action":"fold"`)); reply.Code != "out_of_turn" {
		t.Errorf("bruno was thrown out: %+v", reply)
	}
	w.link.Send(at.Command("floor"), []byte(`{"v":1,"id":"f","epoch":1,"cmd":"fold"}`)) // refused by the table, after what is before it
	eventually(t, "the broker has denied 9 messages", func() bool { return d.broker.Stats().Denied >= denied+9 })
	if got := d.broker.Stats().Denied; got != denied+9 {
		t.Errorf("the broker denied %d messages, want 9", got-denied)
	}
	unchanged("after what is denied")

	// Done once, however often it is asked; done again it is refused.
	raise := request(`"action":"raise","amount":7`)
	first := carla.say(raise)
	if !first.OK || first.Code != "" || first.Seq <= before.Seq {
		t.Fatalf("the raise: %+v", first)
	}
	if again := carla.say(raise); !reflect.DeepEqual(again.OK, first.OK) || again.ID != first.ID || again.Code != "" {
		t.Errorf("the same request again: %+v, before %+v", again, first)
	}
	if again := carla.say(request(`"action":"raise","amount":7`)); again.OK || again.Code != "out_of_turn" {
		t.Errorf("another raise in the same turn: %+v", again)
	}
	w.await("one raise", func(s *seen) bool { return s.state().Seq >= first.Seq })
	h := r.read(r.cfg.Journal)
	raises := 0
	for _, st := range h.steps {
		if st.Input.Kind == engine.Acted && st.Input.Seat == 3 {
			raises++
		}
	}
	if raises != 1 {
		t.Errorf("the journal has %d acts of carla's", raises)
	}
	r.agrees(w)
}
