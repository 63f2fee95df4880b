package mqtt

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// One topic's flood is cut to its pace and leaves the others alone, and however many topics there are, little is kept.
func TestPace(t *testing.T) {
	l := &Link{paces: map[string]*pace{}}
	now, taken := time.Unix(1000, 0), 0
	for range 1000 {
		if !l.floods("act/mallory", now) {
			taken++
		}
	}
	if taken != 101 {
		t.Errorf("%d taken at once, want the burst and one", taken)
	}
	if l.floods("act/alice", now) {
		t.Error("another's message is held for the flood")
	}
	for range 50 {
		now = now.Add(messageEvery)
		if l.floods("act/mallory", now) {
			t.Error("refused at its pace")
		}
	}
	for i := range 3 * maxPaced {
		l.floods(fmt.Sprint(i), now)
	}
	if len(l.paces) > maxPaced {
		t.Errorf("%d topics kept", len(l.paces))
	}
}

// A topic that goes on being flooded is not listened to for a while, if it was subscribed by itself, and then again.
func TestAFloodedTopicIsNotListenedTo(t *testing.T) {
	l := &Link{paces: map[string]*pace{}, wake: make(chan struct{}, 1), opt: Options{Subscribe: []string{"act/mallory", "act/alice", "cmd/+"}}}
	now := time.Unix(1000, 0)
	flood := func(n int) {
		for range n {
			l.floods("act/mallory", now)
			l.floods("cmd/mallory", now)
		}
	}
	turned := func(wantDeaf, wantAgain int) {
		t.Helper()
		deaf, again := l.turns(now)
		if len(deaf) != wantDeaf || len(again) != wantAgain || wantDeaf > 0 && deaf[0] != "act/mallory" || wantAgain > 0 && again[0] != "act/mallory" {
			t.Errorf("deaf to %q, again to %q", deaf, again)
		}
	}
	flood(100 + deafAfter) // the burst is of 101
	turned(0, 0)
	if len(l.wake) != 0 {
		t.Error("stirred too early")
	}
	flood(1)
	if len(l.wake) != 1 {
		t.Error("not stirred")
	}
	turned(1, 0)
	flood(1000) // what was on its way
	turned(0, 0)
	if l.floods("act/alice", now) {
		t.Error("another's message is dropped")
	}
	now = now.Add(deafTime)
	turned(0, 1)
	turned(0, 0)
	flood(deafAfter + 101)
	turned(1, 0)
}

// sent is a message as the client library hands it over.
type sent struct {
	paho.Message
	topic   string
	payload []byte
}

func (m sent) Topic() string { return m.topic }

func (m sent) Payload() []byte { return m.payload }

func (sent) Retained() bool { return false }

// However much is sent, while nobody takes it and from however many topics, little of it is kept: of 200 MB less than 2.
func TestAFloodTakesNoMemory(t *testing.T) {
	l, err := NewLink(Options{URL: "tcp://127.0.0.1", ClientID: "engine", Subscribe: []string{"act/+"}, Paced: true})
	if err != nil {
		t.Fatal(err)
	}
	before := live()
	for i := range 200_000 {
		l.receive(nil, sent{topic: fmt.Sprintf("act/%d", i%(3*maxPaced)), payload: make([]byte, 1024)})
	}
	if kept := live() - before; kept > 2<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
	if h := l.Health(); len(l.inbox) != inboxSize || h.Unread+h.Flooded != 200_000-inboxSize {
		t.Errorf("%d wait, health %+v", len(l.inbox), h)
	}
}

// live is how much of the heap is in use.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
