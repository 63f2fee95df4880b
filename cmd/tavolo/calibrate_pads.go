package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/drivers/rfid"
	"tavolo/engine"
	"tavolo/engine/card"
)

func calibratePadsCommand() *cobra.Command {
	var f wizardFlags
	var o padStep
	var zones []string
	c := &cobra.Command{
		Use:   "pads -c FILE",
		Short: "Find out what each antenna sees: swapped ones, read rates of stacked cards, cross-talk, cards lost at rest",
		Long: `Find out what each antenna of the pads sees. Cards are laid on one place after the other, one card first and then as many on top
of each other as --stack: of so many looks, how many saw every card, how long it takes, how strong the tags answer where the
reader tells, and how many looks of other antennas saw any. An antenna that sees the cards of another place is in the wrong
place, or wired to the wrong output: what the configuration should say is told. At the end a card lies on every pad for
--dwell, by the debouncing of the table, and none may be taken for gone.

Nothing is written but the certificate: the zones of the antennas are those of the configuration.`,
		Example: `  tavolo calibrate pads -c table.toml --stack 4
  tavolo calibrate pads -c table.toml --zone "seat 3" --zone board --dwell 0s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, text := range zones {
				z, err := engine.ParseZone(text)
				if err != nil {
					return usageError{fmt.Errorf("--zone: %w", err)}
				}
				o.zones = append(o.zones, z)
			}
			if o.looks < 1 || o.stack < 1 || o.dwell < 0 {
				return usageError{errors.New("--looks and --stack: want 1 or more, and --dwell no less than 0s")}
			}
			return f.lead(cmd, "pads", o.test)
		},
	}
	f.add(c)
	c.Flags().StringArrayVar(&zones, "zone", nil, "a `ZONE` to be tried, more than once for several (default: every zone of cards that lie)")
	c.Flags().IntVar(&o.looks, "looks", 50, "looks of each antenna that a try takes")
	c.Flags().IntVar(&o.stack, "stack", 2, "cards that are stacked")
	c.Flags().DurationVar(&o.dwell, "dwell", 10*time.Minute, "how long the cards lie at the end; 0s for not at all")
	return c
}

// padStep is the test of the pads.
type padStep struct {
	zones []engine.Zone // none for all
	looks int
	stack int
	dwell time.Duration
}

// leastRate is how many of a hundred looks must see every card: then the table, which takes a card for gone after two
// looks in a row that missed it, loses one in hours.
const leastRate = 98

// padLook is one look of the antenna that watches a zone.
type padLook struct {
	zone engine.Zone
	scan rfid.Scan
}

// padBench is the antennas of all pads at work.
type padBench struct {
	w     *wizard
	zones []engine.Zone // that they watch
	looks chan padLook
	stop  func() error
}

// lies is whether cards lie in a zone for an antenna to see.
func lies(z engine.Zone) bool {
	return !z.Chips() && z.Kind != engine.ZoneShoe && z.Kind != engine.ZoneNext && z.Kind != engine.ZoneFollowing
}

// pads sets all readers to work that see cards lie.
func (w *wizard) pads() (*padBench, error) {
	ctx, cancel := context.WithCancel(w.ctx)
	var g tasks.Group
	var stops []func() error
	b := &padBench{w: w, looks: make(chan padLook)}
	b.stop = func() error {
		cancel()
		var errs []error
		for _, stop := range stops {
			errs = append(errs, stop())
		}
		return errors.Join(append(errs, g.Wait())...)
	}
	for _, c := range w.cfg.Devices {
		if !slices.ContainsFunc(c.Zones, lies) {
			continue
		}
		a, err := w.work(c)
		if err != nil {
			return nil, errors.Join(err, b.stop())
		}
		stops = append(stops, a.stop)
		g.Go(func() error { b.gather(ctx, c, a.looks); return nil })
		b.zones = append(b.zones, slices.DeleteFunc(slices.Clone(c.Zones), func(z engine.Zone) bool { return !lies(z) })...)
	}
	if len(b.zones) == 0 {
		return nil, errors.Join(errors.New("no antenna watches cards that lie: want a card reader in [[devices]]"), b.stop())
	}
	return b, nil
}

// gather passes on what a reader sees, until ctx ends.
func (b *padBench) gather(ctx context.Context, c DeviceConfig, reports <-chan rfid.Report) {
	for {
		select {
		case report := <-reports:
			scan, ok := report.(rfid.Scan)
			if !ok || !lies(c.Zones[scan.Antenna-1]) {
				continue
			}
			select {
			case b.looks <- padLook{c.Zones[scan.Antenna-1], scan}:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// test leads through the test.
func (o *padStep) test(w *wizard) error {
	b, err := w.pads()
	if err != nil {
		return err
	}
	return w.measure("pads", func() error { return o.all(b) }, b.stop)
}

func (o *padStep) all(b *padBench) error {
	zones := o.zones
	if len(zones) == 0 {
		zones = b.zones
	}
	learned := calibration.PadMap{}
	for _, z := range zones {
		if !slices.Contains(b.zones, z) {
			return fmt.Errorf("no antenna watches cards in zone %q", z)
		}
		for n := range o.stack {
			r, err := b.try(z, n+1, o.looks)
			if err != nil {
				return err
			}
			if n == 0 {
				learned.Learn(r)
			}
			b.w.cert.Add(padValues(r)...)
		}
	}
	if err := b.swaps(learned); err != nil {
		return err
	}
	if o.dwell > 0 {
		return b.dwell(zones, o.dwell)
	}
	return nil
}

// cards is a number of cards in words.
func cards(n int) string {
	if n == 1 {
		return "1 card"
	}
	return fmt.Sprintf("%d cards", n)
}

// try has cards laid in a zone and looks at them, as often as the technician wants.
func (b *padBench) try(z engine.Zone, n, looks int) (r calibration.PadResult, err error) {
	what := fmt.Sprintf("Lay %s on %v, and nothing anywhere else.", cards(n), z)
	if n > 1 {
		what = fmt.Sprintf("Lay %s on top of each other on %v, and nothing anywhere else.", cards(n), z)
	}
	if err := b.w.heading(fmt.Sprintf("%v, %s", z, cards(n)), what); err != nil {
		return r, err
	}
	for {
		if _, err := b.w.answer("Is it done?", "done"); err != nil {
			return r, err
		}
		if r, err = b.measure(z, n, looks); err != nil {
			return r, err
		}
		if err := b.w.tell(r, padText(r)); err != nil {
			return r, err
		}
		if answer, err := b.w.answer("Go on?", "accept", "retry"); err != nil || answer == "accept" {
			return r, err
		}
	}
}

// measure looks at what lies in a zone.
func (b *padBench) measure(z engine.Zone, n, looks int) (calibration.PadResult, error) {
	p := calibration.NewPadTest(z, n, b.zones)
	began := time.Now()
	fresh := map[engine.Zone]bool{} // whose next look begins after that
	late := time.NewTimer(trialLimit)
	defer late.Stop()
	for p.Looks() < looks {
		before := p.Looks()
		select {
		case l := <-b.looks:
			if fresh[l.zone] { // else the look may have been under way while the card was laid down
				p.Look(l.zone, l.scan.UIDs, l.scan.RSSI, l.scan.At)
			}
			fresh[l.zone] = l.scan.At.After(began)
		case <-late.C:
			return p.Result(), fmt.Errorf("an antenna has not looked for %v; see tavolo doctor", trialLimit)
		case <-b.w.ctx.Done():
			return p.Result(), errAborted
		}
		if p.Looks() > before {
			late.Reset(trialLimit)
		}
	}
	return p.Result(), nil
}

// padText is a result for people.
func padText(r calibration.PadResult) string {
	text := fmt.Sprintf("%.0f %% of %d looks saw %s, 95 %% within %d ms; %d looks of other antennas saw any; RSSI ", r.Rate, r.Looks, cards(r.Cards), r.Gaps.P95, r.Others)
	if r.RSSI.Samples == 0 {
		text += "not told by this reader"
	} else {
		text += fmt.Sprintf("%d to %d dBm", r.RSSI.Min, r.RSSI.Max)
	}
	switch r.Best {
	case r.Zone:
	case engine.Zone{}:
		text += "\n  !!  no antenna sees it"
	default:
		text += fmt.Sprintf("\n  !!  it is seen best by the antenna that the configuration has for %v", r.Best)
	}
	return text
}

// padValues are what a result adds to the certificate.
func padValues(r calibration.PadResult) []calibration.Value {
	at := fmt.Sprintf("%v, %s: ", r.Zone, cards(r.Cards))
	rssi := calibration.NewValue(at+"RSSI", r.RSSI.Mean, "dBm").Noting(fmt.Sprintf("%d to %d", r.RSSI.Min, r.RSSI.Max))
	if r.RSSI.Samples == 0 {
		rssi = calibration.NewValue(at+"RSSI", 0, "").Noting("not told by this reader")
	}
	return []calibration.Value{
		calibration.NewValue(at+"looks that saw every card", r.Rate, "%").AtLeast(leastRate).Noting(fmt.Sprintf("%d looks", r.Looks)),
		calibration.NewValue(at+"95 % seen again within", float64(r.Gaps.P95), "ms"),
		calibration.NewValue(at+"looks of other antennas that saw any", float64(r.Others), "").Exactly(0),
		rssi,
	}
}

// swaps tells which antennas are in the wrong place, and what the configuration should say.
func (b *padBench) swaps(learned calibration.PadMap) error {
	swapped := 0
	for from, to := range learned {
		if from != to {
			swapped++
		}
	}
	b.w.cert.Add(calibration.NewValue("antennas in the wrong place", float64(swapped), "").Exactly(0))
	for _, c := range b.w.cfg.Devices {
		want, changed := learned.Zones(c.Zones)
		if !changed {
			continue
		}
		var names []string
		for _, z := range want {
			names = append(names, fmt.Sprintf("%q", z))
		}
		if err := b.w.note("  !!  device %s: either move the antennas, or have the configuration say zones = [%s]", c.Name, strings.Join(names, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// dwelling counts the cards that were taken for gone, by the places they lie in. It is calibration.Facts.
type dwelling struct{ placed, gone map[engine.Zone]int }

func (d *dwelling) StrangerPlaced(_ context.Context, z engine.Zone, _ string) { d.placed[z]++ }
func (d *dwelling) StrangerGone(_ context.Context, z engine.Zone, _ string)   { d.gone[z]++ }

// The others are not called: no tag is a card of an empty deck, and nothing passes the shoe.
func (d *dwelling) CardLeft(context.Context, card.Card)                                {}
func (d *dwelling) StrangerLeft(context.Context, string)                               {}
func (d *dwelling) OtherDeckLeft(context.Context, string, card.Card)                   {}
func (d *dwelling) CardPlaced(context.Context, engine.Zone, card.Card)                 {}
func (d *dwelling) CardGone(context.Context, engine.Zone, card.Card)                   {}
func (d *dwelling) AtTwo(context.Context, string, card.Card, engine.Zone, engine.Zone) {}

// dwell has a card lie on every pad for a time, and counts those that are taken for gone.
func (b *padBench) dwell(zones []engine.Zone, lasts time.Duration) error {
	var names []string
	for _, z := range zones {
		names = append(names, z.String())
	}
	err := b.w.heading(fmt.Sprintf("At rest for %v", lasts), "Lay one card on each of: "+strings.Join(names, ", ")+".", "Then leave the table alone.")
	if err == nil {
		_, err = b.w.answer("Is it done?", "done")
	}
	if err != nil {
		return err
	}
	facts := &dwelling{map[engine.Zone]int{}, map[engine.Zone]int{}}
	watch := calibration.NewWatch(calibration.NewDeckEnrolment("", nil, nil).Deck(), facts, calibration.Debounce{})
	began := time.Now()
	end := time.NewTimer(trialLimit) // until every card is seen, for as long as is asked from then on
	defer end.Stop()
	resting := false
	for over := false; !over; {
		if unseen := func(z engine.Zone) bool { return facts.placed[z] == 0 }; !resting && !slices.ContainsFunc(zones, unseen) {
			resting = true
			end.Reset(lasts)
		}
		select {
		case l := <-b.looks:
			if l.scan.At.After(began) {
				watch.Scanned(b.w.ctx, l.zone, l.scan.UIDs, l.scan.Partial)
			}
		case <-end.C:
			over = true
		case <-b.w.ctx.Done():
			return errAborted
		}
	}
	for _, z := range zones {
		b.w.cert.Add(
			calibration.NewValue(fmt.Sprintf("%v, at rest: cards seen", z), float64(min(facts.placed[z], 1)), "").Exactly(1),
			calibration.NewValue(fmt.Sprintf("%v, at rest: times taken for gone", z), float64(facts.gone[z]), "").Exactly(0).Noting(lasts.String()),
		)
	}
	for _, z := range slices.SortedFunc(maps.Keys(facts.placed), func(a, b engine.Zone) int { return strings.Compare(a.String(), b.String()) }) {
		if !slices.Contains(zones, z) {
			b.w.cert.Add(calibration.NewValue(fmt.Sprintf("%v, at rest: cards seen where none lies", z), float64(facts.placed[z]), "").Exactly(0))
		}
	}
	return nil
}
