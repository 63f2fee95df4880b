package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tavolo/cmd/tavolo/load"
)

func loadCommand() *cobra.Command {
	var o load.Options
	var seconds int
	var passwordFile string
	c := &cobra.Command{
		Use:   "load [--tables N] [--players M] [--spectators K] [--seconds S] [--broker URL]",
		Short: "Play at many tables at once over a broker, and measure",
		Long: `Play hold'em at many tables at once, without hardware but with journals and everybody connected over TCP, and measure:
how long a request takes to be answered and an event to reach a player and a spectator, how many messages a second come to
clients, the memory of this process and of the broker, and whether an event was lost or came twice. Players ask for what they missed;
spectators do not. The exit status is 1 if anything was lost or came twice, or a request was not answered.

The broker is an embedded one, or with --broker another on this machine, which must know the users engine, spectator and
player-1, player-2 and so on, as many as play at a table, all with the password in --password-file. Its access rules are
printed by tavolo broker acl.`,
		Example: `  tavolo load --tables 200 --players 8 --seconds 60
  tavolo load --tables 1 --spectators 1000 --broker tcp://127.0.0.1:1883 --password-file password`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			o.Time = time.Duration(seconds) * time.Second
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			if o.Broker != "" {
				if o.Password, err = passwordIn(passwordFile); err != nil {
					return fmt.Errorf("--password-file: %w", err)
				}
			}
			if o.Dir, err = os.MkdirTemp("", "tavolo-load-"); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
			o.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			bar := newProgress(cmd, seconds, "seconds")
			o.Tick = bar.step
			result, err := load.Run(cmd.Context(), o)
			bar.clear()
			if err != nil {
				return err
			}
			out := outputOf(cmd)
			out.print(result, result.String())
			if err := out.Flush(); err != nil {
				return err
			}
			if result.Lost+result.Doubled+result.Unanswered > 0 {
				return errReported
			}
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&o.Tables, "tables", 1, "number of tables")
	f.IntVar(&o.Players, "players", 6, "remote players at each table")
	f.IntVar(&o.Spectators, "spectators", 0, "spectators at each table")
	f.IntVar(&seconds, "seconds", 30, "how long hands are dealt")
	f.DurationVar(&o.Think, "think", time.Second, "mean time a player takes to decide, ten times that of the dealer for a card; 0s: as fast as it goes")
	f.StringVar(&o.Broker, "broker", "", "URL of a broker on this machine, or of the nodes of a cluster, separated by commas (default: an embedded one)")
	f.StringVar(&passwordFile, "password-file", "", "file whose first line is the password of the broker's users")
	return c
}
