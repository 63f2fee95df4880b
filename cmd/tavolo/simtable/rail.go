package simtable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

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

// reading is what the converter reads of chips worth an amount, as few as can be.
func (s *Scale) reading(amount engine.Chips) (int64, error) {
	weight := int64(0)
	for amount > 0 {
		var largest calibration.ChipKind
		for _, k := range s.Kinds {
			if k.Value <= amount && k.Value > largest.Value {
				largest = k
			}
		}
		if largest.Value == 0 {
			return 0, fmt.Errorf("simulated scale at %v: no chips make up %d there", s.Zone, amount)
		}
		n := amount / largest.Value
		weight += int64(n) * largest.Weight
		amount -= n * largest.Value
	}
	return s.feels(weight), nil
}

// feels is what the converter reads of a weight, in mg.
func (s *Scale) feels(weight int64) int64 { return s.Zero + weight*(s.Mark-s.Zero)/s.Known }

// rail is the chips at the felt: what lies in each place, moved as people move them, and felt on the scales there. Its
// methods may be called from any goroutine.
type rail struct {
	felt   engine.Seats
	scales map[engine.Zone]Scale
	weigh  func(Scale, int64) error

	mu   sync.Mutex
	sat  bool // chips are on the table
	lies map[engine.Zone]engine.Chips
	put  [engine.MaxSeats + 1]engine.Chips // what a seat has bet with its chips and the table has yet to notice, 0 for nothing
	bets int
	view engine.View
}

func newRail(opt Options, weigh func(Scale, int64) error) *rail {
	r := &rail{scales: map[engine.Zone]Scale{}, weigh: weigh, lies: map[engine.Zone]engine.Chips{{Kind: engine.ZoneTray}: opt.Tray}}
	for _, s := range opt.Scales {
		r.scales[s.Zone] = s
	}
	for _, p := range opt.Players {
		if p.Felt {
			r.felt = r.felt.With(p.Seat)
		}
	}
	return r
}

// weighs is how a scale's reading reaches whoever it hangs on.
func (h *hardware) weighs(s Scale, reading int64) error {
	if s.Node == 0 {
		file := filepath.Join(s.Path, "in_voltage0_raw")
		err := os.MkdirAll(s.Path, 0o755)
		if err == nil {
			err = os.WriteFile(file+".new", []byte(strconv.FormatInt(reading+half, 10)), 0o644)
		}
		if err == nil {
			err = os.Rename(file+".new", file)
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

// show has the scales feel what lies on them.
func (r *rail) show() error {
	var errs []error
	for z, s := range r.scales {
		reading, err := s.reading(r.lies[z])
		if err == nil {
			err = r.weigh(s, reading)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lay has a weight lie in a place, in mg.
func (r *rail) lay(z engine.Zone, mg int64) error {
	s, ok := r.scales[z]
	if !ok {
		return fmt.Errorf("no scale is at zone %v", z)
	}
	return r.weigh(s, s.feels(mg))
}

// move moves chips from one place to another, no more than there are. It gives what is left to be moved.
func (r *rail) move(from, to engine.Zone, n engine.Chips) (left engine.Chips) {
	moved := max(0, min(n, r.lies[from]))
	r.lies[from] -= moved
	r.lies[to] += moved
	return n - moved
}

// follow has the people do with their chips what the table has come to: bets are put down, collected, given back and won. The
// chips come from nowhere when people sit down.
func (r *rail) follow(v *engine.View) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.view = *v
	for _, p := range v.Seats {
		if !r.felt.Has(p.Seat) {
			continue
		}
		stack, bet := p.Stack, p.Bet
		if !r.sat {
			r.lies[stackOf(p.Seat)], r.lies[spotOf(p.Seat)] = stack, bet
			continue
		}
		if to := r.put[p.Seat]; to > bet && v.Awaits.Seat == p.Seat {
			stack, bet = stack-(to-bet), to
		} else {
			r.put[p.Seat] = 0
		}
		r.seat(p.Seat, stack, bet)
	}
	r.sat = true
	if v.Phase == engine.Between {
		r.settle(v)
	}
	return r.show()
}

// seat has a seat's stack and bet be so much, as far as that concerns nobody but the pot.
func (r *rail) seat(seat engine.Seat, stack, bet engine.Chips) {
	stackZ, spot := stackOf(seat), spotOf(seat)
	if more := bet - r.lies[spot]; more > 0 {
		r.move(stackZ, spot, more)
	} else {
		back := min(-more, max(0, stack-r.lies[stackZ]))
		r.move(spot, stackZ, back)
		r.move(spot, potZone, -more-back)
	}
	if less := r.lies[stackZ] - stack; less > 0 { // an ante, which goes to the pot at once
		r.move(stackZ, potZone, less)
	}
}

// settle pushes the pot: to the winners, and between it and the tray for those who are elsewhere.
func (r *rail) settle(v *engine.View) {
	for _, p := range v.Seats {
		if r.felt.Has(p.Seat) {
			z := stackOf(p.Seat)
			left := r.move(potZone, z, p.Stack-r.lies[z])
			r.move(trayZone, z, left)
		}
	}
	r.move(potZone, trayZone, r.lies[potZone])
}

// buy has a seat bring chips to the table.
func (r *rail) buy(seat engine.Seat, amount engine.Chips) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.felt.Has(seat) {
		r.lies[stackOf(seat)] += amount
	}
}

// bet puts chips down before a seat in its turn: a call, or a raise to an amount, 0 for a call. It tells whether it can be done
// with chips that a scale feels: else the player presses a key.
func (r *rail) bet(seat engine.Seat, to engine.Chips) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, weighed := r.scales[spotOf(seat)]; !weighed || !r.sat || r.view.Awaits.Seat != seat {
		return false, nil
	}
	if to == 0 {
		to = r.view.Bet
	}
	more := to - r.lies[spotOf(seat)]
	if more <= 0 || more >= r.lies[stackOf(seat)] || r.put[seat] != 0 {
		return false, nil // nothing to put, or all of it, which is said
	}
	r.put[seat] = to
	r.bets++
	r.move(stackOf(seat), spotOf(seat), more)
	return true, r.show()
}

// lying is what lies in each place where there are chips, and how many bets were made with them.
func (r *rail) lying() (map[engine.Zone]engine.Chips, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[engine.Zone]engine.Chips{}
	for z, n := range r.lies {
		if n != 0 {
			out[z] = n
		}
	}
	return out, r.bets
}
