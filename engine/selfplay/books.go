package selfplay

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// perSeat is an amount for every seat, at the seat's number.
type perSeat [engine.MaxSeats + 1]engine.Chips

// books is an independent bookkeeper: it hears of a table by its events alone, keeps every chip and card, works out for
// itself who must get what, and objects when the engine pays otherwise. It shares no code with the engine but how hands
// rank and what a row of a rake table takes of a pot, both of which have tests of their own. It gets at the pots the other
// way round: from what everybody put in, not from who is still in.
type books struct {
	rules *engine.Rules
	// brought is all the money on the table: bought in, less what left with players and as rake.
	brought engine.Chips
	stack   perSeat
	hand    hand
	bank    bank
	powers  powers
}

// hand is what the bookkeeper keeps of the hand in play.
type hand struct {
	button engine.Seat
	// dealt are the seats that began it; folded those whose hands are gone, mucked those that gave up at the showdown, late those for whom the house did so
	// at the showdown; lost those that count as all-in with chips behind; split those that would divide the pots equally,
	// refused those that are all-in and would not.
	dealt, folded, mucked, late, lost, split, refused engine.Seats
	// round are the bets of the round, put all that a seat put in as its own, paid all that left its stack and did not come
	// back, got what it was given of the pots or back.
	round, put, paid, got perSeat
	// dead is money that is nobody's bet, due the rake that a record names, rake what the house took.
	dead, due, rake engine.Chips
	void            bool

	// out are the known cards that are not in the shoe, thrown those of them that go back into it when it is reloaded, being
	// exchanged or set aside; cards and discards are how many there are, known or not.
	out, thrown     card.Set
	cards, discards int
	exchanged       int // all those that were exchanged
	// board are the community cards, before those of the streets before, early those that came too early.
	board, before, early card.Set
	boardLen             int
	hole                 [engine.MaxSeats + 1]card.Set // known ones
	held                 [engine.MaxSeats + 1]int
	// up are the hole cards that lie face up, barred those that may not come back to a seat as long as there are others.
	up, barred [engine.MaxSeats + 1]card.Set
	// secret are the faces that a seat alone may know, at 0 those that nobody may; shown are the seats that showed.
	secret [engine.MaxSeats + 1]card.Set
	shown  engine.Seats
	// street is the one being bet on; opening is whether the turn is about to go to the first seat of the round.
	street    int8
	opening   bool
	high, low [engine.MaxSeats + 1]eval.Strength
}

// each yields the seats of a set in order.
func each(seats engine.Seats) iter.Seq[engine.Seat] {
	return func(yield func(engine.Seat) bool) {
		for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
			if seats.Has(seat) && !yield(seat) {
				return
			}
		}
	}
}

// enter takes one event into the books, and says what is wrong with it.
func (b *books) enter(e *engine.Event) error {
	if err := b.moved(e); err != nil {
		return err
	}
	return b.powered(e)
}

// moved enters the chips and cards that an event moves.
func (b *books) moved(e *engine.Event) error {
	h := &b.hand
	if e.Amount < 0 && e.Kind != engine.StackAdjusted {
		return fmt.Errorf("an amount below zero: %+v", *e)
	}
	switch e.Kind {
	case engine.PlayerSat, engine.StackAdded, engine.StackAdjusted:
		b.stack[e.Seat] += e.Amount
		b.brought += e.Amount
		if b.stack[e.Seat] < 0 {
			return fmt.Errorf("seat %d has %d", e.Seat, b.stack[e.Seat])
		}
	case engine.PlayerLeft:
		if b.stack[e.Seat] != e.Amount {
			return fmt.Errorf("seat %d leaves with %d, has %d", e.Seat, e.Amount, b.stack[e.Seat])
		}
		b.stack[e.Seat] = 0
		b.brought -= e.Amount

	case engine.StakePlaced:
		return b.staked(e)
	case engine.BoxSettled:
		return b.boxSettled(e)

	case engine.PlayerMoved:
		if b.stack[e.Target] != 0 {
			return fmt.Errorf("seat %d moves to seat %d, where %d lie", e.Seat, e.Target, b.stack[e.Target])
		}
		b.stack[e.Seat], b.stack[e.Target] = 0, b.stack[e.Seat]
	case engine.AwardMoved:
		h.got[e.Seat] -= e.Amount
		b.stack[e.Seat] -= e.Amount
		b.stack[e.Target] += e.Amount
		if h.got[e.Seat] < 0 || b.stack[e.Seat] < 0 || !h.dealt.Has(e.Target) {
			return fmt.Errorf("seat %d cannot give %d of what it won to seat %d", e.Seat, e.Amount, e.Target)
		}
		h.got[e.Target] += e.Amount
	case engine.ButtonMoved:
		return b.button(e)
	case engine.HandRewound:
		for seat := range b.stack {
			b.stack[seat] += h.paid[seat] - h.got[seat] - b.bank.ante[seat] - b.bank.extra[seat]
		}
		b.brought += h.rake
		*h = hand{button: e.Button, dealt: e.Dealt, due: e.Amount}
		return b.stakesIn()
	case engine.HandBegan:
		*h = hand{button: e.Button, dealt: e.Dealt, due: e.Amount}
		return b.stakesIn()
	case engine.AntePosted, engine.DeadPosted:
		if e.Dead {
			h.dead += e.Amount
		} else {
			h.put[e.Seat] += e.Amount
		}
		return b.pays(e)
	case engine.BlindPosted:
		h.round[e.Seat] += e.Amount
		return b.pays(e)
	case engine.PlayerActed:
		return b.acted(e)
	case engine.PlayerProtected:
		h.lost, h.split, h.refused = h.lost.With(e.Seat), 0, 0
		if h.paid[e.Seat] == 0 {
			return fmt.Errorf("seat %d counts as all-in and has put in nothing", e.Seat)
		}
	case engine.UncalledReturned:
		if h.folded.Has(e.Seat) {
			return fmt.Errorf("seat %d has folded and gets %d back", e.Seat, e.Amount)
		}
		h.round[e.Seat] -= e.Amount
		h.paid[e.Seat] -= e.Amount
		b.stack[e.Seat] += e.Amount
	case engine.BetsCollected:
		return b.collect(e)

	case engine.CardBurned:
		h.hide(0, e.Card)
		return b.leaves(e.Card)
	case engine.CardSetAside:
		h.hide(0, e.Card)
		h.thrown = h.thrown.Add(e.Card)
		h.discards++
		return b.leaves(e.Card)
	case engine.BoardDealt:
		h.board = h.board.Add(e.Card)
		h.boardLen++
		return b.leaves(e.Card)
	case engine.HoleDealt:
		return b.holeDealt(e)
	case engine.CardTurned:
		return b.turned(e)
	case engine.CardExposed:
		return b.exposed(e)
	case engine.CardMissed:
		return b.swapped(e)
	case engine.BoardRetracted, engine.BoardCorrected:
		return b.boardPutRight(e)
	case engine.StubShuffled:
		return b.shuffled(e)
	case engine.StreetOpened:
		h.before = h.board
		if b.rules.Game.OwnDiscardsOneDraw {
			h.barred = [len(h.barred)]card.Set{}
		}
	case engine.BettingOpened:
		h.street, h.opening = e.Street, true
		return b.facesUp()
	case engine.TurnPassed:
		return b.turn(e)
	case engine.CardsDiscarded:
		return b.discarded(e)
	case engine.ShoeReloaded:
		return b.reloaded(e)
	case engine.HandShown:
		return b.shown(e)
	case engine.HandDeclaredDead:
		h.folded = h.folded.With(e.Seat)
		h.late = 0 // to that hand they may have lost
	case engine.HandRetrieved:
		back := engine.Seats(0).With(e.Seat)
		h.folded, h.mucked, h.late = h.folded&^back, h.mucked&^back, 0
	case engine.HandMucked:
		h.mucked = h.mucked.With(e.Seat)
		if e.Auto {
			h.late = h.late.With(e.Seat)
		}
		if h.left()&^h.mucked == 0 {
			return fmt.Errorf("seat %d mucks, and nobody is left to win", e.Seat)
		}

	case engine.RakeTaken:
		h.rake += e.Amount
		b.brought -= e.Amount
	case engine.HandCalledOff:
		h.void = true
	case engine.PotAwarded, engine.BetRefunded:
		h.got[e.Seat] += e.Amount
		b.stack[e.Seat] += e.Amount
		return b.wonWith(e)
	case engine.HandEnded:
		return b.settle()
	}
	return nil
}

// pays takes an event's chips from its seat.
func (b *books) pays(e *engine.Event) error {
	h := &b.hand
	before := b.stack[e.Seat] + h.paid[e.Seat]
	b.stack[e.Seat] -= e.Amount
	h.paid[e.Seat] += e.Amount
	left := before - h.paid[e.Seat]
	if most := b.rules.Stakes.Cap; most > 0 {
		left = min(before, most) - h.paid[e.Seat] // TC-06
	}
	switch {
	case !h.dealt.Has(e.Seat) || h.folded.Has(e.Seat) || h.lost.Has(e.Seat) && e.Amount > 0:
		return fmt.Errorf("seat %d pays and is not in the hand", e.Seat)
	case left < 0:
		return fmt.Errorf("seat %d pays %d more than it may", e.Seat, -left)
	case e.Amount > 0 && e.AllIn != (left == 0):
		return fmt.Errorf("seat %d has %d left, all-in is said to be %v", e.Seat, left, e.AllIn)
	}
	return nil
}

func (b *books) acted(e *engine.Event) error {
	h := &b.hand
	h.round[e.Seat] += e.Amount
	if h.round[e.Seat] != e.To {
		return fmt.Errorf("seat %d's bet is %d, not %d", e.Seat, h.round[e.Seat], e.To)
	}
	err := b.pays(e)
	switch e.Action {
	case engine.Split:
		h.split = h.split.With(e.Seat)
		return err
	case engine.Fold:
		h.folded = h.folded.With(e.Seat)
	}
	if h.split != 0 && e.Action == engine.Check && b.broke(e.Seat) {
		if h.refused = h.refused.With(e.Seat); slices.ContainsFunc(h.layers(0), h.splits) {
			return err
		}
	}
	h.split, h.refused = 0, 0 // any other action withdraws the offer (NX-A6)
	return err
}

// broke reports whether a seat cannot bet any more.
func (b *books) broke(seat engine.Seat) bool {
	most := b.rules.Stakes.Cap
	return b.stack[seat] == 0 || b.hand.lost.Has(seat) || most > 0 && b.hand.paid[seat] == most
}

// splits reports whether a pot is between several seats and none of them has refused to divide it equally.
func (h *hand) splits(l layer) bool {
	return l.amount > 0 && l.seats.Len() > 1 && l.seats&h.refused == 0
}

// collect ends a round: no seat still in may have a bet that nobody met (NK-07).
func (b *books) collect(e *engine.Event) error {
	h := &b.hand
	var top, second engine.Chips
	var most engine.Seat
	for seat, bet := range h.round {
		if bet > top {
			top, second, most = bet, top, engine.Seat(seat)
		} else {
			second = max(second, bet)
		}
		h.put[seat] += bet
	}
	h.round = perSeat{}
	switch {
	case top > second && !h.folded.Has(most) && !b.rules.Game.Banked():
		return fmt.Errorf("%d of seat %d's bet found no caller and stays in", top-second, most)
	case h.total() != e.Amount:
		return fmt.Errorf("the pots hold %d, not %d", h.total(), e.Amount)
	}
	return nil
}

// total is what the pots hold.
func (h *hand) total() engine.Chips {
	sum := h.dead
	for _, put := range h.put {
		sum += put
	}
	return sum
}

// holeDealt gives a seat a card, which it did not throw away before, unless there is no other (NX-73, NX-A5).
func (b *books) holeDealt(e *engine.Event) error {
	h := &b.hand
	own := h.barred[e.Seat] &^ h.out
	if e.Card.Known() && own.Has(e.Card) && b.rules.Game.Deck.Len()-h.cards > own.Len() {
		return fmt.Errorf("seat %d gets %v back, which it threw away", e.Seat, e.Card)
	}
	h.hole[e.Seat] = h.hole[e.Seat].Add(e.Card)
	h.held[e.Seat]++
	if e.Up {
		h.up[e.Seat] = h.up[e.Seat].Add(e.Card)
	} else {
		h.hide(e.Seat, e.Card)
	}
	return b.leaves(e.Card)
}

// hide notes a face that only a seat may know, or nobody.
func (h *hand) hide(seat engine.Seat, c card.Card) {
	if c.Known() {
		h.secret[seat] = h.secret[seat].Add(c)
	}
}

// secrets are the faces that a viewer at a seat, 0 for the public, may not see.
func (h *hand) secrets(viewer engine.Seat) (faces card.Set) {
	var open card.Set
	for seat, own := range h.secret {
		if engine.Seat(seat) != viewer || viewer == 0 {
			faces |= own
		}
		open |= h.up[seat]
		if h.shown.Has(engine.Seat(seat)) {
			open |= h.hole[seat]
		}
	}
	return faces &^ open
}

// turn checks who opens a round in a game without blinds.
func (b *books) turn(e *engine.Event) error {
	opening := b.hand.opening
	b.hand.opening = false
	switch {
	case !opening:
		return nil
	case b.rules.Game.Banked():
		return b.firstBox(e)
	case !b.rules.Game.BringIn:
		return nil
	}
	if want := b.opener(); e.Seat != want {
		return fmt.Errorf("seat %d opens by its cards showing, not seat %d: %v", want, e.Seat, b.hand)
	}
	return nil
}

// opener is who must open a round in a game without blinds: of those with chips left the lowest or highest card on the
// first street, then the best hand showing, and of equal hands the first from the button on. Who shows nothing comes last.
func (b *books) opener() (first engine.Seat) {
	h, most := &b.hand, 0
	for i := range engine.Seat(engine.MaxSeats) {
		seat := (h.button+i)%engine.MaxSeats + 1
		if !h.left().Has(seat) || b.broke(seat) {
			continue
		}
		worth := math.MinInt
		switch up := h.up[seat]; {
		case up == 0:
		case h.street > 0:
			worth = int(b.rules.Game.High.Of(up))
		case b.rules.Game.Streets[0].Opener == engine.LowCard:
			worth = -b.highest(up)
		default:
			worth = b.highest(up)
		}
		if first == 0 || worth > most {
			first, most = seat, worth
		}
	}
	return first
}

// leaves takes a card out of the shoe.
func (b *books) leaves(c card.Card) error {
	h := &b.hand
	h.cards++
	switch {
	case h.cards > b.rules.Game.Deck.Len():
		return fmt.Errorf("card number %d leaves a shoe of %d", h.cards, b.rules.Game.Deck.Len())
	case c != card.Hidden:
		return b.once(c)
	}
	return nil
}

// once notes where a card is, which may be nowhere else.
func (b *books) once(c card.Card) error {
	switch {
	case !b.rules.Game.Deck.Has(c):
		return fmt.Errorf("%v is no card of the deck", c)
	case b.hand.out.Has(c):
		return fmt.Errorf("%v is in two places", c)
	}
	b.hand.out = b.hand.out.Add(c)
	return nil
}

// discarded takes cards out of a hand. One that was not known until now was among it all the same.
func (b *books) discarded(e *engine.Event) error {
	h := &b.hand
	cards := e.Cards.Slice()
	n := len(cards)
	h.held[e.Seat] -= n
	h.discards += n
	h.exchanged += n
	if int(e.Amount) != n || h.held[e.Seat] < h.hole[e.Seat].Len()-(h.hole[e.Seat]&card.SetOf(cards...)).Len() {
		return fmt.Errorf("seat %d cannot throw away %d cards: %v", e.Seat, e.Amount, e.Cards)
	}
	for _, c := range cards {
		switch {
		case h.hole[e.Seat].Has(c):
			h.hole[e.Seat] = h.hole[e.Seat].Remove(c)
		case c.Known():
			if err := b.once(c); err != nil {
				return err
			}
		}
		h.thrown = h.thrown.Add(c)
		h.barred[e.Seat] = h.barred[e.Seat].Add(c)
		h.hide(e.Seat, c)
	}
	return nil
}

// exposed takes a card out of a hand that everybody has seen.
func (b *books) exposed(e *engine.Event) error {
	h := &b.hand
	if err := b.swapped(e); err != nil {
		return err
	}
	h.secret[e.Seat] = h.secret[e.Seat].Remove(e.Card)
	return nil
}

// facesUp checks that no more of a hand lies open than the game deals so.
func (b *books) facesUp() error {
	most := 0
	for _, st := range b.rules.Game.Streets[:b.hand.street+1] {
		most += st.Up
	}
	for seat := range each(b.hand.left()) {
		if n := b.hand.up[seat].Len(); n > most {
			return fmt.Errorf("%d cards of seat %d lie face up, want %d", n, seat, most)
		}
	}
	return nil
}

// turned has a card lie face up that came face down.
func (b *books) turned(e *engine.Event) error {
	h := &b.hand
	if !h.hole[e.Seat].Has(e.Card) {
		if h.held[e.Seat] == h.hole[e.Seat].Len() {
			return fmt.Errorf("seat %d turns %v, and has %v", e.Seat, e.Card, h.hole[e.Seat])
		}
		h.hole[e.Seat] = h.hole[e.Seat].Add(e.Card)
		if err := b.once(e.Card); err != nil {
			return err
		}
	}
	h.up[e.Seat] = h.up[e.Seat].Add(e.Card)
	return nil
}

// boardPutRight enters community cards that came too early, or the right ones of a street that got too many.
func (b *books) boardPutRight(e *engine.Event) error {
	h := &b.hand
	cards := e.Cards.Slice()
	if e.Kind == engine.BoardCorrected {
		h.board = h.before | card.SetOf(cards...)
		h.boardLen = h.board.Len()
	} else {
		h.early |= card.SetOf(cards...)
	}
	if e.Card != card.None {
		h.hide(0, e.Card)
		cards = append(cards, e.Card)
	}
	for _, c := range cards {
		if e.Kind == engine.BoardCorrected && h.out.Has(c) {
			continue
		}
		if err := b.leaves(c); err != nil {
			return err
		}
	}
	return nil
}

// shuffled puts the community cards that came too early back into the shoe.
func (b *books) shuffled(e *engine.Event) error {
	h := &b.hand
	if e.Amount == 0 {
		return nil
	}
	if int(e.Amount) != h.early.Len() {
		return fmt.Errorf("%d cards go into the stub, %d came too early", e.Amount, h.early.Len())
	}
	h.out &^= h.early
	h.cards -= h.early.Len()
	h.early = 0
	return nil
}

// button moves the button. In a hand everybody must have been given back what he paid, and posts come anew.
func (b *books) button(e *engine.Event) error {
	h := &b.hand
	if e.BigBlind == 0 {
		return nil
	}
	if h.got != h.paid {
		return fmt.Errorf("posts are made again, %d were paid and %d went back", h.paid, h.got)
	}
	h.button, h.dead, h.lost, h.split, h.refused = e.Button, 0, 0, 0, 0
	h.round, h.put, h.paid, h.got = perSeat{}, perSeat{}, perSeat{}, perSeat{}
	return nil
}

// swapped takes one card out of a hand, for good.
func (b *books) swapped(e *engine.Event) error {
	h := &b.hand
	if h.held[e.Seat]--; h.held[e.Seat] < 0 {
		return fmt.Errorf("seat %d swaps a card and has none", e.Seat)
	}
	if h.hole[e.Seat].Has(e.Card) {
		h.hole[e.Seat] = h.hole[e.Seat].Remove(e.Card)
		return nil
	}
	h.hide(e.Seat, e.Card)
	if e.Card.Known() {
		return b.once(e.Card)
	}
	return nil
}

func (b *books) reloaded(e *engine.Event) error {
	h := &b.hand
	if int(e.Amount) != h.discards || h.cards != b.rules.Game.Deck.Len() {
		return fmt.Errorf("%d cards go into the shoe, %d were thrown away and it has %d", e.Amount, h.discards, b.rules.Game.Deck.Len()-h.cards)
	}
	h.out &^= h.thrown
	for seat := range h.secret {
		h.secret[seat] &^= h.thrown
	}
	h.thrown = 0
	h.cards -= h.discards
	h.discards = 0
	return nil
}

func (b *books) shown(e *engine.Event) error {
	h := &b.hand
	h.shown = h.shown.With(e.Seat)
	cards := e.Cards.Slice()
	known := h.hole[e.Seat]
	if hand := card.SetOf(cards...); hand.Len() != h.held[e.Seat] || known&^hand != 0 {
		return fmt.Errorf("seat %d shows %v, was dealt %d cards and among them %v", e.Seat, e.Cards, h.held[e.Seat], known)
	}
	for _, c := range cards {
		if known.Has(c) {
			continue
		}
		if err := b.once(c); err != nil {
			return err
		}
		h.hole[e.Seat] = h.hole[e.Seat].Add(c)
	}
	return nil
}

// wonWith holds the cards that a pot is said to be won with against the seat's hand: they are a part of it that is as good.
func (b *books) wonWith(e *engine.Event) error {
	h, ranking := &b.hand, b.rules.Game.High
	if e.Low {
		ranking = b.rules.Game.Low
	}
	switch cards, hole := card.SetOf(e.Cards.Slice()...), h.hole[e.Seat]; {
	case cards == 0:
		return nil
	case !h.shown.Has(e.Seat):
		return fmt.Errorf("seat %d wins with %v, and has not shown its hand", e.Seat, e.Cards)
	case cards&^(hole|h.board) != 0 || ranking.Of(cards) != ranking.Strength(b.rules.Game.Use, hole, h.board):
		return fmt.Errorf("seat %d wins with %v, which is not the best of %v and %v", e.Seat, e.Cards, hole, h.board)
	}
	return nil
}

// settle ends the hand: everybody must have been given what is due, or got back what he paid.
func (b *books) settle() error {
	h := &b.hand
	due, rake := h.paid, engine.Chips(0)
	b.bank.ante, b.bank.extra = perSeat{}, perSeat{}
	if b.rules.Game.Banked() && !h.void {
		return b.allSettled()
	}
	if !h.void {
		b.rank()
		due, rake = b.dueTo(h.mucked)
	}
	if h.rake != rake {
		return fmt.Errorf("the house took %d, is due %d", h.rake, rake)
	}
	for seat, got := range h.got {
		if got != due[seat] {
			return fmt.Errorf("seat %d got %d, is due %d", seat, got, due[seat])
		}
	}
	if h.void || h.late == 0 {
		return nil
	}
	due, _ = b.dueTo(h.mucked &^ h.late) // had the house shown them
	for seat := range each(h.late) {
		if due[seat] != 0 {
			return fmt.Errorf("the house mucked seat %d's hand, which wins %d", seat, due[seat])
		}
	}
	return nil
}

// rank finds how good the hands are that did not fold, as far as they are known.
func (b *books) rank() {
	h, game := &b.hand, b.rules.Game
	for seat := range each(h.left()) {
		h.high[seat] = game.High.Strength(game.Use, h.hole[seat], h.board)
		if game.Low.Of != nil {
			h.low[seat] = game.Low.Strength(game.Use, h.hole[seat], h.board)
		}
	}
}

// left are the seats that did not fold.
func (h *hand) left() engine.Seats { return h.dealt &^ h.folded }

// dueTo says what every seat must be given if some have mucked, and what the house takes: of the main pot first (NX-35).
func (b *books) dueTo(mucked engine.Seats) (due perSeat, rake engine.Chips) {
	rake = b.hand.due + b.raked()
	taken := engine.Chips(0)
	for _, l := range b.hand.layers(mucked) {
		off := min(rake-taken, l.amount)
		taken += off
		b.divide(l.amount-off, l.seats, &due)
	}
	return due, taken
}

// raked is what the house takes by its table, if the hand came as far as the game asks (NX-30).
func (b *books) raked() engine.Chips {
	h, need := &b.hand, b.rules.Game.Raked
	most := 0
	for seat := range each(h.left()) {
		most = max(most, h.held[seat])
	}
	if h.boardLen < need.Board || h.exchanged < need.Exchanged || most < need.Cards {
		return 0
	}
	return engine.Chips(b.rules.Rake.Take(int64(h.total()), h.dealt.Len()))
}

// layer is one pot: what is in it and who may win it.
type layer struct {
	amount engine.Chips
	seats  engine.Seats
}

// layers cuts what everybody put in at every height that somebody reached, and puts layers together that the same seats
// may win. Dead money is the lowest layer, reached by every seat.
func (h *hand) layers(mucked engine.Seats) []layer {
	out := make([]layer, 1, engine.MaxSeats+1)
	out[0] = layer{h.dead, h.reached(0, mucked)}
	heights := h.put
	slices.Sort(heights[:])
	below := engine.Chips(0)
	for _, height := range heights {
		if height == below {
			continue
		}
		l := layer{seats: h.reached(height, mucked)}
		for _, put := range h.put {
			l.amount += max(0, min(put, height)-below)
		}
		if top := &out[len(out)-1]; l.seats == 0 || l.seats == top.seats {
			top.amount += l.amount
		} else {
			out = append(out, l)
		}
		below = height
	}
	return out
}

// reached are the seats still in that put in so much and may win it: a hand that was mucked loses what others play for.
func (h *hand) reached(height engine.Chips, mucked engine.Seats) (seats engine.Seats) {
	for seat := range each(h.left()) {
		if h.put[seat] >= height {
			seats = seats.With(seat)
		}
	}
	if seats.Len() > 1 {
		seats &^= mucked
	}
	return seats
}

// divide gives one layer to its best hands, or to all if that is what they agreed on; the odd chip of a halving goes to
// the high ones (NX-44).
func (b *books) divide(amount engine.Chips, among engine.Seats, due *perSeat) {
	h := &b.hand
	if h.split != 0 && h.left()&^h.split&^h.refused == 0 && among&^h.split == 0 {
		b.handOut(amount, among, due)
		return
	}
	chip := max(b.rules.Stakes.Chip, 1)
	if low := b.best(&b.hand.low, among); low.Len() > 0 {
		half := amount / (2 * chip) * chip
		b.handOut(half, low, due)
		amount -= half
	}
	if among.Len() == 1 {
		b.handOut(amount, among, due)
	} else {
		b.handOut(amount, b.best(&b.hand.high, among), due)
	}
}

// best are the seats that have the best hand, none where nobody has one.
func (b *books) best(strength *[engine.MaxSeats + 1]eval.Strength, among engine.Seats) (best engine.Seats) {
	var top eval.Strength
	for seat := range each(among) {
		switch mine := strength[seat]; {
		case mine > top:
			best, top = engine.Seats(0).With(seat), mine
		case mine == top && mine > 0:
			best = best.With(seat)
		}
	}
	if b.rules.Game.High.Name == eval.Telesina.Name && b.hand.left().Len() == 2 {
		if seat := b.upset(top, strength, among); seat != 0 {
			return engine.Seats(0).With(seat)
		}
	}
	return best
}

// upset is the seat that wins with the lowest straight flush of spades against the highest of hearts (NX-93).
func (b *books) upset(top eval.Strength, strength *[engine.MaxSeats + 1]eval.Strength, among engine.Seats) engine.Seat {
	hearts, spades := card.SetOf(card.MustParse("AhKhQhJhTh")...), card.SetOf(card.MustParse("Ts9s8s7sAs")...)
	for seat := range each(among) {
		if top == eval.Telesina.Of(hearts) && strength[seat] == eval.Telesina.Of(spades) {
			return seat
		}
	}
	return 0
}

// handOut gives an amount to seats in whole chips, one after another those that do not divide; what is less than a chip
// goes to the first of them (NX-03, TD-05).
func (b *books) handOut(amount engine.Chips, to engine.Seats, due *perSeat) {
	chip := max(b.rules.Stakes.Chip, 1)
	order := b.oddChipOrder(to)
	each := amount / chip / engine.Chips(len(order)) * chip
	for _, seat := range order {
		due[seat] += each
	}
	rest := amount - each*engine.Chips(len(order))
	due[order[0]] += rest % chip
	for i := 0; rest >= chip; i++ {
		due[order[i]] += chip
		rest -= chip
	}
}

// oddChipOrder lists seats as they get odd chips: clockwise from the button, or the highest card first where the house
// says so and there is no button.
func (b *books) oddChipOrder(seats engine.Seats) []engine.Seat {
	order := make([]engine.Seat, 0, engine.MaxSeats)
	for i := range engine.Seat(engine.MaxSeats) {
		if seat := (b.hand.button+i)%engine.MaxSeats + 1; seats.Has(seat) {
			order = append(order, seat)
		}
	}
	if len(order) > 1 && b.rules.House.HighCardOddChip && b.rules.Game.BringIn {
		slices.SortStableFunc(order, func(x, y engine.Seat) int { return b.highest(b.hand.hole[y]) - b.highest(b.hand.hole[x]) })
	}
	return order
}

// highest is the place of the highest of some cards in the order of the game's single cards.
func (b *books) highest(cards card.Set) (top int) {
	suits := [...]card.Suit{card.Clubs, card.Diamonds, card.Hearts, card.Spades}
	if b.rules.Game.Suits == engine.HeartsHigh {
		suits = [...]card.Suit{card.Spades, card.Clubs, card.Diamonds, card.Hearts}
	}
	for _, c := range cards.Cards() {
		rank := int(c.Rank()) + 1
		if b.rules.Game.AceLow {
			rank %= int(card.Ace) + 1
		}
		top = max(top, rank*len(suits)+slices.Index(suits[:], c.Suit()))
	}
	return top
}
