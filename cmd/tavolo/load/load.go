// Package load plays at many tables at once, over a broker, to see how fast it is and whether anything gets lost: `tavolo
// load`. The tables are those of the daemon, each with its journal on the disk and its own connection to the broker, but
// without hardware: a Dealer tells them the facts that readers would have led to. Everybody else is a client over TCP.
//
// Start at Run. table.go is a table, people.go who is connected to it, latency.go how times are counted.
package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
)

// The most of everything: beyond it one machine measures nothing but itself.
const (
	MaxTables  = 1000
	MaxPlayers = 9 // a table
	MaxClients = 20000
	MaxTime    = time.Hour
)

// settle bounds the wait for everybody to be connected, at the start, and for the last hands to be over and told, at the
// end.
const settle = 2 * time.Minute

// spectatorUser is the broker's user of all spectators. Players are those of PlayerUser, and the tables mqtt.Engine's.
const (
	engineUser    = "engine"
	spectatorUser = "spectator"
)

// PlayerUser is the user of the broker who plays a seat, 1 to MaxPlayers, at every table.
func PlayerUser(seat int) string { return fmt.Sprintf("player-%d", seat) }

// Options say what is played.
type Options struct {
	// Tables is how many tables there are, each with Players remote players and Spectators.
	Tables, Players, Spectators int
	// Time is how long hands are dealt, one at each table at least. Those in play are then played to the end.
	Time time.Duration
	// Think is the mean time a player takes to decide; the dealer takes a tenth of it for a card. 0 is as fast as it goes.
	Think time.Duration
	// Broker is the URL of a broker on this machine, or those of a cluster's nodes, separated by commas. It knows the users
	// engine, spectator and those of PlayerUser, all with Password. Without a Broker there is an embedded one.
	Broker, Password string
	// Dir is a folder for the journals. It is not removed.
	Dir string
	// Tick, if not nil, is called every second while hands are dealt.
	Tick func()
	Log  *slog.Logger // must not be nil
}

// Validate names each fault of the options.
func (o *Options) Validate() error {
	var errs []error
	within := func(what string, n, least, most int) {
		if n < least || n > most {
			errs = append(errs, fmt.Errorf("%s %d: want %d to %d", what, n, least, most))
		}
	}
	within("tables", o.Tables, 1, MaxTables)
	within("players", o.Players, 2, MaxPlayers)
	within("spectators", o.Spectators, 0, MaxClients)
	if len(errs) == 0 {
		within("clients in all", o.Tables*(o.Players+o.Spectators), 1, MaxClients)
	}
	if o.Time < time.Second || o.Time > MaxTime {
		errs = append(errs, fmt.Errorf("time %v: want 1s to %v", o.Time, MaxTime))
	}
	if o.Think < 0 || o.Think > time.Minute {
		errs = append(errs, fmt.Errorf("time to think %v: want 0s to 1m", o.Think))
	}
	if o.Broker != "" {
		errs = append(errs, onThisMachine(o.Broker))
	}
	return errors.Join(errs...)
}

// onThisMachine refuses a broker elsewhere: what may be other people's is not put under load.
func onThisMachine(broker string) error {
	for node := range strings.SplitSeq(broker, ",") {
		u, err := url.Parse(node)
		if err != nil {
			return fmt.Errorf("broker: %w", err)
		}
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("broker %s: want one on this machine, such as tcp://127.0.0.1:1883", node)
		}
	}
	return nil
}

// embedded is what the broker inside this process is called.
const embedded = "embedded"

// Result is what came of it.
type Result struct {
	Broker     string  `json:"broker"` // embedded, or its URL
	Tables     int     `json:"tables"`
	Players    int     `json:"players"`    // a table
	Spectators int     `json:"spectators"` // a table
	Seconds    float64 `json:"seconds"`    // from the first card to the end of the last hand
	Hands      uint64  `json:"hands"`
	Events     uint64  `json:"events"`
	Requests   uint64  `json:"requests"`
	// Refused are requests that the table did not carry out, Unanswered those that it did not answer in time.
	Refused    uint64 `json:"refused"`
	Unanswered uint64 `json:"unanswered"`
	// Delivered is how many messages came to clients.
	Delivered uint64  `json:"delivered"`
	Rate      float64 `json:"delivered_per_second"`
	// Answer is from asking to having the answer; Player and Spectator from the time that an event was in the journal to
	// that at which a client has it.
	Answer    Latency `json:"answer"`
	Player    Latency `json:"event_to_player"`
	Spectator Latency `json:"event_to_spectator"`
	// Lost is how many events clients did not get, and Doubled how many they got twice: players after having asked for those
	// they missed, spectators as they come.
	Lost    uint64 `json:"lost"`
	Doubled uint64 `json:"doubled"`
	// Dropped is how many messages a full queue of a table's connection gave up.
	Dropped uint64 `json:"dropped"`
	// Memory is the most that this process held at a time, in bytes, with tables, players, spectators and an embedded broker;
	// 0 where the system does not tell.
	Memory int64 `json:"memory"`
	// BrokerMemory is that of the processes of a broker that is not embedded.
	BrokerMemory int64 `json:"broker_memory,omitempty"`
}

// String is the result for people.
func (r *Result) String() string {
	ofBroker := "unknown"
	switch {
	case r.Broker == embedded:
		ofBroker = "in it"
	case r.BrokerMemory > 0:
		ofBroker = fmt.Sprintf("%d MB", r.BrokerMemory>>20)
	}
	return fmt.Sprintf(`broker %s: tables %d, players %d and spectators %d at each, %.1f s
hands %d, events %d, requests %d (refused %d, unanswered %d)
messages to clients: %d, %.0f a second
request -> answer:   %v
event -> player:     %v
event -> spectator:  %v
lost %d, doubled %d, dropped by full queues %d
memory of this process: %d MB, of the broker: %s`, r.Broker, r.Tables, r.Players, r.Spectators, r.Seconds, r.Hands, r.Events, r.Requests, r.Refused,
		r.Unanswered, r.Delivered, r.Rate, r.Answer, r.Player, r.Spectator, r.Lost, r.Doubled, r.Dropped, r.Memory>>20, ofBroker)
}

// run is one run.
type run struct {
	opt     Options
	broker  *broker.Broker // nil for one elsewhere
	clients atomic.Uint32  // that have asked where to connect
	tables  []*table
	counts  counts
}

// Run plays, and returns when all hands are over and told. When ctx ends before, so does Run, with its error.
func Run(ctx context.Context, opt Options) (*Result, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	r := &run{opt: opt}
	if err := r.embed(); err != nil {
		return nil, err
	}
	brokerCtx, stopBroker := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBroker()
	all, stop := context.WithCancel(ctx)
	defer stop()
	last := tasks.Group{Stop: stop}
	if r.broker != nil {
		last.Go(func() error { return r.broker.Run(brokerCtx) })
	}
	g := tasks.Group{Stop: stop}
	begun, err := r.open(all, &g)
	if err == nil {
		err = r.play(all)
	}
	ended := time.Now()
	stop()
	err = errors.Join(err, g.Wait())
	stopBroker()
	err = errors.Join(err, last.Wait())
	for _, t := range r.tables {
		err = errors.Join(err, t.journal.Close())
	}
	if err != nil {
		return nil, err
	}
	return r.result(ended.Sub(begun)), nil
}

// embed makes the embedded broker, unless there is another.
func (r *run) embed() error {
	if r.opt.Broker != "" {
		return nil
	}
	r.opt.Password = rand.Text()
	hash, err := broker.HashPublic(r.opt.Password) // it is as long as a key
	if err != nil {
		return err
	}
	users := []broker.User{{Name: spectatorUser, Role: mqtt.Spectator, Hash: hash}}
	for seat := range r.opt.Players {
		users = append(users, broker.User{Name: PlayerUser(seat + 1), Role: mqtt.Player, Hash: hash})
	}
	everybody := 2 * r.opt.Tables * (r.opt.Players + r.opt.Spectators + 1) // spectators are half of them at most
	r.broker, err = broker.New(broker.Options{
		Address: "127.0.0.1:0", Users: users, Log: r.opt.Log, MaxClients: everybody, UserClients: everybody,
	})
	return err
}

// url is where the next client connects. The nodes of a cluster take turns; the others are there should the first fail.
func (r *run) url() string {
	if r.broker != nil {
		return "tcp://" + r.broker.Addr().String()
	}
	nodes := strings.Split(r.opt.Broker, ",")
	first := int(r.clients.Add(1)) % len(nodes)
	return strings.Join(slices.Concat(nodes[first:], nodes[:first]), ",")
}

// together is at how many tables people connect at a time: a broker to which thousands come at once keeps most of them waiting
// until they give up and come again.
const together = 16

// open starts the tables and lets everybody in. It gives the time at which dealing may begin.
func (r *run) open(ctx context.Context, g *tasks.Group) (begun time.Time, err error) {
	in := make([]sync.WaitGroup, r.opt.Tables)
	for i := range r.opt.Tables {
		if i >= together {
			if err := waitFor(ctx, &in[i-together], "not everybody is connected"); err != nil {
				return begun, err
			}
		}
		t, err := r.newTable(fmt.Sprintf("t%d", i+1), filepath.Join(r.opt.Dir, fmt.Sprintf("t%d", i+1)))
		if err != nil {
			return begun, err
		}
		r.tables = append(r.tables, t)
		t.start(ctx, g)
		if err := r.admit(ctx, g, t, &in[i]); err != nil {
			return begun, err
		}
	}
	for i := range in {
		if err := waitFor(ctx, &in[i], "not everybody is connected"); err != nil {
			return begun, err
		}
	}
	for _, t := range r.tables {
		t.begin()
	}
	return time.Now(), nil
}

// play has hands dealt for a while, and waits until everything is told.
func (r *run) play(ctx context.Context) error {
	var dealing, told sync.WaitGroup
	over, lastCall := context.WithCancel(ctx)
	defer lastCall()
	for _, t := range r.tables {
		dealing.Go(func() { t.deal(ctx, over) })
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for left := r.opt.Time; left > 0 && ctx.Err() == nil; left -= time.Second {
		select {
		case <-tick.C:
			if r.opt.Tick != nil {
				r.opt.Tick()
			}
		case <-ctx.Done():
		}
	}
	lastCall()
	if err := waitFor(ctx, &dealing, "the last hands are not over"); err != nil {
		return err
	}
	for _, t := range r.tables {
		told.Go(func() { t.told(ctx) })
	}
	return waitFor(ctx, &told, "the last events are not told")
}

// waitFor waits for a group, but no longer than settle.
func waitFor(ctx context.Context, g *sync.WaitGroup, otherwise string) error {
	done := make(chan struct{})
	go func() { // ends when what it waits for does, which is when ctx ends at the latest
		g.Wait()
		close(done)
	}()
	select {
	case <-done:
		return ctx.Err()
	case <-time.After(settle):
		return fmt.Errorf("load: %s after %v", otherwise, settle)
	}
}

// result adds up. Everything has ended.
func (r *run) result(took time.Duration) *Result {
	c := &r.counts
	out := &Result{
		Broker: embedded, Tables: r.opt.Tables, Players: r.opt.Players, Spectators: r.opt.Spectators, Seconds: took.Seconds(),
		Requests: c.answer.count(), Refused: c.refused.Load(), Unanswered: c.unanswered.Load(), Delivered: c.delivered.Load(),
		Answer: c.answer.latency(), Player: c.player.latency(), Spectator: c.spectator.latency(), Memory: peakMemory(),
	}
	if r.broker == nil {
		out.Broker, out.BrokerMemory = r.opt.Broker, brokerMemory(r.opt.Broker)
	}
	out.Rate = float64(out.Delivered) / out.Seconds
	for _, t := range r.tables {
		t.addTo(out)
	}
	return out
}
