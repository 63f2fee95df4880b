package noise

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Faults are the model at a table in real time, whose parts run by themselves: package simtable's. Start with NewFaults; any goroutine
// may use them. Since nobody knows which part asks first, a seed gives alike runs, not the same.
type Faults struct {
	mu   sync.Mutex
	dice dice
}

// NewFaults are those of a model at a level, 1 for the model as it is.
func NewFaults(m Model, level float64, seed uint64) *Faults {
	return &Faults{dice: dice{m: m.at(level), rng: rand.New(rand.NewPCG(seed, 0))}}
}

// LookTime is about how long a look of a reader takes, BusTime a round over the panels of a bus, Linger how long a tag that was taken
// away may still be seen: those who ask about faults do so once in these times.
const (
	LookTime = 30 * time.Millisecond
	BusTime  = busRound
	Linger   = linger
)

// Look are the tags that a look at an antenna reads, of those that lie there, at the antennas beside, and those that were taken away
// no longer than Linger ago.
func (f *Faults) Look(lies, beside, gone []string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dice.field(len(lies), lies, beside, gone)
}

// Pass is the number that is read of a tag which slides out of the shoe, false if it goes unseen.
func (f *Faults) Pass(tag string) (uid string, seen bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dice.number(tag), !f.dice.happens(ShoeMissed)
}

// Answer is what arrives of a frame that a reader sends. A look has about answers of them.
func (f *Faults) Answer(frame []byte) []byte {
	const answers = 3
	return f.frame(frame, answers, ReaderLost, ReaderCut, ReaderGarbage, ReaderBit)
}

// Frame is what arrives of a frame on a bus of panels, either way.
func (f *Faults) Frame(frame []byte) []byte { return f.frame(frame, 1, BusLost, BusCut, BusBit) }

// frame is what arrives of a frame that is one of several in which each kind may happen.
func (f *Faults) frame(frame []byte, of float64, faults ...Kind) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range faults {
		if len(frame) > 0 && f.dice.chance(f.dice.m[k]/of) {
			f.dice.count[k]++
			return f.dice.damaged(frame, k)
		}
	}
	return frame
}

// Happens is whether something goes wrong that can.
func (f *Faults) Happens(k Kind) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dice.happens(k)
}

// Lasts is Happens, and how long it lasts: that a reader hangs, a cable is out, a key sticks.
func (f *Faults) Lasts(k Kind) (d time.Duration, happens bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	longest := hungFor
	if k == KeyStuck {
		longest = stuckFor
	}
	if !f.dice.happens(k) {
		return 0, false
	}
	return f.dice.upTo(longest), true
}

// Counts are how often each kind has happened.
func (f *Faults) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dice.count
}
