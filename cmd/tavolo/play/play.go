// Package play is a player in the terminal: it takes a remote seat at a table over MQTT, shows the table, and sends what
// the player decides.
//
// Run is where it starts. On a terminal it is a screen with keys (model); otherwise, for programs, it prints a line for each
// thing that happens and reads a command a line (lines). Both stand on the same picture of the table (table), into which the
// messages of package client are folded, and tell the same story of it (story), in the words of package text that the page
// has too.
//
// What a key does now is a list of choices, made anew of the picture each time: those of the turn (turn, power), ahead of it
// (ahead), of the bets against the house (box) and of the seat (seat). What is shown in place of the table is a pane, with
// choices of its own: help, options, chips, history.
package play

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/display/text"
)

const (
	// patience is how long the table may take to answer at the start.
	patience = 10 * time.Second
	// beat is how often the screen looks at the clock and the connection.
	beat = 250 * time.Millisecond
	// answerIn is how long a request is repeated without an answer.
	answerIn = 10 * time.Second
)

// Options say who plays where.
type Options struct {
	// URL is that of the broker or its nodes, see mqtt.Options.
	URL    string
	Topics mqtt.Topics
	// Player is the player's login at the broker.
	Player   string
	Password string
	// TLS is for a URL with tls or wss, nil for the system's trust.
	TLS *tls.Config
	// Key is what the player shares with the table.
	Key seal.Key
	// Words are those of the player's language; must not be nil.
	Words *text.Words
	// JSON asks for a JSON object a line, even on a terminal.
	JSON bool
	// In and Out are the player's; the screen is shown when both are a terminal.
	In  io.Reader
	Out io.Writer
}

// Validate says which of the names cannot be a studio, a table or a player.
func (o Options) Validate() error {
	if !mqtt.ValidID(o.Player) {
		return fmt.Errorf("player %q: want 1 to 32 of a-z 0-9 -", o.Player)
	}
	return o.Topics.Validate()
}

// Run plays until the player quits, the input ends or ctx does, and then returns nil. An error says why the table was not
// reached, and what to do.
func Run(ctx context.Context, opt Options) error {
	if err := opt.Validate(); err != nil {
		return err
	}
	c, err := client.New(client.Options{
		URL: opt.URL, Topics: opt.Topics, Role: mqtt.Player, User: opt.Player, Password: opt.Password, TLS: opt.TLS, Key: opt.Key,
		Log: slog.New(slog.DiscardHandler), // what is wrong is told on the screen
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) }) // it returns nil
	defer running.Wait()
	defer stop()

	screen := !opt.JSON && interactive(opt.In, opt.Out)
	if screen {
		fmt.Fprintf(opt.Out, "Looking for table %s at %s …\n", opt.Topics.Table, opt.URL)
	}
	early, err := reach(ctx, c, opt)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case screen:
		return show(ctx, c, opt, early)
	}
	return newLines(c, opt).run(ctx, opt.In, early)
}

// seatClient is what playing needs of a *client.Client.
type seatClient interface {
	Messages() <-chan any
	Act(ctx context.Context, a mqtt.ActionPayload) error
	Health() mqtt.Health
	Past(ctx context.Context, first, last uint64) ([]mqtt.EventPayload, error)
	RoundTrip() time.Duration
}

// reach waits until the table is there. It gives the messages that came meanwhile.
func reach(ctx context.Context, c seatClient, opt Options) (early []any, err error) {
	t := table{me: opt.Player, words: opt.Words, away: client.Connected{Text: "nothing was heard of it"}}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	look := time.NewTicker(beat)
	defer look.Stop()
	for !t.known || !t.away.Up {
		select {
		case msg := <-c.Messages():
			t.hear(msg, time.Now())
			early = append(early, msg)
		case <-look.C:
			if err := c.Health().Err; mqtt.LoginRefused(err) {
				return nil, fmt.Errorf("%s refuses player %s: %w; see --as, --password and --password-file", opt.URL, opt.Player, err)
			}
		case <-timeout.C:
			return nil, unreached(c.Health(), &t, opt)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return early, nil
}

// unreached says why the table was not reached in time, and what to do.
func unreached(h mqtt.Health, t *table, opt Options) error {
	switch {
	case !h.Up && h.Err != nil:
		return fmt.Errorf("no connection to a broker at %s: %w; start the table (tavolo demo, or tavolo run), or see --broker", opt.URL, h.Err)
	case !h.Up:
		return fmt.Errorf("the broker at %s does not answer; see --broker", opt.URL)
	case t.away.Code == mqtt.CodeNotSealed:
		return fmt.Errorf("table %s: %s; see --key-file", opt.Topics.Table, t.away.Text)
	case t.known:
		return fmt.Errorf("table %s: %s; start it (tavolo run)", opt.Topics.Table, t.away.Text)
	}
	return fmt.Errorf("the broker at %s knows no table %s of studio %s; see --table and --studio", opt.URL, opt.Topics.Table, opt.Topics.Studio)
}

// interactive is whether a person sits at a terminal that a screen can be drawn on.
func interactive(in io.Reader, out io.Writer) bool {
	return isTerminal(in) && isTerminal(out) && os.Getenv("TERM") != "dumb"
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// show runs the screen.
func show(ctx context.Context, c seatClient, opt Options, early []any) error {
	m := newModel(opt)
	m.link = mqtt.Health{Up: true}
	m.act = func(a mqtt.ActionPayload) tea.Cmd {
		return func() tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, answerIn)
			defer cancel()
			return answer{c.Act(ctx, a)}
		}
	}
	m.recall = func(first, last uint64) tea.Cmd {
		return func() tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, answerIn)
			defer cancel()
			events, err := c.Past(ctx, first, last)
			return recalled{events, err}
		}
	}
	for _, msg := range early {
		m.heard(heard{msg, time.Now()})
	}
	env := os.Environ()
	if os.Getenv("NO_COLOR") != "" {
		env = append(env, "NO_COLOR=1") // any value counts, but the library wants to read a truth
	}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(opt.In), tea.WithOutput(opt.Out), tea.WithEnvironment(env),
		tea.WithoutSignalHandler())
	shown, stop := context.WithCancel(ctx)
	var feeding sync.WaitGroup
	feeding.Go(func() { feed(shown, c, p.Send) })
	_, err := p.Run()
	stop()
	feeding.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// feed gives the screen what the table says and how late it is, until ctx ends.
func feed(ctx context.Context, c seatClient, send func(tea.Msg)) {
	look := time.NewTicker(beat)
	defer look.Stop()
	for {
		select {
		case msg := <-c.Messages():
			send(heard{msg, time.Now()})
		case now := <-look.C:
			send(tick{now, c.Health(), c.RoundTrip()})
		case <-ctx.Done():
			return
		}
	}
}
