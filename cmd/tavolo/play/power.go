package play

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// power is whether a request uses a power, or answers one, after which the turn goes on or comes again.
func power(v controller.Verb) bool {
	return v == controller.VerbPeek || v == controller.VerbSwap || v == controller.VerbAnchor
}

// powerOptions are the powers that may be used, or the answers to one.
func (t *table) powerOptions() (opts []option) {
	if t.turn.Kind == engine.AwaitShield {
		return []option{{"s", "shield"}, {"a", "accept the anchor of " + t.name(t.turn.By)}}
	}
	l := t.turn.Legal
	if l.Powers.Has(engine.Peek) {
		opts = append(opts, option{"v", "peek"})
	}
	if l.Powers.Has(engine.Swap) {
		opts = append(opts, option{"w", "swap a card"})
	}
	if l.Powers.Has(engine.Anchor) {
		opts = append(opts, option{"z", "anchor seat " + seats(l.Targets)})
	}
	return opts
}

func seats(ss engine.Seats) string {
	var all []string
	for _, s := range ss.List() {
		all = append(all, strconv.Itoa(int(s)))
	}
	return strings.Join(all, " or ")
}

// powerKey is a key that uses a power or answers one (NK-20 to NK-23), false for one that does neither.
func (m *model) powerKey(key string) (tea.Cmd, bool) {
	if m.turn.Kind == engine.AwaitShield {
		switch key {
		case "s":
			return m.send(mqtt.ActionPayload{Action: controller.VerbShield}, "shield"), true
		case "a":
			return m.send(mqtt.ActionPayload{Action: controller.VerbAcceptAnchor}, "accept the anchor"), true
		}
		return nil, false
	}
	p, ok := map[string]engine.Power{"v": engine.Peek, "w": engine.Swap, "z": engine.Anchor}[key]
	switch {
	case !ok || m.turn.Kind != engine.AwaitAction:
		return nil, false
	case !m.turn.Legal.Powers.Has(p):
		m.notice = "You cannot do that now: " + p.String() + "."
	case p == engine.Peek:
		return m.send(mqtt.ActionPayload{Action: controller.VerbPeek}, "peek"), true
	default:
		m.choosing = p
	}
	return nil, true
}

// choice asks for the card or the seat of a power.
func (m *model) choice() string {
	if m.choosing == engine.Swap {
		return fmt.Sprintf("Swap which card, 1 to %d?", len(m.cards()))
	}
	return "Whose raises does your anchor hold, seat " + seats(m.turn.Legal.Targets) + "? (0 for 10)"
}

// chosen is a key while a card or a seat is to be chosen: any but a number of one leaves it.
func (m *model) chosen(key string) tea.Cmd {
	p := m.choosing
	m.choosing = 0
	n, err := strconv.Atoi(key)
	switch {
	case err != nil:
		return nil
	case p == engine.Swap && n >= 1 && n <= len(m.cards()):
		return m.send(mqtt.ActionPayload{Action: controller.VerbSwap, Cards: controller.PlacesOf(n)}, fmt.Sprintf("swap card %d", n))
	}
	if n == 0 {
		n = engine.MaxSeats
	}
	seat := engine.Seat(n)
	if p != engine.Anchor || !m.turn.Legal.Targets.Has(seat) {
		m.notice = "There is none of that number."
		return nil
	}
	return m.send(mqtt.ActionPayload{Action: controller.VerbAnchor, Target: seat}, fmt.Sprintf("anchor seat %d", n))
}

// peeked is the next community card, where the player has peeked at it in this hand.
func (t *table) peeked() []card.Card {
	if t.hole.Peeked == card.None || t.hole.Hand != t.state.View.Hand {
		return nil
	}
	return []card.Card{t.hole.Peeked}
}
