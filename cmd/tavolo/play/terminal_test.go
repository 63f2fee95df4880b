package play

import (
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"tavolo/engine"
)

// TestOnATerminal plays the screen on a pseudo-terminal: it draws; the player adds chips, sits out and comes back; calls by a
// key, and checks by what was decided ahead; takes another language, and quits.
func TestOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	start := make(chan struct{})
	h := openHouse(t, start, func(h *house) { h.bruno = make(chan struct{}) })
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
		done <- Run(t.Context(), Options{URL: h.url, Topics: topics, Player: "alice", Password: password, Key: aliceKey, Words: words(t, "en"), In: far, Out: far})
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
	press := func(keys string) {
		t.Helper()
		if _, err := near.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	// becomes waits for something to become of alice at the table. What the screen shows of it is in the tests of the model.
	becomes := func(kind engine.EventKind) (e engine.Event) {
		t.Helper()
		timeout := time.After(delay)
		for e.Kind != kind {
			select {
			case e = <-h.alice:
			case <-timeout:
				t.Fatalf("no %v", kind)
			}
		}
		return e
	}
	press("k50\r")
	if e := becomes(engine.StackAdded); e.Amount != 50 {
		t.Errorf("%d chips were added, want 50", e.Amount)
	}
	await("adds 50")
	press("o")
	becomes(engine.PlayerSatOut)
	await("sits out")
	press("o")
	becomes(engine.PlayerSatIn)
	await("is back")

	close(start)
	await("\x1b]2;Your turn. Table 9\a")
	press("c")
	if e := becomes(engine.PlayerActed); e.Action != engine.Call {
		t.Errorf("c does %v", e.Action)
	}
	h.bruno <- struct{}{} // checks
	await("Flop: ")
	press("c")
	select {
	case <-h.planned:
	case <-time.After(delay):
		t.Fatal("nothing is decided ahead")
	}
	h.bruno <- struct{}{} // checks again
	if e := becomes(engine.PlayerActed); e.Action != engine.Check {
		t.Errorf("what was decided ahead does %v", e.Action)
	}
	press(",1")
	await("Lingua: ")
	press(",")
	_, _ = near.WriteString("q")
	await("stesso tasto")
	_, _ = near.WriteString("q")
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(delay):
		t.Error("the screen goes on")
	}
}
