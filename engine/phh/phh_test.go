package phh

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tavolo/engine/card"
)

// parse gathers what Parse gives.
func parse(data []byte) (hands []Hand, faults []*Error) {
	for h, err := range Parse("f", data) {
		if err != nil {
			fault := new(Error)
			errors.As(err, &fault)
			faults = append(faults, fault)
			continue
		}
		hands = append(hands, h)
	}
	return hands, faults
}

// parseOne reads a file of one sound hand.
func parseOne(t *testing.T, data []byte) Hand {
	t.Helper()
	hands, faults := parse(data)
	if len(hands) != 1 || len(faults) != 0 {
		t.Fatalf("%d hands, faults %v, in\n%s", len(hands), faults, data)
	}
	return hands[0]
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// withoutLines is a hand as it would be had it come from no file.
func withoutLines(h Hand) Hand {
	h.Line = 0
	h.Actions = slices.Clone(h.Actions)
	for i := range h.Actions {
		h.Actions[i].Line = 0
	}
	return h
}

// checkRoundTrip writes hands and reads them back.
func checkRoundTrip(t *testing.T, hands []Hand) {
	t.Helper()
	text := Format(hands...)
	again, faults := parse(text)
	if len(faults) > 0 || len(again) != len(hands) {
		t.Fatalf("wrote %d hands, read %d, faults %v, in\n%s", len(hands), len(again), faults, text)
	}
	for i := range hands {
		if got, want := withoutLines(again[i]), withoutLines(hands[i]); !reflect.DeepEqual(got, want) {
			t.Fatalf("wrote %+v\nread %+v\nfrom\n%s", want, got, text)
		}
	}
	if twice := Format(again...); !bytes.Equal(twice, text) {
		t.Fatalf("wrote\n%s\nthen\n%s", text, twice)
	}
}

func TestParse(t *testing.T) {
	h := parseOne(t, readFile(t, "testdata/halves.phh"))
	if h.Line != 2 || h.Scale != 100 || h.Variant != "PO" || !h.AnteTrimming {
		t.Errorf("line %d, scale %d, variant %s, trimming %v", h.Line, h.Scale, h.Variant, h.AnteTrimming)
	}
	if want := []Amount{12025, 8050}; !slices.Equal(h.StartingStacks, want) {
		t.Errorf("starting stacks %v, want %v", h.StartingStacks, want)
	}
	if want := []Amount{50, 100}; !slices.Equal(h.Blinds, want) {
		t.Errorf("blinds %v, want %v", h.Blinds, want)
	}
	actions := []Action{
		{Line: 9, Kind: DealHole, Cards: card.MustParse("AsKsQh7d")},
		{Line: 10, Kind: DealHole, Player: 1, Cards: card.MustParse("????????")},
		{Line: 12, Kind: BetRaise, Player: 1, Amount: 300},
		{Line: 13, Kind: CheckCall, Note: "speaks"},
		{Line: 14, Kind: Remark, Player: Dealer, Note: "Burn card 6s is exposed"},
		{Line: 15, Kind: Remark, Player: Dealer},
		{Line: 17, Kind: DealBoard, Player: Dealer, Cards: card.MustParse("2c7hTd")},
		{Line: 18, Kind: CheckCall},
		{Line: 19, Kind: BetRaise, Player: 1, Amount: 450},
		{Line: 20, Kind: BetRaise, Amount: 1950},
		{Line: 21, Kind: Fold, Player: 1},
	}
	if !reflect.DeepEqual(h.Actions, actions) {
		t.Errorf("actions\n%v, want\n%v", h.Actions, actions)
	}
	if h.Players[0] != `O'Hara "the Nut"` || h.Time != "21:04:05.5" || !slices.Equal(h.TimeBanks, []string{"60", "12.5"}) {
		t.Errorf("players %q, time %s, banks %v", h.Players, h.Time, h.TimeBanks)
	}
}

func TestShownCardsAreTheDealtOnes(t *testing.T) {
	h := parseOne(t, readFile(t, "testdata/draw.phh"))
	last := h.Actions[len(h.Actions)-2:]
	if got := last[0].Text(h.Scale); got != "p1 sm 2c3c4c5c7h" {
		t.Errorf("- was read as %q", got)
	}
	if last[1].Kind != ShowOrMuck || last[1].Cards != nil {
		t.Errorf("a muck was read as %+v", last[1])
	}
	if h.Number != "H-7" || h.Table != "12" {
		t.Errorf("hand %q, table %q", h.Number, h.Table)
	}
}

// A broken hand is reported in its place and the others are given.
func TestParseMany(t *testing.T) {
	var got []string
	for h, err := range Parse("table.phhs", readFile(t, "testdata/table.phhs")) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, h.Variant+" "+h.StartingStacks[0].Text(h.Scale))
	}
	want := []string{
		"NT 50",
		`table.phhs:26: action 3: "p2 calls": unknown verb "calls": want f, cc, cbr, pb, sd or sm`,
		"_P5D 50",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	hands, _ := parse(readFile(t, "testdata/table.phhs"))
	if first := hands[0]; first.Blinds[3] != -50 || first.Rake != 17 || first.Line != 2 || hands[1].Line != 28 {
		t.Errorf("blinds %v, rake %d, lines %d and %d", first.Blinds, first.Rake, first.Line, hands[1].Line)
	}
}

func TestParseStopsWhenToldTo(t *testing.T) {
	for range Parse("f", readFile(t, "testdata/table.phhs")) {
		break
	}
}

func TestAmountsAreExact(t *testing.T) {
	for _, c := range []struct {
		stacks string
		scale  int64
		want   []Amount
	}{
		{"[100, 200]", 1, []Amount{100, 200}},
		{"[9775.0, 10112.5]", 10, []Amount{97750, 101125}},
		{"[0.1, 0.3]", 10, []Amount{1, 3}},
		{"[1_000.50, +2]", 10, []Amount{10005, 20}},
		{"[1e3, 25e-1]", 10, []Amount{10000, 25}},
		{"[1.5E+3, 0x10]", 1, []Amount{1500, 16}},
		{"[9007199254740993, 1]", 1, []Amount{9007199254740993, 1}},
		{"[90071992547409.93, 1]", 100, []Amount{9007199254740993, 100}},
		{"[1152921504606846975, 1]", 1, []Amount{1<<60 - 1, 1}},
		{"[0.000000000000001, 1]", 1e15, []Amount{1, 1e15}},
		{"[100.00000000000000000000000, 1]", 1, []Amount{100, 1}},
	} {
		h := parseOne(t, []byte(swap(t, "[200, 200]", c.stacks)))
		if h.Scale != c.scale || !slices.Equal(h.StartingStacks, c.want) {
			t.Errorf("%s: scale %d, %v", c.stacks, h.Scale, h.StartingStacks)
		}
	}
}

func TestAmountText(t *testing.T) {
	for _, c := range []struct {
		amount Amount
		scale  int64
		want   string
	}{
		{300, 1, "300"},
		{300, 0, "300"},
		{250, 100, "2.50"},
		{200, 100, "2"},
		{5, 100, "0.05"},
		{-50, 100, "-0.50"},
		{-150, 100, "-1.50"},
		{1<<60 - 1, 10, "115292150460684697.5"},
		{math.MinInt64, 10, "-922337203685477580.8"},
	} {
		if got := c.amount.Text(c.scale); got != c.want {
			t.Errorf("%d at %d is %s, want %s", c.amount, c.scale, got, c.want)
		}
	}
}

// The text of amounts is the file's own.
func TestFormatRestoresAmounts(t *testing.T) {
	h := parseOne(t, readFile(t, "testdata/halves.phh"))
	text := string(Format(h))
	for _, line := range []string{
		"blinds_or_straddles = [0.50, 1]", "starting_stacks = [120.25, 80.50]", "  'p2 cbr 4.50',",
		"finishing_stacks = [127.75, 73]", `players = ["O'Hara \"the Nut\"", 'Bruno']`, "  '# Burn card 6s is exposed',",
		"time = 21:04:05.5", "time_banks = [60, 12.5]",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

func TestOwnFilesReadBack(t *testing.T) {
	files, err := filepath.Glob("testdata/*.phh*")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		hands, _ := parse(readFile(t, f))
		checkRoundTrip(t, hands)
		for _, h := range hands {
			checkRoundTrip(t, []Hand{h})
		}
	}
}

// TestCollectionReadsBack goes over a collection of recorded hands: the folder in TAVOLO_PHH, or shared/phh beside the
// module.
func TestCollectionReadsBack(t *testing.T) {
	root := collection(t)
	files := 0
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(filepath.Ext(path), ".phh") {
			return err
		}
		files++
		hands, faults := parse(readFile(t, path))
		for _, fault := range faults {
			t.Errorf("%s: %v", path, fault)
		}
		checkRoundTrip(t, hands)
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files below %s: %v", files, root, err)
	}
	t.Logf("%d files", files)
}

func collection(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("TAVOLO_PHH"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	dir = filepath.Join(filepath.Dir(dir), "shared", "phh")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no collection of recorded hands: set TAVOLO_PHH or put one at %s", dir)
	}
	return dir
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.phh*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(sound))
	f.Fuzz(func(t *testing.T, data []byte) {
		hands, faults := parse(data)
		if len(hands)+len(faults) == 0 {
			t.Fatal("neither a hand nor a fault")
		}
		for _, fault := range faults {
			if lines := bytes.Count(data, []byte("\n")) + 1; fault.Line < 1 || fault.Line > lines {
				t.Fatalf("%v: the file has %d lines", fault, lines)
			}
		}
		if len(hands) > 0 {
			checkRoundTrip(t, hands)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	hand, err := os.ReadFile("testdata/stud.phh")
	if err != nil {
		b.Fatal(err)
	}
	hands, _ := parse(hand)
	file := Format(slices.Repeat(hands, 1000)...)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		for _, err := range Parse("f", file) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
