package play

import (
	"cmp"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
	"tavolo/engine"
)

// values are those of the chips that a stake is laid of (BP-02).
var values = [...]engine.Chips{1, 5, 25, 100, 500}

// stake is what the player is about to put down for the next hand against the house, on an own box or behind another's (BP-08,
// BP-09).
type stake struct {
	seat engine.Seat // the box that was chosen, 0 for none
	chip int         // the index in values of the chip chosen
	laid bets        // on the fields, not put down yet
	last bets        // put down last, to be repeated
}

// bets are those before a hand.
type bets struct{ ante, bonus engine.Chips }

// betting is whether bets against the house are open.
func (t *table) betting() bool {
	v := &t.state.View
	return v.Bank != nil && v.Phase == engine.Between && len(v.Seats) > 0
}

// boxes are those that the player may bet on, the own ones first.
func (t *table) boxes() (mine, others []engine.Seat) {
	own := t.own()
	for _, p := range t.state.View.Seats {
		switch {
		case !slices.Contains(own, p.Seat):
			others = append(others, p.Seat)
		case !p.Out:
			mine = append(mine, p.Seat)
		}
	}
	return mine, others
}

// stakes are the choices of a stake: a chip, the fields that it is laid on, the box.
func (m *model) stakes() []choice {
	mine, others := m.boxes()
	boxes := slices.Concat(mine, others)
	if len(boxes) == 0 {
		return nil
	}
	at := boxes[0]
	for _, seat := range slices.Backward(mine) {
		if m.place(seat).Box == nil {
			at = seat // several are played one after the other: the first that has no stake yet
		}
	}
	if slices.Contains(boxes, m.stake.seat) {
		at = m.stake.seat
	}
	own := slices.Contains(mine, at)
	down, lies := m.laidDown(at, own)
	put := func(s bets) tea.Cmd { return m.putDown(at, own, s) }
	s := &m.stake
	all := []choice{
		{keys: "1 2 3 4 5", cap: "1 – 5", text: m.words.Say("stake.chip") + " " + m.words.Money(values[s.chip]), do: func(key string) tea.Cmd {
			s.chip = int(key[0] - '1')
			return nil
		}},
		m.field("a", "stake.ante", &s.laid.ante, down.ante, m.state.View.Stakes.MaxAnte),
	}
	if most := m.state.View.Stakes.MaxBonus; most > 0 {
		all = append(all, m.field("b", "stake.bonus", &s.laid.bonus, down.bonus, most))
	}
	if s.laid.ante > 0 {
		laid := m.words.Say("stake.bet", text.V{"amount": m.words.Money(s.laid.ante + s.laid.bonus)})
		all = append(all, on("enter", laid, func() tea.Cmd { return put(s.laid) }).as("↵"))
	}
	switch {
	case s.laid != bets{}:
		all = append(all, on("delete .", m.words.Say("stake.clear"), func() tea.Cmd {
			s.laid = bets{}
			return nil
		}).as("."))
	case lies:
		all = append(all, on("delete .", m.words.Say("stake.back"), func() tea.Cmd { return put(bets{}) }).as("."))
	}
	if s.last.ante > 0 {
		all = append(all, on("0", m.words.Say("stake.again"), func() tea.Cmd {
			s.laid = s.last
			return nil
		}))
	}
	if len(boxes) == 1 {
		return all
	}
	name := "stake.behind"
	if own {
		name = "stake.own"
	}
	step := func(by int) tea.Cmd {
		i := slices.Index(boxes, at) + by + len(boxes)
		s.seat, s.laid = boxes[i%len(boxes)], bets{}
		return nil
	}
	return append(all,
		on("left", m.words.Say(name, text.V{"seat": strconv.Itoa(int(at)), "name": m.name(at)}), func() tea.Cmd { return step(-1) }).as("← →"),
		hidden("right", func() tea.Cmd { return step(1) }),
	)
}

// field is where a chip is laid for a bet; while nothing is, it shows what was put down.
func (m *model) field(key, name string, laid *engine.Chips, down, most engine.Chips) choice {
	return on(key, m.words.Say(name)+" "+m.words.Money(cmp.Or(*laid, down)), func() tea.Cmd {
		*laid = min(most, *laid+values[m.stake.chip])
		return nil
	})
}

// laidDown is what the player has put down at a box for the next hand, and whether there is anything.
func (m *model) laidDown(at engine.Seat, own bool) (bets, bool) {
	if own {
		if b := m.place(at).Box; b != nil {
			return bets{b.Ante, b.Bonus}, true
		}
		return bets{}, false
	}
	for _, s := range m.behind.Open {
		if s.Seat == at {
			return bets{engine.Chips(s.Ante), engine.Chips(s.Bonus)}, true
		}
	}
	return bets{}, false
}

// putDown puts a stake at a box, in place of what is there; none takes that back.
func (m *model) putDown(at engine.Seat, own bool, s bets) tea.Cmd {
	a := mqtt.ActionPayload{Action: controller.VerbBack, Seat: at, Amount: s.ante, Bonus: s.bonus}
	if own {
		a.Action = controller.VerbStake
	}
	what := m.words.Say("stake.bet", text.V{"amount": m.words.Money(s.ante + s.bonus)})
	if s.ante == 0 {
		what = m.words.Say("stake.back")
	}
	return m.send(a, what, func() {
		if m.stake.laid, m.stake.seat = (bets{}), 0; s.ante > 0 {
			m.stake.last = s
		}
	})
}

// backed says how the player's stakes behind boxes stand.
func (t *table) backed() (lines []string) {
	say := func(key string, s mqtt.BehindStake, back int64) {
		lines = append(lines, " "+t.words.Say(key, text.V{
			"name": t.name(s.Seat), "ante": t.words.Money(engine.Chips(s.Ante)), "bonus": t.words.Money(engine.Chips(s.Bonus)),
			"amount": t.words.Money(engine.Chips(back)),
		}))
	}
	for _, s := range t.behind.Settled {
		say("behind.settled", s.BehindStake, s.Back.Total())
	}
	for _, s := range t.behind.InPlay {
		say("behind.in_play", s, 0)
	}
	for _, s := range t.behind.Open {
		say("behind.open", s, 0)
	}
	return lines
}
