package controller

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tavolo/engine"
)

// This file says what the chips mean that lie before seats, and what the dealer is asked and told of them.

// unsure is the prompt about a zone whose sensor is not certain: where it knows what may lie there, that is to choose.
func (c *till) unsure(s *engine.State, z engine.Zone, p *pile) Prompt {
	prompt := Prompt{Code: "chips_unsure", Zone: z.String(), Text: capital(uncertain(z, p)), finds: map[string]engine.Chips{}}
	if z.Kind == engine.ZoneSpot {
		prompt.Text = fmt.Sprintf("What lies before seat %d is not certain (%s). Enter what was bet, or count.", z.Seat, p.unsure)
	}
	for _, n := range p.fits {
		if id := fmt.Sprintf("is_%d", n); n > 0 && n != c.should(s, z) {
			prompt.Choices = append(prompt.Choices, Choice{id, fmt.Sprintf("Counted by hand: it is %d", n)})
			prompt.finds[id] = n
		}
	}
	prompt.Choices = append(prompt.Choices, itIsRight())
	return prompt
}

// inChips says in which chips an amount is paid out, as few as can be: (1 × 25, 4 × 5). It is "" where the chips of the table are
// not known, or make it not up.
func (c *till) inChips(amount engine.Chips) string {
	var parts []string
	for _, v := range c.kinds {
		if n := amount / v; n > 0 {
			parts = append(parts, fmt.Sprintf("%d × %d", n, v))
			amount -= n * v
		}
	}
	if amount != 0 || len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// odd is the prompt about a spot where more or less lies than its seat has bet.
func (c *till) odd(s *engine.State, seat engine.Seat, more engine.Chips) Prompt {
	p := &s.Seats[seat]
	switch {
	case more < 0 && c.difference(s, potZone) >= -more:
		return Prompt{Code: "in_pot", Text: fmt.Sprintf("%d that seat %d bet lie in the pot. Lay them before it.", -more, seat), Choices: []Choice{itIsRight()}}
	case more < 0:
		return Prompt{Code: "chips_short", Text: fmt.Sprintf("Seat %d is short %d", seat, -more), Choices: []Choice{itIsRight()}}
	case !c.piles[engine.Zone{Kind: engine.ZoneSpot, Seat: seat}].Clean:
		return Prompt{Code: "not_collected", Text: fmt.Sprintf("Take in the %d that lie before seat %d", more, seat), Choices: []Choice{itIsRight()}}
	case c.changed(s, seat, more).Kind != 0:
		from := "the " + c.changed(s, seat, more).String()
		return Prompt{Code: "change", Text: fmt.Sprintf("Change for seat %d came out of %s. Move %d from before it there.", seat, from, more), Choices: []Choice{itIsRight()}}
	case s.Phase == engine.Betting && s.Live.Has(seat) && !p.Acted && p.Bet < s.Bet+more:
		return Prompt{
			Code: "out_of_turn", Text: fmt.Sprintf("Seat %d put %d in out of turn", seat, more),
			Choices: []Choice{{"hold", "It lies there until its turn comes"}},
		}
	}
	return Prompt{
		Code: "give_back", Text: fmt.Sprintf("Give seat %d %d back", seat, more) + c.inChips(more), Choices: []Choice{itIsRight()},
	}
}

// changed is where the change came from that a seat has, for a bet with chips that lie before it and are more by so much: the pot
// or the tray, if just that is missing there, else nowhere. Then the seat's own chips are not more than they should be either.
func (c *till) changed(s *engine.State, seat engine.Seat, more engine.Chips) engine.Zone {
	for _, z := range []engine.Zone{potZone, trayZone} {
		if c.difference(s, z) == -more && c.difference(s, engine.Zone{Kind: engine.ZoneStack, Seat: seat}) == 0 {
			return z
		}
	}
	return engine.Zone{}
}

// splashed is the seat whose chips went into the pot during a round of betting, in which so much more lies: the one whose own chips
// are less by that, or the one in turn where nobody watches them; 0 for none.
func (c *till) splashed(s *engine.State, more engine.Chips) engine.Seat {
	if s.Phase != engine.Betting || more < 0 {
		return 0
	}
	for _, seat := range c.felt.List() {
		if c.difference(s, engine.Zone{Kind: engine.ZoneStack, Seat: seat}) == -more {
			return seat
		}
	}
	if c.felt.Has(s.Turn) && c.piles[engine.Zone{Kind: engine.ZoneStack, Seat: s.Turn}] == nil {
		return s.Turn
	}
	return 0
}

// pot is the prompt about a pot in which more or less lies than should, while every spot is right: a bet that went straight into
// it, or chips that nobody knows of. For the seat in turn that is an action, which the dealer says.
func (c *till) pot(s *engine.State, more engine.Chips) Prompt {
	seat := c.splashed(s, more)
	switch {
	case seat == 0:
	case seat != s.Turn:
		return Prompt{
			Code: "in_pot", Zone: "pot", Choices: []Choice{itIsRight()},
			Text: fmt.Sprintf("Seat %d put %d into the pot out of turn. Give it back.", seat, more),
		}
	default:
		prompt, sure := c.declares(s, seat, &pile{amount: s.Seats[seat].Bet + more})
		if sure.in != nil {
			prompt.Choices, prompt.acts = []Choice{{sure.id, sure.text}}, map[string]*engine.Input{sure.id: sure.in}
		}
		prompt.Code, prompt.Zone, prompt.Choices = "in_pot", "pot", append(prompt.Choices, itIsRight())
		prompt.Text = fmt.Sprintf("Seat %d put %d into the pot and not before it. What was announced?", seat, more)
		return prompt
	}
	text := fmt.Sprintf("The pot holds %s than it should", moreOrLess(more))
	if due := c.misplaced(s); strings.HasPrefix(due, "from ") { // and to
		text += ": " + due
	}
	return Prompt{Code: "pot_differs", Zone: "pot", Text: text, Choices: []Choice{itIsRight()}}
}

// declares is what the chips that the seat in turn has put in mean: a deed with its input where the rules leave no doubt, else a
// prompt with the choices, the one that the rules prefer first (TD-03, TD-16 to TD-19).
func (c *till) declares(s *engine.State, seat engine.Seat, p *pile) (Prompt, deed) {
	legal := s.Awaits().Legal
	seen, _ := p.lies()
	act := func(a engine.Action, to engine.Chips) *engine.Input {
		in := &engine.Input{Kind: engine.Acted, Seat: seat, Action: a}
		if a == engine.Bet || a == engine.Raise {
			in.Amount = to
		}
		return in
	}
	raise := engine.Raise
	if legal.Opens {
		raise = engine.Bet
	}
	ask := func(code, text string, choices ...deed) (Prompt, deed) {
		prompt := Prompt{Code: code, Zone: engine.Zone{Kind: engine.ZoneSpot, Seat: seat}.String(), Text: text, acts: map[string]*engine.Input{}}
		for _, d := range choices {
			if d.in != nil {
				prompt.Choices = append(prompt.Choices, Choice{d.id, d.text})
				prompt.acts[d.id] = d.in
			}
		}
		return prompt, deed{}
	}
	callTo := s.Seats[seat].Bet + legal.ToCall
	call := deed{"call", fmt.Sprintf("Call %d", legal.ToCall), act(engine.Call, 0)}
	if legal.ToCall == 0 {
		call = deed{"check", "Check: the chips go back", act(engine.Check, 0)}
	}
	minimum := deed{}
	if legal.Raise {
		minimum = deed{"raise", fmt.Sprintf("Complete to %d", legal.MinTo), act(raise, legal.MinTo)}
	}
	full := deed{}
	switch {
	case seen == legal.AllIn:
		full = deed{"all_in", "All-in", act(engine.AllIn, 0)}
	case legal.Raise && seen == legal.Within(seen):
		full = deed{"raise", fmt.Sprintf("%s to %d", title(raise), seen), act(raise, seen)}
	case legal.Raise && seen > legal.MaxTo:
		full = deed{"raise", fmt.Sprintf("%s to the most, %d", title(raise), legal.MaxTo), act(raise, legal.MaxTo)}
	}
	switch {
	case legal.BringIn > 0 && seen == legal.BringIn:
		return Prompt{}, deed{"bring_in", fmt.Sprintf("Bring in %d", seen), act(engine.BringIn, 0)}
	case seen == callTo && legal.ToCall > 0:
		return Prompt{}, call
	case p.First > 0:
		return ask("two_motions", fmt.Sprintf("Seat %d put chips in by two motions, %d and then up to %d. The first counts unless all was announced.", seat, p.First, seen),
			firstMotion(legal, callTo, p.First, call, minimum, act, raise), deed{"all", fmt.Sprintf("All was announced: %d", seen), full.in})
	case seen < callTo:
		fold := deed{"fold", "Fold: the chips stay", act(engine.Fold, 0)}
		if opening := s.Bet <= s.MinRaise; opening || s.Live.Len() == 2 {
			fold = deed{} // it must be completed; elsewhere the floor decides
		}
		return ask("undercall", fmt.Sprintf("Seat %d put in %d, which is %d short of a call", seat, seen-s.Seats[seat].Bet, callTo-seen), call, fold)
	case legal.ToCall > 0 && p.pieces-p.Base == 1: // a call however much it is (TD-17)
		change := seen - callTo
		text := fmt.Sprintf("Seat %d put in one chip larger than the call: a call, unless a raise was announced. Change: %d", seat, change) + c.inChips(change)
		if full.in == nil {
			full = minimum
		}
		return ask("over_chip", text, call, full)
	case full.in == nil && legal.Raise && 2*(seen-callTo) >= legal.MinTo-callTo:
		return ask("short_raise", fmt.Sprintf("Seat %d put in half a raise or more: it completes to %d", seat, legal.MinTo), minimum, call)
	case full.in == nil:
		return ask("over_call", fmt.Sprintf("Seat %d put in more than a call and less than half a raise: a call", seat), call, minimum)
	case p.pieces == 0 && full.id != "all_in":
		return ask("unannounced", fmt.Sprintf("Seat %d put chips in up to %d. What was announced?", seat, seen), full, call)
	case seen > legal.MaxTo && full.id == "raise":
		return ask("over_limit", fmt.Sprintf("Seat %d put in more than the limit allows: %d is the most", seat, legal.MaxTo), full, call)
	}
	return Prompt{}, full
}

// released is the prompt about chips that the seat in turn put in before its turn, when the bet was another: it is not held to them
// (TDA 40), and may take them back and act, or leave them for what they would be now.
func (c *till) released(s *engine.State, seat engine.Seat, more engine.Chips, doubt Prompt, sure deed) Prompt {
	p := Prompt{
		Code: "action_changed", Zone: engine.Zone{Kind: engine.ZoneSpot, Seat: seat}.String(), acts: map[string]*engine.Input{},
		Text: fmt.Sprintf("Seat %d put %d in out of turn, and the bet has changed since. It may take that back: all choices are open.", seat, more),
	}
	for _, choice := range doubt.Choices {
		if choice.ID != "fold" {
			p.Choices, p.acts[choice.ID] = append(p.Choices, choice), doubt.acts[choice.ID]
		}
	}
	if sure.in != nil {
		p.Choices, p.acts[sure.id] = append(p.Choices, Choice{sure.id, sure.text}), sure.in
	}
	p.offer(s, deed{"fold_back", "Fold: the chips go back", &engine.Input{Kind: engine.Acted, Seat: seat, Action: engine.Fold}})
	return p
}

// uneven is by how much more a seat at the felt has in its stack and before it than the engine says, 0 where not both are known. What
// it puts in adds up to nothing. A stack that may be one of several amounts is taken for the one by which it adds up best.
func (c *till) uneven(s *engine.State, seat engine.Seat) engine.Chips {
	spot, stack := engine.Zone{Kind: engine.ZoneSpot, Seat: seat}, engine.Zone{Kind: engine.ZoneStack, Seat: seat}
	if _, known := c.piles[spot].lies(); !known {
		return 0
	}
	left, known := c.left(s, stack, c.difference(s, spot))
	if !known {
		return 0
	}
	return c.difference(s, spot) - left
}

// left is by how much less lies at a stack than should, and whether that is known: of several amounts that it may be the one nearest to
// what was put in.
func (c *till) left(s *engine.State, stack engine.Zone, put engine.Chips) (left engine.Chips, known bool) {
	p := c.piles[stack]
	if _, known = p.lies(); known || p == nil || len(p.fits) == 0 {
		return -c.difference(s, stack), known
	}
	off := func(n engine.Chips) engine.Chips { return max(c.should(s, stack)-n-put, put-c.should(s, stack)+n) }
	best := slices.MinFunc(p.fits, func(a, b engine.Chips) int { return cmp.Compare(off(a), off(b)) })
	return c.should(s, stack) - best, true
}

// unproven is whether a chip that no reader hears may lie before the seat in turn: they are read by their tags, and what left its stack
// is not known, or there is one on it that a person has counted and its sensor has not. Nobody has more in than all that he had.
func (c *till) unproven(s *engine.State, seat engine.Seat) bool {
	z, stack := engine.Zone{Kind: engine.ZoneSpot, Seat: seat}, c.piles[engine.Zone{Kind: engine.ZoneStack, Seat: seat}]
	lies, _ := c.piles[z].lies()
	_, known := stack.lies()
	return c.tags[z] && (!known || stack.Off != 0) && lies != s.Awaits().Legal.AllIn
}

// confirms is the prompt about chips of the seat in turn that would be an action, lies, if they are all that it put in. The dealer says so;
// for more, the player says at the panel what the bet is.
func (c *till) confirms(s *engine.State, seat engine.Seat, lies deed) Prompt {
	z := engine.Zone{Kind: engine.ZoneSpot, Seat: seat}
	return Prompt{
		Code: "confirm_bet", Zone: z.String(), Choices: []Choice{{lies.id, lies.text}}, acts: map[string]*engine.Input{lies.id: lies.in},
		Text: fmt.Sprintf("Seat %d put in %d, as far as tags are heard. Count it, and enter the bet at its panel if it is more.", seat, c.difference(s, z)),
	}
}

// astray is the prompt about chips of the seat in turn that would be an action, lies, if as much had left its stack: a chip that
// fell elsewhere, or that a reader misses.
func (c *till) astray(s *engine.State, seat engine.Seat, lies deed) Prompt {
	z := engine.Zone{Kind: engine.ZoneSpot, Seat: seat}
	left, _ := c.left(s, engine.Zone{Kind: engine.ZoneStack, Seat: seat}, c.difference(s, z))
	left = max(0, left)
	prompt := Prompt{
		Code: "chips_astray", Zone: z.String(), Choices: []Choice{{lies.id, lies.text}}, acts: map[string]*engine.Input{lies.id: lies.in},
		Text: fmt.Sprintf("Seat %d put in %d, and its stack is less by %d. Count what it put in.", seat, c.difference(s, z), left),
	}
	if left == 0 {
		return prompt
	}
	doubt, all := c.declares(s, seat, &pile{amount: c.should(s, z) + left, pieces: 2}) // several chips
	if all.in == nil && len(doubt.Choices) > 0 {
		first := doubt.Choices[0]
		all = deed{first.ID, first.Text, doubt.acts[first.ID]}
	}
	if all.in != nil {
		prompt.Choices = append(prompt.Choices, Choice{"left", fmt.Sprintf("All that left its stack: %s", all.text)})
		prompt.acts["left"] = all.in
	}
	return prompt
}

// deed is a choice of a prompt with the input that it is.
type deed struct {
	id, text string
	in       *engine.Input
}

func title(a engine.Action) string { return capital(a.String()) }

// firstMotion is the choice by which only the first of several motions counts.
func firstMotion(legal engine.Legal, callTo, first engine.Chips, call, minimum deed,
	act func(engine.Action, engine.Chips) *engine.Input, raise engine.Action,
) deed {
	switch {
	case legal.Raise && first == legal.Within(first):
		return deed{"first", fmt.Sprintf("The first counts: %d", first), act(raise, first)}
	case legal.Raise && 2*(first-callTo) >= legal.MinTo-callTo:
		return deed{"first", "The first counts: it completes to the smallest raise", minimum.in}
	}
	return deed{"first", "The first counts: " + strings.ToLower(call.text), call.in}
}
