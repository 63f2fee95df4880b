package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// powers reads names of powers in a script.
func (sc *script) powers(words []string) (set engine.PowerSet) {
	sc.must(set.UnmarshalText([]byte(strings.Join(words, " "))))
	return set
}

// sparks says what everybody has to pay for powers with.
func (sc *script) sparks() string {
	words := []string{"sparks"}
	for i, p := range sc.State.Seats {
		if p.Taken {
			words = append(words, fmt.Sprintf("%d:%d", i, p.Sparks))
		}
	}
	return strings.Join(words, " ")
}

// powerInput is what a seat does with powers: "peeks at Kd", "swaps 2c", "anchors 3", "shields", "accepts".
func (sc *script) powerInput(seat engine.Seat, words []string) (engine.Input, bool) {
	in := engine.Input{Kind: engine.PowerUsed, Seat: seat}
	last := words[len(words)-1]
	switch words[0] {
	case "peeks":
		in.Power, in.Card = engine.Peek, sc.cards(last)[0]
	case "swaps":
		in.Power, in.Card = engine.Swap, sc.cards(last)[0]
	case "anchors":
		in.Power, in.Target = engine.Anchor, sc.seat(last)
	case "shields":
		in.Power = engine.Shield
	case "accepts":
		in.Kind = engine.AnchorAccepted
	default:
		return in, false
	}
	return in, true
}

// powerWords is an event of powers in plain words, "" for any other.
func powerWords(e *engine.Event) string {
	switch e.Kind {
	case engine.HandBegan:
		if e.Carousel != 0 {
			return fmt.Sprintf("; powers %v", e.Carousel)
		}
	case engine.PowerPlayed:
		text := fmt.Sprintf("seat %d pays %d for %v", e.Seat, e.Sparks, e.Power)
		if e.Card != card.None {
			text += fmt.Sprintf(" of %v", e.Card)
		}
		if e.Target != 0 {
			text += fmt.Sprintf(" on seat %d", e.Target)
		}
		return text
	case engine.AnchorHeld:
		text := fmt.Sprintf("the anchor on seat %d holds", e.Seat)
		if e.Auto {
			text += ", out of time"
		}
		return text
	}
	return ""
}

// powerChoices are the powers a seat may use, in plain words.
func powerChoices(l engine.Legal) (may []string) {
	for _, p := range l.Powers.List() {
		text := p.String()
		if p == engine.Anchor {
			text += strings.ReplaceAll(strings.Trim(fmt.Sprint(l.Targets.List()), "[]"), " ", "/")
			text = strings.Replace(text, "anchor", "anchor ", 1)
		}
		may = append(may, text)
	}
	return may
}

// NK-25. The configuration asks how far ahead a shoe must read.
func TestNK25LooksAhead(t *testing.T) {
	for _, c := range []struct {
		house  string
		powers *engine.Powers
		want   int
	}{
		{"naiko", engine.Naiko, 1},
		{"tda", engine.Naiko, 2},
		{"naiko", nil, 0},
	} {
		r := engine.Rules{Game: gameNamed(t, "holdem"), House: houseNamed(t, c.house), Powers: c.powers}
		if got := r.LooksAhead(); got != c.want {
			t.Errorf("%s, powers %v: %d cards ahead, want %d", c.house, c.powers != nil, got, c.want)
		}
	}
}

// NK-02. Powers are for games with a board.
func TestNK02PowersNeedABoard(t *testing.T) {
	for game, ok := range map[string]bool{"holdem": true, "omaha": true, "stud": false, "draw5": false, "telesina": false} {
		r := engine.Rules{
			Game: gameNamed(t, game), House: houseNamed(t, "naiko"), Powers: engine.Naiko,
			Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2, BringIn: 1},
		}
		if err := r.Validate(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "powers") {
			t.Errorf("%s: %v", game, err)
		}
	}
}

// NK-02. Without Powers in the rules there are none.
func TestNK02NoPowers(t *testing.T) {
	s := facingABet(t)
	for _, p := range []engine.Power{engine.Peek, engine.Swap, engine.Anchor, engine.Shield} {
		_, _, err := engine.Apply(s, engine.Input{Kind: engine.PowerUsed, Seat: s.Turn, Power: p, Card: card.MustParse("2c")[0], Target: 1})
		var rule *engine.RuleError
		if !errors.As(err, &rule) || rule.Code != engine.CodeNoPower {
			t.Errorf("%v: %v", p, err)
		}
	}
	if a := s.Awaits(); a.Legal.Powers != 0 || s.Seats[1].Sparks != 0 {
		t.Errorf("powers are offered: %+v", a)
	}
	s, _, _ = engine.Apply(s, engine.Input{Kind: engine.HandVoided})
	if _, _, err := engine.Apply(s, engine.Input{Kind: engine.HandStarted, Carousel: engine.Naiko.Carousels[0]}); err == nil {
		t.Error("a hand starts with a carousel")
	}
}

// NK-21. A shoe that has no more than the burns and the board to come gives no card for a swap.
func TestNK21LeavesTheBoardItsCards(t *testing.T) {
	for deck, ok := range map[string]bool{"2c3c4c5c6c7c8c9cTcJcQcKc": false, "2c3c4c5c6c7c8c9cTcJcQcKcAc": true} {
		game := *gameNamed(t, "holdem")
		game.Deck = card.SetOf(card.MustParse(deck)...)
		tb := newTable(t, &engine.Rules{
			Game: &game, House: houseNamed(t, "tda"), Powers: engine.Naiko, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2},
		})
		for seat := engine.Seat(1); seat <= 2; seat++ {
			tb.apply(engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: 100})
		}
		start := engine.Input{Kind: engine.HandStarted, Carousel: engine.Naiko.Carousels[0]}
		tb.apply(start)
		tb.apply(engine.Input{Kind: engine.HandVoided})
		tb.apply(start)
		for tb.State.Awaits().Kind == engine.AwaitHole {
			tb.apply(engine.Input{Kind: engine.CardRead, Card: (tb.State.Rules.Game.Deck &^ tb.State.Out).Cards()[0]})
		}
		seat := tb.State.Turn
		_, err := tb.apply(engine.Input{Kind: engine.PowerUsed, Seat: seat, Power: engine.Swap, Card: tb.State.Seats[seat].Hole[0]})
		if (err == nil) != ok {
			t.Errorf("a deck of %d: %v", game.Deck.Len(), err)
		}
	}
}

// NK-11. Every carousel is three of the four, and none has a shield with nothing to answer.
func TestNK11Carousels(t *testing.T) {
	seen := map[engine.PowerSet]bool{}
	for _, set := range engine.Naiko.Carousels {
		if len(set.List()) != 3 || seen[set] || set.Has(engine.Shield) && !set.Has(engine.Anchor) {
			t.Errorf("%v", set)
		}
		seen[set] = true
		var back engine.PowerSet
		if err := back.UnmarshalText([]byte(set.String())); err != nil || back != set {
			t.Errorf("%v reads back as %v: %v", set, back, err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d carousels, want 3", len(seen))
	}
	var set engine.PowerSet
	if err := set.UnmarshalText([]byte("peek steal")); err == nil {
		t.Error("there is a power to steal")
	}
}

// NK-20. A card that was peeked is told to who peeked, and to nobody else.
func TestNK20Redact(t *testing.T) {
	two := card.MustParse("2c")[0]
	for _, power := range []engine.Power{engine.Peek, engine.Swap} {
		e := engine.Event{Kind: engine.PowerPlayed, Seat: 3, Power: power, Card: two, Sparks: 1}
		hidden := e
		hidden.Card = card.Hidden
		for viewer, want := range map[engine.Viewer]engine.Event{{}: hidden, {Seat: 2}: hidden, {Seat: 3}: e, {All: true}: e} {
			if got := engine.Redact(e, viewer); got != want {
				t.Errorf("%+v sees %+v", viewer, got)
			}
		}
	}
	anchor := engine.Event{Kind: engine.PowerPlayed, Seat: 3, Power: engine.Anchor, Target: 4, Sparks: 2}
	if got := engine.Redact(anchor, engine.Viewer{}); got != anchor {
		t.Errorf("the public sees %+v", got)
	}
}
