package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/controller/mqtt"
)

func checkCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "check -c FILE",
		Short: "Validate a configuration and report every fault with its line",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return checkConfig(cmd, file) },
	}
	configFlag(c, &file)
	return c
}

// configFlag gives a command the flag for its configuration.
func configFlag(c *cobra.Command, file *string) {
	c.Flags().StringVarP(file, "config", "c", "", "configuration of the table, a TOML `FILE`")
	if err := c.MarkFlagRequired("config"); err != nil {
		panic(err) // the flag was made above
	}
}

func checkConfig(cmd *cobra.Command, file string) error {
	out := outputOf(cmd)
	c, err := LoadConfig(file)
	if err == nil {
		sum := summaryOf(file, c)
		out.print(sum, sum.String())
		return out.Flush()
	}
	for _, e := range split(err) {
		fault, ok := errors.AsType[*calibration.Fault](e)
		if !ok {
			return err
		}
		if out.json {
			out.print(fault, "")
		} else {
			fmt.Fprintln(cmd.ErrOrStderr(), fault)
		}
	}
	return errors.Join(errReported, out.Flush())
}

// summary is what a configuration without fault is about.
type summary struct {
	File    string          `json:"file"`
	Result  string          `json:"result"` // ok
	Studio  string          `json:"studio"`
	Table   string          `json:"table"`
	Game    string          `json:"game"`
	Limit   string          `json:"limit"`
	House   string          `json:"house"`
	Remote  int             `json:"remote_seats"`
	Felt    int             `json:"felt_seats"`
	Broker  string          `json:"broker"` // url or embedded
	Users   int             `json:"users"`  // of the embedded one
	Deck    string          `json:"deck,omitempty"`
	Chips   string          `json:"chips,omitempty"`  // those with tags
	Marker  string          `json:"marker,omitempty"` // the dealer button with a tag
	Devices []deviceSummary `json:"devices"`
	// Times are those of the house, where the configuration says no others.
	Times *mqtt.TimesPayload `json:"times"`

	// Warnings are what does not work, though nothing is wrong.
	Warnings []string `json:"warnings,omitempty"`

	title, game string // for people
}

type deviceSummary struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Path string `json:"path"` // of the port or bus, "" for a device on GPIO lines

	place string // for people
}

func (c DeviceConfig) summary() deviceSummary {
	return deviceSummary{c.Name, c.Kind, c.Path, cmp.Or(c.place(), "GPIO lines")}
}

func summaryOf(file string, c *Config) summary {
	s := summary{
		File: file, Result: "ok", Studio: c.Topics.Studio, Table: c.Topics.Table,
		Game: c.Rules.Game.Name, Limit: c.Rules.Limit.String(), House: c.Rules.House.Name,
		Broker: c.Broker.URL, Users: len(c.Broker.Users), Devices: []deviceSummary{},
		Times: mqtt.TimesOf(&c.Timing, &c.Seating),
		title: c.Title, game: c.Rules.Game.Title,
	}
	for _, seat := range c.Seats {
		if seat.Remote {
			s.Remote++
		} else {
			s.Felt++
		}
	}
	if seen, do := c.warning(); seen != "" {
		s.Warnings = append(s.Warnings, seen+" -> "+do)
	}
	if s.Broker == "" {
		s.Broker = "embedded"
	}
	if c.Deck != nil {
		s.Deck = c.Deck.Name()
	}
	if c.Chips != nil {
		s.Chips = c.Chips.Name()
	}
	if c.Marker != nil {
		s.Marker = c.Marker.Name()
	}
	for _, d := range c.Devices {
		s.Devices = append(s.Devices, d.summary())
	}
	return s
}

// String is the summary for people.
func (s summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ok\n", s.File)
	fmt.Fprintf(&b, "  table   %s/%s, %s\n", s.Studio, s.Table, s.title)
	fmt.Fprintf(&b, "  game    %s, %s, house %s\n", s.game, s.Limit, s.House)
	fmt.Fprintf(&b, "  seats   %d remote, %d felt\n", s.Remote, s.Felt)
	fmt.Fprintf(&b, "  clocks  %s\n", clocksText(s.Times))
	fmt.Fprintf(&b, "  broker  %s", s.Broker)
	if s.Users > 0 { // an external broker has its own
		fmt.Fprintf(&b, ", %d users", s.Users)
	}
	b.WriteByte('\n')
	if s.Deck != "" {
		fmt.Fprintf(&b, "  deck    %s\n", s.Deck)
	}
	if s.Chips != "" {
		fmt.Fprintf(&b, "  chips   %s\n", s.Chips)
	}
	if s.Marker != "" {
		fmt.Fprintf(&b, "  marker  %s\n", s.Marker)
	}
	for _, d := range s.Devices {
		fmt.Fprintf(&b, "  device  %s: %s at %s\n", d.Name, d.Kind, d.place)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "  warn    %s\n", w)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clocksText says for people how long the table waits for its players.
func clocksText(t *mqtt.TimesPayload) string {
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	text := fmt.Sprintf("%v to act, %v to draw, %v to show", ms(t.ActionMS), ms(t.DrawMS), ms(t.ShowMS))
	if t.BankMS > 0 {
		text += fmt.Sprintf("; bank of %v, %v back a hand", ms(t.BankMS), ms(t.RefillMS))
	}
	if t.CoverUses > 0 {
		text += fmt.Sprintf("; cut off counts as all-in %d times in %v", t.CoverUses, ms(t.CoverMS))
	}
	text += fmt.Sprintf("; %v more when cut off", ms(t.GraceMS))
	if t.SitOutMS > 0 {
		text += fmt.Sprintf("; removed after sitting out for %v", ms(t.SitOutMS))
	}
	return text
}
