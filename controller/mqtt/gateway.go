package mqtt

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Gateway lets browsers reach a broker elsewhere by a page's own port: MQTT comes over a WebSocket, subprotocol mqtt, and goes on
// to the broker as it is. Who somebody is, the broker finds out, from name and password alone; it sees all of them come from
// here. It is an http.Handler, for any number of goroutines. How many may come is for the port's listener to say.
type Gateway struct {
	nodes   []*url.URL
	tls     *tls.Config
	origins []string
	log     *slog.Logger
	last    atomic.Uint32 // the node that was reached last
	open    sync.WaitGroup
}

// gatewayDial bounds the time to reach one node of the broker.
const gatewayDial = 5 * time.Second

// NewGateway leads to a broker at a URL, or at those of a cluster's nodes, separated by commas, which are tried in turn. conf is for those
// that are reached over TLS and may be nil; its own certificates, which are not those of who comes, are not shown. A web page may
// connect if it comes from the host it connects to or from one of origins, hosts or patterns of path.Match.
func NewGateway(urls string, conf *tls.Config, origins []string, log *slog.Logger) (*Gateway, error) {
	nodes, err := parseURLs(urls)
	if err != nil {
		return nil, err
	}
	if conf != nil {
		conf = conf.Clone()
		conf.Certificates = nil
	}
	return &Gateway{nodes: nodes, tls: conf, origins: origins, log: log}, nil
}

// ServeHTTP carries one connection until either side ends it, or the request's context ends.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.open.Add(1)
	defer g.open.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mqtt"}, OriginPatterns: g.origins})
	if err != nil {
		g.log.Debug("no websocket", "remote", r.RemoteAddr, "err", err)
		return // and has been answered
	}
	if ws.Subprotocol() != "mqtt" {
		_ = ws.Close(websocket.StatusPolicyViolation, "subprotocol mqtt wanted")
		return
	}
	broker, err := g.reach(r.Context())
	if err != nil {
		g.log.Warn("browsers do not reach the broker", "err", err)
		_ = ws.Close(websocket.StatusTryAgainLater, "the broker is not reached")
		return
	}
	browser := websocket.NetConn(r.Context(), ws, websocket.MessageBinary)
	var back sync.WaitGroup
	carry := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // why one side ended is nothing to the other
		_ = to.Close()
	}
	back.Go(func() { carry(browser, broker) })
	carry(broker, browser)
	back.Wait()
}

// reach connects to the node that was reached last, or else to the next that is there.
func (g *Gateway) reach(ctx context.Context) (net.Conn, error) {
	first := int(g.last.Load())
	var errs []error
	for i := range g.nodes {
		n := (first + i) % len(g.nodes)
		within, cancel := context.WithTimeout(ctx, gatewayDial)
		c, err := dial(within, ctx, g.nodes[n], g.tls)
		cancel()
		if err == nil {
			g.last.Store(uint32(n))
			return c, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", g.nodes[n], err))
	}
	return nil, errors.Join(errs...)
}

// Wait returns when nobody is carried any more. No request may come after it is called.
func (g *Gateway) Wait() { g.open.Wait() }
