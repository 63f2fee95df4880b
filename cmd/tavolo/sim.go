package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/cmd/tavolo/noise"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/mqtt"
	"tavolo/engine/card"
)

func simCommand() *cobra.Command {
	var file, scriptFile, speed, dealer, password string
	var layout noise.Layout
	var seed uint64
	var hands, deals, slips int
	var level float64
	var alone bool
	c := &cobra.Command{
		Use:   "sim {-c FILE | --deals N}",
		Short: "Simulate the hardware of a configuration, for a daemon started by hand, or very many deals under noise",
		Long: `Simulate the hardware of a configuration on pseudo-terminals at the paths of its devices, for a daemon that is
started by hand with the same file. A dealer at a console and the players of the seats play at it, with one password for
all; with --hardware-only nobody does. Any layout of readers and seats can be simulated whose devices hang on serial ports;
what is wired to GPIO lines, I2C or SPI is said not to be.

Where scales or readers tell what chips lie at a seat, its player bets with chips. With --slips that many of a hundred such bets
go wrong: two motions, one chip too large, too few chips, chips that go into the pot or change out of it, chips left behind; the
dealer puts right what the table asks about.

With --noise things go wrong at the usual rates times that number, by the model of --deals. Looks of readers miss tags, the more where three
or more lie, see those of the places beside and those that were just taken away, and read numbers wrong; the shoe's reader misses
cards; looks at chips miss some. Frames of readers and panels are lost, cut, or have wrong bits; readers hang; cables
of readers and panels are pulled; panels lose their power; keys bounce and stick. What --deals has beyond that, at the contacts
of shoes, scales and encoders and by the hands of the dealer, does not happen here. The dealer answers what the table asks then, and
voids a hand that nothing else can end. All runs in real time, so a seed gives a run alike, not the same.

With --deals that many cards are dealt as fast as the machine goes, at tables of all kinds of readers and shoes and any number
of seats, or those that --reader, --shoe and --seats name, through the readers' protocols, the debouncing and the deal
tracker, while reads are missed, neighbours give ghosts, tags are read wrong, frames are damaged, readers hang and are
unplugged, contacts of the shoe bounce and are lost, keys bounce and stick, panels lose their power, and the dealer makes
mistakes: at the usual rates with --noise 1, the default, so many times as often with another. It prints what went wrong, how often the
dealer was asked, how long a card takes and how much of that is debouncing, how many wrong cards the table took without asking, how
often it stood still without asking, and how many keys were lost, doubled or invented: the exit status is 1 if there is any of
those. A seed gives the same run again.`,
		Example: "  tavolo sim --deals 1000000 --noise 10 --seed 7\n  tavolo sim -c table.toml --noise 3",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("deals") {
				return simulateDeals(cmd, deals, level, seed, layout)
			}
			for _, name := range []string{"reader", "shoe", "seats"} {
				if cmd.Flags().Changed(name) {
					return usageError{fmt.Errorf("--%s is for --deals", name)}
				}
			}
			if file == "" {
				return usageError{errors.New("which table? Give its configuration with -c FILE, or --deals N")}
			}
			if !cmd.Flags().Changed("noise") {
				level = 0
			}
			if err := checkNoise(level); err != nil {
				return err
			}
			if slips < 0 || slips > 100 {
				return usageError{fmt.Errorf("--slips %d: want how many of a hundred bets with chips go wrong, 0 to 100", slips)}
			}
			pace, err := paceOf(speed)
			if err != nil {
				return usageError{err}
			}
			load := LoadConfig
			if alone { // for who is to register the deck that is not there yet
				load = func(file string) (*Config, error) { cfg, _, err := LoadDraft(file); return cfg, err }
			}
			cfg, err := load(file)
			if err != nil {
				return err
			}
			url := cfg.Broker.URL
			switch {
			case url != "" || alone:
			case cfg.Broker.Listen == "":
				return fmt.Errorf("%s: broker.listen is empty: dealer and players need an address to connect to, or use --hardware-only", file)
			default:
				url = "tcp://" + cfg.Broker.Listen
			}
			if missing := cfg.unsimulated(); len(missing) > 0 && !alone {
				return fmt.Errorf("%s: nobody can play without %s, %s; simulate the others with --hardware-only", file, strings.Join(missing, ", "), needsBoard)
			}
			opt := simOptions(cfg, url, password, newLog(cmd.ErrOrStderr()))
			opt.Pace, opt.Seed, opt.Hands, opt.Slips = pace, seed, hands, slips
			if level > 0 {
				opt.Noise = noise.NewFaults(noise.Default, level, seed)
			}
			opt.Dealer = cmp.Or(dealer, opt.Dealer)
			if alone {
				opt.Dealer, opt.Players = "", nil
				opt.Devices = slices.DeleteFunc(opt.Devices, func(d simtable.Device) bool { return !simtable.Simulates(d.Kind) })
			}
			if scriptFile != "" {
				h, err := readHand(scriptFile)
				if err != nil {
					return err
				}
				if opt.Script, _, err = simtable.NewScript(h, cfg.Rules.House); err != nil {
					return fmt.Errorf("%s: %w", scriptFile, err)
				}
			}
			sim, err := simtable.New(opt)
			if err != nil {
				return err
			}
			out := outputOf(cmd)
			for _, d := range cfg.Devices {
				there, text := simtable.Simulates(d.Kind), fmt.Sprintf("%-14s %s", d.Kind, d.summary().place)
				if !there {
					text += "  not simulated: " + needsBoard
				}
				out.print(simulated{d.summary(), there}, text)
			}
			if err := out.Flush(); err != nil {
				return err
			}
			return together(cmd.Context(), sim.Run, sim.Play)
		},
	}
	f := c.Flags()
	f.StringVarP(&file, "config", "c", "", "configuration of the table")
	f.IntVar(&deals, "deals", 0, "deal so many cards under noise instead")
	f.Float64Var(&level, "noise", 1, "how many times the usual noise; without it none with -c")
	f.StringVar(&layout.Reader, "reader", "", "kind of the readers under noise: "+strings.Join(noise.Readers(), ", ")+" (default: each in turn)")
	f.StringVar(&layout.Shoe, "shoe", "", "kind of the shoe under noise: "+strings.Join(noise.Shoes(), ", ")+" (default: each in turn)")
	f.IntVar(&layout.Seats, "seats", 0, "seats under noise (default: 2 to 10)")
	f.StringVar(&scriptFile, "script", "", "recorded hand (.phh) to play")
	f.StringVar(&speed, "speed", "1", "speed of the people: 1 is that of a real table, max all the machine can")
	f.StringVar(&dealer, "dealer", "", "user of the dealer's console (default: the configuration's first; dealer for an external broker)")
	f.StringVar(&password, "password", demoPassword, "password of the dealer's console and of the players; others on this machine can see it")
	f.Uint64Var(&seed, "seed", 1, "seed of shuffles, decisions and noise")
	f.IntVar(&hands, "hands", 0, "end after that many hands (default: run on)")
	f.IntVar(&slips, "slips", 0, "how many of a hundred bets with chips go wrong")
	f.BoolVar(&alone, "hardware-only", false, "simulate no dealer and no players")
	return c
}

// simulated is a device, and whether it is simulated.
type simulated struct {
	deviceSummary
	Simulated bool `json:"simulated"`
}

// needsBoard is why a device is not simulated.
const needsBoard = "which is wired to GPIO, I2C or SPI: only a board has that (make test-board runs a virtual one)"

// unsimulated are the readers and panels that cannot be simulated on any machine.
func (c *Config) unsimulated() (names []string) {
	for _, d := range c.Devices {
		if kind := deviceKinds()[d.Kind]; (kind.reader != nil || kind.panel) && !simtable.Simulates(d.Kind) {
			names = append(names, d.Name)
		}
	}
	return names
}

// simOptions simulate a configuration's devices and the people of its seats, those who sit out aside.
func simOptions(cfg *Config, url, password string, log *slog.Logger) simtable.Options {
	opt := simtable.Options{
		URL: url, Topics: cfg.Topics, Password: password, Tags: map[card.Card]string{}, Deck: cfg.Rules.Game.Deck, Log: log,
	}
	if cfg.Broker.URL != "" {
		opt.Dealer = "dealer" // whose users we do not know
	}
	for _, u := range cfg.Broker.Users {
		if u.Role == mqtt.Dealer && opt.Dealer == "" {
			opt.Dealer = u.Name
		}
	}
	var nodes []int
	for _, s := range cfg.Seats {
		if s.Node != 0 {
			nodes = append(nodes, int(s.Node))
		}
		if !s.Out && !s.Open() {
			opt.Players = append(opt.Players, simtable.Player{Seat: s.Seat, Name: s.Player, Key: cfg.Keys[s.Player], Felt: !s.Remote, Node: int(s.Node)})
		}
	}
	for _, d := range cfg.Devices {
		if deviceKinds()[d.Kind].reader == nil && d.Kind != seatBus {
			continue // nobody plays with it
		}
		dev := simtable.Device{Kind: d.Kind, Path: d.Path, Zones: d.Zones}
		if d.Kind == seatBus {
			dev.Nodes = nodes
		}
		opt.Devices = append(opt.Devices, dev)
	}
	opt.Tray, opt.Chips = cfg.Tray, cfg.Chips
	for _, s := range cfg.Scales {
		scale := simtable.Scale{Scale: s.Scale}
		if scale.Mark == scale.Zero { // nobody has calibrated it
			scale.Zero, scale.Mark, scale.Known = 84_000, 284_000, 500_000
		}
		for _, d := range cfg.Devices {
			if d.Name == s.Device {
				scale.Path = d.Path
			}
		}
		for _, seat := range cfg.Seats {
			if s.Device == "" && seat.Seat == s.Zone.Seat {
				scale.Node = int(seat.Node)
			}
		}
		opt.Scales = append(opt.Scales, scale)
	}
	if cfg.Deck != nil {
		opt.Tags = cfg.Deck.Tags()
	}
	return opt
}
