package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// recordings is the folder of recorded hands, "" if it is not here.
func recordings() string {
	for _, dir := range []string{os.Getenv("TAVOLO_PHH"), filepath.Join("..", "..", "..", "shared", "phh")} {
		if _, err := os.Stat(filepath.Join(dir, "notable")); dir != "" && err == nil {
			return dir
		}
	}
	return ""
}

// buttonHands are the recordings of no-limit hold'em, pot-limit Omaha and 2-7 triple draw.
func buttonHands(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for _, set := range []string{"wsop-2023-ppc", "notable"} {
		files, err := filepath.Glob(filepath.Join(dir, set, "*.phh"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			h, err := readHand(f)
			if err != nil {
				t.Fatal(err)
			}
			if h.Variant == "NT" || h.Variant == "PO" || h.Variant == "F2L3D" {
				out = append(out, f)
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("no such hands in %s", dir)
	}
	return out
}

func ownHands(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "hands", "*.phh"))
	if err != nil || len(files) < 3 {
		t.Fatalf("hands %q, error %v", files, err)
	}
	return files
}

// demos plays each hand as 'tavolo demo --script' does: tags on a wire in, MQTT out. Some run at a time, since each
// mostly waits for its readers.
func demos(t *testing.T, files []string) {
	t.Helper()
	var wg sync.WaitGroup
	slots := make(chan struct{}, 6)
	for _, f := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var out, errs bytes.Buffer
			args := []string{"demo", "--script", f, "--speed", "max", "--mqtt", "127.0.0.1:0", "--listen", "127.0.0.1:0"}
			ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
			defer cancel()
			if code := run(ctx, args, &out, &errs); code != 0 || !strings.Contains(out.String(), "\nok: the ") {
				t.Errorf("%s: exit status %d\n%s%s", f, code, &out, &errs)
			}
		})
	}
	wg.Wait()
}

func TestDemoPlaysRecordedHands(t *testing.T) {
	t.Parallel()
	demos(t, ownHands(t))
}

func TestDemoPlaysTheRecordings(t *testing.T) {
	t.Parallel()
	dir := recordings()
	if dir == "" {
		t.Skip("no recorded hands: name their folder in TAVOLO_PHH, or put it beside the repository as shared/phh")
	}
	demos(t, buttonHands(t, dir))
}

// A demo whose hand ends otherwise than recorded says so and fails.
func TestDemoTellsADifference(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "hands", "straddle.phh"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "wrong.phh")
	wrong := strings.Replace(string(data), "finishing_stacks = [198, 187,", "finishing_stacks = [199, 186,", 1)
	if err := os.WriteFile(file, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := []string{"demo", "--script", file, "--speed", "max", "--mqtt", "127.0.0.1:0", "--listen", ""}
	code := run(t.Context(), args, &out, &errs)
	if code != 1 || !strings.Contains(out.String(), "differs: player 1 has 198, recorded 199\ndiffers: player 2 has 187, recorded 186\n") {
		t.Errorf("exit status %d\n%s%s", code, &out, &errs)
	}
}
