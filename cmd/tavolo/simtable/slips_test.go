package simtable

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/calibration"
	"tavolo/controller"
	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
)

// felt is a table with three players at the felt and one elsewhere, in a bubble of its own time: sensors say at once what lies there,
// and the dealer is nothing but the rail's.
type felt struct {
	*testing.T
	table *controller.Table
	rail  *rail
	rng   *rand.Rand
	deck  []card.Card
	lying map[card.Card]engine.Zone
	turn  uint64    // that has been answered
	since time.Time // since when
	codes map[string]int
	found int // amounts that the dealer has said

	mu   sync.Mutex
	last *controller.Update
}

func (f *felt) Append(...journal.Entry) error { return nil }
func (f *felt) Full() bool                    { return false }
func (f *felt) Rotate([]byte) error           { return nil }
func (f *felt) Checkpoint() ([]byte, error)   { return nil, nil }

func (f *felt) Publish(u *controller.Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = u
}

func (f *felt) update() *controller.Update {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// start runs the table until the test ends. Chips lie on scales if there are any, else they have tags.
func (f *felt) start(slips int, scales []Scale) {
	game, err := engine.GameNamed("holdem")
	if err != nil {
		f.Fatal(err)
	}
	house, err := engine.HouseNamed("tda")
	if err != nil {
		f.Fatal(err)
	}
	opt := controller.Options{
		Name: "demo/t1", Rules: &engine.Rules{Game: game, House: house, Stakes: engine.Stakes{SmallBlind: 2, BigBlind: 4}}, Tray: 8000,
		Timing: controller.Timing{ActionClock: time.Hour, ShowClock: time.Hour}, Button: 1, Log: slog.New(slog.DiscardHandler), Journal: f, Outputs: []controller.Output{f},
		Records: func(func(journal.Record, error) bool) {},
	}
	for seat := engine.Seat(1); seat <= 4; seat++ {
		p := controller.Player{Seat: seat, Player: fmt.Sprint("p", seat), Kind: controller.Felt, Stack: 300}
		if seat == 4 {
			p.Kind = controller.Remote
		}
		opt.Players = append(opt.Players, p)
	}
	f.rail = &rail{
		slips: newSlips(Options{Slips: slips, Seed: 7}), felt: engine.Seats(0).With(1).With(2).With(3), tray: opt.Tray,
		scales: map[engine.Zone]Scale{}, lies: map[engine.Zone]pile{}, cage: newCage(nil, scales),
	}
	opt.Zones = f.rail.places()
	if f.table, err = controller.New(opt); err != nil {
		f.Fatal(err)
	}
	ctx, stop := context.WithCancel(f.Context())
	done := make(chan error)
	go func() { done <- f.table.Run(ctx) }()
	f.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			f.Error(err)
		}
	})
	if scales == nil {
		f.rail.cage = cageOf(f.T, 250, 1, 5, 25, 100)
		worth := map[string]engine.Chips{}
		for v, tags := range f.rail.cage.tags {
			for _, tag := range tags {
				worth[tag] = v
			}
		}
		f.rail.seen = func(z engine.Zone) bool { return true }
		f.rail.tagged = func(z engine.Zone, tags []string) error {
			sum := engine.Chips(0)
			for _, tag := range tags {
				sum += worth[tag]
			}
			f.table.ChipsLie(ctx, z, sum, len(tags))
			return nil
		}
		return
	}
	f.rail.seen = func(engine.Zone) bool { return false }
	weighers := map[engine.Zone]*calibration.Weigher{}
	for _, z := range opt.Zones {
		s := scales[0]
		s.Zone = z
		f.rail.scales[z], weighers[z] = s, calibration.NewWeigher(s.Scale, f.table)
	}
	f.rail.weigh = func(s Scale, reading int64) error {
		for range 3 {
			weighers[s.Zone].Read(ctx, reading)
		}
		return nil
	}
}

// ask puts a request and reports whether it was done.
func (f *felt) ask(r controller.Request) bool {
	f.table.Ask(f.Context(), r)
	return f.update().Reply.OK
}

// step does one thing that is to be done, and lets some time pass.
func (f *felt) step() {
	u := f.update()
	view := engine.ViewFor(u.State, engine.Viewer{})
	if err := f.rail.follow(&view); err != nil {
		f.Fatal(err)
	}
	time.Sleep(time.Second)
	u = f.update()
	console := controller.Request{From: controller.Source{Console: "d1"}, ID: fmt.Sprint(time.Now())}
	switch a := u.State.Awaits(); {
	case len(u.Prompts) > 0:
		for i := range u.Prompts {
			f.codes[u.Prompts[i].Code]++
			choice, err := f.rail.answer(&u.Prompts[i])
			if err != nil {
				f.Fatal(err)
			}
			if choice != "" {
				console.Verb, console.Prompt, console.Choice = controller.VerbChoose, u.Prompts[i].ID, choice
				if !f.ask(console) && f.update().Reply.Code != controller.CodeNoPrompt { // the chips that another was about are moved
					f.Fatalf("%s is refused at %+v: %+v", choice, u.Prompts[i], f.update().Reply)
				}
				if strings.HasPrefix(choice, "is_") {
					f.found++
				}
				return
			}
		}
	case u.Instruction.Kind == "push" || u.Instruction.Kind == "count":
		f.codes[u.Instruction.Kind]++
		moved, err := f.rail.right(0)
		if err != nil {
			f.Fatal(err)
		}
		if console.Verb = controller.VerbChipsCounted; !moved && f.rail.still() == 0 && !f.ask(console) {
			f.Fatalf("the count is refused: %+v", f.update().Reply)
		}
	case u.Instruction.Kind == "collect":
		for c, z := range f.lying {
			f.table.CardGone(f.Context(), z, c)
		}
		clear(f.lying)
	case u.State.Phase == engine.Between:
		f.between(u, console)
	case a.Zone().Kind != 0:
		f.settled()
		if u = f.update(); len(u.Prompts) == 0 {
			c := f.deck[0]
			f.deck, f.lying[c] = f.deck[1:], a.Zone()
			f.table.CardPlaced(f.Context(), a.Zone(), c)
		}
	case a.Asked() != 0:
		f.act(u, a)
	default:
		f.Fatalf("the table awaits %+v, and the dealer is to %+v", a, u.Instruction)
	}
}

// settled waits for as long as the table may take to notice what lies wrong, and fails if it has not noticed.
func (f *felt) settled() {
	f.Helper()
	time.Sleep(15 * time.Second)
	u := f.update()
	if len(u.Prompts) > 0 || u.Instruction.Kind == "push" || u.Instruction.Kind == "count" {
		return
	}
	rest := f.rail.lies[trayZone].worth() + f.rail.lies[potZone].worth()
	for _, seat := range f.rail.felt.List() {
		p := &u.State.Seats[seat]
		stack, spot := f.rail.lies[stackOf(seat)].worth(), f.rail.lies[spotOf(seat)].worth()
		if stack != p.Stack || spot != p.Bet {
			f.Fatalf("hand %d: %d lie in the stack of seat %d and %d before it, the table has %d and %d, and asks nothing", u.State.Hand, stack, seat, spot, p.Stack, p.Bet)
		}
		rest += stack + spot
	}
	if want := 8000 + 3*300 + f.rail.brought; rest != want {
		f.Fatalf("%d chips lie at the felt, want %d", rest, want)
	}
}

// between starts the next hand. The chips must lie right before.
func (f *felt) between(u *controller.Update, console controller.Request) {
	for _, seat := range f.rail.felt.List() {
		if u.State.Seats[seat].Stack < 40 {
			console.Verb, console.Seat, console.Amount = controller.VerbAddChips, seat, 300
			if !f.ask(console) {
				f.Fatalf("chips are refused: %+v", f.update().Reply)
			}
			if err := f.rail.buy(seat, 300); err != nil {
				f.Fatal(err)
			}
			return
		}
	}
	if p := &u.State.Seats[4]; p.Stack < 40 {
		console.Verb, console.Seat, console.Amount = controller.VerbAddChips, 4, 300
		f.ask(console)
		return
	}
	f.settled()
	f.deck = card.French.Cards()
	f.rng.Shuffle(len(f.deck), func(i, j int) { f.deck[i], f.deck[j] = f.deck[j], f.deck[i] })
	console.Verb = controller.VerbStartHand
	f.ask(console) // the table says what is to be done if it does not start
}

// act has the seat in turn answer, once, and again by a key if the table has not noticed.
func (f *felt) act(u *controller.Update, a engine.Await) {
	again := f.turn == u.Turn
	if again && time.Since(f.since) < chipsSeen {
		return
	}
	f.turn, f.since = u.Turn, time.Now()
	ch := (&Table{}).choose(a.Seat, u.Turn, ask{kind: a.Kind, legal: a.Legal, mayMuck: a.MayMuck}, f.rng)
	r := controller.Request{From: controller.Source{Panel: a.Seat}, Verb: ch.verb, Amount: ch.amount, Turn: u.Turn}
	if a.Seat == 4 {
		r.From = controller.Source{Player: "p4"}
	} else if !again && (ch.verb == controller.VerbCall || ch.verb == controller.VerbBet || ch.verb == controller.VerbRaise) {
		m, err := f.rail.bet(a.Seat, ch.amount)
		if m == begun && err == nil {
			time.Sleep(betweenMotions)
			err = f.rail.again(a.Seat)
		}
		if err != nil {
			f.Fatal(err)
		}
		if m != said {
			return
		}
	}
	f.ask(r)
}

// play plays until something is so and so many hands are over, or fails after very many steps.
func (f *felt) play(hands uint64, so func() bool) {
	f.Helper()
	for n := 0; !so() || f.update().State.Hand < hands; n++ {
		if n == 20_000 {
			f.Fatalf("after %d hands: slips %v, prompts %v", f.update().State.Hand, f.rail.made, f.codes)
		}
		f.step()
	}
	f.Logf("%d hands: slips %v, prompts %v", f.update().State.Hand, f.rail.made, f.codes)
}

// Chips of several kinds on scales: where a weight may be several amounts, the dealer says which it is, and no other amount is ever
// taken for a bet, also where players make mistakes (procedures 21 to 26).
func TestMixedChipsByWeight(t *testing.T) {
	kinds := []calibration.ChipKind{{Value: 1, Weight: 8_000, Tolerance: 20}, {Value: 5, Weight: 8_900, Tolerance: 20}, {Value: 25, Weight: 10_030, Tolerance: 20}}
	scale := calibration.Scale{Zero: 84_000, Mark: 284_000, Known: 500_000, Noise: 100, Kinds: kinds}
	for _, slips := range []int{0, 20} {
		t.Run(fmt.Sprint(slips), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &felt{T: t, rng: rand.New(rand.NewPCG(4, 4)), lying: map[card.Card]engine.Zone{}, codes: map[string]int{}}
				f.start(slips, []Scale{{Scale: scale}})
				f.play(20, func() bool {
					return f.codes["chips_unsure"] > 0 && f.codes["unannounced"] > 0 && f.codes["count"] > 0 && f.found > 0
				})
			})
		})
	}
}

// Whatever players do wrong with their chips, the dealer is asked, and by the rules the hand ends with every chip where the table
// says: no wrong amount is accepted without a word (procedures 21 to 27).
func TestNoSlipIsAcceptedSilently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &felt{T: t, rng: rand.New(rand.NewPCG(3, 3)), lying: map[card.Card]engine.Zone{}, codes: map[string]int{}}
		f.start(40, nil)
		slips := []string{"over-chip", "own change", "undercall", "short raise", "two motions", "early into the pot", "left on the spot"}
		codes := []string{"over_chip", "change", "undercall", "chips_short", "two_motions", "in_pot", "not_collected", "give_back", "push"}
		seen := func() bool {
			return !slices.ContainsFunc(slips, func(s string) bool { return f.rail.made[s] < 3 }) &&
				!slices.ContainsFunc(codes, func(c string) bool { return f.codes[c] == 0 })
		}
		f.play(50, seen)
	})
}
