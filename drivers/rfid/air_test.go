package rfid

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Public fault 22: two readers that are energised together fail together. Whatever zones fields have and however long
// looks take, no two that have a zone in common are ever on at the same time, and everybody's turn comes.
func TestNeighboursAreNeverEnergisedTogether(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(rt *rapid.T) {
		fields := rapid.SliceOfN(rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]), 1, 6).Draw(rt, "zones")
		looks := rapid.SliceOfN(rapid.IntRange(0, 20), len(fields)*5, len(fields)*5).Draw(rt, "milliseconds of each look")
		var mu sync.Mutex
		on := map[string]int{} // fields that are on, by zone
		var faults []string
		synctest.Test(t, func(t *testing.T) {
			var air Air
			var all sync.WaitGroup
			for i, zones := range fields {
				f := air.Field(zones...)
				all.Go(func() {
					for n := range 5 {
						if err := f.Enter(t.Context()); err != nil {
							faults = append(faults, err.Error())
							return
						}
						mu.Lock()
						for _, z := range zones {
							if on[z]++; on[z] > 1 {
								faults = append(faults, fmt.Sprintf("zone %s: %d fields on", z, on[z]))
							}
						}
						mu.Unlock()
						time.Sleep(time.Duration(looks[5*i+n]) * time.Millisecond)
						mu.Lock()
						for _, z := range zones {
							on[z]--
						}
						mu.Unlock()
						f.Leave()
					}
				})
			}
			all.Wait()
		})
		if len(faults) > 0 {
			rt.Fatal(faults)
		}
	})
}

// Nobody is overtaken by a field he shares a zone with, and those far from each other do not wait.
func TestTurnsComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var air Air
		var mu sync.Mutex
		var order []string
		left, both, right, far := air.Field("l"), air.Field("l", "r"), air.Field("r"), air.Field("f")
		if err := left.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			f    *Field
		}{{"both", both}, {"right", right}, {"far", far}} {
			go func() {
				if err := c.f.Enter(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, c.name)
				mu.Unlock()
				time.Sleep(time.Second)
				c.f.Leave()
			}()
			synctest.Wait()
		}
		left.Leave()
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"far", "both", "right"}; !slices.Equal(order, want) {
			t.Errorf("turns %q, want %q", order, want)
		}
	})
}

// Who no longer waits blocks nobody.
func TestLeavingTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var air Air
		one, two, three := air.Field("z"), air.Field("z"), air.Field("z")
		if err := one.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := two.Enter(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("entered with %v", err)
		}
		one.Leave()
		if err := three.Enter(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestNoAirIsAlwaysFree(t *testing.T) {
	var f *Field
	if err := f.Enter(t.Context()); err != nil {
		t.Error(err)
	}
	f.Leave()
}
