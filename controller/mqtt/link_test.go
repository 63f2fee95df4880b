package mqtt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// peer is a broker that does what a test tells it, at the other end of a pipe, in the bubble's time.
type peer struct {
	mute    bool                                       // accepts connections and says nothing
	grant   func() byte                                // answer to each filter; nil for 0
	publish func(n int, p *packets.PublishPacket) what // answer to the nth publication of a connection, from 1; nil for ack
	hello   func(conn net.Conn)                        // after each SUBACK, or CONNACK without subscriptions

	mu     sync.Mutex
	log    []string // what arrived: "CONNECT", "SUBSCRIBE a b", "PUBLISH topic payload", "DISCONNECT", "closed"
	logins []*packets.ConnectPacket
}

type what int

const (
	ack what = iota
	ignore
	hangUp
)

func (p *peer) dial(context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	go p.serve(far)
	return near, nil
}

func (p *peer) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

// took returns what arrived since the last call, without keep-alive.
func (p *peer) took() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log
	p.log = nil
	return log
}

func (p *peer) serve(conn net.Conn) {
	defer conn.Close()
	answer := func(kind byte, fill func(packets.ControlPacket)) {
		a := packets.NewControlPacket(kind)
		fill(a)
		_ = a.Write(conn)
	}
	published := 0
	for {
		in, err := packets.ReadPacket(conn)
		if err != nil {
			p.note("closed")
			return
		}
		switch in := in.(type) {
		case *packets.ConnectPacket:
			p.note("CONNECT")
			p.mu.Lock()
			p.logins = append(p.logins, in)
			p.mu.Unlock()
			if p.mute {
				_, _ = io.Copy(io.Discard, conn)
				return
			}
			answer(packets.Connack, func(packets.ControlPacket) {})
		case *packets.SubscribePacket:
			slices.Sort(in.Topics)
			p.note("SUBSCRIBE %s", strings.Join(in.Topics, " "))
			answer(packets.Suback, func(a packets.ControlPacket) {
				a.(*packets.SubackPacket).MessageID = in.MessageID
				for range in.Topics {
					code := byte(0)
					if p.grant != nil {
						code = p.grant()
					}
					a.(*packets.SubackPacket).ReturnCodes = append(a.(*packets.SubackPacket).ReturnCodes, code)
				}
			})
			if p.hello != nil {
				p.hello(conn)
			}
		case *packets.PublishPacket:
			flags := ""
			if in.Qos != 1 {
				flags += fmt.Sprintf(" (QoS %d)", in.Qos)
			}
			if in.Retain {
				flags += " (retained)"
			}
			p.note("PUBLISH %s %s%s", in.TopicName, in.Payload, flags)
			published++
			do := ack
			if p.publish != nil {
				do = p.publish(published, in)
			}
			switch do {
			case ack:
				if in.Qos == 0 {
					break
				}
				answer(packets.Puback, func(a packets.ControlPacket) { a.(*packets.PubackPacket).MessageID = in.MessageID })
			case hangUp:
				return
			}
		case *packets.PingreqPacket:
			answer(packets.Pingresp, func(packets.ControlPacket) {})
		case *packets.DisconnectPacket:
			p.note("DISCONNECT")
			return
		}
	}
}

var status = Status{Topic: nine.Status(), Online: []byte("online"), Stopped: []byte("stopped"), Lost: []byte("lost")}

const (
	online  = "PUBLISH tavolo/v1/riga/nine/status online (retained)"
	stopped = "PUBLISH tavolo/v1/riga/nine/status stopped (retained)"
)

// bubble runs a test in a bubble of its own time, with a link to p; stop ends Run and waits for it.
func bubble(t *testing.T, p *peer, opt Options, f func(l *Link, stop func())) {
	synctest.Test(t, func(t *testing.T) {
		opt.Dial, opt.ClientID, opt.User, opt.Password = p.dial, "engine:nine", "engine", "secret"
		l, err := NewLink(opt)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Run(ctx) }()
		stop := sync.OnceFunc(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
		defer stop()
		f(l, stop)
	})
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestLinkLife(t *testing.T) {
	p := &peer{}
	bubble(t, p, Options{Subscribe: []string{nine.Actions(), nine.Commands()}, Status: status}, func(l *Link, stop func()) {
		equal(t, p.took(), "CONNECT", "SUBSCRIBE tavolo/v1/riga/nine/act/+ tavolo/v1/riga/nine/dealer/+/cmd", online)
		in := p.logins[0]
		if in.ProtocolName != "MQTT" || in.ProtocolVersion != 4 || !in.CleanSession || in.Keepalive != 10 ||
			in.ClientIdentifier != "engine:nine" || in.Username != "engine" || string(in.Password) != "secret" ||
			!in.WillFlag || in.WillTopic != nine.Status() || string(in.WillMessage) != "lost" || in.WillQos != 1 || !in.WillRetain {
			t.Errorf("CONNECT %+v", in)
		}
		l.mu.Lock() // one batch
		l.out.push(event, nine.Events(), []byte("1"))
		l.out.push(state, nine.State(), []byte("s1"))
		l.out.push(send, nine.Hole("alice"), []byte("sealed"))
		l.out.push(event, nine.Events(), []byte("2"))
		l.mu.Unlock()
		l.stir()
		equal(t, p.took(), "PUBLISH tavolo/v1/riga/nine/pub/ev 1 (QoS 0)", "PUBLISH tavolo/v1/riga/nine/pub/state s1 (retained)",
			"PUBLISH tavolo/v1/riga/nine/seat/alice/hole sealed (QoS 0)", "PUBLISH tavolo/v1/riga/nine/pub/ev 2")
		if h := l.Health(); !h.Up || h.Err != nil || h.Waiting != 0 || !h.Acked.Equal(time.Now()) {
			t.Errorf("%+v", h)
		}
		l.Event(nine.Events(), []byte("3"))
		stop()
		equal(t, p.took(), "PUBLISH tavolo/v1/riga/nine/pub/ev 3", stopped, "DISCONNECT")
		if h := l.Health(); h.Up || h.Err != nil || h.Disconnected != 0 {
			t.Errorf("%+v", h)
		}
	})
}

// TestHeartbeat: a quiet table is told from a dead link, by subscribers and by Health.
func TestHeartbeat(t *testing.T) {
	p := &peer{}
	bubble(t, p, Options{Status: status}, func(l *Link, _ func()) {
		p.took()
		time.Sleep(time.Hour)
		beats := p.took()
		if n := len(beats); n < 355 || n > 360 || slices.ContainsFunc(beats, func(s string) bool { return s != online }) {
			t.Errorf("%d beats: %q", n, beats[:min(n, 5)])
		}
		if age := time.Since(l.Health().Acked); age > heartbeat {
			t.Errorf("acknowledged %v ago", age)
		}
	})
}

// TestBlackHole: something accepts the connection and never answers.
func TestBlackHole(t *testing.T) {
	p := &peer{mute: true}
	bubble(t, p, Options{Status: status}, func(l *Link, stop func()) {
		began := time.Now()
		for range 10 * MaxEvents {
			l.Event(nine.Events(), []byte("x"))
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("publishing waited %v", took)
		}
		time.Sleep(time.Minute)
		tries := slices.DeleteFunc(p.took(), func(s string) bool { return s != "CONNECT" })
		if len(tries) < 6 || len(tries) > 8 { // 5 s each, and up to 6.25 s between two
			t.Errorf("%d attempts in a minute", len(tries))
		}
		if h := l.Health(); h.Up || h.Err == nil || h.Waiting != MaxEvents || h.LostEvents != 9*MaxEvents {
			t.Errorf("%+v", h)
		}
		began = time.Now()
		stop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Run took %v to end", took)
		}
	})
}

func TestRefusedSubscription(t *testing.T) {
	refusals := 3
	p := &peer{grant: func() byte {
		if refusals > 0 {
			refusals--
			return 0x80
		}
		return 0
	}}
	bubble(t, p, Options{Subscribe: []string{nine.Actions()}, Status: status}, func(l *Link, _ func()) {
		sub := "SUBSCRIBE tavolo/v1/riga/nine/act/+"
		equal(t, p.took(), "CONNECT", sub, "closed") // not DISCONNECT: the status must turn to lost
		if h := l.Health(); h.Up || h.Err == nil || !strings.Contains(h.Err.Error(), nine.Actions()) {
			t.Errorf("%+v", h)
		}
		time.Sleep(10 * time.Second)
		equal(t, p.took(), "CONNECT", sub, "closed", "CONNECT", sub, "closed", "CONNECT", sub, online)
		if !l.Health().Up {
			t.Error("not up")
		}
	})
}

// TestNoAnswer: the broker stops acknowledging, three times, and in the end takes the message. It is never given up,
// since nobody hung up on it, and nothing overtakes it.
func TestNoAnswer(t *testing.T) {
	stuck := 3
	p := &peer{publish: func(n int, in *packets.PublishPacket) what {
		if n > 1 && stuck > 0 && in.Qos == 1 { // the status is acknowledged
			stuck--
			return ignore
		}
		return ack
	}}
	bubble(t, p, Options{Status: status}, func(l *Link, _ func()) {
		p.took()
		l.Event(nine.Events(), []byte("1"))
		synctest.Wait() // it is under way alone, and the next one waits
		l.Event(nine.Events(), []byte("2"))
		if h := l.Health(); h.Waiting != 2 {
			t.Errorf("%+v", h)
		}
		time.Sleep(2 * time.Minute)
		got := slices.DeleteFunc(p.took(), func(s string) bool { return s == online })
		one, two := "PUBLISH tavolo/v1/riga/nine/pub/ev 1", "PUBLISH tavolo/v1/riga/nine/pub/ev 2"
		both := one + " (QoS 0)"
		equal(t, got, one, "closed", "CONNECT", both, two, "closed", "CONNECT", both, two, "closed", "CONNECT", both, two)
		if h := l.Health(); !h.Up || h.LostEvents != 0 || h.Disconnected != 3 {
			t.Errorf("%+v", h)
		}
	})
}

// Who is in a hurry is back, when a line falls silent, before a table takes its player for cut off.
func TestADeadLineIsNoticedInTime(t *testing.T) {
	var dead atomic.Bool
	p := &peer{publish: func(int, *packets.PublishPacket) what {
		if dead.Load() {
			return ignore
		}
		return ack
	}}
	bubble(t, p, Options{Patience: 5 * time.Second}, func(l *Link, _ func()) {
		beat := func() { l.Send(nine.Action("alice"), []byte("ping")) }
		beat()
		time.Sleep(5 * time.Second)
		if h := l.Health(); h.Disconnected != 0 {
			t.Fatalf("%+v", h)
		}
		dead.Store(true)
		beat()
		time.Sleep(5*time.Second + quiesce)
		dead.Store(false)
		time.Sleep(2 * firstRetry)
		if h := l.Health(); !h.Up || h.Disconnected != 1 || h.Waiting != 0 {
			t.Errorf("%+v", h)
		}
		if since := time.Since(l.Health().Acked); since > silence-10*time.Second {
			t.Errorf("the ping came %v ago", since)
		}
	})
}

// TestPoison: the broker hangs up on one message. It costs the connection of its batch, two of its own, and that message, and
// nothing else.
func TestPoison(t *testing.T) {
	p := &peer{publish: func(_ int, in *packets.PublishPacket) what {
		if string(in.Payload) == "poison" {
			return hangUp
		}
		return ack
	}}
	bubble(t, p, Options{Status: status}, func(l *Link, _ func()) {
		p.took()
		l.mu.Lock() // one batch
		l.out.push(event, nine.Events(), []byte("1"))
		l.out.push(event, nine.Events(), []byte("poison"))
		l.out.push(event, nine.Events(), []byte("2"))
		l.out.push(state, nine.State(), []byte("poison"))
		l.out.push(state, nine.Checkpoint(), []byte("3"))
		l.out.push(send, nine.Hole("alice"), []byte("poison"))
		l.out.push(event, nine.Events(), []byte("4"))
		l.mu.Unlock()
		l.stir()
		time.Sleep(time.Minute)
		var got []string
		for _, s := range p.took() {
			if word := strings.Fields(s); word[0] == "PUBLISH" && s != online {
				got = append(got, word[2])
			}
		}
		equal(t, got, "1", "poison", // together with all that follow, of which the broker reads nothing
			"1", "poison", "poison", "2", "poison", "poison", "3", "poison",
			"3", "poison", // state goes to every new connection
			"3", "4")
		if h := l.Health(); !h.Up || h.LostEvents != 1 || h.LostStates != 1 || h.LostSends != 1 || h.Disconnected != 7 {
			t.Errorf("%+v", h)
		}
	})
}

// TestPeerStopsReading: the peer takes nothing from the wire any more, and a write blocks. A pipe holds nothing, so it
// is the first.
func TestPeerStopsReading(t *testing.T) {
	p := &peer{hello: func(net.Conn) { time.Sleep(time.Hour) }}
	bubble(t, p, Options{Subscribe: []string{nine.Actions()}, Status: status}, func(l *Link, stop func()) {
		time.Sleep(writeTimeout + time.Millisecond)
		if h := l.Health(); h.Up || h.Disconnected != 1 || !errors.Is(h.Err, os.ErrDeadlineExceeded) {
			t.Errorf("%+v", h)
		}
		stop()
		time.Sleep(time.Hour) // for the peer
	})
}

// TestStopWhileStuck: Run ends in time though the broker does not answer, and without a DISCONNECT, so that the broker
// publishes the will.
func TestStopWhileStuck(t *testing.T) {
	p := &peer{publish: func(n int, _ *packets.PublishPacket) what {
		if n > 1 {
			return ignore
		}
		return ack
	}}
	bubble(t, p, Options{Status: status}, func(l *Link, stop func()) {
		l.Event(nine.Events(), []byte("1"))
		p.took()
		began := time.Now()
		stop()
		if took := time.Since(began); took < drainTimeout || took > drainTimeout+time.Second {
			t.Errorf("Run took %v to end", took)
		}
		equal(t, p.took(), "closed")
		if h := l.Health(); h.Waiting != 1 {
			t.Errorf("%+v", h)
		}
	})
}

// TestInbox: what is received arrives in order; with nobody reading, what exceeds the inbox is dropped and counted and
// the connection goes on.
func TestInbox(t *testing.T) {
	const sent = inboxSize + 44
	p := &peer{hello: func(conn net.Conn) {
		for i := range sent {
			m := packets.NewControlPacket(packets.Publish).(*packets.PublishPacket)
			m.TopicName, m.Payload, m.Retain = nine.Action("alice"), fmt.Append(nil, i), i == 7
			_ = m.Write(conn)
		}
	}}
	bubble(t, p, Options{Subscribe: []string{nine.Actions()}}, func(l *Link, _ func()) {
		l.Event(nine.Events(), []byte("1"))
		equal(t, p.took(), "CONNECT", "SUBSCRIBE tavolo/v1/riga/nine/act/+", "PUBLISH tavolo/v1/riga/nine/pub/ev 1")
		if h := l.Health(); !h.Up || h.Unread != sent-inboxSize {
			t.Errorf("%+v", h)
		}
		for i := range inboxSize {
			m := <-l.Messages()
			if m.Topic != nine.Action("alice") || string(m.Payload) != fmt.Sprint(i) || m.Retained != (i == 7) {
				t.Fatalf("message %d is %+v", i, m)
			}
		}
	})
}

func TestNewLinkNamesEveryFault(t *testing.T) {
	_, err := NewLink(Options{
		URL: "http://broker", Subscribe: []string{"a/#", "a/+", "a/#/b"},
		Status: Status{Topic: "a/+", Online: []byte("x")},
	})
	for _, want := range []string{"http://broker", "client ID", `"a/+" and "a/#" overlap`, `"a/#/b"`, `status topic "a/+"`, "three payloads"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

func TestParseURL(t *testing.T) {
	for in, want := range map[string]string{
		"tcp://broker": "broker:1883", "mqtt://[::1]:5": "[::1]:5", "tls://broker": "broker:8883",
		"mqtts://10.0.0.1": "10.0.0.1:8883", "ws://broker/mqtt": "broker:80", "wss://broker/mqtt": "broker:443",
	} {
		if u, err := parseURL(in); err != nil || u.Host != want {
			t.Errorf("%s: %v, %v", in, u, err)
		}
	}
	for _, in := range []string{"", "broker", "broker:1883", "tcp://", "http://broker", "tcp://:1883", "tcp://me:secret@broker", "tcp://a b", "\x7f"} {
		if u, err := parseURL(in); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, %v", in, u, err)
		}
	}
}

func TestHungUp(t *testing.T) {
	if !hungUp(fmt.Errorf("x: %w", io.EOF)) || hungUp(errNoAnswer) || hungUp(context.Canceled) || hungUp(errors.New("pingresp not received, disconnecting")) {
		t.Error("hungUp")
	}
}
