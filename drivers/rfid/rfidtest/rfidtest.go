// Package rfidtest holds what every reader of tags must pass, whatever it is and however it is wired: tags that come and
// go are seen to, a fault on the wire never hides one, a reader that falls silent or is unplugged is told to be lost
// rather than empty and comes back, and at the end it is at rest.
package rfidtest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/rfid"
)

// patience ends a test that waits for what does not come; nothing passes by waiting that long.
const patience = time.Minute

// ReplyTimeout is for readers in these tests: what answers them is a goroutine of a machine that has other things to do.
const ReplyTimeout = 500 * time.Millisecond

// Far is the far end of a reader's wire: a simulated reader, and the tags in its fields.
type Far interface {
	// Run works until ctx ends, and returns nil then.
	Run(ctx context.Context) error
	Place(antenna int, uid string) error
	Remove(antenna int, uid string)
	// Hang makes the reader deaf and dumb, or brings it back.
	Hang(hung bool)
	// Unplug takes the reader away, Plug brings it back. It has forgotten all it was told.
	Unplug() error
	Plug() error
	// Dark is whether no antenna is energised.
	Dark() bool
}

// Rig is a reader that looks at antennas, and its far end.
type Rig struct {
	Reader   rfid.Reader
	Far      Far
	Antennas []int
	// Tags are UIDs the reader can read, as many as may lie on one antenna, two at least.
	Tags []string
	// Disturb damages something of what the reader says next, in the nth of several ways; it tells whether there is such
	// a way.
	Disturb func(n int) bool
}

// Run runs the suite, its tests beside each other, for most of their time goes by in waiting for what does not come. Each
// starts a rig of its own, with a short round and ReplyTimeout. Whether goroutines are left over is for the package under
// test to look after, in its TestMain.
func Run(t *testing.T, start func(t *testing.T) Rig) {
	for _, c := range []struct {
		name string
		test func(*bench)
	}{
		{"TagsComeAndGo", tagsComeAndGo},
		{"NoiseHidesNoTag", noiseHidesNoTag},
		{"SilenceIsNotEmptiness", silenceIsNotEmptiness},
		{"UnpluggedAndBack", unpluggedAndBack},
		{"AbsentAtFirst", absentAtFirst},
		{"NobodyTakesReports", nobodyTakesReports},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{Rig: start(t), t: t}
			b.background(b.Far.Run)
			defer b.end()
			c.test(b)
		})
	}
}

// Take runs a reader and gives its reports to take, until that is content. Not to become so within a minute fails the test.
func Take(t *testing.T, reader rfid.Reader, take func(rfid.Report) (content bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- reader.Run(ctx) }()
	content := false
	for r := range reader.Reports() {
		if content = content || take(r); content {
			cancel()
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if !content {
		t.Errorf("not so in %v", patience)
	}
}

// bench is a rig under test.
type bench struct {
	Rig
	t      *testing.T
	stop   []func()
	reader bool // is running
}

// background runs f until end.
func (b *bench) background(f func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	b.stop = append(b.stop, func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				b.t.Errorf("ended with %v", err)
			}
		case <-time.After(patience):
			b.t.Error("does not end")
		}
	})
}

// run starts the reader and waits until it is up.
func (b *bench) run() {
	b.t.Helper()
	b.background(b.Reader.Run)
	b.reader = true
	b.state(true)
}

// end stops the reader, which must be at rest then, and after it the far end.
func (b *bench) end() {
	stopFar, stops := b.stop[0], b.stop[1:]
	for _, stop := range stops {
		stop()
	}
	if b.reader {
		for range b.Reader.Reports() { // ends, since it is closed
		}
		limit := time.After(patience)
		for !b.t.Failed() && !b.Far.Dark() { // it may not have carried out yet what it was told last
			select {
			case <-time.After(time.Millisecond):
			case <-limit:
				b.t.Error("the reader was left with a field on")
			}
		}
	}
	stopFar()
}

func (b *bench) do(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// await takes reports until one of type R is as wanted; each on the way passes the check.
func await[R rfid.Report](b *bench, what string, ok func(R) bool, checks ...func(rfid.Report)) R {
	b.t.Helper()
	limit := time.After(patience)
	var last rfid.Report
	for {
		select {
		case report, open := <-b.Reader.Reports():
			if !open {
				b.t.Fatalf("%s: reports ended", what)
			}
			for _, check := range checks {
				check(report)
			}
			if got, is := report.(R); is && ok(got) {
				return got
			}
			last = report
		case <-limit:
			b.t.Fatalf("%s: not so; the last report is %+v, counted is %v", what, last, b.Reader.Counters())
		}
	}
}

func (b *bench) state(up bool, checks ...func(rfid.Report)) rfid.State {
	b.t.Helper()
	s := await(b, "up or lost", func(s rfid.State) bool { return s.Up == up }, checks...)
	if up && s.Firmware == "" || !up && s.Err == nil {
		b.t.Errorf("state %+v says too little", s)
	}
	return s
}

func (b *bench) scan(antenna int, uids []string, checks ...func(rfid.Report)) rfid.Scan {
	b.t.Helper()
	want := slices.Sorted(slices.Values(uids))
	return await(b, "a scan", func(s rfid.Scan) bool { return s.Antenna == antenna && slices.Equal(s.UIDs, want) }, checks...)
}

// honest fails the test on a scan of the first antenna that does not see exactly these tags. With tags that never move, a
// shorter scan is a lie, whatever happens on the wire, unless it says that it is partial.
func (b *bench) honest(uids ...string) func(rfid.Report) {
	want := slices.Sorted(slices.Values(uids))
	return func(report rfid.Report) {
		b.t.Helper()
		s, ok := report.(rfid.Scan)
		if !ok || s.Antenna != b.Antennas[0] || slices.Equal(s.UIDs, want) {
			return
		}
		strange := slices.ContainsFunc(s.UIDs, func(uid string) bool { return !slices.Contains(want, uid) })
		if !s.Partial || strange {
			b.t.Errorf("scan %+v, want %v", s, want)
		}
	}
}

func tagsComeAndGo(b *bench) {
	b.run()
	for _, a := range b.Antennas {
		b.scan(a, nil)
		for _, uid := range b.Tags {
			b.do(b.Far.Place(a, uid))
		}
		b.scan(a, b.Tags)
		b.Far.Remove(a, b.Tags[0])
		b.scan(a, b.Tags[1:])
		b.do(b.Far.Place(a, b.Tags[0])) // is put back
		b.scan(a, b.Tags)
		for _, uid := range b.Tags {
			b.Far.Remove(a, uid)
		}
		b.scan(a, nil)
	}
}

func noiseHidesNoTag(b *bench) {
	tags, a := b.Tags[:2], b.Antennas[0]
	b.do(b.Far.Place(a, tags[0]))
	b.do(b.Far.Place(a, tags[1]))
	b.run()
	b.scan(a, tags)
	honest := b.honest(tags...)
	for n := 0; b.Disturb(n); n++ {
		for range 3 {
			b.scan(a, tags, honest)
		}
	}
	if c := b.Reader.Counters(); c["losses"] != 0 {
		b.t.Errorf("the reader was lost over a little noise: %v", c)
	}
}

func silenceIsNotEmptiness(b *bench) {
	tag, a := b.Tags[0], b.Antennas[0]
	b.do(b.Far.Place(a, tag))
	b.run()
	b.scan(a, []string{tag})
	for range 2 {
		b.Far.Hang(true)
		if s := b.state(false, b.honest(tag)); !errors.Is(s.Err, framing.ErrSilent) {
			b.t.Errorf("lost for %v, want ErrSilent", s.Err)
		}
		b.Far.Hang(false)
		b.state(true, b.honest(tag))
		b.scan(a, []string{tag}, b.honest(tag))
	}
	if c := b.Reader.Counters(); c["losses"] != 2 {
		b.t.Errorf("counted %v, want 2 losses", c)
	}
}

func unpluggedAndBack(b *bench) {
	tag, a := b.Tags[0], b.Antennas[0]
	b.do(b.Far.Place(a, tag))
	b.run()
	b.scan(a, []string{tag})
	for range 2 {
		b.do(b.Far.Unplug())
		b.state(false, b.honest(tag))
		b.do(b.Far.Plug())
		b.state(true, b.honest(tag))
		b.scan(a, []string{tag}, b.honest(tag))
	}
}

func absentAtFirst(b *bench) {
	b.do(b.Far.Unplug())
	b.background(b.Reader.Run)
	b.reader = true
	b.state(false)
	b.do(b.Far.Plug())
	b.state(true)
	b.scan(b.Antennas[0], nil)
}

// A reader whose reports nobody takes waits, and can still be stopped and put to rest, which end looks after.
func nobodyTakesReports(b *bench) {
	b.do(b.Far.Place(b.Antennas[0], b.Tags[0]))
	b.run()
	limit := time.After(patience)
	for len(b.Reader.Reports()) < cap(b.Reader.Reports()) {
		select {
		case <-time.After(time.Millisecond):
		case <-limit:
			b.t.Fatalf("%d reports wait", len(b.Reader.Reports()))
		}
	}
}
