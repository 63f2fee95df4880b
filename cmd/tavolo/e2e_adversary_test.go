package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"tavolo/cmd/tavolo/load"
	"tavolo/controller"
	"tavolo/controller/broker/brokertest"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
)

// besieged are the users of brokers of other makers in a siege.
func besieged() []mqtt.Account {
	users := []mqtt.Account{{Name: "engine", Role: mqtt.Engine}, {Name: "dealer", Role: mqtt.Dealer}, {Name: "floor", Role: mqtt.Floor}}
	for _, name := range append(sitting, guest) {
		users = append(users, mqtt.Account{Name: name, Role: mqtt.Player})
	}
	return users
}

// adversary is the guest: a player with an account, a key and a seat of her own, at which she sits out, who has got hold of a
// recording of everything that the others ask for.
type adversary struct {
	r        *rig
	nodes    []string
	watch    *watcher
	recorded chan []byte // the requests of the others, as they were sent
	sent     atomic.Int64
}

// dial connects a user to a node of a broker, or gives nil where it does not let it in.
func (r *rig) dial(ctx context.Context, url, user, password, id string, heard func(paho.Message)) paho.Client {
	c := paho.NewClient(paho.NewClientOptions().AddBroker(url).SetClientID(id).SetUsername(user).SetPassword(password).
		SetProtocolVersion(4).SetAutoReconnect(false).SetWriteTimeout(time.Second).
		SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { heard(m) }))
	token := c.Connect()
	select {
	case <-token.Done():
	case <-ctx.Done():
	case <-time.After(patience):
		r.t.Errorf("%s: the broker does not answer", id)
	}
	if token.Error() != nil || !c.IsConnectionOpen() {
		return nil
	}
	return c
}

// besiege begins the attack. The tap is what records requests: the engine's own login, in place of a broken line.
func (r *rig) besiege(url, engineUser, enginePassword string) *adversary {
	r.t.Helper()
	a := &adversary{r: r, nodes: strings.Split(url, ","), recorded: make(chan []byte, 64)}
	at := r.cfg.Topics
	a.watch = r.join(url, guest, at.Status(), at.State())
	a.watch.await("the table is up", func(s *seen) bool { return s.status.State == mqtt.StateOnline && len(s.states) > 0 })
	tap := r.dial(r.t.Context(), a.nodes[0], engineUser, enginePassword, mqtt.ClientID(engineUser, "tap"), func(m paho.Message) {
		if strings.HasSuffix(m.Topic(), guest) {
			return
		}
		select {
		case a.recorded <- m.Payload():
		default:
		}
	})
	r.t.Cleanup(func() { tap.Disconnect(0) })
	if token := tap.Subscribe(at.Actions(), 0, nil); !token.WaitTimeout(patience) || token.Error() != nil {
		r.t.Fatal("no tap")
	}
	attack := func(how func(context.Context)) {
		background(r.t, func(ctx context.Context) error {
			ctx, tired := context.WithTimeout(ctx, time.Minute) // or a slow machine does nothing else
			defer tired()
			how(ctx)
			return nil
		})
	}
	for n := range flooders {
		attack(func(ctx context.Context) { a.flood(ctx, n) })
	}
	attack(a.impersonate)
	return a
}

// flooders are the connections over which she floods, at the nodes of a cluster in turn.
const flooders = 2

// flood publishes everything everywhere: with two of it some 2,000 messages a second, as many as a line of 10 Mbit/s carries,
// which leaves the machine that runs it, the broker and the table to be measured.
func (a *adversary) flood(ctx context.Context, n int) {
	c := a.r.dial(ctx, a.nodes[n%len(a.nodes)], guest, demoPassword, mqtt.ClientID(guest, fmt.Sprint("flood-", n)), func(paho.Message) {})
	if c == nil {
		return
	}
	defer c.Disconnect(0)
	say := func(topic string, payload []byte, retained bool) {
		token := c.Publish(topic, 0, retained, payload)
		select {
		case <-token.Done():
		case <-ctx.Done():
		}
		a.sent.Add(1)
	}
	at, key := a.r.cfg.Topics, a.r.cfg.Keys[guest]
	own := seal.NewPlayer(key, at.Channel(guest))
	var last []byte // a request of another player
	pace := time.NewTicker(100 * time.Millisecond)
	defer pace.Stop()
	for i := uint64(0); ctx.Err() == nil && c.IsConnectionOpen(); i++ {
		<-pace.C
		select {
		case last = <-a.recorded:
		default:
		}
		var epoch, seq uint64
		a.watch.look(func(s *seen) { epoch, seq = s.status.Epoch, s.state().Seq })
		victim := sitting[i%uint64(len(sitting))]
		seat := i%uint64(len(sitting)) + 1
		// What she may say: in her own name, sealed with her own key, about others' seats, cards and turns.
		for _, text := range []string{
			`"action":"fold","seat":%d`, `"action":"all-in","seat":%d`, `"action":"show","seat":%d`, `"action":"sit_out","seat":%d`,
			`"action":"leave","seat":%d`, `"action":"top_up","amount":100,"seat":%d`, `"action":"move","seat":%d`,
			`"action":"start_hand","seat":%d`, `"action":"events","first":1,"last":%d00000`, `"action":"resync","seat":%d`,
			`"action":"plan_call_any","hand":1,"seat":%d`, `"action":"back","amount":1,"seat":%d`, `"action":"ping","seat":%d`,
		} {
			request := fmt.Appendf(nil, `{"v":1,"id":"x%d","epoch":%d,"turn":%d,`+text+`}`, i, epoch, seq-i%3, seat)
			sealed := mqtt.Pack(own.Seal(epoch, request))
			say(at.Action(guest), sealed, false)
			say(at.Action(guest), sealed, true) // the same again, and to be kept
			say(at.Action(victim), sealed, false)
			say(at.Action(guest), mqtt.Pack(seal.NewPlayer(key, at.Channel(victim)).Seal(epoch, request)), false)
			say(at.Action(victim), mqtt.Pack(seal.NewPlayer(key, at.Channel(victim)).Seal(epoch, request)), false)
			say(at.Action(victim), request, false)
			say(at.Action(guest), request, false)
		}
		// What others said.
		for _, who := range append(sitting, guest, "nobody") {
			say(at.Action(who), last, false)
		}
		// What the table, the dealer and the broker say.
		command := fmt.Appendf(nil, `{"v":1,"id":"c%d","epoch":%d,"cmd":"void_hand","reason":"she says so"}`, i, epoch)
		for _, topic := range []string{at.Command("dealer"), at.Command(guest), at.Command("floor")} {
			say(topic, command, false)
		}
		head := fmt.Sprintf(`{"v":1,"epoch":%d,"seq":%d,"hand":1`, epoch, seq+1)
		for topic, text := range map[string]string{
			at.Status():             fmt.Sprintf(`{"v":1,"state":"stopped","epoch":%d}`, epoch+1),
			at.State():              head + `,"view":{"seq":7}}`,
			at.Events():             head + `,"event":{"event":"hand_ended"}}`,
			at.Hole(victim):         head + `}`,
			at.Turn(victim):         head + `}`,
			at.Reply(victim):        head + `,"ok":false,"code":"not_sealed"}`,
			at.Prompt("dealer"):     head + `}`,
			at.Action(victim):       `{"v":1,"gone":"0123456789abcdef","n":16777216,"mac":"AAAA"}`,
			at.Action(guest):        strings.Repeat("[", 60000),
			at.Status() + "/more":   "x",
			"tavolo/v1/demo/t2/act": "x",
		} {
			say(topic, []byte(text), topic != at.Action(guest) && i%2 == 0)
		}
	}
}

// impersonate logs in with others' names, and with others' client IDs in her own name, again and again.
func (a *adversary) impersonate(ctx context.Context) {
	at := a.r.cfg.Topics
	ids := []string{"engine:" + at.Studio + "-" + at.Table, "engine", "floor:test", "dealer"}
	for _, name := range sitting {
		ids = append(ids, name, name+":sim")
	}
	for ctx.Err() == nil {
		for _, id := range ids {
			user, _, _ := strings.Cut(id, ":")
			if c := a.r.dial(ctx, a.nodes[0], user, "guess", id, func(paho.Message) {}); c != nil {
				a.r.t.Errorf("she is in as %s", user)
			}
			if c := a.r.dial(ctx, a.nodes[0], guest, demoPassword, id, func(paho.Message) {}); c != nil {
				c.Disconnect(0)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// toll is what the table has to do for whom. It is a controller.Output.
type toll struct {
	link        *mqtt.Link
	hers, other atomic.Int64 // requests that it answered
	waiting     atomic.Int64 // the most messages that waited for the broker
}

// Publish counts an update.
func (k *toll) Publish(u *controller.Update) {
	k.waiting.Store(max(k.waiting.Load(), int64(k.link.Health().Waiting)))
	switch {
	case u.Reply == nil:
	case u.Reply.To.Player == guest:
		k.hers.Add(1)
	default:
		k.other.Add(1)
	}
}

// bearable holds the toll against what a table promises, whatever she sends and however fast or slow the machine is: it hears
// 50 messages a second of a player after 100 at once (101 with the one that is due), so many again when it listens to her once
// more after 10 s or connects anew; and no queue was ever so full that anything was lost for anybody.
func (k *toll) bearable(t testing.TB, took time.Duration) {
	t.Helper()
	h := k.link.Health()
	bursts := 1 + int64(took/(10*time.Second)) + int64(h.Disconnected)
	if most := 101*bursts + int64(took/(20*time.Millisecond)); k.hers.Load() > most {
		t.Errorf("the table answered %d requests of hers in %v, at its pace there are %d at most", k.hers.Load(), took, most)
	}
	if h.LostEvents+h.LostSends+h.LostStates+h.Unread > 0 || k.waiting.Load() > mqtt.MaxEvents+mqtt.MaxSends+mqtt.MaxStates {
		t.Errorf("a queue was full: at most %d messages waited, the link %+v", k.waiting.Load(), h)
	}
}

// siege is what came of some hands.
type siege struct {
	played      journalled
	answers     []time.Duration
	sent        int64
	hers, other int64 // requests that the table answered
	took        time.Duration
}

// run has four players play some hands over a broker, "" for that of the daemon, with an adversary or, at a table of another
// name, without.
func (s *siege) run(t testing.TB, hands uint64, beset bool, url string) {
	begun, elsewhere := time.Now(), url != ""
	var edits []func(string) string
	if elsewhere {
		edits = append(edits, external(t, url))
	}
	if !beset {
		edits = append(edits, func(text string) string { return strings.Replace(text, `name = "t1"`, `name = "t0"`, 1) })
	}
	r := virtual(t, edits...)
	dealer, toll := load.NewDealer("dealer", 200), &toll{}
	d := r.daemon(func(d *daemon) {
		toll.link = d.link
		d.outputs = append(d.outputs, dealer, toll)
	})
	user, password := "engine", brokertest.Password
	if !elsewhere {
		url = d.brokerURL()
		user, password = d.broker.EngineLogin()
	}
	var people []*sitter
	for _, name := range sitting {
		people = append(people, r.sits(url, name))
	}
	var she *adversary
	var spy *snoop
	if beset {
		spy = r.spy(strings.Split(url, ",")[0], guest)
		she = r.besiege(url, user, password)
		eventually(t, "she is at it", func() bool { return she.sent.Load() >= 1000 })
	}
	began := time.Now()
	select {
	case <-r.deals(d, dealer, func(dealt uint64) bool { return dealt < hands }):
	case <-time.After(3 * patience):
		t.Fatalf("the hands do not end; the link of the table: %+v", d.link.Health())
	}
	s.took = time.Since(began)
	s.played = r.read(r.cfg.Journal)
	ended := uint64(0)
	for _, e := range s.played.events {
		if e.Kind == engine.HandEnded {
			ended++
		}
	}
	if ended != hands {
		t.Errorf("%d hands ended, want %d", ended, hands)
	}
	for _, p := range people {
		p.endsLike(&s.played)
		p.mu.Lock()
		if len(p.refused) > 0 || len(p.answers) == 0 {
			t.Errorf("%s had %d requests done, and refused as %q", p.name, len(p.answers), p.refused)
		}
		p.mu.Unlock()
		s.answers = append(s.answers, p.took()...)
	}
	s.hers, s.other = toll.hers.Load(), toll.other.Load()
	toll.bearable(t, time.Since(begun))
	if beset {
		s.sent = she.sent.Load()
		r.discreet(int(hands), spy)
	}
}

// sieges are the brokers at which one is laid, and how many hands are played there. Each gives the URLs of its nodes.
var sieges = []struct {
	name  string
	hands uint64
	start func(testing.TB) string
}{
	{"embedded", 6, func(testing.TB) string { return "" }},
	{"mosquitto", 6, func(t testing.TB) string { return urlsOf(brokertest.Mosquitto(t, mqtt.Topics{}, besieged())) }},
	{"nats", 3, func(t testing.TB) string { return urlsOf(brokertest.NATS(t, 1, mqtt.Topics{}, besieged())) }},
	{"cluster", 2, func(t testing.TB) string { return urlsOf(brokertest.NATS(t, 3, mqtt.Topics{}, besieged())) }},
}

func urlsOf(b *brokertest.Broker) string { return strings.Join(b.URLs, ",") }

// A player with an account subscribes to everything, publishes everywhere, replays what others asked for, floods and
// impersonates. She gets no card that is not hers to see and nothing that is sealed to another; the hands, to the last event,
// are those that are played without her; everybody else is answered, and the table does no more for her than it does for a
// player at her pace.
func TestAdversary(t *testing.T) {
	for _, at := range sieges {
		t.Run(at.name, func(t *testing.T) {
			url := at.start(t)
			var without, with siege
			t.Run("without", func(t *testing.T) { without.run(t, at.hands, false, url) })
			t.Run("with", func(t *testing.T) { with.run(t, at.hands, true, url) })
			if t.Failed() {
				return
			}
			t.Logf("without her: %s; with %.0f messages a second of hers, of which the table answered %d beside %d of the others: %s",
				figures(without.answers), float64(with.sent)/with.took.Seconds(), with.hers, with.other, figures(with.answers))
			if !reflect.DeepEqual(with.played.events, without.played.events) {
				t.Errorf("%d events with her, %d without, and not the same", len(with.played.events), len(without.played.events))
			}
			end := func(s *siege) engine.State { return s.played.at(uint64(len(s.played.events))) }
			if a, b := end(&with), end(&without); string(mqtt.Pack(a)) != string(mqtt.Pack(b)) {
				t.Errorf("the table ends as\n%s\nwith her, and without as\n%s", mqtt.Pack(a), mqtt.Pack(b))
			}
		})
	}
}

// BenchmarkAdversary measures how much later the others are answered for her, at each kind of broker: 60 hands without her and
// with her give some 900 answers each. Run it with -benchtime 1x.
func BenchmarkAdversary(b *testing.B) {
	const hands = 60
	for _, at := range sieges {
		for _, beset := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/beset=%v", at.name, beset), func(b *testing.B) {
				url := at.start(b)
				var s siege
				var answers []time.Duration
				for b.Loop() {
					s.run(b, hands, beset, url)
					answers = append(answers, s.answers...)
				}
				percentiles(b, "answer", answers)
				b.ReportMetric(float64(s.sent)/s.took.Seconds(), "hers/s")
				b.ReportMetric(float64(s.hers)/float64(s.other), "hers-answered/others")
			})
		}
	}
}

// A player who sends at NATS as much as there is room for, over connections that nginx reads as it is told to, does not keep
// the others from playing: what she sends waits at her own end.
func TestFloodBehindAFront(t *testing.T) {
	b := brokertest.NATS(t, 1, mqtt.Topics{}, besieged())
	front := b.Front()
	r := virtual(t, external(t, b.URLs[0]))
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	var people []*sitter
	for _, name := range sitting {
		people = append(people, r.sits(front, name))
	}
	for _, s := range people {
		s.await("the table is reached", func(s *sitter) bool { return s.state.Epoch > 0 })
	}
	var sent atomic.Int64
	for range 2 {
		background(t, func(ctx context.Context) error {
			c := r.dial(ctx, front, guest, demoPassword, mqtt.NewClientID(guest), func(paho.Message) {})
			if c == nil {
				return nil
			}
			defer c.Disconnect(0)
			for ctx.Err() == nil && c.IsConnectionOpen() {
				select {
				case <-c.Publish(r.cfg.Topics.Action(guest), 0, false, make([]byte, 300)).Done():
					sent.Add(1)
				case <-ctx.Done():
				}
			}
			return nil
		})
	}
	begun := time.Now()
	select {
	case <-r.deals(d, dealer, func(dealt uint64) bool { return dealt < 4 }):
	case <-time.After(patience):
		t.Fatalf("the hands do not end; the link of the table: %+v", d.link.Health())
	}
	played := r.read(r.cfg.Journal)
	var answers []time.Duration
	for _, s := range people {
		s.endsLike(&played)
		answers = append(answers, s.took()...)
	}
	t.Logf("4 hands in %v, while she sent %d messages: %s", time.Since(begun), sent.Load(), figures(answers))
}
