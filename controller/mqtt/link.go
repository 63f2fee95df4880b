package mqtt

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
)

// Times of a link. An acknowledgement may take long: a clustered broker that has just lost a node is silent for up to
// 11 s and then goes on.
const (
	connectTimeout = 5 * time.Second
	writeTimeout   = 3 * time.Second
	userTimeout    = 8 * time.Second
	subTimeout     = 10 * time.Second
	ackTimeout     = 15 * time.Second
	keepAlive      = 10 * time.Second
	pingTimeout    = 5 * time.Second
	heartbeat      = 10 * time.Second       // a status goes out this often, so that Health and subscribers see life
	drainTimeout   = 5 * time.Second        // for what waits when Run is told to end
	quiesce        = 250 * time.Millisecond // for the last packets of a connection
	firstRetry     = 500 * time.Millisecond // doubled with each failure to get up
	lastRetry      = 5 * time.Second
)

// inboxSize is how many received messages wait for the owner of the Link. One more is dropped and counted: people get
// no reply to it and send it again.
const inboxSize = 256

// The pace of a Paced link, and how many topics it keeps account of; when there are more, all begin anew. After so many
// messages beyond the pace a topic is not listened to for a while, if it is one that was subscribed by itself.
const (
	messageEvery = 20 * time.Millisecond
	messageBurst = 100 * messageEvery
	maxPaced     = 4096
	deafAfter    = 256
	deafTime     = 10 * time.Second
)

// maxStrikes is how often the broker may hang up on one and the same message, alone, before it is given up.
const maxStrikes = 2

// batchSize is how many messages are under way at a time at most.
const batchSize = 64

// Options configures a Link.
type Options struct {
	// URL is the broker's, tcp://, tls://, ws:// or wss://host:port; where it has several nodes theirs, separated by commas.
	// When a connection ends or is not made, the next node is tried.
	URL  string
	TLS  *tls.Config                                 // for tls:// and wss://; nil for the system's trust
	Dial func(ctx context.Context) (net.Conn, error) // opens a connection instead of URL, if set

	ClientID string // see the function ClientID: must be unique, or two links throw each other out
	User     string
	Password string

	Subscribe []string // filters; must not overlap
	// Paced is for whom strangers write to: of each topic no more is received than 50 messages a second, after 100 at once,
	// so that one sender does not take the room of the others. What is beyond is dropped and counted, and of a topic that is
	// subscribed without wildcards the broker is told for 10 s not to send it, so that the others' need not wait behind it.
	Paced bool
	// Patience is how long the broker may take to acknowledge what is published, 15 s if 0. A node of a cluster that has just
	// lost another may take 11 s and then go on; whoever has to notice a dead line sooner connects anew.
	Patience time.Duration
	Status   Status   // published in the name of this link; the zero value for none
	Farewell Farewell // likewise; a link has one of the two
	Log      *slog.Logger
}

// Status is a retained topic that tells the world whether this link's owner is there. The payloads must differ from
// run to run (an epoch), so that nobody takes an old one for news. All three are needed if Topic is set.
type Status struct {
	Topic   string
	Online  []byte // published after each connect and every 10 s
	Stopped []byte // published when Run ends
	Lost    []byte // published by the broker when the connection breaks: the last will
}

// Farewell is what is said, not retained, when Run ends, or by the broker when the connection breaks.
type Farewell struct {
	Topic   string
	Payload func() []byte // called before each connect
}

// Message is something received.
type Message struct {
	Topic   string
	Payload []byte
	// At is when it came in.
	At time.Time
	// Retained says that this was published before the subscription. Never act on a retained command.
	Retained bool
}

// Health is a snapshot of how a link does. Counters start at zero with NewLink.
type Health struct {
	Up    bool      // connected, subscriptions granted, status published
	Since time.Time // when Up last changed; zero if never
	Acked time.Time // when the broker last acknowledged a message; while up, younger than about 25 s if there is a Status
	Err   error     // what ended or prevented the last connection; nil when up

	Waiting      int    // messages not acknowledged yet
	LostEvents   uint64 // pushed out, refused as too large, or given up: gaps for subscribers
	LostSends    uint64 // likewise, of private messages
	LostStates   uint64 // refused or given up
	Unread       uint64 // received, but dropped because Messages was full
	Flooded      uint64 // received, but dropped because their topic had too many
	Disconnected uint64 // connections lost or not established
}

// A Link keeps a connection to a broker, publishes in order, and hands over what it receives. Event, State and Send
// never block and may be called from any goroutine, before Run too: what cannot be sent yet waits, in bounded queues.
//
// What waits is published in batches, the next only when the broker has acknowledged the one before, because that is the only
// way in which order survives a reconnect. The last of a batch goes out at QoS 1, and so does state; the others need no
// acknowledgement of their own, since brokers work through what comes over a connection in order: which saves the round trips,
// and a cluster the storing of what nobody will fetch. So each arrives at least once and in order; after a
// reconnect the messages of one batch may come twice, in order again. Everything is subscribed at QoS 0: sessions are clean,
// so a higher one would promise what it cannot hold; who misses something asks again.
//
// After the broker has hung up, the messages of that batch go one by one. One at which it hangs up twice in a row, being the only
// one unanswered, is given up, or it would keep everything behind it from ever being sent.
type Link struct {
	opt      Options
	urls     []*url.URL // of Run: the first is that of the connection, or of the next one
	farewell []byte     // of Run: that of the connection
	log      *slog.Logger
	inbox    chan Message
	wake     chan struct{}

	mu     sync.Mutex // the rest
	out    outbox
	health Health
	paces  map[string]*pace // of a paced link, by topic
}

// pace is how much comes on a topic.
type pace struct {
	due  time.Time // when the next message is
	over int       // messages that came too soon, since it was listened to
	deaf time.Time // until when it is not, zero while it is
}

// NewLink checks the options; an error names each fault. It does not connect, Run does.
func NewLink(opt Options) (*Link, error) {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("mqtt link: "+format, args...))
		}
	}
	urls, err := []*url.URL{{Scheme: "tcp", Host: "in-process"}}, error(nil)
	if opt.Dial == nil {
		urls, err = parseURLs(opt.URL)
	}
	fault(err != nil, "%w", err)
	fault(opt.ClientID == "", "no client ID")
	for i, f := range opt.Subscribe {
		fault(!validFilter(f), "filter %q: not well-formed", f)
		for _, g := range opt.Subscribe[:i] {
			fault(Covers(f, g) || Covers(g, f), "filters %q and %q overlap", f, g)
		}
	}
	if s := opt.Status; s.Topic != "" {
		fault(!Matches(s.Topic, s.Topic), "status topic %q: not well-formed", s.Topic)
		fault(len(s.Online) == 0 || len(s.Stopped) == 0 || len(s.Lost) == 0, "a status needs all three payloads")
	}
	if f := opt.Farewell; f.Topic != "" {
		fault(!Matches(f.Topic, f.Topic), "farewell topic %q: not well-formed", f.Topic)
		fault(opt.Status.Topic != "", "a status and a farewell: a connection has one last will")
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if opt.Patience == 0 {
		opt.Patience = ackTimeout
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Link{
		opt: opt, urls: urls, log: opt.Log.With("link", opt.ClientID), inbox: make(chan Message, inboxSize),
		wake: make(chan struct{}, 1), paces: map[string]*pace{}, out: outbox{states: map[string]*message{}},
	}, nil
}

// Messages is what was received, in the order of arrival. It is never closed.
func (l *Link) Messages() <-chan Message { return l.inbox }

// Event publishes something that happened. Events go out in the order of the calls, and none is left out but the
// oldest of more than MaxEvents. The payload must not be changed afterwards.
func (l *Link) Event(topic string, payload []byte) { l.push(event, topic, payload) }

// State publishes how something is now, retained. Of several payloads that wait for one topic only the newest is
// sent, and the newest is sent again after each connect, to a broker that may have forgotten it. An empty payload
// takes the state away. The payload must not be changed afterwards.
func (l *Link) State(topic string, payload []byte) { l.push(state, topic, payload) }

// Send publishes something meant for one reader, in order with the events. The payload must not be changed
// afterwards.
func (l *Link) Send(topic string, payload []byte) { l.push(send, topic, payload) }

func (l *Link) push(k kind, topic string, payload []byte) {
	l.mu.Lock()
	dropped := l.out.push(k, topic, payload)
	n := l.out.dropped[k]
	l.mu.Unlock()
	if dropped && n&(n-1) == 0 { // the first, second, fourth …: a flood of drops is no flood of lines
		l.log.Warn("mqtt: queue full or payload too large, message dropped", "topic", topic, "bytes", len(payload), "dropped", n)
	}
	l.stir()
}

// stir has the pump look what there is to do.
func (l *Link) stir() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Health returns how the link does. It may be called from any goroutine.
func (l *Link) Health() Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.health
	h.Waiting += len(l.out.waiting)
	h.LostEvents, h.LostSends, h.LostStates = l.out.dropped[event], l.out.dropped[send], l.out.dropped[state]
	return h
}

// LoginRefused reports whether the error of a Health is the broker's refusal of the user or the password, which no retry
// mends.
func LoginRefused(err error) bool {
	return errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword) || errors.Is(err, packets.ErrorRefusedNotAuthorised)
}

// Run connects, and reconnects, until ctx ends; then it sends what waits and the stopped status, for at most 5 s, and
// returns nil. It returns nothing else: an unreachable broker is no error but a state, see Health. Call it once.
func (l *Link) Run(ctx context.Context) error {
	retry, failed := firstRetry, 0
	for ctx.Err() == nil {
		err := l.session(ctx)
		l.mu.Lock()
		if failed++; l.health.Up {
			l.health.Up, l.health.Since = false, time.Now()
			retry, failed = firstRetry, 0
		}
		l.health.Err = err
		if err != nil {
			l.health.Disconnected++
		}
		l.mu.Unlock()
		if ctx.Err() == nil {
			l.log.Warn("mqtt: no connection", "err", err, "retry", retry)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retry + rand.N(retry/4)): // not all of a studio at once
		}
		l.urls = append(l.urls[1:], l.urls[0])
		if failed > 0 && failed%len(l.urls) == 0 { // each node was tried
			retry = min(2*retry, lastRetry)
		}
	}
	l.log.Info("mqtt: link closed", "unsent", l.Health().Waiting)
	return nil
}

// session is the life of one connection. Each has a client of its own: a client that reconnects by itself resends
// what it thinks is unanswered, in between what is new, completes tokens that were never acknowledged, and cannot be
// told to let go of a message. It returns nil if ctx ended and everything was sent.
func (l *Link) session(ctx context.Context) (err error) {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	drop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) }) // until connected, ending is ending at once
	defer drop()
	if l.opt.Farewell.Topic != "" {
		l.farewell = l.opt.Farewell.Payload()
	}
	var conn net.Conn // set when the client is connected
	client := paho.NewClient(l.clientOptions(life, end, &conn))
	defer func() {
		end(err)
		if conn != nil {
			_ = conn.Close() // now, so that no DISCONNECT goes out and the broker publishes the will
		}
		client.Disconnect(uint(quiesce.Milliseconds())) // for its goroutines
	}()

	connect := client.Connect()
	connect.Wait() // ends with life at the latest
	if err := connect.Error(); err != nil {
		return fmt.Errorf("connect to %s: %w", l.urls[0].Host, err)
	}
	drop()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(drainTimeout):
			end(context.Cause(ctx))
		case <-life.Done():
		}
	})()

	l.mu.Lock()
	clear(l.paces)
	l.mu.Unlock()
	if err := l.subscribe(life, client, l.opt.Subscribe); err != nil {
		return err
	}
	if err := l.say(life, client, l.opt.Status.Online); err != nil {
		return err
	}

	l.mu.Lock()
	l.out.refresh()
	l.health.Up, l.health.Since, l.health.Err = true, time.Now(), nil
	l.mu.Unlock()
	l.log.Info("mqtt: connected", "broker", l.urls[0].Host)
	return l.pump(ctx, life, client)
}

// pump sends what waits, one batch at a time, until the connection is over or ctx has ended and nothing waits.
func (l *Link) pump(ctx, life context.Context, client paho.Client) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		if err := l.hush(life, client); err != nil {
			return err
		}
		if batch := l.take(); len(batch) > 0 {
			err := l.publish(life, client, batch...)
			l.settle(batch, err)
			if err != nil {
				return err
			}
			continue
		}
		select {
		case <-l.wake:
		case <-beat.C:
			if err := l.say(life, client, l.opt.Status.Online); err != nil {
				return err
			}
		case <-ctx.Done():
			if err := l.say(life, client, l.opt.Status.Stopped); err != nil {
				return err
			}
			if f := l.opt.Farewell; f.Topic != "" {
				if err := l.publish(life, client, &message{kind: send, topic: f.Topic, payload: l.farewell}); err != nil {
					return err
				}
			}
			// In order, so that the broker does not publish the will: it returns when the packet is out.
			client.Disconnect(uint(drainTimeout.Milliseconds()))
			return nil
		case <-life.Done():
			return context.Cause(life)
		}
	}
}

// say publishes a status, if there is one.
func (l *Link) say(life context.Context, client paho.Client, status []byte) error {
	if l.opt.Status.Topic == "" {
		return nil
	}
	return l.publish(life, client, &message{kind: state, topic: l.opt.Status.Topic, payload: status})
}

func (l *Link) clientOptions(life context.Context, end context.CancelCauseFunc, conn *net.Conn) *paho.ClientOptions {
	o := paho.NewClientOptions().AddBroker(l.urls[0].String()).
		SetClientID(l.opt.ClientID).SetUsername(l.opt.User).SetPassword(l.opt.Password).
		SetProtocolVersion(4).SetCleanSession(true).SetAutoReconnect(false).SetConnectRetry(false).
		SetKeepAlive(keepAlive).SetPingTimeout(pingTimeout).SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).SetStore(paho.NewOrderedMemoryStore()).
		// Handlers in order are known to deadlock when they publish or wait. This one does neither, and acknowledges
		// nothing, QoS being 0; so messages keep the order in which they came.
		SetOrderMatters(true).
		SetDefaultPublishHandler(l.receive).
		SetConnectionLostHandler(func(_ paho.Client, err error) { end(fmt.Errorf("connection lost: %w", err)) }).
		SetCustomOpenConnectionFn(func(u *url.URL, o paho.ClientOptions) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(life, connectTimeout)
			defer cancel()
			var c net.Conn
			var err error
			if l.opt.Dial != nil {
				c, err = l.opt.Dial(ctx)
			} else {
				c, err = dial(ctx, life, u, l.opt.TLS)
			}
			if err != nil {
				return nil, err
			}
			context.AfterFunc(life, func() { _ = c.Close() })
			*conn = c
			return c, nil
		})
	if s := l.opt.Status; s.Topic != "" {
		o.SetBinaryWill(s.Topic, s.Lost, 1, true)
	}
	if f := l.opt.Farewell; f.Topic != "" {
		o.SetBinaryWill(f.Topic, l.farewell, 1, false)
	}
	return o
}

// hush has the broker no longer send what is flooded, and send again what was.
func (l *Link) hush(life context.Context, client paho.Client) error {
	if !l.opt.Paced {
		return nil
	}
	deaf, again := l.turns(time.Now())
	if len(deaf) > 0 {
		l.log.Warn("mqtt: topics are flooded and not listened to for a while", "topics", deaf, "for", deafTime)
		if err := wait(life, client.Unsubscribe(deaf...), subTimeout); err != nil {
			return fmt.Errorf("unsubscribe: %w", err)
		}
	}
	return l.subscribe(life, client, again)
}

// turns are the topics not to be listened to from now on, and those to be listened to again.
func (l *Link) turns(now time.Time) (deaf, again []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for topic, p := range l.paces {
		switch {
		case p.deaf.IsZero() && p.over >= deafAfter && slices.Contains(l.opt.Subscribe, topic):
			p.deaf = now.Add(deafTime)
			deaf = append(deaf, topic)
		case !p.deaf.IsZero() && !p.deaf.After(now):
			*p = pace{}
			again = append(again, topic)
		}
	}
	return deaf, again
}

// subscribe asks for filters. A refused one (0x80) is no error to the client library, but it is to us: a table
// that hears nobody is not up.
func (l *Link) subscribe(life context.Context, client paho.Client, filters []string) error {
	if len(filters) == 0 {
		return nil
	}
	want := map[string]byte{}
	for _, f := range filters {
		want[f] = 0
	}
	token := client.SubscribeMultiple(want, nil)
	if err := wait(life, token, subTimeout); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	granted := token.(*paho.SubscribeToken).Result()
	var refused []string
	for f := range want {
		if qos, ok := granted[f]; !ok || qos > 2 {
			refused = append(refused, f)
		}
	}
	if len(refused) > 0 {
		slices.Sort(refused)
		l.log.Error("mqtt: the broker refuses subscriptions, check the access rules of this user", "user", l.opt.User, "filters", refused)
		return fmt.Errorf("subscribe: refused by the broker: %q", refused)
	}
	return nil
}

var errNoAnswer = errors.New("no answer from the broker")

// wait waits for a token, the end of the connection, or the time.
func wait(life context.Context, token paho.Token, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-token.Done():
		return token.Error()
	case <-life.Done():
		return context.Cause(life)
	case <-timer.C:
		return errNoAnswer
	}
}

// publish sends messages and waits until the broker has acknowledged them. Any error means that the connection is over.
func (l *Link) publish(life context.Context, client paho.Client, batch ...*message) error {
	tokens := make([]paho.Token, len(batch))
	for i, m := range batch {
		qos := byte(0)
		if m.kind == state || i == len(batch)-1 { // a broker may forget state that was sent at QoS 0
			qos = 1
		}
		tokens[i] = client.Publish(m.topic, qos, m.kind == state, m.payload)
	}
	for i, token := range tokens {
		err := wait(life, token, l.opt.Patience)
		if err == nil {
			continue
		}
		if !errors.Is(err, errNoAnswer) { // the token may know before the reason does
			select {
			case <-life.Done():
				err = context.Cause(life)
			case <-time.After(quiesce):
			}
		}
		return fmt.Errorf("publish to %s: %w", batch[i].topic, err)
	}
	l.mu.Lock()
	l.health.Acked = time.Now()
	l.mu.Unlock()
	return nil
}

// take removes the next messages to send, if there are any.
func (l *Link) take() []*message {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.out.batch()
	l.health.Waiting = len(batch)
	return batch
}

// settle ends what take began: the messages are acknowledged, wait again, or are given up.
func (l *Link) settle(batch []*message, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.health.Waiting = 0
	for _, m := range slices.Backward(batch) {
		if err == nil {
			l.out.done(m)
			continue
		}
		if hungUp(err) {
			m.suspect = true
			if len(batch) == 1 {
				m.strikes++
			}
		}
		if m.strikes < maxStrikes {
			l.out.restore(m)
			continue
		}
		l.out.dropped[m.kind]++
		if m.kind == state {
			l.out.forget(m.topic)
		}
		l.log.Error("mqtt: the broker hangs up on this message, given up; check the access rules and size limit", "topic", m.topic, "bytes", len(m.payload), "err", err)
	}
}

// hungUp reports whether the broker closed the connection, as opposed to not answering or not being reachable.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// receive runs in the client's goroutine and hands over.
func (l *Link) receive(_ paho.Client, m paho.Message) {
	now := time.Now()
	if l.opt.Paced && l.floods(m.Topic(), now) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.health.Flooded++
		if n := l.health.Flooded; n&(n-1) == 0 {
			l.log.Warn("mqtt: too many messages on a topic, dropped", "topic", m.Topic(), "dropped", n)
		}
		return
	}
	select {
	case l.inbox <- Message{Topic: m.Topic(), Payload: m.Payload(), At: now, Retained: m.Retained()}:
		return
	default:
	}
	l.mu.Lock()
	l.health.Unread++
	n := l.health.Unread
	l.mu.Unlock()
	if n&(n-1) == 0 {
		l.log.Warn("mqtt: inbox full, received message dropped", "topic", m.Topic(), "dropped", n)
	}
}

// floods reports whether a message is one too many for its topic.
func (l *Link) floods(topic string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.paces[topic]
	switch {
	case p == nil:
		if len(l.paces) == maxPaced {
			clear(l.paces)
		}
		p = &pace{}
		l.paces[topic] = p
	case p.due.After(now):
		if p.over++; p.over == deafAfter {
			l.stir()
		}
		return true
	}
	if earliest := now.Add(-messageBurst); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(messageEvery)
	return false
}
