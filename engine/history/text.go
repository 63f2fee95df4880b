package history

import (
	"fmt"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// Text is the hand for people to read, in English (en) or Italian (it); any other language gives English. A hand still in
// play is told as far as it is. Lines end in newlines.
func (h *Hand) Text(lang string) string {
	w := teller{hand: h, words: catalogue[lang], state: h.before, dealt: make([][]card.Card, len(h.Players))}
	if w.words == nil {
		w.words = catalogue["en"]
	}
	w.head()
	for _, e := range h.Events {
		w.event(e)
	}
	w.flush()
	w.result()
	return w.out.String()
}

// teller writes a hand in the words of a language.
type teller struct {
	hand  *Hand
	words map[string]string
	state engine.State
	out   strings.Builder
	// dealt and board are cards that have come since the last line.
	dealt [][]card.Card
	board []card.Card
	house []card.Card
}

// word is the text of a key, its {placeholders} filled by pairs of a name and a value.
func (w *teller) word(key string, pairs ...any) string {
	text, ok := w.words[key]
	if !ok {
		panic("history: no text for " + key)
	}
	var with []string
	for i := 0; i < len(pairs); i += 2 {
		with = append(with, fmt.Sprintf("{%v}", pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(with...).Replace(text)
}

// orOwn is the text of a key, or for what the catalogue does not know the name it has.
func (w *teller) orOwn(key, own string) string {
	if text, ok := w.words[key]; ok {
		return text
	}
	return own
}

// plural is the key of the form that goes with a number: both languages have one form for one and one for all else.
func plural(key string, n engine.Chips) string {
	if n == 1 {
		return key + ".one"
	}
	return key + ".other"
}

func (w *teller) say(key string, pairs ...any) { fmt.Fprintln(&w.out, w.word(key, pairs...)) }

func (w *teller) head() {
	h, r := w.hand, w.hand.Rules
	w.say("hand", "hand", h.Number, "game", w.orOwn("game."+r.Game.Name, r.Game.Title), "limit", w.word("limit."+r.Limit.String()), "stakes", w.stakes())
	if h.Table != "" {
		w.say("table", "table", h.Table)
	}
	if h.Start != "" {
		w.say("start", "time", strings.NewReplacer("T", " ", "Z", "").Replace(h.Start))
	}
	for _, p := range h.Players {
		key := "seat"
		if p.Seat == h.Button {
			key = "seat.button"
		}
		w.say(key, "seat", p.Seat, "player", p.Name, "amount", p.Start)
	}
}

// stakes are the amounts that people name a table by.
func (w *teller) stakes() string {
	st := w.hand.Rules.Stakes
	var parts []string
	add := func(is bool, key string, pairs ...any) {
		if is {
			parts = append(parts, w.word(key, pairs...))
		}
	}
	add(st.BigBlind > 0 && st.SmallBlind == 0, "stakes.blind", "big", st.BigBlind)
	add(st.SmallBlind > 0, "stakes.blinds", "small", st.SmallBlind, "big", st.BigBlind)
	add(st.Ante > 0, "stakes.ante", "amount", st.Ante)
	add(st.BigBlindAnte > 0, "stakes.big_blind_ante", "amount", st.BigBlindAnte)
	add(st.BringIn > 0, "stakes.bring_in", "amount", st.BringIn)
	add(st.MaxAnte > 0, "stakes.box", "min", st.MinAnte, "max", st.MaxAnte)
	add(st.MaxBonus > 0, "stakes.bonus", "min", st.MinBonus, "max", st.MaxBonus)
	add(st.SmallBet > 0, "stakes.bets", "small", st.SmallBet, "big", st.BigBet)
	add(w.hand.Rules.Limit == engine.SpreadLimit, "stakes.spread", "first", st.Spread[0], "second", st.Spread[1], "last", st.Spread[2])
	add(st.Cap > 0, "stakes.cap", "amount", st.Cap)
	return strings.Join(parts, ", ")
}

func (w *teller) event(e engine.Event) {
	w.state = engine.Replay(w.state, []engine.Event{e})
	i := w.hand.index(e.Seat)
	switch e.Kind {
	case engine.HoleDealt:
		if i < 0 {
			w.house = append(w.house, e.Card)
			return
		}
		w.dealt[i] = append(w.dealt[i], e.Card)
		return
	case engine.BoardDealt:
		w.board = append(w.board, e.Card)
		return
	}
	w.flush()
	name := w.name(e.Seat)
	if i < 0 && e.Kind == engine.HandShown {
		name = w.word("house")
	}
	say := func(key string) { w.say(key, "player", name, "amount", e.Amount, "to", e.To) }
	if e.Manual {
		w.say("manual", "reason", e.Reason)
	}
	if key := rulings[e.Kind]; key != "" {
		w.say(key, "player", name, "reason", e.Reason, "cards", spaced(shown(&e)), "seat", e.Button)
		return
	}
	switch e.Kind {
	case engine.PowerPlayed:
		w.say("power."+e.Power.String(), "player", name, "n", e.Sparks, "cards", e.Card, "other", w.name(e.Target))
	case engine.HandBegan:
		w.staked()
		if e.Carousel != 0 {
			w.say("carousel", "powers", e.Carousel)
		}
	case engine.BoxSettled:
		w.settled(e, name)
	case engine.AntePosted:
		say("ante")
	case engine.BlindPosted:
		say(w.blind(e))
	case engine.DeadPosted:
		say("post.dead")
	case engine.StreetOpened:
		street := w.hand.Rules.Game.Streets[e.Street].Name
		w.say("street", "street", w.orOwn("street."+street, street))
	case engine.PlayerActed:
		w.acted(e, name)
	case engine.CardsDiscarded:
		key := "pat"
		if e.Amount > 0 {
			key = plural("discards", e.Amount)
		}
		w.say(key, "player", name, "n", e.Amount, "cards", spaced(e.Cards.Slice()))
	case engine.ShoeReloaded:
		w.say(plural("reloaded", e.Amount), "n", e.Amount)
	case engine.UncalledReturned:
		say("uncalled")
	case engine.ShowdownOpened:
		w.say("showdown")
	case engine.HandShown:
		w.say("shows", "player", name, "cards", spaced(e.Cards.Slice()))
	case engine.HandMucked:
		say("mucks")
	case engine.RakeTaken:
		w.say("rake", "amount", e.Amount, "pot", w.pot(e.Pot))
	case engine.PotAwarded:
		w.won(e, name)
	case engine.HandCalledOff:
		w.say("called_off", "reason", e.Reason)
	case engine.BetRefunded:
		say("refunded")
	}
}

// rulings are the keys of what befalls a hand besides its play.
var rulings = map[engine.EventKind]string{
	engine.AnchorHeld: "anchor_held", engine.PlayerProtected: "protected", engine.HandDeclaredDead: "dead",
	engine.CardSetAside: "set_aside", engine.RulingMade: "ruling", engine.CardExposed: "exposed", engine.CardTurned: "turned", engine.CardMissed: "missed", engine.BoardRetracted: "retracted",
	engine.BoardCorrected: "corrected", engine.BurnLeftOut: "no_burn", engine.StubShuffled: "shuffled",
	engine.HandRetrieved: "retrieved", engine.PlaySuspended: "suspended", engine.PlayResumed: "resumed", engine.HandRewound: "rewound",
	engine.ButtonMoved: "button",
}

// shown are the cards of a ruling that everybody has seen.
func shown(e *engine.Event) []card.Card {
	if e.Kind == engine.CardExposed || e.Kind == engine.CardTurned {
		return []card.Card{e.Card}
	}
	return e.Cards.Slice()
}

// name is who sits at a seat of the hand, "" for nobody.
func (w *teller) name(seat engine.Seat) string {
	if i := w.hand.index(seat); i >= 0 {
		return w.hand.Players[i].Name
	}
	return ""
}

// blind is what a blind is called.
func (w *teller) blind(e engine.Event) string {
	switch {
	case e.Live:
		return "post"
	case e.Seat == w.hand.SmallBlind:
		return "blind.small"
	case e.Seat == w.hand.BigBlind:
		return "blind.big"
	}
	return "post"
}

func (w *teller) acted(e engine.Event, name string) {
	text := w.word("act."+e.Action.String(), "player", name, "amount", e.Amount, "to", e.To)
	if e.AllIn {
		text += w.word("act.all_in")
	}
	if e.Auto {
		text += w.word("act.auto")
	}
	fmt.Fprintln(&w.out, text)
}

// staked tells what every box has put down against the house.
func (w *teller) staked() {
	for _, p := range w.hand.Players {
		switch at := &w.state.Seats[p.Seat]; {
		case at.Ante > 0 && at.Bonus > 0:
			w.say("stake.bonus", "player", p.Name, "amount", at.Ante, "bonus", at.Bonus)
		case at.Ante > 0:
			w.say("stake", "player", p.Name, "amount", at.Ante)
		}
	}
}

// settled tells what the house hands back to a box.
func (w *teller) settled(e engine.Event, name string) {
	if e.Amount > 0 {
		w.say("settled", "player", name, "amount", e.Amount)
	}
	if e.Bonus > 0 {
		w.say("settled.bonus", "player", name, "amount", e.Bonus)
	}
	if e.Amount+e.Bonus == 0 {
		w.say("settled.lost", "player", name)
	}
}

// won tells a share of a pot, and what kind of hand it was won with if that was shown.
func (w *teller) won(e engine.Event, name string) {
	key := "wins"
	if e.Low {
		key = "wins.low"
	}
	text := w.word(key, "player", name, "amount", e.Amount, "pot", w.pot(e.Pot))
	p, r := &w.state.Seats[e.Seat], w.hand.Rules
	if p.Shown && !e.Low && p.Known() {
		hole, board := card.SetOf(p.Hole.Slice()...), card.SetOf(w.state.Board[:w.state.BoardLen]...)
		text += w.word("with", "holds", w.word(categories[r.Game.High.Strength(r.Game.Use, hole, board).Category()]))
	}
	fmt.Fprintln(&w.out, text)
}

// categories are the keys of the kinds of hands.
var categories = [...]string{
	0: "holds.none", eval.HighCard: "holds.high", eval.Pair: "holds.pair", eval.TwoPair: "holds.two_pair", eval.Trips: "holds.three",
	eval.Straight: "holds.straight", eval.Flush: "holds.flush", eval.FullHouse: "holds.full_house", eval.Quads: "holds.four",
	eval.StraightFlush: "holds.straight_flush", eval.FourStraight: "holds.four_straight", eval.FourFlush: "holds.four_flush",
	eval.Low: "holds.low", eval.OneCard: "holds.one_card", eval.TwoCards: "holds.two_cards", eval.ThreeCards: "holds.three_cards",
	eval.FourCards: "holds.badugi",
}

func (w *teller) pot(n int8) string {
	switch {
	case len(w.hand.Pots) == 1:
		return w.word("pot.only")
	case n == 0:
		return w.word("pot.main")
	}
	return w.word("pot.side", "number", n)
}

// flush tells the cards that have come since the last line.
func (w *teller) flush() {
	for i, cards := range w.dealt {
		if len(cards) > 0 {
			w.say("dealt", "player", w.hand.Players[i].Name, "cards", spaced(cards))
		}
		w.dealt[i] = nil
	}
	if len(w.house) > 0 {
		w.say("dealt", "player", w.word("house"), "cards", spaced(w.house))
	}
	w.house = nil
	if len(w.board) > 0 {
		w.say("board", "cards", spaced(w.board))
	}
	w.board = nil
}

// result tells what every player has in the end.
func (w *teller) result() {
	if !w.hand.Over {
		w.say("in_play", "amount", w.state.Total())
		return
	}
	w.say("result")
	for _, p := range w.hand.Players {
		w.say("finish", "player", p.Name, "amount", p.Finish, "change", fmt.Sprintf("%+d", p.Finish-p.Start))
	}
}

// spaced writes cards with spaces between them: Ah Kd.
func spaced(cards []card.Card) string {
	texts := make([]string, len(cards))
	for i, c := range cards {
		texts[i] = c.String()
	}
	return strings.Join(texts, " ")
}
