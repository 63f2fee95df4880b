package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A probe tells of the disk and leaves everything as it was, whether a journal is there or not.
func TestProbe(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "t7")
	check := func(want int) {
		t.Helper()
		d, err := Probe(dir)
		if err != nil || d.Free == 0 || d.Size < d.Free || len(d.Syncs) == 0 || d.Syncs[0] <= 0 {
			t.Errorf("%+v, %v", d, err)
		}
		for _, at := range []string{parent, dir} {
			if left, err := filepath.Glob(filepath.Join(at, "probe-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		}
		if files, err := os.ReadDir(parent); err != nil || len(files) != want {
			t.Errorf("%v, %v, want %d", files, err, want)
		}
	}
	check(0)
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a")
	if _, err := Probe(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("while it is open: %v", err)
	}
	mustClose(t, j)
	check(1)
	j, _ = mustOpen(t, dir)
	wantRecords(t, j, 0, "a")
	mustClose(t, j)
	if _, err := Probe(filepath.Join(parent, "no", "t7")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a parent: %v", err)
	}
}
