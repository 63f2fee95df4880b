package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
)

func doctorCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "doctor -c FILE",
		Short: "Try each device, the broker, the disk and the clock, and say what is wrong and what to do",
		Long: `Try each device of a configuration with the driver that the daemon has for it, the broker, the disk of the journal and the
clock, and say of each in one line whether it works, what was seen of it, and what to do if it does not. Decks, chips and
scales may still be missing: the hardware is tried all the same. The daemon must not run meanwhile. Panels show their seats
and light all their lamps, displays show their seats, while they are tried.

The exit status is 0 if all of it can be worked with, a warning aside, and 1 if there is a fault.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return examine(cmd.Context(), outputOf(cmd), file)
		},
	}
	configFlag(c, &file)
	return c
}

// What a finding says of a part.
const (
	partOK    = "ok"
	partWarn  = "warn"  // it works, but not as well as it should
	partFault = "fault" // it does not
)

// finding is what was found out about one part of a table.
type finding struct {
	Part   string `json:"part"` // a device by its name, a panel or scale by its place, broker, page, journal, clock, or a key of the configuration
	Kind   string `json:"kind,omitempty"`
	Result string `json:"result"` // ok, warn or fault
	Seen   string `json:"seen"`
	Do     string `json:"do,omitempty"`
}

// String is the finding for people.
func (f finding) String() string {
	text := fmt.Sprintf("%-5s  %-18s  %s", f.Result, f.Part, f.Seen)
	if f.Do != "" {
		text += " -> " + f.Do
	}
	return text
}

// failed is the finding of a part that does not work. Errors of this program say what is wrong, then what to do.
func failed(part, kind string, err error) finding {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	seen, do, _ := strings.Cut(text, "; ")
	return finding{part, kind, partFault, seen, do}
}

// examine tries everything there is, all at once, and tells of it in the order of the configuration.
func examine(ctx context.Context, out output, file string) error {
	cfg, missing, err := LoadDraft(file)
	if err != nil {
		return err
	}
	if err := idle(cfg); err != nil {
		return err
	}
	disk, unfit := journal.Probe(cfg.Journal)
	d := bareDaemon(cfg, slog.New(slog.DiscardHandler))
	d.public = &mqtt.Publisher{Topics: cfg.Topics, Players: mqtt.Seal(cfg.Topics, 0, cfg.Keys)}
	var checks []func() []finding
	panels := newPanels(cfg)
	for _, c := range cfg.Devices {
		if dev, err := openDevice(c, d, panels); err != nil {
			checks = append(checks, func() []finding { return []finding{failed(c.Name, c.Kind, err)} })
		} else {
			checks = append(checks, func() []finding { return dev.try(ctx) })
		}
	}
	checks = append(checks,
		func() []finding { return []finding{d.tryBroker(ctx)} },
		func() []finding { return []finding{tryDisk(cfg.Journal, disk, unfit)} },
		func() []finding { return []finding{tryClock()} },
	)
	if cfg.Web.Listen != "" {
		checks = append(checks, func() []finding { return []finding{tryPage(cfg)} })
	}
	tell := func(f finding) {
		out.print(f, f.String())
		if f.Result == partFault {
			err = errReported
		}
	}
	for _, f := range missing {
		tell(toRegister(f))
	}
	for found := range atOnce(checks) {
		for _, f := range found {
			tell(f)
		}
		if flushed := out.Flush(); flushed != nil {
			err = flushed
		}
	}
	return errors.Join(err, d.close())
}

// idle says that a table is running, which technicians may not work at.
func idle(cfg *Config) error {
	if journal.InUse(cfg.Journal) {
		return fmt.Errorf("the table is running: its journal %s is in use; stop the daemon, then try again", cfg.Journal)
	}
	return nil
}

// atOnce makes all checks at the same time and gives what they found in their order, each as soon as it and those before it
// are done.
func atOnce(checks []func() []finding) func(yield func([]finding) bool) {
	return func(yield func([]finding) bool) {
		var g tasks.Group
		done := make([]chan []finding, len(checks))
		for i, check := range checks {
			done[i] = make(chan []finding, 1)
			g.Go(func() error { done[i] <- check(); return nil })
		}
		for _, c := range done {
			if !yield(<-c) {
				break
			}
		}
		_ = g.Wait() // no task fails
	}
}

// toRegister is the finding that something is still to be registered.
func toRegister(f *calibration.Fault) finding {
	step, _, _ := strings.Cut(f.Path, ".")
	step, _, _ = strings.Cut(step, "[")
	do := map[string]string{
		"deck":   "register the deck: tavolo calibrate deck",
		"chips":  "register the chips: tavolo calibrate chips",
		"scales": "calibrate the scale: tavolo calibrate scale",
	}[step]
	return finding{f.Path, "", partFault, f.Reason, do}
}

// Below so much space a journal is in danger, and below so much near to it. A hand takes some 20 KB of it.
const (
	scarceSpace = 64 << 20
	littleSpace = 1 << 30
)

// slowSync is how long an append may take before people notice: nobody hears of anything before it is on the disk.
const slowSync = 50 * time.Millisecond

// tryDisk says how the journal's disk does.
func tryDisk(dir string, d journal.Disk, err error) finding {
	f := finding{Part: "journal", Kind: "disk", Result: partOK}
	switch {
	case errors.Is(err, unix.EROFS):
		f.Do = "mount the file system writable, and look why it is not: a card at its end of life is set read-only"
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		f.Do = "make room: archive old hands (tavolo hands export), or give the journal a larger disk"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		f.Do = "give the folder to the user whom the daemon runs as"
	case errors.Is(err, unix.ENOENT):
		f.Do = "make the folder that the journal is to be made in, or correct journal.dir"
	case err != nil:
		f.Do = "look at the disk (dmesg) and at journal.dir"
	}
	if err != nil {
		f.Result, f.Seen = partFault, err.Error()
		return f
	}
	p50, p99 := d.Syncs[len(d.Syncs)/2], d.Syncs[len(d.Syncs)-1]
	f.Seen = fmt.Sprintf("%s: %s free of %s, an append is safe in %v, %v at most", dir, bytesText(d.Free), bytesText(d.Size), p50.Round(10*time.Microsecond), p99.Round(10*time.Microsecond))
	switch {
	case d.Free < scarceSpace:
		f.Result, f.Do = partFault, "make room before the next hand"
	case d.Free < littleSpace:
		f.Result, f.Do = partWarn, "make room"
	case p50 > slowSync:
		f.Result, f.Do = partWarn, "everything waits for the disk: use an SSD, or an industrial card"
	}
	return f
}

// bytesText is a number of bytes for people.
func bytesText(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// tryClock says whether the clock is set by one that knows the time, by what the kernel says. No hand depends on that, for
// clocks of turns go by time that only passes; but what a journal says is read together with what others wrote down.
func tryClock() finding {
	var tx unix.Timex
	state, err := unix.Adjtimex(&tx)
	if err != nil {
		return failed("clock", "", fmt.Errorf("adjtimex: %w", err))
	}
	var step unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC, &step); err != nil {
		return failed("clock", "", fmt.Errorf("clock_getres: %w", err))
	}
	resolution := time.Duration(step.Nano())
	f := finding{Part: "clock", Result: partOK}
	f.Seen = fmt.Sprintf("synchronised, off by %v at most; time passes in steps of %v", time.Duration(tx.Maxerror)*time.Microsecond, resolution)
	switch {
	case state == unix.TIME_ERROR || tx.Status&unix.STA_UNSYNC != 0:
		f.Result, f.Do = partWarn, "set up NTP, such as chrony or systemd-timesyncd; times in the journal may be wrong"
		f.Seen = fmt.Sprintf("not synchronised, says the kernel; time passes in steps of %v", resolution)
	case resolution > time.Millisecond:
		f.Result, f.Do = partWarn, "choose a kernel with high-resolution timers"
	}
	return f
}

// tryPage says whether the page can be served where the configuration says.
func tryPage(cfg *Config) finding {
	l, err := net.Listen("tcp", cfg.Web.Listen)
	if err != nil {
		return finding{"page", "", partFault, err.Error(), "stop what uses the address, or choose another web.listen"}
	}
	at := l.Addr()
	if err := l.Close(); err != nil {
		return failed("page", "", err)
	}
	f := finding{"page", "", partOK, cfg.Web.url(at) + " can be served", ""}
	if seen, do := cfg.warning(); seen != "" {
		f.Result, f.Seen, f.Do = partWarn, f.Seen+", but "+seen, do
	}
	return f
}

const (
	// brokerTime is how long a broker may take to let the table in, and to acknowledge a message.
	brokerTime = 20 * time.Second
	// brokerPoll is how often it is looked whether it has.
	brokerPoll = 2 * time.Millisecond
)

// tryBroker logs in to the broker as the table does, and has it acknowledge a message that says nothing: the removal of a
// state that there never was.
func (d *daemon) tryBroker(ctx context.Context) finding {
	kind, where := "embedded", d.cfg.Broker.Listen
	if d.cfg.Broker.URL != "" {
		kind, where = "external", d.cfg.Broker.URL
	}
	opt, err := d.login()
	if err != nil {
		return finding{"broker", kind, partFault, err.Error(), "stop what uses the address, or choose another broker.listen"}
	}
	link, err := mqtt.NewLink(opt)
	if err != nil {
		return failed("broker", kind, err)
	}
	life, stop := context.WithCancel(ctx)
	var g tasks.Group
	if d.broker != nil {
		g.Go(func() error { return d.broker.Run(life) })
	}
	up, answered, err := greet(life, link, strings.Count(opt.URL, ",")+1, d.cfg.Topics.Device("doctor"), &g)
	stop()
	if ended := g.Wait(); err == nil {
		err = ended
	}
	switch {
	case mqtt.LoginRefused(err):
		return finding{"broker", kind, partFault, err.Error(), "correct broker.user and what is in broker.password_file, or make the user at the broker"}
	case err != nil && kind == "external":
		return finding{"broker", kind, partFault, err.Error(), "start the broker, look at the network, or correct broker.url"}
	case err != nil:
		return failed("broker", kind, err)
	}
	seen := fmt.Sprintf("%s: logged in after %v, answers in %v", where, up.Round(10*time.Microsecond), answered.Round(10*time.Microsecond))
	return finding{"broker", kind, partOK, strings.TrimPrefix(seen, ": "), ""}
}

// greet runs a link until a message was acknowledged, or each of the broker's nodes has failed. It tells how long it took to be
// let in, and to be answered.
func greet(ctx context.Context, link *mqtt.Link, nodes int, topic string, g *tasks.Group) (up, answered time.Duration, err error) {
	ctx, stop := context.WithTimeout(ctx, brokerTime)
	defer stop()
	g.Go(func() error { return link.Run(ctx) })
	began := time.Now()
	for tasks.Pause(ctx, brokerPoll) {
		h := link.Health()
		switch {
		case up == 0 && h.Up:
			up = time.Since(began)
			link.State(topic, nil)
			began = time.Now()
		case up != 0 && h.Up && h.Waiting == 0:
			return up, time.Since(began), nil
		case h.Err != nil && (mqtt.LoginRefused(h.Err) || int(h.Disconnected) >= nodes):
			return 0, 0, h.Err
		}
	}
	return 0, 0, fmt.Errorf("no answer for %v", brokerTime)
}
