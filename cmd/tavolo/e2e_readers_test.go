package main

import (
	"strings"
	"testing"
)

// kinds makes the devices of a configuration other kinds, by their kinds before.
func kinds(before ...string) func(string) string {
	return func(text string) string { return strings.NewReplacer(before...).Replace(text) }
}

// A hand is played with FEIG readers in the shoe and under the felt, the shoe's neighbour to the pads, so that they take
// turns.
func TestHandWithFeigReaders(t *testing.T) {
	t.Parallel()
	const feig = "kind = \"feig\"\nair = [\"table\"]\n"
	r := scripted(t, "omaha.phh", 1, kinds("kind = \"pepper-c1\"\n", feig, "kind = \"pepper-c1-mux\"\n", feig+"advanced = true\n"))
	for _, d := range r.cfg.Devices[:2] {
		if d.Kind != "feig" || len(d.Air) != 1 {
			t.Fatalf("device %+v", d)
		}
	}
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), nil)
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}
