package play

import (
	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
	"tavolo/engine"
)

// intent is what became of what the player had decided ahead of the turn. The table keeps the plan itself.
type intent struct {
	hand    uint64
	dropped bool // by the table, since the bet had changed
	taken   bool // back, by the player
}

// planned is what the player has decided ahead in this hand, and whether there is anything.
func (t *table) planned() (controller.Verb, bool) {
	p := t.plans[t.seat()]
	return p.Plan, p.Plan != "" && p.Hand == t.state.View.Hand
}

// heard takes note of a plan that is void. One that has been carried out is no plan either, but the player has acted then.
func (i *intent) heard(m *model, msg any, was controller.Verb, had bool) {
	if i.hand != m.state.View.Hand {
		*i = intent{hand: m.state.View.Hand}
	}
	switch msg := msg.(type) {
	case mqtt.PlanPayload:
		if _, has := m.planned(); has {
			*i = intent{hand: i.hand}
		} else if had && was != "" {
			i.dropped = !i.taken
		}
	case mqtt.EventPayload:
		if e := msg.Event; e.Kind == engine.PlayerActed && e.Seat == m.seat() {
			i.dropped = false
		}
	}
}

// ahead are the choices of what to do when the turn comes. The table keeps what is chosen, and drops it when the bet changes.
func (m *model) ahead() (all []choice) {
	call := controller.VerbPlanCheck
	if m.toCall() > 0 {
		call = controller.VerbPlanCall
	}
	now, has := m.planned()
	for _, plan := range []struct {
		key  string
		verb controller.Verb
	}{{"f", controller.VerbPlanCheckFold}, {"c", call}, {"a", controller.VerbPlanCallAny}} {
		what := m.words.Say("ahead."+string(plan.verb), text.V{"amount": m.words.Money(m.toCall())})
		c := on(plan.key, what, func() tea.Cmd {
			a := mqtt.ActionPayload{Action: plan.verb, Hand: m.state.View.Hand, Amount: m.state.View.Bet}
			if m.plan.taken = has && now == plan.verb; m.plan.taken {
				a = mqtt.ActionPayload{Action: controller.VerbPlanNone}
			}
			return m.send(a, what)
		})
		c.on = has && now == plan.verb
		all = append(all, c)
	}
	if m.plan.dropped && m.toCall() > 0 {
		all = append(all, choice{cap: "!", text: urgent.of(m.words.Say("ahead.dropped"))})
	}
	return all
}
