package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/drivers/rfid"
	"tavolo/engine"
)

func calibrateChipsCommand() *cobra.Command {
	var f wizardFlags
	var o chipStep
	var zone, worths string
	c := &cobra.Command{
		Use:   "chips -c FILE --set NAME --worth 1=100,5=100",
		Short: "Register the tags of a set of chips",
		Long: `Register the tags of a set of chips, worth by worth. The chips of a worth are laid on the antenna of --zone, as many at a time
as it reads; an empty line says that all of them were. With a number beside a worth the set is only written if it has just
so many of them. A tag that is worth something else already is refused.

back takes the chips of the worth under way back. The set is written to the file of [chips] in the configuration, in place of
what it held.`,
		Example: `  tavolo calibrate chips -c table.toml --set "cash 2" --zone "spot 1" --worth 1=100,5=100,25=40`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if zone != "" {
				if o.zone, err = engine.ParseZone(zone); err != nil {
					return usageError{fmt.Errorf("--zone: %w", err)}
				}
			}
			if o.worths, err = parseWorths(worths); err != nil {
				return usageError{fmt.Errorf("--worth: %w", err)}
			}
			return f.lead(cmd, "chips", o.register)
		},
	}
	f.add(c)
	c.Flags().StringVar(&o.name, "set", "", "`NAME` of the set")
	c.Flags().StringVar(&zone, "zone", "", "zone whose antenna the chips are laid on (default: the first that reads chips)")
	c.Flags().StringVar(&worths, "worth", "", "what chips are worth, in the smallest unit of the currency, each perhaps with how many there are")
	for _, name := range []string{"set", "worth"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was made above
		}
	}
	return c
}

// worth is what some chips are worth, and how many there are, 0 if nobody said.
type worth struct {
	value  engine.Chips
	pieces int
}

// parseWorths takes 1=100,5,25=40.
func parseWorths(text string) (out []worth, err error) {
	for part := range strings.SplitSeq(text, ",") {
		value, pieces, counted := strings.Cut(strings.TrimSpace(part), "=")
		v, err := strconv.ParseInt(value, 10, 64)
		n := 0
		if err == nil && counted {
			n, err = strconv.Atoi(pieces)
		}
		switch {
		case err != nil || v < 1 || v > maxChips || counted && n < 1:
			return nil, fmt.Errorf("%q: want what chips are worth, or that and how many there are, such as 5=100", part)
		case slices.ContainsFunc(out, func(w worth) bool { return w.value == engine.Chips(v) }):
			return nil, fmt.Errorf("%d is there twice", v)
		}
		out = append(out, worth{engine.Chips(v), n})
	}
	return out, nil
}

// chipStep is the registration of a set of chips.
type chipStep struct {
	name   string
	zone   engine.Zone
	worths []worth
}

// sureLooks is how many looks must see a tag before it is taken for one.
const sureLooks = 3

// register leads through the registration.
func (o *chipStep) register(w *wizard) error {
	if w.cfg.ChipsFile == "" {
		return errors.New("chips.file is missing in the configuration: want the file that the set is to be written to")
	}
	zone, err := w.cfg.usualZone(o.zone, engine.Zone.Chips, "chips")
	if err != nil {
		return err
	}
	w.cert.Subject = o.name
	t := tagTable{w: w, zone: zone, enrolment: calibration.NewChipEnrolment(o.name)}
	err = w.at(zone, func(looks <-chan rfid.Report, antenna int) error {
		t.looks, t.antenna = looks, antenna
		for _, v := range o.worths {
			if err := t.read(v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return o.save(w, t.enrolment.Set(), t.refused)
}

// usualZone is a zone that a technician named, or the first that some antenna watches and is of a kind.
func (c *Config) usualZone(named engine.Zone, is func(engine.Zone) bool, what string) (engine.Zone, error) {
	if named != (engine.Zone{}) {
		if !is(named) {
			return named, usageError{fmt.Errorf("--zone: %v is no zone for %s", named, what)}
		}
		return named, nil
	}
	for _, d := range c.Devices {
		if i := slices.IndexFunc(d.Zones, is); i >= 0 {
			return d.Zones[i], nil
		}
	}
	return named, fmt.Errorf("no antenna watches %s: want a reader in [[devices]] that does", what)
}

// tagTable is the antenna that chips are laid on.
type tagTable struct {
	w         *wizard
	looks     <-chan rfid.Report
	antenna   int
	zone      engine.Zone
	enrolment *calibration.ChipEnrolment
	refused   int
}

// piled is how many chips of a worth were read so far.
type piled struct {
	Worth  engine.Chips `json:"worth"`
	Pieces int          `json:"pieces"`
	Why    string       `json:"refused,omitempty"`
}

// read registers the chips of one worth.
func (t *tagTable) read(v worth) error {
	title := fmt.Sprintf("Chips worth %d", v.value)
	if v.pieces > 0 {
		title += fmt.Sprintf(": %d of them", v.pieces)
	}
	err := t.w.heading(title, fmt.Sprintf("Lay them on %v, as many at a time as it reads.", t.zone),
		"An empty line when all were read, back to begin this worth anew, abort ends it.")
	if err != nil {
		return err
	}
	pieces, seen := 0, map[string]int{}
	for {
		select {
		case report := <-t.looks:
			for _, tag := range sureTags(report, t.antenna, seen) {
				n, refused := t.enrolment.Take(v.value, []string{tag})
				pieces += n
				if refused != nil {
					t.refused++
					err = t.w.tell(piled{v.value, pieces, refused.Error()}, "  !!  "+refused.Error())
				} else if n > 0 {
					err = t.w.tell(piled{v.value, pieces, ""}, fmt.Sprintf("%4d  worth %d  %s", pieces, v.value, tag))
				}
				if err != nil {
					return err
				}
			}
		case line, more := <-t.w.lines:
			switch line = strings.ToLower(strings.TrimSpace(line)); {
			case !more, line == "abort":
				return errAborted
			case line == "back":
				t.enrolment.Drop(v.value)
				pieces, seen = 0, map[string]int{}
				err = t.w.note("none of worth %d any more", v.value)
			case line != "":
				err = t.w.note("%q: want an empty line, back or abort", line)
			case v.pieces > 0 && pieces != v.pieces:
				err = t.w.note("%d were read, and there are %d: lay on what is missing, or back", pieces, v.pieces)
			default:
				return nil
			}
			if err != nil {
				return err
			}
		case <-t.w.ctx.Done():
			return errAborted
		}
	}
}

// sureTags takes a look of an antenna, and gives the tags that enough of its looks have seen by now.
func sureTags(report rfid.Report, antenna int, seen map[string]int) (fresh []string) {
	scan, ok := report.(rfid.Scan)
	if !ok || scan.Antenna != antenna {
		return nil
	}
	for _, tag := range scan.UIDs {
		if seen[tag]++; seen[tag] == sureLooks {
			fresh = append(fresh, tag)
		}
	}
	return fresh
}

// save reviews and writes the set.
func (o *chipStep) save(w *wizard, set *calibration.ChipSet, refused int) error {
	pieces := set.Pieces()
	for _, v := range o.worths {
		value := calibration.NewValue(fmt.Sprintf("chips worth %d", v.value), float64(pieces[v.value]), "")
		if v.pieces > 0 {
			value = value.Exactly(float64(v.pieces))
		} else {
			value = value.AtLeast(1)
		}
		w.cert.Add(value)
	}
	w.cert.Add(calibration.NewValue("worth of the set", float64(set.Total()), ""), calibration.NewValue("tags refused on the way", float64(refused), ""))
	text := set.Text()
	return w.save(w.cfg.ChipsFile, text, func(back []byte) error {
		read, err := calibration.LoadChipSet(w.cfg.ChipsFile, back)
		if err == nil && !bytes.Equal(read.Text(), text) {
			err = fmt.Errorf("set %q is another than was written", read.Name())
		}
		return err
	})
}
