package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/drivers/rfid"
	"tavolo/engine"
)

func calibrateMarkerCommand() *cobra.Command {
	var f wizardFlags
	var o markerStep
	var zones []string
	c := &cobra.Command{
		Use:   "marker -c FILE --marker NAME",
		Short: "Register the tags of the dealer button",
		Long: `Register the tags of the dealer button, so that the table sees at which seat it lies. It is laid on the antenna of --zone, a pad,
a spot or a stack of a seat, one side up and then the other; an empty line says that all its tags were read. A button with a
tag for readers of cards and one for readers of chips is laid on one of each: give --zone twice. A tag of a card or a chip is
refused.

back takes the tags that were read at the place under way back. They are written to the file of [marker] in the configuration, in
place of what it held.`,
		Example: `  tavolo calibrate marker -c table.toml --marker "button 1" --zone "seat 1"`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, text := range zones {
				z, err := engine.ParseZone(text)
				if err == nil && !atSeat(z) {
					err = fmt.Errorf("%v is no zone of a seat", z)
				}
				if err != nil {
					return usageError{fmt.Errorf("--zone: %w", err)}
				}
				o.zones = append(o.zones, z)
			}
			return f.lead(cmd, "marker", o.register)
		},
	}
	f.add(c)
	c.Flags().StringVar(&o.name, "marker", "", "`NAME` of the button")
	c.Flags().StringArrayVar(&zones, "zone", nil, "zone whose antenna it is laid on (default: the first of a seat)")
	if err := c.MarkFlagRequired("marker"); err != nil {
		panic(err) // the flag was made above
	}
	return c
}

// markerStep is the registration of the dealer button.
type markerStep struct {
	name  string
	zones []engine.Zone
}

// register leads through the registration.
func (o *markerStep) register(w *wizard) error {
	if w.cfg.MarkerFile == "" {
		return errors.New("marker.file is missing in the configuration: want the file that the tags are to be written to")
	}
	if len(o.zones) == 0 {
		z, err := w.cfg.usualZone(engine.Zone{}, atSeat, "a seat")
		if err != nil {
			return err
		}
		o.zones = []engine.Zone{z}
	}
	w.cert.Subject = o.name
	tags, refused := map[string]bool{}, 0
	for _, z := range o.zones {
		err := w.at(z, func(looks <-chan rfid.Report, antenna int) error {
			here, no, err := w.markerTags(z, looks, antenna)
			maps.Copy(tags, here)
			refused += no
			return err
		})
		if err != nil {
			return err
		}
	}
	w.cert.Add(calibration.NewValue("tags of the button", float64(len(tags)), "").AtLeast(1),
		calibration.NewValue("tags refused on the way", float64(refused), ""))
	m, err := calibration.NewMarker(o.name, slices.Collect(maps.Keys(tags))...)
	if err != nil {
		return err
	}
	text := m.Text()
	return w.save(w.cfg.MarkerFile, text, func(back []byte) error {
		read, err := calibration.LoadMarker(w.cfg.MarkerFile, back)
		if err == nil && !bytes.Equal(read.Text(), text) {
			err = fmt.Errorf("button %q is another than was written", read.Name())
		}
		return err
	})
}

// markerTag is a tag that was read, or why it is not taken.
type markerTag struct {
	Tag string `json:"tag"`
	Why string `json:"refused,omitempty"`
}

// markerTags are the tags of the button that an antenna reads, until the technician says that these are all.
func (w *wizard) markerTags(z engine.Zone, looks <-chan rfid.Report, antenna int) (tags map[string]bool, refused int, err error) {
	err = w.heading("The dealer button", fmt.Sprintf("Lay it on %v, one side up and then the other, and nothing else.", z),
		"An empty line when all its tags were read, back to begin anew, abort ends it.")
	tags, seen := map[string]bool{}, map[string]int{}
	for err == nil {
		select {
		case report := <-looks:
			for _, tag := range sureTags(report, antenna, seen) {
				if what := w.cfg.tagged(tag); what != "" {
					refused++
					err = w.tell(markerTag{tag, "it is of " + what}, fmt.Sprintf("  !!  tag %s is of %s", tag, what))
				} else {
					tags[tag] = true
					err = w.tell(markerTag{tag, ""}, fmt.Sprintf("%4d  %s", len(tags), tag))
				}
				if err != nil {
					return nil, refused, err
				}
			}
		case line, more := <-w.lines:
			switch line = strings.ToLower(strings.TrimSpace(line)); {
			case !more, line == "abort":
				return nil, refused, errAborted
			case line == "back":
				tags, seen = map[string]bool{}, map[string]int{}
				err = w.note("no tag of the button any more")
			case line != "":
				err = w.note("%q: want an empty line, back or abort", line)
			default:
				return tags, refused, nil
			}
		case <-w.ctx.Done():
			return nil, refused, errAborted
		}
	}
	return nil, refused, err
}
