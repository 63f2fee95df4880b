package main

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"tavolo/engine"
)

// Every game there is can be played at the table that a demo has for it by default, with people on both sides of the wire.
func TestEveryGameAtATable(t *testing.T) {
	t.Parallel()
	games := engine.Games
	dir := t.TempDir()
	var wg sync.WaitGroup
	slots := make(chan struct{}, 6) // each mostly waits for its readers
	for _, g := range games {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var out, errs bytes.Buffer
			args := []string{
				"demo", "--game", g.Name, "--hands", "2", "--dir", filepath.Join(dir, g.Name),
				"--speed", "max", "--mqtt", "127.0.0.1:0", "--listen", "127.0.0.1:0",
			}
			if code := run(t.Context(), args, &out, &errs); code != 0 {
				t.Errorf("%s: exit status %d\n%s%s", g.Name, code, &out, &errs)
			}
		})
	}
	wg.Wait()
	for _, g := range games {
		r := rig{t: t}
		var err error
		if r.cfg, err = LoadConfig(filepath.Join(dir, g.Name, "table.toml")); err != nil {
			t.Fatal(err)
		}
		count, exchanged := map[engine.EventKind]int{}, false
		for _, e := range r.read(r.cfg.Journal).events {
			count[e.Kind]++
			exchanged = exchanged || e.Kind == engine.CardsDiscarded && e.Amount > 0
		}
		if count[engine.HandEnded] != 2 || count[engine.HandCalledOff] > 0 {
			t.Errorf("%s: %d hands ended, %d called off", g.Name, count[engine.HandEnded], count[engine.HandCalledOff])
		}
		if exchanged != draws(g) {
			t.Errorf("%s: cards were exchanged: %v", g.Name, exchanged)
		}
	}
}
