package main

import (
	"testing"
	"time"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/display/displaytest"
	"tavolo/engine"
	"tavolo/engine/card"
)

// TestConsoles: a dealer and the floor at their pages start a hand, put right what the readers saw, and correct a stack, which
// needs the two of them.
func TestConsoles(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 3, felt: 0, listen: "127.0.0.1:0"})
	d := r.daemon()
	table, _ := r.sim(d.brokerURL(), func(o *simtable.Options) {
		o.Dealer = "" // the one at the page
		o.Pace.Think = time.Second
	})
	w := r.watch(d.brokerURL())
	url := "http://" + d.web.Addr().String()
	browser := displaytest.Start(t, url)
	dealer, floor := console{browser.Open(t, url)}, console{browser.Open(t, url)}
	dealer.signIn("dealer")
	floor.signIn("floor")

	dealer.instructed("Shuffle, load the shoe, start the next hand")
	dealer.Press("n")
	w.await("the deal", func(s *seen) bool { return s.prompt.Instruction.Kind == "hole" })
	dealer.instructed("Deal card 1 of 2 to seat 2")
	dealer.Picture("console-deal")

	// The first card goes to the wrong seat: nothing is taken until the dealer has said what it is.
	if err := table.Deal(card.MustParse("Ah")[0], engine.Zone{Kind: engine.ZoneSeat, Seat: 1}); err != nil {
		t.Fatal(err)
	}
	dealer.prompted("The next card lies at seat 1, it belongs to seat 2. Misdeal?")
	floor.prompted("The next card lies at seat 1, it belongs to seat 2. Misdeal?")
	dealer.Accessible("a prompt")
	dealer.Picture("console-prompt")
	dealer.Click(`[data-choice="void"]`)
	dealer.Sees("that it asks again", `document.querySelector("[data-choice=void] span").textContent`, "Sure? Void the hand: every bet goes back")
	w.look(func(s *seen) {
		if s.over() {
			t.Error("the hand is void after one tap")
		}
	})
	dealer.Click(`[data-choice="void"]`)
	w.await("the hand is void", (*seen).over)
	dealer.prompted("")

	// A correction of money: the dealer asks, only the floor can confirm.
	correct := func() {
		dealer.Press("c")
		dealer.Sees("the form", `document.querySelector("form").dataset.form`, "correct_stack")
		dealer.Click(`[data-seat="1"] .pick-seat`)
		dealer.Click(`[name="amount"]`)
		dealer.Press("50")
		dealer.Click(`[data-reason="recount"]`)
	}
	correct()
	dealer.Accessible("a form")
	dealer.Picture("console-form")
	dealer.Click(`[data-do]`)
	const asked = "dealer asks to change the stack of seat 1 by +50: counted again. A second person confirms."
	dealer.prompted(asked)
	dealer.Sees("that it can only be withdrawn", `[...document.querySelectorAll("[data-choice] span")].map(e => e.textContent).join()`, "Withdraw")
	floor.prompted(asked)
	dealer.Press("1")
	floor.prompted("")
	correct()
	dealer.Click(`[data-do]`)
	floor.prompted(asked)
	floor.Picture("console-confirm")
	floor.Press("1")
	w.await("the stack is corrected", func(s *seen) bool { return s.stacks()[1] == 250 })
	dealer.prompted("")

	floor.Click(`nav button[lang="it"]`)
	floor.Sees("the instruction in Italian", `document.querySelector(".instruction p").textContent`, "Raccogliete le carte ancora sul tavolo: 1")
	floor.Picture("console-it")
}

// console is a dealer, or the floor, at a browser.
type console struct{ *displaytest.Tab }

func (c console) signIn(name string) {
	c.Click(`[data-open="sign_in"]`)
	c.Sees("where to type", `document.activeElement?.name`, "user")
	c.Press(name + "\t" + demoPassword + "\r")
	c.Sees("the console", `document.querySelector("dialog") === null && document.querySelector(".console") !== null`, "true")
}

// instructed waits for an instruction.
func (c console) instructed(text string) {
	c.Sees("the instruction", `document.querySelector(".instruction p").textContent`, text)
}

// prompted waits for a prompt, "" for none.
func (c console) prompted(text string) {
	c.Sees("the prompt", `document.querySelector(".prompt p")?.textContent ?? ""`, text)
}
