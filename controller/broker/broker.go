// Package broker is the MQTT broker inside the daemon, for a table that has no other. It keeps everything in memory:
// what must survive is in the journal, and the table publishes its state again.
//
// It is the mochi server behind a door of our own, because by itself that server lets a client leave a forged last
// will, take over another's session, and throws out a client that publishes where it may not. What a user may do is
// the table of rules of package mqtt.
//
// Start at New and Run; hook is where every decision about a client is made.
package broker

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	mochi "github.com/mochi-mqtt/server/v2"

	"tavolo/controller/mqtt"
)

// What a client may use up.
const (
	maxPacket        = 64 << 10               // bytes
	maxQueue         = 1024                   // messages waiting for a slow client; more are dropped, and it asks again
	maxSubscriptions = 64                     // of one client
	maxKeepAlive     = 300                    // seconds; also, a client without keep-alive is refused
	loginTimeout     = 5 * time.Second        // from connecting to CONNECT, and to the turn of its password to be checked
	writeTimeout     = 5 * time.Second        // for one write; then the client is gone
	packetEvery      = 20 * time.Millisecond  // in the long run …
	packetBurst      = 100 * packetEvery      // … after this many at once
	acceptPause      = 100 * time.Millisecond // after a failed accept: out of file descriptors
	sayEvery         = time.Minute            // how often the log says of one reason that clients are refused for it
	defaultClients   = 1024
	defaultOfUser    = 16
	fewPending       = 16 // of one address may be about to log in, however few clients there may be
)

// engineUser is the user the daemon itself logs in as.
const engineUser = "engine"

// Options configures a Broker.
type Options struct {
	Address string // TCP address to listen on, host:port; empty for none
	// TLS is for Address; nil for plain TCP. A client with a certificate logs in as its common name. With an authority for
	// clients in it everybody needs one, over a WebSocket too, where those of the roles spectator and delayed alone do not.
	TLS     *tls.Config
	Origins []string // hosts, or patterns of path.Match, whose web pages may connect, beside the serving host's own
	Users   []User
	// MaxClients is how many may be connected at a time, 0 for 1024, and UserClients how many as one user, 0 for 16. Users whom many share, those of the roles spectator and delayed, may be half of MaxClients. One more
	// is refused as by a server that is unavailable, code 3, so that it tries again. As many as MaxClients may be about to log
	// in, and an eighth of them from one address, or 16; one more is hung up on. The engine inside the daemon is not counted.
	MaxClients, UserClients int
	Log                     *slog.Logger
}

// User is somebody who may log in.
type User struct {
	Name string    // see mqtt.ValidID; "engine" is taken
	Role mqtt.Role // what the user may do
	Hash string    // of the password, see HashPassword
}

type account struct {
	role mqtt.Role
	hash hash
}

// Stats counts what was refused since New.
type Stats struct {
	Clients int    // connections now
	Logins  uint64 // refused: password, client ID, will, session, protocol, or too many
	Denied  uint64 // messages dropped because their sender may not write there
	Flooded uint64 // messages dropped because their sender sent too many
	Slow    uint64 // messages dropped because their reader was too slow
}

// Broker is a broker. Make one with New. All methods may be called from any goroutine.
type Broker struct {
	opt      Options
	log      *slog.Logger
	server   *mochi.Server
	listener net.Listener // nil without Address
	accounts map[string]account
	words    *passwords
	password string // of the engine

	logins, denied, flooded, slow atomic.Uint64

	opened  chan struct{} // closed when clients are let in
	closing chan struct{} // closed when no more are
	serving sync.WaitGroup

	mu      sync.Mutex
	running bool
	conns   map[*conn]struct{}
	clients map[string]*conn // by client ID; the last to ask for it
	said    map[string]said  // of refusals, by their reasons
}

// said is when the log said that clients are refused for a reason, and how many were since.
type said struct {
	at    time.Time
	since int
}

// New checks the options and opens the listener, so that Addr is known and clients can connect as soon as Run runs.
// An error names each fault. Without a call of Run the listener stays open.
func New(opt Options) (*Broker, error) {
	var errs []error
	accounts := map[string]account{engineUser: {role: mqtt.Engine}}
	for i, u := range opt.Users {
		h, err := parseHash(u.Hash)
		if err != nil {
			errs = append(errs, fmt.Errorf("users[%d].hash: %w", i, err))
		}
		if !mqtt.ValidID(u.Name) {
			errs = append(errs, fmt.Errorf("users[%d].name: %q: want 1 to 32 of a-z 0-9 -", i, u.Name))
		}
		if !u.Role.Valid() {
			errs = append(errs, fmt.Errorf("users[%d].role: no role %q", i, u.Role))
		}
		if _, taken := accounts[u.Name]; taken {
			errs = append(errs, fmt.Errorf("users[%d].name: %q is taken", i, u.Name))
		}
		accounts[u.Name] = account{role: u.Role, hash: h}
	}
	for i, o := range opt.Origins {
		if _, err := path.Match(o, ""); err != nil || o == "" {
			errs = append(errs, fmt.Errorf("origins[%d]: %q: not a host or pattern", i, o))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("broker: %w", errors.Join(errs...))
	}
	opt.MaxClients = cmp.Or(opt.MaxClients, defaultClients)
	opt.UserClients = cmp.Or(opt.UserClients, defaultOfUser)
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}

	b := &Broker{
		opt: opt, log: opt.Log, accounts: accounts, words: newPasswords(), password: rand.Text(),
		opened: make(chan struct{}), closing: make(chan struct{}), conns: map[*conn]struct{}{}, clients: map[string]*conn{},
		said: map[string]said{},
	}
	b.words.admit(engineUser, b.password)
	caps := mochi.NewDefaultServerCapabilities()
	caps.MaximumMessageExpiryInterval = 0 // 24 h by default, after which state would vanish
	caps.MaximumPacketSize = maxPacket
	caps.MaximumClientWritesPending = maxQueue
	caps.MinimumProtocolVersion = 4
	b.server = mochi.New(&mochi.Options{
		Capabilities:           caps,
		SysTopicResendInterval: int64((24 * time.Hour).Seconds()), // nobody may read them
		Logger:                 slog.New(slog.DiscardHandler),     // it logs whole packets: passwords, cards
	})
	if err := b.server.AddHook(&hook{broker: b}, nil); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	if opt.Address != "" {
		var err error
		if b.listener, err = net.Listen("tcp", opt.Address); err != nil {
			return nil, fmt.Errorf("broker: %w", err)
		}
	}
	return b, nil
}

// Addr is where the broker listens for TCP, nil if it does not.
func (b *Broker) Addr() net.Addr {
	if b.listener == nil {
		return nil
	}
	return b.listener.Addr()
}

// EngineLogin is how the daemon itself logs in. The password is made up anew by every New and never leaves memory.
func (b *Broker) EngineLogin() (user, password string) { return engineUser, b.password }

// Stats returns the counters.
func (b *Broker) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{len(b.conns), b.logins.Load(), b.denied.Load(), b.flooded.Load(), b.slow.Load()}
}

// Run serves clients until ctx ends, then closes their connections, waits for them and returns nil. Call it once.
func (b *Broker) Run(ctx context.Context) error {
	if err := b.server.Serve(); err != nil { // it has no listeners: it only starts its clock
		return fmt.Errorf("broker: %w", err)
	}
	b.mu.Lock()
	b.running = true
	b.mu.Unlock()
	close(b.opened)
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		b.accept()
	}()

	<-ctx.Done()
	close(b.closing)
	b.mu.Lock()
	b.running = false
	for c := range b.conns {
		_ = c.Close()
	}
	b.mu.Unlock()
	var err error
	if b.listener != nil {
		err = b.listener.Close()
	}
	<-accepting
	b.serving.Wait()
	return errors.Join(err, b.server.Close())
}

// accept lets clients in. The server's own listener loses connections when it closes and has a data race.
func (b *Broker) accept() {
	for b.listener != nil {
		tcp, err := b.listener.Accept()
		if err != nil {
			select {
			case <-b.closing:
				return
			case <-time.After(acceptPause):
				b.log.Warn("broker: accept", "err", err)
				continue
			}
		}
		if b.opt.TLS != nil {
			tcp = tls.Server(tcp, b.opt.TLS)
		}
		if c := b.admit(tcp, tcp.Close, Origin(tcp.RemoteAddr().String())); c != nil {
			go b.serve(c)
		}
	}
}

// ServeHTTP lets a client in over a WebSocket, subprotocol mqtt. A web page may connect if it comes from the host it
// connects to or from one of Options.Origins. It may be mounted anywhere, waits for Run to begin, and returns when the
// client is gone.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-b.opened:
	case <-r.Context().Done():
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mqtt"}, OriginPatterns: b.opt.Origins})
	if err != nil {
		b.refuse("no websocket", "remote", r.RemoteAddr, "err", err)
		return // and has been answered
	}
	if ws.Subprotocol() != "mqtt" {
		_ = ws.Close(websocket.StatusPolicyViolation, "subprotocol mqtt wanted")
		return
	}
	// The certificate that a browser showed to the page's port counts as one shown to the broker's.
	if c := b.admit(websocket.NetConn(context.Background(), ws, websocket.MessageBinary), ws.CloseNow, Origin(r.RemoteAddr)); c != nil {
		c.web = r.TLS
		b.serve(c)
	}
}

// Dial connects from inside the daemon, with no socket in between and whatever the number of clients. It waits for Run
// to begin, and is made for mqtt.Options.Dial.
func (b *Broker) Dial(ctx context.Context) (net.Conn, error) {
	select {
	case <-b.opened:
	case <-ctx.Done():
		return nil, fmt.Errorf("broker: not running yet: %w", ctx.Err())
	}
	near, far := net.Pipe()
	c := b.admit(far, far.Close, "")
	if c == nil {
		return nil, errors.New("broker: closed")
	}
	go b.serve(c)
	return near, nil
}

// Origin is where a client with an address, as of net.Conn or http.Request, comes from, as far as it matters who takes whose room: its address, or of IPv6 the /64 it is in, of
// which everybody has as many addresses as he likes.
func Origin(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	net, _ := ip.WithZone("").Prefix(64) // it has as many bits
	return net.String()
}

// admit counts a connection in, or closes it and returns nil if there are too many or the broker is not running. It comes from
// an origin, or from inside the daemon, "". What it returns must be served.
func (b *Broker) admit(raw net.Conn, shut func() error, from string) *conn {
	b.mu.Lock()
	running := b.running
	pending := func(c *conn) bool { return c.id == "" }
	full := from != "" && (b.count(pending) >= b.opt.MaxClients ||
		b.count(func(c *conn) bool { return pending(c) && c.from == from }) >= max(b.opt.MaxClients/8, fewPending))
	var c *conn
	if running && !full {
		c = &conn{Conn: raw, shut: shut, from: from, until: time.Now().Add(loginTimeout), gone: make(chan struct{})}
		b.conns[c] = struct{}{}
		b.serving.Add(1)
	}
	b.mu.Unlock()
	if c == nil {
		_ = shut()
		if full {
			b.refuse("too many connections that are yet to log in", "remote", raw.RemoteAddr())
		}
	}
	return c
}

// count counts connections from outside. The caller holds mu.
func (b *Broker) count(which func(*conn) bool) (n int) {
	for c := range b.conns {
		if c.from != "" && which(c) {
			n++
		}
	}
	return n
}

// refuse counts a refusal and logs it: of each reason the first, and one of those that follow in a minute. There are few
// reasons, so the log stays short.
func (b *Broker) refuse(why string, args ...any) {
	b.logins.Add(1)
	b.mu.Lock()
	before := b.said[why]
	if time.Since(before.at) < sayEvery {
		before.since++
		b.said[why] = before
		b.mu.Unlock()
		return
	}
	b.said[why] = said{at: time.Now()}
	b.mu.Unlock()
	b.log.Warn("broker: refused", append(args, "why", why, "unsaid", before.since)...)
}

// serve talks to a client until it is gone.
func (b *Broker) serve(c *conn) {
	defer b.serving.Done()
	defer close(c.gone)
	_ = c.SetReadDeadline(c.until)
	err := b.server.EstablishConnection("tavolo", c)
	_ = c.Close()
	b.mu.Lock()
	delete(b.conns, c)
	if b.clients[c.id] == c {
		delete(b.clients, c.id)
	}
	b.mu.Unlock()
	b.log.Debug("broker: client gone", "client", c.id, "remote", c.RemoteAddr(), "err", err)
}

// claim makes a connection a user's, and the only one with a client ID, and says nothing, or why there is no room for it. One
// that has the ID is closed, and claim waits until the server has let go of it, its will published and its subscriptions
// gone: the server by itself goes on too early, and may take the new client's subscriptions for the old one's.
func (b *Broker) claim(c *conn, user, id string, role mqtt.Role) (why string) {
	b.mu.Lock()
	before := b.clients[id]
	if why = b.room(c, before, user, role); why != "" {
		b.mu.Unlock()
		return why
	}
	b.clients[id], c.id, c.user = c, id, user
	b.mu.Unlock()
	if before != nil {
		_ = before.Close()
		<-before.gone
	}
	return ""
}

// authority reports whether there is one for the certificates of clients.
func (b *Broker) authority() bool { return b.opt.TLS != nil && b.opt.TLS.ClientCAs != nil }

// room says why there is none for a connection that takes the place of another, if there is. The caller holds mu.
func (b *Broker) room(c, before *conn, user string, role mqtt.Role) (why string) {
	others := func(o *conn) bool { return o.id != "" && o != before }
	most := b.opt.UserClients
	if role.Public() {
		most = (b.opt.MaxClients + 1) / 2
	}
	switch {
	case c.from == "":
	case b.count(others) >= b.opt.MaxClients:
		return "too many clients"
	case role != mqtt.Engine && b.count(func(o *conn) bool { return others(o) && o.user == user }) >= most:
		return "too many clients of one user"
	}
	return ""
}

// conn is a client's connection, with what is known of the client.
type conn struct {
	net.Conn
	shut  func() error
	from  string               // see Origin; "" for inside the daemon
	until time.Time            // when its time to log in is over
	web   *tls.ConnectionState // of the page, nil over plain HTTP and elsewhere
	gone  chan struct{}        // closed when the server has let go of it

	// Set at login by the client's goroutine under Broker.mu, and only read by others under it or once the server knows the
	// client.
	id     string // client ID; "" for one that has not logged in
	user   string
	role   mqtt.Role
	grants mqtt.Grants

	// Of the client's goroutine.
	due   time.Time  // when the next packet is, at one every packetEvery
	flood bool       // the packet in hand is one too many
	ahead chan ahead // what present has read, nil if nothing
	early ahead      // of that, what is still to be given out
}

// ahead is what was read before it was asked for.
type ahead struct {
	data []byte
	err  error
}

// present gives a context that ends when the client hangs up or its time to log in is over; what it sends meanwhile is kept, and if it
// does, its time alone counts. The client's goroutine calls it, once, before it waits for something else than what it reads.
func (b *Broker) present(c *conn) (ctx context.Context, done context.CancelFunc) {
	ctx, done = context.WithDeadline(context.Background(), c.until)
	c.ahead = make(chan ahead, 1)
	b.serving.Go(func() {
		buf := make([]byte, 1024)
		n, err := c.Conn.Read(buf)
		c.ahead <- ahead{buf[:n], err}
		if err == nil {
			select {
			case <-ctx.Done():
			case <-b.closing:
			}
		}
		done()
	})
	return ctx, done
}

// Read reads, first what came while a password was checked.
func (c *conn) Read(p []byte) (int, error) {
	if c.ahead != nil {
		c.early = <-c.ahead // a deadline that is set meanwhile is its own too
		c.ahead = nil
	}
	if len(c.early.data) > 0 {
		n := copy(p, c.early.data)
		c.early.data = c.early.data[n:]
		return n, nil
	}
	if c.early.err != nil {
		return 0, c.early.err
	}
	return c.Conn.Read(p)
}

// Close closes the connection at once. It may be called twice.
func (c *conn) Close() error { return c.shut() }

// Write writes to the client, which is gone if it does not take it in time: the server would go on with half a packet.
func (c *conn) Write(p []byte) (int, error) {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := c.Conn.Write(p)
	if err != nil {
		_ = c.Close()
	}
	return n, err
}

// SetDeadline sets the deadline for reading only: the server moves it with every packet, and a client that sends but
// does not read would never be too late.
func (c *conn) SetDeadline(t time.Time) error { return c.Conn.SetReadDeadline(t) }
