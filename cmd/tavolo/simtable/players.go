package simtable

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tavolo/cmd/tavolo/noise"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/drivers/sim"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// pressAgain is how long a felt player waits for a key to have an effect.
const pressAgain = 2 * time.Second

// ask is what a player is asked in a turn.
type ask struct {
	kind engine.AwaitKind
	// legal is of an action, mayMuck of a reveal; in a draw most of the cards held may be exchanged.
	legal      engine.Legal
	mayMuck    bool
	most, held int
}

// chipsSeen is how long a felt player waits for his chips to be taken for a bet, before he presses a key as well.
const chipsSeen = 15 * time.Second

// choice is what a player makes of a turn.
type choice struct {
	verb   controller.Verb
	amount engine.Chips
	cards  controller.Places
	target engine.Seat
}

// staker puts stakes down at a table that plays against the house: one for each hand.
type staker struct {
	hand uint64 // the last one staked for
}

// stake is what a seat puts down for the next hand, false if it does not.
func (k *staker) stake(s *mqtt.StatePayload, seat engine.Seat, rng *rand.Rand) (mqtt.ActionPayload, bool) {
	if k.hand == s.View.Hand+1 || !slices.Contains(unstaked(&s.View), seat) {
		return mqtt.ActionPayload{}, false
	}
	k.hand = s.View.Hand + 1
	a := mqtt.ActionPayload{Epoch: s.Epoch, Action: controller.VerbStake, Amount: s.View.Stakes.MinAnte, Seat: seat}
	for _, sv := range s.View.Seats {
		if sv.Seat == seat {
			a.Amount = min(a.Amount*engine.Chips(1+rng.IntN(5)), s.View.Stakes.MaxAnte, sv.Stack/flopBet)
			if room := sv.Stack - flopBet*a.Amount; rng.IntN(2) == 0 && room >= s.View.Stakes.MinBonus {
				a.Bonus = s.View.Stakes.MinBonus
			}
		}
	}
	if s.View.Stakes.MaxBonus == 0 {
		a.Bonus = 0
	}
	return a, true
}

// flopBet is how many antes a box needs to play on: its own and the two of the flop bet.
const flopBet = 3

// unstaked are the seats that can put a stake down now and have none.
func unstaked(v *engine.View) (seats []engine.Seat) {
	if v.Bank == nil || v.Phase != engine.Between {
		return nil
	}
	for _, s := range v.Seats {
		if !s.Out && s.Box == nil && s.Stack >= flopBet*v.Stakes.MinAnte {
			seats = append(seats, s.Seat)
		}
	}
	return seats
}

// remotePlayer plays a seat over MQTT until ctx ends: each turn once, again if the table has started anew meanwhile, and
// after a power, which does not end the turn.
func (t *Table) remotePlayer(ctx context.Context, p Player, c *client.Client, rng *rand.Rand) error {
	type question struct {
		epoch, turn uint64
		kind        engine.AwaitKind
	}
	var answered question
	held := 0
	var k staker
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-c.Messages():
			if own, ok := m.(mqtt.HolePayload); ok {
				held = len(own.Cards)
			}
			if s, ok := m.(mqtt.StatePayload); ok {
				if a, ok := k.stake(&s, p.Seat, rng); ok && tasks.Pause(ctx, think(t.opt.Pace, rng)) {
					t.ask(ctx, p, c, a)
				}
				continue
			}
			at, ok := m.(mqtt.TurnPayload)
			this := question{at.Epoch, at.Turn, at.Kind}
			if !ok || this == answered {
				continue
			}
			if !tasks.Pause(ctx, think(t.opt.Pace, rng)) {
				return nil
			}
			answered = this
			a := ask{kind: at.Kind, mayMuck: at.MayMuck, most: int(at.Most), held: held}
			if at.Legal != nil {
				a.legal = *at.Legal
			}
			if more := t.act(ctx, p, c, &at, a, rng); more {
				answered = question{}
			}
		}
	}
}

// ask puts a request to the table, and reports whether it was done. That the dealer closed the bets first is nobody's fault.
func (t *Table) ask(ctx context.Context, p Player, c *client.Client, a mqtt.ActionPayload) (ok bool) {
	err := c.Act(ctx, a)
	if refused, ok := errors.AsType[*client.Refused](err); ok && a.Action == controller.VerbStake && refused.Code == string(engine.CodeHandInPlay) {
		return false
	}
	if err != nil && ctx.Err() == nil {
		t.opt.Log.Warn("player's action refused", "user", p.Name, "action", a.Action, "amount", a.Amount, "err", err)
	}
	return err == nil
}

// act answers a question, and reports whether it did so with a power, after which the question comes again. A power that
// is refused is not tried again: the player does something else.
func (t *Table) act(ctx context.Context, p Player, c *client.Client, at *mqtt.TurnPayload, a ask, rng *rand.Rand) (more bool) {
	for {
		ch := t.choose(p.Seat, at.Turn, a, rng)
		ok := t.ask(ctx, p, c, mqtt.ActionPayload{
			Epoch: at.Epoch, Turn: at.Turn, Action: ch.verb, Amount: ch.amount, Cards: ch.cards, Target: ch.target,
		})
		if ok || !ch.power() || ctx.Err() != nil {
			return ok && ch.power()
		}
		a.legal.Powers = 0
	}
}

// feltPlayer plays a seat by looking at its panel and pressing its keys: once for each decision, again if the panel goes
// on asking for it, since a press may be lost with a daemon that dies.
func (t *Table) feltPlayer(ctx context.Context, p Player, node *sim.Node, rng *rand.Rand) error {
	asked := func(d sim.Display) bool { return d.Ask.Prompt != 0 }
	for {
		if _, err := node.Await(ctx, asked); err != nil || !tasks.Pause(ctx, think(t.opt.Pace, rng)) {
			return nil
		}
		d := node.Display()
		if !asked(d) {
			continue
		}
		if most, ok := mayThrow(d); ok {
			if err := t.throw(ctx, p.Seat, d.Ask.Prompt, most, node, rng); err != nil {
				return err
			}
		}
		key, amount := t.press(p.Seat, uint64(d.Ask.Prompt), d, rng)
		wait := pressAgain
		done, err := t.putChips(p.Seat, key, amount)
		if done == begun && err == nil && tasks.Pause(ctx, betweenMotions) {
			err = t.chips.again(p.Seat)
		}
		switch {
		case err != nil:
			return err
		case done == said:
			node.Answer(d.Ask.Prompt, key, amount)
			t.fumble(ctx, node, key)
		default:
			wait = chipsSeen
		}
		patience, cancel := context.WithTimeout(ctx, wait)
		_, _ = node.Await(patience, func(now sim.Display) bool { return now.Ask.Prompt != d.Ask.Prompt })
		cancel()
	}
}

// fumble has a key bounce that was pressed, or stick for a while.
func (t *Table) fumble(ctx context.Context, node *sim.Node, key bridge.Key) {
	if t.opt.Noise == nil {
		return
	}
	for t.opt.Noise.Happens(noise.KeyBounced) {
		node.Hold(key)
		node.LetGo(key)
	}
	if lasts, sticks := t.opt.Noise.Lasts(noise.KeyStuck); sticks {
		node.Hold(key)
		tasks.Pause(ctx, lasts)
		node.LetGo(key)
	}
}

// putChips says with chips what a key would say, where they are felt or seen and it takes any.
func (t *Table) putChips(seat engine.Seat, key bridge.Key, amount int64) (motion, error) {
	switch key {
	case bridge.KeyCall:
		return t.chips.bet(seat, 0)
	case bridge.KeyBet:
		return t.chips.bet(seat, engine.Chips(amount))
	}
	return said, nil
}

// mayThrow is how many cards the panel says that may be thrown away, false when it asks for something else. After some
// have been thrown it does not say so any more.
func mayThrow(d sim.Display) (most int, ok bool) {
	n, _ := fmt.Sscanf(d.Text, "THROW UP TO %d", &most)
	return most, n == 1
}

// drawing reports whether the panel asks in a draw, before cards were thrown away or after.
func drawing(d sim.Display) bool { return strings.HasPrefix(d.Text, "THROW") }

// throw throws cards of the player's own into the muck, and waits until the panel says that they are seen there: for as long
// as it takes, for who presses before that keeps them, and who throws again throws others.
func (t *Table) throw(ctx context.Context, seat engine.Seat, prompt uint8, most int, node *sim.Node, rng *rand.Rand) error {
	pad := engine.Zone{Kind: engine.ZoneSeat, Seat: seat}
	own := t.cards.lying()[pad]
	places := t.choose(seat, uint64(prompt), ask{kind: engine.AwaitDiscard, most: most, held: len(own)}, rng).cards.List()
	for _, n := range places {
		if err := t.cards.muckSlot(pad, n); err != nil {
			return err
		}
	}
	if len(places) == 0 {
		return nil
	}
	seen := fmt.Sprintf("THROWN %d ", len(places))
	_, _ = node.Await(ctx, func(now sim.Display) bool { return now.Ask.Prompt != prompt || strings.HasPrefix(now.Text, seen) })
	return nil
}

// press is the key for what the panel offers by its lamps.
func (t *Table) press(seat engine.Seat, turn uint64, d sim.Display, rng *rand.Rand) (bridge.Key, int64) {
	lit := func(k bridge.Key) bool { return (d.Lamps.On|d.Lamps.Blink)&bridge.LampOf(k) != 0 }
	call, fold, show := lit(bridge.KeyCall), lit(bridge.KeyFold), lit(bridge.KeyShow)
	switch {
	case show && !call:
		if t.choose(seat, turn, ask{kind: engine.AwaitReveal, mayMuck: lit(bridge.KeyMuck)}, rng).verb == controller.VerbMuck {
			return bridge.KeyMuck, 0
		}
		return bridge.KeyShow, 0
	case !call: // before the deal, against the house
		return bridge.KeyBet, int64(d.Ask.Min)
	case !fold && (t.opt.Script == nil || drawing(d)): // a draw, a street against the house or a bring-in
		return bridge.KeyCall, 0
	}
	legal := engine.Legal{
		ToCall: 1, Split: show, Raise: lit(bridge.KeyBet), MinTo: engine.Chips(d.Ask.Min), MaxTo: engine.Chips(d.Ask.Max),
		TwoSizes: d.Ask.Step == d.Ask.Max-d.Ask.Min, Chip: engine.Chips(d.Ask.Step),
	}
	switch ch := t.choose(seat, turn, ask{kind: engine.AwaitAction, legal: legal}, rng); ch.verb {
	case controller.VerbSplit:
		return bridge.KeyShow, 0
	case controller.VerbFold:
		return bridge.KeyFold, 0
	case controller.VerbBet, controller.VerbRaise:
		return bridge.KeyBet, int64(ch.amount)
	case controller.VerbAllIn:
		return bridge.KeyAllIn, 0
	default:
		return bridge.KeyCall, 0
	}
}

func think(p Pace, rng *rand.Rand) time.Duration {
	if p.Think == 0 {
		return 0
	}
	return p.Think/4 + time.Duration(rng.Int64N(int64(p.Think)*3/4))
}

// choose decides: as the script says, or else by a simple taste: see a flop often, raise now and then, fold to much,
// exchange some cards, split where it is offered.
func (t *Table) choose(seat engine.Seat, turn uint64, a ask, rng *rand.Rand) choice {
	if t.opt.Script != nil {
		return t.opt.Script.next(seat, turn, a.kind)
	}
	legal := &a.legal
	switch roll := rng.IntN(100); {
	case a.kind == engine.AwaitDiscard:
		return exchange(a, rng)
	case a.kind == engine.AwaitShield:
		return choice{verb: [...]controller.Verb{controller.VerbShield, controller.VerbAcceptAnchor}[roll%2]}
	case legal.Powers != 0 && roll < 40:
		return power(a, rng)
	case a.kind == engine.AwaitReveal && a.mayMuck && roll < 30:
		return choice{verb: controller.VerbMuck}
	case a.kind == engine.AwaitReveal:
		return choice{verb: controller.VerbShow}
	case legal.BringIn > 0:
		return choice{verb: controller.VerbBringIn}
	case legal.Split && roll < 50:
		return choice{verb: controller.VerbSplit}
	case legal.Check && (roll < 70 || !legal.Raise):
		return choice{verb: controller.VerbCheck}
	case legal.Raise && (legal.Check || roll >= 85):
		verb := controller.VerbRaise
		if legal.Opens {
			verb = controller.VerbBet
		}
		return choice{verb: verb, amount: size(legal, rng)}
	case legal.Raise && legal.Opens && legal.ToCall == 0 && roll >= 35: // against the house
		return choice{verb: controller.VerbBet, amount: legal.MinTo}
	case roll < 35:
		return choice{verb: controller.VerbFold}
	default:
		return choice{verb: controller.VerbCall}
	}
}

// power uses one of the powers there are, on anything.
func power(a ask, rng *rand.Rand) choice {
	powers, targets := a.legal.Powers.List(), a.legal.Targets.List()
	switch powers[rng.IntN(len(powers))] {
	case engine.Peek:
		return choice{verb: controller.VerbPeek}
	case engine.Swap:
		return choice{verb: controller.VerbSwap, cards: controller.PlacesOf(1 + rng.IntN(max(a.held, 1)))}
	default:
		return choice{verb: controller.VerbAnchor, target: targets[rng.IntN(len(targets))]}
	}
}

// power reports whether a choice does not end the turn.
func (ch choice) power() bool {
	return ch.verb == controller.VerbPeek || ch.verb == controller.VerbSwap || ch.verb == controller.VerbAnchor
}

// size is how much is bet.
func size(legal *engine.Legal, rng *rand.Rand) engine.Chips {
	room := legal.MaxTo - legal.MinTo
	if legal.TwoSizes {
		return legal.MinTo + room*engine.Chips(rng.IntN(2))
	}
	return legal.Within(legal.MinTo + engine.Chips(rng.Int64N(int64(min(room, 3*legal.MinTo))+1)))
}

// exchange throws away any number of any cards.
func exchange(a ask, rng *rand.Rand) choice {
	places := rng.Perm(a.held)[:rng.IntN(min(a.most, a.held)+1)]
	if len(places) == 0 {
		return choice{verb: controller.VerbStandPat}
	}
	ch := choice{verb: controller.VerbDiscard}
	for _, n := range places {
		ch.cards |= controller.PlacesOf(n + 1)
	}
	return ch
}
