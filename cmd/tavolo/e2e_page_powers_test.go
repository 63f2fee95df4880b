package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/display/displaytest"
	"tavolo/engine"
)

// TestPagePowers: two people in browsers play Naiko mode by keys until each power was used, an anchor was answered with a
// shield, and another was let hold.
func TestPagePowers(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, powers: true, listen: "127.0.0.1:0"}, func(text string) string {
		text = strings.Replace(text, `house = "tda"`, `house = "naiko"`, 1)
		return strings.Replace(text, "[powers]", "[powers]\ngain = 3", 1) // for whatever they like
	})
	d := r.daemon()
	_, _ = r.sim(d.brokerURL(), func(o *simtable.Options) { o.Players, o.Rebuy = nil, 200 })
	w := r.watch(d.brokerURL())
	url := "http://" + d.web.Addr().String()
	browser := displaytest.Start(t, url)
	people := []*person{{Tab: browser.Open(t, url), name: "alice", seat: 1}, {Tab: browser.Open(t, url), name: "bruno", seat: 2}}
	for _, p := range people {
		p.signIn()
	}
	for {
		var used map[string]bool
		w.look(func(s *seen) { used = s.powers() })
		if len(used) == 5 {
			return
		}
		for _, p := range people {
			p.power(used)
			p.play()
		}
	}
}

// powers are those of four that were used at a table, and "held" where an anchor was let hold.
func (s *seen) powers() map[string]bool {
	used := map[string]bool{}
	for _, e := range s.events {
		switch e.Event.Kind {
		case engine.PowerPlayed:
			used[e.Event.Power.String()] = true
		case engine.AnchorHeld:
			used["held"] = true
		}
	}
	return used
}

// power uses a power that was not used yet, if the person has one.
func (p *person) power(used map[string]bool) {
	var l struct {
		Acts, Powers []string
		Cards        string
	}
	p.Read(&l, `{
		Acts: [...document.querySelectorAll(".act:not(:disabled)")].map(b => b.dataset.act),
		Powers: [...document.querySelectorAll("[data-power]:not(:disabled)")].map(b => b.dataset.power),
		Left: (window.left = document.querySelector(".countdown [data-seconds]")?.dataset.seconds),
		Cards: `+ownCards+`,
	}`)
	fresh := func(power string) bool { return slices.Contains(l.Powers, power) && !used[power] }
	switch {
	case slices.Contains(l.Acts, "shield") && !used["shield"]:
		p.Press("s")
	case slices.Contains(l.Acts, "accept"):
		p.Picture("shield")
		p.Sees("the time there was", `Number(window.left) <= 8`, "true")
		p.Press("c") // or it holds by itself meanwhile
	case fresh("peek"):
		p.Press("p")
		const card = `document.querySelectorAll(".peeked .word").length`
		p.Until("the card, or that the shoe has yet to read it", card+` || (document.querySelector(".notice")?.textContent ?? "")`,
			func(said string) bool { return said != "" })
		if p.Value(card) == "1" {
			p.Picture("peek")
		}
	case fresh("swap"):
		p.Press("w")
		p.Sees("the choice", `document.querySelectorAll(".powers .pick").length`, "2")
		p.Accessible("the choice of a power")
		p.Picture("swap")
		p.Press("1")
		p.Until("another card", ownCards, func(cards string) bool { return cards != l.Cards && strings.Count(cards, " ") == 1 })
	case slices.Contains(l.Powers, "anchor") && (!used["anchor"] || !used["held"] || !used["shield"]):
		p.Press("n")
		other := strconv.Itoa(3 - int(p.seat))
		p.Sees("whom to hold", `[...document.querySelectorAll("[data-target]")].map(b => b.dataset.target).join()`, other)
		p.Press(other)
	}
}

// ownCards are the faces of the player's cards on the felt.
const ownCards = `[...document.querySelectorAll(".own .hole [data-card]")].map(c => c.dataset.card).join(" ")`

// TestPageBacks: somebody without a box of his own puts a stake behind another's, which goes the way of that box.
func TestPageBacks(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{game: "bonus", seats: 2, felt: 0, listen: "127.0.0.1:0"})
	d := r.daemon()
	_, _ = r.sim(d.brokerURL(), func(o *simtable.Options) { o.Players = nil })
	url := "http://" + d.web.Addr().String()
	browser := displaytest.Start(t, url)
	alice := &person{Tab: browser.Open(t, url), name: "alice", seat: 1}
	g := &person{Tab: browser.Open(t, url), name: guest, seat: 3}
	alice.signIn()
	g.signIn()

	g.Click(`[data-box="2"]`)
	g.Click(`[data-box="1"]`)
	g.Press("ab\r")
	g.Sees("that it is down", `document.querySelector(".backed").textContent`, "Behind Alice: ante 5, bonus 5.")
	g.Sees("it on the felt", `document.querySelector('[data-seat="1"] .behind').textContent`, "+1: 10")
	g.Accessible("a bet behind a box")
	g.Picture("behind")
	g.Sees("that it may be taken back", `document.querySelector('[data-act="clear"]').disabled`, "false")
	g.Press(".")
	g.Sees("that it is gone", `document.querySelector(".backed").textContent`, "")
	g.Sees("that the table has answered", `document.querySelector('[data-act="again"]').disabled`, "false")
	g.Press("0\r")
	g.Sees("that it is down again", `document.querySelector(".backed").textContent`, "Behind Alice: ante 5, bonus 5.")

	alice.play() // her own stake: the hand begins
	g.Sees("that it is in play", `document.querySelector(".backed").textContent`, "In play behind Alice: ante 5, bonus 5.")
	settled := func(text string) bool {
		return strings.HasPrefix(text, "Behind Alice: ") && strings.HasSuffix(text, " came back.")
	}
	for !settled(g.Value(`document.querySelector(".backed").textContent`)) {
		alice.play()
	}
	g.Picture("behind-settled")
}
