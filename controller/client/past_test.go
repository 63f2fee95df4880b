package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller"
	"tavolo/controller/mqtt"
)

// The hands before are asked for part by part, again where there is no answer, and are no events that were missed.
func TestThePastIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name                string
		first, last, oldest uint64
		lost                int // questions that nobody hears
		refused             bool
		want                string
	}{
		{"in several parts", 1, 150, 1, 0, false, "1 to 150"},
		{"what is left of it", 1, 150, 100, 0, false, "100 to 150"},
		{"nothing is left", 1, 20, 100, 0, false, "nothing"},
		{"in spite of lost questions", 90, 100, 1, 3, false, "90 to 100"},
		{"nobody answers", 90, 100, 1, 1000, false, "no answer to events: context deadline exceeded"},
		{"a table that tells nothing", 90, 100, 1, 0, true, "no"},
		{"of nothing", 100, 99, 1, 0, false, "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plays(t)
				p.event(200)
				p.read()
				p.oldest = c.oldest
				questions := make(chan mqtt.ActionPayload, 10)
				p.publish = func(_ string, payload []byte) { questions <- p.open(payload) }
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				go func() {
					for lost := c.lost; ; {
						select {
						case a := <-questions:
							switch lost--; {
							case lost >= 0:
							case c.refused:
								p.tell(p.end, topics.Reply("alice"), head(3, 200), mqtt.ReplyPayload{ID: a.ID, Code: "busy", Text: "no"})
							default:
								p.tell(p.end, topics.Reply("alice"), head(3, 200), mqtt.ReplyPayload{ID: a.ID, OK: true})
								p.asked = append(p.asked, a)
								p.answer()
							}
						case <-ctx.Done():
							return
						}
					}
				}()
				events, err := p.Past(ctx, c.first, c.last)
				got := "nothing"
				if len(events) > 0 {
					got = fmt.Sprintf("%d to %d", events[0].Seq, events[len(events)-1].Seq)
				}
				if err != nil {
					got = err.Error()
				}
				if got != c.want {
					t.Errorf("told %q, want %q", got, c.want)
				}
				if _, is := errors.AsType[*Refused](err); is != c.refused {
					t.Errorf("refused: %v", err)
				}
				cancel()
				synctest.Wait()
				if got := p.read(); len(got) > 0 {
					t.Errorf("read %v", got)
				}
				if len(p.pasts)+len(p.waiting) > 0 {
					t.Error("a question is still open")
				}
			})
		})
	}
}

// A console asks as a player does, with a command.
func TestAConsoleAsksForThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, mqtt.Dealer)
		asked := ""
		c.publish = func(_ string, payload []byte) { asked = string(payload) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, _ = c.Past(ctx, 3, 9)
		if want := `"cmd":"` + string(controller.VerbEvents) + `"`; !strings.Contains(asked, want) || !strings.Contains(asked, `"first":3`) || !strings.Contains(asked, `"last":9`) {
			t.Errorf("asked %s", asked)
		}
	})
}
