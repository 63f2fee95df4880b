package engine_test

import (
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// facingABet is a nine-handed table with a bet to meet, the state that most inputs find.
func facingABet(tb testing.TB) engine.State {
	s := engine.State{Rules: &engine.Rules{
		Game: gameNamed(tb, "holdem"), House: houseNamed(tb, "tda"), Stakes: engine.Stakes{SmallBlind: 5, BigBlind: 10},
	}}
	for seat := engine.Seat(1); seat <= 9; seat++ {
		s, _, _ = engine.Apply(s, engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: 1000})
	}
	s, _, _ = engine.Apply(s, engine.Input{Kind: engine.HandStarted})
	for c := card.Card(1); s.Phase == engine.Dealing; c++ {
		s, _, _ = engine.Apply(s, engine.Input{Kind: engine.CardRead, Card: c})
	}
	return s
}

func BenchmarkApply(b *testing.B) {
	s := facingABet(b)
	in := engine.Input{Kind: engine.Acted, Seat: s.Turn, Action: engine.Raise, Amount: 30}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := engine.Apply(s, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	s := facingABet(b)
	in := engine.Input{Kind: engine.Acted, Seat: s.Turn, Action: engine.Raise, Amount: 30}
	events := make([]engine.Event, 0, 32)
	b.ReportAllocs()
	for b.Loop() {
		next := s
		var err error
		if events, err = engine.Step(&next, in, events[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAwaits(b *testing.B) {
	s := facingABet(b)
	b.ReportAllocs()
	for b.Loop() {
		if s.Awaits().Kind != engine.AwaitAction {
			b.Fatal("no action awaited")
		}
	}
}

var copied engine.State

func BenchmarkStateCopy(b *testing.B) {
	s := facingABet(b)
	for b.Loop() {
		copied = s
	}
}

func BenchmarkView(b *testing.B) {
	s := facingABet(b)
	b.ReportAllocs()
	for b.Loop() {
		engine.ViewFor(s, engine.Viewer{Seat: 3})
	}
}

// BenchmarkHand plays whole hands of nine seats to the showdown, every card and decision an input.
func BenchmarkHand(b *testing.B) {
	start := facingABet(b)
	start, _, _ = engine.Apply(start, engine.Input{Kind: engine.HandVoided})
	events := make([]engine.Event, 0, 32)
	inputs := 0
	b.ReportAllocs()
	for b.Loop() {
		s := start
		in := engine.Input{Kind: engine.HandStarted}
		for next := card.Card(1); ; {
			inputs++
			var err error
			if events, err = engine.Step(&s, in, events[:0]); err != nil {
				b.Fatal(err)
			}
			switch a := s.Awaits(); a.Kind {
			case engine.AwaitAction:
				in = engine.Input{Kind: engine.Acted, Seat: a.Seat, Action: engine.Call}
				if a.Legal.Check {
					in.Action = engine.Check
				}
			case engine.AwaitReveal:
				in = engine.Input{Kind: engine.ClockRanOut, Seat: a.Seat}
			default:
				in = engine.Input{Kind: engine.CardRead, Card: next}
				next++
			}
			if s.Phase == engine.Between {
				break
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hands/s")
	b.ReportMetric(float64(inputs)/float64(b.N), "inputs/hand")
}
