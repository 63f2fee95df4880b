package play

import (
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"tavolo/display/text"
	"tavolo/engine"
	"tavolo/engine/card"
)

// keptLog is how many lines of the log are kept; more than any window is high.
const keptLog = 200

// entry is a line of the log, in no language yet.
type entry struct {
	// what is the event's name, or one that the page has too: small_blind, big_blind, post, antes, board, gap, and restart.
	what  string
	event engine.Event
	name  string // who sat at the event's seat, "" where nobody is known
	cards []card.Card
	holds string // what the cards made
	on    int    // how many cards lay on the board after it
}

// note adds a line to the log.
func (t *table) note(e entry) {
	if len(t.log) == keptLog {
		t.log = append(t.log[:0], t.log[1:]...)
	}
	t.log = append(t.log, e)
}

// tell adds an event to the log, if it is worth a line. The antes of a hand share a line, and so do the cards of a street.
func (t *table) tell(e *engine.Event) {
	line := entry{what: e.Kind.String(), event: *e, cards: e.Cards.Slice(), on: len(t.board)}
	if p := t.player(e.Seat); p != nil {
		line.name = p.Name
	}
	var last *entry
	if n := len(t.log); n > 0 {
		last = &t.log[n-1]
	}
	switch e.Kind {
	case engine.CardBurned, engine.BettingOpened, engine.TurnPassed, engine.BetsCollected, engine.DrawClosed, engine.HandEnded:
		return // seen in the picture
	case engine.StreetOpened:
		line.what = "board" // its cards are to come
	case engine.AntePosted:
		if line.what = "antes"; last != nil && last.what == line.what {
			last.event.Amount += e.Amount
			return
		}
	case engine.BlindPosted:
		line.what = t.blind(e)
	case engine.BoardDealt:
		if line.what, line.cards = "board", []card.Card{e.Card}; last != nil && last.what == line.what {
			last.cards, last.on = append(slices.Clone(last.cards), e.Card), line.on
			return
		}
	case engine.HoleDealt:
		if !e.Up || e.Seat == 0 {
			return
		}
		line.cards = []card.Card{e.Card}
	case engine.HandShown:
		line.holds = t.makes(line.cards)
	}
	t.note(line)
}

// key is that of the text of a line.
func (e *entry) key() string {
	v := &e.event
	switch e.what {
	case "player_acted":
		switch key := "log." + v.Action.String(); {
		case v.Auto:
			return key + ".auto"
		case v.AllIn:
			return key + ".all_in"
		default:
			return key
		}
	case "stake_placed":
		switch {
		case v.Bonus > 0:
			return "log.stake_placed.bonus"
		case v.Amount > 0:
			return "log.stake_placed"
		}
		return "log.stake_placed.back"
	case "box_settled":
		switch {
		case v.Amount > 0:
			return "log.box_settled"
		case v.Bonus > 0:
			return "log.box_settled.bonus"
		}
		return "log.box_settled.lost"
	case "cards_discarded":
		switch v.Amount {
		case 0:
			return "log.cards_discarded.none"
		case 1:
			return "log.cards_discarded.one"
		}
	case "power_played":
		return "log." + v.Power.String()
	case "board":
		if e.on >= 3 {
			return "log.board." + strconv.Itoa(e.on)
		}
	case "showdown_opened":
		if v.AllIn {
			return "log.showdown_opened.all_in"
		}
	case "pot_awarded":
		key := "log.pot_awarded"
		if v.Pot > 0 {
			key += ".side"
		}
		if v.Low {
			key += ".low"
		}
		return key
	}
	return "log." + e.what
}

// line says a line of the log, with its cards as show writes them; "" where there are no words for it.
func (t *table) line(e *entry, show func([]card.Card) string) string {
	key := e.key()
	if !t.words.Has(key) || e.what == "board" && len(e.cards) == 0 {
		return ""
	}
	v := &e.event
	name, amount := e.name, v.Amount
	if name == "" {
		name = t.name(v.Seat)
	}
	if e.what == "box_settled" {
		amount += v.Bonus
	}
	s := t.words.Say(key, text.V{
		"name": name, "amount": t.words.Money(amount), "bonus": t.words.Money(v.Bonus), "to": t.words.Money(v.To),
		"hand": strconv.FormatUint(v.Hand, 10), "button": strconv.Itoa(int(v.Button)), "pot": strconv.Itoa(int(v.Pot)),
		"target": t.name(v.Target), "reason": t.words.Reason(v.Reason), "cards": show(e.cards),
	})
	if e.holds != "" {
		s += ", " + e.holds
	}
	return s
}

// name is what a seat's player is called.
func (t *table) name(seat engine.Seat) string {
	if seat == 0 {
		return t.words.Say("house")
	}
	if p := t.player(seat); p != nil && p.Name != "" {
		return p.Name
	}
	return t.words.Say("seat", text.V{"seat": strconv.Itoa(int(seat))})
}

// rules names the game, the limit and the stakes.
func (t *table) rules() string {
	v, st := &t.state.View, &t.state.View.Stakes
	game := t.words.Named("game", v.Game)
	amounts := text.V{
		"small": t.words.Money(st.SmallBlind), "big": t.words.Money(st.BigBlind), "ante": t.words.Money(st.Ante),
		"min": t.words.Money(st.MinAnte), "max": t.words.Money(st.MaxAnte),
	}
	if st.SmallBet > 0 {
		amounts["small"], amounts["big"] = t.words.Money(st.SmallBet), t.words.Money(st.BigBet)
	}
	key := "stakes"
	switch {
	case v.Bank != nil:
		return game + ", " + t.words.Say("stakes.bank", amounts)
	case st.Ante > 0 && st.BigBlind+st.BigBet > 0:
		key = "stakes.ante"
	case st.Ante > 0:
		key = "stakes.ante_alone"
	}
	return game + ", " + t.words.Named("limit", v.Limit) + ", " + t.words.Say(key, amounts)
}

// messages say who won, or what the table waits for.
func (t *table) messages() (all []string) {
	if len(t.state.Holds) > 0 {
		for _, reason := range t.state.Holds {
			all = append(all, t.words.Say("note.hold", text.V{"reason": t.words.Told(reason)}))
		}
		return all
	}
	for seat := range t.won {
		if won := t.won[seat]; won > 0 {
			all = append(all, t.wins(engine.Seat(seat), won, t.low[seat])...)
		}
	}
	if len(all) > 0 {
		return all
	}
	return []string{t.awaited()}
}

// wins says what a seat won and with what, the half of the high hand and that of the low one, where there are both.
func (t *table) wins(seat engine.Seat, won, low engine.Chips) (all []string) {
	holds := ""
	if p := t.place(seat); p != nil {
		holds = t.words.Holds(clean(p.Holds))
	}
	high, below, _ := strings.Cut(holds, "; ")
	for _, half := range []struct {
		amount engine.Chips
		holds  string
	}{{won - low, high}, {low, below}} {
		key := "wins"
		if half.holds != "" {
			key = "wins.holds"
		}
		if half.amount > 0 {
			all = append(all, t.words.Say(key, text.V{"name": t.name(seat), "amount": t.words.Money(half.amount), "holds": half.holds}))
		}
	}
	return all
}

// lastHand says who won the hand before, until the first round of this one is over: where hands follow each other quickly there
// would be no time to see it otherwise.
func (t *table) lastHand() string {
	if t.state.View.Phase == engine.Between || len(t.board) > 0 {
		return ""
	}
	var winners []string
	for seat, won := range t.last {
		if won > 0 {
			winners = append(winners, t.words.Say("wins", text.V{"name": t.name(engine.Seat(seat)), "amount": t.words.Money(won)}))
		}
	}
	if len(winners) == 0 {
		return ""
	}
	return t.words.Say("wins.last", text.V{"winners": strings.Join(winners, ", ")})
}

// awaited says what the table waits for.
func (t *table) awaited() string {
	a := t.state.View.Awaits
	seat := engine.Await{Kind: a.Kind, Seat: a.Seat}.Asked()
	if seat == 0 {
		seat = a.Seat
	}
	values := text.V{"name": t.name(seat), "number": strconv.Itoa(int(a.Number)), "of": strconv.Itoa(int(a.Of))}
	key := "await." + a.Kind.String()
	if l := a.Legal; a.Kind == engine.AwaitAction {
		if l == nil {
			l = &engine.Legal{}
		}
		amount := l.ToCall
		switch {
		case l.BringIn > 0:
			key, amount = key+".bring_in", l.BringIn
		case amount > 0:
			key += ".call"
		case l.Check:
			key += ".check"
		default:
			key, amount = key+".bet", l.MinTo
		}
		values["amount"] = t.words.Money(amount)
	}
	return t.words.Say(key, values)
}

// reconnecting says why there is no connection to the broker, as far as that is known.
func reconnecting(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		err = call.Err
	}
	if err == nil {
		return ""
	}
	return clean(err.Error())
}
