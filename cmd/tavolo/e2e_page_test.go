package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"tavolo/cmd/tavolo/load"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/display/displaytest"
	"tavolo/engine"
)

// TestPagePlays: two people in browsers sign in and play whole hands against bots, by keys alone, in games of each kind.
func TestPagePlays(t *testing.T) {
	t.Parallel()
	var browser *displaytest.Browser
	for _, tt := range []struct {
		game  string
		hands int
	}{{"holdem", 2}, {"stud", 1}, {"draw5", 1}, {"bonus", 1}} {
		r := newRig(t, demoOptions{game: tt.game, seats: 4, felt: 0, listen: "127.0.0.1:0"})
		d := r.daemon()
		_, _ = r.sim(d.brokerURL(), func(o *simtable.Options) {
			o.Players = slices.DeleteFunc(o.Players, func(p simtable.Player) bool { return p.Name == "bruno" || p.Name == "dario" })
			o.Rebuy = 200
			if tt.game == "bonus" {
				o.Pace.Shuffle = 3 * time.Second // in which to bet: the dealer waits for nobody else
			}
		})
		url := "http://" + d.web.Addr().String()
		if browser == nil {
			browser = displaytest.Start(t, url)
		}
		people := []*person{{Tab: browser.Open(t, url), name: "bruno", seat: 2}, {Tab: browser.Open(t, url), name: "dario", seat: 4}}
		for _, p := range people {
			p.signIn()
		}
		for slices.ContainsFunc(people, func(p *person) bool { return p.hand <= tt.hands || !p.acted }) {
			for _, p := range people {
				p.play()
			}
		}
		people[0].Accessible(tt.game)
		people[0].Picture(tt.game + "-turn")
		people[0].history(tt.game)
	}
}

// TestPageLater: a page whose spectator is told the table later shows nothing of a hand in play, and every card of it when it
// is over.
func TestPageLater(t *testing.T) {
	t.Parallel()
	r := virtualDemo(t, demoOptions{seats: 2, listen: "127.0.0.1:0"}, func(text string) string {
		return strings.Replace(text, `role = "spectator"`, `role = "delayed"`, 1) + "\n[delayed]\ndelay = \"0s\"\ncards = \"all\"\n"
	})
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	alice := &partner{raw: r.player(d.brokerURL(), "alice")}
	bruno := &partner{raw: r.player(d.brokerURL(), "bruno")}
	url := "http://" + d.web.Addr().String()
	page := displaytest.Start(t, url).Open(t, url)
	r.deals(d, dealer, func(hands uint64) bool { return hands == 0 })

	alice.do("call", 0)
	page.Sees("that it is told later", `document.querySelector(".light").firstChild.textContent`, "Delayed")
	page.Sees("who sits there", `document.querySelectorAll(".seat:not(.free)").length`, "3") // and the guest
	bruno.do("check", 0)
	if cards := page.Value(`document.querySelectorAll("[data-card]").length`); cards != "0" {
		t.Errorf("%s cards of a hand in play are seen", cards)
	}
	bruno.do("bet", 2)
	alice.do("fold", 0)
	page.Sees("the cards of who won, and the flop", `document.querySelectorAll(".won [data-card]:not(.back), .board [data-card]").length`, "5")
	page.Picture("later")
}

// history looks at the first hand: it began before the person signed in, was asked for, and can be stepped through.
func (p *person) history(game string) {
	p.Press("h")
	p.Sees("the first hand in the list", `[...document.querySelectorAll("dialog.hands [data-hand]")].at(-1)?.dataset.hand`, "1")
	p.Click(`[data-hand="1"]`)
	p.Sees("its first step", `document.querySelector("[data-step]")?.dataset.step`, "0")
	p.Click(`[data-go="last"]`)
	if game == "bonus" {
		return // chips come from the house, and go there
	}
	p.Sees("who won it", `document.querySelectorAll(".replay .won").length > 0`, "true")
	p.Sees("chips that add up", `[...document.querySelectorAll(".replay .seat .stack")].reduce((sum, s) => sum + Number(s.textContent), 0)`, "1000")
	p.Accessible("hands of " + game)
	p.Picture(game + "-hands")
}

// person is somebody at a browser.
type person struct {
	*displaytest.Tab
	name string
	seat engine.Seat
	hand int // the last one seen
	acts int
	// staked is whether the person has bet against the house before.
	staked bool
	// acted is whether the person had a turn in a hand.
	acted bool
}

func (p *person) signIn() {
	p.Sees("the table, before which nothing stays where it is", `document.querySelector(".seats") !== null`, "true")
	p.Click(`[data-open="sign_in"]`)
	p.Sees("where to type", `document.activeElement?.name`, "user")
	p.Accessible("signing in")
	p.Press(p.name + "\t" + demoPassword + "\t" + string(demoKey(p.name)) + "\r")
	p.Sees("that the dialog is gone", `document.querySelector("dialog") === null`, "true")
	p.Sees("the own seat", `document.querySelector(".own")?.dataset.seat`, strconv.Itoa(int(p.seat)))
}

// look is what a page shows: the number of the hand, what can be done, and, where bets against the house can be put down,
// whether they are.
type look struct {
	Hand int
	Acts []string
	Down string
}

func (p *person) look() (l look) {
	p.Read(&l, `{
		Hand: Number(document.querySelector("header .hand")?.textContent.replace(/\D/g, "") ?? 0),
		Acts: [...document.querySelectorAll(".act:not(:disabled)")].map(b => b.dataset.act),
		Down: document.querySelector(".stake-bar")?.dataset.down ?? "",
	}`)
	return l
}

// play presses a key if it is the person's turn.
func (p *person) play() {
	l := p.look()
	p.hand = max(p.hand, l.Hand)
	can := func(act string) bool { return slices.Contains(l.Acts, act) }
	switch {
	case l.Down == "true", l.Down == "" && len(l.Acts) == 0:
		return
	case l.Down == "false" && can("again"):
		p.Press("0" + kb.Enter)
	case l.Down == "false":
		for _, field := range []string{"ante", "bonus"} {
			p.Value(`document.querySelector("[data-field=` + field + `]")?.click()`) // the hand may have begun
		}
		if !p.staked {
			p.Picture("stake") // by which the time may be over
			p.staked = true
		}
		p.Press(kb.Enter)
	case can("show"):
		p.Press("s")
	case can("stand_pat"):
		p.Press("25")
		p.Sees("what is chosen", `document.querySelectorAll(".pick[aria-pressed=true]").length`, "2")
		p.Accessible("a draw")
		p.Picture("draw")
		p.Press("d")
	case can("raise") && !can("call"):
		p.Press(kb.Enter)
	case can("raise") && p.acts%5 == 4:
		p.Press("2r")
	default:
		p.Press("c")
	}
	p.acts++
	p.acted = p.acted || l.Down == ""
}
