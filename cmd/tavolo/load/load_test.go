package load

import (
	"log/slog"
	"math"
	"net"
	"strings"
	"testing"
	"time"
)

// Two tables are played over the embedded broker, and everybody gets everything once.
func TestRun(t *testing.T) {
	ticks := 0
	r, err := Run(t.Context(), Options{
		Tables: 2, Players: 3, Spectators: 4, Time: 2 * time.Second, Dir: t.TempDir(), Tick: func() { ticks++ }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.String())
	if r.Lost+r.Doubled+r.Refused+r.Unanswered+r.Dropped > 0 || r.Hands < 2 || r.Requests < 2 || ticks != 2 {
		t.Errorf("%d ticks, %+v", ticks, r)
	}
	if people := uint64(2*3 + 2*4); r.Player.Count+r.Spectator.Count < people || r.Delivered < r.Player.Count+r.Spectator.Count {
		t.Errorf("too little came: %+v", r)
	}
	if r.Answer.Count != r.Requests || r.Answer.Median <= 0 || r.Answer.P99 < r.Answer.Median || r.Answer.Max < r.Answer.P99 {
		t.Errorf("no times: %+v", r.Answer)
	}
}

func TestValidate(t *testing.T) {
	good := Options{Tables: 1, Players: 2, Time: time.Second}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Options){
		"tables 0: want 1 to 1000":                              func(o *Options) { o.Tables = 0 },
		"players 10: want 2 to 9":                               func(o *Options) { o.Players = 10 },
		"spectators -1: want 0 to 20000":                        func(o *Options) { o.Spectators = -1 },
		"clients in all 20002: want 1 to 20000":                 func(o *Options) { o.Spectators = 20000 },
		"time 2h0m0s: want 1s to 1h0m0s":                        func(o *Options) { o.Time = 2 * time.Hour },
		"time to think -1ns: want 0s to 1m":                     func(o *Options) { o.Think = -1 },
		"broker tcp://192.0.2.1:1883: want one on this machine": func(o *Options) { o.Broker = "tcp://192.0.2.1:1883" },
	} {
		o := good
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}

// A value is found again within 3 %, and buckets leave none out.
func TestHistogram(t *testing.T) {
	for v := uint64(0); v < 1<<40; v += 1 + v/7 {
		b := bucket(v)
		if high := value(b); v > high || float64(high-v) > math.Max(0, float64(v)*0.0325) {
			t.Fatalf("%d is counted as %d", v, high)
		}
		if b > 0 && value(b-1) >= v {
			t.Fatalf("%d is not above bucket %d", v, b-1)
		}
	}
	var h histogram
	for ms := range 1000 {
		h.add(time.Duration(ms+1) * time.Millisecond)
	}
	h.add(-time.Second)
	l := h.latency()
	if l.Count != 1001 || math.Abs(l.Median-500) > 16 || math.Abs(l.P99-990) > 32 || l.Max != 1000 {
		t.Errorf("%+v", l)
	}
	h.add(100000 * time.Hour)
	if l := h.latency(); l.Count != 1002 {
		t.Errorf("%+v", l)
	}
}

// What does not come counts as lost, and what comes again as doubled.
func TestLossIsCounted(t *testing.T) {
	var c counts
	tb := &table{at: make([]time.Time, 11), moved: make(chan struct{}, 1)}
	r := &reader{table: tb, times: &c.player}
	r.take(2) // before it counts
	r.begin(3)
	for _, seq := range []uint64{3, 4, 5, 5, 8, 4} { // 6, 7, 9 and 10 are missing
		r.take(seq)
	}
	if lost := r.lost + tb.last() - r.last; lost != 4 || r.doubled != 2 || c.player.count() != 3 {
		t.Errorf("lost %d, doubled %d, timed %d", lost, r.doubled, c.player.count())
	}
}

func TestPeak(t *testing.T) {
	if got := peakIn("Name:\ttavolo\nVmPeak:\t  9 kB\nVmHWM:\t   2048 kB\n"); got != 2<<20 {
		t.Error(got)
	}
	if got := peakIn("no such line"); got != 0 {
		t.Error(got)
	}
}

// The process that listens at a broker's address is found, here this one.
func TestBrokerMemory(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	least := peakMemory()
	if least == 0 {
		t.Skip("the system does not tell")
	}
	// Two addresses of one process are counted once. The kernel's figure for a
	// running process is not exact from one reading to the next.
	url := "tcp://" + l.Addr().String()
	if got := brokerMemory(url + "," + url); got < least/2 || got > least+least/2 {
		t.Errorf("%d bytes, want about %d", got, least)
	}
	if got := brokerMemory("tcp://127.0.0.1:1"); got != 0 {
		t.Errorf("where nobody listens: %d bytes", got)
	}
}
