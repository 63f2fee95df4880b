package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimit: one address has half of the room, all have no more than there is, and who leaves makes room.
func TestLimit(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	few := limit(l, 4)
	accepted := make(chan net.Conn, 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := few.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	defer func() { _ = l.Close(); <-done }()
	dial := func(from string) net.Conn {
		t.Helper()
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetReadDeadline(time.Now().Add(patience))
		return c
	}
	in := func(from string) net.Conn {
		t.Helper()
		dial(from)
		select {
		case c := <-accepted:
			return c
		case <-time.After(patience):
			t.Fatalf("%s is not let in", from)
			return nil
		}
	}
	out := func(from string) {
		t.Helper()
		if _, err := dial(from).Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("one more of %s: %v, want %v", from, err, io.EOF)
		}
	}
	first := in("127.0.0.1")
	in("127.0.0.1")
	out("127.0.0.1")
	in("127.0.0.2")
	in("127.0.0.3")
	out("127.0.0.4")
	for range 2 { // which counts once
		_ = first.Close()
	}
	in("127.0.0.4")
	out("127.0.0.5")
}

// pipes is a listener whose connections are pipes.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// TestWebServerLetsGo: a browser that reads no further is hung up on, and a connection that became another thing is not.
func TestWebServerLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.HandleFunc("/app.js", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
		mux.HandleFunc("/mqtt", func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(10 * fileTime)
			_, _ = c.Write([]byte("x"))
			_ = c.Close()
		})
		srv, l, done := webServer(context.Background(), mux), make(pipes), make(chan error)
		go func() { done <- srv.Serve(l) }()
		ask := func(path string) net.Conn {
			t.Helper()
			near, far := net.Pipe()
			l <- far
			if _, err := io.WriteString(near, "GET "+path+" HTTP/1.1\r\nHost: here\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			return near
		}
		stalled := ask("/app.js")
		if _, err := bufio.NewReader(stalled).ReadString('\n'); err != nil {
			t.Error(err)
		}
		time.Sleep(fileTime + time.Second)
		if n, err := io.Copy(io.Discard, stalled); err != nil || n > 1<<19 {
			t.Errorf("%d bytes more, %v, want to be hung up on", n, err)
		}
		if b, err := io.ReadAll(ask("/mqtt")); err != nil || string(b) != "x" {
			t.Errorf("what became another thing: %q, %v", b, err)
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
}
