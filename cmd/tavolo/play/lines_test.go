package play

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"tavolo/controller"
	"tavolo/controller/broker"
	"tavolo/controller/client"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/card"
)

// delay is how long a test waits for what must come.
const delay = time.Minute

// password is everybody's, and passwordHash its hash, with few rounds.
const (
	password     = "password"
	passwordHash = "$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ"
)

// forgetful is a journal that keeps nothing.
type forgetful struct{}

func (forgetful) Append(...journal.Entry) error { return nil }
func (forgetful) Full() bool                    { return false }
func (forgetful) Rotate([]byte) error           { return nil }
func (forgetful) Checkpoint() ([]byte, error)   { return nil, nil }

func noRecords() iter.Seq2[journal.Record, error] {
	return func(func(journal.Record, error) bool) {}
}

// house is a whole table behind a broker: alice against bruno, who always checks or calls, with cards from a fixed deck.
type house struct {
	url     string
	table   *controller.Table
	updates chan controller.Update
	acted   chan struct{} // closed when alice has acted
	// planned is closed when she has decided ahead. bruno, where not nil, lets bruno answer one turn each; what becomes of alice,
	// her seat and her acts, goes to alice.
	planned chan struct{}
	bruno   chan struct{}
	alice   chan engine.Event
}

// Publish hands the updates to deal.
func (h *house) Publish(u *controller.Update) { h.updates <- *u }

// aliceKey is what alice shares with the house.
const aliceKey = seal.Key("ABCDEFGHIJKLMNOPQRSTUVWX23")

// openHouse runs a table until the test ends. It waits for start before it deals.
func openHouse(t *testing.T, start <-chan struct{}, change ...func(*house)) *house {
	t.Helper()
	game, err := engine.GameNamed("holdem")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	shoe, err := engine.ParseZone("shoe")
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.New(broker.Options{Address: "127.0.0.1:0", Users: []broker.User{
		{Name: "alice", Role: mqtt.Player, Hash: passwordHash}, {Name: "carla", Role: mqtt.Player, Hash: passwordHash},
	}})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{url: "tcp://" + b.Addr().String(), updates: make(chan controller.Update, 100), acted: make(chan struct{}), planned: make(chan struct{}), alice: make(chan engine.Event, 100)}
	pub := &mqtt.Publisher{Topics: topics, Title: "Table 9"}
	keys := map[string]seal.Key{"alice": aliceKey}
	h.table, err = controller.New(controller.Options{
		Rules: &engine.Rules{Game: game, House: rules, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2}},
		Players: []controller.Player{
			{Seat: 1, Player: "alice", Name: "Alice", Kind: controller.Remote, Stack: 200},
			{Seat: 2, Player: "bruno", Name: "Bruno", Kind: controller.Remote, Stack: 200},
			{Seat: 3, Player: "dario", Name: "Dario", Kind: controller.Felt},
		},
		Zones: []engine.Zone{shoe}, Timing: controller.Timing{ActionClock: time.Minute, ShowClock: time.Minute},
		Journal: forgetful{}, Records: noRecords(), Outputs: []controller.Output{pub, h}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	pub.Players = mqtt.Seal(topics, h.table.Epoch(), keys)
	user, pass := b.EngineLogin()
	link, err := mqtt.NewLink(mqtt.Options{
		Dial: b.Dial, ClientID: mqtt.ClientID(user, ""), User: user, Password: pass,
		Subscribe: []string{topics.Actions(), topics.Commands()}, Status: mqtt.NewStatus(topics, h.table.Epoch(), "test"),
	})
	if err != nil {
		t.Fatal(err)
	}
	pub.Sink = link

	for _, change := range change {
		change(h)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{
		b.Run, link.Run, h.table.Run,
		func(ctx context.Context) error { h.deal(ctx, start); return nil },
		func(ctx context.Context) error {
			pub.Serve(ctx, link.Messages(), h.table, slog.New(slog.DiscardHandler))
			return nil
		},
	} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return h
}

// deal is dealer and bruno: it starts a hand, gives each card that is awaited, and checks, calls or shows.
func (h *house) deal(ctx context.Context, start <-chan struct{}) {
	shoe := card.MustParse("2c Kh 3c Kd 9s Ks 7s 2d 9h 4s 9d 5d")
	dealt, answered := 0, uint64(0)
	acted, planned := sync.OnceFunc(func() { close(h.acted) }), sync.OnceFunc(func() { close(h.planned) })
	var held *controller.Request // of bruno
	for {
		gate := h.bruno
		if held == nil {
			gate = nil
		}
		select {
		case <-start:
			h.table.Ask(ctx, controller.Request{From: controller.Source{Console: "box"}, ID: "1", Verb: controller.VerbStartHand})
			start = nil
		case <-gate:
			h.table.Ask(ctx, *held)
			held = nil
		case u := <-h.updates:
			s := &u.State
			for _, e := range u.Events {
				if e.Seat == 1 && e.Kind != engine.HoleDealt {
					select {
					case h.alice <- e:
					default: // there is room for a hand; nobody looks
					}
				}
				if e.Kind == engine.PlayerActed && e.Seat == 1 {
					acted()
				}
			}
			if u.Plans[1].Verb != "" {
				planned()
			}
			for s.Out.Len() == dealt && dealt < len(shoe) && u.Instruction.Kind != "start" && s.Turn == 0 {
				h.table.CardLeft(ctx, shoe[dealt])
				dealt++
			}
			if s.Turn != 2 || u.Turn == answered {
				continue
			}
			answered = u.Turn
			r := controller.Request{From: controller.Source{Player: "bruno"}, ID: fmt.Sprint(u.Turn), Turn: u.Turn}
			switch a := s.Awaits(); {
			case a.Kind == engine.AwaitReveal:
				r.Verb = controller.VerbMuck
			case a.Legal.Check:
				r.Verb = controller.VerbCheck
			default:
				r.Verb = controller.VerbCall
			}
			if held = &r; h.bruno == nil {
				h.table.Ask(ctx, r)
				held = nil
			}
		case <-ctx.Done():
			return
		}
	}
}

// program is a program that plays by lines.
type program struct {
	t     *testing.T
	in    io.WriteCloser
	out   chan string
	lines []string // since the last command
	done  chan error
}

// playLines runs Run as alice at the house; change may change how.
func playLines(t *testing.T, h *house, change func(*Options)) *program {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	opt := Options{URL: h.url, Topics: topics, Player: "alice", Password: password, Key: aliceKey, Words: words(t, "en"), In: inR, Out: outW}
	if change != nil {
		change(&opt)
	}
	p := &program{t: t, in: inW, out: make(chan string, 1000), done: make(chan error, 1)}
	var running sync.WaitGroup
	running.Go(func() {
		p.done <- Run(t.Context(), opt)
		outW.Close()
	})
	running.Go(func() {
		defer close(p.out)
		for s := bufio.NewScanner(outR); s.Scan(); {
			p.out <- s.Text()
		}
	})
	t.Cleanup(func() {
		inW.Close()
		running.Wait()
	})
	return p
}

// say gives a command.
func (p *program) say(command string) {
	p.t.Helper()
	p.lines = nil
	if _, err := io.WriteString(p.in, command+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// expect waits until there is a line among those since the last command, and gives its place among them. Whether it says that
// 60 s are left or, on a slow machine, less does not matter.
func (p *program) expect(want string) int {
	p.t.Helper()
	timeout := time.After(delay)
	timeless := func(line string) string { return left.ReplaceAllString(line, "; 60 s") }
	for {
		if i := slices.IndexFunc(p.lines, func(line string) bool { return timeless(line) == want }); i >= 0 {
			return i
		}
		select {
		case line, ok := <-p.out:
			if !ok {
				p.t.Fatalf("the output ended without %q:\n%s", want, strings.Join(p.lines, "\n"))
			}
			p.lines = append(p.lines, line)
		case <-timeout:
			p.t.Fatalf("no line %q:\n%s", want, strings.Join(p.lines, "\n"))
		}
	}
}

// left is the end of a line that tells how much time is left.
var left = regexp.MustCompile(`; [1-6]?[0-9] s$`)

// end waits until the program has ended, and gives its error.
func (p *program) end() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(delay):
		p.t.Fatal("the program goes on")
		return nil
	}
}

func TestAHandByLines(t *testing.T) {
	start := make(chan struct{})
	p := playLines(t, openHouse(t, start), nil)
	p.expect("connection: the table is there")
	p.expect("table: Table 9, Texas Hold'em, No limit, 1 / 2; you are Alice at seat 1")
	p.say("fold")
	p.expect("refused: fold: seat 1: no decision is awaited")
	p.say("dance")
	p.expect("refused: dance: \"dance\" is no command: want " + Commands())
	p.say("raise all")
	p.expect(`refused: raise all: "raise all": want raise AMOUNT: all is no amount`)

	close(start)
	p.expect("Hand 1")
	p.expect("your cards: KhKd, pair of kings")
	p.expect("your turn: fold, call 1, raise 4 to 200, all-in 200; 60 s")
	p.say("raise 3")
	p.expect("refused: raise 3: seat 1: 3 is too little: 4 at least (TD-02)")
	p.say("raise  1,2 ")
	if p.expect("done: raise 1,2") < p.expect("Alice raises to 12.") {
		t.Errorf("the answer came before what it did: %q", p.lines)
	}
	p.expect("Board: Ks")

	p.say("wait")
	p.say("check")
	p.expect("done: check")
	p.say("wait")
	p.say("bet 20")
	p.expect("Alice bets 20.")
	p.expect("Bruno calls 20.")
	p.say("sit out")
	p.expect("done: sit out")
	p.say("wait")
	p.say("all-in")
	p.expect("Alice bets 168, all in.")
	p.expect("Alice shows KhKd, three of a kind, kings")
	p.expect("Alice wins 400.")
	p.say("quit")
	if err := p.end(); err != nil {
		t.Errorf("quit: %v", err)
	}
}

func TestAHandInJSON(t *testing.T) {
	start := make(chan struct{})
	close(start)
	p := playLines(t, openHouse(t, start), func(opt *Options) { opt.JSON = true })
	p.say("wait")
	p.say("bet 20")
	p.say("call")
	p.in.Close() // the input ends; what it asked for is done first
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	var replies []string
	seen := map[string]int{}
	for line := range p.out {
		var v struct {
			Type, Command, Code, Text string
			OK, Up                    bool
			Cards                     []card.Card
			Turn                      uint64
			Legal                     *engine.Legal
			View                      *engine.View
			Event                     *engine.Event
		}
		d := json.NewDecoder(strings.NewReader(line))
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen[v.Type]++
		switch {
		case v.Type == "reply":
			replies = append(replies, fmt.Sprintf("%s %v %s", v.Command, v.OK, v.Code))
		case v.Type == "state" && v.View == nil,
			v.Type == "event" && v.Event == nil,
			v.Type == "hole" && len(v.Cards) == 0,
			v.Type == "turn" && (v.Turn == 0 || v.Legal == nil),
			v.Type == "connection" && !v.Up:
			t.Errorf("incomplete: %s", line)
		}
	}
	if want := []string{"bet 20 false cannot_raise", "call true "}; !slices.Equal(replies, want) {
		t.Errorf("replies %q, want %q", replies, want)
	}
	for _, typ := range []string{"connection", "state", "event", "hole", "turn"} {
		if seen[typ] == 0 {
			t.Errorf("no line of type %s among %v", typ, seen)
		}
	}
}

func TestWhoCannotPlayIsTold(t *testing.T) {
	h := openHouse(t, nil)
	for _, c := range []struct {
		name   string
		change func(*Options)
		want   []string
	}{
		{"wrong password", func(o *Options) { o.Password = "guess" }, []string{"refuses player alice", "--password"}},
		{"unknown user", func(o *Options) { o.Player = "mallory" }, []string{"refuses player mallory", "--as"}},
		{"bad name", func(o *Options) { o.Player = "+" }, []string{`player "+"`}},
		{"bad address", func(o *Options) { o.URL = "127.0.0.1" }, []string{"broker address"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := playLines(t, h, c.change).end()
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want one with %q", err, want)
				}
			}
		})
	}
}

// deaf is a connection on which nothing is heard but what the test says.
type deaf struct {
	messages chan any
	health   atomic.Pointer[mqtt.Health]
	act      func(context.Context) error
	past     []mqtt.EventPayload // what the journal tells, nil for no answer
}

func (d *deaf) Messages() <-chan any { return d.messages }
func (d *deaf) Health() mqtt.Health  { return *d.health.Load() }
func (d *deaf) Past(_ context.Context, first, last uint64) ([]mqtt.EventPayload, error) {
	if d.past == nil {
		return nil, errors.New("nothing is told")
	}
	return slices.DeleteFunc(slices.Clone(d.past), func(e mqtt.EventPayload) bool { return e.Seq < first || e.Seq > last }), nil
}
func (d *deaf) RoundTrip() time.Duration { return 0 }
func (d *deaf) Act(ctx context.Context, _ mqtt.ActionPayload) error {
	return d.act(ctx)
}

func TestATableThatDoesNotAnswerIsExplained(t *testing.T) {
	refused := errors.New("connection refused")
	for _, c := range []struct {
		name     string
		health   mqtt.Health
		messages []any
		want     string
		at       time.Duration
	}{
		{"no broker", mqtt.Health{Err: refused}, nil, "tavolo demo", patience},
		{"a silent broker", mqtt.Health{}, nil, "does not answer", patience},
		{"no such table", mqtt.Health{Up: true}, nil, "knows no table nine of studio riga; see --table and --studio", patience},
		{
			"a stopped table",
			mqtt.Health{Up: true},
			[]any{client.Connected{Code: mqtt.StateStopped, Text: "the table is stopped"}, mqtt.StatePayload{}},
			"table nine: the table is stopped; start it", patience,
		},
		{"a refused login", mqtt.Health{Err: packets.ErrorRefusedNotAuthorised}, nil, "refuses player alice", beat},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &deaf{messages: make(chan any, 10)}
				d.health.Store(&c.health)
				for _, m := range c.messages {
					d.messages <- m
				}
				began := time.Now()
				_, err := reach(t.Context(), d, Options{URL: "tcp://x", Topics: topics, Player: "alice", Words: words(t, "en")})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one with %q", err, c.want)
				}
				if took := time.Since(began); took != c.at {
					t.Errorf("told after %v, want %v", took, c.at)
				}
			})
		})
	}
}

func TestALostConnectionIsALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deaf{messages: make(chan any, 10)}
		d.health.Store(&mqtt.Health{Up: true})
		d.act = func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("no answer to call: %w", ctx.Err())
		}
		in, say := io.Pipe()
		var out strings.Builder
		l := newLines(d, Options{Player: "alice", Words: words(t, "en"), Out: &out})
		done := make(chan error)
		go func() { done <- l.run(t.Context(), in, nil) }()
		time.Sleep(beat + 1)
		d.health.Store(&mqtt.Health{Err: errors.New("broken")})
		time.Sleep(beat)
		d.health.Store(&mqtt.Health{Up: true})
		time.Sleep(beat)
		_, _ = io.WriteString(say, "call\n")
		time.Sleep(answerIn)
		say.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		const want = "connection: reconnecting: broken\nconnection: the broker is there\n" +
			"refused: call: no answer to call: context deadline exceeded\n"
		if out.String() != want {
			t.Errorf("printed %q, want %q", out.String(), want)
		}
	})
}

func TestHandsOfOldByLines(t *testing.T) {
	s := newSeat(t, four...)
	for s.state.Seq < 2*depth { // so that not all are told when asked for once
		s.deal("9c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("fff")
	}
	number := s.state.Hand + 1
	played(s)
	say := func(d *deaf, asJSON bool, commands ...string) (said []string) {
		t.Helper()
		d.messages = make(chan any)
		d.health.Store(&mqtt.Health{Up: true})
		var out strings.Builder
		l := newLines(d, Options{Player: "alice", Words: words(t, "en"), Out: &out, JSON: asJSON})
		l.hear(s.m.state, noon)
		if err := l.run(t.Context(), strings.NewReader(strings.Join(commands, "\n")+"\n"), nil); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	d := &deaf{past: s.past}
	told := say(d, false, fmt.Sprintf("hand %d", number), "hand 1")
	for _, want := range []string{"raises to 12.", "Flop: Ks7s2d", "shows KhKd, three of a kind, kings", "wins 62.", fmt.Sprintf("done: hand %d", number), "Hand 1", "done: hand 1"} {
		if !slices.ContainsFunc(told, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("the hands do not say %q: %q", want, told)
		}
	}
	told = say(d, false, "hands", "hand 999", "hand x")
	if n := len(told); n < 5 || !regexp.MustCompile(`^Hand \d+ +\d\d:\d\d  \w+ \+\d+$`).MatchString(told[n-4]) ||
		told[n-3] != "done: hands" || told[n-2] != "refused: hand 999: hand 999 is not over, or the table has it no longer" || !strings.Contains(told[n-1], "is no command") {
		t.Errorf("the last hands are %q", told)
	}
	var first struct {
		Type, Time any
		Hand       uint64
		Won        []struct{ Seat, Amount int }
		Before     *mqtt.StatePayload
		Events     []mqtt.EventPayload
	}
	line := say(d, true, fmt.Sprintf("hand %d", number))[0]
	if err := json.Unmarshal([]byte(line), &first); err != nil || first.Type != "hand" || first.Hand != number || len(first.Won) != 1 || first.Won[0].Amount != 62 ||
		first.Before == nil || first.Events[0].Event.Kind != engine.HandBegan {
		t.Errorf("%v: %s", err, line)
	}
	if line := say(d, true, "hands")[0]; strings.Contains(line, "events") || !strings.Contains(line, `"won":[{"seat":`) {
		t.Error(line)
	}
	if said := say(&deaf{}, false, "hands"); said[0] != "refused: hands: nothing is told" {
		t.Errorf("%q", said)
	}
}

// BP-09: a stake of one's own, and one behind a box.
func TestStakesAreParsed(t *testing.T) {
	var l table
	for command, want := range map[string]mqtt.ActionPayload{
		"stake 10":      {Action: controller.VerbStake, Amount: 10},
		"stake 1,000 5": {Action: controller.VerbStake, Amount: 1000, Bonus: 5},
		"stake 0":       {Action: controller.VerbStake},
		"back 3 10":     {Action: controller.VerbBack, Seat: 3, Amount: 10},
		"back 3 10 5":   {Action: controller.VerbBack, Seat: 3, Amount: 10, Bonus: 5},
		"stake":         {}, "stake -1": {}, "stake 1 2 3": {}, "back": {}, "back 3": {}, "back 11 10": {}, "back 0 10": {}, "stake all": {},
	} {
		got, err := l.parse(command)
		if refused := want.Action == ""; refused != (err != nil) || !refused && got != want {
			t.Errorf("%q: %+v, %v", command, got, err)
		}
	}
}
