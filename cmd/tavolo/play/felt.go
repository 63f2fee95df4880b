package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tavolo/controller"
	"tavolo/display/text"
	"tavolo/engine"
	"tavolo/engine/card"
)

// The window's size decides how the table is drawn.
const (
	roundWidth  = 72  // with this width and the height below, the seats stand round the table; with less they are a list
	roundHeight = 14  // four rows of three lines between two rules
	airyHeight  = 25  // with this height there is a line between the rows of seats
	widest      = 110 // beyond this nothing gets wider
)

// felt draws the table in a room of a width and a height: round, or as a list where that has no room.
func (t *table) felt(width, height int) []string {
	if width >= roundWidth && height >= roundHeight {
		return t.round(width, height >= airyHeight)
	}
	return t.list()
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
func (t *table) round(width int, airy bool) []string {
	var at [engine.MaxSeats][]string
	order := t.order()
	for i, seat := range order {
		at[spots[len(order)][i]] = t.seatLines(seat)
	}
	side := width * 3 / 10
	middle := width - 2*side
	rows := []struct{ left, centre, right []string }{
		{at[4], centre(at[5], middle), at[6]},
		{at[3], append([]string{""}, centre([]string{t.boardLine()}, middle)...), at[7]},
		{at[2], centre(append(packed(t.pots(), middle), t.carousel()...), middle), at[8]},
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

// list draws the table as a list of seats.
func (t *table) list() []string {
	lines := []string{strings.TrimSpace(t.boardLine() + "   " + strings.Join(t.pots(), "  "))}
	for _, seat := range t.order() {
		s := t.seatLines(seat)
		lines = append(lines, s[0]+"  "+strings.TrimSpace(s[1])+"  "+strings.TrimSpace(s[2]))
	}
	return lines
}

// order lists the taken seats clockwise from the player's own.
func (t *table) order() []engine.Seat {
	var seats []engine.Seat
	for _, p := range t.state.View.Seats {
		seats = append(seats, p.Seat)
	}
	slices.Sort(seats)
	seats = slices.Compact(seats)
	if own := t.own(); len(own) > 0 {
		if i := slices.Index(seats, own[0]); i > 0 {
			seats = append(seats[i:], seats[:i]...)
		}
	}
	return seats
}

// seatLines are the three lines of a seat: who it is, what it has, what it did.
func (t *table) seatLines(seat engine.Seat) []string {
	p := t.place(seat)
	stack := t.words.Money(p.Stack)
	if t.idle(p) {
		stack = faint.of(stack)
	}
	if t.state.View.Carousel != 0 {
		stack += faint.of(fmt.Sprintf(" ✦%d", p.Sparks))
	}
	if p.Anchored {
		stack += urgent.of(" ⚓")
	}
	did := t.doing(p)
	for _, b := range slices.Backward(t.lies(p)) {
		did = strings.TrimSpace(urgent.of(b) + " " + did)
	}
	return []string{t.title(p), "  " + strings.TrimSpace(stack+"  "+t.shown(p)), "  " + did}
}

// lies is what lies before a seat: its bet, its bonus bet against the house, and what others have put behind its box.
func (t *table) lies(p *engine.SeatView) (bets []string) {
	bet, bonus := p.Bet, engine.Chips(0)
	if p.Box != nil {
		bet, bonus = down(p.Box), p.Box.Bonus
	}
	if bet > 0 {
		bets = append(bets, "● "+t.words.Money(bet))
	}
	if bonus > 0 {
		bets = append(bets, "★ "+t.words.Money(bonus))
	}
	for _, b := range t.state.Behind {
		if b.Seat == p.Seat {
			bets = append(bets, fmt.Sprintf("+%d: %s", b.Players, t.words.Money(engine.Chips(b.Ante+b.Bonus))))
		}
	}
	return bets
}

// title is the line that says who has a seat, and marks whose turn it is.
func (t *table) title(p *engine.SeatView) string {
	who := t.player(p.Seat)
	text := strconv.Itoa(int(p.Seat))
	if who != nil && who.Name != "" {
		text += " " + who.Name
	}
	mark, s := "  ", plain
	switch {
	case t.acting(p.Seat):
		mark, s = urgent.of("▸ "), urgent
	case t.idle(p):
		s = faint
	case slices.Contains(t.own(), p.Seat):
		s = bold
	}
	text = mark + s.of(text)
	switch {
	case who == nil || who.Kind != controller.Remote:
	case who.Bot:
		text += faint.of(" " + t.words.Say("seat.bot"))
	case !who.Connected:
		text += faint.of(" " + strings.ToLower(t.words.Say("seat.offline")))
	}
	if p.Seat == t.state.View.Button {
		text += " " + reverse.of("D")
	}
	if t.acting(p.Seat) {
		text += " " + t.clock(0)
	}
	return text
}

// acting is whether the table waits for a seat.
func (t *table) acting(seat engine.Seat) bool {
	a := t.state.View.Awaits
	return engine.Await{Kind: a.Kind, Seat: a.Seat}.Asked() == seat
}

func (t *table) folded(p *engine.SeatView) bool {
	return p.Dealt && !p.Live && t.state.View.Phase != engine.Between
}

// idle is whether a seat has no part in what goes on.
func (t *table) idle(p *engine.SeatView) bool { return t.folded(p) || p.Out && !p.Live }

// shown are the cards of a seat as the player sees them: of his own those told last, which may be ahead of the state.
func (t *table) shown(p *engine.SeatView) string {
	own := slices.Contains(t.own(), p.Seat)
	cards := p.Cards
	if hole := t.hole(p.Seat).Cards; own && !p.Shown && len(hole) > 0 {
		cards = hole
	}
	switch {
	case (t.folded(p) || p.Mucked) && own:
		return faint.of(ansi.Strip(faces(cards)))
	case t.folded(p), p.Mucked, t.state.View.Phase == engine.Between && slices.Contains(cards, card.Hidden):
		return ""
	}
	drawn := make([]string, len(cards))
	for i, c := range cards {
		drawn[i] = t.marked(c, t.wonWith(p))
	}
	return strings.Join(drawn, " ")
}

// winning are the cards that pots were won with, by the high hand and by the low one.
type winning struct{ high, low card.Set }

// wonWith is what a seat won with; nothing where it showed no hand.
func (t *table) wonWith(p *engine.SeatView) (w winning) {
	if won, low := t.won[p.Seat], t.low[p.Seat]; won > low {
		w.high = card.SetOf(p.Best...)
	}
	if t.low[p.Seat] > 0 {
		w.low = card.SetOf(p.BestLow...)
	}
	return w
}

// allWonWith is what all seats won with.
func (t *table) allWonWith() (w winning) {
	for i := range t.state.View.Seats {
		one := t.wonWith(&t.state.View.Seats[i])
		w.high, w.low = w.high|one.high, w.low|one.low
	}
	return w
}

// marked draws a card: with a sign behind it if it helped to win, which says which half where there are two, and faint if it is
// beside one that did.
func (t *table) marked(c card.Card, w winning) string {
	all := t.allWonWith()
	switch high, low := w.high.Has(c), w.low.Has(c); {
	case all == winning{}:
		return face(c)
	case high && low:
		return face(c) + good.of("↕")
	case low:
		return face(c) + good.of("↓")
	case high && all.low != 0:
		return face(c) + good.of("↑")
	case high:
		return face(c) + good.of("*")
	}
	return faint.of(ansi.Strip(face(c)))
}

// doing says how a seat stands in the hand: what it won, or else why it does not play, or what it did last.
func (t *table) doing(p *engine.SeatView) string {
	did := t.said[p.Seat]
	switch {
	case t.won[p.Seat] > 0:
		return good.of("+" + t.words.Money(t.won[p.Seat]))
	case p.Mucked:
		return faint.of(t.words.Say("seat.mucked"))
	case p.Out && !p.Live:
		return faint.of(t.words.Say("seat.out"))
	case p.Waits && !p.Live:
		return faint.of(t.words.Say("seat.waits"))
	case t.folded(p):
		return faint.of(t.words.Say("seat.folded"))
	case p.Shown && p.Holds != "":
		return t.words.Holds(clean(p.Holds))
	case p.AllIn:
		return bad.of(t.words.Say("seat.all_in"))
	case did.what != "":
		return t.words.Say("said."+did.what, text.V{"amount": t.words.Money(did.amount), "count": strconv.Itoa(int(did.amount))})
	}
	return ""
}

// boardLine draws the community cards, and the places of those to come.
func (t *table) boardLine() string {
	drawn := make([]string, 0, engine.MaxBoard)
	for _, c := range t.board {
		drawn = append(drawn, t.marked(c, t.allWonWith()))
	}
	if t.state.View.Phase == engine.Between && len(drawn) == 0 {
		return ""
	}
	for len(drawn) < t.boardSize() {
		drawn = append(drawn, faint.of("··"))
	}
	return strings.Join(drawn, "  ")
}

// boardSize is how many community cards the game has.
func (t *table) boardSize() (n int) {
	g, err := engine.GameNamed(t.state.View.Game)
	if err != nil {
		return engine.MaxBoard
	}
	for _, st := range g.Streets {
		n += st.Board
	}
	return n
}

// pots say what is in the pot, bets included, and in each pot where there are several; against the house its hand.
func (t *table) pots() []string {
	v := &t.state.View
	if v.Bank != nil {
		return []string{t.bankLine(v.Bank)}
	}
	if v.Phase == engine.Between || v.Total == 0 {
		return []string{""}
	}
	pots := []string{t.words.Say("pot") + " " + bold.of(t.words.Money(v.Total))}
	for i, p := range v.Pots {
		name := t.words.Say("pot.main")
		if i > 0 {
			name = t.words.Say("pot.side", text.V{"number": strconv.Itoa(i)})
		}
		if len(v.Pots) > 1 {
			pots = append(pots, name+" "+bold.of(t.words.Money(p.Amount)))
		}
	}
	return pots
}

// bankLine is the hand of the house.
func (t *table) bankLine(b *engine.BankView) string {
	if len(b.Cards) == 0 {
		return ""
	}
	return strings.TrimSpace(t.words.Say("house.holds", text.V{"cards": faces(b.Cards)}) + "  " + t.words.Holds(clean(b.Holds)))
}

// carousel names the powers of the hand.
func (t *table) carousel() (names []string) {
	for _, p := range t.state.View.Carousel.List() {
		names = append(names, faint.of(t.words.Say("power."+p.String())))
	}
	return names
}

// clock shows the time that is left, with a bar of so many places.
func (t *table) clock(bar int) string {
	left, total := t.left()
	if total == 0 {
		return ""
	}
	s, c := plain, t.state.Clock
	if left*4 < total {
		s = bad
	}
	key := "clock.seconds"
	switch {
	case bar == 0:
	case c.Bank:
		key = "clock.bank"
	case c.Grace:
		key = "clock.grace"
	}
	said := t.words.Say(key, text.V{"seconds": strconv.Itoa(seconds(left))})
	if c.Paused {
		said += ", " + t.words.Say("clock.paused")
	}
	if bar > 0 {
		full := int((int64(left)*int64(bar) + int64(total) - 1) / int64(total))
		said = strings.Repeat("█", full) + strings.Repeat("░", bar-full) + " " + said
	}
	return s.of(said)
}

// tail is the end of the story, in so many lines.
func (t *table) tail(height int) (lines []string) {
	for i := len(t.log) - 1; i >= 0 && len(lines) < height; i-- {
		if said := t.line(&t.log[i], faces); said != "" {
			lines = append(lines, " "+said)
		}
	}
	slices.Reverse(lines)
	return lines
}
