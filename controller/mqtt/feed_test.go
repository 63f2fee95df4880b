package mqtt

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/card"
)

// delayedTable is a table whose updates a feed tells later.
type delayedTable struct {
	*stage
	feed   *Feed
	recent controller.Recent
}

func newDelayedTable(t *testing.T, delay time.Duration, cards bool) *delayedTable {
	t.Helper()
	d := &delayedTable{stage: newStage(t)}
	d.recent.Before = d.state
	d.begin(delay, cards, 7)
	return d
}

// begin begins a run of the feed.
func (d *delayedTable) begin(delay time.Duration, cards bool, epoch uint64) {
	d.feed = NewFeed(FeedOptions{
		Topics: testTopics, Sink: d.sunk, Delay: delay, Cards: cards, Recent: d.recent, Epoch: epoch, Log: slog.New(slog.DiscardHandler),
	})
}

// do applies an input, now.
func (d *delayedTable) do(in engine.Input) {
	d.t.Helper()
	after, events, err := engine.Apply(d.state, in)
	if err != nil {
		d.t.Fatal(err)
	}
	u := controller.Update{Time: time.Now(), Before: d.state, State: after, Events: events, Players: d.players}
	first := d.state.Seq + 1
	d.state = after
	d.recent.Steps = append(d.recent.Steps, controller.Step{
		Past: controller.Past{At: u.Time, Hand: after.Hand, First: first, Events: events}, Players: d.players,
	})
	d.feed.Publish(&u)
}

// hand plays a hand that everybody folds, a second a step.
func (d *delayedTable) hand() {
	d.t.Helper()
	d.do(engine.Input{Kind: engine.HandStarted})
	for c := card.Card(1); d.state.Phase == engine.Dealing; c++ {
		time.Sleep(time.Second)
		d.do(engine.Input{Kind: engine.CardRead, Card: c})
	}
	d.fold()
}

func (d *delayedTable) fold() {
	d.t.Helper()
	for d.state.Phase != engine.Between {
		time.Sleep(time.Second)
		d.do(engine.Input{Kind: engine.Acted, Seat: d.state.Turn, Action: engine.Fold})
	}
}

// told are the numbers of the events told on the feed, and their cards.
func (d *delayedTable) told() (seqs []uint64, cards string) {
	d.t.Helper()
	for _, p := range d.on(testTopics.DelayedEvents()) {
		var e EventPayload
		if err := json.Unmarshal([]byte(p), &e); err != nil {
			d.t.Fatal(err)
		}
		seqs = append(seqs, e.Seq)
		if e.Event.Kind == engine.HoleDealt {
			cards += e.Event.Card.String()
		}
	}
	return seqs, cards
}

// run runs the feed until the end of the bubble's test.
func (d *delayedTable) run() (stop func()) {
	ctx, cancel := context.WithCancel(d.t.Context())
	done := make(chan struct{})
	go func() { d.feed.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// However short the delay, nothing of a hand is told before it is over; and however long the hand, nothing before the delay.
func TestTheFeedIsLate(t *testing.T) {
	for _, delay := range []time.Duration{0, 3 * time.Second, 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			d := newDelayedTable(t, delay, true)
			stop := d.run()
			defer stop()
			began := time.Now()
			d.do(engine.Input{Kind: engine.HandStarted})
			for c := card.Card(1); d.state.Phase == engine.Dealing; c++ {
				time.Sleep(time.Second)
				d.do(engine.Input{Kind: engine.CardRead, Card: c})
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if seqs, _ := d.told(); len(seqs) > 0 || len(d.on(testTopics.DelayedState())) > 0 {
				t.Fatalf("%v: told of a hand in play: %v", delay, seqs)
			}
			d.fold()
			synctest.Wait()
			if seqs, _ := d.told(); len(seqs) > 0 && time.Since(began) < delay {
				t.Errorf("%v: told after %v: %v", delay, time.Since(began), seqs)
			}
			time.Sleep(delay)
			synctest.Wait()
			seqs, cards := d.told()
			for i, seq := range seqs {
				if seq != uint64(i)+4 { // 1 to 3 sat the players down
					t.Fatalf("%v: numbers %v", delay, seqs)
				}
			}
			if uint64(len(seqs)+3) != d.state.Seq || len(cards) != 12 || strings.Contains(cards, "??") {
				t.Errorf("%v: %d events to %d, cards %s", delay, len(seqs), d.state.Seq, cards)
			}
		})
	}
}

func TestTheFeedKeepsCardsThatWereNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDelayedTable(t, 0, false)
		defer d.run()()
		d.hand()
		synctest.Wait()
		if _, cards := d.told(); cards != "????????????" {
			t.Errorf("cards %s", cards)
		}
		for _, p := range d.on(testTopics.DelayedState()) {
			var s StatePayload
			if err := json.Unmarshal([]byte(p), &s); err != nil {
				t.Fatal(err)
			}
			for _, seat := range s.View.Seats {
				for _, c := range seat.Cards {
					if c != card.Hidden {
						t.Errorf("seat %d holds %v", seat.Seat, c)
					}
				}
			}
		}
	})
}

// A run takes up where the one before left off: what was not due is told in time, what was told is not told again.
func TestTheFeedSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDelayedTable(t, time.Minute, true)
		stop := d.run()
		d.hand()
		first := d.state.Seq
		time.Sleep(50 * time.Second)
		d.hand()
		synctest.Wait()
		stop()
		time.Sleep(30 * time.Second) // the first hand is due long since, the second is not
		d.clear()
		d.begin(time.Minute, true, 8)
		if states := d.on(testTopics.DelayedState()); len(states) != 1 || !strings.Contains(states[0], `"epoch":8`) {
			t.Errorf("at the start of a run: %q", states)
		}
		defer d.run()()
		synctest.Wait()
		if seqs, _ := d.told(); len(seqs) > 0 {
			t.Errorf("told at once: %v", seqs)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if seqs, _ := d.told(); len(seqs) == 0 || seqs[0] != first+1 || seqs[len(seqs)-1] != d.state.Seq {
			t.Errorf("told %v, want %d to %d", seqs, first+1, d.state.Seq)
		}
	})
}
