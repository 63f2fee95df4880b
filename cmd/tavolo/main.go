// Command tavolo runs a poker table of a live-dealer studio, and holds the tools around it: checking a configuration,
// replaying recorded hands, looking after a journal.
//
// Each command is a file of its own with a constructor that commands lists. Whatever a command prints for people it
// prints with --json as one JSON object a line. Errors go to standard error; the exit status is 0 if all is well, 1 if
// something is wrong, and 2 if the command was not used as it should be.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// commands makes every command there is. A new command is a new row.
func commands() []*cobra.Command {
	return []*cobra.Command{
		checkCommand(),
		doctorCommand(),
		calibrateCommand(),
		runCommand(),
		demoCommand(),
		playCommand(),
		simCommand(),
		replayCommand(),
		rankCommand(),
		equityCommand(),
		oddsCommand(),
		selfplayCommand(),
		loadCommand(),
		handsCommand(),
		journalCommand(),
		nodeCommand(),
		brokerCommand(),
		versionCommand(),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errReported is the error of a command whose output has told what is wrong.
var errReported = errors.New("reported")

// usageError is a command used in a way that cannot work: an unknown game, say.
type usageError struct{ error }

// run is the whole program; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "tavolo",
		Short:         "A poker table of a live-dealer studio",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(commands()...)
	root.PersistentFlags().Bool("json", false, "print one JSON object a line")
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	started := false
	prepare(root, &started)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, errReported) {
		return 1
	}
	fmt.Fprintf(stderr, "tavolo: %v\n", err)
	if _, bad := errors.AsType[usageError](err); bad || !started {
		fmt.Fprintf(stderr, "See '%s --help'.\n", cmd.CommandPath())
		return 2
	}
	return 1
}

// prepare sets *started when a command's own code begins: an error before it is one of use. A command that only holds
// others asks for one of them.
func prepare(c *cobra.Command, started *bool) {
	body := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		*started = true
		return body(cmd, args)
	}
	if body == nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
			}
			_ = cmd.Help()
			return errors.New("no command given")
		}
	}
	for _, sub := range c.Commands() {
		prepare(sub, started)
	}
}
