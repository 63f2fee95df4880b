// Package client is for programs that play at a table, or deal at it, over MQTT: a player's client, a bot, a console.
//
// Make a Client, Run it, read Messages and Act; README.md goes through all of it, and its example is a whole player. It connects
// and reconnects by itself, asks to be told again after each connection and each restart of the table, passes on each event once
// and in order, asking for those that were missed, and repeats a request until it is answered. What a player and the table say
// to each other it seals and opens (package seal); each Client is a login of its own. The payloads are those of package mqtt.
//
// From the first state or event on, every event is passed on, however long the line was cut, how often the table was started
// again, and how slowly the messages are read. What the table's archive no longer holds cannot be: then a Missed says so, and
// the state that comes is what to go on from.
//
// Past tells what was before that, and package hands makes hands of it that can be looked at step by step.
package client

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"reflect"
	"slices"
	"sync"
	"time"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
)

// queue bounds the events that wait for a slow reader. While they are as many no more are taken: they are missing then, and
// asked for when there is room for an answer. Of everything else the newest waits.
const queue = 256

// missed bounds the events that are kept back while one before them is missing, and is how many an answer holds at most.
const missed = 64

const (
	// look is how often it is seen to that no event is missing.
	look = 250 * time.Millisecond
	// askAgain is how long an answer about missing events may take until they are asked for again, twice that after each
	// time, up to askLate; after unheard times the log says so.
	askAgain = time.Second
	askLate  = 16 * time.Second
	unheard  = 5
	// pace is how much time lies between two that ask for missing events: less than a table takes from one sender, so that
	// actions have their room.
	pace = 25 * time.Millisecond
)

// repeat is how long a request waits for its reply before it is sent again; the wait doubles each time, up to the longest, so
// that a table that comes back hears it soon.
const (
	repeat  = time.Second
	longest = 5 * time.Second
)

// Options say who connects to which table.
type Options struct {
	URL    string // of the broker or its nodes, see mqtt.Options
	Topics mqtt.Topics
	// Role is mqtt.Player, or mqtt.Dealer for a console.
	Role     mqtt.Role
	User     string
	Password string
	// TLS is for a URL with tls or wss, nil for the system's trust.
	TLS *tls.Config
	// Key is what a player shares with the table; a console has none.
	Key seal.Key
	Log *slog.Logger // must not be nil
}

// Client is one person's connection to one table. Its methods may be called from any goroutine.
type Client struct {
	opt      Options
	link     *mqtt.Link
	request  string // topic
	reply    string // topic
	past     string // topic
	publish  func(topic string, payload []byte)
	messages chan any
	unread   []any  // of Run: what waits for the reader
	events   int    // of unread
	overrun  uint64 // of Run: how many messages the link had dropped at the last look
	own      own    // of Run

	mu      sync.Mutex
	end     *seal.Player // nil for a console
	waiting map[string]chan mqtt.ReplyPayload
	pasts   map[string]chan mqtt.PastPayload // of Past, by the request
	epoch   uint64
	proven  uint64                       // the latest run of the table that has shown to know the key
	unknown bool                         // whether the reader was told that it does not
	met     bool                         // whether the table was last said to be there, and what is one's own was asked for
	begun   bool                         // whether a state or an event has said where the events begin
	seq     uint64                       // of the last event passed on, or of the state that they began with
	before  uint64                       // seq when the epoch began
	held    map[uint64]mqtt.EventPayload // that came after a missing one, by number
	gap     gap
	shown   uint64 // of the last public state
	ping    ping
}

// pingEvery is how often a player's client tells that it is there, and measures how late it is.
const pingEvery = 5 * time.Second

// patience is how long the broker may take to acknowledge one: a dead line is noticed before the table, which waits 15 s for the
// next ping, counts the player as cut off.
const patience = 5 * time.Second

// ping is the last one sent, and how long the answer to the last one answered took.
type ping struct {
	id   string
	at   time.Time
	took time.Duration
}

// own is what was told of the table and of what is the player's own, and what is being done where they do not agree.
type own struct {
	state mqtt.StatePayload
	turn  mqtt.TurnPayload
	holes [engine.MaxSeats + 1]mqtt.HolePayload
	gap   gap
}

// gap is what is being done about missing events.
type gap struct {
	since time.Time // when it was noticed; zero for none
	asked time.Time
	wait  time.Duration // for the answer
	times int
}

// Missed says that the events from First to Last will not be told: the table's archive no longer holds them. What happened
// shows in the state.
type Missed struct{ First, Last uint64 }

// Connected says that the table is reached (Up), or no longer.
type Connected struct {
	Up bool
	// Code says why not: mqtt.StateLost, mqtt.StateStopped, or where the table does not know the player by the key the code of
	// that refusal, which lasts until the table is heard to know it. Text says it for people.
	Code, Text string
}

// New makes a client. It does not connect, Run does.
func New(opt Options) (*Client, error) {
	if err := opt.Topics.Validate(); err != nil {
		return nil, err
	}
	c := &Client{opt: opt, messages: make(chan any), waiting: map[string]chan mqtt.ReplyPayload{}, pasts: map[string]chan mqtt.PastPayload{}, held: map[uint64]mqtt.EventPayload{}}
	filters := []string{opt.Topics.Status(), opt.Topics.State(), opt.Topics.Events()}
	var farewell mqtt.Farewell
	switch opt.Role {
	case mqtt.Player:
		if opt.Key == "" {
			return nil, errors.New("client: a player needs the key that is shared with the table")
		}
		c.end = seal.NewPlayer(opt.Key, opt.Topics.Channel(opt.User))
		farewell = mqtt.Farewell{Topic: opt.Topics.Action(opt.User), Payload: c.farewell}
		c.request, c.reply, c.past = opt.Topics.Action(opt.User), opt.Topics.Reply(opt.User), opt.Topics.Past(opt.User)
		filters = append(filters, opt.Topics.Hole(opt.User), opt.Topics.Turn(opt.User), opt.Topics.Offer(opt.User), opt.Topics.Plan(opt.User), opt.Topics.Pong(opt.User), opt.Topics.Behind(opt.User),
			c.reply, c.past)
	case mqtt.Dealer:
		c.request, c.reply, c.past = opt.Topics.Command(opt.User), opt.Topics.CommandReply(opt.User), opt.Topics.CommandPast(opt.User)
		filters = append(filters, opt.Topics.Prompt(opt.User), c.reply, c.past)
	default:
		return nil, fmt.Errorf("client: role %q neither plays nor deals", opt.Role)
	}
	link, err := mqtt.NewLink(mqtt.Options{
		URL: opt.URL, ClientID: mqtt.NewClientID(opt.User), User: opt.User, Password: opt.Password,
		TLS: opt.TLS, Subscribe: filters, Patience: patience, Farewell: farewell, Log: opt.Log,
	})
	if err != nil {
		return nil, err
	}
	c.link, c.publish = link, link.Send
	return c, nil
}

// Run keeps the connection until ctx ends, and returns nil then. Call it once.
func (c *Client) Run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- c.link.Run(ctx) }()
	looks := time.NewTicker(look)
	defer looks.Stop()
	more := time.NewTimer(0) // when missing events may be asked for next
	defer more.Stop()
	for {
		var reader chan<- any
		var next any
		if len(c.unread) > 0 {
			reader, next = c.messages, c.unread[0]
		}
		select {
		case now := <-looks.C:
			c.look()
			c.chase(now)
			c.miss(now)
			c.pingTable(now)
		case now := <-more.C:
			c.chase(now)
		case m := <-c.link.Messages():
			if c.receive(m) {
				more.Reset(pace)
			}
		case reader <- next:
			c.handed()
		case err := <-done:
			return err
		}
	}
}

// look sees how the connection does. The link drops what comes while Run has no time: events of that are missing then, and
// what is one's own is asked for anew.
func (c *Client) look() {
	h := c.link.Health()
	c.mu.Lock()
	c.met = c.met && h.Up // until its status comes again
	again := c.met && h.Unread != c.overrun
	c.mu.Unlock()
	if again {
		c.overrun = h.Unread
		c.resync()
	}
}

// Messages are what the table says: mqtt.StatePayload, mqtt.EventPayload (of those missed with the player's own cards),
// mqtt.HolePayload, mqtt.TurnPayload, mqtt.OfferPayload, mqtt.PlanPayload, mqtt.BehindPayload and mqtt.PromptPayload as they
// come, opened, Connected and Missed. For who reads slowly the events wait, and of the others the newest, of cards and plans
// that of each seat. The channel is never closed.
func (c *Client) Messages() <-chan any { return c.messages }

// Health is how the connection to the broker does. Whether the table is there behind the broker, Connected says.
func (c *Client) Health() mqtt.Health { return c.link.Health() }

// receive sorts one message, and reports whether it told missing events, so that what is missing still may be asked for.
func (c *Client) receive(m mqtt.Message) (more bool) {
	t := c.opt.Topics
	var err error
	switch m.Topic {
	case t.Status():
		err = c.status(m)
	case t.State():
		err = c.state(m.Payload)
	case t.Events():
		err = c.event(m.Payload)
	case c.reply:
		err = c.replied(m)
	case c.past:
		more, err = c.recall(m)
	case t.Plan(c.opt.User):
		err = private[mqtt.PlanPayload](c, m)
	case t.Pong(c.opt.User):
		err = c.ponged(m)
	case t.Hole(c.opt.User):
		err = private[mqtt.HolePayload](c, m)
	case t.Turn(c.opt.User):
		err = private[mqtt.TurnPayload](c, m)
	case t.Offer(c.opt.User):
		err = private[mqtt.OfferPayload](c, m)
	case t.Behind(c.opt.User):
		err = private[mqtt.BehindPayload](c, m)
	case t.Prompt(c.opt.User):
		err = pass[mqtt.PromptPayload](c, m.Payload)
	}
	if err != nil {
		c.opt.Log.Warn("message not understood", "topic", m.Topic, "err", err)
	}
	return more
}

func pass[T any](c *Client, payload []byte) error {
	var v T
	err := json.Unmarshal(payload, &v)
	if err == nil {
		c.give(v)
	}
	return err
}

// private passes on what was sealed.
func private[T any](c *Client, m mqtt.Message) error {
	payload, err := c.unseal(m)
	if payload == nil {
		return err
	}
	return pass[T](c, payload)
}

// unseal opens a message on one of the player's topics; nothing without an error is one to be passed over: for another
// device of the player, or overtaken.
func (c *Client) unseal(m mqtt.Message) ([]byte, error) {
	var sealed seal.Message
	if err := json.Unmarshal(m.Payload, &sealed); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	payload, err := c.end.Open(path.Base(m.Topic), sealed)
	if errors.Is(err, seal.ErrOtherLogin) || errors.Is(err, seal.ErrOld) {
		return nil, nil
	}
	if err == nil {
		c.proven = max(c.proven, sealed.Epoch)
		if c.unknown {
			c.unknown = false
			c.give(Connected{Up: c.met})
		}
	}
	return payload, err
}

// give queues a message for the reader, in place of one that it overtakes.
func (c *Client) give(v any) {
	c.own.note(v)
	switch v.(type) {
	case mqtt.EventPayload:
		c.events++
	case Missed:
	default:
		c.unread = slices.DeleteFunc(c.unread, func(old any) bool { return overtakes(v, old) })
	}
	c.unread = append(c.unread, v)
}

// handed notes that the reader has taken the first message.
func (c *Client) handed() {
	if _, ok := c.unread[0].(mqtt.EventPayload); ok {
		c.events--
	}
	c.unread[0] = nil
	c.unread = c.unread[1:]
}

// overtakes reports whether a message says all that is to be known of what an older one says.
func overtakes(v, old any) bool {
	switch v := v.(type) {
	case mqtt.HolePayload:
		o, ok := old.(mqtt.HolePayload)
		return ok && o.Seat == v.Seat
	case mqtt.PlanPayload:
		o, ok := old.(mqtt.PlanPayload)
		return ok && o.Seat == v.Seat
	}
	return reflect.TypeOf(v) == reflect.TypeOf(old)
}

// status is the table's availability. It comes after each connection, since it is retained, and at each restart of the
// table: both are times to ask for what is one's own.
func (c *Client) status(m mqtt.Message) error {
	var s mqtt.StatusPayload
	if err := json.Unmarshal(m.Payload, &s); err != nil {
		return err
	}
	up := s.State == mqtt.StateOnline
	c.mu.Lock()
	// The late will of a run that is over, or what a broker that was restored had kept: the table says it is there every 10 s.
	if s.Epoch < c.epoch && (s.State == mqtt.StateLost || m.Retained) {
		c.mu.Unlock()
		return nil
	}
	fresh := m.Retained || s.Epoch != c.epoch || !c.met
	if s.Epoch != c.epoch {
		c.begin(s.Epoch)
	}
	c.met = up
	if up && fresh {
		c.gap = gap{} // it could not be asked
	}
	if fresh || !up {
		c.unknown = false
	}
	c.mu.Unlock()
	if up && fresh {
		c.resync()
	}
	if fresh || !up {
		said := Connected{Up: up}
		if !up {
			said.Code, said.Text = s.State, "the table is "+s.State
		}
		c.give(said)
	}
	return nil
}

// resync asks to be told again what is one's own. Nobody waits for the reply: it only says that what follows was sent, or will
// be within a second.
func (c *Client) resync() {
	if c.opt.Role == mqtt.Player {
		c.send(mqtt.Pack(mqtt.ActionPayload{V: mqtt.Version, ID: newID(), Action: controller.VerbResync}))
		return
	}
	c.send(mqtt.Pack(mqtt.CommandPayload{V: mqtt.Version, ID: newID(), Command: controller.VerbResync}))
}

// farewell is that of a connection, which begins.
func (c *Client) farewell() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, mac := c.end.Farewell()
	return mqtt.Pack(mqtt.GonePayload{V: mqtt.Version, Gone: c.end.Login(), N: n, MAC: mac})
}

// send sends a request, a player's sealed for the run of the table that is known; before one is, nobody could hear it.
func (c *Client) send(request []byte) {
	if c.opt.Role == mqtt.Player {
		c.mu.Lock()
		defer c.mu.Unlock() // until it is in the queue: the table takes requests in the order of their numbers
		if c.epoch == 0 {
			return
		}
		request = mqtt.Pack(c.end.Seal(c.epoch, request))
	}
	c.publish(c.request, request)
}

// event passes on each public event once, in order.
func (c *Client) event(payload []byte) error {
	var e mqtt.EventPayload
	if err := json.Unmarshal(payload, &e); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reached(e.Epoch) && c.events < queue {
		c.take(e)
		c.drain()
	}
	return nil
}

// recall takes events that were missed, and reports whether any was among them.
func (c *Client) recall(m mqtt.Message) (any bool, err error) {
	payload := m.Payload
	if c.end != nil {
		if payload, err = c.unseal(m); payload == nil {
			return false, err
		}
	}
	var p mqtt.PastPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return false, err
	}
	c.mu.Lock()
	asked := c.pasts[p.ID]
	delete(c.pasts, p.ID)
	c.mu.Unlock()
	if asked != nil {
		asked <- p // there is room for one
		return false, nil
	}
	return c.fill(&p, m.At), nil
}

// Past gives the events from number first to last out of the table's journal, of which a player sees his own cards too: for the
// hands before, since what was missed of the running one comes by itself. Where the oldest are gone it gives those that are
// left. It asks until they are told, or ctx ends, and fails with a *Refused where the table does not tell them.
func (c *Client) Past(ctx context.Context, first, last uint64) (events []mqtt.EventPayload, err error) {
	for first <= last {
		p, err := c.askPast(ctx, first, last)
		switch {
		case err != nil:
			return nil, err
		case len(p.Events) > 0:
			events = append(events, p.Events...)
			first = p.Events[len(p.Events)-1].Seq + 1
		case p.Oldest > first:
			first = p.Oldest
		default:
			return events, nil // the table has not come so far
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer to %s: %w", controller.VerbEvents, ctx.Err())
		}
	}
	return events, nil
}

// askPast asks for events, again and again, until the first of them are told.
func (c *Client) askPast(ctx context.Context, first, last uint64) (mqtt.PastPayload, error) {
	id := newID()
	told, refused := make(chan mqtt.PastPayload, 1), make(chan mqtt.ReplyPayload, 1)
	c.mu.Lock()
	c.pasts[id], c.waiting[id] = told, refused
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pasts, id)
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	request := mqtt.Pack(mqtt.ActionPayload{V: mqtt.Version, ID: id, Action: controller.VerbEvents, First: first, Last: last})
	if c.opt.Role != mqtt.Player {
		request = mqtt.Pack(mqtt.CommandPayload{V: mqtt.Version, ID: id, Command: controller.VerbEvents, First: first, Last: last})
	}
	for wait := askAgain; ; wait = min(2*wait, askLate) {
		c.send(request)
		select {
		case p := <-told:
			return p, nil
		case r := <-refused:
			if !r.OK {
				return mqtt.PastPayload{}, &Refused{r.Code, r.Text}
			}
			refused = nil // it is being told
		case <-time.After(wait):
		case <-ctx.Done():
			return mqtt.PastPayload{}, fmt.Errorf("no answer to %s: %w", controller.VerbEvents, ctx.Err())
		}
	}
}

// fill takes events that were missed, and reports whether any was.
func (c *Client) fill(p *mqtt.PastPayload, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Epoch != c.epoch || !c.begun {
		return false
	}
	before := c.seq
	if p.Oldest > c.seq+1 {
		c.give(Missed{c.seq + 1, p.Oldest - 1})
		c.seq = p.Oldest - 1
	}
	for _, e := range p.Events {
		c.take(e)
	}
	c.drain()
	if c.seq == before {
		return false
	}
	c.gap = gap{since: now}
	return true
}

// note takes in what was told.
func (o *own) note(v any) {
	switch v := v.(type) {
	case mqtt.StatePayload:
		o.state = v
		if a := v.View.Awaits; v.Seq > o.turn.Seq && (a.Seat != o.turn.Seat || a.Kind != o.turn.Kind) {
			o.turn = mqtt.TurnPayload{} // it is over
		}
	case mqtt.TurnPayload:
		o.turn = v
	case mqtt.HolePayload:
		if v.Seat > 0 && v.Seat <= engine.MaxSeats {
			o.holes[v.Seat] = v
		}
	}
}

// lacks reports whether the state shows a turn of the player's, or cards, that were not told.
func (o *own) lacks(player string) bool {
	v := &o.state.View
	for _, who := range o.state.Players {
		if who.Kind != controller.Remote || who.Player != player {
			continue
		}
		switch v.Awaits.Kind {
		case engine.AwaitAction, engine.AwaitReveal, engine.AwaitDiscard, engine.AwaitShield:
			t := &o.turn
			if v.Awaits.Seat == who.Seat && (t.Epoch != o.state.Epoch || t.Hand != v.Hand || t.Seat != who.Seat || t.Kind != v.Awaits.Kind) {
				return true
			}
		}
		hole := &o.holes[who.Seat]
		held := 0
		if hole.Epoch == o.state.Epoch && hole.Hand == v.Hand {
			held = len(hole.Cards)
		}
		for i := range v.Seats {
			if s := &v.Seats[i]; s.Seat == who.Seat && v.Phase != engine.Between && len(s.Cards) > held {
				return true
			}
		}
	}
	return false
}

// miss asks again for what is one's own where some of it was lost, which nothing but the public state shows: it is one message,
// told once. It may come a little later than the state.
func (c *Client) miss(now time.Time) {
	c.mu.Lock()
	met := c.met
	c.mu.Unlock()
	g := &c.own.gap
	switch {
	case c.opt.Role != mqtt.Player || !met || !c.own.lacks(c.opt.User):
		*g = gap{}
	case g.since.IsZero():
		*g = gap{since: now, asked: now, wait: askAgain}
	case now.Sub(g.asked) >= g.wait:
		g.asked, g.wait = now, min(2*g.wait, askLate)
		c.resync()
	}
}

// pingTable tells the table that a player is there.
func (c *Client) pingTable(now time.Time) {
	if c.opt.Role != mqtt.Player || now.Sub(c.ping.at) < pingEvery || !c.link.Health().Up {
		return
	}
	c.mu.Lock()
	c.ping.id, c.ping.at = newID(), now
	c.mu.Unlock()
	c.send(mqtt.Pack(mqtt.ActionPayload{V: mqtt.Version, ID: c.ping.id, Action: controller.VerbPing}))
}

// ponged takes the answer to a ping.
func (c *Client) ponged(m mqtt.Message) error {
	payload, err := c.unseal(m)
	if payload == nil {
		return err
	}
	var p mqtt.PongPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.ID == c.ping.id {
		c.ping.took = time.Since(c.ping.at)
	}
	return nil
}

// RoundTrip is how long the table took to answer a player's last ping, 0 before the first. There is one every 5 s.
func (c *Client) RoundTrip() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ping.took
}

// take passes an event on if it is the next, and keeps it back if one before it is missing. The caller holds mu.
func (c *Client) take(e mqtt.EventPayload) {
	switch {
	case !c.begun || e.Seq == c.seq+1:
		c.begun, c.seq = true, e.Seq
		c.give(e)
	case e.Seq > c.seq && len(c.held) < missed:
		c.held[e.Seq] = e
	}
}

// drain passes on what was kept back and is next now. The caller holds mu.
func (c *Client) drain() {
	for {
		e, ok := c.held[c.seq+1]
		if !ok {
			break
		}
		delete(c.held, e.Seq)
		c.take(e)
	}
	for seq := range c.held {
		if seq <= c.seq {
			delete(c.held, seq)
		}
	}
}

// chase asks for events that are missing: one came after them, or a state that includes them, and they did not follow in
// the time between two looks. A table that is not there cannot be asked; one that is, is asked until it answers.
func (c *Client) chase(now time.Time) {
	first, last, ok := c.missing(now)
	if !ok {
		return
	}
	if c.opt.Role == mqtt.Player {
		c.send(mqtt.Pack(mqtt.ActionPayload{V: mqtt.Version, ID: newID(), Action: controller.VerbEvents, First: first, Last: last}))
		return
	}
	c.send(mqtt.Pack(mqtt.CommandPayload{V: mqtt.Version, ID: newID(), Command: controller.VerbEvents, First: first, Last: last}))
}

// missing are the numbers of the first and the last event to ask for now.
func (c *Client) missing(now time.Time) (first, last uint64, ask bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, last = c.seq+1, c.shown
	if len(c.held) > 0 {
		last = slices.Min(slices.Collect(maps.Keys(c.held))) - 1
	}
	switch g := &c.gap; {
	case !c.begun || last < first:
		*g = gap{}
		return 0, 0, false
	case g.since.IsZero():
		g.since = now
		return 0, 0, false
	case !c.met, c.events > queue-missed, now.Sub(g.asked) < g.wait: // a table that is late is not asked more for it
		return 0, 0, false
	}
	c.gap.asked, c.gap.wait = now, min(max(2*c.gap.wait, askAgain), askLate)
	if c.gap.times++; c.gap.times == unheard {
		c.opt.Log.Warn("the table does not tell events that are missing", "first", first, "last", last, "asked", c.gap.times)
	}
	return first, last, true
}

// state passes on each public snapshot that is not older than the last: a retained one may come after a newer one.
func (c *Client) state(payload []byte) error {
	var s mqtt.StatePayload
	if err := json.Unmarshal(payload, &s); err != nil {
		return err
	}
	c.mu.Lock()
	news := c.reached(s.Epoch) && s.Seq >= c.shown
	if news {
		if !c.begun || s.Seq < c.before { // it has another journal
			c.begun, c.seq, c.before = true, s.Seq, 0
			clear(c.held)
		}
		c.shown = s.Seq
	}
	c.mu.Unlock()
	if news {
		c.give(s)
	}
	return nil
}

// reached reports whether a message of a run of the table is of the latest one known, and makes it that if it is later.
// The caller holds mu.
func (c *Client) reached(epoch uint64) bool {
	if epoch > c.epoch {
		c.begin(epoch)
	}
	return epoch == c.epoch
}

// begin takes up another run of the table: the numbers of the events go on. The caller holds mu.
func (c *Client) begin(epoch uint64) {
	c.epoch, c.before, c.shown, c.gap = epoch, c.seq, 0, gap{}
	clear(c.held)
}

// refused takes what is said in the clear, for anybody may have made the table say it: that a request was not sealed with the
// key that it knows. It means this login only as long as the table has not shown that it knows the key. The next ping tries
// again.
func (c *Client) refused(r *mqtt.ReplyPayload) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown || c.epoch != 0 && c.proven == c.epoch || r.Login != "" && r.Login != c.end.Login() {
		return
	}
	c.unknown = true
	c.give(Connected{Code: r.Code, Text: fmt.Sprintf("the table does not know %s by this key: %s", c.opt.User, r.Text)})
}

// replied takes the reply to a request.
func (c *Client) replied(m mqtt.Message) error {
	var r mqtt.ReplyPayload
	if err := json.Unmarshal(m.Payload, &r); err != nil {
		return err
	}
	switch {
	case c.opt.Role != mqtt.Player:
	case r.Code == mqtt.CodeNotSealed || r.Code == mqtt.CodeTooManyLogins:
		c.refused(&r)
		return nil
	default:
		payload, err := c.unseal(m)
		if payload == nil {
			return err
		}
		r = mqtt.ReplyPayload{}
		if err := json.Unmarshal(payload, &r); err != nil {
			return err
		}
	}
	c.mu.Lock()
	ch := c.waiting[r.ID]
	delete(c.waiting, r.ID)
	c.mu.Unlock()
	if ch != nil {
		ch <- r
	}
	return nil
}

// Refused is a request that the table did not carry out.
type Refused struct {
	// Code is stable, Text is one sentence for a person.
	Code, Text string
}

// Error is the sentence.
func (r *Refused) Error() string { return r.Text }

// Act asks for a player's action and waits for the answer: nil when it is done, a *Refused when it is not, ctx's error
// when there is no answer in time. It repeats the request, which is done once, until then. The client sets V and ID.
func (c *Client) Act(ctx context.Context, a mqtt.ActionPayload) error {
	if c.opt.Role != mqtt.Player {
		return errors.New("client: only a player acts")
	}
	a.V, a.ID = mqtt.Version, newID()
	return c.ask(ctx, a.ID, a.Action, mqtt.Pack(a))
}

// Command asks for what a dealer's console may ask, as Act does.
func (c *Client) Command(ctx context.Context, cmd mqtt.CommandPayload) error {
	if c.opt.Role != mqtt.Dealer {
		return errors.New("client: only a console commands")
	}
	cmd.V, cmd.ID = mqtt.Version, newID()
	return c.ask(ctx, cmd.ID, cmd.Command, mqtt.Pack(cmd))
}

// ask sends a request, again and again, until its reply has come.
func (c *Client) ask(ctx context.Context, id string, verb controller.Verb, request []byte) error {
	ch := make(chan mqtt.ReplyPayload, 1)
	c.mu.Lock()
	c.waiting[id] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	for wait := repeat; ; wait = min(2*wait, longest) {
		c.send(request)
		select {
		case r := <-ch:
			if !r.OK {
				return &Refused{r.Code, r.Text}
			}
			return nil
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("no answer to %s: %w", verb, ctx.Err())
		}
	}
}

// newID is a request identifier that nobody else makes.
func newID() string { return rand.Text() }
