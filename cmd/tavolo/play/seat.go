package play

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
	"tavolo/engine"
)

// seatChoices are what concerns the seat and not the hand.
func (m *model) seatChoices() (all []choice) {
	p := m.seated()
	if p == nil {
		return []choice{on("k", m.words.Say("seat.sit"), m.openChips)}
	}
	toggle := func(key, name string, is bool, verb controller.Verb) {
		if is {
			verb = controller.VerbSitIn
		}
		what := m.words.Say(name)
		c := on(key, what, func() tea.Cmd { return m.send(mqtt.ActionPayload{Action: verb}, what, nil) })
		c.on = is
		all = append(all, c)
	}
	toggle("o", "seat.sit_out", p.Out, controller.VerbSitOut)
	if m.state.View.Bank == nil && !p.Dealt && (p.Out || p.Waits) {
		toggle("w", "seat.wait_blind", p.Waits, controller.VerbWaitBlind)
	}
	return append(all, on("k", m.words.Say("seat.chips"), m.openChips))
}

// offered says that a seat is kept for the player, who waited for one.
func (t *table) offered() string {
	until := time.UnixMilli(t.offer.Until).Add(t.lag).Local().Format("15:04:05")
	return t.words.Say("list.offer", text.V{"seats": seatList(t.offer.Free), "time": until})
}

func seatList(seats []engine.Seat) string {
	all := make([]string, len(seats))
	for i, s := range seats {
		all[i] = strconv.Itoa(int(s))
	}
	return strings.Join(all, ", ")
}

// chips is where the player sits down, adds chips, moves or gets up, or waits for a seat.
type chips struct {
	typed string
	at    engine.Seat // the seat to take, 0 for the first that is free
}

func (m *model) openChips() tea.Cmd { return m.open(&chips{}) }

// free are the seats that the player may take, his own first where it is kept for him.
func (t *table) free() (seats []engine.Seat) {
	for _, seat := range t.own() {
		if t.place(seat) == nil {
			seats = append(seats, seat)
		}
	}
	seats = append(seats, t.state.Seating.Free...)
	if t.offer != nil {
		seats = append(seats, t.offer.Free...)
	}
	seats = slices.DeleteFunc(seats, func(s engine.Seat) bool { return !isSeat(s) })
	slices.Sort(seats)
	return slices.Compact(seats)
}

// seat is the one chosen, 0 where none is free.
func (c *chips) seat(m *model) engine.Seat {
	free := m.free()
	if slices.Contains(free, c.at) || len(free) == 0 {
		return c.at
	}
	if own := m.seat(); slices.Contains(free, own) {
		return own
	}
	return free[0]
}

// amount is what was typed, 0 for what is none, or else what one usually brings or adds.
func (c *chips) amount(m *model) engine.Chips {
	if c.typed != "" {
		n, _ := m.words.Read(c.typed)
		return n
	}
	st, by := &m.state.View.Stakes, &m.state.Seating
	if m.seated() != nil {
		return max(st.BigBlind, st.SmallBet, 1)
	}
	usual := max(by.MinBuyIn, 100*max(st.BigBlind, st.SmallBet))
	if by.MaxBuyIn > 0 {
		usual = min(usual, by.MaxBuyIn)
	}
	return usual
}

func (c *chips) choices(m *model) (all []choice) {
	ask := func(key, name string, a mqtt.ActionPayload) choice {
		what := m.words.Say(name)
		return on(key, what, func() tea.Cmd {
			return m.send(a, what, func() {
				if m.pane = nil; a.Amount > 0 && m.state.View.Phase != engine.Between {
					m.notice = m.words.Say("seat.more.later")
				}
			})
		})
	}
	free := m.free()
	if m.seated() == nil && len(free) == 0 {
		return []choice{
			ask("j", "list.join", mqtt.ActionPayload{Action: controller.VerbJoinList}),
			ask("l", "list.leave", mqtt.ActionPayload{Action: controller.VerbLeaveList}),
		}
	}
	amount, at := c.amount(m), c.seat(m)
	switch {
	case amount == 0:
	case m.seated() != nil:
		all = append(all, ask("enter", "seat.add", mqtt.ActionPayload{Action: controller.VerbTopUp, Amount: amount}).as("↵"))
	default:
		all = append(all, ask("enter", "seat.sit", mqtt.ActionPayload{Action: controller.VerbSit, Seat: at, Amount: amount}).as("↵"))
	}
	all = append(all,
		choice{keys: figures, cap: "0 – 9", text: m.words.Say("keys.amount"), do: func(key string) tea.Cmd {
			c.typed = typed(c.typed, key)
			return nil
		}},
		hidden("backspace", func() tea.Cmd {
			c.typed = rubbed(c.typed)
			return nil
		}),
	)
	if len(free) > 1 || m.seated() != nil && len(free) > 0 {
		step := func(by int) func() tea.Cmd {
			return func() tea.Cmd {
				c.at = free[(slices.Index(free, at)+by+len(free))%len(free)]
				return nil
			}
		}
		all = append(all, hidden("left", step(-1)), on("right", m.words.Say("seat.which"), step(1)).as("← →"))
	}
	if m.seated() != nil && len(free) > 0 {
		all = append(all, ask("m", "seat.move", mqtt.ActionPayload{Action: controller.VerbMove, Seat: at}))
	}
	if m.seated() != nil {
		all = append(all, ask("l", "seat.leave", mqtt.ActionPayload{Action: controller.VerbLeave}))
	}
	return all
}

func (c *chips) lines(m *model, _, _ int) []string {
	p, by := m.seated(), &m.state.Seating
	title, amount := "seat.sit", "seat.amount"
	if p != nil {
		title, amount = "seat.chips", "seat.more"
	}
	lines := []string{bold.of(" " + m.words.Say(title)), ""}
	add := func(text string) { lines = append(lines, "  "+text) }
	if m.offer != nil {
		add(urgent.of(m.offered()))
	}
	free := m.free()
	if p == nil && len(free) == 0 {
		add(m.words.Say("list.full", text.V{"waiting": strconv.Itoa(by.Waiting)}))
		return lines
	}
	shown := m.words.Money(c.amount(m))
	if c.typed != "" {
		shown = c.typed
	}
	add(m.words.Say(amount) + ": " + bold.of(shown) + reverse.of(" "))
	if p == nil && (by.MinBuyIn > 0 || by.MaxBuyIn > 0) {
		most := "∞"
		if by.MaxBuyIn > 0 {
			most = m.words.Money(by.MaxBuyIn)
		}
		add(faint.of(m.words.Say("seat.amount.range", text.V{"min": m.words.Money(by.MinBuyIn), "max": most})))
	}
	if p != nil && p.Dealt && m.state.View.Phase != engine.Between {
		add(faint.of(m.words.Say("seat.more.later")))
	}
	if len(free) > 0 {
		var seats []string
		for _, s := range free {
			n := strconv.Itoa(int(s))
			if s == c.seat(m) {
				n = reverse.of(" " + n + " ")
			}
			seats = append(seats, n)
		}
		add(m.words.Say("seat.which") + ": " + strings.Join(seats, "  "))
	}
	return lines
}
