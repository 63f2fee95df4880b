package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/card"
)

// The window's size decides how the table is drawn.
const (
	roundWidth  = 72  // with this width and height the seats stand round the table; in a smaller window they are a list
	roundHeight = 22  //
	airyHeight  = 32  // with this height there is a line between the rows of seats
	widest      = 110 // beyond this nothing gets wider
)

// screen draws everything, height lines at most.
func (m *model) screen() string {
	if m.width == 0 {
		return ""
	}
	width := min(m.width, widest)
	lines := []string{m.header(width)}
	prompt := m.prompt(width)
	switch {
	case m.help:
		lines = append(lines, helpLines(width)...)
	case width >= roundWidth && m.height >= roundHeight:
		lines = append(lines, m.round(width, m.height >= airyHeight)...)
	default:
		lines = append(lines, m.list()...)
	}
	lines = lines[:min(len(lines), max(0, m.height-len(prompt)))]
	lines = append(lines, prompt...)
	lines = append(lines, m.tail(m.height-len(lines))...)
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
		left += fmt.Sprintf("  hand %d", v.Hand)
		if v.Street != "" {
			left += ", " + v.Street
		}
	}
	live := good.of("● live")
	if m.delay > 0 {
		live = faint.of(fmt.Sprintf("%d ms ", m.delay.Milliseconds())) + live
	}
	if m.trouble() != "" {
		live = bad.of("○ not live")
	}
	return ends(left, " "+live, width)
}

// trouble says why the picture may be old, "" when it is not.
func (m *model) trouble() string {
	switch {
	case !m.link.Up:
		return upper(reconnecting(m.link.Err)) + "."
	case m.away != "":
		return upper(m.away) + "; waiting for it to come back."
	}
	return ""
}

// spots are where the seats stand round the table, by how many there are: the numbers of the ten places from the one at
// the bottom, where the player sits, clockwise.
var spots = [engine.MaxSeats + 1][]int{
	1:  {0},
	2:  {0, 5},
	3:  {0, 3, 7},
	4:  {0, 3, 5, 7},
	5:  {0, 2, 4, 6, 8},
	6:  {0, 2, 3, 5, 7, 8},
	7:  {0, 2, 3, 4, 6, 7, 8},
	8:  {0, 2, 3, 4, 5, 6, 7, 8},
	9:  {0, 1, 2, 3, 4, 6, 7, 8, 9},
	10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
}

// round draws the seats round the board, the player's own at the bottom. The table is a grid of four rows of three lines
// and three columns, with the board in the middle:
//
//	4  5  6
//	3     7
//	2     8
//	1  0  9
func (m *model) round(width int, airy bool) []string {
	var at [engine.MaxSeats][]string
	order := m.order()
	for i, seat := range order {
		at[spots[len(order)][i]] = m.seatLines(seat)
	}
	side := width * 3 / 10
	middle := width - 2*side
	rows := []struct{ left, centre, right []string }{
		{at[4], centre(at[5], middle), at[6]},
		{at[3], append([]string{""}, centre([]string{m.boardLine()}, middle)...), at[7]},
		{at[2], centre([]string{m.potLine()}, middle), at[8]},
		{at[1], centre(at[0], middle), at[9]},
	}
	var lines []string
	for i, row := range rows {
		if airy && i > 0 {
			lines = append(lines, "")
		}
		for j := range 3 {
			lines = append(lines, fit(line(row.left, j), side)+fit(line(row.centre, j), middle)+fit(line(row.right, j), side))
		}
	}
	return append([]string{rule(width)}, append(lines, rule(width))...)
}

// order lists the taken seats clockwise from the player's own.
func (m *model) order() []engine.Seat {
	var seats []engine.Seat
	for _, p := range m.state.View.Seats {
		seats = append(seats, p.Seat)
	}
	slices.Sort(seats)
	seats = slices.Compact(seats)
	if i := slices.Index(seats, m.seat()); i > 0 {
		seats = append(seats[i:], seats[:i]...)
	}
	return seats
}

// seatLines are the three lines of a seat: who it is, what it has, what it did.
func (m *model) seatLines(seat engine.Seat) []string {
	p := m.place(seat)
	cards := m.shown(p)
	stack := amount(p.Stack)
	did := m.doing(p)
	if b := p.Box; b != nil { // all that is bet against the house
		did = strings.TrimSpace(urgent.of("● "+amount(b.Ante+b.Bonus+b.Flop+b.Turn+b.River)) + " " + did)
	} else if p.Bet > 0 {
		did = strings.TrimSpace(urgent.of("● "+amount(p.Bet)) + " " + did)
	}
	if m.idle(p) {
		stack = faint.of(stack)
	}
	return []string{m.title(p), "  " + strings.TrimSpace(stack+"  "+cards), "  " + did}
}

// title is the line that says who has a seat, and marks whose turn it is.
func (m *model) title(p *engine.SeatView) string {
	text := fmt.Sprintf("%d %s", p.Seat, m.name(p.Seat))
	mark, s := "  ", plain
	switch {
	case m.acting(p.Seat):
		mark, s = urgent.of("▸ "), urgent
	case m.idle(p):
		s = faint
	case p.Seat == m.seat():
		s = bold
	}
	text = mark + s.of(text)
	if who := m.player(p.Seat); who != nil && who.Bot {
		text += faint.of(" bot")
	}
	if p.Seat == m.state.View.Button {
		text += " " + reverse.of("D")
	}
	if m.acting(p.Seat) {
		text += " " + m.clock(0)
	}
	return text
}

// acting is whether the table waits for a seat.
func (m *model) acting(seat engine.Seat) bool {
	a := m.state.View.Awaits
	return engine.Await{Kind: a.Kind, Seat: a.Seat}.Asked() == seat
}

func (m *model) folded(p *engine.SeatView) bool {
	return p.Dealt && !p.Live && m.state.View.Phase != engine.Between
}

// idle is whether a seat has no part in what goes on.
func (m *model) idle(p *engine.SeatView) bool { return m.folded(p) || p.Out && !p.Live }

// shown are the cards of a seat as the player sees them.
func (m *model) shown(p *engine.SeatView) string {
	cards := p.Cards
	if p.Seat == m.seat() && !p.Shown {
		cards = m.cards()
	}
	switch {
	case (m.folded(p) || p.Mucked) && p.Seat == m.seat():
		return faint.of(ansi.Strip(faces(cards)))
	case m.folded(p), p.Mucked, m.state.View.Phase == engine.Between && slices.Contains(cards, card.Hidden):
		return ""
	}
	return faces(cards)
}

// doing says how a seat stands in the hand.
func (m *model) doing(p *engine.SeatView) string {
	said := m.last[p.Seat]
	switch {
	case m.folded(p):
		return faint.of("folded")
	case p.AllIn:
		return bad.of("all in")
	case said != "":
		return said
	case p.Out:
		return faint.of("sits out")
	}
	return ""
}

// boardLine draws the community cards, and the places of those to come.
func (m *model) boardLine() string {
	drawn := make([]string, 0, engine.MaxBoard)
	for _, c := range m.board {
		drawn = append(drawn, face(c))
	}
	if m.state.View.Phase == engine.Between && len(drawn) == 0 {
		return ""
	}
	for len(drawn) < m.boardSize() {
		drawn = append(drawn, faint.of("··"))
	}
	return strings.Join(drawn, "  ")
}

// boardSize is how many community cards the game has.
func (m *model) boardSize() (n int) {
	g, err := engine.GameNamed(m.state.View.Game)
	if err != nil {
		return engine.MaxBoard
	}
	for _, st := range g.Streets {
		n += st.Board
	}
	return n
}

// potLine says what is in the pots, and what that makes with the bets in front.
func (m *model) potLine() string {
	v := &m.state.View
	if v.Bank != nil {
		return m.bankLine(v.Bank)
	}
	if v.Phase == engine.Between || v.Total == 0 {
		return ""
	}
	var pots []string
	var sum engine.Chips
	for i, p := range v.Pots {
		sum += p.Amount
		switch {
		case len(v.Pots) == 1:
			pots = append(pots, "pot "+bold.of(amount(p.Amount)))
		case i == 0:
			pots = append(pots, "main "+bold.of(amount(p.Amount)))
		default:
			pots = append(pots, fmt.Sprintf("side %d ", i)+bold.of(amount(p.Amount)))
		}
	}
	switch {
	case len(pots) == 0:
		pots = append(pots, "pot "+bold.of(amount(v.Total)))
	case v.Total > sum:
		pots = append(pots, "with bets "+bold.of(amount(v.Total)))
	}
	return strings.Join(pots, "  ")
}

// bankLine is the hand of the house.
func (m *model) bankLine(b *engine.BankView) string {
	if len(b.Cards) == 0 {
		return ""
	}
	return strings.TrimSpace("house " + faces(b.Cards) + "  " + b.Holds)
}

// list draws the table as a list of seats, for a small window.
func (m *model) list() []string {
	lines := []string{strings.TrimSpace(m.boardLine() + "   " + m.potLine())}
	for _, seat := range m.order() {
		s := m.seatLines(seat)
		lines = append(lines, s[0]+"  "+strings.TrimSpace(s[1])+"  "+strings.TrimSpace(s[2]))
	}
	return lines
}

// prompt is the player's own part: cards, whose turn it is, the keys that do something. It is the same number of lines
// always, so that nothing jumps.
func (m *model) prompt(width int) []string {
	own := ""
	if cards := m.cards(); len(cards) > 0 {
		own = "You hold " + m.own(cards)
		if holds := m.holds(); holds != "" {
			own += "  " + holds
		}
	}
	if next := m.peeked(); next != nil {
		own += "  next " + faces(next)
	}
	if p := m.place(m.seat()); p != nil && m.state.View.Carousel != 0 {
		own += faint.of(fmt.Sprintf("  sparks %d", p.Sparks))
	}
	lines := []string{own, m.status()}
	room := 2
	if width < roundWidth {
		room = 3
	}
	keys, hints := pack(m.keys(), width-2), pack(m.hints(), width-2)
	if m.notice != "" {
		keys = keys[:min(len(keys), room-1)]
	}
	hints = hints[:min(len(hints), max(0, room-len(keys)))]
	for len(keys)+len(hints) < room {
		keys = append(keys, "")
	}
	lines = append(append(lines, keys...), hints...)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return append(lines, rule(width))
}

// own are the player's cards, in a draw with their numbers and those that are to go marked.
func (m *model) own(cards []card.Card) string {
	if m.turn == nil || m.turn.Kind != engine.AwaitDiscard {
		return faces(cards)
	}
	drawn := make([]string, len(cards))
	for i, c := range cards {
		number, goes := strconv.Itoa(i+1), m.throws&controller.PlacesOf(i+1) != 0
		if drawn[i] = faint.of(number+":") + face(c); goes {
			drawn[i] = urgent.of(number+"✗") + face(c)
		}
	}
	return strings.Join(drawn, "  ")
}

// status says whose turn it is, or asks what the player must confirm.
func (m *model) status() string {
	switch {
	case m.ask != nil:
		return urgent.of(m.ask.text)
	case m.size != nil:
		verb := "Raise to"
		if m.size.legal.Opens {
			verb = "Bet"
		}
		if m.size.bonus {
			verb = "Bonus bet"
		}
		if m.size.behind != 0 {
			verb = fmt.Sprintf("Behind seat %d", m.size.behind)
		}
		s := plain
		if m.size.fault() != "" {
			s = bad
		}
		text := ""
		if m.size.amount > 0 {
			text = amount(m.size.amount)
		}
		return urgent.of(verb+" ") + s.of(text) + reverse.of(" ") + "  " + m.clock(10)
	case m.choosing != 0:
		return urgent.of(m.choice()) + "  " + m.clock(10)
	case m.behind:
		return urgent.of("Behind which box? Its seat, 0 for 10")
	case m.trouble() != "":
		return bad.of(m.trouble())
	case m.sent != "":
		return "Sent: " + m.sent + "."
	case m.turn != nil:
		return urgent.of("YOUR TURN") + "  " + m.clock(10)
	case len(m.state.Holds) > 0:
		return urgent.of(m.awaited())
	}
	return m.awaited() + "  " + m.clock(0)
}

// keys are the keys that do something now.
func (m *model) keys() []string {
	switch {
	case m.ask != nil:
		return []string{keycap("y", "yes"), keycap("n", "no")}
	case m.size != nil:
		s := m.size
		if s.legal.TwoSizes {
			return []string{
				keycap("m", amount(s.legal.MinTo)), keycap("a", amount(s.legal.MaxTo)), keycap("enter", "send"), keycap("esc", "back"),
			}
		}
		if m.turn == nil { // a stake: there is no pot to measure it by
			return []string{
				keycap("m", "min "+amount(s.legal.MinTo)), keycap("a", "max "+amount(s.legal.MaxTo)),
				keycap("+ -", "by "+amount(s.step)), keycap("enter", "bet"), keycap("esc", "back"),
			}
		}
		return []string{
			keycap("h", "½ "+amount(s.part(2))), keycap("t", "¾ "+amount(s.part(3))), keycap("p", "pot "+amount(s.part(4))),
			keycap("m", "min "+amount(s.legal.MinTo)), keycap("a", "max "+amount(s.legal.MaxTo)),
			keycap("+ -", "by "+amount(s.step)), keycap("enter", "send"), keycap("esc", "back"),
		}
	case m.sent != "" || m.choosing != 0 || m.behind:
		return nil
	}
	var caps []string
	for _, o := range m.options() {
		caps = append(caps, keycap(o.key, o.text))
	}
	return caps
}

// hints stand below the keys: what went wrong, or the keys that are always there.
func (m *model) hints() []string {
	switch {
	case m.notice != "" && m.refused:
		return []string{bad.of(m.notice)}
	case m.notice != "":
		return []string{urgent.of(m.notice)}
	case m.ask != nil || m.size != nil:
		return nil
	}
	sit := []string{faint.of("o sit out")}
	if p := m.place(m.seat()); p != nil && p.Out {
		sit = []string{urgent.of("o sit in"), "The next hand is dealt without you."}
	}
	return append(sit, faint.of("? help"), faint.of("q quit"))
}

// keycap shows a key and what it does.
func keycap(key, does string) string { return reverse.of(" "+key+" ") + " " + does }

// pack puts words side by side into lines of a width.
func pack(words []string, width int) []string {
	const gap = "   "
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

// clock shows the time that is left, with a bar of so many places.
func (m *model) clock(bar int) string {
	left, total := m.left(m.now)
	if total == 0 {
		return ""
	}
	s := plain
	if left*4 < total {
		s = bad
	}
	text := fmt.Sprintf("%d s", seconds(left))
	if m.state.Clock.Paused {
		text += ", stopped"
	}
	if bar > 0 {
		full := int((int64(left)*int64(bar) + int64(total) - 1) / int64(total))
		text = strings.Repeat("█", full) + strings.Repeat("░", bar-full) + " " + text
	}
	return s.of(text)
}

// tail is the end of the log, in so many lines.
func (m *model) tail(height int) []string {
	entries := m.log[max(0, len(m.log)-max(0, height)):]
	var lines []string
	for _, e := range entries {
		lines = append(lines, " "+e.in(faces))
	}
	return lines
}

func helpLines(width int) []string {
	lines := []string{rule(width)}
	for _, row := range [][2]string{
		{"f", "fold; asks first when checking costs nothing"},
		{"c", "check, or call"},
		{"b r", "bet or raise: choose an amount, enter sends it"},
		{"", "  0-9 type it   + - or arrows one big blind   page keys ten"},
		{"", "  h half the pot   t three quarters   p the pot   m least   a most"},
		{"", "  esc back; nobody sees an amount before it is sent"},
		{"a", "all-in; asks first"},
		{"s m", "show or muck at the showdown"},
		{"1-7", "in a draw: choose cards; d throws them away, p stands pat"},
		{"x", "offer to split the pot, or agree to it"},
		{"vwz", "powers: peek, swap a card, anchor a seat; s shields, a accepts"},
		{"n.0k", "against the house: bonus, take back, the same again, another's box"},
		{"o", "sit out from the next hand on, or in again"},
		{"q", "quit; asks first in a hand"},
	} {
		lines = append(lines, fmt.Sprintf("  %-4s %s", row[0], row[1]))
	}
	return append(lines, "", "  any key goes back to the table", rule(width))
}

// line is a line of a block, "" beyond its end.
func line(block []string, i int) string {
	if i < len(block) {
		return block[i]
	}
	return ""
}

func rule(width int) string { return faint.of(strings.Repeat("─", width)) }
