package engine

import "tavolo/engine/card"

// Viewer is who looks at a table: the public (the zero value), the player of one seat, or, with All, whoever may see every
// card, such as an auditor reading a journal.
type Viewer struct {
	Seat Seat
	All  bool
}

// sees reports whether the viewer may see the face of a card that seat i holds. It and Redact are the one place that
// decides who may see a card.
func (v Viewer) sees(i Seat, p *Place) bool {
	return v.All || p.Shown || v.Seat != 0 && v.Seat == i
}

// Redact gives the event as the viewer may see it: faces it may not see are card.Hidden.
func Redact(e Event, v Viewer) Event {
	if v.All {
		return e
	}
	own := v.Seat != 0 && v.Seat == e.Seat
	switch e.Kind {
	case HoleDealt:
		if !own && !e.Up {
			e.Card = card.Hidden
		}
	case CardMissed:
		if !own {
			e.Card = card.Hidden
		}
	case CardsDiscarded:
		for i := range e.Cards.Slice() {
			if !own {
				e.Cards[i] = card.Hidden
			}
		}
	case CardBurned, CardSetAside, BoardCorrected:
		e.Card = card.Hidden
	case BoardRetracted:
		if e.Card != card.None {
			e.Card = card.Hidden
		}
	case PowerPlayed:
		if !own && e.Card != card.None {
			e.Card = card.Hidden
		}
	}
	return e
}

// View is a table as one viewer may see it, ready to be shown or published.
type View struct {
	// Seq is the number of the last event that the view includes.
	Seq    uint64 `json:"seq"`
	Hand   uint64 `json:"hand"`  // in play, or the last one; 0 before the first
	Game   string `json:"game"`  // its name in the catalogue
	Limit  string `json:"limit"` // no-limit, pot, half-pot, fixed or spread
	House  string `json:"house"` // whose rules are played
	Phase  Phase  `json:"phase"`
	Street string `json:"street,omitempty"` // its name in the game
	// Button, SmallBlind and BigBlind are the positions of the hand, 0 before the first.
	Button     Seat        `json:"button"`
	SmallBlind Seat        `json:"small_blind"`
	BigBlind   Seat        `json:"big_blind"`
	Stakes     StakesView  `json:"stakes"`
	Board      []card.Card `json:"board"` // the community cards, in the order of the deal
	// Pots hold what is collected, the main pot first; Total is all the money in the hand, bets included.
	Pots  []PotView `json:"pots"`
	Total Chips     `json:"total"`
	// Bet is the bet to meet in this round.
	Bet Chips `json:"bet"`
	// Carousel are the powers of the hand.
	Carousel PowerSet `json:"carousel,omitzero"`
	// Awaits is what the table waits for.
	Awaits AwaitView  `json:"awaits"`
	Seats  []SeatView `json:"seats"` // those that are taken
	// Bank is the house's hand in a game against it, nil elsewhere.
	Bank *BankView `json:"bank,omitempty"`
}

// BankView is the hand of the house.
type BankView struct {
	// Cards are its hole cards, card.Hidden before they are shown, and Holds is what they make with the board then.
	Cards []card.Card `json:"cards,omitempty"`
	Shown bool        `json:"shown,omitempty"` // whether the cards are
	Holds string      `json:"holds,omitempty"`
}

// BoxView is what a seat has put down against the house, each bet by itself: the ante and the bonus bet before the deal,
// the others in the hand, for flop, turn and river.
type BoxView struct {
	Ante  Chips `json:"ante"`
	Bonus Chips `json:"bonus,omitempty"`
	Flop  Chips `json:"flop,omitempty"`
	Turn  Chips `json:"turn,omitempty"`
	River Chips `json:"river,omitempty"`
}

// StakesView are the stakes as people name them, in Chips, those that the game has: SmallBlind and BigBlind, Ante, BringIn, and with
// fixed limits SmallBet and BigBet.
type StakesView struct {
	SmallBlind Chips `json:"small_blind"`
	BigBlind   Chips `json:"big_blind"`
	Ante       Chips `json:"ante,omitempty"`
	BringIn    Chips `json:"bring_in,omitempty"`
	SmallBet   Chips `json:"small_bet,omitempty"`
	BigBet     Chips `json:"big_bet,omitempty"`
	// Spread are the most that a bet may be in spread limit, as in Stakes, Cap the most that a seat puts in during a hand.
	Spread [3]Chips `json:"spread,omitzero"`
	Cap    Chips    `json:"cap,omitempty"`
	// MinAnte, MaxAnte, MinBonus and MaxBonus bound the stakes of a game against the house.
	MinAnte  Chips `json:"min_ante,omitempty"`
	MaxAnte  Chips `json:"max_ante,omitempty"`
	MinBonus Chips `json:"min_bonus,omitempty"`
	MaxBonus Chips `json:"max_bonus,omitempty"`
}

// PotView is one pot and the seats that may win it.
type PotView struct {
	Amount Chips  `json:"amount"` // what is in it
	Seats  []Seat `json:"seats"`
}

// AwaitView is an Await in the words of MQTT.
type AwaitView struct {
	Kind    AwaitKind `json:"kind"`
	Seat    Seat      `json:"seat,omitempty"`   // whose card or decision it is
	Number  int8      `json:"number,omitempty"` // of the card awaited among Of
	Of      int8      `json:"of,omitempty"`
	Legal   *Legal    `json:"legal,omitempty"`
	MayMuck bool      `json:"may_muck,omitempty"` // instead of showing
}

// SeatView is a taken seat.
type SeatView struct {
	Seat  Seat  `json:"seat"`
	Stack Chips `json:"stack"` // what lies behind
	Bet   Chips `json:"bet"`   // what it has bet in this round
	// Out is whether the player sits out, Waits whether for the big blind to come round, Dealt whether the seat began the
	// hand, Live whether it is still in it.
	Out   bool `json:"out,omitempty"`
	Waits bool `json:"waits,omitempty"`
	Dealt bool `json:"dealt,omitempty"`
	Live  bool `json:"live,omitempty"`
	AllIn bool `json:"all_in,omitempty"` // in this hand
	// Acted is whether the seat has acted in this round.
	Acted  bool `json:"acted,omitempty"`
	Shown  bool `json:"shown,omitempty"`  // whether the cards are
	Mucked bool `json:"mucked,omitempty"` // whether the hand was
	// Cards are the hole cards, card.Hidden where the viewer may not see the face.
	Cards []card.Card `json:"cards,omitempty"`
	// Holds says what the cards that the viewer sees make with the board; where low hands win half, the low one follows:
	// "pair of aces; seven-five low".
	Holds string `json:"holds,omitempty"`
	// Best are the cards that make what a hand that was shown holds, in the order one lays them out: five, or in badugi
	// those that count. BestLow are those of its low hand, none where it has none.
	Best    []card.Card `json:"best,omitempty"`
	BestLow []card.Card `json:"best_low,omitempty"`
	// Box is what the seat has put down in a game against the house, nil for nothing.
	Box *BoxView `json:"box,omitempty"`
	// Sparks are what the seat has to pay for powers, Anchored is whether an anchor holds on it in this round.
	Sparks   int8 `json:"sparks,omitempty"`
	Anchored bool `json:"anchored,omitempty"`
	// Peeked is the next community card, where the seat has seen it and the viewer is the seat.
	Peeked card.Card `json:"peeked,omitzero"`
}

// ViewFor gives the table as the viewer may see it.
func ViewFor(s State, v Viewer) View {
	st := s.Rules.Stakes
	view := View{
		Seq: s.Seq, Hand: s.Hand, Phase: s.Phase,
		Game: s.Rules.Game.Name, Limit: s.Rules.Limit.String(), House: s.Rules.House.Name,
		Button: s.Button, SmallBlind: s.SmallBlind, BigBlind: s.BigBlind,
		Stakes: StakesView{
			st.SmallBlind, st.BigBlind, st.Ante, st.BringIn, st.SmallBet, st.BigBet, st.Spread, st.Cap,
			st.MinAnte, st.MaxAnte, st.MinBonus, st.MaxBonus,
		},
		Board: s.Board[:s.BoardLen:s.BoardLen],
		Pots:  []PotView{}, Total: s.Total(), Bet: s.Bet, Carousel: s.Powers.Carousel,
		Seats: []SeatView{},
	}
	if s.Phase != Between {
		view.Street = s.street().Name
	}
	if s.Rules.Game.Banked() {
		view.Bank = s.bankView(v)
	} else if s.Phase != Between {
		pots, n := s.Pots()
		for _, p := range pots[:n] {
			if p.Amount > 0 {
				view.Pots = append(view.Pots, PotView{p.Amount, p.Seats.List()})
			}
		}
	}
	a := s.Awaits()
	view.Awaits = AwaitView{Kind: a.Kind, Seat: a.Seat, Number: a.Number, Of: a.Of, MayMuck: a.MayMuck}
	if a.Kind == AwaitAction {
		view.Awaits.Legal = &a.Legal
	}
	for i := range s.Seats {
		if s.Seats[i].Taken {
			view.Seats = append(view.Seats, s.seatView(Seat(i), v))
		}
	}
	return view
}

func (s *State) bankView(v Viewer) *BankView {
	house := s.seatView(0, v)
	return &BankView{Cards: house.Cards, Shown: house.Shown, Holds: house.Holds}
}

func (s *State) seatView(i Seat, v Viewer) SeatView {
	p := &s.Seats[i]
	sv := SeatView{
		Seat: i, Stack: p.Stack + p.Aside, Bet: p.Bet, Out: p.Out, Waits: p.Waits, Dealt: p.Dealt, Live: s.Live.Has(i),
		AllIn: s.Live.Has(i) && p.Stack == 0 && s.Phase != Between, Acted: p.Acted, Shown: p.Shown, Mucked: p.Mucked,
		Sparks: p.Sparks, Anchored: p.Anchored,
	}
	if own := v.All || v.Seat == i; own && s.Powers.Peekers.Has(i) && s.isAhead(s.Powers.Ahead) {
		sv.Peeked = s.Powers.Ahead
	}
	for n, c := range p.Hole[:p.HoleLen] {
		if !v.sees(i, p) && p.Up&(1<<n) == 0 {
			c = card.Hidden
		}
		sv.Cards = append(sv.Cards, c)
	}
	if p.Ante > 0 {
		bets := p.stake().Bets(p.line())
		sv.Box = &BoxView{Chips(bets.Ante), Chips(bets.Bonus), Chips(bets.Flop), Chips(bets.Turn), Chips(bets.River)}
	}
	if p.HoleLen > 0 && v.sees(i, p) && p.Known() {
		if st := s.strength(i); st != 0 {
			sv.Holds = st.String()
		}
		if low := s.lowStrength(i); low != 0 {
			sv.Holds += "; " + low.String()
		}
		if p.Shown {
			sv.Best, sv.BestLow = s.best(i)
		}
	}
	return sv
}
