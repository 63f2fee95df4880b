package main

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tavolo/cmd/tavolo/load"
	"tavolo/controller/mqtt"
	"tavolo/display/displaytest"
	"tavolo/engine"
)

// TestPageSeat: what somebody at the page decides ahead of a turn and about the seat, by keys, at a table whose other players
// do just what the test wants: pre-actions that a bet makes void, a top-up, mucking without being asked, sitting out, waiting
// for the big blind, posting on the way back; and a hand that was played, step by step.
func TestPageSeat(t *testing.T) {
	t.Parallel()
	p := playsWith(t, demoOptions{seats: 3}, "bruno", "carla")
	alice, bruno, carla := p.person, p.others[0], p.others[1]
	planned := func(plan string) {
		alice.Sees("the plan", `[...document.querySelectorAll("[data-ahead][aria-pressed=true]")].map(b => b.dataset.ahead).join()`, plan)
	}
	chips := func(n string) { alice.Sees("the own chips", `document.querySelector(".own .stack").textContent`, n) }
	says := func(text string) {
		alice.Sees("the own state", `document.querySelector(".own .tag")?.textContent`, text)
	}

	p.begin()
	alice.can("raise")
	alice.Sees("how late the table is", `/^\d+ ms$/.test(document.querySelector(".light small")?.textContent)`, "true")
	alice.Press("e25")
	alice.Sees("the amount as typed", `document.querySelector("[data-act=raise] span").textContent`, "Raise to 25")
	alice.Press("1c")
	bruno.do("call", 0)
	carla.do("check", 0)

	alice.Sees("the flop", `document.querySelectorAll(".board [data-card]").length`, "3")
	alice.Sees("what can be decided ahead", `[...document.querySelectorAll("[data-ahead]")].map(b => b.dataset.ahead).join()`, "plan_check_fold,plan_check,plan_call_any")
	alice.Press("c")
	planned("plan_check")
	alice.Accessible("a plan at a phone")
	bruno.do("bet", 4)
	alice.Sees("that the plan is void", `document.querySelector(".dropped").textContent`, "The bet has changed: choose again.")
	planned("")
	alice.Sees("what a call costs now", `document.querySelector("[data-ahead=plan_call]").textContent`, "Call 4 C")
	alice.Picture("ahead")
	alice.Press("a")
	planned("plan_call_any")
	carla.do("fold", 0)
	chips("194")

	alice.Press("k")
	alice.Sees("where to type", `document.activeElement?.name`, "amount")
	alice.Accessible("the top-up at a phone")
	alice.Picture("chips")
	alice.Press("50\r")
	alice.closed()
	alice.Click(`[data-open="options"]`)
	alice.Sees("the options", `document.querySelectorAll("dialog .switch").length`, "3")
	alice.Click(`[data-option="muck"]`)
	alice.Sees("that the table knows", `document.querySelector("[data-option=muck]").checked`, "true")
	alice.Accessible("the options at a phone")
	alice.Press(kb.Escape)
	alice.closed()
	alice.Press("?")
	alice.Sees("the keys", `document.querySelectorAll("dialog.help kbd").length > 20`, "true")
	alice.Accessible("the keys at a phone")
	alice.Picture("help")
	alice.Press(kb.Escape)
	alice.closed()

	alice.Press("f")
	planned("plan_check_fold")
	bruno.do("check", 0) // and so does alice
	bruno.do("bet", 4)   // on the river
	alice.can("call")
	alice.Press("o")
	alice.Sees("that it is the last hand", `document.querySelector(".seat-options input").checked`, "true")
	alice.Press("c")
	bruno.do("show", 0)
	alice.Sees("who won", `document.querySelector(".won")?.dataset.seat`, "2")
	alice.Sees("the five cards that won", `document.querySelectorAll(".board .high, .won .high").length / 2`, "5") // each with its edge
	alice.Sees("that they are told", `document.querySelector(".won > .sr").textContent.split(", with ")[1].split(", ").length`, "5")
	says("Mucked")
	alice.Picture("mucked")

	// A hand without the player, who comes back with the big blind.
	p.begin()
	p.fold()
	says("Sits out")
	chips("240")
	alice.Press("w")
	says("Waits for the blind")
	for !plays(p.begin(), alice.seat) {
		p.fold()
	}
	says("Big blind")
	alice.Press("o")
	alice.Sees("that it is the last hand", `document.querySelector(".seat-options input").checked`, "true")
	p.fold()

	// The blinds go by, and are posted on the way back.
	for range 3 {
		p.begin()
		p.fold()
	}
	alice.Press("o")
	alice.Sees("that the player is back", `document.querySelector(".seat-options input").checked`, "false")
	for !plays(p.begin(), alice.seat) {
		p.fold()
	}
	p.fold()
	alice.Sees("what it cost", `[...document.querySelectorAll(".log p")].some(p => /^Alice (posts|pays a missed blind)/.test(p.textContent) && p.className !== "big_blind" && p.className !== "small_blind")`, "true")

	alice.Press("h")
	alice.Sees("the last step of no hand", `document.querySelector("[data-step]")?.dataset.step`, "0")
	alice.Click(`[data-hand="1"]`)
	alice.Sees("the hand chosen", `document.querySelector("[data-hand][aria-pressed=true]").dataset.hand`, "1")
	alice.Press(kb.ArrowRight + kb.ArrowRight)
	alice.Sees("the second step", `document.querySelector("[data-step]").dataset.step`, "2")
	alice.Press(kb.End)
	alice.Sees("who won", `document.querySelectorAll(".replay .won").length`, "1")
	alice.Sees("the five cards that won", `document.querySelectorAll(".replay .board .high, .replay .won .high").length / 2`, "5")
	alice.Accessible("a hand played at a phone")
	alice.Picture("replay")
	alice.Press(kb.Home)
	alice.Sees("the first step", `document.querySelector("[data-step]").dataset.step`, "0")
	alice.Press(kb.Escape)
	alice.closed()
	alice.remembers()
}

// remembers signs in again with the key that this browser keeps, which another one that the table does not know cannot take the
// place of, and makes it forget the key.
func (p *person) remembers() {
	out := func(button string) {
		p.Click(`[data-open="options"]`)
		p.Click(button)
		p.Sees("that nobody is signed in", `document.querySelector(".own") === null && document.querySelector("header [data-open=sign_in]") !== null`, "true")
	}
	fill := func(key string) {
		p.Sees("where to type", `document.querySelector("dialog[open]") && document.activeElement?.name`, "user")
		p.Press(p.name + "\t" + demoPassword + "\t" + key + "\r")
	}
	in := func(key string) {
		p.Click(`header [data-open="sign_in"]`)
		fill(key)
	}
	own := func() {
		p.Sees("the own seat", `document.querySelector(".own")?.dataset.seat`, strconv.Itoa(int(p.seat)))
		p.closed()
	}
	out("[data-sign-out]")
	in(string(demoKey("somebody else")))
	p.Sees("that the key is wrong", `/key is wrong/.test(document.querySelector("dialog .fault")?.textContent)`, "true")
	fill("") // what is asked for again
	own()
	keeps := func(n string) {
		p.Sees("how many keys are kept", `(indexedDB.open("tavolo", 1).onsuccess = (e) => {
			e.target.result.transaction("keys").objectStore("keys").count().onsuccess = (c) => { window.kept = c.target.result };
		}, window.kept)`, n)
	}
	keeps("1")
	out("[data-forget]")
	keeps("0")
}

// TestPageSplits: two people at the page play 32-card draw, try out which cards to exchange and keep them all; who is first to
// act offers to split the pot, and the other takes the offer.
func TestPageSplits(t *testing.T) {
	t.Parallel()
	p := playsWith(t, demoOptions{game: "draw32", seats: 2})
	bruno := p.joins("bruno", 2)
	people := []*person{p.person, bruno}
	p.begin()
	for offers := 0; offers < 2; {
		for _, a := range people {
			switch l := a.look(); {
			case slices.Contains(l.Acts, "stand_pat"):
				a.Press("24")
				a.Sees("what is chosen", chosen, "2,4")
				a.Press("2")
				a.Sees("what is left of it", chosen, "4")
				a.Accessible("a draw at a phone")
				a.Picture("draw-choice")
				a.Press("4c")
				a.Sees("that it is done", `document.querySelector("[data-act=stand_pat]") === null`, "true")
			case slices.Contains(l.Acts, "split"):
				a.Accessible("an offer at a phone")
				a.Picture(fmt.Sprintf("split-%d", offers+1))
				a.Press("t")
				a.Sees("that it is done", `document.querySelector("[data-act=split]") === null`, "true")
				offers++
			case len(l.Acts) > 0:
				a.Press("c")
			}
		}
	}
	for _, a := range people {
		a.Sees("the halves", `[...document.querySelectorAll(".won .win")].map(w => w.textContent).join()`, "+2,+2")
		a.Sees("who offered", `[...document.querySelectorAll(".log .player_acted")].slice(-2).every(p => p.textContent.endsWith("would split the pot."))`, "true")
	}
}

// chosen are the places of the cards chosen in a draw.
const chosen = `[...document.querySelectorAll(".pick[aria-pressed=true]")].map(b => b.dataset.pick).join()`

// plays is whether a seat is in the hand.
func plays(s mqtt.StatePayload, seat engine.Seat) bool {
	return slices.ContainsFunc(s.View.Seats, func(v engine.SeatView) bool { return v.Seat == seat && v.Dealt })
}

// players are somebody at a page and the others of a table without hardware, whose hands begin when the test says so.
type players struct {
	*rig
	*person
	url, broker string
	browser     *displaytest.Browser
	others      []*partner
	w           *watcher
	hands       chan bool
	begun       uint64
}

// playsWith has alice sit at a page that is a phone, and the others at connections of their own.
func playsWith(t *testing.T, o demoOptions, others ...string) *players {
	t.Helper()
	o.listen = "127.0.0.1:0"
	r := virtualDemo(t, o)
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	p := &players{rig: r, url: "http://" + d.web.Addr().String(), broker: d.brokerURL(), w: r.watch(d.brokerURL()), hands: make(chan bool)}
	p.browser = displaytest.Start(t, p.url)
	p.person = p.joins("alice", 1)
	for _, name := range others {
		p.others = append(p.others, &partner{raw: r.player(p.broker, name)})
	}
	r.deals(d, dealer, func(uint64) bool { return <-p.hands })
	t.Cleanup(func() { close(p.hands) })
	return p
}

func (p *players) joins(name string, seat engine.Seat) *person {
	a := &person{Tab: p.browser.Open(p.t, p.url), name: name, seat: seat}
	a.Phone()
	a.signIn()
	return a
}

// begin begins the next hand, and gives the state when the first to act is in turn.
func (p *players) begin() mqtt.StatePayload {
	p.rig.t.Helper()
	p.hands <- true
	p.begun++
	return p.await("a turn", func(v *engine.View) bool { return v.Awaits.Kind == engine.AwaitAction })
}

// fold has everybody whose turn it is fold, or check at the page where that is free, until the hand is over.
func (p *players) fold() {
	p.rig.t.Helper()
	for {
		v := p.await("a turn, or the end", func(v *engine.View) bool { return v.Awaits.Kind == engine.AwaitAction || v.Phase == engine.Between }).View
		if v.Phase == engine.Between {
			return
		}
		if v.Awaits.Seat == p.seat {
			p.can("fold")
			key := "f"
			if p.Value(`document.querySelector("[data-act=call] span").textContent`) == "Check" {
				key = "c" // the page asks twice before it folds for nothing
			}
			p.Press(key)
			p.await("the fold", func(now *engine.View) bool { return now.Seq > v.Seq })
			continue
		}
		p.others[v.Awaits.Seat-2].do("fold", 0)
		p.await("the fold", func(now *engine.View) bool { return now.Seq > v.Seq })
	}
}

// await waits for a state of the hand that was begun last.
func (p *players) await(what string, so func(*engine.View) bool) (state mqtt.StatePayload) {
	p.rig.t.Helper()
	p.w.await(what, func(s *seen) bool {
		state = s.state()
		return state.View.Hand == p.begun && so(&state.View)
	})
	return state
}

// can waits until the person may act so.
func (p *person) can(act string) {
	p.Sees("the turn", `document.querySelector("[data-act=`+act+`]:not(:disabled)") !== null`, "true")
}

// closed waits until no dialog is open.
func (p *person) closed() {
	p.Sees("that the dialog is gone", `document.querySelector("dialog") === null`, "true")
}

// partner is a player without a page, who does what the test wants.
type partner struct {
	*raw
	last uint64 // the turn answered last
}

// do answers the next turn.
func (p *partner) do(action string, amount engine.Chips) {
	p.t.Helper()
	turn := p.turn(p.last)
	p.last = turn.Turn
	more := ""
	if amount > 0 {
		more = fmt.Sprintf(`,"amount":%d`, amount)
	}
	reply := p.say(fmt.Sprintf(`{"v":1,"id":"%s-%d","action":%q,"epoch":%d,"turn":%d%s}`, p.name, turn.Turn, action, turn.Epoch, turn.Turn, more))
	if !reply.OK {
		p.t.Fatalf("%s may not %s: %s", p.name, action, reply.Text)
	}
}
