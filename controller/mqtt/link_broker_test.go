package mqtt_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
	"go.uber.org/goleak"

	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	// patience ends a test that waits for what does not come.
	patience = time.Minute
	// pwHash is the hash of "password", with few rounds.
	pwHash = "$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ"
)

var nine = mqtt.Topics{Studio: "riga", Table: "nine"}

// house is a broker that a test starts and stops.
type house struct {
	addr string
	stop func() // in the rudest way there is
}

func embedded(t *testing.T) *house {
	t.Helper()
	users := []broker.User{{Name: "table", Role: mqtt.Engine, Hash: pwHash}}
	for _, name := range []string{"alice", "bob", "carol", "dave"} {
		users = append(users, broker.User{Name: name, Role: mqtt.Player, Hash: pwHash})
	}
	b, err := broker.New(broker.Options{Address: "127.0.0.1:0", Users: users})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- b.Run(ctx) }()
	h := &house{addr: b.Addr().String()}
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(h.stop)
	return h
}

// mosquitto is Debian's broker, as it comes: any MQTT 3.1.1 broker will do.
func mosquitto(t *testing.T) *house {
	t.Helper()
	bin, err := exec.LookPath("mosquitto")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/mosquitto"); err != nil {
			t.Skip("mosquitto is not installed (apt install mosquitto)")
		}
	}
	// No port that the system gives away, to somebody else while mosquitto starts.
	h := &house{addr: fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))}
	port, err := net.Listen("tcp", h.addr)
	if err != nil {
		return mosquitto(t) // it is taken
	}
	_ = port.Close()
	conf := filepath.Join(t.TempDir(), "mosquitto.conf")
	_, number, _ := net.SplitHostPort(h.addr)
	text := "listener " + number + " 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-c", conf)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(h.stop)
	for began := time.Now(); ; {
		conn, err := net.Dial("tcp", h.addr)
		if err == nil {
			_ = conn.Close()
			return h
		}
		if time.Since(began) > patience {
			t.Fatalf("mosquitto does not listen: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

var houses = map[string]func(*testing.T) *house{"embedded": embedded, "mosquitto": mosquitto}

// everyHouse runs a test with each kind of broker.
func everyHouse(t *testing.T, f func(t *testing.T, open func(*testing.T) *house)) {
	t.Parallel()
	for name, open := range houses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open)
		})
	}
}

// run runs a link until the test ends, or stop is called.
func run(t *testing.T, opt mqtt.Options) (l *mqtt.Link, stop func()) {
	t.Helper()
	l, err := mqtt.NewLink(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- l.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return l, stop
}

func (h *house) options(name string, subscribe ...string) mqtt.Options {
	return mqtt.Options{
		URL: "tcp://" + h.addr, ClientID: mqtt.ClientID(name, "test"), User: name, Password: "password", Subscribe: subscribe,
	}
}

func status(epoch int) mqtt.Status {
	say := func(s string) []byte { return fmt.Appendf(nil, "%s %d", s, epoch) }
	return mqtt.Status{Topic: nine.Status(), Online: say("online"), Stopped: say("stopped"), Lost: say("lost")}
}

// until waits for something that a Health shows.
func until(t *testing.T, l *mqtt.Link, what string, ok func(mqtt.Health) bool) mqtt.Health {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		h := l.Health()
		if ok(h) {
			return h
		}
		if time.Since(began) > patience {
			t.Fatalf("not %s: %+v", what, h)
		}
	}
}

func up(h mqtt.Health) bool { return h.Up }

func receive(t *testing.T, l *mqtt.Link) mqtt.Message {
	t.Helper()
	select {
	case m := <-l.Messages():
		return m
	case <-time.After(patience):
		t.Fatalf("nothing received: %+v", l.Health())
		return mqtt.Message{}
	}
}

func want(t *testing.T, l *mqtt.Link, topic, payload string) {
	t.Helper()
	if m := receive(t, l); m.Topic != topic || string(m.Payload) != payload {
		t.Fatalf("received %s %q, want %s %q", m.Topic, m.Payload, topic, payload)
	}
}

// gate connects a link to whichever broker is behind it, and notes every publication on the way.
type gate struct {
	mu   sync.Mutex
	addr string // empty: shut
	conn *net.TCPConn
	sent []string // payloads of the events, in the order in which they went out
}

func (g *gate) set(addr string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.addr = addr
}

// cut breaks the connection, so that both ends see the other gone.
func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = g.conn.CloseRead(), g.conn.CloseWrite()
}

func (g *gate) dial(ctx context.Context) (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.addr == "" {
		return nil, errors.New("no broker")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", g.addr)
	if err != nil {
		return nil, err
	}
	g.conn = conn.(*net.TCPConn)
	return tapped{conn, g}, nil
}

type tapped struct {
	net.Conn
	gate *gate
}

func (c tapped) Write(b []byte) (int, error) {
	if in, err := packets.ReadPacket(bytes.NewReader(b)); err == nil {
		if p, ok := in.(*packets.PublishPacket); ok && p.TopicName == nine.Events() {
			c.gate.mu.Lock()
			c.gate.sent = append(c.gate.sent, string(p.Payload))
			c.gate.mu.Unlock()
		}
	}
	return c.Conn.Write(b)
}

// inOrder fails the test unless each number comes for the first time after the one before it; repeats there may be so many
// batches of.
func inOrder(t *testing.T, got []string, batches int) {
	t.Helper()
	next, repeats := 0, 0
	for i, s := range got {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil || n > next:
			t.Fatalf("%q after %q", s, got[max(i-3, 0):i])
		case n == next:
			next++
		default:
			repeats++
		}
	}
	if most := 64 * batches; repeats > most {
		t.Errorf("%d repeats, want %d at most", repeats, most)
	}
}

func TestLinkOverEveryTransport(t *testing.T) {
	b, err := broker.New(broker.Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(b)
	defer secure.Close()
	trust := secure.Client().Transport.(*http.Transport).TLSClientConfig
	tb, err := broker.New(broker.Options{Address: "127.0.0.1:0", TLS: &tls.Config{Certificates: secure.TLS.Certificates}})
	if err != nil {
		t.Fatal(err)
	}
	plain := httptest.NewServer(b)
	defer plain.Close()
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for _, b := range []*broker.Broker{b, tb} {
		running.Go(func() { _ = b.Run(ctx) })
	}
	defer running.Wait()
	defer cancel()
	for name, row := range map[string]struct {
		broker *broker.Broker
		opt    mqtt.Options
	}{
		"tcp":    {b, mqtt.Options{URL: "tcp://" + b.Addr().String()}},
		"tls":    {tb, mqtt.Options{URL: "tls://" + tb.Addr().String(), TLS: trust}},
		"ws":     {b, mqtt.Options{URL: "ws" + strings.TrimPrefix(plain.URL, "http") + "/mqtt"}},
		"wss":    {b, mqtt.Options{URL: "wss" + strings.TrimPrefix(secure.URL, "https") + "/mqtt", TLS: trust}},
		"inside": {b, mqtt.Options{Dial: b.Dial}},
	} {
		t.Run(name, func(t *testing.T) {
			opt := row.opt
			opt.User, opt.Password = row.broker.EngineLogin()
			opt.ClientID, opt.Subscribe, opt.Status = mqtt.ClientID(opt.User, name), []string{nine.Commands()}, status(1)
			l, stop := run(t, opt)
			before := until(t, l, "up", up)
			const n = 2000
			began := time.Now()
			for i := range n {
				l.Event(nine.Events(), fmt.Append(nil, i))
			}
			until(t, l, "all sent", func(h mqtt.Health) bool { return h.Waiting == 0 })
			t.Logf("%d events in %v", n, time.Since(began))
			stop()
			if h := l.Health(); h.LostEvents != 0 || h.Disconnected != before.Disconnected || h.Err != nil {
				t.Errorf("%+v", h)
			}
		})
	}
}

// TestEventsSurviveRestarts publishes without a pause while the broker is killed and replaced. On the wire the events
// are complete and in order, one batch comes twice at most at each restart, and the link hears players again each time.
func TestEventsSurviveRestarts(t *testing.T) {
	everyHouse(t, func(t *testing.T, open func(*testing.T) *house) {
		const restarts = 4
		var g gate
		opt := (&house{}).options("table", nine.Actions())
		opt.Dial, opt.Status = g.dial, status(1)
		engine, stop := run(t, opt)

		enough, published := make(chan struct{}), make(chan int)
		go func() {
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for i := 0; ; i++ {
				engine.Event(nine.Events(), fmt.Append(nil, i))
				for engine.Health().Waiting > mqtt.MaxEvents/2 { // a long outage of a slow machine must not push out any
					<-tick.C
				}
				select {
				case <-tick.C:
				case <-enough:
					published <- i
					return
				}
			}
		}()
		final := 0
		for i := range restarts + 1 {
			h := open(t)
			player, playerStops := run(t, h.options("alice", nine.Events()))
			until(t, player, "up", up)
			g.set(h.addr)
			until(t, engine, "up", up)
			player.Send(nine.Action("alice"), fmt.Append(nil, "call ", i))
			want(t, engine, nine.Action("alice"), fmt.Sprint("call ", i))
			last := -1
			for range 100 {
				m := receive(t, player)
				n, err := strconv.Atoi(string(m.Payload))
				if err != nil || n <= last && i == 0 {
					t.Fatalf("%q after %d", m.Payload, last)
				}
				last = n
			}
			if i == restarts {
				close(enough)
				final = <-published
				until(t, engine, "all sent", func(h mqtt.Health) bool { return h.Waiting == 0 })
				stop()
			}
			g.set("")
			h.stop()
			playerStops()
			until(t, engine, "cut off", func(h mqtt.Health) bool { return !h.Up })
		}
		inOrder(t, g.sent, restarts)
		if g.sent[len(g.sent)-1] != fmt.Sprint(final) {
			t.Errorf("the last event sent is %s", g.sent[len(g.sent)-1])
		}
		if h := engine.Health(); h.LostEvents != 0 || h.Unread != 0 {
			t.Errorf("%+v", h)
		}
	})
}

// TestOutage publishes while there is no broker, and then there is one.
func TestOutage(t *testing.T) {
	everyHouse(t, func(t *testing.T, open func(*testing.T) *house) {
		const events = 200 // so many fit into the player's inbox, whenever the test gets to look there
		var g gate
		opt := (&house{}).options("table")
		opt.Dial, opt.Status = g.dial, status(1)
		engine, _ := run(t, opt)
		for i := range events {
			engine.State(nine.State(), fmt.Append(nil, i))
			engine.Event(nine.Events(), fmt.Append(nil, i))
		}
		h := open(t)
		player, _ := run(t, h.options("alice", nine.Events(), nine.State()))
		until(t, player, "up", up)
		g.set(h.addr)
		want(t, player, nine.State(), fmt.Sprint(events-1)) // the newest, once
		for i := range events {
			want(t, player, nine.Events(), fmt.Sprint(i))
		}
		late, _ := run(t, mqtt.Options{
			URL: "tcp://" + h.addr, ClientID: "bob", User: "bob", Password: "password", Subscribe: []string{nine.State(), nine.Status()},
		})
		got := map[string]string{}
		for range 2 {
			m := receive(t, late)
			if !m.Retained {
				t.Errorf("%s is not retained", m.Topic)
			}
			got[m.Topic] = string(m.Payload)
		}
		if got[nine.State()] != fmt.Sprint(events-1) || got[nine.Status()] != "online 1" {
			t.Errorf("retained: %v", got)
		}
	})
}

// TestCutConnections breaks the connection, and nothing but the connection, again and again.
func TestCutConnections(t *testing.T) {
	everyHouse(t, func(t *testing.T, open func(*testing.T) *house) {
		const cuts, between = 4, 50
		h := open(t)
		g := gate{addr: h.addr}
		opt := h.options("table")
		opt.Dial, opt.Status = g.dial, status(1)
		engine, _ := run(t, opt)
		player, _ := run(t, h.options("alice", nine.Events()))
		until(t, player, "up", up)
		var got []string
		n := 0
		for range cuts {
			until(t, engine, "up", up)
			for i := range between {
				engine.Event(nine.Events(), fmt.Append(nil, n))
				n++
				if i == between/2 {
					got = append(got, string(receive(t, player).Payload))
					g.cut()
				}
			}
		}
		engine.Event(nine.Events(), []byte("end"))
		for m := receive(t, player); string(m.Payload) != "end"; m = receive(t, player) {
			got = append(got, string(m.Payload))
		}
		inOrder(t, got, cuts)
		if len(got) < n {
			t.Errorf("%d received of %d", len(got), n)
		}
	})
}

// TestFailover: of a broker's nodes one after the other is gone, or takes connections and says nothing, and the link finds one
// that serves.
func TestFailover(t *testing.T) {
	t.Parallel()
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	a, b := embedded(t), embedded(t)
	opt := a.options("table", nine.Actions())
	opt.URL = "tcp://" + a.addr + ", tcp://" + hole.Addr().String() + ",tcp://" + b.addr
	engine, _ := run(t, opt)
	for _, h := range []*house{a, b} {
		player, stop := run(t, h.options("alice", nine.Events()))
		until(t, player, "up", up)
		until(t, engine, "up", up)
		player.Send(nine.Action("alice"), []byte("call"))
		want(t, engine, nine.Action("alice"), "call")
		engine.Event(nine.Events(), []byte("called"))
		want(t, player, nine.Events(), "called")
		if h == a {
			stop()
			a.stop()
			until(t, engine, "cut off", func(h mqtt.Health) bool { return !h.Up })
		}
	}
}

// TestStatus: what the world sees of a link that breaks, comes back, and ends.
func TestStatus(t *testing.T) {
	everyHouse(t, func(t *testing.T, open func(*testing.T) *house) {
		h := open(t)
		player, _ := run(t, h.options("alice", nine.Status()))
		until(t, player, "up", up)
		g := gate{addr: h.addr}
		opt := h.options("table")
		opt.Dial, opt.Status = g.dial, status(7)
		_, stop := run(t, opt)
		// turns waits for a status, past repeats of the one before, which come every few seconds.
		now := ""
		turns := func(to string) {
			t.Helper()
			m := receive(t, player)
			for string(m.Payload) == now {
				m = receive(t, player)
			}
			if now = string(m.Payload); now != to || m.Topic != nine.Status() {
				t.Fatalf("received %s %q, want %q", m.Topic, m.Payload, to)
			}
		}
		turns("online 7")
		g.cut()
		turns("lost 7")
		turns("online 7")
		stop()
		turns("stopped 7")
		late, _ := run(t, h.options("bob", nine.Status()))
		want(t, late, nine.Status(), "stopped 7")
	})
}

// TestBurst: many requests at once, each of which is answered by publishing. A client that publishes from its handler
// stops for ever here.
func TestBurst(t *testing.T) {
	everyHouse(t, func(t *testing.T, open func(*testing.T) *house) {
		h := open(t)
		const each = 60
		engine, _ := run(t, h.options("table", nine.Actions()))
		until(t, engine, "up", up)
		players := map[string]*mqtt.Link{}
		for _, name := range []string{"alice", "bob", "carol", "dave"} {
			players[name], _ = run(t, h.options(name, nine.Reply(name)))
			until(t, players[name], "up", up)
		}
		for name, l := range players {
			for i := range each {
				l.Send(nine.Action(name), fmt.Append(nil, i))
			}
		}
		for range each * len(players) {
			m := receive(t, engine)
			_, from, err := mqtt.ParseInbound(m.Topic)
			if err != nil {
				t.Fatal(err)
			}
			engine.Send(nine.Reply(from.Name), m.Payload)
		}
		for name, l := range players {
			for i := range each {
				want(t, l, nine.Reply(name), fmt.Sprint(i))
			}
		}
	})
}

func TestLinkIsRefused(t *testing.T) {
	h := embedded(t)
	spy, _ := run(t, h.options("alice", nine.Hole("bob"), nine.Events()))
	until(t, spy, "refused", func(h mqtt.Health) bool {
		return !h.Up && h.Err != nil && strings.Contains(h.Err.Error(), nine.Hole("bob")) && !mqtt.LoginRefused(h.Err)
	})
	opt := h.options("bob")
	opt.Password = "guess"
	guesser, _ := run(t, opt)
	until(t, guesser, "refused", func(h mqtt.Health) bool {
		return !h.Up && mqtt.LoginRefused(h.Err)
	})
}

// TestDeniedMessageHoldsNothingUp: the broker drops what alice may not send, and the link goes on.
func TestDeniedMessageHoldsNothingUp(t *testing.T) {
	h := embedded(t)
	engine, _ := run(t, h.options("table", nine.Actions()))
	until(t, engine, "up", up)
	alice, _ := run(t, h.options("alice"))
	alice.Send(nine.Action("bob"), []byte("fold"))
	alice.State(nine.State(), []byte("forged"))
	alice.Send(nine.Action("alice"), []byte("call"))
	want(t, engine, nine.Action("alice"), "call")
	if h := until(t, alice, "all sent", func(h mqtt.Health) bool { return h.Waiting == 0 }); h.Disconnected != 0 {
		t.Errorf("%+v", h)
	}
}

// TestBlackHoleOverTCP: a server takes the connection and says nothing.
func TestBlackHoleOverTCP(t *testing.T) {
	t.Parallel()
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	l, stop := run(t, (&house{addr: hole.Addr().String()}).options("table"))
	for range mqtt.MaxEvents {
		l.Event(nine.Events(), []byte("x"))
	}
	until(t, l, "given up", func(h mqtt.Health) bool { return h.Disconnected > 0 && h.Err != nil })
	stop()
	if h := l.Health(); h.Waiting != mqtt.MaxEvents {
		t.Errorf("%+v", h)
	}
}

// TestTwoLinksDisagree: two daemons with one name. They throw each other out, and say so, but neither stops.
func TestTwoLinksDisagree(t *testing.T) {
	h := embedded(t)
	a, _ := run(t, h.options("table"))
	until(t, a, "up", up)
	b, _ := run(t, h.options("table"))
	until(t, b, "up", up)
	until(t, a, "thrown out", func(h mqtt.Health) bool { return h.Disconnected > 0 })
	until(t, a, "back", up)
}
