package play

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/eclipse/paho.mqtt.golang/packets"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// TestKeysAreThePages: the help lists the keys that the page's help does, for the same things, and more only at its end.
func TestKeysAreThePages(t *testing.T) {
	source, err := os.ReadFile("../../../display/web/src/help.tsx")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(source), "export function Help")
	var page []string
	for _, m := range regexp.MustCompile(`when: "([^"]+)"|\["([^"]+)", "([^"]+)"\]`).FindAllStringSubmatch(list, -1) {
		page = append(page, m[1]+m[2]+" "+m[3])
	}
	if len(page) < 30 {
		t.Fatalf("only %d keys found", len(page))
	}
	var ours []string
	for _, l := range keyLists {
		ours = append(ours, l.when+" ")
		for _, k := range l.keys {
			ours = append(ours, k[0]+" "+k[1])
		}
	}
	if got, want := strings.Join(ours[:len(page)], "\n"), strings.Join(page, "\n"); got != want {
		t.Errorf("keys\n%s\nwant those of the page\n%s", got, want)
	}
}

// TestTextsAreThere: there is a text, in every language, for whatever the screens say.
func TestTextsAreThere(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`"((?:act|actions|ahead|await|behind|clock|hands|holding|house|keys|link|list|log|note|options|power|pot|preset|replay|seat|stake|stakes|terminal|turn|wins)\.[a-z_.]+[a-z])"`)
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range key.FindAllStringSubmatch(string(source), -1) {
			found++
			if !words(t, "en").Has(m[1]) || !words(t, "it").Has(m[1]) {
				t.Errorf("%s: no text %s", f.Name(), m[1])
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d keys found", found)
	}
}

// TestEverySizeOfWindow: nothing is drawn beyond the window, and at 80×24 every key of the hand can be read, in each language.
func TestEverySizeOfWindow(t *testing.T) {
	for _, c := range screens {
		s := newSeat(t, c.players...)
		c.do(s)
		for _, language := range []string{"it", "en"} {
			s.m.setting.language = words(t, language)
			s.m.words = s.m.setting.words(&s.m.state)
			for _, size := range [][2]int{{80, 24}, {72, 20}, {60, 15}, {40, 24}, {24, 8}, {10, 3}, {1, 1}, {200, 60}} {
				s.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				lines := strings.Split(s.screen(), "\n")
				if len(lines) > size[1] {
					t.Errorf("%s in %s: %d lines at %v", c.name, language, len(lines), size)
				}
				for _, l := range lines {
					if w := ansi.StringWidth(l); w > size[0] {
						t.Errorf("%s in %s: a line of width %d at %v: %q", c.name, language, w, size, l)
					}
				}
				if size[0] < 80 {
					continue
				}
				drawn := ansi.Strip(strings.Join(lines, "\n"))
				shown := s.m.acts()
				if s.m.pane != nil {
					shown = s.m.choices()
				}
				for _, o := range shown {
					if text := ansi.Strip(o.text); o.cap != "" && !strings.Contains(drawn, text) {
						t.Errorf("%s in %s at %v: no room for %s %s:\n%s", c.name, language, size, o.cap, text, drawn)
					}
				}
			}
		}
	}
}

func TestOptions(t *testing.T) {
	s := newSeat(t, four...)
	facing(s)
	s.press(", 2 esc")
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "Call 4 BB") || !strings.Contains(got, "Raise to 7 BB") {
		t.Errorf("amounts are not in big blinds:\n%s", got)
	}
	s.press("e 1 0 . 5 r")
	if len(s.sent) != 1 || s.sent[0].Amount != 21 {
		t.Errorf("10.5 big blinds of 2 are sent as %+v", s.sent)
	}
	s.update(answer{})
	s.press(", 3")
	if len(s.sent) != 2 || s.sent[1] != (mqtt.ActionPayload{Action: controller.VerbAutoMuck}) {
		t.Errorf("asks for %+v", s.sent)
	}
	s.update(answer{})
	s.plans[1].AutoMuck = true
	s.publish(s.state, nil)
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "✓ Muck without asking") {
		t.Errorf("it is not shown:\n%s", got)
	}
	s.press("3")
	if len(s.sent) != 3 || s.sent[2] != (mqtt.ActionPayload{Action: controller.VerbAskMuck}) {
		t.Errorf("asks for %+v", s.sent)
	}
	s.press("1 ,")
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "In diretta") {
		t.Errorf("it is not in Italian:\n%s", got)
	}
}

// A hand that is played meanwhile, or a turn that comes, is told while something else is shown.
func TestATurnIsToldInFrontOfWhatIsShown(t *testing.T) {
	for _, key := range []string{"?", ",", "k", "h"} {
		s := newSeat(t, four...)
		s.press(key)
		facing(s)
		if got := ansi.Strip(s.screen()); !strings.Contains(got, "Your turn.") || !strings.Contains(got, "K♥ K♦") {
			t.Errorf("%s: the turn is not told:\n%s", key, got)
		}
		s.press("esc c")
		if len(s.sent) != 1 || s.sent[0].Action != controller.VerbCall {
			t.Errorf("%s: asks for %+v", key, s.sent)
		}
	}
}

// Who won is told until the first round of the next hand is over, which may follow at once.
func TestWhoWonTheLastHandIsTold(t *testing.T) {
	s := newSeat(t, four...)
	for range 2 {
		s.deal("9c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("fff")
	}
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.acts("f")
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "Last hand: ") || !strings.Contains(got, "wins 2") {
		t.Errorf("not told:\n%s", got)
	}
}

func TestHandsOfOld(t *testing.T) {
	s := newSeat(t, four...)
	played(s)
	now := s.state.Seq
	s.press("h")
	if want := fmt.Sprint([][2]uint64{{1, now}}); fmt.Sprint(s.asked) != want {
		t.Fatalf("asks for %v, want %v", s.asked, want)
	}
	s.recalls()
	s.press("pgdown") // there are none before
	if len(s.asked) > 0 {
		t.Errorf("asks for %v more", s.asked)
	}
	s.press("down enter")
	h := s.m.pane.(*history)
	if h.hand().Number() != 1 || h.step != 0 {
		t.Fatalf("hand %d at step %d", h.hand().Number(), h.step)
	}
	s.press("right right left")
	if h.step != 1 {
		t.Errorf("two steps on and one back is step %d", h.step)
	}
	s.press("end right")
	last := &h.frames[len(h.frames)-1]
	if h.step != len(h.frames)-1 || last.won[1] != 62 || last.place(1).Stack != 238 {
		t.Errorf("the end is step %d of %d: alice won %d and has %d", h.step, len(h.frames), last.won[1], last.place(1).Stack)
	}
	s.cmd = nil
	s.press("t")
	told := fmt.Sprint(s.cmd())
	for _, want := range []string{"Hand 1", "Bruno raises to 12.", "Carla folds.", "Flop: Ks7s2d", "Alice bets 12.", "Alice shows KhKd", "Alice wins 62."} {
		if !strings.Contains(told, want) {
			t.Errorf("the copied text does not say %q:\n%s", want, told)
		}
	}
	s.press("home up")
	if h.hand().Number() != 2 || h.step != 0 {
		t.Errorf("after up: hand %d at step %d", h.hand().Number(), h.step)
	}
	s.press("esc")
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "Alice +62") {
		t.Errorf("not back at the list:\n%s", got)
	}
	s.press("h")
	if s.m.pane != nil {
		t.Error("the hands are still shown")
	}
}

func TestHandsAreAskedForPartByPart(t *testing.T) {
	s := newSeat(t, four...)
	for s.state.Seq < 2*depth {
		s.deal("9c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("fff")
	}
	s.press("h")
	now := s.state.Seq
	s.recalls()
	h := s.m.pane.(*history)
	some := len(h.hands)
	s.press("pgdown pgdown")
	if want := fmt.Sprint([][2]uint64{{now - 2*depth + 1, now - depth}}); fmt.Sprint(s.asked) != want {
		t.Fatalf("asks for %v, want %v", s.asked, want)
	}
	s.recalls()
	if all := len(h.hands); some == 0 || all <= some {
		t.Errorf("%d hands, then %d", some, all)
	}
	s.press("pgdown")
	s.update(recalled{err: &silence{}})
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "No answer from the table.") {
		t.Errorf("not told that there is no answer:\n%s", got)
	}
	s.press("esc")
	s.update(recalled{}) // too late
}

type silence struct{}

func (*silence) Error() string { return "no" }

func TestNoHandsOfOld(t *testing.T) {
	s := newSeat(t, four...)
	s.press("h")
	s.recalls()
	s.press("enter up down right pgdown")
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "No hand has ended yet.") {
		t.Errorf("%s", got)
	}
}

// Latency and the state of the connection are in the header.
func TestTheConnectionIsShown(t *testing.T) {
	s := newSeat(t, four...)
	s.update(tick{at: s.at(), link: mqtt.Health{Up: true}, delay: 34 * time.Millisecond})
	if got := ansi.Strip(s.m.header(80)); !strings.HasSuffix(got, "34 ms ● Live") {
		t.Errorf("header %q", got)
	}
	s.update(tick{at: s.at()})
	if got := ansi.Strip(s.m.header(80)); !strings.HasSuffix(got, "○ Reconnecting…") {
		t.Errorf("header %q", got)
	}
	facing(s)
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "This is the last picture") {
		t.Errorf("not told:\n%s", got)
	}
	s.update(tick{at: s.at(), link: mqtt.Health{Err: packets.ErrorRefusedNotAuthorised}})
	if got := ansi.Strip(s.screen()); !strings.Contains(got, "The broker does not let this account in.") {
		t.Errorf("not told:\n%s", got)
	}
	s.update(tick{at: s.at(), link: mqtt.Health{Up: true}})
	s.hear(mqtt.StatePayload{Head: mqtt.Head{Epoch: s.epoch, Seq: s.state.Seq}, View: engine.ViewFor(s.state, engine.Viewer{}), Players: s.players})
	s.press("c")
	if len(s.sent) != 1 {
		t.Error("it does not go on after a reconnect")
	}
}
