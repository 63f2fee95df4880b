package simtable

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// restOfTag is how long the cards are out of the shoe's sight between two hands at least: a reader takes a tag that it
// sees again within a second for one that never left.
const restOfTag = 1200 * time.Millisecond

// commandTime is how long the dealer waits for the table to answer.
const commandTime = 30 * time.Second

// How long the dealer waits under noise: between two looks at what the console asks for still, until a card that nobody saw is
// drawn past the shoe's reader once more, and until what stands still is put an end to.
const (
	lookAgain  = 2 * time.Second
	drawnAgain = 3 * time.Second
	atALoss    = 20 * time.Second
)

// dealer is the dealer's hands and console.
type dealer struct {
	*Table
	console *client.Client
	rng     *rand.Rand
	deck    []card.Card // in the shoe, next first
	hand    uint64      // that the shoe was loaded for
	dealt   int         // how many of its cards
	last    drawn       // of them
	passed  time.Time   // when the last of them left the shoe
	loaded  int         // how many were dealt when the discards were shuffled into the shoe last
	over    uint64      // the last hand collected
	seq     uint64      // of the last state seen
	epoch   uint64      // of the prompt that is followed
	broke   []engine.Seat
	again   <-chan time.Time // to look once more at what is to be counted
	asked   string           // what the console asks for
	since   time.Time        // since when
	betting bool             // bets against the house are open, and players here have none yet
}

// drawn is a card that was dealt to a zone.
type drawn struct {
	card card.Card
	zone engine.Zone
}

// deal follows the instructions of the console until the hands are played.
func (t *Table) deal(ctx context.Context, c *client.Client) error {
	d := &dealer{Table: t, console: c, rng: rand.New(rand.NewPCG(t.opt.Seed, 0))}
	var next, last *mqtt.PromptPayload // followed when the state it goes with has come, and again to count chips that lie still
	for {
		if next != nil && next.Seq <= d.seq {
			p := next
			next, last = nil, next
			d.stands(p)
			if done, err := d.follow(ctx, p); done || err != nil {
				return err
			}
			if d.opt.Noise != nil && d.again == nil {
				d.again = time.After(lookAgain)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-d.again:
			if d.again = nil; next == nil {
				next = last
			}
		case m := <-c.Messages():
			switch m := m.(type) {
			case mqtt.StatePayload:
				d.look(&m)
				if err := d.chips.follow(&m.View); err != nil {
					return err
				}
			case mqtt.PromptPayload:
				next = &m
			}
		}
	}
}

// stands takes note of what the console asks for, and since when.
func (d *dealer) stands(p *mqtt.PromptPayload) {
	asked := fmt.Sprint(p.Hand, p.Instruction.Kind, p.Instruction.Card)
	for _, prompt := range p.Prompts {
		asked = fmt.Sprint(asked, " ", prompt.ID)
	}
	if asked != d.asked {
		d.asked, d.since = asked, time.Now()
	}
}

// lost is whether it has stood for so long, under noise, that the dealer puts an end to it.
func (d *dealer) lost() bool { return d.opt.Noise != nil && time.Since(d.since) > atALoss }

// look remembers the stacks, and who is out of chips.
func (d *dealer) look(s *mqtt.StatePayload) {
	d.seq, d.broke = s.Seq, nil
	d.betting = slices.ContainsFunc(unstaked(&s.View), func(seat engine.Seat) bool {
		return slices.ContainsFunc(d.opt.Players, func(p Player) bool { return p.Seat == seat })
	})
	for _, seat := range s.View.Seats {
		d.stacks[seat.Seat] = seat.Stack
		if s.View.Phase == engine.Between && (seat.Stack == 0 || seat.Box == nil && seat.Stack < flopBet*s.View.Stakes.MinAnte) {
			d.broke = append(d.broke, seat.Seat)
		}
	}
}

// follow does what the console says, and reports whether the last hand is over.
func (d *dealer) follow(ctx context.Context, p *mqtt.PromptPayload) (done bool, err error) {
	d.epoch = p.Epoch
	in := p.Instruction
	switch in.Kind {
	case "burn", "hole", "board":
		return false, d.card(ctx, p)
	case "discard":
		for _, slot := range in.Slots.List() {
			if err := d.cards.muckSlot(engine.Zone{Kind: engine.ZoneSeat, Seat: in.Seat}, slot); err != nil {
				return false, err
			}
		}
	case "reload":
		d.reload(ctx, p)
	case "collect":
		if d.finished(p.Hand) {
			return true, nil
		}
		tasks.Pause(ctx, d.opt.Pace.Shuffle/4)
		if p.Hand != d.hand { // dealt by another dealer, from a deck that is not here
			d.command(ctx, mqtt.CommandPayload{Command: controller.VerbDeckChecked, Reason: "a new deck"})
		} else if d.lost() {
			d.command(ctx, mqtt.CommandPayload{Command: controller.VerbDeckChecked, Reason: "counted by hand"})
		}
		return false, d.cards.gather()
	case "start":
		if d.finished(p.Hand) {
			return true, nil
		}
		return false, d.start(ctx, p)
	case "wait":
		return false, d.rebuy(ctx)
	case "settle":
		return false, d.settle(ctx, p)
	case "push", "count":
		return false, d.count(ctx)
	}
	return false, nil
}

// finished counts a hand that is over, once, and reports whether it was the last.
func (d *dealer) finished(hand uint64) bool {
	if hand == d.hand && d.dealt > 0 && d.over != hand {
		d.over = hand
		d.hands++
	}
	played := d.opt.Hands > 0 && d.hands >= d.opt.Hands && (d.opt.Enough == nil || d.opt.Enough())
	return played || d.opt.Script != nil && d.hands > 0
}

// card deals the card asked for, once. A hand whose shoe is not in these hands cannot go on.
func (d *dealer) card(ctx context.Context, p *mqtt.PromptPayload) error {
	in := p.Instruction
	if p.Hand != d.hand {
		d.command(ctx, mqtt.CommandPayload{Command: controller.VerbVoidHand, Reason: "the shoe was emptied"})
		return nil
	}
	if in.Card == d.dealt && d.opt.Noise != nil {
		return d.drawAgain()
	}
	if in.Card <= d.dealt || !tasks.Pause(ctx, d.opt.Pace.Deal) {
		return nil
	}
	if len(d.deck) == 0 {
		return fmt.Errorf("simulated dealer: the shoe is empty at card %d of hand %d", in.Card, p.Hand)
	}
	d.dealt, d.passed = in.Card, time.Now()
	c := d.deck[0]
	d.deck = d.deck[1:]
	if err := errors.Join(d.cards.pass(c), d.cards.load(d.deck)); err != nil {
		return err
	}
	d.last = drawn{c, zone(in)}
	if d.opt.Dealt != nil {
		d.opt.Dealt(p.Hand, c, d.last.zone)
	}
	return d.cards.place(d.last.zone, c)
}

// drawAgain draws the last card past the shoe's reader once more, where that alone sees it and has not.
func (d *dealer) drawAgain() error {
	if d.cards.watches(d.last.zone) || time.Since(d.passed) < drawnAgain {
		return nil
	}
	d.passed = time.Now()
	return d.cards.read(d.last.card)
}

// reload shuffles the discards into the shoe, and says so once all of them are seen to be there.
func (d *dealer) reload(ctx context.Context, p *mqtt.PromptPayload) {
	if d.loaded == d.dealt {
		return
	}
	if p.Hand == d.hand {
		discards := d.cards.lying()[muckZone]
		for _, c := range discards {
			d.cards.take(muckZone, c)
		}
		d.rng.Shuffle(len(discards), func(i, j int) { discards[i], discards[j] = discards[j], discards[i] })
		d.deck = append(d.deck, discards...)
	}
	if tasks.Pause(ctx, max(d.opt.Pace.Shuffle/2, time.Until(d.passed.Add(restOfTag)))) {
		if d.command(ctx, mqtt.CommandPayload{Command: controller.VerbReload}) {
			d.loaded = d.dealt
		}
	}
}

// zone is where an instruction says a card goes.
func zone(in controller.Instruction) engine.Zone {
	switch in.Kind {
	case "hole":
		return engine.ZoneOf(in.Seat)
	case "burn":
		return engine.Zone{Kind: engine.ZoneBurn}
	}
	return engine.Zone{Kind: engine.ZoneBoard}
}

// start shuffles, loads the shoe and starts the next hand.
func (d *dealer) start(ctx context.Context, p *mqtt.PromptPayload) error {
	if d.hand == p.Hand+1 {
		return nil // it is started already
	}
	if err := d.rebuy(ctx); err != nil || d.betting {
		return err // each bet brings the instruction again
	}
	d.cards.clear()
	if !tasks.Pause(ctx, max(d.opt.Pace.Shuffle, time.Until(d.passed.Add(restOfTag)))) {
		return nil
	}
	start := mqtt.CommandPayload{Command: controller.VerbStartHand}
	if d.opt.Script != nil {
		d.deck, start.Forced = d.opt.Script.deck, d.opt.Script.forced
	} else {
		d.deck = d.opt.Deck.Cards()
		d.rng.Shuffle(len(d.deck), func(i, j int) { d.deck[i], d.deck[j] = d.deck[j], d.deck[i] })
	}
	if err := d.cards.load(d.deck); err != nil {
		return err
	}
	d.hand, d.dealt, d.loaded = p.Hand+1, 0, 0
	if !d.command(ctx, start) {
		d.hand = p.Hand
	}
	return nil
}

// rebuy has those who are out of chips buy in again.
func (d *dealer) rebuy(ctx context.Context) error {
	broke := d.broke
	d.broke = nil
	for _, seat := range broke {
		if d.opt.Rebuy > 0 && d.command(ctx, mqtt.CommandPayload{Command: controller.VerbAddChips, Seat: seat, Amount: d.opt.Rebuy}) {
			if err := d.chips.buy(seat, d.opt.Rebuy); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle answers a prompt as a dealer would: what the readers missed is so, what is not of this deck goes away, the second of
// two cards goes back, a card lies where it was dealt to. What only voiding the hand can end, is waited for: that readers see
// better.
func (d *dealer) settle(ctx context.Context, p *mqtt.PromptPayload) error {
	for _, prompt := range p.Prompts {
		answers := []string{"change_deck", "accept", "dismiss", "set_aside", "keep", "holds"}
		switch prompt.Code {
		case "two_cards":
			answers = []string{"take_back"}
		case "two_places", "seen_badly":
			answers = d.whereItLies(&prompt)
		}
		if d.lost() {
			answers = append(answers, "void")
		}
		for _, want := range answers {
			for _, c := range prompt.Choices {
				if c.ID == want {
					d.command(ctx, mqtt.CommandPayload{Command: controller.VerbChoose, Prompt: prompt.ID, Choice: want})
					return nil
				}
			}
		}
		if z, err := engine.ParseZone(prompt.Zone); err != nil || !z.Chips() {
			continue
		}
		choice, err := d.chips.answer(&prompt)
		if err != nil {
			return err
		}
		if choice != "" {
			d.command(ctx, mqtt.CommandPayload{Command: controller.VerbChoose, Prompt: prompt.ID, Choice: choice})
			return nil
		}
		d.again = time.After(max(time.Second, d.chips.still()))
	}
	return nil
}

// whereItLies is the choice that names the one place where cards lie.
func (d *dealer) whereItLies(p *controller.Prompt) (answers []string) {
	lying := d.cards.lying()
	for _, c := range p.Choices {
		for z, cards := range lying {
			if len(cards) > 0 && c.Text == fmt.Sprintf("It lies at %v", z) {
				answers = append(answers, c.ID)
			}
		}
	}
	if len(answers) > 1 { // it may be at either: it is moved, and seen better then
		return nil
	}
	return answers
}

// count moves chips that lie where they should not, and once all of them lie where they should says so.
func (d *dealer) count(ctx context.Context) error {
	moved, err := d.chips.right(0)
	if left := d.chips.still(); moved || left > 0 {
		d.again = time.After(max(time.Second, left))
	} else if err == nil {
		d.command(ctx, mqtt.CommandPayload{Command: controller.VerbChipsCounted, Reason: "counted"})
	}
	return err
}

// command asks the table, and reports whether it was done. A refusal is logged: the console shows what to do next.
func (d *dealer) command(ctx context.Context, cmd mqtt.CommandPayload) bool {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd.Epoch = d.epoch
	err := d.console.Command(ctx, cmd)
	if err != nil && ctx.Err() == nil {
		d.opt.Log.Warn("dealer's command refused", "cmd", cmd.Command, "err", err)
	}
	return err == nil
}
