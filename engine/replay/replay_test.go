package replay_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tavolo/engine"
	"tavolo/engine/phh"
	"tavolo/engine/replay"
)

// collection finds the recorded hands, which are not part of the repository: the folder in TAVOLO_PHH, or shared/phh
// beside the repository.
func collection(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("TAVOLO_PHH")
	if dir == "" {
		dir = "../../../shared/phh"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.phh"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no recorded hands in %s; set TAVOLO_PHH to a folder of them", dir)
	}
	return files
}

func tda(t *testing.T) *engine.House {
	t.Helper()
	h, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRecordedHandsEndAsRecorded(t *testing.T) {
	played, unsupported := 0, 0
	for _, file := range collection(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range phh.Parse(file, data) {
			if err != nil {
				t.Error(err)
				continue
			}
			diffs, err := replay.Play(&h, tda(t))
			switch {
			case errors.Is(err, replay.ErrUnsupported):
				unsupported++
			case err != nil:
				t.Errorf("%s: %v", file, err)
			case len(diffs) > 0:
				t.Errorf("%s: %+v", file, diffs)
			default:
				played++
			}
		}
	}
	t.Logf("%d hands ended as recorded, %d unsupported", played, unsupported)
	if played == 0 {
		t.Error("no hand was played")
	}
}
