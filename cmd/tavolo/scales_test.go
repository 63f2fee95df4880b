package main

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"tavolo/calibration"
	"tavolo/drivers/loadcell"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// lying takes down what is told of chips.
type lying []string

func (l *lying) ChipsLie(_ context.Context, z engine.Zone, amount engine.Chips, pieces int) {
	*l = append(*l, fmt.Sprintf("%v: %d in %d", z, amount, pieces))
}

func (l *lying) ChipsUnsure(_ context.Context, z engine.Zone, why string) {
	*l = append(*l, fmt.Sprintf("%v: %s", z, why))
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
