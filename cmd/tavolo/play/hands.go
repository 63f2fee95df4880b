package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller/client/hands"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
	"tavolo/engine"
	"tavolo/engine/card"
)

// depth is how many events are asked for at a time to know the hands before: some ten hands.
const depth = 400

// recalled is the end of a question for events of old.
type recalled struct {
	events []mqtt.EventPayload
	err    error
}

// history is where the hands that were played are looked at: a list, and each of them step by step. They are told out of the
// table's journal, with the player's own cards.
type history struct {
	now    mqtt.StatePayload // what the events led to
	events []mqtt.EventPayload
	hands  []hands.Hand
	asking bool
	all    bool // there are none before

	at     int     // the hand chosen, counted from the last
	frames []table // the pictures of the hand that is looked at, none in the list
	step   int
}

// openHands asks for the last hands.
func (m *model) openHands() tea.Cmd {
	h := &history{now: m.state}
	m.pane = h
	return h.older(m)
}

// older asks for the events before those that are known.
func (h *history) older(m *model) tea.Cmd {
	before := h.now.Seq + 1
	if len(h.events) > 0 {
		before = h.events[0].Seq
	}
	if h.asking || h.all || before <= 1 {
		return nil
	}
	h.asking = true
	first := uint64(1)
	if before > depth {
		first = before - depth
	}
	return m.recall(first, before-1)
}

// heard takes the events that were asked for.
func (h *history) heard(m *model, r recalled) {
	h.asking = false
	if r.err != nil {
		m.notice, m.refused = m.words.Say("unanswered"), true
		return
	}
	h.all = len(r.events) == 0 || r.events[0].Seq == 1
	h.events = append(r.events, h.events...)
	h.hands = hands.Of(h.events, h.now)
}

// hand is the one chosen.
func (h *history) hand() *hands.Hand { return &h.hands[len(h.hands)-1-h.at] }

func (h *history) choices(m *model) []choice {
	if len(h.frames) > 0 {
		return h.steps(m)
	}
	move := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			h.at = min(max(0, h.at+by), max(0, len(h.hands)-1))
			return nil
		}
	}
	all := []choice{hidden("up", move(-1)), on("down", m.words.Say("terminal.hand"), move(1)).as("↑ ↓")}
	if len(h.hands) > 0 {
		all = append(all, on("enter", m.words.Say("terminal.replay"), func() tea.Cmd { return h.replay(m) }).as("↵"))
	}
	if !h.all {
		all = append(all, on("pgdown", m.words.Say("terminal.older"), func() tea.Cmd { return h.older(m) }).as("PgDn"))
	}
	return append(all, hidden("h", m.closePane))
}

// steps are the choices in a hand that is looked at.
func (h *history) steps(m *model) []choice {
	to := func(key, name, cap string, step int) choice {
		return on(key, m.words.Say("replay."+name), func() tea.Cmd {
			h.step = min(max(0, step), len(h.frames)-1)
			return nil
		}).as(cap)
	}
	other := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			h.at = min(max(0, h.at+by), len(h.hands)-1)
			return h.replay(m)
		}
	}
	return []choice{
		to("left", "back", "←", h.step-1), to("right", "next", "→", h.step+1),
		to("home", "first", "Home", 0), to("end", "last", "End", len(h.frames)-1),
		hidden("up", other(-1)), on("down", m.words.Say("terminal.hand"), other(1)).as("↑ ↓"),
		on("t", m.words.Say("replay.copy"), func() tea.Cmd { return tea.SetClipboard(h.text()) }),
		on("esc", m.words.Say("hands"), func() tea.Cmd {
			h.frames = nil
			return nil
		}).as("Esc"),
	}
}

// replay makes the pictures of the hand that is chosen, one for each thing that could be seen to happen.
func (h *history) replay(m *model) tea.Cmd {
	h.frames, h.step = frames(m.me, m.words, h.hand()), 0
	return nil
}

// frames are the pictures of a hand.
func frames(me string, words *text.Words, hand *hands.Hand) (all []table) {
	t := table{me: me, words: words}
	t.hear(hand.Before, time.UnixMilli(hand.Before.Time))
	for e, state := range hand.Steps() {
		at := time.UnixMilli(e.Time)
		t.hear(e, at)
		t.hear(state, at)
		switch e.Event.Kind {
		case engine.CardBurned, engine.BettingOpened, engine.TurnPassed, engine.StreetOpened, engine.DrawClosed:
			continue // the picture stays
		}
		frame := t
		frame.log = slices.Clone(t.log)
		all = append(all, frame)
	}
	return all
}

// text is the story of the hand that is looked at.
func (h *history) text() string { return strings.Join(h.frames[len(h.frames)-1].story(), "\n") + "\n" }

// story is all that was told, a line each.
func (t *table) story() (lines []string) {
	for i := range t.log {
		if said := t.line(&t.log[i], card.Text); said != "" {
			lines = append(lines, said)
		}
	}
	return lines
}

func (h *history) lines(m *model, width, height int) []string {
	if len(h.frames) > 0 {
		return h.picture(m, width, height)
	}
	lines := []string{bold.of(" " + m.words.Say("hands"))}
	switch {
	case h.asking && len(h.hands) == 0:
		return append(lines, "  …")
	case len(h.hands) == 0:
		return append(lines, "  "+m.words.Say("terminal.no_hands"))
	}
	room := max(1, height-len(lines))
	from := max(0, h.at-room+1)
	for i := from; i < min(len(h.hands), from+room); i++ {
		hand := &h.hands[len(h.hands)-1-i]
		text := m.inShort(hand)
		if i == h.at {
			text = reverse.of(fit(text, max(0, width-4)))
		}
		lines = append(lines, "  "+text)
	}
	return lines
}

// inShort says when a hand was played and who won it.
func (t *table) inShort(hand *hands.Hand) string {
	var all []string
	for seat, won := range hand.Won() {
		if won > 0 {
			all = append(all, t.name(engine.Seat(seat))+" +"+t.words.Money(won))
		}
	}
	number := t.words.Say("hand", text.V{"hand": strconv.FormatUint(hand.Number(), 10)})
	at := time.UnixMilli(hand.Events[0].Time).Local().Format("15:04")
	return fmt.Sprintf("%s  %s  %s", fit(number, 12), at, strings.Join(all, ", "))
}

// picture draws a step, with the end of its story below.
func (h *history) picture(m *model, width, height int) []string {
	frame := &h.frames[h.step]
	frame.words = m.words
	title := m.words.Say("hand", text.V{"hand": strconv.FormatUint(h.hand().Number(), 10)})
	title = fmt.Sprintf(" %s  %d / %d", bold.of(title), h.step+1, len(h.frames))
	if said := frame.tail(1); len(said) > 0 {
		title += " " + said[0]
	}
	lines := append([]string{title}, frame.felt(width, height-1)...)
	return append(lines, frame.tail(height-len(lines))...)
}
