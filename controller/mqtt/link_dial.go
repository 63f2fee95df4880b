package mqtt

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/coder/websocket"
)

// ports are the schemes of a broker's address and the port each stands for.
var ports = map[string]string{
	"tcp": "1883", "mqtt": "1883",
	"tls": "8883", "mqtts": "8883",
	"ws": "80", "wss": "443",
}

// parseURLs checks the addresses of a broker's nodes, separated by commas. No URL of a broker holds one.
func parseURLs(s string) (urls []*url.URL, err error) {
	for one := range strings.SplitSeq(s, ",") {
		u, err := parseURL(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}

// parseURL checks a broker's address and adds the port it leaves out.
func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("broker address: %w", err)
	}
	port, ok := ports[u.Scheme]
	if !ok || u.Hostname() == "" {
		return nil, fmt.Errorf("broker address %q: want tcp, tls, ws or wss, then ://host:port", s)
	}
	if u.User != nil {
		return nil, fmt.Errorf("broker address %q: user and password belong into their own settings", u.Redacted())
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	return u, nil
}

// dial opens a connection to a broker: ctx bounds the opening, life the connection. It is used in place of the client
// library's own dialling, which cannot be cancelled and has no deadline for TLS behind a proxy.
func dial(ctx, life context.Context, u *url.URL, conf *tls.Config) (net.Conn, error) {
	d := net.Dialer{Control: control}
	switch u.Scheme {
	case "tls", "mqtts":
		return (&tls.Dialer{NetDialer: &d, Config: conf}).DialContext(ctx, "tcp", u.Host)
	case "ws", "wss":
		hc := &http.Client{Transport: &http.Transport{DialContext: d.DialContext, TLSClientConfig: conf}}
		c, _, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{HTTPClient: hc, Subprotocols: []string{"mqtt"}})
		if err != nil {
			return nil, err
		}
		return websocket.NetConn(life, c, websocket.MessageBinary), nil
	default:
		return d.DialContext(ctx, "tcp", u.Host)
	}
}
