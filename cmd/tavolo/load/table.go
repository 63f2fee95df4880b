package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
)

// stack is what a player begins with, and begins again with.
const stack = 200

// A slow machine must not act for players.
const actionClock = time.Minute

// table is a table as the daemon wires it, without hardware.
type table struct {
	run     *run
	topics  mqtt.Topics
	keys    map[string]seal.Key
	journal *journal.Journal
	table   *controller.Table
	public  *mqtt.Publisher
	link    *mqtt.Link
	dealer  *Dealer
	readers []*reader

	mu    sync.Mutex
	at    []time.Time // when each event was in the journal, the event's number being the index
	hands uint64
	moved chan struct{} // has room for one; filled when a reader has an event
}

func (r *run) newTable(name, dir string) (_ *table, err error) {
	t := &table{
		run: r, topics: mqtt.Topics{Studio: "load", Table: name}, keys: map[string]seal.Key{}, at: make([]time.Time, 1),
		dealer: NewDealer("dealer", stack), moved: make(chan struct{}, 1),
	}
	t.dealer.Card = func() time.Duration { return r.opt.Think / 10 }
	rules := engine.Rules{Limit: engine.NoLimit, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2}}
	if rules.Game, err = engine.GameNamed("holdem"); err != nil {
		return nil, err
	}
	if rules.House, err = engine.HouseNamed("tda"); err != nil {
		return nil, err
	}
	var players []controller.Player
	for seat := 1; seat <= r.opt.Players; seat++ {
		user := PlayerUser(seat)
		t.keys[user] = seal.NewKey()
		players = append(players, controller.Player{Seat: engine.Seat(seat), Player: user, Name: user, Kind: controller.Remote, Stack: stack})
	}
	full := t.topics.Studio + "/" + t.topics.Table
	var found journal.Recovery
	if t.journal, found, err = journal.Open(dir, journal.Options{Table: full}); err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			_ = t.journal.Close() // the error at hand says more
		}
	}()
	t.public = &mqtt.Publisher{Topics: t.topics, Title: name}
	t.table, err = controller.New(controller.Options{
		Name: full, Rules: &rules, Players: players, Presence: true,
		Timing:  controller.Timing{ActionClock: actionClock, ShowClock: actionClock, Grace: actionClock},
		Journal: t.journal, Records: t.journal.Records(found.Start), Archive: t.journal, Signed: t.public.Checkpoint,
		Outputs: []controller.Output{t, t.public, t.dealer}, Log: r.opt.Log,
	})
	if err != nil {
		return nil, err
	}
	t.public.Players = mqtt.Seal(t.topics, t.table.Epoch(), t.keys)
	opt := mqtt.Options{
		URL: r.url(), User: engineUser, Password: r.opt.Password,
		ClientID:  mqtt.NewClientID(engineUser),
		Subscribe: t.public.Asked(),
		Paced:     true,
		Status:    mqtt.NewStatus(t.topics, t.table.Epoch(), "load"), Log: r.opt.Log,
	}
	if r.broker != nil {
		opt.Dial = r.broker.Dial
		opt.User, opt.Password = r.broker.EngineLogin()
	}
	if t.link, err = mqtt.NewLink(opt); err != nil {
		return nil, err
	}
	t.public.Sink = t.link
	return t, nil
}

// start starts what the daemon runs.
func (t *table) start(ctx context.Context, g *tasks.Group) {
	g.Go(func() error { return t.link.Run(ctx) })
	g.Go(func() error { t.public.Serve(ctx, t.link.Messages(), t.table, t.run.opt.Log); return nil })
	g.Go(func() error { return t.table.Run(ctx) })
}

// Publish notes when events happened: they are in the journal, and nobody has been told yet.
func (t *table) Publish(u *controller.Update) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for range u.Events {
		t.at = append(t.at, now)
	}
	t.hands = u.State.Hand
}

// happened is when an event did.
func (t *table) happened(seq uint64) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at[seq]
}

// last is the number of the last event.
func (t *table) last() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return uint64(len(t.at) - 1)
}

// begin is called when everybody is connected and nothing happens yet: from here every event must be told.
func (t *table) begin() {
	for _, r := range t.readers {
		r.begin(t.last())
	}
}

// deal deals until over ends, and the hand in play, which there is at least, to its end.
func (t *table) deal(ctx, over context.Context) {
	t.dealer.Deal(ctx, t.table, rand.Uint64(), func(hands uint64) bool { return hands == 0 || over.Err() == nil })
}

// told waits until every reader has the last event. One that missed it, and whatever followed, never will, and is given up
// when nothing has come for a while.
func (t *table) told(ctx context.Context) {
	last := t.last()
	for _, r := range t.readers {
		for r.seq() < last {
			select {
			case <-t.moved:
			case <-ctx.Done():
				return
			case <-time.After(silence):
				return
			}
		}
	}
}

// silence is how long nothing comes before the rest counts as lost: longer than a client takes to ask again.
const silence = 15 * time.Second

// addTo adds what came of the table.
func (t *table) addTo(r *Result) {
	last := t.last()
	r.Hands += t.hands
	r.Events += last
	for _, reader := range t.readers {
		r.Lost += reader.lost + (last - reader.last)
		r.Doubled += reader.doubled
	}
	h := t.link.Health()
	r.Dropped += h.LostEvents + h.LostSends + h.LostStates + h.Unread
}
