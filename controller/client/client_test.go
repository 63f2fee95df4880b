package client

import (
	"errors"
	"fmt"
	"log/slog"
	"path"
	"testing"
	"time"

	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
)

var topics = mqtt.Topics{Studio: "st", Table: "t1"}

// newClient is a client that is not connected; its messages are given to it by the tests.
func newClient(t *testing.T, role mqtt.Role) *Client {
	t.Helper()
	c, err := New(Options{
		URL: "tcp://127.0.0.1:1", Topics: topics, Role: role, User: "alice", Key: aliceKey, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Client) get(topic string, retained bool, v any) {
	c.receive(mqtt.Message{Topic: topic, Payload: mqtt.Pack(v), Retained: retained})
}

// aliceKey is what alice shares with the table.
const aliceKey = seal.Key("ABCDEFGHIJKLMNOPQRSTUVWX23")

// table is the table's end of what is sealed, where the client has logged in.
func (c *Client) table(t *testing.T, epoch uint64) *seal.Table {
	t.Helper()
	end := seal.NewTable(aliceKey, topics.Channel("alice"), epoch)
	if _, _, err := end.Open(c.end.Seal(epoch, nil)); err != nil {
		t.Fatal(err)
	}
	return end
}

// tell gives the client what is sealed to it.
func (c *Client) tell(end *seal.Table, topic string, h mqtt.Head, v any) {
	for _, m := range end.Seal(path.Base(topic), seal.Place{Epoch: h.Epoch, Seq: h.Seq}, mqtt.Pack(v)) {
		c.get(topic, false, m)
	}
}

// read gives the messages so far, in short.
func (c *Client) read() (out []string) {
	for {
		select {
		case m := <-c.messages:
			switch m := m.(type) {
			case mqtt.EventPayload:
				out = append(out, fmt.Sprintf("event %d/%d", m.Epoch, m.Seq))
			case mqtt.StatePayload:
				out = append(out, fmt.Sprintf("state %d/%d", m.Epoch, m.Seq))
			case Connected:
				out = append(out, fmt.Sprintf("up %v", m.Up))
			default:
				out = append(out, fmt.Sprintf("%T", m))
			}
		default:
			return out
		}
	}
}

var ended = engine.Event{Kind: engine.HandEnded}

func head(epoch, seq uint64) mqtt.Head { return mqtt.Head{V: 1, Epoch: epoch, Seq: seq} }

func TestEveryEventIsReadOnceAndNoStateGoesBack(t *testing.T) {
	c := newClient(t, mqtt.Player)
	event := func(epoch, seq uint64) {
		c.get(topics.Events(), false, mqtt.EventPayload{Head: head(epoch, seq), Event: ended})
	}
	state := func(epoch, seq uint64, retained bool) {
		c.get(topics.State(), retained, mqtt.StatePayload{Head: head(epoch, seq), View: engine.View{Seq: seq}})
	}
	c.get(topics.Status(), true, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 3})
	event(3, 7)
	state(3, 7, false)
	event(3, 7)
	state(3, 5, true) // retained, and overtaken
	event(3, 6)
	event(3, 8)
	event(2, 90) // of the run before
	state(2, 90, true)
	event(4, 1) // the table has started anew
	state(4, 1, false)
	state(4, 1, false)                                                                         // the clock may have changed
	c.get(topics.Status(), false, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 1}) // with another journal
	event(1, 1)
	got := fmt.Sprint(c.read())
	want := "[up true event 3/7 state 3/7 event 3/8 event 4/1 state 4/1 state 4/1 up true event 1/1]"
	if got != want {
		t.Errorf("read\n%s, want\n%s", got, want)
	}
}

func TestASlowReaderKeepsTheNewest(t *testing.T) {
	c := newClient(t, mqtt.Player)
	for seq := range uint64(queue + 10) {
		c.get(topics.Events(), false, mqtt.EventPayload{Head: head(1, seq+1), Event: ended})
	}
	got := c.read()
	if len(got) != queue || got[0] != "event 1/11" || got[queue-1] != fmt.Sprintf("event 1/%d", queue+10) {
		t.Errorf("%d messages, from %s to %s", len(got), got[0], got[len(got)-1])
	}
}

func TestNonsenseIsNoMessage(t *testing.T) {
	c := newClient(t, mqtt.Dealer)
	for _, topic := range []string{topics.Status(), topics.State(), topics.Events(), topics.Prompt("alice"), topics.CommandReply("alice")} {
		c.receive(mqtt.Message{Topic: topic, Payload: []byte("{")})
	}
	if got := c.read(); len(got) > 0 {
		t.Errorf("read %v", got)
	}
}

func TestAnAnswerFindsItsRequest(t *testing.T) {
	c := newClient(t, mqtt.Player)
	done := make(chan error, 1)
	go func() { done <- c.Act(t.Context(), mqtt.ActionPayload{Action: "fold"}) }()
	id := ""
	for deadline := time.Now().Add(time.Minute); id == "" && time.Now().Before(deadline); {
		c.mu.Lock()
		for waiting := range c.waiting {
			id = waiting
		}
		c.mu.Unlock()
	}
	end := c.table(t, 3)
	c.get(topics.Reply("alice"), false, mqtt.ReplyPayload{ID: id, OK: true}) // in the clear, so from anybody
	c.tell(end, topics.Reply("alice"), head(3, 1), mqtt.ReplyPayload{ID: "another", OK: true})
	c.tell(end, topics.Reply("alice"), head(3, 1), mqtt.ReplyPayload{ID: id, Code: "out_of_turn", Text: "not yours"})
	err := <-done
	if refused, ok := errors.AsType[*Refused](err); !ok || refused.Code != "out_of_turn" {
		t.Errorf("Act: %v", err)
	}
	if len(c.waiting) != 0 {
		t.Errorf("%d requests still wait", len(c.waiting))
	}
}

func TestRolesKeepToWhatIsTheirs(t *testing.T) {
	if err := newClient(t, mqtt.Player).Command(t.Context(), mqtt.CommandPayload{}); err == nil {
		t.Error("a player commanded")
	}
	if err := newClient(t, mqtt.Dealer).Act(t.Context(), mqtt.ActionPayload{}); err == nil {
		t.Error("a dealer acted")
	}
	if _, err := New(Options{URL: "tcp://127.0.0.1:1", Topics: topics, Role: mqtt.Auditor, User: "a"}); err == nil {
		t.Error("an auditor has a client to play with")
	}
	if c, err := New(Options{URL: "here", Topics: topics, Role: mqtt.Player, User: "a", Key: seal.NewKey()}); err == nil || c != nil {
		t.Errorf("an address that is none: client %v, error %v", c, err)
	}
}

// What is private is read when it is the table's and sealed to this login; anything else on the topic is passed over.
func TestOnlyWhatIsSealedIsRead(t *testing.T) {
	c := newClient(t, mqtt.Player)
	end := c.table(t, 3)
	hole := mqtt.HolePayload{Head: head(3, 9), Seat: 1}
	c.tell(end, topics.Hole("alice"), hole.Head, hole)
	c.tell(end, topics.Hole("alice"), head(3, 8), hole) // overtaken
	c.get(topics.Hole("alice"), false, hole)            // in the clear
	forger := seal.NewTable(seal.NewKey(), topics.Channel("alice"), 3)
	c.tell(forger, topics.Hole("alice"), hole.Head, hole)
	other := newClient(t, mqtt.Player).table(t, 3) // another device of alice's
	c.tell(other, topics.Hole("alice"), hole.Head, hole)
	c.tell(end, topics.Turn("alice"), hole.Head, mqtt.TurnPayload{})
	c.tell(end, topics.Offer("alice"), hole.Head, mqtt.OfferPayload{})
	if got := fmt.Sprint(c.read()); got != "[mqtt.HolePayload mqtt.TurnPayload mqtt.OfferPayload]" {
		t.Errorf("read %s", got)
	}
}

// The table answers a wrong key in the clear: the player is told.
func TestAWrongKeyIsTold(t *testing.T) {
	c := newClient(t, mqtt.Player)
	c.get(topics.Reply("alice"), false, mqtt.ReplyPayload{Code: mqtt.CodeNotSealed, Text: "no"})
	if got := fmt.Sprint(c.read()); got != "[up false]" {
		t.Errorf("read %s", got)
	}
	if _, err := New(Options{URL: "tcp://127.0.0.1:1", Topics: topics, Role: mqtt.Player, User: "alice"}); err == nil {
		t.Error("a player without a key")
	}
}

// Events that are missing are asked for, and what came after them is kept back; without an answer of a table that is there the
// reader goes on without them.
func TestMissedEventsAreAskedFor(t *testing.T) {
	c := newClient(t, mqtt.Player)
	end := c.table(t, 3)
	now := time.Now()
	status := func(state string) {
		c.get(topics.Status(), false, mqtt.StatusPayload{V: 1, State: state, Epoch: 3})
		c.read()
	}
	status(mqtt.StateOnline)
	resyncs := c.link.Health().Waiting
	asked := func() int { return c.link.Health().Waiting - resyncs }
	looks := func(n int) {
		for range n {
			now = now.Add(look)
			c.chase(now)
		}
	}
	event := func(seq uint64) mqtt.EventPayload { return mqtt.EventPayload{Head: head(3, seq), Event: ended} }
	c.get(topics.Events(), false, event(7))
	looks(8)
	if asked() != 0 {
		t.Fatal("asked for nothing that is missing")
	}
	c.get(topics.Events(), false, event(12))
	c.get(topics.Events(), false, event(10))
	c.get(topics.Events(), false, event(12))
	if got := fmt.Sprint(c.read()); got != "[event 3/7]" {
		t.Errorf("read %s", got)
	}
	looks(2)
	if asked() != 1 {
		t.Errorf("%d requests for what is missing", asked())
	}
	past := mqtt.PastPayload{Head: head(3, 12), Oldest: 1, Events: []mqtt.EventPayload{event(8), event(9)}}
	c.tell(end, topics.Past("alice"), past.Head, past)
	c.tell(end, topics.Past("alice"), past.Head, past) // the answer to the same request, sent again
	if got := fmt.Sprint(c.read()); got != "[event 3/8 event 3/9 event 3/10]" || asked() != 2 {
		t.Errorf("read %s after %d requests", got, asked())
	}
	status(mqtt.StateLost)
	looks(1000) // there is nobody to ask
	status(mqtt.StateOnline)
	resyncs++
	looks(200)
	if got := fmt.Sprint(c.read()); got != "[event 3/12]" || asked() != 2+tries {
		t.Errorf("read %s after %d requests", got, asked())
	}
	c.get(topics.State(), true, mqtt.StatePayload{Head: head(3, 20)}) // after an outage
	c.read()
	looks(2)
	gone := mqtt.PastPayload{Head: head(3, 20), Oldest: 19, Events: []mqtt.EventPayload{event(19), event(20)}}
	c.tell(end, topics.Past("alice"), gone.Head, gone)
	if got := fmt.Sprint(c.read()); got != "[event 3/19 event 3/20]" {
		t.Errorf("read %s where the rest is gone", got)
	}
}

// The answer to the last ping tells how late the table is; another one does not.
func TestTheRoundTripIsMeasured(t *testing.T) {
	c := newClient(t, mqtt.Player)
	end := c.table(t, 3)
	c.ping = ping{id: "p", at: time.Now().Add(-time.Second)}
	c.tell(end, topics.Pong("alice"), head(3, 0), mqtt.PongPayload{V: 1, ID: "another"})
	if got := c.RoundTrip(); got != 0 {
		t.Errorf("%v after another's answer", got)
	}
	c.tell(end, topics.Pong("alice"), head(3, 0), mqtt.PongPayload{V: 1, ID: "p"})
	if got := c.RoundTrip(); got < time.Second {
		t.Errorf("%v, want a second at least", got)
	}
}
