package engine

import (
	"math"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// Legal is what the seat to act may do, in the words its panel lights up. Amounts are the seat's whole bet of the round,
// but for ToCall.
type Legal struct {
	// BringIn is what the seat must put in at least to open a game without blinds; then it may not check or fold. 0
	// elsewhere.
	BringIn Chips `json:"bring_in,omitempty"`
	// Split is whether the seat may offer to split the pots, or take the offer (NX-A6).
	Split bool `json:"split,omitempty"`
	// Check is whether passing costs nothing. Folding is always legal, but where NoFold is set.
	Check  bool `json:"check,omitempty"`
	NoFold bool `json:"no_fold,omitempty"`
	// ToCall is what the seat adds to call, at most its stack; 0 when there is nothing to call.
	ToCall Chips `json:"to_call,omitempty"`
	// Raise is whether the seat may bet (Opens) or raise, to at least MinTo and at most MaxTo.
	Raise bool  `json:"raise,omitempty"`
	Opens bool  `json:"opens,omitempty"`
	MinTo Chips `json:"min_to,omitempty"`
	MaxTo Chips `json:"max_to,omitempty"`
	// TwoSizes is set where MinTo and MaxTo are legal and nothing between them (NX-62).
	TwoSizes bool `json:"two_sizes,omitempty"`
	// Chip is the smallest chip in play, if it is above 1: between MinTo and MaxTo only what it divides is legal. The ends may be
	// what somebody has left who is all-in.
	Chip Chips `json:"chip,omitempty"`
	// AllIn is the seat's whole bet if it puts in everything it has; 0 where the limit forbids that.
	AllIn Chips `json:"all_in,omitempty"`
	// Powers are those the seat may use first, Targets the seats that an Anchor may be on.
	Powers  PowerSet `json:"powers,omitzero"`
	Targets Seats    `json:"targets,omitempty"`
}

// toAct are the seats that must still decide something in this round (NK-04).
func (s *State) toAct() Seats {
	if s.Rules.Game.Banked() {
		return s.among(s.Live, func(p *Place) bool { return s.wagers(p) })
	}
	canBet := s.canBet()
	if canBet.Len() > 1 {
		return s.among(canBet, func(p *Place) bool { return !p.Acted || p.Bet < s.Bet })
	}
	// Everybody else is all-in: there is only their largest bet to meet, and no more to win.
	var largest Chips
	for i := range s.Live.all() {
		largest = max(largest, s.Seats[i].Bet)
	}
	return s.among(canBet, func(p *Place) bool { return p.Bet < largest })
}

// firstToAct is the seat that opens the street, 0 when nobody can bet.
func (s *State) firstToAct() Seat {
	if s.Shared {
		return 0
	}
	return s.opener(s.street().Opener, s.toAct())
}

// opener finds which of some seats comes first by a rule, 0 if there are none.
func (s *State) opener(rule Opener, among Seats) Seat {
	switch rule {
	case LeftOfBlinds:
		return among.after(s.Opener)
	case LeftOfBigBlind:
		return among.after(s.BigBlind)
	case LeftOfDealer:
		return among.after(0)
	case LowCard, HighCard, BestShowing:
		return s.bestShowing(rule, among)
	case LeftOfButton:
		if s.Rules.House.BigBlindOpens {
			return among.after(right(s.BigBlind))
		}
	}
	return among.after(s.Button)
}

// bestShowing finds the seat whose cards showing put it first, of equal ones the nearest to the left of the button.
func (s *State) bestShowing(rule Opener, among Seats) (best Seat) {
	var most int
	for seat := range clockwise(s.Button) {
		if !among.Has(seat) {
			continue
		}
		worth := s.showingWorth(rule, &s.Seats[seat])
		if best == 0 || worth > most {
			best, most = seat, worth
		}
	}
	return best
}

// showingWorth orders cards showing by a rule, higher comes first; nothing known comes last.
func (s *State) showingWorth(rule Opener, p *Place) int {
	up := p.Showing()
	if up == 0 {
		return math.MinInt
	}
	if rule == BestShowing {
		return int(s.Rules.Game.High.Strength(eval.Free, up, 0))
	}
	worth := math.MinInt
	for _, c := range up.Cards() {
		w := s.Rules.Game.cardOrder(c)
		if rule == LowCard {
			w = -w
		}
		worth = max(worth, w)
	}
	return worth
}

// cardOrder is how a single card ranks where one decides who brings in: by rank, then by suit (NX-52, NX-82, NX-91).
func (g *Game) cardOrder(c card.Card) int {
	rank := int(c.Rank()) + 1
	if g.AceLow && c.Rank() == card.Ace {
		rank = 0
	}
	return 4*rank + g.Suits.place(c.Suit())
}

// bringsIn reports whether the seat to act is the one that opens a game without blinds.
func (s *State) bringsIn() bool { return s.Rules.Game.BringIn && s.Street == 0 && s.Bet == 0 }

// legal says what the seat to act may do.
func (s *State) legal(i Seat) Legal {
	if s.Rules.Game.Banked() {
		return s.legalWager(i)
	}
	p := &s.Seats[i]
	l := Legal{Split: s.MaySplit}
	if s.bringsIn() {
		l.BringIn = min(s.Rules.Stakes.BringIn, p.Stack)
	} else if p.Bet >= s.Bet {
		l.Check = true
	} else {
		l.ToCall = min(s.Bet-p.Bet, p.Stack)
	}
	all := p.Bet + p.Stack
	if all <= s.Bet || l.BringIn == p.Stack {
		l.AllIn = all
	}
	if _, why := s.barred(i); why != "" {
		return l
	}
	l.Raise, l.Opens = true, s.Bet == 0
	l.MinTo, l.MaxTo = s.raiseSizes(p)
	if p.Anchored {
		l.MaxTo = s.anchoredTo(p, l.MinTo, l.MaxTo)
	}
	if all <= l.MaxTo {
		l.AllIn = all
	}
	l.MaxTo = min(l.MaxTo, all)
	l.TwoSizes = s.Rules.Limit == FixedLimit && l.MinTo < l.MaxTo
	if clipped := max(s.Bet+1, s.deepest(i), l.BringIn); s.Rules.House.ClippedRaises && clipped < l.MinTo {
		l.MinTo, l.TwoSizes = clipped, false
	}
	l.MinTo = min(l.MinTo, l.MaxTo)
	if chip := s.Rules.Stakes.chip(); chip > 1 && !s.Rules.House.ClippedRaises { // a record has what was bet
		l.Chip = chip
	}
	return l
}

// Within moves an amount into what a bet or raise may be to: of two sizes to the nearer one, else down to whole chips. Where neither
// is legal it means nothing.
func (l *Legal) Within(to Chips) Chips {
	switch {
	case l.TwoSizes && to-l.MinTo < l.MaxTo-to:
		return l.MinTo
	case l.TwoSizes || to >= l.MaxTo:
		return l.MaxTo
	case l.Chip > 1:
		to -= to % l.Chip
	}
	return max(to, l.MinTo)
}

// barred says why the betting is closed to seat i, by which rule and in words; "" when it may bet or raise (TD-02, TD-03,
// NK-05).
func (s *State) barred(i Seat) (rule, why string) {
	p := &s.Seats[i]
	house := s.Rules.House
	switch {
	case s.Rules.Game.Banked():
		return s.wagerRule(), "the seat has less than the bet"
	case p.Late && house.LateDrawCannotRaise:
		return "NX-71", "the seat's time ran out over the draw"
	case p.Bet+p.Stack <= s.Bet || s.bringsIn() && p.Stack <= s.Rules.Stakes.BringIn:
		return "NX-10", "the seat has no more than the bet"
	case s.canBet().Without(i) == 0:
		return "NK-04", "nobody else can bet any more"
	case p.Acted && !s.reopened(p):
		return s.shortRule(), "the bet has not been raised enough since the seat acted"
	case s.Rules.Limit == SpreadLimit && s.Bet >= 3*s.spread():
		return "NX-22", "the round has had all its raises"
	case s.Rules.Limit == FixedLimit && house.RaiseCap > 0 && s.Raises >= house.RaiseCap && (!house.HeadsUpUncapped || s.RoundSeats > 2):
		if house.HeadsUpUncapped {
			return "TD-03", "the round has had all its raises"
		}
		return "NX-21", "the round has had all its raises"
	}
	return "", ""
}

// shortRule is the id of the rule by which a short all-in does not open the betting again.
func (s *State) shortRule() string {
	if s.Rules.House.ShortRaise == HalfOrSum && s.Rules.Limit == FixedLimit {
		return "TD-03"
	}
	return [...]string{HalfOrSum: "TD-02", MoreThanHalf: "TC-03", FullOnly: "NX-20"}[s.Rules.House.ShortRaise]
}

// reopened reports whether the bet was raised enough since a seat acted for it to raise again (TD-02, TD-03, TC-03,
// NX-20).
func (s *State) reopened(p *Place) bool {
	by := s.Bet - p.ActedAt
	switch {
	case s.FullBet > p.ActedAt: // there was a full raise
		return true
	case s.Rules.House.ShortRaise == FullOnly:
		return false
	case s.Rules.Limit == FixedLimit && s.Rules.House.ShortRaise == MoreThanHalf:
		return 2*by > s.MinRaise
	case s.Rules.Limit == FixedLimit:
		return 2*by >= s.MinRaise
	}
	return s.Rules.House.ShortRaise == HalfOrSum && by >= s.MinRaise
}

// spread is the most that a bet may be in this round of spread limit (NX-22).
func (s *State) spread() Chips {
	fromEnd := len(s.Rules.Game.Streets) - 1 - int(s.Street)
	return s.Rules.Stakes.Spread[max(0, 2-fromEnd)]
}

// raiseSizes gives the least and the most a seat may raise to, before its stack is looked at.
func (s *State) raiseSizes(p *Place) (least, most Chips) {
	switch s.Rules.Limit {
	case FixedLimit:
		return s.FullBet + s.MinRaise, s.FullBet + s.upperSize()
	case PotLimit:
		// The pot after the call, added to the bet (B10, B11, TC-04, NK-06).
		least := s.Bet + s.MinRaise
		return least, max(least, s.Bet+s.potToRaise(p))
	case HalfPot:
		least := s.Bet + s.MinRaise
		return least, max(least, s.Bet+s.inChips(s.potToRaise(p)/2))
	case SpreadLimit:
		if s.Bet == 0 {
			return s.MinRaise, s.spread()
		}
		to := min(s.Bet+s.MinRaise, 3*s.spread())
		return to, to
	default:
		return s.Bet + s.MinRaise, p.Bet + p.Stack
	}
}

// upperSize is the size of a fixed-limit raise, the upper one where a seat may choose it.
func (s *State) upperSize() Chips {
	if st := s.street(); st.BigOnPair && s.pairShows() {
		return s.Rules.Stakes.BigBet
	}
	return s.MinRaise
}

// pairShows reports whether a seat shows two cards of one rank.
func (s *State) pairShows() bool {
	for i := range s.Seats {
		var ranks uint16
		for _, c := range s.Seats[i].Showing().Cards() {
			bit := uint16(1) << c.Rank()
			if ranks&bit != 0 {
				return true
			}
			ranks |= bit
		}
	}
	return false
}

// potToRaise is the pot by which p may raise in pot limit: as it is once p has called, or where the house says so as it
// is before. On the first street a blind posted short counts in full (TD-04), and the big blind's ante for the table does
// not count (B11).
func (s *State) potToRaise(p *Place) Chips {
	pot := s.Total()
	if !s.Rules.House.PotBeforeCall {
		pot += s.Bet - p.Bet
	}
	if s.Street > 0 {
		return pot
	}
	for i := range s.Seats {
		pot += s.Seats[i].Short
	}
	if !s.Rules.House.AntesInPot {
		pot -= min(s.Dead, s.Rules.Stakes.BigBlindAnte)
	}
	return pot
}

// deepest is the most that any live opponent of seat i could put in this round.
func (s *State) deepest(i Seat) Chips {
	var most Chips
	for j := range s.Live.Without(i).all() {
		most = max(most, s.Seats[j].Bet+s.Seats[j].Stack)
	}
	return most
}

// raised folds a bet or raise to an amount into the round's numbers. A raise of at least the last one is the new measure,
// a shorter all-in is not (TD-02). In fixed limit only what reaches the full size is a new level, so a shorter all-in may be
// completed, and the two count as one raise (TD-03, B8, B9).
func (s *State) raised(to Chips) {
	by := to - s.Bet
	switch {
	case s.Rules.Limit == FixedLimit && to >= s.FullBet+s.MinRaise:
		if s.FullBet > 0 {
			s.Raises++
		}
		if upper := s.upperSize(); to-s.FullBet >= upper { // raises follow the upper size from now on (NX-62)
			s.MinRaise = upper
		}
		s.FullBet = to
	case s.Rules.Limit != FixedLimit && by >= s.MinRaise:
		s.MinRaise, s.FullBet = by, to
	}
	s.Bet = to
}
