package broker_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
	"go.uber.org/goleak"

	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	password = "password"
	// pwHash is the hash of password, with few rounds.
	pwHash = "$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ"
	// patience ends a test that waits for what does not come.
	patience = time.Minute
)

var (
	nine  = mqtt.Topics{Studio: "riga", Table: "nine"}
	users = []broker.User{
		{Name: "alice", Role: mqtt.Player, Hash: pwHash},
		{Name: "bob", Role: mqtt.Player, Hash: pwHash},
		{Name: "box", Role: mqtt.Dealer, Hash: pwHash},
		{Name: "chief", Role: mqtt.Floor, Hash: pwHash},
		{Name: "fan", Role: mqtt.Spectator, Hash: pwHash},
		{Name: "late", Role: mqtt.Delayed, Hash: pwHash},
		{Name: "audit", Role: mqtt.Auditor, Hash: pwHash},
	}
)

// start runs a broker until the test ends.
func start(t *testing.T, opt broker.Options) *broker.Broker {
	t.Helper()
	if opt.Users == nil {
		opt.Users = users
	}
	b, err := broker.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- b.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return b
}

func listen(t *testing.T) *broker.Broker {
	return start(t, broker.Options{Address: "127.0.0.1:0"})
}

// client is a real client. What it receives is in got, and lost is closed when its connection breaks.
type client struct {
	paho.Client
	t    *testing.T
	got  chan paho.Message
	lost chan struct{}
}

func inside(b *broker.Broker) paho.OpenConnectionFunc {
	return func(*url.URL, paho.ClientOptions) (net.Conn, error) { return b.Dial(context.Background()) }
}

func options(b *broker.Broker, user string) *paho.ClientOptions {
	pw := password
	if user == "engine" {
		_, pw = b.EngineLogin()
	}
	o := paho.NewClientOptions().SetClientID(mqtt.ClientID(user, "test")).SetUsername(user).SetPassword(pw).
		SetProtocolVersion(4).SetAutoReconnect(false).SetConnectTimeout(patience)
	if b.Addr() != nil {
		return o.AddBroker("tcp://" + b.Addr().String())
	}
	return o.AddBroker("tcp://inside").SetCustomOpenConnectionFn(inside(b))
}

// connect connects with the options, of which change may change some.
func connect(t *testing.T, b *broker.Broker, user string, change ...func(*paho.ClientOptions)) *client {
	t.Helper()
	c, err := try(t, b, user, change...)
	if err != nil {
		t.Fatalf("%s: %v", user, err)
	}
	return c
}

func try(t *testing.T, b *broker.Broker, user string, change ...func(*paho.ClientOptions)) (*client, error) {
	t.Helper()
	c := &client{t: t, got: make(chan paho.Message, 10_000), lost: make(chan struct{})}
	o := options(b, user).
		SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { c.got <- m }).
		SetConnectionLostHandler(func(paho.Client, error) { close(c.lost) })
	for _, f := range change {
		f(o)
	}
	c.Client = paho.NewClient(o)
	token := c.Connect()
	if !token.WaitTimeout(patience) {
		t.Fatalf("%s: no CONNACK", user)
	}
	if err := token.Error(); err != nil {
		return nil, err
	}
	t.Cleanup(func() { c.Disconnect(100) })
	return c, nil
}

// subscribe returns what the broker grants, filter by filter.
func (c *client) subscribe(filters ...string) map[string]byte {
	c.t.Helper()
	want := map[string]byte{}
	for _, f := range filters {
		want[f] = 1
	}
	token := c.SubscribeMultiple(want, nil)
	if !token.WaitTimeout(patience) || token.Error() != nil {
		c.t.Fatalf("subscribe: %v", token.Error())
	}
	return token.(*paho.SubscribeToken).Result()
}

// must subscribes and fails the test if the broker refuses.
func (c *client) must(filters ...string) *client {
	c.t.Helper()
	for f, qos := range c.subscribe(filters...) {
		if qos != 0 {
			c.t.Fatalf("subscribe to %s: granted %#x, want 0", f, qos)
		}
	}
	return c
}

func (c *client) publish(topic string, qos byte, retain bool, payload string) {
	c.t.Helper()
	token := c.Publish(topic, qos, retain, payload)
	if !token.WaitTimeout(patience) || token.Error() != nil {
		c.t.Fatalf("publish to %s: acknowledged %v, %v", topic, token.WaitTimeout(0), token.Error())
	}
}

// next returns the next message received.
func (c *client) next() paho.Message {
	c.t.Helper()
	select {
	case m := <-c.got:
		return m
	case <-time.After(patience):
		c.t.Fatal("nothing received")
		return nil
	}
}

// want fails the test unless this is received next.
func (c *client) want(topic, payload string) {
	c.t.Helper()
	if m := c.next(); m.Topic() != topic || string(m.Payload()) != payload {
		c.t.Fatalf("received %s %q, want %s %q", m.Topic(), m.Payload(), topic, payload)
	}
}

// open reports whether the connection still stands, by asking the broker.
func (c *client) open() bool {
	token := c.Unsubscribe("nothing")
	return token.WaitTimeout(patience) && token.Error() == nil
}

func (c *client) gone() {
	c.t.Helper()
	select {
	case <-c.lost:
	case <-time.After(patience):
		c.t.Fatal("still connected")
	}
}

func TestLoginOverEveryTransport(t *testing.T) {
	b := listen(t)
	web := httptest.NewServer(b)
	defer web.Close()
	for name, change := range map[string]func(*paho.ClientOptions){
		"tcp":       func(*paho.ClientOptions) {},
		"websocket": func(o *paho.ClientOptions) { o.Servers = nil; o.AddBroker("ws" + strings.TrimPrefix(web.URL, "http")) },
		"inside":    func(o *paho.ClientOptions) { o.SetCustomOpenConnectionFn(inside(b)) },
	} {
		t.Run(name, func(t *testing.T) {
			engine := connect(t, b, "engine", change).must(nine.Actions())
			alice := connect(t, b, "alice", change).must(nine.Events(), nine.Seat("alice"))
			for i := range 50 {
				alice.publish(nine.Action("alice"), 1, false, "call")
				engine.want(nine.Action("alice"), "call")
				engine.publish(nine.Events(), 1, false, fmt.Sprint(i))
				alice.want(nine.Events(), fmt.Sprint(i))
			}
		})
	}
}

func TestLoginRefused(t *testing.T) {
	b := listen(t)
	id := func(s string) func(*paho.ClientOptions) {
		return func(o *paho.ClientOptions) { o.SetClientID(s) }
	}
	for name, row := range map[string]struct {
		user   string
		change func(*paho.ClientOptions)
		want   string
	}{
		"wrong password":       {"alice", func(o *paho.ClientOptions) { o.SetPassword("Password") }, "not Authorized"},
		"no password":          {"alice", func(o *paho.ClientOptions) { o.SetPassword("") }, "not Authorized"},
		"unknown user":         {"mallory", func(*paho.ClientOptions) {}, "not Authorized"},
		"nobody":               {"alice", func(o *paho.ClientOptions) { o.SetUsername("") }, "identifier rejected"},
		"engine by guess":      {"alice", func(o *paho.ClientOptions) { o.SetUsername("engine").SetClientID("engine") }, "not Authorized"},
		"another's client ID":  {"bob", id("alice:test"), "identifier rejected"},
		"another's name as ID": {"bob", id("alice"), "identifier rejected"},
		"no client ID":         {"bob", id(""), "identifier rejected"},
		"lasting session":      {"alice", func(o *paho.ClientOptions) { o.SetCleanSession(false) }, "not Authorized"},
		"no keep-alive":        {"alice", func(o *paho.ClientOptions) { o.SetKeepAlive(0) }, "identifier rejected"},
		"long keep-alive":      {"alice", func(o *paho.ClientOptions) { o.SetKeepAlive(time.Hour) }, "identifier rejected"},
		"MQTT 3.1":             {"alice", func(o *paho.ClientOptions) { o.SetProtocolVersion(3) }, "unacceptable protocol version"},
	} {
		if c, err := try(t, b, row.user, row.change); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", name, err, row.want)
			if c != nil {
				c.Disconnect(0)
			}
		}
	}
	if got := b.Stats().Logins; got != 11 { // MQTT 3.1 is refused by the server itself
		t.Errorf("%d logins refused, want 11", got)
	}
	connect(t, b, "alice")
}

// TestMQTT5Refused sends a CONNECT of version 5, which the client library cannot.
func TestMQTT5Refused(t *testing.T) {
	b := listen(t)
	conn, err := net.Dial("tcp", b.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write([]byte("\x10\x23\x00\x04MQTT\x05\xc2\x00\x1e\x00\x00\x05alice\x00\x05alice\x00\x08password"))
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	answer := make([]byte, 4)
	if _, err := io.ReadFull(conn, answer); err != nil || answer[0] != 0x20 || answer[3] != 0x84 {
		t.Errorf("answer % x, %v; want a CONNACK with 0x84", answer, err)
	}
}

// TestForgedWill: mochi by itself delivers any last will, and keeps it.
func TestForgedWill(t *testing.T) {
	b := listen(t)
	engine := connect(t, b, "engine").must(nine.Actions())
	watch := connect(t, b, "bob").must(nine.Seat("bob"), nine.State(), nine.Status())
	will := func(topic string, retain bool) func(*paho.ClientOptions) {
		return func(o *paho.ClientOptions) { o.SetWill(topic, "forged", 1, retain) }
	}
	for _, topic := range []string{nine.Hole("bob"), nine.Status(), nine.State(), nine.Action("bob"), nine.Hole("alice"), "#", "$SYS/x"} {
		if c, err := try(t, b, "alice", will(topic, false)); err == nil {
			t.Errorf("last will on %s let in", topic)
			c.Disconnect(0)
		}
	}
	if _, err := try(t, b, "alice", will(nine.Action("alice"), true)); err == nil {
		t.Error("a retained command as last will let in")
	}

	// One that may be published is, when the connection breaks.
	broken := make(chan net.Conn, 1)
	connect(t, b, "alice", will(nine.Action("alice"), false), func(o *paho.ClientOptions) {
		o.SetCustomOpenConnectionFn(func(*url.URL, paho.ClientOptions) (net.Conn, error) {
			conn, err := net.Dial("tcp", b.Addr().String())
			broken <- conn
			return conn, err
		})
	})
	_ = (<-broken).Close()
	engine.want(nine.Action("alice"), "forged")
	engine.publish(nine.Hole("bob"), 1, false, "end")
	watch.want(nine.Hole("bob"), "end")
}

func TestForeignClientIDLeavesTheOwnerAlone(t *testing.T) {
	b := listen(t)
	engine := connect(t, b, "engine")
	alice := connect(t, b, "alice").must(nine.Seat("alice"))
	if _, err := try(t, b, "bob", func(o *paho.ClientOptions) { o.SetClientID("alice:test") }); err == nil {
		t.Fatal("bob is alice")
	}
	engine.publish(nine.Hole("alice"), 1, false, "sealed")
	alice.want(nine.Hole("alice"), "sealed")
}

// TestTakeover: the same user again with the same client ID. The new connection must have all of its subscriptions,
// the will of the old one must come first, and the old one must be gone.
func TestTakeover(t *testing.T) {
	b := listen(t)
	engine := connect(t, b, "engine").must(nine.Actions())
	var before *client
	for i := range 30 {
		alice := connect(t, b, "alice", func(o *paho.ClientOptions) { o.SetWill(nine.Action("alice"), "lost", 1, false) })
		if before != nil {
			engine.want(nine.Action("alice"), "lost")
			before.gone()
		}
		alice.must(nine.Seat("alice"), nine.Events())
		alice.publish(nine.Action("alice"), 1, false, fmt.Sprint(i))
		engine.want(nine.Action("alice"), fmt.Sprint(i))
		engine.publish(nine.Hole("alice"), 1, false, fmt.Sprint(i))
		alice.want(nine.Hole("alice"), fmt.Sprint(i))
		before = alice
	}
	if got := b.Stats().Clients; got != 2 {
		t.Errorf("%d clients, want 2", got)
	}
}

func TestDeniedSubscribe(t *testing.T) {
	alice := connect(t, listen(t), "alice")
	granted := alice.subscribe(nine.Events(), "#", nine.Hole("bob"), nine.Hole("alice"), "$share/g/"+nine.Events(), "$SYS/#",
		"tavolo/v1/riga/nine/seat/+/hole", "tavolo/v1/riga/nine/seat/#", "+/+/+/+/+/+/+", nine.Actions())
	for f, qos := range granted {
		want := byte(0x80)
		if f == nine.Events() || f == nine.Hole("alice") {
			want = 0
		}
		if qos != want {
			t.Errorf("%s: granted %#x, want %#x", f, qos, want)
		}
	}
	if len(granted) != 10 {
		t.Errorf("%d answers, want 10: %v", len(granted), granted)
	}
	if !alice.open() {
		t.Error("disconnected")
	}
}

// TestDeniedPublish: acknowledged, dropped, and no disconnect, or the client's library would send it again for ever.
func TestDeniedPublish(t *testing.T) {
	b := listen(t)
	engine := connect(t, b, "engine").must(nine.Actions())
	bob := connect(t, b, "bob").must(nine.Seat("bob"), nine.State(), nine.Events(), nine.Status())
	alice := connect(t, b, "alice").must(nine.Seat("alice"))
	var denied uint64
	for _, topic := range []string{
		nine.Action("bob"), nine.Hole("bob"), nine.Turn("bob"), nine.Hole("alice"), nine.State(), nine.Events(), nine.Status(), "other",
	} {
		for qos := range byte(3) {
			alice.publish(topic, qos, qos == 1, "forged")
			denied++
		}
	}
	alice.publish(nine.Action("alice"), 1, true, "a retained command")
	denied++
	alice.publish(nine.Action("alice"), 1, false, "call")
	engine.want(nine.Action("alice"), "call")
	engine.publish(nine.Hole("bob"), 1, false, "end")
	bob.want(nine.Hole("bob"), "end")
	if got := b.Stats().Denied; got != denied {
		t.Errorf("%d denied, want %d", got, denied)
	}
	// Nothing of it was kept either.
	late := connect(t, b, "bob", func(o *paho.ClientOptions) { o.SetClientID("bob:late") }).must("tavolo/v1/+/+/seat/bob/#", "tavolo/v1/+/+/pub/#")
	engine.publish(nine.Hole("bob"), 1, false, "end")
	late.want(nine.Hole("bob"), "end")
}

// TestNothingPrivateLeaks publishes once on every topic, retained and not, and looks at all that arrives at clients
// that have asked for everything in every way.
func TestNothingPrivateLeaks(t *testing.T) {
	b := listen(t)
	engine := connect(t, b, "engine")
	topics := []string{
		nine.Status(), nine.State(), nine.Events(), nine.Hole("alice"), nine.Turn("alice"), nine.Reply("alice"),
		nine.Hole("bob"), nine.Prompt("box"), nine.CommandReply("box"), nine.Device("shoe"), nine.DeviceEvents("shoe"),
		nine.DelayedState(), nine.DelayedEvents(), nine.Checkpoint(),
	}
	filters := []string{
		"#", "+/#", "+/+/+/+/+", "+/+/+/+/+/+", "+/+/+/+/+/+/+", "tavolo/#", "tavolo/v1/+/+/#", "tavolo/v1/+/+/pub/#", "tavolo/v1/+/+/pub/+",
		"tavolo/v1/+/+/seat/#", "tavolo/v1/+/+/seat/+/hole", "tavolo/v1/riga/nine/seat/alice/#", "tavolo/v1/+/+/seat/alice/hole",
		"tavolo/v1/riga/nine/seat/bob/#", "tavolo/v1/+/+/dealer/#", "tavolo/v1/+/+/dealer/+/prompt", "tavolo/v1/+/+/dealer/box/prompt",
		"tavolo/v1/+/+/dealer/box/reply", "tavolo/v1/+/+/hw/#", "tavolo/v1/+/+/delayed/#", "tavolo/v1/+/+/audit/#", "tavolo/v1/+/+/status",
		"$share/g/#", "$share/g/tavolo/v1/riga/nine/seat/bob/hole", "$SHARE/g/tavolo/v1/+/+/seat/#", "$SYS/#",
	}
	for _, topic := range topics {
		engine.publish(topic, 1, true, "kept")
	}
	readers := map[string]*client{}
	for _, u := range users {
		readers[u.Name] = connect(t, b, u.Name)
		readers[u.Name].subscribe(filters...)
		_ = readers[u.Name].open() // answered when all that was kept is on its way
	}
	for _, topic := range topics {
		engine.publish(topic, 1, false, "live")
	}
	engine.publish(nine.Status(), 1, false, "end") // which everybody may read, after everything else
	for _, u := range users {
		r, grants := readers[u.Name], u.Role.Grants(u.Name)
		missing := map[string]bool{}
		for _, topic := range topics {
			if grants.MaySubscribe(topic) {
				missing["kept "+topic], missing["live "+topic] = true, true
			}
		}
		for m := r.next(); string(m.Payload()) != "end"; m = r.next() {
			if !grants.MaySubscribe(m.Topic()) {
				t.Errorf("%s received %s", u.Name, m.Topic())
			}
			delete(missing, string(m.Payload())+" "+m.Topic())
		}
		if len(missing) > 0 {
			t.Errorf("%s did not receive %v", u.Name, missing)
		}
	}
}

// TestFlood: one client sends without end. Others do not notice, it is not thrown out, and what is too much is
// dropped and counted.
func TestFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, broker.Options{})
		engine := connect(t, b, "engine")
		bob := connect(t, b, "bob").must(nine.Events())
		alice := connect(t, b, "alice")
		flood := make(chan paho.Token, 1)
		began := time.Now()
		go func() {
			var last paho.Token
			for range 300 {
				last = alice.Publish(nine.Action("alice"), 1, false, "raise")
			}
			flood <- last
		}()
		for i := range 500 {
			engine.publish(nine.Events(), 1, false, fmt.Sprint(i))
			bob.want(nine.Events(), fmt.Sprint(i))
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("500 events took %v", took)
		}
		if last := <-flood; !last.WaitTimeout(patience) || last.Error() != nil {
			t.Fatalf("the flooding client is not served to the end: %v", last.Error())
		}
		if held := time.Since(began); held < time.Second {
			t.Errorf("300 messages were taken in %v", held)
		}
		if got := b.Stats().Flooded; got < 50 || got > 250 {
			t.Errorf("%d of 300 dropped, want about half of what exceeds the burst", got)
		}
	})
}

// TestStalledReader: a client subscribes and then reads nothing more. With mochi by itself and QoS 1 whoever publishes
// waits for it.
func TestStalledReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, broker.Options{})
		engine := connect(t, b, "engine")
		bob := connect(t, b, "bob").must(nine.Events())
		stalled, err := b.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		login := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
		login.ProtocolName, login.ProtocolVersion, login.CleanSession, login.Keepalive = "MQTT", 4, true, 60
		login.ClientIdentifier, login.Username, login.UsernameFlag = "alice", "alice", true
		login.Password, login.PasswordFlag = []byte(password), true
		sub := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
		sub.MessageID, sub.Topics, sub.Qoss = 1, []string{nine.Events()}, []byte{1}
		for _, p := range []packets.ControlPacket{login, sub} {
			if err := p.Write(stalled); err != nil {
				t.Fatal(err)
			}
			if _, err := packets.ReadPacket(stalled); err != nil {
				t.Fatal(err)
			}
		}

		var sending sync.WaitGroup // it goes on sending, which must not give it more time
		defer sending.Wait()
		defer stalled.Close()
		sending.Go(func() {
			act := packets.NewControlPacket(packets.Publish).(*packets.PublishPacket)
			act.TopicName, act.Payload = nine.Action("alice"), []byte("fold")
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for ; act.Write(stalled) == nil; <-tick.C {
			}
		})

		began := time.Now()
		for i := 0; b.Stats().Slow == 0; i++ {
			engine.publish(nine.Events(), 1, false, "x")
			bob.want(nine.Events(), "x")
			if i > 20_000 {
				t.Fatal("nothing is dropped for the stalled client")
			}
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("whoever published was kept waiting, for %v in all", took)
		}
		for b.Stats().Clients > 2 {
			if time.Since(began) > 10*time.Second {
				t.Fatal("the stalled client is not thrown out")
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func TestSilentConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, broker.Options{})
		conn, err := b.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("read: %v", err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}

// TestRetainedWhileItChanges: whoever subscribes with wildcards while the engine publishes ends with the newest. Mochi by itself
// has a data race there.
func TestRetainedWhileItChanges(t *testing.T) {
	b := listen(t)
	engine, alice := connect(t, b, "engine"), connect(t, b, "alice")
	const last = 300
	engine.publish(nine.Hole("alice"), 1, true, "first")
	var publishing sync.WaitGroup
	publishing.Go(func() {
		for i := range last + 1 {
			engine.Publish(nine.Hole("alice"), 1, true, fmt.Sprint(i)).Wait()
		}
	})
	for range 20 {
		alice.must(nine.Seat("alice"))
		alice.next()
		if !alice.Unsubscribe(nine.Seat("alice")).WaitTimeout(patience) {
			t.Fatal("unsubscribe is not answered")
		}
	}
	alice.must(nine.Seat("alice"))
	publishing.Wait()
	for newest := ""; newest != fmt.Sprint(last); newest = string(alice.next().Payload()) {
	}
	for alice.open(); len(alice.got) > 0; {
		alice.want(nine.Hole("alice"), fmt.Sprint(last))
	}
}

// TestRetainedIsKept: mochi by itself forgets state after a day.
func TestRetainedIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, broker.Options{})
		engine := connect(t, b, "engine")
		engine.publish(nine.State(), 1, true, "old")
		engine.Disconnect(100)
		time.Sleep(25 * time.Hour)
		alice := connect(t, b, "alice").must(nine.State())
		alice.want(nine.State(), "old")
	})
}

// buffer is a log that is read while it is written.
type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// One client too many, of all or of one user, is told that there is no room: over TCP and over a WebSocket. It gets in when
// another is gone, or in place of its own connection. The log does not grow with those that try.
func TestMaxClients(t *testing.T) {
	var log buffer
	b := start(t, broker.Options{
		Address: "127.0.0.1:0", MaxClients: 7, UserClients: 2, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	web := httptest.NewServer(b)
	defer web.Close()
	over := map[string]string{"tcp": "tcp://" + b.Addr().String(), "ws": "ws" + strings.TrimPrefix(web.URL, "http")}
	as := func(transport, device string) func(*paho.ClientOptions) {
		return func(o *paho.ClientOptions) {
			o.Servers = nil
			o.AddBroker(over[transport]).SetClientID(mqtt.ClientID(o.Username, device))
		}
	}
	full := func(user, transport string) {
		t.Helper()
		if _, err := try(t, b, user, as(transport, "more")); !errors.Is(err, packets.ErrorRefusedServerUnavailable) {
			t.Errorf("one more of %s over %s: %v, want that the server is unavailable", user, transport, err)
		}
	}
	phone := connect(t, b, "alice", as("tcp", "phone"))
	connect(t, b, "alice", as("ws", "page"))
	full("alice", "tcp")
	full("alice", "ws")
	connect(t, b, "alice", as("ws", "phone")) // hers
	phone.gone()
	connect(t, b, "bob", as("ws", "page"))
	for i := range 4 { // whom many share, and who may be half of all
		connect(t, b, "fan", as("tcp", fmt.Sprint(i)))
	}
	full("fan", "ws")
	for range 10 {
		full("bob", "tcp")
		full("bob", "ws")
	}
	engine := connect(t, b, "engine", func(o *paho.ClientOptions) { o.SetCustomOpenConnectionFn(inside(b)) })
	bob := connect(t, b, "bob", as("tcp", "page")).must(nine.Events())
	engine.publish(nine.Events(), 1, false, "x")
	bob.want(nine.Events(), "x")
	bob.Disconnect(100)
	for deadline := time.Now().Add(patience); ; {
		c, err := try(t, b, "bob", as("ws", "more"))
		if err == nil {
			c.Disconnect(100)
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("there is no room after one is gone: %v", err)
		}
	}
	if text := log.String(); strings.Count(text, "refused") != 2 {
		t.Errorf("want a line for each of two reasons:\n%s", text)
	}
	if n := b.Stats().Logins; n < 23 {
		t.Errorf("%d refusals", n)
	}
}

// Who connects and does not log in takes nobody's room.
func TestConnectionsThatDoNotLogIn(t *testing.T) {
	b := start(t, broker.Options{Address: "127.0.0.1:0", MaxClients: 3})
	for range 2 {
		c, err := net.Dial("tcp", b.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for _, user := range []string{"alice", "bob", "box"} {
		connect(t, b, user)
	}
	if _, err := try(t, b, "chief"); !errors.Is(err, packets.ErrorRefusedServerUnavailable) {
		t.Errorf("a fourth client: %v", err)
	}
}

func TestPacketSize(t *testing.T) {
	b := listen(t)
	alice := connect(t, b, "alice").must(nine.Events())
	engine := connect(t, b, "engine")
	big := strings.Repeat("x", mqtt.MaxPayload)
	engine.publish(nine.Events(), 1, false, big)
	alice.want(nine.Events(), big)
	alice.Publish(nine.Action("alice"), 1, false, strings.Repeat("x", 65<<10))
	alice.gone()
}

func TestSubscriptionLimit(t *testing.T) {
	b := listen(t)
	alice := connect(t, b, "alice")
	filter := func(i int) string { return fmt.Sprintf("tavolo/v1/riga/t%d/pub/ev", i) }
	for i := range 64 {
		alice.must(filter(i))
	}
	if got := alice.subscribe(filter(64), filter(65)); got[filter(64)] != 0x80 || got[filter(65)] != 0x80 {
		t.Errorf("granted %v beyond the limit", got)
	}
	connect(t, b, "engine").publish(filter(63), 1, false, "x")
	alice.want(filter(63), "x")
}

func TestWebSocketOrigin(t *testing.T) {
	b := start(t, broker.Options{Origins: []string{"studio.example", "*.studio.example"}})
	web := httptest.NewServer(b)
	defer web.Close()
	host := strings.TrimPrefix(web.URL, "http://")
	for origin, want := range map[string]int{
		"":                            http.StatusSwitchingProtocols, // no browser
		"http://" + host:              http.StatusSwitchingProtocols,
		"https://studio.example":      http.StatusSwitchingProtocols,
		"https://box.studio.example":  http.StatusSwitchingProtocols,
		"https://evil.example":        http.StatusForbidden,
		"https://studio.example.evil": http.StatusForbidden,
		"null":                        http.StatusForbidden,
	} {
		opt := &websocket.DialOptions{Subprotocols: []string{"mqtt"}, HTTPHeader: http.Header{}}
		if origin != "" {
			opt.HTTPHeader.Set("Origin", origin)
		}
		ws, answer, err := websocket.Dial(t.Context(), "ws://"+host, opt)
		if answer == nil || answer.StatusCode != want {
			t.Errorf("origin %q: %v, want %d", origin, err, want)
		}
		if err == nil {
			_ = ws.CloseNow()
		}
	}

	ws, _, err := websocket.Dial(t.Context(), "ws://"+host, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("without the subprotocol: %v", err)
	}
	if answer, err := http.Get(web.URL); err != nil || answer.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a plain request: %v, %v", answer, err)
	} else {
		_ = answer.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	defer web.Close()
	b := start(t, broker.Options{Address: "127.0.0.1:0", TLS: &tls.Config{Certificates: web.TLS.Certificates}})
	trust := web.Client().Transport.(*http.Transport).TLSClientConfig
	secure := func(o *paho.ClientOptions) {
		o.Servers = nil
		o.AddBroker("ssl://" + b.Addr().String()).SetTLSConfig(trust)
	}
	alice := connect(t, b, "alice", secure).must(nine.Events())
	connect(t, b, "engine", secure).publish(nine.Events(), 1, false, "x")
	alice.want(nine.Events(), "x")
	if _, err := try(t, b, "alice", func(o *paho.ClientOptions) { o.SetConnectTimeout(time.Second) }); err == nil {
		t.Error("let in without TLS")
	}
}

// TestGuessing: who is known gets in while others guess passwords.
func TestGuessing(t *testing.T) {
	b := listen(t)
	connect(t, b, "alice").Disconnect(100)
	guesses := make(chan error)
	for i := range 20 {
		go func() {
			_, err := try(t, b, "bob", func(o *paho.ClientOptions) { o.SetPassword(fmt.Sprint(i)).SetClientID(fmt.Sprintf("bob:g%d", i)) })
			guesses <- err
		}()
	}
	connect(t, b, "alice")
	for range 20 {
		if <-guesses == nil {
			t.Error("guessed")
		}
	}
}

// dialFrom opens a connection from an address of this machine, and logs in over it as somebody.
func dialFrom(t *testing.T, b *broker.Broker, from, user, password string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.DialContext(t.Context(), "tcp", b.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	login := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	login.ProtocolName, login.ProtocolVersion, login.CleanSession, login.Keepalive = "MQTT", 4, true, 60
	login.ClientIdentifier, login.Username, login.UsernameFlag = user, user, true
	login.Password, login.PasswordFlag = []byte(password), true
	if err := login.Write(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is the code of the broker's answer to a login, or that it hung up.
func answer(t *testing.T, c net.Conn) (code byte, ok bool) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	p, err := packets.ReadPacket(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the login is not answered")
	}
	if ack, is := p.(*packets.ConnackPacket); err == nil && is {
		return ack.ReturnCode, true
	}
	return 0, false
}

// slowHash is the hash of password, with a fifth of the work of those that people are given, for the sake of slow machines.
const slowHash = "$pbkdf2-sha512$i=40000$c2FsdHNhbHRzYWx0$Hj/15jgcOsOalgiDKnQsKwFhYLhf5pS6IORqZh8oGdRAL3foA7+AeFBFWoOxpOzH/4STCMyqnhArXmEmX4qD6g"

// TestLockout: somebody without an account asks for the passwords of two users without end, over as many connections as one
// address may have, and nobody was let in since the start. Who comes from another address has the next turn, also as one of the
// two; and who has a public password has none to wait for.
func TestLockout(t *testing.T) {
	public, err := broker.HashPublic(password)
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, broker.Options{Address: "127.0.0.1:0", Users: []broker.User{
		{Name: "alice", Role: mqtt.Player, Hash: slowHash},
		{Name: "bob", Role: mqtt.Player, Hash: slowHash},
		{Name: "fan", Role: mqtt.Spectator, Hash: public},
	}})
	over := make(chan struct{})
	var guessing sync.WaitGroup
	defer guessing.Wait()
	defer close(over)
	var guesses atomic.Int64 // whose passwords were checked
	for i := range 60 {
		guessing.Go(func() {
			for again := time.NewTicker(300 * time.Millisecond); ; {
				c := dialFrom(t, b, "127.0.0.1", []string{"alice", "bob"}[i%2], "guess")
				switch code, ok := answer(t, c); {
				case ok && code == packets.Accepted:
					t.Error("guessed")
				case ok && code != packets.ErrRefusedServerUnavailable:
					guesses.Add(1)
				}
				_ = c.Close()
				select {
				case <-over:
					return
				case <-again.C:
				}
			}
		})
	}
	for began := time.Now(); guesses.Load() < 4; time.Sleep(10 * time.Millisecond) { // all are at it
		if time.Since(began) > patience {
			t.Fatal("nobody guesses")
		}
	}
	enter := func(from, user string) {
		t.Helper()
		for before := guesses.Load(); ; {
			code, ok := answer(t, dialFrom(t, b, from, user, password))
			n := guesses.Load() - before
			switch {
			case n > 20: // than the few of those that were under way, and of a turn missed on a slow machine
				t.Fatalf("%d guesses were checked before the password of %s", n, user)
			case ok && code == packets.Accepted:
				return
			case ok && code != packets.ErrRefusedServerUnavailable:
				t.Fatalf("%s of %s is answered %d", user, from, code)
			}
		}
	}
	enter("127.0.0.2", "fan")
	enter("127.0.0.2", "alice")
	enter("127.0.0.3", "bob")
}

// TestPendingOfOneAddress: one address may not take all the room of those who are about to log in.
func TestPendingOfOneAddress(t *testing.T) {
	b := start(t, broker.Options{Address: "127.0.0.1:0", MaxClients: 200})
	for range 25 {
		c, err := net.Dial("tcp", b.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for began := time.Now(); b.Stats().Clients < 25; time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("they are not let in")
		}
	}
	if _, ok := answer(t, dialFrom(t, b, "127.0.0.1", "alice", password)); ok {
		t.Error("one more of the address is let in")
	}
	if code, ok := answer(t, dialFrom(t, b, "127.0.0.2", "alice", password)); !ok || code != packets.Accepted {
		t.Errorf("another address: %d, %v", code, ok)
	}
}

func TestShutdown(t *testing.T) {
	b, err := broker.New(broker.Options{Address: "127.0.0.1:0", Users: users})
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := b.Dial(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("before Run: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- b.Run(ctx) }()
	web := httptest.NewServer(b)
	defer web.Close()
	clients := []*client{
		connect(t, b, "alice"),
		connect(t, b, "bob", func(o *paho.ClientOptions) {
			o.Servers = nil
			o.AddBroker("ws" + strings.TrimPrefix(web.URL, "http"))
		}),
		connect(t, b, "engine", func(o *paho.ClientOptions) { o.SetCustomOpenConnectionFn(inside(b)) }),
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
	for _, c := range clients {
		c.gone()
	}
	if got := b.Stats().Clients; got != 0 {
		t.Errorf("%d clients left", got)
	}
	if _, err := b.Dial(t.Context()); err == nil {
		t.Error("let in after Run")
	}
	if _, err := net.Dial("tcp", b.Addr().String()); err == nil {
		t.Error("still listening")
	}
}

func TestNewNamesEveryFault(t *testing.T) {
	_, err := broker.New(broker.Options{
		Users: []broker.User{
			{Name: "Alice", Role: mqtt.Player, Hash: pwHash},
			{Name: "bob", Role: "admin", Hash: pwHash},
			{Name: "carol", Role: mqtt.Player, Hash: "secret"},
			{Name: "carol", Role: mqtt.Player, Hash: pwHash},
			{Name: "engine", Role: mqtt.Engine, Hash: pwHash},
		},
		Origins: []string{"ok.example", "[", ""},
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"users[0].name", "users[1].role", "users[2].hash", "users[3].name", "users[4].name", "origins[1]", "origins[2]",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Error("the error quotes a password")
	}
	if _, err := broker.New(broker.Options{Address: "256.0.0.1:1"}); err == nil {
		t.Error("listens nowhere")
	}
}
