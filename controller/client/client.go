// Package client is for programs that play at a table, or deal at it, over MQTT: a player's client, a bot, a console.
//
// Make a Client, Run it, read Messages and Ask. It connects and reconnects by itself, asks to be told again after each
// connection and each restart of the table, passes on each event once and in order, asking for those that were missed, and
// repeats a request until it is answered. What a player and the table say to each other it seals and opens (package seal); each Client is a login
// of its own. The payloads are those of package mqtt.
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
	"slices"
	"sync"
	"time"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
)

// queue bounds what waits for a slow reader. When it is full the oldest message goes: a newer state or turn follows, and
// missed events show as a gap in their numbers. Own cards that went are told again after the next resynchronisation only.
const queue = 256

// missed bounds the events that are kept back while one before them is missing.
const missed = 64

const (
	// look is how often it is seen to that no event is missing, askAgain how long an answer about one may take, twice that after each time it is asked for, and tries how
	// often it is asked for until the reader has to do without.
	look     = 250 * time.Millisecond
	askAgain = time.Second
	tries    = 4
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
	messages chan any

	mu      sync.Mutex
	end     *seal.Player // nil for a console
	waiting map[string]chan mqtt.ReplyPayload
	epoch   uint64
	met     bool                         // whether the table was last said to be there, and what is one's own was asked for
	seq     uint64                       // of the last event passed on, 0 before the first
	held    map[uint64]mqtt.EventPayload // that came after a missing one, by number
	gap     gap
	shown   uint64 // of the last public state
	ping    ping
}

// pingEvery is how often a player's client tells that it is there, and measures how late it is.
const pingEvery = 5 * time.Second

// ping is the last one sent, and how long the answer to the last one answered took.
type ping struct {
	id   string
	at   time.Time
	took time.Duration
}

// gap is what is being done about missing events.
type gap struct {
	since time.Time // when it was noticed; zero for none
	asked time.Time
	times int
}

// Connected says that the table is reached (Up), or no longer.
type Connected struct {
	Up bool
	// Text says why not, for people.
	Text string
}

// New makes a client. It does not connect, Run does.
func New(opt Options) (*Client, error) {
	if err := opt.Topics.Validate(); err != nil {
		return nil, err
	}
	c := &Client{opt: opt, messages: make(chan any, queue), waiting: map[string]chan mqtt.ReplyPayload{}, held: map[uint64]mqtt.EventPayload{}}
	filters := []string{opt.Topics.Status(), opt.Topics.State(), opt.Topics.Events()}
	var farewell mqtt.Farewell
	switch opt.Role {
	case mqtt.Player:
		if opt.Key == "" {
			return nil, errors.New("client: a player needs the key that is shared with the table")
		}
		c.end = seal.NewPlayer(opt.Key, opt.Topics.Channel(opt.User))
		farewell = mqtt.Farewell{
			Topic: opt.Topics.Action(opt.User), Payload: mqtt.Pack(mqtt.GonePayload{V: mqtt.Version, Gone: c.end.Login()}),
		}
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
		TLS: opt.TLS, Subscribe: filters, Farewell: farewell, Log: opt.Log,
	})
	if err != nil {
		return nil, err
	}
	c.link = link
	return c, nil
}

// Run keeps the connection until ctx ends, and returns nil then. Call it once.
func (c *Client) Run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- c.link.Run(ctx) }()
	chase := time.NewTicker(look)
	defer chase.Stop()
	for {
		select {
		case now := <-chase.C:
			if !c.link.Health().Up {
				c.mu.Lock()
				c.met = false // until its status comes again
				c.mu.Unlock()
			}
			c.chase(now)
			c.pingTable(now)
		case m := <-c.link.Messages():
			c.receive(m)
		case err := <-done:
			return err
		}
	}
}

// Messages are what the table says: mqtt.StatePayload, mqtt.EventPayload (of those missed with the player's own cards),
// mqtt.HolePayload, mqtt.TurnPayload, mqtt.OfferPayload, mqtt.PlanPayload, mqtt.BehindPayload and mqtt.PromptPayload as they
// come, opened, and Connected. The channel is never closed.
func (c *Client) Messages() <-chan any { return c.messages }

// Health is how the connection to the broker does. Whether the table is there behind the broker, Connected says.
func (c *Client) Health() mqtt.Health { return c.link.Health() }

// receive sorts one message.
func (c *Client) receive(m mqtt.Message) {
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
		err = c.recall(m)
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
	return payload, err
}

// give queues a message for the reader; the oldest goes when there is no room.
func (c *Client) give(v any) {
	for {
		select {
		case c.messages <- v:
			return
		default:
		}
		select {
		case <-c.messages:
		default:
		}
	}
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
	if s.Epoch < c.epoch && s.State == mqtt.StateLost { // the late will of a run that is over
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
	c.mu.Unlock()
	if up && fresh {
		c.resync()
	}
	if fresh || !up {
		text := ""
		if !up {
			text = "the table is " + s.State
		}
		c.give(Connected{Up: up, Text: text})
	}
	return nil
}

// resync asks to be told again what is one's own. Nobody waits for the reply: it only says that what follows was sent.
func (c *Client) resync() {
	if c.opt.Role == mqtt.Player {
		c.send(mqtt.Pack(mqtt.ActionPayload{V: mqtt.Version, ID: newID(), Action: controller.VerbResync}))
		return
	}
	c.send(mqtt.Pack(mqtt.CommandPayload{V: mqtt.Version, ID: newID(), Command: controller.VerbResync}))
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
	c.link.Send(c.request, request)
}

// event passes on each public event once, in order.
func (c *Client) event(payload []byte) error {
	var e mqtt.EventPayload
	if err := json.Unmarshal(payload, &e); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reached(e.Epoch) {
		c.take(e)
		c.drain()
	}
	return nil
}

// recall takes events that were missed.
func (c *Client) recall(m mqtt.Message) error {
	payload := m.Payload
	if c.end != nil {
		var err error
		if payload, err = c.unseal(m); payload == nil {
			return err
		}
	}
	var p mqtt.PastPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	if c.fill(&p) { // what is missing still is asked for at once: it may be much
		c.chase(time.Now())
	}
	return nil
}

// fill takes events that were missed, and reports whether any was.
func (c *Client) fill(p *mqtt.PastPayload) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Epoch != c.epoch || c.seq == 0 {
		return false
	}
	before := c.seq
	if p.Oldest > c.seq+1 {
		c.seq = p.Oldest - 1
	}
	for _, e := range p.Events {
		c.take(e)
	}
	c.drain()
	if c.seq == before {
		return false
	}
	c.gap = gap{since: time.Now()}
	return true
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
	case c.seq == 0 || e.Seq == c.seq+1:
		c.seq = e.Seq
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
// the time between two looks. A table that is not there cannot be asked; when one that is does not answer the reader does
// without them.
func (c *Client) chase(now time.Time) {
	c.mu.Lock()
	last := c.shown
	if len(c.held) > 0 {
		last = slices.Min(slices.Collect(maps.Keys(c.held))) - 1
	}
	first := c.seq + 1
	switch {
	case !c.met:
		c.mu.Unlock()
		return
	case c.seq == 0 || last < first:
		c.gap = gap{}
		c.mu.Unlock()
		return
	case c.gap.since.IsZero():
		c.gap.since = now
		c.mu.Unlock()
		return
	case now.Sub(c.gap.asked) < askAgain<<c.gap.times: // a table that is late is not asked more for it
		c.mu.Unlock()
		return
	case c.gap.times == tries:
		c.seq, c.gap = last, gap{}
		c.drain()
		c.mu.Unlock()
		return
	}
	c.gap.asked = now
	c.gap.times++
	c.mu.Unlock()
	if c.opt.Role == mqtt.Player {
		c.send(mqtt.Pack(mqtt.ActionPayload{V: mqtt.Version, ID: newID(), Action: controller.VerbEvents, First: first, Last: last}))
		return
	}
	c.send(mqtt.Pack(mqtt.CommandPayload{V: mqtt.Version, ID: newID(), Command: controller.VerbEvents, First: first, Last: last}))
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

// begin forgets what belonged to another run of the table. The caller holds mu.
func (c *Client) begin(epoch uint64) {
	c.epoch, c.seq, c.shown, c.gap = epoch, 0, 0, gap{}
	clear(c.held)
}

// replied takes the reply to a request. The only ones in the clear to a player say that the key is not the table's.
func (c *Client) replied(m mqtt.Message) error {
	var r mqtt.ReplyPayload
	if err := json.Unmarshal(m.Payload, &r); err != nil {
		return err
	}
	switch {
	case c.opt.Role != mqtt.Player:
	case r.Code == mqtt.CodeNotSealed || r.Code == mqtt.CodeTooManyLogins:
		c.give(Connected{Text: fmt.Sprintf("the table does not know %s by this key: %s", c.opt.User, r.Text)})
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
