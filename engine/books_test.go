package engine_test

import (
	"fmt"
	"slices"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
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
	round   map[engine.Seat]engine.Chips // bets of the round
	put     map[engine.Seat]engine.Chips // all that a seat put in as its own
	paid    map[engine.Seat]engine.Chips // all that left a seat's stack and did not come back
	won     map[engine.Seat]engine.Chips
	dead    engine.Chips
	rake    engine.Chips
	rakeDue engine.Chips
	void    bool
	hole    map[engine.Seat][]card.Card
	shown   engine.Seats
	board   []card.Card
	burnt   []card.Card
	actions int
}

func newBooks(rules *engine.Rules) *books {
	return &books{rules: rules, stack: map[engine.Seat]engine.Chips{}}
}

// enter takes one event into the books, and says what is wrong with it, "" if nothing is.
func (b *books) enter(e *engine.Event) string {
	if e.Amount < 0 {
		return fmt.Sprintf("an amount below zero: %+v", *e)
	}
	switch e.Kind {
	case engine.PlayerSat, engine.StackAdded:
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
			won: map[engine.Seat]engine.Chips{}, hole: map[engine.Seat][]card.Card{},
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
		if e.Action == engine.Fold {
			b.folded = b.folded.With(e.Seat)
		}
		return b.pays(e)
	case engine.UncalledReturned:
		b.round[e.Seat] -= e.Amount
		b.paid[e.Seat] -= e.Amount
		b.stack[e.Seat] += e.Amount
	case engine.BetsCollected:
		return b.collect(e)
	case engine.HoleDealt:
		b.hole[e.Seat] = append(b.hole[e.Seat], e.Card)
	case engine.BoardDealt:
		b.board = append(b.board, e.Card)
	case engine.CardBurned:
		b.burnt = append(b.burnt, e.Card)
	case engine.HandShown:
		b.hole[e.Seat] = slices.Clone(e.Cards.Slice())
		b.shown = b.shown.With(e.Seat)
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
	case b.stack[e.Seat] < 0:
		return fmt.Sprintf("seat %d pays %d more than it has", e.Seat, -b.stack[e.Seat])
	case e.Amount > 0 && e.AllIn != (b.stack[e.Seat] == 0):
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
		rake := b.rakeDue
		for _, l := range b.layers() {
			off := min(rake, l.amount)
			rake -= off
			b.divide(l.amount-off, l.seats, due)
		}
		if b.rake != b.rakeDue-rake {
			return fmt.Sprintf("the house took %d, is due %d", b.rake, b.rakeDue-rake)
		}
	}
	for _, seat := range b.dealt.List() {
		if b.won[seat] != due[seat] {
			return fmt.Sprintf("seat %d got %d, is due %d", seat, b.won[seat], due[seat])
		}
	}
	return ""
}

// divide gives one layer to its best hands, in whole chips, those left over one each clockwise from the button.
func (b *books) divide(amount engine.Chips, seats engine.Seats, due map[engine.Seat]engine.Chips) {
	var best []engine.Seat
	var top eval.Strength
	for i := range engine.Seat(engine.MaxSeats) {
		seat := (b.button+i)%engine.MaxSeats + 1
		if !seats.Has(seat) {
			continue
		}
		var mine eval.Strength
		if len(seats.List()) > 1 {
			mine = b.rules.Game.High.Strength(b.rules.Game.Use, card.SetOf(b.hole[seat]...), card.SetOf(b.board...))
		}
		if mine > top {
			best = nil
		}
		if mine >= top {
			best, top = append(best, seat), mine
		}
	}
	unit := max(b.rules.Stakes.Chip, 1)
	due[best[0]] += amount % unit
	for i := engine.Chips(0); i < amount/unit; i++ {
		if i%engine.Chips(len(best)) == 0 && amount/unit-i >= engine.Chips(len(best)) { // whole turns at once
			turns := (amount/unit - i) / engine.Chips(len(best))
			for _, seat := range best {
				due[seat] += turns * unit
			}
			i += turns*engine.Chips(len(best)) - 1
			continue
		}
		due[best[i%engine.Chips(len(best))]] += unit
	}
}

// cardsOnce says which face is in two places.
func (b *books) cardsOnce() string {
	seen := map[card.Card]bool{}
	for _, c := range slices.Concat(append([][]card.Card{b.board, b.burnt}, b.holes()...)...) {
		if c.Known() && seen[c] {
			return fmt.Sprintf("%v is in two places", c)
		}
		seen[c] = true
	}
	return ""
}

func (b *books) holes() [][]card.Card {
	var out [][]card.Card
	for _, cards := range b.hole {
		out = append(out, cards)
	}
	return out
}

// secret lists the faces that a viewer at a seat (0 for the public) may not see.
func (b *books) secret(viewer engine.Seat) []card.Card {
	out := slices.Clone(b.burnt)
	for seat, cards := range b.hole {
		if seat != viewer && !b.shown.Has(seat) {
			out = append(out, cards...)
		}
	}
	return slices.DeleteFunc(out, func(c card.Card) bool { return !c.Known() })
}
