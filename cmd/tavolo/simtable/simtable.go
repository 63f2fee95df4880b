// Package simtable is a simulated table: the hardware, on pseudo-terminals at the paths a daemon is configured with, and
// the people round it. The daemon cannot tell. What it reads are tags on a wire, what it shows is read from panels, and
// everybody who is not at the table, the dealer's console included, speaks MQTT to its broker.
//
// Hardware is hardware.go, the dealer dealer.go, the players players.go; New, Run and Play put them together.
package simtable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"time"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/noise"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/drivers/sim"
	"tavolo/engine"
	"tavolo/engine/card"
)

// Options describe a simulated table.
type Options struct {
	// URL is the daemon's broker, Topics the table's tree.
	URL    string
	Topics mqtt.Topics
	// Dealer is the name of the dealer's console, "" for a table without a dealer: the hardware alone.
	Dealer string
	// Password is that of the console and of every player.
	Password string
	// Devices are the daemon's devices.
	Devices []Device
	Players []Player
	// Mouth is what a card goes through on its way out of the shoe, beside the reader; nil for nothing.
	Mouth Mouth
	// Chips are those that readers see by their tags, nil if no reader does. Scales are those under chips, Tray is what lies in the
	// dealer's tray when the table is new.
	Chips  *calibration.ChipSet
	Scales []Scale
	Tray   engine.Chips
	// Tags are the tags of the deck.
	Tags map[card.Card]string
	// Deck is what the game is dealt from.
	Deck card.Set
	// Pace is how fast people are.
	Pace Pace
	// Seed makes shuffles and decisions those of another run.
	Seed uint64
	// Slips is how many of a hundred bets with chips go wrong, and of those that are taken in: see slips.go.
	Slips int
	// Noise is what goes wrong at antennas, cables and panels, nil for nothing.
	Noise *noise.Faults
	// Dealt, if not nil, is told of every card that the dealer deals, as it really is.
	Dealt func(hand uint64, c card.Card, z engine.Zone)
	// Script, if not nil, is the one hand that is played, card by card.
	Script *Script
	// Hands is how many hands are played, 0 for no end. Enough, if not nil, is asked when so many were, and hands go on until it
	// says so.
	Hands  int
	Enough func() bool
	// Rebuy is what a player who is out of chips buys in for, 0 for never.
	Rebuy engine.Chips
	Log   *slog.Logger
}

// Device is one device to simulate.
type Device struct {
	// Kind is pepper-c1, pepper-c1-mux, feig, uhf, pn532 or seat-bus.
	Kind string
	// Path is where the daemon opens it. Far is the UART at the device's end of the cable, where both ends are UARTs of one
	// board; "" for a pseudo-terminal.
	Path, Far string
	// Reader is the simulated reader of whoever has wired it up already, nil for one to be made.
	Reader sim.Reader
	// Zones are those the antennas of a reader watch, in order.
	Zones []engine.Zone
	// Nodes are the addresses of the panels on a bus.
	Nodes []int
}

// Mouth has a card leave the shoe: it opens the gate, say, has read slide the card past the reader, and closes the gate.
type Mouth func(c card.Card, read func(card.Card) error) error

// Player is one seat to play. Felt players press the keys of their Node, remote ones log in as Name, and share Key with the
// table.
type Player struct {
	Seat engine.Seat
	Name string
	Key  seal.Key
	Felt bool
	Node int
}

// Pace is how long people take. The zero Pace is as fast as the machine goes.
type Pace struct {
	// Think is the most a player takes to decide, Deal what the dealer takes for a card, Shuffle between two hands.
	Think, Deal, Shuffle time.Duration
}

// RealPace is that of a real table, divided by speed.
func RealPace(speed float64) Pace {
	at := func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
	return Pace{Think: at(4 * time.Second), Deal: at(700 * time.Millisecond), Shuffle: at(8 * time.Second)}
}

// Table is a simulated table.
type Table struct {
	opt    Options
	cards  *hardware
	chips  *rail
	hands  int // played
	stacks [engine.MaxSeats + 1]engine.Chips
}

// New builds the hardware: when it returns, the devices are there to be opened.
func New(opt Options) (*Table, error) {
	hw, err := newHardware(opt)
	if err != nil {
		return nil, err
	}
	return &Table{opt: opt, cards: hw, chips: newRail(opt, hw)}, nil
}

// Stacks are the seats' stacks as the dealer's console saw them last. It must not be called while Play runs.
func (t *Table) Stacks() [engine.MaxSeats + 1]engine.Chips { return t.stacks }

// Chips are those that lie in each place at the felt, and how many bets were made with chips rather than a key. Any goroutine
// may call it.
func (t *Table) Chips() (lying map[engine.Zone]engine.Chips, bets int) { return t.chips.lying() }

// Slips is how often which wrong motion was made with chips. Any goroutine may call it.
func (t *Table) Slips() map[string]int {
	t.chips.mu.Lock()
	defer t.chips.mu.Unlock()
	return maps.Clone(t.chips.made)
}

// Cables are those of the devices by their paths, to be pulled and disturbed.
func (t *Table) Cables() map[string]Cable { return t.cards.cables }

// Panel is the panel at an address of the bus, nil if there is none, for whoever plays at it instead of a Player.
func (t *Table) Panel(node int) *sim.Node { return t.cards.nodes[node] }

// Deal draws a card out of the shoe and lays it in a zone, for whoever deals instead of the Dealer.
func (t *Table) Deal(c card.Card, z engine.Zone) error {
	return errors.Join(t.cards.pass(c), t.cards.place(z, c))
}

// Slide slides whatever has a tag past the mouth of the shoe, once the reader there is at work.
func (t *Table) Slide(ctx context.Context, tag string) error {
	if t.cards.shoe == nil {
		return errors.New("the table has no shoe that reads cards")
	}
	if r, alone := t.cards.shoe.(*sim.Pepper); alone { // it tells of cards by itself, and sees none before it is told to
		if err := r.AwaitPolling(ctx); err != nil {
			return err
		}
	}
	return t.cards.shoe.Pass(tag)
}

// Lay has just the chips with these tags, or whatever else has them, lie in a zone that a reader watches. The simulated players
// leave them alone.
func (t *Table) Lay(z engine.Zone, tags ...string) error { return t.cards.lay(z, tags) }

// Weigh has a weight lie on the scale at a zone, in mg, whatever the simulated players' chips weigh.
func (t *Table) Weigh(z engine.Zone, mg int64) error { return t.chips.load(z, mg) }

// Cable is the cable of a device.
type Cable struct {
	*sim.PTY
	reader sim.Reader // which the cable powers too; nil for none
}

// Plug puts the cable back in. A reader starts up.
func (c Cable) Plug() error {
	if c.reader != nil {
		return c.reader.Plug()
	}
	return c.PTY.Plug()
}

// Run works the hardware until ctx ends, and returns nil then.
func (t *Table) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g := tasks.Group{Stop: stop}
	t.cards.run(ctx, &g)
	<-ctx.Done()
	return g.Wait()
}

// Play is what the people do, while Run runs: it returns nil when ctx ends or the hands are played.
func (t *Table) Play(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g := tasks.Group{Stop: stop}
	for _, p := range t.opt.Players {
		rng := rand.New(rand.NewPCG(t.opt.Seed, uint64(p.Seat)))
		if p.Felt {
			node := t.cards.nodes[p.Node]
			if node == nil {
				stop()
				return errors.Join(fmt.Errorf("seat %d has no panel", p.Seat), g.Wait())
			}
			g.Go(func() error { return t.feltPlayer(ctx, p, node, rng) })
			continue
		}
		c, err := t.connect(mqtt.Player, p.Name, p.Key)
		if err != nil {
			stop()
			return errors.Join(err, g.Wait())
		}
		g.Go(func() error { return c.Run(ctx) })
		g.Go(func() error { return t.remotePlayer(ctx, p, c, rng) })
	}
	if t.opt.Dealer != "" {
		c, err := t.connect(mqtt.Dealer, t.opt.Dealer, "")
		if err != nil {
			stop()
			return errors.Join(err, g.Wait())
		}
		g.Go(func() error { return c.Run(ctx) })
		g.Go(func() error {
			defer stop() // the dealer is the last to leave
			return t.deal(ctx, c)
		})
	}
	<-ctx.Done()
	return g.Wait()
}

func (t *Table) connect(role mqtt.Role, name string, key seal.Key) (*client.Client, error) {
	return client.New(client.Options{
		URL: t.opt.URL, Topics: t.opt.Topics, Role: role, User: name, Password: t.opt.Password, Key: key,
		Log: t.opt.Log.With("user", name),
	})
}
