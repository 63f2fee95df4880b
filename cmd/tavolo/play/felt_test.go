package play

import (
	"encoding/json"
	"path"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"go.uber.org/goleak"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/display/text"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/seating"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // screens tell the time of day
	goleak.VerifyTestMain(m)
}

var topics = mqtt.Topics{Studio: "riga", Table: "nine"}

// noon is when everything happens in the tests.
var noon = time.UnixMilli(1_800_000_000_000)

// once makes the words of a language the first time they are asked for: that takes some milliseconds.
var once = map[string]func() (*text.Words, error){
	"en": sync.OnceValues(func() (*text.Words, error) { return text.New("en") }),
	"it": sync.OnceValues(func() (*text.Words, error) { return text.New("it") }),
}

// words are those of a language that there must be.
func words(t testing.TB, language string) *text.Words {
	t.Helper()
	w, err := once[language]()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// felt is a table played by the engine. What the publisher makes of it is what hear gets, as the player's client would
// give it.
type felt struct {
	t       *testing.T
	pub     mqtt.Publisher
	state   engine.State
	players []controller.Player
	epoch   uint64
	turn    uint64
	now     time.Time
	clock   controller.Clock
	holds   []string
	plans   [engine.MaxSeats + 1]controller.Plan
	seating seating.State
	past    []mqtt.EventPayload // what the journal tells the one who looks
	me      string
	hear    func(msg any)
	end     *seal.Player // of me
}

// newFelt seats players with stacks of 200 at a table of Texas Hold'em 1/2; the first is the one who looks.
func newFelt(t *testing.T, hear func(msg any), names ...string) *felt {
	t.Helper()
	f := &felt{t: t, epoch: 3, now: noon, me: names[0], hear: hear, seating: seating.State{Rules: &seating.Rules{}}}
	f.play("holdem", engine.NoLimit, engine.Stakes{SmallBlind: 1, BigBlind: 2})
	f.pub = mqtt.Publisher{Topics: topics, Title: "Table 9", Sink: f}
	f.login()
	for i, name := range names {
		f.players = append(f.players, controller.Player{
			Seat: engine.Seat(i + 1), Player: name, Name: capital(name), Kind: controller.Remote, Bot: i == 2, Connected: i != 3,
		})
	}
	f.hear(client.Connected{Up: true})
	f.publish(f.state, nil)
	for i := range names {
		f.do(engine.Input{Kind: engine.SeatTaken, Seat: engine.Seat(i + 1), Amount: 200})
	}
	return f
}

// capital begins a name with one.
func capital(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// login has the one who looks known to a run of the table.
func (f *felt) login() {
	f.t.Helper()
	f.pub.Players = mqtt.Seal(topics, f.epoch, map[string]seal.Key{f.me: aliceKey})
	f.end = seal.NewPlayer(aliceKey, topics.Channel(f.me))
	if _, _, err := f.pub.Players[f.me].Open(f.end.Seal(f.epoch, nil)); err != nil {
		f.t.Fatal(err)
	}
}

// play sets the rules.
func (f *felt) play(game string, limit engine.Limit, stakes engine.Stakes) {
	f.t.Helper()
	g, err := engine.GameNamed(game)
	if err != nil {
		f.t.Fatal(err)
	}
	h, err := engine.HouseNamed("tda")
	if err != nil {
		f.t.Fatal(err)
	}
	f.state.Rules = &engine.Rules{Game: g, House: h, Limit: limit, Stakes: stakes}
}

// do applies an input and publishes what followed, with a fresh clock of 20 s where one runs.
func (f *felt) do(in engine.Input) {
	f.t.Helper()
	before := f.state
	after, events, err := engine.Apply(f.state, in)
	if err != nil {
		f.t.Fatal(err)
	}
	for i, e := range events {
		seq := before.Seq + uint64(i) + 1
		if e.Kind == engine.TurnPassed {
			f.turn = seq
		}
		f.past = append(f.past, mqtt.EventPayload{
			Head: mqtt.Head{V: mqtt.Version, Epoch: f.epoch, Seq: seq}, Hand: after.Hand, Time: f.now.UnixMilli(), Event: engine.Redact(e, engine.Viewer{Seat: 1}),
		})
	}
	f.state, f.clock = after, controller.Clock{}
	if seat := f.state.Awaits().Asked(); seat != 0 {
		f.clock = controller.Clock{Seat: seat, Total: 20 * time.Second, Deadline: f.now.Add(20 * time.Second)}
	}
	f.publish(before, events)
}

func (f *felt) publish(before engine.State, events []engine.Event) {
	f.pub.Publish(&controller.Update{
		Time: f.now, Epoch: f.epoch, Before: before, State: f.state, Events: events, Turn: f.turn, Players: f.players,
		Clock: f.clock, Holds: f.holds, Plans: f.plans, Seating: f.seating,
	})
}

// deal starts a hand if none is on, and deals cards in the order they come from the shoe, a burn for each ??.
func (f *felt) deal(cards string) {
	f.t.Helper()
	if f.state.Phase == engine.Between {
		f.do(engine.Input{Kind: engine.HandStarted})
	}
	for _, c := range card.MustParse(cards) {
		f.do(engine.Input{Kind: engine.CardRead, Card: c})
	}
}

// act lets the seat whose turn it is act.
func (f *felt) act(a engine.Action, to engine.Chips) {
	f.t.Helper()
	f.do(engine.Input{Kind: engine.Acted, Seat: f.state.Turn, Action: a, Amount: to})
}

// acts lets seats check, call or fold, a letter each.
func (f *felt) acts(letters string) {
	f.t.Helper()
	for _, l := range letters {
		f.act(map[rune]engine.Action{'k': engine.Check, 'c': engine.Call, 'f': engine.Fold, 'a': engine.AllIn}[l], 0)
	}
}

// Event, State and Send are the publisher's sink.
func (f *felt) Event(_ string, p []byte) { tell[mqtt.EventPayload](f, p) }

func (f *felt) State(topic string, p []byte) {
	if topic == topics.State() {
		tell[mqtt.StatePayload](f, p)
	}
}

func (f *felt) Send(topic string, p []byte) {
	f.t.Helper()
	var m seal.Message
	if err := json.Unmarshal(p, &m); err != nil {
		f.t.Fatal(err)
	}
	p, err := f.end.Open(path.Base(topic), m)
	if err != nil {
		f.t.Fatal(err)
	}
	switch topic {
	case topics.Hole(f.me):
		tell[mqtt.HolePayload](f, p)
	case topics.Turn(f.me):
		tell[mqtt.TurnPayload](f, p)
	case topics.Plan(f.me):
		tell[mqtt.PlanPayload](f, p)
	case topics.Offer(f.me):
		tell[mqtt.OfferPayload](f, p)
	case topics.Behind(f.me):
		tell[mqtt.BehindPayload](f, p)
	}
}

func tell[T any](f *felt, payload []byte) {
	f.t.Helper()
	var v T
	if err := json.Unmarshal(payload, &v); err != nil {
		f.t.Fatal(err)
	}
	f.hear(v)
}
