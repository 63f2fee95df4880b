package seating

import (
	"errors"
	"fmt"

	"tavolo/engine"
)

// Rules is what a cash table goes by between hands. Amounts are in the smallest unit of the table's currency, times in
// milliseconds.
type Rules struct {
	// Open are the seats that any player may take, and that the waiting list is for. Who may have the others is for the
	// caller to say.
	Open engine.Seats
	// MinBuyIn and MaxBuyIn bound what one sits down with, and MaxBuyIn what one may add chips up to; 0 for no bound.
	MinBuyIn, MaxBuyIn engine.Chips
	// SessionCap is the most that a player may bring in a session, top-ups included; 0 for no cap.
	SessionCap engine.Chips
	// ReEntry is the time for which a player who left is remembered.
	ReEntry int64
	// SitOut is the time after which who sits out is removed, 0 for never; Felt are the seats whose players are not, being here,
	// with their chips, where the floor sees to them.
	SitOut int64
	Felt   engine.Seats
	// Offer is the time that the first on the waiting list has to take a free seat.
	Offer int64
	// BuyInRule is the id of the rule that says the bounds.
	BuyInRule string
}

// Times in milliseconds.
const (
	minute = 60_000
	hour   = 60 * minute
)

// policy is what a house's text says about the money brought to its tables.
type policy struct {
	house, rule string
	// fixed are the least buy-ins of fixed limit tables in cents, by the lower bet. Others of a house, and of one without
	// such a list, have least.
	fixed map[engine.Chips]engine.Chips
	// least and most are the bounds in big blinds; most does not go for fixed and spread limit.
	least, most engine.Chips
	cap         engine.Chips
	sitOut      int64 // 0 for the usual
}

// The houses whose texts say something. Decisions: in house noxwin 10 to 100 big blinds (or lower bets) where its list says
// nothing, and so in house cash, whose text leaves the bounds to each table; there who sits out is removed after 15 minutes
// (TC-14).
var policies = [...]policy{
	{
		house: "noxwin", rule: "NX-04", least: 10, most: 100,
		fixed: map[engine.Chips]engine.Chips{25: 300, 100: 1000, 200: 2000, 300: 3000, 500: 5000},
	},
	{house: "cash", rule: "TC-07", least: 10, most: 100, cap: 1000_00, sitOut: 15 * minute},
	{house: "betrebels", rule: "BR-30", least: 10, most: 100},
}

// For gives the rules between hands that house and limit of a table say, with no seat open: buy-ins of NX-04 and BR-30, the
// session cap of TC-07, the 6 hours of TC-11 and the 60 seconds of TC-12. A house whose text says nothing bounds nothing, and has who
// sits out removed after ten minutes, as card rooms on the net do.
func For(r *engine.Rules) Rules {
	out := Rules{ReEntry: 6 * hour, Offer: minute, SitOut: 10 * minute}
	for _, p := range policies {
		if p.house != r.House.Name {
			continue
		}
		st := &r.Stakes
		unit := st.BigBlind
		if unit == 0 {
			unit = max(st.SmallBet, st.BringIn, st.MinAnte)
		}
		out.BuyInRule, out.SessionCap = p.rule, p.cap
		if p.sitOut > 0 {
			out.SitOut = p.sitOut
		}
		out.MinBuyIn = p.least * unit
		switch r.Limit {
		case engine.FixedLimit:
			if least := p.fixed[st.SmallBet]; least > 0 {
				out.MinBuyIn = least
			}
		case engine.SpreadLimit:
		default:
			out.MaxBuyIn = p.most * unit
		}
	}
	return out
}

// most is the largest buy-in and the stack that chips may be added up to, 0 for no bound. Nobody sits down with more than
// the session cap, money carried back in included.
func (r *Rules) most() engine.Chips {
	if r.MaxBuyIn == 0 || r.SessionCap > 0 && r.SessionCap < r.MaxBuyIn {
		return r.SessionCap
	}
	return r.MaxBuyIn
}

// Validate reports every reason why a table cannot go by these rules, nil when it can.
func (r *Rules) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, a := range []struct {
		name string
		v    engine.Chips
	}{{"min_buy_in", r.MinBuyIn}, {"max_buy_in", r.MaxBuyIn}, {"session_cap", r.SessionCap}} {
		if a.v < 0 || a.v > engine.MaxChips {
			bad("%s: %d is not within 0 and %d", a.name, a.v, engine.MaxChips)
		}
	}
	if r.MaxBuyIn > 0 && r.MaxBuyIn < r.MinBuyIn {
		bad("max_buy_in: %d is below the smallest buy-in of %d", r.MaxBuyIn, r.MinBuyIn)
	}
	if r.SessionCap > 0 && r.SessionCap < r.MinBuyIn {
		bad("session_cap: %d is below the smallest buy-in of %d", r.SessionCap, r.MinBuyIn)
	}
	if r.ReEntry < 0 || r.SessionCap > 0 && r.ReEntry == 0 {
		bad("re_entry: %d ms: want time for which players are remembered, so that leaving does not lift the session cap", r.ReEntry)
	}
	if r.SitOut < 0 {
		bad("sit_out_limit: %d ms: want 0 for never, or a time", r.SitOut)
	}
	if r.Offer <= 0 {
		bad("seat_offer: %d ms: want time to take a seat", r.Offer)
	}
	return errors.Join(errs...)
}
