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

func TestHandsOfOtherRankingsInEnglish(t *testing.T) {
	for _, c := range []struct {
		ranking     Ranking
		cards, want string
	}{
		{Soko, "KhQh7h2h9c", "four-flush, king high"},
		{Soko, "KhQsJsTs2c", "four-straight, king high"},
		{Stripped, "Ac7d8h9sTc", "ten-high straight"},
		{Stripped, "AcKcQc9c7c", "ace-high flush"},
		{Draw32, "AcKcQc9c7c", "ace-high flush"},
		{Draw32, "AhKhQhJhTh", "royal flush"},
		{Telesina, "AcKcQc9c7c", "flush of clubs"},
		{Telesina, "9h8h7hThAh", "ten-high straight flush"},
		{Telesina, "AcAdKhKsKcQd", "full house, kings over aces"},
		{LowAceFive, "7c5d4h3sAc", "seven-five low"},
		{LowAceFive, "Ac2c3c4c5cKdKh", "five-four low"},
		{LowAceFive, "Ac", "ace low"},
		{LowAceFive, "AcAd", "pair of aces"},
		{EightOrBetter, "8c5d4h3sAc", "eight-five low"},
		{EightOrBetter, "9c5d4h3sAc", "no hand"},
		{EightOrBetter, "5d4h3sAc", "no hand"},
		{DeuceSeven, "7c5d4h3s2c", "seven-five low"},
		{DeuceSeven, "7c7d4h3s2c", "pair of sevens"},
		{DeuceSeven, "6c5d4h3s2c", "six-high straight"},
		{Badugi, "Tc5d4hAs", "badugi, ten-five-four-ace"},
		{Badugi, "Tc5d4hAh", "three cards, ten-five-ace"},
		{Badugi, "6h4h7hJd", "two cards, jack-four"},
		{Badugi, "2c2d2h2s", "one card, two"},
	} {
		if got := c.ranking.Of(hand(c.cards)).String(); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.ranking.Name, c.cards, got, c.want)
		}
	}
}
