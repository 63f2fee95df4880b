package bonus

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

func TestFlops(t *testing.T) {
	byWeight := map[int64]int{}
	all := int64(0)
	for _, f := range Flops() {
		if f.Cards.Len() != 3 {
			t.Fatalf("%v is no flop", f.Cards)
		}
		byWeight[f.Weight]++
		all += f.Weight
	}
	// One suit or three of a kind; two suits or a pair; three suits.
	if byWeight[4] != 286+13 || byWeight[12] != 3*286+2*156 || byWeight[24] != 286 || all != 22_100 {
		t.Errorf("%v flops by weight, %d in all", byWeight, all)
	}
}

// Two cards on a board, against every hand of the house one by one.
func TestStandings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Of two suits alone, half of the time: flushes.
		deck := rapid.SampledFrom([]card.Set{card.French, 0x3_3333_3333_3333}).Draw(t, "deck").Cards()
		all := rapid.SliceOfNDistinct(rapid.SampledFrom(deck), 7, 7, rapid.ID).Draw(t, "hole cards and board")
		hole, board := card.SetOf(all[:2]...), card.SetOf(all[2:]...)

		var lead, ante int32
		mine := eval.Standard.Of(hole | board)
		for house := range pairs(card.French &^ (hole | board)) {
			switch s := eval.Standard.Of(house | board); {
			case s > mine:
				lead--
				ante--
			case s < mine:
				lead++
				if mine >= paysAnte {
					ante++
				}
			}
		}
		tx := textureOf(board)
		var st standing
		st.on(board, tx, plainOn(tx.counts))
		got := st[tx.kind(all[0])][tx.kind(all[1])]
		if got.lead() != lead || got.ante() != ante {
			t.Fatalf("%v on %v: lead %d, ante %d, want %d and %d", hole, board, got.lead(), got.ante(), lead, ante)
		}
	})
}

// Some hands on some flops, card by card and settled as at the table.
func TestEnumerateAgainstTheTable(t *testing.T) {
	if testing.Short() {
		t.Skip("two million deals a hand")
	}
	for _, c := range []struct{ flop, start string }{
		{"9cTdJh", "T9s"},
		{"5s6dKs", "65s"},
		{"AcAdKh", "AA"},
		{"3c3d3h", "A3s"},
	} {
		flop, start := cards(c.flop), starts(c.start)[0]
		got := Enumerate(Flop{Cards: flop, Weight: 1})[start]
		if want := played(flop, start); got != want {
			t.Errorf("%v on %s: %+v, want %+v", start, c.flop, got, want)
		}
	}
}

// played is what a starting hand sums up to on a flop, by the money that Settle hands back.
func played(flop card.Set, start Start) (s sum) {
	won := func(l Line, c Cards) int64 {
		stake := Stake{Ante: 1}
		return int64(Settle(stake, l, c).Total() - stake.Bets(l).Total())
	}
	each := func(cards card.Set, do func(card.Set)) {
		for _, c := range cards.Cards() {
			do(card.SetOf(c))
		}
	}
	for hole := range pairs(card.French &^ flop) {
		if StartOf(hole) != start {
			continue
		}
		var all int64 // what a bet before the turn wins
		each(card.French&^(flop|hole), func(turn card.Set) {
			var one int64 // what a bet before the river wins
			each(card.French&^(flop|hole|turn), func(river card.Set) {
				board := flop | turn | river
				for house := range pairs(card.French &^ (board | hole)) {
					deal := Cards{hole, house, board}
					plain := won(Line{Play: true}, deal)
					lead := won(Line{Play: true, River: true}, deal) - plain
					one += lead
					s.lead += lead
					s.ante += plain - 2*lead
				}
			})
			if all += one; one > 0 {
				s.river += one
				s.riverBets++
			}
		})
		if all > 0 {
			s.turn += all
			s.turnBets++
		}
		s.flops++
	}
	return s
}

// The whole enumeration, against the published figures.
func TestHouseEdge(t *testing.T) {
	if (testing.Short() || raceEnabled) && os.Getenv("TAVOLO_LONG") == "" {
		t.Skip("every hand there is")
	}
	odds := enumerateAll().Odds()
	for _, c := range []struct{ what, got, want string }{
		{"edge", odds.Edge.FloatString(8), "0.02036922"},
		{"wager", odds.Wager.FloatString(6), "3.818103"},
	} {
		if c.got != c.want {
			t.Errorf("%s %s, want %s", c.what, c.got, c.want)
		}
	}
	values := map[string]string{
		"32o": "-1.155927", "72o": "-1.031301", "82o": "-0.896002", "T2o": "-0.613979", "K2o": "-0.102668",
		"AA": "2.788899", "KK": "2.535691", "AKs": "1.194024", "AKo": "0.999317",
	}
	folds := map[string]bool{"32o": true, "42o": true, "52o": true, "62o": true, "72o": true}
	for _, so := range odds.Starts {
		name := so.Start.String()
		if want := values[name]; want != "" && so.Value.FloatString(6) != want {
			t.Errorf("%s is worth %s, want %s", name, so.Value.FloatString(6), want)
		}
		if so.Folds() != folds[name] {
			t.Errorf("%s: folds is %v", name, so.Folds())
		}
	}
}

// enumerateAll plays every flop, on all processors.
func enumerateAll() *Sums {
	all := new(Sums)
	var mu sync.Mutex
	var workers sync.WaitGroup
	n, every := runtime.GOMAXPROCS(0), Flops()
	for w := range n {
		workers.Go(func() {
			for i := w; i < len(every); i += n {
				sums := Enumerate(every[i])
				mu.Lock()
				all.Add(sums)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return all
}

func TestOddsWantEveryFlop(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("odds of one flop were taken for those of the game")
		}
	}()
	Enumerate(Flops()[0]).Odds()
}

func BenchmarkEnumerate(b *testing.B) {
	flop := Flop{Cards: cards("2c7dTh"), Weight: 24}
	for b.Loop() {
		Enumerate(flop)
	}
}
