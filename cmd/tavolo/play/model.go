package play

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
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
	answer struct{ err error }
)

// model is the interactive player: the picture of the table and what the player is about to do. All it does to the world
// it gives back as a command.
type model struct {
	table
	setting settings
	// act makes the command that puts a request to the table, and ends in an answer; recall the one that asks for events of old,
	// and ends in recalled.
	act    func(mqtt.ActionPayload) tea.Cmd
	recall func(first, last uint64) tea.Cmd

	width, height int
	link          mqtt.Health
	delay         time.Duration // of an answer of the table, 0 before the first

	seen   uint64            // the token of the turn that the fields below belong to
	size   *sizing           // the amount of a bet, nil where none is possible
	throws controller.Places // the cards chosen to be thrown away in a draw
	// choosing is the power for which a card or a seat is to be chosen, 0 for none.
	choosing engine.Power

	stake   stake  // what is put down against the house
	plan    intent // what was decided ahead
	pane    pane   // what is shown in place of the table, nil for nothing
	sent    *request
	notice  string // what to tell the player, until the next key
	refused bool   // the notice is a refusal
	// pressed is the last key, where it asked to be pressed again.
	pressed string
}

// request is one under way.
type request struct {
	what string // in words
	turn uint64 // the token of the turn that it ends, 0 for none
	done func() // when it is done, may be nil
}

// pane is what is shown in place of the table until the player leaves it.
type pane interface {
	// choices are its keys; esc leaves it, where it has none itself.
	choices(m *model) []choice
	// lines draw it, in a room of a width and a height.
	lines(m *model, width, height int) []string
}

// choice is something that a key does.
type choice struct {
	keys string // the names of the keys, separated by spaces
	cap  string // how they are shown, "" where they are not
	text string // what they do
	on   bool   // it is chosen
	do   func(key string) tea.Cmd
}

// on makes a choice of one key, which is shown as its letter is.
func on(key, text string, do func() tea.Cmd) choice {
	return choice{keys: key, cap: strings.ToUpper(key), text: text, do: func(string) tea.Cmd { return do() }}
}

// hidden makes a choice of keys that are not shown.
func hidden(keys string, do func() tea.Cmd) choice {
	return choice{keys: keys, do: func(string) tea.Cmd { return do() }}
}

// as shows the keys otherwise.
func (c choice) as(cap string) choice {
	c.cap = cap
	return c
}

// newModel makes the screen of a player, who is to be told what to act and recall by.
func newModel(opt Options) *model {
	return &model{
		table:   table{me: opt.Player, words: opt.Words, now: time.Now()},
		setting: settings{language: opt.Words}, stake: stake{chip: 1},
	}
}

// has reports whether a key is one of those of the choice.
func (c choice) has(key string) bool { return slices.Contains(strings.Fields(c.keys), key) }

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
	case recalled:
		if h, ok := m.pane.(*history); ok {
			h.heard(m, msg)
		}
	}
	return m, nil
}

// keyOf names a key as the choices do, whatever the caps lock says.
func keyOf(k tea.KeyPressMsg) string { return strings.ToLower(k.String()) }

// heard folds in what the table says. What the player was about to do stays while the turn does, and goes with it.
func (m *model) heard(h heard) tea.Cmd {
	_, had := m.planned()
	m.hear(h.msg, h.at)
	m.plan.heard(m, h.msg, had)
	m.words = m.setting.words(&m.state)
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
	m.seen, m.size, m.throws, m.choosing, m.pressed = now, nil, 0, 0, ""
	if m.turn != nil && m.turn.Kind == engine.AwaitAction && m.turn.Legal.Raise {
		m.size = newSizing(m.turn.Legal)
	}
	return true
}

func (m *model) heardAnswer(a answer) {
	r := m.sent
	m.sent = nil
	refusal, refused := errors.AsType[*client.Refused](a.err)
	switch {
	case refused:
		m.notice, m.refused = clean(m.words.Refusal(refusal.Code, refusal.Text)), true
	case a.err != nil:
		m.notice, m.refused = m.words.Say("unanswered"), true
	case r != nil:
		m.answered(r.turn)
		m.newTurn()
		if r.done != nil {
			r.done()
		}
	}
}

// press is one key.
func (m *model) press(key string) tea.Cmd {
	pressed := m.pressed
	m.notice, m.refused, m.pressed, m.plan.dropped = "", false, "", false
	if key == "ctrl+c" {
		return tea.Quit
	}
	all := m.choices()
	i := slices.IndexFunc(all, func(c choice) bool { return c.has(key) })
	if i < 0 {
		return nil
	}
	m.pressed = pressed
	cmd := all[i].do(key)
	if m.pressed == pressed {
		m.pressed = "" // it was not asked for just now
	}
	return cmd
}

// again reports whether a key was pressed a second time, of something that cannot be taken back; at the first it asks for that.
func (m *model) again(key, question string) bool {
	if m.pressed == key {
		return true
	}
	m.pressed, m.notice = key, question
	return false
}

// choices are what keys do now.
func (m *model) choices() []choice {
	if m.pane != nil {
		all := m.pane.choices(m)
		if slices.ContainsFunc(all, func(c choice) bool { return c.has("esc") }) {
			return all
		}
		return append(all, on("esc", m.words.Say("close"), m.closePane).as("Esc"))
	}
	return append(m.acts(), m.always()...)
}

// acts are what keys do about the hand.
func (m *model) acts() []choice {
	switch p := m.seated(); {
	case m.turn != nil:
		return turns[m.turn.Kind](m)
	case m.betting():
		return m.stakes()
	case p != nil && p.Live && !p.AllIn && m.state.View.Bank == nil && m.state.View.Phase != engine.Between && m.state.View.Phase != engine.Showing:
		return m.ahead()
	}
	return nil
}

// turns are what the player may do in a turn, by its kind.
var turns = map[engine.AwaitKind]func(*model) []choice{
	engine.AwaitAction:  (*model).decision,
	engine.AwaitReveal:  (*model).reveal,
	engine.AwaitDiscard: (*model).draw,
	engine.AwaitShield:  (*model).shield,
}

// always are the keys that are there whatever goes on.
func (m *model) always() []choice {
	return append(m.seatChoices(),
		on("h", m.words.Say("hands"), m.openHands),
		on(",", m.words.Say("options"), func() tea.Cmd { return m.open(&options{}) }),
		on("?", m.words.Say("help"), func() tea.Cmd { return m.open(&help{}) }),
		on("q", m.words.Say("terminal.quit"), m.quit),
	)
}

func (m *model) open(p pane) tea.Cmd {
	m.pane = p
	return nil
}

func (m *model) closePane() tea.Cmd {
	m.pane = nil
	return nil
}

// quit leaves at once, or when it is asked for again where a hand is at stake.
func (m *model) quit() tea.Cmd {
	if !m.inHand() || m.again("q", m.words.Say("terminal.quit.sure")) {
		return tea.Quit
	}
	return nil
}

// send puts a request to the table, one at a time; done, where not nil, is called when it is done.
func (m *model) send(a mqtt.ActionPayload, what string, done func()) tea.Cmd {
	if m.sent != nil {
		m.notice = m.words.Say("terminal.wait")
		return nil
	}
	m.sent = &request{what, a.Turn, done}
	if power(a.Action) {
		m.sent.turn = 0 // it goes on
	}
	return m.act(a)
}

// answerTurn puts a request to the table that answers the turn.
func (m *model) answerTurn(a mqtt.ActionPayload, what string) tea.Cmd {
	a.Epoch, a.Turn = m.turn.Epoch, m.turn.Turn
	return m.send(a, what, nil)
}

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	v.WindowTitle = m.state.Title
	if m.turn != nil {
		v.WindowTitle = m.words.Say("turn") + " " + m.state.Title
	}
	return v
}

// screen draws everything, height lines at most: header, table or pane, the player's own part, and what is left of the story.
func (m *model) screen() string {
	if m.width == 0 {
		return ""
	}
	width := min(m.width, widest)
	prompt := m.prompt(width)
	room := max(0, m.height-len(prompt)-1)
	lines := []string{m.header(width)}
	if m.pane != nil {
		body := m.pane.lines(m, width, room)
		lines = append(lines, body[:min(len(body), room)]...)
		for len(lines) < room+1 {
			lines = append(lines, "")
		}
	} else {
		body := m.felt(width, room)
		lines = append(lines, body[:min(len(body), room)]...)
	}
	lines = append(lines, prompt...)
	if m.pane == nil {
		lines = append(lines, m.story(m.height-len(lines))...)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(fit(lines[i], width), " ")
	}
	return strings.Join(lines[max(0, len(lines)-m.height):], "\n")
}

// header names the table, the game and the hand, and says whether all this is live.
func (m *model) header(width int) string {
	v := &m.state.View
	left := bold.of(m.state.Title) + "  " + m.rules()
	if v.Hand > 0 {
		left += "  " + m.words.Say("hand", text.V{"hand": strconv.FormatUint(v.Hand, 10)})
	}
	if v.Street != "" {
		left += ", " + strings.ToLower(m.words.Named("street", v.Street))
	}
	if j := m.state.Jackpot; j > 0 {
		left += "  " + m.words.Say("jackpot", text.V{"amount": m.words.Money(j)})
	}
	live := good.of("● " + m.words.Say("link.online"))
	switch {
	case !m.link.Up:
		live = bad.of("○ " + m.words.Say("link.lost"))
	case !m.away.Up:
		live = bad.of("○ " + m.words.Say("link.lost"))
	case m.delay > 0:
		live = faint.of(strconv.FormatInt(m.delay.Milliseconds(), 10)+" ms ") + live
	}
	return ends(left, " "+live, width)
}

// trouble says why the picture may be old, "" when it is not.
func (m *model) trouble() string {
	switch {
	case !m.link.Up && mqtt.LoginRefused(m.link.Err):
		return m.words.Say("note.refused")
	case !m.link.Up:
		said := m.words.Say("note.lost")
		if why := reconnecting(m.link.Err); why != "" {
			said += " (" + why + ")"
		}
		return said
	case !m.away.Up:
		return m.awayText()
	}
	return ""
}

// prompt is the player's own part: cards, what goes on, the keys that do something. It is the same number of lines always, so
// that nothing jumps.
func (m *model) prompt(width int) []string {
	room := 3
	if width < roundWidth {
		room = 4
	}
	acts, rest := m.acts(), m.always()
	if m.pane != nil {
		acts, rest = m.choices(), nil
	}
	keys := pack(caps(acts, reverse), width-2)
	hints := pack(caps(rest, faint), width-2)
	if len(keys) == 0 && m.pane == nil {
		keys = []string{faint.of(m.idleness())}
	}
	notice, s := m.notice, urgent
	if m.refused {
		s = bad
	}
	if notice == "" && m.plan.dropped && m.toCall() > 0 {
		notice = m.words.Say("ahead.dropped")
	}
	if notice != "" {
		hints = strings.Split(ansi.Wordwrap(notice, max(1, width-2), ""), "\n")
		hints = hints[:min(len(hints), room)]
		for i := range hints {
			hints[i] = s.of(hints[i])
		}
		keys = keys[:min(len(keys), room-len(hints))]
	}
	hints = hints[:min(len(hints), max(0, room-len(keys)))]
	keys = keys[:min(len(keys), room)]
	for len(keys)+len(hints) < room {
		keys = append(keys, "")
	}
	lines := append(append([]string{m.holding(), m.status(width)}, keys...), hints...)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return append(lines, rule(width))
}

// holding are the player's cards, and what they make.
func (m *model) holding() string {
	said := ""
	if cards := m.cards(); len(cards) > 0 {
		said = m.words.Say("holding", text.V{"cards": m.picked(cards)})
		if holds := m.holds(m.hole(m.seat())); holds != "" {
			said += "  " + bold.of(holds)
		}
	}
	if next := m.peeked(); next != nil {
		said += "  " + m.words.Say("holding.peeked") + " " + faces(next)
	}
	return said
}

// status says what goes on; in the player's turn the clock first, since what is asked may be longer than the line.
func (m *model) status(width int) string {
	switch {
	case m.trouble() != "":
		return bad.of(m.trouble())
	case m.sent != nil:
		return m.words.Say("terminal.sent", text.V{"what": m.sent.what})
	case m.turn != nil:
		bar := 10
		if width < roundWidth {
			bar = 0
		}
		return strings.TrimLeft(m.clock(bar)+"  "+urgent.of(m.question()), " ")
	case m.offer != nil:
		return urgent.of(m.offered())
	}
	said := strings.Join(m.messages(), "  ")
	if len(m.state.Holds) > 0 {
		said = urgent.of(said)
	}
	return said + "  " + m.clock(0) + "  " + faint.of(m.lastHand())
}

// idleness says why there is nothing to do.
func (m *model) idleness() string {
	v := &m.state.View
	switch p := m.seated(); {
	case m.sent != nil:
		return ""
	case p == nil:
		return m.words.Say("actions.no_seat")
	case p.Live && p.AllIn:
		return m.words.Say("actions.all_in")
	case p.Dealt && !p.Live && v.Phase != engine.Between:
		return m.words.Say("actions.folded")
	case p.Live:
		return ""
	case p.Out:
		return m.words.Say("actions.out")
	case p.Waits:
		return m.words.Say("actions.waits")
	case v.Phase == engine.Between:
		return "" // the status says so
	}
	return m.words.Say("actions.next")
}

// story is the end of what happened, below the stakes that the player has behind boxes.
func (m *model) story(height int) []string {
	lines := m.backed()
	lines = lines[:min(len(lines), max(0, height))]
	return append(lines, m.tail(height-len(lines))...)
}

// caps show choices with their keys in a style.
func caps(choices []choice, s style) (all []string) {
	for _, c := range choices {
		if c.cap == "" {
			continue
		}
		text := c.text
		if c.on {
			text = good.of("✓ ") + bold.of(text)
		}
		if s == faint {
			all = append(all, faint.of(c.cap+" ")+faint.of(ansi.Strip(text)))
			continue
		}
		all = append(all, strings.TrimSpace(s.of(" "+c.cap+" ")+" "+text))
	}
	return all
}

// pack puts words side by side into lines of a width.
func pack(words []string, width int) []string {
	const gap = "  "
	var lines []string
	for _, w := range words {
		if n := len(lines); n > 0 && ansi.StringWidth(lines[n-1]+gap+w) <= width {
			lines[n-1] += gap + w
			continue
		}
		lines = append(lines, w)
	}
	return lines
}
