package phh

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tavolo/engine/card"
)

// parseAction reads one entry of actions as it stands after the earlier ones: c is moved on by it. The amount of a bet
// is given apart, since the scale is not known yet.
func parseAction(text string, c *cards) (Action, decimal, error) {
	notation, note, _ := strings.Cut(text, "#")
	a := Action{Player: Dealer, Note: strings.TrimSpace(note)}
	words := strings.Fields(notation)
	if len(words) == 0 {
		return a, decimal{}, nil
	}
	var amount decimal
	var err error
	if words[0] == "d" {
		err = a.deal(words[1:], c)
	} else {
		amount, err = a.act(words, c)
	}
	if err == nil {
		err = c.move(a)
	}
	return a, amount, err
}

// deal reads what follows "d".
func (a *Action) deal(words []string, c *cards) (err error) {
	switch {
	case len(words) == 2 && words[0] == "db":
		a.Kind = DealBoard
	case len(words) == 3 && words[0] == "dh":
		a.Kind = DealHole
		if a.Player, err = parsePlayer(words[1], c); err != nil {
			return err
		}
	default:
		return errors.New("the dealer's actions are: d dh p1 CARDS, d db CARDS")
	}
	a.Cards, err = parseCards(words[len(words)-1])
	return err
}

// act reads a player's action.
func (a *Action) act(words []string, c *cards) (amount decimal, err error) {
	if a.Player, err = parsePlayer(words[0], c); err != nil {
		return amount, err
	}
	if len(words) == 1 {
		return amount, errors.New("the verb is missing: f, cc, cbr, pb, sd or sm")
	}
	verb, rest := words[1], words[2:]
	kind := slices.Index(verbs[:], verb)
	if a.Kind = Kind(max(kind, 0)); a.Kind < BringIn {
		return amount, fmt.Errorf("unknown verb %q: want f, cc, cbr, pb, sd or sm", verb)
	}
	switch {
	case a.Kind == BetRaise && len(rest) == 1:
		if amount, err = parseDecimal(rest[0]); err == nil && amount.sign() <= 0 {
			err = fmt.Errorf("bet of %s: the amount must be more than 0", rest[0])
		}
	case a.Kind == BetRaise:
		err = fmt.Errorf("%s wants one amount", verb)
	case a.Kind == Anchor && len(rest) == 1:
		a.Target, err = parsePlayer(rest[0], c)
	case a.Kind == Anchor:
		err = fmt.Errorf("%s wants one player", verb)
	case a.Kind == Peek, a.Kind == Swap:
		if len(rest) == 1 {
			a.Cards, err = parseCards(rest[0])
		}
		if err == nil && len(a.Cards) != 1 {
			err = fmt.Errorf("%s wants one card", verb)
		}
	case len(rest) == 0:
	case len(rest) > 1 || a.Kind != Discard && a.Kind != ShowOrMuck:
		err = fmt.Errorf("unexpected %q after %s", rest[len(rest)-1], verb)
	case a.Kind == ShowOrMuck && rest[0] == "-":
		a.Cards, err = c.shown(a.Player)
	default:
		a.Cards, err = parseCards(rest[0])
	}
	return amount, err
}

func parsePlayer(s string, c *cards) (int, error) {
	players := len(c.hole)
	digits, ok := strings.CutPrefix(s, "p")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || strconv.Itoa(n) != digits {
		return 0, fmt.Errorf("unknown actor %q: want d or a player p1 to p%d", s, players)
	}
	if n < 1 || n > players {
		return 0, fmt.Errorf("there is no %s: the players are p1 to p%d", s, players)
	}
	return n - 1, nil
}

func parseCards(s string) ([]card.Card, error) {
	cards, err := card.ParseAll(s)
	if err != nil {
		return nil, err
	}
	for i, x := range cards {
		if x.Known() && slices.Contains(cards[:i], x) {
			return nil, fmt.Errorf("duplicate card: %v twice in %s", x, s)
		}
	}
	return cards, nil
}
