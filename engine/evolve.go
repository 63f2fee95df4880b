package engine

import (
	"slices"

	"tavolo/engine/card"
)

// evolve folds one event into the state. It forbids nothing: whatever the event says happened, happened.
func evolve(s *State, e *Event) {
	s.Seq++
	p := &s.Seats[e.Seat]
	switch e.Kind {
	case PlayerSat:
		s.Live = s.Live.Without(e.Seat)
		*p = Place{Taken: true, Stack: e.Amount, OwesBig: e.Live}
	case StackAdded:
		p.Stack += e.Amount
	case PlayerSatOut:
		p.Out, p.Waits = true, false
	case PlayerSatIn:
		p.Out, p.Waits = false, false
	case PlayerWaiting:
		p.Out, p.Waits = false, true
	case PlayerLeft:
		s.Live = s.Live.Without(e.Seat)
		*p = Place{}
	case PlayerMoved:
		s.Live = s.Live.Without(e.Seat).Without(e.Target)
		s.Seats[e.Target] = Place{
			Taken: true, Out: p.Out, Waits: p.Waits, Stack: p.Stack, OwesBig: p.OwesBig || e.Live, OwesSmall: p.OwesSmall,
		}
		*p = Place{}
	case ButtonMoved:
		s.Button, s.SmallBlind, s.BigBlind, s.Opener = e.Button, e.SmallBlind, e.BigBlind, e.Seat
		if s.Phase != Between {
			s.startOver()
		}

	case HandBegan:
		s.begin(e)
	case AntePosted:
		p.Stack -= e.Amount
		if e.Dead {
			s.Dead += e.Amount
		} else {
			p.Put += e.Amount
		}
	case BlindPosted:
		p.Stack -= e.Amount
		p.Bet += e.Amount
		p.Short = e.To - e.Amount
		s.Bet = max(s.Bet, e.To)
	case DeadPosted:
		p.Stack -= e.Amount
		s.Dead += e.Amount

	case StreetOpened:
		s.open(e)
	case CardBurned:
		s.Burnt = true
		s.left(e.Card)
	case HoleDealt:
		if e.Up {
			p.Up |= 1 << p.HoleLen
		}
		p.Hole[p.HoleLen] = e.Card
		p.HoleLen++
		p.Exposed = p.Exposed && p.HoleLen < s.holeWanted()
		s.left(e.Card)
		if s.Phase == Swapping {
			s.Phase = Betting
		}
	case CardsDiscarded:
		s.discard(p, e)
	case DrawClosed:
		s.Phase, s.Turn = Dealing, 0
	case ShoeReloaded:
		s.reload()
	case BoardDealt:
		s.Board[s.BoardLen] = e.Card
		s.BoardLen++
		s.left(e.Card)
	case BettingOpened:
		s.openBetting()
	case TurnPassed:
		s.Turn, s.Powers.InTurn = e.Seat, false
	case PlayerActed:
		s.act(p, e)
	case PlayerProtected:
		p.Stack, p.Aside = 0, p.Aside+p.Stack
		s.withdraw()
	case PowerPlayed:
		s.playPower(p, e)
	case AnchorHeld:
		p.Anchored = true
		s.Phase, s.Powers.Target = Betting, 0
	case UncalledReturned:
		p.Bet -= e.Amount
		p.Stack += e.Amount
	case BetsCollected:
		s.collect()
	case ShowdownOpened:
		s.Phase, s.Turn, s.FaceUp = Showing, 0, e.AllIn

	case HandShown:
		p.Shown, p.Hole = true, e.Cards
		for _, c := range e.Cards.Slice() {
			s.Out = s.Out.Add(c)
		}
	case HandMucked:
		p.Mucked = true
	case RakeTaken:
		s.Rake = 0
		s.Paid += e.Amount
	case PotAwarded:
		p.Stack += e.Amount
		p.Won += e.Amount
		s.Paid += e.Amount
	case StakePlaced:
		p.Stack, p.Put = p.Stack+p.Put-e.Amount-e.Bonus, e.Amount+e.Bonus
		p.Ante, p.Bonus, p.Wagers = e.Amount, e.Bonus, 0
	case BoxSettled:
		back := e.Amount + e.Bonus
		p.Stack += back
		s.Bank += p.Put - back
		p.Put = 0
	case AwardMoved:
		p.Stack, p.Won = p.Stack-e.Amount, p.Won-e.Amount
		to := &s.Seats[e.Target]
		to.Stack, to.Won = to.Stack+e.Amount, to.Won+e.Amount
	case HandDeclaredDead:
		s.Live = s.Live.Without(e.Seat)
		s.dropPower(e.Seat)
	case CardSetAside:
		s.left(e.Card)
		s.Discarded = s.Discarded.Add(e.Card)
		s.Removed++
		if e.Boxed {
			s.Boxed++
		}
		s.Powers.Peekers = 0
	case CardExposed:
		p.drop(e.Card)
		p.Exposed = true
		s.Exposures++
		s.Out = s.Out.Add(e.Card)
		s.spareBurn()
		s.Phase, s.Turn = Dealing, 0
	case CardTurned:
		i := slices.Index(p.Hole[:p.HoleLen], e.Card)
		if i < 0 {
			i = slices.Index(p.Hole[:p.HoleLen], card.Hidden)
		}
		p.Hole[i] = e.Card
		p.Up |= 1 << i
		p.Exposed = true
		s.Exposures++
		s.Out = s.Out.Add(e.Card)
	case CardMissed:
		p.drop(e.Card)
		s.Out = s.Out.Add(e.Card)
		if s.Phase == Betting {
			s.Phase = Swapping
		}
	case BoardRetracted:
		s.retract(e)
	case BoardCorrected:
		s.correct(e)
	case BurnLeftOut:
		s.Burnt = true
	case StubShuffled:
		if e.Amount > 0 {
			s.Gone -= int8(s.Early.Len())
			s.Out &^= s.Early
			s.Early, s.Shuffle = 0, 0
		}
		s.Powers.forget()
	case HandRetrieved:
		s.Live = s.Live.With(e.Seat)
		p.Mucked, p.Acted = false, false
	case StackAdjusted:
		p.Stack += e.Amount
	case PlaySuspended:
		s.Suspended = true
	case PlayResumed:
		s.Suspended = false
	case HandRewound:
		s.rewind(e)
	case HandCalledOff:
		s.CalledOff = true
	case BetRefunded:
		p.Stack += e.Amount
		s.Paid += e.Amount
	case HandEnded:
		s.end()
	}
}

// begin clears what belonged to the last hand.
func (s *State) begin(e *Event) {
	seats := s.Seats
	*s = State{
		Rules: s.Rules, Seq: s.Seq,
		Hand: e.Hand, Phase: Dealing, Live: e.Dealt,
		Button: e.Button, SmallBlind: e.SmallBlind, BigBlind: e.BigBlind, Opener: e.Seat,
		Rake: e.Amount, Bank: s.Bank, Powers: PowersInPlay{Carousel: e.Carousel},
	}
	for i := range seats {
		seat, p := Seat(i), &seats[i]
		s.Seats[i] = Place{
			Taken: p.Taken, Out: p.Out, Waits: p.Waits && !e.Dealt.Has(seat), Stack: p.Stack, Start: p.Stack + p.Put,
			Put: p.Put, Ante: p.Ante, Bonus: p.Bonus,
			OwesBig:   p.OwesBig || e.Missed.Has(seat),
			OwesSmall: p.OwesSmall || e.MissedSmall.Has(seat),
			Dealt:     e.Dealt.Has(seat),
			Sparks:    p.Sparks,
		}
		if e.Dealt.Has(seat) {
			s.Seats[i].Sparks = s.Rules.Powers.sparks(p.Sparks)
		}
		if most := s.Rules.Stakes.Cap; most > 0 && p.Stack > most {
			s.Seats[i].Stack, s.Seats[i].Aside = most, p.Stack-most
		}
	}
}

// open begins a street: cards come, or in a draw are thrown away first.
func (s *State) open(e *Event) {
	s.Phase, s.Street, s.Burnt, s.Shared, s.Turn, s.Exposures = Dealing, e.Street, false, e.Shared, 0, 0
	s.MaySplit = s.street().Split
	if s.street().Draw == 0 {
		return
	}
	s.Phase = Drawing
	for i := range s.Seats {
		p := &s.Seats[i]
		p.Drew = false
		if s.Rules.Game.OwnDiscardsOneDraw {
			p.Thrown = 0
		}
	}
}

// startOver clears the first round of a hand whose posts have gone back.
func (s *State) startOver() {
	s.Phase, s.Turn, s.Aggressor = Dealing, 0, 0
	s.Dead, s.Paid = 0, 0
	s.Bet, s.MinRaise, s.FullBet, s.Raises = 0, 0, 0, 0
	for i := range s.Seats {
		p := &s.Seats[i]
		p.Put, p.Bet, p.Acted, p.ActedAt, p.Short = 0, 0, false, 0, 0
	}
}

// retract lays community cards aside that came too early. The card burnt before them is the burn of their street; where
// another card takes their place they come after that one's burn, and theirs is left out.
func (s *State) retract(e *Event) {
	if e.Card != card.None {
		s.left(e.Card)
	}
	if e.Card != card.None || e.Street > s.Street+1 {
		s.NoBurn |= 1 << e.Street
	}
	for _, c := range e.Cards.Slice() {
		s.left(c)
		s.Early = s.Early.Add(c)
	}
	s.Shuffle, s.Powers.Peekers = e.Street, 0
}

// correct replaces the community cards of the street; what was not known to be out is now.
func (s *State) correct(e *Event) {
	for _, c := range append(e.Cards.Slice(), e.Card) {
		if !s.Out.Has(c) {
			s.left(c)
		}
	}
	s.BoardLen = s.boardBefore()
	for _, c := range e.Cards.Slice() {
		s.Board[s.BoardLen] = c
		s.BoardLen++
	}
	s.spareBurn()
	s.Powers.Peekers = 0
}

// left takes note of a card that left the shoe.
func (s *State) left(c card.Card) {
	s.Out = s.Out.Add(c)
	s.Gone++
}

// discard takes cards out of a seat's hand. A card that is not known there was one of the unknown ones.
func (s *State) discard(p *Place, e *Event) {
	p.Drew, p.Late = true, e.Auto
	for _, c := range e.Cards.Slice() {
		p.drop(c)
		p.Discards++
		p.Exchanged++
		p.Thrown = p.Thrown.Add(c)
		s.Out = s.Out.Add(c)
		s.Discarded = s.Discarded.Add(c)
	}
}

// reload puts every discard of the hand, and what was set aside, back into the shoe.
func (s *State) reload() {
	s.Gone -= s.Removed
	s.Removed = 0
	s.Powers.forget()
	s.Out &^= s.Discarded
	s.Discarded = 0
	for i := range s.Seats {
		p := &s.Seats[i]
		s.Gone -= p.Discards
		p.Discards = 0
	}
}

// openBetting starts a round; the bets of blinds, antes and straddles are in front already.
func (s *State) openBetting() {
	s.Phase, s.Aggressor = Betting, 0
	s.RoundSeats = s.Live.Len()
	s.MinRaise = s.Rules.Stakes.minBet()
	switch {
	case s.Rules.Limit == FixedLimit:
		s.MinRaise = s.Rules.betSize(int(s.Street))
	case !s.Rules.House.ClippedRaises: // records measure by the smallest bet, whatever a straddle is
		s.MinRaise = max(s.MinRaise, s.Bet)
	}
	if s.Bet >= s.MinRaise {
		s.FullBet = s.Bet
	}
}

// withdraw ends the offer to split, for the rest of the hand (NX-A6).
func (s *State) withdraw() { s.MaySplit, s.Split, s.Refused = false, 0, 0 }

// act folds in a seat's decision.
func (s *State) act(p *Place, e *Event) {
	switch {
	case e.Action == Split:
		s.Split = s.Split.With(e.Seat)
		return
	case e.Action == Check && p.Stack == 0: // asked to split all the same: that counts for the pots it is in
		if s.Refused = s.Refused.With(e.Seat); !s.splittable() {
			s.withdraw()
		}
		return
	}
	p.Acted = true
	s.withdraw()
	switch e.Action {
	case Fold:
		s.Live = s.Live.Without(e.Seat)
	case Call, Bet, Raise:
		p.Stack -= e.Amount
		p.Bet = e.To
	case BringIn: // owed in full though the seat may have less, as a blind is (TD-04)
		p.Stack -= e.Amount
		p.Bet = e.To
		s.Bet = s.Rules.Stakes.BringIn
		if s.Bet >= s.MinRaise { // a full bet (NX-52)
			s.FullBet = s.Bet
		}
	}
	if s.Rules.Game.Banked() && e.Action == Bet {
		p.Wagers |= 1 << s.Street
	} else if e.Action == Bet || e.Action == Raise {
		s.Aggressor = e.Seat
		s.raised(e.To)
	}
	p.ActedAt = s.Bet
}

// collect moves the bets into the pots and clears the round.
func (s *State) collect() {
	for i := range s.Seats {
		p := &s.Seats[i]
		p.Put += p.Bet
		p.Bet, p.Acted, p.ActedAt, p.Short = 0, false, 0, 0
		p.Aimed, p.Anchored = false, false
	}
	s.Powers.Used = 0
	s.Phase, s.Turn = Closed, 0
	s.Bet, s.MinRaise, s.FullBet, s.Raises = 0, 0, 0, 0
}

// end leaves the board, the hands shown and the stacks to look at until the next hand begins. Who was dealt in has posted
// what it owed, unless the hand was called off and the posts went back.
func (s *State) end() {
	s.collect()
	s.Phase, s.Dead, s.Paid, s.Rake = Between, 0, 0, 0
	s.Powers = PowersInPlay{Carousel: s.Powers.Carousel}
	for i := range s.Seats {
		p := &s.Seats[i]
		p.Put, p.Ante, p.Bonus = 0, 0, 0
		p.Stack, p.Aside = p.Stack+p.Aside, 0
		if p.Dealt && !s.CalledOff {
			p.OwesBig, p.OwesSmall = false, false
		}
	}
}
