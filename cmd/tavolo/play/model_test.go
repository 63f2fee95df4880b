package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// facing brings alice before a raise to 8, with kings and 200.
func facing(s *seat) {
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.act(engine.Raise, 8)
}

// unopened brings alice before no bet, with the nut set and 198.
func unopened(s *seat) {
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.acts("ccck")
	s.deal("?? Ks 7s 2d")
	s.acts("kkk")
}

// revealing brings alice to the showdown, third to show.
func revealing(s *seat) {
	unopened(s)
	s.acts("k")
	s.deal("?? 4s")
	s.acts("kkkk")
	s.deal("?? 5d")
	s.acts("kkkk")
	for range 3 {
		s.do(engine.Input{Kind: engine.Shown, Seat: s.state.Turn})
	}
}

// drawing brings alice to the draw, the last to say what she exchanges of sevens and aces.
func drawing(s *seat) {
	s.play("draw32", engine.FixedLimit, engine.Stakes{SmallBlind: 1, BigBlind: 2, SmallBet: 2, BigBet: 4})
	s.deal("8c 9c Tc 7c 8d 9d Td 7d 8h 9h Th Ac 8s 9s Ts Ad Jc Jd Jh Ks")
	s.acts("ccck")
	for range 3 {
		s.do(engine.Input{Kind: engine.Discarded, Seat: s.state.Turn})
	}
}

// splitting has dario offer a split, and alice the next to answer.
func splitting(s *seat) {
	drawing(s)
	s.do(engine.Input{Kind: engine.Discarded, Seat: 1})
	s.act(engine.Split, 0)
}

// boxing brings alice to where bets against the house are open.
func boxing(s *seat) {
	s.play("bonus", engine.FixedLimit, engine.Stakes{MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25})
	s.do(engine.Input{Kind: engine.SatIn, Seat: 1}) // has the state told again
}

// boxed brings her to her decision before the flop, with an ante of 10.
func boxed(s *seat) {
	boxing(s)
	s.do(engine.Input{Kind: engine.Staked, Seat: 1, Amount: 10, Bonus: 5})
	s.deal("Kh 2c Kd 9c")
}

// BP-08: the keys of a box.
func TestBP08Keys(t *testing.T) {
	onFlop := func(s *seat) {
		boxed(s)
		s.act(engine.Bet, 20)
		s.deal("?? 3c 4c 5c")
	}
	staked := func(s *seat) {
		boxing(s)
		s.do(engine.Input{Kind: engine.Staked, Seat: 1, Amount: 10, Bonus: 5})
	}
	for _, c := range []struct {
		name string
		do   func(*seat)
		keys string
		want string
	}{
		{"an ante", boxing, "a a enter", "stake 10+0"},
		{"of another chip", boxing, "3 a 1 a enter", "stake 26+0"},
		{"no more than the most", boxing, "5 a a a enter", "stake 1000+0"},
		{"with a bonus bet", boxing, "a b enter", "stake 5+5"},
		{"no more than the most on the bonus", boxing, "a 4 b b enter", "stake 5+25"},
		{"a bonus bet needs an ante", boxing, "b enter", ""},
		{"cleared", boxing, "a . enter", ""},
		{"cleared by del", boxing, "a delete enter", ""},
		{"another stake", staked, "a enter", "stake 5+0"},
		{"taken back", staked, ".", "stake 0+0"},
		{"nothing to take back", boxing, ".", ""},
		{"nothing to repeat", boxing, "0 enter", ""},
		{"bets are closed", boxed, "a enter", "bet 20"},
		{"plays", boxed, "b", "bet 20"},
		{"enter plays", boxed, "enter", "bet 20"},
		{"folds", boxed, "f", "fold"},
		{"minus folds", boxed, "-", "fold"},
		{"nothing to call", boxed, "c", ""},
		{"minus checks", onFlop, "-", "check"},
		{"bets on the flop", onFlop, "b", "bet 10"},
		{"does not fold there", onFlop, "f", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSeat(t, "alice", "bruno")
			c.do(s)
			s.press(c.keys)
			var got strings.Builder
			for _, a := range s.sent {
				switch a.Action {
				case controller.VerbStake:
					got.WriteString(fmt.Sprintf("stake %d+%d", a.Amount, a.Bonus))
				case controller.VerbBet:
					got.WriteString(fmt.Sprintf("bet %d", a.Amount))
				default:
					got.WriteString(string(a.Action))
				}
			}
			if got.String() != c.want {
				t.Errorf("keys %s: sent %q, want %q; the screen says %q", c.keys, got.String(), c.want, s.m.notice)
			}
		})
	}
}

// The last stake is there again for the next hand, at the touch of a key.
func TestBP08Repeat(t *testing.T) {
	s := newSeat(t, "alice", "bruno")
	boxing(s)
	s.press("a a b enter")
	s.update(answer{})
	s.press("0 enter")
	if len(s.sent) != 2 || s.sent[0] != s.sent[1] {
		t.Errorf("sent %+v", s.sent)
	}
}

func TestKeysAct(t *testing.T) {
	fixed := func(s *seat) {
		s.play("holdem", engine.FixedLimit, engine.Stakes{SmallBlind: 1, BigBlind: 2, SmallBet: 2, BigBet: 4})
		s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		s.acts("c")
	}
	short := func(s *seat) {
		s.state.Seats[1].Stack = 6
		facing(s)
	}
	others := func(s *seat) { s.deal("2c 9h 7d Kh 3c 9d 7h Kd") }
	for _, c := range []struct {
		name string
		do   func(*seat)
		keys string
		want string // the request, "" for none
	}{
		{"fold", facing, "f", "fold"},
		{"fold where checking is free asks", unopened, "f", ""},
		{"another key is no", unopened, "f enter f", ""},
		{"the same key again is yes", unopened, "f f", "fold"},
		{"call", facing, "c", "call"},
		{"check", unopened, "c", "check"},
		{"caps lock", unopened, "C", "check"},
		{"raise the least", facing, "r", "raise 14"},
		{"b raises too", facing, "b", "raise 14"},
		{"bet the least", unopened, "b", "bet 2"},
		{"typed", facing, "e 5 5 enter", "raise 55"},
		{"typed, and the key of the raise", facing, "e 5 5 r", "raise 55"},
		{"corrected", facing, "e 5 5 backspace backspace 3 1 enter", "raise 31"},
		{"too little", facing, "e 1 3 enter", ""},
		{"nothing typed", facing, "e enter", "raise 14"},
		{"nothing left of it", facing, "e 9 backspace enter", ""},
		{"too much", facing, "e 2 0 1 enter", ""},
		{"absurd", facing, "e 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 enter", ""},
		{"the least by its number", facing, "5 1 r", "raise 14"},
		{"half the pot", facing, "2 r", "raise 18"},   // 8 + (11+8)/2
		{"three quarters", facing, "3 r", "raise 22"}, // 8 + 3×19/4
		{"pot", facing, "4 r", "raise 27"},            // 8 + 19
		{"all-in by its number", facing, "5 r", "raise 200"},
		{"all-in", facing, "a r", "raise 200"},
		{"a alone sends nothing", facing, "a", ""},
		{"half of an unopened pot", unopened, "2 b", "bet 4"},
		{"steps", facing, "up up up down r", "raise 18"},
		{"not below the least", facing, "down down r", "raise 14"},
		{"call in spite of an amount", facing, "e 5 5 c", "call"},
		{"all but typing is kept", facing, "4 e e r", "raise 27"},
		{"calling with the last chips", short, "c", "call"},
		{"raise closed", short, "r", ""},
		{"fixed limit has one size", fixed, "r", "raise 4"},
		{"fixed limit has no choice of it", fixed, "a 5 e 9 r", "raise 4"},
		{"show", revealing, "s", "show"},
		{"muck", revealing, "m", "muck"},
		{"no fold at the showdown", revealing, "f", ""},
		{"no show before it", facing, "s", ""},
		{"discard", drawing, "1 5 d", "discard [1 5]"},
		{"a card taken back", drawing, "1 5 1 d", "discard [5]"},
		{"stand pat", drawing, "c", "stand_pat"},
		{"standing pat takes a key of its own", drawing, "d", ""},
		{"no sixth card", drawing, "6 d", ""},
		{"no more than the game allows", drawing, "1 2 3 4 5 d", "discard [1 2 3 4]"},
		{"no fold in a draw", drawing, "f", ""},
		{"no draw while betting", facing, "1 d", ""},
		{"split", splitting, "t", "split"},
		{"no split", facing, "t", ""},
		{"not in turn", others, "r", ""},
		{"check or fold when it comes", others, "f", "plan_check_fold 2 in 1"},
		{"call this when it comes", others, "c", "plan_call 2 in 1"},
		{"call any when it comes", others, "a", "plan_call_any 2 in 1"},
		{"sit out at any time", others, "o", "sit_out"},
		{"one request at a time", facing, "c f", "call"},
		{"a key in the help does nothing else", facing, "? c", ""},
		{"help keeps the amount", facing, "4 ? ? r", "raise 27"},
		{"other keys do nothing", facing, "x enter esc z t", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSeat(t, four...)
			c.do(s)
			s.press(c.keys)
			var got []string
			for _, a := range s.sent {
				text := string(a.Action)
				if a.Amount != 0 {
					text += fmt.Sprintf(" %d", a.Amount)
				}
				if a.Cards != 0 {
					text += " " + fmt.Sprint(a.Cards.List())
				}
				if a.Hand != 0 {
					text += fmt.Sprintf(" in %d", a.Hand)
				}
				got = append(got, text)
				if inTurn := s.m.turn != nil; inTurn && (a.Turn != s.turn || a.Epoch != s.epoch) {
					t.Errorf("%s answers turn %d of run %d, want %d of %d", text, a.Turn, a.Epoch, s.turn, s.epoch)
				}
			}
			var want []string
			if c.want != "" {
				want = []string{c.want}
			}
			if !slices.Equal(got, want) {
				t.Errorf("keys %s: sent %q, want %q; the screen says %q", c.keys, got, want, s.m.notice)
			}
		})
	}
}

// NX-62: one of two sizes, and nothing between them.
func TestTwoSizes(t *testing.T) {
	s := newSizing(&engine.Legal{Raise: true, Opens: true, MinTo: 4, MaxTo: 8, TwoSizes: true})
	for _, c := range []struct{ to, want engine.Chips }{{4, 4}, {5, 4}, {7, 8}, {9, 8}, {s.stepped(1, 2), 8}, {s.stepped(-1, 2), 4}} {
		if s.set(c.to); s.to != c.want {
			t.Errorf("of %d becomes %d, want %d", c.to, s.to, c.want)
		}
	}
	for to, fits := range map[engine.Chips]bool{4: true, 6: false, 8: true, 9: false} {
		if s.to = to; s.fits() != fits {
			t.Errorf("%d fits: %v", to, s.fits())
		}
	}
	if got := fmt.Sprint(s.presets(&engine.View{Total: 20})); got != "[{min 4} {max 8}]" {
		t.Errorf("presets %s", got)
	}
}

// The arithmetic is that of the page (bet.test.ts).
func TestPresetsAndSteps(t *testing.T) {
	s := newSizing(&engine.Legal{ToCall: 20, Raise: true, MinTo: 40, MaxTo: 1000})
	if got := fmt.Sprint(s.presets(&engine.View{Total: 60, Bet: 20})); got != "[{min 40} {half 60} {three_quarters 80} {pot 100} {max 1000}]" {
		t.Errorf("presets %s", got)
	}
	for _, c := range []struct{ from, way, want engine.Chips }{{40, 1, 60}, {45, 1, 60}, {45, -1, 40}, {60, -1, 40}, {990, 1, 1000}, {40, -1, 40}} {
		if s.to = c.from; s.stepped(c.way, 20) != c.want {
			t.Errorf("a step of %d from %d is %d, want %d", c.way, c.from, s.stepped(c.way, 20), c.want)
		}
	}
}

// The turn is told on a topic of its own, and may come before the state that it follows from.
func TestPartsOfThePotAreThoseOfTheNewestState(t *testing.T) {
	s := newSeat(t, four...)
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	hear, late := s.hear, []any(nil)
	s.hear = func(msg any) {
		if _, ok := msg.(mqtt.TurnPayload); !ok {
			late = append(late, msg)
			return
		}
		hear(msg)
	}
	s.act(engine.Raise, 8)
	for _, msg := range late {
		hear(msg)
	}
	s.press("4 r")
	if len(s.sent) != 1 || s.sent[0].Amount != 27 { // 8 + 19
		t.Errorf("sends %+v, want a raise to 27", s.sent)
	}
}

// TestAnAmountInPreparationStaysHere: what other players see of a bet being chosen is nothing, since nothing is sent; and
// what happens meanwhile does not take the choice away.
func TestAnAmountInPreparationStaysHere(t *testing.T) {
	s := newSeat(t, four...)
	facing(s)
	s.press("1 2 3 4 5 up down a e 5 5 backspace backspace 4 0")
	s.clock.Paused, s.clock.Left = true, 9*time.Second
	s.publish(s.state, nil) // the clock stops, and the turn is told again
	s.do(engine.Input{Kind: engine.SatOut, Seat: 3})
	s.update(tea.WindowSizeMsg{Width: 100, Height: 30})
	if len(s.sent) != 0 {
		t.Fatalf("sent %+v before enter", s.sent)
	}
	s.press("enter")
	want := []mqtt.ActionPayload{{Epoch: 3, Turn: s.turn, Action: controller.VerbRaise, Amount: 40}}
	if !slices.Equal(s.sent, want) {
		t.Errorf("sent %+v, want %+v", s.sent, want)
	}
}

func TestWhatIsBegunEndsWithTheTurn(t *testing.T) {
	for _, keys := range []string{"e 5 5", "5"} {
		s := newSeat(t, four...)
		facing(s)
		s.press(keys)
		s.do(engine.Input{Kind: engine.ClockRanOut, Seat: 1})
		if s.m.size != nil {
			t.Errorf("keys %s: the turn is over, and the screen still shows %q", keys, s.m.status(80))
		}
		s.press("enter r")
		if len(s.sent) > 0 {
			t.Errorf("keys %s: sent %+v after the turn", keys, s.sent)
		}
	}
}

func TestQuittingAHandIsAsked(t *testing.T) {
	s := newSeat(t, four...)
	s.press("q")
	if !quits(s.cmd) {
		t.Error("q between hands does not quit")
	}

	s = newSeat(t, four...)
	facing(s)
	s.cmd = nil
	s.press("q")
	if s.cmd != nil || s.m.notice == "" {
		t.Fatal("q in a hand does not ask")
	}
	s.press("x")
	s.press("q")
	if s.cmd != nil {
		t.Error("q, another key and q quit")
	}
	s.press("q")
	if !quits(s.cmd) {
		t.Error("q q does not quit")
	}

	s.cmd = nil
	s.press("ctrl+c")
	if !quits(s.cmd) {
		t.Error("ctrl+c does not quit")
	}
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

func TestATurnRingsOnce(t *testing.T) {
	s := newSeat(t, four...)
	s.deal("2c 9h 7d Kh 3c 9d 7h Kd")
	s.cmd = nil
	s.acts("c")
	if s.cmd == nil || s.cmd() != any(tea.RawMsg{Msg: "\a"}) {
		t.Fatal("no bell for the turn")
	}
	s.cmd = nil
	s.clock.Paused = true
	s.publish(s.state, nil)
	if s.cmd != nil {
		t.Error("a second bell for the same turn")
	}
	if title := s.m.View().WindowTitle; title != "Your turn. Table 9" {
		t.Errorf("window title %q", title)
	}
}

func TestAnswers(t *testing.T) {
	s := newSeat(t, four...)
	facing(s)
	s.press("c")
	turn := s.m.turn.Turn
	s.update(answer{&client.Refused{Code: "not_awaited", Text: "wait"}})
	if s.m.turn == nil || s.m.notice != "That is not awaited now." {
		t.Errorf("after a refusal the turn is %v, the notice %q", s.m.turn, s.m.notice)
	}
	s.press("c")
	s.update(answer{context.DeadlineExceeded})
	if s.m.turn == nil || !strings.HasPrefix(s.m.notice, "No answer") {
		t.Errorf("without an answer the turn is %v, the notice %q", s.m.turn, s.m.notice)
	}
	s.press("c")
	s.update(answer{})
	if s.m.turn != nil {
		t.Errorf("the turn %d is answered, and still open", turn)
	}
}

func TestTheAnswerMayComeAfterTheNextTurn(t *testing.T) {
	s := newSeat(t, "alice", "bruno")
	s.deal("2c 9h 7d Kh")
	s.press("c")
	s.acts("ck")
	s.deal("?? Ks 7s 2d")
	s.acts("k")
	s.update(answer{})
	if s.m.turn == nil {
		t.Error("the answer to the last turn closed this one")
	}
}

// TestTheClockIsTheTables: the time left is told right though this machine's clock is an hour off.
func TestTheClockIsTheTables(t *testing.T) {
	for _, off := range []time.Duration{0, time.Hour, -time.Hour} {
		tb := table{me: "alice", words: words(t, "en")}
		f := newFelt(t, func(any) {}, four...)
		f.hear = func(msg any) { tb.hear(msg, f.now.Add(off+100*time.Millisecond)) }
		f.deal("2c 9h 7d Kh 3c 9d 7h Kd")
		tb.now = f.now.Add(off + 6*time.Second)
		left, total := tb.left()
		if total != 20*time.Second || left != 14*time.Second+100*time.Millisecond {
			t.Errorf("clock off by %v: %v of %v left, want 14.1 s of 20", off, left, total)
		}
		tb.now = f.now.Add(off + time.Minute)
		if left, _ := tb.left(); left != 0 {
			t.Errorf("after the deadline %v is left", left)
		}
	}
}

func TestATurnToldAgainAfterItsEndIsOld(t *testing.T) {
	s := newSeat(t, four...)
	facing(s)
	old := *s.m.turn
	s.acts("f")
	s.hear(old)
	if s.m.turn != nil {
		t.Error("a turn that is over is open again")
	}
}

func TestARestartedTableGivesTheTurnAgain(t *testing.T) {
	s := newSeat(t, four...)
	unopened(s)
	s.felt = newFelt(t, s.hear, four...) // a later run, of a table that has lost its journal
	s.epoch = 4
	facing(s)
	if s.m.turn == nil || s.m.turn.Turn != s.turn || len(s.m.board) > 0 {
		t.Errorf("the turn %d of the new run is not open: %+v, board %v", s.turn, s.m.turn, s.m.board)
	}
}

func TestForeignTextCannotDriveTheTerminal(t *testing.T) {
	s := newSeat(t, four...)
	s.players[1].Name = "Bru\x1b[2Jno\r\n"
	s.pub.Title = "T\x1b]0;x\a"
	s.holds = []string{"\x1b[31mred"}
	facing(s)
	s.update(answer{err: &client.Refused{Text: "a\x1b[2Jb"}})
	for _, bad := range []string{"\x1b[2J", "\x1b]0", "\x1b[31mred", "\r"} {
		if strings.Contains(s.m.View().Content, bad) {
			t.Errorf("the screen holds %q", bad)
		}
	}
	if got := reconnecting(errors.New("x\x1b[2J")); strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}

func TestFourColours(t *testing.T) {
	for text, want := range map[string]string{
		"As": "\x1b[1mA♠\x1b[m", "Th": "\x1b[1;31mT♥\x1b[m", "2d": "\x1b[1;94m2♦\x1b[m", "Kc": "\x1b[1;32mK♣\x1b[m", "??": "\x1b[2m▒▒\x1b[m",
	} {
		if got := faces(card.MustParse(text)); got != want {
			t.Errorf("%s is drawn %q, want %q", text, got, want)
		}
	}
}
