package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/rake"
)

// books is an independent bookkeeper: it hears of a table by its events alone, keeps every chip and card, works out for
// itself who must get what, and objects when the engine pays otherwise. It shares no code with the engine but the ranking
// of hands, and gets at the pots the other way round: from what everybody put in, not from who is still in.
type books struct {
	rules   *engine.Rules
	brought engine.Chips // on the table by now: bought in, less what left with players and as rake
	stack   map[engine.Seat]engine.Chips

	// of the hand in play
	button  engine.Seat
	dealt   engine.Seats
	folded  engine.Seats
	mucked  engine.Seats
	gone    engine.Seats // counts as all-in
	split   engine.Seats // would split the pots
	street  int8
	opening bool                         // a round of betting is, and the turn goes to its first seat
	round   map[engine.Seat]engine.Chips // bets of the round
	put     map[engine.Seat]engine.Chips // all that a seat put in as its own
	paid    map[engine.Seat]engine.Chips // all that left a seat's stack and did not come back
	won     map[engine.Seat]engine.Chips
	dead    engine.Chips
	rake    engine.Chips
	rakeDue engine.Chips
	void    bool
	hole    map[engine.Seat][]card.Card
	up      map[engine.Seat][]card.Card
	shown   engine.Seats
	board   []card.Card
	burnt   []card.Card
	actions int

	// of its draws
	pile      map[engine.Seat][]card.Card // thrown away since the shoe was last loaded, by whom
	barred    map[engine.Seat][]card.Card // what may not come back to a seat
	exchanged int
}

func newBooks(rules *engine.Rules) *books {
	return &books{rules: rules, stack: map[engine.Seat]engine.Chips{}}
}

// enter takes one event into the books, and says what is wrong with it, "" if nothing is.
func (b *books) enter(e *engine.Event) string {
	if e.Amount < 0 && e.Kind != engine.StackAdjusted {
		return fmt.Sprintf("an amount below zero: %+v", *e)
	}
	switch e.Kind {
	case engine.PlayerSat, engine.StackAdded, engine.StackAdjusted:
		b.stack[e.Seat] += e.Amount
		b.brought += e.Amount
	case engine.PlayerLeft:
		if b.stack[e.Seat] != e.Amount {
			return fmt.Sprintf("seat %d leaves with %d, has %d", e.Seat, e.Amount, b.stack[e.Seat])
		}
		b.brought -= e.Amount
		delete(b.stack, e.Seat)
	case engine.HandBegan:
		*b = books{
			rules: b.rules, brought: b.brought, stack: b.stack, button: e.Button, dealt: e.Dealt, rakeDue: e.Amount,
			round: map[engine.Seat]engine.Chips{}, put: map[engine.Seat]engine.Chips{}, paid: map[engine.Seat]engine.Chips{},
			won: map[engine.Seat]engine.Chips{}, hole: map[engine.Seat][]card.Card{}, up: map[engine.Seat][]card.Card{},
			pile: map[engine.Seat][]card.Card{}, barred: map[engine.Seat][]card.Card{},
		}
	case engine.AntePosted, engine.DeadPosted:
		if e.Dead {
			b.dead += e.Amount
		} else {
			b.put[e.Seat] += e.Amount
		}
		return b.pays(e)
	case engine.BlindPosted:
		b.round[e.Seat] += e.Amount
		return b.pays(e)
	case engine.PlayerActed:
		b.actions++
		b.round[e.Seat] += e.Amount
		if b.round[e.Seat] != e.To {
			return fmt.Sprintf("seat %d's bet is %d, not %d", e.Seat, b.round[e.Seat], e.To)
		}
		if e.Action == engine.Split {
			b.split = b.split.With(e.Seat)
		} else {
			b.split = 0
		}
		if e.Action == engine.Fold {
			b.folded = b.folded.With(e.Seat)
		}
		return b.pays(e)
	case engine.PlayerProtected:
		b.split = 0
		if b.gone = b.gone.With(e.Seat); b.paid[e.Seat] == 0 {
			return fmt.Sprintf("seat %d is all-in for nothing", e.Seat)
		}
	case engine.UncalledReturned:
		b.round[e.Seat] -= e.Amount
		b.paid[e.Seat] -= e.Amount
		b.stack[e.Seat] += e.Amount
	case engine.BetsCollected:
		return b.collect(e)
	case engine.HoleDealt:
		if b.threwAway(e.Seat, e.Card) && !b.nothingElse(e.Seat) {
			return fmt.Sprintf("seat %d gets %v back, which it threw away", e.Seat, e.Card)
		}
		b.hole[e.Seat] = append(b.hole[e.Seat], e.Card)
		if e.Up {
			b.up[e.Seat] = append(b.up[e.Seat], e.Card)
		}
	case engine.BettingOpened:
		b.street, b.opening = e.Street, true
	case engine.TurnPassed:
		if b.opening && b.rules.Game.BringIn {
			if want := b.opener(); e.Seat != want {
				return fmt.Sprintf("seat %d opens by its cards showing, not seat %d: %v", want, e.Seat, b.up)
			}
		}
		b.opening = false
	case engine.StreetOpened:
		if b.rules.Game.OwnDiscardsOneDraw {
			clear(b.barred)
		}
	case engine.CardsDiscarded:
		return b.discard(e)
	case engine.ShoeReloaded:
		if n := len(slices.Concat(slices.Collect(maps.Values(b.pile))...)); b.inShoe() != 0 || int(e.Amount) != n {
			return fmt.Sprintf("%d discards go into a shoe of %d cards, there are %d", e.Amount, b.inShoe(), n)
		}
		clear(b.pile)
	case engine.BoardDealt:
		b.board = append(b.board, e.Card)
	case engine.CardBurned:
		b.burnt = append(b.burnt, e.Card)
	case engine.HandShown:
		b.hole[e.Seat] = slices.Clone(e.Cards.Slice())
		b.shown = b.shown.With(e.Seat)
	case engine.HandDeclaredDead:
		b.folded = b.folded.With(e.Seat)
	case engine.CardSetAside:
		b.pile[nobody] = append(b.pile[nobody], e.Card)
	case engine.HandMucked:
		b.mucked = b.mucked.With(e.Seat)
	case engine.RakeTaken:
		b.rake += e.Amount
		b.brought -= e.Amount
	case engine.PotAwarded:
		b.won[e.Seat] += e.Amount
		b.stack[e.Seat] += e.Amount
	case engine.HandCalledOff:
		b.void = true
	case engine.BetRefunded:
		b.won[e.Seat] += e.Amount
		b.stack[e.Seat] += e.Amount
	case engine.HandEnded:
		return b.settle()
	}
	return b.cardsOnce()
}

// pays takes an event's chips from its seat.
func (b *books) pays(e *engine.Event) string {
	b.stack[e.Seat] -= e.Amount
	b.paid[e.Seat] += e.Amount
	switch {
	case !b.dealt.Has(e.Seat):
		return fmt.Sprintf("seat %d pays and is not in the hand", e.Seat)
	case b.gone.Has(e.Seat) && e.Amount > 0:
		return fmt.Sprintf("seat %d pays and counts as all-in", e.Seat)
	case b.stack[e.Seat] < 0:
		return fmt.Sprintf("seat %d pays %d more than it has", e.Seat, -b.stack[e.Seat])
	case b.rules.Stakes.Cap > 0 && b.paid[e.Seat] > b.rules.Stakes.Cap:
		return fmt.Sprintf("seat %d has put in %d of a cap of %d", e.Seat, b.paid[e.Seat], b.rules.Stakes.Cap)
	case e.Amount > 0 && e.AllIn != (b.stack[e.Seat] == 0 || b.rules.Stakes.Cap > 0 && b.paid[e.Seat] == b.rules.Stakes.Cap):
		return fmt.Sprintf("seat %d has %d left, all-in is said to be %v", e.Seat, b.stack[e.Seat], e.AllIn)
	}
	return ""
}

// collect ends a round: no seat still in may have a bet that nobody met.
func (b *books) collect(e *engine.Event) string {
	var bets []engine.Chips
	total := b.dead
	for _, seat := range b.dealt.List() {
		bets = append(bets, b.round[seat])
		b.put[seat] += b.round[seat]
		total += b.put[seat]
	}
	slices.Sort(bets)
	if n := len(bets); bets[n-1] > bets[n-2] {
		for _, seat := range b.dealt.List() {
			if b.round[seat] == bets[n-1] && !b.folded.Has(seat) {
				return fmt.Sprintf("%d of seat %d's bet found no caller and stays in", bets[n-1]-bets[n-2], seat)
			}
		}
	}
	clear(b.round)
	if total != e.Amount {
		return fmt.Sprintf("the pots hold %d, not %d", total, e.Amount)
	}
	return ""
}

// nobody is who threw away what was set aside.
const nobody engine.Seat = -1

// in is the number of seats that may win something.
func (b *books) in() int { return (b.dealt &^ b.folded &^ b.mucked).Len() }

// layer is one pot: what is in it and who may win it.
type layer struct {
	amount engine.Chips
	seats  engine.Seats
}

// layers cuts what everybody put in at every height that somebody reached, and puts layers together that the same seats
// may win. Dead money is the lowest layer, reached by every seat. A hand that was mucked loses what others play for.
func (b *books) layers() []layer {
	out := []layer{{b.dead, b.reached(0)}}
	heights := []engine.Chips{0}
	for _, seat := range b.dealt.List() {
		heights = append(heights, b.put[seat])
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	for i, h := range heights[1:] {
		l := layer{seats: b.reached(h)}
		for _, seat := range b.dealt.List() {
			l.amount += max(0, min(b.put[seat], h)-heights[i])
		}
		if top := &out[len(out)-1]; l.seats == 0 || l.seats == top.seats {
			top.amount += l.amount
		} else {
			out = append(out, l)
		}
	}
	return out
}

// reached are the seats still in that put in so much and may win it.
func (b *books) reached(height engine.Chips) (seats engine.Seats) {
	for _, seat := range b.dealt.List() {
		if b.put[seat] >= height && !b.folded.Has(seat) {
			seats = seats.With(seat)
		}
	}
	if seats.Len() > 1 {
		seats &^= b.mucked
	}
	return seats
}

// settle ends the hand: everybody must have won what the layers say, or got back what they paid.
func (b *books) settle() string {
	due := map[engine.Seat]engine.Chips{}
	if b.void {
		due = b.paid
	} else {
		rake := b.rakeDue + b.ownRake()
		left := rake
		for _, l := range b.layers() {
			off := min(left, l.amount)
			left -= off
			b.share(l.amount-off, l.seats, due)
		}
		if b.rake != rake-left {
			return fmt.Sprintf("the house took %d, is due %d", b.rake, rake-left)
		}
	}
	for _, seat := range b.dealt.List() {
		if b.won[seat] != due[seat] {
			return fmt.Sprintf("seat %d got %d, is due %d", seat, b.won[seat], due[seat])
		}
	}
	return ""
}

// raked says whether enough has happened in a hand for the house to take anything (NX-30).
func (b *books) raked() bool {
	switch b.rules.Game.Name {
	case "stud", "stud8", "razz":
		return b.most() >= 4
	case "soko", "americana", "telesina":
		return b.most() >= 3
	case "draw5", "deuce7", "deuce7td", "badugi", "draw32":
		return b.exchanged > 0
	}
	return len(b.board) >= 3
}

// most is the most cards that a seat still in was dealt.
func (b *books) most() (n int) {
	for _, seat := range b.dealt.List() {
		if !b.folded.Has(seat) {
			n = max(n, len(b.hole[seat]))
		}
	}
	return n
}

// ownRake is what the house takes by its table: of each full Per, at most the cap for so many players.
func (b *books) ownRake() engine.Chips {
	row := b.rules.Rake
	if len(row.Steps) == 0 || !b.raked() {
		return 0
	}
	pot := int64(b.dead)
	for _, put := range b.put {
		pot += int64(put)
	}
	forPlayers := func(list []rake.ForPlayers, amount int64) int64 {
		for _, f := range list {
			if b.dealt.Len() >= f.From {
				amount = f.Amount
			}
		}
		return amount
	}
	step := row.Steps[0]
	for i, s := range row.Steps[1:] {
		if pot >= row.Steps[i].Below {
			step = s
		}
	}
	if pot < forPlayers(row.Thresholds, 0) {
		return 0
	}
	return engine.Chips(min(forPlayers(row.Caps, pot), step.Take*(pot/step.Per)))
}

// share gives one layer to its best hands: all of it to the high ones where nobody has a low, else the odd chip with the
// high half.
func (b *books) share(amount engine.Chips, seats engine.Seats, due map[engine.Seat]engine.Chips) {
	if seats.Len() > 1 && b.rules.Game.Low.Of != nil {
		if lows := b.best(b.rules.Game.Low, seats); len(lows) > 0 {
			unit := max(b.rules.Stakes.Chip, 1)
			half := amount / unit / 2 * unit
			b.divide(half, lows, due)
			amount -= half
		}
	}
	if seats.Len() == 1 || b.split == b.dealt&^b.folded { // in the order from the left of the button
		var order []engine.Seat
		for i := range engine.Seat(engine.MaxSeats) {
			if seat := (b.button+i)%engine.MaxSeats + 1; seats.Has(seat) {
				order = append(order, seat)
			}
		}
		b.divide(amount, order, due)
		return
	}
	b.divide(amount, b.best(b.rules.Game.High, seats), due)
}

// best are the seats with the best hand there is by a ranking, from the left of the button; none if no seat has any.
func (b *books) best(ranking eval.Ranking, seats engine.Seats) (best []engine.Seat) {
	var top eval.Strength
	for i := range engine.Seat(engine.MaxSeats) {
		seat := (b.button+i)%engine.MaxSeats + 1
		if !seats.Has(seat) {
			continue
		}
		mine := ranking.Strength(b.rules.Game.Use, card.SetOf(b.hole[seat]...), card.SetOf(b.board...))
		if mine > top {
			best, top = nil, mine
		}
		if mine == top && mine > 0 {
			best = append(best, seat)
		}
	}
	if b.rules.Game.Name == "telesina" && (b.dealt&^b.folded).Len() == 2 { // NX-93
		of := func(cards string) eval.Strength { return ranking.Of(card.SetOf(card.MustParse(cards)...)) }
		for _, seat := range seats.List() {
			mine := ranking.Strength(b.rules.Game.Use, card.SetOf(b.hole[seat]...), card.SetOf(b.board...))
			if top == of("AhKhQhJhTh") && mine == of("Ts9s8s7sAs") {
				best = []engine.Seat{seat}
			}
		}
	}
	if b.rules.House.HighCardOddChip && b.rules.Game.BringIn {
		slices.SortStableFunc(best, func(x, y engine.Seat) int { return b.highest(y) - b.highest(x) })
	}
	return best
}

// opener is who must open a round in a game without blinds: of those with chips left the highest or lowest card on the first
// street, then the best hand showing, and of equal hands the first from seat 1 on. Who shows nothing comes last.
func (b *books) opener() (first engine.Seat) {
	var most int
	for _, seat := range b.dealt.List() {
		if b.folded.Has(seat) || b.gone.Has(seat) || b.stack[seat] == 0 || b.rules.Stakes.Cap > 0 && b.paid[seat] == b.rules.Stakes.Cap {
			continue
		}
		worth := -1000
		if up := card.SetOf(b.up[seat]...); up != 0 && b.street > 0 {
			worth = int(b.rules.Game.High.Of(up))
		} else if up != 0 {
			worth = b.order(up.Cards()[0])
			if game := b.rules.Game.Name; game == "stud" || game == "stud8" || game == "soko" {
				worth = -worth
			}
		}
		if first == 0 || worth > most {
			first, most = seat, worth
		}
	}
	return first
}

// highest is the highest card of a seat by rank and suit.
func (b *books) highest(seat engine.Seat) int {
	top := -1
	for _, c := range b.hole[seat] {
		top = max(top, b.order(c))
	}
	return top
}

// order is how high a card is in the words of the game: aces low in razz, hearts high in telesina.
func (b *books) order(c card.Card) int {
	suits := "cdhs"
	if b.rules.Game.Name == "telesina" {
		suits = "scdh"
	}
	ranks := "23456789TJQKA"
	if b.rules.Game.Name == "razz" {
		ranks = "A23456789TJQK"
	}
	name := c.String()
	return 4*strings.Index(ranks, name[:1]) + strings.Index(suits, name[1:])
}

// divide gives an amount to the best hands, in whole chips, those left over one each in their order.
func (b *books) divide(amount engine.Chips, best []engine.Seat, due map[engine.Seat]engine.Chips) {
	unit, n := max(b.rules.Stakes.Chip, 1), engine.Chips(len(best))
	due[best[0]] += amount % unit
	for i, seat := range best {
		turns := amount / unit / n
		if engine.Chips(i) < amount/unit-turns*n {
			turns++
		}
		due[seat] += turns * unit
	}
}

// discard takes the cards that a seat throws away out of its hand; one that nobody knew there is known now.
func (b *books) discard(e *engine.Event) string {
	for _, c := range e.Cards.Slice() {
		i := slices.Index(b.hole[e.Seat], c)
		if i < 0 {
			i = slices.Index(b.hole[e.Seat], card.Hidden)
		}
		if i < 0 {
			return fmt.Sprintf("seat %d throws %v away and does not hold it", e.Seat, c)
		}
		b.hole[e.Seat] = slices.Delete(b.hole[e.Seat], i, i+1)
		b.pile[e.Seat] = append(b.pile[e.Seat], c)
		b.barred[e.Seat] = append(b.barred[e.Seat], c)
		b.exchanged++
	}
	return b.cardsOnce()
}

// threwAway reports whether a card may not come back to a seat as long as there are others.
func (b *books) threwAway(seat engine.Seat, c card.Card) bool {
	return c.Known() && slices.Contains(b.barred[seat], c)
}

// nothingElse reports whether the shoe holds no more cards than a seat threw away, as far as anybody knows.
func (b *books) nothingElse(seat engine.Seat) bool {
	own := 0
	for _, c := range b.barred[seat] {
		if c.Known() && !slices.Contains(b.places(), c) {
			own++
		}
	}
	return b.inShoe() <= own
}

// inShoe is the number of cards that are nowhere else.
func (b *books) inShoe() int { return b.rules.Game.Deck.Len() - len(b.places()) }

// places are the cards that left the shoe, known or not.
func (b *books) places() []card.Card {
	return slices.Concat(b.board, b.burnt, slices.Concat(slices.Collect(maps.Values(b.hole))...), slices.Concat(slices.Collect(maps.Values(b.pile))...))
}

// cardsOnce says which face is in two places, or that there are more cards than the deck has.
func (b *books) cardsOnce() string {
	seen := map[card.Card]bool{}
	for _, c := range b.places() {
		if c.Known() && seen[c] {
			return fmt.Sprintf("%v is in two places", c)
		}
		seen[c] = true
	}
	if b.rules != nil && b.inShoe() < 0 {
		return "more cards are out than the deck has"
	}
	return ""
}

// secret lists the faces that a viewer at a seat (0 for the public) may not see.
func (b *books) secret(viewer engine.Seat) []card.Card {
	out := slices.Clone(b.burnt)
	for seat, cards := range b.hole {
		if seat != viewer && !b.shown.Has(seat) {
			out = append(out, cards...)
		}
	}
	for seat, cards := range b.pile {
		if seat != viewer {
			out = append(out, cards...)
		}
	}
	open := slices.Concat(slices.Collect(maps.Values(b.up))...)
	return slices.DeleteFunc(out, func(c card.Card) bool { return !c.Known() || slices.Contains(open, c) })
}
