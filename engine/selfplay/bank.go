package selfplay

import (
	"fmt"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// bank is what the bookkeeper keeps of a game against the house: the stakes that lie on the boxes, and what the house has
// won over all hands.
type bank struct {
	ante, extra perSeat
	won         engine.Chips
}

// staked is what lies on the boxes for the next hand.
func (b *bank) staked() (sum engine.Chips) {
	for seat := range b.ante {
		sum += b.ante[seat] + b.extra[seat]
	}
	return sum
}

// staked moves chips between a stack and its box, within the limits (BP-02).
func (b *books) staked(e *engine.Event) error {
	k, st := &b.bank, &b.rules.Stakes
	b.stack[e.Seat] += k.ante[e.Seat] + k.extra[e.Seat] - e.Amount - e.Bonus
	k.ante[e.Seat], k.extra[e.Seat] = e.Amount, e.Bonus
	switch {
	case e.Amount == 0 && e.Bonus == 0: // taken back
		return nil
	case e.Amount < st.MinAnte || e.Amount > st.MaxAnte || e.Bonus < 0 || e.Bonus > st.MaxBonus || e.Bonus != 0 && e.Bonus < st.MinBonus:
		return fmt.Errorf("seat %d's stake is out of the limits: %+v", e.Seat, *e)
	case b.stack[e.Seat] < 2*e.Amount:
		return fmt.Errorf("seat %d has %d left, and could not play on with an ante of %d", e.Seat, b.stack[e.Seat], e.Amount)
	}
	return nil
}

// stakesIn has every box that has a stake begin a hand with it, and no other.
func (b *books) stakesIn() error {
	for seat, ante := range b.bank.ante {
		if b.rules.Game.Banked() && (ante > 0) != b.hand.dealt.Has(engine.Seat(seat)) {
			return fmt.Errorf("the hand begins with seats %v, seat %d has an ante of %d", b.hand.dealt.List(), seat, ante)
		}
		b.hand.put[seat] = ante + b.bank.extra[seat]
		b.hand.paid[seat] = b.hand.put[seat]
	}
	return nil
}

// firstBox checks who begins a round: the first box from the dealer's left that can bet, or before the flop fold (BP-04).
func (b *books) firstBox(e *engine.Event) error {
	for seat := range each(b.hand.left()) {
		if b.hand.street == 0 || b.stack[seat] >= b.bank.ante[seat] {
			if seat != e.Seat {
				return fmt.Errorf("seat %d begins, not seat %d", seat, e.Seat)
			}
			return nil
		}
	}
	return fmt.Errorf("seat %d begins, and cannot bet", e.Seat)
}

// boxSettled checks what the house hands back to a box: for ante and bets by the two hands (BP-05), for the bonus bet by
// the two cards alone (BP-06).
func (b *books) boxSettled(e *engine.Event) error {
	h := &b.hand
	ante, extra := b.bank.ante[e.Seat], b.bank.extra[e.Seat]
	put, box, house := h.put[e.Seat], h.hole[e.Seat], h.hole[0]
	bets := put - ante - extra
	h.put[e.Seat] = 0
	back := e.Amount + e.Bonus
	b.stack[e.Seat] += back
	b.brought += back - put
	b.bank.won += put - back

	due := engine.Chips(0)
	if !h.folded.Has(e.Seat) {
		mine, theirs := eval.Standard.Of(box|h.board), eval.Standard.Of(house|h.board)
		if mine >= theirs {
			due = ante + bets
		}
		if mine > theirs {
			due += bets
			if mine.Category() >= eval.Straight {
				due += ante
			}
		}
	}
	bonus := engine.Chips(0)
	if pays := toOne(box, house); extra > 0 && h.held[e.Seat] == 2 && pays > 0 {
		bonus = extra * (pays + 1)
	}
	if e.Amount != due || e.Bonus != bonus {
		return fmt.Errorf("seat %d is handed %d and %d, is due %d and %d", e.Seat, e.Amount, e.Bonus, due, bonus)
	}
	return nil
}

// toOne is what a bonus bet pays on the two cards of a box, 0 if it loses.
func toOne(box, house card.Set) engine.Chips {
	ranks := func(two card.Set) string {
		text := card.Text(two.Cards())
		if len(text) != 4 {
			return ""
		}
		if strings.IndexByte(byRank, text[0]) > strings.IndexByte(byRank, text[2]) {
			return text[2:3] + text[0:1]
		}
		return text[0:1] + text[2:3]
	}
	suited, plain := bonusPays[ranks(box)], bonusPays[ranks(box)+"o"]
	switch cards := box.Cards(); {
	case ranks(box) == "AA" && ranks(house) == "AA":
		return 1000
	case len(cards) == 2 && cards[0].Suit() != cards[1].Suit() && plain > 0:
		return plain
	}
	return suited
}

const byRank = "AKQJT98765432"

// bonusPays is the pay table by names: as it is for pairs and suited hands, with an o behind for hands of two suits.
var bonusPays = map[string]engine.Chips{
	"AA": 30, "KK": 10, "QQ": 10, "JJ": 10,
	"TT": 3, "99": 3, "88": 3, "77": 3, "66": 3, "55": 3, "44": 3, "33": 3, "22": 3,
	"AK": 25, "AKo": 15, "AQ": 20, "AQo": 5, "AJ": 20, "AJo": 5,
}

// allSettled checks that no bet of a hand against the house is left on the felt.
func (b *books) allSettled() error {
	for seat, put := range b.hand.put {
		if put != 0 {
			return fmt.Errorf("the %d that seat %d put in are not settled", put, seat)
		}
	}
	return nil
}

// stake sees to it that a hand against the house can begin: some seats put something down.
func (p *player) stake() error {
	s := &p.table.State
	st := &s.Rules.Stakes
	for n := 0; s.Phase == engine.Between && (n == 0 || p.table.books.bank.staked() == 0 || p.once(2)); n++ {
		in := engine.Input{Kind: engine.Staked, Seat: p.seat()}
		has := s.Seats[in.Seat].Stack + s.Seats[in.Seat].Put
		in.Amount = pick(p.random, st.MinAnte, min(st.MaxAnte, max(st.MinAnte, has/pick[engine.Chips](p.random, 3, 4, 5, 20))))
		in.Bonus = pick(p.random, 0, st.MaxBonus, st.MaxBonus)
		switch place := &s.Seats[in.Seat]; {
		case !place.Taken && (p.taken() == p.seats || int(in.Seat) > s.Rules.House.MaxSeats):
			continue
		case !place.Taken:
			in = engine.Input{Kind: engine.SeatTaken, Seat: in.Seat, Amount: 3*st.MinAnte + p.stack()}
		case place.Out:
			in = engine.Input{Kind: engine.SatIn, Seat: in.Seat}
		case has < 3*in.Amount+in.Bonus:
			in = engine.Input{Kind: engine.ChipsAdded, Seat: in.Seat, Amount: 3*in.Amount + in.Bonus}
		}
		if err := p.must(in); err != nil {
			return err
		}
	}
	return nil
}

// tryStakes tries stakes at both ends of what a box may put down, and beyond.
func (t *Table) tryStakes(a *engine.Await) {
	s := &t.State
	st := &s.Rules.Stakes
	banked := s.Rules.Game.Banked() && s.Phase == engine.Between
	for seat := engine.Seat(1); seat <= engine.MaxSeats; seat++ {
		p := &s.Seats[seat]
		has := p.Stack + p.Ante + p.Bonus
		put := func(legal bool, ante, extra engine.Chips) {
			t.try(banked && p.Taken && legal, engine.Input{Kind: engine.Staked, Seat: seat, Amount: ante, Bonus: extra})
		}
		put(true, 0, 0)
		put(!p.Out && has >= 3*st.MinAnte, st.MinAnte, 0)
		put(!p.Out && has >= 3*st.MaxAnte+st.MaxBonus, st.MaxAnte, st.MaxBonus)
		put(false, st.MaxAnte+1, 0)
		put(false, st.MinAnte, st.MaxBonus+1)
		put(false, st.MinAnte, -1)
		put(false, 0, 1)
		put(false, -st.MinAnte, 0)
		put(false, 1<<62, 1<<62)
	}
	if s.Rules.Game.Banked() && a.Kind == engine.AwaitNothing {
		t.try(t.books.bank.staked() > 0, engine.Input{Kind: engine.HandStarted})
	}
}

// house reports whether it is the house that is to get or to show a card.
func (t *Table) house(a engine.Await) bool { return a.Seat == 0 && t.State.Rules.Game.Banked() }

// unreasonableWager is unreasonable for a box against the house: it may bet one or two antes, and else fold or check.
func unreasonableWager(l *engine.Legal, p *engine.Place) string {
	switch {
	case l.BringIn > 0 || l.ToCall > 0 || l.Split || l.TwoSizes:
		return "a box has nothing to call, to bring in or to split"
	case l.Check != l.NoFold:
		return "who may check plays on, and does not fold"
	case !l.Raise && (l.Check || l.Opens || l.MinTo != 0 || l.MaxTo != 0):
		return "a box that can only check is not asked"
	case l.Raise && (!l.Opens || l.MinTo != l.MaxTo || l.MinTo > p.Stack):
		return "the bet has one size, within the stack"
	case l.Raise && !l.Check && l.MinTo != 2*p.Ante || l.Raise && l.Check && l.MinTo != p.Ante:
		return "the bet is two antes before the flop, and one later"
	case l.AllIn != 0 && (l.AllIn != p.Stack || l.AllIn != l.MinTo):
		return "all-in is the bet, and all"
	}
	return ""
}
