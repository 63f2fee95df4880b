package play

import (
	"errors"
	"flag"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// seat is a player at the screen: the felt, the model that looks at it, and what the model has asked for.
type seat struct {
	*felt
	m    *model
	sent []mqtt.ActionPayload
	// asked are the events of old that the model has asked for.
	asked [][2]uint64
	cmd   tea.Cmd // of the last message
}

func newSeat(t *testing.T, names ...string) *seat {
	t.Helper()
	s := &seat{}
	s.m = newModel(Options{Player: names[0], Words: words(t, "en")})
	s.m.width, s.m.height, s.m.now, s.m.link = 80, 24, noon, mqtt.Health{Up: true}
	s.m.act = func(a mqtt.ActionPayload) tea.Cmd {
		s.sent = append(s.sent, a)
		return nil
	}
	s.m.recall = func(first, last uint64) tea.Cmd {
		s.asked = append(s.asked, [2]uint64{first, last})
		return nil
	}
	s.felt = newFelt(t, func(msg any) { s.update(heard{msg, s.at()}) }, names...)
	return s
}

func (s *seat) at() time.Time {
	if s.felt == nil {
		return noon
	}
	return s.now
}

func (s *seat) update(msg tea.Msg) {
	m, cmd := s.m.Update(msg)
	s.m = m.(*model)
	if cmd != nil {
		s.cmd = cmd
	}
}

// pass lets time go by.
func (s *seat) pass(d time.Duration) {
	s.now = s.now.Add(d)
	s.update(tick{at: s.now, link: s.m.link})
}

var keysNamed = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgdown": {Code: tea.KeyPgDown}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
}

// press presses keys, named as a terminal names them.
func (s *seat) press(keys string) {
	for key := range strings.FieldsSeq(keys) {
		k, named := keysNamed[key]
		if !named {
			k = tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
		}
		s.update(k)
	}
}

var four = []string{"alice", "bruno", "carla", "dario"}

// flop brings four players to the flop, where alice, who has kings, may bet second.
func flop(s *seat) {
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.acts("cc")
	s.act(engine.Raise, 12)
	s.acts("fcc")
	s.deal("?? Ks 7s 2d")
}

// played has four play two hands and begin a third.
func played(s *seat) {
	flop(s)
	s.acts("kk")
	s.act(engine.Bet, 12)
	s.acts("cf")
	s.deal("?? 4s")
	s.acts("kk")
	s.deal("?? 5d")
	s.acts("kk")
	for s.state.Phase != engine.Between {
		s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
	}
	s.pass(time.Minute)
	s.deal("9c 9h 7d Kh 3c 9d 7h Kd")
	s.acts("fff")
	s.deal("2c 9h")
}

// recalls has the journal tell what was asked for.
func (s *seat) recalls() {
	s.t.Helper()
	ask := s.asked[0]
	s.asked = s.asked[1:]
	var told []mqtt.EventPayload
	for _, e := range s.past {
		if e.Seq >= ask[0] && e.Seq <= ask[1] {
			told = append(told, e)
		}
	}
	s.update(recalled{events: told})
}

// screens are the situations that are drawn. The first alice, at the bottom, sees.
var screens = []struct {
	name    string
	players []string
	do      func(s *seat)
}{
	{"empty", four, func(*seat) {}},
	{"deal", four, func(s *seat) { s.deal("2c Kh 7d") }},
	{"turn", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("f")
		s.pass(7 * time.Second)
	}},
	{"amount", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.act(engine.Raise, 8)
		s.press("e 5 5")
	}},
	{"amount-too-small", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.act(engine.Raise, 8)
		s.press("e 9 enter")
	}},
	{"all-in", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("c")
		s.press("a")
	}},
	{"ahead", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.plans[1] = controller.Plan{Verb: controller.VerbPlanCall}
		s.publish(s.state, nil)
	}},
	{"powers", four, func(s *seat) {
		powered(s)
		s.press("n")
	}},
	{"boxes", four, func(s *seat) {
		boxing(s)
		s.press("3 a a b")
	}},
	{"hands", four, func(s *seat) {
		played(s)
		s.press("h")
		s.recalls()
	}},
	{"replay", four, func(s *seat) {
		played(s)
		s.press("h")
		s.recalls()
		s.press("down enter end left left left left left left left left left")
	}},
	{"waiting", four, func(s *seat) {
		s.do(engine.Input{Kind: engine.SatOut, Seat: 1})
		s.deal("9h 7d Kh 9d 7h Kd")
		s.acts("ff")
		s.do(engine.Input{Kind: engine.BlindAwaited, Seat: 1})
	}},
	{"options", four, func(s *seat) { s.press(",") }},
	{"chips", four, func(s *seat) { s.press("k 5 0") }},
	{"italian", four, func(s *seat) {
		s.press(", 1 esc")
		flop(s)
		s.act(engine.Bet, 20)
		s.acts("f")
	}},
	{"fold-for-nothing", []string{"alice", "bruno"}, func(s *seat) {
		s.deal("2c 9h 7d Kh")
		s.acts("ck")
		s.deal("?? Ks 7s 2d")
		s.acts("k")
		s.press("f")
	}},
	{"sent", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("f")
		s.press("c")
	}},
	{"refused", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("f")
		s.press("c")
		s.update(answer{&client.Refused{Code: "stale_turn", Text: "the request answers turn 3, this is turn 9"}})
	}},
	{"flop", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("ccck")
		s.deal("?? Ks 7s 2d")
		s.acts("k")
		s.act(engine.Bet, 6)
		s.pass(16 * time.Second)
	}},
	{"folded", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("cfck")
		s.deal("?? Ks 7s 2d")
	}},
	{"side-pots", four, func(s *seat) {
		s.state.Seats[2].Stack, s.state.Seats[3].Stack = 30, 75
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("cc")
		s.acts("aa")
		s.act(engine.Raise, 180)
		s.acts("c")
	}},
	{"showdown", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("fcck")
		s.deal("?? Ks 7s 2d")
		s.acts("kkk")
		s.deal("?? 4s")
		s.acts("kkk")
		s.deal("?? 5d")
		s.acts("kkk")
		s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
		s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
	}},
	{"replay-sides", four, func(s *seat) {
		s.state.Seats[2].Stack, s.state.Seats[3].Stack = 30, 75
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("cc")
		s.acts("aa")
		s.act(engine.Raise, 180)
		s.acts("c")
		s.deal("?? Ks 7s 2d")
		s.acts("kk")
		s.deal("?? 4s")
		s.acts("kk")
		s.deal("?? 5d")
		s.acts("kk")
		for s.state.Awaits().Kind == engine.AwaitReveal {
			s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
		}
		s.press("h")
		s.recalls()
		s.press("enter end left")
	}},
	{"halves", []string{"alice", "bruno"}, func(s *seat) {
		s.play("omaha8", engine.PotLimit, engine.Stakes{SmallBlind: 1, BigBlind: 2})
		s.deal("Kc Ah Kd 2h Jc 7s Td 9s")
		s.acts("ck")
		s.deal("?? Ks 8c 3d")
		s.acts("kk")
		s.deal("?? 4s")
		s.acts("kk")
		s.deal("?? Qd")
		s.acts("kk")
		s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
		s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
	}},
	{"won", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.act(engine.Raise, 8)
		s.acts("fff")
	}},
	{"void", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.act(engine.Raise, 8)
		s.do(engine.Input{Kind: engine.HandVoided, Reason: "a card fell off the table"})
	}},
	{"hold", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.pass(5 * time.Second)
		s.holds = []string{"antennas-a is lost: no answer on the bus"}
		s.clock = controller.Clock{Seat: 4, Total: 20 * time.Second, Paused: true, Left: 15 * time.Second}
		s.publish(s.state, nil)
		s.pass(time.Minute)
	}},
	{"sitting-out", four, func(s *seat) {
		s.do(engine.Input{Kind: engine.SatOut, Seat: 1})
		s.deal("9h 7d Kh 9d 7h Kd")
	}},
	{"reconnecting", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.m.link = mqtt.Health{Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}
	}},
	{"table-lost", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.hear(client.Connected{Code: mqtt.StateLost, Text: "the table is lost"})
	}},
	{"quit", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.press("q")
	}},
	{"help", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("f")
		s.press("?")
	}},
	{"two", []string{"alice", "bruno"}, func(s *seat) { s.deal("2c 9h 7d Kh") }},
	{"ten", ten, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd 2s 3s 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc")
		s.acts("cf")
	}},
	{"ten-large", ten, func(s *seat) {
		s.update(tea.WindowSizeMsg{Width: 130, Height: 40})
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd 2s 3s 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc")
		s.acts("cf")
	}},
	{"small", four, func(s *seat) {
		s.update(tea.WindowSizeMsg{Width: 46, Height: 18})
		flop(s)
		s.act(engine.Bet, 20)
		s.acts("f")
	}},
	{"tiny", four, func(s *seat) {
		s.update(tea.WindowSizeMsg{Width: 30, Height: 6})
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("f")
	}},
	{"omaha", four, func(s *seat) {
		s.play("omaha", engine.PotLimit, engine.Stakes{SmallBlind: 500, BigBlind: 1000})
		for i := range s.players {
			s.do(engine.Input{Kind: engine.ChipsAdded, Seat: engine.Seat(i + 1), Amount: 1_250_000})
		}
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd 2s 9s 7s Qs 4h 5h 6h Ac")
		s.acts("f")
	}},
	{"fixed", four, func(s *seat) {
		s.play("holdem", engine.FixedLimit, engine.Stakes{SmallBlind: 1, BigBlind: 2, SmallBet: 2, BigBet: 4})
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("c")
	}},
	{"draw", four, func(s *seat) {
		drawing(s)
		s.press("1 5")
	}},
	{"split", four, splitting},
	{"missed", four, func(s *seat) {
		s.deal("2c 9h")
		hear := s.hear
		s.hear = func(any) {}
		s.deal("7d Kh 3c 9d 7h Kd")
		s.acts("f")
		s.hear = hear
		s.hear(client.Missed{First: 9, Last: 20})
		s.acts("c")
	}},
	{"state-before-events", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("ccck")
		hear, events := s.hear, []any(nil)
		s.hear = func(msg any) {
			if _, ok := msg.(mqtt.EventPayload); ok {
				events = append(events, msg)
				return
			}
			hear(msg)
		}
		s.deal("?? Ks 7s 2d")
		for _, e := range events {
			hear(e)
		}
	}},
	{"restart", four, func(s *seat) {
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.epoch++
		s.publish(s.state, nil)
	}},
}

var ten = []string{"alice", "bruno", "carla", "dario", "elena", "fabio", "giada-the-very-long-name", "hugo", "李小龙", "jacopo"}

func TestScreens(t *testing.T) {
	for _, c := range screens {
		t.Run(c.name, func(t *testing.T) {
			s := newSeat(t, c.players...)
			c.do(s)
			drawn := s.m.View().Content
			lines := strings.Split(drawn, "\n")
			if len(lines) > s.m.height {
				t.Errorf("%d lines in a window of %d", len(lines), s.m.height)
			}
			for _, l := range lines {
				if w := ansi.StringWidth(l); w > s.m.width {
					t.Errorf("line of width %d in a window of %d: %q", w, s.m.width, l)
				}
			}
			golden(t, c.name, ansi.Strip(drawn)+"\n")
		})
	}
}

// golden compares a screen with the one in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".screen")
	want, err := os.ReadFile(file)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("no %s: go test ./cmd/tavolo/play -update makes it", file)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}
