package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/controller"
	"tavolo/controller/broker"
	"tavolo/controller/seal"
	"tavolo/drivers/pepper"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/eval"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// demoPassword is the password of every demo user; the demo's broker listens on this machine only.
const demoPassword = "demo"

// demoKey is the key of a demo's player, which everybody can work out.
func demoKey(player string) seal.Key {
	sum := sha256.Sum256([]byte("tavolo demo " + player))
	key, err := seal.ParseKey(base32.StdEncoding.EncodeToString(sum[:])[:26])
	if err != nil {
		panic(err) // it is 26 letters and digits
	}
	return key
}

// demoNames are the players of a demo by their seats; the last seat is left for a guest (tavolo play).
var demoNames = []string{"alice", "bruno", "carla", "dario", "elena", "fabio", "giada", "hugo", "irene", "jacopo"}

// guest is the demo's player who is not simulated.
const guest = "guest"

type demoOptions struct {
	game, limit, house string
	powers             bool
	seats, felt, hands int
	seed               uint64
	speed              string
	listen, mqtt       string
	script, dir        string
}

func demoCommand() *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a whole table with simulated hardware and players",
		Long: `Run a whole table: simulated card readers, panels and chips on pseudo-terminals, the daemon as it is on a real
table, an embedded broker, players at the table and over MQTT, and a page to watch. With --script the shoe deals a
recorded hand's cards and the players act as recorded; the stacks must end as recorded.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), outputOf(cmd), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.game, "game", "holdem", "game to play")
	f.StringVar(&o.limit, "limit", "", "betting limit (default: the game's usual one)")
	f.StringVar(&o.house, "house", "tda", "house whose rules hold")
	f.BoolVar(&o.powers, "powers", false, "play with powers (Naiko mode, house naiko), over MQTT alone")
	f.IntVar(&o.seats, "seats", 0, "seats that play (default: 6, or what the game has room for); one more waits for a guest, if there is room, and what the house wants besides is open")
	f.IntVar(&o.felt, "felt", -1, "seats whose players sit at the table (default: half)")
	f.IntVar(&o.hands, "hands", 0, "end after that many hands (default: run on)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of shuffles and decisions")
	f.StringVar(&o.speed, "speed", "1", "speed of the people: 1 is that of a real table, 10 ten times that, max all the machine can")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address of the page; empty for none")
	f.StringVar(&o.mqtt, "mqtt", "127.0.0.1:1883", "address of the broker")
	f.StringVar(&o.script, "script", "", "recorded hand (.phh) to play")
	f.StringVar(&o.dir, "dir", "", "folder for configuration, devices and journal, kept afterwards (default: a temporary one)")
	return c
}

func (o *demoOptions) run(ctx context.Context, out output, errs io.Writer) (err error) {
	pace, err := paceOf(o.speed)
	if err != nil {
		return usageError{err}
	}
	if o.mqtt == "" {
		return usageError{errors.New("--mqtt: want an address for the broker, the simulated players connect there")}
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "tavolo-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	var hand *phh.Hand
	var script *simtable.Script
	table := demoTable{demoOptions: *o}
	if o.script != "" {
		if hand, err = readHand(o.script); err != nil {
			return err
		}
		if script, err = table.record(hand); err != nil {
			return fmt.Errorf("%s: %w", o.script, err)
		}
	} else if err = table.fresh(); err != nil {
		return usageError{err}
	}
	file, err := table.write()
	if err != nil {
		return err
	}
	cfg, err := LoadConfig(file)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := newDaemon(cfg, log)
	if err != nil {
		return err
	}
	scale := int64(1)
	if hand != nil {
		scale = hand.Scale
	}
	d.outputs = append(d.outputs, reporter{out, scale})
	opt := simOptions(cfg, d.brokerURL(), demoPassword, log)
	opt.Pace, opt.Script, opt.Seed, opt.Hands, opt.Rebuy = pace, script, o.seed, o.hands, table.stacks[1]
	sim, err := simtable.New(opt)
	if err != nil {
		return errors.Join(err, d.close())
	}
	if !out.json {
		if err := d.announce(out); err != nil {
			return errors.Join(err, d.close())
		}
		if table.guest {
			fmt.Fprintf(out, "play     tavolo play --table %s --as %s --broker %s\n", cfg.Topics.Table, guest, d.brokerURL())
			if d.web != nil {
				page := url.URL{Scheme: "http", Host: d.web.Addr().String()}
				fmt.Fprintf(out, "or at    %s with the password %s\n", invitation(page, guest, demoKey(guest)), demoPassword)
			}
		}
		if d.web != nil {
			fmt.Fprintf(out, "consoles sign in at the page as dealer or as floor, without a key, with the password %s\n", demoPassword)
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := playAt(ctx, d, sim); err != nil {
		return err
	}
	if hand == nil || ctx.Err() != nil {
		return nil
	}
	return errors.Join(compare(out, hand, sim.Stacks()), out.Flush())
}

// playAt runs a simulated table and its daemon until the hands are played. The hardware is switched off when the daemon
// has stopped, which would take it for lost otherwise.
func playAt(ctx context.Context, d *daemon, sim *simtable.Table) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	power, off := context.WithCancel(context.WithoutCancel(ctx))
	defer off()
	hardware := tasks.Group{Stop: stop}
	hardware.Go(func() error { return sim.Run(power) })
	err := together(ctx, d.run, sim.Play)
	off()
	return errors.Join(err, hardware.Wait())
}

// together runs two things until either ends.
func together(ctx context.Context, a, b func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t := tasks.Group{Stop: stop}
	for _, f := range []func(context.Context) error{a, b} {
		t.Go(func() error {
			defer stop()
			return f(ctx)
		})
	}
	return t.Wait()
}

func paceOf(speed string) (simtable.Pace, error) {
	if speed == "max" {
		return simtable.Pace{}, nil
	}
	x, err := strconv.ParseFloat(speed, 64)
	if err != nil || x <= 0 || x > 1000 {
		return simtable.Pace{}, fmt.Errorf("--speed %s: want a number above 0, at most 1000, or max", speed)
	}
	return simtable.RealPace(x), nil
}

// readHand reads the first hand of a file.
func readHand(file string) (*phh.Hand, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for h, err := range phh.Parse(file, data) {
		return &h, err
	}
	return nil, fmt.Errorf("%s: no hand in it", file)
}

// demoTable is a demo's table, to be written as a configuration.
type demoTable struct {
	demoOptions
	rules  engine.Rules
	names  []string // by seat from 1; [0] is unused
	stacks []engine.Chips
	size   int // how many seats there are: those of the names, one for a guest, and such as are open to whoever comes
	guest  bool
	button engine.Seat
}

// fresh is a table for players who make their own decisions.
func (t *demoTable) fresh() (err error) {
	if t.rules.Game, err = engine.GameNamed(t.game); err != nil {
		return err
	}
	if t.rules.House, err = engine.HouseNamed(t.house); err != nil {
		return err
	}
	room := min(t.rules.Game.MaxPlayers(), t.rules.House.MaxSeats, len(demoNames))
	if t.seats == 0 {
		for t.seats = min(6, room-1); t.sizeFor(t.seats) == 0; t.seats-- {
		}
	}
	t.size = cmp.Or(t.sizeFor(t.seats+1), t.sizeFor(t.seats))
	t.guest = t.size > t.seats
	if t.seats < 2 || t.size == 0 {
		return fmt.Errorf("--seats %d: want 2 to %d, and a table of the house %s for %s", t.seats, room, t.house, t.game)
	}
	t.rules.Limit = usualLimit(t.rules.Game)
	if t.limit != "" {
		if t.rules.Limit, err = engine.LimitNamed(t.limit); err != nil {
			return err
		}
	}
	if t.powers {
		t.rules.Powers, t.felt = engine.Naiko, 0
	}
	st := &t.rules.Stakes
	if st.SmallBlind, st.BigBlind = 1, 2; t.rules.Game.BringIn {
		*st = engine.Stakes{Ante: 1, BringIn: 2}
	}
	if t.rules.Game.Banked() {
		*st = engine.Stakes{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25}
	} else if t.rules.Limit == engine.FixedLimit {
		st.SmallBet, st.BigBet = 2+st.BringIn, 4+2*st.BringIn // a bring-in is less than a bet
	}
	t.names, t.stacks = []string{""}, []engine.Chips{0}
	for _, name := range demoNames[:t.seats] {
		t.names, t.stacks = append(t.names, name), append(t.stacks, 200)
	}
	return nil
}

// sizeFor is the least number of seats from n on that the house has tables of and the game is for, 0 if there is none.
func (t *demoTable) sizeFor(n int) int {
	for room := min(t.rules.Game.MaxPlayers(), engine.MaxSeats); n <= room; n++ {
		if t.rules.House.Seats(n) {
			return n
		}
	}
	return 0
}

// usualLimit is the limit by which a game is mostly played: stud and draw by fixed limit, Omaha by pot limit.
func usualLimit(g *engine.Game) engine.Limit {
	switch {
	case g.BringIn, g.Banked(), draws(g):
		return engine.FixedLimit
	case g.Use == eval.TwoAndThree:
		return engine.PotLimit
	}
	return engine.NoLimit
}

// record is the table of a recorded hand.
func (t *demoTable) record(h *phh.Hand) (*simtable.Script, error) {
	house, err := engine.HouseNamed(t.house)
	if err != nil {
		return nil, err
	}
	script, rs, err := simtable.NewScript(h, house)
	if err != nil {
		return nil, err
	}
	t.rules = *rs.Rules
	t.rules.House = house
	t.names, t.stacks = []string{""}, []engine.Chips{0}
	for i := range h.StartingStacks {
		t.names, t.stacks = append(t.names, demoNames[i]), append(t.stacks, rs.Stacks[i+1])
	}
	t.size = cmp.Or(t.sizeFor(len(h.StartingStacks)), len(h.StartingStacks))
	t.button, t.hands = rs.Forced.Button, 1
	return script, nil
}

// write writes configuration and deck, and gives the configuration's path.
func (t *demoTable) write() (string, error) {
	hash, err := broker.HashPublic(demoPassword)
	if err != nil {
		return "", err
	}
	n := len(t.names) - 1
	felt := t.felt
	if felt < 0 || felt > n {
		felt = n / 2
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	st := t.rules.Stakes
	p("[table]\nstudio = \"demo\"\nname = \"t1\"\ntitle = \"Tavolo demo\"")
	p("game = %q\nlimit = %q\nhouse = %q", t.rules.Game.Name, t.rules.Limit, t.rules.House.Name)
	p("small_blind = %d\nbig_blind = %d\nsmall_bet = %d\nbig_bet = %d\nmin_bet = %d", st.SmallBlind, st.BigBlind, st.SmallBet, st.BigBet, st.MinBet)
	p("ante = %d\nbring_in = %d", st.Ante, st.BringIn)
	p("min_ante = %d\nmax_ante = %d\nmin_bonus = %d\nmax_bonus = %d", st.MinAnte, st.MaxAnte, st.MinBonus, st.MaxBonus)
	action, show := "20s", "5s"
	if t.script != "" {
		action, show = "10m", "1m" // people do what is recorded, however late that is on a slow machine
	}
	p("action_clock = %q\nshow_clock = %q\nsit_out_limit = \"0s\"", action, show) // the guest may come at any time
	if t.button != 0 {
		p("button = %d", t.button)
	}
	user := func(name, role string) {
		p("[[broker.users]]\nname = %q\nrole = %q\npassword = %q", name, role, hash)
		if role == "player" {
			p("[[players]]\nname = %q\nkey = %q", name, demoKey(name))
		}
	}
	p("[journal]\ndir = \"journal\"\n[broker]\nlisten = %q", t.mqtt)
	user("dealer", "dealer")
	user("floor", "floor")
	user("viewer", "spectator")
	p("[web]\nlisten = %q\nspectator = \"viewer\"\nspectator_password = %q\n[deck]\nfile = \"deck.toml\"", t.listen, demoPassword)
	zones := []string{"board", "burn", "muck"}
	if t.rules.Game.Banked() {
		zones = append(zones, "house")
	}
	if t.powers {
		p("[powers]")
		zones = append(zones, []string{"next", "following"}[:t.rules.LooksAhead()]...)
	}
	for i := 1; i <= n; i++ {
		kind := "remote"
		if i <= felt {
			kind = "felt"
		}
		t.seat(p, i, kind, t.names[i], t.stacks[i], true)
		if kind == "remote" {
			user(t.names[i], "player")
		}
		zones = append(zones, fmt.Sprintf("seat %d", i))
	}
	if t.guest {
		t.seat(p, n+1, "remote", guest, t.stacks[1], false)
		user(guest, "player")
		zones = append(zones, fmt.Sprintf("seat %d", n+1))
		n++
	}
	for n < t.size {
		n++
		p("[[seats]]\nnumber = %d\nkind = \"remote\"\nplayer = \"\"", n)
		zones = append(zones, fmt.Sprintf("seat %d", n))
	}
	t.devices(p, zones, felt > 0)
	file := filepath.Join(t.dir, "table.toml")
	if err := os.MkdirAll(filepath.Join(t.dir, "dev"), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(t.dir, "deck.toml"), []byte(demoDeck()), 0o644); err != nil {
		return "", err
	}
	return file, os.WriteFile(file, []byte(b.String()), 0o600)
}

func (t *demoTable) seat(p func(string, ...any), i int, kind, name string, stack engine.Chips, bot bool) {
	p("[[seats]]\nnumber = %d\nkind = %q\nplayer = %q\nname = %q\nbot = %v\nstack = %d", i, kind, name,
		strings.ToUpper(name[:1])+name[1:], bot, stack)
	if kind == "felt" {
		p("node = %d", i)
	}
	if !bot {
		p("sitting_out = true")
	}
}

// devices are a shoe, as many boards of antennas as the zones need, and the bus of the panels.
func (t *demoTable) devices(p func(string, ...any), zones []string, panels bool) {
	device := func(name, kind string, zones []string) {
		p("[[devices]]\nname = %q\nkind = %q\npath = %q", name, kind, filepath.Join("dev", name))
		if len(zones) > 0 {
			p("zones = [\"%s\"]", strings.Join(zones, "\", \""))
		}
	}
	device("shoe", "pepper-c1", []string{"shoe"})
	if t.speed != "1" { // nobody is as fast as that
		p("apart = \"0s\"")
	}
	for i := 0; len(zones) > 0; i++ {
		n := min(pepper.MaxAntennas, len(zones))
		device(fmt.Sprintf("pads-%c", 'a'+i), "pepper-c1-mux", zones[:n])
		zones = zones[n:]
	}
	if panels {
		device("panels", seatBus, nil)
	}
}

// demoDeck is a deck of ISO 15693 tags.
func demoDeck() string {
	var b strings.Builder
	b.WriteString("name = \"demo deck\"\n[tags]\n")
	for i, c := range card.French.Cards() {
		fmt.Fprintf(&b, "E004015000DE%04X = %q\n", i+1, c)
	}
	return b.String()
}

// ending is how the stacks of a scripted hand ended.
type ending struct {
	Result      string       `json:"result"` // ok or differs
	Stacks      []string     `json:"stacks"` // of the players in the order of the record, in its notation
	Differences []difference `json:"differences,omitempty"`

	recorded bool // the record has finishing stacks
}

// compare says how the stacks of a scripted hand ended; a difference from the record is an error.
func compare(out output, h *phh.Hand, stacks [engine.MaxSeats + 1]engine.Chips) error {
	end := ending{Result: "ok", recorded: h.FinishingStacks != nil}
	s := engine.State{}
	for i := range stacks {
		s.Seats[i].Stack = stacks[i]
	}
	for i := range h.StartingStacks {
		end.Stacks = append(end.Stacks, phh.Amount(stacks[i+1]).Text(h.Scale))
	}
	if end.recorded {
		end.Differences = differencesIn(h, replay.Compare(h, &s))
	}
	if len(end.Differences) > 0 {
		end.Result = "differs"
	}
	out.print(end, end.String())
	if end.Result != "ok" {
		return errReported
	}
	return nil
}

// String is the ending for people.
func (e ending) String() string {
	var b strings.Builder
	for i, stack := range e.Stacks {
		fmt.Fprintf(&b, "player %d  %s\n", i+1, stack)
	}
	switch {
	case !e.recorded:
		return b.String() + "ok: the hand ended; the record has no finishing stacks"
	case len(e.Differences) == 0:
		return b.String() + "ok: the stacks end as recorded"
	}
	for _, d := range e.Differences {
		fmt.Fprintf(&b, "differs: %v\n", d)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// reporter tells of each hand when it is over. It is a controller.Output.
type reporter struct {
	output
	scale int64 // how many of the table's chips are one of the record's
}

// Publish prints a line for each hand that ended.
func (r reporter) Publish(u *controller.Update) {
	for _, e := range u.Events {
		if e.Kind == engine.HandEnded {
			r.hand(u)
		}
	}
}

func (r reporter) hand(u *controller.Update) {
	view := engine.ViewFor(u.State, engine.Viewer{})
	holds := map[engine.Seat]string{}
	for _, s := range view.Seats {
		holds[s.Seat] = s.Holds
	}
	won, verb, winners := map[engine.Seat]engine.Chips{}, "wins", []engine.Seat{}
	for _, e := range u.Events {
		switch e.Kind {
		case engine.BoxSettled:
			verb = "is handed"
		case engine.PotAwarded:
		default:
			continue
		}
		if amount := e.Amount + e.Bonus; amount != 0 {
			if won[e.Seat] == 0 {
				winners = append(winners, e.Seat)
			}
			won[e.Seat] += amount
		}
	}
	lines := []string{}
	for _, s := range winners {
		text := fmt.Sprintf("seat %d %s %s", s, verb, phh.Amount(won[s]).Text(r.scale))
		if h := holds[s]; h != "" {
			text += " with " + h
		}
		lines = append(lines, text)
	}
	r.print(struct {
		Hand  uint64      `json:"hand"`
		Board []card.Card `json:"board"`
		Won   []string    `json:"won"`
	}{u.State.Hand, view.Board, lines},
		fmt.Sprintf("hand %-5d %-10s  %s", u.State.Hand, card.Text(view.Board), strings.Join(lines, "; ")))
	_ = r.Flush() // a reader that has gone away does not stop the table
}
