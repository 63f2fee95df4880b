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
	dropped bool // by the table, since the bet had changed; until the next key
	done    bool // carried out, or taken back
}

// planned is what the player has decided ahead in this hand, and whether there is anything.
func (t *table) planned() (controller.Verb, bool) {
	p := t.plans[t.seat()]
	return p.Plan, p.Plan != "" && p.Hand == t.state.View.Hand
}

// heard takes note of a plan that is void, which one that was carried out is too.
func (i *intent) heard(m *model, msg any, had bool) {
	if i.hand != m.state.View.Hand {
		*i = intent{hand: m.state.View.Hand}
	}
	switch msg := msg.(type) {
	case mqtt.PlanPayload:
		if _, has := m.planned(); has {
			*i = intent{hand: i.hand}
		} else if had {
			i.dropped = !i.done
		}
	case mqtt.EventPayload:
		if e := &msg.Event; e.Kind == engine.PlayerActed && e.Seat == m.seat() {
			i.dropped, i.done = false, true
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
			a := mqtt.ActionPayload{Action: plan.verb, Hand: m.state.View.Hand, Street: m.state.View.Street, Amount: m.state.View.Bet}
			if m.plan.done = has && now == plan.verb; m.plan.done {
				a = mqtt.ActionPayload{Action: controller.VerbPlanNone}
			}
			return m.send(a, what, nil)
		})
		c.on = has && now == plan.verb
		all = append(all, c)
	}
	return all
}
