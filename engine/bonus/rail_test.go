package bonus

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/card"
)

func put(t *testing.T, r Rail, player string, box int, ante, bonus int64) Rail {
	t.Helper()
	after, err := r.Put(Behind{Player: player, Box: box, Stake: Stake{ante, bonus}})
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// TestBP09TheRailFollowsItsBoxes: any number of players behind a box, each with money of his own on what the box decides.
func TestBP09TheRailFollowsItsBoxes(t *testing.T) {
	r := put(t, Rail{}, "bruno", 2, 10, 5)
	r = put(t, r, "alice", 2, 20, 0)
	r = put(t, r, "alice", 1, 2, 1)
	r = put(t, r, "dario", 3, 2, 0)
	before := r
	r = put(t, r, "bruno", 2, 30, 5) // in place of the other
	r = put(t, r, "carla", 2, 4, 0)
	r = put(t, r, "carla", 2, 0, 0) // taken back
	if len(before.Open) != 4 || before.Open[2].Ante != 10 {
		t.Errorf("a rail was changed: %+v", before.Open)
	}
	r = r.Deal(func(box int) bool { return box != 3 })
	if len(r.Open) != 0 || len(r.InPlay) != 3 {
		t.Fatalf("dealt: %+v", r)
	}
	next := put(t, r, "emma", 2, 2, 0) // for the deal after
	board := cards("2c3d7h9sTd")
	after := next.Settle(func(box int) (Line, Cards) {
		if box == 1 { // folded, with a hand that the bonus bet wins with
			return Line{}, Cards{Box: cards("KcKd"), House: cards("AcAd"), Board: board}
		}
		return Line{Play: true, River: true}, Cards{Box: cards("9c9d"), House: cards("AcAd"), Board: board}
	})
	want := []Settled{
		{Behind{"alice", 1, Stake{2, 1}}, Bets{Ante: 2, Bonus: 1}, Bets{Bonus: 11}},
		{Behind{"alice", 2, Stake{20, 0}}, Bets{Ante: 20, Flop: 40, River: 20}, Bets{Ante: 20, Flop: 80, River: 40}},
		{Behind{"bruno", 2, Stake{30, 5}}, Bets{Ante: 30, Bonus: 5, Flop: 60, River: 30}, Bets{Ante: 30, Bonus: 20, Flop: 120, River: 60}},
	}
	if !slices.Equal(after.Settled, want) {
		t.Errorf("settled\n%+v, want\n%+v", after.Settled, want)
	}
	if again := after.Deal(func(int) bool { return true }); len(again.Settled) != 0 {
		t.Errorf("the next deal has those of the last: %+v", again.Settled)
	}
	if after.Won != 3-11+80-140+125-230 || len(after.InPlay) != 0 || len(after.Open) != 1 {
		t.Errorf("afterwards %+v", after)
	}
	if off := next.CallOff(); off.Won != 0 || len(off.InPlay) != 0 || len(off.Open) != 1 {
		t.Errorf("called off: %+v", off)
	}
}

// Behind a box that folded unseen nobody knows whether the bonus bet wins.
func TestRailBehindCardsNobodySaw(t *testing.T) {
	r := put(t, Rail{}, "alice", 1, 2, 1).Deal(func(int) bool { return true })
	for _, c := range []Cards{{}, {Box: cards("AcAd")}, {House: cards("AcAd")}} {
		if after := r.Settle(func(int) (Line, Cards) { return Line{}, c }); after.Settled[0].Back != (Bets{Bonus: 1}) || after.Won != 2 {
			t.Errorf("%+v: %+v, the house won %d", c, after.Settled, after.Won)
		}
	}
}

func TestRailHasAnEnd(t *testing.T) {
	r := Rail{}
	for i := range MaxBehind {
		r.Open = append(r.Open, Behind{Player: fmt.Sprintf("p%05d", i), Box: 1, Stake: Stake{Ante: 2}})
	}
	if _, err := r.Put(Behind{Player: "one more", Box: 1, Stake: Stake{Ante: 2}}); err == nil {
		t.Error("there is room without end")
	}
	if _, err := r.Put(Behind{Player: "p00007", Box: 1, Stake: Stake{Ante: 4}}); err != nil {
		t.Errorf("who is there already: %v", err)
	}
}

// Chips are conserved, and every stake is settled as the box would be with that stake.
func TestRailConservesChips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var r Rail
		for i := range rapid.IntRange(0, 20).Draw(rt, "stakes") {
			b := Behind{Player: fmt.Sprint("p", i%5), Box: rapid.IntRange(1, 4).Draw(rt, "box")}
			b.Stake = Stake{rapid.Int64Range(0, 1000).Draw(rt, "ante"), rapid.Int64Range(0, 25).Draw(rt, "bonus")}
			r, _ = r.Put(b)
		}
		if !slices.IsSortedFunc(r.Open, byBox) {
			rt.Fatalf("not in order: %+v", r.Open)
		}
		deck := rapid.Permutation(card.French.Cards()).Draw(rt, "deck")
		outcome := func(box int) (Line, Cards) {
			l := Line{Play: box != 1, Turn: box == 2, River: box >= 3}
			return l, Cards{Box: card.SetOf(deck[2*box:][:2]...), House: card.SetOf(deck[:2]...), Board: card.SetOf(deck[20:25]...)}
		}
		after := r.Deal(func(box int) bool { return box < 4 }).Settle(outcome)
		var players int64
		for _, s := range after.Settled {
			line, c := outcome(s.Box)
			if s.Bets != s.Stake.Bets(line) || s.Back != Settle(s.Stake, line, c) || s.Box == 4 {
				rt.Fatalf("%+v", s)
			}
			players += s.Back.Total() - s.Bets.Total()
		}
		if players+after.Won != 0 {
			rt.Fatalf("the players won %d, the house %d", players, after.Won)
		}
	})
}
