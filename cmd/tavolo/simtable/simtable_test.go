package simtable

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tavolo/controller"
	"tavolo/drivers/sim"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// three is a hand of three players of whom one shows nothing: seat 1 and 2 post, 3 raises, 1 folds, 2 calls and folds.
const three = `
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [100, 100, 100]
actions = [
  "d dh p1 ????", "d dh p2 9c9d", "d dh p3 AcKc",
  "p3 cbr 6", "p1 f", "p2 cc",
  "d db Kh7s2d", "p2 cc", "p3 cbr 10", "p2 f",
]
`

// draw is a hand of two players of whom the second throws two of his five cards away.
const draw = `
variant = "N2L1D"
antes = [0, 0]
blinds_or_straddles = [2, 4]
min_bet = 4
starting_stacks = [200, 200]
actions = ["d dh p1 7h7s8cTcQh", "d dh p2 2h3h4h5c9s", "p2 cc", "p1 cc", "p1 sd", "p2 sd 4h9s", "d dh p2 Kd6d", "p1 cc", "p2 cc"]
`

func script(t *testing.T, hand string) *Script {
	t.Helper()
	house, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	for h, err := range phh.Parse("hand.phh", []byte(hand)) {
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := NewScript(&h, house)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatal("no hand")
	return nil
}

func TestScriptDealsTheRecordedCards(t *testing.T) {
	s := script(t, three)
	if len(s.deck) != 52 || card.SetOf(s.deck...) != card.French {
		t.Fatalf("%d cards in the shoe, %d of them different", len(s.deck), card.SetOf(s.deck...).Len())
	}
	hidden := map[int]bool{0: true, 3: true, 6: true} // seat 1's two cards, and the burn
	want := card.MustParse("2c9cAc2c9dKc2cKh7s2d")    // two rounds from seat 1 on, a burn, the flop
	for i, c := range want {
		if !hidden[i] && s.deck[i] != c {
			t.Errorf("card %d is %v, want %v", i+1, s.deck[i], c)
		}
	}
}

func TestScriptTellsATurnTheSameAgain(t *testing.T) {
	s := script(t, three)
	for i, want := range []choice{
		{verb: controller.VerbRaise, amount: 6}, {verb: controller.VerbBet, amount: 10}, {verb: controller.VerbFold}, // the record has no more
	} {
		turn := uint64(20 + i)
		for range 2 {
			if got := s.next(3, turn, engine.AwaitAction); got != want {
				t.Errorf("turn %d: %+v, want %+v", turn, got, want)
			}
		}
	}
	if got := s.next(3, 30, engine.AwaitReveal); got.verb != controller.VerbShow {
		t.Errorf("a hand that the record does not muck: %+v", got)
	}
}

// Players without a script do only what is legal.
func TestChoicesAreLegal(t *testing.T) {
	table, rng := &Table{}, rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		l := engine.Legal{Check: rng.IntN(2) == 0, Raise: rng.IntN(2) == 0, Opens: rng.IntN(2) == 0}
		if l.Raise {
			l.MinTo = engine.Chips(1 + rng.IntN(50))
			l.MaxTo = l.MinTo + engine.Chips(rng.IntN(500))
		}
		got := table.choose(1, 1, ask{kind: engine.AwaitAction, legal: l}, rng)
		ok := false
		switch got.verb {
		case controller.VerbCheck:
			ok = l.Check
		case controller.VerbCall, controller.VerbFold:
			ok = !l.Check
		case controller.VerbBet, controller.VerbRaise:
			ok = l.Raise && l.Opens == (got.verb == controller.VerbBet) && l.MinTo <= got.amount && got.amount <= l.MaxTo
		}
		if !ok {
			t.Fatalf("%+v where %+v is legal", got, l)
		}
		if must := table.choose(1, 1, ask{kind: engine.AwaitReveal}, rng); must.verb != controller.VerbShow {
			t.Fatalf("%+v where the hand must be shown", must)
		}
	}
}

// cardTable is a table with an antenna at each zone.
func cardTable(t *testing.T, s *Script, zones ...engine.Zone) *Table {
	t.Helper()
	opt := Options{
		Devices: []Device{{Kind: "pepper-c1-mux", Path: filepath.Join(t.TempDir(), "pads"), Zones: zones}},
		Tags:    map[card.Card]string{},
		Log:     slog.New(slog.DiscardHandler),
		Script:  s,
	}
	for i, c := range card.French.Cards() {
		opt.Tags[c] = "E0040150000000" + string("0123456789ABCDEF"[i/16]) + string("0123456789ABCDEF"[i%16])
	}
	table, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.cards.close(); err != nil {
			t.Error(err)
		}
	})
	return table
}

// Who is asked again for what he has thrown away, by a panel that is behind, throws nothing else.
func TestCardsAreThrownOnce(t *testing.T) {
	pad := engine.ZoneOf(2)
	table := cardTable(t, script(t, draw), pad, muckZone)
	for _, c := range card.MustParse("2h3h4h5c9s") {
		if err := table.cards.place(pad, c); err != nil {
			t.Fatal(err)
		}
	}
	behind := sim.NewBus(nil).Add(2)
	for _, prompt := range []uint8{1, 1, 2} {
		if err := table.throw(t.Context(), 2, prompt, 5, behind, nil); err != nil {
			t.Fatal(err)
		}
		if left, thrown := card.Text(table.cards.lying()[pad]), card.Text(table.cards.lying()[muckZone]); left != "2h3h5c" || thrown != "4h9s" {
			t.Errorf("asked by prompt %d: %s are left, %s are thrown", prompt, left, thrown)
		}
	}
}

func TestCardsLieWhereTheyAreLaid(t *testing.T) {
	zones := []engine.Zone{{Kind: engine.ZoneBoard}, engine.ZoneOf(2), muckZone}
	h := cardTable(t, nil, zones...).cards
	lay := func(z engine.Zone, cards string) {
		t.Helper()
		for _, c := range card.MustParse(cards) {
			if err := h.place(z, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	lies := func(z engine.Zone) string {
		cards := h.lying()[z]
		slices.Sort(cards)
		return card.Text(cards)
	}
	lay(zones[0], "2c3c")
	lay(zones[1], "AhKh")
	lay(engine.Zone{Kind: engine.ZoneBurn}, "4d") // which no antenna watches
	h.take(zones[0], card.MustParse("2c")[0])
	if got := lies(zones[0]) + " " + lies(zones[1]); got != "3c KhAh" {
		t.Errorf("board and seat 2 hold %s", got)
	}
	if err := h.gather(); err != nil {
		t.Fatal(err)
	}
	if got := lies(zones[0]) + lies(zones[1]) + " " + lies(zones[2]); got != " 3c4dKhAh" {
		t.Errorf("gathered: %s", got)
	}
	if h.clear(); lies(zones[2]) != "" {
		t.Errorf("left after clearing: %s", lies(zones[2]))
	}
}

// What cannot be simulated leaves nothing of what could.
func TestUnknownDevice(t *testing.T) {
	dir := t.TempDir()
	_, err := New(Options{Devices: []Device{
		{Kind: "pepper-c1", Path: filepath.Join(dir, "shoe")}, {Kind: "scales", Path: filepath.Join(dir, "scales")},
	}})
	if err == nil || !strings.Contains(err.Error(), "scales") {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

// TestScriptsThatNobodyCanPlay: what a simulated player cannot do as recorded is refused, before a table stands still.
func TestScriptsThatNobodyCanPlay(t *testing.T) {
	house, err := engine.HouseNamed("betrebels")
	if err != nil {
		t.Fatal(err)
	}
	for h, err := range phh.Parse("cut.phh", []byte(strings.Replace(three, `"p1 f"`, `"p1 _cut"`, 1))) {
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := NewScript(&h, house); !errors.Is(err, replay.ErrUnsupported) || !strings.Contains(err.Error(), "action 5: ") {
			t.Errorf("%v", err)
		}
	}
}
