package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/drivers/loadcell"
	"tavolo/drivers/port"
	"tavolo/drivers/seatnode"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

func calibrateScaleCommand() *cobra.Command {
	var f wizardFlags
	var o scaleStep
	var zone, mass, worths string
	c := &cobra.Command{
		Use:   "scale -c FILE --zone ZONE --mass GRAMS --worth 1,5,25",
		Short: "Measure a scale and the chips on it: zero, span, noise, and the weight of each kind of chip",
		Long: `Measure a scale under chips. The empty scale gives its zero, a known mass its span, the empty scale once more how far it comes
back. Then some chips of each worth are laid on it one by one: what each adds is the weight of that kind, and the farthest from
it the tolerance. How many chips a pile may have and still be counted as what it is, in any mix, follows from all of that, and
must be as many as --pieces.

The scale is written to the file that its section of the configuration names: [[scales]] file = "spot-1.toml".`,
		Example: `  tavolo calibrate scale -c table.toml --zone "spot 1" --mass 500 --worth 1,5,25`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.zone, err = engine.ParseZone(zone); err != nil {
				return usageError{fmt.Errorf("--zone: %w", err)}
			}
			if o.known, err = parseGrams(mass); err != nil {
				return usageError{fmt.Errorf("--mass: %w", err)}
			}
			if o.worths, err = parseWorths(worths); err != nil {
				return usageError{fmt.Errorf("--worth: %w", err)}
			}
			if o.pieces < 1 || o.pieces > mostPieces {
				return usageError{fmt.Errorf("--pieces %d: want 1 to %d", o.pieces, mostPieces)}
			}
			return f.lead(cmd, "scale", o.measure)
		},
	}
	f.add(c)
	c.Flags().StringVar(&zone, "zone", "", "`ZONE` of the scale, such as \"spot 1\"")
	c.Flags().StringVar(&mass, "mass", "", "known mass that is laid on it, in `GRAMS`, such as 500 or 199.98")
	c.Flags().StringVar(&worths, "worth", "", "what the chips are worth that may lie there; =N after it for how many are weighed, else 5")
	c.Flags().IntVar(&o.pieces, "pieces", 10, "how many chips must be told in any mix")
	for _, name := range []string{"zone", "mass", "worth"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was made above
		}
	}
	return c
}

// mostPieces bounds up to how many chips it is worked out whether they can be told.
const mostPieces = 30

// parseGrams takes a mass in grams, and gives it in mg.
func parseGrams(text string) (int64, error) {
	g, err := strconv.ParseFloat(text, 64)
	if err != nil || !(g > 0) || g*1000 > maxWeight {
		return 0, fmt.Errorf("%q: want a mass in grams, above 0 and at most %d", text, maxWeight/1000)
	}
	return int64(math.Round(g * 1000)), nil
}

// scaleStep is the calibration of a scale.
type scaleStep struct {
	zone   engine.Zone
	known  int64 // mg
	worths []worth
	pieces int
}

const (
	// settleReadings are not looked at after something was put down: a cell takes 400 ms to settle.
	settleReadings = 2
	// restReadings are what a weight at rest is measured by.
	restReadings = 10
	// stillReadings in a row, no farther apart than the scale's noise, are a weight at rest.
	stillReadings = 3
	// weighedChips is how many chips of a kind are weighed if nobody says.
	weighedChips = 5
	// spanNoise is how many times its noise the reading of the known mass must be away from that of the empty scale.
	spanNoise = 200
)

// scaleReading is what a converter reads, or why it does not.
type scaleReading struct {
	value int64
	err   error
}

// measure leads through the calibration.
func (o *scaleStep) measure(w *wizard) error {
	var c ScaleConfig
	for _, s := range w.cfg.Scales {
		if s.Zone == o.zone {
			c = s
		}
	}
	switch {
	case c.Zone == (engine.Zone{}):
		return fmt.Errorf("no scale is at zone %q: want one in [[scales]]", o.zone)
	case c.File == "":
		return fmt.Errorf("the scale at %v has no file: want file = \"scale.toml\" in its [[scales]], in place of zero, mark, known, noise and chips", o.zone)
	}
	readings, stop, err := w.weigh(c)
	if err != nil {
		return err
	}
	w.cert.Subject = "scale " + o.zone.String()
	s := scalePan{w: w, readings: readings}
	scale, err := o.lay(&s)
	stop()
	if err != nil {
		return err
	}
	text := scale.Text()
	return w.save(c.File, text, func(back []byte) error {
		read, err := loadScale(c.File, back)
		if err == nil && string(read.Text()) != string(text) {
			err = errors.New("it is another than was written")
		}
		return err
	})
}

// lay has everything laid on the scale that it is measured by.
func (o *scaleStep) lay(s *scalePan) (*calibration.Scale, error) {
	zero, err := s.rest("Empty scale", "Take everything off the scale.")
	if err != nil {
		return nil, err
	}
	mark, err := s.rest("Known mass", fmt.Sprintf("Lay the mass of %.3f g on the middle of the scale.", float64(o.known)/1000))
	if err != nil {
		return nil, err
	}
	scale := &calibration.Scale{Zone: o.zone, Zero: int64(math.Round(zero.Mean)), Mark: int64(math.Round(mark.Mean)), Known: o.known}
	noise := max(zero.Range(), mark.Range(), 1)
	span := max(scale.Mark-scale.Zero, scale.Zero-scale.Mark)
	if span < spanNoise*noise {
		return nil, fmt.Errorf("the known mass moves the reading by %d, and at rest it moves by %d: want %d times as much; was it laid on, and is the cell wired?", span, noise, spanNoise)
	}
	back, err := s.rest("Empty scale again", "Take everything off the scale once more.")
	if err != nil {
		return nil, err
	}
	drift := scale.Weight(int64(math.Round(back.Mean)))
	drift = max(drift, -drift)
	mg := func(counts int64) int64 { return (counts*scale.Known + span - 1) / span }
	scale.Noise = max(mg(max(noise, back.Range())), drift, 1)
	for _, v := range o.worths {
		kind, err := s.chips(scale, v)
		if err != nil {
			return nil, err
		}
		scale.Kinds = append(scale.Kinds, kind)
	}
	if err := scale.Validate(); err != nil {
		return nil, err
	}
	lightest := scale.Kinds[0].Weight
	for _, k := range scale.Kinds {
		lightest = min(lightest, k.Weight-k.Tolerance)
	}
	half := float64(lightest) / 2000
	g := func(counts float64) float64 { return counts * float64(o.known) / float64(span) / 1000 }
	s.w.cert.Add(
		calibration.NewValue("zero", zero.Mean, "counts"), calibration.NewValue("span", mark.Mean-zero.Mean, "counts").Noting(fmt.Sprintf("%.3f g", float64(o.known)/1000)),
		calibration.NewValue("range of the empty scale", g(float64(zero.Range())), "g").AtMost(half).Noting(fmt.Sprintf("%d samples, σ %.3f g", zero.Samples, g(zero.Sigma))),
		calibration.NewValue("range with the known mass", g(float64(mark.Range())), "g").AtMost(half).Noting(fmt.Sprintf("%d samples, σ %.3f g", mark.Samples, g(mark.Sigma))),
		calibration.NewValue("error of the empty scale after a load", float64(drift)/1000, "g").AtMost(half),
		calibration.NewValue("noise", float64(scale.Noise)/1000, "g"),
	)
	for _, k := range scale.Kinds {
		s.w.cert.Add(calibration.NewValue(fmt.Sprintf("chip worth %d", k.Value), float64(k.Weight)/1000, "g").Noting(fmt.Sprintf("± %.3f g", float64(k.Tolerance)/1000)))
	}
	s.w.cert.Add(calibration.NewValue("chips that are told in any mix", float64(scale.SurePieces(o.pieces)), "").AtLeast(float64(o.pieces)))
	return scale, nil
}

// scalePan is a scale at a technician's hands.
type scalePan struct {
	w        *wizard
	readings <-chan scaleReading
}

// rest measures a weight at rest, as often as the technician wants.
func (s *scalePan) rest(title, what string) (calibration.Spread, error) {
	if err := s.w.heading(title, what); err != nil {
		return calibration.Spread{}, err
	}
	for {
		if _, err := s.answer("Is it done?", "done"); err != nil {
			return calibration.Spread{}, err
		}
		var values []int64
		for i := range settleReadings + restReadings {
			v, err := s.next()
			if err != nil {
				return calibration.Spread{}, err
			}
			if i >= settleReadings {
				values = append(values, v)
			}
		}
		spread := calibration.SpreadOf(values)
		if err := s.w.tell(spread, spread.Text(1, "counts")); err != nil {
			return spread, err
		}
		if answer, err := s.answer("Is that still enough?", "accept", "retry"); err != nil || answer == "accept" {
			return spread, err
		}
	}
}

// answer is that of the technician, while readings go by.
func (s *scalePan) answer(question string, answers ...string) (string, error) {
	ctx, stop := context.WithCancel(s.w.ctx)
	var g tasks.Group
	g.Go(func() error {
		for {
			select {
			case <-s.readings:
			case <-ctx.Done():
				return nil
			}
		}
	})
	answer, err := s.w.answer(question, answers...)
	stop()
	return answer, errors.Join(err, g.Wait())
}

// next waits for a reading, for a while also of a scale that has none to give.
func (s *scalePan) next() (int64, error) {
	late := time.After(trialLimit)
	why := errors.New("nothing is heard of it")
	for {
		select {
		case r := <-s.readings:
			if r.err == nil {
				return r.value, nil
			}
			if r.err.Error() != why.Error() {
				why = r.err
				if err := s.w.note("no reading: %v", why); err != nil {
					return 0, err
				}
			}
		case <-late:
			return 0, fmt.Errorf("no reading for %v: %w; see tavolo doctor", trialLimit, why)
		case <-s.w.ctx.Done():
			return 0, errAborted
		}
	}
}

// weighed is a chip that was laid on.
type weighed struct {
	Worth  engine.Chips `json:"worth"`
	Done   int          `json:"done"`
	Of     int          `json:"of"`
	Weight int64        `json:"mg"`
	Why    string       `json:"refused,omitempty"`
}

// chips weighs chips of one kind, which are laid on one by one.
func (s *scalePan) chips(scale *calibration.Scale, v worth) (calibration.ChipKind, error) {
	of := v.pieces
	if of == 0 {
		of = weighedChips
	}
	for {
		kind, err := s.weighChips(scale, v.value, of)
		if err != nil {
			return kind, err
		}
		if answer, err := s.answer("Is that the kind?", "accept", "retry"); err != nil || answer == "accept" {
			return kind, err
		}
	}
}

func (s *scalePan) weighChips(scale *calibration.Scale, value engine.Chips, of int) (kind calibration.ChipKind, err error) {
	err = s.w.heading(fmt.Sprintf("Chips worth %d", value), "Take everything off the scale.")
	if err == nil {
		_, err = s.answer("Is it done?", "done")
	}
	var start int64
	if err == nil {
		start, err = s.still(scale, math.MinInt64)
	}
	if err == nil {
		err = s.w.note("Now lay %d chips worth %d on it, one by one; wait for each to be told.", of, value)
	}
	if err != nil {
		return kind, err
	}
	chips := calibration.NewWeighing(start)
	last := start
	for len(chips.Weights()) < of {
		weight, err := s.still(scale, last)
		if err != nil {
			return kind, err
		}
		last = weight
		refused := chips.Take(weight)
		done := chips.Weights()
		if refused != nil {
			err = s.w.tell(weighed{value, len(done), of, weight, refused.Error()}, "  !!  "+refused.Error())
		} else {
			one := done[len(done)-1]
			err = s.w.tell(weighed{value, len(done), of, one, ""}, fmt.Sprintf("%3d of %d  %.3f g", len(done), of, float64(one)/1000))
		}
		if err != nil {
			return kind, err
		}
	}
	kind = chips.Kind(value)
	spread := calibration.SpreadOf(chips.Weights())
	return kind, s.w.tell(spread, spread.Text(1000, "g"))
}

// lightestChip is the least that a chip weighs, in mg.
const lightestChip = 1000

// still waits until what lies on the scale is at rest, and weighs otherwise than before; it gives that weight.
func (s *scalePan) still(scale *calibration.Scale, before int64) (int64, error) {
	var recent []int64
	for {
		v, err := s.next()
		if err != nil {
			return 0, err
		}
		recent = append(recent, scale.Weight(v))
		if len(recent) < stillReadings {
			continue
		}
		recent = recent[len(recent)-stillReadings:]
		spread := calibration.SpreadOf(recent)
		weight := int64(math.Round(spread.Mean))
		if spread.Range() <= 2*scale.Noise && (before == math.MinInt64 || max(weight-before, before-weight) >= lightestChip) {
			return weight, nil
		}
	}
}

// weigh runs what a scale hangs on, and gives its readings until stop is called.
func (w *wizard) weigh(c ScaleConfig) (<-chan scaleReading, func(), error) {
	panels := newPanels(w.cfg)
	for _, dc := range w.cfg.Devices {
		if dc.Name != c.Device && (c.Device != "" || dc.Kind != seatBus) {
			continue
		}
		dev, err := openDevice(dc, w.d, panels)
		if err != nil {
			return nil, nil, fmt.Errorf("device %s: %w", dc.Name, err)
		}
		ctx, cancel := context.WithCancel(w.ctx)
		out := make(chan scaleReading)
		tell := func(r scaleReading) {
			select {
			case out <- r:
			case <-ctx.Done():
			}
		}
		var g tasks.Group
		g.Go(func() error { return readScale(ctx, dev, c.Zone.Seat, tell) })
		w.cert.Devices = append(w.cert.Devices, calibration.DeviceState{Name: dc.Name, Kind: dc.Kind, Place: dc.place()})
		return out, func() { cancel(); _ = g.Wait() }, nil // it ends because it is told to
	}
	return nil, nil, fmt.Errorf("the scale at %v hangs on nothing", c.Zone)
}

// readScale gives the readings of a load cell, or of the scale of a seat's node.
func readScale(ctx context.Context, dev device, seat engine.Seat, tell func(scaleReading)) error {
	switch d := dev.(type) {
	case *cell:
		return attend(ctx, d.dev.Run, d.dev.Reports(), func(report loadcell.Report) {
			switch r := report.(type) {
			case loadcell.Sample:
				tell(scaleReading{value: r.Reading})
			case port.State:
				if !r.Up {
					tell(scaleReading{err: r.Err})
				}
			}
		}, func() {})
	case *panelBus:
		return attend(ctx, d.dev.Run, d.dev.Reports(), func(report seatnode.Report) {
			switch r := report.(type) {
			case seatnode.Weight:
				if d.panels.nodes[r.Seat] != seat {
					return
				}
				if r.Over {
					tell(scaleReading{err: errors.New("the scale is overloaded: take the load off")})
					return
				}
				tell(scaleReading{value: int64(r.Counts)})
			case seatnode.Status:
				if d.panels.nodes[r.Seat] == seat && r.State != bridge.Online {
					tell(scaleReading{err: fmt.Errorf("the %s does not answer: %w", panelName(seat), r.Err)})
				}
			}
		}, func() {})
	}
	return errors.New("no scale")
}
