package main

import (
	"net"
	"sync"

	"tavolo/controller/broker"
)

// limited is a listener whose connections are few enough: one more than most, or than half of that from one origin, is hung up
// on. Half, because a proxy in front of the page is one address.
type limited struct {
	net.Listener
	most int

	mu   sync.Mutex
	all  int
	from map[string]int // connections by origin, see broker.Origin
}

func limit(l net.Listener, most int) *limited {
	return &limited{Listener: l, most: most, from: map[string]int{}}
}

// Accept waits for a connection that there is room for.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := broker.Origin(c.RemoteAddr().String())
		if l.enter(host) {
			return &admitted{Conn: c, leave: sync.OnceFunc(func() { l.leave(host) })}, nil
		}
		_ = c.Close()
	}
}

func (l *limited) enter(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.most || l.from[host] >= (l.most+1)/2 {
		return false
	}
	l.all++
	l.from[host]++
	return true
}

func (l *limited) leave(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.from[host]--; l.from[host] == 0 {
		delete(l.from, host)
	}
}

// admitted is a connection that is counted until it is closed.
type admitted struct {
	net.Conn
	leave func()
}

// Close closes the connection and makes room for another.
func (c *admitted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
