package play

import (
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestOnATerminal plays the screen on a pseudo-terminal: it draws, takes a key, and quits.
func TestOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	start := make(chan struct{})
	h := openHouse(t, start)
	near, far, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	defer far.Close()
	defer near.Close()
	if err := pty.Setsize(near, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- Run(t.Context(), Options{URL: h.url, Topics: topics, Player: "alice", Password: password, Key: aliceKey, In: far, Out: far})
	}()
	seen := ""
	await := func(text string) {
		t.Helper()
		_ = near.SetReadDeadline(time.Now().Add(delay))
		buf := make([]byte, 4096)
		for !strings.Contains(seen, text) {
			n, err := near.Read(buf)
			if err != nil {
				t.Fatalf("%v before %q:\n%q", err, text, seen)
			}
			seen += string(buf[:n])
		}
		_, seen, _ = strings.Cut(seen, text)
	}
	// The window's title is written whole, where of the screen only what changed is.
	await("\x1b]2;Table 9\a")
	close(start)
	await("\x1b]2;Your turn: Table 9\a")
	_, _ = near.WriteString("c")
	select {
	case <-h.acted:
	case <-time.After(delay):
		t.Fatal("the key does nothing")
	}
	_, _ = near.WriteString("q")
	await("Leave?")
	_, _ = near.WriteString("y")
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(delay):
		t.Error("the screen goes on")
	}
}
