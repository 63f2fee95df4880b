package noise

import (
	"fmt"
	"testing"
)

func TestTry(t *testing.T) {
	for _, level := range []float64{0, 1, 10} {

		r, err := Run(t.Context(), Options{Deals: 3000, Level: level, Model: Default, Seed: 1})
		fmt.Printf("level %v: %v deals %d hands %d void %d prompts %v wrong %d asked %d median %v p99 %v err %v\n", level, 0, r.Deals, r.Hands, r.Void, r.Prompts, r.Wrong, r.Asked, r.Quantile(0.5), r.Quantile(0.99), err)
	}
}
