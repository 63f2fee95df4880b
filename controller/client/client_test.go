package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"testing"
	"time"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/card"
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
	c.receive(mqtt.Message{Topic: topic, Payload: mqtt.Pack(v), At: time.Now(), Retained: retained})
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
	for len(c.unread) > 0 {
		switch m := c.unread[0].(type) {
		case mqtt.EventPayload:
			out = append(out, fmt.Sprintf("event %d/%d", m.Epoch, m.Seq))
		case mqtt.StatePayload:
			out = append(out, fmt.Sprintf("state %d/%d", m.Epoch, m.Seq))
		case Connected:
			out = append(out, fmt.Sprintf("up %v", m.Up))
		case Missed:
			out = append(out, fmt.Sprintf("missed %d to %d", m.First, m.Last))
		default:
			out = append(out, fmt.Sprintf("%T", m))
		}
		c.handed()
	}
	return out
}

var ended = engine.Event{Kind: engine.HandEnded}

func head(epoch, seq uint64) mqtt.Head { return mqtt.Head{V: 1, Epoch: epoch, Seq: seq} }

func TestEveryEventIsReadOnceAndNoStateGoesBack(t *testing.T) {
	c := newClient(t, mqtt.Player)
	var got []string
	read := func() { got = append(got, c.read()...) }
	event := func(epoch, seq uint64) {
		c.get(topics.Events(), false, mqtt.EventPayload{Head: head(epoch, seq), Event: ended})
		read()
	}
	state := func(epoch, seq uint64, retained bool) {
		c.get(topics.State(), retained, mqtt.StatePayload{Head: head(epoch, seq), View: engine.View{Seq: seq}})
		read()
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
	c.get(topics.Status(), true, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 2}) // a broker was restored
	event(4, 8)                                                                               // the table has started again, and tells what may have been missed
	event(4, 9)
	state(4, 9, false)
	state(4, 9, false)                                                                         // the clock may have changed
	c.get(topics.Status(), false, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 1}) // with another journal
	state(1, 1, false)
	event(1, 1)
	event(1, 2)
	want := "[up true event 3/7 state 3/7 event 3/8 event 4/9 state 4/9 state 4/9 up true state 1/1 event 1/2]"
	if got := fmt.Sprint(got); got != want {
		t.Errorf("read\n%s, want\n%s", got, want)
	}
}

// For a slow reader the events wait, as many as there is room for, and the newest of everything else.
func TestASlowReaderKeepsTheNewest(t *testing.T) {
	c := newClient(t, mqtt.Player)
	end := c.table(t, 1)
	for seq := range uint64(queue + 10) {
		c.get(topics.Events(), false, mqtt.EventPayload{Head: head(1, seq+1), Event: ended})
		c.get(topics.State(), false, mqtt.StatePayload{Head: head(1, seq+1)})
		c.tell(end, topics.Turn("alice"), head(1, seq+1), mqtt.TurnPayload{Head: head(1, seq+1)})
		for seat := range engine.Seat(2) {
			c.tell(end, topics.Hole("alice"), head(1, seq+1), mqtt.HolePayload{Head: head(1, seq+1), Seat: seat + 1})
		}
	}
	got := c.read()
	want := fmt.Sprintf("[event 1/%d state 1/%d mqtt.TurnPayload mqtt.HolePayload mqtt.HolePayload]", queue, queue+10)
	if len(got) != queue+4 || got[0] != "event 1/1" || fmt.Sprint(got[queue-1:]) != want {
		t.Errorf("%d messages, from %s to %s", len(got), got[0], got[queue-1:])
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

// What anybody can make the table say of the player's key signs nobody out whom the table has told anything, and not for good
// anybody else.
func TestARefusalOfAnotherIsNone(t *testing.T) {
	c := newClient(t, mqtt.Player)
	refuse := func(login string) {
		c.get(topics.Reply("alice"), false, mqtt.ReplyPayload{Code: mqtt.CodeNotSealed, Text: "no", Login: login})
	}
	reads := func(want string) {
		t.Helper()
		if got := fmt.Sprint(c.read()); got != want {
			t.Errorf("read %s, want %s", got, want)
		}
	}
	hears := func(epoch uint64) {
		c.tell(c.table(t, epoch), topics.Turn("alice"), head(epoch, 1), mqtt.TurnPayload{})
	}
	c.get(topics.Status(), true, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 3})
	reads("[up true]")
	refuse("another device")
	reads("[]")
	refuse(c.end.Login())
	refuse("")
	reads("[up false]")
	hears(3)
	reads("[up true mqtt.TurnPayload]")
	refuse("")
	refuse(c.end.Login())
	reads("[]")
	c.get(topics.Status(), false, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 4}) // started with another key, maybe
	reads("[up true]")
	refuse("")
	reads("[up false]")
}

// playing is a table that plays on while a client catches up: it publishes, and answers who asks for events.
type playing struct {
	*Client
	t      *testing.T
	end    *seal.Table
	now    time.Time
	seq    uint64 // of the last event
	oldest uint64 // that can be told
	asked  []mqtt.ActionPayload
}

// plays has the client reach a table.
func plays(t *testing.T) *playing {
	c := newClient(t, mqtt.Player)
	p := &playing{Client: c, t: t, end: c.table(t, 3), now: time.Now(), oldest: 1}
	c.publish = func(_ string, payload []byte) {
		a := p.open(payload)
		if a.Action == controller.VerbEvents {
			p.asked = append(p.asked, a)
		}
	}
	p.status(mqtt.StateOnline)
	return p
}

func (p *playing) open(payload []byte) (a mqtt.ActionPayload) {
	p.t.Helper()
	var sealed seal.Request
	if err := json.Unmarshal(payload, &sealed); err != nil {
		p.t.Fatal(err)
	}
	request, _, err := p.end.Open(sealed)
	if err == nil {
		err = json.Unmarshal(request, &a)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *playing) status(state string) {
	p.get(topics.Status(), false, mqtt.StatusPayload{V: 1, State: state, Epoch: 3})
	p.read()
}

func (p *playing) event(seq uint64) { p.get(topics.Events(), false, p.payload(seq)) }

func (p *playing) payload(seq uint64) mqtt.EventPayload {
	return mqtt.EventPayload{Head: head(3, seq), Event: ended}
}

// goesOn has so many events happen, of which the client is told some.
func (p *playing) goesOn(n uint64, told bool) {
	for range n {
		if p.seq++; told {
			p.event(p.seq)
		}
	}
	if told {
		p.get(topics.State(), false, mqtt.StatePayload{Head: head(3, p.seq)})
	}
}

// answer answers the oldest question, if there is one.
func (p *playing) answer() {
	if len(p.asked) == 0 {
		return
	}
	a := p.asked[0]
	p.asked = p.asked[1:]
	out := mqtt.PastPayload{Head: head(3, p.seq), ID: a.ID, Oldest: p.oldest}
	for seq := max(a.First, p.oldest); seq <= a.Last && len(out.Events) < missed; seq++ {
		out.Events = append(out.Events, p.payload(seq))
	}
	p.tell(p.end, topics.Past("alice"), out.Head, out)
}

// passes has time pass, in looks.
func (p *playing) passes(d time.Duration) {
	for ; d > 0; d -= look {
		p.now = p.now.Add(look)
		p.chase(p.now)
	}
}

// Events that are missing are asked for, again and again, and what came after them is kept back.
func TestMissedEventsAreAskedFor(t *testing.T) {
	p := plays(t)
	p.event(7)
	p.passes(2 * time.Second)
	if len(p.asked) > 0 {
		t.Fatal("asked for nothing that is missing")
	}
	p.event(12)
	p.event(10)
	p.event(12)
	if got := fmt.Sprint(p.read()); got != "[event 3/7]" {
		t.Errorf("read %s", got)
	}
	p.passes(2 * look)
	if a := p.asked; len(a) != 1 || a[0].First != 8 || a[0].Last != 9 {
		t.Errorf("asked for what is missing by %+v", a)
	}
	p.asked = append(p.asked, p.asked...) // the answer comes twice
	p.answer()
	p.answer()
	if got := fmt.Sprint(p.read()); got != "[event 3/8 event 3/9 event 3/10]" {
		t.Errorf("read %s", got)
	}
	p.status(mqtt.StateLost)
	p.passes(time.Minute) // there is nobody to ask
	if len(p.asked) > 0 {
		t.Error("asked a table that is not there")
	}
	p.status(mqtt.StateOnline)
	p.passes(10 * time.Minute)
	if n := len(p.asked); n < 30 || n > 50 {
		t.Errorf("asked %d times in ten minutes", n)
	}
	if got := p.read(); len(got) > 0 {
		t.Errorf("read %s", got)
	}
	p.answer()
	if got := fmt.Sprint(p.read()); got != "[event 3/11 event 3/12]" {
		t.Errorf("read %s", got)
	}
}

// What the table no longer has is said to be missed.
func TestWhatIsGoneIsSaidToBe(t *testing.T) {
	p := plays(t)
	p.goesOn(5, true)
	p.read()
	p.goesOn(100, false)
	p.oldest = 90
	p.goesOn(1, true)
	p.passes(2 * look)
	p.answer()
	got := p.read()
	if want := "[state 3/106 missed 6 to 89 event 3/90]"; fmt.Sprint(got[:3]) != want || got[len(got)-1] != "event 3/106" || len(got) != 2+17 {
		t.Errorf("read %s, want %s and so on to event 106", got, want)
	}
}

// However much was missed, and however slowly the answers come and are read while the table plays on, each event is read once
// and in order.
func TestALongCutIsCaughtUpWith(t *testing.T) {
	for name, test := range map[string]struct {
		reads  int           // messages in a look
		answer time.Duration // how long one takes
	}{
		"at once": {1000, 0}, "read slowly": {40, 0}, "told slowly": {1000, 3 * time.Second}, "hardly told": {1000, 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plays(t)
			p.goesOn(3, true)
			p.read()
			p.goesOn(2000, false)
			read, most := uint64(3), 0
			reads := func(n int) {
				for ; n > 0 && len(p.unread) > 0; n-- {
					switch m := p.unread[0].(type) {
					case mqtt.EventPayload:
						if read++; m.Seq != read {
							t.Fatalf("read event %d, want %d", m.Seq, read)
						}
					case Missed:
						t.Fatalf("read %+v", m)
					}
					p.handed()
				}
			}
			var waited time.Duration
			for looks := 0; read < p.seq; looks++ {
				if looks == 20_000 {
					t.Fatalf("read %d events of %d", read, p.seq)
				}
				if p.seq < 3000 {
					p.goesOn(7, true)
				}
				p.passes(look)
				if waited += look; waited > test.answer {
					p.answer()
					p.asked, waited = nil, 0 // who is being told is not told twice
				}
				most = max(most, len(p.unread))
				reads(test.reads)
			}
			if most > queue+2*missed+1 {
				t.Errorf("%d messages waited", most)
			}
		})
	}
}

// A turn or cards that were lost on the way are noticed by the public state, and asked for, less and less often.
func TestWhatIsOnesOwnIsNotLost(t *testing.T) {
	c := newClient(t, mqtt.Player)
	end, now := c.table(t, 3), time.Now()
	resyncs := func(d time.Duration) (n int) {
		c.publish = func(_ string, payload []byte) { n++ }
		for ; d > 0; d -= look {
			now = now.Add(look)
			c.miss(now)
		}
		return n
	}
	state := mqtt.StatePayload{Head: head(3, 5), Players: []controller.Player{
		{Seat: 1, Player: "alice", Kind: controller.Remote}, {Seat: 2, Player: "bruno", Kind: controller.Remote},
	}}
	state.View = engine.View{Hand: 1, Phase: engine.Betting, Awaits: engine.AwaitView{Kind: engine.AwaitAction, Seat: 2}, Seats: []engine.SeatView{{Seat: 1}, {Seat: 2}}}
	told := func() { c.get(topics.State(), false, state) }
	cards := make([]card.Card, 2)
	hole := func() {
		c.tell(end, topics.Hole("alice"), state.Head, mqtt.HolePayload{Head: state.Head, Hand: 1, Seat: 1, Cards: cards})
	}
	turn := func() {
		c.tell(end, topics.Turn("alice"), state.Head, mqtt.TurnPayload{Head: state.Head, Hand: 1, Seat: 1, Kind: engine.AwaitAction})
	}
	lost := func(why string, mends func()) {
		t.Helper()
		told()
		if n := resyncs(time.Second); n != 0 {
			t.Errorf("%s: asked %d times at once", why, n)
		}
		if n := resyncs(time.Minute); n < 5 || n > 8 {
			t.Errorf("%s: asked %d times in a minute", why, n)
		}
		mends()
		if n := resyncs(time.Minute); n != 0 {
			t.Errorf("%s: asked %d times when it had come", why, n)
		}
	}
	c.get(topics.Status(), true, mqtt.StatusPayload{V: 1, State: mqtt.StateOnline, Epoch: 3})
	state.View.Seats[1].Cards = cards // another's
	told()
	if n := resyncs(time.Minute); n != 0 {
		t.Errorf("asked %d times for what is another's", n)
	}
	state.View.Seats[0].Cards = cards
	lost("cards", hole)
	state.Seq, state.View.Awaits.Seat = 6, 1
	lost("a turn", turn)
	state.Seq, state.View.Awaits.Seat = 7, 2
	told()
	state.Seq, state.View.Awaits.Seat = 8, 1
	lost("the next turn", turn)
	state.View.Awaits.Kind = engine.AwaitReveal
	state.Seq = 9
	told()
	c.get(topics.Status(), false, mqtt.StatusPayload{V: 1, State: mqtt.StateLost, Epoch: 3})
	if n := resyncs(time.Minute); n != 0 {
		t.Errorf("asked a table that is not there %d times", n)
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
