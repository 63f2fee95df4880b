package hands

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// looker is the seat that the hands are told to.
const looker engine.Seat = 1

// play is a table that plays by chance: what happened, told to the looker, and how the table was after it.
type play struct {
	t      *testing.T
	random *rand.Rand
	state  engine.State
	deck   []card.Card
	events []mqtt.EventPayload
	views  map[uint64]engine.View // by the number of the last event
	steps  [][]engine.Event       // of the hand in play, as they were
	// seen is what happened that the pictures must have shown.
	seen struct{ sides, rewound, moved, won int }
}

// newPlay seats three players.
func newPlay(t *testing.T, game string, limit engine.Limit, stakes engine.Stakes, seed uint64) *play {
	t.Helper()
	g, err := engine.GameNamed(game)
	if err != nil {
		t.Fatal(err)
	}
	h, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	p := &play{t: t, random: rand.New(rand.NewPCG(seed, 0)), views: map[uint64]engine.View{}}
	p.state.Rules = &engine.Rules{Game: g, House: h, Limit: limit, Stakes: stakes}
	for seat := range engine.Seat(3) {
		p.do(engine.Input{Kind: engine.SeatTaken, Seat: seat + 1, Amount: 200})
	}
	return p
}

func (p *play) do(in engine.Input) {
	p.t.Helper()
	after, events, err := engine.Apply(p.state, in)
	if err != nil {
		p.t.Fatal(err)
	}
	if in.Kind == engine.HandStarted {
		p.steps = nil
	}
	p.steps = append(p.steps, slices.Clone(events))
	for i, e := range events {
		p.events = append(p.events, mqtt.EventPayload{
			Head: mqtt.Head{Epoch: 1, Seq: p.state.Seq + uint64(i) + 1}, Hand: after.Hand, Event: engine.Redact(e, engine.Viewer{Seat: looker}),
		})
	}
	p.state = after
	p.views[after.Seq] = engine.ViewFor(after, engine.Viewer{Seat: looker})
}

// step does what is awaited.
func (p *play) step() {
	p.t.Helper()
	switch a := p.state.Awaits(); a.Kind {
	case engine.AwaitAction:
		if p.random.IntN(25) == 0 && !p.state.Rules.Game.Banked() {
			rewind := engine.Rewind{Keep: 1 + p.random.IntN(len(p.steps)-1), Steps: p.steps}
			p.do(engine.Input{Kind: engine.Rewound, Rewind: &rewind, Reason: "the wrong seat acted"})
			p.shuffle()
			p.seen.rewound++
			return
		}
		p.act(a)
	case engine.AwaitDiscard:
		in := engine.Input{Kind: engine.Discarded, Seat: a.Seat}
		copy(in.Cards[:p.random.IntN(int(a.Of)+1)], p.state.Seats[a.Seat].Hole[:])
		p.do(in)
	case engine.AwaitReveal:
		p.do(engine.Input{Kind: engine.Shown, Seat: a.Seat})
	case engine.AwaitNothing:
		p.start()
	default:
		p.do(engine.Input{Kind: engine.CardRead, Card: p.deck[0]})
		p.deck = p.deck[1:]
	}
}

func (p *play) act(a engine.Await) {
	l, in := a.Legal, engine.Input{Kind: engine.Acted, Seat: a.Seat}
	switch {
	case l.BringIn > 0:
		in.Action = engine.BringIn
	case l.Raise && p.random.IntN(4) == 0:
		in.Action, in.Amount = engine.Raise, l.MinTo
		if p.random.IntN(3) == 0 {
			in.Amount = l.MaxTo
		}
		if l.Opens {
			in.Action = engine.Bet
		}
	case l.Check:
		in.Action = engine.Check
	case l.ToCall > 0 && p.random.IntN(4) > 0:
		in.Action = engine.Call
	default:
		in.Action = engine.Fold
	}
	p.do(in)
}

// start begins a hand with a fresh deck. Who has lost all brings more, and at times somebody adds chips, or what was won turns
// out to be another's.
func (p *play) start() {
	if e := p.events[max(0, len(p.events)-2)].Event; e.Kind == engine.PotAwarded && p.random.IntN(4) == 0 {
		p.do(engine.Input{Kind: engine.AwardReversed, Seat: e.Seat, Target: e.Seat%3 + 1, Amount: 1, Reason: "misread"})
		p.seen.moved++
	}
	for seat := range engine.Seat(3) {
		if s := seat + 1; p.state.Seats[s].Stack < 40 || p.random.IntN(8) == 0 {
			p.do(engine.Input{Kind: engine.ChipsAdded, Seat: s, Amount: 200})
		}
		if p.state.Rules.Game.Banked() {
			p.do(engine.Input{Kind: engine.Staked, Seat: seat + 1, Amount: 5, Bonus: engine.Chips(p.random.IntN(2))})
			p.do(engine.Input{Kind: engine.Staked, Seat: seat + 1, Amount: 3, Bonus: 1})
		}
	}
	p.do(engine.Input{Kind: engine.HandStarted})
	p.shuffle()
}

// shuffle makes a stub of the cards that are not out.
func (p *play) shuffle() {
	p.deck = slices.DeleteFunc(p.state.Rules.Game.Deck.Cards(), p.state.Out.Has)
	p.random.Shuffle(len(p.deck), func(i, j int) { p.deck[i], p.deck[j] = p.deck[j], p.deck[i] })
}

// TestHandsAreWhatWasPlayed: of the events alone, and of what is on the table now, follows what was on it at every time.
func TestHandsAreWhatWasPlayed(t *testing.T) {
	blinds := engine.Stakes{SmallBlind: 1, BigBlind: 2}
	fixed := engine.Stakes{SmallBlind: 1, BigBlind: 2, SmallBet: 2, BigBet: 4}
	for _, c := range []struct {
		game   string
		limit  engine.Limit
		stakes engine.Stakes
	}{
		{"holdem", engine.NoLimit, blinds},
		{"omaha8", engine.PotLimit, blinds},
		{"stud", engine.FixedLimit, engine.Stakes{Ante: 1, BringIn: 1, SmallBet: 2, BigBet: 4}},
		{"draw5", engine.FixedLimit, fixed},
		{"badugi", engine.FixedLimit, fixed},
		{"bonus", engine.FixedLimit, engine.Stakes{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25}},
	} {
		t.Run(c.game, func(t *testing.T) {
			p := newPlay(t, c.game, c.limit, c.stakes, 7)
			for p.state.Hand < 30 || p.state.Phase != engine.Between {
				p.step()
			}
			p.do(engine.Input{Kind: engine.ChipsAdded, Seat: 2, Amount: 50}) // and something after the last hand
			now := mqtt.StatePayload{Head: mqtt.Head{Epoch: 1, Seq: p.state.Seq}, View: p.views[p.state.Seq]}
			hands := Of(p.events, now)
			if len(hands) != 30 {
				t.Fatalf("%d hands of 30", len(hands))
			}
			for i := range hands {
				p.compare(&hands[i])
			}
			if s := p.seen; !p.state.Rules.Game.Banked() && (s.rewound == 0 || s.moved == 0 || s.won == 0 || s.sides == 0 && c.limit == engine.NoLimit) {
				t.Errorf("not all has happened: %+v", s)
			}
			if part := Of(p.events[len(p.events)/2:], now); len(part) == 0 || len(part) >= 30 || !reflect.DeepEqual(part, hands[30-len(part):]) {
				t.Errorf("of half of the events come %d hands, or other ones", len(part))
			}
		})
	}
}

// compare holds the steps of a hand against what the table was.
func (p *play) compare(h *Hand) {
	p.t.Helper()
	if h.Events[0].Event.Kind != engine.HandBegan || h.Events[len(h.Events)-1].Event.Kind != engine.HandEnded {
		p.t.Fatalf("hand %d begins with %v and ends with %v", h.Number(), h.Events[0].Event.Kind, h.Events[len(h.Events)-1].Event.Kind)
	}
	compared := 0
	for e, s := range h.Steps() {
		want, ok := p.views[e.Seq]
		if !ok {
			continue // in the midst of what an input did
		}
		compared++
		// Pots that are paid one by one, and a hand that is over, the table shows otherwise.
		over := want.Phase == engine.Between
		if over {
			s.View.Board, s.View.Hand = want.Board, want.Hand
		}
		if !over && want.Bank == nil && !slices.EqualFunc(s.View.Pots, want.Pots, func(a, b engine.PotView) bool {
			return a.Amount == b.Amount && slices.Equal(a.Seats, b.Seats)
		}) {
			p.t.Errorf("hand %d, event %d %v: pots %v, want %v", h.Number(), e.Seq, e.Event.Kind, s.View.Pots, want.Pots)
		}
		if len(s.View.Pots) > 1 {
			p.seen.sides++
		}
		if s.View.Hand != want.Hand || !slices.Equal(s.View.Board, want.Board) || !over && want.Bank == nil && s.View.Total != want.Total ||
			!over && s.View.Street != want.Street || s.View.Button != want.Button {
			p.t.Errorf("hand %d, event %d %v: hand %d, board %v, total %d, street %q, want %d, %v, %d, %q", h.Number(), e.Seq, e.Event.Kind,
				s.View.Hand, s.View.Board, s.View.Total, s.View.Street, want.Hand, want.Board, want.Total, want.Street)
		}
		for i, seat := range s.View.Seats {
			w := want.Seats[i]
			won := func(mine, best []card.Card) bool { return len(mine) == 0 || slices.Equal(mine, best) }
			p.seen.won += len(seat.Best)
			if !won(seat.Best, w.Best) || !won(seat.BestLow, w.BestLow) {
				p.t.Errorf("hand %d: seat %d wins with %v and %v, want %v and %v", h.Number(), seat.Seat, seat.Best, seat.BestLow, w.Best, w.BestLow)
			}
			if seat.Stack != w.Stack || !over && (seat.Live != w.Live || !slices.Equal(seat.Cards, w.Cards) && w.Live || seat.Bet != w.Bet && want.Bank == nil) {
				p.t.Errorf("hand %d, event %d %v: seat %d is %+v, want %+v", h.Number(), e.Seq, e.Event.Kind, seat.Seat, seat, w)
			}
		}
	}
	if compared < 3 {
		p.t.Errorf("hand %d: only %d steps compared", h.Number(), compared)
	}
}

// TestAHandThatIsNotWholeIsNone: neither one whose beginning is missing, nor the one in play.
func TestAHandThatIsNotWholeIsNone(t *testing.T) {
	p := newPlay(t, "holdem", engine.NoLimit, engine.Stakes{SmallBlind: 1, BigBlind: 2}, 2)
	for p.state.Hand < 2 || p.state.Street == 0 {
		p.step()
	}
	now := mqtt.StatePayload{Head: mqtt.Head{Epoch: 1, Seq: p.state.Seq}, View: p.views[p.state.Seq]}
	if hands := Of(p.events, now); len(hands) != 1 || hands[0].Number() != 1 {
		t.Errorf("%d hands, want the first alone", len(hands))
	}
	began := slices.IndexFunc(p.events, func(e mqtt.EventPayload) bool { return e.Event.Kind == engine.HandBegan })
	if hands := Of(p.events[began+1:], now); len(hands) != 0 {
		t.Errorf("%d hands of what begins in the midst of one", len(hands))
	}
	if hands := Of(nil, now); len(hands) != 0 {
		t.Errorf("%d hands of nothing", len(hands))
	}
}
