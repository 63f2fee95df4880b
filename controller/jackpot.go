package controller

import (
	"fmt"

	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/jackpot"
)

// Jackpot makes a table part of a bad beat jackpot (NX-B0).
type Jackpot struct {
	// Rule is what the game asks of the hand that loses, from jackpot.Table.Rule.
	Rule jackpot.Rule
	// Part is how many percent of the rake go to the pool, 0 to 100 (NX-B6).
	Part int64
	// Start is what the pool of a new table holds, 0 or more.
	Start engine.Chips
}

// jackpotRecord is what a hand meant for the pool. The payments to the seats are steps of their own, synced with it.
type jackpotRecord struct {
	Hand uint64 `json:"hand"`
	// Rake is what the hand was raked, Growth what of it went to the pool.
	Rake   int64         `json:"rake"`
	Growth int64         `json:"growth"`
	Beat   *jackpot.Beat `json:"beat,omitempty"`
	// Paid is what was taken out of the pool for the beat.
	Paid int64 `json:"paid,omitempty"`
}

// byJackpot is who pays a bad beat, in the journal.
const byJackpot = "jackpot"

// pool is the table's side of the jackpot: the pool, and all the rake that a part of has gone there.
type pool struct {
	jackpot.Pool
	raked int64
}

// pooled is what a snapshot keeps of the pool.
type pooled struct {
	Raked int64 `json:"raked"`
	Level int64 `json:"level"`
}

// newPool opens a pool of the table alone.
func newPool(p pooled) *pool { return &pool{Pool: jackpot.NewFund(p.Level), raked: p.Raked} }

// pooled is what there is to keep of the pool, nil without one.
func (p *pool) pooled() *pooled {
	if p == nil {
		return nil
	}
	return &pooled{Raked: p.raked, Level: p.Level()}
}

// follow puts a hand's growth in the pool and takes out what a bad beat is paid, now or when the record is read back.
func (p *pool) follow(table string, r jackpotRecord) (jackpot.Payout, error) {
	id := jackpot.HandID{Table: table, Hand: r.Hand}
	p.raked += r.Rake
	if err := p.Add(id, r.Growth); err != nil || r.Beat == nil {
		return jackpot.Payout{}, err
	}
	return p.Pay(id, *r.Beat)
}

// jackpot feeds the pool from the hand that has just ended, and pays a bad beat to the stacks of those it concerns.
func (t *Table) jackpot() {
	r := jackpotRecord{Hand: t.state.Hand}
	for _, s := range t.hand {
		for _, e := range s.Events {
			if e.Kind == engine.RakeTaken {
				r.Rake += int64(e.Amount)
			}
		}
	}
	r.Growth = jackpot.Growth(t.pool.raked, r.Rake, t.opt.Jackpot.Part)
	if beat, ok := t.badBeat(); ok {
		r.Beat = &beat
	}
	if r.Rake == 0 && r.Beat == nil {
		return
	}
	payout, err := t.pool.follow(t.opt.Name, r)
	if err != nil {
		t.opt.Log.Error("the jackpot does not take the hand", "hand", r.Hand, "err", err)
		return
	}
	for _, p := range payout.Payments {
		r.Paid += p.Amount
	}
	t.balance(t.books.jackpot(&r))
	t.record(kindJackpot, r)
	for _, p := range payout.Payments {
		in := engine.Input{
			Kind: engine.StackCorrected, Seat: engine.Seat(p.Seat), Amount: engine.Chips(p.Amount),
			Reason: fmt.Sprintf("bad beat jackpot, %v", p.Part),
		}
		if err := t.apply(byJackpot, "", in); err != nil {
			t.opt.Log.Error("the rules refuse a payment of the jackpot", "hand", r.Hand, "seat", p.Seat, "amount", p.Amount, "err", err)
		}
	}
}

// badBeat judges the hand that has just ended.
func (t *Table) badBeat() (jackpot.Beat, bool) {
	s, high := &t.state, t.state.Rules.Game.High
	if s.CalledOff {
		return jackpot.Beat{}, false
	}
	var wonMain engine.Seats
	for _, step := range t.hand {
		for _, e := range step.Events {
			if e.Kind == engine.PotAwarded && e.Pot == 0 && !e.Low {
				wonMain = wonMain.With(e.Seat)
			}
		}
	}
	board := card.SetOf(s.Board[:s.BoardLen]...)
	var h jackpot.Hand
	for i := range s.Seats {
		p := &s.Seats[i]
		if !p.Dealt {
			continue
		}
		seat := jackpot.Seat(i)
		h.Dealt = append(h.Dealt, seat)
		if !s.Live.Has(engine.Seat(i)) || !p.Known() {
			continue
		}
		hole := card.SetOf(p.Hole[:p.HoleLen]...)
		best := high.Strength(s.Rules.Game.Use, hole, board)
		h.Showdown = append(h.Showdown, jackpot.Shown{
			Seat: seat, Strength: uint64(best), WonMain: wonMain.Has(engine.Seat(i)),
			BothHoleCards: p.HoleLen == 2 && high.Strength(eval.TwoAndThree, hole, board) == best,
		})
	}
	if len(h.Showdown) < 2 {
		return jackpot.Beat{}, false
	}
	return t.opt.Jackpot.Rule.Judge(uint64(high.Of(t.opt.Jackpot.Rule.Least)), h)
}
