package bonus

import (
	"errors"
	"testing"

	"tavolo/engine/card"
)

func cards(s string) card.Set { return card.SetOf(card.MustParse(s)...) }

// What is left over of seven cards decides nothing.
func TestBP01BestFiveOfSeven(t *testing.T) {
	for _, c := range []struct {
		box, house, board string
		want              int64 // of an ante of 10 and a flop bet of 20
	}{
		{"Ac8d", "Ad6c", "KcKdQhQsJd", 30},
		{"Ac8d", "Ad9c", "KcKdQhJs2d", 30},
		{"Ac8d", "Ad7c", "KcKdQh3s2d", 50},
		{"2c2d", "3c3d", "KcKdKhKsAd", 30},
	} {
		got := Settle(Stake{Ante: 10}, Line{Play: true}, Cards{cards(c.box), cards(c.house), cards(c.board)}).Total()
		if got != c.want {
			t.Errorf("%s against %s on %s gets %d back, want %d", c.box, c.house, c.board, got, c.want)
		}
	}
}

func TestBP02Stakes(t *testing.T) {
	const below, above = "below", "above"
	for _, c := range []struct {
		ante, bonus int64
		want        Stake
		out         string // of the limits
	}{
		{ante: 30, want: Stake{Ante: 30}},
		{ante: 2, bonus: 1, want: Stake{2, 1}},
		{ante: 1000, bonus: 25, want: Stake{1000, 25}},
		{ante: 1, bonus: 5, want: Stake{2, 5}}, // raised to the minimum
		{ante: 0, bonus: 5, out: below},
		{ante: -2, out: below},
		{ante: 1001, out: above},
		{ante: 2, bonus: 26, out: above},
		{ante: 2, bonus: -1, out: below},
	} {
		got, err := DefaultLimits.Stake(c.ante, c.bonus)
		if got != c.want {
			t.Errorf("%d and %d: %+v, want %+v", c.ante, c.bonus, got, c.want)
		}
		refusal, refused := errors.AsType[*OutOfLimits](err)
		if (err != nil) != (c.out != "") || refused != (err != nil) || refused && refusal.Above != (c.out == above) {
			t.Errorf("%d and %d: error %v, want one %s the limits", c.ante, c.bonus, err, c.out)
		}
	}
}

func TestBP03And04Bets(t *testing.T) {
	for _, c := range []struct {
		line Line
		want Bets
	}{
		{Line{}, Bets{Ante: 10, Bonus: 3}},
		{Line{Play: true}, Bets{Ante: 10, Bonus: 3, Flop: 20}},
		{Line{Play: true, Turn: true}, Bets{Ante: 10, Bonus: 3, Flop: 20, Turn: 10}},
		{Line{Play: true, River: true}, Bets{Ante: 10, Bonus: 3, Flop: 20, River: 10}},
		{Line{Play: true, Turn: true, River: true}, Bets{Ante: 10, Bonus: 3, Flop: 20, Turn: 10, River: 10}},
	} {
		if got := (Stake{Ante: 10, Bonus: 3}).Bets(c.line); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.line, got, c.want)
		}
	}
}

func TestBP05Settlement(t *testing.T) {
	all := Line{Play: true, Turn: true, River: true}
	for _, c := range []struct {
		why, box, house, board string
		line                   Line
		want                   Bets
	}{
		{"lower: all lost", "KcQd", "AcAd", "2c3d7h9sTd", all, Bets{}},
		{"equal: all returned", "Ac8d", "Ad6c", "Kc Kd Qh Qs Jd", all, Bets{Ante: 10, Flop: 20, Turn: 10, River: 10}},
		{"three of a kind: the ante is returned", "9c9d", "AcAd", "2c3d7h9sTd", all, Bets{Ante: 10, Flop: 40, Turn: 20, River: 20}},
		{"the lowest straight: the ante pays", "Ac5d", "KcKd", "2c3d4hTsTd", all, Bets{Ante: 20, Flop: 40, Turn: 20, River: 20}},
		{"a flush: the ante pays", "Ah5h", "KcKd", "2h3h9hTsTd", all, Bets{Ante: 20, Flop: 40, Turn: 20, River: 20}},
		{"bets not made win nothing", "Ah5h", "KcKd", "2h3h9hTsTd", Line{Play: true}, Bets{Ante: 20, Flop: 40}},
		{"a straight that ties is returned", "9c2d", "9d3d", "5c6d7h8sKd", Line{Play: true}, Bets{Ante: 10, Flop: 20}},
		{"folded, whatever comes", "AcAd", "2c7d", "AhAs3c4d9h", Line{}, Bets{}},
	} {
		got := Settle(Stake{Ante: 10}, c.line, Cards{cards(c.box), cards(c.house), cards(c.board)})
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
}

func TestBP06BonusBet(t *testing.T) {
	for _, c := range []struct {
		box, house string
		pays       int64
	}{
		{"AcAd", "AhAs", 1000},
		{"AcAd", "AhKs", 30},
		{"AcKc", "AhAs", 25},
		{"AcQc", "2h2s", 20},
		{"AcJc", "2h2s", 20},
		{"AcKd", "2h2s", 15},
		{"KcKd", "KhKs", 10},
		{"QcQd", "2h2s", 10},
		{"JcJd", "2h2s", 10},
		{"AcQd", "2h2s", 5},
		{"AcJd", "2h2s", 5},
		{"TcTd", "2h2s", 3},
		{"2c2d", "2h2s", 3},
		{"AcTc", "AhAs", 0},
		{"KcQc", "AhAs", 0},
	} {
		if got := BonusPays(cards(c.box), cards(c.house)); got != c.pays {
			t.Errorf("%s against %s pays %d, want %d", c.box, c.house, got, c.pays)
		}
		want := int64(0)
		if c.pays > 0 {
			want = 5 + 5*c.pays
		}
		folded := Settle(Stake{Ante: 10, Bonus: 5}, Line{}, Cards{Box: cards(c.box), House: cards(c.house)})
		if folded != (Bets{Bonus: want}) {
			t.Errorf("%s folded: %+v, want %d for the bonus bet alone", c.box, folded, want)
		}
	}
}

func TestBP06HouseEdge(t *testing.T) {
	if got := BonusEdge().String(); got != "13873/162435" {
		t.Errorf("%s, want 13873/162435", got)
	}
}

// A box that never answers has folded, one that stops answering checks.
func TestBP07OutOfTime(t *testing.T) {
	stake := Stake{Ante: 10}
	if got := stake.Bets(Line{}).Total(); got != 10 {
		t.Errorf("a box out of time before the flop has bet %d, want the ante of 10 alone", got)
	}
	if got := stake.Bets(Line{Play: true}).Total(); got != 30 {
		t.Errorf("a box out of time after the flop has bet %d, want ante and flop bet, 30", got)
	}
}

// Players behind a box have money of their own on its cards and its decisions.
func TestBP09BehindABox(t *testing.T) {
	line := Line{Play: true, River: true}
	deal := Cards{cards("9c9d"), cards("AcAd"), cards("2c3d7h9sTd")}
	for _, c := range []struct {
		stake Stake
		want  Bets
	}{
		{Stake{Ante: 10}, Bets{Ante: 10, Flop: 40, River: 20}},
		{Stake{Ante: 100, Bonus: 25}, Bets{Ante: 100, Bonus: 100, Flop: 400, River: 200}},
	} {
		if got := Settle(c.stake, line, deal); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.stake, got, c.want)
		}
	}
}

func TestSettleWantsAllCards(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a box that played was settled without a river")
		}
	}()
	Settle(Stake{Ante: 10}, Line{Play: true}, Cards{cards("9c9d"), cards("AcAd"), cards("2c3d7h9s")})
}

func TestStartsAreTheSquare(t *testing.T) {
	combos := map[Start]int{}
	for two := range pairs(card.French) {
		combos[StartOf(two)]++
	}
	names := map[string]bool{}
	for s := range Start(Starts) {
		names[s.String()] = true
		if combos[s] != s.Combos() {
			t.Errorf("%v has %d combos, want %d", s, s.Combos(), combos[s])
		}
	}
	if len(names) != Starts {
		t.Errorf("%d names for %d hands", len(names), Starts)
	}
	for hand, want := range map[string]string{"2c2d": "22", "Ah7h": "A7s", "7dAh": "A7o", "KsAs": "AKs"} {
		if got := StartOf(cards(hand)).String(); got != want {
			t.Errorf("%s is %s, want %s", hand, got, want)
		}
	}
}
