package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tavolo/engine/card"
)

// Power is something a seat can do in Naiko mode beside playing its cards. It is paid for in sparks.
type Power uint8

const (
	// Peek sees the next community card in private (NK-20).
	Peek Power = iota + 1
	// Swap throws one hole card away and takes the next card of the shoe (NK-21).
	Swap
	// Anchor holds an opponent's raises of the round to the size of the pot (NK-22).
	Anchor
	// Shield answers an anchor on oneself and cancels it (NK-23).
	Shield
)

var powerNames = names[Power]{"", "peek", "swap", "anchor", "shield"}

// String is the power's name on panels and over MQTT.
func (p Power) String() string { return powerNames.text(p) }

// MarshalText writes the power's name.
func (p Power) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Power) UnmarshalText(b []byte) (err error) {
	*p, err = powerNames.parse("power", b)
	return err
}

// PowerSet is a set of powers, bit n for Power n.
type PowerSet uint8

// PowersOf gathers powers.
func PowersOf(powers ...Power) (ps PowerSet) {
	for _, p := range powers {
		ps = ps.With(p)
	}
	return ps
}

// Has reports whether power p is in the set.
func (ps PowerSet) Has(p Power) bool { return ps&(1<<p) != 0 }

// With gives the set with power p in it.
func (ps PowerSet) With(p Power) PowerSet { return ps | 1<<p }

// List gives the powers in the set in order.
func (ps PowerSet) List() (powers []Power) {
	for p := Peek; p <= Shield; p++ {
		if ps.Has(p) {
			powers = append(powers, p)
		}
	}
	return powers
}

// String is the names of the powers with spaces between them: peek swap anchor.
func (ps PowerSet) String() string {
	var words []string
	for _, p := range ps.List() {
		words = append(words, p.String())
	}
	return strings.Join(words, " ")
}

// MarshalText writes the set as String does.
func (ps PowerSet) MarshalText() ([]byte, error) { return []byte(ps.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (ps *PowerSet) UnmarshalText(b []byte) error {
	*ps = 0
	for word := range strings.FieldsSeq(string(b)) {
		var p Power
		if err := p.UnmarshalText([]byte(word)); err != nil {
			return err
		}
		*ps = ps.With(p)
	}
	return nil
}

// Powers is how a table plays with powers; see Naiko.
type Powers struct {
	// Gain is the number of sparks a seat gets with each hand it is dealt in, Most the number it may keep (NK-10).
	Gain, Most int8
	// PerRound is the number of powers the table may use in a round of betting; answers do not count (NK-12).
	PerRound int8
	// Cost is what each power costs in sparks.
	Cost [Shield + 1]int8
	// Carousels are the sets of powers a hand may be played with, each as likely as the others. Who starts a hand draws one
	// from the table's recorded random source and names it in the HandStarted (NK-11).
	Carousels []PowerSet
	// AnswerSeconds is the time in which an anchor may be answered, for whoever keeps the clock (NK-23).
	AnswerSeconds int
}

// Naiko is the powers mode of the house naiko (NK-10..25).
var Naiko = &Powers{
	Gain: 1, Most: 3, PerRound: 3,
	Cost: [...]int8{Peek: 1, Swap: 2, Anchor: 2, Shield: 1},
	Carousels: []PowerSet{
		PowersOf(Peek, Swap, Anchor),
		PowersOf(Peek, Anchor, Shield),
		PowersOf(Swap, Anchor, Shield),
	},
	AnswerSeconds: 8,
}

// sparks is what a seat with so many has after it is dealt into a hand; a table without powers gives none.
func (pw *Powers) sparks(has int8) int8 {
	if pw == nil {
		return 0
	}
	return min(has+pw.Gain, pw.Most)
}

// LooksAhead is the number of cards a shoe must be able to read before they are drawn for these rules to be played: the
// next one for a peek, the next two where one is burnt first; 0 without powers. A table whose shoe reads fewer must be
// refused by its configuration (NK-25).
func (r *Rules) LooksAhead() int {
	switch {
	case r.Powers == nil:
		return 0
	case r.House.Burn:
		return 2
	}
	return 1
}

// validatePowers says why a game cannot be played with powers: there must be a board to look at, and after the first
// street no cards but its.
func (g *Game) validatePowers() error {
	for i, st := range g.Streets {
		if !g.Blinds() || st.Draw > 0 || st.Up > 0 || (st.Down > 0) != (i == 0) || (st.Board > 0) != (i > 0) {
			return fmt.Errorf("powers: %s has none, want a game with hole cards first and then a board (NK-02)", g.Name)
		}
	}
	return nil
}

// PowersInPlay is what a State keeps of the hand's powers, all zero at a table without them.
type PowersInPlay struct {
	// Carousel are the powers of the hand.
	Carousel PowerSet
	// Used is the number of powers used in the round, without answers; InTurn is whether one was in this turn.
	Used   int8
	InTurn bool
	// Target is the seat that may answer an anchor.
	Target Seat
	// Ahead is the last card that was peeked, AheadAt its place in the shoe: the number of cards that have left the shoe
	// once it has. It has come, or none was peeked, where State.Gone is not below that.
	Ahead   card.Card
	AheadAt int8
	// Peekers are the seats that know Ahead as the next community card.
	Peekers Seats
}

// checkCarousel says why a hand cannot be played with those powers (NK-02, NK-11).
func (s *State) checkCarousel(carousel PowerSet) error {
	switch pw := s.Rules.Powers; {
	case pw == nil && carousel != 0:
		return refuse(CodeNoPower, 0, "NK-02", "this table plays without powers")
	case pw != nil && !slices.Contains(pw.Carousels, carousel):
		return refuse(CodeNoPower, 0, "NK-11", "%q is no carousel: want one of %s", carousel, quoted(pw.Carousels))
	}
	return nil
}

// quoted lists sets of powers for a person.
func quoted(sets []PowerSet) string {
	texts := make([]string, len(sets))
	for i, ps := range sets {
		texts[i] = strconv.Quote(ps.String())
	}
	return strings.Join(texts, ", ")
}

// powerUsed decides a power that a seat uses.
func powerUsed(s *State, in *Input, events []Event) ([]Event, error) {
	if err := s.usable(in.Seat, in.Power); err != nil {
		return events, err
	}
	e := Event{Kind: PowerPlayed, Seat: in.Seat, Power: in.Power, Sparks: s.Rules.Powers.Cost[in.Power]}
	var err *RuleError
	switch in.Power {
	case Peek:
		e.Card, err = in.Card, s.peekable(in.Seat, in.Card)
	case Swap:
		e.Card, err = in.Card, s.swappable(in.Seat, in.Card)
	case Anchor:
		e.Target, err = in.Target, s.anchorable(in.Seat, in.Target)
	}
	if err != nil {
		return events, err
	}
	return append(events, e), nil
}

// usable says why a seat cannot use a power now, whatever it is used on; nil if it can.
func (s *State) usable(seat Seat, power Power) *RuleError {
	pw := s.Rules.Powers
	if pw == nil {
		return refuse(CodeNoPower, seat, "NK-02", "this table plays without powers")
	}
	answers := power == Shield
	p := &s.Seats[seat]
	switch {
	case power < Peek || power > Shield:
		return refuse(CodeBadInput, seat, "", "no power was named")
	case answers && s.Phase != Answering:
		return refuse(CodeNotAwaited, seat, "NK-23", "there is no anchor to answer")
	case answers && seat != s.Powers.Target:
		return refuse(CodeOutOfTurn, seat, "NK-23", "the anchor is on seat %d", s.Powers.Target)
	case !answers && s.Phase != Betting:
		return refuse(CodeNotAwaited, seat, "NK-12", "powers are used when an action is awaited")
	case !answers && seat != s.Turn:
		return refuse(CodeOutOfTurn, seat, "NK-12", "it is seat %d's turn", s.Turn)
	case !s.Powers.Carousel.Has(power):
		return refuse(CodeNoPower, seat, "NK-11", "%v is not in this hand's carousel", power)
	case p.Used.Has(power):
		return refuse(CodePowerUsed, seat, "NK-12", "the seat has used %v in this hand", power)
	case p.Sparks < pw.Cost[power]:
		return refuse(CodeTooFewSparks, seat, "NK-10", "%v costs %d sparks, the seat has %d", power, pw.Cost[power], p.Sparks)
	case answers:
		return nil
	case s.Powers.InTurn:
		return refuse(CodePowerUsed, seat, "NK-12", "the seat has used a power in this turn")
	case s.Powers.Used >= pw.PerRound:
		return refuse(CodePowerUsed, seat, "NK-12", "the table has used its %d powers of this round", pw.PerRound)
	}
	switch {
	case power == Peek && s.lastStreet():
		return refuse(CodeTooLate, seat, "NK-20", "no community card is to come")
	case power == Swap && (s.Street > 0 || p.Acted):
		return refuse(CodeTooLate, seat, "NK-21", "a card is swapped before the flop and before the seat's first action")
	case power == Swap && s.inShoe() <= s.boardToCome():
		return refuse(CodeTooFew, seat, "NK-21", "the shoe has no card to spare")
	case power == Anchor && s.anchorTargets() == 0:
		return refuse(CodeBadTarget, seat, "NK-22", "there is nobody to anchor")
	}
	return nil
}

// offers adds to what the seat to act may do the powers it may use, and on whom.
func (s *State) offers(l *Legal) {
	if s.Rules.Powers == nil {
		return
	}
	for power := Peek; power <= Anchor; power++ {
		if s.usable(s.Turn, power) == nil {
			l.Powers = l.Powers.With(power)
		}
	}
	if l.Powers.Has(Anchor) {
		l.Targets = s.anchorTargets()
	}
}

// peekable says why a card cannot be the next community card, nil if it can.
func (s *State) peekable(seat Seat, c card.Card) *RuleError {
	switch {
	case !c.Known():
		return refuse(CodeUnknownCards, seat, "NK-25", "the shoe does not tell the card")
	case !s.Rules.Game.Deck.Has(c):
		return refuse(CodeForeign, seat, "TD-07", "the shoe tells a card that is not of the deck of %s", s.Rules.Game.Name)
	case s.Out.Has(c):
		return refuse(CodeDuplicate, seat, "TD-07", "the shoe tells a card that left it already")
	case !s.fitsAhead(c, s.nextBoard()):
		return refuse(CodeNotPeeked, seat, "NK-20", "the shoe told another card before")
	}
	return nil
}

// swappable says why a seat cannot throw a card away, nil if it can. A card the engine does not know may be named, or be
// card.Hidden.
func (s *State) swappable(seat Seat, c card.Card) *RuleError {
	hole := s.Seats[seat].Hole.Slice()
	unknown := slices.Contains(hole, card.Hidden)
	switch {
	case !c.Known() && c != card.Hidden:
		return refuse(CodeBadInput, seat, "", "no card was named")
	case slices.Contains(hole, c):
		return nil
	case unknown && c.Known() && s.Rules.Game.Deck.Has(c) && !s.Out.Has(c) && !s.isAhead(c):
		return nil
	}
	return refuse(CodeUnknownCards, seat, "NK-21", "%v is not among the seat's cards", c)
}

// anchorable says why a seat cannot be anchored, nil if it can.
func (s *State) anchorable(seat, target Seat) *RuleError {
	if target < 1 || target > MaxSeats {
		return refuse(CodeBadSeat, seat, "NK-22", "there is no seat %d to anchor", target)
	}
	switch p := &s.Seats[target]; {
	case target == seat:
		return refuse(CodeBadTarget, seat, "NK-22", "the seat cannot anchor itself")
	case !s.canBet().Has(target):
		return refuse(CodeBadTarget, seat, "NK-22", "seat %d cannot act", target)
	case p.Acted:
		return refuse(CodeBadTarget, seat, "NK-22", "seat %d has acted in this round", target)
	case p.Aimed:
		return refuse(CodeBadTarget, seat, "NK-22", "seat %d has had its anchor of this round", target)
	}
	return nil
}

// anchorTargets are the seats that the one to act may anchor.
func (s *State) anchorTargets() (targets Seats) {
	for seat := Seat(1); seat <= MaxSeats; seat++ {
		if s.anchorable(s.Turn, seat) == nil {
			targets = targets.With(seat)
		}
	}
	return targets
}

// anchorAccepted decides that a seat lets an anchor hold: because it says so, or because its time ran out.
func anchorAccepted(s *State, in *Input, events []Event) ([]Event, error) {
	if s.Phase != Answering {
		return events, refuse(CodeNotAwaited, in.Seat, "NK-23", "there is no anchor to answer")
	}
	if in.Seat != s.Powers.Target {
		return events, refuse(CodeOutOfTurn, in.Seat, "NK-23", "the anchor is on seat %d", s.Powers.Target)
	}
	return append(events, Event{Kind: AnchorHeld, Seat: in.Seat, Auto: in.Kind == ClockRanOut}), nil
}

// playPower folds in a power that a seat used.
func (s *State) playPower(p *Place, e *Event) {
	p.Sparks -= e.Sparks
	p.Used = p.Used.With(e.Power)
	pw := &s.Powers
	if e.Power == Shield {
		s.Phase, pw.Target = Betting, 0
		return
	}
	pw.Used, pw.InTurn = pw.Used+1, true
	switch e.Power {
	case Peek:
		if at := s.nextBoard(); at != pw.AheadAt {
			pw.Ahead, pw.AheadAt, pw.Peekers = e.Card, at, 0
		}
		pw.Peekers = pw.Peekers.With(e.Seat)
	case Swap:
		p.drop(e.Card)
		s.Out = s.Out.Add(e.Card)
		s.Phase, pw.Peekers = Swapping, 0
	case Anchor:
		s.Seats[e.Target].Aimed = true
		s.Phase, pw.Target = Answering, e.Target
	}
}

// dropPower ends what betting waits for, where the hand of the seat that it is about is dead: a card that it lacks, or an
// anchor.
func (s *State) dropPower(seat Seat) {
	swapped := s.Phase == Swapping && s.nextHole(s.street()).kind == AwaitNothing
	if swapped || s.Phase == Answering && (seat == s.Turn || seat == s.Powers.Target) {
		s.Phase, s.Powers.Target = Betting, 0
	}
}

// forget drops what was peeked: the shoe is in a new order.
func (pw *PowersInPlay) forget() { pw.Ahead, pw.AheadAt, pw.Peekers = card.None, 0, 0 }

// drop takes a card out of the hand; one that is not known there was one of the unknown ones.
func (p *Place) drop(c card.Card) {
	i := slices.Index(p.Hole[:p.HoleLen], c)
	if i < 0 {
		i = slices.Index(p.Hole[:p.HoleLen], card.Hidden)
	}
	copy(p.Hole[i:], p.Hole[i+1:])
	p.HoleLen--
	p.Hole[p.HoleLen] = card.None
}

// nextBoard is the place in the shoe of the next community card.
func (s *State) nextBoard() int8 {
	at := s.Gone + 1
	if s.burns(int(s.Street) + 1) {
		at++
	}
	return at
}

// isAhead reports whether a card was peeked and is still in the shoe.
func (s *State) isAhead(c card.Card) bool { return s.Powers.AheadAt > s.Gone && c == s.Powers.Ahead }

// fitsAhead reports whether a card can be at a place in the shoe, after what was peeked: the card peeked at its place and
// nowhere else.
func (s *State) fitsAhead(c card.Card, at int8) bool {
	return s.Powers.AheadAt <= s.Gone || (c == s.Powers.Ahead) == (at == s.Powers.AheadAt)
}

// anchoredTo is the most that an anchored seat may raise to: by the pot, but not less than the least it may (NK-22).
func (s *State) anchoredTo(p *Place, least, most Chips) Chips {
	return min(most, max(least, s.Bet+s.potToRaise(p)))
}

// mostRule is the id of the rule that says how much a seat may bet.
func (s *State) mostRule(p *Place) string {
	switch {
	case s.Rules.Game.Banked():
		return s.wagerRule()
	case p.Anchored:
		return "NK-22"
	}
	return s.Rules.Limit.mostRule()
}
