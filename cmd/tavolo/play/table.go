package play

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// longest is the longest time to act that makes sense.
const longest = 24 * time.Hour

// keptLog is how many lines of the log are kept; more than any window is high.
const keptLog = 200

// table is what a player knows of the table: what its messages said, folded into one picture by hear.
type table struct {
	me string // the player's login

	known bool // a state has come: the fields below mean something
	state mqtt.StatePayload
	hole  mqtt.HolePayload  // own cards of hand hole.Hand
	turn  *mqtt.TurnPayload // the turn to answer, nil when it is not ours
	away  string            // why the table is not there, "" when it is

	// log is what happened, in words, the latest last; last is what each seat did last in its round.
	log  []entry
	last [engine.MaxSeats + 1]string

	// epoch and seq are those of the last event, 0 before the first; over is the number of the last event that ended a turn.
	epoch, seq, over uint64
	// included is the number of the last event that state includes. Often the events come before the state, but of several
	// states that wait for a slow broker only the newest goes, and that before the events.
	included uint64
	// street, board, smallBlind and bigBlind follow whichever knows more.
	street               string
	board                []card.Card
	smallBlind, bigBlind engine.Seat
	// lag is by how much a message comes late by our clock, at the quickest: how far our clock and the table's differ, and
	// the way. timed is set once there is one.
	lag   time.Duration
	timed bool
}

// entry is a line of the log: text, then cards, then what they make.
type entry struct {
	text  string
	cards []card.Card
	holds string
	// street is set on the line of a street's cards, which grows as they come.
	street string
}

// in writes the entry, with its cards as show writes them.
func (e entry) in(show func([]card.Card) string) string {
	s := e.text
	if len(e.cards) > 0 {
		s += " " + show(e.cards)
	}
	if e.holds != "" {
		s += ", " + e.holds
	}
	return s
}

// hear folds in a message of the client that came at a time.
func (t *table) hear(msg any, at time.Time) {
	switch m := msg.(type) {
	case client.Connected:
		t.away = clean(m.Text)
		if !m.Up && t.away == "" {
			t.away = "the table is not there"
		}
		t.timed = false
	case mqtt.StatePayload:
		t.heardState(m, at)
	case mqtt.EventPayload:
		t.heardEvent(m, at)
	case mqtt.HolePayload:
		t.begin(m.Epoch)
		m.Holds = clean(m.Holds)
		t.hole = m
	case mqtt.TurnPayload:
		t.begin(m.Epoch)
		if m.Turn >= t.over && answerable(&m) {
			t.turn = &m
		}
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
		t.note(entry{text: "The table has started anew."})
	}
	t.epoch, t.seq, t.over, t.included = epoch, 0, 0, 0
	t.turn, t.hole, t.timed = nil, mqtt.HolePayload{}, false
	clear(t.last[:])
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
}

func (t *table) heardEvent(m mqtt.EventPayload, at time.Time) {
	t.begin(m.Epoch)
	t.heardAt(m.Time, at)
	if t.seq != 0 && m.Seq > t.seq+1 {
		t.note(entry{text: "Some events were missed."})
	}
	t.seq = m.Seq
	if e := &m.Event; e.Seat != 0 && !isSeat(e.Seat) {
		return
	}
	t.did(&m.Event)
	if e := t.tell(&m.Event); e.text != "" {
		t.note(e)
	}
}

// did folds an event into what the seats did, the board and the turn.
func (t *table) did(e *engine.Event) {
	switch e.Kind {
	case engine.HandBegan, engine.StreetOpened, engine.ShowdownOpened, engine.HandCalledOff:
		clear(t.last[:])
	case engine.PlayerActed, engine.CardsDiscarded, engine.HandShown, engine.HandMucked, engine.TurnPassed, engine.HandEnded:
		t.over = t.seq
		if t.turn != nil && t.turn.Turn < t.over {
			t.turn = nil
		}
	}
	switch e.Kind {
	case engine.HandBegan, engine.StreetOpened:
		t.street = t.streetName(e.Street)
	}
	if t.seq > t.included {
		t.dealt(e)
	}
	if short := t.short(e); short != "" {
		t.last[e.Seat] = short
	}
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

// note adds a line to the log; a street's cards join the line of the ones before.
func (t *table) note(e entry) {
	if n := len(t.log); e.street != "" && n > 0 && t.log[n-1].street == e.street {
		t.log[n-1].cards = append(t.log[n-1].cards, e.cards...)
		return
	}
	if len(t.log) == keptLog {
		t.log = append(t.log[:0], t.log[1:]...)
	}
	t.log = append(t.log, e)
}

// heardAt learns from the time on a message how far our clock and the table's differ.
func (t *table) heardAt(sent int64, at time.Time) {
	if lag := at.Sub(time.UnixMilli(sent)); !t.timed || lag < t.lag {
		t.lag, t.timed = lag, true
	}
}

// left is how much of the time of the seat whose clock runs is left, out of how much; no time when no clock runs.
func (t *table) left(now time.Time) (left, total time.Duration) {
	c := t.state.Clock
	if c == nil || c.TotalMS <= 0 || c.TotalMS > longest.Milliseconds() {
		return 0, 0
	}
	total = time.Duration(c.TotalMS) * time.Millisecond
	left = time.Duration(c.LeftMS) * time.Millisecond
	if !c.Paused {
		left = time.UnixMilli(c.Deadline).Sub(now.Add(-t.lag))
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

// seat is the player's own seat, 0 if they have none.
func (t *table) seat() engine.Seat {
	for _, p := range t.state.Players {
		if p.Player == t.me && p.Kind == controller.Remote {
			return p.Seat
		}
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

// inHand is whether the player has a live hand.
func (t *table) inHand() bool {
	p := t.place(t.seat())
	return p != nil && p.Live && t.state.View.Phase != engine.Between
}

// cards are the player's own, nil before the first.
func (t *table) cards() []card.Card {
	if t.hole.Hand != t.state.View.Hand {
		return nil
	}
	return t.hole.Cards
}

// holds says what the player's own cards make with the board.
func (t *table) holds() string {
	cards := t.cards()
	if said := t.makes(cards); said != "" || len(cards) == 0 {
		return said
	}
	return t.hole.Holds
}

// makes says what known cards make with the board, "" where nothing can be said: too few, or a game unknown here.
func (t *table) makes(cards []card.Card) string {
	g, err := engine.GameNamed(t.state.View.Game)
	hole, board := card.SetOf(cards...), card.SetOf(t.board...)
	if err != nil || hole.Len() < len(cards) || (hole|board).Len() > engine.MaxHole && g.Use == eval.Free {
		return ""
	}
	if made := g.High.Strength(g.Use, hole, board); made != 0 {
		return made.String()
	}
	return ""
}

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
