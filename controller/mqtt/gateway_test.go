package mqtt_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tavolo/controller/broker/brokertest"
	"tavolo/controller/mqtt"
)

// A browser plays at a broker of another maker by the page's port, whichever node of it is there; a page from elsewhere does not; and
// whoever is carried is let go when the daemon ends.
func TestGateway(t *testing.T) {
	t.Parallel()
	topics := mqtt.Topics{Studio: "milano", Table: "t1"}
	b := brokertest.Mosquitto(t, topics, []mqtt.Account{{Name: "engine", Role: mqtt.Engine}, {Name: "alice", Role: mqtt.Player}})
	nobody := "tcp://" + brokertest.Address(t)
	g, err := mqtt.NewGateway(nobody+","+b.URLs[0], nil, []string{"table.example"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	life, end := context.WithCancel(t.Context())
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		within, stop := context.WithCancel(r.Context())
		defer stop()
		defer context.AfterFunc(life, stop)()
		g.ServeHTTP(w, r.WithContext(within))
	}))
	defer page.Close()
	at := "ws" + strings.TrimPrefix(page.URL, "http")

	ctx, stop := context.WithCancel(t.Context())
	link := func(url, user string, filters ...string) *mqtt.Link {
		t.Helper()
		l, err := mqtt.NewLink(mqtt.Options{
			URL: url, ClientID: mqtt.NewClientID(user), User: user, Password: brokertest.Password, Subscribe: filters,
		})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		return l
	}
	alice := link(at, "alice", topics.State())
	link(b.URLs[0], "engine").State(topics.State(), []byte("the state"))
	select {
	case m := <-alice.Messages():
		if string(m.Payload) != "the state" {
			t.Errorf("%s", m.Payload)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing comes through")
	}

	for origin, want := range map[string]bool{"https://table.example": true, "https://elsewhere.example": false} {
		c, _, err := websocket.Dial(t.Context(), at, &websocket.DialOptions{
			Subprotocols: []string{"mqtt"}, HTTPHeader: http.Header{"Origin": {origin}},
		})
		if got := err == nil; got != want {
			t.Errorf("a page of %s connects: %v, %v", origin, got, err)
		}
		if err == nil {
			_ = c.CloseNow()
		}
	}
	end()
	g.Wait()
}

// Where no node of the broker is there, who comes is told to try again.
func TestGatewayWithoutBroker(t *testing.T) {
	t.Parallel()
	g, err := mqtt.NewGateway("tcp://"+brokertest.Address(t), nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewServer(g)
	defer page.Close()
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(page.URL, "http"), &websocket.DialOptions{Subprotocols: []string{"mqtt"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Error(err)
	}
	g.Wait()
	if _, err := mqtt.NewGateway("http://broker", nil, nil, nil); err == nil {
		t.Error("a broker at http is one")
	}
}
