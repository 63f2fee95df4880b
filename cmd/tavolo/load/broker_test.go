package load

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"tavolo/controller/broker/brokertest"
	"tavolo/controller/mqtt"
)

func TestMain(m *testing.M) {
	brokertest.Serve()
	os.Exit(m.Run())
}

// accounts are the users that a run wants, and one more player, who has no seat.
func accounts(players int) []mqtt.Account {
	all := []mqtt.Account{{Name: engineUser, Role: mqtt.Engine}, {Name: spectatorUser, Role: mqtt.Spectator}, {Name: "mallory", Role: mqtt.Player}}
	for seat := range players {
		all = append(all, mqtt.Account{Name: PlayerUser(seat + 1), Role: mqtt.Player})
	}
	return all
}

func over(t *testing.T, b *brokertest.Broker, seconds int) Options {
	return Options{
		Tables: 2, Players: 4, Time: time.Duration(seconds) * time.Second, Think: 10 * time.Millisecond, Broker: b.URLs[0],
		Password: brokertest.Password, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
	}
}

// The broker is killed in the middle of hands and started again: Mosquitto, which forgets everything, a NATS server, and
// of a cluster of three the one that leads it. Every player ends up with every event once, and no request is left without
// its answer.
func TestBrokerIsKilled(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *brokertest.Broker{
		"mosquitto":     func(t testing.TB) *brokertest.Broker { return brokertest.Mosquitto(t, mqtt.Topics{}, accounts(4)) },
		"nats":          func(t testing.TB) *brokertest.Broker { return brokertest.NATS(t, 1, mqtt.Topics{}, accounts(4)) },
		"nats of three": func(t testing.TB) *brokertest.Broker { return brokertest.NATS(t, 3, mqtt.Topics{}, accounts(4)) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "nats of three" && os.Getenv("TAVOLO_LONG") == "" {
				t.Skip("takes half a minute: TAVOLO_LONG=1, as make test-long sets it")
			}
			t.Parallel()
			b := start(t)
			node, kills := 0, 0
			if len(b.URLs) > 1 {
				node = b.Leader()
			}
			o := over(t, b, 3)
			o.Tick = func() {
				if kills++; kills == 1 {
					b.Kill(node)
					b.Start(node)
				}
			}
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Log("\n" + r.String())
			if r.Lost+r.Doubled+r.Unanswered+r.Dropped > 0 || r.Hands < 2 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A player of the broker floods a table with requests that are none, as fast as the broker takes them. The hands go on, and
// nobody else misses anything.
func TestFlood(t *testing.T) {
	t.Parallel()
	b := brokertest.Mosquitto(t, mqtt.Topics{}, accounts(4)) // which, unlike the embedded one, does not slow anybody down
	c := paho.NewClient(paho.NewClientOptions().AddBroker(b.URLs[0]).SetClientID("mallory").SetUsername("mallory").SetPassword(brokertest.Password))
	if token := c.Connect(); !token.WaitTimeout(time.Minute) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	defer c.Disconnect(0)
	const enough = 100
	n, stop, flooded := 0, make(chan struct{}), make(chan struct{})
	var flood sync.WaitGroup
	flood.Go(func() {
		for ; !closed(stop); n++ {
			at := mqtt.Topics{Studio: "load", Table: fmt.Sprintf("t%d", n%2+1)}
			c.Publish(at.Action("mallory"), 0, false, `{"v":1,"id":"x","action":"fold"}`).Wait()
			if n == enough {
				close(flooded)
			}
		}
	})
	o := over(t, b, 3)
	o.Tick = func() {
		select {
		case <-flooded:
		case <-time.After(time.Minute):
		}
	}
	r, err := Run(t.Context(), o)
	close(stop)
	flood.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages of the flood\n%v", n, r)
	if r.Lost+r.Doubled+r.Unanswered > 0 || r.Hands < 2 || n < enough {
		t.Errorf("%+v", r)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// BenchmarkLoad is a minute of full load over each broker: one table that a thousand watch, and two hundred of eight players.
// One line of -bench runs one of them; memory is the peak of a process, so only the first of several shows its own.
func BenchmarkLoad(b *testing.B) {
	for _, broker := range []struct {
		name  string
		start func(testing.TB) *brokertest.Broker
	}{
		{"embedded", nil},
		{"mosquitto", func(t testing.TB) *brokertest.Broker { return brokertest.Mosquitto(t, mqtt.Topics{}, accounts(8)) }},
		{"nats of three", func(t testing.TB) *brokertest.Broker { return brokertest.NATS(t, 3, mqtt.Topics{}, accounts(8)) }},
	} {
		for _, o := range []Options{{Tables: 1, Players: 6, Spectators: 1000}, {Tables: 200, Players: 8}} {
			b.Run(fmt.Sprintf("%s/%d tables", broker.name, o.Tables), func(b *testing.B) {
				o.Time, o.Think, o.Log = time.Minute, time.Second, slog.New(slog.DiscardHandler)
				if broker.start != nil {
					o.Broker, o.Password = strings.Join(broker.start(b).URLs, ","), brokertest.Password
				}
				for b.Loop() {
					o.Dir = b.TempDir()
					r, err := Run(b.Context(), o)
					if err != nil {
						b.Fatal(err)
					}
					b.Log("\n" + r.String())
					b.ReportMetric(r.Answer.Median, "answer-ms")
					b.ReportMetric(r.Answer.P99, "answer-p99-ms")
					b.ReportMetric(r.Player.Median, "event-ms")
					b.ReportMetric(r.Player.P99, "event-p99-ms")
				}
			})
		}
	}
}

// BenchmarkUpdate measures how long it takes until everything is told that follows from a player's action: two events, the
// state, a reply and the next turn, the last of which a client waits for.
func BenchmarkUpdate(b *testing.B) {
	for name, start := range map[string]func(testing.TB) *brokertest.Broker{
		"mosquitto":     func(t testing.TB) *brokertest.Broker { return brokertest.Mosquitto(t, mqtt.Topics{}, accounts(1)) },
		"nats":          func(t testing.TB) *brokertest.Broker { return brokertest.NATS(t, 1, mqtt.Topics{}, accounts(1)) },
		"nats of three": func(t testing.TB) *brokertest.Broker { return brokertest.NATS(t, 3, mqtt.Topics{}, accounts(1)) },
	} {
		b.Run(name, func(b *testing.B) {
			br := start(b)
			at, player := mqtt.Topics{Studio: "load", Table: "t1"}, PlayerUser(1)
			link := func(user string, filters ...string) *mqtt.Link {
				l, err := mqtt.NewLink(mqtt.Options{
					URL: br.URLs[0], ClientID: mqtt.NewClientID(user), User: user, Password: brokertest.Password, Subscribe: filters,
				})
				if err != nil {
					b.Fatal(err)
				}
				ctx, stop := context.WithCancel(context.Background())
				var running sync.WaitGroup
				running.Go(func() { _ = l.Run(ctx) }) // it returns nil
				b.Cleanup(func() { stop(); running.Wait() })
				for !l.Health().Up {
					time.Sleep(time.Millisecond)
				}
				return l
			}
			reader, table := link(player, at.Turn(player)), link(engineUser)
			payload := make([]byte, 1000)
			for b.Loop() {
				table.Event(at.Events(), payload)
				table.Event(at.Events(), payload)
				table.State(at.State(), payload)
				table.Send(at.Reply(player), payload)
				table.Send(at.Turn(player), payload)
				select {
				case <-reader.Messages():
				case <-time.After(time.Minute):
					b.Fatal("nothing comes")
				}
			}
		})
	}
}
