package main

import (
	"bytes"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"tavolo/engine"
)

// Every game there is can be played at the table that a demo has for it by default, with people on both sides of the wire.
// Where cards may be exchanged, it is played again until somebody did.
func TestEveryGameAtATable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	slots := make(chan struct{}, 6) // each mostly waits for its readers
	for _, g := range engine.Games {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			late := time.Now().Add(4 * patience)
			for seed := 1; !playsDemo(t, g, filepath.Join(dir, g.Name, strconv.Itoa(seed)), seed) && draws(g) && !t.Failed(); seed++ {
				if time.Now().After(late) {
					t.Errorf("%s: nobody exchanged cards in %d hands", g.Name, 2*seed)
				}
			}
		})
	}
	wg.Wait()
}

// playsDemo plays two hands, and reports whether cards were exchanged.
func playsDemo(t *testing.T, g *engine.Game, dir string, seed int) (exchanged bool) {
	var out, errs bytes.Buffer
	args := []string{
		"demo", "--game", g.Name, "--hands", "2", "--dir", dir, "--seed", strconv.Itoa(seed),
		"--speed", "max", "--mqtt", "127.0.0.1:0", "--listen", "127.0.0.1:0",
	}
	if code := run(t.Context(), args, &out, &errs); code != 0 {
		t.Errorf("%s: exit status %d\n%s%s", g.Name, code, &out, &errs)
		return false
	}
	cfg, err := LoadConfig(filepath.Join(dir, "table.toml"))
	if err != nil {
		t.Error(err)
		return false
	}
	r := rig{t: t, cfg: cfg}
	count := map[engine.EventKind]int{}
	for _, e := range r.read(cfg.Journal).events {
		count[e.Kind]++
		exchanged = exchanged || e.Kind == engine.CardsDiscarded && e.Amount > 0
	}
	if count[engine.HandEnded] != 2 || count[engine.HandCalledOff] > 0 {
		t.Errorf("%s: %d hands ended, %d called off", g.Name, count[engine.HandEnded], count[engine.HandCalledOff])
	}
	if exchanged && !draws(g) {
		t.Errorf("%s: cards were exchanged", g.Name)
	}
	return exchanged
}
