package main

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
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
