package play

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tavolo/engine"
	"tavolo/engine/card"
)

// name is what a seat's player is called.
func (t *table) name(seat engine.Seat) string {
	if seat == 0 {
		return "The house"
	}
	if p := t.player(seat); p != nil && p.Name != "" {
		return p.Name
	}
	return fmt.Sprintf("Seat %d", seat)
}

// streetName is the felt's word for a street of the game.
func (t *table) streetName(street int8) string {
	if g, err := engine.GameNamed(t.state.View.Game); err == nil && int(street) < len(g.Streets) {
		return g.Streets[street].Name
	}
	return fmt.Sprintf("street %d", street+1)
}

// rules names the game, the limit and the stakes.
func (t *table) rules() string {
	v := &t.state.View
	game := v.Game
	if g, err := engine.GameNamed(v.Game); err == nil {
		game = g.Title
	}
	if v.Bank != nil {
		return game + ", " + boxStakes(&v.Stakes)
	}
	stakes := amount(v.Stakes.SmallBlind) + "/" + amount(v.Stakes.BigBlind)
	if v.Stakes.SmallBet > 0 {
		stakes += ", bets " + amount(v.Stakes.SmallBet) + "/" + amount(v.Stakes.BigBet)
	}
	if v.Stakes.Ante > 0 {
		stakes += ", ante " + amount(v.Stakes.Ante)
	}
	limit := v.Limit + " limit"
	if v.Limit == engine.NoLimit.String() {
		limit = v.Limit
	}
	return game + ", " + limit + ", " + stakes
}

// boxStakes names the stakes against the house.
func boxStakes(st *engine.StakesView) string {
	text := "ante " + amount(st.MinAnte) + " to " + amount(st.MaxAnte)
	if st.MaxBonus > 0 {
		text += ", bonus bet " + amount(st.MinBonus) + " to " + amount(st.MaxBonus)
	}
	return text
}

// awaited says what the table waits for.
func (t *table) awaited() string {
	a := t.state.View.Awaits
	switch {
	case len(t.state.Holds) > 0:
		return "The table stands still: " + strings.Join(t.state.Holds, "; ") + "."
	case a.Kind == engine.AwaitBurn:
		return "A card is to be burned."
	case a.Kind == engine.AwaitHole && a.Seat == 0:
		return fmt.Sprintf("Card %d of %d to the house.", a.Number, a.Of)
	case a.Kind == engine.AwaitHole:
		return fmt.Sprintf("Card %d of %d to %s.", a.Number, a.Of, t.name(a.Seat))
	case a.Kind == engine.AwaitBoard:
		return fmt.Sprintf("Card %d of %d of the %s.", a.Number, a.Of, t.state.View.Street)
	case a.Kind == engine.AwaitReload:
		return "The discards are shuffled into the shoe."
	case a.Kind == engine.AwaitDiscard:
		return t.name(a.Seat) + " is to draw."
	case a.Kind == engine.AwaitAction:
		return t.name(a.Seat) + " is to act."
	case a.Kind == engine.AwaitShield:
		return t.name(engine.Await{Kind: a.Kind, Seat: a.Seat}.Asked()) + " may shield against an anchor."
	case a.Kind == engine.AwaitReveal && a.MayMuck:
		return t.name(a.Seat) + " shows or mucks."
	case a.Kind == engine.AwaitReveal:
		return t.name(a.Seat) + " shows."
	}
	if t.state.View.Bank != nil {
		return "Bets are open."
	}
	return "Waiting for the next hand."
}

// tell says what an event means, as a line of the log; no text for what needs no line.
func (t *table) tell(e *engine.Event) entry {
	name, chips := t.name(e.Seat), amount(e.Amount)
	say := func(format string, args ...any) entry { return entry{text: fmt.Sprintf(format, args...)} }
	switch e.Kind {
	case engine.PlayerSat:
		return say("%s sits down with %s.", name, chips)
	case engine.StackAdded:
		return say("%s adds %s.", name, chips)
	case engine.PlayerSatOut:
		return say("%s sits out.", name)
	case engine.PlayerSatIn:
		return say("%s is back.", name)
	case engine.PlayerLeft:
		return say("%s leaves with %s.", name, chips)
	case engine.ButtonMoved:
		return say("The button moves to seat %d.", e.Button)
	case engine.HandBegan:
		return say("Hand %d.", e.Hand)
	case engine.AntePosted:
		return say("%s pays an ante of %s.", name, chips)
	case engine.BlindPosted:
		return say("%s posts %s.", name, t.blind(e)+chips)
	case engine.DeadPosted:
		return say("%s pays a missed blind of %s.", name, chips)
	case engine.BoardDealt:
		return entry{text: upper(t.street) + ":", cards: []card.Card{e.Card}, street: t.street}
	case engine.CardsDiscarded:
		return say("%s.", t.drew(e))
	case engine.ShoeReloaded:
		return say("%s discards are shuffled into the shoe.", chips)
	case engine.PlayerActed:
		return say("%s.", t.acted(e))
	case engine.UncalledReturned:
		return say("%s goes back to %s, uncalled.", chips, name)
	case engine.ShowdownOpened:
		if e.AllIn {
			return say("All in: the hands are turned up.")
		}
		return say("Showdown.")
	case engine.HandShown:
		cards := e.Cards.Slice()
		return entry{text: name + " shows", cards: cards, holds: t.makes(cards)}
	case engine.HandMucked:
		return say("%s mucks.", name)
	case engine.RakeTaken:
		return say("The house takes %s.", chips)
	case engine.PotAwarded:
		if e.Pot > 0 {
			return say("%s wins %s from side pot %d.", name, chips, e.Pot)
		}
		return say("%s wins %s.", name, chips)
	case engine.StakePlaced:
		switch {
		case e.Amount == 0:
			return say("%s takes the bets back.", name)
		case e.Bonus > 0:
			return say("%s bets an ante of %s, and %s on the bonus.", name, chips, amount(e.Bonus))
		}
		return say("%s bets an ante of %s.", name, chips)
	case engine.BoxSettled:
		switch {
		case e.Amount+e.Bonus == 0:
			return say("%s loses.", name)
		case e.Amount == 0:
			return say("The house hands %s %s for the bonus bet.", name, amount(e.Bonus))
		case e.Bonus > 0:
			return say("The house hands %s %s, and %s for the bonus bet.", name, chips, amount(e.Bonus))
		}
		return say("The house hands %s %s.", name, chips)
	case engine.HandCalledOff:
		if e.Reason == "" {
			return say("The hand is void.")
		}
		return say("The hand is void: %s.", clean(e.Reason))
	case engine.BetRefunded:
		return say("%s goes back to %s.", chips, name)
	}
	return entry{}
}

// blind names the blind that was posted, in front of its amount.
func (t *table) blind(e *engine.Event) string {
	switch {
	case e.Live:
		return ""
	case e.Seat == t.smallBlind:
		return "the small blind, "
	case e.Seat == t.bigBlind:
		return "the big blind, "
	}
	return ""
}

func (t *table) acted(e *engine.Event) string {
	s := t.name(e.Seat)
	if e.Auto {
		s += " runs out of time and"
	}
	switch e.Action {
	case engine.Call:
		s += " calls " + amount(e.Amount)
	case engine.Bet:
		s += " bets " + amount(e.To)
	case engine.Raise:
		s += " raises to " + amount(e.To)
	case engine.BringIn:
		s += " brings in with " + amount(e.To)
	case engine.Split:
		s += " would split the pot"
	default:
		s += " " + e.Action.String() + "s"
	}
	if e.AllIn {
		s += ", all in"
	}
	return s
}

// drew says what a seat exchanges.
func (t *table) drew(e *engine.Event) string {
	s := t.name(e.Seat)
	switch {
	case e.Auto:
		return s + " runs out of time and stands pat"
	case e.Amount == 0:
		return s + " stands pat"
	}
	return s + " draws " + amount(e.Amount)
}

// short says in a word or two what a seat did, for its place on the screen.
func (t *table) short(e *engine.Event) string {
	switch e.Kind {
	case engine.BlindPosted:
		if blind, _, ok := strings.Cut(strings.TrimPrefix(t.blind(e), "the "), ","); ok {
			return blind
		}
		return "posts"
	case engine.CardsDiscarded:
		if e.Amount == 0 {
			return "stands pat"
		}
		return "draws " + amount(e.Amount)
	case engine.PlayerActed:
		switch {
		case e.AllIn:
			return "all in"
		case e.Action == engine.BringIn:
			return "brings in"
		case e.Action == engine.Split:
			return "would split"
		}
		return e.Action.String() + "s"
	case engine.HandShown:
		return "shows"
	case engine.HandMucked:
		return "mucks"
	case engine.PotAwarded:
		return "wins " + amount(e.Amount)
	case engine.BoxSettled:
		if back := e.Amount + e.Bonus; back > 0 {
			return "gets " + amount(back)
		}
		return "loses"
	}
	return ""
}

// option is one thing the player may do in a turn.
type option struct {
	key  string // on the keyboard
	text string
}

// options are what the player may do in their turn.
func (t *table) options() []option {
	if t.turn == nil {
		return t.betOptions()
	}
	if t.turn.Kind == engine.AwaitShield {
		return t.powerOptions()
	}
	if t.turn.Kind == engine.AwaitDiscard {
		most := strconv.Itoa(int(t.turn.Most))
		return []option{{"1-" + strconv.Itoa(len(t.cards())), "choose cards"}, {"d", "discard up to " + most}, {"p", "stand pat"}}
	}
	if t.turn.Kind == engine.AwaitReveal {
		opts := []option{{"s", "show"}}
		if t.turn.MayMuck {
			opts = append(opts, option{"m", "muck"})
		}
		return opts
	}
	l := t.turn.Legal
	var opts []option
	switch {
	case l.BringIn > 0:
		opts = append(opts, option{"c", "bring in with " + amount(l.BringIn)})
	case l.NoFold:
		opts = append(opts, option{"c", "check"})
	case l.Check:
		opts = append(opts, option{"f", "fold"}, option{"c", "check"})
	case l.ToCall == 0:
		opts = append(opts, option{"f", "fold"})
	default:
		opts = append(opts, option{"f", "fold"}, option{"c", "call " + amount(l.ToCall)})
	}
	if l.Raise {
		key, verb := "r", "raise to "
		if l.Opens {
			key, verb = "b", "bet "
		}
		text := verb + amount(l.MinTo)
		switch {
		case l.TwoSizes:
			text += " or " + amount(l.MaxTo)
		case l.MaxTo > l.MinTo:
			text += " up to " + amount(l.MaxTo)
		}
		opts = append(opts, option{key, text})
	}
	if l.AllIn > 0 {
		opts = append(opts, option{"a", "all-in " + amount(l.AllIn)})
	}
	if l.Split {
		opts = append(opts, option{"x", "split the pot"})
	}
	return append(opts, t.powerOptions()...)
}

// betOptions are what the player may do while bets against the house are open.
func (t *table) betOptions() []option {
	l, open := t.open()
	if !open {
		return nil
	}
	opts := []option{{"b", "bet an ante of " + amount(l.MinTo) + " up to " + amount(l.MaxTo)}}
	if ante, _ := t.staked(); ante > 0 {
		opts = append(opts, option{"n", "bonus bet"}, option{".", "take back"})
	}
	return append(opts, option{"0", "the same again"})
}

// reconnecting says why there is no connection to the broker, as far as that is known.
func reconnecting(err error) string {
	switch op, ok := errors.AsType[*net.OpError](err); {
	case err == nil:
		return "reconnecting"
	case ok:
		return "reconnecting to the broker: " + clean(op.Err.Error())
	}
	return "reconnecting: " + clean(err.Error())
}

// amount writes chips for people: 12,500.
func amount(c engine.Chips) string {
	s := strconv.FormatInt(int64(c), 10)
	digits := strings.TrimPrefix(s, "-")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return s[:len(s)-len(strings.TrimPrefix(s, "-"))] + digits
}

// seconds rounds up, so that 0 is over.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// upper begins a text with a capital.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
