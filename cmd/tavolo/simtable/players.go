package simtable

import (
	"context"
	"math/rand/v2"
	"time"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/drivers/sim"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// pressAgain is how long a felt player waits for a key to have an effect.
const pressAgain = 2 * time.Second

// choice is what a player makes of a turn.
type choice struct {
	verb   controller.Verb
	amount engine.Chips
}

// remotePlayer plays a seat over MQTT until ctx ends: each turn once, again if the table has started anew meanwhile.
func (t *Table) remotePlayer(ctx context.Context, p Player, c *client.Client, rng *rand.Rand) error {
	var epoch, turn uint64
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-c.Messages():
			at, ok := m.(mqtt.TurnPayload)
			if !ok || at.Epoch == epoch && at.Turn == turn {
				continue
			}
			if !pause(ctx, think(t.opt.Pace, rng)) {
				return nil
			}
			epoch, turn = at.Epoch, at.Turn
			ch := t.choose(p.Seat, at.Turn, at.Legal, at.MayMuck, rng)
			err := c.Act(ctx, mqtt.ActionPayload{Epoch: at.Epoch, Turn: at.Turn, Action: ch.verb, Amount: ch.amount})
			if err != nil && ctx.Err() == nil {
				t.opt.Log.Warn("player's action refused", "user", p.Name, "action", ch.verb, "amount", ch.amount, "err", err)
			}
		}
	}
}

// feltPlayer plays a seat by looking at its panel and pressing its keys: once for each decision, again if the panel goes
// on asking for it, since a press may be lost with a daemon that dies.
func (t *Table) feltPlayer(ctx context.Context, p Player, node *sim.Node, rng *rand.Rand) error {
	asked := func(d sim.Display) bool { return d.Ask.Prompt != 0 }
	for {
		if _, err := node.Await(ctx, asked); err != nil || !pause(ctx, think(t.opt.Pace, rng)) {
			return nil
		}
		d := node.Display()
		if !asked(d) {
			continue
		}
		node.Press(t.press(p.Seat, uint64(d.Ask.Prompt), d, rng))
		patience, cancel := context.WithTimeout(ctx, pressAgain)
		_, _ = node.Await(patience, func(now sim.Display) bool { return now.Ask.Prompt != d.Ask.Prompt })
		cancel()
	}
}

// press is the key for what the panel offers by its lamps.
func (t *Table) press(seat engine.Seat, turn uint64, d sim.Display, rng *rand.Rand) (bridge.Key, int64) {
	lit := func(k bridge.Key) bool { return (d.Lamps.On|d.Lamps.Blink)&bridge.LampOf(k) != 0 }
	if lit(bridge.KeyShow) {
		if t.choose(seat, turn, nil, lit(bridge.KeyMuck), rng).verb == controller.VerbMuck {
			return bridge.KeyMuck, 0
		}
		return bridge.KeyShow, 0
	}
	legal := engine.Legal{
		ToCall: 1, Raise: lit(bridge.KeyBet), MinTo: engine.Chips(d.Ask.Min), MaxTo: engine.Chips(d.Ask.Max),
	}
	switch ch := t.choose(seat, turn, &legal, false, rng); ch.verb {
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

// choose decides: as the script says, or else by a simple taste: see a flop often, raise now and then, fold to much.
// legal is nil where a hand is to be shown.
func (t *Table) choose(seat engine.Seat, turn uint64, legal *engine.Legal, mayMuck bool, rng *rand.Rand) choice {
	if t.opt.Script != nil {
		return t.opt.Script.next(seat, turn, legal)
	}
	switch roll := rng.IntN(100); {
	case legal == nil && mayMuck && roll < 30:
		return choice{verb: controller.VerbMuck}
	case legal == nil:
		return choice{verb: controller.VerbShow}
	case legal.BringIn > 0:
		return choice{verb: controller.VerbBringIn}
	case legal.Check && (roll < 70 || !legal.Raise):
		return choice{verb: controller.VerbCheck}
	case legal.Raise && (legal.Check || roll >= 85):
		verb := controller.VerbRaise
		if legal.Opens {
			verb = controller.VerbBet
		}
		room := min(legal.MaxTo-legal.MinTo, 3*legal.MinTo)
		return choice{verb: verb, amount: legal.MinTo + engine.Chips(rng.Int64N(int64(room)+1))}
	case roll < 35:
		return choice{verb: controller.VerbFold}
	default:
		return choice{verb: controller.VerbCall}
	}
}
