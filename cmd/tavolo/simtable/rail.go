package simtable

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"tavolo/calibration"
	"tavolo/engine"
)

// Scale is a scale under chips to simulate: that of a panel, or a load cell.
type Scale struct {
	calibration.Scale
	// Node is the address of the panel it hangs on, 0 for a load cell, whose folder is Path.
	Node int
	Path string
}

// half is what a load cell reads of nothing, as the kernel tells it.
const half = 0x80_0000

// reading is what the converter reads of chips.
func (s *Scale) reading(chips pile) (int64, error) {
	weight := int64(0)
	for _, d := range chips {
		i := slices.IndexFunc(s.Kinds, func(k calibration.ChipKind) bool { return k.Value == d.value })
		if i < 0 {
			return 0, fmt.Errorf("simulated scale at %v: it knows no chips of %d, which lie there", s.Zone, d.value)
		}
		weight += s.Kinds[i].Weight
	}
	return s.feels(weight), nil
}

// feels is what the converter reads of a weight, in mg.
func (s *Scale) feels(weight int64) int64 { return s.Zero + weight*(s.Mark-s.Zero)/s.Known }

// rail is the chips at the felt: what lies in each place, moved as people move them, and what the scales and readers there feel
// and see of it. Its methods may be called from any goroutine.
type rail struct {
	felt   engine.Seats
	scales map[engine.Zone]Scale
	seen   func(engine.Zone) bool // whether a reader watches a place
	weigh  func(Scale, int64) error
	tagged func(engine.Zone, []string) error // has chips with just these tags lie in a place that a reader watches

	tray   engine.Chips // when the table is new
	others bool         // somebody else moves chips, which nobody here can count

	mu      sync.Mutex
	sat     bool // chips are on the table
	cage    *cage
	lies    map[engine.Zone]pile
	moved   time.Time                         // when chips were moved last
	put     [engine.MaxSeats + 1]engine.Chips // what a seat has bet with its chips and the table has yet to notice, 0 for nothing
	bets    int
	bank    engine.Chips // what the tray holds during the hand
	brought engine.Chips
	view    engine.View
	slips
}

func newRail(opt Options, h *hardware) *rail {
	r := &rail{
		slips: newSlips(opt), scales: map[engine.Zone]Scale{}, weigh: h.weighs, tagged: h.lay, tray: opt.Tray, cage: newCage(opt.Chips, opt.Scales), lies: map[engine.Zone]pile{},
		seen: func(z engine.Zone) bool { _, ok := h.pads[z]; return ok },
	}
	for _, s := range opt.Scales {
		r.scales[s.Zone] = s
	}
	for _, p := range opt.Players {
		if p.Felt {
			r.felt = r.felt.With(p.Seat)
		}
	}
	own := r.places()
	for _, z := range slices.Concat(slices.Collect(maps.Keys(r.scales)), slices.Collect(maps.Keys(h.pads))) {
		r.others = r.others || z.Chips() && !slices.Contains(own, z)
	}
	return r
}

// watched is whether a scale or a reader tells what lies in a place.
func (r *rail) watched(z engine.Zone) bool {
	_, weighed := r.scales[z]
	return weighed || r.seen(z)
}

// weighs is how a scale's reading reaches whoever it hangs on.
func (h *hardware) weighs(s Scale, reading int64) error {
	if s.Node == 0 {
		err := os.MkdirAll(s.Path, 0o755)
		for _, f := range [][2]string{{"name", "hx711\n"}, {"in_voltage0_raw", strconv.FormatInt(reading+half, 10)}} {
			file := filepath.Join(s.Path, f[0])
			if err == nil {
				err = os.WriteFile(file+".new", []byte(f[1]), 0o644)
			}
			if err == nil {
				err = os.Rename(file+".new", file)
			}
		}
		if err != nil {
			return fmt.Errorf("simulated load cell: %w", err)
		}
		return nil
	}
	node := h.nodes[s.Node]
	if node == nil {
		return fmt.Errorf("simulated scale at %v: there is no panel %d", s.Zone, s.Node)
	}
	node.Weigh(int32(reading))
	return nil
}

func stackOf(s engine.Seat) engine.Zone { return engine.Zone{Kind: engine.ZoneStack, Seat: s} }
func spotOf(s engine.Seat) engine.Zone  { return engine.Zone{Kind: engine.ZoneSpot, Seat: s} }

var potZone, trayZone = engine.Zone{Kind: engine.ZonePot}, engine.Zone{Kind: engine.ZoneTray}

// places are those of the players here, with the pot and the tray.
func (r *rail) places() []engine.Zone {
	if r.felt == 0 {
		return nil
	}
	out := []engine.Zone{potZone, trayZone}
	for _, seat := range r.felt.List() {
		out = append(out, stackOf(seat), spotOf(seat))
	}
	return out
}

// show has scales feel and readers see what lies there.
func (r *rail) show() error {
	var errs []error
	for _, z := range r.places() {
		if s, ok := r.scales[z]; ok {
			reading, err := s.reading(r.lies[z])
			if err == nil {
				err = r.weigh(s, reading)
			}
			errs = append(errs, err)
		}
		if r.seen(z) {
			tags := r.lies[z].tags()
			if bare := len(r.lies[z]) - len(tags); bare > 0 {
				errs = append(errs, fmt.Errorf("simulated chips at %v: %d of them have no tag: want a set with more chips", z, bare))
			}
			errs = append(errs, r.tagged(z, tags))
		}
	}
	return errors.Join(errs...)
}

// load has a weight lie in a place, in mg.
func (r *rail) load(z engine.Zone, mg int64) error {
	s, ok := r.scales[z]
	if !ok {
		return fmt.Errorf("no scale is at zone %v", z)
	}
	return r.weigh(s, s.feels(mg))
}

// move moves chips from one place to another, changed where they must be, no more than there are.
func (r *rail) move(from, to engine.Zone, n engine.Chips) {
	if n = min(n, r.lies[from].worth()); n > 0 {
		r.lay(to, r.take(from, n))
	}
}

// lay adds chips to those in a place.
func (r *rail) lay(z engine.Zone, p pile) { r.lies[z], r.moved = append(r.lies[z], p...), time.Now() }

// take takes chips out of a place, changed where they must be.
func (r *rail) take(from engine.Zone, n engine.Chips) pile {
	p := r.lies[from]
	out := p.take(n)
	for short := n - out.worth(); short > 0 && r.cage.change(&p, short); short = n - out.worth() {
		out = append(out, p.take(short)...)
	}
	r.lies[from] = p
	return out
}

// follow has the people do with their chips what the table has come to: bets are put down, collected, given back and won. The
// chips come from nowhere when people sit down.
func (r *rail) follow(v *engine.View) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.view = *v
	if !slices.ContainsFunc(r.places(), r.watched) {
		return nil
	}
	if !r.sat {
		if err := r.bring(trayZone, r.tray); err != nil {
			return err
		}
		r.bank = r.tray
	}
	for _, p := range v.Seats {
		if !r.felt.Has(p.Seat) {
			continue
		}
		if !r.sat {
			if err := errors.Join(r.bring(stackOf(p.Seat), p.Stack), r.bring(spotOf(p.Seat), p.Bet)); err != nil {
				return err
			}
		}
		if r.put[p.Seat] <= p.Bet || v.Awaits.Seat != p.Seat {
			r.put[p.Seat] = 0
		}
	}
	r.sat = true
	r.slip()
	return errors.Join(r.arrange(), r.show())
}

// arrange moves chips from where too many lie to where too few do: to a bet from the own chips if it can be, and back to them. What
// has gone wrong at a seat stays as it is, and after a hand all of it does, until the dealer asks for it.
func (r *rail) arrange() error {
	over := map[engine.Zone]engine.Chips{}
	between := r.view.Phase == engine.Between
	if between && r.wrong != 0 {
		return nil
	}
	over[trayZone] = r.lies[trayZone].worth() - r.bank
	rest := r.lies[potZone].worth() + over[trayZone]
	for _, p := range r.view.Seats {
		if !r.felt.Has(p.Seat) || r.wrong.Has(p.Seat) {
			continue
		}
		stack, bet := p.Stack, p.Bet
		if to := r.put[p.Seat]; to != 0 {
			stack, bet = stack-(to-bet), to
		}
		over[stackOf(p.Seat)] = r.lies[stackOf(p.Seat)].worth() - stack
		over[spotOf(p.Seat)] = r.lies[spotOf(p.Seat)].worth() - bet
		rest += over[stackOf(p.Seat)] + over[spotOf(p.Seat)]
	}
	if between || rest < 0 { // between the pot and those who are elsewhere stands the tray
		over[trayZone], rest = over[trayZone]-rest, 0
	}
	over[potZone] = r.lies[potZone].worth() - rest
	shift := func(from, to engine.Zone) {
		if n := min(over[from], -over[to]); n > 0 {
			r.move(from, to, n)
			over[from], over[to] = over[from]-n, over[to]+n
		}
	}
	for _, seat := range r.felt.List() {
		shift(stackOf(seat), spotOf(seat))
		shift(spotOf(seat), stackOf(seat))
	}
	for _, from := range r.places() {
		for _, to := range r.places() {
			shift(from, to)
		}
	}
	if !between {
		return nil
	}
	for _, z := range r.places() {
		if over[z] < 0 {
			return fmt.Errorf("simulated chips at %v: nobody can pay %d: want more in the tray", z, -over[z])
		}
		p := r.lies[z]
		r.cage.colourUp(&p)
		r.lies[z] = p
	}
	r.bank = r.lies[trayZone].worth()
	return nil
}

// bring has chips come to a place from the cage.
func (r *rail) bring(z engine.Zone, amount engine.Chips) error {
	p := r.cage.give(amount, amount+1)
	r.lies[z] = append(r.lies[z], p...)
	if p.worth() != amount {
		return fmt.Errorf("simulated chips at %v: no chips of %d make up %d: want smaller ones", z, r.cage.kinds, amount)
	}
	return nil
}

// buy has a seat bring chips to the table.
func (r *rail) buy(seat engine.Seat, amount engine.Chips) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sat || !r.felt.Has(seat) {
		return nil
	}
	r.brought += amount
	return r.bring(stackOf(seat), amount)
}

// motion is what a player does with chips in a turn.
type motion int

const (
	// said: the player says it, by a key; with chips, if any lie wrong. put: chips lie there without a word. begun: more are to come.
	said motion = iota
	put
	begun
)

// bet puts chips down before a seat in its turn: a call, or a raise to an amount, 0 for a call. Where nobody feels or sees chips,
// and for all that a player has, which is announced, it is said.
func (r *rail) bet(seat engine.Seat, to engine.Chips) (motion, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stack, spot := stackOf(seat), spotOf(seat)
	if !r.watched(spot) || !r.sat || r.view.Awaits.Seat != seat || r.wrong.Has(seat) {
		return said, nil
	}
	raise := to > r.view.Bet
	if to == 0 {
		to = r.view.Bet
	}
	more := to - r.lies[spot].worth()
	if more <= 0 || more >= r.lies[stack].worth() || r.put[seat] != 0 {
		return said, nil
	}
	if m, ok := r.mistake(seat, more, raise); ok {
		r.bets++
		return m, r.show()
	}
	chips := r.take(stack, more)
	if raise && len(chips) == 1 || chips.worth() < more { // one chip is a call (TD-17)
		r.lay(stack, chips)
		return said, nil
	}
	r.lay(spot, chips)
	r.put[seat] = to
	r.bets++
	return put, r.show()
}

// lying is what lies in each place where there are chips, and how many bets were made with them.
func (r *rail) lying() (map[engine.Zone]engine.Chips, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[engine.Zone]engine.Chips{}
	for z, p := range r.lies {
		if len(p) > 0 {
			out[z] = p.worth()
		}
	}
	return out, r.bets
}
