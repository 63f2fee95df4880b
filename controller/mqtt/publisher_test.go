package mqtt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/seating"
)

// sunk is a Sink that keeps what it gets, in order; what is sealed to one of its players, opened.
type sunk struct {
	t        *testing.T
	players  map[string]*seal.Player
	mu       sync.Mutex // for the tests in which a goroutine publishes
	messages []Message
	wire     []wired
}

// wired is a message of a run, with its topic.
type wired struct {
	topic string
	example
}

// keep adds a message, which was sent as sent.
func (s *sunk) keep(m Message, sent []byte) {
	s.messages = append(s.messages, m)
	s.wire = append(s.wire, wired{m.Topic, example{sent, m.Payload}})
}

func (s *sunk) Event(topic string, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(Message{Topic: topic, Payload: p}, p)
}

func (s *sunk) State(topic string, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(Message{Topic: topic, Payload: p, Retained: true}, p)
}

func (s *sunk) Send(topic string, p []byte) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := p
	for name, end := range s.players {
		if !Matches(testTopics.Seat(name), topic) {
			continue
		}
		var m seal.Message
		err := json.Unmarshal(p, &m)
		if err == nil {
			p, err = end.Open(path.Base(topic), m)
		}
		if err != nil {
			s.t.Fatalf("%s: %v: %s", topic, err, p)
		}
		p = bytes.TrimRight(p, " ")
	}
	s.keep(Message{Topic: topic, Payload: p}, sent)
}

// on gives the payloads on a topic since the last call of clear.
func (s *sunk) on(topic string) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m.Topic == topic {
			out = append(out, string(m.Payload))
		}
	}
	return out
}

func (s *sunk) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = nil
}

var testTopics = Topics{"st", "t1"}

// stage is a publisher and a table of three remote players whose updates it publishes.
type stage struct {
	t *testing.T
	*sunk
	pub     Publisher
	also    []controller.Output // that are told what pub is
	state   engine.State
	players []controller.Player
	seating seating.State
	turn    uint64
}

func newStage(t *testing.T) *stage {
	t.Helper()
	game, err := engine.GameNamed("holdem")
	if err != nil {
		t.Fatal(err)
	}
	house, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, sunk: &sunk{t: t, players: map[string]*seal.Player{}}, state: engine.State{Rules: &engine.Rules{
		Game: game, House: house, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2},
	}}}
	s.seating.Rules = &seating.Rules{}
	names, keys := []string{"alice", "bruno", "carla", "dora", "emma"}, map[string]seal.Key{}
	for _, name := range names {
		keys[name] = seal.NewKey()
	}
	s.pub = Publisher{Topics: testTopics, Title: "Table 1", Sink: s.sunk, Players: Seal(testTopics, 7, keys)}
	for _, name := range names {
		end := seal.NewPlayer(keys[name], testTopics.Channel(name))
		s.sunk.players[name] = end
		if h, err := s.pub.unseal(name, Pack(end.Seal(7, []byte(`{}`)))); err != nil || !h.came {
			t.Fatalf("%s logs in: %v", name, err)
		}
	}
	for i, name := range []string{"alice", "bruno", "carla"} {
		s.players = append(s.players, controller.Player{Seat: engine.Seat(i + 1), Player: name, Kind: controller.Remote})
		s.do(engine.Input{Kind: engine.SeatTaken, Seat: engine.Seat(i + 1), Amount: 200})
	}
	return s
}

// do applies an input and publishes what followed.
func (s *stage) do(in engine.Input) {
	s.t.Helper()
	after, events, err := engine.Apply(s.state, in)
	if err != nil {
		s.t.Fatal(err)
	}
	u := controller.Update{Time: time.UnixMilli(1000), Epoch: 7, Before: s.state, State: after, Events: events, Players: s.players, Seating: s.seating}
	for i, e := range events {
		if e.Kind == engine.TurnPassed {
			s.turn = s.state.Seq + uint64(i) + 1
		}
	}
	s.state, u.Turn = after, s.turn
	s.pub.Publish(&u)
	for _, o := range s.also {
		o.Publish(&u)
	}
}

// deal starts a hand and deals two cards each: 2c to seat 2, 2d to seat 3, 2h to seat 1 and so on.
func (s *stage) deal() {
	s.do(engine.Input{Kind: engine.HandStarted})
	for c := card.Card(1); s.state.Phase == engine.Dealing; c++ {
		s.do(engine.Input{Kind: engine.CardRead, Card: c})
	}
}

func TestHoleCardsGoToTheirOwnerAlone(t *testing.T) {
	s := newStage(t)
	s.deal()
	for _, m := range s.messages {
		for _, c := range card.French.Cards() {
			if !strings.Contains(string(m.Payload), fmt.Sprintf("%q", c)) {
				continue
			}
			for i := range s.state.Seats {
				if p := &s.state.Seats[i]; p.Dealt && (p.Hole[0] == c || p.Hole[1] == c) {
					if want := s.pub.Topics.Hole(s.players[i-1].Player); m.Topic != want || m.Retained {
						t.Errorf("%v of seat %d is on %s (retained %v): %s", c, i, m.Topic, m.Retained, m.Payload)
					}
				}
			}
		}
	}
	holes := s.on(s.pub.Topics.Hole("bruno"))
	if len(holes) != 2 || !strings.Contains(holes[1], `"cards":["2c","2s"]`) {
		t.Errorf("seat 2 was sent %q", holes)
	}
}

func TestEventsAreNumberedWithoutAGap(t *testing.T) {
	s := newStage(t)
	s.deal()
	next := uint64(1)
	for _, p := range s.on(s.pub.Topics.Events()) {
		var e EventPayload
		if err := json.Unmarshal([]byte(p), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq != next || e.Epoch != 7 || e.V != 1 {
			t.Fatalf("event %s, want number %d", p, next)
		}
		next++
	}
	if next-1 != s.state.Seq {
		t.Errorf("%d events published, the table had %d", next-1, s.state.Seq)
	}
}

func TestTheTurnIsToldToWhoseItIs(t *testing.T) {
	s := newStage(t)
	s.deal()
	turns := s.on(s.pub.Topics.Turn("alice"))
	if len(turns) != 1 || !strings.Contains(turns[0], fmt.Sprintf(`"turn":%d,"kind":"action","legal":{"to_call":2`, s.turn)) {
		t.Fatalf("seat 1 was told %q", turns)
	}
	if got := append(s.on(s.pub.Topics.Turn("bruno")), s.on(s.pub.Topics.Turn("carla"))...); len(got) > 0 {
		t.Errorf("others were told %q", got)
	}
}

func TestWhoAsksIsToldAgain(t *testing.T) {
	s := newStage(t)
	s.deal()
	again := func(u controller.Update) {
		s.clear()
		u.State, u.Before, u.Epoch, u.Players, u.Turn, u.Seating = s.state, s.state, 7, s.players, s.turn, s.seating
		s.pub.Publish(&u)
	}
	again(controller.Update{Resync: []controller.Source{{Player: "alice"}}})
	if len(s.on(s.pub.Topics.Hole("alice"))) != 1 || len(s.on(s.pub.Topics.Turn("alice"))) != 1 || len(s.on(s.pub.Topics.Hole("carla"))) != 0 {
		t.Errorf("after a resync of seat 1: %v", s.messages)
	}
	again(controller.Update{})
	if len(s.on(s.pub.Topics.Hole("alice"))) != 0 || len(s.on(s.pub.Topics.Turn("alice"))) != 0 {
		t.Errorf("an update that changes nothing for seat 1 told it: %v", s.messages)
	}
	again(controller.Update{Opened: true, Again: []controller.Past{{First: 4, Events: []engine.Event{{Kind: engine.HoleDealt, Seat: 1, Card: 9}}}}})
	if len(s.on(s.pub.Topics.Hole("carla"))) != 1 || len(s.on(s.pub.Topics.Turn("alice"))) != 1 {
		t.Errorf("at the start of a run: %v", s.messages)
	}
	if got := s.on(s.pub.Topics.Events()); len(got) != 1 || !strings.Contains(got[0], `"seq":4`) || !strings.Contains(got[0], `"??"`) {
		t.Errorf("the events before the run: %q", got)
	}
}

func TestRepliesFindWhoAsked(t *testing.T) {
	s := newStage(t)
	s.clear()
	s.pub.answer(Head{V: 1}, 1, &controller.Reply{To: controller.Source{Player: "alice"}, ID: "a", Code: "too_little", Text: "more"})
	s.pub.answer(Head{V: 1}, 1, &controller.Reply{To: controller.Source{Console: "d1"}, ID: "b", OK: true})
	s.pub.answer(Head{V: 1}, 1, &controller.Reply{To: controller.Source{Panel: 3}, OK: true})
	if len(s.messages) != 2 || s.messages[0].Topic != "tavolo/v1/st/t1/seat/alice/reply" || s.messages[1].Topic != "tavolo/v1/st/t1/dealer/d1/reply" {
		t.Errorf("%v", s.messages)
	}
}

func TestRequestsAreReadStrictly(t *testing.T) {
	player, console := Sender{Player, "alice"}, Sender{Dealer, "d1"}
	for _, tc := range []struct {
		from    Sender
		payload string
		err     string // part of the error, "" for none
	}{
		{player, `{"v":1,"id":"x","turn":5,"action":"raise","amount":30}`, ""},
		{player, `{"v":1,"id":"x","action":"resync"}`, ""},
		{console, `{"v":1,"id":"x","epoch":7,"cmd":"start_hand"}`, ""},
		{console, `{"v":1,"id":"x","cmd":"start_hand"}`, "epoch"},
		{console, `{"v":1,"id":"x","cmd":"resync"}`, ""},
		{console, `{"v":1,"id":"x","cmd":"events","first":3,"last":9}`, ""},
		{player, `{"v":1,"id":"x","action":"events","first":3,"last":9}`, ""},
		{player, `{"v":1,"id":"x","action":"events","first":-3,"last":9}`, "first"},
		{player, ``, "not what a request looks like"},
		{player, `[1]`, "not what a request looks like"},
		{player, `{"v":1,"id":"x","action":"stake","amount":10,"bonus":5,"seat":2}`, ""},
		{console, `{"v":1,"id":"x","epoch":7,"cmd":"stake","amount":10,"bonus":5,"seat":2}`, ""},
		{console, `{"v":1,"id":"x","cmd":"show","turn":5}`, `"turn"`},
		{player, `{"v":1,"id":"x","action":"resync"} {}`, "follows its end"},
		{player, `{"v":1,"id":"x","action":"raise","amount":"30"}`, "amount"},
		{player, `{"v":1,"id":"x","action":"raise","amount":1e99}`, "amount"},
		{player, `{"v":1,"id":"x","action":"raise","amount":2.5}`, "amount"},
		{player, `{"v":2,"id":"x","action":"fold"}`, "version"},
		{player, `{"v":1,"action":"fold"}`, "id"},
		{player, `{"v":1,"id":"` + strings.Repeat("x", 65) + `","action":"fold"}`, "longer than 64"},
		{player, `{"v":1,"id":"x","action":"start_hand"}`, "nothing that can be asked"},
		{player, `{"v":1,"id":"x","action":"check_call"}`, "nothing that can be asked"},
		{console, `{"v":1,"id":"x","epoch":7,"cmd":"fold"}`, "nothing that can be asked"},
	} {
		r, err := ParseRequest(tc.from, []byte(tc.payload))
		switch {
		case tc.err == "" && err != nil:
			t.Errorf("%s: %v", tc.payload, err)
		case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%s: error %v, want one about %q", tc.payload, err, tc.err)
		case len(r.ID) > maxID:
			t.Errorf("%s: an id of %d characters came through", tc.payload, len(r.ID))
		}
		if r.From.Player != "alice" && r.From.Console != "d1" {
			t.Errorf("%s: from %+v", tc.payload, r.From)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":"x","turn":5,"action":"raise","amount":30}`), true)
	f.Add([]byte(`{"v":1,"id":"x","epoch":7,"cmd":"choose","prompt":3,"choice":"void"}`), false)
	f.Fuzz(func(t *testing.T, payload []byte, player bool) {
		from := Sender{Dealer, "d1"}
		if player {
			from = Sender{Player, "alice"}
		}
		r, err := ParseRequest(from, payload)
		if err == nil && (r.ID == "" || r.Verb == "") {
			t.Errorf("%q was taken as %+v", payload, r)
		}
	})
}

func TestSeatsAreOffered(t *testing.T) {
	s := newStage(t)
	s.seating.Rules = &seating.Rules{Open: engine.Seats(0).With(4).With(5), MinBuyIn: 20, MaxBuyIn: 200}
	s.seating.Seats[4].Taken = true
	s.seating.List = []seating.Waiting{{Player: "dora", Until: 61000}, {Player: "emma"}}
	s.players = append(s.players, controller.Player{Seat: 4, Kind: controller.Remote}, controller.Player{Seat: 5, Kind: controller.Remote})
	publish := func(u controller.Update) (dora, emma []string) {
		s.clear()
		u.State, u.Before, u.Epoch, u.Players, u.Seating = s.state, s.state, 7, s.players, s.seating
		s.pub.Publish(&u)
		return s.on(s.pub.Topics.Offer("dora")), s.on(s.pub.Topics.Offer("emma"))
	}
	want := `{"v":1,"epoch":7,"seq":3,"free":[5],"until":61000}`
	dora, emma := publish(controller.Update{Changes: []seating.Event{{Kind: seating.SeatOffered, Player: "dora", At: 61000}}})
	if len(dora) != 1 || dora[0] != want || len(emma) > 0 {
		t.Errorf("dora is told %q, want %s; emma %q", dora, want, emma)
	}
	state := s.on(s.pub.Topics.State())[0]
	if want := `"seating":{"free":[5],"min_buy_in":20,"max_buy_in":200,"waiting":2}`; !strings.Contains(state, want) {
		t.Errorf("everybody is told %s, want %s", state, want)
	}
	if dora, _ := publish(controller.Update{}); len(dora) > 0 {
		t.Errorf("told again: %q", dora)
	}
	both := []controller.Source{{Player: "dora"}, {Player: "emma"}}
	if dora, emma := publish(controller.Update{Resync: both}); len(dora) != 1 || len(emma) > 0 {
		t.Errorf("on asking dora is told %q, emma %q", dora, emma)
	}
}

// Who plays behind a box is told how he stands, and nobody else is; everybody sees what lies there in all (BP-09).
func TestStakesBehindBoxes(t *testing.T) {
	s := newStage(t)
	dora, emma := bonus.Stake{Ante: 10, Bonus: 5}, bonus.Stake{Ante: 2}
	rail := bonus.Rail{Open: []bonus.Behind{{Player: "dora", Box: 1, Stake: dora}, {Player: "emma", Box: 1, Stake: emma}, {Player: "emma", Box: 3, Stake: emma}}}
	publish := func(u controller.Update) (dora, emma []string) {
		s.clear()
		u.State, u.Before, u.Epoch, u.Players, u.Seating = s.state, s.state, 7, s.players, s.seating
		s.pub.Publish(&u)
		return s.on(s.pub.Topics.Behind("dora")), s.on(s.pub.Topics.Behind("emma"))
	}
	told, other := publish(controller.Update{Rail: rail, Backers: []string{"dora"}})
	if want := `{"v":1,"epoch":7,"seq":3,"hand":0,"open":[{"seat":1,"ante":10,"bonus":5}],"in_play":[]}`; len(told) != 1 || told[0] != want || len(other) > 0 {
		t.Errorf("dora is told %q, want %s; emma %q", told, want, other)
	}
	if state, want := s.on(s.pub.Topics.State())[0], `"behind":[{"seat":1,"players":2,"ante":12,"bonus":5},{"seat":3,"players":1,"ante":2}]`; !strings.Contains(state, want) {
		t.Errorf("everybody is told %s, want %s", state, want)
	}
	if told, other := publish(controller.Update{Rail: rail}); len(told)+len(other) > 0 {
		t.Errorf("told again: %q, %q", told, other)
	}
	rail = rail.Deal(func(int) bool { return true }).Settle(func(int) (bonus.Line, bonus.Cards) { return bonus.Line{}, bonus.Cards{} })
	if told, other := publish(controller.Update{Rail: rail, Opened: true}); len(told) != 1 || len(other) != 1 ||
		!strings.Contains(told[0], `"settled":[{"seat":1,"ante":10,"bonus":5,"bets":{"ante":10,"bonus":5},"back":{"bonus":5}}]`) {
		t.Errorf("after a restart dora is told %q, emma %q", told, other)
	}
	if told, other := publish(controller.Update{Resync: []controller.Source{{Player: "emma"}, {Console: "d1"}}, Rail: rail}); len(told) > 0 || len(other) != 1 {
		t.Errorf("on asking dora is told %q, emma %q", told, other)
	}
}

func TestRequestsAboutSeats(t *testing.T) {
	for text, want := range map[string]controller.Request{
		`{"v":1,"id":"a","action":"sit","seat":4,"amount":100}`: {Verb: controller.VerbSit, Seat: 4, Amount: 100},
		`{"v":1,"id":"a","action":"move","seat":5}`:             {Verb: controller.VerbMove, Seat: 5},
		`{"v":1,"id":"a","action":"leave"}`:                     {Verb: controller.VerbLeave},
		`{"v":1,"id":"a","action":"top_up","amount":50}`:        {Verb: controller.VerbTopUp, Amount: 50},
		`{"v":1,"id":"a","action":"wait_blind"}`:                {Verb: controller.VerbWaitBlind},
		`{"v":1,"id":"a","action":"join_list"}`:                 {Verb: controller.VerbJoinList},
		`{"v":1,"id":"a","action":"leave_list"}`:                {Verb: controller.VerbLeaveList},

		`{"v":1,"id":"a","action":"stake","amount":10,"bonus":5,"seat":2}`: {Verb: controller.VerbStake, Seat: 2, Amount: 10, Bonus: 5},
		`{"v":1,"id":"a","action":"back","amount":10,"seat":3}`:            {Verb: controller.VerbBack, Seat: 3, Amount: 10},
	} {
		want.ID, want.From = "a", controller.Source{Player: "dora"}
		if got, err := ParseRequest(Sender{Role: Player, Name: "dora"}, []byte(text)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	text := `{"v":1,"id":"b","epoch":7,"cmd":"sit","seat":6,"amount":100,"player":"Ida"}`
	want := controller.Request{From: controller.Source{Console: "d1"}, ID: "b", Epoch: 7, Verb: controller.VerbSit, Seat: 6, Amount: 100, Player: "Ida"}
	if got, err := ParseRequest(Sender{Role: Dealer, Name: "d1"}, []byte(text)); err != nil || got != want {
		t.Errorf("%s: %+v, %v", text, got, err)
	}
	if _, err := ParseRequest(Sender{Role: Player, Name: "dora"}, []byte(`{"v":1,"id":"a","action":"add_chips","amount":50}`)); err == nil {
		t.Error("a player may add chips as the dealer does")
	}
}

// desk is an Asker that keeps what it is asked.
type desk struct {
	asked []controller.Request

	mu       sync.Mutex
	presence []string
}

func (d *desk) Presence(_ context.Context, player string, connected bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.presence = append(d.presence, fmt.Sprint(player, " ", connected))
}

// told is what the table was told of who is there.
func (d *desk) told() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Sprint(d.presence)
}

func (d *desk) Ask(_ context.Context, r controller.Request) { d.asked = append(d.asked, r) }

// What a player asks reaches the table only when it is sealed, by the player, for this run, and once. What is not is
// refused in the clear, without a word of it getting to the table; a replay is passed over.
func TestOnlySealedRequestsAreHeard(t *testing.T) {
	s := newStage(t)
	alice := s.sunk.players["alice"]
	fold := []byte(`{"v":1,"id":"f","epoch":7,"turn":5,"action":"fold"}`)
	good := Pack(alice.Seal(7, fold))
	messages := []Message{
		{Topic: testTopics.Action("alice"), Payload: good},
		{Topic: testTopics.Action("alice"), Payload: good},                      // again
		{Topic: testTopics.Action("alice"), Payload: fold},                      // in the clear
		{Topic: testTopics.Action("bruno"), Payload: Pack(alice.Seal(7, fold))}, // as somebody else
		{Topic: testTopics.Action("alice"), Payload: Pack(alice.Seal(6, fold))}, // for another run
		{Topic: testTopics.Action("zoe"), Payload: Pack(alice.Seal(7, fold))},   // of whom there is no key
		{Topic: testTopics.Action("alice"), Payload: Pack(alice.Seal(7, fold)), Retained: true},
		{Topic: testTopics.Action("alice"), Payload: Pack(GonePayload{V: 1, Gone: alice.Login()})}, // from anybody
		{Topic: testTopics.Action("alice"), Payload: farewell(alice)},
	}
	in := make(chan Message, len(messages))
	for _, m := range messages {
		in <- m
	}
	close(in)
	s.clear()
	delete(s.sunk.players, "alice") // what she is told from here on is not sealed to her
	delete(s.sunk.players, "bruno")
	d := &desk{}
	for m := range in {
		s.pub.hear(t.Context(), m, d, slog.New(slog.DiscardHandler))
	}
	if len(d.asked) != 1 || d.asked[0].Verb != controller.VerbFold || d.asked[0].Turn != 5 || d.asked[0].From.Player != "alice" {
		t.Errorf("the table is asked %+v", d.asked)
	}
	if got := d.told(); got != "[alice true alice false]" {
		t.Errorf("the table is told %s", got)
	}
	for name, want := range map[string]int{"alice": 1, "bruno": 1, "zoe": 1} {
		replies := s.on(testTopics.Reply(name))
		if len(replies) != want || !strings.Contains(replies[0], `"ok":false,"code":"not_sealed"`) ||
			strings.Contains(replies[0], `"login":"`+alice.Login()+`"`) != (name == "bruno") {
			t.Errorf("%s is told %q", name, replies)
		}
	}
	s.clear()
	s.pub.answer(Head{V: 1}, 1, &controller.Reply{To: controller.Source{Player: "alice"}, ID: "a", OK: true})
	if len(s.messages) != 0 {
		t.Errorf("who is gone is told %v", s.messages)
	}
}

// farewell is that of a connection, which begins.
func farewell(p *seal.Player) []byte {
	n, mac := p.Farewell()
	return Pack(GonePayload{V: 1, Gone: p.Login(), N: n, MAC: mac})
}

// Who changes network is there all along: what the broker says of the dead connection, when it finds out, is passed over. A
// login that is heard again after its farewell is told anew what is its own, whatever it asks.
func TestALateFarewellIsOfTheConnectionBefore(t *testing.T) {
	s := newStage(t)
	s.clear()
	alice, d := s.sunk.players["alice"], &desk{}
	hears := func(payload []byte) {
		s.pub.hear(t.Context(), Message{Topic: testTopics.Action("alice"), Payload: payload}, d, slog.New(slog.DiscardHandler))
	}
	pings := func() { hears(Pack(alice.Seal(7, []byte(`{"v":1,"id":"p","action":"ping"}`)))) }
	dead := farewell(alice)
	pings()
	here := farewell(alice)
	pings()
	hears(dead)
	if got := d.told(); got != "[alice true]" || len(d.asked) != 0 {
		t.Errorf("the table is told %s, asked %+v", got, d.asked)
	}
	hears(here)
	pings()
	if got := d.told(); got != "[alice true alice false alice true]" || len(d.asked) != 1 || d.asked[0].Verb != controller.VerbResync || d.asked[0].From.Player != "alice" {
		t.Errorf("the table is told %s, asked %+v", got, d.asked)
	}
	if got := s.on(testTopics.Reply("alice")); len(got) != 0 {
		t.Errorf("alice is told %q", got)
	}
}

// Who sends forged messages without end is told so once a second, and costs the table nothing else.
func TestForgedRequestsAreRefusedOnceASecond(t *testing.T) {
	s := newStage(t)
	s.clear()
	delete(s.sunk.players, "alice") // what she is told is not sealed to her
	d, at := &desk{}, time.UnixMilli(1000)
	for range 1000 {
		m := Message{Topic: testTopics.Action("alice"), Payload: []byte(`{"v":1,"id":"f","epoch":7,"turn":5,"action":"fold"}`), At: at}
		s.pub.hear(t.Context(), m, d, slog.New(slog.DiscardHandler))
		at = at.Add(messageEvery)
	}
	if replies := s.on(testTopics.Reply("alice")); len(replies) != 20 || len(s.messages) != 20 || len(d.asked) != 0 {
		t.Errorf("in 20 s %d replies, %d messages, the table asked %d times", len(replies), len(s.messages), len(d.asked))
	}
}

// A request that changes nothing is answered, and nobody else hears of it; who missed the state gets it.
func TestTheStateIsToldWhenItChanges(t *testing.T) {
	s := newStage(t)
	s.deal()
	publish := func(u controller.Update) int {
		s.clear()
		u.Time, u.State, u.Before, u.Epoch, u.Players, u.Turn, u.Seating = time.Now(), s.state, s.state, 7, s.players, s.turn, s.seating
		s.pub.Publish(&u)
		return len(s.on(testTopics.State()))
	}
	alice := controller.Source{Player: "alice"}
	if n := publish(controller.Update{Reply: &controller.Reply{To: alice, ID: "a", Code: "too_little"}}); n != 0 || len(s.on(testTopics.Reply("alice"))) != 1 {
		t.Errorf("a refusal: %d states, %v", n, s.messages)
	}
	if n := publish(controller.Update{Resync: []controller.Source{alice}}); n != 1 {
		t.Errorf("who asks for it is told %d states", n)
	}
	if n := publish(controller.Update{Holds: []string{"the broker"}}); n != 1 {
		t.Errorf("a hold: %d states", n)
	}
	if n := publish(controller.Update{}); n != 1 {
		t.Errorf("the end of a hold: %d states", n)
	}
}

// Who missed events is told them, a player with the cards that were the player's own, a console as the public.
func TestMissedEventsAreTold(t *testing.T) {
	s := newStage(t)
	s.clear()
	past := []controller.Past{
		{At: time.UnixMilli(500), Hand: 1, First: 4, Events: []engine.Event{{Kind: engine.HoleDealt, Seat: 1, Card: 9}}, Own: engine.Seats(0).With(1)},
		{At: time.UnixMilli(600), Hand: 1, First: 5, Events: []engine.Event{{Kind: engine.HoleDealt, Seat: 2, Card: 8}}, Own: engine.Seats(0).With(1)},
	}
	told := controller.Told{To: controller.Source{Player: "alice"}, ID: "m", Oldest: 2, Past: past}
	console := controller.Told{To: controller.Source{Console: "d1"}, ID: "n", Oldest: 2, Past: []controller.Past{{First: 4, Events: past[0].Events}}}
	s.pub.Publish(&controller.Update{State: s.state, Before: s.state, Epoch: 7, Players: s.players, Seating: s.seating, Told: []controller.Told{told, console}})
	if got := s.on(testTopics.Past("alice")); len(got) != 1 ||
		!strings.Contains(got[0], `"id":"m","oldest":2,"events":[{"v":1,"epoch":7,"seq":4,"hand":1,"time":500,"event":{"event":"hole_dealt","seat":1,"card":"4c"`) ||
		!strings.Contains(got[0], `"seq":5,"hand":1,"time":600,"event":{"event":"hole_dealt","seat":2,"card":"??"`) {
		t.Errorf("alice is told %q", got)
	}
	if got := s.on(testTopics.CommandPast("d1")); len(got) != 1 || !strings.Contains(got[0], `"seat":1,"card":"??"`) {
		t.Errorf("the console is told %q", got)
	}
}

// A player whose client pings is answered, and counts as cut off when it falls silent; one that never pinged is there until
// it says farewell.
func TestWhoFallsSilentIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.clear()
		in, d := make(chan Message), &desk{}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go s.pub.Serve(ctx, in, d, slog.New(slog.DiscardHandler))
		says := func(player, text string) {
			in <- Message{Topic: testTopics.Action(player), Payload: Pack(s.sunk.players[player].Seal(7, []byte(text)))}
			synctest.Wait()
		}
		says("alice", `{"v":1,"id":"p1","action":"ping"}`)
		says("bruno", `{"v":1,"id":"r1","action":"resync"}`)
		if got := s.on(testTopics.Pong("alice")); len(got) != 1 || !strings.Contains(got[0], `"id":"p1"`) || len(d.asked) != 1 {
			t.Errorf("alice is answered %q, the table asked %+v", got, d.asked)
		}
		time.Sleep(10 * time.Second)
		says("alice", `{"v":1,"id":"p2","action":"ping"}`)
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if got := d.told(); got != "[alice true bruno true]" {
			t.Errorf("the table is told %s", got)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		says("alice", `{"v":1,"id":"p3","action":"ping"}`)
		if got := d.told(); got != "[alice true bruno true alice false alice true]" {
			t.Errorf("the table is told %s", got)
		}
	})
}

// What a player has decided ahead is told to that player alone, when it changes.
func TestPlansAreToldToTheirOwnerAlone(t *testing.T) {
	s := newStage(t)
	s.deal()
	publish := func(u controller.Update) {
		s.clear()
		u.State, u.Before, u.Epoch, u.Players, u.Turn, u.Seating = s.state, s.state, 7, s.players, s.turn, s.seating
		s.pub.Publish(&u)
	}
	planned := controller.Update{}
	planned.Plans[2] = controller.Plan{Verb: controller.VerbPlanCheckFold}
	publish(planned)
	if got := s.on(testTopics.Plan("bruno")); len(got) != 1 || !strings.Contains(got[0], `"seat":2,"plan":"plan_check_fold"`) {
		t.Errorf("bruno is told %q", got)
	}
	for _, m := range s.messages {
		if m.Topic != testTopics.Plan("bruno") && strings.Contains(string(m.Payload), "plan_") {
			t.Errorf("on %s: %s", m.Topic, m.Payload)
		}
	}
	publish(planned)
	if got := s.on(testTopics.Plan("bruno")); len(got) != 0 {
		t.Errorf("told again: %q", got)
	}
	publish(controller.Update{})
	if got := s.on(testTopics.Plan("bruno")); len(got) != 1 || strings.Contains(got[0], "plan_") {
		t.Errorf("when it is void: %q", got)
	}
}

// A console says which place is to be read anew, or none for all of them (procedures 7).
func TestParseRescan(t *testing.T) {
	dealer := Sender{Role: Dealer, Name: "d1"}
	for zone, want := range map[string]engine.Zone{"": {}, `,"zone":"seat 3"`: {Kind: engine.ZoneSeat, Seat: 3}, `,"zone":"board"`: {Kind: engine.ZoneBoard}} {
		r, err := ParseRequest(dealer, []byte(`{"v":1,"id":"a","epoch":7,"cmd":"rescan"`+zone+`}`))
		if err != nil || r.Verb != controller.VerbRescan || r.Zone != want {
			t.Errorf("%s: %+v, %v, want %v", zone, r, err, want)
		}
	}
	r, err := ParseRequest(dealer, []byte(`{"v":1,"id":"a","epoch":7,"cmd":"rescan","zone":"seat 33"}`))
	if err == nil || r.ID != "a" || !strings.Contains(err.Error(), `unknown zone "seat 33"`) {
		t.Errorf("a place there is none of: %+v, %v", r, err)
	}
}
