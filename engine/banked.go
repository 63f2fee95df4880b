package engine

import (
	"errors"
	"fmt"

	"tavolo/engine/bonus"
	"tavolo/engine/card"
)

// Games that are played against the house: each seat is a box that puts its stake down between hands, makes or does not make
// one bet of a fixed size on each street, and is settled by itself against the house's hand.

// mostStake bounds the stakes of a box, so that what the house pays to all of them is far from what Chips can count.
const mostStake = MaxChips / 1e5

// validateBanked says why a game against the house cannot be played by these rules.
func (r *Rules) validateBanked() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	st := &r.Stakes
	if r.Limit != FixedLimit {
		bad("limit: %s has bets of fixed sizes, want fixed", r.Game.Name)
	}
	if st.MinAnte <= 0 || st.MaxAnte < st.MinAnte || st.MaxAnte > mostStake {
		bad("stakes: %s needs min_ante above 0 and max_ante not below it, at most %d, have %d and %d (BP-02)",
			r.Game.Name, mostStake, st.MinAnte, st.MaxAnte)
	}
	if st.MaxBonus != 0 && (st.MinBonus <= 0 || st.MaxBonus < st.MinBonus || st.MaxBonus > mostStake) {
		bad("stakes: a bonus bet needs min_bonus above 0 and max_bonus not below it, at most %d, have %d and %d (BP-02)",
			mostStake, st.MinBonus, st.MaxBonus)
	}
	if len(r.Rake.Steps) > 0 {
		bad("rake: %s has no pot to take it of", r.Game.Name)
	}
	return errors.Join(errs...)
}

// limits are how much may be put on a box.
func (st *Stakes) limits() bonus.Limits {
	return bonus.Limits{
		MinAnte: int64(st.MinAnte), MaxAnte: int64(st.MaxAnte), MinBonus: int64(st.MinBonus), MaxBonus: int64(st.MaxBonus),
	}
}

// Stake is a stake on a box, the player's own or behind it, with an ante below the minimum raised to it; or the *RuleError by
// which it is refused (BP-02). It is for games against the house.
func (r *Rules) Stake(box Seat, ante, extra Chips) (bonus.Stake, error) {
	stake, err := r.Stakes.limits().Stake(int64(ante), int64(extra))
	if out, ok := errors.AsType[*bonus.OutOfLimits](err); ok {
		code := CodeTooLittle
		if out.Above {
			code = CodeTooMuch
		}
		return stake, refuse(code, box, "BP-02", "%s", out.Text)
	}
	return stake, nil
}

// Outcome is what a box has decided in the hand and the cards that settle it, as far as they are known, for those who play
// behind it. It is there until the box has its next stake.
func (s *State) Outcome(box Seat) (bonus.Line, bonus.Cards) {
	p, house := &s.Seats[box], &s.Seats[0]
	line := p.line()
	if !s.Live.Has(box) { // it has decided nothing but its stake
		line = bonus.Line{}
	}
	return line, bonus.Cards{
		Box: card.SetOf(p.Hole[:p.HoleLen]...), House: card.SetOf(house.Hole[:house.HoleLen]...), Board: card.SetOf(s.Board[:s.BoardLen]...),
	}
}

// What a box can be asked.
func hasStake(p *Place) bool { return p.Ante > 0 }

// unsettled are the boxes whose hand the house must see: they are in, or their two cards stay for a bonus bet (BP-03).
func (s *State) unsettled() Seats {
	bonus := s.seats(func(p *Place) bool { return p.Bonus > 0 && p.HoleLen == s.holeWanted() })
	return s.among(s.Live|bonus, func(p *Place) bool { return !p.Shown })
}

// stake is what the box has put down.
func (p *Place) stake() bonus.Stake { return bonus.Stake{Ante: int64(p.Ante), Bonus: int64(p.Bonus)} }

// line is what the box decided so far.
func (p *Place) line() bonus.Line {
	bet := func(street int) bool { return p.Wagers&(1<<street) != 0 }
	return bonus.Line{Play: bet(0), Turn: bet(1), River: bet(2)}
}

// staked decides the stake of a box for the next hand (BP-02). It must be able to play on: it keeps back what that takes.
func staked(s *State, in *Input, events []Event) ([]Event, error) {
	p := &s.Seats[in.Seat]
	switch {
	case !s.Rules.Game.Banked():
		return events, refuse(CodeBadInput, in.Seat, "", "%s is not played against the house", s.Rules.Game.Name)
	case in.Seat == 0:
		return events, refuse(CodeBadSeat, 0, "", "no seat was named")
	case !p.Taken:
		return events, refuse(CodeSeatEmpty, in.Seat, "", "nobody sits there")
	case s.Phase != Between:
		return events, refuse(CodeHandInPlay, in.Seat, "BP-02", "bets are placed before the deal")
	case in.Amount == 0 && in.Bonus == 0:
		return s.takeBack(in.Seat, events), nil
	case p.Out:
		return events, refuse(CodeNotAwaited, in.Seat, "", "the seat sits out")
	}
	stake, err := s.Rules.Stake(in.Seat, in.Amount, in.Bonus)
	if err != nil {
		return events, err
	}
	e := Event{Kind: StakePlaced, Seat: in.Seat, Amount: Chips(stake.Ante), Bonus: Chips(stake.Bonus)}
	if need, has := e.Amount*Chips(1+s.Rules.Game.Streets[0].Wager)+e.Bonus, p.Stack+p.Put; need > has {
		return events, refuse(CodeTooMuch, in.Seat, "BP-03", "an ante of %d takes %d to play on, the seat has %d", e.Amount, need, has)
	}
	return append(events, e), nil
}

// takeBack takes back the stake of a box that has one and is not in a hand.
func (s *State) takeBack(seat Seat, events []Event) []Event {
	if s.Phase != Between || !hasStake(&s.Seats[seat]) {
		return events
	}
	return append(events, Event{Kind: StakePlaced, Seat: seat})
}

// startBanked decides who is in the next hand: every box that has a stake.
func startBanked(s *State, in *Input, events []Event) ([]Event, error) {
	began := Event{Kind: HandBegan, Hand: s.Hand + 1, Dealt: s.seats(hasStake)}
	switch {
	case in.Forced != nil:
		return events, refuse(CodeBadInput, 0, "BP-02", "%s has no forced bets", s.Rules.Game.Name)
	case began.Dealt == 0:
		return events, refuse(CodeTooFew, 0, "BP-02", "no box has a bet")
	}
	return append(events, began), nil
}

// wager is the bet that a box may make on the street in play, 0 where there is none.
func (s *State) wager(p *Place) Chips { return Chips(s.street().Wager) * p.Ante }

// wagers reports whether a box that is in has to decide: it plays on or folds, or may bet if it can.
func (s *State) wagers(p *Place) bool {
	w := s.wager(p)
	return !p.Acted && w > 0 && (p.Stack >= w || s.street().OrFold)
}

// legalWager says what the box to act may do: bet exactly its wager, and else fold before the flop, check later.
func (s *State) legalWager(i Seat) Legal {
	p, fold := &s.Seats[i], s.street().OrFold
	l := Legal{Check: !fold, NoFold: !fold}
	if w := s.wager(p); p.Stack >= w {
		l.Raise, l.Opens, l.MinTo, l.MaxTo = true, true, w, w
		if p.Stack == w {
			l.AllIn = w
		}
	}
	return l
}

// wagerRule is the id of the rule that says how much a box may bet on the street in play.
func (s *State) wagerRule() string {
	if s.street().OrFold {
		return "BP-03"
	}
	return "BP-04"
}

// leastRule is the id of the rule that says how little a seat may bet.
func (s *State) leastRule() string {
	if s.Rules.Game.Banked() {
		return s.wagerRule()
	}
	return s.Rules.Limit.leastRule()
}

// afterWagers goes on to the next street while a box is in, and then to the showdown, if there is anything to show.
func afterWagers(s *State, events []Event) []Event {
	switch unsettled := s.unsettled(); {
	case s.Live.Len() > 0 && !s.lastStreet():
		return append(events, s.nextStreet())
	case unsettled != 0:
		return append(events, Event{Kind: ShowdownOpened})
	}
	return settle(s, events)
}

// showBanked takes the showdown one step on: the house first, then the boxes clockwise (BP-05). Known hands go face up by
// themselves.
func showBanked(s *State, events []Event) []Event {
	seat := Seat(0)
	if s.Seats[0].Shown {
		if seat = s.unsettled().after(0); seat == 0 {
			return settle(s, events)
		}
	}
	if seat != s.Turn {
		events = append(events, Event{Kind: TurnPassed, Seat: seat})
	}
	if p := &s.Seats[seat]; p.Known() {
		events = append(events, Event{Kind: HandShown, Seat: seat, Cards: p.Hole})
	}
	return events
}

// settle has the house take and pay, box by box, and ends the hand (BP-05, BP-06).
func settle(s *State, events []Event) []Event {
	for seat := range clockwise(0) {
		p := &s.Seats[seat]
		if !p.Dealt {
			continue
		}
		stake := p.stake()
		line, cards := s.Outcome(seat)
		if !p.Shown { // it had no cards to win the bonus bet with
			stake.Bonus = 0
		}
		back := s.Rules.Game.Settle(stake, line, cards)
		events = append(events, Event{
			Kind: BoxSettled, Seat: seat, Amount: Chips(back.Total() - back.Bonus), Bonus: Chips(back.Bonus),
		})
	}
	return append(events, Event{Kind: HandEnded})
}
