package play

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tavolo/engine/card"
)

// style is a way to show text: parameters of the terminal's SGR sequence. Only the sixteen colours that every terminal
// has are used, and none carries a meaning alone, so that nothing is lost where there are none.
type style string

const (
	plain   style = ""
	bold    style = "1"
	faint   style = "2"
	reverse style = "7"
	good    style = "32"
	bad     style = "1;31"
	urgent  style = "1;33"
)

// suits are the styles and signs of the four-colour deck, by card.Suit.
var suits = [...]struct {
	style style
	sign  string
}{
	card.Clubs:    {"1;32", "♣"},
	card.Diamonds: {"1;94", "♦"},
	card.Hearts:   {"1;31", "♥"},
	card.Spades:   {"1", "♠"},
}

// of shows a text in the style.
func (s style) of(text string) string {
	if s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// face draws one card.
func face(c card.Card) string {
	if !c.Known() {
		return faint.of("▒▒")
	}
	s := suits[c.Suit()]
	return s.style.of(c.String()[:1] + s.sign)
}

// faces draws cards side by side.
func faces(cards []card.Card) string {
	drawn := make([]string, len(cards))
	for i, c := range cards {
		drawn[i] = face(c)
	}
	return strings.Join(drawn, " ")
}

// fit puts a styled text at the left of a width, cutting what is too long.
func fit(s string, width int) string {
	width = max(0, width)
	s = ansi.Truncate(s, width, "…")
	return s + strings.Repeat(" ", width-ansi.StringWidth(s))
}

// packed puts texts after each other into lines of a width at most, the first one by itself.
func packed(texts []string, width int) []string {
	lines := texts[:1:1]
	for i, s := range texts[1:] {
		last := &lines[len(lines)-1]
		if i == 0 || ansi.StringWidth(*last)+2+ansi.StringWidth(s) > width {
			lines = append(lines, s)
		} else {
			*last += "  " + s
		}
	}
	return lines
}

// centre puts a block of lines, left-aligned among themselves, into the middle of a width.
func centre(block []string, width int) []string {
	widest := 0
	for _, s := range block {
		widest = max(widest, ansi.StringWidth(s))
	}
	indent := strings.Repeat(" ", max(0, (width-widest)/2))
	placed := make([]string, len(block))
	for i, s := range block {
		placed[i] = fit(indent+s, width)
	}
	return placed
}

// ends puts one text at the left and one at the right of a width.
func ends(left, right string, width int) string {
	room := width - ansi.StringWidth(right)
	if room < 1 {
		return fit(left, width)
	}
	return fit(left, room) + right
}

// line is a line of a block, "" beyond its end.
func line(block []string, i int) string {
	if i < len(block) {
		return block[i]
	}
	return ""
}

func rule(width int) string { return faint.of(strings.Repeat("─", width)) }

// seconds rounds up, so that 0 is over.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
