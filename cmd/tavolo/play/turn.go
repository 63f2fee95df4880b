package play

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
	"tavolo/engine"
	"tavolo/engine/card"
)

// question is what the turn asks of the player.
func (m *model) question() string {
	switch {
	case m.choosing == engine.Swap:
		return m.words.Say("power.swap.which")
	case m.choosing == engine.Anchor:
		return m.words.Say("power.anchor.whom")
	case m.turn.Kind == engine.AwaitReveal && m.turn.MayMuck:
		return m.words.Say("turn.reveal")
	case m.turn.Kind == engine.AwaitReveal:
		return m.words.Say("turn.show")
	case m.turn.Kind == engine.AwaitDiscard:
		return m.words.Say("turn") + " " + m.words.Say("draw.choose", text.V{"most": strconv.Itoa(int(m.turn.Most))}) + "."
	case m.turn.Kind == engine.AwaitShield:
		return m.words.Say("turn.shield", text.V{"name": m.name(m.turn.By)})
	case m.size != nil && m.size.typing:
		shown := m.size.typed
		if shown == "" && m.size.fits() {
			shown = faint.of(m.words.Money(m.size.to))
		}
		return m.words.Say("act.amount.range", m.amounts()) + ": " + shown + reverse.of(" ")
	}
	return m.words.Say("turn")
}

// amounts are the least and the most that may be bet.
func (m *model) amounts() text.V {
	l := m.turn.Legal
	return text.V{"min": m.words.Money(l.MinTo), "max": m.words.Money(l.MaxTo)}
}

// decision are the choices of a turn to act.
func (m *model) decision() (all []choice) {
	if m.choosing != 0 {
		return m.targets()
	}
	l := m.turn.Legal
	passive := "" // against the house a key for either, BP-08
	if m.state.View.Bank != nil {
		passive = " -"
	}
	if l.BringIn == 0 && !l.NoFold {
		c := on("f", m.words.Say("act.fold"), m.fold)
		if !l.Check {
			c.keys += passive
		}
		all = append(all, c)
	}
	if what, a := m.calling(l); what != "" {
		c := on("c", what, func() tea.Cmd { return m.answerTurn(a, what) })
		if l.Check {
			c.keys += passive
		}
		all = append(all, c)
	}
	if l.Split {
		split := m.words.Say("act.split")
		all = append(all, on("t", split, func() tea.Cmd { return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbSplit}, split) }))
	}
	return append(append(all, m.wagers()...), m.powers()...)
}

// fold asks for a second press where checking costs nothing.
func (m *model) fold() tea.Cmd {
	if m.turn.Legal.Check && !m.again("f", m.words.Say("act.fold.sure")) {
		return nil
	}
	return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbFold}, m.words.Say("act.fold"))
}

// calling is to check, to call or to bring in, whichever is legal; "" where none is.
func (m *model) calling(l *engine.Legal) (what string, a mqtt.ActionPayload) {
	switch p := m.seated(); {
	case l.BringIn > 0:
		return m.words.Say("act.bring_in", text.V{"amount": m.words.Money(l.BringIn)}), mqtt.ActionPayload{Action: controller.VerbBringIn}
	case l.Check:
		return m.words.Say("act.check"), mqtt.ActionPayload{Action: controller.VerbCheck}
	case l.ToCall == 0:
		return "", a
	case p != nil && l.ToCall >= p.Stack:
		return m.words.Say("act.call.all_in", text.V{"amount": m.words.Money(l.ToCall)}), mqtt.ActionPayload{Action: controller.VerbCall}
	}
	return m.words.Say("act.call", text.V{"amount": m.words.Money(l.ToCall)}), mqtt.ActionPayload{Action: controller.VerbCall}
}

// wagers are the choices of a bet or a raise, and of its amount where there is one to choose.
func (m *model) wagers() (all []choice) {
	if m.size == nil {
		return nil
	}
	raise := on("r", m.wagerText(), m.wager)
	raise.keys += " b"
	if m.state.View.Bank != nil {
		raise.keys += " enter"
	}
	l := m.turn.Legal
	switch {
	case l.MinTo == l.MaxTo:
		return []choice{raise}
	case m.size.typing:
		raise.keys += " enter"
		return []choice{
			raise,
			{keys: figures, do: m.figure},
			hidden("backspace", m.rubout),
			{keys: "e esc", cap: "Esc", text: m.words.Say("close"), do: func(string) tea.Cmd { return m.typing() }},
		}
	}
	all = append(all, raise)
	presets := m.size.presets(&m.state.View)
	for i, p := range presets {
		name := "preset." + p.name
		if p.name == "max" && p.to == l.AllIn {
			name = "preset.all_in"
		}
		set := on(strconv.Itoa(i+1), m.words.Say(name)+" "+m.words.Money(p.to), func() tea.Cmd { return m.set(p.to) })
		set.on = p.to == m.size.to && (i == 0 || presets[i-1].to != p.to)
		all = append(all, set)
	}
	step := max(1, m.state.View.Stakes.BigBlind)
	return append(all,
		hidden("up", func() tea.Cmd { return m.set(m.size.stepped(1, step)) }),
		on("down", "± "+m.words.Money(step), func() tea.Cmd { return m.set(m.size.stepped(-1, step)) }).as("↑ ↓"),
		hidden("a", func() tea.Cmd { return m.set(l.MaxTo) }),
		on("e", m.words.Say("act.amount"), m.typing),
	)
}

// figures are the keys of which an amount is typed.
const figures = "0 1 2 3 4 5 6 7 8 9 . ,"

func (m *model) set(to engine.Chips) tea.Cmd {
	m.size.set(to)
	return nil
}

// typing begins to type an amount, or ends it.
func (m *model) typing() tea.Cmd {
	m.size.typing, m.size.typed = !m.size.typing, ""
	return nil
}

func (m *model) figure(key string) tea.Cmd {
	m.size.typed = typed(m.size.typed, key)
	m.size.read(m.words)
	return nil
}

func (m *model) rubout() tea.Cmd {
	m.size.typed = rubbed(m.size.typed)
	m.size.read(m.words)
	return nil
}

// wagerText says what a bet or a raise would be, with "…" for an amount that is none.
func (m *model) wagerText() string {
	l, amount := m.turn.Legal, "…"
	if m.size.fits() {
		amount = m.words.Money(m.size.to)
	}
	switch {
	case m.size.fits() && m.size.to == l.AllIn:
		return m.words.Say("act.all_in", text.V{"amount": amount})
	case l.Opens:
		return m.words.Say("act.bet", text.V{"amount": amount})
	}
	return m.words.Say("act.raise", text.V{"amount": amount})
}

// wager bets or raises to the amount.
func (m *model) wager() tea.Cmd {
	if !m.size.fits() {
		m.notice = m.words.Say("act.amount.range", m.amounts())
		return nil
	}
	a := mqtt.ActionPayload{Action: controller.VerbRaise, Amount: m.size.to}
	if m.turn.Legal.Opens {
		a.Action = controller.VerbBet
	}
	return m.answerTurn(a, m.wagerText())
}

// reveal are the choices at the showdown.
func (m *model) reveal() (all []choice) {
	do := func(key, text string, verb controller.Verb) {
		all = append(all, on(key, m.words.Say(text), func() tea.Cmd { return m.answerTurn(mqtt.ActionPayload{Action: verb}, m.words.Say(text)) }))
	}
	do("s", "act.show", controller.VerbShow)
	if m.turn.MayMuck {
		do("m", "act.muck", controller.VerbMuck)
	}
	return all
}

// draw are the choices in a draw: the numbers of cards choose them, or take them back.
func (m *model) draw() []choice {
	chosen := m.throws.List()
	exchange := m.words.Say("act.discard", text.V{"count": strconv.Itoa(len(chosen))})
	pat := m.words.Say("act.stand_pat")
	all := []choice{on("c", pat, func() tea.Cmd { return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbStandPat}, pat) })}
	if len(chosen) > 0 {
		all = append(all, on("d", exchange, func() tea.Cmd {
			return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbDiscard, Cards: m.throws}, exchange)
		}))
	}
	pick := choice{cap: "1 – " + strconv.Itoa(len(m.cards())), text: m.words.Say("keys.choose")}
	var keys []string
	for i := range m.cards() {
		keys = append(keys, strconv.Itoa(i+1))
	}
	pick.keys = strings.Join(keys, " ")
	pick.do = func(key string) tea.Cmd {
		place := controller.PlacesOf(int(key[0] - '0'))
		if m.throws&place == 0 && len(chosen) >= int(m.turn.Most) {
			m.notice = m.words.Say("draw.choose", text.V{"most": strconv.Itoa(int(m.turn.Most))})
			return nil
		}
		m.throws ^= place
		return nil
	}
	return append(all, pick)
}

// picked draws the player's cards, where some are to be chosen with their numbers, and those that are to go marked.
func (m *model) picked(cards []card.Card) string {
	if m.turn == nil || m.turn.Kind != engine.AwaitDiscard && m.choosing != engine.Swap {
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
