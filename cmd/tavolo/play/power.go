package play

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// power is whether a request uses a power, after which the turn goes on or comes again.
func power(v controller.Verb) bool {
	return v == controller.VerbPeek || v == controller.VerbSwap || v == controller.VerbAnchor
}

// powerKeys are the keys of the powers that are used in a turn, before the act (NK-20 to NK-22).
var powerKeys = []struct {
	power engine.Power
	key   string
}{{engine.Peek, "p"}, {engine.Swap, "w"}, {engine.Anchor, "n"}}

// powers are the powers of the hand that may be used now, with what they cost.
func (m *model) powers() (all []choice) {
	for _, p := range powerKeys {
		if !m.turn.Legal.Powers.Has(p.power) {
			continue
		}
		what := m.words.Say("power." + p.power.String())
		all = append(all, on(p.key, what+m.cost(p.power), func() tea.Cmd {
			if p.power == engine.Peek {
				return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbPeek}, what)
			}
			m.choosing = p.power
			return nil
		}))
	}
	return all
}

// cost is what a power costs, where the table says so.
func (m *model) cost(p engine.Power) string {
	if sparks, ok := m.state.Powers[p.String()]; ok {
		return fmt.Sprintf(" ✦%d", sparks)
	}
	return ""
}

// targets are the cards of which one is to be swapped, or the seats of which one is to be anchored; esc chooses none.
func (m *model) targets() (all []choice) {
	use := func(a mqtt.ActionPayload) tea.Cmd {
		what := m.words.Say("power." + m.choosing.String())
		m.choosing = 0
		return m.answerTurn(a, what)
	}
	if m.choosing == engine.Swap {
		for i, c := range m.cards() {
			all = append(all, on(strconv.Itoa(i+1), face(c), func() tea.Cmd {
				return use(mqtt.ActionPayload{Action: controller.VerbSwap, Cards: controller.PlacesOf(i + 1)})
			}))
		}
	} else {
		for _, seat := range m.turn.Legal.Targets.List() {
			all = append(all, on(strconv.Itoa(int(seat)%10), m.name(seat), func() tea.Cmd {
				return use(mqtt.ActionPayload{Action: controller.VerbAnchor, Target: seat})
			}))
		}
	}
	return append(all, on("esc", m.words.Say("close"), func() tea.Cmd {
		m.choosing = 0
		return nil
	}).as("Esc"))
}

// shield are the answers to an anchor (NK-23).
func (m *model) shield() []choice {
	yes, no := m.words.Say("power.shield"), m.words.Say("act.accept_anchor")
	return []choice{
		on("s", yes+m.cost(engine.Shield), func() tea.Cmd { return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbShield}, yes) }),
		on("c", no, func() tea.Cmd { return m.answerTurn(mqtt.ActionPayload{Action: controller.VerbAcceptAnchor}, no) }),
	}
}

// peeked is the next community card, where the player has peeked at it in this hand.
func (t *table) peeked() []card.Card {
	if next := t.hole(t.seat()).Peeked; next != card.None {
		return []card.Card{next}
	}
	return nil
}
