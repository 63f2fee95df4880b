package play

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// longest is the longest time to act that makes sense.
const longest = 24 * time.Hour

// table is what a player knows of the table: what its messages said, folded into one picture by hear, and the words for it.
type table struct {
	me    string // the player's login
	words *text.Words

	known  bool // a state has come: the fields below mean something
	state  mqtt.StatePayload
	holes  map[engine.Seat]mqtt.HolePayload // own cards; a player may have several boxes against the house
	turn   *mqtt.TurnPayload                // the turn to answer, nil when it is not ours
	plans  map[engine.Seat]mqtt.PlanPayload // what is decided ahead of it
	behind mqtt.BehindPayload               // own stakes behind boxes
	offer  *mqtt.OfferPayload               // a seat that is kept for the player, nil for none
	away   client.Connected                 // whether the table is there, and why not

	// log is what happened, the latest last; said is what each seat did last in its round, won what it was paid in the hand and
	// low how much of that for the best low hand; last is won of the hand before.
	log            []entry
	said           [engine.MaxSeats + 1]said
	won, low, last [engine.MaxSeats + 1]engine.Chips

	// epoch and seq are those of the last event, 0 before the first; over is the number of the last event that ended a turn.
	epoch, seq, over uint64
	// included is the number of the last event that state includes. Often the events come before the state, but of several
	// states that wait for a slow broker only the newest goes, and that before the events.
	included uint64
	// board, smallBlind and bigBlind follow whichever knows more.
	board                []card.Card
	smallBlind, bigBlind engine.Seat
	// now is the time by our clock; lag is by how much a message comes late by it, at the quickest: how far our clock and the
	// table's differ, and the way. timed is set once there is one.
	now   time.Time
	lag   time.Duration
	timed bool
}

// said is what a seat did: the last part of a text's key, and what goes into its places.
type said struct {
	what   string
	amount engine.Chips
	allIn  bool
}

// hear folds in a message of the client that came at a time.
func (t *table) hear(msg any, at time.Time) {
	t.now = at
	switch m := msg.(type) {
	case client.Connected:
		m.Text = clean(m.Text)
		t.away, t.timed = m, false
	case client.Missed:
		t.note(entry{what: "gap"})
	case mqtt.StatePayload:
		t.heardState(m, at)
	case mqtt.EventPayload:
		t.heardEvent(m, at)
	case mqtt.HolePayload:
		t.begin(m.Epoch)
		m.Holds = clean(m.Holds)
		put(&t.holes, m.Seat, m)
	case mqtt.PlanPayload:
		t.begin(m.Epoch)
		put(&t.plans, m.Seat, m)
	case mqtt.BehindPayload:
		t.begin(m.Epoch)
		t.behind = m
	case mqtt.OfferPayload:
		t.begin(m.Epoch)
		t.offer = &m
	case mqtt.TurnPayload:
		t.begin(m.Epoch)
		if m.Turn >= t.over && answerable(&m) {
			t.turn = &m
		}
	}
}

func put[T any](in *map[engine.Seat]T, seat engine.Seat, what T) {
	if *in == nil {
		*in = map[engine.Seat]T{}
	}
	if isSeat(seat) {
		(*in)[seat] = what
	}
}

// answerable is whether a turn is of a kind that is known here, and says what may be done in it.
func answerable(m *mqtt.TurnPayload) bool {
	return m.Kind == engine.AwaitReveal || m.Kind == engine.AwaitAction && m.Legal != nil || m.Kind == engine.AwaitDiscard && m.Most > 0 ||
		m.Kind == engine.AwaitShield
}

// begin forgets what belongs to an earlier run of the daemon.
func (t *table) begin(epoch uint64) {
	if epoch == t.epoch {
		return
	}
	if t.epoch != 0 {
		t.note(entry{what: "restart"})
	}
	t.epoch, t.seq, t.over, t.included = epoch, 0, 0, 0
	t.turn, t.holes, t.plans, t.offer, t.behind, t.timed = nil, nil, nil, nil, mqtt.BehindPayload{}, false
	clear(t.said[:])
}

func (t *table) heardState(m mqtt.StatePayload, at time.Time) {
	t.begin(m.Epoch)
	t.heardAt(m.Time, at)
	m.Title = clean(m.Title)
	for i := range m.Players {
		m.Players[i].Name = clean(m.Players[i].Name)
	}
	for i := range m.Holds {
		m.Holds[i] = clean(m.Holds[i])
	}
	m.View.Seats = slices.DeleteFunc(m.View.Seats, func(p engine.SeatView) bool { return !isSeat(p.Seat) })
	t.state, t.known, t.included = m, true, m.Seq
	t.board = m.View.Board[:min(len(m.View.Board), engine.MaxBoard)]
	t.smallBlind, t.bigBlind = m.View.SmallBlind, m.View.BigBlind
	if a := m.View.Awaits; t.turn != nil && m.Seq >= t.turn.Seq && (a.Seat != t.turn.Seat || a.Kind != t.turn.Kind) {
		t.turn = nil
	}
	if t.seated() != nil || t.offer != nil && t.offer.Until < m.Time {
		t.offer = nil // taken, or somebody else's now
	}
}

func (t *table) heardEvent(m mqtt.EventPayload, at time.Time) {
	t.begin(m.Epoch)
	t.heardAt(m.Time, at)
	t.seq = m.Seq
	m.Event.Reason = clean(m.Event.Reason)
	e := &m.Event
	switch e.Kind {
	case engine.PlayerActed, engine.CardsDiscarded, engine.HandShown, engine.HandMucked, engine.TurnPassed, engine.HandEnded:
		t.over = t.seq
		if t.turn != nil && t.turn.Turn < t.over {
			t.turn = nil
		}
	}
	if t.seq > t.included {
		t.dealt(e)
	}
	t.fold(e)
	t.tell(e)
}

// fold takes into the picture what no state says: what each seat did last, and who won what.
func (t *table) fold(e *engine.Event) {
	switch e.Kind {
	case engine.HandBegan:
		clear(t.said[:])
		t.last = t.won
		clear(t.won[:])
		clear(t.low[:])
	case engine.StreetOpened, engine.ShowdownOpened, engine.HandCalledOff:
		clear(t.said[:])
	case engine.PotAwarded:
		clear(t.said[:])
		if t.won[e.Seat] += e.Amount; e.Low {
			t.low[e.Seat] += e.Amount
		}
	case engine.BoxSettled:
		more := e.Amount + e.Bonus
		if p := t.place(e.Seat); p != nil && p.Box != nil {
			more -= down(p.Box) + p.Box.Bonus
		}
		t.won[e.Seat] = max(0, more)
	case engine.AntePosted:
		t.said[e.Seat] = said{"ante", e.Amount, e.AllIn}
	case engine.BlindPosted:
		t.said[e.Seat] = said{t.blind(e), e.Amount, e.AllIn}
	case engine.CardsDiscarded:
		what := "draw"
		if e.Amount == 0 {
			what = "pat"
		}
		t.said[e.Seat] = said{what: what, amount: e.Amount}
	case engine.PlayerActed:
		did := said{e.Action.String(), e.Amount, e.AllIn}
		if e.Action == engine.Raise {
			did.amount = e.To
		}
		t.said[e.Seat] = did
	}
}

// blind names the blind that was posted.
func (t *table) blind(e *engine.Event) string {
	switch {
	case e.Live:
		return "post"
	case e.Seat == t.bigBlind:
		return "big_blind"
	case e.Seat == t.smallBlind:
		return "small_blind"
	}
	return "post"
}

// dealt folds an event that the state does not include yet into the board and the positions.
func (t *table) dealt(e *engine.Event) {
	switch n := len(t.board); {
	case e.Kind == engine.HandBegan:
		t.board, t.smallBlind, t.bigBlind = nil, e.SmallBlind, e.BigBlind
	case e.Kind == engine.BoardDealt && n < engine.MaxBoard:
		t.board = append(t.board[:n:n], e.Card)
	}
}

// answered takes note that the turn with a token is answered.
func (t *table) answered(turn uint64) {
	if t.turn != nil && t.turn.Turn == turn {
		t.turn = nil
	}
}

// heardAt learns from the time on a message how far our clock and the table's differ.
func (t *table) heardAt(sent int64, at time.Time) {
	if lag := at.Sub(time.UnixMilli(sent)); !t.timed || lag < t.lag {
		t.lag, t.timed = lag, true
	}
}

// left is how much of the time of the seat whose clock runs is left, out of how much; no time when no clock runs.
func (t *table) left() (left, total time.Duration) {
	c := t.state.Clock
	if c == nil || c.TotalMS <= 0 || c.TotalMS > longest.Milliseconds() {
		return 0, 0
	}
	total = time.Duration(c.TotalMS) * time.Millisecond
	left = time.Duration(c.LeftMS) * time.Millisecond
	if !c.Paused {
		left = time.UnixMilli(c.Deadline).Sub(t.now.Add(-t.lag))
	}
	return min(max(left, 0), total), total
}

// player is the player of a seat, nil if it is free.
func (t *table) player(seat engine.Seat) *controller.Player {
	for i := range t.state.Players {
		if t.state.Players[i].Seat == seat {
			return &t.state.Players[i]
		}
	}
	return nil
}

// own are the player's seats: none, one, or several boxes against the house; one may be empty, and kept for him.
func (t *table) own() (seats []engine.Seat) {
	for _, p := range t.state.Players {
		if p.Player == t.me && p.Kind == controller.Remote && isSeat(p.Seat) {
			seats = append(seats, p.Seat)
		}
	}
	return seats
}

// seat is the one of the player's seats that things are about: that of the turn, or else the first that has no stake yet; 0 if
// the player has none.
func (t *table) seat() engine.Seat {
	own := t.own()
	if t.turn != nil && slices.Contains(own, t.turn.Seat) {
		return t.turn.Seat
	}
	for _, seat := range own {
		if p := t.place(seat); p != nil && p.Box == nil {
			return seat
		}
	}
	if len(own) > 0 {
		return own[0]
	}
	return 0
}

// place is what a seat looks like, nil if it is free.
func (t *table) place(seat engine.Seat) *engine.SeatView {
	for i := range t.state.View.Seats {
		if t.state.View.Seats[i].Seat == seat {
			return &t.state.View.Seats[i]
		}
	}
	return nil
}

// seated is the player's own place, nil for who has none.
func (t *table) seated() *engine.SeatView { return t.place(t.seat()) }

// inHand is whether the player has a live hand.
func (t *table) inHand() bool {
	return t.state.View.Phase != engine.Between && slices.ContainsFunc(t.own(), func(seat engine.Seat) bool {
		p := t.place(seat)
		return p != nil && p.Live
	})
}

// hole is what the player was told of the cards of a seat in this hand, nothing before the first.
func (t *table) hole(seat engine.Seat) mqtt.HolePayload {
	if h := t.holes[seat]; h.Hand == t.state.View.Hand {
		return h
	}
	return mqtt.HolePayload{}
}

// cards are the player's own, nil before the first.
func (t *table) cards() []card.Card { return t.hole(t.seat()).Cards }

// holds says what cards of the player's make with the board.
func (t *table) holds(h mqtt.HolePayload) string {
	if made := t.makes(h.Cards); made != "" {
		return made
	}
	return t.words.Holds(h.Holds)
}

// makes says what known cards make with the board, "" where it cannot be told here: too few, a game that is not known, or one
// in which they make a low hand too.
func (t *table) makes(cards []card.Card) string {
	g, err := engine.GameNamed(t.state.View.Game)
	hole, board := card.SetOf(cards...), card.SetOf(t.board...)
	if err != nil || g.Low.Name != "" || hole.Len() < len(cards) || (hole|board).Len() > engine.MaxHole && g.Use == eval.Free {
		return ""
	}
	if made := g.High.Strength(g.Use, hole, board); made != 0 {
		return t.words.Holds(made.String())
	}
	return ""
}

// awayText says why the table is not there.
func (t *table) awayText() string {
	for _, key := range []string{"note.status." + t.away.Code, "refused." + t.away.Code} {
		if t.words.Has(key) {
			return t.words.Say(key)
		}
	}
	return t.words.Say("note.connecting")
}

// toCall is what the player, whose turn it is not, would add to call.
func (t *table) toCall() engine.Chips {
	p := t.seated()
	if p == nil {
		return 0
	}
	return max(0, min(p.Stack, t.state.View.Bet-p.Bet))
}

// down is what lies before a box against the house, without the bonus bet.
func down(b *engine.BoxView) engine.Chips { return b.Ante + b.Flop + b.Turn + b.River }

func isSeat(s engine.Seat) bool { return s >= 1 && s <= engine.MaxSeats }

// clean takes out of a text from elsewhere what could change the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
