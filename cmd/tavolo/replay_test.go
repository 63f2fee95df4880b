package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

// Whatever is done first, it is used in order.
func TestEachInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items := []int{50, 1, 30, 2, 40, 3, 0, 0, 9}
		var used []int
		err := eachInOrder(t.Context(), items, func(ms int) int {
			time.Sleep(time.Duration(ms) * time.Millisecond)
			return 10 * ms
		}, func(r int) { used = append(used, r) })
		if want := []int{500, 10, 300, 20, 400, 30, 0, 0, 90}; err != nil || !slices.Equal(used, want) {
			t.Errorf("used %v, error %v, want %v", used, err, want)
		}
	})
}

// When the context ends nothing new is begun, and no goroutine stays behind, or the bubble would not end.
func TestEachInOrderEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		used := 0
		err := eachInOrder(ctx, make([]struct{}, 1000), func(struct{}) int {
			time.Sleep(time.Millisecond)
			return 1
		}, func(r int) {
			if used += r; used == 10 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || used < 10 || used > 999 {
			t.Errorf("used %d, error %v", used, err)
		}
	})
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	synctest.Test(t, func(*testing.T) {
		p := &progress{w: &b, files: 300}
		for range 300 {
			time.Sleep(time.Millisecond)
			p.step()
		}
		p.clear()
	})
	if want := "\r1 of 300 files\r102 of 300 files\r203 of 300 files\r\x1b[K"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	var none *progress
	none.step()
	none.clear()
	if p := newProgress(&cobra.Command{}, manyFiles-1); p != nil {
		t.Error("progress for a few files")
	}
	c := &cobra.Command{}
	c.SetErr(&b)
	if p := newProgress(c, manyFiles); p != nil {
		t.Error("progress without a terminal")
	}
}
