package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/controller"
	"tavolo/controller/broker/brokertest"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// outage is how long a long cut lasts. Ten minutes are what make soak takes. Whoever is cut off, and whoever waits for him,
// goes through the same in half a minute: the broker notices after 15 s (1.5 times a link's keep-alive of 10 s), a link after
// 15 s at most (keep-alive and ping, or the wait for an acknowledgement), the table counts a player as gone after 15 s
// without a ping, his time is up by the clock and the grace of the test, and a link tries again every 5 s when it has tried
// five times, in 10 s. What comes after is more of the last: tries, and hands that are played without him.
func outage() time.Duration {
	if os.Getenv("TAVOLO_SOAK") != "" {
		return 10 * time.Minute
	}
	return 30 * time.Second
}

// cable is a line to a broker that can be cut: then nothing comes through and nobody is told. What was on its way comes when
// it is mended, as TCP sends it again.
type cable struct {
	url string // of this end

	mu    sync.Mutex
	whole chan struct{} // closed while it is
	calls int           // connections that were asked for
}

// lay lays a cable to a broker, until the test ends.
func lay(t testing.TB, broker string) *cable {
	t.Helper()
	u, err := url.Parse(broker)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{url: "tcp://" + l.Addr().String(), whole: make(chan struct{})}
	close(c.whole)
	var flowing sync.WaitGroup
	background(t, func(ctx context.Context) error {
		defer flowing.Wait()
		defer context.AfterFunc(ctx, func() { _ = l.Close() })()
		for {
			near, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			if err != nil {
				return err
			}
			flowing.Go(func() { c.connect(ctx, near, u.Host) })
		}
	})
	return c
}

func (c *cable) connect(ctx context.Context, near net.Conn, to string) {
	defer near.Close()
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	if !c.passes(ctx) {
		return
	}
	far, err := (&net.Dialer{}).DialContext(ctx, "tcp", to)
	if err != nil {
		return // a broker that is not there
	}
	defer context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			defer way[1].Close()
			_, _ = io.Copy(way[1], gated{ctx, c, way[0]})
		})
	}
	both.Wait()
}

// gated reads what has come through a cable.
type gated struct {
	ctx  context.Context
	c    *cable
	from net.Conn
}

// Read reads, and gives it when the cable is whole.
func (g gated) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	if !g.c.passes(g.ctx) {
		return 0, io.EOF
	}
	return n, err
}

// passes waits until the cable is whole; false when ctx ends before.
func (c *cable) passes(ctx context.Context) bool {
	c.mu.Lock()
	whole := c.whole
	c.mu.Unlock()
	select {
	case <-whole:
		return true
	case <-ctx.Done():
		return false
	}
}

// called is how many connections were asked for, also while it is cut.
func (c *cable) called() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole = make(chan struct{})
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.whole)
}

// round is a table at which hands are dealt without end, and the players at it.
type round struct {
	*rig
	d      *daemon
	people []*sitter
	line   *cable // carla's, nil for none
	still  standing
	last   chan struct{} // closed when the hand in play is to be the last
	ended  <-chan struct{}
}

// begins has a round begin at a broker, "" for that of the daemon. Carla may play over a line that can be cut.
func (r *rig) begins(url string, lined bool) *round {
	r.t.Helper()
	dealer := load.NewDealer("dealer", 200)
	dealer.Card = func() time.Duration { return 20 * time.Millisecond } // so that the journal stays small
	p := &round{rig: r, last: make(chan struct{})}
	p.d = r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer, &p.still) })
	if url == "" {
		url = p.d.brokerURL()
	}
	for _, name := range sitting {
		at := url
		if lined && name == "carla" {
			p.line = lay(r.t, url)
			at = p.line.url
		}
		p.people = append(p.people, r.sits(at, name))
	}
	for _, s := range p.people {
		s.await("the table is reached", func(s *sitter) bool { return s.state.Epoch > 0 })
	}
	p.ended = r.deals(p.d, dealer, func(uint64) bool { return !closed(p.last) })
	p.plays(2)
	return p
}

// standing is whether the table stands still. It is a controller.Output.
type standing struct{ atomic.Bool }

func (s *standing) Publish(u *controller.Update) { s.Store(len(u.Holds) > 0) }

// hand is the hand in play, as alice is told, who has no line that is cut.
func (p *round) hand() uint64 { return p.people[0].hand() }

// plays waits until so many more hands have been begun.
func (p *round) plays(hands uint64) {
	p.t.Helper()
	begun := p.hand()
	p.people[0].await("more hands are played", func(s *sitter) bool { return s.state.View.Hand >= begun+hands })
}

// ends lets more hands be played, and checks that everybody was told all that the journal has.
func (p *round) ends() {
	p.t.Helper()
	p.plays(3)
	close(p.last)
	select {
	case <-p.ended:
	case <-time.After(2 * patience):
		p.t.Fatalf("the last hand does not end: %+v", p.d.link.Health())
	}
	p.people[0].await("who was sat out is back", func(s *sitter) bool {
		return !slices.ContainsFunc(s.state.View.Seats, func(at engine.SeatView) bool { return at.Out && int(at.Seat) <= len(sitting) })
	})
	h := p.read(p.cfg.Journal)
	for _, s := range p.people {
		s.endsLike(&h)
		s.mu.Lock()
		if first := s.events[0]; first.Hand > 1 {
			p.t.Errorf("%s was told from event %d of hand %d on", s.name, first.Seq, first.Hand)
		}
		s.mu.Unlock()
	}
	state := h.at(uint64(len(h.events)))
	p.t.Logf("%d hands, %d events", state.Hand, len(h.events))
}

// A player's line is cut. The table waits for her where the clock does, and where her time runs out the hands go on without
// her. Either way she ends with every event, once, and with the table as it is.
func TestPlayerIsCutOff(t *testing.T) {
	t.Parallel()
	t.Run("10 s", func(t *testing.T) {
		t.Parallel()
		p := virtual(t).begins("", true)
		p.line.cut()
		over := time.After(10 * time.Second)
		p.people[0].await("it is her turn", func(s *sitter) bool { return s.state.View.Awaits.Seat == p.people[2].seat })
		before := p.hand()
		<-over
		if p.hand() != before {
			t.Errorf("it is hand %d, her turn was in hand %d", p.hand(), before)
		}
		p.line.mend()
		p.ends()
	})
	t.Run("long", func(t *testing.T) {
		t.Parallel()
		quick := func(text string) string {
			return strings.Replace(text, "action_clock = \"10m\"", "disconnect_grace = \"3s\"\naction_clock = \"3s\"", 1)
		}
		p := virtual(t, quick).begins("", true)
		p.line.cut()
		over := time.After(outage())
		p.plays(3)
		<-over
		p.line.mend()
		p.ends()
	})
}

// The table's line to its broker is cut: nobody's time runs out, and the hand goes on when it is mended.
func TestTableIsCutOff(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"10 s": 10 * time.Second, "long": outage()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := brokertest.Mosquitto(t, mqtt.Topics{}, besieged())
			line := lay(t, b.URLs[0])
			p := virtual(t, external(t, line.url)).begins(b.URLs[0], false)
			line.cut()
			over := time.After(wait)
			before := uint64(0)
			if wait > 10*time.Second { // so that it must notice
				eventually(t, "the table stands still", p.still.Load)
				before = records(p.cfg.Journal)
			}
			<-over
			if after := records(p.cfg.Journal); before > 0 && after > before+1 { // a card was perhaps on its way
				t.Errorf("%d records while the line was cut", after-before)
			}
			line.mend()
			p.ends()
		})
	}
}

// The broker is killed in a hand and started again, or one node of a cluster, the leader, is: table and players find back, or
// to another node, and everybody ends with the same.
func TestEverybodyEndsAlikeWhenTheBrokerIsKilled(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) *brokertest.Broker{
		"mosquitto":     func(t testing.TB) *brokertest.Broker { return brokertest.Mosquitto(t, mqtt.Topics{}, besieged()) },
		"nats of three": func(t testing.TB) *brokertest.Broker { return brokertest.NATS(t, 3, mqtt.Topics{}, besieged()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			node := 0
			if len(b.URLs) > 1 {
				node = b.Leader()
				b.URLs[0], b.URLs[node] = b.URLs[node], b.URLs[0] // everybody's first
			}
			url := strings.Join(b.URLs, ",")
			p := virtual(t, external(t, url)).begins(url, false)
			b.Kill(node)
			if len(b.URLs) > 1 {
				p.plays(2) // on the others
			}
			b.Start(node)
			p.ends()
		})
	}
}
