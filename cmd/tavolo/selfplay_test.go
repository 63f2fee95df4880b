package main

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"tavolo/engine"
	"tavolo/engine/selfplay"
)

// TestSelfplayRepeats: a seed means the same hands on any number of processors, and the first of them are the same however
// many follow.
func TestSelfplayRepeats(t *testing.T) {
	lines := func(processors int, command string) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		var out, errs bytes.Buffer
		if status := run(t.Context(), strings.Fields(command), &out, &errs); status != 0 {
			t.Fatalf("%s: exit status %d: %v", command, status, &errs)
		}
		text, _, _ := strings.Cut(out.String(), "\nhands:") // which go with their rate
		return text
	}
	const command = "selfplay --game draw32 --limit pot --hands 200 --seed 3"
	if one, four := lines(1, command), lines(4, command); one != four {
		t.Errorf("%s on one processor, %s on four", one, four)
	}
	setups, err := selfplay.Setups("draw32", "pot", "tda")
	if err != nil {
		t.Fatal(err)
	}
	var fewer, more []selfplay.Count
	for hands, counts := range map[int]*[]selfplay.Count{50: &fewer, 80: &more} {
		o := selfplayOptions{setups: setups, hands: hands, seed: 3}
		o.play = func(s selfplay.Setup, n int, random func() uint64) (selfplay.Count, *selfplay.Violation) {
			c, v := selfplay.Play(s, n, random)
			*counts = append(*counts, c)
			return c, v
		}
		for _, s := range o.stretches() {
			o.playStretch(s)
		}
	}
	for i, c := range fewer[:len(fewer)-1] { // the last is a shorter one
		if c != more[i] {
			t.Errorf("table %d: %+v of few hands, %+v of more", i, c, more[i])
		}
	}
}

// TestSelfplayViolation: a violation is told with its hand and inputs, once for a setup, and counted.
func TestSelfplayViolation(t *testing.T) {
	setups, err := selfplay.Setups("holdem", "fixed", "")
	if err != nil {
		t.Fatal(err)
	}
	o := selfplayOptions{setups: setups[:2], hands: 100, seed: 9}
	o.play = func(s selfplay.Setup, hands int, _ func() uint64) (selfplay.Count, *selfplay.Violation) {
		count := selfplay.Count{Hands: 4, Inputs: 100, Refusals: 60}
		if s != setups[1] || hands < 20 {
			return count, nil
		}
		return count, &selfplay.Violation{
			Rules:  &engine.Rules{Game: s.Game, Limit: s.Limit, House: s.House, Stakes: engine.Stakes{BigBlind: 10}},
			Hand:   5,
			Inputs: []engine.Input{{Kind: engine.SeatTaken, Seat: 3, Amount: 70}},
			Fault:  errors.New("a chip is lost"),
		}
	}
	for _, c := range []struct{ flag, want string }{
		{"", `holdem fixed tda: hands: 12, inputs: 300, refusals: 180, violations: 0
holdem fixed noxwin: hands: 12, inputs: 300, refusals: 180, violations: 2
  hand 5: a chip is lost
  again: tavolo selfplay --game holdem --limit fixed --house noxwin --hands 5 --seed 9
  stakes: {SmallBlind:0 BigBlind:10 `},
		{"--json", `{"violation":"a chip is lost","hand":5,"again":"tavolo selfplay --game holdem --limit fixed --house noxwin --hands 5 --seed 9","stakes":"{`},
		{"", "  inputs:\n" + `    {"kind":"seat_taken","seat":3,"amount":70}` + "\nhands: 24, inputs: 600, refusals: 360, violations: 2, hands a second: "},
		{"--json", `"inputs":[{"kind":"seat_taken","seat":3,"amount":70}]}` + "\n" + `{"hands":24,"inputs":600,"refusals":360,"violations":2,"hands_per_second":`},
	} {
		cmd := selfplayCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.Flags().Bool("json", c.flag == "--json", "")
		cmd.SetContext(t.Context())
		if err := playAlone(cmd, &o); !errors.Is(err, errReported) {
			t.Errorf("%v, want %v", err, errReported)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s\nis to have\n%s", &out, c.want)
		}
	}
}
