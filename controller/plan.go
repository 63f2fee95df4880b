package controller

import (
	"tavolo/engine"
)

// plan is what a player has said to do when the turn comes: the table holds it, and nobody else hears of it. The zero value
// is none.
type plan struct {
	verb   Verb
	hand   uint64
	street int8
	bet    engine.Chips // that the player saw
}

// CodeChanged refuses a plan for a bet, a street or a hand that is another by now.
const CodeChanged = "changed"

// stands reports whether a plan still is for what the seat faces: any change of the bet to meet makes it void, unless it is
// to call whatever comes.
func (p plan) stands(s *engine.State, seat engine.Seat) bool {
	return p.verb != "" && p.hand == s.Hand && p.street == s.Street && s.Live.Has(seat) && (p.verb == VerbPlanCallAny || p.bet == s.Bet)
}

// act is what a plan comes to, false for nothing.
func (p plan) act(l engine.Legal) (engine.Action, bool) {
	switch {
	case l.Check:
		return engine.Check, p.verb != VerbPlanCall
	case p.verb == VerbPlanCheckFold && !l.NoFold:
		return engine.Fold, true
	case p.verb == VerbPlanCall, p.verb == VerbPlanCallAny:
		return engine.Call, l.ToCall > 0
	}
	return 0, false
}

// planned does what a request about plans asks; false for a request about something else.
func (t *Table) planned(r *Request) (bool, error) {
	switch r.Verb {
	case VerbPlanCheckFold, VerbPlanCheck, VerbPlanCall, VerbPlanCallAny, VerbPlanNone, VerbAutoMuck, VerbAskMuck:
	default:
		return false, nil
	}
	seat, err := t.seatOf(r)
	if err != nil {
		return true, err
	}
	s := &t.state
	switch r.Verb {
	case VerbAutoMuck, VerbAskMuck, VerbPlanNone:
		t.decide(r, seat)
		return true, nil
	}
	p := plan{r.Verb, r.Hand, s.Street, r.Amount}
	switch {
	case s.Phase == engine.Between, !s.Live.Has(seat), s.Seats[seat].Stack == 0:
		return true, refuse(string(engine.CodeNotAwaited), "there is nothing to decide ahead for seat %d", seat)
	case s.Turn == seat:
		return true, refuse(CodeStaleTurn, "it is the turn of seat %d: act", seat)
	case r.Street != "" && r.Street != s.Rules.Game.Streets[s.Street].Name:
		return true, refuse(CodeChanged, "this is the street %s, not %s", s.Rules.Game.Streets[s.Street].Name, r.Street)
	case !p.stands(s, seat):
		return true, refuse(CodeChanged, "this is hand %d with a bet of %d, not hand %d with %d", s.Hand, s.Bet, r.Hand, r.Amount)
	}
	t.decide(r, seat)
	return true, nil
}

// decide takes in what a player decides ahead, and records it.
func (t *Table) decide(r *Request, seat engine.Seat) {
	p := planRecord{At: t.now, By: r.From.String(), ID: r.ID, Player: r.From.Player, Seat: seat, Verb: r.Verb, Bet: r.Amount}
	t.decided(p)
	t.record(kindPlan, p)
}

// decided takes in what a player decided ahead, when it is said and when it is read back.
func (t *Table) decided(p planRecord) {
	switch p.Verb {
	case VerbAutoMuck, VerbAskMuck:
		t.mucks[p.Player] = p.Verb == VerbAutoMuck
	case VerbPlanNone:
		t.plans[p.Seat] = plan{}
	default:
		t.plans[p.Seat] = plan{p.Verb, t.state.Hand, t.state.Street, p.Bet}
	}
}

// dropPlans drops the plans that stand no more after some events: a plan is for one decision, and for the hand as it was.
func (t *Table) dropPlans(events []engine.Event) {
	for _, e := range events {
		switch e.Kind {
		case engine.PlayerActed:
			t.plans[e.Seat] = plan{}
		case engine.HandRewound:
			clear(t.plans[:])
		}
	}
	for i := range t.plans {
		if !t.plans[i].stands(&t.state, engine.Seat(i)) {
			t.plans[i] = plan{}
		}
	}
}

// carryOut does what the player in turn has planned, and reports whether it was done.
func (t *Table) carryOut() bool {
	s := &t.state
	a := s.Awaits()
	if len(t.holds) > 0 || len(t.tracker.current) > 0 || a.Kind != engine.AwaitAction && a.Kind != engine.AwaitReveal {
		return false
	}
	who, ok := t.remote(a.Seat)
	if !ok {
		return false
	}
	in := engine.Input{Kind: engine.Mucked, Seat: a.Seat}
	if a.Kind == engine.AwaitReveal {
		ok = a.MayMuck && t.mucks[who.Player]
	} else {
		in.Kind = engine.Acted
		if ok = t.plans[a.Seat].verb != ""; ok {
			in.Action, ok = t.plans[a.Seat].act(a.Legal)
		}
		t.plans[a.Seat] = plan{}
	}
	if !ok {
		return false
	}
	if err := t.apply(Source{Player: who.Player}.String(), "", in); err != nil {
		t.opt.Log.Warn("the rules refuse what was planned", "hand", s.Hand, "seat", a.Seat, "err", err)
		return false
	}
	return true
}

// Plan is what a seat's player has decided ahead, for that player alone.
type Plan struct {
	// Verb is what is to be done when the turn comes, "" for nothing.
	Verb Verb
	// AutoMuck is whether a hand that need not be shown is given up unseen without asking.
	AutoMuck bool
}

// plansNow are the plans by seat.
func (t *Table) plansNow() (out [engine.MaxSeats + 1]Plan) {
	for _, p := range t.players {
		if p.Kind == Remote && p.Player != "" {
			out[p.Seat] = Plan{t.plans[p.Seat].verb, t.mucks[p.Player]}
		}
	}
	return out
}
