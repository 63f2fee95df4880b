package play

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// The messages of the model, beside those of the terminal.
type (
	// heard is a message of the table.
	heard struct {
		msg any
		at  time.Time
	}
	// tick says how late it is, and how the connection does.
	tick struct {
		at    time.Time
		link  mqtt.Health
		delay time.Duration
	}
	// answer is the end of a request.
	answer struct {
		turn uint64
		err  error
	}
)

// model is the interactive player: the picture of the table and what the player is about to do. All it does to the world
// it gives back as a command.
type model struct {
	table
	// act makes the command that puts a request to the table, and ends in an answer.
	act func(mqtt.ActionPayload) tea.Cmd

	width, height int
	now           time.Time
	link          mqtt.Health
	delay         time.Duration // of an answer of the table, 0 before the first

	seen   uint64             // the token of the turn that the fields below belong to
	size   *sizing            // the bet in preparation, nil if none is
	repeat mqtt.ActionPayload // the last stake against the house
	throws controller.Places  // the cards chosen to be thrown away in a draw
	// choosing is the power for which a card or a seat is to be chosen, 0 for none.
	choosing engine.Power
	behind   bool      // the box to play behind is to be chosen
	ask      *question // what the player must confirm, nil if nothing
	sent     string    // the request under way, in words; "" if none is
	notice   string    // what to tell the player, until the next key
	refused  bool      // the notice is a refusal
	help     bool
}

// question is asked before something that cannot be taken back.
type question struct {
	text string
	yes  func() tea.Cmd
	turn bool // it is about the turn, and goes with it
}

// Init does nothing: who runs the program feeds the model.
func (m *model) Init() tea.Cmd { return nil }

// Update takes one message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(keyOf(msg))
	case tick:
		m.now, m.link, m.delay = msg.at, msg.link, msg.delay
	case heard:
		return m, m.heard(msg)
	case answer:
		m.heardAnswer(msg)
	}
	return m, nil
}

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	v.WindowTitle = m.state.Title
	if m.turn != nil {
		v.WindowTitle = "Your turn: " + m.state.Title
	}
	return v
}

// keyOf names a key as the help does, whatever the caps lock says.
func keyOf(k tea.KeyPressMsg) string { return strings.ToLower(k.String()) }

// heard folds in what the table says. What the player was about to do stays while the turn does, and goes with it.
func (m *model) heard(h heard) tea.Cmd {
	m.now = h.at
	m.hear(h.msg, h.at)
	if _, open := m.open(); m.size != nil && m.turn == nil && !open {
		m.size = nil // the bets are closed
	}
	if !m.newTurn() || m.turn == nil {
		return nil
	}
	return tea.Raw("\a")
}

// newTurn drops what belongs to a turn that is over; it reports whether there is another one, or none, since.
func (m *model) newTurn() bool {
	var now uint64
	if m.turn != nil {
		now = m.turn.Turn
	}
	if now == m.seen {
		return false
	}
	m.seen, m.size, m.throws, m.choosing = now, nil, 0, 0
	if m.ask != nil && m.ask.turn {
		m.ask = nil
	}
	return true
}

func (m *model) heardAnswer(a answer) {
	m.sent = ""
	if a.err != nil {
		m.notice, m.refused = clean(sentence(a.err)), true
		return
	}
	m.answered(a.turn)
	m.newTurn()
}

// sentence says for a person why a request was not done.
func sentence(err error) string {
	if refusal, ok := errors.AsType[*client.Refused](err); ok {
		return "Refused: " + refusal.Text
	}
	return "No answer from the table; look whether it was done."
}

// press is one key.
func (m *model) press(key string) tea.Cmd {
	m.notice, m.refused = "", false
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case m.help:
		m.help = false
		return nil
	case m.ask != nil:
		return m.confirm(key)
	case m.size != nil:
		return m.prepare(key)
	case m.choosing != 0 && m.turn != nil:
		return m.chosen(key)
	case m.behind:
		return m.box(key)
	}
	switch key {
	case "?":
		m.help = true
	case "q":
		return m.quit()
	case "o":
		return m.toggleSit()
	default:
		return m.decide(key)
	}
	return nil
}

// confirm is a key while a question is open: only y is yes.
func (m *model) confirm(key string) tea.Cmd {
	q := m.ask
	m.ask = nil
	if key == "y" {
		return q.yes()
	}
	return nil
}

// prepare is a key while a bet is in preparation.
func (m *model) prepare(key string) tea.Cmd {
	switch {
	case key == "esc", key == "q", key == "b", key == "r":
		m.size = nil
	case key == "?":
		m.help = true
	case key == "enter":
		switch m.notice = m.size.fault(); {
		case m.notice != "":
		case m.turn == nil:
			return m.sized()
		default:
			return m.wager(m.size.amount)
		}
	default:
		m.size.press(key)
	}
	return nil
}

// quit leaves at once, or asks when a hand is at stake.
func (m *model) quit() tea.Cmd {
	if !m.inHand() {
		return tea.Quit
	}
	m.ask = &question{
		text: "You are in a hand: it will be checked or folded when your time runs out. Leave?",
		yes:  func() tea.Cmd { return tea.Quit },
	}
	return nil
}

func (m *model) toggleSit() tea.Cmd {
	a := mqtt.ActionPayload{Action: controller.VerbSitOut}
	if p := m.place(m.seat()); p != nil && p.Out {
		a.Action = controller.VerbSitIn
	}
	return m.send(a, strings.ReplaceAll(string(a.Action), "_", " "))
}

// asked are the kinds of turns that keys answer.
var asked = map[string]engine.AwaitKind{
	"s": engine.AwaitReveal, "m": engine.AwaitReveal,
	"d": engine.AwaitDiscard, "p": engine.AwaitDiscard,
	"1": engine.AwaitDiscard, "2": engine.AwaitDiscard, "3": engine.AwaitDiscard, "4": engine.AwaitDiscard, "5": engine.AwaitDiscard,
	"6": engine.AwaitDiscard, "7": engine.AwaitDiscard,
	"f": engine.AwaitAction, "c": engine.AwaitAction, "b": engine.AwaitAction, "r": engine.AwaitAction, "a": engine.AwaitAction,
	"x": engine.AwaitAction, "-": engine.AwaitAction,
}

// decide is a key that acts.
func (m *model) decide(key string) tea.Cmd {
	if m.turn == nil {
		if cmd, done := m.stakeKey(key); done {
			return cmd
		}
	}
	if m.turn != nil {
		if cmd, done := m.powerKey(key); done {
			return cmd
		}
	}
	kind, ok := asked[key]
	switch {
	case !ok:
		return nil
	case m.turn == nil:
		m.notice = "It is not your turn."
		return nil
	case m.turn.Kind != kind:
		m.notice = "That is not asked of you now."
		return nil
	}
	switch key {
	case "s":
		return m.send(mqtt.ActionPayload{Action: controller.VerbShow}, "show")
	case "m":
		return m.send(mqtt.ActionPayload{Action: controller.VerbMuck}, "muck")
	}
	if kind == engine.AwaitDiscard {
		return m.draw(key)
	}
	l := *m.turn.Legal
	if key == "-" { // BP-08
		if key = "f"; l.Check {
			key = "c"
		}
	}
	switch key {
	case "f":
		if l.NoFold {
			m.notice = "You play on: check or bet."
			return nil
		}
		fold := func() tea.Cmd { return m.send(mqtt.ActionPayload{Action: controller.VerbFold}, "fold") }
		if !l.Check {
			return fold()
		}
		m.ask = &question{"Checking costs nothing. Fold all the same?", fold, true}
	case "x":
		if !l.Split {
			m.notice = "The pot cannot be split now."
			return nil
		}
		return m.send(mqtt.ActionPayload{Action: controller.VerbSplit}, "split the pot")
	case "c":
		return m.checkOrCall(l)
	case "a":
		if l.AllIn == 0 {
			m.notice = "You may not go all-in: the limit forbids it, or the betting is not open to you."
			return nil
		}
		m.allIn(l.AllIn, mqtt.ActionPayload{Action: controller.VerbAllIn})
	default:
		return m.betOrRaise(l)
	}
	return nil
}

// draw is a key in a draw: a number chooses a card, or takes it back.
func (m *model) draw(key string) tea.Cmd {
	n := len(m.throws.List())
	switch {
	case key == "p":
		return m.send(mqtt.ActionPayload{Action: controller.VerbStandPat}, "stand pat")
	case key != "d":
		if card := int(key[0] - '0'); card <= len(m.cards()) {
			m.throws ^= controller.PlacesOf(card)
		}
	case n == 0:
		m.notice = "Choose cards by their numbers, or p to stand pat."
	case n > int(m.turn.Most):
		m.notice = fmt.Sprintf("%d cards at most.", m.turn.Most)
	default:
		return m.send(mqtt.ActionPayload{Action: controller.VerbDiscard, Cards: m.throws}, fmt.Sprintf("discard %d", n))
	}
	return nil
}

func (m *model) checkOrCall(l engine.Legal) tea.Cmd {
	if l.BringIn > 0 {
		return m.send(mqtt.ActionPayload{Action: controller.VerbBringIn}, "bring in with "+amount(l.BringIn))
	}
	if l.Check {
		return m.send(mqtt.ActionPayload{Action: controller.VerbCheck}, "check")
	}
	if l.ToCall == 0 {
		m.notice = "There is nothing to call: bet or fold."
		return nil
	}
	call := mqtt.ActionPayload{Action: controller.VerbCall}
	if p := m.place(m.seat()); p != nil && l.ToCall >= p.Stack {
		m.allIn(l.AllIn, call)
		return nil
	}
	return m.send(call, "call "+amount(l.ToCall))
}

// betOrRaise opens the entry of an amount; where only one is legal there is nothing to enter.
func (m *model) betOrRaise(l engine.Legal) tea.Cmd {
	switch {
	case !l.Raise:
		m.notice = "The betting is not open to you."
	case l.MinTo == l.MaxTo:
		return m.wager(l.MinTo)
	default:
		m.size = newSizing(&m.state.View, l)
	}
	return nil
}

// wager bets or raises to an amount.
func (m *model) wager(to engine.Chips) tea.Cmd {
	a := mqtt.ActionPayload{Action: controller.VerbRaise, Amount: to}
	words := "raise to " + amount(to)
	if m.turn.Legal.Opens {
		a.Action, words = controller.VerbBet, "bet "+amount(to)
	}
	if to == m.turn.Legal.AllIn {
		m.allIn(to, a)
		return nil
	}
	return m.send(a, words)
}

// allIn asks before the player's last chips go in.
func (m *model) allIn(to engine.Chips, a mqtt.ActionPayload) {
	m.ask = &question{
		fmt.Sprintf("All-in with %s?", amount(to)),
		func() tea.Cmd { return m.send(a, "all-in") },
		true,
	}
}

// send puts a request to the table, one at a time; one for the turn carries its token.
func (m *model) send(a mqtt.ActionPayload, words string) tea.Cmd {
	if m.sent != "" {
		m.notice = "Wait for the answer."
		return nil
	}
	if m.turn != nil && a.Action != controller.VerbSitOut && a.Action != controller.VerbSitIn {
		a.Epoch, a.Turn = m.turn.Epoch, m.turn.Turn
	}
	m.size, m.sent = nil, words
	return m.act(a)
}
