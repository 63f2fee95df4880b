package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/calibration"
	"tavolo/drivers/loadcell"
	"tavolo/engine"
	"tavolo/engine/card"
	bridge "tavolo/firmware-bridge"
)

// lying takes down what is told of chips.
type lying []string

func (l *lying) ChipsLie(_ context.Context, z engine.Zone, amount engine.Chips, pieces int) {
	*l = append(*l, fmt.Sprintf("%v: %d in %d", z, amount, pieces))
}

func (l *lying) ChipsUnsure(_ context.Context, z engine.Zone, why string, _ ...engine.Chips) {
	*l = append(*l, fmt.Sprintf("%v: %s", z, why))
}

func (l *lying) AtTwo(_ context.Context, tag string, _ card.Card, first, second engine.Zone) {
	*l = append(*l, fmt.Sprintf("%s at %v and %v", tag, first, second))
}

// The readings of a load cell and of a node's scale become facts in the same way, and so do their failures.
func TestScalesTellOfChips(t *testing.T) {
	scale := func(z engine.ZoneKind) calibration.Scale {
		return calibration.Scale{
			Zone: engine.Zone{Kind: z, Seat: 2}, Zero: 100, Mark: 1100, Known: 100_000, Noise: 500,
			Kinds: []calibration.ChipKind{{Value: 5, Weight: 10_000}},
		}
	}
	var facts lying
	ctx := t.Context()
	b := &panelBus{weighers: map[engine.Seat]*calibration.Weigher{2: calibration.NewWeigher(scale(engine.ZoneStack), &facts)}}
	for range 3 {
		b.weighed(ctx, 2, bridge.Sample{Counts: 400})
		b.weighed(ctx, 3, bridge.Sample{Counts: 400}) // a scale that the configuration says nothing of
	}
	b.weighed(ctx, 2, bridge.Sample{Over: true})

	c := &cell{weigher: calibration.NewWeigher(scale(engine.ZoneSpot), &facts)}
	for range 3 {
		c.take(ctx, loadcell.Sample{Reading: 200, At: time.Now()})
	}
	want := lying{"stack 2: 15 in 3", "stack 2: the scale is overloaded", "spot 2: 5 in 1"}
	if !slices.Equal(facts, want) {
		t.Errorf("told %q, want %q", facts, want)
	}
}

// What was measured of a scale may be in a file of its own; then it is not in the configuration.
func TestScaleInAFile(t *testing.T) {
	data, err := os.ReadFile("testdata/board.toml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := strings.Index(text, "file = \"\"                  # a file that holds")
	if at < 0 || strings.Contains(text[at:], "[[devices]]") {
		t.Fatal("testdata/board.toml does not end with a scale as it did")
	}
	const good = "zero = 1\nmark = 5\nknown = 7\nnoise = 3\n[[chips]]\nvalue = 1\nweight = 10\n"
	for _, tt := range []struct{ name, file, more, want string }{
		{"good", good, "", ""},
		{"not there", "", "", "scales[0].file: open "},
		{"no TOML", "[", "", "scale.toml:1: toml"},
		{"a key too many", good + "colour = 1\n", "", "scale.toml:8: chips[0].colour: unknown key"},
		{"a key missing", strings.Replace(good, "mark = 5\n", "", 1), "", "scale.toml:1: mark: missing"},
		{"chips too light", strings.Replace(good, "noise = 3", "noise = 5", 1), "", "scale.toml:5: chips[0]: a chip of 10 mg"},
		{"in both", good, "zero = 4\n", "scales[0].zero: it is in the file"},
	} {
		dir := t.TempDir()
		if tt.file != "" {
			writeText(t, filepath.Join(dir, "scale.toml"), tt.file)
		}
		deck, err := os.ReadFile("testdata/deck.toml")
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, "deck.toml"), string(deck))
		writeText(t, filepath.Join(dir, "table.toml"), text[:at]+"file = \"scale.toml\"\n"+tt.more)
		c, err := LoadConfig(filepath.Join(dir, "table.toml"))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want == "":
			want := calibration.Scale{Zone: c.Scales[0].Zone, Zero: 1, Mark: 5, Known: 7, Noise: 3, Kinds: []calibration.ChipKind{{Value: 1, Weight: 10}}}
			if !reflect.DeepEqual(c.Scales[0].Scale, want) || c.Scales[0].Zone.Kind != engine.ZoneSpot {
				t.Errorf("%s: %+v", tt.name, c.Scales[0])
			}
		case err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		_, missing, err := LoadDraft(filepath.Join(dir, "table.toml"))
		if draft := tt.name == "not there"; draft && (err != nil || len(missing) != 1) {
			t.Errorf("%s, as a draft: %v, %v", tt.name, missing, err)
		}
	}
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
