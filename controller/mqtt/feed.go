package mqtt

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"tavolo/controller"
	"tavolo/engine"
)

// maxWaiting is how many steps wait to be told at most: those of half an hour, ten times over. When there are more the
// oldest are left out, and a reader sees the gap in the numbers; never is one told too early.
const maxWaiting = 1 << 15

// FeedOptions configure a Feed.
type FeedOptions struct {
	Topics          Topics
	Title, Currency string
	Sink            Sink
	// Delay is how much later than it happened everything is told, at least.
	Delay time.Duration
	// Cards is whether everybody's cards are told, or only those that were shown at the table.
	Cards bool
	// Recent are the table's latest steps, of which those may be yet to tell that a run before did not get to; Epoch is the
	// number of this run.
	Recent controller.Recent
	Epoch  uint64
	Log    *slog.Logger
}

// Feed tells the table to those who see it later: each step when the hand is over that it is part of, and not before the
// delay has passed. So no card of a hand in play is ever on its topics, however short the delay. It is a controller.Output;
// make it with NewFeed, and Run it.
type Feed struct {
	opt  FeedOptions
	wake chan struct{}

	mu      sync.Mutex
	waiting []feedStep
	open    int // of waiting, from the end: those of a hand that is not over

	told engine.State // of the goroutine of Run: the table as it was told
}

// feedStep is a step, and when it may be told, zero while its hand is not over. Last is set when it is over with the step.
type feedStep struct {
	controller.Step
	due  time.Time
	last bool
}

// NewFeed takes up where a run before left off. Hands that are due are not told once more; the state they led to is.
func NewFeed(opt FeedOptions) *Feed {
	f := &Feed{opt: opt, wake: make(chan struct{}, 1), told: opt.Recent.Before}
	live := opt.Recent.Before
	for _, s := range opt.Recent.Steps {
		live = engine.Replay(live, s.Events)
		f.add(s, live.Phase == engine.Between)
	}
	now, over := time.Now(), 0
	for i, s := range f.waiting {
		if s.last && !s.due.After(now) {
			over = i + 1
		}
	}
	for _, s := range f.waiting[:over] {
		f.told = engine.Replay(f.told, s.Events)
	}
	if over > 0 {
		f.state(&f.waiting[over-1])
	}
	f.waiting = f.waiting[over:]
	return f
}

// Publish takes what happened.
func (f *Feed) Publish(u *controller.Update) {
	if len(u.Events) == 0 {
		return
	}
	f.mu.Lock()
	f.add(controller.Step{Past: controller.Past{
		At: u.Time, Hand: u.State.Hand, First: u.State.Seq - uint64(len(u.Events)) + 1, Events: slices.Clone(u.Events),
	}, Players: slices.Clone(u.Players)}, u.State.Phase == engine.Between)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// add puts a step in the queue. When it is the last of a hand, the hand's steps have their times.
func (f *Feed) add(s controller.Step, over bool) {
	f.waiting = append(f.waiting, feedStep{Step: s, last: over})
	f.open++
	if !over {
		return
	}
	for i := len(f.waiting) - f.open; i < len(f.waiting); i++ {
		w := &f.waiting[i]
		w.due = w.At.Add(f.opt.Delay)
		if w.due.Before(s.At) {
			w.due = s.At
		}
	}
	f.open = 0
}

// Run tells what is due, until ctx ends.
func (f *Feed) Run(ctx context.Context) {
	for {
		var timer <-chan time.Time
		if wait, ok := f.tell(); ok {
			timer = time.After(wait)
		}
		select {
		case <-timer:
		case <-f.wake:
		case <-ctx.Done():
			return
		}
	}
}

// tell tells what is due now, and gives the time until the next step is; false if none has a time.
func (f *Feed) tell() (time.Duration, bool) {
	for {
		f.mu.Lock()
		if len(f.waiting) == 0 || f.waiting[0].due.IsZero() {
			f.mu.Unlock()
			return 0, false
		}
		s, tooMany := f.waiting[0], len(f.waiting) > maxWaiting
		wait := time.Until(s.due)
		if wait > 0 && !tooMany {
			f.mu.Unlock()
			return wait, true
		}
		f.waiting = f.waiting[1:]
		f.mu.Unlock()
		f.told = engine.Replay(f.told, s.Events)
		if wait > 0 {
			f.opt.Log.Warn("the delayed feed is too long, events left out", "hand", s.Hand, "seq", s.First)
			continue
		}
		for i, e := range s.Events {
			f.opt.Sink.Event(f.opt.Topics.DelayedEvents(), Pack(EventPayload{
				Head: Head{V: Version, Epoch: f.opt.Epoch, Seq: s.First + uint64(i)},
				Hand: s.Hand, Time: millis(s.At), Event: engine.Redact(e, f.viewer()),
			}))
		}
		f.state(&s)
	}
}

// state tells the table as it was after a step.
func (f *Feed) state(s *feedStep) {
	f.opt.Sink.State(f.opt.Topics.DelayedState(), Pack(StatePayload{
		Head: Head{V: Version, Epoch: f.opt.Epoch, Seq: f.told.Seq}, Time: millis(s.At), Title: f.opt.Title,
		View: engine.ViewFor(f.told, f.viewer()), Players: s.Players, Seating: SeatingPayload{Free: []engine.Seat{}},
		Currency: f.opt.Currency,
	}))
}

func (f *Feed) viewer() engine.Viewer { return engine.Viewer{All: f.opt.Cards} }
