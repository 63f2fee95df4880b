package controller

import (
	"context"
	"time"

	"tavolo/engine"
)

// maxCovered bounds the uses remembered of one player.
const maxCovered = 64

// Presence is the fact that a remote player's client is connected, or no longer. Until it is told so a player is not.
func (t *Table) Presence(ctx context.Context, player string, connected bool) {
	t.post(ctx, message{fact: func(t *Table) {
		if connected {
			t.here[player] = true
		} else {
			delete(t.here, player)
		}
		t.players = t.who()
	}})
}

// remote is the player elsewhere who has a seat; false if there is none.
func (t *Table) remote(seat engine.Seat) (Player, bool) {
	for _, p := range t.players {
		if p.Seat == seat && p.Kind == Remote && p.Player != "" {
			return p, true
		}
	}
	return Player{}, false
}

// absent reports whether a seat's player is elsewhere and cut off.
func (t *Table) absent(seat engine.Seat) bool {
	p, ok := t.remote(seat)
	return ok && t.opt.Presence && !p.Connected
}

// ranOut acts when the time of a seat has run out. Who is there has a bank of time besides. Who is cut off is covered where
// the house does that and uses are left (NX-13, BR-40, BR-42), or has some time to come back; then the house acts, as for
// everybody, and the seat sits out from the next hand on.
func (t *Table) ranOut() {
	if !t.clock.expired(t.now) {
		return
	}
	seat, absent, a := t.clock.seat, t.absent(t.clock.seat), t.state.Awaits()
	if a.Kind == engine.AwaitAction || a.Kind == engine.AwaitDiscard {
		switch {
		case absent && a.Kind == engine.AwaitAction && t.cover(seat):
			t.clock.stop()
			return
		case absent && t.clock.grace(t.now, t.opt.Grace), !absent && t.clock.draw(t.now, t.opt.TimeBank):
			return
		}
	}
	if err := t.apply("clock", "", engine.Input{Kind: engine.ClockRanOut, Seat: seat}); err != nil {
		t.opt.Log.Warn("clock ran out", "hand", t.state.Hand, "seat", seat, "err", err)
	}
	t.clock.stop()
	if absent && !t.state.Seats[seat].Out && !t.state.Rules.Game.Banked() {
		if err := t.apply("clock", "", engine.Input{Kind: engine.SatOut, Seat: seat}); err != nil {
			t.opt.Log.Warn("who is cut off does not sit out", "hand", t.state.Hand, "seat", seat, "err", err)
		}
	}
}

// cover has a seat that is cut off count as all-in, and reports whether the house does that.
func (t *Table) cover(seat engine.Seat) bool {
	p, _ := t.remote(seat)
	since := t.now.Add(-t.opt.Cover.Window)
	for _, at := range t.resets[p.Player] {
		since = later(since, at)
	}
	if after(t.covered[p.Player], since) >= t.opt.Cover.Uses {
		return false
	}
	err := t.apply("clock", "", engine.Input{Kind: engine.Disconnected, Seat: seat})
	return err == nil // the rules say where it counts, and where not
}

// coverUsed remembers a use, when a step happens and when it is read back.
func (t *Table) coverUsed(s step) {
	for _, e := range s.Events {
		if e.Kind != engine.PlayerProtected {
			continue
		}
		if p, ok := t.remote(e.Seat); ok {
			uses := append(t.covered[p.Player], s.At)
			t.covered[p.Player] = uses[max(0, len(uses)-maxCovered):]
		}
	}
}

// VerbResetCover forgives the uses so far of the player at a seat.
const VerbResetCover Verb = "reset_cover"

// CodeNoResets is the refusal of a reset beyond those that the house grants.
const CodeNoResets = "no_resets"

// resetCover forgives a player's uses, as often as the house allows that (BR-42).
func (t *Table) resetCover(r *Request) error {
	p, ok := t.remote(r.Seat)
	switch c := t.opt.Cover; {
	case !ok:
		return refuse(CodeWrongKind, "nobody who is elsewhere sits at seat %d", r.Seat)
	case after(t.resets[p.Player], t.now.Add(-c.Window)) >= c.Resets:
		return refuse(CodeNoResets, "%s was granted %d resets in %v: there are no more", p.Player, c.Resets, c.Window)
	}
	c := choiceRecord{At: t.now, By: r.From.String(), ID: r.ID, Key: p.Player, Choice: string(VerbResetCover)}
	t.coverReset(c)
	t.record(kindChoice, c)
	return nil
}

// coverReset remembers a reset, when it is granted and when it is read back.
func (t *Table) coverReset(c choiceRecord) {
	if c.Choice == string(VerbResetCover) {
		resets := append(t.resets[c.Key], c.At)
		t.resets[c.Key] = resets[max(0, len(resets)-maxCovered):]
	}
}

// after counts the times after another.
func after(times []time.Time, since time.Time) (n int) {
	for _, at := range times {
		if at.After(since) {
			n++
		}
	}
	return n
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
