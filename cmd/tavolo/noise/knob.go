package noise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/panel"
	bridge "tavolo/firmware-bridge"
)

// Knobs are what became of bets that were sized with the encoder of a panel on lines of the board. A detent too few or too many is not
// wrong: the display shows the amount, and who sees another than he means turns on before he presses the key.
type Knobs struct {
	// Sized is how many bets were sized, Turned by how many detents in all. Slipped is how often the display showed another amount after
	// a turn than it was turned to.
	Sized, Turned, Slipped int
	// Wrong is how often the key told another amount than the display showed when the player last looked. There must be none.
	Wrong int
}

// The lines of the panel.
const (
	contactA = iota
	contactB
	betKey
	knobLines
)

const (
	// dealsPerBet is how many cards are dealt for each bet that is sized, most by how many steps one is at most.
	dealsPerBet, mostSteps = 10, 40
	// detentTime is from one detent to the next, glance from the end of a turn until the player has read the display, keyTime for
	// which a key is down.
	detentTime, glance, keyTime = 50 * time.Millisecond, 300 * time.Millisecond, 80 * time.Millisecond
	// mostTries is how often a player turns, or presses, for one bet.
	mostTries = 100
)

// knob is a panel with an encoder and the bet key, the lines they are on, and their driver.
type knob struct {
	kernel
	dev    *panel.Dev
	edges  chan gpiocdev.Edge
	taken  chan struct{}
	shown  int64   // on its display
	told   []int64 // by the key
	result Knobs
}

func newKnob(m Model, rng *rand.Rand) (*knob, error) {
	k := &knob{edges: make(chan gpiocdev.Edge), taken: make(chan struct{})}
	k.kernel = kernel{w: &world{dice: dice{m: m, rng: rng}, now: time.Now()}, lines: make([]line, knobLines)}
	for i := range k.lines {
		k.lines[i] = line{bounced: EncoderBounced, lost: EncoderLost, missed: EncoderMissed, bounce: chatter}
	}
	k.lines[betKey] = line{bounced: KeyBounced, lost: EncoderLost, missed: EncoderMissed, quiet: settled, bounce: bounceTime}
	var err error
	k.dev, err = panel.New(panel.Options{
		Open: func() (panel.Wires, error) { return k, nil }, Keys: map[int]bridge.Key{betKey: bridge.KeyBet}, Encoder: []int{contactA, contactB},
	})
	return k, err
}

// Levels says that all contacts are open: they are while the driver starts.
func (k *knob) Levels() (uint64, error) { return 0, nil }

// Watch tells what the kernel notices.
func (k *knob) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		select {
		case e := <-k.edges:
			tell(e)
			k.taken <- struct{}{}
		case <-ctx.Done():
			return nil
		}
	}
}

// Light has no lamps to light.
func (k *knob) Light(uint64) error { return nil }

// Close does nothing: there are no lines to be given back.
func (k *knob) Close() error { return nil }

// size has so many bets sized, and gives what became of them.
func (k *knob) size(ctx context.Context, bets int) (Knobs, error) {
	working, stop := context.WithCancel(context.WithoutCancel(ctx)) // for as long as there is something to tell it
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { _ = k.dev.Run(working) }) // it ends with that, and then without an error
	<-k.dev.Reports()                             // it is up
	for range bets {
		if err := k.bet(); err != nil {
			return k.result, err
		}
		if err := ctx.Err(); err != nil {
			return k.result, err
		}
	}
	return k.result, nil
}

// bet turns the encoder until the display shows what the player means to bet, and presses the key until it is told.
func (k *knob) bet() error {
	w := k.w
	step := int64(1 + w.rng.IntN(100))
	least := step * int64(1+w.rng.IntN(10))
	k.shown = k.dev.Set(bridge.Lamps{}, bridge.Ask{
		Prompt: uint8(k.result.Sized%255) + 1, Start: uint64(least), Min: uint64(least), Max: uint64(least + mostSteps*step), Step: uint64(step),
	})
	k.result.Sized++
	means := least + step*int64(w.rng.IntN(mostSteps+1))
	for tries := 0; k.shown != means; tries++ {
		if tries == mostTries {
			return fmt.Errorf("the encoder was turned %d times and the display shows %d, not %d", tries, k.shown, means)
		}
		k.rotate(int((means - k.shown) / step))
		if k.shown != means {
			k.result.Slipped++
		}
	}
	for tries := 0; len(k.told) == 0; tries++ {
		if tries == mostTries {
			return fmt.Errorf("the bet key was pressed %d times and nothing was told", tries)
		}
		k.pass(w.upTo(pressAgain))
		k.turn(w.now, betKey, true)
		k.turn(w.now.Add(keyTime), betKey, false)
		k.pass(pressAgain)
	}
	for _, amount := range k.told {
		if amount != means {
			k.result.Wrong++
		}
	}
	k.told = nil
	return nil
}

// rotate turns the encoder by so many detents, below 0 anticlockwise, and looks at the display.
func (k *knob) rotate(detents int) {
	first, second := contactB, contactA
	if detents < 0 {
		first, second, detents = second, first, -detents
	}
	k.result.Turned += detents
	for range detents {
		for i, line := range []int{first, second, first, second} {
			k.turn(k.w.now.Add(k.w.upTo(detentTime/8)), line, i < 2)
			k.pass(detentTime / 4)
		}
	}
	k.pass(glance)
}

// pass lets time pass, and has the driver hear what the kernel notices meanwhile.
func (k *knob) pass(d time.Duration) {
	k.w.Sleep(d)
	k.until(k.w.now, func(e gpiocdev.Edge) {
		k.edges <- e
		<-k.taken
		for {
			select {
			case report := <-k.dev.Reports():
				k.hear(report)
			default:
				return
			}
		}
	})
}

// hear has the display show what is prepared, and takes note of what the key tells.
func (k *knob) hear(report panel.Report) {
	switch r := report.(type) {
	case panel.Prepared:
		k.shown = r.Amount
	case panel.Key:
		if r.Down {
			k.told = append(k.told, int64(r.Amount))
		}
	}
}
