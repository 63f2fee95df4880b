package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/controller/broker"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
	"tavolo/display"
	i2cbus "tavolo/drivers/bus"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/panel"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
	"tavolo/engine"
)

func runCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "run -c FILE",
		Short: "Run the table of a configuration until it is told to stop",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := LoadConfig(file)
			if err != nil {
				return err
			}
			log := newLog(cmd.ErrOrStderr())
			d, err := newDaemon(cfg, log)
			if err != nil {
				return err
			}
			if err := d.announce(outputOf(cmd)); err != nil {
				return errors.Join(err, d.close())
			}
			return d.run(cmd.Context())
		},
	}
	configFlag(c, &file)
	return c
}

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// readingsQueue bounds the readings that wait to become facts. Readers wait when it is full.
const readingsQueue = 64

// shoeLook is how often the shoe is told that time has passed.
const shoeLook = 100 * time.Millisecond

// daemon is a table with everything around it, wired.
type daemon struct {
	cfg     *Config
	log     *slog.Logger
	journal *journal.Journal
	table   *controller.Table
	broker  *broker.Broker // nil with an external one
	link    *mqtt.Link
	public  *mqtt.Publisher
	feed    *mqtt.Feed // nil for none
	devices []device
	air     rfid.Air
	buses   map[string]*i2cbus.I2C // by their paths
	web     net.Listener           // nil for no page
	outputs []controller.Output

	readings chan func(context.Context, senses)
	deck     chan string // the name of that in play, the latest alone
	told     string      // the last of those; of the table's goroutine
	// lines opens lines of a chip of the board, for the contacts of the shoe and light barriers, wires those of a panel. A
	// simulated table has its own.
	lines func(chip string, lines []string) (gpiocdev.Lines, error)
	wires func(panel.Lines) (panel.Wires, error)
}

// senses are what turns readings into facts. They belong to the goroutine of daemon.facts.
type senses struct {
	watch  *calibration.Watch
	chips  *calibration.ChipWatch
	marker *calibration.MarkerWatch
	shoe   *calibration.Shoe
}

// bareDaemon is a daemon with what devices are made with, and nothing else.
func bareDaemon(cfg *Config, log *slog.Logger) *daemon {
	return &daemon{
		cfg: cfg, log: log, buses: map[string]*i2cbus.I2C{}, lines: gpiocdev.OpenContacts, wires: panel.GPIO,
		readings: make(chan func(context.Context, senses), readingsQueue), deck: make(chan string, 1),
	}
}

// newDaemon opens and recovers the journal and binds every address; nothing runs yet. What it opened is closed by run.
func newDaemon(cfg *Config, log *slog.Logger) (_ *daemon, err error) {
	d := bareDaemon(cfg, log)
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	var found journal.Recovery
	d.journal, found, err = journal.Open(cfg.Journal, journal.Options{Table: cfg.Topics.Studio + "/" + cfg.Topics.Table})
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", cfg.Journal, err)
	}
	if found.Torn != nil {
		log.Warn("journal had a torn end, cut back to the last whole record", "file", found.Torn.File,
			"offset", found.Torn.Offset, "bytes", found.Torn.Size)
	}
	panels := newPanels(cfg)
	d.public = &mqtt.Publisher{Topics: cfg.Topics, Title: cfg.Title, Currency: cfg.Currency, Timing: cfg.Timing}
	d.table, err = controller.New(controller.Options{
		Name: cfg.Topics.Studio + "/" + cfg.Topics.Table, Rules: &cfg.Rules, Players: cfg.players(), Button: cfg.Button, Seating: &cfg.Seating, Tray: cfg.Tray, Chips: cfg.worths(), Jackpot: cfg.Jackpot, Zones: cfg.zones(), Tagged: cfg.chipReaders(), Devices: cfg.devices(),
		Decks: cfg.decks(), DeckLife: cfg.DeckLife,
		Timing: cfg.Timing, Presence: true,
		Journal: d.journal, Records: d.journal.Records(found.Start), Archive: d.journal, Signed: d.public.Checkpoint, Rescan: d.rescan, Lies: d.lies,
		Outputs: []controller.Output{panels, d.public, d}, Log: log,
	})
	if err != nil {
		return nil, err
	}
	d.public.Players = mqtt.Seal(cfg.Topics, d.table.Epoch(), cfg.Keys)
	if err := d.connect(); err != nil {
		return nil, err
	}
	for _, dc := range cfg.Devices {
		dev, err := openDevice(dc, d, panels)
		if err != nil {
			return nil, fmt.Errorf("device %s: %w", dc.Name, err)
		}
		d.devices = append(d.devices, dev)
	}
	if cfg.Web.Listen != "" {
		if d.web, err = net.Listen("tcp", cfg.Web.Listen); err != nil {
			return nil, fmt.Errorf("web page: %w", err)
		}
	}
	return d, nil
}

// login is how the table logs in to its broker, which it makes if it is ours.
func (d *daemon) login() (mqtt.Options, error) {
	cfg := d.cfg
	opt := mqtt.Options{
		URL: cfg.Broker.URL, User: cfg.Broker.User, Password: cfg.Broker.Password,
		ClientID:  mqtt.NewClientID(cmp.Or(cfg.Broker.User, "engine")),
		Subscribe: d.public.Asked(),
		Paced:     true,
		Log:       d.log,
	}
	if cfg.Broker.URL != "" {
		opt.TLS = cfg.Broker.TLS
		return opt, nil
	}
	var err error
	d.broker, err = broker.New(broker.Options{
		Address: cfg.Broker.Listen, TLS: cfg.Broker.TLS, Origins: cfg.Broker.Origins, Users: cfg.Broker.Users,
		MaxClients: cfg.Broker.MaxClients, UserClients: cfg.Broker.UserClients, Log: d.log,
	})
	if err != nil {
		return opt, err // it says that it is the broker's
	}
	opt.Dial = d.broker.Dial
	opt.User, opt.Password = d.broker.EngineLogin()
	return opt, nil
}

// connect makes the broker, if it is ours, and the link to it.
func (d *daemon) connect() error {
	cfg := d.cfg
	opt, err := d.login()
	if err != nil {
		return err
	}
	opt.Status = mqtt.NewStatus(cfg.Topics, d.table.Epoch(), version())
	if d.link, err = mqtt.NewLink(opt); err != nil {
		return fmt.Errorf("mqtt: %w", err)
	}
	d.public.Sink = d.link
	if c := cfg.Delayed; c != nil {
		d.feed = mqtt.NewFeed(mqtt.FeedOptions{
			Topics: cfg.Topics, Title: cfg.Title, Currency: cfg.Currency, Sink: d.link,
			Delay: c.Delay, Cards: c.Cards, Recent: d.table.Recent(), Epoch: d.table.Epoch(), Log: d.log,
		})
		d.outputs = append(d.outputs, d.feed)
	}
	return nil
}

// Publish tells the goroutine of the readings of another deck in play, without waiting, for that may wait for the table; and
// passes the update on to the outputs that joined later, such as a demo's. It makes a daemon a controller.Output.
func (d *daemon) Publish(u *controller.Update) {
	if u.Deck != d.told {
		d.told = u.Deck
		select {
		case <-d.deck: // nobody has come to hear of
		default:
		}
		d.deck <- u.Deck
	}
	for _, o := range d.outputs {
		o.Publish(u)
	}
}

// brokerURL is where players reach the broker, "" if only the page does.
func (d *daemon) brokerURL() string {
	switch {
	case d.broker == nil:
		return d.cfg.Broker.URL
	case d.broker.Addr() == nil:
		return ""
	}
	if d.cfg.Broker.TLS != nil {
		return "tls://" + d.broker.Addr().String()
	}
	return "tcp://" + d.broker.Addr().String()
}

// whereabouts is where a table is to be found.
type whereabouts struct {
	Studio  string `json:"studio"`
	Table   string `json:"table"`
	Game    string `json:"game"`
	Limit   string `json:"limit"`
	Journal string `json:"journal"`          // a folder
	Broker  string `json:"broker,omitempty"` // URL
	Page    string `json:"page,omitempty"`   // URL

	game string // for people
}

// announce says where the table is to be found.
func (d *daemon) announce(out output) error {
	rules := d.cfg.Rules
	at := whereabouts{
		Studio: d.cfg.Topics.Studio, Table: d.cfg.Topics.Table, Game: rules.Game.Name, Limit: rules.Limit.String(),
		Journal: d.cfg.Journal, Broker: d.brokerURL(), game: rules.Game.Title,
	}
	if d.web != nil {
		at.Page = d.cfg.Web.url(d.web.Addr())
	}
	out.print(at, at.String())
	return out.Flush()
}

// url is where the page is, at an address that is listened to.
func (c *WebConfig) url(at net.Addr) string {
	if c.TLS != nil {
		return "https://" + at.String()
	}
	return "http://" + at.String()
}

// String is the whereabouts for people.
func (at whereabouts) String() string {
	text := fmt.Sprintf("table    %s/%s, %s %s\njournal  %s", at.Studio, at.Table, at.game, at.Limit, at.Journal)
	if at.Broker != "" {
		text += "\nbroker   " + at.Broker
	}
	if at.Page != "" {
		text += "\npage     " + at.Page
	}
	return text
}

const (
	// shutdownTime is how long the page's connections may take to end.
	shutdownTime = 2 * time.Second
	// headerTime is how long a browser may take to say what it wants.
	headerTime = 2 * time.Second
	// fileTime is how long a file may take to get there, and idleTime how long a browser may be silent after it.
	fileTime = time.Minute
	idleTime = time.Minute
	// The page's port has room for so many connections, beside those to the broker, of which some are about to log in; and for
	// this number of those where the configuration gives none.
	pageClients  = 256
	usualClients = 1024
)

// run runs everything until ctx ends or something that cannot be done without fails. The broker is the last to stop, so
// that the table's farewell still gets out.
func (d *daemon) run(ctx context.Context) error {
	brokerCtx, stopBroker := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBroker()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	first, last := tasks.Group{Stop: stop}, tasks.Group{Stop: stop}
	if d.broker != nil {
		last.Go(func() error { return d.broker.Run(brokerCtx) })
	}
	first.Go(func() error { return d.link.Run(ctx) })
	first.Go(func() error { d.public.Serve(ctx, d.link.Messages(), d.table, d.log); return nil })
	first.Go(func() error { return d.table.Run(ctx) })
	first.Go(func() error { d.facts(ctx); return nil })
	first.Go(func() error { d.reachable(ctx); return nil })
	for _, c := range d.cfg.Devices {
		if advice := port.Advice(c.Path); advice != "" {
			d.log.Warn("device is slow", "device", c.Name, "why", advice)
		}
	}
	if d.feed != nil {
		first.Go(func() error { d.feed.Run(ctx); return nil })
	}
	for _, dev := range d.devices {
		first.Go(func() error { return dev.run(ctx) })
	}
	if d.web != nil {
		first.Go(func() error { return d.serve(ctx) })
	}
	err := first.Wait()
	stopBroker()
	return errors.Join(err, last.Wait(), d.close())
}

// facts turns readings into facts, one after the other.
func (d *daemon) facts(ctx context.Context) {
	s := senses{
		watch:  calibration.NewWatch(d.cfg.Deck, d.table, calibration.Debounce{}, d.cfg.Spares...),
		chips:  calibration.NewChipWatch(d.cfg.Chips, d.table, calibration.Debounce{}),
		marker: calibration.NewMarkerWatch(d.cfg.Marker, d.table, calibration.Debounce{}),
	}
	s.shoe = d.newShoe(s.watch)
	look := time.NewTicker(shoeLook)
	defer look.Stop()
	for {
		select {
		case f := <-d.readings:
			f(ctx, s)
		case now := <-look.C:
			s.shoe.Tick(ctx, now)
		case deck := <-d.deck:
			s.watch.Change(ctx, deck)
		case <-ctx.Done():
			return
		}
	}
}

// rescan has what lies in a zone told anew. It does not wait: where readings wait already, the person asks again.
func (d *daemon) rescan(z engine.Zone) bool {
	select {
	case d.readings <- func(ctx context.Context, s senses) { s.watch.Forget(ctx, z) }:
		return true
	default:
		return false
	}
}

// lies has a card or a chip that two antennas see lie where a person says. It does not wait either.
func (d *daemon) lies(tag string, z engine.Zone) bool {
	select {
	case d.readings <- func(ctx context.Context, s senses) {
		if z.Chips() {
			s.chips.Lies(ctx, tag, z)
		} else {
			s.watch.Lies(ctx, tag, z)
		}
	}:
		return true
	default:
		return false
	}
}

// brokerLook is how often it is seen to that the broker is reached.
const brokerLook = 500 * time.Millisecond

// reachable holds the table while the broker is out of reach and somebody plays over it: nobody's time runs out because
// nobody can be heard.
func (d *daemon) reachable(ctx context.Context) {
	if !slices.ContainsFunc(d.cfg.Seats, func(s SeatConfig) bool { return s.Remote }) {
		return
	}
	look := time.NewTicker(brokerLook)
	defer look.Stop()
	for up := true; ; {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		h := d.link.Health()
		if h.Up == up {
			continue
		}
		up = h.Up
		why := "not connected"
		if h.Err != nil {
			why = h.Err.Error()
		}
		d.table.Device(ctx, "the broker", up, why)
	}
}

// webServer serves a handler to browsers none of which holds on to a connection for long; those that became WebSockets have times
// of their own.
func webServer(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: fileTime, WriteTimeout: fileTime, IdleTimeout: idleTime,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
}

// serve serves the page, and the broker to it.
func (d *daemon) serve(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.Handle("/", display.Page(display.Spectator{
		Studio: d.cfg.Topics.Studio, Table: d.cfg.Topics.Table,
		User: d.cfg.Web.Spectator, Password: d.cfg.Web.SpectatorPassword, Delayed: d.cfg.spectatorDelayed(),
	}))
	mux.HandleFunc("GET /asyncapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mqtt.AsyncAPI) // who has gone needs none
	})
	if d.broker != nil {
		mux.Handle("/mqtt", d.broker)
	} else {
		gateway, err := mqtt.NewGateway(d.cfg.Broker.URL, d.cfg.Broker.TLS, d.cfg.Broker.Origins, d.log)
		if err != nil {
			return fmt.Errorf("web page: %w", err)
		}
		defer gateway.Wait()
		mux.Handle("/mqtt", gateway)
	}
	srv := webServer(ctx, mux)
	web := net.Listener(limit(d.web, 2*cmp.Or(d.cfg.Broker.MaxClients, usualClients)+pageClients))
	if d.cfg.Web.TLS != nil {
		web = tls.NewListener(web, d.cfg.Web.TLS)
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(web) }()
	select {
	case err := <-done:
		return fmt.Errorf("web page: %w", err)
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err := srv.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close() // a browser that holds on is cut off
	}
	<-done
	return err
}

func (d *daemon) close() error {
	var errs []error
	for _, b := range d.buses {
		errs = append(errs, b.Close())
	}
	if d.journal != nil {
		errs = append(errs, d.journal.Close())
	}
	if d.web != nil {
		if err := d.web.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// players are the configuration's seats as the table knows them.
func (c *Config) players() []controller.Player {
	out := make([]controller.Player, len(c.Seats))
	for i, s := range c.Seats {
		out[i] = controller.Player{Seat: s.Seat, Player: s.Player, Name: s.Name, Kind: controller.Felt, Bot: s.Bot, Stack: s.Stack, Out: s.Out}
		if s.Remote {
			out[i].Kind = controller.Remote
		}
	}
	return out
}

// zones are those that an antenna or a scale watches.
func (c *Config) zones() []engine.Zone {
	var out []engine.Zone
	for _, d := range c.Devices {
		out = append(out, d.Zones...)
	}
	for _, s := range c.Scales {
		out = append(out, s.Zone)
	}
	return out
}

// chipReaders are those of the zones in which chips are read by their tags.
func (c *Config) chipReaders() (out []engine.Zone) {
	for _, d := range c.Devices {
		for _, z := range d.Zones {
			if z.Chips() {
				out = append(out, z)
			}
		}
	}
	return out
}

// worths is what the chips at the felt are worth that readers or scales know.
func (c *Config) worths() (out []engine.Chips) {
	if c.Chips != nil {
		out = slices.Collect(maps.Keys(c.Chips.Pieces()))
	}
	for _, s := range c.Scales {
		for _, k := range s.Kinds {
			out = append(out, k.Value)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// decks are the names of the decks whose cards the readers know, the one in play at a new table first.
func (c *Config) decks() (names []string) {
	if c.Deck == nil {
		return nil
	}
	for _, d := range c.allDecks() {
		names = append(names, d.Name())
	}
	return names
}

// watches is whether an antenna or a scale watches a zone of a kind.
func (c *Config) watches(kind engine.ZoneKind) bool {
	return slices.ContainsFunc(c.zones(), func(z engine.Zone) bool { return z.Kind == kind })
}

// devices are what the table waits for: the readers of cards and the contacts of the shoe by their names, the panels by their seats.
func (c *Config) devices() []string {
	var out []string
	for _, d := range c.Devices {
		if hasCards(d.Zones) || d.Kind == shoeContacts {
			out = append(out, d.Name)
		}
	}
	for _, s := range c.Seats {
		if _, wired := c.panelOf(s.Seat); wired || s.Node != 0 {
			out = append(out, panelName(s.Seat))
		}
	}
	return out
}
