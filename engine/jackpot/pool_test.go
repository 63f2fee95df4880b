package jackpot_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tavolo/engine/jackpot"
)

var beat = jackpot.Beat{Losers: []jackpot.Seat{2}, Winners: []jackpot.Seat{1}, Dealt: seats(3)}

// shared makes a Pool for several goroutines of a Fund, as a studio does.
type shared struct {
	mu   sync.Mutex
	fund *jackpot.Fund
}

func (s *shared) Add(hand jackpot.HandID, growth int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fund.Add(hand, growth)
}

func (s *shared) Pay(hand jackpot.HandID, b jackpot.Beat) (jackpot.Payout, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fund.Pay(hand, b)
}

func (s *shared) Level() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fund.Level()
}

var (
	_ jackpot.Pool = (*jackpot.Fund)(nil)
	_ jackpot.Pool = (*shared)(nil)
)

// TestNXB7OncePerHand: asked again, a fund adds and pays nothing more, and gives the first answer.
func TestNXB7OncePerHand(t *testing.T) {
	fund := jackpot.NewFund(1000)
	hand := jackpot.HandID{Table: "milano-1", Hand: 7}
	want := jackpot.Split(1050, beat)
	for i := range 3 {
		if err := fund.Add(hand, 50); err != nil {
			t.Fatal(err)
		}
		got, err := fund.Pay(hand, beat)
		if err != nil || !slices.Equal(got.Payments, want.Payments) || got.Left != want.Left {
			t.Errorf("answer %d: %+v, %v; want %+v", i+1, got, err, want)
		}
		got.Payments[0].Amount = 0 // what a caller does with an answer does not reach the books
	}
	if got, want := fund.Level(), int64(1050-420-210-3*70); got != want {
		t.Errorf("level %d, want %d", got, want)
	}
}

// TestNXB7OtherHandsArePaid: the same hand number at another table is another hand.
func TestNXB7OtherHandsArePaid(t *testing.T) {
	fund := jackpot.NewFund(1000)
	for _, table := range []string{"a", "b"} {
		payout, err := fund.Pay(jackpot.HandID{Table: table, Hand: 1}, beat)
		if err != nil || len(payout.Payments) == 0 {
			t.Errorf("table %s: %+v, %v", table, payout, err)
		}
	}
	if got := fund.Level(); got >= 300 {
		t.Errorf("level %d after two payouts", got)
	}
}

// TestFundRefuses: what would corrupt the books is refused and leaves them as they were.
func TestFundRefuses(t *testing.T) {
	fund := jackpot.NewFund(1000)
	hand := jackpot.HandID{Table: "a", Hand: 1}
	if err := fund.Add(hand, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := fund.Pay(hand, beat); err != nil {
		t.Fatal(err)
	}
	level := fund.Level()
	if err := fund.Add(hand, 11); !errors.Is(err, jackpot.ErrOtherwise) {
		t.Errorf("another growth: %v", err)
	}
	if _, err := fund.Pay(hand, jackpot.Beat{Losers: []jackpot.Seat{3}, Winners: []jackpot.Seat{1}, Dealt: seats(3)}); !errors.Is(err, jackpot.ErrOtherwise) {
		t.Errorf("another loser: %v", err)
	}
	for _, growth := range []int64{-1, math.MaxInt64} {
		if err := fund.Add(jackpot.HandID{Table: "a", Hand: 2}, growth); err == nil {
			t.Errorf("a growth of %d was taken", growth)
		}
	}
	if fund.Level() != level {
		t.Errorf("level %d, want %d", fund.Level(), level)
	}
	if err := fund.Add(jackpot.HandID{Table: "a", Hand: 2}, 5); err != nil || fund.Level() != level+5 {
		t.Errorf("after a refusal the hand's right growth: level %d, %v", fund.Level(), err)
	}
}

// TestNXB7TablesAtOnce: tables that add and pay at the same time, each saying everything twice, lose and duplicate nothing.
func TestNXB7TablesAtOnce(t *testing.T) {
	const tables, hands, growth, start = 8, 200, 7, 100_000
	var pool jackpot.Pool = &shared{fund: jackpot.NewFund(start)}
	paid := make([]int64, tables)
	var wg sync.WaitGroup
	for table := range tables {
		wg.Go(func() {
			for n := range uint64(hands) {
				hand := jackpot.HandID{Table: string(rune('a' + table)), Hand: n}
				for range 2 {
					if err := pool.Add(hand, growth); err != nil {
						t.Error(err)
					}
				}
				if n%50 != 49 {
					continue
				}
				payout, err := pool.Pay(hand, beat)
				again, errAgain := pool.Pay(hand, beat)
				if err != nil || errAgain != nil || !slices.Equal(payout.Payments, again.Payments) {
					t.Errorf("paid %+v, then %+v; %v, %v", payout, again, err, errAgain)
				}
				for _, p := range payout.Payments {
					paid[table] += p.Amount
				}
			}
		})
	}
	wg.Wait()
	sum := pool.Level()
	for _, p := range paid {
		sum += p
	}
	if want := int64(start + tables*hands*growth); sum != want {
		t.Errorf("%d in the pool and paid, want %d", sum, want)
	}
}

// TestNXB7BooksAddUp: over any calls, repeated in any way, what was added first is what was paid first and the level.
func TestNXB7BooksAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(0, 1e9).Draw(t, "start")
		fund := jackpot.NewFund(start)
		added, paid := map[jackpot.HandID]int64{}, map[jackpot.HandID]int64{}
		anyHand := rapid.Custom(func(t *rapid.T) jackpot.HandID {
			return jackpot.HandID{Table: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "table"), Hand: rapid.Uint64Range(1, 3).Draw(t, "hand")}
		})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				hand, growth := anyHand.Draw(t, "hand"), rapid.Int64Range(0, 3).Draw(t, "growth")
				before, known := added[hand]
				if err := fund.Add(hand, growth); (err != nil) != (known && before != growth) {
					t.Fatalf("%v adds %d, before %d: %v", hand, growth, before, err)
				}
				if !known {
					added[hand] = growth
				}
			},
			"pay": func(t *rapid.T) {
				hand := anyHand.Draw(t, "hand")
				payout, err := fund.Pay(hand, beat)
				if err != nil {
					t.Fatal(err)
				}
				var sum int64
				for _, p := range payout.Payments {
					sum += p.Amount
				}
				if before, known := paid[hand]; known && before != sum {
					t.Fatalf("%v is paid %d, before %d", hand, sum, before)
				}
				paid[hand] = sum
			},
			"": func(t *rapid.T) {
				want := start
				for _, a := range added {
					want += a
				}
				for _, p := range paid {
					want -= p
				}
				if fund.Level() != want {
					t.Fatalf("level %d, want %d", fund.Level(), want)
				}
			},
		})
	})
}
