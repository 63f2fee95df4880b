package play

import (
	"fmt"
	"strconv"
	"strings"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// command is something that a program asks for by a line.
type command struct {
	name string
	verb controller.Verb
	// free is one that answers no turn.
	free bool
	// takes reads what follows the name, as usage says it; nil for nothing.
	usage string
	takes func(a *mqtt.ActionPayload, words []string) error
}

// commands are all that there are, but for hands that were played, wait and quit.
var commands = []command{
	{name: "fold", verb: controller.VerbFold},
	{name: "check", verb: controller.VerbCheck},
	{name: "call", verb: controller.VerbCall},
	{name: "bet", verb: controller.VerbBet, usage: "AMOUNT", takes: takesAmount},
	{name: "raise", verb: controller.VerbRaise, usage: "AMOUNT", takes: takesAmount},
	{name: "all-in", verb: controller.VerbAllIn},
	{name: "bring in", verb: controller.VerbBringIn},
	{name: "split", verb: controller.VerbSplit},
	{name: "discard", verb: controller.VerbDiscard, usage: "CARDS", takes: takesCards},
	{name: "stand pat", verb: controller.VerbStandPat},
	{name: "show", verb: controller.VerbShow},
	{name: "muck", verb: controller.VerbMuck},
	{name: "peek", verb: controller.VerbPeek},
	{name: "swap", verb: controller.VerbSwap, usage: "CARD", takes: takesCards},
	{name: "anchor", verb: controller.VerbAnchor, usage: "SEAT", takes: takesTarget},
	{name: "shield", verb: controller.VerbShield},
	{name: "accept", verb: controller.VerbAcceptAnchor},
	{name: "stake", verb: controller.VerbStake, free: true, usage: "ANTE [BONUS]", takes: takesStake},
	{name: "back", verb: controller.VerbBack, free: true, usage: "SEAT ANTE [BONUS]", takes: takesSeatAnd(takesStake)},
	{name: "plan check fold", verb: controller.VerbPlanCheckFold, free: true},
	{name: "plan check", verb: controller.VerbPlanCheck, free: true},
	{name: "plan call", verb: controller.VerbPlanCall, free: true},
	{name: "plan call any", verb: controller.VerbPlanCallAny, free: true},
	{name: "plan none", verb: controller.VerbPlanNone, free: true},
	{name: "auto muck", verb: controller.VerbAutoMuck, free: true},
	{name: "ask muck", verb: controller.VerbAskMuck, free: true},
	{name: "sit out", verb: controller.VerbSitOut, free: true},
	{name: "sit in", verb: controller.VerbSitIn, free: true},
	{name: "wait blind", verb: controller.VerbWaitBlind, free: true},
	{name: "sit", verb: controller.VerbSit, free: true, usage: "SEAT AMOUNT", takes: takesSeatAnd(takesAmount)},
	{name: "move", verb: controller.VerbMove, free: true, usage: "SEAT", takes: takesSeatAnd(nil)},
	{name: "top up", verb: controller.VerbTopUp, free: true, usage: "AMOUNT", takes: takesAmount},
	{name: "leave", verb: controller.VerbLeave, free: true},
	{name: "join list", verb: controller.VerbJoinList, free: true},
	{name: "leave list", verb: controller.VerbLeaveList, free: true},
}

// Commands lists what a program may ask for by lines, for people.
func Commands() string {
	var all []string
	for _, c := range commands {
		all = append(all, strings.TrimSpace(c.name+" "+c.usage))
	}
	return strings.Join(all, ", ") + ", hands, hand NUMBER, wait or quit"
}

// named finds the command that a line is: the one of the longest name that it begins with.
func named(line string) (best *command) {
	for i := range commands {
		c := &commands[i]
		if line != c.name && !strings.HasPrefix(line, c.name+" ") {
			continue
		}
		if best == nil || len(c.name) > len(best.name) {
			best = c
		}
	}
	return best
}

// parse reads a line: fold, bet 300, sit out.
func (t *table) parse(line string) (a mqtt.ActionPayload, err error) {
	c := named(line)
	if c == nil {
		return a, fmt.Errorf("%q is no command: want %s", line, Commands())
	}
	words := strings.Fields(strings.TrimPrefix(line, c.name))
	switch {
	case c.takes != nil:
		err = c.takes(&a, words)
	case len(words) > 0:
		err = fmt.Errorf("%s is too much", strings.Join(words, " "))
	}
	if err != nil {
		return a, fmt.Errorf("%q: want %s: %w", line, strings.TrimSpace(c.name+" "+c.usage), err)
	}
	a.Action = c.verb
	switch {
	case strings.HasPrefix(c.name, "plan "):
		a.Hand, a.Street, a.Amount = t.state.View.Hand, t.state.View.Street, t.state.View.Bet
	case !c.free && t.turn != nil:
		a.Epoch, a.Turn = t.turn.Epoch, t.turn.Turn
	}
	return a, nil
}

// takesAmount takes the whole bet of the round, or the chips to bring.
func takesAmount(a *mqtt.ActionPayload, words []string) (err error) {
	if len(words) != 1 {
		return fmt.Errorf("%d amounts", len(words))
	}
	if a.Amount, err = amountOf(words[0]); err == nil && a.Amount == 0 {
		err = fmt.Errorf("0 is no amount")
	}
	return err
}

// takesStake takes an ante and, if there is one, a bonus bet; no ante takes both back.
func takesStake(a *mqtt.ActionPayload, words []string) (err error) {
	if len(words) < 1 || len(words) > 2 {
		return fmt.Errorf("%d amounts", len(words))
	}
	if a.Amount, err = amountOf(words[0]); err == nil && len(words) == 2 {
		a.Bonus, err = amountOf(words[1])
	}
	return err
}

func amountOf(word string) (engine.Chips, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(word, ",", ""), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is no amount", word)
	}
	return engine.Chips(n), nil
}

// takesSeatAnd takes a seat, and then what comes after it, nil for nothing.
func takesSeatAnd(more func(*mqtt.ActionPayload, []string) error) func(*mqtt.ActionPayload, []string) error {
	return func(a *mqtt.ActionPayload, words []string) (err error) {
		if len(words) == 0 {
			return fmt.Errorf("a seat is missing")
		}
		if a.Seat, err = seatOf(words[0]); err != nil {
			return err
		}
		switch {
		case more != nil:
			return more(a, words[1:])
		case len(words) > 1:
			return fmt.Errorf("%s is too much", strings.Join(words[1:], " "))
		}
		return nil
	}
}

func takesTarget(a *mqtt.ActionPayload, words []string) (err error) {
	if len(words) != 1 {
		return fmt.Errorf("%d seats", len(words))
	}
	a.Target, err = seatOf(words[0])
	return err
}

func seatOf(word string) (engine.Seat, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > engine.MaxSeats {
		return 0, fmt.Errorf("%s is no seat", word)
	}
	return engine.Seat(n), nil
}

// takesCards takes the numbers of cards, the first being 1.
func takesCards(a *mqtt.ActionPayload, words []string) error {
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > engine.MaxHole {
			return fmt.Errorf("%s is no card: the first is 1", word)
		}
		a.Cards |= controller.PlacesOf(n)
	}
	if a.Cards == 0 {
		return fmt.Errorf("no card is named: the first is 1")
	}
	return nil
}

// may says what may be done in the turn, in the words of the commands.
func (t *table) may() (all []string) {
	switch t.turn.Kind {
	case engine.AwaitShield:
		return []string{"shield", "accept"}
	case engine.AwaitDiscard:
		return []string{fmt.Sprintf("discard up to %d of %d", t.turn.Most, len(t.cards())), "stand pat"}
	case engine.AwaitReveal:
		if t.turn.MayMuck {
			return []string{"show", "muck"}
		}
		return []string{"show"}
	}
	l := t.turn.Legal
	add := func(is bool, format string, values ...any) {
		if is {
			all = append(all, fmt.Sprintf(format, values...))
		}
	}
	verb := "raise"
	if l.Opens {
		verb = "bet"
	}
	add(l.BringIn > 0, "bring in %d", l.BringIn)
	add(l.BringIn == 0 && !l.NoFold, "fold")
	add(l.BringIn == 0 && l.Check, "check")
	add(l.ToCall > 0, "call %d", l.ToCall)
	add(l.Raise && l.TwoSizes, "%s %d or %d", verb, l.MinTo, l.MaxTo)
	add(l.Raise && !l.TwoSizes && l.MaxTo > l.MinTo, "%s %d to %d", verb, l.MinTo, l.MaxTo)
	add(l.Raise && l.MaxTo == l.MinTo, "%s %d", verb, l.MinTo)
	add(l.AllIn > 0, "all-in %d", l.AllIn)
	add(l.Split, "split")
	add(l.Powers.Has(engine.Peek), "peek")
	add(l.Powers.Has(engine.Swap), "swap")
	add(l.Powers.Has(engine.Anchor), "anchor %s", strings.ReplaceAll(seatList(l.Targets.List()), ", ", " or "))
	return all
}
