package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The figures against those published, as people and programs read them.
func TestOddsOfBonusPoker(t *testing.T) {
	if os.Getenv("TAVOLO_LONG") == "" {
		t.Skip("plays every hand there is, which the engine's own test does as well; TAVOLO_LONG=1 runs it")
	}
	for _, c := range []struct {
		args  []string
		lines int
		want  []string
	}{
		{[]string{"odds", "bonus"}, 174, []string{
			"AA    2.788899  turn",
			"\nKK    2.535691  turn",
			"\nAKs   1.194024  turn",
			"\n82o  -0.896002  turn",
			"\n72o  -1.031301  fold\n",
			"\nhouse edge           2.036922 % of the ante\naverage total wager  3.818103 antes\n",
			"\nhands folded         52o 72o 62o 42o 32o\nbonus bet            8.540647 % = 13873/162435\n",
		}},
		{[]string{"odds", "bonus", "--json"}, 170, []string{
			`{"hand":"K2o","value":-0.102668,"folds":false,"turn_percent":`,
			`{"hand":"32o","value":-1.155927,"folds":true,"turn_percent":`,
			`{"edge_percent":2.036922,"edge":"`,
			`"wager":3.818103,"folded":["52o","72o","62o","42o","32o"],`,
			`"bonus_bet_edge_percent":8.540647,"bonus_bet_edge":"13873/162435"}`,
		}},
	} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errOut); code != 0 || errOut.Len() > 0 {
			t.Fatalf("%v: exit status %d, %s", c.args, code, errOut.String())
		}
		if n := strings.Count(out.String(), "\n"); n != c.lines {
			t.Errorf("%v: %d lines, want %d", c.args, n, c.lines)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v does not print %q", c.args, want)
			}
		}
	}
}
