package replay_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// collection finds the recorded hands, which are not part of the repository: the folder in TAVOLO_PHH, or shared/phh
// beside the repository.
func collection(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("TAVOLO_PHH")
	if dir == "" {
		dir = "../../../shared/phh"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.phh"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no recorded hands in %s; set TAVOLO_PHH to a folder of them", dir)
	}
	return files
}

// hands reads the hands of a file.
func hands(t testing.TB, name string, data []byte) []phh.Hand {
	t.Helper()
	var out []phh.Hand
	for h, err := range phh.Parse(name, data) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h)
	}
	return out
}

// ownHands are the hands in testdata.
func ownHands(t testing.TB) []phh.Hand {
	t.Helper()
	files, err := filepath.Glob("testdata/*.phh*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no hands in testdata: %v", err)
	}
	var out []phh.Hand
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, hands(t, file, data)...)
	}
	return out
}

func tda(t testing.TB) *engine.House {
	t.Helper()
	h, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOwnHandsEndAsRecorded(t *testing.T) {
	for _, h := range ownHands(t) {
		if diffs, err := replay.Play(&h, tda(t)); err != nil || len(diffs) > 0 {
			t.Errorf("hand on line %d: %v, %+v", h.Line, err, diffs)
		}
	}
}

func TestRecordedHandsEndAsRecorded(t *testing.T) {
	played, unsupported := 0, 0
	for _, file := range collection(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range phh.Parse(file, data) {
			if err != nil {
				t.Error(err)
				continue
			}
			diffs, err := replay.Play(&h, tda(t))
			switch {
			case errors.Is(err, replay.ErrUnsupported):
				unsupported++
			case err != nil:
				t.Errorf("%s: %v", file, err)
			case len(diffs) > 0:
				t.Errorf("%s: %+v", file, diffs)
			default:
				played++
			}
		}
	}
	t.Logf("%d hands ended as recorded, %d unsupported", played, unsupported)
	if played == 0 {
		t.Error("no hand was played")
	}
}

// record is the first hand of testdata/holdem.phhs, for tests to spoil.
const record = `variant = 'NT'
antes = [0, 0, 0, 0]
blinds_or_straddles = [5, 10, 0, 0]
min_bet = 10
starting_stacks = [500, 500, 500, 500]
actions = ['d dh p1 AsKd', 'd dh p2 7h2c', 'd dh p3 ????', 'd dh p4 ????',
  'p3 cc', 'p4 f', 'p1 cbr 40', 'p2 cc', 'p3 f',
  'd db Kh8c3d', 'p1 cc', 'p2 cc',
  'd db 9s', 'p1 cc', 'p2 cc',
  'd db 4c', 'p1 cc', 'p2 cc', 'p1 sm AsKd', 'p2 sm']
finishing_stacks = [550, 460, 490, 500]
`

func TestARecordThatDoesNotFitIsAFault(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		action, line   int
		want           string
	}{
		{"a raise too small", "p1 cbr 40", "p1 cbr 15", 7, 7, "15 is too little"},
		{"more than the stack", "p1 cbr 40", "p1 cbr 501", 7, 7, "more than the seat has"},
		{"out of turn", "'p4 f', ", "", 6, 7, "player 1 acts, but it is player 4's turn"},
		{"a card short", "d db Kh8c3d", "d db Kh8c", 10, 8, "no card 3 of the flop"},
		{"no river", "'d db 4c', 'p1 cc', 'p2 cc', ", "", 15, 9, "no card 1 of the river"},
		{"the record breaks off", ", 'p1 sm AsKd', 'p2 sm']", "]", 0, 0, ""},
		{"a decision short", "'d db 4c', 'p1 cc', 'p2 cc'", "'d db 4c', 'p1 cc'", 17, 10, "the record ends while player 2 is to act"},
		{"an action after the end", "'p2 cc', 'p1 sm AsKd', 'p2 sm'", "'p2 cc', 'p1 sm AsKd', 'p2 sm', 'p1 cc'", 21, 10, "but the hand is over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(record, c.old, c.new, 1)
			if text == record {
				t.Fatal("nothing was spoilt")
			}
			_, err := replay.Play(&hands(t, "record", []byte(text))[0], tda(t))
			if c.want == "" {
				if err != nil {
					t.Errorf("got %v, want no fault: hands that are not in the record are shown or mucked by the house", err)
				}
				return
			}
			var f *replay.Fault
			if !errors.As(err, &f) || f.Action != c.action || f.Line != c.line || !strings.Contains(f.Reason, c.want) {
				t.Errorf("got %+v, want action %d on line %d: %s", err, c.action, c.line, c.want)
			}
		})
	}
}

func TestWhatCannotBePlayedIsUnsupported(t *testing.T) {
	for name, spoil := range map[string]func(*phh.Hand){
		"another game":     func(h *phh.Hand) { h.Variant = "_X9" },
		"too many players": func(h *phh.Hand) { h.StartingStacks = make([]phh.Amount, engine.MaxSeats+1) },
		"too much money":   func(h *phh.Hand) { h.StartingStacks[0] = phh.Amount(engine.MaxChips) },
	} {
		h := hands(t, "record", []byte(record))[0]
		spoil(&h)
		if _, err := replay.Play(&h, tda(t)); !errors.Is(err, replay.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := hands(t, "record", []byte(record))[0]
	h.MinBet, h.Blinds = 0, make([]phh.Amount, 4)
	if _, err := replay.Play(&h, tda(t)); err == nil || errors.Is(err, replay.ErrUnsupported) {
		t.Errorf("no stakes at all: %v", err)
	}
}

func TestADifferenceTellsPlayerAndStacks(t *testing.T) {
	h := hands(t, "record", []byte(record))[0]
	h.FinishingStacks[2]++
	diffs, err := replay.Play(&h, tda(t))
	if err != nil || len(diffs) != 1 || diffs[0] != (replay.Difference{Player: 3, Got: 490, Want: 491}) {
		t.Errorf("got %+v, %v", diffs, err)
	}
}

// BenchmarkReplay plays hands from their parsed records; BenchmarkInputs only the engine's part of it.
func BenchmarkReplay(b *testing.B) {
	eachCollection(b, func(b *testing.B, list []phh.Hand) {
		house := tda(b)
		b.ReportAllocs()
		for b.Loop() {
			for i := range list {
				if diffs, err := replay.Play(&list[i], house); err != nil || len(diffs) > 0 {
					b.Fatal(err, diffs)
				}
			}
		}
	})
}

func BenchmarkInputs(b *testing.B) {
	eachCollection(b, func(b *testing.B, hands []phh.Hand) {
		type played struct {
			start  engine.State
			inputs []engine.Input
		}
		list := make([]played, len(hands))
		for i := range hands {
			sc, err := replay.NewScript(&hands[i], tda(b))
			if err != nil {
				b.Fatal(err)
			}
			list[i].start = sc.Start()
			if _, err := sc.Run(func(in engine.Input) { list[i].inputs = append(list[i].inputs, in) }); err != nil {
				b.Fatal(err)
			}
		}
		events := make([]engine.Event, 0, 64)
		var s engine.State
		b.ReportAllocs()
		for b.Loop() {
			for i := range list {
				s = list[i].start
				for j := range list[i].inputs {
					var err error
					if events, err = engine.Step(&s, list[i].inputs[j], events[:0]); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
}

// eachCollection measures with the hands of testdata, of every game, and with those of six players at no-limit hold'em in
// the folder pluribus of the recorded hands, and reports how many are played in a second. Allocations are those of all
// hands together.
func eachCollection(b *testing.B, measure func(*testing.B, []phh.Hand)) {
	pluribus := func(b testing.TB) (list []phh.Hand) {
		for _, file := range collection(b) {
			if filepath.Base(filepath.Dir(file)) != "pluribus" {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, hands(b, file, data)...)
		}
		return list
	}
	for _, of := range []struct {
		name string
		read func(testing.TB) []phh.Hand
	}{{"own", ownHands}, {"pluribus", pluribus}} {
		b.Run(of.name, func(b *testing.B) {
			list := of.read(b)
			measure(b, list)
			b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds(), "hands/s")
		})
	}
}
