package eval

import "testing"

func TestHandsInEnglish(t *testing.T) {
	for _, c := range []struct{ cards, want string }{
		{"", "no hand"},
		{"9h", "nine high"},
		{"AcJd9h5s2c", "ace high"},
		{"6c6dKhQs2c", "pair of sixes"},
		{"8s8c7d7hKd", "two pair, eights and sevens"},
		{"2c2d2hKs9c", "three of a kind, twos"},
		{"Ac2d3h4s5c", "five-high straight"},
		{"AcKdQhJsTc", "ace-high straight"},
		{"Kh7h5h3h2h", "king-high flush"},
		{"AcAdAhKsKc", "full house, aces over kings"},
		{"AcAdKhKsKc", "full house, kings over aces"},
		{"JcJdJhJs6c", "four of a kind, jacks"},
		{"Ts9s8s7s6s", "ten-high straight flush"},
		{"AdKdQdJdTd", "royal flush"},
	} {
		if got := Standard.Of(hand(c.cards)).String(); got != c.want {
			t.Errorf("%s is %q, want %q", c.cards, got, c.want)
		}
	}
}
