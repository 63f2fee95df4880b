package play

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// open is what the player may put down for the next hand against the house, as if it were a bet; false where bets are not open
// to the player.
func (t *table) open() (engine.Legal, bool) {
	v, p := &t.state.View, t.place(t.seat())
	if v.Bank == nil || v.Phase != engine.Between || p == nil || p.Out {
		return engine.Legal{}, false
	}
	has := p.Stack
	if p.Box != nil {
		has += p.Box.Ante + p.Box.Bonus
	}
	const needed = 3 // antes, with those of the flop bet (BP-03)
	l := engine.Legal{Raise: true, Opens: true, MinTo: v.Stakes.MinAnte, MaxTo: min(v.Stakes.MaxAnte, has/needed)}
	return l, l.MinTo <= l.MaxTo
}

// staked is what the player has put down, of which the parts may be 0.
func (t *table) staked() (ante, bonus engine.Chips) {
	if p := t.place(t.seat()); p != nil && p.Box != nil {
		return p.Box.Ante, p.Box.Bonus
	}
	return 0, 0
}

// stakeKey is a key while bets against the house are open, false for one that does nothing then (BP-08).
func (m *model) stakeKey(key string) (tea.Cmd, bool) {
	l, ok := m.open()
	if !ok {
		return nil, false
	}
	ante, bonus := m.staked()
	st := &m.state.View.Stakes
	switch key {
	case "b", "enter":
		m.size = newSizing(&m.state.View, l)
		m.size.step = st.MinAnte
	case "n":
		switch {
		case st.MaxBonus == 0:
			m.notice = "There is no bonus bet at this table."
		case ante == 0:
			m.notice = "Bet an ante first."
		default:
			m.size = newSizing(&m.state.View, engine.Legal{Raise: true, Opens: true, MinTo: st.MinBonus, MaxTo: st.MaxBonus})
			m.size.step, m.size.bonus = st.MinBonus, true
		}
	case "k":
		m.behind = true
	case "0":
		if m.repeat.Amount == 0 {
			m.notice = "There is no bet to repeat yet."
			return nil, true
		}
		return m.stake(m.repeat.Amount, m.repeat.Bonus), true
	case ".", "delete":
		if ante+bonus == 0 {
			m.notice = "There is no bet to take back."
			return nil, true
		}
		return m.stake(0, 0), true
	default:
		return nil, false
	}
	return nil, true
}

// box is a key while the box to play behind is to be chosen: any but the number of a taken seat leaves it (BP-09).
func (m *model) box(key string) tea.Cmd {
	m.behind = false
	n, err := strconv.Atoi(key)
	if n == 0 {
		n = engine.MaxSeats
	}
	l, ok := m.open()
	seat := engine.Seat(n)
	switch {
	case err != nil || !ok:
	case seat == m.seat() || m.place(seat) == nil:
		m.notice = "There is no other box of that number."
	default:
		m.size = newSizing(&m.state.View, l)
		m.size.step, m.size.behind = m.state.View.Stakes.MinAnte, seat
	}
	return nil
}

// sized puts down the amount that was prepared, in place of what is there.
func (m *model) sized() tea.Cmd {
	ante, bonus := m.staked()
	if seat := m.size.behind; seat != 0 {
		return m.send(mqtt.ActionPayload{Action: controller.VerbBack, Seat: seat, Amount: m.size.amount},
			fmt.Sprintf("%s behind seat %d", amount(m.size.amount), seat))
	}
	if m.size.bonus {
		return m.stake(ante, m.size.amount)
	}
	return m.stake(m.size.amount, bonus)
}

// stake puts a stake down for the next hand, or takes it back.
func (m *model) stake(ante, bonus engine.Chips) tea.Cmd {
	a := mqtt.ActionPayload{Action: controller.VerbStake, Amount: ante, Bonus: bonus}
	words := "ante " + amount(ante)
	switch {
	case ante+bonus == 0:
		words = "take the bets back"
	case bonus > 0:
		words += ", bonus bet " + amount(bonus)
	}
	if ante > 0 {
		m.repeat = a
	}
	return m.send(a, words)
}
